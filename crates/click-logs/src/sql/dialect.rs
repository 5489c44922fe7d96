//! Where dialects of SQL differ: types, times, dates, and lists as rows.

use clap::ValueEnum;

/// A dialect of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    /// DuckDB
    #[value(name = "duckdb")]
    DuckDb,
    /// PostgreSQL 14 or newer
    Postgres,
    /// BigQuery
    #[value(name = "bigquery")]
    BigQuery,
    /// Snowflake
    Snowflake,
    /// Databricks, and Spark
    Databricks,
    /// Amazon Redshift
    Redshift,
}

/// Lists as rows: the SQL after the table `line`, and in each row the place from 1 and the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListRows {
    pub(super) join: String,
    pub(super) place: &'static str,
    pub(super) item: String,
}

impl Dialect {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DuckDb => "DuckDB",
            Self::Postgres => "PostgreSQL",
            Self::BigQuery => "BigQuery",
            Self::Snowflake => "Snowflake",
            Self::Databricks => "Databricks",
            Self::Redshift => "Redshift",
        }
    }

    /// Whether tests run its SQL, and compare each row with the result of `credit`.
    #[must_use]
    pub fn is_run(self) -> bool {
        matches!(self, Self::DuckDb | Self::Postgres)
    }

    /// The type of text.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Postgres => "text",
            Self::BigQuery | Self::Databricks => "string",
            Self::DuckDb | Self::Snowflake | Self::Redshift => "varchar",
        }
    }

    /// The type of a list of text.
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::DuckDb => "varchar[]",
            Self::Postgres => "text[]",
            Self::BigQuery | Self::Databricks => "array<string>",
            Self::Snowflake => "array",
            Self::Redshift => "super",
        }
    }

    /// The type of a moment.
    pub(super) fn moment(self) -> &'static str {
        match self {
            Self::Postgres | Self::DuckDb => "timestamptz, or timestamp in UTC",
            Self::Snowflake => "timestamp_tz, or timestamp_ntz in UTC",
            Self::BigQuery | Self::Databricks => "timestamp",
            Self::Redshift => "timestamp in UTC",
        }
    }

    /// A moment in milliseconds since 1970.
    pub(super) fn milliseconds(self, column: &str) -> String {
        match self {
            Self::DuckDb => format!("epoch_ms({column})"),
            Self::Postgres => format!("cast(floor(extract(epoch from {column}) * 1000) as bigint)"),
            Self::BigQuery | Self::Databricks => format!("unix_millis({column})"),
            Self::Snowflake => format!("date_part(epoch_millisecond, {column})"),
            Self::Redshift => format!("datediff(millisecond, timestamp '1970-01-01 00:00:00', {column})"),
        }
    }

    /// The date of a number of days since 1970.
    pub(super) fn date(self, days: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("date '1970-01-01' + cast({days} as integer)"),
            Self::BigQuery => format!("date_from_unix_date({days})"),
            Self::Databricks => format!("date_from_unix_date(cast({days} as int))"),
            Self::Snowflake => format!("dateadd(day, {days}, date '1970-01-01')"),
            Self::Redshift => format!("cast(dateadd(day, cast({days} as integer), date '1970-01-01') as date)"),
        }
    }

    /// Text to be ordered by its bytes, as `credit` orders names.
    pub(super) fn byte_order(self, column: &str) -> String {
        match self {
            Self::Postgres => format!("{column} collate \"C\""),
            _ => column.to_owned(),
        }
    }

    /// Whether a column holds a list.
    pub(super) fn is_list(self, column: &str) -> String {
        match self {
            // A column of lists has no nulls: it has empty lists.
            Self::BigQuery => format!("array_length({column}) > 0"),
            _ => format!("{column} is not null"),
        }
    }

    /// The entries of a list of the table `line` as rows.
    pub(super) fn list_rows(self, list: &str) -> ListRows {
        let text = self.text();
        let (join, place, item) = match self {
            Self::DuckDb => (
                format!(
                    "\ncross join lateral (\n  select unnest(line.{list}) as item, generate_subscripts(line.{list}, 1) as place\n) \
                     as entry"
                ),
                "entry.place",
                "entry.item".to_owned(),
            ),
            Self::Postgres => (
                format!("\ncross join lateral unnest(line.{list}) with ordinality as entry(item, place)"),
                "entry.place",
                "entry.item".to_owned(),
            ),
            Self::BigQuery => {
                (format!("\ncross join unnest(line.{list}) as item with offset as place_from_0"), "place_from_0 + 1", {
                    // Nor have lists.
                    if list == "teams" { "nullif(item, '-')".to_owned() } else { "item".to_owned() }
                })
            }
            Self::Snowflake => (
                format!(",\n  lateral flatten(input => line.{list}) as entry"),
                "entry.index + 1",
                "entry.value".to_owned(),
            ),
            Self::Databricks => (
                format!("\nlateral view posexplode(line.{list}) entry as place_from_0, item"),
                "entry.place_from_0 + 1",
                "entry.item".to_owned(),
            ),
            Self::Redshift => {
                (format!(",\n  line.{list} as item at place_from_0"), "place_from_0 + 1", "item".to_owned())
            }
        };
        ListRows { join, place, item: format!("nullif(cast({item} as {text}), '')") }
    }
}
