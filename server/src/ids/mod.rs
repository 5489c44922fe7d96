//! Impression ids, which are signed, and the keyed hashes of units, queries and requests, and of the positions of units. Not here: keys of
//! callers, which the store keeps.

mod base64url;
mod hashes;
mod impression;
mod position_key;
mod ring;

pub use base64url::{decode, encode};
pub use hashes::{Hashes, UnitHash, UnitHashes};
pub use impression::{IdError, ImpressionId, Signer};
pub use position_key::{NameHash, PositionKey};
pub use ring::Secret;
