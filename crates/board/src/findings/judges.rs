//! Judges who deviate, and judges who alone determine the leader.

use super::{Finding, Test, TestData};
use crate::group::{fitted, strongest};
use statistics::bradley_terry::{Comparison, Point};
use statistics::{StatisticsError, normal_above};

/// The judge whose verdicts follow the strengths of all in reverse, most significantly.
///
/// Each judge's preferences are those of all times a slope; one step of Newton's method from a slope of 1 estimates it.
/// Clean judges have a slope near 1, so the test against "at least 0" raises a finding on them far less often than its level.
pub(super) fn reversed_judges(data: &TestData<'_>) -> Option<Test> {
    let group = data.group;
    let judges = data.table.judges.len();
    if judges < 2 {
        return None;
    }
    let mut sums = vec![(0.0, 0.0, 0_u64); judges];
    for unit in &group.units {
        let Some(judge) = unit.judge else { continue };
        let Comparison { first, second, point, weight, copies, slope, .. } = unit.comparison;
        let mut difference = group.fit.strengths()[first] - group.fit.strengths()[second];
        if slope.is_some() {
            difference *= group.fit.directions(&unit.comparison).entries()[0].1;
        }
        let expected = group.fit.expected_of(&unit.comparison);
        let (half, tied) = match point {
            Point::Share(share) => (share - 0.5, 0.0),
            Point::Tie => (0.0, 1.0),
        };
        let [score, _] = expected.score(half - expected.half, tied - expected.p[2]);
        let n = weight * copies as f64;
        let (slope, curvature, units) = &mut sums[judge as usize];
        *slope += n * score * difference;
        *curvature += n * expected.information()[0][0] * difference * difference;
        *units += copies;
    }
    let judge_count = sums.iter().filter(|sum| sum.1 > 0.0).count();
    let z = |sum: &(f64, f64, u64)| (1.0 + sum.0 / sum.1) * libm::sqrt(sum.1);
    let (judge, sum) =
        sums.iter().enumerate().filter(|(_, sum)| sum.1 > 0.0).min_by(|a, b| z(a.1).total_cmp(&z(b.1)))?;
    let p = normal_above(-z(sum)) * judge_count as f64;
    let judge = data.table.judges[judge].clone();
    Some((p, Finding::JudgeReversed { judge, units: sum.2, slope: 1.0 + sum.0 / sum.1 }))
}

/// A judge with at least this share of the table, and three times an equal share, is loud.
const LOUD_SHARE: f64 = 0.2;

/// A judge with much of the table, without whom another competitor is first.
pub(super) fn dominant_judge(data: &TestData<'_>) -> Result<Option<Finding>, StatisticsError> {
    let group = data.group;
    let mut units = vec![0_u64; data.table.judges.len()];
    let mut unit_count = 0;
    for unit in &group.units {
        unit_count += unit.comparison.copies;
        if let Some(judge) = unit.judge {
            units[judge as usize] += unit.comparison.copies;
        }
    }
    let judge_count = units.iter().filter(|count| **count > 0).count();
    let Some((judge, &max_units)) =
        units.iter().enumerate().max_by_key(|(judge, count)| (**count, std::cmp::Reverse(*judge)))
    else {
        return Ok(None);
    };
    let share = max_units as f64 / unit_count as f64;
    // With two judges, each decides what the other leaves open.
    if judge_count < 3 || share < LOUD_SHARE || share * (judge_count as f64) < 3.0 {
        return Ok(None);
    }
    let other_comparisons: Vec<Comparison> =
        group.units.iter().filter(|unit| unit.judge != Some(judge as u32)).map(|unit| unit.comparison).collect();
    let fit = fitted(group.fit.arms(), &other_comparisons, group.fit.ties())?;
    let (leader_with, leader_without) = (strongest(group.fit.strengths()), strongest(fit.strengths()));
    Ok((leader_with != leader_without).then(|| Finding::LoudJudge {
        judge: data.table.judges[judge].clone(),
        share,
        with: data.name(leader_with),
        without: data.name(leader_without),
    }))
}
