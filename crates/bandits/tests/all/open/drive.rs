//! Random events: asked, answered in any order, forgotten, misused, restarted.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use bandits::open::{OpenError, Outcome, Ticket};
use bandits::registry::Spec;
use bandits::{Arm, Choice, Generator, Generators, OpenPolicy, PairWins, Preference};
use proptest::prelude::*;
use rand::SeedableRng as _;

/// How a restarted policy is made again.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Restarts {
    Never,
    FromLog,
    FromSnapshot,
}

/// A policy, with a separate account of all its calls.
struct Account {
    policy: OpenPolicy,
    restarts: Restarts,
    log: String,
    asked: u64,
    open: Vec<(Ticket, Vec<Arm>)>,
    closed: Vec<Ticket>,
    told: u64,
    forgotten: u64,
    /// How often each ordered pair was decided so; ties are counted apart, as coins decide them.
    wins: Counts,
    ties: Counts,
    /// The outcome of a set.
    outcome: PairWins,
}

/// The most arms of a sequence.
const MOST: usize = 8;

/// A number for each ordered pair of arms.
type Counts = [[u32; MOST]; MOST];

impl Account {
    fn new(spec: &Spec, arms: usize, seed: u64, restarts: Restarts) -> Self {
        let mut policy = spec.open(arms, Some(500), &Generators::from_seed(seed)).expect("arms");
        if restarts == Restarts::FromLog {
            policy.keep_log();
        }
        Self {
            policy,
            restarts,
            log: String::new(),
            asked: 0,
            open: Vec::new(),
            closed: Vec::new(),
            told: 0,
            forgotten: 0,
            wins: Counts::default(),
            ties: Counts::default(),
            outcome: PairWins::default(),
        }
    }

    fn ask(&mut self, random: &mut Generator) {
        let arms = self.policy.arms();
        let asked = self.policy.ask();
        self.asked += 1;
        assert_eq!(asked.step, self.asked);
        let chosen = match asked.choice {
            Choice::Alone { arm, until } => {
                assert!(asked.ticket.is_none() && arm.index() < arms && until >= self.asked);
                if random.random_bool(0.3) {
                    let to = self.asked + random.random_range(0..40);
                    let shown = self.policy.stay(to);
                    assert!(shown >= self.asked && shown <= until.min(to).max(self.asked));
                    self.asked = shown;
                }
                return;
            }
            Choice::Duel(first, second) => vec![first, second],
            Choice::Set(arms) => arms.to_vec(),
        };
        assert!(chosen.iter().all(|arm| arm.index() < arms));
        match asked.ticket {
            Some(ticket) => {
                let mut distinct = chosen.clone();
                distinct.sort();
                distinct.dedup();
                assert!(distinct.len() == chosen.len() && chosen.len() >= 2, "{chosen:?}");
                self.open.push((ticket, chosen));
            }
            None => assert!(chosen.len() == 2 && chosen[0] == chosen[1], "{chosen:?}"),
        }
    }

    fn tell(&mut self, place: usize, random: &mut Generator) {
        let (ticket, arms) = self.open.swap_remove(place);
        // Lower arms are better; one in six ties.
        let mut outcome = |first: Arm, second: Arm| match random.random_range(0..12) {
            0 | 1 => Preference::Tie,
            2..=4 => {
                if first < second {
                    Preference::Second
                } else {
                    Preference::First
                }
            }
            _ => {
                if first < second {
                    Preference::First
                } else {
                    Preference::Second
                }
            }
        };
        let mut count = |first: Arm, second: Arm, outcome| match outcome {
            Preference::First => self.wins[first.index()][second.index()] += 1,
            Preference::Second => self.wins[second.index()][first.index()] += 1,
            Preference::Tie => self.ties[first.min(second).index()][first.max(second).index()] += 1,
        };
        let wins = &mut self.outcome;
        if let [first, second] = arms[..] {
            let decided = outcome(first, second);
            // A set of two arms is answered as a set.
            wins.reset(2);
            wins.set(0, 1, decided);
            match self.policy.tell(ticket, decided) {
                Err(OpenError::WrongOutcome { .. }) => {
                    self.policy.tell(ticket, &*wins).expect("an open ticket of a set")
                }
                answered => answered.expect("an open ticket of a duel"),
            }
            count(first, second, decided);
        } else {
            wins.reset(arms.len());
            for i in 0..arms.len() {
                for j in i + 1..arms.len() {
                    let decided = outcome(arms[i], arms[j]);
                    wins.set(i, j, decided);
                    count(arms[i], arms[j], decided);
                }
            }
            self.policy.tell(ticket, &*wins).expect("an open ticket of a set");
        }
        self.told += 1;
        self.closed.push(ticket);
    }

