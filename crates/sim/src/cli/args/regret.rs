//! The flag that says what regret measures.

use anyhow::Result;
use bandits::RegretKind;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use simulation::truth::of_preferences;

/// What regret measures.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs and results")]
pub(in crate::cli) struct RegretArgs {
    /// What regret measures: condorcet (P that the best arm beats those played, minus 1/2), weak or strong (the same
    /// against the strongest or the weakest of those played), copeland, borda, von-neumann or ndcg [default: condorcet;
    /// without a Condorcet winner copeland on a matrix, ndcg live]
    ///
    /// A step costs the mean over the arms played, with weak and strong regret the smallest or the largest of their
    /// costs. copeland: how much smaller a share of the other arms an arm beats than the best arm; borda: how much lower
    /// its mean probability of beating another arm is; von-neumann: P that an arm drawn from the von Neumann winner, a
    /// lottery that no arm beats, beats it, minus 1/2; ndcg: nDCG@10 lost. condorcet, weak and strong need an arm that
    /// beats all others. A matrix has all kinds but ndcg; a live run, which estimates only the best ranker's row of the
    /// matrix, has condorcet, weak, strong and ndcg.
    ///
    /// Where every arm is optimal (by Copeland score e.g. in every cycle of three arms), regret measures nothing: the
    /// table, summary.json and the figure say so, and no recommendation counts as correct.
    ///
    /// The kind of regret changes no choice of an algorithm.
    #[arg(long, value_name = "KIND", value_parser = kinds(), hide_possible_values = true)]
    regret: Option<RegretKind>,
}

/// Reads the name of a kind; help and completions know the names.
fn kinds() -> impl clap::builder::TypedValueParser<Value = RegretKind> {
    let names = PossibleValuesParser::new(RegretKind::ALL.map(RegretKind::name));
    names.map(|name| name.parse().expect("one of the names"))
}

impl RegretArgs {
    /// The kind that was asked for, if any.
    pub(in crate::cli) fn given(&self) -> Option<RegretKind> {
        self.regret
    }

    /// Refuses kinds that a live run cannot measure.
    pub(in crate::cli) fn check_live(&self) -> Result<()> {
        of_preferences::check_live(self.regret)
    }

    /// The part of a folder name for the kind; empty for `usual`, the default.
    pub(in crate::cli) fn part(&self, usual: RegretKind) -> String {
        self.regret.filter(|kind| *kind != usual).map_or_else(String::new, |kind| format!("-regret-{kind}"))
    }
}
