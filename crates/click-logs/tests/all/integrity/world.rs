//! Logs of equal or unequal rankers, in every form in which logs are kept, and with typical mistakes of pages.

use std::fmt::Write as _;

use click_logs::join::CreditedLog;
use click_logs::model::{LogEnd, Settings};
use interleave::receipt::Receipt;
use interleave::{AnyInterleaving, AnyMultileaving, Doc, Generator, Interleaving, ListBuf, Multileaving};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use times::{DAY, text};

use crate::common::Log;

/// The content and the form of a log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    /// The method, by its name.
    pub(crate) method: &'static str,
    /// The number of rankers; each page mixes two of them if the method mixes two, and all otherwise.
    pub(crate) rankers: usize,
    /// Receipts are logged instead of teams.
    pub(crate) has_receipts: bool,
    /// How often a list is drawn.
    pub(crate) coin: Coin,
    /// The share of pages that are shown again, with an id of their own.
    pub(crate) reloads: f64,
    /// Only pages with clicks are logged.
    pub(crate) only_clicked: bool,
    /// The most documents that the second ranker has; the first has all.
    pub(crate) short: Option<usize>,
    /// Pages of five documents; the second page, with an id of its own, follows the first.
    pub(crate) second_pages: bool,
    /// The share of pages with a document that others placed on top, or below it.
    pub(crate) pinned: f64,
    /// The mixed list is logged beside the list shown.
    pub(crate) has_mixed: bool,
    /// The share of documents that are left out after mixing.
    pub(crate) left_out: f64,
    /// How much better the first ranker is.
    pub(crate) better: f64,
    /// Pairs are chosen by earlier clicks.
    pub(crate) steered: bool,
    /// The mistake of the page.
    pub(crate) mistake: Option<Mistake>,
    pub(crate) impressions: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coin {
    Search,
    User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    OneSeed,
    FirstAlwaysFirst,
    MorePlaces,
    Capitals,
    PercentEncoded,
    Suffix,
    CutExport,
    EmptyLists,
    SlowRanker,
    WrongClock,
    EndsAfterFour,
    FilteredAfter,
    SortedByUser,
    ReloadDrawsAgain,
    PlacesInsteadOfDocuments,
}

impl World {
    pub(crate) const CLEAN: Self = Self {
        method: "team-draft",
        rankers: 2,
        has_receipts: false,
        coin: Coin::Search,
        reloads: 0.0,
        only_clicked: false,
        short: None,
        second_pages: false,
        pinned: 0.0,
        has_mixed: false,
        left_out: 0.0,
        better: 0.0,
        steered: false,
        mistake: None,
        impressions: 400,
    };
    /// Searches of a user, on average.
    const SEARCHES: usize = 2;
    const DOCUMENTS: usize = 12;
    const SHOWN: usize = 10;

    pub(crate) fn settings(&self) -> Settings {
        Settings { complete: LogEnd::LastImpression, ..Settings::default() }
    }

    /// The lines of a log, by impression: each with its clicks.
    pub(crate) fn pages(&self, seed: u64) -> Vec<Page> {
        let mut pages = Vec::new();
        let mut world = Generator::seed_from_u64(seed);
        let users = (self.impressions / Self::SEARCHES).max(1);
        let mut wins = vec![1.0; self.rankers];
        while pages.len() < self.impressions {
            let number = pages.len();
            let user = world.random_range(0..users);
            let day = number as i64 * 20 / self.impressions as i64;
            let time = (20_780 + day) * DAY + number as i64 * 20_000;
            let of_list = match self.coin {
                Coin::Search => number as u64,
                Coin::User => user as u64,
            };
            // One seed for all lists draws the same coins for each.
            let draw = if self.mistake == Some(Mistake::OneSeed) { 7 } else { seed << 32 ^ of_list << 1 ^ 1 };
            let search = Search { number, user, time, draw, query: world.random_range(0..1 << 40) };
            let page = self.page(&search, &wins, &mut world);
            let is_again = world.random::<f64>() < self.reloads;
            if let Some(winner) = page.winner {
                wins[winner] += 1.0;
            }
            let again = is_again.then(|| page.again(number));
            pages.extend(page.second.clone().map(|second| *second));
            pages.push(page);
            pages.extend(again);
        }
        pages
    }

