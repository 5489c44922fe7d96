//! Any number of rankers; each method returns one score per ranker.

use rand::RngExt;

use super::{clicks, draw, order, ranks, shuffled, softmax};
use crate::{Doc, Examination, Generator, RankedList};

/// A drafted list, and the ranker that added each document.
fn draft(orders: &[Vec<Doc>], length: usize, generator: &mut Generator) -> (Vec<Doc>, Vec<usize>) {
    let (mut shown, mut owners) = (Vec::<Doc>::new(), Vec::new());
    let length = length.min(orders.first().map_or(0, Vec::len));
    while shown.len() < length {
        for x in shuffled(orders.len(), generator) {
            if let Some(&doc) = orders[x].iter().find(|doc| !shown.contains(doc))
                && shown.len() < length
            {
                shown.push(doc);
                owners.push(x);
            }
        }
    }
    (shown, owners)
}

fn orders(lists: &[RankedList<'_>], generator: &mut Generator) -> Vec<Vec<Doc>> {
    lists.iter().map(|&list| order(list, generator)).collect()
}

/// Team-draft multileaving: a click counts for the ranker that added the document.
pub fn team_draft(
    lists: &[RankedList<'_>],
    length: usize,
    generator: &mut Generator,
    user: impl FnMut(Doc) -> Examination,
) -> Vec<f64> {
    let (shown, owners) = draft(&orders(lists, generator), length, generator);
    let mut scores = vec![0.0; lists.len()];
    clicks(&shown, user).into_iter().for_each(|position| scores[owners[position]] += 1.0);
    scores
}

/// SOSM: a click counts by the rank that each ranker gives the document among those shown.
pub fn sosm(
    lists: &[RankedList<'_>],
    length: usize,
    tau: f64,
    generator: &mut Generator,
    user: impl FnMut(Doc) -> Examination,
) -> Vec<f64> {
    let orders = orders(lists, generator);
    let (shown, _) = draft(&orders, length, generator);
    let clicked = clicks(&shown, user);
    let score = |order: &Vec<Doc>| {
        let sample: Vec<Doc> = order.iter().copied().filter(|doc| shown.contains(doc)).collect();
        let ranks = ranks_in(&sample, &shown);
        clicked.iter().map(|&position| libm::pow(ranks[position] as f64 + 1.0, -tau)).sum()
    };
    orders.iter().map(score).collect()
}

fn ranks_in(order: &[Doc], shown: &[Doc]) -> Vec<usize> {
    shown.iter().map(|doc| order.iter().position(|other| other == doc).unwrap_or(order.len())).collect()
}

/// Probabilistic multileaving, in expectation over the contributor of each clicked document.
pub fn probabilistic_multileave(
    lists: &[RankedList<'_>],
    length: usize,
    tau: f64,
    generator: &mut Generator,
    user: impl FnMut(Doc) -> Examination,
) -> Vec<f64> {
    let orders = orders(lists, generator);
    let length = length.min(orders.first().map_or(0, Vec::len));
    let mut shown = Vec::new();
    while shown.len() < length {
        for x in shuffled(orders.len(), generator) {
            if shown.len() < length {
                let chances = softmax(&orders[x], &shown, tau);
                shown.push(draw(&chances, &shown, generator));
            }
        }
    }
    let mut scores = vec![0.0; lists.len()];
    for position in clicks(&shown, user) {
        let chances = orders.iter().map(|order| softmax(order, &shown[..position], tau)[shown[position].index()]);
        let chances: Vec<f64> = chances.collect();
        let total: f64 = chances.iter().sum();
        scores.iter_mut().zip(chances).for_each(|(score, chance)| *score += chance / total);
    }
    scores
}

/// Pairwise preference multileaving, every clicked document against every unclicked one down to the
/// position below the last click.
pub fn pairwise_preference(
    lists: &[RankedList<'_>],
    length: usize,
    generator: &mut Generator,
    user: impl FnMut(Doc) -> Examination,
) -> Vec<f64> {
    let orders = orders(lists, generator);
    let documents = orders.first().map_or(0, Vec::len);
    let (mut shown, mut choices) = (Vec::new(), Vec::new());
    for position in 0..length.min(documents) {
        let top = |doc: &Doc| orders.iter().any(|order| order[..=position].contains(doc));
        let free: Vec<Doc> = (0..documents as u16).map(Doc).filter(|doc| top(doc) && !shown.contains(doc)).collect();
        shown.push(free[generator.random_range(0..free.len())]);
        choices.push(free.len());
    }
    let clicked = clicks(&shown, user);
    let mut scores = vec![0.0; lists.len()];
    let Some(&last) = clicked.last() else {
        return scores;
    };
    let ranks: Vec<Vec<usize>> = orders.iter().map(|order| ranks(order)).collect();
    let top = |doc: Doc| ranks.iter().map(|ranks| ranks[doc.index()]).min().unwrap_or(0);
    for &better in &clicked {
        for worse in (0..shown.len().min(last + 2)).filter(|position| !clicked.contains(position)) {
            let (a, b) = (shown[better], shown[worse]);
            let [high, low] = [top(a).min(top(b)), top(a).max(top(b))];
            if better < low || worse < low {
                continue;
            }
            let chance: f64 = choices[high..low].iter().map(|&choices| 1.0 - 1.0 / choices as f64).product();
            for (score, ranks) in scores.iter_mut().zip(&ranks) {
                if ranks[a.index()] < ranks[b.index()] {
                    *score += 1.0 / chance;
                }
            }
        }
    }
    scores
}
