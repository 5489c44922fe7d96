//! Curves in panels, printed.

use anyhow::{Result, ensure};

use super::legend::{self, DrawnCurve, LegendBelow, LegendEntry, LegendInside};
use super::{LegendPlace, Print, Sheet, footnote, heading, height, write};
use crate::drawing::axes::{self, AxisMap};
use crate::drawing::canvas::{Align, Canvas, Frame, INK, MUTED};
use crate::drawing::curves::{self, CurveStyle, Pen};
use crate::drawing::font::Fonts;
use crate::plot::{Plot, axes_of};
use crate::text::{truncate, wrap};
use crate::{Panels, palette};

/// Height of a plot as a share of its width.
const HEIGHT_TO_WIDTH: f64 = 0.66;
/// With more curves than this, names are at their ends.
const MAX_LEGEND_ENTRIES: usize = 8;

/// Draws `figure`.
pub(super) fn draw(print: &Print, figure: &Panels, fonts: &Fonts) -> Result<Sheet> {
    ensure!(!figure.panels.is_empty(), "failed to draw {:?}: it has no panels", figure.title);
    let mut names: Vec<&str> = Vec::new();
    for curve in figure.panels.iter().flat_map(|panel| &panel.curves) {
        if !names.contains(&curve.name.as_str()) {
            names.push(&curve.name);
        }
    }
    let styles = palette::styles(&names, &figure.palette);
    let mut plots = Vec::new();
    for panel in &figure.panels {
        let labels = [panel.x_label.as_str(), panel.y_label.as_str()];
        let style =
            |at: usize| names.iter().position(|name| *name == panel.curves[at].name).map_or(styles[0], |at| styles[at]);
        let mut plot = Plot::new(&panel.name, labels, [panel.x_log, panel.y_log], &panel.curves, style)?;
        plot.dots = panel.dots;
        plot.spread = panel.shows_spread();
        plots.push(plot);
    }
    let entries = entries(print, &names, &styles, &plots);
    let place = match print.legend {
        LegendPlace::Auto if plots.len() == 1 && entries.len() > MAX_LEGEND_ENTRIES => LegendPlace::Direct,
        LegendPlace::Auto if plots.len() > 1 => LegendPlace::Outside,
        place => place,
    };
    // A legend inside that finds no room goes below.
    let page = PrintedPage { print, figure, plots, entries, fonts };
    let canvas = match place {
        LegendPlace::Auto => match page.draw(LegendPlace::Inside)? {
            (canvas, 0) => canvas,
            _ => page.draw(LegendPlace::Outside)?.0,
        },
        place => page.draw(place)?.0,
    };
    Ok(Sheet { canvas, title: figure.title.clone() })
}

