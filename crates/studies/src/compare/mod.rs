//! The same bandits live and on the proxy matrix of the same data, side by side. `differences` has the numbers and
//! their figure.

mod differences;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bandits::{ActionKind, MatrixArena, PreferenceMatrix, RegretKind};
use output::numbers::{deviation, significant, with_unit};
use output::results_folder::ResultsFolder;
use output::shards::{Share, folder_of};
use output::text_table::{Align, TextTable};
use output::usage::usage;
use serde::Serialize;
use simulation::description::{Effort, SiteDescription};
use simulation::late_answers::LateAnswers;
use simulation::live_arena::LiveArenaFactory;
use simulation::matrix::matrix_checksum;
use simulation::proxy::{
    Files, MatrixOrigin, PairSelection, Request as Impressions, Sampling, StartMode, identity, open_state, play, write,
};
use simulation::runs::{CopiedArenas, LateArenas, StudyPlan};
use simulation::seed::Streams;
use simulation::seed_text::{SeedSubject, seed_text};
use simulation::truth::GroundTruth;

use crate::live::units_of_runs;
use crate::report::{Content, Report};
use crate::request::LiveSettings;
use crate::results::{AlgorithmNames, Axes, Caption, PlayedRuns, RegretBasis, VERSION, label, live_caption, notes};
use crate::runner::{Destination, Execution, Keeper, StudyArenas, Workplace};
use crate::runner::{Study, Units};
use crate::site::OpenSite;

pub use self::differences::Difference;
use self::differences::{differences, figure, largest_relative};

/// Runs live and on a matrix.
pub struct CompareStudy {
    /// The site.
    pub site: Arc<OpenSite>,
    /// The settings in both arenas.
    pub settings: LiveSettings,
    /// The matrix.
    pub matrix: ProxyMatrix,
}

/// The matrix of the site's rankers.
pub enum ProxyMatrix {
    /// One that was estimated before.
    Given {
        /// The matrix.
        matrix: PreferenceMatrix,
        /// What it was estimated from, as far as that is known.
        origin: Box<MatrixOrigin>,
        /// The name of its file.
        name: String,
    },
    /// To be estimated from this many simulated impressions per pair.
    Estimated(u64),
}

/// The resolved configuration, written as config.json.
#[derive(Clone, Serialize)]
pub struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    /// Per decade.
    checkpoints: u32,
    #[serde(flatten)]
    algorithms: AlgorithmNames,
    #[serde(skip_serializing_if = "Option::is_none")]
    regret: Option<RegretKind>,
    site: SiteDescription,
    #[serde(skip_serializing_if = "Streams::is_sequential")]
    streams: Streams,
    truth_effort: Effort,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<GroundTruth>,
    proxy: Proxy,
}

#[derive(Clone, Serialize)]
struct Proxy {
    /// The checksum of the entries of the matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    /// The file it was read from; null if it was estimated here.
    matrix: Option<String>,
    interleavings: Option<u64>,
}

/// The data resolved before the runs.
pub struct Resolved {
    matrix: PreferenceMatrix,
    checksum: String,
    truth: GroundTruth,
    measured: RegretBasis,
}

/// The runs in both arenas.
pub struct Findings {
    /// With simulated users.
    pub live: PlayedRuns,
    /// On the matrix, with regret from the same ground truth.
    pub proxy: PlayedRuns,
}

impl Findings {
    /// The differences of all algorithms at all checkpoints.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let Self { live, proxy } = self;
        differences(&live.plan, &live.results, &proxy.results, live.measured.kind)
    }
}

/// The content of summary.json.
#[derive(Serialize)]
struct Summary<'a> {
    /// The largest relative difference of mean regret after the last step.
    largest_at_end: Option<&'a Difference>,
    /// The largest relative difference at any checkpoint after the first thousandth of the steps.
    largest_after_first_thousandth: Option<&'a Difference>,
    /// Each algorithm after the last step.
    at_end: Vec<&'a Difference>,
    /// What regret measures, and on what data.
    #[serde(flatten)]
    measured: RegretBasis,
}

impl Study for CompareStudy {
    const COMMAND: &'static str = "compare";
    type Config = Config;
    type Resolved = Resolved;
    type Findings = Findings;

