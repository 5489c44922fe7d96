//! Rows of batches as impressions and clicks. `rankduel/log_tables.py` chooses columns, and has those cast that are not read here.

use std::borrow::Cow;

use click_logs::error::LineError;
use click_logs::join::FrameJoin;
use click_logs::model::{Impression, Settings};
use click_logs::read::{self, ClickRow, Event, ImpressionRow, RowReceipt, RowRef, RowTime};
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use times as time;

use crate::arrow::{Batch, Imported};

/// The columns that both kinds of rows have.
pub(super) struct Columns<'a> {
    impression: Option<Imported<'a>>,
    /// As another library has it, or cast before: instants, times of no zone, numbers and texts.
    time: Option<Imported<'a>>,
    cast_times: [Option<Imported<'a>>; 4],
    user: Option<Imported<'a>>,
    session: Option<Imported<'a>>,
    agent: Option<Imported<'a>>,
    pairs: Option<Imported<'a>>,
    experiment: Option<Imported<'a>>,
    version: Option<Imported<'a>>,
    shown: Option<Imported<'a>>,
    mixed: Option<Imported<'a>>,
    pinned: Option<Imported<'a>>,
    paged: Option<Imported<'a>>,
    teams: Option<Imported<'a>>,
    rankers: Option<Imported<'a>>,
    receipt: Option<Imported<'a>>,
    receipt_text: Option<Imported<'a>>,
    document: Option<Imported<'a>>,
    dwell: Option<Imported<'a>>,
    action: Option<Imported<'a>>,
    more: Option<Imported<'a>>,
}

type Text<'a> = Cow<'a, str>;

fn text<'a>(column: Option<Imported<'a>>, row: usize) -> Option<Text<'a>> {
    column?.text(row).map(Cow::Borrowed)
}

fn float(column: Option<Imported<'_>>, row: usize) -> Option<f64> {
    column?.float(row)
}

fn list<'a>(column: Option<Imported<'a>>, row: usize) -> Option<Vec<Option<Text<'a>>>> {
    match column? {
        Imported::Lists(values) => values.list(row).map(|items| items.map(|item| item.map(Cow::Borrowed)).collect()),
        _ => None,
    }
}

/// A list without missing entries.
fn complete_list<'a>(column: Option<Imported<'a>>, row: usize, name: &str) -> Result<Option<Vec<Text<'a>>>, LineError> {
    list(column, row).map(|items| read::complete(items, name)).transpose()
}

impl<'a> Columns<'a> {
    pub(super) fn of(batch: &'a Batch) -> PyResult<Self> {
        Ok(Self {
            impression: batch.column("impression")?,
            time: batch.column("time")?,
            cast_times: [
                batch.column("time_utc")?,
                batch.column("time_local")?,
                batch.column("time_number")?,
                batch.column("time_text")?,
            ],
            user: batch.column("user")?,
            session: batch.column("session")?,
            agent: batch.column("agent")?,
            pairs: batch.column("pairs")?,
            experiment: batch.column("experiment")?,
            version: batch.column("version")?,
            shown: batch.column("shown")?,
            mixed: batch.column("mixed")?,
            pinned: batch.column("pinned")?,
            paged: batch.column("paged")?,
            teams: batch.column("teams")?,
            rankers: batch.column("rankers")?,
            receipt: batch.column("receipt")?,
            receipt_text: batch.column("receipt_text")?,
            document: batch.column("document")?,
            dwell: batch.column("dwell")?,
            action: batch.column("action_name")?,
            more: batch.column("more")?,
        })
    }

