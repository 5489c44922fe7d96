//! Encodes lines as records: ids become hashes, names of rankers become places in a lineup.

use std::collections::{BTreeMap, BTreeSet};

use ranktypes::text::excerpt;
use verdicts::PairChoice;
use verdicts::integrity::{is_normal, normal_form};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::super::record::{
    ClickRecord, ID_BYTES, MAX_NARROW_DOCUMENT, NORMAL_FORM_MASK, NewImpression, Origin, UNITLESS_LINEUP,
    UNMIXED_LINEUP,
};
use crate::error::LineError;
use crate::model::{
    Click, Impression, ImpressionRef, Lineups, Mixed, MixedRef, NO_TEAM, Settings, SingleRanker, UnitKind, write_credit,
};

/// The number of recent lineups that are compared one by one.
const RECENT: usize = 8;

/// The hash of an id.
pub(in crate::join) fn hash(id: &str) -> u128 {
    xxh3_128(id.as_bytes()) & ((1 << (8 * ID_BYTES)) - 1)
}

/// The hash of a document: its lower bits are of the normal form of its id, the others of the id itself.
pub(in crate::join) fn hash_of_document(id: &str) -> u64 {
    let hash = xxh3_64(id.as_bytes()) >> 16;
    if is_normal(id) {
        return hash;
    }
    let normal = xxh3_64(normal_form(id).as_bytes()) >> 16;
    hash & !NORMAL_FORM_MASK | normal & NORMAL_FORM_MASK
}

/// The hash of the document of a click. One on no document is on none that was shown, even if one without a name was.
fn hash_of_clicked(id: &str) -> u64 {
    hash_of_document(if id.is_empty() { "a click on no document" } else { id })
}

/// Whether documents need all bits of their hashes to differ. The error is the place of a document that occurs twice.
fn are_alike(hashes: &[u64], shown: &[&str]) -> Result<bool, usize> {
    const MAX_SCANNED_DOCUMENTS: usize = 64;
    if hashes.len() > MAX_SCANNED_DOCUMENTS {
        let mut hashes_seen = BTreeSet::new();
        return (0..shown.len()).find(|&at| !hashes_seen.insert(&shown[at])).map_or(Ok(true), Err);
    }
    // Ten bits of each hash: most lists have no two that agree even in these.
    let (mut hashes_seen, mut repeated_bits) = ([0_u64; 16], 0);
    for hash in hashes {
        let (word, bit) = ((hash >> 6 & 15) as usize, 1 << (hash & 63));
        repeated_bits |= hashes_seen[word] & bit;
        hashes_seen[word] |= bit;
    }
    if repeated_bits == 0 {
        return Ok(false);
    }
    let mut are_any_alike = false;
    for (at, hash) in hashes.iter().enumerate() {
        let alike = hashes[..at].iter().any(|above| (above ^ hash) & MAX_NARROW_DOCUMENT == 0);
        if alike && shown[..at].contains(&shown[at]) {
            return Err(at);
        }
        are_any_alike |= alike;
    }
    Ok(are_any_alike)
}

/// The method of lineups with lists that state the owner of each document.
const TEAMS: &str = "teams";

/// The key of a lineup: names, method, whether that mixes two rankers, the version of the experiment, how rankers were chosen,
/// whether one may be alone.
type LineupKey = (Vec<String>, String, bool, Option<String>, Option<PairChoice>, SingleRanker);

/// An impression's experiment: how its rankers were chosen, and its version.
type ExperimentDesign<'a> = (Option<PairChoice>, Option<&'a str>);

/// A lineup of an impression before.
struct RecentLineup {
    names: Vec<String>,
    method: String,
    is_two: bool,
    version: Option<String>,
    declared: Option<PairChoice>,
    single_ranker: SingleRanker,
    number: u32,
}

impl RecentLineup {
    fn has_design(&self, (declared, version): ExperimentDesign<'_>) -> bool {
        self.declared == declared && self.version.as_deref() == version
    }
}

