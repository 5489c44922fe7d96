//! Scores in NumPy's `.npy`: one dimension of floats.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use crate::decimal::Decimal;
use crate::error::{Error, ErrorKind};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Whether `bytes` begin as a `.npy` file does.
pub(super) fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The numbers in the bytes of a `.npy` file.
///
/// # Errors
/// If it is damaged, not one column of floats, or has a number that is not finite.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Decimal>, Error> {
    let damaged =
        || Error::new(ErrorKind::Format, "is a damaged .npy file, expected a header and data: write it again");
    let (header, data) = split(bytes).ok_or_else(damaged)?;
    let header = str::from_utf8(header).map_err(|_| damaged())?;
    let [descr, _, shape] = dictionary(header).ok_or_else(damaged)?;
    let unquoted = |quote| descr?.strip_prefix(quote)?.strip_suffix(quote);
    let descr = unquoted('\'').or_else(|| unquoted('"')).ok_or_else(damaged)?;
    let shape = shape.and_then(|shape| shape.strip_prefix('(')?.strip_suffix(')')).ok_or_else(damaged)?;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty()).map(str::parse);
    let sizes: Vec<usize> = sizes.collect::<Result<_, _>>().map_err(|_| damaged())?;
    let [count] = sizes[..] else {
        let message = format!(
            "is a .npy array of shape ({shape}), expected one dimension, a score per document: save scores.ravel() of one \
             model"
        );
        return Err(Error::new(ErrorKind::Format, message));
    };
    let values: Vec<f64> = match descr {
        "<f4" => floats(data, count, |bytes| f64::from(f32::from_le_bytes(bytes))),
        ">f4" => floats(data, count, |bytes| f64::from(f32::from_be_bytes(bytes))),
        "<f8" => floats(data, count, f64::from_le_bytes),
        ">f8" => floats(data, count, f64::from_be_bytes),
        _ => {
            let message = format!(
                "is a .npy array of type `{descr}`, expected float32 or float64: save scores.astype(\"float64\")"
            );
            return Err(Error::new(ErrorKind::Format, message));
        }
    }
    .ok_or_else(damaged)?;
    let decimal = |(number, value): (usize, f64)| {
        Decimal::from_f64(value).ok_or_else(|| {
            let message = format!("score {number} (from 1) is {value}, expected a finite number: correct it");
            Error::new(ErrorKind::Value, message)
        })
    };
    (1..).zip(values).map(decimal).collect()
}

/// The values of descr, fortran_order and shape in the dictionary that `header` is; `None` if it is none, has a key twice or
/// another one, or anything behind it. `bandits` reads matrices as strictly.
fn dictionary(header: &str) -> Option<[Option<&str>; 3]> {
    let mut values = [None; 3];
    let mut rest = header.trim_start().strip_prefix('{')?.trim_start();
    while !rest.starts_with('}') {
        let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
        let (key, after) = rest[1..].split_once(quote)?;
        let at = ["descr", "fortran_order", "shape"].iter().position(|known| *known == key)?;
        let after = after.trim_start().strip_prefix(':')?.trim_start();
        // Only a shape has commas.
        let end = match after.strip_prefix('(') {
            Some(shape) => 1 + shape.find(')')? + 1,
            None => after.find([',', '}'])?,
        };
        if values[at].replace(after[..end].trim_end()).is_some() {
            return None;
        }
        rest = after[end..].trim_start();
        rest = match rest.strip_prefix(',') {
            Some(rest) => rest.trim_start(),
            None if rest.starts_with('}') => rest,
            None => return None,
        };
    }
    rest[1..].trim().is_empty().then_some(values)
}

/// The header and what follows it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_at_checked(2)?;
    let (len, rest) = if version[0] == 1 {
        let (len, rest) = rest.split_first_chunk::<2>()?;
        (usize::from(u16::from_le_bytes(*len)), rest)
    } else {
        let (len, rest) = rest.split_first_chunk::<4>()?;
        (u32::from_le_bytes(*len) as usize, rest)
    };
    rest.split_at_checked(len)
}

/// The `count` numbers of `N` bytes that `data` consists of; `None` if it has another length.
fn floats<const N: usize>(data: &[u8], count: usize, value: impl Fn([u8; N]) -> f64) -> Option<Vec<f64>> {
    let (numbers, rest) = data.as_chunks::<N>();
    (numbers.len() == count && rest.is_empty()).then(|| numbers.iter().map(|&bytes| value(bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &str) -> Result<usize, String> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend([0.5_f64, 0.25].into_iter().flat_map(f64::to_le_bytes));
        parse(&bytes).map(|scores| scores.len()).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_header_says_each_thing_once_and_nothing_else() {
        let whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
        for sound in [whole.to_owned(), format!("{whole}  \n"), whole.replace('\'', "\""), whole.replace(", }", "}")] {
            assert_eq!(of(&sound), Ok(2), "{sound}");
        }
        for wrong in [
            whole.replace(", }", ", 'shape': (2,)}"),
            whole.replace("'shape'", "'descr': '<f4', 'shape'"),
            whole.replace(", }", ", 'other': 1}"),
            format!("{whole}import os\n"),
            format!("{whole}\0"),
            format!("x{whole}"),
            whole.replace("(2,)", "(2,) * 1"),
            whole.replace("'<f8'", "'<f8' + x"),
        ] {
            assert!(of(&wrong).unwrap_err().contains("damaged .npy file"), "{wrong}");
        }
    }
}
