//! `rankduel next`: sessions of judges in a file.

#[cfg(unix)]
mod safety;

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{sim, text};

/// The standard output of a call.
fn called(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(["next", "--state", "judge.jsonl"]).args(arguments).output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

/// The exit code and the standard error of a call.
fn refused(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let run = sim(folder).args(["next", "--state", "judge.jsonl"]).args(arguments).output().expect("sim starts");
    assert!(run.stdout.is_empty(), "{arguments:?}: {}", text(&run.stdout));
    let said = text(&run.stderr);
    assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{arguments:?}: {said}");
    (run.status.code().expect("an exit code"), said)
}

/// The pairs that a call prints.
fn pairs(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn ticket(pair: &Value) -> &str {
    pair["ticket"].as_str().expect("a ticket")
}

fn state(folder: &Path) -> String {
    fs::read_to_string(folder.join("judge.jsonl")).expect("the file of the session")
}

#[test]
fn a_session_from_first_pair_to_table() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    fs::write(at.join("models.txt"), "alpha\nbeta, the second\ngamma\n").expect("a writable folder");
    fs::write(at.join("prompts.txt"), "What is \"up\"?\nWhy, then?\n").expect("a writable folder");
    let begun = called(at, &["--competitors-from", "models.txt", "--items", "prompts.txt", "--seed", "5"]);
    let first = &pairs(&begun)[0];
    assert!(["What is \"up\"?", "Why, then?"].contains(&first["item"].as_str().expect("an item")));
    assert_ne!(first["first"], first["second"]);
    // An answer and the next pair in one call; answers alone; several together.
    let second = pairs(&called(at, &["--answer", &format!("{}=first", ticket(first)), "--judge", "ann"]));
    assert_eq!(second[0]["judge"], "ann");
    assert_eq!(called(at, &["--answer", &format!("{}=both-bad", ticket(&second[0])), "--no-ask"]), "");
    let many = pairs(&called(at, &["--batch", "3"]));
    assert_eq!(many.len(), 3);
    assert_eq!(called(at, &["--open"]), called(at, &["--open"]), "looking changes nothing");
    assert_eq!(pairs(&called(at, &["--open"])), many);
    let answers: Vec<String> =
        ["second", "tie"].iter().zip(&many).map(|(word, pair)| format!("{}={word}", ticket(pair))).collect();
    let last = ticket(&many[2]);
    called(at, &["--answer", &answers[0], "--answer", &answers[1], "--forget", last, "--no-ask", "--judge", "bob"]);
    let status = called(at, &["--status"]);
    assert!(status.contains("5 pairs asked: 4 answered, 0 open, 1 forgotten"), "{status}");
    assert!(status.contains("2 of the answers are ties (1 of them both bad)") && status.contains(" leads"), "{status}");
    assert!(status.lines().last().expect("a line").contains("with 95% confidence at every look"), "{status}");
    called(at, &["--export", "votes.csv"]);
    let mut table = csv::Reader::from_path(at.join("votes.csv")).expect("a table");
    assert_eq!(table.headers().expect("a header"), vec!["first", "second", "winner", "item", "judge", "ticket"]);
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    let column = |place: usize| rows.iter().map(|row| row[place].to_owned()).collect::<Vec<_>>();
    assert_eq!(column(2), ["first", "both bad", "second", "tie"]);
    assert_eq!(column(4), ["ann", "ann", "bob", "bob"]);
    assert_eq!(
        [&rows[0][0], &rows[0][3], &rows[0][5]],
        [&first["first"], &first["item"], &first["ticket"]].map(|v| v.as_str().expect("text"))
    );
}

#[test]
fn the_same_calls_make_the_same_file() {
    let session = || {
        let folder = TempDir::new().expect("a temporary folder");
        let mut pair = called(folder.path(), &["--competitors", "a,b,c,d", "--both", "--repeat", "0.2", "--seed", "3"]);
        for call in 0..12 {
            let word = ["first", "second", "tie"][call % 3];
            pair = called(folder.path(), &["--answer", &format!("{}={word}", ticket(&pairs(&pair)[0]))]);
        }
        state(folder.path())
    };
    assert_eq!(session(), session());
}

#[test]
fn settings_that_differ_are_refused_by_their_name() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    fs::write(at.join("one.txt"), "x\ny\n").expect("a writable folder");
    fs::write(at.join("other.txt"), "x\nz\n").expect("a writable folder");
    called(at, &["--competitors", "a,b,c", "--items", "one.txt", "--policy", "rucb", "--seed", "5"]);
    let before = state(at);
    for (flags, message) in [
        (&["--seed", "6"][..], "--seed is 6, but judge.jsonl was begun with 5"),
        (&["--goal", "uniform"], "--goal is uniform, but judge.jsonl was begun with best"),
        (&["--policy", "rucb:alpha=0.7"], "--policy is rucb:alpha=0.7, but judge.jsonl was begun with rucb"),
        (&["--policy", "auto"], "--policy is auto"),
        (&["--competitors", "a,b,d"], "--competitors names `d`, but judge.jsonl was begun with a,b,c"),
        (&["--competitors", "c,b,a"], "--competitors has them in another order"),
        (&["--competitors", "a,b"], "--competitors names 2 of them"),
        (&["--competitors-from", "one.txt"], "--competitors-from names `x`"),
        (&["--items", "other.txt"], "--items differs in line 2, but judge.jsonl was begun with 2 items"),
        (&["--both"], "--both is given, but"),
        (&["--repeat", "0.1"], "--repeat is 0.1, but judge.jsonl was begun with 0"),
        (&["--tolerance", "0.1"], "--tolerance is 0.1, but judge.jsonl was begun with 0"),
        (&["--horizon", "9"], "--horizon is 9, but judge.jsonl was begun with none"),
    ] {
        for also in [&["--no-ask"][..], &["--status"], &[]] {
            let (code, said) = refused(at, &[flags, also].concat());
            assert!(code == 2 && said.contains(message), "{flags:?}: {said}");
        }
    }
    assert_eq!(state(at), before);
    // The same settings may be repeated, however they are written.
    called(
        at,
        &[
            "--competitors",
            "a,b,c",
            "--items",
            "one.txt",
            "--policy",
            "rucb:alpha=0.51",
            "--seed",
            "5",
            "--repeat",
            "0",
        ],
    );
}

