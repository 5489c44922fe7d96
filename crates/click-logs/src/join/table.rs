//! A table of some impressions that their clicks are looked up in.

use std::collections::BTreeMap;

use verdicts::integrity::PageRecord;

use super::conversions::{Appearance, ConversionLog};
use super::outcome::{PairOutcome, UNKNOWN_PLACE};
use super::page_reader::{ClickedDocuments, PageReader};
use super::record::{ClickRecord, ImpressionRecord, Origin, UNITLESS_LINEUP, UNMIXED_LINEUP};
use super::tally::{Aside, ClickFate, ImpressionFate, Tally};
use crate::model::{Lineup, NO_TEAM, Scheme, Settings, SingleRanker};

/// Impressions, each id once, with their clicks.
pub(super) struct ImpressionTable<'a> {
    settings: &'a Settings,
    /// Conversions on documents that impressions show.
    conversions: Option<&'a ConversionLog>,
    /// Impressions are open if their window ends later.
    complete_until: i64,
    keeps_origins: bool,
    /// The records of the first copies.
    records: Vec<u8>,
    entries: Vec<Entry>,
    /// A part of an id and its place in `entries`, by hash; [`NO_ENTRY`] where there is none.
    slots: Vec<(u32, u32)>,
    /// Clicked positions, 64 to a word.
    clicked: Vec<u64>,
    tally: Tally,
    asides: Vec<Aside>,
    /// By impression in conflict: the units and lineups of its copies but the one in `records`, when each saw it first, and in which line.
    conflicts: BTreeMap<u128, BTreeMap<UnitAndLineup, (SeenAt, Option<Origin>)>>,
}

/// A unit, and the lineup that it saw.
type UnitAndLineup = (u128, u32);

/// When an impression was seen, and a number that orders those of one moment and depends on nothing but the id.
type SeenAt = (i64, u32);

struct Entry {
    /// Where its record is.
    record_offset: usize,
    /// Where its words in `clicked` are.
    words: u32,
    copies: u32,
    /// Clicks by their fate, if the impression counts.
    clicks: [u32; FATE_COUNT],
    /// The first 64 positions on which clicks are but for how the id is written.
    near: u64,
    is_conflict: bool,
}

/// The fates that a click on an impression that counts can have: the first ones.
const FATE_COUNT: usize = ClickFate::NotShown as usize + 1;
const _: () = assert!(ClickFate::Credited as usize == 0 && FATE_COUNT == 6);

const NO_ENTRY: u32 = u32::MAX;

/// The number of ids that are looked up together.
const GROUP_SIZE: usize = 32;

/// Bytes of a record that is usual: ten documents and their teams.
const USUAL_RECORD_BYTES: usize = 88;

/// Passes the records on in their order, in groups of at most [`GROUP_SIZE`], each with its ids, so that look-ups wait for
/// memory once per group.
pub(super) fn for_each_group<R>(
    mut records: impl Iterator<Item = R>,
    id: impl Fn(&R) -> u128,
    mut each: impl FnMut(&[R], &[u128]),
) {
    let (mut group, mut ids) = (Vec::with_capacity(GROUP_SIZE), Vec::with_capacity(GROUP_SIZE));
    loop {
        group.clear();
        group.extend(records.by_ref().take(GROUP_SIZE));
        if group.is_empty() {
            return;
        }
        ids.clear();
        ids.extend(group.iter().map(&id));
        each(&group, &ids);
    }
}

/// When an impression was seen.
fn seen_at(record: ImpressionRecord<'_>) -> SeenAt {
    (record.time(), (record.id() >> 32) as u32)
}

/// Whether an impression was not mixed, or has no unit.
fn is_without_unit(record: ImpressionRecord<'_>) -> bool {
    matches!(record.lineup(), UNMIXED_LINEUP | UNITLESS_LINEUP)
}

/// The part of an id that a slot holds, so that most others need not be looked up.
fn slot_tag(id: u128) -> u32 {
    (id >> 32) as u32
}

/// The result of a table's impressions.
pub(super) struct JoinedTable {
    pub(super) tally: Tally,
    pub(super) asides: Vec<Aside>,
    pub(super) appearances: Vec<Appearance>,
}

/// What is kept of an impression for clicks that come after it left the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClosedImpression {
    pub(super) id: u128,
    pub(super) time: i64,
    /// Whether it counts, as far as the join knows.
    pub(super) counts: bool,
}

