//! Effects of the order in which answers were shown, and judges who contradict themselves.

use super::{Finding, Test, TestData};
use crate::units::Units;
use statistics::bradley_terry::Point;
use statistics::fixed_sample::sign_test;
use statistics::{Counts, binomial_at_least, normal_above};

pub(super) fn tests(data: &TestData<'_>, units: &Units) -> Vec<Test> {
    let mut tests = Vec::new();
    let group = data.group;
    if let Some((effect, error)) = group.position() {
        let p = 2.0 * normal_above(effect.abs() / error);
        tests.push((p, Finding::Order { effect, error, share: share_of_first(data) }));
    }
    let both_orders = units.both_orders;
    if both_orders.asked > 0 {
        let (asked_pairs, answered_differently, first_twice) =
            (both_orders.asked, both_orders.differently, both_orders.first_twice);
        let sides = Counts::new(first_twice as u64, (answered_differently - first_twice) as u64, 0);
        tests.push((
            sign_test(sides),
            Finding::OrderInBoth { asked: asked_pairs, differently: answered_differently, first_twice },
        ));
        // Two independent answers without a preference for a side differ with a probability of at most a half.
        let p = binomial_at_least(answered_differently as u64, asked_pairs as u64, 0.5);
        tests.push((p, Finding::Contradictions { asked: asked_pairs, differently: answered_differently }));
    }
    tests.extend(judge_contradiction_test(data, units));
    tests
}

/// The share of points of the answer shown first.
fn share_of_first(data: &TestData<'_>) -> f64 {
    let (mut points, mut weight) = (0.0, 0.0);
    for unit in data.group.units.iter().filter(|unit| unit.comparison.position != 0.0) {
        let comparison = unit.comparison;
        let share = match comparison.point {
            Point::Share(share) => share,
            Point::Tie => 0.5,
        };
        let n = comparison.weight * comparison.copies as f64;
        points += n * if comparison.position > 0.0 { share } else { 1.0 - share };
        weight += n;
    }
    points / weight
}

/// The judge whose answers in both orders differ most significantly more often than the others'.
fn judge_contradiction_test(data: &TestData<'_>, units: &Units) -> Option<Test> {
    let all_orders = units.both_orders;
    let asked_judges: Vec<_> =
        units.both_orders_by_judge.iter().enumerate().filter(|(_, judge_orders)| judge_orders.asked > 0).collect();
    if asked_judges.len() < 2 {
        return None;
    }
    let (smallest_p, judge, judge_orders) = asked_judges
        .iter()
        .map(|(judge, judge_orders)| {
            (
                hypergeometric_tail(
                    judge_orders.differently,
                    judge_orders.asked,
                    all_orders.differently,
                    all_orders.asked,
                ),
                *judge,
                **judge_orders,
            )
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let finding = Finding::JudgeContradicts {
        judge: data.table.judges[judge].clone(),
        asked: judge_orders.asked,
        differently: judge_orders.differently,
        others: (all_orders.differently - judge_orders.differently) as f64
            / (all_orders.asked - judge_orders.asked).max(1) as f64,
    };
    Some((smallest_p * asked_judges.len() as f64, finding))
}

/// P(X >= found) for X hypergeometric: `drawn` of `all` are drawn, and `marked` of `all` are marked.
fn hypergeometric_tail(found: usize, drawn: usize, marked: usize, all: usize) -> f64 {
    let ln_choose = |n: usize, k: usize| {
        libm::lgamma(n as f64 + 1.0) - libm::lgamma(k as f64 + 1.0) - libm::lgamma((n - k) as f64 + 1.0)
    };
    let max_overlap = drawn.min(marked);
    let min_overlap = found.max((drawn + marked).saturating_sub(all));
    let term = |k: usize| ln_choose(marked, k) + ln_choose(all - marked, drawn - k) - ln_choose(all, drawn);
    (min_overlap..=max_overlap).map(|k| libm::exp(term(k))).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::hypergeometric_tail;

    #[test]
    fn hypergeometric_tails_equal_scipys() {
        // scipy.stats.hypergeom.sf(found - 1, all, marked, drawn)
        for (found, drawn, marked, all, expected) in [(3, 5, 8, 20, 0.296_181_630_546_955_7), (0, 4, 2, 9, 1.0)] {
            let p = hypergeometric_tail(found, drawn, marked, all);
            assert!((p - expected).abs() < 1e-9, "{p} {expected}");
        }
    }
}
