//! A column to be packed, and the power of ten that its values share.

use crate::decimal::{Decimal, MANTISSA_LIMIT, POW10};

/// A column to be packed, with a summary for packing that the pass that fills it gathers.
#[derive(Debug, Default)]
pub(crate) struct Column {
    /// Value `i` is `mantissas[i] × 10^-scales[i]`.
    mantissas: Vec<i64>,
    scales: Vec<i16>,
    summary: Summary,
}

impl Column {
    pub(crate) fn clear(&mut self) {
        self.mantissas.clear();
        self.scales.clear();
        self.summary = Summary::default();
    }

    pub(crate) fn push(&mut self, value: Decimal) {
        self.mantissas.push(value.mantissa);
        self.scales.push(value.scale);
        self.summary.add(value);
    }

    /// Changes the length to `len`, at least the present one; new values are 0.
    pub(crate) fn resize(&mut self, len: usize) {
        if len > self.mantissas.len() {
            self.summary.add(Decimal::ZERO);
        }
        self.mantissas.resize(len, 0);
        self.scales.resize(len, 0);
    }

    /// Replaces the values by `values`.
    #[inline]
    pub(crate) fn fill(&mut self, values: impl ExactSizeIterator<Item = Decimal>) {
        self.mantissas.resize(values.len(), 0);
        self.scales.resize(values.len(), 0);
        let mut summary = Summary::default();
        for ((mantissa, scale), value) in self.mantissas.iter_mut().zip(&mut self.scales).zip(values) {
            (*mantissa, *scale) = (value.mantissa, value.scale);
            summary.add(value);
        }
        self.summary = summary;
    }

    /// Replaces the values by `len` values: those of `rows`, which are distinct, and 0 elsewhere.
    #[inline]
    pub(crate) fn scatter(&mut self, len: usize, rows: impl ExactSizeIterator<Item = (usize, Decimal)>) {
        self.clear();
        self.mantissas.resize(len, 0);
        self.scales.resize(len, 0);
        let mut summary = Summary::default();
        if rows.len() < len {
            summary.add(Decimal::ZERO);
        }
        for (row, value) in rows {
            (self.mantissas[row], self.scales[row]) = (value.mantissa, value.scale);
            summary.add(value);
        }
        self.summary = summary;
    }

