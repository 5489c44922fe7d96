//! Plays the impressions of a prepared site.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use interleave::AnyInterleaving;

use super::build::EstimationContext;
use super::comparison::{InterleavedComparison, MultileavedComparison, PairComparison};
use super::round::Sampling;
use super::state::{Identity, State};
use crate::prepared_site::PreparedSite;
use crate::seed_text::site_identity;

/// The identity of the matrix, by which a saved state is recognised.
#[must_use]
pub fn identity(prepared: &PreparedSite, seed: u64, sampling: Sampling, multileaved: bool) -> Identity {
    Identity {
        seed,
        arms: prepared.site.arms(),
        queries: prepared.site.queries(),
        sampling,
        multileaved,
        site: site_identity(&prepared.description),
    }
}

/// Plays the last request of `state`; returns the number of comparisons.
///
/// # Errors
/// Those of [`State::run`].
pub fn play(state: &mut State, prepared: &PreparedSite, save: Option<(&Path, Duration)>, quiet: bool) -> Result<u64> {
    struct Run<'a>(&'a mut State, &'a PreparedSite, Option<(&'a Path, Duration)>, bool);
    impl ComparisonTask for Run<'_> {
        type Output = Result<u64>;
        fn run_with<C: PairComparison>(self, comparison: &C) -> Result<u64> {
            let Self(state, prepared, save, quiet) = self;
            state.run(&EstimationContext { site: &prepared.site, comparison, save, quiet })
        }
    }
    let multileaved = state.identity.multileaved;
    with_comparison(prepared, multileaved, Run(state, prepared, save, quiet))
}

/// Work that compares pairs in some way.
pub(super) trait ComparisonTask {
    /// Its result.
    type Output;

    /// Does the work.
    fn run_with<C: PairComparison>(self, comparison: &C) -> Self::Output;
}

/// Does `work` with the comparison of a prepared site.
pub(super) fn with_comparison<W: ComparisonTask>(prepared: &PreparedSite, multileaved: bool, work: W) -> W::Output {
    let PreparedSite { site, methods, .. } = prepared;
    if multileaved {
        return work.run_with(&MultileavedComparison { site, method: &methods.multileaving });
    }
    // The default method gets an inner loop of its own.
    match &methods.interleaving {
        AnyInterleaving::Probabilistic(method) => work.run_with(&InterleavedComparison { site, method }),
        method => work.run_with(&InterleavedComparison { site, method }),
    }
}
