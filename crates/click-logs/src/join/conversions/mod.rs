//! Conversions: what users later did with documents that they were shown, on any page, credited to the rankers that
//! showed them.
//!
//! A conversion names its user and a document, so it is joined with all impressions that showed the document to that user, not with
//! one impression as a click is. Conversions are few compared with impressions, and are kept in memory ([`ConversionLog`]); of an
//! impression, the join notes only where it shows a document that its user converted on ([`Appearance`]). When a unit is counted,
//! its conversions are credited for each of its versions and pairs ([`ConversionCredit`]).
//!
//! A unit closes for conversions some days after the last day on which its impressions count, and is counted on that day; later lines
//! change nothing that was counted.

mod log;

use std::collections::BTreeMap;

use times::Zone;
pub(super) use verdicts::conversions::Owner;
use verdicts::conversions::{ConversionCounts, Exposure, LineFate, LineRule, UnitConversions, credit};
use verdicts::draft::UnitDraft;

pub use self::log::ConversionLog;
use self::log::Line;
use super::record::ImpressionRecord;
use super::tally::ConversionFate;
use crate::model::NO_TEAM;

/// An impression that shows a document on which its user has a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Appearance {
    unit: u128,
    document: u64,
    /// When it was shown, and a number from its id that orders impressions of one moment.
    shown: (i64, u32),
    lineup: u32,
    /// The place of the ranker that owns the document in the lineup, or [`NO_TEAM`].
    owner: u8,
}

/// The conversions of a log with all of their appearances, for counting units.
pub(super) struct ConversionCredit<'a> {
    log: &'a ConversionLog,
    zone: Zone,
    /// How much a conversion may precede its impression.
    skew: i64,
    /// In order.
    appearances: Vec<Appearance>,
}

/// Conversions by version, closing day and pair.
pub(super) type ConversionDays = BTreeMap<(usize, i32, (usize, usize)), ConversionCounts>;

/// The result of crediting conversions.
#[derive(Debug, Default)]
pub(super) struct ConversionTotals {
    pub(super) days: ConversionDays,
    /// By line that concerns a unit that was counted: its place, and its fate for one version and pair.
    fates: Vec<(u32, ConversionFate)>,
    /// Outcomes of units that have not closed.
    pub(super) open: u64,
}

/// The outcome of a unit for which conversions are credited.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairUnit {
    pub(super) unit: u128,
    pub(super) version: usize,
    pub(super) pair: (usize, usize),
    /// The last day on which its impressions count.
    pub(super) last: i32,
    /// The impression that counts, if only one does.
    pub(super) only: Option<(i64, u32)>,
    /// The advantage that coins gave the first.
    pub(super) draft: UnitDraft,
    pub(super) is_bot: bool,
}

/// The result for one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitConversionState {
    Bot,
    Open,
    Counted(UnitConversions),
}

impl Appearance {
    /// Notes where an impression shows documents that its user has conversions on; `owner` is the owner of a place, if known.
    ///
    /// # Errors
    /// If the owners of its documents are not known.
    pub(super) fn note(
        log: &ConversionLog,
        record: ImpressionRecord<'_>,
        shown: (i64, u32),
        owner: impl Fn(usize) -> Option<u8>,
        appearances: &mut Vec<Self>,
    ) -> Result<(), String> {
        let (unit, lineup) = (record.unit(), record.lineup());
        let mut before = None;
        for document in log.documents_of_unit(unit) {
            if before.replace(document) == Some(document) {
                continue;
            }
            let Some(place) = record.position(document) else { continue };
            let owner = owner(place).ok_or(
                "conversions are credited to those who own documents, and some lists do not say who does; mix them by team-draft, \
                 team-draft:pairs or probabilistic:assignment, or leave out --outcomes",
            )?;
            appearances.push(Self { unit, document, shown, lineup, owner });
        }
        Ok(())
    }
}

impl<'a> ConversionCredit<'a> {
    pub(super) fn new(log: &'a ConversionLog, mut appearances: Vec<Appearance>, zone: Zone, skew: i64) -> Self {
        appearances.sort_unstable();
        Self { log, zone, skew, appearances }
    }

