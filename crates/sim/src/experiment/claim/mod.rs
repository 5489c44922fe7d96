//! Claims of papers, as tests on the measurements.
//!
//! `experiments/README.md` documents the tests and the other keys of a claim.

mod across;
mod evaluate;
pub(super) mod names;
mod setting_series;
mod shape;
#[cfg(test)]
mod tests;

use anyhow::{Result, anyhow, bail, ensure};
pub(crate) use evaluate::evaluate;
use output::numbers::parse_positive;
use serde::{Deserialize, Serialize};

/// A claim as the file states it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawClaim {
    says: String,
    #[serde(default)]
    r#where: String,
    #[serde(default)]
    needs_real_data: bool,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    r#in: Vec<String>,
    #[serde(default)]
    r#for: Option<String>,
    #[serde(default)]
    metric: Option<String>,
    lowest: Option<String>,
    highest: Option<String>,
    #[serde(default)]
    against: Vec<String>,
    ratio: Option<[String; 2]>,
    value: Option<String>,
    each: Option<String>,
    #[serde(default)]
    values: Vec<f64>,
    above: Option<f64>,
    below: Option<f64>,
    near: Option<f64>,
    within: Option<f64>,
    reaches: Option<String>,
    level: Option<f64>,
    sooner_than: Option<String>,
    times: Option<f64>,
    at_most: Option<f64>,
    near_best: Option<String>,
    flat: Option<String>,
    grows: Option<[String; 2]>,
    slower: Option<[String; 2]>,
    rises: Option<String>,
    shrinks: Option<String>,
    linear: Option<String>,
    runs: Option<usize>,
    best_run_worse_than_mean: Option<[String; 2]>,
    crossing: Option<[String; 2]>,
    before: Option<[f64; 2]>,
    shares: Option<[f64; 2]>,
    after: Option<[f64; 2]>,
    excess: Option<f64>,
    below_bound: Option<String>,
    bound: Option<String>,
}

/// A claim, parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The line of the file in which it begins, 1-based.
    pub line: usize,
    /// The paper's sentence, paraphrased.
    pub says: String,
    /// Where in the paper.
    pub place: String,
    /// Whether only the real data can settle it.
    pub needs_real_data: bool,
    /// Why it did not hold, where that was investigated.
    pub comment: Option<String>,
    /// The settings it is about; all if empty.
    pub settings: Vec<String>,
    /// The points it is about.
    pub at: PointSelection,
    /// The metric it is about; the first of the experiment's kind if none.
    pub metric: Option<String>,
    /// The test.
    pub test: Test,
}

/// The points of a curve at which a claim is tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointSelection {
    /// The last point.
    Last,
    /// All points.
    All,
    /// The points from this x on.
    From(f64),
    /// The points up to this x.
    UpTo(f64),
    /// The point nearest to this x.
    Near(f64),
}

/// A closed range of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Between {
    /// The lower end.
    pub above: f64,
    /// The upper end.
    pub below: f64,
}

impl Between {
    /// The ends that are numbers.
    fn ends(self) -> impl Iterator<Item = f64> {
        [self.above, self.below].into_iter().filter(|end| end.is_finite())
    }

    fn holds(self, value: f64) -> bool {
        value >= self.above && value <= self.below
    }
}

/// A test of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// The lowest or highest mean of all curves, or of some.
    Extreme {
        /// The curve.
        of: String,
        /// The curves it is compared with; all if empty.
        against: Vec<String>,
        /// Whether the mean is the highest instead of the lowest.
        highest: bool,
    },
    /// The mean of the first curve divided by the mean of the second.
    Ratio([String; 2], Between),
    /// The mean of a curve.
    Value(String, Between),
    /// The means of a curve at all points.
    Each {
        /// The curve.
        of: String,
        /// The values of the paper.
        values: Vec<f64>,
        /// The largest difference allowed.
        within: f64,
    },
    /// Reaching a level sooner than another curve.
    Reaches {
        /// The curve.
        who: String,
        /// The level.
        level: f64,
        /// The other curve, and by which factor it must be later.
        sooner: Option<(String, f64)>,
        /// The latest x, where there is no other curve.
        by: f64,
    },
    /// At most this factor times the lowest mean.
    NearBest(String, f64),
    /// The largest mean divided by the smallest is at most this.
    Flat(String, f64),
    /// A ratio that grows from setting to setting.
    Grows([String; 2]),
    /// A mean that rises, or shrinks, from setting to setting.
    Trend {
        /// The curve.
        of: String,
        /// Whether it rises.
        rises: bool,
        /// The factor between the first and the last setting.
        factor: Between,
    },
    /// A mean that grows by a lower power of x than another.
    Slower([String; 2]),
    /// At least this number of runs with linear regret.
    Linear(String, usize),
    /// The best run of the first curve is worse than the mean of the second.
    BestWorseThanMean([String; 2]),
    /// The regret of the first curve falls below the second's.
    Crossing {
        /// The two curves.
        pair: [String; 2],
        /// The paper's numbers.
        paper: PaperCrossing,
        /// The largest difference of each number allowed.
        within: f64,
    },
    /// Below another curve at every x.
    BelowBound(String, String),
}

