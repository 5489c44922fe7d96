//! The output of `click-logs sql`; `python/tests/test_sql.py` runs it, and compares the result with that of `credit`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::cli::{fails, ok};
use crate::help::check;

const DIALECTS: [&str; 6] = ["duckdb", "postgres", "bigquery", "snowflake", "databricks", "redshift"];
const ALL_COLUMNS: [&str; 4] = ["--columns", "rankers,agent,pairs,version,mixed,pinned,dwell", "--dwell", "30s"];

fn printed(dialect: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    ok(folder.path(), &[&["sql", "--dialect", dialect][..], more].concat())
}

/// All of the text for DuckDB; of the others, the lines that differ.
#[test]
fn texts_are_stable() {
    let usual = printed("duckdb", &[]);
    check("sql-duckdb.sql", &usual);
    let known: BTreeSet<&str> = usual.lines().collect();
    let all = printed("duckdb", &ALL_COLUMNS);
    let mut more = "== DuckDB, all columns\n".to_owned();
    all.lines().filter(|line| !known.contains(line)).for_each(|line| _ = writeln!(more, "{line}"));
    let known: BTreeSet<&str> = all.lines().chain(known).collect();
    for dialect in &DIALECTS[1..] {
        let _ = writeln!(more, "== {dialect}");
        let text = printed(dialect, &ALL_COLUMNS);
        text.lines().filter(|line| !known.contains(line)).for_each(|line| _ = writeln!(more, "{line}"));
    }
    check("sql-differences.txt", &more);
}

#[test]
fn every_model_is_complete_and_made_after_those_that_it_reads() {
    for dialect in DIALECTS {
        for more in
            [&[][..], &ALL_COLUMNS, &["--columns", "pinned"], &["--columns", "mixed,rankers", "--unit", "session"]]
        {
            let text = printed(dialect, &[more, &["--schema", "here", "--impressions", "log.shown"]].concat());
            let left = ["<<", ">>", "{{", "}}", "--["].into_iter().find(|mark| text.contains(mark));
            assert_eq!(left, None, "{dialect} {more:?}");
            let mut made = BTreeSet::new();
            for statement in text.split(";\n") {
                let words = statement.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
                let read: Vec<&str> = words.filter_map(|word| word.strip_prefix("here.")).collect();
                if let Some((_, after)) = statement.split_once("create table here.") {
                    let name = after.split_whitespace().next().unwrap();
                    let unknown = read.iter().find(|read| **read != name && !made.contains(**read));
                    assert_eq!(unknown, None, "{dialect}: {name}");
                    made.insert(name);
                }
            }
            let results = ["credited_impressions", "unit_outcomes", "daily_pairs", "fates"];
            assert!(results.iter().all(|name| made.contains(name)));
            assert_eq!(text.matches("from log.shown\n").count(), 1);
            let is_said = text.contains(" was only parsed by tests, never run;");
            assert_eq!(is_said, !matches!(dialect, "duckdb" | "postgres"), "{dialect}");
        }
    }
}

#[test]
fn the_head_has_the_command_and_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("bots.toml"),
        "max_clicks_per_day = 7\nunits = [\"u1\"]\nunit_prefixes = [\"mon-\"]\nagents = [\"Crawler\"]\n",
    )
    .unwrap();
    let flags = [
        ["--unit-days", "3"],
        ["--window", "5m"],
        ["--skew", "1s"],
        ["--timezone", "-09:30"],
        ["--until", "2026-01-03T12:00:00Z"],
        ["--pairs", "steered"],
        ["--rankers", "new,old"],
        ["--bots", "bots.toml"],
        ["--columns", "agent"],
    ];
    let text = ok(folder.path(), &[&["sql", "--dialect", "duckdb"], &flags.concat()[..]].concat());
    for expected in [
        "--   click-logs credit --impressions impressions.jsonl --clicks clicks.jsonl --unit user --unit-days 3 --window 5m --skew 1s \
         --timezone -09:30 --until 2026-01-03T12:00:00.000Z --bots 'bots.toml' --pairs steered --rankers 'new,old'\n",
        "cast(300000 as bigint) as window_ms,\n",
        "cast(1000 as bigint) as skew_ms,\n",
        "cast(3 as bigint) as unit_days,\n",
        "cast(-34200000 as bigint) as zone_ms,\n",
        "cast(1767441600000 as bigint) as until_ms,\n",
        "cast(2 as bigint) as stated_choice,\n",
        "cast(null as bigint) as max_impressions_per_day,\n",
        "cast(7 as bigint) as max_clicks_per_day,\n",
        "union all select 1, 'new'\n  union all select 2, 'old'\n",
        "(line.unit = 'u1' or substr(line.unit, 1, 4) = 'mon-' or replace(lower(line.agent), 'crawler', '') <> lower(line.agent))",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    // The command that the text names is one.
    let command = text.lines().find(|line| line.contains("click-logs credit --impressions")).unwrap();
    let words = command.trim_start_matches("-- ").split_whitespace().map(|word| word.trim_matches('\''));
    click_logs::cli::command().try_get_matches_from(words).unwrap();
}

