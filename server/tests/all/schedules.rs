//! Experiments that end at a date, and that begin when another one is over, over HTTP.

use rankduel_server::store::Operation;
use serde_json::{Value, json};

use crate::support::{Answer, DAY, NOON, Server, texts, two_lists};

fn status(server: &Server, name: &str) -> Value {
    server.client().get(&format!("/v1/experiments/{name}")).expect_status(200)
}

fn press(server: &Server, name: &str, verb: &str) -> Answer {
    server.client().post(&format!("/v1/experiments/{name}/{verb}"), json!({"why": "a test"}))
}

fn create(server: &Server, name: &str, more: &Value) -> Answer {
    let mut settings = json!({"name": name, "rankers": ["old", "new"], "shown": 3});
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.client().post("/v1/experiments", settings)
}

/// The reason why a page gets no mixed list; none if lists are mixed.
fn why_not(server: &Server, name: &str) -> Value {
    let body = json!({"unit": "anna", "lists": two_lists(4)});
    let path = format!("/v1/experiments/{name}/impressions");
    server.client().post(&path, body).expect_status(200)["why"].clone()
}

fn last_change(status: &Value) -> (&str, &str, &str) {
    let last = status["changes"].as_array().unwrap().last().unwrap();
    (last["what"].as_str().unwrap(), last["who"].as_str().unwrap(), last["why"].as_str().unwrap())
}

/// Everything in the store follows from its logs.
fn is_in_order(server: &Server) {
    let (text, error) = texts(&server.command(&["check"]));
    assert!(text.ends_with("\nok\n"), "{text}{error}");
}

/// Two experiments in one lane; the second waits for the first.
fn two(server: &Server, first: &Value) {
    let lane = json!({"of": "search", "from": 0.0, "to": 1.0});
    let mut first = first.clone();
    first["lane"] = lane.clone();
    create(server, "v1", &first).expect_status(201);
    create(server, "v2", &json!({"lane": lane, "begin_after": "v1"})).expect_status(201);
}

#[test]
pub(crate) fn an_experiment_ends_at_its_date() {
    let mut server = Server::start();
    let refused = create(&server, "e", &json!({"end_at": "2026-11-26T12:00:00Z"})).problem(422);
    assert_eq!(
        (refused["path"].as_str().unwrap(), refused["detail"].as_str().unwrap()),
        (
            "end_at",
            "2026-11-26 12:00 UTC has passed, for it is 2026-11-26 12:00 UTC; name a later time, or leave it out"
        )
    );
    create(&server, "e", &json!({"end_at": "next week"})).problem(422);
    create(&server, "e", &json!({"end_at": 1_800_000_000})).problem(400);
    create(&server, "e", &json!({"end_at": "2026-11-28", "timezone": "Europe/Berlin"})).expect_status(201);
    create(&server, "killed", &json!({"end_at": "2026-11-28"})).expect_status(201);
    let told = status(&server, "e");
    let end = NOON + DAY + 11 * DAY / 24;
    assert_eq!((&told["ends"], &told["settings"]["end_at"]), (&json!(end), &json!("2026-11-28")));
    let page = server.client().get("/e/e").body;
    assert!(page.contains("Ends on") && page.contains("00:00 Europe/Berlin, by itself"), "{page}");
    assert_eq!(why_not(&server, "e"), json!(null));
    press(&server, "killed", "kill").expect_status(200);
    assert_eq!(why_not(&server, "killed"), "killed");
    server.pass(end - NOON - 1);
    assert_eq!(why_not(&server, "e"), json!(null));
    server.pass(1);
    assert_eq!(why_not(&server, "e"), "ended");
    let told = status(&server, "e");
    assert_eq!(last_change(&told), ("ended", "schedule", "end_at is 2026-11-28 00:00 Europe/Berlin"));
    assert_eq!(
        (&told["changes"][0]["time"], &told["ends"], &told["state"]),
        (&json!(end), &json!(null), &json!("ended"))
    );
    // One that was killed ends too, and nothing of the kill is left.
    server.pass(DAY);
    assert_eq!(last_change(&status(&server, "killed")).1, "schedule");
    assert_eq!(why_not(&server, "killed"), "ended");
    assert!(!server.client().get("/e/killed").body.contains("Kill pending"));
    // An end by itself is one: it can be followed by a winner alone.
    press(&server, "e", "resume").problem(409);
    let shipped = server.client().post("/v1/experiments/e/ship", json!({"ranker": "new"}));
    shipped.expect_status(200);
    server.restart();
    assert_eq!(status(&server, "e")["state"], "shipped");
    assert!(!server.client().get("/e/e").body.contains("Ends on"));
    is_in_order(&server);
}

