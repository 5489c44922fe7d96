//! Preference matrices as NumPy's `.npy`: read and written here, some eighty lines, so that a
//! header can neither panic nor make us allocate more than the file holds.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{self, Read};

use super::{MatrixError, MatrixInFile, PreferenceMatrix, SquareTable};

const MAGIC: &[u8] = b"\x93NUMPY";
/// The headers of square tables have a hundred bytes.
const LONGEST_HEADER: usize = 1 << 16;
/// The elements that are read at a time.
const CELLS: usize = 1 << 13;

/// Whether the bytes begin as a `.npy` file does.
pub(super) fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl PreferenceMatrix {
    /// Reads a two-dimensional `.npy` array of floats or integers, either byte order, in C or Fortran order.
    ///
    /// # Errors
    /// If the bytes are not such an array, or it is not a preference matrix.
    pub fn from_npy(bytes: &[u8]) -> Result<Self, MatrixError> {
        Self::read_npy(bytes, bytes.len() as u64).map(|read| read.matrix)
    }

    /// The same from a file of `length` bytes, with all that it says ([`from_table`](Self::from_table)). Of its bytes, few are
    /// in memory at a time.
    ///
    /// # Errors
    /// Those of [`from_npy`](Self::from_npy), and if the file cannot be read or has another length.
    pub fn read_npy(from: impl Read, length: u64) -> Result<MatrixInFile, MatrixError> {
        let SquareTable { size, entries, .. } = square(from, length)?;
        Self::from_table(size, entries)
    }

    /// Writes a `.npy` file (version 1.0, little-endian float64, C order).
    #[must_use]
    pub fn to_npy(&self) -> Vec<u8> {
        let mut bytes = npy_header("<f8", [self.arms, self.arms]);
        bytes.reserve_exact(8 * self.entries.len());
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.to_le_bytes());
        }
        bytes
    }
}

/// The square array in a `.npy` file of `length` bytes.
pub(super) fn square(mut from: impl Read, length: u64) -> Result<SquareTable, MatrixError> {
    let wrong = |what: String| Err(MatrixError::Npy(what));
    let (header, begin) = NpyHeader::read(&mut from)?;
    let kind = header.kind();
    let read: fn(&[u8]) -> f64 = match kind {
        "<f8" => |b| f64::from_le_bytes(b.try_into().unwrap_or_default()),
        ">f8" => |b| f64::from_be_bytes(b.try_into().unwrap_or_default()),
        "<f4" => |b| f32::from_le_bytes(b.try_into().unwrap_or_default()).into(),
        ">f4" => |b| f32::from_be_bytes(b.try_into().unwrap_or_default()).into(),
        "|i1" => |b| f64::from(b[0] as i8),
        "|u1" => |b| f64::from(b[0]),
        "<i2" => |b| i16::from_le_bytes(b.try_into().unwrap_or_default()).into(),
        ">i2" => |b| i16::from_be_bytes(b.try_into().unwrap_or_default()).into(),
        "<u2" => |b| u16::from_le_bytes(b.try_into().unwrap_or_default()).into(),
        ">u2" => |b| u16::from_be_bytes(b.try_into().unwrap_or_default()).into(),
        "<i4" => |b| i32::from_le_bytes(b.try_into().unwrap_or_default()).into(),
        ">i4" => |b| i32::from_be_bytes(b.try_into().unwrap_or_default()).into(),
        "<u4" => |b| u32::from_le_bytes(b.try_into().unwrap_or_default()).into(),
        ">u4" => |b| u32::from_be_bytes(b.try_into().unwrap_or_default()).into(),
        "<i8" => |b| i64::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
        ">i8" => |b| i64::from_be_bytes(b.try_into().unwrap_or_default()) as f64,
        "<u8" => |b| u64::from_le_bytes(b.try_into().unwrap_or_default()) as f64,
        ">u8" => |b| u64::from_be_bytes(b.try_into().unwrap_or_default()) as f64,
        other => return wrong(format!("its elements are `{other}`")),
    };
    let size = kind.chars().last().and_then(|digit| digit.to_digit(10)).unwrap_or(8) as usize;
    let shape = header.shape()?;
    let &[rows, columns] = shape.as_slice() else {
        return wrong(format!("it has {} dimensions", shape.len()));
    };
    if rows != columns {
        return Err(MatrixError::NotSquare { row: 0, cells: columns, expected: rows });
    }
    let announced = rows.checked_mul(columns).and_then(|cells| cells.checked_mul(size));
    let data = length.saturating_sub(begin);
    if announced.map(|bytes| bytes as u64) != Some(data) {
        return wrong(format!("its header announces {rows} x {columns} elements, but {data} bytes follow"));
    }
    let fortran_order = header.fortran_order()?;
    let cells = rows * columns;
    let mut entries = Vec::new();
    if entries.try_reserve_exact(cells).is_err() {
        return wrong(format!("there is no memory for its {rows} x {columns} elements"));
    }
    let mut block = vec![0; CELLS * size];
    while entries.len() < cells {
        let block = &mut block[..size * CELLS.min(cells - entries.len())];
        from.read_exact(block).map_err(|error| broken(&error))?;
        entries.extend(block.chunks_exact(size).map(read));
    }
    // An archive also compares its checksum at the end.
    if from.read(&mut [0]).map_err(|error| broken(&error))? > 0 {
        return wrong("more follows than its header announces".to_owned());
    }
    if fortran_order {
        for row in 0..rows {
            (row + 1..rows).for_each(|column| entries.swap(row * rows + column, column * rows + row));
        }
    }
    Ok(SquareTable { size: rows, entries, names: None })
}

