//! Lines in published formats: UBI 1.3, OpenSearch, Solr; and receipts of `interleave`.

use click_logs::join::{ClickFate, ImpressionFate};
use click_logs::model::{LogEnd, Settings, UnitKind};
use interleave::{AnyInterleaving, AnyMultileaving, Generator, by_id, receipt, receipt::Receipt};
use rand::SeedableRng;
use serde_json::json;
use statistics::Counts;

use crate::common::{Log, receipt as receipt_of};

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

/// Wins, losses and ties of impressions, for the first ranker by name.
fn counts(impressions: &str, clicks: &str, settings: &Settings) -> (Vec<String>, Counts) {
    let found = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]).credit(settings).unwrap();
    let mut sum = Counts::default();
    found.days.iter().for_each(|day| sum += day.counts.impressions);
    (found.rankers, sum)
}

const EVENT: &str = r#"{"application":"shop","action_name":"click","query_id":"00112233-4455-6677-8899-aabbccddeeff","session_id":"84266fdb","client_id":"5e3b2a1c","timestamp":"2026-11-13T20:20:49Z","message_type":"QUERY","message":"toner","event_attributes":{"object":{"object_id":"B013UFPODY","object_id_type":"product","object_id_field":"asin","internal_id":17},"position":{"ordinal":2,"xy":{"x":3.5,"y":9}},"anything":{"else":[1,2]}}}"#;

