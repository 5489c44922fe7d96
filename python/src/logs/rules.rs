//! The caller's rules, in JSON; the defaults are those of `click-logs credit`.

use click_logs::model::{LogEnd, Settings, UnitKind};
use pyo3::PyResult;
use serde::Deserialize;
use times::{Zone, parse_duration};
use verdicts::Bots;
use verdicts::integrity::PageSelection;

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
    logged: Option<String>,
    coin: Option<String>,
    other_pages: bool,
    set_malformed_aside: bool,
}

/// The unit that counts once, or draws its own coin, by its name.
fn unit_kind(name: &str) -> Option<UnitKind> {
    [UnitKind::User, UnitKind::Session, UnitKind::Impression].into_iter().find(|kind| kind.name() == name)
}

/// The settings in a text of JSON.
pub(super) fn read(text: &str) -> PyResult<Settings> {
    let rules: Rules = serde_json::from_str(text).map_err(value_error)?;
    let Rules { set_malformed_aside, other_pages, .. } = rules;
    let mut settings = Settings { set_malformed_aside, other_pages, ..Settings::default() };
    if let Some(unit) = rules.unit {
        settings.unit = unit_kind(&unit)
            .ok_or_else(|| value_error(format!("expected the unit user, session or impression, found {unit:?}")))?;
    }
    if let Some(coin) = rules.coin {
        settings.coin = unit_kind(&coin)
            .ok_or_else(|| value_error(format!("coin: expected user, session or impression, found {coin:?}")))?;
    }
    settings.logged = match rules.logged {
        None => None,
        Some(logged) => Some(
            { [PageSelection::Every, PageSelection::Clicked] }
                .into_iter()
                .find(|known| known.name() == logged)
                .ok_or_else(|| value_error(format!("logged: expected every or clicked, found {logged:?}")))?,
        ),
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
        Some(text) => LogEnd::Until(settings.zone.time(&text).map_err(|error| value_error(format!("until: {error}")))?),
        None if rules.is_final => LogEnd::Final,
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
