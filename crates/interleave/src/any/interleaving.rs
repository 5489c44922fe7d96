//! Any interleaving method.

use std::fmt;
use std::str::FromStr;

use super::NamedReceipt;
use super::names::{Name, NameError, unless, when, write};
use crate::balanced::{BalancedReceipt, BalancedScratch, CutoffRule};
use crate::document_constraints::{Constraints, DocumentConstraintsReceipt, DocumentConstraintsScratch};
use crate::optimized::{OptimizedInterleaveReceipt, OptimizedInterleaveScratch, PairCredit};
use crate::probabilistic::{ProbabilisticReceipt, ProbabilisticScratch};
use crate::probabilistic_assignment::{ProbabilisticAssignmentReceipt, ProbabilisticAssignmentScratch};
use crate::probabilistic_expected::{ProbabilisticExpectedReceipt, ProbabilisticExpectedScratch};
use crate::team_draft::{Prefix, TeamDraftReceipt, TeamDraftScratch};
use crate::{
    BalancedInterleave, CreditError, CreditTies, Doc, DocumentConstraints, Examination, Generator, Interleaving,
    OptimizedInterleave, Preference, ProbabilisticAssignment, ProbabilisticExpected, ProbabilisticInterleave,
    RankedList, TeamDraftInterleave,
};

/// Any interleaving method, by name.
///
/// | name | settings |
/// |---|---|
/// | `balanced` | `lerot`: that software's reading of the depth |
/// | `team-draft` | `prefix`: nobody owns a common prefix |
/// | `probabilistic` | credit ties `redrawn` (default), `same` or `expected`, or `assignment` for the observed one; `redraws=32` with `expected`; `tau=3` |
/// | `document-constraints` | `above` or `next`: fewer kinds of constraint |
/// | `optimized` | credit `linear` (default), `binary` or `inverse`; `lists=1024` at most |
///
/// Settings follow a colon, separated by commas. `Display` writes the name back, without defaults.
///
/// ```
/// use interleave::AnyInterleaving;
///
/// let method: AnyInterleaving = "probabilistic:tau=1,same".parse()?;
/// assert_eq!(method.to_string(), "probabilistic:same,tau=1");
/// let error = "ballanced".parse::<AnyInterleaving>().unwrap_err();
/// assert!(error.to_string().contains("did you mean \"balanced\"?"));
/// # Ok::<(), interleave::NameError>(())
/// ```
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the types say it")]
pub enum AnyInterleaving {
    Balanced(BalancedInterleave),
    TeamDraft(TeamDraftInterleave),
    Probabilistic(ProbabilisticInterleave),
    ProbabilisticAssignment(ProbabilisticAssignment),
    ProbabilisticExpected(ProbabilisticExpected),
    DocumentConstraints(DocumentConstraints),
    Optimized(OptimizedInterleave),
}

impl AnyInterleaving {
    /// Every method and variant, by name.
    pub const NAMES: [&'static str; 14] = [
        "balanced",
        "balanced:lerot",
        "team-draft",
        "team-draft:prefix",
        "probabilistic",
        "probabilistic:same",
        "probabilistic:expected",
        "probabilistic:assignment",
        "document-constraints",
        "document-constraints:next",
        "document-constraints:above",
        "optimized",
        "optimized:binary",
        "optimized:inverse",
    ];
}

/// How `probabilistic` credits.
#[derive(Clone, Copy)]
enum Probabilistic {
    Ties(CreditTies),
    Expected,
    Assignment,
}

