//! How an experiment stands, in one sentence: what a team reads on the wall. Faults that make a verdict meaningless come before
//! the verdict.

use ranktypes::text::with_unit;
use verdicts::decide::{Decision, Finding, FindingKind, finding};
use verdicts::integrity::Checked;

use super::config::Ask;
use super::event::{State, Time};
use super::experiment::{Experiment, Fates};
use super::refusals::{is_lost, refusals};
use super::status::{DecisionReport, FEW, breach};

/// The days over which the speed of an experiment is measured.
const LAST_DAYS: i32 = 7;

/// How an experiment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// No impression was asked for.
    NotBegun,
    /// There are impressions, and no day has closed.
    Waiting,
    /// Nobody has won yet.
    Undecided,
    /// Somebody has won.
    Decided,
    /// Somebody has won, and later outcomes contradict it.
    Contradicted,
    /// A guardrail broke.
    Breached,
    /// All rankers show the same list.
    Equal,
    /// A ranker sends no lists.
    Silent,
    /// Pages are broken so that no verdict can be trusted.
    Untrusted,
    /// No click arrives, or none counts.
    NoClicks,
    /// Everybody gets the champion's list, for a while.
    Paused,
    /// Everybody gets the champion's list, immediately.
    Killed,
    /// It is over.
    Ended,
}

/// How an experiment stands, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// How.
    pub standing: Standing,
    /// One sentence.
    pub sentence: String,
    /// Further sentences, the most important first.
    pub more: Vec<String>,
}

/// What a headline needs beside the verdict, copied: a verdict takes long, and nobody keeps an experiment waiting for it.
#[derive(Debug, Clone)]
pub struct Facts {
    name: String,
    champion: String,
    ask: Ask,
    state: State,
    /// The last change: when, in words; who; why.
    change: Option<(String, String, String)>,
    same_lists: bool,
    fates: Fates,
    clicked: u64,
    /// A ranker whose list is missing (nearly) always, how often it was needed, and how often missing.
    silent: Option<(String, [u64; 2])>,
    breaches: Vec<String>,
    integrity: Checked,
    /// Whether clicks came, and none counts.
    is_lost: bool,
    /// Why events do not count.
    refusals: Option<String>,
    /// Until when impressions are open, if any are.
    open_until: Option<String>,
    first_close: Option<String>,
    today: i32,
}

impl Experiment {
    /// What a headline needs beside the verdict.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let config = self.config();
        let is_silent = |[needed, missing]: [u64; 2]| needed >= FEW / 2 && 10 * missing >= 9 * needed;
        let rankers = config.rankers.iter().zip(0..);
        Facts {
            name: config.name.clone(),
            champion: config.rankers[self.champion() as usize].name.clone(),
            ask: config.ask,
            state: self.state(),
            change: self
                .changes()
                .last()
                .map(|change| (self.minute(change.time), change.who.clone(), change.why.clone())),
            same_lists: config.same_lists,
            fates: self.fates(),
            clicked: self.traffic().clicked,
            silent: rankers
                .map(|(ranker, place)| (ranker.name.clone(), self.missing_lists(place)))
                .find(|(_, needed)| is_silent(*needed)),
            integrity: self.integrity(),
            is_lost: is_lost(self.traffic().clicked, &self.notices()),
            refusals: refusals(&self.notices(), &config.window),
            open_until: self.open_until().map(|time| self.minute(time)),
            breaches: self.alarms().iter().map(|alarm| breach(config, alarm)).collect(),
            first_close: self.first_close().map(|time: Time| self.minute(time)),
            today: self.today(),
        }
    }
}

impl Experiment {
    /// Why no day of it is final yet, and when one will be, so that there is nothing to export but its events; `None` once one is.
    #[must_use]
    pub fn nothing_final(&self) -> Option<String> {
        let (fates, ask) = (self.fates(), self.config().ask);
        if ask == Ask::Duels || self.last_day().is_some() {
            return None;
        }
        let until = self.open_until().map(|time| self.minute(time)).unwrap_or_default();
        let open = open_pages(ask, fates.open, &until);
        Some(match (fates.credited, open) {
            _ if fates.asked == 0 => "no impression was asked for".to_owned(),
            (0, Some(open)) => format!("nothing has closed yet: {open}"),
            (0, None) if fates.asked == 1 => "its only impression compared no rankers".to_owned(),
            (0, None) => format!("none of its {} impressions compared rankers", fates.asked),
            (closed, open) => {
                let when = match (self.state(), self.first_close()) {
                    (State::Running | State::Paused | State::Killed, Some(time)) => {
                        format!("the first is over at {}", self.minute(time))
                    }
                    _ => "it is over with its last page".to_owned(),
                };
                let open = open.map(|open| format!("; {open}")).unwrap_or_default();
                format!("{} closed, but no day is over yet: {when}{open}", with_unit(closed, "page"))
            }
        })
    }
}

