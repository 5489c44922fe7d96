//! The table of look-alikes: what each set's real model measures.

use super::families::Features;
use super::labels::{Documents, Labels};

/// How features are made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Mslr,
    Np2004,
    Mq2008,
    Anonymous(&'static Features),
}

/// One look-alike at full size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Set {
    pub name: &'static str,
    pub queries: usize,
    pub documents: Documents,
    pub labels: Labels,
    pub kind: Kind,
}

/// Yahoo's two sets share features: of 700, 181 are always 0 in the first set and 104 others in the
/// second.
const YAHOO: Features = Features {
    roles: "ylr",
    count: 700,
    zero: [0, 181],
    strength: [0.16, 0.15],
    common: [0.25, 0.35],
    indifferent: 0.2,
    of_query: 0.10,
    everywhere: 0.40,
    density: 1.0,
    levels: &[0.05, 0.15, 0.20, 0.30, 0.30],
    label: [1.27, 0.77],
};
const YAHOO_1: Features = YAHOO;
const YAHOO_2: Features = Features { zero: [181, 285], ..YAHOO };
const YANDEX: Features = Features {
    roles: "yandex",
    count: 245,
    zero: [0, 3],
    strength: [0.11, 0.11],
    common: [0.40, 0.35],
    indifferent: 0.3,
    of_query: 0.06,
    everywhere: 0.35,
    density: 1.8,
    levels: &[0.30, 0.04, 0.06, 0.15, 0.45],
    label: [1.17, 0.68],
};

const YAHOO_LABELS: Labels =
    Labels::Graded { shares: &[0.2255, 0.3888, 0.2942, 0.0705, 0.0210], shared: 0.33, barren: 0.01, fractional: 0.0 };

/// All look-alikes. Numbers of queries and mean numbers of documents are the full sets'; the rest is
/// measured on the excerpts that the module's documentation names.
pub(crate) const SETS: [Set; 6] = [
    Set {
        name: "mslr-lookalike",
        queries: 31_531,
        documents: Documents::LogNormal { mean: 119.6, spread: 0.46, bounds: [1, 900] },
        labels: Labels::Graded {
            shares: &[0.5572, 0.2948, 0.1272, 0.0148, 0.0060],
            shared: 0.16,
            barren: 0.011,
            fractional: 0.0,
        },
        kind: Kind::Mslr,
    },
    Set {
        name: "ylr1-lookalike",
        queries: 19_944,
        documents: Documents::LogNormal { mean: 23.7, spread: 0.31, bounds: [1, 139] },
        labels: YAHOO_LABELS,
        kind: Kind::Anonymous(&YAHOO_1),
    },
    Set {
        name: "ylr2-lookalike",
        queries: 1_266,
        documents: Documents::LogNormal { mean: 27.5, spread: 0.31, bounds: [1, 139] },
        labels: YAHOO_LABELS,
        kind: Kind::Anonymous(&YAHOO_2),
    },
    Set {
        name: "yandex-lookalike",
        queries: 9_124,
        documents: Documents::LogNormal { mean: 10.66, spread: 0.60, bounds: [2, 120] },
        labels: Labels::Graded {
            shares: &[0.235, 0.362, 0.358, 0.034, 0.011],
            shared: 0.38,
            barren: 0.085,
            fractional: 0.046,
        },
        kind: Kind::Anonymous(&YANDEX),
    },
    Set {
        name: "np2004-lookalike",
        queries: 75,
        documents: Documents::Pool { limit: 1_000, short: 0.033 },
        labels: Labels::KnownItem { shares: &[0.033, 0.934, 0.033] },
        kind: Kind::Np2004,
    },
    Set {
        name: "mq2008-lookalike",
        queries: 784,
        documents: Documents::ShortOrLong { short: 0.51, mean: 33.5, spread: 0.85, bounds: [9, 121] },
        labels: Labels::Graded { shares: &[0.8072, 0.1315, 0.0613], shared: 0.30, barren: 0.0, fractional: 0.0 },
        kind: Kind::Mq2008,
    },
];
