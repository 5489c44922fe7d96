//! The same tests with the store in PostgreSQL, which runs in a private folder on loopback. Where it is not installed, they are skipped
//! with a message.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rankduel_server::store::{Access, Location, NewEvent, Store, StoreError};
use serde_json::json;

use crate::support::{Server, click, texts, two_lists};

thread_local! {
    /// Whether this thread's tests keep their stores there.
    static IS_MEANT: Cell<bool> = const { Cell::new(false) };
}

/// Ends with this process: when its standard input is closed, the database and its folder go.
struct Cluster {
    bin: PathBuf,
    port: u16,
    _guard: Child,
}

/// In memory where there is room: the server insists that each commit is flushed, and hundreds of tests would wait for a disk. `initdb` refuses
/// root: a test that runs as root does it as `postgres`.
const GUARD: &str = r#"
set -e
bin=$1; port=$2; as=; at=${TMPDIR:-/tmp}
if [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 2000000 ] 2>/dev/null; then at=/dev/shm; fi
folder=$(mktemp -d -p "$at")
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; as='setpriv --reuid=postgres --regid=postgres --clear-groups'; fi
cd /
$as "$bin/initdb" -D "$folder/data" -U rankduel -A trust -E UTF8 --locale=C >/dev/null
$as "$bin/postgres" -D "$folder/data" -c listen_addresses=127.0.0.1 -c port="$port" -c max_connections=300 \
    -c unix_socket_directories="$folder" >"$folder/log" 2>&1 &
database=$!
read -r _ || true
kill -INT "$database"; wait "$database" || true
rm -rf "$folder"
"#;

fn bin() -> Option<PathBuf> {
    let has = |folder: &Path| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).exists());
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).filter(|path| has(path)).collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.pop().or_else(|| std::env::split_paths(&path).find(|path| has(path)))
}

fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    let start = || {
        let bin = bin()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port").port();
        let mut guard = Command::new("sh");
        guard.args(["-c", GUARD, "sh"]).arg(&bin).arg(port.to_string()).stdin(Stdio::piped());
        let cluster = Cluster { bin, port, _guard: guard.spawn().expect("a shell") };
        let is_there = (0..300).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            cluster.sql("postgres", "SELECT 1").is_some()
        });
        assert!(is_there, "PostgreSQL does not start");
        Some(cluster)
    };
    CLUSTER.get_or_init(start).as_ref()
}

impl Cluster {
    fn url(&self, name: &str) -> String {
        format!("postgres://rankduel@127.0.0.1:{}/{name}", self.port)
    }

    /// The name of a database of its own.
    fn fresh_name(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("t{}", NUMBER.fetch_add(1, Ordering::SeqCst));
        self.sql("postgres", &format!("CREATE DATABASE {name}")).expect("a database");
        name
    }

    /// The output of a query.
    fn sql(&self, database: &str, text: &str) -> Option<String> {
        let mut psql = Command::new(self.bin.join("psql"));
        let ran =
            psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", &self.url(database), "-c", text]).output();
        let ran = ran.expect("psql");
        ran.status.success().then(|| String::from_utf8(ran.stdout).expect("UTF-8").trim().to_owned())
    }
}

/// A database of its own, if this thread's stores should be in one.
pub(crate) fn fresh() -> Option<Location> {
    if !IS_MEANT.get() {
        return None;
    }
    let cluster = cluster()?;
    Some(cluster.url(&cluster.fresh_name()).as_str().into())
}

/// Carries out a test with stores in PostgreSQL.
pub(crate) fn there(test: impl FnOnce()) {
    if cluster().is_none() {
        eprintln!("skipped: PostgreSQL is not installed");
        return;
    }
    IS_MEANT.set(true);
    test();
}

/// The output of a query on the database of a server.
pub(crate) fn asked(server: &Server, text: &str) -> String {
    let url = server.settings.store.to_string();
    let name = url.rsplit('/').next().expect("a name");
    cluster().expect("a cluster").sql(name, text).expect("an answer")
}

/// Whether something becomes true within some seconds.
pub(crate) fn soon(mut holds: impl FnMut() -> bool) -> bool {
    (0..100).any(|_| {
        let found = holds();
        if !found {
            std::thread::sleep(Duration::from_millis(100));
        }
        found
    })
}

