//! The join against the simplest program for the same rules: everything in maps, one rule after another.

use std::collections::{BTreeMap, BTreeSet};

use click_logs::join::{ClickFate, ImpressionFate, Order, UnitFate};
use click_logs::model::{LogEnd, Settings};
use interleave::Generator;
use rand::{RngExt, SeedableRng};
use statistics::Preference;
use times::{DAY, Zone};
use verdicts::amounts::{Amounts, SideSums};
use verdicts::ledger::{self, Comparison, CountingRules, DayRow, OpenDays, Outcome, UnitLedger};
use verdicts::outcomes::DayCounts;
use verdicts::{Bots, PairChoice};

use crate::common::Log;

#[derive(Debug, Clone, PartialEq)]
struct Shown {
    id: u32,
    time: i64,
    user: Option<u32>,
    teams: Option<Vec<Option<&'static str>>>,
    documents: usize,
}

impl Shown {
    /// Whether both are lines of one impression.
    fn says_the_same(&self, other: &Self) -> bool {
        // Owners matter only if a user is known.
        let owned =
            |shown: &Self| shown.teams.clone().map(|teams| if shown.user.is_some() { teams } else { Vec::new() });
        (self.id, self.user, self.documents, owned(self)) == (other.id, other.user, other.documents, owned(other))
    }
}

#[derive(Debug, Clone)]
struct Clicked {
    id: u32,
    document: usize,
    time: i64,
    dwell: Option<i64>,
}

/// Few ids and users, so that all kinds of trouble happen.
fn random_log(generator: &mut Generator) -> (Vec<Shown>, Vec<Clicked>) {
    let mut shown: Vec<Shown> = Vec::new();
    for _ in 0..generator.random_range(1..60) {
        if !shown.is_empty() && generator.random_range(0..4) == 0 {
            let mut again = shown[generator.random_range(0..shown.len())].clone();
            match generator.random_range(0..6) {
                // Logged again, soon or much later; or without its documents.
                0 => again.time += generator.random_range(-50..50),
                1 => again.time += generator.random_range(-7_200_000..7_200_000),
                2 => {
                    again.time += generator.random_range(-50..50);
                    again.documents = 0;
                    again.teams = [None, Some(Vec::new())][generator.random_range(0..2_usize)].clone();
                }
                _ => {}
            }
            shown.push(again);
            continue;
        }
        let length = generator.random_range(1..4);
        let mut team = || [Some("A"), Some("B"), None][generator.random_range(0..3_usize)];
        let teams: Vec<_> = (0..length).map(|_| team()).collect();
        shown.push(Shown {
            id: generator.random_range(0..40),
            time: 20_780 * DAY + generator.random_range(0..5 * DAY),
            user: (generator.random_range(0..10) > 0).then(|| generator.random_range(0..6)),
            teams: (generator.random_range(0..12) > 0).then_some(teams),
            documents: length,
        });
    }
    let clicked = (0..generator.random_range(0..120)).map(|_| {
        let of = &shown[generator.random_range(0..shown.len())];
        Clicked {
            id: if generator.random_range(0..10) == 0 { 99 } else { of.id },
            document: generator.random_range(0..4),
            time: of.time + generator.random_range(-20_000..2 * 3_600_000),
            dwell: (generator.random_range(0..5) > 0).then(|| generator.random_range(0..60) * 1000),
        }
    });
    let clicked = clicked.collect();
    (shown, clicked)
}

type Fates = BTreeMap<&'static str, u64>;

/// Closed impressions with consistent lines; and all lines of those in conflict.
fn settled(
    shown: &[Shown],
    until: i64,
    settings: &Settings,
    of_impressions: &mut Fates,
) -> (BTreeMap<u32, Shown>, Vec<Shown>) {
    let ids: BTreeSet<u32> = shown.iter().map(|shown| shown.id).collect();
    let (mut good, mut in_conflict) = (BTreeMap::<u32, Shown>::new(), Vec::<Shown>::new());
    for &id in &ids {
        let copies: Vec<&Shown> = shown.iter().filter(|shown| shown.id == id).collect();
        let with_documents: Vec<&Shown> = copies.iter().copied().filter(|copy| copy.documents > 0).collect();
        let saying = if with_documents.is_empty() { &copies } else { &with_documents };
        if saying.iter().any(|copy| !copy.says_the_same(saying[0])) {
            *of_impressions.entry("conflict").or_default() += copies.len() as u64;
            in_conflict.extend(saying.iter().map(|copy| (*copy).clone()));
            continue;
        }
        *of_impressions.entry("duplicate").or_default() += copies.len() as u64 - 1;
        let first = (*saying.iter().min_by_key(|copy| copy.time).unwrap()).clone();
        let fate = if first.teams.is_none() {
            "not-mixed"
        } else if first.user.is_none() {
            "no-unit"
        } else if until != i64::MAX && first.time + settings.window > until {
            "open"
        } else {
            good.insert(id, first);
            continue;
        };
        *of_impressions.entry(fate).or_default() += 1;
    }
    (good, in_conflict)
}

