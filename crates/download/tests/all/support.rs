//! An HTTP server that answers as a test wants.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use letor_io::registry::Entry;
use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The preference matrix `m` with the text `matrix`, as the registry would describe it: from these addresses, with this size
/// and number of arms.
pub(crate) fn entry(addresses: &[&str], matrix: &[u8], bytes: usize, arms: u32) -> Entry {
    let sum = sha256(matrix);
    let source = |address: &&str| {
        format!(
            "[[source]]\naddress = {address:?}\nfile = \"m.txt\"\nbytes = {bytes}\nsha256 = {sum:?}\ndirect = true\n"
        )
    };
    let text = format!(
        "name = \"m\"\ntitle = \"M\"\nabout = \"a matrix\"\n[licence]\nterms = \"none\"\naddress = \"-\"\n\
         [matrix]\nfile = \"m.txt\"\narms = {arms}\n{}",
        addresses.iter().map(source).collect::<String>()
    );
    toml::from_str(&text).unwrap()
}

/// A request: path and headers (names in lower case).
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
}

impl Request {
    /// Where the requested range begins.
    pub(crate) fn range(&self) -> Option<usize> {
        self.headers.get("range")?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
    }
}

/// An answer: status line, headers, and the part of the body that is sent before the connection ends.
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// The length in the header, if it is not the true one.
    pub(crate) claims: Option<usize>,
    /// Whether the server stays silent instead of ending the connection.
    pub(crate) hangs: bool,
    /// The pause after each byte of the body, if it is sent byte by byte.
    pub(crate) trickles: Option<Duration>,
}

impl Answer {
    pub(crate) fn new(status: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), claims: None, hangs: false, trickles: None }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Sends only the first `len` bytes of the announced content.
    pub(crate) fn cut(mut self, len: usize) -> Self {
        self.claims = Some(self.body.len());
        self.body.truncate(len);
        self
    }

    pub(crate) fn hang(mut self) -> Self {
        self.hangs = true;
        self
    }

    pub(crate) fn trickle(mut self, pause: Duration) -> Self {
        self.trickles = Some(pause);
        self
    }
}

/// A good server's answer: the whole file or the requested part, under one entity tag.
pub(crate) fn with_ranges(request: &Request, file: &[u8]) -> Answer {
    let same = request.headers.get("if-range").is_none_or(|tag| tag == "\"v1\"");
    let answer = match request.range() {
        Some(start) if same && start < file.len() => {
            let range = format!("bytes {start}-{}/{}", file.len() - 1, file.len());
            Answer::new("206 Partial Content", &file[start..]).with("content-range", range)
        }
        _ => Answer::new("200 OK", file),
    };
    answer.with("etag", "\"v1\"").with("accept-ranges", "bytes")
}

pub(crate) struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers requests; `play` gets their number, from 0.
    pub(crate) fn new(play: impl Fn(usize, &Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (requests, done) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (seen, stop) = (Arc::clone(&requests), Arc::clone(&done));
        let play = Arc::new(play);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                // Some clients open connections in advance, so each connection has its own thread.
                let (stream, seen, play, stop) = (stream.unwrap(), seen.clone(), play.clone(), stop.clone());
                std::thread::spawn(move || serve(stream, &seen, &*play, &stop));
            }
        });
        Self { address, requests, done, thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.done.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
        self.thread.take().unwrap().join().unwrap();
    }
}

fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Request>>,
    play: &(dyn Fn(usize, &Request) -> Answer + Send + Sync),
    stop: &AtomicBool,
) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(first) = lines.next() else {
        return;
    };
    let path = first.split(' ').nth(1).unwrap_or("/").to_string();
    let headers = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_string()))
    });
    let request = Request { path, headers: headers.collect() };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let answer = play(number, &request);
    let mut head = format!("HTTP/1.1 {}\r\nconnection: close\r\n", answer.status);
    head += &format!("content-length: {}\r\n", answer.claims.unwrap_or(answer.body.len()));
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    // A client that stopped listening is not an error.
    let _ = stream.write_all(format!("{head}\r\n").as_bytes());
    if let Some(pause) = answer.trickles {
        for byte in &answer.body {
            if stream.write_all(&[*byte]).is_err() || stop.load(Ordering::SeqCst) {
                return;
            }
            std::thread::sleep(pause);
        }
    } else {
        let _ = stream.write_all(&answer.body);
    }
    let _ = stream.flush();
    while answer.hangs && !stop.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
    }
}
