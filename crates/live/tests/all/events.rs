//! Events as bytes.

use live::{Config, Event, EventError, Live, Purpose, Verdict};
use proptest::prelude::*;

use crate::{busy, config};

fn events() -> impl Strategy<Value = Event> {
    let judge = || prop::option::of("[a-zé ]{1,6}");
    let purpose = prop_oneof![
        Just(Purpose::New),
        any::<u64>().prop_map(Purpose::Mirror),
        any::<u64>().prop_map(Purpose::Repeat),
    ];
    let verdict = prop::sample::select(vec![Verdict::First, Verdict::Second, Verdict::Tie, Verdict::BothBad]);
    let item = prop::option::of(0..u32::MAX);
    prop_oneof![
        (any::<u64>(), ".{0,9}", 0.0..0.5).prop_map(|(seed, chooser, repeat)| {
            Event::Created { config: Config { seed, repeat, ..Config::of(["a", "b"]) }, chooser }
        }),
        ".{0,9}".prop_map(|chooser| Event::Continued { chooser }),
        (any::<u32>(), any::<u32>(), item, judge(), purpose)
            .prop_map(|(first, second, item, judge, purpose)| { Event::Asked { first, second, item, judge, purpose } }),
        (any::<u64>(), verdict, judge()).prop_map(|(ticket, verdict, judge)| Event::Answered {
            ticket,
            verdict,
            judge
        }),
        any::<u64>().prop_map(|ticket| Event::Forgotten { ticket }),
    ]
}

proptest! {
    #[test]
    fn bytes_come_back_and_have_one_form(event in events(), cut: prop::sample::Index, bits in 1_u8..) {
        let bytes = event.to_bytes();
        prop_assert_eq!(bytes[0], 1, "the format");
        prop_assert_eq!(Event::from_bytes(&bytes), Ok(event.clone()));
        prop_assert!(Event::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
        prop_assert!(Event::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        let mut changed = bytes.clone();
        changed[cut.index(bytes.len())] ^= bits;
        // Another event, or none, but never the same.
        prop_assert_ne!(Event::from_bytes(&changed), Ok(event));
    }

    #[test]
    fn any_bytes_are_an_event_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(event) = Event::from_bytes(&bytes) {
            prop_assert_eq!(event.to_bytes(), bytes);
        }
    }
}

#[test]
fn forms_are_pinned() {
    let asked =
        Event::Asked { first: 2, second: 300, item: Some(4), judge: Some("ann".into()), purpose: Purpose::Mirror(9) };
    assert_eq!(asked.to_bytes(), [1, 2, 2, 0xac, 2, 5, 3, b'a', b'n', b'n', 1, 9]);
    let answered = Event::Answered { ticket: 7, verdict: Verdict::BothBad, judge: None };
    assert_eq!(answered.to_bytes(), [1, 3, 7, 3, 0]);
    assert_eq!(Event::Forgotten { ticket: 128 }.to_bytes(), [1, 4, 0x80, 1]);
    assert_eq!(Event::from_bytes(&[9, 4, 1]), Err(EventError::Format { found: 9 }));
    // A number in more bytes than it needs is another form of the same event.
    assert!(Event::from_bytes(&[1, 4, 0x80, 0]).is_err());
}

#[test]
fn a_session_is_the_fold_of_its_events() {
    let mut live = Live::new(Config { both: true, repeat: 0.2, ..config(5, 3) }).expect("settings");
    busy(&mut live, 400, 1);
    let events: Vec<Event> = live.take_events().into_iter().map(|(_, event)| event).collect();
    let stored: Vec<Vec<u8>> = events.iter().map(Event::to_bytes).collect();
    let read = stored.iter().map(|bytes| Event::from_bytes(bytes).expect("an event"));
    let mut again = Live::from_events(read).expect("its own events");
    assert_eq!((again.counts(), again.judged()), (live.counts(), live.judged()));
    assert_eq!(again.ask_many(50, None), live.ask_many(50, None));
    // An event that cannot follow is refused by its number.
    let last = events.len() as u64;
    let doubled = events.iter().cloned().chain([Event::Answered { ticket: 1, verdict: Verdict::Tie, judge: None }]);
    let (number, error) = Live::from_events(doubled).expect_err("ticket 1 is closed");
    assert!(number == last + 1 && error.to_string().contains("ticket 1 is not open"), "{number}: {error}");
    assert_eq!(Live::from_events(events.into_iter().skip(1)).expect_err("no beginning").0, 1);
    assert_eq!(Live::from_events([]).expect_err("nothing").0, 1);
}
