//! The texts that judges compare: a table with a text of each competitor on each item, in CSV or JSON Lines, plain or gzip.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use output::input;
use output::path_error;
use output::usage::usage;
use ranktypes::text::{excerpt, plain_header};

/// A larger table is not read.
const MAX_BYTES: u64 = 1 << 30;

/// The headers of each column; the first is ours.
const ITEM: &[&str] = &["item", "item_id", "prompt_id", "question_id", "query_id", "id"];
const COMPETITOR: &[&str] = &["competitor", "model", "system", "generator", "ranker"];
const TEXT: &[&str] = &["text", "answer", "output", "response", "completion"];
const QUESTION: &[&str] = &["question", "prompt", "instruction", "query"];

/// Texts of competitors on items. Every competitor has one on every item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// The competitors, in the order in which the table names them first.
    pub competitors: Vec<String>,
    /// The items; empty if the table has none.
    pub items: Vec<String>,
    /// The questions of items with more than a name.
    questions: BTreeMap<String, String>,
    /// Keyed by item (empty without items) and competitor.
    texts: BTreeMap<(String, String), String>,
}

/// A row, and where it is.
struct Row {
    line: u64,
    item: Option<String>,
    competitor: Option<String>,
    text: Option<String>,
    question: Option<String>,
}

impl Texts {
    /// Reads the table at `path`: columns or fields `item`, `competitor` and `text`, and `question` if it has more to say than the item. A
    /// table without items has one text for each competitor. Where only a question is there, it is the item.
    ///
    /// # Errors
    /// If the file cannot be read, a line is damaged, a column is missing, or a competitor has no text, or two, on an item.
    pub fn read(path: &Path) -> Result<Self> {
        let text = input::read_text(path, MAX_BYTES).map_err(|error| path_error(error, "read", path))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let rows = if text.trim_start().starts_with('{') { lines(text) } else { records(text) };
        let table = rows.and_then(Self::from_rows);
        table.map_err(|message| usage(format_args!("{}{message}", path.display())))
    }

    fn from_rows(rows: Vec<Row>) -> Result<Self, String> {
        let mut table = Self::default();
        let mut line_by_answer: BTreeMap<(String, String), u64> = BTreeMap::new();
        let (mut competitors, mut items) = (BTreeSet::new(), BTreeSet::new());
        let has_items = rows.iter().any(|row| row.item.is_some() || row.question.is_some());
        for Row { line, item, competitor, text, question } in rows {
            let in_line = |what: String| format!(", line {line}: {what}");
            let competitor = competitor.ok_or_else(|| in_line("there is no competitor".to_owned()))?;
            let text = text.ok_or_else(|| in_line(format!("there is no text of {}", excerpt(&competitor))))?;
            let (item, question) = match (item, question) {
                (Some(item), question) => (item, question),
                (None, Some(question)) => (question, None),
                (None, None) if has_items => return Err(in_line("there is no item".to_owned())),
                (None, None) => (String::new(), None),
            };
            if let Some(question) = question {
                let question_known = table.questions.entry(item.clone()).or_insert_with(|| question.clone());
                if *question_known != question {
                    return Err(in_line(format!("item {} has another question than in a line before", excerpt(&item))));
                }
            }
            if competitors.insert(competitor.clone()) {
                table.competitors.push(competitor.clone());
            }
            if has_items && items.insert(item.clone()) {
                table.items.push(item.clone());
            }
            let key = (item, competitor);
            if let Some(earlier_line) = line_by_answer.insert(key.clone(), line) {
                let (item, competitor) = (excerpt(&key.0), excerpt(&key.1));
                return Err(in_line(format!(
                    "{competitor} has a text on {item} in line {earlier_line} already; keep one"
                )));
            }
            table.texts.insert(key, text);
        }
        table.check_complete().map(|()| table)
    }

