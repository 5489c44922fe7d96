//! Optimized interleaving.
#![expect(clippy::disallowed_types, reason = "looked up by key only; its order reaches nothing")]

use std::collections::HashMap;
use std::sync::Arc;

use rand::{Rng, SeedableRng};

use super::absent;
use super::program::Constraints;
use super::walk::Walk;
use super::{LpFit, PairCredit, choose};
use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_unless_default};
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::read_list::read_drawn;
use crate::support::revealed_top::{self, RevealedTop};
use crate::support::tie_keys::TieKeys;
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Preference, RankedList};

/// Optimized interleaving; see the [module](super).
///
/// The lists are all those that a walk down both rankers' lists can give, adding either's best document that
/// is not shown yet: up to 2^length. Beyond 1,024 lists (by default), or 20,480 documents on them, that many
/// are sampled instead, coin by coin, each with its mirror image; the sample depends only on the rankers' lists.
///
/// The program maximises the mean sensitivity. A position weighs 1 / position over the sum of these. With w_1 the
/// weight of the positions that favour the first ranker, w_2 of those that favour the second, and w = w_1 + w_2, the
/// sensitivity of a list is w_1 log(w / w_1) + w_2 log(w / w_2), 0 where either weight is 0.
///
/// Linear and inverse credit could be balanced for every pair of lists tried. Binary credits of one list need
/// not sum to 0; then [`LpFit::Relaxed`] is the best possible.
///
/// The scratch keeps the solved programs of recent pairs of lists.
///
/// ```
/// use interleave::{Doc, Generator, Interleaving, ListBuf, OptimizedInterleave, Preference};
/// use rand::SeedableRng;
///
/// let ours = ListBuf::strict([0, 1, 2].map(Doc))?;
/// let theirs = ListBuf::strict([1, 2, 0].map(Doc))?;
/// let method = OptimizedInterleave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [ours.as_list(), theirs.as_list()];
/// let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(0)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, Preference::First);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptimizedInterleave {
    credit: PairCredit,
    most_lists: usize,
}

impl Default for OptimizedInterleave {
    /// With linear credit, and at most 1,024 lists.
    fn default() -> Self {
        Self::new(PairCredit::default())
    }
}

impl OptimizedInterleave {
    /// The default of the largest number of lists in the program: all that exist for ten documents.
    pub const MAX_LISTS: usize = 1024;
    /// The largest number of documents on these lists together.
    const MAX_PLACES: usize = 20_480;

    /// With this credit for a click.
    #[must_use]
    pub fn new(credit: PairCredit) -> Self {
        Self::with_lists(credit, Self::MAX_LISTS)
    }

    /// With another bound on the number of lists, clamped to 2 to 4,096.
    #[must_use]
    pub fn with_lists(credit: PairCredit, most_lists: usize) -> Self {
        Self { credit, most_lists: most_lists.clamp(2, 4096) }
    }

    /// The credit of a click.
    #[must_use]
    pub fn credit_rule(&self) -> PairCredit {
        self.credit
    }

    /// The largest number of lists in the program.
    #[must_use]
    pub fn most_lists(&self) -> usize {
        self.most_lists
    }

    /// All lists, or a sample of them.
    fn candidates(&self, tops: [&[Doc]; 2], length: usize) -> Vec<Vec<Doc>> {
        let max_lists = self.most_lists.min((Self::MAX_PLACES / length.max(1)).max(2));
        let walk = Walk::new(tops, length);
        walk.all_lists(max_lists).unwrap_or_else(|| {
            let mut coins = Generator::seed_from_u64(0);
            let mut lists = Vec::new();
            for _ in 0..max_lists / 2 {
                let flips: Vec<bool> = (0..length).map(|_| coins.next_u64() >> 63 == 1).collect();
                lists.push(walk.flipped(flips.iter().copied()));
                lists.push(walk.flipped(flips.iter().map(|flip| !flip)));
            }
            lists.sort_unstable();
            lists.dedup();
            lists
        })
    }

