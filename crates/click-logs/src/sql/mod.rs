//! `credit` as SQL that runs in a warehouse: the text of models, completed by a dialect and the rules of an analysis. Not here: running
//! it, and logs with receipts.
//!
//! Models are files beside this one. `staging` reads the inputs, and is all that dialects differ in; `intermediate` and `marts` are plain
//! SQL. In each file `<<...>>` is replaced, and a line that ends with `--[x]` is kept if `x` is there (`--[!x]`: if it is not). The result
//! is a model of dbt; in a script, each becomes a table.

mod dialect;

use std::fmt::Write as _;

use ranktypes::text::excerpt;
use verdicts::Bots;

use crate::join::{ClickFate, ImpressionFate, UnitFate};
use crate::model::{LogEnd, Settings, UnitKind};

pub use dialect::Dialect;

/// A column that tables may have beside those that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Column {
    /// All rankers that took part, a list
    Rankers,
    /// The user's program
    Agent,
    /// How the rankers were chosen
    Pairs,
    /// The version of the experiment
    Version,
    /// What was drawn, a list, if the page displayed something else
    Mixed,
    /// Documents that others placed on the page, a list
    Pinned,
    /// Of clicks: seconds spent with the document
    Dwell,
}

impl Column {
    const ALL: [Self; 7] =
        [Self::Rankers, Self::Agent, Self::Pairs, Self::Version, Self::Mixed, Self::Pinned, Self::Dwell];

    fn name(self) -> &'static str {
        match self {
            Self::Rankers => "rankers",
            Self::Agent => "agent",
            Self::Pairs => "pairs",
            Self::Version => "version",
            Self::Mixed => "mixed",
            Self::Pinned => "pinned",
            Self::Dwell => "dwell",
        }
    }
}

/// A warehouse's columns, and the requested rules.
#[derive(Debug, Clone)]
pub struct Warehouse {
    /// Its dialect.
    pub dialect: Dialect,
    /// The tables of impressions and of clicks.
    pub tables: [String; 2],
    /// The schema for the output.
    pub schema: String,
    /// Further columns that its tables have.
    pub columns: Vec<Column>,
    /// Whether times are whole milliseconds since 1970, not moments.
    pub in_milliseconds: bool,
    /// The rules.
    pub settings: Settings,
    /// The command that counts the same from files.
    pub command: String,
}

struct Model {
    folder: &'static str,
    name: &'static str,
    text: &'static str,
    /// The list that it makes rows of.
    list: Option<&'static str>,
    /// Only with this column.
    needs: Option<Column>,
}

macro_rules! models {
    ($($folder:literal: $($name:literal)+;)+) => {
        [$($(Model {
            folder: $folder,
            name: $name,
            text: include_str!(concat!($folder, "/", $name, ".sql")),
            list: None,
            needs: None,
        },)+)+]
    };
}

/// One that has rows for the entries of a list.
const fn list_rows_model(name: &'static str, list: &'static str, needs: Option<Column>) -> Model {
    Model { folder: "staging", name, text: include_str!("staging/exploded.sql"), list: Some(list), needs }
}

/// The models, each after those that it reads.
fn models() -> impl Iterator<Item = Model> {
    let reading_models = models! { "staging": "rules" "stated_rankers" "stg_impressions"; };
    let lists = [
        list_rows_model("stg_shown", "documents", None),
        list_rows_model("stg_teams", "teams", None),
        list_rows_model("stg_rankers", "rankers", Some(Column::Rankers)),
        list_rows_model("stg_mixed", "mixed", Some(Column::Mixed)),
        list_rows_model("stg_pinned", "pinned", Some(Column::Pinned)),
    ];
    let further_models = models! {
        "staging": "stg_places" "stg_clicks";
        "intermediate": "int_lines" "int_lineups" "int_rankers" "int_versions" "int_log_end" "int_saying" "int_impressions"
            "int_clicks" "int_pairs" "int_bots" "int_firsts";
        "marts": "credited_impressions" "unit_outcomes" "daily_pairs" "fates";
    };
    reading_models.into_iter().chain(lists).chain(further_models)
}

/// How the text of models is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Script,
    Dbt,
}

