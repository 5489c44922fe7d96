//! Every operation of the store fails in turn: nothing is acknowledged that is not there, and the server goes on.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rankduel_server::store::Operation;
use serde_json::{Value, json};

use crate::support::{Server, click, statuses, two_lists};

fn impression(server: &Server, key: &str) -> crate::support::Answer {
    let body = json!({"unit": key, "key": key, "lists": two_lists(4)});
    server.client().post("/v1/experiments/e/impressions", body)
}

/// The log by the store alone: the number of impressions, and its checksum by folding it again.
fn replayed(server: &Server) -> String {
    String::from_utf8(server.command(&["replay"]).stdout).unwrap().lines().next().unwrap_or_default().to_owned()
}

#[test]
pub(crate) fn an_operation_that_fails_loses_nothing_that_was_acknowledged() {
    for operation in
        [Operation::Open, Operation::Begin, Operation::Insert, Operation::Commit, Operation::Committed, Operation::Read]
    {
        let server = Server::start();
        server.experiment("e", json!({}));
        let first = impression(&server, "before").expect_status(200);
        // A failure of `Open` needs another one before it: files are opened only after another operation failed.
        if operation == Operation::Open {
            server.faults.fail(Operation::Commit, 1);
            impression(&server, "commit").problem(503);
        }
        server.faults.fail(operation, 1);
        let failed = impression(&server, "failing");
        if operation == Operation::Open {
            // Opened again before any request; the failure waits for the next one.
            server.faults.stop();
            failed.expect_status(200);
        } else {
            let problem = failed.problem(503);
            assert!(problem["detail"].as_str().unwrap().contains("could not be written"), "{problem}");
            assert_eq!(server.faults.failed.load(Ordering::SeqCst), 1, "{operation:?}");
        }
        // The same request again: once in the log, whether or not the first one was committed.
        let told = impression(&server, "failing").expect_status(200);
        assert_eq!(impression(&server, "failing").expect_status(200), told);
        assert_eq!(impression(&server, "before").expect_status(200), first);
        let event = click(&told["id"], told["shown"][0].as_str().unwrap());
        server.faults.fail(operation, if operation == Operation::Open { 0 } else { 1 });
        let answer = server.client().post("/v1/events", event.clone());
        if operation != Operation::Open {
            answer.problem(503);
        }
        let again = statuses(&server.client().post("/v1/events", event).expect_status(200));
        let is_there = matches!(operation, Operation::Committed | Operation::Open);
        assert_eq!(again, [if is_there { "duplicate" } else { "taken" }], "{operation:?}");
        let status = server.client().get("/v1/experiments/e").expect_status(200);
        assert_eq!(status["impressions"]["asked"], 2, "{operation:?}");
        assert_eq!(status["clicks"]["taken"], 1, "{operation:?}");
        let log = server.log("e");
        assert_eq!(replayed(&server), format!("e: {} events, checksum {}", log.0, log.1), "{operation:?}");
    }
}

#[test]
fn while_the_store_is_broken_nothing_is_acknowledged() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    impression(&server, "a").expect_status(200);
    let log = server.log("e");
    server.faults.fail(Operation::Open, u64::MAX);
    // Nothing is opened while all is well.
    impression(&server, "b").expect_status(200);
    server.faults.fail(Operation::Commit, 1);
    impression(&server, "c").problem(503);
    for operation in [Operation::Begin, Operation::Insert, Operation::Commit, Operation::Read] {
        server.faults.fail(operation, u64::MAX);
        impression(&server, "c").problem(503);
        server.client().post("/v1/experiments", json!({"name": "other", "rankers": ["a", "b"]})).problem(503);
        server.client().get("/v1/experiments/e");
        assert_eq!(server.client().get("/health").status, 200);
    }
    server.faults.fail(Operation::Open, u64::MAX);
    server.client().get("/ready").problem(503);
    server.faults.stop();
    impression(&server, "c").expect_status(200);
    assert_eq!(server.client().get("/ready").body, "ready\n");
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["impressions"]["asked"], 3);
    assert!(server.log("e").0 > log.0);
    server.client().get("/v1/experiments/other").problem(404);
    let metrics = server.client().get("/metrics").body;
    let failures: u64 =
        metrics.lines().find_map(|line| line.strip_prefix("rankduel_commit_failures_total ")).unwrap().parse().unwrap();
    assert!(failures >= 5, "{failures}");
    server.restart();
    assert_eq!(server.client().get("/v1/experiments/e").expect_status(200)["impressions"]["asked"], 3);
}

