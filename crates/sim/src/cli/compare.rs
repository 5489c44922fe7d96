//! `rankduel compare`: the same bandits live and on the proxy matrix of the same data.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bandits::{ActionKind, MatrixArena, PreferenceMatrix, RegretKind};
use clap::Args;
use output::numbers::{deviation, parse_positive, significant, with_unit};
use output::progress::Progress;
use output::results_folder::{ResultsFolder, write_part};
use output::text_table::{Align, TextTable};
use output::usage::usage;
use serde::Serialize;
use simulation::description::{Effort, SiteDescription};
use simulation::late_answers::LateAnswers;
use simulation::live_arena::LiveArenaFactory;
use simulation::matrix::matrix_checksum;
use simulation::prepared::PreparedSite;
use simulation::proxy::{Files, PairSelection, Request, Sampling, StartMode, identity, open_state, play, write};
use simulation::runs::kept_runs::{KeptRuns, revisions};
use simulation::runs::{ArenaFactory as _, CopiedArenas, Late, RunResult, StudyPlan, play_all};
use simulation::seed::Streams;
use simulation::seed_text::{Seeded, seed_text};
use simulation::truth::GroundTruth;

use super::matrix_file;
use super::print::{eprintln, println};
use crate::analysis::live_vs_proxy::{Difference, differences, figure, largest};
use crate::cli::args::{RunArgs, SiteArgs, StreamArgs, TruthArgs, Usual};
use crate::cli::shards::{self, Work, extended_by};
use crate::cli::study::extension::Size;
use crate::results::{self, Arms, Caption, Measured, label, live_caption, notes};
use output::shards::{Share, folder_of};

/// Run the same bandits live and on the proxy matrix of the same data, side by side.
///
/// Both measure regret against the ground truth of the live simulation and are drawn with one scale. Writes
/// differences.csv, compare.png, summary.json and config.json to the results folder, the files of `rankduel` and
/// `rankduel bandit` to its folders live/ and proxy/, and, unless --matrix is given, the matrix as proxy.npy with the other
/// files of `rankduel proxy`.
#[derive(Debug, Args)]
pub(super) struct Compare {
    #[command(flatten)]
    site: SiteArgs,

    /// An existing proxy matrix of these rankers [default: estimate one]
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,

    /// Simulated impressions per pair for the estimate
    #[arg(long = "impressions-per-pair", alias = "interleavings", value_name = "N", default_value = "20000", value_parser = parse_positive, conflicts_with = "matrix")]
    interleavings: u64,

    /// No longer needed: the same command always continues
    #[arg(long, hide = true, conflicts_with = "matrix")]
    resume: bool,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    truth: TruthArgs,

    #[command(flatten)]
    streams: StreamArgs,
}

/// The resolved configuration, written as config.json.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    steps: u64,
    runs: u64,
    /// Per decade.
    checkpoints: u32,
    algorithms: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regret: Option<RegretKind>,
    site: &'a SiteDescription,
    #[serde(skip_serializing_if = "Streams::is_sequential")]
    streams: Streams,
    truth_effort: Effort,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<&'a GroundTruth>,
    proxy: Proxy,
}

#[derive(Serialize)]
struct Proxy {
    /// Of the entries of the matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    /// The file it was read from; null if it was estimated here.
    matrix: Option<String>,
    interleavings: Option<u64>,
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
    measured: Measured,
}

