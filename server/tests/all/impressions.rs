//! Impressions, duels and their pages.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{DAY, MINUTE, Server, click, statuses, two_lists};

fn ask(server: &Server, unit: &str, more: Value) -> Value {
    let mut body = json!({"unit": unit, "lists": two_lists(5)});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.client().post("/v1/experiments/e/impressions", body).expect_status(200)
}

#[test]
pub(crate) fn lists_are_mixed_and_clicks_taken_once() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let told = ask(&server, "anna", json!({}));
    let shown: Vec<&str> = told["shown"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!((shown.len(), &told["credited"]), (3, &json!(true)));
    assert!(shown.iter().any(|id| id.starts_with('o')) && shown.iter().any(|id| id.starts_with('n')), "{shown:?}");
    let events = json!([click(&told["id"], shown[0]), click(&told["id"], shown[0]), click(&told["id"], "elsewhere")]);
    let taken = server.client().post("/v1/events", events).expect_status(200);
    assert_eq!(statuses(&taken), ["taken", "duplicate", "not-shown"]);
    assert_eq!(taken["taken"], 1);
    let id = told["id"].as_str().unwrap();
    let close = format!("/v1/impressions/{id}/close");
    assert_eq!(server.client().send("POST", &close, None).expect_status(200), json!({"closed": true}));
    assert_eq!(server.client().send("POST", &close, None).expect_status(200), json!({"closed": false}));
    let late = server.client().post("/v1/events", click(&told["id"], shown[1])).expect_status(200);
    assert_eq!(statuses(&late), ["late"]);
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!(
        (&status["impressions"]["credited"], &status["clicks"]["taken"], &status["open"]),
        (&json!(1), &json!(1), &json!(0))
    );
}

#[test]
pub(crate) fn a_reload_and_a_repeated_request_get_the_same() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let first = ask(&server, "anna", json!({"query": "shoes"}));
    server.pass(MINUTE);
    assert_eq!(ask(&server, "anna", json!({"query": "shoes"})), first);
    assert_ne!(ask(&server, "anna", json!({"query": "boots"}))["id"], first["id"]);
    assert_ne!(ask(&server, "bert", json!({"query": "shoes"}))["id"], first["id"]);

    // An empty query is none.
    assert_ne!(ask(&server, "anna", json!({"query": ""}))["id"], ask(&server, "anna", json!({"query": ""}))["id"]);

    let keyed = ask(&server, "anna", json!({"key": "k1"}));
    assert_eq!(ask(&server, "anna", json!({"key": "k1"})), keyed);
    let other = json!({"unit": "anna", "key": "k1", "lists": two_lists(4)});
    let problem = server.client().post("/v1/experiments/e/impressions", other).problem(422);
    assert_eq!(problem["path"], "key");
    // The window of half an hour has passed; the key is remembered for an hour.
    server.pass(31 * MINUTE);
    let again = json!({"unit": "anna", "key": "k1", "lists": two_lists(5)});
    server.client().post("/v1/experiments/e/impressions", again).problem(410);
    // A reload after the window is another impression.
    assert_ne!(ask(&server, "anna", json!({"query": "shoes"}))["id"], first["id"]);
}