#[test]
fn a_store_moves_to_a_database_and_back_byte_for_byte() {
    let file = Server::start();
    file.experiment("e", json!({}));
    file.experiment("gone", json!({}));
    file.experiment("orders", json!({"outcomes": {"order": "number"}, "outcome_days": 2}));
    for unit in 0..30 {
        let body = json!({"unit": format!("u{unit}"), "key": format!("k{unit}"), "query": "q", "lists": two_lists(4)});
        for name in ["e", "orders"] {
            let told =
                file.client().post(&format!("/v1/experiments/{name}/impressions"), body.clone()).expect_status(200);
            let document = told["shown"][0].as_str().unwrap();
            file.client().post("/v1/events", click(&told["id"], document)).expect_status(200);
            file.pass(crate::support::MINUTE / 60);
            let order = json!({"action_name": "order", "unit": format!("u{unit}"), "order_id": "o1",
                "event_attributes": {"object": {"object_id": document}}});
            file.client().post("/v1/events", order).expect_status(200);
        }
    }
    let mut file = file;
    file.stop();
    file.key(&["admin", "--label", "mine"]);
    let before = texts(&file.command(&["replay"])).0;
    there(|| {
        let there = Server::stopped();
        let path = file.store().to_str().unwrap();
        let moved = there.command(&["import", path]);
        assert!(moved.status.success(), "{moved:?}");
        assert_eq!(texts(&there.command(&["replay"])).0, before);
        let checked = there.command(&["check"]);
        assert!(checked.status.success(), "{checked:?}");
        assert_eq!(asked(&there, "SELECT count(*) FROM rankduel.keys"), "1");
        let again = there.command(&["import", path]);
        assert!(texts(&again).1.contains("experiments or keys already"), "{again:?}");
        // And back, into a file that a server opens.
        let back = file.folder.path().join("back.db");
        let url = there.settings.store.to_string();
        let moved = crate::support::command(&["import", &url], Some(&back));
        assert!(moved.status.success(), "{moved:?}");
        for table in ["events_1", "shown_1", "units_1", "marks_1", "events_3", "converted_3", "units_3"] {
            let rows = |path: &Path| -> Vec<Vec<rusqlite::types::Value>> {
                let file = rusqlite::Connection::open(path).unwrap();
                let mut query = file.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
                let width = query.column_count();
                let rows = query.query_map([], |row| (0..width).map(|at| row.get(at)).collect()).unwrap();
                rows.map(|row| row.unwrap()).collect()
            };
            assert_eq!(rows(&back), rows(file.store()), "{table}");
            assert!(!rows(&back).is_empty(), "{table}");
        }
        let mut server = Server::stopped();
        server.settings.store = back.into();
        server.run().expect("a server");
        drop(server);
    });
}

#[test]
fn a_change_of_a_row_is_found() {
    there(|| {
        let mut server = Server::start();
        server.experiment("e", json!({}));
        server.experiment("other", json!({}));
        for unit in 0..5 {
            let body =
                json!({"unit": format!("u{unit}"), "key": format!("k{unit}"), "query": "q", "lists": two_lists(4)});
            server.client().post("/v1/experiments/e/impressions", body).expect_status(200);
        }
        server.stop();
        assert!(server.command(&["check"]).status.success());
        let changes = [
            ("events", "body = set_byte(body, 1, get_byte(body, 1) # 1)", "n = 3"),
            ("events", "kind = 4", "n = 3"),
            ("shown", "ids = replace(ids, 'o1', 'o2')", "impression = 2"),
            ("units", "number = 9", "number = 2"),
            ("marks", "query = query + 1", "impression = 2"),
            ("heads", "n = n + 1", "experiment = 1"),
        ];
        for (table, change, which) in changes {
            let copy = asked(&server, &format!("CREATE TABLE rankduel.kept AS SELECT * FROM rankduel.{table}"));
            assert_eq!(copy, "");
            asked(&server, &format!("UPDATE rankduel.{table} SET {change} WHERE {which} AND experiment = 1"));
            let checked = server.command(&["check"]);
            assert_eq!(checked.status.code(), Some(1), "{table}: {checked:?}");
            assert!(texts(&checked).0.contains("other: ok"), "{checked:?}");
            asked(
                &server,
                &format!(
                    "DELETE FROM rankduel.{table}; INSERT INTO rankduel.{table} SELECT * FROM rankduel.kept; DROP TABLE rankduel.kept"
                ),
            );
            assert!(server.command(&["check"]).status.success(), "{table}");
        }
    });
}

#[test]
fn commands_that_need_a_file_say_what_to_do() {
    there(|| {
        let server = Server::start();
        let told = |arguments: &[&str]| texts(&server.command(arguments)).1;
        assert!(told(&["backup", "copy.db"]).contains("pg_dump"), "{}", told(&["backup", "copy.db"]));
        assert!(told(&["migrate"]).contains("when it is served"));
        let elsewhere = Server::stopped();
        assert!(texts(&elsewhere.command(&["keys", "list"])).1.contains("has no store"));
        let refused = texts(&elsewhere.command(&["serve", "--listen", "127.0.0.1:0"])).1;
        assert!(refused.contains("pass --create"), "{refused}");
        asked(
            &elsewhere,
            "ALTER DATABASE CURRENT_NAME SET synchronous_commit = off"
                .replace("CURRENT_NAME", elsewhere.settings.store.to_string().rsplit('/').next().unwrap())
                .as_str(),
        );
        let refused = texts(&elsewhere.command(&["serve", "--create", "--listen", "127.0.0.1:0"])).1;
        assert!(refused.contains("synchronous_commit is off"), "{refused}");
    });
}