    fn solve(&self, tops: [&[Doc]; 2], length: usize, rank: impl Fn(Doc) -> [u16; 2]) -> SolvedProgram {
        let lists = self.candidates(tops, length);
        let lists: Vec<Vec<(Doc, [u16; 2])>> =
            lists.into_iter().map(|list| list.into_iter().map(|doc| (doc, rank(doc))).collect()).collect();
        let mut constraints = Constraints::new(lists.len());
        let depth = lists.iter().map(Vec::len).max().unwrap_or(0);
        let mut row = Vec::new();
        for k in 0..depth {
            let credit = |list: &Vec<(Doc, [u16; 2])>| list.get(k).map_or(0.0, |&(_, ranks)| self.credit.value(ranks));
            row.clear();
            row.extend(lists.iter().map(credit));
            constraints.push(&row);
        }
        let cost: Vec<f64> = lists.iter().map(|list| -self.sensitivity(list)).collect();
        let (chances, fit) = constraints.solve(&cost);
        SolvedProgram { lists, chances, fit }
    }

    fn sensitivity(&self, list: &[(Doc, [u16; 2])]) -> f64 {
        let mut weights = [0.0; 2];
        let mut total = 0.0;
        for (k, &(_, ranks)) in list.iter().enumerate() {
            let weight = 1.0 / (k as f64 + 1.0);
            total += weight;
            let credit = self.credit.value(ranks);
            if credit != 0.0 {
                weights[usize::from(credit < 0.0)] += weight;
            }
        }
        let both = weights[0] + weights[1];
        let part = |w: f64| {
            if w > 0.0 { w * libm::log(both / w) } else { 0.0 }
        };
        if total > 0.0 { (part(weights[0]) + part(weights[1])) / total } else { 0.0 }
    }
}

/// A solved program.
#[derive(Debug)]
struct SolvedProgram {
    lists: Vec<Vec<(Doc, [u16; 2])>>,
    chances: Vec<f64>,
    fit: LpFit,
}

/// Buffers of [`OptimizedInterleave`], and the programs it solved recently.
#[derive(Debug, Clone, Default)]
pub struct OptimizedInterleaveScratch {
    revealed: [RevealedTop; 2],
    solved: HashMap<Vec<u32>, Arc<SolvedProgram>>,
}

impl OptimizedInterleaveScratch {
    /// How many solved programs are kept.
    const MAX_CACHED_PROGRAMS: usize = 64;

    /// The program of these lists, and the list chosen from it.
    fn draw(
        &mut self,
        method: OptimizedInterleave,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
    ) -> (Arc<SolvedProgram>, usize) {
        let keys = TieKeys::new(generator);
        let keys = [0, 1].map(|x| keys.ranker(x));
        let longest = absent::longest(&lists);
        let rank = |doc: Doc| [0, 1].map(|x| absent::rank(revealed_top::rank(lists[x], keys[x], doc), longest));
        let [first, second] = &mut self.revealed;
        first.clear();
        second.clear();
        let tops = [first.top(lists[0], keys[0], length), second.top(lists[1], keys[1], length)];
        // All that the program depends on: the tops, and the ranks of their documents in both lists.
        let length = length.min(tops[0].len() + tops[1].len());
        let settings = [method.most_lists, method.credit as usize, length, tops[0].len()];
        let ranks = |&doc: &Doc| {
            let [first, second] = rank(doc).map(u32::from);
            [u32::from(doc.0), first << 16 | second]
        };
        let key: Vec<u32> = settings
            .into_iter()
            .map(|setting| setting as u32)
            .chain(tops.iter().copied().flatten().flat_map(ranks))
            .collect();
        if self.solved.len() >= Self::MAX_CACHED_PROGRAMS && !self.solved.contains_key(&key) {
            self.solved.clear();
        }
        let solved = self.solved.entry(key);
        let solved = solved.or_insert_with(|| Arc::new(method.solve(tops, length, rank)));
        (Arc::clone(solved), choose(&solved.chances, generator))
    }
}

/// The ranks of the documents shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizedInterleaveReceipt {
    fit: LpFit,
    /// By position: 1-based, in the two rankers' lists.
    ranks: Vec<[u16; 2]>,
}

receipt_len!(OptimizedInterleaveReceipt, |receipt| receipt.ranks.len());

