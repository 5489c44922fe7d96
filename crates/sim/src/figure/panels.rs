//! Panels: curves side by side on axes of the same extent.

use anyhow::{Result, ensure};

use super::lines::{Legend, Shown, axes, check, plot, shown};
use super::page::{Align, Frame, Page, Style, TICK_SIZE, WIDTH, width};
use super::text::{EDGE, axis_title, footer, header};
use super::{Figure, Panels};

/// Between a panel and the next one's numbers.
const GAP: f64 = 34.0;

pub(super) fn render(figure: &Panels) -> Result<Figure> {
    ensure!(!figure.panels.is_empty(), "failed to draw {:?}: it has no panel", figure.title);
    let names = |at: usize| figure.panels[at].1.iter().map(|curve| &curve.name);
    for (at, (name, curves)) in figure.panels.iter().enumerate() {
        check(curves)?;
        ensure!(names(0).eq(names(at)), "failed to draw panel {name:?}: its curves are not those of the first panel");
    }
    let panels: Vec<Vec<Shown<'_>>> =
        figure.panels.iter().map(|(_, curves)| shown(curves, figure.x_log, figure.y_log)).collect();
    let panels: Vec<&[Shown<'_>]> = panels.iter().map(Vec::as_slice).collect();
    let (x, y) = axes(&panels, figure.x_log, figure.y_log);

    let mut page = Page::new();
    let top = header(&mut page, &figure.title, figure.subtitle.as_deref());
    let below = footer(&mut page, figure.note.as_deref());
    let ticks = y.labels().iter().map(|label| width(label, TICK_SIZE)).fold(0.0, f64::max) + 10.0;
    let legend = Legend::new(&panels);
    // Every panel has numbers of its own: nobody has to follow a line across.
    let (left, right) = (EDGE, WIDTH - EDGE - legend.width);
    let count = panels.len() as f64;
    let each = (right - left - GAP * (count - 1.0)) / count;
    // The first row of text names the quantity, the second the panels.
    let (top, bottom) = (top + 58.0, below - 64.0);
    axis_title(&mut page, &figure.y_label, (EDGE, right), top - 51.0, Align::Start);
    let mut frame = Frame { left, right, top, bottom };
    for (index, (panel, (name, _))) in panels.iter().zip(&figure.panels).enumerate() {
        let start = left + index as f64 * (each + GAP);
        frame = Frame { left: start + ticks, right: start + each, top, bottom };
        let map = page.axes(frame, &x, &y);
        page.text((frame.left + frame.right) / 2.0, top - 14.0, name, Style::new(20, Align::Middle).bold());
        axis_title(&mut page, &figure.x_label, (frame.left, frame.right), below - 8.0, Align::Middle);
        plot(&mut page, panel, &map, &y, frame);
    }
    legend.draw(&mut page, panels[0], frame);
    page.finish()
}