/// The fate of a click outside the window, on whatever document; `None` within.
pub(super) fn outside_window(settings: &Settings, shown: i64, clicked: i64) -> Option<ClickFate> {
    let after = clicked.saturating_sub(shown);
    if after < -settings.skew {
        Some(ClickFate::Early)
    } else if after > settings.window {
        Some(ClickFate::Late)
    } else {
        None
    }
}

impl<'a> ImpressionTable<'a> {
    /// A table for some `bytes` of records; it grows.
    pub(super) fn new(settings: &'a Settings, complete_until: i64, keeps_origins: bool, bytes: usize) -> Self {
        let entries = bytes / USUAL_RECORD_BYTES;
        Self {
            settings,
            conversions: None,
            complete_until,
            keeps_origins,
            records: Vec::with_capacity(bytes),
            entries: Vec::with_capacity(entries),
            slots: vec![(0, NO_ENTRY); (2 * entries).next_power_of_two().max(1024)],
            clicked: Vec::new(),
            tally: Tally::default(),
            asides: Vec::new(),
            conflicts: BTreeMap::new(),
        }
    }

    /// The same table, which also notes documents that impressions show and their users have conversions on.
    pub(super) fn with_conversions(self, conversions: Option<&'a ConversionLog>) -> Self {
        Self { conversions, ..self }
    }

    /// The memory that a table takes for `bytes` bytes of records, at most.
    pub(super) fn memory(bytes: u64) -> u64 {
        // An entry, its slots and its word for each of the shortest records that are usual.
        5 * bytes / 2
    }

    /// Bytes of its records.
    pub(super) fn bytes(&self) -> usize {
        self.records.len()
    }

    /// From now on, impressions whose window ends after `complete_until` are open.
    pub(super) fn set_complete_until(&mut self, complete_until: i64) {
        self.complete_until = complete_until;
    }

