//! How the number of further judgements that a board advises fits sessions, whose pairs are not those it assumes.

use board::{Board, Conclusion, Settings};
use judges::{Answer, Config, Goal, Session};

use crate::{Judge, config};

/// Multiples of the advised number at which sessions are looked at.
const LOOKS: [f64; 9] = [0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0];

fn answer(live: &mut Session, strengths: &[f64], until: u64, judge: &mut Judge) {
    while live.counts().answered < until {
        let pair = live.ask(None).unwrap();
        let difference = strengths[pair.first as usize] - strengths[pair.second as usize];
        let (win, loss) = (libm::exp(difference / 2.0), libm::exp(-difference / 2.0));
        let verdict = match judge.unit() * (win + loss + 0.5) {
            at if at < win => Answer::First,
            at if at < win + loss => Answer::Second,
            _ => Answer::Tie,
        };
        live.tell(pair.ticket, verdict, None).unwrap();
    }
}

/// Of `sessions` with that goal which are not decided after `begun` judgements, the share that is by each of [`LOOKS`]
/// times the advised number, and how many there are.
fn decided(goal: Goal, sessions: u64, begun: u64) -> ([f64; 9], u64) {
    let settings = Settings { checks: false, every_look: false, ..Settings::default() };
    let mut seen = ([0.0; 9], 0);
    for seed in 0..sessions {
        let mut judge = Judge::new(5_000 + seed, 0.0);
        let mut normal = || {
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - judge.unit()));
            radius * libm::cos(std::f64::consts::TAU * judge.unit())
        };
        let strengths: Vec<f64> = (0..20).map(|_| 0.8 * normal()).collect();
        let mut live = Session::new(Config { goal, ..config(20, seed) }).unwrap();
        answer(&mut live, &strengths, begun, &mut judge);
        let board = Board::new(&live.judgements(), &settings).unwrap();
        let Some(more @ 1..=20_000) = board.advice.and_then(|advice| advice.more) else { continue };
        seen.1 += 1;
        for (look, share) in LOOKS.iter().zip(&mut seen.0) {
            answer(&mut live, &strengths, begun + (look * more as f64).ceil() as u64, &mut judge);
            let board = Board::new(&live.judgements(), &Settings { advice: false, ..settings.clone() }).unwrap();
            *share += f64::from(u8::from(matches!(board.conclusion, Conclusion::Best(_))));
        }
    }
    (seen.0.map(|share| share / seen.1 as f64), seen.1)
}

#[test]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
#[ignore = "minutes: cargo test -p judges --release -- --ignored --nocapture sessions_differ"]
fn sessions_differ_from_the_advice() {
    let share_at_the_number = |goal, begun| {
        let (shares, sessions) = decided(goal, 60, begun);
        eprintln!("{goal:?} after {begun}, {sessions} sessions: {shares:.2?}");
        shares[5]
    };
    // Of sessions as the number assumes them, half.
    assert!(share_at_the_number(Goal::Best, 200) > 0.6);
    assert!(share_at_the_number(Goal::Best, 400) > 0.6);
    assert!(share_at_the_number(Goal::Order, 800) < 0.45);
    assert!(share_at_the_number(Goal::Uniform, 800) < 0.45);
}
