//! A matrix as coloured squares with a colour bar.

use anyhow::{Result, ensure};

use crate::drawing::canvas::{Align, Frame, MUTED, Rgb, diverging};
use crate::drawing::scale::nice_step;
use crate::page::{Page, Style, WIDTH, text_width};
use crate::text::{EDGE, axis_title, footer, header, truncate};
use crate::{Figure, Heatmap, Scale};

/// The most squares per side: more could not be distinguished, and the size of the SVG grows quadratically.
const MAX_SQUARES_PER_SIDE: usize = 280;
/// The greatest length of the name of a row. Letters are smaller before a longer name is cut.
const ROW_NAME_WIDTH: f64 = 300.0;
/// The greatest length of the name of a column that reads upward.
const COLUMN_NAME_HEIGHT: f64 = 240.0;
/// The smallest letters of names.
const MIN_NAME_SIZE: u32 = 11;
/// The width of the colour bar to the right of the squares, with its title.
const BAR_WIDTH: f64 = 260.0;

pub(super) fn render(map: &Heatmap) -> Result<Figure> {
    let n = check(map)?;
    let block = n.div_ceil(MAX_SQUARES_PER_SIDE);
    let cells = blocks(&map.values, n, block);
    let side = n.div_ceil(block);
    let colors = Colors::new(map.scale, &cells);

    let mut page = Page::new();
    let top = header(&mut page, &map.title, map.subtitle.as_deref());
    let blocked = (block > 1).then(|| format!("each square: the mean of {block} × {block} values"));
    let note: Vec<_> = map.note.iter().chain(&blocked).map(String::as_str).collect();
    let below = footer(&mut page, Some(&note.join("; ")));

    let top = (top + 26.0).round();
    // Two rounds, because the size of the squares and that of the labels depend on each other.
    let mut cell = 4.0;
    let mut labels = Labels::new(map, n, cell);
    for _ in 0..2 {
        let room = below - 36.0 - labels.height() - top;
        // Whole pixels of the PNG (half units), otherwise seams show between the squares.
        cell = (2.0 * room / side as f64).floor().max(1.0) / 2.0;
        labels = Labels::new(map, n, cell / block as f64);
    }
    let length = cell * side as f64;
    // The squares are centred unless long names need the room.
    let left = ((WIDTH - length) / 2.0).max(EDGE + labels.widest + 10.0).min(WIDTH - length - BAR_WIDTH).round();
    let frame = Frame { left, right: left + length, top, bottom: top + length };
    page.canvas.cells(cells.iter().enumerate().map(|(k, &value)| {
        let (row, column) = ((k / side) as f64, (k % side) as f64);
        (square_frame(frame.left + column * cell, frame.top + row * cell, cell), colors.of(value))
    }));
    let unknown = mostly_unknown(map, n, block);
    hatch(&mut page, &unknown, side, cell, frame);
    if block == 1 && cell >= 38.0 {
        values(&mut page, &cells, (&map.details, &unknown), side, cell, frame, colors);
    }
    page.outline(frame);
    labels.draw(&mut page, frame, cell / block as f64);
    let across = (EDGE, WIDTH - EDGE);
    let y = frame.bottom + labels.height() + 24.0;
    axis_title(&mut page, &map.x_label, centred_range(across, frame), y, Align::Middle);
    let y = frame.top - 19.0;
    axis_title(&mut page, &map.y_label, (EDGE, frame.left - 8.0), y, Align::End);
    bar(&mut page, &map.value_label, frame, colors);
    page.finish()
}

