//! The settings of a session: written once, at the beginning of its log.

use std::collections::BTreeMap;

use bandits::ActionKind;
use bandits::registry::Spec;
use serde::{Deserialize, Serialize};

use crate::verdicts::verdict_from_word;

/// The policy of `auto`: of those measured, the one that names the best with the fewest judgements (see the README).
pub const AUTO: &str = TOP_TWO;

/// The policy of this crate: the leader of the Bradley-Terry model meets its closest challenger.
pub(crate) const TOP_TWO: &str = "top-two";

/// More competitors than these are refused: their posterior is a table of all pairs.
const MAX_COMPETITORS: usize = 2_000;

/// What the judgements are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// To name the best competitor: a dueling bandit chooses.
    #[default]
    Best,
    /// To rank all competitors: the pair from which most is learnt under a Bradley-Terry model.
    Order,
    /// A balanced design: every pair equally often, up to one.
    Uniform,
}

impl Goal {
    /// Its name: `best`, `order` or `uniform`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Order => "order",
            Self::Uniform => "uniform",
        }
    }
}

/// The settings of a session. They never change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The competitors, at least two, each once.
    pub names: Vec<String>,
    /// The items (prompts, queries) on which they are compared, each once; empty if there is only one thing to compare.
    pub items: Vec<String>,
    /// What the judgements are for.
    pub goal: Goal,
    /// The policy of goal `best`: `top-two`, one of the registry of `bandits` as that writes it, or `auto` ([`AUTO`]).
    pub policy: String,
    /// How many judgements there will be, for policies that need a horizon; 0 for all others.
    pub horizon: u64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether each pair is judged in both orders on its item. A disagreement is a tie for the policy.
    pub both: bool,
    /// The share of questions that repeat an earlier one, 0 to 0.5. The policy does not learn from them.
    pub repeat: f64,
    /// By how much the best may be better than the one that is named, as a share of points, 0 to below 0.5: with 0.05, one that gets at least
    /// 45% of the points against each other is good enough. `top-two` chooses pairs accordingly; without it, sessions between equals never end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tolerance: f64,
    /// A model that answers every question, with some answers audited by people; `None` if all judges count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<AuditedModel>,
}

/// A model beside people. The claims of a session are about people: the model only saves some of their judgements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditedModel {
    /// Its name as a judge.
    pub name: String,
    /// What an answer of it costs, in judgements of a person: above 0, at most 1.
    pub cost: f64,
    /// The people who audit, at least one, each once.
    pub people: Vec<String>,
}

