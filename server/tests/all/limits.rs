//! Bodies that are too large, too deep or too slow, too many connections and requests.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Server, read_answer, two_lists};

#[test]
pub(crate) fn bodies_have_limits() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let path = "/v1/experiments/e/impressions";
    let send = |body: &str| server.client().send("POST", path, Some(body));
    // Just within the limit: one long text, which is refused for itself.
    let text = |bytes: usize| format!("{{\"unit\": \"{}\"}}", "a".repeat(bytes - 12));
    assert_eq!(text(100).len(), 100);
    send(&text(1 << 20)).problem(400);
    send(&text((1 << 20) + 1)).problem(413);
    // Without a length, and with one that promises more.
    let chunked = server.client().with("Transfer-Encoding", "chunked");
    let body = format!("{:x}\r\n{}\r\n0\r\n\r\n", (1 << 20) + 1, text((1 << 20) + 1));
    chunked.send("POST", path, Some(&body)).problem(413);
    server.client().with("Content-Length", "99999999999").send("POST", path, Some("{")).problem(413);
    for (many, status) in [(31, 400), (33, 400), (100_000, 400)] {
        let problem = send(&format!("{}{}", "[".repeat(many), "]".repeat(many))).problem(status);
        assert_eq!(problem["detail"].as_str().unwrap().contains("32 levels"), many > 32, "{problem}");
    }
    for body in
        ["", "{", "{\"unit\": \"a\", \"unit\": \"b\"}", "\u{feff}{}", "{\"unit\": 1}", "[]", "null", "{\"unit\": \"\"}"]
    {
        send(body).problem(400);
    }
    let with = |kind: &str| server.client().with("Content-Type", kind).send("POST", path, Some("{}"));
    for kind in ["text/plain", "application/x-www-form-urlencoded", "", "json"] {
        with(kind).problem(415);
    }
    server.client().with("Content-Encoding", "gzip").send("POST", path, Some("{}")).problem(415);
    let long = "x".repeat(257);
    for body in [
        json!({"unit": long, "lists": two_lists(1)}),
        json!({"unit": "u", "key": long, "lists": two_lists(1)}),
        json!({"unit": "u", "lists": {"old": [long], "new": []}}),
        json!({"unit": "u", "lists": two_lists(1), "more": 1}),
        json!({"unit": "u", "lists": two_lists(1), "query": "q".repeat(4097)}),
    ] {
        server.client().post(path, body).problem(400);
    }
    let many: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
    let problem = server.client().post(path, json!({"unit": "u", "lists": {"old": many, "new": []}})).problem(422);
    assert_eq!(problem["path"], "lists.old");
}

#[test]
pub(crate) fn many_large_bodies_at_a_time_wait_for_each_other() {
    let server = Server::start();
    let client = server.client();
    // At most 32 such bodies are in memory at a time.
    let body = format!("[{}1]", "1,".repeat((1 << 19) - 2));
    assert!(body.len() < 1 << 20);
    std::thread::scope(|scope| {
        let answers: Vec<_> =
            (0..80).map(|_| scope.spawn(|| client.send("POST", "/v1/experiments", Some(&body)).status)).collect();
        assert!(answers.into_iter().all(|answer| answer.join().unwrap() == 400));
    });
    assert_eq!(client.get("/ready").body, "ready\n");
}

#[test]
pub(crate) fn hostile_names_are_only_names() {
    let server = Server::start();
    let hostile = [
        "'; DROP TABLE events; --",
        "<script>alert(1)</script>",
        "a\u{0}b",
        "\u{202e}abc",
        "../../etc/passwd",
        "%00",
        "💥",
    ];
    for name in hostile {
        let answer = server.client().post("/v1/experiments", json!({"name": name, "rankers": ["a", "b"]}));
        assert_eq!(answer.problem(422)["path"], "name", "{name}");
    }
    server.experiment("e", json!({}));
    for name in hostile {
        let lists = json!({"old": [name, "x"], "new": ["y"]});
        let told = server
            .client()
            .post("/v1/experiments/e/impressions", json!({"unit": name, "query": name, "key": name, "lists": lists}));
        let told = told.expect_status(200);
        assert!(told["shown"].as_array().unwrap().contains(&json!(name)), "{name}");
        assert_eq!(
            server.client().post("/v1/events", crate::support::click(&told["id"], name)).expect_status(200)["taken"],
            1
        );
        server.client().post("/v1/experiments/e/pause", json!({"why": name})).expect_status(200);
        server.client().post("/v1/experiments/e/resume", json!({})).expect_status(200);
        server.client().post("/v1/units/delete", json!({"unit": name})).expect_status(200);
    }
    for path in [
        "/../etc/passwd",
        "/v1/../health",
        "/v1/experiments/..%2f..",
        "/v1/experiments/e%00",
        "//health",
        "/v1/experiments/%ff",
        "/HEALTH",
    ] {
        server.client().get(path).problem(404);
    }
    assert_eq!(server.client().get("/v1/experiments/e").expect_status(200)["impressions"]["asked"], hostile.len());
}