#[test]
fn keys_that_are_revoked_do_not_work_a_second_later() {
    there(|| {
        let server = Server::start();
        let key = server.key(&["admin"]);
        let works = |key: &str| server.with_key(key).get("/v1/experiments").status;
        let becomes = |status: u16| {
            (0..30).any(|_| {
                std::thread::sleep(Duration::from_millis(50));
                works(&key) == status
            })
        };
        assert!(becomes(200));
        assert!(server.command(&["keys", "revoke", "1"]).status.success());
        assert!(becomes(401));
    });
}

#[test]
fn nothing_is_written_without_the_epoch_of_today() {
    there(|| {
        let server = Server::start();
        server.experiment("e", json!({}));
        let before = asked(&server, "SELECT count(*) FROM rankduel.events");
        let store = Store::open(&server.settings.store, Access::Serve).unwrap();
        store.begin().unwrap();
        store.insert_event(&NewEvent { experiment: 1, n: 3, kind: 12, impression: None, body: &[1] }).unwrap();
        assert_eq!(store.commit(&[1].into()), Err(StoreError::Fenced));
        let store = Store::open(&server.settings.store, Access::Serve).unwrap();
        store.lead(7);
        // Answers without an event are not given either.
        store.begin().unwrap();
        assert_eq!(store.commit(&[1].into()), Err(StoreError::Fenced));
        store.begin().unwrap();
        store.forget_marks(1, 1).unwrap();
        assert_eq!(store.commit(&[1].into()), Err(StoreError::Fenced));
        // Nor is a number left out.
        let store = Store::open(&server.settings.store, Access::Serve).unwrap();
        store.lead(1);
        store.begin().unwrap();
        store.insert_event(&NewEvent { experiment: 1, n: 9, kind: 12, impression: None, body: &[1] }).unwrap();
        assert_eq!(store.commit(&[1].into()), Err(StoreError::Fenced));
        assert_eq!(asked(&server, "SELECT count(*) FROM rankduel.events"), before);
        drop(store);
        server.client().get("/v1/experiments/e").expect_status(200);
    });
}

/// With the feature `tls`, a database with a certificate that is good for its name, and no other.
#[cfg(feature = "tls")]
#[test]
fn connections_may_be_encrypted() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(cluster) = cluster() else {
        eprintln!("skipped: PostgreSQL is not installed");
        return;
    };
    let folder = tempfile::TempDir::new().unwrap();
    let (key, certificate) = (folder.path().join("key.pem"), folder.path().join("certificate.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        eprintln!("skipped: openssl is not installed");
        return;
    }
    let data = cluster.sql("postgres", "SHOW data_directory").unwrap();
    let write = |name: &str, path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        cluster
            .sql(
                "postgres",
                &format!("COPY (SELECT regexp_split_to_table('{}', '\\n')) TO '{data}/{name}'", text.trim()),
            )
            .unwrap();
        let file = PathBuf::from(format!("{data}/{name}"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))
            .expect("rights that the database wants");
    };
    write("server.key", &key);
    write("server.crt", &certificate);
    cluster.sql("postgres", "ALTER SYSTEM SET ssl = on").unwrap();
    cluster.sql("postgres", "SELECT pg_reload_conf()").unwrap();
    let name = cluster.fresh_name();
    assert!(soon(|| cluster.sql("postgres", "SHOW ssl").as_deref() == Some("on")));
    let url =
        |host: &str, more: &str| format!("postgres://rankduel@{host}:{}/{name}?sslmode=require{more}", cluster.port);
    let trusted = format!("&sslrootcert={}", certificate.display());
    let run =
        |store: &str| texts(&crate::support::command(&["keys", "add", "admin", "--create"], Some(Path::new(store))));
    let (out, error) = run(&url("localhost", &trusted));
    assert!(out.starts_with("rankduel_"), "{error}");
    // Its issuer is not trusted, or the name is another one.
    for wrong in [url("localhost", ""), url("127.0.0.1", &trusted)] {
        let (out, error) = run(&wrong);
        assert!(out.is_empty() && error.contains("certificate"), "{wrong}: {error}");
    }
}

