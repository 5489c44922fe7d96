//! Sessions of living labs: lists and the clicks on them in one line.

use std::collections::BTreeMap;

use click_logs::join::{ClickFate, ImpressionFate};
use click_logs::model::{LogEnd, Settings, UnitKind};
use click_logs::simulate::{SimulationSettings, rules};
use serde_json::{Value, json};
use times::Zone;

use crate::common::{Log, simulated};

/// A line as TREC OpenSearch publishes it.
const TREC: &str = r#"{"sid":"s1","qid":"q8","time":"2017-08-02T00:23:53.348+0200","ranking":[{"docid":"d1","clicked":true,"team":"site"},{"docid":"d2","clicked":false,"team":"participant"},{"docid":"d3","clicked":true,"team":"site"}]}"#;
/// The same as STELLA keeps it; the object of clicks may be text.
const STELLA: &str = r#"{"id":7,"session_id":3,"site_id":1,"start":"2020-01-01 00:00:00","end":"2020-01-01 00:09:00","interleave":true,"clicks":{"1":{"docid":"d1","clicked":true,"date":"2020-01-01 00:00:09","type":"EXP"},"10":{"docid":"d3","clicked":false,"date":null,"type":"EXP"},"2":{"docid":"d2","clicked":false,"date":null,"type":"BASE"}}}"#;

fn settings() -> Settings {
    let zone = Zone::parse("UTC").unwrap();
    Settings { complete: LogEnd::Final, unit: UnitKind::Session, holds_both: true, zone, ..Settings::default() }
}

fn both(text: &str) -> Log {
    Log::of(&[text.as_bytes()], &[text.as_bytes()])
}

/// A simulated log without faults, by impression: the line and its clicks.
fn pages(simulation: &SimulationSettings) -> BTreeMap<String, (Value, Vec<Value>)> {
    let ([impressions, clicks], _) = simulated(simulation);
    let lines = |bytes: &[u8]| -> Vec<Value> {
        bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    };
    let id = |line: &Value| line["impression"].as_str().unwrap().to_owned();
    let mut pages: BTreeMap<_, _> =
        lines(&impressions).into_iter().map(|line| (id(&line), (line, Vec::new()))).collect();
    lines(&clicks).into_iter().for_each(|click| pages.get_mut(&id(&click)).unwrap().1.push(click));
    pages
}

