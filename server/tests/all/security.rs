//! Permissions: keys, roles, ids, hosts, origins.

use serde_json::{Value, json};

use crate::support::{Client, Server, click, command, statuses, texts, two_lists};

/// A call of every kind, with its arguments.
fn calls(id: &str) -> Vec<(&'static str, &'static str, String, Option<Value>)> {
    vec![
        ("admin", "POST", "/v1/experiments".into(), Some(json!({"name": "e", "rankers": ["a", "b"]}))),
        ("read", "GET", "/v1/experiments".into(), None),
        ("read", "GET", "/v1/experiments/e".into(), None),
        ("serve", "POST", "/v1/experiments/e/impressions".into(), Some(json!({"unit": "u", "lists": two_lists(3)}))),
        ("serve", "POST", "/v1/experiments/e/choose".into(), Some(json!({"unit": "u"}))),
        ("serve", "POST", "/v1/experiments/d/duels".into(), Some(json!({}))),
        ("serve", "PUT", format!("/v1/impressions/{id}/lists"), Some(json!({"lists": two_lists(3)}))),
        ("serve", "POST", format!("/v1/impressions/{id}/next"), Some(json!({}))),
        ("serve", "PUT", format!("/v1/impressions/{id}/shown"), Some(json!({"documents": []}))),
        ("serve", "POST", format!("/v1/impressions/{id}/close"), Some(json!({}))),
        ("serve", "POST", format!("/v1/duels/{id}"), Some(json!({"winner": "tie"}))),
        ("admin", "GET", "/v1/experiments/e/export?what=log".into(), None),
        ("admin", "POST", "/v1/experiments/e/pause".into(), Some(json!({}))),
        ("admin", "POST", "/v1/experiments/e/resume".into(), Some(json!({}))),
        ("admin", "POST", "/v1/experiments/e/kill".into(), Some(json!({}))),
        ("admin", "POST", "/v1/experiments/e/end".into(), Some(json!({}))),
        ("admin", "POST", "/v1/units/delete".into(), Some(json!({"unit": "u"}))),
    ]
}

fn send(client: &Client, method: &str, path: &str, body: &Option<Value>) -> crate::support::Answer {
    client.send(method, path, body.as_ref().map(Value::to_string).as_deref())
}

