//! Any multileaving method.

use std::fmt;
use std::str::FromStr;

use super::NamedReceipt;
use super::names::{Name, NameError, unless, when, write};
use crate::optimized::{OptimizedMultileaveReceipt, OptimizedMultileaveScratch, RankCredit};
use crate::pairwise_preference::{PairRule, PairwisePreferenceReceipt, PairwisePreferenceScratch};
use crate::probabilistic_multileave::{
    Credit, ProbabilisticMultileaveReceipt, ProbabilisticMultileaveScratch, ProbabilisticMultileaveSignsScratch,
    SlotAssignment,
};
use crate::sosm::{SosmReceipt, SosmScratch};
use crate::team_draft::{Prefix, TeamDraftMultileaveReceipt, TeamDraftScratch};
use crate::{
    CreditError, Doc, Examination, Generator, Multileaving, OptimizedMultileave, Outcome, PairwisePreference,
    PairwisePreferences, Preference, ProbabilisticMultileave, ProbabilisticMultileaveSigns, RankedList, Sosm,
    TeamDraftMultileave,
};

/// Any multileaving method, by name.
///
/// | name | settings |
/// |---|---|
/// | `team-draft` | `prefix`: nobody owns a common prefix |
/// | `probabilistic` | `sampled=10000` assignments, or `signs` averaged, instead of the exact credit; `independent`: slots with replacement; `tau=3` |
/// | `optimized` | credit `inverse` (default) or `negative`; `lists=10` |
/// | `sosm` | `tau=3` |
/// | `pairwise-preference` | `skip-above`: the other rule of pairs |
///
/// Settings follow a colon, separated by commas. `Display` writes the name back, without defaults.
///
/// ```
/// use interleave::AnyMultileaving;
///
/// let method: AnyMultileaving = "probabilistic:sampled=100".parse()?;
/// assert_eq!(method.to_string(), "probabilistic:sampled=100");
/// let error = "sosn".parse::<AnyMultileaving>().unwrap_err();
/// assert!(error.to_string().contains("did you mean \"sosm\"?"));
/// # Ok::<(), interleave::NameError>(())
/// ```
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the types say it")]
pub enum AnyMultileaving {
    TeamDraft(TeamDraftMultileave),
    Probabilistic(ProbabilisticMultileave),
    ProbabilisticSigns(ProbabilisticMultileaveSigns),
    Optimized(OptimizedMultileave),
    Sosm(Sosm),
    PairwisePreference(PairwisePreference),
}

impl AnyMultileaving {
    /// Every method and variant, by name.
    pub const NAMES: [&'static str; 11] = [
        "team-draft",
        "team-draft:prefix",
        "probabilistic",
        "probabilistic:independent",
        "probabilistic:sampled=10000",
        "probabilistic:signs",
        "optimized",
        "optimized:negative",
        "sosm",
        "pairwise-preference",
        "pairwise-preference:skip-above",
    ];
}

impl FromStr for AnyMultileaving {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let mut name = Name::new(text);
        let fail = |e: crate::TauError| NameError(e.to_string());
        const TAU: &str = "a number from 0 up";
        let (method, known): (_, &[&str]) = match name.base {
            "team-draft" => {
                let prefixes = [("drafted", Prefix::Drafted), ("prefix", Prefix::Unowned)];
                let prefix = name.choice(&prefixes)?;
                (Self::TeamDraft(TeamDraftMultileave::new(prefix)), &["prefix"])
            }
            "probabilistic" => {
                let slots =
                    name.choice(&[("rounds", SlotAssignment::Rounds), ("independent", SlotAssignment::Independent)])?;
                let by_signs = name.choice(&[("expected", false), ("signs", true)])?;
                let assignments: Option<u32> = name.value("sampled", "a whole number of assignments")?;
                let tau = name.value("tau", TAU)?.unwrap_or(3.0);
                let credit = match assignments {
                    Some(_) if by_signs => {
                        return Err(NameError(
                            "probabilistic credit is sampled or by signs, not both; choose one".to_owned(),
                        ));
                    }
                    Some(assignments) => Credit::Sampled { assignments },
                    None => Credit::Expected,
                };
                let inner = ProbabilisticMultileave::with_tau(tau, slots, credit).map_err(fail)?;
                let method = if by_signs {
                    Self::ProbabilisticSigns(ProbabilisticMultileaveSigns::new(inner))
                } else {
                    Self::Probabilistic(inner)
                };
                (method, &["sampled", "signs", "independent", "tau"])
            }
            "optimized" => {
                let credits = [("inverse", RankCredit::Inverse), ("negative", RankCredit::Negative)];
                let credit = name.choice(&credits)?;
                let lists = name.value("lists", "a whole number")?;
                let lists = lists.unwrap_or(OptimizedMultileave::LISTS);
                let method = OptimizedMultileave::new(credit, lists);
                (Self::Optimized(method), &["inverse", "negative", "lists"])
            }
            "sosm" => {
                let tau = name.value("tau", TAU)?.unwrap_or(3.0);
                (Self::Sosm(Sosm::with_tau(tau).map_err(fail)?), &["tau"])
            }
            "pairwise-preference" => {
                let rules = [("considered", PairRule::Considered), ("skip-above", PairRule::SkipAbove)];
                let rule = name.choice(&rules)?;
                let method = PairwisePreference::new(rule);
                (Self::PairwisePreference(method), &["considered", "skip-above"])
            }
            _ => return Err(name.unknown("multileaving", &Self::NAMES)),
        };
        name.finish(known)?;
        Ok(method)
    }
}