    fn time(&self, row: usize) -> Option<RowTime<'a>> {
        match self.time {
            Some(Imported::Time(times)) if times.has_zone => return times.ms(row).map(RowTime::Utc),
            Some(Imported::Time(times)) => return times.ms(row).map(RowTime::Local),
            Some(Imported::Text(texts)) => return texts.text(row).map(|text| RowTime::Text(text.into())),
            Some(numbers) => return numbers.float(row).map(RowTime::Number),
            None => {}
        }
        let [utc, local, number, as_text] = self.cast_times;
        let utc = utc.and_then(|column| column.int(row)).map(RowTime::Utc);
        let local = || local.and_then(|column| column.int(row)).map(RowTime::Local);
        let number = || float(number, row).map(RowTime::Number);
        utc.or_else(local).or_else(number).or_else(|| text(as_text, row).map(RowTime::Text))
    }

    /// The id of a row.
    pub(super) fn id(&self, row: usize) -> Option<&'a str> {
        self.impression?.text(row)
    }

    fn impression(&self, row: usize, settings: &Settings) -> Result<Impression<'a>, LineError> {
        let receipt = match self.receipt {
            Some(Imported::Bytes(values)) => values.bytes(row).map(RowReceipt::Bytes),
            receipt => text(receipt, row).map(RowReceipt::Text),
        };
        let row_values = ImpressionRow {
            impression: text(self.impression, row),
            time: self.time(row),
            user: text(self.user, row),
            session: text(self.session, row),
            agent: text(self.agent, row),
            pairs: text(self.pairs, row),
            experiment: text(self.experiment, row),
            version: text(self.version, row),
            shown: complete_list(self.shown, row, "shown")?,
            mixed: complete_list(self.mixed, row, "mixed")?,
            pinned: complete_list(self.pinned, row, "pinned")?,
            paged: float(self.paged, row),
            teams: list(self.teams, row),
            rankers: complete_list(self.rankers, row, "rankers")?,
            receipt: receipt.or_else(|| text(self.receipt_text, row).map(RowReceipt::Text)),
            more: text(self.more, row),
        };
        row_values.read(settings)
    }

    /// Fills `to` from a row in the usual form: see [`FrameJoin::impression_rows`].
    fn usual(&self, row: usize, settings: &Settings, to: &mut RowRef<'a>) -> Option<()> {
        let text = |column: Option<Imported<'a>>| match column {
            Some(Imported::Text(values)) => Some(values.text(row)),
            Some(Imported::Null) | None => Some(None),
            Some(_) => None,
        };
        (to.impression, to.user, to.session) = (text(self.impression)?, text(self.user)?, text(self.session)?);
        (to.agent, to.pairs) = (text(self.agent)?, text(self.pairs)?);
        (to.experiment, to.version) = (text(self.experiment)?, text(self.version)?);
        to.paged = match float(self.paged, row).filter(|places| !places.is_nan()) {
            Some(places) if (0.0..1e9).contains(&places) && places.fract() == 0.0 => Some(places as u64),
            Some(_) => return None,
            None => None,
        };
        if text(self.more)?.is_some() {
            return None;
        }
        to.receipt_text = text(self.receipt_text)?;
        to.receipt = match self.receipt {
            Some(Imported::Bytes(values)) => values.bytes(row),
            Some(Imported::Text(values)) => {
                to.receipt_text = values.text(row);
                None
            }
            Some(Imported::Null) | None => None,
            Some(_) => return None,
        };
        // A receipt in JSON begins so.
        if to.receipt_text.is_some_and(|text| text.starts_with('{')) {
            return None;
        }
        to.time = match self.time(row)? {
            RowTime::Utc(time) => Some(time::check_plausible(time).ok()?),
            RowTime::Number(number) => Some(time::time_from_number(number)?),
            RowTime::Text(text) => Some(settings.zone.time(&text).ok()?),
            RowTime::Local(_) => return None,
        };
        let list = |column: Option<Imported<'a>>, take: &mut dyn FnMut(Option<&'a str>)| match column {
            Some(Imported::Lists(values)) => Some(values.each(row, take)),
            Some(Imported::Null) | None => Some(false),
            Some(_) => None,
        };
        let mut are_complete = true;
        let RowRef { shown, mixed, pinned, teams, rankers, .. } = to;
        let mut complete = |texts: &mut Vec<&'a str>, column| {
            list(column, &mut |item| match item {
                Some(item) if !item.trim_ascii().is_empty() => texts.push(item),
                _ => are_complete = false,
            })
        };
        to.has_shown = complete(shown, self.shown)?;
        to.has_mixed = complete(mixed, self.mixed)?;
        complete(pinned, self.pinned)?;
        to.has_rankers = complete(rankers, self.rankers)?;
        to.has_teams = list(self.teams, &mut |team| teams.push(team))?;
        are_complete.then_some(())
    }

    fn click(&self, row: usize, settings: &Settings) -> Result<Event<'a>, LineError> {
        let found = ClickRow {
            impression: text(self.impression, row),
            document: text(self.document, row),
            time: self.time(row),
            dwell: float(self.dwell, row),
            action: text(self.action, row),
            more: text(self.more, row),
        };
        found.read(settings)
    }
}

/// The place of a row: its number, if the caller's rows have numbers, and its impression.
fn refused_row(
    columns: &Columns<'_>,
    kind: &str,
    row: usize,
    number: Option<usize>,
    reason: &LineError,
) -> pyo3::PyErr {
    let id = columns.id(row).map_or_else(String::new, |id| format!(" (impression {id:?})"));
    // Flags are arguments here.
    let reason = reason.message.replace("--timezone, e.g. --timezone UTC", "timezone, e.g. timezone=\"UTC\"");
    let row = number.map_or_else(|| "a row".to_owned(), |number| format!("row {number}"));
    PyValueError::new_err(format!("{row} of the {kind}{id}: {reason}"))
}

/// Adds impressions: the rows given, or all; the first row of the batch has the number `from`, where rows have numbers.
pub(super) fn impressions(
    gathered: &mut FrameJoin,
    batch: &Batch,
    rows: Option<&[usize]>,
    from: Option<usize>,
) -> PyResult<()> {
    let (columns, settings) = (Columns::of(batch)?, gathered.settings().clone());
    let at = |number: usize| rows.map_or(number, |rows| rows[number]);
    let count = rows.map_or(batch.rows(), <[usize]>::len);
    gathered.impression_rows(
        count,
        |number, row| columns.usual(at(number), &settings, row).is_some(),
        |number| columns.impression(at(number), &settings),
        |number, reason| refused_row(&columns, "impressions", at(number), from.map(|from| from + at(number)), &reason),
    )
}

/// Adds clicks: the rows given, or all; the first row of the batch has the number `from`, where rows have numbers.
pub(super) fn clicks(
    gathered: &mut FrameJoin,
    batch: &Batch,
    rows: Option<&[usize]>,
    from: Option<usize>,
) -> PyResult<()> {
    let (columns, settings) = (Columns::of(batch)?, gathered.settings().clone());
    let at = |number: usize| rows.map_or(number, |rows| rows[number]);
    let count = rows.map_or(batch.rows(), <[usize]>::len);
    let read = (0..count).map(|number| columns.click(at(number), &settings));
    gathered.clicks(read, |number, reason| {
        refused_row(&columns, "clicks", at(number), from.map(|from| from + at(number)), &reason)
    })
}
