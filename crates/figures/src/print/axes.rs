//! The axes of a printed plot, and where values are on it.

use super::Print;
use super::font::Fonts;
use super::sheet::Canvas;
use crate::page::{Align, Frame, MUTED, Rgb};
use crate::scale::Axis;

const GRID: Rgb = (226, 226, 226);
const AXIS: Rgb = (102, 102, 102);

/// Maps values to positions on the sheet.
pub(super) struct Map {
    pub(super) frame: Frame,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// How far the first and last x are from the sides, for marks that have a width.
    pub(super) inset: f64,
}

impl Map {
    pub(super) fn x(&self, value: f64) -> f64 {
        let (left, right) = (self.frame.left + self.inset, self.frame.right - self.inset);
        left + share(&self.x, value) * (right - left)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.frame.bottom - share(&self.y, value).clamp(0.0, 1.0) * (self.frame.bottom - self.frame.top)
    }

    /// Draws grid, axes, ticks and their labels.
    pub(super) fn draw(&self, canvas: &mut Canvas, print: &Print) {
        let Frame { left, right, top, bottom } = self.frame;
        let (size, thin) = (print.small(), 0.06 * print.font);
        let tick = 0.3 * print.font;
        for value in self.x.ticks() {
            let x = self.x(value);
            canvas.line(&[(x, top), (x, bottom)], thin, GRID);
        }
        for value in self.y.ticks() {
            let y = self.y(value);
            canvas.line(&[(left, y), (right, y)], thin, GRID);
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], 1.3 * thin, AXIS);
        for value in self.x.ticks() {
            let (x, label) = (self.x(value), self.x.label(value));
            canvas.line(&[(x, bottom), (x, bottom + tick)], thin, AXIS);
            if !label.is_empty() {
                canvas.text(x, bottom + tick + 1.05 * size, &label, size, Align::Middle);
            }
        }
        for value in self.y.ticks() {
            let (y, label) = (self.y(value), self.y.label(value));
            canvas.line(&[(left - tick, y), (left, y)], thin, AXIS);
            if !label.is_empty() {
                canvas.text(left - 1.5 * tick, y + 0.36 * size, &label, size, Align::End);
            }
        }
        for (minor, across) in [(self.x.minor(), true), (self.y.minor(), false)] {
            for value in minor {
                let (x, y) = if across { (self.x(value), bottom) } else { (left, self.y(value)) };
                let end = if across { (x, y + 0.6 * tick) } else { (x - 0.6 * tick, y) };
                canvas.line(&[(x, y), end], thin, MUTED);
            }
        }
    }
}

/// How far `value` is along `axis`, from 0 to 1.
fn share(axis: &Axis, value: f64) -> f64 {
    if axis.is_log() {
        let value = value.max(f64::MIN_POSITIVE);
        (value / axis.lo).log10() / (axis.hi / axis.lo).log10()
    } else {
        (value - axis.lo) / (axis.hi - axis.lo)
    }
}

/// The room that ticks and labels take to the left of a plot.
pub(super) fn beside(axis: &Axis, print: &Print, fonts: &Fonts) -> f64 {
    let widest = axis.labels().iter().map(|label| fonts.width(label, print.small())).fold(0.0, f64::max);
    widest + 0.5 * print.font
}

/// The room that ticks and labels take below a plot.
pub(super) fn below(print: &Print) -> f64 {
    0.3 * print.font + 1.3 * print.small()
}

/// `x` and `y` with as many labels as fit.
pub(super) fn fitted([x, y]: [Axis; 2], (wide, tall): (f64, f64), print: &Print, fonts: &Fonts) -> [Axis; 2] {
    let size = print.small();
    let x = x.fitted(wide, |label| fonts.width(label, size), 0.8 * size);
    [x, y.fitted(tall, |_| size, 0.5 * size)]
}
