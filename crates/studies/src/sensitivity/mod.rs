//! How many impressions methods need until they order rankers as their nDCG does: the study. `measure` has the measure.

mod measure;

use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, ensure};
use clap::Args;
use figures::{Curve, CurvePoint, Lines};
use interleave::AnyMultileaving;
use output::numbers::{mean_of, parse_positive, with_unit};
use output::progress::{Progress, foresee};
use output::shards::Share;
use output::usage::usage;
use serde::Serialize;
use simulation::description::SiteDescription;
use simulation::spec::SiteSpec;

use self::measure::{Method, Plan, bytes_of_draw, checkpoints, errors_of};
use crate::report::{Content, Report};
use crate::results::{SampleSummary, VERSION};
use crate::runner::share::first_revision;
use crate::runner::{Execution, Keeper, NumberedWork, Study, Units, Workplace};
use crate::site::OpenSite;
use crate::site_study::{SiteStudy, UsualPlace};

/// What to measure, on a site.
#[derive(Debug, Clone, Args)]
pub struct Request {
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
    #[arg(long = "impressions-per-draw", value_name = "N", default_value = "1000", value_parser = parse_positive)]
    impressions: u64,

    /// Random draws of rankers
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_positive)]
    draws: u64,
}

/// Reads a method with parameters, `name:key=value:key=value`; between parameters a comma does as well.
///
/// # Errors
/// Those of the method.
pub fn parse_method<T: FromStr>(text: &str) -> Result<T, T::Err> {
    match text.split_once(':') {
        Some((name, parameters)) => format!("{name}:{}", parameters.replace(':', ",")).parse(),
        None => text.parse(),
    }
}

/// The configuration as resolved.
#[derive(Serialize)]
pub struct Config {
    command: &'static str,
    version: &'static str,
    seed: u64,
    compared: u64,
    impressions: u64,
    draws: u64,
    methods: Vec<String>,
    site: SiteDescription,
}

/// The sensitivity of methods on a site.
pub struct SensitivityStudy {
    site: Arc<OpenSite>,
    request: Request,
    methods: Vec<Method>,
    plan: Plan,
}

impl SiteStudy for SensitivityStudy {
    type Request = Request;
    const ABOUT: &'static str = "Measure how many impressions methods need to order rankers as their nDCG does";
    const DETAILS: &'static str = "Writes errors.csv (the mean share of wrongly ordered pairs at each checkpoint), error.png and \
        config.json to the results folder.";
    const EXAMPLES: &'static str = "  rankduel sensitivity --dataset MQ2008/                all methods, five rankers at a time\n  \
        rankduel sensitivity --methods sosm,team-draft --compared 10";
    const USUAL_PLACE: UsualPlace = UsualPlace::Folder;

    fn check(request: &Request, site: &SiteSpec, share: &Share) -> Result<()> {
        ensure!(site.multileave.is_none(), usage("--multileave does not apply to sensitivity; use --methods"));
        for (index, method) in request.methods.iter().enumerate() {
            let is_repeated = request.methods[..index].iter().any(|earlier| earlier.to_string() == method.to_string());
            ensure!(!is_repeated, usage(format!("--methods: {method} is given twice; give each method once")));
        }
        let of_methods =
            (request.methods.len() as u64 + 1).saturating_mul(bytes_of_draw(&checkpoints(request.impressions)));
        NumberedWork::ensure_room(share, "draws", request.draws, of_methods)
    }

    fn on(site: Arc<OpenSite>, request: Request, seed: u64) -> Result<Self> {
        let arms = site.prepared.site.arms();
        let Request { compared, draws, .. } = request;
        ensure!(
            (2..=arms as u64).contains(&compared),
            usage(format!("--compared {compared}: expected 2 to {arms}, the number of rankers"))
        );
        let mut methods = vec![Method::Pairwise(site.prepared.methods.interleaving.clone())];
        methods.extend(request.methods.iter().cloned().map(Method::Together));
        let plan = Plan { rankers: compared as usize, checkpoints: checkpoints(request.impressions), draws, seed };
        Ok(Self { site, request, methods, plan })
    }
}

impl Study for SensitivityStudy {
    const COMMAND: &'static str = "sensitivity";
    type Config = Config;
    /// nDCG of every ranker.
    type Resolved = Vec<f64>;
    /// Per method and draw, the error at each checkpoint.
    type Findings = Vec<Vec<Vec<f64>>>;

    fn prepare(&self, _order: &Execution) -> Result<Option<String>> {
        let arms = self.site.prepared.site.arms() as u64;
        Ok(Some(format!("the lists of {}", with_unit(arms, "ranker"))))
    }

    fn key(&self) -> Config {
        let Request { compared, impressions, draws, .. } = self.request;
        Config {
            command: Self::COMMAND,
            version: VERSION,
            seed: self.plan.seed,
            compared,
            impressions,
            draws,
            methods: self.methods.iter().map(Method::label).collect(),
            site: self.description().clone(),
        }
    }

    fn resolve(&self, _place: &Workplace) -> Result<Vec<f64>> {
        self.site.prepared.ndcg()
    }

    fn config(&self, _ndcg: &Vec<f64>) -> Config {
        self.key()
    }

