//! A board of judgements as people read it: one sentence first, then a table, warnings, and assumptions.
//!
//! | in | is |
//! |---|---|
//! | this file | the report: text, Markdown, LaTeX, JSON, and the files of a folder |
//! | `rows` | the table |
//! | `gold` | people beside a model |
//! | `slopes` | the table of judges, if their discrimination was fitted |
//! | `categories` | the text on boards by category |
//! | `html` | the page |
//! | `figure` | strengths with both kinds of intervals |
//! | `request`, `asked` | the settings of a board, as flags |

mod categories;
mod figure;
mod flag_values;
mod gold;
mod html;
mod request;
mod rows;
mod slopes;

use anyhow::{Context, Result, anyhow, ensure};
use board::read::{Options, Reading};
use board::{Board, BoardError, CategoryBoards, Settings};
use judges::Goal;
use output::messages::note;
use output::numbers::with_separators;
use output::text_table::annotated::{self, AnnotatedTable};
use output::usage::usage;
use serde_json::{Value, json};

pub use self::categories::CategoryReport;
pub use self::gold::GoldSource;
pub use self::request::BoardRequest;

/// A board, and how its table was read.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardReport {
    /// The name of the table.
    pub name: String,
    /// The board.
    pub board: Board,
    /// How it was read, in sentences.
    pub notes: Vec<String>,
    /// The boards of its categories, if requested: `board` is then that of all.
    pub categories: Option<CategoryReport>,
}

/// The cost of a board of N competitors, if it is noticeable: its fits take the cube of that number, and 1,500 competitors
/// with 8 judgements each took 92 s.
fn cost(competitors: usize) -> Option<String> {
    let tens = (9.2 * (competitors as f64 / 1500.0).powi(3)).round();
    let count = with_separators(competitors as u64);
    (tens > 0.0).then(|| format!("{count} competitors take about {:.0} s of processor time", 10.0 * tens))
}

/// Prints the cost if it is large.
fn cost_text(competitors: usize, quiet: bool) {
    if let Some(cost) = cost(competitors) {
        note(quiet, &cost);
    }
}

impl BoardReport {
    /// The report on a file of judgements called `name`.
    ///
    /// # Errors
    /// One line: where the table cannot be read, or why there is no board of it.
    pub fn of_bytes(
        name: &str,
        bytes: &[u8],
        options: &Options,
        gold: &GoldSource,
        settings: &Settings,
        quiet: bool,
    ) -> Result<Self> {
        if judges::Session::is_log(bytes) {
            gold.refuse_session(name)?;
            ensure!(
                *options == Options::default(),
                usage(format!(
                    "{name} is a session of judges: its columns are known; leave out what says how to read a table"
                ))
            );
            let (live, _) =
                judges::Session::replay(bytes).map_err(|error| anyhow!("{name}:{}: {}", error.line, error.message))?;
            return Self::of_session(name, &live, settings, quiet);
        }
        Self::of(name, GoldSource::reading(name, bytes, options)?, options, gold, settings, quiet)
    }

    /// The report on a session with judges.
    ///
    /// # Errors
    /// Why there is no board of it, e.g. before the first answer.
    pub fn of_session(name: &str, live: &judges::Session, settings: &Settings, quiet: bool) -> Result<Self> {
        let mut notes = Vec::new();
        if live.config().goal != Goal::Uniform {
            notes.push("Earlier verdicts chose the later pairs: claims are those of every look.".to_owned());
        }
        if let Some(audits) = live.audit_sentence() {
            notes.push(format!("{audits}."));
            notes.push("Claims hold for these people: the model's answers are corrected by theirs. Further judgements are people's.".to_owned());
        }
        let open_questions = live.counts().open;
        if open_questions > 0 {
            notes.push(format!("{open_questions} of the pairs that were asked are not answered yet."));
        }
        cost_text(live.config().names.len(), quiet);
        let board = live.board(settings).map_err(|error| anyhow!("{name}: {error}"))?;
        Ok(Self { name: name.to_owned(), board, notes, categories: None })
    }

