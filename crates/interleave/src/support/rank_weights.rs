//! The weight of each rank in a ranker's probability: r^-tau, in whole numbers.

use std::sync::{Arc, OnceLock};

use super::rank_heads::Heads;
use super::rank_table::RankTable;
use crate::RankedList;

/// The softmax over ranks of probabilistic interleaving, as fixed-point integers.
///
/// The r-th best document weighs r^-tau in units of 2^-k, with k at most 60 and such that all 65,535 weights
/// together stay below 2^62. Sums and differences of weights are therefore exact, whatever their
/// order. No weight is 0: below the resolution a weight is one unit.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    tau: f64,
    table: Arc<RankTable>,
    heads: Arc<Heads>,
    /// `totals[n]`: the weight of the first n ranks.
    totals: Arc<[u64]>,
}

/// A softmax exponent that is negative or not finite.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("tau is {tau}; it must be a finite number from 0 (all documents equally likely) up; the papers use 3")]
#[non_exhaustive]
pub struct TauError {
    /// The requested exponent.
    pub tau: f64,
}

impl Weights {
    /// The exponent of every paper: 3.
    pub(crate) const TAU: f64 = 3.0;

    /// The table for [`TAU`](Self::TAU), made once.
    pub(crate) fn usual() -> Self {
        static USUAL: OnceLock<Weights> = OnceLock::new();
        USUAL.get_or_init(|| Self::build(Self::TAU)).clone()
    }

    pub(crate) fn new(tau: f64) -> Result<Self, TauError> {
        if !(tau.is_finite() && tau >= 0.0) {
            Err(TauError { tau })
        } else if tau == Self::TAU {
            Ok(Self::usual())
        } else {
            Ok(Self::build(tau))
        }
    }

    fn build(tau: f64) -> Self {
        let real: Vec<f64> = (1..=RankedList::MAX_LEN).map(|rank| libm::pow(rank as f64, -tau)).collect();
        let mut unit = f64::from(1 << 30) * f64::from(1 << 30);
        let sum: f64 = real.iter().sum();
        // A little below 2^62, for the rounding of 65,535 weights.
        while sum * unit > 4.6e18 {
            unit /= 2.0;
        }
        let mut table = Arc::new([0; 1 << 16]);
        for (weight, real) in Arc::make_mut(&mut table).iter_mut().zip(&real) {
            *weight = (real * unit).round().max(1.0) as u64;
        }
        let totals = std::iter::once(0)
            .chain(table[..RankedList::MAX_LEN].iter().scan(0, |total, weight| {
                *total += weight;
                Some(*total)
            }))
            .collect();
        let heads = Arc::new(Heads::new(&table));
        Self { tau, table, heads, totals }
    }

    pub(crate) fn tau(&self) -> f64 {
        self.tau
    }

    #[inline]
    pub(crate) fn table(&self) -> &RankTable {
        &self.table
    }

    /// The partial sums of the first ranks, for each set of those taken.
    #[inline]
    pub(crate) fn heads(&self) -> &Heads {
        &self.heads
    }

    /// The weights of the first 0, 1, ... `documents` ranks together.
    #[inline]
    pub(crate) fn totals(&self, documents: usize) -> &[u64] {
        &self.totals[..=documents]
    }

    /// The weight of the first `documents` ranks together.
    #[inline]
    pub(crate) fn total(&self, documents: usize) -> u64 {
        self.totals[documents]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fall_and_never_vanish_or_overflow() {
        for tau in [0.0, 0.3, 1.0, 2.5, 3.0, 10.0, 1e6] {
            let weights = Weights::new(tau).unwrap();
            let (unlisted, ranks) = weights.table().split_last().unwrap();
            assert!(ranks.iter().rev().is_sorted() && ranks.iter().all(|&w| w > 0));
            assert_eq!(*unlisted, 0);
            assert!(weights.total(RankedList::MAX_LEN) < 1 << 62, "tau {tau}");
            assert!(weights.total(1) >= 1 << 45);
            let ratio = weights.table()[1] as f64 / weights.table()[0] as f64;
            assert!((ratio - libm::pow(2.0, -tau)).abs() < 1e-14);
        }
        assert_eq!(Weights::usual().table()[..2], [1 << 60, 1 << 57]);
    }

    #[test]
    fn tau_is_checked() {
        for tau in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Weights::new(tau).unwrap_err().to_string().contains("tau is"));
        }
    }
}
