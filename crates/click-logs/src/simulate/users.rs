//! One user from the first visit to the last, and the log of it.

use clicks::{CompiledClickModel, User};
use interleave::keyed::RunKey;
use interleave::receipt::{ExperimentVersion, Receipt};
use interleave::{AnyInterleavingReceipt, Doc, Examination, Generator, Interleaving, Preference, RankedList};
use rand::RngExt;
use times::DAY;
use verdicts::amounts::SideClicks;

use super::lines::{ClickLine, CreditLine, ImpressionLine};
use super::orders::{self, ViewedPage};
use super::pages::{ADVERTISEMENT, DisplayedPage};
use super::query_pool::{QueryPool, normal};
use super::settings::{BROWSER, CRAWLER, MAX_IMPRESSIONS, MAX_IMPRESSIONS_OF_A_PERSON, WINDOW};
use super::truth::CountedImpression;
use super::{Lines, SimulationSettings, Truth};
use crate::join::{ClickFate, ImpressionFate};
use crate::model::Oddities;

/// The least number of impressions that a bot sees on its day.
const MIN_BOT_IMPRESSIONS: u64 = 150;

/// One kind of visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visitor {
    Person,
    /// Identified by its user agent.
    Crawler,
    /// Detected by its behaviour.
    Scraper,
}

/// A user, and the user's random state.
pub(super) struct UserLog<'a> {
    simulation: &'a SimulationSettings,
    query_pool: &'a QueryPool,
    names: Vec<String>,
    /// The versions of the experiment, if it changes, and when it does.
    versions: Option<[ExperimentVersion; 2]>,
    change: i64,
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
struct ClickInProgress {
    document: u16,
    fate: ClickFate,
    is_logged: bool,
    time: i64,
    dwell: f64,
}

impl ClickInProgress {
    /// Whether it counts for a ranker.
    fn counts(&self) -> bool {
        self.fate == ClickFate::Credited && self.is_logged
    }
}

/// An impression that was played.
struct PlayedImpression {
    shown: Vec<u16>,
    /// Where pages display something other than the mixed list.
    displayed: Option<DisplayedPage>,
    kept: AnyInterleavingReceipt,
    happened: Vec<ClickInProgress>,
    winner: Preference,
}

/// Where a line states what was displayed of the list of a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DisplayFields {
    /// In its fields.
    Fields,
    /// The receipt has the documents that were mixed.
    Documents,
    /// The receipt has the documents and the page.
    Page,
}

impl PlayedImpression {
    /// What is unusual in the log's record of it: a receipt with a page ends where the user stopped.
    fn oddities(&self, way: DisplayFields) -> Oddities {
        let Some(DisplayedPage { page, seen, .. }) = &self.displayed else { return Oddities::default() };
        let page = if way == DisplayFields::Page { page.truncated(*seen) } else { page.clone() };
        Oddities {
            has_pinned: page.places().any(|place| place.is_none()),
            has_left_out: page.positions().count() < page.depth(),
            is_moved: false,
        }
    }

