//! Counters for Prometheus, in its text format. Labels have few values, whatever callers send. Not here: counts of experiments, which are
//! in their status.

mod histogram;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

pub use histogram::Histogram;

use crate::store::{Node, NodeRole};

/// A counter per value of one label.
#[derive(Debug)]
pub struct Family<const N: usize> {
    name: &'static str,
    help: &'static str,
    label: &'static str,
    values: [&'static str; N],
    counts: [AtomicU64; N],
}

impl<const N: usize> Family<N> {
    const fn new(name: &'static str, help: &'static str, label: &'static str, values: [&'static str; N]) -> Self {
        Self { name, help, label, values, counts: [const { AtomicU64::new(0) }; N] }
    }

    /// Counts one more; a value that is not listed counts as the last.
    pub fn count(&self, value: &str) {
        let at = self.values.iter().position(|known| *known == value).unwrap_or(N - 1);
        self.counts[at].fetch_add(1, Ordering::Relaxed);
    }

    /// The count.
    #[must_use]
    pub fn of(&self, value: &str) -> u64 {
        let at = self.values.iter().position(|known| *known == value);
        at.map_or(0, |at| self.counts[at].load(Ordering::Relaxed))
    }

    fn write(&self, text: &mut String) {
        let Self { name, help, label, .. } = self;
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} counter\n");
        for (value, count) in self.values.iter().zip(&self.counts) {
            let _ = writeln!(text, "{name}{{{label}=\"{value}\"}} {}", count.load(Ordering::Relaxed));
        }
    }
}

/// A single number.
#[derive(Debug)]
pub struct Single {
    name: &'static str,
    help: &'static str,
    kind: &'static str,
    value: AtomicU64,
}

impl Single {
    const fn new(name: &'static str, help: &'static str, kind: &'static str) -> Self {
        Self { name, help, kind, value: AtomicU64::new(0) }
    }

    /// Adds to the number.
    pub fn add(&self, more: u64) {
        self.value.fetch_add(more, Ordering::Relaxed);
    }

    /// Takes from the number.
    pub fn subtract(&self, less: u64) {
        self.value.fetch_sub(less, Ordering::Relaxed);
    }

    /// Sets the number.
    pub fn set(&self, value: u64) {
        self.value.store(value, Ordering::Relaxed);
    }

    /// The number.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.value.load(Ordering::Relaxed)
    }

    fn write(&self, text: &mut String) {
        let Self { name, help, kind, .. } = self;
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {}", self.get());
    }
}

/// Everything that is counted.
#[derive(Debug)]
pub struct Metrics {
    /// Answers by class of status.
    pub answers: Family<5>,
    /// Lists of one ranker, by why nothing was mixed.
    pub champions: Family<12>,
    /// Events by fate.
    pub events: Family<12>,
    /// Requests forwarded to the leading node, by result.
    pub forwarded: Family<2>,
    /// Messages sent, by result.
    pub messages: Family<2>,
    /// Messages that wait.
    pub pending: Single,
    /// Durations of requests.
    pub seconds: Histogram,
    /// Durations of transactions, from the first command to the answer.
    pub commit_seconds: Histogram,
    /// Transactions that were committed.
    pub commits: Single,
    /// Transactions that failed.
    pub failures: Single,
    /// Events of logs that were written.
    pub written: Single,
    /// Impressions closed because their answer came too late.
    pub late: Single,
    /// Commands that wait.
    pub waiting: Single,
    /// Connections.
    pub connections: Single,
    /// Connections that were refused because there were too many.
    pub refused: Single,
    /// Experiments.
    pub experiments: Single,
    /// Damaged experiments.
    pub damaged: Single,
    /// Impressions that are open.
    pub open: Single,
    /// The seconds for which time stands still.
    pub ahead: Single,
    /// Units in memory.
    pub units: Single,
    /// Experiments with a snapshot or a deletion in progress.
    pub upkeep: Single,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            answers: Family::new(
                "rankduel_answers_total",
                "Answers by class of status.",
                "status",
                ["2xx", "3xx", "4xx", "5xx", "other"],
            ),
            champions: Family::new(
                "rankduel_champion_answers_total",
                "Answers with the list of one ranker, by reason: the champion, or the one that was shipped.",
                "why",
                [
                    "paused",
                    "killed",
                    "damaged",
                    "ended",
                    "shipped",
                    "bot",
                    "outside",
                    "overloaded",
                    "late",
                    "unavailable",
                    "alone",
                    "other",
                ],
            ),
            events: Family::new(
                "rankduel_events_total",
                "Events by what became of them.",
                "status",
                [
                    "taken",
                    "duplicate",
                    "late",
                    "unknown",
                    "not-shown",
                    "unknown-unit",
                    "other-currency",
                    "bot",
                    "unsigned",
                    "ignored",
                    "malformed",
                    "limited",
                ],
            ),
            forwarded: Family::new(
                "rankduel_forwarded_total",
                "Requests that were sent to the node that leads, by what came of it.",
                "status",
                ["answered", "failed"],
            ),
            messages: Family::new(
                "rankduel_messages_total",
                "Messages to the receiver of --notify, by what came of an attempt.",
                "status",
                ["delivered", "failed"],
            ),
            pending: Single::new(
                "rankduel_messages_pending",
                "Messages that the receiver of --notify has not taken.",
                "gauge",
            ),
            seconds: Histogram::new("rankduel_request_seconds", "How long requests took."),
            commit_seconds: Histogram::new("rankduel_commit_seconds", "How long transactions took."),
            commits: Single::new("rankduel_commits_total", "Transactions that were committed.", "counter"),
            failures: Single::new("rankduel_commit_failures_total", "Transactions that failed.", "counter"),
            written: Single::new("rankduel_log_events_total", "Events that were written to logs.", "counter"),
            late: Single::new(
                "rankduel_late_impressions_total",
                "Impressions closed because their answer came too late.",
                "counter",
            ),
            waiting: Single::new("rankduel_waiting_commands", "Commands that wait for the writer.", "gauge"),
            connections: Single::new("rankduel_connections", "Open connections.", "gauge"),
            refused: Single::new("rankduel_refused_connections_total", "Connections beyond the limit.", "counter"),
            experiments: Single::new("rankduel_experiments", "Experiments in the store.", "gauge"),
            damaged: Single::new(
                "rankduel_damaged_experiments",
                "Experiments that are not served because something of them is damaged.",
                "gauge",
            ),
            open: Single::new("rankduel_open_impressions", "Impressions that take clicks.", "gauge"),
            ahead: Single::new(
                "rankduel_time_ahead_seconds",
                "For how long time stands still because the clock was ahead at an earlier start.",
                "gauge",
            ),
            units: Single::new(
                "rankduel_units_in_memory",
                "Users or sessions of which something is open, or that came since the last snapshot.",
                "gauge",
            ),
            upkeep: Single::new(
                "rankduel_upkeep",
                "Experiments of which a snapshot is being written, or something that is not kept deleted.",
                "gauge",
            ),
        }
    }
}

