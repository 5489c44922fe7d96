//! Lists in text: read in all list columns and formats if they can only be read in one way, otherwise refused.

use click_logs::join::{ClickFate, CreditedLog, ImpressionFate};
use click_logs::model::{LogEnd, Settings};
use statistics::Counts;

use crate::common::Log;

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

/// The ways in which programs write a list of three texts.
fn forms(texts: [&str; 3]) -> Vec<(String, &'static str)> {
    let [a, b, c] = texts;
    vec![
        (format!("['{a}', '{b}', '{c}']"), "pandas"),
        (format!(r#"["{a}","{b}","{c}"]"#), "JSON"),
        (format!("['{a}' '{b}' '{c}']"), "numpy"),
        (format!("[{a} {b} {c}]"), "numpy numbers"),
        (format!("('{a}', '{b}', '{c}')"), "a tuple"),
        (format!("{{{a},{b},{c}}}"), "Postgres"),
        (format!("[{a}, {b}, {c}]"), "Java"),
    ]
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The click on `2` is on a document of B's; another is on a document without an owner.
#[track_caller]
fn assert_b_won(found: &CreditedLog, what: &str) {
    assert_eq!(found.rankers, ["A", "B"], "{what}");
    assert_eq!(found.days[0].counts.impressions, Counts::new(0, 1, 0), "{what}");
    assert_eq!(found.tally.of_clicks(ClickFate::Credited), 2, "{what}");
}

const CLICKS: &str = "impression,document,time\ni1,2,1795002000\ni1,3,1795002000\n";

#[test]
fn lists_in_brackets_are_read_in_every_column_and_format() {
    let (plain, owners) = (["1", "2", "3"], ["A", "B", "-"]);
    let none = |form: &str| match form {
        "pandas" | "numpy" | "numpy numbers" | "a tuple" => "None",
        "Postgres" => "NULL",
        _ => "null",
    };
    for (at, (shown, form)) in forms(plain).into_iter().enumerate() {
        let teams = forms(owners)[at].0.replace("'-'", none(form)).replace("\"-\"", "null").replace('-', none(form));
        let rankers = match form {
            "Postgres" => "{A,B}",
            "a tuple" => "('A', 'B')",
            _ => "['A', 'B']",
        };
        for (shown, teams, rankers) in [
            (shown.as_str(), teams.as_str(), rankers),
            (&shown, "A B -", "A B"),
            ("1 2 3", &teams, ""),
            ("1 2 3", "A B -", rankers),
        ] {
            let cells = [shown, teams, rankers].map(quoted).join(",");
            let table = format!("impression,time,user,shown,teams,rankers\ni1,1795001000,u1,{cells}\n");
            let log = Log::of(&[table.as_bytes()], &[CLICKS.as_bytes()]);
            assert_b_won(&log.credit(&settings()).unwrap(), &table);
            // The names of UBI.
            let table = table.replace(
                "shown,teams,rankers",
                "query_response_hit_ids,query_attributes.teams,query_attributes.rankers",
            );
            let log = Log::of(&[table.as_bytes()], &[CLICKS.as_bytes()]);
            assert_b_won(&log.credit(&settings()).unwrap(), &table);
        }
        // Unquoted, in a table with tabs between columns.
        let table = format!("impression\ttime\tuser\tshown\tteams\ni1\t1795001000\tu1\t{shown}\t{teams}\n")
            .replace('"', "\"\"");
        let table = if form == "JSON" { table.replace("[", "\"[").replace("]", "]\"") } else { table };
        assert_b_won(&Log::of(&[table.as_bytes()], &[CLICKS.as_bytes()]).credit(&settings()).unwrap(), &table);
        // Text in lines of JSON.
        let text = |list: &str| serde_json::to_string(list).unwrap();
        let (shown, teams, rankers) = (text(&shown), text(&teams), text(rankers));
        let line = format!(
            r#"{{"impression":"i1","time":1795001000,"user":"u1","shown":{shown},"query_attributes":{{"teams":{teams},"rankers":{rankers}}}}}"#
        );
        assert_b_won(&Log::of(&[line.as_bytes()], &[CLICKS.as_bytes()]).credit(&settings()).unwrap(), &line);
    }
}

#[test]
fn a_list_of_one_is_one() {
    for (shown, teams) in [("['b']", "['B']"), ("[\"b\"]", "[\"B\"]"), ("b", "B"), ("('b',)", "('B',)"), ("{b}", "{B}")]
    {
        let cells = [shown, teams].map(quoted).join(",");
        let table = format!("impression,time,user,shown,teams,rankers\ni1,1795001000,u1,{cells},A B\n");
        let clicks = "impression,document,time\ni1,b,1795002000\n";
        let found = Log::of(&[table.as_bytes()], &[clicks.as_bytes()]).credit(&settings()).unwrap();
        assert_eq!(
            (found.rankers.join(" "), found.days[0].counts.impressions),
            ("A B".into(), Counts::new(0, 1, 0)),
            "{table}"
        );
    }
}

#[test]
fn a_separator_that_was_asked_for_is_all_that_separates() {
    let with = |list_separator| Settings { list_separator, ..settings() };
    let clicks = "impression,document,time\ni1,\"[b],x\",1795002000\n";
    let table = "impression,time,user,shown,teams\ni1,1795001000,u1,\"[a],x|[b],x| c \",\"A | B|-\"\n";
    let log = Log::of(&[table.as_bytes()], &[clicks.as_bytes()]);
    let found = log.credit(&with(Some('|'))).unwrap();
    assert_eq!((found.rankers.join(" "), found.days[0].counts.impressions), ("A B".into(), Counts::new(0, 1, 0)));
    let error = log.credit(&settings()).unwrap_err().to_string();
    assert!(
        error.contains("impressions-0:2: `shown` is `[a],x|[b],x| c`") && error.contains("--list-separator"),
        "{error}"
    );
    // Commas, with spaces or without; and unexpected brackets.
    let clicks = "impression,document,time\ni1,b,1795002000\n";
    for cells in ["\"a,b,c\",\"A,B,A\"", "\"a, b, c\",\"A, B, A\""] {
        let table = format!("impression,time,user,shown,teams\ni1,1795001000,u1,{cells}\n");
        let log = Log::of(&[table.as_bytes()], &[clicks.as_bytes()]);
        assert_eq!(log.credit(&with(Some(','))).unwrap().days[0].counts.impressions, Counts::new(0, 1, 0));
        let error = log.credit(&settings()).unwrap_err().to_string();
        assert!(error.contains("`shown` is `a,") && error.contains("pass --list-separator ,"), "{error}");
    }
    let table = "impression,time,user,shown,teams\ni1,1795001000,u1,\"['a', 'b']\",\"['A', 'B']\"\n";
    let error = Log::of(&[table.as_bytes()], &[]).credit(&with(Some(','))).unwrap_err().to_string();
    assert!(error.contains("a list in brackets, but --list-separator was given; leave that out"), "{error}");
}

#[test]
fn lists_that_are_not_there_are_no_documents() {
    let table = "impression,time,user,shown,teams\ni1,1795001000,u1,nan,\ni2,1795001000,u1,,None\ni3,1795001000,u1,a b,NaN\ni4,1795001000,u1,a b,\"[]\"\n";
    let log = Log::of(&[table.as_bytes()], &[]);
    let error = log.credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("impressions-0:5: 0 teams for 2 documents shown"), "{error}");
    let found = log.credit(&Settings { set_malformed_aside: true, ..settings() }).unwrap();
    assert_eq!(found.tally.of_impressions(ImpressionFate::NotMixed), 3);
    assert_eq!(found.tally.of_impressions(ImpressionFate::Malformed), 1);
}
