//! Dueling bandits: policies, arenas, preference matrices, winners and regret.

mod algorithm;
mod arena;
mod bounds;
mod clock;
mod draw;
mod exploit;
mod lanes;
pub mod matrix;
mod matrix_arena;
mod opponents;
mod pair_wins;
#[doc(hidden)]
pub mod plain;
mod play;
pub mod policies;
mod policy;
pub mod problems;
pub mod registry;
mod regret;
mod samplers;
mod settled;
mod shuffled;
pub mod singleton;
mod utility_arena;
pub mod winners;

pub use algorithm::{Algorithm, Parameter, ParameterError, Plays, Value};
pub use arena::{Arena, Duel};
pub use exploit::{Exploration, explore_then_exploit};
pub use matrix::{MatrixError, PreferenceMatrix};
pub use matrix_arena::{MatrixArena, Truth, TruthError};
pub use pair_wins::PairWins;
pub use play::{Generators, Observer, play};
pub use policy::{Arm, Choice, Feedback, Policy};
/// The one generator of the project.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;
pub use regret::{Recorder, Regret, log_spaced, one_two_five};
pub use shuffled::Shuffled;
pub use utility_arena::{UtilityArena, UtilityError};
