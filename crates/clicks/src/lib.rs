//! Click models: how a simulated user examines a ranked list, one document at a time.
//!
//! A [`ClickModel`] is prepared for the labels of a data set; the [compiled model](CompiledClickModel) makes
//! [users](User), one per list shown. A user examines the list from the top, clicks on some documents and may
//! leave.
//!
//! # One user, one list
//!
//! ```
//! use clicks::{ClickSpec, Generator, SeedableRng};
//!
//! // The labels of all documents.
//! let users = "navigational".parse::<ClickSpec>()?.users(&[0.0, 2.0, 1.0])?;
//! // The list shows documents 1, 0 and 2. This user clicked on the first, the most relevant one, and was satisfied.
//! assert_eq!(users.read([1, 0, 2], &mut Generator::seed_from_u64(1)), [0]);
//! # Ok::<(), clicks::ClickError>(())
//! ```
//!
//! Where lists are drawn while the user reads, [`User::examine`] takes one document after another.
//!
//! # Click models
//!
//! <!-- click-models: written by cargo xtask tidy --fix -->
//! | name | model | settings | paper |
//! |---|---|---|---|
//! | `navigational`, another preset, or `0:0.05,1:0.95` | dependent click model | P(click) by grade; P(stop after a click) as ` stop 0:0.2,1:0.9` (never by default) | [Guo 2009](https://doi.org/10.1145/1498759.1498818), [Hofmann 2013](https://doi.org/10.1145/2433396.2433419) |
//! | `pbm:navigational`, `pbm:0:0.05,1:0.95` | position-based model | P(click) of an examined document by grade, of a preset or given; `eta=1`: P(examined) is 1 / rank^eta; `length`, all by default: positions examined | [Richardson 2007](https://doi.org/10.1145/1242572.1242643) |
//! | `dbn:navigational`, `dbn:0:0.05,1:0.95 stop 0:0.2,1:0.9` | dynamic Bayesian network model | P(click) and, after a click, P(satisfied) by grade, of a preset or given; `gamma=0.9`: the probability that a user who is not satisfied examines the next document | [Chapelle 2009](https://doi.org/10.1145/1526709.1526711) |
//! | `ubm:navigational`, `ubm:0:0.05,1:0.95` | user browsing model | P(click) of an examined document by grade, of a preset or given; `eta=1`: P(examined) is 1 / d^eta at distance d from the last click, or from the top; `length`, all by default: positions examined | [Dupret 2008](https://doi.org/10.1145/1390334.1390392) |
//! <!-- end -->
//!
//! [`ClickSpec`] reads these names, and the same from a table of a configuration file.
//!
//! **The dependent click model** ([`DependentClickModel`]) scans the list from the top. A document of grade
//! `g` is clicked with probability P(click | g); after a click, and only after a click, the user leaves with
//! probability P(stop | g). Its users remember nothing.
//!
//! **The position-based model** ([`PositionBasedModel`]) separates examination from attraction: P(click) is
//! P(examined | position) times P(click | g). Earlier clicks change nothing.
//!
//! **The dynamic Bayesian network model** ([`DynamicBayesianModel`]) scans the list from the top like the dependent
//! click model, but a user may also give up without a click: a user who is not satisfied examines the next document
//! with probability gamma. Its users remember nothing.
//!
//! **The user browsing model** ([`UserBrowsingModel`]) is the position-based model with memory: P(examined) depends
//! on the distance to the last click as well, so that a click keeps a user reading.
//!
//! **The finite-state model** ([`FiniteStateModel`]) is the general form: what users do depends on the grade and on
//! a state, which changes with every document. It is made of numbers, and has no name to read.
//!
//! # The presets
//!
//! P(click) and P(stop after a click) by grade, worst first; [`DependentClickModel::preset`] takes the
//! smallest table that holds a data set's labels.
//!
//! | name | 2 grades | 3 grades | 5 grades |
//! |---|---|---|---|
//! | `perfect` | click 0, 1; stop 0, 0 | click 0, .5, 1; stop 0 | click 0, .2, .4, .8, 1; stop 0 |
//! | `navigational` | click .05, .95; stop .2, .9 | click .05, .5, .95; stop .2, .5, .9 | click .05, .3, .5, .7, .95; stop .2, .3, .5, .7, .9 |
//! | `informational` | click .4, .9; stop .1, .5 | click .4, .7, .9; stop .1, .3, .5 | click .4, .6, .7, .8, .9; stop .1, .2, .3, .4, .5 |
//! | `almost-random` | click .4, .6; stop .5 | click .4, .5, .6; stop .5 | click .4, .45, .5, .55, .6; stop .5 |
//! | `random` | click .5; stop 0 | click .5; stop 0 | click .5; stop 0 |
//!
//! # A model of your own
//!
//! From numbers, or in the notation of Lerot (Schuth et al. 2013), `label:probability` pairs:
//!
//! ```
//! use clicks::DependentClickModel;
//!
//! let eager = DependentClickModel::new("eager", vec![0.0, 0.5, 1.0], vec![0.0, 0.0, 0.25])?;
//! let same = DependentClickModel::custom("0:0.0,1:0.5,2:1.0", "0:0,1:0,2:0.25")?;
//! assert_eq!((eager.click(), eager.stop()), (same.click(), same.stop()));
//! # Ok::<(), clicks::ClickError>(())
//! ```
//!
//! [`DependentClickModel::fit`] estimates one from a log. Models of users who remember something are
//! [`FiniteStateModel`]s.
//!
//! # How to add one
//!
//! A *preset* is one row per table in `presets.rs`, with its source on this page; `tests/all/models.rs` covers it
//! without another line.
//!
//! A *click model* outside the crate implements [`ClickModel`], [`CompiledClickModel`] and [`User`]. Inside
//! the crate it is
//!
//! 1. one file in `models/`, after the pattern of `position_based.rs`: two sentences, references, notes; the
//!    model with its probabilities by grade, the compiled model with thresholds, the user with what one user
//!    remembers in one list; and a `...Spec` with the settings; its `NAME` begins the text form. `labels.rs`
//!    turns labels into grades, `probability.rs` probabilities into thresholds, `settings.rs` reads settings;
//! 2. one `pub(crate) mod` line in `models/mod.rs`, and the `pub use` of its types here;
//! 3. one line in the list of `models/any.rs`, from which [`ClickSpec`] and [`AnyClickModel`] are made;
//! 4. one row in [`CLICK_MODELS`], from which `cargo xtask tidy --fix` writes the table above;
//! 5. one case in `tests/all/models.rs`: a text form, the probabilities it should show, and its pinned values.
//!
//! # References
//!
//! - K. Hofmann, A. Schuth, S. Whiteson, M. de Rijke. *Reusing historical interaction data for
//!   faster online learning to rank for IR.* WSDM 2013, Table 1 (3 grades: perfect, navigational,
//!   informational). <https://doi.org/10.1145/2433396.2433419>
//! - A. Schuth, F. Sietsma, S. Whiteson, D. Lefortier, M. de Rijke. *Multileaved comparisons for
//!   fast online evaluation.* CIKM 2014, Table 1 (3 grades, the same numbers).
//!   <https://doi.org/10.1145/2661829.2661952>
//! - A. Schuth et al. *Probabilistic multileave for online retrieval evaluation.* SIGIR 2015
//!   (2 grades). <https://doi.org/10.1145/2766462.2767838>
//! - H. Oosterhuis, A. Schuth, M. de Rijke. *Probabilistic multileave gradient descent.* ECIR
//!   2016, Table 1 (5 grades: perfect, navigational, informational).
//!   <https://doi.org/10.1007/978-3-319-30671-1_50>
//! - H. Oosterhuis, the click models of the software OnlineLearningToRank (almost random, random).
//! - A. Schuth, K. Hofmann, S. Whiteson, M. de Rijke. *Lerot: an online learning to rank
//!   framework.* LivingLab 2013. <https://doi.org/10.1145/2513150.2513162>
//! - F. Guo, C. Liu, Y. M. Wang. *Efficient multiple-click models in web search.* WSDM 2009.
//!   <https://doi.org/10.1145/1498759.1498818>
//! - O. Chapelle, Y. Zhang. *A dynamic Bayesian network click model for web search ranking.* WWW 2009.
//!   <https://doi.org/10.1145/1526709.1526711>
//! - G. Dupret, B. Piwowarski. *A user browsing model to predict search engine click data from past
//!   observations.* SIGIR 2008. <https://doi.org/10.1145/1390334.1390392>
//! - M. Richardson, E. Dominowska, R. Ragno. *Predicting clicks: estimating the click-through rate for new
//!   ads.* WWW 2007. <https://doi.org/10.1145/1242572.1242643>
//!
//! # Notes
//!
//! Some later software (OnlineLearningToRank, PairwisePreferenceMultileave, mpkato/interleaving)
//! lets users leave at documents they did not click, which shortens visits. Here, as in the papers
//! and in Lerot, no user of the dependent click model leaves without a click.

