//! Any calls in any order, with failures and restarts between them: the log always folds to the same state, and nothing is a
//! fault of the program.

use rankduel_server::store::Operation;
use serde_json::{Value, json};

use crate::support::{DAY, MINUTE, Server, click, texts};

/// Numbers that look random.
struct Draws(u64);

impl Draws {
    fn below(&mut self, many: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % many
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn lists(draws: &mut Draws, names: &[&str]) -> Value {
    let mut lists = serde_json::Map::new();
    for name in names {
        let mut documents: Vec<String> = (0..12).map(|number| format!("d{number}")).collect();
        let length = draws.below(8);
        let list: Vec<Value> = (0..length)
            .map(|place| {
                let at = draws.below(documents.len());
                let id = documents.swap_remove(at);
                if name == &"b" { json!({"id": id, "score": 10 - place / 2}) } else { json!(id) }
            })
            .collect();
        lists.insert((*name).to_owned(), list.into());
    }
    lists.into()
}

/// One call; returns the status.
fn step(server: &mut Server, draws: &mut Draws, ids: &mut Vec<Value>, duels: bool) -> u16 {
    let client = server.client();
    let unit = format!("u{}", draws.below(12));
    let some = |draws: &mut Draws, ids: &[Value]| {
        if ids.is_empty() { json!("none") } else { ids[draws.below(ids.len())].clone() }
    };
    let id = some(draws, ids);
    let text = id.as_str().unwrap().to_owned();
    let mut keep = |answer: crate::support::Answer| {
        if answer.status == 200 && !answer.json()["id"].is_null() {
            ids.push(answer.json()["id"].clone());
        }
        answer.status
    };
    match draws.below(if duels { 24 } else { 20 }) {
        0..=4 => {
            let mut body = json!({"unit": unit, "lists": lists(draws, &NAMES)});
            match draws.below(3) {
                0 => body["key"] = json!(format!("k{}", draws.below(40))),
                1 => body["query"] = json!(format!("q{}", draws.below(3))),
                _ => {}
            }
            keep(client.post("/v1/experiments/e/impressions", body))
        }
        5 | 6 => keep(client.post("/v1/experiments/e/choose", json!({"unit": unit}))),
        7 | 8 => {
            let names = if draws.below(4) == 0 { &NAMES[..2] } else { &NAMES[..] };
            client.put(&format!("/v1/impressions/{text}/lists"), json!({"lists": lists(draws, names)})).status
        }
        9..=11 => {
            let events = [(); 2].map(|()| click(&id, &format!("d{}", draws.below(12))));
            client.post("/v1/events", json!(events)).status
        }
        12 => client.post(&format!("/v1/impressions/{text}/next"), json!({"seen": 1 + draws.below(9)})).status,
        13 => {
            let page = json!({"documents": ["advert", format!("d{}", draws.below(12))], "pinned": ["advert"]});
            client.put(&format!("/v1/impressions/{text}/shown"), page).status
        }
        14 => client.send("POST", &format!("/v1/impressions/{text}/close"), None).status,
        15 => {
            let what = ["pause", "resume", "kill", "resume", "resume"][draws.below(5)];
            client.post(&format!("/v1/experiments/e/{what}"), json!({})).status
        }
        16 => {
            server.pass([MINUTE, 20 * MINUTE, 40 * MINUTE, DAY / 3][draws.below(4)]);
            200
        }
        17 => {
            let operation =
                [Operation::Begin, Operation::Insert, Operation::Commit, Operation::Committed, Operation::Read];
            server.faults.fail(operation[draws.below(5)], 1 + draws.below(2) as u64);
            200
        }
        18 if draws.below(3) == 0 => {
            server.faults.stop();
            server.restart();
            200
        }
        18 => client.get("/v1/experiments/e").status,
        19 => client.post("/v1/units/delete", json!({"unit": unit})).status,
        20 | 21 => keep(client.post("/v1/experiments/e/duels", json!({"unit": unit}))),
        _ => {
            let winner = ["first", "second", "tie"][draws.below(3)];
            client.post(&format!("/v1/duels/{text}"), json!({"winner": winner})).status
        }
    }
}

#[test]
pub(crate) fn any_calls_in_any_order_leave_a_log_that_folds() {
    let kinds = [
        json!({}),
        json!({"policy": "rucb", "keep": "impression"}),
        json!({"policy": "dts", "depth": 7, "guardrails": {"no_click": 0.0, "missing": 0.0, "slow": 0.0, "then": "pause"}}),
        json!({"policy": "mdb", "multileaving": "probabilistic", "interleaving": "probabilistic"}),
        json!({"policy": "self-sparring", "interleaving": "balanced", "unit_days": 2, "timezone": "-03:00"}),
        json!({"policy": "rmed1", "ask": "duels", "horizon": 0}),
    ];
    for (seed, more) in kinds.into_iter().enumerate() {
        let mut server = Server::start();
        let mut settings = json!({"name": "e", "rankers": NAMES, "shown": 4, "window": "30m", "seed": seed});
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let duels = settings["ask"] == "duels";
        let made = server.client().post("/v1/experiments", settings);
        made.expect_status(201);
        let (mut draws, mut ids) = (Draws(seed as u64), Vec::new());
        for number in 0..300 {
            let status = step(&mut server, &mut draws, &mut ids, duels);
            assert!(matches!(status, 200 | 400 | 404 | 409 | 410 | 422 | 503), "call {number} of {more}: {status}");
        }
        server.faults.stop();
        let log = server.log("e");
        let (text, error) = texts(&server.command(&["replay"]));
        assert!(text.starts_with(&format!("e: {} events, checksum {}\n", log.0, log.1)), "{more}: {text}{error}");
        server.restart();
        let (text, _) = texts(&server.command(&["check"]));
        assert!(text.ends_with("\nok\n"), "{more}: {text}");
        assert!(log.0 > 10, "{more}: {} events", log.0);
    }
}
