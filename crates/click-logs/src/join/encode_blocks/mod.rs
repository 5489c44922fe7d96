//! Turns blocks of lines into records, on any number of threads.

pub(super) mod line_encoder;

use std::collections::BTreeSet;

use self::line_encoder::LineEncoder;
use super::span::Span;
use super::tally::{Aside, ClickFate, ImpressionFate, Tally};
use crate::error::{LineError, LogError};
use crate::model::{Click, Lineups, Settings};
use crate::read::{self, Block, Event, FastPath, Format, LineUnit};

/// The records of one block of lines.
pub(super) struct EncodedBlock {
    /// By partition.
    pub(super) records: Vec<Vec<u8>>,
    pub(super) tally: Tally,
    /// The times of impressions.
    pub(super) times: Span,
    /// The times of all lines in their order, if requested.
    pub(super) order: Vec<i64>,
    pub(super) is_synthetic: bool,
    /// Some of the actions that do not count as clicks.
    pub(super) other_actions: BTreeSet<String>,
    pub(super) asides: Vec<Aside>,
}

/// Which lines a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Impressions,
    Clicks,
}

/// State that threads share while they read.
pub(super) struct BlockEncoder<'a> {
    pub(super) settings: &'a Settings,
    pub(super) lineups: &'a Lineups,
    pub(super) keeps_origins: bool,
    pub(super) keeps_times: bool,
    /// Lines of earlier times are behind: the days that they would change are over.
    pub(super) behind: i64,
    pub(super) partition_count: usize,
    pub(super) number: u32,
    pub(super) kind: LineKind,
}

impl BlockEncoder<'_> {
    /// The records of a block.
    pub(super) fn encode(&self, block: &Block, format: &Format) -> Result<EncodedBlock, LogError> {
        let mut encoder = LineEncoder::new(self.settings, self.lineups, self.keeps_origins);
        let mut fast_path = FastPath::default();
        let mut encoded_block = EncodedBlock {
            records: (0..self.partition_count)
                .map(|_| Vec::with_capacity(block.bytes() / self.partition_count))
                .collect(),
            tally: Tally::default(),
            times: Span::default(),
            order: Vec::new(),
            is_synthetic: false,
            other_actions: BTreeSet::new(),
            asides: Vec::new(),
        };
        for (line, text) in block.lines() {
            let taken = text
                .map_err(LineError::new)
                .and_then(|text| self.line(text, line, format, &mut fast_path, &mut encoder, &mut encoded_block));
            match taken {
                Ok(()) => {}
                Err(malformed) if self.settings.set_malformed_aside => {
                    drop(malformed);
                    let is_impression = self.kind == LineKind::Impressions;
                    match self.kind {
                        LineKind::Impressions => encoded_block.tally.impressions(ImpressionFate::Malformed, 1),
                        LineKind::Clicks => encoded_block.tally.clicks(ClickFate::Malformed, 1),
                    }
                    let fate = ClickFate::Malformed.name();
                    encoded_block.asides.push(Aside { is_impression, file: self.number, line, fate });
                }
                Err(malformed) => {
                    return Err(match block.line_unit() {
                        LineUnit::Line => LogError::at_line(malformed, line),
                        LineUnit::Row { group } => LogError::at_row(malformed, line, group),
                    });
                }
            }
        }
        Ok(encoded_block)
    }

    fn line<'b>(
        &self,
        text: &'b str,
        line: u64,
        format: &Format,
        fast_path: &mut FastPath<'b>,
        encoder: &mut LineEncoder<'_>,
        encoded_block: &mut EncodedBlock,
    ) -> Result<(), LineError> {
        let (partition_count, header, origin) = (self.partition_count, format.header(), (self.number, line));
        let partition = |id: u128| id as usize & (partition_count - 1);
        match self.kind {
            LineKind::Impressions => {
                let records = &mut encoded_block.records;
                let (time, is_synthetic) = match fast_path.impression(text, header, self.settings) {
                    Some(impression) => {
                        if impression.time >= self.behind {
                            encoder.encode_impression(&impression, origin, |id| &mut records[partition(id)])?;
                        }
                        (impression.time, impression.is_synthetic())
                    }
                    None => {
                        let Some(impression) = read::impression(text, header, self.settings)? else { return Ok(()) };
                        if impression.time >= self.behind {
                            encoder.encode_owned_impression(&impression, origin, |id| &mut records[partition(id)])?;
                        }
                        (impression.time, impression.is_synthetic())
                    }
                };
                if time < self.behind {
                    encoded_block.tally.impressions(ImpressionFate::Behind, 1);
                    return Ok(());
                }
                encoded_block.times.add(time);
                encoded_block.is_synthetic |= is_synthetic;
                if self.keeps_times {
                    encoded_block.order.push(time);
                }
            }
            LineKind::Clicks => {
                let event = match fast_path.click(text, header, self.settings) {
                    Some(event) => event,
                    None => match read::click(text, header, self.settings)? {
                        Some(event) => event,
                        None => {
                            if self.settings.holds_both
                                && header.is_none()
                                && let Some(session) = read::session(text, self.settings)?
                            {
                                session
                                    .clicks
                                    .iter()
                                    .for_each(|click| self.click(click, origin, encoder, encoded_block));
                            }
                            return Ok(());
                        }
                    },
                };
                match event {
                    Event::Click(click) => self.click(&click, origin, encoder, encoded_block),
                    Event::Other(action) => {
                        encoded_block.tally.clicks(ClickFate::Other, 1);
                        note_action(&mut encoded_block.other_actions, &action);
                    }
                }
            }
        }
        Ok(())
    }
}

impl BlockEncoder<'_> {
    fn click(
        &self,
        click: &Click<'_>,
        origin: (u32, u64),
        encoder: &mut LineEncoder<'_>,
        encoded_block: &mut EncodedBlock,
    ) {
        if click.time < self.behind {
            encoded_block.tally.clicks(ClickFate::Behind, 1);
            return;
        }
        encoded_block.tally.without_dwell += encoder.lacks_dwell(click);
        encoder.encode_click(click, origin, |id| &mut encoded_block.records[id as usize & (self.partition_count - 1)]);
        if self.keeps_times {
            encoded_block.order.push(click.time);
        }
    }
}

/// Keeps the name of an action, if it is among the first few by name: an example is enough.
pub(super) fn note_action(known: &mut BTreeSet<String>, action: &str) {
    const MAX_NOTED_ACTIONS: usize = 4;
    if known.len() == MAX_NOTED_ACTIONS && known.last().is_some_and(|last| action >= last.as_str())
        || known.contains(action)
    {
        return;
    }
    known.insert(action.to_owned());
    if known.len() > MAX_NOTED_ACTIONS {
        known.pop_last();
    }
}
