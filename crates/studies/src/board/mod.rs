//! A board of judgements as people read it: one sentence first, then a table, what would mislead, and what is assumed.
//!
//! | in | is |
//! |---|---|
//! | this file | the report: text, Markdown, LaTeX, JSON, and the files of a folder |
//! | `rows` | the table |
//! | `gold` | people beside a model |
//! | `figure` | strengths with both kinds of intervals |
//! | `request` | what is asked of a board, as flags |

mod figure;
mod gold;
mod request;
mod rows;

use anyhow::{Context, Result, anyhow, ensure};
use board::read::{Options, Reading};
use board::{Board, Settings};
use judges::Goal;
use output::numbers::with_separators;
use output::tell::note;
use output::text_table::noted::{self, NotedTable};
use output::usage::usage;
use serde_json::{Value, json};

pub use self::gold::GoldSource;
pub use self::request::BoardRequest;

/// A board, and how its table was read.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardReport {
    /// What the table is called.
    pub name: String,
    /// What it says.
    pub board: Board,
    /// How it was read, in sentences.
    pub notes: Vec<String>,
}

/// What a board of N competitors costs, if readers would wonder: its fits take the cube of that number, and 1,500 competitors
/// with 8 judgements each took 92 s.
fn cost(competitors: usize) -> Option<String> {
    let tens = (9.2 * (competitors as f64 / 1500.0).powi(3)).round();
    let count = with_separators(competitors as u64);
    (tens > 0.0).then(|| format!("{count} competitors take about {:.0} s of processor time", 10.0 * tens))
}

/// Says what it costs if that is much.
fn said_cost(competitors: usize, quiet: bool) {
    if let Some(cost) = cost(competitors) {
        note(quiet, &cost);
    }
}

impl BoardReport {
    /// The report on a file of judgements called `name`.
    ///
    /// # Errors
    /// One line: where the table cannot be read, or why nothing can be said of it.
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
    /// Why nothing can be said of it, e.g. before the first answer.
    pub fn of_session(name: &str, live: &judges::Session, settings: &Settings, quiet: bool) -> Result<Self> {
        let mut notes = Vec::new();
        if live.config().goal != Goal::Uniform {
            notes.push("Earlier verdicts chose the later pairs: claims are those of every look.".to_owned());
        }
        let open = live.counts().open;
        if open > 0 {
            notes.push(format!("{open} of the pairs that were asked are not answered yet."));
        }
        said_cost(live.config().names.len(), quiet);
        let board = live.board(settings).map_err(|error| anyhow!("{name}: {error}"))?;
        Ok(Self { name: name.to_owned(), board, notes })
    }

    /// The report on a table that was read; people's, if that is another one, is read in the same way. Unless `quiet`, says before what it costs if that is much.
    ///
    /// # Errors
    /// Why nothing can be said of it.
    pub fn of(
        name: &str,
        reading: Reading,
        options: &Options,
        gold: &GoldSource,
        settings: &Settings,
        quiet: bool,
    ) -> Result<Self> {
        said_cost(reading.table.names.len(), quiet);
        let Reading { table, mut notes } = reading;
        let (board, further) = gold.board(name, table, options, settings)?;
        notes.extend(further);
        Ok(Self { name: name.to_owned(), board, notes })
    }

    /// What a model beside people comes to, in sentences; none without one.
    fn beside(&self) -> &[String] {
        self.board.model.as_ref().map_or(&[], |model| &model.sentences)
    }

