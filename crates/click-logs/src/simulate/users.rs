//! One user from the first visit to the last, and what the log makes of it.

use clicks::{CompiledClickModel, User};
use interleave::keyed::RunKey;
use interleave::{Doc, Examination, Generator, Interleaving, Preference, receipt};
use rand::RngExt;

use super::lines::{ClickLine, CreditLine, ImpressionLine};
use super::settings::{BROWSER, CRAWLER, WINDOW};
use super::truth::Counted;
use super::world::{World, normal};
use super::{Lines, Simulation, Truth};
use crate::join::{ClickFate, ImpressionFate};
use crate::model::time::DAY;

/// Numbers of impressions of one user are below this.
const MOST: u64 = 1 << 12;
/// Impressions of one person, in all; fewer than make a bot of one on a day.
const MOST_OF_A_PERSON: u64 = 60;
/// What bots see on their day, at least.
const LEAST_OF_A_BOT: u64 = 150;

/// Who visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visitor {
    Person,
    /// Says so.
    Crawler,
    /// Is found by what it does.
    Scraper,
}

/// A user, and what is drawn for it.
pub(super) struct UserLog<'a> {
    simulation: &'a Simulation,
    world: &'a World,
    names: Vec<String>,
    number: u64,
    visitor: Visitor,
    taste: f64,
    generator: Generator,
    run: RunKey,
}

/// When an impression is shown.
#[derive(Debug, Clone, Copy)]
struct Visit {
    number: u64,
    session: u64,
    day: u32,
    time: i64,
}

/// A click while it happens.
struct Happened {
    document: u16,
    fate: ClickFate,
    is_logged: bool,
    time: i64,
    dwell: f64,
}

impl<'a> UserLog<'a> {
    pub(super) fn new(simulation: &'a Simulation, world: &'a World, number: u64) -> Self {
        let mut generator = RunKey::new(simulation.seed, 1).impression(number).users();
        let taste = simulation.taste * normal(&mut generator);
        let visitor = match generator.random::<f64>() {
            draw if draw >= simulation.bots => Visitor::Person,
            draw if draw < simulation.bots / 2.0 => Visitor::Crawler,
            _ => Visitor::Scraper,
        };
        let run = RunKey::new(simulation.seed, 2);
        Self { simulation, world, names: simulation.names(), number, visitor, taste, generator, run }
    }

    /// Writes all that the user does.
    pub(super) fn write(mut self, lines: &mut Lines, truth: &mut Truth) {
        let visits = self.visits();
        let mut counted: Vec<Counted> = Vec::new();
        let mut pairs = std::collections::BTreeSet::new();
        for visit in visits {
            let outcome = self.impression(visit, lines, truth);
            if self.visitor == Visitor::Person {
                counted.extend(outcome);
            } else {
                pairs.extend(outcome.map(|(_, pair, _)| pair));
            }
        }
        truth.user(&counted);
        truth.bot(pairs.len() as u64);
    }

    /// The sessions of a user: on the first day one at least, on later ones fewer and fewer.
    fn visits(&mut self) -> Vec<Visit> {
        let days = self.simulation.days;
        let mut visits = Vec::new();
        let mut day = self.generator.random_range(0..days);
        let mut session = 0;
        if self.visitor != Visitor::Person {
            let count = self.generator.random_range(LEAST_OF_A_BOT..2 * LEAST_OF_A_BOT);
            let start = self.start(day);
            visits.extend((0..count).map(|number| Visit { number, session, day, time: start + 5_000 * number as i64 }));
            return visits;
        }
        while day < days {
            // The middle of the day, so that no session reaches the next one.
            let mut time = self.start(day) + self.generator.random_range(0..DAY / 2);
            loop {
                visits.push(Visit { number: visits.len() as u64, session, day, time });
                time += self.generator.random_range(10_000..120_000);
                if visits.len() as u64 == MOST_OF_A_PERSON {
                    return visits;
                }
                if self.generator.random::<f64>() < 0.4 {
                    break;
                }
            }
            session += 1;
            // Back on the same day, on a later one, or never.
            match self.generator.random::<f64>() {
                draw if draw < 0.15 => {}
                draw if draw < 0.5 => day += self.generator.random_range(1..5),
                _ => break,
            }
        }
        visits
    }

