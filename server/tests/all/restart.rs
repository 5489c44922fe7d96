//! A restart keeps everything that was acknowledged, and nothing else.

use std::time::Duration;

use rankduel_server::running::StartError;
use serde_json::{Value, json};

use crate::support::{DAY, MINUTE, NOON, Server, click, command, statuses, texts, two_lists};

fn traffic(server: &Server, units: std::ops::Range<u32>) -> Vec<Value> {
    let one = |unit: u32| {
        let body = json!({"unit": unit.to_string(), "key": format!("k{unit}"), "lists": two_lists(4)});
        let told = server.client().post("/v1/experiments/e/impressions", body).expect_status(200);
        let at = usize::from(unit.is_multiple_of(3));
        let event = click(&told["id"], told["shown"][at].as_str().unwrap());
        assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["taken"]);
        told
    };
    units.map(one).collect()
}

#[test]
pub(crate) fn a_server_goes_on_where_its_log_ends() {
    let mut server = Server::start();
    server
        .client()
        .post("/v1/experiments", json!({"name": "e", "rankers": ["old", "new"], "policy": "rucb", "shown": 3}))
        .expect_status(201);
    let before = traffic(&server, 0..20);
    let log = server.log("e");
    server.stop();
    server.pass(MINUTE);
    server.run().unwrap();
    // `started` is one event more.
    assert_eq!(server.log("e").0, log.0 + 1);
    // Keys, ids and documents are unchanged.
    for (unit, told) in before.iter().enumerate() {
        let body = json!({"unit": unit.to_string(), "key": format!("k{unit}"), "lists": two_lists(4)});
        assert_eq!(server.client().post("/v1/experiments/e/impressions", body).expect_status(200), *told);
        let event = click(&told["id"], told["shown"][2].as_str().unwrap());
        assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["taken"]);
    }
    traffic(&server, 20..30);
    let log = server.log("e");
    server.stop();
    let output = server.command(&["replay"]);
    let (text, error) = texts(&output);
    assert!(output.status.success(), "{error}");
    assert!(text.starts_with(&format!("e: {} events, checksum {}\n", log.0, log.1)), "{text}");
    assert!(text.contains(&format!("reproduced: events 1 to {}, by rucb", log.0)), "{text}");
    let (text, _) = texts(&server.command(&["check"]));
    assert_eq!(text, format!("e: ok, {} events, 30 impressions\nok\n", log.0));
}

#[test]
pub(crate) fn downtime_closes_nothing_early() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    let told = traffic(&server, 0..1).remove(0);
    let event = |at: usize| click(&told["id"], told["shown"][at].as_str().unwrap());
    server.pass(25 * MINUTE);
    server.stop();
    server.pass(20 * MINUTE);
    server.run().unwrap();
    // 49 minutes after the impression; for 20 of them the server was down and could not take clicks.
    server.pass(4 * MINUTE);
    assert_eq!(statuses(&server.client().post("/v1/events", event(0)).expect_status(200)), ["taken"]);
    server.pass(30 * MINUTE);
    assert_eq!(statuses(&server.client().post("/v1/events", event(2)).expect_status(200)), ["late"]);
}

#[test]
pub(crate) fn a_clock_that_is_far_away_is_asked_about() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    server.stop();
    for away in [-2 * DAY, 4 * DAY] {
        server.pass(away);
        let error = match server.run() {
            Err(error @ StartError::Load(_)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        let side = if away > 0 { "after" } else { "before" };
        assert!(error.contains(&format!("48 hours {side}")) && error.contains("--accept-time"), "{error}");
    }
    server.settings.consent.accept_time = true;
    server.run().unwrap();
    let log = server.log("e");
    assert_eq!(log.0, 3, "created and started twice");
    // A store that was served until now needs no flag, however long ago its last event is.
    server.settings.consent.accept_time = false;
    server.pass(DAY / 2);
    server.restart();
    server.pass(DAY * 3 / 4);
    server.restart();
    assert!(server.time.load(std::sync::atomic::Ordering::SeqCst) > NOON + 3 * DAY);
}

#[test]
pub(crate) fn a_clock_that_was_ahead_for_hours_is_said_to_stand_still() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    server.stop();
    server.pass(10 * 60 * MINUTE);
    server.run().unwrap();
    let told = traffic(&server, 0..1).remove(0);
    server.stop();
    server.pass(-10 * 60 * MINUTE);
    server.run().unwrap();
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["stands_still_until"], NOON + 10 * 60 * MINUTE);
    let warning = "Time stands still until 2026-11-26 22:00 UTC: the clock was ahead at an earlier start.";
    assert!(status["warnings"][0].as_str().unwrap().starts_with(warning), "{}", status["warnings"]);
    assert!(server.client().get("/e/e").body.contains(warning));
    let metric = |server: &Server| {
        let text = server.client().get("/metrics").body;
        text.lines().find_map(|line| line.strip_prefix("rankduel_time_ahead_seconds ")).unwrap().to_owned()
    };
    assert!((0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        metric(&server) == "36000"
    }));
    server.pass(10 * 60 * MINUTE + 31 * MINUTE);
    let event = click(&told["id"], told["shown"][2].as_str().unwrap());
    assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["late"]);
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["stands_still_until"], Value::Null);
}

