//! A figure of several plots in rows with a common legend.

use anyhow::{Result, ensure};

use crate::drawing::axes::{left_margin, overhang};
use crate::drawing::canvas::{Align, Frame};
use crate::drawing::curves::CurveStyle;
use crate::drawing::curves::LINE_WIDTH;
use crate::legend::{Legend, LegendEntry};
use crate::page::{HEIGHT, Page, Style, TICK_SIZE, WIDTH};
use crate::palette::styles;
use crate::plot::{Plot, axes_of};
use crate::text::{EDGE, axis_title_in, fit_text, footer, header};
use crate::{Figure, Panels};

/// The distance between panels, horizontally and vertically.
const GUTTER: f64 = 22.0;

pub(super) fn render(figure: &Panels) -> Result<Figure> {
    ensure!(!figure.panels.is_empty(), "failed to draw {:?}: it has no panels", figure.title);
    let names = names(figure);
    let styles = styles(&names, &figure.palette);
    let plots = figure
        .panels
        .iter()
        .map(|panel| {
            let style = |i: usize| {
                let name: &str = &panel.curves[i].name;
                styles[names.iter().position(|known| *known == name).unwrap_or(i)]
            };
            let labels = [panel.x_label.as_str(), panel.y_label.as_str()];
            let mut plot = Plot::new(&panel.name, labels, [panel.x_log, panel.y_log], &panel.curves, style)?;
            plot.dots = panel.dots;
            plot.spread = panel.shows_spread();
            Ok(plot)
        })
        .collect::<Result<Vec<_>>>()?;

    let columns = columns(plots.len());
    let rows = plots.len().div_ceil(columns);
    // One panel fills the page; more panels make it longer instead of unreadable.
    let height = HEIGHT.max(140.0 + rows as f64 * if columns > 2 { 280.0 } else { 400.0 });
    let mut page = Page::of_height(match (rows, columns) {
        (1, 3) => 500.0,
        (1, _) => HEIGHT,
        _ => height,
    });
    let top = header(&mut page, &figure.title, figure.subtitle.as_deref());
    let below = footer(&mut page, figure.note.as_deref());
    let legend = Legend::new(entries(&names, &styles, &plots));
    let size = if columns == 1 { TICK_SIZE } else { 14 };
    let sizes: &[u32] = if columns == 1 { &[19, 17, 15] } else { &[15, 13, 11] };
    let line_width = if columns > 2 { 0.7 * LINE_WIDTH } else { LINE_WIDTH };
    let room = WIDTH - 2.0 * EDGE - legend.width;
    let wide = (room - (columns - 1) as f64 * GUTTER) / columns as f64;
    let tall = (below - top - (rows - 1) as f64 * GUTTER) / rows as f64;

    let shared = figure.one_scale.then(|| axes_of(plots.iter().flat_map(|plot| &plot.shown), plots[0].logs));
    for (number, plot) in plots.iter().enumerate() {
        let (row, column) = (number / columns, number % columns);
        let left = EDGE + column as f64 * (wide + GUTTER);
        let start = top + row as f64 * (tall + GUTTER);
        let axes = shared.clone().unwrap_or_else(|| plot.axes());
        let beside = left_margin(&axes[1], f64::from(size));
        // The last label of a panel and the first of the next share the gutter.
        let [before, after] = overhang(&axes[0], wide - beside, f64::from(size));
        let inset = if columns > 1 { ((before - beside).max(0.0) + after + 8.0 - GUTTER).max(0.0) } else { 0.0 };
        let frame = Frame {
            left: left + beside,
            right: left + wide - inset,
            top: start + if plot.name.is_empty() { 26.0 } else { 44.0 },
            bottom: start + tall - 52.0,
        };
        if !plot.name.is_empty() {
            // Widths are measured in regular letters; bold ones are wider.
            let name = fit_text(plot.name, &[17, 15, 13, 12], wide / 1.17, 1);
            page.text(left, start + 10.0, &name.lines[0], Style::new(name.size, Align::Start).bold());
        }
        let (across, y) = ((left, frame.right), frame.top - 13.0);
        axis_title_in(&mut page, plot.labels[1], across, y, Align::Start, sizes);
        let (across, y) = ((frame.left, frame.right), frame.bottom + 2.9 * f64::from(size));
        axis_title_in(&mut page, plot.labels[0], across, y, Align::Middle, sizes);
        plot.draw(&mut page, frame, &axes, size, line_width);
        if let Some(why) = plot.emptiness() {
            let (x, y) = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
            page.text(x, y, why, Style::new(16, Align::Middle).muted());
        }
    }
    let right = WIDTH - EDGE - legend.width;
    legend.draw(&mut page, Frame { left: EDGE, right, top: top + 26.0, bottom: below });
    page.finish()
}

/// The number of panels per row.
fn columns(panels: usize) -> usize {
    match panels {
        1 => 1,
        2 | 4 => 2,
        _ => 3,
    }
}

/// The names of all curves without duplicates, in the order of first appearance.
fn names(figure: &Panels) -> Vec<&str> {
    let mut names = Vec::new();
    for curve in figure.panels.iter().flat_map(|panel| &panel.curves) {
        if !names.contains(&curve.name.as_str()) {
            names.push(&curve.name);
        }
    }
    names
}

/// One entry per name; for a single panel or many names, sorted by the last values of the curves.
fn entries(names: &[&str], styles: &[CurveStyle], plots: &[Plot<'_>]) -> Vec<LegendEntry> {
    let all: Vec<_> = plots.iter().flat_map(|plot| &plot.shown).collect();
    let curves = |place: usize| all.iter().filter(move |shown| shown.curve.name == names[place]);
    let last = |place: usize| {
        let ends = curves(place).filter_map(|shown| shown.points.last());
        ends.map(|point| point.mean).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    // With many curves, readers look for the names of the highest and the lowest.
    if plots.len() == 1 || names.len() > 12 {
        order.sort_by(|&a, &b| last(b).total_cmp(&last(a)));
    }
    let entry = |place: usize| LegendEntry {
        name: names[place].to_owned(),
        style: styles[place],
        has_band: !plots[0].dots && curves(place).any(|shown| shown.points.iter().any(|point| point.low < point.high)),
    };
    order.into_iter().map(entry).collect()
}
