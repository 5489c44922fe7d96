//! Units: independent of each other, so each counts once.
//!
//! The impressions of a unit (a user or a session) count for its outcome on the day of its first and on as many days after it
//! as the settings say; the sign of its wins minus its losses is counted on the last of them, even if it is a tie. Later
//! impressions of a unit change nothing that was counted, so results can be looked at every day. A unit that breaks a rule for
//! bots is one from that day on. Versions of an experiment are experiments of their own: a unit has an outcome in each. Bots
//! are detected over all versions together.
//!
//! Where pairs were steered by outcomes ([`PairChoice::Steered`]), such sums are biased. Then a unit's very first impression,
//! with any pair, is its only outcome, on its day; if that one was set aside, or names one ranker alone, the unit has none. The
//! first *decided* impression, or the first of each pair, would be biased too: which one it is depends on outcomes.

mod day_counts;
mod lineup_index;
mod log_totals;
mod past;

pub use day_counts::DayTotals;
pub(super) use day_counts::{Days, split_days};
pub(super) use lineup_index::{LineupIndex, most_careful_choice};
pub use log_totals::LogTotals;
pub(super) use past::UnitPast;

use statistics::Preference;
use verdicts::PairChoice;
use verdicts::amounts::UnitAmounts;
use verdicts::conversions::UnitConversions;
use verdicts::draft::UnitDraft;
use verdicts::integrity::CoinScope;

use lineup_index::OrderedOutcome;
use past::{MetVersion, UnitSum};

use super::conversions::{self, ConversionCredit, PairUnit, UnitConversionState};
use super::outcome::{OutcomeSource, PairOutcome, UNKNOWN_PLACE};
use super::record::Origin;
use super::tally::{
    Aside, ClickFate, ImpressionFate, Tally, Trace, TracedConversions, TracedPair, TracedUnit, UnitFate,
};
use crate::model::Settings;

