//! Strengths with the intervals of one look, and their ranks.

use board::TieModel;
use figures::{Forest, ForestRow};

use super::BoardReport;
use super::rows::ranks;

/// More competitors than these are not drawn.
const MAX_ROWS: usize = 150;

/// The standard errors on each side of an interval of 95%.
const SINGLE: f64 = 1.959_963_984_540_054;

pub(super) fn forest(report: &BoardReport) -> Forest {
    let board = &report.board;
    // Half of the quantile for a difference of two strengths that are equally well known: where bars do not overlap, the two differ at about this
    // level. The table has the exact statement. Of few competitors that is less than the interval of each.
    let errors = |competitor: &board::Competitor| {
        (board.groups[competitor.group].quantile / std::f64::consts::SQRT_2).max(SINGLE)
    };
    let row = |competitor: &board::Competitor| {
        let (value, error) = (competitor.strength, competitor.standard_error);
        let interval = |errors: f64| (value - errors * error, value + errors * error);
        ForestRow {
            name: competitor.name.clone(),
            value,
            inner: interval(SINGLE),
            outer: Some(interval(errors(competitor))),
            text: match competitor.always {
                Some(always) => format!("{} / {}", ranks(competitor.once), ranks(always)),
                None => ranks(competitor.once),
            },
        }
    };
    let shown_competitors = &board.competitors[..board.competitors.len().min(MAX_ROWS)];
    let thin = if shown_competitors.iter().any(|competitor| errors(competitor) > SINGLE) {
        format!("; thin: {}% for all at one look, if there are many judges and items", 100.0 * board.level)
    } else {
        String::new()
    };
    let mut notes = Vec::new();
    if board.groups.len() > 1 {
        notes.push(format!(
            "{} groups that were never compared: their strengths cannot be compared",
            board.groups.len()
        ));
    }
    if shown_competitors.len() < board.competitors.len() {
        notes.push(format!("the first {} of {}", shown_competitors.len(), board.competitors.len()));
    }
    notes.extend(board.findings.iter().map(|found| found.sentence.trim_end_matches('.').to_owned()));
    notes.extend(board.unnamed.iter().map(|said| said.trim_end_matches('.').to_owned()));
    notes.extend(board.too_few.iter().map(|few| few.trim_end_matches('.').to_owned()));
    Forest {
        title: report.sentence(),
        subtitle: Some(format!(
            "{}: strengths under Bradley-Terry{}; thick: 95% each{thin}; right: ranks at one look{}",
            report.name.rsplit('/').next().unwrap_or_default(),
            if board.model.is_some() { " for people, beside a model" } else { "" },
            if board.model.is_some() { "" } else { " / at every look" },
        )),
        x_label: match board.groups.first().map(|group| group.ties) {
            // With a threshold, ties take more from the wins of the weaker.
            Some(TieModel::RaoKupper) => "strength: differences are the logarithm of P(win) / P(loss) if nobody tied",
            _ => "strength: differences are the logarithm of P(win) / P(loss)",
        }
        .to_owned(),
        close: false,
        rows: shown_competitors.iter().map(row).collect(),
        note: Some(notes.join("; ")).filter(|text| !text.is_empty()),
    }
}