    fn check_complete(&self) -> Result<(), String> {
        if self.competitors.len() < 2 {
            return Err(format!(": it has {} competitors; expected at least two", self.competitors.len()));
        }
        let none = [String::new()];
        let items = if self.items.is_empty() { &none[..] } else { &self.items };
        let mut missing_answers = Vec::new();
        for item in items {
            for competitor in self.competitors.iter().filter(|competitor| self.text(item, competitor).is_none()) {
                missing_answers.push(format!("{} on {}", excerpt(competitor), excerpt(item)));
            }
        }
        let remainder = missing_answers.len().saturating_sub(3);
        missing_answers.truncate(3);
        match (missing_answers.is_empty(), remainder) {
            (true, _) => Ok(()),
            (false, 0) => Err(format!(": there is no text of {}; add it", missing_answers.join(", "))),
            (false, remainder) => {
                Err(format!(": there is no text of {} and {remainder} more; add them", missing_answers.join(", ")))
            }
        }
    }

    /// The text of a competitor on an item (empty without items).
    #[must_use]
    pub fn text(&self, item: &str, competitor: &str) -> Option<&str> {
        self.texts.get(&(item.to_owned(), competitor.to_owned())).map(String::as_str)
    }

    /// The question: that of the table, or else the item itself.
    #[must_use]
    pub fn question<'a>(&'a self, item: &'a str) -> &'a str {
        self.questions.get(item).map_or(item, String::as_str)
    }

    /// Refuses a table that lacks items or competitors of a session.
    ///
    /// # Errors
    /// With the first that is missing.
    pub fn agree_with(&self, config: &judges::Config) -> Result<(), String> {
        let lacks = |what: &str, name: &str| {
            Err(format!("the session compares {what} {}, which the texts do not have", excerpt(name)))
        };
        let set_of = |all: &[String]| all.iter().cloned().collect::<BTreeSet<_>>();
        let (competitors, items) = (set_of(&self.competitors), set_of(&self.items));
        if let Some(name) = config.names.iter().find(|name| !competitors.contains(*name)) {
            return lacks("the competitor", name);
        }
        if config.items.is_empty() && !self.items.is_empty() {
            return Err("the session has no items, and the texts do; begin another session".to_owned());
        }
        match config.items.iter().find(|item| !items.contains(*item)) {
            Some(item) => lacks("the item", item),
            None => Ok(()),
        }
    }
}

/// The rows of a table in CSV.
fn records(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| format!(", line 1: {error}"))?.clone();
    let names: Vec<String> = header.iter().map(plain_header).collect();
    let column_of = |heading_names: &[&str]| {
        heading_names.iter().find_map(|heading_names| names.iter().position(|name| name == heading_names))
    };
    let missing_column = |what: &str| {
        let headings: Vec<String> = header.iter().map(str::to_owned).collect();
        format!(", line 1: no column `{what}` among {}", excerpt(&headings.join(",")))
    };
    let competitor = column_of(COMPETITOR).ok_or_else(|| missing_column("competitor"))?;
    let texts = column_of(TEXT).ok_or_else(|| missing_column("text"))?;
    let (item, question) = (column_of(ITEM), column_of(QUESTION));
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!(": {error}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != header.len() {
            return Err(format!(
                ", line {line}: {} cells, expected {} as in the header; quote cells that hold a comma",
                record.len(),
                header.len()
            ));
        }
        let cell = |column: usize| Some(record[column].to_owned()).filter(|cell| !cell.trim().is_empty());
        let name = |column: usize| cell(column).map(|cell| cell.trim().to_owned());
        rows.push(Row {
            line,
            item: item.and_then(name),
            competitor: name(competitor),
            // An answer may be empty: that is one, too.
            text: Some(record[texts].to_owned()),
            question: question.and_then(cell),
        });
    }
    Ok(rows)
}

