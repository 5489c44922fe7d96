//! The kind of regret, and its reference on a matrix or a problem, in words.

use anyhow::{Result, ensure};
use bandits::{PreferenceMatrix, RegretKind, UtilityArena, every_arm_is_optimal};
use output::numbers::with_separators;
use output::usage::usage;

use crate::arm_names::ArmNames;
use crate::truth::{GroundTruth, RegretMeasure};

/// Borda scores of utilities compare all pairs of different ones.
const MAX_UTILITIES: usize = 20_000;
/// Finding the von Neumann winner of more arms takes seconds, too long for a hint.
const MAX_HINT_ARMS: usize = 200;

/// Refuses kinds of regret that a live run cannot measure; `None`: the default was left.
///
/// # Errors
/// For kinds that need the preferences of all pairs.
pub fn check_live(requested: Option<RegretKind>) -> Result<()> {
    match requested.filter(|kind| !kind.needs_only_one_row()) {
        None => Ok(()),
        Some(kind) => Err(usage(format!(
            "--regret {kind} needs the preferences of all pairs, but a live run estimates only those of the best \
             ranker: choose condorcet, weak, strong or ndcg, or estimate a matrix with `{program} proxy` and play on it with \
             `{program} bandit`",
            program = output::program::name()
        ))),
    }
}

/// The kind of regret of a live run with this truth; `requested` is the requested one.
///
/// # Errors
/// If it needs a Condorcet winner and there is none.
pub fn kind_of_live(requested: Option<RegretKind>, truth: &GroundTruth) -> Result<RegretKind> {
    match (requested, truth.measure) {
        (Some(RegretKind::Ndcg), _) | (None, RegretMeasure::Ndcg) => Ok(RegretKind::Ndcg),
        (None, RegretMeasure::Condorcet) => Ok(RegretKind::Condorcet),
        (Some(kind), RegretMeasure::Condorcet) => Ok(kind),
        (Some(kind), RegretMeasure::Ndcg) => Err(usage(format!(
            "--regret {kind}: there is no Condorcet winner among these rankers; choose ndcg, the default then"
        ))),
    }
}

/// The kind of regret where arms meet by their preferences alone; `default_kind` is the default there.
///
/// # Errors
/// For nDCG, which needs documents.
pub fn kind_of_preferences(requested: Option<RegretKind>, default_kind: RegretKind) -> Result<RegretKind> {
    ensure!(
        requested != Some(RegretKind::Ndcg),
        usage(
            "--regret ndcg needs documents with labels, which a matrix or a problem does not have; choose condorcet, \
             weak, strong, copeland, borda or von-neumann"
        )
    );
    Ok(requested.unwrap_or(default_kind))
}

/// The kind of regret on a matrix.
///
/// # Errors
/// For nDCG, and if it needs a Condorcet winner and there is none.
pub fn kind_on_matrix(requested: Option<RegretKind>, matrix: &PreferenceMatrix) -> Result<RegretKind> {
    let default_kind = RegretKind::default_for(matrix);
    let kind = kind_of_preferences(requested, default_kind)?;
    ensure!(
        default_kind == RegretKind::Condorcet || kind.reference() != RegretKind::Condorcet.reference(),
        usage(format!(
            "--regret {kind}: the matrix has no Condorcet winner, which it needs; choose copeland (the default then), \
             borda or von-neumann"
        ))
    );
    Ok(kind)
}

/// The arms with gap 0.
#[must_use]
pub fn winners(gaps: &[f64]) -> Vec<usize> {
    (0..gaps.len()).filter(|&arm| gaps[arm] <= 0.0).collect()
}

