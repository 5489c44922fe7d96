//! The same join for lines that something else groups: a data frame, or an engine such as Spark, which already sorts, spills
//! and recovers.
//!
//! 1. [`FrameJoin`] takes all lines of some impressions, in any order, and credits them; before that it can summarise all
//!    impressions ([`Survey`]).
//! 2. [`Units`] takes all outcomes of some units, in any order, and counts them.
//! 3. [`LogTotals`] adds up the results of both, which are whole numbers.
//!
//! Each step may be divided in any way that keeps an impression, or a unit, in one piece, and pieces may be run again.

use std::collections::{BTreeMap, BTreeSet};

use verdicts::VersionDeclarations;
use verdicts::amounts::SideClicks;
use verdicts::integrity::PageRecord;

use super::append::{PendingRun, State, append_blocks};
use super::credited_log::CreditedLog;
use super::encode_blocks::line_encoder::LineEncoder;
use super::encode_blocks::note_action;
use super::inputs::{Inputs, Order, Resources};
use super::join_state::JoinState;
use super::outcome::{OutcomeBlocks, PairOutcome, UNKNOWN_PLACE};
use super::record::{Blocks, CLICK_BYTES, ClickRecord, ImpressionRecord};
use super::span::Span;
use super::survey::Survey;
use super::table::ImpressionTable;
use super::tally::{ClickFate, ImpressionFate, Tally};
use super::units::{Counter, LineupIndex, LogTotals};
use crate::error::{LineError, LogError};
use crate::model::{Impression, Lineup, Lineups, Settings, SingleRanker};
use crate::read::{Event, FastPath, RowRef};

/// The outcome of one impression for one pair of its rankers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitOutcome<'a> {
    /// The hash of the user or session.
    pub unit: u128,
    /// When the impression was shown, in milliseconds since 1970, and a number that orders impressions of one moment.
    pub shown: (i64, u32),
    /// Days since 1970-01-01.
    pub day: i32,
    /// The version of the experiment, if the impression names one.
    pub version: Option<&'a str>,
    /// The rankers; `None` where the impression does not name them.
    pub rankers: [Option<&'a str>; 2],
    /// 1 if the first won, -1 if the second did.
    pub net: i8,
    /// Whether it is the first pair of its impression.
    pub stands: bool,
    /// Whether the impression was set aside: then it only shows that the unit saw a list.
    pub is_set_aside: bool,
    /// Whether the rules for bots match the name of the unit or its agent.
    pub is_known_bot: bool,
    /// Clicks that were credited, each document once.
    pub clicks: u32,
    /// The clicks that rules for bots count: those in its window.
    pub all_clicks: u32,
    /// What its page shows of the pair.
    pub page: PageRecord,
    /// Clicks on documents of each of the pair, each document once, if the impression says who owns them.
    pub sides: Option<SideClicks>,
}

/// The number of tables of a log in memory: each fits a processor's cache.
const PART_COUNT: usize = 64;

/// The table of an impression.
fn table_of(id: u128) -> usize {
    id as usize % PART_COUNT
}

fn blocks() -> Vec<Blocks> {
    std::iter::repeat_with(Blocks::default).take(PART_COUNT).collect()
}

/// Impressions and clicks, as far as they were passed.
#[derive(Debug)]
pub struct FrameJoin {
    settings: Settings,
    lineups: Lineups,
    /// Records by [`table_of`] their ids.
    impressions: Vec<Blocks>,
    clicks: Vec<Blocks>,
    tally: Tally,
    times: Span,
    is_synthetic: bool,
    other_actions: BTreeSet<String>,
    /// Lines of earlier times are behind: the days that they would change are over.
    behind: i64,
}