    fn prepare(&self, order: &Execution) -> Result<Option<String>> {
        let matrix = match (&self.matrix, &order.destination) {
            (
                ProxyMatrix::Estimated(impressions),
                Destination::Folder { path, .. } | Destination::File { path, .. },
            ) => {
                self.estimate(*impressions, Some(&prepared_folder(&folder_of(path))), order.quiet)?;
                "the matrix; "
            }
            _ => "",
        };
        let LiveSettings { run, truth, .. } = &self.settings;
        let (truth, _) = self.site.truth_of(run.regret, truth, run.seed, order.quiet)?;
        Ok(Some(format!("{matrix}{}", truth.describe(|arm| self.description().label(arm)))))
    }

    fn key(&self) -> Config {
        let checksum = match &self.matrix {
            ProxyMatrix::Given { matrix, .. } => Some(matrix_checksum(matrix, true)),
            ProxyMatrix::Estimated(_) => None,
        };
        self.config_with(self.settings.run.regret, None, checksum)
    }

    fn extend(&mut self, place: &Workplace) -> Result<()> {
        self.settings.run.extend(place, self.site.prepared.site.arms())
    }

    fn resolve(&self, place: &Workplace) -> Result<Resolved> {
        let matrix = match &self.matrix {
            ProxyMatrix::Given { matrix, .. } => matrix.clone(),
            ProxyMatrix::Estimated(impressions) => {
                let folder = place.folder();
                // Marks the matrix as ours even if no run is kept.
                folder.map_or(Ok(()), |folder| folder.marker()())?;
                folder.map_or(Ok(()), |folder| copy_prepared(place.share(), folder))?;
                self.estimate(*impressions, folder.map(ResultsFolder::path), place.quiet())?
            }
        };
        check_arms(&matrix, self.site.prepared.site.arms())?;
        let LiveSettings { run, truth, .. } = &self.settings;
        let (truth, regret_basis) = self.site.truth_of(run.regret, truth, run.seed, place.quiet())?;
        let synthetic = match &self.matrix {
            // The matrix of a look-alike may be compared with real data.
            ProxyMatrix::Given { origin, .. } => origin.synthetic_beside(self.description().dataset.synthetic),
            ProxyMatrix::Estimated(_) => regret_basis.synthetic,
        };
        let checksum = matrix_checksum(&matrix, place.quiet());
        Ok(Resolved { matrix, checksum, truth, measured: RegretBasis { synthetic, ..regret_basis } })
    }

    fn config(&self, resolved: &Resolved) -> Config {
        let Resolved { checksum, truth, measured, .. } = resolved;
        self.config_with(Some(measured.kind), Some(truth.clone()), Some(checksum.clone()))
    }

    fn units(&self, _settled: &Resolved) -> Units {
        units_of_runs(&self.settings.run, "run live and on the matrix", 2)
    }

    fn play(&self, resolved: &Resolved, keeper: &Keeper<'_>) -> Result<Findings> {
        let Resolved { matrix, checksum, truth, measured } = resolved;
        let plan = self.settings.run.plan();
        let live = LiveArenaFactory::new(&self.site.prepared, &truth.gaps, self.settings.streams);
        let live = LateArenas::new(live, LateAnswers::default());
        let arena = MatrixArena::with_gaps(matrix.clone(), truth.gaps.clone());
        let proxy = CopiedArenas { arena, content: seed_text(SeedSubject::Matrix(checksum)) };
        let proxy = LateArenas::new(proxy, LateAnswers::default());
        let progress = keeper.progress_twice("playing live and proxy", plan.total_steps());
        let played_on = StudyArenas { arenas: &live, gaps: &truth.gaps, timings: "live/timings.json" };
        let live = keeper.runs(&played_on, vec![plan.clone()], &progress)?;
        let played_on = StudyArenas { arenas: &proxy, gaps: &truth.gaps, timings: "proxy/timings.json" };
        let proxy = keeper.runs(&played_on, vec![plan.clone()], &progress)?;
        progress.finish();
        let names = self.description().names();
        let played = |what: &str, results| PlayedRuns {
            plan: plan.clone(),
            results,
            winners: truth.winners.clone(),
            phases: Vec::new(),
            names: names.clone(),
            measured: *measured,
            gaps: truth.gaps.clone(),
            multileave: None,
            caption: self.caption(what, measured),
            truth: truth.describe(|arm| names.name(arm)),
            verdict: None,
            late: None,
            display_order: self.settings.run.display_order(),
        };
        Ok(Findings { live: played("live: ", live), proxy: played("proxy: ", proxy) })
    }