    fn page(&self, search: &Search, wins: &[f64], world: &mut Generator) -> Page {
        let arms = self.arms(wins, world);
        let mut of_query = Generator::seed_from_u64(search.query);
        let relevance: Vec<f64> = (0..Self::DOCUMENTS).map(|_| of_query.random()).collect();
        let lists: Vec<ListBuf> = arms.iter().map(|&arm| self.list(arm, &relevance, &mut of_query)).collect();
        let mut coins = Generator::seed_from_u64(search.draw);
        let is_lost = self.mistake == Some(Mistake::SlowRanker) && world.random::<f64>() < 0.3;
        let (mixed, receipt) = self.drawn(&lists, &mut coins);
        let mut owners: Option<Vec<Option<usize>>> = receipt.mixed().owners();
        let mut shown: Vec<usize> = mixed.iter().map(|doc| doc.index()).collect();
        match (self.mistake, &mut owners) {
            (Some(Mistake::FirstAlwaysFirst), Some(owners)) if owners.first() == Some(&Some(1)) => {
                // The page swaps the ranker that began.
                owners.iter_mut().flatten().for_each(|owner| *owner = 1 - *owner);
            }
            (Some(Mistake::MorePlaces), Some(owners)) => {
                (0..owners.len()).filter(|place| place % 4 > 1).for_each(|place| owners[place] = Some(0));
            }
            (_, Some(owners)) if is_lost => {
                shown = lists[0].as_list().docs().take(Self::SHOWN).map(|doc| doc.index()).collect();
                *owners = vec![Some(0); shown.len()];
            }
            _ => {}
        }
        let mut page = Page::new(search, arms, shown, owners, receipt);
        page.click(&relevance, self.better, world);
        self.spoil(&mut page, search, world);
        page
    }

    fn arms(&self, wins: &[f64], world: &mut Generator) -> Vec<usize> {
        if self.is_many() || self.rankers == 2 {
            return (0..self.rankers).collect();
        }
        let mut all: Vec<usize> = (0..self.rankers).collect();
        if self.steered {
            // The two with the most wins, now and then others.
            if world.random::<f64>() < 0.7 {
                all.sort_by(|a, b| wins[*b].total_cmp(&wins[*a]));
                return all[..2].to_vec();
            }
        }
        all.shuffle(world);
        all[..2].to_vec()
    }

    fn is_many(&self) -> bool {
        self.rankers > 2 && self.method.starts_with("many:")
    }

    /// A list of a ranker: by relevance, with errors.
    fn list(&self, arm: usize, relevance: &[f64], of_query: &mut Generator) -> ListBuf {
        let error = if arm == 0 { 1.0 - self.better } else { 1.0 };
        let scores: Vec<f64> = relevance.iter().map(|of| of + error * of_query.random::<f64>()).collect();
        let mut order: Vec<u16> = (0..Self::DOCUMENTS as u16).collect();
        order.sort_by(|a, b| scores[usize::from(*b)].total_cmp(&scores[usize::from(*a)]));
        let length = match (self.mistake, self.short) {
            (Some(Mistake::EmptyLists), _) if arm == 1 && of_query.random::<f64>() < 0.6 => 0,
            (Some(Mistake::EndsAfterFour), _) if arm == 1 => 4,
            (_, Some(most)) if arm == 1 => of_query.random_range(0..=most),
            _ => Self::DOCUMENTS,
        };
        order.truncate(length);
        ListBuf::strict(order.into_iter().map(Doc)).unwrap()
    }

    fn drawn(&self, lists: &[ListBuf], coins: &mut Generator) -> (Vec<Doc>, Receipt) {
        let all: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
        if let Some(name) = self.method.strip_prefix("many:") {
            let method: AnyMultileaving = name.parse().unwrap();
            let (mixed, kept) = method.draw(&all, Self::SHOWN, coins, &mut Default::default());
            return (mixed, kept.into());
        }
        let method: AnyInterleaving = self.method.parse().unwrap();
        let (mixed, kept) = method.draw([all[0], all[1]], Self::SHOWN, coins, &mut Default::default());
        (mixed, kept.into())
    }

