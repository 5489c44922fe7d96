//! Boards of people's judgements that a model sharpens.

mod coverage;
mod independent;
#[cfg(feature = "read")]
mod llmfao;
mod tables;
mod world;