#[test]
fn ubi_queries_and_events() {
    let query = r#"{"application":"shop","query_id":"00112233-4455-6677-8899-aabbccddeeff","client_id":"5e3b2a1c","user_query":"toner","query_attributes":{"experiment_id":"12345","teams":["old","new","old"]},"object_id_field":"asin","timestamp":"2026-11-13T20:20:39Z","query_response_id":"r1","query_response_hit_ids":["B07XLFYN6S","B013UFPODY","B07SHS91DQ"]}"#;
    let (rankers, sum) = counts(query, EVENT, &settings());
    assert_eq!((rankers, sum), (vec!["new".to_owned(), "old".to_owned()], Counts::new(1, 0, 0)));
    // As OpenSearch and Elasticsearch export documents.
    let wrapped = format!(r#"{{"_index":"ubi_queries","_id":"1","_score":1.0,"_source":{query}}}"#);
    let event = format!(r#"{{"_index":"ubi_events","_id":"2","_source":{EVENT}}}"#);
    assert_eq!(counts(&wrapped, &event, &settings()).1, Counts::new(1, 0, 0));
    // Events other than clicks are counted, even incomplete ones; so are queries without a mixed list.
    let exit = r#"{"action_name":"page_exit","user_id":"1821196507152684","query_id":"00112233-4455-6677-8899-aabbccddeeff","timestamp":"2024-05-16T12:34:56.789Z","event_attributes":{"position":{},"object":{"idleTimeoutMs":5000}}}"#;
    let plain = r#"{"query_id":"plain","client_id":"c","user_query":"x","timestamp":"2026-11-13T20:20:39+00:00","query_response_hit_ids":["1"]}"#;
    let log = Log::of(&[format!("{query}\n{plain}").as_bytes()], &[format!("{exit}\n{EVENT}").as_bytes()]);
    let found = log.credit(&settings()).unwrap();
    assert_eq!(found.tally.of_clicks(ClickFate::Other), 1);
    assert_eq!(found.tally.of_impressions(ImpressionFate::NotMixed), 1);
    // The user may be empty or null; then the client counts.
    let anonymous = query.replace(r#""client_id""#, r#""user_id":"","client_id""#);
    assert_eq!(counts(&anonymous, EVENT, &settings()).1, Counts::new(1, 0, 0));
}

#[test]
fn times_without_a_zone_need_one() {
    let zoned = |query: &str| query.replace("20:20:39Z", "20:20:39");
    let query = zoned(
        r#"{"query_id":"00112233-4455-6677-8899-aabbccddeeff","client_id":"c","timestamp":"2026-11-13T20:20:39Z","query_response_hit_ids":["B013UFPODY"],"query_attributes":{"teams":["a"],"rankers":["a","b"]}}"#,
    );
    let log = Log::of(&[query.as_bytes()], &[EVENT.as_bytes()]);
    assert!(log.credit(&settings()).unwrap_err().to_string().contains("--timezone"));
    let zone = times::Zone::parse("UTC").unwrap();
    let found = log.credit(&Settings { zone, ..settings() }).unwrap();
    assert_eq!(found.days[0].counts.impressions, Counts::new(1, 0, 0));
}

#[test]
fn responses_of_opensearch_have_a_configuration_per_hit() {
    let hits = r#""took":7,"timed_out":false,"_shards":{"total":1},"hits":{"total":{"value":2,"relation":"eq"},"max_score":1.2,"hits":[{"_index":"shop","_id":"B07XLFYN6S","_score":1.2,"_source":{"title":"t"},"_search_configuration":"9c858901-8a57"},{"_index":"shop","_id":"B013UFPODY","_score":1.1,"_search_configuration":"3f0d2b11-77aa"}]}"#;
    let expected = (vec!["3f0d2b11-77aa".to_owned(), "9c858901-8a57".to_owned()], Counts::new(1, 0, 0));
    // In the field `response` of a query, or as the line itself, with the id of the query where the plugin puts it.
    let id = "00112233-4455-6677-8899-aabbccddeeff";
    let within =
        format!(r#"{{"query_id":"{id}","client_id":"c","timestamp":"2026-11-13T20:20:39Z","response":{{{hits}}}}}"#);
    let itself = format!(
        r#"{{{hits},"ext":{{"ubi":{{"query_id":"{id}"}}}},"client_id":"c","timestamp":"2026-11-13T20:20:39Z"}}"#
    );
    for line in [within, itself] {
        assert_eq!(counts(&line, EVENT, &settings()), expected, "{line}");
    }
    // The documents shown may be fewer, or in another order: they are found by their ids.
    let listed = |list: &str| {
        format!(
            r#"{{"query_id":"{id}","client_id":"c","timestamp":"2026-11-13T20:20:39Z","query_response_hit_ids":{list},"response":{{{hits}}}}}"#
        )
    };
    for list in [r#"["B013UFPODY","B07XLFYN6S"]"#, r#"["B07XLFYN6S","B013UFPODY"]"#, r#"["B013UFPODY"]"#] {
        let rankers = Settings { rankers: expected.0.clone(), ..settings() };
        assert_eq!(counts(&listed(list), EVENT, &rankers), expected, "{list}");
    }
    // By position where the log has ids of its own.
    let renamed = listed(r#"["B013UFPODY","x"]"#).replace(r#""_id":"B013UFPODY""#, r#""_id":"17""#);
    assert_eq!(counts(&renamed, EVENT, &settings()).1, Counts::new(0, 1, 0));
    // A list that is not of this response is refused, also where a part of it is.
    for (list, expected) in [
        (r#"["B013UFPODY","x"]"#, "the document `x` is not in the response, which has 1 of the 2 documents shown"),
        (r#"["x"]"#, "1 documents, but a response with 2"),
    ] {
        let error = Log::of(&[listed(list).as_bytes()], &[]).credit(&settings()).unwrap_err().to_string();
        assert!(error.contains("impressions-0:1: ") && error.contains(expected), "{error}");
    }
    // The other name of the owner.
    let other = within_named(id, "search_config");
    assert_eq!(counts(&other, EVENT, &settings()), expected);
}

fn within_named(id: &str, name: &str) -> String {
    format!(
        r#"{{"query_id":"{id}","client_id":"c","timestamp":"2026-11-13T20:20:39Z","response":{{"hits":{{"hits":[{{"_id":"B07XLFYN6S","{name}":"9c858901-8a57"}},{{"_id":"B013UFPODY","{name}":"3f0d2b11-77aa"}}]}}}}}}"#
    )
}

#[test]
fn responses_of_solr_name_the_model() {
    let solr = r#"{"query_id":"00112233-4455-6677-8899-aabbccddeeff","client_id":"c","timestamp":"2026-11-13T20:20:39Z","response":{"responseHeader":{"status":0,"QTime":2},"response":{"numFound":2,"start":0,"maxScore":1.0,"docs":[{"id":"GB18030TEST","score":1.0,"[interleaving]":"_OriginalRanking_"},{"id":"B013UFPODY","score":0.8,"[interleaving]":"myModelA"}]}}}"#;
    let (rankers, sum) = counts(solr, EVENT, &settings());
    assert_eq!((rankers[1].as_str(), sum), ("myModelA", Counts::new(0, 1, 0)));
    // In another order than it was shown in.
    let listed = solr.replace(
        r#""response":{"responseHeader""#,
        r#""shown":["B013UFPODY","GB18030TEST"],"response":{"responseHeader""#,
    );
    assert_eq!(counts(&listed, EVENT, &settings()).1, Counts::new(0, 1, 0));
}

#[test]
fn receipts_as_json_and_as_bytes() {
    let (ours, theirs) = (["apple", "crumble", "tart"], ["strudel", "apple", "cake"]);
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse().unwrap();
        for seed in 0..20 {
            let mut generator = Generator::seed_from_u64(seed);
            let impression = by_id::interleave(&method, [&ours, &theirs], 4, &mut generator).unwrap();
            let clicked = impression.shown()[seed as usize % 4];
            let winner = impression.winner(&method, &[clicked]).unwrap();
            let json = serde_json::to_string(&Receipt::from(impression.receipt().clone())).unwrap();
            let bytes = receipt::to_bytes(impression.receipt()).unwrap();
            let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let shown = serde_json::to_string(impression.shown()).unwrap();
            let line = r#""impression":"i","time":1795001000,"user":"u","rankers":["ours","theirs"]"#;
            let click = format!(r#"{{"impression":"i","document":"{clicked}","time":1795001500}}"#);
            for receipt in [json, format!(r#""{hexadecimal}""#)] {
                let impression = format!(r#"{{{line},"shown":{shown},"receipt":{receipt}}}"#);
                let expected = match winner {
                    interleave::Preference::First => Counts::new(1, 0, 0),
                    interleave::Preference::Second => Counts::new(0, 1, 0),
                    interleave::Preference::Tie => Counts::new(0, 0, 1),
                };
                assert_eq!(counts(&impression, &click, &settings()).1, expected, "{name} {impression}");
            }
        }
    }
}

#[test]
fn receipts_of_many_rankers() {
    let lists = [["a", "b", "c"], ["b", "a", "c"], ["c", "b", "a"]];
    for name in AnyMultileaving::NAMES {
        let method: AnyMultileaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(3);
        let impression = by_id::multileave(&method, &lists, 3, &mut generator).unwrap();
        let outcome = impression.outcome(&method, &["b"]).unwrap();
        let bytes = receipt::to_bytes(impression.receipt()).unwrap();
        let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = serde_json::to_string(impression.shown()).unwrap();
        let line = format!(
            r#"{{"impression":"i","time":1795001000,"user":"u","rankers":["x","y","z"],"shown":{shown},"receipt":"{hexadecimal}"}}"#
        );
        let log = Log::of(&[line.as_bytes()], &[br#"{"impression":"i","document":"b","time":1795001500}"#]);
        let found = log.credit(&settings()).unwrap();
        assert_eq!(found.days.len(), 3, "{name}");
        for day in &found.days {
            let winner = interleave::Outcome::preference(&outcome, day.pair.0, day.pair.1);
            let net = i64::from(winner == interleave::Preference::First)
                - i64::from(winner == interleave::Preference::Second);
            let Counts { wins, losses, .. } = day.counts.impressions;
            assert_eq!(wins as i64 - losses as i64, net, "{name} {:?}", day.pair);
        }
        assert_eq!(found.tally.of_impressions(ImpressionFate::Credited), 1);
    }
}

/// Such receipts count, and the summary has a remark on them.
#[test]
fn receipts_of_optimized_are_counted_with_a_warning() {
    let line = |number: u32, ranks: &[[u16; 2]; 3]| {
        let receipt = json!({"optimized": {"fit": "exact", "ranks": ranks}});
        let line = json!({
            "impression": format!("i{number}"), "time": "2026-11-22T15:04:05Z", "user": format!("u{number}"),
            "shown": ["a", "b", "c"], "rankers": ["A", "B"], "receipt": receipt_of("optimized", receipt),
        });
        line.to_string() + "\n"
    };
    // a b c against nothing, and against a permutation.
    let impressions = line(1, &[[1, 4], [2, 4], [3, 4]]) + &line(2, &[[1, 2], [2, 3], [3, 1]]);
    let clicks: String = (1..=2)
        .map(|number| {
            format!("{{\"impression\":\"i{number}\",\"document\":\"c\",\"time\":\"2026-11-22T15:05:05Z\"}}\n")
        })
        .collect();
    let settings = Settings { complete: LogEnd::Final, ..Settings::default() };
    let found = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]).credit(&settings).unwrap();
    assert_eq!(found.days[0].counts.units, Counts::new(1, 1, 0));
    assert_eq!(found.tally.optimized, 2);
    let said = click_logs::outcomes::warnings(&click_logs::cli::summary(&found, &settings));
    assert!(said.concat().contains("all 2 impressions that count were mixed by `optimized`"), "{said:?}");
}

#[test]
fn a_team_alone_meets_the_other_ranker() {
    let one = r#"{"impression":"i1","time":1795001000,"user":"u1","shown":["a"],"teams":["A"]}"#;
    let two = r#"{"impression":"i2","time":1795001000,"user":"u2","shown":["a","b"],"teams":["B","A"]}"#;
    let three = r#"{"impression":"i3","time":1795001000,"user":"u3","shown":["a","b"],"teams":["B","C"]}"#;
    let clicks = r#"{"impression":"i1","document":"a","time":1795001500}"#;
    assert_eq!(counts(&format!("{one}\n{two}"), clicks, &settings()).1, Counts::new(1, 0, 1));
    // Unless there are several others.
    let log = Log::of(&[format!("{one}\n{two}\n{three}").as_bytes()], &[clicks.as_bytes()]);
    let found = log.credit(&settings()).unwrap();
    assert_eq!(found.tally.of_impressions(ImpressionFate::OneTeam), 1);
    assert_eq!((found.tally.of_clicks(ClickFate::SetAside), found.tally.of_clicks(ClickFate::Credited)), (1, 0));
}

#[test]
fn units_are_users_sessions_or_impressions() {
    let line = |id: u32, session: &str, teams: &str| {
        format!(
            r#"{{"impression":"i{id}","time":179500{id}000,"user":"u",{session}"shown":["a","b"],"teams":{teams}}}"#
        )
    };
    let lines = [
        line(1, r#""session":"s1","#, r#"["A","B"]"#),
        line(2, r#""session":"s1","#, r#"["A","B"]"#),
        line(3, r#""session":"s2","#, r#"["B","A"]"#),
        line(4, "", r#"["B","A"]"#),
    ];
    let click = |id: u32| format!(r#"{{"impression":"i{id}","document":"a","time":179500{id}500}}"#);
    let clicks = [1, 2, 3].map(click).join("\n");
    for (unit, expected, without) in [
        (UnitKind::User, Counts::new(1, 0, 0), 0),
        (UnitKind::Session, Counts::new(1, 1, 0), 1),
        (UnitKind::Impression, Counts::new(2, 1, 1), 0),
    ] {
        let log = Log::of(&[lines.join("\n").as_bytes()], &[clicks.as_bytes()]);
        let found = log.credit(&Settings { unit, ..settings() }).unwrap();
        assert_eq!(found.days[0].counts.units, expected, "{unit:?}");
        assert_eq!(found.tally.of_impressions(ImpressionFate::NoUnit), without);
    }
}
