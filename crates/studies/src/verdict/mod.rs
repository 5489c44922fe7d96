//! Which of a few rankers wins, as the sentence that a report begins with: by clicks, and by measures.
//!
//! Not here: the tests themselves, which are in `statistics`, and verdicts from logs of real users, which are in `click-logs`.

mod clicks;
mod judged;
mod measure_table;
mod measures;
mod pair_test;
mod paired_test;
mod sentences;

use anyhow::Result;
use simulation::arm_names::ArmNames;
use simulation::prepared_site::PreparedSite;
use simulation::truth::GroundTruth;

pub use self::clicks::click_sentence;
pub use self::judged::{JudgedMean, JudgedMeasure, JudgedMeasures, LeaningLabels};
pub use self::measure_table::{MeasureTable, RankerMeans};
pub use self::measures::{MeasureTests, TestSettings};
pub use self::pair_test::{AdjustedPValue, LabelCorrection, PairTest};
pub use self::paired_test::PairedTest;
use crate::results::AlgorithmSummary;

/// The most rankers that a sentence can compare one by one.
pub const MAX_NAMED_RANKERS: usize = 3;

/// The level of tests: a difference is called one if its p-value, corrected for all tests, is at most this.
pub const LEVEL: f64 = 0.05;

/// The verdict of measures on the rankers of a site, if its rankers are TREC runs, at least two.
///
/// # Errors
/// If labels cannot be measured.
pub fn of_runs(site: &PreparedSite) -> Result<Option<MeasureTests>> {
    let rankings = site.site.rankings();
    if site.dataset.runs().is_none() || rankings.arms() < 2 {
        return Ok(None);
    }
    let measure: rankers::Measure = "nDCG@10".parse()?;
    MeasureTests::of(&rankings.measure(&[measure])?, &["nDCG@10".to_owned()], 0, TestSettings::default())
}

/// The sentence on TREC runs: the winner by clicks and by nDCG@10. `None` of other sites.
///
/// # Errors
/// If labels cannot be measured.
pub fn sentence(
    site: &PreparedSite,
    truth: &GroundTruth,
    names: &ArmNames,
    summaries: &[AlgorithmSummary],
) -> Result<Option<String>> {
    let Some(tests) = of_runs(site)? else { return Ok(None) };
    let sentences: Vec<String> =
        [click_sentence(truth, names, summaries), tests.sentence(names)].into_iter().flatten().collect();
    Ok((!sentences.is_empty()).then(|| capitalised(&(sentences.join("; ") + "."))))
}

/// `text` with a capital at its beginning.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A p-value of a sentence or a table: `p = 0.012`, `p < 0.0001`.
fn p_text(p: f64) -> String {
    if p < 1e-4 {
        "p < 0.0001".to_owned()
    } else {
        format!("p = {p:.decimals$}", decimals = if p < 0.1 { 4 } else { 2 })
    }
}

/// Names as a list: `a`, `a and b`.
fn joined_names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
