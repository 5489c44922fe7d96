//! The CSV that a bench writes, with date and machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum as _;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use super::BenchTarget;
use super::machine::Machine;
use super::measure::Row;

/// `results/bench/<date>-<what>.csv`.
pub(super) fn default_path(date: Date, what: &[BenchTarget]) -> PathBuf {
    let names: Vec<String> =
        what.iter().filter_map(|what| what.to_possible_value()).map(|value| value.get_name().to_owned()).collect();
    let what = if names.is_empty() { "all".to_owned() } else { names.join("-") };
    Path::new("results/bench").join(format!("{date}-{what}.csv"))
}

/// Writes the rows and prints where.
pub(super) fn write(path: &Path, date: Date, rows: &[Row], units: Machine) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("failed to create {}", folder.display()))?;
    }
    let text = csv(date, &machine(), rows, units);
    std::fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

fn csv(date: Date, machine: &str, rows: &[Row], units: Machine) -> String {
    let mut text = "date,machine,goal,what,unit,value,target,met,draws,loads\n".to_owned();
    for row in rows {
        let target = row.target.map_or_else(String::new, |target| format!("{target:.4}"));
        let met = row.met().map_or("", |met| if met { "yes" } else { "no" });
        let Row { goal, what, unit, value, .. } = row;
        let units = (*unit == "ns").then(|| units.units(*value));
        let units = units.map_or_else(|| ",".to_owned(), |units| format!("{:.4},{:.4}", units.draws, units.loads));
        let _ = writeln!(text, "{date},\"{machine}\",{goal},\"{what}\",{unit},{value:.4},{target},{met},{units}");
    }
    text
}

/// The processor, its clock and the number of cores, as far as the system reports them.
pub(super) fn machine() -> String {
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
        let path = |what: &[BenchTarget]| default_path(date(2026, 11, 20), what).display().to_string();
        assert_eq!(path(&[]), "results/bench/2026-11-20-all.csv");
        assert_eq!(
            path(&[BenchTarget::Policies, BenchTarget::Reading]),
            "results/bench/2026-11-20-policies-reading.csv"
        );
    }

    #[test]
    fn a_row_has_date_and_machine() {
        let row = Row { goal: "P7", what: "rucb, 136 arms".to_owned(), unit: "ns", value: 140.0, target: Some(150.0) };
        let units = Machine { draw: 2.0, load: 100.0, load_huge: 70.0, stream: 10.0 };
        let text = csv(date(2026, 11, 20), "2 x this", &[row], units);
        let line = "2026-11-20,\"2 x this\",P7,\"rucb, 136 arms\",ns,140.0000,150.0000,yes,70.0000,2.0000";
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            ["date,machine,goal,what,unit,value,target,met,draws,loads", line]
        );
    }
}
