//! Where impressions are drawn from.

use clap::{Args, ValueEnum};
use simulation::seed::Streams;

/// Where impressions are drawn from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data and impressions")]
pub struct StreamRequest {
    /// Where impressions are drawn from: `sequential`, from the generators of their run, one impression after the other;
    /// or `keyed`, each from its own, which follow from the seed, the run and the number of the impression, so that any
    /// impression can be repeated alone, elsewhere and in any order. With `keyed`, all algorithms meet the same queries
    /// and users [default: sequential]
    #[arg(long, value_name = "STREAMS", value_enum)]
    streams: Option<StreamsChoice>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StreamsChoice {
    /// The generators of the run
    Sequential,
    /// Generators of each impression
    Keyed,
}

impl StreamRequest {
    /// The streams.
    #[must_use]
    pub fn streams(&self) -> Streams {
        match self.streams {
            None | Some(StreamsChoice::Sequential) => Streams::Sequential,
            Some(StreamsChoice::Keyed) => Streams::Keyed,
        }
    }

    /// The part of a folder name; empty for the default.
    #[must_use]
    pub fn folder_suffix(&self) -> String {
        match self.streams() {
            Streams::Sequential => String::new(),
            keyed => format!("-streams-{keyed}"),
        }
    }
}
