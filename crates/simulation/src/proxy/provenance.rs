//! How a matrix was made, and its winner.

use anyhow::Result;
use bandits::PreferenceMatrix;
use bandits::agreement::Agreement;
use bandits::winners::condorcet_winner;
use output::sealed_json::Sealed;
use serde::Serialize;

use super::account::MatrixAccount;
use super::round::Sampling;
use super::selection::{all_pairs, pair_count};
use super::state::{FinishedRound, Request, State};
use crate::description::SiteDescription;
use crate::matrix::matrix_checksum;
use crate::truth::RESOLVED;

/// How a matrix was made: the content of P.json.
#[derive(Serialize)]
pub struct Provenance<'a> {
    /// Always `proxy`.
    pub command: &'static str,
    /// The version that made it.
    pub version: &'static str,
    /// The master seed.
    pub seed: u64,
    /// `pairwise`, or `multileaved` with all arms in one list.
    pub comparison: &'static str,
    /// How queries are drawn.
    pub sampling: Sampling,
    /// What each command requested, in order.
    pub requests: &'a [Request],
    /// Rounds of impressions, in order.
    pub rounds: &'a [FinishedRound],
    /// The number of pairs.
    pub pairs: usize,
    /// Comparisons of the least often compared pair.
    pub min_comparisons: u64,
    /// Comparisons of the most often compared pair.
    pub max_comparisons: u64,
    /// Comparisons of all pairs.
    pub comparisons: u64,
    /// Share of comparisons that were ties, over all pairs.
    pub share_of_ties: f64,
    /// Largest standard error of an entry that was measured.
    pub largest_standard_error: f64,
    /// Checksum of the matrix, by which other commands recognise that this file describes it.
    pub checksum: String,
    /// The site.
    pub site: &'a SiteDescription,
    /// The name of the Condorcet winner; null without one.
    pub condorcet_winner: Option<String>,
    /// Its smallest margin in standard errors; null without a winner, or if the margin has no error.
    pub winner_z: Option<f64>,
    /// How it agrees with another matrix.
    pub against: Option<ReferenceAgreement>,
}

/// How the matrix agrees with another one.
#[derive(Serialize)]
pub struct ReferenceAgreement {
    /// Its file.
    pub matrix: String,
    /// Whether it was estimated from synthetic data, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<bool>,
    /// Their agreement.
    pub agreement: Agreement,
}

/// How the matrix of `state` was made, which is `matrix`.
#[must_use]
pub fn provenance<'a>(
    state: &'a State,
    site: &'a SiteDescription,
    matrix: &PreferenceMatrix,
    reference_agreement: Option<ReferenceAgreement>,
) -> Provenance<'a> {
    let pairs = pair_count(matrix.arms());
    let counts = || (0..pairs).map(|place| state.count(place));
    let comparisons = counts().map(|count| count.comparisons).sum::<u64>();
    Provenance {
        command: "proxy",
        version: env!("CARGO_PKG_VERSION"),
        seed: state.identity.seed,
        comparison: if state.identity.multileaved { "multileaved" } else { "pairwise" },
        sampling: state.identity.sampling,
        requests: &state.requests,
        rounds: &state.rounds,
        pairs,
        min_comparisons: counts().map(|count| count.comparisons).min().unwrap_or(0),
        max_comparisons: counts().map(|count| count.comparisons).max().unwrap_or(0),
        comparisons,
        share_of_ties: counts().map(|count| count.ties).sum::<u64>() as f64 / comparisons.max(1) as f64,
        largest_standard_error: state.largest_standard_error(),
        checksum: matrix_checksum(matrix, true),
        site,
        condorcet_winner: condorcet_winner(matrix).map(|winner| site.label(winner.index())),
        winner_z: smallest_margin(state, matrix).and_then(|(margin, _, error)| (error > 0.0).then_some(margin / error)),
        against: reference_agreement,
    }
}

impl Provenance<'_> {
    /// The content of P.json, with its seal.
    ///
    /// # Errors
    /// If it has no JSON form.
    pub fn sealed(&self) -> Result<Sealed<&Self>> {
        Sealed::new(self)
    }

    /// The account that [`matrix_origin`](super::matrix_origin) reads once this is written to `file`.
    #[must_use]
    pub fn account(&self, file: &str) -> MatrixAccount {
        MatrixAccount {
            file: file.to_owned(),
            dataset: self.site.dataset.name.clone(),
            synthetic: self.site.dataset.synthetic,
            clicks: self.site.click.model.clone(),
            rankers: self.site.rankers.clone(),
            names: self.site.names.clone(),
            min_comparisons: self.min_comparisons,
            max_comparisons: self.max_comparisons,
            largest_standard_error: Some(self.largest_standard_error),
            winner_z: self.winner_z,
        }
    }
}

/// The Condorcet winner, its smallest margin, and how certain that is.
#[must_use]
pub fn winner(state: &State, site: &SiteDescription, matrix: &PreferenceMatrix) -> String {
    let pairs = || all_pairs(matrix.arms()).into_iter().enumerate();
    let Some(winner) = condorcet_winner(matrix) else {
        let has_missing = pairs().any(|(place, _)| state.count(place).comparisons == 0);
        return if has_missing { "no Condorcet winner among the pairs compared" } else { "no Condorcet winner" }
            .to_owned();
    };
    let mut text = format!("Condorcet winner: {}", site.label(winner.index()));
    if let Some((margin, rival, error)) = smallest_margin(state, matrix) {
        text += &format!("; smallest margin {margin:.4} over {}", site.label(rival as usize));
        if error > 0.0 {
            let z = margin / error;
            text += &format!(", z = {z:.1}");
            if z < RESOLVED {
                text += "; WINNER NOT RESOLVED (z < 3): the runner-up may be as good";
            }
        }
    }
    text
}

/// The Condorcet winner's smallest margin, the arm that it is over, and its standard error.
fn smallest_margin(state: &State, matrix: &PreferenceMatrix) -> Option<(f64, u32, f64)> {
    let winner = condorcet_winner(matrix)?;
    let margins = all_pairs(matrix.arms()).into_iter().enumerate().filter_map(|(place, (low, high))| {
        let rival = if low == winner.0 { high } else { low };
        let margin = (state.count(place).preference() - 0.5).abs();
        (low == winner.0 || high == winner.0).then_some((margin, rival, state.standard_error(place)))
    });
    margins.min_by(|a, b| a.0.total_cmp(&b.0))
}
