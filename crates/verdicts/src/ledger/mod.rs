//! The contribution of a unit to verdicts, day by day.
//!
//! A unit's wins minus losses of a pair, summed over the days that count, are one outcome, on the last of these days; so no user
//! who searches a lot outweighs others. Where a policy chose at every impression, such sums are not fair, because the policy ends them by
//! what it has seen: there only a unit's very first impression counts, and a unit has no outcome if that impression was set
//! aside. A unit that breaks a rule for bots is one from that day on, in all versions of an experiment; each version counts a unit
//! separately. The outcomes of a closed day never change later.
//!
//! `click-logs` counts whole logs by the same rules in parallel (`join::units`); a test holds both to the same rows.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use statistics::{Counts, Preference};

use crate::amounts::{Amounts, SideClicks, UnitAmounts};
use crate::bots::Bots;
use crate::pair_choice::PairChoice;

/// The outcome of an impression, by the places of the rankers among those that met.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Outcome {
    /// Nothing was compared.
    Nothing,
    /// The preference between two.
    Pair(Preference),
    /// A score for each.
    Scores(Vec<u64>),
    /// Pair by pair: the first against the second, the third and so on, then the second against the third.
    Pairs(Vec<Preference>),
}

/// The counts of a day for a pair of rankers; wins are those of the first, which has the lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// The rankers.
    pub pair: (u32, u32),
    /// Units that closed on the day.
    pub units: Counts,
    /// Impressions shown on the day.
    pub impressions: Counts,
    /// How many clicks and clicked impressions each side of the units has; none if the owners of documents are unknown.
    pub amounts: Amounts,
}

impl Row {
    /// Adds the counts of other units for the same pair on the same day.
    pub fn add(&mut self, other: &Self) {
        self.units += other.units;
        self.impressions += other.impressions;
        self.amounts += other.amounts;
    }
}

impl Outcome {
    /// The outcome between the rankers at places `i < j` of those that met.
    #[must_use]
    pub fn preference(&self, i: usize, j: usize, arms: usize) -> Preference {
        match self {
            Self::Nothing => Preference::Tie,
            Self::Pair(preference) => *preference,
            Self::Scores(scores) => Preference::of(scores.get(i).cmp(&scores.get(j))),
            Self::Pairs(preferences) => {
                // Rows of the first ranker, of the second and so on, each one shorter than the one before.
                let at = i * (2 * arms - i - 1) / 2 + (j - i - 1);
                preferences.get(at).copied().unwrap_or(Preference::Tie)
            }
        }
    }
}

/// Two rankers, the lower number first.
pub type Pair = (u32, u32);

/// The rankers that met in an impression, and the outcome.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub enum ComparedRankers {
    /// Two rankers: 1 if the first won, -1 if the second did, and clicks on the documents of each, if their owners are known.
    Pair(Pair, i8, Option<SideClicks>),
    /// More, with the clicks on the documents of each likewise. A hundred rankers make thousands of pairs, so these are made when they
    /// are counted.
    Set(Box<[u32]>, Outcome, Option<Box<[u16]>>),
}

impl ComparedRankers {
    /// From the rankers that met, by the places of the outcome; `None` if nothing was compared. `clicks` has the clicks on the
    /// documents of each, each document once, if the method has owners.
    #[must_use]
    pub fn of(arms: &[u32], outcome: &Outcome, clicks: Option<&[u16]>) -> Option<Self> {
        if *outcome == Outcome::Nothing {
            return None;
        }
        let all = Self::Set(arms.into(), outcome.clone(), clicks.map(Box::from));
        let mut only = None;
        if arms.len() == 2 {
            all.each(|pair, net, clicks| only = Some(Self::Pair(pair, net, clicks)));
        }
        Some(only.unwrap_or(all))
    }

    /// The rankers that met.
    fn arms(&self) -> Vec<u32> {
        match self {
            Self::Pair((first, second), ..) => vec![*first, *second],
            Self::Set(arms, ..) => arms.to_vec(),
        }
    }

    /// Each pair, 1 if its first won, -1 if its second did, and the clicks of both; in an order that depends on the rankers alone.
    fn each(&self, mut each: impl FnMut(Pair, i8, Option<SideClicks>)) {
        match self {
            Self::Pair(pair, net, clicks) => each(*pair, *net, *clicks),
            Self::Set(arms, outcome, clicks) => {
                let of = |place: usize| clicks.as_ref().and_then(|clicks| clicks.get(place).copied());
                for i in 0..arms.len() {
                    for j in i + 1..arms.len() {
                        let net = match outcome.preference(i, j, arms.len()) {
                            Preference::First => 1,
                            Preference::Second => -1,
                            Preference::Tie => 0,
                        };
                        let clicks = of(i).zip(of(j)).map(|(first, second)| SideClicks([first, second]));
                        if arms[i] < arms[j] {
                            each((arms[i], arms[j]), net, clicks);
                        } else {
                            each((arms[j], arms[i]), -net, clicks.map(SideClicks::swapped));
                        }
                    }
                }
            }
        }
    }
}

