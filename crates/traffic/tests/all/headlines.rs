//! One sentence for each status of an experiment.

use interleave::{Doc, ListBuf};
use traffic::{Config, Experiment, ExperimentStatus, Guardrails, Headline, Request, RequestAnswer, State};

use crate::{DAY, MINUTE};

/// 2026-11-23, a Monday, at nine.
const MONDAY: i64 = 20_780 * DAY + 9 * 60 * MINUTE;

/// An experiment of `old` against `new`, which share no document.
struct Site {
    experiment: Experiment,
    now: i64,
    unit: u64,
}

impl Site {
    fn new(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::of("search", ["bm25", "neural"]);
        change(&mut config);
        Self { experiment: Experiment::create(config, MONDAY).unwrap(), now: MONDAY, unit: 0 }
    }

    /// Users of one day, who search once; `clicks` gives the ranker that owns the document each clicks first, if any.
    fn day(self, users: u64, clicks: impl Fn(u64) -> Option<u32>) -> Self {
        let mut site = self.morning(users, clicks);
        site.now += DAY;
        site.experiment.advance(site.now);
        site
    }

    /// The same of a day that does not end.
    fn morning(mut self, users: u64, clicks: impl Fn(u64) -> Option<u32>) -> Self {
        let lists = [0, 10].map(|from| ListBuf::strict((from..from + 5).map(Doc)).unwrap());
        for user in 0..users {
            self.unit += 1;
            // One user in four is on a phone, where there are segments.
            let request = Request { unit: self.unit, segment: Some(u8::from(user % 4 > 0)), ..Request::default() };
            let chosen = self.experiment.choose(self.now, &request, Some(&|ranker| lists.get(ranker as usize)));
            let Ok(RequestAnswer::New { impression, documents: Some(documents), .. }) = chosen else {
                panic!("{chosen:?}")
            };
            if let Some(of) = clicks(user) {
                let place = documents.iter().position(|document| (document.0 >= 10) == (of == 1)).unwrap();
                self.experiment.click(self.now, impression, place as u32);
            }
            self.experiment.close(self.now, impression);
        }
        self
    }

    /// Users who click documents that were not shown.
    fn astray(mut self, users: u64) -> Self {
        self = self.open(users);
        for impression in 1..=users {
            self.experiment.click_outside_list(self.now, impression, || None);
            self.experiment.close(self.now, impression);
        }
        self.now += DAY;
        self.experiment.advance(self.now);
        self
    }

    /// Pages that stay open.
    fn open(mut self, pages: u64) -> Self {
        let lists = [0, 10].map(|from| ListBuf::strict((from..from + 5).map(Doc)).unwrap());
        for unit in 1..=pages {
            let request = Request { unit, ..Request::default() };
            self.experiment.choose(self.now, &request, Some(&|ranker| lists.get(ranker as usize))).unwrap();
        }
        self
    }

    /// The lists of `new` never come.
    fn silent(mut self, users: u64) -> Self {
        let list = ListBuf::strict((0..5).map(Doc)).unwrap();
        for _ in 0..users {
            self.unit += 1;
            let request = Request { unit: self.unit, ..Request::default() };
            let _ = self.experiment.choose(self.now, &request, Some(&|ranker| Some(&list).filter(|_| ranker == 0)));
        }
        self
    }

    fn change(mut self, to: State, why: &str) -> Self {
        self.experiment.change_state(self.now, to, "anna (key 2)", why).unwrap();
        self.experiment.advance(self.now);
        self
    }

    fn headline(&self) -> Headline {
        self.experiment.facts().headline(&self.experiment.verdict())
    }
}

/// Six of ten clicks are on documents of `new`.
fn mostly_new(user: u64) -> Option<u32> {
    Some(u32::from(user % 10 < 6))
}

/// Slightly more than half.
fn barely_new(user: u64) -> Option<u32> {
    Some(u32::from(user % 100 < 54))
}

