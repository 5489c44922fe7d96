//! How well a model agrees with people on the questions that both judged, and the competitors that it favours.

use crate::correction::{Key, Question};
use crate::estimate::Estimate;
use crate::group::{GroupFit, fitted};
use crate::units::Unit;
use crate::{Order, Table};
use serde::Serialize;
use statistics::fixed_sample::{holm, kappa};
use statistics::{Preference, StatisticsError, student_outside};

/// The agreement of one judge of the model with people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// The judge.
    pub judge: String,
    /// The number of people's judgements on questions that it judged, too.
    pub common: u64,
    /// The share of these on which it gives the same answer: a win of the same competitor, or a tie.
    pub agreed: f64,
    /// Cohen's kappa over win, loss and tie, each judgement read from both sides, with its jackknife error over questions; `None` if chance alone always agrees.
    pub kappa: Option<Estimate>,
    /// The advantage that it gives the answer shown first, on the scale of strengths, over all its questions; `None` if the order is unknown
    /// or cannot be distinguished from the names.
    pub first_shown: Option<Estimate>,
}

/// How much more, or less, the model gives a competitor than people do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Favour {
    /// The competitor.
    pub name: String,
    /// The share of points that it gets from the model less that from people, on questions that both judged: -1 to 1.
    pub difference: Estimate,
    /// The p-value of "none", corrected for all competitors (Holm).
    pub p_value: f64,
}

/// The agreement of each judge of the model with people's units.
pub(super) fn agreements(
    people: &[Unit],
    model: &Table,
    units: &[Unit],
    group: &GroupFit,
) -> Result<Vec<Agreement>, StatisticsError> {
    (0..model.judges.len() as u32)
        .map(|judge| {
            let judge_units: Vec<Unit> = units.iter().filter(|unit| unit.judge == Some(judge)).copied().collect();
            let first_shown = if model.order == Order::Shown { first_shown(&judge_units, group)? } else { None };
            let questions = Question::questions_of(&judge_units);
            let mut common: Vec<(usize, [usize; 2], f64)> = people
                .iter()
                .filter_map(|unit| {
                    let question_index = Question::find(&questions, unit)?;
                    let judged = category(Preference::of_net(questions[question_index].points() - 0.5));
                    Some((question_index, [category(unit.outcome()), judged], unit.comparison.weight))
                })
                .collect();
            common.sort_by_key(|one| one.0);
            let mut counts = [[0.0; 3]; 3];
            common.iter().for_each(|(_, judged, weight)| add(&mut counts, *judged, *weight));
            let total_weight: f64 = counts.iter().flatten().sum();
            Ok(Agreement {
                judge: model.judges[judge as usize].clone(),
                common: common.len() as u64,
                agreed: if total_weight > 0.0 { (0..3).map(|k| counts[k][k]).sum::<f64>() / total_weight } else { 0.0 },
                kappa: kappa(&counts).map(|value| Estimate { value, error: jackknife(&common, &counts, value) }),
                first_shown,
            })
        })
        .collect()
}

fn category(outcome: Preference) -> usize {
    match outcome {
        Preference::First => 0,
        Preference::Second => 1,
        Preference::Tie => 2,
    }
}

/// Counts the answers of people and the model, for either of the two competitors as the first: their order has no
/// meaning.
fn add(counts: &mut [[f64; 3]; 3], [row, column]: [usize; 2], weight: f64) {
    const TURNED: [usize; 3] = [1, 0, 2];
    counts[row][column] += 0.5 * weight;
    counts[TURNED[row]][TURNED[column]] += 0.5 * weight;
}

/// The error of a kappa, leaving out one question after the other.
fn jackknife(common: &[(usize, [usize; 2], f64)], counts: &[[f64; 3]; 3], total: f64) -> f64 {
    let leave_one_out: Vec<f64> = common
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| {
            let mut remaining = *counts;
            same.iter().for_each(|(_, said, weight)| add(&mut remaining, *said, -weight));
            kappa(&remaining).unwrap_or(total)
        })
        .collect();
    let n = leave_one_out.len() as f64;
    let mean = leave_one_out.iter().sum::<f64>() / n;
    libm::sqrt((n - 1.0) / n * leave_one_out.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>())
}

/// The effect of the order on a judge of the model, by a separate fit among the members of a group.
fn first_shown(units: &[Unit], group: &GroupFit) -> Result<Option<Estimate>, StatisticsError> {
    let member_index = |member: usize| group.members.iter().position(|other| *other == member);
    let local = |unit: &Unit| {
        let (first, second) = (member_index(unit.comparison.first)?, member_index(unit.comparison.second)?);
        Some(statistics::bradley_terry::Comparison { first, second, ..unit.comparison })
    };
    let (comparisons, items): (Vec<_>, Vec<u32>) =
        units.iter().filter_map(|unit| Some((local(unit)?, unit.item?))).unzip();
    if comparisons.is_empty() {
        return Ok(None);
    }
    let fit = fitted(group.members.len(), &comparisons, group.fit.ties())?;
    Ok(fit.position().zip(fit.position_place()).map(|(value, member_index)| {
        let variance = fit.sandwich(&comparisons, Some(&items), true)[member_index * fit.size() + member_index];
        Estimate { value, error: libm::sqrt(variance.max(0.0)) }
    }))
}

/// For each competitor that both judged, how much more the model gives it than people do, with errors by item or by
/// question.
pub(super) fn favours(
    people: &Table,
    units: &[Unit],
    questions: &[Question],
    by_item: bool,
) -> Result<Vec<Favour>, StatisticsError> {
    let mut by_name: Vec<Vec<(Key, f64, f64)>> = vec![Vec::new(); people.names.len()];
    for unit in units {
        let Some(question_index) = Question::find(questions, unit) else { continue };
        let comparison = unit.comparison;
        let [win, _, tie] = comparison.point.shares();
        let excess = questions[question_index].points() - win - 0.5 * tie;
        let item = questions[question_index].item;
        let cluster = if by_item { (0, 0, item) } else { (comparison.first, comparison.second, item) };
        by_name[comparison.first].push((cluster, comparison.weight, excess));
        by_name[comparison.second].push((cluster, comparison.weight, -excess));
    }
    let mut favours = Vec::new();
    for (name, mut differences) in by_name.into_iter().enumerate() {
        differences.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
        let weight: f64 = differences.iter().map(|one| one.1).sum();
        let clusters: Vec<&[(Key, f64, f64)]> = differences.chunk_by(|a, b| a.0 == b.0).collect();
        if clusters.len() < 2 {
            continue;
        }
        let value = differences.iter().map(|one| one.1 * one.2).sum::<f64>() / weight;
        let square = |same: &&[(Key, f64, f64)]| {
            let sum: f64 = same.iter().map(|one| one.1 * (one.2 - value)).sum();
            sum * sum
        };
        let n = clusters.len() as f64;
        let error = libm::sqrt(n / (n - 1.0) * clusters.iter().map(square).sum::<f64>()) / weight;
        let p = if error > 0.0 { student_outside(value.abs() / error, n - 1.0) } else { 1.0 };
        favours.push((people.names[name].clone(), Estimate { value, error }, p));
    }
    let corrected = holm(&favours.iter().map(|one| one.2).collect::<Vec<_>>())?;
    let favour = |((name, difference, _), p_value)| Favour { name, difference, p_value };
    Ok(favours.into_iter().zip(corrected).map(favour).collect())
}
