//! The id of an impression or duel: its name, and the permission to send its events. It does not reveal which rankers met.

use hmac::Mac as _;

use super::ring::{Ring, Secret};
use super::{decode, encode};

/// Bytes before the signature: key, experiment, number, start, expiry.
const PLAIN_BYTES: usize = 1 + 4 + 6 + 8 + 4;
/// Bytes of the signature: HMAC-SHA256, cut.
const SIGNATURE: usize = 16;
/// Characters of an id.
const LETTERS: usize = ((PLAIN_BYTES + SIGNATURE) * 8).div_ceil(6);
/// Impressions have six bytes.
const MAX_IMPRESSION: u64 = (1 << 48) - 1;

/// The content of an id with a valid signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpressionId {
    /// The number of the experiment in its store.
    pub experiment: u32,
    /// The impression, from 1.
    pub impression: u64,
    /// The number of the server start in which the impression was asked for. If the store lost it, the same impression number is given out
    /// again, in another start.
    pub start: u64,
    /// Seconds since 1970 until which the id is valid.
    pub expires: u32,
}

/// Why an id is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// It was not given out by this store.
    #[error("this server gave out no such id")]
    Unknown,
    /// It was given out, long ago.
    #[error("the id has expired")]
    Expired,
}

/// Signs ids, and checks them.
#[derive(Debug)]
pub struct Signer {
    ring: Ring,
}

impl Signer {
    /// From the store's secret.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self { ring: Ring::new(secret) }
    }

    /// Replaces the secret.
    pub fn set(&self, secret: &Secret) {
        self.ring.set(secret);
    }

    /// The text of an id: 52 letters of base64url.
    #[must_use]
    pub fn text(&self, id: ImpressionId) -> String {
        debug_assert!(id.impression <= MAX_IMPRESSION);
        let macs = self.ring.now();
        let mut bytes = Vec::with_capacity(PLAIN_BYTES + SIGNATURE);
        bytes.push(macs.number);
        bytes.extend_from_slice(&id.experiment.to_be_bytes());
        bytes.extend_from_slice(&id.impression.to_be_bytes()[2..]);
        bytes.extend_from_slice(&id.start.to_be_bytes());
        bytes.extend_from_slice(&id.expires.to_be_bytes());
        let signature = macs.current.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&signature[..SIGNATURE]);
        encode(&bytes)
    }

    /// Reads an id at `now` (seconds since 1970).
    ///
    /// # Errors
    /// If the store of this signer did not give it out, or it has expired.
    pub fn read(&self, text: &str, now: u64) -> Result<ImpressionId, IdError> {
        if text.len() != LETTERS {
            return Err(IdError::Unknown);
        }
        let bytes = decode(text).ok_or(IdError::Unknown)?;
        let (signed_bytes, signature) = bytes.split_at_checked(PLAIN_BYTES).ok_or(IdError::Unknown)?;
        let macs = self.ring.now();
        // The first byte is the number of the secret.
        let mac = match &macs.previous {
            _ if signed_bytes[0] == macs.number => &macs.current,
            Some((mac, until))
                if signed_bytes[0] == macs.number.wrapping_sub(1) && i128::from(now) * 1000 < i128::from(*until) =>
            {
                mac
            }
            _ => return Err(IdError::Unknown),
        };
        let mac = mac.clone().chain_update(signed_bytes);
        // In constant time.
        mac.verify_truncated_left(signature).map_err(|_| IdError::Unknown)?;
        let number =
            |from: usize, to: usize| signed_bytes[from..to].iter().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        let id = ImpressionId {
            experiment: number(1, 5) as u32,
            impression: number(5, 11),
            start: number(11, 19),
            expires: number(19, 23) as u32,
        };
        if signature.len() != SIGNATURE {
            return Err(IdError::Unknown);
        }
        if u64::from(id.expires) < now { Err(IdError::Expired) } else { Ok(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(key: u8) -> Signer {
        Signer::new(&Secret { number: 1, current: [key; 32], previous: None })
    }

    #[test]
    fn the_secret_before_signs_for_a_while() {
        let old = of(1);
        let text = old.text(ID);
        let new = Signer::new(&Secret { number: 2, current: [2; 32], previous: Some(([1; 32], 500_000)) });
        assert_eq!(new.read(&text, 499), Ok(ID));
        assert_eq!(new.read(&text, 500), Err(IdError::Unknown));
        assert_eq!(new.read(&new.text(ID), 900), Ok(ID));
        assert_eq!(old.read(&new.text(ID), 0), Err(IdError::Unknown));
    }

    const ID: ImpressionId = ImpressionId { experiment: 3, impression: 1 << 40, start: u64::MAX - 7, expires: 1000 };

    #[test]
    fn ids_come_back_until_they_expire() {
        let signer = of(1);
        let text = signer.text(ID);
        assert_eq!((text.len(), LETTERS), (52, 52));
        assert_eq!(signer.read(&text, 1000), Ok(ID));
        assert_eq!(signer.read(&text, 1001), Err(IdError::Expired));
        assert_eq!(of(2).read(&text, 0), Err(IdError::Unknown));
    }

    #[test]
    fn every_change_of_a_letter_is_refused() {
        let signer = of(1);
        let text = signer.text(ID);
        for at in 0..text.len() {
            for letter in ['A', 'B', 'x', '0', '-', '_'] {
                let mut changed: Vec<char> = text.chars().collect();
                if changed[at] != letter {
                    changed[at] = letter;
                    let changed: String = changed.into_iter().collect();
                    assert_eq!(signer.read(&changed, 0), Err(IdError::Unknown), "{changed}");
                }
            }
        }
        for text in ["", &text[1..], &format!("{text}A"), &"A".repeat(52), &"é".repeat(26)] {
            assert_eq!(signer.read(text, 0), Err(IdError::Unknown), "{text}");
        }
    }
}
