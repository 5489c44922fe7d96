//! `rankduel-server apply`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use desk::println;
use output::usage::usage;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use traffic::{Config, Experiment, SCHEDULE};

/// Bring the experiments of a server to what a file says
///
/// Makes those that are not there, raises shares, pauses, resumes, ends and ships. Settings of a test that runs are never changed: one that
/// differs is refused with what differs and the version that it would be, before anything is done. Doing it twice does nothing more.
#[derive(Debug, Args)]
pub(super) struct Apply {
    /// The experiments in TOML: [[experiment]] tables with the settings of POST /v1/experiments, and perhaps `state` (running, paused, ended)
    /// or `ship` (a ranker)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:7077", env = "RANKDUEL_URL")]
    url: String,
    /// A key that may change experiments
    #[arg(long, value_name = "KEY", env = "RANKDUEL_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Why, for the record of changes
    #[arg(long, value_name = "TEXT", default_value = "apply")]
    why: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// As a state: paused until another experiment is over.
const WAITING_STATE: &str = "waits";

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DesiredState {
    experiment: Vec<Map<String, Value>>,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    /// In words.
    what: String,
    path: String,
    body: Value,
}

/// The entry of the file for one experiment.
#[derive(Debug)]
struct Target {
    config: Config,
    /// The settings as they were given.
    given: Value,
    state: Option<String>,
    ship: Option<String>,
}

impl Apply {
    pub(super) fn run(self) -> Result<()> {
        let text = output::input::read_text(&self.file, 1 << 20).with_context(|| self.file.display().to_string())?;
        let name = self.file.display();
        let wanted: DesiredState = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            usage(format!("{name}:{line}: {}", error.message()))
        })?;
        let targets = wanted.experiment.into_iter().enumerate();
        let targets: Vec<Target> = targets
            .map(|(endpoint, table)| {
                target(table).map_err(|message| usage(format!("{name}: experiment {}: {message}", endpoint + 1)))
            })
            .collect::<Result<_>>()?;
        if let Some(endpoint) = (1..targets.len()).find(|&endpoint| {
            targets[..endpoint].iter().any(|unknown| unknown.config.name == targets[endpoint].config.name)
        }) {
            bail!(usage(format!("{name}: experiment {} is there twice", targets[endpoint].config.name)));
        }
        let server = Server::new(&self.url, self.key.as_deref());
        // All is looked at before anything is done.
        let (mut steps, mut refusals) = (Vec::new(), Vec::new());
        for (endpoint, target) in targets.iter().enumerate() {
            let name = &target.config.name;
            let known = server.status(name)?;
            if let Some(unknown) = target.config.begin_after.as_ref().filter(|_| known.is_none()) {
                let is_before = targets[..endpoint].iter().any(|before| before.config.name == *unknown);
                if !is_before && server.status(unknown)?.is_none() {
                    refusals.push(format!(
                        "{name} begins after {unknown}, which is not there; put {unknown} before it in the file"
                    ));
                }
            }
            match plan(target, known.as_ref(), &self.why) {
                Ok(more) => steps.extend(more),
                Err(why) => refusals.push(why),
            }
        }
        if !refusals.is_empty() {
            bail!("nothing was done: {}", refusals.join("; "));
        }
        if steps.is_empty() {
            println!("all {} experiments are as the file says", targets.len());
        }
        for step in steps {
            if self.dry_run {
                println!("would {}", step.what);
                continue;
            }
            server.post(&step.path, &step.body).with_context(|| format!("failed to {}", step.what))?;
            println!("{}", past_tense(&step.what));
        }
        Ok(())
    }
}

/// A step in the past.
fn past_tense(what: &str) -> String {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    let verb = match verb {
        "make" => "made",
        "end" => "ended",
        "ship" => "shipped",
        "raise" | "pause" | "resume" => return format!("{verb}d {rest}"),
        other => other,
    };
    format!("{verb} {rest}")
}

