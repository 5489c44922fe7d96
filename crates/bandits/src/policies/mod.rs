//! The algorithms, one file each, grouped in folders where several share code. What is used by different families has
//! rooms of its own:
//!
//! | for | use |
//! |---|---|
//! | wins of every pair, the Copeland winner of the counts | [`counts::PairCounts`](crate::counts::PairCounts) |
//! | any other value per pair | `counts::PairTable` |
//! | the arms counted least so far | `counts::LeastCounts` |
//! | evidence that an arm loses to another, from wins | `confidence::Evidence` |
//! | the arms whose upper bounds are all at least 1/2 | `confidence::Candidates` |
//! | the opponent with the highest upper bound | `confidence::Challengers` |
//! | ln t at every step | `confidence::LogTime` |
//! | how long an arm plays alone | `confidence::last_step_below` |
//! | tournaments sampled from Beta posteriors | `thompson::Sampler` |
//! | bandits of single arms (UCB, Thompson sampling, Exp3, Exp3.S, Tsallis-INF) | [`singleton`](crate::singleton) |
//! | uniform draws, coins, shuffles, ties at random | [`random`](crate::random)`::{below, coin, shuffle, best_arm}` |
//! | which of many Beta or normal draws is the largest | `random::Largest` |
//! | Beta, normal and weighted draws | `random::{preference, Beta, Normals, WeightTree}` |
//! | rules that parameters share, with their errors | `algorithm::{positive, probability}` |
//!
//! # How to register an algorithm
//!
//! 1. Copy `src/policies/explore_first.rs`, the shortest example: it is the algorithm of the [front page](crate#how-to-add-an-algorithm)
//!    with a name and a parameter, and is shown in full below. (`mdb.rs` is a typical algorithm of a paper.) Its documentation
//!    has the rule, `## References` with a DOI, and `## Notes` on each deviation from the paper.
//! 2. Declare it above with `pub mod NAME;`.
//! 3. Add a line to the list in `src/registry/mod.rs`, in the place that it should have in tables:
//!    `ExploreFirst(policies::explore_first::ExploreFirstConfig),`.
//! 4. Give it a row in the tables of what is known of algorithms: `src/registry/prefer.rs` (when to prefer it),
//!    `src/registry/memory.rs` (how much it takes; any numbers at first), `tests/all/convergence.rs` (what tests expect of
//!    it), and `xtask/src/bench/policies/openings.rs`. A test of each says what is missing.
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
//! Nothing else lists algorithms: benchmarks, figures (whose curves have a style by their place in the registry), commands,
//! experiments and Python all read it. The items of [`PolicyConfig`](crate::PolicyConfig) that the example leaves out have
//! defaults: `PAPER` (a constant in `src/algorithm/papers.rs`), `VARIANTS`, `check` for ranges of parameters, `NEEDS_HORIZON`,
//! `late` for one that takes late answers itself. Helpers to build on are in the table above.
//!
//! | a test finds | what to do |
//! |---|---|
//! | another arm than the winner, or too much regret late in a run | mend the algorithm, or write in its row of `convergence.rs` what it promises: `patience` if it takes longer, e.g. because it explores first; `least_margin` if it cannot resolve small margins; `late_share` or `weak_regret` if it goes on exploring; `condorcet: false` if it looks for another arm |
//! | other bytes than declared | write the row that the message gives |
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
