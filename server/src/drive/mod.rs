//! Simulated users of a server, over HTTP: to try it, to measure it, and to compare it with the simulation.
//!
//! | module | holds |
//! |---|---|
//! | [`users`] | the users of a data set: lists of engines, and clicks |
//! | [`calls`] | requests, sent again with the same key until they are answered |
//! | [`expected`] | the plays of a simulation of the same run |
//! | [`latencies`] | response times |

pub mod calls;
pub mod expected;
pub mod latencies;
pub mod users;

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bandits::Generator;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use calls::{Assignment, Calls};
use latencies::Latencies;
use users::Users;

/// The requested run.
#[derive(Debug)]
pub struct Drive<'a> {
    /// The users.
    pub users: &'a Users,
    /// Where the server is, without a path.
    pub url: &'a str,
    /// Its key, if it wants one.
    pub key: Option<&'a str>,
    /// The experiment.
    pub experiment: &'a str,
    /// The number of impressions.
    pub impressions: u64,
    /// The number of concurrent requests.
    pub workers: usize,
    /// The number of impressions that stay open before the first of them is clicked.
    pub open: u64,
    /// Impressions per second, whenever they are answered; as fast as they are answered, if `None`.
    pub rate: Option<f64>,
    /// The log of acknowledged requests.
    pub log: Option<&'a Mutex<File>>,
}

/// The totals of a run.
#[derive(Debug, Default)]
pub struct RunTotals {
    /// Impressions that were answered with a mixed list.
    pub credited: u64,
    /// Those that were answered with the champion's list.
    pub champion: u64,
    /// Clicks that were taken.
    pub clicks: u64,
    /// Requests that were sent again.
    pub retries: u64,
    /// Answers to requests for impressions.
    pub request_times: Latencies,
    /// Answers to events.
    pub events: Latencies,
    /// From the first request to the last answer.
    pub took: Duration,
}

/// An impression that was shown and not yet clicked.
struct ShownImpression {
    n: u64,
    id: String,
    documents: Vec<String>,
}

impl Drive<'_> {
    /// Sends everything; calls `finished` for each answered impression.
    ///
    /// # Errors
    /// If a request was refused, or not answered for long; if the log cannot be written.
    pub fn run(&self, finished: &(dyn Fn() + Sync)) -> Result<RunTotals> {
        let (next, stop) = (AtomicU64::new(1), AtomicBool::new(false));
        let start = Instant::now();
        let results: Vec<Result<RunTotals>> = std::thread::scope(|scope| {
            let worker = |_| {
                scope.spawn(|| {
                    let done = self.work(&next, &stop, start, finished);
                    if done.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    done
                })
            };
            let workers: Vec<_> = (0..self.workers.max(1)).map(worker).collect();
            let joined = |worker: std::thread::ScopedJoinHandle<'_, Result<RunTotals>>| {
                worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked")))
            };
            workers.into_iter().map(joined).collect()
        });
        let mut all = RunTotals::default();
        for done in results {
            let done = done?;
            all.credited += done.credited;
            all.champion += done.champion;
            all.clicks += done.clicks;
            all.retries += done.retries;
            all.request_times.merge(&done.request_times);
            all.events.merge(&done.events);
        }
        all.took = start.elapsed();
        Ok(all)
    }

    fn work(
        &self,
        next: &AtomicU64,
        stop: &AtomicBool,
        start: Instant,
        finished: &(dyn Fn() + Sync),
    ) -> Result<RunTotals> {
        let mut totals = RunTotals::default();
        let mut calls = Calls::new(self.url, self.key, self.experiment);
        let mut pending_clicks: VecDeque<ShownImpression> = VecDeque::new();
        let max_pending = (self.open / self.workers.max(1) as u64) as usize;
        while !stop.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n > self.impressions {
                break;
            }
            let due = self.due(n, start);
            if let Some(wait) = due.checked_duration_since(Instant::now()) {
                std::thread::sleep(wait);
            }
            let asked = self.ask(&mut calls, n)?;
            totals.request_times.add(due.elapsed());
            self.note(|| json!({"n": n, "id": asked.id, "credited": asked.credited, "shown": asked.shown}))?;
            match asked.id {
                Some(id) => {
                    totals.credited += u64::from(asked.credited);
                    pending_clicks.push_back(ShownImpression { n, id, documents: asked.shown });
                }
                None => totals.champion += 1,
            }
            while pending_clicks.len() > max_pending {
                let Some(shown) = pending_clicks.pop_front() else { break };
                self.click(&mut calls, &shown, &mut totals)?;
            }
            finished();
        }
        for shown in pending_clicks {
            self.click(&mut calls, &shown, &mut totals)?;
        }
        totals.retries = calls.retries();
        Ok(totals)
    }

    /// When an impression is due: now, or at the time of an arrival that does not wait for answers.
    fn due(&self, n: u64, start: Instant) -> Instant {
        match self.rate {
            Some(rate) => start + Duration::from_secs_f64((n - 1) as f64 / rate),
            None => Instant::now(),
        }
    }

    fn ask(&self, calls: &mut Calls, n: u64) -> Result<Assignment> {
        let unit = self.users.unit(n);
        let start = if self.users.sends_all_lists() {
            calls.impression(n, &unit, &self.users.all_lists(n)?)
        } else {
            let chosen = calls.choose(n, &unit)?;
            match &chosen.id {
                Some(id) => calls.lists(id, &self.users.lists(n, &chosen.rankers)?),
                None => return Ok(chosen),
            }
        };
        start.with_context(|| format!("impression {n}"))
    }

    /// The user of an impression looks at the list, and the impression is closed.
    fn click(&self, calls: &mut Calls, impression: &ShownImpression, totals: &mut RunTotals) -> Result<()> {
        let positions = self.users.clicks(impression.n, &impression.documents)?;
        let sent = Instant::now();
        if !positions.is_empty() {
            let taken = calls.events(&impression.id, &positions)?;
            totals.events.add(sent.elapsed());
            totals.clicks += taken;
            self.note(|| json!({"n": impression.n, "id": impression.id, "clicked": positions, "taken": taken}))?;
        }
        if self.rate.is_none() {
            let closed = calls.close(&impression.id)?;
            self.note(|| json!({"n": impression.n, "id": impression.id, "closed": closed}))?;
        }
        Ok(())
    }

    /// Writes a line about something that the server has acknowledged.
    fn note(&self, line: impl FnOnce() -> serde_json::Value) -> Result<()> {
        let Some(log) = self.log else { return Ok(()) };
        let line = format!("{}\n", line());
        let mut log = log.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        log.write_all(line.as_bytes()).context("the log cannot be written")
    }
}

/// A number below `count` that follows from a text.
fn draw_below(text: &str, count: u64) -> u64 {
    Generator::seed_from_u64(interleave::keyed::seed_of(text)).random_range(0..count.max(1))
}
