//! A column to be packed, and the power of ten that its values share.

use crate::decimal::{Decimal, MANTISSA_LIMIT, POW10};

/// A column to be packed: value `i` is `mantissas[i] × 10^-scales[i]`.
#[derive(Debug, Default)]
pub(crate) struct Column {
    pub(crate) mantissas: Vec<i64>,
    pub(crate) scales: Vec<i16>,
}

impl Column {
    pub(crate) fn clear(&mut self) {
        self.mantissas.clear();
        self.scales.clear();
    }

    pub(crate) fn push(&mut self, value: Decimal) {
        self.mantissas.push(value.mantissa);
        self.scales.push(value.scale);
    }

    /// Changes the length to `len`; new values are 0.
    pub(crate) fn resize(&mut self, len: usize) {
        self.mantissas.resize(len, 0);
        self.scales.resize(len, 0);
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Decimal> {
        let pairs = self.mantissas.iter().zip(&self.scales);
        pairs.map(|(&mantissa, &scale)| Decimal { mantissa, scale })
    }
}

/// Rescales the mantissas to one power of ten, the largest under which they are integers, and returns its scale;
/// `None`, with the values of `column` unchanged, if that takes more than 18 digits.
pub(super) fn align(column: &mut Column) -> Option<i16> {
    let mut range = Range::of(column);
    if range.least != range.most {
        if !range.fits() && !fits(column, range.most) {
            // Perhaps only because of trailing zeros: "1000000.000000" beside "0.00000000000001".
            let Column { mantissas, scales } = column;
            for (mantissa, scale) in mantissas.iter_mut().zip(scales.iter_mut()) {
                let stripped = Decimal { mantissa: *mantissa, scale: *scale }.stripped();
                (*mantissa, *scale) = (stripped.mantissa, stripped.scale);
            }
            range = Range::of(column);
            if !fits(column, range.most) {
                return None;
            }
        }
        let Column { mantissas, scales } = column;
        for (mantissa, &own) in mantissas.iter_mut().zip(scales.iter()) {
            // Zeros may have any scale and stay zero.
            *mantissa *= POW10[usize::from((range.most - own) as u16).min(18)];
        }
    }
    let zeros = common_zeros(&column.mantissas);
    if zeros > 0 {
        column.mantissas.iter_mut().for_each(|mantissa| *mantissa /= POW10[zeros]);
    }
    Some(range.most - zeros as i16)
}

/// The range of the scales of a column, ignoring zeros, and the size of its mantissas.
struct Range {
    least: i16,
    most: i16,
    /// The union of the bits of all mantissas, without signs.
    bits: u64,
}

impl Range {
    fn of(column: &Column) -> Self {
        let mut range = Self { least: i16::MAX, most: i16::MIN, bits: 0 };
        for (&mantissa, &scale) in column.mantissas.iter().zip(&column.scales) {
            range.bits |= mantissa.unsigned_abs();
            range.least = range.least.min(if mantissa == 0 { i16::MAX } else { scale });
            range.most = range.most.max(if mantissa == 0 { i16::MIN } else { scale });
        }
        range
    }

    /// Whether every mantissa surely stays within 18 digits at the largest scale: sufficient, not necessary.
    fn fits(&self) -> bool {
        let power = POW10.get((self.most - self.least) as usize);
        power.is_some_and(|power| self.bits < (MANTISSA_LIMIT / power) as u64)
    }
}

/// Whether every mantissa stays within 18 digits at the common scale `scale`.
#[cold]
fn fits(column: &Column, scale: i16) -> bool {
    column.values().all(|value| {
        let power = || POW10.get((scale - value.scale) as usize);
        let limit = || power().map(|power| (MANTISSA_LIMIT / power) as u64);
        value.mantissa == 0 || limit().is_some_and(|limit| value.mantissa.unsigned_abs() < limit)
    })
}

/// The number of trailing decimal zeros that all mantissas share; at least one mantissa must not be 0.
fn common_zeros(mantissas: &[i64]) -> usize {
    let mut zeros = POW10.len() - 1;
    for &mantissa in mantissas {
        if mantissa == 0 {
            continue;
        }
        while mantissa % POW10[zeros] != 0 {
            zeros -= 1;
        }
        if zeros == 0 {
            break;
        }
    }
    zeros
}