    /// The mantissas: the values themselves times a power of ten, once they are aligned.
    pub(super) fn mantissas(&self) -> &[i64] {
        &self.mantissas
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Decimal> {
        let pairs = self.mantissas.iter().zip(&self.scales);
        pairs.map(|(&mantissa, &scale)| Decimal { mantissa, scale })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.summary.bits == 0
    }

    /// Rescales the mantissas to one power of ten, the largest under which they are integers; `None`, with the values
    /// unchanged, if that takes more than 18 digits. At least one value must not be 0.
    pub(super) fn align(&mut self) -> Option<Alignment> {
        let (mut least, mut most) = self.scale_range();
        if least != most {
            if !self.summary.fits(least, most) && !self.fits(most) {
                // Perhaps only because of trailing zeros: "1000000.000000" beside "0.00000000000001".
                for (mantissa, scale) in self.mantissas.iter_mut().zip(&mut self.scales) {
                    let stripped = Decimal { mantissa: *mantissa, scale: *scale }.stripped();
                    (*mantissa, *scale) = (stripped.mantissa, stripped.scale);
                }
                self.summary = Summary::default();
                for (&mantissa, &scale) in self.mantissas.iter().zip(&self.scales) {
                    self.summary.add(Decimal { mantissa, scale });
                }
                (least, most) = self.scale_range();
                if !self.fits(most) {
                    return None;
                }
            }
            if least != most {
                self.rescale(most);
            }
        }
        let Summary { min, max, bits, .. } = self.summary;
        let zeros = common_zeros(&self.mantissas, bits);
        if zeros > 0 {
            self.mantissas.iter_mut().for_each(|mantissa| *mantissa /= POW10[zeros]);
        }
        let (min, max) = (min / POW10[zeros], max / POW10[zeros]);
        Some(Alignment { scale: most - zeros as i16, min, max })
    }

    /// Multiplies every mantissa by the power of ten that `scale` takes.
    fn rescale(&mut self, scale: i16) {
        let mut summary = Summary::default();
        for (mantissa, &own) in self.mantissas.iter_mut().zip(&self.scales) {
            // Zeros may have any scale and stay zero.
            *mantissa *= POW10[usize::from((scale - own) as u16).min(18)];
            summary.add(Decimal { mantissa: *mantissa, scale });
        }
        self.summary = summary;
    }

    /// The least and the largest scale of the values that are not 0.
    fn scale_range(&self) -> (i16, i16) {
        let Summary { scales, any_scale, .. } = self.summary;
        if usize::from(any_scale as u16) < Summary::SCALES {
            return (scales.trailing_zeros() as i16, 63 - scales.leading_zeros() as i16);
        }
        let scales = || self.values().filter(|value| value.mantissa != 0).map(|value| value.scale);
        scales().min().zip(scales().max()).expect("a value is not 0")
    }

    /// Whether every mantissa stays within 18 digits at the common scale `scale`.
    #[cold]
    fn fits(&self, scale: i16) -> bool {
        self.values().all(|value| {
            let power = || POW10.get((scale - value.scale) as usize);
            let limit = || power().map(|power| (MANTISSA_LIMIT / power) as u64);
            value.mantissa == 0 || limit().is_some_and(|limit| value.mantissa.unsigned_abs() < limit)
        })
    }
}

/// Properties of all mantissas of an aligned column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Alignment {
    /// The value of a mantissa `m` is `m × 10^-scale`.
    pub(super) scale: i16,
    /// The smallest mantissa.
    pub(super) min: i64,
    /// The largest mantissa.
    pub(super) max: i64,
}

/// The results of one pass over a column.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Summary {
    min: i64,
    max: i64,
    /// The union of the bits of all mantissas.
    bits: u64,
    /// A bit for each scale of a value that is not 0, if `any_scale` is below [`Self::SCALES`].
    scales: u64,
    /// The union of the bits of all scales.
    any_scale: i16,
}

impl Default for Summary {
    fn default() -> Self {
        Self { min: i64::MAX, max: i64::MIN, bits: 0, scales: 0, any_scale: 0 }
    }
}

impl Summary {
    /// The scales that have a bit; others, which hardly occur, are looked at one by one.
    const SCALES: usize = 64;

    #[inline(always)]
    fn add(&mut self, value: Decimal) {
        self.min = self.min.min(value.mantissa);
        self.max = self.max.max(value.mantissa);
        self.bits |= value.mantissa as u64;
        self.scales |= u64::from(value.mantissa != 0) << (value.scale & 63);
        self.any_scale |= value.scale;
    }

    /// Whether every mantissa surely stays within 18 digits if scales from `least` to `most` become `most`: sufficient,
    /// not necessary.
    fn fits(&self, least: i16, most: i16) -> bool {
        let largest = self.min.unsigned_abs().max(self.max.unsigned_abs());
        let power = POW10.get((most - least) as usize);
        power.is_some_and(|power| largest < (MANTISSA_LIMIT / power) as u64)
    }
}

