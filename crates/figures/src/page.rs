//! A page for the screen: its size, its texts, and the values of its plots for pages that show them on hover.

use anyhow::Result;
use serde::Serialize;

use crate::Figure;
use crate::drawing::canvas::{Align, Canvas, Frame, INK, MUTED, Rgb, Unit};
use crate::drawing::font::fonts;

/// The width of the page, in units of the SVG.
pub(super) const WIDTH: f64 = 1280.0;
/// The usual height of the page, in units of the SVG.
pub(super) const HEIGHT: f64 = 720.0;
/// Pixels of the PNG per 72 units: two per unit.
const DENSITY: f64 = 144.0;
/// Size of the tick labels.
pub(super) const TICK_SIZE: u32 = 18;

/// The style of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) size: u32,
    pub(super) color: Rgb,
    pub(super) align: Align,
    pub(super) bold: bool,
}

impl Style {
    pub(super) fn new(size: u32, align: Align) -> Self {
        Self { size, color: INK, align, bold: false }
    }

    pub(super) fn muted(self) -> Self {
        Self { color: MUTED, ..self }
    }

    pub(super) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// The values of a plot for display on hover, stored in the metadata of the SVG.
#[derive(Debug, Serialize)]
pub(super) struct HoverValues {
    pub(super) name: String,
    /// Left, right, top and bottom, in units of the page.
    pub(super) frame: [f64; 4],
    pub(super) x: HoverAxis,
    pub(super) y: HoverAxis,
    pub(super) curves: Vec<HoverCurve>,
}

/// An axis of a [`HoverValues`].
#[derive(Debug, Serialize)]
pub(super) struct HoverAxis {
    pub(super) label: String,
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) log: bool,
}

/// A curve of a [`HoverValues`]; a point is x, mean, and the lower and upper end of the band.
#[derive(Debug, Serialize)]
pub(super) struct HoverCurve {
    pub(super) name: String,
    pub(super) color: String,
    pub(super) points: Vec<[f64; 4]>,
}

/// A page, initially white.
pub(super) struct Page {
    pub(super) canvas: Canvas,
    hovers: Vec<HoverValues>,
}

impl Page {
    pub(super) fn new() -> Self {
        Self::of_height(HEIGHT)
    }

    pub(super) fn of_height(height: f64) -> Self {
        Self { canvas: Canvas::new(WIDTH, height, Unit::Pixels), hovers: Vec::new() }
    }

    pub(super) fn height(&self) -> f64 {
        self.canvas.height
    }

    /// Adds the values of a plot for display on hover.
    pub(super) fn hover(&mut self, hover: HoverValues) {
        self.hovers.push(hover);
    }

    /// Draws a text with its baseline at `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, style: Style) {
        let Style { size, color, align, bold } = style;
        self.canvas.styled_text((x, y), text, f64::from(size), align, color, bold);
    }

    /// Draws a line through `points`.
    pub(super) fn stroke(&mut self, points: &[(f64, f64)], line: Rgb, width: f64) {
        self.canvas.line(points, width, line);
    }

    /// Draws the outline of `frame`.
    pub(super) fn outline(&mut self, frame: Frame) {
        self.canvas.outline(frame, 1.0);
    }

    pub(super) fn finish(mut self) -> Result<Figure> {
        if !self.hovers.is_empty() {
            self.canvas.metadata = Some(serde_json::to_string(&self.hovers)?);
        }
        Ok(Figure { svg: self.canvas.svg(), png: self.canvas.png(DENSITY)? })
    }
}

/// The width of `text` in regular letters of `size`; bold letters are up to a fifth wider.
pub(super) fn text_width(text: &str, size: u32) -> f64 {
    fonts().width(text, f64::from(size))
}
