//! An experiment and its users.

use anyhow::{Result, bail};
use bandits::Generator;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};
use simulation::spec::SiteSpec;

use super::HOUR;
use crate::drive::users::Users;
use crate::http::Call;
use times::DAY;

/// The synthetic data set.
const DATASET: &str = "mslr-lookalike:0.003";
/// The length of the engines' lists.
const LIST_LENGTH: usize = 10;

/// The parameters of one experiment of the demonstration.
struct Plan {
    name: &'static str,
    /// The rankers: a feature of the data set, and its name.
    rankers: &'static [(u32, &'static str)],
    policy: &'static str,
    click: &'static str,
    /// Impressions per day.
    daily: f64,
    /// The share of requests without any list.
    silent: f64,
    /// The share of requests without the last ranker's list.
    missing: f64,
    /// Whether the winner is shipped once it is decided.
    ships: bool,
    /// On phones, the last ranker shows the list of this feature instead of its own; `None` if users have no segments.
    phone_feature: Option<u32>,
    /// Further settings: an object in JSON.
    more: &'static str,
}

/// The experiments: a winner that is shipped and the experiment that begins after it, with few users at first; many rankers; a ranker that
/// does harm, so that it gets no more users; a winner that harms one segment. Some of them divide the users of one layer. Five fit on a
/// screen.
const PLANS: [Plan; 5] = [
    Plan {
        name: "product-search",
        rankers: &[(125, "language-model"), (134, "learned")],
        policy: "fixed",
        click: "informational",
        daily: 600.0,
        silent: 0.02,
        missing: 0.0,
        ships: true,
        phone_feature: None,
        more: r#"{"lane": {"of": "search", "from": 0, "to": 0.6}}"#,
    },
    Plan {
        name: "product-search-v2",
        rankers: &[(134, "learned"), (129, "learned-v2")],
        policy: "fixed",
        click: "informational",
        daily: 400.0,
        silent: 0.02,
        missing: 0.0,
        ships: false,
        phone_feature: None,
        more: r#"{"lane": {"of": "search", "from": 0, "to": 0.6}, "begin_after": "product-search",
                 "ramp": [[10, "2d"], [25, "8d"], [100]], "end_at": "2026-02-02"}"#,
    },
    Plan {
        name: "help-pages",
        rankers: &[(105, "vector-space"), (108, "title-only"), (110, "bm25"), (125, "smoothed"), (134, "past-clicks")],
        policy: "bradley-terry",
        click: "navigational",
        daily: 800.0,
        silent: 0.01,
        missing: 0.0,
        ships: false,
        phone_feature: None,
        more: "{}",
    },
    Plan {
        name: "new-index",
        rankers: &[(110, "old-index"), (115, "new-index")],
        policy: "fixed",
        click: "informational",
        daily: 450.0,
        silent: 0.0,
        missing: 0.12,
        ships: false,
        phone_feature: None,
        more: r#"{"lane": {"of": "search", "from": 0.6, "to": 1}, "ramp": [[10, "1d"], [50, "14d"], [100]]}"#,
    },
    Plan {
        name: "start-page",
        rankers: &[(125, "popular"), (134, "personal")],
        policy: "fixed",
        click: "navigational",
        daily: 700.0,
        silent: 0.01,
        missing: 0.0,
        ships: false,
        phone_feature: Some(105),
        more: r#"{"segments": ["phone", "desktop"]}"#,
    },
];

/// The name that simulated users give the list of the last ranker on phones; no ranker of the experiment has it.
const PHONE_RANKER: &str = "on phones";

/// Which lists of an impression arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// They come with the request.
    Come,
    /// They never come.
    Never,
    /// All but the last ranker's come.
    ButOne,
}

/// All experiments.
pub(super) fn sites(seed: u64) -> Result<Vec<Site>> {
    PLANS.iter().zip(0..).map(|(plan, place)| Site::new(plan, seed, place)).collect()
}