impl FrameJoin {
    /// Nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            lineups: Lineups::default(),
            impressions: blocks(),
            clicks: blocks(),
            tally: Tally::default(),
            times: Span::default(),
            is_synthetic: false,
            other_actions: BTreeSet::new(),
            behind: i64::MIN,
        }
    }

    /// An empty join that will be [appended](Self::append) to a state opened for these settings.
    ///
    /// # Errors
    /// If the state is damaged.
    pub fn for_state(settings: Settings, state: &State) -> Result<Self, LogError> {
        Ok(Self { lineups: state.lineups()?, behind: state.behind_before(), ..Self::new(settings) })
    }

    /// Credits the lines passed so far together with a state, which stays as it is until the second result is
    /// [kept](PendingRun::keep).
    ///
    /// # Errors
    /// As for [`append`](super::append()), as if the impressions and the clicks passed were one file each.
    pub fn append(&mut self, state: State) -> anyhow::Result<(CreditedLog, PendingRun)> {
        let resources = Resources {
            // They are in memory already.
            memory: 1 << 48,
            threads: output::threads::count(None),
            scratch_folder: state.folder().to_path_buf(),
            disk: None,
            partitions: None,
            order: Order::Any,
            block: None,
        };
        let settings = self.settings.clone();
        let mut work =
            JoinState::new(&Inputs { impressions: Vec::new(), clicks: Vec::new() }, &settings, &resources, false);
        work.lineups = std::mem::take(&mut self.lineups);
        work.tally = self.take_tally();
        work.times = std::mem::take(&mut self.times);
        work.is_synthetic = self.is_synthetic;
        work.other_actions = std::mem::take(&mut self.other_actions);
        let [impressions, clicks] =
            [&mut self.impressions, &mut self.clicks].map(|all| std::mem::replace(all, blocks()));
        append_blocks(state, work, [impressions, clicks])
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Adds impressions; calls `malformed` with the place of one that cannot be read and the reason.
    ///
    /// # Errors
    /// Those of `malformed`, unless malformed lines are set aside.
    pub fn impressions<'a, E>(
        &mut self,
        rows: impl Iterator<Item = Result<Impression<'a>, LineError>>,
        malformed: impl Fn(usize, LineError) -> E,
    ) -> Result<(), E> {
        let mut encoder = LineEncoder::new(&self.settings, &self.lineups, false);
        for (row_index, row) in rows.enumerate() {
            let encoded_row = row.and_then(|impression| {
                if impression.time < self.behind {
                    self.tally.impressions(ImpressionFate::Behind, 1);
                    return Ok(());
                }
                encoder.encode_owned_impression(&impression, (0, 0), |id| self.impressions[table_of(id)].buffer())?;
                self.times.add(impression.time);
                self.is_synthetic |= impression.is_synthetic();
                Ok(())
            });
            match encoded_row {
                Ok(()) => {}
                Err(_) if self.settings.set_malformed_aside => self.tally.impressions(ImpressionFate::Malformed, 1),
                Err(reason) => return Err(malformed(row_index, reason)),
            }
        }
        Ok(())
    }

    /// Adds impressions in `count` rows. `usual` fills an empty row from the table, and returns whether that is the whole
    /// impression; `complete` reads those of another form, and faulty ones. Calls `malformed` with the place of one that
    /// cannot be read and the reason.
    ///
    /// # Errors
    /// Those of `malformed`, unless malformed lines are set aside.
    pub fn impression_rows<'a, E>(
        &mut self,
        count: usize,
        usual: impl Fn(usize, &mut RowRef<'a>) -> bool,
        complete: impl Fn(usize) -> Result<Impression<'a>, LineError>,
        malformed: impl Fn(usize, LineError) -> E,
    ) -> Result<(), E> {
        let Self { settings, lineups, impressions, behind, .. } = self;
        let mut encoder = LineEncoder::new(settings, lineups, false);
        let mut rows = FastPath::default();
        for row_index in 0..count {
            let encoded_row = match rows.row(settings, |row| usual(row_index, row)) {
                Some(row) if row.time < *behind => Ok(None),
                Some(row) => encoder
                    .encode_impression(&row, (0, 0), |id| impressions[table_of(id)].buffer())
                    .map(|()| Some((row.time, row.is_synthetic()))),
                None => complete(row_index).and_then(|row| {
                    if row.time < *behind {
                        return Ok(None);
                    }
                    encoder.encode_owned_impression(&row, (0, 0), |id| impressions[table_of(id)].buffer())?;
                    Ok(Some((row.time, row.is_synthetic())))
                }),
            };
            match encoded_row {
                Ok(None) => self.tally.impressions(ImpressionFate::Behind, 1),
                Ok(Some((time, is_synthetic))) => {
                    self.times.add(time);
                    self.is_synthetic |= is_synthetic;
                }
                Err(_) if settings.set_malformed_aside => self.tally.impressions(ImpressionFate::Malformed, 1),
                Err(reason) => return Err(malformed(row_index, reason)),
            }
        }
        Ok(())
    }

    /// Adds clicks and other events; calls `malformed` with the place of one that cannot be read and the reason.
    ///
    /// # Errors
    /// Those of `malformed`, unless malformed lines are set aside.
    pub fn clicks<'a, E>(
        &mut self,
        rows: impl Iterator<Item = Result<Event<'a>, LineError>>,
        malformed: impl Fn(usize, LineError) -> E,
    ) -> Result<(), E> {
        let encoder = LineEncoder::new(&self.settings, &self.lineups, false);
        for (row_index, row) in rows.enumerate() {
            match row {
                Ok(Event::Click(click)) if click.time < self.behind => self.tally.clicks(ClickFate::Behind, 1),
                Ok(Event::Click(click)) => {
                    self.tally.without_dwell += encoder.lacks_dwell(&click);
                    encoder.encode_click(&click, (0, 0), |id| self.clicks[table_of(id)].buffer());
                }
                Ok(Event::Other(action)) => {
                    self.tally.clicks(ClickFate::Other, 1);
                    note_action(&mut self.other_actions, &action);
                }
                Err(_) if self.settings.set_malformed_aside => self.tally.clicks(ClickFate::Malformed, 1),
                Err(reason) => return Err(malformed(row_index, reason)),
            }
        }
        Ok(())
    }

    /// Bytes that wait for [`credit`](Self::credit).
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.impressions.iter().chain(&self.clicks).map(Blocks::len).sum()
    }

    /// The summary of the impressions passed so far.
    #[must_use]
    pub fn survey(&self) -> Survey {
        let (versions, other_actions) = (self.lineups.versions(), self.other_actions.clone());
        Survey { times: self.times.clone(), versions, is_synthetic: self.is_synthetic, other_actions }
    }

    /// Forgets the lines, but keeps their summary.
    pub fn forget(&mut self) {
        (self.impressions, self.clicks) = (blocks(), blocks());
    }

    /// Credits the impressions passed, and forgets them. All lines of these impressions must have been passed. Those
    /// whose window ends after `complete_until` are open.
    ///
    /// # Errors
    /// If a receipt is not valid for its method, which is checked when lines are read.
    pub fn credit(&mut self, complete_until: i64, mut take: impl FnMut(UnitOutcome<'_>)) -> Result<(), LogError> {
        let lineups = self.lineups.all();
        let mut add_outcome = |outcome: PairOutcome| {
            let lineup = lineups.get(outcome.lineup as usize);
            let rankers = lineup.map_or(&[][..], |lineup| &lineup.rankers);
            let name = |place: u8| rankers.get(usize::from(place)).map(String::as_str);
            take(UnitOutcome {
                unit: outcome.unit,
                shown: outcome.shown,
                day: outcome.day,
                version: lineup.and_then(|lineup| lineup.version.as_deref()),
                rankers: outcome.pair.map(name),
                net: outcome.net,
                stands: outcome.stands,
                is_set_aside: outcome.is_set_aside,
                is_known_bot: outcome.is_known_bot,
                clicks: outcome.clicks,
                all_clicks: outcome.all_clicks,
                page: outcome.page,
                sides: outcome.sides,
            });
        };
        // Each part is given back as soon as it is joined.
        let parts = std::mem::replace(&mut self.impressions, blocks()).into_iter();
        for (impressions, clicks) in parts.zip(std::mem::replace(&mut self.clicks, blocks())) {
            let mut table = ImpressionTable::new(&self.settings, complete_until, false, impressions.len());
            table.insert_all(impressions.iter().flat_map(|block| ImpressionRecord::all(block, false)));
            drop(impressions);
            table.click_all(clicks.iter().flat_map(|block| block.chunks_exact(CLICK_BYTES)).map(ClickRecord::read));
            drop(clicks);
            let joined = table.finish(&lineups, &mut add_outcome, drop);
            self.tally += joined.map_err(LogError::new)?.tally;
        }
        Ok(())
    }

    /// Takes the fates of the lines credited so far; counting starts again from 0.
    pub fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }
}

