//! A site that is ready for simulation.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use interleave::ProbabilisticInterleave;
use letor_io::Dataset;
use rankers::Gain;

use crate::description::{Effort, SiteDescription};
use crate::site::{MixingMethods, Site};
use crate::truth::{GroundTruth, TruthEstimation};

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
