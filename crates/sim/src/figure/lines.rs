//! Curves with bands: axes, legend, and what has no place on a logarithmic axis.

use anyhow::{Result, ensure};

use super::dash::dashes;
use super::page::{Align, Frame, Map, Page, Rgb, Style, TICK_SIZE, WIDTH, width};
use super::scale::{Axis, LOG_FLOOR};
use super::text::{EDGE, Fitted, axis_title, fit, footer, header};
use super::{Curve, CurvePoint, Figure, Lines};

/// Okabe and Ito's colours without yellow, which white paper swallows.
const COLORS: [Rgb; 7] =
    [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233), (0, 0, 0)];
/// Four patterns and seven colours share no divisor, so 28 curves all differ.
const DASHES: [&[f64]; 4] = [&[], &[14.0, 8.0], &[14.0, 7.0, 3.0, 7.0], &[4.0, 7.0]];
const LINE_WIDTH: f64 = 3.0;
const BAND_OPACITY: f64 = 0.18;
/// Numbers beyond this are refused: their differences would overflow.
const LARGEST: f64 = 1e100;

/// A curve's place among the others: its looks, and the points that can be shown.
pub(super) struct Shown<'a> {
    curve: &'a Curve,
    points: Vec<CurvePoint>,
    color: Rgb,
    pattern: &'static [f64],
}

impl Shown<'_> {
    /// The curve's name, with the reason when nothing of it is to be seen.
    fn name(&self) -> String {
        let why = match (self.points.is_empty(), self.curve.points.is_empty()) {
            (_, true) => " (no data)",
            (true, false) => " (not above zero)",
            (false, false) => "",
        };
        format!("{}{why}", self.curve.name)
    }
}

pub(super) fn render(lines: &Lines) -> Result<Figure> {
    check(&lines.curves)?;
    let shown = shown(&lines.curves, lines.x_log, lines.y_log);
    let (x, y) = axes(&[&shown], lines.x_log, lines.y_log);

    let mut page = Page::new();
    let top = header(&mut page, &lines.title, lines.subtitle.as_deref());
    let below = footer(&mut page, lines.note.as_deref());
    let ticks = y.labels().iter().map(|label| width(label, TICK_SIZE)).fold(0.0, f64::max);
    let legend = Legend::new(&[&shown]);
    let frame =
        Frame { left: EDGE + ticks + 10.0, right: WIDTH - EDGE - legend.width, top: top + 26.0, bottom: below - 64.0 };
    let map = page.axes(frame, &x, &y);
    let across = (frame.left, frame.right);
    axis_title(&mut page, &lines.x_label, across, below - 8.0, Align::Middle);
    // Above its axis rather than along it: nobody has to turn their head.
    let across = (EDGE, frame.right);
    axis_title(&mut page, &lines.y_label, across, frame.top - 19.0, Align::Start);

    plot(&mut page, &shown, &map, &y, frame);
    legend.draw(&mut page, &shown, frame);
    page.finish()
}

