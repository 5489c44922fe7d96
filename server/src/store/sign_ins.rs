//! Sign-ins to the pages. Only the hash of a sign-in's name is kept: in memory, and in a database also there, so that it outlives the
//! server that led.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most sign-ins; beyond, the oldest ends.
pub(super) const MAX_SIGN_INS: usize = 1_000;

/// A sign-in with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignIn {
    /// The hash of its name, which a cookie has.
    pub hash: [u8; 32],
    /// The number of the key.
    pub key: i64,
    /// When it ends, in milliseconds since 1970.
    pub until: i64,
}

/// All sign-ins, as of now.
#[derive(Debug, Default)]
pub struct SignIns {
    known: Mutex<BTreeMap<[u8; 32], SignIn>>,
}

impl SignIns {
    fn known(&self) -> MutexGuard<'_, BTreeMap<[u8; 32], SignIn>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces all.
    pub fn set(&self, all: Vec<SignIn>) {
        *self.known() = all.into_iter().map(|one| (one.hash, one)).collect();
    }

    /// Adds one, and forgets those that have ended at `now`.
    pub fn add(&self, new: SignIn, now: i64) {
        let mut sign_ins = self.known();
        sign_ins.retain(|_, one| now < one.until);
        sign_ins.insert(new.hash, new);
        if sign_ins.len() > MAX_SIGN_INS {
            let oldest = sign_ins.values().min_by_key(|one| one.until).map(|one| one.hash);
            oldest.map(|hash| sign_ins.remove(&hash));
        }
    }

    /// The key of the one with this hash, if it has not ended at `now`.
    #[must_use]
    pub fn key(&self, hash: &[u8; 32], now: i64) -> Option<i64> {
        self.known().get(hash).filter(|one| now < one.until).map(|one| one.key)
    }

    /// Ends one.
    pub fn remove(&self, hash: &[u8; 32]) {
        self.known().remove(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_ins_are_few_and_the_oldest_goes() {
        let all = SignIns::default();
        let hash = |number: i64| {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_be_bytes());
            hash
        };
        for key in 0..MAX_SIGN_INS as i64 + 50 {
            all.add(SignIn { hash: hash(key), key, until: 5_000 + key }, key);
        }
        assert_eq!(all.known().len(), MAX_SIGN_INS);
        assert_eq!((all.key(&hash(49), 0), all.key(&hash(50), 0)), (None, Some(50)));
        assert_eq!((all.key(&hash(60), 5_059), all.key(&hash(60), 5_060)), (Some(60), None));
        all.add(SignIn { hash: hash(1), key: 1, until: 9_000 }, 6_000);
        assert_eq!(all.known().len(), 50, "those that have ended are forgotten");
        all.remove(&hash(1));
        assert_eq!(all.key(&hash(1), 0), None);
    }
}
