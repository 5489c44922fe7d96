//! `click-logs sql`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use desk::print::text;
use output::results_folder::{ExistingResults, ResultsFolder};
use output::usage::usage;
use serde_json::json;
use times::duration_text;

use super::rules::Rules;
use crate::model::{LogEnd, Settings};
use crate::sql::{Column, Dialect, Warehouse};

/// Print what `credit` does as SQL, for logs of team draft that are in a data warehouse
///
/// The text is plain: a table of rules, models that read your two tables, and the tables of outcomes and fates with the numbers of
/// `credit`. Its first lines say which columns it reads, and which `credit` command it equals. Receipts, and so other methods, cannot be
/// credited in SQL.
#[derive(Debug, Args)]
pub(super) struct Sql {
    /// The dialect; DuckDB and PostgreSQL are tested row by row, the others were only parsed
    #[arg(long, value_enum)]
    dialect: Dialect,
    /// The table of lists that were shown
    #[arg(long, value_name = "TABLE", default_value = "impressions")]
    impressions: String,
    /// The table of clicks on them
    #[arg(long, value_name = "TABLE", default_value = "clicks")]
    clicks: String,
    /// The schema for the tables that it writes
    #[arg(long, value_name = "NAME", default_value = "click_credit")]
    schema: String,
    /// Further columns that these tables have
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    columns: Vec<Column>,
    /// Times are whole milliseconds since 1970, not timestamps
    #[arg(long)]
    milliseconds: bool,
    #[command(flatten)]
    rules: Rules,
    /// Write a project of dbt to the folder of --out
    #[arg(long, requires = "out")]
    dbt: bool,
    /// The folder of the project
    #[arg(long, value_name = "FOLDER", requires = "dbt")]
    out: Option<PathBuf>,
    /// Move an earlier project in the folder aside
    #[arg(long, requires = "out")]
    replace: bool,
}

impl Sql {
    pub(super) fn run(self) -> Result<()> {
        let settings = self.rules.settings()?;
        let warehouse = Warehouse {
            dialect: self.dialect,
            command: command(&settings, self.rules.bots.as_ref().map(|path| path.display().to_string())),
            tables: [self.impressions, self.clicks],
            schema: self.schema,
            columns: self.columns,
            in_milliseconds: self.milliseconds,
            settings,
        };
        if let Err(message) = warehouse.check() {
            bail!(usage(message));
        }
        let Some(out) = &self.out else {
            text(&warehouse.script());
            return Ok(());
        };
        let config = json!({
            "command": "click-logs sql --dbt",
            "dialect": warehouse.dialect.name(),
            "tables": warehouse.tables,
            "credit": warehouse.command,
        });
        let folder = ResultsFolder::claim(out, &config, ExistingResults::from_flag(self.replace))?;
        folder.write(&config, || {
            for (path, content) in warehouse.project() {
                if let Some((parent, _)) = path.rsplit_once('/') {
                    output::create_folder(&folder.join(parent))?;
                }
                super::write(folder.path(), &path, &content)?;
            }
            Ok(())
        })
    }
}

/// The command that counts the same from files.
fn command(settings: &Settings, bots: Option<String>) -> String {
    let mut arguments = vec![
        "click-logs credit --impressions impressions.jsonl --clicks clicks.jsonl".to_owned(),
        format!("--unit {}", settings.unit.name()),
        format!("--unit-days {}", settings.unit_days),
        format!("--window {}", duration_text(settings.window)),
        format!("--skew {}", duration_text(settings.skew)),
        format!("--timezone {}", settings.zone.text()),
    ];
    arguments.extend(settings.dwell.map(|dwell| format!("--dwell {}", duration_text(dwell))));
    arguments.extend(match settings.complete {
        LogEnd::LastImpression => None,
        LogEnd::Until(time) => Some(format!("--until {}", times::text(time))),
        LogEnd::Final => Some("--final".to_owned()),
    });
    arguments.extend(bots.map(|path| format!("--bots '{path}'")));
    arguments.extend(settings.pairs.map(|pairs| format!("--pairs {}", pairs.name())));
    if !settings.rankers.is_empty() {
        let names = settings
            .rankers
            .iter()
            .map(|name| if name.contains([',', '"']) { format!("\"{name}\"") } else { name.clone() });
        arguments.push(format!("--rankers '{}'", names.collect::<Vec<_>>().join(",")));
    }
    arguments.join(" ")
}
