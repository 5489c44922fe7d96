//! Figures for slides and papers: mean curves with shaded bands, and heat maps of preferences. Nothing about rankers or
//! bandits, and no files except the finished figure.
//!
//! | figure | for |
//! |---|---|
//! | [`Lines`] | cumulative regret against time, one curve per algorithm, with or without bands |
//! | [`Panels`] | several such plots side by side with one legend; dots with bars instead of bands if wanted |
//! | [`Heatmap`] | a preference matrix, white at one half |
//! | [`Forest`] | estimates with intervals, one row each |
//! | [`print`](mod@print) | the first two for papers: small, with letters that can be read there, as PDF |
//!
//! Each renders to a [`Figure`]: an SVG of 1280 by 720 units and a PNG with two pixels per unit. The PNG is drawn with an
//! embedded font and needs none on the machine; the SVG requests DejaVu Sans or another sans serif. The colours are
//! those of Okabe and Ito, which colour-blind readers can distinguish, and every curve has its own dash pattern for
//! print without colour. The same values give the same bytes.
//!
//! ```
//! use figures::{Curve, CurvePoint, Lines};
//!
//! let figure = Lines {
//!     title: "Cumulative regret".into(),
//!     x_label: "comparisons".into(),
//!     y_label: "regret".into(),
//!     x_log: true,
//!     curves: vec![Curve {
//!         name: "RUCB".into(),
//!         points: (0..=4)
//!             .map(|k| 10_f64.powi(k))
//!             .map(|t| CurvePoint { x: t, mean: t.sqrt(), low: 0.9 * t.sqrt(), high: 1.2 * t.sqrt() })
//!             .collect(),
//!     }],
//!     ..Lines::default()
//! }
//! .render()?;
//! assert!(figure.svg.contains("RUCB"));
//! # anyhow::Ok(())
//! ```
//!
//! ## References
//! M. Okabe and K. Ito, *Color Universal Design*, 2008,
//! <https://jfly.uni-koeln.de/color/>.

mod drawing;
mod forest;
mod heatmap;
mod legend;
mod lines;
mod page;
mod palette;
mod panels;
mod plot;
pub mod print;
#[cfg(test)]
mod tests;
mod text;
mod values;

use std::path::{Path, PathBuf};

use anyhow::Result;
use output::write_atomic;

pub use drawing::canvas::{dark_rules, metadata};

/// The colours of curves, in their order, for others who show the same rankers.
pub const COLORS: [(u8, u8, u8); 7] = drawing::curves::COLORS;

/// One curve and its name in the legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points by ascending `x` (equal ones are allowed). A single point is drawn as a dot; without points only the
    /// name appears.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve and the band around it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CurvePoint {
    /// Position, in units of the x axis.
    pub x: f64,
    /// Value of the line.
    pub mean: f64,
    /// Lower end of the band. Like a percentile, it may lie above the mean.
    pub low: f64,
    /// Upper end of the band, at least `low`.
    pub high: f64,
}

impl CurvePoint {
    /// A point without a band. A curve of such points is drawn as a plain line.
    pub fn exact(x: f64, y: f64) -> Self {
        Self { x, mean: y, low: y, high: y }
    }
}

/// Curves with shaded bands and a legend beside the axes, sorted by the last values of the curves, the highest first.
///
/// Linear axes include zero. A logarithmic axis shows only values above `1e-9`: points with an `x` or mean not above it
/// are omitted. A band that goes on below the axis ends in a dashed edge there, and a bar has no end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline, e.g. the meaning of the bands and the number of runs.
    pub subtitle: Option<String>,
    /// The quantity along the x axis, with its unit.
    pub x_label: String,
    /// The quantity along the y axis, with its unit.
    pub y_label: String,
    /// Whether the x axis is logarithmic.
    pub x_log: bool,
    /// Whether the y axis is logarithmic.
    pub y_log: bool,
    /// The curves. The first 49 differ in colour or dashes.
    pub curves: Vec<Curve>,
    /// Families of curves with a style of their own in every figure: those with names that begin with these words. The style
    /// follows from the position here; without any, from the position of the curve.
    pub palette: Vec<String>,
    /// The colour and the dashes of each curve, by their numbers from 0, where both say something; otherwise empty. Numbers beyond
    /// the seven colours and four patterns begin again.
    pub styles: Vec<[usize; 2]>,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

impl Lines {
    /// Draws the figure.
    ///
    /// # Errors
    /// If a number is not finite or its magnitude exceeds `1e100`, `x` descends, or `high` is below `low`; the message
    /// names the curve and the point.
    pub fn render(&self) -> Result<Figure> {
        lines::render(self)
    }