    /// Six o'clock of a day of the log, in UTC.
    fn start(&self, day: u32) -> i64 {
        (i64::from(self.simulation.first_day) + i64::from(day)) * DAY + DAY / 4
    }

    /// Plays one impression and logs it; returns who won, if it counts or is of a bot.
    fn impression(&mut self, visit: Visit, lines: &mut Lines, truth: &mut Truth) -> Option<Counted> {
        let Self { simulation, world, visitor, taste, .. } = *self;
        let number = self.number * MOST + visit.number;
        let key = self.run.impression(number);
        let mut chance = key.coins();
        let query = key.query(world.queries());
        let (first, second) = self.pair(&mut chance);
        let lists = [first, second].map(|ranker| world.list(simulation, query, ranker, visit.day).as_list());
        let mut happened: Vec<Happened> = Vec::new();
        let mut luck = key.users();
        let mut reader = world.model.user();
        let method = &simulation.method;
        let mut scratch = Default::default();
        // The truth: what the method says while the user reads.
        let winner = method.compare(lists, simulation.shown, &mut key.lists(), &mut scratch, |doc: Doc| {
            let read = reader.examine(world.grade(query, doc.index(), taste), &mut luck);
            if !read.clicked {
                return Examination { clicked: false, abandons: read.abandons };
            }
            let click = self::happened(simulation, visit, doc, &mut chance);
            let counts = click.fate == ClickFate::Credited && click.is_logged;
            happened.push(click);
            Examination { clicked: counts, abandons: read.abandons }
        });
        let (shown, kept) = method.draw(lists, simulation.shown, &mut key.lists(), &mut scratch);
        let shown: Vec<u16> = shown.into_iter().map(|doc| doc.index() as u16).collect();
        let is_conflict = visitor == Visitor::Person && chance.random::<f64>() < simulation.conflicts;
        truth.shown(visit.time);
        let id = id(number);
        let teams: Option<Vec<Option<u8>>> = simulation.has_teams().then(|| {
            let owner = |position| match method.credit(&kept, &[position]).expect("a position of the list") {
                Preference::First => Some(0),
                Preference::Second => Some(1),
                Preference::Tie => None,
            };
            (0..shown.len()).map(owner).collect()
        });
        let bytes = if teams.is_none() { receipt::to_bytes(&kept).expect("a receipt") } else { Vec::new() };
        let credit = match &teams {
            Some(teams) => CreditLine::Teams(teams),
            None => CreditLine::Receipt(&bytes),
        };
        let line = ImpressionLine {
            id,
            time: visit.time,
            user: self.number,
            session: self.number * MOST + visit.session,
            agent: if visitor == Visitor::Crawler { CRAWLER } else { BROWSER },
            query,
            shown: &shown,
            rankers: [first, second].map(|ranker| self.names[ranker].as_str()),
            credit,
        };
        let copies = 1 + u64::from(chance.random::<f64>() < simulation.doubles);
        (0..copies).for_each(|_| lines.impression(simulation.dialect, &line));
        let fate = if is_conflict {
            // The id of one query, and the list of another.
            let other = ImpressionLine { time: visit.time + 1, query: query + 1, ..line };
            lines.impression(simulation.dialect, &other);
            truth.impression_lines(ImpressionFate::Conflict, copies + 1);
            None
        } else {
            truth.impression_lines(ImpressionFate::Duplicate, copies - 1);
            let fate = if visitor == Visitor::Person { ImpressionFate::Credited } else { ImpressionFate::Bot };
            truth.impression_lines(fate, 1);
            Some(fate)
        };
        self.clicks(id, query, &shown, visit, fate, happened, &mut chance, lines, truth);
        fate?;
        let net = match winner {
            Preference::First => 1,
            Preference::Second => -1,
            Preference::Tie => 0,
        };
        let (pair, net) = if first < second { ((first, second), net) } else { ((second, first), -net) };
        Some((self.simulation.first_day + visit.day as i32, pair, net))
    }

