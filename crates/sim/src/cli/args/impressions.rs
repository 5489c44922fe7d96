//! Flags that say where impressions are drawn from.

use clap::{Args, ValueEnum};

use crate::simulation::seed::Streams;

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
