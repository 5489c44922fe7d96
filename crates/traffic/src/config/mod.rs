//! The settings of an experiment: written once, at the beginning of its log. Not here: the rates that its guardrails watch,
//! which `guards` counts.

mod guardrails;
mod outcomes;
mod schedule;
mod segments;
mod share;

use std::collections::{BTreeMap, BTreeSet};

use bandits::registry::Spec;
use bandits::{ActionKind, Generator};
use interleave::receipt::ExperimentVersion;
use interleave::{AnyInterleaving, AnyMultileaving, Interleaving as _, Multileaving as _, page};
use rand::SeedableRng as _;
use serde::{Deserialize, Serialize};
use times::{Zone, parse_duration};
use verdicts::conversions::Primary;
use verdicts::{Bots, PairChoice};

pub use guardrails::{BreachReaction, Guard, Guardrails};
pub(crate) use outcomes::OutcomeRules;
pub use outcomes::{CLICKS, OutcomeKind};
pub use segments::OTHER_SEGMENT;
pub use share::{Lane, Step, UnitPosition};
pub(crate) use share::{RampStep, check_share, is_below};

/// An error in a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct ConfigError {
    /// The field of [`Config`].
    pub field: &'static str,
    /// What was found, what is expected, and what to do.
    pub message: String,
}

/// The policy of `auto` where more than two rankers compete.
const AUTO_POLICY: &str = "bradley-terry";
/// The policy that is not one: all pairs in balanced blocks.
pub(crate) const FIXED_POLICY: &str = "fixed";
/// More rankers than these are refused.
const MAX_RANKERS: usize = 1_000;
/// More documents per impression than these are refused.
const MAX_DOCUMENTS: u32 = 1_000;

