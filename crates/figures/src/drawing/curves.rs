//! The curves of a plot, with their bands or bars.

use crate::drawing::axes::AxisMap;
use crate::drawing::canvas::{Canvas, Rgb};
use crate::{Curve, CurvePoint};

/// The colours of Okabe and Ito without yellow, which is hard to see on white.
pub(crate) const COLORS: [Rgb; 7] =
    [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233), (0, 0, 0)];
/// Four patterns and seven colours are coprime, so the first 28 curves differ.
const DASHES: [&[f64]; 4] = [&[], &[14.0, 8.0], &[14.0, 7.0, 3.0, 7.0], &[4.0, 7.0]];
/// Patterns for curves beyond the 28th.
const MORE_DASHES: [&[f64]; 3] = [&[24.0, 5.0], &[14.0, 5.0, 3.0, 5.0, 3.0, 5.0], &[2.0, 4.0]];
/// The width of a curve for which the lengths of dashes are given.
pub(crate) const LINE_WIDTH: f64 = 3.0;
pub(crate) const BAND_OPACITY: f64 = 0.18;
/// The pattern of an edge at which a band is cut off.
const CUT_DASHES: [f64; 2] = [8.0, 5.0];

/// The style of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CurveStyle {
    pub(crate) color: Rgb,
    pub(crate) pattern: &'static [f64],
}

impl CurveStyle {
    /// The style of a position; the first 49 differ.
    pub(crate) fn of(place: usize) -> Self {
        let pattern = match (place / COLORS.len()).checked_sub(DASHES.len()) {
            None => DASHES[place % DASHES.len()],
            Some(more) => MORE_DASHES[more % MORE_DASHES.len()],
        };
        Self { color: COLORS[place % COLORS.len()], pattern }
    }

    /// The colour and the dashes of these numbers.
    pub(crate) fn chosen(color: usize, dashes: usize) -> Self {
        Self { color: COLORS[color % COLORS.len()], pattern: DASHES[dashes % DASHES.len()] }
    }
}

/// A curve with its style and the points that the axes can show.
pub(crate) struct VisibleCurve<'a> {
    pub(crate) curve: &'a Curve,
    pub(crate) points: Vec<CurvePoint>,
    pub(crate) style: CurveStyle,
}

impl VisibleCurve<'_> {
    /// The name of the curve, with the reason if none of its points is visible.
    pub(crate) fn name(&self) -> String {
        let why = match (self.points.is_empty(), self.curve.points.is_empty()) {
            (_, true) => " (no data)",
            (true, false) => " (not above zero)",
            (false, false) => "",
        };
        format!("{}{why}", self.curve.name)
    }
}

/// How curves are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pen {
    /// The width of a line.
    pub(crate) line: f64,
    /// Half the width of the end of a bar.
    pub(crate) cap: f64,
    /// Whether every point gets a dot, with bars instead of bands.
    pub(crate) dots: bool,
    /// Whether bars or bands are drawn.
    pub(crate) spread: bool,
}

/// Draws `curves` where `map` has them.
pub(crate) fn draw(canvas: &mut Canvas, curves: &[VisibleCurve<'_>], map: &AxisMap, pen: Pen) {
    let Pen { line, cap, dots, spread } = pen;
    for curve in curves.iter().filter(|_| spread) {
        if dots || curve.points.len() == 1 {
            bars(canvas, curve, map, line, cap);
        } else {
            band(canvas, curve, map, line);
        }
    }
    // The first curve is the most important one: it is drawn last, on top.
    for curve in curves.iter().rev() {
        let points: Vec<_> = curve.points.iter().map(|point| (map.x(point.x), map.y(point.mean))).collect();
        draw_styled_line(canvas, &points, line, curve.style);
        for (x, y) in points.iter().filter(|_| dots || points.len() == 1) {
            canvas.dot(*x, *y, 1.6 * line, curve.style.color);
        }
    }
}

/// Draws a line in the style of a curve.
pub(crate) fn draw_styled_line(canvas: &mut Canvas, points: &[(f64, f64)], width: f64, style: CurveStyle) {
    let dashes: Vec<f64> = style.pattern.iter().map(|length| length * width / LINE_WIDTH).collect();
    canvas.dashed_line(points, width, style.color, &dashes);
}

fn band(canvas: &mut Canvas, curve: &VisibleCurve<'_>, map: &AxisMap, line: f64) {
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
        canvas.dashed_line(&edge, 0.5 * line, curve.style.color, &CUT_DASHES.map(|length| scale * length));
    }
}

fn bars(canvas: &mut Canvas, curve: &VisibleCurve<'_>, map: &AxisMap, line: f64, cap: f64) {
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
    let mut clipped: Vec<(f64, f64)> = Vec::new();
    for pair in points.windows(2) {
        let (start, end) = (x(pair[0].x), x(pair[1].x));
        let middle = (start + end) / 2.0;
        let (from, to) = match (pair[0].low < least, pair[1].low < least) {
            (true, true) => (start, end),
            (true, false) => (start, middle),
            (false, true) => (middle, end),
            (false, false) => continue,
        };
        match clipped.last_mut().filter(|last| last.1 == from) {
            Some(last) => last.1 = to,
            None => clipped.push((from, to)),
        }
    }
    clipped
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