    /// The data of the figure as JSON, to draw it with another library: its texts and axes, `curves` with `name`, `color`
    /// (`#rrggbb`), `dashes` (in widths of the line) and the columns `x`, `mean`, `low` and `high`, and `legend`, the positions of
    /// the curves in its order.
    ///
    /// # Errors
    /// If there are neither as many styles as curves nor none.
    pub fn values(&self) -> Result<String> {
        values::lines_json(self)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As for [`Lines::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// Several plots in rows under one headline. Curves with the same name have the same style in all plots and one entry in
/// the common legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panels {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline.
    pub subtitle: Option<String>,
    /// The plots, row by row; a single one fills the page.
    pub panels: Vec<Panel>,
    /// Whether all plots share the axes that fit the curves of all.
    pub one_scale: bool,
    /// As [`Lines::palette`].
    pub palette: Vec<String>,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

/// One plot of [`Panels`], with axes like those of [`Lines`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// Its heading.
    pub name: String,
    /// The quantity along the x axis, with its unit.
    pub x_label: String,
    /// The quantity along the y axis, with its unit.
    pub y_label: String,
    /// Whether the x axis is logarithmic.
    pub x_log: bool,
    /// Whether the y axis is logarithmic.
    pub y_log: bool,
    /// Whether every point gets a dot, with bars instead of a band.
    pub dots: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl Panel {
    /// Whether the bands or bars of its curves are drawn; bars only if they are few enough not to overlap.
    #[must_use]
    pub fn shows_spread(&self) -> bool {
        const MOST_BARS: usize = 10;
        !self.dots || self.curves.len() <= MOST_BARS
    }
}

impl Panels {
    /// Draws the figure.
    ///
    /// # Errors
    /// If there is no panel, and as for [`Lines::render`].
    pub fn render(&self) -> Result<Figure> {
        panels::render(self)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As for [`Panels::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// The kind of values of a [`Heatmap`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Probabilities from 0 to 1, with one half in white. The colours cover the largest distance of a value from one
    /// half, rounded up to 0.05, 0.1, 0.2, 0.3, 0.4 or 0.5.
    #[default]
    Preference,
    /// Differences from -1 to 1, with zero in white. The colours cover the largest absolute value.
    Difference,
}

/// A square matrix as colours: white for the middle value, blue above and red below. A colour bar beside the matrix
/// shows the range.
///
/// A matrix with more than 280 rows is drawn in square blocks, each in the colour of its mean; the footnote states this.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heatmap {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline.
    pub subtitle: Option<String>,
    /// The meaning of the columns.
    pub x_label: String,
    /// The meaning of the rows.
    pub y_label: String,
    /// The meaning of a value, for example `P(row beats column)`.
    pub value_label: String,
    /// The names of the rows, and of the columns in the same order. If there are none, or if they would overlap (beyond
    /// about forty rows), rows and columns are numbered from 1.
    pub labels: Vec<String>,
    /// The values of the square matrix, row by row, with the first row on top.
    pub values: Vec<f64>,
    /// The places in `values` that are unknown, for example of pairs that were never compared: they are hatched.
    pub unknown: Vec<usize>,
    /// What stands below each value in small letters, for example the number of comparisons: one text per value, or none. It is
    /// left out where squares are too small for it.
    pub details: Vec<String>,
    /// The kind of values.
    pub scale: Scale,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

impl Heatmap {
    /// Draws the figure.
    ///
    /// # Errors
    /// If `values` is empty or not square, a value is outside its scale, `labels` is neither empty nor has one name per row, or
    /// `details` is neither empty nor has one text per value.
    pub fn render(&self) -> Result<Figure> {
        heatmap::render(self)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As for [`Heatmap::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// Estimates with their intervals, one row each, the first on top. The page grows with the rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forest {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline, e.g. what the two kinds of intervals are.
    pub subtitle: Option<String>,
    /// The quantity along the x axis, with its unit.
    pub x_label: String,
    /// Whether the axis ends near the intervals instead of at zero: where differences matter and zero is far away.
    pub close: bool,
    /// The rows.
    pub rows: Vec<ForestRow>,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

/// A row of a [`Forest`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForestRow {
    /// The name to the left.
    pub name: String,
    /// The estimate: a dot.
    pub value: f64,
    /// The interval drawn as a wide bar. Ends that are not finite have an arrow at the edge.
    pub inner: (f64, f64),
    /// The interval drawn as a thin line, if there is another.
    pub outer: Option<(f64, f64)>,
    /// A short text to the right.
    pub text: String,
}

impl Forest {
    /// Draws the figure.
    ///
    /// # Errors
    /// If there is no row, a value is not finite, or the ends of an interval are the wrong way round.
    pub fn render(&self) -> Result<Figure> {
        forest::render(self)
    }

    /// The data of the figure as JSON, to draw it with another library: its texts, `rows` as [`ForestRow`] has them, with
    /// `null` for ends that are not finite, and the `colors` of the two kinds of intervals.
    ///
    /// # Errors
    /// As for [`Forest::render`].
    pub fn values(&self) -> Result<String> {
        values::forest_json(self)
    }

    /// The forest that `svg` shows, which [`Forest::render`] has drawn; `None` of other figures.
    #[must_use]
    pub fn from_svg(svg: &str) -> Option<Self> {
        values::forest_from_svg(svg)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As for [`Forest::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// A drawn figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The figure as SVG text, 1280 units wide and 720 high, or higher with many panels. Its `metadata` element holds the
    /// values of the plots as JSON, for pages that show them on hover.
    pub svg: String,
    /// The figure as a PNG file with two pixels per unit.
    pub png: Vec<u8>,
}

impl Figure {
    /// Writes `stem.svg` and `stem.png` (the endings are appended; dots in `stem` remain), each in one step. The folder
    /// must exist.
    ///
    /// # Errors
    /// As for [`write_atomic`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        let ending = |ending: &str| {
            let mut path = stem.as_os_str().to_owned();
            path.push(ending);
            PathBuf::from(path)
        };
        write_atomic(&ending(".svg"), self.svg.as_bytes())?;
        write_atomic(&ending(".png"), &self.png)
    }
}