/// A paper's statement on two curves that cross.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PaperCrossing {
    /// Both curves' shares of suboptimal steps at half of the time of the crossing.
    pub before: Option<[f64; 2]>,
    /// At the crossing.
    pub shares: Option<[f64; 2]>,
    /// At twice the time.
    pub after: Option<[f64; 2]>,
    /// The relative excess of the second curve's regret at twice the time.
    pub excess: Option<f64>,
}

impl Test {
    /// The curves that it is about.
    pub(super) fn curves(&self) -> Vec<&str> {
        let all: Vec<&String> = match self {
            Self::Extreme { of, against, .. } => std::iter::once(of).chain(against).collect(),
            Self::Ratio(pair, _)
            | Self::Grows(pair)
            | Self::Slower(pair)
            | Self::BestWorseThanMean(pair)
            | Self::Crossing { pair, .. } => pair.iter().collect(),
            Self::Value(of, _)
            | Self::Each { of, .. }
            | Self::NearBest(of, _)
            | Self::Flat(of, _)
            | Self::Trend { of, .. }
            | Self::Linear(of, _) => vec![of],
            Self::Reaches { who, sooner, .. } => {
                std::iter::once(who).chain(sooner.iter().map(|(other, _)| other)).collect()
            }
            Self::BelowBound(of, bound) => vec![of, bound],
        };
        all.into_iter().map(String::as_str).collect()
    }
}

impl Claim {
    /// Parses a claim that begins at `line` of the file.
    pub(super) fn parse(raw: RawClaim, line: usize) -> Result<Self> {
        let test = raw.test()?;
        let at = match raw.r#for.as_deref() {
            None => PointSelection::Last,
            Some(text) => parse_at(text)?,
        };
        Ok(Self {
            line,
            says: raw.says,
            place: raw.r#where,
            needs_real_data: raw.needs_real_data,
            comment: raw.comment,
            settings: raw.r#in,
            at,
            metric: raw.metric,
            test,
        })
    }
}

