//! Scores as text, Markdown, LaTeX, CSV, one HTML page, and figures of ranks. `score` computes the numbers.
//!
//! | in | is |
//! |---|---|
//! | this file | the rows that all forms share, text, Markdown, LaTeX, CSV |
//! | `html` | the page |
//! | `figure` | ranks with intervals |

mod figure;
mod html;

use anyhow::Result;
use output::numbers::with_unit;
use output::text_table::annotated::AnnotatedTable;
use output::text_table::{Align, TextTable};
use studies::Content;

use crate::score::{EntryScore, MeasureScore, Scores, TrackScores};
use crate::track::{Measure, Summary};

/// The files of a results folder: `ranks.csv`, `values.csv`, `tables.md`, `tables.tex`, `bench.html`, and a figure per track.
///
/// # Errors
/// If a figure cannot be drawn.
pub fn files(scores: &Scores) -> Result<Vec<(String, Content)>> {
    let mut files = vec![
        ("ranks.csv".to_owned(), Content::Table(ranks_csv(scores)?)),
        ("values.csv".to_owned(), Content::Table(values_csv(scores)?)),
        ("tables.md".to_owned(), Content::Bytes(markdown(scores).into_bytes())),
        ("tables.tex".to_owned(), Content::Bytes(latex(scores).into_bytes())),
        ("bench.html".to_owned(), Content::Bytes(html::page(scores)?.into_bytes())),
    ];
    for track in scores.tracks.iter().filter(|track| !track.ranked.is_empty()) {
        let name = format!("ranks-{}.svg", track.track.letter());
        files.push((name, Content::Bytes(figure::ranks(scores, track)?.svg.into_bytes())));
    }
    Ok(files)
}

/// A value as tables show it.
fn format_value(measure: &Measure, value: f64) -> String {
    match measure.summary {
        Summary::MostRuns => format!("{value:.0}"),
        Summary::Mean => format!("{value:.3}"),
    }
}

/// A rank with its interval.
fn rank(entry: &EntryScore) -> String {
    format!("{:.1} [{:.1}, {:.1}]", entry.rank, entry.interval.0, entry.interval.1)
}

/// The caption above the table of a track.
fn caption(track: &TrackScores) -> String {
    let difference = match track.critical_difference {
        Some(difference) => {
            format!("; mean ranks that differ by less than {difference:.1} could change places on other problems")
        }
        None => String::new(),
    };
    format!(
        "{}, {} each; 95% intervals of the runs{difference}",
        with_unit(track.problems.len() as u64, "problem"),
        with_unit(track.runs, "run")
    )
}

/// The cells of an entry by a measure: its median, and its worst problem.
fn cells(measure: &Measure, score: Option<&MeasureScore>) -> [String; 2] {
    match score {
        None => ["-".to_owned(), "-".to_owned()],
        Some(score) => {
            let (worst, problem) = &score.worst;
            [format_value(measure, score.median), format!("{} ({problem})", format_value(measure, *worst))]
        }
    }
}

/// The number of the measures that any problem has.
fn known_measures(track: &TrackScores) -> Vec<usize> {
    let is_known = |&measure: &usize| track.ranked.iter().any(|entry| entry.measures[measure].is_some());
    (0..track.measures.len()).filter(is_known).collect()
}

/// The tables as text for terminals.
#[must_use]
pub fn text(scores: &Scores) -> String {
    let mut sections = Vec::new();
    for track in &scores.tracks {
        let mut table = TextTable::new([
            ("entry", Align::Left),
            ("mean rank", Align::Left),
            ("measure", Align::Left),
            ("median", Align::Right),
            ("worst", Align::Left),
        ]);
        for entry in &track.ranked {
            // The measure of most problems stands for all; the files have every one.
            let distinguishing = |&measure: &usize| {
                entry.measures[measure].as_ref().map_or(0, |score| score.values.iter().flatten().count())
            };
            let Some(measure) = known_measures(track).into_iter().rev().max_by_key(distinguishing) else { continue };
            let [median, worst] = cells(&track.measures[measure], entry.measures[measure].as_ref());
            table.row([entry.name.clone(), rank(entry), track.measures[measure].name.clone(), median, worst]);
        }
        let mut section = format!("{}: {}\n{table}", track.track, caption(track));
        for (name, why) in &track.unranked {
            section += &format!("\n{name}: {why}");
        }
        sections.push(section);
    }
    sections.join("\n\n")
}

