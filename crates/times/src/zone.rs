//! Zones: how times without one are read, and where days begin.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

use crate::calendar::{DAY, text};
use crate::instant::{EARLIEST, TIMES_END, check_plausible, not_a_time, time_from_number};
use crate::local_time::{ahead, local_time};
use ranktypes::text::excerpt;

/// How times without a zone are read, and where days begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    clocks: Clocks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Clocks {
    /// Nothing was said: days are those of UTC, and times without a zone are refused.
    #[default]
    Unknown,
    /// Milliseconds ahead of UTC.
    Fixed(i64),
    /// Those of a place.
    Named(&'static ZoneRules),
}

/// The clocks of a place, whose offset changes.
#[derive(Debug, PartialEq, Eq)]
struct ZoneRules {
    name: String,
    /// In the order of time; the first one holds since ever.
    changes: Vec<Change>,
}

/// From when on clocks have this offset.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    from: i64,
    /// Milliseconds ahead of UTC.
    ahead: i64,
    /// The latest day that clocks have shown before: a clock that is put back at midnight does not begin a day twice.
    day: i64,
}

impl Zone {
    /// A zone: `Z`, `UTC`, an offset such as `+01:00` or `-0530`, or a name of the tz database such as `Europe/Berlin`.
    ///
    /// # Errors
    /// For anything else.
    pub fn parse(text: &str) -> Result<Self, String> {
        let clocks = match ahead(text.as_bytes()) {
            Some(ahead) => Some(Clocks::Fixed(ahead)),
            None => zone_rules(text).map(Clocks::Named),
        };
        clocks.map(|clocks| Self { clocks }).ok_or_else(|| {
            format!("expected UTC, an offset such as +01:00, or a name such as Europe/Berlin, found {}", excerpt(text))
        })
    }

    /// How far clocks are ahead of UTC at `time`, in milliseconds.
    #[inline]
    fn ahead(self, time: i64) -> i64 {
        match self.clocks {
            Clocks::Unknown => 0,
            Clocks::Fixed(ahead) => ahead,
            Clocks::Named(place) => place.change(time).ahead,
        }
    }

    /// The day of `time`, counted from 1970-01-01.
    #[must_use]
    pub fn day(self, time: i64) -> i32 {
        match self.clocks {
            Clocks::Unknown => time.div_euclid(DAY) as i32,
            Clocks::Fixed(ahead) => (time + ahead).div_euclid(DAY) as i32,
            Clocks::Named(place) => {
                let change = place.change(time);
                (time + change.ahead).div_euclid(DAY).max(change.day) as i32
            }
        }
    }

    /// The first moment of `day`: with a named zone, not always midnight.
    #[must_use]
    pub fn start(self, day: i32) -> i64 {
        let midnight = i64::from(day) * DAY;
        match self.clocks {
            Clocks::Unknown => midnight,
            Clocks::Fixed(ahead) => midnight - ahead,
            Clocks::Named(_) => {
                // Days never go back, and no offset reaches a day and a half: the moment is between these.
                let (mut before, mut inside) = (midnight - 3 * DAY / 2, midnight + 3 * DAY / 2);
                while inside - before > 1 {
                    let middle = before.midpoint(inside);
                    if self.day(middle) < day { before = middle } else { inside = middle }
                }
                inside
            }
        }
    }

    /// The zone as it was given: `UTC`, an offset, or a name.
    #[must_use]
    pub fn text(self) -> String {
        let ahead = match self.clocks {
            Clocks::Unknown => 0,
            Clocks::Fixed(ahead) => ahead,
            Clocks::Named(place) => return place.name.clone(),
        };
        match ahead / 60_000 {
            0 => "UTC".to_owned(),
            minutes => {
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }

    /// A time for readers, to the minute: `2026-11-22 15:04 UTC`.
    #[must_use]
    pub fn minute(self, time: i64) -> String {
        let local = text(time + self.ahead(time));
        format!("{} {} {}", &local[..10], &local[11..16], self.text())
    }

    /// A time in text: RFC 3339 and its relatives (`2026-11-22T15:04:05.123Z`, `2026-11-22 15:04:05+01:00`), or a number as
    /// for [`time_from_number`]; in milliseconds since 1970.
    ///
    /// # Errors
    /// What was found and expected: for a time without a zone, unless this zone was given and showed that time once; for a time outside the
    /// years 2000 to 2099.
    pub fn time(self, text: &str) -> Result<i64, String> {
        let bytes = text.as_bytes();
        if let Some(time) = milliseconds(bytes).filter(|time| (EARLIEST..TIMES_END).contains(time)) {
            return Ok(time);
        }
        let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
        if !digits.is_empty() && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
            return match text.parse() {
                Ok(number) => time_from_number(number).ok_or_else(|| not_a_time(number, text)),
                Err(_) => Err(unreadable(text)),
            };
        }
        let Some((local, rest)) = local_time(bytes) else { return Err(unreadable(text)) };
        let time = match rest {
            b"" => self.time_of_local(local, text)?,
            rest => local - ahead(rest).ok_or_else(|| unreadable(text))?,
        };
        check_plausible(time)
    }

    /// The time at which the clocks of this zone showed `local`, as which `text` was read.
    fn time_of_local(self, local: i64, text: &str) -> Result<i64, String> {
        let zone_rules = match self.clocks {
            Clocks::Unknown => {
                return Err(format!(
                    "the time {} has no zone; say which with --timezone, e.g. --timezone UTC",
                    excerpt(text)
                ));
            }
            Clocks::Fixed(ahead) => return Ok(local - ahead),
            Clocks::Named(zone_rules) => zone_rules,
        };
        // Clocks differ from UTC by less than a day, and are put once at most within two.
        let [earlier_time, later_time] = [local - DAY, local + DAY].map(|time| local - zone_rules.change(time).ahead);
        let showed = |time: i64| time + zone_rules.change(time).ahead == local;
        match (showed(earlier_time), showed(later_time)) {
            (true, true) if earlier_time != later_time => Err(format!(
                "the time {} was twice in {}, as clocks were put back; write times with their offset, e.g. {}",
                excerpt(text),
                zone_rules.name,
                "2026-11-22T15:04:05+01:00"
            )),
            (true, _) => Ok(earlier_time),
            (_, true) => Ok(later_time),
            _ => Err(format!(
                "the time {} never was in {}, as clocks were put forward over it; are the times of another zone?",
                excerpt(text),
                zone_rules.name
            )),
        }
    }
}

impl ZoneRules {
    /// What holds at `time`.
    fn change(&self, time: i64) -> &Change {
        &self.changes[self.changes.partition_point(|change| change.from <= time).max(1) - 1]
    }

