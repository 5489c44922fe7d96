//! Impressions and clicks as compact bytes with only what the join needs, because logs in any order pass through files. Ids are hashes
//! of 96 bits, so that two of a billion are the same by chance with a probability of 10^-11; documents, which are compared within one
//! list, have 40, or 48 where two of a list agree in 40. Of these, 24 are of the id's normal form, to distinguish a click on a
//! document that was not shown from one with an id that is written in another way.

use crate::model::{NO_TEAM, Oddities};
use ranktypes::varint;

/// Where a line is: the number of its file and of the line.
pub(super) type Origin = (u32, u64);

/// Bytes of an origin.
pub(super) const ORIGIN_BYTES: usize = 12;
/// Bytes of an id.
pub(super) const ID_BYTES: usize = 12;
/// Bytes of a time: a million years of milliseconds.
pub(super) const TIME_BYTES: usize = 7;
/// Bytes of the document of a click.
const DOCUMENT_BYTES: usize = 6;
/// Bytes of a document of an impression, unless these are not enough.
const NARROW_BYTES: usize = DOCUMENT_BYTES - 1;
/// The bits of a document of an impression, unless these are not enough.
pub(super) const MAX_NARROW_DOCUMENT: u64 = (1 << (8 * NARROW_BYTES)) - 1;
/// Bytes of a document that are those of the [normal form](verdicts::integrity::normal_form) of its id.
const NORMAL_FORM_BYTES: usize = 3;
/// The bits of a document that are those of its normal form.
pub(super) const NORMAL_FORM_MASK: u64 = (1 << (8 * NORMAL_FORM_BYTES)) - 1;
/// Bytes of a click without its origin.
pub(super) const CLICK_BYTES: usize = ID_BYTES + DOCUMENT_BYTES + TIME_BYTES + 1;

/// An impression is from a bot, according to its user or agent.
const IS_BOT: u8 = 1;
/// Its documents have 48 bits instead of 40.
const IS_WIDE: u8 = 2;
/// Its credit is a team of two bits per position.
const IS_PACKED: u8 = 4;
/// Some places of the page have no owner.
const HAS_PINNED: u8 = 8;
/// Documents that were mixed were left out.
const HAS_LEFT_OUT: u8 = 16;
/// Documents are in another order than they were mixed in.
const IS_MOVED: u8 = 32;

/// The lineup of an impression that was not mixed.
pub(super) const UNMIXED_LINEUP: u32 = u32::MAX;
/// The lineup of an impression without a unit.
pub(super) const UNITLESS_LINEUP: u32 = u32::MAX - 1;

/// The number of reserved lineup numbers; written lineup numbers are shifted by it.
const SPECIAL_LINEUPS: u32 = 2;
/// The most lines that a record stands for.
pub(super) const MAX_COPIES: u8 = 0x7f;
/// No team, among teams of two bits.
const PACKED_NO_TEAM: u8 = 3;
/// The user stayed long enough after a click, if a rule requires that.
const IS_SATISFIED: u8 = 0x80;

pub(super) fn write_id(id: u128, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&id.to_le_bytes()[..ID_BYTES]);
}

/// The id at the beginning of some bytes.
pub(super) fn read_id(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..ID_BYTES].copy_from_slice(&bytes[..ID_BYTES]);
    u128::from_le_bytes(all)
}

pub(super) fn write_time(time: i64, bytes: &mut Vec<u8>) {
    const MAX_TIME: i64 = (1 << (8 * TIME_BYTES - 1)) - 1;
    bytes.extend_from_slice(&time.clamp(-MAX_TIME, MAX_TIME).to_le_bytes()[..TIME_BYTES]);
}

/// The time at the beginning of some bytes.
pub(super) fn read_time(bytes: &[u8]) -> i64 {
    const SHIFT_BYTES: usize = 8 - TIME_BYTES;
    let mut all = [0; 8];
    all[SHIFT_BYTES..].copy_from_slice(&bytes[..TIME_BYTES]);
    i64::from_le_bytes(all) >> (8 * SHIFT_BYTES)
}

