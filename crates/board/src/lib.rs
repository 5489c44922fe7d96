//! Statistics of a table of judgements.
//!
//! A *judgement* compares the answers of two competitors (prompts, models, rankers, designs), often to one item, by one
//! judge. [`Table`] holds judgements; [`Board::new`] computes the best competitor, the known ranks and their
//! assumptions, findings that would mislead, and the number of further judgements needed.
//!
//! | question | answer | assumes |
//! |---|---|---|
//! | who is best? | [`Board::conclusion`], [`Competitor::claim`] | as [`Settings::looks`] selects; Bradley-Terry, unless it does not fit |
//! | with which probability? | [`Competitor::best`] | Bradley-Terry: a posterior |
//! | which ranks are known, at one look? | [`Competitor::once`] | Bradley-Terry, pairs not chosen by verdicts |
//! | which ranks are known, whenever one looks? | [`Competitor::always`] | Bradley-Terry |
//! | who is known to beat whom? | [`Competitor::beats`] | no model |
//! | for which population does this hold? | [`Group::populations`] | |
//! | what would mislead? | [`Board::findings`] | |
//! | with which probability does one beat another? | [`Board::preferences`] | Bradley-Terry |
//! | is it length, or quality? | [`Table::covariates`], [`Board::effects`] | Bradley-Terry |
//! | does it depend on the kind of question? | [`CategoryBoards`] | as its boards |
//! | which judges can be trusted? | [`Settings::discrimination`], [`Board::discrimination`] | Bradley-Terry with a slope per judge |
//! | how many more judgements? | [`Board::advice`] | Bradley-Terry |
//! | what if a model judged all, and people some? | [`Board::with_gold`], [`Board::model`] | people's questions are a random sample |

mod board;
mod categories;
mod correction;
mod error;
mod estimate;
mod findings;
mod fit_accuracy;
mod gold;
mod group;
mod plausible_truth;
mod populations;
mod posterior;
mod preferences;
mod proven_wins;
#[cfg(feature = "read")]
pub mod read;
mod settings;
mod table;
mod text;
mod units;
mod winners;

pub use board::{
    Advice, Assumptions, Board, Chance, Claim, ClaimBasis, Competitor, Conclusion, Discrimination, Effect, Group,
    JudgeSlope, Leader, Ranks, chance_list,
};
pub use categories::{Categories, Category, CategoryBoards, Dependent, Split};
pub use error::BoardError;
pub use estimate::Estimate;
pub use findings::{Finding, ReportedFinding};
pub use gold::{Agreement, Favour, Gold, ModelReport};
pub use plausible_truth::{Plausible, Truth, named_by_strengths};
pub use populations::{ClusterKind, Population};
pub use preferences::Preferences;
pub use settings::{Clusters, FurtherPairs, Looks, Settings, TieModel};
pub use table::{Answer, Covariate, Judgement, Order, Table};
pub use text::percent;
pub use units::{BothOrders, RowCounts, Unit, Units};
pub use winners::Winners;

/// The example of the README, compiled and run as a test.
#[cfg(all(doctest, feature = "read"))]
#[doc = include_str!("../README.md")]
struct Readme;
