//! The header of NumPy's `.npy` files, read and written, so that it can neither panic nor make anybody allocate more than a
//! header has.
//!
//! Format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, Read};

/// What every `.npy` file begins with.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// The headers of square tables have a hundred bytes.
const MAX_HEADER_LENGTH: usize = 1 << 16;

/// Why bytes are not the beginning of a `.npy` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderError(String);

impl Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for HeaderError {}

/// The header of a `.npy` file: a dictionary of Python with three keys and nothing else, as NumPy demands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The values of [`KEYS`] as they are written.
    values: [Option<String>; 3],
}

/// The keys of a header.
const KEYS: [&str; 3] = ["descr", "fortran_order", "shape"];

impl Header {
    /// Reads the beginning of a `.npy` file; returns the header and the number of bytes before the data.
    ///
    /// # Errors
    /// If it is none, has a key twice or another one, or anything behind the dictionary.
    pub fn read(from: &mut impl Read) -> Result<(Self, u64), HeaderError> {
        let wrong = |what: &str| HeaderError(what.to_owned());
        let fill = |from: &mut dyn Read, bytes: &mut [u8]| {
            from.read_exact(bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => wrong("it ends within its header"),
                _ => wrong(&format!("it cannot be read: {error}")),
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
        if length > MAX_HEADER_LENGTH {
            return Err(wrong("its header is too long"));
        }
        let mut header = vec![0; length];
        fill(from, &mut header)?;
        let header = std::str::from_utf8(&header).map_err(|_| wrong("its header is not text"))?;
        Ok((Self::parse(header)?, (begin.len() + digits + length) as u64))
    }

    fn parse(header: &str) -> Result<Self, HeaderError> {
        let wrong = |what: &str| HeaderError(what.to_owned());
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
    pub fn shape(&self) -> Result<Vec<usize>, HeaderError> {
        let wrong = |what: &str| HeaderError(what.to_owned());
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
    pub fn fortran_order(&self) -> Result<bool, HeaderError> {
        match self.values[1].as_deref() {
            Some("True") => Ok(true),
            Some("False") => Ok(false),
            None => Err(HeaderError("it has no fortran_order".to_owned())),
            Some(other) => {
                let other = shortened(other);
                Err(HeaderError(format!("its fortran_order is `{other}`, expected True or False")))
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

/// The beginning of a `.npy` file (version 1.0, C order) of `shape` rows and columns. `descr` is the type
/// of the elements as NumPy writes it (`<f8` for little-endian doubles, `<u8` for 64-bit counts); they
/// follow row by row.
#[must_use]
pub fn header(descr: &str, shape: [usize; 2]) -> Vec<u8> {
    let [rows, columns] = shape;
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The data begin at a multiple of 64 bytes, after a line feed.
    while !(MAGIC.len() + 4 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back() {
        let written = header("<f8", [3, 20]);
        assert_eq!(written.len() % 64, 0);
        let (read, begin) = Header::read(&mut &written[..]).unwrap();
        assert_eq!((begin, read.kind()), (written.len() as u64, "<f8"));
        assert_eq!((read.shape(), read.fortran_order()), (Ok(vec![3, 20]), Ok(false)));
        for cut in 0..written.len() {
            assert!(Header::read(&mut &written[..cut]).is_err(), "{cut}");
        }
    }
}
