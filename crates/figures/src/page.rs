//! A page to draw on, based on the library `kuva`. Only `print::sheet` uses its types, too.
//!
//! The library provides the axes with their grid, the colour map, the widths of letters, and the two back ends. Curves,
//! legend and headline are placed by this crate, because the library's PNG back end restarts dashes at every point of a
//! curve (so that dense curves look solid), does not scale them with the pixels, and centres headlines regardless of
//! their width.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use kuva::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::ColorMap;
use kuva::render::axis::add_axes_and_grid;
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, Layout, TickFormat};
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, TextSpan};
use kuva::render::theme::Theme;
use serde::Serialize;

use crate::Figure;
use crate::scale::{Axis, TickScheme};

/// The width of the page, in units of the SVG.
pub(super) const WIDTH: f64 = 1280.0;
/// The usual height of the page, in units of the SVG.
pub(super) const HEIGHT: f64 = 720.0;
/// Pixels of the PNG per unit.
const DENSITY: f32 = 2.0;
/// Size of the tick labels.
pub(super) const TICK_SIZE: u32 = 18;

/// Red, green and blue.
pub(super) type Rgb = (u8, u8, u8);

/// The colour of text.
pub(super) const INK: Rgb = (38, 38, 38);
/// The colour of subtitles, footnotes and ticks.
pub(super) const MUTED: Rgb = (96, 96, 96);

/// The part of a text that lies at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// The style of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) size: u32,
    pub(super) color: Rgb,
    pub(super) align: Align,
    /// Bold letters; not with `upward`.
    pub(super) bold: bool,
    /// Whether it reads from bottom to top. The PNG renders this roughly, so it is a last resort.
    pub(super) upward: bool,
}

impl Style {
    pub(super) fn new(size: u32, align: Align) -> Self {
        Self { size, color: INK, align, bold: false, upward: false }
    }

    pub(super) fn muted(self) -> Self {
        Self { color: MUTED, ..self }
    }

    pub(super) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) fn upward(self) -> Self {
        Self { upward: true, ..self }
    }
}

/// The rectangle between the axes, in units of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Maps values to positions on the page.
pub(super) struct CoordinateMap(ComputedLayout);

impl CoordinateMap {
    pub(super) fn x(&self, value: f64) -> f64 {
        self.0.map_x(value)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.0.map_y(value)
    }
}

/// The values of a plot for display on hover, stored in the metadata of the SVG.
#[derive(Debug, Serialize)]
pub(super) struct Hover {
    pub(super) name: String,
    /// Left, right, top and bottom, in units of the page.
    pub(super) frame: [f64; 4],
    pub(super) x: HoverAxis,
    pub(super) y: HoverAxis,
    pub(super) curves: Vec<HoverCurve>,
}

/// An axis of a [`Hover`].
#[derive(Debug, Serialize)]
pub(super) struct HoverAxis {
    pub(super) label: String,
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) log: bool,
}

/// A curve of a [`Hover`]; a point is x, mean, and the lower and upper end of the band.
#[derive(Debug, Serialize)]
pub(super) struct HoverCurve {
    pub(super) name: String,
    pub(super) color: String,
    pub(super) points: Vec<[f64; 4]>,
}

/// A page, initially white.
pub(super) struct Page {
    scene: Scene,
    height: f64,
    hovers: Vec<Hover>,
}

impl Page {
    pub(super) fn new() -> Self {
        Self::of_height(HEIGHT)
    }

    pub(super) fn of_height(height: f64) -> Self {
        let mut scene = Scene::new(WIDTH, height);
        // The PNG uses the first of these; the others are narrower and fit as well.
        scene.font_family = Some("DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif".to_owned());
        scene.text_color = Some("#262626".to_owned());
        Self { scene, height, hovers: Vec::new() }
    }

    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// Adds the values of a plot for display on hover.
    pub(super) fn hover(&mut self, hover: Hover) {
        self.hovers.push(hover);
    }

    /// Draws axes with ticks, labels of `size`, and a faint grid.
    pub(super) fn axes(&mut self, frame: Frame, x: &Axis, y: &Axis, size: u32) -> CoordinateMap {
        let mut layout = Layout::new((x.lo, x.hi), (y.lo, y.hi))
            .with_width(WIDTH)
            .with_height(self.height)
            .with_force_margins(frame.left, WIDTH - frame.right)
            .with_force_margins_y(frame.top, self.height - frame.bottom)
            .with_x_axis_min(x.lo)
            .with_x_axis_max(x.hi)
            .with_y_axis_min(y.lo)
            .with_y_axis_max(y.hi)
            .with_x_tick_format(labels(x))
            .with_y_tick_format(labels(y))
            .with_tick_size(size)
            .with_tick_length(6.0)
            .with_theme(Theme {
                axis_color: "#666666".to_owned(),
                tick_color: "#666666".to_owned(),
                grid_color: "#e8e8e8".to_owned(),
                text_color: "#262626".to_owned(),
                ..Theme::light()
            });
        if let TickScheme::Linear { step } = x.scheme {
            layout = layout.with_x_tick_step(step);
        }
        if let TickScheme::Linear { step } = y.scheme {
            layout = layout.with_y_tick_step(step);
        }
        layout.log_x = x.is_log();
        layout.log_y = y.is_log();
        let map = CoordinateMap(ComputedLayout::from_layout(&layout));
        add_axes_and_grid(&mut self.scene, &map.0, &layout);
        for value in x.minor() {
            let x = map.x(value);
            self.stroke(&[(x, frame.bottom), (x, frame.bottom + 3.5)], MUTED, 1.0);
        }
        for value in y.minor() {
            let y = map.y(value);
            self.stroke(&[(frame.left - 3.5, y), (frame.left, y)], MUTED, 1.0);
        }
        map
    }

