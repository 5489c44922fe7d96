//! What a caller asks for, in JSON; what is left out is as `click-logs credit` has it.

use click_logs::model::{Complete, Settings, UnitKind};
use pyo3::PyResult;
use serde::Deserialize;
use times::{Zone, parse_duration};
use verdicts::Bots;

use crate::call::value_error;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    unit: Option<String>,
    unit_days: Option<u32>,
    window: Option<String>,
    skew: Option<String>,
    dwell: Option<String>,
    timezone: Option<String>,
    until: Option<String>,
    #[serde(rename = "final")]
    is_final: bool,
    bots: Option<Bots>,
    /// The text of a file of rules.
    bots_toml: Option<String>,
    actions: Option<Vec<String>>,
    rankers: Option<Vec<String>>,
    pairs: Option<String>,
    set_malformed_aside: bool,
}

/// The settings in a text of JSON.
pub(super) fn read(text: &str) -> PyResult<Settings> {
    let rules: Rules = serde_json::from_str(text).map_err(value_error)?;
    let mut settings = Settings { set_malformed_aside: rules.set_malformed_aside, ..Settings::default() };
    settings.unit = match rules.unit.as_deref() {
        None => settings.unit,
        Some("user") => UnitKind::User,
        Some("session") => UnitKind::Session,
        Some("impression") => UnitKind::Impression,
        Some(other) => {
            return Err(value_error(format!("expected the unit user, session or impression, found {other:?}")));
        }
    };
    if let Some(days) = rules.unit_days {
        if !(1..=3650).contains(&days) {
            return Err(value_error(format!("expected 1 to 3650 days for a unit, found {days}")));
        }
        settings.unit_days = days;
    }
    let duration =
        |name: &str, text: String| parse_duration(&text).map_err(|error| value_error(format!("{name}: {error}")));
    if let Some(text) = rules.window {
        settings.window = duration("window", text)?;
    }
    if let Some(text) = rules.skew {
        settings.skew = duration("skew", text)?;
    }
    settings.dwell = rules.dwell.map(|text| duration("dwell", text)).transpose()?;
    if let Some(zone) = rules.timezone {
        settings.zone = Zone::parse(&zone).map_err(|error| value_error(format!("timezone: {error}")))?;
    }
    settings.complete = match rules.until {
        Some(_) if rules.is_final => return Err(value_error("until and final exclude each other; give one of them")),
        Some(text) => {
            Complete::Until(settings.zone.time(&text).map_err(|error| value_error(format!("until: {error}")))?)
        }
        None if rules.is_final => Complete::Final,
        None => settings.complete,
    };
    if let Some(text) = rules.bots_toml {
        settings.bots = Bots::from_toml(&text).map_err(|error| value_error(format!("bots: {error}")))?;
    } else if let Some(bots) = rules.bots {
        settings.bots = bots;
    }
    settings.pairs =
        rules.pairs.map(|text| text.parse().map_err(|error| value_error(format!("pairs: {error}")))).transpose()?;
    if let Some(actions) = rules.actions {
        settings.actions = actions;
    }
    if let Some(rankers) = rules.rankers {
        if let Some(at) = (1..rankers.len()).find(|&at| rankers[..at].contains(&rankers[at])) {
            return Err(value_error(format!("the ranker {} is named twice; name each ranker once", rankers[at])));
        }
        settings.rankers = rankers;
    }
    Ok(settings)
}