    fn forget(&mut self, place: usize) {
        let (ticket, _) = self.open.swap_remove(place);
        self.policy.forget(ticket).expect("an open ticket");
        self.forgotten += 1;
        self.closed.push(ticket);
    }

    /// Calls that must be refused, and change nothing.
    fn misuse(&mut self, random: &mut Generator) {
        let before = self.policy.snapshot().expect("stored");
        let first = Preference::First;
        if let Some(&ticket) = self.closed.last() {
            assert!(self.policy.tell(ticket, first).is_err() && self.policy.forget(ticket).is_err());
        }
        let ahead: Ticket = format!("{}-0-00000000", self.policy.tally().tickets).parse().expect("a ticket");
        assert!(matches!(self.policy.tell(ahead, first), Err(OpenError::NeverGivenOut { .. })));
        if let Some((ticket, arms)) = self.open.last() {
            let text = ticket.to_string();
            let (rest, check) = text.rsplit_once('-').expect("three parts");
            let check = u32::from_str_radix(check, 16).expect("a number") ^ 1 << random.random_range(0..32);
            let other: Ticket = format!("{rest}-{check:08x}").parse().expect("a ticket");
            assert_eq!(self.policy.forget(other), Err(OpenError::OtherHistory { ticket: other }));
            let mut wins = PairWins::default();
            wins.reset(arms.len() + 1);
            assert!(matches!(self.policy.tell(*ticket, &wins), Err(OpenError::WrongOutcome { .. })));
            if arms.len() > 2 {
                wins.reset(arms.len());
                wins.set_tie(0, 1);
                let undecided = OpenError::Undecided { ticket: *ticket, first: 0, second: 2 };
                assert_eq!(self.policy.tell(*ticket, Outcome::Set(&wins)), Err(undecided));
            }
        }
        assert!(self.policy.snapshot().expect("stored") == before, "misuse changed the policy");
    }

    fn restart(&mut self) {
        self.policy = match self.restarts {
            Restarts::Never => return,
            Restarts::FromSnapshot => OpenPolicy::restore(&self.policy.snapshot().expect("stored")).expect("its own"),
            Restarts::FromLog => {
                self.log += &self.policy.take_log();
                let mut policy = OpenPolicy::replay(&self.log).expect("its own");
                assert!(policy.snapshot() == self.policy.snapshot(), "a replay has another state");
                policy.keep_log();
                // The lines of one log: what begins the rest of it is left out.
                let begins = policy.take_log();
                assert!(begins.starts_with("open ") || begins.starts_with("since "));
                policy
            }
        };
    }

