//! Events as stores keep them: one struct in [postcard](https://postcard.jamesmunns.com) per kind and version. A published struct
//! never changes; [how events evolve](super) says what to do instead.
//!
//! Nothing here uses `..`: a field that is forgotten does not compile. Values inside events are in `values`, settings in
//! `settings`; the bytes around them are in `version`.

mod conversions;
mod settings;
mod values;

use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;

use interleave::receipt::{read_page, write_page};

use self::conversions::{ConvertedV1, MaturedV1};
use self::settings::{OutcomesV1, PopulationV1, ScheduleV1, SettingsV1};
use self::values::{ChoiceV1, GuardV1, MarksV1, NoticeV1, OutcomeV1, ReasonV1, RowV1, RowV2, StateV1, StateV2};
use super::super::config::{Config, check_share};
use super::version::{Version, read, write};
use super::{Event, EventError};

/// The bytes of an event, in the newest version of its kind that it needs.
pub(super) fn encode(event: &Event) -> Vec<u8> {
    match event {
        Event::Created { time, config, chooser } => encode_created(*time, config, chooser),
        Event::Continued { time, chooser } => write(&ContinuedV1 { time: *time, chooser }),
        Event::Started { time, gap, start } => write(&StartedV1 { time: *time, gap: *gap, start: *start }),
        Event::Asked { time, unit, choice, receipt, segment } => {
            let asked_v2 = AskedV2 {
                time: *time,
                unit: *unit,
                choice: ChoiceV1::of(choice),
                receipt: receipt.as_deref().map(Bytes::new),
            };
            match *segment {
                None => write(&asked_v2),
                Some(segment) => write(&AskedV3 { asked: asked_v2, segment }),
            }
        }
        Event::Listed { time, impression, receipt } => {
            write(&ListedV1 { time: *time, impression: *impression, receipt: Bytes::new(receipt) })
        }
        Event::Clicked { time, impression, position } => {
            write(&ClickedV1 { time: *time, impression: *impression, position: *position })
        }
        Event::Paged { time, impression, seen } => {
            write(&PagedV1 { time: *time, impression: *impression, seen: *seen })
        }
        Event::Shown { time, impression, page } => {
            let mut bytes = Vec::new();
            write_page(page, &mut bytes);
            write(&ShownV1 { time: *time, impression: *impression, page: Bytes::new(&bytes) })
        }
        Event::Closed { time, impression, reason, outcome } => write(&ClosedV1 {
            time: *time,
            impression: *impression,
            reason: ReasonV1::of(*reason),
            outcome: OutcomeV1::of(outcome),
        }),
        Event::Day { time, day, rows, has_amounts: true } => {
            write(&DayV2 { time: *time, day: *day, rows: rows.iter().map(|row| RowV2::of(*row)).collect() })
        }
        Event::Day { time, day, rows, has_amounts: false } => {
            write(&DayV1 { time: *time, day: *day, rows: rows.iter().map(|row| RowV1::of(*row)).collect() })
        }
        Event::Changed { time, state, who, why } => {
            write(&ChangedV2 { time: *time, state: StateV2::of(*state), who, why })
        }
        Event::Breached { time, ranker, guard, ranker_counts, champion_counts } => write(&BreachedV1 {
            time: *time,
            ranker: *ranker,
            guard: GuardV1::of(*guard),
            ranker_counts: *ranker_counts,
            champion_counts: *champion_counts,
        }),
        Event::Noticed { time, impression, what } => {
            write(&NoticedV1 { time: *time, impression: *impression, what: NoticeV1::of(*what) })
        }
        Event::Forgotten { time, before, events } => {
            write(&ForgottenV1 { time: *time, before: *before, events: *events })
        }
        Event::Raised { time, share, who, why } => write(&RaisedV1 { time: *time, share: *share, who, why }),
        Event::Converted { time, conversion } => write(&ConvertedV1::of(*time, conversion)),
        Event::Matured { time, day, rows } => write(&MaturedV1::of(*time, *day, rows)),
    }
}

/// The bytes of the first event, in the first version that has all settings that are used.
fn encode_created(time: i64, config: &Config, chooser: &str) -> Vec<u8> {
    let (settings, retain) = (SettingsV1::of(config), config.retain.as_deref());
    if has_more(config) {
        let segments = config.segments.iter().map(String::as_str).collect();
        let (population, outcomes) = (PopulationV1::of(config), OutcomesV1::of(config));
        let schedule = ScheduleV1::of(config);
        write(&CreatedV4 { time, settings, retain, population, segments, outcomes, schedule, chooser })
    } else if has_population(config) {
        write(&CreatedV3 { time, settings, retain, population: PopulationV1::of(config), chooser })
    } else {
        write(&CreatedV2 { time, settings, retain, chooser })
    }
}