/// A server with an experiment `e` and an impression of it, `d` for judges, and keys by name.
fn with_keys() -> (Server, String, Vec<(&'static str, String)>) {
    let server = Server::start();
    server.experiment("e", json!({}));
    server.experiment("d", json!({"ask": "duels"}));
    let told = server
        .client()
        .post("/v1/experiments/e/impressions", json!({"unit": "u", "lists": two_lists(3)}))
        .expect_status(200);
    let keys = vec![
        ("admin", server.key(&["admin"])),
        ("serve", server.key(&["serve", "--label", "the shop"])),
        ("read", server.key(&["read"])),
        ("other", server.key(&["admin", "--experiment", "d"])),
        ("revoked", server.key(&["admin"])),
    ];
    assert!(server.command(&["keys", "revoke", "5"]).status.success());
    let mut server = server;
    server.restart();
    (server, told["id"].as_str().unwrap().to_owned(), keys)
}

#[test]
pub(crate) fn every_call_needs_its_role() {
    let (server, id, keys) = with_keys();
    let key = |name: &str| &keys.iter().find(|(known, _)| *known == name).unwrap().1;
    for (role, method, path, body) in calls(&id) {
        let status = |client: &Client| send(client, method, &path, &body).status;
        assert_eq!(status(&server.client()), 401, "{method} {path} without a key");
        assert_eq!(status(&server.with_key("rankduel_nonsense")), 401, "{method} {path} with a key that there is not");
        assert_eq!(status(&server.with_key(key("revoked"))), 401, "{method} {path} with a revoked key");
        for other in ["serve", "read"].into_iter().filter(|other| *other != role) {
            let problem = send(&server.with_key(key(other)), method, &path, &body).problem(403);
            assert!(problem["detail"].as_str().unwrap().contains(&format!("expected the role {role}")), "{problem}");
        }
        // A key of another experiment: neither calls that name one nor its impressions.
        if path.contains("/e") && path.contains("experiments/e") || path.contains("impressions/") {
            assert_eq!(status(&server.with_key(key("other"))), 403, "{method} {path} with another experiment's key");
        }
        let allowed = status(&server.with_key(key(role)));
        assert!(!matches!(allowed, 401 | 403 | 404), "{method} {path} with a key of {role}: {allowed}");
        assert!(
            !matches!(status(&server.with_key(key("admin"))), 401 | 403 | 404),
            "{method} {path} with a key of admin"
        );
    }
    let problem = server.client().get("/v1/experiments");
    assert_eq!(problem.headers["www-authenticate"], "Bearer");
    let client = server.with_key(key("admin")).with("Authorization", "Bearer x");
    client.get("/v1/experiments").problem(401);
    for header in ["Basic eDp5", "Bearer", "", key("admin").as_str()] {
        server.client().with("Authorization", header).get("/v1/experiments").problem(401);
    }
    // The author of a change is named, but not the key.
    let status = server.with_key(key("read")).get("/v1/experiments/e").expect_status(200);
    assert_eq!(status["changes"][0]["who"], "key 1");
    // A key that is bound sees its experiment alone.
    let seen = server.with_key(key("other")).get("/v1/experiments").expect_status(200);
    assert_eq!(seen["experiments"].as_array().unwrap().len(), 1);
    server.with_key(key("other")).post("/v1/experiments", json!({"name": "x", "rankers": ["a", "b"]})).problem(403);
}

#[test]
pub(crate) fn ids_are_permissions_of_their_impression_alone() {
    let (server, id, keys) = with_keys();
    let event = |id: &str| click(&json!(id), "o1");
    let send = |client: &Client, id: &str| statuses(&client.post("/v1/events", event(id)).expect_status(200)).remove(0);
    // The id is enough; a key that is wrong is not passed over.
    assert_ne!(send(&server.client(), &id), "unknown");
    server.with_key("nonsense").post("/v1/events", event(&id)).problem(401);
    server.with_key(&keys[2].1).post("/v1/events", event(&id)).problem(403);
    let other = Server::start();
    other.experiment("e", json!({}));
    let told = other
        .client()
        .post("/v1/experiments/e/impressions", json!({"unit": "u", "lists": two_lists(3)}))
        .expect_status(200);
    let foreign = told["id"].as_str().unwrap();
    let changed = |at: usize| {
        let mut letters: Vec<char> = id.chars().collect();
        letters[at] = if letters[at] == 'A' { 'B' } else { 'A' };
        letters.into_iter().collect::<String>()
    };
    let mut forged: Vec<String> = (0..id.len()).map(changed).collect();
    forged.extend([
        foreign.to_owned(),
        "A".repeat(42),
        format!("{id}A"),
        id[1..].to_owned(),
        "../../etc".to_owned(),
        "1".to_owned(),
    ]);
    for forged in forged {
        assert_eq!(send(&server.client(), &forged), "unknown", "{forged}");
        let path = format!("/v1/impressions/{}/close", forged.replace('/', "%2F"));
        server.with_key(&keys[0].1).send("POST", &path, None).problem(404);
    }
}

#[test]
fn without_keys_only_this_machine_is_served() {
    let server = Server::start();
    let get = |client: Client| client.get("/v1/experiments").status;
    for host in ["localhost", "localhost:80", "127.0.0.1:7077", "[::1]:7077"] {
        assert_eq!(get(server.client().with("Host", host)), 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "169.254.169.254", ""] {
        assert!(matches!(get(server.client().with("Host", host)), 400 | 403), "{host}");
    }
    server.client().with("Host", "localhost").with("Host", "localhost").get("/health").problem(400);
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "file://"] {
        server.client().with("Origin", origin).get("/v1/experiments").problem(403);
        server.client().with("Origin", origin).post("/v1/events", json!([])).problem(403);
    }
    let own = format!("http://{}", server.address());
    assert_eq!(get(server.client().with("Origin", &own)), 200);

    let mut public = Server::stopped();
    public.settings.listen = "0.0.0.0:0".parse().unwrap();
    let error = public.run().expect_err("no keys").to_string();
    assert!(error.contains("has no keys") && error.contains("keys add"), "{error}");
    public.key(&["admin"]);
    public.run().expect("with a key");
    public.stop();
    // A key that was revoked opens nothing.
    assert!(public.command(&["keys", "revoke", "1"]).status.success());
    public.run().expect("with a revoked key");
}

#[test]
pub(crate) fn pages_of_listed_origins_may_call() {
    let server = Server::start_with(|settings| settings.origins = vec!["https://shop.example".to_owned()]);
    server.experiment("e", json!({}));
    let page = server.client().with("Origin", "https://shop.example");
    let answer = page.get("/v1/experiments");
    assert_eq!((answer.status, answer.headers["access-control-allow-origin"].as_str()), (200, "https://shop.example"));
    assert_eq!(
        (answer.headers["vary"].as_str(), answer.headers["cross-origin-resource-policy"].as_str()),
        ("Origin", "cross-origin")
    );
    assert_eq!(server.client().get("/v1/experiments").headers["cross-origin-resource-policy"], "same-origin");
    let asked = page.with("Access-Control-Request-Method", "POST").send("OPTIONS", "/v1/events", None);
    assert_eq!((asked.status, asked.headers["access-control-allow-methods"].as_str()), (204, "GET, POST, PUT"));
    assert!(!server.client().get("/v1/experiments").headers.contains_key("access-control-allow-origin"));
    let other = server.client().with("Origin", "https://shop.example.evil").get("/v1/experiments");
    other.problem(403);
    assert!(!other.headers.contains_key("access-control-allow-origin"));
}

/// `sendBeacon` sends cookies along, so that browsers ask whether the server allows them; no other call does, least of all the pages,
/// which a session's cookie opens.
#[test]
pub(crate) fn beacons_of_listed_origins_may_send_cookies_and_nothing_else_may() {
    let server = Server::start_with(|settings| settings.origins = vec!["https://shop.example".to_owned()]);
    server.experiment("e", json!({}));
    let allowed = |origin: &str, method: &str, path: &str| {
        let client = server.client().with("Origin", origin).with("Access-Control-Request-Headers", "content-type");
        let asked = client.with("Access-Control-Request-Method", method).send("OPTIONS", path, None);
        let sent = client.send(method, path, (method != "GET").then_some("{}"));
        [asked, sent].map(|answer| answer.headers.get("access-control-allow-credentials").cloned())
    };
    let yes = || Some("true".to_owned());
    assert_eq!(allowed("https://shop.example", "POST", "/v1/events"), [yes(), yes()]);
    let own = format!("http://{}", server.address());
    for origin in ["https://evil.example", "null", "https://shop.example.evil", &own] {
        assert_eq!(allowed(origin, "POST", "/v1/events"), [None, None], "{origin}");
    }
    let (_, id, _) = with_keys();
    let reads = ["/", "/e/e", "/v1/experiments/e/stream", "/sign-in", "/health", "/v1/events/"]
        .map(|path| ("GET", path.to_owned()));
    let calls = calls(&id).into_iter().map(|(_, method, path, _)| (method, path));
    for (method, path) in calls.chain(reads).filter(|(_, path)| !path.ends_with("/stream")) {
        assert_eq!(allowed("https://shop.example", method, &path), [None, None], "{method} {path}");
    }
}

/// HTTP/1.0 has no `Host`, and balancers use it.
#[test]
pub(crate) fn checks_are_answered_without_a_host() {
    let (keyed, _, _) = with_keys();
    for server in [Server::start(), keyed] {
        let get = |path: &str, head: &str| server.client().raw(&format!("GET {path} {head}\r\n\r\n"));
        for (path, body) in [("/health", "ok\n"), ("/ready", "ready\n"), ("/metrics", "# ")] {
            let answer = get(path, "HTTP/1.0");
            assert!(answer.status == 200 && answer.body.starts_with(body), "{path}: {answer:?}");
            get(path, "HTTP/1.0\r\nOrigin: https://evil.example").problem(403);
            get(path, "HTTP/1.0\r\nHost: localhost\r\nHost: localhost").problem(400);
            get(path, "HTTP/1.1\r\nConnection: close").problem(400);
            assert_eq!(get(&format!("http://evil.example{path}"), "HTTP/1.0").status, 400);
        }
        for path in ["/v1/experiments", "/", "/v1/experiments/e", "/health/", "/openapi.json"] {
            get(path, "HTTP/1.0").problem(400);
        }
    }
}

#[test]
pub(crate) fn every_answer_has_headers_that_protect() {
    let server = Server::start();
    for path in ["/health", "/v1/experiments", "/nothing", "/metrics"] {
        let answer = server.client().get(path);
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["cache-control"], "no-store", "{path}");
        assert!(answer.headers["content-security-policy"].starts_with("default-src 'none'"), "{path}");
    }
}

