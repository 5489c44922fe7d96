//! Logs that grow file by file give the same result as all files together, byte for byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use click_logs::cli::summary;
use click_logs::join::{
    ClickFate, CreditedLog, FrameJoin, ImpressionFate, Inputs, Order, Resources, State, append, credit,
};
use click_logs::model::{LogEnd, Settings, UnitKind};
use click_logs::outcomes::{fates_csv, outcomes_of_log, pages_csv};
use click_logs::read;
use click_logs::simulate::{SimulationSettings, rules};
use interleave::Generator;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;
use times::{DAY, Zone};
use verdicts::{Bots, PairChoice};

use crate::common::simulated;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A line, when it happened, and the impression that it is about.
#[derive(Debug, Clone)]
struct Line {
    is_click: bool,
    time: i64,
    id: String,
    text: String,
}

impl Line {
    fn of(is_click: bool, value: &Value) -> Self {
        let id = ["impression", "id", "query_id"].into_iter().find_map(|name| value[name].as_str());
        let written = value["time"].as_str().map(|time| Zone::default().time(time).unwrap());
        let time = value["time"].as_i64().or(written).unwrap();
        Self { is_click, time, id: id.unwrap_or("none").to_owned(), text: value.to_string() }
    }
}

/// A log and how it is counted.
struct World {
    lines: Vec<Line>,
    settings: Settings,
    horizon: i64,
}

fn one_of<T: Clone>(generator: &mut Generator, all: &[T]) -> T {
    all[generator.random_range(0..all.len())].clone()
}

/// Few users and every kind of trouble, all lines of an impression within the horizon.
fn troubled(generator: &mut Generator) -> World {
    let window = one_of(generator, &[30 * MINUTE, 2 * HOUR]);
    let horizon = one_of(generator, &[5 * HOUR, DAY, 3 * DAY]);
    let days = generator.random_range(2..16);
    let rankers = generator.random_range(2..4);
    let names = &["A", "B", "C"][..rankers];
    let stated =
        one_of(generator, &[None, Some(PairChoice::Chance), Some(PairChoice::Kept), Some(PairChoice::Steered)]);
    let settings = Settings {
        unit: one_of(generator, &[UnitKind::User, UnitKind::User, UnitKind::Session, UnitKind::Impression]),
        unit_days: generator.random_range(1..4),
        window,
        dwell: one_of(generator, &[None, None, Some(20_000)]),
        zone: Zone::parse(one_of(generator, &["UTC", "+05:30", "America/Havana"])).unwrap(),
        bots: Bots {
            max_impressions_per_day: one_of(generator, &[None, Some(3)]),
            units: one_of(generator, &[Vec::new(), vec!["u1".to_owned()]]),
            ..Bots::default()
        },
        pairs: stated,
        rankers: names.iter().map(ToString::to_string).collect(),
        coin: one_of(generator, &[UnitKind::User, UnitKind::Impression]),
        set_malformed_aside: generator.random_range(0..3) == 0,
        ..Settings::default()
    };
    let versions = generator.random_range(1..4);
    let declared = one_of(generator, &["chance", "kept", "steered"]);
    // In Havana, this day of the year has an hour twice, at midnight.
    let start = 20_758 * DAY;
    let mut lines = Vec::new();
    let count = generator.random_range(10..150);
    for number in 0..count {
        let time = start + generator.random_range(0..days * DAY);
        let length = generator.random_range(1..4);
        let few = one_of(generator, &[2, rankers]);
        let teams: Vec<Option<&str>> = (0..length)
            .map(|_| one_of(generator, &[Some(names[0]), Some(names[1]), Some(names[few - 1]), None]))
            .collect();
        let id = format!("i{number}");
        let mut shown = json!({
            "impression": id,
            "time": times::text(time),
            "shown": (0..length).map(|document| format!("d{document}")).collect::<Vec<_>>(),
            "teams": teams,
        });
        if generator.random_range(0..12) > 0 {
            shown["user"] = format!("u{}", generator.random_range(0..9)).into();
            shown["session"] = format!("s{}", generator.random_range(0..20)).into();
        }
        if stated.is_none() || generator.random_range(0..2) == 0 {
            shown["pairs"] = declared.into();
        }
        if versions > 1 {
            shown["version"] = format!("v{}", generator.random_range(0..versions)).into();
        }
        if generator.random_range(0..20) == 0 {
            shown["teams"] = Value::Null;
        }
        if generator.random_range(0..3) == 0 && rankers == 3 {
            shown["rankers"] = json!(names);
        }
        // All lines of an impression are within this of its first.
        let reach = horizon;
        let before = generator.random_range(0..=reach.min(2 * HOUR) / 2);
        let within = move |generator: &mut Generator| {
            let far = generator.random_range(0..6) == 0;
            time + if far {
                generator.random_range(-before..reach - before)
            } else {
                generator.random_range(-before.min(9_000)..window)
            }
        };
        lines.push(Line::of(false, &shown));
        for _ in 0..one_of(generator, &[0, 0, 0, 0, 1, 2]) {
            let mut again = shown.clone();
            again["time"] = times::text(within(generator)).into();
            match generator.random_range(0..4) {
                0 => again["user"] = format!("u{}", generator.random_range(0..9)).into(),
                1 => (again["shown"], again["teams"]) = (json!([]), Value::Null),
                _ => {}
            }
            lines.push(Line::of(false, &again));
        }
        for _ in 0..one_of(generator, &[0, 0, 1, 1, 2, 5]) {
            let mut click = json!({
                "impression": id,
                "document": format!("d{}", generator.random_range(0..4)),
                "time": times::text(within(generator)),
            });
            if generator.random_range(0..4) > 0 {
                click["dwell"] = generator.random_range(0..60).into();
            }
            if generator.random_range(0..15) == 0 {
                click["impression"] = format!("other-{number}").into();
            }
            if generator.random_range(0..15) == 0 {
                click["action_name"] = "hover".into();
            }
            let line = Line::of(true, &click);
            if generator.random_range(0..10) == 0 {
                lines.push(line.clone());
            }
            lines.push(line);
        }
        if settings.set_malformed_aside && generator.random_range(0..10) == 0 {
            let is_click = generator.random_range(0..2) == 0;
            lines.push(Line { is_click, time, id: format!("malformed-{number}"), text: "{\"time\": 5".to_owned() });
        }
    }
    World { lines, settings, horizon }
}

