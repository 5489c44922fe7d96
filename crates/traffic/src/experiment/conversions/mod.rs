//! Conversions: later actions of units on documents that they were shown, such as orders, credited to the rankers that
//! showed them.
//!
//! A unit's [history](UnitHistory) has its conversions, and the lists that may still be credited. When a unit's outcome by clicks is
//! final, its pair waits for the day on which it closes for conversions; then it is counted by the rules of [`verdicts::conversions`],
//! which are those of `click-logs credit`. Waiting units without conversions are only counted, so that only those with conversions are
//! kept here for so long.

mod history;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use times::Zone;
use verdicts::PairChoice;
use verdicts::conversions::{ConversionCounts, ConversionDay, ConversionLine, Conversions, LineFate, Primary};
use verdicts::ledger::{Pair, SettledUnit};

use super::super::event::{Appearance, Conversion, ConversionRow, Event, Time};
use super::Experiment;
use super::open_impressions::{OpenImpression, Owners};
pub(super) use history::UnitHistory;
use history::{HIDDEN, NO_RANKER, SettledOutcome, ShownList, pairs, sorted_arms};

/// More conversions of a unit than these do not count: no user has as many.
const MAX_UNIT_CONVERSIONS: usize = 1_000;
/// Nor do those of a unit that saw more lists: all of them are looked at for each conversion.
const MAX_UNIT_LISTS: usize = 200;

/// The immediate result for a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConversionFate {
    /// It is credited when its unit closes.
    Taken,
    /// The same came before.
    Duplicate,
    /// No list that counts for the unit showed the document before.
    NotShown,
    /// The unit has closed, or the experiment is over.
    Late,
    /// The unit is a bot.
    Bot,
    /// The unit has more conversions or lists than a user has.
    TooMany,
}

/// Fates of the conversions that were taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversionTally {
    /// All of them.
    pub taken: u64,
    /// Those with a known fate, in the order of [`LineFate::ALL`].
    fates: [u64; LineFate::ALL.len()],
}

impl ConversionTally {
    /// The number with this fate.
    #[must_use]
    pub fn of(&self, fate: LineFate) -> u64 {
        self.fates[fate as usize]
    }

    /// The number that waits for their unit to close.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.taken - self.fates.iter().sum::<u64>()
    }

    /// A line has a fate, which it did not have before or which is better than the one that it had.
    fn learn(&mut self, known: &mut Option<LineFate>, fate: LineFate) {
        if known.is_none_or(|before| fate < before) {
            if let Some(before) = known.replace(fate) {
                self.fates[before as usize] -= 1;
            }
            self.fates[fate as usize] += 1;
        }
    }
}

/// Units that wait to close, and counts of closed days.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ConversionLedger {
    /// By the day on which units close.
    maturing: BTreeMap<i32, MaturingUnits>,
    pub(super) rows: Vec<(i32, ConversionRow)>,
    tally: ConversionTally,
}

/// The units that close on a day.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct MaturingUnits {
    /// Their number, by the rankers that they met: a hundred rankers have thousands of pairs, which are made when they are
    /// counted.
    counts: BTreeMap<Box<[u32]>, u64>,
    /// Those with conversions, including conversions that can no longer count then. All of these are here: each has a line until then.
    units: BTreeSet<u64>,
}

impl ConversionLedger {
    /// The first day on which something closes.
    pub(super) fn first_day(&self) -> Option<i32> {
        self.maturing.keys().next().copied()
    }

    /// The units that must be here when they close; some of them more than once.
    pub(super) fn units(&self) -> impl Iterator<Item = u64> {
        self.maturing.values().flat_map(|waiting| waiting.units.iter().copied())
    }
}

/// An order counts a millisecond before it came: so a list of the same moment is never one before it, whichever came first.
pub(super) fn counting_time(time: Time) -> Time {
    time - 1
}

impl Experiment {
    /// Whether conversions are taken: not once it is over, because everybody sees the list of one ranker then, and orders from it would
    /// count for that ranker.
    #[must_use]
    pub fn takes_conversions(&self) -> bool {
        self.conversions.is_some() && !self.state.is_over()
    }

    /// The place of an action among those that count; `None` if it does not count.
    #[must_use]
    pub fn outcome_number(&self, action: &str) -> Option<u32> {
        let actions = &self.rules.outcomes.as_ref()?.actions;
        actions.iter().position(|known| known == action).map(|place| place as u32)
    }

