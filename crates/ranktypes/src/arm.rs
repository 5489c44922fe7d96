//! A ranker as bandits see it.

/// An arm (a ranker), counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[repr(transparent)]
#[serde(transparent)]
pub struct Arm(pub u32);

impl Arm {
    /// The arm as an index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The arm at `index`; indices past `u32::MAX` are not allowed.
    #[inline]
    #[must_use]
    pub fn at(index: usize) -> Self {
        debug_assert!(u32::try_from(index).is_ok());
        #[expect(clippy::cast_possible_truncation, reason = "no problem has 2^32 arms; checked where arms are counted")]
        Self(index as u32)
    }
}
