//! `click-logs decide --against`: how well interleaving agreed with past A/B tests, and what that implies for a new
//! result.

mod past_experiments;
mod report;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use desk::print;
use output::numbers::{complement, parse_number};
use output::results_folder::{ExistingResults, ResultsFolder};
use output::usage::usage;
use ranktypes::text::{excerpt, with_unit};
use serde_json::json;
use statistics::fixed_sample::Prediction;
use verdicts::decide::{Action, CountUnit, decide};

use self::past_experiments::{PastExperiments, read};
use self::report::{digits, report_json, report_text};
use super::output_format::OutputFormat;
use crate::error::LogError;
use crate::model::Primary;
use crate::outcomes::{need_impressions, primary};
use crate::verdict::{is_synthetic, outlook, read_outcomes, warnings_before_verdict};

/// The largest table, in bytes.
const MAX_TABLE_BYTES: u64 = 1 << 26;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Say instead how well interleaving agreed with past A/B tests, and how likely an A/B test is to contradict the verdict
    ///
    /// A CSV table with a row per experiment in which both ran: interleaving (the share of wins minus 1/2, or net wins per unit,
    /// positive if the new ranker is better), ab (the A/B result, in any unit, with the same sign), and perhaps interleaving_error
    /// and ab_error (standard errors) and name. With --out, writes against.txt, against.json and against.csv. FOLDER may be left out.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["html", "exit_code"])]
    against: Option<PathBuf>,
    /// With --against: the new interleaving result and its standard error, in the unit of the table, instead of FOLDER's
    #[arg(
        long,
        value_name = "X[,ERROR]",
        requires = "against",
        conflicts_with = "outcomes",
        allow_hyphen_values = true
    )]
    result: Option<NewResult>,
    /// With --against and FOLDER: which of its two rankers is the new one; by default the one that is ahead
    #[arg(long, value_name = "RANKER", requires = "against", conflicts_with = "result")]
    new: Option<String>,
}

/// The other options of `decide`.
pub(super) struct AgainstOptions<'a> {
    pub(super) outcomes: Option<&'a Path>,
    pub(super) confidence: f64,
    pub(super) by: CountUnit,
    pub(super) format: OutputFormat,
    pub(super) out: Option<&'a Path>,
    pub(super) replace: bool,
}

/// An interleaving result, with its standard error, 0 if it is not known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NewResult {
    value: f64,
    error: f64,
}

impl FromStr for NewResult {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (value, error) = text.split_once(',').map_or((text, None), |(value, error)| (value, Some(error)));
        let value = parse_number(value)?;
        let error = error.map_or(Ok(0.0), parse_number)?;
        if !(-1.0..=1.0).contains(&value) {
            return Err("expected a result from -1 to 1".to_owned());
        }
        if error < 0.0 {
            return Err("expected a standard error of 0 or more".to_owned());
        }
        Ok(Self { value, error })
    }
}

/// A new interleaving result, and the prediction for its A/B test.
struct PredictedResult {
    result: NewResult,
    /// A description of it.
    description: String,
    /// The ranker that is taken for the new one.
    ranker: Option<String>,
    /// Warnings, printed first.
    warnings: Vec<String>,
    /// The first remedy, if the verdict is not trusted.
    repair: Option<String>,
    is_synthetic: bool,
    prediction: Prediction,
    /// The probability that an A/B test has the other sign; `None` for a result of 0.
    sign_differs: Option<f64>,
}

impl Options {
    /// Whether agreement was requested.
    pub(super) fn is_asked(&self) -> bool {
        self.against.is_some()
    }

    pub(super) fn run(&self, options: &AgainstOptions<'_>) -> Result<()> {
        let Some(path) = &self.against else { bail!(usage("--against: name a table of past experiments")) };
        let text = output::input::read_text(path, MAX_TABLE_BYTES)
            .map_err(|error| LogError::io(path, "failed to read", &error))?;
        let experiments = read(&text).map_err(|error| error.in_file(path))?;
        let past = PastExperiments::of(&experiments).map_err(|error| LogError::new(error.to_string()).in_file(path))?;
        let alpha = complement(options.confidence);
        let prediction = match (self.result, options.outcomes) {
            (Some(result), _) => Some(PredictedResult::predict_result(result, &past)?),
            (None, Some(folder)) => {
                Some(PredictedResult::predict_outcomes(folder, self.new.as_deref(), options.by, alpha, &past)?)
            }
            (None, None) if self.new.is_some() => bail!(usage("--new: name FOLDER, too, of which this is a ranker")),
            (None, None) => None,
        };
        let text = report_text(&past, prediction.as_ref(), alpha)?;
        let json = report_json(&past, prediction.as_ref(), alpha)?;
        let table = past.table(&experiments)?;
        if let Some(out) = options.out {
            let config = json!({
                "command": "click-logs decide --against",
                "against": path.display().to_string(),
                "outcomes": options.outcomes.map(|path| path.display().to_string()),
                "result": self.result.map(|result| [result.value, result.error]),
                "new": self.new,
                "confidence": options.confidence,
                "by": options.by.name(),
            });
            let folder = ResultsFolder::claim(out, &config, ExistingResults::from_flag(options.replace))?;
            folder.write(&config, || {
                output::write_json_pretty(&folder.join("against.json"), &json)?;
                super::write(folder.path(), "against.txt", &text)?;
                super::write(folder.path(), "against.csv", &table)
            })?;
        }
        print::text(&match options.format {
            OutputFormat::Text => text,
            OutputFormat::Json => serde_json::to_string_pretty(&json)?,
            OutputFormat::Csv => table,
        });
        Ok(())
    }
}