#[test]
#[expect(clippy::print_stdout, reason = "with --nocapture, the sentences are there to be read")]
fn every_standing_has_its_sentence() {
    let new = || Site::new(|_| {});
    let cases = [
        (
            new(),
            ExperimentStatus::NotBegun,
            "Not begun: no impression was asked for.",
            "Ask for one with POST /v1/experiments/search/impressions.",
        ),
        (
            {
                let mut site = new().day(50, mostly_new);
                site = Site {
                    experiment: Experiment::create(site.experiment.config().clone(), MONDAY).unwrap(),
                    now: MONDAY,
                    unit: 0,
                };
                let list = ListBuf::strict((0..5).map(Doc)).unwrap();
                site.experiment
                    .choose(site.now, &Request { unit: 1, ..Request::default() }, Some(&|_| Some(&list)))
                    .unwrap();
                site
            },
            ExperimentStatus::Waiting,
            "Too early to say: 1 impression, and no day has closed.",
            "The first day closes at 2026-11-24 00:30 UTC, or once its last impressions are closed.",
        ),
        (
            new().day(100, barely_new).day(200, barely_new).day(200, barely_new),
            ExperimentStatus::Undecided,
            "Undecided: neural is ahead of bm25 (not enough yet).",
            "neural won 54.0% of 500 units that preferred a side (47.1% to 60.8%); 0 units tied.",
        ),
        (
            new().day(400, mostly_new).day(400, mostly_new),
            ExperimentStatus::Decided,
            "neural beats bm25: over 99.99% confidence, since 2026-11-23.",
            "neural won 60.0% of 800 units that preferred a side (54.6% to 65.3%); 0 units tied.",
        ),
        (
            new().day(400, mostly_new).day(2_000, |user| Some(u32::from(user % 10 < 4))),
            ExperimentStatus::Contradicted,
            "neural was ahead until 2026-11-23; bm25 is ahead now: since then, bm25 won 60.0% of 2,000 units that preferred a side.",
            "It holds for the time until then, not for now.",
        ),
        (
            Site::new(|config| {
                config.keep = traffic::Keep::Unit;
                config.guardrails = Guardrails { missing: Some(0.05), ..Guardrails::default() };
            })
            .day(2_000, mostly_new)
            .silent(900)
            .day(100, mostly_new),
            ExperimentStatus::Breached,
            "Guardrail: neural had more lists that never came than the champion: ",
            "neural beats bm25",
        ),
        (
            Site::new(|config| config.same_lists = true).day(300, |_| Some(0)),
            ExperimentStatus::Equal,
            "A/A test: all rankers show bm25's list, and nobody has won, as it should be.",
            "",
        ),
        (
            new().day(20, mostly_new).silent(812),
            ExperimentStatus::Silent,
            "neural is silent: its list was missing 812 of the 832 times it was needed.",
            "",
        ),
        (
            new().day(500, |_| None),
            ExperimentStatus::NoClicks,
            "No click arrives: none of 500 impressions was clicked.",
            "Send clicks to POST /v1/events, with the impression's id as query_id.",
        ),
        (
            new().astray(200),
            ExperimentStatus::Untrusted,
            "200 of 200 pages with clicks (100.0%) have a click on a document that was not in their list: ",
            "Undecided: ",
        ),
        (
            new().open(3).change(State::Ended, ""),
            ExperimentStatus::Ended,
            "Ended; 3 pages are open until 2026-11-23 09:30 UTC, their clicks still count.",
            "The experiment ended on ",
        ),
        (
            new().day(400, mostly_new).change(State::Paused, "the index is rebuilt"),
            ExperimentStatus::Paused,
            "Paused since 2026-11-24 09:00 UTC, by anna (key 2) (the index is rebuilt): everybody gets bm25's list until you resume.",
            "neural beats bm25: ",
        ),
        (
            new().day(400, mostly_new).change(State::Killed, ""),
            ExperimentStatus::Killed,
            "Killed since 2026-11-24 09:00 UTC, by anna (key 2): everybody gets bm25's list until you resume.",
            "neural beats bm25: ",
        ),
        (
            new().day(400, mostly_new).change(State::Ended, "enough"),
            ExperimentStatus::Ended,
            "neural beats bm25: 99.",
            "The experiment ended on 2026-11-24 09:00 UTC, by anna (key 2) (enough); everybody gets bm25's list.",
        ),
        (
            new().day(100, barely_new).change(State::Ended, ""),
            ExperimentStatus::Ended,
            "Ended undecided: neural is ahead of bm25 (",
            "The experiment ended",
        ),
        (
            new().day(400, mostly_new).open(2).change(State::Shipped(1), "it won"),
            ExperimentStatus::Shipped,
            "neural was shipped on 2026-11-24 09:00 UTC, by anna (key 2) (it won): everybody gets its list.",
            "2 pages are open until 2026-11-24 09:30 UTC, their clicks still count. neural beats bm25: ",
        ),
    ];
    for (site, standing, sentence, more) in cases {
        let headline = site.headline();
        println!("| {} | {} {} |", standing.name(), headline.sentence, headline.details.join(" "));
        assert_eq!(headline.standing, standing, "{headline:?}");
        assert!(headline.sentence.starts_with(sentence), "{headline:?}");
        assert!(headline.details.join(" ").contains(more), "{headline:?}");
    }
}

