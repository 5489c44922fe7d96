//! One plot: its curves with their styles, without the points that a logarithmic axis cannot show, and its axes.

use anyhow::{Result, ensure};

use crate::axes::{self, Map};
use crate::canvas::{Frame, Rgb, hex};
use crate::curves;
use crate::page::{Hover, HoverAxis, HoverCurve, Page};
use crate::scale::{Axis, LOG_FLOOR};
use crate::{Curve, CurvePoint};

/// The colours of Okabe and Ito without yellow, which is hard to see on white.
pub(super) const COLORS: [Rgb; 7] =
    [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233), (0, 0, 0)];
/// Four patterns and seven colours are coprime, so the first 28 curves differ.
const DASHES: [&[f64]; 4] = [&[], &[14.0, 8.0], &[14.0, 7.0, 3.0, 7.0], &[4.0, 7.0]];
/// Patterns for curves beyond the 28th.
const MORE_DASHES: [&[f64]; 3] = [&[24.0, 5.0], &[14.0, 5.0, 3.0, 5.0, 3.0, 5.0], &[2.0, 4.0]];
/// Larger numbers are refused: their differences could overflow.
const LARGEST: f64 = 1e100;

/// The style of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurveStyle {
    pub(super) color: Rgb,
    pub(super) pattern: &'static [f64],
}

impl CurveStyle {
    /// The style of a position; the first 49 differ.
    pub(super) fn of(place: usize) -> Self {
        let pattern = match (place / COLORS.len()).checked_sub(DASHES.len()) {
            None => DASHES[place % DASHES.len()],
            Some(more) => MORE_DASHES[more % MORE_DASHES.len()],
        };
        Self { color: COLORS[place % COLORS.len()], pattern }
    }

    /// The colour and the dashes of these numbers.
    pub(super) fn chosen(color: usize, dashes: usize) -> Self {
        Self { color: COLORS[color % COLORS.len()], pattern: DASHES[dashes % DASHES.len()] }
    }
}

/// A curve with its style and the points that the axes can show.
pub(super) struct VisibleCurve<'a> {
    pub(super) curve: &'a Curve,
    pub(super) points: Vec<CurvePoint>,
    pub(super) style: CurveStyle,
}

impl VisibleCurve<'_> {
    /// The name of the curve, with the reason if none of its points is visible.
    pub(super) fn name(&self) -> String {
        let why = match (self.points.is_empty(), self.curve.points.is_empty()) {
            (_, true) => " (no data)",
            (true, false) => " (not above zero)",
            (false, false) => "",
        };
        format!("{}{why}", self.curve.name)
    }
}

/// A plot.
pub(super) struct Plot<'a> {
    pub(super) name: &'a str,
    pub(super) labels: [&'a str; 2],
    pub(super) logs: [bool; 2],
    /// Whether every point gets a dot, with bars instead of bands.
    pub(super) dots: bool,
    /// Whether bars or bands are drawn.
    pub(super) spread: bool,
    pub(super) shown: Vec<VisibleCurve<'a>>,
}

impl<'a> Plot<'a> {
    /// A plot of `curves`; curve `i` has the style `style(i)`. `labels` and `logs` are those of the x and the
    /// y axis.
    pub(super) fn new(
        name: &'a str,
        labels: [&'a str; 2],
        logs: [bool; 2],
        curves: &'a [Curve],
        style: impl Fn(usize) -> CurveStyle,
    ) -> Result<Self> {
        check(curves)?;
        let fits = |point: &&CurvePoint| (!logs[0] || point.x > LOG_FLOOR) && (!logs[1] || point.mean > LOG_FLOOR);
        let shown = curves
            .iter()
            .enumerate()
            .map(|(i, curve)| VisibleCurve {
                curve,
                points: curve.points.iter().filter(fits).copied().collect(),
                style: style(i),
            })
            .collect();
        Ok(Self { name, labels, logs, dots: false, spread: true, shown })
    }

    fn points(&self) -> impl Iterator<Item = &CurvePoint> {
        self.shown.iter().flat_map(|curve| &curve.points)
    }

    /// The x and y axes that contain every point.
    pub(super) fn axes(&self) -> [Axis; 2] {
        axes_of(self.shown.iter(), self.logs)
    }

    /// The reason why no point is visible; `None` if any is.
    pub(super) fn emptiness(&self) -> Option<&'static str> {
        self.points().next().is_none().then(|| {
            if self.shown.iter().all(|shown| shown.curve.points.is_empty()) {
                "no data"
            } else {
                "nothing above zero to show on a logarithmic axis"
            }
        })
    }

    /// Draws axes with labels of `size`, and bands and curves, into `frame`.
    pub(super) fn draw(&self, page: &mut Page, frame: Frame, axes: &[Axis; 2], size: u32, line_width: f64) {
        let (size, [wide, tall]) = (f64::from(size), [frame.right - frame.left, frame.bottom - frame.top]);
        let [x, y] = axes::fitted(axes, (wide, tall), size);
        let map = Map { frame, x, y, inset: 0.0 };
        map.draw(&mut page.canvas, size);
        curves::draw(&mut page.canvas, self, &map, line_width, 0.25 * size);
        page.hover(self.hover(frame, axes));
    }

    fn hover(&self, frame: Frame, axes: &[Axis; 2]) -> Hover {
        let axis = |at: usize| HoverAxis {
            label: self.labels[at].to_owned(),
            lo: short(axes[at].lo),
            hi: short(axes[at].hi),
            log: axes[at].is_log(),
        };
        let curve = |shown: &VisibleCurve<'_>| HoverCurve {
            name: shown.curve.name.clone(),
            color: hex(shown.style.color),
            points: shown.points.iter().map(|p| [p.x, p.mean, p.low, p.high].map(short)).collect(),
        };
        Hover {
            name: self.name.to_owned(),
            frame: [frame.left, frame.right, frame.top, frame.bottom].map(short),
            x: axis(0),
            y: axis(1),
            curves: self.shown.iter().map(curve).collect(),
        }
    }
}

/// The x and y axes that contain every point of all these curves.
pub(super) fn axes_of<'a, 'b: 'a>(
    shown: impl Iterator<Item = &'a VisibleCurve<'b>> + Clone,
    logs: [bool; 2],
) -> [Axis; 2] {
    let xs = shown.clone().flat_map(|shown| shown.curve.points.iter().map(|point| point.x));
    let points = shown.flat_map(|shown| &shown.points);
    let x = if logs[0] { Axis::log(xs, false) } else { Axis::linear(xs, false) };
    let y = if logs[1] {
        // The lower end of a band may be close to zero, so the axis covers only means and upper ends.
        Axis::log(points.flat_map(|point| [point.mean, point.high]), true)
    } else {
        Axis::linear(points.flat_map(|point| [point.mean, point.low, point.high]), true)
    };
    [x, y]
}

/// Rounds to five significant digits: more than can be read from a figure.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// Checks that all numbers can be drawn; the error names the curve and the point.
fn check(curves: &[Curve]) -> Result<()> {
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
            ensure!(low <= high, "{} has its band from {low} down to {high}; swap the two", here());
            ensure!(x >= last, "{} goes back from x = {last} to {x}; sort the points", here());
            last = x;
        }
    }
    Ok(())
}
