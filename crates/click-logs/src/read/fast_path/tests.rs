//! Where both readers read a line, they agree.

use interleave::receipt::Receipt;
use interleave::{AnyInterleaving, AnyMultileaving, Generator, by_id};
use proptest::prelude::*;
use rand::SeedableRng;
use times::Zone;

use super::super::{click, impression};
use super::*;
use crate::model::{Impression, Mixed, MixedRef};

const CSV: &str = "impression,time,user,session,agent,shown,teams,rankers,receipt";
const CLICKS: &str = "impression,document,time,dwell,action_name";

/// The complete reader's result, in borrowed parts.
fn assert_is(found: &ImpressionRef<'_>, expected: &Impression<'_>) {
    let Impression { id, time, unit, agent, pairs, version, shown, oddities, mixed } = expected;
    assert_eq!((found.id, found.time), (&**id, *time));
    assert_eq!((found.unit, found.agent, found.pairs), (unit.as_deref(), agent.as_deref(), *pairs));
    assert_eq!(found.shown, shown);
    assert_eq!((found.version, found.oddities), (version.as_deref(), *oddities));
    match (found.mixed, mixed) {
        (None, None) => {}
        (Some(MixedRef::Teams { teams, rankers }), Some(Mixed::Teams { teams: owners, rankers: named })) => {
            assert_eq!(teams, owners.iter().map(Option::as_deref).collect::<Vec<_>>());
            assert_eq!(rankers.map(|names| names.join(",")), named.as_ref().map(|names| names.join(",")));
        }
        (
            Some(MixedRef::Receipt { body, method, is_two, page, paged, rankers }),
            Some(Mixed::Receipt {
                body: expected,
                method: named,
                is_two: of_two,
                page: displayed,
                paged: seen,
                rankers: in_order,
            }),
        ) => {
            assert_eq!((body, method, is_two), (expected.as_slice(), named.as_str(), *of_two));
            assert_eq!((page, paged), (displayed.as_ref(), *seen));
            assert_eq!(rankers.map(|names| names.join(",")), in_order.as_ref().map(|names| names.join(",")));
        }
        (found, expected) => panic!("{found:?}, {expected:?}"),
    }
}

/// Whether a line has the usual form; if it does, both readers must agree on it.
fn compared(line: &str, header: Option<&Header>, settings: &Settings, is_click: bool) -> bool {
    let mut fast_path = FastPath::default();
    if is_click {
        let Some(found) = fast_path.click(line, header, settings) else { return false };
        let expected = click(line, header, settings).unwrap_or_else(|error| panic!("{line}: {}", error.message));
        let expected = expected.expect("no action");
        match (found, expected) {
            (Event::Click(found), Event::Click(mut expected)) => {
                if settings.dwell.is_none() {
                    expected.dwell = expected.dwell.map(|_| 0);
                }
                assert_eq!(found, expected, "{line}");
            }
            (found, expected) => assert_eq!(found, expected, "{line}"),
        }
    } else {
        let Some(found) = fast_path.impression(line, header, settings) else { return false };
        match impression(line, header, settings) {
            Ok(expected) => assert_is(&found, &expected.expect("no action")),
            // The names of teams are compared when they become places.
            Err(error) => {
                assert!(error.message.contains("is none of the rankers of the line"), "{line}: {error:?}")
            }
        }
    }
    true
}