/// The amounts of one unit, by clicks of its impressions on documents of each side.
fn amounts_of(impressions: &[[i64; 2]]) -> Amounts {
    let count = impressions.len() as i64;
    let side_sums = |value: fn(i64) -> i64| {
        let [mut first, mut second] =
            [0, 1].map(|side| impressions.iter().map(|clicks| value(clicks[side])).sum::<i64>());
        let cut = ((first - second).abs() - 5).max(0);
        if first > second {
            first -= cut;
        } else {
            second -= cut;
        }
        let squares = ((first - second) * (first - second)) as u64;
        let [first, second, cut, products] = [first, second, cut, count * (first - second)];
        SideSums { first: first as u64, second: second as u64, cut: cut as u64, squares, products }
    };
    Amounts {
        units: u64::from(count > 0),
        impressions: count as u64,
        impression_squares: (count * count) as u64,
        clicks: side_sums(|clicks| clicks),
        clicked: side_sums(i64::signum),
    }
}

/// Days by pair (there is one), and counts of fates as `impression late` and so on.
fn plainly(
    shown: &[Shown],
    clicked: &[Clicked],
    settings: &Settings,
) -> (BTreeMap<i32, DayCounts>, Fates, Fates, Fates) {
    let (mut of_impressions, mut of_clicks, mut of_units) = (Fates::new(), Fates::new(), Fates::new());
    let until = match settings.complete {
        LogEnd::Final => i64::MAX,
        LogEnd::Until(time) => time,
        LogEnd::LastImpression => shown.iter().map(|shown| shown.time).max().unwrap(),
    };
    let ids: BTreeSet<u32> = shown.iter().map(|shown| shown.id).collect();
    let (good, in_conflict) = settled(shown, until, settings, &mut of_impressions);
    let mut sets: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    let mut in_window: BTreeMap<u32, u64> = BTreeMap::new();
    for click in clicked {
        let fate = match good.get(&click.id) {
            None if ids.contains(&click.id) => "of-set-aside",
            None => "unknown",
            Some(shown) if click.time < shown.time - settings.skew => "early",
            Some(shown) if click.time > shown.time + settings.window => "late",
            Some(shown) if click.document >= shown.teams.as_ref().unwrap().len() => "not-shown",
            Some(_) if settings.dwell.is_some_and(|least| click.dwell.is_none_or(|dwell| dwell < least)) => {
                "unsatisfied"
            }
            Some(_) if sets.entry(click.id).or_default().insert(click.document) => "credited",
            Some(_) => "repeated",
        };
        *of_clicks.entry(fate).or_default() += 1;
        if !matches!(fate, "early" | "late") {
            *in_window.entry(click.id).or_default() += 1;
        }
    }
    // By user, by day.
    let mut users: BTreeMap<u32, BTreeMap<i32, Vec<u32>>> = BTreeMap::new();
    for (&id, shown) in &good {
        users.entry(shown.user.unwrap()).or_default().entry(settings.zone.day(shown.time)).or_default().push(id);
    }
    let mut days: BTreeMap<i32, DayCounts> = BTreeMap::new();
    let (mut nets, mut bots_from) = (BTreeMap::<u32, (i64, [i64; 2])>::new(), BTreeMap::new());
    for (&user, of_user) in &users {
        let is_bot = |ids: &Vec<u32>| {
            let clicks: u64 = ids.iter().map(|id| in_window.get(id).copied().unwrap_or(0)).sum();
            settings.bots.are_too_many(ids.len() as u64, clicks, 0)
        };
        let bot_from = of_user.iter().find(|(_, ids)| is_bot(ids)).map_or(i32::MAX, |(day, _)| *day);
        bots_from.insert(user, bot_from);
        let first = *of_user.keys().next().unwrap();
        let last = first + settings.unit_days as i32 - 1;
        let (mut sum, mut counted) = (0, Vec::new());
        for (&day, ids) in of_user {
            for id in ids {
                let empty = BTreeSet::new();
                let clicks = sets.get(id).unwrap_or(&empty);
                if day >= bot_from {
                    *of_impressions.entry("bot").or_default() += 1;
                    *of_clicks.entry("bot").or_default() += clicks.len() as u64;
                    *of_clicks.entry("credited").or_default() -= clicks.len() as u64;
                    continue;
                }
                *of_impressions.entry("credited").or_default() += 1;
                let teams = good[id].teams.as_ref().unwrap();
                let of_team = |team| clicks.iter().filter(|document| teams[**document] == Some(team)).count() as i64;
                let both = [of_team("A"), of_team("B")];
                let net = (both[0] - both[1]).signum();
                days.entry(day).or_default().impressions.record(Preference::of_net(net as f64));
                if day <= last {
                    sum += net;
                    counted.push(both);
                }
                nets.insert(*id, (net, both));
            }
        }
        if settings.pairs == Some(PairChoice::Steered) {
            continue;
        }
        let fate = if bot_from <= last {
            "bot"
        } else if until != i64::MAX && settings.zone.start(last + 1) + settings.window > until {
            "open"
        } else {
            let counts = days.entry(last).or_default();
            counts.units.record(Preference::of_net(sum as f64));
            counts.amounts += amounts_of(&counted);
            "counted"
        };
        *of_units.entry(fate).or_default() += 1;
    }
    if settings.pairs == Some(PairChoice::Steered) {
        // Copies of an impression in conflict are set aside, but their users have seen it.
        let seen: Vec<&Shown> = good.values().chain(in_conflict.iter().filter(|copy| copy.teams.is_some())).collect();
        let users_seen: BTreeSet<u32> = seen.iter().filter_map(|seen| seen.user).collect();
        for user in users_seen {
            let first = seen.iter().filter(|seen| seen.user == Some(user)).min_by_key(|seen| seen.time).unwrap();
            let day = settings.zone.day(first.time);
            let fate = if bots_from.get(&user).is_some_and(|from| *from <= day) {
                "bot"
            } else if until != i64::MAX && settings.zone.start(day + 1) + settings.window > until {
                "open"
            } else if good.contains_key(&first.id) {
                let (counts, (net, both)) = (days.entry(day).or_default(), nets[&first.id]);
                counts.units.record(Preference::of_net(net as f64));
                counts.amounts += amounts_of(&[both]);
                "counted"
            } else {
                "spent"
            };
            *of_units.entry(fate).or_default() += 1;
        }
    }
    (days, of_impressions, of_clicks, of_units)
}