    pub(super) fn log(&self) -> &'a ConversionLog {
        self.log
    }

    /// The day on which a unit closes that has its last impression that counts on this one.
    pub(super) fn closing_day(&self, last: i32) -> i32 {
        last.saturating_add(self.log.rules().days as i32)
    }

    /// Counts the conversions of a unit for a pair, if it has closed by `last_day`. `owner` gives the one of the pair that owns the
    /// documents of a ranker, given as a place of a lineup, if that lineup is of the version and the pair met in it.
    pub(super) fn count(
        &self,
        unit: PairUnit,
        last_day: i32,
        owner: impl Fn(u32, u8) -> Option<Owner>,
        totals: &mut ConversionTotals,
    ) -> UnitConversionState {
        let closing_day = self.closing_day(unit.last);
        let fate = match unit {
            PairUnit { is_bot: true, .. } => Some(ConversionFate::Bot),
            _ if closing_day > last_day => Some(ConversionFate::Open),
            _ => None,
        };
        let (first, lines) = self.log.lines_of_unit(unit.unit);
        let mut sum = UnitConversions::default();
        let mut index = first;
        for group in lines.chunk_by(|a, b| a.line.is_of_group(&b.line)) {
            match fate {
                Some(fate) => totals.fates.extend((index..).zip(group).map(|(place, _)| (place, fate))),
                None => self.credit_group(index, group, unit, closing_day, &owner, &mut sum, totals),
            }
            index += group.len() as u32;
        }
        match fate {
            Some(ConversionFate::Bot) => return UnitConversionState::Bot,
            Some(_) => {
                totals.open += 1;
                return UnitConversionState::Open;
            }
            None => {}
        }
        totals.days.entry((unit.version, closing_day, unit.pair)).or_default().record(
            sum,
            unit.draft,
            self.log.rules().cap,
        );
        UnitConversionState::Counted(sum)
    }

    /// Credits the lines of a unit on one document in one order, by time; the first of them is that at `at`.
    #[expect(clippy::too_many_arguments, reason = "one group of one unit, and where it is noted")]
    fn credit_group(
        &self,
        at: u32,
        group: &[Line],
        unit: PairUnit,
        closing_day: i32,
        owner_of: &impl Fn(u32, u8) -> Option<Owner>,
        sum: &mut UnitConversions,
        totals: &mut ConversionTotals,
    ) {
        let seen = self.exposures(unit, group[0].line.document(), owner_of);
        let rule = LineRule { attribution: self.log.rules().attribution, skew: self.skew };
        let is_late = |time| self.zone.day(time) > closing_day;
        let note = |place: usize, fate: LineFate| totals.fates.push((at + place as u32, fate.into()));
        credit(group, &seen, rule, is_late, sum, note);
    }

    /// The impressions that showed a document to a unit and count for it, by time.
    fn exposures(&self, unit: PairUnit, document: u64, owner: &impl Fn(u32, u8) -> Option<Owner>) -> Vec<Exposure> {
        let key = |appearance: &Appearance| (appearance.unit, appearance.document);
        let begin = self.appearances.partition_point(|appearance| key(appearance) < (unit.unit, document));
        let candidates =
            self.appearances[begin..].iter().take_while(|appearance| key(appearance) == (unit.unit, document));
        let counts = |appearance: &&Appearance| match unit.only {
            Some(only) => appearance.shown == only,
            None => self.zone.day(appearance.shown.0) <= unit.last,
        };
        let owned = |appearance: &Appearance| {
            let owner = owner(appearance.lineup, appearance.owner)?;
            Some(Exposure { time: appearance.shown.0, owner })
        };
        candidates.filter(counts).filter_map(owned).collect()
    }
}

/// Which of a pair owns a document with this `owner`, given as a place of a lineup, if all rankers of the lineup are
/// known.
pub(super) fn owner(places: &[usize], pair: (usize, usize), owner: u8) -> Option<Owner> {
    if !places.contains(&pair.0) || !places.contains(&pair.1) {
        return None;
    }
    Some(match places.get(usize::from(owner)) {
        Some(&ranker) if owner != NO_TEAM && ranker == pair.0 => Owner::First,
        Some(&ranker) if owner != NO_TEAM && ranker == pair.1 => Owner::Second,
        _ => Owner::Neither,
    })
}

impl ConversionTotals {
    /// Adds the counts of other units.
    pub(super) fn add(&mut self, other: Self) {
        for (key, counts) in other.days {
            *self.days.entry(key).or_default() += counts;
        }
        self.fates.extend(other.fates);
        self.open += other.open;
    }

    /// By line of the log: its fate, the best that it has for any version and pair.
    pub(super) fn fates(&self, log: &ConversionLog) -> Vec<ConversionFate> {
        let mut fates = log.fates();
        for &(place, fate) in &self.fates {
            let known = &mut fates[place as usize];
            *known = fate.min(*known);
        }
        fates
    }
}
