//! An open site, and the ground truth that regret on it is counted from.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, ensure};
use bandits::RegretKind;
use clap::Args;
use output::numbers::parse_above_zero;
use output::usage::usage;
use simulation::description::Effort;
use simulation::prepared_site::PreparedSite;
use simulation::truth::{GroundTruth, regret_kind};

use crate::results::RegretBasis;

/// How well the ground truth of live runs should be known, and where it is kept.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct TruthRequest {
    /// Comparisons behind the ground truth, as a multiple of the default: 0.1 starts sooner, 10 resolves a winner that is
    /// called not resolved. Each effort is kept separately; steps and runs do not matter
    #[arg(
        long = "truth-effort",
        id = "truth_effort",
        value_name = "FACTOR",
        default_value_t = 1.0,
        value_parser = parse_effort,
        help_heading = "Runs and results"
    )]
    pub effort: f64,

    /// Folder that keeps estimated ground truths for later runs [default: results/.cache]
    #[arg(long, value_name = "FOLDER", help_heading = "Runs and results")]
    pub cache: Option<PathBuf>,
}

impl TruthRequest {
    /// Checks the effort where no parser of flags did.
    ///
    /// # Errors
    /// If it is not between a thousandth and a thousand.
    pub fn check(&self) -> Result<()> {
        let Self { effort, .. } = *self;
        ensure!(
            EFFORTS.contains(&effort),
            usage(format!("--truth-effort: expected a factor from 0.001 to 1000, found {effort}"))
        );
        Ok(())
    }

    /// The effort for as many rankers.
    #[must_use]
    pub fn effort(&self, arms: usize) -> Effort {
        Effort::for_arms(arms).times(self.effort)
    }

    /// The part of a folder name for the effort; empty for the default.
    #[must_use]
    pub fn folder_suffix(&self) -> String {
        if self.effort == 1.0 { String::new() } else { format!("-truth-effort-{}", self.effort) }
    }
}

const EFFORTS: RangeInclusive<f64> = 0.001..=1000.0;

/// A factor between a thousandth and a thousand.
fn parse_effort(text: &str) -> Result<f64, String> {
    match parse_above_zero(text)? {
        factor if EFFORTS.contains(&factor) => Ok(factor),
        _ => Err("expected a factor from 0.001 to 1000".to_owned()),
    }
}

/// Data, rankers and users in memory, ready for any number of studies.
pub struct OpenSite {
    /// What impressions are simulated with.
    pub prepared: PreparedSite,
    /// The folder that keeps ground truths, unless a request names another; `None` for none.
    cache: Option<PathBuf>,
    /// Ground truths estimated so far, by seed and effort.
    truths: Mutex<BTreeMap<(u64, u64), GroundTruth>>,
}

impl OpenSite {
    /// A prepared site; ground truths are kept in the folder `cache`, unless a request names another.
    #[must_use]
    pub fn new(prepared: PreparedSite, cache: Option<PathBuf>) -> Self {
        Self { prepared, cache, truths: Mutex::default() }
    }

    /// The best ranker and every ranker's gap to it.
    ///
    /// # Errors
    /// Those of [`PreparedSite::truth`].
    pub fn truth(&self, request: &TruthRequest, seed: u64, quiet: bool) -> Result<GroundTruth> {
        let key = (seed, request.effort.to_bits());
        let cached_truths = || self.truths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(truth) = cached_truths().get(&key) {
            return Ok(truth.clone());
        }
        let effort = request.effort(self.prepared.site.arms());
        let truth = match request.cache.as_ref().or(self.cache.as_ref()) {
            Some(cache) => self.prepared.truth(effort, seed, cache, quiet)?,
            None => self.prepared.estimated_truth(effort, seed, quiet)?,
        };
        cached_truths().insert(key, truth.clone());
        Ok(truth)
    }

    /// The same for live runs with this kind of regret, or the usual one. If regret is nDCG lost, no comparison is needed.
    ///
    /// # Errors
    /// Those of [`truth`](Self::truth), and if regret needs a Condorcet winner and there is none.
    pub fn truth_of(
        &self,
        regret: Option<RegretKind>,
        request: &TruthRequest,
        seed: u64,
        quiet: bool,
    ) -> Result<(GroundTruth, RegretBasis)> {
        regret_kind::check_live(regret)?;
        let truth = match regret {
            Some(RegretKind::Ndcg) => GroundTruth::of_ndcg(&self.prepared.ndcg()?),
            _ => self.truth(request, seed, quiet)?,
        };
        let kind = regret_kind::kind_of_live(regret, &truth)?;
        let synthetic = Some(self.prepared.description.dataset.synthetic);
        let regret_basis = RegretBasis::new(kind, &truth.gaps, synthetic);
        Ok((truth, regret_basis))
    }
}
