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
//!
//! An arm that was given a name, by a TREC run, the header of a matrix or a file of names, is called by that alone, and
//! files have a further column, `name`. Names enter no seed: the same data under other names give the same numbers.

use std::collections::BTreeMap;

use bandits::Arm;
use letor_io::{FeatureId, Names};

/// The number of characters of a name in tables and figures.
const LONGEST: usize = 32;

/// How the arms of a run or an analysis are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmNames {
    numbering: Numbering,
    /// The names of those that were given one, in the order of the arms.
    user_names: Option<Names>,
}

/// How the arms of a run or an analysis are numbered at their origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbering {
    /// By their own 0-based number alone.
    Numbers,
    /// By their numbers in the matrix they were chosen from, in the order of the arms.
    Chosen(Vec<Arm>),
    /// By the features they rank by, in the order of the arms.
    Features(Vec<FeatureId>),
}

impl ArmNames {
    /// Arms with nothing but their own number.
    pub const NUMBERS: Self = Self { numbering: Numbering::Numbers, user_names: None };

    /// Names for the arms `chosen` from a matrix, in this order. If they are the first arms in order, both numbers
    /// agree, and these are [`NUMBERS`](Self::NUMBERS).
    #[must_use]
    pub fn chosen(chosen: Vec<Arm>) -> Self {
        if chosen.iter().enumerate().all(|(at, arm)| arm.index() == at) {
            return Self::NUMBERS;
        }
        Self { numbering: Numbering::Chosen(chosen), user_names: None }
    }

    /// Names for the rankers by these features, in the order of the arms.
    #[must_use]
    pub fn features(features: Vec<FeatureId>) -> Self {
        Self { numbering: Numbering::Features(features), user_names: None }
    }

    /// The same with names that were given to the arms, in the order of the arms.
    #[must_use]
    pub fn with_user_names(self, user_names: Option<Names>) -> Self {
        Self { user_names, ..self }
    }

    /// How the arms are numbered at their origin.
    #[must_use]
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The names that arms were given, if any was.
    #[must_use]
    pub fn user_names(&self) -> Option<&Names> {
        self.user_names.as_ref()
    }

    /// The names of the subset `arms`, which are renumbered from 0 in this order.
    ///
    /// # Panics
    /// If one of them does not exist or, having a name, occurs twice.
    #[must_use]
    pub fn subset(&self, arms: &[usize]) -> Self {
        let subset = match &self.numbering {
            Numbering::Numbers => Self::chosen(arms.iter().map(|&arm| Arm::at(arm)).collect()),
            Numbering::Chosen(numbers) => Self::chosen(arms.iter().map(|&arm| numbers[arm]).collect()),
            Numbering::Features(features) => Self::features(arms.iter().map(|&arm| features[arm]).collect()),
        };
        subset.with_user_names(self.user_names.as_ref().and_then(|given| given.subset(arms.iter().copied())))
    }

    /// The name of `arm`: the one it was given, otherwise its numbers, e.g. `feature 110 (arm 109)`.
    ///
    /// # Panics
    /// If there is no such arm.
    #[must_use]
    pub fn name(&self, arm: usize) -> String {
        self.given_name(arm).map_or_else(|| self.numbers(arm), str::to_owned)
    }

    /// The name that `arm` was given, if it was.
    #[must_use]
    pub fn given_name(&self, arm: usize) -> Option<&str> {
        self.user_names.as_ref()?.get(arm)
    }

    /// The cell of `arm` in a column of names: `None` if there is no such column, because no arm was given a name.
    #[must_use]
    pub fn cell(&self, arm: usize) -> Option<Option<String>> {
        self.user_names.as_ref().map(|given| given.get(arm).map(str::to_owned))
    }