#[test]
pub(crate) fn changes_of_keys_reach_a_running_server() {
    let server = Server::start();
    let client = server.client();
    assert_eq!(client.get("/v1/experiments").status, 200);
    let key = server.key(&["read"]);
    let soon = |what: &dyn Fn() -> bool| {
        (0..100).any(|_| {
            what() || {
                std::thread::sleep(std::time::Duration::from_millis(50));
                false
            }
        })
    };
    assert!(soon(&|| client.get("/v1/experiments").status == 401));
    assert_eq!(server.with_key(&key).get("/v1/experiments").status, 200);
    assert!(server.command(&["keys", "revoke", "1"]).status.success());
    assert!(soon(&|| server.with_key(&key).get("/v1/experiments").status == 401));
}

#[test]
fn neither_the_store_nor_the_log_has_keys_or_units() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let key = server.key(&["admin"]);
    let body = json!({"unit": "unit-of-anna", "query": "query-of-anna", "key": "key-of-anna", "agent": "agent-of-anna", "lists": two_lists(3)});
    server.client().post("/v1/experiments/e/impressions", body);
    let mut server = server;
    server.stop();
    let bytes = std::fs::read(server.store()).unwrap();
    for secret in [key.as_bytes(), b"unit-of-anna", b"query-of-anna", b"key-of-anna", b"agent-of-anna"] {
        assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{}", String::from_utf8_lossy(secret));
    }
    let (list, _) = texts(&command(&["keys", "list"], Some(server.store())));
    assert!(list.contains("1\tadmin\tall") && !list.contains(&key), "{list}");
    use std::os::unix::fs::PermissionsExt as _;
    assert_eq!(std::fs::metadata(server.store()).unwrap().permissions().mode() & 0o777, 0o600);
}
