//! A version of a kind of event, and its bytes: those of its kind and its version, then a struct in postcard.

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};

use super::Event;

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
