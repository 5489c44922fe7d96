//! Steps for an engine that sorts: first it brings the rows of an impression together, then the outcomes of a user. What the
//! steps exchange are rows of whole numbers and names, which the engine may store, send, and make again.

use std::sync::Arc;

use click_logs::join::{DayTotals, FrameJoin, LogTotals, Span, Survey, Tally, UnitOutcome, Units};
use click_logs::model::Settings;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde::{Deserialize, Serialize};
use verdicts::amounts::{Amounts, SideClicks};
use verdicts::integrity::{PageCounts, PageRecord};
use verdicts::{PairChoices, VersionDeclarations};

use super::rules::read;
use super::{CreditedBytes, credited_bytes, rows};
use crate::arrow::{self, Batch, Imported};
use crate::call::value_error;
use crate::frame::{Column, Table, Values};

/// Bytes of lines after which impressions are credited.
const ENOUGH_BYTES: usize = 32 << 20;
/// Outcomes after which units are counted.
const ENOUGH_OUTCOMES: usize = 1 << 18;

/// A row with the outcome of one impression for one pair, or of all of a day.
const OUTCOME: i64 = 0;
/// A row with the number of lines of a fate.
const FATE: i64 = 1;

/// Rows for an engine.
#[pyclass(frozen, module = "rankduel._core")]
pub(crate) struct Rows(Arc<Table>);

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.0.rows
    }

    /// The rows as a stream of the Arrow C data interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::capsule(py, &self.0, requested_schema)
    }
}

/// Columns of whole numbers and of names, row by row.
struct Writer<const N: usize> {
    numbers: [Vec<i64>; N],
    names: [Vec<Option<String>>; 3],
}

/// The columns of names: two rankers, or the counted fate; and the version of the experiment.
const NAMES: [&str; 3] = ["first", "second", "version"];

impl<const N: usize> Writer<N> {
    fn new() -> Self {
        Self { numbers: std::array::from_fn(|_| Vec::new()), names: Default::default() }
    }

    fn push(&mut self, numbers: [i64; N], [first, second]: [Option<&str>; 2], version: Option<&str>) {
        self.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
        let names = [first, second, version];
        self.names.iter_mut().zip(names).for_each(|(column, name)| column.push(name.map(str::to_owned)));
    }

    fn len(&self) -> usize {
        self.names[0].len()
    }

    fn rows(self, names: [impl Into<String>; N]) -> Rows {
        let rows = self.len();
        let numbers = names.into_iter().zip(self.numbers);
        let numbers =
            numbers.map(|(name, column)| Column { name: name.into(), values: Values::Int(column), valid: None });
        let texts = NAMES.into_iter().zip(&self.names).map(|(name, column)| Column::texts(name, column));
        Rows(Arc::new(Table { rows, columns: numbers.chain(texts).collect() }))
    }
}

/// The columns of outcomes.
const OUTCOMES: [&str; 10] = ["kind", "high", "low", "day", "net", "flags", "clicks", "all_clicks", "shown", "order"];
/// Where the page of an impression begins in the column `flags`, which begins with three of the outcome.
const PAGE_OFFSET: u32 = 3;
/// Where the clicks of each side begin in it, after the page.
const SIDES_OFFSET: u32 = PAGE_OFFSET + 24;

/// The number of page counts for a day and a pair.
pub(crate) const PAGE_COUNTS: usize = PageCounts::COLUMNS.len();
/// The number of amounts for a day and a pair.
pub(crate) const AMOUNTS: usize = Amounts::COLUMNS.len();
/// The number of counts in a row: for a day and a pair, wins, losses and ties by units and by impressions, the counts of pages and amounts,
/// some of which may be negative; for a fate, one.
const NUMBERS: usize = DayTotals::NUMBERS;
/// The number of integer columns, with the kind of the row and the day.
const COUNTS: usize = 2 + NUMBERS;

/// A row of counts.
fn counts_row(kind: i64, day: i32, numbers: [i64; NUMBERS]) -> [i64; COUNTS] {
    let mut row = [0; COUNTS];
    (row[0], row[1]) = (kind, day.into());
    row[2..].copy_from_slice(&numbers);
    row
}

