//! Names, days and lines that should not be logged: the output of `credit`, its reading by `decide`, and the terminal.

use click_logs::join::ImpressionFate;
use click_logs::model::{LogEnd, Settings};
use proptest::prelude::*;
use serde_json::json;

use crate::common::Log;

fn settings(set_malformed_aside: bool) -> Settings {
    Settings { complete: LogEnd::Final, set_malformed_aside, ..Settings::default() }
}

/// Names of all kinds, most of them with a character that breaks lines, tables or terminals.
fn name() -> impl Strategy<Value = String> {
    let strange =
        ["", " ", "\n", "\r", "\t", "\u{1b}[31m", "\u{85}", "\u{2028}", "\u{202e}", "\"", ",", "a,b", "\\", "ä", "\0"];
    let part = prop_oneof![3 => prop::sample::select(strange.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_credit_writes_decide_reads(
        names in prop::collection::vec(name(), 2..5),
        times in prop::collection::vec(prop_oneof![1_700_000_000_000..1_900_000_000_000_i64, any::<i64>()], 1..5),
    ) {
        let mut names = names;
        names.sort();
        names.dedup();
        prop_assume!(names.len() > 1);
        let impression = |(at, time): (usize, &i64)| {
            let pair = [&names[at % names.len()], &names[(at + 1) % names.len()]];
            let line = json!({"impression": format!("i{at}"), "time": time, "user": format!("u{at}"),
                              "shown": ["a", "b"], "teams": pair, "rankers": pair});
            line.to_string() + "\n"
        };
        let lines: String = times.iter().enumerate().map(impression).collect();
        let log = Log::of(&[lines.as_bytes()], &[b""]);
        for set_aside in [false, true] {
            match log.credit(&settings(set_aside)) {
                Ok(credited) => {
                    let outcomes = click_logs::outcomes::outcomes_of_log(&credited);
                    let text = outcomes.to_csv();
                    let read = click_logs::outcomes::read(&text, &credited.rankers);
                    prop_assert_eq!(read.as_ref().map(|read| &read.days), Ok(&outcomes.days), "{:?}", text);
                    prop_assert!(outcomes.rankers.iter().all(|name| !name.chars().any(char::is_control)));
                    let malformed = credited.tally.of_impressions(ImpressionFate::Malformed);
                    prop_assert!(set_aside || malformed == 0);
                }
                Err(error) => {
                    prop_assert!(!error.to_string().chars().any(char::is_control), "{:?}", error.to_string());
                    prop_assert!(!set_aside || error.line().is_none(), "{}", error);
                }
            }
        }
    }
}

#[test]
fn names_that_are_none_are_refused_or_set_aside() {
    for (name, expected, of_line) in [
        ("new\nline", "the name of the ranker `new\\nline` contains the control character \\n", ""),
        ("\u{1b}[2J", "contains the control character \\u{1b}", ""),
        ("", "is empty; expected a name", "`rankers` has an entry without a value"),
    ] {
        let line = json!({"impression": "i", "time": 1_700_000_000_000_i64, "user": "u", "shown": ["a", "b"],
                          "teams": ["A", name], "rankers": ["A", name]});
        let log = Log::of(&[line.to_string().as_bytes()], &[b""]);
        let error = log.credit(&settings(false)).unwrap_err().to_string();
        let of_line = if of_line.is_empty() { expected } else { of_line };
        assert!(error.contains(of_line) && error.contains("impressions-0:1:"), "{error}");
        let credited = log.credit(&settings(true)).unwrap();
        assert_eq!(credited.tally.of_impressions(ImpressionFate::Malformed), 1);
        let asked = Settings { rankers: vec!["A".to_owned(), name.to_owned()], ..settings(true) };
        assert!(log.credit(&asked).unwrap_err().to_string().contains(expected));
    }
    let table = "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties\n\
                 2026-01-01,a,\u{1b}[2Jb,1,1,1,1,1,1\n";
    let error = click_logs::outcomes::read(table, &[]).unwrap_err().to_string();
    assert!(error.contains("contains the control character"), "{error}");
}

#[test]
fn lines_that_are_too_long_are_set_aside() {
    let line = |number: u32| {
        let line = json!({"impression": format!("i{number}"), "time": 1_700_000_000_000_i64, "user": format!("u{number}"),
                          "shown": ["a", "b"], "teams": ["A", "B"], "rankers": ["A", "B"]});
        line.to_string() + "\n"
    };
    let text = [line(1), "x".repeat(70 << 20), "\n".to_owned(), line(2)].concat();
    let log = Log::of(&[text.as_bytes()], &[b""]);
    let error = log.credit(&settings(false)).unwrap_err().to_string();
    assert!(error.contains("impressions-0:2: a line longer than 64 MiB"), "{error}");
    let (credited, asides) = log.credit_with_asides(&settings(true));
    assert_eq!(credited.tally.of_impressions(ImpressionFate::Malformed), 1);
    assert_eq!(asides.iter().map(|aside| (aside.line, aside.fate)).collect::<Vec<_>>(), [(2, "malformed")]);
    assert_eq!(credited.tally.of_impressions(ImpressionFate::Credited), 2);
}
