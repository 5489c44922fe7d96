//! Eight upper bounds as lines in s, and which leads for how long.

use crate::confidence::lanes::{LANES, bits_by_sum, bits_where, largest, rounding_margin};
use crate::plain;

/// Mean and width of eight opponents or of the leaders of eight groups: each bound is mean + s width. They stand side by
/// side, so that a pair is written and read in one piece: a vector read of two separate writes would wait for both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    pub(crate) pairs: [[f64; 2]; LANES],
}

plain!(Lines { pairs });

/// The leader of eight lines at some s.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineLeader {
    /// The leader's mean and width.
    pub(crate) line: [f64; 2],
    /// The places of those that are as high, as bits.
    pub(crate) at: u32,
    /// An s up to which they surely lead, alone and together.
    pub(crate) until: f64,
}

impl Lines {
    /// Empty places: their bounds are never the highest.
    pub(crate) const EMPTY: Self = Self { pairs: [[f64::NEG_INFINITY, 0.0]; LANES] };

    // Always, here and below: compiled for the instructions of the caller.
    #[inline(always)]
    pub(crate) fn bounds(&self, scale: f64) -> [f64; LANES] {
        self.pairs.map(|[mean, width]| mean + scale * width)
    }

    /// The highest bound of the places set in `admitted`; minus infinity if there are none.
    #[inline]
    pub(crate) fn top_of(&self, admitted: u32, scale: f64) -> f64 {
        let bounds = self.bounds(scale);
        largest(&std::array::from_fn(
            |place| if admitted >> place & 1 == 1 { bounds[place] } else { f64::NEG_INFINITY },
        ))
    }

    /// The places with the bound `top`, as bits.
    #[inline]
    pub(crate) fn at(&self, top: f64, scale: f64) -> u32 {
        let bounds = self.bounds(scale);
        bits_where(|place| bounds[place] == top)
    }

    /// The lead at `scale`. It lasts until the second would cross the leader if it were as wide as the widest. It ends at
    /// `scale` if it is not sure even now, or the leaders are not the same line.
    #[inline(always)]
    pub(crate) fn lead(&self, scale: f64) -> LineLeader {
        let bounds = self.bounds(scale);
        let top = largest(&bounds);
        let leading_lines = bits_by_sum(|place| bounds[place] == top);
        let line = self.pairs[leading_lines.trailing_zeros() as usize % LANES];
        let alike = |[mean, width]: [f64; 2]| mean == line[0] && width == line[1];
        let others: [f64; LANES] =
            std::array::from_fn(|place| if alike(self.pairs[place]) { f64::NEG_INFINITY } else { bounds[place] });
        let lead = top - largest(&others) - rounding_margin(scale);
        let steeper = largest(&self.pairs.map(|[_, width]| width)) - line[1];
        let (until, limit) = (scale + lead / steeper, 2.0 * scale + 1.0);
        let until = if until < limit { until } else { limit };
        LineLeader { line, at: leading_lines, until: if lead <= 0.0 { scale } else { until } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_lasts_until_it_may_be_crossed() {
        let mut lines = Lines::EMPTY;
        lines.pairs[2] = [1.0, 0.5];
        // No second: up to the limit.
        let lead = lines.lead(1.0);
        assert_eq!((lead.line, lead.at, lead.until), ([1.0, 0.5], 1 << 2, 3.0));
        // 0.5 + s meets 1 + s/2 at 1.
        lines.pairs[5] = [0.5, 1.0];
        let until = lines.lead(0.25).until;
        assert!(until < 1.0 && until > 1.0 - 1e-11, "{until}");
        // One that is as high and as steep shares the lead, one that only crosses it here does not.
        lines.pairs[6] = [1.0, 0.5];
        let lead = lines.lead(0.25);
        assert_eq!((lead.at, lead.until), (1 << 2 | 1 << 6, until));
        let lead = lines.lead(1.0);
        assert_eq!((lead.at, lead.until), (1 << 2 | 1 << 5 | 1 << 6, 1.0));
        assert_eq!((lines.at(1.5, 1.0), lines.top_of(1 << 4 | 1 << 5, 2.0)), (lead.at, 2.5));
    }
}
