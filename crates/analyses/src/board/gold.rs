//! Which judgements are the truth: all of them, or those of people beside a model.

use anyhow::{Result, anyhow, ensure};
use board::read::{Options, Reading};
use board::{Board, Gold, Settings};
use output::usage::usage;

/// Which judgements are people's, if others are a model's.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum GoldSource {
    /// All judgements count alike.
    #[default]
    None,
    /// Those of these judges; all other judges are the model.
    Judges(Vec<String>),
    /// Those of another file, by its name and its bytes; the table itself is the model's.
    File(String, Vec<u8>),
}

impl GoldSource {
    /// Reads a file; errors name the line.
    pub(super) fn reading(name: &str, bytes: &[u8], options: &Options) -> Result<Reading> {
        board::read::from_bytes(bytes, options).map_err(|error| match error.row {
            Some(row) => anyhow!("{name}:{row}: {}", error.message),
            None => anyhow!("{name}: {}", error.message),
        })
    }

    /// Refuses sessions of judges, where verdicts choose the questions.
    pub(super) fn refuse_session(&self, name: &str) -> Result<()> {
        ensure!(
            *self == Self::None,
            usage(format!(
                "{name} is a session of judges, in which verdicts choose the questions; people beside a model must judge a random sample of its \
                 questions: give tables, or begin a session with --model and --people, which draws the questions of people"
            ))
        );
        Ok(())
    }

    /// Refuses boards by category.
    pub(super) fn refuse_categories(&self, column: &str) -> Result<()> {
        ensure!(
            *self == Self::None,
            usage(format!(
                "--by {column}: there are no boards by category of people beside a model; leave out --by, or --gold"
            ))
        );
        Ok(())
    }

    /// The board of a table, and notes on how the table of people was read.
    pub(super) fn board(
        &self,
        name: &str,
        table: board::Table,
        options: &Options,
        settings: &Settings,
    ) -> Result<(Board, Vec<String>)> {
        let failed = |error| anyhow!("{name}: {error}");
        match self {
            Self::None => Ok((Board::new(&table, settings).map_err(failed)?, Vec::new())),
            Self::Judges(judges) => {
                let gold = Gold::split(&table, judges).map_err(failed)?;
                Ok((Board::with_gold(&gold, settings).map_err(failed)?, Vec::new()))
            }
            Self::File(people, bytes) => {
                if judges::Session::is_log(bytes) {
                    self.refuse_session(people)?;
                }
                let Reading { table: gold, notes, .. } = Self::reading(people, bytes, options)?;
                let failed = |error| anyhow!("{people} and {name}: {error}");
                let gold = Gold::of_tables(gold, table).map_err(failed)?;
                let board = Board::with_gold(&gold, settings).map_err(failed)?;
                Ok((board, notes.into_iter().map(|note| format!("{people}: {note}")).collect()))
            }
        }
    }
}