/// The error for a file that cannot be read to its end.
fn broken(error: &io::Error) -> MatrixError {
    MatrixError::Npy(match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
        _ => format!("it cannot be read: {error}"),
    })
}

/// The header of a `.npy` file: a dictionary of Python with three keys and nothing else, as NumPy demands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpyHeader {
    /// The values of [`KEYS`] as they are written.
    values: [Option<String>; 3],
}

/// The keys of a header.
const KEYS: [&str; 3] = ["descr", "fortran_order", "shape"];

impl NpyHeader {
    /// Reads the beginning of a `.npy` file; returns the header and the number of bytes before the data.
    ///
    /// # Errors
    /// If it is none, has a key twice or another one, or anything behind the dictionary.
    pub fn read(from: &mut impl Read) -> Result<(Self, u64), MatrixError> {
        let wrong = |what: &str| MatrixError::Npy(what.to_owned());
        let fill = |from: &mut dyn Read, bytes: &mut [u8]| {
            from.read_exact(bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => wrong("it ends within its header"),
                _ => broken(&error),
            })
        };
        let mut begin = [0; 8];
        fill(from, &mut begin)
            .map_err(|error| if begin.starts_with(MAGIC) { error } else { wrong("it does not begin as one") })?;
        if !begin.starts_with(MAGIC) {
            return Err(wrong("it does not begin as one"));
        }
        let mut length = [0; 4];
        let digits = match (begin[6], begin[7]) {
            (1, 0) => 2,
            (2 | 3, 0) => 4,
            (major, minor) => {
                return Err(wrong(&format!("its format has version {major}.{minor}, expected 1.0 to 3.0")));
            }
        };
        fill(from, &mut length[..digits])?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(wrong("its header is too long"));
        }
        let mut header = vec![0; length];
        fill(from, &mut header)?;
        let header = std::str::from_utf8(&header).map_err(|_| wrong("its header is not text"))?;
        Ok((Self::parse(header)?, (begin.len() + digits + length) as u64))
    }

    fn parse(header: &str) -> Result<Self, MatrixError> {
        let wrong = |what: &str| MatrixError::Npy(what.to_owned());
        let dictionary = || wrong("its header is not a dictionary of descr, fortran_order and shape");
        let mut values = [None, None, None];
        let mut rest = header.trim_start().strip_prefix('{').ok_or_else(dictionary)?.trim_start();
        while !rest.starts_with('}') {
            let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"')).ok_or_else(dictionary)?;
            let (key, after) = rest[1..].split_once(quote).ok_or_else(dictionary)?;
            let at = KEYS.iter().position(|known| *known == key);
            let at = at.ok_or_else(|| wrong(&format!("its header has the key `{}`", shortened(key))))?;
            let after = after.trim_start().strip_prefix(':').ok_or_else(dictionary)?;
            let end = end_of_value(after).ok_or_else(dictionary)?;
            if values[at].replace(after[..end].trim().to_owned()).is_some() {
                return Err(wrong(&format!("its header has the key {key} twice")));
            }
            rest = &after[end..];
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        if !rest[1..].trim().is_empty() {
            return Err(wrong(&format!("behind its header follows `{}`", shortened(rest[1..].trim()))));
        }
        Ok(Self { values })
    }

    /// The kind of elements in the words of NumPy, such as `<f8`; empty if it is none.
    #[must_use]
    pub fn kind(&self) -> &str {
        let value = self.values[0].as_deref().unwrap_or_default();
        let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
        quoted('\'').or_else(|| quoted('"')).unwrap_or_default()
    }

    /// The lengths of the array's dimensions.
    ///
    /// # Errors
    /// If the header does not say, or not in numbers.
    pub fn shape(&self) -> Result<Vec<usize>, MatrixError> {
        let wrong = |what: &str| MatrixError::Npy(what.to_owned());
        let shape = self.values[2].as_deref().and_then(|value| value.strip_prefix('(')?.strip_suffix(')'));
        let shape = shape.ok_or_else(|| wrong("it has no shape"))?.trim();
        // One comma may follow the last length.
        let shape = shape.strip_suffix(',').unwrap_or(shape);
        let lengths = shape.split(',').map(|word| word.trim().parse());
        lengths.filter(|_| !shape.is_empty()).collect::<Result<_, _>>().map_err(|_| wrong("its shape is unreadable"))
    }

    /// Whether the array is stored column by column.
    ///
    /// # Errors
    /// If the header does not say.
    pub fn fortran_order(&self) -> Result<bool, MatrixError> {
        match self.values[1].as_deref() {
            Some("True") => Ok(true),
            Some("False") => Ok(false),
            None => Err(MatrixError::Npy("it has no fortran_order".to_owned())),
            Some(other) => {
                let other = shortened(other);
                Err(MatrixError::Npy(format!("its fortran_order is `{other}`, expected True or False")))
            }
        }
    }
}

