//! The names of curves on a printed figure.

use super::Print;
use crate::drawing::canvas::{Align, Canvas, Frame, INK, MUTED};
use crate::drawing::curves::CurveStyle;
use crate::drawing::curves::draw_styled_line;
use crate::drawing::font::Fonts;
use crate::text::truncate;

/// A curve where it is drawn.
pub(super) struct DrawnCurve {
    pub(super) name: String,
    pub(super) style: CurveStyle,
    pub(super) points: Vec<(f64, f64)>,
}

/// A curve in a legend.
#[derive(Debug, Clone)]
pub(super) struct LegendEntry {
    pub(super) name: String,
    pub(super) style: CurveStyle,
    /// Whether its points are dots.
    pub(super) dots: bool,
}

/// The length of a sample of a line, in letters.
const SAMPLE_WIDTH: f64 = 2.4;
/// The distance of a sample and its name.
const GAP: f64 = 0.5;
/// The distance of two lines.
const ROW_HEIGHT: f64 = 1.3;

fn widest_entry(entries: &[LegendEntry], print: &Print, fonts: &Fonts) -> f64 {
    entries.iter().map(|entry| fonts.width(&entry.name, print.small())).fold(0.0, f64::max)
}

fn sample(canvas: &mut Canvas, entry: &LegendEntry, (x, y): (f64, f64), length: f64, print: &Print) {
    let line = print.line();
    draw_styled_line(canvas, &[(x, y), (x + length, y)], line, entry.style);
    if entry.dots {
        canvas.dot(x + length / 2.0, y, 1.6 * line, entry.style.color);
    }
}

/// A legend below the plots: as many columns as fit.
pub(super) struct LegendBelow {
    columns: usize,
    step: f64,
}

impl LegendBelow {
    pub(super) fn new(entries: &[LegendEntry], print: &Print, fonts: &Fonts) -> Self {
        let room = print.width - 2.0 * print.edge();
        let step = (SAMPLE_WIDTH + GAP) * print.small() + widest_entry(entries, print, fonts) + 1.2 * print.small();
        let columns = ((room / step) as usize).clamp(1, entries.len().max(1));
        // Rows that are as full as possible.
        let rows = entries.len().div_ceil(columns).max(1);
        let columns = entries.len().div_ceil(rows).max(1);
        Self { columns, step: step.min(room) }
    }

    pub(super) fn height(&self, entries: usize, print: &Print) -> f64 {
        if entries == 0 {
            0.0
        } else {
            entries.div_ceil(self.columns) as f64 * ROW_HEIGHT * print.small() + 0.5 * print.font
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, entries: &[LegendEntry], top: f64, print: &Print, fonts: &Fonts) {
        let size = print.small();
        let left = ((print.width - self.columns as f64 * self.step + 1.2 * size) / 2.0).max(print.edge());
        let room = print.width - 2.0 * print.edge() - (SAMPLE_WIDTH + GAP) * size;
        for (at, entry) in entries.iter().enumerate() {
            let x = left + (at % self.columns) as f64 * self.step;
            let y = top + 0.5 * print.font + ((at / self.columns) as f64 + 0.5) * ROW_HEIGHT * size;
            sample(canvas, entry, (x, y), SAMPLE_WIDTH * size, print);
            let name = truncate(&entry.name, room, |text| fonts.width(text, size));
            canvas.text(x + (SAMPLE_WIDTH + GAP) * size, y + 0.36 * size, &name, size, Align::Start);
        }
    }
}

/// A legend in a plot.
pub(super) struct LegendInside {
    left: f64,
    top: f64,
    /// How many points of curves it covers.
    pub(super) covered: usize,
}

impl LegendInside {
    /// Where a legend in `frame` covers least of the lines; `None` if it does not fit there.
    pub(super) fn new(
        entries: &[LegendEntry],
        frame: Frame,
        lines: &[Vec<(f64, f64)>],
        print: &Print,
        fonts: &Fonts,
    ) -> Option<Self> {
        let [wide, tall] = Self::size(entries, print, fonts);
        let room = [frame.right - frame.left - wide, frame.bottom - frame.top - tall];
        if room.iter().any(|room| *room < 0.6 * print.font) {
            return None;
        }
        let gap = 0.5 * print.font;
        // Beside the y axis and at the right, from the top down; then in between.
        let mut best: Option<Self> = None;
        for across in [0.0, 1.0, 0.5, 0.25, 0.75] {
            for down in 0..=8 {
                let left = frame.left + gap + across * (room[0] - 2.0 * gap).max(0.0);
                let top = frame.top + f64::from(down) / 8.0 * (room[1] - gap).max(0.0);
                let within = |(x, y): &&(f64, f64)| {
                    (left - gap..left + wide + gap).contains(x) && (top - gap / 2.0..top + tall + gap / 2.0).contains(y)
                };
                let covered = lines.iter().flat_map(|line| line.iter().filter(within)).count();
                if best.as_ref().is_none_or(|best| covered < best.covered) {
                    best = Some(Self { left, top, covered });
                }
            }
        }
        best
    }

