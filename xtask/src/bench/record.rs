//! What a bench leaves: a CSV that says when and on which machine it was measured.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum as _;

use super::What;
use super::measure::Row;

/// `results/bench/<date>-<what>.csv`.
pub(super) fn default_path(date: &str, what: &[What]) -> PathBuf {
    let names: Vec<String> =
        what.iter().filter_map(|what| what.to_possible_value()).map(|value| value.get_name().to_owned()).collect();
    let what = if names.is_empty() { "all".to_owned() } else { names.join("-") };
    Path::new("results/bench").join(format!("{date}-{what}.csv"))
}

/// Writes the rows, and says where.
pub(super) fn write(path: &Path, date: &str, rows: &[Row]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("failed to create {}", folder.display()))?;
    }
    std::fs::write(path, csv(date, &machine(), rows)).with_context(|| format!("failed to write {}", path.display()))?;
    println!("kept in {}", path.display());
    Ok(())
}

fn csv(date: &str, machine: &str, rows: &[Row]) -> String {
    let mut text = "date,machine,goal,what,unit,value,target,met\n".to_owned();
    for row in rows {
        let target = row.target.map_or_else(String::new, |target| format!("{target:.4}"));
        let met = row.met().map_or("", |met| if met { "yes" } else { "no" });
        let Row { goal, what, unit, value, .. } = row;
        let _ = writeln!(text, "{date},\"{machine}\",{goal},\"{what}\",{unit},{value:.4},{target},{met}");
    }
    text
}

/// The processor and how many of it, as far as the system tells.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name));
    let model = model.map_or(std::env::consts::ARCH, str::trim);
    let clock = told.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(':').map(|(_, clock)| clock));
    let clock = clock.and_then(|clock| clock.trim().parse::<f64>().ok());
    let clock = clock.map_or_else(String::new, |clock| format!(" at {:.1} GHz", clock / 1000.0));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} x {}{clock}", model.replace('"', ""))
}

/// Reads `2026-11-20`.
pub(super) fn parse_date(text: &str) -> Result<String, String> {
    let parts: Vec<Option<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    let shape = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    match parts[..] {
        [Some(_), Some(1..=12), Some(1..=31)] if shape => Ok(text.to_owned()),
        _ => Err("expected a date as 2026-11-20".to_owned()),
    }
}

/// The date in UTC.
#[expect(clippy::disallowed_types, reason = "a record says when it was made")]
pub(super) fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    civil(since.as_secs() / 86_400)
}

/// The date of a day counted from 1970-01-01: years that begin in March, so that the leap day is the
/// last of them, in eras of 400.
fn civil(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_777, "2026-11-20"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(civil(days), date);
        }
    }

    #[test]
    fn dates_have_a_shape() {
        assert_eq!(parse_date("2026-11-20"), Ok("2026-11-20".to_owned()));
        for text in ["", "today", "2026-13-01", "2026-1-1", "20261120", "2026-11-32", "2026/11/20"] {
            assert!(parse_date(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_are_named_by_date_and_content() {
        let path = |what: &[What]| default_path("2026-11-20", what).display().to_string();
        assert_eq!(path(&[]), "results/bench/2026-11-20-all.csv");
        assert_eq!(path(&[What::Policies, What::Reading]), "results/bench/2026-11-20-policies-reading.csv");
    }

    #[test]
    fn a_row_says_when_and_where() {
        let row = Row { goal: "P7", what: "rucb, 136 arms".to_owned(), unit: "ns", value: 140.0, target: Some(150.0) };
        let text = csv("2026-11-20", "2 x this", &[row]);
        let line = "2026-11-20,\"2 x this\",P7,\"rucb, 136 arms\",ns,140.0000,150.0000,yes";
        assert_eq!(text.lines().collect::<Vec<_>>(), ["date,machine,goal,what,unit,value,target,met", line]);
    }
}
