//! Impression ids, which are signed, and the keyed hashes that stand for units, queries and requests. Not here: keys of
//! callers, which the store keeps.

mod base64url;
mod hashes;
mod impression;
mod ring;

pub use base64url::{decode, encode};
pub use hashes::{Hashes, UnitHash, UnitHashes};
pub use impression::{IdError, ImpressionId, Signer};
pub use ring::Secret;