/// The survey of all impressions in a part of a log, or in all of it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SurveyedPart {
    /// For each day since 1970 (UTC): the first and the last time in milliseconds, and the number of impressions.
    times: Vec<(i32, i64, i64, u64)>,
    is_synthetic: bool,
    versions: Vec<SurveyedVersion>,
    other_actions: Vec<String>,
}

/// The survey of a version of the experiment.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SurveyedVersion {
    name: Option<String>,
    rankers: Vec<String>,
    /// The declared choices of rankers, and the sets of rankers of impressions without a declaration.
    declared: Vec<String>,
    undeclared: Vec<Vec<String>>,
    has_alone: bool,
}

impl SurveyedVersion {
    fn read(self) -> PyResult<(Option<String>, VersionDeclarations)> {
        let Self { name, rankers, declared, undeclared, has_alone } = self;
        let declared = declared.iter().map(|choice| choice.parse().map_err(value_error)).collect::<PyResult<_>>()?;
        let choices = PairChoices { declared, undeclared: undeclared.into_iter().collect(), has_alone };
        Ok((name, VersionDeclarations { rankers: rankers.into_iter().collect(), choices }))
    }

    fn of((name, VersionDeclarations { rankers, choices }): (Option<String>, VersionDeclarations)) -> Self {
        Self {
            name,
            rankers: rankers.into_iter().collect(),
            declared: choices.declared.into_iter().map(|choice| choice.name().to_owned()).collect(),
            undeclared: choices.undeclared.into_iter().collect(),
            has_alone: choices.has_alone,
        }
    }
}

impl SurveyedPart {
    fn parse(text: &str) -> PyResult<Survey> {
        let Self { times, is_synthetic, versions, other_actions } = serde_json::from_str(text).map_err(value_error)?;
        let versions = versions.into_iter().map(SurveyedVersion::read).collect::<PyResult<_>>()?;
        let times = Span::from_days(times);
        Ok(Survey { times, versions, is_synthetic, other_actions: other_actions.into_iter().collect() })
    }

    fn text(survey: Survey) -> PyResult<String> {
        let Survey { times, versions, is_synthetic, other_actions } = survey;
        let versions = versions.into_iter().map(SurveyedVersion::of).collect();
        let times = times.days();
        let written = Self { times, is_synthetic, versions, other_actions: other_actions.into_iter().collect() };
        serde_json::to_string(&written).map_err(value_error)
    }
}

/// The first step: impressions and clicks; those of one impression are adjacent.
#[pyclass(module = "rankduel._core")]
pub(crate) struct EventGathering {
    gathered: FrameJoin,
    until: i64,
    /// The impression of the last row.
    last: Option<String>,
}

#[pymethods]
impl EventGathering {
    /// An empty step; `survey_json` is the survey of all impressions, if there is one already.
    #[new]
    #[pyo3(signature = (settings_json, survey_json = None))]
    fn new(settings_json: &str, survey_json: Option<&str>) -> PyResult<Self> {
        let settings = read(settings_json)?;
        let survey = survey_json.map(SurveyedPart::parse).transpose()?.unwrap_or_default();
        let (until, _) = survey.closing(&settings);
        Ok(Self { gathered: FrameJoin::new(settings), until, last: None })
    }

    /// Looks at a batch of impressions.
    fn look(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = Batch::of(batch)?;
        py.detach(|| rows::impressions(&mut self.gathered, &batch, None, None))?;
        self.gathered.forget();
        Ok(())
    }

    /// The survey of the impressions seen.
    fn survey(&self) -> PyResult<String> {
        SurveyedPart::text(self.gathered.survey())
    }

