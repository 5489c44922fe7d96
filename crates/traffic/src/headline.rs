//! The status of an experiment in one sentence, as a team reads it on a wall screen. Faults that make a verdict meaningless
//! come before the verdict.

use ranktypes::text::{with_separators, with_unit};
use statistics::Counts;
use verdicts::conversions::Primary;
use verdicts::decide::{Action, Finding, FindingKind};
use verdicts::integrity::IntegrityReport;

use super::config::{Ask, Config};
use super::event::{State, Time};
use super::experiment::{Experiment, Fates};
use super::refusals::{is_lost, refusals};
use super::status::{DecisionReport, MIN_IMPRESSIONS, breach_sentence};

/// The status of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExperimentStatus {
    /// No impression was asked for.
    NotBegun,
    /// There are impressions, and no day has closed.
    Waiting,
    /// No ranker has won yet.
    Undecided,
    /// A ranker has won.
    Decided,
    /// A ranker has won, and later outcomes contradict it.
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
    /// Everybody gets the list of a ranker that was shipped.
    Shipped,
}

/// The status of an experiment, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The status.
    pub standing: ExperimentStatus,
    /// One sentence.
    pub sentence: String,
    /// Further sentences, the most important first.
    pub details: Vec<String>,
    /// What to do, in a word: `ship`, `choose`, `check`, `wait`, `repair`, or `none`.
    pub action: &'static str,
    /// The same in a sentence.
    pub advice: String,
    /// The ranker that won, once that is sure and can be trusted.
    pub winner: Option<String>,
}

/// Data for a headline apart from the verdict, copied: a verdict takes long, and must not block the experiment.
#[derive(Debug, Clone)]
pub struct Facts {
    name: String,
    champion: String,
    /// The ranker that was shipped.
    shipped: Option<String>,
    ask: Ask,
    state: State,
    /// The last change: time, author and reason, in words.
    change: Option<(String, String, String)>,
    same_lists: bool,
    fates: Fates,
    clicked: u64,
    /// A ranker with a list that is (nearly) always missing, how often it was needed, and how often missing.
    silent: Option<(String, [u64; 2])>,
    breaches: Vec<String>,
    integrity: IntegrityReport,
    /// Whether clicks came, but none counts.
    is_lost: bool,
    /// Why events do not count.
    refusals: Option<String>,
    /// Until when impressions are open, if any are.
    open_until: Option<String>,
    first_close: Option<String>,
    /// The measure that decides, and when the first units close for it, if they do so later than for clicks.
    primary: Primary,
    first_maturity: Option<String>,
    /// While no day has closed: the counts of its units, in words.
    counts_so_far: Option<String>,
    today: i32,
    /// The experiment that must be over before this one begins.
    waits_for: Option<String>,
    /// The last day before its automatic end, and that time, in words.
    ends: Option<(i32, String)>,
}

/// The status of an experiment, before the advice.
struct StatusText {
    standing: ExperimentStatus,
    sentence: String,
    details: Vec<String>,
}

impl Experiment {
    /// Data for a headline apart from the verdict.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let config = self.config();
        let is_silent = |[requests, missing]: [u64; 2]| requests >= MIN_IMPRESSIONS / 2 && 10 * missing >= 9 * requests;
        let rankers = config.rankers.iter().zip(0..);
        Facts {
            name: config.name.clone(),
            champion: config.rankers[self.champion() as usize].name.clone(),
            shipped: self.state().shipped().map(|ranker| config.rankers[ranker as usize].name.clone()),
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
                .find(|(_, requests)| is_silent(*requests)),
            integrity: self.integrity(),
            is_lost: is_lost(self.traffic().clicked, &self.notices()),
            refusals: refusals(&self.notices(), &config.window),
            open_until: self.open_until().map(|time| self.minute(time)),
            breaches: self.alarms().iter().map(|alarm| breach_sentence(config, alarm)).collect(),
            first_close: self.first_close().map(|time: Time| self.minute(time)),
            primary: self.primary(),
            first_maturity: self.first_maturity().map(|time: Time| self.minute(time)),
            counts_so_far: counts_text(config, &self.counts_so_far()),
            today: self.today(),
            waits_for: self.awaited_experiment().map(str::to_owned),
            ends: self.end_time().map(|end| (self.last_day_before(end), self.minute(end))),
        }
    }
}

