//! Long computations as values: a [`Study`] is a request, and [`run`] carries it out, in memory, in a results
//! folder, or as one of many shards. The command line, Python and shards are callers.
//!
//! | module | holds |
//! |---|---|
//! | [`live`] | dueling bandits live on a site |
//! | [`matrix`] | the same on a preference matrix or a problem |
//! | [`explore`] | the same until horizons: accuracy of the recommended arm |
//! | [`compare`] | the same live and on the proxy matrix, side by side |
//! | [`agreement`] | whether interleaving and A/B tests say the same of pairs of rankers |
//! | [`distortion`] | how often multileaving disagrees with pairs |
//! | [`sensitivity`] | how many impressions methods need to order rankers |
//! | [`proxy`] | the preference matrix of a site, with a state file of its own |
//! | [`runner`] | folders, keys, shares, kept records, merging: the only place that handles them |
//! | [`results`] | tables, curves and figures of finished runs, and the bytes of their files |
//! | [`site`] | an open site with the ground truths that were estimated on it |
//! | [`notes`], [`matrix_file`] | what users should know of data, settings and matrices before they read results |
//! | [`verdict`] | which of a few rankers wins, as a sentence, with the tests behind it |
//! | [`request`] | the settings of any study of runs |
//!
//! # How to add a study
//!
//! 1. A file `src/NAME.rs` with a request, which is flags at the same time, and the study: `impl Study`, and `impl SiteStudy` if it
//!    is one of a site. Add `pub mod NAME;` below, and a line to the table above. Inside the crate, `studies::` is `crate::`.
//! 2. A line in the list of commands in `crates/sim/src/cli/mod.rs`: `Ties(study::SiteStudyArgs<studies::ties::TiesStudy>),`, called
//!    as `COMMAND` in camel case (`list-length` is `ListLength`). Help with examples, `rankduel.toml` (a table `[ties]`), shards,
//!    results folders and `--json` follow. `UPDATE=1 cargo test -p sim --test command_line help` writes its help into the snapshot.
//! 3. A line in `carried_out` in `python/src/analyses.rs`: `studies::ties::TiesStudy::COMMAND => of_site::<studies::ties::TiesStudy>(site,
//!    spec, settings, seed, execution),`. In Python it is `site.study("ties", draws=20)`.
//!
//! Values of [`Keeper::values`](runner::Keeper::values) are any `Serialize + DeserializeOwned`, `size_of::<T>()` bytes each; a results folder
//! keeps them until all are there, so that the study continues after an interruption. Arms are numbered from 0; tables name them with
//! `site.prepared.description.names()`. A figure is `Content::Lines(Box::new(Lines { .. }))` under a name without ending, with
//! `note: site.prepared.description.note()`, which marks synthetic data. `output::results_folder::SIZES` lists the settings that make a
//! study larger (more runs) without making it another one; such a study joins both in `extend`.
//!
//! A whole study, of how often the comparison of two rankers ends in a tie:
//!
//! ```
//! use std::sync::Arc;
//!
//! use anyhow::Result;
//! use clap::Args;
//! use interleave::{AnyInterleaving, Interleaving, Preference};
//! use output::numbers::parse_positive;
//! use serde::Serialize;
//! use simulation::description::SiteDescription;
//! use simulation::sample::draw_first;
//! use simulation::seed;
//! use simulation::site::ImpressionRandomness;
//! use studies::results::{SampleSummary, VERSION};
//! use studies::runner::share::first_revision;
//! use studies::runner::{Keeper, ValuesSpec, Workplace};
//! use studies::site::OpenSite;
//! use studies::{Content, SiteStudy, Report, Study, Units, UsualPlace};
//!
//! /// The request. The comments are the help of the flags.
//! #[derive(Debug, Clone, Args)]
//! pub struct Request {
//!     /// Random pairs of rankers
//!     #[arg(long, value_name = "N", default_value = "20", value_parser = parse_positive)]
//!     draws: u64,
//!
//!     /// Impressions per pair
//!     #[arg(long, value_name = "N", default_value = "500", value_parser = parse_positive)]
//!     impressions_per_pair: u64,
//! }
//!
//! /// What config.json says: all that results depend on.
//! #[derive(Serialize)]
//! pub struct Config {
//!     command: &'static str,
//!     version: &'static str,
//!     seed: u64,
//!     draws: u64,
//!     impressions_per_pair: u64,
//!     site: SiteDescription,
//! }
//!
//! pub struct TiesStudy {
//!     site: Arc<OpenSite>,
//!     request: Request,
//!     seed: u64,
//! }
//!
//! impl SiteStudy for TiesStudy {
//!     type Request = Request;
//!     const ABOUT: &'static str = "Measure how often the comparison of two rankers ends in a tie";
//!     const DETAILS: &'static str = "Writes ties.csv and config.json to the results folder.";
//!     const EXAMPLES: &'static str = "  rankduel ties --dataset MQ2008/ --draws 50";
//!     const USUAL_PLACE: UsualPlace = UsualPlace::Folder;
//!
//!     fn on(site: Arc<OpenSite>, request: Request, seed: u64) -> Result<Self> {
//!         Ok(Self { site, request, seed })
//!     }
//! }
//!
//! impl Study for TiesStudy {
//!     const COMMAND: &'static str = "ties";
//!     type Config = Config;
//!     type Resolved = ();
//!     /// The share of ties of each pair.
//!     type Findings = Vec<f64>;
//!
//!     fn key(&self) -> Config {
//!         let Request { draws, impressions_per_pair } = self.request;
//!         let site = self.site.prepared.description.clone();
//!         Config { command: Self::COMMAND, version: VERSION, seed: self.seed, draws, impressions_per_pair, site }
//!     }
//!
//!     fn resolve(&self, _place: &Workplace) -> Result<()> {
//!         Ok(())
//!     }
//!
//!     fn config(&self, (): &()) -> Config {
//!         self.key()
//!     }
//!
//!     fn units(&self, (): &()) -> Units {
//!         Units { unit: "pair", total: self.request.draws, records: 1, revisions: first_revision(Self::COMMAND) }
//!     }
//!
//!     fn play(&self, (): &(), keeper: &Keeper<'_>) -> Result<Vec<f64>> {
//!         let Request { draws, impressions_per_pair } = self.request;
//!         let (site, method) = (&self.site.prepared.site, &self.site.prepared.methods.interleaving);
//!         let progress = keeper.progress("comparing", draws);
//!         // Values are computed by number, in any order and on any thread, so each has streams of its own.
//!         let values = keeper.values(&ValuesSpec { subject: "ties", units: "pairs", total: draws, bytes: 8 }, |draw| {
//!             let stream = |purpose: &str| seed::generator(self.seed, "ties", draw, purpose);
//!             let (mut lists, mut users) = (stream("lists"), stream("users"));
//!             let mut arms: Vec<usize> = (0..site.arms()).collect();
//!             draw_first(&mut arms, 2, &mut lists);
//!             let mut scratch = <AnyInterleaving as Interleaving>::Scratch::default();
//!             let mut ties = 0;
//!             for _ in 0..impressions_per_pair {
//!                 let query = site.draw_query(&mut lists);
//!                 let randomness = ImpressionRandomness { lists: &mut lists, users: &mut users };
//!                 let outcome = site.interleave(method, query, [arms[0], arms[1]], randomness, &mut scratch);
//!                 ties += u64::from(outcome == Preference::Tie);
//!             }
//!             progress.advance(1);
//!             ties as f64 / impressions_per_pair as f64
//!         });
//!         progress.finish();
//!         values
//!     }
//!
//!     fn report(&self, (): &(), found: &Vec<f64>) -> Result<Report> {
//!         let SampleSummary { mean, standard_error, .. } = SampleSummary::of(found);
//!         let text = format!("{:.1}% of comparisons end in a tie (standard error {:.1})", 100.0 * mean, 100.0 * standard_error);
//!         let table = output::csv(&["pair", "share_of_ties"], found.iter().enumerate())?;
//!         Ok(Report::new(text, found)?.with_file("ties.csv", Content::Table(table)))
//!     }
//! }
//!
//! // Any caller can run it.
//! # use simulation::spec::SiteSpec;
//! # use studies::{Execution, StudyOutcome, run};
//! let spec = SiteSpec { dataset: vec!["mslr-lookalike:0.002".to_owned()], ..SiteSpec::default() };
//! let site = spec.prepare(Arc::new(spec.open(None, None)?), 1)?;
//! let site = Arc::new(OpenSite::new(site, None));
//! let request = Request { draws: 4, impressions_per_pair: 50 };
//! let StudyOutcome::Finished(finished) = run(TiesStudy::on(site, request, 1)?, &Execution::default())? else { unreachable!() };
//! assert_eq!(finished.found.len(), 4);
//! let (report, _) = finished.into_parts()?;
//! assert!(report.text.ends_with(")"), "{}", report.text);
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod agreement;
pub mod compare;
pub mod distortion;
pub mod explore;
pub mod live;
pub mod matrix;
pub mod matrix_file;
pub mod notes;
pub mod npz;
pub mod proxy;
mod report;
pub mod request;
pub mod results;
pub mod runner;
pub mod sensitivity;
pub mod site;
mod site_study;
pub mod verdict;

pub use report::{Content, Report, ReportFile, write_files};
pub use runner::{Destination, Execution, FinishedStudy, Study, StudyOutcome, Units, run};
pub use site_study::{SiteStudy, UsualPlace};
