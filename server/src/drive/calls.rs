//! Requests to a server, sent again with the same key until they are answered.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// The time for which a request is retried before it fails.
const RETRY_TIME: Duration = Duration::from_secs(60);

/// Sends requests over connections that stay open.
#[derive(Debug)]
pub struct Calls {
    agent: ureq::Agent,
    url: String,
    key: Option<String>,
    experiment: String,
    retries: u64,
}

/// An answer to a request for an impression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assignment {
    /// The impression; `None` for the champion's list.
    pub id: Option<String>,
    /// The documents to show.
    pub shown: Vec<String>,
    /// The chosen rankers, if lists are awaited.
    pub rankers: Vec<String>,
    /// Whether rankers are compared.
    pub credited: bool,
}

impl Calls {
    /// To the server at `url`.
    #[must_use]
    pub fn new(url: &str, key: Option<&str>, experiment: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(10)))
            .max_redirects(0)
            .build();
        Self {
            agent: config.into(),
            url: url.trim_end_matches('/').to_owned(),
            key: key.map(str::to_owned),
            experiment: experiment.to_owned(),
            retries: 0,
        }
    }

    /// The number of retried requests.
    pub(super) fn retries(&self) -> u64 {
        self.retries
    }

    /// Makes the experiment; returns whether it is new.
    ///
    /// # Errors
    /// If its settings are refused.
    pub fn create(&mut self, settings: &Value) -> Result<bool> {
        match self.send("POST", "/v1/experiments", &settings.to_string())? {
            (201, _) => Ok(true),
            (409, _) => Ok(false),
            (status, answer) => refused("/v1/experiments", status, &answer),
        }
    }

    /// `lists` are the fields `lists` and `documents` as text.
    pub(super) fn impression(&mut self, n: u64, unit: &str, lists: &str) -> Result<Assignment> {
        let body = format!("{{\"unit\":{},\"key\":\"drive-{n}\",{lists}}}", json!(unit));
        let path = format!("/v1/experiments/{}/impressions", self.experiment);
        Ok(assignment(&self.send_accepted("POST", &path, &body)?))
    }

    pub(super) fn choose(&mut self, n: u64, unit: &str) -> Result<Assignment> {
        let path = format!("/v1/experiments/{}/choose", self.experiment);
        let body = json!({"unit": unit, "key": format!("drive-{n}")});
        Ok(assignment(&self.send_accepted("POST", &path, &body.to_string())?))
    }

    pub(super) fn lists(&mut self, id: &str, lists: &str) -> Result<Assignment> {
        let answer = self.send_accepted("PUT", &format!("/v1/impressions/{id}/lists"), &format!("{{{lists}}}"))?;
        Ok(assignment(&answer))
    }

    /// Sends clicks; returns the number of taken or repeated ones.
    pub(super) fn events(&mut self, id: &str, clicks: &[&str]) -> Result<u64> {
        let event = |document: &&str| {
            json!({
                "action_name": "click",
                "query_id": id,
                "event_attributes": {"object": {"object_id": document}},
            })
        };
        let events: Vec<Value> = clicks.iter().map(event).collect();
        let answer = self.send_accepted("POST", "/v1/events", &Value::Array(events).to_string())?;
        let results = answer["results"].as_array().into_iter().flatten();
        let mut taken_count = 0;
        for result in results {
            match result["status"].as_str() {
                Some("taken" | "duplicate") => taken_count += 1,
                Some("late") => {}
                _ => bail!("a click on impression {id} was not taken: {result}"),
            }
        }
        Ok(taken_count)
    }

    pub(super) fn close(&mut self, id: &str) -> Result<bool> {
        let answer = self.send_accepted("POST", &format!("/v1/impressions/{id}/close"), "{}")?;
        Ok(answer["closed"].as_bool().unwrap_or(false))
    }

    fn send_accepted(&mut self, method: &str, path: &str, body: &str) -> Result<Value> {
        match self.send(method, path, body)? {
            (200 | 201, answer) => Ok(answer),
            (status, answer) => refused(path, status, &answer),
        }
    }

    /// The status and the answer. A request without an answer, or answered with 429 or 503, is sent again.
    fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, Value)> {
        let url = format!("{}{path}", self.url);
        let start = Instant::now();
        loop {
            let mut request =
                ureq::http::Request::builder().method(method).uri(&url).header("content-type", "application/json");
            if let Some(key) = &self.key {
                request = request.header("authorization", format!("Bearer {key}"));
            }
            let request = request.body(body).context("the request cannot be made")?;
            let why = match self.agent.run(request) {
                Ok(mut response) => {
                    let status = response.status().as_u16();
                    match response.body_mut().read_to_string() {
                        Ok(_) if matches!(status, 429 | 503) => format!("status {status}"),
                        Ok(text) => return Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text)))),
                        Err(error) => error.to_string(),
                    }
                }
                Err(error) => error.to_string(),
            };
            if start.elapsed() > RETRY_TIME {
                bail!("{method} {url} was not answered for {} s: {why}", RETRY_TIME.as_secs());
            }
            self.retries += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn assignment(answer: &Value) -> Assignment {
    let texts = |field: &str| {
        let texts = answer[field].as_array().into_iter().flatten();
        texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    Assignment {
        id: answer["id"].as_str().map(str::to_owned),
        shown: texts("shown"),
        rankers: texts("rankers"),
        credited: answer["credited"].as_bool().unwrap_or(false),
    }
}

fn refused<T>(path: &str, status: u16, answer: &Value) -> Result<T> {
    let detail = answer["detail"].as_str().map_or_else(|| answer.to_string(), str::to_owned);
    bail!("{path} was refused with status {status}: {detail}")
}
