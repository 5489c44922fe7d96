//! The range of an axis, and the positions and labels of its ticks.

/// A logarithmic axis does not show values at or below this.
pub(crate) const LOG_FLOOR: f64 = 1e-9;

/// An axis: its range, and the scheme of its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    pub(crate) scheme: TickScheme,
}

/// Where an axis has ticks, and which of them are labelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TickScheme {
    /// A tick at every multiple of `step`.
    Linear { step: f64 },
    /// Logarithmic, with ticks at 1, 2 and 5 times each power of ten; labels, as plain numbers, at the multiples in `of`.
    ShortLog { of: &'static [u8] },
    /// The same ticks; labels like `10⁵` at every `every`th power of ten.
    ShortPowers { every: i32 },
    /// Logarithmic, with ticks at each power of ten; every `every`th is labelled.
    LongLog { every: i32 },
}

impl Axis {
    /// A linear axis that contains zero and all `values`, which are finite. `whole` widens its range to whole steps.
    pub(crate) fn linear(values: impl IntoIterator<Item = f64>, whole: bool) -> Self {
        let (lo, hi) = values.into_iter().fold((0.0_f64, 0.0_f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        // A shorter range would leave no room for steps between its ends.
        let hi = if hi - lo > 1e-100 { hi } else { lo + 1.0 };
        let step = nice_step((hi - lo) / 6.0);
        let (lo, hi) = if whole { ((lo / step).floor() * step, (hi / step).ceil() * step) } else { (lo, hi) };
        Self { lo, hi, scheme: TickScheme::Linear { step } }
    }

    /// A linear axis from a round number below the least of `values`, which are finite, to one above the greatest.
    pub(crate) fn close(values: impl IntoIterator<Item = f64>) -> Self {
        let (lo, hi) =
            values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if hi - lo <= 1e-9 * hi.abs().max(lo.abs()) {
            return Self::linear([lo, hi], false);
        }
        let step = nice_step((hi - lo) / 6.0);
        Self { lo: (lo / step).floor() * step, hi: (hi / step).ceil() * step, scheme: TickScheme::Linear { step } }
    }

    /// A logarithmic axis that contains the `values` above [`LOG_FLOOR`]. Its range ends at the values, or, if `whole` or
    /// if it would be shorter than a decade, at the powers of ten around them; a single power of ten gets a decade on
    /// either side.
    pub(crate) fn log(values: impl IntoIterator<Item = f64>, whole: bool) -> Self {
        let (lo, hi) = values
            .into_iter()
            .filter(|&v| v > LOG_FLOOR)
            .fold((f64::INFINITY, 0.0_f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (lo, hi) = if lo > hi { (1.0, 10.0) } else { (lo, hi) };
        let (mut below, mut above) = (lo.log10().floor(), hi.log10().ceil());
        if below == above {
            (below, above) = (below - 1.0, above + 1.0);
        }
        let (lo, hi) = if whole || hi < 10.0 * lo { (power_of_ten(below), power_of_ten(above)) } else { (lo, hi) };
        let decades = (hi.log10().ceil() - lo.log10().floor()) as i32;
        let scheme = if decades <= 3 {
            TickScheme::ShortLog { of: &[1, 2, 5] }
        } else {
            TickScheme::LongLog { every: (decades + 9) / 10 }
        };
        Self { lo, hi, scheme }
    }

    pub(crate) fn is_log(&self) -> bool {
        !matches!(self.scheme, TickScheme::Linear { .. })
    }

    /// How far `value` is along the axis: from 0 to 1 within its range.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if self.is_log() {
            let value = value.max(f64::MIN_POSITIVE);
            (value / self.lo).log10() / (self.hi / self.lo).log10()
        } else {
            (value - self.lo) / (self.hi - self.lo)
        }
    }

    /// The label of the tick at `value`; empty if the tick has none.
    pub(crate) fn label(&self, value: f64) -> String {
        match self.scheme {
            TickScheme::Linear { step } => {
                let value = (value / step).round() * step;
                format_tick(value, decimals(step), self.lo.abs().max(self.hi.abs()))
            }
            TickScheme::ShortLog { of } if !of.contains(&leading_digit(value)) => String::new(),
            TickScheme::ShortPowers { .. } if leading_digit(value) != 1 => String::new(),
            TickScheme::ShortLog { .. } => {
                let digits = (-value.log10().floor()).max(0.0) as usize;
                format_tick(value, digits, self.hi)
            }
            TickScheme::LongLog { every } | TickScheme::ShortPowers { every } => {
                let exponent = value.log10().round() as i32;
                if exponent.rem_euclid(every) == 0 { format!("10{}", superscript(exponent)) } else { String::new() }
            }
        }
    }

    /// Unlabelled ticks between the powers of ten of a long logarithmic axis.
    pub(crate) fn minor_ticks(&self) -> Vec<f64> {
        if self.scheme != (TickScheme::LongLog { every: 1 }) {
            return Vec::new();
        }
        let first = self.lo.log10().floor() as i32;
        let last = self.hi.log10().ceil() as i32;
        (first..last)
            .flat_map(|e| (2..10).map(move |m| f64::from(m) * power_of_ten(f64::from(e))))
            .filter(|&v| v > self.lo && v < self.hi)
            .collect()
    }

    /// The labels of all ticks.
    pub(crate) fn labels(&self) -> Vec<String> {
        self.ticks().into_iter().map(|value| self.label(value)).collect()
    }

    /// The values at which it has ticks.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        match self.scheme {
            TickScheme::Linear { step } => {
                let (first, last) = ((self.lo / step).ceil() as i64, (self.hi / step).floor() as i64);
                (first..=last).map(|k| k as f64 * step).collect()
            }
            scheme => {
                let mantissas: &[f64] =
                    if matches!(scheme, TickScheme::LongLog { .. }) { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let first = self.lo.log10().floor() as i32;
                let last = self.hi.log10().ceil() as i32;
                (first..=last)
                    .flat_map(|e| mantissas.iter().map(move |m| m * power_of_ten(f64::from(e))))
                    .filter(|&v| v >= self.lo && v <= self.hi)
                    .collect()
            }
        }
    }

    /// The labels of an axis of `room` units, each with the position of its middle.
    fn placed(&self, room: f64) -> Vec<(f64, String)> {
        let place = |value: f64| room * self.share(value);
        let labels = self.ticks().into_iter().map(|value| (place(value), self.label(value)));
        labels.filter(|(_, label)| !label.is_empty()).collect()
    }

    /// Whether the labels fit on `room` units with distances of at least `gap`; `length` returns the length of a label.
    fn has_room(&self, room: f64, length: &impl Fn(&str) -> f64, gap: f64) -> bool {
        let placed = self.placed(room);
        placed.windows(2).all(|pair| {
            let [(before, one), (after, other)] = pair else { return true };
            after - before >= (length(one) + length(other)) / 2.0 + gap
        })
    }

    /// How far the labels of this axis, fitted to `room` units, extend beyond its start and end.
    pub(crate) fn overhang(&self, room: f64, length: impl Fn(&str) -> f64) -> [f64; 2] {
        let placed = self.placed(room);
        let beyond = |sign: f64, end: f64| {
            let ends = placed.iter().map(|(middle, label)| sign * (middle - end) + length(label) / 2.0);
            ends.fold(0.0, f64::max)
        };
        [beyond(-1.0, 0.0), beyond(1.0, room)]
    }

    /// This axis with as many labels as fit on `room` units with distances of at least `gap`; `length` returns the length
    /// of a label.
    pub(crate) fn fitted(self, room: f64, length: impl Fn(&str) -> f64, gap: f64) -> Self {
        // Every f64 range spans fewer decades than this, so a sparse enough labelling always fits.
        const MAX_EXPONENT: i32 = 700;
        let with = |scheme| Self { scheme, ..self.clone() };
        let fits = |axis: &Self| axis.has_room(room, &length, gap);
        let ticks = match self.scheme {
            TickScheme::Linear { step } => {
                let steps = std::iter::successors(Some(step), |step| Some(nice_step(1.01 * step)));
                steps.take(40).map(|step| with(TickScheme::Linear { step })).find(fits)
            }
            TickScheme::LongLog { every } => {
                (every..MAX_EXPONENT).map(|every| with(TickScheme::LongLog { every })).find(fits)
            }
            TickScheme::ShortLog { .. } | TickScheme::ShortPowers { .. } => {
                let plain: [&[u8]; 4] = [&[1, 2, 5], &[1], &[2], &[5]];
                let plain = plain.into_iter().map(|of| with(TickScheme::ShortLog { of }));
                // A single label would not show the scale.
                let mut informative = plain.filter(|axis| axis.placed(room).len() > 1);
                informative
                    .find(fits)
                    .or_else(|| (1..MAX_EXPONENT).map(|every| with(TickScheme::ShortPowers { every })).find(fits))
            }
        };
        ticks.unwrap_or(self)
    }
}

/// The digit of a number that is a digit times a power of ten.
fn leading_digit(value: f64) -> u8 {
    let share = value / power_of_ten((value.log10() + 1e-9).floor());
    share.round() as u8
}

fn power_of_ten(exponent: f64) -> f64 {
    // `powi` divides for negative exponents, and its result may not be the nearest number.
    format!("1e{}", exponent as i32).parse().unwrap_or(1.0)
}

/// The smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is at least `least`.
pub(crate) fn nice_step(least: f64) -> f64 {
    let base = power_of_ten(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|m| m * base)
        .find(|&step| step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * base)
}

/// The number of decimals that the multiples of `step` need.
fn decimals(step: f64) -> usize {
    (0..12)
        .find(|&d| {
            let scaled = step * power_of_ten(f64::from(d));
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        })
        .unwrap_or(12) as usize
}

/// `value` with thousands separators (`150,000`), or like `2.5×10⁸` on an axis with a largest value of at least ten
/// million or below a thousandth.
fn format_tick(value: f64, decimals: usize, largest: f64) -> String {
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
    fn linear_axes_contain_zero_and_whole_steps() {
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
        assert_eq!(long.minor_ticks().len(), 48);
        let short = Axis::log([100.0, 5_000.0], false);
        assert_eq!(short.scheme, TickScheme::ShortLog { of: &[1, 2, 5] });
        assert_eq!(short.labels(), ["100", "200", "500", "1,000", "2,000", "5,000"]);
        assert_eq!(Axis::log([0.01, 1.0], false).label(0.02), "0.02");
        let huge = Axis::log([1e-8, 1e20], true);
        assert_eq!(huge.scheme, TickScheme::LongLog { every: 3 });
        assert_eq!((huge.label(1e-9).as_str(), huge.label(1e-8).as_str()), ("10⁻⁹", ""));
    }

    #[test]
    fn log_axes_of_few_or_no_values_still_span_a_decade() {
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
    fn labels_do_not_overlap_at_any_width() {
        use crate::page::text_width;
        const SIZE: u32 = 14;
        let axes = [
            Axis::log([100.0, 1e5], false),
            Axis::log([2_000.0, 50_000.0], false),
            Axis::log([0.01, 1.0], false),
            Axis::log([3.0, 7.0], false),
            Axis::log([1.0, 1e9], false),
            Axis::log([1e-8, 1e20], true),
            Axis::linear([0.0, 1e6], false),
            Axis::linear([0.0, 2.5e8], false),
            Axis::linear([-0.3, 0.2], true),
            Axis::linear([0.0, 136.0], false),
        ];
        for axis in axes {
            let mut before = 0;
            for room in [10.0, 40.0, 90.0, 150.0, 200.0, 280.0, 400.0, 600.0, 1000.0] {
                let gap = 0.5 * f64::from(SIZE);
                let fitted = axis.clone().fitted(room, |label| text_width(label, SIZE), gap);
                assert_eq!((fitted.lo, fitted.hi), (axis.lo, axis.hi));
                let placed = fitted.placed(room);
                let mut end = f64::NEG_INFINITY;
                for (middle, label) in &placed {
                    let half = text_width(label, SIZE) / 2.0;
                    assert!(middle - half >= end + gap - 1e-9, "{axis:?} in {room}: {placed:?}");
                    end = middle + half;
                }
                assert!(!placed.is_empty() || axis.lo > 0.0, "{axis:?} in {room}");
                // Powers of ten are narrower than plain numbers, so slightly more room can give fewer labels.
                assert!(placed.len() + 2 >= before, "{axis:?} in {room}: {placed:?}");
                before = placed.len();
            }
            assert!(before >= 2, "{axis:?}");
        }
    }

    #[test]
    fn sparse_labels_are_round_numbers() {
        let labels = |axis: Axis, room: f64| -> Vec<String> {
            let fitted = axis.fitted(room, |label| 8.0 * label.chars().count() as f64, 7.0);
            fitted.placed(room).into_iter().map(|(_, label)| label).collect()
        };
        let horizons = || Axis::log([100.0, 1e5], false);
        assert_eq!(labels(horizons(), 1_000.0).len(), 10);
        assert_eq!(labels(horizons(), 250.0), ["100", "1,000", "10,000", "100,000"]);
        assert_eq!(labels(horizons(), 120.0), ["10²", "10³", "10⁴", "10⁵"]);
        assert_eq!(labels(Axis::log([2_000.0, 50_000.0], false), 120.0), ["2,000", "20,000"]);
        assert_eq!(labels(Axis::linear([0.0, 1e6], false), 250.0), ["0", "500,000", "1,000,000"]);
    }

    #[test]
    fn labels_extend_beyond_the_ends() {
        let length = |label: &str| 10.0 * label.chars().count() as f64;
        // The label 0 is 10 units long, and 100 is 30.
        assert_eq!(Axis::linear([0.0, 100.0], false).overhang(1_000.0, length), [5.0, 15.0]);
        assert_eq!(Axis::linear([0.0, 110.0], false).overhang(1_100.0, length), [5.0, 0.0]);
    }

    #[test]
    fn steps_are_nice() {
        for (least, step) in [(1.0, 1.0), (1.2, 2.0), (2.2, 2.5), (3.0, 5.0), (0.07, 0.1), (600.0, 1000.0)] {
            assert!((nice_step(least) / step - 1.0_f64).abs() < 1e-12, "{least}");
        }
    }
}