    /// The headers of the columns on an arm beside its number: [`column`](Self::column) and, if names were
    /// given, `name`.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.column().into_iter().chain(self.user_names.as_ref().map(|_| "name"))
    }

    /// The same names, long ones cut in their middle, for tables and figures. They stay distinct.
    #[must_use]
    pub fn shortened(&self) -> Self {
        let Some(user_names) = &self.user_names else { return self.clone() };
        let short_names: Vec<Option<String>> = user_names.iter().map(|name| name.map(shortened)).collect();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        short_names.iter().flatten().for_each(|name| *uses.entry(name).or_default() += 1);
        let distinct = short_names.iter().enumerate().filter_map(|(arm, name)| {
            let name = name.as_deref()?;
            Some((arm, if uses[name] > 1 { format!("{name} (arm {arm})") } else { name.to_owned() }))
        });
        let distinct = Names::from_numbered(user_names.len(), distinct);
        Self { numbering: self.numbering.clone(), user_names: distinct.ok().or_else(|| self.user_names.clone()) }
    }

    fn numbers(&self, arm: usize) -> String {
        match &self.numbering {
            Numbering::Numbers => format!("arm {arm}"),
            Numbering::Chosen(numbers) => format!("arm {} ({arm} of those chosen)", numbers[arm].0),
            Numbering::Features(features) => format!("feature {} (arm {arm})", features[arm].0),
        }
    }

    /// The names of several arms in one phrase; arms beyond the tenth are only counted.
    ///
    /// # Panics
    /// If one of them does not exist.
    #[must_use]
    pub fn list(&self, arms: &[Arm]) -> String {
        const MAX_LISTED: usize = 10;
        let [arm] = arms else {
            let joined_names = |text: &dyn Fn(usize) -> String| {
                let texts: Vec<String> = arms.iter().take(MAX_LISTED).map(|arm| text(arm.index())).collect();
                texts.join(", ")
            };
            let remainder = match arms.len().saturating_sub(MAX_LISTED) {
                0 => String::new(),
                remainder => format!(" and {} more", output::numbers::with_separators(remainder as u64)),
            };
            if arms.iter().any(|arm| self.given_name(arm.index()).is_some()) {
                return format!("{}{remainder}", joined_names(&|arm| self.name(arm)));
            }
            let by_number = joined_names(&|arm| arm.to_string());
            let by_place = joined_names(&|arm| self.number(arm));
            return match self.numbering {
                Numbering::Numbers => format!("arms {by_number}{remainder}"),
                Numbering::Chosen(_) => format!("arms {by_place}{remainder} ({by_number}{remainder} of those chosen)"),
                Numbering::Features(_) => format!("features {by_place}{remainder} (arms {by_number}{remainder})"),
            };
        };
        self.name(arm.index())
    }

    /// The number of `arm` at its origin, for axes and columns: that of its feature, or in its matrix.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn number(&self, arm: usize) -> String {
        self.origin_number(arm).map_or_else(|| arm.to_string(), |number| number.to_string())
    }

    /// The same if it may differ from the number of the arm itself.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn origin_number(&self, arm: usize) -> Option<u32> {
        self.feature(arm).map(|feature| feature.0).or_else(|| self.arm_in_matrix(arm).map(|arm| arm.0))
    }

    /// The feature that `arm` ranks by, for feature rankers.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn feature(&self, arm: usize) -> Option<FeatureId> {
        if let Numbering::Features(features) = &self.numbering { Some(features[arm]) } else { None }
    }

    /// The arm's number in its matrix, of chosen arms.
    ///
    /// # Panics
    /// As [`Self::name`].
    #[must_use]
    pub fn arm_in_matrix(&self, arm: usize) -> Option<Arm> {
        if let Numbering::Chosen(numbers) = &self.numbering { Some(numbers[arm]) } else { None }
    }

    /// The header of a column of [`Self::origin_number`]; `None` if it would repeat the column of arms.
    #[must_use]
    pub fn column(&self) -> Option<&'static str> {
        match self.numbering {
            Numbering::Numbers => None,
            Numbering::Chosen(_) => Some("arm_in_matrix"),
            Numbering::Features(_) => Some("feature"),
        }
    }
}

