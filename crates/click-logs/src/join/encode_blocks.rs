//! Turns blocks of lines into records, on any number of threads.

use std::collections::BTreeSet;

use super::line_encoder::Encoder;
use super::span::Span;
use super::tally::{Aside, ClickFate, ImpressionFate, Tally};
use crate::error::{LogError, Malformed};
use crate::model::{Click, Lineups, Settings};
use crate::read::{self, Block, Event, FastPath, Format, LineUnit};

/// The records of one block of lines.
pub(super) struct Encoded {
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
pub(super) enum Kind {
    Impressions,
    Clicks,
}

/// State that threads share while they read.
pub(super) struct Encoding<'a> {
    pub(super) settings: &'a Settings,
    pub(super) lineups: &'a Lineups,
    pub(super) keeps_origins: bool,
    pub(super) keeps_times: bool,
    /// Lines of earlier times are behind: the days that they would change are over.
    pub(super) behind: i64,
    pub(super) parts: usize,
    pub(super) number: u32,
    pub(super) kind: Kind,
}

impl Encoding<'_> {
    /// The records of a block.
    pub(super) fn encode(&self, block: &Block, format: &Format) -> Result<Encoded, LogError> {
        let mut encoder = Encoder::new(self.settings, self.lineups, self.keeps_origins);
        let mut fast_path = FastPath::default();
        let mut encoded = Encoded {
            records: (0..self.parts).map(|_| Vec::with_capacity(block.bytes() / self.parts)).collect(),
            tally: Tally::default(),
            times: Span::default(),
            order: Vec::new(),
            is_synthetic: false,
            other_actions: BTreeSet::new(),
            asides: Vec::new(),
        };
        for (line, text) in block.lines() {
            let taken = text
                .map_err(Malformed::new)
                .and_then(|text| self.line(text, line, format, &mut fast_path, &mut encoder, &mut encoded));
            match taken {
                Ok(()) => {}
                Err(malformed) if self.settings.set_malformed_aside => {
                    drop(malformed);
                    let is_impression = self.kind == Kind::Impressions;
                    match self.kind {
                        Kind::Impressions => encoded.tally.impressions(ImpressionFate::Malformed, 1),
                        Kind::Clicks => encoded.tally.clicks(ClickFate::Malformed, 1),
                    }
                    let fate = ClickFate::Malformed.name();
                    encoded.asides.push(Aside { is_impression, file: self.number, line, fate });
                }
                Err(malformed) => {
                    return Err(match block.line_unit() {
                        LineUnit::Line => LogError::of_line(malformed, line),
                        LineUnit::Row { group } => LogError::of_row(malformed, line, group),
                    });
                }
            }
        }
        Ok(encoded)
    }

    fn line<'b>(
        &self,
        text: &'b str,
        line: u64,
        format: &Format,
        fast_path: &mut FastPath<'b>,
        encoder: &mut Encoder<'_>,
        encoded: &mut Encoded,
    ) -> Result<(), Malformed> {
        let (parts, header, origin) = (self.parts, format.header(), (self.number, line));
        let part = |id: u128| id as usize & (parts - 1);
        match self.kind {
            Kind::Impressions => {
                let records = &mut encoded.records;
                let (time, is_synthetic) = match fast_path.impression(text, header, self.settings) {
                    Some(impression) => {
                        if impression.time >= self.behind {
                            encoder.impression(&impression, origin, |id| &mut records[part(id)])?;
                        }
                        (impression.time, impression.is_synthetic())
                    }
                    None => {
                        let Some(impression) = read::impression(text, header, self.settings)? else { return Ok(()) };
                        if impression.time >= self.behind {
                            encoder.complete_impression(&impression, origin, |id| &mut records[part(id)])?;
                        }
                        (impression.time, impression.is_synthetic())
                    }
                };
                if time < self.behind {
                    encoded.tally.impressions(ImpressionFate::Behind, 1);
                    return Ok(());
                }
                encoded.times.add(time);
                encoded.is_synthetic |= is_synthetic;
                if self.keeps_times {
                    encoded.order.push(time);
                }
            }
            Kind::Clicks => {
                let event = match fast_path.click(text, header, self.settings) {
                    Some(event) => event,
                    None => match read::click(text, header, self.settings)? {
                        Some(event) => event,
                        None => {
                            if self.settings.holds_both
                                && header.is_none()
                                && let Some(session) = read::session(text, self.settings)?
                            {
                                session.clicks.iter().for_each(|click| self.click(click, origin, encoder, encoded));
                            }
                            return Ok(());
                        }
                    },
                };
                match event {
                    Event::Click(click) => self.click(&click, origin, encoder, encoded),
                    Event::Other(action) => {
                        encoded.tally.clicks(ClickFate::Other, 1);
                        note_action(&mut encoded.other_actions, &action);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Encoding<'_> {
    fn click(&self, click: &Click<'_>, origin: (u32, u64), encoder: &mut Encoder<'_>, encoded: &mut Encoded) {
        if click.time < self.behind {
            encoded.tally.clicks(ClickFate::Behind, 1);
            return;
        }
        encoded.tally.without_dwell += encoder.lacks_dwell(click);
        encoder.click(click, origin, |id| &mut encoded.records[id as usize & (self.parts - 1)]);
        if self.keeps_times {
            encoded.order.push(click.time);
        }
    }
}

/// Keeps the name of an action, if it is among the first few by name: an example is enough.
pub(super) fn note_action(known: &mut BTreeSet<String>, action: &str) {
    const ENOUGH: usize = 4;
    if known.len() == ENOUGH && known.last().is_some_and(|last| action >= last.as_str()) || known.contains(action) {
        return;
    }
    known.insert(action.to_owned());
    if known.len() > ENOUGH {
        known.pop_last();
    }
}