impl Facts {
    /// How the experiment stands by this verdict of its.
    #[must_use]
    pub fn headline(&self, verdict: &DecisionReport) -> Headline {
        let found = finding(&verdict.decision, Some("unit"));
        let told = |standing, sentence: String, more: Vec<String>| Headline { standing, sentence, more };
        // What makes a verdict untrusted comes before it, wherever it stands.
        let faults = self.untrusted();
        let with_verdict = || {
            let Finding { kind, mut sentence, more } = self.so_far(&found);
            if !faults.is_empty() && kind != FindingKind::Nothing {
                sentence = format!("Without this it would say: {sentence}");
            }
            faults.iter().cloned().chain([sentence]).chain(more).collect::<Vec<_>>()
        };
        let champion = &self.champion;
        let since = self.change.as_ref().map_or_else(String::new, |(time, who, why)| {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            format!(" since {time}, by {who}{why}")
        });
        match self.state {
            State::Killed => {
                let sentence = format!("Killed{since}: everybody gets {champion}'s list.");
                return told(Standing::Killed, sentence, with_verdict());
            }
            State::Paused => {
                let sentence = format!("Paused{since}: everybody gets {champion}'s list.");
                return told(Standing::Paused, sentence, with_verdict());
            }
            State::Running | State::Ended => {}
        }
        if self.fates.asked == 0 {
            return self.without_impressions(&since);
        }
        if let Some((ranker, [needed, missing])) = &self.silent {
            let sentence =
                format!("{ranker} is silent: its list was missing {missing} of the {needed} times it was needed.");
            return told(Standing::Silent, sentence, with_verdict());
        }
        if !faults.is_empty() {
            let mut more = with_verdict();
            let sentence = more.remove(0);
            more.extend(self.ended(&since));
            return told(Standing::Untrusted, sentence, more);
        }
        let closed = if self.is_lost { self.fates.asked } else { self.fates.credited };
        if self.is_lost || self.ask == Ask::Lists && closed >= FEW && self.clicked == 0 {
            return match &self.refusals {
                None => {
                    let sentence = format!("No click arrives: none of {closed} impressions was clicked.");
                    let what = "Send clicks to POST /v1/events, with the impression's id as query_id.".to_owned();
                    told(Standing::NoClicks, sentence, vec![what])
                }
                Some(why) => {
                    let sentence = format!("No click counts: none of {closed} impressions was clicked.");
                    told(Standing::NoClicks, sentence, vec![format!("Events came that do not count, {why}")])
                }
            };
        }
        if let Some(breach) = self.breaches.last() {
            return told(Standing::Breached, format!("Guardrail: {breach}"), with_verdict());
        }
        if self.same_lists {
            return self.equal(&found, verdict.decision.alpha);
        }
        if found.kind == FindingKind::Contradicted {
            return told(Standing::Contradicted, found.sentence, found.more);
        }
        if self.state == State::Ended {
            let Finding { kind, sentence, more } = self.so_far(&found);
            let mut more: Vec<String> = more.into_iter().chain(self.ended(&since)).collect();
            let open = self.open_pages().map(|open| format!("Ended; {open}."));
            let sentence = match (kind, open) {
                (FindingKind::Undecided, None) => sentence.replacen("Undecided: ", "Ended undecided: ", 1),
                (FindingKind::Undecided, Some(open)) => {
                    more.insert(0, sentence);
                    open
                }
                (FindingKind::Decided | FindingKind::Contradicted, Some(open)) => {
                    more.insert(0, open);
                    sentence
                }
                _ => sentence,
            };
            return told(Standing::Ended, sentence, more);
        }
        let mut found = self.so_far(&found);
        match found.kind {
            FindingKind::Nothing => told(Standing::Waiting, found.sentence, found.more),
            FindingKind::Undecided => {
                found.more.extend(self.days_more(&verdict.decision));
                told(Standing::Undecided, found.sentence, found.more)
            }
            _ => told(Standing::Decided, found.sentence, found.more),
        }
    }

    /// The report of the status, line by line: what makes a verdict untrusted, and the words of `click-logs decide`.
    #[must_use]
    pub fn report(&self, verdict: &DecisionReport) -> Vec<String> {
        let found = self.so_far(&finding(&verdict.decision, Some("unit")));
        let faults = self.untrusted().into_iter();
        match found.kind {
            // What to do with a longer log is advice for those who have one.
            FindingKind::Nothing => faults.chain([found.sentence]).chain(found.more).collect(),
            _ => faults.chain(verdict.report.lines().map(str::to_owned)).collect(),
        }
    }

    /// What was checked of its pages, and what is wrong with them.
    #[must_use]
    pub fn integrity(&self) -> &Checked {
        &self.integrity
    }

    /// What makes verdicts untrusted.
    fn untrusted(&self) -> Vec<String> {
        let faults = self.integrity.faults.iter().filter(|fault| !fault.trusted);
        faults.map(|fault| fault.sentence.clone()).collect()
    }

