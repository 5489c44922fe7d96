//! The curves of a plot, with their bands or bars.

use crate::CurvePoint;
use crate::axes::Map;
use crate::canvas::Canvas;
use crate::plot::{CurveStyle, Plot, VisibleCurve};

/// The width of a curve for which the lengths of dashes are given.
pub(super) const LINE_WIDTH: f64 = 3.0;
pub(super) const BAND_OPACITY: f64 = 0.18;
/// The pattern of an edge at which a band is cut off.
const CUT_DASHES: [f64; 2] = [8.0, 5.0];

/// Draws the curves of `plot`, `line` wide, where `map` has them; `cap` is half the width of the end of a bar.
pub(super) fn draw(canvas: &mut Canvas, plot: &Plot<'_>, map: &Map, line: f64, cap: f64) {
    for curve in plot.shown.iter().filter(|_| plot.spread) {
        if plot.dots || curve.points.len() == 1 {
            bars(canvas, curve, map, line, cap);
        } else {
            band(canvas, curve, map, line);
        }
    }
    // The first curve is the most important one: it is drawn last, on top.
    for curve in plot.shown.iter().rev() {
        let points: Vec<_> = curve.points.iter().map(|point| (map.x(point.x), map.y(point.mean))).collect();
        dashed(canvas, &points, line, curve.style);
        for (x, y) in points.iter().filter(|_| plot.dots || points.len() == 1) {
            canvas.dot(*x, *y, 1.6 * line, curve.style.color);
        }
    }
}

/// Draws a line in the style of a curve.
pub(super) fn dashed(canvas: &mut Canvas, points: &[(f64, f64)], width: f64, style: CurveStyle) {
    let dashes: Vec<f64> = style.pattern.iter().map(|length| length * width / LINE_WIDTH).collect();
    canvas.dashed(points, width, style.color, &dashes);
}

fn band(canvas: &mut Canvas, curve: &VisibleCurve<'_>, map: &Map, line: f64) {
    let points = &curve.points;
    if points.len() < 2 || points.iter().all(|point| point.low == point.high) {
        return;
    }
    let upper = points.iter().map(|point| (map.x(point.x), map.y(point.high)));
    let lower = points.iter().rev().map(|point| (map.x(point.x), map.y(point.low)));
    canvas.area(upper.chain(lower).collect(), curve.style.color, BAND_OPACITY);
    let scale = line / LINE_WIDTH;
    for (from, to) in cut_off(points, map.y.lo, |x| map.x(x)) {
        let edge = [from, to].map(|x| (x, map.frame.bottom));
        canvas.dashed(&edge, 0.5 * line, curve.style.color, &CUT_DASHES.map(|length| scale * length));
    }
}

fn bars(canvas: &mut Canvas, curve: &VisibleCurve<'_>, map: &Map, line: f64, cap: f64) {
    let (line, color) = (0.5 * line, curve.style.color);
    for point in curve.points.iter().filter(|point| point.low < point.high) {
        let x = map.x(point.x);
        let [low, high] = [point.low, point.high].map(|value| map.y(value));
        canvas.line(&[(x, low), (x, high)], line, color);
        canvas.line(&[(x - cap, high), (x + cap, high)], line, color);
        // A bar that goes on below a logarithmic axis has no end there.
        if point.low >= map.y.lo {
            canvas.line(&[(x - cap, low), (x + cap, low)], line, color);
        }
    }
}

/// From where to where a band is cut off by the lower end of an axis.
fn cut_off(points: &[CurvePoint], least: f64, x: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = Vec::new();
    for pair in points.windows(2) {
        let (start, end) = (x(pair[0].x), x(pair[1].x));
        let middle = (start + end) / 2.0;
        let (from, to) = match (pair[0].low < least, pair[1].low < least) {
            (true, true) => (start, end),
            (true, false) => (start, middle),
            (false, true) => (middle, end),
            (false, false) => continue,
        };
        match found.last_mut().filter(|last| last.1 == from) {
            Some(last) => last.1 = to,
            None => found.push((from, to)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_cut_off_from_the_middle_between_points_on() {
        let point =
            |k: i32| CurvePoint { x: f64::from(k), mean: 50.0, low: if k == 2 { 0.0 } else { 20.0 }, high: 90.0 };
        let points: Vec<CurvePoint> = (0..=10).map(point).collect();
        assert_eq!(cut_off(&points, 10.0, |x| x), [(1.5, 2.5)]);
        assert_eq!(cut_off(&points, 30.0, |x| x), [(0.0, 10.0)]);
        assert!(cut_off(&points, 0.0, |x| x).is_empty());
    }
}