impl Pack for OptimizedInterleaveReceipt {
    fn pack(&self, writer: &mut Writer) {
        writer.number(2 * self.ranks.len() + usize::from(self.fit == LpFit::Relaxed));
        self.ranks.as_flattened().iter().for_each(|rank| writer.number((*rank).into()));
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        let (length, fit) = LpFit::with_length(reader.number()?);
        // Not allocated for more than there is.
        let mut ranks = Vec::with_capacity(length.min(reader.remaining().len() / 2));
        let mut rank = || u16::try_from(reader.number()?).ok();
        for _ in 0..length {
            ranks.push([rank()?, rank()?]);
        }
        Some(Self { fit, ranks })
    }
}

impl OptimizedInterleaveReceipt {
    /// How well the probabilities that chose the list meet the constraints.
    #[must_use]
    pub fn fit(&self) -> LpFit {
        self.fit
    }
}

impl NamedMethod for OptimizedInterleave {
    const BASE: &'static str = "optimized";
    const NAMES: &'static [&'static str] = &["optimized", "optimized:binary", "optimized:inverse"];
    const SETTINGS: &'static [&'static str] = &["linear", "binary", "inverse", "lists"];
    const ABOUT: (&'static str, &'static str, &'static str) = (
        "credit `linear` (default), `binary` or `inverse`; `lists=1024` at most",
        "Radlinski 2013",
        "10.1145/2433396.2433429",
    );
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        let credit = name.choice(&[
            ("linear", PairCredit::Linear),
            ("binary", PairCredit::Binary),
            ("inverse", PairCredit::Inverse),
        ])?;
        Ok(Self::with_lists(credit, name.value("lists", "a whole number")?.unwrap_or(Self::MAX_LISTS)))
    }

    fn settings(&self) -> Vec<String> {
        let credit = match self.credit {
            PairCredit::Linear => None,
            PairCredit::Binary => Some("binary".to_owned()),
            PairCredit::Inverse => Some("inverse".to_owned()),
        };
        credit.into_iter().chain(setting_unless_default("lists", self.most_lists, Self::MAX_LISTS)).collect()
    }
}

