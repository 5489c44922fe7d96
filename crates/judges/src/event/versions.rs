//! The lines of a log: one struct per event and version, with names where events have numbers. A published struct never changes,
//! so that every later program reads the line: a field that is added, removed or means something else is a struct of the next
//! version, `upgrade` of the old one states what the field is without it, and [`line`](super::line) gains an arm. Nothing here uses
//! `..`, so that a forgotten field does not compile.

use serde::{Deserialize, Serialize};

use super::log_position::LogPosition;
use super::{AnswerWeight, Event, Purpose};
use crate::config::{AuditedModel, Config, Goal};
use crate::verdicts::{verdict_from_word, verdict_word};

/// What is wrong with a line that has all its fields.
pub(super) type Fault = &'static str;

/// A version of an event.
pub(super) trait Version: Serialize + for<'a> Deserialize<'a> {
    /// The word for the event.
    const EVENT: &'static str;
    /// From 1.
    const VERSION: u32;

    /// The event, with what later versions added.
    fn upgrade(self, position: LogPosition<'_>) -> Result<Event, Fault>;
}

/// The settings, apart from those that a caller states: each evolves on its own.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsV1 {
    names: Vec<String>,
    items: Vec<String>,
    goal: GoalV1,
    policy: String,
    horizon: u64,
    seed: u64,
    both: bool,
    repeat: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GoalV1 {
    Best,
    Order,
    Uniform,
}

impl SettingsV1 {
    fn of(config: &Config) -> Self {
        // Sessions without a tolerance or a model are those of version 1, and stay readable to its programs.
        let Config { names, items, goal, policy, horizon, seed, both, repeat, tolerance: _, model: _ } = config.clone();
        let goal = match goal {
            Goal::Best => GoalV1::Best,
            Goal::Order => GoalV1::Order,
            Goal::Uniform => GoalV1::Uniform,
        };
        Self { names, items, goal, policy, horizon, seed, both, repeat }
    }

    fn upgrade(self) -> Config {
        let Self { names, items, goal, policy, horizon, seed, both, repeat } = self;
        let goal = match goal {
            GoalV1::Best => Goal::Best,
            GoalV1::Order => Goal::Order,
            GoalV1::Uniform => Goal::Uniform,
        };
        Config { names, items, goal, policy, horizon, seed, both, repeat, tolerance: 0.0, model: None }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct CreatedV1 {
    config: SettingsV1,
    chooser: String,
}

impl CreatedV1 {
    pub(super) fn of(config: &Config, chooser: &str) -> Self {
        Self { config: SettingsV1::of(config), chooser: chooser.to_owned() }
    }
}

impl Version for CreatedV1 {
    const EVENT: &'static str = "created";
    const VERSION: u32 = 1;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { config, chooser } = self;
        Ok(Event::Created { config: config.upgrade(), chooser })
    }
}

/// With a tolerance, which version 1 does not have.
#[derive(Serialize, Deserialize)]
pub(super) struct CreatedV2 {
    config: SettingsV1,
    tolerance: f64,
    chooser: String,
}

impl CreatedV2 {
    pub(super) fn of(config: &Config, chooser: &str) -> Self {
        Self { config: SettingsV1::of(config), tolerance: config.tolerance, chooser: chooser.to_owned() }
    }
}

impl Version for CreatedV2 {
    const EVENT: &'static str = "created";
    const VERSION: u32 = 2;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { config, tolerance, chooser } = self;
        Ok(Event::Created { config: Config { tolerance, ..config.upgrade() }, chooser })
    }
}

/// With a model beside people, which version 2 does not have.
#[derive(Serialize, Deserialize)]
pub(super) struct CreatedV3 {
    config: SettingsV1,
    tolerance: f64,
    model: ModelV1,
    chooser: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelV1 {
    name: String,
    cost: f64,
    people: Vec<String>,
}

impl CreatedV3 {
    pub(super) fn of(config: &Config, model: &AuditedModel, chooser: &str) -> Self {
        let AuditedModel { name, cost, people } = model.clone();
        Self {
            config: SettingsV1::of(config),
            tolerance: config.tolerance,
            model: ModelV1 { name, cost, people },
            chooser: chooser.to_owned(),
        }
    }
}

impl Version for CreatedV3 {
    const EVENT: &'static str = "created";
    const VERSION: u32 = 3;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { config, tolerance, model: ModelV1 { name, cost, people }, chooser } = self;
        let model = Some(AuditedModel { name, cost, people });
        Ok(Event::Created { config: Config { tolerance, model, ..config.upgrade() }, chooser })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ContinuedV1 {
    chooser: String,
}

impl ContinuedV1 {
    pub(super) fn of(chooser: &str) -> Self {
        Self { chooser: chooser.to_owned() }
    }
}

impl Version for ContinuedV1 {
    const EVENT: &'static str = "continued";
    const VERSION: u32 = 1;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { chooser } = self;
        Ok(Event::Continued { chooser })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct AskedV1 {
    ticket: u64,
    first: String,
    second: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mirrors: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeats: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judge: Option<String>,
}

impl AskedV1 {
    pub(super) fn of(
        position: LogPosition<'_>,
        [first, second]: [u32; 2],
        item: Option<u32>,
        judge: Option<&str>,
        purpose: Purpose,
    ) -> Self {
        let name = |competitor: u32| position.config.names.get(competitor as usize).cloned().unwrap_or_default();
        let (mirrors, repeats) = match purpose {
            Purpose::New => (None, None),
            Purpose::Mirror(ticket) => (Some(ticket), None),
            Purpose::Repeat(ticket) => (None, Some(ticket)),
            // Audits are written in version 2.
            Purpose::Audit(_) => (None, None),
        };
        Self {
            ticket: position.ticket,
            first: name(first),
            second: name(second),
            item: item.map(|item| item + 1),
            mirrors,
            repeats,
            judge: judge.map(str::to_owned),
        }
    }
}

impl Version for AskedV1 {
    const EVENT: &'static str = "asked";
    const VERSION: u32 = 1;

