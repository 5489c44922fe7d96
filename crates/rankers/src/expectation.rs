//! Expectations over all orders of tied documents, each order being equally likely.
//!
//! Within a tie group of n documents, r of them relevant, each rank has a relevant document with probability r / n, and
//! given one, each other rank of the group has one with probability (r - 1) / (n - 1).
//!
//! - F. McSherry, M. Najork. *Computing information retrieval performance measures efficiently in the presence of tied
//!   scores.* ECIR 2008. <https://doi.org/10.1007/978-3-540-78646-7_38>

use interleave::{RankedList, TieGroup};

/// The tie groups among the first `shown` documents; the last one ends with them.
fn tie_groups(list: RankedList<'_>, shown: usize) -> impl Iterator<Item = TieGroup> {
    let shown = shown.min(list.len()) as u16;
    let mut rank = 0;
    std::iter::from_fn(move || {
        let start = rank;
        rank = if start < shown { list.group_at(start.into()).end.clamp(start + 1, shown) } else { return None };
        Some(TieGroup { start, end: rank })
    })
}

/// The sum over the first `shown` ranks of gain times weight. `cumulative_weights[r]` is the sum of the weights of ranks 1 to r;
/// ranks beyond them have weight 0, as have documents without a gain.
pub(crate) fn weighted_sum(list: RankedList<'_>, shown: usize, gains: &[f64], cumulative_weights: &[f64]) -> f64 {
    let cutoff = cumulative_weights.len() - 1;
    let mut sum = 0.0;
    for group in tie_groups(list, shown).take_while(|group| group.ranks().start < cutoff) {
        let gain: f64 = list.tied(group).map(|doc| gains.get(doc.index()).unwrap_or(&0.0)).sum();
        let weight = cumulative_weights[group.ranks().end.min(cutoff)] - cumulative_weights[group.ranks().start];
        sum += gain / group.size() as f64 * weight;
    }
    sum
}

/// The documents among the first `shown` with their expected weights; `cumulative_weights` as in [`weighted_sum`], and documents beyond them are left out.
pub(crate) fn document_weights(
    list: RankedList<'_>,
    shown: usize,
    cumulative_weights: &[f64],
) -> impl Iterator<Item = (usize, f64)> {
    let cutoff = cumulative_weights.len() - 1;
    let groups = tie_groups(list, shown).take_while(move |group| group.ranks().start < cutoff);
    groups.flat_map(move |group| {
        let weight = cumulative_weights[group.ranks().end.min(cutoff)] - cumulative_weights[group.ranks().start];
        list.tied(group).map(move |doc| (doc.index(), weight / group.size() as f64))
    })
}

/// The sum over the relevant documents among the first `shown` and up to rank `cutoff` of the precision at their ranks.
pub(crate) fn precision_sum(list: RankedList<'_>, shown: usize, relevant: &[bool], cutoff: usize) -> f64 {
    let (mut sum, mut before) = (0.0, 0.0);
    for group in tie_groups(list, shown).take_while(|group| group.ranks().start < cutoff) {
        let (start, n, r) = (group.ranks().start, group.size() as f64, count_relevant(list, group, relevant) as f64);
        if r > 0.0 {
            let others = if n > 1.0 { (r - 1.0) / (n - 1.0) } else { 0.0 };
            for place in 0..group.size().min(cutoff - start) {
                let found = before + 1.0 + place as f64 * others;
                sum += r / n * found / (start + place + 1) as f64;
            }
        }
        before += r;
    }
    sum
}

/// 1 / the rank of the first relevant document among the first `shown` and up to rank `cutoff`; 0 without one.
pub(crate) fn reciprocal_rank(list: RankedList<'_>, shown: usize, relevant: &[bool], cutoff: usize) -> f64 {
    let first = tie_groups(list, shown).find(|&group| count_relevant(list, group, relevant) > 0);
    let Some(group) = first else { return 0.0 };
    let (start, r) = (group.ranks().start, count_relevant(list, group, relevant));
    let (mut sum, mut none_before) = (0.0, 1.0);
    for place in 0..=group.size() - r {
        if start + place >= cutoff {
            break;
        }
        let left = (group.size() - place) as f64;
        sum += none_before * (r as f64 / left) / (start + place + 1) as f64;
        none_before *= (left - r as f64) / left;
    }
    sum
}

/// The relevant documents of a group.
fn count_relevant(list: RankedList<'_>, group: TieGroup, relevant: &[bool]) -> usize {
    list.tied(group).filter(|doc| relevant.get(doc.index()) == Some(&true)).count()
}

#[cfg(test)]
mod tests {
    use interleave::ListBuf;
    use proptest::prelude::*;

    use super::*;

    /// All orders of `items`.
    fn orders(items: &[usize]) -> Vec<Vec<usize>> {
        if items.len() <= 1 {
            return vec![items.to_vec()];
        }
        let with_first = |at: usize| {
            let rest: Vec<usize> = items.iter().copied().filter(|item| *item != items[at]).collect();
            orders(&rest).into_iter().map(move |order| std::iter::once(items[at]).chain(order).collect())
        };
        (0..items.len()).flat_map(with_first).collect()
    }

    proptest! {
        #[test]
        fn expectations_are_means_over_all_orders_of_ties(
            documents in proptest::collection::vec((0_u8..3, any::<bool>()), 1..7),
            cutoff in 1_usize..8,
            without_last in any::<bool>(),
        ) {
            let scores: Vec<f64> = documents.iter().map(|(score, _)| f64::from(*score)).collect();
            let relevant: Vec<bool> = documents.iter().map(|(_, relevant)| *relevant).collect();
            let list = ListBuf::from_scores(&scores).unwrap();
            let list = list.as_list();
            // The documents of the lowest score may not be shown.
            let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
            let shown = if without_last { scores.iter().filter(|score| **score > lowest).count() } else { scores.len() };

            let all = orders(&(0..scores.len()).collect::<Vec<_>>());
            let sorted = |order: &&Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
            let orders: Vec<Vec<bool>> = all
                .iter()
                .filter(sorted)
                .map(|order| order.iter().take(shown).map(|&doc| relevant[doc]).collect())
                .collect();
            let mean = |value: &dyn Fn(&[bool]) -> f64| {
                orders.iter().map(|order| value(order)).sum::<f64>() / orders.len() as f64
            };
            let near = |one: f64, other: f64| (one - other).abs() < 1e-12;

            let precisions = mean(&|order| {
                let hits = |rank: usize| order[..=rank].iter().filter(|hit| **hit).count() as f64;
                (0..order.len().min(cutoff)).filter(|&rank| order[rank]).map(|rank| hits(rank) / (rank + 1) as f64).sum()
            });
            prop_assert!(near(precision_sum(list, shown, &relevant, cutoff), precisions));
            let first = mean(&|order| {
                order.iter().take(cutoff).position(|hit| *hit).map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
            });
            prop_assert!(near(reciprocal_rank(list, shown, &relevant, cutoff), first));
            let weight = |rank: usize| 1.0 / (rank * rank) as f64;
            let weights: Vec<f64> = (0..=cutoff).map(|most| (1..=most).map(weight).sum()).collect();
            let gains: Vec<f64> = relevant.iter().map(|hit| f64::from(u8::from(*hit))).collect();
            let weighted = mean(&|order| {
                (0..order.len().min(cutoff)).filter(|&rank| order[rank]).map(|rank| weight(rank + 1)).sum()
            });
            prop_assert!(near(weighted_sum(list, shown, &gains, &weights), weighted));
        }
    }
}
