//! What enters verdicts: outcomes by unit and day, as `click-logs credit` counts them from the same log.
//!
//! A unit's wins minus losses of a pair, summed over the days that count, are one outcome, on the last of these days; so no
//! user who searches a lot outweighs others. Where a policy chose at every impression, such sums are not fair, because the
//! policy ends them by what it has seen: there a unit's first impression alone counts.

use std::collections::BTreeMap;

use click_logs::model::{Bots, PairChoice};
use statistics::{Counts, Outcome as Result};

use super::event::Row;

/// Two rankers, the lower number first.
pub(crate) type Pair = (u32, u32);

/// What an impression that was closed says.
#[derive(Debug)]
pub(crate) struct Credited<'a> {
    pub(crate) unit: u64,
    pub(crate) day: i32,
    /// When it was shown, and its number.
    pub(crate) shown: (i64, u64),
    pub(crate) clicks: u32,
    /// Each pair, and 1 if its first won, -1 if its second did.
    pub(crate) nets: &'a [(Pair, i8)],
}

/// The units of an experiment.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// By day that is not closed: what its impressions say.
    pending: BTreeMap<i32, BTreeMap<u64, OfDay>>,
    /// Units that count, or counted, for verdicts.
    known: BTreeMap<u64, Known>,
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

/// The first impression of a unit on a day: when it was shown, its number, and what it says.
type First = ((i64, u64), Vec<(Pair, i8)>);

/// A unit on a day.
#[derive(Debug, Default)]
struct OfDay {
    impressions: u32,
    clicks: u32,
    most_clicks: u32,
    /// By pair: wins, losses, ties of its first.
    pairs: Vec<(Pair, [u32; 3])>,
    first: Option<First>,
}

#[derive(Debug)]
struct Known {
    bot_from: i32,
    /// By pair: the last day of its sum, and the sum.
    sums: Vec<(Pair, i32, i32)>,
    had_first: bool,
}

impl Default for Known {
    fn default() -> Self {
        Self { bot_from: i32::MAX, sums: Vec::new(), had_first: false }
    }
}

/// How a day is closed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule<'a> {
    pub(crate) choice: PairChoice,
    pub(crate) unit_days: u32,
    pub(crate) bots: &'a Bots,
}

impl Units {
    pub(crate) fn add(&mut self, credited: &Credited<'_>) {
        let day = self.pending.entry(credited.day).or_default().entry(credited.unit).or_default();
        day.impressions = day.impressions.saturating_add(1);
        day.clicks = day.clicks.saturating_add(credited.clicks);
        day.most_clicks = day.most_clicks.max(credited.clicks);
        for &(pair, net) in credited.nets {
            let at = day.pairs.iter().position(|(known, _)| *known == pair).unwrap_or_else(|| {
                day.pairs.push((pair, [0; 3]));
                day.pairs.len() - 1
            });
            day.pairs[at].1[match net {
                1.. => 0,
                ..0 => 1,
                0 => 2,
            }] += 1;
        }
        if day.first.as_ref().is_none_or(|(shown, _)| credited.shown < *shown) {
            day.first = Some((credited.shown, credited.nets.to_vec()));
        }
    }

    /// The first day that has something to close.
    pub(crate) fn first_day(&self) -> Option<i32> {
        let [pending, ending] = [self.pending.keys().next(), self.ending.keys().next()];
        pending.into_iter().chain(ending).min().copied()
    }

    /// Closes a day, all days before which are closed, and returns what it says.
    pub(crate) fn close(&mut self, day: i32, rule: Rule<'_>) -> Vec<Row> {
        let mut rows = BTreeMap::<Pair, [Counts; 2]>::new();
        for (unit, of_day) in self.pending.remove(&day).unwrap_or_default() {
            let known = self.known.entry(unit).or_default();
            let [impressions, clicks, most] = [of_day.impressions, of_day.clicks, of_day.most_clicks].map(u64::from);
            if rule.bots.are_too_many(impressions, clicks, most) {
                known.bot_from = known.bot_from.min(day);
            }
            let is_bot = known.bot_from <= day;
            for (pair, [wins, losses, ties]) in of_day.pairs {
                if !is_bot {
                    let counts = &mut rows.entry(pair).or_default()[1];
                    *counts += Counts::new(wins.into(), losses.into(), ties.into());
                }
                if rule.choice == PairChoice::Steered {
                    continue;
                }
                let at = known.sums.iter().position(|(known, ..)| *known == pair).unwrap_or_else(|| {
                    let last = day.saturating_add(rule.unit_days as i32 - 1);
                    known.sums.push((pair, last, 0));
                    let ending = self.ending.entry(last).or_default();
                    if ending.last() != Some(&unit) {
                        ending.push(unit);
                    }
                    known.sums.len() - 1
                });
                let (_, last, sum) = &mut known.sums[at];
                if day <= *last {
                    *sum += wins as i32 - losses as i32;
                } else if !is_bot {
                    self.tally.after_closing += u64::from(wins + losses + ties);
                }
            }
            if is_bot {
                self.tally.bot_impressions += impressions;
            } else {
                self.tally.impressions += impressions;
            }
            if rule.choice == PairChoice::Steered {
                self.tally.after_closing += if is_bot { 0 } else { impressions - u64::from(!known.had_first) };
                let first = of_day.first.filter(|_| !std::mem::replace(&mut known.had_first, true));
                let nets = first.map_or_else(Vec::new, |(_, nets)| nets);
                if is_bot {
                    self.tally.bots += nets.len() as u64;
                } else {
                    self.tally.counted += nets.len() as u64;
                    nets.iter().for_each(|(pair, net)| {
                        rows.entry(*pair).or_default()[0].record(Result::of_net(f64::from(*net)));
                    });
                }
            }
        }
        for unit in self.ending.remove(&day).unwrap_or_default() {
            let Some(known) = self.known.get(&unit) else { continue };
            for (pair, _, sum) in known.sums.iter().filter(|(_, last, _)| *last == day) {
                if known.bot_from <= day {
                    self.tally.bots += 1;
                } else {
                    self.tally.counted += 1;
                    rows.entry(*pair).or_default()[0].record(Result::of_net(f64::from(*sum)));
                }
            }
        }
        rows.into_iter().map(|(pair, [units, impressions])| Row { pair, units, impressions }).collect()
    }
}
