//! The outcome of an impression for one pair of its rankers, as bytes: units are counted from these.

use verdicts::amounts::SideClicks;
use verdicts::integrity::PageRecord;

use super::record::{
    ID_BYTES, ORIGIN_BYTES, Origin, TIME_BYTES, read_id, read_origin, read_time, write_id, write_origin, write_time,
};

/// One impression, one pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairOutcome {
    pub(super) unit: u128,
    /// When it was shown, in milliseconds since 1970, and a number from its id that orders impressions of one moment.
    pub(super) shown: (i64, u32),
    pub(super) day: i32,
    pub(super) lineup: u32,
    /// The places of the rankers in the lineup; [`UNKNOWN_PLACE`] if the impression does not name them.
    pub(super) pair: [u8; 2],
    /// 1 if the first won, -1 if the second did.
    pub(super) net: i8,
    /// Whether it is the first pair of its impression, which stands for the impression.
    pub(super) stands: bool,
    /// Whether the impression was set aside: it has no outcome, but its unit has seen a list.
    pub(super) is_set_aside: bool,
    pub(super) is_known_bot: bool,
    /// Clicks that were credited, each document once.
    pub(super) clicks: u32,
    /// All clicks in its window.
    pub(super) all_clicks: u32,
    /// What its page shows of the pair.
    pub(super) page: PageRecord,
    /// Clicks on documents of each of the pair, if it says who owns them.
    pub(super) sides: Option<SideClicks>,
    /// The advantage that its coins give the first of the pair, where that is noted. Either all records have it, or none.
    pub(super) advantage: Option<i16>,
    pub(super) origin: Option<Origin>,
}

/// Outcomes in any order.
pub(super) trait OutcomeSource {
    /// The unit of each.
    fn units(&self) -> impl Iterator<Item = u128>;
    fn get(&self, place: usize) -> PairOutcome;
}

impl OutcomeSource for Vec<PairOutcome> {
    fn units(&self) -> impl Iterator<Item = u128> {
        self.iter().map(|outcome| outcome.unit)
    }

    fn get(&self, place: usize) -> PairOutcome {
        self[place]
    }
}

/// Outcomes of a log in memory, without origins and advantages. Blocks have the size of blocks of records, and reuse their memory.
#[derive(Debug, Default)]
pub(super) struct OutcomeBlocks(Vec<Vec<CompactOutcome>>);

/// An outcome without its origin and its advantage, in 64 bytes.
#[derive(Debug, Clone, Copy)]
struct CompactOutcome {
    unit: u128,
    shown: (i64, u32),
    day: i32,
    lineup: u32,
    clicks: u32,
    all_clicks: u32,
    page: u32,
    sides: u32,
    pair: [u8; 2],
    net: i8,
    stands: bool,
    is_set_aside: bool,
    is_known_bot: bool,
}

impl OutcomeBlocks {
    const BLOCK_OUTCOMES: usize = 1 << 11;

    /// Adds an outcome, but for its origin and its advantage.
    pub(super) fn push(&mut self, outcome: PairOutcome) {
        if self.0.last().is_none_or(|block| block.len() == Self::BLOCK_OUTCOMES) {
            self.0.push(Vec::with_capacity(Self::BLOCK_OUTCOMES));
        }
        let PairOutcome { unit, shown, day, lineup, pair, net, stands, is_set_aside, is_known_bot, clicks, .. } =
            outcome;
        let (all_clicks, page) = (outcome.all_clicks, outcome.page.packed());
        let sides = SideClicks::packed(outcome.sides);
        let last = self.0.len() - 1;
        self.0[last].push(CompactOutcome {
            unit,
            shown,
            day,
            lineup,
            clicks,
            all_clicks,
            page,
            sides,
            pair,
            net,
            stands,
            is_set_aside,
            is_known_bot,
        });
    }

    /// The number of outcomes.
    pub(super) fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * Self::BLOCK_OUTCOMES + last.len())
    }
}

impl OutcomeSource for OutcomeBlocks {
    fn units(&self) -> impl Iterator<Item = u128> {
        self.0.iter().flatten().map(|outcome| outcome.unit)
    }

    fn get(&self, place: usize) -> PairOutcome {
        let kept = self.0[place / Self::BLOCK_OUTCOMES][place % Self::BLOCK_OUTCOMES];
        let CompactOutcome { unit, shown, day, lineup, clicks, all_clicks, pair, net, stands, is_set_aside, .. } = kept;
        PairOutcome {
            unit,
            shown,
            day,
            lineup,
            pair,
            net,
            stands,
            is_set_aside,
            is_known_bot: kept.is_known_bot,
            clicks,
            all_clicks,
            page: PageRecord::unpacked(kept.page),
            sides: SideClicks::unpacked(kept.sides),
            advantage: None,
            origin: None,
        }
    }
}

/// A ranker that owns nothing in a list.
pub(super) const UNKNOWN_PLACE: u8 = u8::MAX;

