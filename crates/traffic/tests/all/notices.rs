//! Oddities of impressions: noticed once each, and reported before a verdict.

use interleave::{Doc, ListBuf};
use traffic::{
    ClickFate, Config, Event, Experiment, ExperimentStatus, FaultKind, Notices, Request, RequestAnswer, State,
};

use crate::replays::replayed;
use crate::{DAY, MINUTE};

/// A Monday at noon.
const NOON: i64 = 20_784 * DAY + 12 * 60 * MINUTE;

/// `old` against `new`, which share no document, and users who search once.
struct Shop {
    experiment: Experiment,
    now: i64,
    units: u64,
}

/// An impression, and which of its first places `new` owns.
struct Page {
    impression: u64,
    is_new: Vec<bool>,
}

impl Shop {
    fn new() -> Self {
        let experiment = Experiment::create(Config::of("shop", ["old", "new"]), NOON).unwrap();
        Self { experiment, now: NOON, units: 0 }
    }

    fn page(&mut self) -> Page {
        let lists = [0, 10].map(|from| ListBuf::strict((from..from + 5).map(Doc)).unwrap());
        self.page_of(&lists)
    }

    fn page_of(&mut self, lists: &[ListBuf]) -> Page {
        (self.now, self.units) = (self.now + 1_000, self.units + 1);
        let request = Request { unit: self.units, ..Request::default() };
        let chosen = self.experiment.choose(self.now, &request, Some(&|ranker| lists.get(ranker as usize)));
        let Ok(RequestAnswer::New { impression, documents: Some(documents), .. }) = chosen else {
            panic!("{chosen:?}")
        };
        Page { impression, is_new: documents.iter().map(|document| document.0 >= 10).collect() }
    }

    /// A click on a place: half of all users click the first one, a quarter the second, regardless of the owner.
    fn place(&self) -> usize {
        match self.units % 4 {
            0 | 1 => 0,
            2 => 1,
            _ => 2,
        }
    }

    fn close(&mut self, page: &Page) {
        assert!(self.experiment.close(self.now, page.impression));
    }

    fn end(&mut self) {
        self.experiment.change_state(self.now, State::Ended, "a test", "").unwrap();
        self.experiment.advance(self.now);
    }

    fn kinds(&self) -> Vec<(FaultKind, bool)> {
        self.experiment.integrity().faults.into_iter().map(|fault| (fault.kind, fault.trusted)).collect()
    }
}

/// The new index writes ids in capitals, and pages report them in small letters.
#[test]
fn ids_in_other_letters_come_before_the_verdict() {
    let mut shop = Shop::new();
    for _ in 0..300 {
        let page = shop.page();
        let place = shop.place();
        let fate = if page.is_new[place] {
            shop.experiment.click_outside_list(shop.now, page.impression, || Some(place as u32))
        } else {
            shop.experiment.click(shop.now, page.impression, place as u32)
        };
        assert_eq!(fate, if page.is_new[place] { ClickFate::NotShown } else { ClickFate::Taken });
        shop.close(&page);
    }
    shop.end();
    assert_eq!(shop.kinds(), [(FaultKind::NearIds, false)]);
    let verdict = shop.experiment.verdict();
    let headline = shop.experiment.facts().headline(&verdict);
    assert_eq!(headline.standing, ExperimentStatus::Untrusted);
    assert!(headline.sentence.contains("nearly all on those of new, which loses them"), "{headline:?}");
    assert!(headline.details[0].starts_with("Without this it would say: old beats new: over 99.99%"), "{headline:?}");
    assert!(headline.details.last().unwrap().starts_with("The experiment ended on "), "{headline:?}");
    assert_eq!(shop.experiment.warnings()[0], headline.sentence);
    assert_eq!(shop.experiment.facts().report(&verdict)[0], headline.sentence);
    let notices = shop.experiment.notices();
    assert!(notices.near_id > 100 && notices.near_id == notices.not_shown, "{notices:?}");
    // The person who stops it reads both.
    let mut paused = Shop::new();
    for _ in 0..100 {
        let page = paused.page();
        paused.experiment.click_outside_list(paused.now, page.impression, || None);
        paused.close(&page);
    }
    paused.experiment.change_state(paused.now, State::Paused, "a test", "").unwrap();
    let headline = paused.experiment.facts().headline(&paused.experiment.verdict());
    assert_eq!(headline.standing, ExperimentStatus::Paused);
    assert!(headline.details[0].contains("a click on a document that was not in their list"), "{headline:?}");
}