#[test]
fn usual_lines_are_taken_and_others_are_left() {
    let settings = Settings { zone: Zone::parse("+01:00").unwrap(), ..Settings::default() };
    let header = Header::read(CSV).unwrap();
    for (line, is_plain) in [
        ("i,1700000000000,u,s,Browser,a b,A B,A B,", true),
        ("i,2026-11-23 16:04:05,,,,a b,- B,,", true),
        ("i,1700000000,u,s,x,,,,", true),
        ("i,1700000000,u,s,x,\"a b\",A B,,", false),
        ("i,17,a,a,,, ,a,", false),
        ("i,1700000000,u,s,x,a b,A,,", false),
        ("i,1700000000,u,s,x,a b,A B,A A,", false),
        ("i,soon,u,s,x,a b,A B,,", false),
        (",1700000000,u,s,x,a b,A B,,", false),
        ("i,1700000000,u,s,x,a b,A B,", false),
        // Lists that are not separated by spaces, or seem so.
        ("i,1700000000,u,s,x,[1 2],A B,,", false),
        ("i,1700000000,u,s,x,a b,['A' 'B'],,", false),
        ("i,1700000000,u,s,x,a b,A B,{A},", false),
        ("i,1700000000,u,s,x,a;b,A B,,", false),
        ("i,1700000000,u,s,x,a b,A;B,,", false),
        ("i,1700000000,u,s,x,a b,A| B,,", false),
        ("i,1700000000,u,s,x,nan,A,,", false),
        ("i,1700000000,u,s,x,a b,- ;A,,", false),
        ("i,1700000000,null,s,x,a b,A B,,", false),
        ("i,1700000000,u,null,x,a b,A B,,", true),
        // White space that is not ASCII is part of an id.
        ("i,1700000000,u,s,x,\u{a0} nan,A B,,", true),
        ("i,1700000000,u,s,x,a;x b|y,A B,,", true),
    ] {
        assert_eq!(compared(line, Some(&header), &settings, false), is_plain, "{line}");
    }
    for (line, is_plain) in [
        (r#"{"impression":"i","time":1700000000000,"user":"u","shown":["a","b"],"teams":["A",null]}"#, true),
        (
            r#" { "query_id" : 7 , "timestamp" : "2026-11-23T16:04:05Z", "shown": [ ], "teams": null, "x": [1, 2] } "#,
            false,
        ),
        (r#"{"query_id": 7, "timestamp": "2026-11-23T16:04:05Z", "shown": [], "x": 1.5, "y": true, "z": ["q"]}"#, true),
        (r#"{"impression":"i","impression":"i","time":1795000001,"shown":[]}"#, false),
        (r#"{"impression":"i","query_id":"i","time":1795000001,"shown":[]}"#, false),
        (r#"{"impression":"\u0069","time":1795000001,"shown":[]}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":["a",null]}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":[],"receipt":{}}"#, false),
        (r#"{"impression":"i","time":-1,"shown":[]}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":[]} x"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":[],}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":[],"agent":"","user":""}"#, true),
        (r#"{"impression":"i","time":1795000001,"shown":[],"pairs":"steered"}"#, true),
        (r#"{"impression":"i","time":1795000001,"shown":[],"pairs":""}"#, true),
        (r#"{"impression":"i","time":1795000001,"shown":[],"pairs":"guessed"}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":[],"query_attributes.teams":["A"]}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":"[1,2]"}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":[],"doc":"x"}"#, false),
    ] {
        assert_eq!(compared(line.trim(), None, &settings, false), is_plain, "{line}");
    }
    let header = Header::read(CLICKS).unwrap();
    for dwell in [None, Some(1500)] {
        let settings = Settings { dwell, ..settings.clone() };
        for (line, is_plain) in [
            ("i,d,1700000000000,1.5,click", true),
            ("i,d,1700000000000,,", true),
            (",,,,scroll", true),
            ("i,d,1700000000000,1e3,", false),
            ("i,d,1700000000000,-1,", false),
            ("i,,1700000000000,1,", false),
        ] {
            assert_eq!(compared(line, Some(&header), &settings, true), is_plain, "{line}");
        }
        for (line, is_plain) in [
            (r#"{"impression":"i","document":4,"time":1700000000000,"dwell":2}"#, true),
            (r#"{"impression":"i","document":"d","time":1700000000000,"dwell":1.25,"extra":null}"#, true),
            (r#"{"action_name":"scroll"}"#, true),
            (r#"{"impression":"i","document":"d","time":1700000000000,"count":null}"#, false),
            (r#"{"impression":"i","document":"d"}"#, false),
        ] {
            assert_eq!(compared(line, None, &settings, true), is_plain, "{line}");
        }
    }
}

/// A receipt of a list of three documents, which are part of it if it `has_documents`.
struct Kept {
    name: &'static str,
    is_two: bool,
    shown: String,
    has_documents: bool,
    bytes: Vec<u8>,
}

/// Receipts of every method, with and without their documents.
fn receipts() -> Vec<Kept> {
    let ids = ["a", "b", "c", "d"].map(str::to_owned);
    let lists = [[0, 1, 2], [1, 2, 3], [2, 0, 3]].map(|list| list.map(|at: usize| ids[at].clone()));
    let mut generator = Generator::seed_from_u64(3);
    let mut all = Vec::new();
    let mut add = |name, is_two, shown: &[String], receipt: Receipt| {
        let with_documents = receipt.clone().with_documents(shown.to_vec()).unwrap();
        let forms = [(false, receipt.to_bytes()), (true, with_documents.to_bytes())];
        all.extend(forms.map(|(has_documents, bytes)| Kept {
            name,
            is_two,
            shown: shown.join(" "),
            has_documents,
            bytes,
        }));
    };
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse().unwrap();
        let drawn = by_id::interleave(&method, [&lists[0], &lists[1]], 3, &mut generator).unwrap();
        add(name, true, drawn.shown(), drawn.receipt().clone().into());
    }
    for name in AnyMultileaving::NAMES {
        let method: AnyMultileaving = name.parse().unwrap();
        let drawn = by_id::multileave(&method, &lists, 3, &mut generator).unwrap();
        add(name, false, drawn.shown(), drawn.receipt().clone().into());
    }
    all
}

#[test]
fn receipts_of_every_method_are_usual_and_damaged_ones_are_left() {
    let settings = Settings::default();
    let header = Header::read(CSV).unwrap();
    let is_plain = |bytes: &[u8], shown: &str, rankers: &str| {
        let receipt: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        compared(&format!("i,1700000000,u,s,x,{shown},,{rankers},{receipt}"), Some(&header), &settings, false)
    };
    for Kept { name, is_two, shown, has_documents, bytes } in receipts() {
        assert!(is_plain(&bytes, &shown, ""), "{name}");
        assert!(is_plain(&bytes, &shown, "A B") || !is_two, "{name}");
        if !has_documents {
            assert!(!is_plain(&bytes, "a b", ""), "{name}");
            assert!(!is_plain(&bytes, "a b c d", ""), "{name}");
        } else {
            assert!(!is_plain(&bytes, "x y z", ""), "{name}");
        }
        if is_two {
            assert!(!is_plain(&bytes, &shown, "A B C"), "{name}");
        }
        for end in 0..bytes.len() {
            assert!(!is_plain(&bytes[..end], &shown, "") || end == 0, "{name}, {end}");
        }
        let mut damaged = bytes.clone();
        for at in 0..bytes.len() {
            for other in [bytes[at] ^ 1, bytes[at] ^ 0x80, 0, 0xff] {
                damaged[at] = other;
                let is_plain = is_plain(&damaged, &shown, "");
                // There is a checksum.
                assert!(!is_plain || other == bytes[at], "{name}, {at}");
            }
            damaged[at] = bytes[at];
        }
    }
}

/// Both readers ignore a text without letters: the click is a click.
#[test]
fn an_empty_action_is_none() {
    let line = r#"{"impression":"i","time":1795000017,"document":"d","action_name":""}"#;
    assert!(compared(line, None, &Settings::default(), true));
    assert!(matches!(click(line, None, &Settings::default()), Ok(Some(Event::Click(_)))));
}

#[test]
fn pages_and_versions_are_usual() {
    let header = Header::read("impression,time,user,shown,teams,mixed,pinned,paged,experiment,version").unwrap();
    let settings = Settings::default();
    for (line, is_plain) in [
        ("i,1700000000,u,a b,A B,,,,,", true),
        ("i,1700000000,u,a b,A B,,,1,search,7", true),
        ("i,1700000000,u,ad a,A B,a b,ad,2,search,search@7", true),
        ("i,1700000000,u,ad a,A B,a b,,3,,", false),
        ("i,1700000000,u,b a,A B,a b,,,,", false),
        ("i,1700000000,u,a b,A B,,x,,,", false),
        ("i,1700000000,u,a b,A B,,,1.0,,", false),
        ("i,1700000000,u,a b,A B,,,,search,shop@7", false),
    ] {
        assert_eq!(compared(line, Some(&header), &settings, false), is_plain, "{line}");
    }
    for (line, is_plain) in [
        (
            r#"{"impression":"i","time":1795000001,"shown":["ad","a"],"mixed":["a","b"],"pinned":["ad"],"paged":1,"teams":["A","B"]}"#,
            true,
        ),
        (
            r#"{"impression":"i","time":1795000001,"shown":["a"],"experiment":"e","version":7,"paged":null,"teams":["A"]}"#,
            true,
        ),
        (r#"{"impression":"i","time":1795000001,"shown":["a"],"version":1.5}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":["a"],"paged":2}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":["a"],"paged":"1"}"#, false),
        (r#"{"impression":"i","time":1795000001,"shown":["a"],"mixed":["a","b"],"teams":["A"]}"#, false),
    ] {
        assert_eq!(compared(line, None, &settings, false), is_plain, "{line}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-c]{1,2}",
        1 => "[a-c\u{e9}, ;\"\\\\-]{0,12}",
        1 => "[\\[({']{0,2}[a-b .'|;]{0,8}[\\])}']{0,2}",
        1 => Just("nan".to_owned()),
        1 => "[0-9]{1,14}",
        1 => Just("null".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let item = prop_oneof![8 => text().prop_map(|text| format!("\"{text}\"")), 1 => Just("null".to_owned()), 1 => Just("5".to_owned())];
    prop_oneof![
        4 => text().prop_map(|text| format!("\"{text}\"")),
        2 => prop::collection::vec(item, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
        2 => prop_oneof![Just("1700000000000"), Just("17.5"), Just("0"), Just("01"), Just("1e3"), Just("-2")].prop_map(str::to_owned),
        1 => prop_oneof![Just("null"), Just("true"), Just("{}"), Just("nul")].prop_map(str::to_owned),
    ]
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "impression",
        "query_id",
        "time",
        "user",
        "client_id",
        "session",
        "agent",
        "shown",
        "teams",
        "rankers",
        "receipt",
        "mixed",
        "pinned",
        "paged",
        "experiment",
        "version",
        "document",
        "dwell",
        "action_name",
        "other",
        "count",
        "doc",
        "query_id.x",
        "query_attributes.teams",
        "event_attributes.object.object_id",
        "ext.ubi.query_id",
    ])
}

proptest! {
    #[test]
    fn both_readers_of_json_agree(
        start in prop_oneof![Just(""), Just("\"impression\":\"i\",\"time\":1795000017,\"shown\":[\"a\",\"b\"],"), Just("\"impression\":\"i\",\"time\":1795000017,\"document\":\"d\",")],
        fields in prop::collection::vec((key(), value()), 0..5),
        end in prop_oneof![8 => Just("}"), 1 => Just(""), 1 => Just(",}"), 1 => Just("} ")],
    ) {
        let fields: Vec<String> = fields.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let start = if fields.is_empty() { start.trim_end_matches(',') } else { start };
        let line = format!("{{{start}{}{end}", fields.join(", "));
        for dwell in [None, Some(5)] {
            let settings = Settings { dwell, ..Settings::default() };
            compared(&line, None, &settings, false);
            compared(&line, None, &settings, true);
        }
    }

    #[test]
    fn both_readers_of_csv_agree(fields in prop::collection::vec(prop_oneof![text(), Just("17".to_owned()), Just(String::new())], 8..10)) {
        let line = fields.join(",");
        for list_separator in [None, Some(' '), Some(';'), Some('|'), Some('b')] {
            let settings = Settings { list_separator, ..Settings::default() };
            compared(&line, Some(&Header::read(CSV).unwrap()), &settings, false);
            // Names of UBI, two columns for one field, an object.
            let other = "query_id,timestamp,client_id,user_id,query_attributes.agent,query_response_hit_ids,query_attributes.teams,rankers,query_attributes";
            compared(&line, Some(&Header::read(other).unwrap()), &settings, false);
        }
        let line = fields[..5].join(",");
        compared(&line, Some(&Header::read(CLICKS).unwrap()), &Settings::default(), true);
        let other = "query_id,event_attributes.object.object_id,timestamp,event_attributes.dwell_time,document";
        compared(&line, Some(&Header::read(other).unwrap()), &Settings::default(), true);
    }
}
