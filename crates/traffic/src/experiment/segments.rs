//! Segments: a unit belongs to that of its first impression, which was known before it saw anything. The ledger counts each segment as a
//! version of its own; their sum is the count of a day over all units.

use std::collections::BTreeMap;

use verdicts::ledger::DayRow;
use verdicts::segments::SegmentOutcomes;

use super::Experiment;

/// The segments of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Segments {
    /// Numbers of units; first those without a segment.
    units: Vec<u64>,
    /// The rows of closed days, by segment.
    rows: Vec<Vec<(i32, DayRow)>>,
}

impl Segments {
    /// The state at the start of an experiment; `None` if it has no segments.
    pub(super) fn at_start(segments: usize) -> Option<Self> {
        (segments > 0).then(|| Self { units: vec![0; segments + 1], rows: vec![Vec::new(); segments] })
    }

    /// Whether these can be those of an experiment with this number of segments.
    pub(super) fn fit(these: Option<&Self>, segments: usize) -> bool {
        match these {
            None => segments == 0,
            Some(Self { units, rows }) => segments > 0 && units.len() == segments + 1 && rows.len() == segments,
        }
    }
}

/// The version of the ledger for units of this segment.
fn version(segment: Option<u8>) -> u32 {
    segment.map_or(0, |segment| u32::from(segment) + 1)
}

impl Experiment {
    /// The units that came: those of each segment, and last those of none.
    #[must_use]
    pub fn units_by_segment(&self) -> Vec<(&str, u64)> {
        let Some(Segments { units, .. }) = &self.segments else { return Vec::new() };
        let names = self.config.segments.iter().map(String::as_str);
        names.zip(units[1..].iter().copied()).chain([(crate::OTHER_SEGMENT, units[0])]).collect()
    }

    /// The outcomes of the days that are closed, by segment; `None` without segments.
    #[must_use]
    pub fn segment_outcomes(&self) -> Option<SegmentOutcomes> {
        let Segments { rows, .. } = self.segments.as_ref()?;
        Some(SegmentOutcomes {
            names: self.config.segments.clone(),
            outcomes: rows.iter().map(|rows| self.outcomes_of(rows)).collect(),
            champion: self.rules.champion as usize,
        })
    }

    /// The segment of a unit that asks with this label now.
    pub(super) fn segment_of(&self, unit: u64, label: Option<u8>) -> Option<u8> {
        match self.units.units().get(unit) {
            Some(known) if known.impressions > 0 => known.segment,
            _ => label.filter(|label| usize::from(*label) < self.config.segments.len()),
        }
    }

    /// Whether an impression of this unit can be of this segment.
    pub(super) fn fits_segment(&self, unit: u64, segment: Option<u8>) -> bool {
        self.segment_of(unit, segment) == segment
    }

    /// A unit has its first impression, with this label.
    pub(super) fn set_segment(&mut self, unit: u64, segment: Option<u8>) {
        if let Some(segments) = &mut self.segments {
            self.units.units_mut().unit_mut(unit).segment = segment;
            if let Some(units) = segments.units.get_mut(version(segment) as usize) {
                *units += 1;
            }
        }
    }

    /// The version of the ledger for a unit.
    pub(super) fn ledger_version(&self, unit: u64) -> u32 {
        version(self.units.units().get(unit).and_then(|unit| unit.segment))
    }

    /// The rows of a day over all units. Those of the segments are kept.
    pub(super) fn merge_versions(&mut self, day: i32, of_versions: BTreeMap<u32, Vec<DayRow>>) -> Vec<DayRow> {
        let mut merged_rows: BTreeMap<(u32, u32), DayRow> = BTreeMap::new();
        for (version, rows) in of_versions {
            let segment = version.checked_sub(1).map(|segment| segment as usize);
            let kept = self.segments.as_mut().zip(segment).and_then(|(segments, at)| segments.rows.get_mut(at));
            if let Some(kept) = kept {
                kept.extend(rows.iter().map(|row| (day, *row)));
            }
            for row in rows {
                merged_rows.entry(row.pair).and_modify(|known| known.add(&row)).or_insert(row);
            }
        }
        merged_rows.into_values().collect()
    }
}
