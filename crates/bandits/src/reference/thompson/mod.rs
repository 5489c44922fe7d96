//! Algorithms that draw from posteriors, with everything drawn at every step.

mod bradley_terry;
mod double;
mod self_sparring;

pub use bradley_terry::ReferenceBradleyTerry;
pub use double::ReferenceDoubleThompson;
pub use self_sparring::ReferenceSelfSparring;
