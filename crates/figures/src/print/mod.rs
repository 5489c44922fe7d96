//! Figures for print: as wide as a column, in letters of a size that can be read there, as PDF with embedded fonts, SVG
//! or PNG.
//!
//! | in | is |
//! |---|---|
//! | this file | what can be chosen, and the finished sheet |
//! | `plots` | curves in panels |
//! | `legend` | the names of curves: inside, below, or at their ends |
//! | `forest` | estimates with their intervals |
//! | `grid` | a heat map of a grid of parameters |
//! | `pdf` | PDF, written here because the plotting library's way to it compiles a renderer of SVG |
//!
//! # Figures for the screen and for print
//!
//! Both put the same marks on the same canvas, with the same axes and curves; what differs is where titles and names of curves are,
//! and that print has letters of a given size in points. The fonts are parts of DejaVu Sans in `assets/`; a PDF embeds the glyphs
//! that are shown. PDF uses crates that the library brings anyway.
//!
//! `sim::drawing` reads finished results: the CSV and JSON files of a study, or of an experiment the series, which
//! `experiment::redraw` gives to the same code that drew them. Where a study's figure says which axes it has (its metadata), so has
//! the new one. `studies::results::palette` lists the algorithms of published figures, and after them the rest of the registry; the
//! place in the list is the style of a curve in every figure, on the screen and for print, and a test demands that the figures in
//! `results/` agree. `curves.npz` (`--keep-curves`) is written from kept runs, and again whenever the folder that has one grows.

mod forest;
mod grid;
mod legend;
mod pdf;
mod plots;
#[cfg(test)]
mod tests;

use anyhow::{Result, ensure};

use crate::drawing::canvas::{Align, Canvas, INK, MUTED, Unit};
use crate::drawing::font::{Fonts, fonts};
use crate::text::wrap;
use crate::{Forest, Panels};

/// The widths that can be printed, in points.
pub const WIDTHS: [f64; 2] = [72.0, 7200.0];
/// The sizes of letters that can be printed, in points.
pub const FONTS: [f64; 2] = [4.0, 72.0];

/// Where the names of curves are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LegendPlace {
    /// In the plot where there is room, otherwise below; at the ends of many curves.
    #[default]
    Auto,
    /// In the plot, where it covers least.
    Inside,
    /// Below the plots.
    Outside,
    /// Each name at the end of its curve.
    Direct,
    /// No names.
    None,
}

/// How a figure is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Print {
    /// The width in points, 1/72 in.
    pub width: f64,
    /// The height in points; by default what the plots need.
    pub height: Option<f64>,
    /// The size of letters in points. Numbers at axes and notes are one eighth smaller.
    pub font: f64,
    /// Where the names of curves are.
    pub legend: LegendPlace,
    /// Other names for curves.
    pub relabel: Vec<(String, String)>,
}

impl Default for Print {
    /// As wide as a column of a conference paper, 3.33 in, in letters of 8 points.
    fn default() -> Self {
        Self { width: 3.33 * 72.0, height: None, font: 8.0, legend: LegendPlace::Auto, relabel: Vec::new() }
    }
}

/// A figure for print.
pub struct Sheet {
    canvas: Canvas,
    title: String,
}

/// A heat map of values on a grid: one square per row and column, darker for larger values, with the value in it where
/// it fits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    /// The headline.
    pub title: String,
    /// A smaller line below it.
    pub subtitle: Option<String>,
    /// The meaning of the columns.
    pub x_label: String,
    /// The meaning of the rows.
    pub y_label: String,
    /// The meaning of a value.
    pub value_label: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The names of the rows, the first on top.
    pub rows: Vec<String>,
    /// One map per name, each with its values row by row; `None` leaves a square empty.
    pub maps: Vec<(String, Vec<Option<f64>>)>,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

impl Print {
    /// Draws curves.
    ///
    /// # Errors
    /// As for [`Panels::render`], and if size or letters cannot be printed: outside [`WIDTHS`] or [`FONTS`], or too small
    /// for what it shows.
    pub fn panels(&self, figure: &Panels) -> Result<Sheet> {
        self.check()?;
        plots::draw(self, figure, fonts())
    }

    /// Draws a heat map.
    ///
    /// # Errors
    /// If values and names do not fill a grid, and as for [`Print::panels`].
    pub fn grid(&self, grid: &Grid) -> Result<Sheet> {
        self.check()?;
        grid::draw(self, grid, fonts())
    }