/// An impression to be written.
pub(super) struct NewImpression<'a> {
    pub(super) id: u128,
    pub(super) time: i64,
    pub(super) unit: u128,
    pub(super) lineup: u32,
    pub(super) is_known_bot: bool,
    pub(super) documents: &'a [u64],
    /// Whether the documents need all bits to differ.
    pub(super) is_wide: bool,
    pub(super) oddities: Oddities,
    pub(super) credit: &'a [u8],
    /// Whether `credit` has a team per place instead of a stored receipt.
    pub(super) has_teams: bool,
    pub(super) origin: Option<Origin>,
}

impl NewImpression<'_> {
    /// Appends it to `bytes`.
    ///
    /// A record is: the length of the rest, how many copies of the line it stands for (1 byte), then its content, which must agree in every
    /// copy except for the time: flags (1), the id (12), the time (7), the unit (12), the lineup, the number of documents, the documents (5
    /// or 6 each), the credit; then the origin. Lengths and numbers take one byte where they are small.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let is_packed = self.has_teams && self.credit.iter().all(|&team| team < PACKED_NO_TEAM || team == NO_TEAM);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let Oddities { has_pinned, has_left_out, is_moved } = self.oddities;
        let flags = flag(self.is_known_bot, IS_BOT)
            | flag(self.is_wide, IS_WIDE)
            | flag(is_packed, IS_PACKED)
            | flag(has_pinned, HAS_PINNED)
            | flag(has_left_out, HAS_LEFT_OUT)
            | flag(is_moved, IS_MOVED);
        let width = if self.is_wide { DOCUMENT_BYTES } else { NARROW_BYTES };
        let (lineup, shown) = (self.lineup.wrapping_add(SPECIAL_LINEUPS), self.documents.len() as u32);
        let credit = if is_packed { self.credit.len().div_ceil(4) } else { self.credit.len() };
        let fixed = 2 + ID_BYTES + TIME_BYTES + ID_BYTES + varint::length(lineup.into()) + varint::length(shown.into());
        let origin = if self.origin.is_some() { ORIGIN_BYTES } else { 0 };
        let length = fixed + self.documents.len() * width + credit + origin;
        bytes.reserve(length + 5);
        varint::write(length as u64, bytes);
        bytes.extend_from_slice(&[1, flags]);
        write_id(self.id, bytes);
        write_time(self.time, bytes);
        write_id(self.unit, bytes);
        varint::write(lineup.into(), bytes);
        varint::write(shown.into(), bytes);
        // Copies of a length that is known are quicker.
        if self.is_wide {
            self.documents
                .iter()
                .for_each(|document| bytes.extend_from_slice(&document.to_le_bytes()[..DOCUMENT_BYTES]));
        } else {
            self.documents.iter().for_each(|document| bytes.extend_from_slice(&document.to_le_bytes()[..NARROW_BYTES]));
        }
        if is_packed {
            bytes.extend(self.credit.chunks(4).map(pack));
        } else {
            bytes.extend_from_slice(self.credit);
        }
        if let Some(origin) = self.origin {
            write_origin(origin, bytes);
        }
    }
}

pub(super) fn write_origin((file, line): Origin, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&file.to_le_bytes());
    bytes.extend_from_slice(&line.to_le_bytes());
}

/// Up to four teams in a byte.
fn pack(teams: &[u8]) -> u8 {
    teams.iter().rev().fold(0, |byte, &team| byte << 2 | team.min(PACKED_NO_TEAM))
}

/// The impression at the beginning of some bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImpressionRecord<'a> {
    /// All bytes, and how many of them are its length.
    bytes: &'a [u8],
    head: usize,
    origins: usize,
}

