//! The automatic start and end of an experiment: after another one, and at a time. Not here: whether that other one is over, which the
//! caller checks.

use ranktypes::text::excerpt;
use times::{Zone, check_plausible, day_of_date};

use super::{Config, ConfigError, Rules, invalid, is_plain};

impl Config {
    /// When it ends automatically; also checks that, and the experiment that it begins after.
    pub(crate) fn schedule_rules(&self, zone: Zone) -> Result<Option<i64>, ConfigError> {
        if let Some(predecessor) = &self.begin_after {
            if !is_plain(predecessor) {
                return Err(invalid(
                    "begin_after",
                    format!("expected the name of an experiment, found {}", excerpt(predecessor)),
                ));
            }
            if *predecessor == self.name {
                return Err(invalid(
                    "begin_after",
                    format!("`{predecessor}` cannot begin after itself; name another experiment"),
                ));
            }
        }
        let Some(text) = &self.end_at else { return Ok(None) };
        let time = match day_of_date(text) {
            Some(day) => check_plausible(zone.start(day)),
            None => zone.time(text),
        };
        time.map(Some).map_err(|error| invalid("end_at", error))
    }
}

impl Rules {
    /// Checks that the end is after `now`.
    pub(crate) fn check_ahead(&self, now: i64) -> Result<(), ConfigError> {
        match self.end_at {
            Some(end) if end <= now => Err(invalid(
                "end_at",
                format!(
                    "{} has passed, for it is {}; name a later time, or leave it out",
                    self.zone.minute(end),
                    self.zone.minute(now)
                ),
            )),
            _ => Ok(()),
        }
    }
}
