//! Simulation of online ranker evaluation.