#[test]
pub(crate) fn windows_close_by_themselves() {
    let server = Server::start();
    server.experiment("e", json!({}));
    traffic(&server, 0..3);
    server.pass(31 * MINUTE);
    // No requests: the metrics do not touch experiments.
    let closed = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        server.client().get("/metrics").body.contains("\nrankduel_open_impressions 0\n")
    });
    assert!(closed, "{}", server.client().get("/metrics").body);
}

#[test]
fn one_server_has_a_store() {
    let server = Server::start();
    let output = server.command(&["serve", "--listen", "127.0.0.1:0"]);
    let (_, error) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    let line = format!(
        "error: {} is in use by another rankduel-server; stop that one first, or choose another --store\n",
        server.store().display()
    );
    assert!(error.ends_with(&line), "{error}");
    // Under another name too.
    let link = server.folder.path().join("link.db");
    std::os::unix::fs::symlink(server.store(), &link).unwrap();
    let output = command(&["serve", "--listen", "127.0.0.1:0"], Some(&link));
    assert!(texts(&output).1.contains("is in use by another rankduel-server"), "{output:?}");
    let nowhere = server.folder.path().join("nowhere/store.db");
    let output = command(&["serve", "--listen", "127.0.0.1:0"], Some(&nowhere));
    assert!(texts(&output).1.contains("make the folder"), "{output:?}");
    server.experiment("e", json!({}));
}

/// A store that was restored from a copy, or that lost its last transactions, gives numbers of impressions out again. Ids from
/// before belong to impressions that it does not have.
#[test]
fn ids_of_lost_impressions_are_unknown() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    traffic(&server, 0..3);
    server.stop();
    let copy = server.folder.path().join("copy.db");
    std::fs::copy(server.store(), &copy).unwrap();
    server.run().unwrap();
    let lost = traffic(&server, 3..8);
    server.stop();
    std::fs::copy(&copy, server.store()).unwrap();
    let error = server.run().expect_err("it lacks what was acknowledged").to_string();
    // Five impressions, five clicks, and what two starts and an end wrote.
    assert!(error.contains("lacks 11 events that were acknowledged") && error.contains("--accept-loss"), "{error}");
    server.settings.consent.accept_loss = true;
    server.run().unwrap();
    // As many impressions of other users, with the same numbers.
    let found = traffic(&server, 20..25);
    let log = server.log("e");
    for (lost, found) in lost.iter().zip(&found) {
        let id = lost["id"].as_str().unwrap();
        for document in found["shown"].as_array().unwrap() {
            let event = click(&lost["id"], document.as_str().unwrap());
            assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["unknown"]);
        }
        let problem = server.client().send("POST", &format!("/v1/impressions/{id}/close"), None).problem(404);
        assert_eq!(problem["detail"], "this server gave out no such id");
        server.client().post(&format!("/v1/impressions/{id}/next"), json!({})).problem(404);
        let page = json!({"documents": found["shown"]});
        server.client().put(&format!("/v1/impressions/{id}/shown"), page).problem(404);
        server.client().put(&format!("/v1/impressions/{id}/lists"), json!({"lists": two_lists(4)})).problem(404);
    }
    assert_eq!(server.log("e"), log, "nothing came of it");
    for told in &found {
        let event = click(&told["id"], told["shown"][2].as_str().unwrap());
        assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["taken"]);
    }
}