impl RawClaim {
    fn test(&self) -> Result<Test> {
        let mut tests = Vec::new();
        for (named, highest) in [(&self.lowest, false), (&self.highest, true)] {
            if let Some(of) = named {
                tests.push(Test::Extreme { of: of.clone(), against: self.against.clone(), highest });
            }
        }
        if let (Some(pair), None) = (&self.ratio, &self.grows) {
            tests.push(Test::Ratio(pair.clone(), self.between()?));
        }
        if let Some(of) = &self.value {
            tests.push(Test::Value(of.clone(), self.between()?));
        }
        if let Some(of) = &self.each {
            let within = self.within.ok_or_else(|| anyhow!("`each` needs `within`"))?;
            tests.push(Test::Each { of: of.clone(), values: self.values.clone(), within });
        }
        if let Some(who) = &self.reaches {
            let level = self.level.ok_or_else(|| anyhow!("`reaches` needs `level`"))?;
            let sooner = self.sooner_than.clone().map(|other| (other, self.times.unwrap_or(1.0)));
            let by = self.below.unwrap_or(f64::INFINITY);
            tests.push(Test::Reaches { who: who.clone(), level, sooner, by });
        }
        let within = || self.within.ok_or_else(|| anyhow!("`near-best` and `flat` need `within`, a factor"));
        if let Some(of) = &self.near_best {
            tests.push(Test::NearBest(of.clone(), within()?));
        }
        if let Some(of) = &self.flat {
            tests.push(Test::Flat(of.clone(), within()?));
        }
        if let Some(pair) = &self.grows {
            ensure!(self.r#in.len() > 1, "`grows` needs `in` with settings in order");
            tests.push(Test::Grows(pair.clone()));
        }
        for (named, rises) in [(&self.rises, true), (&self.shrinks, false)] {
            if let Some(of) = named {
                ensure!(self.r#in.len() > 1, "`rises` and `shrinks` need `in` with settings in order");
                let factor = Between { above: self.times.unwrap_or(1.0), below: self.at_most.unwrap_or(f64::INFINITY) };
                ensure!(factor.above <= factor.below, "`at-most` must be at least `times`");
                tests.push(Test::Trend { of: of.clone(), rises, factor });
            }
        }
        if let Some(of) = &self.linear {
            tests.push(Test::Linear(of.clone(), self.runs.unwrap_or(1)));
        }
        if let Some(pair) = &self.best_run_worse_than_mean {
            tests.push(Test::BestWorseThanMean(pair.clone()));
        }
        if let Some(pair) = &self.crossing {
            let within = self.within.unwrap_or(0.1);
            let Self { before, shares, after, excess, .. } = *self;
            let paper = PaperCrossing { before, shares, after, excess };
            tests.push(Test::Crossing { pair: pair.clone(), paper, within });
        }
        if let Some(pair) = &self.slower {
            tests.push(Test::Slower(pair.clone()));
        }
        if let Some(of) = &self.below_bound {
            let bound = self.bound.clone().ok_or_else(|| anyhow!("`below-bound` needs `bound`"))?;
            tests.push(Test::BelowBound(of.clone(), bound));
        }
        match tests.len() {
            1 => Ok(tests.remove(0)),
            0 => bail!(
                "nothing to test; expected one of lowest, highest, ratio, value, each, reaches, near-best, flat, grows, slower, rises, shrinks, linear, best-run-worse-than-mean, crossing, below-bound"
            ),
            _ => bail!("more than one test; split it into claims"),
        }
    }

    fn between(&self) -> Result<Between> {
        if let Some(near) = self.near {
            let within = self.within.ok_or_else(|| anyhow!("`near` needs `within`"))?;
            return Ok(Between { above: near - within, below: near + within });
        }
        ensure!(self.above.is_some() || self.below.is_some(), "needs `above`, `below`, or `near` and `within`");
        Ok(Between { above: self.above.unwrap_or(f64::NEG_INFINITY), below: self.below.unwrap_or(f64::INFINITY) })
    }
}

/// `last`, `all`, or any word, one of `>=`, `<=`, `=`, and a number.
fn parse_at(text: &str) -> Result<PointSelection> {
    let expected = || anyhow!("for = {text:?}: expected `last`, `all`, `K >= 80`, `K <= 20` or `steps = 1e6`");
    match text {
        "last" => return Ok(PointSelection::Last),
        "all" => return Ok(PointSelection::All),
        _ => {}
    }
    let mut words = text.split_whitespace().skip(1);
    let (Some(sign), Some(number), None) = (words.next(), words.next(), words.next()) else {
        return Err(expected());
    };
    let number = parse_positive(number).map_err(|_| expected())? as f64;
    match sign {
        ">=" => Ok(PointSelection::From(number)),
        "<=" => Ok(PointSelection::UpTo(number)),
        "=" => Ok(PointSelection::Near(number)),
        _ => Err(expected()),
    }
}

/// The outcome of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestedClaim {
    /// The paper's sentence, paraphrased.
    pub says: String,
    /// Where in the paper.
    pub place: String,
    /// The verdict.
    pub verdict: ClaimResult,
    /// Our numbers.
    pub numbers: String,
    /// Why it did not hold, where that was investigated.
    pub comment: Option<String>,
}

/// Whether a claim held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimResult {
    /// It held.
    Held,
    /// It did not.
    DidNotHold,
    /// It was tested below the paper's scale, which proves nothing about the paper.
    Open,
    /// It cannot be tested without the real data.
    NeedsRealData,
    /// Its subject was not measured, or did not happen.
    NotTested,
}

impl ClaimResult {
    /// All verdicts, in the order of counts.
    pub const ALL: [Self; 5] = [Self::Held, Self::DidNotHold, Self::Open, Self::NeedsRealData, Self::NotTested];

    /// A sign for tables.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Held => "✓",
            Self::DidNotHold => "✗",
            Self::Open => "○",
            Self::NeedsRealData => "–",
            Self::NotTested => "?",
        }
    }

    /// The verdict on a number of claims, in words: `needs the real data`, `need the real data`.
    #[must_use]
    pub fn words(self, claims: usize) -> &'static str {
        match self {
            Self::Held => "held",
            Self::DidNotHold => "did not hold",
            Self::Open => "open (scaled)",
            Self::NeedsRealData if claims == 1 => "needs the real data",
            Self::NeedsRealData => "need the real data",
            Self::NotTested => "not tested",
        }
    }

    /// Sign and words, for tables.
    #[must_use]
    pub fn mark(self) -> String {
        format!("{} {}", self.sign(), self.words(1))
    }

    /// The number of outcomes with each verdict, without zeros.
    #[must_use]
    pub fn tally<'a>(outcomes: impl Iterator<Item = &'a TestedClaim> + Clone) -> Vec<(Self, usize)> {
        let count = |verdict| outcomes.clone().filter(|outcome| outcome.verdict == verdict).count();
        Self::ALL.map(|verdict| (verdict, count(verdict))).into_iter().filter(|(_, count)| *count > 0).collect()
    }
}