    /// Applies the mistake of the page, or of its log, to a list.
    fn spoil(&self, page: &mut Page, search: &Search, world: &mut Generator) {
        let name = |doc: &usize| format!("sku-{}-{doc}", search.number);
        page.documents = page.shown.iter().map(name).collect();
        page.clicked = page.clicks.iter().map(|&place| page.documents[place].clone()).collect();
        if self.second_pages && page.shown.len() > 5 {
            let mut second = page.clone();
            second.id = format!("{}b", page.id);
            second.time += 1_000;
            second.second = None;
            second.documents.drain(..5);
            if let Some(owners) = &mut second.owners {
                owners.drain(..5);
            }
            second.clicked.retain(|id| second.documents.contains(id));
            page.documents.truncate(5);
            if let Some(owners) = &mut page.owners {
                owners.truncate(5);
            }
            page.clicked.retain(|id| page.documents.contains(id));
            page.second = Some(Box::new(second));
        }
        if self.has_mixed || self.has_receipts {
            page.mixed = Some(page.documents.clone());
        }
        if world.random::<f64>() < self.left_out && !page.documents.is_empty() {
            let place = world.random_range(0..page.documents.len());
            let gone = page.documents.remove(place);
            page.clicked.retain(|id| *id != gone);
            if page.mixed.is_none()
                && let Some(owners) = &mut page.owners
            {
                owners.remove(place);
            }
        }
        if world.random::<f64>() < self.pinned && !page.documents.is_empty() {
            // Another document, or one that was mixed further down.
            let below = world.random_range(0..page.documents.len());
            let is_mixed = world.random::<f64>() < 0.5;
            let id = if is_mixed { page.documents.remove(below) } else { "advert".to_owned() };
            if page.mixed.is_none()
                && let Some(owners) = &mut page.owners
            {
                if is_mixed {
                    owners.remove(below);
                }
                owners.insert(0, None);
            }
            page.documents.insert(0, id.clone());
            page.pinned.push(id);
        }
        match self.mistake {
            Some(Mistake::Capitals) => page.rename(1, |id| id.to_uppercase()),
            Some(Mistake::PercentEncoded) => page.rename(1, |id| id.replace('-', "%2D")),
            Some(Mistake::Suffix) if world.random::<f64>() < 0.3 => page.rename(1, |id| format!("{id}?ref=1")),
            Some(Mistake::FilteredAfter) => {
                // A third of the second ranker's documents may not be shown, which the ranker ignores.
                let owners = page.owners.clone().unwrap_or_default();
                let is_gone =
                    |place: usize| owners[place] == Some(1) && world_hash(search.query, place).is_multiple_of(3);
                let kept: Vec<usize> = (0..page.documents.len()).filter(|place| !is_gone(*place)).collect();
                page.owners = Some(kept.iter().map(|&place| owners[place]).collect());
                page.documents = kept.iter().map(|&place| page.documents[place].clone()).collect();
                page.clicked.retain(|id| page.documents.contains(id));
            }
            Some(Mistake::SortedByUser) if world.random::<f64>() < 0.3 => {
                let mut order: Vec<usize> = (0..page.documents.len()).collect();
                order.sort_by_key(|&place| world_hash(search.query, page.shown[place]));
                let owners = page.owners.clone().unwrap_or_default();
                page.owners = Some(order.iter().map(|&place| owners[place]).collect());
                page.documents = order.iter().map(|&place| page.documents[place].clone()).collect();
            }
            Some(Mistake::ReloadDrawsAgain) if world.random::<f64>() < 0.3 => {
                // The log has another draw under the same id.
                if let Some(owners) = &mut page.owners {
                    owners.iter_mut().flatten().for_each(|owner| *owner = 1 - *owner);
                }
            }
            Some(Mistake::WrongClock) if search.number % 2_000 == 1_500 => page.time += 1_200 * DAY,
            Some(Mistake::PlacesInsteadOfDocuments) if world.random::<f64>() < 0.3 => {
                // With an advertisement on top, the place that is logged is one too far down.
                let places = page.clicked.iter().filter_map(|id| page.documents.iter().position(|known| known == id));
                page.clicked = places.filter_map(|place| page.documents.get(place + 1).cloned()).collect();
            }
            _ => {}
        }
    }

