//! The colours of algorithms.

/// All algorithms, each with the colour and dashes of its position in every figure. Algorithms that are often drawn
/// together come first, since neighbours differ in colour. Add new ones at the end: the others keep their styles.
const ALGORITHMS: [&str; 30] = [
    "rucb",
    "mergerucb",
    "rmed1",
    "dts",
    "mdb",
    "self-sparring",
    "random",
    "mergedts",
    "sparring",
    "btm",
    "savage",
    "rcs",
    "dts-plus",
    "ccb",
    "winner-stays",
    "if1",
    "if2",
    "doubler",
    "multisbm",
    "rmed2",
    "rmed2fh",
    "rts",
    "scb",
    "rex3",
    "sparring-ts",
    "sparring-exp3",
    "mergerucb-squared",
    "mergerucb-parallel",
    "winner-stays-strong",
    "random-set",
];

/// The families of curves with a style of their own, for figures.
#[must_use]
pub fn palette() -> Vec<String> {
    ALGORITHMS.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_a_place() {
        for entry in bandits::registry::entries() {
            assert!(ALGORITHMS.contains(&entry.name), "add {} at the end of ALGORITHMS", entry.name);
        }
        for (at, name) in ALGORITHMS.iter().enumerate() {
            assert!(!ALGORITHMS[..at].contains(name), "{name} is there twice");
        }
    }
}
