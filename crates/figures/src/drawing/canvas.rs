//! The canvas of every figure: marks from the upper left corner, in points (1/72 in) for print and in pixels for the screen. It
//! becomes SVG, or PNG through the library `kuva` (no other file uses its types); `print::pdf` writes it as PDF.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use kuva::RasterBackend;
use kuva::plot::ColorMap;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, TextSpan};

use crate::drawing::dash::dashes;

/// Units of the scene behind a PNG per point: its letters have whole sizes.
const FINE: f64 = 10.0;

/// Red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);

/// The colour of text.
pub(crate) const INK: Rgb = (38, 38, 38);
/// The colour of subtitles, footnotes and ticks.
pub(crate) const MUTED: Rgb = (96, 96, 96);

/// The part of a text that lies at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Middle,
    End,
}

/// A rectangle, for example between axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// What is on a canvas.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    /// A line, with dashes and gaps of these lengths.
    Line { points: Vec<(f64, f64)>, width: f64, color: Rgb, dashes: Vec<f64> },
    /// A filled area.
    Area { points: Vec<(f64, f64)>, color: Rgb, opacity: f64 },
    /// A disc.
    Dot { x: f64, y: f64, radius: f64, color: Rgb },
    /// Filled rectangles side by side, such as the squares of a matrix.
    Cells(Vec<(Frame, Rgb)>),
    /// A text with its baseline at `y`, or, where it reads upward, at `x`.
    Text { x: f64, y: f64, text: String, size: f64, color: Rgb, align: Align, bold: bool, upward: bool },
}

/// The colour of paper where a reader's theme is dark.
const DARK_PAPER: &str = "#14181d";
/// Colours and what becomes of them on it. Curves keep theirs, which can be seen on both; black becomes white, and greys change places.
const DARK: [(&str, &str); 5] = [
    ("#000000", "#ffffff"),
    ("#262626", "#e6e6e6"),
    ("#606060", "#a8adb3"),
    ("#666666", "#a8adb3"),
    ("#e2e2e2", "#333940"),
];

/// Rules of a style sheet by which figures of this crate are dark; `within` is a selector of what they are in, such as `.curves `, or empty.
/// They are not for heat maps, where colours need their paper.
#[must_use]
pub fn dark_rules(within: &str) -> String {
    // Numbers on dark squares stay white.
    let mut rules = format!("{within}:not(text)[fill=\"#ffffff\"] {{ fill: {DARK_PAPER} }}\n");
    for (light, dark) in DARK {
        for property in ["fill", "stroke"] {
            let _ = writeln!(rules, "{within}[{property}=\"{light}\"] {{ {property}: {dark} }}");
        }
    }
    rules
}

/// The unit of lengths, as SVG names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Points,
    Pixels,
}

/// A sheet, initially white.
pub(crate) struct Canvas {
    pub(crate) width: f64,
    pub(crate) height: f64,
    unit: Unit,
    /// The content of the SVG's element `metadata`, which viewers do not display.
    pub(crate) metadata: Option<String>,
    /// Whether the SVG is dark where its reader's theme is.
    pub(crate) adaptive: bool,
    pub(crate) marks: Vec<Mark>,
}

impl Canvas {
    pub(crate) fn new(width: f64, height: f64, unit: Unit) -> Self {
        Self { width, height, unit, metadata: None, adaptive: false, marks: Vec::new() }
    }

    pub(crate) fn line(&mut self, points: &[(f64, f64)], width: f64, color: Rgb) {
        self.dashed_line(points, width, color, &[]);
    }

    pub(crate) fn dashed_line(&mut self, points: &[(f64, f64)], width: f64, color: Rgb, dashes: &[f64]) {
        if points.len() > 1 {
            self.marks.push(Mark::Line { points: points.to_vec(), width, color, dashes: dashes.to_vec() });
        }
    }

    pub(crate) fn area(&mut self, points: Vec<(f64, f64)>, color: Rgb, opacity: f64) {
        self.marks.push(Mark::Area { points, color, opacity });
    }

    /// Fills a rectangle.
    pub(crate) fn rect(&mut self, (left, top): (f64, f64), (width, height): (f64, f64), color: Rgb, opacity: f64) {
        let (right, bottom) = (left + width, top + height);
        self.area(vec![(left, top), (right, top), (right, bottom), (left, bottom)], color, opacity);
    }

