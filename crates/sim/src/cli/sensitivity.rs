//! `rankduel sensitivity`: how many impressions each method needs to order rankers as their nDCG does.

use anyhow::Result;
use clap::Args;
use figures::{Curve, CurvePoint, Lines};
use interleave::AnyMultileaving;
use output::numbers::{mean_of, parse_positive, with_unit};
use output::progress::{Progress, foresee};
use output::usage::usage;
use rankers::Gain;
use serde::Serialize;
use simulation::description::SiteDescription;

use super::print::{eprintln, println};
use crate::analysis::numbered::NumberedWork;
use crate::analysis::sensitivity::{Method, Plan, bytes_of_draw, checkpoints, measure_share};
use crate::cli::args::{CommonArgs, OutputArgs, SiteArgs, parse_method};
use crate::cli::shards::{self, ShardArgs, Work};
use crate::results::Spread;
use output::shards::Share;

/// Measure how many impressions methods need to order rankers as their nDCG does.
///
/// Writes errors.csv (the mean share of wrongly ordered pairs at each checkpoint), error.png and config.json to the
/// results folder.
#[derive(Debug, Args)]
pub(super) struct Sensitivity {
    #[command(flatten)]
    site: SiteArgs,

    /// The multileaving methods to compare with each other and with pairwise --interleave
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        value_parser = parse_method::<AnyMultileaving>,
        default_value = "team-draft,probabilistic,optimized,sosm,pairwise-preference"
    )]
    methods: Vec<AnyMultileaving>,

    /// Rankers per draw
    #[arg(long, value_name = "N", default_value = "5", value_parser = parse_positive)]
    compared: u64,

    /// Impressions per draw
    #[arg(long = "impressions-per-draw", alias = "impressions", value_name = "N", default_value = "1000", value_parser = parse_positive)]
    impressions: u64,

    /// Random draws of rankers
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_positive)]
    draws: u64,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    shard: ShardArgs,
}

/// A row of errors.csv.
#[derive(Serialize)]
struct Row<'a> {
    method: &'a str,
    impressions: u64,
    draws: u64,
    mean_error: f64,
    standard_error: f64,
}

/// The configuration as resolved.
#[derive(Serialize)]
struct Config<'a> {
    command: &'static str,
    version: &'static str,
    seed: u64,
    compared: u64,
    impressions: u64,
    draws: u64,
    methods: Vec<String>,
    site: &'a SiteDescription,
}

