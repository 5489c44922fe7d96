//! Programs that enter, in other languages and with other people's libraries; and programs that cheat.

use bench::results::EntryResults;
use bench::{Entry, Program, Scores, Track};

use crate::common::{has, played, policy, program, python, request};

/// The mean of the last measure over problems and runs.
fn mean(results: &bench::Results, track: Track, name: &str) -> f64 {
    let EntryResults::Values(values) = &results.tracks[&track].entries[name] else {
        panic!("{name}: {:?}", results.tracks[&track].entries[name])
    };
    let all: Vec<f64> = values.iter().filter_map(|of| of.last()?.as_ref()).flatten().copied().collect();
    all.iter().sum::<f64>() / all.len() as f64
}

#[test]
fn plain_python_plays() {
    let Some(python) = python("json") else { return };
    let entries = vec![
        program("uniform", &python, "entries/uniform_pairs.py", 10.0),
        program("rucb in Python", &python, "entries/rucb.py", 10.0),
        policy("rucb"),
        policy("random"),
    ];
    let results = played(request(&[Track::Order], entries, 3));
    let scores = Scores::of(std::slice::from_ref(&results)).expect("scores");
    assert_eq!(scores.track(Track::Order).expect("it was played").ranked.len(), 4);
    // After 20K answers, uniform pairs order about as well in both programs: 6 sessions each, tau has a deviation of about 0.06.
    let [theirs, ours] = ["uniform", "random"].map(|name| mean(&results, Track::Order, name));
    assert!((theirs - ours).abs() < 0.15 && ours > 0.55, "{theirs} {ours}");
    assert_eq!(results.entries[0].checksum.as_ref().map(String::len), Some(64));
    assert_eq!(results.entries[2].checksum, None);
}

#[test]
#[ignore = "needs python3: cargo test -p bench --test bench -- --ignored rucb_in_python"]
fn rucb_in_python_costs_what_ours_costs_prompt_and_late() {
    let Some(python) = python("json") else { return };
    let entries = vec![program("theirs", &python, "entries/rucb.py", 10.0), policy("rucb")];
    let tracks = [Track::Regret, Track::Late];
    let problems = Some(vec!["order-20".to_owned()]);
    let results = played(bench::Request { problems, ..request(&tracks, entries, 3) });
    for track in tracks {
        let [theirs, ours] = ["theirs", "rucb"].map(|name| mean(&results, track, name));
        assert!(ours > 0.01 && (0.5..2.0).contains(&(theirs / ours)), "{track}: {theirs} {ours}");
    }
}

#[test]
fn duelpy_and_choix_play() {
    for (name, module, file) in
        [("duelpy", "duelpy", "entries/duelpy_dts.py"), ("choix", "choix", "entries/choix_uniform.py")]
    {
        let Some(python) = python(module) else { continue };
        let results = played(request(&[Track::Order], vec![program(name, &python, file, 20.0)], 2));
        let tau = mean(&results, Track::Order, name);
        assert!(tau > 0.4, "{name}: {tau}");
    }
}

#[test]
fn r_plays() {
    if !has("Rscript", &["--version"]) {
        return;
    }
    let entry = program("uniform in R", "Rscript", "entries/uniform_pairs.R", 20.0);
    let results = played(request(&[Track::Order], vec![entry], 2));
    assert!(mean(&results, Track::Order, "uniform in R") > 0.5);
}

#[test]
fn cheating_entries_are_stopped_and_named() {
    let Some(python) = python("json") else { return };
    for (rule, expected) in [
        ("late", "did not answer within 1 s (step 5 of 40"),
        ("two", "wrote two lines where one was due"),
        ("json", "wrote \"oops\", which is not a line of the protocol"),
        ("range", "named arm 20; there are arms 0 to 19"),
        ("exit", "ended before the session did (exit status: 3)"),
        ("close", "closed its input or output before the session ended"),
        ("more", "wrote two lines where one was due"),
        ("linger", "did not end within 1 s of its answer"),
    ] {
        let path = format!("{}/tests/all/programs/cheat.py", env!("CARGO_MANIFEST_DIR"));
        let cheat = Program::parse(&format!("cheat={python} {path} {rule}"), 1.0).expect("a program");
        let problems = Some(vec!["order-20".to_owned()]);
        let request = request(&[Track::Best, Track::Order], vec![policy("random"), Entry::Program(cheat)], 1);
        let results = played(bench::Request { problems, ..request });
        for track in [Track::Best, Track::Order] {
            let EntryResults::Disqualified(what) = &results.tracks[&track].entries["cheat"] else {
                panic!("{rule}: {:?}", results.tracks[&track].entries["cheat"])
            };
            assert!(what.contains(expected), "{rule}: {what}");
            assert!(!what.contains('\n'), "{what}");
        }
        // It is named, and others have their ranks.
        let scores = Scores::of(std::slice::from_ref(&results)).expect("scores");
        let text = bench::table::text(&scores);
        assert!(text.contains("cheat: disqualified: ") && text.contains("random"), "{text}");
        assert_eq!(scores.track(Track::Best).expect("it was played").ranked.len(), 1);
    }
}

#[test]
fn what_cannot_be_started_is_disqualified() {
    let missing = Entry::Program(Program::parse("missing=/no/such/program", 1.0).expect("a program"));
    let results = played(request(&[Track::Best], vec![missing, policy("random")], 1));
    let EntryResults::Disqualified(what) = &results.tracks[&Track::Best].entries["missing"] else {
        panic!("it cannot play")
    };
    assert!(what.starts_with("cannot be started") && what.contains("/no/such/program"), "{what}");
    assert!(Program::parse("no command", 1.0).is_err() && Program::parse("x=", 1.0).is_err());
    assert!([0.0, f64::NAN, 1e300].iter().all(|limit| Program::parse("x=true", *limit).is_err()));
}

#[test]
fn who_reads_the_seed_gains_nothing() {
    let Some(python) = python("json") else { return };
    let entries = vec![program("seed", &python, "tests/all/programs/seed.py", 10.0)];
    let problems = Some(vec!["order-20".to_owned()]);
    let results = played(bench::Request { problems, ..request(&[Track::Best], entries, 40) });
    // One of 20 arms is right: of 120 guesses, 6 are expected to be right, and 18 or more have a probability below 10^-4.
    let EntryResults::Values(values) = &results.tracks[&Track::Best].entries["seed"] else { panic!("it plays") };
    let right: f64 = values[0].iter().step_by(3).flatten().flatten().sum();
    assert!(right < 18.0, "{right} of 120");
}
