//! The units of an experiment: a share of all, which a ramp raises, and a lane of a layer that experiments divide. Not here: the
//! present share, which is state (`experiment::share`), and keyed hashes, which are the caller's.

use serde::{Deserialize, Serialize};
use times::parse_duration;

use super::{Config, ConfigError, invalid, is_plain};

/// More steps than these are refused.
const MAX_STEPS: usize = 100;
/// The shortest and the longest time of a step, in milliseconds.
const HOLD: std::ops::RangeInclusive<i64> = 60_000..=365 * 24 * 3_600_000;

/// A step of a ramp: in JSON `[5, "1d"]`, and the last one `[100]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StepForm", into = "StepForm")]
pub struct Step {
    /// The share in percent, above 0 and at most 100.
    pub percent: f64,
    /// How long the experiment runs with it, e.g. `1d`; `None` for the last step.
    pub hold: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected steps such as [5, \"1d\"], a percentage and how long, and [100] as the last")]
enum StepForm {
    Held(f64, String),
    Last([f64; 1]),
}

impl From<StepForm> for Step {
    fn from(form: StepForm) -> Self {
        match form {
            StepForm::Held(percent, hold) => Self { percent, hold: Some(hold) },
            StepForm::Last([percent]) => Self { percent, hold: None },
        }
    }
}

impl From<Step> for StepForm {
    fn from(Step { percent, hold }: Step) -> Self {
        match hold {
            Some(hold) => Self::Held(percent, hold),
            None => Self::Last([percent]),
        }
    }
}

impl Step {
    /// The share, in (0, 1].
    #[must_use]
    pub fn share(&self) -> f64 {
        self.percent / 100.0
    }
}

/// A part of a layer. Experiments share no unit if their lanes of a layer do not overlap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lane {
    /// The layer: small letters, digits, `-` and `_`, at most 64.
    pub of: String,
    /// Where the lane begins, from 0.
    pub from: f64,
    /// Where it ends, at most 1; this place is the next lane's.
    pub to: f64,
}

impl Lane {
    /// Whether the lane has a [position](UnitPosition::lane).
    #[must_use]
    pub fn has(&self, place: u64) -> bool {
        !is_below(place, self.from) && is_below(place, self.to)
    }

    /// Whether some unit could be in both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.of == other.of && self.from < other.to && other.from < self.to
    }
}

/// The position of a unit, as two numbers from keyed hashes of its name, uniformly distributed. They must stay the same as long as the
/// experiment runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitPosition {
    /// Among the units of the experiment: the lowest are in first. Other experiments have other numbers.
    pub share: u64,
    /// In the layer of the experiment's lane: the same in all experiments, and independent of `share`.
    pub lane: u64,
}

/// Whether a place, as a fraction of 2^64, is below a fraction of all.
pub(crate) fn is_below(place: u64, fraction: f64) -> bool {
    const ALL_POSITIONS: f64 = 18_446_744_073_709_551_616.0;
    // A power of two: the product is exact.
    u128::from(place) < (fraction * ALL_POSITIONS) as u128
}

/// A share and how long the experiment runs with it, in milliseconds; the last for ever.
pub(crate) type RampStep = (f64, i64);

/// Checks that a share is valid.
pub(crate) fn check_share(share: f64) -> Result<(), ConfigError> {
    if share > 0.0 && share <= 1.0 {
        return Ok(());
    }
    Err(invalid("share", format!("expected a share above 0 and at most 1, found {share}")))
}

impl Config {
    /// The steps of the ramp, after checks of it, of the share and of the lane.
    pub(crate) fn ramp_rules(&self) -> Result<Vec<RampStep>, ConfigError> {
        let steps = match self.ramp.as_deref() {
            None => Vec::new(),
            Some(steps) => parse_ramp(steps)?,
        };
        check_share(self.share)?;
        if let Some((first, _)) = steps.first()
            && self.share != 1.0
            && self.share != *first
        {
            return Err(invalid("share", format!("`ramp` begins with the share {first}; leave `share` out")));
        }
        if let Some(Lane { of: text, from, to }) = &self.lane {
            if !is_plain(text) {
                let text: String = text.chars().take(80).collect();
                return Err(invalid(
                    "lane",
                    format!(
                        "expected `of` as 1 to 64 small letters, digits, `-` and `_`, found `{}`",
                        text.escape_debug()
                    ),
                ));
            }
            if !(0.0 <= *from && from < to && *to <= 1.0) {
                return Err(invalid("lane", format!("expected 0 <= from < to <= 1, found from {from} to {to}")));
            }
        }
        Ok(steps)
    }
}

fn parse_ramp(steps: &[Step]) -> Result<Vec<RampStep>, ConfigError> {
    let wrong = |message: String| invalid("ramp", message);
    if !(1..=MAX_STEPS).contains(&steps.len()) {
        return Err(wrong(format!("expected 1 to {MAX_STEPS} steps, found {}", steps.len())));
    }
    let mut holds: Vec<RampStep> = Vec::with_capacity(steps.len());
    for (number, step) in (1..).zip(steps) {
        if !(step.percent > 0.0 && step.percent <= 100.0) {
            return Err(wrong(format!("expected percentages above 0 and at most 100, found {}", step.percent)));
        }
        if holds.last().is_some_and(|(before, _)| step.share() <= *before) {
            return Err(wrong(format!("step {number} has {}%, which is not more than the step before", step.percent)));
        }
        let hold = match (&step.hold, number == steps.len()) {
            (None, true) => i64::MAX,
            (None, false) => return Err(wrong(format!("step {number} says not how long; only the last has no time"))),
            (Some(hold), true) => {
                return Err(wrong(format!("the last step stays; leave its time `{}` out", hold.escape_debug())));
            }
            (Some(hold), false) => {
                let length = parse_duration(hold).map_err(wrong)?;
                if !HOLD.contains(&length) {
                    return Err(wrong(format!("expected 1m to 365d for a step, found `{hold}`")));
                }
                length
            }
        };
        holds.push((step.share(), hold));
    }
    Ok(holds)
}
