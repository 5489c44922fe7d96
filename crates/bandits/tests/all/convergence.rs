//! The arm that each registered algorithm should find, and how soon: the problems of this folder test that.

use bandits::registry::entries;

/// How reliably an algorithm finds the best arm of small problems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Convergence {
    /// Whether it is built to find a Condorcet winner. Otherwise it is only expected to find an arm that is also best
    /// on average.
    pub(crate) condorcet: bool,
    /// How many times more steps than usual it takes.
    pub(crate) patience: u64,
    /// The length of its runs on problems with a Condorcet winner, e.g. to the end of a round, after which it starts
    /// again; it settles only within them.
    pub(crate) horizon: Option<u64>,
    /// Whether all preferences must differ from 1/2 by at least this much to be resolved in that time.
    pub(crate) least_margin: f64,
    /// The regret of the second half of a run, as a share of what uniform choice costs, stays below this.
    pub(crate) late_share: f64,
    /// Whether only its weak regret stops growing: it keeps comparing the winner with other arms.
    pub(crate) weak_regret: bool,
}

impl Convergence {
    /// The expectations of most algorithms.
    const USUAL: Self =
        Self { condorcet: true, patience: 1, horizon: None, least_margin: 0.0, late_share: 0.5, weak_regret: false };
    /// It looks for another arm.
    const ON_AVERAGE: Self = Self { condorcet: false, ..Self::USUAL };
    /// It decides pair after pair, and margins below .05 not in that time.
    const WITH_GUARANTEE: Self = Self { patience: 4, least_margin: 0.05, ..Self::USUAL };

    /// The expectations of an algorithm; the usual ones if it has no row.
    pub(crate) fn of(name: &str) -> Self {
        CONVERGENCE.iter().find(|row| row.0 == name).map_or(Self::USUAL, |row| row.1)
    }
}

/// By name, in the order of the registry.
const CONVERGENCE: &[(&str, Convergence)] = &[
    ("if1", Convergence::USUAL),
    ("if2", Convergence::USUAL),
    // Its bounds are three times as wide as Hoeffding's, and arms meet weaker ones than themselves.
    ("btm", Convergence { patience: 30, ..Convergence::USUAL }),
    ("savage", Convergence::USUAL),
    ("rucb", Convergence::USUAL),
    ("mergerucb", Convergence::USUAL),
    // It learns from scratch in every round.
    ("mergerucb-squared", Convergence { patience: 10, ..Convergence::USUAL }),
    ("mergerucb-parallel", Convergence::USUAL),
    ("mergedts", Convergence::USUAL),
    ("rcs", Convergence::USUAL),
    ("rts", Convergence::USUAL),
    ("dts", Convergence::USUAL),
    ("dts-plus", Convergence::USUAL),
    ("rmed1", Convergence::USUAL),
    ("rmed2", Convergence::USUAL),
    ("rmed2fh", Convergence::USUAL),
    ("mdb", Convergence::USUAL),
    ("multirucb", Convergence::USUAL),
    ("sparring", Convergence::ON_AVERAGE),
    ("sparring-ts", Convergence::ON_AVERAGE),
    ("sparring-exp3", Convergence::ON_AVERAGE),
    ("versatile-db", Convergence::USUAL),
    ("dexp3", Convergence { late_share: 0.7, ..Convergence::ON_AVERAGE }),
    ("borda-elimination", Convergence { late_share: 0.9, ..Convergence::ON_AVERAGE }),
    ("knockout", Convergence::WITH_GUARANTEE),
    ("nts", Convergence { least_margin: 0.05, ..Convergence::USUAL }),
    ("dkwt", Convergence { patience: 30, ..Convergence::USUAL }),
    ("pocowista", Convergence::WITH_GUARANTEE),
    ("sequential-elimination", Convergence::WITH_GUARANTEE),
    ("mallows-mpi", Convergence::WITH_GUARANTEE),
    ("pl-pac", Convergence::WITH_GUARANTEE),
    ("verification", Convergence::WITH_GUARANTEE),
    // It pits its leader against the others for ever, and scores follow from utilities.
    ("parwis", Convergence { weak_regret: true, ..Convergence::ON_AVERAGE }),
    ("doubler", Convergence { patience: 10, ..Convergence::ON_AVERAGE }),
    ("multisbm", Convergence { patience: 10, ..Convergence::ON_AVERAGE }),
    ("self-sparring", Convergence::ON_AVERAGE),
    ("sliding-rucb", Convergence { late_share: 0.6, ..Convergence::USUAL }),
    ("discounted-rucb", Convergence { late_share: 0.6, ..Convergence::USUAL }),
    ("sliding-dts", Convergence::USUAL),
    ("discounted-dts", Convergence::USUAL),
    ("sparring-exp3s", Convergence::ON_AVERAGE),
    ("bradley-terry", Convergence::USUAL),
    ("bradley-terry-pairs", Convergence::USUAL),
    ("rex3", Convergence::ON_AVERAGE),
    // It pits its leader against the others for ever: it settles on a leader, not on a pair.
    ("winner-stays", Convergence { weak_regret: true, ..Convergence::USUAL }),
    ("winner-stays-strong", Convergence::USUAL),
    ("ccb", Convergence::USUAL),
    ("ecw-rmed", Convergence { least_margin: 0.03, ..Convergence::USUAL }),
    // To the end of its third long round, after which it starts again. Most of a round is spent on being certain of
    // pairs, and of pairs at 0.52 it is not within 65,536 steps.
    (
        "scb",
        Convergence {
            patience: 10,
            horizon: Some(4 + 16 + 256 + 65_536),
            least_margin: 0.045,
            late_share: 0.75,
            ..Convergence::USUAL
        },
    ),
    ("random", Convergence::ON_AVERAGE),
    ("random-set", Convergence::ON_AVERAGE),
];

#[test]
fn each_algorithm_has_its_row() {
    let names: Vec<_> = entries().iter().map(|entry| entry.name).collect();
    let rows: Vec<_> = CONVERGENCE.iter().map(|row| row.0).collect();
    assert_eq!(rows, names, "add a row to tests/all/convergence.rs: Convergence::USUAL, if nothing else is promised");
}
