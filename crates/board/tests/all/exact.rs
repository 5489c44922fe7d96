//! P(best) against integrals over grids.

use crate::world::World;
use board::{Answer, Board, Claim, Judgement, Order, Settings};

/// Judgements of two: how often the first wins and loses when it is shown first, and when it is shown second.
fn of_two(counts: [[usize; 2]; 2], order: Order) -> Board {
    let mut rows = Vec::new();
    for (shown, [wins, losses]) in counts.into_iter().enumerate() {
        let (first, second) = if shown == 0 { (0, 1) } else { (1, 0) };
        let [won, lost] = if shown == 0 { [Answer::First, Answer::Second] } else { [Answer::Second, Answer::First] };
        rows.extend((0..wins).map(|_| (first, second, won)));
        rows.extend((0..losses).map(|_| (first, second, lost)));
    }
    let settings = Settings { checks: false, advice: false, ..Settings::default() };
    let judged =
        |(first, second, verdict)| Judgement { first, second, verdict, item: None, judge: None, weight: 1.0, row: 1 };
    let mut table = World::normal(2, 0.0, 0.0, 1).empty();
    (table.order, table.judgements) = (order, rows.into_iter().map(judged).collect());
    Board::new(&table, &settings).unwrap()
}

fn best_of_first(board: &Board) -> f64 {
    board.competitors.iter().find(|one| one.number == 0).unwrap().best
}

fn ln_sigmoid(x: f64) -> f64 {
    -libm::log1p(libm::exp(-x))
}

/// The same by a grid over the difference, the position effect, and the spread; its square is half the prior variance of the difference.
/// `worth` multiplies the logarithm of the likelihood.
fn by_grid(counts: [[usize; 2]; 2], order: Order, worth: f64) -> f64 {
    let positions: Vec<f64> = match order {
        Order::Shown => (-150..=150).map(|k| 0.08 * f64::from(k)).collect(),
        Order::Unknown => vec![0.0],
    };
    let (mut above, mut all) = (0.0, 0.0);
    for step in -1_000..=1_000 {
        let difference = 0.02 * f64::from(step) + 0.01;
        // A uniform spread up to 4.5, on a grid much finer than that of the board.
        let prior: f64 = (1..=450)
            .map(|k| 0.01 * f64::from(k))
            .map(|spread| libm::exp(-0.25 * difference * difference / (spread * spread)) / spread)
            .sum();
        for position in &positions {
            let [first, second] = [difference + position, difference - position];
            let ln: f64 = [(counts[0], first), (counts[1], second)]
                .into_iter()
                .map(|([wins, losses], x)| wins as f64 * ln_sigmoid(x) + losses as f64 * ln_sigmoid(-x))
                .sum();
            let density = prior * libm::exp(worth * ln - 0.5 * position * position / 9.0);
            all += density;
            above += if difference > 0.0 { density } else { 0.0 };
        }
    }
    above / all
}

#[test]
fn it_is_the_posterior_of_the_model() {
    for (wins, losses) in [(2, 1), (5, 1), (9, 3), (17, 7), (20, 4), (60, 40), (30, 31)] {
        let counts = [[wins, losses], [0, 0]];
        // The variance of a share that is found is n / (n - 1) times that of the model.
        let n = (wins + losses) as f64;
        let (found, expected) =
            (best_of_first(&of_two(counts, Order::Unknown)), by_grid(counts, Order::Unknown, (n - 1.0) / n));
        // Four standard errors of 4,000 draws, if those of uneven weights are worth a quarter.
        let allowed = 4.0 * (expected * (1.0 - expected) / 1_000.0).sqrt();
        assert!((found - expected).abs() < allowed, "{wins}:{losses}: {found}, by a grid {expected}");
    }
}

#[test]
fn it_is_that_also_where_the_likelihood_has_no_maximum() {
    for (counts, least) in [([[8, 4], [12, 0]], 0.99), ([[3, 0], [3, 0]], 0.9), ([[2, 1], [3, 0]], 0.8)] {
        let found = best_of_first(&of_two(counts, Order::Shown));
        let [whole, half] = [1.0, 0.5].map(|worth| by_grid(counts, Order::Shown, worth));
        assert!(
            found > least && (half - 0.02..=whole + 0.01).contains(&found),
            "{counts:?}: {found}, by grids {whole} {half}"
        );
    }
}

#[test]
fn the_claim_of_the_best_of_two_has_at_least_its_probability() {
    let mut claimed = 0;
    for losses in [0, 1, 2, 3, 5, 8, 13, 21, 40] {
        for wins in (losses + 1..80).step_by(1 + losses / 8) {
            let board = of_two([[wins, losses], [0, 0]], Order::Unknown);
            let first = &board.competitors[0];
            if first.claim == Claim::Best {
                claimed += 1;
                assert!(first.best >= 0.95, "{wins}:{losses}: {}", first.best);
            }
        }
    }
    assert!(claimed > 300, "{claimed}");
}