    /// Takes a batch of both: impressions have the kind 0, clicks 1. Returns outcomes, if there are enough.
    fn take(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Option<Rows>> {
        let batch = Batch::of(batch)?;
        let rows = py.detach(|| -> PyResult<Option<Rows>> {
            let ids = rows::Columns::of(&batch)?;
            let mut outcomes = None;
            let mut first = 0;
            if self.gathered.bytes() >= ENOUGH_BYTES {
                // The first rows may belong to the last impression before them.
                let is_last = |row: &usize| ids.id(*row) == self.last.as_deref();
                first = (0..batch.rows()).take_while(is_last).count();
                self.add(&batch, 0..first)?;
                if first < batch.rows() {
                    outcomes = Some(self.credit()?);
                }
            }
            self.add(&batch, first..batch.rows())?;
            if let Some(row) = batch.rows().checked_sub(1) {
                self.last = ids.id(row).map(str::to_owned);
            }
            Ok(outcomes)
        })?;
        Ok(rows.filter(|rows| rows.0.rows > 0))
    }

    /// The remaining outcomes, and the fates of all rows.
    fn end(&mut self, py: Python<'_>) -> PyResult<Rows> {
        py.detach(|| {
            let mut writer = self.outcomes()?;
            for (what, name, count) in self.gathered.take_tally().rows() {
                writer.push([FATE, 0, 0, 0, 0, 0, count as i64, 0, 0, 0], [Some(what), Some(name)], None);
            }
            Ok(writer.rows(OUTCOMES))
        })
    }
}

impl EventGathering {
    fn add(&mut self, batch: &Batch, range: std::ops::Range<usize>) -> PyResult<()> {
        let kinds = batch.ints("kind")?;
        let [shown, clicked] = [0, 1].map(|kind| {
            let is_kind = |row: &usize| kinds.int(*row) == Some(kind);
            range.clone().filter(is_kind).collect::<Vec<usize>>()
        });
        rows::impressions(&mut self.gathered, batch, Some(&shown), None)?;
        rows::clicks(&mut self.gathered, batch, Some(&clicked), None)
    }

    fn outcomes(&mut self) -> PyResult<Writer<10>> {
        let mut writer = Writer::new();
        let credited = self.gathered.credit(self.until, |outcome| {
            let [high, low] = [(outcome.unit >> 64) as u64 as i64, outcome.unit as u64 as i64];
            let flags = [outcome.stands, outcome.is_known_bot, outcome.is_set_aside];
            let flags = flags.into_iter().enumerate().fold(0, |all, (at, flag)| all | i64::from(flag) << at);
            let flags = flags
                | i64::from(outcome.page.packed()) << PAGE_OFFSET
                | i64::from(SideClicks::packed(outcome.sides)) << SIDES_OFFSET;
            let (shown, order) = (outcome.shown.0, outcome.shown.1.into());
            let (clicks, all) = (i64::from(outcome.clicks), i64::from(outcome.all_clicks));
            let numbers =
                [OUTCOME, high, low, outcome.day.into(), outcome.net.into(), flags, clicks, all, shown, order];
            writer.push(numbers, outcome.rankers, outcome.version);
        });
        credited.map_err(value_error)?;
        Ok(writer)
    }

    fn credit(&mut self) -> PyResult<Rows> {
        Ok(self.outcomes()?.rows(OUTCOMES))
    }
}

/// The second step: outcomes; those of one unit are adjacent.
#[pyclass(module = "rankduel._core")]
pub(crate) struct Counting {
    units: Units,
    sum: LogTotals,
    last: Option<u128>,
}

#[pymethods]
impl Counting {
    /// An empty step; `survey_json` is the survey of all impressions.
    #[new]
    fn new(settings_json: &str, survey_json: &str) -> PyResult<Self> {
        let (settings, survey) = (read(settings_json)?, SurveyedPart::parse(survey_json)?);
        Ok(Self { units: Units::new(settings, &survey), sum: LogTotals::default(), last: None })
    }

    /// Takes a batch of outcomes.
    fn take(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = Batch::of(batch)?;
        py.detach(|| self.add(&batch))
    }

