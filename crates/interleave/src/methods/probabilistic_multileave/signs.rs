//! Probabilistic multileaving with the sign of each pair taken before the expectation.

use std::cmp::Ordering;

use super::{Chances, Credit, ProbabilisticMultileave, ProbabilisticMultileaveReceipt, ProbabilisticMultileaveScratch};
use crate::name::{Name, NameError, NamedMethod, Ownership};
use crate::support::expected_sign::{Share, SignSum};
use crate::support::pages_by_clicks;
use crate::support::softmax::Chance;
use crate::{CreditError, Doc, Examination, Generator, Multileaving, PairwisePreferences, Preference, RankedList};

/// Probabilistic multileaving by averaged signs: ranker i beats ranker j where
/// E\[sign(N_i - N_j)\] > 0, N_x being the number of clicked documents that x contributed.
///
/// With two rankers this is the credit of
/// [probabilistic interleaving](crate::ProbabilisticInterleave). It is exact, by a recursion over the
/// clicked positions for each pair: rankers² x clicks² steps. See the [module](super).
///
/// ```
/// use interleave::{Doc, Generator, ListBuf, Multileaving, Outcome, Preference};
/// use interleave::ProbabilisticMultileaveSigns;
/// use rand::SeedableRng;
///
/// let lists = [[0, 1, 2], [0, 2, 1], [2, 1, 0]].map(|list| ListBuf::strict(list.map(Doc)).unwrap());
/// let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
/// let method = ProbabilisticMultileaveSigns::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let (shown, receipt) = method.draw(&lists, 3, &mut generator, &mut Default::default());
/// assert_eq!(shown, [0, 2, 1].map(Doc));
/// // A click on document 0, which two rankers have at the top and the third at the bottom.
/// let signs = method.credit(&receipt, &[0])?;
/// let verdicts = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| signs.preference(i, j));
/// assert_eq!(verdicts, [Preference::Tie, Preference::First, Preference::First]);
/// # Ok::<(), interleave::CreditError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProbabilisticMultileaveSigns {
    inner: ProbabilisticMultileave,
}

impl ProbabilisticMultileaveSigns {
    /// With the lists of `inner`; its own credit rule is not used.
    #[must_use]
    pub fn new(inner: ProbabilisticMultileave) -> Self {
        Self { inner }
    }

    /// The method that draws the lists.
    #[must_use]
    pub fn inner(&self) -> &ProbabilisticMultileave {
        &self.inner
    }
}

/// Buffers of [`ProbabilisticMultileaveSigns`].
#[derive(Debug, Default)]
pub struct ProbabilisticMultileaveSignsScratch {
    inner: ProbabilisticMultileaveScratch,
    pairs: SignBuffers,
}

#[derive(Debug, Default)]
struct SignBuffers {
    /// By click: every ranker's share.
    shares: Vec<f64>,
    clicked: Vec<Share>,
    sum: SignSum,
}

impl SignBuffers {
    fn find_signs(&mut self, chances: &Chances, clicked: &[usize], signs: &mut PairwisePreferences) {
        let rankers = chances.rankers;
        signs.reset(rankers);
        self.shares.clear();
        for &n in clicked {
            let row = chances.row(n).iter().map(|chance| chance.get());
            let total = row.clone().sum::<f64>().max(f64::MIN_POSITIVE);
            self.shares.extend(row.map(|chance| chance / total));
        }
        let pairs = (0..rankers).flat_map(|i| (i + 1..rankers).map(move |j| (i, j)));
        for ((i, j), verdict) in pairs.zip(signs.verdicts_mut()) {
            let mut leans = [false; 2];
            for (row, &n) in self.shares.chunks(rankers).zip(clicked) {
                match compare_shares(row, chances.row(n), i, j) {
                    Ordering::Greater => leans[0] = true,
                    Ordering::Less => leans[1] = true,
                    Ordering::Equal => {}
                }
            }
            *verdict = match leans {
                [false, false] => Preference::Tie,
                [true, false] => Preference::First,
                [false, true] => Preference::Second,
                [true, true] => {
                    let rows = self.shares.chunks(rankers).zip(clicked);
                    self.clicked.clear();
                    self.clicked.extend(rows.map(|(row, &n)| Share {
                        first: row[i],
                        second: row[j],
                        lean: compare_shares(row, chances.row(n), i, j),
                    }));
                    self.sum.clear();
                    self.sum.add(&self.clicked);
                    self.sum.preference()
                }
            };
        }
    }
}

/// Compares two rankers' chances exactly: by their shares where these differ by more than their rounding.
fn compare_shares(shares: &[f64], chances: &[Chance], i: usize, j: usize) -> Ordering {
    let (first, second) = (shares[i], shares[j]);
    if (first - second).abs() > 1e-14 * (first + second) {
        first.total_cmp(&second)
    } else {
        chances[i].cmp(&chances[j])
    }
}

impl NamedMethod for ProbabilisticMultileaveSigns {
    const BASE: &'static str = "probabilistic";
    const VARIANT: Option<&'static str> = Some("signs");
    const NAMES: &'static [&'static str] = &["probabilistic:signs"];
    const SETTINGS: &'static [&'static str] = &["independent", "tau"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("signs averaged; `independent`: slots with replacement; `tau=3`", "Schuth 2015", "10.1145/2766462.2767838");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        ProbabilisticMultileave::read_lists(name, Credit::Expected).map(Self::new)
    }

    fn settings(&self) -> Vec<String> {
        self.inner.list_settings().collect()
    }
}

impl Multileaving for ProbabilisticMultileaveSigns {
    type Scratch = ProbabilisticMultileaveSignsScratch;
    type Receipt = ProbabilisticMultileaveReceipt;
    type Outcome = PairwisePreferences;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticMultileaveSignsScratch,
        user: impl FnMut(Doc) -> Examination,
        signs: &mut PairwisePreferences,
    ) -> bool {
        let ProbabilisticMultileaveSignsScratch { inner, pairs } = scratch;
        inner.show(lists, length, &self.inner, generator, user);
        if inner.clicked.is_empty() {
            signs.reset(lists.len());
            return false;
        }
        pairs.find_signs(&inner.chances, &inner.clicked, signs);
        true
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticMultileaveSignsScratch,
    ) -> (Vec<Doc>, ProbabilisticMultileaveReceipt) {
        scratch.inner.draw(lists, length, &self.inner, generator)
    }

    fn credit(
        &self,
        receipt: &ProbabilisticMultileaveReceipt,
        clicked: &[usize],
    ) -> Result<PairwisePreferences, CreditError> {
        let (clicked, chances) = receipt.chances(clicked, &self.inner.weights)?;
        let mut signs = PairwisePreferences::default();
        SignBuffers::default().find_signs(&chances, &clicked, &mut signs);
        Ok(signs)
    }

    pages_by_clicks!(PairwisePreferences, prefix_stable: |_| true);
}
