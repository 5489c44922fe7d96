//! The simulation itself: sites, users, arenas, runs, and the truth that regret is measured against.
//! No preference matrices (`proxy`) and no files of results (`results`).

pub mod arm_names;
pub mod live_arena;
pub mod pairwise;
pub mod prepared;
pub mod runs;
pub(crate) mod sample;
pub mod seed;
pub mod seed_text;
pub mod site;
pub mod spec;
pub(crate) mod text_form;
pub mod truth;
