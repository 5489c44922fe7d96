//! Who won: the words and numbers of `click-logs decide`, from the rows of days that are closed.

use click_logs::decide::{By, Decision, decide, report};
use click_logs::join::{Day, DayCounts};
use click_logs::outcomes::Outcomes;

use super::experiment::Experiment;

/// What an experiment says about its rankers.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The numbers.
    pub decision: Decision,
    /// In words, the most important first.
    pub report: String,
}

impl Experiment {
    /// The outcomes of the days that are closed, as `click-logs credit` writes them: the same log gives the same rows.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let day = |&(day, row): &(i32, super::Row)| Day {
            version: 0,
            day,
            pair: (row.pair.0 as usize, row.pair.1 as usize),
            counts: DayCounts { units: row.units, impressions: row.impressions },
        };
        Outcomes {
            rankers: self.config().rankers.iter().map(|ranker| ranker.name.clone()).collect(),
            versions: vec![Some(self.version().to_string())],
            days: self.rows().iter().map(day).collect(),
        }
    }

    /// Who won so far, at the level of the settings, which holds for all looks together.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        // The level was checked when the experiment was created.
        let verdicts = decide(&self.outcomes(), self.config().level, By::Units);
        let decision = verdicts.map(|verdicts| verdicts.latest().clone());
        let decision = decision.unwrap_or_else(|error| unreachable!("the level was checked: {error}"));
        let report = report(&decision, Some("unit"));
        Verdict { decision, report }
    }
}
