//! Files that are read, and the errors of wrong ones.

use super::*;
use crate::experiment::claim::RawClaim;
use crate::experiment::parse;

const SMALL: &str = "\
title = \"t\"
paper = \"rcs\"
figure = \"Figure 1\"
kind = \"regret\"
algorithms = [\"rcs\"]
steps = \"1e3\"
runs = 2

[[setting]]
name = \"P\"
play = \"problem\"
problem = \"arithmetic\"
";

#[test]
fn a_file_is_read() {
    let experiment = parse(SMALL).unwrap();
    assert_eq!(experiment.steps, Some(Count(1000)));
    assert_eq!(experiment.entries[0].problem.0, ["arithmetic"]);
}

#[test]
fn a_number_of_rankers_may_be_bare() {
    let live = SMALL
        .replace("play = \"problem\"\nproblem = \"arithmetic\"", "play = \"live\"\ndataset = \"x\"\nrankers = VALUE");
    let rankers = |value: &str| parse(&live.replace("VALUE", value)).map(|found| found.entries[0].rankers.to_string());
    assert_eq!((rankers("10").ok(), rankers("\"1,6\"").ok()), (Some("10".to_owned()), Some("1,6".to_owned())));
    for (value, part) in [("-3", "-3"), ("1.5", "a number or a text"), ("\"alphabetic:3\"", "alphabetic")] {
        let error = rankers(value).expect_err(value).message;
        assert!(error.contains(part), "{value}: {error}");
    }
}

#[test]
fn texts_control_no_terminal_and_no_page() {
    let wrong = |from: &str, to: &str| parse(&SMALL.replace(from, to)).unwrap_err().message;
    for (from, to, expected) in [
        ("\"t\"", "\"a\\u001b[2Jb\"", "title contains the control character \\u{1b}"),
        ("\"t\"", "\"a\\n# b\"", "title contains the control character \\n"),
        ("\"P\"", "\"\\u0007\"", "name contains the control character \\u{7}"),
    ] {
        assert!(wrong(from, to).starts_with(expected), "{}", wrong(from, to));
    }
    let about = SMALL.replace("runs = 2", "runs = 2\nabout = \"one\\n\\ttwo\"");
    assert!(parse(&about).is_ok());
}

/// The README documents every key; serde lists them when it meets an unknown one.
#[test]
fn the_readme_has_all_keys() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let lists = [
        toml::from_str::<Experiment>("no-key = 1").unwrap_err(),
        toml::from_str::<Subsets>("no-key = 1").unwrap_err(),
        toml::from_str::<Draw>("no-key = 1").unwrap_err(),
        toml::from_str::<SettingEntry>("no-key = 1").unwrap_err(),
        toml::from_str::<RawClaim>("no-key = 1").unwrap_err(),
    ];
    for list in lists {
        let keys: Vec<&str> = list.message().split('`').skip(3).step_by(2).collect();
        assert!(keys.len() >= 3, "{list}");
        for key in keys {
            // In a table: alone, or with the value that it has there.
            let documented = ["`", " ="].iter().any(|end| readme.contains(&format!("`{key}{end}")));
            let section = readme.contains(&format!("[{key}]"));
            assert!(documented || section, "experiments/README.md does not document `{key}`");
        }
    }
}

#[test]
fn an_unknown_key_is_an_error_with_line_and_suggestion() {
    for (wrong, line, says) in [
        ("steps = \"1e3\"", 6, "unknown key `stesp`; did you mean `steps`?"),
        ("play = \"problem\"", 11, "unknown key `paly`; did you mean `play`?"),
    ] {
        let (key, value) = wrong.split_once(' ').unwrap();
        let misspelt = if key == "steps" { "stesp" } else { "paly" };
        let error = parse(&SMALL.replace(wrong, &format!("{misspelt} {value}"))).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (Some(line), says));
    }
    let error = parse(&format!("{SMALL}\n[[claim]]\nsays = \"x\"\nwhree = \"y\"\n")).unwrap_err();
    assert_eq!((error.line, error.message.as_str()), (Some(16), "unknown key `whree`; did you mean `where`?"));
}

#[test]
fn each_rule_has_its_error() {
    for (from, to, says) in [
        ("\"rcs\"\nfigure", "\"rxs\"\nfigure", "paper = \"rxs\": expected one of"),
        ("runs = 2\n", "", "kind = \"regret\" needs `runs`"),
        ("\"1e3\"", "\"1.5\"", "expected a whole number"),
        ("\"1e3\"", "1.5e0", "expected a whole number"),
        ("\"1e3\"", "0", "expected at least 1"),
        ("runs = 2", "runs = 2\ncheckpoints = 0", "checkpoints: expected at least 1"),
        ("runs = 2", "runs = 2\ncheckpoints = 4294967295", "checkpoints: expected 1 to 1,000, found 4294967295"),
        ("runs = 2", "runs = 2\nsizes = [3, 1]", "sizes: expected at least 2 rankers, found 1"),
        ("runs = 2", "runs = 2\nsizes = [3, 4, 3]", "sizes: 3 is given twice"),
        ("runs = 2", "runs = 2\ngamma = [0]", "gamma: expected at least 2 rankers, found 0"),
        ("runs = 2", "runs = 2\nsubsets = { sizes = [3], count = 0 }", "expected at least 1"),
        ("runs = 2", "runs = 2\nsubsets = { sizes = [0], count = 1 }", "expected at least 2 rankers, found 0"),
        ("\"regret\"", "\"regrets\"", "unknown variant `regrets`"),
        ("problem = \"arithmetic\"\n", "", "play = \"problem\" needs `problem`"),
        ("play = \"problem\"", "play = \"live\"", "needs `dataset`, `lookalike` or both"),
    ] {
        let error = parse(&SMALL.replace(from, to)).unwrap_err();
        assert!(error.message.contains(says), "{says}: {error:?}");
    }
}
