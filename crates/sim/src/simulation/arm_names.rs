//! The names of arms on the console, in figures and in files.
//!
//! Runs and analyses number their arms from 0. Arms that are a selection from a matrix, or features of a data set, also
//! have a number of their own there, and outputs give both:
//!
//! | arms are | text | additional column |
//! |---|---|---|
//! | all arms of a matrix or problem | `arm 109` | none: it would repeat the arm |
//! | arms chosen from a matrix | `arm 105 (8 of those chosen)` | `arm_in_matrix`: 105 beside 8 |
//! | feature rankers | `feature 110 (arm 109)` | `feature`: 110 beside 109 |

use bandits::Arm;
use letor_io::FeatureId;

/// How the arms of a run or an analysis are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArmNames {
    /// By their own 0-based number alone.
    Numbers,
    /// By their numbers in the matrix they were chosen from, in the order of the arms.
    Chosen(Vec<Arm>),
    /// By the features they rank by, in the order of the arms.
    Features(Vec<FeatureId>),
}

impl ArmNames {
    /// Names for the arms `chosen` from a matrix, in this order. If they are the first arms in order, both numbers
    /// agree, and this is [`Numbers`](Self::Numbers).
    #[must_use]
    pub fn chosen(chosen: Vec<Arm>) -> Self {
        if chosen.iter().enumerate().all(|(at, arm)| arm.index() == at) { Self::Numbers } else { Self::Chosen(chosen) }
    }

    /// The names of the subset `arms`, which are renumbered from 0 in this order.
    ///
    /// # Panics
    /// If one of them does not exist.
    #[must_use]
    pub fn subset(&self, arms: &[usize]) -> Self {
        match self {
            Self::Numbers => Self::chosen(arms.iter().map(|&arm| Arm::at(arm)).collect()),
            Self::Chosen(numbers) => Self::chosen(arms.iter().map(|&arm| numbers[arm]).collect()),
            Self::Features(features) => Self::Features(arms.iter().map(|&arm| features[arm]).collect()),
        }
    }

    /// The full name of `arm`, e.g. `feature 110 (arm 109)`.
    ///
    /// # Panics
    /// If there is no such arm.
    #[must_use]
    pub fn name(&self, arm: usize) -> String {
        match self {
            Self::Numbers => format!("arm {arm}"),
            Self::Chosen(numbers) => format!("arm {} ({arm} of those chosen)", numbers[arm].0),
            Self::Features(features) => of_feature(features[arm], arm),
        }
    }

    /// The full names of several arms in one phrase; arms beyond the tenth are only counted.
    ///
    /// # Panics
    /// If one of them does not exist.
    #[must_use]
    pub fn list(&self, arms: &[Arm]) -> String {
        const MOST: usize = 10;
        let [arm] = arms else {
            let numbers = |number: &dyn Fn(usize) -> String| {
                let shown: Vec<String> = arms.iter().take(MOST).map(|arm| number(arm.index())).collect();
                shown.join(", ")
            };
            let more = match arms.len().saturating_sub(MOST) {
                0 => String::new(),
                more => format!(" and {} more", crate::output::numbers::with_separators(more as u64)),
            };
            let own = numbers(&|arm| arm.to_string());
            let theirs = numbers(&|arm| self.number(arm));
            return match self {
                Self::Numbers => format!("arms {own}{more}"),
                Self::Chosen(_) => format!("arms {theirs}{more} ({own}{more} of those chosen)"),
                Self::Features(_) => format!("features {theirs}{more} (arms {own}{more})"),
            };
        };
        self.name(arm.index())
    }

    /// The number of `arm` where it comes from, for axes and columns: that of its feature, or in its matrix.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn number(&self, arm: usize) -> String {
        self.elsewhere(arm).map_or_else(|| arm.to_string(), |number| number.to_string())
    }

    /// The same if it may differ from the number of the arm itself.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn elsewhere(&self, arm: usize) -> Option<u32> {
        self.feature(arm).map(|feature| feature.0).or_else(|| self.arm_in_matrix(arm).map(|arm| arm.0))
    }

    /// The feature that `arm` ranks by, for feature rankers.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn feature(&self, arm: usize) -> Option<FeatureId> {
        if let Self::Features(features) = self { Some(features[arm]) } else { None }
    }

    /// The arm's number in its matrix, of chosen arms.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn arm_in_matrix(&self, arm: usize) -> Option<Arm> {
        if let Self::Chosen(numbers) = self { Some(numbers[arm]) } else { None }
    }

    /// The header of a column of [`Self::elsewhere`]; `None` if it would repeat the column of arms.
    #[must_use]
    pub fn column(&self) -> Option<&'static str> {
        match self {
            Self::Numbers => None,
            Self::Chosen(_) => Some("arm_in_matrix"),
            Self::Features(_) => Some("feature"),
        }
    }
}

/// The name of a feature ranker: features are 1-based, as in data files, and arms 0-based.
#[must_use]
pub fn of_feature(feature: FeatureId, arm: usize) -> String {
    format!("feature {} (arm {arm})", feature.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_both_numbers_if_they_differ() {
        let chosen = ArmNames::chosen(vec![Arm(0), Arm(9), Arm(105)]);
        let features = ArmNames::Features([1, 10, 106].map(FeatureId).to_vec());
        assert_eq!(ArmNames::Numbers.name(2), "arm 2");
        assert_eq!(chosen.name(2), "arm 105 (2 of those chosen)");
        assert_eq!(features.name(2), "feature 106 (arm 2)");
        let numbers = [&ArmNames::Numbers, &chosen, &features].map(|names| (names.column(), names.number(2)));
        assert_eq!(
            numbers.each_ref().map(|(column, number)| (*column, number.as_str())),
            [(None, "2"), (Some("arm_in_matrix"), "105"), (Some("feature"), "106")]
        );
        assert_eq!(chosen.list(&[Arm(1)]), "arm 9 (1 of those chosen)");
        assert_eq!(chosen.list(&[Arm(2), Arm(1)]), "arms 105, 9 (2, 1 of those chosen)");
        assert_eq!(features.list(&[Arm(2), Arm(1)]), "features 106, 10 (arms 2, 1)");
        let many: Vec<Arm> = (0..12).map(Arm).collect();
        assert_eq!(ArmNames::Numbers.list(&many), "arms 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
    }

    #[test]
    fn a_subset_of_a_subset_keeps_the_numbers_in_the_matrix() {
        assert_eq!(ArmNames::chosen(vec![Arm(0), Arm(1)]), ArmNames::Numbers, "both numbers agree");
        let chosen = ArmNames::Numbers.subset(&[3, 5, 8]);
        assert_eq!(chosen.subset(&[0, 2]), ArmNames::Chosen(vec![Arm(3), Arm(8)]));
        assert_eq!(chosen.subset(&[0, 1, 2]), chosen);
        let features = ArmNames::Features([7, 8].map(FeatureId).to_vec());
        assert_eq!(features.subset(&[1]).name(0), "feature 8 (arm 0)");
    }
}
