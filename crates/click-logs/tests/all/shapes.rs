//! UBI as search engines and exports write it: requests of `_bulk`, attributes as text, clicks on nothing, queries without
//! hits.

use click_logs::join::{ClickFate, CreditedLog, FrameJoin, ImpressionFate, LogTotals, Order, Resources, Units};
use click_logs::model::{LogEnd, Settings};
use click_logs::read;
use statistics::Counts;

use crate::common::{Log, assert_same};

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

const QUERY: &str = r#"{"query_id":"q1","client_id":"c1","timestamp":"2026-11-22T15:04:05Z","query_response_hit_ids":["a","b"],"query_attributes":{"teams":["A","B"]}}"#;
const EVENT: &str = r#"{"action_name":"click","query_id":"q1","timestamp":"2026-11-22T15:04:45Z","event_attributes":{"object":{"object_id":"b"},"dwell_time":"31.5"}}"#;

fn credited(impressions: &str, clicks: &str) -> CreditedLog {
    let log = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]);
    log.credit(&settings()).unwrap_or_else(|error| panic!("{error}\n{impressions}\n{clicks}"))
}

#[test]
fn actions_of_bulk_requests_are_no_lines() {
    let expected = credited(QUERY, EVENT);
    assert_eq!(expected.tally.lines(), [1, 1]);
    let index = r#"{"index": {"_index": "ubi_queries", "_id": "7"}}"#;
    for (action, wrap) in [
        (index, "{}"),
        (r#"{"index":{}}"#, "{}"),
        (r#"{"create":{"_index":"ubi"}}"#, "{}"),
        (r#"{"delete":{"_id":"3"}}"#, "{}"),
        (r#"{"update":{"_id":"3"}}"#, r#"{"doc":{},"doc_as_upsert":true}"#),
    ] {
        let of = |line: &str| format!("{action}\n{}\n{index}\n", wrap.replacen("{}", line, 1));
        assert_same(&credited(&of(QUERY), &of(EVENT)), &expected, action);
    }
    // A field of this name is a field.
    let error = Log::of(&[br#"{"index":{"query_id":"q"}}"#], &[]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("impressions-0:1: no `impression`"), "{error}");
    let error = Log::of(&[index.as_bytes(), QUERY.as_bytes()], &[index.as_bytes(), QUERY.as_bytes()])
        .credit(&settings())
        .unwrap_err()
        .to_string();
    assert!(error.contains("not a click; pass this file as --impressions"), "{error}");
    let error = Log::of(&[EVENT.as_bytes()], &[]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("not an impression; pass this file as --clicks"), "{error}");
}

#[test]
fn a_file_may_hold_queries_and_events() {
    let expected = credited(QUERY, EVENT);
    let [queries, events] = ["ubi_queries", "ubi_events"].map(|index| format!(r#"{{"index":{{"_index":"{index}"}}}}"#));
    let own = [
        r#"{"impression":"q1","user":"c1","time":"2026-11-22T15:04:05Z","shown":["a","b"],"teams":["A","B"]}"#,
        r#"{"impression":"q1","document":"b","time":"2026-11-22T15:04:45Z"}"#,
    ];
    for text in [
        format!("{queries}\n{QUERY}\n{events}\n{EVENT}\n"),
        format!("{EVENT}\n{QUERY}\n"),
        format!("{}\n{}\n", own[0], own[1]),
    ] {
        let log = Log::of(&[text.as_bytes()], &[text.as_bytes()]);
        let found = log.credit(&Settings { holds_both: true, ..settings() }).unwrap();
        assert_eq!(found.days, expected.days, "{text}");
        assert_eq!(found.tally.lines(), [1, 1], "{text}");
    }
}

#[test]
fn nan_is_null_and_separators_are_named() {
    let expected = credited(QUERY, EVENT);
    let with_nan = |line: &str| line.replacen('{', r#"{"score":NaN,"note":"NaN","#, 1);
    assert_same(&credited(&with_nan(QUERY), &with_nan(EVENT)), &expected, "NaN");
    let sequence = format!("\u{1e}{QUERY}\n");
    let error = Log::of(&[sequence.as_bytes()], &[]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("RFC 7464") && error.contains("tr -d"), "{error}");
    for (start, name) in
        [(b"ARROW1\0\0".as_slice(), "an Arrow (Feather) file"), (b"ORC\n\x0b", "ORC"), (b"BZh9", "bzip2")]
    {
        let error = Log::of(&[start], &[]).credit(&settings()).unwrap_err().to_string();
        assert!(error.contains(&format!("{name}; ")), "{error}");
    }
}

#[test]
fn attributes_may_be_text() {
    let expected = credited(QUERY, EVENT);
    let text = |line: &str, name: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        line[name] = line[name].to_string().into();
        line.to_string()
    };
    assert_same(&credited(&text(QUERY, "query_attributes"), &text(EVENT, "event_attributes")), &expected, "text");
    let deep = EVENT.replace(r#"{"object_id":"b"}"#, r#""{\"object_id\":\"b\"}""#);
    assert_same(&credited(QUERY, &deep), &expected, "text of the object");
    // Nothing in it, as exports write that.
    for nothing in ["null", "\"\"", "{}", "\"{}\""] {
        let query =
            QUERY.replace(r#""query_response"#, &format!(r#""response":{nothing},"ext":{nothing},"query_response"#));
        assert_same(&credited(&query, EVENT), &expected, nothing);
    }
    // Other logs have other things under some names.
    let query =
        QUERY.replace(r#""query_response"#, r#""hits":30,"response":"ok","ext":"en","doc":"x","query_response"#);
    assert_same(&credited(&query, EVENT), &expected, "other meanings");
}

#[test]
fn clicks_on_nothing_have_a_fate() {
    let before = EVENT.replace(r#""query_id":"q1""#, r#""query_id":"""#);
    let without = EVENT.replace(r#""query_id":"q1","#, "");
    let of_null = EVENT.replace(r#""query_id":"q1""#, r#""query_id":null"#);
    for event in [&before, &without, &of_null] {
        let found = credited(QUERY, &format!("{event}\n{EVENT}"));
        assert_eq!(found.tally.of_clicks(ClickFate::Unknown), 1, "{event}");
        assert_eq!(found.days[0].counts.impressions, Counts::new(0, 1, 0));
    }
    let objects = [r#"{}"#, r#"null"#, r#"{"object_id":""}"#, r#"{"object_id":null}"#, r#"{"description":"x"}"#];
    let without = objects.iter().map(|object| EVENT.replace(r#"{"object_id":"b"}"#, object));
    let others =
        [EVENT.replace(r#""event_attributes""#, r#""other""#), EVENT.replace(r#"{"object""#, r#"{"position""#)];
    for event in without.chain(others) {
        let found = credited(QUERY, &format!("{event}\n{EVENT}"));
        assert_eq!(found.tally.of_clicks(ClickFate::NotShown), 1, "{event}");
        // Before its impression, it is early as any other.
        let early = event.replace("15:04:45", "15:01:45");
        assert_eq!(credited(QUERY, &early).tally.of_clicks(ClickFate::Early), 1, "{event}");
    }
    // Nothing is shown under that name.
    let nameless = QUERY.replace(r#"["a","b"]"#, r#"["a",""]"#);
    let error = Log::of(&[nameless.as_bytes()], &[]).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("`query_response_hit_ids` has an entry without a value"), "{error}");
    // In CSV.
    let table = "query_id,timestamp,object_id\n,1795446245,b\nq1,1795446285,\n";
    let found = credited(QUERY, table);
    assert_eq!(found.tally.of_clicks(ClickFate::Unknown), 1);
    assert_eq!(found.tally.lines()[1], 2);
    // A column that is missing is a mistake.
    let error =
        Log::of(&[QUERY.as_bytes()], &[b"query_id,timestamp\nq1,1795446245\n"]).credit(&settings()).unwrap_err();
    assert!(error.to_string().contains("no `document`"), "{error}");
    let error = Log::of(&[QUERY.as_bytes()], &[br#"{"query_id":"q1","timestamp":1795446245}"#]).credit(&settings());
    assert!(error.unwrap_err().to_string().contains("no `document`"));
}

#[test]
fn dwell_times_may_be_text() {
    for (dwell, is_long) in [("\"31.5\"", true), ("31.5", true), ("\" 31 \"", true), ("\"3\"", false), ("\"\"", false)]
    {
        let event = EVENT.replace("\"31.5\"", dwell);
        let log = Log::of(&[QUERY.as_bytes()], &[event.as_bytes()]);
        let found = log.credit(&Settings { dwell: Some(30_000), ..settings() }).unwrap();
        assert_eq!(found.tally.of_clicks(ClickFate::Credited), u64::from(is_long), "{dwell}");
        assert_eq!(found.tally.lacks_dwell(), dwell == "\"\"", "{dwell}");
    }
}

#[test]
fn queries_without_hits_are_not_mixed() {
    let bare = r#"{"query_id":"q2","client_id":"c2","timestamp":"2026-11-22T15:04:05Z","query_attributes":{}}"#;
    let empty = r#"{"query_id":"q3","client_id":"c2","timestamp":"2026-11-22T15:04:05Z","query_response_hit_ids":[]}"#;
    let found = credited(&format!("{bare}\n{empty}\n{QUERY}"), EVENT);
    assert_eq!(found.tally.of_impressions(ImpressionFate::NotMixed), 2);
    assert_eq!(found.tally.of_impressions(ImpressionFate::Credited), 1);
}

/// The same log through files in both orders, and through [`FrameJoin`]: the fates of impressions and clicks.
fn in_every_way(impressions: &[&str], clicks: &str, settings: &Settings) -> Vec<CreditedLog> {
    let text = impressions.join("\n");
    let log = Log::of(&[text.as_bytes()], &[clicks.as_bytes()]);
    let mut found = Vec::new();
    for order in [Order::Any, Order::Auto] {
        let resources = Resources { order, block: Some(60), threads: 1, ..log.resources() };
        found.push(log.credit_within(settings, &resources));
    }
    let mut gathered = FrameJoin::new(settings.clone());
    let rows = impressions.iter().map(|line| Ok(read::impression(line, None, settings)?.unwrap()));
    gathered.impressions(rows, |_, malformed| malformed).unwrap();
    let events = clicks.lines().map(|line| Ok(read::click(line, None, settings)?.unwrap()));
    gathered.clicks(events, |_, malformed| malformed).unwrap();
    let survey = gathered.survey();
    let mut units = Units::new(settings.clone(), &survey);
    gathered.credit(survey.closing(settings).0, |outcome| units.push(&outcome).unwrap()).unwrap();
    let mut sum = LogTotals { tally: gathered.take_tally(), ..LogTotals::default() };
    units.count(&mut sum);
    found.push(sum.credited(&survey, settings));
    found
}

/// All orders of some lines.
fn orders<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    if lines.len() < 2 {
        return vec![lines.to_vec()];
    }
    let mut all = Vec::new();
    for at in 0..lines.len() {
        let mut rest = lines.to_vec();
        let line = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|mut rest| {
            rest.push(line);
            rest
        }));
    }
    all
}

#[test]
fn a_query_that_is_logged_several_times_is_one_impression() {
    let at = |milliseconds: u32, list: &str| {
        let when = format!("15:04:05.{milliseconds:03}Z");
        QUERY.replace("15:04:05Z", &when).replace(r#"["a","b"]"#, list)
    };
    let without_teams = |line: String| line.replace(r#""teams":["A","B"]"#, "");
    let empty = [without_teams(at(0, "[]")), without_teams(at(900, "[]"))];
    let bare = without_teams(at(3, "null")).replace(r#""query_response_hit_ids":null,"#, "");
    let full = [at(12, r#"["a","b"]"#), at(700, r#"["a","b"]"#)];
    let lines = [&empty[0], &empty[1], &bare, &full[0], &full[1]].map(String::as_str);
    let click = |time: &str| EVENT.replace("15:04:45Z", time);
    // The window begins with the first line that has documents: one click is its last moment, and one is behind it.
    let clicks = [click("15:04:45.000Z"), click("15:34:05.012Z"), click("15:34:05.013Z")].join("\n");
    let settings = Settings { skew: 0, ..settings() };
    for lines in orders(&lines) {
        for found in in_every_way(&lines, &clicks, &settings) {
            let impressions = [ImpressionFate::Credited, ImpressionFate::Duplicate, ImpressionFate::NotMixed];
            assert_eq!(impressions.map(|fate| found.tally.of_impressions(fate)), [1, 4, 0], "{lines:#?}");
            let fates = [ClickFate::Credited, ClickFate::Repeated, ClickFate::Late];
            assert_eq!(fates.map(|fate| found.tally.of_clicks(fate)), [1, 1, 1], "{lines:#?}");
            assert_eq!(found.days[0].counts.impressions, Counts::new(0, 1, 0));
        }
    }
    // Another list is a conflict, regardless of the other lines.
    let other = at(800, r#"["b","a"]"#);
    for lines in orders(&[&empty[0], &full[0], &other, &full[1]]) {
        for found in in_every_way(&lines, &clicks, &settings) {
            assert_eq!(found.tally.of_impressions(ImpressionFate::Conflict), 4, "{lines:#?}");
            assert_eq!(found.tally.of_clicks(ClickFate::SetAside), 3, "{lines:#?}");
        }
    }
    // Lines that all lack documents agree, at any times.
    for found in in_every_way(&[&empty[0], &empty[1], &bare], &clicks, &settings) {
        let fates = [ImpressionFate::NotMixed, ImpressionFate::Duplicate].map(|fate| found.tally.of_impressions(fate));
        assert_eq!(fates, [1, 2]);
    }
}

#[test]
fn an_earlier_copy_behind_its_clicks_is_noticed() {
    // Long windows, so that everything is in memory, and clicks between the copies.
    let settings = Settings { window: 3 * 3_600_000, skew: 0, ..settings() };
    let at = |minute: u32| QUERY.replace("15:04:05Z", &format!("15:{minute:02}:05Z"));
    let other = |minute: u32| at(minute).replace("q1", &format!("q{minute}"));
    let others: Vec<String> = (10..59).map(other).collect();
    let clicks: Vec<String> =
        ["15:08:50Z", "15:20:05Z", "15:40:05Z", "18:08:05Z"].map(|time| EVENT.replace("15:04:45Z", time)).to_vec();
    let empty = at(9).replace(r#"["a","b"]"#, "[]").replace(r#""teams":["A","B"]"#, "");
    for (first, last) in [(at(9), at(4)), (empty, at(4))] {
        let lines: Vec<String> = [&[first][..], &others, &[last]].concat();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all = in_every_way(&lines, &clicks.join("\n"), &settings);
        assert!(all[1..].iter().all(|found| !found.in_order), "the order is not that of time");
        for found in &all {
            let fates =
                [ClickFate::Credited, ClickFate::Repeated, ClickFate::Early, ClickFate::NotShown, ClickFate::Late];
            assert_eq!(fates.map(|fate| found.tally.of_clicks(fate)), [1, 2, 0, 0, 1]);
        }
    }
}
