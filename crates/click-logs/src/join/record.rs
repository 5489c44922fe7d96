//! Impressions and clicks as bytes: what the join needs, and no more. Ids are hashes of 128 bits, so that two of a billion
//! are the same by chance with a probability of 10^-21; documents, which are compared within one list, have 48.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::error::{Malformed, excerpt};
use crate::model::{Click, Impression, Lineups, Mixed, NOBODY, Receipt, Settings, UnitKind};

/// Where a line is: the number of its file and of the line.
pub(super) type Origin = (u32, u64);

/// Bytes of an origin.
pub(super) const ORIGIN: usize = 12;
/// Bytes of a click without its origin.
pub(super) const CLICK: usize = 32;
/// Bytes of a document of an impression.
const DOCUMENT: usize = 6;
/// Bytes of an impression in front of its documents.
const HEAD: usize = 52;

/// The lineup of an impression that was not mixed.
pub(super) const NOT_MIXED: u32 = u32::MAX;
/// The lineup of an impression without a unit.
pub(super) const NO_UNIT: u32 = u32::MAX - 1;

/// How many lineups are compared one by one.
const RECENT: usize = 8;

/// The hash of an id.
pub(super) fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}

/// The hash of a document.
fn hash_of_document(id: &str) -> u64 {
    xxh3_64(id.as_bytes()) >> 16
}

