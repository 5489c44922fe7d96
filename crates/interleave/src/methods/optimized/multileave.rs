//! Optimized multileaving.

use super::absent;
use super::program::Constraints;
use super::{LpFit, RankCredit, choose};
use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_if, setting_unless_default};
use crate::random::below;
use crate::support::pack::Pack;
use crate::support::read_list::read_drawn;
use crate::support::revealed_top::{self, DocSet};
use crate::support::tie_keys::TieKeys;
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Multileaving, RankedList};

/// Optimized multileaving; see the [module](super).
///
/// For each impression, lists are sampled: at each position any ranker, all equally likely, adds its best
/// document that is not shown yet. Equal lists are merged. With f(k) = 1 / k, the program minimises the
/// mean over lists of the sum over rankers of the squared difference between the ranker's credit,
/// weighted by f over positions, and the mean of the same over rankers.
///
/// Ten lists can seldom meet a constraint for every position and ranker, so [`LpFit::Relaxed`] is the
/// rule rather than the exception.
///
/// ```
/// use interleave::{Doc, Generator, ListBuf, Multileaving, OptimizedMultileave};
/// use rand::SeedableRng;
///
/// let lists = [[0, 1, 2], [0, 2, 1], [2, 1, 0]].map(|list| ListBuf::strict(list.map(Doc)).unwrap());
/// let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
/// let method = OptimizedMultileave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let (shown, receipt) = method.draw(&lists, 3, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(0)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, [1 << 32, 1 << 32, (1 << 32) / 3]);
/// # Ok::<(), interleave::CreditError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptimizedMultileave {
    credit: RankCredit,
    lists: usize,
}

impl Default for OptimizedMultileave {
    /// With inverse ranks and ten lists, as in the paper.
    fn default() -> Self {
        Self::new(RankCredit::default(), Self::LISTS)
    }
}

impl OptimizedMultileave {
    /// The default number of sampled lists.
    pub const LISTS: usize = 10;

    /// With this credit for a click, and this number of sampled lists, clamped to 1 to 1,000.
    #[must_use]
    pub fn new(credit: RankCredit, lists: usize) -> Self {
        Self { credit, lists: lists.clamp(1, 1000) }
    }

    /// The credit of a click.
    #[must_use]
    pub fn credit_rule(&self) -> RankCredit {
        self.credit
    }

    /// How many lists are sampled.
    #[must_use]
    pub fn lists(&self) -> usize {
        self.lists
    }
}

/// Buffers of [`OptimizedMultileave`].
#[derive(Debug, Clone, Default)]
pub struct OptimizedMultileaveScratch {
    shown: DocSet,
    /// Rankers that still have something to add.
    rankers: Vec<u32>,
    tops: Vec<u16>,
    /// All documents on any list, in numeric order, and the rank every ranker gives each.
    docs: Vec<Doc>,
    ranks: Vec<u16>,
}

