//! Labels: kept in single precision, read and shown without loss.

use crate::error::excerpt;

/// `label` as a number that prints as in the file: whole ones with all digits (2147483648, where the shortest text of
/// single precision is 2147483600), others by their shortest decimal (0.1 rather than 0.10000000149).
#[must_use]
pub fn exact_label(label: f32) -> f64 {
    if label.fract() == 0.0 { f64::from(label) } else { label.to_string().parse().unwrap_or(f64::from(label)) }
}

/// `number` as a label; `None` for a whole number that single precision cannot hold, which would become another.
pub(crate) fn label_of_number(number: f64) -> Option<f32> {
    let label = number as f32;
    (number.fract() != 0.0 || f64::from(label) == number).then_some(label)
}

/// The error for a label that [`label_of_number`] refuses.
pub(crate) fn label_too_fine(found: &[u8]) -> String {
    format!(
        "label {} has more digits than single precision holds, so it would become another number: use smaller labels, \
         whole ones up to 16777216",
        excerpt(found)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_show_as_they_were_written() {
        for text in ["0", "-1", "4", "0.1", "1.33333", "16777216", "2147483648", "10000000000"] {
            let label = label_of_number(text.parse().unwrap()).unwrap();
            assert_eq!(exact_label(label).to_string(), text);
        }
        for text in ["16777217", "2147483647", "9999999999"] {
            assert_eq!(label_of_number(text.parse().unwrap()), None, "{text}");
        }
    }
}
