//! Algorithms for users who change: RUCB and D-TS that forget, and sparring with weights that are shared. (`versatile-db`, `rex3`
//! and `sparring-exp3`, which ask nothing of where outcomes come from, are reductions.)

mod chances;
pub mod dts;
mod memory;
pub mod rucb;
pub mod sparring_exp3s;
#[cfg(test)]
mod testing;

use crate::ParameterError;

/// The warning about bounds that are too narrow for the theory of `rule`.
fn low_alpha(name: &str, alpha: f64, rule: &str) -> Option<String> {
    (alpha <= 0.5).then(|| format!("{name}: alpha = {alpha} is not above 1/2, as the theory of {rule} needs"))
}

/// Refuses memories that are too short.
fn at_least_two(key: &'static str, value: f64) -> Result<(), ParameterError> {
    if value >= 2.0 && value.is_finite() {
        return Ok(());
    }
    Err(ParameterError::BelowMinimum { key, minimum: 2.0, value, why: "nothing would be left to learn from" })
}
