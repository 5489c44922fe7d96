//! Algorithms that draw from posteriors, with everything drawn at every step.

mod bradley_terry;
mod double;
mod forgetful;
mod self_sparring;

pub use bradley_terry::ReferenceBradleyTerry;
pub use double::ReferenceDoubleThompson;
pub use forgetful::ReferenceForgetfulDts;
pub use self_sparring::ReferenceSelfSparring;
