//! Notes on data and settings that users should read before results. [`output::messages::notes`] shows them: the command line prints them on
//! standard error; other front ends that [watch](output::progress::watched) the work receive them.

use bandits::problems::Problem;
use bandits::registry::Spec;
use clicks::DependentClickModel;
use interleave::CreditTies;
use letor_io::{Dataset, Provenance, RankColumn, Runs};
use output::memory::size;
use output::numbers::{significant, with_separators, with_unit};
use rankers::TieBreaking;
use ranktypes::text::escaped;
use simulation::description::SiteDescription;
use simulation::late_answers::LateAnswers;
use simulation::matrix::matrix_bytes;
use simulation::prepared_site::PreparedSite;
use simulation::site::Site;

use crate::results::label;

/// The number of queries examined for ties.
const MOST_QUERIES: usize = 1_000;

/// Problems with a matrix of at least this many bytes are announced: that of 9,129 arms.
const LARGE_MATRIX: u64 = 1_000_000_000;

/// Above this share of tied positions, a note on ties is printed.
const MANY_TIES: f64 = 0.75;

/// Up to this difference of P(click) between grades, few ties are enough for the note.
const VAGUE_CLICKS: f64 = 0.25;

/// What was skipped, left out of a data set, or filled in.
#[must_use]
pub fn dataset_notes(dataset: &Dataset) -> Vec<String> {
    let mut notes = Vec::new();
    if let Provenance::Files { skipped, .. } = dataset.provenance() {
        let unread_file = |(path, reason): &(std::path::PathBuf, String)| {
            format!("skipped {}: {reason}", escaped(&path.display().to_string()))
        };
        notes.extend(skipped.iter().map(unread_file));
    }
    notes.extend(dataset.runs().iter().flat_map(|runs| runs_note(dataset, runs)));
    if dataset.all_null() > 0 {
        let times = with_unit(dataset.all_null(), "time");
        notes
            .push(format!("{times} all documents of a query have NULL for a feature, which is then 0 for all of them"));
    }
    notes
}

/// Whether clicks hardly depend on labels.
#[must_use]
pub fn are_vague(description: &SiteDescription) -> bool {
    let probabilities = || description.click.click.iter().copied();
    probabilities().fold(0.0, f64::max) - probabilities().fold(1.0, f64::min) <= VAGUE_CLICKS
}

/// Notes on the clicks and ties of a site; `ties_chosen` if the user chose how ties count.
#[must_use]
pub fn of_site(prepared: &PreparedSite, ties_chosen: bool) -> Vec<String> {
    let grades = grades_note(prepared.dataset.max_label(), &prepared.description);
    let ties = if ties_chosen { None } else { ties_note(&prepared.site, &prepared.description) };
    grades.into_iter().chain(ties).collect()
}

/// The cost of a problem with a large preference matrix before anything is played.
#[must_use]
pub fn of_problem(problem: &Problem) -> Option<String> {
    let (arms, bytes) = (problem.arms(), matrix_bytes(problem.arms()));
    (problem.is_matrix() && bytes >= LARGE_MATRIX).then(|| {
        format!(
            "the preferences of {} arms take {} of memory, and each policy with tables of all pairs takes more for every run; making, \
             ranking and hashing them may take minutes before the first step",
            with_separators(arms as u64),
            size(bytes)
        )
    })
}

/// Parameters of `algorithms` that no theory covers, and those without effect.
#[must_use]
pub fn of_algorithms(algorithms: &[Spec]) -> Vec<String> {
    algorithms.iter().filter_map(Spec::warning).collect()
}

/// Which of `algorithms` take late answers through queues.
#[must_use]
pub fn late_note(late: &LateAnswers, algorithms: &[Spec], arms: usize, steps: u64) -> Option<String> {
    if late.is_none() {
        return None;
    }
    let queued = |spec: &&Spec| spec.late(arms, Some(steps)).is_ok_and(|policy| !policy.is_native());
    let names: Vec<String> = algorithms.iter().filter(queued).map(label).collect();
    let pairs = with_unit((arms * arms.saturating_sub(1) / 2) as u64, "pair");
    (!names.is_empty()).then(|| {
        format!(
            "{} waits for each answer pair by pair, which can cost the delay again for each of {pairs}",
            names.join(", ")
        )
    })
}

