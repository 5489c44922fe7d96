//! All findings about a matrix, computed once for the table, the JSON and the files.

use anyhow::Result;
use bandits::agreement::Agreement;
use bandits::structure::theory::{self, BoundError, RegretBound};
use bandits::structure::{
    self, Estimate, Gaps, LowerBound, RelaxedTransitivity, Tournament, TournamentOrder, condorcet_probabilities,
    total_order_probabilities, von_neumann,
};
use bandits::winners::{borda_scores, borda_winners, condorcet_winners, copeland_scores, copeland_winners};
use bandits::{Arm, PreferenceMatrix};
use letor_io::FeatureId;
use output::numbers::complement;
use serde::Serialize;
use simulation::arm_names::{ArmNames, Numbering};
use simulation::seed;

use super::Config;
use super::difference::Difference;
use studies::matrix_file::uncompared_warning;

/// The content of findings.json; entries that need a Condorcet winner are null without one.
#[derive(Serialize)]
pub(super) struct Findings {
    pub(super) name: String,
    pub(super) arms: usize,
    /// Whether the matrix was estimated from synthetic data; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) synthetic: Option<bool>,
    /// If arms were chosen, their numbers in the matrix. All other arms in this file are 0-based positions in this
    /// list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arms_in_matrix: Option<Vec<Arm>>,
    /// For win counts: pairs that were never compared. Their preference is unknown, and 1/2 stands for it in all that follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) never_compared: Option<UncomparedPairs>,
    pub(super) winners: Winners,
    /// All arms, by Copeland score and then Borda score.
    pub(super) ranking: Vec<RankedArm>,
    pub(super) gaps: Option<Gaps>,
    pub(super) order: OrderFindings,
    pub(super) significant: Option<SignificantFindings>,
    pub(super) transitivity: Option<RelaxedTransitivity>,
    pub(super) subsets: Subsets,
    pub(super) lower_bound: Option<LowerBound>,
    pub(super) upper_bounds: Vec<UpperBound>,
    pub(super) agreement: Option<Agreement>,
    pub(super) difference: Option<Difference>,
}

/// Pairs of arms that never met.
#[derive(Serialize)]
pub(super) struct UncomparedPairs {
    /// The number of pairs.
    pub(super) pairs: usize,
    /// The number of all pairs.
    pub(super) of: usize,
    /// In words.
    #[serde(skip)]
    pub(super) text: String,
}

#[derive(Serialize)]
pub(super) struct Winners {
    /// The Condorcet winner with its exact duplicates; empty if there is none.
    pub(super) condorcet: Vec<Arm>,
    pub(super) copeland: Vec<Arm>,
    pub(super) borda: Vec<Arm>,
    /// The von Neumann winner: arms with their probabilities, largest first.
    pub(super) von_neumann: Vec<(Arm, f64)>,
    /// Its value, 0 up to rounding.
    pub(super) von_neumann_value: f64,
}

#[derive(Serialize)]
pub(super) struct RankedArm {
    /// 1-based.
    pub(super) rank: usize,
    pub(super) arm: Arm,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arm_in_matrix: Option<Arm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) feature: Option<FeatureId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "absent without names, null for an arm without one")]
    pub(super) name: Option<Option<String>>,
    pub(super) copeland: f64,
    pub(super) borda: f64,
    pub(super) von_neumann: f64,
}

#[derive(Serialize)]
pub(super) struct OrderFindings {
    /// `total`, `partial` (acyclic, but with pairs at exactly 1/2) or `cyclic`.
    pub(super) kind: &'static str,
    pub(super) top_cycle: Vec<Arm>,
    pub(super) pairs: u64,
    /// Pairs at exactly 1/2.
    pub(super) open_pairs: usize,
    pub(super) triples: u64,
    pub(super) cyclic_triples: u64,
}

/// The statistically significant results: all of them are correct with probability 1 - `error_rate`.
#[derive(Serialize)]
pub(super) struct SignificantFindings {
    pub(super) comparisons: u64,
    pub(super) error_rate: f64,
    /// Pairs that do not differ significantly from 1/2.
    pub(super) open_pairs: usize,
    /// Cycles of three arms with three significant preferences.
    pub(super) cyclic_triples: u64,
    /// Number of arms that the Condorcet winner beats significantly.
    pub(super) winner_beats: Option<usize>,
    #[serde(skip)]
    pub(super) tournament: Tournament,
}

#[derive(Serialize)]
pub(super) struct Subsets {
    /// P(Condorcet winner) of random subsets of 1, 2, ... arms.
    pub(super) condorcet: Vec<f64>,
    pub(super) lowest_condorcet: LowestPoint,
    /// P(total order) of the same; stops after 3 arms without samples.
    pub(super) total_order: Vec<Estimate>,
}

#[derive(Serialize)]
pub(super) struct LowestPoint {
    pub(super) size: usize,
    pub(super) probability: f64,
}

/// The bound of a theorem, or why it does not apply.
#[derive(Serialize)]
pub(super) struct UpperBound {
    pub(super) name: String,
    /// (steps, bound) at powers of ten; null if out of range.
    pub(super) regret: Vec<(f64, f64)>,
    pub(super) no_claim_because: Option<String>,
    /// The steps until which the bound is above the largest gap per step, which no policy exceeds; null if it always is.
    pub(super) vacuous_until: Option<f64>,
    #[serde(skip)]
    pub(super) bound: Option<RegretBound>,
}