#[test]
fn the_join_follows_the_rules() {
    the_rules_are_followed(21, 600, false);
}

#[test]
fn the_sliding_window_follows_the_rules() {
    let in_order = the_rules_are_followed(22, 600, true);
    // Ids that are used again much later, and clicks of days ago, are in most of these logs.
    assert!((100..500).contains(&in_order), "{in_order} logs were joined in the order of time");
}

/// Compares random logs; returns how many were joined in the order of time.
fn the_rules_are_followed(seed: u64, cases: usize, is_sorted: bool) -> usize {
    let mut generator = Generator::seed_from_u64(seed);
    let mut in_order = 0;
    for case in 0..cases {
        let (mut shown, mut clicked) = random_log(&mut generator);
        if is_sorted {
            shown.sort_by_key(|shown| shown.time);
            clicked.sort_by_key(|click| click.time);
            // Some lines are nearly in their place, or not at all.
            let lines = clicked.len();
            if lines > 1 && case % 3 == 0 {
                let at = generator.random_range(0..lines - 1);
                let by = if case % 2 == 0 { 1 } else { generator.random_range(1..lines - at) };
                clicked[at..=at + by].rotate_left(1);
            }
        }
        let settings = Settings {
            unit_days: generator.random_range(1..4),
            window: [0, 60_000, 3_600_000][generator.random_range(0..3_usize)],
            skew: [0, 5_000][generator.random_range(0..2_usize)],
            dwell: [None, Some(30_000)][generator.random_range(0..2_usize)],
            zone: Zone::parse(["UTC", "+05:30", "-08:00"][generator.random_range(0..3_usize)]).unwrap(),
            complete: [LogEnd::Final, LogEnd::LastImpression, LogEnd::Until(20_783 * DAY)]
                [generator.random_range(0..3_usize)],
            bots: Bots { max_clicks_per_day: Some(12), max_impressions_per_day: Some(6), ..Bots::default() },
            rankers: vec!["A".to_owned(), "B".to_owned()],
            pairs: [PairChoice::Chance, PairChoice::Kept, PairChoice::Steered].map(Some)
                [generator.random_range(0..3_usize)],
            ..Settings::default()
        };
        let impressions: String = shown.iter().map(line_of_shown).collect();
        let clicks: String = clicked.iter().map(line_of_click).collect();
        let log = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
        let mut resources = log.resources();
        if is_sorted {
            // Few lines at a time, so that the window slides.
            resources.block = Some(300);
            resources.threads = 1;
        } else {
            resources.order = Order::Any;
        }
        let found = log.credit_within(&settings, &resources);
        in_order += usize::from(found.in_order);
        let (days, of_impressions, of_clicks, of_units) = plainly(&shown, &clicked, &settings);
        let context = format!("case {case}: {settings:?}\n{impressions}{clicks}");
        let found_days: BTreeMap<i32, DayCounts> = found.days.iter().map(|day| (day.day, day.counts)).collect();
        assert_eq!(found_days, days, "{context}");
        for &fate in ImpressionFate::ALL {
            let expected = of_impressions.get(fate.name()).copied().unwrap_or(0);
            assert_eq!(found.tally.of_impressions(fate), expected, "{fate:?}, {context}");
        }
        for &fate in ClickFate::ALL {
            let expected = of_clicks.get(fate.name()).copied().unwrap_or(0);
            assert_eq!(found.tally.of_clicks(fate), expected, "{fate:?}, {context}");
        }
        for &fate in UnitFate::ALL {
            let expected = of_units.get(fate.name()).copied().unwrap_or(0);
            assert_eq!(found.tally.of_units(fate), expected, "{fate:?}, {context}");
        }
        assert_eq!(found.tally.lines(), [shown.len() as u64, clicked.len() as u64], "{context}");
    }
    in_order
}

