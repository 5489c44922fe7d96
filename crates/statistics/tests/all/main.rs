//! All tests of the crate's public face: one binary links faster than several.

mod bradley_terry;
mod false_alarms;
mod power;
mod prediction_powered;
mod ratios;
mod shares;
mod strengths;
