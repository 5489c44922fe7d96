//! A version of the event `Clicked` with one more field, in no release: old and new versions fold together.

use serde::{Deserialize, Serialize};

use super::super::recorded_event::RecordedEvent;
use super::super::version::{Version, write};
use super::{ClickedV1, Event, EventError};
use crate::{Config, Experiment, Request, RequestAnswer};

#[derive(Serialize, Deserialize)]
pub(super) struct ClickedV2<'a> {
    time: i64,
    impression: u64,
    position: u32,
    /// An example of a new field.
    device: Option<&'a str>,
}

impl<'a> Version<'a> for ClickedV2<'a> {
    const TAG: [u8; 2] = [ClickedV1::TAG[0], 2];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, impression, position, device: _ } = self;
        Ok(Event::Clicked { time, impression, position })
    }
}

/// An experiment of some hundred impressions, and its log.
fn log() -> (Experiment, Vec<RecordedEvent>) {
    let mut experiment = Experiment::create(Config::of("search", ["old", "new", "third"]), 0).unwrap();
    experiment.note_start(0, 7).unwrap();
    let lists: Vec<_> = [[0, 1, 2], [2, 0, 3], [3, 1, 0]]
        .map(|list| interleave::ListBuf::strict(list.map(interleave::Doc)).unwrap())
        .into();
    let of = |ranker: u32| lists.get(ranker as usize);
    for n in 1..=300 {
        let now = n as i64 * 60_000;
        let request = Request { unit: n, ..Request::default() };
        let RequestAnswer::New { impression, .. } = experiment.choose(now, &request, Some(&of)).unwrap() else {
            panic!()
        };
        if n % 3 > 0 {
            experiment.click(now + 1, impression, (n % 2) as u32);
        }
    }
    let log = experiment.take_events().into_iter().map(|numbered| numbered.recorded).collect();
    (experiment, log)
}

fn fold_log(log: &[RecordedEvent]) -> Experiment {
    let mut experiment = Experiment::begin(&log[0]).unwrap();
    log[1..].iter().for_each(|recorded| experiment.fold(recorded).unwrap());
    experiment
}

#[test]
fn a_log_of_two_versions_folds_to_the_same_state() {
    let (experiment, log) = log();
    let mut clicks = 0;
    let newer: Vec<RecordedEvent> = log
        .iter()
        .map(|recorded| match recorded.event() {
            &Event::Clicked { time, impression, position } => {
                clicks += 1;
                let device = (clicks % 2 == 0).then_some("phone");
                let bytes = write(&ClickedV2 { time, impression, position, device });
                RecordedEvent::read(bytes).unwrap()
            }
            _ => recorded.clone(),
        })
        .collect();
    assert_eq!(clicks, 200);
    // The first hundred events as they were written, the rest by the newer program.
    let mixed: Vec<RecordedEvent> = log[..100].iter().chain(&newer[100..]).cloned().collect();
    let (old, mut new) = (fold_log(&log), fold_log(&mixed));
    assert_eq!((old.fates(), old.rows(), old.leader()), (new.fates(), new.rows(), new.leader()));
    assert_eq!(old.position(), experiment.position());
    // The checksum is over the stored bytes, not over their present meaning.
    assert_eq!(new.position().0, old.position().0);
    assert_eq!(new.position().1, mixed.iter().fold(0, |sum, recorded| recorded.sum(sum)));
    assert_ne!(new.position().1, old.position().1);
    // The next choice is the same too.
    let request = Request { unit: 1_000, ..Request::default() };
    let mut old = fold_log(&log);
    assert_eq!(
        old.choose(i64::from(u32::MAX), &request, None).unwrap(),
        new.choose(i64::from(u32::MAX), &request, None).unwrap()
    );
}

#[test]
fn each_version_is_read_as_itself() {
    let new = write(&ClickedV2 { time: 5, impression: 300, position: 2, device: None });
    let old = write(&ClickedV1 { time: 5, impression: 300, position: 2 });
    assert_eq!(RecordedEvent::read(new.clone()).unwrap().event(), RecordedEvent::read(old.clone()).unwrap().event());
    // The bytes of one under the number of the other are damaged, not guessed at.
    let under = |version: u8, bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[1] = version;
        RecordedEvent::read(bytes).unwrap_err()
    };
    assert!(matches!(under(1, &new), EventError::Damaged { .. }));
    assert!(matches!(under(2, &old), EventError::Damaged { .. }));
    assert_eq!(under(3, &old), EventError::Unknown { kind: 5, version: 3 });
}
