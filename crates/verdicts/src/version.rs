//! Versions of an experiment: outcomes of two are never added up.

use std::collections::BTreeSet;

use ranktypes::text::excerpt;

use super::pair_choice::{PairChoice, PairChoices, SaidBy};

/// The name of impressions without a version where others have one.
pub const UNNAMED_VERSION: &str = "no version named";

/// The declarations of all impressions of a version of the experiment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VersionDeclarations {
    /// All rankers.
    pub rankers: BTreeSet<String>,
    /// How they were chosen.
    pub choices: PairChoices,
}

impl VersionDeclarations {
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
    /// The source of `choice`.
    pub said_by: SaidBy,
    /// The most careful way of choosing that impressions declare.
    pub declared: Option<PairChoice>,
}

/// The experiment of a version, if it names one.
#[must_use]
pub fn experiment_name(version: &str) -> Option<&str> {
    version.rsplit_once('@').map(|(experiment, _)| experiment)
}

/// Why a version is refused, if it is: it is written into tables and on terminals.
#[must_use]
pub fn wrong_version(version: &str) -> Option<String> {
    ranktypes::text::check_name(version).err().map(|fault| format!("the version {} {fault}", excerpt(version)))
}