/// An experiment of the file.
fn target(mut table: Map<String, Value>) -> Result<Target, String> {
    let mut text = |key: &str| match table.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{key} is {other}; expected text")),
    };
    let (state, ship) = (text("state")?, text("ship")?);
    let state_is_known = |state: &String| matches!(state.as_str(), "running" | "paused" | "ended");
    if let Some(state) = state.as_ref().filter(|state| !state_is_known(state)) {
        return Err(format!("state is {state:?}; expected running, paused or ended"));
    }
    if state.is_some() && ship.is_some() {
        return Err("state and ship are both there; one of them says how it ends".to_owned());
    }
    if let Some(end_at) = table.get_mut("end_at") {
        *end_at = text_of_time(end_at.take());
    }
    let given = Value::Object(table);
    let config: Config = serde_json::from_value(given.clone()).map_err(|error| error.to_string())?;
    let config = config.resolved().map_err(|error| format!("{}: {}", error.field, error.message))?;
    if let Some(ranker) = ship.as_ref().filter(|name| !config.rankers.iter().any(|ranker| ranker.name == **name)) {
        return Err(format!("ship is {ranker:?}, which is not a ranker of {}", config.name));
    }
    Ok(Target { config, given, state, ship })
}

/// A time that TOML has without quotes, as text; anything else as it is.
fn text_of_time(value: Value) -> Value {
    // The way in which `toml` gives times to types that have none.
    match value.get("$__toml_private_datetime") {
        Some(text) => text.clone(),
        None => value,
    }
}

/// The steps from the experiment on the server (`existing`, if there is one) to the wanted one, or an error if there are none.
fn plan(target: &Target, existing: Option<&Value>, why: &str) -> Result<Vec<Step>, String> {
    let Target { config, given, state, ship } = target;
    let name = &config.name;
    let path = |verb: &str| format!("/v1/experiments/{name}/{verb}");
    let reason = json!({"why": why});
    let mut steps = Vec::new();
    let current_state = match existing {
        None => {
            steps.push(Step { what: format!("make {name}"), path: "/v1/experiments".to_owned(), body: given.clone() });
            if config.begin_after.is_some() { WAITING_STATE } else { "running" }
        }
        Some(existing) => {
            same_settings(config, existing)?;
            let share = existing["share"]["now"].as_f64().unwrap_or(1.0);
            // A ramp may be further than its first step, which the file names.
            if config.ramp.is_none() && config.share < share {
                return Err(format!(
                    "{name} has a share of {share}, and the file one of {}: a share is never lowered; end the experiment instead",
                    config.share
                ));
            }
            if config.ramp.is_none() && config.share > share {
                let mut body = reason.clone();
                body["share"] = config.share.into();
                steps.push(Step {
                    what: format!("raise {name} to a share of {}", config.share),
                    path: path("share"),
                    body,
                });
            }
            match existing["state"].as_str().unwrap_or("running") {
                _ if existing["waits_for"].is_string() => WAITING_STATE,
                state => state,
            }
        }
    };
    let has_ended_at_its_date = config.end_at.is_some()
        && current_state == "ended"
        && existing
            .and_then(|existing| existing["changes"].as_array()?.last())
            .is_some_and(|last| last["who"] == SCHEDULE);
    let mut to = |verb: &str| {
        steps.push(Step { what: format!("{verb} {name}"), path: path(verb), body: reason.clone() });
    };
    match (state.as_deref(), current_state) {
        // Both are in the file.
        (Some("running"), WAITING_STATE) => {}
        (Some("running" | "paused"), _) if has_ended_at_its_date => {}
        (Some("paused"), WAITING_STATE) => {
            let other = config.begin_after.as_deref().unwrap_or_default();
            return Err(format!(
                "{name} begins by itself after {other}, and cannot be paused before; leave out state or begin_after"
            ));
        }
        (Some("paused"), "running") => to("pause"),
        (Some("running"), "paused" | "killed") => to("resume"),
        (Some("ended"), "running" | "paused" | "killed" | WAITING_STATE) => to("end"),
        (Some(wanted), current_state) if wanted != current_state => {
            return Err(format!("{name} is {current_state}, and cannot become {wanted}; make another experiment"));
        }
        _ => {}
    }
    if let Some(ranker) = ship {
        let shipped =
            existing.filter(|_| current_state == "shipped").and_then(|existing| existing["fallback"].as_str());
        if shipped != Some(ranker) {
            let mut body = reason;
            body["ranker"] = ranker.clone().into();
            steps.push(Step { what: format!("ship {ranker} of {name}"), path: path("ship"), body });
        }
    }
    Ok(steps)
}

