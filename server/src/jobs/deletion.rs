//! Forgets a unit: the link from its impressions to it, and their documents, are deleted. The log stays, with numbers alone.

use traffic::{Event, RecordedEvent};

use crate::ids::UnitHash;
use crate::store::{ASKED_KIND, Store, StoreError, StoredEvent};
use crate::writer::Transaction;

/// The data to delete of one experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// The experiment's number in the store.
    pub experiment: u32,
    /// The unit's hash in this experiment.
    pub hash: UnitHash,
    /// Its impressions among the events that were read.
    pub impressions: Vec<u64>,
    /// Whether some could not be found, because the log is damaged.
    pub is_incomplete: bool,
    /// The number of the last event that was read.
    read: u64,
    unit: u64,
}

/// Finds the impressions of a unit, before the writer is asked: a log may be long.
///
/// # Errors
/// If the store cannot be read.
pub fn deletion_of_unit(store: &Store, experiment: u32, hash: UnitHash) -> Result<Option<Deletion>, StoreError> {
    let Some(unit) = store.unit(experiment, &hash)? else { return Ok(None) };
    let mut deletion = Deletion { experiment, hash, impressions: vec![], is_incomplete: false, read: 0, unit };
    loop {
        match store.events(experiment, deletion.read, |event| deletion.see(&event)) {
            Ok(()) => return Ok(Some(deletion)),
            // More may follow behind the damaged row.
            Err(StoreError::Row { .. }) => {
                deletion.is_incomplete = true;
                if store.last_event(experiment)? <= deletion.read + 1 {
                    return Ok(Some(deletion));
                }
                deletion.read += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

impl Deletion {
    /// Notes the impression that an event asks for, if it is one of the unit.
    fn see(&mut self, event: &StoredEvent) -> Result<(), StoreError> {
        self.read = event.n;
        // Only events of this kind are read whole.
        if event.kind != ASKED_KIND {
            return Ok(());
        }
        match RecordedEvent::read(event.body.clone()).as_ref().map(RecordedEvent::event) {
            Ok(Event::Asked { unit, .. }) if *unit == self.unit => self.impressions.extend(event.impression),
            Ok(_) => {}
            Err(_) => self.is_incomplete = true,
        }
        Ok(())
    }
}

/// Deletes the data found, and later additions; returns the number of impressions that lost their unit.
pub fn delete(transaction: &mut Transaction<'_>, mut deletions: Vec<Deletion>) -> usize {
    let mut count = 0;
    for deletion in &mut deletions {
        let (experiment, read) = (deletion.experiment, deletion.read);
        if !deletion.is_incomplete {
            transaction.stored_events(experiment, read, |event| deletion.see(&event));
        }
        transaction.forget(experiment, &deletion.hash, &deletion.impressions);
        count += deletion.impressions.len();
    }
    count
}

#[cfg(test)]
mod tests {
    use traffic::{Choice, Event};

    #[test]
    fn the_kind_is_that_of_asked() {
        let event = Event::Asked { time: 0, unit: 1, choice: Choice::Alone(0), receipt: None, segment: None };
        assert_eq!(event.kind(), super::ASKED_KIND);
    }
}
