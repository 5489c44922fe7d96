//! Interleaving and multileaving: several rankers' lists mixed into the one a user sees, and the
//! user's clicks turned into who won.

mod alternating;
mod any;
pub mod balanced;
pub mod by_id;
pub mod document_constraints;
mod draft;
mod fixed;
mod list;
mod method;
pub mod optimized;
mod order;
mod outcome;
pub mod pairwise_preference;
pub mod probabilistic;
pub mod probabilistic_assignment;
pub mod probabilistic_expected;
pub mod probabilistic_multileave;
pub mod receipt;
mod signs;
mod softmax;
pub mod sosm;
pub mod team_draft;
mod ties;
mod weights;

pub use any::{
    AnyInterleaving, AnyInterleavingReceipt, AnyInterleavingScratch, AnyMultileaving,
    AnyMultileavingReceipt, AnyMultileavingScratch, AnyOutcome, InterleavingReceipt,
    MultileavingReceipt, NameError, Tagged,
};
pub use balanced::BalancedInterleave;
pub use document_constraints::DocumentConstraints;
pub use list::{Doc, ListBuf, RankedList, RankedListError, TieGroup};
pub use method::{CreditError, Interleaving, Multileaving};
pub use optimized::{OptimizedInterleave, OptimizedMultileave};
pub use outcome::{Look, Outcome, Preference, Signs};
pub use pairwise_preference::PairwisePreference;
pub use probabilistic::{CreditTies, ProbabilisticInterleave};
pub use probabilistic_assignment::ProbabilisticAssignment;
pub use probabilistic_expected::ProbabilisticExpected;
pub use probabilistic_multileave::{ProbabilisticMultileave, ProbabilisticMultileaveSigns};
/// The one generator of the project: named, portable, and seeded by the caller.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;
pub use sosm::Sosm;
pub use team_draft::{TeamDraftInterleave, TeamDraftMultileave};
pub use weights::TauError;
