//! Estimates with their intervals, one row each: a forest plot.

use anyhow::{Result, ensure};

use crate::drawing::axes::GRID_COLOR;
use crate::drawing::canvas::{Align, Canvas, Frame, MUTED, Rgb};
use crate::drawing::scale::Axis;
use crate::page::{HEIGHT, Page, Style, TICK_SIZE, WIDTH, text_width};
use crate::text::{EDGE, axis_title, footer, header, truncate};
use crate::{Figure, Forest, ForestRow};

/// Blue, of Okabe and Ito.
pub(super) const COLOR: Rgb = (0, 114, 178);
/// Lighter, for the thin line.
pub(super) const THIN_LINE_COLOR: Rgb = (140, 180, 210);
/// The size of the head of an arrow, in units of the page.
const ARROW_LENGTH: f64 = 7.0;
/// The height of a row, in units of the page.
const ROW_HEIGHT: f64 = 26.0;
/// The height of a row where there are few.
const TALL_ROW_HEIGHT: f64 = 46.0;
/// The greatest length of a name.
const NAME_WIDTH: f64 = 300.0;
/// The length of what stands beside a row.
const TEXT_WIDTH: f64 = 190.0;
const TEXT_SIZE: u32 = 17;

pub(super) fn render(forest: &Forest) -> Result<Figure> {
    check(forest)?;
    // Headline, subtitle, axis and footnote take some 210 units. A few rows have more room each.
    let rows = forest.rows.len() as f64;
    let mut page = Page::of_height((210.0 + TALL_ROW_HEIGHT * rows).min(HEIGHT).max(210.0 + ROW_HEIGHT * rows));
    let top = header(&mut page, &forest.title, forest.subtitle.as_deref());
    let below = footer(&mut page, forest.note.as_deref());
    let axis = axis(forest);
    let frame = Frame {
        left: EDGE + NAME_WIDTH + 12.0,
        right: WIDTH - EDGE - TEXT_WIDTH,
        top: top + 4.0,
        bottom: below - 58.0,
    };
    scale(&mut page.canvas, &axis, frame, f64::from(TICK_SIZE));
    axis_title(&mut page, &forest.x_label, (frame.left, frame.right), frame.bottom + 50.0, Align::Middle);
    let short = |text: &str, room: f64| truncate(text, room, |text| text_width(text, TEXT_SIZE));
    let step = (frame.bottom - frame.top) / forest.rows.len() as f64;
    for (place, row) in forest.rows.iter().enumerate() {
        let y = frame.top + (place as f64 + 0.5) * step;
        let base = y + 0.35 * f64::from(TEXT_SIZE);
        page.text(frame.left - 12.0, base, &short(&row.name, NAME_WIDTH), Style::new(TEXT_SIZE, Align::End));
        page.text(frame.right + 12.0, base, &short(&row.text, TEXT_WIDTH), Style::new(TEXT_SIZE, Align::Start).muted());
        interval(&mut page.canvas, row, &axis, frame, y, 1.0);
    }
    page.canvas.metadata = Some(forest.values()?);
    page.finish()
}

/// The axis of all rows: to some room beyond the ends of their intervals.
pub(super) fn axis(forest: &Forest) -> Axis {
    let values = forest.rows.iter().flat_map(|row| {
        let outer = row.outer.unwrap_or(row.inner);
        [row.value, row.inner.0, row.inner.1, outer.0, outer.1]
    });
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if forest.close {
        return Axis::close(values);
    }
    let (least, most) =
        values.iter().fold((0.0_f64, 0.0_f64), |(least, most), &value| (least.min(value), most.max(value)));
    let beyond = |end: f64| end + 0.04 * (most - least) * end.signum();
    Axis::linear([least, most].into_iter().filter(|end| *end != 0.0).map(beyond), false)
}

/// Draws the lines of the ticks with their labels in letters of `size` below `frame`.
pub(super) fn scale(canvas: &mut Canvas, axis: &Axis, frame: Frame, size: f64) {
    for (value, label) in axis.ticks().into_iter().zip(axis.labels()) {
        let x = position(axis, frame, value);
        canvas.line(&[(x, frame.top), (x, frame.bottom)], size / 18.0, GRID_COLOR);
        canvas.text(x, frame.bottom + 1.33 * size, &label, size, Align::Middle);
    }
    canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], size / 18.0, MUTED);
}

/// Draws a row at `y`, with lines `unit` times as wide as on a page.
pub(super) fn interval(canvas: &mut Canvas, row: &ForestRow, axis: &Axis, frame: Frame, y: f64, unit: f64) {
    let x = |value: f64| position(axis, frame, value);
    if let Some((low, high)) = row.outer {
        canvas.line(&[(x(low), y), (x(high), y)], 1.5 * unit, THIN_LINE_COLOR);
    }
    canvas.line(&[(x(row.inner.0), y), (x(row.inner.1), y)], 4.0 * unit, COLOR);
    // Intervals without an end go on beyond the axis.
    for (interval, color) in [(row.outer, THIN_LINE_COLOR), (Some(row.inner), COLOR)] {
        let ends = interval.map_or([0.0; 2], |(low, high)| [low, high]);
        let arrow = ARROW_LENGTH * unit;
        for (end, inwards) in ends.into_iter().zip([arrow, -arrow]).filter(|(end, _)| end.is_infinite()) {
            let head = [(x(end) + inwards, y - arrow), (x(end), y), (x(end) + inwards, y + arrow)];
            canvas.line(&head, 2.5 * unit, color);
        }
    }
    canvas.dot(x(row.value), y, 5.5 * unit, COLOR);
}

fn position(axis: &Axis, frame: Frame, value: f64) -> f64 {
    frame.left + axis.share(value.clamp(axis.lo, axis.hi)) * (frame.right - frame.left)
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
