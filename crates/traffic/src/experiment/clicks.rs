//! Clicks, and oddities of impressions: each is noticed once, so that events which do not count are seen beside those that do,
//! and a sender of many adds few.

use std::collections::{BTreeSet, VecDeque};

use super::super::config::Ask;
use super::super::event::{Event, Notice, Time};
use super::Experiment;

/// A page sends fewer events that do not count.
const NOISE: u8 = 100;
/// The number of closed impressions that are remembered because of events after they were closed.
const MAX_RECENTLY_CLOSED: usize = 4_096;

/// The fate of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClickFate {
    /// It counts.
    Taken,
    /// The document was clicked before.
    Duplicate,
    /// The impression is closed.
    Late,
    /// There is no such impression, or nothing was shown yet.
    Unknown,
    /// No document of the list is there.
    NotShown,
}

/// Numbers of impressions by oddity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Notices {
    /// With a click on a document that is not in the list.
    pub not_shown: u64,
    /// Of these: those whose document would be in the list if its id were written alike.
    pub near_id: u64,
    /// With an event that cannot be read.
    pub malformed: u64,
    /// With another action than a click.
    pub ignored: u64,
    /// With a click on a document that was clicked before.
    pub duplicate: u64,
    /// With an event that came after they were closed.
    pub late: u64,
    /// With more events that do not count than a page sends.
    pub noisy: u64,
    /// With the same list from all rankers.
    pub identical: u64,
    /// With an event that did not count while they were open, other than repeated clicks.
    pub refused: u64,
}

/// The oddities of an open impression, in four bytes.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct EventOddities {
    /// A bit for each kind of notice.
    notice_bits: u8,
    /// The number of its events that did not count, up to [`NOISE`]; no event of the log has it, so each process begins
    /// at 0.
    #[serde(skip)]
    refused: u8,
    /// Where the document of a near id is.
    near: u16,
}

impl EventOddities {
    fn notice_bit(what: Notice) -> u8 {
        match what {
            Notice::NotShown => 1,
            Notice::NearId { .. } => 1 << 1,
            Notice::Malformed => 1 << 2,
            Notice::Ignored => 1 << 3,
            Notice::Duplicate => 1 << 4,
            Notice::Identical => 1 << 5,
            Notice::Noisy => 1 << 6,
            // For closed impressions.
            Notice::Late => 1 << 7,
        }
    }

    fn has(self, what: Notice) -> bool {
        self.notice_bits & Self::notice_bit(what) != 0
    }

    fn is_lost(self) -> bool {
        self.has(Notice::NotShown) || self.has(Notice::NearId { position: 0 })
    }

    fn is_refused(self) -> bool {
        self.is_lost() || self.has(Notice::Malformed) || self.has(Notice::Ignored)
    }

    fn add(&mut self, what: Notice) {
        self.notice_bits |= Self::notice_bit(what);
        if let Notice::NearId { position } = what {
            self.near = u16::try_from(position).unwrap_or(u16::MAX);
        }
    }

    /// Whether all rankers sent the same list.
    pub(super) fn is_identical(self) -> bool {
        self.has(Notice::Identical)
    }

    /// Whether a click was lost, and the position of the document that it meant, if known. An impression with endless events has
    /// neither.
    pub(super) fn lost_click(self) -> (bool, Option<usize>) {
        let near = Notice::NearId { position: 0 };
        if self.has(Notice::Noisy) {
            (false, None)
        } else {
            (self.is_lost(), self.has(near).then_some(usize::from(self.near)))
        }
    }
}

/// The closed impressions with recent events.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct RecentlyClosed {
    impressions: BTreeSet<u64>,
    order: VecDeque<u64>,
}

impl RecentlyClosed {
    fn add(&mut self, impression: u64) {
        if self.impressions.insert(impression) {
            self.order.push_back(impression);
        }
        if self.order.len() > MAX_RECENTLY_CLOSED
            && let Some(first) = self.order.pop_front()
        {
            self.impressions.remove(&first);
        }
    }
}

impl Experiment {
    /// Numbers of impressions by oddity.
    #[must_use]
    pub fn notices(&self) -> Notices {
        self.notices
    }

    /// A click on the document at a 0-based position of the mixed list.
    pub fn click(&mut self, now: Time, impression: u64, position: u32) -> ClickFate {
        let time = now.max(self.time);
        self.advance(time);
        let fate = self.fate(impression, position);
        match fate {
            ClickFate::Taken => {
                self.apply_click(time, impression, position);
                self.record(Event::Clicked { time, impression, position });
            }
            ClickFate::Duplicate => self.record_notice(time, impression, Notice::Duplicate),
            ClickFate::Late => self.record_notice(time, impression, Notice::Late),
            ClickFate::Unknown | ClickFate::NotShown => {}
        }
        fate
    }

