//! Versions of an experiment: outcomes of two are never added up.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{PairChoice, PairChoices, SaidBy};
use crate::error::excerpt;

/// What stands for impressions without a version where others have one.
pub const UNNAMED: &str = "no version named";

/// The most bytes of a version.
const MOST_BYTES: usize = 200;

/// What the impressions of a version of the experiment say together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OfVersion {
    /// All rankers.
    pub rankers: BTreeSet<String>,
    /// How they were chosen.
    pub choices: PairChoices,
}

impl OfVersion {
    /// Adds another part of the log.
    pub fn merge(&mut self, other: Self) {
        self.rankers.extend(other.rankers);
        self.choices.merge(other.choices);
    }

    /// The version with this name; `stated` is how the settings say that rankers were chosen.
    #[must_use]
    pub fn resolve(&self, name: Option<&str>, stated: Option<PairChoice>) -> Version {
        let (choice, said_by) = self.choices.resolve(stated);
        let declared = self.choices.declared.last().copied();
        Version { name: name.map(str::to_owned), choice, said_by, declared }
    }
}

/// A version of the experiment: an experiment of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its name; `None` for impressions that name none.
    pub name: Option<String>,
    /// How the rankers of impressions were chosen.
    pub choice: PairChoice,
    /// Who says so.
    pub said_by: SaidBy,
    /// The most careful way of choosing that impressions declare.
    pub declared: Option<PairChoice>,
}

/// The version of an impression by the fields `experiment` and `version`, and by its receipt: `EXPERIMENT@VERSION`, or the one of
/// both that is there; `None` without any.
///
/// # Errors
/// If the receipt says something else than the fields do, or the text is too long for a name.
pub(crate) fn version_of<'a>(
    experiment: Option<&'a str>,
    version: Option<&'a str>,
    receipt: Option<(&str, u64)>,
) -> Result<Option<Cow<'a, str>>, String> {
    let found: Cow<'a, str> = match (receipt, experiment, version) {
        (None, None, None) => return Ok(None),
        (Some((of_receipt, hash)), ..) => {
            let named = format!("{of_receipt}@{hash:016x}");
            let is_other = experiment.is_some_and(|experiment| experiment != of_receipt)
                || version.is_some_and(|version| version != named && version != &named[of_receipt.len() + 1..]);
            if is_other {
                let said = [experiment, version].map(|text| text.map_or_else(|| "nothing".to_owned(), excerpt));
                return Err(format!(
                    "`experiment` is {} and `version` is {}, but the receipt is of {}; leave both fields out",
                    said[0],
                    said[1],
                    excerpt(&named)
                ));
            }
            Cow::Owned(named)
        }
        (None, Some(experiment), Some(version)) => match version.rsplit_once('@') {
            None => Cow::Owned(format!("{experiment}@{version}")),
            Some((named, _)) if named == experiment => Cow::Borrowed(version),
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
    if found.len() > MOST_BYTES {
        return Err(format!(
            "the version {} has {} bytes; expected a name of at most {MOST_BYTES}",
            excerpt(&found),
            found.len()
        ));
    }
    Ok(Some(found))
}

/// The experiment of a version, if it names one.
pub(crate) fn experiment_of(version: &str) -> Option<&str> {
    version.rsplit_once('@').map(|(experiment, _)| experiment)
}

/// What is wrong with a version, if anything: it is written into tables and on terminals.
pub(crate) fn wrong_version(version: &str) -> Option<String> {
    letor_io::check_name(version).err().map(|fault| format!("the version {} {fault}", excerpt(version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_receipts_agree_or_are_refused() {
        let of = |experiment, version, receipt| {
            version_of(experiment, version, receipt).map(|found| found.map(Cow::into_owned))
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
        assert_eq!((experiment_of("a@b@7"), experiment_of("7")), (Some("a@b"), None));
    }
}
