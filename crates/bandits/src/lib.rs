//! Dueling bandits: policies, arenas, preference matrices, winners and regret.

mod arena;
mod play;
mod policy;

pub use arena::{Arena, Duel, PairWins};
pub use play::{Generators, Observer, play};
pub use policy::{Arm, Choice, Feedback, Policy};
/// The one generator of the project.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;
