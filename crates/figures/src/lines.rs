//! A figure of one plot with its legend beside it.

use anyhow::{Result, ensure};

use crate::drawing::axes;
use crate::drawing::canvas::{Align, Frame};
use crate::drawing::curves::LINE_WIDTH;
use crate::drawing::curves::{CurveStyle, VisibleCurve};
use crate::legend::{Legend, LegendEntry};
use crate::page::{Page, Style, TICK_SIZE, WIDTH};
use crate::palette;
use crate::plot::Plot;
use crate::text::{EDGE, axis_title, footer, header};
use crate::{CurvePoint, Figure, Lines};

pub(super) fn render(lines: &Lines) -> Result<Figure> {
    let styles = styles(lines)?;
    let (labels, logs) = ([lines.x_label.as_str(), &lines.y_label], [lines.x_log, lines.y_log]);
    let plot = Plot::new("", labels, logs, &lines.curves, |i| styles[i])?;
    let axes = plot.axes();

    let mut page = Page::new();
    let top = header(&mut page, &lines.title, lines.subtitle.as_deref());
    let below = footer(&mut page, lines.note.as_deref());
    let ticks = axes::left_margin(&axes[1], f64::from(TICK_SIZE));
    let legend = Legend::new(entries(&plot.shown));
    let frame = Frame { left: EDGE + ticks, right: WIDTH - EDGE - legend.width, top: top + 26.0, bottom: below - 64.0 };
    let across = (frame.left, frame.right);
    axis_title(&mut page, &lines.x_label, across, below - 8.0, Align::Middle);
    // Above its axis instead of along it, so that it reads horizontally.
    let across = (EDGE, frame.right);
    axis_title(&mut page, &lines.y_label, across, frame.top - 19.0, Align::Start);
    plot.draw(&mut page, frame, &axes, TICK_SIZE, LINE_WIDTH);
    if let Some(why) = plot.emptiness() {
        let (x, y) = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        page.text(x, y, why, Style::new(20, Align::Middle).muted());
    }
    legend.draw(&mut page, frame);
    page.finish()
}

/// One style per curve.
pub(super) fn styles(lines: &Lines) -> Result<Vec<CurveStyle>> {
    let names: Vec<&str> = lines.curves.iter().map(|curve| curve.name.as_str()).collect();
    if lines.styles.is_empty() {
        return Ok(palette::styles(&names, &lines.palette));
    }
    ensure!(
        lines.styles.len() == names.len(),
        "failed to draw {:?}: {} styles for {} curves; give one per curve, or none",
        lines.title,
        lines.styles.len(),
        names.len()
    );
    Ok(lines.styles.iter().map(|&[color, dashes]| CurveStyle::chosen(color, dashes)).collect())
}

/// The positions of curves, given their points, by their last values, the highest first.
pub(super) fn legend_order<'a>(curves: impl Iterator<Item = &'a [CurvePoint]>) -> Vec<usize> {
    let last: Vec<f64> = curves.map(|points| points.last().map_or(f64::NEG_INFINITY, |point| point.mean)).collect();
    let mut order: Vec<usize> = (0..last.len()).collect();
    order.sort_by(|&one, &other| last[other].total_cmp(&last[one]));
    order
}

/// One entry per curve.
fn entries(shown: &[VisibleCurve<'_>]) -> Vec<LegendEntry> {
    let order = legend_order(shown.iter().map(|shown| shown.points.as_slice()));
    let entry = |shown: &VisibleCurve<'_>| LegendEntry {
        name: shown.name(),
        style: shown.style,
        has_band: shown.points.iter().any(|point| point.low < point.high),
    };
    order.into_iter().map(|i| entry(&shown[i])).collect()
}
