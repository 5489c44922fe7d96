//! Other processes change the files of a store: a server that could lose acknowledged events stops, and readers stop nothing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rankduel_server::running::StartError;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{Server, command, texts, two_lists};

fn ask(server: &Server, unit: &str) -> crate::support::Answer {
    let body = json!({"unit": unit, "key": unit, "lists": two_lists(4)});
    server.client().post("/v1/experiments/e/impressions", body)
}

fn beside(server: &Server, ending: &str) -> PathBuf {
    format!("{}{ending}", server.store().display()).into()
}

fn refusal(server: &mut Server) -> String {
    match server.run() {
        Err(error @ StartError::Load(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_second_name_of_the_store_has_the_same_lock() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let link = server.folder.path().join("hard.db");
    fs::hard_link(server.store(), &link).unwrap();
    let output = command(&["serve", "--listen", "127.0.0.1:0"], Some(&link));
    assert!(texts(&output).1.contains("is in use by another rankduel-server"), "{output:?}");
    // Nor does it help to remove the file beside it.
    fs::remove_file(beside(&server, ".lock")).unwrap();
    let output = server.command(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(texts(&output).1.contains("is in use by another rankduel-server"), "{output:?}");
}

/// Each of these is noticed within a tick, and nothing is acknowledged from then on.
#[test]
fn a_store_that_is_taken_away_stops_the_server() {
    type Change = fn(&Server);
    let changes: [(Change, &str); 4] = [
        (|server| fs::rename(server.store(), beside(server, ".elsewhere")).unwrap(), "was moved or removed"),
        (
            |server| {
                fs::rename(server.store(), beside(server, ".elsewhere")).unwrap();
                fs::copy(beside(server, ".elsewhere"), server.store()).unwrap();
            },
            "was replaced by another file",
        ),
        (
            |server| fs::OpenOptions::new().write(true).open(server.store()).unwrap().set_len(4096).unwrap(),
            "was cut from",
        ),
        (|server| fs::remove_file(beside(server, "-wal")).unwrap(), "-wal was moved, removed or replaced"),
    ];
    for (change, what) in changes {
        let mut server = Server::start();
        server.experiment("e", json!({}));
        ask(&server, "anna").expect_status(200);
        // The content of the file itself can be cut.
        server.restart();
        ask(&server, "bert").expect_status(200);
        change(&server);
        let ended = server.ended_by_itself(Duration::from_secs(10)).unwrap_or_else(|| panic!("{what}: it serves on"));
        assert!(ended.contains(what), "{ended}");
        ask(&server, "carl").problem(503);
        server.client().get("/ready").problem(503);
    }
}

#[test]
fn a_store_that_is_not_there_is_not_made_unasked() {
    let mut server = Server::stopped();
    server.settings.consent.create = false;
    let error = refusal(&mut server);
    assert!(error.contains("is missing or empty") && error.contains("--create"), "{error}");
    assert!(!server.store().exists());
    server.settings.consent.create = true;
    server.run().unwrap();
    server.experiment("e", json!({}));
    server.stop();
    server.settings.consent.create = false;
    server.run().unwrap();
    server.stop();
    // Cut to nothing, it looks like a new one.
    fs::write(server.store(), "").unwrap();
    assert!(refusal(&mut server).contains("is missing or empty"));
}

#[test]
fn a_new_store_has_a_key_unless_that_is_not_wanted() {
    let mut server = Server::stopped();
    server.settings.consent.no_keys = false;
    server.run().unwrap();
    let key = server.first_key().expect("a key");
    server.client().get("/v1/experiments").problem(401);
    server.with_key(&key).get("/v1/experiments").expect_status(200);
    server.restart();
    assert_eq!(server.first_key(), None);
}

/// A lost write-ahead log, or an older copy, is reported before numbers are given out again.
#[test]
fn a_store_that_lacks_what_was_acknowledged_is_refused() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    let copy = server.folder.path().join("copy.db");
    assert!(server.command(&["backup", copy.to_str().unwrap()]).status.success());
    (0..7).for_each(|unit| drop(ask(&server, &unit.to_string()).expect_status(200)));
    server.stop();
    fs::copy(&copy, server.store()).unwrap();
    let error = refusal(&mut server);
    assert!(error.contains("lacks 7 events that were acknowledged") && error.contains("--accept-loss"), "{error}");
    server.settings.consent.accept_loss = true;
    server.run().unwrap();
    ask(&server, "anna").expect_status(200);
    server.settings.consent.accept_loss = false;
    server.restart();
}

/// A reader that takes minutes: a backup, an export with a stalled receiver, a shell.
#[test]
fn readers_hold_up_no_page_no_start_and_no_recovery() {
    let mut server = Server::start_with(|settings| settings.decision_timeout = Duration::from_secs(2));
    server.experiment("e", json!({}));
    ask(&server, "anna").expect_status(200);
    let reader = Connection::open(server.store()).unwrap();
    let count = |reader: &Connection| {
        reader.query_row("SELECT count(*) FROM events_1", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    reader.execute_batch("BEGIN").unwrap();
    let before = count(&reader);
    ask(&server, "bert").expect_status(200);
    // A deletion: pages are not late for it, and its answer states that copies stay.
    let client = server.client();
    let deleting =
        std::thread::spawn(move || client.post("/v1/units/delete", json!({"unit": "anna"})).expect_status(200));
    let until = Instant::now() + Duration::from_secs(3);
    let mut asked = 0;
    while Instant::now() < until {
        let page: Value = ask(&server, &format!("u{asked}")).expect_status(200);
        assert_eq!(page["credited"], true, "{page}");
        asked += 1;
    }
    // A server that waits for the reader takes five seconds for one.
    assert!(asked > 3, "{asked}");
    let deleted = deleting.join().unwrap();
    assert_eq!((&deleted["deleted"], &deleted["erased"]), (&json!(true), &json!(false)), "{deleted}");
    // A failed commit: the store is read again, with the reader there. The upkeep after a deletion may meet the fault, so it stays until a
    // page meets it.
    server.faults.fail(rankduel_server::store::Operation::Commit, u64::MAX);
    ask(&server, "x").problem(503);
    server.faults.stop();
    ask(&server, "x").expect_status(200);
    // A start.
    server.restart();
    ask(&server, "y").expect_status(200);
    assert_eq!(count(&reader), before);
    reader.execute_batch("ROLLBACK").unwrap();
    let deleted = server.client().post("/v1/units/delete", json!({"unit": "bert"})).expect_status(200);
    assert_eq!(deleted, json!({"deleted": true, "impressions": 1, "erased": true}));
}

#[test]
fn what_has_secrets_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let server = Server::start();
    server.experiment("e", json!({}));
    let copy = server.folder.path().join("copy.db");
    assert!(server.command(&["backup", copy.to_str().unwrap()]).status.success());
    for path in [server.store().to_owned(), beside(&server, "-wal"), beside(&server, ".lock"), copy] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
}
