//! Heat maps of grids of parameters, printed.

use anyhow::{Result, ensure};

use super::{Grid, Print, Sheet, footnote, heading, height, write};
use crate::drawing::canvas::{Align, Canvas, Frame, INK, Rgb};
use crate::drawing::font::Fonts;
use crate::text::{truncate, wrap};

/// The colours of the smallest and of the largest value: their lightness differs, also in print without colour.
const ENDS: [[f64; 3]; 3] = [[247.0, 251.0, 255.0], [107.0, 174.0, 214.0], [8.0, 48.0, 107.0]];
const EMPTY: Rgb = (235, 235, 235);

/// Draws `grid`.
pub(super) fn draw(print: &Print, grid: &Grid, fonts: &Fonts) -> Result<Sheet> {
    let (columns, rows) = (grid.columns.len(), grid.rows.len());
    ensure!(columns > 0 && rows > 0 && !grid.maps.is_empty(), "failed to draw a heat map: it has no values");
    for (name, values) in &grid.maps {
        ensure!(
            values.len() == columns * rows,
            "failed to draw a heat map: {name:?} has {} values for {rows} rows of {columns}",
            values.len()
        );
    }
    let known_values = || grid.maps.iter().flat_map(|(_, values)| values).flatten().copied();
    ensure!(known_values().all(f64::is_finite), "failed to draw a heat map: only finite numbers can be drawn");
    let (lo, hi) =
        known_values().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), value| (lo.min(value), hi.max(value)));
    let scale = ColorScale { lo, hi };
    let text = Numbers::of(lo, hi);

    let (font, size) = (print.font, print.small());
    let title = heading(print, fonts, &grid.title, grid.subtitle.as_deref());
    let note = footnote(print, fonts, grid.note.as_deref());
    let room = print.width - 2.0 * print.edge();
    let widest = |names: &[String]| names.iter().map(|name| fonts.width(name, size)).fold(0.0, f64::max);
    let side = widest(&grid.rows).min(0.4 * room) + 0.6 * font;
    let gutter = 1.2 * font;
    // As many maps beside each other as leave squares for their numbers.
    let number = known_values().map(|value| fonts.width(&text.of_value(value), size)).fold(0.0, f64::max);
    let needed = side + columns as f64 * (number + 0.5 * font).max(widest(&grid.columns) + 0.4 * font);
    let across = (((room + gutter) / (needed + gutter)) as usize).clamp(1, grid.maps.len());
    let across = grid.maps.len().div_ceil(grid.maps.len().div_ceil(across));
    let wide = (room - (across - 1) as f64 * gutter) / across as f64;
    let label_lines = wrap(&grid.y_label, wide, |line| fonts.width(line, font));
    let named = grid.maps.iter().any(|(name, _)| !name.is_empty());
    let name_lines = grid.maps.iter().map(|(name, _)| wrap(name, wide, |line| fonts.bold.width(line, font)).len());
    let names_high = if named { name_lines.max().unwrap_or(0) } else { 0 };
    let above = (label_lines.len() + names_high) as f64 * 1.25 * font + 0.5 * font;
    let below = 0.3 * font + 1.3 * size + 1.3 * font;
    let bar_high = 4.4 * font;
    let map_rows = grid.maps.len().div_ceil(across) as f64;
    let others = 2.0 * print.edge() + height(&title, print) + height(&note, print) + bar_high;
    let around = map_rows * (above + below) + (map_rows - 1.0) * 0.5 * font;
    let cell_wide = (wide - side) / columns as f64;
    let cell_tall = match print.height {
        Some(all) => (all - others - around) / map_rows / rows as f64,
        None => cell_wide.clamp(1.5 * font, 2.6 * font),
    };
    ensure!(
        cell_wide >= 0.5 * font && cell_tall >= 0.5 * font,
        "a heat map of {rows} rows of {columns} does not fit; choose a larger figure or smaller letters"
    );
    let all = print.height.unwrap_or(others + around + map_rows * rows as f64 * cell_tall);
    let mut canvas = print.canvas(all);
    write(&mut canvas, print.edge(), print.edge(), &title);
    let start = print.edge() + height(&title, print);
    let written = number + 0.2 * font <= cell_wide && cell_tall >= 1.2 * size;
    for (at, (name, values)) in grid.maps.iter().enumerate() {
        let left = print.edge() + (at % across) as f64 * (wide + gutter);
        let top = start + (at / across) as f64 * (above + below + rows as f64 * cell_tall + 0.5 * font);
        let names = wrap(name, wide, |line| fonts.bold.width(line, font));
        let lines =
            names.into_iter().map(|line| (line, true)).chain(label_lines.iter().map(|line| (line.clone(), false)));
        let lines: Vec<_> = lines.collect();
        for (at, (line, bold)) in lines.iter().enumerate() {
            let y = top + above - 0.6 * font - (lines.len() - 1 - at) as f64 * 1.25 * font;
            canvas.styled_text((left, y), line, font, Align::Start, INK, *bold);
        }
        let frame = Frame {
            left: left + side,
            right: left + wide,
            top: top + above,
            bottom: top + above + rows as f64 * cell_tall,
        };
        for (at, value) in values.iter().enumerate() {
            let place = (frame.left + (at % columns) as f64 * cell_wide, frame.top + (at / columns) as f64 * cell_tall);
            let color = value.map_or(EMPTY, |value| scale.color(value));
            canvas.rect(place, (cell_wide, cell_tall), color, 1.0);
            if let Some(value) = value.filter(|_| written) {
                let ink = if scale.share(value) > 0.55 { (255, 255, 255) } else { INK };
                let middle = (place.0 + cell_wide / 2.0, place.1 + cell_tall / 2.0 + 0.36 * size);
                canvas.styled_text(middle, &text.of_value(value), size, Align::Middle, ink, false);
            }
        }
        labels(&mut canvas, grid, frame, (cell_wide, cell_tall), print, fonts);
        canvas.outline(frame, 0.08 * font);
        let label = truncate(&grid.x_label, wide, |line| fonts.width(line, font));
        let y = frame.bottom + 0.3 * font + 1.3 * size + 0.9 * font;
        canvas.text((frame.left + frame.right) / 2.0, y, &label, font, Align::Middle);
    }
    let bar = all - print.edge() - height(&note, print) - bar_high;
    shades(&mut canvas, grid, (bar, room), (scale, &text), print, fonts);
    write(&mut canvas, print.edge(), all - print.edge() - height(&note, print) + 0.4 * font, &note);
    Ok(Sheet { canvas, title: grid.title.clone() })
}