/// The settings of an experiment. They never change: those that must not change during a test belong to its
/// [version](Self::experiment_version), and another experiment begins with other settings.
///
/// ```
/// use traffic::Config;
///
/// let config: Config = serde_json::from_str(r#"{"name": "search", "rankers": ["old", {"name": "new", "version": "7"}]}"#)?;
/// let config = config.resolved()?;
/// assert_eq!((config.policy.as_str(), config.champion.as_deref()), ("fixed", Some("old")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Small letters, digits, `-` and `_`, at most 64.
    pub name: String,
    /// 2 to 1,000, each once.
    pub rankers: Vec<Ranker>,
    /// The ranker that provides the list where nothing is mixed; the first if `None`.
    #[serde(default)]
    pub champion: Option<String>,
    /// How the rankers of an impression are chosen: a policy of the registry of `bandits`, `fixed` (all pairs in balanced
    /// blocks, whatever the outcomes), or `auto` (`fixed` for two rankers, `bradley-terry` for more).
    #[serde(default = "auto")]
    pub policy: String,
    /// The number of impressions to come, for policies that need it; 0 for all others.
    #[serde(default)]
    pub horizon: u64,
    /// Whether lists are mixed, or judges compare two.
    #[serde(default)]
    pub ask: Ask,
    /// How two lists are mixed.
    #[serde(default = "team_draft")]
    pub interleaving: String,
    /// How three or more lists are mixed, for policies that choose sets.
    #[serde(default = "team_draft")]
    pub multileaving: String,
    /// The number of documents on a page.
    #[serde(default = "default_shown")]
    pub shown: u32,
    /// The number of documents to mix, for pages after the first; as many as on a page if 0.
    #[serde(default)]
    pub depth: u32,
    /// How long after an impression its clicks count, e.g. `30m`.
    #[serde(default = "default_window")]
    pub window: String,
    /// What keeps the rankers that it got first: the unit, or nothing.
    #[serde(default)]
    pub keep: Keep,
    /// The impressions of a unit count on the day of its first and on the days after it, N in all.
    #[serde(default = "default_unit_days")]
    pub unit_days: u32,
    /// Where days begin: `UTC`, or an offset such as `+01:00`.
    #[serde(default = "default_timezone")]
    pub timezone: String,
    /// The rules for bots.
    #[serde(default)]
    pub bots: Bots,
    /// The level of all verdicts together, in (0, 1).
    #[serde(default = "level")]
    pub level: f64,
    /// The rates of harm that are watched for each ranker, and the reaction to a breach.
    #[serde(default)]
    pub guardrails: Guardrails,
    /// All rankers show the champion's list: no ranker can be better, and a verdict is a false alarm.
    #[serde(default)]
    pub same_lists: bool,
    /// Users are simulated, and all output from the experiment states it.
    #[serde(default)]
    pub simulated: bool,
    /// From which all random choices follow.
    #[serde(default)]
    pub seed: u64,
    /// The run of that seed.
    #[serde(default)]
    pub run: u64,
    /// The states of the policy's generators, where they do not follow from the seed: those of a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generators: Option<Generators>,
    /// How long impressions, units and events are kept after their day, in whole days, e.g. `90d`; for ever if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retain: Option<String>,
    /// The share of units that is in the experiment at its beginning, above 0 and at most 1; that of the first step, if there is a ramp. It
    /// is raised later ([`raise`](crate::Experiment::raise)), and never lowered.
    #[serde(default = "default_share")]
    pub share: f64,
    /// Raises the share automatically, in steps of a higher share each. The next step begins once the experiment has run for the time
    /// of this one, as long as no guardrail broke and its pages can be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Vec<Step>>,
    /// The part of a layer that its units come from; all units if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    /// Labels of impressions, at most 8; each gets a verdict of its own. A unit belongs to the segment of its first impression; a unit
    /// without a label, or with another, counts as [`OTHER_SEGMENT`], which gets no verdict.
    #[serde(default)]
    pub segments: Vec<String>,
    /// When it ends automatically: a time such as `2026-12-24T18:00:00Z`, or without a zone in that of the experiment, or a date, which is
    /// its first moment; `None` if it is ended by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_at: Option<String>,
    /// The experiment after which it begins: until that one is over it is paused. It begins immediately if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin_after: Option<String>,
    /// Later actions of users that count, such as orders: by the name of the action, and whether only its number counts, or its value too.
    /// They are credited to the rankers that showed the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<BTreeMap<String, OutcomeKind>>,
    /// The number of days after the last day on which its impressions count until a unit closes for outcomes; 7, or the window of
    /// `attribution`, if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_days: Option<u32>,
    /// To which of the lists that showed the document an outcome is credited: `last` (if `None`), `all`, `window=7d` or `most-drafted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// The currency of values that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// By how much the values of both sides of a unit may differ, in minor units such as cents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<u64>,
    /// The measure that decides: `clicks` (if `None`), `conversions`, which is the number of outcomes, or `value`. The others are
    /// shown beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<Primary>,
}

fn auto() -> String {
    "auto".to_owned()
}

fn team_draft() -> String {
    "team-draft".to_owned()
}

fn default_window() -> String {
    "30m".to_owned()
}

fn default_timezone() -> String {
    "UTC".to_owned()
}

fn default_shown() -> u32 {
    10
}

fn default_unit_days() -> u32 {
    1
}

fn level() -> f64 {
    0.05
}

fn default_share() -> f64 {
    1.0
}

/// A ranker and the version of it that takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RankerForm")]
pub struct Ranker {
    /// Its name.
    pub name: String,
    /// Its version, as its owner states it; may be empty.
    pub version: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RankerForm {
    Name(String),
    Ranker(VersionedRanker),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionedRanker {
    name: String,
    #[serde(default)]
    version: String,
}

impl From<RankerForm> for Ranker {
    fn from(read: RankerForm) -> Self {
        match read {
            RankerForm::Name(name) => Self { name, version: String::new() },
            RankerForm::Ranker(VersionedRanker { name, version }) => Self { name, version },
        }
    }
}

/// The form of impressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Lists that are mixed and clicked.
    #[default]
    Lists,
    /// Pairs of rankers for judges, without lists.
    Duels,
}

/// What keeps the rankers that it got first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// A unit: while its impressions count, it meets the same rankers, so that its own outcomes cannot end the sum that is
    /// its outcome.
    #[default]
    Unit,
    /// Nothing: the policy chooses for every impression. Then only a unit's first impression is evidence.
    Impression,
}