    /// The unit of an open impression.
    #[must_use]
    pub fn open_unit(&self, impression: u64) -> Option<u64> {
        self.open.get(impression).map(|open| open.unit)
    }

    /// The impressions of a unit that may have shown the document of its conversion. A unit of a snapshot is
    /// [fetched](Self::fetch) before.
    #[must_use]
    pub fn impressions_of_unit(&self, unit: u64) -> Vec<u64> {
        let Some(history) = self.history(unit) else { return Vec::new() };
        let closed = history.lists.iter().map(|list| list.impression);
        closed.chain(history.open.iter().copied()).take(MAX_UNIT_LISTS + 1).collect()
    }

    fn history(&self, unit: u64) -> Option<&UnitHistory> {
        self.units.units().get(unit)?.history.as_deref()
    }

    /// Takes a conversion; `appearances` may have impressions that do not count, which are left out. One of a unit of a snapshot is
    /// [fetched](Self::fetch) before.
    pub fn take_conversion(&mut self, now: Time, mut conversion: Conversion) -> ConversionFate {
        let time = now.max(self.time);
        self.advance(time);
        match self.creditable_appearances(time, &conversion) {
            Err(fate) => fate,
            Ok(appearances) => {
                conversion.appearances = appearances;
                self.apply_conversion(time, &conversion);
                self.record(Event::Converted { time, conversion: Box::new(conversion) });
                ConversionFate::Taken
            }
        }
    }

    /// The lists in which the document of a conversion was shown that may be credited; at least one.
    pub(super) fn creditable_appearances(
        &self,
        time: Time,
        conversion: &Conversion,
    ) -> Result<Vec<Appearance>, ConversionFate> {
        let Some(rules) = self.rules.outcomes.as_ref().filter(|_| self.takes_conversions()) else {
            return Err(ConversionFate::Late);
        };
        let Some(history) = self.history(conversion.unit) else { return Err(ConversionFate::NotShown) };
        let line = line(time, conversion);
        // It counts when it comes, so its time does not distinguish a repeated message from a repeated action.
        if history.lines.iter().any(|(known, _)| known.repeat_key() == line.repeat_key()) {
            return Err(ConversionFate::Duplicate);
        }
        if history.lines.len() >= MAX_UNIT_CONVERSIONS || history.lists.len() + history.open.len() > MAX_UNIT_LISTS {
            return Err(ConversionFate::TooMany);
        }
        let day = self.day(line.time());
        let may_be_credited = |appearance: &Appearance| match history.list(appearance.impression) {
            Some(list) => {
                let outcome = history.find_settled(&list.arms);
                let is_late = outcome.is_some_and(|outcome| outcome.last_day.saturating_add(rules.days) < day);
                list.shown_at <= line.time() && (appearance.position as usize) < list.owners.len() && !is_late
            }
            None => self.open.get(appearance.impression).is_some_and(|open| {
                let is_listed = open.listed_at.is_some_and(|listed| listed <= line.time());
                let is_unsettled = history.find_settled(&sorted_arms(open.choice.arms())).is_none();
                is_listed && is_unsettled && history.open.contains(&appearance.impression)
            }),
        };
        let mut appearances: Vec<Appearance> = conversion.appearances.iter().copied().filter(may_be_credited).collect();
        appearances.sort_unstable();
        appearances.dedup();
        if !appearances.is_empty() {
            return Ok(appearances);
        }
        let is_late = |outcome: &SettledOutcome| outcome.last_day.saturating_add(rules.days) < day;
        Err(match history.outcomes.as_slice() {
            outcomes if outcomes.iter().any(|outcome| outcome.is_bot) => ConversionFate::Bot,
            outcomes if outcomes.iter().any(is_late) => ConversionFate::Late,
            _ => ConversionFate::NotShown,
        })
    }

