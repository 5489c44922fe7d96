//! Requirements of a server that runs for years: lists in pages, deletion of experiments, a start that answers.

use std::time::Duration;

use rankduel_server::store::{Operation, SnapshotHead};
use serde_json::{Value, json};
use traffic::UnitState;

use crate::support::{Client, Server, click, statuses, two_lists};

fn ask(server: &Server, name: &str, unit: &str) -> Value {
    let body = json!({"unit": unit, "query": "q", "lists": two_lists(4)});
    server.client().post(&format!("/v1/experiments/{name}/impressions"), body).expect_status(200)
}

#[test]
pub(crate) fn experiments_are_listed_a_hundred_at_a_time() {
    let server = Server::start();
    let name = |number: usize| format!("e{number:03}");
    (0..205).for_each(|number| server.experiment(&name(number), json!({})));
    let mut seen: Vec<String> = Vec::new();
    let mut lengths = Vec::new();
    let mut path = "/v1/experiments".to_owned();
    loop {
        let told = server.client().get(&path).expect_status(200);
        let names = told["experiments"].as_array().unwrap().iter();
        let names: Vec<String> = names.map(|one| one["experiment"].as_str().unwrap().to_owned()).collect();
        lengths.push(names.len());
        seen.extend(names);
        let Some(next) = told["next"].as_str() else { break };
        path = format!("/v1/experiments?after={next}");
    }
    assert_eq!((lengths, seen), (vec![100, 100, 5], (0..205).map(name).collect()));
    server.client().get("/v1/experiments?limit=7").problem(400);
    let page = server.client().get("/");
    assert!(page.body.contains("href=\"./?after=e099\"") && page.body.matches("class=\"headline ").count() == 100);
    assert!(!server.client().get("/?after=e199").body.contains("?after="));
}

#[test]
fn an_experiment_that_is_over_can_be_deleted() {
    let mut server = Server::start();
    for name in ["old", "kept"] {
        server.experiment(name, json!({"window": "1h"}));
        ask(&server, name, "anna");
    }
    let open = ask(&server, "old", "a-very-special-unit");
    let delete = |client: &Client| client.send("DELETE", "/v1/experiments/old", None);
    assert!(delete(&server.client()).problem(409)["detail"].as_str().unwrap().contains("end it before"));
    server.client().post("/v1/experiments/old/end", json!({})).expect_status(200);
    assert!(delete(&server.client()).problem(409)["detail"].as_str().unwrap().contains("open pages"));
    server.pass(2 * 60 * 60_000);
    let log = server.log("kept");
    assert_eq!(
        delete(&server.client()).expect_status(200),
        json!({"experiment": "old", "deleted": true, "erased": true})
    );
    delete(&server.client()).problem(404);
    server.client().get("/v1/experiments/old").problem(404);
    let event = click(&open["id"], open["shown"][0].as_str().unwrap());
    assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["unknown"]);
    // Its number is never given out again, and its name is free.
    server.experiment("old", json!({}));
    let told = ask(&server, "old", "anna");
    assert_ne!(told["id"].as_str().unwrap()[..8], open["id"].as_str().unwrap()[..8]);
    assert_eq!(server.log("kept").1, log.1);
    server.restart();
    assert_eq!(ask(&server, "old", "anna")["id"], told["id"]);
    let tables: i64 = rusqlite::Connection::open(server.store())
        .unwrap()
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE '%\\_1' ESCAPE '\\'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(tables, 0);
    let (text, _) = crate::support::texts(&server.command(&["audit"]));
    assert!(text.contains("experiment deleted"), "{text}");
}

/// A damaged one can be deleted too: nothing else can be done with it.
#[test]
fn a_damaged_experiment_can_be_deleted() {
    let mut server = Server::start();
    server.experiment("broken", json!({}));
    ask(&server, "broken", "anna");
    server.stop();
    rusqlite::Connection::open(server.store())
        .unwrap()
        .execute_batch("UPDATE events_1 SET kind = 9 WHERE n = 2")
        .unwrap();
    server.run().unwrap();
    assert_eq!(server.client().get("/v1/experiments/broken").expect_status(200)["state"], "damaged");
    server.client().send("DELETE", "/v1/experiments/broken", None).expect_status(200);
    server.client().get("/v1/experiments/broken").problem(404);
    server.experiment("broken", json!({}));
    server.restart();
    assert_eq!(ask(&server, "broken", "anna")["credited"], true);
}

