//! From files to counts.

use output::threads;

use super::conversions::ConversionLog;
use super::credited_log::CreditedLog;
use super::inputs::{Inputs, Order, Resources};
use super::join_state::JoinState;
use super::sliding::stop_reason::StopReason;
use super::span::beyond_end;
use super::tally::Trace;
use crate::error::LogError;
use crate::model::{Settings, wrong_name};

/// Learns how far the work is.
pub trait Watch: Sync {
    /// This number of bytes of the files was read.
    fn read(&self, bytes: u64);

    /// Reading has ended; the joining of this number of partitions begins.
    fn join(&self, partitions: usize);

    /// One more partition is joined.
    fn partition_joined(&self);

    /// The log is read again from the beginning, for the reason given.
    fn reading_again(&self, why: &str);
}

/// No progress is reported.
impl Watch for () {
    fn read(&self, _: u64) {}

    fn join(&self, _: usize) {}

    fn partition_joined(&self) {}

    fn reading_again(&self, _: &str) {}
}

/// Joins and credits a log; passes the fate of every line and unit to `trace`, if there is one, in any order.
///
/// # Errors
/// For a file that cannot be read, a line that is malformed (unless such lines are set aside), or a folder that is full.
pub fn credit(
    inputs: &Inputs,
    settings: &Settings,
    resources: &Resources,
    watch: &impl Watch,
    trace: Option<&mut (dyn FnMut(Trace) + Send)>,
) -> Result<CreditedLog, LogError> {
    credit_with_conversions(inputs, None, settings, resources, watch, trace)
}

/// The same, with conversions.
///
/// # Errors
/// As [`credit`], and if there are conversions and lists without owners of documents.
pub fn credit_with_conversions(
    inputs: &Inputs,
    conversions: Option<&ConversionLog>,
    settings: &Settings,
    resources: &Resources,
    watch: &impl Watch,
    trace: Option<&mut (dyn FnMut(Trace) + Send)>,
) -> Result<CreditedLog, LogError> {
    if let Some(message) = settings.rankers.iter().find_map(|name| wrong_name(name)) {
        return Err(LogError::new(message));
    }
    threads::run_in_pool(Some(resources.threads), || {
        in_either_order(inputs, conversions, settings, resources, watch, trace)
    })
    .map_err(|error| LogError::new(error.to_string()))?
}

/// In the order of time where that is possible.
fn in_either_order(
    inputs: &Inputs,
    conversions: Option<&ConversionLog>,
    settings: &Settings,
    resources: &Resources,
    watch: &impl Watch,
    mut trace: Option<&mut (dyn FnMut(Trace) + Send)>,
) -> Result<CreditedLog, LogError> {
    let keeps_origins = trace.is_some();
    if keeps_origins && resources.order == Order::Time {
        return Err(LogError::new("lines are named in any order only; leave out the order of time"));
    }
    let mut take = |traced: Vec<Trace>| {
        if let Some(trace) = trace.as_mut() {
            traced.into_iter().for_each(trace);
        }
    };
    let begin = || JoinState { conversions, ..JoinState::new(inputs, settings, resources, keeps_origins) };
    // A pipe cannot be read twice.
    let all_files = || inputs.impressions.iter().chain(&inputs.clicks).all(|path| path.is_file());
    let tries = match resources.order {
        Order::Auto => !keeps_origins && all_files(),
        Order::Time => true,
        Order::Any => false,
    };
    if tries {
        let mut work = begin();
        let slid = match work.sources(inputs) {
            Some(sources) => work.slide(sources, watch),
            None if resources.order == Order::Time => {
                Err(StopReason::OutOfOrder("it begins in another order".to_owned()))
            }
            None => Err(StopReason::NeverBegun),
        };
        match slid {
            // Windows were closed as if the log ended with its last line.
            Ok(_) if let Some((count, ..)) = beyond_end(&work.times, settings) => {
                let why = format!("{count} impressions come long after the others");
                if resources.order == Order::Time || !all_files() {
                    return Err(LogError::new(format!("{why}; say until when the log is complete (--until)")));
                }
                watch.reading_again(&format!("{why}; reading again, in any order"));
            }
            Ok(outcomes) => return work.finish(outcomes, true, &mut take),
            Err(StopReason::Failed(error)) => return Err(error),
            Err(StopReason::OutOfOrder(why)) if resources.order == Order::Time => {
                return Err(LogError::new(format!("not in the order of time: {why}; leave out --order time")));
            }
            Err(StopReason::OutOfOrder(why)) => {
                watch.reading_again(&format!("not in the order of time ({why}); reading again, in any order"));
            }
            Err(StopReason::NeverBegun) => {}
        }
    }
    if resources.disk.is_some() && !all_files() {
        return Err(LogError::new("what comes through a pipe cannot be read again; leave out --disk, or name a file"));
    }
    let mut work = begin();
    let outcomes = work.join_in_partitions(inputs, watch, &mut take)?;
    work.finish(outcomes, false, &mut take)
}
