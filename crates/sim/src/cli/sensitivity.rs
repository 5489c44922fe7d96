//! `sim sensitivity`: how many impressions a method needs to order rankers as their nDCG does.

use std::path::PathBuf;

use anyhow::Result;
use bandits::log_spaced;
use clap::Args;
use interleave::AnyMultileaving;
use rankers::Gain;
use serde::Serialize;

use super::options::{CommonOptions, Description, SiteOptions};
use super::print::{eprintln, println};
use crate::count::{counted, parse_positive};
use crate::figure::{Curve, CurvePoint, Lines};
use crate::output;
use crate::progress::Progress;
use crate::results::{Spread, mean_of};
use crate::sensitivity::{Method, Plan, measure};
use crate::usage::usage;

/// Measures how many impressions methods need to order rankers as their nDCG does.
///
/// The folder of results gets errors.csv, the mean share of pairs in another order after so many
/// impressions, error.png and config.json.
#[derive(Debug, Args)]
pub(super) struct Sensitivity {
    #[command(flatten)]
    site: SiteOptions,

    /// The multileavings to compare, beside pairwise --interleave
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_value = "team-draft,probabilistic,optimized,sosm,pairwise-preference"
    )]
    methods: Vec<AnyMultileaving>,

    /// Rankers compared at once, drawn afresh for every draw
    #[arg(long, value_name = "N", default_value = "5", value_parser = parse_positive)]
    compared: u64,

    /// Impressions of a draw
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_positive)]
    impressions: u64,

    /// Draws of rankers
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_positive)]
    draws: u64,

    #[command(flatten)]
    common: CommonOptions,

    /// Where to leave results; those of the same command are replaced, those of another refused
    /// [default: results/ and a name made of what is run on, and of the seed unless it is 1]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
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
    site: &'a Description,
}

impl Sensitivity {
    pub(super) fn run(&self) -> Result<()> {
        let CommonOptions { seed, quiet, .. } = self.common;
        self.common.apply()?;
        anyhow::ensure!(
            !self.site.multileaves(),
            usage("--multileave names one way of many; here --methods names all that are compared")
        );
        for (at, method) in self.methods.iter().enumerate() {
            let known = self.methods[..at].iter().any(|before| before.to_string() == method.to_string());
            anyhow::ensure!(!known, usage(format!("--methods: {method} is there twice")));
        }
        let prepared = self.site.prepare(seed, quiet)?;
        let (site, description) = (&prepared.site, &prepared.description);
        anyhow::ensure!(
            (2..=site.arms() as u64).contains(&self.compared),
            usage(format!("--compared {}: expected 2 to {}, the number of rankers", self.compared, site.arms()))
        );
        let folder =
            self.out.clone().unwrap_or_else(|| self.site.default_folder("sensitivity", description, &self.common));
        output::claim_folder(&folder, "sensitivity")?;
        let ndcg = site.rankings().ndcg(prepared.dataset.labels(), 10, Gain::Exponential)?;
        let mut methods = vec![Method::Pairwise(prepared.methods.interleaving.clone())];
        methods.extend(self.methods.iter().cloned().map(Method::Together));
        let mut checkpoints = log_spaced(self.impressions, 10);
        // The number of impressions that Schuth et al. tabulate.
        if self.impressions > 500 && !checkpoints.contains(&500) {
            checkpoints.push(500);
            checkpoints.sort_unstable();
        }
        let plan = Plan { rankers: self.compared as usize, checkpoints, draws: self.draws, seed };

        let progress = Progress::new("comparing", self.draws * methods.len() as u64, quiet);
        let measured: Vec<(String, Vec<Vec<f64>>)> =
            methods.iter().map(|method| (method.label(), measure(site, &ndcg, method, &plan, &progress))).collect();
        progress.finish();

        let config = Config {
            command: "sensitivity",
            version: env!("CARGO_PKG_VERSION"),
            seed,
            compared: self.compared,
            impressions: self.impressions,
            draws: self.draws,
            methods: measured.iter().map(|(label, _)| label.clone()).collect(),
            site: description,
        };
        output::write_results(&folder, &config, || {
            write_errors(&folder.join("errors.csv"), &plan, &measured)?;
            self.figure(description, &plan, &measured).save(&folder.join("error"))
        })?;

        println!(
            "binary error of {}, {}, {} clicks",
            counted(self.compared, "ranker"),
            mean_of(self.draws, "draw"),
            description.click.model
        );
        let shown: Vec<usize> = (0..plan.checkpoints.len())
            .filter(|&at| matches!(plan.checkpoints[at], 10 | 100 | 500) || at + 1 == plan.checkpoints.len())
            .collect();
        for (label, errors) in &measured {
            let cells: Vec<String> = shown
                .iter()
                .map(|&at| {
                    let spread = spread(errors, at);
                    let error =
                        if plan.draws > 1 { format!(" ± {:.3}", spread.standard_error) } else { String::new() };
                    format!("{} {:.3}{error}", counted(plan.checkpoints[at], "impression"), spread.mean)
                })
                .collect();
            println!("{label:26} {}", cells.join("   "));
        }
        if let Some(note) = description.note() {
            println!("{note}");
        }
        if !quiet {
            eprintln!("results in {}: error.png, error.svg, errors.csv, config.json", folder.display());
        }
        Ok(())
    }

    fn figure(&self, description: &Description, plan: &Plan, measured: &[(String, Vec<Vec<f64>>)]) -> Lines {
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
            y_label: "pairs ordered otherwise than by nDCG@10".to_owned(),
            x_log: true,
            y_log: false,
            curves: measured.iter().map(curve).collect(),
            note: description.note(),
        }
    }
}

fn spread(errors: &[Vec<f64>], at: usize) -> Spread {
    let values: Vec<f64> = errors.iter().map(|draw| draw[at]).collect();
    Spread::of(&values)
}

fn write_errors(path: &std::path::Path, plan: &Plan, measured: &[(String, Vec<Vec<f64>>)]) -> Result<()> {
    let mut rows = Vec::new();
    for (label, errors) in measured {
        for (at, impressions) in plan.checkpoints.iter().enumerate() {
            let spread = spread(errors, at);
            rows.push(vec![
                label.clone(),
                impressions.to_string(),
                plan.draws.to_string(),
                spread.mean.to_string(),
                spread.standard_error.to_string(),
            ]);
        }
    }
    output::write_csv(path, &["method", "impressions", "draws", "mean_error", "standard_error"], rows)
}
