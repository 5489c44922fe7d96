//! The end of a log in the order of time: joins impressions that left the window with clicks that met no impression. Each
//! such click was late, early or on an unknown impression, or a line was out of place.

use super::stopped::Stopped;
use crate::join::record::{ID, TIME, read_id, read_time, write_id, write_time};
use crate::join::spill::Spill;
use crate::join::table::{Closed, outside_window};
use crate::join::tally::{ClickFate, Tally};
use crate::model::Settings;

/// The fates of the clicks of a partition that met no impression.
pub(super) fn classify_strays_of(
    settings: &Settings,
    closed: &Spill,
    strays: &Spill,
    part: usize,
) -> Result<Tally, Stopped> {
    let mut impressions: Vec<Closed> = Vec::with_capacity(closed.bytes(part) as usize / CLOSED);
    closed.read(part, |bytes| {
        impressions.extend(bytes.chunks_exact(CLOSED).map(read_closed));
        bytes.len() / CLOSED * CLOSED
    })?;
    let impressions = InOrder::new(impressions);
    if impressions.iter().zip(impressions.iter().skip(1)).any(|(a, b)| a.id == b.id) {
        return Err(Stopped::OutOfOrder("an impression is logged again long afterwards".to_owned()));
    }
    let mut clicks: Vec<(u128, i64)> = Vec::with_capacity(strays.bytes(part) as usize / STRAY_CLICK);
    strays.read(part, |bytes| {
        clicks.extend(bytes.chunks_exact(STRAY_CLICK).map(read_stray));
        bytes.len() / STRAY_CLICK * STRAY_CLICK
    })?;
    clicks.sort_unstable();
    let mut tally = Tally::default();
    let mut impressions = impressions.iter().peekable();
    for (id, time) in clicks {
        while impressions.next_if(|closed| closed.id < id).is_some() {}
        let fate = match impressions.peek() {
            Some(closed) if closed.id == id => match outside_window(settings, closed.time, time) {
                None => return Err(Stopped::OutOfOrder("clicks come long before or after their place".to_owned())),
                Some(_) if !closed.counts => ClickFate::SetAside,
                Some(fate) => fate,
            },
            _ => ClickFate::Unknown,
        };
        tally.clicks(fate, 1);
    }
    Ok(tally)
}

/// Impressions in the order of their ids. Only the upper parts of ids are sorted: fewer bytes to move, and hardly any two are the
/// same.
struct InOrder {
    impressions: Vec<Closed>,
    order: Vec<(u64, u32)>,
}

impl InOrder {
    fn new(impressions: Vec<Closed>) -> Self {
        let upper = |id: u128| (id >> 32) as u64;
        let mut order: Vec<(u64, u32)> = impressions.iter().map(|closed| upper(closed.id)).zip(0..).collect();
        order.sort_unstable_by_key(|&(upper, _)| upper);
        for alike in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            alike.sort_unstable_by_key(|&(_, place)| impressions[place as usize].id);
        }
        Self { impressions, order }
    }

    fn iter(&self) -> impl Iterator<Item = &Closed> {
        self.order.iter().map(|&(_, place)| &self.impressions[place as usize])
    }
}

/// Bytes of an impression that left: its id, its time, whether it counts.
const CLOSED: usize = STRAY_CLICK + 1;
/// Bytes of a click that met no impression: the id, its time.
const STRAY_CLICK: usize = ID + TIME;

pub(super) fn write_closed(closed: Closed, bytes: &mut Vec<u8>) {
    write_id(closed.id, bytes);
    write_time(closed.time, bytes);
    bytes.push(u8::from(closed.counts));
}

fn read_closed(bytes: &[u8]) -> Closed {
    let (id, time) = read_stray(&bytes[..STRAY_CLICK]);
    Closed { id, time, counts: bytes[STRAY_CLICK] == 1 }
}

fn read_stray(bytes: &[u8]) -> (u128, i64) {
    (read_id(bytes), read_time(&bytes[ID..]))
}