#[test]
pub(crate) fn a_kill_that_cannot_be_written_holds_and_is_written_as_soon_as_possible() {
    let mut server = Server::start();
    server.experiment("e", json!({"champion": "new"}));
    server.faults.fail(Operation::Commit, u64::MAX);
    let why = json!({"why": "the lists are empty"});
    let problem = server.client().post("/v1/experiments/e/kill", why).problem(503);
    assert!(problem["detail"].as_str().unwrap().starts_with("everybody gets the champion"), "{problem}");
    assert_eq!(impression(&server, "a").expect_status(200)["why"], "killed");
    // Readers get an answer from memory, or none while the store is broken.
    server.faults.stop();
    let status = || server.client().get("/v1/experiments/e").expect_status(200);
    let is_written = |status: &Value| status["state"] == "killed" && status["kill_pending"] == false;
    let mut seen = status();
    assert!(seen["kill_pending"] == true || is_written(&seen), "{seen}");
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(50));
        seen = status();
        if is_written(&seen) {
            break;
        }
    }
    assert!(is_written(&seen), "{seen}");
    let change = seen["changes"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&change["what"], &change["who"], &change["why"]),
        (&json!("killed"), &json!("local"), &json!("the lists are empty"))
    );
    server.restart();
    assert_eq!(impression(&server, "a").expect_status(200)["why"], "killed");
    server.client().post("/v1/experiments/e/resume", json!({})).expect_status(200);
    assert_eq!(impression(&server, "a").expect_status(200)["credited"], true);
}

#[test]
fn a_probe_fails_from_the_first_failure_to_the_next_success() {
    let server = Server::start();
    server.experiment("e", json!({}));
    assert_eq!(server.client().get("/ready").status, 200);
    server.faults.fail(Operation::Commit, u64::MAX);
    impression(&server, "a").problem(503);
    server.client().get("/ready").problem(503);
    // The probe writes, and that it can shows that all is well again.
    server.faults.stop();
    assert_eq!(server.client().get("/ready").status, 200);
    // A probe alone sees that the disk fails.
    server.faults.fail(Operation::Commit, u64::MAX);
    let failed = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        server.client().get("/ready").status == 503
    });
    assert!(failed);
}

