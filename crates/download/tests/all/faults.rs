//! Downloads from a server on this machine that behaves well or badly, as each test wants.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Answer, Server, entry, sha256, with_ranges};
use download::Settings;
use fetch::{Download as _, ExpectedFile, MirroredFile, Registration, fetch};
use letor_io::registry::Entry;

/// Some 300 kB without repetition.
fn file() -> Vec<u8> {
    (0..40_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).chain(*b"end").collect()
}

fn settings() -> Settings {
    Settings {
        attempts: 4,
        pause: Duration::from_millis(5),
        patience: Duration::from_millis(400),
        room: |_| Ok(1 << 40),
        floor: 1000,
        window: Duration::from_millis(300),
        most_bytes: 1 << 20,
    }
}

/// Fetches `data.zip`, which should be `file()`, from `mirrors`.
fn get(folder: &Path, mirrors: &[String]) -> Result<PathBuf, String> {
    get_with(folder, mirrors, &settings())
}

fn get_with(folder: &Path, mirrors: &[String], settings: &Settings) -> Result<PathBuf, String> {
    let (bytes, sum) = (file().len() as u64, sha256(&file()));
    let expected = ExpectedFile { bytes: Some(bytes), sha256: Some(&sum) };
    let mirrors = mirrors.iter().map(String::as_str).collect();
    settings
        .download(&MirroredFile { file: "data.zip", expected, mirrors }, folder, &mut ())
        .map_err(|error| format!("{error:#}"))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The folder holds the complete file and nothing else.
fn assert_fetched(folder: &Path, outcome: Result<PathBuf, String>) {
    assert_eq!(fs::read(outcome.unwrap()).unwrap(), file());
    assert_eq!(names(folder), ["data.zip"]);
}

/// The error is one line that contains all of `parts`, and the folder is empty.
fn assert_refused(folder: &Path, outcome: Result<PathBuf, String>, parts: &[&str]) {
    let error = outcome.unwrap_err();
    assert!(!error.contains('\n'), "{error}");
    for part in parts {
        assert!(error.contains(part), "{part} in {error}");
    }
    assert_eq!(names(folder), [""; 0], "{error}");
}

#[test]
fn a_whole_file_in_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, request| with_ranges(request, &file()));
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests().len(), 1);
    // A file that is here is not fetched again, unless it has changed.
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests().len(), 1);
    fs::write(folder.path().join("data.zip"), "changed").unwrap();
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_cut_connection_is_resumed_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| {
        let answer = with_ranges(request, &file());
        if number < 2 { answer.cut(50_000) } else { answer }
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    let ranges: Vec<_> = server.requests().iter().map(|request| request.range()).collect();
    assert_eq!(ranges, [None, Some(50_000), Some(100_000)]);
    assert_eq!(server.requests()[1].headers["if-range"], "\"v1\"");
}

#[test]
fn a_later_run_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let once = Settings { attempts: 1, ..settings() };
    let server = Server::new(|number, request| {
        let answer = with_ranges(request, &file());
        if number < 1 { answer.cut(70_000) } else { answer }
    });
    let error = get_with(folder.path(), &[server.url("/a")], &once).unwrap_err();
    assert!(error.contains("after 70000 of 160003 bytes"), "{error}");
    assert!(!folder.path().join("data.zip").exists());
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests()[1].range(), Some(70_000));
}

#[test]
fn a_file_that_changed_meanwhile_is_fetched_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| {
        if number == 0 {
            let old: Vec<u8> = file().iter().map(|byte| !byte).collect();
            return Answer::new("200 OK", old).with("etag", "\"v0\"").cut(60_000);
        }
        with_ranges(request, &file())
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests()[1].headers["if-range"], "\"v0\"");
}

/// A server that ignores `If-Range` sends the second half of another file, which the checksum reveals.
#[test]
fn halves_of_two_files_are_detected_by_the_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| {
        if number == 0 {
            let old: Vec<u8> = file().iter().map(|byte| !byte).collect();
            return Answer::new("200 OK", old).with("etag", "\"v1\"").cut(60_000);
        }
        with_ranges(request, &file())
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    let ranges: Vec<_> = server.requests().iter().map(|request| request.range()).collect();
    assert_eq!(ranges, [None, Some(60_000), None]);
}

