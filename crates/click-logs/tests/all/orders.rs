//! Orders of simulated users: their lines, and their truth.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assert_cmd::Command;
use click_logs::join::ClickFate;
use click_logs::simulate::{
    Amounts, CONVERSION_DAYS, CONVERSION_UNITS, Dialect, OrderSettings, SimulatedFate, SimulationSettings, Truth,
    Visits, simulate,
};
use serde_json::Value;
use times::{DAY, date};

/// The texts of a log.
#[derive(Default, PartialEq)]
struct Texts {
    impressions: Vec<u8>,
    clicks: Vec<u8>,
    conversions: Vec<u8>,
    units: Vec<u8>,
    /// With the numbers that sort them.
    conversion_units: Vec<(i64, Vec<u8>)>,
}

fn texts(simulation: &SimulationSettings) -> (Texts, Truth) {
    let mut texts = Texts::default();
    let truth = simulate::<String>(simulation, |lines, _| {
        let [impressions, clicks] = lines.text();
        texts.impressions.extend(impressions);
        texts.clicks.extend(clicks);
        texts.conversions.extend(lines.conversions());
        texts.units.extend_from_slice(lines.units());
        texts.conversion_units.extend(lines.each_conversion_unit().map(|(key, row)| (key, row.to_vec())));
        Ok(())
    });
    texts.conversion_units.sort_by_key(|(key, _)| *key);
    (texts, truth.unwrap())
}

/// Pages, versions and bots.
fn base(dialect: Dialect) -> SimulationSettings {
    SimulationSettings {
        impressions: 2_000,
        pages: 2,
        pinned: 0.2,
        change_version_at: Some(0.5),
        bots: 0.005,
        dialect,
        ..SimulationSettings::default()
    }
}

#[test]
fn without_orders_nothing_changes() {
    // Digests of the same logs before there were orders.
    let digests = [
        0x8819_a8ee_2f1e_e268,
        0xff81_d29d_75d2_51d3,
        0x1208_2883_9561_c186,
        0x2686_be78_d2b0_1536,
        0xcd36_a654_8e8e_10f6_u64,
    ];
    for (dialect, expected) in Dialect::ALL.into_iter().zip(digests) {
        let (without, truth) = texts(&base(dialect));
        let all = [&without.impressions[..], &without.clicks, &without.units].concat();
        assert_eq!(xxhash_rust::xxh3::xxh3_64(&all), expected, "{}", dialect.name());
        assert!(without.conversions.is_empty() && without.conversion_units.is_empty());
        // Orders add a file, and leave the others as they are.
        let (with, same) = texts(&SimulationSettings { orders: Some(OrderSettings::default()), ..base(dialect) });
        assert!(
            with.impressions == without.impressions && with.clicks == without.clicks && with.units == without.units
        );
        assert!(!with.conversions.is_empty());
        assert_eq!(same.credited().days, truth.credited().days);
    }
}