    /// Fills rectangles that lie side by side.
    pub(crate) fn cells(&mut self, cells: impl IntoIterator<Item = (Frame, Rgb)>) {
        self.marks.push(Mark::Cells(cells.into_iter().collect()));
    }

    /// Draws the outline of `frame`.
    pub(crate) fn outline(&mut self, frame: Frame, width: f64) {
        let Frame { left, right, top, bottom } = frame;
        self.line(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], width, MUTED);
    }

    pub(crate) fn dot(&mut self, x: f64, y: f64, radius: f64, color: Rgb) {
        self.marks.push(Mark::Dot { x, y, radius, color });
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, text: &str, size: f64, align: Align) {
        self.styled_text((x, y), text, size, align, INK, false);
    }

    pub(crate) fn styled_text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        size: f64,
        align: Align,
        color: Rgb,
        bold: bool,
    ) {
        let text = printable(text);
        self.marks.push(Mark::Text { x, y, text, size, color, align, bold, upward: false });
    }

    /// A text that reads from bottom to top and ends at `y`.
    pub(crate) fn upward_text(&mut self, (x, y): (f64, f64), text: &str, size: f64) {
        let (text, color, align) = (printable(text), INK, Align::End);
        self.marks.push(Mark::Text { x, y, text, size, color, align, bold: false, upward: true });
    }

    /// The sheet as SVG in its size.
    pub(crate) fn svg(&self) -> String {
        let (width, height) = (format_number(self.width), format_number(self.height));
        let dark = match self.adaptive {
            true => format!("<style>@media (prefers-color-scheme: dark) {{\n{}}}</style>\n", dark_rules("")),
            false => String::new(),
        };
        let unit = if self.unit == Unit::Points { "pt" } else { "" };
        let metadata = self.metadata.as_deref().map_or_else(String::new, |text| {
            format!("<metadata>{}</metadata>\n", escaped(text).replace('"', "&quot;"))
        });
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}{unit}\" height=\"{height}{unit}\" \
             viewBox=\"0 0 {width} {height}\" stroke-linejoin=\"round\" \
             font-family=\"DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif\">\n\
             {metadata}{dark}<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        for mark in &self.marks {
            let _ = match mark {
                Mark::Line { points, width, color, dashes } => {
                    let (dash, cap) = match dashes.is_empty() {
                        true => (String::new(), " stroke-linecap=\"round\""),
                        false => (format!(" stroke-dasharray=\"{}\"", format_numbers(dashes)), ""),
                    };
                    let (color, width) = (hex(*color), format_number(*width));
                    writeln!(
                        svg,
                        "<path d=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{cap}{dash}/>",
                        path(points)
                    )
                }
                Mark::Area { points, color, opacity } => {
                    let opacity = if *opacity < 1.0 {
                        format!(" fill-opacity=\"{}\"", format_number(*opacity))
                    } else {
                        String::new()
                    };
                    writeln!(svg, "<path d=\"{}Z\" fill=\"{}\"{opacity}/>", path(points), hex(*color))
                }
                Mark::Dot { x, y, radius, color } => {
                    let [x, y, radius] = [*x, *y, *radius].map(format_number);
                    writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>", hex(*color))
                }
                Mark::Cells(cells) => {
                    for (frame, color) in cells {
                        let Frame { left, right, top, bottom } = *frame;
                        let [x, y, width, height] = [left, top, right - left, bottom - top].map(format_number);
                        let color = hex(*color);
                        let _ = writeln!(
                            svg,
                            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{color}\"/>"
                        );
                    }
                    Ok(())
                }
                Mark::Text { x, y, text, size, color, align, bold, upward } => {
                    let [x, y, size] = [*x, *y, *size].map(format_number);
                    let turned = if *upward { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
                    let anchor = match align {
                        Align::Start => "",
                        Align::Middle => " text-anchor=\"middle\"",
                        Align::End => " text-anchor=\"end\"",
                    };
                    let bold = if *bold { " font-weight=\"bold\"" } else { "" };
                    let (text, color) = (escaped(text), hex(*color));
                    writeln!(
                        svg,
                        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{color}\"{anchor}{bold}{turned}>{text}</text>"
                    )
                }
            };
        }
        svg + "</svg>\n"
    }

    /// The sheet as PNG with `density` pixels per 72 units.
    pub(crate) fn png(&self, density: f64) -> Result<Vec<u8>> {
        let mut scene = Scene::new((self.width * FINE).round(), (self.height * FINE).round());
        scene.background_color = Some("#ffffff".to_owned());
        for mark in &self.marks {
            draw(&mut scene, mark);
        }
        let backend = RasterBackend::new().with_scale((density / 72.0 / FINE) as f32);
        backend.render_scene(&scene).map_err(|error| anyhow!("failed to draw the figure as PNG: {error}"))
    }
}