impl AuditedModel {
    /// Whether this judge is the model or one of the people.
    #[must_use]
    pub fn is_model_or_person(&self, judge: &str) -> bool {
        self.name == judge || self.people.iter().any(|person| person == judge)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct ConfigError {
    /// The field of [`Config`].
    pub field: &'static str,
    /// What was found, what is expected, and what to do.
    pub message: String,
}

fn invalid(field: &'static str, message: String) -> ConfigError {
    ConfigError { field, message }
}

impl Config {
    /// The settings for these competitors, everything else as by default: goal `best`, policy `auto`, no items, seed 0.
    #[must_use]
    pub fn of<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self {
            names: names.into_iter().map(Into::into).collect(),
            items: Vec::new(),
            goal: Goal::Best,
            policy: "auto".to_owned(),
            horizon: 0,
            seed: 0,
            both: false,
            repeat: 0.0,
            tolerance: 0.0,
            model: None,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// For the first that is wrong.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_names()?;
        let mut line_by_item = BTreeMap::new();
        for (line, item) in (1..).zip(&self.items) {
            if item.trim().is_empty() {
                return Err(invalid("items", format!("item {line} is empty; remove it")));
            }
            if let Some(earlier_line) = line_by_item.insert(item.as_str(), line) {
                return Err(invalid("items", format!("items {earlier_line} and {line} are the same; remove one")));
            }
        }
        self.spec()?;
        if !(0.0..=0.5).contains(&self.repeat) {
            return Err(invalid("repeat", format!("expected a share from 0 to 0.5, found {}", self.repeat)));
        }
        if !(0.0..0.5).contains(&self.tolerance) {
            return Err(invalid(
                "tolerance",
                format!("expected a share of points from 0 to below 0.5, found {}", self.tolerance),
            ));
        }
        self.model.as_ref().map_or(Ok(()), |model| self.check_model(model))
    }

    fn check_model(&self, model: &AuditedModel) -> Result<(), ConfigError> {
        let AuditedModel { name, cost, people } = model;
        check_name(name).map_err(|fault| invalid("model", format!("its name {fault}")))?;
        if !(*cost > 0.0 && *cost <= 1.0) {
            return Err(invalid(
                "model_cost",
                format!("expected what an answer costs in judgements of a person, above 0 and at most 1, found {cost}"),
            ));
        }
        if people.is_empty() {
            return Err(invalid("people", format!("somebody must audit `{name}`: name at least one person")));
        }
        check_distinct_names("people", people)?;
        if let Some(index) = people.iter().position(|person| person == name) {
            let index = index + 1;
            return Err(invalid("people", format!("name {index} is `{name}`, which is the model; leave it out")));
        }
        let remedy = "beside a model, people correct what its answers depend on; leave it out, or leave out the model";
        if self.both {
            return Err(invalid("both", remedy.to_owned()));
        }
        if self.repeat > 0.0 {
            return Err(invalid("repeat", remedy.to_owned()));
        }
        if self.spec()?.is_some() {
            return Err(invalid(
                "policy",
                format!(
                    "`{}` learns from verdicts, and an audited answer is none; use `{TOP_TWO}`, or leave out the model",
                    self.policy
                ),
            ));
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), ConfigError> {
        let count = self.names.len();
        if !(2..=MAX_COMPETITORS).contains(&count) {
            return Err(invalid("names", format!("expected 2 to {MAX_COMPETITORS} competitors, found {count}")));
        }
        check_distinct_names("names", &self.names)?;
        for (line, name) in (1..).zip(&self.names) {
            if verdict_from_word(&name.to_lowercase()).is_some() {
                return Err(invalid("names", format!("name {line} is `{name}`, which is a verdict; use another name")));
            }
        }
        Ok(())
    }

    /// Whether this is the policy, however it is written.
    #[must_use]
    pub fn has_policy(&self, text: &str) -> bool {
        let canonical = |text: &str| {
            let text = if text == "auto" { AUTO } else { text };
            text.parse::<Spec>().map_or_else(|_| text.to_owned(), |spec| spec.canonical())
        };
        canonical(text) == canonical(&self.policy)
    }

    /// The policy of the registry that chooses; `None` if another rule does.
    pub(crate) fn spec(&self) -> Result<Option<Spec>, ConfigError> {
        if self.goal != Goal::Best {
            let goal = self.goal.name();
            if self.policy != "auto" {
                return Err(invalid(
                    "policy",
                    format!("found `{}`, but goal `{goal}` needs none; leave it out, or use goal `best`", self.policy),
                ));
            }
            return if self.horizon == 0 {
                Ok(None)
            } else {
                Err(invalid("horizon", format!("goal `{goal}` has none; leave it out")))
            };
        }
        let text = if self.policy == "auto" { AUTO } else { &self.policy };
        if text == TOP_TWO {
            return if self.horizon == 0 {
                Ok(None)
            } else {
                Err(invalid("horizon", format!("`{text}` has none; leave it out")))
            };
        }
        let spec: Spec = text.parse().map_err(|error: bandits::ParameterError| invalid("policy", error.to_string()))?;
        if spec.action_kind() == ActionKind::Sets {
            return Err(invalid("policy", format!("`{text}` chooses sets, judges compare two; use a policy of duels")));
        }
        match (spec.uses_horizon(), self.horizon) {
            (true, 0) => Err(invalid("horizon", format!("`{text}` must know how many judgements there will be"))),
            (false, 1..) => Err(invalid("horizon", format!("`{text}` has none; leave it out"))),
            _ => Ok(Some(spec)),
        }
    }
}

/// Checks that each can be a name, and that none recurs.
fn check_distinct_names(field: &'static str, names: &[String]) -> Result<(), ConfigError> {
    let mut line_by_name = BTreeMap::new();
    for (line, name) in (1..).zip(names) {
        check_name(name).map_err(|fault| invalid(field, format!("name {line} {fault}")))?;
        if let Some(earlier_line) = line_by_name.insert(name.as_str(), line) {
            return Err(invalid(field, format!("names {earlier_line} and {line} are both `{name}`; rename one")));
        }
    }
    Ok(())
}

/// Checks that a name can be one of a competitor or a judge.
///
/// # Errors
/// With the fault, as a predicate: "is empty".
pub fn check_name(name: &str) -> Result<(), String> {
    let is_control = |c: &char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if name.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    if let Some(control_character) = name.chars().find(is_control) {
        return Err(format!("contains the control character {}; remove it", control_character.escape_unicode()));
    }
    if name.trim() != name {
        return Err(format!("begins or ends with a space: `{name}`; remove it"));
    }
    Ok(())
}
