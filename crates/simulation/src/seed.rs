//! Seeds: every random stream depends only on the master seed, the content of its cell, its purpose and the number of
//! the run, so that editing one cell of a grid does not reseed any other.

use std::fmt;

use bandits::Generator;
use interleave::keyed::RunKey;
use rand::SeedableRng;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The generator of stream `purpose` of run `run` of the cell described by `cell`.
///
/// `cell` is the content of the cell (data, clicks, algorithm with all parameters and so on), not its position in a
/// grid; `purpose` separates the streams of one run (policy, lists, users, coins).
#[must_use]
pub fn generator(master: u64, cell: &str, run: u64, purpose: &str) -> Generator {
    Generator::from_seed(digest(master, cell, run, purpose))
}

/// A 64-bit seed derived in the same way, for libraries that take one.
#[must_use]
pub fn seed(master: u64, cell: &str, run: u64, purpose: &str) -> u64 {
    let bytes = digest(master, cell, run, purpose);
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes of thirty-two"))
}

fn digest(master: u64, cell: &str, run: u64, purpose: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(master.to_le_bytes());
    hash.update(run.to_le_bytes());
    // Lengths distinguish ("ab", "c") from ("a", "bc").
    for text in [cell, purpose] {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}

/// Where the draws of live impressions come from: queries, lists, users and the coins that break ties. (Policies always
/// draw from one generator per run.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Streams {
    /// One generator per run and purpose, from the first impression to the last.
    #[default]
    Sequential,
    /// Four generators per impression, from the seed, the run and the impression.
    Keyed,
}

impl Streams {
    /// Whether this is the default.
    #[must_use]
    pub fn is_sequential(&self) -> bool {
        *self == Self::Sequential
    }
}

impl fmt::Display for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "sequential",
            Self::Keyed => "keyed",
        })
    }
}

/// What the random streams of one run are derived from.
#[derive(Debug, Clone, Copy)]
pub struct RunSeeds<'a> {
    /// The master seed.
    pub master: u64,
    /// The content of the cell.
    pub cell: &'a str,
    /// The number of the run.
    pub run: u64,
}

impl RunSeeds<'_> {
    /// The run's generator for a purpose.
    #[must_use]
    pub fn stream(&self, purpose: &str) -> Generator {
        generator(self.master, self.cell, self.run, purpose)
    }

    /// The key of the run's impressions, for [`Streams::Keyed`]. It depends on the master seed and the run alone, and
    /// both are enough to repeat an impression; all algorithms of a study get the same queries and the same random draws.
    #[must_use]
    pub fn key(&self) -> RunKey {
        RunKey::new(self.master, self.run)
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn streams_depend_on_each_part_and_on_nothing_else() {
        let draw = |master, cell: &str, run, purpose: &str| generator(master, cell, run, purpose).next_u64();
        let base = draw(1, "a", 0, "policy");
        assert_eq!(base, draw(1, "a", 0, "policy"));
        for other in [
            draw(2, "a", 0, "policy"),
            draw(1, "b", 0, "policy"),
            draw(1, "a", 1, "policy"),
            draw(1, "a", 0, "lists"),
            draw(1, "apol", 0, "icy"),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn value_stability() {
        assert_eq!(seed(42, "cell", 3, "policy"), 8_913_390_738_173_131_676);
        assert_eq!(generator(42, "cell", 3, "policy").next_u64(), 2_162_382_699_393_351_468);
    }
}
