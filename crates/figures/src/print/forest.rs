//! Estimates with their intervals, printed: the name of a row above its interval, so that a narrow sheet has room for both.

use anyhow::{Result, ensure};

use super::{Print, Sheet, footnote, heading, height, write};
use crate::Forest;
use crate::drawing::canvas::{Align, Frame, MUTED};
use crate::drawing::font::fonts;
use crate::forest;
use crate::text::{truncate, wrap};

/// Draws `figure`.
pub(super) fn draw(print: &Print, figure: &Forest) -> Result<Sheet> {
    forest::check(figure)?;
    let (font, size, fonts) = (print.font, print.small(), fonts());
    let title = heading(print, fonts, &figure.title, figure.subtitle.as_deref());
    let note = footnote(print, fonts, figure.note.as_deref());
    let room = print.width - 2.0 * print.edge();
    let label = wrap(&figure.x_label, room, |line| fonts.width(line, size));
    let below = (2.4 + 1.25 * label.len() as f64) * size;
    let others = 2.0 * print.edge() + height(&title, print) + below + height(&note, print);
    let rows = figure.rows.len() as f64;
    let row = print.height.map_or(2.4 * font, |all| (all - others) / rows);
    ensure!(
        row >= 2.0 * font,
        "a height of {:.3} in leaves no room for {rows} rows; with letters of {font} pt, {:.3} in are needed",
        print.height.unwrap_or(0.0) / 72.0,
        (others + 2.0 * font * rows) / 72.0
    );
    let mut canvas = print.canvas(others + rows * row);
    write(&mut canvas, print.edge(), print.edge(), &title);
    let top = print.edge() + height(&title, print);
    let inset = 0.5 * font;
    let frame =
        Frame { left: print.edge() + inset, right: print.width - print.edge() - inset, top, bottom: top + rows * row };
    let axis = forest::axis(figure).fitted(frame.right - frame.left, |label| fonts.width(label, size), 0.7 * size);
    forest::scale(&mut canvas, &axis, frame, size);
    for (place, one) in figure.rows.iter().enumerate() {
        let y = top + place as f64 * row;
        let text = truncate(&one.text, 0.4 * room, |text| fonts.width(text, size));
        let name = print.renamed(&one.name);
        let name = truncate(name, room - fonts.width(&text, size) - size, |text| fonts.width(text, font));
        let base = y + 1.1 * font;
        canvas.text(print.edge(), base, &name, font, Align::Start);
        canvas.styled_text((print.width - print.edge(), base), &text, size, Align::End, MUTED, false);
        forest::interval(&mut canvas, one, &axis, frame, y + 0.5 * row + 0.6 * font, print.line() / 2.0);
    }
    for (line, text) in label.iter().enumerate() {
        let y = frame.bottom + (2.9 + 1.25 * line as f64) * size;
        canvas.text(print.width / 2.0, y, text, size, Align::Middle);
    }
    let start = canvas.height - print.edge() - height(&note, print) + 0.4 * font;
    write(&mut canvas, print.edge(), start, &note);
    Ok(Sheet { canvas, title: figure.title.clone() })
}