    fn check(&self) {
        let tally = self.policy.tally();
        assert_eq!((tally.asked, tally.told, tally.forgotten), (self.asked, self.told, self.forgotten));
        assert_eq!(tally.open, self.open.len() as u64);
        assert_eq!(tally.tickets, tally.told + tally.forgotten + tally.open);
        let mut open: Vec<(Ticket, &[Arm])> =
            self.policy.open_tickets().map(|(ticket, _, arms)| (ticket, arms)).collect();
        let mut expected: Vec<(Ticket, &[Arm])> = self.open.iter().map(|(ticket, arms)| (*ticket, &arms[..])).collect();
        open.sort_unstable();
        expected.sort_unstable();
        assert_eq!(open, expected);
        let arms = self.policy.arms();
        for (i, j) in (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j))) {
            if let Some((won, lost)) = self.policy.wins(Arm::at(i), Arm::at(j)) {
                let (decided_won, decided_lost) = (self.wins[i][j], self.wins[j][i]);
                assert!(won >= decided_won && lost >= decided_lost, "{i} {j}");
                assert_eq!(won + lost, decided_won + decided_lost + self.ties[i][j], "{i} {j}");
            }
        }
        assert!(self.policy.recommend().is_none_or(|arm| arm.index() < arms));
    }
}

/// 64 to 160 events, with a seed's own mixture of them.
pub(crate) fn sequence(spec: &Spec, seed: u64) {
    let mut random = Generator::seed_from_u64(seed);
    let restarts = match random.next_u64() % 16 {
        0 => Restarts::FromLog,
        1 => Restarts::FromSnapshot,
        _ => Restarts::Never,
    };
    let mut account = Account::new(spec, random.random_range(2..=MOST), seed, restarts);
    let asks = [0.4, 0.6, 0.8, 0.95][random.random_range(0..4)];
    let losses = [0.0, 0.1, 0.5][random.random_range(0..3)];
    let order = random.random_range(0..3);
    let misuses = random.next_u64() % 8 == 0;
    for event in 0..random.random_range(64..=160) {
        if account.open.is_empty() || random.random_bool(asks) {
            account.ask(&mut random);
        } else {
            let place = match order {
                0 => 0,
                1 => account.open.len() - 1,
                _ => random.random_range(0..account.open.len()),
            };
            if random.random_bool(losses) {
                account.forget(place);
            } else {
                account.tell(place, &mut random);
            }
        }
        if misuses && event % 32 == 31 {
            account.misuse(&mut random);
        }
        if event % 40 == 39 {
            account.restart();
        }
    }
    account.check();
    // All tickets are answered: then nothing may be open in the algorithm's own counts either.
    while !account.open.is_empty() {
        account.tell(0, &mut random);
    }
    account.check();
    account.ask(&mut random);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_is_miscounted(seed: u64) {
        for spec in super::all() {
            sequence(&spec, seed);
        }
    }
}

/// `SEQUENCES=1000000 cargo test --release -p bandits --test all a_million_sequences -- --ignored --nocapture`, for the
/// algorithms named in `ALGORITHMS` (separated by commas; all if it is not set), on all cores (or as many as `THREADS`
/// says).
#[test]
#[ignore = "takes an hour of a core"]
fn a_million_sequences_at_full_size() {
    let variable = |name: &str| std::env::var(name).ok();
    let number = |name: &str| variable(name).map(|text| text.parse::<u64>().expect("a number"));
    let sequences = number("SEQUENCES").unwrap_or(1_000_000);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let wanted = variable("ALGORITHMS").unwrap_or_default();
    let is_wanted = |spec: &Spec| {
        let name = spec.canonical();
        wanted.is_empty() || wanted.split(',').any(|wanted| name.split(':').next() == Some(wanted))
    };
    let mut specs: Vec<Spec> = super::all().into_iter().filter(is_wanted).collect();
    // Every algorithm with its defaults, then the variants.
    let is_variant = |spec: &Spec| spec.entry().name.parse::<Spec>().ok().as_ref() != Some(spec);
    specs.sort_by_key(is_variant);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for seed in 0..sequences {
                sequence(spec, seed);
            }
            writeln!(std::io::stdout(), "{}: {sequences} sequences", spec.canonical()).expect("it is printed");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..number("THREADS").unwrap_or(cores) {
            scope.spawn(work);
        }
    });
}
