//! What the outcomes of runs prove.

use anyhow::{Result, ensure};
use clap::Args;
use output::numbers::{parse_confidence, parse_tolerance};
use output::usage::usage;
use simulation::runs::evidence::EvidencePlan;

/// Evidence that a ranker is the best, gathered while the algorithms play.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What outcomes prove")]
pub struct EvidenceRequest {
    /// Say at the end in which runs the outcomes prove which arm is the best, with this confidence, e.g. 0.95
    ///
    /// An arm is stated to be the best once there is enough evidence against each other arm that it wins more than half
    /// of the impressions that either of the two wins. However often one looks, and however the algorithm chooses, a run
    /// states an arm that does not win against all others with probability at most 1 minus the confidence. What an
    /// algorithm recommends needs no such proof. Ties count as ties. Every simulated impression is a user of its own.
    /// Algorithms that choose sets gather evidence on all pairs of a set; it says which ranker wins in lists mixed from
    /// such sets. The columns and fields on evidence are added to table, curves.csv, runs.csv and summary.json.
    #[arg(long, value_name = "P", value_parser = parse_confidence, conflicts_with = "stop_when")]
    evidence: Option<f64>,

    /// End a run once its outcomes prove which arm is the best, e.g. with confidence 0.95; it is shown alone from then on
    ///
    /// Reports what --evidence does. Until it ends, a run is the same as without this flag. Afterwards the stated arm is shown to everybody until the
    /// last step, and if it is not the best, its regret is counted: the curves of all algorithms are as long.
    #[arg(long, value_name = "P", value_parser = parse_confidence)]
    stop_when: Option<f64>,

    /// For --evidence and --stop-when: state an arm that is no worse than any other by more than this share of the
    /// impressions that either wins [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = parse_tolerance)]
    tolerance: Option<f64>,

    /// For --stop-when: also end a run whose remaining steps cannot be expected to prove which arm is the best
    ///
    /// That is so if they would not, even if all of them compared the arm with the most evidence to its hardest opponent
    /// and it won the largest share of them that its confidence interval allows. The arm that the algorithm recommends is
    /// then shown alone; nothing is stated.
    #[arg(long)]
    give_up: bool,
}

impl EvidenceRequest {
    /// Which evidence is gathered, if any.
    ///
    /// # Errors
    /// If a tolerance is given without evidence, or `--give-up` without `--stop-when`.
    pub fn plan(&self) -> Result<Option<EvidencePlan>> {
        let level = self.stop_when.or(self.evidence);
        ensure!(
            level.is_some() || self.tolerance.is_none(),
            usage(
                "--tolerance says how much worse than the best a stated arm may be; add --stop-when 0.95 or --evidence 0.95"
            )
        );
        ensure!(
            self.stop_when.is_some() || !self.give_up,
            usage("--give-up belongs to --stop-when; add --stop-when 0.95")
        );
        let plan = |level| EvidencePlan {
            level,
            margin: self.tolerance.unwrap_or(0.0),
            stops: self.stop_when.is_some(),
            gives_up: self.give_up,
        };
        Ok(level.map(plan))
    }

    /// The part of a folder name; empty without evidence.
    #[must_use]
    pub fn folder_suffix(&self) -> String {
        let suffixes = [
            self.evidence.map(|level| format!("-evidence-{level}")),
            self.stop_when.map(|level| format!("-stop-when-{level}")),
            self.tolerance.map(|tolerance| format!("-tolerance-{tolerance}")),
            self.give_up.then(|| "-give-up".to_owned()),
        ];
        suffixes.into_iter().flatten().collect()
    }
}
