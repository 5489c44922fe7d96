//! A preference matrix as coloured squares, with the scale of its colours.

use anyhow::{Result, ensure};

use super::page::{Align, Frame, HEIGHT, Page, Rgb, Style, WIDTH, diverging, width};
use super::text::{EDGE, cut, fit, footer, header};
use super::{Figure, Heatmap};

/// More squares a side than this cannot be told apart, and the SVG grows with their square.
const MOST: usize = 280;
/// The longest name of a row or column.
const LABEL_ROOM: f64 = 130.0;

pub(super) fn render(map: &Heatmap) -> Result<Figure> {
    let n = check(map)?;
    let block = n.div_ceil(MOST);
    let cells = blocks(&map.values, n, block);
    let side = n.div_ceil(block);
    let reach = reach(&cells);

    let mut page = Page::new();
    let top = header(&mut page, &map.title, map.subtitle.as_deref());
    let blocked = (block > 1).then(|| format!("each square: the mean of {block} × {block} values"));
    let note: Vec<_> = map
        .note
        .iter()
        .chain(&blocked)
        .map(String::as_str)
        .collect();
    let below = footer(&mut page, Some(&note.join("; ")));

    // Two rounds: the names take room from the squares, and the squares decide about the names.
    let mut labels = Labels::new(map, n, f64::from(1_u8));
    let mut cell = 1.0;
    for _ in 0..2 {
        let room = below - 34.0 - labels.height() - top;
        // Whole pixels of the PNG (half units), else seams show between the squares.
        cell = (2.0 * room / side as f64).floor().max(1.0) / 2.0;
        labels = Labels::new(map, n, cell / block as f64);
    }
    let length = cell * side as f64;
    let around = EDGE + labels.width() + 40.0 + BAR_ROOM;
    let left = ((WIDTH - length - around) / 2.0 + EDGE + labels.width()).round();
    let top = top.round();
    let frame = Frame {
        left,
        right: left + length,
        top,
        bottom: top + length,
    };
    page.cells(cells.iter().enumerate().map(|(k, &value)| {
        let (row, column) = ((k / side) as f64, (k % side) as f64);
        let (x, y) = (frame.left + column * cell, frame.top + row * cell);
        (x, y, cell, cell, color(value, reach))
    }));
    if block == 1 && cell >= 38.0 {
        values(&mut page, &cells, side, cell, frame, reach);
    }
    page.outline(frame);
    labels.draw(&mut page, frame, cell / block as f64);
    titles(&mut page, map, frame, &labels);
    bar(&mut page, &map.value_label, frame, reach);
    page.finish()
}

/// The number of rows.
fn check(map: &Heatmap) -> Result<usize> {
    let n = map.values.len().isqrt();
    ensure!(
        n > 0 && n * n == map.values.len(),
        "failed to draw a heat map: {} values do not fill a square; give n × n, row by row",
        map.values.len()
    );
    ensure!(
        map.labels.is_empty() || map.labels.len() == n,
        "failed to draw a heat map: {} names for {n} rows; give one a row, or none",
        map.labels.len()
    );
    for (k, value) in map.values.iter().enumerate() {
        ensure!(
            (0.0..=1.0).contains(value),
            "failed to draw a heat map: row {} column {} is {value}; preferences run from 0 to 1",
            k / n + 1,
            k % n + 1
        );
    }
    Ok(n)
}

/// Means of squares of `block` by `block` values; the last ones a row or column may be smaller.
fn blocks(values: &[f64], n: usize, block: usize) -> Vec<f64> {
    let side = n.div_ceil(block);
    let mut means = Vec::with_capacity(side * side);
    for row in 0..side {
        for column in 0..side {
            let rows = row * block..n.min((row + 1) * block);
            let columns = column * block..n.min((column + 1) * block);
            let count = (rows.len() * columns.len()) as f64;
            let sum: f64 = rows
                .map(|r| values[r * n..][columns.clone()].iter().sum::<f64>())
                .sum();
            means.push(sum / count);
        }
    }
    means
}

/// How far from one half the colours reach.
fn reach(cells: &[f64]) -> f64 {
    let farthest = cells.iter().map(|v| (v - 0.5).abs()).fold(0.0, f64::max);
    [0.05, 0.1, 0.2, 0.3, 0.4]
        .into_iter()
        .find(|&reach| farthest <= reach + 1e-12)
        .unwrap_or(0.5)
}

fn color(value: f64, reach: f64) -> Rgb {
    diverging(0.5 + (value - 0.5) / (2.0 * reach))
}

/// The numbers themselves, where the squares are large enough.
fn values(page: &mut Page, cells: &[f64], side: usize, cell: f64, frame: Frame, reach: f64) {
    let size = (0.3 * cell).min(20.0) as u32;
    for (k, &value) in cells.iter().enumerate() {
        let mut style = Style::new(size, Align::Middle);
        // The outer fifths of the colours are dark.
        if (value - 0.5).abs() > 0.6 * reach {
            style.color = (255, 255, 255);
        }
        let x = frame.left + ((k % side) as f64 + 0.5) * cell;
        let y = frame.top + ((k / side) as f64 + 0.5) * cell + 0.36 * f64::from(size);
        page.text(x, y, &format!("{value:.2}"), style);
    }
}

