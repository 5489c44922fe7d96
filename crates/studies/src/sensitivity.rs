//! Sensitivity: how many impressions each method needs until it orders rankers as their nDCG does.
//!
//! Schuth et al. (<https://doi.org/10.1145/2661829.2661952>): a method errs on a pair of rankers (i, j) if its
//! preference P(i, j), the mean of its outcomes so far, does not favour the ranker with the higher nDCG. The binary
//! error is the share of pairs on which it errs; it is averaged over draws of rankers.
//!
//! ## Notes
//! The reference is nDCG@10 over all queries (exponential gain, expectation over ties). Pairs with exactly equal
//! nDCG do not count. A preference of exactly one half is an error. Pairwise interleaving spends each impression on
//! one pair; the pairs take turns in random order.

use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, ensure};
use bandits::{Generator, log_spaced};
use clap::Args;
use figures::{Curve, CurvePoint, Lines};
use interleave::{AnyInterleaving, AnyMultileaving, Interleaving, Outcome, Preference};
use output::numbers::{mean_of, parse_positive, with_unit};
use output::progress::{Progress, foresee};
use output::shards::Share;
use output::usage::usage;
use rand::seq::SliceRandom;
use serde::Serialize;
use simulation::description::SiteDescription;
use simulation::seed;
use simulation::site::{ImpressionRandomness, Multileaver, Site};
use simulation::spec::SiteSpec;

use crate::on_site::{OnSite, UsualPlace};
use crate::report::{Content, Report};
use crate::results::{Spread, VERSION};
use crate::runner::share::first_revision;
use crate::runner::{Keeper, NumberedWork, Order, Values, Workplace};
use crate::runner::{Study, Units};
use crate::site::OpenSite;

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
    #[arg(long = "impressions-per-draw", alias = "impressions", value_name = "N", default_value = "1000", value_parser = parse_positive)]
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

impl OnSite for SensitivityStudy {
    type Request = Request;
    const ABOUT: &'static str = "Measure how many impressions methods need to order rankers as their nDCG does";
    const DETAILS: &'static str = "Writes errors.csv (the mean share of wrongly ordered pairs at each checkpoint), error.png and \
        config.json to the results folder.";
    const EXAMPLES: &'static str = "  rankduel sensitivity --dataset MQ2008/                all methods, five rankers at a time\n  \
        rankduel sensitivity --methods sosm,team-draft --compared 10";
    const USUAL_PLACE: UsualPlace = UsualPlace::Folder;