/// The header and the rows of a track, all measures.
fn rows(track: &TrackScores) -> (Vec<String>, Vec<Vec<String>>) {
    let measures = known_measures(track);
    let mut header = vec!["entry".to_owned(), "mean rank".to_owned()];
    for &measure in &measures {
        let Measure { name, .. } = &track.measures[measure];
        header.extend([format!("{name}: median"), "worst problem".to_owned()]);
    }
    let row = |entry: &EntryScore| {
        let of_measure = |&measure: &usize| cells(&track.measures[measure], entry.measures[measure].as_ref());
        let cells = [entry.name.clone(), rank(entry)];
        cells.into_iter().chain(measures.iter().flat_map(of_measure)).collect()
    };
    (header, track.ranked.iter().map(row).collect())
}

/// What is measured, a sentence per measure.
fn units(track: &TrackScores) -> Vec<String> {
    let unit_of = |&measure: &usize| {
        let Measure { name, unit, more_is_better, .. } = &track.measures[measure];
        format!("{name}: {unit}, {} is better", if *more_is_better { "more" } else { "less" })
    };
    known_measures(track).iter().map(unit_of).collect()
}

/// The table of a track with what explains it.
fn annotated_table(track: &TrackScores) -> AnnotatedTable {
    let (header, rows) = rows(track);
    let unranked = track.unranked.iter().map(|(name, why)| format!("{name}: {why}"));
    // Names and ranks are text; then medians and worst problems take turns.
    let columns = header.iter().enumerate().map(|(place, name)| (name.as_str(), place >= 2 && place % 2 == 0));
    let notes = [caption(track)].into_iter().chain(units(track)).chain(unranked).collect();
    AnnotatedTable::terminal_text(columns, rows, notes)
}

/// The tables as Markdown.
#[must_use]
pub fn markdown(scores: &Scores) -> String {
    let section = |track: &TrackScores| format!("\n## {}\n\n{}\n", track.track, annotated_table(track).markdown());
    format!("# {}\n", scores.bench) + &scores.tracks.iter().map(section).collect::<String>()
}

/// The tables as LaTeX, for the package `booktabs`.
#[must_use]
pub fn latex(scores: &Scores) -> String {
    let section = |track: &TrackScores| format!("% {}\n{}\n", track.track, annotated_table(track).latex(false));
    format!("% {}\n", scores.bench) + &scores.tracks.iter().map(section).collect::<String>()
}

/// Ranks by track and entry.
fn ranks_csv(scores: &Scores) -> Result<Vec<u8>> {
    let header = [
        "track",
        "entry",
        "rank",
        "low",
        "high",
        "critical_difference",
        "measure",
        "measure_rank",
        "median",
        "mean",
        "worst",
        "worst_problem",
    ];
    let mut rows = Vec::new();
    for track in &scores.tracks {
        for entry in &track.ranked {
            for (measure, score) in track.measures.iter().zip(&entry.measures) {
                let Some(score) = score else { continue };
                let number = |value: f64| format!("{value:.6}");
                rows.push([
                    track.track.name().to_owned(),
                    entry.name.clone(),
                    number(entry.rank),
                    number(entry.interval.0),
                    number(entry.interval.1),
                    track.critical_difference.map_or_else(String::new, number),
                    measure.name.clone(),
                    number(score.rank),
                    number(score.median),
                    number(score.mean),
                    number(score.worst.0),
                    score.worst.1.clone(),
                ]);
            }
        }
    }
    output::csv(&header, rows)
}

/// Every value: a row per track, measure and problem, a column per entry.
fn values_csv(scores: &Scores) -> Result<Vec<u8>> {
    let mut names: Vec<&str> = Vec::new();
    for entry in scores.tracks.iter().flat_map(|track| &track.ranked) {
        if !names.contains(&entry.name.as_str()) {
            names.push(&entry.name);
        }
    }
    names.sort_unstable();
    let header: Vec<&str> = ["track", "measure", "problem"].into_iter().chain(names.iter().copied()).collect();
    let mut rows = Vec::new();
    for track in &scores.tracks {
        for measure in known_measures(track) {
            for (problem_index, problem) in track.problems.iter().enumerate() {
                let value = |name: &&str| track.entry(name)?.measures[measure].as_ref()?.values[problem_index];
                let cells: Vec<Option<f64>> = names.iter().map(value).collect();
                if cells.iter().all(Option::is_none) {
                    continue;
                }
                let row = [track.track.name(), &track.measures[measure].name, problem].map(str::to_owned);
                let cells = cells.into_iter().map(|cell| cell.map_or_else(String::new, short_number));
                rows.push(row.into_iter().chain(cells).collect::<Vec<_>>());
            }
        }
    }
    output::csv(&header, rows)
}

/// A value with up to six decimals and no zeros at its end.
fn short_number(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
