//! Lines that are neither impressions nor clicks: refused with file and line, or set aside and counted.

use click_logs::join::{ClickFate, ImpressionFate};
use click_logs::model::{Complete, Settings};

use crate::common::Log;

const GOOD: &str = r#"{"impression":"i1","time":1000,"user":"u1","shown":["a","b"],"teams":["A","B"]}"#;
const CLICK: &str = r#"{"impression":"i1","document":"b","time":2000}"#;

fn settings() -> Settings {
    Settings { complete: Complete::Final, ..Settings::default() }
}

/// Impressions that cannot be read, and what the refusal says after `file:line:`.
const IMPRESSIONS: &[(&str, &str)] = &[
    (r#"{"impression":"i2","time":1000,"user":"u1","shown":["a""#, "EOF while parsing a list; the line is cut off"),
    (r#"{"impression":"i2" "time":1000}"#, "expected `,` or `}`; expected one JSON object per line"),
    (r#"{"impression":"i2"} {"impression":"i3"}"#, "trailing characters; expected one JSON object per line"),
    (r#"{"time":1000,"user":"u1","shown":["a"],"teams":["A"]}"#, "no `impression` (or `query_id`)"),
    (r#"{"impression":"","time":1000,"shown":["a"],"teams":["A"]}"#, "no `impression` (or `query_id`)"),
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
    (r#"{"impression":"i2","time":1000,"user":"u1","teams":["A"]}"#, "no `shown` (or `query_response_hit_ids`"),
    (
        r#"{"impression":"i2","time":1000,"shown":"a b","teams":["A"]}"#,
        "invalid type: string \"a b\", expected a sequence",
    ),
    (r#"{"impression":"i2","time":1000,"shown":["a","a"],"teams":["A","B"]}"#, "the document `a` is shown twice"),
    (
        r#"{"impression":"i2","time":1000,"shown":["a","b"],"teams":["A"]}"#,
        "1 teams for 2 documents shown; expected one per document",
    ),
    (r#"{"impression":"i2","time":1000,"shown":["a"],"teams":["A"],"receipt":"AQ"}"#, "both teams and a receipt"),
    (r#"{"impression":"i2","time":1000,"shown":["a"],"receipt":"!"}"#, "neither base64 nor hexadecimal"),
    (r#"{"impression":"i2","time":1000,"shown":["a"],"receipt":"AQIDBA"}"#, "not a receipt"),
    (
        r#"{"impression":"i2","time":1000,"shown":["a"],"teams":["C"],"rankers":["A","B"]}"#,
        "the team `C` is none of the rankers",
    ),
    (
        r#"{"impression":"i2","time":1000,"shown":["a"],"teams":["A"],"rankers":["A","A"]}"#,
        "two rankers are called `A`",
    ),
    (
        r#"{"impression":"i2","time":1000,"user":"u","shown":["a"],"receipt":{"method":"team-draft","receipt":{"team-draft":{"teams":[0,1]}}}}"#,
        "the receipt is of a longer list than the 1 documents shown",
    ),
    (
        r#"{"impression":"i2","time":1000,"user":"u","shown":["a","b"],"receipt":{"method":"team-draft","receipt":{"team-draft":{"teams":[0]}}}}"#,
        "the receipt does not fit the list of 2 documents",
    ),
    (
        r#"{"impression":"i2","time":1000,"user":"u","shown":["a"],"receipt":{"method":"team-raft","receipt":{"team-draft":{"teams":[0]}}}}"#,
        "did you mean `team-draft`?",
    ),
    (
        r#"{"impression":"i2","time":1000,"user":"u","shown":["a"],"receipt":{"method":"team-draft","receipt":{"team-draft":{"teams":[0]}}},"rankers":["A"]}"#,
        "1 rankers with a receipt of 2",
    ),
    (r#"{"action_name":"click","query_id":"q","timestamp":"2026-11-22T15:04:05Z"}"#, "pass this file as --clicks"),
    (
        r#"{"search_configuration":"9c858901-8a57","count":10,"time":"2026-06-01T00:00:00Z"}"#,
        "a stored A/B click of OpenSearch",
    ),
    ("plain text", "expected value; expected one JSON object per line"),
];

/// Clicks that cannot be read.
const CLICKS: &[(&str, &str)] = &[
    (r#"{"impression":"i1","document":"b"}"#, "no `time` (or `timestamp`)"),
    (r#"{"document":"b","time":2000}"#, "no `impression` (or `query_id`)"),
    (r#"{"impression":"i1","time":2000}"#, "no `document` (or `event_attributes.object.object_id`)"),
    (r#"{"impression":"i1","document":"b","time":2000,"dwell":-3}"#, "the dwell time -3 is not a number of seconds"),
    (
        r#"{"impression":"i1","document":["b"],"time":2000}"#,
        "invalid type: sequence, expected a string or a whole number",
    ),
    (r#"{"impression":"i1","document":"b","time":2000,"time":3000}"#, "duplicate field `time`"),
    (GOOD, "a list that was shown, not a click; pass this file as --impressions"),
    (
        r#"{"search_configuration":"9c858901-8a57","count":10,"time":"2026-06-01T00:00:00Z"}"#,
        "a stored A/B click of OpenSearch (`search_configuration`, `count`): it does not say which list was clicked",
    ),
    (
        r#"{"action_name":"click","query_id":"q","timestamp":"2026-11-22T15:04:05Z","event_attributes":{}}"#,
        "no `document`",
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
        ("i1,1000,u1,a b", "4 fields, but the header names 5"),
        ("i1,1000,u1,a b,A B,", "6 fields, but the header names 5"),
        ("i1,1000,u1,\"a b,A B", "a quoted field does not end on its line"),
        ("i1,1000,u1,\"a b\"x,A B", "after a quoted field; expected a separator"),
        ("i1,noon,u1,a b,A B", "the time `noon` cannot be read"),
        ("i1,1000,u1,a b,A", "1 teams for 2 documents"),
        (",1000,u1,a b,A B", "no `impression`"),
    ] {
        let text = format!("{header}\n{line}\n");
        let error = Log::of(&[text.as_bytes()], &[]).credit(&settings()).expect_err(line).to_string();
        assert!(error.contains("impressions-0:2:") && error.contains(expected), "{line}\n{error}");
    }
    let text = "impression,document,time,dwell\ni1,b,2000,long\n";
    let error = Log::of(&[GOOD.as_bytes()], &[text.as_bytes()]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("clicks-0:2: the dwell time `long`"), "{error}");
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
fn teams_that_nobody_named_are_refused() {
    let rankers = vec!["B".to_owned(), "C".to_owned()];
    let error = Log::of(&[GOOD.as_bytes()], &[]).credit(&Settings { rankers, ..settings() }).unwrap_err().to_string();
    assert!(error.contains("impressions-0:1: the team `A` is none of --rankers B,C"), "{error}");
}