#[test]
fn a_server_without_ranges_sends_everything_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, _| {
        let answer = Answer::new("200 OK", file()).with("last-modified", "Thu, 01 Jan 2009 00:00:00 GMT");
        if number < 2 { answer.cut(50_000) } else { answer }
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests()[2].range(), Some(50_000), "it was asked, and gave the whole file");

    // A server that identifies no version of the file is not asked for a part of it.
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, _| {
        let answer = Answer::new("200 OK", file());
        if number < 1 { answer.cut(50_000) } else { answer }
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests()[1].range(), None);
}

#[test]
fn a_connection_that_always_breaks_ends_in_one_error() {
    let folder = tempfile::tempdir().unwrap();
    // No attempt gains a byte.
    let server = Server::new(|_, _| Answer::new("200 OK", file()).cut(0));
    let outcome = get(folder.path(), &[server.url("/a")]);
    assert_refused(folder.path(), outcome, &["failed to download data.zip", "0 of 160003 bytes", "tried 4 times"]);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_wrong_length_is_detected_before_anything_is_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _| Answer::new("200 OK", "<html>sign in</html>"));
    let outcome = get(folder.path(), &[server.url("/a")]);
    assert_refused(folder.path(), outcome, &["the server has 20 bytes, expected 160003"]);
    assert_eq!(server.requests().len(), 1, "asking again would not help");
}

#[test]
fn a_wrong_checksum_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _| {
        let mut wrong = file();
        wrong[77] ^= 1;
        Answer::new("200 OK", wrong).with("etag", "\"v1\"")
    });
    let outcome = get(folder.path(), &[server.url("/a")]);
    assert_refused(folder.path(), outcome, &["its SHA-256 is", &format!("expected {}", sha256(&file()))]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn not_found_is_final() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _| Answer::new("404 Not Found", "gone"));
    let outcome = get(folder.path(), &[server.url("/a")]);
    assert_refused(folder.path(), outcome, &["/a: the server answered 404 Not Found"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_busy_server_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| match number {
        0 => Answer::new("503 Service Unavailable", "later"),
        1 => Answer::new("429 Too Many Requests", "slowly").with("retry-after", "0"),
        2 => Answer::new("500 Internal Server Error", ""),
        _ => with_ranges(request, &file()),
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests().len(), 4);

    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _| Answer::new("503 Service Unavailable", "later"));
    let outcome = get(folder.path(), &[server.url("/a")]);
    assert_refused(folder.path(), outcome, &["503 Service Unavailable (tried 4 times)"]);
}

#[test]
fn redirects_are_followed_with_the_range() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| match &request.path[..] {
        "/a" => Answer::new("302 Found", "").with("location", "/b?token=1"),
        "/b?token=1" if number == 1 => with_ranges(request, &file()).cut(50_000),
        "/b?token=1" => with_ranges(request, &file()),
        _ => Answer::new("404 Not Found", ""),
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests()[3].range(), Some(50_000));

    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _| Answer::new("302 Found", "").with("location", "/a"));
    assert_refused(folder.path(), get(folder.path(), &[server.url("/a")]), &["redirect"]);
}

#[test]
fn a_silent_server_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| {
        let answer = with_ranges(request, &file());
        if number == 0 { answer.cut(50_000).hang() } else { answer }
    });
    assert_fetched(folder.path(), get(folder.path(), &[server.url("/a")]));
    assert_eq!(server.requests()[1].range(), Some(50_000));
}

/// A byte every few milliseconds keeps a connection from being silent, and the download from ending.
#[test]
fn a_server_that_trickles_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|number, request| {
        let answer = with_ranges(request, &file());
        if number == 0 { answer.trickle(Duration::from_millis(10)) } else { answer }
    });
    let patient = Settings { patience: Duration::from_secs(20), ..settings() };
    assert_fetched(folder.path(), get_with(folder.path(), &[server.url("/a")], &patient));
    let resumed = server.requests()[1].range().unwrap();
    assert!((1..300).contains(&resumed), "{resumed} bytes in 0.3 s");

    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, request| with_ranges(request, &file()).trickle(Duration::from_millis(10)));
    let error = get_with(folder.path(), &[server.url("/a")], &patient).unwrap_err();
    assert!(error.contains("fewer than 1000 bytes per second after ") && error.contains("tried 4 times"), "{error}");
    assert!(!folder.path().join("data.zip").exists());
}

