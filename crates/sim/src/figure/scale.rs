//! The span of an axis, where its ticks fall and how they read. Knows no plotting library.

/// On a logarithmic axis a value at or below this is not shown.
pub(super) const LOG_FLOOR: f64 = 1e-9;

/// One axis: its span, and either the distance of its ticks or that it is logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A tick at every multiple of `step`.
    Linear { step: f64 },
    /// Ticks at 1, 2 and 5 times each power of ten, read as plain numbers.
    ShortLog,
    /// Ticks at each power of ten; every `every`th is labelled.
    LongLog { every: i32 },
}

impl Axis {
    /// The span of `values` (finite) on a linear axis, and zero. `whole` widens it to whole steps.
    pub(super) fn linear(values: impl IntoIterator<Item = f64>, whole: bool) -> Self {
        let (lo, hi) = values.into_iter().fold((0.0_f64, 0.0_f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        // A shorter span would leave no room for steps between its ends.
        let hi = if hi - lo > 1e-100 { hi } else { lo + 1.0 };
        let step = nice_step((hi - lo) / 6.0);
        let (lo, hi) = if whole { ((lo / step).floor() * step, (hi / step).ceil() * step) } else { (lo, hi) };
        Self { lo, hi, kind: Kind::Linear { step } }
    }

    /// The span of those `values` that lie above [`LOG_FLOOR`]. It begins and ends with the
    /// values, or at the powers of ten around them when `whole` or when it would be under a
    /// decade long; a single power of ten gets a decade on either side.
    pub(super) fn log(values: impl IntoIterator<Item = f64>, whole: bool) -> Self {
        let (lo, hi) = values
            .into_iter()
            .filter(|&v| v > LOG_FLOOR)
            .fold((f64::INFINITY, 0.0_f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (lo, hi) = if lo > hi { (1.0, 10.0) } else { (lo, hi) };
        let (mut below, mut above) = (lo.log10().floor(), hi.log10().ceil());
        if below == above {
            (below, above) = (below - 1.0, above + 1.0);
        }
        let (lo, hi) = if whole || hi < 10.0 * lo { (power(below), power(above)) } else { (lo, hi) };
        // The bounds of the library's choice between the two: it counts touched decades.
        let decades = (hi.log10().ceil() - lo.log10().floor()) as i32;
        let kind = if decades <= 3 { Kind::ShortLog } else { Kind::LongLog { every: (decades + 9) / 10 } };
        Self { lo, hi, kind }
    }

    pub(super) fn is_log(&self) -> bool {
        !matches!(self.kind, Kind::Linear { .. })
    }

    /// How the tick at `value` reads; empty when the tick goes without.
    pub(super) fn label(&self, value: f64) -> String {
        match self.kind {
            Kind::Linear { step } => {
                let value = (value / step).round() * step;
                number(value, decimals(step), self.lo.abs().max(self.hi.abs()))
            }
            Kind::ShortLog => {
                let digits = (-value.log10().floor()).max(0.0) as usize;
                number(value, digits, self.hi)
            }
            Kind::LongLog { every } => {
                let exponent = value.log10().round() as i32;
                if exponent.rem_euclid(every) == 0 { format!("10{}", superscript(exponent)) } else { String::new() }
            }
        }
    }

    /// Ticks between the powers of ten of a long logarithmic axis, without labels.
    pub(super) fn minor(&self) -> Vec<f64> {
        if self.kind != (Kind::LongLog { every: 1 }) {
            return Vec::new();
        }
        let first = self.lo.log10().floor() as i32;
        let last = self.hi.log10().ceil() as i32;
        (first..last)
            .flat_map(|e| (2..10).map(move |m| f64::from(m) * power(f64::from(e))))
            .filter(|&v| v > self.lo && v < self.hi)
            .collect()
    }

    /// Every label that the library may draw on this axis, to make room for the widest.
    pub(super) fn labels(&self) -> Vec<String> {
        let ends = |step: f64| ((self.lo / step).ceil() as i64, (self.hi / step).floor() as i64);
        match self.kind {
            Kind::Linear { step } => {
                let (first, last) = ends(step);
                (first..=last).map(|k| self.label(k as f64 * step)).collect()
            }
            _ => {
                let first = self.lo.log10().floor() as i32;
                let last = self.hi.log10().ceil() as i32;
                (first..=last)
                    .flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * power(f64::from(e))))
                    .filter(|&v| v >= self.lo && v <= self.hi)
                    .map(|v| self.label(v))
                    .collect()
            }
        }
    }
}

fn power(exponent: f64) -> f64 {
    // `powi` with a negative exponent divides and may miss the nearest number.
    format!("1e{}", exponent as i32).parse().unwrap_or(1.0)
}

/// The least of 1, 2, 2.5, 5 and 10 times a power of ten that is not below `least`.
pub(super) fn nice_step(least: f64) -> f64 {
    let base = power(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|m| m * base)
        .find(|&step| step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * base)
}

/// How many decimals the multiples of `step` need.
fn decimals(step: f64) -> usize {
    (0..12)
        .find(|&d| {
            let scaled = step * power(f64::from(d));
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(12) as usize
}

/// `value` with thousands set apart (`150,000`), or as `2.5×10⁸` on an axis that reaches beyond
/// ten million or stays below a thousandth.
fn number(value: f64, decimals: usize, largest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e7).contains(&largest) {
        let written = format!("{value:.3e}");
        let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        let exponent = exponent.parse().unwrap_or(0);
        return format!("{mantissa}×10{}", superscript(exponent));
    }
    let written = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = match written.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (written.as_str(), None),
    };
    let mut text = String::from(if value < 0.0 { "−" } else { "" });
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32('⁴' as u32 + (digit as u32 - '4' as u32)).unwrap_or(digit),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_axes_hold_zero_and_whole_steps() {
        let axis = Axis::linear([3.0, 139_000.0], true);
        assert_eq!((axis.lo, axis.hi), (0.0, 150_000.0));
        assert_eq!(axis.labels()[..2], ["0", "25,000"]);
        assert_eq!(axis.labels().last().unwrap(), "150,000");
        let axis = Axis::linear([-0.3, 0.2], true);
        assert_eq!(axis.labels(), ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2"]);
        assert_eq!(Axis::linear([0.0, 0.0], true).hi, 1.0);
        assert_eq!(Axis::linear([], true).hi, 1.0);
        assert_eq!(Axis::linear([5e8], true).labels()[1], "1×10⁸");
        assert_eq!(Axis::linear([5e-7], true).labels()[1], "1×10⁻⁷");
    }

    #[test]
    fn log_axes_choose_powers_or_plain_numbers() {
        let long = Axis::log([1.0, 1e6, 0.0, -3.0], false);
        assert_eq!((long.lo, long.hi), (1.0, 1e6));
        assert_eq!(long.label(1e6), "10⁶");
        assert_eq!(long.label(1.0), "10⁰");
        assert_eq!(long.minor().len(), 48);
        let short = Axis::log([100.0, 5_000.0], false);
        assert_eq!(short.kind, Kind::ShortLog);
        assert_eq!(short.labels(), ["100", "200", "500", "1,000", "2,000", "5,000"]);
        assert_eq!(Axis::log([0.01, 1.0], false).label(0.02), "0.02");
        let huge = Axis::log([1e-8, 1e20], true);
        assert_eq!(huge.kind, Kind::LongLog { every: 3 });
        assert_eq!((huge.label(1e-9).as_str(), huge.label(1e-8).as_str()), ("10⁻⁹", ""));
    }

    #[test]
    fn log_axes_of_next_to_nothing_still_span_a_decade() {
        for (values, span) in
            [(&[][..], (1.0, 10.0)), (&[0.0, -1.0], (1.0, 10.0)), (&[1.0], (0.1, 10.0)), (&[2.0], (1.0, 10.0))]
        {
            let axis = Axis::log(values.iter().copied(), false);
            assert_eq!((axis.lo, axis.hi), span, "{values:?}");
        }
        let axis = Axis::log([3.0, 7.0], false);
        assert_eq!((axis.lo, axis.hi), (1.0, 10.0));
        let axis = Axis::log([30.0, 700.0], true);
        assert_eq!((axis.lo, axis.hi), (10.0, 1000.0));
    }

    #[test]
    fn steps_are_nice() {
        for (least, step) in [(1.0, 1.0), (1.2, 2.0), (2.2, 2.5), (3.0, 5.0), (0.07, 0.1), (600.0, 1000.0)] {
            assert!((nice_step(least) / step - 1.0_f64).abs() < 1e-12, "{least}");
        }
    }
}