/// Bytes without an origin.
const RECORD_BYTES: usize = ID_BYTES + 15 + TIME_BYTES + 4 + PAGE_BYTES + SIDES_BYTES;
/// The bytes of its page record.
const PAGE_BYTES: usize = 3;
/// Bytes of the clicks on each side.
const SIDES_BYTES: usize = 4;

/// Bytes of an advantage.
const ADVANTAGE_BYTES: usize = 2;
const _: () = assert!(ADVANTAGE_BYTES != ORIGIN_BYTES);

/// Bytes of one, with its origin or without, and with its advantage or without.
pub(super) fn length(keeps_origins: bool, has_advantage: bool) -> usize {
    RECORD_BYTES + if keeps_origins { ORIGIN_BYTES } else { 0 } + if has_advantage { ADVANTAGE_BYTES } else { 0 }
}

impl PairOutcome {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        write_id(self.unit, bytes);
        bytes.extend_from_slice(&self.day.to_le_bytes());
        // There are at most 10,000 lineups, and as many documents in a list.
        bytes.extend_from_slice(&(self.lineup as u16).to_le_bytes());
        let flags = u8::from(self.stands)
            | u8::from(self.is_known_bot) << 1
            | ((self.net + 1) as u8) << 2
            | u8::from(self.is_set_aside) << 4;
        bytes.extend_from_slice(&[self.pair[0], self.pair[1], flags]);
        bytes.extend_from_slice(&(self.clicks as u16).to_le_bytes());
        bytes.extend_from_slice(&self.all_clicks.to_le_bytes());
        write_time(self.shown.0, bytes);
        bytes.extend_from_slice(&self.shown.1.to_le_bytes());
        bytes.extend_from_slice(&self.page.packed().to_le_bytes()[..PAGE_BYTES]);
        bytes.extend_from_slice(&SideClicks::packed(self.sides).to_le_bytes());
        if let Some(origin) = self.origin {
            write_origin(origin, bytes);
        }
        if let Some(advantage) = self.advantage {
            bytes.extend_from_slice(&advantage.to_le_bytes());
        }
    }

    /// One in exactly its bytes.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let has =
            [RECORD_BYTES + ADVANTAGE_BYTES, RECORD_BYTES + ORIGIN_BYTES + ADVANTAGE_BYTES].contains(&bytes.len());
        let (bytes, advantage) = bytes.split_at(bytes.len() - if has { ADVANTAGE_BYTES } else { 0 });
        let (id, tail) = bytes.split_at(ID_BYTES);
        let two = |at: usize| u32::from(u16::from_le_bytes(tail[at..at + 2].try_into().expect("two bytes")));
        let four = |at: usize| -> [u8; 4] { tail[at..at + 4].try_into().expect("four bytes") };
        let flags = tail[8];
        Self {
            unit: read_id(id),
            shown: (read_time(&tail[15..]), u32::from_le_bytes(four(15 + TIME_BYTES))),
            day: i32::from_le_bytes(four(0)),
            lineup: two(4),
            pair: [tail[6], tail[7]],
            net: (flags >> 2 & 3) as i8 - 1,
            stands: flags & 1 == 1,
            is_set_aside: flags & 16 == 16,
            is_known_bot: flags & 2 == 2,
            clicks: two(9),
            all_clicks: u32::from_le_bytes(four(11)),
            page: PageRecord::unpacked({
                let page = &tail[15 + TIME_BYTES + 4..];
                u32::from_le_bytes([page[0], page[1], page[2], 0])
            }),
            sides: SideClicks::unpacked(u32::from_le_bytes(four(15 + TIME_BYTES + 4 + PAGE_BYTES))),
            advantage: advantage.try_into().ok().map(i16::from_le_bytes),
            origin: (bytes.len() > RECORD_BYTES).then(|| read_origin(&bytes[RECORD_BYTES..])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let origins = [None, Some((3, 1 << 40))];
        for (origin, advantage) in origins.into_iter().flat_map(|origin| [(origin, None), (origin, Some(-667))]) {
            let outcome = PairOutcome {
                unit: (1 << 96) - 3,
                shown: (-1_700_000_000_123, 1 << 31),
                day: -5,
                lineup: 7,
                pair: [1, UNKNOWN_PLACE],
                net: -1,
                stands: true,
                is_set_aside: origin.is_none(),
                is_known_bot: true,
                clicks: 9,
                all_clicks: 1 << 20,
                page: PageRecord::unpacked(0xfff7 << 8 | 0b1_0001),
                sides: origin.map(|_| SideClicks([3, 10_000])),
                advantage,
                origin,
            };
            let mut bytes = Vec::new();
            outcome.write(&mut bytes);
            assert_eq!(
                (bytes.len(), PairOutcome::read(&bytes)),
                (length(origin.is_some(), advantage.is_some()), outcome)
            );
        }
    }
}
