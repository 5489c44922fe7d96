//! The axes of a plot, and where values are on it. All lengths follow from the size of the letters at its ticks.

use crate::drawing::canvas::{Align, Canvas, Frame, MUTED, Rgb};
use crate::drawing::font::fonts;
use crate::drawing::scale::Axis;

/// The colour of the lines behind curves.
pub(crate) const GRID_COLOR: Rgb = (226, 226, 226);
const AXIS_COLOR: Rgb = (102, 102, 102);

/// The length of a tick, in letters.
const TICK_LENGTH: f64 = 0.34;
/// The width of axes, in letters.
const THIN_LINE_WIDTH: f64 = 0.07;

/// Maps values to positions on the canvas.
pub(crate) struct AxisMap {
    pub(crate) frame: Frame,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// How far the first and last x are from the sides, for marks that have a width.
    pub(crate) inset: f64,
}

impl AxisMap {
    pub(crate) fn x(&self, value: f64) -> f64 {
        let (left, right) = (self.frame.left + self.inset, self.frame.right - self.inset);
        left + self.x.share(value) * (right - left)
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.frame.bottom - self.y.share(value).clamp(0.0, 1.0) * (self.frame.bottom - self.frame.top)
    }

    /// Draws grid, axes, ticks and their labels in letters of `size`.
    pub(crate) fn draw(&self, canvas: &mut Canvas, size: f64) {
        let Frame { left, right, top, bottom } = self.frame;
        let (thin, tick) = (THIN_LINE_WIDTH * size, TICK_LENGTH * size);
        for value in self.x.ticks() {
            let x = self.x(value);
            canvas.line(&[(x, top), (x, bottom)], thin, GRID_COLOR);
        }
        for value in self.y.ticks() {
            let y = self.y(value);
            canvas.line(&[(left, y), (right, y)], thin, GRID_COLOR);
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], 1.3 * thin, AXIS_COLOR);
        for value in self.x.ticks() {
            let (x, label) = (self.x(value), self.x.label(value));
            canvas.line(&[(x, bottom), (x, bottom + tick)], thin, AXIS_COLOR);
            if !label.is_empty() {
                canvas.text(x, bottom + tick + 1.05 * size, &label, size, Align::Middle);
            }
        }
        for value in self.y.ticks() {
            let (y, label) = (self.y(value), self.y.label(value));
            canvas.line(&[(left - tick, y), (left, y)], thin, AXIS_COLOR);
            if !label.is_empty() {
                canvas.text(left - 1.5 * tick, y + 0.36 * size, &label, size, Align::End);
            }
        }
        for (minor, across) in [(self.x.minor_ticks(), true), (self.y.minor_ticks(), false)] {
            for value in minor {
                let (x, y) = if across { (self.x(value), bottom) } else { (left, self.y(value)) };
                let end = if across { (x, y + 0.6 * tick) } else { (x - 0.6 * tick, y) };
                canvas.line(&[(x, y), end], thin, MUTED);
            }
        }
    }
}

/// The room that ticks and labels of `size` take to the left of a plot.
pub(crate) fn left_margin(axis: &Axis, size: f64) -> f64 {
    let widest = axis.labels().iter().map(|label| fonts().width(label, size)).fold(0.0, f64::max);
    widest + 0.57 * size
}

/// The room that they take below a plot.
pub(crate) fn bottom_margin(size: f64) -> f64 {
    (TICK_LENGTH + 1.3) * size
}

/// How far the labels of a horizontal axis of this length extend beyond its left and right ends.
pub(crate) fn overhang(x: &Axis, wide: f64, size: f64) -> [f64; 2] {
    fit_horizontal_labels(x, wide, size).overhang(wide, |label| fonts().width(label, size))
}

/// `x` and `y` with as many labels as fit.
pub(crate) fn fit_labels([x, y]: &[Axis; 2], (wide, tall): (f64, f64), size: f64) -> [Axis; 2] {
    [fit_horizontal_labels(x, wide, size), y.clone().fitted(tall, |_| size, 0.4 * size)]
}

fn fit_horizontal_labels(x: &Axis, wide: f64, size: f64) -> Axis {
    x.clone().fitted(wide, |label| fonts().width(label, size), 0.7 * size)
}
