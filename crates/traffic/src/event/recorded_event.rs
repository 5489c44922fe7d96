//! An event together with its bytes, and the two bytes before those of [`versions`](super::versions): its kind and its version.

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};

use super::Event;
use super::versions;

/// Why bytes are not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// Another program wrote it, probably a newer one.
    #[error(
        "it is of kind {kind}, version {version}, which this program does not know; use the program that wrote it, or a newer one"
    )]
    Unknown {
        /// The first byte.
        kind: u8,
        /// The second byte.
        version: u8,
    },
    /// Bytes that no program writes.
    #[error("damaged event: {what}")]
    Damaged {
        /// The fault.
        what: &'static str,
    },
}

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

/// A version of a kind of event.
pub(super) trait Version<'a>: Serialize + Deserialize<'a> {
    /// [`Event::kind`], and the version of it, from 1.
    const TAG: [u8; 2];

    /// The event, with the fields that later versions added.
    ///
    /// # Errors
    /// If a value cannot be that of an event.
    fn upgrade(self) -> Result<Event, EventError>;
}

/// The bytes of an event.
pub(super) fn write<'a, V: Version<'a>>(version: &V) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    bytes.extend_from_slice(&V::TAG);
    match postcard::serialize_with_flavor(version, Append(bytes)) {
        Ok(bytes) => bytes,
        // Lengths are known, and memory grows.
        Err(error) => unreachable!("postcard writes every event: {error}"),
    }
}

/// The event of the bytes after the first two. They are read as this version and written again: only bytes that this version
/// writes are accepted.
pub(super) fn read<'a, V: Version<'a>>(body: &'a [u8]) -> Result<Event, EventError> {
    let version: V = match postcard::from_bytes(body) {
        Ok(version) => version,
        Err(postcard::Error::DeserializeUnexpectedEnd) => return Err(EventError::Damaged { what: "it is cut off" }),
        Err(_) => return Err(EventError::Damaged { what: "it has values that no event has" }),
    };
    match postcard::serialize_with_flavor(&version, Compare(body)) {
        Ok(true) => version.upgrade(),
        Ok(false) => Err(EventError::Damaged { what: "bytes after its end" }),
        Err(_) => Err(EventError::Damaged { what: "numbers in a longer form" }),
    }
}

/// Postcard at the end of bytes.
struct Append(Vec<u8>);

impl Flavor for Append {
    type Output = Vec<u8>;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Self::Output> {
        Ok(self.0)
    }
}

/// Postcard beside the bytes that it should be; whether nothing follows.
struct Compare<'a>(&'a [u8]);

impl Flavor for Compare<'_> {
    type Output = bool;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0 = self.0.strip_prefix(bytes).ok_or(postcard::Error::SerializeBufferFull)?;
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Self::Output> {
        Ok(self.0.is_empty())
    }
}
