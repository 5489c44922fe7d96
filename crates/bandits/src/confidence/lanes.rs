//! Eight upper bounds at a time.
use crate::plain;

/// The number of pairs handled together.
pub(crate) const LANES: usize = 8;

/// Half of them, enough if the others are empty.
pub(crate) const HALF_LANES: usize = LANES / 2;

/// How some opponents j fare against an arm c: mean = w(j, c) / n and width = 1 / sqrt(n), so that
/// the upper bound of each is u(j, c) = mean + s width with s = sqrt(alpha ln t).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes {
    pub(crate) means: [f64; LANES],
    pub(crate) widths: [f64; LANES],
}

plain!(Lanes { means, widths });

impl Lanes {
    /// Empty lanes: their bounds are never the highest.
    pub(crate) const EMPTY: Self = Self { means: [f64::NEG_INFINITY; LANES], widths: [0.0; LANES] };

    #[inline]
    fn bounds(&self, scale: f64) -> [f64; LANES] {
        let mut bounds = self.means;
        for (bound, width) in bounds.iter_mut().zip(&self.widths) {
            *bound += scale * width;
        }
        bounds
    }

    /// The highest bound.
    #[inline]
    pub(crate) fn top(&self, scale: f64) -> f64 {
        largest(&self.bounds(scale))
    }

    /// The lanes with the highest bound, as bits, if all lanes past the first [`HALF_LANES`] are empty.
    #[inline]
    pub(crate) fn tied_in_half(&self, scale: f64) -> u32 {
        let bounds: [f64; HALF_LANES] = std::array::from_fn(|lane| self.means[lane] + scale * self.widths[lane]);
        let top = larger(larger(bounds[0], bounds[2]), larger(bounds[1], bounds[3]));
        let each: [u64; HALF_LANES] = std::array::from_fn(|lane| if bounds[lane] == top { 1 << lane } else { 0 });
        ((each[0] | each[2]) | (each[1] | each[3])) as u32
    }

    /// The lanes with the bound `top`, as bits.
    #[inline]
    pub(crate) fn at(&self, top: f64, scale: f64) -> u32 {
        let bounds = self.bounds(scale);
        bits_where(|lane| bounds[lane] == top)
    }
}

/// More than what rounding takes from the lead of one bound over another, up to twice `scale` and 1.
#[inline]
pub(crate) fn rounding_margin(scale: f64) -> f64 {
    1e-12 * (1.0 + scale)
}

/// A bit for each lane that satisfies `is`: one mask per lane, joined in pairs, as vectors do it.
#[inline(always)]
pub(crate) fn bits_where(is: impl Fn(usize) -> bool) -> u32 {
    let each: [u64; LANES] = std::array::from_fn(|lane| if is(lane) { 1 << lane } else { 0 });
    let four: [u64; 4] = std::array::from_fn(|lane| each[lane] | each[lane + 4]);
    ((four[0] | four[2]) | (four[1] | four[3])) as u32
}

/// A bit for each lane that satisfies `is`. Powers of two are added up, as vectors do it: the compiler would take sums of
/// whole numbers apart.
#[inline(always)]
pub(crate) fn bits_by_sum(is: impl Fn(usize) -> bool) -> u32 {
    let each: [f64; LANES] = std::array::from_fn(|lane| if is(lane) { f64::from(1_u32 << lane) } else { 0.0 });
    let four: [f64; 4] = std::array::from_fn(|lane| each[lane] + each[lane + 4]);
    let sum = (four[0] + four[2]) + (four[1] + four[3]);
    // Added to 2^52 it stands in the lowest bits.
    (sum + 2_f64.powi(52)).to_bits() as u32
}

/// Without a branch: which of the two it is cannot be predicted.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The largest of all lanes.
#[inline(always)]
pub(crate) fn largest(values: &[f64; LANES]) -> f64 {
    let four: [f64; 4] = std::array::from_fn(|lane| larger(values[lane], values[lane + 4]));
    larger(larger(four[0], four[2]), larger(four[1], four[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_and_where_they_are() {
        let mut lanes = Lanes::EMPTY;
        assert_eq!(lanes.top(3.0), f64::NEG_INFINITY);
        for (lane, mean, width) in [(1, 0.5, 0.25), (4, 0.75, 0.125), (7, 0.25, 0.5)] {
            lanes.means[lane] = mean;
            lanes.widths[lane] = width;
        }
        assert_eq!((lanes.top(0.0), lanes.at(0.75, 0.0)), (0.75, 1 << 4));
        assert_eq!((lanes.top(4.0), lanes.at(2.25, 4.0)), (2.25, 1 << 7));
        // Twice the same bound: 0.5 + 2/4 and 0.75 + 2/8.
        assert_eq!(lanes.at(1.0, 2.0), 1 << 1 | 1 << 4);
    }

    #[test]
    fn half_the_lanes_are_enough_if_the_others_are_empty() {
        let mut lanes = Lanes::EMPTY;
        for (lane, mean, width) in [(0, 0.5, 0.25), (1, 0.75, 0.125), (3, 0.5, 0.25)] {
            (lanes.means[lane], lanes.widths[lane]) = (mean, width);
            for scale in [0.0, 1.0, 2.0, 3.0] {
                assert_eq!(lanes.tied_in_half(scale), lanes.at(lanes.top(scale), scale));
            }
        }
        assert_eq!(lanes.tied_in_half(2.0), 0b1011);
    }
}
