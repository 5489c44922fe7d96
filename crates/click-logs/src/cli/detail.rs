//! What became of each impression and each unit, row by row: to be joined with other data, and to be compared with SQL.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use verdicts::outcomes::quoted;

use crate::error::LogError;
use crate::join::{Credited, ImpressionFate, Inputs, Traced, TracedPair, TracedUnit};
use crate::model::Settings;
use crate::read::{self, LogFile};

/// A row per impression and pair.
pub(super) const IMPRESSIONS: &str = "detail-impressions.csv";
/// A row per unit and pair.
pub(super) const UNITS: &str = "detail-units.csv";

/// Writes both tables into a folder. `traced` is all that was traced; the files are read once more for the names of impressions and
/// units.
pub(super) fn write(
    folder: &Path,
    mut traced: Vec<Traced>,
    credited: &Credited,
    inputs: &Inputs,
    settings: &Settings,
) -> Result<()> {
    traced.retain(|traced| !matches!(traced, Traced::Aside(aside) if !aside.is_impression));
    traced.sort_unstable_by(|a, b| (place(a), a).cmp(&(place(b), b)));
    let mut tables = Tables::new(folder, credited)?;
    let mut rest = traced.iter().peekable();
    for (number, path) in (0..).zip(&inputs.impressions) {
        let mut file = LogFile::open(path)?;
        while let Some(block) = file.next_block()? {
            for (line, text) in block.lines() {
                let mut impression = None;
                while let Some(next) = rest.next_if(|next| place(next) == (number, line)) {
                    // Only what was traced is read again.
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
    if let Some(left) = rest.next() {
        let (file, line) = place(left);
        let path = inputs.impressions.get(file as usize).map_or_else(String::new, |path| path.display().to_string());
        return Err(LogError::new(format!("{path} changed while it was read: line {line} is not there")).into());
    }
    tables.finish().with_context(|| folder.display().to_string())
}

/// The file and the line of something.
fn place(traced: &Traced) -> (u32, u64) {
    match traced {
        Traced::Aside(aside) => (aside.file, aside.line),
        Traced::Pair(TracedPair { file, line, .. }) | Traced::Unit(TracedUnit { file, line, .. }) => (*file, *line),
    }
}

/// What a line is about; empty where it cannot be read, or has none.
#[derive(Debug, Default)]
struct Names {
    impression: String,
    unit: String,
}

struct Tables<'a> {
    credited: &'a Credited,
    impressions: BufWriter<File>,
    units: BufWriter<File>,
}

impl<'a> Tables<'a> {
    fn new(folder: &Path, credited: &'a Credited) -> Result<Self> {
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
        Ok(Self { credited, impressions, units })
    }

    fn add(&mut self, traced: &Traced, names: &Names) -> std::io::Result<()> {
        let [impression, unit] = [&names.impression, &names.unit].map(|name| quoted(name));
        match traced {
            Traced::Aside(aside) => {
                // Impressions of bots have a row for each of their pairs.
                if aside.is_impression && aside.fate != ImpressionFate::Bot.name() {
                    writeln!(self.impressions, "{impression},{unit},,,,,,,{}", aside.fate)?;
                }
                Ok(())
            }
            Traced::Pair(TracedPair { pair, version, day, net, clicks, fate, .. }) => {
                let (version, day, [first, second]) = (self.version(*version), times::date(*day), self.names(*pair));
                writeln!(self.impressions, "{impression},{unit},{version},{day},{first},{second},{net},{clicks},{fate}")
            }
            Traced::Unit(TracedUnit { pair, version, day, net, fate, .. }) => {
                let (version, day) = (self.version(*version), times::date(*day));
                let [first, second] = pair.map_or_else(Default::default, |pair| self.names(pair));
                let said = if pair.is_some() { format!("{net},{}", net.signum()) } else { ",".to_owned() };
                writeln!(self.units, "{unit},{version},{day},{first},{second},{said},{fate}")
            }
        }
    }

    fn version(&self, version: usize) -> String {
        let name = self.credited.versions.get(version).and_then(|version| version.name.as_deref());
        quoted(name.unwrap_or_default())
    }

    fn names(&self, (first, second): (usize, usize)) -> [String; 2] {
        [first, second].map(|place| self.credited.rankers.get(place).map(|name| quoted(name)).unwrap_or_default())
    }

    fn finish(mut self) -> std::io::Result<()> {
        self.impressions.flush()?;
        self.units.flush()
    }
}
