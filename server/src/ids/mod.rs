//! Impression ids, which are signed, and the keyed hashes that stand for units, queries and requests. Not here: keys of
//! callers, which the store keeps.

mod base64url;
mod hashes;
mod impression;

pub use base64url::{decode, encode};
pub use hashes::{Hashes, UnitHash};
pub use impression::{IdError, ImpressionId, Signer};
