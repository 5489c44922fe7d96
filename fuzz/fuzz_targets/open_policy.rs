//! Open policies: any calls in any order, snapshots and logs of any bytes. No panic, no miscount, and a policy restored
//! from its snapshot or its log is the same.
#![no_main]

use bandits::open::Ticket;
use bandits::registry::{Spec, entries};
use bandits::{Choice, Generators, OpenPolicy, PairWins, Preference};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = OpenPolicy::restore(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = OpenPolicy::replay(text);
        let _ = text.parse::<Ticket>();
    }
    // The algorithm, the number of arms, a seed, and then one byte per call.
    let [name, arms, seed, calls @ ..] = bytes else { return };
    let entries = entries();
    let names: Vec<String> =
        entries.iter().flat_map(|entry| std::iter::once(entry.name.to_owned()).chain(entry.variant_names())).collect();
    let spec: Spec = names[usize::from(*name) % names.len()].parse().expect("a registered name");
    let arms = 2 + usize::from(*arms) % 7;
    let mut policy = spec.open(arms, Some(1_000), &Generators::from_seed((*seed).into())).expect("arms");
    policy.keep_log();
    let mut open: Vec<(Ticket, usize, bool)> = Vec::new();
    let mut closed = None;
    let (mut told, mut forgotten) = (0, 0);
    for &call in calls {
        let place = usize::from(call >> 3);
        match call & 7 {
            0..=2 => {
                let asked = policy.ask();
                let (arms, is_set) = match asked.choice {
                    Choice::Set(arms) => (arms.len(), true),
                    _ => (2, false),
                };
                open.extend(asked.ticket.map(|ticket| (ticket, arms, is_set)));
            }
            3..=5 if !open.is_empty() => {
                let (ticket, arms, is_set) = open.swap_remove(place % open.len());
                if is_set {
                    let scores: Vec<u64> = (0..arms).map(|arm| (arm * place) as u64 % 3).collect();
                    policy.tell(ticket, &PairWins::from_scores(&scores)).expect("open");
                } else {
                    let outcomes = [Preference::First, Preference::Second, Preference::Tie];
                    policy.tell(ticket, outcomes[usize::from(call & 7) - 3]).expect("open");
                }
                told += 1;
                closed = Some(ticket);
            }
            6 if !open.is_empty() => {
                let (ticket, ..) = open.swap_remove(place % open.len());
                policy.forget(ticket).expect("open");
                forgotten += 1;
                closed = Some(ticket);
            }
            _ => {
                if let Some(ticket) = closed {
                    assert!(policy.forget(ticket).is_err() && policy.tell(ticket, Preference::Tie).is_err());
                }
                let step = policy.tally().asked;
                policy.stay(step + u64::from(call));
            }
        }
    }
    let tally = policy.tally();
    assert_eq!((tally.told, tally.forgotten, tally.open), (told, forgotten, open.len() as u64));
    assert_eq!(tally.tickets, told + forgotten + tally.open);
    let snapshot = policy.snapshot().expect("stored");
    let restored = OpenPolicy::restore(&snapshot).expect("its own snapshot");
    let replayed = OpenPolicy::replay(&policy.take_log()).expect("its own log");
    assert!(restored.snapshot().as_ref() == Ok(&snapshot) && replayed.snapshot().as_ref() == Ok(&snapshot));
    let _ = policy.recommend();
});
