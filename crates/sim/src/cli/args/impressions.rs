//! Flags that say where impressions are drawn from, and when their answers come.

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use output::numbers::{parse_number, parse_positive, with_separators, with_unit};
use output::usage::{UsageError, usage};
use simulation::late_answers::LateAnswers;
use simulation::seed::Streams;

/// Where impressions are drawn from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(in crate::cli) struct StreamArgs {
    /// Where impressions are drawn from: `sequential`, from the generators of their run, one impression after the other;
    /// or `keyed`, each from its own, which follow from the seed, the run and the number of the impression, so that any
    /// impression can be repeated alone, elsewhere and in any order. With `keyed`, all algorithms meet the same queries
    /// and users [default: sequential]
    #[arg(long, value_name = "STREAMS", value_enum)]
    streams: Option<StreamsArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StreamsArg {
    /// The generators of the run
    Sequential,
    /// Generators of each impression
    Keyed,
}

impl StreamArgs {
    /// The streams.
    pub(in crate::cli) fn streams(&self) -> Streams {
        match self.streams {
            None | Some(StreamsArg::Sequential) => Streams::Sequential,
            Some(StreamsArg::Keyed) => Streams::Keyed,
        }
    }

    /// The part of a folder name; empty for the default.
    pub(in crate::cli) fn part(&self) -> String {
        match self.streams() {
            Streams::Sequential => String::new(),
            keyed => format!("-streams-{keyed}"),
        }
    }
}

/// When answers come.
#[derive(Debug, Args)]
#[command(next_help_heading = "Late answers")]
pub(in crate::cli) struct LateArgs {
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

impl LateArgs {
    /// How late answers come in runs of `steps` steps.
    ///
    /// # Errors
    /// In one line, if the delay cannot be read, or no answer would come before the end.
    pub(in crate::cli) fn late(&self, steps: u64) -> Result<LateAnswers> {
        let late = LateAnswers::new(self.delay.as_deref(), self.batch, self.lost);
        let late = late.map_err(|error| match error.is::<UsageError>() && self.delay.is_some() {
            true => usage(format!("--{error}")),
            false => error,
        })?;
        let first = late.first();
        let flag = if self.delay.is_some() { "delay" } else { "batch" };
        ensure!(
            first < steps || late.is_none(),
            usage(format!(
                "--{flag}: the first answer comes after impression {}, and runs have {}; choose more --steps",
                with_separators(first),
                with_unit(steps, "step")
            ))
        );
        Ok(late)
    }
}

/// A probability below 1: with 1, no answer would ever come.
fn parse_lost(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        share if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err("expected a probability below 1, such as 0.1".to_owned()),
    }
}
