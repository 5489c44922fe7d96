//! Plays the impressions of a prepared site.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use interleave::AnyInterleaving;

use super::build::EstimationContext;
use super::comparison::{Interleaved, Multileaved, PairComparison};
use super::round::Sampling;
use super::state::{Identity, State};
use crate::prepared::PreparedSite;
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

/// Plays what `state` was last asked for; returns the number of comparisons.
///
/// # Errors
/// Those of [`State::run`].
pub fn play(state: &mut State, prepared: &PreparedSite, save: Option<(&Path, Duration)>, quiet: bool) -> Result<u64> {
    fn with<C: PairComparison>(
        comparison: &C,
        state: &mut State,
        prepared: &PreparedSite,
        save: Option<(&Path, Duration)>,
        quiet: bool,
    ) -> Result<u64> {
        state.run(&EstimationContext { site: &prepared.site, comparison, save, quiet })
    }
    let PreparedSite { site, methods, .. } = prepared;
    if state.identity.multileaved {
        return with(&Multileaved { site, method: &methods.multileaving }, state, prepared, save, quiet);
    }
    // The default method gets an inner loop of its own.
    match &methods.interleaving {
        AnyInterleaving::Probabilistic(method) => with(&Interleaved { site, method }, state, prepared, save, quiet),
        method => with(&Interleaved { site, method }, state, prepared, save, quiet),
    }
}
