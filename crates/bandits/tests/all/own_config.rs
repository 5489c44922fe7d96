//! A configuration with parameters, late outcomes and snapshots, written outside of the crate with its macros.

use std::fmt::Debug;

use bandits::counts::PairCounts;
use bandits::random::below;
use bandits::registry::Spec;
use bandits::{
    Arm, DelayedFeedback, DuelPolicy, Generator, Generators, OpenPolicy, Policy as _, PolicyConfig, Preference, config,
    named_values, plain, state, stored, takes_late,
};

named_values! {
    /// Whom the leader meets.
    enum Rival {
        /// Any arm.
        Any = "any",
        /// The arm before it.
        Neighbour = "neighbour",
    }
}

config! {
    /// The parameters of the algorithm.
    struct LeaderConfig {
        /// Whom the leader meets.
        rival: Rival = Rival::Any, "any or neighbour";
        /// The share of steps that explore, in (0, 1).
        epsilon: f64 = 0.1, "share of steps that explore" [probability] [idle beside rival = Rival::Neighbour];
        /// The probability of failing; that of the horizon if not given.
        delta: Option<f64> = None, "probability of failing, auto for 1/T" [probability];
    }

    policy Leader {
        name: "leader",
        summary: "the leader against a rival",
        needs_horizon: true,
        all_pairs: true,
    }

    fn uses_horizon(&self) -> bool {
        self.delta.is_none()
    }

    fn build(&self, arms: usize, horizon: Option<u64>) -> Leader {
        let delta = self.delta.or(horizon.map(|steps| 1.0 / steps as f64)).expect("one of them");
        Leader { rival: self.rival, epsilon: self.epsilon, delta, wins: PairCounts::new(arms, 0), last: Last::default() }
    }

    takes_late!();
}

/// The pair that met last, and how many duels there were.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Last {
    winner: Option<Arm>,
    duels: u64,
}

plain!(Last { winner, duels });

#[derive(Debug, Clone)]
struct Leader {
    rival: Rival,
    epsilon: f64,
    delta: f64,
    wins: PairCounts,
    last: Last,
}

state!(Leader { wins, last } but { rival, epsilon, delta });

impl DuelPolicy for Leader {
    fn arm_count(&self) -> usize {
        self.wins.arms()
    }

    fn pair(&mut self, _step: u64, generator: &mut Generator) -> (Arm, Arm) {
        let arms = self.wins.arms();
        let leader = self.best(generator).unwrap_or(Arm(0));
        let explores = below(generator, 1_000) < (1_000.0 * self.epsilon) as usize;
        match self.rival {
            Rival::Neighbour => (leader, Arm::at((leader.index() + arms - 1) % arms)),
            _ if explores => (Arm::at(below(generator, arms)), Arm::at(below(generator, arms))),
            _ => (leader, Arm::at(below(generator, arms))),
        }
    }

    fn outcome(&mut self, winner: Arm, loser: Arm) {
        self.wins.record(winner.index(), loser.index());
        self.last = Last { winner: Some(winner), duels: self.last.duels + 1 };
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        self.wins.copeland_best(generator)
    }

    stored!();
}

impl DelayedFeedback for Leader {}

fn refusal<T>(result: Result<T, impl ToString + Debug>) -> String {
    result.err().expect("refused").to_string()
}

#[test]
fn parameters_have_their_rules() {
    let config = LeaderConfig::default();
    let keys: Vec<_> = config.parameters().iter().map(|one| format!("{}={}", one.key, one.value)).collect();
    assert_eq!(keys, ["rival=any", "epsilon=0.1", "delta=auto"]);
    assert_eq!(refusal(config.policy(3, None)), "leader needs to know the horizon, which must be at least 1 step");
    assert_eq!(config.policy(3, Some(100)).map(|policy| policy.delta), Ok(0.01));
    assert_eq!(refusal(config.policy(0, Some(100))), "cannot choose among 0 arms; expected 1 to 4294967295");
    assert!(refusal(config.policy(40_000, Some(100))).starts_with("leader counts the duels of every pair"));

    let mut given = LeaderConfig { delta: Some(0.5), ..config };
    assert_eq!(given.policy(3, None).map(|policy| policy.arms()), Ok(3));
    let rival = given.parameter_mut("rival").expect("a parameter");
    assert_eq!(rival.set("none"), Err("one of any neighbour".to_owned()));
    assert_eq!((rival.set("neighbour"), given.warning()), (Ok(()), None));
    given.epsilon = 0.2;
    assert_eq!(given.warning().as_deref(), Some("leader: epsilon has no effect beside rival=neighbour"));
    given.epsilon = 1.0;
    assert_eq!(refusal(given.policy(3, None)), "epsilon must lie strictly between 0 and 1, found 1");
    // Beside registered algorithms it has the name that it is given there.
    let spec = Spec::own("leader", |arms| LeaderConfig::default().policy(arms, Some(10)).expect("arms"));
    assert_eq!(spec.canonical(), "leader");
}

#[test]
fn its_state_is_stored_and_goes_on() {
    let config = LeaderConfig::default();
    let open = || {
        let form = config.late(5, Some(1_000)).expect("five arms");
        assert!(form.is_native());
        OpenPolicy::new("leader", form, &Generators::from_seed(4))
    };
    let play = |policy: &mut OpenPolicy, steps: u64| {
        let mut pairs = Vec::new();
        for _ in 0..steps {
            let asked = policy.ask();
            pairs.push(format!("{asked:?}"));
            if let Some(ticket) = asked.ticket {
                policy.tell(ticket, Preference::First).expect("an open ticket");
            }
        }
        pairs
    };
    let mut policy = open();
    play(&mut policy, 200);
    let snapshot = policy.snapshot().expect("a stored form");
    let mut restored = open();
    restored.load(&snapshot).expect("its own snapshot");
    assert_eq!(play(&mut restored, 200), play(&mut policy, 200));
    assert_eq!(restored.snapshot().expect("stored"), policy.snapshot().expect("stored"));
}