fn line_of_shown(shown: &Shown) -> String {
    line_of_version(shown, None)
}

fn line_of_version(shown: &Shown, version: Option<u32>) -> String {
    let documents: Vec<String> = (0..shown.documents).map(|document| format!("\"d{document}\"")).collect();
    let user = shown.user.map_or(String::new(), |user| format!(",\"user\":\"u{user}\""));
    let teams = shown
        .teams
        .as_ref()
        .map_or(String::new(), |teams| format!(",\"teams\":{}", serde_json::to_string(teams).unwrap()));
    let version = version.map_or(String::new(), |version| format!(",\"version\":\"v{version}\""));
    let when = times::text(shown.time);
    format!(
        "{{\"impression\":\"i{}\",\"time\":\"{when}\"{user}{version},\"shown\":[{}]{teams}}}\n",
        shown.id,
        documents.join(",")
    )
}

fn line_of_click(click: &Clicked) -> String {
    let dwell = click.dwell.map_or(String::new(), |dwell| format!(",\"dwell\":{}", dwell as f64 / 1000.0));
    let when = times::text(click.time);
    format!("{{\"impression\":\"i{}\",\"document\":\"d{}\",\"time\":\"{when}\"{dwell}}}\n", click.id, click.document)
}

/// The ledger, which counts units as days close, against the join, which counts a whole log: with conflicts, bots, units that
/// return, two versions, and sets of four.
#[test]
fn the_ledger_counts_as_the_join_does() {
    let mut generator = Generator::seed_from_u64(23);
    let (mut units, mut spent, mut of_two, mut pairs_met) = (0, 0, 0, BTreeSet::new());
    for case in 0..600 {
        let (mut shown, clicked) = random_log(&mut generator);
        let names = if case % 2 == 0 { &["A", "B"][..] } else { &["A", "B", "C", "D"] };
        if names.len() == 4 {
            for Shown { id, teams, .. } in &mut shown {
                for (place, team) in teams.iter_mut().flatten().enumerate() {
                    let is_other = (*id as usize + place / 2) % 2 == 1;
                    *team = team.map(|team| if is_other { if team == "A" { "C" } else { "D" } } else { team });
                }
            }
        }
        let versions = generator.random_range(1..3_u32);
        let choice = [PairChoice::Chance, PairChoice::Kept, PairChoice::Steered][generator.random_range(0..3_usize)];
        let settings = Settings {
            unit_days: generator.random_range(1..4),
            window: 3_600_000,
            zone: Zone::parse("+05:30").unwrap(),
            complete: LogEnd::Final,
            bots: Bots { max_clicks_per_day: Some(12), max_impressions_per_day: Some(6), ..Bots::default() },
            rankers: names.iter().map(ToString::to_string).collect(),
            pairs: Some(choice),
            ..Settings::default()
        };
        let version = |id: u32| id % versions;
        let impressions: String =
            shown.iter().map(|shown| line_of_version(shown, (versions > 1).then(|| version(shown.id)))).collect();
        let clicks: String = clicked.iter().map(line_of_click).collect();
        let log = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
        let found = log.credit_within(&settings, &log.resources());

        let (good, in_conflict) = settled(&shown, i64::MAX, &settings, &mut Fates::new());
        let mut ledger = UnitLedger::new(BTreeMap::new(), OpenDays::default());
        for shown in good.values().chain(in_conflict.iter().filter(|copy| copy.teams.is_some() && copy.user.is_some()))
        {
            let is_good = good.contains_key(&shown.id);
            let in_window = |click: &&Clicked| {
                click.id == shown.id
                    && (shown.time - settings.skew..=shown.time + settings.window).contains(&click.time)
            };
            let of: Vec<&Clicked> = clicked.iter().filter(in_window).collect();
            let documents: BTreeSet<usize> =
                of.iter().map(|click| click.document).filter(|document| *document < shown.documents).collect();
            let teams = shown.teams.as_ref().unwrap();
            let of_team = |team| documents.iter().filter(|document| teams[**document] == Some(team)).count();
            let clicks: Vec<usize> = names.iter().map(|name| of_team(name)).collect();
            let preference = |i: usize, j: usize| Preference::of(clicks[i].cmp(&clicks[j]));
            let all = (0..names.len()).flat_map(|i| (i + 1..names.len()).map(move |j| (i, j)));
            let outcome = Outcome::Pairs(all.map(|(i, j)| preference(i, j)).collect());
            let of_each: Vec<u16> = clicks.iter().map(|clicks| *clicks as u16).collect();
            let arms: Vec<u32> = (0..names.len() as u32).collect();
            ledger.add(ledger::Impression {
                unit: shown.user.unwrap().into(),
                version: version(shown.id),
                day: settings.zone.day(shown.time),
                shown: (shown.time, shown.id.into()),
                clicks: of.len() as u32,
                comparison: if is_good { Comparison::of(&arms, &outcome, Some(&of_each)) } else { None },
            });
        }
        let choices = vec![choice; versions as usize];
        let rule = CountingRules {
            choices: &choices,
            unit_days: settings.unit_days,
            bots: &settings.bots,
            rankers: names.len(),
        };
        let mut days = BTreeMap::new();
        while let Some(day) = ledger.first_day() {
            for (version, rows) in ledger.close(day, rule) {
                let version = (versions > 1).then(|| format!("v{version}"));
                let pair = |row: &DayRow| (row.pair.0 as usize, row.pair.1 as usize);
                let counts =
                    |row: &DayRow| DayCounts { units: row.units, impressions: row.impressions, amounts: row.amounts };
                days.extend(rows.iter().map(|row| ((version.clone(), day, pair(row)), counts(row))));
            }
        }
        let name = |version: usize| found.versions[version].name.clone();
        let expected: BTreeMap<_, _> =
            found.days.iter().map(|day| ((name(day.version), day.day, day.pair), day.counts)).collect();
        let context = format!("case {case}: {settings:?}\n{impressions}{clicks}");
        assert_eq!(days, expected, "{context}");
        let tally = ledger.tally();
        // The join has a fate for each pair that a unit met.
        if names.len() == 2 {
            assert_eq!(tally.counted, found.tally.of_units(UnitFate::Counted), "{context}");
        }
        assert_eq!(tally.impressions, found.tally.of_impressions(ImpressionFate::Credited), "{context}");
        assert_eq!(tally.after_closing, found.tally.after_closing, "{context}");
        units += tally.counted;
        pairs_met.extend(found.days.iter().map(|day| day.pair));
        spent += found.tally.of_units(UnitFate::Spent);
        of_two += usize::from(found.versions.len() == 2);
    }
    assert_eq!(pairs_met.len(), 6);
    assert!(units > 1_000 && spent > 20 && of_two > 200, "{units} units, {spent} spent, {of_two} logs of two versions");
}
