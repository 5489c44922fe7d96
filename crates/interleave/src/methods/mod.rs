//! The interleaving and multileaving methods, each one file or folder with its settings, scratch and receipt.
//! Not here: what several of them share (`support`) and their choice by name (`any`).

pub mod balanced;
pub mod competitive_pairs;
pub mod document_constraints;
pub mod optimized;
pub mod pairwise_preference;
pub mod probabilistic;
pub mod probabilistic_assignment;
pub mod probabilistic_expected;
pub mod probabilistic_multileave;
pub mod sosm;
pub mod team_draft;