/// The number of trailing decimal zeros that all mantissas share; at least one mantissa must not be 0. `bits` is the
/// union of their bits.
fn common_zeros(mantissas: &[i64], bits: u64) -> usize {
    // A multiple of 10^n is one of 2^n: where a mantissa is odd, there is nothing to divide.
    let mut zeros = (bits.trailing_zeros() as usize).min(POW10.len() - 1);
    for &mantissa in mantissas {
        if zeros == 0 {
            break;
        }
        if mantissa == 0 {
            continue;
        }
        while mantissa % POW10[zeros] != 0 {
            zeros -= 1;
        }
    }
    zeros
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(values: &[Decimal]) -> Column {
        let mut column = Column::default();
        values.iter().for_each(|&value| column.push(value));
        column
    }

    /// The definition of [`Column::align`]: every value without trailing zeros, at the largest scale among them.
    fn plainly_aligned(values: &[Decimal]) -> Option<(i16, Vec<i64>)> {
        let stripped: Vec<Decimal> = values.iter().map(|value| value.stripped()).collect();
        let scale = stripped.iter().filter(|value| value.mantissa != 0).map(|value| value.scale).max()?;
        let aligned = stripped.iter().map(|value| {
            let power = 10_i128.checked_pow(u32::try_from(scale - value.scale).unwrap_or(0).min(30))?;
            let mantissa = i128::from(value.mantissa).checked_mul(power)?;
            (mantissa.abs() < i128::from(MANTISSA_LIMIT)).then_some(mantissa as i64)
        });
        Some((scale, aligned.collect::<Option<Vec<i64>>>()?))
    }

    fn any_decimal() -> impl Strategy<Value = Decimal> {
        prop_oneof![
            (-999i64..1000, 0i16..7).prop_map(|(mantissa, scale)| Decimal { mantissa, scale }),
            (-9i64..10, 0i16..8, 0u32..8)
                .prop_map(|(digit, scale, zeros)| Decimal { mantissa: digit * 10_i64.pow(zeros), scale }),
            (-MANTISSA_LIMIT + 1..MANTISSA_LIMIT, -70i16..70).prop_map(|(mantissa, scale)| Decimal { mantissa, scale }),
        ]
    }

    proptest! {
        #[test]
        fn aligning_does_what_it_says(values in prop::collection::vec(any_decimal(), 1..40), same in 0i16..70) {
            for values in [values.clone(), values.iter().map(|value| Decimal { scale: same, ..*value }).collect()] {
                let mut column = column(&values);
                prop_assert_eq!(column.is_zero(), values.iter().all(|value| value.mantissa == 0));
                if column.is_zero() {
                    continue;
                }
                match (column.align(), plainly_aligned(&values)) {
                    (Some(aligned), Some((scale, mantissas))) => {
                        prop_assert_eq!(column.mantissas(), &mantissas);
                        let (min, max) = (*mantissas.iter().min().unwrap(), *mantissas.iter().max().unwrap());
                        prop_assert_eq!(aligned, Alignment { scale, min, max });
                    }
                    (None, None) => {}
                    (aligned, plain) => prop_assert!(false, "{aligned:?} beside {plain:?}"),
                }
            }
        }

        #[test]
        fn columns_are_the_same_however_they_are_filled(cells in prop::collection::vec(prop::option::of(any_decimal()), 1..40)) {
            let values: Vec<Decimal> = cells.iter().map(|cell| cell.unwrap_or(Decimal::ZERO)).collect();
            let pushed = column(&values);
            let (mut filled, mut scattered) = (column(&[Decimal::ZERO; 50]), column(&[Decimal { mantissa: 7, scale: 7 }; 3]));
            filled.fill(values.iter().copied());
            let present: Vec<(usize, Decimal)> = (0..).zip(&cells).filter_map(|(row, cell)| Some((row, (*cell)?))).collect();
            scattered.scatter(values.len(), present.into_iter());
            for other in [&filled, &scattered] {
                prop_assert!(other.values().eq(pushed.values()));
                prop_assert_eq!(other.summary, pushed.summary);
            }
            // Zeros at the end, one by one and together.
            let (mut extended, mut resized) = (column(&values), pushed);
            (0..3).for_each(|_| extended.push(Decimal::ZERO));
            resized.resize(values.len() + 3);
            prop_assert!(extended.values().eq(resized.values()));
            prop_assert_eq!(extended.summary, resized.summary);
        }
    }
}
