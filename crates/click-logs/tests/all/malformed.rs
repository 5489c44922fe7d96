//! Lines that are neither impressions nor clicks: refused with file and line, or set aside and counted.

use click_logs::join::{ClickFate, ImpressionFate};
use click_logs::model::{LogEnd, Settings, UnitKind};

use crate::common::Log;

const GOOD: &str = r#"{"impression":"i1","time":1795001000,"user":"u1","shown":["a","b"],"teams":["A","B"]}"#;
const CLICK: &str = r#"{"impression":"i1","document":"b","time":1795002000}"#;

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

/// Impressions that cannot be read, and the message after `file:line:`.
const IMPRESSIONS: &[(&str, &str)] = &[
    (
        r#"{"impression":"i2","time":1795001000,"user":"u1","shown":["a""#,
        "EOF while parsing a list; the line is cut off",
    ),
    (r#"{"impression":"i2" "time":1795001000}"#, "expected `,` or `}`; expected one JSON object per line"),
    (r#"{"impression":"i2"} {"impression":"i3"}"#, "trailing characters; expected one JSON object per line"),
    (r#"{"time":1795001000,"user":"u1","shown":["a"],"teams":["A"]}"#, "no `impression` (or `query_id`)"),
    (r#"{"impression":"","time":1795001000,"shown":["a"],"teams":["A"]}"#, "no `impression` (or `query_id`)"),
    (r#"{"impression":"i2","user":"u1","shown":["a"],"teams":["A"]}"#, "no `time` (or `timestamp`)"),
    (
        r#"{"impression":"i2","time":"yesterday","shown":["a"],"teams":["A"]}"#,
        "the time `yesterday` cannot be read; expected e.g. 2026",
    ),
    (
        r#"{"impression":"i2","time":"2026-11-22T15:04:05","shown":["a"],"teams":["A"]}"#,
        "has no zone; say which with --timezone",
    ),
    (
        r#"{"impression":"i2","time":1e30,"shown":["a"],"teams":["A"]}"#,
        "is out of range; expected seconds or milliseconds",
    ),
    (
        r#"{"impression":"i2","time":20261122150405,"shown":["a"],"teams":["A"]}"#,
        "the time 20261122150405 is a date in digits, not a number since 1970; expected e.g. 2026-11-22T15:04:05Z",
    ),
    (
        r#"{"impression":"i2","time":2026112215,"shown":["a"],"teams":["A"]}"#,
        "the time 2026112215 may be a date and its hour in digits, or seconds since 1970",
    ),
    (
        r#"{"impression":"i2","time":"2026112215","shown":["a"],"teams":["A"]}"#,
        "the time 2026112215 may be a date and its hour in digits, or seconds since 1970",
    ),
    (
        r#"{"impression":"i2","time":1795446,"shown":["a"],"teams":["A"]}"#,
        "the time 1795446 is 1970-01-21 in seconds since 1970, before 2000; in thousands of seconds since 1970 it is 2026-11-23",
    ),
    (r#"{"impression":"i2","time":0,"shown":["a"],"teams":["A"]}"#, "the time 0 is 1970-01-01 in seconds since 1970"),
    (r#"{"impression":"i2","time":"-5","shown":["a"],"teams":["A"]}"#, "the time -5 is 1969-12-31"),
    (
        r#"{"impression":"i2","time":"1970-01-21T10:44:06Z","shown":["a"],"teams":["A"]}"#,
        "the time 1970-01-21T10:44:06.000Z is before 2000; expected the years 2000 to 2099",
    ),
    (r#"{"impression":"i2","time":"9999-12-31 23:59:59Z","shown":["a"],"teams":["A"]}"#, "Z is after 2099"),
    (r#"{"impression":"i2","time":1795001000,"user":"u1","teams":["A"]}"#, "no `shown` (or `query_response_hit_ids`"),
    (
        r#"{"impression":"i2","time":1795001000,"shown":"a b","teams":["A"]}"#,
        "`shown` is `a b`, which is text; expected a list, e.g. [\"a\",\"b\"]",
    ),
    (r#"{"impression":"i2","time":1795001000,"shown":["a","a"],"teams":["A","B"]}"#, "the document `a` is shown twice"),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a","b"],"teams":["A"]}"#,
        "1 teams for 2 documents shown; expected one per document",
    ),
    (r#"{"impression":"i2","time":1795001000,"shown":["a"],"teams":["A"],"receipt":"AQ"}"#, "both teams and a receipt"),
    (r#"{"impression":"i2","time":1795001000,"shown":["a"],"receipt":"!"}"#, "neither base64 nor hexadecimal"),
    (r#"{"impression":"i2","time":1795001000,"shown":["a"],"receipt":"AQIDBA"}"#, "not a receipt"),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a"],"teams":["C"],"rankers":["A","B"]}"#,
        "the team `C` is none of the rankers",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a"],"teams":["A"],"rankers":["A","A"]}"#,
        "two rankers are called `A`",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"user":"u","shown":["a"],"receipt":{"format":2,"method":"team-draft","interleaving":{"team-draft":{"teams":[0,1]}},"checksum":"034f9861"}}"#,
        "the receipt is of a longer list than the 1 documents shown",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"user":"u","shown":["a","b"],"receipt":{"format":2,"method":"team-draft","interleaving":{"team-draft":{"teams":[0]}},"checksum":"c1016e97"}}"#,
        "the receipt does not fit the list of 2 documents",
    ),
    // As it was before there was a checksum.
    (
        r#"{"impression":"i2","time":1795001000,"user":"u","shown":["a"],"receipt":{"method":"team-draft","receipt":{"team-draft":{"teams":[0]}}}}"#,
        "not a receipt: it has no `format`; expected 2",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a"],"receipt":"AQID"}"#,
        "not a receipt: its first byte is 0x01, not 0xb2",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"user":"u","shown":["a"],"receipt":{"format":2,"method":"team-raft","interleaving":{"team-draft":{"teams":[0]}},"checksum":"499510a9"}}"#,
        "did you mean `team-draft`?",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"user":"u","shown":["a"],"receipt":{"format":2,"method":"team-draft","interleaving":{"team-draft":{"teams":[0]}},"checksum":"c1016e97"},"rankers":["A"]}"#,
        "1 rankers with a receipt of 2",
    ),
    (r#"{"action_name":"click","query_id":"q","timestamp":"2026-11-22T15:04:05Z"}"#, "pass this file as --clicks"),
    (
        r#"{"search_configuration":"9c858901-8a57","count":10,"time":"2026-06-01T00:00:00Z"}"#,
        "a stored A/B click of OpenSearch",
    ),
    ("plain text", "expected value; expected one JSON object per line"),
    ("[7]", "expected an object, found a list"),
    (
        r#"{"impression":2.5,"time":1795001000,"shown":["a"]}"#,
        "`impression` is the number 2.5; expected text or a whole",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a",2.0]}"#,
        "`shown` is a list with the number 2.0; expected a list of",
    ),
    (r#"{"impression":"i2","time":1795001000,"shown":["a",null]}"#, "`shown` has an entry without a value"),
    (r#"{"impression":"i2","time":1795001000,"shown":["a",""]}"#, "`shown` has an entry without a value"),
    (r#"{"impression":"i2","time":1795001000,"shown":[" ","a"]}"#, "`shown` has an entry without a value"),
    (
        r#"{"impression":"i2","time":1795001000,"shown":"['a', 'b'"}"#,
        "does not end with `]`; expected e.g. [\"a\",\"b\"]",
    ),
    (r#"{"impression":"i2","time":1795001000,"user":"u","user_id":"v","shown":["a"]}"#, "`user` is `u`, but `user_id`"),
    (
        r#"{"impression":"i2","time":1795001000,"session":"s","query_attributes":{"session_id":"t"},"shown":["a"]}"#,
        "`session` is `s`, but `query_attributes.session_id`, which stands for the same, is `t`; leave one of them out",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a","b"],"query_response_hit_ids":["b","a"]}"#,
        "`shown` is `a b`, but `query_response_hit_ids`, which stands for the same, is `b a`",
    ),
    (
        r#"{"impression":"i2","time":1795001000,"shown":["a"],"teams":["A"],"query_attributes":{"teams":[null]}}"#,
        "`teams` is `A`, but `query_attributes.teams`, which stands for the same, is `null`",
    ),
    (
        r#"{"query_id":"i2","time":1795001000,"shown":["a","x"],"response":{"hits":{"hits":[{"_id":"a","_search_configuration":"A"}]}}}"#,
        "the document `x` is not in the response, which has 1 of the 2 documents shown",
    ),
    (
        r#"{"query_id":"i2","time":1795001000,"shown":["a"],"teams":["B"],"response":{"docs":[{"id":"a","[interleaving]":"A"}]}}"#,
        "the owner of document 1 is `B` by `teams`, but `A` by the response",
    ),
    (
        r#"{"query_id":"i2","time":1795001000,"response":{"hits":{"hits":[{"_id":"a"},{"id":"b"}]}}}"#,
        "`hits.hits` is a list whose hit 2 has no `_id`; expected the list of hits",
    ),
    (
        r#"{"query_id":"i2","time":1795001000,"response":{"hits":{"hits":[{"_id":"a","_search_configuration":"A","search_config":"B"}]}}}"#,
        "a list whose hit 1 has two owners, A and B",
    ),
    (
        r#"{"took":1,"hits":{"hits":[{"_id":"1","_source":{"query_id":"i1"}}]}}"#,
        "the answer to a search, with its documents in `hits.hits`",
    ),
];

/// Clicks that cannot be read.
const CLICKS: &[(&str, &str)] = &[
    (r#"{"impression":"i1","document":"b"}"#, "no `time` (or `timestamp`)"),
    (r#"{"document":"b","time":1795002000}"#, "no `impression` (or `query_id`)"),
    (r#"{"impression":"i1","time":1795002000}"#, "no `document` (or `event_attributes.object.object_id`)"),
    (
        r#"{"impression":"i1","document":"b","time":1795002000,"dwell":-3}"#,
        "the dwell time -3 is not a number of seconds",
    ),
    (
        r#"{"impression":"i1","document":["b"],"time":1795002000}"#,
        "`document` is a list; expected text or a whole number",
    ),
    (
        r#"{"impression":"i1","document":1.0,"time":1795002000}"#,
        "`document` is the number 1.0; expected text or a whole",
    ),
    (
        r#"{"impression":1.0,"document":"b","time":1795002000}"#,
        "`impression` is the number 1.0; expected text or a whole",
    ),
    (
        r#"{"impression":true,"document":"b","time":1795002000}"#,
        "`impression` is true; expected text or a whole number",
    ),
    (
        r#"{"impression":"i1","document":"b","time":1795002000,"time":1795003000}"#,
        "`time` is there twice: 1795002000, and 1795003000",
    ),
    (r#"{"impression":"i1","query_id":"i2","document":"b","time":1795002000}"#, "`impression` is `i1`, but `query_id`"),
    (
        r#"{"impression":"i1","document":"b","time":1795002000,"timestamp":1795003000}"#,
        "`time` is 2026-11-18T11:40:00.000Z, but",
    ),
    (r#"{"impression":"i1","document":"b","object_id":"c","time":1795002000}"#, "`document` is `b`, but `object_id`"),
    (r#"{"impression":"i1","document":"b","time":1795002000,"dwell":"long"}"#, "the dwell time `long` is not a number"),
    (
        r#"{"impression":"i1","document":"b","time":1795002000,"dwell":[3]}"#,
        "`dwell` is a list; expected a number of seconds",
    ),
    (
        r#"{"query_id":"i1","timestamp":1795002000,"event_attributes":{"object":[{"object_id":"b"}]}}"#,
        "`event_attributes.object` is a list; expected an object with `object_id`",
    ),
    (
        r#"{"query_id":"i1","timestamp":1795002000,"event_attributes":{"object":{"object_id":"b"},"dwell_time":{}}}"#,
        "`event_attributes.dwell_time` is an object; expected a number of seconds",
    ),
    (
        r#"{"query_id":"i1","timestamp":1795002000,"event_attributes":"{\"object\":"}"#,
        "`event_attributes` is `{\\\"object\\\":`, which is not JSON",
    ),
    (
        r#"{"query_id":"i1","timestamp":1795002000,"event_attributes":"b"}"#,
        "`event_attributes` is the text `b`; expected an object, or its JSON as text",
    ),
    (
        r#"{"took":1,"hits":{"hits":[{"_id":"1","_source":{"query_id":"i1"}}]}}"#,
        "the answer to a search, with its documents in `hits.hits`; expected one document per line (`jq -c '.hits.hits[]'`",
    ),
    (GOOD, "a list that was shown, not a click; pass this file as --impressions"),
    (
        r#"{"search_configuration":"9c858901-8a57","count":10,"time":"2026-06-01T00:00:00Z"}"#,
        "a stored A/B click of OpenSearch (`search_configuration`, `count`): it does not say which list was clicked",
    ),
];

#[test]
fn malformed_lines_are_refused_with_file_and_line() {
    for (is_impression, cases) in [(true, IMPRESSIONS), (false, CLICKS)] {
        for (line, expected) in cases {
            let good = if is_impression { GOOD } else { CLICK };
            let text = format!("{good}\n\n{line}\n{good}\n");
            let log = if is_impression {
                Log::of(&[text.as_bytes()], &[CLICK.as_bytes()])
            } else {
                Log::of(&[GOOD.as_bytes()], &[text.as_bytes()])
            };
            let error = log.credit(&settings()).expect_err(line).to_string();
            let kind = if is_impression { "impressions-0" } else { "clicks-0" };
            assert!(error.contains(&format!("{kind}:3:")) && error.contains(expected), "{line}\n{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            // Or counted: the lines around it stay.
            let found = log.credit(&Settings { set_malformed_aside: true, ..settings() }).unwrap();
            let [impressions, clicks] = [u64::from(is_impression), u64::from(!is_impression)];
            assert_eq!(found.tally.of_impressions(ImpressionFate::Malformed), impressions, "{line}");
            assert_eq!(found.tally.of_clicks(ClickFate::Malformed), clicks, "{line}");
            assert_eq!(found.days[0].counts.impressions.losses, 1);
        }
    }
}

#[test]
fn malformed_tables_are_refused_with_file_and_line() {
    let header = "impression,time,user,shown,teams";
    for (line, expected) in [
        ("i1,1795001000,u1,a b", "4 fields, but the header names 5"),
        ("i1,1795001000,u1,a b,A B,", "6 fields, but the header names 5"),
        ("i1,1795001000,u1,\"a b,A B", "a quoted field does not end on its line"),
        ("i1,1795001000,u1,\"a b\"x,A B", "after a quoted field; expected a separator"),
        ("i1,noon,u1,a b,A B", "the time `noon` cannot be read"),
        ("i1,1795001000,u1,a b,A", "1 teams for 2 documents"),
        (",1795001000,u1,a b,A B", "no `impression`"),
        (
            "i1,1795001000,u1,\"a,b\",\"A,B\"",
            "`shown` is `a,b`, whose entries seem to be separated by `,`; pass --list-separator ,",
        ),
        ("i1,1795001000,u1,a;b,A;B", "`shown` is `a;b`, whose entries seem to be separated by `;`"),
        ("i1,1795001000,u1,a b,A|B", "`teams` is `A|B`, whose entries seem to be separated by `|`"),
        ("i1,1795001000,u1,[a b,A B", "`shown` is `[a b`, which cannot be read as a list"),
        ("i1,1795001000,u1,[1.0 2.0],A B", "`1.0` is not a whole number; write ids as text"),
        ("i1,1795001000,u1,nan,A B", "2 teams for 0 documents"),
    ] {
        let text = format!("{header}\n{line}\n");
        let error = Log::of(&[text.as_bytes()], &[]).credit(&settings()).expect_err(line).to_string();
        assert!(error.contains("impressions-0:2:") && error.contains(expected), "{line}\n{error}");
    }
    let text = "impression,document,time,dwell\ni1,b,1795002000,long\n";
    let error = Log::of(&[GOOD.as_bytes()], &[text.as_bytes()]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("clicks-0:2: the dwell time `long`"), "{error}");
}

#[test]
fn objects_over_several_lines_name_the_command() {
    let pretty = "{\n  \"impression\": \"i1\",\n  \"time\": 1795001000,\n  \"shown\": [\"a\"]\n}\n";
    let answer = "{\n \"took\": 1,\n \"hits\": {\n  \"hits\": [\n   {\"_source\": {\"query_id\": \"q\"}}\n  ]\n }\n}\n";
    for (text, command) in [(pretty, "`jq -c .`"), (answer, "`jq -c '.hits.hits[]'`")] {
        for log in [Log::of(&[text.as_bytes()], &[]), Log::of(&[GOOD.as_bytes()], &[text.as_bytes()])] {
            // No line of such a file is one, so nothing can be set aside.
            for set_malformed_aside in [false, true] {
                let settings = Settings { set_malformed_aside, ..settings() };
                let error = log.credit(&settings).unwrap_err().to_string();
                assert!(error.contains("over several lines") && error.contains(command), "{error}");
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    let text = [GOOD.as_bytes(), b"\n{\"impression\":\"\xff\"}\n"].concat();
    let error = Log::of(&[&text], &[]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("impressions-0:2: ") && error.contains("iconv"), "{error}");
}

#[test]
fn a_file_cut_off_in_its_compression_is_refused() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(format!("{GOOD}\n").repeat(100).as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    let error = Log::of(&[&bytes[..bytes.len() - 10]], &[]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("is cut off"), "{error}");
}

#[test]
fn undeclared_teams_are_refused() {
    let rankers = vec!["B".to_owned(), "C".to_owned()];
    let error = Log::of(&[GOOD.as_bytes()], &[]).credit(&Settings { rankers, ..settings() }).unwrap_err().to_string();
    assert!(error.contains("impressions-0:1: the team `A` is none of --rankers B,C"), "{error}");
}

/// A program that has no user writes nothing, or a word for it: all of them are not one user.
#[test]
fn words_for_no_user_are_no_user() {
    const WORDS: [&str; 12] = ["", " ", "-", "nan", "NaN", "None", "null", "NULL", "NA", "<NA>", "\\N", "undefined"];
    let lines =
        |line: fn(&str) -> String| -> String { WORDS.iter().map(|word| line(&word.replace('\\', "\\\\"))).collect() };
    let csv: String =
        WORDS.iter().enumerate().map(|(at, word)| format!("i{at},1795001000,{word},,{word},a b,A B\n")).collect();
    let quoted: String =
        csv.lines().map(|line| format!("{}\n", line.replace(",1795001000,", ",\"1795001000\","))).collect();
    let header = "impression,time,user,client_id,session,shown,teams\n";
    let in_json = lines(|word| {
        format!(
            r#"{{"impression":"{word}7","time":1795001000,"user":"{word}","session":"{word}","shown":["a","b"],"teams":["A","B"]}}"#
        ) + "\n"
    });
    for impressions in [format!("{header}{csv}"), format!("{header}{quoted}"), in_json] {
        for unit in [UnitKind::User, UnitKind::Session] {
            let log = Log::of(&[impressions.as_bytes()], &[CLICK.as_bytes()]);
            let found = log.credit(&Settings { unit, ..settings() }).unwrap();
            assert_eq!(found.tally.of_impressions(ImpressionFate::NoUnit), WORDS.len() as u64, "{impressions}");
        }
    }
    // A client replaces a user with a missing name.
    let known = "impression,time,user,client_id,session,shown,teams\ni1,1795001000,null,c1,,a b,A B\ni2,1795001000,,c2,,a b,A B\n";
    let found = Log::of(&[known.as_bytes()], &[CLICK.as_bytes()]).credit(&settings()).unwrap();
    assert_eq!(found.tally.of_impressions(ImpressionFate::Credited), 2);
}
