//! Pages: the list, an experiment, the stream, signing in, and buttons.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Answer, Client, DAY, Server, click, two_lists};

/// Users who click the first document of `new` whenever they see it.
fn traffic(server: &Server, name: &str, users: usize) {
    for user in 0..users {
        let body = json!({"unit": format!("user-{user}"), "lists": two_lists(3)});
        let told = server.client().post(&format!("/v1/experiments/{name}/impressions"), body).expect_status(200);
        server.client().post("/v1/events", click(&told["id"], "n1")).expect_status(200);
    }
}

/// Sends a form as a browser does.
pub(crate) fn form(client: &Client, path: &str, fields: &[(&str, &str)]) -> Answer {
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    client.with("Content-Type", "application/x-www-form-urlencoded").send("POST", path, Some(&body.join("&")))
}

/// The token in the forms of a page.
pub(crate) fn token(page: &Answer) -> String {
    let (_, rest) = page.body.split_once("name=\"token\" value=\"").expect("a form");
    rest.split('"').next().expect("a value").to_owned()
}

/// A browser that has signed in with a key.
pub(crate) fn signed_in(server: &Server, key: &str) -> Client {
    let answer = form(&server.client(), "/sign-in", &[("key", key), ("next", "")]);
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "./"), "{}", answer.body);
    let cookie = &answer.headers["set-cookie"];
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Max-Age="), "{cookie}");
    server.client().with("Cookie", cookie.split(';').next().expect("a cookie"))
}

/// A stream, read as it comes.
struct Stream {
    stream: TcpStream,
    text: String,
}

impl Stream {
    fn open(server: &Server, path: &str, headers: &str) -> Self {
        let mut stream = server.connect_for(Duration::from_millis(100));
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", server.address());
        stream.write_all(request.as_bytes()).expect("a request");
        Self { stream, text: String::new() }
    }

    /// Reads until the text holds `what`; `false` if it does not for ten seconds, or the stream ends.
    fn reads(&mut self, what: &str) -> bool {
        let (begun, mut piece) = (Instant::now(), [0; 64 << 10]);
        while !self.text.contains(what) {
            match self.stream.read(&mut piece) {
                Ok(0) => return false,
                Ok(count) => self.text += std::str::from_utf8(&piece[..count]).expect("UTF-8"),
                Err(_) if begun.elapsed() > Duration::from_secs(10) => return false,
                Err(_) => {}
            }
        }
        true
    }

    /// The parts that came, in their order.
    fn parts(&self) -> Vec<Value> {
        let lines = self.text.lines().filter_map(|line| line.strip_prefix("data: {"));
        lines.map(|line| serde_json::from_str(&format!("{{{line}")).expect("JSON")).collect()
    }
}

