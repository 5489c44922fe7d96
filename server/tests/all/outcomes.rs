//! Outcomes: orders and money, over HTTP, and in the log that is exported.

use serde_json::{Value, json};

use crate::export::credited;
use crate::support::{Client, DAY, MINUTE, Server, statuses, texts, two_lists};

fn settings() -> Value {
    json!({
        "outcomes": {"order": "value", "return": "value"}, "outcome_days": 2, "currency": "EUR", "cap": 3000,
        "primary": "conversions"
    })
}

/// A page of a unit: its id, and its documents.
fn page(client: &Client, unit: &str) -> (Value, Vec<String>) {
    let body = json!({"unit": unit, "lists": two_lists(3)});
    let told = client.post("/v1/experiments/e/impressions", body).expect_status(200);
    let shown = told["shown"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    (told["id"].clone(), shown)
}

/// An order of a document, with further fields.
fn order(document: &str, value: i64, more: Value) -> Value {
    let mut event = json!({
        "action_name": if value < 0 { "return" } else { "order" }, "value": value, "currency": "EUR",
        "event_attributes": {"object": {"object_id": document}}
    });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

fn sent(client: &Client, events: Value) -> Vec<String> {
    statuses(&client.post("/v1/events", events).expect_status(200))
}

#[test]
pub(crate) fn each_order_has_its_fate() {
    let server = Server::start();
    server.experiment("e", settings());
    server.experiment("other", json!({}));
    let client = server.client();
    let (id, shown) = page(&client, "anna");
    server.pass(MINUTE);
    let anna = json!({"unit": "anna", "order_id": "o1"});
    let events = json!([
        order(&shown[0], 700, anna.clone()),
        order(&shown[0], 700, anna.clone()),
        order(&shown[0], -700, json!({"client_id": "anna", "order_id": "o1"})),
        order(&shown[1], 100, json!({"query_id": id, "order": "o2"})),
        order("elsewhere", 100, anna.clone()),
        order(&shown[0], 100, json!({"unit": "berta"})),
        order(&shown[0], 100, json!({"unit": "anna", "currency": "USD"})),
        order(&shown[0], 100, json!({"unit": "anna", "value": null})),
        order(&shown[0], 100, json!({"unit": "anna", "value": 12.5})),
        order(&shown[0], 100, json!({})),
        order(&shown[0], 100, json!({"unit": "anna", "action_name": "cart"})),
    ]);
    let expected = [
        "taken",
        "duplicate",
        "taken",
        "taken",
        "not-shown",
        "unknown-unit",
        "other-currency",
        "malformed",
        "malformed",
        "malformed",
        "ignored",
    ];
    assert_eq!(sent(&client, events), expected);
    let status = client.get("/v1/experiments/e").expect_status(200);
    let outcomes = &status["outcomes"];
    assert_eq!(
        (&outcomes["taken"], &outcomes["open"], &outcomes["primary"]),
        (&json!(3), &json!(3), &json!("conversions"))
    );
    assert_eq!(status["settings"]["attribution"], "last");
    // Noon of the first day, two days, the end of the day, half an hour.
    assert_eq!(outcomes["first_closing"], json!(crate::support::NOON + 2 * DAY + DAY / 2 + 30 * MINUTE));
    let warning = "Nothing is decided before 2026-11-29 00:30";
    assert!(status["warnings"][0].as_str().unwrap().starts_with(warning), "{status}");
    assert!(status["advice"].as_str().unwrap().contains("the first units close for conversions"), "{status}");
    server.pass(2 * DAY);
    assert_eq!(sent(&client, json!([order(&shown[2], 5, json!({"unit": "anna"}))])), ["taken"]);
    server.pass(DAY);
    assert_eq!(sent(&client, json!([order(&shown[1], 6, json!({"unit": "anna"}))])), ["late"]);
    let status = client.get("/v1/experiments/e").expect_status(200);
    let outcomes = &status["outcomes"];
    assert_eq!((&outcomes["taken"], &outcomes["open"]), (&json!(4), &json!(0)), "{outcomes}");
    assert_eq!((&outcomes["fates"]["returned"], &outcomes["fates"]["return"]), (&json!(1), &json!(1)), "{outcomes}");
    assert_eq!(outcomes["totals"][0]["units"], 1);
    let measures: Vec<&Value> = outcomes["measures"].as_array().unwrap().iter().map(|one| &one["decides"]).collect();
    assert_eq!(measures, [false, true, false]);
    // An experiment that counts no outcomes reports none.
    assert!(client.get("/v1/experiments/other").expect_status(200)["outcomes"].is_null());
    let html = client.get("/e/e").body;
    assert!(html.contains("Measures") && html.contains("Outcomes") && html.contains("minor units of EUR"), "{html}");
}

/// A public page could invent orders: without a key, the unit of an order is derived from the id of a page alone.
#[test]
pub(crate) fn nobody_invents_orders_without_a_key() {
    let mut server = Server::stopped();
    let [admin_key, serve] = ["admin", "serve"].map(|role| server.key(&[role]));
    server.run().unwrap();
    let admin = server.with_key(&admin_key);
    let mut all = settings();
    all.as_object_mut()
        .unwrap()
        .extend([("name".to_owned(), json!("e")), ("rankers".to_owned(), json!(["old", "new"]))]);
    admin.post("/v1/experiments", all).expect_status(201);
    admin.post("/v1/experiments", json!({"name": "other", "rankers": ["old", "new"]})).expect_status(201);
    let bound = server.key(&["serve", "--experiment", "other"]);
    server.restart();
    let admin = server.with_key(&admin_key);
    let (shop, public) = (server.with_key(&serve), server.client());
    let (id, shown) = page(&shop, "anna");
    let (_, of_berta) = page(&shop, "berta");
    server.pass(MINUTE);
    let (rest, last) = id.as_str().unwrap().split_at(51);
    let forged = format!("{rest}{}", if last == "A" { "B" } else { "A" });
    let claims = json!([
        order(&shown[0], 700, json!({"unit": "anna"})),
        order(&shown[0], 700, json!({"client_id": "anna", "user_id": "anna"})),
        order(&shown[0], 700, json!({"unit": "anna", "query_id": forged})),
        order(&shown[0], 700, json!({"query_id": "nonsense"})),
    ]);
    let log = |client: &Client| client.get("/v1/experiments/e").expect_status(200)["log"]["events"].clone();
    let before = log(&admin);
    assert_eq!(sent(&public, claims), ["unsigned", "unsigned", "unknown", "unknown"]);
    assert_eq!(log(&admin), before, "nothing of it is recorded");
    // With the id of a page, the unit of the page counts, whatever else is claimed.
    let signed = order(&shown[0], 700, json!({"unit": "berta", "query_id": id, "order_id": "o"}));
    assert_eq!(sent(&public, signed.clone()), ["taken"]);
    assert_eq!(sent(&public, signed), ["duplicate"]);
    let events = admin.get("/v1/experiments/e/export?what=log").body;
    let converted: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let converted: Vec<&Value> = converted.iter().filter(|event| event["event"] == "converted").collect();
    assert_eq!((converted.len(), &converted[0]["unit"]), (1, &json!(1)), "{converted:?}");
    // It credits no other pages of this unit; with a key, it may.
    let lists = json!({"old": ["x1", "x2"], "new": ["x2", "x3"]});
    shop.post("/v1/experiments/e/impressions", json!({"unit": "anna", "lists": lists})).expect_status(200);
    server.pass(MINUTE);
    let elsewhere = order("x2", 500, json!({"query_id": id, "order_id": "p"}));
    assert_eq!(sent(&public, elsewhere.clone()), ["not-shown"]);
    assert_eq!(sent(&shop, elsewhere), ["taken"]);
    // A page of an experiment that does not count orders credits none either.
    let body = json!({"unit": "carl", "lists": two_lists(3)});
    let page = shop.post("/v1/experiments/other/impressions", body).expect_status(200);
    let of_other = order(page["shown"][0].as_str().unwrap(), 500, json!({"query_id": page["id"]}));
    assert_eq!(sent(&public, of_other), ["ignored"]);
    // A key of another experiment takes nothing here.
    let other = server.with_key(&bound);
    assert_eq!(sent(&other, order(&of_berta[0], 700, json!({"unit": "berta"}))), ["unknown-unit"]);
    assert_eq!(sent(&shop, order(&of_berta[0], 700, json!({"unit": "berta"}))), ["taken"]);
    // Weeks later, the page is closed, and its id still identifies the unit of an order until that unit has closed.
    server.pass(2 * DAY);
    assert_eq!(sent(&public, order(&shown[1], 9, json!({"query_id": id}))), ["taken"]);
    server.pass(DAY);
    assert_eq!(sent(&public, order(&shown[2], 9, json!({"query_id": id}))), ["late"]);
}

/// A start, with and without a snapshot, has all orders, and recognizes repeated ones.
#[test]
pub(crate) fn a_start_loses_no_order() {
    let mut server = Server::start();
    server.experiment("e", settings());
    let client = |server: &Server| server.client();
    let mut taken = 0;
    let mut seen: Vec<(String, Vec<String>)> = Vec::new();
    for day in 0..5 {
        for unit in 0..12 {
            let name = format!("unit {day} {unit}");
            let (_, shown) = page(&client(&server), &name);
            server.pass(MINUTE);
            let more = json!({"unit": name, "order": "o"});
            assert_eq!(sent(&client(&server), order(&shown[unit % 3], 100, more)), ["taken"]);
            if let Some((before, shown)) = seen.iter().rev().nth(unit).filter(|_| unit % 4 == 0) {
                let fates =
                    sent(&client(&server), order(&shown[0], 30, json!({"unit": before, "order": day.to_string()})));
                taken += u64::from(fates == ["taken"]);
            }
            taken += 1;
            seen.push((name, shown));
            if unit == 6 {
                let log = server.log("e");
                server.restart();
                let (events, _) = server.log("e");
                assert_eq!(events, log.0 + 1, "only the start was added");
                let (name, shown) = seen.last().unwrap();
                let again = order(&shown[unit % 3], 100, json!({"unit": name, "order": "o"}));
                assert_eq!(sent(&client(&server), again), ["duplicate"], "day {day}");
            }
        }
        server.pass(DAY - 20 * MINUTE);
    }
    let status = client(&server).get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["outcomes"]["taken"], json!(taken));
    assert!(status["outcomes"]["fates"]["credited"].as_u64().unwrap() > 20, "{status}");
    let checked = server.command(&["check"]);
    assert!(checked.status.success(), "{:?}", texts(&checked));
}

/// The decisive test: `click-logs credit` counts the same in the export as the server.
#[test]
fn credit_of_the_export_counts_orders_as_the_server_does() {
    for end in [false, true] {
        let mut server = Server::start();
        let mut all = settings();
        all["attribution"] = json!("all");
        all["unit_days"] = json!(2);
        server.experiment("e", all);
        let mut number = 0_u32;
        let mut draw = move |many: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) % many
        };
        for day in 0..6 {
            for _ in 0..25 {
                let unit = format!("unit {}", draw(30));
                let (id, shown) = page(&server.client(), &unit);
                server.pass(MINUTE);
                let document = &shown[draw(shown.len() as u32) as usize];
                if id.is_string() && draw(2) == 0 {
                    let value = [100, 250, 9_000][draw(3) as usize] * if draw(5) == 0 { -1 } else { 1 };
                    sent(&server.client(), order(document, value, json!({"unit": unit, "order": draw(3)})));
                }
                if draw(3) == 0 {
                    let click = crate::support::click(&id, document);
                    server.client().post("/v1/events", click).expect_status(200);
                }
                server.pass(2 * MINUTE);
            }
            if day == 3 {
                server.restart();
            }
            server.pass(DAY - 75 * MINUTE);
        }
        if end {
            server.client().post("/v1/experiments/e/end", json!({})).expect_status(200);
            server.pass(5 * DAY);
        }
        server.client().get("/v1/experiments/e").expect_status(200);
        let folder = server.folder.path().join("out");
        let (text, error) = texts(&server.command(&["export", "e", folder.to_str().unwrap()]));
        assert!(text.contains("--outcomes outcomes.jsonl"), "{text} {error}");
        credited(&folder);
        let credited = std::fs::read_to_string(folder.join("credited/conversions.csv")).unwrap();
        let store = rankduel_server::store::Store::open(server.store(), rankduel_server::store::Access::Read).unwrap();
        let folded = rankduel_server::writer::fold(&store, 1, "e", |_| {}).unwrap().experiment;
        let found = folded.conversions().unwrap();
        assert!(found.days.len() >= 3 && found.days.iter().any(|day| day.counts.cut > 0), "{found:?}");
        assert_eq!(credited, found.to_csv(), "ended: {end}");
        let answer = server.client().get("/v1/experiments/e/export?what=outcomes");
        assert_eq!(answer.body, std::fs::read_to_string(folder.join("outcomes.jsonl")).unwrap());
    }
}

/// The names of its orders go with a deleted unit; its orders still count.
#[test]
fn a_deleted_unit_leaves_no_names() {
    let server = Server::start();
    server.experiment("e", settings());
    let client = server.client();
    let (_, shown) = page(&client, "anna");
    server.pass(MINUTE);
    assert_eq!(sent(&client, order(&shown[0], 700, json!({"unit": "anna", "order_id": "o"}))), ["taken"]);
    let names = || {
        let file = rusqlite::Connection::open(server.store()).unwrap();
        file.query_row("SELECT count(*) FROM converted_1", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(names(), 2, "the document and the order");
    client.post("/v1/units/delete", json!({"unit": "anna"})).expect_status(200);
    assert_eq!(names(), 0);
    assert_eq!(sent(&client, order(&shown[0], 700, json!({"unit": "anna", "order_id": "o"}))), ["unknown-unit"]);
    server.pass(4 * DAY);
    let outcomes = client.get("/v1/experiments/e").expect_status(200)["outcomes"].clone();
    let count = |field: &str| outcomes["fates"][field].as_u64().unwrap();
    assert_eq!((count("credited") + count("nobodys"), &outcomes["totals"][0]["units"]), (1, &json!(1)), "{outcomes}");
}
