//! Settings of an experiment as its store keeps them, separate from those of requests: the two evolve independently.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use verdicts::Bots;

use super::super::super::config::{Config, Generators, Guardrails, Lane, Ranker, Step};
use super::values::{AskV1, BreachReactionV1, KeepV1, OutcomeKindV1, PrimaryV1};

#[derive(Serialize, Deserialize)]
pub(super) struct SettingsV1<'a> {
    name: &'a str,
    #[serde(borrow)]
    rankers: Vec<RankerV1<'a>>,
    champion: Option<&'a str>,
    policy: &'a str,
    horizon: u64,
    ask: AskV1,
    interleaving: &'a str,
    multileaving: &'a str,
    shown: u32,
    depth: u32,
    window: &'a str,
    keep: KeepV1,
    unit_days: u32,
    timezone: &'a str,
    bots: BotsV1<'a>,
    level: f64,
    guardrails: GuardrailsV1,
    same_lists: bool,
    simulated: bool,
    seed: u64,
    run: u64,
    generators: Option<GeneratorsV1<'a>>,
}

impl<'a> SettingsV1<'a> {
    pub(super) fn of(config: &'a Config) -> Self {
        let Config {
            name,
            rankers,
            champion,
            policy,
            horizon,
            ask,
            interleaving,
            multileaving,
            shown,
            depth,
            window,
            keep,
            unit_days,
            timezone,
            bots,
            level,
            guardrails,
            same_lists,
            simulated,
            seed,
            run,
            generators,
            // Beside these in the event.
            retain: _,
            share: _,
            ramp: _,
            lane: _,
            segments: _,
            end_at: _,
            begin_after: _,
            outcomes: _,
            outcome_days: _,
            attribution: _,
            currency: _,
            cap: _,
            primary: _,
        } = config;
        Self {
            name,
            rankers: rankers.iter().map(|Ranker { name, version }| RankerV1 { name, version }).collect(),
            champion: champion.as_deref(),
            policy,
            horizon: *horizon,
            ask: AskV1::of(*ask),
            interleaving,
            multileaving,
            shown: *shown,
            depth: *depth,
            window,
            keep: KeepV1::of(*keep),
            unit_days: *unit_days,
            timezone,
            bots: BotsV1::of(bots),
            level: *level,
            guardrails: GuardrailsV1::of(guardrails),
            same_lists: *same_lists,
            simulated: *simulated,
            seed: *seed,
            run: *run,
            generators: generators.as_ref().map(|Generators { policy, coins }| GeneratorsV1 { policy, coins }),
        }
    }

    pub(super) fn upgrade(self) -> Config {
        let Self {
            name,
            rankers,
            champion,
            policy,
            horizon,
            ask,
            interleaving,
            multileaving,
            shown,
            depth,
            window,
            keep,
            unit_days,
            timezone,
            bots,
            level,
            guardrails,
            same_lists,
            simulated,
            seed,
            run,
            generators,
        } = self;
        let ranker = |RankerV1 { name, version }: &RankerV1<'_>| Ranker {
            name: (*name).to_owned(),
            version: (*version).to_owned(),
        };
        Config {
            name: name.to_owned(),
            rankers: rankers.iter().map(ranker).collect(),
            champion: champion.map(str::to_owned),
            policy: policy.to_owned(),
            horizon,
            ask: ask.upgrade(),
            interleaving: interleaving.to_owned(),
            multileaving: multileaving.to_owned(),
            shown,
            depth,
            window: window.to_owned(),
            keep: keep.upgrade(),
            unit_days,
            timezone: timezone.to_owned(),
            bots: bots.upgrade(),
            level,
            guardrails: guardrails.upgrade(),
            same_lists,
            simulated,
            seed,
            run,
            generators: generators.map(|GeneratorsV1 { policy, coins }| Generators {
                policy: policy.to_owned(),
                coins: coins.to_owned(),
            }),
            retain: None,
            share: 1.0,
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
}

/// The units that are in an experiment.
#[derive(Serialize, Deserialize)]
pub(super) struct PopulationV1<'a> {
    share: f64,
    /// Percentages and times.
    #[serde(borrow)]
    ramp: Option<Vec<(f64, Option<&'a str>)>>,
    #[serde(borrow)]
    lane: Option<LaneV1<'a>>,
}

impl<'a> PopulationV1<'a> {
    pub(super) fn of(config: &'a Config) -> Self {
        let step = |Step { percent, hold }: &'a Step| (*percent, hold.as_deref());
        Self {
            share: config.share,
            ramp: config.ramp.as_ref().map(|steps| steps.iter().map(step).collect()),
            lane: config.lane.as_ref().map(|Lane { of, from, to }| LaneV1 { of, from: *from, to: *to }),
        }
    }

