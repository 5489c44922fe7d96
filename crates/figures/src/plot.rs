//! One plot: its curves with their styles, without the points that a logarithmic axis cannot show, and its axes.

use anyhow::{Result, ensure};

use crate::drawing::axes::{self, AxisMap};
use crate::drawing::canvas::{Frame, hex};
use crate::drawing::curves::{self, CurveStyle, Pen, VisibleCurve};
use crate::drawing::scale::{Axis, LOG_FLOOR};
use crate::page::{HoverAxis, HoverCurve, HoverValues, Page};
use crate::{Curve, CurvePoint};

/// Larger numbers are refused: their differences could overflow.
const MAX_VALUE: f64 = 1e100;

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
        let [x, y] = axes::fit_labels(axes, (wide, tall), size);
        let map = AxisMap { frame, x, y, inset: 0.0 };
        map.draw(&mut page.canvas, size);
        let pen = Pen { line: line_width, cap: 0.25 * size, dots: self.dots, spread: self.spread };
        curves::draw(&mut page.canvas, &self.shown, &map, pen);
        page.hover(self.hover(frame, axes));
    }

    fn hover(&self, frame: Frame, axes: &[Axis; 2]) -> HoverValues {
        let axis = |at: usize| HoverAxis {
            label: self.labels[at].to_owned(),
            lo: five_digits(axes[at].lo),
            hi: five_digits(axes[at].hi),
            log: axes[at].is_log(),
        };
        let curve = |shown: &VisibleCurve<'_>| HoverCurve {
            name: shown.curve.name.clone(),
            color: hex(shown.style.color),
            points: shown.points.iter().map(|p| [p.x, p.mean, p.low, p.high].map(five_digits)).collect(),
        };
        HoverValues {
            name: self.name.to_owned(),
            frame: [frame.left, frame.right, frame.top, frame.bottom].map(five_digits),
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
fn five_digits(value: f64) -> f64 {
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
                    value.abs() <= MAX_VALUE,
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
