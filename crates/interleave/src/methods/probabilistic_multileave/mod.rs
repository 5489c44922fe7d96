//! Probabilistic multileaving (PM): the rankers take turns in random order, each drawing a document by its rank,
//! and a click is shared among them in proportion to the probability that each would have drawn the document.
//!
//! **Draw.** Rounds: all rankers, in a random order, each draw one of the documents that are left,
//! d with probability P_x(d) = r_x(d)^-tau over the sum of the same for all documents left, where
//! r_x(d) is d's 1-based rank in x's whole list.
//!
//! **Credit.** A clicked document adds P_x(d) / sum_i P_i(d) to ranker x, with the probabilities just
//! before it was drawn; the higher sum wins each pair. This is the expectation, over the contributor
//! of each document, of the number of clicked documents contributed by x: the paper's credit, without its
//! sampling. [`Credit::Sampled`] samples as the paper does, and [`ProbabilisticMultileaveSigns`] takes the sign of
//! each pair's difference before the expectation rather than after.
//!
//! ## References
//!
//! - A. Schuth, R.-J. Bruintjes, F. Büttner, J. van Doorn, C. Groenland, H. Oosterhuis, C.-N. Tran,
//!   B. Veeling, J. van der Velde, R. Wechsler, D. Woudenberg, M. de Rijke. *Probabilistic multileave
//!   for online retrieval evaluation.* SIGIR 2015. <https://doi.org/10.1145/2766462.2767838>
//! - H. Oosterhuis, the software PairwisePreferenceMultileave (signs averaged over assignments, and
//!   independent slots).
//!
//! ## Notes
//!
//! - The credit treats positions as independent, but within a round they are not: a ranker that has drawn does
//!   not draw again. So the paper's list and credit together slightly favour some rankers under random clicks;
//!   [`SlotAssignment::Independent`] does not.
//! - Scores are credits in units of 2^-32; credits that are equal as real numbers tie.
//! - Ranks are those of the whole list. Tied documents are ordered at random, for each ranker in each
//!   impression; credit uses the order that made the list.
//! - A ranker never draws a document it does not list, and drops out once it has none left.

mod sampled;
mod signs;

use rand::Rng;

pub use signs::{ProbabilisticMultileaveSigns, ProbabilisticMultileaveSignsScratch};

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_if, tau_unless_default};
use crate::random::below;
use crate::support::fixed_point;
use crate::support::pack::Pack;
use crate::support::rank_weights::{TauError, Weights};
use crate::support::read_list::read;
use crate::support::softmax::{Chance, Softmax, SuccessiveProbabilities};
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Multileaving, RankedList};

/// The ranker that draws at each position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SlotAssignment {
    /// Every ranker once per round, in random order: the paper's rule.
    #[default]
    Rounds,
    /// Any ranker at any position, all equally likely: with two rankers, the list of probabilistic interleaving.
    Independent,
}

/// How the expectation over assignments is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Credit {
    /// Exactly.
    #[default]
    Expected,
    /// Over sampled assignments, as in the paper: at each position down to the lowest click, each of
    /// the m branches of every assignment so far is kept with probability n^(1 / length) / m (at most
    /// 1), so that about n assignments of a whole list are kept. Each counts by its probability, and
    /// the credits are divided by the sum of these. For reproducing the paper's figure: since branches are kept
    /// whether or not they are probable, it is far noisier than its cost suggests.
    /// At most 100 n are kept; where none is, all rankers tie.
    Sampled {
        /// n, at least 1.
        assignments: u32,
    },
}