/// One entry per name; of a single plot in the order of the ends of curves.
fn entries(print: &Print, names: &[&str], styles: &[CurveStyle], plots: &[Plot<'_>]) -> Vec<LegendEntry> {
    let last = |name: &str| {
        let curves = plots.iter().flat_map(|plot| &plot.shown).filter(|shown| shown.curve.name == name);
        curves.filter_map(|shown| shown.points.last()).map(|point| point.mean).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    if plots.len() == 1 {
        order.sort_by(|&one, &other| last(names[other]).total_cmp(&last(names[one])));
    }
    let dots = plots.iter().any(|plot| plot.dots);
    let entry = |at: usize| {
        let seen = plots.iter().flat_map(|plot| &plot.shown).find(|shown| shown.curve.name == names[at]);
        let name = print.renamed(names[at]);
        // Why a curve is not to be seen is part of its name.
        let why = seen.map_or_else(String::new, |shown| shown.name().replacen(&shown.curve.name, "", 1));
        LegendEntry { name: format!("{name}{why}"), style: styles[at], dots }
    };
    order.into_iter().map(entry).collect()
}

struct PrintedPage<'a> {
    print: &'a Print,
    figure: &'a Panels,
    plots: Vec<Plot<'a>>,
    entries: Vec<LegendEntry>,
    fonts: &'a Fonts,
}

/// The margins of a page.
struct PageMargins {
    columns: usize,
    /// The width of a panel, and the distance of two.
    wide: f64,
    gutter: f64,
    /// Above the plot of each panel of a row: its name, and the label of its y axis.
    above: f64,
    below: f64,
}

impl PrintedPage<'_> {
    /// The page with its legend at `place`, and how many points of curves a legend inside covers.
    fn draw(&self, place: LegendPlace) -> Result<(Canvas, usize)> {
        let Self { print, figure, plots, entries, fonts } = self;
        let title = heading(print, fonts, &figure.title, figure.subtitle.as_deref());
        let note = footnote(print, fonts, figure.note.as_deref());
        let legend = LegendBelow::new(entries, print, fonts);
        let legend_height = if place == LegendPlace::Outside { legend.height(entries.len(), print) } else { 0.0 };
        let margins = self.margins();
        let rows = plots.len().div_ceil(margins.columns) as f64;
        let others = 2.0 * print.edge() + height(&title, print) + legend_height + height(&note, print);
        let around = rows * (margins.above + margins.below) + (rows - 1.0) * 0.6 * print.font;
        let shape = HEIGHT_TO_WIDTH * margins.wide;
        let tall = match print.height {
            Some(all) => (all - others - around) / rows,
            // Names at the ends of curves need a line each.
            None if place == LegendPlace::Direct => {
                let most = plots.iter().map(|plot| plot.shown.len()).max().unwrap_or(0);
                shape.max(1.08 * print.small() * most as f64)
            }
            None => shape,
        };
        ensure!(
            tall >= 4.0 * print.font,
            "a height of {:.3} in leaves no room for the plots; with letters of {} pt, {:.3} in are needed",
            print.height.unwrap_or(0.0) / 72.0,
            print.font,
            (others + around + rows * 4.0 * print.font) / 72.0
        );
        let all = print.height.unwrap_or(others + around + rows * tall);
        let mut canvas = print.canvas(all);
        write(&mut canvas, print.edge(), print.edge(), &title);
        let start = print.edge() + height(&title, print);
        let shared = figure.one_scale.then(|| axes_of(plots.iter().flat_map(|plot| &plot.shown), plots[0].logs));
        let mut maps = Vec::new();
        for (at, plot) in plots.iter().enumerate() {
            let (row, column) = ((at / margins.columns) as f64, (at % margins.columns) as f64);
            let left = print.edge() + column * (margins.wide + margins.gutter);
            let top = start + row * (margins.above + tall + margins.below + 0.6 * print.font);
            let axes = shared.clone().unwrap_or_else(|| self.axes(plot));
            maps.push(self.panel(&mut canvas, plot, axes, [left, top, margins.wide, margins.above, tall], place));
        }
        let mut covered = 0;
        match place {
            LegendPlace::Inside => {
                // In the panel where it covers least.
                let inside = maps.iter().filter_map(|(map, drawn)| {
                    let lines: Vec<_> = drawn.iter().map(|curve| densify(&curve.points)).collect();
                    LegendInside::new(entries, map.frame, &lines, print, fonts)
                });
                let best = inside.min_by_key(|inside| inside.covered);
                covered = best.as_ref().map_or(usize::MAX, |best| best.covered);
                match (&best, print.legend) {
                    (Some(best), _) => best.draw(&mut canvas, entries, print, fonts),
                    (None, LegendPlace::Inside) => {
                        anyhow::bail!(
                            "the legend does not fit into the plot; choose outside, direct or none, or a larger figure"
                        )
                    }
                    (None, _) => {}
                }
            }
            LegendPlace::Outside => {
                let top = all - print.edge() - height(&note, print) - legend_height;
                legend.draw(&mut canvas, entries, top, print, fonts);
            }
            LegendPlace::Auto | LegendPlace::Direct | LegendPlace::None => {}
        }
        write(&mut canvas, print.edge(), all - print.edge() - height(&note, print) + 0.4 * print.font, &note);
        Ok((canvas, covered))
    }

    fn margins(&self) -> PageMargins {
        let Self { print, plots, .. } = self;
        let gutter = 1.2 * print.font;
        let room = print.width - 2.0 * print.edge();
        // A panel needs the width of twenty letters.
        let most = (((room + gutter) / (19.0 * print.font + gutter)) as usize).clamp(1, plots.len());
        let rows = plots.len().div_ceil(most);
        let columns = plots.len().div_ceil(rows);
        let wide = (room - (columns - 1) as f64 * gutter) / columns as f64;
        let lines = plots.iter().map(|plot| self.above(plot, wide)).map(|[names, labels]| names.len() + labels.len());
        let above = lines.max().unwrap_or(0) as f64 * 1.25 * print.font + 0.5 * print.font;
        let labelled = plots.iter().any(|plot| !plot.labels[0].is_empty());
        let below = axes::bottom_margin(print.small()) + if labelled { 1.3 * print.font } else { 0.2 * print.font };
        PageMargins { columns, wide, gutter, above, below }
    }

    /// The lines above a plot: its name, and the label of its y axis.
    fn above(&self, plot: &Plot<'_>, wide: f64) -> [Vec<String>; 2] {
        let (size, fonts) = (self.print.font, self.fonts);
        let names = wrap(plot.name, wide, |text| fonts.bold.width(text, size));
        [names, wrap(plot.labels[1], wide, |text| fonts.width(text, size))]
    }

    /// The axes of a plot, with all of its bars.
    fn axes(&self, plot: &Plot<'_>) -> [crate::drawing::scale::Axis; 2] {
        let mut axes = plot.axes();
        if plot.dots && plot.spread && plot.logs[1] {
            let points = plot.shown.iter().flat_map(|shown| &shown.points);
            let ends = points.flat_map(|point| [point.mean, point.high, point.low]);
            axes[1] = crate::drawing::scale::Axis::log(ends, true);
        }
        axes
    }

    /// Draws a panel within left, top, width, room above and height of the plot.
    fn panel(
        &self,
        canvas: &mut Canvas,
        plot: &Plot<'_>,
        axes: [crate::drawing::scale::Axis; 2],
        [left, top, wide, above, tall]: [f64; 5],
        place: LegendPlace,
    ) -> (AxisMap, Vec<DrawnCurve>) {
        let Self { print, fonts, .. } = self;
        let (size, fonts) = (print.font, *fonts);
        let [names, labels] = self.above(plot, wide);
        let lines: Vec<_> =
            names.into_iter().map(|line| (line, true)).chain(labels.into_iter().map(|line| (line, false))).collect();
        for (at, (line, bold)) in lines.iter().enumerate() {
            // Down to the plot, so that rows align.
            let y = top + above - 0.6 * size - (lines.len() - 1 - at) as f64 * 1.25 * size;
            canvas.styled_text((left, y), line, size, Align::Start, INK, *bold);
        }
        let renamed: Vec<&str> = plot.shown.iter().map(|shown| print.renamed(&shown.curve.name)).collect();
        let named =
            if place == LegendPlace::Direct { legend::direct_label_margin(&renamed, print, fonts) } else { 0.0 };
        let side = axes::left_margin(&axes[1], print.small());
        let inset = if plot.dots { 0.5 * size } else { 0.0 };
        let room = |after: f64| wide - side - after - 2.0 * inset;
        let small = print.small();
        let [_, after] = axes::overhang(&axes[0], room(named), small);
        let after = named.max(after - inset).max(0.0);
        let frame =
            Frame { left: left + side, right: left + wide - after, top: top + above, bottom: top + above + tall };
        let [x, y] = axes::fit_labels(&axes, (room(after), tall), small);
        let map = AxisMap { frame, x, y, inset };
        map.draw(canvas, print.small());
        let label = truncate(plot.labels[0], wide, |text| fonts.width(text, size));
        let middle = (frame.left + frame.right) / 2.0;
        // Within the panel, also where the label is longer than the plot.
        let half = fonts.width(&label, size) / 2.0;
        let middle = middle.min(left + wide - half).max(left + half);
        canvas.text(
            middle,
            frame.bottom + axes::bottom_margin(print.small()) + 0.9 * size,
            &label,
            size,
            Align::Middle,
        );
        let drawn: Vec<DrawnCurve> = plot
            .shown
            .iter()
            .map(|shown| DrawnCurve {
                name: print.renamed(&shown.curve.name).to_owned(),
                style: shown.style,
                points: shown.points.iter().map(|point| (map.x(point.x), map.y(point.mean))).collect(),
            })
            .collect();
        let pen = Pen { line: print.line(), cap: 0.25 * print.font, dots: plot.dots, spread: plot.spread };
        curves::draw(canvas, &plot.shown, &map, pen);
        if place == LegendPlace::Direct {
            legend::draw_direct_labels(
                canvas,
                &drawn,
                frame,
                (top + above - 0.3 * size, frame.bottom + 0.5 * size),
                print,
            );
        }
        if let Some(why) = plot.emptiness() {
            let y = (frame.top + frame.bottom) / 2.0;
            canvas.styled_text(((frame.left + frame.right) / 2.0, y), why, print.small(), Align::Middle, MUTED, false);
        }
        (map, drawn)
    }
}

/// Points of a line that are close together.
fn densify(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const POINT_DISTANCE: f64 = 1.5;
    let mut all = points.to_vec();
    for pair in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let steps = ((to_x - x).hypot(to_y - y) / POINT_DISTANCE) as usize;
        all.extend(
            (1..=steps)
                .map(|at| at as f64 / (steps + 1) as f64)
                .map(|share| (x + share * (to_x - x), y + share * (to_y - y))),
        );
    }
    all
}
