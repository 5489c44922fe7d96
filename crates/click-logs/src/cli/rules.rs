//! The rules of crediting as flags, shared by several commands.

use std::path::PathBuf;
use std::str::FromStr as _;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use letor_io::NameList;
use output::numbers::parse_up_to;
use output::usage::usage;
use times::{Zone, parse_duration};
use verdicts::{Bots, PairChoice};

use crate::model::{LogEnd, Settings, UnitKind};

#[derive(Debug, Args)]
pub(super) struct Rules {
    /// What counts once: impressions only if no user sees two, or users do not differ
    #[arg(long, value_enum, default_value = "user")]
    unit: Unit,
    /// A unit's impressions count on the day of its first and on the days after it, N in all; then it closes
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_up_to::<u32, 3650>)]
    unit_days: u32,
    /// How long after an impression its clicks count
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_duration)]
    window: i64,
    /// How much a click may precede its impression, because clocks differ
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    skew: i64,
    /// Count only clicks after which the user stayed so long, by the field `dwell` (seconds)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    dwell: Option<i64>,
    /// Where days begin, and the zone of times without one: UTC, an offset such as +01:00, or a name such as Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse, allow_hyphen_values = true)]
    timezone: Option<Zone>,
    /// The log is complete until then [default: until its last impression]; what is open then is not credited
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Nothing will be added to the log: all impressions and units are closed
    #[arg(long = "final", conflicts_with = "until")]
    is_final: bool,
    /// Rules for bots, in TOML
    #[arg(long, value_name = "FILE")]
    pub(super) bots: Option<PathBuf>,
    /// How the rankers of impressions were chosen: `chance` (never by outcomes), `kept` (by outcomes, but a unit keeps its first
    /// pair for life) or `steered` (by outcomes, e.g. a bandit: of a unit only its very first impression counts) [default: as the
    /// log says; else chance if all impressions mix the same rankers, steered if not]
    #[arg(long, value_name = "HOW", value_parser = PairChoice::from_str)]
    pairs: Option<PairChoice>,
    /// The rankers (one with a comma in quotation marks), in the order in which results name them [default: those of the log, by name]
    #[arg(long, value_name = "NAMES")]
    rankers: Vec<NameList>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Unit {
    User,
    Session,
    Impression,
}

impl From<Unit> for UnitKind {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::User => Self::User,
            Unit::Session => Self::Session,
            Unit::Impression => Self::Impression,
        }
    }
}

impl Rules {
    /// The settings that follow from these flags; the others are the defaults.
    pub(super) fn settings(&self) -> Result<Settings> {
        let zone = self.timezone.unwrap_or_default();
        let complete = match &self.until {
            Some(text) => LogEnd::Until(zone.time(text).map_err(|error| usage(format!("--until: {error}")))?),
            None if self.is_final => LogEnd::Final,
            None => LogEnd::LastImpression,
        };
        let bots = match &self.bots {
            Some(path) => {
                let text = output::input::read_text(path, 1 << 20).with_context(|| path.display().to_string())?;
                Bots::from_toml(&text).map_err(|error| usage(format!("{}:{error}", path.display())))?
            }
            None => Bots::default(),
        };
        let rankers = NameList::concat(&self.rankers);
        if let Some(at) = (1..rankers.len()).find(|&at| rankers[..at].contains(&rankers[at])) {
            bail!(usage(format!("--rankers names {} twice; name each ranker once", rankers[at])));
        }
        Ok(Settings {
            unit: self.unit.into(),
            unit_days: self.unit_days,
            window: self.window,
            skew: self.skew,
            dwell: self.dwell,
            zone,
            complete,
            bots,
            pairs: self.pairs,
            rankers,
            ..Settings::default()
        })
    }
}
