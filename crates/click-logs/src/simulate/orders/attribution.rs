//! The ranker that a conversion is credited to: the owner of its document where the user saw it last.

use std::collections::BTreeMap;

use times::DAY;

use super::CONVERSION_DAYS;
use super::order::{Order, ViewedPage};

/// The fate of a line of conversions. If several apply, the first is its fate: another action, another currency, an unknown user,
/// a bot, a copy, a return; an order that is counted for some pair of its user, returned, late, early or not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimulatedFate {
    /// No impression that counts showed the document.
    NotShown,
    /// Before every impression that counts and showed the document.
    Early,
    /// After its unit had closed.
    Late,
    /// Returned for its full value.
    Returned,
    /// Counted.
    Credited,
    /// A value below 0: a return.
    Return,
    /// The copy of a line.
    Duplicate,
    /// By a bot.
    Bot,
    /// By a user without impressions.
    UnknownUser,
    /// In another currency.
    OtherCurrency,
    /// Another action, such as a cart.
    OtherAction,
}

impl SimulatedFate {
    /// All of them, in the order of the file that has them.
    pub const ALL: [Self; 11] = [
        Self::Credited,
        Self::Returned,
        Self::Late,
        Self::NotShown,
        Self::Early,
        Self::UnknownUser,
        Self::Bot,
        Self::OtherCurrency,
        Self::OtherAction,
        Self::Duplicate,
        Self::Return,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Credited => "credited",
            Self::Returned => "returned",
            Self::Late => "late",
            Self::NotShown => "not-shown",
            Self::Early => "early",
            Self::UnknownUser => "unknown-unit",
            Self::Bot => "bot",
            Self::OtherCurrency => "other-currency",
            Self::OtherAction => "other-action",
            Self::Duplicate => "duplicate",
            Self::Return => "return",
        }
    }

    /// The fate of a second line with the same content.
    pub(super) fn fate_of_copy(self) -> Self {
        match self {
            Self::OtherAction | Self::OtherCurrency | Self::UnknownUser | Self::Bot => self,
            _ => Self::Duplicate,
        }
    }
}

/// Numbers of lines by fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct ConversionTally([u64; SimulatedFate::ALL.len()]);

impl ConversionTally {
    pub(super) fn add(&mut self, fate: SimulatedFate, lines: u64) {
        self.0[fate as usize] += lines;
    }

    pub(in super::super) fn of(&self, fate: SimulatedFate) -> u64 {
        self.0[fate as usize]
    }
}

impl std::ops::AddAssign for ConversionTally {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }
}

/// A unit's orders of the documents of each of two rankers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct UnitConversions {
    pub(in super::super) version: Option<String>,
    /// The day on which it closes for conversions.
    pub(in super::super) day: i32,
    pub(in super::super) pair: (usize, usize),
    pub(in super::super) conversions: [u64; 2],
    /// In minor units.
    pub(in super::super) value: [i64; 2],
}

/// A unit while its conversions are added up.
pub(super) struct Unit<'a> {
    /// The impressions that count for it.
    seen: Vec<&'a ViewedPage>,
    pub(super) conversions: UnitConversions,
}

/// The impressions of each day.
type Days<'a> = BTreeMap<i32, Vec<&'a ViewedPage>>;

/// The units that a user is: one for each version and pair, with the impressions of its first day.
pub(super) fn units(pages: &[ViewedPage]) -> Vec<Unit<'_>> {
    let mut days: BTreeMap<(&Option<String>, (usize, usize)), Days<'_>> = BTreeMap::new();
    for impression in pages {
        if let Some((version, day, pair)) = &impression.counted {
            days.entry((version, *pair)).or_default().entry(*day).or_default().push(impression);
        }
    }
    let mut units = Vec::with_capacity(days.len());
    for ((version, pair), days) in days {
        if let Some((first, pages)) = days.into_iter().next() {
            let (version, day) = (version.clone(), first + CONVERSION_DAYS);
            let conversions = UnitConversions { version, day, pair, conversions: [0; 2], value: [0; 2] };
            units.push(Unit { seen: pages, conversions });
        }
    }
    units
}

fn day_of_time(time: i64) -> i32 {
    time.div_euclid(DAY) as i32
}

impl Unit<'_> {
    /// Adds an order; returns its fate for this unit.
    pub(super) fn record(&mut self, order: &Order) -> SimulatedFate {
        let showing_pages = |seen: &&ViewedPage| seen.owner(order.document).map(|owner| (seen.time, owner));
        let showing_pages: Vec<(i64, Option<usize>)> = self.seen.iter().filter_map(showing_pages).collect();
        if showing_pages.is_empty() {
            return SimulatedFate::NotShown;
        }
        let before = showing_pages.iter().filter(|(time, _)| *time <= order.time);
        let Some((_, owner)) = before.max_by_key(|(time, _)| *time) else { return SimulatedFate::Early };
        let counts = &mut self.conversions;
        if day_of_time(order.time) > counts.day {
            return SimulatedFate::Late;
        }
        let returned = order.returned.filter(|(time, _)| day_of_time(*time) <= counts.day);
        let value = order.value - returned.map_or(0, |(_, value)| value);
        if value <= 0 {
            return SimulatedFate::Returned;
        }
        if let Some(owner) = owner {
            let side = usize::from(*owner == counts.pair.1);
            counts.conversions[side] += 1;
            counts.value[side] += value;
        }
        SimulatedFate::Credited
    }
}
