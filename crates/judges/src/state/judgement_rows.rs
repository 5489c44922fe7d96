//! Judgements and their counts.

use board::{Answer, Judgement, Order, Table};

use super::{Session, Ticket};
use crate::Purpose;
use crate::choosers::Chooser;

/// One judgement. Competitors, items and judges are their places in [`Config`](crate::Config) and in
/// [`Session::judges`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgementRow {
    /// The question.
    pub ticket: Ticket,
    /// The competitor shown first.
    pub first: u32,
    /// The competitor shown second.
    pub second: u32,
    /// The item.
    pub item: Option<u32>,
    /// The judge, if known.
    pub judge: Option<u32>,
    /// The answer.
    pub verdict: Answer,
    /// Why it was asked.
    pub purpose: Purpose,
}

/// How many questions and answers there were: `asked = answered + forgotten + open`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions.
    pub asked: u64,
    /// Answers.
    pub answered: u64,
    /// Questions that will not be answered.
    pub forgotten: u64,
    /// Questions that may still be answered.
    pub open: u64,
    /// Answers that are ties, `both bad` included.
    pub ties: u64,
    /// Answers `both bad`.
    pub both_bad: u64,
    /// Pairs that were asked at least once.
    pub pairs: u64,
    /// Answers to repeated questions.
    pub repeats: u64,
    /// Those that were the same as before.
    pub repeats_agreed: u64,
    /// Questions that were answered in both orders, in sessions that ask both.
    pub both: u64,
    /// Those with answers for different competitors, or with one tie: ties for the policy.
    pub both_disagreed: u64,
}

/// The estimated strength of a competitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompetitorSummary {
    /// The competitor, by its place in the settings.
    pub competitor: u32,
    /// Its strength under a Bradley-Terry model, as a logit; 0 is the average of initial expectations.
    pub strength: f64,
    /// The standard deviation of its posterior.
    pub deviation: f64,
}

impl Session {
    /// How many questions and answers there were.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { open: self.open.len() as u64, pairs: self.screen.pairs() as u64, ..self.counts }
    }

    /// All judgements, in the order in which they arrived.
    #[must_use]
    pub fn judged(&self) -> &[JudgementRow] {
        &self.rows
    }

    /// The judge's note on the answer of a ticket.
    #[must_use]
    pub fn note(&self, ticket: Ticket) -> Option<&str> {
        self.notes.get(&ticket.number).map(String::as_str)
    }

    /// The judges who were named, in the order in which they were first.
    #[must_use]
    pub fn judges(&self) -> &[String] {
        &self.judges
    }

    /// All judgements as a table. Its items are those of the settings.
    #[must_use]
    pub fn judgements(&self) -> Table {
        let judgements = (1..).zip(&self.rows).map(|(row, judged)| Judgement {
            first: judged.first,
            second: judged.second,
            verdict: judged.verdict,
            item: judged.item,
            judge: judged.judge,
            weight: 1.0,
            row,
        });
        Table {
            judgements: judgements.collect(),
            names: self.config.names.clone(),
            items: self.config.items.clone(),
            judges: self.judges.clone(),
            order: Order::Shown,
            covariates: Vec::new(),
        }
    }

    /// The competitor that leads: for goal `best`, the policy's recommendation; otherwise, or if it has none, the one with the
    /// largest [strength](Self::ranking). `None` before the first answer.
    #[must_use]
    pub fn recommend(&self) -> Option<u32> {
        if self.learnt.is_empty() {
            return None;
        }
        let policy = self.chooser.as_ref().and_then(Chooser::recommend);
        policy.or_else(|| self.model.ranking().first().map(|&first| first as u32))
    }

    /// All competitors from the strongest down, by a Bradley-Terry model of the answers that the policy learns from.
    #[must_use]
    pub fn ranking(&self) -> Vec<CompetitorSummary> {
        let summary_of = |i: usize| CompetitorSummary {
            competitor: i as u32,
            strength: self.model.mean(i),
            deviation: self.model.deviation(i),
        };
        self.model.ranking().into_iter().map(summary_of).collect()
    }
}