    fn fate(&self, impression: u64, position: u32) -> ClickFate {
        match self.open.get(impression) {
            None if self.was_asked(impression) => ClickFate::Late,
            None => ClickFate::Unknown,
            Some(open) if open.listed_at.is_none() => ClickFate::Unknown,
            Some(_) if position as usize >= self.rules.depth => ClickFate::NotShown,
            Some(open) if open.is_clicked(position) => ClickFate::Duplicate,
            Some(_) => ClickFate::Taken,
        }
    }

    fn was_asked(&self, impression: u64) -> bool {
        (1..=self.fates.asked).contains(&impression)
    }

    /// A click on a document that is not in the list of an impression. `near_position` finds the 0-based position of a document with the
    /// same id in another spelling; it is not called if that is known.
    pub fn click_outside_list(
        &mut self,
        now: Time,
        impression: u64,
        near_position: impl FnOnce() -> Option<u32>,
    ) -> ClickFate {
        let time = now.max(self.time);
        self.advance(time);
        let fate = self.fate(impression, u32::MAX);
        match fate {
            ClickFate::NotShown => {
                let is_known = |what| self.open.get(impression).is_some_and(|open| open.oddities.has(what));
                let are_known = is_known(Notice::NotShown) && is_known(Notice::NearId { position: 0 });
                let near_position = if are_known {
                    None
                } else {
                    near_position().filter(|near_position| (*near_position as usize) < self.rules.depth)
                };
                let what = near_position.map_or(Notice::NotShown, |position| Notice::NearId { position });
                self.record_notice(time, impression, what);
            }
            ClickFate::Late => self.record_notice(time, impression, Notice::Late),
            _ => {}
        }
        fate
    }

    /// An event of an impression that cannot be read.
    pub fn note_malformed(&mut self, now: Time, impression: u64) {
        self.note_non_click(now, impression, Notice::Malformed);
    }

    /// Another action than a click.
    pub fn note_ignored(&mut self, now: Time, impression: u64) {
        self.note_non_click(now, impression, Notice::Ignored);
    }

    fn note_non_click(&mut self, now: Time, impression: u64, what: Notice) {
        let time = now.max(self.time);
        self.advance(time);
        self.record_notice(time, impression, what);
    }

    /// Records an oddity, unless it is known.
    pub(super) fn record_notice(&mut self, time: Time, impression: u64, notice_kind: Notice) {
        // Judges do not click.
        if self.config.ask == Ask::Duels {
            return;
        }
        if let Some(open) = self.open.get_mut(impression)
            && !matches!(notice_kind, Notice::Identical | Notice::Noisy | Notice::Late)
        {
            open.oddities.refused = open.oddities.refused.saturating_add(1);
            if open.oddities.refused == NOISE {
                self.record_notice(time, impression, Notice::Noisy);
            }
        }
        if self.is_new(impression, notice_kind) {
            self.apply_notice(impression, notice_kind);
            self.record(Event::Noticed { time, impression, what: notice_kind });
        }
    }

    /// Whether this can be noticed about an impression, and was not yet.
    pub(super) fn is_new(&self, impression: u64, notice: Notice) -> bool {
        let open = self.open.get(impression);
        match (notice, open) {
            (Notice::Late, open) => {
                open.is_none() && self.was_asked(impression) && !self.recently_closed.impressions.contains(&impression)
            }
            (_, None) => false,
            (Notice::NearId { position }, _) if position as usize >= self.rules.depth => false,
            (_, Some(open)) => open.listed_at.is_some() && !open.oddities.has(notice),
        }
    }

    pub(super) fn apply_notice(&mut self, impression: u64, notice: Notice) {
        let notices = &mut self.notices;
        if notice == Notice::Late {
            self.recently_closed.add(impression);
            notices.late += 1;
            return;
        }
        let Some(open) = self.open.get_mut(impression) else { return };
        let before = open.oddities;
        open.oddities.add(notice);
        notices.not_shown += u64::from(open.oddities.is_lost() && !before.is_lost());
        notices.refused += u64::from(open.oddities.is_refused() && !before.is_refused());
        let count = match notice {
            Notice::NearId { .. } => &mut notices.near_id,
            Notice::Malformed => &mut notices.malformed,
            Notice::Ignored => &mut notices.ignored,
            Notice::Duplicate => &mut notices.duplicate,
            Notice::Identical => &mut notices.identical,
            Notice::Noisy => &mut notices.noisy,
            Notice::NotShown | Notice::Late => return,
        };
        *count += 1;
    }
}
