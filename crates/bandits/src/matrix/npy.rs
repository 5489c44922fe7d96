//! Preference matrices as NumPy's `.npy`. `ranktypes` reads and writes the header, which cannot make us allocate more than
//! the file holds.

use std::io::{self, Read};

use ranktypes::npy::{self, Header, HeaderError, MAGIC};

use super::{MatrixError, MatrixInFile, PreferenceMatrix, SquareTable};

/// The elements that are read at a time.
const BUFFER_CELLS: usize = 1 << 13;

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

    /// The same from a file of `length` bytes, with everything in it ([`from_table`](Self::from_table)). Few of its bytes are
    /// in memory at a time.
    ///
    /// # Errors
    /// Those of [`from_npy`](Self::from_npy), and if the file cannot be read or has another length.
    pub fn read_npy(from: impl Read, length: u64) -> Result<MatrixInFile, MatrixError> {
        let SquareTable { size, entries, .. } = read_square(from, length)?;
        Self::from_table(size, entries)
    }

    /// Writes a `.npy` file (version 1.0, little-endian float64, C order).
    #[must_use]
    pub fn to_npy(&self) -> Vec<u8> {
        let mut bytes = npy::header("<f8", [self.arms, self.arms]);
        bytes.reserve_exact(8 * self.entries.len());
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.to_le_bytes());
        }
        bytes
    }
}

/// The square array in a `.npy` file of `length` bytes.
pub(super) fn read_square(mut from: impl Read, length: u64) -> Result<SquareTable, MatrixError> {
    let wrong = |what: String| Err(MatrixError::Npy(what));
    let (header, begin) = Header::read(&mut from)?;
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
    let mut block = vec![0; BUFFER_CELLS * size];
    while entries.len() < cells {
        let block = &mut block[..size * BUFFER_CELLS.min(cells - entries.len())];
        from.read_exact(block).map_err(|error| unreadable(&error))?;
        entries.extend(block.chunks_exact(size).map(read));
    }
    // An archive also compares its checksum at the end.
    if from.read(&mut [0]).map_err(|error| unreadable(&error))? > 0 {
        return wrong("more follows than its header announces".to_owned());
    }
    if fortran_order {
        for row in 0..rows {
            (row + 1..rows).for_each(|column| entries.swap(row * rows + column, column * rows + row));
        }
    }
    Ok(SquareTable { size: rows, entries, names: None })
}

impl From<HeaderError> for MatrixError {
    fn from(error: HeaderError) -> Self {
        Self::Npy(error.to_string())
    }
}

/// The error for a file that cannot be read to its end.
fn unreadable(error: &io::Error) -> MatrixError {
    MatrixError::Npy(match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
        _ => format!("it cannot be read: {error}"),
    })
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
