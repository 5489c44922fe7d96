//! Simulated users and what policies learn from them: sites, arenas, runs, pairwise comparisons, the ground truth, seeds,
//! and preference matrices estimated from impressions. Result files, figures and flags are in crate `sim`.
//!
//! | module | holds |
//! |---|---|
//! | [`spec`] | what a site is made of, as flags and experiment files give it |
//! | [`prepared_site`] | a site that is ready |
//! | [`lists`] | where the ranked lists of a site come from: ranked now, when they are used, or by an earlier process |
//! | [`description`] | what a site is, for people and files, and the effort for its ground truth |
//! | [`site`] | queries, ranked lists and users; one impression |
//! | [`matrix`] | preference matrices in memory: the room that they need, their checksum |
//! | [`live_arena`] | an arena in which every comparison is an impression |
//! | [`runs`] | plays several runs of several algorithms on all cores, and gathers what their outcomes prove |
//! | [`late_answers`] | how late answers come |
//! | [`sample`], [`text_form`] | draws without replacement; values that serde reads and writes as text |
//! | [`pairwise`] | counts of interleaved comparisons between pairs of rankers |
//! | [`truth`] | the best ranker and the gap of every other one |
//! | [`seed`], [`seed_text`] | random streams, and the frozen texts that they are hashed from |
//! | [`proxy`] | preference matrices estimated from impressions in rounds that can be interrupted |
//! | [`arm_names`] | what arms are called |
//! | [`example`] | small sites for tests and examples |

pub mod arm_names;
pub mod description;
pub mod example;
pub mod late_answers;
pub mod lists;
pub mod live_arena;
pub mod matrix;
pub mod pairwise;
pub mod prepared_site;
pub mod proxy;
pub mod runs;
pub mod sample;
pub mod seed;
pub mod seed_text;
pub mod site;
pub mod spec;
pub mod text_form;
pub mod truth;
