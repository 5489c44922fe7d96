//! Segments over HTTP: labels of impressions, a verdict for each, and who harms one.

use serde_json::{Value, json};

use crate::support::{Client, DAY, Server, texts};

fn lists() -> Value {
    let list = |name: &str| (0..5).map(|n| format!("{name}-{n}")).collect::<Vec<_>>();
    json!({"old": list("o"), "new": list("n")})
}

/// Users who search once. One in four is on a phone and prefers documents of `old`; all others prefer documents of `new`.
fn day(client: &Client, users: std::ops::Range<u32>) {
    for user in users {
        let label = match user % 8 {
            0 | 4 => json!("mobile"),
            1 | 2 => json!("desktop"),
            3 => json!("tablet"),
            5 => Value::Null,
            _ => json!("desktop"),
        };
        let liked = if label == "mobile" { "o-" } else { "n-" };
        let body = json!({"unit": format!("user-{user}"), "segment": label, "lists": lists()});
        let page = client.post("/v1/experiments/e/impressions", body).expect_status(200);
        let shown = page["shown"].as_array().unwrap();
        let of = shown.iter().filter_map(Value::as_str).find(|document| document.starts_with(liked)).unwrap();
        if user % 10 < 8 {
            let click = json!({"action_name": "click", "query_id": page["id"], "event_attributes": {"object": {"object_id": of}}});
            client.post("/v1/events", click).expect_status(200);
        }
    }
}

#[test]
pub(crate) fn a_harmed_segment_is_named_before_the_winner_is_shipped() {
    let mut server = Server::start();
    server.experiment("e", json!({"segments": ["mobile", "desktop"], "shown": 10}));
    let client = server.client();
    let status = |client: &Client| client.get("/v1/experiments/e").expect_status(200);
    let before = status(&client);
    let empty = |name: &str| json!({"name": name, "units": 0, "pairs": [], "winner": null});
    assert_eq!(before["segments"], json!({"each": [empty("mobile"), empty("desktop")], "other": 0, "harms": []}));
    day(&client, 0..160);
    // Another label of a unit that was here changes nothing.
    let again = json!({"unit": "user-0", "segment": "desktop", "lists": lists()});
    client.post("/v1/experiments/e/impressions", again).expect_status(200);
    server.pass(DAY);
    let found = status(&client);
    let segments = &found["segments"];
    let units = |place: usize| segments["each"][place]["units"].as_u64().unwrap();
    // A tablet is none of the settings.
    assert_eq!((units(0), units(1), &segments["other"]), (40, 80, &json!(40)), "{segments}");
    assert_eq!(segments["each"][0]["winner"], "old");
    assert_eq!(segments["each"][1]["winner"], "new");
    let harm = &segments["harms"][0];
    assert_eq!(
        (&harm["ranker"], &harm["segments"], &harm["most"]),
        (&json!("new"), &json!(["mobile"]), &json!("mobile"))
    );
    assert_eq!(harm["sentence"], "new harms mobile: there, old wins.");
    assert_eq!((&found["winner"], &found["action"]), (&json!("new"), &json!("check")));
    assert_eq!(found["advice"], "Look at what new shows to mobile before you ship it.");
    let page = client.get("/e/e").body;
    for text in ["<h2>Segments</h2>", "new harms mobile: there, old wins.", "harmed: ", "40 units in no segment"] {
        assert!(page.contains(text), "{text}");
    }
    // The same after a restart, and the export has the segment of each unit, also of its later page.
    server.restart();
    let client = server.client();
    assert_eq!(status(&client)["segments"], found["segments"]);
    let (text, error) = texts(&server.command(&["check"]));
    assert!(text.ends_with("\nok\n"), "{text}{error}");
    let export = server.folder.path().join("export");
    assert!(server.command(&["export", "e", export.to_str().unwrap()]).status.success());
    let impressions = std::fs::read_to_string(export.join("impressions.jsonl")).unwrap();
    let of = |label: &str| impressions.matches(&format!("\"segment\":\"{label}\"")).count();
    assert_eq!((of("mobile"), of("desktop"), impressions.lines().count()), (41, 80, 161));
}

#[test]
pub(crate) fn labels_are_read_where_an_experiment_has_none_too() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let client = server.client();
    for label in [json!("mobile"), json!(7), Value::Null] {
        let body = json!({"unit": "u", "segment": label, "lists": lists()});
        client.post("/v1/experiments/e/impressions", body).expect_status(200);
        client.post("/v1/experiments/e/choose", json!({"unit": "v", "segment": label})).expect_status(200);
    }
    for label in [json!(""), json!([]), json!("x".repeat(257))] {
        let body = json!({"unit": "u", "segment": label, "lists": lists()});
        let refused = client.post("/v1/experiments/e/impressions", body);
        assert!([400, 422].contains(&refused.status), "{label}: {}", refused.body);
    }
    assert_eq!(client.get("/v1/experiments/e").expect_status(200)["segments"], Value::Null);
    let nine: Vec<String> = (0..9).map(|n| format!("s{n}")).collect();
    let body = json!({"name": "f", "rankers": ["a", "b"], "segments": nine});
    let refused = client.post("/v1/experiments", body).problem(422);
    assert!(refused["detail"].as_str().unwrap().contains("expected at most 8 segments, found 9"), "{refused}");
}
