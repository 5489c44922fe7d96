//! Rankers that harm a segment: in the headline and in the advice.

use verdicts::conversions::Primary;
use verdicts::segments::{Harm, SegmentsDecision};

use super::headline::ExperimentStatus;
use super::status::DecisionReport;

impl DecisionReport {
    /// Rankers that harm a segment, each in a sentence, but for those that are known to lose to the champion anyway.
    pub fn harms(&self) -> impl Iterator<Item = (&Harm, String)> {
        let is_known_loser = |segments: &SegmentsDecision, harm: &Harm| {
            let pair = (segments.champion.min(harm.ranker), segments.champion.max(harm.ranker));
            let mut pairs = self.decision.pairs.iter();
            let loses = pairs.any(|one| one.last.pair == pair && one.last.winner() == Some(segments.champion));
            // By clicks, while something else decides.
            loses && self.winner() != Some(harm.ranker)
        };
        let segments = self.segments.iter();
        segments.flat_map(move |segments| {
            let harms = segments.harms.iter().filter(move |harm| !is_known_loser(segments, harm));
            // Segments are judged by clicks, whichever measure decides.
            let by_clicks = if self.primary() == Primary::Clicks { "" } else { " That is by clicks." };
            harms.map(move |harm| (harm, segments.sentence(harm) + by_clicks))
        })
    }

    /// Advice on what to look at first, if `winner` harms a segment, or any ranker while there is no winner.
    pub(super) fn harm_to_check(&self, winner: Option<usize>) -> Option<String> {
        let segments = self.segments.as_ref()?;
        let (harm, _) = self.harms().find(|(harm, _)| winner.is_none_or(|winner| winner == harm.ranker))?;
        let ranker = &self.decision.rankers[harm.ranker];
        Some(match (segments.harmed_segments(harm), winner) {
            (Some(names), Some(_)) => format!("Look at what {ranker} shows to {names} before you ship it."),
            (None, Some(_)) => format!("Look at the segments before you ship {ranker}: it harms one of them."),
            (Some(names), None) => {
                format!("Look at what {ranker} shows to {names}; pause the experiment if it does harm.")
            }
            (None, None) => format!("Look at the segments; pause the experiment if {ranker} does harm."),
        })
    }
}

impl ExperimentStatus {
    /// Whether harm to a segment is reported beside it: only where a verdict is meaningful.
    pub(super) fn tells_harm(self) -> bool {
        match self {
            Self::Waiting
            | Self::Undecided
            | Self::Decided
            | Self::Contradicted
            | Self::Breached
            | Self::Paused
            | Self::Killed
            | Self::Ended => true,
            Self::NotBegun | Self::Equal | Self::Silent | Self::Untrusted | Self::NoClicks | Self::Shipped => false,
        }
    }
}