/// Whether an experiment has the settings of the file, but for its share.
fn same_settings(config: &Config, existing: &Value) -> Result<(), String> {
    let settings = |value: &Value| {
        let mut settings = value.as_object().cloned().unwrap_or_default();
        settings.remove("share");
        settings
    };
    let wanted = settings(&serde_json::to_value(config).unwrap_or_default());
    let present = settings(&existing["settings"]);
    let keys = wanted.keys().chain(present.keys().filter(|key| !wanted.contains_key(*key)));
    let differ = keys.filter(|key| wanted.get(*key) != present.get(*key));
    let differ: Vec<String> = differ
        .map(|key| {
            let text = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            format!("{key} is {} and would be {}", text(present.get(key)), text(wanted.get(key)))
        })
        .collect();
    if differ.is_empty() {
        return Ok(());
    }
    let version = Experiment::create(config.clone(), 0).map(|made| made.version().to_string());
    Err(format!(
        "{} runs as version {}, and settings do not change during a test ({}); it would be version {}: end it, and give the new one another name",
        config.name,
        existing["version"].as_str().unwrap_or("unknown"),
        differ.join(", "),
        version.unwrap_or_default()
    ))
}

/// The interface of a server.
struct Server {
    agent: ureq::Agent,
    url: String,
    key: Option<String>,
}

impl Server {
    fn new(url: &str, key: Option<&str>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .max_redirects(0)
            .build();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), key: key.map(str::to_owned) }
    }

    /// An experiment; `None` if there is none of this name.
    fn status(&self, name: &str) -> Result<Option<Value>> {
        let mut request = self.agent.get(format!("{}/v1/experiments/{name}", self.url));
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let answer = request.call().with_context(|| self.url.clone())?;
        match read_answer(answer)? {
            (404, _) => Ok(None),
            (200, status) => Ok(Some(status)),
            (status, problem) => bail!("{}: {}", self.url, problem_text(status, &problem)),
        }
    }

    fn post(&self, path: &str, body: &Value) -> Result<()> {
        let mut request = self.agent.post(format!("{}{path}", self.url)).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let answer = request.send(body.to_string()).with_context(|| self.url.clone())?;
        match read_answer(answer)? {
            (200..=299, _) => Ok(()),
            (status, problem) => bail!("{}", problem_text(status, &problem)),
        }
    }
}

/// The status and the body of an answer.
fn read_answer(mut answer: ureq::http::Response<ureq::Body>) -> Result<(u16, Value)> {
    let text = answer.body_mut().read_to_string()?;
    Ok((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::Null)))
}