    /// Documents that others placed on the page.
    fn pinned(&self) -> &'static [u16] {
        if self.shown.contains(&ADVERTISEMENT) { &[ADVERTISEMENT] } else { &[] }
    }

    /// The owner of a mixed document: the ranker that wins by a click on it alone.
    fn owner(&self, simulation: &SimulationSettings, position: usize) -> Option<u8> {
        match simulation.method.credit(&self.kept, &[position]).expect("a position of the list") {
            Preference::First => Some(0),
            Preference::Second => Some(1),
            Preference::Tie => None,
        }
    }

    /// The documents that the user saw, each with the number of the list that owns it.
    fn documents(&self, simulation: &SimulationSettings) -> Vec<(u16, Option<u8>)> {
        let Some(displayed) = &self.displayed else {
            let documents = self.shown.iter().enumerate();
            return documents.map(|(position, document)| (*document, self.owner(simulation, position))).collect();
        };
        let places = displayed.page.places().zip(&self.shown).take(displayed.seen);
        let owned = |(place, document): (Option<usize>, &u16)| {
            (*document, place.and_then(|position| self.owner(simulation, position)))
        };
        places.map(owned).collect()
    }

    /// Clicks that count on the documents of each ranker, if the method determines owners.
    fn sides(&self, simulation: &SimulationSettings) -> Option<SideClicks> {
        let mut sides = [0; 2];
        let mut add = |position| {
            if let Some(owner) = self.owner(simulation, position) {
                sides[usize::from(owner)] += 1;
            }
        };
        match &self.displayed {
            Some(displayed) => displayed.clicked_positions().for_each(&mut add),
            None => {
                let counted = self.happened.iter().filter(|click| click.counts());
                let position =
                    |click: &ClickInProgress| self.shown.iter().position(|document| *document == click.document);
                counted.filter_map(position).for_each(&mut add);
            }
        }
        simulation.names_owners().then_some(SideClicks(sides))
    }

    /// The owner of each mixed document, if lines state it.
    fn teams(&self, simulation: &SimulationSettings) -> Option<Vec<Option<u8>>> {
        let mixed = self.displayed.as_ref().map_or(self.shown.len(), |displayed| displayed.mixed.len());
        simulation.has_teams().then(|| (0..mixed).map(|position| self.owner(simulation, position)).collect())
    }

    /// The bytes of the receipt of a line about the documents of `query`.
    fn receipt(&self, fields: DisplayFields, query: usize, version: Option<&ExperimentVersion>) -> Vec<u8> {
        let receipt = Receipt::from(self.kept.clone());
        let receipt = match version {
            Some(version) => receipt.of(version.clone()),
            None => receipt,
        };
        let (Some(displayed_page), DisplayFields::Documents | DisplayFields::Page) = (&self.displayed, fields) else {
            return receipt.to_bytes();
        };
        let ids =
            |documents: &[u16]| documents.iter().map(|document| format!("{query}.{document}")).collect::<Vec<_>>();
        let (mixed, shown_documents, ad) =
            (ids(&displayed_page.mixed), ids(&displayed_page.shown), format!("{query}.{ADVERTISEMENT}"));
        let receipt = receipt.with_documents(mixed).expect("as many as were mixed");
        if fields == DisplayFields::Documents {
            return receipt.to_bytes();
        }
        let shown_documents: Vec<&str> = shown_documents.iter().map(String::as_str).collect();
        let receipt = receipt.displayed(&shown_documents, |id| id == ad).expect("a page of the list");
        receipt.truncated(displayed_page.seen).to_bytes()
    }
}

impl<'a> UserLog<'a> {
    pub(super) fn new(simulation: &'a SimulationSettings, query_pool: &'a QueryPool, number: u64) -> Self {
        let mut generator = RunKey::new(simulation.seed, 1).impression(number).users();
        let taste = simulation.taste * normal(&mut generator);
        let visitor = match generator.random::<f64>() {
            draw if draw >= simulation.bots => Visitor::Person,
            draw if draw < simulation.bots / 2.0 => Visitor::Crawler,
            _ => Visitor::Scraper,
        };
        let run = RunKey::new(simulation.seed, 2);
        let (names, versions, change) = (simulation.names(), simulation.versions(), simulation.change_time());
        Self { simulation, query_pool, names, versions, change, number, visitor, taste, generator, run }
    }

    /// Writes all that the user does.
    pub(super) fn write(mut self, lines: &mut Lines, truth: &mut Truth) {
        let visits = self.visits();
        let (mut counted_impressions, mut viewed_pages): (Vec<CountedImpression>, Vec<ViewedPage>) = Default::default();
        let mut pairs = std::collections::BTreeSet::new();
        for visit in visits {
            let outcome = self.impression(visit, lines, truth, &mut viewed_pages);
            if self.visitor == Visitor::Person {
                counted_impressions.extend(outcome);
            } else {
                pairs.extend(outcome.map(|outcome| (outcome.version, outcome.pair)));
            }
        }
        for unit in truth.user(&counted_impressions) {
            lines.unit(self.number, &unit, &self.names);
        }
        truth.bot(pairs.len() as u64);
        if let Some(order_settings) = &self.simulation.orders {
            let user = (self.number, self.visitor != Visitor::Person);
            for unit in
                orders::play(self.simulation, order_settings, user, &viewed_pages, lines, &mut truth.conversions)
            {
                lines.conversion_unit(self.number, &unit, &self.names);
            }
        }
    }

