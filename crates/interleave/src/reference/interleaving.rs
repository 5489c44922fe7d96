//! Two rankers.

use rand::RngExt;

use super::{clicks, draw, order, softmax};
use crate::{CreditTies, Doc, Examination, Generator, Preference, RankedList};

/// Probabilistic interleaving, credit by all assignments of the clicked documents to the rankers.
pub fn probabilistic(
    lists: [RankedList<'_>; 2],
    length: usize,
    tau: f64,
    ties: CreditTies,
    generator: &mut Generator,
    user: impl FnMut(Doc) -> Examination,
) -> Preference {
    let drawn = lists.map(|list| order(list, generator));
    let mut shown = Vec::new();
    while shown.len() < length.min(drawn[0].len()) {
        let chances = softmax(&drawn[usize::from(generator.random::<bool>())], &shown, tau);
        shown.push(draw(&chances, &shown, generator));
    }
    let clicked = clicks(&shown, user);

    let credited = match ties {
        CreditTies::Same => drawn,
        CreditTies::Redrawn => lists.map(|list| order(list, generator)),
    };
    let second: Vec<f64> = clicked
        .iter()
        .map(|&position| {
            let [p1, p2] = [0, 1].map(|x| softmax(&credited[x], &shown[..position], tau)[shown[position].index()]);
            p2 / (p1 + p2)
        })
        .collect();
    let mut expected = 0.0;
    for owners in 0_u32..1 << clicked.len() {
        let mine = |click: usize| owners >> click & 1 == 1;
        let p: f64 = second.iter().enumerate().map(|(click, q)| if mine(click) { *q } else { 1.0 - q }).product();
        expected += p * f64::from((2 * owners.count_ones() as i32 - clicked.len() as i32).signum());
    }
    if expected.abs() < 1e-9 {
        Preference::Tie
    } else if expected > 0.0 {
        Preference::Second
    } else {
        Preference::First
    }
}
