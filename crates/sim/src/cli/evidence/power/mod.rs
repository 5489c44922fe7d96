//! `rankduel power`: impressions until it is decided which of two rankers is better.
//!
//! | in | is |
//! |---|---|
//! | this file | the flags, and their evaluation |
//! | `pair` | the two rankers of a site, and their measurement |
//! | `report` | the result as table, JSON, CSV and figure |

mod pair;
mod report;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use output::numbers::{parse_confidence, parse_number, parse_positive, parse_probability, parse_up_to};
use output::progress::Progress;
use output::results_folder::{ExistingResults, ResultsFolder};
use output::usage::usage;
use serde::Serialize;
use simulation::description::SiteDescription;

use self::report::{ImpressionsPerDay, PowerCase, Report, Row, Test};
use crate::cli::args::{CommonArgs, SiteArgs};
use analyses::power::simulate::{self, SimulatedTests, TestPlan};
use analyses::power::{Goal, Impressions, Shares};
use desk::{eprintln, println};
use output::shards::Share;
use statistics::power::horizon::BoundedTest;
use studies::runner::claim_folder;
use studies::site::TruthRequest;

/// How many impressions until it is decided which of two rankers is better.
///
/// From a margin, e.g. of `rankduel` ("smallest margin") or of a preference matrix (P - 1/2), or from data: the shares of won,
/// lost and tied impressions of two rankers are then estimated from simulated users. Predicted are a test that may be
/// looked at after every impression and stops when it decides, and the sign test, whose number of impressions is fixed
/// before and which has a single look; with --horizon also MaxSPRT and YEAST, which are looked at after every impression until then; from data also an A/B test of click-through, in which half of the users see each
/// ranker alone.
///
/// Impressions count as independent here: each simulated one is a user of its own. Where users come back, count sessions
/// or users instead.
#[derive(Debug, Args)]
pub(in crate::cli) struct Power {
    /// How far P(the better ranker wins) is above 1/2, a tie being half a win; several make a table [default: estimated
    /// from data]
    #[arg(
        long,
        value_name = "M,...",
        value_delimiter = ',',
        value_parser = parse_margin,
        conflicts_with_all = ["dataset", "rankings", "scores", "click", "rankers", "interleave", "first", "second", "impressions"],
        help_heading = "Difference"
    )]
    margin: Vec<f64>,

    /// The share of impressions that neither ranker wins [default: 0]
    #[arg(
        long = "tied",
        value_name = "SHARE",
        value_parser = parse_ties,
        requires = "margin",
        help_heading = "Difference"
    )]
    tied: Option<f64>,

    /// A ranker by name, or by the number of its feature [default: the best]
    #[arg(long, value_name = "NAME", requires = "second", help_heading = "Difference")]
    first: Option<String>,

    /// The other ranker [default: the one that the best has the smallest margin over]
    #[arg(long, value_name = "NAME", requires = "first", help_heading = "Difference")]
    second: Option<String>,

    /// Simulated impressions that the difference of two rankers is estimated from
    #[arg(
        long,
        value_name = "N",
        default_value = "1e6",
        value_parser = parse_up_to::<u64, 4_000_000_000>,
        help_heading = "Difference"
    )]
    impressions: u64,

    /// 1 minus the probability of deciding between equal rankers
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_confidence, help_heading = "Test")]
    confidence: f64,

    /// The probability of having decided for the better ranker
    #[arg(long, value_name = "P", default_value = "0.8", value_parser = parse_probability, help_heading = "Test")]
    power: f64,

    /// Impressions after which the experiment ends: also MaxSPRT and YEAST, which must know
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u64, 1_000_000_000>, help_heading = "Test")]
    horizon: Option<u64>,

    /// Impressions per day: also prints days
    #[arg(
        id = "per_day",
        long = "impressions-per-day",
        value_name = "N",
        value_parser = parse_positive,
        help_heading = "Test"
    )]
    per_day: Option<u64>,

    /// Also plays this many tests, and prints after how many impressions they decided
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u64, 1_000_000>, help_heading = "Test")]
    simulate: Option<u64>,

    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    truth: TruthRequest,

    #[command(flatten)]
    common: CommonArgs,

    /// Folder to write the result to: power.csv, summary.json, power.png, power.svg, config.json [default: none]
    #[arg(id = "power_out", long = "out", value_name = "FOLDER", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Move other results in the folder of --out to NAME.old-1 instead of refusing
    #[arg(long, requires = "power_out", help_heading = "Output")]
    replace: bool,

    /// Print JSON instead of text
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// The resolved configuration, written as config.json.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    confidence: f64,
    power: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    horizon: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_day: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margins: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ties: Option<f64>,
    /// Arms, 0-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impressions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<&'a SiteDescription>,
}