    /// The sessions of a user: on the first day one at least, on later ones fewer and fewer.
    fn visits(&mut self) -> Vec<Visit> {
        let days = self.simulation.days;
        let mut visits = Vec::new();
        let mut day = self.generator.random_range(0..days);
        let mut session = 0;
        if self.visitor != Visitor::Person {
            let count = self.generator.random_range(MIN_BOT_IMPRESSIONS..2 * MIN_BOT_IMPRESSIONS);
            let start = self.start(day);
            visits.extend((0..count).map(|number| Visit { number, session, day, time: start + 5_000 * number as i64 }));
            return visits;
        }
        if let Some(visits) = &self.simulation.visits {
            let count = visits.draw(&mut self.generator);
            return self.drawn_visits(count);
        }
        while day < days {
            // The middle of the day, so that no session reaches the next one.
            let mut time = self.start(day) + self.generator.random_range(0..DAY / 2);
            loop {
                visits.push(Visit { number: visits.len() as u64, session, day, time });
                time += self.generator.random_range(10_000..120_000);
                if visits.len() as u64 == MAX_IMPRESSIONS_OF_A_PERSON {
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

    /// A number of visits, each on any day, those of a day in one session.
    fn drawn_visits(&mut self, count: u64) -> Vec<Visit> {
        let days = self.simulation.days;
        let mut day_counts = vec![0; days as usize];
        for _ in 0..count {
            let mut day = self.generator.random_range(0..days) as usize;
            while day_counts[day] == MAX_IMPRESSIONS_OF_A_PERSON {
                day = (day + 1) % days as usize;
            }
            day_counts[day] += 1;
        }
        let mut visits = Vec::new();
        for (session, (day, count)) in (0..days).zip(day_counts).filter(|(_, count)| *count > 0).enumerate() {
            let mut time = self.start(day) + self.generator.random_range(0..DAY / 2);
            for _ in 0..count {
                visits.push(Visit { number: visits.len() as u64, session: session as u64, day, time });
                time += self.generator.random_range(10_000..120_000);
            }
        }
        visits
    }

    /// Six o'clock of a day of the log, in UTC.
    fn start(&self, day: u32) -> i64 {
        (i64::from(self.simulation.first_day) + i64::from(day)) * DAY + DAY / 4
    }

    /// Plays one impression and logs it; returns the winner, if it counts or is from a bot. Data for orders are added to
    /// `viewed_pages`.
    fn impression(
        &mut self,
        visit: Visit,
        lines: &mut Lines,
        truth: &mut Truth,
        viewed_pages: &mut Vec<ViewedPage>,
    ) -> Option<CountedImpression> {
        let Self { simulation, query_pool, visitor, .. } = *self;
        let number = self.number * MAX_IMPRESSIONS + visit.number;
        let key = self.run.impression(number);
        let mut chance = key.coins();
        let query = key.query(query_pool.len());
        let (first, second) = self.pair(&mut chance);
        let has_changed = visit.time >= self.change;
        // After the change, each ranker behaves as another one did.
        let does = |ranker: usize| if has_changed { simulation.rankers - 1 - ranker } else { ranker };
        let lists = [first, second].map(|ranker| query_pool.list(simulation, query, does(ranker), visit.day).as_list());
        let played = self.play(visit, number, query, lists, &mut chance);
        let version = self.versions.as_ref().map(|versions| &versions[usize::from(has_changed)]);
        let name = version.map(ToString::to_string);
        let is_conflict = visitor == Visitor::Person && chance.random::<f64>() < simulation.conflicts;
        let teams = played.teams(simulation);
        // Every third receipt states in another way what was displayed.
        let display_fields = if teams.is_some() || played.displayed.is_none() {
            DisplayFields::Fields
        } else {
            [DisplayFields::Fields, DisplayFields::Documents, DisplayFields::Page][(number % 3) as usize]
        };
        truth.shown(visit.time, name.as_ref(), (!is_conflict).then(|| played.oddities(display_fields)));
        let id = id(number);
        let version_hash = version.map(|version| format!("{:016x}", version.hash()));
        let line = ImpressionLine {
            id,
            time: visit.time,
            user: self.number,
            session: self.number * MAX_IMPRESSIONS + visit.session,
            agent: if visitor == Visitor::Crawler { CRAWLER } else { BROWSER },
            query,
            shown: &played.shown,
            mixed: played.displayed.as_ref().map(|displayed| displayed.mixed.as_slice()),
            pinned: played.pinned(),
            paged: played.displayed.as_ref().map(|displayed| displayed.seen),
            version: version.zip(version_hash.as_deref()).map(|(version, hash)| (version.experiment(), hash)),
            has_more: simulation.has_pages() || version.is_some(),
            rankers: [first, second].map(|ranker| self.names[ranker].as_str()),
            credit: CreditLine::Teams(teams.as_deref().unwrap_or_default()),
        };
        let log = |line: ImpressionLine<'_>, lines: &mut Lines| {
            if teams.is_some() {
                lines.impression(simulation.dialect, &line);
            } else {
                let bytes = played.receipt(display_fields, line.query, version);
                // Fields that the receipt covers are left out.
                let line = match display_fields {
                    DisplayFields::Fields => line,
                    DisplayFields::Documents => ImpressionLine { mixed: None, ..line },
                    DisplayFields::Page => ImpressionLine { shown: &[], mixed: None, pinned: &[], paged: None, ..line },
                };
                let line = ImpressionLine { version: None, credit: CreditLine::Receipt(&bytes), ..line };
                lines.impression(simulation.dialect, &line);
            }
        };
        let copies = 1 + u64::from(chance.random::<f64>() < simulation.doubles);
        (0..copies).for_each(|_| log(line, lines));
        let fate = if is_conflict {
            // The id of one query, and the list of another.
            log(ImpressionLine { time: visit.time + 1, query: query + 1, ..line }, lines);
            truth.impression_lines(ImpressionFate::Conflict, copies + 1);
            None
        } else {
            truth.impression_lines(ImpressionFate::Duplicate, copies - 1);
            let fate = if visitor == Visitor::Person { ImpressionFate::Credited } else { ImpressionFate::Bot };
            truth.impression_lines(fate, 1);
            Some(fate)
        };
        let sides = played.sides(simulation);
        let day = simulation.first_day + visit.day as i32;
        if simulation.orders.is_some() {
            let ranker_of_list = |list: u8| [first, second][usize::from(list)];
            let documents = played.documents(simulation).into_iter();
            let clicks = played.happened.iter().filter(|click| click.counts());
            viewed_pages.push(ViewedPage {
                number,
                time: visit.time,
                query,
                documents: documents.map(|(document, owner)| (document, owner.map(ranker_of_list))).collect(),
                clicked: clicks.map(|click| (click.document, click.time)).collect(),
                counted: fate.map(|_| (name.clone(), day, (first.min(second), first.max(second)))),
            });
        }
        let PlayedImpression { shown, happened, winner, .. } = played;
        self.clicks(id, query, &shown, visit, fate, happened, &mut chance, lines, truth);
        fate?;
        let net = match winner {
            Preference::First => 1,
            Preference::Second => -1,
            Preference::Tie => 0,
        };
        let (pair, net, sides) = if first < second {
            ((first, second), net, sides)
        } else {
            ((second, first), -net, sides.map(SideClicks::swapped))
        };
        Some(CountedImpression { version: name, day, pair, net, sides })
    }

    /// The user's page and clicks, and the winner by the method alone.
    fn play(
        &self,
        visit: Visit,
        number: u64,
        query: usize,
        lists: [RankedList<'_>; 2],
        chance: &mut Generator,
    ) -> PlayedImpression {
        let Self { simulation, query_pool, taste, .. } = *self;
        let key = self.run.impression(number);
        let mut clicks_in_progress: Vec<ClickInProgress> = Vec::new();
        let mut luck = key.users();
        if simulation.has_pages() {
            let (displayed_page, receipt) = DisplayedPage::read(
                simulation,
                query_pool,
                (query, taste),
                lists,
                &mut key.lists(),
                &mut luck,
                chance,
                |document, chance| {
                    let click = self::draw_click(simulation, visit, document, chance);
                    let is_counted = click.counts();
                    clicks_in_progress.push(click);
                    is_counted
                },
            );
            let winner = displayed_page.winner(simulation, &receipt);
            return PlayedImpression {
                shown: displayed_page.shown.clone(),
                displayed: Some(displayed_page),
                kept: receipt,
                happened: clicks_in_progress,
                winner,
            };
        }
        let mut reader = query_pool.model.user();
        let method = &simulation.method;
        let mut scratch = Default::default();
        // The truth: the method's result while the user reads.
        let winner = method.compare(lists, simulation.shown, &mut key.lists(), &mut scratch, |doc: Doc| {
            let read = reader.examine(query_pool.grade(query, doc.index(), taste), &mut luck);
            if !read.clicked {
                return Examination { clicked: false, abandons: read.abandons };
            }
            let click = self::draw_click(simulation, visit, doc.index() as u16, chance);
            let counts = click.counts();
            clicks_in_progress.push(click);
            Examination { clicked: counts, abandons: read.abandons }
        });
        let (shown, receipt) = method.draw(lists, simulation.shown, &mut key.lists(), &mut scratch);
        let shown = shown.into_iter().map(|doc| doc.index() as u16).collect();
        PlayedImpression { shown, displayed: None, kept: receipt, happened: clicks_in_progress, winner }
    }

    /// Two rankers, in either order.
    fn pair(&self, chance: &mut Generator) -> (usize, usize) {
        let count = self.simulation.rankers;
        let first = chance.random_range(0..count);
        let second = (first + chance.random_range(1..count)) % count;
        (first, second)
    }

    /// Logs the clicks of an impression, doubles, and clicks that do not count.
    #[expect(clippy::too_many_arguments, reason = "all that an impression is")]
    fn clicks(
        &self,
        id: u64,
        query: usize,
        shown_documents: &[u16],
        visit: Visit,
        fate: Option<ImpressionFate>,
        clicks_in_progress: Vec<ClickInProgress>,
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
        for ClickInProgress { document, fate, is_logged, time, dwell } in clicks_in_progress {
            if !is_logged {
                continue;
            }
            let copies = 1 + u64::from(chance.random::<f64>() < simulation.doubles);
            let line = ClickLine { id, query, document, time, dwell };
            (0..copies).for_each(|_| lines.click(simulation.dialect, &line));
            truth.click_lines(of_impression(fate), 1);
            let fate_of_copy = if fate == ClickFate::Credited { ClickFate::Repeated } else { fate };
            truth.click_lines(of_impression(fate_of_copy), copies - 1);
            on_this += if matches!(fate, ClickFate::Late | ClickFate::Early) { 0 } else { copies };
        }
        if chance.random::<f64>() < simulation.not_shown {
            // Documents of a query have smaller numbers.
            let document = super::query_pool::DOCUMENTS_PER_QUERY as u16 + shown_documents.len() as u16;
            lines.click(simulation.dialect, &ClickLine { id, query, document, time: visit.time + 1000, dwell: 60.0 });
            truth.click_lines(of_impression(ClickFate::NotShown), 1);
            on_this += 1;
        }
        if chance.random::<f64>() < simulation.unknown {
            let id = self::id(id ^ u64::MAX);
            let line = ClickLine { id, query, document: shown_documents[0], time: visit.time + 1000, dwell: 60.0 };
            lines.click(simulation.dialect, &line);
            truth.click_lines(ClickFate::Unknown, 1);
        }
        if fate.is_some() {
            truth.clicks_in_window_of_one(on_this);
        }
    }
}

/// The fate of a click.
fn draw_click(simulation: &SimulationSettings, visit: Visit, document: u16, chance: &mut Generator) -> ClickInProgress {
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
    ClickInProgress { document, fate, is_logged, time, dwell }
}

/// The id of an impression: numbers that look like nothing, and never the same twice.
pub(super) fn id(number: u64) -> u64 {
    let word = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
