//! The same distribution as the plain rule.

use rand::SeedableRng as _;

use super::*;
use crate::random::unit;

/// As often above the threshold as plain draws, and as often above a value beyond it.
fn assert_drawn_above_as_plain<P: LogConcave + std::fmt::Debug>(one: &P, at: f64, edge: f64) {
    let mut generator = Generator::seed_from_u64(5);
    let normals = Normals::new();
    let draws = 400_000_u32;
    let threshold = P::threshold(at).expect("a threshold");
    let mass = one.mass_above(&threshold).expect("it falls there");
    assert!(mass <= 1.0, "{one:?} above {at}: {mass}");
    let mut counts = [[0_u32; 2]; 2];
    for _ in 0..draws {
        let event = unit(&mut generator) < mass;
        let fast = event.then(|| one.draw_above(&threshold, &mut generator)).flatten();
        let plain = Some(one.draw(normals, &mut generator)).filter(|&x| x > at);
        for (count, drawn) in counts.iter_mut().zip([fast, plain]) {
            if let Some(x) = drawn {
                assert!(x >= at);
                count[usize::from(x > edge)] += 1;
            }
        }
    }
    for (fast, plain) in counts[0].into_iter().zip(counts[1]) {
        assert!(plain > 1000, "the case is of no use");
        // Five standard deviations of the difference of two counts.
        let off = (f64::from(fast) - f64::from(plain)).abs();
        assert!(off < 5.0 * f64::from(fast + plain).sqrt(), "{one:?} above {at}: {fast}, plain {plain}");
    }
}

#[test]
fn draws_above_a_threshold_follow_their_distribution() {
    for (won, lost, at, edge) in [
        (0.0, 2.0, 0.4, 0.5),
        (1.5, 8.0, 0.3, 0.4),
        (39.0, 59.0, 0.45, 0.48),
        (499.0, 699.0, 0.44, 0.45),
        (2.0, 0.5, 0.9, 0.95),
    ] {
        assert_drawn_above_as_plain(&BetaPosterior::new(won, lost), at, edge);
    }
    for (at, edge) in [(0.5, 1.0), (1.0, 1.5), (2.0, 2.3)] {
        assert_drawn_above_as_plain(&NormalPosterior { mean: 0.0, deviation: 1.0 }, at, edge);
    }
    assert_drawn_above_as_plain(&NormalPosterior { mean: -3.0, deviation: 0.2 }, -2.8, -2.7);
}

#[test]
fn nothing_is_said_of_thresholds_below_the_mode() {
    let threshold = BetaPosterior::threshold(0.5).expect("in (0, 1)");
    assert_eq!(BetaPosterior::new(0.0, 0.0).mass_above(&threshold), None);
    assert_eq!(BetaPosterior::new(5.0, 3.0).mass_above(&threshold), None);
    assert!(BetaPosterior::new(3.0, 5.0).mass_above(&threshold).is_some());
    assert!([0.0, 1.0, -0.3].iter().all(|&at| BetaPosterior::threshold(at).is_none()));
    assert_eq!(NormalPosterior { mean: 1.0, deviation: 2.0 }.mass_above(&0.9), None);
}

/// The rule itself.
fn plain_draw<P: LogConcave>(all: &[P], generator: &mut Generator) -> usize {
    let normals = Normals::new();
    let drawn: Vec<f64> = all.iter().map(|one| one.draw(normals, generator)).collect();
    (0..drawn.len()).max_by(|&i, &j| drawn[i].total_cmp(&drawn[j])).expect("at least one")
}

/// Each is the largest as often as by the plain rule, under the threshold that it chooses and under others.
fn assert_same_law<P: LogConcave>(all: &[P], thresholds: &[f64]) {
    let draws = 100_000;
    let mut generator = Generator::seed_from_u64(4);
    let mut contending = Vec::new();
    for threshold in std::iter::once(None).chain(thresholds.iter().map(Some)) {
        let mut fast = Largest::new(all.len(), all[0]);
        for (index, &one) in all.iter().enumerate() {
            fast.set(index, one);
        }
        fast.renew();
        if let Some(&at) = threshold {
            fast.set_threshold(P::threshold(at));
        }
        contending.push(fast.contenders.len());
        let mut counts = vec![[0_u32; 2]; all.len()];
        for _ in 0..draws {
            counts[fast.draw(&mut generator)][0] += 1;
            counts[plain_draw(all, &mut generator)][1] += 1;
        }
        for (index, [fast, plain]) in counts.into_iter().enumerate() {
            // Five standard deviations of the difference of two counts, and one draw.
            let bound = 5.0 * f64::from(fast + plain).sqrt() + 1.0;
            let off = (f64::from(fast) - f64::from(plain)).abs();
            assert!(off <= bound, "threshold {threshold:?}, {index}: {fast}, plain {plain}");
        }
    }
    // All, some and none contend.
    assert!(contending.contains(&all.len()) && contending.contains(&0), "{contending:?}");
    assert!(contending.iter().any(|&count| count > 0 && count < all.len()), "{contending:?}");
}

#[test]
fn the_largest_follows_the_plain_rule_at_any_threshold() {
    // Near ties at the top, some behind, some with few duels.
    let counts = |index: u32| match index {
        0 | 17 | 33 => (300.0, 290.0),
        1..5 => (45.0, 50.0),
        5..10 => (8.0, 14.0),
        10..=15 => (0.0, 3.5),
        _ => (20.0, 32.0),
    };
    let betas: Vec<BetaPosterior> = (0..40).map(counts).map(|(won, lost)| BetaPosterior::new(won, lost)).collect();
    assert_same_law(&betas, &[-1.0, 0.01, 0.3, 0.42, 0.5, 0.55, 0.6]);
    let normals: Vec<NormalPosterior> = betas
        .iter()
        .map(|beta| {
            let [mean, deviation] = beta.moments();
            NormalPosterior { mean: mean - 0.5, deviation }
        })
        .collect();
    assert_same_law(&normals, &[-5.0, -0.2, -0.08, 0.0, 0.05, 0.1]);
}

#[test]
fn classes_and_sums_stay_true_while_distributions_change() {
    let mut generator = Generator::seed_from_u64(6);
    let mut largest = Largest::new(40, BetaPosterior::new(0.0, 0.0));
    let mut thresholds = 0;
    for _ in 0..20_000 {
        let before = largest.due;
        let index = largest.draw(&mut generator);
        let BetaPosterior { won, lost, .. } = largest.distributions()[index];
        let wins = positive_unit(&mut generator) < 0.6 - 0.01 * index as f64;
        let wins = f64::from(u8::from(wins));
        largest.set(index, BetaPosterior::new(won + wins, lost + 1.0 - wins));
        thresholds += u32::from(largest.due > before);
        let mut contenders = largest.contenders.clone();
        contenders.sort_unstable();
        let expected: Vec<u32> = (0..40).filter(|&index| largest.lengths[index as usize] == 0.0).collect();
        assert_eq!(contenders, expected);
        if let Some(threshold) = largest.threshold {
            for (one, &kept) in largest.all.iter().zip(&largest.lengths) {
                assert_eq!(kept, chance_length(one, &threshold).unwrap_or(0.0));
            }
        }
        let total: f64 = largest.lengths.iter().sum();
        assert!((total - largest.total).abs() < 1e-9);
    }
    assert!(thresholds > 50, "{thresholds}");
    assert!(largest.contenders.len() < 20, "{}", largest.contenders.len());
}
