//! Two servers with one store in PostgreSQL: leadership, takeover, and no loss between them. Skipped where it is not installed.

use std::time::Duration;

use serde_json::json;

use crate::notify::{Mood, Receiver, change};
use crate::pages::{form, signed_in, token};
use crate::postgres::{asked, soon, there};
use crate::support::{Client, DAY, MINUTE, Server, click, two_lists};

/// A server that follows the one of this store.
fn second(first: &Server) -> Server {
    let mut second = Server::stopped();
    second.settings.store = first.settings.store.clone();
    second.run().expect("a second server");
    second
}

fn role(server: &Server) -> String {
    server.client().get("/v1/nodes").expect_status(200)["role"].as_str().unwrap().to_owned()
}

#[test]
fn any_server_takes_any_request_and_the_other_one_takes_over() {
    there(|| {
        let mut first = Server::start();
        let second = second(&first);
        assert_eq!((role(&first), role(&second)), ("leads".to_owned(), "follows".to_owned()));
        // Made at the one that follows, by the one that leads.
        second.experiment("e", json!({"champion": "old"}));
        let body = |unit: &str| json!({"unit": unit, "key": unit, "query": "q", "lists": two_lists(4)});
        let path = "/v1/experiments/e/impressions";
        let told = second.client().post(path, body("anna")).expect_status(200);
        assert_eq!(told["credited"], true);
        assert_eq!(first.client().post(path, body("anna")).expect_status(200), told);
        let event = click(&told["id"], told["shown"][0].as_str().unwrap());
        assert_eq!(second.client().post("/v1/events", event.clone()).expect_status(200)["taken"], 1);
        let says = "This server leads; another one takes over if it ends.";
        assert!(soon(|| second.client().get("/e/e").body.contains(says)));
        let nodes = second.client().get("/v1/nodes").expect_status(200);
        assert_eq!(nodes["nodes"].as_array().unwrap().len(), 2, "{nodes}");
        let metric = |server: &Server, name: &str| {
            let text = server.client().get("/metrics").body;
            let found = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")).map(str::to_owned));
            found.unwrap_or_else(|| panic!("{name}"))
        };
        assert_eq!(
            (metric(&first, "rankduel_leads"), metric(&second, "rankduel_leads")),
            ("1".to_owned(), "0".to_owned())
        );
        assert_ne!(metric(&second, "rankduel_forwarded_total{status=\"answered\"}"), "0");
        assert_eq!(metric(&second, "rankduel_nodes"), "2");
        // Headers of a node count only with the nodes' secret.
        let forged = second.client().with("Rankduel-Node", "AAAA").with("Rankduel-Client", "10.0.0.1");
        assert_eq!(forged.post(path, body("anna")).expect_status(200), told);
        let log = first.log("e");
        first.stop();
        // Given back, not waited for.
        let began = std::time::Instant::now();
        assert!(soon(|| role(&second) == "leads"));
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(soon(|| {
            let answer = second.client().post(path, body("anna"));
            assert!(
                answer.status == 503 || answer.json() == told || answer.json()["why"] == "unavailable",
                "{}",
                answer.body
            );
            answer.json() == told
        }));
        assert_eq!(second.client().post("/v1/events", event).expect_status(200)["results"][0]["status"], "duplicate");
        let next = second.client().post(path, body("berta")).expect_status(200);
        assert_eq!(next["credited"], true);
        assert!(second.log("e").0 > log.0);
        assert!(second.command(&["check"]).status.success());
        first.run().expect("it starts again");
        assert_eq!(role(&first), "follows");
        assert_eq!(first.client().post(path, body("berta")).expect_status(200), next);
    });
}

#[test]
fn who_was_overtaken_writes_nothing() {
    there(|| {
        let server = Server::start();
        server.experiment("e", json!({"champion": "old"}));
        let body = |unit: &str| json!({"unit": unit, "key": unit, "lists": two_lists(4)});
        let path = "/v1/experiments/e/impressions";
        server.client().post(path, body("anna")).expect_status(200);
        let count = || asked(&server, "SELECT count(*) FROM rankduel.events");
        let before = count();
        // As another server does it that takes over; this one has not looked yet.
        asked(
            &server,
            "BEGIN; INSERT INTO rankduel.nodes VALUES ('x', '127.0.0.1:1', now(), now() + interval '1 hour');
             UPDATE rankduel.leader SET epoch = epoch + 1, node = 'x'; UPDATE rankduel.heads SET epoch = epoch + 1; COMMIT",
        );
        // A new impression, and the answer of one that is known: neither is this server's to give.
        for unit in ["berta", "anna"] {
            let answer = server.client().post(path, body(unit));
            assert!(answer.status == 503 || answer.json()["credited"] == false, "{}", answer.body);
        }
        assert_eq!(count(), before);
        assert!(soon(|| server.client().post(path, body("clara")).expect_status(200)["why"] == "unavailable"));
        server.client().post("/v1/experiments", json!({"name": "f", "rankers": ["a", "b"]})).problem(503);
        assert_eq!(count(), before);
        // The other one is gone: this one begins again, with the next epoch.
        asked(&server, "UPDATE rankduel.nodes SET until = now() WHERE node = 'x'");
        assert!(soon(|| role(&server) == "leads"));
        assert!(soon(|| server.client().post(path, body("berta")).expect_status(200)["credited"] == true));
        assert_eq!(asked(&server, "SELECT epoch FROM rankduel.leader"), "3");
        assert!(server.command(&["check"]).status.success());
    });
}

