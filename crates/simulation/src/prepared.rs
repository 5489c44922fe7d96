//! A site that is ready for simulation, and its description, which accompanies every result.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use clicks::{AnyClickModel, ClickModel, FractionalLabels};
use interleave::{CreditTies, ProbabilisticInterleave};
use letor_io::{Dataset, FeatureId, Names, Null, Provenance};
use rankers::{Gain, TieBreaking};
use serde::Serialize;

use crate::arm_names::ArmNames;
use crate::live_arena::MixingMethods;
use crate::seed_text::{Seeded, seed_text};
use crate::site::Site;
use crate::truth::{Effort, GroundTruth, TruthEstimation};

/// A data set with rankers and users, and how lists are mixed for them.
#[derive(Debug)]
pub struct PreparedSite {
    /// The data set.
    pub dataset: Arc<Dataset>,
    /// Its queries, lists and users.
    pub site: Site,
    /// How live lists are mixed.
    pub methods: MixingMethods,
    /// The interleaving that the ground truth is measured with.
    pub pairwise: ProbabilisticInterleave,
    /// The full description of all of this.
    pub description: SiteDescription,
}

impl PreparedSite {
    /// The best ranker and the gap of every ranker to it, read from the folder `cache` if it is there, and otherwise
    /// estimated and stored. `seed` is the master seed.
    ///
    /// # Errors
    /// If the cache cannot be written, or nDCG is needed and cannot be computed.
    pub fn truth(&self, effort: Effort, seed: u64, cache: &Path, quiet: bool) -> Result<GroundTruth> {
        let estimation = TruthEstimation { site: &self.site, method: &self.pairwise, effort, seed, quiet };
        estimation.establish(&self.description, cache, || self.ndcg())
    }

    /// The same, estimated in any case and stored nowhere.
    ///
    /// # Errors
    /// If nDCG is needed and cannot be computed, or memory has no room for the counts of all pairs.
    pub fn estimated_truth(&self, effort: Effort, seed: u64, quiet: bool) -> Result<GroundTruth> {
        let estimation = TruthEstimation { site: &self.site, method: &self.pairwise, effort, seed, quiet };
        estimation.estimate(|| self.ndcg())
    }

    /// nDCG@10 of every ranker, with exponential gains.
    ///
    /// # Errors
    /// Those of [`Rankings::ndcg`](rankers::Rankings::ndcg).
    pub fn ndcg(&self) -> Result<Vec<f64>> {
        Ok(self.site.rankings().ndcg(self.dataset.labels(), 10, Gain::Exponential)?)
    }
}

/// The full description of a site with all defaults resolved, written as `site` into `config.json`.
///
/// Seeds and cache keys are derived from [`seed_text`], not from this type: its fields may be renamed or extended.
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
    /// P(stop | grade, clicked), by grade; empty for models whose users never stop.
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
    pub(super) fn new(
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

    /// The text that the seeds of runs on this site are derived from.
    #[must_use]
    pub fn seed_text(&self) -> String {
        seed_text(Seeded::Site(self))
    }

    /// What an arm is called: the name of its feature, or e.g. `feature 110 (arm 109)`.
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
        ArmNames::features(self.rankers.clone()).called(self.names.clone())
    }

    /// A note for figures and tables of synthetic data; `None` for real data.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.dataset
            .synthetic
            .then(|| format!("synthetic data: {} is generated, not the real data set", self.dataset.name))
    }
}