/// Checks the values and labels, and returns the number of rows.
fn check(map: &Heatmap) -> Result<usize> {
    let n = map.values.len().isqrt();
    ensure!(
        n > 0 && n * n == map.values.len(),
        "failed to draw a heat map: {} values do not fill a square; give n × n, row by row",
        map.values.len()
    );
    ensure!(
        map.labels.is_empty() || map.labels.len() == n,
        "failed to draw a heat map: {} names for {n} rows; give one per row, or none",
        map.labels.len()
    );
    ensure!(
        map.details.is_empty() || map.details.len() == n * n,
        "failed to draw a heat map: {} details for {} values; give one per value, or none",
        map.details.len(),
        n * n
    );
    let (range, what) = match map.scale {
        Scale::Preference => (0.0..=1.0, "preferences run from 0 to 1"),
        Scale::Difference => (-1.0..=1.0, "differences run from -1 to 1"),
    };
    for (k, value) in map.values.iter().enumerate() {
        ensure!(
            range.contains(value),
            "failed to draw a heat map: row {} column {} is {value}; {what}",
            k / n + 1,
            k % n + 1
        );
    }
    Ok(n)
}

/// Means of blocks of `block` by `block` values; the last block of a row or column may be smaller.
fn blocks(values: &[f64], n: usize, block: usize) -> Vec<f64> {
    let side = n.div_ceil(block);
    let mut means = Vec::with_capacity(side * side);
    for row in 0..side {
        for column in 0..side {
            let rows = row * block..n.min((row + 1) * block);
            let columns = column * block..n.min((column + 1) * block);
            let count = (rows.len() * columns.len()) as f64;
            let sum: f64 = rows.map(|r| values[r * n..][columns.clone()].iter().sum::<f64>()).sum();
            means.push(sum / count);
        }
    }
    means
}

/// The square of side `cell` with its upper left corner at `left`, `top`.
fn square_frame(left: f64, top: f64, cell: f64) -> Frame {
    Frame { left, right: left + cell, top, bottom: top + cell }
}

/// Maps values to colours.
#[derive(Clone, Copy)]
struct Colors {
    scale: Scale,
    /// The value in white.
    middle: f64,
    /// The largest distance from the middle that the colours cover.
    reach: f64,
}

impl Colors {
    fn new(scale: Scale, cells: &[f64]) -> Self {
        let middle = if scale == Scale::Preference { 0.5 } else { 0.0 };
        let farthest = cells.iter().map(|value| (value - middle).abs()).fold(0.0, f64::max);
        let reach = match scale {
            Scale::Preference => {
                [0.05, 0.1, 0.2, 0.3, 0.4].into_iter().find(|&reach| farthest <= reach + 1e-12).unwrap_or(0.5)
            }
            // Ticks are at quarters of the reach. Differences up to 1e-9 count as zero.
            Scale::Difference if farthest > 1e-9 => 4.0 * nice_step(farthest / 4.0),
            Scale::Difference => 1e-9,
        };
        Self { scale, middle, reach }
    }

    fn of(self, value: f64) -> Rgb {
        diverging(0.5 + (value - self.middle) / (2.0 * self.reach))
    }

    /// `value` as text, with enough decimals to distinguish values that differ by `step`.
    fn number(self, value: f64, step: f64) -> String {
        match self.scale {
            Scale::Preference => format!("{value:.2}"),
            Scale::Difference => {
                let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
                format!("{value:+.decimals$}")
            }
        }
    }
}

/// For each square, whether most of its values are unknown.
fn mostly_unknown(map: &Heatmap, n: usize, block: usize) -> Vec<bool> {
    let mut values = vec![0.0; if map.unknown.is_empty() { 0 } else { n * n }];
    map.unknown.iter().filter(|&&at| at < n * n).for_each(|&at| values[at] = 1.0);
    if values.is_empty() { Vec::new() } else { blocks(&values, n, block).iter().map(|share| *share > 0.5).collect() }
}