/// Counts the units of one partition.
pub(super) struct Counter<'a> {
    pub(super) settings: &'a Settings,
    pub(super) lineups: &'a LineupIndex,
    /// The last day on which all impressions are closed.
    pub(super) last_day: i32,
    /// Whether sums that end later are counted as open now; otherwise they stay in the past of their unit.
    pub(super) says_open: bool,
    pub(super) days: Days,
    pub(super) tally: Tally,
    /// Fates of impressions and units, where origins are known.
    pub(super) traced: Vec<Trace>,
    /// How conversions are credited, if there are any, and their results.
    credit: Option<&'a ConversionCredit<'a>>,
    pub(super) conversions: conversions::ConversionTotals,
    /// The unit that is counted, and its first line, if that is known.
    unit: u128,
    at: Option<Origin>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(settings: &'a Settings, lineups: &'a LineupIndex, last_day: i32, says_open: bool) -> Self {
        let (days, tally, traced, conversions) = Default::default();
        Self {
            settings,
            lineups,
            last_day,
            says_open,
            days,
            tally,
            traced,
            credit: None,
            conversions,
            unit: 0,
            at: None,
        }
    }

    /// The same counter, which also credits conversions, if there are any.
    pub(super) fn with_credit(self, credit: Option<&'a ConversionCredit<'a>>) -> Self {
        Self { credit, ..self }
    }

    /// Counts all outcomes of a partition, which has every outcome of its units.
    pub(super) fn count(&mut self, outcomes: &impl OutcomeSource) {
        // Sorted by the upper part of units alone: fewer bytes to move. Bits from 80 on may be those of a partition.
        let mut order: Vec<(u32, u32)> = outcomes.units().map(|unit| (unit >> 48) as u32).zip(0..).collect();
        order.sort_unstable_by_key(|&(upper, _)| upper);
        let (mut alike, mut past): (Vec<PairOutcome>, UnitPast) = Default::default();
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            alike.clear();
            alike.extend(group.iter().map(|&(_, place)| outcomes.get(place as usize)));
            if self.credit.is_some_and(|credit| credit.log().rules().draft_places.is_some()) {
                // The sum of advantages is capped, so it depends on their order.
                alike.sort_unstable_by_key(|outcome| (outcome.unit, outcome.day, outcome.shown));
            } else {
                alike.sort_unstable_by_key(|outcome| (outcome.unit, outcome.day));
            }
            for unit in alike.chunk_by_mut(|a, b| a.unit == b.unit) {
                past.clear();
                self.count_unit(unit, &mut past);
            }
        }
    }

    /// Counts outcomes of one unit, in the order of their days, and adds them to its past. All days are later than those of its
    /// past.
    pub(super) fn count_unit(&mut self, unit: &mut [PairOutcome], past: &mut UnitPast) {
        self.at = unit.iter().filter_map(|outcome| outcome.origin).min();
        self.unit = unit.first().map_or(0, |outcome| outcome.unit);
        if past.bot_from == i32::MAX {
            past.bot_from = self.first_day_of_bot(unit).unwrap_or(i32::MAX);
        }
        let lineups = self.lineups;
        if lineups.versions.len() > 1 {
            unit.sort_by_key(|outcome| lineups.version(outcome));
        }
        for unit in unit.chunk_by(|a, b| lineups.version(a) == lineups.version(b)) {
            let version = unit.first().map_or(0, |outcome| lineups.version(outcome));
            match lineups.choice(version) {
                PairChoice::Chance | PairChoice::Kept => self.add_days(unit, version, past),
                PairChoice::Steered => self.count_first(unit, version, past),
            }
        }
        self.settle(past);
    }

    /// The first day on which the unit breaks a rule for bots.
    fn first_day_of_bot(&self, unit: &[PairOutcome]) -> Option<i32> {
        let is_bot = |day: &&[PairOutcome]| {
            let impressions = || day.iter().filter(|outcome| outcome.stands);
            let clicks = || impressions().map(|outcome| u64::from(outcome.all_clicks));
            day.iter().any(|outcome| outcome.is_known_bot)
                || self.settings.bots.are_too_many(
                    impressions().count() as u64,
                    clicks().sum(),
                    clicks().max().unwrap_or(0),
                )
        };
        unit.chunk_by(|a, b| a.day == b.day).find(is_bot).map(|day| day[0].day)
    }

    /// Counts the impressions of a unit. It is a bot from the day `bot_from` on, and its first impression ever was shown at
    /// `first`, if any. Passes each impression with an outcome to `each`, also those of bots, with its outcome for its pair.
    fn count_impressions(
        &mut self,
        unit: &[PairOutcome],
        version: usize,
        (bot_from, first): (i32, Option<(i64, u32)>),
        mut each: impl FnMut(&mut Self, &PairOutcome, OrderedOutcome),
    ) {
        let coin_scope = self.settings.coin_scope();
        let first = first.filter(|_| coin_scope == CoinScope::FirstOfUnit);
        for outcome in unit.iter().filter(|outcome| !outcome.is_set_aside) {
            // The opponent is known only if both rankers always met: outcomes may have chosen one to be shown alone.
            let may_be_alone =
                self.lineups.choice(version) == PairChoice::Steered && outcome.pair.contains(&UNKNOWN_PLACE);
            let Some(mut ordered) = self.lineups.of(outcome).filter(|_| !may_be_alone) else {
                self.set_aside(outcome, ImpressionFate::OneTeam, ClickFate::SetAside);
                continue;
            };
            let is_fresh = coin_scope == CoinScope::Every || Some(outcome.shown) == first;
            if !is_fresh {
                // Whether it was shown may depend on the earlier results of the same coin.
                ordered.advantage = 0;
            }
            each(self, outcome, ordered);
            let OrderedOutcome { pair, net, page, .. } = ordered;
            // Bots, too: bots are detected by clicks, which depend on the document that a coin put on top.
            let day_totals = self.days.entry((version, outcome.day, pair)).or_default();
            day_totals.pages.add(page, is_fresh);
            let is_bot = outcome.day >= bot_from;
            if let Some((file, line)) = outcome.origin {
                let (day, clicks) = (outcome.day, outcome.clicks);
                let fate = if is_bot { ImpressionFate::Bot } else { ImpressionFate::Credited };
                let traced = TracedPair { file, line, pair, version, day, net, clicks, fate: fate.name() };
                self.traced.push(Trace::Pair(traced));
            }
            if is_bot {
                self.set_aside(outcome, ImpressionFate::Bot, ClickFate::Bot);
                continue;
            }
            if outcome.stands {
                self.tally.impressions(ImpressionFate::Credited, 1);
            }
            day_totals.counts.impressions.record(Preference::of_net(f64::from(net)));
        }
    }

    /// Adds days of a unit to its sums in a version.
    fn add_days(&mut self, unit: &[PairOutcome], version: usize, past: &mut UnitPast) {
        let met_version = past.met_version(version);
        let first = if met_version.is_none() { first_shown(unit) } else { None };
        let mut met_version = met_version.unwrap_or(MetVersion { version, first: None, is_unkept: false });
        let keeps_first = self.lineups.choice(version) == PairChoice::Kept;
        let (unit_days, bot_from, mut is_kept) = (self.settings.unit_days as i32, past.bot_from, true);
        // A unit meets few pairs.
        let sums = &mut past.sums;
        self.count_impressions(
            unit,
            version,
            (bot_from, first),
            |counter, outcome, OrderedOutcome { pair, net, sides, advantage, .. }| {
                if keeps_first && outcome.stands {
                    is_kept &= *met_version.first.get_or_insert(pair) == pair;
                }
                let known = sums.iter().position(|sum| sum.pair == pair && sum.version == version);
                let index = known.unwrap_or_else(|| {
                    let last = outcome.day.saturating_add(unit_days - 1);
                    let (amounts, draft) = Default::default();
                    sums.push(UnitSum { version, pair, last, net: 0, amounts, draft, is_open: true });
                    sums.len() - 1
                });
                let UnitSum { last, net: sum, amounts, draft, .. } = &mut sums[index];
                if outcome.day <= *last && outcome.day < bot_from {
                    *sum += i64::from(net);
                    amounts.add(sides);
                    draft.add(advantage);
                } else if outcome.day < bot_from && outcome.stands {
                    counter.tally.after_closing += 1;
                }
            },
        );
        if !is_kept && !met_version.is_unkept {
            self.tally.unkept += 1;
            met_version.is_unkept = true;
        }
        past.note(met_version);
    }

    /// Counts those sums of a unit that end on days that are over.
    fn settle(&mut self, past: &mut UnitPast) {
        let bot_from = past.bot_from;
        for sum in past.sums.iter_mut().filter(|sum| sum.is_open) {
            let UnitSum { version, pair, last, net, amounts, draft, .. } = *sum;
            let fate = if bot_from <= last {
                UnitFate::Bot
            } else if last <= self.last_day {
                let counts = &mut self.days.entry((version, last, pair)).or_default().counts;
                counts.units.record(Preference::of_net(net as f64));
                counts.amounts.record(amounts);
                UnitFate::Counted
            } else if self.says_open {
                UnitFate::Open
            } else {
                continue;
            };
            sum.is_open = false;
            self.tally.units(fate, 1);
            trace_unit(&mut self.traced, self.at, (version, last), Some((pair, net)), fate);
            self.credit_conversions((version, last, pair), None, draft, fate == UnitFate::Bot);
        }
    }

    /// Counts a unit by its very first impression in a version.
    fn count_first(&mut self, unit: &[PairOutcome], version: usize, past: &mut UnitPast) {
        let bot_from = past.bot_from;
        let first = if past.met_version(version).is_none() { first_shown(unit) } else { None };
        let mut outcomes: Vec<(i32, OrderedOutcome)> = Vec::new();
        let is_first = |outcome: &PairOutcome| first == Some(outcome.shown);
        let is_set_aside = unit.iter().any(|outcome| is_first(outcome) && outcome.is_set_aside);
        self.count_impressions(unit, version, (bot_from, first), |counter, outcome, ordered| {
            if is_first(outcome) {
                outcomes.push((outcome.day, ordered));
            } else if outcome.day < bot_from && outcome.stands {
                counter.tally.after_closing += 1;
            }
        });
        if first.is_none() {
            return;
        }
        past.note(MetVersion { version, first: None, is_unkept: false });
        let day = unit.iter().find(|outcome| is_first(outcome)).map_or(i32::MAX, |outcome| outcome.day);
        let uncounted_fate = if bot_from <= day {
            Some(UnitFate::Bot)
        } else if day > self.last_day {
            Some(UnitFate::Open)
        } else {
            None
        };
        if let Some(fate) = uncounted_fate {
            self.tally.units(fate, outcomes.len().max(1) as u64);
            for (_, ordered) in &outcomes {
                trace_unit(&mut self.traced, self.at, (version, day), Some((ordered.pair, ordered.net.into())), fate);
                self.credit_conversions(
                    (version, day, ordered.pair),
                    first,
                    UnitDraft::default(),
                    fate == UnitFate::Bot,
                );
            }
            if outcomes.is_empty() {
                trace_unit(&mut self.traced, self.at, (version, day), None, fate);
            }
        } else if is_set_aside || outcomes.is_empty() {
            self.tally.units(UnitFate::Spent, 1);
            trace_unit(&mut self.traced, self.at, (version, day), None, UnitFate::Spent);
        } else {
            for (day, OrderedOutcome { pair, net, sides, advantage, .. }) in outcomes {
                let counts = &mut self.days.entry((version, day, pair)).or_default().counts;
                counts.units.record(Preference::of_net(f64::from(net)));
                counts.amounts.record(UnitAmounts::of(sides));
                self.tally.units(UnitFate::Counted, 1);
                trace_unit(&mut self.traced, self.at, (version, day), Some((pair, net.into())), UnitFate::Counted);
                let mut draft = UnitDraft::default();
                draft.add(advantage);
                self.credit_conversions((version, day, pair), first, draft, false);
            }
        }
    }

    /// Credits the conversions of the unit for a pair in a version; its impressions count until a day, or `only` one does.
    fn credit_conversions(
        &mut self,
        (version, last, pair): (usize, i32, (usize, usize)),
        only: Option<(i64, u32)>,
        draft: UnitDraft,
        is_bot: bool,
    ) {
        let Some(credit) = self.credit else { return };
        let of = PairUnit { unit: self.unit, version, pair, last, only, draft, is_bot };
        let owner = |lineup, owner| self.lineups.owner(lineup, owner, version, pair);
        let state = credit.count(of, self.last_day, owner, &mut self.conversions);
        if let Some((file, line)) = self.at {
            let (sum, fate) = match state {
                UnitConversionState::Counted(sum) => (sum, UnitFate::Counted),
                UnitConversionState::Open => (UnitConversions::default(), UnitFate::Open),
                UnitConversionState::Bot => (UnitConversions::default(), UnitFate::Bot),
            };
            let (day, fate) = (credit.closing_day(last), fate.name());
            self.traced.push(Trace::Conversions(TracedConversions { file, line, pair, version, day, sum, fate }));
        }
    }

    /// Withdraws what the join counted as credited.
    fn set_aside(&mut self, outcome: &PairOutcome, fate: ImpressionFate, clicks: ClickFate) {
        if !outcome.stands {
            return;
        }
        self.tally.impressions(fate, 1);
        self.tally.moved_clicks(clicks, u64::from(outcome.clicks));
        if let Some((file, line)) = outcome.origin {
            // Each impression of a bot already has a row, which names its pair.
            self.traced.push(Trace::Aside(Aside { is_impression: true, file, line, fate: fate.name() }));
        }
    }
}

/// Traces an outcome of the unit that has its first line at a place.
fn trace_unit(
    traces: &mut Vec<Trace>,
    origin: Option<Origin>,
    (version, day): (usize, i32),
    pair_and_net: Option<((usize, usize), i64)>,
    fate: UnitFate,
) {
    if let Some((file, line)) = origin {
        let (pair, net) = (pair_and_net.map(|(pair, _)| pair), pair_and_net.map_or(0, |(_, net)| net));
        traces.push(Trace::Unit(TracedUnit { file, line, pair, version, day, net, fate: fate.name() }));
    }
}

/// When the first of some outcomes was shown.
fn first_shown(unit: &[PairOutcome]) -> Option<(i64, u32)> {
    unit.iter().map(|outcome| outcome.shown).min()
}