/// The text of an answer without success.
fn problem_text(status: u16, problem: &Value) -> String {
    problem["detail"].as_str().map_or_else(|| format!("status {status}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Target, String> {
        let table: Map<String, Value> = toml::from_str(text).unwrap();
        target(table)
    }

    fn known(target: &Target, state: &str, share: f64) -> Value {
        json!({"settings": target.config, "version": "v", "state": state, "share": {"now": share}, "fallback": "old"})
    }

    fn steps(target: &Target, known: Option<&Value>) -> Vec<String> {
        plan(target, known, "a test").unwrap().into_iter().map(|step| step.what).collect()
    }

    #[test]
    fn what_is_there_is_left_and_what_is_not_is_made() {
        let plain = of("name = 'e'\nrankers = ['old', 'new']\nshare = 0.05").unwrap();
        assert_eq!(steps(&plain, None), ["make e"]);
        assert_eq!(steps(&plain, Some(&known(&plain, "running", 0.05))), Vec::<String>::new());
        let higher = of("name = 'e'\nrankers = ['old', 'new']\nshare = 0.25").unwrap();
        assert_eq!(steps(&higher, Some(&known(&plain, "running", 0.05))), ["raise e to a share of 0.25"]);
        let lower = plan(&plain, Some(&known(&plain, "running", 0.25)), "").unwrap_err();
        assert!(lower.contains("a share is never lowered"), "{lower}");
        // A ramp goes its own way.
        let ramp = of("name = 'e'\nrankers = ['old', 'new']\nramp = [[1, '1d'], [100]]").unwrap();
        assert_eq!(steps(&ramp, Some(&known(&ramp, "running", 1.0))), Vec::<String>::new());
    }

    #[test]
    fn settings_of_a_test_that_runs_do_not_change() {
        let old = of("name = 'e'\nrankers = ['old', 'new']").unwrap();
        let new = of("name = 'e'\nrankers = ['old', 'new']\nshown = 5").unwrap();
        let refused = plan(&new, Some(&known(&old, "running", 1.0)), "").unwrap_err();
        assert!(
            refused.starts_with("e runs as version v, and settings do not change during a test (")
                && refused.contains("shown is 10 and would be 5"),
            "{refused}"
        );
        let version = Experiment::create(new.config.clone(), 0).unwrap().version().to_string();
        assert!(refused.contains(&format!("it would be version {version}")), "{refused}");
    }

    #[test]
    fn states_follow_the_file() {
        let with = |more: &str| of(&format!("name = 'e'\nrankers = ['old', 'new']\n{more}")).unwrap();
        let plain = with("");
        let of_state = |more: &str, state: &str| steps(&with(more), Some(&known(&plain, state, 1.0)));
        assert_eq!(of_state("state = 'paused'", "running"), ["pause e"]);
        assert_eq!(of_state("state = 'running'", "paused"), ["resume e"]);
        assert_eq!(of_state("state = 'ended'", "paused"), ["end e"]);
        assert_eq!(of_state("ship = 'new'", "running"), ["ship new of e"]);
        assert_eq!(of_state("ship = 'old'", "shipped"), Vec::<String>::new());
        assert_eq!(of_state("", "ended"), Vec::<String>::new());
        assert_eq!(steps(&with("state = 'paused'"), None), ["make e", "pause e"]);
        assert!(
            plan(&with("state = 'running'"), Some(&known(&plain, "ended", 1.0)), "")
                .unwrap_err()
                .contains("cannot become running")
        );
        assert!(
            of("name = 'e'\nrankers = ['a', 'b']\nstate = 'x'")
                .unwrap_err()
                .contains("expected running, paused or ended")
        );
        // An entry of a file stays valid once its time has passed.
        let ends = with("state = 'running'\nend_at = 2026-12-24T18:00:00Z");
        assert_eq!(ends.given["end_at"], "2026-12-24T18:00:00Z");
        let mut over = known(&ends, "ended", 1.0);
        assert!(plan(&ends, Some(&over), "").unwrap_err().contains("cannot become running"));
        over["changes"] = json!([{"who": "anna"}, {"who": "schedule"}]);
        assert_eq!(steps(&ends, Some(&over)), Vec::<String>::new());
        let waits = with("state = 'running'\nbegin_after = 'd'");
        let mut waiting = known(&waits, "paused", 1.0);
        assert_eq!(steps(&waits, Some(&waiting)), ["resume e"], "somebody paused it");
        waiting["waits_for"] = "d".into();
        assert_eq!(steps(&waits, Some(&waiting)), Vec::<String>::new());
        assert_eq!(steps(&waits, None), ["make e"]);
        let ended = with("state = 'ended'\nbegin_after = 'd'");
        assert_eq!(steps(&ended, Some(&waiting)), ["end e"]);
        let paused = plan(&with("state = 'paused'\nbegin_after = 'd'"), None, "").unwrap_err();
        assert!(paused.starts_with("e begins by itself after d, and cannot be paused before"), "{paused}");
        assert!(of("name = 'e'\nrankers = ['a', 'b']\nship = 'c'").unwrap_err().contains("not a ranker of e"));
        assert!(of("name = 'e'\nrankers = ['a']").is_err());
        assert_eq!(
            (past_tense("make e"), past_tense("pause e"), past_tense("raise e to a share of 1")),
            ("made e".into(), "paused e".into(), "raised e to a share of 1".into())
        );
    }
}