#[test]
pub(crate) fn slow_clients_are_cut_off_and_others_served() {
    let server = Server::start_with(|settings| {
        settings.request_timeout = Duration::from_millis(1500);
        settings.connections = 4;
    });
    let started = Instant::now();
    // A head that never ends, a body that never comes, and a silent connection.
    let mut head = server.client().connect();
    head.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: ").unwrap();
    let mut body = server.client().connect();
    body.write_all(b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\nConnection: close\r\n\r\n{").unwrap();
    let mut silent = server.client().connect();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.client().get("/health").body, "ok\n");
    let answer = read_answer(&mut body).expect("an answer");
    answer.problem(408);
    let mut rest = Vec::new();
    head.read_to_end(&mut rest).unwrap();
    silent.read_to_end(&mut rest).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(server.client().get("/health").body, "ok\n");
}

#[test]
pub(crate) fn connections_beyond_the_limit_are_told_so() {
    let server = Server::start_with(|settings| settings.connections = 2);
    let held: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = server.client().connect();
            stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream.read_exact(&mut [0; 12]).unwrap();
            stream
        })
        .collect();
    server.client().get("/v1/experiments").problem(503);
    // Liveness checks have connections of their own.
    for path in ["/health", "/ready", "/metrics"] {
        let answer = server.client().get(path);
        assert_eq!((answer.status, answer.headers["connection"].as_str()), (200, "close"), "{path}");
    }
    drop(held);
    let again = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        server.client().get("/v1/experiments").status == 200
    });
    assert!(again);
}

#[test]
pub(crate) fn an_address_has_a_rate() {
    let server = Server::start_with(|settings| settings.address_rate = 5);
    let answers: Vec<u16> = (0..30).map(|_| server.client().get("/v1/experiments").status).collect();
    let refused = answers.iter().filter(|status| **status == 429).count();
    // The time depends on the machine.
    assert!((1..=25).contains(&refused), "{answers:?}");
    let refused =
        (0..100).map(|_| server.client().get("/v1/experiments")).find(|answer| answer.status == 429).expect("one");
    refused.problem(429);
    assert!((0..20).all(|_| server.client().get("/health").status == 200));
}

#[test]
pub(crate) fn settings_that_are_wrong_are_named() {
    let server = Server::start();
    let post = |more: Value| {
        let mut settings = json!({"name": "e", "rankers": ["a", "b"]});
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.client().post("/v1/experiments", settings)
    };
    for (more, status, path) in [
        (json!({"policy": "rucbb"}), 422, "policy"),
        (json!({"rankers": ["a"]}), 422, "rankers"),
        (json!({"rankers": ["a", "a"]}), 422, "rankers"),
        (json!({"rankers": ["a", 3]}), 400, "rankers[1]"),
        (json!({"rankers": ["a", {"name": "b", "versoin": "1"}]}), 400, "rankers[1].versoin"),
        (json!({"champion": "c"}), 422, "champion"),
        (json!({"window": "soon"}), 422, "window"),
        (json!({"level": 2}), 422, "level"),
        (json!({"shown": "ten"}), 400, "shown"),
        (json!({"shown": 0}), 422, "shown"),
        (json!({"timezone": "Europe/Berlino"}), 422, "timezone"),
        (json!({"polici": "rucb"}), 400, "polici"),
        (json!({"guardrails": {"then": "explode"}}), 400, "guardrails"),
    ] {
        let problem = post(more.clone()).problem(status);
        assert_eq!(problem["path"], path, "{more}: {problem}");
    }
    post(json!({})).expect_status(201);
    post(json!({})).problem(409);
}