impl<'a> ImpressionRecord<'a> {
    /// The record at the beginning of `bytes`, if they have all of it.
    pub(super) fn first(bytes: &'a [u8], keeps_origins: bool) -> Option<Self> {
        let (length, rest) = varint::read(bytes)?;
        let head = bytes.len() - rest.len();
        let bytes = bytes.get(..head.checked_add(usize::try_from(length).ok()?)?)?;
        Some(Self { bytes, head, origins: if keeps_origins { ORIGIN_BYTES } else { 0 } })
    }

    /// The records at the beginning of `bytes`, which may end within one.
    pub(super) fn all(bytes: &'a [u8], keeps_origins: bool) -> impl Iterator<Item = Self> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let record = Self::first(rest, keeps_origins)?;
            rest = &rest[record.length()..];
            Some(record)
        })
    }

    /// All of it.
    pub(super) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn length(self) -> usize {
        self.bytes.len()
    }

    /// The bytes from `at` on, counted behind its length and its copies.
    fn bytes_from(self, at: usize) -> &'a [u8] {
        &self.bytes[self.head + 1 + at..]
    }

    /// The number of lines it stands for.
    pub(super) fn copies(self) -> u8 {
        self.bytes[self.head]
    }

    /// Where its number of copies is.
    pub(super) fn place_of_copies(self) -> usize {
        self.head
    }

    fn has_flag(self, flag: u8) -> bool {
        self.bytes_from(0)[0] & flag != 0
    }

    pub(super) fn is_known_bot(self) -> bool {
        self.has_flag(IS_BOT)
    }

    pub(super) fn oddities(self) -> Oddities {
        let [has_pinned, has_left_out, is_moved] = [HAS_PINNED, HAS_LEFT_OUT, IS_MOVED].map(|flag| self.has_flag(flag));
        Oddities { has_pinned, has_left_out, is_moved }
    }

    pub(super) fn id(self) -> u128 {
        read_id(self.bytes_from(1))
    }

    pub(super) fn time(self) -> i64 {
        read_time(self.bytes_from(1 + ID_BYTES))
    }

    pub(super) fn unit(self) -> u128 {
        read_id(self.bytes_from(1 + ID_BYTES + TIME_BYTES))
    }

    pub(super) fn lineup(self) -> u32 {
        self.read_number(1 + 2 * ID_BYTES + TIME_BYTES).0.wrapping_sub(SPECIAL_LINEUPS)
    }

    /// A number, and where it ends.
    fn read_number(self, at: usize) -> (u32, usize) {
        let bytes = self.bytes_from(at);
        let (number, rest) = varint::read(bytes).expect("a record has all of its numbers");
        (number as u32, at + bytes.len() - rest.len())
    }

    /// The number of its documents, and where they begin.
    fn documents(self) -> (usize, usize) {
        let (_, at) = self.read_number(1 + 2 * ID_BYTES + TIME_BYTES);
        let (shown, at) = self.read_number(at);
        (shown as usize, at)
    }

    /// Bytes of a document.
    fn width(self) -> usize {
        if self.has_flag(IS_WIDE) { DOCUMENT_BYTES } else { NARROW_BYTES }
    }

    pub(super) fn shown_count(self) -> usize {
        self.documents().0
    }

    /// The credit of the impression; packed teams are unpacked into `teams`.
    pub(super) fn credit<'b>(self, teams: &'b mut Vec<u8>) -> &'b [u8]
    where
        'a: 'b,
    {
        let (shown_count, offset) = self.documents();
        let bytes = self.bytes_from(offset + shown_count * self.width());
        let bytes = &bytes[..bytes.len() - self.origins];
        if !self.has_flag(IS_PACKED) {
            return bytes;
        }
        teams.clear();
        for byte in bytes {
            let team = |team: u8| if team == PACKED_NO_TEAM { NO_TEAM } else { team };
            teams.extend_from_slice(&[team(byte & 3), team(byte >> 2 & 3), team(byte >> 4 & 3), team(byte >> 6)]);
        }
        teams.truncate(shown_count);
        teams
    }

    /// The position of a document.
    pub(super) fn position(self, document: u64) -> Option<usize> {
        let (shown_count, offset) = self.documents();
        let wanted = document.to_le_bytes();
        if self.has_flag(IS_WIDE) {
            self.bytes_from(offset)[..DOCUMENT_BYTES * shown_count]
                .chunks_exact(DOCUMENT_BYTES)
                .position(|other| other == &wanted[..DOCUMENT_BYTES])
        } else {
            self.bytes_from(offset)[..NARROW_BYTES * shown_count]
                .chunks_exact(NARROW_BYTES)
                .position(|other| other == &wanted[..NARROW_BYTES])
        }
    }

    /// The position of the first document that is this one but for how its id is written.
    pub(super) fn near_position(self, document: u64) -> Option<usize> {
        let (shown, at) = self.documents();
        let wanted = &document.to_le_bytes()[..NORMAL_FORM_BYTES];
        self.bytes_from(at)[..self.width() * shown]
            .chunks_exact(self.width())
            .position(|other| &other[..NORMAL_FORM_BYTES] == wanted)
    }

    /// Whether another record is the same apart from its time.
    pub(super) fn says_the_same(self, other: ImpressionRecord<'_>) -> bool {
        const HEAD_BYTES: usize = 1 + ID_BYTES;
        let (one, two) = (self.content(), other.content());
        one[..HEAD_BYTES] == two[..HEAD_BYTES] && one[HEAD_BYTES + TIME_BYTES..] == two[HEAD_BYTES + TIME_BYTES..]
    }

    /// Its content.
    pub(super) fn content(self) -> &'a [u8] {
        let bytes = self.bytes_from(0);
        &bytes[..bytes.len() - self.origins]
    }

    pub(super) fn origin(self) -> Option<Origin> {
        (self.origins > 0).then(|| read_origin(&self.bytes[self.bytes.len() - ORIGIN_BYTES..]))
    }
}