/// The states of two generators, each as 64 hexadecimal digits: four words of xoshiro256++, the lowest byte of each first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generators {
    /// The policy's.
    pub policy: String,
    /// The coins'.
    pub coins: String,
}

fn invalid(field: &'static str, message: impl Into<String>) -> ConfigError {
    ConfigError { field, message: message.into() }
}

fn generator(field: &'static str, text: &str) -> Result<Generator, ConfigError> {
    let digits = || invalid(field, format!("expected 64 hexadecimal digits, found `{text}`"));
    let bytes = text.as_bytes();
    if bytes.len() != 64 || !bytes.iter().all(u8::is_ascii_hexdigit) {
        return Err(digits());
    }
    let mut state = [0_u8; 32];
    for (byte, pair) in state.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).map_err(|_| digits())?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| digits())?;
    }
    if state == [0; 32] {
        return Err(invalid(field, "all digits are 0, in which state it would draw nothing else"));
    }
    Ok(Generator::from_seed(state))
}

/// Whether a name is 1 to 64 small letters, digits, `-` and `_`.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

impl Config {
    /// The settings for these rankers, everything else as by default.
    #[must_use]
    pub fn of<S: Into<String>>(name: &str, rankers: impl IntoIterator<Item = S>) -> Self {
        Self {
            name: name.to_owned(),
            rankers: rankers.into_iter().map(|name| Ranker { name: name.into(), version: String::new() }).collect(),
            champion: None,
            policy: auto(),
            horizon: 0,
            ask: Ask::Lists,
            interleaving: team_draft(),
            multileaving: team_draft(),
            shown: default_shown(),
            depth: 0,
            window: default_window(),
            keep: Keep::Unit,
            unit_days: default_unit_days(),
            timezone: default_timezone(),
            bots: Bots::default(),
            level: level(),
            guardrails: Guardrails::default(),
            same_lists: false,
            simulated: false,
            seed: 0,
            run: 0,
            generators: None,
            retain: None,
            share: default_share(),
            ramp: None,
            lane: None,
            segments: Vec::new(),
            end_at: None,
            begin_after: None,
            outcomes: None,
            outcome_days: None,
            attribution: None,
            currency: None,
            cap: None,
            primary: None,
        }
    }

    /// The same with everything stated that a default decides, checked.
    ///
    /// # Errors
    /// For the first setting that is wrong.
    pub fn resolved(mut self) -> Result<Self, ConfigError> {
        self.check_rankers()?;
        if self.champion.is_none() {
            self.champion = self.rankers.first().map(|ranker| ranker.name.clone());
        }
        if self.policy == "auto" {
            self.policy = if self.rankers.len() == 2 { FIXED_POLICY } else { AUTO_POLICY }.to_owned();
        }
        if let Some(spec) = self.spec()? {
            self.policy = spec.canonical();
        }
        if self.depth == 0 {
            self.depth = self.shown;
        }
        self.resolve_outcomes()?;
        self.rules()?;
        if let Some(first) = self.ramp.as_ref().and_then(|steps| steps.first()) {
            self.share = first.share();
        }
        Ok(self)
    }

    fn check_rankers(&self) -> Result<(), ConfigError> {
        if !is_plain(&self.name) {
            let name: String = self.name.chars().take(80).collect();
            return Err(invalid(
                "name",
                format!("expected 1 to 64 small letters, digits, `-` and `_`, found `{}`", name.escape_debug()),
            ));
        }
        let count = self.rankers.len();
        if !(2..=MAX_RANKERS).contains(&count) {
            return Err(invalid("rankers", format!("expected 2 to {MAX_RANKERS} rankers, found {count}")));
        }
        let mut names_seen = BTreeSet::new();
        for (place, Ranker { name, version }) in (1..).zip(&self.rankers) {
            ranktypes::text::check_name(name)
                .map_err(|fault| invalid("rankers", format!("the name of ranker {place} {fault}")))?;
            if !version.is_empty() {
                ranktypes::text::check_name(version)
                    .map_err(|fault| invalid("rankers", format!("the version of ranker {place} {fault}")))?;
            }
            if !names_seen.insert(name) {
                return Err(invalid("rankers", format!("ranker {place}, `{name}`, is there twice; name each once")));
            }
        }
        match &self.champion {
            Some(champion) if !names_seen.contains(champion) => {
                Err(invalid("champion", format!("`{}` is not one of the rankers", champion.escape_debug())))
            }
            _ => Ok(()),
        }
    }