/// The place of a document that is also further up. Hashes are compared first, and ids only where these agree.
fn repeated(hashes: &[u64], shown: &[Cow<'_, str>]) -> Option<usize> {
    const FEW: usize = 64;
    if hashes.len() <= FEW {
        let is_above = |&at: &usize| {
            // All are compared, whatever the first says: that is one comparison of several at a time.
            let alike = hashes[..at].iter().fold(false, |alike, above| alike | (*above == hashes[at]));
            alike && (0..at).any(|above| hashes[above] == hashes[at] && shown[above] == shown[at])
        };
        return (1..hashes.len()).find(is_above);
    }
    let mut seen = BTreeSet::new();
    (0..shown.len()).find(|&at| !seen.insert(&shown[at]))
}

/// Turns lines into records. Each thread has its own.
pub(super) struct Encoder<'a> {
    settings: &'a Settings,
    lineups: &'a Lineups,
    /// Numbers of lineups, so that threads rarely meet.
    known: BTreeMap<(Vec<String>, Cow<'static, str>, bool), u32>,
    /// Some lineups of impressions with teams.
    recent: Vec<(Vec<String>, u32)>,
    keep_origins: bool,
    /// The agent of the last impression, and whether it is that of a bot: the next one is often the same.
    agent: (String, bool),
    /// The hashes of the documents of an impression.
    documents: Vec<u64>,
    /// Its credit.
    credit: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(settings: &'a Settings, lineups: &'a Lineups, keep_origins: bool) -> Self {
        let agent = (String::new(), settings.bots.is_known_agent(""));
        let (known, recent, documents, credit) = Default::default();
        Self { settings, lineups, known, recent, keep_origins, agent, documents, credit }
    }

    /// Appends the record of an impression to what `buffer` chooses by the hash of its id.
    ///
    /// A record is: its length (4 bytes), flags (1) and documents (3), the id (16), then what must agree in every copy: the
    /// time (8), the unit (16), the lineup (4), the documents (6 each), the credit; then the origin.
    pub(super) fn impression<'b>(
        &mut self,
        impression: &Impression<'_>,
        origin: Origin,
        buffer: impl FnOnce(u128) -> &'b mut Vec<u8>,
    ) -> Result<(), Malformed> {
        let id = hash(&impression.id);
        self.credit.clear();
        let lineup = match (&impression.mixed, &impression.unit) {
            (None, _) => NOT_MIXED,
            (Some(_), None) => NO_UNIT,
            (Some(mixed), Some(_)) => self.credit(mixed, impression.shown.len())?,
        };
        let unit = match (&impression.unit, self.settings.unit) {
            (_, UnitKind::Impression) => id,
            (Some(unit), _) => hash(unit),
            (None, _) => 0,
        };
        let is_bot = impression.unit.as_ref().is_some_and(|unit| self.settings.bots.is_known_unit(unit))
            || (impression.unit.is_some()
                && impression.agent.as_ref().is_some_and(|agent| self.is_agent_of_bot(agent)));
        self.documents.clear();
        self.documents.extend(impression.shown.iter().map(|document| hash_of_document(document)));
        if let Some(at) = repeated(&self.documents, &impression.shown) {
            return Err(Malformed::new(format!(
                "the document {} is shown twice; a click on it could be either's: log each document once",
                excerpt(&impression.shown[at])
            )));
        }
        let origins = if self.keep_origins { ORIGIN } else { 0 };
        let length = HEAD + DOCUMENT * impression.shown.len() + self.credit.len() + origins;
        let bytes = buffer(id);
        bytes.reserve(length);
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(&(u32::from(is_bot) << 24 | impression.shown.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&id.to_le_bytes());
        bytes.extend_from_slice(&impression.time.to_le_bytes());
        bytes.extend_from_slice(&unit.to_le_bytes());
        bytes.extend_from_slice(&lineup.to_le_bytes());
        for document in &self.documents {
            bytes.extend_from_slice(&document.to_le_bytes()[..DOCUMENT]);
        }
        bytes.extend_from_slice(&self.credit);
        self.push_origin(origin, bytes);
        Ok(())
    }

    fn is_agent_of_bot(&mut self, agent: &str) -> bool {
        if self.agent.0 != agent {
            self.agent = (agent.to_owned(), self.settings.bots.is_known_agent(agent));
        }
        self.agent.1
    }

    /// Appends the record of a click: the id (16), the document and whether it was satisfied (8), the time (8), the origin.
    pub(super) fn click<'b>(&self, click: &Click<'_>, origin: Origin, buffer: impl FnOnce(u128) -> &'b mut Vec<u8>) {
        let id = hash(&click.impression);
        let bytes = buffer(id);
        bytes.extend_from_slice(&id.to_le_bytes());
        let is_satisfied = self.settings.dwell.is_none_or(|least| click.dwell.is_some_and(|dwell| dwell >= least));
        let document = hash_of_document(&click.document) | u64::from(is_satisfied) << 63;
        bytes.extend_from_slice(&document.to_le_bytes());
        bytes.extend_from_slice(&click.time.to_le_bytes());
        self.push_origin(origin, bytes);
    }

    fn push_origin(&self, (file, line): Origin, bytes: &mut Vec<u8>) {
        if self.keep_origins {
            bytes.extend_from_slice(&file.to_le_bytes());
            bytes.extend_from_slice(&line.to_le_bytes());
        }
    }

    /// The lineup; the credit becomes that to be stored: a team per position, or the bytes of the receipt.
    fn credit(&mut self, mixed: &Mixed<'_>, shown: usize) -> Result<u32, Malformed> {
        match mixed {
            Mixed::Teams { teams, rankers } => self.teams(teams, rankers.as_deref(), shown),
            Mixed::Receipt { receipt, rankers } => {
                let (is_two, count) = match receipt {
                    Receipt::Interleaving(_) => (true, 2),
                    Receipt::Multileaving(_) => (false, rankers.as_ref().map_or(self.settings.rankers.len(), Vec::len)),
                };
                let names: Vec<String> = match rankers {
                    Some(rankers) => rankers.iter().map(ToString::to_string).collect(),
                    None if !self.settings.rankers.is_empty() => self.settings.rankers.clone(),
                    None if is_two => vec!["first".to_owned(), "second".to_owned()],
                    None => {
                        return Err(Malformed::new(
                            "a receipt of several rankers without their names; log `rankers` with it, or pass --rankers",
                        ));
                    }
                };
                if names.len() != count || count < 2 {
                    let message = format!(
                        "{} rankers for a receipt of {count}; name those of the receipt in their order",
                        names.len()
                    );
                    return Err(Malformed::new(message));
                }
                self.credit = receipt.to_bytes();
                self.number(names, Cow::Owned(receipt.method().to_owned()), is_two)
            }
        }
    }

    fn teams(
        &mut self,
        teams: &[Option<Cow<'_, str>>],
        rankers: Option<&[Cow<'_, str>]>,
        shown: usize,
    ) -> Result<u32, Malformed> {
        debug_assert_eq!(teams.len(), shown, "checked when the line was read");
        let stated = &self.settings.rankers;
        // Most impressions have the rankers of one before.
        for (names, number) in &self.recent {
            let is_same = match rankers {
                Some(rankers) => rankers.len() == names.len() && rankers.iter().zip(names).all(|(a, b)| is_same(a, b)),
                None if !stated.is_empty() => names == stated,
                None => true,
            };
            if is_same
                && places(teams, names, &mut self.credit)
                && (rankers.is_some()
                    || !stated.is_empty()
                    || (0..names.len()).all(|place| self.credit.contains(&(place as u8))))
            {
                return Ok(*number);
            }
        }
        let names: Vec<String> = match rankers {
            Some(rankers) => rankers.iter().map(ToString::to_string).collect(),
            None if !stated.is_empty() => stated.clone(),
            None => {
                let mut names: Vec<String> = teams.iter().flatten().map(ToString::to_string).collect();
                names.sort_unstable();
                names.dedup();
                names
            }
        };
        if names.len() >= usize::from(NOBODY) {
            return Err(Malformed::new(format!("{} rankers in one list; expected at most 254", names.len())));
        }
        if !places(teams, &names, &mut self.credit) {
            let team = teams.iter().flatten().find(|team| !names.iter().any(|name| name == *team));
            let team = team.map_or_else(String::new, |team| excerpt(team));
            return Err(Malformed::new(format!("the team {team} is none of --rankers {}", names.join(","))));
        }
        let number = self.number(names.clone(), Cow::Borrowed("teams"), names.len() == 2)?;
        self.recent.truncate(RECENT - 1);
        self.recent.insert(0, (names, number));
        Ok(number)
    }

    fn number(&mut self, names: Vec<String>, method: Cow<'static, str>, is_two: bool) -> Result<u32, Malformed> {
        let key = (names, method, is_two);
        if let Some(number) = self.known.get(&key) {
            return Ok(*number);
        }
        let names: Vec<&str> = key.0.iter().map(String::as_str).collect();
        let number = self.lineups.number(&names, &key.1, is_two).map_err(Malformed::new)?;
        self.known.insert(key, number);
        Ok(number)
    }
}

/// Makes `credit` the place of each team among `names`; false if one is not there.
fn places(teams: &[Option<Cow<'_, str>>], names: &[String], credit: &mut Vec<u8>) -> bool {
    credit.clear();
    for team in teams {
        let place = match team {
            None => Some(NOBODY),
            Some(team) => names.iter().position(|name| is_same(name, team)).map(|place| place as u8),
        };
        let Some(place) = place else { return false };
        credit.push(place);
    }
    true
}

/// Whether two names are the same. They are short: looking at each byte is quicker than comparing blocks.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| a == b)
}

/// The impression at the beginning of some bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImpressionRecord<'a> {
    bytes: &'a [u8],
    origins: usize,
}

impl<'a> ImpressionRecord<'a> {
    /// The record at the beginning of `bytes`, if they have all of it.
    pub(super) fn first(bytes: &'a [u8], keeps_origins: bool) -> Option<Self> {
        let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        Some(Self { bytes: bytes.get(..length)?, origins: if keeps_origins { ORIGIN } else { 0 } })
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

    fn number<const N: usize>(self, at: usize) -> [u8; N] {
        self.bytes[at..at + N].try_into().expect("as many bytes")
    }

    pub(super) fn is_known_bot(self) -> bool {
        self.bytes[7] & 1 == 1
    }

    pub(super) fn shown(self) -> usize {
        u32::from_le_bytes(self.number(4)) as usize & 0xff_ffff
    }

    pub(super) fn id(self) -> u128 {
        u128::from_le_bytes(self.number(8))
    }

    pub(super) fn time(self) -> i64 {
        i64::from_le_bytes(self.number(24))
    }

    pub(super) fn unit(self) -> u128 {
        u128::from_le_bytes(self.number(32))
    }

    pub(super) fn lineup(self) -> u32 {
        u32::from_le_bytes(self.number(48))
    }

    pub(super) fn credit(self) -> &'a [u8] {
        &self.bytes[HEAD + DOCUMENT * self.shown()..self.bytes.len() - self.origins]
    }

    /// The position of a document.
    pub(super) fn position(self, document: u64) -> Option<usize> {
        let mut documents = self.bytes[HEAD..HEAD + DOCUMENT * self.shown()].chunks_exact(DOCUMENT);
        let wanted = document.to_le_bytes();
        documents.position(|document| document == &wanted[..DOCUMENT])
    }

    /// What must be the same in every copy.
    pub(super) fn content(self) -> &'a [u8] {
        &self.bytes[4..self.bytes.len() - self.origins]
    }

    pub(super) fn origin(self) -> Option<Origin> {
        (self.origins > 0).then(|| origin(&self.bytes[self.bytes.len() - ORIGIN..]))
    }
}

/// A click.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClickRecord {
    pub(super) id: u128,
    pub(super) document: u64,
    pub(super) time: i64,
    /// Whether the user stayed long enough, as far as that is asked for.
    pub(super) is_satisfied: bool,
    pub(super) origin: Option<Origin>,
}

impl ClickRecord {
    /// The click in exactly its bytes.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| -> [u8; 8] { bytes[at..at + 8].try_into().expect("eight bytes") };
        Self {
            id: u128::from_le_bytes(bytes[..16].try_into().expect("sixteen bytes")),
            document: u64::from_le_bytes(number(16)) & !(1 << 63),
            time: i64::from_le_bytes(number(24)),
            is_satisfied: bytes[23] >> 7 == 1,
            origin: (bytes.len() > CLICK).then(|| origin(&bytes[CLICK..])),
        }
    }
}

fn origin(bytes: &[u8]) -> Origin {
    let file = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
    (file, u64::from_le_bytes(bytes[4..12].try_into().expect("eight bytes")))
}