/// A click.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClickRecord {
    pub(super) id: u128,
    pub(super) document: u64,
    pub(super) time: i64,
    /// Whether the user stayed long enough, if a rule requires that.
    pub(super) is_satisfied: bool,
    /// The number of lines it stands for, at most [`MAX_COPIES`].
    pub(super) copies: u8,
    pub(super) origin: Option<Origin>,
}

impl ClickRecord {
    /// Appends it: the id (12 bytes), the document (6), the time (7), whether it was satisfied and its copies (1), the origin.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        write_id(self.id, bytes);
        bytes.extend_from_slice(&self.document.to_le_bytes()[..DOCUMENT_BYTES]);
        write_time(self.time, bytes);
        bytes.push(self.copies | if self.is_satisfied { IS_SATISFIED } else { 0 });
        if let Some(origin) = self.origin {
            write_origin(origin, bytes);
        }
    }

    /// The click in exactly its bytes.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut document = [0; 8];
        document[..DOCUMENT_BYTES].copy_from_slice(&bytes[ID_BYTES..ID_BYTES + DOCUMENT_BYTES]);
        Self {
            id: read_id(bytes),
            document: u64::from_le_bytes(document),
            time: read_time(&bytes[ID_BYTES + DOCUMENT_BYTES..]),
            is_satisfied: bytes[CLICK_BYTES - 1] & IS_SATISFIED != 0,
            copies: bytes[CLICK_BYTES - 1] & !IS_SATISFIED,
            origin: (bytes.len() > CLICK_BYTES).then(|| read_origin(&bytes[CLICK_BYTES..])),
        }
    }
}

/// The origin at the beginning of some bytes.
pub(super) fn read_origin(bytes: &[u8]) -> Origin {
    let file = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
    (file, u64::from_le_bytes(bytes[4..12].try_into().expect("eight bytes")))
}

