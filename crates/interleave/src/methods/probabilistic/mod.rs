//! Probabilistic interleaving: at each position a fair coin chooses a ranker, which draws one of
//! the documents that are left, better ranks with higher probability.
//! Clicks are credited in expectation over which ranker contributed each clicked document.
//!
//! **Draw.** Ranker x draws document d with probability r_x(d)^-tau over the sum of the same for
//! all documents left, where r_x(d) is d's 1-based rank in x's whole list; d is then gone for both
//! rankers.
//!
//! **Credit.** Given the list, the contributor of position n is the second ranker with probability
//! q_n = P_2 / (P_1 + P_2), independently, P_x being the probability by which x would have drawn
//! the document there. With N_x the number of clicked documents contributed by x, the sign of
//! E\[sign(N_2 - N_1)\] is the winner.
//!
//! ## References
//!
//! - K. Hofmann, S. Whiteson, M. de Rijke. *A probabilistic method for inferring preferences from
//!   clicks.* CIKM 2011. <https://doi.org/10.1145/2063576.2063618>
//! - K. Hofmann, S. Whiteson, M. de Rijke. *Fidelity, soundness, and efficiency of interleaved
//!   comparison methods.* TOIS 31(4), 2013. <https://doi.org/10.1145/2536736.2536737>
//!
//! ## Notes
//!
//! - Ranks are those of the whole list: documents already shown reduce the sum, but no other rank changes.
//! - The expectation is exact, by recursion over the clicked positions, where the papers enumerate
//!   assignments; positions without a click integrate out.
//! - Documents with equal scores are ordered at random, independently for each ranker in each impression:
//!   [`CreditTies`] chooses which of these orders credit uses.
//! - Under clicks that have nothing to do with the documents, the expectation over lists of
//!   E\[sign(N_2 - N_1)\] is 0 wherever both rankers list all documents and the order that drew is the
//!   one that credits. Its sign, the winner, is unbiased only where the lists mirror each other: a, b,
//!   c against b, c, a with a click on the first position, whatever document it is, makes the second
//!   win .108 more often than the first. With credit ties redrawn, random clicks count against lists with
//!   ties: three documents all tied lose to any strict order of them by .276 on a click at the first
//!   position.
//! - A ranker never draws a document it does not list (P_x = 0), and where it has none left the
//!   other ranker draws. Hence the list shows `length` documents, or all that either ranker lists.

mod batched;
mod credit;
mod list_draw;
mod shared;
mod short_lists;

use rand::{Rng, SeedableRng};

pub use credit::ProbabilisticReceipt;
pub use list_draw::ProbabilisticScratch;

use credit::winner;
use list_draw::ListDraw;
use shared::SharedImpression;

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_if, tau_unless_default};
use crate::support::pages_by_clicks;
use crate::support::rank_weights::{TauError, Weights};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Preference, RankedList};

/// The order of tied documents under which clicks are credited.
///
/// Score ties are common among single features, and the setting then decides what is measured: results of the
/// two differ by far more than the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreditTies {
    /// Under a second order, drawn independently of the one that made the list: the behaviour of
    /// the Lerot framework, and with it of the published preference matrices. Then even two copies
    /// of one ranker, where it has ties, win and lose against each other, evenly.
    #[default]
    Redrawn,
    /// Under the order that made the list.
    Same,
}

impl CreditTies {
    /// The setting's name: `redrawn` or `same`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redrawn => "redrawn",
            Self::Same => "same",
        }
    }
}

/// Probabilistic interleaving with marginalised credit; see the [module](self).
///
/// ```
/// use interleave::{CreditTies, Doc, Generator, Interleaving, ListBuf, Preference};
/// use interleave::ProbabilisticInterleave;
/// use rand::SeedableRng;
///
/// let ours = ListBuf::strict([0, 1, 2, 3].map(Doc))?;
/// let theirs = ListBuf::strict([1, 3, 0, 2].map(Doc))?;
/// let method = ProbabilisticInterleave::new(CreditTies::Same);
/// let mut generator = Generator::seed_from_u64(1);
///
/// // Shown now ...
/// let lists = [ours.as_list(), theirs.as_list()];
/// let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut Default::default());
/// // ... clicked, minutes later, on document 3, which the second ranker likes better.
/// let position = shown.iter().position(|&doc| doc == Doc(3)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, Preference::Second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProbabilisticInterleave {
    weights: Weights,
    credit_ties: CreditTies,
}

impl Default for ProbabilisticInterleave {
    fn default() -> Self {
        Self::new(CreditTies::default())
    }
}

impl ProbabilisticInterleave {
    /// With the papers' tau of 3.
    #[must_use]
    pub fn new(credit_ties: CreditTies) -> Self {
        Self { weights: Weights::usual(), credit_ties }
    }

    /// With another exponent: 0 draws all documents with equal probability, larger ones favour the top more.
    ///
    /// # Errors
    /// When `tau` is negative or not finite.
    pub fn with_tau(tau: f64, credit_ties: CreditTies) -> Result<Self, TauError> {
        Ok(Self { weights: Weights::new(tau)?, credit_ties })
    }