/// An impression that was closed.
#[derive(Debug, Clone)]
pub struct Impression {
    /// The unit that it was shown to.
    pub unit: u64,
    /// The version of the experiment, by its number.
    pub version: u32,
    /// On which day it was shown, in days since 1970-01-01.
    pub day: i32,
    /// When it was shown, and a number that orders impressions of one moment.
    pub shown: (i64, u64),
    /// Its clicks, repeated ones included.
    pub clicks: u32,
    /// Its outcome; `None` if it was set aside, and only shows that the unit was there.
    pub said: Option<ComparedRankers>,
}

/// A unit with a final outcome by clicks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledUnit {
    /// The unit.
    pub unit: u64,
    /// The version of the experiment, by its number.
    pub version: u32,
    /// The rankers that met: two, or those of a set. Empty for a bot that kept a set.
    pub arms: Vec<u32>,
    /// The only impression that counts, as [`Impression::shown`] has it; `None` if all do until the day that closed.
    pub only: Option<(i64, u64)>,
    /// Whether it counts for nothing.
    pub is_bot: bool,
}

/// Where a ledger keeps its records of units.
pub trait UnitStore {
    /// The record of a unit; an empty one for a unit that is not there.
    fn unit(&mut self, unit: u64) -> &mut UnitRecord;

    /// The record of a unit that is there.
    fn known(&mut self, unit: u64) -> Option<&mut UnitRecord>;
}

/// In memory.
impl UnitStore for BTreeMap<u64, UnitRecord> {
    fn unit(&mut self, unit: u64) -> &mut UnitRecord {
        self.entry(unit).or_default()
    }

    fn known(&mut self, unit: u64) -> Option<&mut UnitRecord> {
        self.get_mut(&unit)
    }
}

/// The units of an experiment, counted as its days close.
#[derive(Debug, Default)]
pub struct UnitLedger<S = BTreeMap<u64, UnitRecord>> {
    /// Units that count, or counted, for verdicts.
    units: S,
    days: OpenDays,
}

/// A ledger's data on days that are not closed, and how much it has counted.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct OpenDays {
    /// By day that is not closed: its impressions.
    pending: BTreeMap<i32, BTreeMap<u64, OfDay>>,
    /// By day: the units with a sum that ends.
    ending: BTreeMap<i32, Vec<u64>>,
    tally: Tally,
}

impl OpenDays {
    /// The units with something not counted yet; some of them more than once.
    pub fn units(&self) -> impl Iterator<Item = u64> {
        let pending = self.pending.values().flat_map(|units| units.keys());
        pending.chain(self.ending.values().flatten()).copied()
    }

    /// Whether something of this unit, with this record, is not counted yet.
    #[must_use]
    pub fn has(&self, unit: u64, record: &UnitRecord) -> bool {
        let ends = |last: i32| self.ending.contains_key(&last);
        self.pending.values().any(|units| units.contains_key(&unit))
            || record.sums.iter().any(|(_, sum)| ends(sum.last))
            || record.sets.iter().any(|(_, last, _)| ends(*last))
    }
}

/// How many units there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

/// Something for each of some pairs of a version: a unit mostly meets one, and of a set of a hundred rankers thousands.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum ByPair<T> {
    Few(Vec<(Key, T)>),
    Many(BTreeMap<Key, T>),
}

/// A version of the experiment, and a pair.
type Key = (u32, Pair);

/// How many pairs are compared one by one.
const FEW: usize = 16;