/// Simulated logs: receipts, pages, documents that were pinned or left out, versions.
fn simulated_world(generator: &mut Generator) -> World {
    let seed = generator.random();
    let rankers = generator.random_range(2..4);
    let method = one_of(generator, &["team-draft", "probabilistic", "balanced", "optimized"]);
    let may_turn = matches!(method, "team-draft" | "probabilistic");
    let pages = |of: &[f64], generator: &mut Generator| if may_turn { one_of(generator, of) } else { 0.0 };
    let simulation = SimulationSettings {
        impressions: generator.random_range(50..400),
        seed,
        days: generator.random_range(3..9),
        rankers,
        method: method.parse().unwrap(),
        conflicts: 0.05,
        bots: 0.02,
        pages: if may_turn { generator.random_range(1..4) } else { 1 },
        pinned: pages(&[0.0, 0.2], generator),
        left_out: pages(&[0.0, 0.2], generator),
        change_version_at: one_of(generator, &[None, Some(0.5)]),
        ..SimulationSettings::default()
    };
    let ([impressions, clicks], _) = simulated(&simulation);
    let lines = [(false, impressions), (true, clicks)].into_iter().flat_map(|(is_click, text)| {
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<Line> = text
            .lines()
            .map(|line| Line { text: line.to_owned(), ..Line::of(is_click, &serde_json::from_str(line).unwrap()) })
            .collect();
        lines
    });
    let pairs = one_of(generator, &[PairChoice::Chance, PairChoice::Kept, PairChoice::Steered]);
    let settings = Settings {
        unit_days: generator.random_range(1..4),
        pairs: Some(pairs),
        rankers: simulation.names(),
        ..rules(&simulation)
    };
    World { lines: lines.collect(), settings, horizon: one_of(generator, &[DAY, 2 * DAY]) }
}

/// The runs of a log: until when each is complete, and the lines that it takes.
struct Runs {
    until: Vec<i64>,
    lines: Vec<Vec<Line>>,
    /// Lines that come too late: impressions, clicks.
    behind: [u64; 2],
}

