//! The end of a log in the order of time: joins impressions that left the window with clicks that met no impression. Each
//! such click was late, early or on an unknown impression, or a line was out of place.

use super::stop_reason::StopReason;
use crate::join::record::{ID_BYTES, TIME_BYTES, read_id, read_time, write_id, write_time};
use crate::join::spill::Spill;
use crate::join::table::{ClosedImpression, outside_window};
use crate::join::tally::{ClickFate, Tally};
use crate::model::Settings;

/// The fates of the clicks of a partition that met no impression.
pub(super) fn classify_partition(
    settings: &Settings,
    closed_impressions: &Spill,
    strays: &Spill,
    partition: usize,
) -> Result<Tally, StopReason> {
    let mut impressions: Vec<ClosedImpression> =
        Vec::with_capacity(closed_impressions.bytes(partition) as usize / CLOSED_BYTES);
    closed_impressions.read(partition, |bytes| {
        impressions.extend(bytes.chunks_exact(CLOSED_BYTES).map(read_closed));
        bytes.len() / CLOSED_BYTES * CLOSED_BYTES
    })?;
    let impressions = SortedImpressions::new(impressions);
    if impressions.iter().zip(impressions.iter().skip(1)).any(|(a, b)| a.id == b.id) {
        return Err(StopReason::OutOfOrder("an impression is logged again long afterwards".to_owned()));
    }
    let mut clicks: Vec<(u128, i64)> = Vec::with_capacity(strays.bytes(partition) as usize / STRAY_CLICK_BYTES);
    strays.read(partition, |bytes| {
        clicks.extend(bytes.chunks_exact(STRAY_CLICK_BYTES).map(read_stray));
        bytes.len() / STRAY_CLICK_BYTES * STRAY_CLICK_BYTES
    })?;
    clicks.sort_unstable();
    let mut tally = Tally::default();
    let mut impressions = impressions.iter().peekable();
    for (id, time) in clicks {
        while impressions.next_if(|closed_impressions| closed_impressions.id < id).is_some() {}
        let fate = match impressions.peek() {
            Some(closed_impressions) if closed_impressions.id == id => {
                match outside_window(settings, closed_impressions.time, time) {
                    None => {
                        return Err(StopReason::OutOfOrder("clicks come long before or after their place".to_owned()));
                    }
                    Some(_) if !closed_impressions.counts => ClickFate::SetAside,
                    Some(fate) => fate,
                }
            }
            _ => ClickFate::Unknown,
        };
        tally.clicks(fate, 1);
    }
    Ok(tally)
}

/// Impressions in the order of their ids. Only the upper parts of ids are sorted: fewer bytes to move, and hardly any two are the
/// same.
struct SortedImpressions {
    impressions: Vec<ClosedImpression>,
    order: Vec<(u64, u32)>,
}

impl SortedImpressions {
    fn new(impressions: Vec<ClosedImpression>) -> Self {
        let upper = |id: u128| (id >> 32) as u64;
        let mut order: Vec<(u64, u32)> = impressions.iter().map(|closed| upper(closed.id)).zip(0..).collect();
        order.sort_unstable_by_key(|&(upper, _)| upper);
        for alike in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            alike.sort_unstable_by_key(|&(_, place)| impressions[place as usize].id);
        }
        Self { impressions, order }
    }

    fn iter(&self) -> impl Iterator<Item = &ClosedImpression> {
        self.order.iter().map(|&(_, place)| &self.impressions[place as usize])
    }
}

/// Bytes of an impression that left: its id, its time, whether it counts.
const CLOSED_BYTES: usize = STRAY_CLICK_BYTES + 1;
/// Bytes of a click that met no impression: the id, its time.
const STRAY_CLICK_BYTES: usize = ID_BYTES + TIME_BYTES;

pub(super) fn write_closed(closed: ClosedImpression, bytes: &mut Vec<u8>) {
    write_id(closed.id, bytes);
    write_time(closed.time, bytes);
    bytes.push(u8::from(closed.counts));
}

fn read_closed(bytes: &[u8]) -> ClosedImpression {
    let (id, time) = read_stray(&bytes[..STRAY_CLICK_BYTES]);
    ClosedImpression { id, time, counts: bytes[STRAY_CLICK_BYTES] == 1 }
}

fn read_stray(bytes: &[u8]) -> (u128, i64) {
    (read_id(bytes), read_time(&bytes[ID_BYTES..]))
}