impl<T> Default for ByPair<T> {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl<T: Clone> ByPair<T> {
    /// The value of a key, made by `new` if missing.
    fn entry(&mut self, key: Key, new: impl FnOnce() -> T) -> &mut T {
        if let Self::Few(few) = self {
            if few.is_empty() {
                // Most units meet one pair: there is room for no more.
                few.reserve_exact(1);
            } else if few.len() == FEW {
                *self = Self::Many(std::mem::take(few).into_iter().collect());
            }
        }
        match self {
            Self::Many(many) => many.entry(key).or_insert_with(new),
            Self::Few(few) => {
                let at = few.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                    few.push((key, new()));
                    few.len() - 1
                });
                &mut few[at].1
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (Key, T)> {
        let (few, many) = match self {
            Self::Few(few) => (Some(few), None),
            Self::Many(many) => (None, Some(many)),
        };
        let few = few.into_iter().flatten().cloned();
        few.chain(many.into_iter().flatten().map(|(key, value)| (*key, value.clone())))
    }
}

/// A unit on a day.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
struct OfDay {
    impressions: u32,
    clicks: u32,
    most_clicks: u32,
    /// By impression: the version, when it was shown, and its outcome.
    said: Vec<(u32, (i64, u64), Option<ComparedRankers>)>,
}

/// A ledger's record of a unit.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct UnitRecord {
    bot_from: i32,
    /// By version and pair: the last day of its sum, and the sum.
    sums: ByPair<UnitSum>,
    /// By version: the last day of the set that the unit keeps, and the outcomes of its impressions until then.
    sets: Vec<(u32, i32, Vec<ComparedRankers>)>,
    /// The versions in which its first impression was seen.
    met: Vec<u32>,
}

/// The sum of a unit's impressions for a pair until a day.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct UnitSum {
    /// The last day that counts.
    last: i32,
    /// Wins minus losses.
    net: i32,
    amounts: UnitAmounts,
}

impl Default for UnitRecord {
    fn default() -> Self {
        Self { bot_from: i32::MAX, sums: ByPair::default(), sets: Vec::new(), met: Vec::new() }
    }
}

/// How a day is closed.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    /// By version: how the rankers of impressions were chosen. A version that is not there counts as steered, which holds however they
    /// were chosen.
    pub choices: &'a [PairChoice],
    /// On how many days a unit counts.
    pub unit_days: u32,
    /// The rules for bots.
    pub bots: &'a Bots,
    /// How many rankers there are.
    pub rankers: usize,
}

impl Rule<'_> {
    fn is_steered(&self, version: u32) -> bool {
        self.choices.get(version as usize).is_none_or(|choice| *choice == PairChoice::Steered)
    }
}

/// The counts of a day for a pair.
#[derive(Clone, Copy, Default)]
struct OfPair {
    units: Counts,
    impressions: Counts,
    amounts: Amounts,
}

impl OfPair {
    fn unit(&mut self, net: i32, amounts: UnitAmounts) {
        self.units.record(Preference::of_net(f64::from(net)));
        self.amounts.record(amounts);
    }

    fn impression(&mut self, net: i8) {
        self.impressions.record(Preference::of_net(f64::from(net)));
    }

    fn is_empty(&self) -> bool {
        self.units.total() + self.impressions.total() == 0
    }
}

impl AddAssign for OfPair {
    fn add_assign(&mut self, other: Self) {
        self.units += other.units;
        self.impressions += other.impressions;
        self.amounts += other.amounts;
    }
}

/// The counts of a day in a version by pair.
struct DayCounts {
    rankers: usize,
    few: BTreeMap<Pair, OfPair>,
    /// All pairs in the order of their numbers, once a set was counted.
    all: Vec<OfPair>,
}

impl DayCounts {
    fn impression(&mut self, said: &ComparedRankers) {
        if let ComparedRankers::Set(..) = said {
            self.expect_sets();
            said.each(|pair, net, _| self.all[pair_number(pair)].impression(net));
        } else {
            said.each(|pair, net, _| self.few.entry(pair).or_default().impression(net));
        }
    }

    /// A unit that counts by one impression.
    fn only(&mut self, said: &ComparedRankers) {
        if let ComparedRankers::Set(..) = said {
            self.expect_sets();
            said.each(|pair, net, clicks| self.all[pair_number(pair)].unit(net.into(), UnitAmounts::of(clicks)));
        } else {
            said.each(|pair, net, clicks| self.unit(pair, net.into(), UnitAmounts::of(clicks)));
        }
    }

    fn unit(&mut self, pair: Pair, net: i32, amounts: UnitAmounts) {
        self.few.entry(pair).or_default().unit(net, amounts);
    }

    fn expect_sets(&mut self) {
        if self.all.is_empty() {
            self.all = vec![Default::default(); self.rankers * (self.rankers - 1) / 2];
        }
    }

    fn rows(self) -> Vec<Row> {
        let mut rows = self.few;
        let pairs = (1..self.rankers as u32).flat_map(|second| (0..second).map(move |first| (first, second)));
        for (pair, counts) in pairs.zip(self.all).filter(|(_, counts)| !counts.is_empty()) {
            *rows.entry(pair).or_default() += counts;
        }
        rows.into_iter()
            .map(|(pair, OfPair { units, impressions, amounts })| Row { pair, units, impressions, amounts })
            .collect()
    }
}