    fn upgrade(self, position: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket, first, second, item, mirrors, repeats, judge } = self;
        let competitor = |name: &str| position.names.get(name).copied();
        if ticket != position.ticket {
            return Err("its ticket is not the next");
        }
        Ok(Event::Asked {
            first: competitor(&first).ok_or("`first` is not a competitor")?,
            second: competitor(&second).ok_or("`second` is not a competitor")?,
            item: item.map(|item| item.checked_sub(1).ok_or("items count from 1")).transpose()?,
            judge,
            purpose: match (mirrors, repeats) {
                (None, None) => Purpose::New,
                (Some(ticket), None) => Purpose::Mirror(ticket),
                (None, Some(ticket)) => Purpose::Repeat(ticket),
                (Some(_), Some(_)) => return Err("it both mirrors and repeats"),
            },
        })
    }
}

/// A question that a model answered, for a person. Version 1 has no such questions.
#[derive(Serialize, Deserialize)]
pub(super) struct AskedV2 {
    ticket: u64,
    first: String,
    second: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<u32>,
    audits: u64,
    judge: String,
}

impl AskedV2 {
    pub(super) fn of(
        position: LogPosition<'_>,
        pair: [u32; 2],
        item: Option<u32>,
        judge: Option<&str>,
        audits: u64,
    ) -> Self {
        let AskedV1 { ticket, first, second, item, mirrors: _, repeats: _, judge } =
            AskedV1::of(position, pair, item, judge, Purpose::Audit(audits));
        Self { ticket, first, second, item, audits, judge: judge.unwrap_or_default() }
    }
}

impl Version for AskedV2 {
    const EVENT: &'static str = "asked";
    const VERSION: u32 = 2;

    fn upgrade(self, position: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket, first, second, item, audits, judge } = self;
        let version_1 = AskedV1 { ticket, first, second, item, mirrors: None, repeats: None, judge: Some(judge) };
        let mut event = version_1.upgrade(position)?;
        if let Event::Asked { purpose, .. } = &mut event {
            *purpose = Purpose::Audit(audits);
        }
        Ok(event)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct WeighedV1 {
    ticket: u64,
    guess: u16,
    doubt: u16,
    chance: u16,
    audit: bool,
}

impl WeighedV1 {
    pub(super) fn of(ticket: u64, weighed: AnswerWeight) -> Self {
        let AnswerWeight { guess, doubt, chance, audit } = weighed;
        Self { ticket, guess, doubt, chance, audit }
    }
}

impl Version for WeighedV1 {
    const EVENT: &'static str = "weighed";
    const VERSION: u32 = 1;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket, guess, doubt, chance, audit } = self;
        let weighed = AnswerWeight::checked(guess, doubt, chance, audit).ok_or("its numbers are out of range")?;
        Ok(Event::Weighed { ticket, weighed })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct AnsweredV1 {
    ticket: u64,
    verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judge: Option<String>,
}

impl AnsweredV1 {
    pub(super) fn of(ticket: u64, verdict: board::Answer, judge: Option<&str>) -> Self {
        // `Session` refuses scores before they are events.
        let verdict = verdict_word(verdict).unwrap_or("tie").to_owned();
        Self { ticket, verdict, judge: judge.map(str::to_owned) }
    }
}

impl Version for AnsweredV1 {
    const EVENT: &'static str = "answered";
    const VERSION: u32 = 1;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket, verdict, judge } = self;
        let verdict = verdict_from_word(&verdict).ok_or("expected the verdict first, second, tie or both bad")?;
        Ok(Event::Answered { ticket, verdict, judge, note: None })
    }
}

/// With a note, which version 1 does not have.
#[derive(Serialize, Deserialize)]
pub(super) struct AnsweredV2 {
    ticket: u64,
    verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judge: Option<String>,
    note: String,
}

impl AnsweredV2 {
    pub(super) fn of(ticket: u64, verdict: board::Answer, judge: Option<&str>, note: &str) -> Self {
        let AnsweredV1 { ticket, verdict, judge } = AnsweredV1::of(ticket, verdict, judge);
        Self { ticket, verdict, judge, note: note.to_owned() }
    }
}

impl Version for AnsweredV2 {
    const EVENT: &'static str = "answered";
    const VERSION: u32 = 2;

    fn upgrade(self, position: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket, verdict, judge, note: note_text } = self;
        let mut event = AnsweredV1 { ticket, verdict, judge }.upgrade(position)?;
        if let Event::Answered { note, .. } = &mut event {
            *note = Some(note_text);
        }
        Ok(event)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ForgottenV1 {
    ticket: u64,
}

impl ForgottenV1 {
    pub(super) fn of(ticket: u64) -> Self {
        Self { ticket }
    }
}

impl Version for ForgottenV1 {
    const EVENT: &'static str = "forgotten";
    const VERSION: u32 = 1;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket } = self;
        Ok(Event::Forgotten { ticket })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct TakenBackV1 {
    ticket: u64,
}

impl TakenBackV1 {
    pub(super) fn of(ticket: u64) -> Self {
        Self { ticket }
    }
}

impl Version for TakenBackV1 {
    const EVENT: &'static str = "taken-back";
    const VERSION: u32 = 1;

    fn upgrade(self, _: LogPosition<'_>) -> Result<Event, Fault> {
        let Self { ticket } = self;
        Ok(Event::TakenBack { ticket })
    }
}
