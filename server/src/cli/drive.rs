//! `rankduel-server drive`.

use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::Result;
use clap::Args;
use desk::println;
use output::numbers::{parse_count, parse_positive, parse_up_to};
use output::progress::Progress;
use output::usage::usage;
use simulation::spec::SiteSpec;

use super::{new_file, write_new};
use crate::drive::calls::Calls;
use crate::drive::expected::Plan;
use crate::drive::users::Users;
use crate::drive::{Drive as Run, RunTotals};

/// Send simulated users of a data set to a server: to try it, to measure it, to hold it to the simulation
///
/// Queries and clicks follow from the seed, the run and the number of an impression. Requests that are not answered are sent again
/// with the same key. With `--rate`, impressions arrive whether or not earlier ones were answered, and latencies count from the
/// moment at which a request was due.
#[derive(Debug, Args)]
pub(super) struct Drive {
    /// The server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7077", env = "RANKDUEL_URL")]
    url: String,
    /// Its key
    #[arg(long, value_name = "KEY", env = "RANKDUEL_KEY", hide_env_values = true)]
    key: Option<String>,
    /// The experiment
    #[arg(long, value_name = "NAME", default_value = "drive")]
    experiment: String,
    /// Make the experiment, if it is not there, with this policy
    #[arg(long, value_name = "POLICY")]
    create: Option<String>,
    /// A data set: a file, or one known by name
    #[arg(long, value_name = "DATA", default_value = "mslr-lookalike:0.003")]
    dataset: String,
    /// The folder of data sets known by name
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The rankers: `all`, a number of them, or features such as 1,5,110
    #[arg(long, value_name = "SELECTION", default_value = "5")]
    rankers: String,
    /// How users click
    #[arg(long, value_name = "MODEL", default_value = "navigational")]
    click: String,
    /// How many documents engines return [default: all that match, as in a simulation]
    #[arg(long, value_name = "N", conflicts_with = "expect")]
    top: Option<usize>,
    /// How two lists are mixed, for `--create`
    #[arg(long, value_name = "METHOD", default_value = "team-draft")]
    interleave: String,
    /// How several lists are mixed, for `--create`
    #[arg(long, value_name = "METHOD", default_value = "team-draft")]
    multileave: String,
    /// How long the server keeps impressions after their day, in whole days such as 90d, for `--create` [default: for ever]
    #[arg(long, value_name = "DAYS", requires = "create")]
    retain: Option<String>,
    /// How many impressions
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_count)]
    impressions: u64,
    /// How many users come back; a user of its own for each impression if 0
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    users: u64,
    /// Requests at a time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_up_to::<usize, 1024>)]
    workers: usize,
    /// How many impressions are open before the first of them is clicked; with one request at a time, and with `--expect`, outcomes
    /// come this many impressions late
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_count)]
    open: u64,
    /// Impressions per second, whenever they are answered [default: as fast as they are answered]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    rate: Option<u64>,
    /// The master seed
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// The number of the run
    #[arg(long, value_name = "N", default_value = "0")]
    run: u64,
    /// A line of JSON for everything that the server has acknowledged
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write the rankers that a simulation of this run plays, impression by impression, and send nothing
    #[arg(long, value_name = "FILE", requires = "create")]
    expect: Option<PathBuf>,
    /// Write the wins, losses and ties of each pair in a simulation of this run, and send nothing
    #[arg(long, value_name = "FILE", requires = "create")]
    expect_counts: Option<PathBuf>,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

impl Drive {
    pub(super) fn run(self) -> Result<()> {
        let users = (self.users > 0).then_some(self.users);
        let users = Users::new(&self.site()?, self.data.as_deref(), users, self.seed, self.run)?;
        let users = users.with_list_length(self.top);
        let plan = self.create.clone().map(|policy| Plan {
            name: self.experiment.clone(),
            policy,
            impressions: self.impressions,
            retain: self.retain.clone(),
            seed: self.seed,
            run: self.run,
        });
        if let (Some(plan), true) = (&plan, self.expect.is_some() || self.expect_counts.is_some()) {
            let played = plan.played(&users, self.open)?;
            let files = [(&self.expect, played.choices), (&self.expect_counts, played.counts)];
            return files
                .iter()
                .try_for_each(|(path, text)| path.as_deref().map_or(Ok(()), |path| write_new(path, text)));
        }
        if let Some(plan) = &plan {
            Calls::new(&self.url, self.key.as_deref(), &self.experiment).create(&plan.settings(&users)?)?;
        }
        let log = self.log.as_deref().map(new_file).transpose()?.map(Mutex::new);
        let progress = Progress::new("impressions", self.impressions, self.quiet);
        let run = Run {
            users: &users,
            url: &self.url,
            key: self.key.as_deref(),
            experiment: &self.experiment,
            impressions: self.impressions,
            workers: self.workers,
            open: self.open,
            rate: self.rate.map(|rate| rate as f64),
            log: log.as_ref(),
        };
        let done = run.run(&|| progress.advance(1))?;
        drop(progress);
        print_done(&done);
        Ok(())
    }

    fn site(&self) -> Result<SiteSpec> {
        let wrong = |what: &str, error: &dyn std::fmt::Display| usage(format!("--{what}: {error}"));
        Ok(SiteSpec {
            dataset: vec![self.dataset.clone()],
            click: self.click.parse().map_err(|error| wrong("click", &error))?,
            rankers: self.rankers.parse().map_err(|error| wrong("rankers", &error))?,
            interleave: Some(self.interleave.parse().map_err(|error| wrong("interleave", &error))?),
            multileave: Some(self.multileave.parse().map_err(|error| wrong("multileave", &error))?),
            ..SiteSpec::default()
        })
    }
}

fn print_done(totals: &RunTotals) {
    let seconds = totals.took.as_secs_f64();
    println!("Users are simulated.");
    println!(
        "{} impressions in {seconds:.1} s ({:.0} per second): {} mixed, {} without an impression; {} clicks taken, {} requests sent again",
        totals.request_times.count(),
        totals.request_times.count() as f64 / seconds,
        totals.credited,
        totals.champion,
        totals.clicks,
        totals.retries
    );
    println!("answers to requests for impressions: {}", totals.request_times.text());
    if totals.events.count() > 0 {
        println!("answers to events: {}", totals.events.text());
    }
}