/// The number of a pair among all: those of a larger second come later.
fn pair_number((first, second): Pair) -> usize {
    second as usize * (second as usize - 1) / 2 + first as usize
}

/// The counts of a day by version.
struct OfVersions {
    rankers: usize,
    versions: BTreeMap<u32, DayCounts>,
}

impl OfVersions {
    fn of(&mut self, version: u32) -> &mut DayCounts {
        let rankers = self.rankers;
        let new = || DayCounts { rankers, few: BTreeMap::new(), all: Vec::new() };
        self.versions.entry(version).or_insert_with(new)
    }
}

impl<S: UnitStore> UnitLedger<S> {
    /// A ledger that goes on with these units and days.
    #[must_use]
    pub fn new(units: S, days: OpenDays) -> Self {
        Self { units, days }
    }

    /// The units.
    #[must_use]
    pub fn units(&self) -> &S {
        &self.units
    }

    /// The same, for changes beside the ledger's.
    pub fn units_mut(&mut self) -> &mut S {
        &mut self.units
    }

    /// The days that are not counted yet.
    #[must_use]
    pub fn days(&self) -> &OpenDays {
        &self.days
    }

    /// How many units and impressions counted, on days that are closed.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.days.tally
    }

    /// Forgets all units, once nothing comes any more. What was counted stays.
    pub fn forget_units(&mut self)
    where
        S: Default,
    {
        self.units = S::default();
    }

    /// Adds an impression of a day that is not closed.
    pub fn add(&mut self, impression: Impression) {
        let Impression { unit, version, day, shown, clicks, said } = impression;
        let of_day = self.days.pending.entry(day).or_default().entry(unit).or_default();
        if said.is_some() {
            of_day.impressions = of_day.impressions.saturating_add(1);
            of_day.clicks = of_day.clicks.saturating_add(clicks);
            of_day.most_clicks = of_day.most_clicks.max(clicks);
        }
        of_day.said.push((version, shown, said));
    }

    /// The first day that has something to close.
    #[must_use]
    pub fn first_day(&self) -> Option<i32> {
        let [pending, ending] = [self.days.pending.keys().next(), self.days.ending.keys().next()];
        pending.into_iter().chain(ending).min().copied()
    }

    /// The rows of each version if all days closed now, while none has closed; `None` if more than `most` units came. Nothing counts
    /// yet.
    #[must_use]
    pub fn so_far(&self, rule: Rule<'_>, most: usize) -> Option<BTreeMap<u32, Vec<Row>>> {
        if self.days.pending.values().map(BTreeMap::len).sum::<usize>() > most {
            return None;
        }
        let mut ledger =
            UnitLedger::new(BTreeMap::new(), OpenDays { pending: self.days.pending.clone(), ..OpenDays::default() });
        let mut rows: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
        while let Some(day) = ledger.first_day() {
            for (version, of_day) in ledger.close(day, rule) {
                rows.entry(version).or_default().extend(of_day);
            }
        }
        Some(rows)
    }

    /// Closes a day; all days before it must be closed. Returns its rows of each version.
    pub fn close(&mut self, day: i32, rule: Rule<'_>) -> BTreeMap<u32, Vec<Row>> {
        self.close_with(day, rule, |_| {})
    }

    /// The same; `settled` gets each unit that ends on the day.
    pub fn close_with(
        &mut self,
        day: i32,
        rule: Rule<'_>,
        mut settled: impl FnMut(SettledUnit),
    ) -> BTreeMap<u32, Vec<Row>> {
        let mut counted = OfVersions { rankers: rule.rankers, versions: BTreeMap::new() };
        for (unit, mut of_day) in self.days.pending.remove(&day).unwrap_or_default() {
            let known = self.units.unit(unit);
            let [impressions, clicks, most] = [of_day.impressions, of_day.clicks, of_day.most_clicks].map(u64::from);
            if rule.bots.are_too_many(impressions, clicks, most) {
                known.bot_from = known.bot_from.min(day);
            }
            if known.bot_from <= day {
                self.days.tally.bot_impressions += impressions;
            } else {
                self.days.tally.impressions += impressions;
                let said = of_day.said.iter().filter_map(|(version, _, said)| Some((*version, said.as_ref()?)));
                said.for_each(|(version, said)| counted.of(version).impression(said));
            }
            let last = day.saturating_add(rule.unit_days as i32 - 1);
            let steered = of_day.said.extract_if(.., |(version, ..)| rule.is_steered(*version)).collect();
            for (version, shown, said) in close_first(known, steered, day, &mut counted, &mut self.days.tally) {
                let is_bot = known.bot_from <= day;
                settled(SettledUnit { unit, version, arms: said.arms(), only: Some(shown), is_bot });
            }
            if add_to_sums(known, of_day.said, day, last, &mut self.days.tally) {
                self.days.ending.entry(last).or_default().push(unit);
            }
        }
        for unit in self.days.ending.remove(&day).unwrap_or_default() {
            let Some(known) = self.units.known(unit) else { continue };
            let is_bot = known.bot_from <= day;
            let mut count = 0;
            for ((version, pair), sum) in known.sums.iter().filter(|(_, sum)| sum.last == day) {
                count += 1;
                settled(SettledUnit { unit, version, arms: vec![pair.0, pair.1], only: None, is_bot });
                if !is_bot {
                    counted.of(version).unit(pair, sum.net, sum.amounts);
                }
            }
            for (version, _, said) in known.sets.iter_mut().filter(|(_, last, _)| *last == day) {
                count += 1;
                let said = std::mem::take(said);
                let arms = said.first().map_or_else(Vec::new, ComparedRankers::arms);
                settled(SettledUnit { unit, version: *version, arms, only: None, is_bot });
                if !is_bot {
                    close_set(&said, counted.of(*version));
                }
            }
            *(if is_bot { &mut self.days.tally.bots } else { &mut self.days.tally.counted }) += count;
        }
        counted.versions.into_iter().map(|(version, counted)| (version, counted.rows())).collect()
    }
}

