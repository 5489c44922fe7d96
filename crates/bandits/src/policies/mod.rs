//! The algorithms, one file each, grouped in folders where several share code. A file is the rule and its paper, a
//! [`config!`](crate::config) with the parameters, and the rule as code. Common parts of several algorithms are in a family, which
//! takes away late answers, stored form and recommendation, so that a file of it is little more than its formula:
//!
//! | family | what an algorithm of it writes | e.g. |
//! |---|---|---|
//! | sets of the arms that may be the best | `contender_sets::ContenderRule`: which of them meet | `mdb` |
//! | tournaments drawn from posteriors | `thompson::ThompsonRule`: which arms take part | `rts`, `dts` |
//! | one pair decided after the other | [`identification::PairRule`], [`identification`]`::ChampionTest`: which pair, and when it is decided | `sequential-elimination` |
//! | two bandits of single arms against each other | a [`SingletonBandit`](crate::singleton::SingletonBandit) | `sparring-ts` |
//! | batches that merge | `merging::MergingBatches`: the batches | `mergerucb` |
//!
//! Parts that several families use have modules of their own:
//!
//! | for | use |
//! |---|---|
//! | wins of every pair, the Copeland winner of the counts | [`counts::PairCounts`](crate::counts::PairCounts) |
//! | any other value per pair | `counts::PairTable` |
//! | the arms counted least so far | `counts::LeastCounts` |
//! | upper bounds of all pairs, open duels included: the challenger, and how long an arm plays alone | `confidence::PairBounds` |
//! | the arms with all upper bounds at least 1/2 | `confidence::Candidates` |
//! | evidence that an arm loses to another, from wins | `confidence::Evidence` |
//! | the arm with the highest upper bound alone | `confidence::Challengers` |
//! | ln t at every step | `confidence::LogTime` |
//! | tournaments sampled from Beta posteriors | `thompson::Sampler` |
//! | bandits of single arms (UCB, Thompson sampling, Exp3, Exp3.S, Tsallis-INF) | [`singleton`](crate::singleton) |
//! | uniform draws, coins, shuffles, ties at random | [`random`](crate::random)`::{below, coin, shuffle, best_arm}` |
//! | which of many Beta or normal draws is the largest | `random::Largest` |
//! | Beta, normal and weighted draws | `random::{preference, Beta, Normals, WeightTree}` |
//! | rules that parameters share, with their errors | [`rules`](crate::rules) |
//!
//! # How to register an algorithm
//!
//! 1. Copy `src/policies/explore_first.rs`, the shortest example: the algorithm of the
//!    [front page](crate#how-to-add-an-algorithm) with a name and a parameter, shown in full below. Of its 56 lines of code, 15
//!    are the configuration and 36 the algorithm. (`sequential_elimination.rs` is one of a family.) Its documentation has the
//!    rule, `## References` with a DOI, and `## Notes` on each deviation from the paper.
//! 2. Declare it above with `pub mod NAME;`.
//! 3. Add a line to the list in `src/registry/mod.rs`, in the place that it should have in tables:
//!    `ExploreFirst(policies::explore_first::ExploreFirstConfig),`.
//! 4. Give it a row in the tables on algorithms, in the same place: `src/registry/prefer.rs` (when to prefer it),
//!    `src/registry/memory.rs` (how much it takes; a test finds the numbers), `tests/all/convergence.rs` (what tests expect of it;
//!    of the example `Convergence { patience: 10, ..Convergence::USUAL }`, as it explores first), and
//!    `xtask/src/bench/policies/openings.rs`. A test of each reports what is missing.
//! 5. Test it alone, on all problems, resumed, with late answers, and for its memory:
//!
//!    ```sh
//!    ALGORITHM=explore-first cargo test -p bandits --no-fail-fast --test all --test memory -- problems resumed open memory
//!    ```
//! 6. Write the files that follow from the registry: the tables of algorithms in the documentation, the choices pinned for each,
//!    and the snapshot of `rankduel algorithms`. Then review the difference: only lines of the new algorithm should be in it.
//!
//!    ```sh
//!    cargo xtask pin
//!    ```
//! 7. Run all tests: `cargo test -p bandits` and `cargo xtask tidy`.
//!
//! Nothing else lists algorithms: benchmarks, figures (which style curves by their place in the registry), commands,
//! experiments and Python all read it. [`config!`](crate::config) lists which constants, rules and methods a configuration can
//! have: the paper (a constant in `src/algorithm/papers.rs`), variants, ranges of parameters with their errors, warnings,
//! whether it needs the horizon, and `takes_late!();` for one that takes late answers itself.
//!
//! | a test finds | what to do |
//! |---|---|
//! | another arm than the winner, or too much regret late in a run | mend the algorithm, or write in its row of `convergence.rs` what it promises: `patience` if it takes longer, e.g. because it explores first; `least_margin` if it cannot resolve small margins; `late_share` or `weak_regret` if it goes on exploring; `condorcet: false` if it looks for another arm |
//! | other bytes than declared | write the row that the message gives |
//! | memory per pair, or none, against its `all_pairs` | write `all_pairs: true` if it keeps something for every pair of arms |
//! | another run with the same seed | draw from the generator that `pair` gets, and from nothing else |
//! | a recommendation before the first step | return `None` from `best` until something is known |
//! | 16 files in one folder (`tidy`) | make a folder of the algorithms of one family, as `rmed/`; at most 15 files are in one |
//! | no stored form | write `state!`, with the fields that change and after `but` those that the configuration gives, and `stored!();` |
//!
//! An algorithm with a fast form also gets a reference form in `src/reference/` and a test in `tests/all/shortcuts.rs` that
//! compares the two.
//!
//! The whole file:
//!
//! ```text
#![doc = include_str!("explore_first.rs")]
//! ```

pub mod borda;
pub mod bradley_terry;
pub mod bradley_terry_pairs;
pub mod btm;
pub mod ccb;
pub mod changing;
mod contender_sets;
pub mod dts;
#[cfg(test)]
pub mod explore_first;
mod guard;
pub mod identification;
pub mod interleaved_filter;
pub mod mdb;
pub mod merge_dts;
pub mod merge_rucb;
mod merging;
pub mod multi_rucb;
pub mod random;
pub mod rcs;
pub mod reductions;
pub mod rmed;
pub mod rts;
pub mod rucb;
pub mod savage;
pub mod scb;
pub mod winner_stays;

pub use reductions::{doubler, multi_sbm, rex3, self_sparring, sparring, sparring_exp3, sparring_ts, versatile};
pub use rmed::{ecw_rmed, rmed1, rmed2};
