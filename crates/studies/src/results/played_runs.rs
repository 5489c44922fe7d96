//! Finished runs with all that is needed to present them.

use std::sync::Arc;

use anyhow::Result;
use figures::Lines;
use simulation::arm_names::ArmNames;
use simulation::runs::{RunResult, StudyPlan};

use super::{AlgorithmSummary, Arms, Caption, RegretBasis, answers_note, figure, files, report, summarise};
use crate::report::{Content, Report, ReportFile};

/// Finished runs with all that is needed to present them.
#[derive(Clone)]
pub struct PlayedRuns {
    /// What was played.
    pub plan: StudyPlan,
    /// The runs of each algorithm.
    pub results: Arc<Vec<Vec<RunResult>>>,
    /// All arms that count as the best; where preferences change, after the last step.
    pub winners: Vec<usize>,
    /// Where preferences change: the same from the given steps on. Otherwise empty.
    pub phases: Vec<(u64, Vec<usize>)>,
    /// The names of all arms.
    pub names: ArmNames,
    /// What regret measures.
    pub measured: RegretBasis,
    /// By arm, how much worse than the best it is by that measure; empty where that changes.
    pub gaps: Vec<f64>,
    /// How sets of rankers are compared, of live runs.
    pub multileave: Option<String>,
    /// The text of the figure.
    pub caption: Caption,
    /// The line about what regret is measured against.
    pub truth: String,
    /// Which of a few TREC runs wins: the first sentence that is printed.
    pub verdict: Option<String>,
    /// How late answers come, if they do.
    pub late: Option<String>,
    /// The order in which algorithms are shown: first the requested ones.
    pub display_order: Vec<usize>,
}

impl PlayedRuns {
    /// The best arms, the names of all arms, and how regret is measured.
    #[must_use]
    pub fn arms(&self) -> Arms<'_> {
        Arms {
            winners: &self.winners,
            phases: &self.phases,
            names: &self.names,
            measured: self.measured,
            gaps: &self.gaps,
            multileave: self.multileave.as_deref(),
        }
    }

    /// Each algorithm after the last step.
    #[must_use]
    pub fn summary(&self) -> Vec<AlgorithmSummary> {
        summarise(&self.plan, &self.results, &self.arms())
    }

    /// The curves of mean regret.
    #[must_use]
    pub fn figure(&self) -> Lines {
        figure(&self.plan, &self.results, self.measured.kind, &self.caption)
    }

    /// All that is printed.
    #[must_use]
    pub fn text(&self) -> String {
        let sorted_note = (!self.display_order.is_sorted()).then(|| {
            let algorithms = self.display_order.iter().map(|&at| self.plan.algorithms[at].clone()).collect();
            let results = self.display_order.iter().map(|&at| self.results[at].clone()).collect();
            (StudyPlan { algorithms, ..self.plan.clone() }, results)
        });
        let (plan, results) =
            sorted_note.as_ref().map_or((&self.plan, &*self.results), |(plan, results)| (plan, results));
        let mut report = report(plan, results, &self.arms(), &self.caption, &self.truth);
        if let Some(verdict) = &self.verdict {
            report = format!("{verdict}\n\n{report}");
        }
        match &self.late {
            None => report,
            Some(late_text) => format!("{report}\n{}", answers_note(plan, results, late_text)),
        }
    }

    /// The files of their results folder.
    ///
    /// # Errors
    /// If a table cannot be formatted.
    pub fn files(&self) -> Result<Vec<ReportFile>> {
        let mut files = files(&self.plan, &self.results, &self.arms(), &self.caption)?;
        if let Some(verdict) = &self.verdict {
            files.push(ReportFile {
                name: "verdict.txt".to_owned(),
                content: Content::Bytes(format!("{verdict}\n").into()),
            });
        }
        Ok(files)
    }

    /// The report of a study that is these runs.
    ///
    /// # Errors
    /// If a table cannot be formatted.
    pub fn report(&self) -> Result<Report> {
        Ok(Report { files: self.files()?, ..Report::new(self.text(), &self.summary())? })
    }
}
