//! Impressions and duels: asked for, shown, paged, closed, judged.

use std::collections::BTreeSet;

use interleave::{Doc, ListBuf, Page, Preference};
use times::parse_duration;
use traffic::{Config, Marks, Request, RequestAnswer, State, UnitPosition};

use super::Refusal;
use crate::ids::{ImpressionId, UnitHashes};
use crate::store::{DisplayedPage, StoredPage};
use crate::writer::{Transaction, UndeliveredImpression};

/// The time that ids outlive the window of their impression, in milliseconds: late events are then answered as such.
const ID_GRACE: i64 = 24 * 60 * 60 * 1000;
/// Windows that an impression may be open for: each start of a server after an outage makes its window longer, by one at most.
const MAX_OPEN_WINDOWS: i64 = 10;

/// A request for an impression.
#[derive(Debug, Clone)]
pub struct ImpressionRequest {
    /// The experiment's number in the store.
    pub experiment: u32,
    /// The unit; an impression without one is a unit of its own.
    pub unit: Option<UnitHashes>,
    /// The position of the unit; `None` without a unit, or where the position does not matter.
    pub place: Option<UnitPosition>,
    /// Whether a rule marks the unit as a bot.
    pub is_bot: bool,
    /// The marks by which it is found again.
    pub marks: Marks,
    /// The segment that its label names, by its place in the settings.
    pub segment: Option<u8>,
}

/// Names by number, in one text: a name is asked for far less often than it is sent.
#[derive(Debug, Clone, Default)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut all = Self::default();
        for name in names {
            all.text.push_str(name);
            all.ends.push(all.text.len());
        }
        all
    }
}

impl Names {
    /// All names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(|number| self.get(number))
    }

    fn get(&self, number: usize) -> Option<&str> {
        let from = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(from..*self.ends.get(number)?)
    }
}

/// The lists that came with a request.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    /// Documents by number.
    pub ids: Names,
    /// By the ranker's position in the settings.
    pub lists: Vec<Option<ListBuf>>,
}

impl Lists {
    fn get(&self, ranker: u32) -> Option<&ListBuf> {
        self.lists.get(ranker as usize)?.as_ref()
    }

    fn names(&self, documents: &[Doc]) -> Vec<String> {
        documents.iter().filter_map(|document| self.ids.get(document.index())).map(str::to_owned).collect()
    }
}

/// The answer to [`ask`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An impression.
    Open {
        /// Its id.
        id: String,
        /// The rankers that were chosen.
        arms: Vec<u32>,
        /// The first page, where lists were given.
        shown: Option<Vec<String>>,
        /// Whether rankers are compared.
        is_mixed: bool,
    },
    /// Nothing is recorded: show the fallback's list, for this reason.
    Fallback(&'static str),
}

