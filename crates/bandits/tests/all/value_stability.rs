//! The choices of each algorithm for a given seed, pinned in `values.txt`: published numbers depend on it, and
//! so do the keys of kept runs, which contain the specification in full.
//!
//! Every entry of the registry has its block there, with its defaults, its variants and the settings below. After a
//! deliberate change, raise the algorithm's `REVISION`, note it in the changelog and rewrite the file:
//!
//! ```sh
//! UPDATE=1 cargo test -p bandits --test all value_stability
//! ```

use std::fmt::Write as _;
use std::path::Path;

use bandits::registry::{PolicyVisitor, Spec, entries};
use bandits::{Arm, Policy, PreferenceMatrix, problems};

/// Specifications that are pinned beside every algorithm's defaults and variants.
const OTHERS: &[&str] = &[
    "btm:delta=0.1",
    "savage:delta=0.1",
    "rucb:alpha=0.6",
    "rucb:unseen=1",
    "mergerucb:alpha=0.262144:p=8:c=4e5",
    "mergerucb:p=8:alpha=0.8",
    "mergerucb-squared:first=9",
    "mergedts:alpha=0.262144:p=16:c=4e5",
    "rcs:alpha=0.1",
    "dts:alpha=0.2",
    "rmed1:factor=0.5:power=1.1",
    "mdb:alpha=1.5:beta=4",
    "sparring:scale=0.5",
    "sparring-exp3:gamma=1",
    "doubler:scale=1",
    "multisbm:scale=2.5",
    "self-sparring:eta=0.5",
    "rex3:gamma=0.1",
    "winner-stays-strong:beta=2",
    "ccb:alpha=0.6",
    "scb:variant=wu:alpha=0.6",
];

/// The choices of `horizon` steps, one word per step.
struct Choices<'a> {
    matrix: &'a PreferenceMatrix,
    horizon: u64,
    separator: &'static str,
}

impl PolicyVisitor for Choices<'_> {
    type Output = Vec<String>;

    fn visit<P: Policy + Send>(self, policy: P) -> Vec<String> {
        let word = |arms: &Vec<Arm>| {
            let arms: Vec<String> = arms.iter().map(|arm| arm.0.to_string()).collect();
            arms.join(self.separator)
        };
        crate::common::diary(policy, self.matrix, self.horizon, 1).iter().map(word).collect()
    }
}

/// FNV-1a of all words.
fn checksum(words: &[String]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The specification in full; among 8 arms the first ten choices, the last of 3,000 and a checksum of all;
/// among 70 arms the checksum of 4,000.
fn block(text: &str) -> String {
    let spec: Spec = text.parse().expect(text);
    let choices = |matrix: &PreferenceMatrix, horizon, separator| {
        spec.visit(matrix.arms(), Some(horizon), Choices { matrix, horizon, separator }).expect("arms")
    };
    let few = choices(&problems::arithmetic(8).expect("eight arms"), 3_000, "");
    let many = choices(&crate::common::ladder(70), 4_000, "-");
    let mut block = format!("{text}\n");
    let _ = writeln!(block, "  in full  {}", spec.canonical());
    let _ = writeln!(block, "  8 arms   {} .. {} [{:016x}]", few[..10].join(" "), few[2_999], checksum(&few));
    let _ = writeln!(block, "  70 arms  [{:016x}]", checksum(&many));
    block
}

#[test]
fn value_stability() {
    let mut found =
        "# Written by `UPDATE=1 cargo test -p bandits --test all value_stability`; do not edit.\n".to_owned();
    for entry in entries() {
        let others = OTHERS.iter().filter(|text| text.split(':').next() == Some(entry.name));
        let names = std::iter::once(entry.name.to_owned()).chain(entry.variant_names());
        for text in names.chain(others.map(|&text| text.to_owned())) {
            found.push_str(&block(&text));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/values.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).expect("tests/values.txt is written");
    }
    let pinned = std::fs::read_to_string(&path).expect("tests/values.txt is read");
    let changed: Vec<_> = pinned.lines().zip(found.lines()).filter(|(pinned, found)| pinned != found).collect();
    assert!(changed.is_empty(), "(pinned, found): {changed:#?}");
    assert_eq!(pinned, found, "blocks were added or removed: see the head of this test");
}