impl Sensitivity {
    pub(super) fn run(&self) -> Result<()> {
        let CommonArgs { seed, quiet, .. } = self.common;
        anyhow::ensure!(!self.site.multileaves(), usage("--multileave does not apply to sensitivity; use --methods"));
        for (at, method) in self.methods.iter().enumerate() {
            let known = self.methods[..at].iter().any(|before| before.to_string() == method.to_string());
            anyhow::ensure!(!known, usage(format!("--methods: {method} is given twice; give each method once")));
        }
        let share = self.shard.share()?;
        let checkpoints = checkpoints(self.impressions);
        let of_methods = (self.methods.len() as u64 + 1).saturating_mul(bytes_of_draw(&checkpoints));
        NumberedWork::ensure_room(&share, "draws", self.draws, of_methods)?;
        let prepared = self.site.prepare_for(&share, seed, quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        anyhow::ensure!(
            (2..=site.arms() as u64).contains(&self.compared),
            usage(format!("--compared {}: expected 2 to {}, the number of rankers", self.compared, site.arms()))
        );
        let mut methods = vec![Method::Pairwise(prepared.methods.interleaving.clone())];
        methods.extend(self.methods.iter().cloned().map(Method::Together));
        let config = Config {
            command: "sensitivity",
            version: env!("CARGO_PKG_VERSION"),
            seed,
            compared: self.compared,
            impressions: self.impressions,
            draws: self.draws,
            methods: methods.iter().map(Method::label).collect(),
            site: description,
        };
        if matches!(share, Share::Prepare) {
            shards::prepared(&format!("the lists of {}", with_unit(site.arms() as u64, "ranker")), quiet);
            return Ok(());
        }
        let usual = || self.site.default_folder("sensitivity", description, "", &self.common);
        let Some(folder) = self.output.claim_share(&share, usual, &config, quiet)? else { return Ok(()) };
        folder.check(&config)?;
        let work =
            Work::new(&config, [("sensitivity".to_owned(), 1)].into(), ("draw", self.draws))?.of_records(methods.len());
        work.begin(&share, &folder)?;
        let ndcg = site.rankings().ndcg(prepared.dataset.labels(), 10, Gain::Exponential)?;
        let plan = Plan { rankers: self.compared as usize, checkpoints, draws: self.draws, seed };

        let all = Work::share_of(&share, self.draws).saturating_mul(methods.len() as u64);
        foresee("impressions", all, self.impressions, quiet);
        let progress = Progress::new("comparing", all, quiet);
        let draws = NumberedWork::of(&share, Some(folder.path().to_path_buf()));
        let of_method = |method: &Method| -> Result<(String, Vec<Vec<f64>>)> {
            Ok((method.label(), measure_share(site, &ndcg, method, &plan, &draws, &progress)?))
        };
        let measured = methods.iter().map(of_method).collect::<Result<Vec<_>>>()?;
        progress.finish();
        if let Some(shard) = share.shard() {
            return work.finish(shard, folder, &draws.into_cells(), quiet);
        }

        let rows = rows(&plan, &measured);
        folder.write(&config, || {
            let header = ["method", "impressions", "draws", "mean_error", "standard_error"];
            let cells = rows.iter().map(|row| {
                let numbers = [row.mean_error, row.standard_error].map(|error| error.to_string());
                [&[row.method.to_owned(), row.impressions.to_string(), row.draws.to_string()], &numbers[..]].concat()
            });
            output::write_csv(&folder.join("errors.csv"), &header, cells)?;
            self.figure(description, &plan, &measured).save(&folder.join("error"))
        })?;

        if self.output.json {
            println!("{}", serde_json::to_string_pretty(&rows)?);
        } else {
            self.print(description, &rows);
        }
        if !quiet {
            eprintln!("results in {}: error.png, error.svg, errors.csv, config.json", folder.path().display());
        }
        Ok(())
    }

    fn print(&self, site: &SiteDescription, rows: &[Row<'_>]) {
        println!(
            "binary error of {}, {}, {} clicks",
            with_unit(self.compared, "ranker"),
            mean_of(self.draws, "draw"),
            site.click.model
        );
        for of_method in rows.chunk_by(|row, next| row.method == next.method) {
            let last = of_method.last().map_or(0, |row| row.impressions);
            let shown =
                of_method.iter().filter(|row| matches!(row.impressions, 10 | 100 | 500) || row.impressions == last);
            let cells: Vec<String> = shown
                .map(|row| {
                    let error = if row.draws > 1 { format!(" ± {:.3}", row.standard_error) } else { String::new() };
                    format!("{} {:.3}{error}", with_unit(row.impressions, "impression"), row.mean_error)
                })
                .collect();
            println!("{:26} {}", of_method[0].method, cells.join("   "));
        }
        if let Some(note) = site.note() {
            println!("{note}");
        }
    }

    fn figure(&self, description: &SiteDescription, plan: &Plan, measured: &[(String, Vec<Vec<f64>>)]) -> Lines {
        let curve = |(label, errors): &(String, Vec<Vec<f64>>)| Curve {
            name: label.clone(),
            points: (0..plan.checkpoints.len())
                .map(|at| {
                    let Spread { mean, standard_error, .. } = spread(errors, at);
                    let x = plan.checkpoints[at] as f64;
                    CurvePoint { x, mean, low: (mean - standard_error).max(0.0), high: mean + standard_error }
                })
                .collect(),
        };
        Lines {
            title: format!(
                "{} rankers of {}, {} clicks",
                self.compared, description.dataset.name, description.click.model
            ),
            subtitle: Some(match self.draws {
                1 => "a single draw of rankers".to_owned(),
                draws => format!("{} of rankers; bands: one standard error", mean_of(draws, "draw")),
            }),
            x_label: "impressions".to_owned(),
            y_label: "share of pairs not ordered as by nDCG@10".to_owned(),
            x_log: true,
            y_log: false,
            curves: measured.iter().map(curve).collect(),
            note: description.note(),
            ..Lines::default()
        }
    }
}

fn spread(errors: &[Vec<f64>], at: usize) -> Spread {
    let values: Vec<f64> = errors.iter().map(|draw| draw[at]).collect();
    Spread::of(&values)
}

fn rows<'a>(plan: &Plan, measured: &'a [(String, Vec<Vec<f64>>)]) -> Vec<Row<'a>> {
    let row = |method: &'a str, errors: &[Vec<f64>], at: usize| {
        let Spread { mean, standard_error, .. } = spread(errors, at);
        Row { method, impressions: plan.checkpoints[at], draws: plan.draws, mean_error: mean, standard_error }
    };
    let places = || 0..plan.checkpoints.len();
    measured.iter().flat_map(|(method, errors)| places().map(move |at| row(method, errors, at))).collect()
}
