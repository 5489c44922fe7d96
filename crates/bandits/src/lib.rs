//! Dueling bandits: which of K arms is best, when all one can do is let arms meet and see who
//! wins, and every meeting of arms that are not the best costs something.
//!
//! A [`Policy`] chooses who meets, an [`Arena`] says who won, and [`play`] puts the two in a loop
//! in front of an [`Observer`], such as a [`Recorder`] of regret; a [`Run`] does so piece by piece. The
//! crate knows nothing of documents, rankers or users: an arena may be a matrix of probabilities, as
//! here, or a search engine.
//!
//! ```
//! use bandits::{Generators, MatrixArena, Policy, Recorder, one_two_five, play, problems};
//! use bandits::{PolicyConfig, Arm, policies::rucb};
//!
//! // Eight arms, each 0.05 better than the next.
//! let mut arena = MatrixArena::new(problems::arithmetic(8)?)?;
//! let mut policy = rucb::RucbConfig { alpha: 0.6, ..Default::default() }.policy(8, 20_000)?;
//! let mut recorder = Recorder::new(one_two_five(20_000));
//! let mut generators = Generators::from_seed(1);
//! play(&mut policy, &mut arena, 20_000, &mut generators, &mut recorder);
//!
//! assert_eq!(policy.recommend(&mut generators.policy), Some(Arm(0)));
//! let curve = recorder.curve();
//! let (late, total) = (curve[curve.len() - 2].average, curve[curve.len() - 1].average);
//! assert!(total - late < 0.2 * total, "half of the run, but little of the regret");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Algorithms
//!
//! By the names that [`registry::Spec`] reads, with parameters as in `rucb:variant=icml:alpha=0.6`.
//! Each has a file of its own in [`policies`], with its paper and every deviation from it.
//!
//! | name | plays | horizon | variants | paper |
//! |---|---|---|---|---|
//! | [`if1`, `if2`](policies::interleaved_filter) | duels | needed | | Yue et al., JCSS 2012 |
//! | [`btm`](policies::btm) | duels | needed (not for `setting=pac`, nor where delta is given) | `paper` (default), `lerot` (other bounds where gamma > 1), `tight` (Komiyama's code) | Yue and Joachims, ICML 2011 |
//! | [`savage`](policies::savage) | duels | needed | `paper` (default), `lerot` (pseudo-counts, plays who beat the most) | Urvoy et al., ICML 2013 |
//! | [`rucb`](policies::rucb) | duels | not needed | `arxiv` (default), `icml` (with the favourite B), `lerot` (pseudo-counts) | Zoghi et al., ICML 2014 |
//! | [`mergerucb`](policies::merge_rucb) | duels | not needed | `lerot` (default, as in the paper's experiments), `paper` (as printed) | Zoghi et al., WSDM 2015 |
//! | [`mergerucb-squared`](policies::merge_rucb::squared) | duels | not needed | as `mergerucb` | the same, afresh for squared horizons |
//! | [`mergerucb-parallel`](policies::merge_rucb::parallel) | duels | not needed | as `mergerucb` | the same, all batches at once |
//! | [`mergedts`](policies::merge_dts) | duels | not needed | `authors` (default, as in the paper's experiments), `paper` (as printed) | Li et al., TOIS 2020 |
//! | [`rcs`](policies::rcs) | duels | not needed | `paper` (default), `lerot` (counts fewer champions, and duels of an arm with itself) | Zoghi et al., WSDM 2014 |
//! | [`rts`](policies::rts) | duels | not needed | | Lerot |
//! | [`dts`, `dts-plus`](policies::dts) | duels | not needed | `paper` (default), `mergedts` (pseudo-counts) | Wu and Liu, NIPS 2016 |
//! | [`rmed1`](policies::rmed1) | duels | not needed | | Komiyama et al., COLT 2015 |
//! | [`rmed2`](policies::rmed2) | duels | not needed | `paper` (default, as printed), `komiyama` (duelingbanditlib: another opponent, pairs looked over at each step) | Komiyama et al., COLT 2015 |
//! | [`rmed2fh`](policies::rmed2) | duels | needed | as `rmed2` | Komiyama et al., COLT 2015 |
//! | [`sparring`](policies::sparring) | duels | not needed | `ailon` (default), `mergedts` (its rival in 2020) | Ailon et al., ICML 2014 |
//! | [`sparring-ts`](policies::sparring_ts) | duels | not needed | | the same, Thompson sampling |
//! | [`sparring-exp3`](policies::sparring_exp3) | duels | needed for `horizon`, unless gamma is given | `horizon` (default), `mergedts` (falling gamma) | the same, exponential weights |
//! | [`doubler`](policies::doubler) | duels | not needed | | Ailon et al., ICML 2014 |
//! | [`multisbm`](policies::multi_sbm) | duels | not needed | | Ailon et al., ICML 2014 |
//! | [`self-sparring`](policies::self_sparring) | duels, sets for m > 2 | not needed | | Sui et al., UAI 2017 |
//! | [`rex3`](policies::rex3) | duels | needed for `horizon`, unless gamma is given | `horizon` (default), `mergedts` (falling gamma, psi = 1) | Gajane et al., ICML 2015 |
//! | [`winner-stays`](policies::winner_stays) | duels | not needed | | Chen and Frazier, ICML 2017: weak regret |
//! | [`winner-stays-strong`](policies::winner_stays) | duels | not needed | `after=round` (default), `after=duel` (duelpy) | the same: strong regret |
//! | [`ccb`](policies::ccb) | duels | not needed | | Zoghi et al., NIPS 2015 |
//! | [`scb`](policies::scb) | duels | not needed | `paper` (default), `wu` (DuelingBandits) | Zoghi et al., NIPS 2015 |
//! | [`mdb`](policies::mdb) | sets | not needed | | Brost et al., CIKM 2016 |
//! | [`random`](policies::random) | duels | not needed | | baseline |
//! | [`random-set`](policies::random) | sets | not needed | | baseline |
//!
//! # Problems
//!
//! A [`PreferenceMatrix`] from a file or from a formula makes a [`MatrixArena`], whose pairs are
//! independent; utilities make a [`UtilityArena`], whose arms show one noisy value a step and
//! which takes a million of them. [`problems::Problem`] reads both by name: `arithmetic:k=20`,
//! `btl:k=50:ratio=0.95`, `1good50poor`, `normal:k=1e6:sd=3:seed=1`.
//!
//! # Two settings
//!
//! *Ongoing regret* is a [`Recorder`]'s curve. *Explore, then exploit* asks at some horizons
//! whether the arm then reported is the best: [`explore_then_exploit`] reads all horizons off one
//! run where the algorithm knows none, and runs again for each where it does.
//!
//! # Matrices
//!
//! [`PreferenceMatrix`] is checked on the way in; [`winners`] names its winners, [`structure`] tells of its
//! circles, orders and bounds, [`agreement`] compares two.
//!
//! # What holds for all
//!
//! * **Same seed, same run**, on every platform: logarithms are `libm`'s, draws are pinned by
//!   tests, and policy, arena and coins have [generators of their own](Generators).
//! * **Ties are broken once**, by fair coins in [`play`], between arena and policy.
//! * **An arm alone costs nothing to simulate.** Where a policy repeats a choice that teaches it
//!   nothing, it says [until when](Choice::Alone), and regret is interpolated.
//! * **Fast forms are exact.** Candidate sets are kept by evidence, challengers by who leads each group,
//!   divergences by what changed; tests hold each policy to its plain form, choice by choice, for
//!   the same draws. Where preferences are sampled (RCS, RTS, D-TS, MergeDTS) the law of the choices
//!   is that of the plain form, but for one thing: odds below 1e-25 count as none.
//! * **Duels are counted in 32 bits.** In a run of 2^32 steps (4.29e9) or more no arm may take part in
//!   that many duels: a policy that goes on exploring would then count wrongly. Stretches alone are
//!   not counted.
//!
//! # Real users
//!
//! The run loop is for simulations. With a stream of users, a policy is asked and told by hand:
//!
//! ```
//! use bandits::registry::{PolicyVisitor, Spec};
//! use bandits::{Arm, Choice, Feedback, Generator, PairWins, Policy};
//! use rand::{Rng, SeedableRng};
//!
//! /// Shows users lists of four rankers until so many have been served.
//! struct Serve {
//!     users: u64,
//! }
//!
//! impl PolicyVisitor for Serve {
//!     type Output = Option<Arm>;
//!
//!     fn visit<P: Policy>(self, mut policy: P) -> Option<Arm> {
//!         let mut chance = Generator::seed_from_u64(1);
//!         // Kept apart, so that what users do never shifts what the policy draws.
//!         let mut coins = Generator::seed_from_u64(2);
//!         let mut wins = PairWins::default();
//!         let mut step = 1;
//!         while step <= self.users {
//!             let served = match policy.choose(step, &mut chance) {
//!                 Choice::Duel(first, second) => {
//!                     // None: neither list got more of the clicks.
//!                     let winner = interleave_and_wait(first, second);
//!                     let first_won = winner.map_or_else(|| coins.next_u64() < 1 << 63, |arm| arm == first);
//!                     policy.learn(step, Feedback::of_duel(first, second, first_won));
//!                     step
//!                 }
//!                 Choice::Set(arms) => {
//!                     wins.set_scores(&multileave_and_wait(arms));
//!                     wins.resolve_ties(&mut coins);
//!                     policy.learn(step, Feedback::Set { wins: &wins });
//!                     step
//!                 }
//!                 // This ranker's own list for all users up to that one, and nothing to learn from them.
//!                 Choice::Alone { until, .. } => until,
//!             };
//!             step = served.saturating_add(1);
//!         }
//!         policy.recommend(&mut chance)
//!     }
//! }
//!
//! // Stand-ins for a search engine, whose users like low numbers.
//! fn interleave_and_wait(first: Arm, second: Arm) -> Option<Arm> {
//!     (first != second).then(|| first.min(second))
//! }
//! fn multileave_and_wait(arms: &[Arm]) -> Vec<u64> {
//!     arms.iter().map(|arm| u64::from(10 - arm.0)).collect()
//! }
//!
//! for name in ["rucb", "mdb"] {
//!     let spec: Spec = name.parse()?;
//!     assert_eq!(spec.visit(4, 0, Serve { users: 2_000 })?, Some(Arm(0)));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How to add an algorithm
//!
//! An algorithm of your own needs [`Policy`] alone: [`play`], [`explore`](explore()) and the arenas take
//! any. To be called by name, as those of the registry are, it becomes a part of this crate:
//!
//!
//! 1. A file in `policies/`: module docs with the rule, `## References` with DOI, `## Notes` for
//!    deviations; a struct of parameters that implements [`PolicyConfig`] (name, summary, parameters,
//!    [`check`](PolicyConfig::check), and how to build it), and a struct that implements [`Policy`].
//!    `policies/random.rs` is the smallest, `policies/mdb.rs` one of a page.
//! 2. A line in the list at the head of `registry.rs`, and one in `tests/value_stability.rs`. The
//!    table of problems in `tests/problems.rs` runs through it from then on, and so does the bench.
//! 3. If it takes a shortcut, its plain form in `plain/` and a test in `tests/shortcuts.rs`.
//! 4. A row in the table above.
//!
//! # How to add an arena
//!
//! Implement [`Arena`]: [`duel`](Arena::duel) for two arms, [`multi_duel`](Arena::multi_duel) for many
//! (scores into [`PairWins::set_scores`], or pairs into [`PairWins::decide`]), ties as ties, and
//! the [`gaps`](Arena::gaps) that regret is made of.
//!
//! ```
//! use bandits::{PolicyConfig as _, Arena, Arm, DuelOutcome, Generator, Generators, PairWins, Recorder, play, policies::rucb};
//! use rand::Rng as _;
//!
//! /// A meeting in four is a tie; of the others the lower arm wins two in three.
//! struct Ladder {
//!     gaps: [f64; 5],
//! }
//!
//! impl Arena for Ladder {
//!     fn arms(&self) -> usize {
//!         self.gaps.len()
//!     }
//!
//!     fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> DuelOutcome {
//!         match generator.next_u64() % 4 {
//!             0 => DuelOutcome::Tie,
//!             1 => if first < second { DuelOutcome::Second } else { DuelOutcome::First },
//!             _ => if first < second { DuelOutcome::First } else { DuelOutcome::Second },
//!         }
//!     }
//!
//!     fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
//!         wins.reset(arms.len());
//!         for i in 0..arms.len() {
//!             for j in i + 1..arms.len() {
//!                 match self.duel(arms[i], arms[j], generator) {
//!                     DuelOutcome::First => wins.set_win(i, j),
//!                     DuelOutcome::Second => wins.set_win(j, i),
//!                     DuelOutcome::Tie => wins.set_tie(i, j),
//!                 }
//!             }
//!         }
//!     }
//!
//!     fn gaps(&self) -> &[f64] {
//!         &self.gaps
//!     }
//! }
//!
//! // Arm 0 beats everyone with probability 2/4 + 1/8, a tie being half a win.
//! let mut arena = Ladder { gaps: [0.0, 0.125, 0.125, 0.125, 0.125] };
//! let mut policy = rucb::RucbConfig::default().policy(5, 10_000)?;
//! let mut recorder = Recorder::new(vec![1_000, 10_000]);
//! play(&mut policy, &mut arena, 10_000, &mut Generators::from_seed(1), &mut recorder);
//! let [early, late] = [0, 1].map(|at| recorder.curve()[at].average);
//! assert!(late < 5.0 * early);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::self_named_module_files)]

mod algorithm;
mod arena;
mod confidence;
mod counts;
pub mod matrix;
pub mod policies;
mod policy;
pub mod problems;
mod random;
#[cfg(feature = "reference")]
#[expect(clippy::disallowed_methods, reason = "reference forms, which no result depends on")]
pub mod reference;
pub mod registry;
mod run;
pub mod singleton;
pub mod structure;
mod thompson;

pub use algorithm::{ActionKind, Convergence, Paper, Parameter, ParameterError, ParameterValue, PolicyConfig};
pub use arena::{
    Arena, DuelOutcome, MatrixArena, RegretReference, RegretReferenceError, Shuffled, UtilityArena, UtilityError,
};
pub use matrix::{MatrixError, PreferenceMatrix, agreement, npy_header, winners};
pub use policy::{Arm, Choice, Feedback, PairWins, Policy};
/// The one generator of the project.
pub use rand_xoshiro::Xoshiro256PlusPlus as Generator;
pub use run::{Exploration, explore, explore_then_exploit};
pub use run::{Generators, Observer, Run, RunState, play, play_in_step};
pub use run::{Recorder, Regret, log_spaced, one_two_five};