/// Records one after another, in blocks: memory that grows is not copied, and is given back block by block.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<Vec<u8>>);

impl Blocks {
    const BLOCK_BYTES: usize = 1 << 17;
    /// A block that has no more room than this is full; most records are smaller.
    const SPARE_BYTES: usize = 1 << 10;

    /// Where the next record is written.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        if self.0.last().is_none_or(|block| block.len() + Self::SPARE_BYTES > Self::BLOCK_BYTES) {
            self.0.push(Vec::with_capacity(Self::BLOCK_BYTES));
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Its number of bytes.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// The blocks, each of whole records.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST_ID: u128 = (1 << (8 * ID_BYTES)) - 1;

    #[test]
    fn impressions_as_bytes_and_back() {
        let documents: Vec<u64> = (0..300).map(|number| (number << 39) | (7 * number + 1)).collect();
        for (shown, lineup, time, credit, has_teams) in [
            (0, UNMIXED_LINEUP, 0, vec![], false),
            (3, UNITLESS_LINEUP, -1, vec![], true),
            (5, 0, 1_700_000_000_123, vec![0, 1, NO_TEAM, 2, 1], true),
            (5, 9_999, -62_000_000_000_000, vec![0, 3, NO_TEAM, 2, 1], true),
            (10, 1, 253_402_300_799_999, vec![1, 2, 3, 255], false),
            (300, 1, 5, (0..300).map(|team| (team % 2) as u8).collect(), true),
        ] {
            for (is_wide, origin) in [(false, None), (true, Some((3, 1 << 40)))] {
                let new = NewImpression {
                    id: LAST_ID - 7,
                    time,
                    unit: LAST_ID / 3,
                    lineup,
                    is_known_bot: is_wide,
                    documents: &documents[..shown],
                    is_wide,
                    oddities: Oddities { has_pinned: is_wide, has_left_out: has_teams, is_moved: !is_wide },
                    credit: &credit,
                    has_teams,
                    origin,
                };
                let (mut bytes, mut found) = (Vec::new(), vec![9]);
                new.write(&mut bytes);
                let length = bytes.len();
                bytes.extend([1, 2, 3]);
                let record = ImpressionRecord::first(&bytes, origin.is_some()).unwrap();
                assert!((0..length).all(|end| ImpressionRecord::first(&bytes[..end], false).is_none()));
                assert_eq!((record.length(), record.id(), record.time()), (length, LAST_ID - 7, time));
                assert_eq!((record.unit(), record.lineup(), record.shown_count()), (LAST_ID / 3, lineup, shown));
                assert_eq!((record.is_known_bot(), record.copies(), record.origin()), (is_wide, 1, origin));
                assert_eq!(record.oddities(), new.oddities);
                assert_eq!(record.credit(&mut found), credit);
                for (at, &document) in documents.iter().enumerate() {
                    assert_eq!(record.position(document), (at < shown).then_some(at));
                }
                // The upper bits count only where they are needed.
                let other = documents[1] ^ (1 << 45);
                assert_eq!(record.position(other).is_some(), !is_wide && shown > 1);
            }
        }
    }

    #[test]
    fn clicks_as_bytes_and_back() {
        for (copies, is_satisfied, origin, time) in [(1, true, None, -5), (MAX_COPIES, false, Some((7, 8)), 1 << 50)] {
            let click = ClickRecord { id: LAST_ID, document: (1 << 48) - 2, time, is_satisfied, copies, origin };
            let mut bytes = Vec::new();
            click.write(&mut bytes);
            assert_eq!(bytes.len(), if origin.is_some() { CLICK_BYTES + ORIGIN_BYTES } else { CLICK_BYTES });
            let found = ClickRecord::read(&bytes);
            assert_eq!((found.id, found.document, found.time), (click.id, click.document, click.time));
            assert_eq!((found.is_satisfied, found.copies, found.origin), (is_satisfied, copies, origin));
        }
    }
}
