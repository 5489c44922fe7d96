//! How the log is to be credited: the flags of `click-logs credit`.

use click_logs::model::time;
use live::traffic::{Config, State};
use serde_json::{Value, json};

use super::ExportError;
use crate::store::Store;
use crate::writer::fold;

/// The rules by which the server credits, in the words of `click-logs credit`.
#[derive(Debug, Clone)]
pub struct Rules {
    config: Config,
    pairs: &'static str,
    /// All days until this one are closed.
    last_day: Option<i32>,
    /// Nothing will be added.
    is_final: bool,
}

impl Rules {
    /// Of an experiment as it is.
    ///
    /// # Errors
    /// If its log cannot be read.
    pub fn of(store: &Store, id: u32, name: &str) -> Result<Self, ExportError> {
        let experiment = fold(store, id, name, |_| {})?.experiment;
        let config = experiment.config().clone();
        // They were accepted when the experiment was created.
        let pairs = config.pair_choice().map_or("chance", |choice| choice.name());
        let is_final = experiment.state() == State::Ended && experiment.fates().open == 0;
        Ok(Self { last_day: experiment.last_day(), config, pairs, is_final })
    }

    /// The last day that is exported.
    #[must_use]
    pub fn last_day(&self) -> Option<i32> {
        self.last_day
    }

    /// When the log is complete, in milliseconds since 1970: at the end of the last closed day and of the windows that
    /// began on it. `None` if nothing will be added to it, or nothing is closed.
    fn until(&self) -> Option<i64> {
        let zone = time::Zone::parse(&self.config.timezone).unwrap_or_default();
        let window = time::parse_duration(&self.config.window).unwrap_or(0);
        let day = self.last_day.filter(|_| !self.is_final)?;
        Some(zone.start(day.saturating_add(1)) + window)
    }

    /// Rules for bots as `--bots` reads them.
    ///
    /// # Errors
    /// If they cannot be written in TOML, which no settings of an experiment are.
    pub fn bots_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&self.config.bots)
    }

    /// The command that credits the exported files, with paths relative to their folder.
    #[must_use]
    pub fn command(&self) -> String {
        let names: Vec<&str> = self.config.rankers.iter().map(|ranker| ranker.name.as_str()).collect();
        let end = match self.until() {
            Some(until) => format!("--until {until}"),
            None => "--final".to_owned(),
        };
        format!(
            "click-logs credit --impressions impressions.jsonl --clicks clicks.jsonl --bots bots.toml --unit user \
            --unit-days {} --window {} --skew 0s --timezone {} {end} --pairs {} --rankers {} --out credited",
            self.config.unit_days,
            self.config.window,
            self.config.timezone,
            self.pairs,
            quoted(&names.join(",")),
        )
    }

    pub(super) fn json(&self) -> Value {
        let names: Vec<&str> = self.config.rankers.iter().map(|ranker| ranker.name.as_str()).collect();
        json!({
            "experiment": self.config.name,
            "unit": "user",
            "unit_days": self.config.unit_days,
            "window": self.config.window,
            "timezone": self.config.timezone,
            "until": self.until(),
            "final": self.until().is_none(),
            "pairs": self.pairs,
            "rankers": names,
            "bots": self.config.bots,
            "command": self.command(),
        })
    }
}

/// A word of a POSIX shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ',' | ':' | '/' | '@' | '+');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_are_words_of_a_shell() {
        assert_eq!(quoted("a,b"), "a,b");
        assert_eq!(quoted("a b,$(x)"), "'a b,$(x)'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