/// As after a failover to a replica that had not received the last events of an experiment in which each unit asked once; sessions end
/// then too.
fn go_back(server: &Server, experiment: u32, events: u32) {
    let of = format!("experiment = {experiment}");
    let asked_last = format!("(SELECT max(impression) FROM events WHERE {of} AND kind = 3)");
    asked(
        server,
        &format!(
            "BEGIN; SET LOCAL search_path = rankduel;
             DELETE FROM events WHERE {of} AND n > (SELECT max(n) - {events} FROM events WHERE {of});
             UPDATE heads SET n = n - {events} WHERE {of};
             DELETE FROM shown WHERE {of} AND impression > {asked_last};
             DELETE FROM marks WHERE {of} AND impression > {asked_last};
             DELETE FROM units WHERE {of} AND number > {asked_last}; COMMIT;
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ),
    );
}

#[test]
fn a_database_that_went_back_in_time_is_noticed_by_all_who_saw_more() {
    there(|| {
        let mut first = Server::start();
        let mut second = second(&first);
        for name in ["e", "f"] {
            first.experiment(name, json!({"champion": "old"}));
            for unit in ["anna", "berta", "clara"] {
                let body = json!({"unit": unit, "lists": two_lists(4)});
                let path = format!("/v1/experiments/{name}/impressions");
                first.client().post(&path, body).expect_status(200);
            }
        }
        let events = first.log("e").0;
        // The one that follows looks once a second.
        std::thread::sleep(Duration::from_millis(2_500));
        go_back(&first, 1, 2);
        let asks = |server: &Server, name: &str| {
            let body = json!({"unit": "dora", "lists": two_lists(4)});
            server.client().post(&format!("/v1/experiments/{name}/impressions"), body).json()
        };
        let why = format!("has {} events of it, and this server has seen {events}", events - 2);
        let is_kept_apart = |server: &Server| {
            soon(|| asks(server, "e")["why"] == "damaged" && asks(server, "f")["credited"] == true)
                && server.client().get("/v1/experiments/e").body.contains(&why)
        };
        assert!(is_kept_apart(&first), "{}", first.client().get("/v1/experiments/e").body);
        first.stop();
        assert!(soon(|| role(&second) == "leads"));
        assert!(is_kept_apart(&second), "{}", second.client().get("/v1/experiments/e").body);
        // Once it is known, servers that start go on with the rest.
        second.restart();
        assert!(soon(|| asks(&second, "e")["credited"] == true));
        assert!(second.command(&["check"]).status.success());
    });
}

#[test]
fn an_epoch_that_was_seen_is_not_given_out_again() {
    there(|| {
        let server = Server::start();
        asked(&server, "UPDATE rankduel.leader SET epoch = 7; UPDATE rankduel.heads SET epoch = 7");
        let epoch = || server.client().get("/v1/nodes").expect_status(200)["epoch"].clone();
        assert!(soon(|| epoch() == 7));
        asked(&server, "UPDATE rankduel.leader SET epoch = 4; UPDATE rankduel.heads SET epoch = 4");
        assert!(soon(|| epoch() == 8));
        let settings = json!({"name": "e", "rankers": ["old", "new"]});
        assert!(soon(|| server.client().post("/v1/experiments", settings.clone()).status == 201));
        assert_eq!(asked(&server, "SELECT epoch FROM rankduel.leader"), "8");
    });
}

/// A browser with the cookies of another, at this server.
fn at(server: &Server, browser: &Client) -> Client {
    let mut client = server.client();
    client.headers.clone_from(&browser.headers);
    client
}

/// Whether something becomes true within a second, and the half that a busy machine takes.
fn within_a_second(mut holds: impl FnMut() -> bool) -> bool {
    (0..30).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        holds()
    })
}

