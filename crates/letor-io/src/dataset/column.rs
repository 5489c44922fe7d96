//! A column on its way in, and what power of ten its values share.

use crate::decimal::{Decimal, MANTISSA_LIMIT, POW10};

/// A column on its way in: value `i` is `mantissas[i] × 10^-scales[i]`. Used up by [`encode`].
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

    /// Makes it `len` values long, new ones 0.
    pub(crate) fn resize(&mut self, len: usize) {
        self.mantissas.resize(len, 0);
        self.scales.resize(len, 0);
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Decimal> {
        let pairs = self.mantissas.iter().zip(&self.scales);
        pairs.map(|(&mantissa, &scale)| Decimal { mantissa, scale })
    }
}

/// Brings the mantissas under one power of ten, the smallest that leaves them integers, and returns
/// it; nothing (and the values of `column` as they were) where that takes more than 18 digits.
pub(super) fn align(column: &mut Column) -> Option<i16> {
    let mut range = Range::of(column);
    if range.least != range.most {
        if !range.fits() && !fits(column, range.most) {
            // Perhaps only for zeros at the end: "1000000.000000" beside "0.00000000000001".
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
            // Zeros may have any scale, and stay zeros.
            *mantissa *= POW10[usize::from((range.most - own) as u16).min(18)];
        }
    }
    let zeros = common_zeros(&column.mantissas);
    if zeros > 0 {
        column.mantissas.iter_mut().for_each(|mantissa| *mantissa /= POW10[zeros]);
    }
    Some(range.most - zeros as i16)
}

/// The powers of ten of a column, zeros apart, and how large its mantissas are.
struct Range {
    least: i16,
    most: i16,
    /// The bits that occur in any mantissa, without signs.
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

    /// Whether every mantissa stays within 18 digits under the largest power, whichever has which:
    /// enough, but not needed.
    fn fits(&self) -> bool {
        let power = POW10.get((self.most - self.least) as usize);
        power.is_some_and(|power| self.bits < (MANTISSA_LIMIT / power) as u64)
    }
}

/// Whether every mantissa stays within 18 digits under the common power `scale`.
#[cold]
fn fits(column: &Column, scale: i16) -> bool {
    column.values().all(|value| {
        let power = || POW10.get((scale - value.scale) as usize);
        let limit = || power().map(|power| (MANTISSA_LIMIT / power) as u64);
        value.mantissa == 0 || limit().is_some_and(|limit| value.mantissa.unsigned_abs() < limit)
    })
}

/// How many decimal zeros all mantissas end in; at least one of them is not 0.
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