/// While logs are folded, the server answers liveness checks.
#[test]
pub(crate) fn a_start_answers_from_its_first_moment() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    server.stop();
    server.settings.listen = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap()
    };
    server.faults.delay(rankduel_server::store::Operation::Read, Duration::from_millis(400));
    let client = Client::at(server.settings.listen);
    let asking = std::thread::spawn(move || {
        // Before it listens, connections are refused.
        while std::net::TcpStream::connect(client.address()).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let answers = ["/health", "/ready", "/v1/experiments"].map(|path| client.get(path));
        [answers[0].status, answers[1].problem(503)["status"].as_u64().unwrap() as u16, answers[2].status]
    });
    server.run().unwrap();
    server.faults.stop();
    assert_eq!(asking.join().unwrap(), [200, 503, 503]);
    assert_eq!(server.client().get("/ready").status, 200);
}

/// Three days of traffic, with a start on each; the last one has open pages.
fn three_days() -> Server {
    let mut server = Server::start();
    server.experiment("e", json!({"policy": "rucb", "window": "10m"}));
    for day in 0..3 {
        for unit in 0..12 {
            let told = ask(&server, "e", &format!("u{}", unit + 4 * day));
            if unit % 3 > 0 {
                let event = click(&told["id"], told["shown"][unit % 2].as_str().unwrap());
                server.client().post("/v1/events", event).expect_status(200);
            }
        }
        settle(&server);
        if day < 2 {
            server.pass(crate::support::DAY);
            server.restart();
        }
    }
    server
}

