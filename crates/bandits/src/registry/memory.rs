//! How much memory policies take, with their defaults: studies start no more runs at a time than there is room for. A test
//! compares each row with the allocations (`tests/memory.rs`).

use super::find_row;

/// How much memory a policy takes, mostly for its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Bytes per ordered pair of arms, rounded up.
    pub per_pair: u64,
    /// Bytes per arm, rounded up.
    pub per_arm: u64,
}

impl Memory {
    /// Bytes for this number of arms.
    #[must_use]
    pub fn bytes(self, arms: usize) -> u64 {
        let arms = arms as u64;
        self.per_pair.saturating_mul(arms).saturating_mul(arms).saturating_add(self.per_arm.saturating_mul(arms))
    }
}

/// The memory of an algorithm; none if it has no row.
pub(super) fn memory_of(name: &str) -> Memory {
    let &(per_pair, per_arm) = find_row(MEMORY, name).unwrap_or(&(0, 0));
    Memory { per_pair, per_arm }
}

/// By name, in the order of the registry: bytes per pair, and bytes per arm.
pub(super) const MEMORY: &[(&str, (u64, u64))] = &[
    ("if1", (0, 24)),
    ("if2", (0, 24)),
    ("btm", (8, 45)),
    ("savage", (4, 300)),
    ("rucb", (31, 1690)),
    ("mergerucb", (0, 270)),
    ("mergerucb-squared", (0, 500)),
    ("mergerucb-parallel", (0, 270)),
    ("mergedts", (0, 240)),
    ("rcs", (47, 1720)),
    ("rts", (24, 240)),
    ("dts", (32, 240)),
    ("dts-plus", (36, 240)),
    ("rmed1", (21, 640)),
    ("rmed2", (28, 64)),
    ("rmed2fh", (28, 64)),
    ("mdb", (12, 370)),
    ("multirucb", (12, 50)),
    ("sparring", (0, 88)),
    ("sparring-ts", (0, 190)),
    ("sparring-exp3", (0, 90)),
    ("versatile-db", (0, 64)),
    ("dexp3", (0, 64)),
    ("borda-elimination", (0, 50)),
    ("knockout", (0, 28)),
    ("nts", (0, 36)),
    ("dkwt", (0, 20)),
    ("pocowista", (1, 16)),
    ("sequential-elimination", (0, 20)),
    ("mallows-mpi", (0, 20)),
    ("pl-pac", (4, 20)),
    ("verification", (10, 32)),
    ("parwis", (12, 40)),
    ("doubler", (0, 88)),
    ("multisbm", (27, 1570)),
    ("self-sparring", (0, 130)),
    ("sliding-rucb", (24, 150)),
    ("discounted-rucb", (24, 100)),
    ("sliding-dts", (32, 330)),
    ("discounted-dts", (32, 330)),
    ("sparring-exp3s", (0, 90)),
    ("bradley-terry", (4, 400)),
    ("bradley-terry-pairs", (52, 120)),
    ("rex3", (0, 64)),
    ("winner-stays", (0, 24)),
    ("winner-stays-strong", (0, 24)),
    ("ccb", (23, 820)),
    ("ecw-rmed", (30, 200)),
    ("scb", (10, 64)),
    ("random", (0, 40)),
    ("random-set", (0, 170)),
];
