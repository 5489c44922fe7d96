//! Regret over time, or the accuracy of the recommended arm and regret at horizons.

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use output::numbers::parse_positive;
use output::usage::usage;

/// What is measured, and when.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Setting")]
pub struct HorizonsRequest {
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

impl HorizonsRequest {
    /// Whether runs explore until horizons.
    #[must_use]
    pub fn explores(&self) -> bool {
        self.setting == Setting::ExploreThenExploit
    }

    /// Refuses evidence, and curves to keep, where runs explore until horizons.
    ///
    /// # Errors
    /// As wrong usage.
    pub fn check(&self, proves: bool, keeps_curves: bool) -> Result<()> {
        ensure!(
            !self.explores() || !proves,
            usage(
                "--evidence, --stop-when and --compare-algorithms do not apply to --setting explore-then-exploit, whose runs end at horizons; \
                 leave them or the setting out"
            )
        );
        ensure!(
            !self.explores() || !keeps_curves,
            usage(
                "--keep-curves: with --setting explore-then-exploit, runs.csv has every run at every horizon; leave it out"
            )
        );
        Ok(())
    }

    /// The horizons of exploration, ascending; `None` for ongoing regret.
    ///
    /// # Errors
    /// As wrong usage, if horizons or checkpoints are given where they do not apply.
    pub fn all_horizons(&self, steps: u64, checkpoints: Option<u32>) -> Result<Option<Vec<u64>>> {
        if self.setting == Setting::Ongoing {
            ensure!(
                self.horizons.is_empty(),
                usage(
                    "--horizons needs --setting explore-then-exploit; for ongoing regret use --steps and --checkpoints"
                )
            );
            return Ok(None);
        }
        ensure!(
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