    fn units(&self, _ndcg: &Vec<f64>) -> Units {
        let records = self.methods.len() as u64;
        Units { unit: "draw", total: self.plan.draws, records, revisions: first_revision(Self::COMMAND) }
    }

    fn play(&self, ndcg: &Vec<f64>, keeper: &Keeper<'_>) -> Result<Vec<Vec<Vec<f64>>>> {
        let total_draws = keeper.share_of(self.plan.draws).saturating_mul(self.methods.len() as u64);
        foresee("impressions", total_draws, self.request.impressions, keeper.quiet());
        let progress = Progress::new("comparing", total_draws, keeper.quiet());
        let site = &self.site.prepared.site;
        let of_method = |method| errors_of(site, ndcg, method, &self.plan, keeper.numbered_work(), &progress);
        let errors = self.methods.iter().map(of_method).collect();
        progress.finish();
        errors
    }

    fn report(&self, _ndcg: &Vec<f64>, errors: &Vec<Vec<Vec<f64>>>) -> Result<Report> {
        let rows = self.rows(errors);
        let header = ["method", "impressions", "draws", "mean_error", "standard_error"];
        let cells = rows.iter().map(|row| {
            let numbers = [row.mean_error, row.standard_error].map(|error| error.to_string());
            [&[row.method.clone(), row.impressions.to_string(), row.draws.to_string()], &numbers[..]].concat()
        });
        Ok(Report::new(self.text(&rows), &rows)?
            .with_file("errors.csv", Content::Table(output::csv(&header, cells)?))
            .with_file("error", Content::Lines(Box::new(self.figure(errors)))))
    }
}

/// A row of errors.csv.
#[derive(Serialize)]
struct Row {
    method: String,
    impressions: u64,
    draws: u64,
    mean_error: f64,
    standard_error: f64,
}

impl SensitivityStudy {
    fn description(&self) -> &SiteDescription {
        &self.site.prepared.description
    }

    fn rows(&self, errors: &[Vec<Vec<f64>>]) -> Vec<Row> {
        let Plan { checkpoints, draws, .. } = &self.plan;
        let row = |method: &Method, errors: &[Vec<f64>], checkpoint: usize| {
            let SampleSummary { mean, standard_error, .. } = error_summary(errors, checkpoint);
            let (method, impressions) = (method.label(), checkpoints[checkpoint]);
            Row { method, impressions, draws: *draws, mean_error: mean, standard_error }
        };
        let checkpoint_indices = || 0..checkpoints.len();
        self.methods
            .iter()
            .zip(errors)
            .flat_map(|(method, errors)| checkpoint_indices().map(move |checkpoint| row(method, errors, checkpoint)))
            .collect()
    }

    fn text(&self, rows: &[Row]) -> String {
        let site = self.description();
        let mut lines = vec![format!(
            "binary error of {}, {}, {} clicks",
            with_unit(self.request.compared, "ranker"),
            mean_of(self.plan.draws, "draw"),
            site.click.model
        )];
        for of_method in rows.chunk_by(|row, next| row.method == next.method) {
            let last_impressions = of_method.last().map_or(0, |row| row.impressions);
            let shown_rows = of_method
                .iter()
                .filter(|row| matches!(row.impressions, 10 | 100 | 500) || row.impressions == last_impressions);
            let cells: Vec<String> = shown_rows
                .map(|row| {
                    let error = if row.draws > 1 { format!(" ± {:.3}", row.standard_error) } else { String::new() };
                    format!("{} {:.3}{error}", with_unit(row.impressions, "impression"), row.mean_error)
                })
                .collect();
            lines.push(format!("{:26} {}", of_method[0].method, cells.join("   ")));
        }
        lines.extend(site.note());
        lines.join("\n")
    }

    fn figure(&self, errors: &[Vec<Vec<f64>>]) -> Lines {
        let site = self.description();
        let curve = |(method, errors): (&Method, &Vec<Vec<f64>>)| Curve {
            name: method.label(),
            points: (0..self.plan.checkpoints.len())
                .map(|at| {
                    let SampleSummary { mean, standard_error, .. } = error_summary(errors, at);
                    let x = self.plan.checkpoints[at] as f64;
                    CurvePoint { x, mean, low: (mean - standard_error).max(0.0), high: mean + standard_error }
                })
                .collect(),
        };
        Lines {
            title: format!("{} rankers of {}, {} clicks", self.request.compared, site.dataset.name, site.click.model),
            subtitle: Some(match self.plan.draws {
                1 => "a single draw of rankers".to_owned(),
                draws => format!("{} of rankers; bands: one standard error", mean_of(draws, "draw")),
            }),
            x_label: "impressions".to_owned(),
            y_label: "share of pairs not ordered as by nDCG@10".to_owned(),
            x_log: true,
            y_log: false,
            curves: self.methods.iter().zip(errors).map(curve).collect(),
            note: site.note(),
            ..Lines::default()
        }
    }
}

fn error_summary(errors: &[Vec<f64>], checkpoint: usize) -> SampleSummary {
    let values: Vec<f64> = errors.iter().map(|draw| draw[checkpoint]).collect();
    SampleSummary::of(&values)
}