/// A name for a table or a figure: of more than [`LONGEST`] characters, the first and the last ones.
fn shortened(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= LONGEST {
        return name.to_owned();
    }
    let kept_chars = LONGEST - 1;
    let (head, tail) = (&characters[..kept_chars.div_ceil(2)], &characters[characters.len() - kept_chars / 2..]);
    let (head, tail): (String, String) = (head.iter().collect(), tail.iter().collect());
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_both_numbers_if_they_differ() {
        let chosen = ArmNames::chosen(vec![Arm(0), Arm(9), Arm(105)]);
        let features = ArmNames::features([1, 10, 106].map(FeatureId).to_vec());
        assert_eq!(ArmNames::NUMBERS.name(2), "arm 2");
        assert_eq!(chosen.name(2), "arm 105 (2 of those chosen)");
        assert_eq!(features.name(2), "feature 106 (arm 2)");
        let numbers = [&ArmNames::NUMBERS, &chosen, &features].map(|names| (names.column(), names.number(2)));
        assert_eq!(
            numbers.each_ref().map(|(column, number)| (*column, number.as_str())),
            [(None, "2"), (Some("arm_in_matrix"), "105"), (Some("feature"), "106")]
        );
        assert_eq!(chosen.list(&[Arm(1)]), "arm 9 (1 of those chosen)");
        assert_eq!(chosen.list(&[Arm(2), Arm(1)]), "arms 105, 9 (2, 1 of those chosen)");
        assert_eq!(features.list(&[Arm(2), Arm(1)]), "features 106, 10 (arms 2, 1)");
        let many: Vec<Arm> = (0..12).map(Arm).collect();
        assert_eq!(ArmNames::NUMBERS.list(&many), "arms 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
    }

    #[test]
    fn a_subset_of_a_subset_keeps_the_numbers_in_the_matrix() {
        assert_eq!(ArmNames::chosen(vec![Arm(0), Arm(1)]), ArmNames::NUMBERS, "both numbers agree");
        let chosen = ArmNames::NUMBERS.subset(&[3, 5, 8]);
        assert_eq!(chosen.subset(&[0, 2]), ArmNames::chosen(vec![Arm(3), Arm(8)]));
        assert_eq!(chosen.subset(&[0, 1, 2]), chosen);
        let features = ArmNames::features([7, 8].map(FeatureId).to_vec());
        assert_eq!(features.subset(&[1]).name(0), "feature 8 (arm 0)");
    }
    #[test]
    fn given_names_replace_numbers() {
        let names = Names::from_numbered(4, [(0, "bm25"), (1, "ltr"), (3, "a, b")]).unwrap();
        let features = ArmNames::features([3, 5, 8, 9].map(FeatureId).to_vec()).with_user_names(Some(names));
        assert_eq!([0, 2, 3].map(|arm| features.name(arm)), ["bm25", "feature 8 (arm 2)", "a, b"]);
        assert_eq!(features.list(&[Arm(1), Arm(0), Arm(2)]), "ltr, bm25, feature 8 (arm 2)");
        assert_eq!(features.list(&[Arm(2)]), "feature 8 (arm 2)");
        assert_eq!((features.number(0), features.column()), ("3".to_owned(), Some("feature")));
        let subset = features.subset(&[3, 2]);
        assert_eq!([0, 1].map(|arm| subset.name(arm)), ["a, b", "feature 8 (arm 1)"]);
        let nameless = features.subset(&[2]);
        assert_eq!(nameless, ArmNames::features(vec![FeatureId(8)]));
    }
    #[test]
    fn long_names_are_cut_in_their_middle_and_stay_distinct() {
        let long = |middle: &str| format!("bm25+rm3-with-k1=0.9{middle}fbdocs=10-fbterms=30");
        let given = Names::new(["ltr".to_owned(), long("-b=0.4-"), long("-b=0.5-"), "検".repeat(40)]).unwrap();
        let names = ArmNames::NUMBERS.with_user_names(Some(given));
        let short = names.shortened();
        assert_eq!(
            (0..4).map(|arm| short.name(arm)).collect::<Vec<_>>(),
            [
                "ltr".to_owned(),
                "bm25+rm3-with-k1…s=10-fbterms=30 (arm 1)".to_owned(),
                "bm25+rm3-with-k1…s=10-fbterms=30 (arm 2)".to_owned(),
                format!("{}…{}", "検".repeat(16), "検".repeat(15)),
            ]
        );
        assert_eq!(names.cell(0), Some(Some("ltr".to_owned())));
        assert_eq!((ArmNames::NUMBERS.cell(0), ArmNames::NUMBERS.columns().count()), (None, 0));
    }
}