/// Simulated tests are given up after this many times the impressions by which nine in ten have decided.
const PATIENCE: f64 = 20.0;

impl Power {
    pub(in crate::cli) fn run(&self) -> Result<()> {
        ensure!(
            self.confidence >= 0.5 && self.power > 1.0 - self.confidence,
            usage(format!(
                "--confidence {} and --power {}: expected a confidence of at least 0.5, and more power than 1 minus that",
                self.confidence, self.power
            ))
        );
        if self.margin.is_empty() { self.predict_from_data() } else { self.predict_from_margins() }
    }

    fn goal(&self) -> Goal {
        let mut powers = vec![0.5, 0.8, 0.9, self.power];
        powers.sort_by(f64::total_cmp);
        powers.dedup();
        powers.retain(|power| *power > 1.0 - self.confidence);
        Goal { confidence: self.confidence, powers }
    }

    fn config(&self) -> Config<'_> {
        Config {
            command: "power",
            version: env!("CARGO_PKG_VERSION"),
            seed: self.common.seed,
            confidence: self.confidence,
            power: self.power,
            horizon: self.horizon,
            per_day: self.per_day,
            simulate: self.simulate,
            margins: None,
            ties: None,
            pair: None,
            impressions: None,
            site: None,
        }
    }

    fn predict_from_margins(&self) -> Result<()> {
        let ties = self.tied.unwrap_or(0.0);
        let share_cases: Vec<Shares> = self
            .margin
            .iter()
            .map(|&margin| {
                // Without the last digits, in which one minus a share is off.
                let max_margin = (0.5e9 * (1.0 - ties)).round() / 1e9;
                Shares::of_margin(margin, ties).filter(|shares| shares.share() < 1.0).ok_or_else(|| {
                    usage(format!(
                        "--margin {margin}: expected less than {max_margin}, half of the share that is not tied"
                    ))
                })
            })
            .collect::<Result<_>>()?;
        let config = Config { margins: Some(&self.margin), ties: Some(ties), ..self.config() };
        let folder = self.claim(&config)?;
        let goal = self.goal();
        let progress =
            Progress::new("simulating tests", self.simulate.unwrap_or(0) * share_cases.len() as u64, self.common.quiet);
        let mut cases = Vec::new();
        for shares in share_cases {
            let label = format!("{} {} {}", shares.wins, shares.losses, self.confidence);
            let play = |anytime: &Impressions, tests: u64| {
                let tests = TestPlan { count: tests, limit: limit(anytime) };
                simulate::play_by_shares(&shares, &goal, tests, (self.common.seed, &label), &progress)
            };
            cases.push(self.case(shares, &goal, play)?);
        }
        progress.finish();
        self.finish(folder, &config, Report::new(goal, self.power, self.days(), cases, None))
    }

    fn predict_from_data(&self) -> Result<()> {
        let (seed, quiet) = (self.common.seed, self.common.quiet);
        ensure!(
            !self.site.multileaves(),
            usage("--multileave does not apply to power, which compares two rankers; leave it out")
        );
        let open_site = self.site.open_for(&Share::All, &self.common)?;
        let prepared = &open_site.prepared;
        let (site, description) = (&prepared.site, &prepared.description);
        let named_pair = match (&self.first, &self.second) {
            (Some(first), Some(second)) => Some(pair::by_name(&description.names(), site.arms(), [first, second])?),
            _ => None,
        };
        let arms = match named_pair {
            Some(arms) => arms,
            None => pair::best_and_runner_up(&open_site.truth(&self.truth, seed, quiet)?)?,
        };
        // The order in which they are named changes nothing.
        let arms = [arms[0].min(arms[1]), arms[0].max(arms[1])];
        let config =
            Config { pair: Some(arms), impressions: Some(self.impressions), site: Some(description), ..self.config() };
        let folder = self.claim(&config)?;
        let measured_pair = pair::measure(prepared, arms, self.impressions, seed, quiet)?;
        let goal = self.goal();
        let progress = Progress::new("simulating tests", self.simulate.unwrap_or(0), quiet);
        let mixed = (site, &prepared.methods.interleaving);
        let play = |anytime: &Impressions, tests: u64| {
            let tests = TestPlan { count: tests, limit: limit(anytime) };
            simulate::play_on_site(mixed, measured_pair.arms, &goal, tests, seed, &progress)
        };
        let mut case = self.case(measured_pair.shares, &goal, play)?;
        progress.finish();
        case.rows
            .push(Row { test: Test::ClickThrough, impressions: Impressions::ab_test(&measured_pair.clicks, &goal)? });
        self.finish(
            folder,
            &config,
            Report::new(goal, self.power, self.days(), vec![case], Some((measured_pair, description))),
        )
    }

    /// All that is predicted and simulated of one difference.
    fn case(
        &self,
        shares: Shares,
        goal: &Goal,
        play: impl FnOnce(&Impressions, u64) -> Result<SimulatedTests, statistics::StatisticsError>,
    ) -> Result<PowerCase> {
        let anytime = Impressions::of_anytime_test(&shares, goal)?;
        let observed = self.simulate.map(|tests| play(&anytime, tests)).transpose()?;
        let fixed = Impressions::of_sign_test(&shares, goal)?;
        let mut rows = vec![Row { test: Test::Anytime, impressions: anytime }];
        rows.extend(observed.iter().map(|found| Row { test: Test::Simulated, impressions: found.impressions.clone() }));
        let bounded = self.with_horizon(&shares)?;
        for (test, bounded) in &bounded {
            rows.push(Row { test: *test, impressions: Impressions::of_bounded_test(&shares, goal, bounded)? });
        }
        rows.push(Row { test: Test::FixedSample, impressions: fixed });
        Ok(PowerCase::new(shares, rows, observed, bounded))
    }

    /// The tests that need the horizon; it counts the impressions that are not tied.
    fn with_horizon(&self, shares: &Shares) -> Result<Vec<(Test, BoundedTest)>> {
        let Some(horizon) = self.horizon else { return Ok(Vec::new()) };
        let decided = (horizon as f64 * (1.0 - shares.ties)).floor() as u64;
        ensure!(
            decided >= 1,
            usage(format!("--horizon {horizon}: expected enough impressions for one that is not tied"))
        );
        let alpha = 1.0 - self.confidence;
        Ok(vec![
            (Test::MaxSprt, BoundedTest::max_sprt(decided, alpha)?),
            (Test::Yeast, BoundedTest::yeast(decided, alpha)?),
        ])
    }

    fn days(&self) -> Option<ImpressionsPerDay> {
        self.per_day.map(ImpressionsPerDay)
    }

    fn claim(&self, config: &Config<'_>) -> Result<Option<ResultsFolder>> {
        let claim = |path: &Path| {
            let existing = ExistingResults::from_flag(self.replace);
            let folder = claim_folder(path, existing, false, config, self.common.quiet)?;
            folder.check(config)?;
            Ok(folder)
        };
        self.out.as_deref().map(claim).transpose()
    }

    fn finish(&self, folder: Option<ResultsFolder>, config: &Config<'_>, report: Report<'_>) -> Result<()> {
        if let Some(folder) = &folder {
            folder.write(config, || {
                let (header, rows) = report.csv();
                output::write_csv(&folder.join("power.csv"), &header, rows)?;
                output::write_json_pretty(&folder.join("summary.json"), &report.json())?;
                report.figure()?.save(&folder.join("power"))
            })?;
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&report.json())?);
        } else {
            println!("{}", report.text());
        }
        if let Some(folder) = folder.filter(|_| !self.common.quiet) {
            let name = folder.path().display();
            eprintln!("results in {name}: power.csv, power.png, power.svg, summary.json, config.json");
        }
        Ok(())
    }
}

/// When a simulated test is given up.
fn limit(predicted: &Impressions) -> u64 {
    let largest_mean = predicted.by_power.iter().rev().flatten().next().copied();
    (largest_mean.or(predicted.mean).unwrap_or(1e6) * PATIENCE).ceil() as u64
}

fn parse_margin(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        margin if (1e-5..0.5).contains(&margin) => Ok(margin),
        _ => Err("expected a margin from 0.00001 to below 0.5, e.g. 0.02".to_owned()),
    }
}

fn parse_ties(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        ties if (0.0..1.0).contains(&ties) => Ok(ties),
        _ => Err("expected a share from 0 to below 1, e.g. 0.6".to_owned()),
    }
}
