//! Which rankers of a log an outcome compares.

use std::borrow::Cow;
use std::collections::BTreeMap;

use verdicts::amounts::SideClicks;
use verdicts::integrity::PageRecord;
use verdicts::{PairChoice, Version, VersionDeclarations};

use crate::join::conversions::{self, Owner};
use crate::join::outcome::PairOutcome;
use crate::model::{Lineup, Settings};

/// An outcome for a pair in the order of results.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrderedOutcome {
    pub(super) pair: (usize, usize),
    /// 1 if the first won, -1 if the second did.
    pub(super) net: i8,
    pub(super) page: PageRecord,
    pub(super) sides: Option<SideClicks>,
    /// The advantage that its coins give the first.
    pub(super) advantage: i16,
}

impl OrderedOutcome {
    /// The same with the lower place first.
    fn in_order(self) -> Self {
        let Self { pair: (i, j), net, page, sides, advantage } = self;
        if i < j {
            self
        } else {
            let sides = sides.map(SideClicks::swapped);
            Self { pair: (j, i), net: -net, page: page.swapped(), sides, advantage: -advantage }
        }
    }
}

/// Which version a lineup is of, and which pair of all rankers a pair of a lineup is.
pub(in crate::join) struct LineupIndex {
    /// The names of all rankers, in the order of results.
    pub(in crate::join) names: Vec<String>,
    /// The versions, in the order of results.
    pub(in crate::join) versions: Vec<Version>,
    /// By version: the places of its rankers in `names`, ascending.
    rankers: Vec<Vec<usize>>,
    /// By lineup: its version; by place: the place in `names`.
    lineups: Vec<(usize, Vec<usize>)>,
}

impl LineupIndex {
    /// The pairs of all lineups; `names` are the rankers in the order of results.
    pub(in crate::join) fn new(
        lineups: &[Lineup],
        names: Vec<String>,
        versions: &BTreeMap<Option<String>, VersionDeclarations>,
        settings: &Settings,
    ) -> Self {
        let ranker_index =
            |name: &String| names.iter().position(|other_name| other_name == name).expect("every name is there");
        let version_rankers = |of: &VersionDeclarations| {
            let mut rankers: Vec<usize> = of.rankers.iter().chain(&settings.rankers).map(ranker_index).collect();
            rankers.sort_unstable();
            rankers.dedup();
            rankers
        };
        let version =
            |name: &Option<String>| versions.keys().position(|other_name| other_name == name).unwrap_or_default();
        let lineup_entry =
            |lineup: &Lineup| (version(&lineup.version), lineup.rankers.iter().map(ranker_index).collect::<Vec<_>>());
        Self {
            versions: resolve_versions(versions, settings),
            rankers: versions.values().map(version_rankers).collect(),
            lineups: lineups.iter().map(lineup_entry).collect(),
            names,
        }
    }

    /// The version of an outcome.
    pub(in crate::join) fn version(&self, outcome: &PairOutcome) -> usize {
        self.lineups.get(outcome.lineup as usize).map_or(0, |(version, _)| *version)
    }

    /// Which of a pair owns a document with this `owner`, given as a place of a lineup; `None` if the lineup is of another version, or
    /// the pair did not meet in it.
    pub(super) fn owner(&self, lineup: u32, owner: u8, version: usize, pair: (usize, usize)) -> Option<Owner> {
        let (lineup_version, places) = self.lineups.get(lineup as usize)?;
        if *lineup_version != version {
            return None;
        }
        // With two rankers, a list may name only one, or none.
        let rankers = self.rankers[version].as_slice();
        let places: Cow<'_, [usize]> = match (places.as_slice(), rankers) {
            (&[first], &[a, b]) if first == a || first == b => vec![first, a + b - first].into(),
            ([], &[_, _]) => rankers.into(),
            (places, _) => places.into(),
        };
        conversions::owner(&places, pair, owner)
    }

    /// How the pairs of a version were chosen.
    pub(super) fn choice(&self, version: usize) -> PairChoice {
        self.versions.get(version).map_or(PairChoice::Chance, |version| version.choice)
    }

    /// An outcome for its pair; `None` if the impression does not name its pair.
    pub(super) fn of(&self, outcome: &PairOutcome) -> Option<OrderedOutcome> {
        let (version, places) = self.lineups.get(outcome.lineup as usize)?;
        let known = |place: u8| places.get(usize::from(place)).copied();
        let (i, j) = match (known(outcome.pair[0]), known(outcome.pair[1]), self.rankers[*version].as_slice()) {
            (Some(i), Some(j), _) => (i, j),
            // With two rankers, the other is known.
            (Some(i), None, &[first, second]) => (i, if i == first { second } else { first }),
            (None, None, &[first, second]) => (first, second),
            _ => return None,
        };
        if i == j {
            return None;
        }
        let PairOutcome { net, page, sides, advantage, .. } = *outcome;
        Some(OrderedOutcome { pair: (i, j), net, page, sides, advantage: advantage.unwrap_or(0) }.in_order())
    }
}

/// The versions in the order of results, and how their pairs were chosen.
pub(in crate::join) fn resolve_versions(
    versions: &BTreeMap<Option<String>, VersionDeclarations>,
    settings: &Settings,
) -> Vec<Version> {
    versions.iter().map(|(name, of)| of.resolve(name.as_deref(), settings.pairs)).collect()
}

/// How pairs were chosen over all versions: the most careful answer, and whether any of them declares it.
pub(in crate::join) fn most_careful_choice(versions: &[Version]) -> Version {
    let none = || VersionDeclarations::default().resolve(None, None);
    let strictest = versions.iter().rev().max_by_key(|version| version.choice).cloned().unwrap_or_else(none);
    Version { name: None, declared: versions.iter().filter_map(|version| version.declared).max(), ..strictest }
}