    /// The result of `click-logs` for the first impressions of a log.
    pub(crate) fn credited(&self, pages: &[Page], seed: u64, settings: &Settings) -> CreditedLog {
        let (mut impressions, mut clicks) = (String::new(), String::new());
        for (number, page) in pages.iter().enumerate() {
            if self.only_clicked && page.clicked.is_empty() {
                continue;
            }
            // A page of results of the store that holds the log.
            if self.mistake != Some(Mistake::CutExport) || world_hash(seed, number).is_multiple_of(3) {
                let _ = writeln!(impressions, "{}", page.line(self));
            }
            for id in &page.clicked {
                let time = text(page.time + 1_000);
                let _ = writeln!(clicks, "{}", json!({"impression": page.id, "document": id, "time": time}));
            }
        }
        let log = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
        log.credit(settings).unwrap()
    }
}

/// A number that follows from two others.
fn world_hash(seed: u64, number: usize) -> u64 {
    Generator::seed_from_u64(seed ^ (number as u64) << 20).random()
}

struct Search {
    number: usize,
    user: usize,
    time: i64,
    draw: u64,
    query: u64,
}

/// A page, and its record in the log.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    id: String,
    user: usize,
    time: i64,
    arms: Vec<usize>,
    shown: Vec<usize>,
    owners: Option<Vec<Option<usize>>>,
    receipt: Receipt,
    documents: Vec<String>,
    mixed: Option<Vec<String>>,
    pinned: Vec<String>,
    clicks: Vec<usize>,
    clicked: Vec<String>,
    winner: Option<usize>,
    second: Option<Box<Page>>,
}

impl Page {
    fn new(
        search: &Search,
        arms: Vec<usize>,
        shown: Vec<usize>,
        owners: Option<Vec<Option<usize>>>,
        receipt: Receipt,
    ) -> Self {
        Self {
            id: format!("i{}", search.number),
            user: search.user,
            time: search.time,
            arms,
            shown,
            owners,
            receipt,
            documents: vec![],
            mixed: None,
            pinned: vec![],
            clicks: vec![],
            clicked: vec![],
            winner: None,
            second: None,
        }
    }

    /// A user clicks the nth place with a probability of 1/n, and relevant documents, or those of the better ranker,
    /// more often.
    fn click(&mut self, relevance: &[f64], better: f64, world: &mut Generator) {
        for (place, &doc) in self.shown.iter().enumerate() {
            let owner = self.owners.as_ref().and_then(|owners| owners[place]);
            let of_owner = if owner == Some(0) { 0.5 + 0.5 * better } else { 0.5 - 0.3 * better };
            if world.random::<f64>() < (0.3 + 0.7 * relevance[doc]) * of_owner / (place + 1) as f64 {
                self.clicks.push(place);
                self.winner = self.winner.or(owner.and_then(|owner| self.arms.get(owner).copied()));
            }
        }
    }

    /// Lists have other ids than pages report, where a ranker owns the document.
    fn rename(&mut self, ranker: usize, rename: impl Fn(&str) -> String) {
        let owners = self.owners.clone().unwrap_or_default();
        for (id, owner) in self.documents.iter_mut().zip(owners) {
            if owner == Some(ranker) {
                *id = rename(id);
            }
        }
    }

    /// The same list again.
    fn again(&self, number: usize) -> Self {
        Self { id: format!("r{number}"), time: self.time + 9_000, second: None, ..self.clone() }
    }

    fn line(&self, world: &World) -> Value {
        let name = |arm: &usize| format!("R{arm}");
        let names: Vec<String> = self.arms.iter().map(name).collect();
        let mut line = json!({
            "impression": self.id,
            "time": text(self.time),
            "user": format!("u{}", self.user),
            "shown": self.documents,
            "rankers": names,
        });
        if let Some(mixed) = &self.mixed {
            line["mixed"] = json!(mixed);
        }
        if !self.pinned.is_empty() {
            line["pinned"] = json!(self.pinned);
        }
        if world.steered {
            line["pairs"] = "steered".into();
        }
        match &self.owners {
            Some(owners) if !world.has_receipts => {
                let team = |owner: &Option<usize>| owner.map(|owner| names[owner].clone());
                line["teams"] = owners.iter().map(team).map(|team| json!(team)).collect();
            }
            _ => {
                let hex = self.receipt.to_bytes().iter().fold(String::new(), |mut text, byte| {
                    let _ = write!(text, "{byte:02x}");
                    text
                });
                line["receipt"] = hex.into();
            }
        }
        line
    }
}
