//! A run whose results are known, and which becomes the state when they are written.

use std::fs;
use std::io::Write as _;

use anyhow::{Context as _, Result};
use output::sealed_json::Sealed;

use super::description::{Description, FORMAT_VERSION, InputFile, StoredLineup};
use super::sections::SectionWriter;
use super::state::{DESCRIPTION, State};
use crate::join::tally::Tally;
use crate::model::{Lineup, LogEnd, Settings};

/// The content of the next description, apart from the files and the data.
pub(super) struct NextDescription {
    pub(super) tally: Tally,
    pub(super) times: Vec<(i32, i64, i64, u64)>,
    pub(super) lineups: Vec<Lineup>,
    pub(super) choices: Vec<(Option<String>, String)>,
    pub(super) is_synthetic: bool,
    pub(super) other_actions: Vec<String>,
    pub(super) files: Vec<InputFile>,
}

/// A run whose results are known but not yet stored.
#[must_use = "the state stays as it was until this is kept"]
pub struct PendingRun {
    state: State,
    next: Description,
    writer: Option<SectionWriter>,
}

impl PendingRun {
    pub(super) fn new(state: State, settings: &Settings, next: NextDescription, writer: SectionWriter) -> Self {
        let NextDescription { tally, times, lineups, choices, is_synthetic, other_actions, files } = next;
        let (until, is_final) = match settings.complete {
            LogEnd::Until(until) => (Some(until), false),
            _ => (state.description.until, true),
        };
        let rows = tally.rows().into_iter();
        let next = Description {
            form: FORMAT_VERSION,
            settings: state.description.settings.clone(),
            horizon: state.description.horizon,
            until,
            is_final,
            runs: writer.run,
            files: state.description.files.iter().cloned().chain(files).collect(),
            tally: rows.map(|(what, fate, count)| (what.to_owned(), fate.to_owned(), count)).collect(),
            times,
            lineups: lineups.iter().map(StoredLineup::of).collect(),
            choices,
            is_synthetic,
            other_actions,
            sections: writer.sections.clone(),
        };
        Self { state, next, writer: Some(writer) }
    }

    /// Makes it the state, in one step, to be called when its results are written.
    ///
    /// # Errors
    /// If it cannot be written; then the state is as it was.
    pub fn keep(mut self) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let flushed = writer.file.flush().and_then(|()| writer.file.get_ref().sync_all());
        flushed.map_err(|error| writer.write_error(&error))?;
        let path = self.state.folder.join(DESCRIPTION);
        let sealed = Sealed::new(&self.next).context("failed to describe the state")?;
        output::write_json_pretty(&path, &sealed)?;
        self.writer = None;
        self.state.description = self.next.clone();
        self.state.remove_other_data();
        Ok(())
    }
}

/// Removes the data of a run that was not kept.
impl Drop for PendingRun {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            drop(writer.file);
            let _ = fs::remove_file(writer.path);
        }
    }
}
