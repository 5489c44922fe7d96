//! `export`, then `click-logs credit`: the rows of the server, byte for byte.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use verdicts::outcomes::Outcomes;

use rankduel_server::store::{Access, Store};
use rankduel_server::writer::fold;
use serde_json::{Value, json};

use crate::support::{DAY, MINUTE, Server, click, texts, two_lists};

/// Users who come back on several days, click the documents they like, turn pages and meet advertisements.
fn traffic(server: &mut Server, name: &str, days: u32) {
    let mut number = 0_u32;
    for day in 0..days {
        for unit in 0..25_u32 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let draw = |many: u32| (number >> 16) % many;
            if draw(5) == 0 {
                continue;
            }
            let body = json!({"unit": format!("unit {unit}"), "lists": two_lists(6), "agent": if unit == 7 { "crawler" } else { "browser" }});
            let told = server.client().post(&format!("/v1/experiments/{name}/impressions"), body).expect_status(200);
            let Some(id) = told["id"].as_str() else { continue };
            let shown: Vec<&str> = told["shown"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
            if draw(4) == 1 {
                server.client().post(&format!("/v1/impressions/{id}/next"), json!({})).expect_status(200);
            }
            if draw(4) == 2 {
                let page = json!({"documents": ["advert", shown[0], shown[2]], "pinned": ["advert"]});
                server.client().put(&format!("/v1/impressions/{id}/shown"), page).expect_status(200);
            }
            let likes = if unit % 3 == 0 { 'o' } else { 'n' };
            let clicked = shown.iter().position(|id| id.starts_with(likes)).unwrap_or(0);
            if draw(3) > 0 {
                server.client().post("/v1/events", click(&told["id"], shown[clicked])).expect_status(200);
            }
            if unit == 11 {
                let all: Vec<Value> = shown.iter().map(|id| click(&told["id"], id)).collect();
                server.client().post("/v1/events", json!(all)).expect_status(200);
            }
            server.pass(3 * MINUTE);
        }
        if day == 1 {
            // The server is down for a while; open impressions stay open for longer.
            server.stop();
            server.pass(20 * MINUTE);
            server.run().unwrap();
        }
        server.pass(DAY - 75 * MINUTE);
    }
}

fn server_rows(server: &Server, name: &str) -> Outcomes {
    let store = Store::open(&server.settings.store, Access::Read).unwrap();
    let (id, _) = store.experiments().unwrap().into_iter().find(|(_, known)| known == name).unwrap();
    fold(&store, id, name, |_| {}).unwrap().experiment.outcomes()
}