#[test]
fn a_page_shows_an_experiment_and_loads_nothing_from_elsewhere() {
    let server = Server::start();
    server.experiment("e", json!({"simulated": true}));
    traffic(&server, "e", 120);
    server.pass(2 * DAY);
    // Days close once a second, or when their experiment is read.
    server.client().get("/v1/experiments/e").expect_status(200);
    let list = server.client().get("/");
    assert_eq!((list.status, list.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    assert!(list.body.contains("href=\"e/e\"") && list.body.contains("new beats old: "), "{}", list.body);
    assert!(list.body.contains("All users are simulated."), "{}", list.body);
    let page = server.client().get("/e/e");
    assert!(page.body.contains("<h1>new beats old: "), "{}", page.body);
    for part in ["Win rate", "Traffic", "What counts, and what was set aside", "Guardrails", "All users are simulated."]
    {
        assert!(page.body.contains(part), "{part}");
    }
    for answer in [&list, &page] {
        let policy = &answer.headers["content-security-policy"];
        assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert!(!answer.body.contains("style=") && !answer.body.contains("<style") && !answer.body.contains("onclick"));
        assert!(!answer.body.contains("://"), "everything is relative");
    }
    for (path, kind) in [("/page.css", "text/css"), ("/page.js", "text/javascript"), ("/icon.svg", "image/svg+xml")] {
        let answer = server.client().get(path);
        assert!(answer.status == 200 && answer.headers["content-type"].starts_with(kind), "{path}");
    }
    let unknown = server.client().get("/e/nothing");
    assert!(unknown.status == 404 && unknown.body.contains("There is no experiment"), "{}", unknown.body);
    // The list of the interface has what an experiment's own status has.
    let all = server.client().get("/v1/experiments").expect_status(200);
    let one = server.client().get("/v1/experiments/e").expect_status(200);
    for field in ["headline", "standing", "warnings"] {
        assert_eq!(all["experiments"][0][field], one[field], "{field}");
    }
    assert_eq!(one["standing"], "decided");
    assert_eq!(one["warnings"][0], "All users are simulated.");
    // Both rankers are on every page, so their rates without a click are equal.
    let said = one["not_watched"].as_str().expect("a sentence");
    assert!(
        said.starts_with("Not watched: impressions without a click, because every list shown so far mixed all rankers"),
        "{said}"
    );
    assert!(
        page.body.contains(said) && !page.body.contains("<small>impressions without a click</small>"),
        "{}",
        page.body
    );
}

#[test]
fn names_and_reasons_are_text() {
    let server = Server::start();
    let hostile = "<script>alert(1)</script>\"'&";
    server.client().post("/v1/experiments", json!({"name": "e", "rankers": [hostile, "<b>b"]})).expect_status(201);
    server.client().post("/v1/experiments/e/pause", json!({"why": hostile})).expect_status(200);
    let page = server.client().get("/e/e").body;
    assert!(!page.contains("<script>alert") && !page.contains("<b>b"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(!server.client().get("/").body.contains("<script>alert"));
}

#[test]
fn a_stream_sends_what_changes() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let mut stream = Stream::open(&server, "/v1/experiments/e/stream", "");
    assert!(stream.reads("event: version"), "{}", stream.text);
    assert!(stream.text.contains("content-type: text/event-stream"));
    assert!(stream.parts().len() > 8 && stream.text.contains("Not begun"));
    let page = server.client().get("/e/e").body;
    let from =
        page.split_once("data-stream=\"../").expect("a stream").1.split('"').next().expect("its address").to_owned();
    // A viewer who has loaded the page gets only changes, also after a connection that broke.
    let mut fresh = Stream::open(&server, &format!("/{from}"), "");
    let id = stream.text.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
    let mut again = Stream::open(&server, "/v1/experiments/e/stream", &format!("Last-Event-ID: {id}\r\n"));
    server.client().post("/v1/experiments/e/pause", json!({"why": "lunch"})).expect_status(200);
    for stream in [&mut stream, &mut fresh, &mut again] {
        assert!(stream.reads("Paused since"), "{}", stream.text);
        assert!(stream.reads("e/resume"), "{}", stream.text);
    }
    for few in [&fresh, &again] {
        assert!(few.parts().len() < 9, "{}", few.text);
        assert!(few.parts().iter().all(|part| part["part"] != "traffic"), "{}", few.text);
    }
    server.client().get("/v1/experiments/nothing/stream").problem(404);
}

#[test]
fn streams_end_with_the_server_and_are_limited() {
    let mut server = Server::start();
    server.experiment("e", json!({}));
    let mut open: Vec<Stream> = (0..256).map(|_| Stream::open(&server, "/v1/experiments/e/stream", "")).collect();
    for stream in &mut open {
        assert!(stream.reads("event: version"), "{}", stream.text);
    }
    server.client().get("/v1/experiments/e/stream").problem(503);
    open.truncate(200);
    let has_room = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let mut one = Stream::open(&server, "/v1/experiments/e/stream", "");
        one.reads("event: version")
    });
    assert!(has_room);
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < Duration::from_secs(4), "streams held the server for {:?}", begun.elapsed());
}

