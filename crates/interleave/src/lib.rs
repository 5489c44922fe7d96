//! Interleaving and multileaving: several rankers' lists mixed into the one a user sees, and the
//! user's clicks turned into who won.
//!
//! A method takes rankers' lists ([`RankedList`]: an order of documents, with its ties), draws one
//! list to show, and credits the clicks on it. The same rules serve a *simulated* user, who is
//! asked about one document after another and may leave early, and a *real* one, who sees the whole
//! list now and clicks minutes later, perhaps in another process: then a *receipt*, a plain value
//! that serialises, keeps what credit needs.
//!
//! | method | compares | list | credit |
//! |---|---|---|---|
//! | [`ProbabilisticInterleave`] | two rankers | a coin a position, then a softmax over ranks | in expectation over who contributed the clicked documents |
//! | [`Sosm`] | any number | drafted in turns | by the ranks of the clicked documents within the list |
//!
//! Each method's page has its rule, its papers and every deviation from them
//! ([`probabilistic`], [`sosm`]).
//!
//! # Two rankers, a real user
//!
//! ```
//! use interleave::{CreditTies, Doc, Generator, Interleaving, ListBuf, ProbabilisticInterleave};
//! use interleave::probabilistic::ProbabilisticReceipt;
//! use rand::SeedableRng;
//!
//! // Documents are rows of one query: the scores of document 0, 1, 2 and 3 by either ranker.
//! let ours = ListBuf::from_scores(&[0.9, 0.7, 0.2, 0.7])?;
//! let theirs = ListBuf::from_scores(&[0.1, 0.8, 0.3, 0.6])?;
//!
//! let method = ProbabilisticInterleave::new(CreditTies::Same);
//! let mut generator = Generator::seed_from_u64(2024);
//! let lists = [ours.as_list(), theirs.as_list()];
//! let (shown, receipt) = method.draw(lists, 3, &mut generator, &mut Default::default());
//! assert_eq!(shown.len(), 3);
//! let kept = serde_json::to_string(&receipt)?;
//!
//! // Later: the second document was clicked.
//! let receipt: ProbabilisticReceipt = serde_json::from_str(&kept)?;
//! let winner = method.credit(&receipt, &[1])?;
//! println!("the impression speaks for {winner:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Two rankers, a simulated user
//!
//! One scratch serves all impressions, and an impression allocates nothing. The list is drawn only
//! as far as the user looks.
//!
//! ```
//! use interleave::{Doc, Generator, Interleaving, ListBuf, Look, Preference};
//! use interleave::ProbabilisticInterleave;
//! use rand::SeedableRng;
//!
//! let good = ListBuf::strict([2, 0, 1, 3].map(Doc))?;
//! let bad = ListBuf::strict([3, 1, 0, 2].map(Doc))?;
//! let method = ProbabilisticInterleave::default();
//! let mut generator = Generator::seed_from_u64(1);
//! let mut scratch = Default::default();
//! let mut wins = 0;
//! for _ in 0..1000 {
//!     // Looks for document 2, clicks on it, and leaves.
//!     let user = |doc| Look { clicked: doc == Doc(2), leaves: doc == Doc(2) };
//!     let lists = [good.as_list(), bad.as_list()];
//!     let winner = method.compare(lists, 3, &mut generator, &mut scratch, user);
//!     wins += i32::from(winner == Preference::First) - i32::from(winner == Preference::Second);
//! }
//! assert!(wins > 500);
//! # Ok::<(), interleave::RankedListError>(())
//! ```
//!
//! # Five rankers at once
//!
//! ```
//! use interleave::{Doc, Generator, ListBuf, Look, Multileaving, Sosm};
//! use rand::SeedableRng;
//!
//! let orders = [[0, 1, 2, 3], [1, 0, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0], [3, 1, 2, 0]];
//! let rankers = orders.map(|order| ListBuf::strict(order.map(Doc)).unwrap());
//! let lists: Vec<_> = rankers.iter().map(ListBuf::as_list).collect();
//!
//! let mut generator = Generator::seed_from_u64(1);
//! let mut scores = Vec::new();
//! let user = |doc| Look { clicked: doc == Doc(0), leaves: false };
//! let method = Sosm::default();
//! let clicked =
//!     method.compare(&lists, 4, &mut generator, &mut Default::default(), user, &mut scores);
//! assert!(clicked);
//! // Ranker 0 puts document 0 first; rankers 3 and 4 put it last, and tie.
//! assert!(scores[0] > scores[1] && scores[1] > scores[2] && scores[3] == scores[4]);
//! ```
//!
//! # Ties, copies, gaps
//!
//! - *Ties of score* are broken afresh, at random, for each ranker in each impression, exactly as if
//!   every list were shuffled within its tie groups; [`CreditTies`] says which order credits.
//! - *The same list twice* is two rankers that break their ties independently. Without ties, or
//!   where only the same documents could be drawn, they tie whatever is clicked.
//! - *Lists of different lengths, documents missing from some*: a ranker neither adds nor earns
//!   credit for a document that it does not list. The list shown holds `length` documents, or all
//!   that any ranker lists if those are fewer.
//! - *No click* is a tie between all. A position clicked twice counts once.
//!
//! # Randomness
//!
//! Whatever is drawn comes from the [`Generator`] given, and depends on nothing else: not on the
//! scratch, and not on how far the user reads. Give lists and users generators of their own.
//!
//! # How to add one
//!
//! A method is a file with a type that implements [`Interleaving`] (two rankers) or
//! [`Multileaving`] (any number), a receipt that holds whatever credit needs, and a line in the table
//! above. What is shared stands ready: softmax weights as whole numbers (`weights.rs`), even
//! draws from what is left of a tie group (`ties.rs`), and the draft of team-draft methods with its
//! tie keys (`draft.rs`). Its test enumerates the small cases of `tests/plain` and holds the
//! method's draws to them; `compare` must agree with `draw` and `credit`.

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
