//! The verdict of simulated clicks on a few rankers.

use output::numbers::{with_separators, with_unit};
use simulation::arm_names::ArmNames;
use simulation::truth::{GroundTruth, RegretMeasure};
use statistics::normal_above;

use super::{LEVEL, MAX_NAMED_RANKERS, joined_names};
use crate::results::AlgorithmSummary;

/// The winner by clicks, and after how many impressions that is stated: a sentence without its full stop. Of more than three
/// rankers, it names the nearest of the others alone. `None` of one ranker, and where no clicks were simulated.
#[must_use]
pub fn click_sentence(truth: &GroundTruth, names: &ArmNames, summaries: &[AlgorithmSummary]) -> Option<String> {
    let count = truth.gaps.len();
    if count < 2 || truth.comparisons == 0 {
        return None;
    }
    let impressions = with_unit(truth.comparisons, "simulated impression");
    let name = |arm: usize| names.name(arm);
    if truth.uninformed {
        return Some(format!("by clicks, nobody wins: all of {impressions} are ties"));
    }
    if truth.measure != RegretMeasure::Condorcet {
        return Some(format!("by clicks, no ranker beats all others after {impressions}"));
    }
    let losers: Vec<usize> = (0..count).filter(|arm| !truth.winners.contains(arm)).collect();
    let (Some(z), false) = (truth.z, losers.is_empty()) else {
        let loser_count = match count {
            0..=MAX_NAMED_RANKERS => joined_names(&(0..count).map(name).collect::<Vec<_>>()),
            _ => format!("all {count} rankers"),
        };
        return Some(format!("by clicks, {loser_count} are equal: they show the same lists"));
    };
    // Each of the pairs may err.
    let doubt = (2.0 * losers.len() as f64 * normal_above(z)).min(1.0);
    let winners = joined_names(&truth.winners.iter().map(|&arm| name(arm)).collect::<Vec<_>>());
    let beaten_text = |arm: &usize| format!("{} in {:.2}%", name(*arm), 100.0 * (0.5 + truth.gaps[*arm]));
    let beaten_text = match (count, truth.runner_up) {
        (0..=MAX_NAMED_RANKERS, _) | (_, None) => joined_names(&losers.iter().map(beaten_text).collect::<Vec<_>>()),
        (_, Some(nearest)) => format!("all {} others, the nearest of them {}", losers.len(), beaten_text(&nearest)),
    };
    let (subject, verb, is_ahead) = match truth.winners.len() {
        1 => (winners, "beats", "is ahead of"),
        _ => (format!("{winners}, which show the same lists,"), "beat", "are ahead of"),
    };
    let count_basis = "of impressions, ties counted half";
    if doubt > LEVEL {
        return Some(format!(
            "by clicks, no ranker is known to win: {subject} {is_ahead} {beaten_text} {count_basis}, but that may be chance: {} after {impressions} of the \
             ground truth",
            confidence(doubt)
        ));
    }
    let confidence_clause = soonest_statement(truth, names, summaries)
        .map_or_else(String::new, |confidence_clause| format!("; {confidence_clause}"));
    Some(format!(
        "by clicks, {subject} {verb} {beaten_text} {count_basis}, {} after {impressions}{confidence_clause}",
        confidence(doubt)
    ))
}

/// `over 99.99% confidence`, `97% confidence`; below one half, only that it is less.
fn confidence(doubt: f64) -> String {
    match 100.0 * (1.0 - doubt) {
        sure if sure > 99.99 => "over 99.99% confidence".to_owned(),
        sure if sure > 99.0 => format!("{:.2}% confidence", (100.0 * sure).floor() / 100.0),
        sure if sure < 50.0 => "less than 50% confidence".to_owned(),
        sure => format!("{:.0}% confidence", sure.floor()),
    }
}

