//! Keyed hashes of personal data: without the key, a name cannot be tested against a store.

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::ring::{Ring, Secret};

/// The hash of a unit in a store; it differs between experiments.
pub type UnitHash = [u8; 16];

/// The hashes of a unit in an experiment, by the current secret and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitHashes {
    /// By the current secret.
    pub current: UnitHash,
    /// By the one before, while it is still valid.
    pub previous: Option<UnitHash>,
}

/// The key of all hashes of a store.
#[derive(Debug)]
pub struct Hashes {
    ring: Ring,
}

impl Hashes {
    /// From the store's secret.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self { ring: Ring::new(secret) }
    }

    /// Replaces the secret.
    pub fn set(&self, secret: &Secret) {
        self.ring.set(secret);
    }

    fn hash(&self, what: u8, experiment: u32, parts: &[&[u8]]) -> [u8; 32] {
        hash(self.ring.now().current.clone(), what, experiment, parts)
    }

    /// A unit of an experiment, at `now` (milliseconds since 1970).
    #[must_use]
    pub fn unit(&self, experiment: u32, unit: &str, now: i64) -> UnitHashes {
        let macs = self.ring.now();
        let of = |mac: &Hmac<Sha256>| first(hash(mac.clone(), b'u', experiment, &[unit.as_bytes()]));
        let before = macs.previous.as_ref().filter(|(_, until)| now < *until);
        UnitHashes { current: of(&macs.current), previous: before.map(|(mac, _)| of(mac)) }
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

    /// The hash of a request, in the form of `kind`: the same key with another request is a mistake of the caller.
    #[must_use]
    pub fn request(&self, experiment: u32, kind: &str, request: &[u8]) -> u64 {
        u64::from_be_bytes(first(self.hash(b'r', experiment, &[kind.as_bytes(), request])))
    }
}

/// Parts are hashed with their lengths, so that two lists of parts never give the same bytes.
pub(super) fn hash(mut mac: Hmac<Sha256>, what: u8, experiment: u32, parts: &[&[u8]]) -> [u8; 32] {
    mac.update(&[what]);
    mac.update(&experiment.to_be_bytes());
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

pub(super) fn first<const N: usize>(hash: [u8; 32]) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&hash[..N]);
    bytes
}

#[cfg(test)]
mod tests {
    use hmac::KeyInit as _;

    use super::*;

    fn hashes(current: u8, before: Option<(u8, i64)>) -> Hashes {
        let before = before.map(|(key, until)| ([key; 32], until));
        Hashes::new(&Secret { number: 1, current: [current; 32], previous: before })
    }

    #[test]
    fn hashes_differ_by_purpose_experiment_and_border() {
        let ours = hashes(7, None);
        assert_ne!(ours.unit(1, "anna", 0), ours.unit(2, "anna", 0));
        assert_ne!(ours.unit_query(1, "ab", "c"), ours.unit_query(1, "a", "bc"));
        assert_ne!(ours.key(1, "a"), ours.request(1, "a", b""));
        assert_ne!(ours.key(1, "a"), hashes(8, None).key(1, "a"));
        assert_eq!(format!("{ours:?}"), "Hashes { ring: Ring(..) }");
    }

    #[test]
    fn a_unit_is_known_by_the_secret_before_for_a_while() {
        let (old, new) = (hashes(7, None), hashes(8, Some((7, 1_000))));
        let known = old.unit(1, "anna", 0).current;
        assert_eq!(new.unit(1, "anna", 999).previous, Some(known));
        assert_eq!(new.unit(1, "anna", 1_000).previous, None);
        assert_ne!(new.unit(1, "anna", 0).current, known);
        new.set(&Secret { number: 1, current: [7; 32], previous: None });
        assert_eq!(new.unit(1, "anna", 0).current, known);
    }

    #[test]
    fn the_hash_is_the_standard_one() {
        // HMAC-SHA256 of RFC 4231, test case 2, through the same type.
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("any length");
        mac.update(b"what do ya want for nothing?");
        assert_eq!(mac.finalize().into_bytes()[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }
}
