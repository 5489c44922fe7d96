//! `click-logs decide`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use desk::print;
use output::numbers::{complement, parse_confidence, with_unit};
use output::progress::Progress;
use output::results_folder::{Existing, ResultsFolder};
use output::tell::info;
use output::threads;
use output::usage::usage;
use page::figure::win_rates;
use ranktypes::text::plural;
use serde_json::{Value, json};
use statistics::anytime::TestState;
use verdicts::decide::{By, Decision, FindingKind, OfVersion, Verdicts, decide_with_progress, finding, report};

use super::html;
use crate::outcomes::{integrity, of_version, summary_beside, warnings};

/// Say who won, since when and how sure that is
///
/// The verdict holds however often you look, and whenever you stop. With --out, also writes decision.json, win-rate.csv (the
/// share of wins after each day, with its confidence sequence) and win-rate.svg. With --html, also writes all of it as one page.
#[derive(Debug, Args)]
pub(super) struct Decide {
    /// A folder that `credit` wrote, or a table like its outcomes.csv
    #[arg(value_name = "FOLDER")]
    outcomes: PathBuf,
    /// How sure all verdicts together shall be
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = parse_confidence)]
    confidence: f64,
    /// What is counted as independent
    #[arg(long, value_enum, default_value = "units")]
    by: Counting,
    /// What to print: words, decision.json, or win-rate.csv
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Say the verdict by the exit code, too: 0 decided, 3 open, 4 not trusted because pages are broken
    #[arg(long)]
    exit_code: bool,
    /// A folder for files
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write a page: one file with charts and tables, which must not be there yet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Move earlier results in the folder aside
    #[arg(long, requires = "out")]
    replace: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Counting {
    /// Users or sessions, as credited
    Units,
    /// Impressions: finds differences between equal rankers where users differ
    Impressions,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
}

/// The exit code of a verdict that is open.
const OPEN: u8 = 3;
/// That of one that is not trusted.
const NOT_TRUSTED: u8 = 4;

/// The key under which a remark about the summary joins what it says.
const REMARK: &str = "remark about the summary";

