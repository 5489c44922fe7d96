//! Restarts from a log and from a snapshot: what follows is the same.

use bandits::open::{LogError, Ticket};
use bandits::registry::Spec;
use bandits::{Arm, Choice, Generator, Generators, OpenPolicy, PairWins, Preference, StateError};
use rand::{RngExt as _, SeedableRng as _};

/// A call, with its result.
#[derive(Debug, Clone, PartialEq)]
enum Call {
    Ask { ticket: Option<Ticket>, arms: Vec<Arm>, until: u64 },
    Tell { ticket: Ticket, outcome: Preference },
    TellSet { ticket: Ticket, scores: Vec<u64> },
    Forget { ticket: Ticket },
}

/// Asks; returns also whether it is for a set.
fn ask(policy: &mut OpenPolicy) -> (Call, bool) {
    let asked = policy.ask();
    let (arms, until) = match asked.choice {
        Choice::Duel(first, second) => (vec![first, second], 0),
        Choice::Set(arms) => (arms.to_vec(), 0),
        Choice::Alone { arm, until } => (vec![arm], until),
    };
    let is_set = matches!(asked.choice, Choice::Set(_));
    (Call::Ask { ticket: asked.ticket, arms, until }, is_set)
}

/// Makes a call again; an ask has its new result.
fn again(policy: &mut OpenPolicy, call: &Call) -> Call {
    match call {
        Call::Ask { .. } => return ask(policy).0,
        Call::Tell { ticket, outcome } => policy.tell(*ticket, *outcome).expect("an open ticket"),
        Call::TellSet { ticket, scores } => {
            policy.tell(*ticket, &PairWins::from_scores(scores)).expect("an open ticket");
        }
        Call::Forget { ticket } => policy.forget(*ticket).expect("an open ticket"),
    }
    call.clone()
}

/// Some hundreds of tickets open at a time, answered in any order; one in twenty never.
fn play(policy: &mut OpenPolicy, asks: usize, random: &mut Generator) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut open: Vec<(Ticket, Vec<Arm>, bool)> = Vec::new();
    for _ in 0..asks {
        let (call, is_set) = ask(policy);
        if let Call::Ask { ticket: Some(ticket), arms, .. } = &call {
            open.push((*ticket, arms.clone(), is_set));
        }
        calls.push(call);
        while open.len() > 300 || !open.is_empty() && random.random_bool(0.4) {
            let (ticket, arms, is_set) = open.swap_remove(random.random_range(0..open.len()));
            let call = if random.random_bool(0.05) {
                Call::Forget { ticket }
            } else if is_set {
                Call::TellSet {
                    ticket,
                    scores: arms.iter().map(|arm| random.random_range(0..9) / (1 + u64::from(arm.0))).collect(),
                }
            } else {
                let better = if arms[0] < arms[1] { Preference::First } else { Preference::Second };
                let worse = if arms[0] < arms[1] { Preference::Second } else { Preference::First };
                let outcome = [better, better, better, worse, Preference::Tie][random.random_range(0..5)];
                Call::Tell { ticket, outcome }
            };
            calls.push(again(policy, &call));
        }
    }
    calls
}