#[test]
fn what_is_asked_wrongly_changes_nothing() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    for flags in
        [&[][..], &["--status"], &["--open"], &["--export", "votes.csv"], &["--no-ask", "--competitors", "a,b"]]
    {
        let (code, said) = refused(at, flags);
        assert!(
            code == 2 && said.contains("there is no session in judge.jsonl: begin one with --competitors"),
            "{said}"
        );
    }
    fs::write(at.join("names.txt"), "a\n\nb\n").expect("a writable folder");
    for (flags, message) in [
        (&["--competitors", "a"][..], "--competitors: expected 2 to 2000 competitors, found 1"),
        (&["--competitors", "a,b,a"], "--competitors: names 1 and 3 are both `a`"),
        (&["--competitors", "a,tie"], "--competitors: name 2 is `tie`, which is a verdict"),
        (&["--competitors-from", "names.txt"], "names.txt, line 2: it is empty"),
        (
            &["--competitors", "a,b", "--policy", "rubc"],
            "--policy: no algorithm is called `rubc`; did you mean `rucb`?",
        ),
        (&["--competitors", "a,b", "--policy", "mdb"], "--policy: `mdb` chooses sets"),
        (&["--competitors", "a,b", "--policy", "if2"], "--horizon: `if2` must know"),
        (&["--competitors", "a,b", "--goal", "order", "--policy", "rucb"], "--policy: found `rucb`, but goal `order`"),
        (&["--competitors", "a,b", "--repeat", "0.7"], "--repeat: expected a share from 0 to 0.5, found 0.7"),
        (&["--competitors", "a,b", "--repeat", "nan"], "--repeat: "),
        (&["--competitors", "a,b", "--goal", "worst"], "expected best, order or uniform"),
        (&["--competitors", "a,b", "--batch", "200000"], "--batch 200000: at most 100000"),
        (&["--competitors", "a,b", "--answer", "1=first"], "expected a ticket"),
        (
            &["--competitors", "a,b", "--answer", "1-00000000=third"],
            "expected the verdict first, second, tie or both-bad",
        ),
        (
            &["--competitors", "a,b", "--answer", "1-00000000=tie"],
            "--answer: ticket 1-00000000 was never given out here",
        ),
        (&["--competitors", "a,b", "--judge", " x"], "the judge's name begins or ends with a space"),
    ] {
        let (code, said) = refused(at, flags);
        assert!(code == 2 && said.contains(message), "{flags:?}: {said}");
    }
    assert!(!at.join("judge.jsonl").exists() && !at.join("votes.csv").exists());
    let pair = called(at, &["--competitors", "a,b"]);
    let answer = format!("{}=first", ticket(&pairs(&pair)[0]));
    let before = state(at);
    // All answers of a call count, or none.
    let (code, said) = refused(at, &["--answer", &answer, "--answer", "9-00000000=tie"]);
    assert!(code == 2 && said.contains("ticket 9-00000000 was never given out"), "{said}");
    assert_eq!(state(at), before);
    called(at, &["--answer", &answer, "--no-ask"]);
    let after = state(at);
    let (code, said) = refused(at, &["--answer", &answer]);
    assert!(code == 2 && said.contains("was already answered `first`"), "{said}");
    assert_eq!(state(at), after);
}

