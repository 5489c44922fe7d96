//! A server with simulated users, to look at: the first days of its experiments have passed when the page opens, and the next days pass
//! quickly. Users and their clicks come from a synthetic data set, as in `drive`; time is simulated too.
//!
//! | module | holds |
//! |---|---|
//! | `site` | an experiment and its users: who arrives, clicks, comes back, or never answers |

mod site;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use bandits::Generator;
use interleave::keyed::seed_of;
use rand::{Rng as _, SeedableRng as _};
use times::DAY;

use crate::running::{Hooks, RunningServer};
use crate::settings::Settings;
use crate::writer::Clock;
use site::{Site, sites};

/// The notice on every page and in the terminal.
pub const NOTICE: &str = "Demo: users, clicks and time are simulated. An hour passes each second.";

/// 2026-01-05, a Monday.
const START_TIME: i64 = 1_767_571_200_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// The days that have passed when the page opens.
pub const HISTORY_DAYS: u32 = 12;
/// The days after which users stay away, so that the store does not grow for ever.
const ACTIVE_DAYS: i64 = 120;
/// The time that passes in one step, before and after the page opens.
const STEP_TIMES: [i64; 2] = [2 * HOUR, 10 * MINUTE];
/// The delay between an impression and its user's click.
const CLICK_DELAY: i64 = MINUTE;
/// The speed of simulated time, relative to real time.
const SPEED: i64 = 3600;
/// The longest wait of a step before it checks whether to stop.
const MAX_SLEEP: Duration = Duration::from_millis(50);

/// A running demonstration.
#[derive(Debug)]
pub struct Demo {
    running: RunningServer,
    time: Arc<AtomicI64>,
    sites: Vec<Site>,
}

impl Demo {
    /// Starts a server with these settings; its store must be new.
    ///
    /// # Errors
    /// If the server does not start, or the data set cannot be made.
    pub fn start(mut settings: Settings, seed: u64) -> Result<Self> {
        let time = Arc::new(AtomicI64::new(START_TIME));
        settings.notice = Some(NOTICE.to_owned());
        settings.consent.create = true;
        settings.consent.no_keys = true;
        let mut salt = [0; 32];
        Generator::seed_from_u64(seed_of(&format!("demo places {seed}"))).fill_bytes(&mut salt);
        let clock = Some(Clock::Set(Arc::clone(&time)));
        let hooks = Hooks { clock, start: Some(seed), places: Some(salt), ..Hooks::default() };
        let running = RunningServer::start(settings, hooks)?;
        let sites = sites(seed)?;
        let calls = sites.iter().map(|site| ("POST", "/v1/experiments".to_owned(), site.settings.clone())).collect();
        for (status, answer) in running.send(calls) {
            if status != 201 {
                bail!("the store is not new: {}", answer["detail"].as_str().unwrap_or("an experiment is refused"));
            }
        }
        Ok(Self { running, time, sites })
    }

    /// The server.
    #[must_use]
    pub fn server(&self) -> &RunningServer {
        &self.running
    }

    /// Lets this number of days pass, as quickly as they can, unless `stop` is set.
    ///
    /// # Errors
    /// If the server refuses requests of users.
    pub fn play_past(&mut self, days: u32, stop: &AtomicBool) -> Result<()> {
        let end = self.now() + i64::from(days) * DAY;
        while !stop.load(Ordering::SeqCst) && self.now() < end {
            self.step(STEP_TIMES[0])?;
        }
        Ok(())
    }

    /// Lets further days pass, an hour each second, until `stop` is set or the days are over.
    ///
    /// # Errors
    /// If the server refuses requests of users.
    pub fn play_present(&mut self, stop: &AtomicBool) -> Result<()> {
        let (begun, from) = (Instant::now(), self.now());
        while !stop.load(Ordering::SeqCst) && self.now() < START_TIME + ACTIVE_DAYS * DAY {
            let due = from + begun.elapsed().as_millis() as i64 * SPEED;
            if self.now() + STEP_TIMES[1] <= due {
                self.step(STEP_TIMES[1])?;
            } else {
                std::thread::sleep(MAX_SLEEP);
            }
        }
        Ok(())
    }

    /// Ends the server.
    pub fn stop(self) {
        self.running.stop();
    }

    fn now(&self) -> i64 {
        self.time.load(Ordering::SeqCst)
    }

    /// Simulates the users for the next `length` milliseconds.
    fn step(&mut self, length: i64) -> Result<()> {
        let from = self.now();
        // Users come to one experiment after the other.
        let has_begun = |site: &Site| !self.sites.iter().any(|other| site.is_after(other) && !other.is_over);
        let have_begun: Vec<bool> = self.sites.iter().map(has_begun).collect();
        // In order: an action of a user depends on the displayed page.
        let arrivals = self.sites.iter_mut().zip(have_begun).map(|(site, has_begun)| match has_begun {
            true => site.arrivals(from - START_TIME, length),
            false => Ok(Vec::new()),
        });
        let calls = arrivals.collect::<Result<Vec<_>>>()?;
        let counts: Vec<usize> = calls.iter().map(Vec::len).collect();
        let mut answers = self.running.send(calls.into_iter().flatten().collect()).into_iter();
        self.time.store(from + CLICK_DELAY, Ordering::SeqCst);
        let mut clicks = Vec::new();
        for (site, count) in self.sites.iter_mut().zip(counts) {
            clicks.extend(site.clicks(answers.by_ref().take(count).collect())?);
        }
        for (status, answer) in self.running.send(clicks) {
            if status >= 500 {
                bail!("the server refused what users sent: {answer}");
            }
        }
        self.time.store(from + length, Ordering::SeqCst);
        // A day closes half an hour after midnight; decisions are made an hour after it.
        let looked = |time: i64| (time - START_TIME - HOUR).div_euclid(DAY);
        if looked(from) != looked(from + length) {
            self.ship_winners();
        }
        Ok(())
    }

    /// Ships the winner of the experiment with a team that acts on its verdict, two days after it is known.
    fn ship_winners(&mut self) {
        for site in &mut self.sites {
            let Some(path) = site.status_path() else { continue };
            let told = self.running.send(vec![("GET", path.clone(), serde_json::Value::Null)]);
            let advice = told.first().filter(|(_, status)| status["action"] == "ship");
            let winner = advice.map(|(_, status)| status["winner"].clone());
            if site.has_been_decided(winner.is_some()) {
                let ship = serde_json::json!({"ranker": winner, "why": "decided two days ago"});
                let _ = self.running.send(vec![("POST", format!("{path}/ship"), ship)]);
            }
        }
    }
}
