//! Beta draws.
//!
//! Beta(a, b) is x / (x + y) for Gamma draws x and y of shapes a and b, each one normal draw cubed
//! and seldom refused: G. Marsaglia, W. W. Tsang, "A Simple Method for Generating Gamma
//! Variables", ACM TOMS 26(3), 2000, <https://doi.org/10.1145/358407.358414>.

use super::{Normals, positive_unit};
use crate::Generator;
use crate::plain;

/// Gamma of a shape of at least 1, its constants at hand.
#[derive(Debug, Clone, Copy)]
struct Gamma {
    d: f64,
    c: f64,
}

plain!(Gamma { d, c });

impl Gamma {
    #[inline]
    fn new(shape: f64) -> Self {
        debug_assert!(shape >= 1.0);
        let d = shape - 1.0 / 3.0;
        Self { d, c: 1.0 / (9.0 * d).sqrt() }
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
            if u < 1.0 - 0.0331 * x2 * x2 || libm::log(u) < 0.5 * x2 + self.d * (1.0 - v + libm::log(v)) {
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

plain!(Beta { a, b });

impl Beta {
    #[inline]
    pub(crate) fn new(a: f64, b: f64) -> Self {
        Self { a: Gamma::new(a), b: Gamma::new(b) }
    }

    #[inline]
    pub(crate) fn draw(self, normals: Normals, generator: &mut Generator) -> f64 {
        let x = self.a.draw(normals, generator);
        let y = self.b.draw(normals, generator);
        x / (x + y)
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
        assert_eq!(drawn, ["0.995764735991", "0.159642475792", "0.950405681035", "0.032630643747"]);
    }

    /// P(Beta(a, b) <= x) for integers a and b: P(Bin(a + b - 1, x) >= a).
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
                assert!(off.abs() < bound, "Beta({a}, {b}) <= {edge}: {count}, {}", n * p);
            }
        }
    }
}