impl Interleaving for OptimizedInterleave {
    type Scratch = OptimizedInterleaveScratch;
    type Receipt = OptimizedInterleaveReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut OptimizedInterleaveScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let (solved, chosen) = scratch.draw(*self, lists, length, generator);
        let mut clicked = Vec::new();
        read_drawn(solved.lists[chosen].iter().copied(), user, |ranks| clicked.push(ranks));
        self.credit.winner(clicked.into_iter())
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut OptimizedInterleaveScratch,
    ) -> (Vec<Doc>, OptimizedInterleaveReceipt) {
        let (solved, chosen) = scratch.draw(*self, lists, length, generator);
        let (shown, ranks) = solved.lists[chosen].iter().copied().unzip();
        let fit = solved.fit;
        (shown, OptimizedInterleaveReceipt { fit, ranks })
    }

    fn credit(&self, receipt: &OptimizedInterleaveReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.len())?;
        Ok(self.credit.winner(clicked.iter().map(|&n| receipt.ranks[n])))
    }

    // The program depends on the number of documents to draw.
    pages_by_clicks!(Preference, prefix_stable: |_| false);
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

    const CREDITS: [PairCredit; 3] = [PairCredit::Linear, PairCredit::Binary, PairCredit::Inverse];

    fn solve(credit: PairCredit, orders: [&[Doc]; 2], length: usize) -> SolvedProgram {
        let tops = orders.map(|order| &order[..length.min(order.len())]);
        OptimizedInterleave::new(credit).solve(tops, length, |doc| {
            orders.map(|order| order.iter().position(|&d| d == doc).unwrap_or(order.len()) as u16 + 1)
        })
    }

    /// For all pairs of lists of three documents: credits are 0 in the mean at every position, and no
    /// probabilities in sixtieths keep to that and are more sensitive.
    #[test]
    fn best_of_the_unbiased() {
        let orders = permutations(3);
        for credit in CREDITS {
            for (first, second) in orders.iter().flat_map(|a| orders.iter().map(move |b| (a, b))) {
                for length in 1..=3 {
                    let solved = solve(credit, [first, second], length);
                    let method = OptimizedInterleave::new(credit);
                    // Binary credits of one list may sum to anything, and then cannot balance.
                    let is_exact = solved.fit == LpFit::Exact;
                    assert!(is_exact || credit == PairCredit::Binary, "{first:?} {second:?}");
                    let mean = |chances: &[f64], k: usize| -> f64 {
                        let lists = chances.iter().zip(&solved.lists);
                        lists.map(|(p, list)| p * credit.value(list[k].1)).sum()
                    };
                    let value = |chances: &[f64]| -> f64 {
                        let lists = chances.iter().zip(&solved.lists);
                        lists.map(|(p, list)| p * method.sensitivity(list)).sum()
                    };
                    let is_met = (0..length).all(|k| mean(&solved.chances, k).abs() < 1e-9);
                    assert_eq!(is_met, is_exact);
                    let best = value(&solved.chances);
                    let n = solved.lists.len();
                    assert!(n <= 4);
                    for code in 0..61_u32.pow(3) {
                        let parts = [code % 61, code / 61 % 61, code / 3721];
                        let left = 60_u32.checked_sub(parts.iter().sum());
                        let Some(left) = left else {
                            continue;
                        };
                        let chances = [left, parts[0], parts[1], parts[2]];
                        if chances[n..].iter().any(|&part| part > 0) {
                            continue;
                        }
                        let chances = chances.map(|part| f64::from(part) / 60.0);
                        if (0..length).all(|k| mean(&chances[..n], k).abs() < 1e-9) {
                            assert!(is_exact && value(&chances[..n]) < best + 1e-9);
                        }
                    }
                }
            }
        }
    }

    /// By hand: a b against b a. a b and b a half the time each; binary credit 1 at one position and
    /// -1 at the other: the sensitivity is 2/3 log(3/2) + 1/3 log 3.
    #[test]
    fn by_hand() {
        let (first, second) = ([Doc(0), Doc(1)], [Doc(1), Doc(0)]);
        for credit in CREDITS {
            let solved = solve(credit, [&first, &second], 2);
            assert_eq!(solved.lists.len(), 2);
            assert!(solved.chances.iter().all(|p| (p - 0.5).abs() < 1e-9));
            let sensitivity = OptimizedInterleave::new(credit).sensitivity(&solved.lists[0]);
            let expected = 2.0 / 3.0 * libm::log(1.5) + libm::log(3.0) / 3.0;
            assert!((sensitivity - expected).abs() < 1e-12);
        }
        let ranks = [[1, 2], [2, 1]];
        for credit in CREDITS {
            assert_eq!(credit.winner(ranks[..1].iter().copied()), Preference::First);
            assert_eq!(credit.winner(ranks[1..].iter().copied()), Preference::Second);
            assert_eq!(credit.winner(ranks.iter().copied()), Preference::Tie);
            assert_eq!(credit.winner(std::iter::empty()), Preference::Tie);
        }
        // 1 + 1/6 against 1/2 + 2/3 (as 1/3 twice): a tie in the reals.
        let ranks = [[1, 2], [6, 3], [9, 9], [u16::MAX, 3], [3, u16::MAX]];
        assert_eq!(PairCredit::Inverse.winner(ranks[..3].iter().copied()), Preference::First);
    }

    /// Ten documents: how often the program has a solution, and that it always ends.
    #[test]
    fn ten_documents() {
        use rand::seq::SliceRandom;
        let mut generator = Generator::seed_from_u64(8);
        for credit in CREDITS {
            let mut exact = 0;
            for _ in 0..20 {
                let mut orders = [0; 2].map(|_| (0..30).map(Doc).collect::<Vec<_>>());
                // Neighbours mixed up, as two versions of one ranker would.
                for order in &mut orders {
                    order.chunks_mut(5).for_each(|chunk| chunk.shuffle(&mut generator));
                }
                let solved = solve(credit, [&orders[0], &orders[1]], 10);
                assert!(solved.lists.len() <= 1024);
                assert!((solved.chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                exact += u32::from(solved.fit == LpFit::Exact);
            }
            assert!(exact == 20 || credit == PairCredit::Binary, "{credit:?}: {exact} of 20");
        }
    }
}
