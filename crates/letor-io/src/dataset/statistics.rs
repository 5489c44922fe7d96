//! Summary statistics of a data set.

use std::fmt;

use ranktypes::text::with_separators;
use rayon::prelude::*;

use super::{Dataset, FeatureId, Provenance, Query, exact_label};

/// Summary statistics of a data set; `Display` is a short report for people.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// The name of the data set.
    pub name: String,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The number of queries.
    pub queries: usize,
    /// The number of documents.
    pub documents: usize,
    /// The number of features, which is the highest feature number; of TREC runs, the number of runs.
    pub features: u32,
    /// The names of the runs, where features are runs; otherwise empty.
    pub runs: Vec<String>,
    /// Documents per query: minimum, median (the lower one of two), maximum. All 0 without queries.
    pub documents_per_query: [usize; 3],
    /// Each label that occurs and its number of documents, ascending; -1 means no label.
    pub labels: Vec<(f32, usize)>,
    /// The number of queries in which no document has a label above 0.
    pub queries_without_relevant: usize,
    /// The share of values that are 0, explicit or absent (0 to 1).
    pub zero_share: f64,
    /// The features that are 0 for every document.
    pub always_zero: Vec<FeatureId>,
    /// The share of (query, feature) pairs in which all documents have the same value, so that the feature does not
    /// rank them (0 to 1).
    pub constant_share: f64,
    /// The features that are equal to an earlier one in every document, each with the first such feature. Features
    /// that are always 0 are left out.
    pub duplicates: Vec<(FeatureId, FeatureId)>,
    /// The size in memory, in bytes.
    pub memory: usize,
}

impl Statistics {
    /// Computes the statistics of `dataset` in parallel.
    pub fn of(dataset: &Dataset) -> Self {
        let tally = (0..dataset.queries())
            .into_par_iter()
            .fold(Tally::default, |tally, index| tally.add_query(&dataset.query(index)))
            .reduce(Tally::default, Tally::join);
        let mut sizes: Vec<usize> = dataset.iter().map(|query| query.documents()).collect();
        sizes.sort_unstable();
        let documents_per_query = match &sizes[..] {
            [] => [0; 3],
            [first, ..] => [*first, sizes[(sizes.len() - 1) / 2], sizes[sizes.len() - 1]],
        };
        let features = dataset.features();
        let share = |count: usize, of: usize| {
            if of == 0 { 0.0 } else { count as f64 / of as f64 }
        };
        let cells = dataset.documents() * features as usize;
        let pairs = dataset.queries() * features as usize;
        let has_values = |feature: u32| tally.seen.get(feature as usize).copied().unwrap_or(false);
        Self {
            name: dataset.name().to_string(),
            provenance: dataset.provenance().clone(),
            queries: dataset.queries(),
            documents: dataset.documents(),
            features,
            runs: (1..=features)
                .filter(|_| dataset.runs().is_some())
                .map(|number| dataset.feature_name(FeatureId(number)).map_or_else(|| number.to_string(), str::to_owned))
                .collect(),
            documents_per_query,
            labels: label_counts(dataset.labels()),
            queries_without_relevant: tally.without_relevant,
            zero_share: share(cells - tally.nonzero, cells),
            always_zero: (1..=features).filter(|&f| !has_values(f)).map(FeatureId).collect(),
            constant_share: share(pairs - tally.varying, pairs),
            duplicates: duplicate_features(dataset),
            memory: dataset.memory(),
        }
    }

    /// The number of documents without a label (-1).
    pub fn unlabelled(&self) -> usize {
        self.labels.iter().filter(|(label, _)| *label < 0.0).map(|(_, count)| count).sum()
    }
}

/// Counts over some queries. Only sums, so that the result does not depend on the grouping.
#[derive(Debug, Default)]
struct Tally {
    without_relevant: usize,
    nonzero: usize,
    varying: usize,
    /// By feature number: whether it was present.
    seen: Vec<bool>,
}