/// Draws grey squares with a diagonal where values are unknown.
fn hatch(page: &mut Page, unknown: &[bool], side: usize, cell: f64, frame: Frame) {
    const GREY: Rgb = (214, 214, 214);
    // Smaller squares have no room for a line.
    const SMALLEST: f64 = 4.0;
    let corners: Vec<(f64, f64)> = unknown
        .iter()
        .enumerate()
        .filter(|(_, unknown)| **unknown)
        .map(|(k, _)| (frame.left + (k % side) as f64 * cell, frame.top + (k / side) as f64 * cell))
        .collect();
    page.canvas.cells(corners.iter().map(|&(x, y)| (square_frame(x, y, cell), GREY)));
    for (x, y) in corners.into_iter().filter(|_| cell >= SMALLEST) {
        page.stroke(&[(x, y + cell), (x + cell, y)], MUTED, 1.0);
    }
}

/// Writes the values into the squares if they are large enough, and the details below them.
fn values(
    page: &mut Page,
    cells: &[f64],
    (details, unknown): (&[String], &[bool]),
    side: usize,
    cell: f64,
    frame: Frame,
    colors: Colors,
) {
    const SMALLEST: u32 = 9;
    // Squares with room for two lines.
    const DETAILED: f64 = 52.0;
    let texts: Vec<String> = cells.iter().map(|&value| colors.number(value, colors.reach / 50.0)).collect();
    let fits = |size: &u32| texts.iter().all(|text| text_width(text, *size) <= 0.94 * cell);
    let Some(size) = (SMALLEST..=((0.3 * cell).min(20.0) as u32)).rev().find(fits) else { return };
    let known = |k: &usize| !unknown.get(*k).copied().unwrap_or(false);
    for (k, (&value, text)) in cells.iter().zip(&texts).enumerate().filter(|(k, _)| known(k)) {
        let mut style = Style::new(size, Align::Middle);
        // The outer colours are dark.
        if (value - colors.middle).abs() > 0.6 * colors.reach {
            style.color = (255, 255, 255);
        }
        let x = frame.left + ((k % side) as f64 + 0.5) * cell;
        let y = frame.top + ((k / side) as f64 + 0.5) * cell + 0.36 * f64::from(size);
        let small = (3 * size / 4).max(SMALLEST);
        let detail = details.get(k).filter(|text| cell >= DETAILED && text_width(text, small) <= 0.94 * cell);
        if let Some(detail) = detail.filter(|text| !text.is_empty()) {
            page.text(x, y - 0.3 * f64::from(size), text, style);
            page.text(x, y + 0.8 * f64::from(size), detail, Style { size: small, ..style });
        } else {
            page.text(x, y, text, style);
        }
    }
}

/// The widest range within `across` that is centred on `frame`.
fn centred_range(across: (f64, f64), frame: Frame) -> (f64, f64) {
    let middle = (frame.left + frame.right) / 2.0;
    let half = (middle - across.0).min(across.1 - middle);
    (middle - half, middle + half)
}

/// The labels of rows and columns: all names, or numbers if names would overlap.
struct Labels {
    rows: Vec<String>,
    columns: Vec<String>,
    size: u32,
    every: usize,
    /// Whether the names of columns read upward.
    upward: bool,
    /// The width of the widest row label.
    widest: f64,
    /// The height of the column labels.
    highest: f64,
}

impl Labels {
    /// The labels for `n` rows of `pitch` units each.
    fn new(map: &Heatmap, n: usize, pitch: f64) -> Self {
        let size = (0.8 * pitch).clamp(f64::from(MIN_NAME_SIZE), 18.0) as u32;
        let named = !map.labels.is_empty() && pitch >= 1.1 * f64::from(size);
        let longest = |size: u32| map.labels.iter().map(|name| text_width(name, size)).fold(0.0, f64::max);
        let whole = |size: &u32| longest(*size) <= COLUMN_NAME_HEIGHT;
        let size = match named {
            true => (MIN_NAME_SIZE..=size).rev().find(whole).unwrap_or(MIN_NAME_SIZE),
            false => size.max(14),
        };
        let names = |room: f64| -> Vec<String> {
            (0..n)
                .map(|i| match map.labels.get(i).filter(|_| named) {
                    Some(name) => truncate(name, room, |text| text_width(text, size)),
                    None => (i + 1).to_string(),
                })
                .collect()
        };
        let widest = |names: &[String]| names.iter().map(|name| text_width(name, size)).fold(0.0, f64::max);
        let flat = 1.25 * widest(&names(ROW_NAME_WIDTH));
        let upward = named && flat > pitch;
        let every = (0..9)
            .flat_map(|k| [1, 2, 5].map(|m| m * 10_usize.pow(k)))
            .find(|&every| named || every as f64 * pitch >= flat)
            .unwrap_or(n);
        let (rows, columns) = (names(ROW_NAME_WIDTH), names(if upward { COLUMN_NAME_HEIGHT } else { ROW_NAME_WIDTH }));
        Self {
            widest: widest(&rows),
            highest: if upward { widest(&columns) } else { f64::from(size) },
            rows,
            columns,
            size,
            every,
            upward,
        }
    }