impl fmt::Display for AnyMultileaving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let probabilistic = |inner: &ProbabilisticMultileave, credit: Option<String>| {
            let independent = inner.slots() == SlotAssignment::Independent;
            [credit, when(independent, "independent"), unless("tau", inner.tau(), 3.0)]
        };
        let settings = match self {
            Self::TeamDraft(method) => [when(method.prefix() == Prefix::Unowned, "prefix"), None, None],
            Self::Probabilistic(method) => probabilistic(
                method,
                match method.credit_rule() {
                    Credit::Expected => None,
                    Credit::Sampled { assignments } => Some(format!("sampled={assignments}")),
                },
            ),
            Self::ProbabilisticSigns(method) => probabilistic(method.inner(), when(true, "signs")),
            Self::Optimized(method) => [
                when(method.credit_rule() == RankCredit::Negative, "negative"),
                unless("lists", method.lists(), OptimizedMultileave::LISTS),
                None,
            ],
            Self::Sosm(method) => [unless("tau", method.tau(), 3.0), None, None],
            Self::PairwisePreference(method) => [when(method.pairs() == PairRule::SkipAbove, "skip-above"), None, None],
        };
        write(f, self.name(), &settings)
    }
}

/// Buffers of [`AnyMultileaving`]: one set for each method used.
#[derive(Debug, Default)]
pub struct AnyMultileavingScratch {
    team_draft: TeamDraftScratch,
    probabilistic: ProbabilisticMultileaveScratch,
    signs: ProbabilisticMultileaveSignsScratch,
    optimized: OptimizedMultileaveScratch,
    sosm: SosmScratch,
    pairwise_preference: PairwisePreferenceScratch,
}

/// The receipts of all multileaving methods.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the types say it")]
pub enum MultileavingReceipt {
    TeamDraft(TeamDraftMultileaveReceipt),
    Probabilistic(ProbabilisticMultileaveReceipt),
    Optimized(OptimizedMultileaveReceipt),
    Sosm(SosmReceipt),
    PairwisePreference(PairwisePreferenceReceipt),
}

/// The receipt of [`AnyMultileaving`].
pub type AnyMultileavingReceipt = NamedReceipt<MultileavingReceipt>;

/// The outcome of [`AnyMultileaving`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnyOutcome {
    /// One score a ranker.
    Scores(Vec<u64>),
    /// A verdict on each pair.
    #[serde(rename = "signs")]
    Pairwise(PairwisePreferences),
}

impl Default for AnyOutcome {
    fn default() -> Self {
        Self::Scores(Vec::new())
    }
}

impl AnyOutcome {
    /// The scores, where there are any.
    #[must_use]
    pub fn scores(&self) -> Option<&[u64]> {
        match self {
            Self::Scores(scores) => Some(scores),
            Self::Pairwise(_) => None,
        }
    }

    fn scores_mut(&mut self) -> &mut Vec<u64> {
        if let Self::Pairwise(_) = self {
            *self = Self::default();
        }
        match self {
            Self::Scores(scores) => scores,
            Self::Pairwise(_) => unreachable!("replaced above"),
        }
    }

    fn signs_mut(&mut self) -> &mut PairwisePreferences {
        if let Self::Scores(_) = self {
            *self = Self::Pairwise(PairwisePreferences::default());
        }
        match self {
            Self::Pairwise(signs) => signs,
            Self::Scores(_) => unreachable!("replaced above"),
        }
    }
}

