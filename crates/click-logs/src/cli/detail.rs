//! The fate of each impression and each unit, row by row, for joins with other data and for comparison with SQL.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use verdicts::conversions::UnitConversions;
use verdicts::outcomes::quoted;

use crate::error::LogError;
use crate::join::{
    ConversionFate, CreditedConversions, CreditedLog, ImpressionFate, Inputs, Trace, TracedConversions, TracedPair,
    TracedUnit, UnitFate,
};
use crate::model::Settings;
use crate::read::{self, LogFile};

/// A row per impression and pair.
pub(super) const IMPRESSIONS: &str = "detail-impressions.csv";
/// A row per unit and pair.
pub(super) const UNITS: &str = "detail-units.csv";
/// A row per line of conversions.
pub(super) const CONVERSIONS: &str = "detail-conversions.csv";
/// A row per unit and pair, with the sums of its conversions.
pub(super) const CONVERSION_UNITS: &str = "detail-conversion-units.csv";

/// Writes both tables into a folder. `traced` is all that was traced; the files are read once more for the names of impressions and
/// units.
pub(super) fn write(
    folder: &Path,
    mut traces: Vec<Trace>,
    credited_log: &CreditedLog,
    inputs: &Inputs,
    settings: &Settings,
) -> Result<()> {
    traces.retain(|traces| !matches!(traces, Trace::Aside(aside) if !aside.is_impression));
    traces.sort_unstable_by(|a, b| (origin_of(a), a).cmp(&(origin_of(b), b)));
    let mut tables = Tables::new(folder, credited_log)?;
    let mut remaining_traces = traces.iter().peekable();
    for (number, path) in (0..).zip(&inputs.impressions) {
        let mut file = LogFile::open(path)?;
        while let Some(block) = file.next_block()? {
            for (line, text) in block.lines() {
                let mut impression = None;
                while let Some(next) = remaining_traces.next_if(|next| origin_of(next) == (number, line)) {
                    // Only traced lines are read again.
                    let read = |text| read::impression(text, file.format().header(), settings).ok().flatten();
                    let names = impression.get_or_insert_with(|| {
                        let impression = text.as_ref().ok().and_then(|text| read(text));
                        impression.map_or_else(Names::default, |impression| Names {
                            impression: impression.id.into_owned(),
                            unit: impression.unit.map(std::borrow::Cow::into_owned).unwrap_or_default(),
                        })
                    });
                    tables.add(next, names).with_context(|| folder.display().to_string())?;
                }
            }
        }
    }
    if let Some(left) = remaining_traces.next() {
        let (file, line) = origin_of(left);
        let path = inputs.impressions.get(file as usize).map_or_else(String::new, |path| path.display().to_string());
        return Err(LogError::new(format!("{path} changed while it was read: line {line} is not there")).into());
    }
    tables.finish().with_context(|| folder.display().to_string())
}

/// Writes the fate of every line of the conversions in `files`, which are read again for their content.
pub(super) fn write_conversions(
    folder: &Path,
    credited: &CreditedConversions,
    files: &[PathBuf],
    settings: &Settings,
) -> Result<()> {
    let path = folder.join(CONVERSIONS);
    let failed = || format!("failed to write {}", path.display());
    let mut table = File::create(&path).map(BufWriter::new).with_context(failed)?;
    writeln!(table, "unit,document,order,time,action,value,currency,fate").with_context(failed)?;
    let mut fates = credited.fates.iter().peekable();
    for (number, path) in (0..).zip(files) {
        let mut file = LogFile::open_conversions(path)?;
        while let Some(block) = file.next_block()? {
            for (line, text) in block.lines() {
                let Some((.., fate)) = fates.next_if(|(file, at, _)| (*file, *at) == (number, line)) else { continue };
                let read =
                    text.ok().and_then(|text| read::conversion(text, file.format().header(), settings).ok().flatten());
                let row = match read.filter(|_| *fate != ConversionFate::Malformed) {
                    None => ",,,,,,".to_owned(),
                    Some(found) => {
                        let text = |text: Option<&str>| quoted(text.unwrap_or_default());
                        let [unit, order] = [&found.unit, &found.order].map(|field| text(field.as_deref()));
                        let [action, currency] = [&found.action, &found.currency].map(|field| text(field.as_deref()));
                        let (document, time) = (quoted(&found.document), times::text(found.time));
                        let value = found.value.map_or_else(String::new, |value| value.to_string());
                        format!("{unit},{document},{order},{time},{action},{value},{currency}")
                    }
                };
                writeln!(table, "{row},{}", fate.name()).with_context(failed)?;
            }
        }
    }
    table.flush().with_context(failed)
}

