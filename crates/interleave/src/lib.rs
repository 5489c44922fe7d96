//! Interleaving and multileaving: several rankers' lists are mixed into the list that a user sees, and the
//! user's clicks decide which ranker won.
//!
//! A method takes rankers' lists ([`RankedList`]: an order of documents, with its ties), draws one list to show,
//! and credits the clicks on it. The same rules serve a *simulated* user, who examines one document after
//! another and may leave early, and a *real* one, who sees the whole list now and clicks minutes later, perhaps
//! in another process: then a *receipt*, a plain value that serialises, keeps what credit needs.
//!
//! # Two rankers, with your own ids
//!
//! ```
//! use interleave::receipt::Receipt;
//! use interleave::{AnyInterleaving, Generator, Preference, by_id};
//! use rand::SeedableRng;
//!
//! let method: AnyInterleaving = "team-draft".parse()?;
//! let ours = ["apple-pie", "crumble", "tart", "cider"].map(String::from);
//! let theirs = ["strudel", "apple-pie", "cake"].map(String::from);
//!
//! // A list of at most five, for one user.
//! let mut generator = Generator::seed_from_u64(2024);
//! let impression = by_id::interleave(&method, [&ours, &theirs], 5, &mut generator)?;
//! assert_eq!(impression.shown().len(), 5);
//! let kept: Vec<u8> = impression.to_receipt()?.to_bytes();
//!
//! // Minutes later, elsewhere: the user clicked on the strudel.
//! let receipt = Receipt::from_bytes(&kept)?;
//! let place = receipt.shown().unwrap_or_default().iter().position(|id| *id == "strudel");
//! assert_eq!(receipt.winner(&[place.unwrap()])?, Preference::Second);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Five rankers
//!
//! ```
//! use interleave::{AnyMultileaving, Generator, Outcome, Preference, by_id};
//! use rand::SeedableRng;
//!
//! let method: AnyMultileaving = "sosm".parse()?;
//! let rankers = [
//!     vec!["apple-pie", "crumble", "tart", "cider"],
//!     vec!["crumble", "apple-pie", "tart", "cider"],
//!     vec!["strudel", "apple-pie", "cake"],
//!     vec!["cake", "strudel", "tart"],
//!     vec!["cider", "cake", "crumble", "strudel"],
//! ];
//! let mut generator = Generator::seed_from_u64(2024);
//! let impression = by_id::multileave(&method, &rankers, 6, &mut generator)?;
//! // A click on the crumble: only the second ranker ranks it higher than the first does.
//! let outcome = impression.outcome(&method, &["crumble"])?;
//! let against = [1, 2, 3, 4].map(|j| outcome.preference(0, j));
//! assert_eq!(against, [Preference::Second, Preference::First, Preference::First, Preference::First]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A simulated user
//!
//! One scratch serves all impressions, so that an impression allocates nothing. The list is drawn only as far
//! as the user reads.
//!
//! ```
//! use interleave::{Doc, Examination, Generator, Interleaving, ListBuf, Preference};
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
//!     let user = |doc| Examination { clicked: doc == Doc(2), abandons: doc == Doc(2) };
//!     let lists = [good.as_list(), bad.as_list()];
//!     let winner = method.compare(lists, 3, &mut generator, &mut scratch, user);
//!     wins += i32::from(winner == Preference::First) - i32::from(winner == Preference::Second);
//! }
//! assert!(wins > 500);
//! # Ok::<(), interleave::RankedListError>(())
//! ```
//!
//! # Users of the crate `clicks`
//!
//! A user is any closure from the document at the next place to what the user does with it. Users of the crate `clicks`
//! take a document's grade. Every list gets a new user, so that models with users who remember what they have seen need
//! nothing else:
//!
//! ```
//! use clicks::{ClickSpec, User};
//! use interleave::{Doc, Generator, Interleaving, ListBuf, Preference, SeedableRng, TeamDraftInterleave};
//!
//! // One query's documents: how relevant they are, and how two rankers score them.
//! let labels = [0.0, 2.0, 1.0, 0.0, 2.0];
//! let good = ListBuf::from_scores(&[0.1, 0.9, 0.5, 0.2, 0.8])?;
//! let bad = ListBuf::from_scores(&[0.7, 0.2, 0.3, 0.9, 0.1])?;
//! let lists = [good.as_list(), bad.as_list()];
//!
//! // Users who leave after a click, and users who rarely examine lower places.
//! for click in ["navigational", "pbm:navigational,eta=1"] {
//!     let users = click.parse::<ClickSpec>()?.users(&labels)?;
//!     let method = TeamDraftInterleave::default();
//!     let [mut chance, mut luck] = [1, 2].map(Generator::seed_from_u64);
//!     let (mut scratch, mut wins) = (Default::default(), [0; 2]);
//!     for _ in 0..1000 {
//!         let mut user = users.user();
//!         let examine = |doc: Doc| user.examine(users.grade(doc.index()), &mut luck);
//!         match method.compare(lists, 4, &mut chance, &mut scratch, examine) {
//!             Preference::First => wins[0] += 1,
//!             Preference::Second => wins[1] += 1,
//!             Preference::Tie => {}
//!         }
//!     }
//!     // The better list wins nearly every impression that is decided.
//!     assert!(wins[0] > 400 && wins[0] > 10 * wins[1]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Interleaving: two rankers
//!
//! | name | type | paper | cost of a draw | draws lazily | unbiased | a ranker that lists only the top of the other's list | notes |
//! |---|---|---|---|---|---|---|---|
//! | `balanced` | [`BalancedInterleave`] | [Radlinski 2008](https://doi.org/10.1145/1458082.1458092) | L | yes | no | never wins | the oldest; a list with one document moved to its top loses under random clicks |
//! | `team-draft` | [`TeamDraftInterleave`] | [Radlinski 2008](https://doi.org/10.1145/1458082.1458092) | L | yes | credit, wins | shares clicks on what both list evenly, gets none of the others | simple and sound; blind to most differences between alike lists |
//! | `team-draft:pairs` | [`CompetitivePairs`] | [Zhang 2025](https://arxiv.org/abs/2508.00751) | L | yes | credit, wins | gets the clicks of its pairs alone; neither owns the rest | as team draft, without the noise of documents on which both agree |
//! | `probabilistic` | [`ProbabilisticInterleave`] | [Hofmann 2011](https://doi.org/10.1145/2063576.2063618) | L | yes | credit | credit as team draft, but up to 99.3% of single impressions | the usual choice in simulation; occasionally shows poor documents; mind [`CreditTies`] |
//! | `probabilistic:expected` | [`ProbabilisticExpected`] | [Hofmann 2013](https://doi.org/10.1145/2536736.2536737) | L, credit 64 times that with ties | yes | credit | as `probabilistic` | copies of a ranker always tie |
//! | `probabilistic:assignment` | [`ProbabilisticAssignment`] | [Hofmann 2011](https://doi.org/10.1145/2063576.2063618) | L | yes | credit, wins | nearly as team draft | noisier than marginalised credit |
//! | `document-constraints` | [`DocumentConstraints`] | [He 2009](https://doi.org/10.1145/1645953.1646293) | L | one past the last click | no | never wins | infers most from a click |
//! | `optimized` | [`OptimizedInterleave`] | [Radlinski 2013](https://doi.org/10.1145/2433396.2433429) | a linear program over up to 1,024 lists | no | credit, where [`LpFit::Exact`](methods::optimized::LpFit) | never wins; no list is unbiased there | most sensitive of the unbiased |
//!
//! # Multileaving: any number of rankers
//!
//! | name | type | paper | cost for m rankers | draws lazily | unbiased | better lists never lose | a ranker that lists only the top of another's list |
//! |---|---|---|---|---|---|---|---|
//! | `team-draft` | [`TeamDraftMultileave`] | [Schuth 2014](https://doi.org/10.1145/2661829.2661952) | m + L | yes | credit, wins | no | shares clicks on what both list evenly, gets none of the others |
//! | `probabilistic` | [`ProbabilisticMultileave`] | [Schuth 2015](https://doi.org/10.1145/2766462.2767838) | m x examinations | yes | almost (`independent`: credit) | in credit | credit as team draft, but up to 99.3% of single impressions |
//! | `probabilistic:signs` | [`ProbabilisticMultileaveSigns`] | [Schuth 2015](https://doi.org/10.1145/2766462.2767838) | m² x clicks² | yes | almost | in credit | as `probabilistic` |
//! | `optimized` | [`OptimizedMultileave`] | [Schuth 2014](https://doi.org/10.1145/2661829.2661952) | m x L x lists², a linear program | no | credit, where [`LpFit::Exact`](methods::optimized::LpFit): seldom | | never wins; no list is unbiased there |
//! | `sosm` | [`Sosm`] | [Brost 2016](https://doi.org/10.1145/2911451.2914706) | m x clicks x L | no | no: the majority gains | yes | never wins |
//! | `pairwise-preference` | [`PairwisePreference`] | [Oosterhuis 2017](https://doi.org/10.1145/3132847.3132895) | m x pairs | one past the last click | credit | yes | ties |
//!
//! *Unbiased* refers to clicks that depend on positions alone: *credit* means that no ranker has a larger
//! expected credit, *wins* that none has a larger probability of winning an impression, which is stronger.
//! *Better lists never lose* is fidelity: a ranker that ranks every relevant document at least as high as
//! another does not lose to it in expectation when relevant documents are clicked; all interleaving methods
//! have this property. Both columns are results of full enumeration of all rankers of three documents
//! (`tests/all/methods.rs`); a "no" is a property of the method, not a mistake of this implementation.
//!
//! *A ranker that lists only the top of another's list* loses documents, and should not gain by that. The column is about
//! impressions with one click, at a position that does not depend on the documents (`tests/data/prefix.csv`, by enumeration
//! of lists of up to four documents). Where it wins single impressions although its expected credit is no larger, counting
//! wins, as `click-logs` does, favours it: cut all lists to one length, or take another method.
//!
//! Several pages, something pinned to a place, documents left out after mixing: [`page`] has each method's table, with bias.
//!
//! [`AnyInterleaving`] and [`AnyMultileaving`] make any of them from its name and settings.
//!
//! # Rules that hold for all methods
//!
//! - **Length**: a list shows as many documents as requested, or all that any ranker lists, if they are
//!   fewer; 0 is allowed. No document is shown twice.
//! - **Lists of different lengths, documents missing from some**: a ranker adds only what it lists, and
//!   when it has nothing left the others go on. What a missing document means for credit is in each
//!   method's notes: it is outside every top, below everything that any ranker lists, or has probability 0. An empty list
//!   never wins.
//! - **Duplicates** in one list are an error when the list is made ([`RankedList`], [`by_id`]).
//! - **Ties of score** are broken at random, independently for each ranker in each impression.
//! - **The same list twice** ties, except where ownership decides (team draft, observed assignment) or
//!   ties are redrawn: there it wins and loses equally often.
//! - **One ranker or none**, in multileaving: a list is shown nevertheless (empty without rankers), and no ranker
//!   wins.
//! - **No click** is a tie. A position clicked twice counts once; one outside the list is an error.
//! - **Later is the same as now**: for the same generator and the same clicks, `draw` then `credit` gives the
//!   outcome of `compare`.
//! - **Receipts** are kept as [`receipt::Receipt`], in bytes or JSON, with a version and a checksum: damaged ones are refused. Those
//!   of `Any...` name their method, and no other method credits them.
//! - **Pages**: several pages are mixed in one draw where the method [is prefix stable](Interleaving::is_prefix_stable); what was
//!   really displayed is a [`Page`], through which clicks are [credited](Interleaving::credit_page).
//!
//! # Randomness
//!
//! All draws come from the [`Generator`] passed in and depend on nothing else: not on the scratch, and not on
//! how far the user reads. Give lists and users separate generators; [`keyed`] makes them for every impression from a
//! seed, so that impressions can be played in any order and on several machines.
//!
//! # Features
//!
//! - `reference`: the module `reference`, the methods step by step as the papers describe them, slow; tests and
//!   benches compare the fast forms with them.
//!
//! # How to add one
//!
//! A method is a type with its settings, a scratch and a receipt, that implements [`Interleaving`] or
//! [`Multileaving`]. [`Outcome`](Multileaving::Outcome) is `Vec<u64>` where every ranker gets a score, on a
//! grid on which equal credits tie, and [`PairwisePreferences`] where it does not.
//!
//! *Outside the crate* nothing else is needed: [`by_id`] takes any type that implements a trait.
//! [`RankedList::break_ties`] gives one ranker's order, [`check_clicks`] validates clicks before credit,
//! [`Preference::of`] gives the winner of a comparison, [`PairwisePreferences::from_fn`] that of every pair.
//! `tests/all/outside.rs` has one method of each trait. Only the names of [`AnyInterleaving`] and
//! [`AnyMultileaving`] are closed.
//!
//! *Inside the crate* it is
//!
//! 1. one file in `methods/`: two sentences, the rule, references, notes on every deviation, then the types,
//!    and an `impl NamedMethod` with its name, settings, paper (without one of its own, the nearest, and the difference in the notes) and
//!    who owns its documents (`Drafted` only if every round has a document of each ranker). A receipt has a field name that no other
//!    has, and an `impl Pack` (with `owners`, if documents have owners). `support/` has what looks no further down the lists than a user does: softmax weights as whole
//!    numbers (`rank_weights`), probabilistic lists (`softmax`), drafts (`draft`), one ranker's order with its
//!    ties broken (`revealed_top`), even draws from what is left of a tie group (`ties`);
//! 2. one `pub mod` line in `methods/mod.rs` (and a `pub use` here, if it should be at the top of the crate);
//! 3. one line in the list of `any/interleaving.rs` or `any/multileaving.rs`, from which the enum, its names,
//!    scratch, receipts, dispatch, and the help of `--interleave` and `--multileave` are made. Put it at the end of the list: compact
//!    receipts number the methods;
//! 4. its row in the tables of names in `any/` and in the README, which `cargo xtask tidy --fix` writes between
//!    the markers and a test checks; its line in `tests/all/values.txt`, by hand, from what `value_stability` found, in the order of `NAMES`;
//! 5. its row in the tables above, which say its cost and bias, and in that of [`page`], by the numbers that the next step writes: until
//!    they are there, `bias_of_pages` fails;
//! 6. its name in the lists of `tests/all`: `methods.rs` (also a row of `random_clicks_favour_no_ranker`, and the exceptions of
//!    `identical_lists_tie` and `better_lists_do_not_lose` if it is one), `missing_documents.rs` (`BY_OWNER` or `BY_RANK`),
//!    `oracle/mod.rs`, and `NOT_STABLE` in `pages.rs` if it serves one page. If its lists may grow, one more is counted by
//!    `lists_may_grow` there, as is one more form of receipt by `receipts_differ_by_their_fields` in `promises.rs`. `UPDATE=1 cargo test -p interleave`
//!    writes the numbers of their tables in `tests/data`, from which the rows of [`page`] are copied. Rows of later
//!    methods in `receipt_bytes.csv` may change by a byte, because all methods draw from one generator;
//! 7. its receipts, which are kept for ever: run `write_receipts` into another file, as `tests/all/kept_receipts.rs` says, and append the
//!    lines of the new method, and no others, to `tests/data/receipts-2.jsonl`.
//!
//! *Outside of it*, by hand: where documents have owners, the messages and pages that list such methods (search for
//! `probabilistic:assignment`, and leave `results` and `experiments` as they are), and the methods of `click-logs/tests/all/integrity/mod.rs` with
//! the table of `docs/pages/trust.md`; the count in `CHANGELOG.md`; the docstrings of `python/rankduel/lists.py`, the lists of `python/tests/test_lists.py` and
//! `test_pages.py`, and the rates of `test_closed_forms.py` if its win rates have a closed form; for a multileaving method that `rankduel sensitivity` compares by default, the default of `--methods`
//! (`studies::sensitivity`) and `METHODS` in `python/rankduel/site_studies.py`; and `results/bench-1`, where track e plays every interleaving
//! method. `UPDATE=1 cargo test -p sim --test command_line help` writes the help of all commands.
//!
//! From there `tests/all/promises.rs` and the benches cover it. A plain version of all its lists in `tests/all/oracle`
//! puts it through enumeration, bias and fidelity; a method that takes shortcuts has a plain form in
//! `reference/`, which the fast form is compared with on long lists.