    /// The counts of all units that were passed.
    fn end(&mut self, py: Python<'_>) -> Rows {
        py.detach(|| {
            self.units.count(&mut self.sum);
            let LogTotals { days, tally } = std::mem::take(&mut self.sum);
            let mut writer = Writer::new();
            for ((version, day, names), of_day) in days {
                let row = counts_row(OUTCOME, day, of_day.numbers());
                writer.push(row, names.each_ref().map(|name| Some(name.as_str())), version.as_deref());
            }
            for (what, name, count) in tally.rows() {
                let mut numbers = [0; NUMBERS];
                numbers[0] = count.cast_signed();
                writer.push(counts_row(FATE, 0, numbers), [Some(what), Some(name)], None);
            }
            writer.rows(std::array::from_fn(|at| match at {
                0 => "kind".to_owned(),
                1 => "day".to_owned(),
                _ => format!("n{}", at - 2),
            }))
        })
    }
}

impl Counting {
    fn add(&mut self, batch: &Batch) -> PyResult<()> {
        let columns = OUTCOMES.iter().map(|name| batch.ints(name)).collect::<PyResult<Vec<_>>>()?;
        let names = [batch.column("first")?, batch.column("second")?, batch.column("version")?];
        for row in 0..batch.rows() {
            let number = |at: usize| columns[at].int(row).unwrap_or_default();
            let name = |column: Option<Imported<'_>>| column?.text(row).map(str::to_owned);
            let [first, second, version] = names.map(name);
            if number(0) == FATE {
                self.fate(first.as_deref(), second.as_deref(), number(6))?;
                continue;
            }
            let unit = u128::from(number(1) as u64) << 64 | u128::from(number(2) as u64);
            if self.last != Some(unit) && self.units.len() >= ENOUGH_OUTCOMES {
                self.units.count(&mut self.sum);
            }
            self.last = Some(unit);
            let outcome = UnitOutcome {
                unit,
                day: number(3) as i32,
                version: version.as_deref(),
                rankers: [first.as_deref(), second.as_deref()],
                net: number(4) as i8,
                stands: number(5) & 1 == 1,
                is_known_bot: number(5) & 2 == 2,
                is_set_aside: number(5) & 4 == 4,
                shown: (number(8), number(9) as u32),
                clicks: number(6) as u32,
                all_clicks: number(7) as u32,
                page: PageRecord::unpacked(
                    (number(5) >> PAGE_OFFSET) as u32 & ((1 << (SIDES_OFFSET - PAGE_OFFSET)) - 1),
                ),
                sides: SideClicks::unpacked((number(5) >> SIDES_OFFSET) as u32),
            };
            self.units.push(&outcome).map_err(value_error)?;
        }
        Ok(())
    }

    fn fate(&mut self, what: Option<&str>, name: Option<&str>, count: i64) -> PyResult<()> {
        let added = self.sum.tally.add_row(what.unwrap_or(""), name.unwrap_or(""), count as u64);
        if added { Ok(()) } else { Err(value_error(format!("a row of the fate {what:?}, {name:?}, which is unknown"))) }
    }
}

/// The surveys of all parts as one.
#[pyfunction]
pub(crate) fn merge_surveys(parts: Vec<String>) -> PyResult<String> {
    let mut all = Survey::default();
    for part in parts {
        all.add(SurveyedPart::parse(&part)?);
    }
    SurveyedPart::text(all)
}

/// A row of the second step: its kind, the version of the experiment, the day, two names, and counts.
type Row = (i64, Option<String>, i64, String, String, [i64; NUMBERS]);

/// The report on the log, by the rows that the second step returned for all of its parts: those of a kind, a version, a day and names may
/// be added up, but for fates the largest counts.
#[pyfunction]
pub(crate) fn credit_counts<'py>(
    py: Python<'py>,
    settings_json: &str,
    survey_json: &str,
    counts: Vec<Row>,
) -> PyResult<CreditedBytes<'py>> {
    let (settings, survey): (Settings, _) = (read(settings_json)?, SurveyedPart::parse(survey_json)?);
    let mut sum = LogTotals::default();
    let mut tally = Tally::default();
    for (kind, version, day, first, second, numbers) in counts {
        if kind == FATE {
            if !tally.add_row(&first, &second, numbers[0].cast_unsigned()) {
                return Err(value_error(format!("a row of the fate {first:?}, {second:?}, which is unknown")));
            }
            continue;
        }
        sum.add_day(version, day as i32, [first, second], DayTotals::from_numbers(numbers));
    }
    sum.tally += tally;
    Ok(credited_bytes(py, &sum.credited(&survey, &settings), &settings))
}
