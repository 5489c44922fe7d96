//! Conversions of a log: their part of a summary, and their table read back.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use output::checksum::sha256_hex;
use output::input;
use output::usage::usage;
use serde_json::{Value, json};
use verdicts::PairChoice;
use verdicts::conversions::{ConversionCounts, ConversionDay, Conversions, DRAFT_COLUMNS};
use verdicts::draft::DraftSums;
use verdicts::outcomes::{Day, VERSION};

use super::table;
use crate::join::{ConversionFate, CreditedConversions};
use crate::model::Primary;

/// The name of the table.
pub const CONVERSIONS_FILE: &str = "conversions.csv";
/// A larger table is invalid.
const MAX_BYTES: u64 = 1 << 30;

/// Fates of the lines of conversions: name, count and meaning of each.
pub(super) fn fates(credited: &CreditedConversions) -> impl Iterator<Item = (&'static str, u64, &'static str)> {
    let mut counts = [0; ConversionFate::ALL.len()];
    credited.fates.iter().for_each(|(.., fate)| counts[*fate as usize] += 1);
    ConversionFate::ALL.iter().zip(counts).map(|(fate, count)| (fate.name(), count, fate.meaning()))
}

/// The part of a summary on conversions.
#[must_use]
pub fn summary(conversions: &CreditedConversions) -> Value {
    let mut summary = conversions.rules.description();
    summary["checksum"] = sha256_hex(&conversions.conversions.to_csv()).into();
    summary["lines"] = conversions.fates.len().into();
    summary["open_units"] = conversions.open.into();
    summary["have_values"] = conversions.has_values.into();
    summary["cap"] = conversions.conversions.cap.into();
    summary
}

/// Warnings about conversions, from a summary.
pub(super) fn warnings(summary: &Value) -> Vec<String> {
    let fates = &summary["fates"]["conversions"];
    let Some(lines) = summary["conversions"]["lines"].as_u64() else { return Vec::new() };
    let of = |fate: ConversionFate| fates[fate.name()].as_u64().unwrap_or(0);
    let share = |count: u64| format!("{:.1}%", 100.0 * count as f64 / lines.max(1) as f64);
    let mut messages = Vec::new();
    if summary["pairs"] == PairChoice::Steered.name() {
        messages.push(
            "Pairs were steered, so what users saw while their orders counted follows from what was learnt: a verdict on conversions leans to \
             the ranker that led. Let users keep their rankers (--pairs kept)."
                .to_owned(),
        );
    }
    let other = of(ConversionFate::OtherAction);
    if lines > 0 && other == lines {
        messages.push("No conversion counts: all have another action than those of --outcome-actions.".to_owned());
    }
    let unknown = of(ConversionFate::UnknownUnit);
    if 2 * unknown > lines {
        messages.push(format!(
            "{} of the conversions are of users who saw no list that counts. If the shop writes ids of users in another way than the search \
             page, no verdict on conversions holds.",
            share(unknown)
        ));
    }
    let (known, not_shown) =
        (of(ConversionFate::Credited) + of(ConversionFate::NotShown), of(ConversionFate::NotShown));
    if known > 0 && 10 * not_shown > 9 * known {
        messages.push(format!(
            "{} of the conversions are on documents that their users were not shown. If orders write ids of documents in another way than \
             lists, such as those of variants, no verdict on conversions holds.",
            share(not_shown)
        ));
    }
    messages
}

/// The measure that decides, from a summary; clicks if there are no conversions.
#[must_use]
pub fn primary(summary: &Value) -> Primary {
    let name = summary["conversions"]["primary"].as_str();
    Primary::ALL.into_iter().find(|primary| Some(primary.name()) == name).unwrap_or_default()
}

/// The conversions in a folder that `credit` wrote, with `rankers` in the order of its results and its valid summary; `None` if there
/// are none.
///
/// # Errors
/// If their table cannot be read, or is not the one that the summary describes.
pub fn read_conversions(folder: &Path, rankers: &[String], summary: &Value) -> Result<Option<Conversions>> {
    let Some(text) = conversions_text(folder, summary)? else { return Ok(None) };
    let path = folder.join(CONVERSIONS_FILE);
    conversions_of_text(&text, rankers, summary).with_context(|| path.display().to_string()).map(Some)
}

/// The text of the table of conversions in a folder; `None` if there is none.
///
/// # Errors
/// As [`read_conversions`].
pub fn conversions_text(folder: &Path, summary: &Value) -> Result<Option<String>> {
    let path = folder.join(CONVERSIONS_FILE);
    if !path.exists() {
        return Ok(None);
    }
    let text = input::read_text(&path, MAX_BYTES).with_context(|| path.display().to_string())?;
    if summary["conversions"]["checksum"].as_str() != Some(&*sha256_hex(&text)) {
        return Err(usage(format!(
            "{}: the summary beside it is missing or describes another table, so that what decides and the cap are not known; run \
             `click-logs credit` again, or decide that table alone",
            path.display()
        )));
    }
    Ok(Some(text))
}

/// The conversions of a table, with `rankers` in the order of results and the summary beside it.
///
/// # Errors
/// If it is not such a table.
pub fn conversions_of_text(text: &str, rankers: &[String], summary: &Value) -> Result<Conversions> {
    parse(text, rankers, summary["conversions"]["cap"].as_u64())
}