#[test]
fn what_cannot_be_had_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("agents.toml"), "agents = [\"crawler\"]\n").unwrap();
    std::fs::write(folder.path().join("quoted.toml"), "units = [\"o'hara\"]\n").unwrap();
    for (flags, expected) in [
        (
            &["--timezone", "Europe/Berlin"][..],
            "--timezone Europe/Berlin has summer time, which the rules of SQL do not; name an offset",
        ),
        (&["--bots", "agents.toml"], "the rules for bots name agents; add the column of agents with --columns agent"),
        (&["--bots", "quoted.toml"], "hara` has a quotation mark, a backslash,"),
        (&["--rankers", "a<<b,c"], "`a<<b` has a quotation mark, a backslash, a brace, `<`"),
        (&["--dwell", "30s"], "--dwell needs to know how long users stayed; add --columns dwell"),
        (&["--impressions", "log; drop table x"], "`log; drop table x` is not a name of a table or schema"),
        (&["--schema", "a..b"], "`a..b` is not a name of a table or schema"),
        (&["--dbt"], "--out <FOLDER>"),
        (&["--columns", "receipt"], "invalid value 'receipt' for '--columns <NAMES>'"),
    ] {
        let error = fails(folder.path(), 2, &[&["sql", "--dialect", "duckdb"], flags].concat());
        assert!(error.contains(expected), "{error}");
    }
    let error = fails(folder.path(), 2, &["sql", "--dialect", "mysql"]);
    assert!(
        error.contains("'mysql'") && error.contains("duckdb, postgres, bigquery, snowflake, databricks or redshift"),
        "{error}"
    );
}

#[test]
fn a_project_of_dbt_has_the_same_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let flags = ["--dialect", "snowflake", "--impressions", "raw.search.shown", "--clicks", "raw.search.clicked"];
    ok(at, &[&["sql", "--dbt", "--out", "project"], &flags[..]].concat());
    let read = |path: &str| std::fs::read_to_string(at.join("project").join(path)).unwrap();
    let project = read("dbt_project.yml");
    assert!(project.contains("\n  window: '1800000'\n") && project.contains("\n  until: 'null'\n"), "{project}");
    let sources = read("models/sources.yml");
    assert!(
        sources.contains("    schema: search\n    database: raw\n") && sources.contains("identifier: shown\n"),
        "{sources}"
    );
    assert!(read("models/staging/rules.sql").contains("cast({{ var('window') }} as bigint) as window_ms"));
    assert!(read("models/staging/stg_impressions.sql").contains("from {{ source('log', 'impressions') }}\n"));
    let mut names = BTreeSet::new();
    let mut texts = Vec::new();
    for kind in ["staging", "intermediate", "marts"] {
        for entry in std::fs::read_dir(at.join("project/models").join(kind)).unwrap() {
            let path = entry.unwrap().path();
            names.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
    for text in texts {
        assert!(!text.contains("<<") && !text.contains(" --["), "{text}");
        for part in text.split("ref('").skip(1) {
            assert!(names.contains(part.split('\'').next().unwrap()), "{text}");
        }
    }
}
