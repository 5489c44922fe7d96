//! The command line.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rankduel_server::store::{Access, NewEvent, Store};
use rusqlite::Connection;
use serde_json::json;

use crate::support::{Server, command, program, texts, two_lists};

fn with_traffic() -> Server {
    let server = Server::start();
    server.experiment("e", json!({}));
    for unit in 0..5 {
        server
            .client()
            .post(
                "/v1/experiments/e/impressions",
                json!({"unit": unit.to_string(), "query": "q", "lists": two_lists(3)}),
            )
            .expect_status(200);
    }
    server
}

#[test]
fn wrong_usage_is_2_and_failures_are_1() {
    let folder = tempfile::TempDir::new().unwrap();
    let missing = folder.path().join("missing.db");
    let text = folder.path().join("text.db");
    std::fs::write(
        &text,
        "this is not a store, and it is longer than a hundred bytes, which is where the head of a SQLite file ends",
    )
    .unwrap();
    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let code = |arguments: &[&str], store| {
        let output = command(arguments, store);
        let (_, error) = texts(&output);
        assert_eq!(error.trim_end().lines().filter(|line| line.starts_with("error")).count(), 1, "{error}");
        (output.status.code().unwrap(), error)
    };
    for wrong in [
        vec![],
        vec!["serv"],
        vec!["serve", "--port", "1"],
        vec!["keys", "add", "root"],
        vec!["keys", "revoke", "x"],
        vec!["serve", "--listen", "nowhere"],
    ] {
        let output = command(&wrong, Some(&missing));
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(code(&["serve"], None).0, 2);
    assert_eq!(code(&["serve", "--origins", "*"], Some(&missing)).0, 2);
    for arguments in [
        &["check"][..],
        &["replay"],
        &["backup", "x"],
        &["keys", "list"],
        &["keys", "revoke", "1"],
        &["export", "e", "x"],
    ] {
        let (status, error) = code(arguments, Some(&missing));
        assert!(status == 1 && error.contains("there is no store"), "{arguments:?}: {error}");
        for other in [&text, &foreign] {
            let (status, error) = code(arguments, Some(other));
            assert!(status == 1 && error.contains("is not a store of rankduel-server"), "{arguments:?}: {error}");
        }
    }
    let (status, error) = code(&["serve", "--listen", "127.0.0.1:0"], Some(&foreign));
    assert!(status == 1 && error.contains("is not a store"), "{error}");
    assert!(!missing.exists());
}

#[test]
fn a_store_of_another_format_is_refused() {
    let mut server = with_traffic();
    server.stop();
    Connection::open(server.store()).unwrap().execute_batch("PRAGMA user_version = 7").unwrap();
    let (_, error) = texts(&server.command(&["check"]));
    assert!(error.contains("has the format 7, and this build reads 4"), "{error}");
    assert!(server.run().is_err_and(|error| error.to_string().contains("format 7")));
}

#[test]
fn the_configuration_comes_from_flags_then_the_environment_then_a_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("server.toml");
    std::fs::write(&file, "store = \"file.db\"\nlisten = \"127.0.0.1:1\"\nconnections = 7\nlog_format = \"json\"\n")
        .unwrap();
    let printed = |environment: &[(&str, &str)], flags: &[&str]| {
        let mut command = Command::new(program());
        command.env_clear().envs(environment.iter().copied()).args(["serve", "--print-config"]).args(flags);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        texts(&output).0
    };
    let config = file.to_str().unwrap();
    let all = printed(
        &[("RANKDUEL_CONFIG", config), ("RANKDUEL_LISTEN", "127.0.0.1:2"), ("RANKDUEL_CONNECTIONS", "8")],
        &["--connections", "9"],
    );
    for line in [
        "store = \"file.db\"",
        "listen = \"127.0.0.1:2\"",
        "connections = 9",
        "log_format = \"json\"",
        "decision_timeout = \"250ms\"",
        "origins = []",
    ] {
        assert!(all.lines().any(|found| found == line), "{line} in {all}");
    }
    // The output is a valid configuration.
    std::fs::write(&file, &all).unwrap();
    assert_eq!(printed(&[], &["--config", config]), all);
    std::fs::write(&file, "stor = \"x\"\n").unwrap();
    let output = Command::new(program()).env_clear().args(["serve", "--config", config]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(texts(&output).1.contains("server.toml:1: unknown field `stor`"), "{output:?}");
}

#[test]
fn keys_are_made_listed_and_revoked() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let key = server.key(&["serve", "--label", "the shop", "--experiment", "e", "--expires", "90d"]);
    assert!(key.starts_with("rankduel_") && key.len() == 9 + 43, "{key}");
    let (list, _) = texts(&server.command(&["keys", "list"]));
    let cells: Vec<&str> = list.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!((&cells[..4], cells[5], cells[7]), (&["1", "serve", "e", "the shop"][..], "-", "-"), "{list}");
    assert!(cells[4].starts_with("20") && cells[6].starts_with("20") && cells[4] < cells[6], "{list}");
    let typo = server.command(&["keys", "add", "read", "--experiment", "f"]);
    assert_eq!(typo.status.code(), Some(2));
    assert!(texts(&typo).1.contains("--experiment \"f\": the store has no such experiment; it has e"), "{typo:?}");
    assert!(server.command(&["keys", "revoke", "1"]).status.success());
    assert_eq!(server.command(&["keys", "revoke", "1"]).status.code(), Some(1));
    assert_eq!(server.command(&["keys", "add", "read", "--label", "a\nb"]).status.code(), Some(2));
    assert_eq!(server.command(&["keys", "add", "read", "--experiment", "No Name"]).status.code(), Some(2));
}

