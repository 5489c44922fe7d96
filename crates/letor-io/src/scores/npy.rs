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
    let descr = header.split_once("'descr':").and_then(|(_, rest)| rest.split('\'').nth(1)).ok_or_else(damaged)?;
    let shape = header.split_once("'shape':").and_then(|(_, rest)| rest.split_once('(')?.1.split_once(')'));
    let shape = shape.ok_or_else(damaged)?.0;
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