/// The algorithm that states the winner after the fewest impressions, by pairs: multileaving measures another quantity.
fn soonest_statement(truth: &GroundTruth, names: &ArmNames, summaries: &[AlgorithmSummary]) -> Option<String> {
    let statements = summaries.iter().filter_map(|summary| {
        let evidence = summary.evidence.as_ref().filter(|evidence| evidence.proven_by == "pairs")?;
        let arm = evidence.stated.first()?.arm? as usize;
        let median = evidence.steps_until_stated.median?;
        truth.winners.contains(&arm).then_some((median, summary, evidence, arm))
    });
    let (median, summary, evidence, arm) = statements.min_by_key(|(median, ..)| *median)?;
    let claim = match evidence.plan.margin {
        0.0 => "it".to_owned(),
        margin => format!("that {} is no worse than the best by more than {margin}", names.name(arm)),
    };
    Some(format!(
        "{} states {claim} at {}% confidence after {} impressions, the soonest of {} (median of {})",
        summary.label,
        100.0 * evidence.plan.level,
        with_separators(median),
        with_unit(summaries.len() as u64, "algorithm"),
        with_unit(summary.runs as u64, "run")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(gaps: &[f64], z: Option<f64>) -> GroundTruth {
        let winner = gaps.iter().position(|gap| *gap == 0.0).expect("a winner");
        GroundTruth {
            measure: RegretMeasure::Condorcet,
            winner,
            winners: (0..gaps.len()).filter(|arm| gaps[*arm] == 0.0).collect(),
            gaps: gaps.to_vec(),
            standard_errors: vec![0.001; gaps.len()],
            smallest_margin: gaps.iter().copied().filter(|gap| *gap > 0.0).fold(0.5, f64::min),
            runner_up: gaps.iter().position(|gap| *gap > 0.0),
            z,
            comparisons: 300_000,
            uninformed: false,
        }
    }

    fn sentence(truth: &GroundTruth) -> Option<String> {
        let names = letor_io::Names::new(["a", "b", "c", "d"]).expect("names");
        click_sentence(truth, &ArmNames::NUMBERS.with_user_names(Some(names)), &[])
    }

    #[test]
    fn each_outcome_has_its_sentence() {
        let after = "after 300,000 simulated impressions";
        for (truth, expected) in [
            (
                truth(&[0.0, 0.0125], Some(12.0)),
                format!(
                    "by clicks, a beats b in 51.25% of impressions, ties counted half, over 99.99% confidence {after}"
                ),
            ),
            (
                truth(&[0.0125, 0.0], Some(2.0)),
                format!("by clicks, b beats a in 51.25% of impressions, ties counted half, 95% confidence {after}"),
            ),
            (
                truth(&[0.0, 0.0125], Some(1.5)),
                format!(
                    "by clicks, no ranker is known to win: a is ahead of b in 51.25% of impressions, ties counted half, but that may be chance: 86% \
                     confidence {after} of the ground truth"
                ),
            ),
            (
                // No number that would be zero.
                truth(&[0.0, 0.0125], Some(0.1)),
                format!(
                    "by clicks, no ranker is known to win: a is ahead of b in 51.25% of impressions, ties counted half, but that may be chance: less \
                     than 50% confidence {after} of the ground truth"
                ),
            ),
            (
                // Two pairs may err.
                truth(&[0.02, 0.0, 0.01], Some(2.0)),
                format!(
                    "by clicks, no ranker is known to win: b is ahead of a in 52.00% and c in 51.00% of impressions, ties counted half, but that may \
                     be chance: 90% confidence {after} of the ground truth"
                ),
            ),
            (
                truth(&[0.0, 0.0, 0.01], Some(3.0)),
                format!(
                    "by clicks, a and b, which show the same lists, beat c in 51.00% of impressions, ties counted half, 99.73% confidence {after}"
                ),
            ),
            (truth(&[0.0, 0.0], None), "by clicks, a and b are equal: they show the same lists".to_owned()),
            (
                GroundTruth { uninformed: true, ..truth(&[0.0, 0.1], None) },
                "by clicks, nobody wins: all of 300,000 simulated impressions are ties".to_owned(),
            ),
            (
                GroundTruth { measure: RegretMeasure::Ndcg, ..truth(&[0.0, 0.1, 0.1], None) },
                format!("by clicks, no ranker beats all others {after}"),
            ),
        ] {
            assert_eq!(sentence(&truth), Some(expected));
        }
        // The nearest of many is named alone.
        assert_eq!(
            sentence(&truth(&[0.0, 0.01, 0.1, 0.1], Some(2.0))),
            Some(format!(
                "by clicks, no ranker is known to win: a is ahead of all 3 others, the nearest of them b in 51.00% of impressions, ties counted \
                 half, but that may be chance: 86% confidence {after} of the ground truth"
            ))
        );
        assert_eq!(
            sentence(&truth(&[0.0; 4], None)),
            Some("by clicks, all 4 rankers are equal: they show the same lists".to_owned())
        );
        assert_eq!(sentence(&truth(&[0.0], None)), None);
        assert_eq!(sentence(&GroundTruth { comparisons: 0, ..truth(&[0.0, 0.1], None) }), None);
    }
}
