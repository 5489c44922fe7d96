//! Problems by name, with parameters as text.

use std::fmt;
use std::str::FromStr;

use super::utilities::{arith, geom, good_and_poor, normal};
use super::{arithmetic_with, btl, circle_and_leader, tournament, upset};
use crate::algorithm::rules::positive;
use crate::algorithm::{MAX_ARMS_WITH_ALL_PAIRS, assign, countable, nearest};
use crate::{
    MatrixError, Parameter, ParameterError, ParameterValue, PreferenceMatrix, UtilityArena, UtilityError, named_values,
};

/// A synthetic problem, written `name:key=value:key=value`, every parameter optional.
///
/// | name | parameters | description |
/// |---|---|---|
/// | `arithmetic` | `k=8`, `step=0.05` | [arms in a row](super::arithmetic) |
/// | `cyclic` | `k=4`, `lead=0.6`, `circle=0.9` | [a leader before a cycle](super::circle_and_leader) |
/// | `btl` | `k=10`, `ratio=0.9` | [strengths](super::btl) 1, `ratio`, `ratio`^2, ... |
/// | `upset` | `k=20`, `lead=0.52`, `strong=0.95` | [a narrow winner before an arm that beats the rest clearly](super::upset) |
/// | `tournament` | `k=12`, `winner=yes`, `least=0.02`, `most=0.3`, `seed=1` | [preferences without an order](super::tournament) |
/// | `normal` | `k=1000`, `sd=3`, `seed=1` | [utilities drawn from N(0, sd^2)](super::utilities::normal) |
/// | `1good5poor` | in the name | [good and poor utilities](super::utilities::good_and_poor) |
/// | `arith51` | in the name | [utilities in equal steps](super::utilities::arith) |
/// | `geom201` | in the name | [utilities in equal ratios](super::utilities::geom) |
///
/// The first five are preference matrices, the others utilities. Numbers in names are free:
/// `7good3poor` and `arith1000` are problems too.
///
/// ```
/// use bandits::problems::{Problem, ProblemArena};
///
/// let problem: Problem = "arithmetic:k=5".parse()?;
/// assert_eq!(problem.to_string(), "arithmetic:k=5:step=0.05");
/// assert!(matches!(problem.setting()?, ProblemArena::Matrix(_)));
///
/// let ProblemArena::Utilities(arena) = "1good5poor".parse::<Problem>()?.setting()? else {
///     unreachable!("a problem of utilities");
/// };
/// assert_eq!(arena.utilities()[..2], [0.8, 0.2]);
/// # Ok::<(), bandits::problems::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Problem(ProblemKind);

#[derive(Debug, Clone, PartialEq)]
enum ProblemKind {
    Arithmetic { k: usize, step: f64 },
    Cyclic { k: usize, lead: f64, circle: f64 },
    Btl { k: usize, ratio: f64 },
    Upset { k: usize, lead: f64, strong: f64 },
    Tournament { k: usize, winner: Winner, least: f64, most: f64, seed: usize },
    Normal { k: usize, sd: f64, seed: usize },
    GoodAndPoor { good: usize, poor: usize },
    Arith { k: usize },
    Geom { k: usize },
}

named_values! {
    /// Whether a tournament has a Condorcet winner.
    enum Winner {
        Yes = "yes",
        No = "no",
    }
}

/// A problem made ready for duels.
#[derive(Debug, Clone)]
pub enum ProblemArena {
    /// A preference matrix, for a [`MatrixArena`](crate::MatrixArena).
    Matrix(PreferenceMatrix),
    /// Utilities, an arena by themselves.
    Utilities(UtilityArena),
}

/// Why a text names no problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// No problem of this name.
    #[error(
        "no problem is called `{name}`{}; there are {}, and utilities such as 1good5poor, \
         arith51, geom201",
        suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?")),
        PLAIN_NAMES.join(", ")
    )]
    Unknown {
        /// The name or key given.
        name: String,
        /// The nearest name there is.
        suggestion: Option<&'static str>,
    },
    /// A parameter that is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A parameter outside of its range.
    #[error("{key}: expected {expected}, found {value}")]
    OutOfRange {
        /// The parameter.
        key: &'static str,
        /// Its range.
        expected: &'static str,
        /// Its value.
        value: f64,
    },
    /// More arms than a matrix should have.
    #[error(
        "a matrix of {arms} arms would need {} GB; matrices end at {MAX_ARMS_WITH_ALL_PAIRS} arms, \
         utilities (as in normal:k={arms}) do not",
        arms.saturating_mul(*arms) / 125_000_000
    )]
    TooManyForAMatrix {
        /// The number of arms.
        arms: usize,
    },
    /// The entries make no matrix.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The utilities make no arena.
    #[error(transparent)]
    Utility(#[from] UtilityError),
}