    /// The report on a table that was read; a separate table of people is read in the same way. Unless `quiet`, prints the cost before, if
    /// it is large.
    ///
    /// # Errors
    /// Why there is no board of it.
    pub fn of(
        name: &str,
        reading: Reading,
        options: &Options,
        gold: &GoldSource,
        settings: &Settings,
        quiet: bool,
    ) -> Result<Self> {
        cost_text(reading.table.names.len(), quiet);
        let Reading { table, mut notes, categories } = reading;
        let (board, categories) = match categories {
            None => {
                let (board, gold_report) = gold.board(name, table, options, settings)?;
                notes.extend(gold_report);
                (board, None)
            }
            Some(categories) => {
                gold.refuse_categories(&categories.column)?;
                let category_boards =
                    CategoryBoards::new(&table, &categories, settings).map_err(|error| match error {
                        BoardError::Mix(_) => usage(format!("--mix: {name}: {error}")),
                        error => anyhow!("{name}: {error}"),
                    })?;
                let (board, report) = CategoryReport::of(category_boards);
                (board, Some(report))
            }
        };
        Ok(Self { name: name.to_owned(), board, notes, categories })
    }

    /// What would mislead, in sentences: findings first, then how the table was read.
    fn remarks(&self) -> Vec<String> {
        let finding_sentences = self.board.findings.iter().map(|finding_sentences| finding_sentences.sentence.clone());
        let held = self.board.groups.iter().filter_map(|group| {
            let prior = group.prior.filter(|_| !group.unbeaten.is_empty())?;
            let beaten_members: Vec<&String> =
                group.members.iter().filter(|member| !group.unbeaten.contains(member)).collect();
            let unbeaten: Vec<&String> = group.unbeaten.iter().collect();
            let name_list = |names: &[&String]| {
                let first_names = names.iter().take(5).map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
                let remainder = names.len().saturating_sub(5);
                if remainder > 0 { format!("{first_names} and {remainder} more") } else { first_names }
            };
            // A sentence about many is true only of all together, but readers would take it as true of each.
            let conclusion = if beaten_members.len() < unbeaten.len() {
                format!("{} never beat or tied with any of the other {}", name_list(&beaten_members), unbeaten.len())
            } else if let [one] = unbeaten[..] {
                format!("No other ever beat or tied with {one}")
            } else {
                format!(
                    "None of the other {} ever beat or tied with any of {}",
                    beaten_members.len(),
                    name_list(&unbeaten)
                )
            };
            Some(format!("{conclusion}: a weak prior (standard deviation {prior}) keeps the strengths finite."))
        });
        let of_whom = self.board.unnamed.iter().chain(&self.board.too_few).cloned();
        finding_sentences.chain(of_whom).chain(held).chain(self.notes.iter().cloned()).collect()
    }