/// The event of bytes in any version.
pub(super) fn decode(bytes: &[u8]) -> Result<Event, EventError> {
    let (tag, body) =
        bytes.split_first_chunk::<2>().ok_or(EventError::Damaged { what: "it has no kind and version" })?;
    macro_rules! read_version {
        (borrowed: $($borrowed:ident)*; plain: $($plain:ident)*) => {
            match *tag {
                $($borrowed::TAG => read::<$borrowed<'_>>(body),)*
                $($plain::TAG => read::<$plain>(body),)*
                #[cfg(test)]
                scratch::ClickedV2::TAG => read::<scratch::ClickedV2<'_>>(body),
                [kind, version] => Err(EventError::Unknown { kind, version }),
            }
        };
    }
    read_version! {
        borrowed:
            CreatedV1 CreatedV2 CreatedV3 CreatedV4 ContinuedV1 AskedV1 AskedV2 AskedV3 ListedV1 ShownV1 ClosedV1
            ChangedV1 ChangedV2 RaisedV1;
        plain:
            StartedV1 ClickedV1 PagedV1 DayV1 DayV2 BreachedV1 NoticedV1 ForgottenV1 ConvertedV1 MaturedV1
    }
}

#[derive(Serialize, Deserialize)]
struct CreatedV1<'a> {
    time: i64,
    #[serde(borrow)]
    settings: SettingsV1<'a>,
    chooser: &'a str,
}

impl<'a> Version<'a> for CreatedV1<'a> {
    const TAG: [u8; 2] = [0, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, settings, chooser } = self;
        Ok(Event::Created { time, config: Box::new(settings.upgrade()), chooser: chooser.to_owned() })
    }
}

#[derive(Serialize, Deserialize)]
struct CreatedV2<'a> {
    time: i64,
    #[serde(borrow)]
    settings: SettingsV1<'a>,
    /// The retention, beside the settings of the first version.
    retain: Option<&'a str>,
    chooser: &'a str,
}

impl<'a> Version<'a> for CreatedV2<'a> {
    const TAG: [u8; 2] = [0, 2];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, settings, retain, chooser } = self;
        let config = Config { retain: retain.map(str::to_owned), ..settings.upgrade() };
        Ok(Event::Created { time, config: Box::new(config), chooser: chooser.to_owned() })
    }
}

/// Whether an experiment restricts its units.
fn has_population(config: &Config) -> bool {
    config.share != 1.0 || config.ramp.is_some() || config.lane.is_some()
}

#[derive(Serialize, Deserialize)]
struct CreatedV3<'a> {
    time: i64,
    #[serde(borrow)]
    settings: SettingsV1<'a>,
    retain: Option<&'a str>,
    /// The units that are in it.
    population: PopulationV1<'a>,
    chooser: &'a str,
}

impl<'a> Version<'a> for CreatedV3<'a> {
    const TAG: [u8; 2] = [0, 3];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, settings, retain, population, chooser } = self;
        let config = Config { retain: retain.map(str::to_owned), ..settings.upgrade() };
        let config = population.upgrade(config);
        if !has_population(&config) {
            return Err(EventError::Damaged { what: "settings in another form" });
        }
        Ok(Event::Created { time, config: Box::new(config), chooser: chooser.to_owned() })
    }
}

/// Whether an experiment has segments, outcomes, or a start or end set by a time or another experiment.
fn has_more(config: &Config) -> bool {
    let Config { segments, outcomes, end_at, begin_after, .. } = config;
    !segments.is_empty() || outcomes.is_some() || end_at.is_some() || begin_after.is_some()
}

#[derive(Serialize, Deserialize)]
struct CreatedV4<'a> {
    time: i64,
    #[serde(borrow)]
    settings: SettingsV1<'a>,
    retain: Option<&'a str>,
    population: PopulationV1<'a>,
    /// Their labels.
    segments: Vec<&'a str>,
    /// Later actions of users that count.
    outcomes: Option<OutcomesV1<'a>>,
    /// When it begins and ends automatically.
    schedule: ScheduleV1<'a>,
    chooser: &'a str,
}