/// The most arms of any problem: policies then need some gigabytes.
const MAX_ARMS: usize = 100_000_000;

/// Names without a number in them.
const PLAIN_NAMES: [&str; 6] = ["arithmetic", "cyclic", "btl", "upset", "tournament", "normal"];

/// The fifteen problems of Table 1 of Brost et al. (see [`utilities`](super::utilities)), five
/// families at three sizes.
///
/// The names `1good5poor`, `1good50poor`, `1good200poor`, `11good40poor`, `arith51` and `geom201`
/// are known from accounts of the paper. The others are inferred from them: the same families at
/// the sizes 6, 51 and 201 that these names have, and, as the fifth, good and poor arms with their
/// shares exchanged. So is the meaning of the names (how 0.7 and 0.2 are joined in `arith` and
/// `geom`, and that the best arm is one of the good ones).
pub const TABLE_1: [&str; 15] = [
    "1good5poor",
    "1good50poor",
    "1good200poor",
    "2good4poor",
    "11good40poor",
    "41good160poor",
    "5good1poor",
    "41good10poor",
    "161good40poor",
    "arith6",
    "arith51",
    "arith201",
    "geom6",
    "geom51",
    "geom201",
];

/// The names of problems: those with parameters, and the fifteen of [`TABLE_1`].
#[must_use]
pub fn names() -> Vec<&'static str> {
    PLAIN_NAMES.into_iter().chain(TABLE_1).collect()
}

impl Problem {
    /// How many arms it has.
    #[must_use]
    pub fn arms(&self) -> usize {
        match self.0 {
            ProblemKind::GoodAndPoor { good, poor } => good + poor,
            ProblemKind::Arithmetic { k, .. }
            | ProblemKind::Cyclic { k, .. }
            | ProblemKind::Btl { k, .. }
            | ProblemKind::Upset { k, .. }
            | ProblemKind::Tournament { k, .. }
            | ProblemKind::Normal { k, .. }
            | ProblemKind::Arith { k }
            | ProblemKind::Geom { k } => k,
        }
    }

    /// The problem made ready.
    ///
    /// # Errors
    /// None for a problem that was parsed, other than that matrices end at 32,768 arms.
    pub fn setting(&self) -> Result<ProblemArena, ProblemError> {
        let matrix = |matrix| -> Result<ProblemArena, ProblemError> { Ok(ProblemArena::Matrix(matrix?)) };
        let utilities = |utilities| -> Result<ProblemArena, ProblemError> {
            Ok(ProblemArena::Utilities(UtilityArena::new(utilities)?))
        };
        if self.is_matrix() && self.arms() > MAX_ARMS_WITH_ALL_PAIRS {
            return Err(ProblemError::TooManyForAMatrix { arms: self.arms() });
        }
        match self.0 {
            ProblemKind::Arithmetic { k, step } => matrix(arithmetic_with(k, step)),
            ProblemKind::Cyclic { k, lead, circle } => matrix(circle_and_leader(k, lead, circle)),
            ProblemKind::Btl { k, ratio } => {
                // Only ratios matter, so that the powers need not be kept from vanishing.
                let strength = |arm: usize| libm::pow(ratio, arm as f64).max(f64::MIN_POSITIVE);
                let strengths: Vec<f64> = (0..k).map(strength).collect();
                matrix(btl(&strengths))
            }
            ProblemKind::Upset { k, lead, strong } => matrix(upset(k, lead, strong)),
            ProblemKind::Tournament { k, winner, least, most, seed } => {
                matrix(tournament(k, winner == Winner::Yes, [least, most], seed as u64))
            }
            ProblemKind::Normal { k, sd, seed } => utilities(normal(k, sd, seed as u64)),
            ProblemKind::GoodAndPoor { good, poor } => utilities(good_and_poor(good, poor)),
            ProblemKind::Arith { k } => utilities(arith(k)),
            ProblemKind::Geom { k } => utilities(geom(k)),
        }
    }

