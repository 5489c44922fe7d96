//! The tables of the cost of shards on a cluster, from measurements of `cluster/measure.sh`.

use std::path::Path;

use output::numbers::significant;

use super::table::Table;

/// The cost of shards, as measured by `cluster/measure.sh`.
#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Costs {
    #[serde(rename = "processor")]
    _processor: String,
    #[serde(rename = "prepare-seconds")]
    _prepare: f64,
    #[serde(rename = "start-seconds")]
    start: f64,
    comparisons_per_second: f64,
    steps_per_second: f64,
    part_bytes_per_pair: f64,
    merge_nanoseconds_per_pair: f64,
}

/// Cores, on nodes of 64 with a shard each.
const CORES: [f64; 3] = [64.0, 1_000.0, 10_000.0];
const CORES_OF_A_NODE: f64 = 64.0;

impl Costs {
    pub(super) fn read(root: &Path) -> Option<Self> {
        toml::from_str(&std::fs::read_to_string(root.join("cluster/costs.toml")).ok()?).ok()
    }

    /// The time of work of `seconds` on each number of cores, every shard with a start of its own, if none of its pieces takes
    /// longer than `longest`.
    fn times(&self, seconds: f64, longest: f64) -> impl Iterator<Item = String> {
        CORES.map(|cores| duration((seconds / cores).max(longest) + self.start)).into_iter()
    }

    /// Matrices of 400,000 impressions per pair, as those of the papers, and their parts.
    pub(super) fn matrices(&self) -> Table {
        let row = |rankers: f64| {
            let pairs = rankers * (rankers - 1.0) / 2.0;
            let seconds = pairs * 4e5 / self.comparisons_per_second;
            let parts = |cores: f64| (cores / CORES_OF_A_NODE).ceil();
            let merged = CORES.map(|cores| {
                let [bytes, time] = [self.part_bytes_per_pair, self.merge_nanoseconds_per_pair * 1e-9]
                    .map(|of_pair| of_pair * pairs * parts(cores));
                format!("{}, {}", megabytes(bytes), duration(time))
            });
            let first = [significant(rankers), format!("{} h", significant(seconds / 3600.0))];
            first.into_iter().chain(self.times(seconds, 0.0)).chain(merged.into_iter().skip(1)).collect()
        };
        let header = [
            "rankers",
            "core-hours",
            "64 cores",
            "1,000 cores",
            "10,000 cores",
            "16 parts: size, merge",
            "157 parts: size, merge",
        ];
        Table::of(&header, [136.0, 1e3, 1e4].map(row))
    }

    /// Studies of ten algorithms, live on data of the size of MSLR-WEB30K.
    pub(super) fn studies(&self) -> Table {
        let row = |(steps, runs): (f64, f64)| {
            let seconds = 10.0 * steps * runs / self.steps_per_second;
            let words = format!("{} runs of {} steps", significant(runs), significant(steps));
            // A run is never split.
            let times = self.times(seconds, steps / self.steps_per_second);
            [words, format!("{} h", significant(seconds / 3600.0))].into_iter().chain(times).collect()
        };
        let header = ["each of ten algorithms", "core-hours", "64 cores", "1,000 cores", "10,000 cores"];
        Table::of(&header, [(1e7, 100.0), (1e8, 100.0), (1e8, 1_000.0)].map(row))
    }
}

/// A time in words, with two digits.
fn duration(seconds: f64) -> String {
    let units = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= 1.5 * unit).unwrap_or((1.0, "s"));
    let count = seconds / unit;
    if count < 9.95 { format!("{count:.1} {name}") } else { format!("{count:.0} {name}") }
}

fn megabytes(bytes: f64) -> String {
    if bytes < 1e9 { format!("{:.1} MB", bytes / 1e6) } else { format!("{:.1} GB", bytes / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_two_digits() {
        assert_eq!(
            [1.04, 80.0, 100.0, 5_000.0, 3.6e5, 1e6].map(duration),
            ["1.0 s", "80 s", "1.7 min", "83 min", "4.2 d", "12 d"]
        );
        assert_eq!([1.23e7, 2.5e9].map(megabytes), ["12.3 MB", "2.5 GB"]);
    }

    #[test]
    fn what_was_measured_makes_both_tables() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let costs = Costs::read(&root).expect("cluster/costs.toml");
        assert_ne!(costs.matrices(), costs.studies());
    }
}
