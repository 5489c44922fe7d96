//! Seeds: every random stream depends only on the master seed, the content of its cell, its purpose and the number of
//! the run, so that editing one cell of a grid does not reseed any other.

use bandits::Generator;
use rand::SeedableRng;
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

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