    /// A conversion has happened.
    pub(super) fn apply_conversion(&mut self, time: Time, conversion: &Conversion) {
        let line = line(time, conversion);
        let (zone, unit_days) = (self.rules.zone, self.config.unit_days);
        let Self { conversions: Some(ledger), rules, units, .. } = self else { return };
        let Some(rules) = &rules.outcomes else { return };
        let history = units.units_mut().unit_mut(conversion.unit).history_mut();
        let index = history.lines.partition_point(|(known_line, _)| *known_line < line);
        history.lines.insert(index, (line, None));
        let document_index = history.documents.iter().position(|(document, _)| *document == conversion.document);
        let document_index = document_index.unwrap_or_else(|| {
            history.documents.push((conversion.document, Vec::new()));
            history.documents.len() - 1
        });
        let appearances = &mut history.documents[document_index].1;
        appearances.extend(&conversion.appearances);
        appearances.sort_unstable();
        appearances.dedup();
        ledger.tally.taken += 1;
        for settled in history.outcomes.iter().filter(|settled| !settled.is_bot) {
            if let Some(waiting) = ledger.maturing.get_mut(&settled.last_day.saturating_add(rules.days)) {
                waiting.units.insert(conversion.unit);
            }
        }
        let deadline = deadline(zone, unit_days, rules.days, &line);
        ledger.maturing.entry(deadline).or_default().units.insert(conversion.unit);
    }

    /// Notes the documents of a list that has closed and compared rankers.
    pub(super) fn note_list(&mut self, impression: u64, open: &OpenImpression, owners: Option<&Owners>) {
        let (Some(_), Some(shown_at), Some(owners)) = (&self.conversions, open.listed_at, owners) else { return };
        let arms = open.choice.arms();
        let owner = |owner: Option<usize>| owner.and_then(|place| arms.get(place)).map_or(NO_RANKER, |arm| *arm as u16);
        let owners = owners.owners.iter().zip(0..);
        let owners =
            owners.map(|(of, position)| if open.is_displayed(position) { owner(*of) } else { HIDDEN }).collect();
        let list = ShownList { impression, shown_at, arms: sorted_arms(arms), owners };
        let history = self.units.units_mut().unit_mut(open.unit).history_mut();
        if history.find_settled(&list.arms).is_none() {
            history.lists.push(list);
        }
    }

    /// The outcomes by clicks of these units are final, on a day: from here on they wait for their conversions.
    pub(super) fn settle(&mut self, day: i32, all: Vec<SettledUnit>) {
        let (zone, unit_days) = (self.rules.zone, self.config.unit_days);
        let Self { conversions: Some(ledger), rules, units, .. } = self else { return };
        let Some(rules) = &rules.outcomes else { return };
        for SettledUnit { unit, version: _, arms, only_impression: only, is_bot } in all {
            let outcome = SettledOutcome { arms: sorted_arms(&arms), last_day: day, only_impression: only, is_bot };
            let history = units.units_mut().unit_mut(unit).history_mut();
            history.lists.retain(|list| match only {
                Some(only) => !is_bot && (list.shown_at, list.impression) == only,
                None if is_bot => !outcome.arms.is_empty() && list.arms != outcome.arms,
                None => list.arms != outcome.arms || zone.day(list.shown_at) <= day,
            });
            if !is_bot {
                let closing = day.saturating_add(rules.days);
                let maturing_units = ledger.maturing.entry(closing).or_default();
                *maturing_units.counts.entry(outcome.arms.clone()).or_default() += 1;
                // Lines that cannot count then may be forgotten before, and the unit with them.
                let counts = |line: &ConversionLine| deadline(zone, unit_days, rules.days, line) >= closing;
                if history.lines.iter().any(|(line, _)| counts(line)) {
                    maturing_units.units.insert(unit);
                }
            }
            history.outcomes.push(outcome);
        }
    }