    fn new(name: &str, zone: &TimeZone) -> Self {
        // A day on each side of the years that are read.
        let [first_time, last_time] = [EARLIEST - 2 * DAY, TIMES_END + 2 * DAY];
        let timestamp = |time| Timestamp::from_millisecond(time).unwrap_or_default();
        let ahead = |time| i64::from(zone.to_offset(timestamp(time)).seconds()) * 1000;
        let mut changes = vec![Change { from: first_time, ahead: ahead(first_time), day: i64::MIN }];
        for change in zone.following(timestamp(first_time)) {
            let (change_time, before) = (change.timestamp().as_millisecond(), &changes[changes.len() - 1]);
            if change_time >= last_time {
                break;
            }
            let day = (change_time - 1 + before.ahead).div_euclid(DAY).max(before.day);
            changes.push(Change { from: change_time, ahead: ahead(change_time), day });
        }
        Self { name: name.to_owned(), changes }
    }
}

/// The place of this name in the tz database that is compiled in. Places are few, and kept for ever.
fn zone_rules(name: &str) -> Option<&'static ZoneRules> {
    static ZONE_CACHE: Mutex<BTreeMap<String, &'static ZoneRules>> = Mutex::new(BTreeMap::new());
    // Names have a region, as the tz database recommends; its older names such as `EST` are read in several ways.
    if !name.contains('/') {
        return None;
    }
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    let name = zone.iana_name()?;
    let mut known = ZONE_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let place = known.entry(name.to_owned()).or_insert_with(|| Box::leak(Box::new(ZoneRules::new(name, &zone))));
    Some(place)
}

