//! The fates of lines: each line has one, and they are counted.

use std::ops::AddAssign;

use verdicts::conversions::{LineFate, UnitConversions};

/// Makes an enum of fates with names, and the meaning of each.
macro_rules! fates {
    ($(#[$docs:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+ }) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its name in files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// What it means.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

fates! {
    /// What became of a line of the impressions.
    ImpressionFate {
        /// counted
        Credited = "credited",
        /// the same list again, at any time, or a line without documents beside it
        Duplicate = "duplicate",
        /// another line with the same id says something else: neither counts
        Conflict = "conflict",
        /// the window for its clicks is not over
        Open = "open",
        /// no teams and no receipt
        NotMixed = "not-mixed",
        /// one team or no document at all, and nobody can say which rankers met
        OneTeam = "one-team",
        /// no user or session
        NoUnit = "no-unit",
        /// of a bot
        Bot = "bot",
        /// cannot be read
        Malformed = "malformed",
        /// came later than the horizon of a log that grows
        Behind = "behind",
    }
}

fates! {
    /// What became of a line of the clicks.
    ClickFate {
        /// counted
        Credited = "credited",
        /// on a document that was clicked already
        Repeated = "repeated",
        /// the user did not stay long enough
        Unsatisfied = "unsatisfied",
        /// after the window
        Late = "late",
        /// before the impression
        Early = "early",
        /// on a document that was not shown, or on none
        NotShown = "not-shown",
        /// on an impression that is not in the log, or on none
        Unknown = "unknown",
        /// on an impression that does not count
        SetAside = "of-set-aside",
        /// on an impression of a bot
        Bot = "bot",
        /// another action
        Other = "other-action",
        /// cannot be read
        Malformed = "malformed",
        /// came later than the horizon of a log that grows
        Behind = "behind",
    }
}

fates! {
    /// What became of a unit, for one pair of rankers.
    UnitFate {
        /// counted
        Counted = "counted",
        /// its days are not over
        Open = "open",
        /// a bot
        Bot = "bot",
        /// its first impression, the only one that counts where pairs were steered, was set aside or of one ranker
        Spent = "spent",
    }
}

fates! {
    /// What became of a line of the conversions: the best that it has for any version and pair of rankers.
    ConversionFate {
        /// counted for a ranker
        Credited = "credited",
        /// taken back before its unit closed
        Returned = "returned",
        /// takes a conversion back, or a part of one
        Return = "return",
        /// on a document that was nobody's, or as much one ranker's as the other's
        Nobodys = "nobodys",
        /// its unit has not closed
        Open = "open",
        /// after its unit had closed, or too long after the document was shown
        Late = "late",
        /// before the document was shown
        Early = "early",
        /// on a document that no impression of its unit that counts showed
        NotShown = "not-shown",
        /// takes back what is not there
        NoOrder = "no-order",
        /// of a bot
        Bot = "bot",
        /// of no unit that counts
        UnknownUnit = "unknown-unit",
        /// the same again
        Duplicate = "duplicate",
        /// in another currency
        OtherCurrency = "other-currency",
        /// another action
        OtherAction = "other-action",
        /// cannot be read
        Malformed = "malformed",
    }
}

impl From<LineFate> for ConversionFate {
    fn from(fate: LineFate) -> Self {
        match fate {
            LineFate::Credited => Self::Credited,
            LineFate::Returned => Self::Returned,
            LineFate::Return => Self::Return,
            LineFate::Nobodys => Self::Nobodys,
            LineFate::Late => Self::Late,
            LineFate::Early => Self::Early,
            LineFate::NotShown => Self::NotShown,
            LineFate::NoOrder => Self::NoOrder,
            LineFate::Bot => Self::Bot,
        }
    }
}

/// Numbers of lines by fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    impressions: [u64; ImpressionFate::ALL.len()],
    clicks: [u64; ClickFate::ALL.len()],
    units: [u64; UnitFate::ALL.len()],
    /// Impressions that count, but not for the outcome of their unit: its days were over.
    pub after_closing: u64,
    /// The most clicks in the window of one impression that counts.
    pub busiest: u64,
    /// Units that met several pairs although each should keep its first.
    pub unkept: u64,
    /// Impressions that count, mixed by a method that balances the mean credit of random clicks but not who wins by
    /// them.
    pub optimized: u64,
    /// Impressions that count with places that no ranker owns: their documents were not mixed, or others placed them
    /// there.
    pub with_pinned: u64,
    /// Impressions that count with documents that were mixed and left out above others that were displayed.
    pub with_left_out: u64,
    /// Clicks without a dwell time, though a rule asks for it.
    pub without_dwell: u64,
    /// Clicks that were credited by the join and have another fate by their unit.
    taken_back: u64,
}

const WITHOUT_DWELL_ROW: &str = "without-dwell";
const AFTER_CLOSING_ROW: &str = "after-closing";
const BUSIEST_ROW: &str = "busiest";
const OPTIMIZED_ROW: &str = "optimized";
const PINNED_ROW: &str = "with-pinned";
const LEFT_OUT_ROW: &str = "with-left-out";
const UNKEPT_ROW: &str = "unkept-units";
const TAKEN_BACK_ROW: &str = "taken-back";

impl Tally {
    /// Adds impressions.
    pub fn impressions(&mut self, fate: ImpressionFate, count: u64) {
        self.impressions[fate as usize] += count;
    }

    /// Adds clicks.
    pub fn clicks(&mut self, fate: ClickFate, count: u64) {
        self.clicks[fate as usize] += count;
    }

    /// Takes back credited clicks: they have another fate.
    pub(super) fn moved_clicks(&mut self, fate: ClickFate, count: u64) {
        self.taken_back += count;
        self.clicks(fate, count);
    }

    /// The sum of all parts: what was subtracted in one part was credited in another.
    pub(super) fn settled(mut self) -> Self {
        self.clicks[ClickFate::Credited as usize] -= std::mem::take(&mut self.taken_back);
        self
    }

    /// Adds units.
    pub fn units(&mut self, fate: UnitFate, count: u64) {
        self.units[fate as usize] += count;
    }

    /// The impressions of a fate.
    #[must_use]
    pub fn of_impressions(&self, fate: ImpressionFate) -> u64 {
        self.impressions[fate as usize]
    }

    /// The clicks of a fate.
    #[must_use]
    pub fn of_clicks(&self, fate: ClickFate) -> u64 {
        self.clicks[fate as usize]
    }

    /// The units of a fate.
    #[must_use]
    pub fn of_units(&self, fate: UnitFate) -> u64 {
        self.units[fate as usize]
    }

    /// Its counts as rows with the names that [`add_row`](Self::add_row) reads: kind of line, fate, count.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, &'static str, u64)> {
        let impressions =
            ImpressionFate::ALL.iter().map(|fate| ("impression", fate.name(), self.of_impressions(*fate)));
        let clicks = ClickFate::ALL.iter().map(|fate| ("click", fate.name(), self.of_clicks(*fate)));
        let units = UnitFate::ALL.iter().map(|fate| ("unit", fate.name(), self.of_units(*fate)));
        let further_rows = [
            (AFTER_CLOSING_ROW, self.after_closing),
            (BUSIEST_ROW, self.busiest),
            (OPTIMIZED_ROW, self.optimized),
            (PINNED_ROW, self.with_pinned),
            (LEFT_OUT_ROW, self.with_left_out),
            (UNKEPT_ROW, self.unkept),
            (WITHOUT_DWELL_ROW, self.without_dwell),
            (TAKEN_BACK_ROW, self.taken_back),
        ];
        let further_rows = further_rows.into_iter().map(|(name, count)| ("tally", name, count));
        impressions.chain(clicks).chain(units).chain(further_rows).filter(|(.., count)| *count > 0).collect()
    }

    /// Adds a row of another tally; whether there is such a row.
    #[must_use]
    pub fn add_row(&mut self, what: &str, name: &str, count: u64) -> bool {
        let counter = match (what, name) {
            ("impression", _) => {
                let fate = ImpressionFate::ALL.iter().find(|fate| fate.name() == name);
                fate.map(|fate| &mut self.impressions[*fate as usize])
            }
            ("click", _) => {
                ClickFate::ALL.iter().find(|fate| fate.name() == name).map(|fate| &mut self.clicks[*fate as usize])
            }
            ("unit", _) => {
                UnitFate::ALL.iter().find(|fate| fate.name() == name).map(|fate| &mut self.units[*fate as usize])
            }
            ("tally", AFTER_CLOSING_ROW) => Some(&mut self.after_closing),
            ("tally", OPTIMIZED_ROW) => Some(&mut self.optimized),
            ("tally", PINNED_ROW) => Some(&mut self.with_pinned),
            ("tally", LEFT_OUT_ROW) => Some(&mut self.with_left_out),
            ("tally", UNKEPT_ROW) => Some(&mut self.unkept),
            ("tally", WITHOUT_DWELL_ROW) => Some(&mut self.without_dwell),
            ("tally", TAKEN_BACK_ROW) => Some(&mut self.taken_back),
            ("tally", BUSIEST_ROW) => {
                self.busiest = self.busiest.max(count);
                return true;
            }
            _ => None,
        };
        counter.map(|counter| *counter += count).is_some()
    }

    /// Whether a rule needs dwell times and no click has one: all of them would be unsatisfied.
    #[must_use]
    pub fn lacks_dwell(&self) -> bool {
        let [_, lines] = self.lines();
        let not_clicks = [ClickFate::Other, ClickFate::Malformed, ClickFate::Behind];
        let clicks = lines - not_clicks.into_iter().map(|fate| self.of_clicks(fate)).sum::<u64>();
        clicks > 0 && self.without_dwell == clicks
    }

    /// Lines that came later than the horizon of a log that grows, and do not count.
    #[must_use]
    pub fn behind(&self) -> [u64; 2] {
        [self.of_impressions(ImpressionFate::Behind), self.of_clicks(ClickFate::Behind)]
    }

    /// All lines of impressions and of clicks.
    #[must_use]
    pub fn lines(&self) -> [u64; 2] {
        [self.impressions.iter().sum(), self.clicks.iter().sum()]
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        let add = |all: &mut [u64], more: &[u64]| all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
        add(&mut self.impressions, &other.impressions);
        add(&mut self.clicks, &other.clicks);
        add(&mut self.units, &other.units);
        self.taken_back += other.taken_back;
        self.after_closing += other.after_closing;
        self.optimized += other.optimized;
        self.with_pinned += other.with_pinned;
        self.with_left_out += other.with_left_out;
        self.unkept += other.unkept;
        self.without_dwell += other.without_dwell;
        self.busiest = self.busiest.max(other.busiest);
    }
}

/// The fate of a line or of a unit, if tracing was requested. Pairs are places in [`CreditedLog::rankers`](super::CreditedLog), versions in
/// [`CreditedLog::versions`](super::CreditedLog); files are numbered in the order given, lines from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trace {
    /// A line that was set aside.
    Aside(Aside),
    /// The outcome of an impression for one of its pairs.
    Pair(TracedPair),
    /// An outcome of a unit.
    Unit(TracedUnit),
    /// The conversions of a unit.
    Conversions(TracedConversions),
}

