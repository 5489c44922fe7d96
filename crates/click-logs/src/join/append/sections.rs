//! The data file of a state: sections with a checksum each, and the counts of days that are over.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use output::checksum;
use ranktypes::varint::{self, unzigzag, zigzag};

use crate::error::LogError;
use crate::join::units::DayTotals;

/// The number of parts of the records of impressions, and of those of units.
pub(super) const PART_COUNT: usize = 64;

/// A section of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// Records of impressions that may change.
    Impressions(usize),
    /// Records of clicks that may find an impression.
    Clicks(usize),
    /// Units.
    Units(usize),
    /// Outcomes of impressions that are over, on days that are not.
    Ahead(usize),
    /// The days that are over.
    Days,
}

impl Section {
    /// Its place in the data.
    pub(super) fn number(self) -> usize {
        match self {
            Self::Impressions(part) => 2 * part,
            Self::Clicks(part) => 2 * part + 1,
            Self::Units(part) => 2 * PART_COUNT + 2 * part,
            Self::Ahead(part) => 2 * PART_COUNT + 2 * part + 1,
            Self::Days => SECTIONS - 1,
        }
    }
}

pub(super) const SECTIONS: usize = 4 * PART_COUNT + 1;

/// The beginning of a section, so that none is taken for another.
pub(super) fn head(run: u64, number: usize) -> Vec<u8> {
    let mut head = Vec::new();
    varint::write(run, &mut head);
    varint::write(number as u64, &mut head);
    head
}

/// The version, the day and the pair of a row of counts.
pub(super) type DayKey = (usize, i32, (usize, usize));

fn write_day(((version, day, (i, j)), counts): (DayKey, DayTotals), bytes: &mut Vec<u8>) {
    [version as u64, zigzag(day.into()), i as u64, j as u64]
        .into_iter()
        .for_each(|number| varint::write(number, bytes));
    counts.numbers().into_iter().for_each(|number| varint::write(zigzag(number), bytes));
}

pub(super) fn read_day(unread: &mut &[u8]) -> Option<(DayKey, DayTotals)> {
    let mut read = || {
        let (number, after) = varint::read(unread)?;
        *unread = after;
        Some(number)
    };
    let key = (read()? as usize, i32::try_from(unzigzag(read()?)).ok()?, (read()? as usize, read()? as usize));
    let mut numbers = [0; DayTotals::NUMBERS];
    for number in &mut numbers {
        *number = unzigzag(read()?);
    }
    Some((key, DayTotals::from_numbers(numbers)))
}

/// The data of a run that is not over.
pub(super) struct SectionWriter {
    pub(super) path: PathBuf,
    pub(super) file: BufWriter<File>,
    pub(super) run: u64,
    /// The lengths of the sections that were written.
    pub(super) sections: Vec<u64>,
}

impl SectionWriter {
    /// Writes the next section, which must be this one.
    pub(super) fn write(&mut self, section: Section, bytes: &[u8]) -> Result<(), LogError> {
        debug_assert_eq!(section.number(), self.sections.len());
        let mut body = head(self.run, section.number());
        body.extend_from_slice(bytes);
        let sealed = checksum::seal(body);
        self.file.write_all(&sealed).map_err(|error| self.write_error(&error))?;
        self.sections.push(sealed.len() as u64);
        Ok(())
    }

    /// Writes the last section.
    pub(super) fn write_days(&mut self, days: impl Iterator<Item = (DayKey, DayTotals)>) -> Result<(), LogError> {
        let mut bytes = Vec::new();
        days.for_each(|day| write_day(day, &mut bytes));
        self.write(Section::Days, &bytes)
    }

    pub(super) fn write_error(&self, error: &std::io::Error) -> LogError {
        LogError::io(&self.path, "cannot be written", error)
    }
}
