//! Experiments with a share of the users, a ramp or a lane, over HTTP.

use serde_json::{Value, json};

use crate::support::{Client, DAY, Server, texts, two_lists};

/// The users in the experiment, by the answers to `choose`.
fn inside(client: &Client, name: &str, users: std::ops::Range<u32>) -> Vec<u32> {
    let path = format!("/v1/experiments/{name}/choose");
    users
        .filter(|user| {
            let answer = client.post(&path, json!({"unit": format!("user-{user}")})).expect_status(200);
            let is_outside = answer["why"] == "outside";
            if is_outside {
                assert_eq!(answer, json!({"credited": false, "why": "outside", "rankers": ["old"]}));
            }
            assert_eq!(is_outside, answer.get("id").is_none(), "{answer}");
            !is_outside
        })
        .collect()
}

fn outside(client: &Client) -> u64 {
    let text = client.get("/metrics").body;
    let line = text.lines().find_map(|line| line.strip_prefix("rankduel_champion_answers_total{why=\"outside\"} "));
    line.expect("the metric").parse().expect("a number")
}

fn status(client: &Client, name: &str) -> Value {
    client.get(&format!("/v1/experiments/{name}")).expect_status(200)
}

fn raise(client: &Client, name: &str, share: f64) -> crate::support::Answer {
    client.post(&format!("/v1/experiments/{name}/share"), json!({"share": share, "why": "no harm"}))
}

#[test]
pub(crate) fn a_share_is_raised_and_never_lowered() {
    let mut server = Server::start();
    let lane = json!({"of": "search", "from": 0.0, "to": 0.5});
    server.experiment("e", json!({"share": 0.3, "lane": lane}));
    let client = server.client();
    let first = inside(&client, "e", 0..300);
    // Three standard errors around 15%.
    assert!((27..=63).contains(&first.len()), "{}", first.len());
    let answer = status(&client, "e");
    assert_eq!(answer["share"], json!({"now": 0.3, "next": null, "raises": []}));
    assert_eq!((&answer["settings"]["share"], &answer["settings"]["lane"]), (&json!(0.3), &lane));
    assert_eq!(answer["impressions"]["asked"], first.len(), "nothing of others is logged");
    assert_eq!(outside(&client), 300 - first.len() as u64);
    // A user outside the experiment who sends lists sees the champion's.
    let user = (0..300).find(|user| !first.contains(user)).unwrap();
    let (lists, log) = (two_lists(4), server.log("e"));
    let body = json!({"unit": format!("user-{user}"), "key": "k", "query": "q", "lists": lists});
    let page = client.post("/v1/experiments/e/impressions", body).expect_status(200);
    assert_eq!(page["shown"], json!(lists["old"].as_array().unwrap()[..3]));
    assert_eq!((&page["why"], &page["credited"], page.get("id")), (&json!("outside"), &json!(false), None));
    assert_eq!(server.log("e"), log);
    // So does a judge without a name, where not all are in.
    server.experiment("d", json!({"ask": "duels", "share": 0.99}));
    let duel = client.post("/v1/experiments/d/duels", json!({})).expect_status(200);
    assert_eq!(duel, json!({"credited": false, "why": "outside", "first": "old", "second": "old"}));
    assert_eq!(outside(&client), 302 - first.len() as u64);
    raise(&client, "d", 1.0).expect_status(200);
    assert!(client.post("/v1/experiments/d/duels", json!({})).expect_status(200)["id"].is_string());

    assert_eq!(raise(&client, "e", 0.6).expect_status(200), json!({"experiment": "e", "share": 0.6}));
    let log = server.log("e");
    let refused = raise(&client, "e", 0.5).problem(409);
    assert_eq!(
        refused["detail"],
        "the share is 0.6 and is only raised, so that units that are in the experiment stay in it; it cannot become 0.5"
    );
    for share in [json!(0), json!(-1), json!(1.01), json!("0.7"), json!(null)] {
        let refused = client.post("/v1/experiments/e/share", json!({"share": share}));
        assert!([400, 422].contains(&refused.status), "{share}: {}", refused.body);
    }
    client.post("/v1/experiments/e/share", json!({})).problem(400);
    assert_eq!(server.log("e"), log);
    let second = inside(&client, "e", 0..300);
    assert!(second.len() > first.len() && first.iter().all(|user| second.contains(user)));
    // Secrets are replaced, the server is killed and starts again: all users stay where they were.
    for secret in ["ids", "hashes"] {
        assert!(server.command(&["keys", "rotate", secret]).status.success());
    }
    server.restart();
    server.pass(40 * DAY);
    server.settings.consent.accept_time = true;
    server.restart();
    let client = server.client();
    assert_eq!(inside(&client, "e", 0..300), second);
    let answer = status(&client, "e");
    let raised = &answer["share"]["raises"][0];
    assert_eq!(
        (&answer["share"]["now"], &raised["share"], &raised["why"]),
        (&json!(0.6), &json!(0.6), &json!("no harm"))
    );
    raise(&client, "e", 1.0).expect_status(200);
    let all = inside(&client, "e", 0..300);
    assert!((124..=176).contains(&all.len()), "half of all: {}", all.len());
    client.post("/v1/experiments/e/end", json!({})).expect_status(200);
    raise(&client, "e", 1.0).problem(409);
    let (text, error) = texts(&server.command(&["check"]));
    assert!(text.ends_with("\nok\n"), "{text}{error}");
    let (text, error) = texts(&server.command(&["replay", "e"]));
    assert!(text.contains("reproduced") && !text.contains("recorded"), "{text}{error}");
}