    /// The policy of the registry; `None` if pairs are fixed.
    pub(crate) fn spec(&self) -> Result<Option<Spec>, ConfigError> {
        if self.policy == FIXED_POLICY {
            return if self.horizon == 0 {
                Ok(None)
            } else {
                Err(invalid("horizon", "`fixed` has none; leave it out"))
            };
        }
        let spec: Spec =
            self.policy.parse().map_err(|error: bandits::ParameterError| invalid("policy", error.to_string()))?;
        match (spec.uses_horizon(), self.horizon) {
            (true, 0) => {
                Err(invalid("horizon", format!("`{}` must know how many impressions there will be", self.policy)))
            }
            (false, 1..) => Err(invalid("horizon", format!("`{}` has none; leave it out", self.policy))),
            _ if self.ask == Ask::Duels && spec.action_kind() == ActionKind::Sets => Err(invalid(
                "policy",
                format!("`{}` chooses sets, judges compare two; use a policy of duels", self.policy),
            )),
            _ => Ok(Some(spec)),
        }
    }

    /// The settings, parsed.
    pub(crate) fn rules(&self) -> Result<Rules, ConfigError> {
        self.check_rankers()?;
        let spec = self.spec()?;
        let plays_sets = spec.is_some_and(|spec| spec.action_kind() == ActionKind::Sets);
        let interleaving: AnyInterleaving = self
            .interleaving
            .parse()
            .map_err(|error: interleave::NameError| invalid("interleaving", error.to_string()))?;
        let multileaving: AnyMultileaving = self
            .multileaving
            .parse()
            .map_err(|error: interleave::NameError| invalid("multileaving", error.to_string()))?;
        if !(1..=MAX_DOCUMENTS).contains(&self.shown) {
            return Err(invalid("shown", format!("expected 1 to {MAX_DOCUMENTS} documents, found {}", self.shown)));
        }
        let depth = if self.depth == 0 { self.shown } else { self.depth };
        if depth > MAX_DOCUMENTS {
            return Err(invalid("depth", format!("expected at most {MAX_DOCUMENTS} documents, found {depth}")));
        }
        // Before page 1 is drawn: methods that cannot serve a second page are refused here. A policy of sets may choose
        // two.
        let check = |is_stable, method: &str| {
            page::check_depth(is_stable, method, self.shown as usize, depth as usize)
                .map_err(|error| invalid("depth", error.to_string()))
        };
        if plays_sets {
            check(multileaving.is_prefix_stable(), &self.multileaving)?;
        }
        check(interleaving.is_prefix_stable(), &self.interleaving)?;
        let window = parse_duration(&self.window).map_err(|error| invalid("window", error))?;
        if !(1..=30 * 24 * 3_600_000).contains(&window) {
            return Err(invalid("window", format!("expected 1ms to 30d, found `{}`", self.window)));
        }
        let zone = Zone::parse(&self.timezone).map_err(|error| invalid("timezone", error))?;
        if !(1..=3_650).contains(&self.unit_days) {
            return Err(invalid("unit_days", format!("expected 1 to 3650, found {}", self.unit_days)));
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(invalid("level", format!("expected a level above 0 and below 1, found {}", self.level)));
        }
        let Guardrails { no_click, missing, slow, .. } = self.guardrails;
        if let Some(margin) =
            [no_click, missing, slow].into_iter().flatten().find(|margin| !(0.0..=1.0).contains(margin))
        {
            return Err(invalid("guardrails", format!("expected a margin from 0 to 1, found {margin}")));
        }
        if self.same_lists && self.ask == Ask::Duels {
            return Err(invalid("same_lists", "judges compare no lists; leave it out"));
        }
        let generators = match &self.generators {
            None => None,
            Some(Generators { policy, coins }) => {
                Some([generator("generators.policy", policy)?, generator("generators.coins", coins)?])
            }
        };
        let ramp = self.ramp_rules()?;
        self.check_segments()?;
        let end_time = self.schedule_rules(zone)?;
        let outcomes = self.outcome_rules(&interleaving, plays_sets.then_some(&multileaving))?;
        let retain = self.retain.as_deref().map(|text| self.retained_days(text, window)).transpose()?;
        let pairs: Vec<(&str, &str)> =
            self.rankers.iter().map(|ranker| (ranker.name.as_str(), ranker.version.as_str())).collect();
        let methods =
            if plays_sets { format!("{} {}", self.interleaving, self.multileaving) } else { self.interleaving.clone() };
        let choice = match (self.policy.as_str(), self.keep) {
            (FIXED_POLICY, _) => PairChoice::Chance,
            (_, Keep::Unit) => PairChoice::Kept,
            (_, Keep::Impression) => PairChoice::Steered,
        };
        let champion =
            self.champion.as_ref().and_then(|name| self.rankers.iter().position(|ranker| ranker.name == *name));
        Ok(Rules {
            interleaving,
            multileaving,
            depth: depth as usize,
            window,
            zone,
            champion: champion.unwrap_or(0) as u32,
            version: ExperimentVersion::new(&self.name, &pairs, &methods, self.shown as usize),
            // Units of a segment are counted as a version of their own.
            choices: vec![choice; self.segments.len() + 1],
            generators,
            retain,
            ramp,
            end_at: end_time,
            outcomes,
        })
    }