#[test]
pub(crate) fn rankers_are_chosen_first_and_lists_follow() {
    let server = Server::start();
    server
        .client()
        .post("/v1/experiments", json!({"name": "e", "rankers": ["a", "b", "c"], "policy": "fixed", "shown": 2}))
        .expect_status(201);
    let chosen =
        server.client().post("/v1/experiments/e/choose", json!({"unit": "anna", "key": "k"})).expect_status(200);
    let rankers: Vec<&str> = chosen["rankers"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!((rankers.len(), &chosen["credited"]), (2, &json!(true)));
    let path = format!("/v1/impressions/{}/lists", chosen["id"].as_str().unwrap());
    let event = click(&chosen["id"], "x");
    assert_eq!(statuses(&server.client().post("/v1/events", event).expect_status(200)), ["unknown"]);
    let body = json!({"lists": {rankers[0]: ["x", "y"], rankers[1]: ["z"]}});
    let told = server.client().put(&path, body.clone()).expect_status(200);
    assert_eq!((told["shown"].as_array().unwrap().len(), &told["id"]), (2, &chosen["id"]));
    // The answer may have been lost.
    assert_eq!(server.client().put(&path, body).expect_status(200), told);
    server.client().put(&path, json!({"lists": {rankers[0]: ["y", "x"], rankers[1]: ["z"]}})).problem(409);
    server.client().put(&path, json!({"lists": {rankers[0]: ["other"], rankers[1]: []}})).problem(409);

    let chosen = server.client().post("/v1/experiments/e/choose", json!({"unit": "bert"})).expect_status(200);
    let path = format!("/v1/impressions/{}/lists", chosen["id"].as_str().unwrap());
    let one = chosen["rankers"][0].as_str().unwrap();
    let problem = server.client().put(&path, json!({"lists": {one: ["x"]}})).problem(422);
    assert!(problem["detail"].as_str().unwrap().contains("is missing"), "{problem}");
    server.client().put(&path, json!({"lists": {one: ["x"]}})).problem(410);
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["impressions"]["missing"], 1);
}

#[test]
pub(crate) fn pages_follow_each_other_and_what_was_displayed_counts() {
    let server = Server::start();
    server.experiment("e", json!({"shown": 3, "depth": 8}));
    let told = ask(&server, "anna", json!({}));
    let path = |what: &str| format!("/v1/impressions/{}/{what}", told["id"].as_str().unwrap());
    let second = server.client().post(&path("next"), json!({})).expect_status(200);
    let third = server.client().post(&path("next"), json!({"seen": 6})).expect_status(200);
    assert_eq!(server.client().post(&path("next"), json!({"seen": 6})).expect_status(200), third);
    let beyond = server.client().post(&path("next"), json!({"seen": 8})).expect_status(200);
    assert_eq!((second["shown"].as_array().unwrap().len(), third["shown"].as_array().unwrap().len()), (3, 2));
    assert_eq!(beyond["shown"], json!([]));
    let all: BTreeSet<String> = [&told, &second, &third]
        .iter()
        .flat_map(|page| page["shown"].as_array().unwrap())
        .map(Value::to_string)
        .collect();
    assert_eq!(all.len(), 8);

    let [first, other] = [0, 1].map(|at: usize| told["shown"][at].as_str().unwrap());
    let page = json!({"documents": ["advert", first, other], "pinned": ["advert"]});
    assert_eq!(server.client().put(&path("shown"), page).expect_status(200), json!({"places": 2}));
    let clicks = ["advert", first, "o9"].map(|document| click(&told["id"], document));
    let taken = server.client().post("/v1/events", json!(clicks)).expect_status(200);
    assert_eq!(statuses(&taken), ["not-shown", "taken", "not-shown"]);

    let refused = |page: Value| server.client().put(&path("shown"), page).problem(422)["path"].clone();
    assert_eq!(refused(json!({"documents": ["advert"]})), "documents[0]");
    assert_eq!(refused(json!({"documents": [other, first]})), "documents");
    assert_eq!(refused(json!({"documents": [first], "pinned": ["advert"]})), "pinned[0]");
    server.pass(DAY);
    server.client().post(&path("next"), json!({})).problem(410);
    server.client().put(&path("shown"), json!({"documents": [first]})).problem(410);
}

