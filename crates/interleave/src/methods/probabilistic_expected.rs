//! Probabilistic interleaving, credited in expectation over how the rankers might break their ties: a third
//! setting beside the two of [`CreditTies`](crate::CreditTies), with neither the noise of the one nor the
//! arbitrary tie order of the other.
//!
//! **Draw.** As in [probabilistic interleaving](crate::methods::probabilistic).
//!
//! **Credit.** The mean of E\[sign(N_2 - N_1)\] over independent orders of the tied documents of
//! both rankers; its sign is the winner. Without ties among the documents down to the
//! lowest click there is one order, and the credit is exact. Otherwise the mean is taken over a
//! given number of redraws, 32 by default, each used twice: as drawn, and with the two rankers' random keys
//! exchanged. So two rankers with the same list and the same ties always tie.
//!
//! ## References
//!
//! - K. Hofmann, S. Whiteson, M. de Rijke. *Fidelity, soundness, and efficiency of interleaved
//!   comparison methods.* TOIS 31(4), 2013. <https://doi.org/10.1145/2536736.2536737>
//!
//! ## Notes
//!
//! - No paper has this setting. In the limit of many redraws it is the expectation of what
//!   [`CreditTies::Redrawn`](crate::CreditTies::Redrawn) takes the sign of.
//! - The receipt keeps the tie groups and one seed, so that credit elsewhere uses the same redraws.

use rand::Rng;

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_unless_default, tau_unless_default};
use crate::support::expected_sign::{Share, SignSum};
use crate::support::pack::Pack;
use crate::support::rank_weights::{TauError, Weights};
use crate::support::read_list::read;
use crate::support::softmax::{Softmax, SuccessiveProbabilities, TakenRanks};
use crate::support::tie_keys::TieKeys;
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Preference, RankedList, TieGroup};

/// Probabilistic interleaving with credit in expectation over ties; see the [module](self).
///
/// ```
/// use interleave::{Generator, Interleaving, ListBuf, Preference, ProbabilisticExpected};
/// use rand::SeedableRng;
///
/// // Two copies of a feature that ties most documents: whatever is clicked, a tie.
/// let ours = ListBuf::from_scores(&[1.0, 1.0, 0.0, 1.0])?;
/// let method = ProbabilisticExpected::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [ours.as_list(); 2];
/// let (shown, receipt) = method.draw(lists, 4, &mut generator, &mut Default::default());
/// assert_eq!(method.credit(&receipt, &[0, 2])?, Preference::Tie);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProbabilisticExpected {
    weights: Weights,
    redraws: u16,
}

impl Default for ProbabilisticExpected {
    /// With the papers' tau of 3 and 32 redraws.
    fn default() -> Self {
        Self::new(Self::REDRAWS)
    }
}

impl ProbabilisticExpected {
    /// The default number of redraws.
    pub const REDRAWS: u16 = 32;

    /// With the papers' tau of 3 and this many redraws (0 counts as 1).
    #[must_use]
    pub fn new(redraws: u16) -> Self {
        Self { weights: Weights::usual(), redraws: redraws.max(1) }
    }

    /// With another exponent.
    ///
    /// # Errors
    /// When `tau` is negative or not finite.
    pub fn with_tau(tau: f64, redraws: u16) -> Result<Self, TauError> {
        Ok(Self { weights: Weights::new(tau)?, ..Self::new(redraws) })
    }

    /// The exponent of the softmax over ranks.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.weights.tau()
    }

    /// The number of times ties are redrawn.
    #[must_use]
    pub fn redraws(&self) -> u16 {
        self.redraws
    }

    fn winner(
        &self,
        sizes: [u16; 2],
        groups: &[[Group; 2]],
        seed: u64,
        clicked: &[usize],
        scratch: &mut Credit,
    ) -> Preference {
        let Some(lowest) = clicked.last() else {
            return Preference::Tie;
        };
        let groups = groups.get(..=*lowest).unwrap_or_default();
        let is_tied = groups.iter().flatten().any(|group| group.get().size() > 1);
        let redraws = if is_tied { self.redraws } else { 1 };
        scratch.sum.clear();
        for redraw in 0..redraws {
            let keys = TieKeys::from_seed(seed.wrapping_add(u64::from(redraw)));
            let exchanges: &[usize] = if is_tied { &[0, 1] } else { &[0] };
            for &exchange in exchanges {
                let mut successive = sizes.map(|size| SuccessiveProbabilities::new(usize::from(size), &self.weights));
                scratch.taken.iter_mut().for_each(TakenRanks::clear);
                scratch.shares.clear();
                let mut next = clicked.iter().peekable();
                for (position, groups) in groups.iter().enumerate() {
                    let [first, second] = [0, 1].map(|x| {
                        let luck = keys.ranker(x ^ exchange).key(Doc(position as u16));
                        scratch.taken[x].reveal_last(groups[x].get(), luck);
                        let rank = scratch.taken[x].ranks()[position];
                        successive[x].next(rank, &self.weights)
                    });
                    if next.next_if_eq(&&position).is_some() {
                        let total = first.get() + second.get();
                        let share = if total > 0.0 { first.get() / total } else { 0.5 };
                        scratch.shares.push(Share { first: share, second: 1.0 - share, lean: first.cmp(&second) });
                    }
                }
                scratch.sum.add(&scratch.shares);
            }
        }
        scratch.sum.preference()
    }
}