/// The names of rows and columns, as many as fit.
fn labels(canvas: &mut Canvas, grid: &Grid, frame: Frame, (wide, tall): (f64, f64), print: &Print, fonts: &Fonts) {
    let (font, size) = (print.font, print.small());
    let widest = grid.columns.iter().map(|name| fonts.width(name, size)).fold(0.0, f64::max);
    let every = ((widest + 0.4 * font) / wide).ceil().max(1.0) as usize;
    for (at, name) in grid.columns.iter().enumerate().step_by(every) {
        let x = frame.left + (at as f64 + 0.5) * wide;
        canvas.text(x, frame.bottom + 0.3 * font + size, name, size, Align::Middle);
    }
    let every = (1.1 * size / tall).ceil().max(1.0) as usize;
    for (at, name) in grid.rows.iter().enumerate().step_by(every) {
        let room = frame.left - print.edge() - 0.5 * font;
        let name = truncate(name, room, |line| fonts.width(line, size));
        canvas.text(
            frame.left - 0.4 * font,
            frame.top + (at as f64 + 0.5) * tall + 0.36 * size,
            &name,
            size,
            Align::End,
        );
    }
}

/// The bar of all shades, with the meaning of values above it.
fn shades(
    canvas: &mut Canvas,
    grid: &Grid,
    (top, room): (f64, f64),
    (scale, text): (ColorScale, &Numbers),
    print: &Print,
    fonts: &Fonts,
) {
    const STRIPS: usize = 64;
    let (font, size) = (print.font, print.small());
    let label = truncate(&grid.value_label, room, |line| fonts.width(line, font));
    canvas.text(print.width / 2.0, top + 1.5 * font, &label, font, Align::Middle);
    let wide = (0.6 * room).min(30.0 * font);
    let (left, high) = ((print.width - wide) / 2.0, 0.7 * font);
    let y = top + 2.0 * font;
    let step = wide / STRIPS as f64;
    for at in 0..STRIPS {
        let value = scale.lo + (scale.hi - scale.lo) * (at as f64 + 0.5) / STRIPS as f64;
        let x = left + at as f64 * step;
        // Strips overlap, otherwise seams show between them.
        canvas.rect((x, y), ((2.0 * step).min(left + wide - x), high), scale.color(value), 1.0);
    }
    canvas.outline(Frame { left, right: left + wide, top: y, bottom: y + high }, 0.08 * font);
    for (x, value) in [(left, scale.lo), (left + wide, scale.hi)] {
        canvas.text(x, y + high + 1.1 * size, &text.of_value(value), size, Align::Middle);
    }
}

/// Values as colours.
#[derive(Clone, Copy)]
struct ColorScale {
    lo: f64,
    hi: f64,
}

impl ColorScale {
    fn share(self, value: f64) -> f64 {
        if self.hi > self.lo { (value - self.lo) / (self.hi - self.lo) } else { 0.0 }
    }

    fn color(self, value: f64) -> Rgb {
        let along = 2.0 * self.share(value).clamp(0.0, 1.0);
        let (from, to, part) = if along <= 1.0 { (ENDS[0], ENDS[1], along) } else { (ENDS[1], ENDS[2], along - 1.0) };
        let [red, green, blue] = [0, 1, 2].map(|at| (from[at] + part * (to[at] - from[at])).round() as u8);
        (red, green, blue)
    }
}

/// How values are written: with the decimals that distinguish them.
struct Numbers {
    decimals: usize,
    /// The power of ten that is split off numbers that are too long otherwise.
    power: i32,
}

impl Numbers {
    fn of(lo: f64, hi: f64) -> Self {
        let largest = lo.abs().max(hi.abs());
        let power = if (1e-3..1e4).contains(&largest) || largest == 0.0 { 0 } else { largest.log10().floor() as i32 };
        let span = (hi - lo) / 10.0_f64.powi(power);
        let decimals = if span > 0.0 { (1.0 - (span / 2.0).log10().floor()).clamp(0.0, 3.0) as usize } else { 2 };
        Self { decimals, power }
    }

    fn of_value(&self, value: f64) -> String {
        let mantissa = value / 10.0_f64.powi(self.power);
        let text = format!("{mantissa:.*}", self.decimals).replace('-', "−");
        if self.power == 0 { text } else { format!("{text}e{}", self.power) }
    }
}