#[test]
pub(crate) fn a_successor_begins_when_the_other_is_over() {
    for how in ["date", "hand", "ship"] {
        let mut server = Server::start();
        two(&server, &if how == "date" { json!({"end_at": "2026-11-27"}) } else { json!({}) });
        let told = status(&server, "v2");
        assert_eq!(
            (&told["state"], &told["waits_for"], &told["standing"], &told["action"]),
            (&json!("paused"), &json!("v1"), &json!("not-begun"), &json!("wait"))
        );
        assert_eq!(told["headline"], "Not begun: it waits until v1 is over, and everybody gets old's list until then.");
        let page = server.client().get("/e/v2").body;
        assert!(page.contains("Begins after") && page.contains("begins after v1"), "{page}");
        assert!(page.contains("Lane") && page.contains("0% to 100% of search"), "{page}");
        assert_eq!((why_not(&server, "v1"), why_not(&server, "v2")), (json!(null), json!("paused")));
        // A restart changes nothing.
        server.restart();
        assert_eq!(status(&server, "v2")["waits_for"], "v1");
        // The lane holds both, and nothing else.
        let refused = press(&server, "v2", "resume").problem(409);
        assert_eq!(
            refused["detail"],
            "the experiment has not begun, and its lane overlaps that of experiment \"v1\"; end that one first"
        );
        let third = json!({"lane": {"of": "search", "from": 0.5, "to": 1.0}});
        create(&server, "third", &third).problem(409);
        let mut third = third;
        third["begin_after"] = "v1".into();
        let refused = create(&server, "third", &third).problem(409);
        assert!(refused["detail"].as_str().unwrap().contains("experiment \"v2\""), "{refused}");
        let why = match how {
            "date" => {
                server.pass(DAY / 2);
                // The first request of the other one is enough.
                assert_eq!(why_not(&server, "v1"), "ended");
                "v1 ended"
            }
            "hand" => {
                press(&server, "v1", "end").expect_status(200);
                "v1 ended"
            }
            _ => {
                server.client().post("/v1/experiments/v1/ship", json!({"ranker": "new"})).expect_status(200);
                "v1 shipped new"
            }
        };
        assert_eq!(why_not(&server, "v2"), json!(null), "{how}");
        let told = status(&server, "v2");
        assert_eq!(last_change(&told), ("running", "schedule", why));
        assert_eq!((&told["waits_for"], &told["state"]), (&json!(null), &json!("running")));
        assert!(server.client().get("/e/v2").body.contains("begun"));
        // A pause after that was asked for, and stays.
        press(&server, "v2", "pause").expect_status(200);
        server.restart();
        assert_eq!(status(&server, "v2")["state"], "paused");
        press(&server, "v2", "resume").expect_status(200);
        is_in_order(&server);
        let (text, error) = texts(&server.command(&["replay", "v2"]));
        assert!(text.contains("reproduced") && !text.contains("recorded"), "{text}{error}");
    }
}

/// Changes that the store refuses have not happened, neither the end of one nor the beginning of the other.
#[test]
pub(crate) fn both_happen_or_none() {
    let server = Server::start();
    two(&server, &json!({}));
    server.faults.fail(Operation::Commit, 1);
    press(&server, "v1", "end").problem(503);
    assert_eq!((why_not(&server, "v1"), why_not(&server, "v2")), (json!(null), json!("paused")));
    press(&server, "v1", "end").expect_status(200);
    assert_eq!((why_not(&server, "v1"), why_not(&server, "v2")), (json!("ended"), json!(null)));
}

#[test]
fn a_start_looks_again() {
    // The date of the first comes while no server runs.
    let mut server = Server::start();
    two(&server, &json!({"end_at": "2026-11-27"}));
    server.stop();
    server.pass(DAY);
    server.run().unwrap();
    assert_eq!(last_change(&status(&server, "v1")), ("ended", "schedule", "end_at is 2026-11-27 00:00 UTC"));
    assert_eq!(last_change(&status(&server, "v2")), ("running", "schedule", "v1 ended"));
    // A store that has the end of one, and not yet the beginning of the other.
    server.stop();
    let store = rusqlite::Connection::open(server.store()).unwrap();
    let begun = "SELECT min(n) FROM events_2 WHERE kind = 10 AND n > 3";
    let deleted = store.execute(&format!("DELETE FROM events_2 WHERE n >= ({begun})"), ()).unwrap();
    assert!(deleted > 0);
    drop(store);
    server.settings.consent.accept_loss = true;
    server.run().unwrap();
    assert_eq!(last_change(&status(&server, "v2")), ("running", "schedule", "v1 ended"));
    is_in_order(&server);
}

