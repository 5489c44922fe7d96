//! `rankduel board`: tables of judgements, printed and written.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{sim, text};

/// Judgements of three prompts: `short` beats `long` and `odd` in three of four, `long` beats `odd` as often, in both orders.
fn votes() -> String {
    let mut rows = "first,second,winner\n".to_owned();
    for (better, worse) in [("short", "long"), ("short", "odd"), ("long", "odd")] {
        for round in 0..40 {
            let (first, second) = if round % 2 == 0 { (better, worse) } else { (worse, better) };
            let winner = if round % 8 < 6 { better } else { worse };
            rows += &format!("{first},{second},{winner}\n");
        }
    }
    rows
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let run = sim(folder).arg("board").args(arguments).output().expect("sim starts");
    (run.status.code(), text(&run.stdout), text(&run.stderr))
}

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("votes.csv"), votes()).expect("a writable folder");
    folder
}

#[test]
fn the_answer_comes_first_in_every_format() {
    let folder = folder();
    let at = folder.path();
    let (code, printed, said) = run(at, &["votes.csv"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let sentence = printed.lines().next().expect("a sentence").to_owned();
    assert!(sentence.starts_with("short is best among 3: known to be stronger than every other "), "{printed}");
    let order: Vec<usize> =
        ["   1  short", "   2  long", "   3  odd"].map(|row| printed.find(row).expect(row)).to_vec();
    assert!(order.is_sorted());
    let json: Value = serde_json::from_str(&run(at, &["votes.csv", "--json"]).1).expect("JSON");
    assert_eq!((json["sentence"].as_str(), json["conclusion"]["name"].as_str()), (Some(&*sentence), Some("short")));
    let claims: Vec<&Value> = (0..3).map(|place| &json["competitors"][place]["claim"]).collect();
    assert_eq!(claims, ["best", "behind", "behind"]);
    // Equally strong steps: 3 of 4 in each pair of neighbours, and a weaker step over two.
    let strengths: Vec<f64> =
        (0..3).map(|place| json["competitors"][place]["strength"].as_f64().expect("a number")).collect();
    assert!((strengths[0] + strengths[2]).abs() < 1e-6 && strengths[1].abs() < 1e-6, "{strengths:?}");
    let (_, markdown, _) = run(at, &["votes.csv", "--format", "markdown"]);
    assert!(
        markdown.starts_with(&format!("**{sentence}**")) && markdown.contains("| 1 | short | best |"),
        "{markdown}"
    );
    let (_, latex, _) = run(at, &["votes.csv", "--format", "latex", "--standalone"]);
    assert!(latex.starts_with("\\documentclass") && latex.contains("1 & short & best & "), "{latex}");
    let (_, csv, _) = run(at, &["votes.csv", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.lines().nth(1).expect("a row").starts_with("1,1,short,"), "{csv}");
    // The same for any number of threads.
    assert_eq!(run(at, &["votes.csv", "--threads", "1"]).1, printed);
}

#[test]
fn a_folder_gets_everything_and_nothing_is_replaced_unasked() {
    let folder = folder();
    let at = folder.path();
    let (code, _, said) = run(at, &["votes.csv", "--out", "board", "--matrix", "P.csv"]);
    assert_eq!(code, Some(0), "{said}");
    for name in ["txt", "md", "tex", "csv", "json", "png", "svg"] {
        assert!(at.join("board").join(format!("board.{name}")).is_file(), "{name}");
    }
    let svg = fs::read_to_string(at.join("board/board.svg")).expect("a figure");
    assert!(svg.contains("short") && svg.contains("odd"));
    // The fit can be played on.
    let played = sim(at).args(["bandit", "--matrix", "P.csv", "--steps", "100", "--runs", "1", "--quiet"]).output();
    assert!(text(&played.expect("sim starts").stdout).starts_with("Condorcet winner: short"));
    let (code, _, said) = run(at, &["votes.csv", "--matrix", "P.csv"]);
    assert!(code == Some(2) && said.contains("P.csv exists; add --replace"), "{said}");
    fs::write(at.join("votes.csv"), votes().replacen("short,long,short", "short,long,long", 1)).expect("writable");
    let before = fs::read(at.join("board/board.json")).expect("results");
    let (code, _, said) = run(at, &["votes.csv", "--out", "board"]);
    assert!(code == Some(2) && said.contains("holds other results"), "{said}");
    assert_eq!(fs::read(at.join("board/board.json")).expect("results"), before);
    assert_eq!(run(at, &["votes.csv", "--out", "board", "--replace"]).0, Some(0));
    assert_eq!(fs::read(at.join("board.old-1/board.json")).expect("moved aside"), before);
}

#[test]
fn a_session_of_judges_is_a_table() {
    let folder = folder();
    let at = folder.path();
    let next = |arguments: &[&str]| {
        let run = sim(at).args(["next", "--state", "judge.jsonl"]).args(arguments).output().expect("sim starts");
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    let asked = next(&["--competitors", "short,long,odd", "--goal", "uniform", "--batch", "90"]);
    let mut answers = Vec::new();
    for line in asked.lines() {
        let pair: Value = serde_json::from_str(line).expect("JSON");
        let rank = |side: &str| ["short", "long", "odd"].iter().position(|name| pair[side] == **name);
        let verdict = if rank("first") < rank("second") { "first" } else { "second" };
        answers.extend(["--answer".to_owned(), format!("{}={verdict}", pair["ticket"].as_str().expect("a ticket"))]);
    }
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    next(&[&answers[..], &["--no-ask"]].concat());
    let (code, printed, said) = run(at, &["judge.jsonl"]);
    assert!(
        code == Some(0) && printed.starts_with("short is best among 3: ") && printed.contains(" at every look."),
        "{printed}{said}"
    );
    // The exported table gives the same; its competitors are numbered in order of appearance, which enters the drawn probabilities.
    next(&["--export", "export.csv"]);
    let counts = |file: &str| {
        let printed = run(at, &[file, "--format", "csv", "--looks", "every"]).1;
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            [cells[1..3].join(","), cells[5..8].join(","), cells[9..].join(",")]
        };
        printed.lines().map(row).collect::<Vec<_>>()
    };
    assert_eq!(counts("export.csv"), counts("judge.jsonl"));
    let (code, _, said) = run(at, &["judge.jsonl", "--winner-is", "name"]);
    assert!(code == Some(2) && said.contains("its columns are known"), "{said}");
    // An edited log is refused by its line.
    let log = fs::read_to_string(at.join("judge.jsonl")).expect("a log");
    fs::write(at.join("judge.jsonl"), log.replacen("\"second\"", "\"first\"", 1)).expect("writable");
    let (code, _, said) = run(at, &["judge.jsonl"]);
    assert!(code == Some(1) && said.contains("judge.jsonl:"), "{said}");
}

#[test]
fn ties_are_fitted_by_either_model() {
    let folder = folder();
    let at = folder.path();
    // One pair in both orders, with 8 wins, 4 losses and 6 ties: a fit of either model is exact.
    let mut votes = "first,second,winner\n".to_owned();
    for (winner, count) in [("a", 4), ("b", 2), ("tie", 3)] {
        (0..count).for_each(|_| votes += &format!("a,b,{winner}\nb,a,{winner}\n"));
    }
    fs::write(at.join("votes.csv"), votes).expect("writable");
    let board = |arguments: &[&str]| -> Value {
        let (code, printed, said) =
            run(at, &[&["votes.csv", "--json", "--matrix", "fit.csv", "--replace"], arguments].concat());
        assert!(code == Some(0), "{said}");
        serde_json::from_str(&printed).expect("JSON")
    };
    let (win, loss, tie) = (8.0_f64 / 18.0, 4.0_f64 / 18.0, 6.0_f64 / 18.0);
    let davidson = board(&[]);
    let rao_kupper = board(&["--ties", "rao-kupper"]);
    for (board, model, nu, difference) in [
        (&davidson, "davidson", tie / (win * loss).sqrt(), std::f64::consts::LN_2),
        // Half the logit of P(win) less the logit of P(loss): ln 2.8 is 1.0296.
        (&rao_kupper, "rao-kupper", tie / (win * loss), 1.029_619_417_181_158 / 2.0),
    ] {
        let (group, rows) = (&board["groups"][0], &board["competitors"]);
        let strength = |row: usize| rows[row]["strength"].as_f64().expect("a number");
        assert!(group["ties"] == model && rows[0]["name"] == "a", "{board}");
        assert!((group["tie"].as_f64().expect("a number") - nu).abs() < 1e-9, "{group}");
        assert!((strength(0) - strength(1) - difference).abs() < 1e-9, "{board}");
    }
    // Either way, a gets the points that it got.
    let matrix = fs::read_to_string(at.join("fit.csv")).expect("a matrix");
    let cell = matrix.lines().nth(1).and_then(|row| row.split(',').nth(2)).expect("a row");
    assert!((cell.parse::<f64>().expect("a number") - (win + tie / 2.0)).abs() < 1e-9, "{matrix}");
    let assumes = |board: &Value| board["assumptions"]["one_look"].as_str().expect("words").contains("Rao and Kupper");
    assert!(assumes(&rao_kupper) && !assumes(&davidson));
    assert_eq!(run(at, &["votes.csv", "--ties", "elo"]).0, Some(2));
    // The figure states the unit of its differences.
    let (code, _, said) = run(at, &["votes.csv", "--ties", "rao-kupper", "--out", "results"]);
    assert!(code == Some(0), "{said}");
    let figure = fs::read_to_string(at.join("results/board.svg")).expect("a figure");
    assert!(figure.contains("if nobody tied"), "the label of the axis");
    let config = fs::read_to_string(at.join("results/config.json")).expect("a configuration");
    assert!(config.contains("\"ties\": \"rao-kupper\""), "{config}");
}

#[test]
fn advice_gives_chances_and_a_session_plays_its_own_rest() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("votes.csv"), votes()).expect("writable");
    let advice = |file: &str| {
        let printed = run(at, &[file, "--json"]).1;
        let board: Value = serde_json::from_str(&printed).expect("JSON");
        board["advice"].clone()
    };
    assert_eq!(advice("votes.csv")["further"], "contenders");
    for (goal, further) in [("best", "best"), ("order", "order"), ("uniform", "everyone")] {
        let file = format!("{goal}.jsonl");
        let next = |arguments: &[&str]| {
            let run = sim(at).args(["next", "--state", &file]).args(arguments).output().expect("sim starts");
            assert!(run.status.success(), "{}", text(&run.stderr));
            text(&run.stdout)
        };
        let asked = next(&["--competitors", "a,b,c,d", "--goal", goal, "--batch", "12"]);
        let verdicts = ["first", "second", "tie"].iter().cycle();
        let tickets = asked.lines().zip(verdicts).map(|(line, verdict)| {
            let pair: Value = serde_json::from_str(line).expect("JSON");
            format!("{}={verdict}", pair["ticket"].as_str().expect("a ticket"))
        });
        let answers: Vec<String> = tickets.flat_map(|answer| ["--answer".to_owned(), answer]).collect();
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        next(&[&answers[..], &["--no-ask"]].concat());
        let advice = advice(&file);
        assert!(advice["further"] == further && advice["known"] == false, "{advice}");
        let chances = advice["chances"].as_array().expect("chances");
        assert!(chances.iter().all(|chance| chance["more"].as_u64() > Some(0)) && !chances.is_empty(), "{advice}");
        let sentence = advice["sentence"].as_str().expect("words");
        assert!(sentence.contains("more judgements in this session"), "{advice}");
        assert!(
            advice["assumption"].as_str().expect("words").starts_with("The rest of this session was played 100 times")
        );
        // The same session has the same chances.
        let printed = run(at, &[&file, "--threads", "1"]).1;
        assert!(printed.contains(sentence), "{printed}");
    }
}

#[test]
fn faults_name_file_line_and_remedy() {
    let folder = folder();
    let at = folder.path();
    let bad = votes().replacen("short,long,short", "short,long,shrot", 1);
    fs::write(at.join("bad.csv"), bad).expect("writable");
    fs::write(at.join("one.csv"), "first,second,winner\nx,x,x\n").expect("writable");
    for (arguments, code, part) in [
        (&["bad.csv"][..], 1, "bad.csv:2: winner: found `shrot`, expected `short`, `long`"),
        (&["none.csv"], 1, "none.csv"),
        (&["one.csv"], 1, "one.csv: none of the judgements of the table (1) compares two competitors"),
        (&["votes.csv", "--columns", "first"], 2, "expected e.g. first=base"),
        (&["votes.csv", "--columns", "first=a,first=b"], 2, "names first twice"),
        (&["votes.csv", "--columns", "first=alpha,second=second"], 1, "no column `alpha`"),
        (&["votes.csv", "--clusters", "judge"], 1, "judge"),
        (&["votes.csv", "--confidence", "95"], 2, "95"),
        (&["votes.csv", "--tolerance", "0.5"], 2, "expected a share from 0 to below 0.5"),
        (&["votes.csv", "--standalone"], 2, "--format latex"),
        (&["/dev/zero"], 1, "/dev/zero"),
        (&[], 2, "<FILE>"),
    ] {
        let (found, printed, said) = run(at, arguments);
        assert!(found == Some(code) && said.contains(part) && printed.is_empty(), "{arguments:?}: {found:?} {said}");
        assert_eq!(said.lines().filter(|line| line.starts_with("error")).count(), 1, "{said}");
    }
}

/// Questions of 60 items: people judged every third, a model all, which favours `odd`. Rows end with the judge.
fn questions() -> [Vec<String>; 2] {
    let (mut people, mut model) = (Vec::new(), Vec::new());
    for item in 0..60 {
        for (pair, (better, worse)) in [("short", "long"), ("short", "odd"), ("long", "odd")].into_iter().enumerate() {
            let (first, second) = if (item + pair) % 2 == 0 { (better, worse) } else { (worse, better) };
            let winner = if (7 * item + pair) % 4 > 0 { better } else { worse };
            if (item * 3 + pair) % 7 < 3 {
                people.push(format!("{first},{second},{winner},q{item},ann"));
            }
            let said = if worse == "odd" && item % 3 == 0 { worse } else { winner };
            model.push(format!("{first},{second},{said},q{item},gpt"));
        }
    }
    [people, model]
}

#[test]
fn people_beside_a_model_are_named_or_have_a_table_of_their_own() {
    let folder = folder();
    let at = folder.path();
    let [people, model] = questions();
    let write = |name: &str, rows: &[&[String]]| {
        let text = format!("first,second,winner,item,judge\n{}\n", rows.concat().join("\n"));
        fs::write(at.join(name), text).expect("a writable folder");
    };
    write("people.csv", &[&people]);
    write("model.csv", &[&model]);
    write("both.csv", &[&model, &people]);
    let (code, printed, said) = run(at, &["both.csv", "--gold", "ann"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    for expected in [
        "\nClaims and strengths are those of people (ann), who judged 78 of the 180 questions that gpt judged: the model counts ",
        "are a simple random sample of those of the model",
        "\nAgreement with people: gpt says the same in ",
        "odd (+",
        "Not stated with a model: what holds at every look",
        "model − people",
    ] {
        assert!(printed.contains(expected), "{expected}\n{printed}");
    }
    assert!(!printed.contains("every look  beats"), "{printed}");
    // The same from two files.
    let apart = run(at, &["model.csv", "--gold-table", "people.csv", "--json"]);
    let json: Value = serde_json::from_str(&apart.1).expect("JSON");
    let together: Value = serde_json::from_str(&run(at, &["both.csv", "--gold", "ann", "--json"]).1).expect("JSON");
    assert_eq!((&json["model"], &json["competitors"]), (&together["model"], &together["competitors"]));
    assert_eq!((&json["advice"], &json["competitors"][0]["always"]), (&Value::Null, &Value::Null));
    assert_eq!(json["model"]["agreement"][0]["common"], 78);
    // Every form of it.
    let (_, csv, _) = run(at, &["both.csv", "--gold", "ann", "--format", "csv"]);
    assert!(
        csv.lines().next().expect("a header").ends_with("claim_at,model_minus_people,model_minus_people_error"),
        "{csv}"
    );
    for format in ["markdown", "latex"] {
        let (_, printed, _) = run(at, &["both.csv", "--gold", "ann", "--format", format]);
        assert!(printed.contains("gpt says the same"), "{printed}");
    }
    assert_eq!(run(at, &["both.csv", "--gold", "ann", "--out", "of-names"]).0, Some(0));
    assert!(
        fs::read_to_string(at.join("of-names/board.svg")).expect("a figure").contains("for people, beside a model")
    );
    assert_eq!(run(at, &["model.csv", "--gold-table", "people.csv", "--out", "of-tables"]).0, Some(0));
    let config = |name: &str| fs::read_to_string(at.join(name)).expect("a config");
    assert!(config("of-names/config.json").contains("\"gold\""));
    assert!(config("of-tables/config.json").contains("\"gold_table\""));
    // Without a model, nothing of it.
    let (_, plain, _) = run(at, &["both.csv", "--json"]);
    let plain: Value = serde_json::from_str(&plain).expect("JSON");
    assert!(plain.get("model").is_none() && plain["competitors"][0]["always"].is_object(), "{plain}");
}

#[test]
fn people_who_are_not_there_are_refused() {
    let folder = folder();
    let at = folder.path();
    let [people, model] = questions();
    let text = format!("first,second,winner,item,judge\n{}\n{}\n", model.join("\n"), people.join("\n"));
    fs::write(at.join("both.csv"), text).expect("a writable folder");
    for (arguments, code, expected) in [
        (&["both.csv", "--gold", "anna"][..], 1, "no judge of the table is called \"anna\"; its judges are gpt, ann"),
        (&["both.csv", "--gold", "ann,gpt"], 1, "there are no judgements but people's"),
        (&["votes.csv", "--gold", "ann"], 1, "no column `judge`"),
        (&["both.csv", "--gold", "ann", "--looks", "every"], 1, "claims with a model hold for one look"),
        (&["both.csv", "--gold", "ann", "--gold-table", "votes.csv"], 2, "cannot be used with"),
        (&["both.csv", "--gold", "ann", "--covariates", "length"], 2, "cannot be used with '--covariates"),
        (&["both.csv", "--gold", "ann", "--by", "item"], 2, "cannot be used with '--by"),
        (&["both.csv", "--gold", "ann", "--discrimination"], 2, "cannot be used with '--discrimination"),
        (&["both.csv", "--gold-table", "both.csv", "--covariates", "length"], 2, "cannot be used with '--covariates"),
        (&["both.csv", "--gold-table", "both.csv", "--by", "item"], 2, "cannot be used with '--by"),
        (&["both.csv", "--gold-table", "both.csv", "--discrimination"], 2, "cannot be used with '--discrimination"),
        (&["both.csv", "--gold-table", "none.csv"], 1, "failed to read none.csv"),
        (&["both.csv", "--gold-table", "votes.csv"], 1, "people's judgements names no item"),
    ] {
        let (found, _, said) = run(at, arguments);
        assert!(found == Some(code) && said.contains(expected), "{arguments:?}: {found:?} {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// Votes of four judges on two kinds of questions: `long` wins where answers differ by its length alone.
fn wordy() -> String {
    let mut rows = "first,second,winner,length_first,length_second,kind,judge\n".to_owned();
    for round in 0..240_u32 {
        let (first, second) = [("short", "long"), ("long", "odd"), ("odd", "short")][round as usize % 3];
        // A small generator of numbers.
        let drawn = |salt: u32| f64::from((round * 7_919 + salt * 104_729) % 1_000) / 1_000.0;
        let words = |name: &str, salt: u32| if name == "long" { 300.0 } else { 100.0 } + (200.0 * drawn(salt)).floor();
        let (one, other) = (words(first, 1), words(second, 2));
        let ahead = (one - other) / 60.0;
        let winner = if drawn(3) < 0.5 + 0.5 * ahead / (1.0 + ahead.abs()) { first } else { second };
        let kind = if round % 4 == 0 { "code" } else { "chat" };
        rows += &format!("{first},{second},{winner},{one},{other},{kind},j{}\n", round / 3 % 4);
    }
    rows
}

#[test]
fn covariates_take_length_out_of_strengths() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("wordy.csv"), wordy()).expect("a writable folder");
    let (code, plain, said) = run(at, &["wordy.csv"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert!(plain.starts_with("long is best among 3"), "{plain}");
    let (code, adjusted, said) = run(at, &["wordy.csv", "--covariates", "length"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let lines: Vec<&str> = adjusted.lines().collect();
    assert!(
        lines[0].contains("not known to be best") && lines[0].ends_with("Strengths are adjusted for length."),
        "{adjusted}"
    );
    assert!(
        lines[1].starts_with("length: +") && lines[1].contains("(s.e.) per 100: the answer with that much more"),
        "{adjusted}"
    );
    assert!(adjusted.contains("± s.e.  plain") && adjusted.contains("not adjusted for length"), "{adjusted}");
    let json: Value =
        serde_json::from_str(&run(at, &["wordy.csv", "--covariates", "length", "--json"]).1).expect("JSON");
    let (effect, found) = (&json["effects"][0], json["competitors"][0]["plain"]["value"].as_f64());
    assert!(effect["per"] == 100.0 && effect["coefficient"]["value"].as_f64() > Some(0.5) && found.is_some(), "{json}");
    let other: Value = serde_json::from_str(&run(at, &["wordy.csv", "--json"]).1).expect("JSON");
    assert!(other.get("effects").is_none() && other["competitors"][0].get("plain").is_none(), "{other}");
    let (_, csv, _) = run(at, &["wordy.csv", "--covariates", "length", "--format", "csv"]);
    assert!(csv.lines().next().is_some_and(|header| header.ends_with("claim_at,plain_strength,plain_standard_error")));
    let (code, _, said) = run(at, &["wordy.csv", "--covariates", "bold"]);
    assert!(code == Some(1) && said.contains("found no column of the covariate `bold`"), "{code:?} {said}");
    let (code, _, said) = run(at, &["wordy.csv", "--covariates", "length=a:b:c"]);
    assert!(code == Some(2) && said.contains("--covariates length=a:b:c: expected a name"), "{code:?} {said}");
}

#[test]
fn categories_have_a_board_each() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("wordy.csv"), wordy()).expect("a writable folder");
    let (code, printed, said) = run(at, &["wordy.csv", "--by", "kind", "--mix", "code=0.5,chat=0.5"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("All, mixed as asked for (code 50%, chat 50%): long is best among 3"), "{printed}");
    assert_eq!(lines[1], "No rank is known to depend on kind.");
    assert!(lines[2].starts_with("kind code: ") && lines[3].starts_with("kind chat: "), "{printed}");
    assert!(printed.contains("with 98% each, so that all of them together hold with 95%"), "{printed}");
    let (_, csv, _) = run(at, &["wordy.csv", "--by", "kind", "--format", "csv"]);
    let of: Vec<&str> = csv.lines().map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(of, ["category", "(all)", "(all)", "(all)", "code", "code", "code", "chat", "chat", "chat"]);
    let json: Value = serde_json::from_str(&run(at, &["wordy.csv", "--by", "kind", "--json"]).1).expect("JSON");
    let by = &json["by"];
    assert_eq!(
        (&by["column"], &by["mix_given"], &by["categories"][1]["share"]),
        (&"kind".into(), &false.into(), &0.75.into())
    );
    assert_eq!(by["categories"][0]["board"]["level"], 0.975);
    for (arguments, expected) in [
        (vec!["--mix", "code=1"], "--mix weighs the categories of --by"),
        (vec!["--by", "kind", "--mix", "code=1"], "chat has no share"),
        (vec!["--by", "kind", "--mix", "code"], "expected a category and its share"),
    ] {
        let (code, _, said) = run(at, &[&["wordy.csv"], &arguments[..]].concat());
        assert!(code == Some(2) && said.contains(expected), "{code:?} {said}");
    }
    for format in ["markdown", "latex"] {
        let (code, text, _) = run(at, &["wordy.csv", "--by", "kind", "--format", format]);
        assert!(code == Some(0) && text.contains("category") && text.contains("kind chat"), "{text}");
    }
}

#[test]
fn judges_have_slopes() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("wordy.csv"), wordy()).expect("a writable folder");
    let (code, printed, said) = run(at, &["wordy.csv", "--discrimination", "--out", "out"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("board-judges.csv"), "{said}");
    assert!(printed.contains("Slopes of 4 judges, by how well they distinguish competitors"), "{printed}");
    let table = fs::read_to_string(at.join("out/board-judges.csv")).expect("a table of judges");
    assert_eq!((table.lines().next(), table.lines().count()), (Some("judge,units,slope,ln_error,low,high"), 5));
    let (code, _, said) = run(at, &["votes.csv", "--discrimination"]);
    assert!(
        code == Some(1) && said.contains("discrimination compares judges, and the table names 0"),
        "{code:?} {said}"
    );
}

#[test]
fn a_page_says_all_in_one_file() {
    let folder = folder();
    let at = folder.path();
    let (code, printed, said) = run(at, &["votes.csv", "--html", "pages/board.html"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let page = fs::read_to_string(at.join("pages/board.html")).expect("a page");
    let sentence = printed.lines().next().expect("a sentence");
    for part in [
        "<title>votes.csv</title>",
        "short is the best: better than the 2 others.",
        sentence,
        "short was compared 80 times: it won 60, lost 20.",
        "<th scope=\"row\">long</th>",
        "<svg ",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    for outside in ["<link rel=\"stylesheet\"", "<script", "src=", "href=\"http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (code, _, said) = run(at, &["votes.csv", "--html", "pages/board.html"]);
    assert!(code == Some(2) && said.contains("--html: pages/board.html is there already"), "{said}");
    assert_eq!(run(at, &["votes.csv", "--html", "pages/board.html", "--replace"]).0, Some(0));
}

#[test]
fn what_spreadsheets_of_other_languages_hold_is_read_or_guessed() {
    let folder = TempDir::new().expect("a temporary folder");
    let at = folder.path();
    let mut rows = "Frage;Antwort A;Antwort B;Besser;Prüfer\n".to_owned();
    for round in 0..30 {
        let (first, second) = if round % 2 == 0 { ("Kurz", "Ho\u{308}flich") } else { ("Höflich", "Kurz") };
        let winner = ["A", "B", "unentschieden"][round % 3];
        rows += &format!("Frage {round};{first};{second};{winner};{}\n", if round == 0 { "" } else { "Anna" });
    }
    rows += "Frage 30;Kurz;Höflich;B;anna\nFrage 31;Kurz\nFrage 32;Kurz;Höflch;gleich;Anna\n";
    fs::write(at.join("stimmen.csv"), rows).expect("a writable folder");
    let (code, _, said) = run(at, &["stimmen.csv"]);
    let guess = "first=Antwort A,second=Antwort B,winner=Besser,item=Frage,judge=Prüfer";
    assert!(code == Some(1) && said.trim_end().ends_with(&format!("perhaps: --columns \"{guess}\"")), "{said}");
    let (code, printed, _) = run(at, &["stimmen.csv", "--columns", guess]);
    assert_eq!(code, Some(0));
    for remark in [
        "! 1 judgement names no judge: it counts as that of one unknown judge, who is not among the 2.",
        "! `Höflch` (1 judgement) differs from `Höflich` (31) by one letter: a typo?",
        "! 1 row ends before the column `Besser` (line 33): if they were cut off, judgements are missing",
        "! `Anna` and `anna` count as different judges",
    ] {
        assert!(printed.contains(remark), "{remark}\n{printed}");
    }
    // Both normal forms of one name are one competitor, and columns that were named are not remarked upon.
    assert!(printed.contains("among 3") && !printed.contains("column `Frage`"), "{printed}");
}
