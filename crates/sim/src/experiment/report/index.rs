//! The table of the claims of all experiments: `results/README.md`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use output::lock::Lock;
use output::numbers::with_separators;

use crate::experiment::claim::ClaimResult;
use crate::experiment::config::{PAPERS, Paper, is_published};
use crate::experiment::report::folder::{Summary, cell, without_markup};

/// The summaries of all experiments in a folder of results, paper by paper.
///
/// # Errors
/// When the folder cannot be read. Folders of other results are ignored.
pub(crate) fn summaries(results: &Path) -> Result<Vec<Summary>> {
    let mut summaries_read = Vec::new();
    if results.is_dir() {
        for entry in std::fs::read_dir(results)? {
            if let Ok(bytes) =
                output::input::read_file(&entry?.path().join("summary.json"), output::input::MAX_RESULT_BYTES)
                && let Ok(summary) = serde_json::from_slice::<Summary>(&bytes)
            {
                summaries_read.push(summary);
            }
        }
    }
    let paper_position = |key: &str| PAPERS.iter().position(|paper| paper.key == key);
    summaries_read.sort_by_cached_key(|summary: &Summary| (paper_position(&summary.paper), order(&summary.experiment)));
    Ok(summaries_read)
}

/// A key that sorts numbers in names by value: `fig10` after `fig2`.
fn order(name: &str) -> Vec<(String, u64)> {
    let mut key = vec![(String::new(), 0_u64)];
    for letter in name.chars() {
        let last_part = key.last_mut().expect("never empty");
        match letter.to_digit(10) {
            Some(digit) => last_part.1 = last_part.1.saturating_mul(10).saturating_add(digit.into()),
            None if last_part.1 == 0 => last_part.0.push(letter),
            None => key.push((letter.to_string(), 0)),
        }
    }
    key
}

/// The number of claims of papers by verdict, in words, and then of our own experiments.
#[must_use]
pub(crate) fn tally(summaries: &[Summary]) -> String {
    let tally_of = |published: bool| -> Option<String> {
        let of_kind = summaries.iter().filter(|summary| is_published(&summary.paper) == published);
        let tally = ClaimResult::tally(of_kind.flat_map(|summary| &summary.claims)).into_iter();
        let counts_text =
            tally.map(|(verdict, count)| format!("{} {}", with_separators(count as u64), verdict.words(count)));
        let counts_text: Vec<String> = counts_text.collect();
        (!counts_text.is_empty()).then(|| counts_text.join(", "))
    };
    match (tally_of(true), tally_of(false)) {
        (Some(papers), Some(ours)) => format!("{papers}; beyond the papers: {ours}"),
        (papers, ours) => papers.or(ours).unwrap_or_else(|| "none".to_owned()),
    }
}

/// Writes `README.md` into a folder of results.
///
/// # Errors
/// When the folder cannot be read or written.
pub(crate) fn write(results: &Path) -> Result<()> {
    // Two commands that end at the same time must not miss each other's summaries.
    let _lock = Lock::wait_for_folder(results)?;
    let summaries = summaries(results)?;
    let mut page = String::from(
        "# Results\n\nOne folder per experiment, written by `rankduel experiment` from the files in `experiments/`: the figure, \
         the numbers and the outcome of each claim. `rankduel report` builds one HTML page of all results. Results on \
         look-alikes are marked: their data are synthetic, and claims that only the real data can settle do not \
         count as held. Claims tested below the paper's scale stay open.\n\n",
    );
    let _ = writeln!(page, "Claims: {}.\n", tally(&summaries));
    for Paper { key, name, reference } in PAPERS {
        let of_paper: Vec<&Summary> = summaries.iter().filter(|summary| summary.paper == key).collect();
        if of_paper.is_empty() {
            continue;
        }
        let _ = writeln!(
            page,
            "## {name}\n\n{reference}.\n\n| result | claim | outcome | our numbers |\n|---|---|---|---|"
        );
        for summary in of_paper {
            let figure_name = if summary.figure.is_empty() { &summary.experiment } else { &summary.figure };
            let link = format!("[{}]({}/README.md)", cell(figure_name), summary.experiment);
            if summary.claims.is_empty() {
                let _ = writeln!(page, "| {link} | {} | | |", cell(&summary.title));
            }
            for claim in &summary.claims {
                let comment =
                    claim.comment.as_ref().map_or(String::new(), |text| format!(" *{}*", without_markup(text.trim())));
                let place_text =
                    if claim.place.is_empty() { String::new() } else { format!(" ({})", cell(&claim.place)) };
                let _ = writeln!(
                    page,
                    "| {link} | {}{place_text} | {} | {}{comment} |",
                    cell(&claim.says),
                    claim.verdict.mark(),
                    cell(&claim.numbers)
                );
            }
        }
        page.push('\n');
    }
    output::write_atomic(&results.join("README.md"), page.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_numbers() {
        let mut names = ["mdb-fig10", "mdb-fig2", "mdb-fig1", "mdb-fig1b"];
        names.sort_by_key(|name| order(name));
        assert_eq!(names, ["mdb-fig1", "mdb-fig1b", "mdb-fig2", "mdb-fig10"]);
    }

    #[test]
    fn claims_of_papers_are_counted_apart_from_ours() {
        let summary = |paper: &str, verdicts: &[&str]| -> Summary {
            let claim = |verdict: &&str| serde_json::json!({"says": "x", "place": "", "verdict": verdict, "numbers": "", "comment": null});
            let claims: Vec<_> = verdicts.iter().map(claim).collect();
            serde_json::from_value(serde_json::json!({
                "experiment": "x", "paper": paper, "title": "x", "figure": "", "about": "", "scale": 1.0,
                "fingerprint": "", "settings": [], "claims": claims, "table": null, "values": [],
            }))
            .expect("a summary")
        };
        let ours = summary("beyond", &["held", "held"]);
        let all = [summary("mdb", &["held", "did-not-hold"]), summary("rucb", &["held"]), ours];
        assert_eq!(tally(&all), "2 held, 1 did not hold; beyond the papers: 2 held");
        assert_eq!(tally(&all[..1]), "1 held, 1 did not hold");
        assert_eq!(tally(&all[2..]), "2 held");
        assert!(["mergerucb", "rucb", "rcs", "mdb"].iter().all(|paper| is_published(paper)));
    }

    #[test]
    fn a_folder_without_results_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert!(summaries(folder.path()).unwrap().is_empty());
        write(folder.path()).unwrap();
        assert!(summaries(&folder.path().join("nowhere")).unwrap().is_empty());
    }
}
