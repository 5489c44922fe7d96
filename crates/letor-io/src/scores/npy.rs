//! Scores in NumPy's `.npy`: one dimension of floats.

use ranktypes::npy::{Header, MAGIC};

use crate::decimal::Decimal;
use crate::error::{Error, ErrorKind};

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
    let (header, begin) = Header::read(&mut &bytes[..]).map_err(|_| damaged())?;
    let data = usize::try_from(begin).ok().and_then(|begin| bytes.get(begin..)).ok_or_else(damaged)?;
    let shape = header.shape().map_err(|_| damaged())?;
    let [count] = shape[..] else {
        let shape = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let message = format!(
            "is a .npy array of shape ({shape}), expected one dimension, a score per document: save scores.ravel() of one \
             model"
        );
        return Err(Error::new(ErrorKind::Format, message));
    };
    let values: Vec<f64> = match header.kind() {
        "" => return Err(damaged()),
        "<f4" => parse_floats(data, count, |bytes| f64::from(f32::from_le_bytes(bytes))),
        ">f4" => parse_floats(data, count, |bytes| f64::from(f32::from_be_bytes(bytes))),
        "<f8" => parse_floats(data, count, f64::from_le_bytes),
        ">f8" => parse_floats(data, count, f64::from_be_bytes),
        kind => {
            let message = format!(
                "is a .npy array of type `{kind}`, expected float32 or float64: save scores.astype(\"float64\")"
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

/// The `count` numbers of `N` bytes that `data` consists of; `None` if it has another length.
fn parse_floats<const N: usize>(data: &[u8], count: usize, value: impl Fn([u8; N]) -> f64) -> Option<Vec<f64>> {
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