/// A log with all faults, of users who see the same documents several times.
fn troubled(rankers: usize) -> SimulationSettings {
    let counts: Vec<String> = (1..=91).step_by(6).map(|count| format!(r#"{{"count":{count}}}"#)).collect();
    let facets = format!(r#"{{"parent_buckets":[{{"users":[{}]}}]}}"#, counts.join(","));
    SimulationSettings {
        impressions: 3_000,
        rankers,
        days: 2,
        pages: 2,
        pinned: 0.2,
        left_out: 0.1,
        change_version_at: Some(0.25),
        conflicts: 0.05,
        bots: 0.05,
        click: "informational".parse().unwrap(),
        visits: Some(Visits::from_facets(&facets).unwrap()),
        orders: Some(OrderSettings {
            share: 0.3,
            returns: 0.3,
            other_currency: 0.1,
            early: 0.05,
            unknown: 0.1,
            delay: 3 * DAY,
            ..OrderSettings::default()
        }),
        ..SimulationSettings::default()
    }
}

#[test]
fn the_same_seed_gives_the_same_orders() {
    let of = |seed: u64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| texts(&SimulationSettings { seed, impressions: 9_000, ..troubled(3) }).0)
    };
    assert!(of(1, 1) == of(1, 3));
    assert!(of(1, 1).conversions != of(2, 1).conversions);
}

/// A line of impressions.
struct Impression {
    user: String,
    version: String,
    time: i64,
    rankers: BTreeSet<String>,
    /// Documents that the user saw, with the rankers that own them.
    documents: Vec<(String, Option<String>)>,
}

/// A line of conversions.
#[derive(Debug, Clone, PartialEq)]
struct Conversion {
    user: String,
    document: String,
    time: i64,
    action: String,
    value: i64,
    currency: String,
    order: String,
}

fn parsed(text: &[u8]) -> Vec<Value> {
    text.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

fn list(value: &Value) -> Vec<Option<String>> {
    value.as_array().into_iter().flatten().map(|entry| entry.as_str().map(str::to_owned)).collect()
}

/// The impressions that count, from their lines; and all users.
fn impressions(text: &[u8]) -> (Vec<Impression>, BTreeSet<String>) {
    let mut of_ids: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut users = BTreeSet::new();
    for line in parsed(text) {
        users.insert(line["user"].as_str().unwrap().to_owned());
        let copies = of_ids.entry(line["impression"].as_str().unwrap().to_owned()).or_default();
        if !copies.contains(&line) {
            copies.push(line);
        }
    }
    let of_one = of_ids.into_values().filter(|copies| copies.len() == 1).flatten().map(|line| {
        let shown = list(&line["shown"]);
        let mixed = if line["mixed"].is_null() { shown.clone() } else { list(&line["mixed"]) };
        let teams = list(&line["teams"]);
        let paged = line["paged"].as_u64().map_or(shown.len(), |paged| paged as usize);
        let owner = |document: &Option<String>| {
            mixed.iter().position(|other| other == document).and_then(|place| teams[place].clone())
        };
        let documents = shown.iter().take(paged).map(|document| (document.clone().unwrap(), owner(document)));
        Impression {
            user: line["user"].as_str().unwrap().to_owned(),
            version: match (line["experiment"].as_str(), line["version"].as_str()) {
                (Some(experiment), Some(version)) => format!("{experiment}@{version}"),
                _ => String::new(),
            },
            time: line["time"].as_i64().unwrap(),
            rankers: list(&line["rankers"]).into_iter().flatten().collect(),
            documents: documents.collect(),
        }
    });
    (of_one.collect(), users)
}

fn conversions(text: &[u8]) -> Vec<Conversion> {
    let conversion = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        let whole = |name: &str| line[name].as_i64().unwrap();
        Conversion {
            user: text("user"),
            document: text("document"),
            time: whole("time"),
            action: text("action"),
            value: whole("value"),
            currency: text("currency"),
            order: text("order"),
        }
    };
    parsed(text).iter().map(conversion).collect()
}

fn bots(text: &[u8]) -> BTreeSet<String> {
    let mut of_users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut bots = BTreeSet::new();
    for line in parsed(text) {
        let user = line["user"].as_str().unwrap();
        if line["agent"].as_str().unwrap().to_lowercase().contains("crawler") {
            bots.insert(user.to_owned());
        }
        of_users.entry(user.to_owned()).or_default().insert(line["impression"].as_str().unwrap().to_owned());
    }
    let busy = |(user, ids): (String, BTreeSet<String>)| (ids.len() > 100).then_some(user);
    bots.extend(of_users.into_iter().filter_map(busy));
    bots
}

fn day(time: i64) -> i32 {
    time.div_euclid(DAY) as i32
}

/// The rules applied to a log, line by line.
#[derive(Default)]
struct Reading {
    rows: Vec<String>,
    fates: BTreeMap<&'static str, u64>,
    /// Conversions for which the last touch and the first one name different rankers.
    moved: usize,
    /// Conversions that came back in part.
    partly_returned: usize,
}

/// The plain reading of the rules: every unit looks at every line.
fn read(texts: &Texts) -> Reading {
    let (impressions, users) = impressions(&texts.impressions);
    let bots = bots(&texts.impressions);
    let lines = conversions(&texts.conversions);
    let mut once: Vec<&Conversion> = Vec::new();
    for line in lines.iter().filter(|line| line.action == "order" && line.currency == "EUR") {
        let is_same = |other: &&Conversion| {
            (&other.user, &other.order, &other.document) == (&line.user, &line.order, &line.document)
                && other.value == line.value
        };
        if !once.iter().any(is_same) {
            once.push(line);
        }
    }
    let mut reading = Reading::default();
    let mut best: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    let order_of = ["not-shown", "early", "late", "returned", "credited"];
    let units: BTreeSet<(String, String, Vec<String>)> = impressions
        .iter()
        .filter(|seen| !bots.contains(&seen.user))
        .map(|seen| (seen.user.clone(), seen.version.clone(), seen.rankers.iter().cloned().collect()))
        .collect();
    for (user, version, pair) in &units {
        let is_of_unit =
            |seen: &&Impression| seen.user == *user && seen.version == *version && seen.rankers.iter().eq(pair.iter());
        let of_unit: Vec<&Impression> = impressions.iter().filter(is_of_unit).collect();
        let first = of_unit.iter().map(|seen| day(seen.time)).min().unwrap();
        let closes = first + CONVERSION_DAYS;
        let (mut counts, mut values) = ([0; 2], [0; 2]);
        for line in once.iter().filter(|line| line.user == *user && line.value > 0) {
            let mut showed: Vec<(i64, &Option<String>)> = of_unit
                .iter()
                .filter(|seen| day(seen.time) == first)
                .flat_map(|seen| seen.documents.iter().map(|(document, owner)| (seen.time, document, owner)))
                .filter(|(_, document, _)| **document == line.document)
                .map(|(time, _, owner)| (time, owner))
                .collect();
            showed.sort();
            let before: Vec<_> = showed.iter().filter(|(time, _)| *time <= line.time).collect();
            let back: i64 = once
                .iter()
                .filter(|other| other.value < 0 && day(other.time) <= closes)
                .filter(|other| other.user == line.user && other.order == line.order && other.document == line.document)
                .map(|other| other.value)
                .sum();
            let fate = if showed.is_empty() {
                "not-shown"
            } else if before.is_empty() {
                "early"
            } else if day(line.time) > closes {
                "late"
            } else if line.value + back <= 0 {
                "returned"
            } else {
                let owner = before.last().unwrap().1;
                reading.moved += usize::from(before[0].1 != owner);
                reading.partly_returned += usize::from(back < 0);
                if let Some(side) = pair.iter().position(|ranker| Some(ranker) == owner.as_ref()) {
                    counts[side] += 1;
                    values[side] += line.value + back;
                }
                "credited"
            };
            let place = order_of.iter().position(|other| *other == fate).unwrap();
            let best = best.entry((&line.user, &line.order, &line.document)).or_default();
            *best = place.max(*best);
        }
        reading.rows.push(format!(
            "{user},{version},{},{},{},{},{},{},{}",
            date(closes),
            pair[0],
            pair[1],
            counts[0],
            counts[1],
            values[0],
            values[1]
        ));
    }
    let mut met: Vec<&Conversion> = Vec::new();
    for line in &lines {
        let fate = if line.action != "order" {
            "other-action"
        } else if line.currency != "EUR" {
            "other-currency"
        } else if !users.contains(&line.user) {
            "unknown-unit"
        } else if bots.contains(&line.user) {
            "bot"
        } else if met.contains(&line) {
            "duplicate"
        } else if line.value < 0 {
            "return"
        } else {
            let place = best.get(&(line.user.as_str(), line.order.as_str(), line.document.as_str()));
            order_of[place.copied().unwrap_or(0)]
        };
        met.push(line);
        *reading.fates.entry(fate).or_default() += 1;
    }
    reading
}

#[test]
fn the_truth_is_what_the_lines_say() {
    for (rankers, method) in [(2, "team-draft"), (3, "team-draft"), (2, "team-draft:pairs")] {
        let simulation = SimulationSettings { method: method.parse().unwrap(), ..troubled(rankers) };
        let (texts, truth) = texts(&simulation);
        let reading = read(&texts);
        let rows: Vec<String> = texts
            .conversion_units
            .iter()
            .map(|(_, row)| String::from_utf8(row.clone()).unwrap().trim_end().to_owned())
            .collect();
        assert_eq!(rows.len(), reading.rows.len());
        for (row, expected) in rows.iter().zip(&reading.rows) {
            assert_eq!(row, expected);
        }
        for fate in SimulatedFate::ALL {
            let expected = reading.fates.get(fate.name()).copied().unwrap_or(0);
            assert_eq!(truth.conversions(fate), expected, "{}", fate.name());
            assert!(expected > 0, "{}", fate.name());
        }
        // The log has the difficult cases. Pairs give a document to the same ranker nearly always.
        assert!(reading.partly_returned > 10, "{method}: {}", reading.partly_returned);
        assert!(reading.moved > 0 || method == "team-draft:pairs", "{method} of {rankers}");
    }
}

/// Users who are alike, and no other faults.
fn plain() -> SimulationSettings {
    SimulationSettings {
        impressions: 20_000,
        conflicts: 0.0,
        doubles: 0.0,
        bots: 0.0,
        late: 0.0,
        orders: Some(OrderSettings { share: 0.3, spread: 0.0, early: 0.0, ..OrderSettings::default() }),
        ..SimulationSettings::default()
    }
}

/// That a count of `n` draws is within 4.5 standard errors of a share; once in 100,000 it is not.
#[track_caller]
fn assert_share(count: usize, n: usize, [least, most]: [f64; 2], what: &str) {
    let (count, n) = (count as f64, n as f64);
    let bound = |share: f64| 4.5 * (n * share * (1.0 - share)).sqrt();
    assert!(
        count >= n * least - bound(least) && count <= n * most + bound(most),
        "{what}: {count} of {n}, expected {least} to {most}"
    );
}

#[test]
fn shares_are_those_of_the_settings() {
    let simulation = plain();
    let orders = simulation.orders.clone().unwrap();
    let (texts, truth) = texts(&simulation);
    let lines = conversions(&texts.conversions);
    let (impressions, users) = impressions(&texts.impressions);
    let mut shown: BTreeMap<(String, String), Vec<i64>> = BTreeMap::new();
    for seen in &impressions {
        for (document, _) in &seen.documents {
            shown.entry((seen.user.clone(), document.clone())).or_default().push(seen.time);
        }
    }
    let bought: Vec<&Conversion> =
        lines.iter().filter(|line| line.action == "order" && line.value > 0 && users.contains(&line.user)).collect();
    let showings = |line: &Conversion| shown.get(&(line.user.clone(), line.document.clone()));
    let after_clicks = bought.iter().filter(|line| showings(line).is_some()).count();
    let clicks = truth.credited().tally.of_clicks(ClickFate::Credited) as usize;
    let exactly = |share: f64| [share, share];
    assert_share(after_clicks, clicks, exactly(orders.share), "clicks that lead to an order");

    let baskets: BTreeMap<&str, &Conversion> = bought.iter().map(|line| (line.order.as_str(), *line)).collect();
    assert!(baskets.len() > 1_000 && bought.len() > baskets.len());
    let never_shown = bought.len() - after_clicks;
    assert_share(never_shown, baskets.len(), exactly(orders.not_shown), "baskets with a document never shown");
    let guests = lines.iter().filter(|line| !users.contains(&line.user)).count();
    assert_share(guests, baskets.len(), exactly(orders.unknown), "users not in the log");
    let abroad = baskets.values().filter(|line| line.currency != "EUR").count();
    assert_share(abroad, baskets.len(), exactly(orders.other_currency), "baskets in another currency");
    let carts = lines.iter().filter(|line| line.action == "cart").count();
    assert_share(carts, bought.len(), exactly(orders.carts), "orders with a cart");

    let returns: Vec<(&Conversion, Option<&&Conversion>)> = lines
        .iter()
        .filter(|line| line.value < 0)
        .map(|line| {
            let is_of = |other: &&&Conversion| other.order == line.order && other.document == line.document;
            (line, bought.iter().find(is_of))
        })
        .collect();
    let of_known = returns.iter().filter(|(_, order)| order.is_some()).count();
    assert_share(of_known, bought.len(), exactly(orders.returns), "returns");
    let whole = returns.iter().filter(|(line, order)| order.is_some_and(|order| order.value == -line.value)).count();
    assert_share(whole, of_known, exactly(0.5), "returns of the whole amount");
    assert!(returns.len() > of_known);
    assert!(returns.iter().all(|(line, order)| order.is_none_or(|order| line.time > order.time)));

    // From the click on, which is 15 minutes after the impression at most, the time is exponential.
    let one_time = baskets.values().filter_map(|line| match showings(line).map(Vec::as_slice) {
        Some(&[shown]) => Some(line.time - shown),
        _ => None,
    });
    let waited: Vec<i64> = one_time.collect();
    assert!(waited.iter().all(|time| *time > 0));
    let later = |days: i64| waited.iter().filter(|time| **time >= days * DAY).count();
    for days in [1, 2, 7] {
        let share = |shorter: i64| libm::exp(-(days * DAY - shorter) as f64 / orders.delay as f64);
        assert_share(later(days), waited.len(), [share(0), share(17 * 60_000)], &format!("later than {days} days"));
    }
    assert!(truth.conversions(SimulatedFate::Late) > 0);
}

#[test]
fn amounts_are_those_of_the_settings() {
    let values = |amounts: Amounts| -> Vec<i64> {
        let mut simulation = plain();
        simulation.orders.as_mut().unwrap().amounts = amounts;
        let lines = conversions(&texts(&simulation).0.conversions);
        lines.iter().filter(|line| line.action == "order" && line.value > 0).map(|line| line.value).collect()
    };
    assert!(values(Amounts::Same).iter().all(|value| *value == 1_000));
    let lognormal = values(Amounts::Lognormal);
    let above = |values: &[i64], least: i64| values.iter().filter(|value| **value > least).count();
    assert_share(above(&lognormal, 3_000), lognormal.len(), [0.499, 0.501], "above the median");
    // One sigma above it: the sum of twelve even draws is nearly normal.
    assert_share(above(&lognormal, 8_155), lognormal.len(), [0.157, 0.164], "a sigma above the median");
    let pareto = values(Amounts::Pareto);
    assert!(pareto.iter().all(|value| *value >= 1_000));
    for least in [2_000, 5_000, 20_000] {
        let share = libm::pow(f64::from(least) / 1_000.0, -1.5);
        assert_share(above(&pareto, i64::from(least)), pareto.len(), [share * 0.999, share], "in the tail");
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let with = |orders: OrderSettings| SimulationSettings { orders: Some(orders), ..SimulationSettings::default() };
    let usual = OrderSettings::default;
    for (simulation, expected) in [
        (with(OrderSettings { share: 1.5, ..usual() }), "--orders 1.5"),
        (with(OrderSettings { returns: -0.1, ..usual() }), "--returns"),
        (with(OrderSettings { spread: 4.0, ..usual() }), "--orders-spread"),
        (with(OrderSettings { delay: -1, ..usual() }), "--orders-delay"),
        (SimulationSettings { method: "balanced".parse().unwrap(), ..with(usual()) }, "owns each document"),
    ] {
        let error = simulation.check().unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

fn run(at: &Path, arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_click-logs")).current_dir(at).args(arguments).output().unwrap()
}

#[test]
fn the_program_writes_orders_and_their_truth() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    let simulate = ["simulate", "--impressions", "3e3", "--orders", "0.3", "--quiet"];
    let write = |more: &[&str]| {
        let output = run(at, &[&simulate[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let said = write(&["--out", "usual"]);
    assert!(said.contains("usual/conversions.jsonl has ") && said.contains("simulated orders"), "{said}");
    let units = text("usual/truth/conversion-units.csv");
    let mut rows = units.lines();
    assert_eq!(rows.next(), Some(CONVERSION_UNITS));
    assert!(rows.is_sorted_by_key(|row| row.split(',').next().unwrap().to_owned()));
    assert_eq!(units.lines().count(), text("usual/truth/units.csv").lines().count());
    let fates = text("usual/truth/conversion-fates.csv");
    let counts = fates.lines().skip(1).map(|row| row.split_once(',').unwrap().1.parse::<usize>().unwrap());
    assert_eq!(counts.sum::<usize>(), text("usual/conversions.jsonl").lines().count());
    let config: Value = serde_json::from_str(&text("usual/config.json")).unwrap();
    let settings = if config["orders"].is_null() { &config["config"] } else { &config };
    assert_eq!((&settings["orders"]["share"], &settings["synthetic"]), (&0.3.into(), &true.into()), "{config}");

    write(&["--out", "sorted", "--format", "csv", "--order", "time"]);
    let sorted = text("sorted/conversions.csv");
    let mut lines = sorted.lines();
    assert_eq!(lines.next(), Some("user,document,time,action,value,currency,order"));
    assert!(lines.is_sorted_by_key(|line| line.split(',').nth(2).unwrap().parse::<i64>().unwrap()));
    assert_eq!(text("sorted/truth/conversion-units.csv"), units);
    for format in ["ubi", "solr"] {
        write(&["--out", format, "--format", format]);
        assert_eq!(text(&format!("{format}/conversions.jsonl")), text("usual/conversions.jsonl"));
    }
    write(&["--out", "packed", "--gzip"]);
    let mut unpacked = String::new();
    let packed = std::fs::File::open(at.join("packed/conversions.jsonl.gz")).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed), &mut unpacked).unwrap();
    assert_eq!(unpacked, text("usual/conversions.jsonl"));

    let output = run(at, &["simulate", "--out", "none", "--impressions", "1e3", "--quiet"]);
    assert!(output.status.success() && !at.join("none/conversions.jsonl").exists());
    assert!(!at.join("none/truth/conversion-units.csv").exists());
    let output = run(at, &["simulate", "--out", "refused", "--amounts", "pareto"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--orders"));
}
