//! The lists that optimized interleaving may show.
#![expect(clippy::disallowed_types, reason = "looked up by key only; its order reaches nothing")]

use std::collections::HashMap;

use crate::Doc;

/// The lists that walks down two rankers' tops can give.
pub(super) struct Walk<'a> {
    tops: [&'a [Doc]; 2],
    /// For each document of a top, its place in the other, or that one's end.
    others: [Vec<usize>; 2],
    length: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(tops: [&'a [Doc]; 2], length: usize) -> Self {
        let place_count = tops.map(|top| {
            let place_count: HashMap<Doc, usize> = top.iter().copied().zip(0..).collect();
            place_count
        });
        let others = [0, 1].map(|x: usize| {
            let place = |doc| place_count[1 - x].get(doc).copied().unwrap_or(usize::MAX);
            tops[x].iter().map(place).collect()
        });
        Self { tops, others, length }
    }

    /// The next document of each ranker: documents above `at` in either top have been shown.
    fn next(&self, at: &mut [usize; 2]) -> [Option<Doc>; 2] {
        for x in [0, 1] {
            while self.others[x].get(at[x]).is_some_and(|&other| other < at[1 - x]) {
                at[x] += 1;
            }
        }
        [0, 1].map(|x| self.tops[x].get(at[x]).copied())
    }

    /// Every list, once; `None` where there are more than `max_lists`.
    pub(super) fn all_lists(&self, max_lists: usize) -> Option<Vec<Vec<Doc>>> {
        let mut lists: Vec<(Vec<Doc>, [usize; 2])> = vec![(Vec::new(), [0, 0])];
        for _ in 0..self.length {
            for i in 0..lists.len() {
                let (list, depth) = &mut lists[i];
                let docs = self.next(depth);
                let [Some(first), Some(second)] = docs else {
                    // Either ranker alone, or neither.
                    for (x, doc) in docs.into_iter().enumerate() {
                        list.extend(doc);
                        depth[x] += usize::from(doc.is_some());
                    }
                    continue;
                };
                if first != second {
                    let mut branch = (list.clone(), *depth);
                    branch.0.push(second);
                    branch.1[1] += 1;
                    lists.push(branch);
                    if lists.len() > max_lists {
                        return None;
                    }
                }
                let (list, depth) = &mut lists[i];
                list.push(first);
                depth[0] += 1;
            }
        }
        Some(lists.into_iter().map(|(list, _)| list).collect())
    }

    /// The list of a walk by these coins.
    pub(super) fn flipped(&self, flips: impl Iterator<Item = bool>) -> Vec<Doc> {
        let mut list = Vec::new();
        let mut at = [0, 0];
        for flip in flips {
            let docs = self.next(&mut at);
            let x = usize::from(flip);
            let x = if docs[x].is_some() { x } else { 1 - x };
            list.extend(docs[x]);
            at[x] += usize::from(docs[x].is_some());
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutations(n: u16) -> Vec<Vec<Doc>> {
        let mut all = vec![vec![]];
        for _ in 0..n {
            let longer = |order: &Vec<Doc>| {
                let rest = (0..n).map(Doc).filter(|doc| !order.contains(doc));
                rest.map(|doc| [order.as_slice(), &[doc]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// All lists of `length` documents with every prefix a union of prefixes of the two.
    fn allowed(orders: [&[Doc]; 2], n: u16, length: usize) -> Vec<Vec<Doc>> {
        let is_union = |prefix: &[Doc]| {
            (0..=prefix.len()).any(|i| {
                (0..=prefix.len()).any(|j| {
                    let tops = orders[0].iter().take(i).chain(orders[1].iter().take(j));
                    let mut tops: Vec<Doc> = tops.copied().collect();
                    tops.sort_unstable();
                    tops.dedup();
                    let mut prefix = prefix.to_vec();
                    prefix.sort_unstable();
                    prefix == tops
                })
            })
        };
        let mut all: Vec<Vec<Doc>> = permutations(n)
            .into_iter()
            .map(|mut list| {
                list.truncate(length);
                list
            })
            .filter(|list| (1..=list.len()).all(|k| is_union(&list[..k])))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn all_allowed_lists_and_no_others() {
        let first = &permutations(4)[5];
        for second in permutations(4) {
            for length in 0..=4 {
                let tops = [first, &second].map(|order| &order[..length]);
                let mut lists = Walk::new(tops, length).all_lists(16).unwrap();
                lists.sort_unstable();
                assert_eq!(lists, allowed([first, &second], 4, length));
                assert_eq!(Walk::new(tops, length).all_lists(lists.len() - 1).is_none(), lists.len() > 1);
                // Every walk by coins is one of them.
                for coins in 0..16 {
                    let flips = (0..length).map(|n| coins >> n & 1 == 1);
                    assert!(lists.contains(&Walk::new(tops, length).flipped(flips)));
                }
            }
        }
        // Lists that end, and share nothing.
        let tops: [&[Doc]; 2] = [&[Doc(0), Doc(1)], &[Doc(2)]];
        assert_eq!(Walk::new(tops, 9).all_lists(9).unwrap().len(), 3);
    }
}