impl OptimizedMultileaveScratch {
    fn sample(
        &mut self,
        lists: &[RankedList<'_>],
        length: usize,
        keys: TieKeys,
        generator: &mut Generator,
    ) -> Vec<Doc> {
        self.shown.clear();
        self.rankers.clear();
        self.rankers.extend(0..lists.len() as u32);
        self.tops.clear();
        self.tops.resize(lists.len(), 0);
        while self.shown.as_slice().len() < length && !self.rankers.is_empty() {
            let chosen = below(self.rankers.len(), generator);
            let x = self.rankers[chosen] as usize;
            match revealed_top::best(lists[x], || keys.ranker(x), &self.shown, &mut self.tops[x]) {
                Some(doc) => {
                    self.shown.insert(doc);
                }
                None => {
                    self.rankers.swap_remove(chosen);
                }
            }
        }
        self.shown.as_slice().to_vec()
    }

    /// The ranks that all rankers give a document on one of the lists.
    fn ranks(&self, doc: Doc, rankers: usize) -> &[u16] {
        let place = self.docs.binary_search(&doc).unwrap_or(0);
        &self.ranks[place * rankers..(place + 1) * rankers]
    }

    fn draw(
        &mut self,
        method: OptimizedMultileave,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
    ) -> (Vec<Doc>, LpFit) {
        let keys = TieKeys::new(generator);
        let mut candidates: Vec<Vec<Doc>> =
            (0..method.lists).map(|_| self.sample(lists, length, keys, generator)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        self.docs.clear();
        self.docs.extend(candidates.iter().flatten());
        self.docs.sort_unstable();
        self.docs.dedup();
        self.ranks.clear();
        let longest = absent::longest(lists);
        for &doc in &self.docs {
            let rank = |(x, &list)| absent::rank(revealed_top::rank(list, keys.ranker(x), doc), longest);
            self.ranks.extend(lists.iter().enumerate().map(rank));
        }

        let rankers = lists.len();
        let mut constraints = Constraints::new(candidates.len());
        let depth = candidates.iter().map(Vec::len).max().unwrap_or(0);
        // By list and ranker: the credit so far, weighted by 1 / position.
        let mut credits = vec![0.0; candidates.len() * rankers];
        let mut list_sum = credits.clone();
        let mut row = Vec::new();
        for k in 0..depth {
            list_sum.fill(0.0);
            for (i, list) in candidates.iter().enumerate() {
                let Some(&doc) = list.get(k) else {
                    continue;
                };
                let span = i * rankers..(i + 1) * rankers;
                let credit = self.ranks(doc, rankers).iter().map(|&rank| method.credit.value(rank));
                list_sum[span.clone()].iter_mut().zip(credit).for_each(|(list_sum, credit)| *list_sum = credit);
                let mean = list_sum[span.clone()].iter().sum::<f64>() / rankers as f64;
                for (list_sum, sum) in list_sum[span.clone()].iter_mut().zip(&mut credits[span]) {
                    *sum += *list_sum / (k as f64 + 1.0);
                    *list_sum -= mean;
                }
            }
            for x in 0..rankers {
                row.clear();
                row.extend((0..candidates.len()).map(|i| list_sum[i * rankers + x]));
                // The rounding error of equal numbers less their mean.
                row.iter_mut().filter(|x| x.abs() < 1e-12).for_each(|x| *x = 0.0);
                constraints.push(&row);
            }
        }
        let cost: Vec<f64> = credits
            .chunks(rankers.max(1))
            .map(|credits| {
                let mean = credits.iter().sum::<f64>() / rankers as f64;
                credits.iter().map(|credit| (credit - mean) * (credit - mean)).sum()
            })
            .chain(std::iter::repeat(0.0))
            .take(candidates.len())
            .collect();
        let (chances, fit) = constraints.solve(&cost);
        (candidates.swap_remove(choose(&chances, generator)), fit)
    }
}

/// The ranks of the documents shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizedMultileaveReceipt {
    length: usize,
    fit: LpFit,
    /// By ranker and position: 1-based, in the ranker's list.
    full_ranks: Vec<Vec<u16>>,
}

receipt_len!(OptimizedMultileaveReceipt, |receipt| receipt.length, rankers receipt.full_ranks.len());

impl Pack for OptimizedMultileaveReceipt {}

impl OptimizedMultileaveReceipt {
    /// How well the probabilities that chose the list meet the constraints.
    #[must_use]
    pub fn fit(&self) -> LpFit {
        self.fit
    }
}

impl NamedMethod for OptimizedMultileave {
    const BASE: &'static str = "optimized";
    const NAMES: &'static [&'static str] = &["optimized", "optimized:negative"];
    const SETTINGS: &'static [&'static str] = &["inverse", "negative", "lists"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("credit `inverse` (default) or `negative`; `lists=10`", "Schuth 2014", "10.1145/2661829.2661952");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        let credit = name.choice(&[("inverse", RankCredit::Inverse), ("negative", RankCredit::Negative)])?;
        Ok(Self::new(credit, name.value("lists", "a whole number")?.unwrap_or(Self::LISTS)))
    }

    fn settings(&self) -> Vec<String> {
        let credit = setting_if(self.credit == RankCredit::Negative, "negative");
        credit.into_iter().chain(setting_unless_default("lists", self.lists, Self::LISTS)).collect()
    }
}

impl Multileaving for OptimizedMultileave {
    type Scratch = OptimizedMultileaveScratch;
    type Receipt = OptimizedMultileaveReceipt;
    type Outcome = Vec<u64>;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut OptimizedMultileaveScratch,
        user: impl FnMut(Doc) -> Examination,
        scores: &mut Vec<u64>,
    ) -> bool {
        let (shown, _) = scratch.draw(*self, lists, length, generator);
        let mut clicked = Vec::new();
        read_drawn(shown.into_iter().map(|doc| (doc, doc)), user, |doc| clicked.push(doc));
        scores.clear();
        let m = lists.len();
        scores.extend((0..m).map(|x| {
            let ranks = clicked.iter().map(|&doc| scratch.ranks(doc, m)[x]);
            self.credit.score(ranks)
        }));
        !clicked.is_empty()
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut OptimizedMultileaveScratch,
    ) -> (Vec<Doc>, OptimizedMultileaveReceipt) {
        let (shown, fit) = scratch.draw(*self, lists, length, generator);
        let m = lists.len();
        let row = |x: usize| shown.iter().map(|&doc| scratch.ranks(doc, m)[x]).collect();
        let full_ranks = (0..m).map(row).collect();
        let length = shown.len();
        (shown, OptimizedMultileaveReceipt { length, fit, full_ranks })
    }

    fn credit(&self, receipt: &OptimizedMultileaveReceipt, clicked: &[usize]) -> Result<Vec<u64>, CreditError> {
        let clicked = check_clicks(clicked, receipt.length)?;
        // Ranks that a damaged receipt lacks earn nothing.
        let score = |ranks: &Vec<u16>| self.credit.score(clicked.iter().filter_map(|&n| ranks.get(n).copied()));
        Ok(receipt.full_ranks.iter().map(score).collect())
    }

    // The program depends on the number of documents to draw.
    pages_by_clicks!(Vec<u64>, prefix_stable: |_| false);
}
