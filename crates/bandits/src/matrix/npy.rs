//! Preference matrices as NumPy's `.npy`: read and written here, some eighty lines, so that a
//! header can neither panic nor make us allocate more than the file holds.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use super::{MatrixError, PreferenceMatrix, SquareTable};

const MAGIC: &[u8] = b"\x93NUMPY";

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
        let SquareTable { size, entries, .. } = square(bytes)?;
        Self::from_table(size, entries).map(|read| read.matrix)
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

/// The square array in the bytes of a `.npy` file.
pub(super) fn square(bytes: &[u8]) -> Result<SquareTable, MatrixError> {
    let wrong = |what: &str| MatrixError::Npy(what.to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("it does not begin as one"))?;
    let short = || wrong("it ends within its header");
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
    let (length, rest) = if version[0] == 1 {
        let (length, rest) = rest.split_first_chunk().ok_or_else(short)?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk().ok_or_else(short)?;
        (u32::from_le_bytes(*length) as usize, rest)
    };
    let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
    let header = std::str::from_utf8(header).map_err(|_| wrong("its header is not text"))?;

    let kind = field(header, "descr").unwrap_or_default();
    let kind = kind.split(['\'', '"']).nth(1).unwrap_or_default();
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
        other => return Err(MatrixError::Npy(format!("its elements are `{other}`"))),
    };
    let size = kind.chars().last().and_then(|digit| digit.to_digit(10)).unwrap_or(8) as usize;
    let shape = field(header, "shape")
        .and_then(|rest| rest.trim_start().strip_prefix('('))
        .and_then(|rest| rest.split_once(')'))
        .map(|(shape, _)| shape)
        .ok_or_else(|| wrong("it has no shape"))?;
    let shape: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| wrong("its shape is unreadable"))?;
    let &[rows, columns] = shape.as_slice() else {
        return Err(MatrixError::Npy(format!("it has {} dimensions", shape.len())));
    };
    if rows != columns {
        return Err(MatrixError::NotSquare { row: 0, cells: columns, expected: rows });
    }
    let announced = rows.checked_mul(columns).and_then(|cells| cells.checked_mul(size));
    if announced != Some(data.len()) {
        return Err(MatrixError::Npy(format!(
            "its header announces {rows} x {columns} elements, but {} bytes follow",
            data.len()
        )));
    }
    let order = field(header, "fortran_order").ok_or_else(|| wrong("it has no fortran_order"))?;
    let order = order.split([',', '}']).next().unwrap_or_default().trim();
    let fortran_order = match order {
        "True" => true,
        "False" => false,
        other => {
            let other: String = other.chars().take(40).collect();
            return Err(MatrixError::Npy(format!("its fortran_order is `{other}`, expected True or False")));
        }
    };
    let mut entries: Vec<f64> = data.chunks_exact(size).map(read).collect();
    if fortran_order {
        entries = (0..rows * rows).map(|at| entries[at % rows * rows + at / rows]).collect();
    }
    Ok(SquareTable { size: rows, entries, names: None })
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

/// What follows `'key':` in the header's dictionary.
fn field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let start = header.find(&format!("'{key}'"))? + key.len() + 2;
    header[start..].trim_start().strip_prefix(':')
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
