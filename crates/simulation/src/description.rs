//! Descriptions of a site and of its ground truth, which accompany every result.

use std::collections::BTreeMap;

use clicks::{AnyClickModel, ClickModel, FractionalLabels};
use interleave::CreditTies;
use letor_io::{Dataset, FeatureId, Names, Null, Provenance};
use rankers::TieBreaking;
use serde::{Deserialize, Serialize};

use crate::arm_names::ArmNames;
use crate::site::MixingMethods;

/// The full description of a site with all defaults resolved, written as `site` into `config.json`.
///
/// Seeds and cache keys are derived from [`seed_text`](crate::seed_text), not from this type: its fields may be renamed or extended.
#[derive(Debug, Clone, Serialize)]
pub struct SiteDescription {
    /// The data set.
    pub dataset: DatasetDescription,
    /// The features behind the arms, 1-based, in the order of the arms.
    pub rankers: Vec<FeatureId>,
    /// The names that they were given, if any was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
    /// How rankers order documents with equal scores.
    pub tie_breaking: TieBreaking,
    /// How users click.
    pub click: ClickDescription,
    /// The largest number of documents that a user is shown.
    pub shown: u16,
    /// How two lists are mixed, with all parameters.
    pub interleave: String,
    /// How several lists are mixed, with all parameters.
    pub multileave: String,
    /// How tied documents are ordered when the interleaving of the ground truth credits clicks.
    pub credit_ties: CreditTies,
}

/// The name, checksum and size of a data set.
#[derive(Debug, Clone, Serialize)]
pub struct DatasetDescription {
    /// The name it was requested by.
    pub name: String,
    /// Whether it was generated.
    pub synthetic: bool,
    /// SHA-256 of its content, in hexadecimal.
    pub checksum: String,
    /// The number of queries.
    pub queries: usize,
    /// The number of documents of all queries together.
    pub documents: usize,
    /// The highest feature number.
    pub features: u32,
    /// How NULL was read, if that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null: Option<Null>,
}

/// A click model with its probabilities.
#[derive(Debug, Clone, Serialize)]
pub struct ClickDescription {
    /// Its name, or the text that defines it.
    pub model: String,
    /// P(click | grade, examined), by grade.
    pub click: Vec<f64>,
    /// P(stop | grade, clicked), by grade; empty for models of users who never stop.
    pub stop: Vec<f64>,
    /// How fractional labels become grades.
    pub fractional_labels: FractionalLabels,
    /// P(examined) by position shown; only for position-based models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examination: Option<Vec<f64>>,
    /// Further probabilities of models that have any, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other: BTreeMap<&'static str, Vec<f64>>,
}

impl ClickDescription {
    fn new(clicks: &AnyClickModel, fractional_labels: FractionalLabels, shown: u16) -> Self {
        let model = clicks.name().to_owned();
        let mut tables: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
        for mut table in clicks.tables() {
            table.truncate(usize::from(shown));
            tables.insert(table.name, table.values);
        }
        let mut take = |name| tables.remove(name);
        let (click, stop) = (take("click").unwrap_or_default(), take("stop").unwrap_or_default());
        let examination = take("examination");
        Self { model, click, stop, fractional_labels, examination, other: tables }
    }
}

impl SiteDescription {
    pub(crate) fn new(
        dataset: &Dataset,
        rankers: Vec<FeatureId>,
        tie_breaking: TieBreaking,
        (clicks, fractional_labels): (&AnyClickModel, FractionalLabels),
        shown: u16,
        methods: &MixingMethods,
        credit_ties: CreditTies,
    ) -> Self {
        let names = dataset.feature_names();
        Self {
            names: names.and_then(|names| names.subset(rankers.iter().map(|feature| feature.0 as usize - 1))),
            dataset: DatasetDescription {
                name: dataset.name().to_owned(),
                synthetic: matches!(dataset.provenance(), Provenance::LookAlike { .. }),
                checksum: dataset.checksum(),
                queries: dataset.queries(),
                documents: dataset.documents(),
                features: dataset.features(),
                null: None,
            },
            rankers,
            tie_breaking,
            click: ClickDescription::new(clicks, fractional_labels, shown),
            shown,
            interleave: methods.interleaving.to_string(),
            multileave: methods.multileaving.to_string(),
            credit_ties,
        }
    }

    /// The name of an arm: that of its feature, or e.g. `feature 110 (arm 109)`.
    ///
    /// # Panics
    /// If there is no such arm.
    #[must_use]
    pub fn label(&self, arm: usize) -> String {
        self.names().name(arm)
    }

    /// The names of all arms.
    #[must_use]
    pub fn names(&self) -> ArmNames {
        ArmNames::features(self.rankers.clone()).with_user_names(self.names.clone())
    }

    /// A note for figures and tables of synthetic data; `None` for real data.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.dataset.synthetic.then(|| synthetic_note(&self.dataset.name))
    }
}

/// The note of results on the generated data `name`, which may be several with commas.
#[must_use]
pub fn synthetic_note(name: &str) -> String {
    match name.split(',').collect::<Vec<_>>().as_slice() {
        [first @ .., last] if !first.is_empty() => {
            format!("synthetic data: {} and {last} are generated, not real data sets", first.join(", "))
        }
        _ => format!("synthetic data: {name} is generated, not the real data set"),
    }
}

/// How many comparisons to spend on the ground truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Comparisons per pair in the first, coarse round.
    pub coarse: u64,
    /// Comparisons per pair in the winner's row, and the most per pair in the row of another contender.
    pub fine: u64,
    /// The most comparisons spent on the rows of contenders, over all rounds.
    pub budget: u64,
}

impl Effort {
    /// The default for `arms` rankers: about ten seconds on two cores.
    #[must_use]
    pub fn for_arms(arms: usize) -> Self {
        let pairs = (arms * arms.saturating_sub(1) / 2).max(1) as u64;
        Self { coarse: (20_000_000 / pairs).clamp(100, 20_000), fine: 200_000, budget: 60_000_000 }
    }

    /// `factor` times as many comparisons, and at least a few; unchanged for 1.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and the cast saturates")]
        let times = |count: u64, min: u64| ((count as f64 * factor).round() as u64).max(min.min(count));
        Self { coarse: times(self.coarse, 20), fine: times(self.fine, 1_000), budget: times(self.budget, 100_000) }
    }
}