    /// The settings with these.
    pub(super) fn upgrade(self, config: Config) -> Config {
        let Self { share, ramp, lane } = self;
        let step = |(percent, hold): (f64, Option<&str>)| Step { percent, hold: hold.map(str::to_owned) };
        Config {
            share,
            ramp: ramp.map(|steps| steps.into_iter().map(step).collect()),
            lane: lane.map(|LaneV1 { of, from, to }| Lane { of: of.to_owned(), from, to }),
            ..config
        }
    }
}

/// When an experiment begins and ends automatically.
#[derive(Serialize, Deserialize)]
pub(super) struct ScheduleV1<'a> {
    end_at: Option<&'a str>,
    begin_after: Option<&'a str>,
}

impl<'a> ScheduleV1<'a> {
    pub(super) fn of(config: &'a Config) -> Self {
        Self { end_at: config.end_at.as_deref(), begin_after: config.begin_after.as_deref() }
    }

    /// The settings with these.
    pub(super) fn upgrade(self, config: Config) -> Config {
        let Self { end_at, begin_after } = self;
        Config { end_at: end_at.map(str::to_owned), begin_after: begin_after.map(str::to_owned), ..config }
    }
}

/// Later actions of users that count.
#[derive(Serialize, Deserialize)]
pub(super) struct OutcomesV1<'a> {
    /// In the order of their names.
    #[serde(borrow)]
    actions: Vec<(&'a str, OutcomeKindV1)>,
    days: Option<u32>,
    attribution: Option<&'a str>,
    currency: Option<&'a str>,
    cap: Option<u64>,
    primary: Option<PrimaryV1>,
}

impl<'a> OutcomesV1<'a> {
    /// The stored outcomes of settings, if there are any.
    pub(super) fn of(config: &'a Config) -> Option<Self> {
        let outcomes = config.outcomes.as_ref()?;
        Some(Self {
            actions: outcomes.iter().map(|(name, kind)| (name.as_str(), OutcomeKindV1::of(*kind))).collect(),
            days: config.outcome_days,
            attribution: config.attribution.as_deref(),
            currency: config.currency.as_deref(),
            cap: config.cap,
            primary: config.primary.map(PrimaryV1::of),
        })
    }

    /// The settings with these; `None` if they are in another form than [`of`](Self::of) gives.
    pub(super) fn upgrade(self, config: Config) -> Option<Config> {
        let Self { actions, days, attribution, currency, cap, primary } = self;
        if !actions.is_sorted_by(|(one, _), (next, _)| one < next) {
            return None;
        }
        Some(Config {
            outcomes: Some(actions.into_iter().map(|(name, kind)| (name.to_owned(), kind.upgrade())).collect()),
            outcome_days: days,
            attribution: attribution.map(str::to_owned),
            currency: currency.map(str::to_owned),
            cap,
            primary: primary.map(PrimaryV1::upgrade),
            ..config
        })
    }
}

#[derive(Serialize, Deserialize)]
struct LaneV1<'a> {
    of: &'a str,
    from: f64,
    to: f64,
}

#[derive(Serialize, Deserialize)]
struct RankerV1<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize, Deserialize)]
struct GeneratorsV1<'a> {
    policy: &'a str,
    coins: &'a str,
}

#[derive(Serialize, Deserialize)]
struct BotsV1<'a> {
    max_impressions_per_day: Option<u64>,
    max_clicks_per_day: Option<u64>,
    max_clicks_per_impression: Option<u64>,
    units: Cow<'a, [String]>,
    unit_prefixes: Cow<'a, [String]>,
    agents: Cow<'a, [String]>,
}

impl<'a> BotsV1<'a> {
    fn of(bots: &'a Bots) -> Self {
        let Bots {
            max_impressions_per_day,
            max_clicks_per_day,
            max_clicks_per_impression,
            units,
            unit_prefixes,
            agents,
        } = bots;
        Self {
            max_impressions_per_day: *max_impressions_per_day,
            max_clicks_per_day: *max_clicks_per_day,
            max_clicks_per_impression: *max_clicks_per_impression,
            units: units.into(),
            unit_prefixes: unit_prefixes.into(),
            agents: agents.into(),
        }
    }

    fn upgrade(self) -> Bots {
        let Self {
            max_impressions_per_day,
            max_clicks_per_day,
            max_clicks_per_impression,
            units,
            unit_prefixes,
            agents,
        } = self;
        Bots {
            max_impressions_per_day,
            max_clicks_per_day,
            max_clicks_per_impression,
            units: units.into_owned(),
            unit_prefixes: unit_prefixes.into_owned(),
            agents: agents.into_owned(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct GuardrailsV1 {
    no_click: Option<f64>,
    missing: Option<f64>,
    slow: Option<f64>,
    slow_after: u32,
    then: BreachReactionV1,
}

impl GuardrailsV1 {
    fn of(guardrails: &Guardrails) -> Self {
        let Guardrails { no_click, missing, slow, slow_after, then } = guardrails;
        Self {
            no_click: *no_click,
            missing: *missing,
            slow: *slow,
            slow_after: *slow_after,
            then: BreachReactionV1::of(*then),
        }
    }

    fn upgrade(self) -> Guardrails {
        let Self { no_click, missing, slow, slow_after, then } = self;
        Guardrails { no_click, missing, slow, slow_after, then: then.upgrade() }
    }
}