    /// The exponent of the softmax over ranks.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.weights.tau()
    }

    /// The order of tied documents under which clicks are credited.
    #[must_use]
    pub fn credit_ties(&self) -> CreditTies {
        self.credit_ties
    }
}

impl NamedMethod for ProbabilisticInterleave {
    const BASE: &'static str = "probabilistic";
    const NAMES: &'static [&'static str] = &["probabilistic", "probabilistic:same"];
    const SETTINGS: &'static [&'static str] = &["redrawn", "same", "expected", "assignment", "tau"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("credit ties `redrawn` (default) or `same`; `tau=3`", "Hofmann 2011", "10.1145/2063576.2063618");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        let ties = name.choice(&[CreditTies::Redrawn, CreditTies::Same].map(|ties| (ties.name(), ties)))?;
        Ok(Self::with_tau(name.tau()?, ties)?)
    }

    fn settings(&self) -> Vec<String> {
        let ties = setting_if(self.credit_ties == CreditTies::Same, self.credit_ties.name());
        ties.into_iter().chain(tau_unless_default(self.tau())).collect()
    }
}

impl Interleaving for ProbabilisticInterleave {
    type Scratch = ProbabilisticScratch;
    type Receipt = ProbabilisticReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    #[inline]
    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticScratch,
        mut user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        if length <= batched::MAX_DEPTH
            && let [Some(first), Some(second)] = lists.map(RankedList::short)
            && first.len() == second.len()
        {
            let lists = [first, second];
            return short_lists::compare(
                &self.weights,
                self.credit_ties,
                lists,
                length,
                generator,
                &mut scratch.short_marks,
                user,
            );
        }
        // Taken under either setting, so that both show the same list for the same generator.
        let redraw = generator.next_u64();
        let uses_same_ties = self.credit_ties == CreditTies::Same;
        let (mut list_draw, clicks) = ListDraw::start(&self.weights, lists, scratch);
        let mut examined = 0;
        // One past the lowest click.
        let mut depth = 0;
        while examined < length {
            let Some((doc, probabilities)) = list_draw.next(generator) else {
                break;
            };
            let examination = user(doc);
            if uses_same_ties {
                clicks.tally.add(examination.clicked, probabilities);
            } else {
                clicks.remember(examined, examination.clicked);
            }
            examined += 1;
            depth = if examination.clicked { examined } else { depth };
            if examination.abandons {
                break;
            }
        }
        if !uses_same_ties && depth > 0 {
            let mut generator = Generator::seed_from_u64(redraw);
            for position in 0..depth {
                let probabilities = list_draw.redraw(position, &mut generator);
                clicks.tally.add(clicks.is_clicked[position], probabilities);
            }
        }
        clicks.tally.winner()
    }

    /// Many pairs of the same rankers share each ranker's draws and the user's examinations: a comparison then
    /// costs a fifth or less.
    fn compare_pairs(
        &self,
        lists: &[RankedList<'_>],
        pairs: &[(u32, u32)],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticScratch,
        mut user: impl FnMut(Doc) -> Examination,
        mut verdict: impl FnMut(usize, Preference),
    ) {
        if !shared::is_sharing_faster(lists, pairs.len(), length) {
            for (number, &(first, second)) in pairs.iter().enumerate() {
                let pair = [lists[first as usize], lists[second as usize]];
                verdict(number, self.compare(pair, length, generator, scratch, &mut user));
            }
            return;
        }
        let scratch = &mut scratch.shared;
        let mut impression =
            SharedImpression::start(&self.weights, self.credit_ties, lists, length, generator, scratch, user);
        if !impression.has_clicks() {
            (0..pairs.len()).for_each(|number| verdict(number, Preference::Tie));
            return;
        }
        impression.meet_all(pairs, generator, verdict);
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticScratch,
    ) -> (Vec<Doc>, ProbabilisticReceipt) {
        let mut redraw = Generator::seed_from_u64(generator.next_u64());
        let (mut list_draw, ..) = ListDraw::start(&self.weights, lists, scratch);
        let (mut shown, mut receipt) = (Vec::new(), Vec::new());
        for position in 0..length {
            let Some((doc, probabilities)) = list_draw.next(generator) else {
                break;
            };
            shown.push(doc);
            receipt.push(match self.credit_ties {
                CreditTies::Same => probabilities,
                CreditTies::Redrawn => list_draw.redraw(position, &mut redraw),
            });
        }
        (shown, ProbabilisticReceipt::new(receipt))
    }

    fn credit(&self, receipt: &ProbabilisticReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let positions = receipt.positions();
        let clicked = check_clicks(clicked, positions.len())?;
        Ok(winner(clicked.iter().map(|&position| positions[position])))
    }

    pages_by_clicks!(Preference, prefix_stable: |_| true);
}