impl PredictedResult {
    fn predict_result(result: NewResult, past: &PastExperiments) -> Result<Self> {
        let prediction = past.predict(result)?;
        let description = match result.error {
            0.0 => format!("The new result is {}", digits(result.value)),
            error => format!("The new result is {} (standard error {})", digits(result.value), digits(error)),
        };
        Ok(Self {
            result,
            description,
            ranker: None,
            warnings: Vec::new(),
            repair: None,
            is_synthetic: false,
            prediction,
            sign_differs: prediction.sign_differs(result.value),
        })
    }

    /// The share of wins minus 1/2 by the latest verdict in `folder`.
    fn predict_outcomes(
        folder: &Path,
        new_ranker: Option<&str>,
        count_unit: CountUnit,
        alpha: f64,
        past: &PastExperiments,
    ) -> Result<Self> {
        let (outcomes, summary) = read_outcomes(folder)?;
        let primary = primary(&summary);
        if primary != Primary::Clicks {
            bail!(usage(format!(
                "{} is decided by {}, as was said beforehand, and FOLDER gives the result by clicks; give the one of your table with \
                 --result X,ERROR",
                folder.display(),
                primary.name()
            )));
        }
        if count_unit == CountUnit::Impressions {
            need_impressions(&outcomes).map_err(|error| usage(error.in_file(folder)))?;
        }
        let verdicts = decide(&outcomes, alpha, count_unit)?;
        let decision = verdicts.latest();
        let name = folder.display();
        if decision.rankers.len() > 2 {
            let count = decision.rankers.len();
            bail!(usage(format!(
                "{name} compares {count} rankers; expected two with --against, or a result in --result X,ERROR"
            )));
        }
        let pair = decision.pairs.first();
        let Some((pair, share)) = pair.and_then(|pair| Some((pair, pair.last.counts.share()?))) else {
            bail!(
                LogError::new("no ranker has won yet, so that there is no new result; leave FOLDER out")
                    .in_file(folder)
            );
        };
        let names = [pair.last.pair.0, pair.last.pair.1].map(|ranker| decision.rankers[ranker].as_str());
        let is_first = match new_ranker {
            None => share >= 0.5,
            Some(new_ranker) if new_ranker == names[0] => true,
            Some(new_ranker) if new_ranker == names[1] => false,
            Some(new_ranker) => {
                let [first, second] = names;
                bail!(usage(format!(
                    "--new: {name} has no ranker {}; expected {first} or {second}",
                    excerpt(new_ranker)
                )));
            }
        };
        let share = if is_first { share } else { 1.0 - share };
        let ranker = names[usize::from(!is_first)];
        let decided_units = pair.last.counts.decided();
        // No larger for any share, and about the same for shares near one half.
        let result = NewResult { value: share - 0.5, error: 0.5 / libm::sqrt(decided_units as f64) };
        let unit = if count_unit == CountUnit::Impressions {
            "impression"
        } else {
            summary["unit"].as_str().unwrap_or("unit")
        };
        let taken = if new_ranker.is_none() { ", taken for the new ranker (--new says which is)," } else { "" };
        let mut prediction = Self::predict_result(result, past)?;
        prediction.description = format!(
            "{ranker}{taken} won {:.1}% of {} that preferred a side, a result of {} (standard error {})",
            100.0 * share,
            with_unit(decided_units, unit),
            digits(result.value),
            digits(result.error)
        );
        let outlook = outlook(&verdicts, &summary);
        prediction.ranker = Some(ranker.to_owned());
        prediction.warnings =
            verdicts.change().into_iter().chain(warnings_before_verdict(&verdicts, &summary)).collect();
        prediction.repair = (outlook.advice.action == Action::Repair)
            .then(|| format!("{} {}", outlook.headline, outlook.advice.sentence));
        prediction.is_synthetic = is_synthetic(&summary);
        Ok(prediction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_numbers_with_errors() {
        assert_eq!("-0.02, 1e-3".parse(), Ok(NewResult { value: -0.02, error: 1e-3 }));
        assert_eq!("0.5".parse(), Ok(NewResult { value: 0.5, error: 0.0 }));
        for text in ["", "1.1", "0.1,", "0.1,-1", "0.1,0.1,0.1", "nan"] {
            assert!(text.parse::<NewResult>().is_err(), "{text}");
        }
    }
}
