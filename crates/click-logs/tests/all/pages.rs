//! The page displayed of a mixed list: every way to log it gives the same counts, those of `credit_page` in a plain loop.

use click_logs::join::CreditedLog;
use click_logs::model::{LogEnd, Settings};
use interleave::receipt::{ExperimentVersion, Receipt};
use interleave::{
    AnyInterleaving, AnyMultileaving, AnyOutcome, CreditError, Doc, Generator, Interleaving, ListBuf, Multileaving,
    Outcome, Page, Preference,
};
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use crate::common::Log;

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

/// Lines of impressions and clicks.
fn credited(impressions: &[Value], clicks: &[Value]) -> Result<CreditedLog, String> {
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let log = Log::of(&[text(impressions).as_bytes()], &[text(clicks).as_bytes()]);
    let path = log.folder.path().display().to_string();
    log.credit(&settings()).map_err(|error| error.to_string().replace(&path, ""))
}

/// The impressions won, lost and tied by the first of each pair.
fn sums(credited: &CreditedLog) -> Vec<((usize, usize), [u64; 3])> {
    let outcomes = click_logs::outcomes::outcomes_of_log(credited);
    let of = |pair: (usize, usize)| {
        let mut sum = [0; 3];
        for day in outcomes.days.iter().filter(|day| day.pair == pair) {
            let counts = day.counts.impressions;
            sum.iter_mut().zip([counts.wins, counts.losses, counts.ties]).for_each(|(sum, count)| *sum += count);
        }
        (pair, sum)
    };
    outcomes.pairs().into_iter().map(of).collect()
}

const RANKERS: [&str; 3] = ["A", "B", "C"];

/// The winner of a pair.
type Won = ((usize, usize), Preference);

/// A list that was drawn by some method.
enum Drawn {
    Two(AnyInterleaving, interleave::AnyInterleavingReceipt),
    Many(AnyMultileaving, interleave::AnyMultileavingReceipt),
}

impl Drawn {
    fn new(name: &str, is_two: bool, generator: &mut Generator) -> (Vec<String>, Self) {
        let orders: [[u16; 6]; 3] = [[0, 1, 2, 3, 4, 5], [3, 2, 5, 0, 1, 4], [5, 4, 1, 3, 0, 2]];
        let lists = orders.map(|order| ListBuf::strict(order.map(Doc)).unwrap());
        let lists: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
        let (drawn, kept) = if is_two {
            let method: AnyInterleaving = name.parse().unwrap();
            let (drawn, kept) = method.draw([lists[0], lists[1]], 6, generator, &mut Default::default());
            (drawn, Self::Two(method, kept))
        } else {
            let method: AnyMultileaving = name.parse().unwrap();
            let (drawn, kept) = method.draw(&lists, 6, generator, &mut Default::default());
            (drawn, Self::Many(method, kept))
        };
        (drawn.into_iter().map(|doc| format!("d{}", doc.index())).collect(), kept)
    }

    fn receipt(&self) -> Receipt {
        match self {
            Self::Two(_, kept) => kept.clone().into(),
            Self::Many(_, kept) => kept.clone().into(),
        }
    }

    fn rankers(&self) -> &'static [&'static str] {
        if matches!(self, Self::Two(..)) { &RANKERS[..2] } else { &RANKERS }
    }

    /// The winner of each pair, by the method alone.
    fn outcome(&self, page: &Page, clicked: &[usize]) -> Result<Vec<Won>, CreditError> {
        match self {
            Self::Two(method, kept) => Ok(vec![((0, 1), method.credit_page(kept, page, clicked)?)]),
            Self::Many(method, kept) => {
                let outcome: AnyOutcome = method.credit_page(kept, page, clicked)?;
                Ok([(0, 1), (0, 2), (1, 2)].map(|(i, j)| ((i, j), outcome.preference(i, j))).to_vec())
            }
        }
    }
}

