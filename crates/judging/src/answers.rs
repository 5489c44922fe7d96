//! All answers of a session as a table.

use judges::{Session, verdict_word};

/// The columns; the last is there if judges noted something.
const COLUMNS: [&str; 7] = ["first", "second", "winner", "item", "judge", "ticket", "note"];

/// The header and the rows of all answers of a session, in the order of their arrival. Unknown values are empty.
#[must_use]
pub fn table(session: &Session) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let (config, judges) = (session.config(), session.judges());
    let has_notes = session.judged().iter().any(|judged| session.note(judged.ticket).is_some());
    let width = COLUMNS.len() - usize::from(!has_notes);
    let row = |judged: &judges::JudgementRow| {
        let mut row = vec![
            config.names[judged.first as usize].clone(),
            config.names[judged.second as usize].clone(),
            verdict_word(judged.verdict).unwrap_or_default().to_owned(),
            judged.item.map_or_else(String::new, |item| config.items[item as usize].clone()),
            judged.judge.map_or_else(String::new, |judge| judges[judge as usize].clone()),
            judged.ticket.to_string(),
            session.note(judged.ticket).unwrap_or_default().to_owned(),
        ];
        row.truncate(width);
        row
    };
    (COLUMNS[..width].to_vec(), session.judged().iter().map(row).collect())
}
