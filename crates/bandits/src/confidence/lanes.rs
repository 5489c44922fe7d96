//! Eight upper bounds at a time.

use crate::state::plain;

/// The number of pairs handled together.
pub(crate) const LANES: usize = 8;

/// How some opponents j fare against an arm c: mean = w(j, c) / n and width = 1 / sqrt(n), so that
/// the upper bound of each is u(j, c) = mean + s width with s = sqrt(alpha ln t).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes {
    pub(crate) means: [f64; LANES],
    pub(crate) widths: [f64; LANES],
}

plain!(Lanes { means, widths });

impl Lanes {
    /// No opponents: bounds that never are the highest.
    pub(crate) const NOBODY: Self = Self { means: [f64::NEG_INFINITY; LANES], widths: [0.0; LANES] };

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

    /// The highest bound of the lanes whose bit is set in `admitted`; minus infinity if there are none.
    #[inline]
    pub(crate) fn top_of(&self, admitted: u32, scale: f64) -> f64 {
        let bounds = self.bounds(scale);
        largest(&std::array::from_fn(|lane| if admitted >> lane & 1 == 1 { bounds[lane] } else { f64::NEG_INFINITY }))
    }

    /// The lanes whose bound is `top`, as bits.
    #[inline]
    pub(crate) fn at(&self, top: f64, scale: f64) -> u32 {
        let bounds = self.bounds(scale);
        bits_where(|lane| bounds[lane] == top)
    }

    /// An s up to which the lanes `at` the top at `scale` surely have it alone, and are alike: no sooner
    /// is the second crossing them, were it as wide as the widest. `scale`, where that is not sure.
    #[inline]
    pub(crate) fn led_by(&self, at: u32, scale: f64) -> f64 {
        let leader = at.trailing_zeros() as usize % LANES;
        let (mean, width) = (self.means[leader], self.widths[leader]);
        let alike = bits_where(|lane| self.means[lane] == mean) & bits_where(|lane| self.widths[lane] == width);
        let bounds = self.bounds(scale);
        let second: [f64; LANES] =
            std::array::from_fn(|lane| if bounds[lane] == bounds[leader] { f64::NEG_INFINITY } else { bounds[lane] });
        let limit = 2.0 * scale + 1.0;
        let lead = bounds[leader] - largest(&second) - margin(scale);
        let steeper = largest(&self.widths) - width;
        if lead <= 0.0 || alike & at != at {
            return scale;
        }
        let until = scale + lead / steeper;
        if until < limit { until } else { limit }
    }
}

/// More than what rounding takes from the lead of one bound over another, up to twice `scale` and 1.
#[inline]
pub(crate) fn margin(scale: f64) -> f64 {
    1e-12 * (1.0 + scale)
}

/// A bit for each lane that is as asked: a mask for each, joined in pairs, as vectors do it.
#[inline]
pub(crate) fn bits_where(is: impl Fn(usize) -> bool) -> u32 {
    let each: [u64; LANES] = std::array::from_fn(|lane| if is(lane) { 1 << lane } else { 0 });
    let four: [u64; 4] = std::array::from_fn(|lane| each[lane] | each[lane + 4]);
    ((four[0] | four[2]) | (four[1] | four[3])) as u32
}

/// Without a branch: which lane leads cannot be predicted.
#[inline]
pub(crate) fn largest(values: &[f64; LANES]) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let four: [f64; 4] = std::array::from_fn(|lane| larger(values[lane], values[lane + 4]));
    larger(larger(four[0], four[2]), larger(four[1], four[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_and_where_they_are() {
        let mut lanes = Lanes::NOBODY;
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
    fn a_lead_lasts_until_it_may_be_crossed() {
        let mut lanes = Lanes::NOBODY;
        (lanes.means[2], lanes.widths[2]) = (1.0, 0.5);
        // No second: up to the limit.
        assert_eq!(lanes.led_by(1 << 2, 1.0), 3.0);
        // 0.5 + s meets 1 + s/2 at 1.
        (lanes.means[5], lanes.widths[5]) = (0.5, 1.0);
        let until = lanes.led_by(1 << 2, 0.25);
        assert!(until < 1.0 && until > 1.0 - 1e-11, "{until}");
        // One that is as high and as steep shares the lead, one that only crosses it here does not.
        (lanes.means[6], lanes.widths[6]) = (1.0, 0.5);
        assert_eq!(lanes.led_by(1 << 2 | 1 << 6, 0.25), until);
        assert_eq!(lanes.led_by(1 << 2 | 1 << 5 | 1 << 6, 1.0), 1.0);
    }
}
