//! A server in this process, and a client that shares no code with it.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rankduel_server::http::Call;
use rankduel_server::running::{Hooks, RunningServer, StartError};
use rankduel_server::settings::{Consent, Settings};
use rankduel_server::store::{Faults, Operation};
use rankduel_server::writer::Clock;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::postgres;

/// 2026-11-26 12:00:00 UTC.
pub(crate) const NOON: i64 = 1_795_694_400_000;
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// A store in a folder of its own, and the server of it.
pub(crate) struct Server {
    pub(crate) folder: TempDir,
    pub(crate) time: Arc<AtomicI64>,
    pub(crate) faults: Arc<OnDemand>,
    pub(crate) settings: Settings,
    running: Option<RunningServer>,
    /// An experiment with more units is served before all of them were checked.
    pub(crate) checked_units: Option<u64>,
}

/// Fails the operations that a test asks for.
#[derive(Default)]
pub(crate) struct OnDemand {
    /// The operation, and the number of its next calls that fail.
    failing: Mutex<Option<(Operation, u64)>>,
    /// Which operation takes this long.
    slow: Mutex<Option<(Operation, Duration)>>,
    pub(crate) failed: AtomicU64,
}

impl OnDemand {
    pub(crate) fn fail(&self, operation: Operation, times: u64) {
        *self.failing.lock().unwrap() = Some((operation, times));
    }

    pub(crate) fn delay(&self, operation: Operation, time: Duration) {
        *self.slow.lock().unwrap() = Some((operation, time));
    }

    pub(crate) fn stop(&self) {
        *self.slow.lock().unwrap() = None;
        *self.failing.lock().unwrap() = None;
    }
}

impl Faults for OnDemand {
    fn fails(&self, operation: Operation) -> bool {
        let slow = *self.slow.lock().unwrap();
        if let Some((_, time)) = slow.filter(|(which, _)| *which == operation) {
            std::thread::sleep(time);
        }
        let mut failing = self.failing.lock().unwrap();
        let Some((which, times)) = &mut *failing else { return false };
        if *which != operation || *times == 0 {
            return false;
        }
        *times -= 1;
        self.failed.fetch_add(1, Ordering::SeqCst);
        true
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    pub(crate) fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut server = Self::stopped();
        change(&mut server.settings);
        server.run().expect("a server");
        server
    }

    /// A place for a server that does not run yet.
    pub(crate) fn stopped() -> Self {
        let folder = TempDir::new().expect("a folder");
        let mut settings = Settings::of(postgres::fresh().unwrap_or_else(|| folder.path().join("store.db").into()));
        settings.listen = "127.0.0.1:0".parse().expect("an address");
        settings.consent = Consent { create: true, no_keys: true, ..Consent::default() };
        // Tests run side by side on slow machines; those about late answers set their own.
        settings.decision_timeout = Duration::from_secs(20);
        let (time, faults) = (Arc::new(AtomicI64::new(NOON)), Arc::new(OnDemand::default()));
        Self { folder, time, faults, settings, running: None, checked_units: None }
    }

    pub(crate) fn run(&mut self) -> Result<(), StartError> {
        let clock = Some(Clock::Set(Arc::clone(&self.time)));
        let faults = Some(Arc::clone(&self.faults) as Arc<dyn Faults>);
        self.running = Some(RunningServer::start(
            self.settings.clone(),
            Hooks { clock, faults, checked_units: self.checked_units, ..Hooks::default() },
        )?);
        Ok(())
    }

    pub(crate) fn stop(&mut self) {
        self.running.take().expect("it runs").stop();
    }

    pub(crate) fn restart(&mut self) {
        self.stop();
        self.run().expect("it starts again");
    }

