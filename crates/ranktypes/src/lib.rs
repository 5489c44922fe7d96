//! The types that interleaving, click models, dueling bandits and statistics share, so that the outcome of one is the input
//! of the next.
//!
//! | type | what it is |
//! |---|---|
//! | [`Arm`] | a ranker among those that compete, counted from 0 |
//! | [`Preference`] | which of two sides won: an impression, a duel, a session, a judgement |
//! | [`Examination`] | what a user did with one document |
//! | [`Grade`] | how relevant a document is to a click model |
//! | [`Generator`] | the random numbers behind every draw; [`SeedableRng`] makes one from a seed |
//! | [`text`] | names that may stand anywhere, lists of them, other people's text in messages |
//! | [`npy`] | the header of NumPy's arrays in files |
//! | [`varint`] | whole numbers in few bytes |
//! | [`spec`] | methods, models and algorithms as text, `name:key=value`, and "did you mean" |
//!
//! The crate depends on no other of the project and holds no algorithm.

mod arm;
mod examination;
pub mod npy;
mod preference;
pub mod spec;
pub mod text;
pub mod varint;

pub use arm::Arm;
pub use examination::{Examination, Grade};
pub use preference::Preference;
pub use rand::SeedableRng;
/// The generator of all randomness: small, fast, and the same numbers on every platform.
///
/// D. Blackman, S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM Transactions on Mathematical Software
/// 47(4), 2021, <https://doi.org/10.1145/3460772>.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;

/// The example of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