/// Cuts a log at random; lines come late, within the horizon, and some beyond it if `some_behind`.
fn cut(world: &World, some_behind: bool, generator: &mut Generator) -> Runs {
    let times = || world.lines.iter().map(|line| line.time);
    let (first, last) = (times().min().unwrap(), times().max().unwrap());
    let count = generator.random_range(2..=40);
    let mut until: Vec<i64> = (1..count).map(|_| generator.random_range(first - HOUR..=last)).collect();
    until.push(last + generator.random_range(0..2 * DAY));
    until.sort_unstable();
    let mut first_of: BTreeMap<&str, i64> = BTreeMap::new();
    for line in &world.lines {
        let first = first_of.entry(&line.id).or_insert(line.time);
        *first = line.time.min(*first);
    }
    let mut runs = Runs { until: until.clone(), lines: vec![Vec::new(); count], behind: [0; 2] };
    let latest = |since: i64| (1..count).rev().find(|run| until[run - 1] <= since + world.horizon).unwrap_or(0);
    for line in &world.lines {
        let natural = until.iter().position(|until| *until >= line.time).unwrap_or(count - 1);
        let most = latest(first_of[line.id.as_str()]);
        let mut run = if natural >= most || generator.random_range(0..3) > 0 {
            natural.min(most)
        } else {
            generator.random_range(natural..=most)
        };
        let too_late = latest(line.time) + 1;
        if some_behind && too_late < count && generator.random_range(0..10) == 0 {
            run = generator.random_range(too_late..count);
            if !line.id.starts_with("malformed") && !line.text.contains("hover") {
                runs.behind[usize::from(line.is_click)] += 1;
            }
        }
        runs.lines[run].push(line.clone());
    }
    runs
}

fn write(folder: &Path, name: &str, lines: &[&Line], number: usize) -> PathBuf {
    let mut text: String = lines.iter().map(|line| line.text.clone() + "\n").collect();
    // Files with the same lines are one: these differ.
    text.extend(std::iter::repeat_n('\n', number + 1));
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn inputs(folder: &Path, name: &str, lines: &[Line], number: usize) -> Inputs {
    let of = |is_click: bool| lines.iter().filter(|line| line.is_click == is_click).collect::<Vec<_>>();
    let [impressions, clicks] =
        [false, true].map(|is_click| write(folder, &format!("{name}-{is_click}"), &of(is_click), number));
    Inputs { impressions: vec![impressions], clicks: vec![clicks] }
}

/// All files of results, as text.
fn texts(credited: &CreditedLog, settings: &Settings) -> [String; 4] {
    let summary = serde_json::to_string_pretty(&summary(credited, settings)).unwrap();
    [outcomes_of_log(credited).to_csv(), fates_csv(credited), pages_csv(credited), summary]
}

fn resources(folder: &Path, memory: u64) -> Resources {
    let scratch_folder = folder.join("scratch");
    std::fs::create_dir_all(&scratch_folder).unwrap();
    Resources { memory, threads: 2, scratch_folder, disk: None, partitions: None, order: Order::Any, block: None }
}

/// A run that takes rows in memory; `None` if they are those of a run before, e.g. one click that was logged twice.
fn run_of_frames(state: State, settings: &Settings, lines: &[Line]) -> Option<CreditedLog> {
    let mut frames = FrameJoin::for_state(settings.clone(), &state).unwrap();
    let of = |is_click: bool| lines.iter().filter(move |line| line.is_click == is_click).map(|line| line.text.as_str());
    let impressions = of(false).filter_map(|text| read::impression(text, None, settings).transpose());
    frames.impressions(impressions, |_, malformed| malformed).unwrap();
    let clicks = of(true).filter_map(|text| read::click(text, None, settings).transpose());
    frames.clicks(clicks, |_, malformed| malformed).unwrap();
    match frames.append(state) {
        Ok((credited, unkept)) => {
            unkept.keep().unwrap();
            Some(credited)
        }
        Err(error) => {
            assert!(error.to_string().contains("its lines were taken"), "{error}");
            None
        }
    }
}

/// Holds a log that grows to the same log as a whole, after each run. Returns how many lines were behind.
fn check(world: &World, runs: &Runs, what: &str) -> u64 {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let mut taken: Vec<Line> = Vec::new();
    let last = runs.until.len() - 1;
    let is_final = runs.until[0] % 4 == 0;
    let mut before: Option<i64> = None;
    let (mut behind, mut are_new) = ([0, 0], true);
    for (run, (until, lines)) in runs.until.iter().zip(&runs.lines).enumerate() {
        let complete = if run == last && is_final { LogEnd::Final } else { LogEnd::Until(*until) };
        let settings = Settings { complete, ..world.settings.clone() };
        let state = State::open(&at.join("state"), &settings, Some(world.horizon)).unwrap();
        let memory = if run % 2 == 0 { 1 << 28 } else { 0 };
        let new = inputs(at, &format!("run-{run}"), lines, run);
        let found = append(state, &new, &settings, &resources(at, memory), &());
        let (mut found, unkept) = found.unwrap_or_else(|error| panic!("{what}, run {run}: {error}"));
        unkept.keep().unwrap();
        if are_new {
            let state = State::open(&at.join("frames"), &settings, Some(world.horizon)).unwrap();
            match run_of_frames(state, &settings, lines) {
                Some(frames) => {
                    assert_eq!(texts(&frames, &settings), texts(&found, &settings), "{what}, run {run}, frames");
                }
                None => are_new = false,
            }
        }
        for line in lines {
            let is_behind = before.is_some_and(|before| line.time < before - world.horizon)
                && !line.id.starts_with("malformed")
                && !line.text.contains("hover");
            if is_behind {
                behind[usize::from(line.is_click)] += 1;
            } else {
                taken.push(line.clone());
            }
        }
        before = Some(*until);
        assert_eq!(found.tally.behind(), behind, "{what}, run {run}");
        let mut expected =
            credit(&inputs(at, "all", &taken, 0), &settings, &resources(at, 1 << 28), &(), None).unwrap();
        if behind != [0, 0] {
            // The counts that are left are the same.
            expected.tally.impressions(ImpressionFate::Behind, behind[0]);
            expected.tally.clicks(ClickFate::Behind, behind[1]);
        }
        found.in_order = expected.in_order;
        let (found, expected) = (texts(&found, &settings), texts(&expected, &settings));
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found == expected, "{what}, run {run} of {last}: {}", difference(found, expected));
        }
    }
    assert_eq!(behind, runs.behind, "{what}");
    behind.iter().sum()
}

