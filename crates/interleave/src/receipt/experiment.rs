//! Which experiment an impression belongs to, and which version of it.

use std::fmt::{self, Display};
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// An experiment, and a hash of what must not change during it: the rankers with their versions, the method and the length of
/// a page. Outcomes under two hashes are two experiments, whatever their name.
///
/// ```
/// use interleave::receipt::ExperimentVersion;
///
/// let before = ExperimentVersion::new("search", &[("bm25", "1.2"), ("neural", "7")], "team-draft", 10);
/// let after = ExperimentVersion::new("search", &[("bm25", "1.2"), ("neural", "8")], "team-draft", 10);
/// assert_eq!(before.experiment(), after.experiment());
/// assert_ne!(before.hash(), after.hash());
/// assert_eq!(before.to_string(), "search@8d4e0a56ba4b9acf");
/// assert_eq!("search@8d4e0a56ba4b9acf".parse(), Ok(before));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExperimentVersion {
    experiment: String,
    hash: u64,
}

/// A text that is not the version of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected EXPERIMENT@ and sixteen hexadecimal digits in lower case, found {0:?}")]
pub struct VersionError(String);

impl ExperimentVersion {
    /// The version of the experiment `experiment` with these rankers, each a name and its version as the caller states it, in
    /// the order of their lists; this method, with its settings; and pages of `length` documents.
    ///
    /// The hash is the first eight bytes of the SHA-256 of these texts, each as its length in bytes (eight bytes,
    /// little-endian) and its UTF-8: the method, the length in digits, and each ranker's name and version.
    #[must_use]
    pub fn new<A: AsRef<str>, B: AsRef<str>>(
        experiment: &str,
        rankers: &[(A, B)],
        method: &str,
        length: usize,
    ) -> Self {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        add(method);
        add(&length.to_string());
        for (name, version) in rankers {
            add(name.as_ref());
            add(version.as_ref());
        }
        let digest = hash.finalize();
        let first = digest.first_chunk().copied().unwrap_or_default();
        Self::from_parts(experiment, u64::from_be_bytes(first))
    }

    /// From its parts, as a log has them.
    #[must_use]
    pub fn from_parts(experiment: impl Into<String>, hash: u64) -> Self {
        Self { experiment: experiment.into(), hash }
    }

    /// The experiment's name.
    #[must_use]
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// The hash of what must not change.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

impl Display for ExperimentVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:016x}", self.experiment, self.hash)
    }
}

impl FromStr for ExperimentVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let (experiment, digits) = text.rsplit_once('@').ok_or_else(|| VersionError(text.to_owned()))?;
        let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        let hash = u64::from_str_radix(digits, 16).ok();
        let hash = hash.filter(|_| digits.len() == 16 && digits.bytes().all(is_digit));
        hash.map(|hash| Self::from_parts(experiment, hash)).ok_or_else(|| VersionError(text.to_owned()))
    }
}
