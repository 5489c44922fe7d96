//! Broken pages: warnings before a verdict, and clicks that do not count.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{DAY, MINUTE, NOON, Server, click, statuses, texts};

/// An impression of two lists without a common document; the ids of `new` are in capitals.
fn page(server: &Server, name: &str, unit: usize) -> Value {
    let lists = json!({
        "old": (0..5).map(|n| format!("sku-{n}")).collect::<Vec<_>>(),
        "new": (5..10).map(|n| format!("SKU-{n}")).collect::<Vec<_>>(),
    });
    let body = json!({"unit": format!("u{unit}"), "query": "q", "lists": lists});
    server.client().post(&format!("/v1/experiments/{name}/impressions"), body).expect_status(200)
}

fn status(server: &Server, name: &str) -> Value {
    server.client().get(&format!("/v1/experiments/{name}")).expect_status(200)
}

fn end(server: &Server, name: &str) {
    server.client().post(&format!("/v1/experiments/{name}/end"), json!({"why": "a test"})).expect_status(200);
}

fn warnings(status: &Value) -> Vec<&str> {
    status["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap()).collect()
}

/// Half of all users click the first place, a quarter the second.
fn clicked(found: &Value, unit: usize) -> &str {
    found["shown"][[0, 0, 1, 2][unit % 4]].as_str().unwrap()
}

/// The counts of `click-logs` for exported impressions with these clicks, one for each.
fn faults_of(folder: &Path, documents: &[String]) -> Value {
    let name = |file: &str| folder.join(file).into_os_string();
    let clicks: String = (1..)
        .zip(documents)
        .map(|(number, document)| {
            let click = json!({"impression": format!("e-{number}"), "document": document, "time": NOON + 1_000});
            format!("{click}\n")
        })
        .collect();
    std::fs::write(folder.join("clicks.jsonl"), clicks).unwrap();
    let credit: Vec<OsString> = ["click-logs", "credit", "--final", "--logged=every", "--coin=impression", "--quiet"]
        .map(OsString::from)
        .into_iter()
        .chain(["--rankers=old,new".into(), "--impressions".into(), name("impressions.jsonl")])
        .chain(["--clicks".into(), name("clicks.jsonl"), "--out".into(), name("credited")])
        .collect();
    assert_eq!(click_logs::cli::main_with(credit), 0);
    let decide = ["click-logs".into(), "decide".into(), name("credited"), "--out".into(), name("decided")];
    assert_eq!(click_logs::cli::main_with(decide), 0);
    let decision = std::fs::read_to_string(folder.join("decided/decision.json")).unwrap();
    serde_json::from_str::<Value>(&decision).unwrap()["faults"].clone()
}

/// The page reports the ids of its links, which are in small letters: all clicks on one ranker's documents are lost.
#[test]
pub(crate) fn clicks_of_one_side_that_are_lost_come_before_the_verdict() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let (mut events, mut documents) = (Vec::new(), Vec::new());
    for unit in 0..300 {
        let found = page(&server, "e", unit);
        documents.push(clicked(&found, unit).to_lowercase());
        events.push(click(&found["id"], &documents[unit]));
    }
    let answer = server.client().post("/v1/events", json!(events)).expect_status(200);
    let taken = answer["taken"].as_u64().unwrap();
    assert!((100..200).contains(&taken), "{taken}");
    server.pass(31 * MINUTE);
    end(&server, "e");
    let found = status(&server, "e");
    let lost = 300 - taken;
    assert_eq!(
        found["clicks"],
        json!({"taken": taken, "not-shown": lost, "near-id": lost, "duplicate": 0, "late": 0, "ignored": 0, "malformed": 0, "noisy": 0})
    );
    let sentence = found["headline"].as_str().unwrap();
    let begin = format!("{lost} of 300 pages with clicks (");
    assert!(sentence.starts_with(&begin) && sentence.contains("nearly all on those of new"), "{sentence}");
    assert_eq!((&found["standing"], &found["trusted"]), (&json!("untrusted"), &json!(false)));
    assert_eq!(found["faults"], json!([{"kind": "near-ids", "sentence": sentence, "trusted": false}]));
    assert_eq!((warnings(&found)[0], &found["report"][0]), (sentence, &found["headline"]));
    assert_eq!(found["tested"], "Coins of lists were tested on 300 pages.");
    let list = server.client().get("/v1/experiments").expect_status(200);
    assert_eq!(list["experiments"][0]["trusted"], json!(false));
    // The page is orange, and has the warning once.
    let html = server.client().get("/e/e").body;
    assert!(html.contains("headline notice") && html.contains("not trusted"), "{html}");
    assert_eq!(html.matches("nearly all on those of new").count(), 1);
    // `click-logs` gives the same warning for the log of these clicks.
    let folder = server.folder.path().join("out");
    let (text, error) = texts(&server.command(&["export", "e", folder.to_str().unwrap()]));
    assert!(text.starts_with("wrote "), "{error}");
    assert_eq!(faults_of(&folder, &documents), found["faults"]);
    // The log has it too, and folds to the same.
    let log = server.client().get("/v1/experiments/e/export?what=log").body;
    let noticed: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "noticed")
        .collect();
    assert_eq!(noticed.len() as u64, lost);
    assert!(noticed.iter().all(|event| event["what"] == "near_id" && event["position"].is_u64()));
    let mut server = server;
    server.restart();
    let again = status(&server, "e");
    assert_eq!((&again["faults"], &again["clicks"]), (&found["faults"], &found["clicks"]));
}

