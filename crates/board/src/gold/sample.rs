//! Tests whether the questions that people judged can be a random sample of those of the model.
//!
//! For each competitor, two sums over questions are compared with those expected of a sample: how often it takes part, and its points by
//! the model. Questions of an item stay together, because a sample of whole items is a random sample, too.

use crate::correction::Question;
use crate::findings::{Finding, Test};
use crate::units::Unit;
use statistics::student_outside;

/// The competitor that is most surely too often, or too well judged by the model, in people's questions.
pub(crate) fn tests(competitors: &[String], people: &[Unit], questions: &[Question]) -> Vec<Test> {
    let mut weights = vec![0.0; questions.len()];
    for unit in people {
        if let Some(question_index) = Question::find(questions, unit) {
            weights[question_index] += unit.comparison.weight;
        }
    }
    let total_weight: f64 = weights.iter().sum();
    let density = total_weight / questions.len() as f64;
    let mut by_item: Vec<usize> = (0..questions.len()).collect();
    by_item.sort_by_key(|question_index| questions[*question_index].item);
    let mut tests = Vec::new();
    let names = competitors.len();
    // By competitor: how often it takes part, and the model's points of it less a half.
    let values = |question_index: usize| {
        let question = &questions[question_index];
        let excess = question.points() - 0.5;
        [(question.predicted.first, [1.0, excess]), (question.predicted.second, [1.0, -excess])]
    };
    let mut means = vec![[0.0; 2]; names];
    for (name, value) in (0..questions.len()).flat_map(values) {
        means[name].iter_mut().zip(value).for_each(|(mean, value)| *mean += value / questions.len() as f64);
    }
    let (mut sums, mut squares) = (vec![[0.0; 2]; names], vec![[0.0; 2]; names]);
    let mut clusters = 0_u32;
    let mut sum = vec![[0.0; 2]; names];
    for item in by_item.chunk_by(|a, b| questions[*a].item == questions[*b].item) {
        clusters += 1;
        let surplus: f64 = item.iter().map(|question_index| weights[*question_index] - density).sum();
        sum.iter_mut().zip(&means).for_each(|(sum, mean)| *sum = mean.map(|mean| -surplus * mean));
        for question_index in item {
            for (name, value) in values(*question_index) {
                sum[name]
                    .iter_mut()
                    .zip(value)
                    .for_each(|(sum, value)| *sum += (weights[*question_index] - density) * value);
            }
        }
        for ((sum, total_weight), squares) in sum.iter().zip(&mut sums).zip(&mut squares) {
            for kind in 0..2 {
                total_weight[kind] += sum[kind];
                squares[kind] += sum[kind] * sum[kind];
            }
        }
    }
    if clusters < 2 {
        return tests;
    }
    let statements = 2.0 * names as f64;
    for name in 0..names {
        for kind in 0..2 {
            let variance = squares[name][kind] * f64::from(clusters) / f64::from(clusters - 1);
            if variance <= 1e-12 * total_weight * total_weight {
                continue;
            }
            let t = sums[name][kind].abs() / libm::sqrt(variance);
            let mean = means[name][kind];
            let (observed_mean, expected_mean) = (mean + sums[name][kind] / total_weight, mean);
            let p = statements * student_outside(t, f64::from(clusters - 1));
            let competitor = competitors[name].clone();
            tests.push((
                p,
                Finding::NotRandom { competitor, points: kind == 1, found: observed_mean, expected: expected_mean },
            ));
        }
    }
    // The surest speaks for all: its p-value is that of all together.
    tests.sort_by(|a, b| a.0.total_cmp(&b.0));
    tests.truncate(1);
    tests
}