mod error;
mod fit;
mod labels;
mod models;
mod notation;
mod presets;
mod probability;
mod settings;
mod spec;
mod table;
mod user;
mod users;

pub use error::{ClickError, ClickErrorKind};
pub use labels::FractionalLabels;
pub use models::any::{AnyClickModel, AnyUser, ClickSpec, CompiledAnyModel};
pub use models::dependent::{CompiledDependentModel, DependentClickModel, DependentSpec, DependentUser};
pub use models::dynamic_bayesian::{
    CompiledDynamicBayesianModel, DynamicBayesianModel, DynamicBayesianSpec, DynamicBayesianUser,
};
pub use models::finite_state::{CompiledFiniteStateModel, FiniteStateModel, FiniteStateUser, Reaction};
pub use models::position_based::{
    CompiledPositionBasedModel, PositionBasedModel, PositionBasedSpec, PositionBasedUser,
};
pub use models::user_browsing::{CompiledUserBrowsingModel, UserBrowsingModel, UserBrowsingSpec, UserBrowsingUser};
// The words that all crates share; `Generator` is the one generator of the project.
pub use ranktypes::{Examination, Generator, Grade, SeedableRng};
pub use table::{CLICK_MODELS, ModelRow};
pub use user::{ClickModel, CompiledClickModel, ProbabilityTable, TableIndex, User};
pub use users::Users;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