impl Warehouse {
    /// Checks that SQL can express these settings.
    ///
    /// # Errors
    /// One line with the setting that it cannot express, and a remedy.
    pub fn check(&self) -> Result<(), String> {
        let Settings { zone, bots, dwell, rankers, .. } = &self.settings;
        let zone_text = zone.text();
        if zone_text != "UTC" && !zone_text.starts_with(['+', '-']) {
            return Err(format!(
                "--timezone {zone_text} has summer time, which the rules of SQL do not; name an offset such as +01:00, or UTC"
            ));
        }
        if !bots.agents.is_empty() && !self.has(Column::Agent) {
            return Err("the rules for bots name agents; add the column of agents with --columns agent, or leave these rules out"
                .to_owned());
        }
        if dwell.is_some() && !self.has(Column::Dwell) {
            return Err("--dwell needs to know how long users stayed; add --columns dwell".to_owned());
        }
        let texts = [rankers, &bots.units, &bots.unit_prefixes, &bots.agents];
        if let Some(text) = texts.into_iter().flatten().find(|text| text.contains(['\'', '\\', '{', '<', '\n', '\r'])) {
            return Err(format!(
                "{} has a quotation mark, a backslash, a brace, `<` or a line break, which dialects write in different ways; name it \
                 otherwise in the log",
                excerpt(text)
            ));
        }
        let is_name = |name: &str| {
            let is_part = |part: &str| {
                !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '`' | '"'))
            };
            name.split('.').all(is_part) && name.split('.').count() <= 3
        };
        match self.tables.iter().chain([&self.schema]).find(|name| !is_name(name)) {
            Some(name) => Err(format!(
                "{} is not a name of a table or schema; expected letters, digits and _, with points between database, schema and table",
                excerpt(name)
            )),
            None => Ok(()),
        }
    }

    /// One text that runs as it is: each model is a table, written again.
    #[must_use]
    pub fn script(&self) -> String {
        let mut text = self.head();
        let _ = writeln!(text, "\ncreate schema if not exists {};", self.schema);
        for model in self.models() {
            let body = self.body(&model, Layout::Script);
            let (comments, query) = split_comments(&body);
            let name = format!("{}.{}", self.schema, model.name);
            let _ = write!(
                text,
                "\n{comments}drop table if exists {name};\ncreate table {name} as\n{};\n",
                query.trim_end()
            );
            // Other engines track the number of rows of a new table, or check often enough.
            if self.dialect == Dialect::Postgres {
                let _ = writeln!(text, "analyze {name};");
            }
        }
        text
    }

    /// The files of a project of dbt: their paths, and their text.
    #[must_use]
    pub fn project(&self) -> Vec<(String, String)> {
        let mut files = vec![
            ("dbt_project.yml".to_owned(), self.project_file()),
            ("models/sources.yml".to_owned(), self.sources()),
        ];
        files.extend(
            self.models()
                .map(|model| (format!("models/{}/{}.sql", model.folder, model.name), self.body(&model, Layout::Dbt))),
        );
        files
    }

    fn has(&self, column: Column) -> bool {
        self.columns.contains(&column)
    }

    fn models(&self) -> impl Iterator<Item = Model> {
        models().filter(|model| model.needs.is_none_or(|column| self.has(column)))
    }

    /// Whether lines for this are kept.
    fn keeps(&self, what: &str) -> bool {
        match what {
            "pages" => self.has(Column::Mixed) || self.has(Column::Pinned),
            "bigquery" => self.dialect == Dialect::BigQuery,
            "user" => self.settings.unit == UnitKind::User,
            "session" => self.settings.unit == UnitKind::Session,
            // A column of clicks that no rule asks for is not read.
            "dwell" => self.settings.dwell.is_some(),
            _ => Column::ALL.iter().any(|column| column.name() == what && self.has(*column)),
        }
    }

    /// The lines of a text that are kept, without their marks.
    fn kept_lines(&self, text: &str) -> String {
        let mut kept_text = String::new();
        for line in text.lines() {
            let (line, mark) = match line.rsplit_once(" --[") {
                Some((line, mark)) => (line, mark.strip_suffix(']')),
                None => (line, None),
            };
            let is_kept = mark.is_none_or(|mark| match mark.strip_prefix('!') {
                Some(what) => !self.keeps(what),
                None => self.keeps(mark),
            });
            if is_kept {
                kept_text += line;
                kept_text.push('\n');
            }
        }
        kept_text
    }

    fn body(&self, model: &Model, layout: Layout) -> String {
        let mut text = replace_parts(&self.kept_lines(model.text), "<<", ">>", |what| self.value(what, model, layout));
        if layout == Layout::Script {
            text = replace_parts(&text, "{{ ref('", "') }}", |name| format!("{}.{name}", self.schema));
        }
        text
    }

    /// The replacement for `<<what>>` in a model.
    fn value(&self, what: &str, model: &Model, layout: Layout) -> String {
        let dialect = self.dialect;
        let (keyword, argument) = what.split_once(' ').unwrap_or((what, ""));
        if let Some((name, value)) = self.rules().into_iter().find(|(name, _)| *name == what) {
            return match layout {
                Layout::Script => value,
                Layout::Dbt => format!("{{{{ var('{name}') }}}}"),
            };
        }
        let exploded = || dialect.list_rows(model.list.unwrap_or_default());
        match keyword {
            "text" => dialect.text().to_owned(),
            "epoch" if self.in_milliseconds => format!("cast({argument} as bigint)"),
            "epoch" => dialect.milliseconds(argument),
            "unit" => match self.settings.unit {
                UnitKind::User => "user_id",
                UnitKind::Session => "session_id",
                UnitKind::Impression => "impression_id",
            }
            .to_owned(),
            "present" => dialect.is_list(argument),
            "date" => dialect.date(argument),
            "bytes" => dialect.byte_order(argument),
            "null_text" => format!("cast(null as {})", dialect.text()),
            "null_number" => "cast(null as bigint)".to_owned(),
            "list" => model.list.unwrap_or_default().to_owned(),
            "place" => exploded().place.to_owned(),
            "item" => exploded().item,
            "explode" => exploded().join,
            "is_bot" => is_bot_condition(&self.settings.bots),
            "stated" => (1..)
                .zip(&self.settings.rankers)
                .map(|(seat, name)| format!("\n  union all select {seat}, '{name}'"))
                .collect(),
            "fates" => fate_rows(),
            "source" => match layout {
                Layout::Script => self.table(argument).to_owned(),
                Layout::Dbt => format!("{{{{ source('log', '{argument}') }}}}"),
            },
            _ => unreachable!("models have no other words: a test completes all of them"),
        }
    }

    fn table(&self, which: &str) -> &str {
        &self.tables[usize::from(which == "clicks")]
    }

    /// The rules that are numbers: their names, and their values in SQL.
    fn rules(&self) -> [(&'static str, String); 10] {
        let Settings { window, skew, unit_days, zone, complete, pairs, bots, dwell, .. } = &self.settings;
        let or_null = |limit: Option<i64>| limit.map_or_else(|| "null".to_owned(), |limit| limit.to_string());
        let limit = |limit: Option<u64>| or_null(limit.map(u64::cast_signed));
        let until = match complete {
            LogEnd::LastImpression => None,
            LogEnd::Until(time) => Some(*time),
            // Later than any window ends.
            LogEnd::Final => Some(9_000_000_000_000_000),
        };
        [
            ("window", window.to_string()),
            ("skew", skew.to_string()),
            ("unit_days", unit_days.to_string()),
            // With an offset, days begin so much before midnight in UTC.
            ("zone", (-zone.start(0)).to_string()),
            ("until", or_null(until)),
            ("choice", or_null(pairs.map(|pairs| pairs as i64))),
            ("max_impressions_per_day", limit(bots.max_impressions_per_day)),
            ("max_clicks_per_day", limit(bots.max_clicks_per_day)),
            ("max_clicks_per_impression", limit(bots.max_clicks_per_impression)),
            ("dwell", or_null(*dwell)),
        ]
    }

    fn head(&self) -> String {
        let dialect = self.dialect;
        replace_parts(&self.kept_lines(include_str!("head.sql")), "<<", ">>", |what| match what {
            "dialect" => dialect.name().to_owned(),
            "version_of_program" => env!("CARGO_PKG_VERSION").to_owned(),
            "command" => self.command.clone(),
            "parsed" if dialect.is_run() => String::new(),
            "parsed" => format!(
                "-- The text for {} was only parsed by tests, never run; those for DuckDB and PostgreSQL were run and compared row by row.\n",
                dialect.name()
            ),
            "time" if self.in_milliseconds => "whole milliseconds since 1970".to_owned(),
            "time" => dialect.moment().to_owned(),
            "list" => dialect.list().to_owned(),
            "unowned" if dialect == Dialect::BigQuery => " ('-' where none does)".to_owned(),
            "unowned" => " (null where none does)".to_owned(),
            "schema" => self.schema.clone(),
            _ => self.table(what.split_once(' ').map_or("", |(_, table)| table)).to_owned(),
        })
    }

    fn project_file(&self) -> String {
        let mut text = self.head().replace("-- ", "# ").replace("--\n", "#\n");
        text += "name: click_credit\nversion: '1.0'\nprofile: click_credit\nmodel-paths: [models]\n\
                 models:\n  click_credit:\n    +materialized: table\n";
        if self.dialect == Dialect::Postgres {
            text += "    +post-hook: 'analyze {{ this }}'\n";
        }
        text += "vars:\n";
        for (name, value) in self.rules() {
            let _ = writeln!(text, "  {name}: '{value}'");
        }
        text
    }

    fn sources(&self) -> String {
        let mut text = "version: 2\nsources:\n".to_owned();
        let parts: Vec<Vec<&str>> = self.tables.iter().map(|table| table.split('.').collect()).collect();
        let _ = writeln!(text, "  - name: log");
        if let [.., schema, _] = parts[0][..] {
            let _ = writeln!(text, "    schema: {schema}");
        }
        if let [database, _, _] = parts[0][..] {
            let _ = writeln!(text, "    database: {database}");
        }
        text += "    tables:\n";
        for (name, parts) in ["impressions", "clicks"].into_iter().zip(&parts) {
            let _ = writeln!(text, "      - name: {name}\n        identifier: {}", parts.last().unwrap_or(&""));
        }
        text
    }
}