    fn size(entries: &[LegendEntry], print: &Print, fonts: &Fonts) -> [f64; 2] {
        let size = print.small();
        let wide = (SAMPLE_WIDTH + GAP) * size + widest_entry(entries, print, fonts);
        [wide, entries.len() as f64 * ROW_HEIGHT * size]
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, entries: &[LegendEntry], print: &Print, fonts: &Fonts) {
        let size = print.small();
        let [wide, tall] = Self::size(entries, print, fonts);
        let pad = 0.3 * size;
        canvas.rect((self.left - pad, self.top - pad / 2.0), (wide + 2.0 * pad, tall + pad), (255, 255, 255), 0.85);
        for (at, entry) in entries.iter().enumerate() {
            let y = self.top + (at as f64 + 0.5) * ROW_HEIGHT * size;
            sample(canvas, entry, (self.left, y), SAMPLE_WIDTH * size, print);
            canvas.text(self.left + (SAMPLE_WIDTH + GAP) * size, y + 0.36 * size, &entry.name, size, Align::Start);
        }
    }
}

/// The room to the right of a plot for the names at the ends of its curves.
pub(super) fn direct_label_margin(names: &[&str], print: &Print, fonts: &Fonts) -> f64 {
    let size = print.small();
    let widest = names.iter().map(|name| fonts.width(name, size)).fold(0.0, f64::max);
    if names.is_empty() { 0.0 } else { widest + 2.2 * size }
}

/// Writes the name of each curve at its end, moved where names would overlap, within `top` and `bottom`.
pub(super) fn draw_direct_labels(
    canvas: &mut Canvas,
    curves: &[DrawnCurve],
    frame: Frame,
    (top, bottom): (f64, f64),
    print: &Print,
) {
    let size = print.small();
    let mut ends: Vec<(&DrawnCurve, (f64, f64))> =
        curves.iter().filter_map(|curve| Some((curve, *curve.points.last()?))).collect();
    ends.sort_by(|(_, (_, one)), (_, (_, other))| one.total_cmp(other));
    let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
    let places = spread_apart(&wanted, 1.08 * size, (top + size / 2.0, bottom - size / 2.0));
    for ((curve, (x, y)), place) in ends.into_iter().zip(places) {
        let bend = frame.right + 1.5 * size;
        let thin = 0.5 * print.line();
        canvas.line(&[(x, y), (frame.right + 0.3 * size, y), (bend, place)], thin, curve.style.color);
        canvas.styled_text((bend + 0.3 * size, place + 0.36 * size), &curve.name, size, Align::Start, INK, false);
    }
    let nameless: Vec<&str> =
        curves.iter().filter(|curve| curve.points.is_empty()).map(|curve| curve.name.as_str()).collect();
    if !nameless.is_empty() {
        let text = format!("not above zero: {}", nameless.join(", "));
        canvas.styled_text((frame.left + 0.5 * size, frame.top + size), &text, size, Align::Start, MUTED, false);
    }
}

/// The ascending places `wanted`, moved as little as possible until they are `gap` apart and within the limits; closer
/// together if there is not enough room.
pub(super) fn spread_apart(wanted: &[f64], gap: f64, (from, to): (f64, f64)) -> Vec<f64> {
    let Some(most) = wanted.len().checked_sub(1) else { return Vec::new() };
    let gap = if most == 0 { gap } else { gap.min((to - from) / most as f64) };
    // Groups of neighbours that touch: each is centred on what its members want.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    let fitted = |middle: f64, count: usize| {
        let half = gap * (count - 1) as f64 / 2.0;
        middle.min(to - half).max(from + half)
    };
    for &place in wanted {
        groups.push((fitted(place, 1), 1));
        while let [.., (before, few), (middle, many)] = groups[..] {
            let needed = gap * (few + many) as f64 / 2.0;
            if middle - before >= needed - 1e-9 {
                break;
            }
            let count = few + many;
            let mean = (before * few as f64 + middle * many as f64) / count as f64;
            groups.truncate(groups.len() - 2);
            groups.push((fitted(mean, count), count));
        }
    }
    let start = |middle: f64, count: usize| middle - gap * (count - 1) as f64 / 2.0;
    groups
        .into_iter()
        .flat_map(|(middle, count)| (0..count).map(move |at| start(middle, count) + gap * at as f64))
        .collect()
}