/// The first lines that differ.
fn difference(found: &str, expected: &str) -> String {
    let pairs = found.lines().map(Some).chain(std::iter::repeat(None)).zip(expected.lines());
    let differ: Vec<String> = pairs
        .filter(|(found, expected)| *found != Some(*expected))
        .take(6)
        .map(|(found, expected)| format!("\n  {}\n  expected {expected}", found.unwrap_or("nothing")))
        .collect();
    differ.concat()
}

fn logs(seeds: std::ops::Range<u64>) {
    let (mut behind, mut credited) = (0, 0);
    for seed in seeds {
        let generator = &mut Generator::seed_from_u64(seed);
        let world = if seed % 3 == 2 { simulated_world(generator) } else { troubled(generator) };
        credited += world.lines.len();
        let some_behind = seed % 4 == 1;
        let runs = cut(&world, some_behind, generator);
        let count = check(&world, &runs, &format!("log {seed}"));
        assert!(some_behind || count == 0, "log {seed}");
        behind += count;
    }
    assert!(behind > 0 && credited > 1_000, "{behind} behind of {credited}");
}

#[test]
fn logs_that_grow_are_those_of_all_files_together() {
    logs(0..12);
}

#[test]
#[ignore = "takes minutes: run by .ci/full"]
fn logs_that_grow_are_those_of_all_files_together_at_full_size() {
    logs(1000..1500);
}

const CREDIT: [&str; 9] = ["credit", "--append", "state", "--rankers", "A,B", "--pairs", "chance", "--out", "out"];

fn click_logs(at: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_click-logs"));
    command.current_dir(at).args(arguments);
    command
}

/// A simulated log cut into files by day, in `folder`; until when each is complete.
fn by_day(folder: &Path, impressions: u64, days: u32) -> Vec<String> {
    let simulation = SimulationSettings { impressions, days, conflicts: 0.0, ..SimulationSettings::default() };
    let ([shown, clicked], _) = simulated(&simulation);
    let mut files: BTreeMap<(i32, bool), String> = BTreeMap::new();
    for (is_click, text) in [(false, shown), (true, clicked)] {
        for text in String::from_utf8(text).unwrap().lines() {
            let line = Line::of(is_click, &serde_json::from_str(text).unwrap());
            let day =
                Zone::default().day(line.time).clamp(simulation.first_day, simulation.first_day + days as i32 - 1);
            *files.entry((day, is_click)).or_default() += &(text.to_owned() + "\n");
        }
    }
    for ((day, is_click), text) in &files {
        let name = format!("{}-{}.jsonl", if *is_click { "clicks" } else { "shown" }, times::date(*day));
        std::fs::write(folder.join(name), text).unwrap();
    }
    (0..days as i32).map(|day| times::date(simulation.first_day + day)).collect()
}

