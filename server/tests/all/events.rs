//! Events in all their forms.

use serde_json::{Value, json};

use crate::support::{DAY, Server, click, statuses, two_lists};

fn impression(server: &Server) -> Value {
    let body = json!({"unit": "anna", "lists": two_lists(3)});
    server.client().post("/v1/experiments/e/impressions", body).expect_status(200)
}

#[test]
fn one_event_an_array_and_lines_are_read() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let told = impression(&server);
    let event = |at: usize| click(&told["id"], told["shown"][at].as_str().unwrap());
    let send = |kind: &str, body: String| {
        let client = server.client().with("Content-Type", kind);
        statuses(&client.send("POST", "/v1/events", Some(&body)).expect_status(200))
    };
    assert_eq!(send("application/json", event(0).to_string()), ["taken"]);
    assert_eq!(
        send("application/json; charset=utf-8", json!([event(0), event(1)]).to_string()),
        ["duplicate", "taken"]
    );
    let lines = format!("{}\n\n{}\nnonsense\n", event(1), event(2));
    assert_eq!(send("application/x-ndjson", lines.clone()), ["duplicate", "taken", "malformed"]);
    assert_eq!(send("text/plain;charset=UTF-8", lines), ["duplicate", "duplicate", "malformed"]);
    assert_eq!(send("text/plain", event(2).to_string()), ["duplicate"]);
    assert_eq!(send("text/plain", json!([event(2)]).to_string()), ["duplicate"]);
    for kind in ["text/html", "application/x-www-form-urlencoded", "multipart/form-data"] {
        server.client().with("Content-Type", kind).send("POST", "/v1/events", Some("{}")).problem(415);
    }
    for body in ["", "[]", "not JSON"] {
        server.client().send("POST", "/v1/events", Some(body)).problem(400);
    }
}

#[test]
fn an_event_that_is_wrong_stops_no_other() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let told = impression(&server);
    let good = click(&told["id"], told["shown"][0].as_str().unwrap());
    let with = |path: &str, value: Value| {
        let mut event = good.clone();
        *event.pointer_mut(path).unwrap() = value;
        event
    };
    let events = json!([
        with("/action_name", json!("hover")),
        with("/action_name", json!(3)),
        with("/query_id", json!("nonsense")),
        with("/query_id", json!(null)),
        with("/event_attributes", json!({})),
        with("/event_attributes", json!({"position": {"ordinal": 0}})),
        with("/event_attributes", json!({"position": {"ordinal": 1.5}})),
        with("/event_attributes/object/object_id", json!(7)),
        "text",
        good,
        with("/action_name", json!("click_through")),
    ]);
    let answer = server.client().post("/v1/events", events).expect_status(200);
    let expected = [
        "ignored",
        "malformed",
        "unknown",
        "malformed",
        "malformed",
        "malformed",
        "malformed",
        "malformed",
        "malformed",
        "taken",
        "duplicate",
    ];
    assert_eq!(statuses(&answer), expected);
    assert!(
        answer["results"][5]["why"].as_str().unwrap().starts_with("event_attributes.position.ordinal: found 0"),
        "{answer}"
    );
}

#[test]
fn a_request_has_at_most_ten_thousand_events() {
    let server = Server::start();
    let lines = |many: usize| "1\n".repeat(many);
    let send =
        |kind: &str, body: String| server.client().with("Content-Type", kind).send("POST", "/v1/events", Some(&body));
    assert_eq!(statuses(&send("application/x-ndjson", lines(10_000)).expect_status(200)).len(), 10_000);
    send("application/x-ndjson", lines(10_001)).problem(413);
    send("text/plain", lines(10_001)).problem(413);
    send("application/json", json!(vec![1; 10_001]).to_string()).problem(413);
}

#[test]
fn ids_expire() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let told = impression(&server);
    let event = click(&told["id"], told["shown"][0].as_str().unwrap());
    server.pass(3 * DAY);
    let answer = server.client().post("/v1/events", event).expect_status(200);
    assert_eq!(
        (statuses(&answer), &answer["results"][0]["why"]),
        (vec!["late".to_owned()], &json!("the id has expired"))
    );
    let close = format!("/v1/impressions/{}/close", told["id"].as_str().unwrap());
    server.client().send("POST", &close, None).problem(410);
}