impl FromStr for AnyInterleaving {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let mut name = Name::new(text);
        let (method, known): (_, &[&str]) = match name.base {
            "balanced" => {
                let rules = [("lowest-clicked", CutoffRule::LowestClicked), ("lerot", CutoffRule::Lerot)];
                let cutoff = name.choice(&rules)?;
                (Self::Balanced(BalancedInterleave::new(cutoff)), &["lerot"])
            }
            "team-draft" => {
                let prefixes = [("drafted", Prefix::Drafted), ("prefix", Prefix::Unowned)];
                let prefix = name.choice(&prefixes)?;
                (Self::TeamDraft(TeamDraftInterleave::new(prefix)), &["prefix"])
            }
            "probabilistic" => {
                use Probabilistic::{Assignment, Expected, Ties};
                let rule = name.choice(&[
                    (CreditTies::Redrawn.name(), Ties(CreditTies::Redrawn)),
                    (CreditTies::Same.name(), Ties(CreditTies::Same)),
                    ("expected", Expected),
                    ("assignment", Assignment),
                ])?;
                let tau = name.value("tau", "a number from 0 up")?.unwrap_or(3.0);
                let fail = |e: crate::TauError| NameError(e.to_string());
                let (method, known): (_, &[&str]) = match rule {
                    Ties(ties) => {
                        let method = ProbabilisticInterleave::with_tau(tau, ties).map_err(fail)?;
                        (Self::Probabilistic(method), &["redrawn", "same", "expected", "assignment", "tau"])
                    }
                    Expected => {
                        let redraws = name.value("redraws", "a whole number up to 65,535")?;
                        let redraws = redraws.unwrap_or(ProbabilisticExpected::REDRAWS);
                        let method = ProbabilisticExpected::with_tau(tau, redraws).map_err(fail)?;
                        (Self::ProbabilisticExpected(method), &["redraws", "tau"])
                    }
                    Assignment => {
                        let method = ProbabilisticAssignment::with_tau(tau).map_err(fail)?;
                        (Self::ProbabilisticAssignment(method), &["tau"])
                    }
                };
                (method, known)
            }
            "document-constraints" => {
                let constraints = name.choice(&[
                    ("next-unclicked", Constraints::NextUnclicked),
                    ("next", Constraints::Next),
                    ("above", Constraints::Above),
                ])?;
                let method = DocumentConstraints::new(constraints);
                (Self::DocumentConstraints(method), &["above", "next", "next-unclicked"])
            }
            "optimized" => {
                let credit = name.choice(&[
                    ("linear", PairCredit::Linear),
                    ("binary", PairCredit::Binary),
                    ("inverse", PairCredit::Inverse),
                ])?;
                let lists = name.value("lists", "a whole number")?;
                let lists = lists.unwrap_or(OptimizedInterleave::MOST_LISTS);
                let method = OptimizedInterleave::with_lists(credit, lists);
                (Self::Optimized(method), &["linear", "binary", "inverse", "lists"])
            }
            _ => return Err(name.unknown("interleaving", &Self::NAMES)),
        };
        name.finish(known)?;
        Ok(method)
    }
}

impl fmt::Display for AnyInterleaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = match self {
            Self::Balanced(method) => [when(method.cutoff() == CutoffRule::Lerot, "lerot"), None],
            Self::TeamDraft(method) => [when(method.prefix() == Prefix::Unowned, "prefix"), None],
            Self::Probabilistic(method) => {
                let ties = method.credit_ties();
                [when(ties == CreditTies::Same, ties.name()), unless("tau", method.tau(), 3.0)]
            }
            Self::ProbabilisticAssignment(method) => [when(true, "assignment"), unless("tau", method.tau(), 3.0)],
            Self::ProbabilisticExpected(method) => {
                let redraws = unless("redraws", method.redraws(), ProbabilisticExpected::REDRAWS);
                let setting = ["expected".to_owned()].into_iter().chain(redraws);
                let setting = setting.collect::<Vec<_>>().join(",");
                [Some(setting), unless("tau", method.tau(), 3.0)]
            }
            Self::DocumentConstraints(method) => [
                when(method.constraints() == Constraints::Above, "above"),
                when(method.constraints() == Constraints::Next, "next"),
            ],
            Self::Optimized(method) => [
                match method.credit_rule() {
                    PairCredit::Linear => None,
                    PairCredit::Binary => when(true, "binary"),
                    PairCredit::Inverse => when(true, "inverse"),
                },
                unless("lists", method.most_lists(), OptimizedInterleave::MOST_LISTS),
            ],
        };
        write(f, self.name(), &settings)
    }
}

/// Buffers of [`AnyInterleaving`]: one set for each method used.
#[derive(Debug, Default)]
pub struct AnyInterleavingScratch {
    balanced: BalancedScratch,
    team_draft: TeamDraftScratch,
    probabilistic: ProbabilisticScratch,
    assignment: ProbabilisticAssignmentScratch,
    expected: ProbabilisticExpectedScratch,
    document_constraints: DocumentConstraintsScratch,
    optimized: OptimizedInterleaveScratch,
}

/// The receipts of all interleaving methods.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the types say it")]
pub enum InterleavingReceipt {
    Balanced(BalancedReceipt),
    TeamDraft(TeamDraftReceipt),
    Probabilistic(ProbabilisticReceipt),
    ProbabilisticAssignment(ProbabilisticAssignmentReceipt),
    ProbabilisticExpected(ProbabilisticExpectedReceipt),
    DocumentConstraints(DocumentConstraintsReceipt),
    Optimized(OptimizedInterleaveReceipt),
}

/// The receipt of [`AnyInterleaving`].
pub type AnyInterleavingReceipt = NamedReceipt<InterleavingReceipt>;

impl Interleaving for AnyInterleaving {
    type Scratch = AnyInterleavingScratch;
    type Receipt = AnyInterleavingReceipt;