#[test]
fn a_judge_at_the_terminal() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let run = |input: &str| {
        let mut call = sim(at);
        call.args(["next", "--state", "judge.jsonl", "--competitors", "a,b", "--interactive", "--judge", "ann"]);
        let run = call.write_stdin(input).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    let said = run("1\nwhat?\n2\nT\nb\ns\nq\n");
    assert_eq!(said.matches("1, 2, t (tie), b (both bad), s (skip), u (undo), q (quit)?").count(), 7, "{said}");
    assert!(said.contains("6 pairs asked: 4 answered, 0 open, 2 forgotten"), "{said}");
    // The end of the input is a way to quit, too.
    assert!(run("1\n").contains("8 pairs asked: 5 answered, 0 open, 3 forgotten"));
    // A mistake: the pair that was shown comes after the one that is taken back.
    let said = run("1\nu\n2\nq\n");
    let shown: Vec<&str> = said.lines().filter(|line| line.starts_with("1: ")).collect();
    assert_eq!((shown[0], shown[1], shown.len()), (shown[2], shown[3], 4), "{said}");
    assert!(said.contains("10 pairs asked: 6 answered, 0 open, 4 forgotten"), "{said}");
}

#[test]
fn a_judge_at_the_terminal_sees_texts_and_mistakes_are_taken_back() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    std::fs::write(
        at.join("texts.csv"),
        "item,competitor,text,question\nq,a,left \u{1b}[31m text,Why?\nq,b,right,Why?\n",
    )
    .expect("written");
    let call = |arguments: &[&str], input: &str| {
        let run = sim(at)
            .args(["next", "--state", "judge.jsonl"])
            .args(arguments)
            .write_stdin(input)
            .output()
            .expect("sim starts");
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    let (code, said, _) = call(&["--texts", "texts.csv", "--interactive"], "1\nq\n");
    assert!(
        code == Some(0) && said.contains("\nWhy?\n--- 1 ---\n") && said.contains("left \\u{1b}[31m text"),
        "{said}"
    );
    assert!(!said.contains("1: a"), "{said}");
    let (_, open, _) = call(&["--open"], "");
    assert_eq!(open, "");
    let log = std::fs::read_to_string(at.join("judge.jsonl")).expect("the session");
    assert!(log.contains("\"names\":[\"a\",\"b\"],\"items\":[\"q\"]"), "{log}");
    assert_eq!(call(&["--export", "votes.csv"], "").0, Some(0));
    let table = std::fs::read_to_string(at.join("votes.csv")).expect("a table");
    let ticket = table.lines().nth(1).and_then(|row| row.rsplit(',').next()).expect("a row").to_owned();
    let (code, _, error) = call(&["--take-back", &ticket, "--no-ask"], "");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(call(&["--open"], "").1.contains(&ticket));
    let (code, _, error) = call(&["--take-back", &ticket, "--no-ask"], "");
    assert!(code == Some(2) && error.contains("is open: there is nothing to take back"), "{error}");
    let (code, _, error) = call(&["--texts", "texts.csv", "--interactive", "--competitors", "a,c"], "q\n");
    assert!(code == Some(2) && error.contains("`c`"), "{error}");
}

#[test]
fn a_sheet_is_filled_in_elsewhere() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    std::fs::write(at.join("texts.csv"), "item,competitor,text\nq,a,left\nq,b,right\nr,a,up\nr,b,down\n")
        .expect("written");
    let call = |arguments: &str| {
        let run =
            sim(at).args(["next", "--state", "judge.jsonl"]).args(arguments.split(' ')).output().expect("sim starts");
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    let (code, said, _) = call("--batch 2 --texts texts.csv --sheet sheet.csv --judge ann");
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let sheet = std::fs::read_to_string(at.join("sheet.csv")).expect("a sheet");
    assert!(sheet.lines().count() == 3 && sheet.contains("left") && sheet.contains("down"), "{sheet}");
    let fill = |first: &str, second: &str| {
        let mut lines = sheet.lines();
        let header = lines.next().expect("a header");
        let rows: String =
            lines.zip([first, second]).map(|(row, better)| format!("{}{better},\n", &row[..row.len() - 1])).collect();
        std::fs::write(at.join("filled.csv"), format!("{header}\n{rows}")).expect("written");
        call("--filled filled.csv --judge ann")
    };
    // All or none.
    let (code, _, error) = fill("1", "7");
    assert!(code == Some(2) && error.contains("filled.csv, line 3: expected 1, 2, 0 (tie) or 9 (both bad)"), "{error}");
    assert!(call("--status").1.contains("2 pairs asked: 0 answered, 2 open"));
    let (code, said, _) = fill("", "2");
    assert_eq!((code, said.as_str()), (Some(0), ""), "no pair is asked");
    assert!(call("--status").1.contains("2 pairs asked: 1 answered, 1 open"));
    let (code, _, error) = fill("", "1");
    assert!(
        code == Some(2) && error.contains("filled.csv, line 3: ticket 2-") && error.contains("already answered"),
        "{error}"
    );
    let (code, _, error) = call("--texts texts.csv");
    assert!(code == Some(2) && error.contains("add one of them"), "{error}");
}