fn restarts(moments: usize, next: usize, specs: Vec<Spec>) {
    for spec in specs {
        let generators = Generators::from_seed(5);
        let mut random = Generator::seed_from_u64(6);
        let mut policy = spec.open(7, Some(50_000), &generators).expect("seven arms");
        let calls = play(&mut policy, 2 * next, &mut random);
        let asks: Vec<usize> = (0..calls.len()).filter(|&at| matches!(calls[at], Call::Ask { .. })).collect();

        let mut policy = spec.open(7, Some(50_000), &generators).expect("seven arms");
        policy.keep_log();
        let mut log = policy.take_log();
        let mut chosen: Vec<usize> = (0..moments).map(|_| asks[random.random_range(0..next)]).collect();
        chosen.sort_unstable();
        let mut now = 0;
        for moment in chosen {
            for call in &calls[now..moment] {
                assert_eq!(again(&mut policy, call), *call, "{spec}");
            }
            now = moment;
            log += &policy.take_log();
            let snapshot = policy.snapshot().unwrap_or_else(|error| {
                panic!(
                    "{spec}: {error}. Registered algorithms are stored: write `state!(Type {{ fields that change }} but \
                     {{ fields that the configuration gives }});` and, in its policy, `stored!();`"
                )
            });
            let restored = OpenPolicy::restore(&snapshot).expect("its own snapshot");
            let replayed = OpenPolicy::replay(&log).expect("its own log");
            assert!(replayed.snapshot().as_ref() == Ok(&snapshot) && restored.snapshot().as_ref() == Ok(&snapshot));
            for mut copy in [restored, replayed] {
                let mut left = next;
                for call in &calls[moment..] {
                    if left == 0 {
                        break;
                    }
                    left -= usize::from(matches!(call, Call::Ask { .. }));
                    assert_eq!(again(&mut copy, call), *call, "{spec} after call {moment}");
                }
                assert_eq!(left, 0);
            }
        }
    }
}

#[test]
fn restored_policies_choose_as_before() {
    restarts(10, 600, super::all());
}

/// `cargo test --release -p bandits --test all a_hundred_moments -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn a_hundred_moments_at_full_size() {
    restarts(100, 10_000, super::all());
}

#[test]
fn damaged_snapshots_are_refused() {
    let spec: Spec = "rucb".parse().expect("rucb");
    let mut policy = spec.open(3, None, &Generators::from_seed(1)).expect("three arms");
    play(&mut policy, 50, &mut Generator::seed_from_u64(1));
    let good = policy.snapshot().expect("stored");
    for cut in 0..good.len() {
        assert!(OpenPolicy::restore(&good[..cut]).is_err(), "cut to {cut} bytes");
    }
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        assert!(matches!(OpenPolicy::restore(&bad), Err(StateError::Damaged { .. })), "byte {at}");
    }
    let mut other = spec.open(4, None, &Generators::from_seed(1)).expect("four arms");
    assert!(matches!(other.load(&good), Err(StateError::OtherPolicy { .. })));
}

#[test]
fn edited_logs_are_noticed() {
    let spec: Spec = "self-sparring".parse().expect("an algorithm");
    let mut policy = spec.open(4, None, &Generators::from_seed(2)).expect("four arms");
    policy.keep_log();
    play(&mut policy, 200, &mut Generator::seed_from_u64(3));
    let log = policy.take_log();
    assert!(OpenPolicy::replay(&log).is_ok());
    // A torn last line is passed over.
    assert!(OpenPolicy::replay(log.trim_end()).is_ok());
    let lines: Vec<&str> = log.lines().collect();
    let change = |line: usize, new: &str| {
        let mut lines = lines.clone();
        lines[line] = new;
        OpenPolicy::replay(&(lines.join("\n") + "\n")).map(|_| ())
    };
    let told = lines.iter().position(|line| line.ends_with(" first")).expect("some are won");
    let tied = lines.iter().position(|line| line.ends_with(" tie:first")).expect("some are tied");
    let without = |end: &str, line: usize| lines[line].strip_suffix(end).expect("so it ends").to_owned();
    // Another outcome makes other choices sooner or later; another coin is noticed on the spot.
    assert!(matches!(change(told, &(without("first", told) + "second")), Err(LogError::Differs { .. })));
    let coin = change(tied, &(without("first", tied) + "second"));
    assert!(matches!(coin, Err(LogError::Differs { line, .. }) if line == tied + 1));
    assert!(matches!(change(told, "x 1"), Err(LogError::Line { line, .. }) if line == told + 1));
    assert!(matches!(change(told, "f 9999-0-00000000"), Err(LogError::Refused { .. })));
    assert!(matches!(change(0, "open 1 2 rucb"), Err(LogError::Head { .. })));
    assert!(matches!(change(0, &lines[0].replace("arms=4", "arms=0")), Err(LogError::Policy(_))));
    assert!(matches!(OpenPolicy::replay(""), Err(LogError::Head { .. })));
}

