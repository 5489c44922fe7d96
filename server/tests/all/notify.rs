//! Messages about experiments reach a receiver that fails, at least once, in order, and no page waits for them.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rankduel_server::notify::Target;
use serde_json::{Value, json};

use crate::support::{MINUTE, Server};

const KEY: &str = "a key of more than sixteen bytes";

/// The reaction of a receiver to a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mood {
    Takes,
    Refuses,
    /// Takes it, but answers too late.
    IsSlow,
}

/// A message that was taken: its headers and its body.
pub(crate) type Taken = (BTreeMap<String, String>, Value);

/// A receiver of messages.
pub(crate) struct Receiver {
    pub(crate) url: String,
    mood: Arc<Mutex<Mood>>,
    /// Headers and body of each attempt.
    pub(crate) taken: Arc<Mutex<Vec<Taken>>>,
    is_over: Arc<AtomicBool>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let mood = Arc::new(Mutex::new(Mood::Takes));
        let taken: Arc<Mutex<Vec<_>>> = Arc::default();
        let is_over = Arc::new(AtomicBool::new(false));
        let (own, all, over) = (Arc::clone(&mood), Arc::clone(&taken), Arc::clone(&is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let (headers, body) = request(&mut stream);
                let body: Value = serde_json::from_str(&body).unwrap();
                let mood = *own.lock().unwrap();
                let answer = if mood == Mood::Refuses { "500 Internal Server Error" } else { "204 No Content" };
                if mood != Mood::Refuses {
                    all.lock().unwrap().push((headers, body));
                }
                if mood == Mood::IsSlow {
                    // The server gives up after ten seconds; nothing else waits for them.
                    std::thread::sleep(Duration::from_millis(10_500));
                }
                let _ = write!(stream, "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        });
        Self { url, mood, taken, is_over }
    }

    pub(crate) fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// The kinds of messages about an experiment, by attempt that was taken.
    pub(crate) fn kinds(&self, experiment: &str) -> Vec<String> {
        let taken = self.taken.lock().unwrap();
        let of = taken.iter().filter(|(_, body)| body["experiment"] == experiment);
        of.map(|(_, body)| body["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until an experiment has this number of messages.
    pub(crate) fn wait(&self, experiment: &str, count: usize) {
        let until = Instant::now() + Duration::from_secs(30);
        while self.kinds(experiment).len() < count {
            assert!(Instant::now() < until, "{:?}", self.kinds(experiment));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://").trim_end_matches("/hook"));
    }
}

fn request(stream: &mut TcpStream) -> (BTreeMap<String, String>, String) {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
            let headers: BTreeMap<String, String> =
                lines.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
            let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return (headers, body.to_owned());
            }
        }
        let read = stream.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..read]);
        if read == 0 {
            return (BTreeMap::new(), "{}".to_owned());
        }
    }
}

fn server(url: &str) -> Server {
    let mut server = Server::stopped();
    std::fs::write(server.folder.path().join("key"), format!("{KEY}\n")).unwrap();
    server.settings.notify = Some(url.to_owned());
    server.settings.notify_key = Some(server.folder.path().join("key"));
    server.run().unwrap();
    server
}

pub(crate) fn change(server: &Server, experiment: &str, verb: &str) {
    let path = format!("/v1/experiments/{experiment}/{verb}");
    server.client().post(&path, json!({"why": "a test"})).expect_status(200);
}

#[test]
fn each_message_arrives_signed_and_in_order() {
    let receiver = Receiver::start();
    let server = server(&receiver.url);
    server.experiment("e", json!({}));
    server.experiment("f", json!({}));
    for verb in ["pause", "resume", "end"] {
        change(&server, "e", verb);
    }
    change(&server, "f", "kill");
    receiver.wait("e", 3);
    receiver.wait("f", 1);
    assert_eq!(receiver.kinds("e"), ["paused", "resumed", "ended"]);
    assert_eq!(receiver.kinds("f"), ["killed"]);
    let taken = receiver.taken.lock().unwrap();
    let target = Target::new("http://x/", Some(KEY.as_bytes().to_vec())).unwrap();
    for (headers, body) in taken.iter() {
        let id = headers["rankduel-delivery"].parse().unwrap();
        let signature = target.signature(id, &body.to_string()).unwrap();
        assert_eq!(headers["rankduel-signature"], format!("sha256={signature}"));
        assert_eq!(body["page"], format!("/e/{}", body["experiment"].as_str().unwrap()));
    }
    assert_eq!(taken[0].1["sentence"], "e is paused, by local: a test");
    drop(taken);
    let page = server.client().get("/e/e").body;
    assert!(page.contains("Messages sent") && page.contains("delivered"), "{page}");
    assert!(server.client().get("/metrics").body.contains("rankduel_messages_total{status=\"delivered\"} 4\n"));
}

#[test]
fn a_receiver_that_is_down_for_an_hour_gets_everything_after_it() {
    let receiver = Receiver::start();
    receiver.set(Mood::Refuses);
    let mut server = server(&receiver.url);
    server.experiment("e", json!({}));
    change(&server, "e", "pause");
    // Failures are on the page, and pages do not wait.
    let until = Instant::now() + Duration::from_secs(30);
    while !server.client().get("/e/e").body.contains("the last: status 500") {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(100));
    }
    for _ in 0..12 {
        server.pass(5 * MINUTE);
        let began = Instant::now();
        server.client().get("/e/e");
        assert!(began.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(300));
    }
    change(&server, "e", "resume");
    // Waiting messages survive a restart.
    server.restart();
    assert_eq!(receiver.kinds("e"), Vec::<String>::new());
    receiver.set(Mood::Takes);
    server.pass(6 * MINUTE);
    receiver.wait("e", 2);
    assert_eq!(receiver.kinds("e"), ["paused", "resumed"]);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(receiver.kinds("e").len(), 2, "nothing is sent twice without a need");
}

#[test]
fn a_slow_receiver_gets_a_message_again_and_no_page_waits() {
    let receiver = Receiver::start();
    receiver.set(Mood::IsSlow);
    let server = server(&receiver.url);
    server.experiment("e", json!({}));
    change(&server, "e", "pause");
    receiver.wait("e", 1);
    // While the receiver thinks, everything else goes on.
    for _ in 0..20 {
        let began = Instant::now();
        server.client().get("/e/e");
        server.client().get("/v1/experiments/e").expect_status(200);
        assert!(began.elapsed() < Duration::from_secs(2));
    }
    receiver.set(Mood::Takes);
    std::thread::sleep(Duration::from_secs(11));
    server.pass(2 * MINUTE);
    receiver.wait("e", 2);
    let ids: Vec<String> =
        receiver.taken.lock().unwrap().iter().map(|(headers, _)| headers["rankduel-delivery"].clone()).collect();
    assert_eq!(ids[0], ids[1], "a receiver knows by the number what it has seen");
}

#[test]
fn settings_of_messages_that_cannot_work_are_refused() {
    let mut server = Server::stopped();
    server.settings.notify = Some("http://127.0.0.1:9/".to_owned());
    server.settings.notify_key = Some(server.folder.path().join("none"));
    let refused = server.run().unwrap_err().to_string();
    assert!(refused.contains("none: cannot be read"), "{refused}");
    std::fs::write(server.folder.path().join("none"), "short").unwrap();
    let refused = server.run().unwrap_err().to_string();
    assert!(refused.contains("fewer than 16 bytes"), "{refused}");
}
