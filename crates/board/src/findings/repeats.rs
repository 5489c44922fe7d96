//! Duplicate rows.

use super::{Finding, Test};
use crate::units::Units;
use crate::{Answer, Table};
use statistics::binomial_at_least;

/// How often a judge repeats the same answer to the same question, at most. Copies of rows always agree.
const MAX_AGREEMENT: f64 = 0.7;

/// Whether rows repeat earlier ones more often than chance does, and agree more often than answers do.
pub(super) fn duplicates(table: &Table, units: &Units) -> Option<Test> {
    if table.items.is_empty() || table.judges.is_empty() {
        return None;
    }
    let mut rows: Vec<_> = table
        .judgements
        .iter()
        .filter(|row| row.first != row.second)
        .filter_map(|row| Some(((row.first, row.second, row.item?, row.judge?), answer_key(row.verdict))))
        .collect();
    let n = rows.len() as f64;
    let expected = 0.5
        * n
        * (n - 1.0)
        * coincidence(rows.iter().map(|row| (row.0.0, row.0.1)).collect())
        * coincidence(rows.iter().map(|row| row.0.2).collect())
        * coincidence(rows.iter().map(|row| row.0.3).collect());
    rows.sort_unstable();
    let (mut repeats, mut agreeing, mut pairs) = (0_u64, 0_u64, 0_u64);
    for equal_rows in rows.chunk_by(|a, b| a.0 == b.0).filter(|equal_rows| equal_rows.len() > 1) {
        let kind_count = equal_rows.chunk_by(|a, b| a.1 == b.1).count();
        repeats += equal_rows.len() as u64 - 1;
        agreeing += (equal_rows.len() - kind_count) as u64;
        pairs += (equal_rows.len() * (equal_rows.len() - 1) / 2) as u64;
    }
    // By chance, pairs of rows coincide as events of a Poisson distribution do; copies agree.
    let p = poisson_at_least(pairs, expected).max(binomial_at_least(agreeing, repeats, MAX_AGREEMENT));
    Some((p, Finding::Duplicates { rows: units.tally.duplicates, expected }))
}

fn answer_key(verdict: Answer) -> (u8, u64) {
    match verdict {
        Answer::First => (0, 0),
        Answer::Second => (1, 0),
        Answer::Tie => (2, 0),
        Answer::BothBad => (3, 0),
        Answer::Score(score) => (4, score.to_bits()),
        Answer::Corrected { points, .. } => (5, points.to_bits()),
    }
}

/// The probability that two draws from these values are the same.
fn coincidence<K: Ord>(mut values: Vec<K>) -> f64 {
    values.sort_unstable();
    let n = values.len().max(1) as f64;
    values.chunk_by(|a, b| a == b).map(|same| same.len() as f64 / n).map(|share| share * share).sum()
}

/// P(X >= k) for X with a Poisson distribution.
fn poisson_at_least(k: u64, mean: f64) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if mean == 0.0 {
        return 0.0;
    }
    let term = |j: u64| libm::exp(j as f64 * libm::log(mean) - mean - libm::lgamma(j as f64 + 1.0));
    // Terms beyond the mean fall faster than a geometric series.
    let far = k.max(mean as u64) + 40 + 10 * mean.sqrt() as u64;
    (k..=far).map(term).sum::<f64>().min(1.0)
}