#[test]
fn a_key_opens_pages_and_its_role_the_buttons() {
    let server = Server::start();
    server.experiment("e", json!({}));
    server.experiment("d", json!({}));
    let keys = [["admin", ""], ["read", ""], ["serve", ""], ["read", "d"]].map(|[role, only]| {
        let bound = ["--experiment", only];
        server.key(&[&[role][..], if only.is_empty() { &[] } else { &bound[..] }].concat())
    });
    let mut server = server;
    server.restart();
    // Without a sign-in.
    for (path, place) in [("/", "sign-in?next="), ("/e/e", "../sign-in?next=e/e")] {
        let answer = server.client().get(path);
        assert_eq!((answer.status, answer.headers["location"].as_str()), (303, place), "{path}");
    }
    server.client().get("/v1/experiments/e/stream").problem(401);
    let form_of_sign_in = server.client().get("/sign-in?next=e/e");
    assert!(form_of_sign_in.status == 200 && form_of_sign_in.body.contains("value=\"e/e\""));
    for next in ["https://evil.example", "//evil.example", "e/../../x", "e/e?x", "javascript:alert(1)"] {
        let answer = form(&server.client(), "/sign-in", &[("key", &keys[0]), ("next", next)]);
        assert_eq!(answer.headers["location"], "./", "{next}");
    }
    for wrong in ["", "nonsense", &keys[2]] {
        let answer = form(&server.client(), "/sign-in", &[("key", wrong)]);
        assert!(answer.status == 403 && !answer.headers.contains_key("set-cookie"), "{wrong}");
    }
    let [admin, reader, _, bound] = &keys;
    let reader = signed_in(&server, reader);
    assert_eq!(reader.get("/").status, 200);
    let page = reader.get("/e/e");
    assert!(page.status == 200 && !page.body.contains("class=\"controls\""), "a reader has no buttons");
    let answer = form(&reader, "/e/e/pause", &[("token", &token(&page)), ("why", "")]);
    assert_eq!(answer.status, 403);
    // A key of one experiment sees that one alone.
    let bound = signed_in(&server, bound);
    assert!(!bound.get("/").body.contains("e/e\""));
    assert_eq!((bound.get("/e/e").status, bound.get("/e/d").status), (403, 200));
    // Buttons need the token of the reader's own page.
    let admin = signed_in(&server, admin);
    let own = token(&admin.get("/e/e"));
    for wrong in ["", "x", &token(&page)] {
        assert_eq!(form(&admin, "/e/e/kill", &[("token", wrong)]).status, 403, "{wrong}");
    }
    let elsewhere = admin.with("Origin", "https://evil.example");
    assert_eq!(form(&elsewhere, "/e/e/kill", &[("token", &own)]).status, 403);
    let answer = form(&admin, "/e/e/pause", &[("token", &own), ("why", "lunch <b>")]);
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "../e"));
    let page = admin.get("/e/e").body;
    assert!(page.contains("Paused since") && page.contains("lunch &lt;b&gt;") && page.contains("e/resume"), "{page}");
    assert!(page.contains("by key 1"), "{page}");
    assert_eq!(form(&admin, "/e/e/nothing", &[("token", &own)]).status, 404);
    // The cookie opens pages, and no call of the interface that changes something.
    admin.post("/v1/experiments/e/kill", json!({})).problem(401);
    // A stream ends with the session, and with the key.
    let cookie = admin.headers.iter().find(|(name, _)| name == "Cookie").expect("a cookie").1.clone();
    let mut stream = Stream::open(&server, "/v1/experiments/e/stream", &format!("Cookie: {cookie}\r\n"));
    assert!(stream.reads("event: version"));
    let answer = form(&admin, "/sign-out", &[("token", &own)]);
    assert!(answer.status == 303 && answer.headers["set-cookie"].contains("Max-Age=0"));
    assert_eq!(admin.get("/e/e").status, 303);
    assert!(!stream.reads("never"), "the stream has ended");
    assert!(server.command(&["keys", "revoke", "2"]).status.success());
    let is_out = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        reader.get("/").status == 303
    });
    assert!(is_out, "a revoked key shows nothing");
}

#[test]
fn without_keys_buttons_are_there_and_other_pages_cannot_press_them() {
    let server = Server::start_with(|settings| settings.origins = vec!["https://shop.example".to_owned()]);
    server.experiment("e", json!({}));
    let own = token(&server.client().get("/e/e"));
    for origin in ["https://evil.example", "https://shop.example", "null"] {
        let answer = form(&server.client().with("Origin", origin), "/e/e/kill", &[("token", &own)]);
        assert_eq!(answer.status, 403, "{origin}");
    }
    assert_eq!(form(&server.client(), "/e/e/kill", &[]).status, 403);
    let origin = format!("http://{}", server.address());
    assert_eq!(form(&server.client().with("Origin", &origin), "/e/e/kill", &[("token", &own)]).status, 303);
    let status = server.client().get("/v1/experiments/e").expect_status(200);
    assert_eq!((&status["standing"], &status["changes"][0]["who"]), (&json!("killed"), &json!("local")));
}

#[test]
fn a_hundred_viewers_cost_one_rendering() {
    let server = Server::start();
    server.experiment("e", json!({}));
    let mut open: Vec<Stream> = (0..100).map(|_| Stream::open(&server, "/v1/experiments/e/stream", "")).collect();
    for stream in &mut open {
        assert!(stream.reads("event: version"), "{}", stream.text);
    }
    // Versions count renderings: no more than seconds, however many look.
    let version = |page: &str| {
        let name = page.split_once("?after=").expect("a version").1.split('"').next().expect("its name");
        name.rsplit('.').next().expect("a number").parse::<u64>().expect("a number")
    };
    let (begun, first) = (Instant::now(), version(&server.client().get("/e/e").body));
    std::thread::sleep(Duration::from_secs(3));
    let renderings = version(&server.client().get("/e/e").body) - first;
    assert!(renderings <= begun.elapsed().as_secs() + 1, "{renderings} renderings in {:?}", begun.elapsed());
}