/// A tie group, as a receipt keeps it: its first rank and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Group(u16, u16);

impl Group {
    fn new(group: TieGroup) -> Self {
        Self(group.start, group.size() as u16)
    }

    /// Cut to the ranks that exist.
    fn get(self) -> TieGroup {
        TieGroup { start: self.0, end: self.0.saturating_add(self.1) }
    }
}

#[derive(Debug, Default)]
struct Credit {
    taken: [TakenRanks; 2],
    shares: Vec<Share>,
    sum: SignSum,
}

/// Buffers of [`ProbabilisticExpected`].
#[derive(Debug, Default)]
pub struct ProbabilisticExpectedScratch {
    list: Softmax,
    groups: Vec<[Group; 2]>,
    clicked: Vec<usize>,
    credit: Credit,
}

/// The tie groups of the documents shown, and the seed of the redraws. A plain value that
/// serialises; the seed is beyond what a JSON reader that keeps numbers as doubles can hold.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilisticExpectedReceipt {
    /// How many documents each ranker lists.
    sizes: [u16; 2],
    seed: u64,
    /// By position and ranker: first rank and size.
    groups: Vec<[Group; 2]>,
}

receipt_len!(ProbabilisticExpectedReceipt, |receipt| receipt.groups.len());

impl Pack for ProbabilisticExpectedReceipt {}

impl NamedMethod for ProbabilisticExpected {
    const BASE: &'static str = "probabilistic";
    const VARIANT: Option<&'static str> = Some("expected");
    const NAMES: &'static [&'static str] = &["probabilistic:expected"];
    const SETTINGS: &'static [&'static str] = &["redraws", "tau"];
    const ABOUT: (&'static str, &'static str, &'static str) =
        ("credit in expectation over ties; `redraws=32`, `tau=3`", "Hofmann 2013", "10.1145/2536736.2536737");
    const OWNERSHIP: Ownership = Ownership::Shared;

    fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
        let redraws = name.value("redraws", "a whole number up to 65,535")?.unwrap_or(Self::REDRAWS);
        Ok(Self::with_tau(name.tau()?, redraws)?)
    }

    fn settings(&self) -> Vec<String> {
        let redraws = setting_unless_default("redraws", self.redraws, Self::REDRAWS);
        redraws.into_iter().chain(tau_unless_default(self.tau())).collect()
    }
}

impl Interleaving for ProbabilisticExpected {
    type Scratch = ProbabilisticExpectedScratch;
    type Receipt = ProbabilisticExpectedReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticExpectedScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let seed = generator.next_u64();
        let ProbabilisticExpectedScratch { list, groups, clicked, credit } = scratch;
        groups.clear();
        clicked.clear();
        list.start(2, generator);
        let next = |list: &mut Softmax| {
            if list.shown().len() == length {
                return None;
            }
            let (doc, _) = list.draw_by_coin(lists, &self.weights, generator)?;
            groups.push(lists.map(|list| Group::new(list.group(doc))));
            Some((doc, groups.len() - 1))
        };
        read(list, next, user, |_, position| clicked.push(position));
        let sizes = lists.map(|list| list.len() as u16);
        self.winner(sizes, groups, seed, clicked, credit)
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut ProbabilisticExpectedScratch,
    ) -> (Vec<Doc>, ProbabilisticExpectedReceipt) {
        let seed = generator.next_u64();
        let list = &mut scratch.list;
        list.start(2, generator);
        while list.shown().len() < length {
            if list.draw_by_coin(lists, &self.weights, generator).is_none() {
                break;
            }
        }
        let shown = list.shown().to_vec();
        let groups = |&doc: &Doc| lists.map(|list| Group::new(list.group(doc)));
        let receipt = ProbabilisticExpectedReceipt {
            sizes: lists.map(|list| list.len() as u16),
            seed,
            groups: shown.iter().map(groups).collect(),
        };
        (shown, receipt)
    }

    fn credit(&self, receipt: &ProbabilisticExpectedReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.len())?;
        let ProbabilisticExpectedReceipt { sizes, seed, groups } = receipt;
        Ok(self.winner(*sizes, groups, *seed, &clicked, &mut Credit::default()))
    }

    pages_by_clicks!(Preference, prefix_stable: |_| true);
}