/// The file and the line of something.
fn origin_of(traced: &Trace) -> (u32, u64) {
    match traced {
        Trace::Aside(aside) => (aside.file, aside.line),
        Trace::Pair(TracedPair { file, line, .. })
        | Trace::Unit(TracedUnit { file, line, .. })
        | Trace::Conversions(TracedConversions { file, line, .. }) => (*file, *line),
    }
}

/// The impression and unit that a line names; empty if the line cannot be read or has none.
#[derive(Debug, Default)]
struct Names {
    impression: String,
    unit: String,
}

struct Tables<'a> {
    credited: &'a CreditedLog,
    impressions: BufWriter<File>,
    units: BufWriter<File>,
    /// Where there are conversions.
    conversions: Option<BufWriter<File>>,
}

impl<'a> Tables<'a> {
    fn new(folder: &Path, credited: &'a CreditedLog) -> Result<Self> {
        let create = |name: &str, head: &str| {
            let path = folder.join(name);
            let made = File::create(&path).map(BufWriter::new).and_then(|mut file| {
                writeln!(file, "{head}")?;
                Ok(file)
            });
            made.with_context(|| format!("failed to write {}", path.display()))
        };
        let impressions = create(IMPRESSIONS, "impression,unit,version,day,first,second,outcome,clicks,fate")?;
        let units = create(UNITS, "unit,version,day,first,second,net,outcome,fate")?;
        let columns =
            "unit,version,day,first,second,first_conversions,second_conversions,first_value,second_value,fate";
        let conversions = credited.conversions.as_ref().map(|_| create(CONVERSION_UNITS, columns)).transpose()?;
        Ok(Self { credited, impressions, units, conversions })
    }

    fn add(&mut self, traced: &Trace, names: &Names) -> std::io::Result<()> {
        let [impression, unit] = [&names.impression, &names.unit].map(|name| quoted(name));
        match traced {
            Trace::Aside(aside) => {
                // Impressions of bots have a row for each of their pairs.
                if aside.is_impression && aside.fate != ImpressionFate::Bot.name() {
                    writeln!(self.impressions, "{impression},{unit},,,,,,,{}", aside.fate)?;
                }
                Ok(())
            }
            Trace::Pair(TracedPair { pair, version, day, net, clicks, fate, .. }) => {
                let (version, day, [first, second]) =
                    (self.credited.version_name(*version), times::date(*day), self.credited.ranker_names(*pair));
                writeln!(self.impressions, "{impression},{unit},{version},{day},{first},{second},{net},{clicks},{fate}")
            }
            Trace::Unit(TracedUnit { pair, version, day, net, fate, .. }) => {
                let (version, day) = (self.credited.version_name(*version), times::date(*day));
                let [first, second] = pair.map_or_else(Default::default, |pair| self.credited.ranker_names(pair));
                let net_columns = if pair.is_some() { format!("{net},{}", net.signum()) } else { ",".to_owned() };
                writeln!(self.units, "{unit},{version},{day},{first},{second},{net_columns},{fate}")
            }
            Trace::Conversions(TracedConversions { pair, version, day, sum, fate, .. }) => {
                let Some(conversions) = &mut self.conversions else { return Ok(()) };
                let (version, day) = (self.credited.version_name(*version), times::date(*day));
                let [first, second] = self.credited.ranker_names(*pair);
                let UnitConversions { count: [a, b], value: [c, d] } = sum;
                let net_columns =
                    if *fate == UnitFate::Counted.name() { format!("{a},{b},{c},{d}") } else { ",,,".to_owned() };
                writeln!(conversions, "{unit},{version},{day},{first},{second},{net_columns},{fate}")
            }
        }
    }

    fn finish(mut self) -> std::io::Result<()> {
        self.impressions.flush()?;
        if let Some(conversions) = &mut self.conversions {
            conversions.flush()?;
        }
        self.units.flush()
    }
}