#[test]
fn tables_are_not_taken_for_names() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let plain = "copy the column of names into a text file";
    for (text, place, found) in [
        ("\u{feff}id;prompt\r\n1;short\r\n2;long\r\n", "line 1", "2 columns"),
        ("id\tprompt\tnote\n1\tshort\tx\n2\tlong\ty\n", "line 1", "3 columns"),
        ("short\n\"long; \"\"odd\"\"\"\n", "line 2", "a quoted cell"),
        ("short\n\"two\nlines\"\n", "line 2", "a quoted cell"),
    ] {
        fs::write(at.join("sheet.csv"), text).expect("writable");
        for arguments in [&["--competitors-from", "sheet.csv"][..], &["--competitors", "a,b", "--items", "sheet.csv"]] {
            let (code, said) = refused(at, arguments);
            assert!(code == 2 && said.contains(&format!("sheet.csv, {place}: found {found}")), "{said}");
            assert!(said.contains(plain) && !at.join("judge.jsonl").exists(), "{said}");
        }
        // A line of text may hold anything but control characters.
        let text = text.replace('\t', " ");
        fs::write(at.join("names.txt"), &text).expect("writable");
        let run = sim(at).args(["next", "--state", "text.jsonl", "--competitors-from", "names.txt"]).output();
        assert!(run.expect("sim starts").status.success(), "{text}");
        fs::remove_file(at.join("text.jsonl")).expect("a session");
    }
    // One column without quotes is a name per line; a note reports how it was read.
    fs::write(at.join("sheet.csv"), "\u{feff}prompt\r\nshort\r\nlong, but kind\r\n").expect("writable");
    let run =
        sim(at).args(["next", "--state", "judge.jsonl", "--competitors-from", "sheet.csv"]).output().expect("starts");
    let said = text(&run.stderr);
    assert!(
        run.status.success() && said.contains("the session begins: 3 competitors (prompt to long, but kind)"),
        "{said}"
    );
}

#[test]
fn a_session_beside_a_model_says_whom_to_ask() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let begun = called(at, &["--competitors", "a,b", "--model", "gpt", "--people", "anna,ben", "--seed", "1"]);
    let mut pair = pairs(&begun).remove(0);
    assert_eq!(pair["judge"], "gpt");
    for (judge, verdict) in [("anna", "tie"), ("gpt", "first"), ("ben", "second")] {
        pair = pairs(&called(at, &["--answer", &format!("{}={verdict}", ticket(&pair))])).remove(0);
        assert_eq!(pair["judge"], judge);
        assert!(called(at, &["--status"]).contains("gpt answered"), "also before there is evidence");
    }
    let status = called(at, &["--status"]);
    assert!(
        status.contains("gpt answered 2 questions; people audited 1 of them, and said the same in 0%; 1 audit waits"),
        "{status}"
    );
    let (code, said) = refused(at, &["--judge", "eve"]);
    assert!(
        code == 2 && said.contains("judge `eve` is neither the model `gpt` nor one of its people (anna, ben)"),
        "{said}"
    );
    let (code, said) = refused(at, &["--model", "llama"]);
    assert!(code == 2 && said.contains("--model is llama, but judge.jsonl was begun with gpt"), "{said}");
    let (code, said) = refused(at, &["--people", "anna"]);
    assert!(code == 2 && said.contains("--people are anna, but judge.jsonl was begun with anna,ben"), "{said}");
    let (code, said) = refused(at, &["--interactive"]);
    assert!(code == 2 && said.contains("say who judges with --judge"), "{said}");
    let run = sim(at)
        .args(["next", "--state", "new.jsonl", "--competitors", "a,b", "--people", "anna"])
        .output()
        .expect("sim starts");
    assert!(
        run.status.code() == Some(2) && text(&run.stderr).contains("name it with --model"),
        "{}",
        text(&run.stderr)
    );
    let run = sim(at).args(["board", "judge.jsonl"]).output().expect("sim starts");
    assert!(text(&run.stdout).contains("Claims hold for these people"), "{}", text(&run.stdout));
}