/// The status of an event, the standing, the event, and its sentence in the warning.
type Case = (&'static str, &'static str, fn(&Value) -> Value, &'static str);

const CASES: [Case; 5] = [
    (
        "malformed",
        "no-clicks",
        |found| json!({"action_name": "click", "query_id": found["id"], "event_attributes": {"object": {"object_id": 7.5}}}),
        "on 120 (`malformed`): a click needs its document in event_attributes.object.object_id",
    ),
    (
        "ignored",
        "no-clicks",
        |found| {
            let mut event = click(&found["id"], clicked(found, 0));
            event["action_name"] = json!("product_click");
            event
        },
        "on 120 (`ignored`): their action_name is neither `click` nor `click_through`",
    ),
    (
        "not-shown",
        "untrusted",
        |found| click(&found["id"], &format!("product:{}", clicked(found, 0))),
        "on 120 (`not-shown`): no document of the list has the id of the click",
    ),
    (
        "near-id",
        "untrusted",
        |found| click(&found["id"], &format!("{}/", clicked(found, 0))),
        "on 120 (`not-shown`): a document of the list has the id of the click in other letters",
    ),
    (
        "late",
        "no-clicks",
        |found| click(&found["id"], clicked(found, 0)),
        "on 120 (`late`): they came when it was closed; `window` is 30m",
    ),
];

/// Beacons are fire and forget: pages do not read their answers.
#[test]
pub(crate) fn clicks_that_do_not_count_are_in_the_status() {
    let server = Server::start();
    for (name, standing, event, words) in CASES {
        server.experiment(name, json!({}));
        let pages: Vec<Value> = (0..120).map(|unit| page(&server, name, unit)).collect();
        if name == "late" {
            server.pass(31 * MINUTE);
        }
        let events: Vec<Value> = pages.iter().map(event).collect();
        // Again and again: each page counts once.
        for _ in 0..3 {
            let answer = server.client().post("/v1/events", json!(events)).expect_status(200);
            assert_eq!(answer["taken"], 0, "{name}");
        }
        // Events of other stores, and of none: they do not affect the verdict.
        let strangers = json!([click(&json!("x".repeat(52)), "sku-1"), 3, {"action_name": "hover"}]);
        server.client().post("/v1/events", strangers).expect_status(200);
        server.pass(31 * MINUTE);
        end(&server, name);
        let found = status(&server, name);
        assert_eq!((&found["clicks"][name], &found["clicks"]["taken"]), (&json!(120), &json!(0)), "{name}: {found}");
        assert_eq!(found["standing"], standing, "{name}: {found}");
        assert_eq!(found["trusted"], json!(standing != "untrusted"), "{name}");
        let all = warnings(&found).join("\n");
        let begins = "None of 120 impressions was clicked: on 120 of them events came that do not count, ";
        assert!(all.contains(&format!("{begins}{words}")), "{name}: {all}");
        assert!(!found.to_string().contains("No click arrives"), "{name}: {found}");
    }
}

/// A page with clicks on advertisements loses nothing.
#[test]
pub(crate) fn clicks_on_advertisements_are_no_fault() {
    let server = Server::start();
    server.experiment("e", json!({}));
    for unit in 0..30 {
        let found = page(&server, "e", unit);
        let path = format!("/v1/impressions/{}/shown", found["id"].as_str().unwrap());
        let page = json!({"documents": ["advert", found["shown"][0], found["shown"][1]], "pinned": ["advert"]});
        server.client().put(&path, page).expect_status(200);
        let answer = server.client().post("/v1/events", click(&found["id"], "advert")).expect_status(200);
        assert_eq!(statuses(&answer), ["not-shown"]);
    }
    let found = status(&server, "e");
    assert_eq!((&found["clicks"]["not-shown"], &found["faults"]), (&json!(0), &json!([])));
}

/// 100,000 events of a hundred ids that were given out for real pages.
#[test]
pub(crate) fn hostile_events_leave_a_verdict_trusted() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let pages: Vec<Value> = (0..2_000).map(|unit| page(&server, "e", unit)).collect();
    let honest: Vec<Value> = pages
        .iter()
        .enumerate()
        .filter(|(unit, _)| unit % 3 > 0)
        .map(|(unit, found)| click(&found["id"], clicked(found, unit)))
        .collect();
    for some in honest.chunks(1_000) {
        server.client().post("/v1/events", json!(some)).expect_status(200);
    }
    let before = server.log("e").0;
    for round in 0..20 {
        let hostile: Vec<Value> = (0..5_000)
            .map(|n| {
                let found = &pages[n % 100];
                match (n / 100 + round) % 5 {
                    0 => click(&found["id"], &clicked(found, n).to_uppercase()),
                    1 => click(&found["id"], &clicked(found, n).to_lowercase()),
                    2 => click(&found["id"], &format!("nothing {n} {round}")),
                    3 => json!({"action_name": "hover", "query_id": found["id"]}),
                    _ => json!({"action_name": "click", "query_id": found["id"]}),
                }
            })
            .collect();
        server.client().post("/v1/events", json!(hostile)).expect_status(200);
    }
    let added = server.log("e").0 - before;
    assert!((500..=1_000).contains(&added), "{added} events of 100 ids");
    server.pass(31 * MINUTE);
    // Late ones too.
    let late: Vec<Value> = (0..5_000).map(|n| click(&pages[n % 100]["id"], "sku-1")).collect();
    server.client().post("/v1/events", json!(late)).expect_status(200);
    end(&server, "e");
    let found = status(&server, "e");
    assert_eq!((&found["trusted"], &found["faults"]), (&json!(true), &json!([])), "{found}");
    assert_eq!((&found["clicks"]["late"], &found["clicks"]["noisy"]), (&json!(100), &json!(100)));
}

