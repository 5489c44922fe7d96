//! `click-logs verify`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use desk::failure::FAILED;
use desk::println;
use output::numbers::with_unit;
use output::usage::usage;
use ranktypes::text::excerpt;

use super::detail::UNITS;
use crate::join::UnitFate;

/// Compare outcomes of units that something else counted, such as SQL, with those of `credit`, row by row
///
/// Names the first unit that differs, with its day and fate. Exits with 1 if one does.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// A table in CSV with a row per unit and pair: unit (or user), day, first, second, and outcome (1 if the first won, -1 if the
    /// second did, 0) or net; fate and version if it has them. Without fates, its rows are units that count
    #[arg(value_name = "TABLE")]
    table: PathBuf,
    /// A folder that `credit --detail` wrote
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// A unit, a version, and a pair, the name that sorts first before the other.
type Key = (String, String, [String; 2]);

/// A table's row for a unit, a version and a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UnitRow {
    day: String,
    /// 1, 0 or -1, by the order of the pair in its key.
    outcome: i8,
    fate: String,
}

/// The rows of a table.
#[derive(Debug, Default)]
struct Rows {
    has_fates: bool,
    has_versions: bool,
    rows: BTreeMap<Key, UnitRow>,
}

impl Verify {
    /// Compares; returns the exit code.
    pub(super) fn run(self) -> Result<u8> {
        let path = self.folder.join(UNITS);
        if !self.folder.is_dir() {
            let (folder, table) = (self.folder.display(), self.table.display());
            bail!(usage(format!(
                "{folder} is not a folder; name the table first, then the folder that `click-logs credit --detail` wrote: \
                 click-logs verify {table} FOLDER"
            )));
        }
        if !path.exists() {
            let folder = self.folder.display();
            bail!(usage(format!("{folder} has no {UNITS}; pass --detail to `click-logs credit`")));
        }
        let mut ours = Rows::read(&path)?;
        let theirs = Rows::read(&self.table)?;
        if !theirs.has_fates {
            ours.rows.retain(|_, said| said.fate == UnitFate::Counted.name());
        }
        if !theirs.has_versions {
            ours = ours.without_versions(&self.table)?;
        }
        let keys: BTreeSet<&Key> = ours.rows.keys().chain(theirs.rows.keys()).collect();
        if keys.is_empty() {
            bail!("neither {} nor {} has a unit that counts", self.table.display(), path.display());
        }
        let differs = |key: &&&Key| ours.rows.get(**key) != theirs.rows.get(**key);
        let different: Vec<&Key> = keys.iter().filter(differs).copied().collect();
        let units =
            |keys: &mut dyn Iterator<Item = &Key>| keys.map(|(unit, ..)| unit).collect::<BTreeSet<_>>().len() as u64;
        let all = units(&mut keys.iter().copied());
        let Some(first) = different.first() else {
            println!("Equal: {} of {}.", with_unit(keys.len() as u64, "row"), with_unit(all, "unit"));
            return Ok(0);
        };
        let count = units(&mut different.iter().copied());
        println!("{count} of {} differ.", with_unit(all, "unit"));
        let (unit, version, [one, other]) = first;
        let version = if version.is_empty() { String::new() } else { format!(" in version {version}") };
        let of =
            |said: Option<&UnitRow>| said.map_or_else(|| "has no such row".to_owned(), |said| said.text(one, other));
        println!("The first: unit {unit}, {one} and {other}{version}.");
        println!("{} {}.", self.table.display(), of(theirs.rows.get(*first)));
        println!("`credit` {}.", of(ours.rows.get(*first)));
        Ok(FAILED)
    }
}

impl UnitRow {
    fn text(&self, first: &str, second: &str) -> String {
        let Self { day, outcome, fate } = self;
        match outcome {
            _ if first.is_empty() => format!("has no outcome on {day}, {fate}"),
            1 => format!("has a win of {first} on {day}, {fate}"),
            -1 => format!("has a win of {second} on {day}, {fate}"),
            _ => format!("has a tie on {day}, {fate}"),
        }
    }
}

impl Rows {
    fn read(path: &Path) -> Result<Self> {
        let name = || path.display().to_string();
        let file = output::input::open(path).with_context(name)?;
        let mut table = csv::Reader::from_reader(file);
        let header = table.headers().with_context(name)?.clone();
        let place = |names: &[&str]| header.iter().position(|column| names.contains(&column.trim()));
        let needed = |names: &[&str]| {
            place(names).ok_or_else(|| {
                let columns = header.iter().collect::<Vec<_>>().join(", ");
                usage(format!("{}: expected a column `{}`, found {columns}", name(), names.join("` or `")))
            })
        };
        let (unit, day) = (needed(&["unit", "user", "user_id"])?, needed(&["day"])?);
        let (first, second) = (needed(&["first"])?, needed(&["second"])?);
        let outcome = needed(&["outcome", "net"])?;
        let [fate, version] = [place(&["fate"]), place(&["version"])];
        let mut rows = Self { has_fates: fate.is_some(), has_versions: version.is_some(), ..Self::default() };
        for record in table.records() {
            let record = record.with_context(name)?;
            let line = record.position().map_or(0, csv::Position::line);
            let at = |place: usize| record.get(place).unwrap_or_default().trim().to_owned();
            let wrong = |what: String| usage(format!("{}:{line}: {what}", name()));
            let text = at(outcome);
            let net: f64 = match text.as_str() {
                "" if at(first).is_empty() => 0.0,
                _ => {
                    let net = text.parse().ok().filter(|net: &f64| net.is_finite());
                    net.ok_or_else(|| {
                        wrong(format!("expected an outcome such as -1, 0 or 1, found {}", excerpt(&text)))
                    })?
                }
            };
            let outcome = if net > 0.0 { 1 } else { -i8::from(net < 0.0) };
            let (pair, outcome) = match [at(first), at(second)] {
                [first, second] if first <= second => ([first, second], outcome),
                [first, second] => ([second, first], -outcome),
            };
            // Days of timestamps begin with the day.
            let day: String = at(day).chars().take(10).collect();
            let fate = fate.map_or_else(|| UnitFate::Counted.name().to_owned(), at);
            let key = (at(unit), version.map(at).unwrap_or_default(), pair);
            if let Some(before) = rows.rows.insert(key, UnitRow { day, outcome, fate }) {
                bail!(wrong(format!("unit `{}` has a row of this pair before, of {}", at(unit), before.day)));
            }
        }
        Ok(rows)
    }

    /// The same rows without versions, for the table `other`, which has none.
    fn without_versions(self, other: &Path) -> Result<Self> {
        let versions: BTreeSet<&String> = self.rows.keys().map(|(_, version, _)| version).collect();
        if versions.len() > 1 {
            let (other, count) = (other.display(), versions.len());
            bail!(usage(format!("{other}: expected a column `version`, because the log has {count} of them")));
        }
        let rows = self.rows.into_iter().map(|((unit, _, pair), said)| ((unit, String::new(), pair), said));
        Ok(Self { rows: rows.collect(), ..self })
    }
}