#[test]
fn tables_of_an_earlier_version_are_moved_by_a_server() {
    there(|| {
        let mut server = Server::start();
        server.experiment("e", json!({}));
        let log = server.log("e");
        server.stop();
        asked(
            &server,
            "DROP TABLE rankduel.sign_ins, rankduel.messages, rankduel.messages_known, rankduel.messages_since;
             UPDATE rankduel.meta SET value = '\\x00000001' WHERE name = 'tables'",
        );
        let refused = texts(&server.command(&["check"])).1;
        assert!(refused.contains("tables of version 1, and this build reads version 2; serve it"), "{refused}");
        server.run().expect("a server");
        assert_eq!(server.log("e").0, log.0 + 1, "it has started once more");
        assert!(server.command(&["check"]).status.success());
        asked(&server, "UPDATE rankduel.meta SET value = '\\x00000003' WHERE name = 'tables'");
        let refused = texts(&server.command(&["check"])).1;
        assert!(refused.contains("use the rankduel-server that made them"), "{refused}");
    });
}

#[test]
fn a_step_of_the_upkeep_may_fail() {
    there(|| crate::years::upkeep_may_fail([2]));
}

#[test]
#[ignore = "half a minute: all steps in PostgreSQL"]
fn steps_of_the_upkeep_may_fail_at_full_size() {
    there(|| crate::years::upkeep_may_fail(0..6));
}

macro_rules! there {
    ($($module:ident: $($test:ident),+;)+) => {
        $(mod $module {
            $(#[test]
            fn $test() {
                super::there(|| _ = crate::$module::$test());
            })+
        })+
    };
}

there! {
    broken: clicks_of_one_side_that_are_lost_come_before_the_verdict, clicks_that_do_not_count_are_in_the_status, clicks_on_advertisements_are_no_fault, hostile_events_leave_a_verdict_trusted, an_end_with_open_pages_says_until_when_they_count;
    events: one_event_an_array_and_lines_are_read, an_event_that_is_wrong_stops_no_other, an_array_loses_only_the_events_that_are_wrong, a_place_without_a_document_is_refused, numbers_are_ids_by_their_digits, a_byte_order_mark_is_no_fault_of_any_body, a_request_has_at_most_ten_thousand_events, ids_expire;
    export: credit_of_the_export_counts_as_the_server_does, names_survive_the_script_of_the_export, exports_that_cannot_be_are_refused, judgements_are_read_by_boards;
    failures: an_operation_that_fails_loses_nothing_that_was_acknowledged, a_kill_that_cannot_be_written_holds_and_is_written_as_soon_as_possible, what_is_committed_after_its_answer_was_given_is_closed, lists_of_a_killed_experiment_are_not_missing, who_goes_away_during_the_commit_finds_a_keyed_impression_open;
    impressions: lists_are_mixed_and_clicks_taken_once, a_reload_and_a_repeated_request_get_the_same, rankers_are_chosen_first_and_lists_follow, pages_follow_each_other_and_what_was_displayed_counts, judges_are_asked_and_answer_once, who_does_not_count_gets_the_champion, a_unit_keeps_its_rankers;
    judging: two_judges_answer_skip_and_undo, a_note_is_kept_with_its_answer, a_page_names_nobody_and_loads_nothing, strangers_and_strange_forms_change_nothing, other_programs_may_use_the_session;
    limits: bodies_have_limits, many_large_bodies_at_a_time_wait_for_each_other, hostile_names_are_only_names, slow_clients_are_cut_off_and_others_served, connections_beyond_the_limit_are_told_so, an_address_has_a_rate, settings_that_are_wrong_are_named;
    outcomes: each_order_has_its_fate, nobody_invents_orders_without_a_key, a_start_loses_no_order;
    random: any_calls_in_any_order_leave_a_log_that_folds;
    restart: a_server_goes_on_where_its_log_ends, downtime_closes_nothing_early, a_clock_that_is_far_away_is_asked_about, a_clock_that_was_ahead_for_hours_is_said_to_stand_still, windows_close_by_themselves;
    schedules: an_experiment_ends_at_its_date, a_successor_begins_when_the_other_is_over, both_happen_or_none, what_comes_first_must_be_there, a_row_stays_in_its_order;
    security: every_call_needs_its_role, ids_are_permissions_of_their_impression_alone, pages_of_listed_origins_may_call, beacons_of_listed_origins_may_send_cookies_and_nothing_else_may, checks_are_answered_without_a_host, every_answer_has_headers_that_protect, changes_of_keys_reach_a_running_server;
    segments: a_harmed_segment_is_named_before_the_winner_is_shipped, labels_are_read_where_an_experiment_has_none_too;
    shares: a_share_is_raised_and_never_lowered, a_ramp_moves_on_by_itself, lanes_of_a_layer_do_not_overlap;
    shipping: everybody_gets_what_was_shipped, what_the_store_did_not_take_is_not_shipped, a_form_of_the_page_ships, choices_until_then_are_those_of_the_simulation;
    years: experiments_are_listed_a_hundred_at_a_time, a_start_answers_from_its_first_moment, units_of_closed_days_are_not_in_memory;
}
