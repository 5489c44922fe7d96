//! The rules of one analysis.

use serde_json::{Value, json};
use times::{Zone, duration_text};
use verdicts::integrity::{CoinScope, PageSelection};
use verdicts::{Bots, PairChoice};

/// The unit that statistics count once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnitKind {
    /// All impressions of a user.
    #[default]
    User,
    /// All impressions of a session.
    Session,
    /// Each impression: only where no user sees two, or users are all alike.
    Impression,
}

impl UnitKind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Session => "session",
            Self::Impression => "impression",
        }
    }
}

/// Until when the log is known to be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogEnd {
    /// Until the last impression in it.
    #[default]
    LastImpression,
    /// Until a moment, in milliseconds since 1970.
    Until(i64),
    /// Everything that will ever be logged is there.
    Final,
}

/// How impressions and clicks are read, joined and counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The unit that is counted once.
    pub unit: UnitKind,
    /// The impressions of a unit count on the day of its first and on the days after it, N in all.
    pub unit_days: u32,
    /// How long after an impression its clicks count, in milliseconds.
    pub window: i64,
    /// How much a click may precede its impression, in milliseconds, because clocks differ.
    pub skew: i64,
    /// A click counts if the user stayed so long with the document, in milliseconds; every click, if `None`.
    pub dwell: Option<i64>,
    /// The zone of days, and of times that name none.
    pub zone: Zone,
    /// Until when the log is complete.
    pub complete: LogEnd,
    /// The rules for bots.
    pub bots: Bots,
    /// The actions of UBI events that are clicks.
    pub actions: Vec<String>,
    /// How the rankers of impressions were chosen; if `None`, as the log declares, or as its rankers suggest.
    pub pairs: Option<PairChoice>,
    /// The rankers, the order in which results name them; empty to take them from the log, in the order of their names.
    pub rankers: Vec<String>,
    /// Separates the entries of a list in CSV, whatever else they contain; if `None`, spaces do, and lists in brackets and
    /// those that seem to be separated by something else are recognised.
    pub list_separator: Option<char>,
    /// Which pages the log keeps; `None` if that is not known.
    pub logged: Option<PageSelection>,
    /// How often a list is drawn: once for each user, each session, or each impression.
    pub coin: UnitKind,
    /// Clicks of pages outside the experiment are among those of the log.
    pub other_pages: bool,
    /// Lines that cannot be read are set aside instead of refused.
    pub set_malformed_aside: bool,
    /// Each file holds both impressions and clicks, as UBI's queries and events in one `_bulk` file: each reader passes over the
    /// lines of the other.
    pub holds_both: bool,
}

impl Settings {
    /// All settings that counts depend on, without the files and the end of complete data: results, and states of logs that grow,
    /// are identified by these.
    #[must_use]
    pub fn description(&self) -> Value {
        let mut description = json!({
            "unit": self.unit.name(),
            "unit_days": self.unit_days,
            "window": duration_text(self.window),
            "skew": duration_text(self.skew),
            "dwell": self.dwell.map(duration_text),
            "timezone": self.zone.text(),
            "bots": self.bots,
            "actions": self.actions,
            "rankers": self.rankers,
            "list_separator": self.list_separator.unwrap_or(' '),
            "malformed": if self.set_malformed_aside { "set aside" } else { "refuse" },
        });
        if let Some(logged) = self.logged {
            description["logged"] = logged.name().into();
        }
        if self.coin != UnitKind::User {
            description["coin"] = self.coin.name().into();
        }
        if self.other_pages {
            description["other_pages"] = true.into();
        }
        if let Some(pairs) = self.pairs {
            description["pairs"] = pairs.name().into();
        }
        description
    }

    /// Which impressions have coins of their own. Where one coin may have been tossed for several units, that is not known.
    #[must_use]
    pub fn coin_scope(&self) -> CoinScope {
        match (self.coin, self.unit) {
            (UnitKind::Impression, _) => CoinScope::Every,
            (_, UnitKind::User) | (UnitKind::Session, UnitKind::Session) => CoinScope::FirstOfUnit,
            _ => CoinScope::Unknown,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            unit: UnitKind::User,
            unit_days: 1,
            window: 30 * 60 * 1000,
            skew: 5 * 1000,
            dwell: None,
            zone: Zone::default(),
            complete: LogEnd::LastImpression,
            bots: Bots::default(),
            actions: vec!["click".to_owned(), "click_through".to_owned()],
            pairs: None,
            rankers: Vec::new(),
            list_separator: None,
            logged: None,
            coin: UnitKind::User,
            other_pages: false,
            set_malformed_aside: false,
            holds_both: false,
        }
    }
}