impl Metrics {
    /// All of it as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(1 << 12);
        self.answers.write(&mut text);
        self.champions.write(&mut text);
        self.events.write(&mut text);
        self.messages.write(&mut text);
        self.seconds.write(&mut text);
        self.commit_seconds.write(&mut text);
        let singles = [
            &self.commits,
            &self.failures,
            &self.written,
            &self.late,
            &self.waiting,
            &self.connections,
            &self.refused,
            &self.experiments,
            &self.damaged,
            &self.open,
            &self.ahead,
            &self.units,
            &self.upkeep,
            &self.pending,
        ];
        singles.into_iter().for_each(|single| single.write(&mut text));
        text
    }

    /// The same about the servers that have the store open.
    #[must_use]
    pub fn text_of(&self, node: &Node) -> String {
        let mut text = String::new();
        self.forwarded.write(&mut text);
        let gauge = |name, help, value: u64| {
            let single = Single::new(name, help, "gauge");
            single.set(value);
            single
        };
        let (role, nodes) = (node.role(), node.nodes());
        let alive = nodes.iter().filter(|node| node.is_alive);
        let leaders = alive.clone().filter(|node| node.leads).count() as u64;
        let is_connected = u64::from(role != NodeRole::Unconnected && node.has_lease());
        let is_leader = u64::from(matches!(role, NodeRole::Leads(_)));
        let singles = [
            gauge("rankduel_leads", "Whether this server leads: it folds and writes.", is_leader),
            gauge("rankduel_leaders", "Servers that lead and have a lease, as this one knows them.", leaders),
            gauge("rankduel_nodes", "Servers with a lease, as this one knows them.", alive.count() as u64),
            gauge("rankduel_lease", "Whether this server has a lease.", is_connected),
            gauge(
                "rankduel_epoch",
                "The epoch in which this server leads; 0 if it does not.",
                node.epoch().unwrap_or(0) as u64,
            ),
        ];
        singles.iter().for_each(|single| single.write(&mut text));
        let taken = Single::new("rankduel_take_overs_total", "How often this server began to lead.", "counter");
        taken.set(node.taken());
        taken.write(&mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_bounded() {
        let metrics = Metrics::default();
        let before = metrics.text().lines().count();
        for number in 0..100 {
            metrics.champions.count(&format!("why {number}\"\n"));
        }
        assert_eq!(metrics.text().lines().count(), before);
        assert_eq!(metrics.champions.of("other"), 100);
        assert!(metrics.text().contains("rankduel_champion_answers_total{why=\"other\"} 100\n"));
    }
}