/// Counts a unit by its first impression in each version, if that was on this day; returns those with an outcome.
fn close_first(
    known: &mut UnitRecord,
    mut said: Vec<(u32, (i64, u64), Option<ComparedRankers>)>,
    day: i32,
    counted: &mut OfVersions,
    tally: &mut Tally,
) -> Vec<(u32, (i64, u64), ComparedRankers)> {
    let is_bot = known.bot_from <= day;
    said.sort_by_key(|(version, shown, _)| (*version, *shown));
    let mut firsts = Vec::new();
    for said in said.chunk_by_mut(|a, b| a.0 == b.0) {
        let version = said[0].0;
        let is_first = !known.met.contains(&version);
        let after = said[usize::from(is_first)..].iter().filter(|(.., said)| said.is_some()).count();
        tally.after_closing += if is_bot { 0 } else { after as u64 };
        if !is_first {
            continue;
        }
        known.met.push(version);
        let Some(first) = said[0].2.take() else { continue };
        *(if is_bot { &mut tally.bots } else { &mut tally.counted }) += 1;
        if !is_bot {
            counted.of(version).only(&first);
        }
        firsts.push((version, said[0].1, first));
    }
    firsts
}

/// Adds a day of a unit to its sums; whether one of them began, which ends on the day `last`.
fn add_to_sums(
    known: &mut UnitRecord,
    said: Vec<(u32, (i64, u64), Option<ComparedRankers>)>,
    day: i32,
    last: i32,
    tally: &mut Tally,
) -> bool {
    let is_bot = known.bot_from <= day;
    let mut begins = false;
    for (version, _, said) in said {
        let Some(said) = said else { continue };
        let ends = match said {
            ComparedRankers::Pair(pair, net, clicks) => {
                let sum = known.sums.entry((version, pair), || {
                    begins = true;
                    UnitSum { last, net: 0, amounts: UnitAmounts::default() }
                });
                if day <= sum.last && !is_bot {
                    sum.net += i32::from(net);
                    sum.amounts.add(clicks);
                }
                sum.last
            }
            ComparedRankers::Set(..) => {
                let at = known.sets.iter().position(|(of, ..)| *of == version).unwrap_or_else(|| {
                    begins = true;
                    known.sets.push((version, last, Vec::new()));
                    known.sets.len() - 1
                });
                let (_, last, all) = &mut known.sets[at];
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
fn close_set(all: &[ComparedRankers], counted: &mut DayCounts) {
    counted.expect_sets();
    if let [only] = all {
        return counted.only(only);
    }
    // All of the same rankers in the same order.
    let mut sums: Vec<(Pair, i32, UnitAmounts)> = Vec::new();
    for said in all {
        let mut at = 0;
        said.each(|pair, net, clicks| {
            if at == sums.len() {
                sums.push((pair, 0, UnitAmounts::default()));
            }
            let (_, sum, amounts) = &mut sums[at];
            *sum += i32::from(net);
            amounts.add(clicks);
            at += 1;
        });
    }
    for (pair, sum, amounts) in sums {
        counted.all[pair_number(pair)].unit(sum, amounts);
    }
}