impl Tally {
    fn add_query(mut self, query: &Query<'_>) -> Self {
        self.without_relevant += usize::from(query.labels().iter().all(|&label| label <= 0.0));
        query.for_each_column(|feature, values| {
            self.nonzero += values.iter().filter(|value| value.mantissa != 0).count();
            if self.seen.len() <= feature as usize {
                self.seen.resize(feature as usize + 1, false);
            }
            self.seen[feature as usize] = true;
            self.varying += usize::from(!query.is_constant(FeatureId(feature)));
        });
        self
    }

    fn join(mut self, mut other: Self) -> Self {
        if self.seen.len() < other.seen.len() {
            std::mem::swap(&mut self.seen, &mut other.seen);
        }
        self.seen.iter_mut().zip(&other.seen).for_each(|(one, other)| *one |= other);
        self.without_relevant += other.without_relevant;
        self.nonzero += other.nonzero;
        self.varying += other.varying;
        self
    }
}

fn label_counts(labels: &[f32]) -> Vec<(f32, usize)> {
    let mut sorted = labels.to_vec();
    sorted.par_sort_unstable_by(f32::total_cmp);
    sorted.chunk_by(|one, other| one == other).map(|equal| (equal[0], equal.len())).collect()
}

/// Pairs of (feature, the first feature equal to it everywhere).
///
/// Groups of candidates shrink query by query: two features stay together as long as their columns are equal.
fn duplicate_features(dataset: &Dataset) -> Vec<(FeatureId, FeatureId)> {
    let mut groups: Vec<Vec<FeatureId>> = vec![(1..=dataset.features()).map(FeatureId).collect()];
    let (mut column, mut columns) = (Vec::new(), Vec::<(Vec<u64>, FeatureId)>::new());
    for query in dataset.iter() {
        let mut next = Vec::new();
        for group in groups {
            columns.clear();
            for feature in group {
                query.column(feature, &mut column);
                columns.push((column.iter().map(|value| value.to_bits()).collect(), feature));
            }
            columns.sort_unstable();
            for equal in columns.chunk_by(|one, other| one.0 == other.0).filter(|c| c.len() > 1) {
                next.push(equal.iter().map(|(_, feature)| *feature).collect());
            }
        }
        groups = next;
    }
    let zero = |feature: FeatureId| {
        dataset
            .iter()
            .all(|query| query.is_constant(feature) && !query.nonzero_features().any(|present| present == feature))
    };
    let mut pairs: Vec<_> = groups
        .iter()
        .filter(|group| group.len() > 1 && !zero(group[0]))
        .flat_map(|group| group[1..].iter().map(|&feature| (feature, group[0])))
        .collect();
    pairs.sort_unstable();
    pairs
}

