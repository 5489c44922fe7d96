//! The results of `click-logs decide`: the share of wins until each day, with its confidence sequence.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use figures::{Curve, CurvePoint, Panel, Panels};
use output::numbers::with_unit;
use output::usage::usage;
use output::{input, path_error};
use serde_json::Value;
use studies::results::{notes, palette};
use times::{date, day_of_date};

use super::Request;
use super::table::Table;

/// The table of `click-logs decide --out`.
pub(super) const WIN_RATE_FILE: &str = "win-rate.csv";
/// The verdict beside it.
const DECISION_FILE: &str = "decision.json";

/// Shares of wins by day.
pub(super) struct WinRates {
    /// Looks by version and pair, in the order of the table.
    pairs: Vec<(Pair, Vec<Look>)>,
    note: Option<String>,
}

/// A version of the experiment, where there are several, and the two rankers.
type Pair = (String, String, String);

/// The evidence after a day.
struct Look {
    /// Since 1970-01-01.
    day: i32,
    share: f64,
    /// The confidence sequence; empty where no share fits all days or nothing is claimed.
    interval: Option<(f64, f64)>,
    /// Whether outcomes since a verdict point the other way.
    is_contradicted: bool,
}

impl WinRates {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(WIN_RATE_FILE);
        let bytes =
            input::read_file(&path, input::MAX_RESULT_BYTES).map_err(|error| path_error(error, "read", &path))?;
        let pairs = looks(&bytes).with_context(|| format!("{} cannot be drawn", path.display()))?;
        ensure!(
            !pairs.is_empty(),
            "{} has no day on which a ranker won; `click-logs decide` says what is missing",
            path.display()
        );
        let decision = super::study::read_json(&folder.join(DECISION_FILE))?;
        let synthetic = decision.get("synthetic").and_then(Value::as_bool).unwrap_or(false);
        // Warnings are spelled out where there is room for sentences.
        let warnings = decision.get("warnings").and_then(Value::as_array).map_or(0, Vec::len);
        let is_contradicted = |(_, looks): &(Pair, Vec<Look>)| looks.last().is_some_and(|look| look.is_contradicted);
        let note = notes([
            pairs
                .iter()
                .any(is_contradicted)
                .then(|| "later outcomes contradict a verdict: read decision.txt".to_owned()),
            synthetic.then(|| "synthetic data: the log was simulated".to_owned()),
            (warnings > 0).then(|| format!("mind {} in decision.txt", with_unit(warnings as u64, "warning"))),
        ]);
        Ok(Self { pairs, note })
    }

    pub(super) fn figure(&self, request: &Request) -> Result<Panels> {
        let refused_options =
            [(request.x.is_some() || request.y.is_some(), "--axes"), (request.bands.is_some(), "--spread")];
        for (refused_options, flag) in refused_options {
            ensure!(
                !refused_options,
                usage(format!(
                    "{flag} does not go with win rates: days and shares have linear axes, and bands are their confidence sequences"
                ))
            );
        }
        let panels = self.pairs.iter().map(|((version, first, second), looks)| {
            let start = looks[0].day;
            let points = looks.iter().map(|look| {
                let (low, high) = look.interval.unwrap_or((look.share, look.share));
                CurvePoint { x: f64::from(look.day - start), mean: look.share, low, high }
            });
            let name = match (self.pairs.len(), version.as_str()) {
                (1, _) => String::new(),
                (_, "") => format!("{first} over {second}"),
                _ => format!("{version}: {first} over {second}"),
            };
            let last_day = f64::from(looks[looks.len() - 1].day - start);
            let even_line = [0.0, last_day].map(|x| CurvePoint::exact(x, 0.5)).to_vec();
            Panel {
                name,
                x_label: format!("days since {}", date(start)),
                y_label: "share of wins".to_owned(),
                curves: vec![
                    Curve { name: "share of wins".to_owned(), points: points.collect() },
                    Curve { name: "neither is better".to_owned(), points: even_line },
                ],
                ..Panel::default()
            }
        });
        Ok(Panels {
            title: match self.pairs.as_slice() {
                [((_, first, second), _)] => format!("Share of wins of {first} over {second}"),
                _ => "Share of wins".to_owned(),
            },
            subtitle: Some("bands: confidence sequences, which hold at all looks together".to_owned()),
            panels: panels.collect(),
            palette: palette(),
            note: self.note.clone(),
            ..Panels::default()
        })
    }
}

/// The looks in the bytes of `win-rate.csv`, by version and pair. Days without a decided unit are left out.
fn looks(bytes: &[u8]) -> Result<Vec<(Pair, Vec<Look>)>> {
    let mut table = Table::open(bytes)?;
    let columns = ["day", "first", "second", "share", "low", "high", "contradicted"].map(|name| table.column(name));
    let [day, first, second, share, low, high, contradicted] = columns;
    let (day, first, second, share, low, high) = (day?, first?, second?, share?, low?, high?);
    let contradicted = contradicted?;
    let version = table.find_column("version");
    let mut pairs: Vec<(Pair, Vec<Look>)> = Vec::new();
    let mut pair_positions: BTreeMap<Pair, usize> = BTreeMap::new();
    while let Some(row) = table.next()? {
        if row.cell(share).is_empty() {
            continue;
        }
        let probability = |text: &str| text.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
        let number = |column: usize| row.value(column, "a share from 0 to 1", probability);
        let look = Look {
            day: row.value(day, "a date such as 2026-11-02", day_of_date)?,
            share: number(share)?,
            interval: if row.cell(low).is_empty() { None } else { Some((number(low)?, number(high)?)) },
            is_contradicted: row.value(contradicted, "true or false", |text| text.parse().ok())?,
        };
        let text = |column: usize| row.cell(column).to_owned();
        let pair = (version.map(text).unwrap_or_default(), text(first), text(second));
        let position = *pair_positions.entry(pair.clone()).or_insert(pairs.len());
        if position == pairs.len() {
            pairs.push((pair, Vec::new()));
        }
        ensure!(
            pairs[position].1.last().is_none_or(|last| last.day < look.day),
            "line {}: {} comes after a later day; run `click-logs decide` again",
            row.line,
            date(look.day)
        );
        pairs[position].1.push(look);
    }
    Ok(pairs)
}
