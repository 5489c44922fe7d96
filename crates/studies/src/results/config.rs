//! The resolved configurations of studies, written as `config.json`.

use std::collections::BTreeMap;

use bandits::RegretKind;
use bandits::registry::Spec;
use serde::Serialize;
use simulation::description::{Effort, SiteDescription};
use simulation::late_answers::LateAnswers;
use simulation::runs::evidence::EvidencePlan;
use simulation::seed::Streams;
use simulation::truth::GroundTruth;

use super::Environment;

/// The version that results name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The algorithms of a study. The revisions say whether runs that a folder holds are of the same code.
#[derive(Debug, Clone, Serialize)]
pub struct AlgorithmNames {
    /// With all their parameters.
    pub algorithms: Vec<String>,
    /// The revisions of those from outside, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub own_algorithms: BTreeMap<String, u32>,
}

impl AlgorithmNames {
    /// The names of these algorithms.
    #[must_use]
    pub fn of(algorithms: &[Spec]) -> Self {
        let own_algorithms = algorithms.iter().filter(|spec| spec.is_outside());
        Self {
            algorithms: algorithms.iter().map(Spec::canonical).collect(),
            own_algorithms: own_algorithms.map(|spec| (spec.canonical(), spec.entry().revision)).collect(),
        }
    }
}

/// The configuration of live runs.
#[derive(Debug, Clone, Serialize)]
pub struct LiveConfig {
    /// `live`.
    pub command: &'static str,
    /// [`VERSION`].
    pub version: &'static str,
    /// The master seed.
    pub seed: u64,
    /// Steps per run.
    pub steps: u64,
    /// Runs per algorithm.
    pub runs: u64,
    /// Per decade.
    pub checkpoints: u32,
    /// What plays.
    #[serde(flatten)]
    pub algorithms: AlgorithmNames,
    /// The kind of regret; in the key of a folder, the requested one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regret: Option<RegretKind>,
    /// Data, rankers and users.
    pub site: SiteDescription,
    /// Where impressions are drawn from.
    #[serde(skip_serializing_if = "Streams::is_sequential")]
    pub streams: Streams,
    /// How late answers come.
    #[serde(flatten)]
    pub late: LateAnswers,
    /// How well the truth is known.
    pub truth_effort: Effort,
    /// Null in the key of a study without; left out of its results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Option<EvidencePlan>>,
    /// Left out of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<GroundTruth>,
}

/// The configuration of runs on a matrix or a problem.
#[derive(Debug, Clone, Serialize)]
pub struct BanditConfig {
    /// `bandit`.
    pub command: &'static str,
    /// [`VERSION`].
    pub version: &'static str,
    /// The master seed.
    pub seed: u64,
    /// Steps per run.
    pub steps: u64,
    /// Runs per algorithm.
    pub runs: u64,
    /// Per decade.
    pub checkpoints: u32,
    /// What plays.
    #[serde(flatten)]
    pub algorithms: AlgorithmNames,
    /// The kind of regret.
    pub regret: RegretKind,
    /// Null in the key of a study without; left out of its results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Option<EvidencePlan>>,
    /// How late answers come.
    #[serde(flatten)]
    pub late: LateAnswers,
    /// What was played on.
    pub environment: Environment,
}
