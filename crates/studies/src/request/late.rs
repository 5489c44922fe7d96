//! When outcomes come.

use anyhow::{Result, ensure};
use clap::Args;
use output::numbers::{parse_number, parse_positive, with_separators, with_unit};
use output::usage::{UsageError, usage};
use simulation::late_answers::LateAnswers;

/// When answers come.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Late answers")]
pub struct LateRequest {
    /// How many impressions late the outcome of an impression is: a number, `geometric:MEAN`, or a file with one delay
    /// per line, which are drawn with replacement [default: 0, known before the next impression]
    ///
    /// At 50 impressions per second, an hour is 180000. Regret counts when impressions are shown.
    #[arg(long, value_name = "N|geometric:MEAN|FILE")]
    delay: Option<String>,

    /// Hand outcomes over together, after every N impressions [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    batch: Option<u64>,

    /// The probability that the outcome of an impression never comes, e.g. 0.1 [default: 0]
    #[arg(long, value_name = "P", value_parser = parse_lost)]
    lost: Option<f64>,
}

impl LateRequest {
    /// How late answers come.
    ///
    /// # Errors
    /// In one line, if the delay cannot be read.
    pub fn answers(&self) -> Result<LateAnswers> {
        let late = LateAnswers::new(self.delay.as_deref(), self.batch, self.lost);
        late.map_err(|error| match error.is::<UsageError>() && self.delay.is_some() {
            true => usage(format!("--{error}")),
            false => error,
        })
    }

    /// The same in runs of `steps` steps.
    ///
    /// # Errors
    /// As for [`answers`](Self::answers), and if no answer would come before the end.
    pub fn answers_within(&self, steps: u64) -> Result<LateAnswers> {
        let answers = self.answers()?;
        let first_arrival = answers.first_arrival();
        let flag = if self.delay.is_some() { "delay" } else { "batch" };
        ensure!(
            first_arrival < steps || answers.is_none(),
            usage(format!(
                "--{flag}: the first answer comes after impression {}, and runs have {}; choose more --steps",
                with_separators(first_arrival),
                with_unit(steps, "step")
            ))
        );
        Ok(answers)
    }
}

/// A probability below 1: with 1, no answer would ever come.
fn parse_lost(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        share if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err("expected a probability below 1, such as 0.1".to_owned()),
    }
}
