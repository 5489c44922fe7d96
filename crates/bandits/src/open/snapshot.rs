//! Snapshots: the state of an open policy as bytes.
//!
//! `open-policy-snapshot 1`, the name of the policy, its state, and a checksum of all that (FNV-1a, 64 bits).

use std::sync::Arc;

use super::OpenPolicy;
use super::tickets::{Arms, NO_TICKET, StoredChoice, Tickets};
use crate::registry::Spec;
use crate::state::{State, StateError, StateReader, StateWriter};
use crate::{Arm, Generators};

const SNAPSHOT_HEADER: &[u8] = b"open-policy-snapshot 1\n";

impl OpenPolicy {
    /// Its state: what it has learnt, the tickets that are open, its generators. [`restore`](Self::restore) returns a
    /// policy that goes on with the same choices. Only the build that wrote a snapshot, and builds in which the algorithms
    /// have the same fields, can read it; keep the [log](Self::keep_log) for the long term.
    ///
    /// # Errors
    /// If it is a policy of your own that has no stored form.
    pub fn snapshot(&self) -> Result<Vec<u8>, StateError> {
        let mut writer = StateWriter::default();
        writer.put_bytes(SNAPSHOT_HEADER);
        writer.put_bytes(self.name.as_bytes());
        writer.put((self.step, self.history, self.alone));
        self.generator.save(&mut writer);
        self.coin_generator.save(&mut writer);
        writer.put(self.coins);
        writer.put([self.tally.tickets, self.tally.told, self.tally.forgotten]);
        self.tickets.save(&mut writer);
        if !self.form.save(&mut writer) {
            return Err(StateError::NotStored);
        }
        let mut bytes = writer.into_bytes();
        let check = checksum(&bytes);
        bytes.extend_from_slice(&check.to_le_bytes());
        Ok(bytes)
    }

    /// The policy of a [snapshot](Self::snapshot), an algorithm of the registry.
    ///
    /// # Errors
    /// If the bytes are damaged, or were written by a build with other fields or another revision of the algorithm.
    pub fn restore(snapshot: &[u8]) -> Result<Self, StateError> {
        let (_, name) = open_snapshot(snapshot)?;
        let mut policy = open_by_name(name, &Generators::from_seed(0))?;
        policy.load(snapshot)?;
        Ok(policy)
    }

    /// Restores a snapshot of a policy with the same name: for policies of your own.
    ///
    /// # Errors
    /// Those of [`restore`](Self::restore); the policy must not be used then.
    pub fn load(&mut self, snapshot: &[u8]) -> Result<(), StateError> {
        let (mut reader, name) = open_snapshot(snapshot)?;
        if name != self.name {
            return Err(StateError::OtherPolicy { expected: self.name.clone(), found: name.to_owned() });
        }
        (self.step, self.history, self.alone) = reader.get()?;
        self.generator.load(&mut reader)?;
        self.coin_generator.load(&mut reader)?;
        self.coins = reader.get()?;
        [self.tally.tickets, self.tally.told, self.tally.forgotten] = reader.get()?;
        self.tally.asked = self.step;
        self.tickets.load(&mut reader)?;
        self.form.load(&mut reader)?;
        reader.finish()
    }
}

/// The policy of this name, from scratch.
pub(super) fn open_by_name(name: &str, generators: &Generators) -> Result<OpenPolicy, StateError> {
    let unknown =
        || StateError::OtherPolicy { expected: "an algorithm of the registry".to_owned(), found: name.to_owned() };
    let mut words = name.split(' ');
    let spec: Spec = words.next().unwrap_or_default().parse().map_err(|_| unknown())?;
    let mut number = |key: &str| words.next()?.strip_prefix(key)?.strip_prefix('=')?.parse::<u64>().ok();
    let (_revision, arms, horizon) = (number("revision"), number("arms"), number("horizon"));
    let (Some(arms), Some(horizon)) = (arms.and_then(|arms| usize::try_from(arms).ok()), horizon) else {
        return Err(unknown());
    };
    let policy = spec.open(arms, Some(horizon).filter(|&steps| steps > 0), generators).map_err(|_| unknown())?;
    if policy.name == name {
        return Ok(policy);
    }
    Err(StateError::OtherPolicy { expected: policy.name, found: name.to_owned() })
}

/// The content of an intact snapshot after its head, and the name in it.
fn open_snapshot(snapshot: &[u8]) -> Result<(StateReader<'_>, &str), StateError> {
    let damaged = |what| StateError::Damaged { what };
    let (bytes, check) = snapshot.split_last_chunk().ok_or(damaged("it ends early"))?;
    let mut reader = StateReader::new(bytes);
    if reader.get_bytes().ok() != Some(SNAPSHOT_HEADER) {
        return Err(damaged("it does not begin as a snapshot does"));
    }
    if checksum(bytes) != u64::from_le_bytes(*check) {
        return Err(damaged("its checksum is that of other bytes"));
    }
    let name = std::str::from_utf8(reader.get_bytes()?).map_err(|_| damaged("its name is not text"))?;
    Ok((reader, name))
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl State for Tickets {
    fn save(&self, writer: &mut StateWriter) {
        writer.put(self.given);
        self.free.save(writer);
        writer.put(self.slots.len());
        let mut last: Option<&Arc<[Arm]>> = None;
        for (slot, choice) in self.slots.iter().enumerate() {
            writer.put((choice.number, choice.check, choice.step));
            let arms = if choice.number == NO_TICKET { Arms::Duel([Arm(0); 2]) } else { self.arms_in(slot) };
            match arms {
                Arms::Duel(pair) => {
                    writer.put(0_u8);
                    writer.put(pair);
                }
                // Most tickets share the set of the one before.
                Arms::Set(arms) if last.is_some_and(|last| last == arms) => writer.put(1_u8),
                Arms::Set(arms) => {
                    writer.put(2_u8);
                    arms.to_vec().save(writer);
                    last = Some(arms);
                }
            }
        }
    }

    fn load(&mut self, reader: &mut StateReader<'_>) -> Result<(), StateError> {
        self.given = reader.get()?;
        self.free.load(reader)?;
        self.slots.clear();
        self.sets.clear();
        let mut last: Option<Arc<[Arm]>> = None;
        for slot in 0..reader.get::<usize>()? {
            let (number, check, step) = reader.get()?;
            let mut choice = StoredChoice { number, step, check, pair: [Arm(0); 2], is_set: true };
            match (reader.get::<u8>()?, &last) {
                (0, _) => (choice.pair, choice.is_set) = (reader.get()?, false),
                (1, Some(_)) => {}
                (2, _) => {
                    let mut arms: Vec<Arm> = Vec::new();
                    arms.load(reader)?;
                    last = Some(arms.into());
                }
                _ => return Err(StateError::Damaged { what: "a ticket of no kind" }),
            }
            if choice.is_set {
                self.sets.resize(slot, None);
                self.sets.push(last.clone());
            }
            self.slots.push(choice);
        }
        Ok(())
    }
}