/// Notes on data left out of a data set of runs, or filled in.
fn runs_note(dataset: &Dataset, runs: &Runs) -> Vec<String> {
    let counts = runs.counts();
    let name = |run: usize| match dataset.feature_names().and_then(|names| names.get(run)) {
        Some(name) => escaped(name).into_owned(),
        None => format!("run {}", run + 1),
    };
    let ranks = counts.ranks.iter().enumerate();
    let mut notes: Vec<String> = ranks.filter_map(|(run, column)| contradicted_columns(&name(run), column)).collect();
    if !counts.unjudged_queries.is_empty() {
        let queries = with_unit(counts.unjudged_queries.len() as u64, "query");
        notes
            .push(format!("left out {queries} of the runs without judgments: {}", name_list(&counts.unjudged_queries)));
    }
    let without_documents = runs.without_documents();
    if !without_documents.is_empty() {
        let queries = with_unit(without_documents.len() as u64, "judged query");
        let judged = if counts.removed { " that are judged" } else { "" };
        let verb = if without_documents.len() == 1 { "counts" } else { "count" };
        notes.push(format!(
            "left out {queries} without retrieved documents{judged}: {} ({verb} as 0 in means of measures)",
            name_list(without_documents)
        ));
    }
    let empty_runs: Vec<String> = counts
        .empty_lists
        .iter()
        .enumerate()
        .filter(|(_, queries)| **queries > 0)
        .map(|(run, queries)| format!("{} for {}", name(run), with_unit(*queries as u64, "query")))
        .collect();
    if !empty_runs.is_empty() {
        notes.push(format!(
            "nothing was retrieved by {}, where it shows documents in random order",
            name_list(&empty_runs)
        ));
    }
    if counts.unjudged > 0 {
        let retrieved_count = match counts.removed {
            true => dataset.documents() + counts.unjudged,
            false => dataset.documents(),
        };
        let share = percent(counts.unjudged, retrieved_count);
        notes.push(match counts.removed {
            true => format!("removed the {share} of the retrieved documents that are not judged"),
            false => format!(
                "{share} of the retrieved documents are not judged: label 0 (--unjudged remove leaves them out)"
            ),
        });
    }
    let tied: Vec<String> = counts
        .tied
        .iter()
        .zip(&counts.retrieved)
        .enumerate()
        .filter(|(_, (tied, _))| **tied > 0)
        .map(|(run, (tied, retrieved))| format!("{} of {}", percent(*tied, *retrieved), name(run)))
        .collect();
    if !tied.is_empty() {
        let rule = match counts.ties_kept {
            true => "they stay tied",
            false => "ordered by document number, as trec_eval does (--trec-ties keep leaves them tied)",
        };
        notes.push(format!("equal scores in {}: {rule}", name_list(&tied)));
    }
    if counts.comments > 0 {
        notes.push(format!("skipped {}, as trec_eval does", with_unit(counts.comments as u64, "comment line")));
    }
    if counts.negative > 0 {
        notes.push(format!("{} read as 0", with_unit(counts.negative as u64, "negative label")));
    }
    if counts.repeated > 0 {
        notes.push(format!("{} more than once, with the same label", with_unit(counts.repeated as u64, "judgment")));
    }
    notes
}

/// A warning if the scores of a run contradict its ranks in most queries.
fn contradicted_columns(name: &str, column: &RankColumn) -> Option<String> {
    let mostly = |queries: usize| (2 * queries > column.queries).then_some(queries);
    let (queries, fault) = match (mostly(column.reversed), mostly(column.contradicted)) {
        (Some(queries), _) => (queries, "rise with its ranks"),
        (None, Some(queries)) => (queries, "are not in the order of its ranks"),
        (None, None) => return None,
    };
    Some(format!(
        "in {} of {} the scores of {name} {fault}: lists are by score, the highest first, as trec_eval has them; if the ranks are right, \
         write scores that fall with them (of distances, -distance)",
        with_separators(queries as u64),
        with_unit(column.queries as u64, "query")
    ))
}

/// The first few of a list.
fn name_list(names: &[String]) -> String {
    const MAX_NAMES: usize = 5;
    let first_names = names.iter().take(MAX_NAMES).map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first_names,
        more => format!("{first_names} and {} more", with_separators(more as u64)),
    }
}

fn percent(part: usize, total: usize) -> String {
    let share = 100.0 * part as f64 / total.max(1) as f64;
    if share > 0.0 && share < 0.95 { format!("{share:.1}%") } else { format!("{share:.0}%") }
}

/// A note for presets on labels up to 3: the published ones are for 2, 3 and 5 grades.
fn grades_note(max_label: f32, description: &SiteDescription) -> Option<String> {
    let click = &description.click;
    let preset =
        DependentClickModel::PRESETS.iter().any(|name| click.model.split([':', ',', ' ']).any(|word| word == *name));
    if !preset || click.click.len() != 5 || max_label <= 2.0 || max_label > 3.0 {
        return None;
    }
    // The published probabilities, spread over grades 0 to 3.
    let spread = |five: &[f64]| -> String {
        let label_share = |grade: usize| {
            let label = grade as f64 * 4.0 / 3.0;
            let (low, share) = (label as usize, label.fract());
            five[low] + share * (five[(low + 1).min(4)] - five[low])
        };
        (0..4).map(|grade| format!("{grade}:{}", significant(label_share(grade)))).collect::<Vec<_>>().join(",")
    };
    let stop = if click.stop.iter().any(|stop| *stop > 0.0) && click.stop.len() == 5 {
        format!(" --stop {}", spread(&click.stop))
    } else {
        String::new()
    };
    Some(format!(
        "labels go up to {max_label}, but {} clicks are published for 2, 3 and 5 grades; those for 5 are used, so that \
         P(click) of the highest label is {}; to use the full range: --click {}{stop}",
        click.model,
        click.click[3],
        spread(&click.click)
    ))
}

/// A note for sites where the default treatment of ties probably decides more than the quality of rankers; `None` if
/// the user chose one.
fn ties_note(site: &Site, description: &SiteDescription) -> Option<String> {
    if description.credit_ties != CreditTies::Redrawn || description.tie_breaking != TieBreaking::Random {
        return None;
    }
    let share = site.tied_share(MOST_QUERIES);
    let why = if are_vague(description) && share > 0.0 {
        format!("{} clicks hardly distinguish documents", description.click.model)
    } else if share > MANY_TIES {
        format!("{:.0}% of the rankers' scores are tied", 100.0 * share)
    } else {
        return None;
    };
    Some(format!(
        "{why}; --credit-ties redrawn (the default, as in the published matrices) is biased against rankers with \
         ties, --credit-ties same is not"
    ))
}

#[cfg(test)]
mod tests {
    use super::of_problem;

    #[test]
    fn large_problems_say_what_they_cost() {
        let note = |problem: &str| of_problem(&problem.parse().expect("a problem"));
        let large = note("btl:k=20000").expect("a note");
        assert!(large.starts_with("the preferences of 20,000 arms take 4.8 GB of memory"), "{large}");
        // Utilities have no matrix.
        assert_eq!([note("btl:k=9000"), note("btl"), note("1good5poor")], [None, None, None]);
    }
}