impl<'a> Version<'a> for CreatedV4<'a> {
    const TAG: [u8; 2] = [0, 4];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, settings, retain, population, segments, outcomes, schedule, chooser } = self;
        let segments = segments.into_iter().map(str::to_owned).collect();
        let config = Config { retain: retain.map(str::to_owned), segments, ..settings.upgrade() };
        let config = schedule.upgrade(population.upgrade(config));
        let config = match outcomes {
            None => Some(config),
            Some(outcomes) => outcomes.upgrade(config),
        };
        let config = config.filter(has_more).ok_or(EventError::Damaged { what: "settings in another form" })?;
        Ok(Event::Created { time, config: Box::new(config), chooser: chooser.to_owned() })
    }
}

#[derive(Serialize, Deserialize)]
struct ContinuedV1<'a> {
    time: i64,
    chooser: &'a str,
}

impl<'a> Version<'a> for ContinuedV1<'a> {
    const TAG: [u8; 2] = [1, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, chooser } = self;
        Ok(Event::Continued { time, chooser: chooser.to_owned() })
    }
}

#[derive(Serialize, Deserialize)]
struct StartedV1 {
    time: i64,
    gap: i64,
    /// Random, so no shorter as a varint.
    #[serde(with = "postcard::fixint::le")]
    start: u64,
}

impl Version<'_> for StartedV1 {
    const TAG: [u8; 2] = [2, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, gap, start } = self;
        Ok(Event::Started { time, gap, start })
    }
}

#[derive(Serialize, Deserialize)]
struct AskedV1<'a> {
    time: i64,
    unit: u64,
    marks: MarksV1,
    #[serde(borrow)]
    choice: ChoiceV1<'a>,
    #[serde(borrow)]
    receipt: Option<&'a Bytes>,
}

impl<'a> Version<'a> for AskedV1<'a> {
    const TAG: [u8; 2] = [3, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, unit, marks: _, choice, receipt } = self;
        AskedV2 { time, unit, choice, receipt }.upgrade()
    }
}

/// Without marks: guesses of who asked what cannot be tested, even with the secrets of a store.
#[derive(Serialize, Deserialize)]
struct AskedV2<'a> {
    time: i64,
    unit: u64,
    #[serde(borrow)]
    choice: ChoiceV1<'a>,
    #[serde(borrow)]
    receipt: Option<&'a Bytes>,
}

impl<'a> Version<'a> for AskedV2<'a> {
    const TAG: [u8; 2] = [3, 2];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, unit, choice, receipt } = self;
        let receipt = receipt.map(|receipt| receipt.to_vec());
        Ok(Event::Asked { time, unit, choice: choice.upgrade(), receipt, segment: None })
    }
}

/// An impression of a unit in a segment.
#[derive(Serialize, Deserialize)]
struct AskedV3<'a> {
    #[serde(borrow)]
    asked: AskedV2<'a>,
    segment: u8,
}

impl<'a> Version<'a> for AskedV3<'a> {
    const TAG: [u8; 2] = [3, 3];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { asked: AskedV2 { time, unit, choice, receipt }, segment } = self;
        let receipt = receipt.map(|receipt| receipt.to_vec());
        Ok(Event::Asked { time, unit, choice: choice.upgrade(), receipt, segment: Some(segment) })
    }
}

#[derive(Serialize, Deserialize)]
struct ListedV1<'a> {
    time: i64,
    impression: u64,
    #[serde(borrow)]
    receipt: &'a Bytes,
}

impl<'a> Version<'a> for ListedV1<'a> {
    const TAG: [u8; 2] = [4, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, receipt } = self;
        Ok(Event::Listed { time, impression, receipt: receipt.to_vec() })
    }
}

#[derive(Serialize, Deserialize)]
struct ClickedV1 {
    time: i64,
    impression: u64,
    position: u32,
}

impl Version<'_> for ClickedV1 {
    const TAG: [u8; 2] = [5, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, position } = self;
        Ok(Event::Clicked { time, impression, position })
    }
}

#[derive(Serialize, Deserialize)]
struct PagedV1 {
    time: i64,
    impression: u64,
    seen: u32,
}

impl Version<'_> for PagedV1 {
    const TAG: [u8; 2] = [6, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, seen } = self;
        Ok(Event::Paged { time, impression, seen })
    }
}

#[derive(Serialize, Deserialize)]
struct ShownV1<'a> {
    time: i64,
    impression: u64,
    /// In the form of receipts, which is kept for ever too.
    #[serde(borrow)]
    page: &'a Bytes,
}

