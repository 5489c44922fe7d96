//! What enters verdicts: outcomes by unit and day, as `click-logs credit` counts them from the same log.
//!
//! A unit's wins minus losses of a pair, summed over the days that count, are one outcome, on the last of these days; so no
//! user who searches a lot outweighs others. Where a policy chose at every impression, such sums are not fair, because the
//! policy ends them by what it has seen: there a unit's first impression alone counts.

use std::collections::BTreeMap;

use statistics::{Counts, Preference};
use verdicts::{Bots, PairChoice};

use super::event::{Choice, Outcome, Row};

/// Two rankers, the lower number first.
pub(crate) type Pair = (u32, u32);

/// Who met in an impression, and what came of it.
#[derive(Debug, Clone)]
pub(crate) enum Said {
    /// Two rankers: 1 if the first won, -1 if the second did.
    Pair(Pair, i8),
    /// More. Its pairs are thousands among a hundred rankers, and made when they are counted.
    Set(Box<[u32]>, Outcome),
}

impl Said {
    /// `None` if nothing was compared.
    pub(crate) fn of(choice: &Choice, outcome: &Outcome) -> Option<Self> {
        if *outcome == Outcome::Nothing {
            return None;
        }
        let all = Self::Set(choice.arms().into(), outcome.clone());
        let mut only = None;
        if choice.arms().len() == 2 {
            all.each(|pair, net| only = Some(Self::Pair(pair, net)));
        }
        Some(only.unwrap_or(all))
    }

    /// Each pair, and 1 if its first won, -1 if its second did; in an order that depends on the rankers alone.
    fn each(&self, mut each: impl FnMut(Pair, i8)) {
        match self {
            Self::Pair(pair, net) => each(*pair, *net),
            Self::Set(arms, outcome) => {
                for i in 0..arms.len() {
                    for j in i + 1..arms.len() {
                        let net = match outcome.preference(i, j, arms.len()) {
                            Preference::First => 1,
                            Preference::Second => -1,
                            Preference::Tie => 0,
                        };
                        if arms[i] < arms[j] {
                            each((arms[i], arms[j]), net);
                        } else {
                            each((arms[j], arms[i]), -net);
                        }
                    }
                }
            }
        }
    }
}

/// What an impression that was closed says.
#[derive(Debug)]
pub(crate) struct Credited {
    pub(crate) unit: u64,
    pub(crate) day: i32,
    /// When it was shown, and its number.
    pub(crate) shown: (i64, u64),
    pub(crate) clicks: u32,
    pub(crate) said: Said,
}

/// The units of an experiment.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By day that is not closed: what its impressions say.
    pending: BTreeMap<i32, BTreeMap<u64, OfDay>>,
    /// Units that count, or counted, for verdicts.
    known: BTreeMap<u64, UnitRecord>,
    /// By day: the units of which a sum ends.
    ending: BTreeMap<i32, Vec<u64>>,
    pub(crate) tally: Tally,
}

/// How many units there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Outcomes of units that counted.
    pub counted: u64,
    /// Outcomes of units that were bots.
    pub bots: u64,
    /// Impressions that counted.
    pub impressions: u64,
    /// Impressions of bots.
    pub bot_impressions: u64,
    /// Impressions that counted, but not for their unit: that had closed.
    pub after_closing: u64,
}

/// Something for each of some pairs: a unit mostly meets one, and of a set of a hundred rankers thousands.
#[derive(Debug)]
enum ByPair<T> {
    Few(Vec<(Pair, T)>),
    Many(BTreeMap<Pair, T>),
}

/// How many pairs are compared one by one.
const FEW: usize = 16;

