//! The table of look-alikes, with the measured properties of the real sets.

use super::anonymous::AnonymousFeatures;
use super::labels::{DocumentCount, Labels};

/// The model that draws the features.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ModelKind {
    Mslr,
    Np2004,
    Mq2008,
    Anonymous(&'static AnonymousFeatures),
}

/// A look-alike at full size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LookalikeSpec {
    pub name: &'static str,
    pub queries: usize,
    pub documents: DocumentCount,
    pub labels: Labels,
    pub model: ModelKind,
}

/// Yahoo's two sets share 700 features: 181 are always 0 in the first set, and another 104 in the second.
const YAHOO: AnonymousFeatures = AnonymousFeatures {
    role_key: "ylr",
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
const YAHOO_1: AnonymousFeatures = YAHOO;
const YAHOO_2: AnonymousFeatures = AnonymousFeatures { zero: [181, 285], ..YAHOO };
const YANDEX: AnonymousFeatures = AnonymousFeatures {
    role_key: "yandex",
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

const YAHOO_LABELS: Labels = Labels::Graded {
    shares: &[0.2255, 0.3888, 0.2942, 0.0705, 0.0210],
    within_query: 0.33,
    without_relevant: 0.01,
    fractional: 0.0,
};

/// All look-alikes. The numbers of queries and mean numbers of documents are those of the full sets; everything else
/// is measured on the excerpts listed in the module's documentation.
pub(crate) const SPECS: [LookalikeSpec; 6] = [
    LookalikeSpec {
        name: "mslr-lookalike",
        queries: 31_531,
        documents: DocumentCount::LogNormal { mean: 119.6, spread: 0.46, bounds: [1, 900] },
        labels: Labels::Graded {
            shares: &[0.5572, 0.2948, 0.1272, 0.0148, 0.0060],
            within_query: 0.16,
            without_relevant: 0.011,
            fractional: 0.0,
        },
        model: ModelKind::Mslr,
    },
    LookalikeSpec {
        name: "ylr1-lookalike",
        queries: 19_944,
        documents: DocumentCount::LogNormal { mean: 23.7, spread: 0.31, bounds: [1, 139] },
        labels: YAHOO_LABELS,
        model: ModelKind::Anonymous(&YAHOO_1),
    },
    LookalikeSpec {
        name: "ylr2-lookalike",
        queries: 1_266,
        documents: DocumentCount::LogNormal { mean: 27.5, spread: 0.31, bounds: [1, 139] },
        labels: YAHOO_LABELS,
        model: ModelKind::Anonymous(&YAHOO_2),
    },
    LookalikeSpec {
        name: "yandex-lookalike",
        queries: 9_124,
        documents: DocumentCount::LogNormal { mean: 10.66, spread: 0.60, bounds: [2, 120] },
        labels: Labels::Graded {
            shares: &[0.235, 0.362, 0.358, 0.034, 0.011],
            within_query: 0.38,
            without_relevant: 0.085,
            fractional: 0.046,
        },
        model: ModelKind::Anonymous(&YANDEX),
    },
    LookalikeSpec {
        name: "np2004-lookalike",
        queries: 75,
        documents: DocumentCount::Pool { limit: 1_000, short: 0.033 },
        labels: Labels::KnownItem { shares: &[0.033, 0.934, 0.033] },
        model: ModelKind::Np2004,
    },
    LookalikeSpec {
        name: "mq2008-lookalike",
        queries: 784,
        documents: DocumentCount::ShortOrLong { short: 0.51, mean: 33.5, spread: 0.85, bounds: [9, 121] },
        labels: Labels::Graded {
            shares: &[0.8072, 0.1315, 0.0613],
            within_query: 0.30,
            without_relevant: 0.0,
            fractional: 0.0,
        },
        model: ModelKind::Mq2008,
    },
];
