//! Measurements beside those of an earlier table: the slowdown of each line, and whether it is more than noise.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::measure::Row;

/// The lines of earlier tables, by measurement.
#[derive(Debug, Default)]
pub(super) struct EarlierTable {
    lines: BTreeMap<String, Vec<f64>>,
    machines: Vec<String>,
}

/// The comparison of a line with the same line of earlier tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    /// Times as slow: above 1 is slower, whatever the unit.
    pub(super) times: f64,
    /// The spread between rounds of one build, as a share of their median: half the range, on either side, at least 2%.
    pub(super) noise: f64,
}

impl Ratio {
    /// `slower`, `faster`, or nothing if the difference may be noise.
    pub(super) fn verdict(self) -> &'static str {
        match self.times {
            times if times > 1.0 + self.noise => "slower",
            times if times < 1.0 / (1.0 + self.noise) => "faster",
            _ => "",
        }
    }
}

/// Rounds on one machine are rarely closer than this.
const LEAST_NOISE: f64 = 0.02;

impl EarlierTable {
    /// Reads tables that `cargo xtask bench` wrote: several of the same lines are rounds.
    ///
    /// # Errors
    /// If a file cannot be read, or is another kind of file.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut earlier = Self::default();
        for path in paths {
            let text = std::fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))?;
            earlier.take(&text, path)?;
        }
        Ok(earlier)
    }

    fn take(&mut self, text: &str, path: &Path) -> Result<()> {
        let mut lines = text.lines();
        let header: Vec<String> = lines.next().map(fields).unwrap_or_default();
        let column = |name: &str| {
            let found = header.iter().position(|field| field == name);
            found.with_context(|| {
                format!("{}: line 1: no column `{name}`; give a table that `cargo xtask bench` wrote", path.display())
            })
        };
        let (machine, what, value) = (column("machine")?, column("what")?, column("value")?);
        for (number, line) in lines.enumerate() {
            let fields = fields(line);
            let field = |at: usize| fields.get(at).map(String::as_str).unwrap_or_default();
            let Ok(measured) = field(value).parse::<f64>() else {
                bail!("{}: line {}: `{}` is not a number", path.display(), number + 2, field(value));
            };
            self.lines.entry(field(what).to_owned()).or_default().push(measured);
            if !self.machines.iter().any(|known| known == field(machine)) {
                self.machines.push(field(machine).to_owned());
            }
        }
        Ok(())
    }

    /// A warning if the tables are of another machine.
    pub(super) fn other_machine(&self, here: &str) -> Option<String> {
        let other = self.machines.iter().find(|machine| *machine != here)?;
        Some(format!("measured on {other}, not on {here}: compare the units (draws, loads), not the times"))
    }

    /// Compares `row`, measured in these rounds; `None` if no table has its line.
    pub(super) fn ratio(&self, row: &Row, rounds: &[f64]) -> Option<Ratio> {
        let before = self.lines.get(&row.what)?;
        let (now, then) = (median(rounds), median(before));
        let times = if row.more_is_better() { then / now } else { now / then };
        Some(Ratio { times, noise: spread(rounds).max(spread(before)).max(LEAST_NOISE) })
    }
}

/// The median of some values; there must be at least one.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Half the range of some values, as a share of their median.
fn spread(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &v| (low.min(v), high.max(v)));
    (high - low) / 2.0 / median(values)
}

/// The fields of a line of CSV; quoted fields must not contain quotes.
fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    let parts = line.split(|character: char| {
        quoted ^= character == '"';
        character == ',' && !quoted
    });
    parts.map(|field| field.trim_matches('"').to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier(text: &str) -> Result<EarlierTable> {
        let mut earlier = EarlierTable::default();
        earlier.take(text, Path::new("old.csv")).map(|()| earlier)
    }

    fn row(what: &str, unit: &'static str) -> Row {
        Row { goal: "", what: what.to_owned(), unit, value: 0.0, target: None }
    }

    #[test]
    fn differences_beyond_noise_are_named() {
        let table = "date,machine,goal,what,unit,value,target,met\n\
                     2026-11-22,\"2 x this\",P7,\"rucb, 136 arms\",ns,100.0,150.0,yes\n\
                     2026-11-22,\"2 x this\",,\"text, 900 MB\",MB/s,400.0,,\n\
                     2026-11-22,\"2 x this\",P10,\"beside xgboost\",faster,4.0,3.0,yes\n";
        let earlier = earlier(table).unwrap();
        let rucb = row("rucb, 136 arms", "ns");
        let verdict = |row: &Row, rounds: &[f64]| earlier.ratio(row, rounds).unwrap().verdict();
        assert_eq!(verdict(&rucb, &[101.0]), "");
        assert_eq!(verdict(&rucb, &[103.0, 104.0, 103.5]), "slower");
        assert_eq!(verdict(&rucb, &[97.0]), "faster");
        // Rounds that differ by a quarter prove nothing about a tenth.
        assert_eq!(verdict(&rucb, &[95.0, 110.0, 122.0]), "");
        // A rate that halves is twice as slow.
        assert_eq!(earlier.ratio(&row("text, 900 MB", "MB/s"), &[200.0]).unwrap().times, 2.0);
        assert_eq!(earlier.ratio(&row("beside xgboost", "faster"), &[2.0]).unwrap().times, 2.0);
        assert!(earlier.ratio(&row("new", "ns"), &[1.0]).is_none());
        assert!(earlier.other_machine("2 x this").is_none());
        assert!(earlier.other_machine("8 x that").unwrap().starts_with("measured on 2 x this, not on 8 x that"));
    }

    #[test]
    fn other_tables_are_refused() {
        let message = |text: &str| earlier(text).unwrap_err().to_string();
        assert!(message("a,b\n1,2\n").starts_with("old.csv: line 1: no column `machine`"));
        assert_eq!(message("machine,what,value\nx,y,z\n"), "old.csv: line 2: `z` is not a number");
    }
}