/// All methods, and whether they mix two rankers.
fn methods() -> impl Iterator<Item = (&'static str, bool)> {
    let two = AnyInterleaving::NAMES.into_iter().map(|name| (name, true));
    two.chain(AnyMultileaving::NAMES.into_iter().map(|name| (name, false)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_way_to_say_what_was_displayed_counts_the_same() {
    for (name, is_two) in methods() {
        let mut generator = Generator::seed_from_u64(11);
        let mut ways: [Vec<Value>; 5] = Default::default();
        let mut clicks = Vec::new();
        let mut expected: std::collections::BTreeMap<(usize, usize), [u64; 3]> = Default::default();
        let mut is_refused = false;
        let (mut with_pinned, mut with_left_out) = (0, 0);
        for number in 0..60_u32 {
            let (mixed, drawn) = Drawn::new(name, is_two, &mut generator);
            // Documents are left out, an advertisement takes a place, and one that was mixed moves to the top.
            let mut places: Vec<Option<usize>> =
                (0..mixed.len()).filter(|_| generator.random::<f64>() < 0.8).map(Some).collect();
            if places.is_empty() {
                places.push(Some(0));
            }
            let mut shown: Vec<String> = places.iter().flatten().map(|at| mixed[*at].clone()).collect();
            let mut pinned = Vec::new();
            if number % 2 == 0 {
                let at = generator.random_range(0..=shown.len());
                places.insert(at, None);
                shown.insert(at, "ad".to_owned());
                pinned.push("ad".to_owned());
            }
            if number % 5 == 0 && shown.len() > 2 {
                let (place, moved) = (places.remove(2), shown.remove(2));
                if place.is_some() {
                    pinned.push(moved.clone());
                }
                places.insert(0, None);
                shown.insert(0, moved);
            }
            let page = Page::new(places).unwrap();
            let paged = generator.random_range(0..=shown.len());
            let clicked: Vec<usize> = (0..shown.len()).filter(|_| generator.random::<f64>() < 0.3).collect();
            // A click proves that the user saw at least that far.
            let seen = clicked.last().map_or(paged, |last| paged.max(last + 1));
            match drawn.outcome(&page.truncated(seen), &clicked) {
                Ok(outcome) if drawn.outcome(&page.truncated(paged), &[]).is_ok() => {
                    for (pair, winner) in outcome {
                        let won = match winner {
                            Preference::First => 0,
                            Preference::Second => 1,
                            Preference::Tie => 2,
                        };
                        expected.entry(pair).or_default()[won] += 1;
                    }
                }
                _ => is_refused = true,
            }
            with_pinned += u64::from(page.places().any(|place| place.is_none()));
            let is_left_out = |at: usize| !shown.contains(&mixed[at]);
            with_left_out += u64::from((0..page.depth()).any(is_left_out));
            let receipt = drawn.receipt();
            let with_documents = receipt.clone().with_documents(mixed.clone()).unwrap();
            let texts: Vec<&str> = shown.iter().map(String::as_str).collect();
            let on_page =
                with_documents.clone().displayed(&texts, |id| pinned.iter().any(|other| other == id)).unwrap();
            let line = json!({
                "impression": number, "time": "2026-11-22T15:04:05Z", "user": format!("u{number}"), "rankers": drawn.rankers(),
            });
            let with = |fields: Value| {
                let mut line = line.clone();
                line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
                line
            };
            let bytes = hexadecimal(&receipt.to_bytes());
            ways[0].push(with(
                json!({"receipt": bytes, "mixed": mixed, "shown": shown, "pinned": pinned, "paged": paged}),
            ));
            ways[1].push(with(json!({
                "receipt": receipt, "query_response_hit_ids": mixed,
                "query_attributes": {"shown": shown, "pinned": pinned, "paged": paged.to_string()},
            })));
            ways[2].push(with(json!({
                "receipt": hexadecimal(&with_documents.to_bytes()), "shown": shown, "pinned": pinned, "paged": paged as f64,
            })));
            ways[3].push(with(json!({"receipt": on_page, "paged": paged})));
            // The receipt has the page, and the log has its documents.
            ways[4].push(with(json!({
                "receipt": hexadecimal(&on_page.without_documents().to_bytes()), "shown": shown, "paged": paged,
            })));
            clicks.extend(
                clicked.iter().map(
                    |place| json!({"impression": number, "document": shown[*place], "time": "2026-11-22T15:05:00Z"}),
                ),
            );
        }
        for (way, lines) in ways.iter().enumerate() {
            let found = credited(lines, &clicks);
            if is_refused {
                let error = found.unwrap_err();
                assert!(error.contains("mix as many documents as one page displays"), "{name} {way}: {error}");
                continue;
            }
            let found = found.unwrap_or_else(|error| panic!("{name} {way}: {error}"));
            assert_eq!(sums(&found), expected.clone().into_iter().collect::<Vec<_>>(), "{name} {way}");
            assert_eq!(found.tally.with_pinned, with_pinned, "{name} {way}");
            // Without documents, one that was moved looks like one that was left out.
            if way != 4 {
                assert_eq!(found.tally.with_left_out, with_left_out, "{name} {way}");
            }
        }
        assert!(!is_refused || name.starts_with("optimized") || !is_two, "{name}");
    }
}

#[test]
fn receipts_of_every_form_count_the_same() {
    for (name, is_two) in methods() {
        let mut generator = Generator::seed_from_u64(5);
        let mut ways: [Vec<Value>; 5] = Default::default();
        let mut clicks = Vec::new();
        for number in 0..20_u32 {
            let (mixed, drawn) = Drawn::new(name, is_two, &mut generator);
            let receipt = drawn.receipt();
            let with_documents = receipt.clone().with_documents(mixed.clone()).unwrap();
            let plain = match &drawn {
                Drawn::Two(_, kept) => interleave::receipt::to_bytes(kept).unwrap(),
                Drawn::Many(_, kept) => interleave::receipt::to_bytes(kept).unwrap(),
            };
            let receipts = [
                json!(hexadecimal(&receipt.to_bytes())),
                json!(receipt),
                json!(hexadecimal(&with_documents.to_bytes())),
                json!(with_documents),
                json!(hexadecimal(&plain)),
            ];
            for (way, receipt) in ways.iter_mut().zip(receipts) {
                way.push(json!({
                    "impression": number, "time": 1_795_446_245, "user": number, "shown": mixed, "rankers": drawn.rankers(),
                    "receipt": receipt,
                }));
            }
            let document = &mixed[generator.random_range(0..mixed.len())];
            clicks.push(json!({"impression": number, "document": document, "time": 1_795_446_246}));
        }
        let tables: Vec<String> = ways
            .iter()
            .map(|lines| {
                click_logs::outcomes::outcomes_of_log(
                    &credited(lines, &clicks).unwrap_or_else(|error| panic!("{name}: {error}")),
                )
                .to_csv()
            })
            .collect();
        assert!(tables.iter().all(|table| *table == tables[0]), "{name}: {tables:?}");
        // One line in two forms is one line twice.
        let both: Vec<Value> = ways.concat();
        assert_eq!(
            click_logs::outcomes::outcomes_of_log(&credited(&both, &clicks).unwrap()).to_csv(),
            tables[0],
            "{name}"
        );
    }
}

/// Team draft of four documents: A, B, B, A.
fn team_draft() -> Receipt {
    crate::common::team_draft(&[0, 1, 1, 0])
}

fn with_four() -> Receipt {
    team_draft().with_documents(["a", "b", "c", "d"].map(str::to_owned).into()).unwrap()
}

#[test]
fn what_cannot_have_been_displayed_is_refused() {
    let four = json!(["a", "b", "c", "d"]);
    let with_page = |page: &[Option<usize>]| team_draft().on_page(Page::new(page.iter().copied()).unwrap()).unwrap();
    for (fields, expected) in [
        (
            json!({"shown": ["b", "a"], "mixed": four, "receipt": team_draft()}),
            "declare the document that was moved as pinned",
        ),
        (
            json!({"shown": ["x", "y"], "mixed": four, "receipt": team_draft()}),
            "no document of `shown` is in `mixed`, which has 4",
        ),
        (json!({"shown": ["x", "y"], "receipt": with_four()}), "no document of `shown` is in the receipt"),
        (
            json!({"shown": ["a"], "mixed": ["a", "b"], "receipt": team_draft()}),
            "of a list of 4 documents, but `mixed` names 2",
        ),
        (
            json!({"shown": ["a", "x"], "mixed": ["a", "b", "b", "d"], "receipt": team_draft()}),
            "`mixed` has the document `b` twice",
        ),
        (
            json!({"shown": ["a"], "mixed": ["a", "b", "d", "c"], "receipt": with_four()}),
            "`mixed` and the documents in the receipt differ",
        ),
        (json!({"shown": four, "paged": 5, "receipt": team_draft()}), "`paged` is 5, but 4 documents were shown"),
        (
            json!({"shown": four, "paged": -1, "receipt": team_draft()}),
            "`paged` is the number -1; expected a whole number",
        ),
        (
            json!({"shown": four, "paged": 1.5, "receipt": team_draft()}),
            "`paged` is the number 1.5; expected a whole number",
        ),
        (
            json!({"shown": four, "paged": "two", "receipt": team_draft()}),
            "`paged` is the text `two`; expected a whole number",
        ),
        (json!({"shown": four, "pinned": ["x"], "receipt": team_draft()}), "`pinned` names `x`, which was not shown"),
        (
            json!({"shown": four, "pinned": ["a"], "receipt": team_draft()}),
            "1 of them pinned, with a receipt of 4; log all that were drawn",
        ),
        (
            json!({"shown": ["a", "b", "c"], "receipt": team_draft()}),
            "the receipt is of a longer list than the 3 documents shown",
        ),
        (
            json!({"shown": ["a", "b", "c", "d", "e"], "receipt": team_draft()}),
            "4 were mixed; log what was drawn in `mixed`",
        ),
        (json!({"receipt": team_draft()}), "no `shown` (or `query_response_hit_ids`"),
        (
            json!({"shown": ["a", "b"], "receipt": with_page(&[Some(0), Some(1), Some(2)])}),
            "has 3 places, but 2 documents",
        ),
        (
            json!({"shown": ["a", "b"], "pinned": ["a"], "receipt": with_page(&[Some(0), Some(1)])}),
            "`pinned` names `a`, but the page in the receipt has a document of the mixed list there",
        ),
        (
            json!({"shown": ["a", "c"], "mixed": four, "receipt": with_page(&[Some(0), Some(1)])}),
            "is not that of the 2 documents shown; leave `shown` out",
        ),
        (
            json!({"shown": ["a", "b", "c"], "mixed": four, "paged": 3, "receipt": with_page(&[Some(0), Some(1)])}),
            "`paged` is 3, but the page in the receipt ends after 2 places",
        ),
        (
            json!({"query_response_hit_ids": ["a", "b"], "mixed": ["b", "a"], "query_attributes": {"shown": ["a"]}, "teams": ["A", "B"]}),
            "`mixed` is another list than the one returned",
        ),
        (json!({"shown": ["a", "b"], "mixed": four, "teams": ["A", "B"]}), "2 teams for 4 documents in `mixed`"),
        (json!({"shown": ["a", "b"], "teams": ["A", "B"], "paged": 3}), "`paged` is 3, but 2 documents were shown"),
        (json!({"shown": ["a", "b"], "teams": ["A", "B"], "pinned": ["c"]}), "`pinned` names `c`, which was not shown"),
        (
            json!({"shown": ["a", "b"], "teams": ["A", "B"], "experiment": "x", "version": "y@1"}),
            "names another experiment",
        ),
        (json!({"shown": ["a", "b"], "teams": ["A", "B"], "version": "\u{1b}[1m"}), "the version `\\u{1b}[1m`"),
        (
            json!({"shown": ["a", "b"], "teams": ["A", "B"], "version": 1.5}),
            "`version` is the number 1.5; expected text",
        ),
        (
            json!({"shown": four, "version": "7", "receipt": team_draft().of(ExperimentVersion::from_parts("search", 7))}),
            "but the receipt is of `search@0000000000000007`; leave both fields out",
        ),
    ] {
        let mut line = json!({"impression": "i", "time": 1795001000, "user": "u"});
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let error = credited(&[line], &[]).unwrap_err();
        assert!(error.starts_with("/impressions-0:1: ") && error.contains(expected), "{fields}: {error}");
    }
}

#[test]
fn teams_have_pages_too() {
    let line = |fields: Value| {
        let mut line = json!({"impression": "i", "time": 1_795_446_245, "user": "u", "rankers": ["A", "B"]});
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        line
    };
    for (fields, expected) in [
        // The advertisement has no owner, so a click on it counts for no ranker.
        (json!({"shown": ["ad", "a", "c"], "mixed": ["a", "b", "c"], "teams": ["A", "B", "B"]}), ["ad", "tie"]),
        (json!({"shown": ["ad", "a", "c"], "mixed": ["a", "b", "c"], "teams": ["A", "B", "B"]}), ["c", "B"]),
        (json!({"shown": ["ad", "a", "b"], "teams": ["A", "B", "B"], "pinned": ["ad"]}), ["ad", "tie"]),
        (
            json!({"query_response_hit_ids": ["a", "b"], "query_attributes": {"shown": ["ad", "b"], "teams": ["A", "B"]}}),
            ["b", "B"],
        ),
        (
            json!({"shown": ["ad", "a"], "pinned": ["ad"], "response": {"docs": [{"id": "a", "[interleaving]": "A"}, {"id": "b", "[interleaving]": "B"}]}}),
            ["a", "A"],
        ),
    ] {
        let [document, winner] = expected;
        let click = json!({"impression": "i", "document": document, "time": 1_795_446_250});
        let found = credited(&[line(fields.clone())], &[click]).unwrap_or_else(|error| panic!("{fields}: {error}"));
        let counts = match winner {
            "A" => [1, 0, 0],
            "B" => [0, 1, 0],
            _ => [0, 0, 1],
        };
        assert_eq!(sums(&found), [((0, 1), counts)], "{fields}");
        assert_eq!(found.tally.with_pinned, 1, "{fields}");
    }
}

#[test]
fn tables_have_what_was_displayed_beside_what_was_returned() {
    let impressions = "query_id,timestamp,user_id,query_response_hit_ids,query_attributes.shown,teams,rankers,paged\n\
                       i,1795446245,u,a b c,ad b c,A B B,A B,2.0\n";
    let clicks = "impression,document,time\ni,c,1795446250\ni,ad,1795446251\n";
    let found = Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]).credit(&settings()).unwrap();
    assert_eq!(sums(&found), [((0, 1), [0, 1, 0])]);
    assert_eq!((found.tally.with_pinned, found.tally.with_left_out), (1, 1));
}

#[test]
fn outcomes_of_two_versions_are_never_added_up() {
    let line = |number: u32, day: u32, version: Option<&str>| {
        let mut line = json!({
            "impression": number, "time": format!("2026-11-{day:02}T12:00:00Z"), "user": "u", "shown": ["a", "b"],
            "teams": ["A", "B"], "experiment": "search",
        });
        match version {
            Some(version) => line["version"] = version.into(),
            None => line["experiment"] = Value::Null,
        }
        line
    };
    let click = |number: u32, day: u32, document: &str| json!({"impression": number, "document": document, "time": format!("2026-11-{day:02}T12:00:09Z")});
    let lines = [line(1, 1, Some("1")), line(2, 1, Some("2")), line(3, 2, Some("2")), line(4, 1, None)];
    let clicks = [click(1, 1, "a"), click(2, 1, "b"), click(4, 1, "a")];
    let found = credited(&lines, &clicks).unwrap();
    // One user is a unit in each version, with a first day in each.
    let expected = "version,day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties,\
                    amount_units,amount_impressions,amount_impression_squares,\
                    first_clicks,second_clicks,cut_clicks,click_squares,click_products,\
                    first_clicked,second_clicked,cut_clicked,clicked_squares,clicked_products\n\
                    ,2026-11-01,A,B,1,0,0,1,0,0,1,1,1,1,0,0,1,1,1,0,0,1,1\n\
                    search@1,2026-11-01,A,B,1,0,0,1,0,0,1,1,1,1,0,0,1,1,1,0,0,1,1\n\
                    search@2,2026-11-01,A,B,0,1,0,0,1,0,1,1,1,0,1,0,1,-1,0,1,0,1,-1\n\
                    search@2,2026-11-02,A,B,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0\n";
    assert_eq!(click_logs::outcomes::outcomes_of_log(&found).to_csv(), expected);
    // The same with receipts of one experiment, where only the first names its version.
    let unnamed = credited(&lines[3..], &clicks).unwrap();
    assert!(click_logs::outcomes::outcomes_of_log(&unnamed).to_csv().starts_with("day,"));
}

#[test]
fn each_version_has_its_own_pairs() {
    // In each version the same two rankers met; in the log as a whole, pairs differ.
    let line = |number: u32, version: &str, teams: [&str; 2]| {
        json!({
            "impression": number, "time": 1_795_446_245 + number, "user": format!("u{number}"), "shown": ["a", "b"], "teams": teams,
            "version": version,
        })
    };
    let mut lines = vec![line(1, "1", ["A", "B"]), line(2, "2", ["A", "C"])];
    let found = credited(&lines, &[]).unwrap();
    assert_eq!(found.choice.name(), "chance");
    // A list of one team: the other one is that of the version.
    lines.push(json!({
        "impression": 3, "time": 1_795_446_250, "user": "u3", "shown": ["a"], "teams": ["C"], "version": "2",
    }));
    let found = credited(&lines, &[json!({"impression": 3, "document": "a", "time": 1_795_446_251})]).unwrap();
    let won = found.days.iter().filter(|day| day.version == 1).map(|day| (day.pair, day.counts.impressions.losses));
    assert_eq!(won.collect::<Vec<_>>(), [((0, 2), 1)]);
}
