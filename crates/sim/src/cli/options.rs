//! Flags that several commands share, and what they are read into.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bandits::registry::Spec;
use clap::{Args, ValueEnum};
use clicks::{ClickModel, FractionalLabels};
use interleave::{CreditTies, ProbabilisticInterleave, Sosm};
use letor_io::{Dataset, FeatureId, Provenance};
use rankers::{Rankings, Selection, TieBreaking};
use serde::Serialize;

use crate::count::{grouped, parse_positive};
use crate::seed;
use crate::site::Site;

/// What to run on, and how its users see and click lists.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(super) struct SiteOptions {
    /// A registered data set, a folder, files (comma separated), or a look-alike such as
    /// `mslr-lookalike:0.1` (a tenth of its queries)
    #[arg(long, value_name = "NAME|PATH,...", default_value = "mslr-lookalike:0.05")]
    dataset: String,

    /// The split of a registered data set to use
    #[arg(long, value_name = "train|vali|test")]
    split: Option<String>,

    /// How users click: perfect, navigational, informational, almost-random, random, or P(click)
    /// for each grade as `0:0.05,1:0.5,2:0.95`
    #[arg(long, value_name = "NAME|P", default_value = "navigational")]
    click: String,

    /// P(stop after a click) for each grade, beside a custom --click [default: never]
    #[arg(long, value_name = "P")]
    stop: Option<String>,

    /// How fractional labels become grades
    #[arg(long, value_enum, default_value_t = Fractional::Round)]
    fractional_labels: Fractional,

    /// Which features are the rankers: all, N drawn at random, alphabetical:N (the first N by
    /// number as text), or numbers such as 1,5,110 (counted from 1)
    #[arg(long, value_name = "WHICH", default_value = "all")]
    rankers: Selection,

    /// How many documents a user is shown
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    shown: u16,

    /// Under which order of documents with equal scores probabilistic interleaving gives credit:
    /// one redrawn, as Lerot and the published matrices do, or the same that made the list
    #[arg(long, value_enum, default_value_t = Credit::Redrawn)]
    credit_ties: Credit,

    /// How rankers order documents with equal scores: at random afresh for each impression, or
    /// fixed once by the seed
    #[arg(long, value_enum, default_value_t = Ties::Random)]
    ties: Ties,

    /// What to do when a query id comes up again in another place: an error, or another query, or
    /// the same query continued
    #[arg(long, value_enum, default_value_t = SameQid::Error)]
    same_qid: SameQid,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Fractional {
    /// Round half up
    Round,
    /// Round down
    Floor,
    /// Odds in proportion between the two grades
    Interpolate,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Credit {
    /// An order drawn anew
    Redrawn,
    /// The order that made the list
    Same,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Ties {
    /// Afresh for each impression
    Random,
    /// Once
    Fixed,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SameQid {
    /// Refuse
    Error,
    /// Another query
    Separate,
    /// The same query
    Merge,
}

/// A site laid out, and everything that says what it is.
pub(super) struct Prepared {
    pub(super) dataset: Dataset,
    pub(super) site: Site,
    pub(super) description: Description,
}

/// What a site is, resolved: written beside the results, and hashed into seeds and keys.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Description {
    pub(super) dataset: DatasetDescription,
    /// Features behind the arms, in the order of the arms, counted from 1.
    pub(super) rankers: Vec<FeatureId>,
    pub(super) tie_breaking: TieBreaking,
    pub(super) click: ClickDescription,
    pub(super) shown: u16,
    pub(super) interleave: InterleaveDescription,
    pub(super) multileave: MultileaveDescription,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct DatasetDescription {
    pub(super) name: String,
    pub(super) synthetic: bool,
    pub(super) checksum: String,
    pub(super) queries: usize,
    pub(super) documents: usize,
    pub(super) features: u32,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ClickDescription {
    pub(super) model: String,
    pub(super) click: Vec<f64>,
    pub(super) stop: Vec<f64>,
    pub(super) fractional_labels: FractionalLabels,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct InterleaveDescription {
    pub(super) method: &'static str,
    pub(super) tau: f64,
    pub(super) credit_ties: CreditTies,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct MultileaveDescription {
    pub(super) method: &'static str,
    pub(super) tau: f64,
}

impl Description {
    /// Everything an impression depends on, as one line of text: part of seeds and keys.
    ///
    /// The data set's name is left out: the same content under another name is the same site.
    pub(super) fn content(&self) -> String {
        let mut described = self.clone();
        described.dataset.name = String::new();
        serde_json::to_string(&described).expect("plain data is written without fail")
    }

    /// What an arm is called: `feature 110 (arm 109)`.
    pub(super) fn label(&self, arm: usize) -> String {
        format!("feature {} (arm {arm})", self.rankers[arm].0)
    }

    /// A line for figures and tables made of data that are not real.
    pub(super) fn note(&self) -> Option<String> {
        self.dataset.synthetic.then(|| format!("synthetic data: {} is generated, not the real data set", self.dataset.name))
    }
}

impl SiteOptions {
    /// Opens the data set, ranks it, and lays out its users.
    pub(super) fn prepare(&self, master: u64, quiet: bool) -> Result<Prepared> {
        let dataset = self.open(master)?;
        announce(&dataset, quiet);
        let features = self.rankers.choose(dataset.features(), seed::seed(master, "rankers", 0, "selection"))?;
        let tie_breaking = match self.ties {
            Ties::Random => TieBreaking::Random,
            Ties::Fixed => TieBreaking::Fixed(seed::seed(master, "rankers", 0, "ties")),
        };
        let rankings = Rankings::new(&dataset, &features, tie_breaking)?;
        let click = self.click_model(&dataset)?;
        let fractional = match self.fractional_labels {
            Fractional::Round => FractionalLabels::Round,
            Fractional::Floor => FractionalLabels::Floor,
            Fractional::Interpolate => FractionalLabels::Interpolate,
        };
        let credit_ties = match self.credit_ties {
            Credit::Redrawn => CreditTies::Redrawn,
            Credit::Same => CreditTies::Same,
        };
        todo!()
    }
}