    /// The units that wait for a day have closed.
    pub(super) fn take_matured(&mut self, day: i32) -> Vec<ConversionRow> {
        let (zone, unit_days) = (self.rules.zone, self.config.unit_days);
        let Self { conversions: Some(ledger), rules, units, .. } = self else { return Vec::new() };
        let Some(rules) = &rules.outcomes else { return Vec::new() };
        let MaturingUnits { mut counts, units: with_lines } = ledger.maturing.remove(&day).unwrap_or_default();
        let mut rows: BTreeMap<Pair, ConversionCounts> = BTreeMap::new();
        for unit in with_lines {
            let history = units.units_mut().unit_mut(unit).history_mut();
            let closes = |outcome: &&SettledOutcome| outcome.last_day.saturating_add(rules.days) == day;
            let closing_outcomes: Vec<SettledOutcome> = history.outcomes.iter().filter(closes).cloned().collect();
            for outcome in closing_outcomes.iter().filter(|outcome| !outcome.is_bot) {
                if let Some(count) = counts.get_mut(&outcome.arms) {
                    *count -= 1;
                }
                for pair in pairs(&outcome.arms) {
                    let sum = history.credit(pair, outcome, day, rules, |time| zone.day(time), &mut ledger.tally);
                    rows.entry(pair).or_default().record(sum, Default::default(), rules.cap);
                }
            }
            history.lists.retain(|list| !closing_outcomes.iter().any(|outcome| outcome.arms == list.arms));
            let is_bot = history.outcomes.iter().any(|outcome| outcome.is_bot);
            history.lines.retain_mut(|(line, fate)| {
                let is_over = deadline(zone, unit_days, rules.days, line) <= day;
                if is_over && fate.is_none() {
                    ledger.tally.learn(fate, if is_bot { LineFate::Bot } else { LineFate::NotShown });
                }
                !is_over
            });
            if history.lines.is_empty() {
                history.documents.clear();
            }
        }
        for (arms, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            pairs(&arms).for_each(|pair| rows.entry(pair).or_default().record_without(count));
        }
        let rows: Vec<ConversionRow> = rows.into_iter().map(|(pair, counts)| ConversionRow { pair, counts }).collect();
        ledger.rows.extend(rows.iter().map(|row| (day, *row)));
        rows
    }

    /// The rows of days on which units closed for conversions, as `click-logs credit --outcomes` writes them; `None` if none count.
    #[must_use]
    pub fn conversions(&self) -> Option<Conversions> {
        let (ledger, rules) = (self.conversions.as_ref()?, self.rules.outcomes.as_ref()?);
        let day = |&(day, ConversionRow { pair, counts }): &(i32, ConversionRow)| ConversionDay {
            version: 0,
            day,
            pair: (pair.0 as usize, pair.1 as usize),
            counts,
        };
        Some(Conversions {
            rankers: self.config.rankers.iter().map(|ranker| ranker.name.clone()).collect(),
            versions: vec![Some(self.version().to_string())],
            days: ledger.rows.iter().map(day).collect(),
            cap: rules.cap,
            has_draft: false,
        })
    }

    /// The number of these rows: they are never changed or removed.
    #[must_use]
    pub fn conversion_rows(&self) -> usize {
        self.conversions.as_ref().map_or(0, |ledger| ledger.rows.len())
    }

    /// Fates of the conversions that were taken; `None` if none count.
    #[must_use]
    pub fn conversion_tally(&self) -> Option<ConversionTally> {
        self.conversions.as_ref().map(|ledger| ledger.tally)
    }

    /// When the first units close for conversions: at the end of their day and a window later; `None` if there are no impressions,
    /// no conversions count, or that time has passed.
    #[must_use]
    pub fn first_maturity(&self) -> Option<Time> {
        let (ledger, rules) = (self.conversions.as_ref()?, self.rules.outcomes.as_ref()?);
        // Where a unit counts by its first impression alone, it need not wait for more of them.
        let more = if self.rules.choice() == PairChoice::Steered { 0 } else { self.config.unit_days as i32 - 1 };
        let expected = self.daily.keys().next()? + more + rules.days;
        let day = ledger.first_day().map_or(expected, |waits| waits.max(expected));
        Some(self.rules.zone.start(day + 1) + self.rules.window).filter(|time| *time > self.time)
    }

    /// The measure that decides.
    #[must_use]
    pub fn primary(&self) -> Primary {
        self.rules.outcomes.as_ref().map_or(Primary::Clicks, |rules| rules.primary)
    }
}

/// The day after which a line cannot be credited: a list before it that counts was shown on its day at the latest.
fn deadline(zone: Zone, unit_days: u32, outcome_days: i32, line: &ConversionLine) -> i32 {
    zone.day(line.time()).saturating_add(unit_days as i32 - 1).saturating_add(outcome_days)
}

fn line(time: Time, conversion: &Conversion) -> ConversionLine {
    let Conversion { unit: _, document, order, action, value, appearances: _ } = conversion;
    ConversionLine::new((*document).into(), (*order).into(), counting_time(time), (*action).into(), *value)
}
