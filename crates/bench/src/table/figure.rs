//! Mean ranks with their intervals, as a forest plot.

use anyhow::Result;
use figures::{Figure, Forest, ForestRow};
use output::numbers::with_unit;

use crate::score::{EntryScore, Scores, TrackScores};

/// The figure of a track.
pub(super) fn ranks(scores: &Scores, track: &TrackScores) -> Result<Figure> {
    let half = track.critical_difference.map(|difference| difference / 2.0);
    let row = |entry: &EntryScore| ForestRow {
        name: entry.name.clone(),
        value: entry.rank,
        inner: entry.interval,
        outer: half.map(|half| ((entry.rank - half).min(entry.interval.0), (entry.rank + half).max(entry.interval.1))),
        text: format!("{:.1}", entry.rank),
    };
    let thin = match track.critical_difference {
        Some(difference) => {
            format!(
                "; thin: half the critical difference of {difference:.1}; lines that overlap could change places on other problems"
            )
        }
        None => String::new(),
    };
    Forest {
        title: format!("{}, track {}", scores.bench, track.track),
        subtitle: Some(format!(
            "mean rank over {}, {} each; less is better",
            with_unit(track.problems.len() as u64, "problem"),
            with_unit(track.runs, "run")
        )),
        x_label: "mean rank".to_owned(),
        rows: track.ranked.iter().map(row).collect(),
        note: Some(format!("thick: 95% intervals of the runs{thin}")),
        ..Forest::default()
    }
    .render()
}
