//! Events in all their forms.

use serde_json::{Value, json};

use crate::support::{DAY, Server, click, statuses, two_lists};

fn impression(server: &Server) -> Value {
    let body = json!({"unit": "anna", "lists": two_lists(3)});
    server.client().post("/v1/experiments/e/impressions", body).expect_status(200)
}

#[test]
pub(crate) fn one_event_an_array_and_lines_are_read() {
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
pub(crate) fn an_event_that_is_wrong_stops_no_other() {
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
        with("/event_attributes/object/object_id", json!(7.0)),
        with("/event_attributes/object/object_id", json!("x".repeat(257))),
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
        "malformed",
        "taken",
        "duplicate",
    ];
    assert_eq!(statuses(&answer), expected);
}

/// Whatever is wrong in an array, its other events count: even items that are not JSON.
#[test]
pub(crate) fn an_array_loses_only_the_events_that_are_wrong() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let told = impression(&server);
    let good = |at: usize| click(&told["id"], told["shown"][at].as_str().unwrap()).to_string();
    let with = |value: &str| good(0).replacen('{', &format!("{{\"x\": {value}, "), 1);
    let [nan, twice, endless, half] = [with("NaN"), with("0, \"x\": 1"), with("1e999"), with("\"\\ud800\"")];
    let body = format!("\u{feff} [{nan}, {},\n{twice}, {endless}, {half}, oops, {}, ]\n", good(1), good(2));
    for kind in ["application/json", "text/plain"] {
        let taken = server.client().with("Content-Type", kind).send("POST", "/v1/events", Some(&body));
        let taken = taken.expect_status(200);
        let is_bad = |at: usize| !matches!(at, 1 | 6);
        for (at, status) in statuses(&taken).iter().enumerate() {
            let expected = if is_bad(at) {
                "malformed"
            } else if kind == "text/plain" {
                "duplicate"
            } else {
                "taken"
            };
            assert_eq!(status, expected, "{at}: {taken}");
        }
        let why = |at: usize| taken["results"][at]["why"].as_str().unwrap();
        assert_eq!(why(0), "the event is not JSON that can be used: line 1, column 7: NaN is not JSON; write null");
        assert!(why(2).contains("the key \"x\" is there twice"), "{taken}");
    }
    // Nothing is taken of a body that does not end as an array.
    let cut = body[..body.len() - 40].to_owned();
    server.client().send("POST", "/v1/events", Some(&cut)).problem(400);
}

/// Pages that count places from 0 would have the document above credited, which is often another ranker's.
#[test]
pub(crate) fn a_place_without_a_document_is_refused() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let told = impression(&server);
    let event =
        |attributes: Value| json!({"action_name": "click", "query_id": told["id"], "event_attributes": attributes});
    let places = [
        event(json!({"position": {"ordinal": 1}})),
        event(json!({"position": 1})),
        event(json!({"ordinal": 1})),
        event(json!({"object": {"position": 1}})),
        event(json!({"object": {"object_id": null}, "position": {"ordinal": 1}})),
        event(json!({})),
    ];
    let expected = "expected the document that was clicked, in event_attributes.object.object_id; a place alone is not enough, \
                    because some pages count places from 0 and others from 1";
    let lines: String = places.iter().map(|event| format!("{event}\n")).collect();
    for (kind, body) in [
        ("application/json", json!(places).to_string()),
        ("text/plain", json!(places).to_string()),
        ("text/plain", lines.clone()),
        ("application/x-ndjson", lines),
    ] {
        let answer =
            server.client().with("Content-Type", kind).send("POST", "/v1/events", Some(&body)).expect_status(200);
        assert_eq!(statuses(&answer), vec!["malformed"; places.len()], "{kind}");
        for result in answer["results"].as_array().unwrap() {
            assert!(result["why"].as_str().unwrap().ends_with(expected), "{result}");
        }
    }
    // If the document is given, the place is ignored, whether it counts from 0 or 1.
    let shown = |at: usize| told["shown"][at].as_str().unwrap();
    let both =
        |at: usize, ordinal: u32| event(json!({"object": {"object_id": shown(at)}, "position": {"ordinal": ordinal}}));
    let answer = server.client().post("/v1/events", json!([both(0, 0), both(1, 2)])).expect_status(200);
    assert_eq!(statuses(&answer), ["taken", "taken"]);
    assert_eq!(server.client().get("/v1/experiments/e").expect_status(200)["clicks"]["taken"], 2);
}