/// The whole number in a column of a row.
fn whole_number<N>(row: &BTreeMap<String, String>, name: &str) -> Result<N>
where
    N: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text = row.get(name).with_context(|| format!("no column {name}"))?;
    text.trim().parse().with_context(|| format!("`{name}` is `{text}`, not a whole number"))
}

/// The conversions of a table as [`Conversions::to_csv`] writes it.
fn parse(text: &str, rankers: &[String], cap: Option<u64>) -> Result<Conversions> {
    let outcomes = table::read(text, rankers)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let has_draft = reader.headers()?.iter().any(|name| name == DRAFT_COLUMNS[0]);
    let mut rows = BTreeMap::new();
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row?;
        let field = |name: &str| row.get(name).cloned().unwrap_or_default();
        rows.insert((field(VERSION), field("day"), [field("first"), field("second")]), row);
    }
    let mut days = Vec::with_capacity(outcomes.days.len());
    for Day { version, day, pair, counts } in outcomes.days {
        let names = [pair.0, pair.1].map(|ranker| outcomes.rankers[ranker].clone());
        let (version_name, date) = (outcomes.versions[version].clone().unwrap_or_default(), times::date(day));
        let row = |[first, second]: [&String; 2]| {
            rows.get(&(version_name.clone(), date.clone(), [first.clone(), second.clone()]))
        };
        let (row, is_swapped) = match row([&names[0], &names[1]]) {
            Some(row) => (row, false),
            None => (row([&names[1], &names[0]]).context("a row is missing")?, true),
        };
        let number = |name: &str| whole_number::<u128>(row, name);
        let squares = number("value_squares")?;
        let signed = |name: &str| whole_number::<i128>(row, name);
        let draft = if has_draft {
            let [sum, squares, products] = DRAFT_COLUMNS;
            DraftSums {
                sum: i64::try_from(signed(sum)?)?,
                squares: u64::try_from(signed(squares)?)?,
                products: signed(products)?,
            }
        } else {
            DraftSums::default()
        };
        let number = |name: &str| -> Result<u64> { Ok(u64::try_from(number(name)?)?) };
        let units = if is_swapped { counts.units.swapped() } else { counts.units };
        let counts = ConversionCounts {
            units,
            conversions: [number("first_conversions")?, number("second_conversions")?],
            value: [number("first_value")?, number("second_value")?],
            cut_units: number("cut_units")?,
            cut: number("cut_value")?,
            squares,
            draft,
        };
        if let Some(fault) = counts.fault(cap) {
            anyhow::bail!("{} and {} on {date}: {fault}", names[0], names[1]);
        }
        days.push(ConversionDay { version, day, pair, counts: if is_swapped { counts.swapped() } else { counts } });
    }
    Ok(Conversions { rankers: outcomes.rankers, versions: outcomes.versions, days, cap, has_draft })
}

/// The rules that were fixed in advance, for decision.json.
#[must_use]
pub fn rules(summary: &Value) -> Value {
    let conversions = &summary["conversions"];
    json!({
        "attribution": conversions["attribution"],
        "days": conversions["days"],
        "currency": conversions["currency"],
        "cap": conversions["cap"],
        "primary": conversions["primary"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdicts::conversions::UnitConversions;
    use verdicts::draft::UnitDraft;

    #[test]
    fn steered_pairs_are_said() {
        let of = |pairs: &str| warnings(&json!({"pairs": pairs, "conversions": {"lines": 3}, "fates": {}}));
        assert_eq!((of("chance"), of("kept")), (vec![], vec![]));
        assert!(of("steered")[0].starts_with("Pairs were steered, so what users saw"), "{:?}", of("steered"));
        assert_eq!(warnings(&json!({"pairs": "steered"})), [""; 0], "without conversions");
    }

    #[test]
    fn conversions_survive_their_table() {
        let (mut counts, mut draft) = (ConversionCounts::default(), UnitDraft::default());
        for unit in [([1, 0], [500, 0]), ([0, 2], [0, 9_000]), ([0, 0], [0, 0])] {
            draft.add(-417);
            counts.record(UnitConversions { count: unit.0, value: unit.1 }, draft, Some(1_000));
        }
        let day = |version, pair| ConversionDay { version, day: 20_780 + version as i32, pair, counts };
        let conversions = Conversions {
            rankers: ["b,c", "a"].map(str::to_owned).to_vec(),
            versions: vec![None, Some("s@2".to_owned())],
            days: vec![day(0, (0, 1)), day(1, (0, 1))],
            cap: Some(1_000),
            has_draft: true,
        };
        let text = conversions.to_csv();
        assert_eq!(parse(&text, &conversions.rankers, Some(1_000)).unwrap(), conversions);
        let turned = parse(&text, &[], Some(1_000)).unwrap();
        assert_eq!((turned.rankers[0].as_str(), turned.days[0].counts), ("a", counts.swapped()));
        assert!(parse(&text, &[], None).is_err());
        let mut plain = Conversions { has_draft: false, ..conversions };
        let text = plain.to_csv();
        plain.days.iter_mut().for_each(|day| day.counts.draft = DraftSums::default());
        assert!(!text.contains("draft"));
        assert_eq!(parse(&text, &plain.rankers, Some(1_000)).unwrap(), plain);
    }
}