impl Compare {
    pub(super) fn run(&self) -> Result<()> {
        let RunArgs { common, .. } = &self.run;
        let usual = if self.site.is_default() { &Usual::FIRST_DUELS } else { &Usual::DUELS };
        let asked = self.run.size(usual);
        for spec in &asked.algorithms {
            ensure!(
                spec.action_kind() == ActionKind::Duels,
                usage(format!(
                    "--algorithms {spec}: it selects sets of arms, which a pairwise matrix cannot simulate; choose dueling \
                     algorithms"
                ))
            );
        }
        ensure!(
            !self.site.multileaves(),
            usage(
                "--multileave does not apply to compare, whose algorithms duel with two lists at a time; leave it out"
            )
        );
        self.run.regret.check_live()?;
        let share = self.run.shard.share()?;
        // Read first: a wrong file name should fail before any work is done.
        let matrix = self.matrix.as_deref().map(|path| matrix_file::read(path, common.quiet)).transpose()?;
        let prepared = self.site.prepare_for(&share, common.seed, common.quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        let effort = self.truth.effort(site.arms());
        let estimated = matrix.is_none();
        // The matrix of a look-alike may be compared with real data.
        let origin = matrix.as_ref().map(|read| read.origin.clone()).unwrap_or_default();
        let synthetic = origin.synthetic_beside(description.dataset.synthetic);
        let matrix_note = match &self.matrix {
            Some(path) if !origin.is_of(&description.dataset.name) => origin.note(&matrix_file::name(path)),
            _ => None,
        };
        let matrix = matrix.map(|read| read.matrix);
        let name = self.matrix.as_deref().and_then(Path::file_name);
        let config = |size: &Size, regret, truth, checksum| Config {
            command: "compare",
            version: env!("CARGO_PKG_VERSION"),
            seed: common.seed,
            steps: size.length.steps(),
            runs: size.runs,
            checkpoints: size.length.per_decade(),
            algorithms: size.names(),
            regret,
            site: description,
            streams: self.streams.streams(),
            truth_effort: effort,
            truth,
            proxy: Proxy {
                checksum,
                matrix: name.map(|name| name.to_string_lossy().into_owned()),
                interleavings: estimated.then_some(self.interleavings),
            },
        };
        let checksum = |matrix: &PreferenceMatrix| matrix_checksum(matrix, common.quiet);
        if let Some(matrix) = &matrix {
            self.check_arms(matrix, site.arms())?;
        }
        let part = self.run.regret.part(RegretKind::Condorcet) + &self.truth.part() + &self.streams.part();
        let folder = || self.site.default_folder("compare", description, &part, common);
        if matches!(share, Share::Prepare) {
            return self.prepare(&prepared, estimated, &self.run.output.out.clone().unwrap_or_else(folder));
        }
        let key = config(&asked, self.run.regret.given(), None, matrix.as_ref().map(checksum));
        let folder = self.run.output.claim_share(&share, folder, &key, common.quiet)?;
        let Some(folder) = folder else { return Ok(()) };
        let size = extended_by(&share, asked, &folder, common.quiet)?;
        let matrix = match matrix {
            Some(matrix) => matrix,
            None => {
                copy_prepared(&share, &folder)?;
                self.estimate(&prepared, folder.path())?
            }
        };
        self.check_arms(&matrix, site.arms())?;
        let truth = self.run.regret.truth(&prepared, effort, &self.truth.cache.cache, common)?;
        let measured = Measured::new(self.run.regret.live(&truth), &truth.gaps, synthetic);
        let checksum = checksum(&matrix);
        let config = config(&size, Some(measured.kind), Some(&truth), Some(checksum.clone()));
        folder.check(&config)?;

        let plan = self.run.plan(size);
        let cells = plan.cells();
        let pairs_of_runs = ("run live and on the matrix", plan.runs * cells.len() as u64);
        let work = Work::new(&config, revisions(&plan.algorithms), pairs_of_runs)?.of_records(2);
        work.begin(&share, &folder)?;
        let live = LiveArenaFactory::new(&prepared, &truth.gaps, self.streams.streams());
        let live = Late::new(live, LateAnswers::default());
        let live_runs = KeptRuns::new(&folder, live.content(), &truth.gaps, "live/timings.json").sharing(&share);
        let arena = MatrixArena::with_gaps(matrix, truth.gaps.clone());
        let proxy = CopiedArenas { arena, content: seed_text(Seeded::Matrix(&checksum)) };
        let proxy = Late::new(proxy, LateAnswers::default());
        let proxy_runs = KeptRuns::new(&folder, proxy.content(), &truth.gaps, "proxy/timings.json").sharing(&share);
        let steps = 2 * live_runs.share_of(plan.total_steps());
        let progress = Progress::new("playing live and proxy", steps, common.quiet);
        let live = play_all(&live, &plan, Some(&live_runs), &progress)?;
        let proxy = play_all(&proxy, &plan, Some(&proxy_runs), &progress)?;
        progress.finish();
        if let Some(shard) = share.shard() {
            let [live, proxy] = [&live_runs, &proxy_runs].map(|kept| kept.cells_of(shard, &cells, plan.runs));
            return work.finish(shard, folder, &[live?, proxy?].concat(), common.quiet);
        }
        let played = [(&live[..], &live_runs), (&proxy[..], &proxy_runs)];
        self.write_and_print(&folder, &config, &plan, usual, played, (measured, matrix_note))
    }

    /// Does what all shards need: the matrix, unless one is given, and the ground truth.
    fn prepare(&self, prepared: &PreparedSite, estimated: bool, out: &Path) -> Result<()> {
        let common = &self.run.common;
        if estimated {
            self.estimate(prepared, &prepared_in(&folder_of(out)))?;
        }
        let effort = self.truth.effort(prepared.site.arms());
        let truth = self.run.regret.truth(prepared, effort, &self.truth.cache.cache, common)?;
        let matrix = if estimated { "the matrix; " } else { "" };
        let truth = truth.describe(|arm| prepared.description.label(arm));
        shards::prepared(&format!("{matrix}{truth}"), common.quiet);
        Ok(())
    }

    fn check_arms(&self, matrix: &PreferenceMatrix, arms: usize) -> Result<()> {
        ensure!(
            matrix.arms() == arms,
            usage(format!(
                "--matrix has {} arms, but {arms} rankers are compared; choose them with --rankers",
                matrix.arms()
            ))
        );
        Ok(())
    }

    /// Estimates the proxy matrix, with the files of `rankduel proxy` in the results folder.
    fn estimate(&self, prepared: &PreparedSite, folder: &Path) -> Result<PreferenceMatrix> {
        let common = &self.run.common;
        let files = Files::of(&folder.join(MATRIX))?;
        output::create_folder(folder)?;
        let _lock = files.lock()?;
        let identity = identity(prepared, common.seed, Sampling::WithReplacement, false);
        let request = Request {
            impressions: self.interleavings,
            more: false,
            pairs: PairSelection::All.to_string(),
            until_standard_error: None,
        };
        let mut state = open_state(&files.state, identity, request, StartMode::Resume)?;
        play(&mut state, prepared, Some((&files.state, Duration::from_mins(1))), common.quiet)?;
        write(&files, &state)?;
        Ok(state.matrix()?)
    }

    fn write_and_print(
        &self,
        folder: &ResultsFolder,
        config: &Config<'_>,
        plan: &StudyPlan,
        usual: &Usual,
        [(live, live_runs), (proxy, proxy_runs)]: [(&[Vec<RunResult>], &KeptRuns); 2],
        (measured, matrix_note): (Measured, Option<String>),
    ) -> Result<()> {
        let (description, truth) = (config.site, config.truth.context("the ground truth is known by now")?);
        let name = |arm: usize| description.label(arm);
        let names = description.names();
        let arms = Arms { winners: &truth.winners, phases: &[], names: &names, measured, multileave: None };
        let caption = |what: &str| {
            let caption = live_caption(description, what, &measured, self.run.look(usual));
            Caption { note: notes([caption.note, matrix_note.clone()]), ..caption }
        };
        let differences = differences(plan, live, proxy, measured.kind);
        let summary = Summary {
            largest_at_end: largest(&differences, plan.steps),
            largest_after_first_thousandth: largest(&differences, plan.steps / 1000),
            at_end: differences.iter().filter(|difference| difference.step == plan.steps).collect(),
            measured,
        };
        folder.write(config, || {
            for (arena, runs, kept) in [("live", live, live_runs), ("proxy", proxy, proxy_runs)] {
                let (part, caption) = (folder.join(arena), caption(&format!("{arena}: ")));
                write_part(&part, config, || results::write(&part, plan, runs, &arms, &caption))?;
                kept.complete(&plan.cells(), runs)?;
            }
            output::write_json_pretty(&folder.join("summary.json"), &summary)?;
            output::write_csv(&folder.join("differences.csv"), &Difference::HEADER, &differences)?;
            figure(plan, live, proxy, measured.kind, &caption("Live and proxy: ")).save(&folder.join("compare"))
        })?;

        if self.run.output.json {
            println!("{}", serde_json::to_string_pretty(&summary)?);
        } else {
            println!("{}", truth.describe(name));
            println!("{}", table(plan, &summary));
            let word = |largest: Option<&Difference>| {
                largest.map_or_else(
                    || "none".to_owned(),
                    |found| {
                        let Difference { algorithm, step, .. } = found;
                        format!("{}, {algorithm} after {}", percent(found, plan.runs), with_unit(*step, "step"))
                    },
                )
            };
            println!("largest relative difference at the end: {}", word(summary.largest_at_end));
            println!("after the first thousandth of the steps: {}", word(summary.largest_after_first_thousandth));
            if let Some(note) = caption("").note {
                println!("{note}");
            }
        }
        if !self.run.common.quiet {
            eprintln!(
                "results in {}: compare.png, compare.svg, differences.csv, summary.json, config.json, live/, proxy/",
                folder.path().display()
            );
        }
        Ok(())
    }
}

/// The name of the estimated matrix.
const MATRIX: &str = "proxy.npy";

/// Where, in the folder of the parts, the matrix is that all shards need.
fn prepared_in(parts: &Path) -> PathBuf {
    parts.join("prepared")
}

/// Takes the matrix that was prepared for all shards over into `folder`, if there is one and it has none yet. Whether it is
/// the right one is checked when it is read.
fn copy_prepared(share: &Share, folder: &ResultsFolder) -> Result<()> {
    let parts = match share {
        Share::Merge(parts) => Some(parts.folder()),
        Share::One(_) => folder.path().parent(),
        Share::All | Share::Prepare => None,
    };
    let Some(parts) = parts else { return Ok(()) };
    let (from, to) = (Files::of(&prepared_in(parts).join(MATRIX))?.state, Files::of(&folder.join(MATRIX))?.state);
    if let (Ok(bytes), false) = (output::input::read_file(&from, u64::MAX), to.exists()) {
        folder.marker()()?;
        output::write_atomic(&to, &bytes)?;
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

fn table(plan: &StudyPlan, summary: &Summary<'_>) -> TextTable {
    let right = |name| (name, Align::Right);
    let mut table = TextTable::new([
        ("algorithm", Align::Left),
        right("live"),
        right("± s.e."),
        right("proxy"),
        right("± s.e."),
        right("difference"),
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