#[test]
fn who_signed_in_at_one_server_is_signed_in_at_all() {
    there(|| {
        let mut first = Server::start();
        first.experiment("e", json!({}));
        let second = second(&first);
        let keys = ["admin", "read"].map(|role| first.key(&[role]));
        assert!(within_a_second(|| [&first, &second].iter().all(|server| server.client().get("/").status == 303)));
        let [admin, reader] = [signed_in(&first, &keys[0]), signed_in(&second, &keys[1])];
        for (server, browser) in [(&first, &reader), (&second, &admin)] {
            assert_eq!(at(server, browser).get("/e/e").status, 200);
        }
        let page = admin.get("/e/e");
        assert_eq!(asked(&first, "SELECT count(*) FROM rankduel.sign_ins"), "2");
        // Nothing there opens a page.
        let dump = asked(&first, "SELECT encode(hash, 'escape'), * FROM rankduel.sign_ins");
        let names = admin.headers.iter().filter_map(|(_, value)| value.split('=').nth(1));
        assert!(names.clone().count() == 1 && names.into_iter().all(|name| !dump.contains(name)));
        first.stop();
        assert!(soon(|| at(&second, &admin).get("/e/e").status == 200));
        // A form token of the other one's page is valid here.
        let own = token(&page);
        assert_eq!(form(&at(&second, &admin), "/e/e/pause", &[("token", &own)]).status, 303);
        first.run().expect("it starts again");
        assert_eq!(form(&at(&first, &admin), "/sign-out", &[("token", &own)]).status, 303);
        assert!(within_a_second(|| [&first, &second].iter().all(|server| at(server, &admin).get("/").status == 303)));
        assert_eq!(at(&second, &reader).get("/").status, 200);
        assert!(first.command(&["keys", "revoke", "2"]).status.success());
        assert!(within_a_second(|| [&first, &second].iter().all(|server| at(server, &reader).get("/").status == 303)));
        assert_eq!(asked(&first, "SELECT count(*) FROM rankduel.sign_ins"), "0");
        // Nor does one that is too old, and its row goes.
        let late = signed_in(&second, &keys[0]);
        assert_eq!(late.get("/").status, 200);
        second.pass(DAY / 2);
        assert_eq!(late.get("/").status, 303);
        assert!(soon(|| asked(&second, "SELECT count(*) FROM rankduel.sign_ins") == "0"));
    });
}

#[test]
fn messages_are_sent_once_by_the_leader() {
    there(|| {
        let receiver = Receiver::start();
        let mut first = Server::start_with(|settings| settings.notify = Some(receiver.url.clone()));
        let mut second = Server::stopped();
        second.settings = first.settings.clone();
        second.run().expect("a second server");
        first.experiment("e", json!({}));
        change(&second, "e", "pause");
        receiver.wait("e", 1);
        // Messages that the receiver refuses wait in the database, and the next server to lead sends them.
        receiver.set(Mood::Refuses);
        change(&first, "e", "resume");
        assert!(soon(|| asked(&first, "SELECT count(*) FROM rankduel.messages WHERE failures > 0") == "1"));
        first.stop();
        assert!(soon(|| role(&second) == "leads"));
        receiver.set(Mood::Takes);
        second.pass(6 * MINUTE);
        receiver.wait("e", 2);
        // Events that the previous leader had no time to see are seen by the next one.
        first.pass(6 * MINUTE);
        first.run().expect("it starts again");
        change(&second, "e", "end");
        second.stop();
        assert!(soon(|| role(&first) == "leads"));
        receiver.wait("e", 3);
        std::thread::sleep(Duration::from_secs(5));
        assert_eq!(receiver.kinds("e"), ["paused", "resumed", "ended"], "none is lost, and none is sent twice");
        let taken = receiver.taken.lock().unwrap();
        let ids: std::collections::BTreeSet<&String> =
            taken.iter().map(|(headers, _)| &headers["rankduel-delivery"]).collect();
        assert_eq!(ids.len(), 3);
        assert!(first.client().get("/e/e").body.contains("Messages sent"));
        assert_eq!(asked(&first, "SELECT count(*) FROM rankduel.messages WHERE delivered IS NULL"), "0");
    });
}

/// Addresses are given to others once a server has ended, also to servers with another store.
#[test]
fn a_server_at_the_address_of_another_answers_nothing_for_it() {
    there(|| {
        let [server, foreign] = [Server::start(), Server::start()];
        for server in [&server, &foreign] {
            server.experiment("e", json!({"champion": "old"}));
        }
        let log = foreign.log("e");
        asked(
            &server,
            &format!(
                "BEGIN; INSERT INTO rankduel.nodes VALUES ('x', '{}', now(), now() + interval '1 hour');
                 UPDATE rankduel.leader SET epoch = epoch + 1, node = 'x'; UPDATE rankduel.heads SET epoch = epoch + 1; COMMIT",
                foreign.address()
            ),
        );
        assert!(soon(|| role(&server) == "follows"));
        let ask = |unit: usize| {
            let body = json!({"unit": format!("u{unit}"), "lists": two_lists(4)});
            server.client().post("/v1/experiments/e/impressions", body)
        };
        // The first one may get the answer that the epoch is over.
        assert!(soon(|| ask(0).status == 200));
        for unit in 1..20 {
            let answer = ask(unit).expect_status(200);
            assert_eq!(answer["why"], "unavailable", "{answer}");
        }
        assert_eq!(foreign.log("e"), log);
        let misdirected = foreign.client().with("Rankduel-To", "x").get("/v1/experiments");
        assert_eq!(misdirected.status, 421, "{}", misdirected.body);
    });
}