    /// Whether it is a preference matrix; otherwise utilities.
    #[must_use]
    pub fn is_matrix(&self) -> bool {
        matches!(
            self.0,
            ProblemKind::Arithmetic { .. }
                | ProblemKind::Cyclic { .. }
                | ProblemKind::Btl { .. }
                | ProblemKind::Upset { .. }
                | ProblemKind::Tournament { .. }
        )
    }

    /// The problem of this name, with its defaults.
    fn named(name: &str) -> Option<Self> {
        let kind = match name {
            "arithmetic" => ProblemKind::Arithmetic { k: 8, step: 0.05 },
            "cyclic" => ProblemKind::Cyclic { k: 4, lead: 0.6, circle: 0.9 },
            "btl" => ProblemKind::Btl { k: 10, ratio: 0.9 },
            "upset" => ProblemKind::Upset { k: 20, lead: 0.52, strong: 0.95 },
            "tournament" => ProblemKind::Tournament { k: 12, winner: Winner::Yes, least: 0.02, most: 0.3, seed: 1 },
            "normal" => ProblemKind::Normal { k: 1000, sd: 3.0, seed: 1 },
            _ => parse_numbered(name)?,
        };
        Some(Self(kind))
    }

    fn name(&self) -> &'static str {
        match self.0 {
            ProblemKind::Arithmetic { .. } => "arithmetic",
            ProblemKind::Cyclic { .. } => "cyclic",
            ProblemKind::Btl { .. } => "btl",
            ProblemKind::Upset { .. } => "upset",
            ProblemKind::Tournament { .. } => "tournament",
            ProblemKind::Normal { .. } => "normal",
            ProblemKind::GoodAndPoor { .. } => "{n}good{m}poor",
            ProblemKind::Arith { .. } => "arith{n}",
            ProblemKind::Geom { .. } => "geom{n}",
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let arms = "how many arms";
        match &self.0 {
            ProblemKind::Arithmetic { k, step } => vec![
                Parameter::new("k", arms, k),
                Parameter::new("step", "how much better each arm is than the next", step),
            ],
            ProblemKind::Cyclic { k, lead, circle } => vec![
                Parameter::new("k", arms, k),
                Parameter::new("lead", "how often arm 0 beats any other", lead),
                Parameter::new("circle", "how often an arm beats those behind it", circle),
            ],
            ProblemKind::Btl { k, ratio } => vec![
                Parameter::new("k", arms, k),
                Parameter::new("ratio", "strength of an arm over that of the one before", ratio),
            ],
            ProblemKind::Upset { k, lead, strong } => vec![
                Parameter::new("k", arms, k),
                Parameter::new("lead", "how often arm 0 beats any other", lead),
                Parameter::new("strong", "how often arm 1 beats those behind it", strong),
            ],
            ProblemKind::Tournament { k, winner, least, most, seed } => vec![
                Parameter::new("k", arms, k),
                Parameter::new("winner", "whether arm 0 beats all others, or none does: yes or no", winner),
                Parameter::new("least", "the smallest margin of a pair", least),
                Parameter::new("most", "the largest margin of a pair", most),
                Parameter::new("seed", "what the pairs are drawn from", seed),
            ],
            ProblemKind::Normal { k, sd, seed } => vec![
                Parameter::new("k", arms, k),
                Parameter::new("sd", "standard deviation of the utilities", sd),
                Parameter::new("seed", "what the utilities are drawn from", seed),
            ],
            ProblemKind::GoodAndPoor { .. } | ProblemKind::Arith { .. } | ProblemKind::Geom { .. } => Vec::new(),
        }
    }

    fn parameter_mut(&mut self, key: &str) -> Option<&mut dyn ParameterValue> {
        Some(match (&mut self.0, key) {
            (
                ProblemKind::Arithmetic { k, .. }
                | ProblemKind::Cyclic { k, .. }
                | ProblemKind::Btl { k, .. }
                | ProblemKind::Upset { k, .. }
                | ProblemKind::Tournament { k, .. }
                | ProblemKind::Normal { k, .. },
                "k",
            ) => k,
            (ProblemKind::Arithmetic { step, .. }, "step") => step,
            (ProblemKind::Cyclic { lead, .. } | ProblemKind::Upset { lead, .. }, "lead") => lead,
            (ProblemKind::Cyclic { circle, .. }, "circle") => circle,
            (ProblemKind::Btl { ratio, .. }, "ratio") => ratio,
            (ProblemKind::Normal { sd, .. }, "sd") => sd,
            (ProblemKind::Upset { strong, .. }, "strong") => strong,
            (ProblemKind::Tournament { winner, .. }, "winner") => winner,
            (ProblemKind::Tournament { least, .. }, "least") => least,
            (ProblemKind::Tournament { most, .. }, "most") => most,
            (ProblemKind::Tournament { seed, .. } | ProblemKind::Normal { seed, .. }, "seed") => seed,
            _ => return None,
        })
    }

