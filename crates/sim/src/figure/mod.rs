//! Figures fit for a slide: mean curves with shaded bands, and heat maps of preferences.
//!
//! | figure | for |
//! |---|---|
//! | [`Lines`] | cumulative regret against time, one curve an algorithm, with or without bands |
//! | [`Panels`] | several such plots side by side, with one legend, or dots with bars |
//! | [`Heatmap`] | a preference matrix, white at one half |
//!
//! Each renders to a [`Figure`]: an SVG of 1280 by 720 units and a PNG of twice as many pixels.
//! The PNG carries its letters with it and needs no font on the machine; the SVG names DejaVu Sans
//! and, failing that, any plain sans serif. Colours are those of Okabe and Ito, told apart by
//! colour-blind readers too, and every curve has its own dashes for print without colour. The same
//! values give the same bytes.
//!
//! ```
//! use sim::figure::{Curve, CurvePoint, Lines};
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

mod dash;
mod heatmap;
mod legend;
mod lines;
// The only file that knows the plotting library.
mod page;
mod panels;
mod plot;
mod scale;
#[cfg(test)]
mod tests;
mod text;

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::output::write_atomic;

/// One curve and its name in the legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points with `x` never falling. One point is drawn as a dot, none as a name alone.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve and the band around it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CurvePoint {
    /// Where it is, in units of the x axis.
    pub x: f64,
    /// Where the line passes.
    pub mean: f64,
    /// Where the band begins; it may lie above the mean, as a percentile can.
    pub low: f64,
    /// Where the band ends, not below `low`.
    pub high: f64,
}

impl CurvePoint {
    /// A point without a band. A curve of such points is drawn as a line alone.
    pub fn exact(x: f64, y: f64) -> Self {
        Self { x, mean: y, low: y, high: y }
    }
}

/// Curves with shaded bands and a legend beside them, its names in the order in which the curves
/// end, the highest first.
///
/// Linear axes include zero. On a logarithmic axis what is not above `1e-9` has no place: a point
/// whose `x` or mean is not is left out, and a band that reaches below runs to the bottom edge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lines {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline: what the bands are, how many runs.
    pub subtitle: Option<String>,
    /// The quantity along the x axis, with its unit.
    pub x_label: String,
    /// The quantity along the y axis, with its unit.
    pub y_label: String,
    /// Whether the x axis is logarithmic.
    pub x_log: bool,
    /// Whether the y axis is logarithmic.
    pub y_log: bool,
    /// The curves; colour and dashes go by their position, and repeat after 28.
    pub curves: Vec<Curve>,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

impl Lines {
    /// Draws the figure.
    ///
    /// # Errors
    /// When a number is not finite (or beyond `1e100`), an `x` falls or a band ends below its
    /// beginning; the message names the curve and the point.
    pub fn render(&self) -> Result<Figure> {
        lines::render(self)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As [`Lines::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// Several plots in rows under one headline. Curves of the same name look alike in all of them, and
/// share an entry of the one legend.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panels {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline.
    pub subtitle: Option<String>,
    /// The plots, row by row; one fills the page.
    pub panels: Vec<Panel>,
    /// Whether all have the same axes, those that hold the curves of all.
    pub one_scale: bool,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

/// One plot of [`Panels`]; its axes are as those of [`Lines`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Panel {
    /// What stands above it.
    pub name: String,
    /// The quantity along the x axis, with its unit.
    pub x_label: String,
    /// The quantity along the y axis, with its unit.
    pub y_label: String,
    /// Whether the x axis is logarithmic.
    pub x_log: bool,
    /// Whether the y axis is logarithmic.
    pub y_log: bool,
    /// Whether every point gets a dot, and bars in place of a band.
    pub dots: bool,
    /// The curves.
    pub curves: Vec<Curve>,
}

impl Panels {
    /// Draws the figure.
    ///
    /// # Errors
    /// Without any panel, and as [`Lines::render`].
    pub fn render(&self) -> Result<Figure> {
        panels::render(self)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As [`Panels::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// What the values of a [`Heatmap`] are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Probabilities from 0 to 1, one half white. The colours reach as far from it as the values do, up
    /// to the next of 0.05, 0.1, 0.2, 0.3, 0.4 and 0.5.
    #[default]
    Preference,
    /// Differences from -1 to 1, none white. The colours reach as far as the largest.
    Difference,
}

/// A square matrix, its middle value white, more of it blue and less of it red; the scale beside the
/// matrix says how far the colours reach.
///
/// A matrix of more than 280 rows is drawn in
/// square blocks, each in the colour of its mean, and the footnote says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heatmap {
    /// The headline; a long one is set smaller, then on two lines.
    pub title: String,
    /// A smaller line below the headline.
    pub subtitle: Option<String>,
    /// What the columns are.
    pub x_label: String,
    /// What the rows are.
    pub y_label: String,
    /// What a value is, for example `P(row beats column)`.
    pub value_label: String,
    /// The names of the rows, and of the columns in the same order. Without names, or where they
    /// would collide (beyond about forty rows), rows and columns are numbered from 1.
    pub labels: Vec<String>,
    /// The values: a square matrix, row by row, the first row on top.
    pub values: Vec<f64>,
    /// What they are.
    pub scale: Scale,
    /// A footnote, for example that the data are synthetic.
    pub note: Option<String>,
}

impl Heatmap {
    /// Draws the figure.
    ///
    /// # Errors
    /// When `values` is empty or not square, a value is beyond its scale, or there are names but
    /// not one for each row.
    pub fn render(&self) -> Result<Figure> {
        heatmap::render(self)
    }

    /// Draws the figure and writes it as [`Figure::save`] does.
    ///
    /// # Errors
    /// As [`Heatmap::render`] and [`Figure::save`].
    pub fn save(&self, stem: &Path) -> Result<()> {
        self.render()?.save(stem)
    }
}

/// A drawn figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The figure as SVG text, 1280 by 720 units or, with many panels, higher. Its `metadata` holds the
    /// values of the plots as JSON, for readers that can point at them.
    pub svg: String,
    /// The figure as a PNG file, of two pixels a unit.
    pub png: Vec<u8>,
}

impl Figure {
    /// Writes `stem.svg` and `stem.png` (the endings are added to `stem`, dots in it stay), each in
    /// one step. The folder must exist.
    ///
    /// # Errors
    /// As [`write_atomic`].
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
