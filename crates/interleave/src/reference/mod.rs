//! The usual methods step by step as the papers describe them: every ranker's ties broken, the whole list drawn,
//! every probability computed from scratch. Not here: anything shared with the fast forms.
//!
//! Tests compare the fast forms with these (`tests/all/reference_forms.rs`), and `cargo xtask bench methods` times
//! both. Lists must contain all documents.

mod interleaving;
mod multileaving;

pub use interleaving::probabilistic;
pub use multileaving::{pairwise_preference, probabilistic_multileave, sosm, team_draft};

use rand::RngExt;

use crate::{Doc, Examination, Generator, RankedList};

/// A ranker's order with its ties broken at random.
fn order(list: RankedList<'_>, generator: &mut Generator) -> Vec<Doc> {
    let mut order: Vec<Doc> = list.docs().collect();
    for group in order.chunk_by_mut(|&a, &b| list.group(a) == list.group(b)) {
        for last in (1..group.len()).rev() {
            group.swap(last, generator.random_range(0..=last));
        }
    }
    order
}

/// The 0-based rank of each document.
fn ranks(order: &[Doc]) -> Vec<usize> {
    let mut ranks = vec![0; order.len()];
    for (rank, doc) in order.iter().enumerate() {
        ranks[doc.index()] = rank;
    }
    ranks
}

/// By document, the probability that a ranker draws it next: rank^-tau among those not `gone`.
fn softmax(order: &[Doc], gone: &[Doc], tau: f64) -> Vec<f64> {
    let weight = |rank: usize, doc| if gone.contains(&doc) { 0.0 } else { libm::pow(rank as f64 + 1.0, -tau) };
    let mut chances = vec![0.0; order.len()];
    for (rank, &doc) in order.iter().enumerate() {
        chances[doc.index()] = weight(rank, doc);
    }
    let total: f64 = chances.iter().sum();
    chances.iter_mut().for_each(|chance| *chance /= total);
    chances
}

/// A document by its chances, of those not `gone`.
fn draw(chances: &[f64], gone: &[Doc], generator: &mut Generator) -> Doc {
    let mut left = generator.random::<f64>();
    let mut last = None;
    for (doc, &chance) in (0..).map(Doc).zip(chances) {
        if gone.contains(&doc) {
            continue;
        }
        last = Some(doc);
        if left < chance {
            break;
        }
        left -= chance;
    }
    last.expect("a document is left")
}

/// The rankers in the random order of one round.
fn shuffled(rankers: usize, generator: &mut Generator) -> Vec<usize> {
    let mut turns: Vec<usize> = (0..rankers).collect();
    for last in (1..rankers).rev() {
        turns.swap(last, generator.random_range(0..=last));
    }
    turns
}

/// The positions clicked by a user who reads `list` from the top.
fn clicks(list: &[Doc], mut user: impl FnMut(Doc) -> Examination) -> Vec<usize> {
    let mut clicked = Vec::new();
    for (position, &doc) in list.iter().enumerate() {
        let examination = user(doc);
        if examination.clicked {
            clicked.push(position);
        }
        if examination.abandons {
            break;
        }
    }
    clicked
}