/// Pages that are open when the experiment ends still count, and nothing is promised of files that are empty.
#[test]
pub(crate) fn an_end_with_open_pages_says_until_when_they_count() {
    let server = Server::start();
    server.experiment("e", json!({}));
    for unit in 0..120 {
        let found = page(&server, "e", unit);
        let new = found["shown"].as_array().unwrap().iter().find(|id| id.as_str().unwrap().starts_with("SKU")).unwrap();
        server.client().post("/v1/events", click(&found["id"], new.as_str().unwrap())).expect_status(200);
    }
    let open = "120 pages are open until 2026-11-26 12:30 UTC, their clicks still count";
    let exported = |folder: &str| {
        let folder = server.folder.path().join(folder);
        let (text, error) = texts(&server.command(&["export", "e", folder.to_str().unwrap()]));
        assert!(text.starts_with("wrote "), "{error}");
        let mut files: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        (text, files, std::fs::read_to_string(folder.join("impressions.jsonl")).unwrap().lines().count())
    };
    let part = |what: &str| server.client().get(&format!("/v1/experiments/e/export?what={what}"));
    let nothing = format!("nothing has closed yet: {open}");
    for ended in [false, true] {
        if ended {
            end(&server, "e");
            let found = status(&server, "e");
            assert_eq!(found["headline"], format!("Ended; {open}."));
            assert_eq!(found["report"], json!([format!("Ended; {open}.")]));
            assert_eq!(found["standing"], "ended");
            for advice in ["--final", "longer log", "without an outcome"] {
                assert!(!found.to_string().contains(advice), "{found}");
            }
        }
        let (text, files, lines) = exported(if ended { "ended" } else { "running" });
        assert!(text.contains(&nothing) && !text.contains("credit it there"), "{text}");
        assert!(text.contains("impressions.jsonl and clicks.jsonl are empty"), "{text}");
        assert_eq!((files.join(" "), lines), ("bots.toml clicks.jsonl impressions.jsonl log.jsonl".to_owned(), 0));
        for what in ["impressions", "clicks"] {
            let answer = part(what);
            assert_eq!((answer.status, answer.body.as_str()), (200, ""));
            assert_eq!(answer.headers["rankduel-nothing-yet"], nothing);
        }
        let rules = part("rules").expect_status(200);
        assert_eq!((&rules["command"], &rules["nothing_yet"]), (&Value::Null, &json!(nothing)));
    }
    server.pass(31 * MINUTE);
    let found = status(&server, "e");
    assert!(found["headline"].as_str().unwrap().starts_with("new beats old: "), "{found}");
    let (text, files, lines) = exported("closed");
    assert!(text.contains("credit it there: click-logs credit"), "{text}");
    assert_eq!((files.join(" "), lines), ("bots.toml clicks.jsonl credit.sh impressions.jsonl".to_owned(), 120));
    assert!(!part("impressions").headers.contains_key("rankduel-nothing-yet"));
    // A day that is not over has pages that are closed, and none to export.
    server.experiment("f", json!({}));
    page(&server, "f", 1);
    server.pass(31 * MINUTE);
    let why = server.client().get("/v1/experiments/f/export?what=clicks").headers["rankduel-nothing-yet"].clone();
    assert_eq!(why, "1 page closed, but no day is over yet: the first is over at 2026-11-27 00:30 UTC");
    server.pass(DAY);
    assert!(!server.client().get("/v1/experiments/f/export?what=clicks").headers.contains_key("rankduel-nothing-yet"));
}