/// Probabilistic multileaving; see the [module](self).
///
/// ```
/// use interleave::{Doc, Generator, ListBuf, Multileaving, ProbabilisticMultileave};
/// use rand::SeedableRng;
///
/// let lists = [[0, 1, 2], [0, 2, 1], [2, 1, 0]].map(|list| ListBuf::strict(list.map(Doc)).unwrap());
/// let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
/// let method = ProbabilisticMultileave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let (shown, receipt) = method.draw(&lists, 3, &mut generator, &mut Default::default());
/// let scores = method.credit(&receipt, &[0])?;
/// // One click is shared between all three.
/// assert!(scores.iter().sum::<u64>().abs_diff(1 << 32) <= 3);
/// # Ok::<(), interleave::CreditError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProbabilisticMultileave {
    weights: Weights,
    slots: SlotAssignment,
    credit: Credit,
}

impl Default for ProbabilisticMultileave {
    /// With the paper's tau of 3, in rounds, credited exactly.
    fn default() -> Self {
        Self::new(SlotAssignment::default(), Credit::default())
    }
}

impl ProbabilisticMultileave {
    /// With the paper's tau of 3.
    #[must_use]
    pub fn new(slots: SlotAssignment, credit: Credit) -> Self {
        Self { weights: Weights::usual(), slots, credit }
    }

    /// With another exponent.
    ///
    /// # Errors
    /// When `tau` is negative or not finite.
    pub fn with_tau(tau: f64, slots: SlotAssignment, credit: Credit) -> Result<Self, TauError> {
        Ok(Self { weights: Weights::new(tau)?, slots, credit })
    }

    /// The exponent of the softmax over ranks.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.weights.tau()
    }

    /// The ranker that draws at each position.
    #[must_use]
    pub fn slots(&self) -> SlotAssignment {
        self.slots
    }

    /// How the expectation is taken.
    #[must_use]
    pub fn credit_rule(&self) -> Credit {
        self.credit
    }

    /// The scores of as many rankers as `chances` has a position.
    fn score(&self, chances: &Chances, clicked: &[usize], length: usize, seed: u64, scores: &mut Vec<u64>) {
        scores.clear();
        match self.credit {
            Credit::Expected => {
                let mut credits = vec![fixed_point::Credit::default(); chances.rankers];
                for &position in clicked {
                    let row = chances.row(position);
                    let total: f64 = row.iter().map(|chance| chance.get()).sum();
                    if total > 0.0 {
                        for (credit, chance) in credits.iter_mut().zip(row) {
                            credit.add(fixed_point::Credit::of(chance.get() / total));
                        }
                    }
                }
                scores.extend(credits.into_iter().map(fixed_point::Credit::score));
            }
            Credit::Sampled { assignments } => {
                let credits = sampled::credits(chances, clicked, length, assignments, seed);
                scores.extend(credits.into_iter().map(|credit| fixed_point::Credit::of(credit).score()));
            }
        }
    }
}

/// The chances of all rankers at each position, down to the lowest click.
#[derive(Debug, Clone, Default)]
struct Chances {
    rankers: usize,
    /// Position by position.
    all: Vec<Chance>,
}

impl Chances {
    /// From each ranker's number of documents and the ranks of the first `depth` documents shown;
    /// missing ranks count as not listed.
    fn fill<'a>(&mut self, depth: usize, rows: impl ExactSizeIterator<Item = (usize, &'a [u16])>, weights: &Weights) {
        self.rankers = rows.len();
        self.all.clear();
        self.all.resize(depth * self.rankers, Chance::default());
        for (x, (documents, ranks)) in rows.enumerate() {
            let mut successive = SuccessiveProbabilities::new(documents, weights);
            for (position, &rank) in ranks.iter().take(depth).enumerate() {
                self.all[position * self.rankers + x] = successive.next(rank, weights);
            }
        }
    }

    fn row(&self, position: usize) -> &[Chance] {
        let start = position * self.rankers;
        &self.all[start..start + self.rankers]
    }
}

/// Buffers of [`ProbabilisticMultileave`].
#[derive(Debug, Clone, Default)]
pub struct ProbabilisticMultileaveScratch {
    list: Softmax,
    /// Rankers that still have documents to draw; those that drew in this round come first.
    rankers: Vec<u32>,
    picked: usize,
    clicked: Vec<usize>,
    chances: Chances,
}