    /// The answer in one sentence; with categories, that of all of them.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.categories {
            None => self.board.sentence.clone(),
            Some(categories) => format!("{}: {}", categories.mix(), self.board.sentence),
        }
    }

    /// The effects of categories and covariates, differences between judges, and the results of a model beside people, in sentences.
    fn details(&self) -> Vec<String> {
        let effects = self.board.effects.iter().map(board::Effect::sentence);
        let judges = self.board.discrimination.iter().map(board::Discrimination::sentence);
        let category_sentences = self.categories.iter().flat_map(CategoryReport::sentences);
        let model = self.board.model.iter().flat_map(|model| model.sentences.iter().cloned());
        category_sentences.chain(effects).chain(judges).chain(model).collect()
    }

    /// The board of all, and those of the categories.
    fn boards(&self) -> Vec<rows::CategoryBoard<'_>> {
        let of_categories = self.categories.iter().flat_map(|report| &report.categories);
        let of_categories = of_categories.map(|one| (Some(one.name.as_str()), &one.board));
        std::iter::once((None, &self.board)).chain(of_categories).collect()
    }

    /// What the columns are.
    fn assumptions(&self) -> Vec<String> {
        let assumptions = &self.board.assumptions;
        let mut sentences = [
            &assumptions.claims,
            &assumptions.units,
            &assumptions.of_whom,
            &assumptions.one_look,
            &assumptions.every_look,
            &assumptions.without_model,
        ]
        .map(Clone::clone)
        .to_vec();
        sentences.extend(self.categories.iter().map(|report| format!("{}.", report.assumption(self.board.level))));
        if self.board.competitors.iter().any(|one| one.plain.is_some()) {
            sentences
                .push("Plain: the strength that is fitted without covariates and without slopes of judges.".to_owned());
        }
        sentences
    }

    /// The table with what it assumes below.
    fn annotated_table(&self) -> AnnotatedTable {
        let notes = self.assumptions().into_iter().map(|note| note.trim_end_matches('.').to_owned()).collect();
        rows::table(&self.boards(), notes)
    }

    /// For the terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.sentence());
        for detail in self.details() {
            text += &format!("{detail}\n");
        }
        for remark in self.remarks() {
            text += &format!("! {remark}\n");
        }
        if let Some(advice) = self.advice() {
            text += &format!("{advice}\n");
        }
        let table = rows::table(&self.boards(), Vec::new());
        let note_sentences = table.notes.iter().map(|note| format!("{note}."));
        let notes: Vec<String> = note_sentences.chain(self.assumptions()).collect();
        let table = AnnotatedTable { notes: Vec::new(), ..table }.text();
        text += &format!("\n{}\n\n{}", table.trim_end(), notes.join("\n"));
        if let Some(discrimination) = &self.board.discrimination {
            text += &format!("\n\n{}", slopes::table(discrimination).text().trim_end());
        }
        text
    }

    /// How many more judgements it takes, in a sentence.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        self.board.advice.as_ref().map(|advice| advice.sentence.clone())
    }

    /// The same in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n", annotated::markdown(&self.sentence()));
        for remark in self.details().into_iter().chain(self.remarks()).chain(self.advice()) {
            text += &format!("* {}\n", annotated::markdown(&remark));
        }
        text = format!("{}\n\n{}", text.trim_end(), self.annotated_table().markdown());
        if let Some(discrimination) = &self.board.discrimination {
            text += &format!("\n\n{}", slopes::table(discrimination).markdown());
        }
        text
    }

    /// The table in LaTeX; `standalone`: a whole document. The sentence and what would mislead are comments or a paragraph.
    #[must_use]
    pub fn latex(&self, standalone: bool) -> String {
        let mut table = self.annotated_table();
        let sentences =
            std::iter::once(self.sentence()).chain(self.details()).chain(self.remarks()).chain(self.advice());
        table.notes.splice(0..0, sentences.map(|note| note.trim_end_matches('.').to_owned()));
        table.latex(standalone)
    }

    /// All competitors with all numbers.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn csv(&self) -> Result<Vec<u8>> {
        rows::csv(&self.boards())
    }

    /// Everything, for programs.
    ///
    /// # Errors
    /// If a number has no form in JSON.
    pub fn json(&self) -> Result<Value> {
        let mut value = serde_json::to_value(&self.board).context("the board has no JSON")?;
        value["table"] = json!(self.name);
        value["notes"] = json!(self.notes);
        if let Some(categories) = &self.categories {
            value["by"] = categories.json().context("the categories have no JSON")?;
        }
        Ok(value)
    }

    /// The figure, under a name without ending.
    #[must_use]
    pub fn figure(&self) -> figures::Forest {
        figure::forest(self)
    }

    /// The files of a results folder by name, without those of the figure.
    ///
    /// # Errors
    /// As for [`json`](Self::json) and [`csv`](Self::csv).
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let mut files = vec![
            ("board.json", (serde_json::to_string_pretty(&self.json()?)? + "\n").into_bytes()),
            ("board.csv", self.csv()?),
            ("board.txt", (self.text() + "\n").into_bytes()),
            ("board.md", (self.markdown() + "\n").into_bytes()),
            ("board.tex", (self.latex(false) + "\n").into_bytes()),
        ];
        if let Some(discrimination) = &self.board.discrimination {
            files.push(("board-judges.csv", slopes::csv(discrimination)?));
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::cost;

    #[test]
    fn the_cost_of_large_boards_is_said() {
        assert_eq!(cost(500), None);
        assert_eq!(cost(1_500).unwrap(), "1,500 competitors take about 90 s of processor time");
        assert_eq!(cost(2_000).unwrap(), "2,000 competitors take about 220 s of processor time");
    }
}
