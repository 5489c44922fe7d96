//! Conversions credited by a plain reading of the rules, line against line, and by the join.

use std::collections::{BTreeMap, BTreeSet};

use click_logs::join::{
    ConversionFate, ConversionLog, CreditedConversions, Limits, Order, credit_with_conversions,
};
use click_logs::model::{Attribution, Complete, ConversionRules, Settings};
use interleave::Generator;
use rand::{RngExt, SeedableRng};

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
                version: are_versions.then(|| if number % 2 == 0 { "s@1" } else { "s@2" }),
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

/// What a plain reading says: by version, day and pair, wins, losses, ties, both numbers and both values; and the fate of each line.
type Plain = (BTreeMap<(String, i32, [&'static str; 2]), [u64; 7]>, Vec<ConversionFate>);

fn day(time: i64) -> i32 {
    time.div_euclid(DAY) as i32
}

fn plain(world: &World, settings: &Settings, rules: &ConversionRules, last_day: i32) -> Plain {
    let mut table = BTreeMap::new();
    let mut fates: Vec<ConversionFate> = vec![ConversionFate::UnknownUnit; world.lines.len()];
    for (at, line) in world.lines.iter().enumerate() {
        let said = |line: &Line| (line.user.clone(), line.document.clone(), line.order.clone(), line.action, line.value);
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
                        world.lines[**other].value >= 0 && key(**other) < key(at) && day(world.lines[**other].time) <= closing
                    };
                    let has = lines.iter().filter(same).any(|other| before(&other));
                    note(at, if has { ConversionFate::Return } else { ConversionFate::NoOrder });
                    continue;
                }
                // What comes back is taken from the latest conversion of the order before it, then from those before.
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
                        impression.places.iter().filter(|(document, _)| *document == line.document)
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
            let row: &mut [u64; 7] =
                table.entry((version.unwrap_or_default().to_owned(), closing, pair)).or_default();
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
    let limits = Limits { order, ..log.limits() };
    credit_with_conversions(&log.inputs, Some(&read), settings, &limits, &(), None).unwrap().conversions.unwrap()
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
                complete: if is_final { Complete::Final } else { Complete::Until(until) },
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
                ConversionFate::ALL.iter().map(|fate| of.of(*fate)).collect::<Vec<_>>()
            };
            assert_eq!(counts(&again), counts(&found), "seed {seed}, {attribution}");
        }
    }
    // Worlds are of little use if they lack a fate: bots have a test of their own, and malformed lines are refused.
    let all = ConversionFate::ALL.iter().copied();
    let lacking: Vec<_> = all.filter(|fate| !seen.contains(fate)).collect();
    assert_eq!(lacking, [ConversionFate::Bot, ConversionFate::Malformed]);
}
