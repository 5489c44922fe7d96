//! The colours of algorithms.

use bandits::registry::entries;

/// The algorithms of published figures, each with the colour and dashes of its position in every figure. There are seven
/// colours, so that those seven places apart share one: variants of one algorithm, or algorithms that papers do not draw
/// together. An algorithm that is not here follows them by its place in the registry; it joins their end when a published
/// figure shows it, so that it keeps its style.
const PUBLISHED: [&str; 51] = [
    "rucb",
    "mergerucb",
    "rmed1",
    "dts",
    "mdb",
    "self-sparring",
    "random",
    "if2",
    "mergerucb-squared",
    "rmed2",
    "mergedts",
    "savage",
    "sparring",
    "btm",
    "winner-stays",
    "mergerucb-parallel",
    "rmed2fh",
    "rcs",
    "rts",
    "sparring-exp3",
    "dts-plus",
    "winner-stays-strong",
    "sparring-ts",
    "if1",
    "random-set",
    "multisbm",
    "ccb",
    "scb",
    "rex3",
    "doubler",
    "versatile-db",
    "ecw-rmed",
    "sliding-rucb",
    "discounted-rucb",
    "dexp3",
    "borda-elimination",
    "bradley-terry",
    "knockout",
    "nts",
    "dkwt",
    "pocowista",
    "multirucb",
    "bradley-terry-pairs",
    "sliding-dts",
    "discounted-dts",
    "sequential-elimination",
    "sparring-exp3s",
    "mallows-mpi",
    "pl-pac",
    "verification",
    "parwis",
];

/// The families of curves with a style of their own, for figures.
#[must_use]
pub fn palette() -> Vec<String> {
    let published = PUBLISHED.into_iter();
    let unpublished = entries().into_iter().map(|entry| entry.name).filter(|name| !PUBLISHED.contains(name));
    published.chain(unpublished).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_one_place_and_published_ones_keep_theirs() {
        let palette = palette();
        assert_eq!(palette[..PUBLISHED.len()], PUBLISHED);
        for entry in entries() {
            assert_eq!(palette.iter().filter(|name| *name == entry.name).count(), 1, "{}", entry.name);
        }
        for name in PUBLISHED {
            assert_eq!(palette.iter().filter(|other| *other == name).count(), 1, "{name} is there twice");
        }
    }
}