/// The arena of a problem of utilities with regret of this kind.
///
/// # Errors
/// If Borda scores would take minutes.
pub fn utilities_with_regret(arena: UtilityArena, kind: RegretKind) -> Result<UtilityArena> {
    let Some(reference) = kind.reference().filter(|reference| Some(*reference) != RegretKind::Condorcet.reference())
    else {
        return Ok(arena);
    };
    let mut distinct_utilities = arena.utilities().to_vec();
    distinct_utilities.sort_unstable_by(f64::total_cmp);
    distinct_utilities.dedup();
    ensure!(
        kind != RegretKind::Borda || distinct_utilities.len() <= MAX_UTILITIES,
        usage(format!(
            "--regret borda compares all pairs of {} different arms, more than {}; choose another kind or fewer arms",
            with_separators(distinct_utilities.len() as u64),
            with_separators(MAX_UTILITIES as u64)
        ))
    );
    Ok(arena.with_reference(reference)?)
}

/// The line about the best arm and what regret is measured against. `condorcet`: whether there is a Condorcet winner.
/// `matrix`: for a hint which other kind of regret distinguishes arms.
#[must_use]
pub fn describe_regret(
    kind: RegretKind,
    condorcet: bool,
    gaps: &[f64],
    names: &ArmNames,
    matrix: Option<&PreferenceMatrix>,
) -> String {
    let winners = winners(gaps);
    let best = names.name(winners[0]);
    let none = if condorcet { "" } else { "no Condorcet winner; " };
    if every_arm_is_optimal(gaps) {
        let arm_count = with_separators(gaps.len() as u64);
        return match matrix {
            _ if condorcet && kind.needs_only_one_row() => {
                "no Condorcet winner: all arms are equal, so that regret measures nothing and no recommendation is wrong"
                    .to_owned()
            }
            matrix => format!(
                "{none}all {arm_count} arms are optimal by {kind} regret, so that it measures nothing and no recommendation is \
                 wrong{}",
                matrix.map_or_else(String::new, |matrix| other_kind_hint(kind, matrix))
            ),
        };
    }
    let mut text = match (kind, winners.len()) {
        (RegretKind::Copeland, _) => {
            format!("{none}regret is the Copeland score of {best} minus that of the arms played")
        }
        (RegretKind::Borda, _) => format!("{none}regret is the Borda score of {best} minus that of the arms played"),
        (RegretKind::VonNeumann, 1) => format!("{none}the von Neumann winner is {best} alone"),
        (RegretKind::VonNeumann, several) => {
            format!("{none}the von Neumann winner is a lottery; {several} arms are as good as it, among them {best}")
        }
        (_, 1) => format!("Condorcet winner: {best}"),
        (_, several) => format!("no Condorcet winner: {several} arms are unbeaten, among them {best}"),
    };
    if let Some((arm, gap)) = smallest_gap(gaps) {
        text += &format!("; smallest margin {gap:.4} over {}", names.name(arm));
    }
    text
}

/// The other kinds of regret by which the arms of `matrix` differ.
fn other_kind_hint(kind: RegretKind, matrix: &PreferenceMatrix) -> String {
    let other_kinds = [RegretKind::Copeland, RegretKind::Borda, RegretKind::VonNeumann];
    let other_kinds = other_kinds
        .into_iter()
        .filter(|&other| other != kind && (other != RegretKind::VonNeumann || matrix.arms() <= MAX_HINT_ARMS));
    let tells_apart = |other: &RegretKind| {
        let gaps = other.reference().and_then(|reference| reference.gaps(matrix).ok());
        gaps.is_some_and(|gaps| !every_arm_is_optimal(&gaps))
    };
    let names: Vec<&str> = other_kinds.filter(tells_apart).map(RegretKind::name).collect();
    match names.as_slice() {
        [] => "; by no other --regret do these arms differ".to_owned(),
        names => format!("; --regret {} distinguishes these arms", names.join(" or ")),
    }
}

/// The arm closest to the best ones, and its gap.
#[must_use]
pub fn smallest_gap(gaps: &[f64]) -> Option<(usize, f64)> {
    let positive_gaps = gaps.iter().copied().enumerate().filter(|(_, gap)| *gap > 0.0);
    positive_gaps.min_by(|a, b| a.1.total_cmp(&b.1))
}