impl ProbabilisticMultileaveScratch {
    fn start(&mut self, rankers: usize, generator: &mut Generator) {
        self.list.start(rankers, generator);
        self.rankers.clear();
        self.rankers.extend(0..rankers as u32);
        self.picked = 0;
        self.clicked.clear();
    }

    /// The next document; `None` when no ranker has any left.
    fn next(
        &mut self,
        lists: &[RankedList<'_>],
        method: &ProbabilisticMultileave,
        generator: &mut Generator,
    ) -> Option<Doc> {
        while !self.rankers.is_empty() {
            if self.picked >= self.rankers.len() || method.slots == SlotAssignment::Independent {
                self.picked = 0;
            }
            let chosen = self.picked + below(self.rankers.len() - self.picked, generator);
            self.rankers.swap(self.picked, chosen);
            let x = self.rankers[self.picked] as usize;
            if let Some(doc) = self.list.draw(x, lists[x], &method.weights, generator) {
                self.picked += 1;
                return Some(doc);
            }
            self.rankers.swap_remove(self.picked);
        }
        None
    }

    /// Shows a list to `user` and fills `clicked` and, where there was a click, `chances`. Returns the
    /// seed for sampling.
    fn show(
        &mut self,
        lists: &[RankedList<'_>],
        length: usize,
        method: &ProbabilisticMultileave,
        generator: &mut Generator,
        user: impl FnMut(Doc) -> Examination,
    ) -> u64 {
        let seed = generator.next_u64();
        self.start(lists.len(), generator);
        let mut positions = 0..length;
        let next = |scratch: &mut Self| {
            let position = positions.next()?;
            Some((scratch.next(lists, method, generator)?, position))
        };
        read(self, next, user, |scratch, position| scratch.clicked.push(position));
        if let Some(lowest) = self.clicked.last() {
            let (list, depth) = (&mut self.list, lowest + 1);
            for (x, &ranked) in lists.iter().enumerate() {
                list.reveal(x, ranked, depth);
            }
            let rows = lists.iter().enumerate().map(|(x, ranked)| (ranked.len(), list.ranks(x)));
            self.chances.fill(depth, rows, &method.weights);
        }
        seed
    }

    /// Draws a whole list.
    fn draw(
        &mut self,
        lists: &[RankedList<'_>],
        length: usize,
        method: &ProbabilisticMultileave,
        generator: &mut Generator,
    ) -> (Vec<Doc>, ProbabilisticMultileaveReceipt) {
        let seed = generator.next_u64();
        self.start(lists.len(), generator);
        while self.list.shown().len() < length && self.next(lists, method, generator).is_some() {}
        let shown = self.list.shown().to_vec();
        let row = |(x, &list): (usize, &RankedList<'_>)| Row {
            documents: list.len() as u16,
            ranks: self.list.reveal(x, list, shown.len()).to_vec(),
        };
        let rows = lists.iter().enumerate().map(row).collect();
        let receipt = ProbabilisticMultileaveReceipt { length: shown.len(), most: length, seed, rows };
        (shown, receipt)
    }
}

/// The number of documents that each ranker lists, the ranks it gives those shown, and the seed for sampling. A
/// plain value that serialises; a JSON reader that keeps numbers as doubles cannot hold the seed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilisticMultileaveReceipt {
    length: usize,
    /// The requested length.
    most: usize,
    seed: u64,
    rows: Vec<Row>,
}

/// One ranker's part of the receipt.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    documents: u16,
    /// By position: 0-based; 65,535 for a document that is not listed.
    ranks: Vec<u16>,
}

receipt_len!(ProbabilisticMultileaveReceipt, |receipt| receipt.length, rankers receipt.rows.len());

impl Pack for ProbabilisticMultileaveReceipt {}

impl ProbabilisticMultileaveReceipt {
    /// The clicked positions, and the chances down to the lowest of them.
    fn chances(&self, clicked: &[usize], weights: &Weights) -> Result<(Vec<usize>, Chances), CreditError> {
        let mut clicked = check_clicks(clicked, self.length)?.into_owned();
        // A damaged receipt may promise more positions than it has ranks for.
        let known = self.rows.iter().map(|row| row.ranks.len()).min().unwrap_or(0);
        clicked.retain(|&position| position < known);
        let depth = clicked.last().map_or(0, |lowest| lowest + 1);
        let rows = self.rows.iter().map(|row| (usize::from(row.documents), row.ranks.as_slice()));
        let mut chances = Chances::default();
        chances.fill(depth, rows, weights);
        Ok((clicked, chances))
    }
}

impl NamedMethod for ProbabilisticMultileave {
    const BASE: &'static str = "probabilistic";
    const NAMES: &'static [&'static str] =
        &["probabilistic", "probabilistic:independent", "probabilistic:sampled=10000"];
    const SETTINGS: &'static [&'static str] = &["sampled", "signs", "independent", "tau"];
    const ABOUT: (&'static str, &'static str, &'static str) = (
        "`sampled=10000` assignments instead of the exact credit; `independent`: slots with replacement; `tau=3`",
        "Schuth 2015",
        "10.1145/2766462.2767838",
    );
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        name.choice(&[("expected", ())])?;
        let assignments: Option<u32> = name.value("sampled", "a whole number of assignments")?;
        let credit = assignments.map_or(Credit::Expected, |assignments| Credit::Sampled { assignments });
        Self::read_lists(name, credit)
    }

    fn settings(&self) -> Vec<String> {
        let credit = match self.credit {
            Credit::Expected => None,
            Credit::Sampled { assignments } => Some(format!("sampled={assignments}")),
        };
        credit.into_iter().chain(self.list_settings()).collect()
    }
}