/// `text` with each part between `open` and `close` replaced by its `value`.
fn replace_parts(text: &str, open: &str, close: &str, mut value: impl FnMut(&str) -> String) -> String {
    let (mut result, mut tail) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = tail.split_once(open)
        && let Some((what, after)) = after.split_once(close)
    {
        result += before;
        result += &value(what);
        tail = after;
    }
    result + tail
}

/// The comments at the head of a text, and the rest.
fn split_comments(text: &str) -> (&str, &str) {
    let length = text.split_inclusive('\n').take_while(|line| line.starts_with("--")).map(str::len).sum();
    text.split_at(length)
}

/// Whether a line is by a bot, from its unit or its agent.
fn is_bot_condition(bots: &Bots) -> String {
    let units = bots.units.iter().map(|name| format!("line.unit = '{name}'"));
    let prefixes = bots
        .unit_prefixes
        .iter()
        .map(|prefix| format!("substr(line.unit, 1, {}) = '{prefix}'", prefix.chars().count()));
    // Every dialect replaces text in the same way, but each searches for it in its own way.
    let agents = bots
        .agents
        .iter()
        .map(|part| format!("replace(lower(line.agent), '{}', '') <> lower(line.agent)", part.to_lowercase()));
    let all: Vec<String> = units.chain(prefixes).chain(agents).collect();
    if all.is_empty() { "1 = 0".to_owned() } else { all.join(" or ") }
}

/// The fates of all kinds of lines, as rows; but for those of logs that grow.
fn fate_rows() -> String {
    let impressions = ImpressionFate::ALL.iter().filter(|fate| **fate != ImpressionFate::Behind);
    let clicks = ClickFate::ALL.iter().filter(|fate| **fate != ClickFate::Behind);
    let fates = impressions
        .map(|fate| ("impression", fate.name()))
        .chain(clicks.map(|fate| ("click", fate.name())))
        .chain(UnitFate::ALL.iter().map(|fate| ("unit", fate.name())))
        .chain([("impression", "after-closing")]);
    let rows: Vec<String> =
        fates.map(|(kind, fate)| format!("\n  select '{kind}' as what, '{fate}' as fate")).collect();
    rows.join(" union all") + "\n"
}
