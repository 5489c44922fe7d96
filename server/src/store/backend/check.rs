//! Checks of a whole store.

use super::{Backend, Store};
use crate::store::{Problem, StoreError};

impl Store {
    /// Runs the database's own check, and checks rows that no fold reads: documents, units, marks. Empty if all is well.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let mut problems = on!(self, store => store.problems())?;
        for (id, name) in self.experiments()? {
            let checks = [
                self.check_units(id, drop).map(drop),
                self.marks(id).map(drop),
                self.check_shown(id),
                on!(self, store => store.check_names(id)),
                self.check_snapshots(id),
            ];
            let texts = checks.into_iter().filter_map(Result::err);
            problems.extend(texts.map(|error| Problem { text: format!("{name}: {error}") }));
        }
        Ok(problems)
    }

    /// Reads the documents of all impressions. None is above the highest of the log.
    fn check_shown(&self, experiment: u32) -> Result<(), StoreError> {
        let place = "the documents of its impressions";
        let (numbers, most) = on!(self, store => store.shown_numbers(experiment, place))?;
        numbers.iter().try_for_each(|number| self.shown(experiment, *number).map(drop))?;
        match numbers.into_iter().max() {
            Some(last) if last > most => {
                let what = format!("impression {last} has some, and the log ends at {most}");
                Err(StoreError::row(experiment, place.to_owned(), what))
            }
            _ => Ok(()),
        }
    }

    /// Reads all snapshots and states of an experiment.
    fn check_snapshots(&self, experiment: u32) -> Result<(), StoreError> {
        for head in self.snapshots(experiment)? {
            self.snapshot(experiment, &head)?;
        }
        on!(self, store => store.check_states(experiment))
    }
}
