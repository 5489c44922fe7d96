//! A secret that is replaced now and then, and the one before it, which stays valid for a while.

use std::sync::{Arc, PoisonError, RwLock};

use hmac::{Hmac, KeyInit as _};
use sha2::Sha256;

/// The secret of today and the one before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// The number of replacements, modulo 256.
    pub number: u8,
    /// The current secret.
    pub current: [u8; 32],
    /// The secret before, and until when it is valid, in milliseconds since 1970.
    pub previous: Option<([u8; 32], i64)>,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The keyed hashes made of a secret.
#[derive(Clone)]
pub(super) struct Macs {
    pub(super) number: u8,
    pub(super) current: Hmac<Sha256>,
    pub(super) previous: Option<(Hmac<Sha256>, i64)>,
}

/// A secret in use, which may be replaced.
pub(super) struct Ring(RwLock<Arc<Macs>>);

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ring(..)")
    }
}

impl Ring {
    pub(super) fn new(secret: &Secret) -> Self {
        Self(RwLock::new(Arc::new(Macs::of(secret))))
    }

    pub(super) fn set(&self, secret: &Secret) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Macs::of(secret));
    }

    pub(super) fn now(&self) -> Arc<Macs> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Macs {
    fn of(secret: &Secret) -> Self {
        let mac = |key: &[u8; 32]| {
            let mac = Hmac::<Sha256>::new_from_slice(key);
            mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
        };
        let before = secret.previous.map(|(key, until)| (mac(&key), until));
        Self { number: secret.number, current: mac(&secret.current), previous: before }
    }
}