/// Waits until no snapshot is being written, and nothing deleted.
fn settle(server: &Server) {
    for _ in 0..1_000 {
        if server.client().get("/metrics").body.contains("\nrankduel_upkeep 0\n") {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the upkeep does not end");
}

/// The status of an experiment, without its starts.
fn status(server: &Server) -> Value {
    let mut status = server.client().get("/v1/experiments/e").expect_status(200);
    for field in ["log", "time"] {
        status.as_object_mut().unwrap().remove(field);
    }
    status
}

fn sql(server: &Server, sql: &str) {
    rusqlite::Connection::open(server.store()).unwrap().execute_batch(sql).unwrap();
}

fn number(server: &Server, sql: &str) -> i64 {
    let store = rusqlite::Connection::open(server.store()).unwrap();
    store.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_start_goes_on_from_the_snapshot_of_the_last_day_that_closed() {
    let mut server = three_days();
    let (before, log) = (status(&server), server.log("e"));
    server.stop();
    let at = number(&server, "SELECT n FROM snapshots_1 WHERE part = 0");
    assert!(at > 20 && (at as u64) < log.0, "{at} of {}", log.0);
    let (text, _) = crate::support::texts(&server.command(&["check"]));
    assert!(text.starts_with("e: ok") && text.ends_with("ok\n"), "{text}");
    // With it, without it, and with one that cannot be read: the same state, and the same choices afterwards.
    let copy = std::fs::read(server.store()).unwrap();
    let mut told = Vec::new();
    for change in [
        "SELECT 1",
        "DELETE FROM snapshots_1",
        "DELETE FROM snapshots_1 WHERE part = 0",
        "DELETE FROM snapshots_1 WHERE part = 1",
        "UPDATE snapshots_1 SET body = x'01'",
        "UPDATE snapshots_1 SET body = zeroblob(4), sum = 0 WHERE part = 1",
        "DELETE FROM states_1",
        "UPDATE states_1 SET body = x'01'",
    ] {
        std::fs::write(server.store(), &copy).unwrap();
        sql(&server, change);
        server.settings.consent.accept_loss = true;
        server.run().unwrap();
        assert_eq!(status(&server), before, "{change}");
        assert_eq!(server.log("e").0, log.0 + 1, "{change}");
        let pages: Vec<Value> =
            (0..20).map(|unit| ask(&server, "e", &format!("new {unit}"))["shown"].clone()).collect();
        told.push((pages, server.client().get("/v1/experiments/e").expect_status(200)["policy"].clone()));
        server.stop();
    }
    assert!(told.windows(2).all(|two| two[0] == two[1]));
}

/// A start does not wait until millions of units were read; a damaged row is found soon after it.
#[test]
pub(crate) fn many_units_are_checked_after_the_start() {
    let mut server = three_days();
    let before = said(&server);
    server.stop();
    server.checked_units = Some(3);
    server.run().unwrap();
    settle(&server);
    assert_eq!(said(&server), before);
    // A new unit gets a number that was never used.
    let most = |server: &Server| number(server, "SELECT max(number) FROM units_1");
    let last = most(&server);
    ask(&server, "e", "nobody before");
    assert_eq!(most(&server), last + 1);
    server.stop();
    sql(&server, "UPDATE units_1 SET sum = sum + 1 WHERE number = 2");
    // With all or nothing, at the start.
    server.settings.consent.strict = true;
    let error = server.run().expect_err("strict").to_string();
    assert!(error.contains("its units cannot be used"), "{error}");
    server.settings.consent.strict = false;
    server.run().unwrap();
    // The transaction that finds it fails, and the store is opened again.
    for _ in 0..1_000 {
        if server.client().get("/v1/experiments/e").body.contains("\"damaged\"") {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let damage = status(&server)["damage"].clone();
    assert!(damage.as_str().unwrap().starts_with("its units cannot be used"), "{damage}");
}

/// A unit that is damaged on the disk is found when it asks; the log makes it good, as long as it is whole.
#[test]
pub(crate) fn a_unit_that_is_damaged_is_folded_again() {
    for (retain, is_good) in [(None, true), (Some("5d"), false)] {
        let server = a_month(retain, &[]);
        let said = said(&server);
        sql(&server, "UPDATE states_1 SET body = x'0102' WHERE number = 9");
        let body = json!({"unit": "u8", "query": "q", "lists": two_lists(4)});
        let failed = server.client().post("/v1/experiments/e/impressions", body);
        failed.problem(503);
        let state = &server.client().get("/v1/experiments/e").expect_status(200)["state"];
        assert_eq!(state, if is_good { "running" } else { "damaged" });
        if is_good {
            assert_eq!(self::said(&server), said);
            ask(&server, "e", "u8");
            assert_eq!(number(&server, "SELECT max(number) FROM units_1"), 911);
            settle(&server);
            let output = server.command(&["check"]);
            assert!(output.status.success(), "{}", crate::support::texts(&output).0);
        }
    }
}

/// The state of a policy may be unreadable for a later build: then it starts from scratch, and the log says so.
#[test]
fn a_policy_whose_state_cannot_be_read_goes_on_from_scratch() {
    let mut server = three_days();
    let before = status(&server);
    server.stop();
    let store = rankduel_server::store::Store::open(server.store(), rankduel_server::store::Access::Change).unwrap();
    let head = store.snapshots(1).unwrap().pop().expect("a snapshot");
    let bytes = store.snapshot(1, &head).unwrap();
    // The name of the policy and its state: another revision wrote it.
    let name = b"revision=1 arms=2";
    let at = bytes.windows(name.len()).position(|window| window == name).expect("its name");
    let mut other = bytes.clone();
    other[at + 9] = b'0';
    assert_eq!(head.parts, 1);
    store.insert_part(1, head.n, 1, &other).unwrap();
    drop(store);
    server.run().unwrap();
    let mut after = status(&server);
    let log = server.client().get("/v1/experiments/e/export?what=log").body;
    let continued = log.lines().filter(|line| line.contains("\"event\":\"continued\"")).count();
    assert_eq!(continued, 1, "{log}");
    // Outcomes that counted still do.
    after["policy"] = before["policy"].clone();
    assert_eq!(after, before);
    ask(&server, "e", "somebody");
    server.restart();
    ask(&server, "e", "somebody else");
}

/// `check` compares a snapshot with its log.
#[test]
fn a_snapshot_of_another_log_is_found() {
    let server = three_days();
    let store = rankduel_server::store::Store::open(server.store(), rankduel_server::store::Access::Change).unwrap();
    let head = store.snapshots(1).unwrap().pop().expect("a snapshot");
    let other = SnapshotHead { n: head.n - 1, ..head };
    store.insert_part(1, other.n, 1, &store.snapshot(1, &head).unwrap()).unwrap();
    store.insert_head(1, other).unwrap();
    let output = server.command(&["check"]);
    let (text, _) = crate::support::texts(&output);
    assert!(output.status.code() == Some(1) && text.contains("has another state than its log"), "{text}");
    drop(store);
    // The same for a unit: its row is intact, but has another state.
    let server = three_days();
    let store = rankduel_server::store::Store::open(server.store(), rankduel_server::store::Access::Change).unwrap();
    let head = store.snapshots(1).unwrap().pop().expect("a snapshot");
    let state = store.unit_state(1, 2, head.n).unwrap().expect("a unit");
    store.insert_state(1, head.n, &UnitState { last_day: state.last_day + 1, ..state }, head.n).unwrap();
    let (text, _) = crate::support::texts(&server.command(&["check"]));
    assert!(text.contains("has another state than its log"), "{text}");
}

/// Thirty days of a few hundred units a day, some of them returning; `retain` keeps some days of them.
fn a_month(retain: Option<&str>, starts: &[i32]) -> Server {
    let mut server = Server::start();
    let mut settings = json!({"policy": "rucb", "window": "10m", "keep": "impression", "seed": 7});
    if let Some(retain) = retain {
        settings["retain"] = retain.into();
    }
    server.experiment("e", settings);
    for day in 0..30 {
        for place in 0..40 {
            let unit = if place % 4 == 0 { place } else { 40 * day + place };
            let list = |from: usize| -> Vec<String> { (from..from + 4).map(|n| format!("paper-{day}-{n}")).collect() };
            let body = json!({"unit": format!("u{unit}"), "query": "q", "lists": {"old": list(0), "new": list(2)}});
            let told = server.client().post("/v1/experiments/e/impressions", body).expect_status(200);
            if place % 3 == 0 {
                let event = click(&told["id"], told["shown"][place as usize % 2].as_str().unwrap());
                server.client().post("/v1/events", event).expect_status(200);
            }
        }
        server.pass(crate::support::DAY);
        if starts.contains(&day) {
            server.restart();
        }
    }
    ask(&server, "e", "the last one");
    settle(&server);
    server
}

/// The status of an experiment, without the settings and what depends on starts.
fn said(server: &Server) -> Value {
    let mut status = status(server);
    for field in ["settings", "forgotten"] {
        status.as_object_mut().unwrap().remove(field);
    }
    status
}

/// Data that are not kept are gone, and nothing that was counted from them changes.
#[test]
pub(crate) fn days_that_are_not_kept_are_forgotten() {
    let whole = a_month(None, &[]);
    let mut server = a_month(Some("5d"), &[3, 11, 17]);
    assert_eq!(said(&server), said(&whole));
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["settings"]["retain"], "5d");
    let first = number(&server, "SELECT min(n) FROM events_1");
    assert_eq!(status["forgotten"]["events"], first - 1);
    // 24 of 30 days.
    let [events, all] = [&server, &whole].map(|server| number(server, "SELECT count(*) FROM events_1"));
    assert!(events * 4 < all, "{events} of {all}");
    for (table, most) in [("shown_1", 300), ("units_1", 320), ("states_1", 800)] {
        let [kept, all] = [&server, &whole].map(|server| number(server, &format!("SELECT count(*) FROM {table}")));
        assert!(kept < most && all > 900, "{table}: {kept} of {all}");
    }
    // Documents of forgotten days are gone, those of kept days are there.
    let shown = |server: &Server, impression: i64| {
        number(server, &format!("SELECT count(*) FROM shown_1 WHERE impression = {impression}"))
    };
    assert_eq!([1, 500, 900, 1_150].map(|impression| shown(&server, impression)), [0, 0, 0, 1]);
    // The kept data can be checked, replayed and exported.
    for command in ["check", "replay"] {
        let output = server.command(&[command]);
        let (text, error) = crate::support::texts(&output);
        assert!(output.status.success(), "{text}{error}");
    }
    let lines = |server: &Server, what: &str| {
        server.client().get(&format!("/v1/experiments/e/export?what={what}")).body.lines().map(str::to_owned).collect()
    };
    for what in ["impressions", "clicks"] {
        let [kept, all]: [Vec<String>; 2] = [lines(&server, what), lines(&whole, what)];
        assert!(kept.len() > 5 && all.len() > 3 * kept.len(), "{what}: {} of {}", kept.len(), all.len());
        assert!(all.ends_with(&kept), "{what}");
    }
    let export = server.client().get("/v1/experiments/e/export?what=rules");
    let day = status["forgotten"]["before"].as_str().unwrap();
    assert_eq!((export.headers["rankduel-kept-from"].as_str(), &export.json()["kept_from"]), (day, &json!(day)));
    let folder = server.folder.path().join("exported");
    let (text, _) = crate::support::texts(&server.command(&["export", "e", folder.to_str().unwrap()]));
    assert!(text.contains(&format!("days before {day} are forgotten: these files say who won since then")), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
    // A forgotten unit is a new one; a unit that came back each day is not.
    let unit = |server: &Server| {
        let log: Vec<String> = lines(server, "log");
        let asked = log.iter().rfind(|line| line.contains("\"event\":\"asked\"")).unwrap();
        serde_json::from_str::<Value>(asked).unwrap()["unit"].as_u64().unwrap()
    };
    ask(&server, "e", "u8");
    assert_eq!(unit(&server), 3 * 3);
    ask(&server, "e", "u3");
    let returned = unit(&server);
    let most = number(&server, "SELECT max(number) FROM units_1") as u64;
    assert!(returned == most && returned > 900, "{returned} of {most}");
    // Deleted and started again, no number is given twice.
    let before = said(&server);
    server.restart();
    let in_files = |server: &Server, text: &str| {
        let files = std::fs::read_dir(server.folder.path()).unwrap();
        let mut bytes = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        bytes.any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    let found = [0, 5, 15, 23, 29].map(|day| in_files(&server, &format!("paper-{day}-3")));
    assert_eq!(found, [false, false, false, false, true], "free pages and the write-ahead log too");
    assert!(in_files(&whole, "paper-0-3"));
    assert_eq!(said(&server), before);
    ask(&server, "e", "another one");
    assert_eq!(unit(&server), most + 1);
    let deleted = server.client().post("/v1/units/delete", json!({"unit": "u8"})).expect_status(200);
    assert!(deleted["impressions"].as_u64().unwrap() >= 5, "{deleted}");
    let output = server.command(&["check"]);
    assert!(output.status.success(), "{}", crate::support::texts(&output).0);
}

/// An experiment that is over, or has no traffic, is forgotten when its time has come: no day closes any more.
#[test]
pub(crate) fn what_is_over_is_forgotten_too() {
    for ends in [true, false] {
        let mut server = Server::start();
        server.experiment("e", json!({"policy": "rucb", "window": "10m", "retain": "2d"}));
        for day in 0..3 {
            (0..10).for_each(|unit| drop(ask(&server, "e", &format!("u{}", unit + 5 * day))));
            server.pass(crate::support::DAY);
        }
        if ends {
            server.client().post("/v1/experiments/e/end", json!({})).expect_status(200);
        }
        let rows = |server: &Server| {
            ["shown_1", "units_1", "states_1"].map(|table| number(server, &format!("SELECT count(*) FROM {table}")))
        };
        // Ticks come each second, and one may close the last day.
        let mut before = Value::Null;
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(50));
            settle(&server);
            before = said(&server);
            if number(&server, "SELECT count(*) FROM snapshots_1 WHERE part = 0") > 2 {
                break;
            }
        }
        assert!(rows(&server).iter().all(|rows| *rows > 9), "{:?}", rows(&server));
        server.pass(20 * crate::support::DAY);
        server.restart();
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(50));
            if rows(&server) == [0; 3] {
                break;
            }
        }
        settle(&server);
        assert_eq!(rows(&server), [0; 3], "ends: {ends}");
        assert!(number(&server, "SELECT count(*) FROM events_1") < 20);
        assert_eq!(said(&server)["impressions"], before["impressions"]);
        assert_eq!(said(&server)["pairs"], before["pairs"]);
        server.restart();
        let output = server.command(&["check"]);
        assert!(output.status.success(), "{}", crate::support::texts(&output).0);
        if !ends {
            ask(&server, "e", "u1");
            assert_eq!(number(&server, "SELECT number FROM units_1"), 21);
        }
    }
}

/// Memory has the units of open days alone.
#[test]
pub(crate) fn units_of_closed_days_are_not_in_memory() {
    let server = Server::start();
    server.experiment("e", json!({"window": "10m"}));
    let here = |server: &Server| {
        let text = server.client().get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix("rankduel_units_in_memory ")).unwrap().to_owned();
        line.parse::<u64>().unwrap()
    };
    for day in 0..4 {
        (0..50).for_each(|unit| drop(ask(&server, "e", &format!("u{}", 50 * day + unit))));
        assert!(here(&server) <= 100, "{}", here(&server));
        server.pass(crate::support::DAY);
        ask(&server, "e", "u1");
        settle(&server);
        assert_eq!(here(&server), 1);
    }
}

#[test]
fn every_step_of_the_upkeep_may_fail() {
    upkeep_may_fail(0..6);
}

/// A transaction of a snapshot or a deletion fails, or the process ends before it: whatever the step, the next start finds the state
/// that a server has which had no trouble. A step takes 8 ms.
pub(crate) fn upkeep_may_fail(steps: impl IntoIterator<Item = u64>) {
    let days = |server: &mut Server, trouble: &mut dyn FnMut(&mut Server, usize)| {
        server.experiment("e", json!({"policy": "rucb", "window": "10m", "retain": "2d", "seed": 3}));
        for day in 0..6 {
            for unit in 0..10 {
                ask(server, "e", &format!("u{}", unit + 5 * day));
            }
            server.pass(crate::support::DAY);
            // The day closes, and a snapshot of it begins.
            ask(server, "e", "u1");
            trouble(server, day);
        }
        settle(server);
    };
    let mut calm = Server::start();
    days(&mut calm, &mut |server, _| settle(server));
    let expected = said(&calm);
    // The days that a server without trouble forgets are forgotten in the end, some later.
    for step in steps {
        for operation in [None, Some(Operation::Insert), Some(Operation::Commit), Some(Operation::Committed)] {
            let mut server = Server::start();
            days(&mut server, &mut |server, day| match operation {
                None => {
                    std::thread::sleep(Duration::from_millis(8 * step));
                    server.restart();
                }
                Some(operation) => {
                    server.faults.fail(operation, 1 + day as u64 % 2);
                    std::thread::sleep(Duration::from_millis(8 * step));
                    server.faults.stop();
                    // A transaction that succeeds: the upkeep goes on after it.
                    server.experiment(&format!("of-day-{day}"), json!({}));
                    settle(server);
                }
            });
            assert_eq!(said(&server), expected, "{operation:?} after {step} steps");
            let output = server.command(&["check"]);
            assert!(output.status.success(), "{operation:?}: {}", crate::support::texts(&output).0);
            server.restart();
            assert_eq!(said(&server), expected, "{operation:?} after {step} steps");
        }
    }
}

/// The cost of a server that runs for years, as a table: memory, disk, and response times while a day closes.
#[test]
#[ignore = "minutes to hours: RANKDUEL_UNITS new units a day, 100,000 if it is not set, for ten days"]
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn ten_days_of_many_units_at_full_size() {
    let units: u64 = std::env::var("RANKDUEL_UNITS").map_or(100_000, |text| text.parse().unwrap());
    let mut server = Server::start();
    server.experiment("e", json!({"policy": "rucb", "window": "30m", "retain": "4d"}));
    let metric = |server: &Server, name: &str| {
        let text = server.client().get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).unwrap().to_owned();
        line.parse::<f64>().unwrap()
    };
    let proc = |file: &str, field: &str| {
        let text = std::fs::read_to_string(format!("/proc/self/{file}")).unwrap();
        let line = text.lines().find(|line| line.starts_with(field)).unwrap().to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    let page = |unit: u64| {
        let body = json!({"unit": format!("unit-{unit:09}"), "lists": two_lists(10)});
        ("POST", "/v1/experiments/e/impressions".to_owned(), body)
    };
    println!("day  units seen  in memory  resident MB  store MB  written KB/page  p50 ms  p99 ms  closing p50  p99");
    let (mut pages, mut seen) = (0_u64, 0_u64);
    for day in 0..10 {
        let (mut quiet, mut closing) = (Vec::new(), Vec::new());
        let written = proc("io", "write_bytes:");
        let mut of_day = 0_u64;
        while of_day < units {
            // A tenth come back from any day.
            let calls = (0..200)
                .map(|place| page(if place % 10 == 0 { (of_day * 7 + place) % (seen + 1) } else { seen + place }));
            let answers = server.send(calls.collect());
            seen += 200;
            of_day += 200;
            pages += 200;
            let clicks: Vec<Value> = answers
                .iter()
                .step_by(3)
                .map(|(status, answer)| {
                    assert_eq!(*status, 200, "{answer}");
                    click(&answer["id"], answer["shown"][1].as_str().unwrap())
                })
                .collect();
            server.send(clicks.into_iter().map(|event| ("POST", "/v1/events".to_owned(), event)).collect());
            server.pass(crate::support::DAY * 200 / units as i64);
            // One alone, as a browser waits for it.
            let is_closing = metric(&server, "rankduel_upkeep") > 0.0;
            let started = std::time::Instant::now();
            server.send(vec![page(seen / 2)]);
            pages += 1;
            let took = started.elapsed().as_secs_f64() * 1e3;
            if is_closing { &mut closing } else { &mut quiet }.push(took);
        }
        let percentile = |times: &mut Vec<f64>, part: f64| {
            times.sort_by(f64::total_cmp);
            times.get(((times.len() as f64 * part) as usize).min(times.len().max(1) - 1)).copied().unwrap_or(f64::NAN)
        };
        let sizes: u64 =
            std::fs::read_dir(server.folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
        println!(
            "{day:3}  {seen:10}  {:9}  {:11.0}  {:8.0}  {:15.1}  {:6.1}  {:6.1}  {:11.1}  {:4.1}",
            metric(&server, "rankduel_units_in_memory"),
            proc("status", "VmRSS:") / 1024.0,
            sizes as f64 / 1e6,
            (proc("io", "write_bytes:") - written) / 1e3 / (of_day as f64 * 1.005),
            percentile(&mut quiet, 0.5),
            percentile(&mut quiet, 0.99),
            percentile(&mut closing, 0.5),
            percentile(&mut closing, 0.99),
        );
    }
    let before = said(&server);
    server.stop();
    let started = std::time::Instant::now();
    server.run().unwrap();
    println!("{pages} pages; a start takes {:.2} s", started.elapsed().as_secs_f64());
    assert_eq!(said(&server), before);
    assert!(metric(&server, "rankduel_units_in_memory") < 2.0 * units as f64);
}

/// Prints the time of the status of many rankers after a start, and after another day. `RANKDUEL_DAYS` defaults to 80.
#[test]
#[ignore = "a minute or more: RANKDUEL_DAYS days, 80 if it is not set"]
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn the_first_status_of_many_rankers_at_full_size() {
    let days: usize = std::env::var("RANKDUEL_DAYS").map_or(80, |text| text.parse().unwrap());
    let names: Vec<String> = (0..20).map(|number| format!("ranker-{number}")).collect();
    let documents: Vec<String> = (0..20).map(|number| format!("d{number}")).collect();
    let mut server = Server::start();
    server.experiment("e", json!({"policy": "rucb", "window": "30m", "rankers": names}));
    let mut lists = serde_json::Map::new();
    for (turn, name) in names.iter().enumerate() {
        let mut ranked = documents.clone();
        ranked.rotate_left(turn);
        lists.insert(name.clone(), json!(ranked[..10]));
    }
    let mut unit = 0;
    let mut day = |server: &mut Server| {
        let pages = (0..600).map(|_| {
            unit += 1;
            let body = json!({"unit": format!("unit-{unit}"), "lists": lists});
            ("POST", "/v1/experiments/e/impressions".to_owned(), body)
        });
        let answers = server.send(pages.collect());
        let clicks = answers.iter().map(|(_, answer)| click(&answer["id"], answer["shown"][0].as_str().unwrap()));
        server.send(clicks.map(|event| ("POST", "/v1/events".to_owned(), event)).collect());
        server.pass(crate::support::DAY);
    };
    (0..days).for_each(|_| day(&mut server));
    let status = |server: &Server| {
        let started = std::time::Instant::now();
        server.client().get("/v1/experiments/e").expect_status(200);
        started.elapsed().as_secs_f64() * 1e3
    };
    server.stop();
    let started = std::time::Instant::now();
    server.run().unwrap();
    let start = started.elapsed().as_secs_f64();
    let first = [(); 3].map(|()| status(&server));
    day(&mut server);
    let next = [(); 2].map(|()| status(&server));
    println!("20 rankers, {days} days: start {start:.2} s, status {first:.1?} ms; after another day {next:.1?} ms");
}