    /// On how many days after its own an impression is kept.
    fn retained_days(&self, text: &str, window: i64) -> Result<i32, ConfigError> {
        const DAY: i64 = 24 * 3_600_000;
        let wrong =
            |expected: String| invalid("retain", format!("expected {expected}, found `{}`", text.escape_debug()));
        let retention = parse_duration(text).map_err(|error| invalid("retain", error))?;
        if retention % DAY != 0 || !(DAY..=36_500 * DAY).contains(&retention) {
            return Err(wrong("whole days from 1d to 36500d".to_owned()));
        }
        // Data that still count must not be forgotten.
        let counts = window.div_euclid(DAY) + 1 + i64::from(self.unit_days) + i64::from(self.days_for_outcomes());
        if retention / DAY < counts {
            let what = if self.outcomes.is_some() { "outcomes are credited" } else { "impressions count" };
            return Err(wrong(format!("at least {counts}d, because {what} for as long")));
        }
        Ok((retention / DAY) as i32)
    }

    /// The version of the experiment, from all that must not change during a test: the rankers with their versions, the
    /// method, the length of a page.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn experiment_version(&self) -> Result<ExperimentVersion, ConfigError> {
        Ok(self.rules()?.version)
    }

    /// How the rankers of impressions are chosen, in the terms of `click-logs`.
    ///
    /// # Errors
    /// If a setting is wrong.
    pub fn pair_choice(&self) -> Result<PairChoice, ConfigError> {
        Ok(self.rules()?.choice())
    }
}

/// The settings, parsed.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) interleaving: AnyInterleaving,
    pub(crate) multileaving: AnyMultileaving,
    pub(crate) depth: usize,
    /// In milliseconds.
    pub(crate) window: i64,
    pub(crate) zone: Zone,
    pub(crate) champion: u32,
    pub(crate) version: ExperimentVersion,
    /// How rankers are chosen, by segment; units without one come first.
    pub(crate) choices: Vec<PairChoice>,
    /// The policy's and the coins'.
    pub(crate) generators: Option<[Generator; 2]>,
    /// On how many days after its own an impression is kept; on all if `None`.
    pub(crate) retain: Option<i32>,
    /// The steps of the ramp, starting with the initial share; none without a ramp.
    pub(crate) ramp: Vec<RampStep>,
    /// When it ends automatically, in milliseconds since 1970.
    pub(crate) end_at: Option<i64>,
    /// How outcomes are credited, if any count.
    pub(crate) outcomes: Option<OutcomeRules>,
}

impl Rules {
    /// How rankers are chosen: alike in all segments.
    pub(crate) fn choice(&self) -> PairChoice {
        self.choices[0]
    }
}
