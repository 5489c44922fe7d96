//! The populations that statements of a board are about: judges and items in general, or those of the table alone.
//!
//! Judgements of one judge resemble each other, and so do those on one item. If judges are a sample of those who might have judged, errors
//! are clustered by judge, and statements hold for the population. A few judges show hardly anything about judges in general, however much
//! they judge. Fewer than [`Clusters::MIN_COUNT`] are taken as given, unless requested: then statements are about them alone.

use crate::settings::Clusters;
use crate::text::count;
use crate::units::Unit;
use crate::{Judgement, Table};
use ranktypes::text::with_separators;
use serde::Serialize;

/// The kind of a cluster: what its judgements share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterKind {
    /// An item: a prompt, a query.
    Item,
    /// A judge.
    Judge,
}

impl ClusterKind {
    pub(crate) fn of(self, unit: &Unit) -> Option<u32> {
        match self {
            Self::Item => unit.item,
            Self::Judge => unit.judge,
        }
    }

    fn named_by(self, judgement: &Judgement) -> Option<u32> {
        match self {
            Self::Item => judgement.item,
            Self::Judge => judgement.judge,
        }
    }

    /// `item` and `items`, or `judge` and `judges`.
    pub(crate) fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Item => ("item", "items"),
            Self::Judge => ("judge", "judges"),
        }
    }
}

/// The judges, or the items, of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Population {
    /// The kind.
    pub kind: ClusterKind,
    /// The number of named ones; judgements that name none share one more, which is not counted.
    pub count: u64,
    /// The effective number at equal weights, 1 to `count`: the median over pairs of competitors.
    pub effective: f64,
    /// Whether statements are about the population they come from; otherwise they are about these alone.
    pub general: bool,
    /// If `general`, and there are too few: how many pairs are known, at the look of the headline, and how many would be if statements were
    /// about these alone.
    pub too_few: Option<(usize, usize)>,
}

/// The populations that statements of a board are about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Populations {
    /// The clusters in use; never `Auto`.
    pub(crate) clusters: Clusters,
    /// The population of each kind that the table names.
    pub(crate) populations: Vec<Population>,
}

impl Populations {
    /// The kinds of clusters that are taken as independent.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = ClusterKind> {
        self.populations.iter().filter(|population| population.general).map(|population| population.kind)
    }

    /// Which judgements of `table` name no item or no judge although others do, in sentences.
    pub(crate) fn missing_names_note(&self, table: &Table) -> Vec<String> {
        let sentence = |population: &Population| {
            let (noun, _) = population.kind.nouns();
            let which = match table.judgements.iter().filter(|row| population.kind.named_by(row).is_none()).count() {
                0 => return None,
                1 => format!("1 judgement names no {noun}: it counts as that of"),
                several => {
                    format!("{} judgements name no {noun}: they count as those of", with_separators(several as u64))
                }
            };
            Some(format!("{which} one unknown {noun}, who is not among the {}.", population.count))
        };
        self.populations.iter().filter_map(sentence).collect()
    }

    /// The populations with too few members to generalise, in sentences.
    pub(crate) fn too_few_note(&self, look: &str) -> Vec<String> {
        let other_kind_text = |kind: ClusterKind| {
            let other_kind = self.kinds().find(|other_kind| *other_kind != kind);
            other_kind.map_or_else(
                || format!("for these {} alone", kind.nouns().1),
                |other_kind| format!("by {}", other_kind.nouns().0),
            )
        };
        let sentence = |population: &Population| {
            let (singular, plural) = population.kind.nouns();
            let (known_pairs, otherwise_known) = population.too_few?;
            let worth = if population.effective < 0.8 * population.count as f64 {
                format!(", worth {:.0} of equal weight,", population.effective)
            } else {
                String::new()
            };
            let are = if population.count == 1 { "is" } else { "are" };
            Some(format!(
                "{}{worth} {are} too few to speak of {plural} in general (pairs in a known order at {look}: {known_pairs}; {}: {otherwise_known}).",
                count(population.count, singular, plural),
                other_kind_text(population.kind)
            ))
        };
        self.populations.iter().filter_map(sentence).collect()
    }

    /// The population that statements are about, in words.
    pub(crate) fn generality_note(&self) -> String {
        let populations_of = |general: bool| {
            let of_generality = self.populations.iter().filter(|population| population.general == general);
            of_generality.map(|population| (population.count, population.kind.nouns())).collect::<Vec<_>>()
        };
        let sample: Vec<String> = populations_of(true).iter().map(|(_, nouns)| nouns.1.to_owned()).collect();
        let fixed: Vec<String> =
            populations_of(false).iter().map(|(number, nouns)| count(*number, nouns.0, nouns.1)).collect();
        let mut text = if sample.is_empty() {
            "Statements are about further units like these".to_owned()
        } else {
            format!("Statements are about {} in general, of whom those of the table are a sample", sample.join(" and "))
        };
        if !fixed.is_empty() {
            text += &format!(
                ", {} the {} of the table alone",
                if sample.is_empty() { "of" } else { "and about" },
                fixed.join(" and ")
            );
        }
        text + "."
    }
}

/// Numbers of clusters, and how many have a name. Units without a name form one more cluster, the last: it may be one or
/// several.
pub(crate) fn numbered<K: Ord + Copy>(units: &[Unit], key: impl Fn(&Unit) -> Option<K>) -> (Vec<u32>, u64) {
    let mut keys: Vec<K> = units.iter().filter_map(&key).collect();
    keys.sort_unstable();
    keys.dedup();
    let number = |unit| key(unit).map_or(keys.len(), |key| keys.partition_point(|other| *other < key)) as u32;
    (units.iter().map(number).collect(), keys.len() as u64)
}

/// By kind, the numbers of the clusters of all units.
pub(crate) fn numbers_of(kind: ClusterKind, units: &[Unit]) -> Vec<u32> {
    numbered(units, |unit| kind.of(unit)).0
}
