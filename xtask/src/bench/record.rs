//! The CSV that a bench writes, with date and machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum as _;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use super::What;
use super::measure::Row;

/// `results/bench/<date>-<what>.csv`.
pub(super) fn default_path(date: Date, what: &[What]) -> PathBuf {
    let names: Vec<String> =
        what.iter().filter_map(|what| what.to_possible_value()).map(|value| value.get_name().to_owned()).collect();
    let what = if names.is_empty() { "all".to_owned() } else { names.join("-") };
    Path::new("results/bench").join(format!("{date}-{what}.csv"))
}

/// Writes the rows and prints where.
pub(super) fn write(path: &Path, date: Date, rows: &[Row]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("failed to create {}", folder.display()))?;
    }
    std::fs::write(path, csv(date, &machine(), rows)).with_context(|| format!("failed to write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

fn csv(date: Date, machine: &str, rows: &[Row]) -> String {
    let mut text = "date,machine,goal,what,unit,value,target,met\n".to_owned();
    for row in rows {
        let target = row.target.map_or_else(String::new, |target| format!("{target:.4}"));
        let met = row.met().map_or("", |met| if met { "yes" } else { "no" });
        let Row { goal, what, unit, value, .. } = row;
        let _ = writeln!(text, "{date},\"{machine}\",{goal},\"{what}\",{unit},{value:.4},{target},{met}");
    }
    text
}

/// The processor, its clock and the number of cores, as far as the system reports them.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = output::machine::processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let clock = info.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(':').map(|(_, clock)| clock));
    let clock = clock.and_then(|clock| clock.trim().parse::<f64>().ok());
    let clock = clock.map_or_else(String::new, |clock| format!(" at {:.1} GHz", clock / 1000.0));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} x {}{clock}", model.replace('"', ""))
}

/// The date in UTC.
pub(super) fn today() -> Date {
    Offset::UTC.to_datetime(Timestamp::now()).date()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn files_are_named_by_date_and_content() {
        let path = |what: &[What]| default_path(date(2026, 11, 20), what).display().to_string();
        assert_eq!(path(&[]), "results/bench/2026-11-20-all.csv");
        assert_eq!(path(&[What::Policies, What::Reading]), "results/bench/2026-11-20-policies-reading.csv");
    }

    #[test]
    fn a_row_has_date_and_machine() {
        let row = Row { goal: "P7", what: "rucb, 136 arms".to_owned(), unit: "ns", value: 140.0, target: Some(150.0) };
        let text = csv(date(2026, 11, 20), "2 x this", &[row]);
        let line = "2026-11-20,\"2 x this\",P7,\"rucb, 136 arms\",ns,140.0000,150.0000,yes";
        assert_eq!(text.lines().collect::<Vec<_>>(), ["date,machine,goal,what,unit,value,target,met", line]);
    }
}