#[test]
fn every_standing_says_what_to_do() {
    let new = || Site::new(|_| {});
    let advice = |site: Site| {
        let headline = site.headline();
        (headline.action, headline.advice)
    };
    let one_day = || new().day(400, mostly_new);
    let old_won = || new().day(400, |user| Some(u32::from(user % 10 < 4)));
    for (site, action, sentence) in [
        (new(), "wait", "Send traffic."),
        (new().open(3), "wait", "Wait until 2026-11-24 00:30 UTC, when the first day closes."),
        (new().day(100, barely_new), "wait", "Wait."),
        (one_day(), "ship", "Ship neural: everybody then gets its list."),
        (old_won(), "ship", "Ship bm25, or end the experiment: everybody then keeps its list."),
        (one_day().change(State::Paused, ""), "ship", "Ship neural, or resume."),
        (one_day().change(State::Ended, ""), "ship", "Ship neural: until then everybody gets bm25's list."),
        (old_won().change(State::Ended, ""), "none", "Nothing: everybody gets bm25's list, which won."),
        (
            one_day().change(State::Shipped(1), ""),
            "none",
            "Nothing: the experiment is over. Ship another ranker to give everybody its list.",
        ),
        (
            new().astray(200),
            "repair",
            "Repair the pages first, then begin a new experiment: what is counted so far proves nothing.",
        ),
        (new().day(500, |_| None), "repair", "Find out why no click counts before you wait any longer."),
        (
            new().day(20, mostly_new).silent(812),
            "repair",
            "Find out why its lists do not come; pause the experiment until they do.",
        ),
        (
            one_day().day(2_000, |user| Some(u32::from(user % 10 < 4))),
            "check",
            "Do not act on this yet: find out what changed, and begin a new experiment after it.",
        ),
    ] {
        assert_eq!(advice(site), (action, sentence.to_owned()));
    }
}

#[test]
fn chances_are_given_only_while_days_close_as_they_did() {
    let says = |site: Site| site.headline().advice.contains("The chance of a decision is ");
    // One day of unknown length.
    assert!(!says(Site::new(|_| {}).day(200, barely_new)));
    let two_days = || Site::new(|_| {}).day(200, barely_new).day(200, barely_new);
    assert!(says(two_days()));
    // Traffic ended three days ago.
    let mut stale = two_days();
    let list = ListBuf::strict((0..5).map(Doc)).unwrap();
    let request = Request { unit: 999, ..Request::default() };
    stale.experiment.choose(stale.now + 3 * DAY, &request, Some(&|_| Some(&list))).unwrap();
    assert!(!says(stale));
}

#[test]
fn the_first_day_is_told_as_provisional() {
    let site = Site::new(|_| {}).morning(80, |user| (user % 8 > 0).then(|| u32::from(user % 8 < 6)));
    let headline = site.headline();
    assert_eq!(headline.standing, ExperimentStatus::Waiting);
    assert_eq!(
        headline.details[0],
        "80 units so far: 20 for bm25, 50 for neural, 10 tied. This is provisional: nothing counts before its day closes."
    );
}

