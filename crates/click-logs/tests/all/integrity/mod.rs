//! Broken pages are detected, and healthy ones are not suspected.

mod world;

use click_logs::model::{LogEnd, Settings, UnitKind};
use verdicts::integrity::{FaultKind, IntegrityReport, LEVEL, PageSelection};

use self::world::{Coin, Mistake, World};

/// The page with the tables.
const PUBLISHED: &str = include_str!("../../../../../docs/pages/trust.md");

/// Every way of keeping a log without faults, with its settings, and whether its coins are tested then.
fn clean() -> Vec<(String, World, Settings, bool)> {
    let settings = World::CLEAN.settings();
    let mut all = Vec::new();
    let mut add = |name: &str, world: World, settings: Settings, is_tested: bool| {
        all.push((name.to_owned(), world, settings, is_tested));
    };
    let usual = World::CLEAN;
    add("a coin per search", usual, settings.clone(), true);
    let every = Settings { coin: UnitKind::Impression, ..settings.clone() };
    add("a coin per search, every page counted", usual, every.clone(), true);
    add(
        "units are impressions, coin unsaid",
        usual,
        Settings { unit: UnitKind::Impression, ..settings.clone() },
        false,
    );
    add("a coin per user", World { coin: Coin::User, ..usual }, settings.clone(), true);
    add("reloads", World { reloads: 0.4, ..usual }, settings.clone(), true);
    let clicked = World { only_clicked: true, better: 0.8, ..usual };
    let said = Settings { logged: Some(PageSelection::Clicked), ..settings.clone() };
    add("clicked pages alone, said", clicked, said, false);
    add("clicked pages alone, unsaid", clicked, settings.clone(), true);
    add("short and unequal lists", World { short: Some(4), ..usual }, settings.clone(), true);
    add("one list of at most one document", World { short: Some(1), ..usual }, settings.clone(), true);
    add("odd pages and second pages", World { second_pages: true, ..usual }, settings.clone(), true);
    add("pins", World { pinned: 0.4, ..usual }, settings.clone(), true);
    add("pins, and what was mixed", World { pinned: 0.4, has_mixed: true, ..usual }, settings.clone(), true);
    add("documents left out", World { left_out: 0.4, has_mixed: true, ..usual }, settings.clone(), true);
    add("unequal relevance", World { better: 0.8, ..usual }, settings.clone(), true);
    let five = World { method: "many:team-draft", rankers: 5, ..usual };
    add("five rankers, multileaved", five, settings.clone(), true);
    add(
        "three rankers, multileaved, one of few documents",
        World { rankers: 3, short: Some(3), ..five },
        settings.clone(),
        true,
    );
    add("five rankers in pairs, by chance", World { rankers: 5, ..usual }, settings.clone(), true);
    add(
        "five rankers in pairs, steered",
        World { rankers: 5, steered: true, better: 0.5, ..usual },
        settings.clone(),
        true,
    );
    let receipts = World { has_receipts: true, ..usual };
    for (method, is_tested) in [
        ("team-draft", true),
        ("team-draft:prefix", true),
        ("balanced", true),
        ("probabilistic", false),
        ("probabilistic:assignment", false),
        ("probabilistic:expected", false),
        ("document-constraints", false),
        ("many:pairwise-preference", false),
        ("many:team-draft", true),
        ("many:probabilistic", false),
        ("many:sosm", false),
    ] {
        let world = World { method, rankers: if method.starts_with("many:") { 3 } else { 2 }, ..receipts };
        add(&format!("{method}, receipts"), world, settings.clone(), is_tested);
    }
    let odd = World { pinned: 0.3, left_out: 0.3, ..receipts };
    add("team-draft, receipts, pins and documents left out", odd, every.clone(), true);
    add("balanced, receipts, short lists", World { method: "balanced", short: Some(3), ..receipts }, every, true);
    all
}

/// Of `logs` logs of a world: how many are not trusted, how many have remarks, and whether coins were tested.
fn suspected(world: &World, settings: &Settings, logs: u64) -> (u64, u64, bool) {
    let of = |seed: u64| {
        let checked = checked(world, settings, seed);
        let is_tested = checked.tested.starts_with("Coins of lists were tested");
        (u64::from(!checked.is_trusted()), u64::from(!checked.faults.is_empty()), is_tested)
    };
    let sum = |a: (u64, u64, bool), b: (u64, u64, bool)| (a.0 + b.0, a.1 + b.1, a.2 & b.2);
    of_seeds(logs, of).into_iter().fold((0, 0, true), sum)
}

