//! Pairs as a sheet: a table that judges fill in wherever they like, and that comes back.

use std::path::Path;

use anyhow::Result;
use judges::{Answer, Pair, Session, Ticket, verdict_from_word};
use output::input;
use output::path_error;
use output::usage::usage;
use ranktypes::text::excerpt;

use crate::texts::Texts;

/// A larger sheet is not read.
const MAX_BYTES: u64 = 1 << 28;
const COLUMNS: [&str; 6] = ["ticket", "question", "answer 1", "answer 2", "better", "note"];

/// A row that was filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledRow {
    /// The line of the file, from 1.
    pub line: u64,
    /// The pair.
    pub ticket: Ticket,
    /// The judge's answer.
    pub verdict: Answer,
    /// The judge's note.
    pub note: Option<String>,
}

/// A sheet of pairs, in CSV: the question, both texts (names without texts), and empty columns for the better one and a note.
///
/// # Errors
/// If the table cannot be written.
pub fn sheet_of<'a>(
    session: &Session,
    pairs: impl IntoIterator<Item = &'a Pair>,
    texts: Option<&Texts>,
) -> Result<Vec<u8>> {
    let config = session.config();
    // Spreadsheets take it for UTF-8 by its first three bytes.
    let mut sheet = csv::Writer::from_writer("\u{feff}".as_bytes().to_vec());
    sheet.write_record(COLUMNS)?;
    for pair in pairs {
        let item = pair.item.map_or("", |item| config.items[item as usize].as_str());
        let text = |place: u32| {
            let name = config.names[place as usize].as_str();
            escape_formula(texts.map_or(name, |texts| texts.text(item, name).unwrap_or_default()))
        };
        let question = escape_formula(texts.map_or(item, |texts| texts.question(item)));
        sheet.write_record([&pair.ticket.to_string(), &question, &text(pair.first), &text(pair.second), "", ""])?;
    }
    Ok(sheet.into_inner().map_err(csv::IntoInnerError::into_error)?)
}

/// Text that a spreadsheet would take for a formula, made text by a quotation mark before it.
fn escape_formula(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

/// The rows of a sheet that were filled in. Pairs without an answer stay open.
///
/// # Errors
/// If the file is not such a sheet, or an answer is none of `1`, `2`, `0` or `tie`, `9` or `both bad`; with its line.
pub fn read(path: &Path) -> Result<Vec<FilledRow>> {
    let text = input::read_text(path, MAX_BYTES).map_err(|error| path_error(error, "read", path))?;
    rows(text.strip_prefix('\u{feff}').unwrap_or(&text))
        .map_err(|message| usage(format_args!("{}{message}", path.display())))
}

fn rows(text: &str) -> Result<Vec<FilledRow>, String> {
    // Spreadsheets write semicolons where commas are in numbers.
    let header = text.lines().next().unwrap_or_default();
    let separator =
        [b',', b';', b'\t'].into_iter().max_by_key(|heading| header.bytes().filter(|byte| byte == heading).count());
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator.unwrap_or(b',')).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| format!(", line 1: {error}"))?.clone();
    let column_of = |name: &str| header.iter().position(|heading| heading.trim().eq_ignore_ascii_case(name));
    let [ticket, better] = ["ticket", "better"].map(|name| {
        column_of(name).ok_or_else(|| format!(", line 1: no column `{name}`; give back the sheet as it was written"))
    });
    let (ticket, better, note) = (ticket?, better?, column_of("note"));
    let mut filled = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!(": {error}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |column_of: usize| record.get(column_of).unwrap_or_default().trim();
        if cell(better).is_empty() {
            continue;
        }
        let verdict = match cell(better).to_lowercase().as_str() {
            "1" => Some(Answer::First),
            "2" => Some(Answer::Second),
            "0" => Some(Answer::Tie),
            "9" => Some(Answer::BothBad),
            word => verdict_from_word(word),
        };
        let verdict = verdict.ok_or_else(|| {
            format!(
                ", line {line}: expected 1, 2, 0 (tie) or 9 (both bad) in `better`, found {}",
                excerpt(cell(better))
            )
        })?;
        let ticket = cell(ticket).parse().map_err(|error| format!(", line {line}: {error}"))?;
        let note = note.map(cell).filter(|note| !note.is_empty()).map(str::to_owned);
        filled.push(FilledRow { line, ticket, verdict, note });
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use judges::Config;

    use super::*;

    #[test]
    fn a_sheet_comes_back_filled_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.csv");
        std::fs::write(&path, "item,competitor,text\nq,a,=cmd\nq,b,\"two\nlines\"\n").unwrap();
        let texts = Texts::read(&path).unwrap();
        let config = Config { items: texts.items.clone(), ..Config::of(texts.competitors.clone()) };
        let mut session = Session::new(config).unwrap();
        let pairs = session.ask_many(4, None).unwrap();
        let sheet = String::from_utf8(sheet_of(&session, &pairs, Some(&texts)).unwrap()).unwrap();
        assert!(sheet.starts_with("\u{feff}ticket,question,answer 1,answer 2,better,note\n"), "{sheet}");
        assert!(sheet.contains(",'=cmd,") && sheet.contains("\"two\nlines\"") && !sheet.contains(",a,"), "{sheet}");
        // As a spreadsheet of another country saves it; one row is left empty.
        let mut saved = csv::WriterBuilder::new().delimiter(b';').from_writer(Vec::new());
        let mut reader = csv::Reader::from_reader(sheet.trim_start_matches('\u{feff}').as_bytes());
        saved.write_record(reader.headers().unwrap()).unwrap();
        for (record, better) in reader.records().zip(["1", "", "Tie", "9"]) {
            let record = record.unwrap();
            saved
                .write_record([
                    &record[0],
                    &record[1],
                    &record[2],
                    &record[3],
                    better,
                    if better == "9" { "no; none" } else { "" },
                ])
                .unwrap();
        }
        let saved = String::from_utf8(saved.into_inner().unwrap()).unwrap();
        let found = rows(&saved).unwrap();
        let told: Vec<_> = found.iter().map(|row| (row.ticket, row.verdict, row.note.as_deref())).collect();
        let [first, _, third, fourth] = [0, 1, 2, 3].map(|at: usize| pairs[at].ticket);
        assert_eq!(
            told,
            [(first, Answer::First, None), (third, Answer::Tie, None), (fourth, Answer::BothBad, Some("no; none"))]
        );
        let wrong = saved.replace(";1;", ";yes;");
        assert_eq!(
            rows(&wrong).unwrap_err(),
            ", line 2: expected 1, 2, 0 (tie) or 9 (both bad) in `better`, found `yes`"
        );
        assert!(rows("a,b\n1,2\n").unwrap_err().contains("no column `ticket`"));
        assert!(rows("ticket,better\nx,1\n").unwrap_err().starts_with(", line 2: expected a ticket"));
    }
}
