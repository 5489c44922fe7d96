//! When to prefer each algorithm to the others, by measurements: a phrase for the tables of algorithms. A test compares
//! the phrases with the measurements.

use super::find_row;

/// The phrase of an algorithm; empty if it has no row.
pub(super) fn phrase_of(name: &str) -> &'static str {
    find_row(PREFER, name).copied().unwrap_or_default()
}

/// By name, in the order of the registry.
pub(super) const PREFER: &[(&str, &str)] = &[
    ("if1", "to compare with the first dueling bandit; `rucb` needs no horizon, costs less and is right more often"),
    ("if2", "as `if1`: less regret at 10^7 steps, but wrong in half of the runs"),
    ("btm", "with `setting=pac`, if an arm that is nearly the best will do; otherwise to compare with"),
    ("savage", "to compare with; `rcs` and `rucb` are as sure of the best arm sooner, at a fraction of the cost"),
    ("rucb", "if its proof counts and there are at most about 70 arms; hardly notices answers that come late"),
    (
        "mergerucb",
        "from about 85 arms up to millions: memory grows with the arms, not their pairs, and a step costs the least time",
    ),
    ("mergerucb-squared", "to compare with: needs no delta, but costs more than `mergerucb` and is sure later"),
    (
        "mergerucb-parallel",
        "as `mergerucb`, if a round of duels is sent out at a time; the same regret within its error",
    ),
    ("mergedts", "as `mergerucb`, with less regret; with `alpha=0.262144:p=16:c=4e5` the least of those that merge"),
    ("rcs", "up to about 20 arms, as `rucb`: about a fifth less regret"),
    ("rts", "to compare with; as good as `dts` early, but wrong in most runs after 10^7 steps"),
    (
        "dts",
        "if the best arm may not win most on average, or none may beat all others: little regret, at microseconds per step among 136 arms",
    ),
    ("dts-plus", "as `dts`: the same regret within its error"),
    ("rmed1", "if its proof counts: a fifth of the regret of `rucb` at 10^7 steps, in less time per step"),
    ("rmed2", "if its proof counts, whose constant is the best possible; `rmed1` has less regret up to 10^8 steps"),
    ("rmed2fh", "as `rmed2`, with a known horizon"),
    (
        "mdb",
        "first choice when many lists can be multileaved without distortion (`rankduel distortion`): the least regret of all",
    ),
    ("multirucb", "instead of `mdb`, if few lists can be mixed into one"),
    ("sparring", "if steps must be cheap and the best arm also wins most on average; not if answers come late"),
    ("sparring-ts", "as `self-sparring`, which has less regret"),
    ("sparring-exp3", "to compare with where preferences change; `rex3` has less regret"),
    (
        "versatile-db",
        "if preferences may change or be tampered with; where they do not, only `mdb`, `bradley-terry`, `bradley-terry-pairs` and `self-sparring` have less regret",
    ),
    (
        "dexp3",
        "if preferences may change or be tampered with, and the arm that wins most on average is wanted; needs many steps",
    ),
    (
        "borda-elimination",
        "if the arm that wins most on average must be right with a stated probability, at whatever cost",
    ),
    (
        "knockout",
        "if an arm that is nearly the best will do, with a stated probability, and utilities explain the duels",
    ),
    ("nts", "to learn whether any arm beats all others, if pairs closer than h do not matter"),
    (
        "dkwt",
        "if the arm that beats all others must be right with a stated probability, in a number of pairs that grows with the arms",
    ),
    (
        "pocowista",
        "if the arm that beats most others must be right with a stated probability, whether or not one beats all",
    ),
    (
        "sequential-elimination",
        "if an arm that is nearly the best will do, with a stated probability, and preferences are only ordered",
    ),
    (
        "mallows-mpi",
        "if every arm beats all below it, no two nearly tie, and the best one is wanted with a stated probability",
    ),
    ("pl-pac", "if utilities explain all duels and an arm that is nearly the best will do, with a stated probability"),
    ("verification", "if the best arm must be right with a probability very close to 1"),
    (
        "parwis",
        "if only two to five duels per arm can be asked for and one winner must be named, without a probability of error",
    ),
    ("doubler", "to compare with: the first reduction to a bandit of single arms, with its proof"),
    (
        "multisbm",
        "to compare with; only after 10^7 steps among 136 arms is its regret clearly below that of random choice",
    ),
    (
        "self-sparring",
        "if two arms meet at a time and the best also wins most on average: only `bradley-terry` and `bradley-terry-pairs` have less regret of duels at 10^7 steps",
    ),
    (
        "sliding-rucb",
        "if preferences jump, arms are few and `window` is much longer than their pairs: as `discounted-rucb`",
    ),
    (
        "discounted-rucb",
        "if preferences change, arms are few and one winner is worth its price: regret grows without end where nothing changes",
    ),
    (
        "sliding-dts",
        "if preferences change: a fifth of the regret of `sliding-rucb`, but it grows without end where nothing changes",
    ),
    ("discounted-dts", "as `sliding-dts`, if outcomes should fade gradually"),
    (
        "sparring-exp3s",
        "if preferences change a known number of times and nothing else is known of them; `sliding-dts` and `discounted-dts` have less regret",
    ),
    (
        "bradley-terry",
        "first, if two arms meet at a time: here the least regret of duels from 10^6 steps on, and right also where arms differ far more or no order explains preferences",
    ),
    (
        "bradley-terry-pairs",
        "as `bradley-terry`, if 10^8 steps or more are simulated: they take seconds, at a little more regret",
    ),
    ("rex3", "if preferences may change over time; where they do not, others have less regret"),
    ("winner-stays", "if only the better of the two arms counts (weak regret); little regret up to 10^5 steps"),
    (
        "winner-stays-strong",
        "for short tests: the least regret of duels up to 10^6 steps among 136 arms, but wrong in a third of the runs after 10^7",
    ),
    ("ccb", "if no arm may beat all others (Copeland winners) and its proof counts; otherwise as `rucb`"),
    (
        "ecw-rmed",
        "if no arm may beat all others (Copeland winners), arms are few and no two nearly tie; otherwise `ccb` or `dts`",
    ),
    ("scb", "to compare with: Copeland winners among many arms in theory; among 136 no better than random choice"),
    ("random", "the baseline; and to learn all pairs alike"),
    ("random-set", "the baseline of `mdb`"),
];
