//! How well judges distinguish competitors, as a table.

use board::{Discrimination, JudgeSlope};
use output::numbers::with_separators;
use output::text_table::annotated::AnnotatedTable;

/// The most discriminating first.
pub(super) fn table(discrimination: &Discrimination) -> AnnotatedTable {
    let columns = [("judge", false), ("units", true), ("slope", true), ("95% interval", true)];
    let row = |one: &JudgeSlope| {
        let interval = format!("{:.2}–{:.2}", one.interval[0], one.interval[1]);
        vec![one.judge.clone(), with_separators(one.units), format!("{:.2}", one.slope), interval]
    };
    let notes = vec![format!(
        "Slope: what differences of strengths count times for a judge; 1 is the average judge, 0 guesses. Their logarithms have a standard \
         deviation of {:.2}, as learnt, by which slopes of judges with few units are drawn towards 1",
        discrimination.spread
    )];
    AnnotatedTable::terminal_text(columns, discrimination.judges.iter().map(row), notes)
}

/// The same with all digits, for programs.
pub(super) fn csv(discrimination: &Discrimination) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["judge", "units", "slope", "ln_error", "low", "high"])?;
    for judge in &discrimination.judges {
        let numbers =
            [judge.slope, judge.ln_error, judge.interval[0], judge.interval[1]].map(|value| value.to_string());
        writer.write_record([judge.judge.clone(), judge.units.to_string()].into_iter().chain(numbers))?;
    }
    Ok(writer.into_inner().map_err(|error| error.into_error())?)
}