    fn report(&self, resolved: &Resolved, findings: &Findings) -> Result<Report> {
        let Findings { live, proxy } = findings;
        let (plan, regret_basis) = (&live.plan, resolved.measured);
        let differences = findings.differences();
        let summary = Summary {
            largest_at_end: largest_relative(&differences, plan.steps),
            largest_after_first_thousandth: largest_relative(&differences, plan.steps / 1000),
            at_end: differences.iter().filter(|difference| difference.step == plan.steps).collect(),
            measured: regret_basis,
        };
        let caption = self.caption("Live and proxy: ", &regret_basis);
        let lines = figure(plan, &live.results, &proxy.results, regret_basis.kind, &caption);
        Ok(Report::new(text(plan, &summary, &live.truth, caption.note.as_deref()), &summary)?
            .with_file("compare", Content::Lines(Box::new(lines)))
            .with_file("differences.csv", Content::Table(output::csv(&Difference::HEADER, &differences)?))
            .with_file("summary.json", Content::json(&summary)?)
            .with_file("live", Content::Folder(live.files()?))
            .with_file("proxy", Content::Folder(proxy.files()?)))
    }
}

impl CompareStudy {
    /// Live runs beside those on a matrix.
    ///
    /// # Errors
    /// As wrong usage, if an algorithm selects sets of arms, or the matrix is not of as many rankers.
    pub fn new(site: Arc<OpenSite>, settings: LiveSettings, matrix: ProxyMatrix) -> Result<Self> {
        check_algorithms(&settings)?;
        if let ProxyMatrix::Given { matrix, .. } = &matrix {
            check_arms(matrix, site.prepared.site.arms())?;
        }
        Ok(Self { site, settings, matrix })
    }

    fn description(&self) -> &SiteDescription {
        &self.site.prepared.description
    }

    fn config_with(&self, regret: Option<RegretKind>, truth: Option<GroundTruth>, checksum: Option<String>) -> Config {
        let LiveSettings { run, streams, truth: asked } = &self.settings;
        let (matrix, interleavings) = match &self.matrix {
            ProxyMatrix::Given { name, .. } => (Some(name.clone()), None),
            ProxyMatrix::Estimated(impressions) => (None, Some(*impressions)),
        };
        Config {
            command: Self::COMMAND,
            version: VERSION,
            seed: run.seed,
            steps: run.size.length.steps(),
            runs: run.size.runs,
            checkpoints: run.size.length.per_decade(),
            algorithms: run.algorithms(),
            regret,
            site: self.description().clone(),
            streams: *streams,
            truth_effort: asked.effort(self.site.prepared.site.arms()),
            truth,
            proxy: Proxy { checksum, matrix, interleavings },
        }
    }

    /// The text of figures; `subject` comes first in the title.
    fn caption(&self, subject: &str, regret_basis: &RegretBasis) -> Caption {
        let caption = live_caption(
            self.description(),
            subject,
            regret_basis,
            self.settings.run.look.with_default_axes(Axes::Log),
        );
        let note = match &self.matrix {
            ProxyMatrix::Given { origin, name, .. } if !origin.is_of(&self.description().dataset.name) => {
                origin.note(name)
            }
            _ => None,
        };
        Caption { note: notes([caption.note, note]), ..caption }
    }

    /// Estimates the proxy matrix, with the files of `rankduel proxy` in a folder, or in memory.
    fn estimate(&self, impressions: u64, results_folder: Option<&Path>, quiet: bool) -> Result<PreferenceMatrix> {
        let prepared = &self.site.prepared;
        let identity = identity(prepared, self.settings.run.seed, Sampling::WithReplacement, false);
        let request =
            Impressions { impressions, more: false, pairs: PairSelection::All.to_string(), until_standard_error: None };
        let Some(results_folder) = results_folder else {
            // The name of no file: nothing is read or saved.
            let mut state = open_state(Path::new(""), identity, request, StartMode::Replace)?;
            play(&mut state, prepared, None, quiet)?;
            return Ok(state.matrix()?);
        };
        let files = Files::for_matrix(&results_folder.join(MATRIX))?;
        output::create_folder(results_folder)?;
        let _lock = files.lock()?;
        let mut state = open_state(&files.state, identity, request, StartMode::Resume)?;
        play(&mut state, prepared, Some((&files.state, Duration::from_mins(1))), quiet)?;
        write(&files, &state)?;
        Ok(state.matrix()?)
    }
}