/// Where a value of the dictionary ends: before the comma or the brace behind it.
fn end_of_value(text: &str) -> Option<usize> {
    let (mut open, mut quoted) = (0_usize, None);
    for (at, letter) in text.char_indices() {
        match (quoted, letter) {
            (Some(quote), _) if letter == quote => quoted = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quoted = Some(letter),
            (None, '(' | '[' | '{') => open += 1,
            (None, ',' | '}') if open == 0 => return Some(at),
            (None, ')' | ']' | '}') => open = open.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The beginning of a `.npy` file (version 1.0, C order) of `shape` rows and columns, whose elements
/// are `descr` in NumPy's words (`<f8` for little-endian doubles, `<u8` for 64-bit counts); they
/// follow row by row.
#[must_use]
pub fn npy_header(descr: &str, shape: [usize; 2]) -> Vec<u8> {
    let [rows, columns] = shape;
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The data begin at a multiple of 64 bytes, after a line feed.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> PreferenceMatrix {
        PreferenceMatrix::from_upper(3, |i, j| 0.5 + 0.1 * f64::from(i.0) + 0.03 * f64::from(j.0)).expect("a matrix")
    }

    /// A file with the given header and the matrix's entries, mapped to bytes by `bytes`.
    fn file(header: &str, data: Vec<u8>) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn written_and_read_back() {
        let bytes = matrix().to_npy();
        assert_eq!(bytes.len() % 64, 3 * 3 * 8 % 64);
        assert_eq!(PreferenceMatrix::from_bytes(&bytes), Ok(matrix()));
    }

    #[test]
    fn other_byte_and_storage_orders() {
        let entries = matrix().entries;
        let big = entries.iter().flat_map(|e| e.to_be_bytes()).collect();
        let header = "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 3)}";
        assert_eq!(PreferenceMatrix::from_npy(&file(header, big)), Ok(matrix()));

        let columns = (0..9).flat_map(|at| entries[at % 3 * 3 + at / 3].to_le_bytes()).collect();
        let header = "{'shape': (3, 3), 'fortran_order': True, 'descr': '<f8'}";
        assert_eq!(PreferenceMatrix::from_npy(&file(header, columns)), Ok(matrix()));
    }

    #[test]
    fn broken_files_are_errors() {
        let message = |bytes: &[u8]| PreferenceMatrix::from_npy(bytes).expect_err("broken").to_string();
        let good = matrix().to_npy();
        assert!(message(b"0.5").contains("does not begin as one"));
        assert!(message(&good[..9]).contains("ends within its header"));
        assert!(message(&good[..good.len() - 1]).contains("but 71 bytes follow"));
        let with = |header| message(&file(header, vec![0; 8]));
        assert!(with("{'descr': '<c8', 'shape': (1, 1)}").contains("its elements are `<c8`"));
        assert!(with("{'descr': '<f8', 'shape': (1,)}").contains("1 dimensions"));
        assert!(with("{'descr': '<f8', 'shape': (1, 2)}").contains("square"));
        assert!(with("{'descr': '<f8'}").contains("no shape"));
        assert!(with("{'descr': '<f8', 'shape': (1, 1)}").contains("no fortran_order"));
        for order in ["maybe", "Truest", "0", "'True'"] {
            let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (1, 1)}}");
            let found = message(&file(&header, vec![0; 8]));
            assert!(found.contains(&format!("its fortran_order is `{order}`, expected True or False")), "{found}");
        }
        assert!(with("{'descr': '<f8', 'shape': (99999999999, 99999999999)}").contains("follow"));
    }

    #[test]
    fn a_header_says_each_thing_once_and_nothing_else() {
        let read = |header: &str| {
            let data = matrix().entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
            PreferenceMatrix::from_npy(&file(header, data)).map_err(|error| error.to_string())
        };
        let whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }";
        for sound in [whole.to_owned(), whole.replace('\'', "\""), format!("{whole}   \n"), whole.replace(", }", "}")] {
            assert_eq!(read(&sound), Ok(matrix()), "{sound}");
        }
        for (wrong, expected) in [
            (whole.replace(", }", ", 'shape': (3, 3)}"), "the key shape twice"),
            (whole.replace("'shape'", "'descr': '<f4', 'shape'"), "the key descr twice"),
            (whole.replace(", }", ", 'other': 1}"), "the key `other`"),
            (format!("{whole}import os\n"), "behind its header follows `import os`"),
            (format!("{whole}{whole}"), "behind its header follows"),
            (format!("{whole}\0"), "behind its header follows"),
            (format!("import os; {whole}"), "not a dictionary"),
            (whole.replace("'<f8'", "'<f8' + ''"), "its elements are `"),
            (whole.replace("'<f8'", "'<f8'[0:]"), "its elements are ``"),
            (whole.replace("(3, 3)", "(3,, 3)"), "its shape is unreadable"),
            (whole.replace("(3, 3)", "(3, 3) * 1"), "it has no shape"),
            (whole.replace("False", "not True"), "its fortran_order is `not True`"),
            ("{'descr': '<f8'".to_owned(), "not a dictionary"),
        ] {
            let error = read(&wrong).expect_err(&wrong);
            assert!(error.contains(expected), "{wrong}: {error}");
        }
        let mut version = matrix().to_npy();
        version[6] = 9;
        assert!(PreferenceMatrix::from_npy(&version).unwrap_err().to_string().contains("version 9.0"));
        let long = file(&whole.replace(", }", &format!(", {}}}", " ".repeat(60_000))), Vec::new());
        assert!(PreferenceMatrix::from_npy(&long).unwrap_err().to_string().contains("0 bytes follow"));
    }

    #[test]
    fn a_file_is_read_to_its_announced_end() {
        let whole = matrix().to_npy();
        let of = |bytes: &[u8], length: usize| {
            PreferenceMatrix::read_npy(bytes, length as u64).map(|read| read.matrix).map_err(|error| error.to_string())
        };
        assert_eq!(of(&whole, whole.len()), Ok(matrix()));
        assert!(of(&whole[..whole.len() - 1], whole.len()).unwrap_err().contains("cut off"));
        assert!(of(&[&whole[..], b"x"].concat(), whole.len()).unwrap_err().contains("more follows"));
    }

    proptest::proptest! {
        #[test]
        fn a_damaged_file_never_panics(at in 0_usize..200, byte: u8, cut in 0_usize..210) {
            let mut bytes = matrix().to_npy();
            let end = bytes.len();
            bytes[at % end] = byte;
            let _ = PreferenceMatrix::from_bytes(&bytes[..cut.min(end)]);
        }
    }
}
