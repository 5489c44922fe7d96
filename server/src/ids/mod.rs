//! Impression ids, which are signed, and the keyed hashes of units, queries and requests, and of the positions of units. Not here: keys of
//! callers, which the store keeps.

mod base64url;
mod hashes;
mod impression;
mod places;
mod ring;

pub use base64url::{decode, encode};
pub use hashes::{Hashes, UnitHash, UnitHashes};
pub use impression::{IdError, ImpressionId, Signer};
pub use places::{NameHash, Places};
pub use ring::Secret;
