//! Flags that describe a site: the data set, its rankers and users, and how lists are mixed.

use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use clicks::{ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies, MethodRow};
use letor_io::{Dataset, FeatureId, Provenance};
use output::numbers::{parse_ordinal, parse_up_to, with_unit};
use output::shards::Share;
use output::usage::usage;
use rankers::{RankerRef, Selection};
use ranktypes::text::escaped;
use simulation::prepared_site::PreparedSite;
use simulation::spec::{self, SiteSpec};
use studies::notes;
use studies::runner::share::lists_for;
use studies::sensitivity::parse_method;
use studies::site::OpenSite;

use super::common::{CACHE, CommonArgs};
use super::ranker_files::{RankerFileArgs, TIES, rankers_of};
use super::reading::ReadingArgs;
use desk::eprintln;

/// The rankers of the default data set: 16 features of MSLR, drawn at random once and listed here so that no draw can
/// change them. The same features of the published matrix of the real data have the same winner.
const DEFAULT_RANKERS: [u32; 16] = [1, 6, 26, 32, 33, 35, 44, 45, 49, 56, 59, 64, 71, 104, 106, 129];

/// The data set, its rankers and users, and how lists are mixed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(crate) struct SiteArgs {
    /// A registered data set (in RANKDUEL_DATA_DIR or datasets/cache), a folder, files (comma-separated), or a look-alike as
    /// NAME, NAME:SCALE or NAME:SCALE:SEED, e.g. `mslr-lookalike:0.1` (a tenth of its queries)
    /// [default: mslr-lookalike:0.03 and, unless --rankers is given, 16 of its features]
    #[arg(long, value_name = "NAME|PATH,...", value_delimiter = ',')]
    dataset: Vec<String>,

    /// How users click: perfect, navigational, informational, almost-random, random (published for 2, 3 and 5 grades;
    /// labels up to 3 take the first four of the five), or P(click) for each grade, e.g. `0:0.05,1:0.5,2:0.95`;
    /// `pbm:navigational,eta=1` is a position-based model, whose users examine rank r with probability 1 / r^eta
    /// (`length=N`: only ranks up to N); `ubm:...` a user browsing model, the same with the distance to the last click
    /// for r; `dbn:navigational,gamma=0.9` a dynamic Bayesian network model, whose users give up with probability
    /// 1 - gamma at any document
    #[arg(long, value_name = "NAME|P", default_value = "navigational")]
    pub(super) click: ClickSpec,

    /// P(stop after a click) for each grade, for a custom --click; --stop-when ends runs [default: 0]
    #[arg(long, value_name = "P")]
    pub(super) stop: Option<String>,

    /// How fractional labels become grades
    #[arg(long, value_name = "RULE", value_enum, default_value_t = FractionalArg::Round)]
    pub(super) fractional_labels: FractionalArg,

    /// Features to use as rankers: `all`, N (that many at random), `alphabetical:N` (the first N in the order 1, 10,
    /// 100, ...), or 1-based feature numbers, e.g. 1,5,110 or 1-5,110, and names, e.g. bm25,ltr (one with a comma in quotation
    /// marks) [default: all; without --dataset 16 of them]
    #[arg(long, value_name = "all|N|alphabetical:N|I,J,...")]
    rankers: Option<Selection>,

    /// Documents shown to a user
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_up_to::<u16, 65_535>)]
    pub(super) shown: u16,

    /// Features to exclude from the rankers, e.g. 134 or 1-3,7 (1-based), or their names
    #[arg(long, value_name = "I,J,...", value_parser = parse_rankers)]
    pub(super) without: Vec<RankerRefs>,

    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE...]",
        value_parser = parse_method::<AnyInterleaving>,
        help = format!(
            "How two rankers' lists are interleaved: {}, with parameters, e.g. `team-draft:prefix` [default: probabilistic]",
            names_of(&AnyInterleaving::rows())
        )
    )]
    pub(super) interleave: Option<AnyInterleaving>,

    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE...]",
        value_parser = parse_method::<AnyMultileaving>,
        help = format!(
            "How several rankers' lists are multileaved: {}, with parameters, e.g. `probabilistic:sampled=1000` [default: sosm]",
            names_of(&AnyMultileaving::rows())
        )
    )]
    pub(super) multileave: Option<AnyMultileaving>,

    /// How rankers order documents with equal scores: at random for each impression, or in an order fixed once by the
    /// seed
    #[arg(long, value_name = "ORDER", value_enum, help_heading = TIES, default_value_t = Ties::Random)]
    pub(super) ties: Ties,

    /// How tied documents are ordered when probabilistic interleaving credits clicks: `redrawn` shuffles them again (as
    /// Lerot and the published matrices do), `same` keeps the order used to build the list. `redrawn` is biased against
    /// rankers with many ties, even under random clicks; use `same` unless you are reproducing a paper [default:
    /// redrawn]
    #[arg(long, value_name = "ORDER", value_enum, help_heading = TIES)]
    pub(super) credit_ties: Option<Credit>,

    #[command(flatten)]
    own: RankerFileArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum FractionalArg {
    /// Round half up
    Round,
    /// Round down
    Floor,
    /// Interpolate P(click) and P(stop) linearly between the two adjacent grades
    Interpolate,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Credit {
    /// Shuffle ties again
    Redrawn,
    /// Keep the order of the list
    Same,
}

impl From<FractionalArg> for FractionalLabels {
    fn from(argument: FractionalArg) -> Self {
        match argument {
            FractionalArg::Round => Self::Round,
            FractionalArg::Floor => Self::Floor,
            FractionalArg::Interpolate => Self::Interpolate,
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
pub(super) enum Ties {
    /// At random for each impression
    Random,
    /// Fixed once by the seed
    Fixed,
}

/// Rankers separated by commas.
#[derive(Debug, Clone)]
pub(super) struct RankerRefs(pub(super) Vec<RankerRef>);

fn parse_rankers(text: &str) -> Result<RankerRefs, String> {
    let parse_one = |item: String| match item.parse() {
        Ok(number) => Ok(RankerRef::Number(number)),
        // No name, but a slip.
        Err(_) if item.parse::<f64>().is_ok() => parse_ordinal(&item).map(RankerRef::Number),
        Err(_) => Ok(RankerRef::Name(item)),
    };
    Ok(RankerRefs(ranktypes::text::split_list(text)?.into_iter().map(parse_one).collect::<Result<_, _>>()?))
}

/// The names of these methods without their settings: "a, b or c".
fn names_of(methods: &[MethodRow]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for MethodRow { base, .. } in methods {
        if !names.contains(base) {
            names.push(base);
        }
    }
    let (last_name, other_names) = names.split_last().expect("there are methods");
    format!("{} or {last_name}", other_names.join(", "))
}

impl SiteArgs {
    /// Whether no data set is named, so that a first look needs none: it uses a few rankers of a look-alike, for which
    /// a short run is long enough.
    pub(in crate::cli) fn is_default(&self) -> bool {
        self.dataset.is_empty() && !self.own.has_runs()
    }

    /// The data set to open.
    fn dataset(&self) -> Vec<String> {
        if self.is_default() { SiteSpec::default().dataset } else { self.dataset.clone() }
    }

    /// The files of the data set and the rankers, as given.
    pub(super) fn files(&self) -> Vec<String> {
        self.own.files(&self.dataset())
    }

    /// The rankers; `None` if they are the default ones of the default data set.
    pub(super) fn chosen_rankers(&self) -> Option<Selection> {
        self.rankers.clone().or_else(|| (!self.is_default()).then_some(Selection::All))
    }

    fn rankers(&self) -> Selection {
        let default_rankers = || Selection::List(DEFAULT_RANKERS.map(FeatureId).to_vec());
        self.chosen_rankers().unwrap_or_else(default_rankers)
    }

    /// The site that the flags describe.
    ///
    /// # Errors
    /// If `--stop` does not match `--click`.
    pub(in crate::cli) fn spec(&self) -> Result<SiteSpec> {
        let click = match &self.stop {
            None => self.click.clone(),
            Some(stop) => {
                self.click.clone().with_stop(stop).map_err(|error| usage(format!("--stop {stop}: {error}")))?
            }
        };
        let spec = SiteSpec {
            dataset: self.dataset(),
            reading: self.reading.spec(),
            click,
            fractional_labels: self.fractional_labels.into(),
            rankers: self.rankers(),
            without: self.without.iter().flat_map(|list| list.0.iter().cloned()).collect(),
            names: self.reading.names.clone(),
            shown: self.shown,
            interleave: self.interleave.clone(),
            multileave: self.multileave.clone(),
            credit_ties: self.credit_ties.map(CreditTies::from),
            ties: self.ties.into(),
            ..SiteSpec::default()
        };
        self.own.of_spec(&self.dataset, spec)
    }

    /// Opens the data set, ranks it, and prepares its users, for a share of the work.
    pub(in crate::cli) fn prepare_for(&self, share: &Share, master: u64, quiet: bool) -> Result<PreparedSite> {
        let spec = self.spec()?;
        let dataset = self.reading.open(&spec)?;
        announce(&dataset, quiet);
        let features = spec.features(&dataset, master).map_err(|error| usage(format!("--{error}")))?;
        let prepared =
            spec.prepare_rankers(Arc::new(dataset), features, master, &lists_for(share, self.reading.no_cache))?;
        // To count ties takes time.
        if !quiet || output::progress::is_watched() {
            output::messages::notes(quiet, notes::of_site(&prepared, self.credit_ties.is_some()));
        }
        Ok(prepared)
    }

    /// The same for studies; it may serve several of them.
    pub(in crate::cli) fn open_for(&self, share: &Share, common: &CommonArgs) -> Result<Arc<OpenSite>> {
        let prepared = self.prepare_for(share, common.seed, common.quiet)?;
        Ok(Arc::new(OpenSite::new(prepared, Some(CACHE.into()))))
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

/// Prints what data are used, and which files of a folder were skipped.
pub(in crate::cli) fn announce(dataset: &Dataset, quiet: bool) {
    if !quiet {
        eprintln!(
            "{}{}: {}, {}, {}",
            escaped(dataset.name()),
            if matches!(dataset.provenance(), Provenance::LookAlike { .. }) { " (synthetic)" } else { "" },
            with_unit(dataset.queries() as u64, "query"),
            with_unit(dataset.documents() as u64, "document"),
            rankers_of(dataset),
        );
    }
    output::messages::notes(quiet, notes::dataset_notes(dataset));
}
