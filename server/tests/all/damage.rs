//! A damaged experiment is not served, is reported, and stops no other.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{Server, click, statuses, texts, two_lists};

fn ask(server: &Server, name: &str, unit: &str) -> Value {
    let body = json!({"unit": unit, "query": "q", "lists": two_lists(4)});
    server.client().post(&format!("/v1/experiments/{name}/impressions"), body).expect_status(200)
}

/// Two experiments with traffic, `broken` and `whole`.
fn served() -> Server {
    let server = Server::start();
    for name in ["broken", "whole"] {
        server.experiment(name, json!({"champion": "new"}));
        for unit in ["anna", "bert", "carl"] {
            let told = ask(&server, name, unit);
            server.client().post("/v1/events", click(&told["id"], told["shown"][0].as_str().unwrap()));
        }
    }
    server
}

/// Changes the file while no server runs.
fn change(server: &Server, sql: &str) {
    Connection::open(server.store()).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn one_damaged_event_stops_no_other_experiment() {
    let mut server = served();
    let old = ask(&server, "broken", "dora");
    server.client().post("/v1/experiments/broken/pause", json!({})).expect_status(200);
    server.stop();
    change(&server, "UPDATE events_1 SET body = x'0301' WHERE n = 4");
    server.run().unwrap();
    let told = ask(&server, "broken", "anna");
    assert_eq!(told, json!({"credited": false, "why": "damaged", "shown": ["n1", "n2", "n3"]}));
    assert_eq!(ask(&server, "whole", "dora")["credited"], true);
    let status = server.client().get("/v1/experiments/broken").expect_status(200);
    assert_eq!(
        (&status["state"], &status["standing"], &status["action"]),
        (&json!("damaged"), &json!("damaged"), &json!("restore"))
    );
    let why = "event 4 cannot be used: its checksum is another; restore the store from a backup";
    assert_eq!(status["damage"], why);
    assert_eq!(status["settings"]["champion"], "new");
    let list = server.client().get("/v1/experiments").expect_status(200);
    let states: Vec<&Value> = list["experiments"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["damaged", "running"]);
    for path in ["/e/broken", "/"] {
        let page = server.client().get(path);
        assert_eq!(page.status, 200);
        assert!(page.body.contains("headline alarm") && page.body.contains("event 4 cannot be used"), "{}", page.body);
    }
    // Nothing can be done with it, and everything with the other one.
    for action in ["pause", "resume", "kill", "end"] {
        let problem = server.client().post(&format!("/v1/experiments/broken/{action}"), json!({})).problem(500);
        assert!(problem["detail"].as_str().unwrap().contains(why), "{problem}");
    }
    server.client().get("/v1/experiments/broken/export?what=log").problem(500);
    let again = json!({"name": "broken", "rankers": ["a", "b"]});
    server.client().post("/v1/experiments", again).problem(409);
    let event = click(&old["id"], old["shown"][0].as_str().unwrap());
    assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["unknown"]);
    server.client().post("/v1/experiments/whole/pause", json!({})).expect_status(200);
    assert!(server.client().get("/metrics").body.contains("\nrankduel_damaged_experiments 1\n"));
    // A user is deleted as far as the damage allows.
    let deleted = server.client().post("/v1/units/delete", json!({"unit": "carl"})).expect_status(200);
    assert_eq!(deleted, json!({"deleted": true, "impressions": 2, "erased": true, "damaged": ["broken"]}));
    server.stop();
    let (text, _) = texts(&server.command(&["check"]));
    assert!(text.contains("broken: event 4 cannot be used") && text.contains("whole: ok"), "{text}");
    // In strict mode, the server does not start.
    server.settings.consent.strict = true;
    let error = server.run().expect_err("strict").to_string();
    assert!(error.contains("experiment \"broken\": event 4") && error.contains("--strict"), "{error}");
}

#[test]
fn without_settings_no_list_is_guessed() {
    let mut server = served();
    server.stop();
    change(&server, "UPDATE events_1 SET kind = 7 WHERE n = 1");
    server.run().unwrap();
    let body = json!({"unit": "anna", "lists": two_lists(4)});
    let problem = server.client().post("/v1/experiments/broken/impressions", body).problem(500);
    assert!(problem["detail"].as_str().unwrap().contains("event 1 cannot be used"), "{problem}");
    assert_eq!(server.client().get("/v1/experiments/broken").expect_status(200)["settings"], Value::Null);
    assert_eq!(ask(&server, "whole", "dora")["credited"], true);
}

/// Damage that no start sees is found when the row is read, and the experiment is not served from then on.
#[test]
fn damaged_documents_are_found_at_their_first_read() {
    for sql in [
        "UPDATE shown_1 SET ids = '[\"x1\",\"n1\",\"o1\",\"n2\"]' WHERE impression = 2",
        "DELETE FROM shown_1 WHERE impression = 2",
    ] {
        let mut server = Server::start();
        server.experiment("broken", json!({}));
        server.experiment("whole", json!({}));
        let told: Vec<Value> = ["anna", "bert"].iter().map(|unit| ask(&server, "broken", unit)).collect();
        let other = ask(&server, "whole", "anna");
        server.stop();
        change(&server, sql);
        server.run().unwrap();
        let send =
            |told: &Value| server.client().post("/v1/events", click(&told["id"], told["shown"][0].as_str().unwrap()));
        assert_eq!(statuses(&send(&told[0]).expect_status(200)), ["taken"]);
        send(&told[1]).problem(503);
        let status = server.client().get("/v1/experiments/broken").expect_status(200);
        assert_eq!(status["state"], "damaged", "{sql}");
        assert!(
            status["damage"].as_str().unwrap().starts_with("the documents of impression 2 cannot be used"),
            "{status}"
        );
        assert_eq!(statuses(&send(&told[1]).expect_status(200)), ["unknown"]);
        assert_eq!(statuses(&send(&other).expect_status(200)), ["taken"]);
        // It stays so while the server runs, whatever else fails.
        server.faults.fail(rankduel_server::store::Operation::Commit, 1);
        server.client().post("/v1/experiments/whole/pause", json!({})).problem(503);
        assert_eq!(server.client().get("/v1/experiments/broken").expect_status(200)["state"], "damaged");
    }
}

/// A unit with a lost row would count as a new one.
#[test]
fn damaged_units_are_found_at_the_start() {
    for sql in
        ["UPDATE units_1 SET number = 3 WHERE number = 2", "UPDATE marks_1 SET impression = 7 WHERE impression = 3"]
    {
        let mut server = served();
        server.stop();
        change(&server, sql);
        server.run().unwrap();
        assert_eq!(server.client().get("/v1/experiments/broken").expect_status(200)["state"], "damaged", "{sql}");
        assert_eq!(ask(&server, "whole", "dora")["credited"], true);
    }
}