    /// What would mislead, in sentences: findings first, then how the table was read.
    fn remarks(&self) -> Vec<String> {
        let found = self.board.findings.iter().map(|found| found.sentence.clone());
        let held = self.board.groups.iter().filter_map(|group| {
            let prior = group.prior.filter(|_| !group.unbeaten.is_empty())?;
            let beaten: Vec<&String> = group.members.iter().filter(|member| !group.unbeaten.contains(member)).collect();
            let unbeaten: Vec<&String> = group.unbeaten.iter().collect();
            let listed = |names: &[&String]| {
                let shown = names.iter().take(5).map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
                let more = names.len().saturating_sub(5);
                if more > 0 { format!("{shown} and {more} more") } else { shown }
            };
            // A sentence about many is true of them together alone, and read as if it were true of each.
            let what = if beaten.len() < unbeaten.len() {
                format!("{} never beat or tied with any of the other {}", listed(&beaten), unbeaten.len())
            } else if let [one] = unbeaten[..] {
                format!("No other ever beat or tied with {one}")
            } else {
                format!("None of the other {} ever beat or tied with any of {}", beaten.len(), listed(&unbeaten))
            };
            Some(format!("{what}: a weak prior (standard deviation {prior}) keeps the strengths finite."))
        });
        found.chain(self.board.too_few.iter().cloned()).chain(held).chain(self.notes.iter().cloned()).collect()
    }

    /// What the columns are.
    fn assumptions(&self) -> Vec<String> {
        let all = &self.board.assumptions;
        [&all.claims, &all.units, &all.of_whom, &all.one_look, &all.every_look, &all.without_model]
            .map(Clone::clone)
            .to_vec()
    }

    /// The table with what it assumes below.
    fn noted(&self) -> NotedTable {
        let notes = self.assumptions().into_iter().map(|note| note.trim_end_matches('.').to_owned()).collect();
        rows::table(&self.board, notes)
    }

    /// For the terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.board.sentence);
        self.beside().iter().for_each(|sentence| text += &format!("{sentence}\n"));
        for remark in self.remarks() {
            text += &format!("! {remark}\n");
        }
        if let Some(advice) = self.advice() {
            text += &format!("{advice}\n");
        }
        let table = rows::table(&self.board, Vec::new());
        let never = table.notes.iter().map(|note| format!("{note}."));
        let notes: Vec<String> = never.chain(self.assumptions()).collect();
        format!("{text}\n{}\n\n{}", NotedTable { notes: Vec::new(), ..table }.text().trim_end(), notes.join("\n"))
    }

    /// How many more judgements it takes, in a sentence.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        self.board.advice.as_ref().map(|advice| advice.sentence.clone())
    }

    /// The same in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n\n", noted::markdown(&self.board.sentence));
        for remark in self.beside().iter().cloned().chain(self.remarks()).chain(self.advice()) {
            text += &format!("* {}\n", noted::markdown(&remark));
        }
        format!("{}\n\n{}", text.trim_end(), self.noted().markdown())
    }

    /// The table in LaTeX; `standalone`: a whole document. The sentence and what would mislead are comments or a paragraph.
    #[must_use]
    pub fn latex(&self, standalone: bool) -> String {
        let mut table = self.noted();
        let sentence = std::iter::once(self.board.sentence.clone());
        let said = sentence.chain(self.beside().iter().cloned()).chain(self.remarks()).chain(self.advice());
        table.notes.splice(0..0, said.map(|note| note.trim_end_matches('.').to_owned()));
        table.latex(standalone)
    }

    /// All competitors with all numbers.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn csv(&self) -> Result<Vec<u8>> {
        rows::csv(&self.board)
    }

    /// Everything, for programs.
    ///
    /// # Errors
    /// If a number has no form in JSON.
    pub fn json(&self) -> Result<Value> {
        let mut value = serde_json::to_value(&self.board).context("the board has no JSON")?;
        value["table"] = json!(self.name);
        value["notes"] = json!(self.notes);
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
        Ok(vec![
            ("board.json", (serde_json::to_string_pretty(&self.json()?)? + "\n").into_bytes()),
            ("board.csv", self.csv()?),
            ("board.txt", (self.text() + "\n").into_bytes()),
            ("board.md", (self.markdown() + "\n").into_bytes()),
            ("board.tex", (self.latex(false) + "\n").into_bytes()),
        ])
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