impl Findings {
    pub(super) fn of_matrix(
        matrix: &PreferenceMatrix,
        reference: Option<&PreferenceMatrix>,
        config: &Config,
    ) -> Result<Self> {
        let tournament = Tournament::of(matrix);
        let lottery = von_neumann(matrix)?;
        let condorcet = condorcet_winners(matrix);
        // The random stream depends on the content of the matrix, not on its file.
        let mut generator = seed::generator(config.seed, &config.matrix.checksum, 0, "total order");
        let curve = condorcet_probabilities(&tournament);
        let (size, probability) = structure::lowest_point(&curve).unwrap_or((1, 1.0));
        Ok(Self {
            name: config.matrix.name.clone(),
            arms: matrix.arms(),
            synthetic: config.matrix.estimated_from.synthetic(),
            arms_in_matrix: config.arms.clone().filter(|_| *config.names.numbering() != Numbering::Numbers),
            ranking: ranking(matrix, &lottery.weights, &config.names),
            gaps: structure::gaps(matrix),
            order: order(&tournament),
            significant: significant_findings(matrix, &condorcet, config)?,
            transitivity: structure::relaxed_transitivity(matrix),
            subsets: Subsets {
                condorcet: curve,
                lowest_condorcet: LowestPoint { size, probability },
                total_order: total_order_probabilities(&tournament, config.samples, &mut generator),
            },
            lower_bound: structure::lower_bound(matrix),
            upper_bounds: upper_bounds(matrix, config),
            agreement: reference.map(|reference| Agreement::between(matrix, reference)).transpose()?,
            difference: reference.map(|reference| Difference::between(matrix, reference)),
            never_compared: config.wins.as_ref().and_then(|wins| {
                let counts = wins.counts();
                let text = uncompared_warning(&counts)?;
                Some(UncomparedPairs { pairs: counts.unplayed, of: counts.pairs, text })
            }),
            winners: Winners {
                condorcet,
                copeland: copeland_winners(matrix),
                borda: borda_winners(matrix),
                von_neumann: lottery.support(),
                von_neumann_value: lottery.value,
            },
        })
    }
}

fn ranking(matrix: &PreferenceMatrix, weights: &[f64], names: &ArmNames) -> Vec<RankedArm> {
    let (copeland, borda) = (copeland_scores(matrix), borda_scores(matrix));
    let ranked_arm = |arm: Arm| RankedArm {
        rank: 0,
        arm,
        arm_in_matrix: names.arm_in_matrix(arm.index()),
        feature: names.feature(arm.index()),
        name: names.cell(arm.index()),
        copeland: copeland[arm.index()],
        borda: borda[arm.index()],
        von_neumann: weights[arm.index()],
    };
    let mut ranking: Vec<RankedArm> = matrix.all_arms().map(ranked_arm).collect();
    // Stable: arms that tie in both scores keep their order.
    ranking.sort_by(|a, b| b.copeland.total_cmp(&a.copeland).then(b.borda.total_cmp(&a.borda)));
    for (ranked_arm, rank) in ranking.iter_mut().zip(1..) {
        ranked_arm.rank = rank;
    }
    ranking
}

fn order(tournament: &Tournament) -> OrderFindings {
    let arms = tournament.arms() as u64;
    OrderFindings {
        kind: match tournament.order() {
            TournamentOrder::Total(_) => "total",
            TournamentOrder::Partial(_) => "partial",
            TournamentOrder::Cyclic => "cyclic",
        },
        top_cycle: tournament.top_cycle(),
        pairs: arms * (arms - 1) / 2,
        open_pairs: tournament.open_pairs(),
        triples: arms * (arms - 1) / 2 * arms.saturating_sub(2) / 3,
        cyclic_triples: tournament.cyclic_triples(),
    }
}

fn significant_findings(
    matrix: &PreferenceMatrix,
    winners: &[Arm],
    config: &Config,
) -> Result<Option<SignificantFindings>> {
    // The rate is checked even if it is unused: an invalid flag must not pass silently.
    let comparisons = config.comparisons.unwrap_or(0);
    let tournament = structure::established(matrix, config.error_rate, |_, _| comparisons)?;
    Ok(config.comparisons.map(|comparisons| SignificantFindings {
        comparisons,
        error_rate: config.error_rate,
        open_pairs: tournament.open_pairs(),
        cyclic_triples: tournament.cyclic_triples(),
        winner_beats: winners.first().map(|&winner| tournament.wins(winner)),
        tournament,
    }))
}

fn upper_bounds(matrix: &PreferenceMatrix, config: &Config) -> Vec<UpperBound> {
    let Config { alpha, delta, batch, .. } = *config;
    let likely = format!("with probability {}", complement(delta));
    let gap = structure::gaps(matrix).map_or(0.0, |gaps| gaps.largest);
    let claim = |name: String, bound: Result<RegretBound, BoundError>| UpperBound {
        name,
        regret: (1..=9)
            .map(|power| 10_f64.powi(power))
            .filter_map(|steps| bound.ok().map(|bound| (steps, bound.at(steps))))
            .collect(),
        no_claim_because: bound.err().map(|error| error.to_string()),
        vacuous_until: bound.ok().map(|bound| bound.informative_from(gap)).filter(|steps| steps.is_finite()),
        bound: bound.ok(),
    };
    vec![
        claim(format!("RUCB, {likely}"), theory::rucb_with_probability(matrix, alpha, delta)),
        claim("RUCB, expected".to_owned(), theory::rucb_expected(matrix, alpha)),
        claim(format!("mergeRUCB, {likely}"), theory::merge_rucb_with_probability(matrix, alpha, batch, delta)),
        // Each T has its own bound, with delta = 1/T.
        claim("mergeRUCB, expected, delta = 1/T".to_owned(), theory::merge_rucb_expected(matrix, alpha, batch)),
    ]
}