impl Outcome for AnyOutcome {
    fn rankers(&self) -> usize {
        match self {
            Self::Scores(scores) => scores.rankers(),
            Self::Pairwise(signs) => signs.rankers(),
        }
    }

    #[inline]
    fn preference(&self, i: usize, j: usize) -> Preference {
        match self {
            Self::Scores(scores) => scores.preference(i, j),
            Self::Pairwise(signs) => signs.preference(i, j),
        }
    }
}

impl Multileaving for AnyMultileaving {
    type Scratch = AnyMultileavingScratch;
    type Receipt = AnyMultileavingReceipt;
    type Outcome = AnyOutcome;

    fn name(&self) -> &'static str {
        match self {
            Self::TeamDraft(method) => method.name(),
            Self::Probabilistic(method) => method.name(),
            Self::ProbabilisticSigns(method) => method.name(),
            Self::Optimized(method) => method.name(),
            Self::Sosm(method) => method.name(),
            Self::PairwisePreference(method) => method.name(),
        }
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut AnyMultileavingScratch,
        user: impl FnMut(Doc) -> Examination,
        outcome: &mut AnyOutcome,
    ) -> bool {
        match self {
            Self::TeamDraft(method) => {
                let (scratch, scores) = (&mut scratch.team_draft, outcome.scores_mut());
                method.compare(lists, length, generator, scratch, user, scores)
            }
            Self::Probabilistic(method) => {
                let (scratch, scores) = (&mut scratch.probabilistic, outcome.scores_mut());
                method.compare(lists, length, generator, scratch, user, scores)
            }
            Self::ProbabilisticSigns(method) => {
                let (scratch, signs) = (&mut scratch.signs, outcome.signs_mut());
                method.compare(lists, length, generator, scratch, user, signs)
            }
            Self::Optimized(method) => {
                let (scratch, scores) = (&mut scratch.optimized, outcome.scores_mut());
                method.compare(lists, length, generator, scratch, user, scores)
            }
            Self::Sosm(method) => {
                let (scratch, scores) = (&mut scratch.sosm, outcome.scores_mut());
                method.compare(lists, length, generator, scratch, user, scores)
            }
            Self::PairwisePreference(method) => {
                let (scratch, scores) = (&mut scratch.pairwise_preference, outcome.scores_mut());
                method.compare(lists, length, generator, scratch, user, scores)
            }
        }
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        scratch: &mut AnyMultileavingScratch,
    ) -> (Vec<Doc>, AnyMultileavingReceipt) {
        use MultileavingReceipt as Receipt;
        let (shown, receipt) = match self {
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
            Self::ProbabilisticSigns(method) => {
                let scratch = &mut scratch.signs;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::Probabilistic(receipt))
            }
            Self::Optimized(method) => {
                let scratch = &mut scratch.optimized;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::Optimized(receipt))
            }
            Self::Sosm(method) => {
                let scratch = &mut scratch.sosm;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::Sosm(receipt))
            }
            Self::PairwisePreference(method) => {
                let scratch = &mut scratch.pairwise_preference;
                let (shown, receipt) = method.draw(lists, length, generator, scratch);
                (shown, Receipt::PairwisePreference(receipt))
            }
        };
        let method = self.to_string();
        (shown, NamedReceipt { method, receipt })
    }

    /// # Errors
    /// When a position lies outside the list, or the receipt is from another method or settings.
    fn credit(&self, receipt: &AnyMultileavingReceipt, clicked: &[usize]) -> Result<AnyOutcome, CreditError> {
        use MultileavingReceipt as Receipt;
        let scores = match (self, receipt.open(self)?) {
            (Self::TeamDraft(method), Receipt::TeamDraft(receipt)) => method.credit(receipt, clicked),
            (Self::Probabilistic(method), Receipt::Probabilistic(receipt)) => method.credit(receipt, clicked),
            (Self::ProbabilisticSigns(method), Receipt::Probabilistic(receipt)) => {
                return method.credit(receipt, clicked).map(AnyOutcome::Pairwise);
            }
            (Self::Optimized(method), Receipt::Optimized(receipt)) => method.credit(receipt, clicked),
            (Self::Sosm(method), Receipt::Sosm(receipt)) => method.credit(receipt, clicked),
            (Self::PairwisePreference(method), Receipt::PairwisePreference(receipt)) => method.credit(receipt, clicked),
            _ => return Err(receipt.foreign(self)),
        };
        scores.map(AnyOutcome::Scores)
    }
}