/// The outcome of an impression for one of its pairs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TracedPair {
    /// The number of its file.
    pub file: u32,
    /// Its line.
    pub line: u64,
    /// The pair, the lower place first.
    pub pair: (usize, usize),
    /// The version.
    pub version: usize,
    /// The day on which it was shown, in days since 1970-01-01.
    pub day: i32,
    /// 1 if the first won, -1 if the second did.
    pub net: i8,
    /// Its clicks, each document once.
    pub clicks: u32,
    /// Whether it counts.
    pub fate: &'static str,
}

/// An outcome of a unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TracedUnit {
    /// The number of the file of its first line.
    pub file: u32,
    /// That line.
    pub line: u64,
    /// The pair; `None` where it has no outcome of one.
    pub pair: Option<(usize, usize)>,
    /// The version.
    pub version: usize,
    /// The last day that counts for it, in days since 1970-01-01.
    pub day: i32,
    /// Wins of the first minus those of the second.
    pub net: i64,
    /// Whether it counts.
    pub fate: &'static str,
}

/// The conversions of a unit, for one pair of rankers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TracedConversions {
    /// The number of the file of the first line of its impressions.
    pub file: u32,
    /// That line.
    pub line: u64,
    /// The pair.
    pub pair: (usize, usize),
    /// The version.
    pub version: usize,
    /// The day on which it closes for conversions, in days since 1970-01-01.
    pub day: i32,
    /// Their sum; zero for a unit that does not count.
    pub sum: UnitConversions,
    /// Whether it counts.
    pub fate: &'static str,
}

/// A line that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aside {
    /// Whether it is an impression.
    pub is_impression: bool,
    /// The number of its file, in the order given.
    pub file: u32,
    /// The line, from 1.
    pub line: u64,
    /// Why.
    pub fate: &'static str,
}