/// The names of rows and columns that are shown.
struct Labels {
    names: Vec<String>,
    size: u32,
    every: usize,
    /// Whether the columns' names read upward.
    upward: bool,
    widest: f64,
}

impl Labels {
    /// For `n` rows of `pitch` units each.
    fn new(map: &Heatmap, n: usize, pitch: f64) -> Self {
        let size = (0.8 * pitch).clamp(14.0, 18.0) as u32;
        let names: Vec<_> = (0..n)
            .map(|i| match map.labels.get(i) {
                Some(name) => cut(name, size, LABEL_ROOM),
                None => i.to_string(),
            })
            .collect();
        let widest = names
            .iter()
            .map(|name| width(name, size))
            .fold(0.0, f64::max);
        let every = |least: f64| {
            (0..9)
                .flat_map(|k| [1, 2, 5].map(|m| m * 10_usize.pow(k)))
                .find(|&every| every as f64 * pitch >= least)
                .unwrap_or(n)
        };
        let (beside, above) = (every(1.25 * widest), every(1.15 * f64::from(size)));
        // Short names may lie flat at the price of showing fewer; long ones are turned.
        let upward = beside > above && (above == 1 || widest > 45.0);
        Self {
            names,
            size,
            every: if upward { above } else { beside },
            upward,
            widest,
        }
    }

    /// Between the squares and the title of the x axis.
    fn height(&self) -> f64 {
        10.0 + if self.upward {
            self.widest
        } else {
            f64::from(self.size)
        }
    }

    /// Between the squares and the left edge, with the title of the y axis.
    fn width(&self) -> f64 {
        self.widest + 40.0
    }

    fn draw(&self, page: &mut Page, frame: Frame, pitch: f64) {
        // Half the height of a letter: brings its middle to the middle of the square.
        let half = 0.36 * f64::from(self.size);
        for (i, name) in self.names.iter().enumerate().step_by(self.every) {
            let at = (i as f64 + 0.5) * pitch;
            page.stroke(
                &[
                    (frame.left - 4.0, frame.top + at),
                    (frame.left, frame.top + at),
                ],
                super::page::MUTED,
                1.0,
            );
            page.stroke(
                &[
                    (frame.left + at, frame.bottom),
                    (frame.left + at, frame.bottom + 4.0),
                ],
                super::page::MUTED,
                1.0,
            );
            let style = Style::new(self.size, Align::End);
            page.text(frame.left - 8.0, frame.top + at + half, name, style);
            if self.upward {
                page.text(
                    frame.left + at + half,
                    frame.bottom + 8.0,
                    name,
                    style.upward(),
                );
            } else {
                let style = Style::new(self.size, Align::Middle);
                let y = frame.bottom + 8.0 + 0.8 * f64::from(self.size);
                page.text(frame.left + at, y, name, style);
            }
        }
    }
}

fn titles(page: &mut Page, map: &Heatmap, frame: Frame, labels: &Labels) {
    let room = frame.bottom - frame.top;
    let x_label = fit(&map.x_label, &[20, 17, 15], room, 1);
    let x = (frame.left + frame.right) / 2.0;
    let y = (frame.bottom + labels.height() + 24.0).min(HEIGHT - 12.0);
    let style = Style::new(x_label.size, Align::Middle);
    page.text(x, y, &x_label.lines.concat(), style);
    let y_label = fit(&map.y_label, &[20, 17, 15], room, 1);
    let x = frame.left - labels.widest - 22.0;
    let y = (frame.top + frame.bottom) / 2.0;
    let style = Style::new(y_label.size, Align::Middle).upward();
    page.text(x, y, &y_label.lines.concat(), style);
}

/// What the scale of the colours takes to the right of the squares.
const BAR_ROOM: f64 = 140.0;

/// The scale of the colours.
fn bar(page: &mut Page, label: &str, frame: Frame, reach: f64) {
    const STRIPS: usize = 200;
    let height = frame.bottom - frame.top;
    let bar = Frame {
        left: frame.right + 40.0,
        right: frame.right + 66.0,
        ..frame
    };
    page.cells((0..STRIPS).map(|k| {
        let share = (k as f64 + 0.5) / STRIPS as f64;
        let y = bar.top + height * k as f64 / STRIPS as f64;
        // Strips overlap downwards, else seams show between them; the last one ends with the bar.
        let h = (height * 2.0 / STRIPS as f64).min(bar.bottom - y);
        (bar.left, y, bar.right - bar.left, h, diverging(1.0 - share))
    }));
    page.outline(bar);
    let mut widest: f64 = 0.0;
    for k in -2..=2 {
        let value = 0.5 + reach * f64::from(k) / 2.0;
        let y = bar.bottom - height * f64::from(k + 2) / 4.0;
        page.stroke(
            &[(bar.right, y), (bar.right + 5.0, y)],
            super::page::MUTED,
            1.0,
        );
        let text = format!("{value:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        widest = widest.max(width(text, 16));
        page.text(bar.right + 9.0, y + 6.0, text, Style::new(16, Align::Start));
    }
    let label = fit(label, &[20, 17, 15], height, 1);
    let style = Style::new(label.size, Align::Middle).upward();
    let x = bar.right + 9.0 + widest + 12.0 + 0.73 * f64::from(label.size);
    page.text(
        x,
        (bar.top + bar.bottom) / 2.0,
        &label.lines.concat(),
        style,
    );
}
