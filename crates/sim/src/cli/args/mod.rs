//! Flags that several commands share, and what they are read into.

pub(in crate::cli) mod arms;
pub(in crate::cli) mod folder;
pub(in crate::cli) mod reading;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result};
use bandits::log_spaced;
use bandits::registry::Spec;
use clap::{Args, ValueEnum};
use clicks::{ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies};
use letor_io::{Dataset, Provenance};
use rankers::{Selection, TieBreaking};

use crate::cli::args::reading::ReadingArgs;
use crate::cli::print::eprintln;
use crate::output::numbers::{counted, parse_count, parse_ordinal, parse_positive, parse_up_to};
use crate::output::usage::usage;
use crate::results::Caption;
use crate::simulation::prepared::{PreparedSite, SiteDescription};
use crate::simulation::runs::Plan;
use crate::simulation::site::Site;
use crate::simulation::spec::{self, SiteSpec};
use crate::simulation::truth::GroundTruth;

/// What to run on, and how its users see and click lists.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(crate) struct SiteArgs {
    /// A registered data set (below ORE_DATA_DIR, or datasets/cache), a folder, files (comma
    /// separated), or a look-alike as NAME, NAME:SCALE or NAME:SCALE:SEED, such as
    /// `mslr-lookalike:0.1` (a tenth of its queries)
    #[arg(long, value_name = "NAME|PATH,...", value_delimiter = ',', default_value = "mslr-lookalike:0.03")]
    dataset: Vec<String>,

    /// How users click: perfect, navigational, informational, almost-random, random, or P(click)
    /// for each grade as `0:0.05,1:0.5,2:0.95`; `pbm:navigational,eta=1` for a position-based model,
    /// whose users examine rank r with probability 1 / r^eta (`length=N` for ranks up to N only)
    #[arg(long, value_name = "NAME|P", default_value = "navigational")]
    click: ClickSpec,

    /// P(stop after a click) for each grade, beside a custom --click [default: never]
    #[arg(long, value_name = "P")]
    stop: Option<String>,

    /// How fractional labels become grades
    #[arg(long, value_name = "RULE", value_enum, default_value_t = Fractional::Round)]
    fractional_labels: Fractional,

    /// Which features are the rankers: all, N drawn at random, alphabetical:N (the first N by
    /// number as text), or numbers such as 1,5,110 (counted from 1)
    #[arg(long, value_name = "WHICH", default_value = "all")]
    rankers: Selection,

    /// How many documents a user is shown
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_up_to::<u16, 65_535>)]
    shown: u16,

    /// Features that are no rankers after all, as 134 or 1,2,3 (counted from 1)
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', value_parser = parse_ordinal)]
    without: Vec<u32>,

    /// How two rankers' lists are mixed: balanced, team-draft, probabilistic, document-constraints,
    /// optimized, with settings as `team-draft:prefix` [default: probabilistic]
    #[arg(long, value_name = "NAME")]
    interleave: Option<AnyInterleaving>,

    /// How several rankers' lists are mixed: sosm, team-draft, probabilistic, optimized,
    /// pairwise-preference, with settings as `probabilistic:sampled=1000` [default: sosm]
    #[arg(long, value_name = "NAME")]
    multileave: Option<AnyMultileaving>,

    /// Under which order of documents with equal scores probabilistic interleaving gives credit:
    /// one redrawn, as Lerot and the published matrices do, or the same that made the list. Redrawn,
    /// clicks speak against rankers with many ties, even clicks at random: to judge these rankers
    /// and not to repeat a paper, take the same [default: redrawn]
    #[arg(long, value_name = "ORDER", value_enum)]
    credit_ties: Option<Credit>,

    /// How rankers order documents with equal scores: at random afresh for each impression, or
    /// fixed once by the seed
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Ties::Random)]
    ties: Ties,

    #[command(flatten)]
    reading: ReadingArgs,
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

impl From<Fractional> for FractionalLabels {
    fn from(rule: Fractional) -> Self {
        match rule {
            Fractional::Round => Self::Round,
            Fractional::Floor => Self::Floor,
            Fractional::Interpolate => Self::Interpolate,
        }
    }
}

impl From<Ties> for spec::Ties {
    fn from(ties: Ties) -> Self {
        match ties {
            Ties::Random => Self::Random,
            Ties::Fixed => Self::Fixed,
        }
    }
}