/// Five kinds of pages with clicks that do not count: for none of them is it reported that clicks do not arrive.
#[test]
fn clicks_that_do_not_count_are_not_said_to_be_missing() {
    type Send = fn(&mut Shop, &Page);
    let cases: [(&str, ExperimentStatus, Send); 5] = [
        ("`malformed`", ExperimentStatus::NoClicks, |shop, page| {
            shop.experiment.note_malformed(shop.now, page.impression)
        }),
        ("`ignored`", ExperimentStatus::NoClicks, |shop, page| shop.experiment.note_ignored(shop.now, page.impression)),
        ("`late`", ExperimentStatus::NoClicks, |shop, page| {
            shop.close(page);
            shop.experiment.click(shop.now, page.impression, 0);
        }),
        ("`not-shown`", ExperimentStatus::Untrusted, |shop, page| {
            shop.experiment.click_outside_list(shop.now, page.impression, || None);
        }),
        ("other letters", ExperimentStatus::Untrusted, |shop, page| {
            shop.experiment.click_outside_list(shop.now, page.impression, || Some(0));
        }),
    ];
    for (reason, standing, send) in cases {
        let mut shop = Shop::new();
        for _ in 0..120 {
            let page = shop.page();
            send(&mut shop, &page);
            shop.experiment.close(shop.now, page.impression);
        }
        shop.end();
        let headline = shop.experiment.facts().headline(&shop.experiment.verdict());
        let warnings = shop.experiment.warnings().join("\n");
        assert_eq!(headline.standing, standing, "{reason}: {headline:?}");
        assert!(
            warnings.contains(
                "None of 120 impressions was clicked: on 120 of them events came that do not count, on 120 ("
            ),
            "{reason}: {warnings}"
        );
        assert!(warnings.contains(reason) && !warnings.contains("do clicks reach"), "{reason}: {warnings}");
        assert!(!headline.sentence.starts_with("No click arrives"), "{reason}: {headline:?}");
    }
}

/// Events that do not count are reported while pages are open, and only if no click counts.
#[test]
fn lost_clicks_are_reported_before_pages_close() {
    for (pages, clicks, expected) in
        [(9, 0, ExperimentStatus::Waiting), (10, 0, ExperimentStatus::NoClicks), (10, 1, ExperimentStatus::Waiting)]
    {
        let mut shop = Shop::new();
        for number in 0..pages {
            let page = shop.page();
            shop.experiment.note_malformed(shop.now, page.impression);
            if number < clicks {
                shop.experiment.click(shop.now, page.impression, 0);
            }
        }
        let headline = shop.experiment.facts().headline(&shop.experiment.verdict());
        assert_eq!(headline.standing, expected, "{headline:?}");
        let warnings = shop.experiment.warnings().join(" ");
        assert_eq!(
            warnings.starts_with("None of 10 impressions"),
            expected == ExperimentStatus::NoClicks,
            "{warnings}"
        );
    }
}

/// A client with ids of a hundred pages may send anything.
#[test]
fn a_hundred_ids_cannot_make_a_verdict_untrusted() {
    let mut shop = Shop::new();
    let mut pages = Vec::new();
    for number in 0..2_000 {
        let page = shop.page();
        let place = shop.place();
        if number % 3 > 0 {
            shop.experiment.click(shop.now, page.impression, place as u32);
        }
        pages.push(page);
        // Some windows end meanwhile.
        if number < 1_900 {
            shop.close(&pages[number]);
        }
    }
    let before = shop.experiment.position().0;
    for round in 0..1_000 {
        for page in &pages[1_900..] {
            match round % 5 {
                0 => shop.experiment.note_malformed(shop.now, page.impression),
                1 => shop.experiment.note_ignored(shop.now, page.impression),
                2 => {
                    let _ = shop.experiment.click_outside_list(shop.now, page.impression, || None);
                }
                3 => {
                    let _ = shop.experiment.click_outside_list(shop.now, page.impression, || Some(round % 10));
                }
                _ => {
                    let _ = shop.experiment.click(shop.now, page.impression, 0);
                }
            }
        }
    }
    let added = shop.experiment.position().0 - before;
    assert!((600..=700).contains(&added), "{added} events of 100 ids");
    pages[1_900..].iter().for_each(|page| shop.close(page));
    for page in &pages[1_900..] {
        for _ in 0..100 {
            shop.experiment.click_outside_list(shop.now, page.impression, || Some(0));
        }
    }
    shop.end();
    assert!(shop.experiment.integrity().is_trusted(), "{:?}", shop.experiment.integrity());
    let Notices { noisy, late, .. } = shop.experiment.notices();
    assert_eq!((noisy, late), (100, 100));
    assert!(shop.experiment.warnings().iter().any(|warning| warning.contains("than a page sends")));
    let log: Vec<_> = shop.experiment.take_events().into_iter().map(|numbered| numbered.recorded).collect();
    let again = replayed(&log);
    assert_eq!((again.position(), again.notices()), (shop.experiment.position(), shop.experiment.notices()));
    assert_eq!(again.integrity(), shop.experiment.integrity());
}