    /// Two rankers, in either order.
    fn pair(&self, chance: &mut Generator) -> (usize, usize) {
        let count = self.simulation.rankers;
        let first = chance.random_range(0..count);
        let second = (first + chance.random_range(1..count)) % count;
        (first, second)
    }

    /// Logs the clicks of an impression, doubles, and clicks that are none.
    #[expect(clippy::too_many_arguments, reason = "all that an impression is")]
    fn clicks(
        &self,
        id: u64,
        query: usize,
        shown: &[u16],
        visit: Visit,
        fate: Option<ImpressionFate>,
        happened: Vec<Happened>,
        chance: &mut Generator,
        lines: &mut Lines,
        truth: &mut Truth,
    ) {
        let simulation = self.simulation;
        let mut on_this = 0;
        let of_impression = |of_click: ClickFate| match fate {
            None => ClickFate::SetAside,
            Some(ImpressionFate::Bot) if of_click == ClickFate::Credited => ClickFate::Bot,
            Some(_) => of_click,
        };
        for Happened { document, fate, is_logged, time, dwell } in happened {
            if !is_logged {
                continue;
            }
            let copies = 1 + u64::from(chance.random::<f64>() < simulation.doubles);
            let line = ClickLine { id, query, document, time, dwell };
            (0..copies).for_each(|_| lines.click(simulation.dialect, &line));
            truth.click_lines(of_impression(fate), 1);
            let of_copy = if fate == ClickFate::Credited { ClickFate::Repeated } else { fate };
            truth.click_lines(of_impression(of_copy), copies - 1);
            on_this += if matches!(fate, ClickFate::Late | ClickFate::Early) { 0 } else { copies };
        }
        if chance.random::<f64>() < simulation.not_shown {
            // Documents of a query have smaller numbers.
            let document = super::world::DOCUMENTS as u16 + shown.len() as u16;
            lines.click(simulation.dialect, &ClickLine { id, query, document, time: visit.time + 1000, dwell: 60.0 });
            truth.click_lines(of_impression(ClickFate::NotShown), 1);
            on_this += 1;
        }
        if chance.random::<f64>() < simulation.unknown {
            let id = self::id(id ^ u64::MAX);
            let line = ClickLine { id, query, document: shown[0], time: visit.time + 1000, dwell: 60.0 };
            lines.click(simulation.dialect, &line);
            truth.click_lines(ClickFate::Unknown, 1);
        }
        if fate.is_some() {
            truth.clicks_in_window_of_one(on_this);
        }
    }
}

/// What becomes of a click.
fn happened(simulation: &Simulation, visit: Visit, doc: Doc, chance: &mut Generator) -> Happened {
    let draw = chance.random::<f64>();
    let dwell = (10.0 * (1.0 + 90.0 * chance.random::<f64>().powi(3))).round() / 10.0;
    let is_long = simulation.dwell.is_none_or(|least| (dwell * 1e3).floor() as i64 >= least);
    let in_time = if is_long { ClickFate::Credited } else { ClickFate::Unsatisfied };
    // Clocks differ by two seconds at most, unless one is an hour slow.
    let in_window = |chance: &mut Generator| visit.time + chance.random_range(-2_000..WINDOW / 2);
    let (late, lost, early) =
        (simulation.late, simulation.late + simulation.lost, simulation.late + simulation.lost + simulation.early);
    let (fate, is_logged, time) = if draw < late {
        (ClickFate::Late, true, visit.time + WINDOW + chance.random_range(1..DAY / 4))
    } else if draw < lost {
        (in_time, false, visit.time)
    } else if draw < early {
        (ClickFate::Early, true, in_window(chance) - 3_600_000)
    } else {
        (in_time, true, in_window(chance))
    };
    Happened { document: doc.index() as u16, fate, is_logged, time, dwell }
}

/// The id of an impression: numbers that look like nothing, and never the same twice.
fn id(number: u64) -> u64 {
    let word = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