/// More files that were read are not listed one by one.
const MAX_LISTED: usize = 8;

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        match &self.provenance {
            Provenance::LookAlike { name } => writeln!(f, "  SYNTHETIC look-alike {name}")?,
            Provenance::Files { files, skipped } => {
                // Readers know the files of a folder of runs that they gave.
                let shown = if files.len() > MAX_LISTED { 1 } else { files.len() };
                for file in &files[..shown] {
                    writeln!(f, "  read     {}", file.display())?;
                }
                if shown < files.len() {
                    writeln!(f, "  read     and {} more files", files.len() - shown)?;
                }
                for (file, reason) in skipped {
                    writeln!(f, "  skipped  {} ({reason})", file.display())?;
                }
            }
        }
        writeln!(f, "  queries             {}", with_separators(self.queries as u64))?;
        let [fewest, median, most] = self.documents_per_query.map(|count| with_separators(count as u64));
        let each = if fewest == most {
            format!("{most} per query")
        } else {
            format!("{fewest} to {most} per query, median {median}")
        };
        writeln!(f, "  documents           {} ({each})", with_separators(self.documents as u64))?;
        let of_runs = !self.runs.is_empty();
        if of_runs {
            writeln!(f, "  runs                {}", self.features)?;
        } else {
            writeln!(f, "  features            {} ({} always 0)", self.features, self.always_zero.len())?;
        }
        let labels = self
            .labels
            .iter()
            .map(|(label, count)| format!("{}: {}", exact_label(*label), with_separators(*count as u64)));
        writeln!(f, "  labels              {}", labels.collect::<Vec<_>>().join(", "))?;
        match self.unlabelled() {
            0 => {}
            all if all == self.documents => writeln!(f, "  UNLABELLED          no document has a label")?,
            1 => writeln!(f, "  UNLABELLED          1 document has no label")?,
            some => writeln!(f, "  UNLABELLED          {} documents have no label", with_separators(some as u64))?,
        }
        match self.queries_without_relevant {
            1 => writeln!(f, "  nothing relevant in 1 query")?,
            queries => writeln!(f, "  nothing relevant in {} queries", with_separators(queries as u64))?,
        }
        let what = if of_runs { "run" } else { "feature" };
        if !of_runs {
            writeln!(f, "  values that are 0   {:.1} %", 100.0 * self.zero_share)?;
        }
        writeln!(f, "  constant in a query {:.1} % of (query, {what})", 100.0 * self.constant_share)?;
        if !self.duplicates.is_empty() {
            let name = |feature: FeatureId| match self.runs.get(feature.0 as usize - 1) {
                Some(run) => run.clone(),
                None => feature.0.to_string(),
            };
            let shown = self.duplicates.iter().take(10);
            let pairs: Vec<String> = shown.map(|(f, first)| format!("{} = {}", name(*f), name(*first))).collect();
            let dots = if self.duplicates.len() > 10 { ", ..." } else { "" };
            let title = format!("duplicate {what}s");
            writeln!(f, "  {title:<19} {}: {}{dots}", self.duplicates.len(), pairs.join(", "))?;
        }
        write!(f, "  memory              {:.1} MB", self.memory as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatasetBuilder;

    #[test]
    fn statistics_of_a_small_data_set() {
        let mut builder = DatasetBuilder::new("s", Provenance::LookAlike { name: "s".into() });
        builder
            .push_columns("a", &[0.0, 0.5, -1.0], &[[1.0, 2.0, 0.0], [0.0; 3], [1.0, 2.0, 0.0], [3.0; 3]])
            .unwrap()
            .push_columns("b", &[0.0], &[[1.0], [0.0], [1.0], [3.0]])
            .unwrap()
            .features(5);
        let statistics = Statistics::of(&builder.build());
        assert_eq!((statistics.queries, statistics.documents, statistics.features), (2, 4, 5));
        assert_eq!(statistics.documents_per_query, [1, 1, 3]);
        assert_eq!(statistics.labels, [(-1.0, 1), (0.0, 2), (0.5, 1)]);
        assert_eq!((statistics.unlabelled(), statistics.queries_without_relevant), (1, 1));
        assert_eq!(statistics.zero_share, 10.0 / 20.0);
        assert_eq!(statistics.always_zero, [FeatureId(2), FeatureId(5)]);
        assert_eq!(statistics.constant_share, 8.0 / 10.0);
        assert_eq!(statistics.duplicates, [(FeatureId(3), FeatureId(1))]);
        let text = statistics.to_string();
        for part in [
            "SYNTHETIC",
            "4 (1 to 3 per query, median 1)",
            "1 document has no label",
            "nothing relevant in 1 query\n",
            "1: 3 = 1",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn an_empty_data_set_has_statistics() {
        let builder = DatasetBuilder::new("s", Provenance::LookAlike { name: "s".into() });
        let statistics = Statistics::of(&builder.build());
        assert_eq!(statistics.zero_share, 0.0);
        assert_eq!(statistics.documents_per_query, [0; 3]);
    }
}
