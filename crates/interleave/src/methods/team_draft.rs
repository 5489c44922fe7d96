//! Team draft, for two rankers and for many: they take turns adding their best document that is not shown yet,
//! and own what they added. The ranker with more clicks on its own documents wins.
//!
//! **Draw.** One of the rankers with the fewest picks, each equally likely, adds its best document
//! that is not shown yet.
//!
//! **Credit.** A ranker's score is the number of clicked documents it added.
//!
//! ## References
//!
//! - F. Radlinski, M. Kurup, T. Joachims. *How does clickthrough data reflect retrieval quality?*
//!   CIKM 2008 (two rankers). <https://doi.org/10.1145/1458082.1458092>
//! - A. Schuth, F. Sietsma, S. Whiteson, D. Lefortier, M. de Rijke. *Multileaved comparisons for
//!   fast online evaluation.* CIKM 2014 (many). <https://doi.org/10.1145/2661829.2661952>
//! - A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke. *Lerot: an online learning to rank framework.*
//!   LivingLab 2013 (the prefix rule). <https://doi.org/10.1145/2513150.2513162>
//!
//! ## Notes
//!
//! - Unbiased under clicks that depend on positions alone, as long as no ranker runs out of documents.
//! - With many rankers most own nothing in a short list, and lose to those that own a click.
//! - [`Prefix::Unowned`] is that software's addition; neither paper has it.
//! - Tied documents are ordered at random, for each ranker in each impression. A ranker that has
//!   nothing left to add is out of the draft.

use crate::credit::check_clicks;
use crate::name::{Name, NameError, NamedMethod, Ownership, setting_if};
use crate::support::draft::Draft;
use crate::support::pack::{Pack, Reader, Writer};
use crate::support::read_list::read;
use crate::support::{pages_by_clicks, receipt_len};
use crate::{CreditError, Doc, Examination, Generator, Interleaving, Multileaving, Preference, RankedList};

/// The owner of the documents that all rankers have at their tops in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Prefix {
    /// The ranker that drafted them: clicks on them are noise that evens out.
    #[default]
    Drafted,
    /// No ranker: they are shown first, and clicks on them do not count.
    Unowned,
}

/// Buffers of the draft, and its list.
#[derive(Debug, Clone, Default)]
pub struct TeamDraftScratch {
    draft: Draft,
    in_prefix: bool,
}

impl TeamDraftScratch {
    fn start(&mut self, rankers: usize, length: usize, prefix: Prefix, generator: &mut Generator) {
        self.draft.start(rankers, length, generator);
        self.in_prefix = prefix == Prefix::Unowned;
    }

    /// The next document and its owner.
    #[inline]
    fn next(&mut self, lists: &[RankedList<'_>], generator: &mut Generator) -> Option<(Doc, Option<usize>)> {
        if self.in_prefix {
            if let Some(doc) = self.draft.next_common(lists) {
                return Some((doc, None));
            }
            self.in_prefix = false;
        }
        let (doc, owner) = self.draft.next(lists, generator)?;
        Some((doc, Some(owner)))
    }
}

/// Team-draft interleaving of two rankers; see the [module](self).
///
/// ```
/// use interleave::{Doc, Generator, Interleaving, ListBuf, Preference, TeamDraftInterleave};
/// use rand::SeedableRng;
///
/// let ours = ListBuf::strict([0, 1, 2].map(Doc))?;
/// let theirs = ListBuf::strict([3, 4, 5].map(Doc))?;
/// let method = TeamDraftInterleave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let lists = [ours.as_list(), theirs.as_list()];
/// let (shown, receipt) = method.draw(lists, 4, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(3)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, Preference::Second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TeamDraftInterleave {
    prefix: Prefix,
}

/// Team-draft multileaving; see the [module](self).
///
/// ```
/// use interleave::{Doc, Generator, ListBuf, Multileaving, TeamDraftMultileave};
/// use rand::SeedableRng;
///
/// let lists = [[0, 1], [2, 3], [4, 5]].map(|list| ListBuf::strict(list.map(Doc)).unwrap());
/// let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
/// let method = TeamDraftMultileave::default();
/// let mut generator = Generator::seed_from_u64(1);
/// let (shown, receipt) = method.draw(&lists, 3, &mut generator, &mut Default::default());
/// let position = shown.iter().position(|&doc| doc == Doc(2)).unwrap();
/// assert_eq!(method.credit(&receipt, &[position])?, [0, 1, 0]);
/// # Ok::<(), interleave::CreditError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TeamDraftMultileave {
    prefix: Prefix,
}

impl TeamDraftInterleave {
    /// With this rule for a common prefix.
    #[must_use]
    pub fn new(prefix: Prefix) -> Self {
        Self { prefix }
    }

    /// The rule for a common prefix.
    #[must_use]
    pub fn prefix(&self) -> Prefix {
        self.prefix
    }
}

impl TeamDraftMultileave {
    /// With this rule for a common prefix.
    #[must_use]
    pub fn new(prefix: Prefix) -> Self {
        Self { prefix }
    }

    /// The rule for a common prefix.
    #[must_use]
    pub fn prefix(&self) -> Prefix {
        self.prefix
    }
}

/// The owner of each document shown. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamDraftReceipt {
    /// By position: 0 or 1.
    teams: Vec<Option<u8>>,
}

receipt_len!(TeamDraftReceipt, |receipt| receipt.teams.len());

impl TeamDraftReceipt {
    /// The ranker that drafted each document, 0 or 1; `None` if no ranker owns it.
    pub fn owners(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        self.teams.iter().map(|owner| owner.filter(|owner| *owner < 2).map(usize::from))
    }
}

