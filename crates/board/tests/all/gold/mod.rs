//! Boards of people's judgements, made more precise by a model.

mod coverage;
mod independent;
#[cfg(feature = "read")]
mod llmfao;
mod tables;
mod world;