mod any;
pub mod by_id;
mod credit;
pub mod growing_lists;
pub mod keyed;
mod list;
mod method;
pub mod methods;
mod name;
mod outcome;
pub mod page;
mod random;
pub mod receipt;
#[cfg(feature = "reference")]
pub mod reference;
mod support;

pub use any::{
    AnyInterleaving, AnyInterleavingReceipt, AnyInterleavingScratch, AnyMultileaving, AnyMultileavingReceipt,
    AnyMultileavingScratch, AnyOutcome, InterleavingReceipt, MultileavingReceipt, NamedReceipt,
};
pub use credit::{CreditError, check_clicks};
pub use list::{Doc, ListBuf, RankedList, RankedListError, RankedListErrorKind, TieGroup};
pub use method::{Interleaving, Multileaving};
pub use methods::balanced::BalancedInterleave;
pub use methods::competitive_pairs::{CoinPer, CompetitivePairs};
pub use methods::document_constraints::DocumentConstraints;
pub use methods::optimized::{OptimizedInterleave, OptimizedMultileave};
pub use methods::pairwise_preference::PairwisePreference;
pub use methods::probabilistic::{CreditTies, ProbabilisticInterleave};
pub use methods::probabilistic_assignment::ProbabilisticAssignment;
pub use methods::probabilistic_expected::ProbabilisticExpected;
pub use methods::probabilistic_multileave::{ProbabilisticMultileave, ProbabilisticMultileaveSigns};
pub use methods::sosm::Sosm;
pub use methods::team_draft::{TeamDraftInterleave, TeamDraftMultileave};
pub use name::{MethodRow, NameError, NameErrorKind, Ownership};

pub use outcome::{Outcome, PairwisePreferences};
pub use page::{Page, PageError};
// The words that all crates share; `Generator` is the one generator of the project.
pub use ranktypes::{Examination, Generator, Preference, SeedableRng};
pub use support::rank_weights::TauError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