impl Pack for TeamDraftReceipt {
    fn pack(&self, writer: &mut Writer) {
        writer.owners(&self.teams);
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { teams: reader.owners()? })
    }

    fn owners(&self) -> Option<Vec<Option<usize>>> {
        Some(Self::owners(self).collect())
    }
}

/// The documents that each ranker owns. A plain value that serialises.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamDraftMultileaveReceipt {
    length: usize,
    /// By ranker: the 0-based positions of its documents.
    picks: Vec<Vec<u16>>,
}

receipt_len!(TeamDraftMultileaveReceipt, |receipt| receipt.length, rankers receipt.picks.len());

impl TeamDraftMultileaveReceipt {
    /// The ranker that drafted each document; `None` if no ranker owns it.
    #[must_use]
    pub fn owners(&self) -> Vec<Option<usize>> {
        // A damaged receipt may promise any length.
        let mut owners = vec![None; self.length.min(RankedList::MAX_LEN)];
        for (ranker, picks) in self.picks.iter().enumerate() {
            for &position in picks {
                if let Some(owner) = owners.get_mut(usize::from(position)) {
                    *owner = Some(ranker);
                }
            }
        }
        owners
    }
}

impl Pack for TeamDraftMultileaveReceipt {
    fn owners(&self) -> Option<Vec<Option<usize>>> {
        Some(Self::owners(self))
    }
}

/// The settings of both kinds of team draft.
macro_rules! named {
    ($($method:ident, $about:expr;)+) => {
        $(impl NamedMethod for $method {
            const BASE: &'static str = "team-draft";
            const NAMES: &'static [&'static str] = &["team-draft", "team-draft:prefix"];
            const SETTINGS: &'static [&'static str] = &["prefix"];
            const ABOUT: (&'static str, &'static str, &'static str) = $about;
            const OWNERSHIP: Ownership = Ownership::Drafted;

            fn read(name: &mut Name<'_>) -> Result<Self, NameError> {
                Ok(Self::new(name.choice(&[("drafted", Prefix::Drafted), ("prefix", Prefix::Unowned)])?))
            }

            fn settings(&self) -> Vec<String> {
                setting_if(self.prefix == Prefix::Unowned, "prefix").into_iter().collect()
            }
        })+
    };
}

named! {
    TeamDraftInterleave, ("`prefix`: no ranker owns a common prefix", "Radlinski 2008", "10.1145/1458082.1458092");
    TeamDraftMultileave, ("`prefix`: no ranker owns a common prefix", "Schuth 2014", "10.1145/2661829.2661952");
}

impl Interleaving for TeamDraftInterleave {
    type Scratch = TeamDraftScratch;
    type Receipt = TeamDraftReceipt;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut TeamDraftScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        let mut clicks = [0_usize; 2];
        scratch.start(2, length, self.prefix, generator);
        read(
            scratch,
            |scratch| scratch.next(&lists, generator),
            user,
            |_, owner| {
                if let Some(owner) = owner {
                    clicks[owner] += 1;
                }
            },
        );
        Preference::of(clicks[0].cmp(&clicks[1]))
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut TeamDraftScratch,
    ) -> (Vec<Doc>, TeamDraftReceipt) {
        let mut teams = Vec::new();
        scratch.start(2, length, self.prefix, generator);
        while let Some((_, owner)) = scratch.next(&lists, generator) {
            teams.push(owner.map(|owner| owner as u8));
        }
        (scratch.draft.shown().to_vec(), TeamDraftReceipt { teams })
    }

    fn credit(&self, receipt: &TeamDraftReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.teams.len())?;
        let clicks = |x| clicked.iter().filter(|&&n| receipt.teams[n] == Some(x)).count();
        Ok(Preference::of(clicks(0).cmp(&clicks(1))))
    }

    pages_by_clicks!(Preference, prefix_stable: |_| true);

    fn may_grow(&self) -> bool {
        true
    }
}

impl Multileaving for TeamDraftMultileave {
    type Scratch = TeamDraftScratch;
    type Receipt = TeamDraftMultileaveReceipt;
    type Outcome = Vec<u64>;

    fn name(&self) -> &'static str {
        Self::BASE
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut TeamDraftScratch,
        user: impl FnMut(Doc) -> Examination,
        scores: &mut Vec<u64>,
    ) -> bool {
        scores.clear();
        scores.resize(lists.len(), 0);
        let mut any = false;
        scratch.start(lists.len(), length, self.prefix, generator);
        read(
            scratch,
            |scratch| scratch.next(lists, generator),
            user,
            |_, owner| {
                any = true;
                if let Some(owner) = owner {
                    scores[owner] += 1;
                }
            },
        );
        any
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut TeamDraftScratch,
    ) -> (Vec<Doc>, TeamDraftMultileaveReceipt) {
        let mut picks = vec![Vec::new(); lists.len()];
        scratch.start(lists.len(), length, self.prefix, generator);
        let mut length = 0;
        while let Some((_, owner)) = scratch.next(lists, generator) {
            if let Some(owner) = owner {
                picks[owner].push(length as u16);
            }
            length += 1;
        }
        (scratch.draft.shown().to_vec(), TeamDraftMultileaveReceipt { length, picks })
    }

    fn credit(&self, receipt: &TeamDraftMultileaveReceipt, clicked: &[usize]) -> Result<Vec<u64>, CreditError> {
        let clicked = check_clicks(clicked, receipt.length)?;
        let is_clicked = |&&n: &&u16| clicked.binary_search(&usize::from(n)).is_ok();
        let score = |picks: &Vec<u16>| picks.iter().filter(is_clicked).count() as u64;
        Ok(receipt.picks.iter().map(score).collect())
    }

    pages_by_clicks!(Vec<u64>, prefix_stable: |_| true);

    fn may_grow(&self) -> bool {
        true
    }
}