impl<T> Default for ByPair<T> {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl<T: Clone> ByPair<T> {
    /// That of a pair, made by `new` if it is not there.
    fn entry(&mut self, pair: Pair, new: impl FnOnce() -> T) -> &mut T {
        if let Self::Few(few) = self
            && few.len() == FEW
        {
            *self = Self::Many(std::mem::take(few).into_iter().collect());
        }
        match self {
            Self::Many(many) => many.entry(pair).or_insert_with(new),
            Self::Few(few) => {
                let at = few.iter().position(|(known, _)| *known == pair).unwrap_or_else(|| {
                    few.push((pair, new()));
                    few.len() - 1
                });
                &mut few[at].1
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (Pair, T)> {
        let (few, many) = match self {
            Self::Few(few) => (Some(few), None),
            Self::Many(many) => (None, Some(many)),
        };
        let few = few.into_iter().flatten().cloned();
        few.chain(many.into_iter().flatten().map(|(pair, value)| (*pair, value.clone())))
    }
}

/// A unit on a day.
#[derive(Debug, Default)]
struct OfDay {
    impressions: u32,
    clicks: u32,
    most_clicks: u32,
    /// When each impression was shown, its number, and what it says.
    said: Vec<((i64, u64), Said)>,
}

#[derive(Debug)]
struct UnitRecord {
    bot_from: i32,
    /// By pair: the last day of its sum, and the sum.
    sums: ByPair<(i32, i32)>,
    /// The last day of the set that the unit keeps, and what its impressions said until then.
    set: Option<(i32, Vec<Said>)>,
    had_first: bool,
}

impl Default for UnitRecord {
    fn default() -> Self {
        Self { bot_from: i32::MAX, sums: ByPair::default(), set: None, had_first: false }
    }
}

/// How a day is closed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule<'a> {
    pub(crate) choice: PairChoice,
    pub(crate) unit_days: u32,
    pub(crate) bots: &'a Bots,
    pub(crate) rankers: usize,
}

/// The counts of a day: units and impressions by pair.
struct Counted {
    rankers: usize,
    few: BTreeMap<Pair, [Counts; 2]>,
    /// All pairs in the order of their numbers, once a set was counted.
    all: Vec<[Counts; 2]>,
}

impl Counted {
    fn record(&mut self, what: usize, said: &Said) {
        match said {
            Said::Pair(pair, net) => self.net(what, *pair, i32::from(*net)),
            Said::Set(..) => {
                self.expect_sets();
                said.each(|pair, net| self.all[pair_number(pair)][what].record(Preference::of_net(f64::from(net))));
            }
        }
    }

    fn net(&mut self, what: usize, pair: Pair, net: i32) {
        self.few.entry(pair).or_default()[what].record(Preference::of_net(f64::from(net)));
    }

    fn expect_sets(&mut self) {
        if self.all.is_empty() {
            self.all = vec![Default::default(); self.rankers * (self.rankers - 1) / 2];
        }
    }

    fn rows(self) -> Vec<Row> {
        let mut rows = self.few;
        let pairs = (1..self.rankers as u32).flat_map(|second| (0..second).map(move |first| (first, second)));
        for (pair, counts) in pairs.zip(self.all).filter(|(_, counts)| counts.iter().any(|counts| counts.total() > 0)) {
            let sum = rows.entry(pair).or_default();
            sum.iter_mut().zip(counts).for_each(|(sum, counts)| *sum += counts);
        }
        rows.into_iter().map(|(pair, [units, impressions])| Row { pair, units, impressions }).collect()
    }
}

/// The number of a pair among all: those of a larger second come later.
fn pair_number((first, second): Pair) -> usize {
    second as usize * (second as usize - 1) / 2 + first as usize
}

const UNITS: usize = 0;
const IMPRESSIONS: usize = 1;

impl Units {
    pub(crate) fn add(&mut self, credited: Credited) {
        let day = self.pending.entry(credited.day).or_default().entry(credited.unit).or_default();
        day.impressions = day.impressions.saturating_add(1);
        day.clicks = day.clicks.saturating_add(credited.clicks);
        day.most_clicks = day.most_clicks.max(credited.clicks);
        day.said.push((credited.shown, credited.said));
    }

    /// The first day that has something to close.
    pub(crate) fn first_day(&self) -> Option<i32> {
        let [pending, ending] = [self.pending.keys().next(), self.ending.keys().next()];
        pending.into_iter().chain(ending).min().copied()
    }

    /// Closes a day, all days before which are closed, and returns what it says.
    pub(crate) fn close(&mut self, day: i32, rule: Rule<'_>) -> Vec<Row> {
        let mut counted = Counted { rankers: rule.rankers, few: BTreeMap::new(), all: Vec::new() };
        for (unit, of_day) in self.pending.remove(&day).unwrap_or_default() {
            let known = self.known.entry(unit).or_default();
            let [impressions, clicks, most] = [of_day.impressions, of_day.clicks, of_day.most_clicks].map(u64::from);
            if rule.bots.are_too_many(impressions, clicks, most) {
                known.bot_from = known.bot_from.min(day);
            }
            if known.bot_from <= day {
                self.tally.bot_impressions += impressions;
            } else {
                self.tally.impressions += impressions;
                of_day.said.iter().for_each(|(_, said)| counted.record(IMPRESSIONS, said));
            }
            if rule.choice == PairChoice::Steered {
                close_first(known, of_day, day, &mut counted, &mut self.tally);
            } else {
                let last = day.saturating_add(rule.unit_days as i32 - 1);
                if add_to_sums(known, of_day, day, last, &mut self.tally) {
                    self.ending.entry(last).or_default().push(unit);
                }
            }
        }
        for unit in self.ending.remove(&day).unwrap_or_default() {
            let Some(known) = self.known.get_mut(&unit) else { continue };
            let is_bot = known.bot_from <= day;
            let mut count = 0;
            for (pair, (_, sum)) in known.sums.iter().filter(|(_, (last, _))| *last == day) {
                count += 1;
                if !is_bot {
                    counted.net(UNITS, pair, sum);
                }
            }
            if let Some((last, said)) = &mut known.set
                && *last == day
            {
                count += 1;
                if !is_bot {
                    close_set(&std::mem::take(said), &mut counted);
                }
            }
            *(if is_bot { &mut self.tally.bots } else { &mut self.tally.counted }) += count;
        }
        counted.rows()
    }
}

/// Counts a unit by its first impression, if that was on this day.
fn close_first(known: &mut UnitRecord, of_day: OfDay, day: i32, counted: &mut Counted, tally: &mut Tally) {
    let is_bot = known.bot_from <= day;
    let had_first = std::mem::replace(&mut known.had_first, true);
    if !is_bot {
        tally.after_closing += u64::from(of_day.impressions) - u64::from(!had_first);
    }
    let first = of_day.said.into_iter().min_by_key(|(shown, _)| *shown).filter(|_| !had_first);
    if let Some((_, said)) = first {
        *(if is_bot { &mut tally.bots } else { &mut tally.counted }) += 1;
        if !is_bot {
            counted.record(UNITS, &said);
        }
    }
}

/// Adds a day of a unit to its sums; whether one of them began, which ends on the day `last`.
fn add_to_sums(known: &mut UnitRecord, of_day: OfDay, day: i32, last: i32, tally: &mut Tally) -> bool {
    let is_bot = known.bot_from <= day;
    let mut begins = false;
    for (_, said) in of_day.said {
        let ends = match said {
            Said::Pair(pair, net) => {
                let (last, sum) = known.sums.entry(pair, || {
                    begins = true;
                    (last, 0)
                });
                if day <= *last {
                    *sum += i32::from(net);
                }
                *last
            }
            Said::Set(..) => {
                let (last, all) = known.set.get_or_insert_with(|| {
                    begins = true;
                    (last, Vec::new())
                });
                if day <= *last && !is_bot {
                    all.push(said);
                }
                *last
            }
        };
        tally.after_closing += u64::from(day > ends && !is_bot);
    }
    begins
}

/// Counts the sums of a unit that kept a set.
fn close_set(all: &[Said], counted: &mut Counted) {
    counted.expect_sets();
    if let [only] = all {
        return counted.record(UNITS, only);
    }
    // All of the same rankers in the same order.
    let (mut pairs, mut sums) = (Vec::new(), Vec::new());
    for said in all {
        let mut at = 0;
        said.each(|pair, net| {
            if at == sums.len() {
                pairs.push(pair);
                sums.push(0_i32);
            }
            sums[at] += i32::from(net);
            at += 1;
        });
    }
    for (pair, sum) in pairs.into_iter().zip(sums) {
        counted.all[pair_number(pair)][UNITS].record(Preference::of_net(f64::from(sum)));
    }
}
