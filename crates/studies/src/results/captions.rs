//! Names of measures, for figures and tables.

use bandits::RegretKind;
use output::numbers::{mean_of, with_unit};
use simulation::description::SiteDescription;
use simulation::runs::{RunResult, StudyPlan};

use super::{
    Arms, Caption, Presentation, RegretBasis, distorted_note, evidence_table, notes, own_name, settled_note, table,
};

/// The caption of regret over impressions; `subject` comes first in its title.
#[must_use]
pub fn live_caption(site: &SiteDescription, subject: &str, regret_basis: &RegretBasis, look: Presentation) -> Caption {
    let (dataset, clicks) = (&site.dataset.name, own_name(&site.click.model));
    let names = site.names().shortened();
    let names: Vec<Option<&str>> = (0..site.rankers.len()).map(|arm| names.given_name(arm)).collect();
    Caption {
        title: format!("{subject}{} on {dataset}, {clicks} clicks", named_caption(&names, "ranker")),
        x_label: "impressions".to_owned(),
        regret: regret_per_step(regret_basis.kind, "best ranker", "shown"),
        note: notes([regret_basis.note(), site.note()]),
        look,
    }
}

/// Rankers or arms in a title: their names if they are two or three and all have one, otherwise how many of `subject` there are.
#[must_use]
pub fn named_caption(names: &[Option<&str>], subject: &str) -> String {
    match names.iter().copied().collect::<Option<Vec<&str>>>().as_deref() {
        Some([first, second]) => format!("{first} and {second}"),
        Some([first, second, third]) => format!("{first}, {second} and {third}"),
        _ => with_unit(names.len() as u64, subject),
    }
}

/// The regret of a step in words; `best` is the best arm, `shown_arm` how the arms of a step take part.
#[must_use]
pub fn regret_per_step(kind: RegretKind, best: &str, shown_arm: &str) -> String {
    match kind {
        RegretKind::Condorcet => format!("P({best} beats those {shown_arm}) - 1/2"),
        RegretKind::Weak => format!("weak: P({best} beats the strongest of those {shown_arm}) - 1/2"),
        RegretKind::Strong => format!("strong: P({best} beats the weakest of those {shown_arm}) - 1/2"),
        RegretKind::Copeland => "Copeland score lost".to_owned(),
        RegretKind::Borda => "Borda score lost".to_owned(),
        RegretKind::VonNeumann => format!("P(von Neumann winner beats those {shown_arm}) - 1/2"),
        RegretKind::Ndcg => "nDCG@10 lost".to_owned(),
    }
}

/// All that is printed of a study: the line `truth` about what regret is measured against, the table, and remarks.
#[must_use]
pub fn report(plan: &StudyPlan, results: &[Vec<RunResult>], arms: &Arms<'_>, caption: &Caption, truth: &str) -> String {
    let mut lines = vec![truth.to_owned(), table(plan, results, arms, &caption.look).to_string()];
    lines.extend(evidence_table(plan, results, arms));
    lines.extend(settled_note(plan, results));
    lines.extend(arms.multileave.and_then(|name| distorted_note(plan, results, arms, name)));
    lines.push(format!(
        "{} of {}; regret: {}",
        mean_of(plan.runs, "run"),
        with_unit(plan.steps, "step"),
        caption.regret
    ));
    lines.extend(caption.note.clone());
    lines.join("\n")
}