#[test]
fn sessions_are_credited_as_their_pages_and_clicks() {
    let simulation = SimulationSettings {
        impressions: 3_000,
        doubles: 0.0,
        late: 0.0,
        lost: 0.0,
        early: 0.0,
        unknown: 0.0,
        not_shown: 0.0,
        conflicts: 0.0,
        bots: 0.0,
        ..SimulationSettings::default()
    };
    let pages = pages(&simulation);
    let lines: [Vec<&Value>; 2] =
        [pages.values().map(|(page, _)| page).collect(), pages.values().flat_map(|(_, clicks)| clicks).collect()];
    let text = |lines: &[&Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let log = Log::of(&[text(&lines[0]).as_bytes()], &[text(&lines[1]).as_bytes()]);
    let entries = |page: &Value, clicks: &[Value], team: &str| -> Vec<Value> {
        let shown = page["shown"].as_array().unwrap().iter().zip(page["teams"].as_array().unwrap());
        let entry = |(document, owner): (&Value, &Value)| {
            let click = clicks.iter().find(|click| click["document"] == *document);
            json!({"docid": document, "clicked": click.is_some(), "date": click.map(|click| click["time"].clone()), team: owner})
        };
        shown.map(entry).collect()
    };
    let trec = |(page, clicks): &(Value, Vec<Value>)| {
        let (id, agent) = (&page["impression"], &page["agent"]);
        json!({"sid": id, "qid": "q", "time": page["time"], "agent": agent, "ranking": entries(page, clicks, "team")})
    };
    let stella = |(page, clicks): &(Value, Vec<Value>)| {
        let places = entries(page, clicks, "type").into_iter().enumerate();
        let by_place: serde_json::Map<String, Value> =
            places.map(|(place, entry)| ((place + 1).to_string(), entry)).collect();
        let (id, session) = (&page["impression"], &page["session"]);
        json!({"id": id, "session_id": session, "start": page["time"], "agent": page["agent"], "interleave": true, "clicks": Value::Object(by_place).to_string()})
    };
    for unit in [UnitKind::Impression, UnitKind::Session] {
        let settings = Settings { unit, ..rules(&simulation) };
        let expected = log.credit(&settings).unwrap();
        assert!(expected.tally.of_impressions(ImpressionFate::Credited) == 3_000.max(pages.len() as u64));
        assert!(expected.tally.of_clicks(ClickFate::Credited) > 1_000 && expected.is_synthetic);
        for (name, is_trec) in [("TREC OpenSearch", true), ("STELLA", false)] {
            if is_trec && unit == UnitKind::Session {
                // A session of it is one page.
                continue;
            }
            let text: String =
                pages.values().map(|page| format!("{}\n", if is_trec { trec(page) } else { stella(page) })).collect();
            let found = both(&text).credit(&Settings { holds_both: true, ..settings.clone() }).unwrap();
            assert_eq!((&found.days, &found.rankers), (&expected.days, &expected.rankers), "{name}");
            assert_eq!(found.tally.lines(), expected.tally.lines(), "{name}");
            assert!(found.is_synthetic);
        }
    }
}

#[test]
fn the_published_form_is_read_as_it_is() {
    let found = both(TREC).credit(&settings()).unwrap();
    assert_eq!((found.rankers, found.tally.lines()), (vec!["participant".to_owned(), "site".to_owned()], [1, 2]));
    assert_eq!(found.tally.of_clicks(ClickFate::Credited), 2);
    let time = times("2017-08-01T22:23:53.348Z");
    assert_eq!(found.times, Some((time, time)));
    let as_text = {
        let mut line: Value = serde_json::from_str(STELLA).unwrap();
        line["clicks"] = line["clicks"].to_string().into();
        line.to_string()
    };
    for line in [STELLA, &as_text] {
        let found = both(line).credit(&settings()).unwrap();
        assert_eq!((found.rankers, found.tally.lines()), (vec!["BASE".to_owned(), "EXP".to_owned()], [1, 1]), "{line}");
        assert_eq!(found.tally.of_clicks(ClickFate::Credited), 1);
    }
    // Both rankers take part, though one of them owns nothing.
    let lone = TREC.replace("participant", "site");
    assert_eq!(both(&lone).credit(&settings()).unwrap().tally.of_impressions(ImpressionFate::Credited), 1);
    // A list of one system.
    for no in ["false", "\"False\""] {
        let plain = STELLA.replace("\"interleave\":true", &format!("\"interleave\":{no}"));
        assert_eq!(both(&plain).credit(&settings()).unwrap().tally.of_impressions(ImpressionFate::NotMixed), 1, "{no}");
    }
    let unclear = STELLA.replace("\"interleave\":true", "\"interleave\":2");
    assert!(both(&unclear).credit(&settings()).unwrap_err().to_string().contains("`interleave` is `2`"));
    // All sessions without a name would count as one.
    for missing in ["null", "\"undefined\"", "\"-\"", "\" \""] {
        let nameless = STELLA.replace("\"session_id\":3", &format!("\"session_id\":{missing}"));
        let found = both(&nameless).credit(&settings()).unwrap();
        assert_eq!(found.tally.of_impressions(ImpressionFate::NoUnit), 1, "{missing}");
    }
    // Sessions beside other lines.
    let page = r#"{"impression":"p","session":"s","time":"2017-08-02T00:00:00Z","shown":["a"],"teams":["site"],"rankers":["participant","site"]}"#;
    let click = r#"{"impression":"p","document":"a","time":"2017-08-02T00:00:05Z"}"#;
    let mixed = both(&format!("{TREC}\n{page}\n{click}\n")).credit(&settings()).unwrap();
    assert_eq!(mixed.tally.lines(), [2, 3]);
}

#[test]
fn what_is_wrong_with_a_session_is_said() {
    for (from, to, expected) in [
        (r#""sid":"s1","#, "", "1: no `sid`; every line needs it"),
        (r#""time":"2017-08-02T00:23:53.348+0200","#, "", "1: no `time`; every line needs it"),
        (r#""2017-08-02T00:23:53.348+0200""#, "\"yesterday\"", "1: the time `yesterday`"),
        (
            r#""clicked":false"#,
            r#""clicked":"no""#,
            "1: document 2 of `ranking`: `clicked` is `no`; expected true or false",
        ),
        (r#""docid":"d2","#, "", "1: document 2 of `ranking`: no `docid`"),
        (
            r#""docid":"d2""#,
            r#""docid":2.5"#,
            "1: document 2 of `ranking`: `docid` is `2.5`; expected text or a whole number",
        ),
        (r#""docid":"d2""#, r#""docid":"d1""#, "1: the document `d1` is shown twice"),
    ] {
        let line = TREC.replacen(from, to, 1);
        let error = both(&line).credit(&settings()).unwrap_err().to_string();
        assert!(error.contains(expected), "{line}: {error}");
    }
    let nameless = STELLA.replace("docid", "doc_id");
    let error = both(&nameless).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("1: document 1 of `clicks`: no `docid`, which names it"), "{error}");
    let error = both(&STELLA.replace(r#""id":7,"#, "")).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("1: no `id`; every line needs it"), "{error}");
    both(&STELLA.replace(r#""id":7"#, r#""feedback_id":7"#)).credit(&settings()).unwrap();
    let list = TREC.split_once("\"ranking\":").unwrap().0.to_owned() + "\"ranking\":{\"docid\":{}}}";
    let error = both(&list).credit(&settings()).unwrap_err().to_string();
    assert!(error.contains("expected a list of objects with `docid`, `clicked` and `team`"), "{error}");
    for line in [TREC, STELLA] {
        let settings = Settings { holds_both: false, ..settings() };
        let error = Log::of(&[line.as_bytes()], &[]).credit(&settings).unwrap_err().to_string();
        assert!(error.contains("impressions-0:1: a list with the clicks on it in one line; pass the file as --impressions and as --clicks"), "{error}");
    }
}

fn times(text: &str) -> i64 {
    Zone::default().time(text).unwrap()
}