/// Pages with numeric ids send numbers; `click-logs` reads such ids as their digits.
#[test]
pub(crate) fn numbers_are_ids_by_their_digits() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let lists = json!({"old": [11, 12, 13], "new": [{"id": 21, "score": 2.5}, {"id": "22", "score": 1}]});
    let ask = |unit: Value| {
        let body = json!({"unit": unit, "query": "q", "lists": lists});
        server.client().post("/v1/experiments/e/impressions", body).expect_status(200)
    };
    let told = ask(json!(17));
    assert_eq!(told["id"], ask(json!("17"))["id"], "one unit");
    let shown: Vec<i64> =
        told["shown"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().parse().unwrap()).collect();
    let path = format!("/v1/impressions/{}/shown", told["id"].as_str().unwrap());
    let page = json!({"documents": [99, shown[0], shown[1].to_string(), shown[2]], "pinned": [99]});
    assert_eq!(server.client().put(&path, page).expect_status(200), json!({"places": 3}));
    let event = |id: Value| json!({"action_name": "click", "query_id": told["id"], "event_attributes": {"object": {"object_id": id}}});
    let first = shown[0];
    let events = [json!(first), json!(first.to_string()), json!(99), json!(shown[1] as f64), json!(1e30), json!(-1)];
    let answer = server.client().post("/v1/events", events.map(event).into_iter().collect()).expect_status(200);
    assert_eq!(statuses(&answer), ["taken", "duplicate", "not-shown", "malformed", "malformed", "not-shown"]);
    let why = answer["results"][3]["why"].as_str().unwrap();
    assert!(why.ends_with("expected a document as text or a whole number"), "{why}");
    assert_eq!(server.client().post("/v1/units/delete", json!({"unit": 17})).expect_status(200)["impressions"], 1);
}

#[test]
pub(crate) fn a_byte_order_mark_is_no_fault_of_any_body() {
    let server = Server::start();
    let client = server.client();
    let marked = |body: &Value| format!("\u{feff}{body}");
    let settings = json!({"name": "e", "rankers": ["old", "new"], "shown": 3});
    client.send("POST", "/v1/experiments", Some(&marked(&settings))).expect_status(201);
    let body = json!({"unit": "anna", "lists": two_lists(3)});
    let told = client.send("POST", "/v1/experiments/e/impressions", Some(&marked(&body))).expect_status(200);
    let event = click(&told["id"], told["shown"][0].as_str().unwrap());
    for (kind, status) in
        [("application/json", "taken"), ("text/plain", "duplicate"), ("application/x-ndjson", "duplicate")]
    {
        let answer = client.with("Content-Type", kind).send("POST", "/v1/events", Some(&marked(&event)));
        assert_eq!(statuses(&answer.expect_status(200)), [status], "{kind}");
    }
    let body = r#"{"unit": "anna", "lists": {"old": [{"id": "x", "score": NaN}], "new": []}}"#;
    let problem = client.send("POST", "/v1/experiments/e/impressions", Some(body)).problem(400);
    let expected = "the body is not JSON that can be used: line 1, column 57: NaN is not JSON; write null";
    assert_eq!(problem["detail"], expected);
}

#[test]
pub(crate) fn a_request_has_at_most_ten_thousand_events() {
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
pub(crate) fn ids_expire() {
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
