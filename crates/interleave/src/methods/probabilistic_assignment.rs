//! Probabilistic interleaving, credited by the ranker that actually contributed each clicked document: the ranker
//! with more clicks on its contributions wins.
//!
//! **Draw.** As in [probabilistic interleaving](crate::methods::probabilistic): a coin for each position
//! chooses the ranker, which draws by rank. The coins are kept.
//!
//! **Credit.** N_x is the number of clicked documents that ranker x contributed; the larger wins.
//!
//! ## References
//!
//! - K. Hofmann, S. Whiteson, M. de Rijke. *A probabilistic method for inferring preferences from
//!   clicks.* CIKM 2011 (before its marginalisation). <https://doi.org/10.1145/2063576.2063618>
//!
//! ## Notes
//!
//! - Marginalised credit uses the expectation of this outcome over the coins, given list and clicks; this one
//!   is noisier, but unbiased in wins too.
//! - Tied documents are ordered at random, for each ranker in each impression; since credit does not
//!   depend on ranks, there is nothing to redraw.
//! - A ranker never draws a document it does not list; where it has none left, the other draws.

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, tau_unless_default};
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::rank_weights::{TauError, Weights};
use crate::support::read_list::read;
use crate::support::softmax::Softmax;
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Preference, RankedList};

/// Probabilistic interleaving by observed assignment; see the [module](self).
///
/// ```
/// use interleave::{Doc, Generator, Interleaving, ListBuf, Preference, ProbabilisticAssignment};
/// use rand::SeedableRng;
///
/// let ours = ListBuf::strict([0, 1, 2].map(Doc))?;
/// let theirs = ListBuf::strict([3, 4, 5].map(Doc))?;
/// let method = ProbabilisticAssignment::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [ours.as_list(), theirs.as_list()];
/// let (shown, receipt) = method.draw(lists, 6, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(4)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, Preference::Second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProbabilisticAssignment {
    weights: Weights,
}

impl Default for ProbabilisticAssignment {
    /// With the papers' tau of 3.
    fn default() -> Self {
        Self { weights: Weights::usual() }
    }
}

impl ProbabilisticAssignment {
    /// With another exponent.
    ///
    /// # Errors
    /// When `tau` is negative or not finite.
    pub fn with_tau(tau: f64) -> Result<Self, TauError> {
        Ok(Self { weights: Weights::new(tau)? })
    }

    /// The exponent of the softmax over ranks.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.weights.tau()
    }
}

/// Buffers of [`ProbabilisticAssignment`].
#[derive(Debug, Clone, Default)]
pub struct ProbabilisticAssignmentScratch {
    list: Softmax,
}

/// The contributor of each document shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilisticAssignmentReceipt {
    from_second: Vec<bool>,
}

receipt_len!(ProbabilisticAssignmentReceipt, |receipt| receipt.from_second.len());

impl ProbabilisticAssignmentReceipt {
    /// The ranker that contributed each document, 0 or 1.
    pub fn owners(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.from_second.iter().copied().map(usize::from)
    }
}

impl Pack for ProbabilisticAssignmentReceipt {
    fn pack(&self, writer: &mut Writer) {
        let owners: Vec<Option<u8>> = self.from_second.iter().map(|&is_second| Some(is_second.into())).collect();
        writer.owners(&owners);
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        let from_second =
            reader.owners()?.into_iter().map(|owner| owner.map(|owner| owner == 1)).collect::<Option<_>>();
        Some(Self { from_second: from_second? })
    }

    fn owners(&self) -> Option<Vec<Option<usize>>> {
        Some(Self::owners(self).map(Some).collect())
    }
}

impl NamedMethod for ProbabilisticAssignment {
    const BASE: &'static str = "probabilistic";
    const VARIANT: Option<&'static str> = Some("assignment");
    const NAMES: &'static [&'static str] = &["probabilistic:assignment"];
    const SETTINGS: &'static [&'static str] = &["tau"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("the observed assignment; `tau=3`", "Hofmann 2011", "10.1145/2063576.2063618");
    const OWNERSHIP: Ownership = Ownership::Owned;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        Ok(Self::with_tau(name.tau()?)?)
    }

    fn settings(&self) -> Vec<String> {
        tau_unless_default(self.tau()).into_iter().collect()
    }
}

impl Interleaving for ProbabilisticAssignment {
    type Scratch = ProbabilisticAssignmentScratch;
    type Receipt = ProbabilisticAssignmentReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticAssignmentScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let list = &mut scratch.list;
        list.start(2, generator);
        let mut clicks = [0_usize; 2];
        let next = |list: &mut Softmax| {
            if list.shown().len() < length { list.draw_by_coin(lists, &self.weights, generator) } else { None }
        };
        read(list, next, user, |_, x| clicks[x] += 1);
        Preference::of(clicks[0].cmp(&clicks[1]))
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticAssignmentScratch,
    ) -> (Vec<Doc>, ProbabilisticAssignmentReceipt) {
        let list = &mut scratch.list;
        list.start(2, generator);
        let mut from_second = Vec::new();
        while list.shown().len() < length {
            let Some((_, x)) = list.draw_by_coin(lists, &self.weights, generator) else {
                break;
            };
            from_second.push(x == 1);
        }
        let receipt = ProbabilisticAssignmentReceipt { from_second };
        (list.shown().to_vec(), receipt)
    }

    fn credit(&self, receipt: &ProbabilisticAssignmentReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.len())?;
        let second = clicked.iter().filter(|&&n| receipt.from_second[n]).count();
        Ok(Preference::of((clicked.len() - second).cmp(&second)))
    }

    pages_by_clicks!(Preference, prefix_stable: |_| true);
}
