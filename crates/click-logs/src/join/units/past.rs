//! The past of a unit: its state from days that are over.

use ranktypes::varint::{self, unzigzag, zigzag};
use verdicts::amounts::UnitAmounts;
use verdicts::draft::UnitDraft;

/// What a unit keeps of days that were counted before. The default is that of a new unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::join) struct UnitPast {
    /// The first day on which it broke a rule for bots; the last of all days if it broke none.
    pub(in crate::join) bot_from: i32,
    /// The versions of the experiment that it has met.
    pub(in crate::join) versions: Vec<MetVersion>,
    /// Its sums.
    pub(in crate::join) sums: Vec<UnitSum>,
}

/// A version that a unit has met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::join) struct MetVersion {
    pub(in crate::join) version: usize,
    /// The first pair, where a unit should keep it.
    pub(in crate::join) first: Option<(usize, usize)>,
    /// Whether it met another pair all the same, and was counted for that.
    pub(in crate::join) is_unkept: bool,
}

/// The sum of a unit for a pair in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::join) struct UnitSum {
    pub(in crate::join) version: usize,
    pub(in crate::join) pair: (usize, usize),
    /// The last day that counts.
    pub(in crate::join) last: i32,
    /// Wins minus losses.
    pub(in crate::join) net: i64,
    pub(in crate::join) amounts: UnitAmounts,
    /// The advantage that coins gave the first; zero where it is not noted, as in stored pasts.
    pub(in crate::join) draft: UnitDraft,
    /// Whether its outcome is still to be counted.
    pub(in crate::join) is_open: bool,
}

impl Default for UnitPast {
    fn default() -> Self {
        Self { bot_from: i32::MAX, versions: Vec::new(), sums: Vec::new() }
    }
}

impl UnitPast {
    /// Makes it that of a new unit.
    pub(in crate::join) fn clear(&mut self) {
        self.bot_from = i32::MAX;
        self.versions.clear();
        self.sums.clear();
    }

    /// Its record of a version, if the unit has met it.
    pub(in crate::join) fn met_version(&self, version: usize) -> Option<MetVersion> {
        self.versions.iter().find(|met| met.version == version).copied()
    }

    /// Stores the record of a version.
    pub(in crate::join) fn note(&mut self, met: MetVersion) {
        match self.versions.iter_mut().find(|known| known.version == met.version) {
            Some(known) => *known = met,
            None => self.versions.push(met),
        }
    }

    /// Whether some sum is still to be counted.
    pub(in crate::join) fn has_open(&self) -> bool {
        self.sums.iter().any(|sum| sum.is_open)
    }

    /// Appends it; `version` gives the number that a version is written as. The first byte says whether some sum is open.
    pub(in crate::join) fn write(&self, bytes: &mut Vec<u8>, version: impl Fn(usize) -> usize) {
        let Self { bot_from, versions: met, sums } = self;
        let is_bot = *bot_from != i32::MAX;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        bytes.push(flag(self.has_open(), HAS_OPEN) | flag(is_bot, IS_BOT));
        let mut write = |number: usize| varint::write(number as u64, bytes);
        if is_bot {
            write(zigzag((*bot_from).into()) as usize);
        }
        write(met.len());
        for met in met {
            write(version(met.version));
            write(usize::from(met.first.is_some()) | usize::from(met.is_unkept) << 1);
            met.first.into_iter().flat_map(|(i, j)| [i, j]).for_each(&mut write);
        }
        write(sums.len());
        for UnitSum { version: of, pair: (i, j), last, net, amounts, draft: _, is_open } in sums {
            [version(*of), *i, *j, usize::from(*is_open)].into_iter().for_each(&mut write);
            if *is_open {
                [zigzag((*last).into()), zigzag(*net)].into_iter().for_each(|number| write(number as usize));
                amounts.numbers().into_iter().for_each(|number| write(number as usize));
            }
        }
    }

    /// Whether the past in these bytes has an open sum.
    pub(in crate::join) fn is_written_open(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|flags| flags & HAS_OPEN != 0)
    }

    /// The past in exactly these bytes, with versions numbered by `version`; `None` if they hold none.
    pub(in crate::join) fn read(bytes: &[u8], version: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let (flags, mut tail) = bytes.split_first()?;
        let mut read = || {
            let (number, after) = varint::read(tail)?;
            tail = after;
            Some(number)
        };
        let mut past = Self::default();
        if flags & IS_BOT != 0 {
            past.bot_from = i32::try_from(unzigzag(read()?)).ok()?;
        }
        for _ in 0..read()? {
            let (version, flags) = (version(read()? as usize)?, read()?);
            let first = if flags & 1 == 1 { Some((read()? as usize, read()? as usize)) } else { None };
            past.versions.push(MetVersion { version, first, is_unkept: flags & 2 == 2 });
        }
        for _ in 0..read()? {
            let (version, pair, is_open) = (version(read()? as usize)?, (read()? as usize, read()? as usize), read()?);
            let mut sum = UnitSum {
                version,
                pair,
                // A counted sum is closed for all later days.
                last: i32::MIN,
                net: 0,
                amounts: UnitAmounts::default(),
                draft: UnitDraft::default(),
                is_open: is_open == 1,
            };
            if sum.is_open {
                sum.last = i32::try_from(unzigzag(read()?)).ok()?;
                sum.net = unzigzag(read()?);
                let mut numbers = [0; 5];
                for number in &mut numbers {
                    *number = u32::try_from(read()?).ok()?;
                }
                sum.amounts = UnitAmounts::from_numbers(numbers);
            }
            past.sums.push(sum);
        }
        tail.is_empty().then_some(past)
    }
}

const HAS_OPEN: u8 = 1;
const IS_BOT: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        for number in [0, 1, -1, 77, -20_780, i64::MAX, i64::MIN] {
            assert_eq!(unzigzag(zigzag(number)), number);
        }
        let sum = |last, net, is_open| UnitSum {
            version: 2,
            pair: (0, 200),
            last,
            net,
            amounts: if is_open { UnitAmounts::from_numbers([3, 1, 2, 1, u32::MAX]) } else { UnitAmounts::default() },
            draft: UnitDraft::default(),
            is_open,
        };
        let met = |version, first, is_unkept| MetVersion { version, first, is_unkept };
        let pasts = [
            UnitPast::default(),
            UnitPast {
                versions: vec![met(0, None, false)],
                sums: vec![sum(i32::MIN, 0, false)],
                ..UnitPast::default()
            },
            UnitPast {
                bot_from: -5,
                versions: vec![met(2, Some((1, 300)), true), met(0, None, false)],
                sums: vec![sum(20_780, -3, true), sum(i32::MIN, 0, false)],
            },
        ];
        for past in pasts {
            let mut bytes = Vec::new();
            past.write(&mut bytes, |version| version + 7);
            assert_eq!(UnitPast::is_written_open(&bytes), past.has_open());
            assert_eq!(UnitPast::read(&bytes, |version| version.checked_sub(7)), Some(past));
            assert!((0..bytes.len()).all(|cut| UnitPast::read(&bytes[..cut], Some).is_none()));
            bytes.push(0);
            assert_eq!(UnitPast::read(&bytes, Some), None);
        }
    }
}
