//! Experiments from a file.

use std::process::Output;

use serde_json::json;

use crate::support::{DAY, Server};

fn apply(server: &Server, text: &str, flags: &[&str]) -> Output {
    let path = server.folder.path().join("experiments.toml");
    std::fs::write(&path, text).unwrap();
    let url = format!("http://{}", server.address());
    let path = path.display().to_string();
    let arguments = [&["apply", &path, "--url", &url][..], flags].concat();
    crate::support::command(&arguments, None)
}

#[track_caller]
fn says(output: &Output, code: i32, expected: &str) {
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{error}");
    assert!(format!("{out}{error}").contains(expected), "{out}{error}");
}

const FIRST: &str = "[[experiment]]\nname = 'search'\nrankers = ['old', 'new']\nshare = 0.05\nlane = {of = 'search', from = 0, to = 0.5}\n\n\
                     [[experiment]]\nname = 'home'\nrankers = ['old', 'new']\n";

#[test]
fn a_file_is_applied_once_and_then_nothing_is_left_to_do() {
    let server = Server::start();
    says(&apply(&server, FIRST, &["--dry-run"]), 0, "would make search\nwould make home\n");
    server.client().get("/v1/experiments/search").problem(404);
    says(&apply(&server, FIRST, &[]), 0, "made search\nmade home\n");
    says(&apply(&server, FIRST, &[]), 0, "all 2 experiments are as the file says\n");
    let raised = FIRST.replace("0.05", "0.25").replace("name = 'home'", "name = 'home'\nstate = 'ended'");
    says(&apply(&server, &raised, &["--why", "it went well"]), 0, "raised search to a share of 0.25\nended home\n");
    let status = server.client().get("/v1/experiments/search").expect_status(200);
    assert_eq!(status["share"]["now"], json!(0.25), "{status}");
    assert_eq!(status["share"]["raises"][0]["why"], "it went well");
    says(&apply(&server, &raised, &[]), 0, "all 2 experiments are as the file says\n");
    let shipped = raised.replace("share = 0.25", "share = 0.25\nship = 'new'");
    says(&apply(&server, &shipped, &[]), 0, "shipped new of search\n");
    says(&apply(&server, &shipped, &[]), 0, "all 2 experiments are as the file says\n");
}

#[test]
fn nothing_is_done_if_something_would_change_a_test() {
    let server = Server::start();
    says(&apply(&server, FIRST, &[]), 0, "made search");
    let changed = FIRST.replace("share = 0.05", "share = 0.05\nshown = 5")
        + "\n[[experiment]]\nname = 'third'\nrankers = ['old', 'new']\n";
    let refused = apply(&server, &changed, &[]);
    says(&refused, 1, "nothing was done: search runs as version ");
    says(&refused, 1, "shown is 10 and would be 5); it would be version ");
    server.client().get("/v1/experiments/third").problem(404);
    says(&apply(&server, &FIRST.replace("0.05", "0.01"), &[]), 1, "a share is never lowered");
    says(
        &apply(&server, "[[experiment]]\nname = 'e'\nrankers = ['a', 'b']\nshwon = 5\n", &[]),
        2,
        "unknown field `shwon`",
    );
    says(&apply(&server, "[[experiment]\n", &[]), 2, "experiments.toml:1: ");
    let twice = "[[experiment]]\nname = 'e'\nrankers = ['a', 'b']\n".repeat(2);
    says(&apply(&server, &twice, &[]), 2, "experiment e is there twice");
}

#[test]
fn one_after_the_other() {
    let server = Server::start();
    let file = "[[experiment]]\nname = 'v1'\nrankers = ['old', 'new']\nstate = 'running'\nend_at = 2026-11-27T00:00:00Z\n\n\
                [[experiment]]\nname = 'v2'\nrankers = ['old', 'new']\nstate = 'running'\nbegin_after = 'v1'\n";
    let (first, second) = file.split_once("\n\n").unwrap();
    let refused = apply(&server, &format!("{second}\n{first}"), &[]);
    says(&refused, 1, "nothing was done: v2 begins after v1, which is not there; put v1 before it in the file");
    server.client().get("/v1/experiments/v1").problem(404);
    says(&apply(&server, file, &[]), 0, "made v1\nmade v2\n");
    says(&apply(&server, file, &[]), 0, "all 2 experiments are as the file says\n");
    let changed = apply(&server, &file.replace("2026-11-27", "2026-11-28"), &[]);
    says(&changed, 1, "end_at is \"2026-11-27T00:00:00Z\" and would be \"2026-11-28T00:00:00Z\"");
    // The first ends at its date, and the file stays true.
    server.pass(DAY);
    let status = server.client().get("/v1/experiments/v1").expect_status(200);
    assert_eq!((&status["state"], &status["changes"][0]["who"]), (&json!("ended"), &json!("schedule")));
    says(&apply(&server, file, &[]), 0, "all 2 experiments are as the file says\n");
    let status = server.client().get("/v1/experiments/v2").expect_status(200);
    assert_eq!(status["state"], "running");
}

#[test]
fn a_key_is_needed_where_there_are_keys() {
    let mut server = Server::stopped();
    let key = server.key(&["admin"]);
    server.run().unwrap();
    says(&apply(&server, FIRST, &[]), 1, "key");
    says(&apply(&server, FIRST, &["--key", &key]), 0, "made search\nmade home\n");
}