/// Turns lines into records. Each thread has its own.
pub(in crate::join) struct LineEncoder<'a> {
    settings: &'a Settings,
    lineups: &'a Lineups,
    /// Numbers of lineups, so that threads rarely meet.
    known: BTreeMap<LineupKey, u32>,
    /// Some of the last lineups.
    recent: Vec<RecentLineup>,
    keep_origins: bool,
    /// The agent of the last impression, and whether it is that of a bot: the next one is often the same.
    agent: (String, bool),
    /// The hashes of the documents of an impression.
    documents: Vec<u64>,
    /// Its credit.
    credit: Vec<u8>,
}

impl<'a> LineEncoder<'a> {
    pub(in crate::join) fn new(settings: &'a Settings, lineups: &'a Lineups, keep_origins: bool) -> Self {
        let agent = (String::new(), settings.bots.is_known_agent(""));
        let (known, recent, documents, credit) = Default::default();
        Self { settings, lineups, known, recent, keep_origins, agent, documents, credit }
    }

    /// Appends the record of an impression to the buffer that `buffer` chooses by the hash of its id.
    pub(in crate::join) fn encode_owned_impression<'b>(
        &mut self,
        impression: &Impression<'_>,
        origin: Origin,
        buffer: impl FnOnce(u128) -> &'b mut Vec<u8>,
    ) -> Result<(), LineError> {
        let Impression { id, time, unit, agent, pairs, version, shown, oddities, mixed } = impression;
        let rankers = match mixed {
            Some(Mixed::Teams { rankers, .. } | Mixed::Receipt { rankers, .. }) => {
                rankers.as_deref().map(crate::read::as_strs)
            }
            None => None,
        };
        let rankers = rankers.as_deref();
        let mut teams = Vec::new();
        let mixed = match mixed {
            None => None,
            Some(Mixed::Teams { teams: owners, .. }) => {
                teams.extend(owners.iter().map(Option::as_deref));
                Some(MixedRef::Teams { teams: &teams, rankers })
            }
            Some(Mixed::Receipt { body, method, is_two, page, paged, .. }) => {
                Some(MixedRef::Receipt { body, method, is_two: *is_two, page: page.as_ref(), paged: *paged, rankers })
            }
        };
        let (unit, agent, version, shown) =
            (unit.as_deref(), agent.as_deref(), version.as_deref(), &*crate::read::as_strs(shown));
        let (time, pairs, oddities) = (*time, *pairs, *oddities);
        let impression = ImpressionRef { id, time, unit, agent, pairs, version, shown, oddities, mixed };
        self.encode_impression(&impression, origin, buffer)
    }

    /// The same for one in borrowed parts.
    pub(in crate::join) fn encode_impression<'b>(
        &mut self,
        impression: &ImpressionRef<'_>,
        origin: Origin,
        buffer: impl FnOnce(u128) -> &'b mut Vec<u8>,
    ) -> Result<(), LineError> {
        let id = hash(impression.id);
        // Checks that may refuse the line come first: the rankers of a refused line must not be registered.
        self.documents.clear();
        self.documents.extend(impression.shown.iter().map(|document| hash_of_document(document)));
        let is_wide = are_alike(&self.documents, impression.shown).map_err(|at| {
            LineError::new(format!(
                "the document {} is shown twice; a click on it could be either's: log each document once",
                excerpt(impression.shown[at])
            ))
        })?;
        self.credit.clear();
        let design = (impression.pairs, impression.version);
        let lineup = match (&impression.mixed, impression.unit) {
            (None, _) => UNMIXED_LINEUP,
            (Some(_), None) => UNITLESS_LINEUP,
            (Some(MixedRef::Teams { teams, rankers }), Some(_)) => self.lineup_of_teams(teams, *rankers, design)?,
            (Some(MixedRef::Receipt { body, method, is_two, page, paged, rankers }), Some(_)) => {
                write_credit(*page, *paged, body, &mut self.credit);
                self.lineup_of_receipt(method, *is_two, *rankers, design)?
            }
        };
        let unit = match (impression.unit, self.settings.unit) {
            (_, UnitKind::Impression) => id,
            (Some(unit), _) => hash(unit),
            (None, _) => 0,
        };
        let is_bot = impression.unit.is_some_and(|unit| self.settings.bots.is_known_unit(unit))
            || (impression.unit.is_some() && impression.agent.is_some_and(|agent| self.is_agent_of_bot(agent)));
        let record = NewImpression {
            id,
            time: impression.time,
            unit,
            lineup,
            is_known_bot: is_bot,
            documents: &self.documents,
            is_wide,
            oddities: impression.oddities,
            credit: &self.credit,
            has_teams: matches!(impression.mixed, Some(MixedRef::Teams { .. })),
            origin: self.keep_origins.then_some(origin),
        };
        record.write(buffer(id));
        Ok(())
    }

    fn is_agent_of_bot(&mut self, agent: &str) -> bool {
        if self.agent.0 != agent {
            self.agent = (agent.to_owned(), self.settings.bots.is_known_agent(agent));
        }
        self.agent.1
    }

    /// 1 if a rule needs the dwell time and the click lacks it, otherwise 0.
    pub(in crate::join) fn lacks_dwell(&self, click: &Click<'_>) -> u64 {
        u64::from(self.settings.dwell.is_some() && click.dwell.is_none())
    }

    /// Appends the record of a click to the buffer that `buffer` chooses by the hash of its impression.
    pub(in crate::join) fn encode_click<'b>(
        &self,
        click: &Click<'_>,
        origin: Origin,
        buffer: impl FnOnce(u128) -> &'b mut Vec<u8>,
    ) {
        let id = hash(&click.impression);
        let record = ClickRecord {
            id,
            document: hash_of_clicked(&click.document),
            time: click.time,
            is_satisfied: self.settings.dwell.is_none_or(|least| click.dwell.is_some_and(|dwell| dwell >= least)),
            copies: 1,
            origin: self.keep_origins.then_some(origin),
        };
        record.write(buffer(id));
    }

    /// The lineup of a receipt.
    fn lineup_of_receipt(
        &mut self,
        method: &str,
        is_two: bool,
        rankers: Option<&[&str]>,
        design: ExperimentDesign<'_>,
    ) -> Result<u32, LineError> {
        let stated_rankers = &self.settings.rankers;
        let is_same = |recent: &&RecentLineup| {
            let are_same = match rankers {
                Some(rankers) => *rankers == recent.names[..],
                None if !stated_rankers.is_empty() => recent.names == *stated_rankers,
                None => recent.names == UNNAMED_RANKERS,
            };
            are_same && recent.method == method && recent.is_two == is_two && recent.has_design(design)
        };
        if let Some(recent) = self.recent.iter().find(is_same) {
            return Ok(recent.number);
        }
        let names: Vec<String> = match rankers {
            Some(rankers) => rankers.iter().map(ToString::to_string).collect(),
            None if !stated_rankers.is_empty() => stated_rankers.clone(),
            None if is_two => UNNAMED_RANKERS.map(str::to_owned).to_vec(),
            None => {
                return Err(LineError::new(
                    "a receipt of several rankers without their names; log `rankers` with it, or pass --rankers",
                ));
            }
        };
        let count = if is_two { 2 } else { names.len() };
        if names.len() != count || count < 2 {
            let message =
                format!("{} rankers for a receipt of {count}; name those of the receipt in their order", names.len());
            return Err(LineError::new(message));
        }
        self.lineup_number(names, method, is_two, design, SingleRanker::No)
    }

    /// The lineup of teams; the credit becomes the place of each.
    fn lineup_of_teams(
        &mut self,
        teams: &[Option<&str>],
        rankers: Option<&[&str]>,
        design: ExperimentDesign<'_>,
    ) -> Result<u32, LineError> {
        let stated_rankers = &self.settings.rankers;
        let single_ranker = may_be_alone(teams, rankers);
        let is_alike = |recent: &&RecentLineup| recent.single_ranker == single_ranker && recent.has_design(design);
        // Most impressions have the rankers of one before.
        for RecentLineup { names, method, number, .. } in self.recent.iter().filter(is_alike) {
            let are_same = match rankers {
                Some(rankers) => rankers.len() == names.len() && rankers.iter().zip(names).all(|(a, b)| is_same(a, b)),
                None if !stated_rankers.is_empty() => names == stated_rankers,
                None => true,
            };
            if are_same
                && method == TEAMS
                && team_places(teams, names, &mut self.credit)
                && (rankers.is_some()
                    || !stated_rankers.is_empty()
                    || (0..names.len()).all(|place| self.credit.contains(&(place as u8))))
            {
                return Ok(*number);
            }
        }
        let names: Vec<String> = match rankers {
            Some(rankers) => rankers.iter().map(ToString::to_string).collect(),
            None if !stated_rankers.is_empty() => stated_rankers.clone(),
            None => {
                let mut names: Vec<String> = teams.iter().flatten().map(ToString::to_string).collect();
                names.sort_unstable();
                names.dedup();
                names
            }
        };
        if names.len() >= usize::from(NO_TEAM) {
            return Err(LineError::new(format!("{} rankers in one list; expected at most 254", names.len())));
        }
        if !team_places(teams, &names, &mut self.credit) {
            let team = teams.iter().flatten().find(|team| !names.iter().any(|name| name == *team));
            let team = team.map_or_else(String::new, |team| excerpt(team));
            return Err(LineError::new(if rankers.is_some() {
                crate::read::unknown_team_message(&team)
            } else {
                format!("the team {team} is none of --rankers {}", names.join(","))
            }));
        }
        let is_two = names.len() == 2;
        self.lineup_number(names, TEAMS, is_two, design, single_ranker)
    }

    /// The number of a lineup, which is likely to come again soon.
    fn lineup_number(
        &mut self,
        names: Vec<String>,
        method: &str,
        is_two: bool,
        (declared, version): ExperimentDesign<'_>,
        single_ranker: SingleRanker,
    ) -> Result<u32, LineError> {
        let key = (names.clone(), method.to_owned(), is_two, version.map(str::to_owned), declared, single_ranker);
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => {
                let borrowed: Vec<&str> = names.iter().map(String::as_str).collect();
                let number = self.lineups.number(&borrowed, method, is_two, version, declared, single_ranker);
                *self.known.entry(key).or_insert(number.map_err(LineError::new)?)
            }
        };
        self.recent.truncate(RECENT - 1);
        let (method, version) = (method.to_owned(), version.map(str::to_owned));
        self.recent.insert(0, RecentLineup { names, method, is_two, version, declared, single_ranker, number });
        Ok(number)
    }
}

/// Whether a list with these owners may be from one ranker alone. Two drafts of at least two documents both own some, unless
/// one has no document left to add.
fn may_be_alone(teams: &[Option<&str>], rankers: Option<&[&str]>) -> SingleRanker {
    if let Some(rankers) = rankers {
        return if rankers.len() == 1 { SingleRanker::Yes } else { SingleRanker::No };
    }
    let mut owners = teams.iter().flatten();
    let first = owners.next();
    let (mut other_documents, mut is_alone) = (0, true);
    for owner in owners {
        other_documents += 1;
        is_alone &= Some(owner) == first;
    }
    if other_documents > 0 && is_alone { SingleRanker::Maybe } else { SingleRanker::No }
}

/// Two rankers that a log does not name.
const UNNAMED_RANKERS: [&str; 2] = ["first", "second"];

/// Makes `credit` the place of each team among `names`; false if one is not there.
fn team_places(teams: &[Option<&str>], names: &[String], credit: &mut Vec<u8>) -> bool {
    credit.clear();
    for team in teams {
        let place = match team {
            None => Some(NO_TEAM),
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
