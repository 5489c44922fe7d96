//! Looks at each experiment every few seconds, for the messages that are sent about it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch::Receiver;
use tokio::time::{MissedTickBehavior, interval};

use super::super::App;
use super::super::experiments::WRITER_PATIENCE;
use super::super::off_thread::off_thread;
use super::damaged;
use crate::jobs::{self, Snapshot};
use crate::notify::ExperimentLook;
use crate::writer::Transaction;

/// The period of checks.
const LOOK_PERIOD: Duration = Duration::from_secs(2);

/// Notes the news of experiments until `stop` changes.
pub async fn watch(app: App, mut stop: Receiver<bool>) {
    let mut ticks = interval(LOOK_PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            _ = ticks.tick() => {}
        }
        look_once(&app).await;
    }
}

/// One look. News missed now are seen at the next.
async fn look_once(app: &App) {
    let known = app.verdicts.known();
    let job = move |transaction: &mut Transaction<'_>| (transaction.now, jobs::looks(transaction, &known));
    let Ok((now, snapshots)) = app.writer.call(Some(WRITER_PATIENCE), job).await else { return };
    let shared = Arc::clone(app);
    let noted = off_thread(move || {
        let complete = |snapshot: Snapshot<ExperimentLook>| {
            shared.verdicts.complete(snapshot, |Snapshot { content, facts, .. }, verdict| {
                let headline = facts.headline(verdict);
                ExperimentLook {
                    standing: Some(headline.standing),
                    sentence: headline.sentence,
                    advice: headline.advice,
                    winner: headline.winner,
                    harms: harms(verdict),
                    ..content
                }
            })
        };
        let mut all: Vec<ExperimentLook> = snapshots.into_iter().map(complete).collect();
        // A damaged experiment has no state; its handle has the damage.
        all.extend(shared.directory.all().values().filter_map(|entry| damaged::damage_look(entry)));
        if let Some(notifier) = shared.notifier() {
            notifier.note(all, now);
        }
    });
    // A panic was reported already.
    let _ = noted.await;
}

/// Rankers that harm a segment, each with a sentence.
fn harms(verdict: &traffic::DecisionReport) -> Vec<(String, String)> {
    verdict.harms().map(|(harm, sentence)| (verdict.decision.rankers[harm.ranker].clone(), sentence)).collect()
}