/// The rows of a table in JSON Lines.
fn lines(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let fields: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(text).map_err(|error| format!(", line {line}: not an object of JSON: {error}"))?;
        let field = |known: &[&str]| -> Result<Option<String>, String> {
            let value = known.iter().find_map(|known| fields.iter().find(|(name, _)| plain_header(name) == *known));
            match value {
                None | Some((_, serde_json::Value::Null)) => Ok(None),
                Some((_, serde_json::Value::String(text))) => Ok(Some(text.clone())),
                Some((_, serde_json::Value::Number(number))) => Ok(Some(number.to_string())),
                Some((name, _)) => Err(format!(", line {line}: `{name}` is not text")),
            }
        };
        let name =
            |known| Ok::<_, String>(field(known)?.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        let (item, competitor) = (name(ITEM)?, name(COMPETITOR)?);
        rows.push(Row { line, item, competitor, text: field(TEXT)?, question: field(QUESTION)? });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Texts, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answers.csv");
        std::fs::write(&path, text).unwrap();
        Texts::read(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "F"))
    }

    #[test]
    fn tables_of_csv_and_json_lines_say_the_same() {
        let csv = "\u{feff}Item,competitor,text,question\r\nq1,a,\"one, two\",What?\r\nq1,b,,What?\r\nq2,b,x,\r\nq2,a,\"l1\nl2\",\r\n";
        let json = "{\"item\":\"q1\",\"model\":\"a\",\"answer\":\"one, two\",\"prompt\":\"What?\"}\n\
            {\"item\":\"q1\",\"model\":\"b\",\"answer\":\"\",\"prompt\":\"What?\"}\n\n\
            {\"item\":\"q2\",\"model\":\"b\",\"answer\":\"x\"}\n{\"item\":\"q2\",\"model\":\"a\",\"answer\":\"l1\\nl2\"}";
        let found = read(csv).unwrap();
        assert_eq!(found, read(json).unwrap());
        assert_eq!((found.competitors.len(), found.items.as_slice()), (2, &["q1".to_owned(), "q2".to_owned()][..]));
        assert_eq!((found.text("q1", "b"), found.text("q2", "a")), (Some(""), Some("l1\nl2")));
        assert_eq!((found.question("q1"), found.question("q2")), ("What?", "q2"));
        // Without items, and with questions alone.
        let alone = read("model,output\na,x\nb,y\n").unwrap();
        assert_eq!((alone.items.len(), alone.text("", "b")), (0, Some("y")));
        assert_eq!(read("prompt,model,output\nWhy?,a,x\nWhy?,b,y\n").unwrap().items, ["Why?"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            ("item,text\nq,x\n", "F, line 1: no column `competitor` among `item,text`"),
            ("item,competitor,text\nq,a,x\nq,a,y\n", "F, line 3: `a` has a text on `q` in line 2 already; keep one"),
            (
                "item,competitor,text\nq,a,x,y\n",
                "F, line 2: 4 cells, expected 3 as in the header; quote cells that hold a comma",
            ),
            ("item,competitor,text\nq,a,x\nr,b,y\n", "F: there is no text of `b` on `q`, `a` on `r`; add it"),
            ("item,competitor,text\nq,,x\n", "F, line 2: there is no competitor"),
            ("competitor,text\na,x\n", "F: it has 1 competitors; expected at least two"),
            (
                "item,question,model,text\nq,Q,a,x\nq,R,b,x\n",
                "F, line 3: item `q` has another question than in a line before",
            ),
            ("{\"item\":1,\"model\":\"a\",\"text\":\"x\"}\n{\"item\":[1]}", "F, line 2: `item` is not text"),
            ("{\"item\":1,\"model\":\"a\"}", "F, line 1: there is no text of `a`"),
            ("{\"item\":1", "F, line 1: not an object of JSON: EOF while parsing an object at line 1 column 9"),
        ] {
            assert_eq!(read(text).unwrap_err(), expected);
        }
        let config = |names: [&str; 2]| judges::Config { items: vec!["q".into()], ..judges::Config::of(names) };
        let found = read("item,competitor,text\nq,a,x\nq,b,y\n").unwrap();
        assert_eq!(found.agree_with(&config(["a", "b"])), Ok(()));
        let expected = "the session compares the competitor `c`, which the texts do not have";
        assert_eq!(found.agree_with(&config(["a", "c"])).unwrap_err(), expected);
    }
}