    fn check(request: &Request, site: &SiteSpec, share: &Share) -> Result<()> {
        ensure!(site.multileave.is_none(), usage("--multileave does not apply to sensitivity; use --methods"));
        for (at, method) in request.methods.iter().enumerate() {
            let known = request.methods[..at].iter().any(|before| before.to_string() == method.to_string());
            ensure!(!known, usage(format!("--methods: {method} is given twice; give each method once")));
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
    type Settled = Vec<f64>;
    /// Per method and draw, the error at each checkpoint.
    type Found = Vec<Vec<Vec<f64>>>;

    fn prepare(&self, _order: &Order) -> Result<Option<String>> {
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

    fn settle(&self, _place: &Workplace) -> Result<Vec<f64>> {
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
        let all = keeper.share_of(self.plan.draws).saturating_mul(self.methods.len() as u64);
        foresee("impressions", all, self.request.impressions, keeper.quiet());
        let progress = Progress::new("comparing", all, keeper.quiet());
        let site = &self.site.prepared.site;
        let of_method = |method| measure_share(site, ndcg, method, &self.plan, keeper.numbered(), &progress);
        let errors = self.methods.iter().map(of_method).collect();
        progress.finish();
        errors
    }

    fn report(&self, _ndcg: &Vec<f64>, found: &Vec<Vec<Vec<f64>>>) -> Result<Report> {
        let rows = self.rows(found);
        let header = ["method", "impressions", "draws", "mean_error", "standard_error"];
        let cells = rows.iter().map(|row| {
            let numbers = [row.mean_error, row.standard_error].map(|error| error.to_string());
            [&[row.method.clone(), row.impressions.to_string(), row.draws.to_string()], &numbers[..]].concat()
        });
        Ok(Report::new(self.text(&rows), &rows)?
            .with("errors.csv", Content::Table(output::csv(&header, cells)?))
            .with("error", Content::Lines(Box::new(self.figure(found)))))
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

    fn rows(&self, found: &[Vec<Vec<f64>>]) -> Vec<Row> {
        let Plan { checkpoints, draws, .. } = &self.plan;
        let row = |method: &Method, errors: &[Vec<f64>], at: usize| {
            let Spread { mean, standard_error, .. } = spread(errors, at);
            let (method, impressions) = (method.label(), checkpoints[at]);
            Row { method, impressions, draws: *draws, mean_error: mean, standard_error }
        };
        let places = || 0..checkpoints.len();
        self.methods
            .iter()
            .zip(found)
            .flat_map(|(method, errors)| places().map(move |at| row(method, errors, at)))
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
            let last = of_method.last().map_or(0, |row| row.impressions);
            let shown =
                of_method.iter().filter(|row| matches!(row.impressions, 10 | 100 | 500) || row.impressions == last);
            let cells: Vec<String> = shown
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

    fn figure(&self, found: &[Vec<Vec<f64>>]) -> Lines {
        let site = self.description();
        let curve = |(method, errors): (&Method, &Vec<Vec<f64>>)| Curve {
            name: method.label(),
            points: (0..self.plan.checkpoints.len())
                .map(|at| {
                    let Spread { mean, standard_error, .. } = spread(errors, at);
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
            curves: self.methods.iter().zip(found).map(curve).collect(),
            note: site.note(),
            ..Lines::default()
        }
    }
}

fn spread(errors: &[Vec<f64>], at: usize) -> Spread {
    let values: Vec<f64> = errors.iter().map(|draw| draw[at]).collect();
    Spread::of(&values)
}

/// A way of comparing several rankers.
#[derive(Debug, Clone)]
pub enum Method {
    /// Two at a time.
    Pairwise(AnyInterleaving),
    /// All in one list.
    Together(AnyMultileaving),
}

impl Method {
    /// Its name in tables and legends.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Pairwise(method) => format!("pairwise {method}"),
            Self::Together(method) => method.to_string(),
        }
    }
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Rankers per draw.
    pub rankers: usize,
    /// Impressions after which the error is recorded, ascending.
    pub checkpoints: Vec<u64>,
    /// Draws of rankers.
    pub draws: u64,
    /// The master seed.
    pub seed: u64,
}

/// The impressions after which the error is recorded, up to `impressions`: ten per decade, and 500, for which Schuth et al.
/// tabulate it.
#[must_use]
pub fn checkpoints(impressions: u64) -> Vec<u64> {
    let mut checkpoints = log_spaced(impressions, 10);
    if impressions > 500 && !checkpoints.contains(&500) {
        checkpoints.push(500);
        checkpoints.sort_unstable();
    }
    checkpoints
}

/// Bytes that the errors of a draw take.
#[must_use]
pub fn bytes_of_draw(checkpoints: &[u64]) -> u64 {
    (size_of::<Vec<f64>>() + size_of_val(checkpoints)) as u64
}

/// The binary error of every draw at every checkpoint: `[draw][checkpoint]`.
///
/// `ndcg` is the nDCG of each arm, the reference. All methods see the same draws of rankers.
#[must_use]
pub fn measure(site: &Site, ndcg: &[f64], method: &Method, plan: &Plan, progress: &Progress) -> Vec<Vec<f64>> {
    measure_share(site, ndcg, method, plan, &NumberedWork::all(), progress).expect("nothing is kept")
}

/// The same for the draws of a shard, if `work` is that of one, or from the parts of shards.
///
/// # Errors
/// Those of `NumberedWork::values`.
pub fn measure_share(
    site: &Site,
    ndcg: &[f64],
    method: &Method,
    plan: &Plan,
    work: &NumberedWork,
    progress: &Progress,
) -> Result<Vec<Vec<f64>>> {
    let cell = format!("sensitivity {}", method.label());
    let bytes = bytes_of_draw(&plan.checkpoints);
    work.values(&Values { subject: &cell, units: "draws", total: plan.draws, bytes }, |draw| {
        let arms = draw_arms(ndcg, plan.rankers, &mut seed::generator(plan.seed, "sensitivity", draw, "rankers"));
        let stream = |purpose: &str| seed::generator(plan.seed, &cell, draw, purpose);
        let errors = one_draw(site, ndcg, method, &arms, &plan.checkpoints, stream);
        progress.advance(1);
        errors
    })
}

/// Draws rankers of which at least two differ in nDCG, if 100 tries find such a draw.
fn draw_arms(ndcg: &[f64], count: usize, generator: &mut Generator) -> Vec<usize> {
    let mut arms: Vec<usize> = (0..ndcg.len()).collect();
    for _ in 0..100 {
        arms.shuffle(generator);
        if arms[..count].iter().any(|&arm| ndcg[arm] != ndcg[arms[0]]) {
            break;
        }
    }
    arms.truncate(count);
    arms
}

fn one_draw(
    site: &Site,
    ndcg: &[f64],
    method: &Method,
    arms: &[usize],
    checkpoints: &[u64],
    stream: impl Fn(&str) -> Generator,
) -> Vec<f64> {
    let (mut lists, mut users, mut turns) = (stream("lists"), stream("users"), stream("turns"));
    let mut verdicts = Verdicts::new(arms.len());
    let mut multileaver = Multileaver::default();
    let mut scratch = <AnyInterleaving as Interleaving>::Scratch::default();
    let mut pairs: Vec<(usize, usize)> =
        (0..arms.len()).flat_map(|low| (low + 1..arms.len()).map(move |high| (low, high))).collect();
    let mut errors = Vec::with_capacity(checkpoints.len());
    for impression in 0..checkpoints.last().copied().unwrap_or(0) {
        let query = site.draw_query(&mut lists);
        let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
        match method {
            Method::Together(method) => {
                let shown = arms.iter().copied();
                let outcome = site.multileave(method, query, shown, randomness, &mut multileaver);
                for &(low, high) in &pairs {
                    verdicts.add(low, high, outcome.preference(low, high));
                }
            }
            Method::Pairwise(method) => {
                let turn = (impression % pairs.len() as u64) as usize;
                if turn == 0 {
                    pairs.shuffle(&mut turns);
                }
                let (low, high) = pairs[turn];
                let pair = [arms[low], arms[high]];
                let preference = site.interleave(method, query, pair, randomness, &mut scratch);
                verdicts.add(low, high, preference);
            }
        }
        if checkpoints.binary_search(&(impression + 1)).is_ok() {
            errors.push(verdicts.error(|arm| ndcg[arms[arm]]));
        }
    }
    errors
}

/// For each pair i < j: wins of i minus wins of j.
struct Verdicts {
    arms: usize,
    balance: Vec<i64>,
}

impl Verdicts {
    fn new(arms: usize) -> Self {
        Self { arms, balance: vec![0; arms * arms] }
    }

    fn add(&mut self, low: usize, high: usize, preference: Preference) {
        self.balance[low * self.arms + high] += match preference {
            Preference::First => 1,
            Preference::Second => -1,
            Preference::Tie => 0,
        };
    }

    /// The share of pairs with different `truth` whose preference disagrees with it.
    fn error(&self, truth: impl Fn(usize) -> f64) -> f64 {
        let (mut pairs, mut errors) = (0, 0);
        for low in 0..self.arms {
            for high in low + 1..self.arms {
                let difference = truth(low) - truth(high);
                if difference == 0.0 {
                    continue;
                }
                pairs += 1;
                let balance = self.balance[low * self.arms + high];
                errors += usize::from(balance == 0 || (balance > 0) != (difference > 0.0));
            }
        }
        if pairs == 0 { 0.0 } else { f64::from(errors as u32) / f64::from(pairs) }
    }
}

#[cfg(test)]
mod tests {
    use simulation::example::site;

    use super::*;

    #[test]
    fn errors_fall_with_more_impressions() {
        let rankers: [fn(f64, usize) -> f64; 3] = [
            |label, doc| label * 10.0 + doc as f64,
            |label, doc| label * 1.1 + ((doc * 3) % 5) as f64,
            |label, doc| doc as f64 - label * 10.0,
        ];
        let (dataset, site) = site(9, &rankers);
        let ndcg = site.rankings().ndcg(dataset.labels(), 10, rankers::Gain::Exponential).expect("labels fit");
        let plan = Plan { rankers: 3, checkpoints: vec![1, 2000], draws: 8, seed: 1 };
        for method in [
            Method::Together("team-draft".parse().expect("a method")),
            Method::Together("sosm".parse().expect("a method")),
            Method::Pairwise("probabilistic".parse().expect("a method")),
        ] {
            let errors = measure(&site, &ndcg, &method, &plan, &Progress::hidden());
            let mean = |at: usize| errors.iter().map(|draw| draw[at]).sum::<f64>() / 8.0;
            assert!(mean(0) > 0.1, "{}: one impression cannot order all pairs: {}", method.label(), mean(0));
            assert_eq!(mean(1), 0.0, "{}", method.label());
        }
    }

    #[test]
    fn a_tie_is_an_error_and_equal_rankers_do_not_count() {
        let mut verdicts = Verdicts::new(3);
        verdicts.add(0, 1, Preference::First);
        verdicts.add(0, 2, Preference::Second);
        let truth = [0.5, 0.2, 0.2];
        // (0, 1) is right, (0, 2) is wrong, (1, 2) does not count.
        assert_eq!(verdicts.error(|arm| truth[arm]), 0.5);
        assert_eq!(Verdicts::new(3).error(|arm| truth[arm]), 1.0);
    }
}