    /// Draws estimates with their intervals; [`relabel`](Self::relabel) renames rows.
    ///
    /// # Errors
    /// As for [`Forest::render`] and [`Print::panels`].
    pub fn forest(&self, figure: &Forest) -> Result<Sheet> {
        self.check()?;
        forest::draw(self, figure)
    }

    fn check(&self) -> Result<()> {
        let within = |value: f64, [least, most]: [f64; 2]| (least..=most).contains(&value);
        ensure!(
            within(self.width, WIDTHS) && self.height.is_none_or(|height| within(height, WIDTHS)),
            "a figure for print is from {} to {} in wide and high",
            WIDTHS[0] / 72.0,
            WIDTHS[1] / 72.0
        );
        ensure!(
            within(self.font, FONTS),
            "letters of {} pt cannot be printed; choose from {} to {} pt",
            self.font,
            FONTS[0],
            FONTS[1]
        );
        ensure!(
            self.width >= 12.0 * self.font,
            "letters of {} pt are too large for a figure of {:.3} in; it must be at least 12 letters wide",
            self.font,
            self.width / 72.0
        );
        Ok(())
    }

    /// A sheet of this height.
    fn canvas(&self, height: f64) -> Canvas {
        Canvas::new(self.width, height, Unit::Points)
    }

    /// The size of numbers at axes, and of notes.
    fn small(&self) -> f64 {
        self.font * 7.0 / 8.0
    }

    /// The width of curves.
    fn line(&self) -> f64 {
        self.font / 8.0
    }

    /// The margin at all edges.
    fn edge(&self) -> f64 {
        0.3 * self.font
    }

    fn renamed<'a>(&'a self, name: &'a str) -> &'a str {
        let known = self.relabel.iter().find(|(from, _)| from == name);
        known.map_or(name, |(_, to)| to.as_str())
    }
}

impl Sheet {
    /// The size in points.
    #[must_use]
    pub fn size(&self) -> [f64; 2] {
        [self.canvas.width, self.canvas.height]
    }

    /// The same sheet for web pages: as SVG, it is dark where its reader's theme is.
    #[must_use]
    pub fn adaptive(mut self) -> Self {
        self.canvas.adaptive = true;
        self
    }

    /// The sheet as SVG in its size on paper. The same figure gives the same bytes.
    #[must_use]
    pub fn svg(&self) -> String {
        self.canvas.svg()
    }

    /// The sheet as PDF of one page, with the glyphs of its letters. The same figure gives the same bytes.
    ///
    /// # Errors
    /// If the font cannot be cut.
    pub fn pdf(&self) -> Result<Vec<u8>> {
        pdf::pdf(&self.canvas, fonts(), &self.title)
    }

    /// The sheet as PNG with `density` pixels per inch.
    ///
    /// # Errors
    /// If the plotting library fails.
    pub fn png(&self, density: f64) -> Result<Vec<u8>> {
        self.canvas.png(density)
    }
}

/// The lines of headline and subtitle, each with its size and whether it is bold.
fn heading(print: &Print, fonts: &Fonts, title: &str, subtitle: Option<&str>) -> Vec<(String, f64, bool)> {
    let room = print.width - 2.0 * print.edge();
    let title = wrap(title, room, |text| fonts.bold.width(text, print.font));
    let subtitle = wrap(subtitle.unwrap_or_default(), room, |text| fonts.width(text, print.small()));
    let lines = title.into_iter().map(|line| (line, print.font, true));
    lines.chain(subtitle.into_iter().map(|line| (line, print.small(), false))).collect()
}

/// The height of lines of [`heading`].
fn height(lines: &[(String, f64, bool)], print: &Print) -> f64 {
    let lines_high: f64 = lines.iter().map(|(_, size, _)| 1.25 * size).sum();
    if lines.is_empty() { 0.0 } else { lines_high + 0.4 * print.font }
}

/// Writes lines from `top` down.
fn write(canvas: &mut Canvas, left: f64, top: f64, lines: &[(String, f64, bool)]) {
    let mut y = top;
    for (line, size, bold) in lines {
        y += size;
        let color = if *bold { INK } else { MUTED };
        canvas.styled_text((left, y), line, *size, Align::Start, color, *bold);
        y += 0.25 * size;
    }
}

/// The lines of a footnote.
fn footnote(print: &Print, fonts: &Fonts, note: Option<&str>) -> Vec<(String, f64, bool)> {
    let (room, size) = (print.width - 2.0 * print.edge(), print.small());
    let lines = wrap(note.unwrap_or_default(), room, |text| fonts.width(text, size));
    lines.into_iter().map(|line| (line, size, false)).collect()
}
