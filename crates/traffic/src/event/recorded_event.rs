//! An event together with its bytes.

use super::Event;
use super::version::EventError;
use super::versions;

/// An event and the bytes that a store keeps of it. The bytes of an old version stay as they are: checksums are over them.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    event: Event,
    bytes: Vec<u8>,
}

impl RecordedEvent {
    /// The event in the newest version of its kind that it needs.
    #[must_use]
    pub fn of(event: Event) -> Self {
        let bytes = versions::encode(&event);
        Self { event, bytes }
    }

    /// The event of these bytes. Every version of an event has one form, and no other bytes are accepted.
    ///
    /// # Errors
    /// If the bytes are damaged, or of a kind or version that this build does not know.
    pub fn read(bytes: Vec<u8>) -> Result<Self, EventError> {
        Ok(Self { event: versions::decode(&bytes)?, bytes })
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The event without its bytes.
    #[must_use]
    pub fn into_event(self) -> Event {
        self.event
    }

    /// The bytes: the kind, the version, and a struct in postcard; the same on every machine.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The checksum of the log up to this event, which follows one with the checksum `before`.
    #[must_use]
    pub fn sum(&self, before: u64) -> u64 {
        xxhash_rust::xxh3::xxh3_64_with_seed(&self.bytes, before)
    }
}
