//! The lists that a unit was shown and its later conversions, and their credit when the unit closes.

use serde::{Deserialize, Serialize};
use verdicts::conversions::{ConversionLine, Exposure, LineFate, LineRule, Owner, UnitConversions, credit};
use verdicts::ledger::Pair;

use super::super::super::config::OutcomeRules;
use super::super::super::event::{Appearance, Time};
use super::ConversionTally;

/// No ranker owns the document at a place of a list.
pub(super) const NO_RANKER: u16 = u16::MAX;
/// The page did not display it.
pub(super) const HIDDEN: u16 = u16::MAX - 1;

/// The lists shown to a unit that may still be credited, and its conversions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::experiment) struct UnitHistory {
    pub(super) lists: Vec<ShownList>,
    pub(super) outcomes: Vec<SettledOutcome>,
    /// By document of a conversion: where it was mixed.
    pub(super) documents: Vec<(u32, Vec<Appearance>)>,
    /// In order, each with the best fate so far.
    pub(super) lines: Vec<(ConversionLine, Option<LineFate>)>,
    /// Its open impressions that mix lists.
    #[serde(skip)]
    pub(super) open: Vec<u64>,
}

/// A list that was closed, and compared rankers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ShownList {
    pub(super) impression: u64,
    pub(super) shown_at: Time,
    /// In ascending order.
    pub(super) arms: Box<[u32]>,
    /// By position of the mixed list: the ranker that owns the document, [`NO_RANKER`] or [`HIDDEN`].
    pub(super) owners: Box<[u16]>,
}

/// Rankers with a final outcome by clicks for the unit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SettledOutcome {
    /// In ascending order.
    pub(super) arms: Box<[u32]>,
    /// The last day on which its impressions count.
    pub(super) last_day: i32,
    pub(super) only_impression: Option<(Time, u64)>,
    pub(super) is_bot: bool,
}

impl UnitHistory {
    /// Whether it can be dropped.
    pub(in crate::experiment) fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.outcomes.is_empty() && self.lines.is_empty()
    }

    /// Whether it has conversions that may still be credited.
    pub(in crate::experiment) fn is_open(&self) -> bool {
        !self.lines.is_empty()
    }

    /// An impression that mixes lists is open.
    pub(in crate::experiment) fn note_opened(&mut self, impression: u64) {
        self.open.push(impression);
    }

    /// It is no longer.
    pub(in crate::experiment) fn note_closed(&mut self, impression: u64) {
        self.open.retain(|open| *open != impression);
    }

    pub(super) fn list(&self, impression: u64) -> Option<&ShownList> {
        self.lists.iter().find(|list| list.impression == impression)
    }

    pub(super) fn find_settled(&self, arms: &[u32]) -> Option<&SettledOutcome> {
        // A bot's set names no rankers, and a unit that counts by one list counts by no other.
        self.outcomes
            .iter()
            .find(|settled| *settled.arms == *arms || settled.arms.is_empty() || settled.only_impression.is_some())
    }

    /// The lists of a pair that count for a unit that settled so, and showed a document; by time.
    fn exposures(
        &self,
        document: u64,
        pair: Pair,
        outcome: &SettledOutcome,
        day: impl Fn(Time) -> i32,
    ) -> Vec<Exposure> {
        let appearances = self.documents.iter().find(|(known, _)| u64::from(*known) == document);
        let mut numbered_exposures: Vec<(u64, Exposure)> = Vec::new();
        for Appearance { impression, position } in appearances.into_iter().flat_map(|(_, appearances)| appearances) {
            let Some(list) = self.list(*impression) else { continue };
            let counts = match outcome.only_impression {
                Some(only) => (list.shown_at, list.impression) == only,
                None => day(list.shown_at) <= outcome.last_day,
            };
            let have_met = [pair.0, pair.1].iter().all(|arm| list.arms.contains(arm));
            let owner = match list.owners.get(*position as usize) {
                None | Some(&HIDDEN) => continue,
                Some(owner) if u32::from(*owner) == pair.0 => Owner::First,
                Some(owner) if u32::from(*owner) == pair.1 => Owner::Second,
                Some(_) => Owner::Neither,
            };
            if counts && have_met {
                numbered_exposures.push((list.impression, Exposure { time: list.shown_at, owner }));
            }
        }
        numbered_exposures.sort_by_key(|(impression, exposure)| (exposure.time, *impression));
        numbered_exposures.into_iter().map(|(_, exposure)| exposure).collect()
    }
}

impl UnitHistory {
    /// The counts and values of a unit that closes on a day for a pair.
    pub(super) fn credit(
        &mut self,
        pair: Pair,
        outcome: &SettledOutcome,
        day: i32,
        rules: &OutcomeRules,
        day_of: impl Fn(Time) -> i32,
        tally: &mut ConversionTally,
    ) -> UnitConversions {
        // The store has one clock.
        let rule = LineRule { attribution: rules.attribution, skew: 0 };
        let mut sum = UnitConversions::default();
        let lines: Vec<ConversionLine> = self.lines.iter().map(|(line, _)| *line).collect();
        let mut line_index = 0;
        for group in lines.chunk_by(ConversionLine::is_of_group) {
            let seen = self.exposures(group[0].document(), pair, outcome, &day_of);
            let fates = &mut self.lines[line_index..];
            credit(
                group,
                &seen,
                rule,
                |time| day_of(time) > day,
                &mut sum,
                |place, fate| {
                    tally.learn(&mut fates[place].1, fate);
                },
            );
            line_index += group.len();
        }
        sum
    }
}

/// These rankers in ascending order.
pub(super) fn sorted_arms(arms: &[u32]) -> Box<[u32]> {
    let mut arms = arms.to_vec();
    arms.sort_unstable();
    arms.into()
}

/// All pairs of rankers in ascending order.
pub(super) fn pairs(arms: &[u32]) -> impl Iterator<Item = Pair> {
    (0..arms.len()).flat_map(move |i| (i + 1..arms.len()).map(move |j| (arms[i], arms[j])))
}