/// Outcomes of units.
#[derive(Debug)]
pub struct Units {
    settings: Settings,
    names: Vec<String>,
    versions: BTreeMap<Option<String>, VersionDeclarations>,
    last_day: i32,
    /// Pairs of rankers with their version, and their numbers; and the last of them, since most follow one like them.
    numbers: BTreeMap<[Option<String>; 3], u32>,
    last: Option<([Option<String>; 3], u32)>,
    lineups: Vec<Lineup>,
    outcomes: OutcomeBlocks,
}

impl Units {
    /// Nothing yet; `survey` is that of the complete log.
    #[must_use]
    pub fn new(settings: Settings, survey: &Survey) -> Self {
        let (_, last_day) = survey.closing(&settings);
        let names = survey.names(&settings);
        let versions = survey.versions.clone();
        let (numbers, lineups, outcomes) = (BTreeMap::new(), Vec::new(), OutcomeBlocks::default());
        Self { settings, names, versions, last_day, numbers, last: None, lineups, outcomes }
    }

    /// Adds an outcome.
    ///
    /// # Errors
    /// For a ranker or version that is not in the survey.
    pub fn push(&mut self, outcome: &UnitOutcome<'_>) -> Result<(), LogError> {
        let [first, second] = outcome.rankers;
        let names = [first, second, outcome.version];
        let number = match &self.last {
            Some((last, number)) if last.each_ref().map(Option::as_deref) == names => *number,
            _ => self.number(names)?,
        };
        let place = |at: usize| if outcome.rankers[at].is_some() { at as u8 } else { UNKNOWN_PLACE };
        self.outcomes.push(PairOutcome {
            unit: outcome.unit,
            shown: outcome.shown,
            day: outcome.day,
            lineup: number,
            pair: [place(0), place(1)],
            net: outcome.net,
            stands: outcome.stands,
            is_set_aside: outcome.is_set_aside,
            is_known_bot: outcome.is_known_bot,
            clicks: outcome.clicks,
            all_clicks: outcome.all_clicks,
            page: outcome.page,
            sides: outcome.sides,
            advantage: None,
            origin: None,
        });
        Ok(())
    }

