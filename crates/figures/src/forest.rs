//! Estimates with their intervals, one row each: a forest plot.

use anyhow::{Result, ensure};

use crate::canvas::{Align, Frame, MUTED, Rgb};
use crate::page::{HEIGHT, Page, Style, TICK_SIZE, WIDTH, width};
use crate::scale::Axis;
use crate::text::{EDGE, axis_title, cut, footer, header};
use crate::{Figure, Forest, ForestRow};

/// Blue, of Okabe and Ito.
pub(super) const COLOR: Rgb = (0, 114, 178);
/// Lighter, for the thin line.
pub(super) const THIN: Rgb = (140, 180, 210);
/// The size of the head of an arrow, in units of the page.
const ARROW: f64 = 7.0;
/// The height of a row, in units of the page.
const ROW: f64 = 26.0;
/// The height of a row where there are few.
const FEW: f64 = 46.0;
/// The greatest length of a name.
const NAME_ROOM: f64 = 300.0;
/// The length of what stands beside a row.
const TEXT_ROOM: f64 = 190.0;
const SIZE: u32 = 17;

pub(super) fn render(forest: &Forest) -> Result<Figure> {
    check(forest)?;
    // Headline, subtitle, axis and footnote take some 210 units. A few rows have more room each.
    let rows = forest.rows.len() as f64;
    let mut page = Page::of_height((210.0 + FEW * rows).min(HEIGHT).max(210.0 + ROW * rows));
    let top = header(&mut page, &forest.title, forest.subtitle.as_deref());
    let below = footer(&mut page, forest.note.as_deref());
    let values = forest.rows.iter().flat_map(|row| {
        let outer = row.outer.unwrap_or(row.inner);
        [row.value, row.inner.0, row.inner.1, outer.0, outer.1]
    });
    let values = values.filter(|value| value.is_finite());
    let axis = if forest.close { Axis::close(values) } else { Axis::linear(values, false) };
    let frame =
        Frame { left: EDGE + NAME_ROOM + 12.0, right: WIDTH - EDGE - TEXT_ROOM, top: top + 4.0, bottom: below - 58.0 };
    let x = |value: f64| {
        let share = (value.clamp(axis.lo, axis.hi) - axis.lo) / (axis.hi - axis.lo);
        frame.left + share * (frame.right - frame.left)
    };
    for (value, label) in axis.ticks().into_iter().zip(axis.labels()) {
        page.stroke(&[(x(value), frame.top), (x(value), frame.bottom)], (232, 232, 232), 1.0);
        page.text(x(value), frame.bottom + 24.0, &label, Style::new(TICK_SIZE, Align::Middle));
    }
    page.stroke(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], MUTED, 1.0);
    axis_title(&mut page, &forest.x_label, (frame.left, frame.right), frame.bottom + 50.0, Align::Middle);
    let short = |text: &str, room: f64| cut(text, room, |text| width(text, SIZE));
    let step = (frame.bottom - frame.top) / forest.rows.len() as f64;
    for (place, row) in forest.rows.iter().enumerate() {
        let y = frame.top + (place as f64 + 0.5) * step;
        let base = y + 0.35 * f64::from(SIZE);
        page.text(frame.left - 12.0, base, &short(&row.name, NAME_ROOM), Style::new(SIZE, Align::End));
        page.text(frame.right + 12.0, base, &short(&row.text, TEXT_ROOM), Style::new(SIZE, Align::Start).muted());
        if let Some((low, high)) = row.outer {
            page.stroke(&[(x(low), y), (x(high), y)], THIN, 1.5);
        }
        page.stroke(&[(x(row.inner.0), y), (x(row.inner.1), y)], COLOR, 4.0);
        // What has no end goes on beyond the axis.
        for (interval, color) in [(row.outer, THIN), (Some(row.inner), COLOR)] {
            let ends = interval.map_or([0.0; 2], |(low, high)| [low, high]);
            for (end, inwards) in ends.into_iter().zip([ARROW, -ARROW]).filter(|(end, _)| end.is_infinite()) {
                let head = [(x(end) + inwards, y - ARROW), (x(end), y), (x(end) + inwards, y + ARROW)];
                page.stroke(&head, color, 2.5);
            }
        }
        page.canvas.dot(x(row.value), y, 5.5, COLOR);
    }
    page.finish()
}

pub(super) fn check(forest: &Forest) -> Result<()> {
    ensure!(!forest.rows.is_empty(), "failed to draw {:?}: it has no rows", forest.title);
    for ForestRow { name, value, inner, outer, .. } in &forest.rows {
        ensure!(value.is_finite() && value.abs() <= 1e100, "failed to draw {name:?}: the value {value} is not finite");
        for (low, high) in [Some(*inner), *outer].into_iter().flatten() {
            ensure!(low <= high, "failed to draw {name:?}: an interval from {low} to {high}");
        }
    }
    Ok(())
}