#[test]
fn who_waits_too_long_gets_the_champion_and_the_impression_is_closed() {
    let server = Server::start_with(|settings| settings.decision_timeout = Duration::from_secs(1));
    server.experiment("e", json!({"champion": "old"}));
    // Another process has the store for longer than that.
    let other = rusqlite::Connection::open(server.store()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = json!({"unit": "a", "lists": two_lists(4)});
    let told = server.client().post("/v1/experiments/e/impressions", body.clone()).expect_status(200);
    assert_eq!(told, json!({"shown": ["o1", "o2", "o3"], "credited": false, "why": "late"}));
    other.execute_batch("ROLLBACK").unwrap();
    // The writer committed the late impression; it is closed before anything else.
    let told = server.client().post("/v1/experiments/e/impressions", body).expect_status(200);
    assert_eq!(told["credited"], true);
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    let count = |what: &str| status["impressions"][what].as_u64().unwrap();
    assert_eq!((count("asked") - count("answered-late"), count("open")), (1, 1), "{status}");
}

/// The fates of impressions: asked for, answered late, open.
fn fates(server: &Server) -> [u64; 3] {
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    ["asked", "answered-late", "open"].map(|what| status["impressions"][what].as_u64().unwrap())
}

#[test]
pub(crate) fn what_is_committed_after_its_answer_was_given_is_closed() {
    let server = Server::start_with(|settings| settings.decision_timeout = Duration::from_secs(1));
    server.experiment("e", json!({}));
    let chosen = server.client().post("/v1/experiments/e/choose", json!({"unit": "b"})).expect_status(200);
    // Three rows are written for an impression: its unit, its documents, its event. Without any, nothing takes longer.
    server.faults.delay(Operation::Insert, Duration::from_millis(600));
    let body = json!({"unit": "a", "key": "k", "lists": two_lists(4)});
    let told = server.client().post("/v1/experiments/e/impressions", body.clone()).expect_status(200);
    assert_eq!((&told["why"], told.get("id")), (&json!("late"), None));
    let path = format!("/v1/impressions/{}/lists", chosen["id"].as_str().unwrap());
    let told = server.client().put(&path, json!({"lists": two_lists(4)})).expect_status(200);
    assert_eq!((&told["why"], told.get("id")), (&json!("late"), None));
    // Clicks wait for longer.
    let event = click(&chosen["id"], "o1");
    assert_ne!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["taken"]);
    server.faults.stop();
    assert_eq!(fates(&server), [2, 2, 0]);
    // The key was answered.
    server.client().post("/v1/experiments/e/impressions", body).problem(410);
}

#[test]
pub(crate) fn lists_of_a_killed_experiment_are_not_missing() {
    let server = Server::start();
    server.experiment("e", json!({"champion": "new"}));
    let chosen = server.client().post("/v1/experiments/e/choose", json!({"unit": "b"})).expect_status(200);
    server.client().post("/v1/experiments/e/kill", json!({})).expect_status(200);
    let path = format!("/v1/impressions/{}/lists", chosen["id"].as_str().unwrap());
    let told = server.client().put(&path, json!({"lists": two_lists(4)})).expect_status(200);
    assert_eq!(told, json!({"shown": ["n1", "n2", "n3"], "credited": false, "why": "killed"}));
    assert_eq!(fates(&server), [1, 1, 0]);
}

#[test]
pub(crate) fn who_goes_away_during_the_commit_finds_a_keyed_impression_open() {
    use std::io::Write as _;

    let server = Server::start();
    server.experiment("e", json!({}));
    server.faults.delay(Operation::Insert, Duration::from_millis(600));
    let leave = |body: &serde_json::Value| {
        let body = body.to_string();
        let mut stream = server.client().connect();
        let head = "POST /v1/experiments/e/impressions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
        stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        std::thread::sleep(Duration::from_secs(1));
        drop(stream);
        std::thread::sleep(Duration::from_secs(2));
    };
    let keyed = json!({"unit": "a", "key": "k", "lists": two_lists(4)});
    leave(&keyed);
    leave(&json!({"unit": "b", "lists": two_lists(4)}));
    server.faults.stop();
    // The other one cannot be asked for again.
    assert_eq!(fates(&server), [2, 1, 1]);
    let told = server.client().post("/v1/experiments/e/impressions", keyed).expect_status(200);
    assert_eq!((&told["credited"], fates(&server)), (&json!(true), [2, 1, 1]));
}

#[test]
fn who_goes_away_and_asks_again_finds_the_impression_open() {
    use std::io::Write as _;

    let server = Server::start();
    server.experiment("e", json!({}));
    let other = rusqlite::Connection::open(server.store()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = json!({"unit": "a", "key": "k", "lists": two_lists(4)}).to_string();
    let mut stream = server.client().connect();
    let head = format!(
        "POST /v1/experiments/e/impressions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    drop(stream);
    std::thread::sleep(Duration::from_millis(200));
    other.execute_batch("ROLLBACK").unwrap();
    let told: Value = server.client().send("POST", "/v1/experiments/e/impressions", Some(&body)).expect_status(200);
    assert_eq!(told["credited"], true);
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!((&status["impressions"]["asked"], &status["impressions"]["answered-late"]), (&json!(1), &json!(0)));
}
