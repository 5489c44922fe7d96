//! A unit is forgotten: nothing says any longer which impressions were whose, or what they showed. The log stays, and has
//! numbers alone.

use traffic::{Event, Recorded};

use crate::ids::UnitHash;
use crate::store::{Store, StoreError, StoredEvent};
use crate::writer::Session;

/// What must be deleted of one experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// The experiment's number in the store.
    pub experiment: u32,
    /// The unit, as this experiment knows it.
    pub hash: UnitHash,
    /// Its impressions among the events that were read.
    pub impressions: Vec<u64>,
    /// The number of the last event that was read.
    read: u64,
    /// The impressions in these events.
    asked: u64,
    unit: u64,
}

/// Finds the impressions of a unit, before the writer is asked: a log may be long.
///
/// # Errors
/// If the store cannot be read.
pub fn impressions_of(store: &Store, experiment: u32, hash: UnitHash) -> Result<Option<Deletion>, StoreError> {
    let Some(unit) = store.unit(&hash)? else { return Ok(None) };
    let mut deletion = Deletion { experiment, hash, impressions: vec![], read: 0, asked: 0, unit };
    store.events(experiment, 0, |event| deletion.see(event))?;
    Ok(Some(deletion))
}

impl Deletion {
    /// Notes the impression that an event asks for, if it is one of the unit.
    ///
    /// # Errors
    /// If the event is damaged: it may be one of the unit.
    fn see(&mut self, event: StoredEvent) -> Result<(), StoreError> {
        self.read = event.n;
        // Only events of this kind are read whole.
        if event.kind != ASKED {
            return Ok(());
        }
        self.asked += 1;
        let recorded = Recorded::read(event.body).map_err(|error| {
            StoreError::Damaged(format!("event {}: {error}; restore the store from a backup", event.n))
        })?;
        if matches!(recorded.event(), Event::Asked { unit, .. } if *unit == self.unit) {
            self.impressions.push(self.asked);
        }
        Ok(())
    }
}

/// The kind of the events that ask for an impression.
const ASKED: u8 = 3;

/// Deletes what was found, and what came since; returns how many impressions lost their unit.
pub fn delete(session: &mut Session<'_>, mut deletions: Vec<Deletion>) -> usize {
    let mut count = 0;
    for deletion in &mut deletions {
        let (experiment, read) = (deletion.experiment, deletion.read);
        session.stored_events(experiment, read, |event| deletion.see(event));
        session.forget(&deletion.hash, experiment, &deletion.impressions);
        count += deletion.impressions.len();
    }
    count
}

#[cfg(test)]
mod tests {
    use traffic::{Choice, Event, Marks};

    #[test]
    fn the_kind_is_that_of_asked() {
        let event = Event::Asked { time: 0, unit: 1, marks: Marks::default(), choice: Choice::Alone(0), receipt: None };
        assert_eq!(event.kind(), super::ASKED);
    }
}