/// An experiment, its users, and their actions so far.
#[derive(Debug)]
pub(super) struct Site {
    plan: &'static Plan,
    users: Users,
    luck: Generator,
    /// Impressions requested so far.
    asked: u64,
    /// Users seen so far.
    known: u64,
    /// For each request of the last step: its impression, whether it came from a phone, and which of its lists arrive.
    pending: Vec<(u64, bool, Lists)>,
    /// The number of days in a row on which it was decided.
    decided: u32,
    pub(super) is_over: bool,
    /// The settings of its experiment.
    pub(super) settings: Value,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Site {
    fn new(plan: &'static Plan, seed: u64, ranker_place: u64) -> Result<Self> {
        let phone_feature = plan.phone_feature.map(|feature| (feature, PHONE_RANKER));
        let lists: Vec<(u32, &str)> = plan.rankers.iter().copied().chain(phone_feature).collect();
        let features: Vec<String> = lists.iter().map(|(feature, _)| feature.to_string()).collect();
        let spec = SiteSpec {
            dataset: vec![DATASET.to_owned()],
            click: plan.click.parse()?,
            rankers: features.join(",").parse()?,
            ..SiteSpec::default()
        };
        let names: Vec<&str> = lists.iter().map(|(_, name)| *name).collect();
        let users = Users::new(&spec, None, None, seed, ranker_place)?
            .with_ranker_names(&names)
            .with_list_length(Some(LIST_LENGTH));
        let luck = Generator::seed_from_u64(interleave::keyed::seed_of(&format!("demo {} {seed}", plan.name)));
        let mut settings = json!({"name": plan.name, "rankers": names[..plan.rankers.len()], "policy": plan.policy, "simulated": true});
        let more: Map<String, Value> = serde_json::from_str(plan.more)?;
        more.into_iter().for_each(|(key, value)| settings[key] = value);
        let (pending, is_over) = (Vec::new(), false);
        Ok(Self { plan, users, luck, asked: 0, known: 0, pending, decided: 0, is_over, settings })
    }

    /// Whether its experiment begins after the other site's.
    pub(super) fn is_after(&self, other: &Self) -> bool {
        self.settings["begin_after"] == other.settings["name"]
    }

    /// Where its status is, if its winner is shipped once it is decided.
    pub(super) fn status_path(&self) -> Option<String> {
        (self.plan.ships && !self.is_over).then(|| format!("/v1/experiments/{}", self.plan.name))
    }

    /// Records whether it is decided today; returns `true` if its winner should be shipped.
    pub(super) fn has_been_decided(&mut self, is_decided: bool) -> bool {
        self.decided = if is_decided { self.decided + 1 } else { 0 };
        self.is_over = self.decided > 2;
        self.is_over
    }

    /// Users who search between `from` and `length` later, both in milliseconds since the start.
    pub(super) fn arrivals(&mut self, from: i64, length: i64) -> Result<Vec<Call>> {
        // Traffic varies over the day: from a third to five thirds of the mean.
        let hour = (from + length / 2) as f64 / HOUR as f64 % 24.0;
        let part = 1.0 - libm::cos((hour - 3.0) / 24.0 * std::f64::consts::TAU) * 2.0 / 3.0;
        let mean = self.plan.daily * length as f64 / DAY as f64 * part;
        let count = mean as u64 + u64::from(self.luck.random::<f64>() < mean.fract());
        if self.is_over {
            return Ok(Vec::new());
        }
        (0..count).map(|_| self.arrival()).collect()
    }

    fn arrival(&mut self) -> Result<Call> {
        self.asked += 1;
        let n = self.asked;
        // A quarter of those who search have been here before, most of them lately.
        let is_new = self.known == 0 || self.luck.random::<f64>() < 0.75;
        let user = if is_new {
            self.known += 1;
            self.known
        } else {
            let back = self.luck.random_range(0..self.known.min(150));
            self.known - back
        };
        let unit = format!("user-{user}");
        let name = self.plan.name;
        let luck = self.luck.random::<f64>();
        let lists = match luck {
            luck if luck < self.plan.silent => Lists::Never,
            luck if luck < self.plan.silent + self.plan.missing => Lists::ButOne,
            _ => Lists::Come,
        };
        // One user in five has a phone.
        let is_on_phone = self.plan.phone_feature.is_some() && user.is_multiple_of(5);
        self.pending.push((n, is_on_phone, lists));
        let mut body = Map::from_iter([("unit".to_owned(), json!(unit))]);
        if self.plan.phone_feature.is_some() {
            body.insert("segment".to_owned(), json!(if is_on_phone { "phone" } else { "desktop" }));
        }
        if lists != Lists::Come {
            return Ok(("POST", format!("/v1/experiments/{name}/choose"), Value::Object(body)));
        }
        body.extend(self.lists(n, is_on_phone)?);
        Ok(("POST", format!("/v1/experiments/{name}/impressions"), Value::Object(body)))
    }

    /// The lists of all engines.
    fn lists(&self, n: u64, is_on_phone: bool) -> Result<Map<String, Value>> {
        let mut body: Map<String, Value> = serde_json::from_str(&format!("{{{}}}", self.users.all_lists(n)?))?;
        body.remove("documents");
        let lists = body.get_mut("lists").and_then(Value::as_object_mut);
        if let (Some(lists), Some((_, last))) = (lists, self.plan.rankers.last())
            && let Some(list) = lists.remove(PHONE_RANKER)
            && is_on_phone
        {
            lists.insert((*last).to_owned(), list);
        }
        Ok(body)
    }

    /// The clicks of users on the pages that were answered.
    pub(super) fn clicks(&mut self, answers: Vec<(u16, Value)>) -> Result<Vec<Call>> {
        let mut calls = Vec::new();
        for ((n, is_on_phone, lists), (status, answer)) in std::mem::take(&mut self.pending).into_iter().zip(answers) {
            let documents = answer["shown"].as_array().into_iter().flatten();
            let shown: Vec<String> = documents.filter_map(|id| id.as_str().map(str::to_owned)).collect();
            match (status, answer["id"].as_str()) {
                (200, Some(id)) if lists == Lists::Come => {
                    let clicked_positions = self.users.clicks(n, &shown)?;
                    let event = |document: &&str| {
                        json!({
                            "action_name": "click",
                            "query_id": id,
                            "event_attributes": {"object": {"object_id": document}},
                        })
                    };
                    if !clicked_positions.is_empty() {
                        let events: Vec<Value> = clicked_positions.iter().map(event).collect();
                        calls.push(("POST", "/v1/events".to_owned(), Value::Array(events)));
                    }
                }
                (200, Some(id)) if lists == Lists::ButOne => {
                    let mut body = self.lists(n, is_on_phone)?;
                    if let (Some(all), Some((_, last))) = (body["lists"].as_object_mut(), self.plan.rankers.last()) {
                        all.remove(*last);
                    }
                    calls.push(("PUT", format!("/v1/impressions/{id}/lists"), Value::Object(body)));
                }
                // The champion's list, or one that never comes.
                (200, _) => {}
                _ => bail!("{}: an impression was refused with status {status}: {answer}", self.plan.name),
            }
        }
        Ok(calls)
    }
}
