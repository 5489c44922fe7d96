//! Drawing documents by their ranks, for any number of rankers: the probabilistic lists.
//!
//! No cost grows with the documents that are not shown. A ranker's taken ranks are computed only when it draws or
//! is credited, and the order of its tied documents is drawn one shown document at a time: a key of (ranker,
//! document) decides which of its group's free ranks a document takes, so that it does not matter when.

use rand::Rng;

use super::rank_weights::Weights;
use super::revealed_top::DocSet;
use super::tie_keys::{RankerKeys, TieKeys};
use super::ties::draw_free;
use crate::{Doc, Generator, RankedList, TieGroup};

/// The rank of a document that a ranker does not list.
pub(crate) const UNLISTED: u16 = u16::MAX;

/// The ranks that one ranker's order gives the documents shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct TakenRanks {
    /// By position.
    by_position: Vec<u16>,
    /// The listed ones, ascending.
    sorted: Vec<u16>,
}

impl TakenRanks {
    pub(crate) fn clear(&mut self) {
        self.by_position.clear();
        self.sorted.clear();
    }

    /// By position, as far as known.
    pub(crate) fn ranks(&self) -> &[u16] {
        &self.by_position
    }

    fn push(&mut self, rank: u16) {
        self.by_position.push(rank);
        self.take(rank);
    }

    fn take(&mut self, rank: u16) {
        if rank != UNLISTED {
            let place = self.sorted.partition_point(|&other| other < rank);
            self.sorted.insert(place, rank);
        }
    }

    /// Adds the next document shown, of this group: where it is tied, `key` picks among the free ranks.
    pub(crate) fn reveal(&mut self, group: TieGroup, key: u64) {
        let rank = self.pick(group, key);
        self.push(rank);
    }

    /// Like [`reveal`](Self::reveal), when no document is drawn later: ranks that no other document can take
    /// are not remembered.
    pub(crate) fn reveal_last(&mut self, group: TieGroup, key: u64) {
        let rank = self.pick(group, key);
        self.by_position.push(rank);
        if group.size() > 1 {
            self.take(rank);
        }
    }

    fn pick(&self, group: TieGroup, key: u64) -> u16 {
        match group.size() {
            0 => UNLISTED,
            1 => group.start,
            size => {
                let first = self.sorted.partition_point(|&rank| rank < group.start);
                let taken = self.sorted[first..].iter().take_while(|&&rank| rank < group.end);
                // Saturating, since a damaged receipt may name a rank twice.
                let free = size.saturating_sub(taken.clone().count());
                let mut rank = group.start + ((u128::from(key) * free as u128) >> 64) as u16;
                for &taken in taken {
                    rank = rank.saturating_add(u16::from(taken <= rank));
                }
                rank
            }
        }
    }

    /// A free rank of a list of `n` documents, by weight; `None` where none is.
    fn draw(&self, n: usize, weights: &Weights, generator: &mut Generator) -> Option<usize> {
        let table = weights.table();
        let gone: u64 = self.sorted.iter().map(|&rank| table[usize::from(rank)]).sum();
        let mass = weights.total(n) - gone;
        if mass == 0 {
            return None;
        }
        let mut target = ((u128::from(generator.next_u64()) * u128::from(mass)) >> 64) as u64;
        let mut first = 0;
        let ends = self.sorted.iter().map(|&rank| usize::from(rank));
        for end in ends.chain([n]) {
            let here = weights.total(end) - weights.total(first);
            if target < here {
                // The last rank of this stretch with at most `target` above it.
                let (mut low, mut high) = (first, end);
                while high - low > 1 {
                    let middle = low.midpoint(high);
                    if weights.total(middle) - weights.total(first) <= target {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                return Some(low);
            }
            target -= here;
            first = end + 1;
        }
        None
    }
}

/// Buffers of a list, and the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Softmax {
    keys: Option<TieKeys>,
    shown: DocSet,
    taken: Vec<TakenRanks>,
}

impl Softmax {
    pub(crate) fn start(&mut self, rankers: usize, generator: &mut Generator) {
        self.keys = Some(TieKeys::new(generator));
        self.shown.clear();
        self.taken.iter_mut().for_each(TakenRanks::clear);
        self.taken.resize_with(rankers, TakenRanks::default);
    }

    pub(crate) fn shown(&self) -> &[Doc] {
        self.shown.as_slice()
    }

    /// Shows a document drawn by `ranker`, which lists `list`; `None` where it has none left.
    pub(crate) fn draw(
        &mut self,
        ranker: usize,
        list: RankedList<'_>,
        weights: &Weights,
        generator: &mut Generator,
    ) -> Option<Doc> {
        self.reveal(ranker, list, self.shown.as_slice().len());
        let rank = self.taken[ranker].draw(list.len(), weights, generator)?;
        let mut doc = list.at(rank);
        let group = list.group(doc);
        if group.size() > 1 {
            let is_free = |rank: usize| !self.shown.contains(list.at(rank));
            doc = list.at(draw_free(group.ranks(), is_free, generator)?);
        }
        self.taken[ranker].push(rank as u16);
        self.shown.insert(doc);
        Some(doc)
    }