    /// How many pages are open, and until when.
    fn open_pages(&self) -> Option<String> {
        open_pages(self.ask, self.fates.open, self.open_until.as_deref()?)
    }

    /// That it has ended, and whose list everybody gets.
    fn ended(&self, since: &str) -> Option<String> {
        let since = since.replacen(" since ", " on ", 1);
        let ended = || format!("The experiment ended{since}; everybody gets {}'s list.", self.champion);
        (self.state == State::Ended).then(ended)
    }

    fn without_impressions(&self, since: &str) -> Headline {
        let (sentence, more) = match (self.state, self.ask) {
            (State::Ended, _) => ("Ended before the first impression.".to_owned(), format!("It has ended{since}.")),
            (_, Ask::Lists) => (
                "Not begun: no impression was asked for.".to_owned(),
                format!("Ask for one with POST /v1/experiments/{}/impressions.", self.name),
            ),
            (_, Ask::Duels) => (
                "Not begun: no duel was asked for.".to_owned(),
                format!("Ask for one with POST /v1/experiments/{}/duels.", self.name),
            ),
        };
        let standing = if self.state == State::Ended { Standing::Ended } else { Standing::NotBegun };
        Headline { standing, sentence, more: vec![more] }
    }

    /// The finding, and where there is none, when there will be one.
    fn so_far(&self, found: &Finding) -> Finding {
        if found.kind != FindingKind::Nothing || self.fates.asked == 0 {
            return found.clone();
        }
        if self.state == State::Ended {
            let sentence = match self.open_pages() {
                Some(open) => format!("Ended; {open}."),
                None => "Ended without an outcome.".to_owned(),
            };
            return Finding { kind: FindingKind::Nothing, sentence, more: vec![] };
        }
        let asked = self.fates.asked;
        let sentence = format!("Too early to say: {}, and no day has closed.", with_unit(asked, "impression"));
        let when = |time: &String| format!("The first day closes at {time}, or once its last impressions are closed.");
        Finding { kind: FindingKind::Nothing, sentence, more: self.first_close.iter().map(when).collect() }
    }

    fn equal(&self, found: &Finding, alpha: f64) -> Headline {
        let (sentence, more) = match found.kind {
            FindingKind::Decided | FindingKind::Contradicted => (
                format!("False alarm: all rankers show {}'s list, and yet a winner was found.", self.champion),
                vec![
                    found.sentence.clone(),
                    format!(
                        "By chance this happens in at most {}% of such experiments; look for a fault first.",
                        (1000.0 * alpha).round() / 10.0
                    ),
                ],
            ),
            _ => (
                format!("A/A test: all rankers show {}'s list, and nobody has won, as it should be.", self.champion),
                vec![],
            ),
        };
        Headline { standing: Standing::Equal, sentence, more }
    }

    /// How many days more decide it, where two rankers compete and units have come at a steady rate until now.
    fn days_more(&self, decision: &Decision) -> Option<String> {
        let [pair] = decision.pairs.as_slice() else { return None };
        let more = pair.more.filter(|_| decision.rankers.len() == 2 && self.state == State::Running)?;
        let last = pair.looks.last()?;
        // The first day began with the experiment, so it is not a whole day: counting starts at its end.
        let first = pair.looks.iter().find(|look| look.day >= last.day - LAST_DAYS)?;
        if last.day == first.day || self.today > last.day + 2 {
            return None;
        }
        let units = last.counts.total() - first.counts.total();
        let per_day = units as f64 / f64::from(last.day - first.day);
        let days = more as f64 / per_day;
        let days = match days {
            days if days < 1.5 => "1 more day".to_owned(),
            days if days < 1000.0 => format!("{days:.0} more days"),
            _ => return None,
        };
        Some(format!(
            "At this rate and this share, it takes about {days} to decide (an even chance of sooner or later)."
        ))
    }
}

/// How many pages are open, and until when.
fn open_pages(ask: Ask, open: u64, until: &str) -> Option<String> {
    let (page, what) = match ask {
        Ask::Lists => ("page", "clicks"),
        Ask::Duels => ("duel", "answers"),
    };
    match open {
        0 => None,
        1 => Some(format!("1 {page} is open until {until}, its {what} still count")),
        _ => Some(format!("{} are open until {until}, their {what} still count", with_unit(open, page))),
    }
}

impl Standing {
    /// Its name, as in the interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotBegun => "not-begun",
            Self::Waiting => "waiting",
            Self::Undecided => "undecided",
            Self::Decided => "decided",
            Self::Contradicted => "contradicted",
            Self::Breached => "breached",
            Self::Equal => "equal",
            Self::Silent => "silent",
            Self::Untrusted => "untrusted",
            Self::NoClicks => "no-clicks",
            Self::Paused => "paused",
            Self::Killed => "killed",
            Self::Ended => "ended",
        }
    }
}
