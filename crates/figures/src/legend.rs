//! The legend: names beside the axes, where they do not cover any curve.

use crate::drawing::canvas::{Align, Frame};
use crate::drawing::curves::CurveStyle;
use crate::drawing::curves::{BAND_OPACITY, LINE_WIDTH, draw_styled_line};
use crate::page::{Page, Style, text_width};
use crate::text::{FittedText, fit_text};

/// A curve in the legend.
pub(super) struct LegendEntry {
    pub(super) name: String,
    pub(super) style: CurveStyle,
    /// Whether it has a band.
    pub(super) has_band: bool,
}

/// A legend with its entries in the given order.
pub(super) struct Legend {
    /// The width it takes from the page.
    pub(super) width: f64,
    names: Vec<FittedText>,
    entries: Vec<LegendEntry>,
}

impl Legend {
    const GAP: f64 = 26.0;
    /// Long enough to show every dash pattern twice.
    const SAMPLE_WIDTH: f64 = 58.0;
    const SAMPLE_GAP: f64 = 10.0;
    const TEXT_WIDTH: f64 = 240.0;

    pub(super) fn new(entries: Vec<LegendEntry>) -> Self {
        // With many names, letters are smaller and there is no second line.
        let (sizes, lines): (&[u32], _) = match entries.len() {
            0..=12 => (&[18, 16], 2),
            13..=20 => (&[18, 16, 14], 1),
            21..=28 => (&[14, 12], 1),
            _ => (&[10], 1),
        };
        // All names have the size that the longest one needs.
        let needed = |entry: &LegendEntry| fit_text(&entry.name, sizes, Self::TEXT_WIDTH, lines).size;
        let size = entries.iter().map(needed).min().unwrap_or(sizes[0]);
        let names: Vec<_> =
            entries.iter().map(|entry| fit_text(&entry.name, &[size], Self::TEXT_WIDTH, lines)).collect();
        let widest =
            names.iter().flat_map(|name| name.lines.iter().map(|line| text_width(line, size))).fold(0.0, f64::max);
        let width = if entries.is_empty() { 0.0 } else { Self::GAP + Self::SAMPLE_WIDTH + Self::SAMPLE_GAP + widest };
        Self { width, names, entries }
    }

    /// Draws the legend to the right of `frame`, starting at its top.
    pub(super) fn draw(&self, page: &mut Page, frame: Frame) {
        let rows: usize = self.names.iter().map(|name| name.lines.len()).sum();
        // Half a row between names; everything moves closer together if they do not fit.
        let room = (frame.bottom - frame.top) / (rows as f64 + 0.5 * self.names.len() as f64);
        let left = frame.right + Self::GAP;
        let mut y = frame.top;
        for (entry, name) in self.entries.iter().zip(&self.names) {
            let size = f64::from(name.size);
            let row = (1.25 * size).min(room);
            let middle = y + row * name.lines.len() as f64 / 2.0;
            sample(page, entry, left, middle, 0.4 * row);
            for line in &name.lines {
                // Letters without descenders are 0.73 of their size high.
                let baseline = y + row / 2.0 + 0.365 * size;
                let x = left + Self::SAMPLE_WIDTH + Self::SAMPLE_GAP;
                page.text(x, baseline, line, Style::new(name.size, Align::Start));
                y += row;
            }
            y += 0.5 * row;
        }
    }
}

/// Draws a sample of the line and its band, as in the plot.
fn sample(page: &mut Page, entry: &LegendEntry, left: f64, y: f64, half: f64) {
    let right = left + Legend::SAMPLE_WIDTH;
    if entry.has_band {
        let corners = [(left, y - half), (right, y - half), (right, y + half), (left, y + half)];
        page.canvas.area(corners.to_vec(), entry.style.color, BAND_OPACITY);
    }
    draw_styled_line(&mut page.canvas, &[(left, y), (right, y)], LINE_WIDTH, entry.style);
}