#[test]
fn a_backup_is_a_store() {
    let mut server = with_traffic();
    let to = server.folder.path().join("backup.db");
    let path = to.to_str().unwrap().to_owned();
    assert!(server.command(&["backup", &path]).status.success());
    let (_, error) = texts(&server.command(&["backup", &path]));
    assert!(error.contains("it exists"), "{error}");
    server.client().post("/v1/experiments/e/choose", json!({"unit": "later"})).expect_status(200);
    let log = server.log("e");
    server.stop();
    server.settings.store = to.into();
    let (text, _) = texts(&server.command(&["check"]));
    assert_eq!(text, format!("e: ok, {} events, 5 impressions\nok\n", log.0 - 1));
    server.run().unwrap();
    server.client().post("/v1/experiments/e/choose", json!({"unit": "later"})).expect_status(200);
    let mode: String =
        Connection::open(server.store()).unwrap().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

/// Archives of backups are often mounted so that nothing can be written.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_store_is_checked_where_nothing_can_be_written() {
    let mut server = with_traffic();
    let archive = server.folder.path().join("archive, 100% #1?");
    std::fs::create_dir(&archive).unwrap();
    // As root every folder can be written, so it is mounted for one command.
    let run = |store: &str, arguments: &[&str]| {
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" || exit 77; exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).arg(&archive).arg(program());
        command.args(arguments).env("RANKDUEL_STORE", archive.join(store)).output()
    };
    let events = server.log("e").0;
    let copy = |from: &Path, to: &str| std::fs::copy(from, archive.join(to)).unwrap();
    // While it is served, the newest changes are in the log beside it.
    copy(server.store(), "half.db");
    copy(&server.store().with_extension("db-wal"), "half.db-wal");
    assert!(server.command(&["backup", archive.join("backup.db").to_str().unwrap()]).status.success());
    server.stop();
    copy(server.store(), "stopped.db");
    match run("backup.db", &["check"]) {
        Ok(output) if output.status.code() != Some(77) && !texts(&output).1.starts_with("unshare") => {}
        skipped => return eprintln!("skipped: nothing can be mounted here: {skipped:?}"),
    }
    let elsewhere = server.folder.path().join("again.db").to_str().unwrap().to_owned();
    for store in ["backup.db", "stopped.db"] {
        let (text, error) = texts(&run(store, &["check"]).unwrap());
        assert_eq!((text, error), (format!("e: ok, {events} events, 5 impressions\nok\n"), String::new()), "{store}");
        let (_, error) = texts(&run(store, &["keys", "add", "read"]).unwrap());
        assert_eq!(error, "error: the store: the file or its folder cannot be written\n", "{store}");
    }
    assert!(run("stopped.db", &["backup", &elsewhere]).unwrap().status.success());
    let output = run("half.db", &["check"]).unwrap();
    let (text, error) = texts(&output);
    assert_eq!((output.status.code(), text.as_str()), (Some(1), ""));
    assert!(error.contains("half.db-wal has changes that") && error.contains("rankduel-server backup"), "{error}");
    assert!(std::fs::read_dir(&archive).unwrap().count() == 4, "nothing is left there");
}