#[test]
pub(crate) fn judges_are_asked_and_answer_once() {
    let server = Server::start();
    server.experiment("e", json!({"ask": "duels"}));
    let duel = server.client().post("/v1/experiments/e/duels", json!({"unit": "judge", "key": "k"})).expect_status(200);
    assert_eq!(
        server.client().post("/v1/experiments/e/duels", json!({"unit": "judge", "key": "k"})).expect_status(200),
        duel
    );
    let names = BTreeSet::from([duel["first"].as_str().unwrap(), duel["second"].as_str().unwrap()]);
    assert_eq!(names, BTreeSet::from(["old", "new"]));
    let path = format!("/v1/duels/{}", duel["id"].as_str().unwrap());
    assert_eq!(server.client().post(&path, json!({"winner": "third"})).problem(400)["path"], "winner");
    assert_eq!(server.client().post(&path, json!({"winner": "first"})).expect_status(200), json!({"taken": true}));
    assert_eq!(server.client().post(&path, json!({"winner": "first"})).expect_status(200), json!({"taken": false}));
    // Without a unit or a body.
    server.client().send("POST", "/v1/experiments/e/duels", None).expect_status(200);
    server.client().post("/v1/experiments/e/impressions", json!({"unit": "a", "lists": two_lists(1)})).problem(422);
    server.client().post("/v1/experiments/e/choose", json!({"unit": "a"})).problem(422);
    server.experiment("l", json!({}));
    server.client().post("/v1/experiments/l/duels", json!({})).problem(422);
}

#[test]
pub(crate) fn who_does_not_count_gets_the_champion() {
    let server = Server::start_with(|settings| settings.open_impressions = 2);
    server.experiment("e", json!({"champion": "new", "bots": {"agents": ["crawler"], "units": ["monitor"]}}));
    let champion = |why: &str| json!({"shown": ["n1", "n2", "n3"], "credited": false, "why": why});
    assert_eq!(ask(&server, "monitor", json!({})), champion("bot"));
    assert_eq!(ask(&server, "anna", json!({"agent": "NiceCrawler/1.0"})), champion("bot"));
    let post = |what: &str| server.client().post(&format!("/v1/experiments/e/{what}"), json!({"why": "a test"}));
    post("pause").expect_status(200);
    assert_eq!(ask(&server, "anna", json!({})), champion("paused"));
    post("pause").problem(409);
    post("resume").expect_status(200);
    assert_eq!(ask(&server, "anna", json!({}))["credited"], true);
    assert_eq!(ask(&server, "bert", json!({}))["credited"], true);
    assert_eq!(ask(&server, "carl", json!({})), champion("overloaded"));
    assert_eq!(post("kill").expect_status(200), json!({"experiment": "e", "state": "killed"}));
    assert_eq!(ask(&server, "dora", json!({})), champion("killed"));
    let chosen = server.client().post("/v1/experiments/e/choose", json!({"unit": "dora"})).expect_status(200);
    assert_eq!(chosen, json!({"rankers": ["new"], "credited": false, "why": "killed"}));
    post("pause").problem(409);
    post("end").expect_status(200);
    post("resume").problem(409);
    assert_eq!(ask(&server, "dora", json!({}))["why"], "ended");
    let changes = server.client().get("/v1/experiments/e").expect_status(200)["changes"].clone();
    let what: Vec<&str> = changes.as_array().unwrap().iter().map(|change| change["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["paused", "running", "killed", "ended"]);
    assert_eq!((&changes[0]["who"], &changes[0]["why"]), (&json!("local"), &json!("a test")));
}

#[test]
pub(crate) fn a_unit_keeps_its_rankers() {
    let server = Server::start();
    let names: Vec<String> = (0..6).map(|number| format!("r{number}")).collect();
    server.client().post("/v1/experiments", json!({"name": "e", "rankers": names})).expect_status(201);
    let choose = |unit: &str| {
        server.client().post("/v1/experiments/e/choose", json!({"unit": unit})).expect_status(200)["rankers"].clone()
    };
    let first = choose("anna");
    assert!((0..10).all(|_| choose("anna") == first));
    let others: BTreeSet<String> = (0..15).map(|unit| choose(&unit.to_string()).to_string()).collect();
    assert!(others.len() > 5, "{others:?}");
}