#[test]
fn a_log_goes_on_after_a_snapshot() {
    let spec: Spec = "dts".parse().expect("an algorithm");
    let mut policy = spec.open(5, None, &Generators::from_seed(2)).expect("five arms");
    let mut random = Generator::seed_from_u64(3);
    play(&mut policy, 300, &mut random);
    let snapshot = policy.snapshot().expect("stored");
    policy.keep_log();
    play(&mut policy, 300, &mut random);
    let log = policy.take_log();
    let mut other = OpenPolicy::restore(&snapshot).expect("its snapshot");
    other.follow(&log).expect("its log");
    assert!(other.snapshot() == policy.snapshot());
    assert!(matches!(other.follow(&log), Err(LogError::OtherState { .. })), "not a second time");
}

#[test]
fn tickets_of_another_life_are_refused() {
    let spec: Spec = "rucb".parse().expect("rucb");
    let open = |seed| spec.open(6, None, &Generators::from_seed(seed)).expect("six arms");
    let (mut one, mut other) = (open(1), open(2));
    let [Some(ticket), Some(strange)] = [one.ask().ticket, other.ask().ticket] else {
        panic!("RUCB begins with duels");
    };
    assert!(one.tell(strange, Preference::First).is_err());
    // The snapshot is older than what followed: a ticket of the lost part is not one of the new one.
    let snapshot = one.snapshot().expect("stored");
    one.tell(ticket, Preference::First).expect("open");
    let lost = one.ask().ticket.expect("a duel");
    let mut again = OpenPolicy::restore(&snapshot).expect("its snapshot");
    again.tell(ticket, Preference::Second).expect("open");
    let new = again.ask().ticket.expect("a duel");
    assert!(lost != new && again.tell(lost, Preference::First).is_err());
    again.tell(new, Preference::First).expect("open");
}

/// A ticket, its impression, and whether arm 0 comes first.
type Meeting = (Ticket, u64, bool);

/// With coins of its own for each impression, a tie is broken in the same way whenever its outcome comes.
#[test]
fn coins_of_an_impression() {
    let spec: Spec = "rucb".parse().expect("registered");
    let start = spec.open(2, None, &Generators::from_seed(1)).expect("two arms");
    // The first impressions pair the arms with each other or themselves; those with a ticket end as ties.
    let told = |order: &dyn Fn(&mut Vec<Meeting>)| {
        let mut policy = start.clone();
        let mut open = Vec::new();
        for impression in 1..=40 {
            policy.use_coins(&Generators::from_seed(impression).coins);
            if let bandits::open::OpenChoice { ticket: Some(ticket), choice: Choice::Duel(first, _), .. } = policy.ask()
            {
                open.push((ticket, impression, first == Arm(0)));
            }
        }
        let expected = open.iter().filter(|(_, impression, zero_first)| {
            let bits = rand::Rng::next_u64(&mut Generators::from_seed(*impression).coins);
            (bits & 1 == 1) == *zero_first
        });
        let expected = expected.count() as u32;
        order(&mut open);
        let count = open.len() as u32;
        for (ticket, impression, _) in open {
            policy.use_coins(&Generators::from_seed(impression).coins);
            policy.tell(ticket, Preference::Tie).expect("open");
        }
        assert_eq!(policy.wins(Arm(0), Arm(1)), Some((expected, count - expected)));
        assert!(count > 10 && expected > 0 && expected < count, "{expected} of {count}");
        policy.wins(Arm(0), Arm(1))
    };
    assert_eq!(told(&|_| {}), told(&|open| open.reverse()));
}
