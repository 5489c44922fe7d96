//! How the rankers of an impression were chosen, which decides which outcomes of a unit may count.
//!
//! A unit's wins minus losses, summed up, are fair between equal rankers only if outcomes do not decide where the sum ends. A bandit
//! ends it by what it has seen: it stops showing a pair *because of* that unit's outcomes, and a sum that stops itself has no
//! fair sign, even if users differ in taste alone and their tastes are fair on average.

use std::collections::BTreeSet;

/// How the rankers of impressions were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairChoice {
    /// Never by outcomes: always the same, by lot, or by a plan.
    Chance,
    /// By outcomes, but a unit keeps its first pair for life.
    Kept,
    /// By outcomes, at every impression. Of a unit, only the very first impression counts for verdicts.
    Steered,
}

impl PairChoice {
    /// All of them, the one that says most first.
    pub const ALL: [Self; 3] = [Self::Chance, Self::Kept, Self::Steered];

    /// Its name in flags, logs and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chance => "chance",
            Self::Kept => "kept",
            Self::Steered => "steered",
        }
    }
}

impl std::str::FromStr for PairChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|choice| choice.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown way of choosing pairs {}; expected one of {names}", ranktypes::text::excerpt(text))
        })
    }
}

/// The source of how pairs were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidBy {
    /// The settings of the analysis.
    Settings,
    /// The log.
    Log,
    /// The rankers that met: it follows from them.
    Rankers,
}

impl SaidBy {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Log => "log",
            Self::Rankers => "rankers",
        }
    }
}

/// Statements of the impressions of a log, or of a part of it, about how their rankers were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PairChoices {
    /// The ways that some impressions declare.
    pub declared: BTreeSet<PairChoice>,
    /// The sets of rankers of impressions that say nothing, each in the order of names.
    pub undeclared: BTreeSet<Vec<String>>,
    /// Whether some that say nothing may have shown the list of one ranker alone.
    pub has_alone: bool,
}

impl PairChoices {
    /// Adds what an impression of these rankers says; `may_be_alone`, if it may be the list of one alone.
    pub fn add(&mut self, rankers: &[String], declared: Option<PairChoice>, may_be_alone: bool) {
        match declared {
            Some(choice) => {
                self.declared.insert(choice);
            }
            None => {
                let mut rankers = rankers.to_vec();
                rankers.sort_unstable();
                self.undeclared.insert(rankers);
                self.has_alone |= may_be_alone;
            }
        }
    }

    /// Adds another part of the log.
    pub fn merge(&mut self, other: Self) {
        self.declared.extend(other.declared);
        self.undeclared.extend(other.undeclared);
        self.has_alone |= other.has_alone;
    }

    /// How pairs were chosen, and the source: `stated` by the settings, else the most careful way that impressions declare. Those
    /// that declare none were chosen by chance if all of them mix the same rankers, else they may have been steered. That a
    /// unit keeps its pair is never inferred.
    #[must_use]
    pub fn resolve(&self, stated: Option<PairChoice>) -> (PairChoice, SaidBy) {
        if let Some(choice) = stated {
            return (choice, SaidBy::Settings);
        }
        let all: BTreeSet<&String> = self.undeclared.iter().flatten().collect();
        // A short list of one team does not name the other ranker, but of two there is only one other.
        let are_same = !self.has_alone && (all.len() <= 2 || self.undeclared.len() == 1);
        let inferred = if are_same { PairChoice::Chance } else { PairChoice::Steered };
        match self.declared.last().copied() {
            None => (inferred, SaidBy::Rankers),
            Some(declared) if self.undeclared.is_empty() || declared >= inferred => (declared, SaidBy::Log),
            Some(_) => (inferred, SaidBy::Rankers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_careful_choice_counts() {
        use PairChoice::{Chance, Kept, Steered};
        let choices = |all: &[(&[&str], Option<PairChoice>)]| {
            let mut choices = PairChoices::default();
            for (rankers, declared) in all {
                let rankers: Vec<String> = rankers.iter().map(ToString::to_string).collect();
                choices.add(&rankers, *declared, false);
            }
            choices
        };
        let [ab, ba, ac, all]: [&[&str]; 4] = [&["A", "B"], &["B", "A"], &["A", "C"], &["A", "B", "C"]];
        for (said, expected) in [
            (choices(&[]), (Chance, SaidBy::Rankers)),
            (choices(&[(ab, None), (ba, None), (&["A"], None)]), (Chance, SaidBy::Rankers)),
            (choices(&[(ab, None), (ac, None)]), (Steered, SaidBy::Rankers)),
            (choices(&[(all, None)]), (Chance, SaidBy::Rankers)),
            (choices(&[(all, None), (ab, None)]), (Steered, SaidBy::Rankers)),
            (choices(&[(ab, Some(Chance)), (ac, Some(Chance))]), (Chance, SaidBy::Log)),
            (choices(&[(ab, Some(Kept)), (ac, Some(Chance))]), (Kept, SaidBy::Log)),
            (choices(&[(ab, Some(Steered)), (ab, Some(Chance))]), (Steered, SaidBy::Log)),
            (choices(&[(ab, Some(Kept)), (ab, None)]), (Kept, SaidBy::Log)),
            (choices(&[(ab, Some(Kept)), (ab, None), (ac, None)]), (Steered, SaidBy::Rankers)),
        ] {
            assert_eq!(said.resolve(None), expected, "{said:?}");
            assert_eq!(said.resolve(Some(Kept)), (Kept, SaidBy::Settings));
        }
        let mut alone = choices(&[(ab, None)]);
        alone.add(&["A".to_owned()], None, true);
        assert_eq!(alone.resolve(None), (Steered, SaidBy::Rankers));
        assert_eq!("steered".parse(), Ok(Steered));
        assert!("random".parse::<PairChoice>().unwrap_err().contains("chance, kept, steered"));
    }
}