    /// Shows the next document of a probabilistic list of two rankers: a fair coin chooses which ranker draws it. Returns
    /// the document and the ranker.
    pub(crate) fn draw_by_coin(
        &mut self,
        lists: [RankedList<'_>; 2],
        weights: &Weights,
        generator: &mut Generator,
    ) -> Option<(Doc, usize)> {
        let coin = (generator.next_u64() >> 63) as usize;
        [coin, 1 - coin].into_iter().find_map(|x| {
            let doc = self.draw(x, lists[x], weights, generator)?;
            Some((doc, x))
        })
    }

    /// The ranks known of one ranker.
    pub(crate) fn ranks(&self, ranker: usize) -> &[u16] {
        self.taken[ranker].ranks()
    }

    /// The ranks that a ranker's order gives at least the first `depth` documents shown.
    pub(crate) fn reveal(&mut self, ranker: usize, list: RankedList<'_>, depth: usize) -> &[u16] {
        let taken = &mut self.taken[ranker];
        if let Some(keys) = self.keys {
            let keys: RankerKeys = keys.ranker(ranker);
            let known = taken.by_position.len();
            for &doc in self.shown.as_slice().get(known..depth).unwrap_or_default() {
                taken.reveal(list.group(doc), keys.key(doc));
            }
        }
        taken.ranks()
    }
}

/// The probabilities of the documents of a list, in order, from the ranks that one ranker gives them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuccessiveProbabilities {
    mass: u64,
}

/// The probability w / m that one ranker would have drawn a document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chance {
    pub(crate) weight: u64,
    pub(crate) mass: u64,
}

impl Chance {
    /// 0 where the ranker does not list the document.
    #[inline]
    pub(crate) fn get(self) -> f64 {
        self.weight as f64 / self.mass.max(1) as f64
    }
}

/// Exact.
impl Ord for Chance {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let [mine, theirs] =
            [(self, other), (other, self)].map(|(a, b)| u128::from(a.weight) * u128::from(b.mass.max(1)));
        mine.cmp(&theirs)
    }
}

impl PartialOrd for Chance {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Chance {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Chance {}

impl SuccessiveProbabilities {
    /// The full mass of a ranker that lists `documents`.
    pub(crate) fn new(documents: usize, weights: &Weights) -> Self {
        Self { mass: weights.total(documents) }
    }

    /// The probability of the next document, which has this rank.
    #[inline]
    pub(crate) fn next(&mut self, rank: u16, weights: &Weights) -> Chance {
        // The table ends below UNLISTED.
        let weight = weights.table().get(usize::from(rank)).copied().unwrap_or(0);
        let chance = Chance { weight, mass: self.mass };
        // Only a damaged receipt takes more than there is.
        self.mass = self.mass.saturating_sub(weight);
        chance
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// Ranks 0 to 4 with 1 and 3 taken, by weights 1, 1/27 and 1/125.
    #[test]
    fn free_ranks_by_weight() {
        let weights = Weights::usual();
        let mut taken = TakenRanks::default();
        taken.push(3);
        taken.push(UNLISTED);
        taken.push(1);
        assert_eq!(taken.ranks(), [3, UNLISTED, 1]);
        let mut generator = Generator::seed_from_u64(1);
        let (draws, mut seen) = (100_000, [0_u32; 5]);
        for _ in 0..draws {
            seen[taken.draw(5, &weights, &mut generator).unwrap()] += 1;
        }
        let n = f64::from(draws);
        let sum = 1.0 + 1.0 / 27.0 + 1.0 / 125.0;
        for (rank, w) in [(0, 1.0), (1, 0.0), (2, 1.0 / 27.0), (3, 0.0), (4, 1.0 / 125.0)] {
            let p: f64 = w / sum;
            let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
            assert!((f64::from(seen[rank]) - n * p).abs() <= bound);
        }
        for rank in [0, 2, 4] {
            taken.push(rank);
        }
        assert_eq!(taken.draw(5, &weights, &mut generator), None);
    }

    #[test]
    fn tied_documents_take_free_ranks_alike() {
        let group = TieGroup { start: 2, end: 6 };
        let mut generator = Generator::seed_from_u64(2);
        let (draws, mut seen) = (60_000, [0_u32; 7]);
        for _ in 0..draws {
            let mut taken = TakenRanks::default();
            taken.push(0);
            taken.push(3);
            taken.reveal(group, generator.next_u64());
            taken.reveal(group, generator.next_u64());
            assert!(taken.sorted.is_sorted_by(|a, b| a < b));
            taken.ranks()[2..].iter().for_each(|&rank| seen[usize::from(rank)] += 1);
            taken.reveal(group, u64::MAX);
            assert!((2..6).contains(taken.ranks().last().unwrap()));
        }
        assert_eq!([0, 1, 3, 6].map(|rank: usize| seen[rank]), [0; 4]);
        let n = f64::from(draws);
        for rank in [2, 4, 5] {
            // Two of the three, each equally likely.
            assert!((f64::from(seen[rank]) - n * 2.0 / 3.0).abs() < 5.0 * (n * 2.0 / 9.0).sqrt());
        }
    }
}
