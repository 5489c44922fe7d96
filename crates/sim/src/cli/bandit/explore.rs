//! `rankduel bandit --setting explore-then-exploit`: accuracy of the recommended arm and regret at horizons.

use anyhow::Result;
use bandits::RegretKind;
use clap::{Args, ValueEnum};
use output::numbers::parse_positive;
use output::progress::Progress;
use output::usage::usage;
use serde::Serialize;
use simulation::runs::kept_runs::{KeptRuns, revisions};
use simulation::runs::{ArenaFactory as _, PlayedArena};

use super::{Bandit, CopiedArenas, Late, LateAnswers};
use crate::analysis::explore_then_exploit::{Exploration, explore_all, report, summarise, write};
use crate::cli::args::Usual;
use crate::cli::notes;
use crate::cli::print::{eprintln, println};
use crate::cli::shards::{self, Work, extended_by};
use crate::cli::study::extension::{Length, Size};
use crate::cli::study::output::Presentation;
use crate::results::{Arms, Environment};
use output::shards::Share;

/// What is measured, and when.
#[derive(Debug, Args)]
#[command(next_help_heading = "Setting")]
pub(super) struct SettingOptions {
    /// What to measure: regret at every checkpoint, or, at given horizons, whether the recommended arm is the best
    /// and the regret up to there
    #[arg(long, value_name = "SETTING", value_enum, default_value_t = Setting::Ongoing)]
    setting: Setting,

    /// The horizons, e.g. 1e3,1e4,1e5; algorithms that use the horizon run again for each
    /// [default: 100, 1000, ... up to --steps]
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        value_parser = parse_positive,
        requires = "setting",
        conflicts_with_all = ["steps", "checkpoints"]
    )]
    horizons: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Setting {
    /// Regret over time
    Ongoing,
    /// Accuracy and regret at horizons
    ExploreThenExploit,
}

impl SettingOptions {
    /// Refuses to keep curves where there are values at horizons, which are in `runs.csv`.
    pub(super) fn check_curves(&self, kept: bool) -> Result<()> {
        anyhow::ensure!(
            self.setting == Setting::Ongoing || !kept,
            usage(
                "--keep-curves: with --setting explore-then-exploit, runs.csv has every run at every horizon; leave it out"
            )
        );
        Ok(())
    }

    /// Whether runs explore until horizons.
    pub(super) fn explores(&self) -> bool {
        self.setting == Setting::ExploreThenExploit
    }

    /// Refuses evidence where runs explore until horizons.
    pub(super) fn check_evidence(&self, asked: bool) -> Result<()> {
        anyhow::ensure!(
            self.setting == Setting::Ongoing || !asked,
            usage(
                "--evidence, --stop-when and --compare-algorithms do not apply to --setting explore-then-exploit, whose runs end at horizons; \
                 leave them or the setting out"
            )
        );
        Ok(())
    }

    /// The horizons of exploration, ascending; `None` for ongoing regret.
    pub(super) fn horizons(&self, steps: u64, checkpoints: Option<u32>) -> Result<Option<Vec<u64>>> {
        if self.setting == Setting::Ongoing {
            anyhow::ensure!(
                self.horizons.is_empty(),
                usage(
                    "--horizons needs --setting explore-then-exploit; for ongoing regret use --steps and --checkpoints"
                )
            );
            return Ok(None);
        }
        anyhow::ensure!(
            checkpoints.is_none(),
            usage(
                "--checkpoints does not apply to --setting explore-then-exploit, which uses --horizons; leave it out"
            )
        );
        let mut horizons = self.horizons.clone();
        if horizons.is_empty() {
            horizons.extend((2..=15).map(|power| 10_u64.pow(power)).take_while(|&horizon| horizon < steps));
            horizons.push(steps);
        }
        horizons.sort_unstable();
        horizons.dedup();
        Ok(Some(horizons))
    }
}

/// The resolved configuration, written as config.json.
#[derive(Serialize)]
struct Config {
    command: &'static str,
    setting: &'static str,
    version: &'static str,
    seed: u64,
    horizons: Vec<u64>,
    runs: u64,
    algorithms: Vec<String>,
    regret: RegretKind,
    #[serde(flatten)]
    late: LateAnswers,
    environment: Environment,
}

impl Bandit {
    /// Measures accuracy and regret at horizons.
    pub(super) fn explore<A: PlayedArena + Clone + Sync>(
        &self,
        arenas: &Late<CopiedArenas<A>>,
        horizons: Vec<u64>,
        description: Environment,
        arms: &Arms<'_>,
        presentation: &Presentation,
    ) -> Result<()> {
        let run = &self.run;
        let (seed, quiet) = (run.common.seed, run.common.quiet);
        let asked = Size { length: Length::Horizons(horizons), ..run.size(&Usual::STUDY) };
        notes::tell(quiet, notes::of_late(&arenas.late, &asked.algorithms, arenas.arms(), asked.length.steps()));
        let share = run.shard.share()?;
        if matches!(share, Share::Prepare) {
            shards::nothing_to_prepare(quiet);
            return Ok(());
        }
        let usual = self.folder("explore", &description, &arenas.late);
        let mut config = Config {
            command: "bandit",
            setting: "explore-then-exploit",
            version: env!("CARGO_PKG_VERSION"),
            seed,
            horizons: asked.length.checkpoints(),
            runs: asked.runs,
            algorithms: asked.names(),
            regret: arms.measured.kind,
            late: arenas.late.clone(),
            environment: description,
        };
        let Some(folder) = run.output.claim_share(&share, || usual, &config, quiet)? else { return Ok(()) };
        folder.check(&config)?;
        let size = extended_by(&share, asked, &folder, quiet)?;
        (config.horizons, config.runs, config.algorithms) = (size.length.checkpoints(), size.runs, size.names());
        let plan =
            Exploration { horizons: size.length.checkpoints(), algorithms: size.algorithms, runs: size.runs, seed };
        let work = Work::new(&config, revisions(&plan.algorithms), ("run", plan.total_runs()))?;
        work.begin(&share, &folder)?;
        let kept = KeptRuns::new(&folder, arenas.content(), arenas.arenas.arena.gaps(), "timings.json").sharing(&share);
        let progress = Progress::new("exploring", kept.share_of(plan.total_steps()), quiet);
        let explored = explore_all(arenas, &plan, Some(&kept), &progress)?;
        progress.finish();
        if let Some(shard) = share.shard() {
            return work.finish(shard, folder, &kept.cells_of(shard, &explored.cells(), plan.runs)?, quiet);
        }
        let results = &explored.results;
        folder.write(&config, || {
            write(folder.path(), &plan, results, arms, &presentation.caption)?;
            explored.complete(&kept)
        })?;
        if presentation.json {
            println!("{}", serde_json::to_string_pretty(&summarise(&plan, results, arms))?);
        } else {
            let Presentation { caption, truth, late, .. } = presentation;
            println!("{}", report(&plan, results, arms, caption, truth, late.as_deref()));
        }
        if !presentation.quiet {
            eprintln!(
                "results in {}: accuracy and regret (.png, .svg), horizons.csv, runs.csv, summary.json, config.json",
                folder.path().display()
            );
        }
        Ok(())
    }
}
