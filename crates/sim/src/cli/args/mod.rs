//! Flags that several commands share, and what they are read into.

pub(in crate::cli) mod arms;
pub(in crate::cli) mod folder;
pub(in crate::cli) mod reading;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result};
use bandits::log_spaced;
use bandits::registry::Spec;
use clap::{Args, ValueEnum};
use clicks::{AnyClickModel, ClickModel, ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies, ProbabilisticInterleave, Sosm};
use letor_io::{Dataset, FeatureId, Provenance};
use rankers::{Gain, Rankings, Selection, TieBreaking};
use serde::Serialize;

use crate::cli::args::reading::ReadingOptions;
use crate::cli::print::eprintln;
use crate::output::numbers::{counted, parse_count, parse_ordinal, parse_positive, parse_up_to};
use crate::output::usage::usage;
use crate::results::Caption;
use crate::simulation::arm_names::{ArmNames, of_feature};
use crate::simulation::live_arena::Methods;
use crate::simulation::runs::Plan;
use crate::simulation::seed;
use crate::simulation::site::Site;
use crate::simulation::truth::{Effort, Question, Truth};

/// What to run on, and how its users see and click lists.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data and impressions")]
pub(crate) struct SiteOptions {
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
    reading: ReadingOptions,
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

/// A data set, and the site made of it.
pub(in crate::cli) struct Prepared {
    pub(in crate::cli) dataset: Dataset,
    pub(in crate::cli) site: Site,
    pub(in crate::cli) methods: Methods,
    /// What the truth is measured with.
    pub(in crate::cli) pairwise: ProbabilisticInterleave,
    pub(in crate::cli) description: Description,
}

/// A site laid out, and everything that says what it is.
pub(crate) struct Laid {
    pub(crate) site: Site,
    pub(crate) methods: Methods,
    /// What the truth is measured with.
    pub(crate) pairwise: ProbabilisticInterleave,
    pub(crate) description: Description,
}

/// What a site is, resolved: written beside the results, and hashed into seeds and keys.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Description {
    pub(crate) dataset: DatasetDescription,
    /// Features behind the arms, in the order of the arms, counted from 1.
    pub(crate) rankers: Vec<FeatureId>,
    pub(crate) tie_breaking: TieBreaking,
    pub(crate) click: ClickDescription,
    pub(crate) shown: u16,
    pub(crate) interleave: String,
    pub(crate) multileave: String,
    /// Of the probabilistic interleaving that the truth is measured with.
    pub(crate) credit_ties: CreditTies,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct DatasetDescription {
    pub(crate) name: String,
    pub(crate) synthetic: bool,
    pub(crate) checksum: String,
    pub(crate) queries: usize,
    pub(crate) documents: usize,
    pub(crate) features: u32,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ClickDescription {
    pub(crate) model: String,
    pub(crate) click: Vec<f64>,
    pub(crate) stop: Vec<f64>,
    pub(crate) fractional_labels: FractionalLabels,
    /// P(examined) of the positions shown; only of position-based models, whose `stop` is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) examination: Option<Vec<f64>>,
}

impl ClickDescription {
    fn new(clicks: &AnyClickModel, fractional_labels: FractionalLabels, shown: u16) -> Self {
        let model = clicks.name().to_owned();
        let (click, stop, examination) = match clicks {
            AnyClickModel::Dependent(model) => (model.click(), model.stop(), None),
            AnyClickModel::PositionBased(model) => {
                let positions = model.examination();
                let shown = positions.len().min(usize::from(shown));
                (model.attraction(), &[][..], Some(positions[..shown].to_vec()))
            }
            other => unreachable!("{other} is a click model without a description"),
        };
        Self { model, click: click.to_vec(), stop: stop.to_vec(), fractional_labels, examination }
    }
}

impl Description {
    /// Everything an impression depends on, as one line of text: part of seeds and keys.
    ///
    /// The data set's name is left out: the same content under another name is the same site.
    pub(crate) fn content(&self) -> String {
        let mut described = self.clone();
        described.dataset.name = String::new();
        serde_json::to_string(&described).expect("plain data is written without fail")
    }

    /// The same as a value, to tell what differs.
    pub(in crate::cli) fn identity(&self) -> serde_json::Value {
        let mut described = self.clone();
        described.dataset.name = String::new();
        serde_json::to_value(&described).expect("plain data is written without fail")
    }

    /// What the truth depends on: all but how live lists are mixed.
    pub(crate) fn truth_content(&self) -> String {
        Self { interleave: String::new(), multileave: String::new(), ..self.clone() }.content()
    }

    /// What an arm is called: `feature 110 (arm 109)`.
    pub(crate) fn label(&self, arm: usize) -> String {
        of_feature(self.rankers[arm], arm)
    }

    /// What all arms are called.
    pub(crate) fn names(&self) -> ArmNames {
        ArmNames::Features(self.rankers.clone())
    }

    /// The caption of regret over impressions; `what` comes before all else in its title.
    pub(in crate::cli) fn caption(&self, what: &str, truth: &Truth) -> Caption {
        let (dataset, clicks) = (&self.dataset.name, &self.click.model);
        Caption {
            title: format!("{what}{} on {dataset}, {clicks} clicks", counted(self.rankers.len() as u64, "ranker")),
            x_label: "impressions".to_owned(),
            regret: truth.measure.regret().to_owned(),
            note: self.note(),
        }
    }

    /// A line for figures and tables made of data that are not real.
    pub(crate) fn note(&self) -> Option<String> {
        self.dataset
            .synthetic
            .then(|| format!("synthetic data: {} is generated, not the real data set", self.dataset.name))
    }
}

impl Prepared {
    /// What regret is measured against, kept in `cache`, and how much is spent on it.
    pub(in crate::cli) fn truth(&self, cache: &Path, seed: u64, quiet: bool) -> Result<(Effort, Truth)> {
        let Self { dataset, site, pairwise: method, description, .. } = self;
        let effort = Effort::for_arms(site.arms());
        let ndcg = || Ok(site.rankings().ndcg(dataset.labels(), 10, Gain::Exponential)?);
        let question = Question { site, method, effort, seed, quiet };
        Ok((effort, question.establish(&description.truth_content(), cache, ndcg)?))
    }
}

impl SiteOptions {
    /// Opens the data set, ranks it, and lays out its users.
    pub(in crate::cli) fn prepare(&self, master: u64, quiet: bool) -> Result<Prepared> {
        self.check_stop()?;
        let dataset = self.reading.open(&self.dataset)?;
        announce(&dataset, quiet);
        let features = self.rankers(&dataset, master)?;
        let Laid { site, methods, pairwise, description } = self.lay_out(&dataset, features, master)?;
        if !quiet && let Some(remark) = ties_remark(&site, &description) {
            eprintln!("{remark}");
        }
        Ok(Prepared { dataset, site, methods, pairwise, description })
    }

    /// Ranks `dataset` by `features` and lays out its users.
    pub(crate) fn lay_out(&self, dataset: &Dataset, features: Vec<FeatureId>, master: u64) -> Result<Laid> {
        let tie_breaking = match self.ties {
            Ties::Random => TieBreaking::Random,
            Ties::Fixed => TieBreaking::Fixed(seed::seed(master, "rankers", 0, "ties")),
        };
        let rankings = Rankings::new(dataset, &features, tie_breaking)?;
        let click = self.click_model(dataset)?;
        let fractional = match self.fractional_labels {
            Fractional::Round => FractionalLabels::Round,
            Fractional::Floor => FractionalLabels::Floor,
            Fractional::Interpolate => FractionalLabels::Interpolate,
        };
        let methods = self.methods()?;
        let pairwise = match &methods.interleaving {
            AnyInterleaving::Probabilistic(method) => method.clone(),
            _ => ProbabilisticInterleave::new(self.credit_ties.map_or(CreditTies::Redrawn, CreditTies::from)),
        };
        let description = Description {
            dataset: DatasetDescription {
                name: dataset.name().to_owned(),
                synthetic: matches!(dataset.provenance(), Provenance::LookAlike { .. }),
                checksum: dataset.checksum(),
                queries: dataset.queries(),
                documents: dataset.documents(),
                features: dataset.features(),
            },
            rankers: features,
            tie_breaking,
            click: ClickDescription::new(&click, fractional, self.shown),
            shown: self.shown,
            interleave: methods.interleaving.to_string(),
            multileave: methods.multileaving.to_string(),
            credit_ties: pairwise.credit_ties(),
        };
        // The truth asks for every list.
        rankings.rank_all()?;
        let site = Site::new(dataset, rankings, &click, fractional, usize::from(self.shown))?;
        Ok(Laid { site, methods, pairwise, description })
    }

    /// The features that become arms.
    pub(crate) fn rankers(&self, dataset: &Dataset, master: u64) -> Result<Vec<FeatureId>> {
        let chosen = self.rankers.choose(dataset.features(), seed::seed(master, "rankers", 0, "selection"));
        let chosen = chosen.map_err(|error| usage(format!("--rankers {}: {error}", self.rankers)))?;
        for feature in &self.without {
            anyhow::ensure!(
                chosen.contains(&FeatureId(*feature)),
                usage(format!("--without {feature}: that feature is none of the rankers"))
            );
        }
        let kept: Vec<FeatureId> = chosen.into_iter().filter(|feature| !self.without.contains(&feature.0)).collect();
        anyhow::ensure!(!kept.is_empty(), usage("--without leaves no ranker"));
        anyhow::ensure!(
            kept.len() > 1,
            usage(format!(
                "only feature {} is left, and a ranker needs another to be compared with; --rankers takes numbers as \
                 1,5,110, and one number N draws N at random",
                kept[0].0
            ))
        );
        Ok(kept)
    }

    /// How lists are mixed, with `--credit-ties` taken in.
    fn methods(&self) -> Result<Methods> {
        let usual = || "probabilistic".parse().expect("a registered name");
        let mut interleaving = self.interleave.clone().unwrap_or_else(usual);
        if let (AnyInterleaving::Probabilistic(method), Some(credit)) = (&interleaving, self.credit_ties) {
            let method = ProbabilisticInterleave::with_tau(method.tau(), credit.into())?;
            interleaving = AnyInterleaving::Probabilistic(method);
        }
        let multileaving = self.multileave.clone().unwrap_or_else(|| AnyMultileaving::Sosm(Sosm::default()));
        Ok(Methods { interleaving, multileaving })
    }

    /// Opens `dataset` in place of the one named, registered data being looked for below `root`.
    pub(crate) fn open_named(&self, dataset: &[String], root: &Path) -> Result<Dataset> {
        self.reading.open_below(dataset, Some(root))
    }

    /// Whether a way of multileaving was asked for.
    pub(in crate::cli) fn multileaves(&self) -> bool {
        self.multileave.is_some()
    }

    /// Whether a way of interleaving was asked for.
    pub(in crate::cli) fn interleaves(&self) -> bool {
        self.interleave.is_some()
    }

    /// Refuses `--stop` where it does not suit `--click`, whatever the data.
    fn check_stop(&self) -> Result<()> {
        self.click_spec().map(|_| ())
    }

    fn click_spec(&self) -> Result<ClickSpec> {
        let click = self.click.clone();
        let Some(stop) = &self.stop else { return Ok(click) };
        click.with_stop(stop).map_err(|error| usage(format!("--stop {stop}: {error}")))
    }

    fn click_model(&self, dataset: &Dataset) -> Result<AnyClickModel> {
        Ok(self.click_spec()?.resolve(dataset.max_label())?)
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
fn ties_remark(site: &Site, description: &Description) -> Option<String> {
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
pub(in crate::cli) struct RunOptions {
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
    pub(in crate::cli) common: CommonOptions,

    /// Where to leave results; those of the same command are replaced, those of another refused
    /// [default: results/ and a name made of what is played on, and of the seed unless it is 1]
    #[arg(long, value_name = "FOLDER")]
    pub(in crate::cli) out: Option<PathBuf>,

    /// Print the summary as JSON in place of the table
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl RunOptions {
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
pub(in crate::cli) struct CommonOptions {
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

impl CommonOptions {
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