    /// Why the server ends by itself, if it does so within this time.
    pub(crate) fn ended_by_itself(&self, within: Duration) -> Option<String> {
        let running = self.running.as_ref().expect("it runs");
        let until = std::time::Instant::now() + within;
        while std::time::Instant::now() < until {
            if let Some(why) = running.fatal() {
                return Some(why);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }

    /// The key that the server made for a new store.
    pub(crate) fn first_key(&self) -> Option<String> {
        self.running.as_ref().expect("it runs").first_key().map(str::to_owned)
    }

    pub(crate) fn store(&self) -> &Path {
        self.settings.store.file().expect("a file")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running.as_ref().expect("it runs").address()
    }

    /// Sends requests without a connection, side by side.
    pub(crate) fn send(&self, calls: Vec<Call>) -> Vec<(u16, Value)> {
        self.running.as_ref().expect("it runs").send(calls)
    }

    pub(crate) fn pass(&self, milliseconds: i64) {
        self.time.fetch_add(milliseconds, Ordering::SeqCst);
    }

    pub(crate) fn client(&self) -> Client {
        Client { address: self.address(), headers: vec![] }
    }

    pub(crate) fn with_key(&self, key: &str) -> Client {
        Client { address: self.address(), headers: vec![("Authorization".to_owned(), format!("Bearer {key}"))] }
    }

    /// A connection with this read timeout.
    pub(crate) fn connect_for(&self, wait: Duration) -> TcpStream {
        let stream = TcpStream::connect(self.address()).expect("a connection");
        stream.set_read_timeout(Some(wait)).expect("a timeout");
        stream
    }

    /// Makes an experiment of two rankers with these settings beside.
    pub(crate) fn experiment(&self, name: &str, more: Value) {
        let mut settings = json!({"name": name, "rankers": ["old", "new"], "shown": 3});
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.client().post("/v1/experiments", settings).expect_status(201);
    }

    /// The position and checksum of an experiment's log.
    pub(crate) fn log(&self, name: &str) -> (u64, String) {
        let status = self.client().get(&format!("/v1/experiments/{name}")).expect_status(200);
        let log = &status["log"];
        (log["events"].as_u64().unwrap(), log["checksum"].as_str().unwrap().to_owned())
    }

    /// Runs the program with this store.
    pub(crate) fn command(&self, arguments: &[&str]) -> Output {
        // The name of a database here has no password, so that it is shown as it is.
        command(arguments, Some(Path::new(&self.settings.store.to_string())))
    }

    /// Makes a key, and the store where there is none.
    pub(crate) fn key(&self, arguments: &[&str]) -> String {
        let mut all = vec!["keys", "add"];
        if !self.settings.store.is_made().expect("a store") {
            all.push("--create");
        }
        all.extend(arguments);
        let output = self.command(&all);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

pub(crate) fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_rankduel-server").into()
}

pub(crate) fn command(arguments: &[&str], store: Option<&Path>) -> Output {
    let mut command = Command::new(program());
    command.args(arguments).env_clear();
    if let Some(store) = store {
        command.env("RANKDUEL_STORE", store);
    }
    command.output().expect("the program")
}

/// Both outputs of a command, as text.
pub(crate) fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (text(&output.stdout), text(&output.stderr))
}

#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    pub(crate) headers: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self { address, headers: vec![] }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name.to_owned(), value.to_owned()));
        other
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(&body.to_string()))
    }

    pub(crate) fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, Some(&body.to_string()))
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let has = |name: &str| self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !has("host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = body {
            if !has("content-type") {
                head += "Content-Type: application/json\r\n";
            }
            if !has("content-length") && !has("transfer-encoding") {
                head += &format!("Content-Length: {}\r\n", body.len());
            }
        }
        self.raw(&format!("{head}\r\n{}", body.unwrap_or("")))
    }

    /// Sends this text, and reads the answer.
    pub(crate) fn raw(&self, text: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        // A server that has seen enough may close before all is sent.
        let _ = stream.write_all(text.as_bytes());
        read_answer(&mut stream).expect("an answer")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("a connection")
    }
}

/// Reads to the end of a connection; `None` if it ended without an answer.
pub(crate) fn read_answer(stream: &mut TcpStream) -> Option<Answer> {
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            // A signal to this process, which a read with a timeout does not outlast.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => panic!("{error}"),
        }
    }
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let is_chunked = headers.get("transfer-encoding").is_some_and(|value| value == "chunked");
    let body = if is_chunked { dechunked(body) } else { body.to_owned() };
    Some(Answer { status, headers, body })
}

fn dechunked(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return body;
        }
        body += &rest[..size];
        text = &rest[size + 2..];
    }
    panic!("the answer was cut off")
}

impl Answer {
    #[track_caller]
    pub(crate) fn expect_status(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.json()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// The problem of an answer, checked for its form.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem = self.json();
        assert_eq!((&problem["type"], &problem["status"]), (&json!("about:blank"), &json!(status)));
        assert!(problem["title"].is_string() && problem["detail"].is_string(), "{problem}");
        assert_eq!(self.headers.contains_key("retry-after"), status == 503 || status == 429, "{problem}");
        problem
    }
}

/// Lists of two rankers that share no document: `o1, o2, ...` and `n1, n2, ...`.
pub(crate) fn two_lists(length: usize) -> Value {
    let list = |letter: char| (1..=length).map(|number| format!("{letter}{number}")).collect::<Vec<_>>();
    json!({"old": list('o'), "new": list('n')})
}

/// A click on a document, in UBI.
pub(crate) fn click(id: &Value, document: &str) -> Value {
    json!({"action_name": "click", "query_id": id, "event_attributes": {"object": {"object_id": document}}})
}

/// The statuses of the results of events.
pub(crate) fn statuses(answer: &Value) -> Vec<String> {
    answer["results"].as_array().unwrap().iter().map(|result| result["status"].as_str().unwrap().to_owned()).collect()
}