    fn check(&self) -> Result<(), ProblemError> {
        countable(self.arms())?;
        let require = |key, value: f64, ok: bool, expected| {
            if ok { Ok(()) } else { Err(ProblemError::OutOfRange { key, expected, value }) }
        };
        require("arms", self.arms() as f64, (2..=MAX_ARMS).contains(&self.arms()), "2 to 100000000 arms")?;
        match self.0 {
            ProblemKind::Arithmetic { step, .. } => require("step", step, step > 0.0 && step <= 0.5, "0 < step <= 0.5"),
            ProblemKind::Cyclic { lead, circle, .. } => {
                require("lead", lead, lead > 0.5 && lead <= 1.0, "0.5 < lead <= 1")?;
                require("circle", circle, circle > 0.5 && circle <= 1.0, "0.5 < circle <= 1")
            }
            ProblemKind::Btl { ratio, .. } => require("ratio", ratio, ratio > 0.0 && ratio < 1.0, "0 < ratio < 1"),
            ProblemKind::Upset { lead, strong, .. } => {
                require("lead", lead, lead > 0.5 && lead <= 1.0, "0.5 < lead <= 1")?;
                require("strong", strong, strong > 0.5 && strong <= 1.0, "0.5 < strong <= 1")
            }
            ProblemKind::Tournament { k, winner, least, most, .. } => {
                let enough = winner == Winner::Yes || k > 2;
                require("k", k as f64, enough, "3 arms or more: of two, one beats the other")?;
                require("least", least, least > 0.0 && least <= 0.5, "0 < least <= 0.5")?;
                require("most", most, most >= least && most <= 0.5, "least <= most <= 0.5")
            }
            ProblemKind::Normal { sd, .. } => Ok(positive("sd", sd)?),
            ProblemKind::GoodAndPoor { .. } | ProblemKind::Arith { .. } | ProblemKind::Geom { .. } => Ok(()),
        }
    }
}

/// A problem with its numbers in its name.
fn parse_numbered(name: &str) -> Option<ProblemKind> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    if let Some(k) = name.strip_prefix("arith") {
        return number(k).map(|k| ProblemKind::Arith { k });
    }
    if let Some(k) = name.strip_prefix("geom") {
        return number(k).map(|k| ProblemKind::Geom { k });
    }
    let (good, poor) = name.strip_suffix("poor")?.split_once("good")?;
    let (good, poor): (usize, usize) = (number(good)?, number(poor)?);
    (good > 0 && good.checked_add(poor).is_some()).then_some(ProblemKind::GoodAndPoor { good, poor })
}

impl FromStr for Problem {
    type Err = ProblemError;

    fn from_str(text: &str) -> Result<Self, ProblemError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let Some(mut problem) = Self::named(&name.to_lowercase()) else {
            return Err(ProblemError::Unknown { name: name.to_owned(), suggestion: nearest(name, &names()) });
        };
        let keys: Vec<_> = problem.parameters().iter().map(|parameter| parameter.key).collect();
        assign(problem.name(), &keys, parts, |key, text| {
            problem.parameter_mut(key).map_or(Ok(()), |value| value.set(text))
        })?;
        problem.check()?;
        Ok(problem)
    }
}

/// In full, every parameter spelt out.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ProblemKind::GoodAndPoor { good, poor } => write!(formatter, "{good}good{poor}poor"),
            ProblemKind::Arith { k } => write!(formatter, "arith{k}"),
            ProblemKind::Geom { k } => write!(formatter, "geom{k}"),
            _ => {
                formatter.write_str(self.name())?;
                for parameter in self.parameters() {
                    write!(formatter, ":{}={}", parameter.key, parameter.value)?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