/// The words of the command in an exported script, as a shell has them.
fn words(folder: &Path) -> Vec<String> {
    let script = std::fs::read_to_string(folder.join("credit.sh")).unwrap();
    let line = script.lines().last().unwrap();
    let words = Command::new("sh").arg("-c").arg(format!("set -- {line}; printf '%s\\n' \"$@\"")).output().unwrap();
    String::from_utf8(words.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Credits the exported files by their script, with the library that `click-logs credit` calls.
pub(crate) fn credited(folder: &Path) -> String {
    let words = words(folder);
    // Files are named in their folder, which is not the working folder of this process.
    let files = ["impressions.jsonl", "clicks.jsonl", "outcomes.jsonl", "bots.toml", "credited"];
    let absolute =
        |word: &String| if files.contains(&word.as_str()) { folder.join(word).into() } else { OsString::from(word) };
    assert_eq!(click_logs::cli::main_with(words.iter().map(absolute).chain(["--quiet".into()])), 0, "{words:?}");
    std::fs::read_to_string(folder.join("credited/outcomes.csv")).unwrap()
}

#[test]
pub(crate) fn credit_of_the_export_counts_as_the_server_does() {
    for (name, more, end) in [
        ("plain", json!({}), true),
        ("running", json!({"depth": 6, "unit_days": 2, "timezone": "+05:30"}), false),
        ("steered", json!({"policy": "rucb", "keep": "impression", "interleaving": "probabilistic"}), false),
        (
            "kept",
            json!({"policy": "dts", "window": "10m", "bots": {"agents": ["crawler"], "max_clicks_per_day": 2}}),
            true,
        ),
    ] {
        let mut server = Server::start();
        server.experiment(name, more);
        traffic(&mut server, name, 4);
        if end {
            server.client().post(&format!("/v1/experiments/{name}/end"), json!({})).expect_status(200);
            server.pass(DAY);
        }
        server.client().get(&format!("/v1/experiments/{name}")).expect_status(200);
        let folder = server.folder.path().join("out");
        let (text, error) = texts(&server.command(&["export", name, folder.to_str().unwrap()]));
        assert!(text.starts_with("wrote "), "{error}");
        let rows = server_rows(&server, name);
        assert!(rows.days.len() >= 3, "{name}: {rows:?}");
        assert_eq!(credited(&folder), rows.to_csv(), "{name}");
        // Over HTTP the same lines.
        for (what, file) in [("impressions", "impressions.jsonl"), ("clicks", "clicks.jsonl")] {
            let answer = server.client().get(&format!("/v1/experiments/{name}/export?what={what}"));
            assert_eq!(answer.headers["content-type"], "application/x-ndjson");
            assert_eq!(answer.body, std::fs::read_to_string(folder.join(file)).unwrap());
        }
        let rules = server.client().get(&format!("/v1/experiments/{name}/export?what=rules")).expect_status(200);
        assert!(
            std::fs::read_to_string(folder.join("credit.sh")).unwrap().contains(rules["command"].as_str().unwrap())
        );
        let log = server.client().get(&format!("/v1/experiments/{name}/export?what=log"));
        assert_eq!(log.body.lines().count() as u64, server.log(name).0);
        assert!(
            log.body.lines().zip(1..).all(|(line, n)| serde_json::from_str::<Value>(line).unwrap()["n"] == json!(n))
        );
        // A folder that is there is never written to.
        let output = server.command(&["export", name, folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
    }
}

/// Names that a shell, a list separated by commas or flags would take apart.
#[test]
pub(crate) fn names_survive_the_script_of_the_export() {
    let names = ["-a,b", " outer ", "6\" $(nails)", "\"quoted\"", "it's; `x`", "--final", "ltr"];
    let server = Server::start();
    let settings = json!({"name": "e", "rankers": names, "shown": 3, "timezone": "-05:00"});
    server.client().post("/v1/experiments", settings).expect_status(201);
    let lists: Value = names.iter().map(|name| ((*name).to_owned(), json!(["x", "y"]))).collect();
    let body = json!({"unit": "anna", "lists": lists});
    server.client().post("/v1/experiments/e/impressions", body).expect_status(200);
    server.pass(2 * DAY);
    server.client().get("/v1/experiments/e").expect_status(200);
    let folder = server.folder.path().join("out");
    let (text, error) = texts(&server.command(&["export", "e", folder.to_str().unwrap()]));
    assert!(text.contains("credit it there: "), "{text} {error}");
    let words = words(&folder);
    let flag = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)).unwrap();
    assert_eq!(ranktypes::text::split_list(flag("--rankers=")).unwrap(), names, "{words:?}");
    assert_eq!(flag("--timezone="), "-05:00");
}

#[test]
pub(crate) fn exports_that_cannot_be_are_refused() {
    let server = Server::start();
    server.experiment("e", json!({}));
    for query in ["", "?what=everything", "?what=", "?part=log"] {
        let problem = server.client().get(&format!("/v1/experiments/e/export{query}")).problem(400);
        assert_eq!(problem["expected"], "impressions, clicks, outcomes, rules, judgements, log");
    }
    server.client().get("/v1/experiments/x/export?what=log").problem(404);
    let (_, error) = texts(&server.command(&["export", "x", "out"]));
    assert_eq!(error, "error: there is no experiment \"x\"; the store has e\n");
}

#[test]
pub(crate) fn judgements_are_read_by_boards() {
    let server = Server::start();
    server.experiment("e", json!({"ask": "duels"}));
    let mut said = Vec::new();
    for n in 0..12 {
        let unit = format!("judge {}", n % 2);
        let duel = server.client().post("/v1/experiments/e/duels", json!({"unit": unit})).expect_status(200);
        if duel["credited"] == false {
            continue;
        }
        let winner = ["first", "second", "tie"][n % 3];
        let path = format!("/v1/duels/{}", duel["id"].as_str().unwrap());
        server.client().post(&path, json!({"winner": winner})).expect_status(200);
        said.push([
            duel["first"].as_str().unwrap().to_owned(),
            duel["second"].as_str().unwrap().to_owned(),
            winner.to_owned(),
        ]);
    }
    // One without an answer.
    server.client().post("/v1/experiments/e/duels", json!({})).expect_status(200);
    assert!(said.len() >= 8, "{said:?}");
    let answer = server.client().get("/v1/experiments/e/export?what=judgements").body;
    let lines: Vec<Value> = answer.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<[String; 3]> = lines
        .iter()
        .map(|line| ["first", "second", "winner"].map(|field| line[field].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(found, said);
    let judges: BTreeSet<&str> = lines.iter().map(|line| line["judge"].as_str().unwrap()).collect();
    assert_eq!(judges, BTreeSet::from(["unit 1", "unit 2"]));
    for what in ["impressions", "clicks", "outcomes", "rules"] {
        let problem = server.client().get(&format!("/v1/experiments/e/export?what={what}")).problem(422);
        assert_eq!(problem["detail"], format!("this experiment asks judges and has no {what}; export judgements"));
    }
    server.experiment("l", json!({}));
    server.client().get("/v1/experiments/l/export?what=judgements").problem(422);
    let folder = server.folder.path().join("judged");
    let (text, error) = texts(&server.command(&["export", "e", folder.to_str().unwrap()]));
    assert!(text.contains("rankduel board judgements.jsonl"), "{text} {error}");
    assert_eq!(std::fs::read_to_string(folder.join("judgements.jsonl")).unwrap(), answer);
}