    /// The room they take below the squares.
    fn height(&self) -> f64 {
        10.0 + self.highest
    }

    /// The rows that are labelled: all, or those with round 1-based numbers, and the first if there is room.
    fn shown(&self) -> impl Iterator<Item = usize> + '_ {
        let first = self.every > 2;
        (0..self.rows.len()).filter(move |row| (row + 1).is_multiple_of(self.every) || (first && *row == 0))
    }

    fn draw(&self, page: &mut Page, frame: Frame, pitch: f64) {
        let size = f64::from(self.size);
        // Half the height of a letter, to centre it on the square.
        let half = 0.36 * size;
        let (left, bottom) = (frame.left, frame.bottom);
        for i in self.shown() {
            let (x, y) = ((i as f64 + 0.5) * pitch + left, (i as f64 + 0.5) * pitch + frame.top);
            page.stroke(&[(left - 4.0, y), (left, y)], MUTED, 1.0);
            page.stroke(&[(x, bottom), (x, bottom + 4.0)], MUTED, 1.0);
            page.text(left - 8.0, y + half, &self.rows[i], Style::new(self.size, Align::End));
            if self.upward {
                page.canvas.upward_text((x + half, bottom + 8.0), &self.columns[i], size);
            } else {
                let style = Style::new(self.size, Align::Middle);
                page.text(x, bottom + 8.0 + 0.8 * size, &self.columns[i], style);
            }
        }
    }
}

/// Draws the colour bar.
fn bar(page: &mut Page, label: &str, frame: Frame, colors: Colors) {
    const STRIPS: usize = 200;
    let height = frame.bottom - frame.top;
    let bar = Frame { left: frame.right + 40.0, right: frame.right + 66.0, ..frame };
    page.canvas.cells((0..STRIPS).map(|k| {
        let share = (k as f64 + 0.5) / STRIPS as f64;
        let y = bar.top + height * k as f64 / STRIPS as f64;
        // Strips overlap downwards, otherwise seams show between them; the last one ends with the bar.
        let bottom = (y + height * 2.0 / STRIPS as f64).min(bar.bottom);
        (Frame { top: y, bottom, ..bar }, diverging(1.0 - share))
    }));
    page.outline(bar);
    for k in -2..=2 {
        let value = colors.middle + colors.reach * f64::from(k) / 2.0;
        let y = bar.bottom - height * f64::from(k + 2) / 4.0;
        page.stroke(&[(bar.right, y), (bar.right + 5.0, y)], MUTED, 1.0);
        let text = match colors.scale {
            Scale::Difference if k == 0 => "0".to_owned(),
            Scale::Difference => colors.number(value, colors.reach / 20.0),
            // Ticks may need three decimals, e.g. 0.525.
            Scale::Preference => format!("{value:.3}"),
        };
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        page.text(bar.right + 9.0, y + 6.5, text, Style::new(18, Align::Start));
    }
    let across = (bar.left, WIDTH - EDGE);
    axis_title(page, label, across, bar.top - 19.0, Align::Start);
}