    fn name(&self) -> &'static str {
        match self {
            Self::Balanced(method) => method.name(),
            Self::TeamDraft(method) => method.name(),
            Self::Probabilistic(method) => method.name(),
            Self::ProbabilisticAssignment(method) => method.name(),
            Self::ProbabilisticExpected(method) => method.name(),
            Self::DocumentConstraints(method) => method.name(),
            Self::Optimized(method) => method.name(),
        }
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut AnyInterleavingScratch,
        user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        match self {
            Self::Balanced(method) => method.compare(lists, length, generator, &mut scratch.balanced, user),
            Self::TeamDraft(method) => method.compare(lists, length, generator, &mut scratch.team_draft, user),
            Self::Probabilistic(method) => method.compare(lists, length, generator, &mut scratch.probabilistic, user),
            Self::ProbabilisticAssignment(method) => {
                method.compare(lists, length, generator, &mut scratch.assignment, user)
            }
            Self::ProbabilisticExpected(method) => {
                method.compare(lists, length, generator, &mut scratch.expected, user)
            }
            Self::DocumentConstraints(method) => {
                let scratch = &mut scratch.document_constraints;
                method.compare(lists, length, generator, scratch, user)
            }
            Self::Optimized(method) => method.compare(lists, length, generator, &mut scratch.optimized, user),
        }
    }

    fn compare_pairs(
        &self,
        lists: &[RankedList<'_>],
        pairs: &[(u32, u32)],
        length: usize,
        generator: &mut Generator,
        scratch: &mut AnyInterleavingScratch,
        user: impl FnMut(Doc) -> Examination,
        verdict: impl FnMut(usize, Preference),
    ) {
        macro_rules! by {
            ($method:ident, $scratch:ident) => {
                $method.compare_pairs(lists, pairs, length, generator, &mut scratch.$scratch, user, verdict)
            };
        }
        match self {
            Self::Balanced(method) => by!(method, balanced),
            Self::TeamDraft(method) => by!(method, team_draft),
            Self::Probabilistic(method) => by!(method, probabilistic),
            Self::ProbabilisticAssignment(method) => by!(method, assignment),
            Self::ProbabilisticExpected(method) => by!(method, expected),
            Self::DocumentConstraints(method) => by!(method, document_constraints),
            Self::Optimized(method) => by!(method, optimized),
        }
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        scratch: &mut AnyInterleavingScratch,
    ) -> (Vec<Doc>, AnyInterleavingReceipt) {
        use InterleavingReceipt as Receipt;
        let (shown, receipt) = match self {
            Self::Balanced(method) => {
                let scratch = &mut scratch.balanced;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::Balanced(receipt))
            }
            Self::TeamDraft(method) => {
                let scratch = &mut scratch.team_draft;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::TeamDraft(receipt))
            }
            Self::Probabilistic(method) => {
                let scratch = &mut scratch.probabilistic;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::Probabilistic(receipt))
            }
            Self::ProbabilisticAssignment(method) => {
                let scratch = &mut scratch.assignment;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::ProbabilisticAssignment(receipt))
            }
            Self::ProbabilisticExpected(method) => {
                let scratch = &mut scratch.expected;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::ProbabilisticExpected(receipt))
            }
            Self::DocumentConstraints(method) => {
                let scratch = &mut scratch.document_constraints;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::DocumentConstraints(receipt))
            }
            Self::Optimized(method) => {
                let scratch = &mut scratch.optimized;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::Optimized(receipt))
            }
        };
        let method = self.to_string();
        (shown, NamedReceipt { method, receipt })
    }

    /// # Errors
    /// When a position lies outside the list, or the receipt is from another method or settings.
    fn credit(&self, receipt: &AnyInterleavingReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        use InterleavingReceipt as Receipt;
        match (self, receipt.open(self)?) {
            (Self::Balanced(method), Receipt::Balanced(receipt)) => method.credit(receipt, clicked),
            (Self::TeamDraft(method), Receipt::TeamDraft(receipt)) => method.credit(receipt, clicked),
            (Self::Probabilistic(method), Receipt::Probabilistic(receipt)) => method.credit(receipt, clicked),
            (Self::ProbabilisticAssignment(method), Receipt::ProbabilisticAssignment(receipt)) => {
                method.credit(receipt, clicked)
            }
            (Self::ProbabilisticExpected(method), Receipt::ProbabilisticExpected(receipt)) => {
                method.credit(receipt, clicked)
            }
            (Self::DocumentConstraints(method), Receipt::DocumentConstraints(receipt)) => {
                method.credit(receipt, clicked)
            }
            (Self::Optimized(method), Receipt::Optimized(receipt)) => method.credit(receipt, clicked),
            _ => Err(receipt.foreign(self)),
        }
    }
}