    /// Draws a text with its baseline at `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, style: Style) {
        let anchor = match style.align {
            Align::Start => TextAnchor::Start,
            Align::Middle => TextAnchor::Middle,
            Align::End => TextAnchor::End,
        };
        let color = Some(color(style.color));
        let text = printable(text);
        // In the library, plain texts interpret `$...$` as mathematics. Rich texts do not, and only they can be bold
        // in the PNG, but they cannot be rotated.
        self.scene.add(if style.upward {
            Primitive::Text {
                x,
                y,
                content: text.replace('$', "\\$"),
                size: style.size,
                anchor,
                rotate: Some(-90.0),
                bold: false,
                color,
            }
        } else {
            let mut span = TextSpan::plain(text);
            span.bold = style.bold;
            Primitive::RichText { x, y, spans: vec![span], size: style.size, anchor, color }
        });
    }

    /// Draws a line through `points`.
    pub(super) fn stroke(&mut self, points: &[(f64, f64)], line: Rgb, width: f64) {
        self.scene.add(Primitive::PolyLine {
            points: points.to_vec(),
            stroke: color(line),
            stroke_width: width,
            stroke_dasharray: None,
        });
    }

    /// Fills the area within `points`; `opacity` is from 0 to 1.
    pub(super) fn area(&mut self, points: &[(f64, f64)], fill: Rgb, opacity: f64) {
        let mut d = String::with_capacity(points.len() * 16);
        for (i, (x, y)) in points.iter().enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            d.push_str(&format!("{command}{x:.2} {y:.2}"));
        }
        d.push('Z');
        self.scene.add(Primitive::Path(Box::new(PathData {
            d,
            fill: Some(color(fill)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: Some(opacity),
            stroke_dasharray: None,
        })));
    }

    /// Draws a disc.
    pub(super) fn dot(&mut self, x: f64, y: f64, radius: f64, fill: Rgb) {
        self.scene.add(Primitive::Circle {
            cx: x,
            cy: y,
            r: radius,
            fill: color(fill),
            fill_opacity: None,
            stroke: None,
            stroke_width: None,
        });
    }

    /// Draws filled rectangles, each given by left, top, width, height and colour.
    pub(super) fn cells(&mut self, cells: impl IntoIterator<Item = (f64, f64, f64, f64, Rgb)>) {
        let (mut xs, mut ys, mut ws, mut hs, mut fills) = (vec![], vec![], vec![], vec![], vec![]);
        for (x, y, w, h, fill) in cells {
            xs.push(x);
            ys.push(y);
            ws.push(w);
            hs.push(h);
            fills.push(color(fill));
        }
        self.scene.add(Primitive::RectBatch { x: xs, y: ys, w: ws, h: hs, fills });
    }

    /// Draws the outline of `frame`.
    pub(super) fn outline(&mut self, frame: Frame) {
        self.scene.add(Primitive::Rect {
            x: frame.left,
            y: frame.top,
            width: frame.right - frame.left,
            height: frame.bottom - frame.top,
            fill: Color::None,
            stroke: Some(color(MUTED)),
            stroke_width: Some(1.0),
            opacity: None,
        });
    }

    pub(super) fn finish(self) -> Result<Figure> {
        let png = RasterBackend::new()
            .with_scale(DENSITY)
            .render_scene(&self.scene)
            .map_err(|error| anyhow!("failed to draw the figure as PNG: {error}"))?;
        // The view box lets viewers scale the figure. Round joins are as in the PNG; the default mitred ones extend far
        // beyond the corners of a steep curve.
        let height = self.height;
        let root = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" stroke-linejoin=\"round\" stroke-linecap=\"round\" ");
        let svg = SvgBackend::new().render_scene(&self.scene).replacen("<svg ", &root, 1);
        Ok(Figure { svg: with_metadata(svg, &self.hovers)?, png })
    }
}

/// `svg` with the values of its plots as JSON in a `metadata` element, which viewers do not display.
fn with_metadata(svg: String, hovers: &[Hover]) -> Result<String> {
    if hovers.is_empty() {
        return Ok(svg);
    }
    let json = serde_json::to_string(hovers)?.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let start = svg.find("<svg ").and_then(|root| Some(root + svg[root..].find('>')? + 1));
    let Some(start) = start else { return Ok(svg) };
    Ok(format!("{}<metadata>{}</metadata>{}", &svg[..start], json.replace('"', "&quot;"), &svg[start..]))
}

/// The width of `text` in regular letters of `size`; bold letters are up to a fifth wider.
pub(super) fn width(text: &str, size: u32) -> f64 {
    // The library measures text only for its own margins: the margin of category labels is exactly the width of the
    // widest label.
    let layout = Layout::new((0.0, 1.0), (0.0, 1.0)).with_y_categories(vec![printable(text)]).with_tick_size(size);
    ComputedLayout::from_layout(&layout).y_tick_label_px
}

/// The colour of `share`, from red (0) over white (0.5) to blue (1).
pub(super) fn diverging(share: f64) -> Rgb {
    ColorMap::RedBlue.map_rgb(share).unwrap_or((247, 247, 247))
}

fn labels(axis: &Axis) -> TickFormat {
    let axis = axis.clone();
    TickFormat::Custom(Arc::new(move |value| axis.label(value)))
}

/// `#rrggbb`.
pub(super) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn color((r, g, b): Rgb) -> Color {
    Color::Rgb(r, g, b)
}

/// `text` on one line, with characters that XML does not allow replaced by spaces.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{fffe}' | '\u{ffff}' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