/// Refuses algorithms that a matrix of pairs cannot simulate.
///
/// # Errors
/// As wrong usage.
pub fn check_algorithms(settings: &LiveSettings) -> Result<()> {
    let sets = settings.run.size.algorithms.iter().find(|spec| spec.action_kind() != ActionKind::Duels);
    sets.map_or(Ok(()), |spec| {
        Err(usage(format!(
            "--algorithms {spec}: it selects sets of arms, which a pairwise matrix cannot simulate; choose dueling algorithms"
        )))
    })
}

fn check_arms(matrix: &PreferenceMatrix, arms: usize) -> Result<()> {
    ensure!(
        matrix.arms() == arms,
        usage(format!(
            "--matrix has {} arms, but {arms} rankers are compared; choose them with --rankers",
            matrix.arms()
        ))
    );
    Ok(())
}

/// The name of the estimated matrix.
const MATRIX: &str = "proxy.npy";

/// Where, in the folder of the parts, the matrix is that all shards need.
fn prepared_folder(parts_folder: &Path) -> PathBuf {
    parts_folder.join("prepared")
}

/// Takes the matrix that was prepared for all shards over into `folder`, if there is one and it has none yet. Whether it is
/// the right one is checked when it is read.
fn copy_prepared(share: &Share, folder: &ResultsFolder) -> Result<()> {
    let parts_folder = match share {
        Share::Merge(parts_folder) => Some(parts_folder.folder()),
        Share::One(_) => folder.path().parent(),
        Share::All | Share::Prepare => None,
    };
    let Some(parts_folder) = parts_folder else { return Ok(()) };
    let (prepared_state, own_state) = (
        Files::for_matrix(&prepared_folder(parts_folder).join(MATRIX))?.state,
        Files::for_matrix(&folder.join(MATRIX))?.state,
    );
    if let (Ok(bytes), false) = (output::input::read_file(&prepared_state, u64::MAX), own_state.exists()) {
        folder.marker()()?;
        output::write_atomic(&own_state, &bytes).context("the matrix of all shards could not be copied")?;
    }
    Ok(())
}

/// The relative difference and its standard error, e.g. `+1.2% ± 0.4%`; a single run has no standard error.
fn percent(difference: &Difference, runs: u64) -> String {
    match (difference.relative, difference.relative_standard_error) {
        (None, _) => "no live regret".to_owned(),
        (Some(relative), Some(error)) if runs > 1 => format!("{:+.1}% ± {:.1}%", 100.0 * relative, 100.0 * error),
        (Some(relative), _) => format!("{:+.1}%", 100.0 * relative),
    }
}

fn text(plan: &StudyPlan, summary: &Summary<'_>, truth: &str, note: Option<&str>) -> String {
    let word = |largest: Option<&Difference>| {
        largest.map_or_else(
            || "none".to_owned(),
            |found| {
                let Difference { algorithm, step, .. } = found;
                format!("{}, {algorithm} after {}", percent(found, plan.runs), with_unit(*step, "step"))
            },
        )
    };
    let mut lines = vec![
        truth.to_owned(),
        table(plan, summary).to_string(),
        format!("largest relative difference at the end: {}", word(summary.largest_at_end)),
        format!("after the first thousandth of the steps: {}", word(summary.largest_after_first_thousandth)),
    ];
    lines.extend(note.map(str::to_owned));
    lines.join("\n")
}

fn table(plan: &StudyPlan, summary: &Summary<'_>) -> TextTable {
    let right_aligned = |name| (name, Align::Right);
    let mut table = TextTable::new([
        ("algorithm", Align::Left),
        right_aligned("live"),
        right_aligned("± s.e."),
        right_aligned("proxy"),
        right_aligned("± s.e."),
        right_aligned("difference"),
    ]);
    for (spec, end) in plan.algorithms.iter().zip(&summary.at_end) {
        table.row([
            label(spec),
            significant(end.live),
            deviation(end.live, end.live_standard_error, plan.runs as usize),
            significant(end.proxy),
            deviation(end.proxy, end.proxy_standard_error, plan.runs as usize),
            percent(end, plan.runs),
        ]);
    }
    table
}
