//! The id of an impression or duel: its name, and the permission to send its events. It does not reveal which rankers met.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{decode, encode};

/// Bytes before the signature: key, experiment, number, start, expiry.
const PLAIN: usize = 1 + 4 + 6 + 8 + 4;
/// Bytes of the signature: HMAC-SHA256, cut.
const SIGNATURE: usize = 16;
/// Characters of an id.
const LETTERS: usize = ((PLAIN + SIGNATURE) * 8).div_ceil(6);
/// The number of the secret that signs.
const KEY: u8 = 1;
/// Impressions have six bytes.
const MOST: u64 = (1 << 48) - 1;

/// What an id says, once its signature was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpressionId {
    /// The number of the experiment in its store.
    pub experiment: u32,
    /// The impression, from 1.
    pub impression: u64,
    /// The number of the start of a server in which the impression was asked for. If the store lost it, the same number of an
    /// impression is given out again, in another start.
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
#[derive(Clone)]
pub struct Signer {
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer(..)")
    }
}

impl Signer {
    /// From the store's secret.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Self {
        let mac = Hmac::<Sha256>::new_from_slice(secret);
        Self { mac: mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of any length")) }
    }

    /// The text of an id: 52 letters of base64url.
    #[must_use]
    pub fn text(&self, id: ImpressionId) -> String {
        debug_assert!(id.impression <= MOST);
        let mut bytes = Vec::with_capacity(PLAIN + SIGNATURE);
        bytes.push(KEY);
        bytes.extend_from_slice(&id.experiment.to_be_bytes());
        bytes.extend_from_slice(&id.impression.to_be_bytes()[2..]);
        bytes.extend_from_slice(&id.start.to_be_bytes());
        bytes.extend_from_slice(&id.expires.to_be_bytes());
        let signature = self.mac.clone().chain_update(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&signature[..SIGNATURE]);
        encode(&bytes)
    }

    /// What an id says, at `now` (seconds since 1970).
    ///
    /// # Errors
    /// If the store of this signer did not give it out, or it has expired.
    pub fn read(&self, text: &str, now: u64) -> Result<ImpressionId, IdError> {
        if text.len() != LETTERS {
            return Err(IdError::Unknown);
        }
        let bytes = decode(text).ok_or(IdError::Unknown)?;
        let (plain, signature) = bytes.split_at_checked(PLAIN).ok_or(IdError::Unknown)?;
        let mac = self.mac.clone().chain_update(plain);
        // In constant time.
        mac.verify_truncated_left(signature).map_err(|_| IdError::Unknown)?;
        let number =
            |from: usize, to: usize| plain[from..to].iter().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
        let id = ImpressionId {
            experiment: number(1, 5) as u32,
            impression: number(5, 11),
            start: number(11, 19),
            expires: number(19, 23) as u32,
        };
        if plain[0] != KEY || signature.len() != SIGNATURE {
            return Err(IdError::Unknown);
        }
        if u64::from(id.expires) < now { Err(IdError::Expired) } else { Ok(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: ImpressionId = ImpressionId { experiment: 3, impression: 1 << 40, start: u64::MAX - 7, expires: 1000 };

    #[test]
    fn ids_come_back_until_they_expire() {
        let signer = Signer::new(&[1; 32]);
        let text = signer.text(ID);
        assert_eq!((text.len(), LETTERS), (52, 52));
        assert_eq!(signer.read(&text, 1000), Ok(ID));
        assert_eq!(signer.read(&text, 1001), Err(IdError::Expired));
        assert_eq!(Signer::new(&[2; 32]).read(&text, 0), Err(IdError::Unknown));
    }

    #[test]
    fn every_change_of_a_letter_is_refused() {
        let signer = Signer::new(&[1; 32]);
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
