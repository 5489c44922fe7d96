//! The data of an experiment's page, copied at one moment: pages are made beside the writer.

use super::status::still_warning;
use traffic::{
    Change, Config, ConversionTally, Experiment, Fates, NextStep, RequestCounts, Time, UnitTally, WatchedRate,
};

/// The most changes that a page lists.
const MAX_CHANGES: usize = 12;

/// From this number of days, traffic is shown by the day.
const MIN_TRAFFIC_DAYS: usize = 3;

/// An hour of traffic: its number, its beginning in words, and its counts.
fn hour(experiment: &Experiment, time: Time, hourly: &RequestCounts) -> (i32, String, RequestCounts) {
    let begins = experiment.minute(time);
    let words = begins.get(..16).unwrap_or(&begins).to_owned();
    (i32::try_from(time.div_euclid(3_600_000)).unwrap_or(i32::MAX), words, hourly.clone())
}

/// The data of an experiment's page, apart from its verdict.
#[derive(Debug)]
pub struct Glance {
    /// Its settings.
    pub config: Config,
    /// Its version.
    pub version: String,
    /// Its state.
    pub state: traffic::State,
    /// When it was made, in words.
    pub created: String,
    /// The fates of impressions.
    pub fates: Fates,
    /// The counts of closed days.
    pub tally: UnitTally,
    /// The fates of outcomes, if such count.
    pub conversions: Option<ConversionTally>,
    /// Conditions that would make its verdict wrong.
    pub warnings: Vec<String>,
    /// The last changes with their times in words, the newest first.
    pub changes: Vec<(String, Change)>,
    /// The guardrails, and when each broke, in words.
    pub watches: Vec<(WatchedRate, Option<String>)>,
    /// The watches that the settings ask for but that are off, and why.
    pub not_watched: Option<String>,
    /// Traffic by day.
    pub daily: Vec<(i32, RequestCounts)>,
    /// While there are few days: traffic by the hour, each numbered since 1970 and in words.
    pub hourly: Vec<(i32, String, RequestCounts)>,
    /// The share of units that is in the experiment, if it began with less than all.
    pub share: Option<f64>,
    /// The units seen, by segment, and last those of none; empty without segments.
    pub units_by_segment: Vec<u64>,
    /// The next step of its ramp.
    pub next_step: Option<NextStep>,
    /// When it ends by itself, in words.
    pub ends: Option<String>,
    /// The experiment that must be over before it begins.
    pub waits_for: Option<String>,
    /// The ranker that seems best to the policy.
    pub leader: Option<u32>,
    /// The ranker to beat.
    pub champion: u32,
    /// The number of events, and the checksum of them all.
    pub position: (u64, u64),
    /// The time of the last event.
    pub time: Time,
}

impl Glance {
    /// The data of an experiment's page at `now` (milliseconds since 1970); `waits_for` is the experiment it waits for, if any.
    #[must_use]
    pub fn of(experiment: &Experiment, now: Time, waits_for: Option<String>) -> Self {
        let broken = |watch: &WatchedRate| {
            let mut alarms = experiment.alarms().iter();
            let alarm = alarms.find(|alarm| (alarm.ranker, alarm.guard) == (watch.ranker, watch.guard));
            alarm.map(|alarm| experiment.minute(alarm.time))
        };
        Self {
            config: experiment.config().clone(),
            version: experiment.version().to_string(),
            state: experiment.state(),
            created: experiment.minute(experiment.created()),
            fates: experiment.fates(),
            tally: experiment.tally(),
            conversions: experiment.conversion_tally(),
            warnings: still_warning(experiment, now).into_iter().chain(experiment.warnings()).collect(),
            changes: experiment
                .changes()
                .iter()
                .rev()
                .take(MAX_CHANGES)
                .map(|change| (experiment.minute(change.time), change.clone()))
                .collect(),
            watches: experiment.watches().into_iter().map(|watch| (watch, broken(&watch))).collect(),
            not_watched: experiment.not_watched(),
            daily: experiment.daily().map(|(day, daily)| (day, daily.clone())).collect(),
            hourly: match experiment.daily().count() {
                0..MIN_TRAFFIC_DAYS => {
                    experiment.hourly().map(|(time, hourly)| hour(experiment, time, hourly)).collect()
                }
                _ => Vec::new(),
            },
            share: (experiment.config().share < 1.0).then(|| experiment.share()),
            units_by_segment: experiment.units_by_segment().into_iter().map(|(_, units)| units).collect(),
            next_step: experiment.next_step(),
            ends: experiment.end_time().map(|end| experiment.minute(end)),
            waits_for,
            leader: experiment.leader(),
            champion: experiment.champion(),
            position: experiment.position(),
            time: experiment.time(),
        }
    }
}
