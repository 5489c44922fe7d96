//! Look-alikes compared with the real excerpts: features tie, are constant and follow relevance similarly.

use crate::support::profile::{Profile, profiles};
use crate::support::real_data;
use letor_io::{ReadOptions, lookalike, read_files};

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let product =
        |x: &[f64], mx: f64, y: &[f64], my: f64| x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>();
    product(a, ma, b, mb) / (product(a, ma, a, ma) * product(b, mb, b, mb)).sqrt()
}

/// Checks that the correlations over features of constant share, tied share and concordance are at least `least`.
fn compare(folder: &str, name: &str, scale: f64, least: [f64; 3]) {
    let real = read_files("real", &[real_data(folder)], &ReadOptions::default()).unwrap();
    let made = lookalike::generate(name, scale, lookalike::DEFAULT_SEED).unwrap();
    assert_eq!(real.features(), made.features());
    let (real, made) = (profiles(&real), profiles(&made));
    let quantities: [fn(&Profile) -> f64; 3] = [|p| p.constant, |p| p.tied, |p| p.concordance];
    for (quantity, least) in quantities.into_iter().zip(least) {
        let of = |profiles: &[Profile]| profiles.iter().map(quantity).collect::<Vec<_>>();
        let found = correlation(&of(&real), &of(&made));
        assert!(found > least, "{name}: {found} is not above {least}");
    }
}

#[test]
#[ignore = "needs ../shared/data"]
fn mslr() {
    compare("mslr-fold1-sample", "mslr-lookalike", 0.01, [0.9, 0.98, 0.9]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn mq2008() {
    compare("letor4-mq2008", "mq2008-lookalike", 1.0, [0.95, 0.96, 0.9]);
}

#[test]
#[ignore = "needs ../shared/data"]
fn np2004() {
    compare("letor3-np2004", "np2004-lookalike", 0.4, [0.99, 0.96, 0.88]);
}