#[test]
pub(crate) fn what_comes_first_must_be_there() {
    let server = Server::start();
    let refused = create(&server, "v2", &json!({"begin_after": "v1"})).problem(422);
    assert_eq!(
        (refused["path"].as_str().unwrap(), refused["detail"].as_str().unwrap()),
        ("begin_after", "there is no experiment \"v1\"; make it before the one that begins after it")
    );
    create(&server, "v2", &json!({"begin_after": "v2"})).problem(422);
    create(&server, "v2", &json!({"begin_after": "V 1"})).problem(422);
    // Its predecessor is over already: it begins immediately.
    create(&server, "v1", &json!({})).expect_status(201);
    press(&server, "v1", "end").expect_status(200);
    create(&server, "v2", &json!({"begin_after": "v1"})).expect_status(201);
    assert_eq!((why_not(&server, "v2"), last_change(&status(&server, "v2")).2), (json!(null), "v1 ended"));
    // A name is free again after a deletion; the new experiment may come after the one that came after the old.
    let deleted = server.client().send("DELETE", "/v1/experiments/v1", None);
    deleted.expect_status(200);
    create(&server, "v1", &json!({"begin_after": "v2"})).expect_status(201);
    assert_eq!(status(&server, "v1")["waits_for"], "v2");
    press(&server, "v2", "end").expect_status(200);
    assert_eq!(why_not(&server, "v1"), json!(null));
}

/// The second of three is dropped while the first runs: the third still waits for the first.
#[test]
pub(crate) fn a_row_stays_in_its_order() {
    let server = Server::start();
    two(&server, &json!({}));
    let lane = json!({"of": "search", "from": 0.0, "to": 1.0});
    create(&server, "v3", &json!({"lane": lane, "begin_after": "v2"})).expect_status(201);
    assert_eq!(status(&server, "v3")["waits_for"], "v2");
    press(&server, "v2", "end").expect_status(200);
    let third = status(&server, "v3");
    assert_eq!((&third["state"], &third["waits_for"]), (&json!("paused"), &json!("v1")));
    assert!(third["headline"].as_str().unwrap().contains("waits until v1 is over"), "{third}");
    // Also if nothing is left of the second.
    server.client().send("DELETE", "/v1/experiments/v2", None).expect_status(200);
    let third = status(&server, "v3");
    assert_eq!((&third["state"], &third["waits_for"]), (&json!("paused"), &json!("v1")));
    press(&server, "v1", "end").expect_status(200);
    assert_eq!(last_change(&status(&server, "v3")), ("running", "schedule", "v2 was deleted"));
    // One that is killed before it begins stays killed.
    create(&server, "v4", &json!({"begin_after": "v3"})).expect_status(201);
    press(&server, "v4", "kill").expect_status(200);
    press(&server, "v3", "end").expect_status(200);
    assert_eq!((status(&server, "v4")["state"].clone(), why_not(&server, "v4")), (json!("killed"), json!("killed")));
    press(&server, "v4", "resume").expect_status(200);
    is_in_order(&server);
}

/// Something of the first is damaged: the second waits until that is deleted.
#[test]
fn a_damaged_predecessor_is_awaited_until_it_is_deleted() {
    let mut server = Server::start();
    two(&server, &json!({}));
    why_not(&server, "v1");
    server.stop();
    let store = rusqlite::Connection::open(server.store()).unwrap();
    store.execute("UPDATE events_1 SET body = x'00' WHERE n = 3", ()).unwrap();
    drop(store);
    server.run().unwrap();
    assert_eq!(status(&server, "v1")["state"], "damaged");
    let told = status(&server, "v2");
    assert_eq!((&told["state"], &told["waits_for"]), (&json!("paused"), &json!("v1")));
    server.client().send("DELETE", "/v1/experiments/v1", None).expect_status(200);
    assert_eq!(last_change(&status(&server, "v2")), ("running", "schedule", "v1 was deleted"));
    assert_eq!(why_not(&server, "v2"), json!(null));
}
