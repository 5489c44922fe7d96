//! A ranker is shipped: all users get its list, through restarts and faults of the store, and every choice until then is the simulation's.

use rankduel_server::store::Operation;
use serde_json::{Value, json};

use crate::support::{Answer, Client, DAY, Server, texts, two_lists};

fn ship(server: &Server, name: &str, ranker: &str) -> Answer {
    server.client().post(&format!("/v1/experiments/{name}/ship"), json!({"ranker": ranker, "why": "it won"}))
}

fn page(server: &Server, lists: Value) -> Value {
    let body = json!({"unit": "anna", "lists": lists});
    server.client().post("/v1/experiments/e/impressions", body).expect_status(200)
}

#[test]
pub(crate) fn everybody_gets_what_was_shipped() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    let lists = two_lists(4);
    let before = page(&server, lists.clone());
    assert_eq!(before["credited"], true);
    let path = "/v1/experiments/e/ship";
    server.client().post(path, json!({})).problem(400);
    let refused = server.client().post(path, json!({"ranker": "newest"})).problem(422);
    assert_eq!(refused["path"], "ranker");
    assert_eq!(refused["expected"], "a ranker of the experiment: \"old\", \"new\"");
    let told = ship(&server, "e", "new").expect_status(200);
    assert_eq!(told, json!({"experiment": "e", "state": "shipped", "ranker": "new"}));
    for round in 0..2 {
        // Its list alone is enough, and the other one is not.
        for lists in [json!({"new": lists["new"]}), lists.clone()] {
            let page = page(&server, lists.clone());
            assert_eq!((&page["credited"], &page["why"]), (&json!(false), &json!("shipped")), "{round}");
            let first: Vec<Value> = lists["new"].as_array().unwrap()[..3].to_vec();
            assert_eq!(page["shown"], json!(first), "{round}");
        }
        let missing = json!({"unit": "anna", "lists": {"old": ["x"]}});
        server.client().post("/v1/experiments/e/impressions", missing).problem(422);
        let chosen = server.client().post("/v1/experiments/e/choose", json!({"unit": "ben"})).expect_status(200);
        assert_eq!(chosen, json!({"credited": false, "why": "shipped", "rankers": ["new"]}));
        for verb in ["pause", "resume", "kill", "end"] {
            let path = format!("/v1/experiments/e/{verb}");
            server.client().post(&path, json!({})).problem(409);
        }
        // The cord was pulled and refused: nothing is killed.
        let status = server.client().get("/v1/experiments/e").expect_status(200);
        assert_eq!(
            (&status["state"], &status["standing"], &status["fallback"]),
            (&json!("shipped"), &json!("shipped"), &json!("new"))
        );
        assert_eq!(
            (&status["changes"][0]["what"], &status["changes"][0]["ranker"]),
            (&json!("shipped"), &json!("new"))
        );
        assert!(ship(&server, "e", "new").problem(409)["detail"].as_str().unwrap().contains("already"));
        server.stop();
        server.pass(DAY);
        server.run().unwrap();
    }
    ship(&server, "e", "old").expect_status(200);
    assert_eq!(page(&server, lists.clone())["shown"][0], lists["old"][0]);
    let (text, error) = texts(&server.command(&["check"]));
    assert!(text.ends_with("\nok\n"), "{text}{error}");
}

#[test]
pub(crate) fn what_the_store_did_not_take_is_not_shipped() {
    let server = Server::start();
    server.experiment("e", json!({}));
    server.faults.fail(Operation::Commit, 1);
    ship(&server, "e", "new").problem(503);
    assert_eq!(page(&server, two_lists(4))["credited"], true);
    ship(&server, "e", "new").expect_status(200);
    assert_eq!(page(&server, two_lists(4))["why"], "shipped");
}

#[test]
pub(crate) fn a_form_of_the_page_ships() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let shown = server.client().get("/e/e").body;
    assert!(shown.contains("Ship…") && shown.contains("<option value=\"new\">new</option>"), "{shown}");
    let token = shown.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let client = server.client().with("Content-Type", "application/x-www-form-urlencoded");
    let press = |client: &Client, ranker: &str| {
        client.send("POST", "/e/e/ship", Some(&format!("token={token}&ranker={ranker}&why=it%20won")))
    };
    assert_eq!(press(&client, "newest").status, 422);
    assert_eq!(press(&client, "new").status, 303);
    let shown = server.client().get("/e/e").body;
    assert!(shown.contains("new was shipped on ") && shown.contains("(it won): everybody gets its list."), "{shown}");
    assert!(shown.contains("shipped new") && shown.contains("Ship another…") && !shown.contains("e/kill"), "{shown}");
}

#[test]
pub(crate) fn choices_until_then_are_those_of_the_simulation() {
    let server = Server::start();
    let url = format!("http://{}", server.address());
    let path = |what: &str| server.folder.path().join(what).to_str().unwrap().to_owned();
    let [expected, chosen] = ["expected", "chosen"].map(path);
    let drive = |more: &[&str]| {
        let all = [
            "drive",
            "--url",
            &url,
            "--dataset",
            "mq2008-lookalike:0.1",
            "--quiet",
            "--create",
            "rucb",
            "--experiment",
            "e",
            "--rankers",
            "4",
            "--impressions",
            "120",
        ];
        let output = crate::support::command(&[&all[..], more].concat(), None);
        assert!(output.status.success(), "{}", texts(&output).1);
    };
    drive(&[]);
    let names = server.client().get("/v1/experiments/e").expect_status(200)["settings"]["rankers"].clone();
    ship(&server, "e", names[2]["name"].as_str().unwrap()).expect_status(200);
    let told = server.client().post("/v1/experiments/e/choose", json!({"unit": "later"})).expect_status(200);
    assert_eq!((&told["why"], &told["rankers"][0]), (&json!("shipped"), &names[2]["name"]));
    drive(&["--expect", &expected]);
    assert!(server.command(&["replay", "e", "--choices", &chosen]).status.success());
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!((read(&expected).lines().count(), read(&expected)), (120, read(&chosen)));
}
