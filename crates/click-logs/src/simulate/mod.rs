//! Logs with known truth, at any size: users with tastes who return for sessions, lists mixed from two rankers, clicks, and
//! typical faults of logs. The truth is the result of `interleave` for each impression while its user reads
//! ([`Interleaving::compare`](interleave::Interleaving::compare)), or for the page that its user saw
//! ([`Interleaving::credit_page`](interleave::Interleaving::credit_page)), added up here without the join.

mod lines;
mod orders;
mod pages;
#[cfg(feature = "parquet")]
mod parquet_table;
mod query_pool;
mod settings;
mod sorter;
mod truth;
mod users;
mod visits;

pub use lines::{CONVERSION_UNITS, Dialect, Lines, STRETCH_OF_UNITS, UNITS};
pub use orders::{Amounts, CONVERSION_DAYS, CONVERSIONS, OrderSettings, SimulatedFate};
#[cfg(feature = "parquet")]
pub use parquet_table::{CLICKS, CONVERSIONS as CONVERSION_COLUMNS, ColumnType, IMPRESSIONS, TableWriter};
pub use settings::SimulationSettings;
pub use sorter::{HOUR, LineSorter};
pub use truth::Truth;
pub use visits::Visits;

use rayon::prelude::*;

use crate::model::Settings;
use query_pool::QueryPool;
use users::UserLog;

/// Users that are simulated together, and written as one block of shuffled lines.
const BLOCK: u64 = 64;

/// The rules under which the truth holds: the settings for `credit`.
#[must_use]
pub fn rules(simulation: &SimulationSettings) -> Settings {
    Settings {
        window: settings::WINDOW,
        dwell: simulation.dwell,
        complete: crate::model::LogEnd::Final,
        bots: settings::bots(),
        rankers: simulation.names(),
        ..Settings::default()
    }
}

/// Simulates a log, and passes its lines on in blocks; returns the truth.
///
/// # Errors
/// If the settings contradict each other, or `write` fails.
pub fn simulate<E: From<String>>(
    simulation: &SimulationSettings,
    mut write: impl FnMut(&Lines, u64) -> Result<(), E>,
) -> Result<Truth, E> {
    let query_pool = QueryPool::new(simulation)?;
    let mut truth = Truth::new(simulation);
    let mut block = 0;
    while truth.impressions() < simulation.impressions {
        // Blocks are independent of each other, and end where enough impressions are there: at the same one for any threads.
        let group: Vec<u64> = (block..block + rayon::current_num_threads() as u64).collect();
        let made: Vec<(Lines, Truth)> =
            group.par_iter().map(|&block| one_block(simulation, &query_pool, block)).collect();
        for (lines, block_truth) in made {
            if truth.impressions() >= simulation.impressions {
                break;
            }
            truth.add(&block_truth);
            write(&lines, block_truth.impressions())?;
            block += 1;
        }
    }
    Ok(truth)
}

fn one_block(simulation: &SimulationSettings, query_pool: &QueryPool, block: u64) -> (Lines, Truth) {
    let mut lines = Lines::default();
    let mut truth = Truth::new(simulation);
    for user in block * BLOCK..(block + 1) * BLOCK {
        UserLog::new(simulation, query_pool, user).write(&mut lines, &mut truth);
    }
    lines.shuffle(simulation.seed, block);
    (lines, truth)
}
