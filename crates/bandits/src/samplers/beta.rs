//! Beta draws, and the sampler of W. R. Thompson that is made of them.
//!
//! Beta(a, b) is x / (x + y) for Gamma draws x and y of shapes a and b, each one normal draw cubed
//! and seldom refused: G. Marsaglia, W. W. Tsang, "A Simple Method for Generating Gamma
//! Variables", ACM TOMS 26(3), 2000, <https://doi.org/10.1145/358407.358414>.

use super::{Normals, positive_unit};
use crate::Generator;

/// Gamma of a shape of at least 1, its constants at hand.
#[derive(Debug, Clone, Copy)]
struct Gamma {
    d: f64,
    c: f64,
}

impl Gamma {
    #[inline]
    fn new(shape: f64) -> Self {
        debug_assert!(shape >= 1.0);
        let d = shape - 1.0 / 3.0;
        Self {
            d,
            c: 1.0 / (9.0 * d).sqrt(),
        }
    }

    #[inline]
    fn draw(self, normals: Normals, generator: &mut Generator) -> f64 {
        loop {
            let x = normals.draw(generator);
            let root = 1.0 + self.c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            let u = positive_unit(generator);
            let x2 = x * x;
            if u < 1.0 - 0.0331 * x2 * x2
                || libm::log(u) < 0.5 * x2 + self.d * (1.0 - v + libm::log(v))
            {
                return self.d * v;
            }
        }
    }
}

/// Beta(a, b), a and b at least 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beta {
    a: Gamma,
    b: Gamma,
}

impl Beta {
    #[inline]
    pub(crate) fn new(a: f64, b: f64) -> Self {
        Self {
            a: Gamma::new(a),
            b: Gamma::new(b),
        }
    }

    #[inline]
    pub(crate) fn draw(self, normals: Normals, generator: &mut Generator) -> f64 {
        let x = self.a.draw(normals, generator);
        let y = self.b.draw(normals, generator);
        x / (x + y)
    }
}

/// Arms that win or lose by themselves: an arm is picked with the probability that it is the best,
/// given a uniform prior on each arm's probability of winning. W. R. Thompson, "On the Likelihood
/// that One Unknown Probability Exceeds Another in View of the Evidence of Two Samples",
/// Biometrika 25, 1933, <https://doi.org/10.2307/2332286>.
#[derive(Debug, Clone)]
pub(crate) struct Thompson {
    normals: Normals,
    won: Vec<f64>,
    lost: Vec<f64>,
    posterior: Vec<Beta>,
}

impl Thompson {
    pub(crate) fn new(arms: usize) -> Self {
        Self {
            normals: Normals::new(),
            won: vec![0.0; arms],
            lost: vec![0.0; arms],
            posterior: vec![Beta::new(1.0, 1.0); arms],
        }
    }

    pub(crate) fn arms(&self) -> usize {
        self.posterior.len()
    }

    /// The arm whose draw is the largest: one draw an arm.
    pub(crate) fn pick(&self, generator: &mut Generator) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (arm, posterior) in self.posterior.iter().enumerate() {
            let theta = posterior.draw(self.normals, generator);
            if theta > best.0 {
                best = (theta, arm);
            }
        }
        best.1
    }

    /// Counts a win or a loss of this weight.
    #[inline]
    pub(crate) fn learn(&mut self, arm: usize, won: bool, weight: f64) {
        if won {
            self.won[arm] += weight;
            self.posterior[arm].a = Gamma::new(self.won[arm] + 1.0);
        } else {
            self.lost[arm] += weight;
            self.posterior[arm].b = Gamma::new(self.lost[arm] + 1.0);
        }
    }

    /// The arms' posterior means.
    pub(crate) fn means(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.won
            .iter()
            .zip(&self.lost)
            .map(|(won, lost)| (won + 1.0) / (won + lost + 2.0))
    }

    /// Whether any arm has won or lost.
    pub(crate) fn has_learnt(&self) -> bool {
        self.won.iter().chain(&self.lost).any(|&count| count > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn value_stability() {
        let mut generator = Generator::seed_from_u64(1);
        let normals = Normals::new();
        let drawn: Vec<String> = [(1.0, 1.0), (3.0, 1.5), (1000.0, 40.0), (1.0, 9.0)]
            .map(|(a, b)| format!("{:.12}", Beta::new(a, b).draw(normals, &mut generator)))
            .to_vec();
        assert_eq!(
            drawn,
            [
                "0.995764735991",
                "0.159642475792",
                "0.950405681035",
                "0.032630643747"
            ]
        );
        let mut thompson = Thompson::new(4);
        thompson.learn(2, true, 1.0);
        thompson.learn(0, false, 1.0);
        let picked: Vec<usize> = (0..8).map(|_| thompson.pick(&mut generator)).collect();
        assert_eq!(picked, [2, 2, 2, 3, 3, 2, 2, 2]);
    }

    /// P(Beta(a, b) <= x) for whole a and b: P(Bin(a + b - 1, x) >= a).
    fn below(a: u32, b: u32, x: f64) -> f64 {
        let n = a + b - 1;
        let mut term = (1.0 - x).powi(n as i32);
        let mut sum = 0.0;
        for k in 0..=n {
            if k >= a {
                sum += term;
            }
            term *= f64::from(n - k) / f64::from(k + 1) * x / (1.0 - x);
        }
        sum
    }

    #[test]
    fn draws_follow_the_beta_distribution() {
        let mut generator = Generator::seed_from_u64(2);
        let normals = Normals::new();
        let draws = 60_000_u32;
        for (a, b) in [(1, 1), (1, 5), (4, 2), (40, 60), (2, 1)] {
            let beta = Beta::new(f64::from(a), f64::from(b));
            let edges = [0.05, 0.2, 0.35, 0.42, 0.5, 0.6, 0.9];
            let mut counts = [0_u32; 7];
            for _ in 0..draws {
                let x = beta.draw(normals, &mut generator);
                assert!((0.0..=1.0).contains(&x));
                for (count, edge) in counts.iter_mut().zip(edges) {
                    *count += u32::from(x <= edge);
                }
            }
            for (count, edge) in counts.into_iter().zip(edges) {
                let (n, p) = (f64::from(draws), below(a, b, edge));
                let bound = 5.0 * (n * p * (1.0 - p)).sqrt() + 1.0;
                let off = f64::from(count) - n * p;
                assert!(
                    off.abs() < bound,
                    "Beta({a}, {b}) <= {edge}: {count}, {}",
                    n * p
                );
            }
        }
    }

    #[test]
    fn thompson_picks_by_the_probability_of_being_best() {
        // Two arms, Beta(2, 1) against Beta(1, 1): the first is the larger with probability 2/3.
        let mut generator = Generator::seed_from_u64(3);
        let mut thompson = Thompson::new(2);
        thompson.learn(1, true, 1.0);
        let picks = 60_000;
        let first = (0..picks)
            .filter(|_| thompson.pick(&mut generator) == 1)
            .count();
        let bound = 5.0 * (f64::from(picks) * 2.0 / 9.0).sqrt();
        assert!(
            (first as f64 - f64::from(picks) * 2.0 / 3.0).abs() < bound,
            "{first}"
        );
    }
}
