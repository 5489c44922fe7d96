//! Simulated users over HTTP: the server makes the choices of a simulation.

use rankduel_server::running::StartError;
use serde_json::json;

use crate::support::{Server, command, program, texts};

fn drive(server: &Server, more: &[&str]) -> String {
    let url = format!("http://{}", server.address());
    let all = [&["drive", "--url", &url, "--dataset", "mq2008-lookalike:0.1", "--quiet"], more].concat();
    let output = command(&all, None);
    let (out, error) = texts(&output);
    assert!(output.status.success(), "{error}");
    out
}

#[test]
fn a_server_chooses_what_a_simulation_plays() {
    let server = Server::start();
    for (policy, rankers) in [("rucb", "4"), ("dts", "12"), ("mdb", "4")] {
        let path = |what: &str| server.folder.path().join(format!("{policy}.{what}")).to_str().unwrap().to_owned();
        let [expected, chosen, log] = ["expected", "chosen", "log"].map(path);
        let run =
            ["--create", policy, "--experiment", policy, "--rankers", rankers, "--impressions", "150", "--seed", "3"];
        let said = drive(&server, &[&run[..], &["--log", &log]].concat());
        assert!(said.starts_with("Users are simulated.\n150 impressions in "), "{said}");
        drive(&server, &[&run[..], &["--expect", &expected]].concat());
        let replayed = server.command(&["replay", policy, "--choices", &chosen]);
        assert!(replayed.status.success(), "{replayed:?}");
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&expected).lines().count(), 150, "{policy}");
        assert_eq!(read(&expected), read(&chosen), "{policy}");
        // The log equals the state of the server: every impression, its clicks, its end.
        let status = server.client().get(&format!("/v1/experiments/{policy}")).expect_status(200);
        let lines: Vec<serde_json::Value> =
            read(&log).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let with = |field: &str| lines.iter().filter(|line| !line[field].is_null()).count();
        assert_eq!((with("shown"), with("closed")), (150, 150), "{policy}");
        let clicked: u64 = lines.iter().filter_map(|line| line["taken"].as_u64()).sum();
        assert!(clicked > 20, "{policy}: {clicked}");
        assert_eq!(status["impressions"]["asked"], json!(150), "{status}");
        assert_eq!(status["clicks"]["taken"], json!(clicked), "{status}");
    }
}

/// The same over days on which the server starts again, goes on from snapshots, and forgets.
fn goes_on(policy: &str, impressions: usize, each: u64) {
    let mut server = Server::stopped();
    // The address stays while it starts again.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.settings.listen = free.local_addr().unwrap();
    drop(free);
    server.run().unwrap();
    let path = |what: &str| server.folder.path().join(what).to_str().unwrap().to_owned();
    let [expected, chosen] = ["expected", "chosen"].map(path);
    let count = impressions.to_string();
    let run = ["--create", policy, "--rankers", "6", "--impressions", &count, "--seed", "3", "--retain", "2d"];
    drive(&server, &[&run[..], &["--expect", &expected]].concat());
    let url = format!("http://{}", server.address());
    let mut driving = {
        let all = ["drive", "--url", &url, "--dataset", "mq2008-lookalike:0.1", "--quiet"];
        std::process::Command::new(program()).args(all).args(run).spawn().unwrap()
    };
    let mut next = each;
    while driving.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let status = server.client().get("/v1/experiments/drive");
        if status.status == 200 && status.json()["impressions"]["asked"].as_u64().unwrap() >= next {
            next += each;
            // A day, in absences that are shorter than a window: open impressions stay open.
            for _ in 0..50 {
                server.stop();
                server.pass(crate::support::DAY / 50);
                // For a moment, a connection of another test may have the port.
                let mut tries = 0;
                while let Err(error) = server.run() {
                    tries += 1;
                    assert!(matches!(error, StartError::Listen { .. }) && tries < 1_000, "{error}");
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
            }
        }
    }
    assert!(driving.wait().unwrap().success(), "{policy}");
    let replayed = server.command(&["replay", "drive", "--choices", &chosen]);
    assert!(replayed.status.success(), "{replayed:?}");
    let [expected, kept] = [expected, chosen].map(|path| std::fs::read_to_string(path).unwrap());
    let (all, lines) = (expected.lines().count(), kept.lines().count());
    assert_eq!(all, impressions, "{policy}");
    assert!(lines > each as usize && lines < all, "{policy}: {lines} of {all}");
    let differs = expected.lines().skip(all - lines).zip(kept.lines()).find(|(one, other)| one != other);
    assert_eq!(differs, None, "{policy}: {lines} of {all}");
    assert!(server.command(&["check"]).status.success(), "{policy}");
}

#[test]
fn a_server_that_starts_again_chooses_what_a_simulation_plays() {
    for policy in ["rucb", "mdb"] {
        goes_on(policy, 600, 100);
    }
}

#[test]
#[ignore = "minutes: ten thousand impressions for each of six policies"]
fn a_server_that_starts_again_chooses_what_a_simulation_plays_at_full_size() {
    for policy in ["rucb", "dts", "mergerucb", "rmed1", "sparring", "mdb"] {
        goes_on(policy, 10_000, 1_000);
    }
}

#[test]
fn users_who_come_back_keep_their_rankers() {
    let server = Server::start();
    drive(&server, &["--create", "rucb", "--impressions", "120", "--users", "10", "--workers", "3", "--open", "30"]);
    let path = server.folder.path().join("chosen");
    server.command(&["replay", "drive", "--choices", path.to_str().unwrap()]);
    let chosen = std::fs::read_to_string(path).unwrap();
    let mut met: Vec<&str> = chosen.lines().filter_map(|line| line.split_once('\t')).map(|(_, met)| met).collect();
    met.sort_unstable();
    met.dedup();
    assert!(met.len() <= 10 && chosen.lines().count() == 120, "{chosen}");
}

#[test]
fn what_is_wrong_is_said() {
    let server = Server::start();
    let url = format!("http://{}", server.address());
    let code = |more: &[&str]| {
        let output = command(&[&["drive", "--url", &url, "--quiet", "--impressions", "3"], more].concat(), None);
        (output.status.code().unwrap(), texts(&output).1)
    };
    let (status, error) = code(&["--experiment", "nobody"]);
    assert!(status == 1 && error.contains("was refused with status 404"), "{error}");
    let (status, error) = code(&["--create", "ruccb"]);
    assert!(status == 1 && error.contains("ruccb"), "{error}");
    let (status, error) = code(&["--click", "prefect"]);
    assert!(status == 2 && error.contains("--click"), "{error}");
    let file = server.folder.path().join("there");
    std::fs::write(&file, "kept").unwrap();
    let (status, error) = code(&["--create", "rucb", "--log", file.to_str().unwrap()]);
    assert!(status == 1 && error.contains("name a file that is not there"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
}
