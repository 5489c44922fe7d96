//! What an impression says about one pair of its rankers, as bytes: what units are counted from.

use super::record::Origin;

/// One impression, one pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairOutcome {
    pub(super) unit: u128,
    pub(super) day: i32,
    pub(super) lineup: u32,
    /// The places of the rankers in the lineup; [`UNKNOWN`] where the impression does not say.
    pub(super) pair: [u8; 2],
    /// 1 if the first won, -1 if the second did.
    pub(super) net: i8,
    /// Whether it is the first pair of its impression, which stands for the impression.
    pub(super) stands: bool,
    pub(super) is_known_bot: bool,
    /// Clicks that were credited, each document once.
    pub(super) clicks: u32,
    /// All clicks in its window.
    pub(super) all_clicks: u32,
    pub(super) origin: Option<Origin>,
}

/// A ranker that owns nothing in a list.
pub(super) const UNKNOWN: u8 = u8::MAX;

/// Bytes without an origin.
const LENGTH: usize = 36;

/// Bytes of one, with its origin or without.
pub(super) fn length(keeps_origins: bool) -> usize {
    if keeps_origins { LENGTH + super::record::ORIGIN } else { LENGTH }
}

impl PairOutcome {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.unit.to_le_bytes());
        bytes.extend_from_slice(&self.day.to_le_bytes());
        bytes.extend_from_slice(&self.lineup.to_le_bytes());
        let flags = u8::from(self.stands) | u8::from(self.is_known_bot) << 1;
        bytes.extend_from_slice(&[self.pair[0], self.pair[1], self.net as u8, flags]);
        bytes.extend_from_slice(&self.clicks.to_le_bytes());
        bytes.extend_from_slice(&self.all_clicks.to_le_bytes());
        if let Some((file, line)) = self.origin {
            bytes.extend_from_slice(&file.to_le_bytes());
            bytes.extend_from_slice(&line.to_le_bytes());
        }
    }

    /// One in exactly its bytes.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let four = |at: usize| -> [u8; 4] { bytes[at..at + 4].try_into().expect("four bytes") };
        Self {
            unit: u128::from_le_bytes(bytes[..16].try_into().expect("sixteen bytes")),
            day: i32::from_le_bytes(four(16)),
            lineup: u32::from_le_bytes(four(20)),
            pair: [bytes[24], bytes[25]],
            net: bytes[26] as i8,
            stands: bytes[27] & 1 == 1,
            is_known_bot: bytes[27] & 2 == 2,
            clicks: u32::from_le_bytes(four(28)),
            all_clicks: u32::from_le_bytes(four(32)),
            origin: (bytes.len() > LENGTH).then(|| {
                (u32::from_le_bytes(four(36)), u64::from_le_bytes(bytes[40..48].try_into().expect("eight bytes")))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        for origin in [None, Some((3, 1 << 40))] {
            let outcome = PairOutcome {
                unit: u128::MAX / 3,
                day: -5,
                lineup: 7,
                pair: [1, UNKNOWN],
                net: -1,
                stands: true,
                is_known_bot: true,
                clicks: 9,
                all_clicks: 1 << 20,
                origin,
            };
            let mut bytes = Vec::new();
            outcome.write(&mut bytes);
            assert_eq!((bytes.len(), PairOutcome::read(&bytes)), (length(origin.is_some()), outcome));
        }
    }
}
