//! Events of conversions, as stores keep them.

use serde::{Deserialize, Serialize};
use verdicts::conversions::ConversionCounts;
use verdicts::draft::DraftSums;

use super::super::version::Version;
use super::super::{Appearance, Conversion, ConversionRow, Event, EventError};
use super::values::CountsV1;

#[derive(Serialize, Deserialize)]
pub(super) struct ConvertedV1 {
    time: i64,
    unit: u64,
    document: u32,
    order: u32,
    action: u32,
    value: i64,
    /// Impressions and positions.
    appearances: Vec<(u64, u32)>,
}

impl ConvertedV1 {
    pub(super) fn of(time: i64, conversion: &Conversion) -> Self {
        let Conversion { unit, document, order, action, value, appearances } = conversion;
        let appearances = appearances.iter().map(|Appearance { impression, position }| (*impression, *position));
        Self {
            time,
            unit: *unit,
            document: *document,
            order: *order,
            action: *action,
            value: *value,
            appearances: appearances.collect(),
        }
    }
}

impl Version<'_> for ConvertedV1 {
    const TAG: [u8; 2] = [15, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, unit, document, order, action, value, appearances } = self;
        let appearances = appearances.into_iter().map(|(impression, position)| Appearance { impression, position });
        let appearances = appearances.collect();
        let conversion = Box::new(Conversion { unit, document, order, action, value, appearances });
        Ok(Event::Converted { time, conversion })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct MaturedV1 {
    time: i64,
    day: i32,
    rows: Vec<ConversionRowV1>,
}

impl MaturedV1 {
    pub(super) fn of(time: i64, day: i32, rows: &[ConversionRow]) -> Self {
        Self { time, day, rows: rows.iter().map(|row| ConversionRowV1::of(*row)).collect() }
    }
}

impl Version<'_> for MaturedV1 {
    const TAG: [u8; 2] = [16, 1];

    fn upgrade(self) -> Result<Event, EventError> {
        let Self { time, day, rows } = self;
        Ok(Event::Matured { time, day, rows: rows.into_iter().map(ConversionRowV1::upgrade).collect() })
    }
}

#[derive(Serialize, Deserialize)]
struct ConversionRowV1 {
    pair: (u32, u32),
    units: CountsV1,
    conversions: [u64; 2],
    value: [u64; 2],
    cut_units: u64,
    cut: u64,
    squares: u128,
}

impl ConversionRowV1 {
    fn of(ConversionRow { pair, counts }: ConversionRow) -> Self {
        // No setting asks for the advantage that coins gave.
        let ConversionCounts { units, conversions, value, cut_units, cut, squares, draft: _ } = counts;
        Self { pair, units: CountsV1::of(units), conversions, value, cut_units, cut, squares }
    }

    fn upgrade(self) -> ConversionRow {
        let Self { pair, units, conversions, value, cut_units, cut, squares } = self;
        let (units, draft) = (units.upgrade(), DraftSums::default());
        ConversionRow { pair, counts: ConversionCounts { units, conversions, value, cut_units, cut, squares, draft } }
    }
}
