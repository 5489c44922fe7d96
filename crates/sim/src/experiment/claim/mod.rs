//! Claims of papers, as tests on the measurements.
//!
//! `experiments/README.md` documents the tests and the other keys of a claim.

mod evaluate;
mod hashed_text;
pub(super) mod names;
mod parse;
mod result;
mod setting_series;
mod setting_trends;
mod shape;
#[cfg(test)]
mod tests;

pub(crate) use evaluate::evaluate;
pub(in crate::experiment) use parse::RawClaim;
pub(crate) use result::{ClaimResult, TestedClaim};

/// A claim, parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The line of the file in which it begins, 1-based.
    pub line: usize,
    /// The paper's sentence, paraphrased.
    pub statement: String,
    /// Where in the paper.
    pub paper_place: String,
    /// Whether only the real data can settle it.
    pub needs_real_data: bool,
    /// Why it did not hold, where that was investigated.
    pub comment: Option<String>,
    /// The settings it is about; all if empty.
    pub settings: Vec<String>,
    /// The points it is about.
    pub points: PointSelection,
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
#[derive(Clone, PartialEq)]
pub enum Test {
    /// The lowest or highest mean of all curves, or of some.
    Extreme {
        /// The curve.
        curve: String,
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
        curve: String,
        /// The values of the paper.
        values: Vec<f64>,
        /// The largest difference allowed.
        tolerance: f64,
    },
    /// Reaching a level sooner than another curve.
    Reaches {
        /// The curve.
        curve: String,
        /// The level.
        level: f64,
        /// The other curve, and by which factor it must be later.
        rival: Option<(String, f64)>,
        /// The latest x, where there is no other curve.
        deadline: f64,
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
        curve: String,
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
        tolerance: f64,
    },
    /// Below another curve at every x.
    BelowBound(String, String),
}

/// A paper's statement on two curves that cross.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct PaperCrossing {
    /// Both curves' shares of suboptimal steps at half of the time of the crossing.
    pub shares_before: Option<[f64; 2]>,
    /// At the crossing.
    pub shares_at_crossing: Option<[f64; 2]>,
    /// At twice the time.
    pub shares_after: Option<[f64; 2]>,
    /// The relative excess of the second curve's regret at twice the time.
    pub excess: Option<f64>,
}

impl Test {
    /// The curves that it is about.
    pub(super) fn curves(&self) -> Vec<&str> {
        let names: Vec<&String> = match self {
            Self::Extreme { curve, against, .. } => std::iter::once(curve).chain(against).collect(),
            Self::Ratio(pair, _)
            | Self::Grows(pair)
            | Self::Slower(pair)
            | Self::BestWorseThanMean(pair)
            | Self::Crossing { pair, .. } => pair.iter().collect(),
            Self::Value(curve, _)
            | Self::Each { curve, .. }
            | Self::NearBest(curve, _)
            | Self::Flat(curve, _)
            | Self::Trend { curve, .. }
            | Self::Linear(curve, _) => vec![curve],
            Self::Reaches { curve, rival, .. } => {
                std::iter::once(curve).chain(rival.iter().map(|(name, _)| name)).collect()
            }
            Self::BelowBound(curve, bound) => vec![curve, bound],
        };
        names.into_iter().map(String::as_str).collect()
    }
}