/// Each request gains a byte.
#[test]
fn a_byte_per_request_is_not_progress() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, request| {
        let answer = with_ranges(request, &file());
        let end = answer.body.len().min(1);
        answer.cut(end)
    });
    let error = get(folder.path(), &[server.url("/a")]).unwrap_err();
    assert!(error.contains("tried 4 times"), "{error}");
    assert_eq!(server.requests().len(), 4);
}

/// A file of a size that neither the registry nor the server gives.
#[test]
fn an_endless_file_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, _| Answer::new("200 OK", vec![7; 3 << 20]));
    let mirrors = [server.url("/a")];
    let wanted = MirroredFile { file: "data.zip", expected: ExpectedFile::default(), mirrors: vec![&mirrors[0]] };
    let error = format!("{:#}", settings().download(&wanted, folder.path(), &mut ()).unwrap_err());
    assert!(error.contains("the server has 3145728 bytes, no more than 1048576 are accepted"), "{error}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn mirrors_are_tried_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let dead = Server::new(|_, _| Answer::new("410 Gone", ""));
    let wrong = Server::new(|_, _| Answer::new("200 OK", "<html>"));
    let good = Server::new(|_, request| with_ranges(request, &file()));
    let refusing = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/a", listener.local_addr().unwrap())
    };
    let mirrors = [dead.url("/a"), refusing.clone(), wrong.url("/b"), good.url("/c")];
    assert_fetched(folder.path(), get(folder.path(), &mirrors));

    let folder = tempfile::tempdir().unwrap();
    let outcome = get(folder.path(), &[dead.url("/a"), refusing, wrong.url("/b")]);
    assert_refused(folder.path(), outcome, &["410 Gone; ", "refused", "; ", "/b: the server has 6 bytes"]);
}

#[test]
fn a_lack_of_space_is_detected_before_the_disk_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, request| with_ranges(request, &file()));
    let full = Settings { room: |_| Ok(100_000), ..settings() };
    let outcome = get_with(folder.path(), &[server.url("/a"), server.url("/b")], &full);
    assert_refused(folder.path(), outcome, &["has room for 0.1 MB", "RANKDUEL_DATA_DIR"]);
    assert_eq!(server.requests().len(), 1, "no mirror makes room");
}

#[test]
fn two_processes_do_not_write_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(|_, request| with_ranges(request, &file()).cut(50_000).hang());
    let url = [server.url("/a")];
    std::thread::scope(|scope| {
        let first = scope.spawn(|| get_with(folder.path(), &url, &Settings { attempts: 1, ..settings() }));
        while server.requests().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let error = get(folder.path(), &url).unwrap_err();
        assert!(error.contains("another process is downloading data.zip"), "{error}");
        first.join().unwrap().unwrap_err();
    });
}

/// From an address to a registered matrix, with an entry as in the registry.
#[test]
fn a_download_is_registered() {
    let matrix = "0.5 0.75\n0.25 0.5\n";
    let busy = Server::new(|_, _| Answer::new("404 Not Found", ""));
    let server = Server::new(move |_, request| with_ranges(request, matrix.as_bytes()));
    let addresses = [busy.url("/m.txt"), server.url("/m.txt")];
    let addresses = addresses.each_ref().map(String::as_str);
    let describe = |bytes, arms| entry(&addresses, matrix.as_bytes(), bytes, arms);
    let root = tempfile::tempdir().unwrap();
    let run = |entry: &Entry, accept| fetch(entry, root.path(), &settings(), accept, false, &mut ());
    assert_eq!(run(&describe(matrix.len(), 2), false).unwrap(), Registration::Registered);
    assert_eq!(fs::read_to_string(root.path().join("m/m.txt")).unwrap(), matrix);
    assert_eq!(names(root.path()), ["m"], "the download is gone");

    fs::remove_dir_all(root.path().join("m")).unwrap();
    let refused = Registration::Refused(vec!["2 arms, expected 3".into()]);
    assert_eq!(run(&describe(matrix.len(), 3), false).unwrap(), refused);
    assert_eq!(run(&describe(matrix.len(), 3), true).unwrap(), Registration::Registered);
    let error = run(&describe(99, 2), false).unwrap_err().to_string();
    assert!(error.contains("the server has 18 bytes, expected 99"), "{error}");
}
