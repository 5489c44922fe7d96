//! The table of a board.

use anyhow::Result;
use board::{Board, Competitor, Estimate, ModelReport, Ranks, percent};
use output::numbers::with_separators;
use output::text_table::noted::NotedTable;

/// Best first, with the notes given.
pub(super) fn table(board: &Board, notes: Vec<String>) -> NotedTable {
    let several = board.groups.len() > 1;
    let mut columns = Vec::new();
    if several {
        columns.push(("group", true));
    }
    columns.extend([
        ("rank", true),
        ("competitor", false),
        ("claim", false),
        ("strength", true),
        ("± s.e.", true),
        ("won", true),
        ("lost", true),
        ("tied", true),
        ("P(best)", true),
        ("ranks, one look", true),
    ]);
    // With a model, nothing is stated of every look.
    columns.push(if board.model.is_some() { ("model − people", true) } else { ("every look", true) });
    columns.extend([("beats", true), ("beaten by", true)]);
    let row = |competitor: &Competitor| {
        let mut cells = Vec::new();
        if several {
            cells.push((competitor.group + 1).to_string());
        }
        cells.extend([
            competitor.rank.to_string(),
            competitor.name.clone(),
            competitor.claim.words().to_owned(),
            format!("{:.2}", competitor.strength),
            format!("{:.2}", competitor.standard_error),
            with_separators(competitor.wins),
            with_separators(competitor.losses),
            with_separators(competitor.ties),
            percent(competitor.best),
            ranks(competitor.once),
            match &board.model {
                Some(model) => favour(model, &competitor.name).map_or_else(String::new, in_100),
                None => competitor.always.map_or_else(String::new, ranks),
            },
            competitor.beats.to_string(),
            competitor.beaten_by.to_string(),
        ]);
        cells
    };
    let mut notes = notes;
    if !board.never_compared.is_empty() {
        notes.insert(0, format!("Never compared with another: {}", board.never_compared.join(", ")));
    }
    if board.model.is_some() {
        notes.push(
            "Model − people: points in 100 that the model gives beyond what people do, where both judged".to_owned(),
        );
    }
    NotedTable {
        columns: columns.into_iter().map(|(name, number)| (name.to_owned(), number)).collect(),
        rows: board.competitors.iter().map(row).collect(),
        notes,
    }
}

/// What the model gives a competitor beyond what people do.
fn favour(model: &ModelReport, name: &str) -> Option<Estimate> {
    model.favours.iter().find(|favour| favour.name == name).map(|favour| favour.difference)
}

fn in_100(difference: Estimate) -> String {
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

/// All numbers in full.
pub(super) fn csv(board: &Board) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let of_model: &[&str] =
        if board.model.is_some() { &["model_minus_people", "model_minus_people_error"] } else { &[] };
    let header = [
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
    ];
    writer.write_record(header.iter().chain(of_model))?;
    for one in &board.competitors {
        let rank = |of: fn(Ranks) -> usize| one.always.map_or_else(String::new, |ranks| of(ranks).to_string());
        let mut record = vec![
            (one.group + 1).to_string(),
            one.rank.to_string(),
            one.name.clone(),
            one.strength.to_string(),
            one.standard_error.to_string(),
            one.wins.to_string(),
            one.losses.to_string(),
            one.ties.to_string(),
            one.best.to_string(),
            one.once.best.to_string(),
            one.once.worst.to_string(),
            rank(|ranks| ranks.best),
            rank(|ranks| ranks.worst),
            one.beats.to_string(),
            one.beaten_by.to_string(),
            one.claim.words().to_owned(),
            board.looks.words().to_owned(),
        ];
        if let Some(model) = &board.model {
            let found = favour(model, &one.name);
            record.extend([found.map(|one| one.value), found.map(|one| one.error)].map(number));
        }
        writer.write_record(record)?;
    }
    Ok(writer.into_inner().map_err(|error| error.into_error())?)
}
