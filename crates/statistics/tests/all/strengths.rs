//! Fits with weights, fractions, positions and priors; statements that hold at every look.

use statistics::bradley_terry::{Cell, Comparison, Fit, Options, Point, SequentialEvidence, Ties, cells};
use statistics::{Normals, StatisticsError};

const OPTIONS: Options = Options { position: true, prior: None, ties: Ties::Davidson, slope_spread: 0.5 };

fn comparison(first: usize, second: usize, position: f64, point: Point) -> Comparison {
    Comparison { first, second, position, point, ..Comparison::default() }
}

/// An outcome by Davidson's model.
fn outcome(draws: &mut Normals, difference: f64, tie: f64) -> Point {
    let (win, loss) = (libm::exp(difference / 2.0), libm::exp(-difference / 2.0));
    let at = draws.uniform() * (win + loss + tie);
    if at < win {
        Point::Share(1.0)
    } else if at < win + loss {
        Point::Share(0.0)
    } else {
        Point::Tie
    }
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} and {expected}");
}

#[test]
fn an_advantage_of_the_first_is_found_and_mirrored() {
    let mut draws = Normals::from_seed(1);
    let mut all = Vec::new();
    for round in 0..4_000 {
        let (i, j) = [(0, 1), (1, 2), (2, 0)][round % 3];
        let position = if draws.uniform() < 0.5 { 1.0 } else { -1.0 };
        let d = 0.5 * (j as f64 - i as f64) + 0.3 * position;
        all.push(comparison(i, j, position, outcome(&mut draws, d, 0.4)));
    }
    let fit = Fit::new(3, &cells(&all), OPTIONS).unwrap();
    let place = fit.position_place().unwrap();
    let error = fit.model_covariance()[place * fit.size() + place].sqrt();
    close(fit.position().unwrap(), 0.3, 3.0 * error);
    close(fit.strengths()[0] - fit.strengths()[2], 1.0, 0.25);
    // The same comparisons, seen from the other side.
    let mirrored: Vec<Comparison> = all
        .iter()
        .map(|one| Comparison {
            first: one.second,
            second: one.first,
            position: -one.position,
            point: match one.point {
                Point::Share(share) => Point::Share(1.0 - share),
                Point::Tie => Point::Tie,
            },
            ..*one
        })
        .collect();
    let other = Fit::new(3, &cells(&mirrored), OPTIONS).unwrap();
    fit.parameters().iter().zip(other.parameters()).for_each(|(a, b)| close(*a, *b, 1e-12));
    // Without positions that vary, there is none to fit.
    let one_sided: Vec<Comparison> = all.iter().map(|one| Comparison { position: 0.0, ..*one }).collect();
    assert_eq!(Fit::new(3, &cells(&one_sided), OPTIONS).unwrap().position(), None);
}

#[test]
fn fractions_and_weights_are_parts_of_wins() {
    let part = |point, weight| Comparison { weight, ..comparison(0, 1, 0.0, point) };
    let fractions = [part(Point::Share(0.75), 4.0), part(Point::Share(0.5), 2.0)];
    let counts = [part(Point::Share(1.0), 4.0), part(Point::Share(0.0), 2.0)];
    let [a, b] = [&fractions, &counts].map(|all| Fit::new(2, &cells(all), OPTIONS).unwrap());
    close(a.strengths()[0], b.strengths()[0], 1e-12);
    close(a.strengths()[0] - a.strengths()[1], libm::log(2.0), 1e-12);
    // Six shares of a half vary less than six wins and losses: only the sandwich sees it.
    close(a.model_covariance()[0], b.model_covariance()[0], 1e-12);
    assert!(a.sandwich(&fractions, None, false)[0] < 0.5 * b.sandwich(&counts, None, false)[0]);
    // Copies are independent, a weight is not.
    let copies = [
        Comparison { copies: 4, ..part(Point::Share(1.0), 1.0) },
        Comparison { copies: 2, ..part(Point::Share(0.0), 1.0) },
    ];
    let c = Fit::new(2, &cells(&copies), OPTIONS).unwrap();
    close(c.sandwich(&copies, None, false)[0], c.model_covariance()[0], 1e-9);
}

#[test]
fn where_there_is_no_maximum_a_prior_gives_one() {
    let cell = |first, second, position, wins, losses, ties| Cell {
        first,
        second,
        position,
        wins,
        losses,
        ties,
        ..Comparison::default().cell()
    };
    let never_beaten = [cell(0, 1, 0.0, 3.0, 0.0, 0.0), cell(1, 2, 0.0, 2.0, 1.0, 0.0)];
    assert_eq!(Fit::new(3, &never_beaten, OPTIONS), Err(StatisticsError::Separated { group: vec![0] }));
    // Wins and ties, but no loss; and an order that explains everything.
    let ties = [cell(0, 1, 0.0, 3.0, 0.0, 4.0)];
    assert_eq!(Fit::new(2, &ties, OPTIONS), Err(StatisticsError::Unbounded));
    let order = [cell(0, 1, 1.0, 5.0, 0.0, 0.0), cell(0, 1, -1.0, 0.0, 5.0, 0.0)];
    assert_eq!(Fit::new(2, &order, OPTIONS), Err(StatisticsError::Unbounded));
    for cells in [&never_beaten[..], &ties, &order] {
        let fit = Fit::new(3, cells, Options { prior: Some(3.0), ..OPTIONS }).unwrap();
        assert!(fit.parameters().iter().all(|value| value.abs() < 10.0), "{:?}", fit.parameters());
        // The posterior's mode: pulling further in either direction is worse.
        let objective = |at: &[f64]| -> f64 {
            let prior: f64 = at.iter().map(|x| -0.5 * x * x / 9.0).sum();
            let d = |c: &Cell| at[c.first] - at[c.second] + fit.position().map_or(0.0, |_| at[3] * c.position);
            let tie = if fit.tie() > 0.0 { libm::exp(at[at.len() - 1]) } else { 0.0 };
            let ln = |c: &Cell| {
                let z = libm::exp(d(c) / 2.0) + libm::exp(-d(c) / 2.0) + tie;
                0.5 * (c.wins - c.losses) * d(c) + c.ties * libm::log(tie.max(1e-300)) - c.total() * libm::log(z)
            };
            prior + cells.iter().map(ln).sum::<f64>()
        };
        let best = objective(fit.parameters());
        for place in 0..fit.size() {
            for step in [-1e-3, 1e-3] {
                let mut at = fit.parameters().to_vec();
                at[place] += step;
                assert!(objective(&at) < best + 1e-12);
            }
        }
    }
}

