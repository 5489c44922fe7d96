//! Tests of sessions from outside.

mod audits;
mod choices;
mod design;
mod events;
mod mistakes;
mod replays;
mod saved;
mod settings;
mod stopping;

use bandits::Generator;
use judges::{Answer, Config, Pair, Session};
use rand::{Rng as _, SeedableRng as _};

/// A session among `names` with everything else as by default but the seed.
fn config(competitors: u32, seed: u64) -> Config {
    Config { seed, ..Config::of((0..competitors).map(|place| format!("c{place}"))) }
}

/// A judge under a Bradley-Terry model: the lower place is stronger, by `step` per place; some answers are ties.
struct Judge {
    generator: Generator,
    step: f64,
}

impl Judge {
    fn new(seed: u64, step: f64) -> Self {
        Self { generator: Generator::seed_from_u64(seed), step }
    }

    fn unit(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn says(&mut self, pair: &Pair) -> Answer {
        if self.unit() < 0.1 {
            return if self.unit() < 0.5 { Answer::Tie } else { Answer::BothBad };
        }
        let ahead = self.step * (f64::from(pair.second) - f64::from(pair.first));
        if self.unit() < 1.0 / (1.0 + libm::exp(-ahead)) { Answer::First } else { Answer::Second }
    }
}

/// Asks, answers, forgets and lets answers come late, for `calls` calls. Returns every pair asked.
fn busy(live: &mut Session, calls: u32, seed: u64) -> Vec<Pair> {
    let mut judge = Judge::new(seed, 0.5);
    let (mut open, mut asked): (Vec<Pair>, Vec<Pair>) = (Vec::new(), Vec::new());
    for _ in 0..calls {
        let who = ["ann", "bob", "eve"][(judge.unit() * 3.0) as usize];
        let draw = judge.unit();
        if draw < 0.45 || open.is_empty() {
            let pair = live.ask(Some(who).filter(|_| draw < 0.4)).expect("a judge's name");
            open.push(pair.clone());
            asked.push(pair);
            continue;
        }
        let pair = open.swap_remove((judge.unit() * open.len() as f64) as usize);
        if draw < 0.9 {
            let verdict = judge.says(&pair);
            let late = Some(who).filter(|_| pair.judge.is_none() && draw < 0.7);
            live.tell(pair.ticket, verdict, late).expect("it is open");
        } else {
            live.forget(pair.ticket).expect("it is open");
        }
    }
    asked
}