impl Decide {
    /// Decides; returns the exit code.
    pub(super) fn run(self) -> Result<u8> {
        self.html.as_deref().map(html::check_new).transpose()?;
        let (table, summary) = self.read()?;
        let order: Vec<String> = summary["rankers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let path = self.table();
        let outcomes = crate::outcomes::read(&table, &order).map_err(|error| error.in_file(&path))?;
        let outcomes = outcomes.with_versions_of(&summary);
        let by = match self.by {
            Counting::Units => By::Units,
            Counting::Impressions => By::Impressions,
        };
        let alpha = complement(self.confidence);
        if by == By::Impressions {
            crate::outcomes::need_impressions(&outcomes).map_err(|error| usage(error.in_file(&path)))?;
        }
        let progress = Progress::new("days of pairs", outcomes.days.len() as u64, false);
        let verdicts =
            threads::within(None, || decide_with_progress(&outcomes, alpha, by, &|rows| progress.advance(rows)))??;
        progress.finish();
        let text = words(&verdicts, &summary);
        let mut json = verdicts.json();
        // A summary that may have been changed does not prove that the log is real.
        let certain = summary[REMARK].is_null() || is_synthetic(&summary);
        json["synthetic"] = if certain { summary["synthetic"].clone() } else { Value::Null };
        json["warnings"] = before_all(&verdicts, &summary).into();
        let checked = integrity(&summary);
        let is_trusted = checked.as_ref().map(|checked| checked.untrusted(verdicts.latest_name()).is_none());
        json["trusted"] = is_trusted.into();
        json["faults"] = checked.as_ref().map_or(Value::Null, |checked| json!(checked.faults));
        json["pairs_chosen"] = summary["pairs"].clone();
        let fates = &summary["fates"]["impressions"];
        json["impressions_after_closing"] = json!({
            "count": fates["after-closing"],
            "of": fates["credited"],
            "unit_days": summary["unit_days"],
        });
        if let Some(path) = &self.html {
            let name = self.outcomes.display().to_string();
            let log = html::Log { name: &name, outcomes: &outcomes, verdicts: &verdicts, summary: &summary };
            html::write(path, &log, &before_all(&verdicts, &summary), &text)?;
        }
        if let Some(out) = &self.out {
            self.write(out, &verdicts, &json, &text, &summary)?;
        }
        match self.format {
            Format::Text => print::text(&text),
            Format::Json => print::text(&serde_json::to_string_pretty(&json)?),
            Format::Csv => {
                verdicts
                    .change()
                    .into_iter()
                    .chain(before_all(&verdicts, &summary))
                    .for_each(|warning| info(false, &warning));
                print::text(&verdicts.looks_csv());
            }
        }
        Ok(match (self.exit_code, is_trusted.unwrap_or(true), finding(verdicts.latest(), None).kind) {
            (false, ..) | (true, true, FindingKind::Decided) => 0,
            (true, true, _) => OPEN,
            (true, false, _) => NOT_TRUSTED,
        })
    }

    fn table(&self) -> PathBuf {
        if self.outcomes.is_dir() { self.outcomes.join("outcomes.csv") } else { self.outcomes.clone() }
    }

    /// The table, and the summary beside it if there is one.
    fn read(&self) -> Result<(String, Value)> {
        let path = self.table();
        if self.outcomes.is_dir() && !self.outcomes.join("config.json").exists() {
            let folder = self.outcomes.display();
            bail!(usage(format!("{folder} has no finished results of `click-logs credit`; run that first, or again")));
        }
        let table = output::input::read_text(&path, 1 << 30).with_context(|| path.display().to_string())?;
        let (mut summary, remark) = summary_beside(&path, &table);
        if let Some(remark) = remark {
            summary[REMARK] = remark.into();
        }
        Ok((table, summary))
    }

    fn write(&self, out: &Path, verdicts: &Verdicts, json: &Value, text: &str, summary: &Value) -> Result<()> {
        let config = json!({
            "command": "click-logs decide",
            "outcomes": self.outcomes.display().to_string(),
            "confidence": self.confidence,
            "by": verdicts.latest().by.name(),
        });
        let existing = Existing::replaced(self.replace);
        let folder = ResultsFolder::claim(out, &config, existing)?;
        let figure = win_rates(verdicts, is_synthetic(summary).then_some(super::SYNTHETIC));
        folder.write(&config, || {
            output::write_json_pretty(&folder.join("decision.json"), json)?;
            super::write(folder.path(), "decision.txt", text)?;
            super::write(folder.path(), "win-rate.csv", &verdicts.looks_csv())?;
            match &figure {
                Some(figure) => super::write(folder.path(), "win-rate.svg", figure),
                None => output::remove_stale(&folder.join("win-rate.svg")),
            }
        })
    }
}

/// A warning for each verdict that all impressions together do not bear out.
fn later_days(decision: &Decision) -> String {
    let mut text = String::new();
    for pair in &decision.pairs {
        let (Some(units), Some(all)) = (pair.last.counts.share(), pair.impressions.share()) else { continue };
        if pair.last.verdict != TestState::Open && (units > 0.5) != (all > 0.5) {
            let [first, second] = [pair.last.pair.0, pair.last.pair.1].map(|ranker| &decision.rankers[ranker]);
            text += &format!(
                "Note: of all impressions {first} won {:.1}% against {second}: later days point the other way. Credit with more \
                 --unit-days before you decide.\n",
                100.0 * all
            );
        }
    }
    text
}

/// What must be said before the verdict.
fn before_all(verdicts: &Verdicts, summary: &Value) -> Vec<String> {
    let by = verdicts.latest().by;
    let mut all = warnings(summary);
    all.extend(verdicts.versions.iter().filter_map(OfVersion::missing));
    all.splice(0..0, summary[REMARK].as_str().map(str::to_owned));
    if by == By::Impressions && summary["pairs"] == "steered" {
        all.insert(
            0,
            "All impressions are counted (--by impressions), though outcomes may have chosen their pairs: these verdicts do not \
             hold their level."
                .to_owned(),
        );
    }
    all
}

/// Why no outcome has closed, by the summary of the log.
fn nothing(summary: &Value) -> Option<String> {
    let fates = &summary["fates"];
    let credited = fates["impressions"]["credited"].as_u64()?;
    let unit = summary["unit"].as_str().unwrap_or("unit");
    let of_units = |fate: &str| fates["units"][fate].as_u64().unwrap_or(0);
    Some(if credited == 0 {
        "Nothing to decide: no impression counts.\n".to_owned()
    } else if of_units("open") > 0 {
        let open = of_units("open");
        let are = if open == 1 { "is" } else { "are" };
        let open = with_unit(open, unit);
        let last = summary["last_closed_day"].as_str().unwrap_or("the first one");
        format!(
            "Nothing to decide yet: {open} {are} open, as days are complete until {last} only. Credit a longer log, or say \
             --final if nothing will be added.\n"
        )
    } else if of_units("spent") > 0 {
        let spent = with_unit(of_units("spent"), unit);
        format!("Nothing to decide: the first impression of each of {spent} was set aside or of one ranker.\n")
    } else {
        format!("Nothing to decide: all {} are bots by the rules of --bots.\n", plural(unit))
    })
}

/// What the analysis takes for granted about pairs, unless a warning says it.
fn how_pairs_were_chosen(summary: &Value) -> String {
    let how = match summary["pairs"].as_str() {
        Some("chance") => "never by outcomes",
        Some("kept") => "by outcomes, but each unit kept its first pair",
        Some("steered") => return String::new(),
        _ => {
            return "How pairs were chosen is not known: an earlier build credited this log. If outcomes chose them, credit it \
                    again.\n"
                .to_owned();
        }
    };
    let by = match summary["pairs_said_by"].as_str() {
        Some("settings") => "--pairs says",
        Some("log") => "the log says",
        _ => "all impressions mix the same rankers",
    };
    format!("Pairs were chosen {how} ({by}).\n")
}

fn is_synthetic(summary: &Value) -> bool {
    summary["synthetic"] == true
}

/// The verdicts in words, and what the log behind them is, by its summary. That the experiment changed comes first.
#[must_use]
pub fn words(verdicts: &Verdicts, summary: &Value) -> String {
    let mut text = verdicts.change().map_or_else(String::new, |change| format!("{change}\n\n"));
    let by = verdicts.latest().by;
    before_all(verdicts, summary).iter().for_each(|warning| text += &format!("{warning}\n\n"));
    let credited = summary["fates"]["impressions"]["credited"].as_u64().unwrap_or(0);
    if let [OfVersion { decision, .. }] = verdicts.versions.as_slice() {
        match (decision.days, nothing(summary)) {
            (None, Some(why)) => text += &why,
            _ => text += &report(decision, summary["unit"].as_str()),
        }
    } else {
        for version in &verdicts.versions {
            text += &format!("{}:\n{}", version.title(), report(&version.decision, summary["unit"].as_str()));
            if credited > 0 {
                text += &how_pairs_were_chosen(&of_version(summary, version.name.as_deref()));
            }
            if by == By::Units {
                text += &later_days(&version.decision);
            }
            text.push('\n');
        }
    }
    text += &set_aside(verdicts, summary);
    if is_synthetic(summary) {
        text += super::SYNTHETIC;
        text.push('\n');
    }
    text
}

/// What became of the lines of a log, by its summary.
fn set_aside(verdicts: &Verdicts, summary: &Value) -> String {
    let fates = &summary["fates"]["impressions"];
    let (Some(lines), Some(credited)) = (summary["lines"]["impressions"].as_u64(), fates["credited"].as_u64()) else {
        return String::new();
    };
    if lines == 0 {
        return String::new();
    }
    let percent = |count: u64| format!("{:.1}%", 100.0 * count as f64 / lines as f64);
    let mut reasons: Vec<(&String, u64)> = fates
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "credited" | "after-closing"))
        .filter_map(|(name, count)| Some((name, count.as_u64().filter(|count| *count > 0)?)))
        .collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let reasons: Vec<String> = reasons.into_iter().map(|(name, count)| format!("{name} {}", percent(count))).collect();
    let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
    let mut text =
        format!("{} of impressions, {} set aside{why}.\n", with_unit(lines, "line"), percent(lines - credited));
    let later = fates["after-closing"].as_u64().filter(|later| *later > 0 && credited > 0);
    let is_one = verdicts.versions.len() == 1;
    if let (By::Units, Some(later)) = (verdicts.latest().by, later) {
        let (unit, days) = (summary["unit"].as_str().unwrap_or("unit"), summary["unit_days"].as_u64().unwrap_or(1));
        let share = 100.0 * later as f64 / credited as f64;
        // Versions may differ in how their pairs were chosen.
        if is_one && summary["pairs"] == "steered" {
            text += &format!(
                "{share:.1}% of the impressions that count came after the first of their {unit}, which is all that a {unit} counts with.\n"
            );
        } else if !is_one && summary["pairs"] == "steered" {
            text += &format!("{share:.1}% of the impressions that count came when their {unit} had closed.\n");
        } else {
            let first = if days == 1 { "the first day".to_owned() } else { format!("the first {days} days") };
            text += &format!(
                "{share:.1}% of the impressions that count came after {first} of their {unit}, which is what each {unit} counts with \
                 (--unit-days of `credit`).\n"
            );
            if is_one {
                text += &later_days(verdicts.latest());
            }
        }
    }
    if credited > 0 && is_one {
        text += &how_pairs_were_chosen(summary);
    }
    if let Some(checked) = integrity(summary) {
        text += &format!("{}\n", checked.tested);
    }
    text
}
