//! The version of its experiment that an impression states, in fields or by its receipt.

use std::borrow::Cow;

use ranktypes::text::excerpt;

/// The most bytes of a version.
const MAX_BYTES: usize = 200;

/// The version of an impression from the fields `experiment` and `version`, and from its receipt: `EXPERIMENT@VERSION`, or the
/// part that is there; `None` without any.
///
/// # Errors
/// If the receipt and the fields differ, or the text is too long for a name.
pub(crate) fn stated_version<'a>(
    experiment: Option<&'a str>,
    version: Option<&'a str>,
    receipt: Option<(&str, u64)>,
) -> Result<Option<Cow<'a, str>>, String> {
    let text: Cow<'a, str> = match (receipt, experiment, version) {
        (None, None, None) => return Ok(None),
        (Some((of_receipt, hash)), ..) => {
            let receipt_version = format!("{of_receipt}@{hash:016x}");
            let is_other = experiment.is_some_and(|experiment| experiment != of_receipt)
                || version.is_some_and(|version| {
                    version != receipt_version && version != &receipt_version[of_receipt.len() + 1..]
                });
            if is_other {
                let said = [experiment, version].map(|text| text.map_or_else(|| "nothing".to_owned(), excerpt));
                return Err(format!(
                    "`experiment` is {} and `version` is {}, but the receipt is of {}; leave both fields out",
                    said[0],
                    said[1],
                    excerpt(&receipt_version)
                ));
            }
            Cow::Owned(receipt_version)
        }
        (None, Some(experiment), Some(version)) => match version.rsplit_once('@') {
            None => Cow::Owned(format!("{experiment}@{version}")),
            Some((receipt_version, _)) if receipt_version == experiment => Cow::Borrowed(version),
            Some(_) => {
                return Err(format!(
                    "`version` is {}, which names another experiment than `experiment`, {}; expected a version without `@`",
                    excerpt(version),
                    excerpt(experiment)
                ));
            }
        },
        (None, Some(name), None) | (None, None, Some(name)) => Cow::Borrowed(name),
    };
    if text.len() > MAX_BYTES {
        return Err(format!(
            "the version {} has {} bytes; expected a name of at most {MAX_BYTES}",
            excerpt(&text),
            text.len()
        ));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use verdicts::experiment_name;

    use super::*;

    #[test]
    fn fields_and_receipts_agree_or_are_refused() {
        let of = |experiment, version, receipt| {
            stated_version(experiment, version, receipt).map(|found| found.map(Cow::into_owned))
        };
        let named = |text: &str| Ok(Some(text.to_owned()));
        let receipt = Some(("search", 0x8d4e));
        assert_eq!(of(None, None, None), Ok(None));
        assert_eq!(of(Some("search"), Some("7"), None), named("search@7"));
        assert_eq!(of(None, Some("7"), None), named("7"));
        assert_eq!(of(Some("search"), Some("search@7"), None), named("search@7"));
        for fields in [
            (None, None),
            (Some("search"), None),
            (Some("search"), Some("0000000000008d4e")),
            (None, Some("search@0000000000008d4e")),
        ] {
            assert_eq!(of(fields.0, fields.1, receipt), named("search@0000000000008d4e"), "{fields:?}");
        }
        for fields in [(Some("shop"), None), (None, Some("8d4e")), (Some("search"), Some("7"))] {
            assert!(of(fields.0, fields.1, receipt).unwrap_err().contains("leave both fields out"), "{fields:?}");
        }
        assert!(of(Some("shop"), Some("search@7"), None).is_err());
        assert!(of(None, Some(&"x".repeat(201)), None).is_err());
        assert_eq!((experiment_name("a@b@7"), experiment_name("7")), (Some("a@b"), None));
    }
}