/// Strengths are equal. Pairs are chosen among those with the largest lead, and one stops at the first statement.
#[test]
fn chasing_leads_and_stopping_early_raises_few_false_alarms() {
    let (arms, experiments) = (4, 200);
    let mut alarms = 0;
    for seed in 0..experiments {
        let mut draws = Normals::from_seed(seed);
        let mut sequential = SequentialEvidence::new(arms, Ties::Davidson);
        let mut wins = vec![0.0; arms];
        for step in 1..=400 {
            let by = |a: &usize, b: &usize| f64::total_cmp(&wins[*a], &wins[*b]);
            let leader = (0..arms).max_by(by).unwrap();
            let i = if draws.uniform() < 0.7 { leader } else { draws.below(arms) };
            let j = (i + 1 + draws.below(arms - 1)) % arms;
            let point = outcome(&mut draws, 0.0, 0.5);
            if let Point::Share(share) = point {
                wins[i] += share - 0.5;
                wins[j] += 0.5 - share;
            }
            sequential.record(&comparison(i, j, if draws.uniform() < 0.5 { 1.0 } else { -1.0 }, point));
            if step % 25 == 0 {
                let known = sequential.statements(0.2, 100);
                if (0..arms).any(|a| (0..arms).any(|b| known.is_stronger(a, b))) {
                    alarms += 1;
                    break;
                }
            }
        }
    }
    // 20% and two standard errors; at this level alarms are far fewer, because the maximum has more parameters than the truth.
    assert!(f64::from(alarms) <= 0.2 * experiments as f64 + 2.0 * (experiments as f64 * 0.16).sqrt(), "{alarms}");
}

#[test]
fn clear_differences_become_known_and_only_they() {
    let mut draws = Normals::from_seed(8);
    let truth = [1.2, 0.0, -1.2];
    let mut sequential = SequentialEvidence::new(3, Ties::Davidson);
    for round in 0..1_500 {
        let (i, j) = [(0, 1), (1, 2), (0, 2)][round % 3];
        sequential.record(&comparison(i, j, 0.0, outcome(&mut draws, truth[i] - truth[j], 0.5)));
    }
    let known = sequential.statements(0.05, 100);
    assert_eq!([0, 1, 2].map(|arm| known.ranks(arm)), [(1, 1), (2, 2), (3, 3)]);
    assert!(known.price > 0.0 && known.price < 30.0 && known.untested == 0, "{known:?}");
    // With no fits allowed nothing is tested, and nothing is said.
    let untested = sequential.statements(0.05, 0);
    assert!(untested.untested == 3 && !untested.is_stronger(0, 2));
}

/// Evidence is the ratio to the constrained maximum, which a grid finds as well.
#[test]
fn the_threshold_is_that_of_the_constrained_maximum() {
    let mut draws = Normals::from_seed(3);
    for wins in [8, 14, 20] {
        let mut sequential = SequentialEvidence::new(2, Ties::Davidson);
        let mut all: Vec<f64> = (0..30).map(|at| f64::from(u8::from(at < wins))).collect();
        for last in (1..all.len()).rev() {
            all.swap(last, draws.below(last + 1));
        }
        all.iter().for_each(|share| sequential.record(&comparison(0, 1, 0.0, Point::Share(*share))));
        // Under "not stronger" the maximum is at equal strengths, or at the observed share if that is below a half.
        let share = (f64::from(wins) / 30.0).min(0.5);
        let null = f64::from(wins) * libm::log(share) + f64::from(30 - wins) * libm::log(1.0 - share);
        let evidence = sequential.ln_likelihood() - null;
        for alpha in [0.5_f64, 0.3, 0.1, 0.05, 0.01] {
            let expected = evidence > -libm::log(alpha);
            assert_eq!(sequential.statements(alpha, 10).is_stronger(0, 1), expected, "{wins} {alpha} {evidence}");
        }
    }
}

/// A winner that was never beaten: the maximum is at infinity, and a finite one would reject too much.
#[test]
fn infinite_strengths_have_a_supremum() {
    let mut sequential = SequentialEvidence::new(3, Ties::Davidson);
    for _ in 0..40 {
        sequential.record(&comparison(0, 1, 0.0, Point::Share(1.0)));
        sequential.record(&comparison(1, 2, 0.0, Point::Share(1.0)));
    }
    let known = sequential.statements(0.05, 10);
    assert!(known.is_stronger(0, 1) && known.is_stronger(1, 2) && known.is_stronger(0, 2));
    // The largest likelihood is 1.
    close(known.price, -sequential.ln_likelihood(), 1e-6);
}