impl From<Credit> for CreditTies {
    fn from(credit: Credit) -> Self {
        match credit {
            Credit::Redrawn => Self::Redrawn,
            Credit::Same => Self::Same,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Ties {
    /// Afresh for each impression
    Random,
    /// Once
    Fixed,
}

/// The caption of regret over impressions; `what` comes first in its title.
pub(in crate::cli) fn caption(site: &SiteDescription, what: &str, truth: &GroundTruth) -> Caption {
    let (dataset, clicks) = (&site.dataset.name, &site.click.model);
    Caption {
        title: format!("{what}{} on {dataset}, {clicks} clicks", counted(site.rankers.len() as u64, "ranker")),
        x_label: "impressions".to_owned(),
        regret: truth.measure.regret().to_owned(),
        note: site.note(),
    }
}

impl SiteArgs {
    /// The site that the flags describe.
    ///
    /// # Errors
    /// When `--stop` does not suit `--click`.
    pub(in crate::cli) fn spec(&self) -> Result<SiteSpec> {
        let click = match &self.stop {
            None => self.click.clone(),
            Some(stop) => {
                self.click.clone().with_stop(stop).map_err(|error| usage(format!("--stop {stop}: {error}")))?
            }
        };
        Ok(SiteSpec {
            dataset: self.dataset.clone(),
            reading: self.reading.spec(),
            click,
            fractional_labels: self.fractional_labels.into(),
            rankers: self.rankers.clone(),
            without: self.without.clone(),
            shown: self.shown,
            interleave: self.interleave.clone(),
            multileave: self.multileave.clone(),
            credit_ties: self.credit_ties.map(CreditTies::from),
            ties: self.ties.into(),
        })
    }

    /// Opens the data set, ranks it, and prepares its users.
    pub(in crate::cli) fn prepare(&self, master: u64, quiet: bool) -> Result<PreparedSite> {
        let spec = self.spec()?;
        let dataset = self.reading.open(&spec)?;
        announce(&dataset, quiet);
        let features = spec.features(&dataset, master).map_err(|error| usage(format!("--{error}")))?;
        let prepared = spec.prepare_rankers(Arc::new(dataset), features, master)?;
        if !quiet && let Some(remark) = ties_remark(&prepared.site, &prepared.description) {
            eprintln!("{remark}");
        }
        Ok(prepared)
    }

    /// Whether a multileaving method was given.
    pub(in crate::cli) fn multileaves(&self) -> bool {
        self.multileave.is_some()
    }

    /// Whether an interleaving method was given.
    pub(in crate::cli) fn interleaves(&self) -> bool {
        self.interleave.is_some()
    }
}

/// Says what is being run on, and what a folder held besides.
pub(in crate::cli) fn announce(dataset: &Dataset, quiet: bool) {
    if quiet {
        return;
    }
    if let Provenance::Files { skipped, .. } = dataset.provenance() {
        for (path, reason) in skipped {
            eprintln!("skipped {}: {reason}", path.display());
        }
    }
    eprintln!(
        "{}{}: {}, {}, {}",
        dataset.name(),
        if matches!(dataset.provenance(), Provenance::LookAlike { .. }) { " (synthetic)" } else { "" },
        counted(dataset.queries() as u64, "query"),
        counted(dataset.documents() as u64, "document"),
        counted(dataset.features().into(), "feature"),
    );
}

/// Says which parameters no theory covers, and which have no effect.
fn caution(algorithms: &[Spec]) {
    for caution in algorithms.iter().filter_map(Spec::warning) {
        eprintln!("caution: {caution}");
    }
}

/// A remark where redrawn credit is likely to say more of ties than of rankers.
fn ties_remark(site: &Site, description: &SiteDescription) -> Option<String> {
    if description.credit_ties != CreditTies::Redrawn || description.tie_breaking != TieBreaking::Random {
        return None;
    }
    let share = site.tied_share(MOST_QUERIES);
    let odds = || description.click.click.iter().copied();
    let apart = odds().fold(0.0, f64::max) - odds().fold(1.0, f64::min);
    let why = if apart <= VAGUE_CLICKS && share > 0.0 {
        format!("{} clicks hardly tell documents apart", description.click.model)
    } else if share > MANY_TIES {
        format!("{:.0}% of the places in rankers' lists are tied", 100.0 * share)
    } else {
        return None;
    };
    Some(format!(
        "remark: {why}; credit under redrawn ties speaks against lists with many ties, whatever is clicked \
         (--credit-ties same does not)"
    ))
}

/// Queries that are looked at for ties.
const MOST_QUERIES: usize = 1_000;
/// Where more places are tied than this, ties are remarked on.
const MANY_TIES: f64 = 0.75;
/// Where P(click) differs by no more than this from grade to grade, so are few.
const VAGUE_CLICKS: f64 = 0.25;

/// What is played, and what is left behind.
#[derive(Debug, Args)]
#[command(next_help_heading = "Runs and results")]
pub(in crate::cli) struct RunArgs {
    /// The algorithms, with parameters as `rucb:alpha=0.51,mergerucb:p=4` (`sim algorithms` for all)
    /// [default: mergerucb,rucb,rmed1,mdb,random; those of them that duel to compare with]
    #[arg(long, value_name = "A,B:KEY=VALUE,...")]
    algorithms: Option<Algorithms>,

    /// Steps (impressions) of a run; 1e7 is a number
    ///
    /// Algorithms count duels in 32 bits: from 4.29e9 steps on no arm may take part in that many.
    #[arg(long, value_name = "N", default_value = "1e6", value_parser = parse_positive)]
    pub(in crate::cli) steps: u64,

    /// Runs of each algorithm
    #[arg(long, value_name = "N", default_value = "5", value_parser = parse_positive)]
    pub(in crate::cli) runs: u64,

    /// Points of the regret curves for each tenfold of time [default: 10]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u32, 1000>)]
    pub(in crate::cli) checkpoints: Option<u32>,

    #[command(flatten)]
    pub(in crate::cli) common: CommonArgs,

    /// Where to leave results; those of the same command are replaced, those of another refused
    /// [default: results/ and a name made of what is played on, and of the seed unless it is 1]
    #[arg(long, value_name = "FOLDER")]
    pub(in crate::cli) out: Option<PathBuf>,

    /// Print the summary as JSON in place of the table
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl RunArgs {
    /// What is to be played.
    pub(in crate::cli) fn plan(&self) -> Plan {
        self.plan_of(&["mergerucb", "rucb", "rmed1", "mdb", "random"])
    }

    /// What is to be played, these algorithms if none were named.
    pub(in crate::cli) fn plan_of(&self, usual: &[&str]) -> Plan {
        let usual = || usual.iter().map(|name| name.parse().expect("a registered name")).collect();
        let algorithms = self.algorithms.as_ref().map_or_else(usual, |named| named.0.clone());
        if !self.common.quiet {
            caution(&algorithms);
        }
        Plan {
            algorithms,
            steps: self.steps,
            runs: self.runs,
            seed: self.common.seed,
            checkpoints: log_spaced(self.steps, self.checkpoints.unwrap_or(10)),
        }
    }
}

/// Algorithms, each once.
#[derive(Debug, Clone)]
struct Algorithms(Vec<Spec>);

impl FromStr for Algorithms {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut all: Vec<Spec> = Vec::new();
        for one in text.split(',') {
            let spec: Spec = one.parse()?;
            let known = all.iter().any(|before| before.canonical() == spec.canonical());
            anyhow::ensure!(!known, "{one} is played twice; name it once");
            all.push(spec);
        }
        Ok(Self(all))
    }
}

/// Chance, threads and noise.
#[derive(Debug, Args)]
pub(in crate::cli) struct CommonArgs {
    /// The master seed: same seed, same bytes, whatever the threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    pub(in crate::cli) seed: u64,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u16, 65_535>)]
    threads: Option<u16>,

    /// No progress bars and no remarks
    #[arg(long)]
    pub(in crate::cli) quiet: bool,
}

impl CommonArgs {
    /// The seed for the name of a folder: nothing for the usual one.
    pub(in crate::cli) fn seeded(&self) -> String {
        if self.seed == 1 { String::new() } else { format!("-seed-{}", self.seed) }
    }

    /// Sets the number of threads for everything that follows.
    pub(in crate::cli) fn apply(&self) -> Result<()> {
        Self::set_threads(self.threads)
    }

    /// Sets the number of threads, if one is given.
    pub(in crate::cli) fn set_threads(threads: Option<u16>) -> Result<()> {
        let Some(threads) = threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .context("failed to start the threads")
    }
}