/// The axes that all curves of all panels fit on; points that have no place are left out already.
pub(super) fn axes(panels: &[&[Shown<'_>]], x_log: bool, y_log: bool) -> (Axis, Axis) {
    let shown = || panels.iter().flat_map(|panel| panel.iter());
    let all = || shown().flat_map(|curve| &curve.points);
    let xs = shown().flat_map(|curve| curve.curve.points.iter().map(|point| point.x));
    let x = if x_log { Axis::log(xs, false) } else { Axis::linear(xs, false) };
    let y = if y_log {
        // A band may reach down to next to nothing; the axis follows the means there.
        Axis::log(all().flat_map(|point| [point.mean, point.high]), true)
    } else {
        Axis::linear(all().flat_map(|point| [point.mean, point.low, point.high]), true)
    };
    (x, y)
}

/// The curves of a panel with their bands, or why there are none.
pub(super) fn plot(page: &mut Page, shown: &[Shown<'_>], map: &Map, y: &Axis, frame: Frame) {
    for curve in shown {
        band(page, curve, map, y);
    }
    // The first curve is the one that the figure is about: it comes last, on top.
    for curve in shown.iter().rev() {
        line(page, curve, map, y);
    }
    if shown.iter().all(|curve| curve.points.is_empty()) {
        let why = if shown.iter().all(|curve| curve.curve.points.is_empty()) {
            "no data"
        } else {
            "nothing above zero to show on a logarithmic axis"
        };
        let (x, y) = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        page.text(x, y, why, Style::new(20, Align::Middle).muted());
    }
}

/// Refuses numbers that cannot be drawn, naming where they are.
pub(super) fn check(curves: &[Curve]) -> Result<()> {
    for curve in curves {
        let mut last = f64::NEG_INFINITY;
        for (i, point) in curve.points.iter().enumerate() {
            let here = || format!("failed to draw curve {:?}: point {}", curve.name, i + 1);
            let CurvePoint { x, mean, low, high } = *point;
            for (what, value) in [("x", x), ("mean", mean), ("low", low), ("high", high)] {
                ensure!(
                    value.abs() <= LARGEST,
                    "{} has {what} = {value}; only finite numbers up to 1e100 can be drawn",
                    here()
                );
            }
            ensure!(low <= high, "{} has its band from {low} down to {high}; swap them", here());
            ensure!(x >= last, "{} goes back from x = {last} to {x}; sort the points", here());
            last = x;
        }
    }
    Ok(())
}

pub(super) fn shown(curves: &[Curve], x_log: bool, y_log: bool) -> Vec<Shown<'_>> {
    let fits = |point: &&CurvePoint| (!x_log || point.x > LOG_FLOOR) && (!y_log || point.mean > LOG_FLOOR);
    curves
        .iter()
        .enumerate()
        .map(|(i, curve)| Shown {
            curve,
            points: curve.points.iter().filter(fits).copied().collect(),
            color: COLORS[i % COLORS.len()],
            pattern: DASHES[i % DASHES.len()],
        })
        .collect()
}

fn band(page: &mut Page, shown: &Shown<'_>, map: &Map, y: &Axis) {
    let points = &shown.points;
    if points.len() < 2 || points.iter().all(|point| point.low == point.high) {
        return;
    }
    let place = |x: f64, value: f64| (map.x(x), map.y(value.clamp(y.lo, y.hi)));
    let upper = points.iter().map(|point| place(point.x, point.high));
    let lower = points.iter().rev().map(|point| place(point.x, point.low));
    page.area(&upper.chain(lower).collect::<Vec<_>>(), shown.color, BAND_OPACITY);
}

fn line(page: &mut Page, shown: &Shown<'_>, map: &Map, y: &Axis) {
    let place = |point: &CurvePoint| (map.x(point.x), map.y(point.mean));
    if let [point] = shown.points[..] {
        let (px, py) = place(&point);
        let bar = [point.low, point.high].map(|value| (px, map.y(value.clamp(y.lo, y.hi))));
        if point.low < point.high {
            page.stroke(&bar, shown.color, LINE_WIDTH / 2.0);
        }
        page.dot(px, py, 2.0 * LINE_WIDTH, shown.color);
        return;
    }
    let points: Vec<_> = shown.points.iter().map(place).collect();
    for piece in dashes(&points, shown.pattern) {
        page.stroke(&piece, shown.color, LINE_WIDTH);
    }
}

/// The names beside the axes, where they hide no curve.
pub(super) struct Legend {
    /// What it takes from the width of the page.
    pub(super) width: f64,
    names: Vec<Fitted>,
    /// The curves in the order of their names.
    order: Vec<usize>,
}

impl Legend {
    const GAP: f64 = 26.0;
    /// Long enough for every pattern of dashes to show twice.
    const SAMPLE: f64 = 58.0;
    const BETWEEN: f64 = 10.0;
    const ROOM: f64 = 240.0;

    /// Of panels with the same curves in the same order, whose names are those of the first.
    pub(super) fn new(panels: &[&[Shown<'_>]]) -> Self {
        let shown = panels[0];
        // Many names get smaller letters and no second line.
        let (sizes, lines): (&[u32], _) = match shown.len() {
            0..=12 => (&[18, 16], 2),
            13..=20 => (&[18, 16, 14], 1),
            21..=28 => (&[14, 12], 1),
            _ => (&[10], 1),
        };
        let names: Vec<_> = shown.iter().map(Shown::name).collect();
        // One size for all: the one that the longest name needs.
        let size = names.iter().map(|name| fit(name, sizes, Self::ROOM, lines).size).min().unwrap_or(sizes[0]);
        let names: Vec<_> = names.iter().map(|name| fit(name, &[size], Self::ROOM, lines)).collect();
        let widest = names.iter().flat_map(|name| name.lines.iter().map(|line| width(line, size))).fold(0.0, f64::max);
        let last = |i: usize| -> f64 {
            let ends = panels.iter().map(|shown| shown[i].points.last().map_or(f64::NEG_INFINITY, |p| p.mean));
            ends.fold(f64::NEG_INFINITY, f64::max)
        };
        let mut order: Vec<_> = (0..shown.len()).collect();
        order.sort_by(|&a, &b| last(b).total_cmp(&last(a)));
        let width = if shown.is_empty() { 0.0 } else { Self::GAP + Self::SAMPLE + Self::BETWEEN + widest };
        Self { width, names, order }
    }

    pub(super) fn draw(&self, page: &mut Page, shown: &[Shown<'_>], frame: Frame) {
        let rows: usize = self.names.iter().map(|name| name.lines.len()).sum();
        // Half a row between names; all of it closer together when they would not fit.
        let room = (frame.bottom - frame.top) / (rows as f64 + 0.5 * self.names.len() as f64);
        let left = frame.right + Self::GAP;
        let mut y = frame.top;
        for &i in &self.order {
            let (curve, name) = (&shown[i], &self.names[i]);
            let size = f64::from(name.size);
            let row = (1.25 * size).min(room);
            let middle = y + row * name.lines.len() as f64 / 2.0;
            self.sample(page, curve, left, middle, 0.4 * row);
            for line in &name.lines {
                // Letters without descenders are 0.73 of their size high.
                let baseline = y + row / 2.0 + 0.365 * size;
                let x = left + Self::SAMPLE + Self::BETWEEN;
                page.text(x, baseline, line, Style::new(name.size, Align::Start));
                y += row;
            }
            y += 0.5 * row;
        }
    }

    /// A piece of line on a piece of band, as in the plot.
    fn sample(&self, page: &mut Page, shown: &Shown<'_>, left: f64, y: f64, half: f64) {
        let right = left + Self::SAMPLE;
        if shown.points.iter().any(|point| point.low < point.high) {
            let corners = [(left, y - half), (right, y - half), (right, y + half), (left, y + half)];
            page.area(&corners, shown.color, BAND_OPACITY);
        }
        for piece in dashes(&[(left, y), (right, y)], shown.pattern) {
            page.stroke(&piece, shown.color, LINE_WIDTH);
        }
    }
}
