//! The demonstration: its pages, that it is the same each time, and that it leaves nothing.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use rankduel_server::demo::{Demo, NOTICE};
use rankduel_server::settings::Settings;
use serde_json::{Value, json};

use crate::support::{command, program, texts};

/// The first days of a demonstration: what its experiments are afterwards, and the page of one.
fn first_days(seed: u64, days: u32) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut settings = Settings::of(folder.path().join("demo.db"));
    settings.listen = "127.0.0.1:0".parse().expect("an address");
    let mut demo = Demo::start(settings, seed).expect("a demonstration");
    demo.play_past(days, &AtomicBool::new(false)).expect("days");
    let names = ["help-pages", "new-index", "product-search", "product-search-v2", "start-page"];
    let calls = names.iter().map(|name| ("GET", format!("/v1/experiments/{name}"), json!(null))).collect();
    let answers = demo.server().send(calls);
    demo.stop();
    assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[test]
fn the_same_seed_gives_the_same_logs() {
    let [first, again, other] = [1, 1, 2].map(|seed| first_days(seed, 3));
    for (first, again) in first.iter().zip(&again) {
        assert_eq!(first["log"], again["log"], "{first}");
    }
    // The successor has not begun.
    for (first, other) in first.iter().zip(&other).filter(|(first, _)| first["experiment"] != "product-search-v2") {
        assert_ne!(first["log"], other["log"]);
        // Users come, click, and come back; some never see their list.
        assert!(first["clicks"]["taken"].as_u64() > Some(100), "{first}");
        assert!(first["units"]["counted"].as_u64() < first["impressions"]["credited"].as_u64(), "{first}");
        assert_eq!(first["warnings"][0], "All users are simulated.");
    }
    assert!(first[2]["impressions"]["unanswered"].as_u64() > Some(0), "{}", first[2]);
    assert!(first[1]["impressions"]["missing"].as_u64() > Some(10), "{}", first[1]);
}

#[test]
fn it_says_what_it_is_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut demo = Command::new(program());
    demo.args(["demo", "--listen", "127.0.0.1:0"]).env("TMPDIR", folder.path()).stdout(Stdio::piped());
    let mut child = demo.spawn().expect("the program");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), NOTICE);
    assert!(lines.next().expect("a line").expect("text").starts_with("serving http://127.0.0.1:"));
    let left = || std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left(), 1);
    let asked = Command::new("kill").arg(child.id().to_string()).status().expect("kill");
    assert!(asked.success());
    assert!(child.wait().expect("an end").success());
    assert_eq!(left(), 0, "the store is gone");
    // A store that is there is not touched.
    let kept = folder.path().join("kept.db");
    std::fs::write(&kept, "mine").expect("a file");
    let refused = command(&["demo", "--store", kept.to_str().expect("UTF-8")], None);
    assert_eq!(refused.status.code(), Some(2));
    assert!(texts(&refused).1.contains("is there already"), "{refused:?}");
    assert_eq!(std::fs::read(&kept).expect("the file"), b"mine");
}

/// The pages when they open.
#[test]
fn a_winner_is_shipped_and_its_successor_has_few_users() {
    let [_, index, search, successor, start] = &first_days(1, rankduel_server::demo::HISTORY_DAYS)[..] else {
        panic!()
    };
    assert_eq!((&search["state"], &search["standing"]), (&json!("shipped"), &json!("shipped")), "{search}");
    assert_eq!(search["fallback"], search["winner"]);
    assert!(search["headline"].as_str().unwrap().contains(" was shipped on "), "{search}");
    // A ranker that wins, and is not to be shipped because it harms phones.
    assert_eq!((&start["winner"], &start["action"]), (&json!("personal"), &json!("check")), "{start}");
    assert_eq!(start["segments"]["harms"][0]["segments"], json!(["phone"]), "{start}");
    // It began then, in the same lane, and its ramp is on the way.
    let begun = &successor["changes"][1];
    assert_eq!((&begun["what"], &begun["why"]), (&json!("running"), &json!("product-search shipped learned")));
    assert_eq!(begun["time"], search["changes"][0]["time"]);
    assert_eq!(successor["settings"]["lane"], search["settings"]["lane"]);
    let share = &successor["share"];
    assert_eq!((&share["now"], &share["next"]["held"]), (&json!(0.25), &json!(null)), "{share}");
    assert!(share["next"]["left"].as_i64() < Some(8 * 86_400_000), "{share}");
    assert!(successor["impressions"]["credited"].as_u64() > Some(50) && successor["ends"].is_i64(), "{successor}");
    // A guardrail stops the ramp of another one.
    assert_eq!((&index["standing"], &index["share"]["next"]["held"]), (&json!("breached"), &json!("guardrail")));
    // Users of one lane are in no other: each counts in one experiment, and less than all that came.
    assert!(index["impressions"]["asked"].as_u64() < Some(12 * 450 / 2), "{index}");
}