/// The result for each seed, on all processors. Each log is joined by threads of its own, so these are not those of a pool.
fn of_seeds<T: Send>(logs: u64, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    std::thread::scope(|scope| {
        let of = &of;
        let start = |first| scope.spawn(move || (first..logs).step_by(threads as usize).map(of).collect::<Vec<T>>());
        let started: Vec<_> = (0..threads).map(start).collect();
        started.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn checked(world: &World, settings: &Settings, seed: u64) -> IntegrityReport {
    let pages = world.pages(seed);
    world.credited(&pages, seed, settings).integrity(settings)
}

/// Clean logs are suspected at most as often as the level allows, and never by thresholds.
///
/// `published` has the rows that must come out.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn clean_logs(logs: u64, published: Option<&str>) {
    let bound = LEVEL * logs as f64 + 3.0 * (LEVEL * logs as f64).sqrt() + 1.0;
    println!("| logs without faults | coins tested | not trusted, of {logs} | something said |\n|---|---|---|---|");
    for (name, world, settings, is_tested) in clean() {
        let (untrusted, said, was_tested) = suspected(&world, &settings, logs);
        let row = format!("| {name} | {} | {untrusted} | {said} |", if was_tested { "yes" } else { "no" });
        println!("{row}");
        assert_eq!(was_tested, is_tested, "{name}");
        assert!(untrusted as f64 <= bound, "{name}: {untrusted} of {logs}");
        assert!(published.is_none_or(|page| page.contains(&row)), "docs/pages/trust.md has another row: {row}");
    }
}

#[test]
fn clean_logs_are_trusted() {
    clean_logs(12, None);
}

#[test]
#[ignore = "takes minutes: run by .ci/full"]
fn a_thousand_clean_logs_of_every_form_are_trusted_at_full_size() {
    clean_logs(1_000, Some(PUBLISHED));
}

/// Every mistake, the fault that should be found, and the impressions of its logs.
fn planted() -> Vec<(&'static str, World, Option<FaultKind>)> {
    let of = |mistake| World { mistake: Some(mistake), impressions: 2_000, ..World::CLEAN };
    vec![
        ("one seed for all impressions", of(Mistake::OneSeed), Some(FaultKind::Lead)),
        ("the page always begins with the first ranker", of(Mistake::FirstAlwaysFirst), Some(FaultKind::Lead)),
        ("the first ranker owns three of four places", of(Mistake::MorePlaces), Some(FaultKind::Places)),
        ("one ranker's ids are logged in capitals", of(Mistake::Capitals), Some(FaultKind::NearIds)),
        ("one ranker's ids are percent-encoded", of(Mistake::PercentEncoded), Some(FaultKind::NearIds)),
        ("a suffix on 30% of one ranker's ids", of(Mistake::Suffix), Some(FaultKind::NotShown)),
        (
            "two of three impressions are missing from the export",
            of(Mistake::CutExport),
            Some(FaultKind::UnknownImpressions),
        ),
        ("one ranker is empty for 60% of the queries", of(Mistake::EmptyLists), Some(FaultKind::ListsOfOne)),
        ("a slow ranker is left out", of(Mistake::SlowRanker), Some(FaultKind::ListsOfOne)),
        ("a clock is years ahead", of(Mistake::WrongClock), Some(FaultKind::FarTimes)),
        ("places instead of documents", of(Mistake::PlacesInsteadOfDocuments), None),
        ("one list ends after four", of(Mistake::EndsAfterFour), None),
        ("filtered after mixing", of(Mistake::FilteredAfter), Some(FaultKind::Places)),
        ("the user sorts by price", of(Mistake::SortedByUser), None),
        ("a reload draws again, the new receipt is kept", of(Mistake::ReloadDrawsAgain), None),
    ]
}

/// The number of impressions until the fault is reported; `None` if it is not within those of the log.
fn found_after(world: &World, kind: FaultKind, seed: u64) -> Option<usize> {
    // Only where a log ends is a question of windows.
    let complete = if kind == FaultKind::FarTimes { LogEnd::LastImpression } else { LogEnd::Final };
    let settings = Settings { complete, ..world.settings() };
    let pages = world.pages(seed);
    let is_found = |count: usize| {
        let checked = world.credited(&pages[..count], seed, &settings).integrity(&settings);
        checked.faults.iter().any(|fault| fault.kind == kind)
    };
    if !is_found(pages.len()) {
        return None;
    }
    let (mut low, mut high) = (0, pages.len());
    while high - low > 1 {
        let middle = (low + high) / 2;
        if is_found(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The median of the numbers of impressions after which each mistake is found.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn mistakes(logs: u64, published: Option<&str>) {
    println!("| mistake | found after | by |\n|---|---|---|");
    for (name, world, kind) in planted() {
        let Some(kind) = kind else {
            let found = (0..logs).filter(|&seed| !checked(&world, &world.settings(), seed).is_trusted()).count();
            println!("| {name} | not: {found} of {logs} not trusted | |");
            assert_eq!(found, 0, "{name}");
            continue;
        };
        let mut found = of_seeds(logs, |seed| found_after(&world, kind, seed).unwrap_or(usize::MAX));
        found.sort_unstable();
        let row = format!("| {name} | {} | {kind:?} |", found[found.len() / 2]);
        println!("{row}");
        assert!(published.is_none_or(|page| page.contains(&row)), "docs/pages/trust.md has another row: {row}");
        assert!(found[found.len() / 2] < usize::MAX, "{name}: {found:?}");
    }
}

#[test]
fn mistakes_are_found() {
    mistakes(5, None);
}

#[test]
#[ignore = "takes minutes: run by .ci/full"]
fn mistakes_are_found_in_two_hundred_logs_at_full_size() {
    mistakes(200, Some(PUBLISHED));
}