#[test]
pub(crate) fn a_ramp_moves_on_by_itself() {
    let mut server = Server::start();
    server.experiment("e", json!({"ramp": [[20, "1d"], [50, "1d"], [100]]}));
    let client = server.client();
    let first = inside(&client, "e", 0..200);
    let answer = status(&client, "e");
    assert_eq!(answer["settings"]["ramp"], json!([[20.0, "1d"], [50.0, "1d"], [100.0]]));
    assert_eq!((&answer["share"]["now"], &answer["share"]["next"]["share"]), (&json!(0.2), &json!(0.5)));
    server.pass(DAY);
    let second = inside(&client, "e", 0..200);
    assert!(second.len() > first.len() && first.iter().all(|user| second.contains(user)));
    client.post("/v1/experiments/e/pause", json!({})).expect_status(200);
    server.pass(2 * DAY);
    let answer = status(&client, "e");
    assert_eq!((&answer["share"]["now"], &answer["share"]["next"]["held"]), (&json!(0.5), &json!("state")));
    client.post("/v1/experiments/e/resume", json!({})).expect_status(200);
    server.restart();
    let client = server.client();
    assert_eq!(status(&client, "e")["share"]["now"], 0.5);
    server.pass(DAY);
    let answer = status(&client, "e");
    assert_eq!((&answer["share"]["now"], &answer["share"]["next"]), (&json!(1.0), &json!(null)));
    let who: Vec<&Value> = answer["share"]["raises"].as_array().unwrap().iter().map(|raise| &raise["who"]).collect();
    assert_eq!(who, ["ramp", "ramp"]);
    let lines = client.get("/v1/experiments/e/export?what=log").body;
    assert_eq!(lines.lines().filter(|line| line.contains("raised")).count(), 2, "{lines}");
    let (text, error) = texts(&server.command(&["check"]));
    assert!(text.ends_with("\nok\n"), "{text}{error}");
}

/// A store that was made before there were shares lacks their salt, and gets one, once.
#[test]
fn a_store_of_before_gets_a_salt() {
    let mut server = Server::start();
    server.stop();
    let store = rusqlite::Connection::open(server.store()).unwrap();
    assert_eq!(store.execute("DELETE FROM meta WHERE name = 'places'", ()).unwrap(), 1);
    drop(store);
    server.run().unwrap();
    server.experiment("e", json!({"share": 0.5}));
    let first = inside(&server.client(), "e", 0..100);
    assert!((35..=65).contains(&first.len()), "{}", first.len());
    server.restart();
    assert_eq!(inside(&server.client(), "e", 0..100), first);
}

#[test]
pub(crate) fn lanes_of_a_layer_do_not_overlap() {
    let mut server = Server::start();
    let lane = |of: &str, from: f64, to: f64| json!({"lane": {"of": of, "from": from, "to": to}});
    server.experiment("one", lane("search", 0.0, 0.2));
    server.experiment("two", lane("search", 0.2, 0.5));
    server.experiment("ads", lane("ads", 0.0, 1.0));
    server.experiment("all", json!({}));
    let client = server.client();
    let create = |from: f64, to: f64| {
        let settings =
            json!({"name": "three", "rankers": ["old", "new"], "lane": {"of": "search", "from": from, "to": to}});
        client.post("/v1/experiments", settings)
    };
    let refused = create(0.4, 0.8).problem(409);
    assert_eq!(
        refused["detail"],
        "the lane overlaps that of experiment \"two\", which is from 0.2 to 0.5 of \"search\"; choose another part, or end that experiment"
    );
    create(0.3, 0.2).problem(422);
    // One that is paused may go on.
    client.post("/v1/experiments/two/pause", json!({})).expect_status(200);
    create(0.4, 0.8).problem(409);
    client.post("/v1/experiments/two/resume", json!({})).expect_status(200);
    let (one, two) = (inside(&client, "one", 0..200), inside(&client, "two", 0..200));
    assert!(one.len() > 20 && two.len() > 30 && one.iter().all(|user| !two.contains(user)));
    assert_eq!((inside(&client, "ads", 0..50).len(), inside(&client, "all", 0..50).len()), (50, 50));
    client.post("/v1/experiments/two/end", json!({})).expect_status(200);
    create(0.4, 0.8).expect_status(201);
    server.restart();
    assert_eq!(inside(&server.client(), "one", 0..200), one);
}
