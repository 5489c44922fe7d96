//! From lines to records: ids become hashes, names of rankers become places in a lineup.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::record::{ClickRecord, ID, NARROW_DOCUMENT, NO_UNIT, NOT_MIXED, NewImpression, Origin};
use crate::error::{Malformed, excerpt};
use crate::model::{Click, Impression, Lineups, Mixed, NOBODY, Receipt, Settings, UnitKind};

/// How many lineups are compared one by one.
const RECENT: usize = 8;

/// The hash of an id.
fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes()) & ((1 << (8 * ID)) - 1)
}

/// The hash of a document.
fn hash_of_document(id: &str) -> u64 {
    xxh3_64(id.as_bytes()) >> 16
}

/// Whether documents need all bits of their hashes to differ; the place of one that is also further up, as an error.
fn are_alike(hashes: &[u64], shown: &[Cow<'_, str>]) -> Result<bool, usize> {
    const FEW: usize = 64;
    if hashes.len() > FEW {
        let mut seen = BTreeSet::new();
        return (0..shown.len()).find(|&at| !seen.insert(&shown[at])).map_or(Ok(true), Err);
    }
    let mut any = false;
    for (at, hash) in hashes.iter().enumerate() {
        // All are compared, whatever the first says: that is one comparison of several at a time.
        let alike = hashes[..at].iter().fold(false, |alike, above| alike | ((above ^ hash) & NARROW_DOCUMENT == 0));
        if alike && shown[..at].contains(&shown[at]) {
            return Err(at);
        }
        any |= alike;
    }
    Ok(any)
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
    /// Its record.
    record: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(settings: &'a Settings, lineups: &'a Lineups, keep_origins: bool) -> Self {
        let agent = (String::new(), settings.bots.is_known_agent(""));
        let (known, recent, documents, credit, record) = Default::default();
        Self { settings, lineups, known, recent, keep_origins, agent, documents, credit, record }
    }

    /// Appends the record of an impression to what `buffer` chooses by the hash of its id.
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
        let is_wide = are_alike(&self.documents, &impression.shown).map_err(|at| {
            Malformed::new(format!(
                "the document {} is shown twice; a click on it could be either's: log each document once",
                excerpt(&impression.shown[at])
            ))
        })?;
        let record = NewImpression {
            id,
            time: impression.time,
            unit,
            lineup,
            is_known_bot: is_bot,
            documents: &self.documents,
            is_wide,
            credit: &self.credit,
            has_teams: matches!(impression.mixed, Some(Mixed::Teams { .. })),
            origin: self.keep_origins.then_some(origin),
        };
        record.write(&mut self.record, buffer(id));
        Ok(())
    }

    fn is_agent_of_bot(&mut self, agent: &str) -> bool {
        if self.agent.0 != agent {
            self.agent = (agent.to_owned(), self.settings.bots.is_known_agent(agent));
        }
        self.agent.1
    }

    /// Appends the record of a click to what `buffer` chooses by the hash of its impression.
    pub(super) fn click<'b>(&self, click: &Click<'_>, origin: Origin, buffer: impl FnOnce(u128) -> &'b mut Vec<u8>) {
        let id = hash(&click.impression);
        let record = ClickRecord {
            id,
            document: hash_of_document(&click.document),
            time: click.time,
            is_satisfied: self.settings.dwell.is_none_or(|least| click.dwell.is_some_and(|dwell| dwell >= least)),
            copies: 1,
            origin: self.keep_origins.then_some(origin),
        };
        record.write(buffer(id));
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