impl Experiment {
    /// Why no day of it is final yet, and when one will be, so that there is nothing to export but its events; `None` once one is.
    #[must_use]
    pub fn why_nothing_is_final(&self) -> Option<String> {
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
    /// The same facts with `other` as the awaited one of several predecessors, if the experiment waits.
    #[must_use]
    pub fn with_awaited(self, other: Option<String>) -> Self {
        Self { waits_for: other.filter(|_| self.waits_for.is_some()).or(self.waits_for), ..self }
    }

    /// The headline for this verdict: the status of the experiment, and advice.
    #[must_use]
    pub fn headline(&self, verdict: &DecisionReport) -> Headline {
        let StatusText { standing, sentence, mut details } = self.status_text(verdict);
        if standing.tells_harm() && self.integrity.is_trusted() {
            details.splice(0..0, verdict.harms().map(|(_, sentence)| sentence));
        }
        let (action, advice) = self.advice(standing, verdict);
        let winner = verdict.winner().filter(|_| self.integrity.is_trusted());
        let winner = winner.map(|ranker| verdict.decision.rankers[ranker].clone());
        Headline { standing, sentence, details, action, advice, winner }
    }

    /// Advice, as a word and as a sentence.
    fn advice(&self, standing: ExperimentStatus, verdict: &DecisionReport) -> (&'static str, String) {
        let Self { champion, .. } = self;
        let outlook = verdict.outlook(None);
        let winner = outlook.winner.map(|ranker| verdict.decision.rankers[ranker].as_str());
        let is_trusted = self.distrust_reason().is_empty();
        // A verdict that must not be acted on replaces the advice that would follow from it.
        let is_uncertain = outlook.advice.action == Action::Check;
        let harm = verdict.harm_to_check(outlook.winner).filter(|_| !is_uncertain);
        let is_shown =
            !matches!(standing, ExperimentStatus::Killed | ExperimentStatus::Paused | ExperimentStatus::Ended);
        let (action, sentence) = match standing {
            ExperimentStatus::NotBegun => match &self.waits_for {
                Some(other) => ("wait", format!("Wait until {other} is over, or resume this one to begin now.")),
                None => ("wait", "Send traffic.".to_owned()),
            },
            ExperimentStatus::Silent => {
                ("repair", "Find out why its lists do not come; pause the experiment until they do.".to_owned())
            }
            ExperimentStatus::NoClicks => {
                ("repair", "Find out why no click counts before you wait any longer.".to_owned())
            }
            ExperimentStatus::Breached => {
                ("check", "Look at what this ranker shows; pause or kill the experiment if it does harm.".to_owned())
            }
            ExperimentStatus::Equal if outlook.winner.is_some() => {
                ("repair", "Look for a fault of the pages before you compare rankers.".to_owned())
            }
            ExperimentStatus::Equal => {
                ("wait", "Go on for as long as a real experiment would take, then end this one.".to_owned())
            }
            ExperimentStatus::Shipped => {
                ("none", "Nothing: the experiment is over. Ship another ranker to give everybody its list.".to_owned())
            }
            _ if !is_trusted => {
                let fault = self.distrust_reason().into_iter().next();
                let repair = verdict.outlook(fault.as_deref()).advice;
                (repair.action.name(), repair.sentence)
            }
            // Without a winner, only a ranker that is shown does harm.
            _ if harm.is_some() && (winner.is_some() || is_shown) => (Action::Check.name(), harm.unwrap_or_default()),
            // A verdict that must not be acted on does not justify shipping, whatever the state of the experiment.
            ExperimentStatus::Killed | ExperimentStatus::Paused | ExperimentStatus::Ended if is_uncertain => {
                (Action::Check.name(), outlook.advice.sentence)
            }
            ExperimentStatus::Killed | ExperimentStatus::Paused => match winner {
                Some(winner) => ("ship", format!("Ship {winner}, or resume.")),
                None => ("wait", "Resume, or ship a ranker.".to_owned()),
            },
            ExperimentStatus::Ended => match winner {
                Some(winner) if winner != champion => {
                    ("ship", format!("Ship {winner}: until then everybody gets {champion}'s list."))
                }
                Some(_) => ("none", format!("Nothing: everybody gets {champion}'s list, which won.")),
                None => {
                    ("none", format!("Nothing: everybody gets {champion}'s list. Ship another ranker to change that."))
                }
            },
            ExperimentStatus::Waiting
            | ExperimentStatus::Undecided
            | ExperimentStatus::Decided
            | ExperimentStatus::Contradicted
            | ExperimentStatus::Untrusted => match (outlook.advice.action, winner) {
                (Action::Ship(_), Some(winner)) if winner == champion => {
                    ("ship", format!("Ship {winner}, or end the experiment: everybody then keeps its list."))
                }
                (Action::Ship(_), Some(winner)) => ("ship", format!("Ship {winner}: everybody then gets its list.")),
                (Action::Wait, _) => ("wait", self.waiting_advice(verdict)),
                (action, _) => (action.name(), outlook.advice.sentence),
            },
        };
        (action, sentence)
    }

    /// How long to wait: the forecast, if days keep closing as they did.
    fn waiting_advice(&self, verdict: &DecisionReport) -> String {
        let Some((_, last)) = verdict.days() else {
            if let Some(matures) = self.maturity_text() {
                return format!("Wait: {matures}.");
            }
            return match &self.first_close {
                Some(time) => format!("Wait until {time}, when the first day closes."),
                None => "Wait until the first day closes.".to_owned(),
            };
        };
        let is_going_on = self.today <= last + 2;
        // A policy that has found the best shows one ranker, and compares seldom.
        let mostly_alone = match self.fates.alone > self.fates.credited {
            true => " The policy shows one ranker alone in most impressions by now, and compares seldom.",
            false => "",
        };
        if !is_going_on {
            return "Wait.".to_owned();
        }
        // The time for value is not forecast.
        if verdict.primary() == Primary::Value {
            return format!("Wait.{mostly_alone}");
        }
        let decision = verdict.sign_decision();
        let ends = match &self.ends {
            Some((end, time)) if decision.likely_by().is_some_and(|day| day > *end) => {
                format!(" It ends by itself on {time}, before a decision is likely.")
            }
            _ => String::new(),
        };
        format!("{}{mostly_alone}{ends}", decision.waiting_text(Some("unit")))
    }

    fn status_text(&self, verdict: &DecisionReport) -> StatusText {
        let finding = verdict.finding();
        let told = |standing, sentence: String, details: Vec<String>| StatusText { standing, sentence, details };
        // Reasons not to trust a verdict come before it, wherever they are shown.
        let faults = self.distrust_reason();
        let with_verdict = || {
            let Finding { kind, mut sentence, details } = self.finding_so_far(&finding);
            if !faults.is_empty() && kind != FindingKind::Nothing {
                sentence = format!("Without this it would say: {sentence}");
            }
            // If nothing can be trusted, forecasts do not matter.
            let details = if faults.is_empty() || kind != FindingKind::Nothing { details } else { Vec::new() };
            faults.iter().cloned().chain([sentence]).chain(details).collect::<Vec<_>>()
        };
        let champion = &self.champion;
        let since = self.change.as_ref().map_or_else(String::new, |(time, who, why)| {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            format!(" since {time}, by {who}{why}")
        });
        match self.state {
            State::Killed => {
                let sentence = format!("Killed{since}: everybody gets {champion}'s list until you resume.");
                return told(ExperimentStatus::Killed, sentence, with_verdict());
            }
            State::Paused if let Some(other) = &self.waits_for => {
                let sentence = format!(
                    "Not begun: it waits until {other} is over, and everybody gets {champion}'s list until then."
                );
                return told(ExperimentStatus::NotBegun, sentence, Vec::new());
            }
            State::Paused => {
                let sentence = format!("Paused{since}: everybody gets {champion}'s list until you resume.");
                return told(ExperimentStatus::Paused, sentence, with_verdict());
            }
            State::Shipped(_) => {
                let since = since.replacen(" since ", " on ", 1);
                let shipped = self.shipped.as_deref().unwrap_or(champion);
                let sentence = format!("{shipped} was shipped{since}: everybody gets its list.");
                let open = self.open_pages().map(|open| format!("{open}."));
                return told(ExperimentStatus::Shipped, sentence, open.into_iter().chain(with_verdict()).collect());
            }
            State::Running | State::Ended => {}
        }
        if self.fates.asked == 0 {
            return self.status_without_impressions(&since);
        }
        if let Some((ranker, [needed, missing])) = &self.silent {
            let sentence =
                format!("{ranker} is silent: its list was missing {missing} of the {needed} times it was needed.");
            return told(ExperimentStatus::Silent, sentence, with_verdict());
        }
        if !faults.is_empty() {
            let mut details = with_verdict();
            let sentence = details.remove(0);
            details.extend(self.end_sentence(&since));
            return told(ExperimentStatus::Untrusted, sentence, details);
        }
        let closed = if self.is_lost { self.fates.asked } else { self.fates.credited };
        if self.is_lost || self.ask == Ask::Lists && closed >= MIN_IMPRESSIONS && self.clicked == 0 {
            return match &self.refusals {
                None => {
                    let sentence = format!("No click arrives: none of {closed} impressions was clicked.");
                    let what = "Send clicks to POST /v1/events, with the impression's id as query_id.".to_owned();
                    told(ExperimentStatus::NoClicks, sentence, vec![what])
                }
                Some(why) => {
                    let sentence = format!("No click counts: none of {closed} impressions was clicked.");
                    told(ExperimentStatus::NoClicks, sentence, vec![format!("Events came that do not count, {why}")])
                }
            };
        }
        if let Some(breach) = self.breaches.last() {
            return told(ExperimentStatus::Breached, format!("Guardrail: {breach}"), with_verdict());
        }
        if self.same_lists {
            return self.same_lists_status(&finding, verdict.decision.alpha);
        }
        if finding.kind == FindingKind::Contradicted {
            return told(ExperimentStatus::Contradicted, finding.sentence, finding.details);
        }
        if self.state == State::Ended {
            let Finding { kind, sentence, details } = self.finding_so_far(&finding);
            let mut details: Vec<String> = details.into_iter().chain(self.end_sentence(&since)).collect();
            let open = self.open_pages().map(|open| format!("Ended; {open}."));
            let sentence = match (kind, open) {
                (FindingKind::Undecided, None) => sentence.replacen("Undecided: ", "Ended undecided: ", 1),
                (FindingKind::Undecided, Some(open)) => {
                    details.insert(0, sentence);
                    open
                }
                (FindingKind::Decided | FindingKind::Contradicted, Some(open)) => {
                    details.insert(0, open);
                    sentence
                }
                _ => sentence,
            };
            return told(ExperimentStatus::Ended, sentence, details);
        }
        let finding = self.finding_so_far(&finding);
        match finding.kind {
            FindingKind::Nothing => told(ExperimentStatus::Waiting, finding.sentence, finding.details),
            FindingKind::Undecided => told(ExperimentStatus::Undecided, finding.sentence, finding.details),
            _ => told(ExperimentStatus::Decided, finding.sentence, finding.details),
        }
    }

    /// The report of the status, line by line: reasons not to trust the verdict, and the words of `click-logs decide`.
    #[must_use]
    pub fn report(&self, verdict: &DecisionReport) -> Vec<String> {
        let found = self.finding_so_far(&verdict.finding());
        let faults = self.distrust_reason().into_iter();
        match found.kind {
            // Advice about a longer log is only for those who have one.
            FindingKind::Nothing => faults.chain([found.sentence]).chain(found.details).collect(),
            _ => faults.chain(verdict.words()).collect(),
        }
    }

    /// The result of the checks of its pages.
    #[must_use]
    pub fn integrity(&self) -> &IntegrityReport {
        &self.integrity
    }

    /// Reasons not to trust verdicts.
    fn distrust_reason(&self) -> Vec<String> {
        let faults = self.integrity.faults.iter().filter(|fault| !fault.trusted);
        faults.map(|fault| fault.sentence.clone()).collect()
    }

    /// The number of open pages, and when they close.
    fn open_pages(&self) -> Option<String> {
        open_pages(self.ask, self.fates.open, self.open_until.as_deref()?)
    }

    /// A sentence that it has ended, and which ranker provides the lists.
    fn end_sentence(&self, since: &str) -> Option<String> {
        let since = since.replacen(" since ", " on ", 1);
        let ended = || format!("The experiment ended{since}; everybody gets {}'s list.", self.champion);
        (self.state == State::Ended).then(ended)
    }

    fn status_without_impressions(&self, since: &str) -> StatusText {
        let (sentence, details) = match (self.state, self.ask) {
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
        let standing = if self.state == State::Ended { ExperimentStatus::Ended } else { ExperimentStatus::NotBegun };
        StatusText { standing, sentence, details: vec![details] }
    }

    /// When the first units close for the measure that decides, if that is not clicks; `None` before the first
    /// impression.
    fn maturity_text(&self) -> Option<String> {
        let time = self.first_maturity.as_ref().filter(|_| self.primary != Primary::Clicks)?;
        Some(format!("the first units close for {} at {time}", self.primary.name()))
    }

    /// The finding; if there is none, when there will be one.
    fn finding_so_far(&self, found: &Finding) -> Finding {
        if found.kind != FindingKind::Nothing || self.fates.asked == 0 {
            return found.clone();
        }
        if self.state.is_over() {
            let sentence = match self.open_pages() {
                Some(open) => format!("Ended; {open}."),
                None => "Ended without an outcome.".to_owned(),
            };
            return Finding { kind: FindingKind::Nothing, sentence, details: vec![] };
        }
        let request_count = self.fates.asked;
        if let Some(matures) = self.maturity_text() {
            let request_count = with_unit(request_count, "impression");
            let sentence =
                format!("Too early to say: {request_count}, and no unit has closed for {}.", self.primary.name());
            let details = format!("{}{}.", matures[..1].to_uppercase(), &matures[1..]);
            return Finding { kind: FindingKind::Nothing, sentence, details: vec![details] };
        }
        let sentence = format!("Too early to say: {}, and no day has closed.", with_unit(request_count, "impression"));
        let when = |time: &String| format!("The first day closes at {time}, or once its last impressions are closed.");
        let details = self.counts_so_far.iter().cloned().chain(self.first_close.iter().map(when)).collect();
        Finding { kind: FindingKind::Nothing, sentence, details }
    }

    fn same_lists_status(&self, finding: &Finding, alpha: f64) -> StatusText {
        let (sentence, details) = match finding.kind {
            FindingKind::Decided | FindingKind::Contradicted => (
                format!("False alarm: all rankers show {}'s list, and yet a winner was found.", self.champion),
                vec![
                    finding.sentence.clone(),
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
        StatusText { standing: ExperimentStatus::Equal, sentence, details }
    }
}

/// The number of open pages, and when they close.
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

/// The counts of the units of the first day so far, in words; for many rankers, only their number.
fn counts_text(config: &Config, counts: &[((u32, u32), Counts)]) -> Option<String> {
    let of = |count: u64| with_unit(count, "unit");
    let said = match (config.rankers.as_slice(), counts) {
        (_, []) => return None,
        ([first, second], [(_, counts)]) => format!(
            "{} so far: {} for {}, {} for {}, {} tied",
            of(counts.total()),
            with_separators(counts.wins),
            first.name,
            with_separators(counts.losses),
            second.name,
            with_separators(counts.ties)
        ),
        _ => format!("{} of {} pairs so far", of(counts.iter().map(|(_, counts)| counts.total()).sum()), counts.len()),
    };
    Some(format!("{said}. This is provisional: nothing counts before its day closes."))
}

impl ExperimentStatus {
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
            Self::Shipped => "shipped",
        }
    }
}