#[test]
fn what_must_not_be_acted_on_is_not_shipped_when_it_is_paused_or_over() {
    // The share falls, and the winner stays ahead.
    let fell = || {
        Site::new(|_| {})
            .day(1_000, |user| Some(u32::from(user % 100 < 64)))
            .day(1_000, |user| Some(u32::from(user % 100 < 53)))
    };
    for site in [fell(), fell().change(State::Paused, ""), fell().change(State::Ended, "")] {
        let headline = site.headline();
        assert_eq!((headline.action, headline.winner.as_deref()), ("check", Some("neural")), "{headline:?}");
    }
}

/// A ranker that wins, but harms the quarter of users who are on a phone, is checked before it is shipped.
#[test]
fn harm_to_a_segment_comes_before_shipping() {
    let of = |mobile: u64, desktop: u64| {
        let segments = ["mobile", "desktop"].map(str::to_owned).to_vec();
        let site = Site::new(|config| config.segments = segments);
        site.day(2_000, |user| Some(u32::from(user / 4 % 100 < if user % 4 == 0 { mobile } else { desktop })))
    };
    let told = |site: Site| {
        let Headline { standing, details: mut more, action, advice, winner, .. } = site.headline();
        more.truncate(1);
        (standing, more.concat(), action, advice, winner)
    };
    let harm = "neural harms mobile: there, bm25 wins.";
    let (standing, more, action, advice, winner) = told(of(35, 65));
    assert_eq!((standing, &*more, action), (ExperimentStatus::Decided, harm, "check"));
    assert_eq!(
        (&*advice, winner.as_deref()),
        ("Look at what neural shows to mobile before you ship it.", Some("neural"))
    );
    for state in [State::Paused, State::Ended] {
        let (_, more, action, ..) = told(of(35, 65).change(state, ""));
        assert_eq!((&*more, action), (harm, "check"), "{state:?}");
    }
    // While no ranker has won yet.
    let (standing, more, action, advice, _) = told(of(35, 55));
    assert_eq!((standing, &*more, action), (ExperimentStatus::Undecided, harm, "check"));
    assert_eq!(advice, "Look at what neural shows to mobile; pause the experiment if it does harm.");
    // A ranker that is no longer shown harms no user.
    for (state, action, sentence) in [
        (State::Paused, "wait", "Resume, or ship a ranker."),
        (State::Ended, "none", "Nothing: everybody gets bm25's list. Ship another ranker to change that."),
    ] {
        let (_, more, found, advice, _) = told(of(35, 55).change(state, ""));
        assert_eq!((&*more, found, &*advice), (harm, action, sentence), "{state:?}");
    }
    // A ranker that loses everywhere is known to; no segment is harmed; nothing is left to do.
    for (site, action) in
        [(of(35, 35), "ship"), (of(65, 65), "ship"), (of(35, 65).change(State::Shipped(0), ""), "none")]
    {
        let (_, more, found, ..) = told(site);
        assert!(!more.contains("harms") && found == action, "{more} {found}");
    }
}

/// A date before a likely decision is mentioned beside the forecast, and no other date is.
#[test]
fn the_advice_says_that_the_end_comes_too_early() {
    let after_four_days = |end_at: &str| {
        let mut site = Site::new(|config| config.end_at = Some(end_at.to_owned()));
        for _ in 0..4 {
            site = site.day(100, barely_new);
        }
        site
    };
    let [early, late] = ["2026-12-01", "2028-01-01"].map(|end_at| after_four_days(end_at).headline().advice);
    assert!(late.starts_with("Wait. The chance of a decision is "), "{late}");
    assert_eq!(
        early.strip_prefix(&late),
        Some(" It ends by itself on 2026-12-01 00:00 UTC, before a decision is likely."),
        "{early}"
    );
    let mut ended = after_four_days("2026-12-01");
    ended.experiment.advance(MONDAY + 20 * DAY);
    let ended = ended.headline();
    assert_eq!(ended.standing, ExperimentStatus::Ended);
    assert!(ended.sentence.starts_with("Ended undecided: "), "{}", ended.sentence);
    assert_eq!(
        ended.details.last().unwrap(),
        "The experiment ended on 2026-12-01 00:00 UTC, by schedule (end_at is 2026-12-01 00:00 UTC); everybody gets bm25's list."
    );
}
