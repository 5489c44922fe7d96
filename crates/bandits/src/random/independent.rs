//! Our draws follow the same distributions as those of `rand_distr`, an implementation that shares no code with them.

use rand::SeedableRng as _;
use rand_distr::{Distribution, StandardNormal};

use super::{Beta, Normals, geometric};
use crate::Generator;

const DRAWS: usize = 40_000;

/// The largest distance between the distribution functions of two samples.
fn distance(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let (mut i, mut j, mut largest) = (0, 0, 0.0_f64);
    while i < a.len() && j < b.len() {
        let x = a[i].min(b[j]);
        i += a[i..].iter().take_while(|&&value| value == x).count();
        j += b[j..].iter().take_while(|&&value| value == x).count();
        largest = largest.max((i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs());
    }
    largest
}

/// Whether `ours` and `theirs` draw alike: Smirnov's bound for two samples, which samples of the same distribution exceed with
/// probability 2 exp(-n d^2), here 1e-6.
fn alike(mut ours: impl FnMut(&mut Generator) -> f64, theirs: &impl Distribution<f64>) -> bool {
    let [mut one, mut other] = [1, 2].map(Generator::seed_from_u64);
    let a = (0..DRAWS).map(|_| ours(&mut one)).collect();
    let b = (0..DRAWS).map(|_| theirs.sample(&mut other)).collect();
    distance(a, b) < libm::sqrt(libm::log(2e6) / DRAWS as f64)
}

#[test]
fn beta() {
    let normals = Normals::new();
    let draws = |a, b| {
        let beta = Beta::new(a, b);
        move |generator: &mut Generator| beta.draw(normals, generator)
    };
    for (a, b) in [(1.0, 1.0), (1.0, 30.0), (2.5, 7.0), (400.0, 380.0), (2.0, 1e5)] {
        let theirs = rand_distr::Beta::new(a, b).expect("a distribution");
        assert!(alike(draws(a, b), &theirs), "Beta({a}, {b})");
        assert!(!alike(draws(1.1 * a, b), &theirs), "the comparison sees a tenth at Beta({a}, {b})");
    }
}

#[test]
fn normal() {
    let normals = Normals::new();
    assert!(alike(|generator| normals.draw(generator), &StandardNormal));
    assert!(!alike(|generator| 1.1 * normals.draw(generator), &StandardNormal));
}

#[test]
fn geometric_waits() {
    for again in [0.1_f64, 0.5, 0.99] {
        // Theirs counts failures before a success; ours counts the first time as well.
        let theirs =
            rand_distr::Geometric::new(1.0 - again).expect("a distribution").map(|failures| 1.0 + failures as f64);
        let ours = |generator: &mut Generator| geometric(libm::log(again), generator) as f64;
        assert!(alike(ours, &theirs), "{again}");
        assert!(!alike(|generator| 2.0 * ours(generator), &theirs), "{again}");
    }
}