/// Healthy pages add no events, and cause no remarks.
#[test]
fn healthy_pages_are_trusted() {
    let mut shop = Shop::new();
    for _ in 0..1_000 {
        let page = shop.page();
        let place = shop.place();
        shop.experiment.click(shop.now, page.impression, place as u32);
        shop.close(&page);
    }
    assert_eq!(shop.experiment.position().0, 1 + 3 * 1_000);
    let checked = shop.experiment.integrity();
    assert!(checked.faults.is_empty(), "{checked:?}");
    assert_eq!(checked.tested, "Coins of lists were tested on 1,000 pages.");
    assert_eq!(shop.experiment.notices(), Notices::default());
}

#[test]
fn rankers_that_send_one_list_are_noticed() {
    let mut shop = Shop::new();
    let list = ListBuf::strict((0..5).map(Doc)).unwrap();
    for number in 0..60 {
        let page = if number % 3 == 0 { shop.page() } else { shop.page_of(&[list.clone(), list.clone()]) };
        shop.close(&page);
    }
    assert_eq!(shop.kinds(), [(FaultKind::IdenticalLists, true)]);
    assert_eq!(shop.experiment.notices().identical, 40);
    let events = shop.experiment.take_events();
    let noticed = events.iter().filter(|numbered| matches!(numbered.recorded.event(), Event::Noticed { .. }));
    assert_eq!(noticed.count(), 40);
}

/// Three rankers in every list: each pair is checked, regardless of their order in the lists.
#[test]
fn every_pair_that_met_is_checked() {
    let config = Config { policy: "mdb".to_owned(), ..Config::of("shop", ["a", "b", "c"]) };
    let mut shop = Shop { experiment: Experiment::create(config, NOON).unwrap(), now: NOON, units: 0 };
    let lists = [0, 10, 20].map(|from| ListBuf::strict((from..from + 5).map(Doc)).unwrap());
    for _ in 0..200 {
        (shop.now, shop.units) = (shop.now + 1_000, shop.units + 1);
        let request = Request { unit: shop.units, ..Request::default() };
        let chosen = shop.experiment.choose(shop.now, &request, Some(&|ranker| lists.get(ranker as usize)));
        let Ok(RequestAnswer::New { impression, documents: Some(documents), .. }) = chosen else {
            panic!("{chosen:?}")
        };
        // The ids of `c` are written in another way.
        let place = documents.iter().position(|document| document.0 >= 20);
        match place {
            Some(place) => {
                let _ = shop.experiment.click_outside_list(shop.now, impression, || Some(place as u32));
            }
            None => {
                let _ = shop.experiment.click(shop.now, impression, 0);
            }
        }
        shop.experiment.close(shop.now, impression);
    }
    let checked = shop.experiment.integrity();
    assert!(!checked.is_trusted(), "{checked:?}");
    let sentence = &checked.faults[0].sentence;
    assert!(sentence.contains("nearly all on those of c, which loses them"), "{sentence}");
}

/// An experiment that has ended counts open impressions until they close.
#[test]
fn an_end_with_open_pages_says_until_when() {
    let mut shop = Shop::new();
    let pages: Vec<Page> = (0..120).map(|_| shop.page()).collect();
    for page in &pages {
        shop.experiment.click(shop.now, page.impression, u32::from(!page.is_new[0]));
    }
    let told = |shop: &Shop| {
        let (facts, verdict) = (shop.experiment.facts(), shop.experiment.verdict());
        let headline = facts.headline(&verdict);
        (headline.standing, headline.sentence, facts.report(&verdict), shop.experiment.why_nothing_is_final())
    };
    let until = "2026-11-27 12:32 UTC";
    let open = format!("nothing has closed yet: 120 pages are open until {until}, their clicks still count");
    assert_eq!(told(&shop).3.as_ref(), Some(&open));
    shop.end();
    let sentence = format!("Ended; 120 pages are open until {until}, their clicks still count.");
    assert_eq!(told(&shop), (ExperimentStatus::Ended, sentence.clone(), vec![sentence], Some(open)));
    pages[..119].iter().for_each(|page| shop.close(page));
    let (_, sentence, ..) = told(&shop);
    assert_eq!(sentence, format!("Ended; 1 page is open until {until}, its clicks still count."));
    shop.now += 31 * MINUTE;
    shop.experiment.advance(shop.now);
    let (standing, sentence, _, why_nothing_is_final) = told(&shop);
    assert_eq!((standing, why_nothing_is_final), (ExperimentStatus::Ended, None));
    assert!(sentence.starts_with("new beats old: "), "{sentence}");
    // Nothing that could be compared ever came.
    let mut empty = Shop::new();
    let request = Request { unit: 1, ..Request::default() };
    empty.experiment.choose(empty.now, &request, None).unwrap();
    empty.end();
    empty.experiment.advance(empty.now + DAY);
    assert_eq!(told(&empty).1, "Ended without an outcome.");
    assert_eq!(told(&empty).3.unwrap(), "its only impression compared no rankers");
}