/// A store as the first release writes it, with an experiment of lists and one of judges. It is served for ever.
#[test]
fn a_store_of_format_2_is_served() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store-2.db");
    if std::env::var_os("UPDATE").is_some() && !std::path::Path::new(fixture).exists() {
        let mut server = Server::start();
        let settings =
            json!({"policy": "rucb", "depth": 6, "bots": {"units": ["monitor"]}, "timezone": "Europe/Berlin"});
        server.experiment("e", settings);
        server.experiment("judged", json!({"ask": "duels"}));
        traffic(&server, 0..12);
        for (unit, winner) in [("anna", "first"), ("bert", "tie")] {
            let duel = server.client().post("/v1/experiments/judged/duels", json!({"unit": unit})).expect_status(200);
            let path = format!("/v1/duels/{}", duel["id"].as_str().unwrap());
            server.client().post(&path, json!({"winner": winner})).expect_status(200);
        }
        let told = traffic(&server, 12..13).remove(0);
        let id = told["id"].as_str().unwrap();
        server.client().post(&format!("/v1/impressions/{id}/next"), json!({})).expect_status(200);
        let page = json!({"documents": ["advert", told["shown"][0]], "pinned": ["advert"]});
        server.client().put(&format!("/v1/impressions/{id}/shown"), page).expect_status(200);
        server.pass(DAY);
        server.restart();
        traffic(&server, 13..15);
        let paused = json!({"why": "a holiday"});
        server.client().post("/v1/experiments/judged/pause", paused).expect_status(200);
        server.key(&["serve", "--label", "the fixture"]);
        server.stop();
        std::fs::copy(server.store(), fixture).unwrap();
    }
    let mut server = Server::stopped();
    std::fs::copy(fixture, server.store()).unwrap();
    let (_, error) = texts(&server.command(&["check"]));
    assert!(
        error.contains("has the format 2, and this build reads 4; move it there with `rankduel-server migrate`"),
        "{error}"
    );
    let (text, error) = texts(&server.command(&["migrate"]));
    let copy = server.folder.path().join("store.db.format-2");
    assert!(text.starts_with(&format!("moved; {} is as the store was", copy.display())), "{text}{error}");
    let whole = "e: ok, 49 events, 15 impressions\njudged: ok, 9 events, 2 impressions\nok\n";
    let (text, error) = texts(&server.command(&["check"]));
    assert_eq!((text.as_str(), error.as_str()), (whole, ""));
    assert_eq!(texts(&server.command(&["migrate"])).0, "the store has the format of this version\n");
    // Which lines are reproduced, and which only recorded, changes with the policies. Events are without marks now.
    let (text, _) = texts(&server.command(&["replay"]));
    for line in ["e: 49 events, checksum ac08b86eb57ee65e\n", "judged: 9 events, checksum 8d9c35a8a40c7dc1\n"] {
        assert!(text.contains(line), "{text}");
    }
    // `serve` does the same, and the copy is unchanged.
    std::fs::rename(&copy, server.store()).unwrap();
    server.pass(DAY + MINUTE);
    server.run().unwrap();
    server.stop();
    let bytes = |path: &std::path::Path| std::fs::read(path).unwrap();
    assert!(bytes(&copy).starts_with(b"SQLite format 3"));
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&copy.metadata().unwrap().permissions()) & 0o777, 0o600);
    let (text, _) = texts(&server.command(&["keys", "list"]));
    assert!(text.contains("the fixture"), "{text}");
    let key = server.key(&["admin"]);
    server.run().unwrap();
    let client = server.with_key(&key);
    let status = client.get("/v1/experiments/e").expect_status(200);
    let counts = (&status["impressions"]["asked"], &status["clicks"]["taken"], &status["settings"]["bots"]);
    assert_eq!(counts, (&json!(15), &json!(15), &json!({"units": ["monitor"]})));
    assert_eq!(client.get("/v1/experiments/judged").expect_status(200)["state"], "paused");
    let body = json!({"unit": "new", "lists": two_lists(4)});
    let told = client.post("/v1/experiments/e/impressions", body).expect_status(200);
    assert_eq!(told["shown"].as_array().unwrap().len(), 3);
}

/// A store as the builds between write it: snapshots with all units in one row. Made by `drive` with sixty impressions of twelve users.
#[test]
fn a_store_of_format_3_is_served() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store-3.db");
    let mut server = Server::stopped();
    std::fs::copy(fixture, server.store()).unwrap();
    let (text, error) = texts(&server.command(&["migrate"]));
    let copy = server.folder.path().join("store.db.format-3");
    assert!(text.starts_with(&format!("moved; {} is as the store was", copy.display())), "{text}{error}");
    assert_eq!(texts(&server.command(&["check"])).0, "e: ok, 202 events, 60 impressions\nok\n");
    assert!(texts(&server.command(&["replay"])).0.starts_with("e: 202 events, checksum 61ac9ac47012d1f3\n"));
    server.settings.consent.accept_time = true;
    server.pass(DAY);
    server.run().unwrap();
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!((&status["impressions"]["asked"], &status["clicks"]["taken"]), (&json!(60), &json!(80)));
    server.restart();
    server.client().post("/v1/experiments/e/choose", json!({"unit": "somebody new"})).expect_status(200);
}
