//! Click models: how a simulated user examines a ranked list, one document at a time.
//!
//! The user scans the list from the top. A document of grade `g` is clicked with probability
//! P(click | g); **after a click, and only after a click**, the user leaves with probability
//! P(stop | g). This is the dependent click model of Guo, Liu and Wang (2009) as Hofmann et al.
//! (2013) use it to simulate users of different patience and noise.
//!
//! # The presets
//!
//! P(click) and P(stop after a click) by grade, worst first; [`ClickModel::preset`] takes the
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
//! # One user, one list
//!
//! ```
//! use clicks::{ClickModel, FractionalLabels, Generator};
//! use rand::SeedableRng;
//!
//! // The labels of one query's documents.
//! let labels = [0.0, 2.0, 1.0];
//! let model = ClickModel::preset("navigational", 2.0)?;
//! let (users, levels) = model.prepare(&labels, FractionalLabels::default())?;
//!
//! let mut generator = Generator::seed_from_u64(1);
//! let mut clicked = Vec::new();
//! for document in [1, 0, 2] {
//!     let look = users.look(levels[document], &mut generator);
//!     if look.clicked {
//!         clicked.push(document);
//!     }
//!     if look.leaves {
//!         break;
//!     }
//! }
//! // This one clicked on the document shown first, and on no other.
//! assert_eq!(clicked, [1]);
//! # Ok::<(), clicks::ClickError>(())
//! ```
//!
//! # A model of your own
//!
//! From numbers, or in the notation of Lerot (Schuth et al. 2013), `label:probability` pairs:
//!
//! ```
//! use clicks::ClickModel;
//!
//! let eager = ClickModel::new("eager", vec![0.0, 0.5, 1.0], vec![0.0, 0.0, 0.25])?;
//! let same = ClickModel::custom("0:0.0,1:0.5,2:1.0", "0:0,1:0,2:0.25")?;
//! assert_eq!((eager.click(), eager.stop()), (same.click(), same.stop()));
//! # Ok::<(), clicks::ClickError>(())
//! ```
//!
//! # Other users
//!
//! The cascade above is the default. [`PositionModel`] is the position-based model, where looks depend
//! on the position alone; both answer [`Examine::look_at`], so one loop serves either. The front page of
//! `interleave` shows interleaved lists to both.
//! [`ClickModel::fit`] counts a cascade's odds in a log of your own.
//!
//! # How to add one
//!
//! A preset is one row a table in `presets.rs`, with its source; the table of tests there covers it
//! at once. A user who does not scan top-down, or leaves without a click, is another type beside
//! [`Users`] that implements [`Examine`], in a file of its own, as `positions.rs` shows.
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
//!
//! # Notes
//!
//! Some later software (OnlineLearningToRank, PairwisePreferenceMultileave, mpkato/interleaving)
//! lets users leave at documents they did not click, which shortens visits. Here, as in the papers
//! and in Lerot, nobody leaves without a click.

mod fit;
mod model;
mod positions;
mod presets;
mod users;

pub use model::{ClickError, ClickModel, FractionalLabels};
pub use positions::{Examine, PositionModel, PositionUsers};
/// The one generator of the project: named, portable, and seeded by the caller.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;
pub use users::{Level, Look, Users};
