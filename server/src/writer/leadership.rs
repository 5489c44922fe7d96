//! Beginning to lead, following the node that leads, and the end of all work.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use output::numbers::with_unit;

use super::LoadError;
use super::follow::Follower;
use super::open_store::OpenStore;
use super::thread::WriterThread;
use crate::store::random;

impl WriterThread {
    /// Begins to lead: the gap since the last event is written before anything else happens.
    pub(super) fn begin(&mut self) -> Result<(), LoadError> {
        let mut first_refusal = None;
        let start_result = self.transaction(vec![], |transaction| {
            let start = transaction.shared.start.load(Ordering::SeqCst);
            for (&id, loaded) in
                transaction.experiments.iter_mut().filter(|(_, loaded)| !loaded.experiment.state().is_over())
            {
                if let Err(error) = loaded.experiment.note_start(transaction.now, start) {
                    let experiment = loaded.experiment.config().name.clone();
                    first_refusal.get_or_insert(LoadError::Refused { experiment, message: error.to_string() });
                }
                transaction.touched.insert(id);
            }
        });
        start_result.map_err(|failed| failed.error)?;
        self.shared.knows_all.store(true, Ordering::SeqCst);
        first_refusal.map_or(Ok(()), Err)
    }

    /// Notes the commits of this server: a database with less went back in time.
    pub(super) fn note_seen(&mut self, touched: &BTreeSet<u32>, deleted: &BTreeSet<u32>) {
        let Some(open) = self.open.as_ref().filter(|_| self.options.node.is_some()) else { return };
        let loaded = touched.iter().filter_map(|id| open.content.experiments.get_key_value(id));
        self.events_seen.extend(loaded.map(|(id, loaded)| (*id, loaded.experiment.position().0)));
        deleted.iter().for_each(|id| _ = self.events_seen.remove(id));
    }

    /// Opens the store once more; `false` if that fails.
    pub(super) fn reopen(&mut self) -> bool {
        let Some(epoch) = self.options.epoch() else { return false };
        let begins = self.leading_epoch != epoch;
        if begins {
            // Rows that others wrote and deleted since then are not missing.
            self.acknowledged = 0;
            self.damage_found.clear();
            self.undelivered.clear();
        }
        match OpenStore::new(&self.options, epoch, &self.damage_found, &self.events_seen) {
            // In a file, all experiments are lost or none.
            Ok(open) if self.options.node.is_none() && open.content.events() < self.acknowledged => {
                let missing = with_unit(self.acknowledged - open.content.events(), "event");
                self.give_up(&format!("{} lacks {missing} that were acknowledged", self.options.store));
                false
            }
            Ok(open) => {
                self.open = Some(open);
                self.data_version = i64::MIN;
                self.publish();
                !begins || self.begin_again(epoch)
            }
            Err(error) => {
                tracing::error!(%error, "the store cannot be read");
                false
            }
        }
    }

    /// Begins to lead after another node has; `false` if that fails.
    pub(super) fn begin_again(&mut self, epoch: i64) -> bool {
        let begun = random().map_err(LoadError::from).and_then(|start| {
            self.shared.start.store(start, Ordering::SeqCst);
            self.begin()
        });
        match begun {
            Ok(()) => {
                self.leading_epoch = epoch;
                self.follower = Follower::default();
                true
            }
            Err(error) => {
                tracing::error!(%error, "this node could not begin to lead");
                self.open = None;
                false
            }
        }
    }

    /// Follows the changes of the node that leads.
    pub(super) fn follow(&mut self) {
        self.shared.knows_all.store(false, Ordering::SeqCst);
        match self.follower.follow(&self.options, &self.shared) {
            Ok(()) => self.follower.note_seen(&mut self.events_seen),
            Err(error) => tracing::warn!(%error, "the experiments could not be looked at"),
        }
    }

    /// Ends all work for good: no event is acknowledged any more, and the process should end.
    pub(super) fn give_up(&mut self, why: &str) {
        tracing::error!(why, "the server stops");
        self.open = None;
        self.shared.is_failing.store(true, Ordering::SeqCst);
        self.shared.fatal.send_replace(Some(why.to_owned()));
    }
}