impl<'a> Version<'a> for ShownV1<'a> {
    const TAG: [u8; 2] = [7, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, page: bytes } = self;
        let Some((page, [])) = read_page(bytes) else {
            return Err(EventError::Damaged { what: "a page that cannot be read" });
        };
        let mut again = Vec::with_capacity(bytes.len());
        write_page(&page, &mut again);
        if again != **bytes {
            return Err(EventError::Damaged { what: "a page in another form" });
        }
        Ok(Event::Shown { time, impression, page })
    }
}

#[derive(Serialize, Deserialize)]
struct ClosedV1<'a> {
    time: i64,
    impression: u64,
    reason: ReasonV1,
    #[serde(borrow)]
    outcome: OutcomeV1<'a>,
}

impl<'a> Version<'a> for ClosedV1<'a> {
    const TAG: [u8; 2] = [8, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, reason, outcome } = self;
        Ok(Event::Closed { time, impression, reason: reason.upgrade(), outcome: outcome.upgrade()? })
    }
}

#[derive(Serialize, Deserialize)]
struct DayV1 {
    time: i64,
    day: i32,
    rows: Vec<RowV1>,
}

impl Version<'_> for DayV1 {
    const TAG: [u8; 2] = [9, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, day, rows } = self;
        Ok(Event::Day { time, day, rows: rows.into_iter().map(RowV1::upgrade).collect(), has_amounts: false })
    }
}

#[derive(Serialize, Deserialize)]
struct DayV2 {
    time: i64,
    day: i32,
    rows: Vec<RowV2>,
}

impl Version<'_> for DayV2 {
    const TAG: [u8; 2] = [9, 2];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, day, rows } = self;
        let rows = rows.into_iter().map(RowV2::upgrade).collect::<Result<_, _>>()?;
        Ok(Event::Day { time, day, rows, has_amounts: true })
    }
}

#[derive(Serialize, Deserialize)]
struct ChangedV1<'a> {
    time: i64,
    state: StateV1,
    who: &'a str,
    why: &'a str,
}

impl<'a> Version<'a> for ChangedV1<'a> {
    const TAG: [u8; 2] = [10, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, state, who, why } = self;
        Ok(Event::Changed { time, state: state.upgrade(), who: who.to_owned(), why: why.to_owned() })
    }
}

#[derive(Serialize, Deserialize)]
struct ChangedV2<'a> {
    time: i64,
    state: StateV2,
    who: &'a str,
    why: &'a str,
}

impl<'a> Version<'a> for ChangedV2<'a> {
    const TAG: [u8; 2] = [ChangedV1::TAG[0], 2];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, state, who, why } = self;
        Ok(Event::Changed { time, state: state.upgrade(), who: who.to_owned(), why: why.to_owned() })
    }
}

#[derive(Serialize, Deserialize)]
struct BreachedV1 {
    time: i64,
    ranker: u32,
    guard: GuardV1,
    ranker_counts: [u64; 2],
    champion_counts: [u64; 2],
}

impl Version<'_> for BreachedV1 {
    const TAG: [u8; 2] = [11, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, ranker, guard, ranker_counts, champion_counts } = self;
        Ok(Event::Breached { time, ranker, guard: guard.upgrade(), ranker_counts, champion_counts })
    }
}

#[derive(Serialize, Deserialize)]
struct NoticedV1 {
    time: i64,
    impression: u64,
    what: NoticeV1,
}

impl Version<'_> for NoticedV1 {
    const TAG: [u8; 2] = [12, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, what } = self;
        Ok(Event::Noticed { time, impression, what: what.upgrade() })
    }
}

#[derive(Serialize, Deserialize)]
struct ForgottenV1 {
    time: i64,
    before: i32,
    events: u64,
}

impl Version<'_> for ForgottenV1 {
    const TAG: [u8; 2] = [13, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, before, events } = self;
        Ok(Event::Forgotten { time, before, events })
    }
}

#[derive(Serialize, Deserialize)]
struct RaisedV1<'a> {
    time: i64,
    share: f64,
    who: &'a str,
    why: &'a str,
}

impl<'a> Version<'a> for RaisedV1<'a> {
    const TAG: [u8; 2] = [14, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, share, who, why } = self;
        if check_share(share).is_err() {
            return Err(EventError::Damaged { what: "a share that is none" });
        }
        Ok(Event::Raised { time, share, who: who.to_owned(), why: why.to_owned() })
    }
}

#[cfg(test)]
mod scratch;
