//! Later actions of users, such as orders: the actions that count, how they are credited, and the measure that decides. The
//! rules are those of `click-logs credit --outcomes`, and so are the refusals.

use std::collections::BTreeMap;

use interleave::{AnyInterleaving, AnyMultileaving};
use ranktypes::text::check_name;
use serde::{Deserialize, Serialize};
use verdicts::conversions::{Attribution, Primary};

use super::{Ask, Config, ConfigError, FIXED_POLICY, Keep, MAX_RANKERS, invalid};

/// More actions than these are refused.
const MAX_ACTIONS: usize = 20;
/// The largest cap, in minor units.
const MAX_CAP: u64 = 1_000_000_000;
/// The most days after which a unit closes.
const MAX_DAYS: u32 = 3_650;
/// The actions that are clicks, which count anyway.
pub const CLICKS: [&str; 2] = ["click", "click_through"];

// The owner of a document is stored in 16 bits, and two values mean that no ranker owns it.
const _: () = assert!(MAX_RANKERS < u16::MAX as usize - 1);

/// The part of an outcome that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    /// Its number.
    Number,
    /// Its value, too.
    Value,
}

/// The settings of outcomes, parsed.
#[derive(Debug, Clone)]
pub(crate) struct OutcomeRules {
    /// In the order of their names.
    pub(crate) actions: Vec<String>,
    pub(crate) currency: Option<String>,
    pub(crate) attribution: Attribution,
    /// The number of days after the last day of its impressions until a unit closes.
    pub(crate) days: i32,
    pub(crate) cap: Option<u64>,
    pub(crate) primary: Primary,
}

impl Config {
    /// Fills in the defaults for outcomes, if there are any.
    pub(super) fn resolve_outcomes(&mut self) -> Result<(), ConfigError> {
        if self.outcomes.is_some() {
            let attribution = self.attribution()?;
            self.attribution = Some(attribution.to_string());
            self.outcome_days.get_or_insert(attribution.days());
            self.primary.get_or_insert_default();
        }
        Ok(())
    }

    fn attribution(&self) -> Result<Attribution, ConfigError> {
        let text = self.attribution.as_deref().unwrap_or("last");
        text.parse().map_err(|expected| invalid("attribution", format!("{expected}, found `{}`", text.escape_debug())))
    }

    /// The number of days after the last day of its impressions until a unit closes; 0 without outcomes.
    pub(super) fn days_for_outcomes(&self) -> u32 {
        self.outcomes.as_ref().map_or(0, |_| self.outcome_days.unwrap_or(0))
    }

    /// Parses the settings of outcomes; `None` if there are none.
    pub(super) fn outcome_rules(
        &self,
        interleaving: &AnyInterleaving,
        multileaving: Option<&AnyMultileaving>,
    ) -> Result<Option<OutcomeRules>, ConfigError> {
        let Some(outcomes) = &self.outcomes else {
            let stray_settings = [
                ("outcome_days", self.outcome_days.is_some()),
                ("attribution", self.attribution.is_some()),
                ("currency", self.currency.is_some()),
                ("cap", self.cap.is_some()),
                ("primary", self.primary.is_some()),
            ];
            return match stray_settings.into_iter().find(|(_, is_set)| *is_set) {
                Some((field, _)) => Err(invalid(
                    field,
                    "it says how `outcomes` are credited, and there are none; name them, or leave it out",
                )),
                None => Ok(None),
            };
        };
        if self.ask == Ask::Duels {
            return Err(invalid("outcomes", "judges buy nothing; leave it out"));
        }
        self.check_owners(interleaving, multileaving)?;
        let kind = check_actions(outcomes)?;
        let days = self.outcome_days.unwrap_or_default();
        if days > MAX_DAYS {
            return Err(invalid("outcome_days", format!("expected 0 to {MAX_DAYS}, found {days}")));
        }
        if let Some(cap) = self.cap.filter(|cap| !(1..=MAX_CAP).contains(cap)) {
            return Err(invalid("cap", format!("expected 1 to {MAX_CAP} minor units, found {cap}")));
        }
        let primary = self.primary.unwrap_or_default();
        if primary != Primary::Clicks && self.policy != FIXED_POLICY && self.keep == Keep::Impression {
            return Err(invalid(
                "primary",
                "with `keep` \"impression\", what a unit sees while its orders count follows from what the policy has learnt, so they do not compare \
                 rankers fairly; keep units, or take the policy `fixed`",
            ));
        }
        match kind {
            OutcomeKind::Value if self.cap.is_none() => {
                return Err(invalid(
                    "cap",
                    "outcomes have a value: say by how much the values of both sides of a unit may differ, in minor units, before \
                     anything is seen",
                ));
            }
            OutcomeKind::Value => match self.currency.as_deref() {
                None => return Err(invalid("currency", "outcomes have a value: name the currency that counts")),
                Some(currency) => check_name(currency).map_err(|fault| invalid("currency", format!("it {fault}")))?,
            },
            OutcomeKind::Number => {
                let value_settings = [
                    ("cap", self.cap.is_some()),
                    ("currency", self.currency.is_some()),
                    ("primary", primary == Primary::Value),
                ];
                if let Some((field, _)) = value_settings.into_iter().find(|(_, is_set)| *is_set) {
                    return Err(invalid(
                        field,
                        "only the number of these outcomes counts; say \"value\" in `outcomes`",
                    ));
                }
            }
        }
        Ok(Some(OutcomeRules {
            actions: outcomes.keys().cloned().collect(),
            currency: self.currency.clone(),
            attribution: self.attribution()?,
            days: days as i32,
            cap: self.cap,
            primary,
        }))
    }

    /// Checks that documents have owners: outcomes are credited to them.
    fn check_owners(
        &self,
        interleaving: &AnyInterleaving,
        multileaving: Option<&AnyMultileaving>,
    ) -> Result<(), ConfigError> {
        if !interleaving.ownership().has_owners() {
            return Err(invalid(
                "interleaving",
                format!(
                    "outcomes are credited to those who own documents, and `{}` does not say who does; take team-draft, team-draft:pairs \
                     or probabilistic:assignment",
                    self.interleaving
                ),
            ));
        }
        if multileaving.is_some_and(|method| !method.ownership().has_owners()) {
            return Err(invalid(
                "multileaving",
                format!(
                    "outcomes are credited to those who own documents, and `{}` does not say who does; take team-draft",
                    self.multileaving
                ),
            ));
        }
        Ok(())
    }
}

fn check_actions(outcomes: &BTreeMap<String, OutcomeKind>) -> Result<OutcomeKind, ConfigError> {
    let Some(&kind) = outcomes.values().next().filter(|_| outcomes.len() <= MAX_ACTIONS) else {
        return Err(invalid("outcomes", format!("expected 1 to {MAX_ACTIONS} actions, found {}", outcomes.len())));
    };
    for (name, action_kind) in outcomes {
        check_name(name).map_err(|fault| invalid("outcomes", format!("the name of an action {fault}")))?;
        if name.len() > 256 {
            return Err(invalid("outcomes", "the name of an action has more than 256 bytes"));
        }
        if CLICKS.contains(&name.as_str()) {
            return Err(invalid(
                "outcomes",
                format!("`{name}` is a click, which counts anyway; name what comes of it later"),
            ));
        }
        if *action_kind != kind {
            return Err(invalid(
                "outcomes",
                "some say \"number\" and others \"value\"; say \"value\" of all, or \"number\" where only their number counts",
            ));
        }
    }
    Ok(kind)
}