/// Milliseconds of our time, which have thirteen digits.
#[inline]
fn milliseconds(bytes: &[u8]) -> Option<i64> {
    let digits: &[u8; 13] = bytes.try_into().ok()?;
    let (first, tail) = digits.split_first_chunk::<8>()?;
    let mut digit_word = u64::from_le_bytes(*first);
    // Each byte is a digit if it is 3 in its upper half, also when 6 is added to it.
    let upper = u64::from_le_bytes([0xf0; 8]);
    let three = u64::from_le_bytes([0x30; 8]);
    let is_number = digit_word & upper == three && digit_word.wrapping_add(u64::from_le_bytes([6; 8])) & upper == three;
    if !is_number || first[0] == b'0' || !tail.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Pairs of digits become numbers, then pairs of these, and again.
    digit_word = (digit_word & u64::from_le_bytes([15; 8])).wrapping_mul(10 << 8 | 1) >> 8;
    digit_word = (digit_word & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    digit_word = (digit_word & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32;
    Some(tail.iter().fold(digit_word as i64, |number, digit| 10 * number + i64::from(digit & 15)))
}

fn unreadable(text: &str) -> String {
    format!(
        "the time {} cannot be read; expected e.g. 2026-11-22T15:04:05Z, or seconds or milliseconds since 1970",
        excerpt(text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date;

    #[test]
    fn minutes_are_those_of_the_zone() {
        let time = Zone::default().time("2026-11-22T23:30:59Z").unwrap();
        assert_eq!(Zone::default().minute(time), "2026-11-22 23:30 UTC");
        assert_eq!(Zone::parse("+01:00").unwrap().minute(time), "2026-11-23 00:30 +01:00");
        assert_eq!(Zone::parse("Europe/Berlin").unwrap().minute(time), "2026-11-23 00:30 Europe/Berlin");
    }

    #[test]
    fn days_of_an_offset() {
        let west = Zone::parse("-08:00").unwrap();
        assert_eq!((west.day(0), west.start(0), west.text()), (-1, 8 * 3_600_000, "-08:00".to_owned()));
    }

    #[test]
    fn days_of_a_place_follow_its_clocks() {
        let berlin = Zone::parse("europe/berlin").unwrap();
        assert_eq!((berlin.text(), berlin), ("Europe/Berlin".to_owned(), Zone::parse("Europe/Berlin").unwrap()));
        // Two hours ahead in summer, one in winter; 25 hours on 2026-10-25.
        for (time, day) in [
            ("2026-10-24T21:59:59Z", "2026-10-24"),
            ("2026-10-24T22:00:00Z", "2026-10-25"),
            ("2026-10-25T22:59:59Z", "2026-10-25"),
            ("2026-10-25T23:00:00Z", "2026-10-26"),
        ] {
            assert_eq!(date(berlin.day(berlin.time(time).unwrap())), day, "{time}");
        }
        for local in ["2026-10-25T01:30:00", "2026-10-25 03:30:00"] {
            assert!(berlin.time(local).is_ok(), "{local}");
        }
        assert_eq!(berlin.time("2026-07-01T12:00:00"), berlin.time("2026-07-01T10:00:00Z"));
        assert!(berlin.time("2026-10-25T02:30:00").unwrap_err().contains("was twice in Europe/Berlin"));
        assert!(berlin.time("2026-03-29T02:30:00").unwrap_err().contains("never was in Europe/Berlin"));
        for wrong in ["Europe/Berlino", "Berlin", "EST", "", "/", "../zoneinfo"] {
            assert!(Zone::parse(wrong).unwrap_err().contains("Europe/Berlin"), "{wrong}");
        }
    }

    /// Also where clocks are put at midnight or just after it, and where a day was left out (Samoa, 2011-12-30).
    #[test]
    fn days_of_places_ascend_and_begin_where_they_say() {
        for name in [
            "America/St_Johns",
            "America/Sao_Paulo",
            "Africa/Cairo",
            "Pacific/Apia",
            "Australia/Lord_Howe",
            "Asia/Kathmandu",
        ] {
            let zone = Zone::parse(name).unwrap();
            let mut last = zone.day(EARLIEST);
            for time in (EARLIEST..EARLIEST + 30 * 366 * DAY).step_by(20 * 60_000) {
                let day = zone.day(time);
                assert!(
                    day == last || day == last + 1 || day == last + 2 && name == "Pacific/Apia",
                    "{name} {}",
                    text(time)
                );
                if day > last {
                    let start = zone.start(day);
                    assert!(
                        start <= time && zone.day(start) == day && zone.day(start - 1) < day,
                        "{name} {}",
                        text(time)
                    );
                    last = day;
                }
            }
        }
    }

    #[test]
    fn times_are_read() {
        let utc = Zone::default();
        let expected = 1_795_446_245_000;
        for text in [
            "2026-11-23T15:04:05Z",
            "2026-11-23 15:04:05z",
            "2026-11-23T16:04:05+01:00",
            "2026-11-23T09:34:05-0530",
            "2026-11-23T15:04:05.000999Z",
            "1795446245",
            "1795446245000",
            "1795446245000000",
            "1795446245.0",
        ] {
            assert_eq!(utc.time(text), Ok(expected), "{text}");
        }
        assert_eq!(utc.time("2026-11-23T15:04Z"), Ok(expected - 5000));
        assert_eq!(utc.time("2026-11-23T15:04:05.25Z"), Ok(expected + 250));
        assert_eq!(crate::text(expected + 250), "2026-11-23T15:04:05.250Z");
        let berlin = Zone::parse("+01:00").unwrap();
        assert_eq!(berlin.time("2026-11-23T16:04:05"), Ok(expected));
        assert!(utc.time("2026-11-23T16:04:05").unwrap_err().contains("--timezone"));
        for wrong in
            ["", "yesterday", "2026-11-23", "2026-02-29T00:00Z", "2026-11-23T24:00Z", "2026-11-23T15:04:05.Z", "1e9"]
        {
            assert!(utc.time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn milliseconds_are_read_digit_by_digit() {
        let utc = Zone::default();
        for number in (1_000_000_000_000..4_102_444_800_000_i64).step_by(777_777_777) {
            assert_eq!(utc.time(&number.to_string()), Ok(number));
        }
        for at in 0..13 {
            for byte in 0..=127_u8 {
                let mut text = b"1795446245123".to_vec();
                text[at] = byte;
                let expected = text
                    .iter()
                    .try_fold(0, |sum: i64, byte| byte.is_ascii_digit().then(|| 10 * sum + i64::from(byte - b'0')));
                let expected = expected.filter(|_| text[0] != b'0');
                assert_eq!(milliseconds(&text), expected, "{text:?}");
            }
        }
    }
}
