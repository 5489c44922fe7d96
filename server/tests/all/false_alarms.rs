//! Equal rankers, users with tastes that are fair on average, over HTTP: the rate at which the status declares a winner.

use serde_json::json;

use crate::support::{DAY, MINUTE, Server, click, two_lists};

const EXPERIMENTS: usize = 20;
const DAYS: u32 = 20;
const USERS: u32 = 10;
const VISITS: u32 = 5;

/// Draws numbers, the same in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, many: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % many
    }
}

#[test]
#[ignore = "a minute: 40,000 requests; the fold alone is tested with 1,000 experiments in `traffic`"]
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn equal_rankers_rarely_win_over_http_at_full_size() {
    let server = Server::start();
    let policies = ["rucb", "dts", "mergerucb", "fixed"];
    let names: Vec<String> = (0..EXPERIMENTS).map(|n| format!("{}-{n}", policies[n % policies.len()])).collect();
    for (n, name) in names.iter().enumerate() {
        server.experiment(name, json!({"policy": policies[n % policies.len()], "seed": n, "window": "10m"}));
    }
    let mut draws = Draws(1);
    let mut alarms = [false; EXPERIMENTS];
    for day in 0..DAYS {
        // Half of the users prefer documents of the old ranker, half those of the new one.
        let tastes: Vec<u64> = (0..USERS as usize * EXPERIMENTS).map(|_| draws.below(2)).collect();
        for visit in 0..USERS * VISITS {
            let user = visit % USERS;
            for (n, name) in names.iter().enumerate() {
                let taste = tastes[user as usize * EXPERIMENTS + n];
                let likes = if (draws.below(10) < 7) == (taste == 0) { 'o' } else { 'n' };
                let body = json!({"unit": format!("{day}-{user}"), "lists": two_lists(3)});
                let told =
                    server.client().post(&format!("/v1/experiments/{name}/impressions"), body).expect_status(200);
                let Some(id) = told.get("id") else { continue };
                let mut shown = told["shown"].as_array().unwrap().iter().map(|id| id.as_str().unwrap());
                let clicked = shown.find(|id| id.starts_with(likes));
                if let Some(clicked) = clicked.filter(|_| draws.below(10) < 8) {
                    server.client().post("/v1/events", click(id, clicked)).expect_status(200);
                }
            }
            server.pass(MINUTE);
        }
        server.pass(DAY - i64::from(USERS * VISITS) * MINUTE);
        for (name, alarm) in names.iter().zip(&mut alarms) {
            let status = server.client().get(&format!("/v1/experiments/{name}")).expect_status(200);
            *alarm |= status["pairs"].as_array().unwrap().iter().any(|pair| !pair["winner"].is_null());
            if day + 1 == DAYS {
                let units = status["units"]["counted"].as_u64().unwrap();
                // A policy that shows its leader alone counts few.
                assert!(units > u64::from(DAYS), "{name}: {units} units");
            }
        }
    }
    let alarms = alarms.iter().filter(|alarm| **alarm).count();
    // 5%, and three standard errors.
    eprintln!("over HTTP: {alarms} of {EXPERIMENTS}");
    assert!(alarms <= 3, "{alarms} of {EXPERIMENTS}");
}
