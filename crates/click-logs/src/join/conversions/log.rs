//! Reads the lines of conversions and finds duplicates.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use ranktypes::text::excerpt;
use verdicts::conversions::ConversionLine;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{LineError, LogError};
use crate::join::encode_blocks::line_encoder::{hash, hash_of_document};
use crate::join::record::Origin;
use crate::join::tally::ConversionFate;
use crate::model::{ConversionRules, Settings};
use crate::read::{LineUnit, LogFile, conversion};

/// A line about an action of a known user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) unit: u128,
    pub(super) line: ConversionLine,
    pub(super) origin: Origin,
}

impl Line {
    /// Whether another line has the same content.
    fn is_double(&self, other: &Self) -> bool {
        self.unit == other.unit && self.line.is_double(&other.line)
    }
}

impl AsRef<ConversionLine> for Line {
    fn as_ref(&self) -> &ConversionLine {
        &self.line
    }
}

/// The conversions of a log, in memory: some hundred bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionLog {
    rules: ConversionRules,
    /// In order: by unit, document, order and time.
    lines: Vec<Line>,
    /// Lines that concern no unit.
    aside: Vec<(Origin, ConversionFate)>,
    /// Whether lines state values; `None` if no line counts.
    has_values: Option<bool>,
    /// The latest time.
    last: Option<i64>,
}

impl ConversionLog {
    /// Reads files of conversions.
    ///
    /// # Errors
    /// If a file cannot be read, a line is malformed (unless `settings` set such lines aside), only some lines have a value, or lines
    /// are in several currencies and the rules do not choose one.
    pub fn read(paths: &[PathBuf], settings: &Settings, mut rules: ConversionRules) -> Result<Self, LogError> {
        let (mut lines, mut aside) = (Vec::new(), Vec::new());
        // Where the first line with a value is, and the first one without.
        let mut first_by_value: [Option<(usize, u64)>; 2] = [None; 2];
        let mut currencies = BTreeSet::new();
        for (number, path) in (0..).zip(paths) {
            let mut file = LogFile::open_conversions(path)?;
            while let Some(block) = file.next_block()? {
                for (line, text) in block.lines() {
                    let origin: Origin = (number, line);
                    let read = text
                        .map_err(LineError::new)
                        .and_then(|text| conversion(text, file.format().header(), settings));
                    let line_result = match read {
                        Ok(Some(line_result)) => line_result,
                        Ok(None) => continue,
                        Err(_) if settings.set_malformed_aside => {
                            aside.push((origin, ConversionFate::Malformed));
                            continue;
                        }
                        Err(malformed) => {
                            let error = match block.line_unit() {
                                LineUnit::Line => LogError::at_line(malformed, line),
                                LineUnit::Row { group } => LogError::at_row(malformed, line, group),
                            };
                            return Err(error.in_file(path));
                        }
                    };
                    if line_result
                        .action
                        .as_ref()
                        .is_some_and(|action| !rules.actions.iter().any(|name| name == action))
                    {
                        aside.push((origin, ConversionFate::OtherAction));
                        continue;
                    }
                    if let (Some(counts), Some(currency)) = (&rules.currency, &line_result.currency)
                        && counts != currency
                    {
                        aside.push((origin, ConversionFate::OtherCurrency));
                        continue;
                    }
                    if let (None, Some(currency)) = (&rules.currency, &line_result.currency)
                        && !currencies.contains(&**currency)
                    {
                        currencies.insert(currency.clone().into_owned());
                    }
                    first_by_value[usize::from(line_result.value.is_none())].get_or_insert((number as usize, line));
                    let Some(unit) = &line_result.unit else {
                        aside.push((origin, ConversionFate::UnknownUnit));
                        continue;
                    };
                    let named =
                        |name: &Option<Cow<'_, str>>| name.as_ref().map_or(0, |name| xxh3_64(name.as_bytes()).max(1));
                    let (document, order) = (hash_of_document(&line_result.document), named(&line_result.order));
                    let (action, value) = (named(&line_result.action), line_result.value.unwrap_or(1));
                    lines.push(Line {
                        unit: hash(unit),
                        line: ConversionLine::new(document, order, line_result.time, action, value),
                        origin,
                    });
                }
            }
        }
        if let [Some(line_with_value), Some(line_without_value)] = first_by_value {
            let at = |(file, line): (usize, u64)| format!("{}:{line}", paths[file].display());
            return Err(LogError::new(format!(
                "{} has a `value` and {} has none; write it in all lines, or in none where only their number counts",
                at(line_with_value),
                at(line_without_value)
            )));
        }
        if currencies.len() > 1 {
            let names: Vec<String> = currencies.iter().take(5).map(|name| excerpt(name)).collect();
            return Err(LogError::new(format!(
                "the values are in several currencies ({}); name the one that counts (--currency), or convert them",
                names.join(", ")
            )));
        }
        rules.currency = rules.currency.or_else(|| currencies.pop_first());
        if u32::try_from(lines.len()).is_err() {
            return Err(LogError::new(
                "more than 4 billion conversions; leave out those of users who are not in the log",
            ));
        }
        let lines = without_doubles(lines, &mut aside);
        let has_values = match first_by_value {
            [None, None] => None,
            [line_with_value, _] => Some(line_with_value.is_some()),
        };
        let last = lines.iter().map(|line| line.line.time()).max();
        Ok(Self { rules, lines, aside, has_values, last })
    }