/// Asks for an impression, and mixes its lists if they came with it.
///
/// # Errors
/// If the key came before with another request, its impression is closed, or a list is missing.
pub fn ask(
    transaction: &mut Transaction<'_>,
    ask: &ImpressionRequest,
    lists: Option<&Lists>,
) -> Result<Answer, Refusal> {
    let (id, now, max_open) = (ask.experiment, transaction.now, transaction.open_impressions as u64);
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    let state = experiment.state();
    if ask.is_bot && state == State::Running {
        return Ok(Answer::Fallback("bot"));
    }
    if state == State::Running && !experiment.admits(ask.place) {
        return Ok(Answer::Fallback("outside"));
    }
    if state == State::Running && experiment.fates().open >= max_open {
        return Ok(Answer::Fallback("overloaded"));
    }
    // In an experiment that does not run, no unit is numbered: nothing refers to it.
    let unit = match (state, &ask.unit) {
        (State::Running, Some(unit)) => transaction.unit(id, unit),
        (State::Running, None) => transaction.unit_of_its_own(id),
        _ => Some(0),
    };
    let request = Request { unit: unit.unwrap_or(0), marks: ask.marks, segment: ask.segment };
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    let chosen = match lists {
        None => experiment.choose(now, &request, None)?,
        Some(lists) => experiment.choose(now, &request, Some(&|ranker| lists.get(ranker)))?,
    };
    if let (Some(unit), Some(hashes)) = (unit, &ask.unit) {
        transaction.unnumber(id, unit, hashes);
    }
    let (impression, arms, is_mixed, shown) = match chosen {
        RequestAnswer::Fallback(state) => return Ok(Answer::Fallback(state.name())),
        RequestAnswer::OtherRequest { .. } => {
            return Err(Refusal::Invalid {
                path: Some("key".to_owned()),
                detail: "key: this key came before with another request; send a new key with every new request"
                    .to_owned(),
            });
        }
        RequestAnswer::Gone { .. } => {
            return Err(Refusal::Gone("this key was used for an impression that is closed".to_owned()));
        }
        RequestAnswer::New { impression, arms, documents, is_mixed } => {
            let shown = documents.zip(lists).map(|(documents, lists)| lists.names(&documents));
            if let Some(shown) = &shown {
                transaction.keep_shown(id, impression, shown, None);
            }
            transaction.keep_marks(id, impression, ask.marks);
            (impression, arms, is_mixed, shown)
        }
        RequestAnswer::Again { impression, arms, is_listed, is_mixed } => {
            let shown = match lists {
                None => None,
                Some(_) if is_listed => {
                    Some(transaction.shown(id, impression).ok_or_else(deleted_documents_refusal)?.mixed)
                }
                Some(lists) => Some(mix(transaction, (id, impression), lists, None)?),
            };
            (impression, arms, is_mixed, shown)
        }
    };
    let can_be_asked_again = ask.marks.key.is_some() || ask.marks.query.is_some();
    let page = |mut shown: Vec<String>, length: u32| {
        shown.truncate(length as usize);
        shown
    };
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    let config = experiment.config();
    let shown = shown.map(|shown| page(shown, config.shown));
    let expires = expiry(config, experiment.request_time(impression).unwrap_or(now));
    let of = ImpressionId { experiment: id, impression, start: experiment.start_number(impression), expires };
    transaction.offer(UndeliveredImpression { id: of, can_be_asked_again });
    Ok(Answer::Open { id: transaction.shared.signer.text(of), arms, shown, is_mixed })
}

/// The refusal for deleted documents.
fn deleted_documents_refusal() -> Refusal {
    Refusal::Gone("the documents of this impression were deleted".to_owned())
}

/// Until when the id of an impression is valid, in seconds since 1970: it follows from the impression, so that a reload gets the
/// same id.
fn expiry(config: &Config, request_time: i64) -> u32 {
    // The window was checked when the experiment was created.
    let window = parse_duration(&config.window).unwrap_or(0);
    // As long as outcomes of the page may be credited.
    let days = config.outcome_days.filter(|_| config.outcomes.is_some()).map_or(0, |days| days + config.unit_days);
    let outcomes = i64::from(days).saturating_mul(times::DAY);
    let end = request_time
        .saturating_add(window.saturating_mul(MAX_OPEN_WINDOWS))
        .saturating_add(ID_GRACE)
        .saturating_add(outcomes);
    u32::try_from(end / 1000).unwrap_or(u32::MAX)
}

fn mix(
    transaction: &mut Transaction<'_>,
    (id, impression): (u32, u64),
    lists: &Lists,
    request: Option<u64>,
) -> Result<Vec<String>, Refusal> {
    let now = transaction.now;
    let experiment = transaction.experiment(id).ok_or_else(Refusal::no_experiment)?;
    let documents = experiment.list(now, impression, &|ranker| lists.get(ranker))?;
    let shown = lists.names(&documents);
    transaction.keep_shown(id, impression, &shown, request);
    Ok(shown)
}

/// Mixes the lists of an impression that was asked for without, and returns the first page and whether rankers are compared. The
/// same lists again are allowed: the answer to the first time may have been lost.
///
/// # Errors
/// If it is closed, or a list is missing: it is closed then.
pub fn lists(
    transaction: &mut Transaction<'_>,
    of: ImpressionId,
    lists: &Lists,
    request: u64,
) -> Result<(Vec<String>, bool), Refusal> {
    let known = transaction.shown(of.experiment, of.impression);
    let experiment = transaction.experiment_of(&of).ok_or_else(Refusal::no_impression)?;
    let is_mixed = experiment.is_mixed(of.impression).unwrap_or(false);
    let length = experiment.config().shown as usize;
    let is_open = experiment.request_time(of.impression).is_some();
    let mut shown = match known {
        Some(StoredPage { mixed, request: Some(known), .. }) if is_open && known == request => mixed,
        _ => mix(transaction, (of.experiment, of.impression), lists, Some(request))?,
    };
    transaction.offer(UndeliveredImpression { id: of, can_be_asked_again: true });
    shown.truncate(length);
    Ok((shown, is_mixed))
}