fn of_day<'a>(day: &str, files: &'a mut Vec<String>) -> Vec<&'a str> {
    *files = vec![
        "--impressions".to_owned(),
        format!("shown-{day}.jsonl"),
        "--clicks".to_owned(),
        format!("clicks-{day}.jsonl"),
        "--until".to_owned(),
        format!("{day}T23:59:59Z"),
    ];
    files.iter().map(String::as_str).collect()
}

/// Makes the files of a folder those of another, if that is there.
fn copy_files(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        std::fs::create_dir_all(to).unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn killed(kills: usize, impressions: u64, seed: u64) {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let days = by_day(at, impressions, 6);
    let generator = &mut Generator::seed_from_u64(seed);
    let (mut count, mut completed) = (0, 0);
    let mut longest = Duration::from_millis(50);
    for (number, day) in days.iter().enumerate() {
        let mut files = Vec::new();
        let arguments = [&CREDIT[..], &of_day(day, &mut files)].concat();
        let until = kills * (number + 1) / days.len();
        while count < until {
            copy_files(&at.join("state"), &at.join("before"));
            let mut child = click_logs(at, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let began = Instant::now();
            std::thread::sleep(longest.mul_f64(generator.random_range(0.0..1.1)));
            let _ = child.kill();
            if child.wait().unwrap().success() {
                // It was quicker: its files may be taken again, and the next one is killed sooner.
                longest = longest.min(began.elapsed());
                completed += 1;
                copy_files(&at.join("before"), &at.join("state"));
            } else {
                count += 1;
                longest = longest.mul_f64(1.05);
            }
            assert!(completed < 20 * kills, "every run is quicker than its end");
        }
        let output = click_logs(at, &arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        // One that was killed when all was written is over.
        assert!(output.status.success() || error.contains("its lines were taken by state in run"), "{error}");
    }
    assert_eq!(count, kills);
    // Nothing but the state is left.
    let names: Vec<String> = std::fs::read_dir(at.join("state"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let all = |what: &str| days.iter().map(|day| format!("{what}-{day}.jsonl")).collect::<Vec<_>>();
    let (shown, clicks) = (all("shown"), all("clicks"));
    let until = format!("{}T23:59:59Z", days.last().unwrap());
    let mut arguments = vec!["credit", "--rankers", "A,B", "--pairs", "chance", "--out", "together", "--until", &until];
    arguments.push("--impressions");
    arguments.extend(shown.iter().map(String::as_str));
    arguments.push("--clicks");
    arguments.extend(clicks.iter().map(String::as_str));
    let output = click_logs(at, &arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["outcomes.csv", "fates.csv", "pages.csv", "summary.json"] {
        let [found, expected] =
            ["out", "together"].map(|folder| std::fs::read_to_string(at.join(folder).join(file)).unwrap());
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn a_run_that_is_killed_goes_on() {
    killed(8, 3_000, 1);
}

#[test]
#[ignore = "takes minutes: run by .ci/full"]
fn a_run_that_is_killed_goes_on_at_full_size() {
    killed(50, 40_000, 2);
}

#[track_caller]
fn fails(at: &Path, code: i32, arguments: &[&str]) -> String {
    let output = click_logs(at, arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    error
}

#[test]
fn what_cannot_be_added_is_refused_and_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let days = by_day(at, 1_000, 4);
    let run = |day: &str, more: &[&str]| {
        let mut files = Vec::new();
        [&CREDIT[..], &of_day(day, &mut files), more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let refused = |code, arguments: &[String], expected: &str| {
        let error = fails(at, code, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(error.contains(expected), "{error}");
    };
    let without = |arguments: &[String], flag: &str| {
        let place = arguments.iter().position(|argument| argument == flag).unwrap();
        [&arguments[..place], &arguments[place + 2..]].concat()
    };
    let first = run(&days[0], &[]);
    refused(2, &without(&first, "--until"), "pass --until TIME, or --final");
    refused(2, &without(&first, "--rankers"), "name all rankers");
    let undeclared = std::fs::read_to_string(at.join(format!("shown-{}.jsonl", days[0]))).unwrap();
    std::fs::write(at.join("undeclared.jsonl"), undeclared.replace("\"pairs\":\"chance\",", "")).unwrap();
    let mut of_undeclared = without(&first, "--pairs");
    let place = of_undeclared.iter().position(|argument| argument == "--impressions").unwrap() + 1;
    of_undeclared[place] = "undeclared.jsonl".to_owned();
    refused(2, &of_undeclared, "pass --pairs chance, --pairs kept or --pairs steered");
    refused(2, &run(&days[0], &["--horizon", "1m"]), "--horizon 1m is less than the window");
    assert!(!at.join("state").exists(), "a state that was not begun leaves no folder");
    std::fs::create_dir(at.join("state")).unwrap();
    std::fs::write(at.join("state/notes.txt"), "").unwrap();
    refused(2, &first, "state holds notes.txt and no state");
    std::fs::remove_file(at.join("state/notes.txt")).unwrap();

    let output = click_logs(at, &first.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("The log is simulated"), "{said}");
    let kept = || {
        let names = ["state.json", "data-1.bin"];
        names.map(|name| std::fs::read(at.join("state").join(name)).unwrap())
    };
    let state = kept();
    refused(2, &first, &format!("shown-{}.jsonl: its lines were taken by state in run 1; leave it out", days[0]));
    std::fs::copy(at.join(format!("shown-{}.jsonl", days[0])), at.join(format!("shown-{}.jsonl", days[3]))).unwrap();
    refused(2, &run(&days[3], &[]), &format!("in run 1 as shown-{}.jsonl", days[0]));
    let second = run(&days[1], &[]);
    for (flag, value, expected) in [
        ("--window", "1h", "its window is \"30m\", not \"1h\""),
        ("--unit-days", "2", "its unit_days is 1, not 2"),
        ("--horizon", "2d", "has the horizon 3d, not 2d"),
        ("--timezone", "+01:00", "its timezone is"),
    ] {
        refused(2, &[&second[..], &[flag.to_owned(), value.to_owned()]].concat(), expected);
    }
    let mut earlier = second.clone();
    *earlier.last_mut().unwrap() = "2025-01-01T00:00:00Z".to_owned();
    refused(2, &earlier, "is before");
    let twice = [&second[..], &["--impressions".to_owned(), format!("shown-{}.jsonl", days[1])]].concat();
    refused(2, &twice, "it has the same lines as");
    std::fs::write(at.join("third.jsonl"), r#"{"impression":"x","time":"2026-01-02T10:00:00Z","user":"u","shown":["a"],"teams":["C"],"rankers":["A","C"]}"#)
        .unwrap();
    let third = [&second[..], &["--impressions".to_owned(), "third.jsonl".to_owned()]].concat();
    refused(2, &third, "the log has the ranker `C`, which is none of --rankers A,B");
    let conflict =
        fails(at, 2, &["credit", "--append", "state", "--impressions", "a", "--clicks", "b", "--order", "any"]);
    assert!(conflict.contains("cannot be used with"), "{conflict}");
    assert_eq!(kept(), state, "what was refused changes nothing");

    // Damage is found, wherever it is.
    for (name, at_byte) in [("state.json", 40), ("data-1.bin", 900), ("data-1.bin", 0)] {
        let path = at.join("state").join(name);
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        let place = if at_byte < damaged.len() { at_byte } else { damaged.len() / 2 };
        damaged[place] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        refused(1, &second, "the state cannot be read: ");
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        refused(1, &second, "the state cannot be read: ");
        std::fs::write(&path, &whole).unwrap();
    }
    std::fs::remove_file(at.join("state/data-1.bin")).unwrap();
    refused(1, &second, "data-1.bin: cannot be read");
    std::fs::write(at.join("state/data-1.bin"), &state[1]).unwrap();

    let finally = [without(&second, "--until"), vec!["--final".to_owned()]].concat();
    assert!(click_logs(at, &finally.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap().status.success());
    refused(2, &run(&days[2], &[]), "state was closed by --final");
}