    /// How they are credited, with the currency of their values.
    #[must_use]
    pub fn rules(&self) -> &ConversionRules {
        &self.rules
    }

    /// Whether lines state values; `None` if no line counts.
    #[must_use]
    pub fn has_values(&self) -> Option<bool> {
        self.has_values
    }

    /// The latest time of a line of a known unit, in milliseconds since 1970.
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.last
    }

    /// The value that a share of the units with conversions do not exceed, in minor units, by each unit's total; `None` if no unit
    /// has any.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let of = |lines: &[Line]| lines.iter().map(|line| line.line.value()).sum::<i64>().max(0).unsigned_abs();
        let mut values: Vec<u64> =
            self.lines.chunk_by(|a, b| a.unit == b.unit).map(of).filter(|value| *value > 0).collect();
        values.sort_unstable();
        let place = libm::ceil(share * values.len() as f64) as usize;
        values.get(place.saturating_sub(1)).copied()
    }

    /// The documents that a unit has conversions on; those that are the same follow each other.
    pub(super) fn documents_of_unit(&self, unit: u128) -> impl Iterator<Item = u64> {
        let (_, lines) = self.lines_of_unit(unit);
        lines.iter().map(|line| line.line.document())
    }

    /// The lines of a unit, and the place of the first.
    pub(super) fn lines_of_unit(&self, unit: u128) -> (u32, &[Line]) {
        let begin = self.lines.partition_point(|line| line.unit < unit);
        let rest = &self.lines[begin..];
        let length = rest.iter().take_while(|line| line.unit == unit).count();
        (begin as u32, &rest[..length])
    }

    /// By line of a known unit: its fate if nothing is known of that.
    pub(super) fn fates(&self) -> Vec<ConversionFate> {
        vec![ConversionFate::UnknownUnit; self.lines.len()]
    }

    /// All lines with their fates, given those of lines of known units, in the order of the files.
    pub(in crate::join) fn fates_by_line(&self, fates: &[ConversionFate]) -> Vec<(Origin, ConversionFate)> {
        let of_units = self.lines.iter().map(|line| line.origin).zip(fates.iter().copied());
        let mut all: Vec<_> = of_units.chain(self.aside.iter().copied()).collect();
        all.sort_unstable();
        all
    }
}

/// The lines in order, each once: that of the earliest time, and in the files the first.
fn without_doubles(mut lines: Vec<Line>, aside: &mut Vec<(Origin, ConversionFate)>) -> Vec<Line> {
    lines.sort_unstable_by_key(|line| (line.unit, line.line.repeat_key(), line.line.time(), line.origin));
    let mut distinct_lines: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        match distinct_lines.last() {
            Some(last) if last.is_double(&line) => aside.push((line.origin, ConversionFate::Duplicate)),
            _ => distinct_lines.push(line),
        }
    }
    distinct_lines.sort_unstable();
    distinct_lines
}