/// The page after the first `seen` places (one page if `None`), which the user sees from now on.
///
/// # Errors
/// If the impression is closed, or shows nothing yet.
pub fn next(transaction: &mut Transaction<'_>, of: ImpressionId, seen: Option<u32>) -> Result<Vec<String>, Refusal> {
    let now = transaction.now;
    let known = transaction.shown(of.experiment, of.impression);
    let experiment = transaction.experiment_of(&of).ok_or_else(Refusal::no_impression)?;
    let length = experiment.config().shown;
    let seen = seen.unwrap_or(length);
    let mixed = known.map_or_else(Vec::new, |shown| shown.mixed);
    let from = (seen as usize).min(mixed.len());
    let to = from.saturating_add(length as usize).min(mixed.len());
    experiment.note_seen_places(now, of.impression, to as u32)?;
    Ok(mixed[from..to].to_vec())
}

/// Takes the page that an impression displayed; returns the number of its credited places.
///
/// # Errors
/// If the impression is closed or shows nothing yet, or the page does not fit the mixed list.
pub fn displayed(transaction: &mut Transaction<'_>, of: ImpressionId, page: &DisplayedPage) -> Result<usize, Refusal> {
    let now = transaction.now;
    let stored = transaction.shown(of.experiment, of.impression);
    let experiment = transaction.experiment_of(&of).ok_or_else(Refusal::no_impression)?;
    if stored.is_none() {
        // One that is closed is refused as such.
        experiment.note_seen_places(now, of.impression, 0)?;
    }
    let mixed = stored.ok_or_else(deleted_documents_refusal)?.mixed;
    let wrong =
        |path: String, detail: String| Refusal::Invalid { detail: format!("{path}: {detail}"), path: Some(path) };
    let displayed: BTreeSet<&String> = page.documents.iter().collect();
    if let Some(index) = page.pinned.iter().position(|id| !displayed.contains(id)) {
        return Err(wrong(
            format!("pinned[{index}]"),
            "this document is not among `documents`; name what the page displayed".to_owned(),
        ));
    }
    let mut places = Vec::with_capacity(page.documents.len());
    for (index, id) in page.documents.iter().enumerate() {
        if page.pinned.contains(id) {
            places.push(None);
            continue;
        }
        let place = mixed.iter().position(|stored| stored == id);
        places.push(Some(place.ok_or_else(|| {
            wrong(format!("documents[{index}]"), "this document was not mixed; name it in `pinned` too".to_owned())
        })?));
    }
    let credited = places.iter().flatten().count();
    let layout = Page::new(places).map_err(|error| wrong("documents".to_owned(), error.to_string()))?;
    experiment.note_displayed_page(now, of.impression, layout)?;
    transaction.keep_displayed(of.experiment, of.impression, page);
    Ok(credited)
}

/// Closes an impression; whether it was open.
///
/// # Errors
/// If there is no such impression.
pub fn close(transaction: &mut Transaction<'_>, of: ImpressionId) -> Result<bool, Refusal> {
    let now = transaction.now;
    let experiment = transaction.experiment_of(&of).ok_or_else(Refusal::no_impression)?;
    Ok(experiment.close(now, of.impression))
}

/// Takes a judgement; returns whether the duel was open.
///
/// # Errors
/// If the experiment mixes lists.
pub fn judge(transaction: &mut Transaction<'_>, of: ImpressionId, winner: Preference) -> Result<bool, Refusal> {
    let now = transaction.now;
    let experiment = transaction.experiment_of(&of).ok_or_else(Refusal::no_impression)?;
    Ok(experiment.judge(now, of.impression, winner)?)
}
