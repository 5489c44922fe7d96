//! Conversions credited by a plain program, line by line, and by the join.

use std::collections::{BTreeMap, BTreeSet};

use click_logs::join::{ConversionFate, ConversionLog, CreditedConversions, Order, Resources, credit_with_conversions};
use click_logs::model::{Attribution, ConversionRules, LogEnd, Settings, UnitKind};
use interleave::Generator;
use rand::{RngExt, SeedableRng};

use crate::cli::{fails, ok, run};
use crate::common::Log;

const DAY: i64 = 86_400_000;
/// The first day of all worlds: 2026-01-01.
const BEGIN: i64 = 20_454 * DAY;

struct Impression {
    id: String,
    user: String,
    time: i64,
    version: Option<&'static str>,
    /// By place: the document and its owner.
    places: Vec<(String, Option<&'static str>)>,
    rankers: [&'static str; 2],
}

struct Line {
    user: Option<String>,
    document: String,
    time: i64,
    action: &'static str,
    value: i64,
    currency: &'static str,
    order: Option<String>,
}

struct World {
    impressions: Vec<Impression>,
    lines: Vec<Line>,
}

impl World {
    fn random(seed: u64) -> Self {
        let mut draws = Generator::seed_from_u64(seed);
        let mut chance = |share: f64| draws.random::<f64>() < share;
        let are_versions = chance(0.3);
        let are_three = chance(0.3);
        let mut impressions: Vec<Impression> = Vec::new();
        let mut draws = Generator::seed_from_u64(seed + 1_000);
        for number in 0..60 {
            let mut documents: Vec<usize> = (0..7).collect();
            for at in 0..5 {
                let other = draws.random_range(at..7);
                documents.swap(at, other);
            }
            let rankers = match draws.random_range(0..3) {
                1 if are_three => ["A", "C"],
                2 if are_three => ["B", "C"],
                _ => ["A", "B"],
            };
            let owner = |at: usize| [Some(rankers[0]), Some(rankers[1]), None][at];
            let places = documents[..5].iter().map(|document| {
                let at = if draws.random_range(0..6) == 0 { 2 } else { draws.random_range(0..2) };
                (format!("d{document}"), owner(at))
            });
            let places: Vec<_> = places.collect();
            impressions.push(Impression {
                id: format!("i{number}"),
                user: format!("u{}", draws.random_range(0..12)),
                // Often at one moment.
                time: BEGIN + draws.random_range(0..600) * (DAY / 100),
                version: are_versions.then_some(if number % 2 == 0 { "s@1" } else { "s@2" }),
                places,
                rankers,
            });
        }
        let mut lines = Vec::new();
        for number in 0..80 {
            let is_known = draws.random_range(0..10) > 0;
            let mut line = Line {
                user: (draws.random_range(0..40) > 0)
                    .then(|| format!("u{}", draws.random_range(0..12) + if is_known { 0 } else { 100 })),
                document: format!("d{}", draws.random_range(0..8)),
                time: BEGIN + draws.random_range(0..1_400) * (DAY / 100),
                action: if draws.random_range(0..15) == 0 { "cart" } else { "order" },
                value: draws.random_range(0..5_000),
                currency: if draws.random_range(0..15) == 0 { "USD" } else { "EUR" },
                order: (draws.random_range(0..5) > 0).then(|| format!("o{}", number / 2)),
            };
            let mut push = |line: &Line, later: i64, value: i64| {
                lines.push(Line {
                    user: line.user.clone(),
                    document: line.document.clone(),
                    time: line.time + later,
                    value,
                    order: line.order.clone(),
                    ..*line
                });
            };
            push(&line, 0, line.value);
            match draws.random_range(0..8) {
                0 => push(&line, draws.random_range(0..200) * (DAY / 100), -line.value.max(1)),
                1 => push(&line, draws.random_range(0..200) * (DAY / 100), -(line.value / 3).max(1)),
                2 => push(&line, draws.random_range(0..2) * 1_000, line.value),
                3 => {
                    // A second conversion of the same order and document.
                    line.value += 7;
                    push(&line, DAY / 100, line.value);
                }
                4 => {
                    line.order = Some("another".to_owned());
                    push(&line, 0, -3);
                }
                _ => {}
            }
        }
        Self { impressions, lines }
    }

    fn texts(&self) -> [Vec<String>; 3] {
        let impressions = self.impressions.iter().map(|impression| {
            let shown: Vec<&str> = impression.places.iter().map(|(document, _)| document.as_str()).collect();
            let teams: Vec<Option<&str>> = impression.places.iter().map(|(_, owner)| *owner).collect();
            let mut line = serde_json::json!({
                "impression": impression.id, "user": impression.user, "time": impression.time, "shown": shown, "teams": teams,
                "rankers": impression.rankers, "pairs": "chance",
            });
            if let Some(version) = impression.version {
                line["version"] = version.split_once('@').unwrap().1.into();
                line["experiment"] = "s".into();
            }
            line.to_string()
        });
        let conversions = self.lines.iter().map(|line| {
            serde_json::json!({
                "user": line.user, "document": line.document, "time": line.time, "action": line.action, "value": line.value,
                "currency": line.currency, "order": line.order,
            })
            .to_string()
        });
        [impressions.collect(), vec![], conversions.collect()]
    }
}

/// The plain program's result: by version, day and pair, wins, losses, ties, both numbers and both values; and the fate of each
/// line.
type Plain = (BTreeMap<(String, i32, [&'static str; 2]), [u64; 7]>, Vec<ConversionFate>);

fn day(time: i64) -> i32 {
    time.div_euclid(DAY) as i32
}

fn plain(world: &World, settings: &Settings, rules: &ConversionRules, last_day: i32) -> Plain {
    let mut table = BTreeMap::new();
    let mut fates: Vec<ConversionFate> = vec![ConversionFate::UnknownUnit; world.lines.len()];
    for (at, line) in world.lines.iter().enumerate() {
        let said =
            |line: &Line| (line.user.clone(), line.document.clone(), line.order.clone(), line.action, line.value);
        let is_first = |other: &(usize, &Line)| (other.1.time, other.0) < (line.time, at);
        let is_double = |(_, other): &(usize, &Line)| {
            said(other) == said(line) && other.currency == "EUR" && (line.order.is_some() || other.time == line.time)
        };
        fates[at] = if line.action != "order" {
            ConversionFate::OtherAction
        } else if line.currency != "EUR" {
            ConversionFate::OtherCurrency
        } else if line.user.is_none() {
            ConversionFate::UnknownUnit
        } else if world.lines.iter().enumerate().filter(is_first).any(|other| is_double(&other)) {
            ConversionFate::Duplicate
        } else {
            ConversionFate::UnknownUnit
        };
    }
    let counts: Vec<usize> = (0..fates.len()).filter(|&at| fates[at] == ConversionFate::UnknownUnit).collect();
    let users: BTreeSet<&str> = world.impressions.iter().map(|impression| impression.user.as_str()).collect();
    for user in users {
        let of_user = || world.impressions.iter().filter(|impression| impression.user == user);
        let keys: BTreeSet<_> = of_user().map(|impression| (impression.version, impression.rankers)).collect();
        for (version, pair) in keys {
            let mut mine: Vec<&Impression> =
                of_user().filter(|impression| (impression.version, impression.rankers) == (version, pair)).collect();
            mine.sort_by_key(|impression| impression.time);
            let last = day(mine[0].time) + settings.unit_days as i32 - 1;
            mine.retain(|impression| day(impression.time) <= last);
            let closing = last + rules.days as i32;
            let lines: Vec<usize> =
                counts.iter().copied().filter(|&at| world.lines[at].user.as_deref() == Some(user)).collect();
            let mut note = |at: usize, fate: ConversionFate| fates[at] = fates[at].min(fate);
            if closing > last_day {
                lines.iter().for_each(|&at| note(at, ConversionFate::Open));
                continue;
            }
            let mut sums = [0_u64; 4];
            for &at in &lines {
                let line = &world.lines[at];
                let same = |other: &&usize| {
                    let other = &world.lines[**other];
                    (&other.document, &other.order) == (&line.document, &line.order)
                };
                if day(line.time) > closing {
                    note(at, ConversionFate::Late);
                    continue;
                }
                let key = |at: usize| {
                    let line = &world.lines[at];
                    (line.time, line.value < 0, line.value)
                };
                if line.value < 0 {
                    let before = |other: &&usize| {
                        world.lines[**other].value >= 0
                            && key(**other) < key(at)
                            && day(world.lines[**other].time) <= closing
                    };
                    let has = lines.iter().filter(same).any(|other| before(&other));
                    note(at, if has { ConversionFate::Return } else { ConversionFate::NoOrder });
                    continue;
                }
                // A return is subtracted from the latest conversion of the order before it, then from those before.
                let mut group: Vec<usize> = lines.iter().filter(same).copied().collect();
                group.sort_by_key(|&at| key(at));
                let mut left: BTreeMap<usize, i64> = BTreeMap::new();
                for (place, &other) in group.iter().enumerate() {
                    if day(world.lines[other].time) > closing {
                        continue;
                    }
                    let value = world.lines[other].value;
                    if value >= 0 {
                        left.insert(place, value);
                        continue;
                    }
                    let mut back = -value;
                    for left in left.values_mut().rev() {
                        let taken = back.min(*left);
                        *left -= taken;
                        back -= taken;
                    }
                }
                let mine_at = group.iter().position(|other| *other == at).unwrap();
                let value = left[&mine_at] as u64;
                if value == 0 && line.value > 0 {
                    note(at, ConversionFate::Returned);
                    continue;
                }
                let owners: Vec<(i64, Option<&str>)> = mine
                    .iter()
                    .flat_map(|impression| {
                        impression
                            .places
                            .iter()
                            .filter(|(document, _)| *document == line.document)
                            .map(|(_, owner)| (impression.time, *owner))
                    })
                    .collect();
                if owners.is_empty() {
                    note(at, ConversionFate::NotShown);
                    continue;
                }
                let before: Vec<_> = owners.iter().filter(|(time, _)| time - settings.skew <= line.time).collect();
                let Some(newest) = before.iter().map(|(time, _)| *time).max() else {
                    note(at, ConversionFate::Early);
                    continue;
                };
                let owned = |from: i64| {
                    let all = before.iter().filter(|(time, _)| *time >= from);
                    let of = |name: &str| all.clone().filter(|(_, owner)| *owner == Some(name)).count() as u64;
                    ([of(pair[0]), of(pair[1])], all.clone().count() as u64)
                };
                let (count, given) = match rules.attribution {
                    Attribution::Last => {
                        let (of, all) = owned(newest);
                        let has = of.map(|of| u64::from(of == all));
                        (has, has.map(|has| has * value))
                    }
                    Attribution::MostDrafted => {
                        let ([a, b], _) = owned(i64::MIN);
                        let has = [u64::from(a > b), u64::from(b > a)];
                        (has, has.map(|has| has * value))
                    }
                    Attribution::All(window) => {
                        let (of, all) = owned(window.map_or(i64::MIN, |window| line.time - window));
                        if all == 0 {
                            note(at, ConversionFate::Late);
                            continue;
                        }
                        (of, of.map(|of| value * of / all))
                    }
                };
                note(at, if count == [0, 0] { ConversionFate::Nobodys } else { ConversionFate::Credited });
                for side in 0..2 {
                    sums[side] += count[side];
                    sums[2 + side] += given[side];
                }
            }
            let row: &mut [u64; 7] = table.entry((version.unwrap_or_default().to_owned(), closing, pair)).or_default();
            row[match sums[0].cmp(&sums[1]) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => 2,
            }] += 1;
            for (sum, more) in row[3..].iter_mut().zip(sums) {
                *sum += more;
            }
        }
    }
    (table, fates)
}

fn credited(
    texts: &[Vec<String>; 3],
    cuts: usize,
    settings: &Settings,
    rules: &ConversionRules,
    order: Order,
) -> CreditedConversions {
    let files = |lines: &[String]| -> Vec<Vec<u8>> {
        let size = lines.len().div_ceil(cuts).max(1);
        lines.chunks(size).map(|lines| (lines.join("\n") + "\n").into_bytes()).collect()
    };
    let [impressions, conversions] = [&texts[0], &texts[2]].map(|lines| files(lines));
    let slices: Vec<&[u8]> = impressions.iter().map(Vec::as_slice).collect();
    let log = Log::of(&slices, &[b""]);
    let paths: Vec<_> = conversions
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let path = log.folder.path().join(format!("conversions-{number}"));
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let read = ConversionLog::read(&paths, settings, rules.clone()).unwrap();
    let resources = Resources { order, ..log.resources() };
    credit_with_conversions(&log.inputs, Some(&read), settings, &resources, &(), None).unwrap().conversions.unwrap()
}

fn shuffled(lines: &[String], seed: u64) -> Vec<String> {
    let mut draws = Generator::seed_from_u64(seed);
    let mut lines = lines.to_vec();
    for at in 1..lines.len() {
        lines.swap(at, draws.random_range(0..=at));
    }
    lines
}

#[test]
fn a_plain_reading_agrees_whatever_the_order_of_lines_and_files() {
    let attributions =
        [Attribution::Last, Attribution::All(None), Attribution::All(Some(2 * DAY)), Attribution::MostDrafted];
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        let world = World::random(seed);
        let texts = world.texts();
        for (place, attribution) in attributions.into_iter().enumerate() {
            let rules = ConversionRules {
                attribution,
                days: [3, 7][seed as usize % 2],
                currency: Some("EUR".to_owned()),
                ..ConversionRules::default()
            };
            let until = BEGIN + 9 * DAY;
            let is_final = place % 2 == 0;
            let settings = Settings {
                unit_days: 1 + (seed % 3) as u32,
                complete: if is_final { LogEnd::Final } else { LogEnd::Until(until) },
                ..Settings::default()
            };
            let last_day = if is_final { i32::MAX } else { day(until - settings.window) - 1 };
            let (table, fates) = plain(&world, &settings, &rules, last_day);
            seen.extend(fates.iter().copied());
            let found = credited(&texts, 1, &settings, &rules, Order::Any);
            let of_line: Vec<ConversionFate> = found.fates.iter().map(|(.., fate)| *fate).collect();
            for (at, (found, expected)) in of_line.iter().zip(&fates).enumerate() {
                assert_eq!(found, expected, "seed {seed}, {attribution}, line {}: {}", at + 1, texts[2][at]);
            }
            let versions = &found.conversions.versions;
            let rows = found.conversions.days.iter().map(|day| {
                let names = [day.pair.0, day.pair.1].map(|ranker| found.conversions.rankers[ranker].as_str());
                let counts = day.counts;
                let numbers = [
                    counts.units.wins,
                    counts.units.losses,
                    counts.units.ties,
                    counts.conversions[0],
                    counts.conversions[1],
                    counts.value[0],
                    counts.value[1],
                ];
                ((versions[day.version].clone().unwrap_or_default(), day.day, names), numbers)
            });
            let expected: BTreeMap<_, _> =
                table.iter().map(|((version, day, pair), row)| ((version.clone(), *day, *pair), *row)).collect();
            assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected, "seed {seed}, {attribution}");
            let mut mixed = texts.clone();
            for lines in &mut mixed {
                *lines = shuffled(lines, seed);
            }
            let again = credited(&mixed, 3, &settings, &rules, Order::Auto);
            assert_eq!(again.conversions, found.conversions, "seed {seed}, {attribution}");
            let counts = |of: &CreditedConversions| {
                ConversionFate::ALL.iter().map(|fate| of.lines_with_fate(*fate)).collect::<Vec<_>>()
            };
            assert_eq!(counts(&again), counts(&found), "seed {seed}, {attribution}");
            // As servers write lines: a window slides over them.
            let mut sorted = texts.clone();
            let time = |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap()["time"].as_i64();
            sorted[0].sort_by_key(time);
            let slid = credited(&sorted, 2, &settings, &rules, Order::Time);
            assert_eq!(slid.conversions, found.conversions, "seed {seed}, {attribution}");
        }
    }
    // Worlds are of little use if they lack a fate: bots have a test of their own, and malformed lines are refused.
    let all = ConversionFate::ALL.iter().copied();
    let lacking: Vec<_> = all.filter(|fate| !seen.contains(fate)).collect();
    assert_eq!(lacking, [ConversionFate::Bot, ConversionFate::Malformed]);
}

const IMPRESSIONS: &str = r#"{"impression": "i1", "user": "u1", "time": "2026-01-01T10:00:00Z", "shown": ["d1", "d2"], "teams": ["new", "old"]}
{"impression": "i2", "user": "u2", "time": "2026-01-01T11:00:00Z", "shown": ["d1", "d2"], "teams": ["old", "new"]}
"#;
const CLICKS: &str = r#"{"impression": "i1", "document": "d1", "time": "2026-01-01T10:01:00Z"}
"#;
const ORDERS: &str = "user,document,time,value,currency,order\nu1,d2,2026-01-02T10:00:00Z,1250,EUR,o1\nu2,d2,2026-01-03T10:00:00Z,990,EUR,o2\n";

/// A folder with the files of a log of two lists.
fn folder(orders: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("i.jsonl", IMPRESSIONS), ("c.jsonl", CLICKS), ("o.csv", orders)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const CREDIT: [&str; 7] = ["credit", "--impressions", "i.jsonl", "--clicks", "c.jsonl", "--outcomes", "o.csv"];

#[test]
fn what_decides_is_named_beforehand_and_the_others_stand_beside() {
    let folder = folder(ORDERS);
    let at = folder.path();
    for (primary, beside) in [
        ("clicks", ["conversions", "value"]),
        ("conversions", ["clicks", "value"]),
        ("value", ["clicks", "conversions"]),
    ] {
        ok(at, &[&CREDIT[..], &["--final", "--primary", primary, "--cap", "5000", "--out", primary]].concat());
        let text = ok(at, &["decide", primary]);
        assert!(
            primary == "clicks" || text.contains(&format!("Decided by {primary}, as was said beforehand")),
            "{text}"
        );
        let (_, others) = text.split_once("\nBeside it, and not to decide by:\n").unwrap();
        for name in beside {
            assert!(others.contains(&format!("  {name}: ")), "{text}");
        }
        let json: serde_json::Value = serde_json::from_str(&ok(at, &["decide", primary, "--format", "json"])).unwrap();
        assert_eq!((&json["decided_by"], &json["decided"]), (&primary.into(), &false.into()));
        let names: Vec<&String> = json["beside"].as_object().unwrap().keys().collect();
        assert_eq!(names, beside);
        assert_eq!(json["conversions"]["cap"], 5_000);
        let done = run(at, &["decide", primary, "--exit-code"]);
        assert_eq!(done.status.code(), Some(3), "{primary}");
    }
    assert!(fails(at, 2, &["decide", "value", "--by", "impressions"]).contains("decided by value"));
    std::fs::write(at.join("ab.csv"), "interleaving,ab\n0.1,1\n0.2,3\n0.3,4\n").unwrap();
    for primary in ["conversions", "value"] {
        let said = fails(at, 2, &["decide", primary, "--against", "ab.csv"]);
        assert!(said.contains(&format!("{primary} is decided by {primary}, as was said beforehand")), "{said}");
    }
    let table = std::fs::read_to_string(at.join("value/conversions.csv")).unwrap();
    assert_eq!(table.lines().nth(1), Some("2026-01-08,new,old,1,1,0,1,1,990,1250,0,0,2542600"), "{table}");
    // The table alone has signs, but no measure chosen in advance.
    assert!(ok(at, &["decide", "value/conversions.csv"]).starts_with("new and old: not decided"));
    ok(at, &["decide", "value", "--out", "decided"]);
    assert!(
        std::fs::read_to_string(at.join("decided/value.csv")).unwrap().contains("2026-01-08,new,old,2,495,625,-130,")
    );
    std::fs::write(at.join("value/conversions.csv"), table.replace("990", "991")).unwrap();
    assert!(fails(at, 2, &["decide", "value"]).contains("describes another table"));
    // Without orders, nothing is as it was before.
    let plain = [&CREDIT[..5], &["--final", "--out", "value", "--replace"]].concat();
    ok(at, &plain);
    assert!(!at.join("value/conversions.csv").exists());
    assert!(!ok(at, &["decide", "value"]).contains("Beside it"));
}

#[test]
fn orders_that_cannot_be_credited_are_refused() {
    let refused = |orders: &str, flags: &[&str], code: i32, expected: &str| {
        let folder = folder(orders);
        let found = fails(folder.path(), code, &[&CREDIT[..], &["--final", "--out", "out"], flags].concat());
        assert!(found.contains(expected), "{found}");
        assert!(!folder.path().join("out/conversions.csv").exists());
    };
    refused(ORDERS, &["--primary", "value"], 2, "--primary value takes --cap");
    refused(ORDERS, &["--unit", "impression"], 2, "leave out --unit impression");
    refused(ORDERS, &["--cap", "0"], 2, "expected an amount in minor units");
    refused(ORDERS, &["--attribution", "first"], 2, "expected last, all, window=7d or most-drafted");
    refused(ORDERS, &["--append", "state", "--rankers", "new,old", "--pairs", "chance"], 2, "cannot be used with");
    refused(ORDERS, &["--impressions", "-", "--outcomes", "-"], 2, "is named twice");
    refused(ORDERS, &["--outcomes", "-", "--detail"], 2, "can be read once; write it to a file");
    refused(ORDERS, &["--cap", "99%:o.csv"], 2, "a cap is fixed by an earlier time alone");
    let mixed = format!("{ORDERS}u2,d1,2026-01-03T10:00:00Z,,EUR,o3\n");
    refused(&mixed, &[], 1, "o.csv:2 has a `value` and o.csv:4 has none");
    let currencies = ORDERS.replace("990,EUR", "990,USD");
    refused(
        &currencies,
        &[],
        1,
        "the values are in several currencies (`EUR`, `USD`); name the one that counts (--currency)",
    );
    refused(
        &ORDERS.replace("1250", "12.50"),
        &[],
        1,
        "o.csv:2: `value` is the text `12.50`; expected a whole number of minor",
    );
    refused("user,time\n", &[], 1, "o.csv:1: no column `document`");
    let without = "user,document,time\nu1,d2,2026-01-02T10:00:00Z\n";
    refused(without, &["--primary", "value", "--cap", "9"], 2, "no line of --outcomes has a `value`");
    let other = folder(ORDERS);
    let earlier = ORDERS.replace("2026-", "2025-");
    let capped = [&CREDIT[..], &["--final", "--out", "out", "--cap", "99%:before.csv"]].concat();
    std::fs::write(other.path().join("before.csv"), earlier.replace("EUR", "JPY")).unwrap();
    let found = fails(other.path(), 2, &capped);
    assert!(found.contains("before.csv are in JPY, and those of --outcomes in EUR"), "{found}");
    std::fs::write(other.path().join("before.csv"), earlier).unwrap();
    ok(other.path(), &capped);
    // Owners of documents are not known.
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ok(at, &["simulate", "--impressions", "50", "--method", "balanced", "--out", "log"]);
    let line = std::fs::read_to_string(at.join("log/impressions.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    let order = serde_json::json!({"user": line["user"], "document": line["shown"][0], "time": line["time"]});
    std::fs::write(at.join("o.jsonl"), order.to_string()).unwrap();
    let credit =
        ["credit", "--impressions", "log/impressions.jsonl", "--clicks", "log/clicks.jsonl", "--outcomes", "o.jsonl"];
    let found = fails(at, 1, &[&credit[..], &["--final", "--out", "out"]].concat());
    assert!(found.contains("some lists do not say who does; mix them by team-draft"), "{found}");
}

#[test]
fn where_each_click_is_an_order_both_verdicts_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let none: Vec<&str> =
        ["--doubles", "--late", "--early", "--lost", "--unknown", "--not-shown", "--conflicts", "--bots"]
            .iter()
            .flat_map(|flag| [*flag, "0"])
            .collect();
    ok(at, &[&["simulate", "--impressions", "4e3", "--quality-gap", "0.4", "--out", "log"], none.as_slice()].concat());
    let read = |name: &str| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(at.join("log").join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    // Only the first list of each user: later ones would share its documents.
    let mut impressions = read("impressions.jsonl");
    impressions.sort_by_key(|line| line["time"].as_i64());
    let mut seen = BTreeSet::new();
    impressions.retain(|line| seen.insert(line["user"].to_string()));
    let users: BTreeMap<String, String> = impressions
        .iter()
        .map(|line| (line["impression"].to_string(), line["user"].as_str().unwrap().to_owned()))
        .collect();
    let clicks: Vec<_> =
        read("clicks.jsonl").into_iter().filter(|click| users.contains_key(&click["impression"].to_string())).collect();
    let orders = clicks.iter().map(|click| {
        serde_json::json!({
            "user": users[&click["impression"].to_string()], "document": click["document"], "time": click["time"],
            "order": "the only one",
        })
    });
    let text = |lines: Vec<serde_json::Value>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    std::fs::write(at.join("o.jsonl"), text(orders.collect())).unwrap();
    std::fs::write(at.join("i.jsonl"), text(impressions)).unwrap();
    std::fs::write(at.join("c.jsonl"), text(clicks)).unwrap();
    let credit = [
        "credit",
        "--impressions",
        "i.jsonl",
        "--clicks",
        "c.jsonl",
        "--outcomes",
        "o.jsonl",
        "--final",
        "--out",
        "out",
    ];
    ok(at, &credit);
    let table = |name: &str| -> BTreeMap<String, Vec<String>> {
        let mut table = csv::Reader::from_path(at.join("out").join(name)).unwrap();
        let rows = table.deserialize::<BTreeMap<String, String>>().map(Result::unwrap);
        rows.map(|row| {
            (row["day"].clone(), ["unit_wins", "unit_losses", "unit_ties"].map(|name| row[name].clone()).to_vec())
        })
        .collect()
    };
    let (clicks, orders) = (table("outcomes.csv"), table("conversions.csv"));
    // A week later, the same.
    assert!(clicks.len() > 10);
    assert_eq!(clicks.into_values().collect::<Vec<_>>(), orders.into_values().collect::<Vec<_>>());
}

/// The number of 30 shops that clicks, conversions and value each decide within 28 days of lists, and their median day.
#[test]
#[ignore = "minutes: the numbers of the page about orders"]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn orders_beside_clicks_at_full_size() {
    let mut days: [Vec<i32>; 3] = Default::default();
    for seed in 1..=30 {
        let folder = tempfile::tempdir().unwrap();
        let (at, seed) = (folder.path(), seed.to_string());
        let shop =
            ["--impressions", "60000", "--days", "28", "--quality-gap", "0.2", "--orders", "0.1", "--seed", &seed];
        ok(at, &[&["simulate", "--out", "s", "--quiet"], &shop[..]].concat());
        let files = ["--impressions", "s/impressions.jsonl", "--clicks", "s/clicks.jsonl", "--bots", "s/bots.toml"];
        let orders = ["--outcomes", "s/conversions.jsonl", "--currency", "EUR", "--cap", "20000"];
        ok(at, &[&["credit", "--final", "--quiet", "--out", "r"], &files[..], &orders[..]].concat());
        let json: serde_json::Value = serde_json::from_str(&ok(at, &["decide", "r", "--format", "json"])).unwrap();
        let measures = [&json, &json["beside"]["conversions"], &json["beside"]["value"]];
        for (days, measure) in days.iter_mut().zip(measures) {
            let pair = &measure["pairs"][0];
            assert!(pair["winner"].is_null() || pair["winner"] == "B", "{pair}");
            days.extend(pair["since"].as_str().and_then(times::day_of_date).map(|since| since - day(BEGIN) + 1));
        }
    }
    let decided = days.map(|mut days| {
        days.sort_unstable();
        (days.len(), days.get(days.len() / 2).copied())
    });
    eprintln!("decided of 30, and the median day: {decided:?}");
    // The documentation has these numbers.
    assert_eq!(decided, [(30, Some(3)), (13, Some(27)), (6, Some(29))]);
}

/// A list with its user, its time, and its owners.
type Drafted = (usize, i64, Vec<&'static str>);

/// Lists of some users as team draft mixes them, and orders of some.
fn drafted_world(seed: u64) -> ([Vec<String>; 3], Vec<Drafted>) {
    let mut draws = Generator::seed_from_u64(seed);
    let (mut impressions, mut orders, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..400_usize {
        let user = draws.random_range(0..40);
        let time = BEGIN + draws.random_range(0..200_000) * (3 * DAY / 200_000);
        // One in five is too short to have an advantage.
        let length = if draws.random_range(0..5) == 0 { 2 } else { 5 };
        let mut owners = Vec::new();
        while owners.len() < length {
            let (first, second) = if draws.random_range(0..2) == 0 { ("A", "B") } else { ("B", "A") };
            owners.extend([first, second]);
        }
        owners.truncate(length);
        let shown: Vec<String> = (0..length).map(|document| format!("d{document}")).collect();
        let line = serde_json::json!({
            "impression": format!("i{number}"), "user": format!("u{user}"), "time": time, "shown": shown, "teams": owners,
            "rankers": ["A", "B"],
        });
        impressions.push(line.to_string());
        lists.push((user, time, owners));
        if draws.random_range(0..4) == 0 {
            orders.push(
                serde_json::json!({
                    "user": format!("u{user}"), "document": "d1", "time": time + 1_000, "value": 100 + number, "order": format!("o{number}"),
                })
                .to_string(),
            );
        }
    }
    ([impressions, Vec::new(), orders], lists)
}

#[test]
fn advantages_of_a_log_are_those_of_a_plain_reading() {
    // The fifth place is in no whole round.
    const WORTH: [i64; 4] = [1_000, 500, 333, 250];
    for (seed, coin) in (0..20).flat_map(|seed| [(seed, UnitKind::User), (seed, UnitKind::Impression)]) {
        let (texts, mut lists) = drafted_world(seed);
        let settings = Settings { coin, unit_days: 2, complete: LogEnd::Final, ..Settings::default() };
        let rules = ConversionRules { cap: Some(150), draft_places: Some(5), ..ConversionRules::default() };
        let found = credited(&texts, 1, &settings, &rules, Order::Any);
        let mut mixed = texts.clone();
        mixed.iter_mut().for_each(|lines| *lines = shuffled(lines, seed));
        assert_eq!(credited(&mixed, 3, &settings, &rules, Order::Auto).conversions, found.conversions);
        // Advantages of a user by time, from the first day to the next; with one coin per user, only the first.
        lists.sort_by_key(|(user, time, _)| (*user, *time));
        let mut expected = BTreeMap::<i32, [i64; 2]>::new();
        for of_user in lists.chunk_by(|a, b| a.0 == b.0) {
            let last = day(of_user[0].1) + 1;
            let mut sum = 0_i64;
            for (place, (_, time, owners)) in of_user.iter().enumerate() {
                if day(*time) > last || owners.len() < 5 || coin == UnitKind::User && place > 0 {
                    continue;
                }
                if sum.abs() <= 3_000 {
                    sum += WORTH
                        .iter()
                        .zip(owners)
                        .map(|(worth, of)| if *of == "A" { *worth } else { -worth })
                        .sum::<i64>();
                }
            }
            let of_day = expected.entry(last + 7).or_default();
            of_day[0] += sum;
            of_day[1] += sum * sum;
        }
        let days = found.conversions.days.iter();
        let rows = days.clone().map(|day| (day.day, [day.counts.draft.sum, day.counts.draft.squares as i64]));
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected, "seed {seed}, {coin:?}");
        assert!(days.clone().any(|day| day.counts.draft.products != 0));
        assert!(days.clone().all(|day| day.counts.fault(Some(150)).is_none()));
        // Nothing else depends on it.
        let plain = credited(&texts, 1, &settings, &ConversionRules { draft_places: None, ..rules }, Order::Any);
        assert_eq!(plain.conversions.to_csv(), without_draft(&found.conversions.to_csv()));
    }
}

/// A table without its last three columns.
fn without_draft(table: &str) -> String {
    let cut = |line: &str| line.rsplitn(4, ',').last().unwrap().to_owned() + "\n";
    table.lines().map(cut).collect()
}

#[test]
fn the_draft_covariate_is_said_and_lists_without_coins_are_refused() {
    let folder = folder(ORDERS);
    let at = folder.path();
    let with = [&CREDIT[..], &["--final", "--primary", "value", "--cap", "5000", "--draft-covariate", "2"]].concat();
    ok(at, &[&with[..], &["--out", "with"]].concat());
    let table = std::fs::read_to_string(at.join("with/conversions.csv")).unwrap();
    // `new` is first for the user that orders from `old` for 1,250, and second for the one that orders from `new` for 990.
    assert_eq!(
        table.lines().nth(1),
        Some("2026-01-08,new,old,1,1,0,1,1,990,1250,0,0,2542600,0,500000,-1120000"),
        "{table}"
    );
    let summary = std::fs::read_to_string(at.join("with/summary.json")).unwrap();
    assert!(summary.contains("\"draft_covariate\": 2"), "{summary}");
    assert!(ok(at, &["decide", "with"]).contains("; the draft explains less than 1% of the variance"));
    let json: serde_json::Value = serde_json::from_str(&ok(at, &["decide", "with", "--format", "json"])).unwrap();
    assert!(json.to_string().contains("\"adjusted_difference\":-130.0"), "{json}");
    // Lines of each cause are refused.
    for (instead, expected) in [
        (r#""shown": ["d1", "d2"], "teams": ["new", "new"]"#, "a ranker had none left"),
        (r#""shown": ["d2"], "mixed": ["d1", "d2"], "teams": ["new", "old"]"#, "left out or moved"),
    ] {
        let text = IMPRESSIONS.replacen(r#""shown": ["d1", "d2"], "teams": ["new", "old"]"#, instead, 1);
        std::fs::write(at.join("i.jsonl"), text).unwrap();
        let said = fails(at, 1, &with);
        assert!(said.contains(expected), "{said}");
    }
    let said = fails(at, 2, &[&with[..], &["--unit", "session"]].concat());
    assert!(said.contains("pass --coin session"), "{said}");
    let said = fails(at, 2, &[&CREDIT[..], &["--draft-covariate", "2"]].concat());
    assert!(said.contains("--cap"), "{said}");
}
