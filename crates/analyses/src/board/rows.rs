//! The table of a board, or of several.

use anyhow::Result;
use board::{Board, Competitor, Estimate, ModelReport, Ranks, percent};
use output::numbers::with_separators;
use output::text_table::annotated::AnnotatedTable;

/// A board, and the category it is of; none for the board of all.
pub(super) type CategoryBoard<'a> = (Option<&'a str>, &'a Board);

/// The first column where there are several boards.
const OF_ALL: &str = "(all)";

/// Board after board, best first, with the notes given.
pub(super) fn table(boards: &[CategoryBoard<'_>], notes: Vec<String>) -> AnnotatedTable {
    let several = boards.iter().any(|(_, board)| board.groups.len() > 1);
    let (has_plain_fit, model) = (has_plain(boards), model(boards));
    let mut columns = Vec::new();
    if boards.len() > 1 {
        columns.push(("category", false));
    }
    if several {
        columns.push(("group", true));
    }
    columns.extend([("rank", true), ("competitor", false), ("claim", false), ("strength", true), ("± s.e.", true)]);
    if has_plain_fit {
        columns.push(("plain", true));
    }
    // Where several judgements are one unit, rows of the table cannot be counted again from these.
    let merged =
        boards.iter().any(|(_, board)| board.tally.units < (board.tally.rows - board.tally.self_comparisons) as u64);
    let won = if merged { "won (units)" } else { "won" };
    columns.extend([(won, true), ("lost", true), ("tied", true), ("P(best)", true), ("ranks, one look", true)]);
    // With a model, nothing is stated of every look.
    columns.push(if model.is_some() { ("model − people", true) } else { ("every look", true) });
    columns.extend([("beats", true), ("beaten by", true)]);
    let row = |category: Option<&str>, competitor: &Competitor| {
        let mut cells = Vec::new();
        if boards.len() > 1 {
            cells.push(category.unwrap_or(OF_ALL).to_owned());
        }
        if several {
            cells.push((competitor.group + 1).to_string());
        }
        cells.extend([
            competitor.rank.to_string(),
            competitor.name.clone(),
            competitor.claim.label().to_owned(),
            format!("{:.2}", competitor.strength),
            format!("{:.2}", competitor.standard_error),
        ]);
        if has_plain_fit {
            cells
                .push(competitor.plain.map_or_else(String::new, |has_plain_fit| format!("{:.2}", has_plain_fit.value)));
        }
        cells.extend([
            with_separators(competitor.wins),
            with_separators(competitor.losses),
            with_separators(competitor.ties),
            percent(competitor.best),
            ranks(competitor.once),
            match model {
                Some(model) => favour(model, &competitor.name).map_or_else(String::new, points_in_100),
                None => competitor.always.map_or_else(String::new, ranks),
            },
            competitor.beats.to_string(),
            competitor.beaten_by.to_string(),
        ]);
        cells
    };
    let mut notes = notes;
    for (category, board) in boards.iter().rev().filter(|(_, board)| !board.never_compared.is_empty()) {
        let category_text = category.map_or_else(String::new, |name| format!(" in {name}"));
        notes.insert(0, format!("Never compared with another{category_text}: {}", board.never_compared.join(", ")));
    }
    if model.is_some() {
        notes.push(
            "Model − people: points in 100 that the model gives beyond what people do, where both judged".to_owned(),
        );
    }
    let rows = boards.iter().flat_map(|(name, board)| board.competitors.iter().map(|one| row(*name, one)));
    AnnotatedTable::terminal_text(columns, rows, notes)
}

/// How much more the model gives a competitor than people do.
fn favour(model: &ModelReport, name: &str) -> Option<Estimate> {
    model.favours.iter().find(|favour| favour.name == name).map(|favour| favour.difference)
}

fn points_in_100(difference: Estimate) -> String {
    format!("{:+.0} ± {:.0}", 100.0 * difference.value, 100.0 * difference.error)
}

/// Two ranks, or one.
pub(super) fn ranks(ranks: Ranks) -> String {
    if ranks.best == ranks.worst { ranks.best.to_string() } else { format!("{}–{}", ranks.best, ranks.worst) }
}

/// A number in full, or nothing.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The model beside people; boards by category have none.
fn model<'a>(boards: &[CategoryBoard<'a>]) -> Option<&'a ModelReport> {
    boards.iter().find_map(|(_, board)| board.model.as_ref())
}

/// Whether there are strengths of fits without covariates and slopes to show beside the others.
fn has_plain(boards: &[CategoryBoard<'_>]) -> bool {
    boards.iter().any(|(_, board)| board.competitors.iter().any(|one| one.plain.is_some()))
}

/// All numbers in full.
pub(super) fn csv(boards: &[CategoryBoard<'_>]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let (has_plain_fit, model) = (has_plain(boards), model(boards));
    let mut header: Vec<&str> = if boards.len() > 1 { vec!["category"] } else { Vec::new() };
    header.extend([
        "group",
        "rank",
        "name",
        "strength",
        "standard_error",
        "wins",
        "losses",
        "ties",
        "probability_best",
        "rank_best_one_look",
        "rank_worst_one_look",
        "rank_best_every_look",
        "rank_worst_every_look",
        "beats",
        "beaten_by",
        "claim",
        "claim_at",
    ]);
    if has_plain_fit {
        header.extend(["plain_strength", "plain_standard_error"]);
    }
    if model.is_some() {
        header.extend(["model_minus_people", "model_minus_people_error"]);
    }
    writer.write_record(header)?;
    let rows = boards
        .iter()
        .flat_map(|(name, board)| board.competitors.iter().map(move |competitor| (name, board, competitor)));
    for (category, board, competitor) in rows {
        let rank = |of: fn(Ranks) -> usize| competitor.always.map_or_else(String::new, |ranks| of(ranks).to_string());
        let of_category = category.unwrap_or(OF_ALL).to_owned();
        let mut cells: Vec<String> = if boards.len() > 1 { vec![of_category] } else { Vec::new() };
        cells.extend([
            (competitor.group + 1).to_string(),
            competitor.rank.to_string(),
            competitor.name.clone(),
            competitor.strength.to_string(),
            competitor.standard_error.to_string(),
            competitor.wins.to_string(),
            competitor.losses.to_string(),
            competitor.ties.to_string(),
            competitor.best.to_string(),
            competitor.once.best.to_string(),
            competitor.once.worst.to_string(),
            rank(|ranks| ranks.best),
            rank(|ranks| ranks.worst),
            competitor.beats.to_string(),
            competitor.beaten_by.to_string(),
            competitor.claim.label().to_owned(),
            board.looks.label().to_owned(),
        ]);
        if has_plain_fit {
            cells.extend(
                [
                    competitor.plain.map(|has_plain_fit| has_plain_fit.value),
                    competitor.plain.map(|has_plain_fit| has_plain_fit.error),
                ]
                .map(number),
            );
        }
        if let Some(model) = model {
            let favour_of_model = favour(model, &competitor.name);
            cells.extend(
                [
                    favour_of_model.map(|competitor| competitor.value),
                    favour_of_model.map(|competitor| competitor.error),
                ]
                .map(number),
            );
        }
        writer.write_record(cells)?;
    }
    Ok(writer.into_inner().map_err(|error| error.into_error())?)
}
