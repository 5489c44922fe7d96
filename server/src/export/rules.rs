//! The rules by which the log must be credited: the flags of `click-logs credit`.

use serde_json::{Value, json};
use times::date;
use traffic::Ask;
use verdicts::Bots;

use super::ExportError;
use crate::store::Store;
use crate::writer::fold;

/// The rules by which the server credits, in the words of `click-logs credit`.
#[derive(Debug, Clone)]
pub struct Rules {
    experiment: String,
    bots: Bots,
    flags: Vec<String>,
    final_day: i32,
    why_nothing_is_final: Option<String>,
    kept_from: Option<String>,
    ask: Ask,
    has_outcomes: bool,
}

impl Rules {
    /// The rules of an experiment as it is now.
    ///
    /// # Errors
    /// If its log cannot be read.
    pub fn of(store: &Store, id: u32, name: &str) -> Result<Self, ExportError> {
        let experiment = fold(store, id, name, |_| {})?.experiment;
        Ok(Self {
            experiment: name.to_owned(),
            bots: experiment.config().bots.clone(),
            flags: experiment.credit_flags(),
            final_day: experiment.final_day(),
            why_nothing_is_final: experiment.why_nothing_is_final(),
            kept_from: experiment.forgotten().before.map(date),
            ask: experiment.config().ask,
            has_outcomes: experiment.config().outcomes.is_some(),
        })
    }

    /// What a page asks its users or judges for.
    #[must_use]
    pub fn ask(&self) -> Ask {
        self.ask
    }

    /// Whether outcomes count.
    #[must_use]
    pub fn has_outcomes(&self) -> bool {
        self.has_outcomes
    }

    /// The last day that is exported, in days since 1970-01-01.
    #[must_use]
    pub fn final_day(&self) -> i32 {
        self.final_day
    }

    /// Why there is nothing to credit yet, and when there will be.
    #[must_use]
    pub fn why_nothing_is_final(&self) -> Option<&str> {
        self.why_nothing_is_final.as_deref()
    }

    /// The first exported day, if earlier ones were forgotten: the server has counted these too, so its verdict differs.
    #[must_use]
    pub fn kept_from(&self) -> Option<&str> {
        self.kept_from.as_deref()
    }

    /// Rules for bots as `--bots` reads them.
    #[must_use]
    pub fn bots_toml(&self) -> String {
        self.bots.to_toml()
    }

    /// The command that credits the exported files, in their folder.
    #[must_use]
    pub fn command(&self) -> String {
        let flags: Vec<String> = self.flags.iter().map(|flag| shell_quote(flag)).collect();
        let outcomes = if self.has_outcomes { "--outcomes outcomes.jsonl " } else { "" };
        format!(
            "click-logs credit --impressions impressions.jsonl --clicks clicks.jsonl --bots bots.toml {outcomes}{} --out credited",
            flags.join(" ")
        )
    }

    pub(super) fn json(&self) -> Value {
        let command = self.why_nothing_is_final.is_none().then(|| self.command());
        json!({
            "experiment": self.experiment,
            "bots": self.bots,
            "flags": self.flags,
            "command": command,
            "nothing_yet": self.why_nothing_is_final,
            "kept_from": self.kept_from,
        })
    }
}

/// A word of a POSIX shell.
fn shell_quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ',' | ':' | '/' | '@' | '+');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_quote;

    #[test]
    fn names_are_words_of_a_shell() {
        assert_eq!(shell_quote("a,b"), "a,b");
        assert_eq!(shell_quote("a b,$(x)"), "'a b,$(x)'");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
    }
}