#[test]
fn check_finds_what_was_changed() {
    let sums = "its checksum is another";
    for (change, place, what) in [
        ("DELETE FROM events_1 WHERE n = 3", "event 3", "the next number is 4"),
        ("UPDATE events_1 SET body = x'00' WHERE n = 3", "event 3", sums),
        ("UPDATE events_1 SET kind = 5 WHERE n = 3", "event 3", sums),
        ("UPDATE events_1 SET impression = 9 WHERE n = 3", "event 3", sums),
        ("UPDATE events_1 SET body = (SELECT body FROM events_1 WHERE n = 1) WHERE n = 3", "event 3", sums),
        ("DELETE FROM events_1", "experiment \"e\"", "has no events"),
        ("UPDATE shown_1 SET ids = '[]' WHERE impression = 2", "the documents of impression 2", sums),
        ("UPDATE shown_1 SET ids = NULL WHERE impression = 2", "the documents of impression 2", sums),
        ("UPDATE units_1 SET number = number + 1", "its units", sums),
        ("UPDATE units_1 SET hash = x'00' WHERE number = 2", "its units", sums),
        ("UPDATE marks_1 SET query = 7, key = 7, request = 7, time = 7", "the marks of its impressions", sums),
    ] {
        let mut server = with_traffic();
        server.stop();
        assert!(server.command(&["check"]).status.success());
        Connection::open(server.store()).unwrap().execute_batch(change).unwrap();
        let output = server.command(&["check"]);
        let (text, error) = texts(&output);
        assert_eq!((output.status.code(), error.as_str()), (Some(1), ""), "{change}: {text}");
        assert!(text.contains(place) && text.contains(what), "{change}: {text}");
    }
}

#[test]
fn a_large_store_is_checked_in_one_pass() {
    let server = with_traffic();
    let store = Store::open(server.store(), Access::Change).unwrap();
    store.begin().unwrap();
    for impression in 1_000..101_000 {
        let body = [0];
        store
            .insert_event(&NewEvent {
                experiment: 1,
                n: impression,
                kind: 4,
                impression: Some(impression),
                body: &body,
            })
            .unwrap();
        store.insert_shown(1, impression, &["a".to_owned()], None).unwrap();
    }
    store.commit(&std::collections::BTreeSet::new()).unwrap();
    let started = std::time::Instant::now();
    assert_eq!(Store::open(server.store(), Access::Read).unwrap().problems().unwrap(), []);
    // Row by row it would be the square of this: minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn serve_says_where_stops_on_a_signal_and_logs_no_secret() {
    let server = Server::stopped();
    let key = server.key(&["admin"]);
    let mut child = Command::new(program())
        .env_clear()
        .env("RANKDUEL_STORE", server.store())
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "trace", "--log-format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("serving http://").expect("where").to_owned();
    let send = |path: &str, body: &str| {
        use std::io::{Read as _, Write as _};
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\nConnection: close\r\n"
        );
        stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    assert!(send("/v1/experiments", "{\"name\": \"e\", \"rankers\": [\"a\", \"b\"]}").starts_with("HTTP/1.1 201 "));
    let body = json!({"unit": "unit-x", "query": "query-x", "key": "key-x", "lists": {"a": ["document-x"], "b": []}});
    assert!(send("/v1/experiments/e/impressions", &body.to_string()).starts_with("HTTP/1.1 200 "));
    assert!(send("/v1/impressions/secret-x/close", "").starts_with("HTTP/1.1 404 "));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let (_, log) = texts(&output);
    assert!(output.status.success(), "{log}");
    assert!(log.contains("\"path\":\"/v1/experiments/{experiment}/impressions\""), "{log}");
    assert!(log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{log}");
    for secret in [key.as_str(), "unit-x", "query-x", "key-x", "document-x", "secret-x"] {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
    // Nothing is left in the write-ahead log.
    assert_eq!(Store::open(server.store(), Access::Read).unwrap().experiments().unwrap().len(), 1);
}
