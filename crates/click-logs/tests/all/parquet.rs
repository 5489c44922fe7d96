//! Tables in Parquet have the same content as lines, and are refused as clearly.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use click_logs::join::{ClickFate, CreditedLog, ImpressionFate, Inputs, Order, Resources, credit};
use click_logs::model::{LogEnd, Settings};
use click_logs::simulate::{SimulationSettings, rules};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use statistics::Counts;
use times::Zone;

use crate::common::{Log, assert_same, simulated};

/// A column: its name, its type in the language of Parquet's schemas (of its elements, for lists), its values.
type Column = (&'static str, &'static str, Vec<Value>);

/// Writes a table.
fn write(path: &Path, columns: &[Column], rows_of_a_group: usize, compression: Compression) {
    let is_list = |values: &[Value]| values.iter().any(Value::is_array);
    let fields: String = columns
        .iter()
        .map(|(name, kind, values)| {
            let (kind, note) = kind.split_once(' ').unwrap_or((kind, ""));
            if is_list(values) {
                format!(
                    "optional group {name} (LIST) {{ repeated group list {{ optional {kind} element {note}; }} }}\n"
                )
            } else {
                format!("optional {kind} {name} {note};\n")
            }
        })
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message log {{ {fields} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut file = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let rows = columns[0].2.len();
    for start in (0..rows).step_by(rows_of_a_group) {
        let mut group = file.next_row_group().unwrap();
        for (_, _, values) in columns {
            let part = &values[start..rows.min(start + rows_of_a_group)];
            let (mut leaves, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
            for value in part {
                match value {
                    Value::Array(elements) if elements.is_empty() => (definitions.push(1), repetitions.push(0)),
                    Value::Array(elements) => {
                        for (at, element) in elements.iter().enumerate() {
                            definitions.push(if element.is_null() { 2 } else { 3 });
                            repetitions.push(i16::from(at > 0));
                            leaves.extend((!element.is_null()).then_some(element));
                        }
                        ((), ())
                    }
                    value => {
                        leaves.extend((!value.is_null()).then_some(value));
                        (definitions.push(i16::from(!value.is_null())), repetitions.push(0))
                    }
                };
            }
            let repetitions = is_list(values).then_some(repetitions.as_slice());
            let levels = Some(definitions.as_slice());
            let mut column = group.next_column().unwrap().unwrap();
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    let texts: Vec<ByteArray> = leaves.iter().map(|leaf| leaf.as_str().unwrap().into()).collect();
                    writer.write_batch(&texts, levels, repetitions).unwrap();
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    let numbers: Vec<i64> = leaves.iter().map(|leaf| leaf.as_i64().unwrap()).collect();
                    writer.write_batch(&numbers, levels, repetitions).unwrap();
                }
                ColumnWriter::DoubleColumnWriter(writer) => {
                    let numbers: Vec<f64> = leaves.iter().map(|leaf| leaf.as_f64().unwrap()).collect();
                    writer.write_batch(&numbers, levels, repetitions).unwrap();
                }
                ColumnWriter::FloatColumnWriter(writer) => {
                    let numbers: Vec<f32> = leaves.iter().map(|leaf| leaf.as_f64().unwrap() as f32).collect();
                    writer.write_batch(&numbers, levels, repetitions).unwrap();
                }
                _ => panic!("a type that no test has"),
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    file.close().unwrap();
}

/// The fields of lines of JSON as columns of these types, in this order.
fn columns(text: &[u8], kinds: &[(&'static str, &'static str)]) -> Vec<Column> {
    let lines: Vec<Value> =
        std::str::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let values = |name: &str| -> Vec<Value> {
        let value = |line: &Value| match &line[name] {
            Value::Object(object) => Value::String(Value::Object(object.clone()).to_string()),
            value => value.clone(),
        };
        lines.iter().map(value).collect()
    };
    kinds.iter().map(|&(name, kind)| (name, kind, values(name))).collect()
}

const TEXT: &str = "binary (UTF8)";
const MOMENTS: &str = "int64 (TIMESTAMP(MILLIS,true))";

fn of_own(texts: &[Vec<u8>; 2]) -> [Vec<Column>; 2] {
    let impressions =
        ["impression", "user", "session", "agent", "shown", "teams", "rankers", "pairs"].map(|name| (name, TEXT));
    let clicks = [("impression", TEXT), ("document", TEXT), ("time", MOMENTS), ("dwell", "double")];
    [columns(&texts[0], &[&impressions[..], &[("time", MOMENTS)]].concat()), columns(&texts[1], &clicks)]
}

/// A log in a folder that has a table of impressions and one of clicks.
struct Tables {
    folder: tempfile::TempDir,
}

impl Tables {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("scratch")).unwrap();
        Self { folder }
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.path().join(["impressions.parquet", "clicks.parquet"][number])
    }

    fn of(tables: &[Vec<Column>; 2], rows_of_a_group: usize, compression: Compression) -> Self {
        let log = Self::new();
        (0..2).for_each(|number| write(&log.path(number), &tables[number], rows_of_a_group, compression));
        log
    }

    fn credit(&self, settings: &Settings) -> Result<CreditedLog, String> {
        let resources = Resources {
            memory: 1 << 26,
            threads: 2,
            scratch_folder: self.folder.path().join("scratch"),
            disk: None,
            partitions: Some(4),
            order: Order::Auto,
            block: Some(10_000),
        };
        let inputs = Inputs { impressions: vec![self.path(0)], clicks: vec![self.path(1)] };
        credit(&inputs, settings, &resources, &(), None).map_err(|error| error.to_string())
    }
}

#[test]
fn tables_of_own_logs_say_the_truth() {
    let simulation =
        SimulationSettings { impressions: 1_500, conflicts: 0.01, bots: 0.01, ..SimulationSettings::default() };
    let (texts, truth) = simulated(&simulation);
    let tables = of_own(&texts);
    for (rows_of_a_group, compression) in [
        (100_000, Compression::UNCOMPRESSED),
        (100, Compression::SNAPPY),
        (700, Compression::ZSTD(ZstdLevel::default())),
        (1_000, Compression::GZIP(GzipLevel::default())),
        (1_999, Compression::LZ4_RAW),
    ] {
        let found = Tables::of(&tables, rows_of_a_group, compression).credit(&rules(&simulation)).unwrap();
        assert_same(&found, &truth.credited(), &format!("{rows_of_a_group} {compression:?}"));
    }
}

#[test]
fn times_of_every_type() {
    let simulation = SimulationSettings { impressions: 300, ..SimulationSettings::default() };
    let (texts, truth) = simulated(&simulation);
    let scaled = |factor: i64| move |time: i64| Value::from(time * factor);
    let in_text = |time: i64| Value::from(times::text(time));
    let settings = rules(&simulation);
    let ahead = Settings { zone: Zone::parse("+01:00").unwrap(), ..settings.clone() };
    // Days are those of the zone, so the lines of the same log have to be compared with, not the truth.
    let in_zone = Log::of(&[&texts[0]], &[&texts[1]]).credit(&ahead).unwrap();
    let kinds: [(&str, &dyn Fn(i64) -> Value); 7] = [
        ("int64 (TIMESTAMP(MICROS,true))", &scaled(1_000)),
        ("int64 (TIMESTAMP(NANOS,true))", &scaled(1_000_000)),
        ("int64 (TIMESTAMP_MILLIS)", &scaled(1)),
        ("int64", &scaled(1)),
        ("int64", &scaled(1_000)),
        ("double", &|time| Value::from(time as f64 / 1e3)),
        (TEXT, &in_text),
    ];
    let with = |kind, convert: &dyn Fn(i64) -> Value| {
        let mut tables = of_own(&texts);
        for (name, of, values) in tables.iter_mut().flatten() {
            if *name == "time" {
                *of = kind;
                values.iter_mut().for_each(|value| *value = convert(value.as_i64().unwrap()));
            }
        }
        Tables::of(&tables, 500, Compression::SNAPPY)
    };
    for (kind, convert) in kinds {
        assert_same(&with(kind, convert).credit(&settings).unwrap(), &truth.credited(), kind);
    }
    // Times without a zone need one.
    let local = with("int64 (TIMESTAMP(MILLIS,false))", &|time| Value::from(time + 3_600_000));
    let error = local.credit(&settings).unwrap_err();
    assert!(error.contains("row 1 (row group 1)") && error.contains("--timezone"), "{error}");
    assert_same(&local.credit(&ahead).unwrap(), &in_zone, "local");
}

#[test]
fn objects_may_be_text_of_json() {
    let simulation = SimulationSettings {
        impressions: 600,
        dialect: click_logs::simulate::Dialect::Ubi,
        ..SimulationSettings::default()
    };
    let (texts, truth) = simulated(&simulation);
    let queries = ["query_id", "client_id", "timestamp", "query_response_hit_ids", "query_attributes"];
    let events = ["action_name", "query_id", "timestamp", "event_attributes"];
    let tables = [
        columns(&texts[0], &queries.map(|name| (name, TEXT))),
        columns(&texts[1], &events.map(|name| (name, "binary"))),
    ];
    let found = Tables::of(&tables, 200, Compression::SNAPPY).credit(&rules(&simulation)).unwrap();
    assert_same(&found, &truth.credited(), "UBI");
}

#[test]
fn nested_tables_of_pyarrow() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let log = Tables::new();
    for (number, name) in ["ubi_queries.parquet", "ubi_events.parquet"].iter().enumerate() {
        std::fs::copy(folder.join(name), log.path(number)).unwrap();
    }
    let settings =
        Settings { complete: LogEnd::Final, unit: click_logs::model::UnitKind::Session, ..Settings::default() };
    let found = log.credit(&settings).unwrap();
    // Every session has one query; one has no attributes, and so no session: it was not mixed.
    assert_eq!(found.tally.of_impressions(ImpressionFate::NotMixed), 1);
    assert_eq!(found.tally.of_clicks(ClickFate::Other), 1);
    // Every third click is on a document of the old ranker.
    let units = found.days.iter().fold(Counts::default(), |mut sum, day| {
        sum += day.counts.units;
        sum
    });
    assert_eq!((found.rankers.as_slice(), units), (&["new".to_owned(), "old".to_owned()][..], Counts::new(6, 4, 1)));
    // Dwell times are read, and a null client is not a unit.
    let long = Settings { dwell: Some(31_000), unit: click_logs::model::UnitKind::User, ..settings };
    let found = log.credit(&long).unwrap();
    assert_eq!(found.tally.of_clicks(ClickFate::Credited), 0);
    assert_eq!(found.tally.of_impressions(ImpressionFate::NoUnit), 1);
}

fn of_one_row(replaced: &[(&'static str, &'static str, Value)]) -> [Vec<Column>; 2] {
    let list = |texts: &[&str]| Value::from(texts.to_vec());
    let mut impressions: Vec<Column> = vec![
        ("impression", TEXT, vec!["i".into()]),
        ("time", MOMENTS, vec![1_700_000_000_000_i64.into()]),
        ("user", TEXT, vec!["u".into()]),
        ("shown", TEXT, vec![list(&["a", "b"])]),
        ("teams", TEXT, vec![list(&["A", "B"])]),
    ];
    for (name, kind, value) in replaced {
        impressions.retain(|(known, ..)| known != name);
        impressions.push((name, kind, vec![value.clone()]));
    }
    let clicks = vec![
        ("impression", TEXT, vec!["i".into()]),
        ("document", TEXT, vec!["b".into()]),
        ("time", MOMENTS, vec![1_700_000_001_000_i64.into()]),
    ];
    [impressions, clicks]
}

#[test]
fn columns_of_other_types_are_refused_by_name() {
    let settings = Settings { complete: LogEnd::Final, ..Settings::default() };
    let credit = |tables: &[Vec<Column>; 2]| Tables::of(tables, 10, Compression::SNAPPY).credit(&settings);
    assert_eq!(credit(&of_one_row(&[])).unwrap().days[0].counts.units, Counts::new(0, 1, 0));
    for (replaced, expected) in [
        (("user", "double", 1.5.into()), "the column `user` holds double; expected text or whole numbers"),
        (("impression", "int64 (TIMESTAMP_MILLIS)", 5.into()), "the column `impression` holds timestamp_millis"),
        (
            ("time", "float", 1.75e9.into()),
            "the column `time` holds float; expected timestamps, numbers since 1970 (not",
        ),
        (("shown", "int64", 5.into()), "the column `shown` holds int64; expected lists of text or whole numbers"),
        (("shown", "double", vec![1.5].into()), "the column `shown` holds lists of double"),
        (("time", TEXT, vec!["x"].into()), "the column `time` holds lists of utf8; expected timestamps"),
        (
            ("dwell", "int64 (TIMESTAMP_MILLIS)", 5.into()),
            "the column `dwell` holds timestamp_millis; expected seconds as",
        ),
        (("query_attributes", "double", 1.5.into()), "the column `query_attributes` holds double; expected a struct"),
        (("shown", TEXT, vec!["a", "a"].into()), "row 1 (row group 1): the document `a` is shown twice"),
        (("teams", TEXT, vec!["A"].into()), "row 1 (row group 1): 1 teams for 2 documents"),
        (("time", MOMENTS, Value::Null), "row 1 (row group 1): no `time`"),
        (("receipt", TEXT, "zz".into()), "row 1 (row group 1): both teams and a receipt"),
        (("query_attributes", TEXT, "{not JSON".into()), "row 1 (row group 1): "),
    ] {
        let error = credit(&of_one_row(&[replaced])).unwrap_err();
        assert!(error.contains(expected) && error.contains("impressions.parquet: "), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let nameless = [vec![("other", TEXT, vec!["i".into()])], of_one_row(&[])[1].clone()];
    assert!(credit(&nameless).unwrap_err().contains("no column `impression` (or `query_id`) among `other`"));
    // Stored clicks of OpenSearch's A/B tests are refused here as well.
    let stored = vec![("search_configuration", TEXT, vec!["c".into()]), ("count", "int64", vec![3.into()])];
    assert!(credit(&[of_one_row(&[])[0].clone(), stored]).unwrap_err().contains("nobody"));
}

#[test]
fn flat_names_and_text_of_lists_are_read_as_in_lines() {
    let settings = Settings { complete: LogEnd::Final, dwell: Some(30_000), ..Settings::default() };
    let clicks = vec![
        ("query_id", TEXT, vec!["i".into(), "".into()]),
        ("event_attributes.object.object_id", TEXT, vec!["b".into(), "b".into()]),
        ("timestamp", MOMENTS, vec![1_700_000_001_000_i64.into(), 1_700_000_001_000_i64.into()]),
        ("event_attributes.dwell_time", TEXT, vec!["31.5".into(), "31.5".into()]),
        ("hits", "int64", vec![30.into(), 30.into()]),
    ];
    let response =
        r#"{"hits":{"hits":[{"_id":"b","_search_configuration":"B"},{"_id":"a","_search_configuration":"A"}]}}"#;
    for (shown, owners) in [
        ("['a', 'b']", ("query_attributes.teams", TEXT, "('A', 'B')")),
        (r#"["a","b"]"#, ("teams", TEXT, "{A,B}")),
        ("[a, b]", ("response", TEXT, response)),
        ("['a' 'b']", ("query_attributes", TEXT, r#"{"teams": "['A', 'B']"}"#)),
    ] {
        let impressions = vec![
            ("query_id", TEXT, vec!["i".into()]),
            ("timestamp", MOMENTS, vec![1_700_000_000_000_i64.into()]),
            ("client_id", TEXT, vec!["u".into()]),
            ("query_response_hit_ids", TEXT, vec![shown.into()]),
            (owners.0, owners.1, vec![owners.2.into()]),
            ("hits", "int64", vec![30.into()]),
        ];
        let found = Tables::of(&[impressions, clicks.clone()], 10, Compression::SNAPPY).credit(&settings).unwrap();
        assert_eq!(found.rankers, ["A", "B"]);
        assert_eq!(found.days[0].counts.units, Counts::new(0, 1, 0), "{owners:?}");
        assert_eq!(found.tally.of_clicks(ClickFate::Unknown), 1);
    }
    let two = of_one_row(&[("query_id", TEXT, "j".into())]);
    let error = Tables::of(&two, 10, Compression::SNAPPY).credit(&settings).unwrap_err();
    assert!(error.contains("row 1 (row group 1): `impression` is `i`, but `query_id`"), "{error}");
    let text = of_one_row(&[("shown", TEXT, "a b".into())]);
    let error = Tables::of(&text, 10, Compression::SNAPPY).credit(&settings).unwrap_err();
    assert!(error.contains("`shown` is `a b`, which is text; expected a list"), "{error}");
}

#[test]
fn rows_are_named_and_set_aside() {
    let mut tables = of_one_row(&[]);
    for (name, _, values) in &mut tables[0] {
        *values = vec![values[0].clone(); 30];
        match *name {
            "impression" => values.iter_mut().zip(0..).for_each(|(value, number)| *value = format!("i{number}").into()),
            "teams" => values[16] = vec!["A"].into(),
            _ => {}
        }
    }
    let log = Tables::of(&tables, 7, Compression::SNAPPY);
    let settings = Settings { complete: LogEnd::Final, ..Settings::default() };
    let error = log.credit(&settings).unwrap_err();
    assert!(error.contains("impressions.parquet: row 17 (row group 3): 1 teams for 2 documents"), "{error}");
    let found = log.credit(&Settings { set_malformed_aside: true, ..settings }).unwrap();
    assert_eq!(found.tally.of_impressions(ImpressionFate::Malformed), 1);
    assert_eq!(found.tally.of_impressions(ImpressionFate::Credited), 29);
}

#[test]
fn damaged_files_are_refused_in_one_line() {
    let simulation = SimulationSettings { impressions: 200, ..SimulationSettings::default() };
    let (texts, _) = simulated(&simulation);
    let log = Tables::of(&of_own(&texts), 100, Compression::SNAPPY);
    let sound = std::fs::read(log.path(0)).unwrap();
    let mut refused = 0;
    for round in 0..300_usize {
        let mut bytes = sound.clone();
        if round % 3 == 0 {
            bytes.truncate(4 + round * (sound.len() - 4) / 300);
        } else {
            // The place and the value of the damage, by multiples of two primes; rounds of the last third damage the end,
            // which describes the rest.
            let at = if round > 200 { sound.len() - 1 - round * 7 % 2_000 } else { round * 7_919 % sound.len() };
            bytes[at.max(4)] ^= (1 + round * 31 % 255) as u8;
        }
        std::fs::write(log.path(0), &bytes).unwrap();
        if let Err(error) = log.credit(&rules(&simulation)) {
            refused += 1;
            assert!(error.lines().count() == 1 && error.contains("impressions.parquet"), "{round}: {error}");
        }
    }
    assert!(refused > 150, "{refused}");
}

#[test]
fn tables_of_outcomes_are_decided_by() {
    const TABLE: &str = "\
day,first,second,unit_wins,unit_losses,unit_ties
2026-11-22,A,B,40,2,3
2026-11-23,A,B,50,1,2
";
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("outcomes.csv"), TABLE).unwrap();
    let counts = |name: &'static str, values: [i64; 2]| (name, "int64", values.map(Value::from).to_vec());
    let texts = |name: &'static str, values: [&str; 2]| (name, TEXT, values.map(Value::from).to_vec());
    let columns = [
        counts("unit_ties", [3, 2]),
        texts("first", ["A", "A"]),
        ("comment", "double", vec![Value::Null, 1.5.into()]),
        ("unit_wins", "double", vec![40.0.into(), 50.0.into()]),
        counts("unit_losses", [2, 1]),
        texts("second", ["B", "B"]),
        ("day", MOMENTS, [20_779, 20_780].map(|day: i64| Value::from(day * times::DAY)).to_vec()),
    ];
    write(&at.join("outcomes.parquet"), &columns, 1, Compression::SNAPPY);
    let decide = |name: &str| {
        let mut command = assert_cmd::Command::cargo_bin("click-logs").unwrap();
        let output = command.current_dir(at).args(["decide", name]).output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()))
    };
    let (code, said) = decide("outcomes.csv");
    assert!(code == Some(0) && said[0].contains("A beats B"), "{said:?}");
    assert_eq!(decide("outcomes.parquet"), (code, said));
    write(&at.join("wrong.parquet"), &[columns[1].clone(), columns[5].clone()], 2, Compression::SNAPPY);
    let (code, [_, error]) = decide("wrong.parquet");
    assert!(
        code == Some(1) && error.starts_with("error: wrong.parquet: found the columns `first,second` and no day"),
        "{error}"
    );
    std::fs::write(at.join("cut.parquet"), b"PAR1 and no more").unwrap();
    let (code, [_, error]) = decide("cut.parquet");
    assert!(code == Some(1) && error.contains("cannot be read as Parquet"), "{error}");
}

#[test]
fn simulated_tables_are_credited_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_click-logs"))
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let names = ["impressions.parquet", "clicks.parquet", "truth/units.csv"];
    let with_orders = [&names[..], &["conversions.parquet", "truth/conversion-units.csv"]].concat();
    let more = ["--pages", "2", "--pinned", "0.2", "--change-version-at", "0.5", "--orders", "0.2"];
    for (method, more, names) in [("team-draft", &more[..], &with_orders[..]), ("probabilistic", &[], &names)] {
        let simulate =
            [&["simulate", "--impressions", "8000", "--replace", "--method", method, "--format", "parquet"][..], more]
                .concat();
        run(&[&simulate[..], &["--out", "log"]].concat());
        run(&[&simulate[..], &["--threads", "1", "--out", "again"]].concat());
        for name in names {
            let read = |of: &str| std::fs::read(folder.path().join(of).join(name)).unwrap();
            assert_eq!(read("log"), read("again"), "{name}");
        }
        run(&[
            "credit",
            "--impressions",
            "log/impressions.parquet",
            "--clicks",
            "log/clicks.parquet",
            "--bots",
            "log/bots.toml",
            "--rankers",
            "A,B",
            "--final",
            "--replace",
            "--detail",
            "--out",
            "out",
        ]);
        for file in ["outcomes.csv", "fates.csv"] {
            let read = |of: &str| std::fs::read_to_string(folder.path().join(of).join(file)).unwrap();
            assert_eq!(read("out"), read("log/truth"), "{method} {file}");
        }
        run(&["verify", "log/truth/units.csv", "out"]);
    }
}
