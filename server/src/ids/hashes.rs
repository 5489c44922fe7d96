//! Keyed hashes of what is personal: without the key, nobody can test whether a name is in a store.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// A unit, as the store knows it: it differs between experiments.
pub type UnitHash = [u8; 16];

/// The key of all hashes of a store.
#[derive(Clone)]
pub struct Hashes {
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for Hashes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hashes(..)")
    }
}

impl Hashes {
    /// From the store's secret.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        let mac = Hmac::<Sha256>::new_from_slice(key);
        Self { mac: mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of any length")) }
    }

    /// Parts are hashed with their lengths, so that two lists of parts never give the same bytes.
    fn hash(&self, what: u8, experiment: u32, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.mac.clone();
        mac.update(&[what]);
        mac.update(&experiment.to_be_bytes());
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// A unit of an experiment.
    #[must_use]
    pub fn unit(&self, experiment: u32, unit: &str) -> UnitHash {
        first(self.hash(b'u', experiment, &[unit.as_bytes()]))
    }

    /// A unit and its query: a reload has the same.
    #[must_use]
    pub fn unit_query(&self, experiment: u32, unit: &str, query: &str) -> u64 {
        u64::from_be_bytes(first(self.hash(b'q', experiment, &[unit.as_bytes(), query.as_bytes()])))
    }

    /// An idempotency key.
    #[must_use]
    pub fn key(&self, experiment: u32, key: &str) -> u64 {
        u64::from_be_bytes(first(self.hash(b'k', experiment, &[key.as_bytes()])))
    }

    /// What was asked, in the form of `kind`: the same key with another request is a mistake of the caller.
    #[must_use]
    pub fn request(&self, experiment: u32, kind: &str, request: &[u8]) -> u64 {
        u64::from_be_bytes(first(self.hash(b'r', experiment, &[kind.as_bytes(), request])))
    }
}

fn first<const N: usize>(hash: [u8; 32]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&hash[..N]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_differ_by_purpose_experiment_and_border() {
        let hashes = Hashes::new(&[7; 32]);
        assert_ne!(hashes.unit(1, "anna"), hashes.unit(2, "anna"));
        assert_ne!(hashes.unit_query(1, "ab", "c"), hashes.unit_query(1, "a", "bc"));
        assert_ne!(hashes.key(1, "a"), hashes.request(1, "a", b""));
        assert_ne!(hashes.key(1, "a"), Hashes::new(&[8; 32]).key(1, "a"));
        assert_eq!(format!("{hashes:?}"), "Hashes(..)");
    }

    #[test]
    fn the_hash_is_the_standard_one() {
        // HMAC-SHA256 of RFC 4231, test case 2, through the same type.
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("any length");
        mac.update(b"what do ya want for nothing?");
        assert_eq!(mac.finalize().into_bytes()[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }
}