    /// The number of a pair with its version.
    fn number(&mut self, names: [Option<&str>; 3]) -> Result<u32, LogError> {
        let key = names.map(|name| name.map(str::to_owned));
        let number = match self.numbers.get(&key) {
            Some(&number) => number,
            None => {
                let [first, second, version] = key.clone();
                let rankers: Vec<String> = [first, second].into_iter().flatten().collect();
                if let Some(name) = rankers.iter().find(|name| !self.names.contains(name)) {
                    let known = self.names.join(", ");
                    return Err(LogError::new(format!(
                        "the log has the ranker {name}, which is none of {known}; name all rankers, or none"
                    )));
                }
                if !self.versions.contains_key(&version) {
                    let version = version.unwrap_or_default();
                    return Err(LogError::new(format!("the version {version:?} is none that the impressions name")));
                }
                let (scheme, method, declared) = (crate::model::Scheme::Teams, String::new(), None);
                self.lineups.push(Lineup { rankers, scheme, method, version, declared, alone: SingleRanker::No });
                let number = self.numbers.len() as u32;
                self.numbers.insert(key.clone(), number);
                number
            }
        };
        self.last = Some((key, number));
        Ok(number)
    }

    /// The number of outcomes that wait for [`count`](Self::count).
    #[must_use]
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outcomes.len() == 0
    }

    /// Counts the units passed, and forgets them. All outcomes of these units must have been passed.
    pub fn count(&mut self, sum: &mut LogTotals) {
        let pairs = LineupIndex::new(&self.lineups, self.names.clone(), &self.versions, &self.settings);
        let mut counter = Counter::new(&self.settings, &pairs, self.last_day, true);
        counter.count(&std::mem::take(&mut self.outcomes));
        for ((version, day, pair), of) in counter.days {
            let names = [pair.0, pair.1].map(|place| pairs.names[place].clone());
            sum.add_day(pairs.versions[version].name.clone(), day, names, of);
        }
        sum.tally += counter.tally;
    }
}