    fn record(&self, at: usize) -> ImpressionRecord<'_> {
        ImpressionRecord::first(&self.records[at..], self.keeps_origins).expect("an entry has a record")
    }

    /// The slot of an id: the one that holds it, or the empty one where it belongs.
    fn slot(&self, id: u128) -> usize {
        let mask = self.slots.len() - 1;
        // The lower half chose the partition.
        let mut slot = (id >> 64) as usize & mask;
        loop {
            match self.slots[slot] {
                (_, NO_ENTRY) => return slot,
                (part, entry)
                    if part == slot_tag(id) && self.record(self.entries[entry as usize].record_offset).id() == id =>
                {
                    return slot;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The place of an impression.
    pub(super) fn entry(&self, id: u128) -> Option<usize> {
        let (_, entry) = self.slots[self.slot(id)];
        (entry != NO_ENTRY).then_some(entry as usize)
    }

    /// Reads the memory that looking up these ids will need, at most [`GROUP_SIZE`] of them: one wait instead of many.
    pub(super) fn prefetch(&self, ids: &[u128]) {
        let mask = self.slots.len() - 1;
        let mut slots_found = [usize::MAX; GROUP_SIZE];
        for (slot, &id) in slots_found.iter_mut().zip(ids) {
            let (part, entry) = self.slots[(id >> 64) as usize & mask];
            if entry != NO_ENTRY && part == slot_tag(id) {
                *slot = entry as usize;
            }
        }
        for slot in &mut slots_found {
            if let Some(entry) = self.entries.get(*slot) {
                *slot = entry.record_offset;
            }
        }
        let read = slots_found.iter().filter_map(|&at| self.records.get(at)).fold(0, |sum, byte| sum ^ byte);
        std::hint::black_box(read);
    }

    /// Adds an impression; whether clicks that were noted on it before might have another fate now.
    ///
    /// Its copies are one impression, shown at the time of the first, if they agree apart from their times. Lists without
    /// documents are ignored if another copy has some: UBI logs a query several times, often without its hits.
    pub(super) fn insert(&mut self, record: ImpressionRecord<'_>) -> bool {
        let slot = self.slot(record.id());
        let (_, place) = self.slots[slot];
        if place != NO_ENTRY {
            let Entry { record_offset: offset, .. } = self.entries[place as usize];
            let known_record = self.record(offset);
            let key = |record: ImpressionRecord<'_>| (record.time(), record.origin());
            let is_same = known_record.says_the_same(record);
            let is_other = known_record.time() != record.time();
            let (is_earlier, are_empty) =
                (key(record) < key(known_record), [known_record, record].map(|record| record.shown_count() == 0));
            let bytes = known_record.length();
            let entry = &mut self.entries[place as usize];
            let was_clicked = entry.clicks.iter().any(|clicks| *clicks > 0);
            entry.copies += u32::from(record.copies());
            match are_empty {
                [false, true] => return false,
                [true, false] => {
                    entry.is_conflict = false;
                    self.conflicts.remove(&record.id());
                    (entry.record_offset, entry.words) = (self.records.len(), self.clicked.len() as u32);
                    self.records.extend_from_slice(record.bytes());
                    self.clicked.resize(self.clicked.len() + record.shown_count().div_ceil(64), 0);
                    return was_clicked;
                }
                _ => {}
            }
            if is_same && is_earlier {
                // The first one is the one that counts.
                self.records[offset..offset + bytes].copy_from_slice(record.bytes());
                return was_clicked && is_other;
            }
            entry.is_conflict |= !is_same;
            if !is_same {
                self.note_conflict(record);
            }
            return false;
        }
        self.slots[slot] = (slot_tag(record.id()), self.entries.len() as u32);
        let click_words = self.clicked.len() as u32;
        self.clicked.resize(self.clicked.len() + record.shown_count().div_ceil(64), 0);
        let offset = self.records.len();
        self.entries.push(Entry {
            record_offset: offset,
            words: click_words,
            copies: record.copies().into(),
            clicks: [0; FATE_COUNT],
            near: 0,
            is_conflict: false,
        });
        self.records.extend_from_slice(record.bytes());
        if 2 * self.entries.len() > self.slots.len() {
            self.grow();
        }
        false
    }

    /// Notes that a copy of an impression differs from the stored one.
    fn note_conflict(&mut self, record: ImpressionRecord<'_>) {
        if !is_without_unit(record) {
            let units = self.conflicts.entry(record.id()).or_default();
            let sighting = (seen_at(record), record.origin());
            let first = units.entry((record.unit(), record.lineup())).or_insert(sighting);
            *first = sighting.min(*first);
        }
    }

    /// Adds impressions; waits for memory are few.
    pub(super) fn insert_all<'b>(&mut self, records: impl Iterator<Item = ImpressionRecord<'b>>) {
        for_each_group(
            records,
            |record| record.id(),
            |group, ids| {
                self.prefetch(ids);
                for &record in group {
                    self.insert(record);
                }
            },
        );
    }

    /// Notes clicks, when all impressions have been inserted; waits for memory are few.
    pub(super) fn click_all(&mut self, clicks: impl Iterator<Item = ClickRecord>) {
        for_each_group(
            clicks,
            |click| click.id,
            |group, ids| {
                self.prefetch(ids);
                group.iter().for_each(|&click| self.click(click));
            },
        );
    }

    fn grow(&mut self) {
        self.slots = vec![(0, NO_ENTRY); 2 * self.slots.len()];
        for entry in 0..self.entries.len() {
            let id = self.record(self.entries[entry].record_offset).id();
            let slot = self.slot(id);
            self.slots[slot] = (slot_tag(id), entry as u32);
        }
    }

    /// The fate of the only line of an entry, as far as it is known before clicks and units are.
    fn fate(&self, entry: &Entry) -> ImpressionFate {
        let record = self.record(entry.record_offset);
        if entry.is_conflict {
            ImpressionFate::Conflict
        } else if record.lineup() == UNMIXED_LINEUP {
            ImpressionFate::NotMixed
        } else if record.lineup() == UNITLESS_LINEUP {
            ImpressionFate::NoUnit
        } else if record.time().saturating_add(self.settings.window) > self.complete_until {
            ImpressionFate::Open
        } else {
            ImpressionFate::Credited
        }
    }

    /// Notes a click, when all impressions have been inserted.
    pub(super) fn click(&mut self, click: ClickRecord) {
        let fate = match self.entry(click.id) {
            None => {
                self.tally.clicks(ClickFate::Unknown, click.copies.into());
                ClickFate::Unknown
            }
            Some(entry) => {
                let fate = self.add_click(entry, click);
                let is_set_aside = self.keeps_origins && self.fate(&self.entries[entry]) != ImpressionFate::Credited;
                if is_set_aside { ClickFate::SetAside } else { fate }
            }
        };
        if let Some((file, line)) = click.origin
            && fate != ClickFate::Credited
        {
            self.asides.push(Aside { is_impression: false, file, line, fate: fate.name() });
        }
    }

    /// Notes a click on an impression; returns its fate, if the impression counts in the end.
    pub(super) fn add_click(&mut self, entry: usize, click: ClickRecord) -> ClickFate {
        let Entry { record_offset: offset, words: click_words, .. } = self.entries[entry];
        let record = self.record(offset);
        let mut near_matches = 0;
        let fate = match outside_window(self.settings, record.time(), click.time) {
            Some(fate) => fate,
            None => match record.position(click.document) {
                None => {
                    near_matches = record
                        .near_position(click.document)
                        .map_or(0, |position| 1_u64.checked_shl(position as u32).unwrap_or(0));
                    ClickFate::NotShown
                }
                Some(_) if !click.is_satisfied => ClickFate::Unsatisfied,
                Some(position) => {
                    let word = &mut self.clicked[click_words as usize + position / 64];
                    let bit = 1 << (position % 64);
                    let is_repeated = *word & bit != 0;
                    *word |= bit;
                    if is_repeated { ClickFate::Repeated } else { ClickFate::Credited }
                }
            },
        };
        self.entries[entry].near |= near_matches;
        let mut add = |fate: ClickFate, lines: u8| {
            let count = &mut self.entries[entry].clicks[fate as usize];
            *count = count.saturating_add(lines.into());
        };
        match fate {
            ClickFate::Credited => {
                add(fate, 1);
                add(ClickFate::Repeated, click.copies - 1);
            }
            _ => add(fate, click.copies),
        }
        fate
    }

    /// Notes which copy of an impression counts: with origins, every record is passed again when all clicks are known.
    pub(super) fn revisit(&mut self, record: ImpressionRecord<'_>) {
        let (Some(entry), Some((file, line))) = (self.entry(record.id()), record.origin()) else { return };
        let entry = &self.entries[entry];
        let fate = match self.fate(entry) {
            ImpressionFate::Conflict => ImpressionFate::Conflict,
            _ if record.origin() != self.record(entry.record_offset).origin() => ImpressionFate::Duplicate,
            ImpressionFate::Credited => return,
            fate => fate,
        };
        self.asides.push(Aside { is_impression: true, file, line, fate: fate.name() });
    }

    /// Credits every impression, passes its outcome for each pair to `take`, and the rest of it to `leave`.
    pub(super) fn finish(
        self,
        lineups: &[Lineup],
        mut take: impl FnMut(PairOutcome),
        mut leave: impl FnMut(ClosedImpression),
    ) -> Result<JoinedTable, String> {
        let (mut positions, mut teams, mut page) = (Vec::new(), Vec::new(), PageReader::default());
        let (mut tally, mut appearances) = (self.tally, Vec::new());
        let draft_places = self.conversions.and_then(|log| log.rules().draft_places);
        for entry in &self.entries {
            let fate = self.fate(entry);
            let counts = fate == ImpressionFate::Credited;
            let record = self.record(entry.record_offset);
            leave(ClosedImpression { id: record.id(), time: record.time(), counts });
            let duplicates = u64::from(entry.copies) - 1;
            if fate == ImpressionFate::Conflict {
                tally.impressions(fate, duplicates + 1);
            } else {
                tally.impressions(ImpressionFate::Duplicate, duplicates);
                tally.impressions(fate, u64::from(!counts));
            }
            for (&fate, &clicks) in ClickFate::ALL.iter().zip(&entry.clicks) {
                tally.clicks(if counts { fate } else { ClickFate::SetAside }, u64::from(clicks));
            }
            if !counts {
                continue;
            }
            // Clicks that come when nothing more may change make no bot.
            let in_window = [ClickFate::Credited, ClickFate::Repeated, ClickFate::Unsatisfied, ClickFate::NotShown];
            let in_window =
                in_window.into_iter().fold(0_u32, |sum, fate| sum.saturating_add(entry.clicks[fate as usize]));
            tally.busiest = tally.busiest.max(u64::from(in_window));
            let oddities = record.oddities();
            tally.with_pinned += u64::from(oddities.has_pinned);
            tally.with_left_out += u64::from(oddities.has_left_out);
            positions.clear();
            for (number, mut click_word) in (0..)
                .zip(&self.clicked[entry.words as usize..][..record.shown_count().div_ceil(64)])
                .map(|(number, click_word)| (number, *click_word))
            {
                while click_word != 0 {
                    positions.push(64 * number + click_word.trailing_zeros() as usize);
                    click_word &= click_word - 1;
                }
            }
            let lineup = &lineups[record.lineup() as usize];
            let credit = record.credit(&mut teams);
            let lost = entry.clicks[ClickFate::NotShown as usize] > 0;
            let clicked = ClickedDocuments { any: in_window > 0, lost, near: entry.near };
            page.read(lineup, record, credit, &positions, clicked)?;
            if let Some(log) = self.conversions {
                Appearance::note(log, record, seen_at(record), |place| page.owner(place), &mut appearances)?;
            }
            let drafted = draft_places.map(|places| page.drafted_places(lineup, record, places)).transpose()?;
            let advantage = |i, j| drafted.map(|places| page.advantage(places, i, j));
            let mut outcome = PairOutcome {
                unit: record.unit(),
                shown: seen_at(record),
                day: self.settings.zone.day(record.time()),
                lineup: record.lineup(),
                pair: [0, UNKNOWN_PLACE],
                net: 0,
                stands: true,
                is_set_aside: false,
                is_known_bot: record.is_known_bot(),
                clicks: positions.len() as u32,
                all_clicks: in_window,
                page: PageRecord::default(),
                sides: None,
                advantage: None,
                origin: record.origin(),
            };
            if matches!(lineup.scheme, Scheme::Teams) && lineup.rankers.len() < 2 {
                // The other ranker owns nothing here: a click on this one's document is a win over any other.
                let wins = positions.iter().any(|&position| credit[position] == 0);
                // A ranker that was shown alone has no opponent: a pair of a ranker with itself never counts.
                outcome.pair = match (lineup.rankers.is_empty(), lineup.alone) {
                    (true, _) => [UNKNOWN_PLACE; 2],
                    (false, SingleRanker::Yes) => [0; 2],
                    (false, _) => [0, UNKNOWN_PLACE],
                };
                outcome.net = i8::from(wins);
                outcome.page = page.pair_record(0, NO_TEAM);
                outcome.sides = page.sides(0, UNKNOWN_PLACE);
                outcome.advantage = advantage(0, UNKNOWN_PLACE);
                take(outcome);
                continue;
            }
            lineup.outcomes(credit, record.shown_count(), &positions, |i, j, winner| {
                outcome.pair = [i as u8, j as u8];
                outcome.page = page.pair_record(i as u8, j as u8);
                outcome.sides = page.sides(i as u8, j as u8);
                outcome.advantage = advantage(i as u8, j as u8);
                outcome.net = match winner {
                    interleave::Preference::First => 1,
                    interleave::Preference::Second => -1,
                    interleave::Preference::Tie => 0,
                };
                take(outcome);
                outcome.stands = false;
            })?;
            tally.optimized += u64::from(lineup.is_optimized());
        }
        for entry in self.entries.iter().filter(|entry| entry.is_conflict) {
            let record = self.record(entry.record_offset);
            let copies = self.conflicts.get(&record.id()).into_iter().flatten();
            let held = (!is_without_unit(record))
                .then(|| ((record.unit(), record.lineup()), (seen_at(record), record.origin())));
            for ((unit, lineup), (shown, origin)) in copies.map(|(key, first)| (*key, *first)).chain(held) {
                take(PairOutcome {
                    unit,
                    shown,
                    day: self.settings.zone.day(shown.0),
                    lineup,
                    pair: [UNKNOWN_PLACE; 2],
                    net: 0,
                    stands: false,
                    is_set_aside: true,
                    is_known_bot: false,
                    clicks: 0,
                    all_clicks: 0,
                    page: PageRecord::default(),
                    sides: None,
                    advantage: draft_places.map(|_| 0),
                    origin,
                });
            }
        }
        Ok(JoinedTable { tally, asides: self.asides, appearances })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_passed_on_once_and_in_order() {
        for records in [0, 1, GROUP_SIZE, GROUP_SIZE + 1, 5 * GROUP_SIZE - 1] {
            let mut passed = Vec::new();
            for_each_group(
                0..records,
                |record| 2 * *record as u128,
                |group, ids| {
                    assert!(!group.is_empty() && group.len() <= GROUP_SIZE);
                    assert!(ids.iter().zip(group).all(|(&id, &record)| id == 2 * record as u128));
                    passed.extend_from_slice(group);
                },
            );
            assert!(passed.iter().copied().eq(0..records));
        }
    }
}
