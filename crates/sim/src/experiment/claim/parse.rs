//! Parses the claims of an experiment's file.

use anyhow::{Result, anyhow, bail, ensure};
use output::numbers::parse_positive;
use serde::Deserialize;

use super::{Between, Claim, PaperCrossing, PointSelection, Test};

/// A claim as the file states it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::experiment) struct RawClaim {
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

impl Claim {
    /// Parses a claim that begins at `line` of the file.
    pub(in crate::experiment) fn parse(raw: RawClaim, line: usize) -> Result<Self> {
        let test = raw.test()?;
        let points = match raw.r#for.as_deref() {
            None => PointSelection::Last,
            Some(text) => parse_points(text)?,
        };
        Ok(Self {
            line,
            statement: raw.says,
            paper_place: raw.r#where,
            needs_real_data: raw.needs_real_data,
            comment: raw.comment,
            settings: raw.r#in,
            points,
            metric: raw.metric,
            test,
        })
    }
}

impl RawClaim {
    fn test(&self) -> Result<Test> {
        let mut tests = Vec::new();
        for (curve, highest) in [(&self.lowest, false), (&self.highest, true)] {
            if let Some(curve) = curve {
                tests.push(Test::Extreme { curve: curve.clone(), against: self.against.clone(), highest });
            }
        }
        if let (Some(pair), None) = (&self.ratio, &self.grows) {
            tests.push(Test::Ratio(pair.clone(), self.between()?));
        }
        if let Some(curve) = &self.value {
            tests.push(Test::Value(curve.clone(), self.between()?));
        }
        if let Some(curve) = &self.each {
            let tolerance = self.within.ok_or_else(|| anyhow!("`each` needs `within`"))?;
            tests.push(Test::Each { curve: curve.clone(), values: self.values.clone(), tolerance });
        }
        if let Some(curve) = &self.reaches {
            let level = self.level.ok_or_else(|| anyhow!("`reaches` needs `level`"))?;
            let rival = self.sooner_than.clone().map(|other| (other, self.times.unwrap_or(1.0)));
            let deadline = self.below.unwrap_or(f64::INFINITY);
            tests.push(Test::Reaches { curve: curve.clone(), level, rival, deadline });
        }
        let factor = || self.within.ok_or_else(|| anyhow!("`near-best` and `flat` need `within`, a factor"));
        if let Some(curve) = &self.near_best {
            tests.push(Test::NearBest(curve.clone(), factor()?));
        }
        if let Some(curve) = &self.flat {
            tests.push(Test::Flat(curve.clone(), factor()?));
        }
        if let Some(pair) = &self.grows {
            ensure!(self.r#in.len() > 1, "`grows` needs `in` with settings in order");
            tests.push(Test::Grows(pair.clone()));
        }
        for (curve, rises) in [(&self.rises, true), (&self.shrinks, false)] {
            if let Some(curve) = curve {
                ensure!(self.r#in.len() > 1, "`rises` and `shrinks` need `in` with settings in order");
                let factor = Between { above: self.times.unwrap_or(1.0), below: self.at_most.unwrap_or(f64::INFINITY) };
                ensure!(factor.above <= factor.below, "`at-most` must be at least `times`");
                tests.push(Test::Trend { curve: curve.clone(), rises, factor });
            }
        }
        if let Some(curve) = &self.linear {
            tests.push(Test::Linear(curve.clone(), self.runs.unwrap_or(1)));
        }
        if let Some(pair) = &self.best_run_worse_than_mean {
            tests.push(Test::BestWorseThanMean(pair.clone()));
        }
        if let Some(pair) = &self.crossing {
            let paper = PaperCrossing {
                shares_before: self.before,
                shares_at_crossing: self.shares,
                shares_after: self.after,
                excess: self.excess,
            };
            tests.push(Test::Crossing { pair: pair.clone(), paper, tolerance: self.within.unwrap_or(0.1) });
        }
        if let Some(pair) = &self.slower {
            tests.push(Test::Slower(pair.clone()));
        }
        if let Some(curve) = &self.below_bound {
            let bound = self.bound.clone().ok_or_else(|| anyhow!("`below-bound` needs `bound`"))?;
            tests.push(Test::BelowBound(curve.clone(), bound));
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
fn parse_points(text: &str) -> Result<PointSelection> {
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