/// Adds a mark to the scene behind a PNG.
fn draw(scene: &mut Scene, mark: &Mark) {
    let fine = |points: &[(f64, f64)]| points.iter().map(|(x, y)| (x * FINE, y * FINE)).collect::<Vec<_>>();
    let rgb = |(r, g, b): Rgb| Color::Rgb(r, g, b);
    match mark {
        Mark::Line { points, width, color, dashes: pattern } => {
            for points in dashes(points, pattern) {
                let points = fine(&points);
                let (stroke, stroke_width) = (rgb(*color), width * FINE);
                scene.add(Primitive::PolyLine { points, stroke, stroke_width, stroke_dasharray: None });
            }
        }
        Mark::Area { points, color, opacity } => scene.add(Primitive::Path(Box::new(PathData {
            d: path(&fine(points)) + "Z",
            fill: Some(rgb(*color)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: Some(*opacity),
            stroke_dasharray: None,
        }))),
        Mark::Dot { x, y, radius, color } => scene.add(Primitive::Circle {
            cx: x * FINE,
            cy: y * FINE,
            r: radius * FINE,
            fill: rgb(*color),
            fill_opacity: None,
            stroke: None,
            stroke_width: None,
        }),
        Mark::Cells(cells) => {
            let lengths = |of: fn(&Frame) -> f64| cells.iter().map(|(frame, _)| FINE * of(frame)).collect();
            scene.add(Primitive::RectBatch {
                x: lengths(|frame| frame.left),
                y: lengths(|frame| frame.top),
                w: lengths(|frame| frame.right - frame.left),
                h: lengths(|frame| frame.bottom - frame.top),
                fills: cells.iter().map(|(_, color)| rgb(*color)).collect(),
            });
        }
        Mark::Text { x, y, text, size, color, align, bold, upward } => {
            let anchor = match align {
                Align::Start => TextAnchor::Start,
                Align::Middle => TextAnchor::Middle,
                Align::End => TextAnchor::End,
            };
            let (x, y, color) = (x * FINE, y * FINE, Some(rgb(*color)));
            let size = (size * FINE).round() as u32;
            // In the library, plain texts interpret `$...$` as mathematics. Rich texts do not, and only they can be bold, but they
            // cannot be rotated.
            scene.add(if *upward {
                let (content, rotate) = (text.replace('$', "\\$"), Some(-90.0));
                Primitive::Text { x, y, content, size, anchor, rotate, bold: false, color }
            } else {
                let mut span = TextSpan::plain(text.clone());
                span.bold = *bold;
                Primitive::RichText { x, y, spans: vec![span], size, anchor, color }
            });
        }
    }
}

/// A number with as many decimals as can be seen, at most three.
pub(crate) fn format_number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub(crate) fn format_numbers(values: &[f64]) -> String {
    values.iter().map(|value| format_number(*value)).collect::<Vec<_>>().join(" ")
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::with_capacity(points.len() * 16);
    for (at, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if at == 0 { 'M' } else { 'L' }, format_number(*x), format_number(*y));
    }
    path
}

/// The colour of `share`, from red (0) over white (0.5) to blue (1).
pub(crate) fn diverging(share: f64) -> Rgb {
    ColorMap::RedBlue.map_rgb(share).unwrap_or((247, 247, 247))
}

/// `#rrggbb`.
pub(crate) fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// `text` as XML has it between elements.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The content of the element `metadata` in an SVG of this crate: the values that it shows, as JSON. `None` without one.
#[must_use]
pub fn metadata(svg: &str) -> Option<String> {
    let (_, rest) = svg.split_once("<metadata>")?;
    let (text, _) = rest.split_once("</metadata>")?;
    Some(text.replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))
}

/// `text` on one line, with characters that XML does not allow replaced by spaces.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{fffe}' | '\u{ffff}' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