impl ProbabilisticMultileave {
    /// The settings of its lists.
    fn read_lists(name: &mut Name<'_>, credit: Credit) -> Result<Self, NameError> {
        let slots = name.choice(&[("rounds", SlotAssignment::Rounds), ("independent", SlotAssignment::Independent)])?;
        Ok(Self::with_tau(name.tau()?, slots, credit)?)
    }

    fn list_settings(&self) -> impl Iterator<Item = String> {
        let slots = setting_if(self.slots == SlotAssignment::Independent, "independent");
        slots.into_iter().chain(tau_unless_default(self.tau()))
    }
}

impl Multileaving for ProbabilisticMultileave {
    type Scratch = ProbabilisticMultileaveScratch;
    type Receipt = ProbabilisticMultileaveReceipt;
    type Outcome = Vec<u64>;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticMultileaveScratch,
        user: impl FnMut(Doc) -> Examination,
        scores: &mut Vec<u64>,
    ) -> bool {
        let seed = scratch.show(lists, length, self, generator, user);
        if scratch.clicked.is_empty() {
            scores.clear();
            scores.resize(lists.len(), 0);
            return false;
        }
        self.score(&scratch.chances, &scratch.clicked, length, seed, scores);
        true
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticMultileaveScratch,
    ) -> (Vec<Doc>, ProbabilisticMultileaveReceipt) {
        scratch.draw(lists, length, self, generator)
    }

    fn credit(&self, receipt: &ProbabilisticMultileaveReceipt, clicked: &[usize]) -> Result<Vec<u64>, CreditError> {
        let (clicked, chances) = receipt.chances(clicked, &self.weights)?;
        let mut scores = Vec::new();
        self.score(&chances, &clicked, receipt.most, receipt.seed, &mut scores);
        Ok(scores)
    }

    // Sampled assignments depend on the number of documents to draw.
    pages_by_clicks!(Vec<u64>, prefix_stable: |method| method.credit == Credit::Expected);
}
