//! The looks of a decision as a table: a pair, a day, and all counts until then.

use serde::Serialize;
use statistics::Counts;
use times::date;

use super::Decision;

/// A row of the table.
#[derive(Debug, Default, Serialize)]
pub(super) struct LookRow<'a> {
    /// The version of the experiment, where versions have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<&'a str>,
    day: String,
    first: &'a str,
    second: &'a str,
    wins: u64,
    losses: u64,
    ties: u64,
    share: Option<String>,
    low: Option<String>,
    high: Option<String>,
    ln_evidence_first: String,
    ln_evidence_second: String,
    p_value: String,
    verdict: &'static str,
    drifts: bool,
    contradicted: bool,
}

/// The table of these rows.
pub(super) fn look_table<'a>(rows: impl Iterator<Item = LookRow<'a>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut has_rows = false;
    for row in rows {
        has_rows = true;
        writer.serialize(row).expect("a row has one cell per column");
    }
    if !has_rows {
        writer.serialize(LookRow::default()).expect("a row has one cell per column");
    }
    let text = String::from_utf8(writer.into_inner().expect("a vector takes all bytes")).expect("rows are text");
    // Without rows, the header alone.
    let end = if has_rows { text.len() } else { text.find('\n').map_or(0, |end| end + 1) };
    text[..end].to_owned()
}

impl Decision {
    /// Every look as CSV: by pair and day, all counts until then.
    #[must_use]
    pub fn looks_csv(&self) -> String {
        look_table(self.look_rows(None))
    }

    /// The rows of the same, of this version.
    pub(super) fn look_rows<'a>(&'a self, version: Option<&'a str>) -> impl Iterator<Item = LookRow<'a>> {
        self.looks().map(move |look| {
            let Counts { wins, losses, ties } = look.counts;
            let [ln_evidence_first, ln_evidence_second] = look.ln_evidence().map(|evidence| format!("{evidence:.4}"));
            // Rounded outwards, so that an interval excludes one half here, too, exactly if the pair is decided.
            let low = look.interval.map(|(low, _)| format!("{:.6}", libm::floor(1e6 * low) / 1e6));
            let high = look.interval.map(|(_, high)| format!("{:.6}", libm::ceil(1e6 * high) / 1e6));
            LookRow {
                version,
                day: date(look.day),
                first: self.name(look.pair.0),
                second: self.name(look.pair.1),
                wins,
                losses,
                ties,
                share: look.counts.share().map(|share| format!("{share:.6}")),
                low,
                high,
                ln_evidence_first,
                ln_evidence_second,
                p_value: format!("{:.3e}", look.p_value),
                verdict: look.verdict_name(),
                drifts: look.drifts,
                contradicted: look.is_contradicted,
            }
        })
    }
}
