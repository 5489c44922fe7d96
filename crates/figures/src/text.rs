//! Fits texts into limited room: by smaller letters first, then by more lines, then by an ellipsis.

use crate::drawing::canvas::Align;
use crate::page::{Page, Style, WIDTH, text_width};

/// The margin at the left and right edges of the page.
pub(super) const EDGE: f64 = 36.0;

/// A fitted text: the size of its letters, and its lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FittedText {
    pub(super) size: u32,
    pub(super) lines: Vec<String>,
}

/// Fits `text` into a width of `room` units: on one line in the first of `sizes` that fits, otherwise on at most `lines`
/// lines in the last size, truncated with an ellipsis if necessary.
pub(super) fn fit_text(text: &str, sizes: &[u32], room: f64, lines: usize) -> FittedText {
    let smallest = sizes.last().copied().unwrap_or(12);
    for &size in sizes {
        if text_width(text, size) <= room {
            return FittedText { size, lines: vec![text.to_owned()] };
        }
    }
    let long = |line: &str| text_width(line, smallest);
    let mut found = wrap(text, room, long);
    if found.len() > lines {
        // The remaining lines join the last one, which is truncated below.
        let rest = found.split_off(lines - 1).join(" ");
        found.push(rest);
    }
    FittedText { size: smallest, lines: found.iter().map(|line| truncate(line, room, long)).collect() }
}

/// `text`, shortened with an ellipsis until it fits into `room`.
pub(super) fn truncate(text: &str, room: f64, width: impl Fn(&str) -> f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut shorter: Vec<char> = text.chars().collect();
    loop {
        shorter.pop();
        let candidate = shorter.iter().collect::<String>().trim_end().to_owned() + "…";
        if shorter.is_empty() || width(&candidate) <= room {
            return candidate;
        }
    }
}

/// Breaks `text` at spaces into lines of at most `room`; a longer word has a line of its own.
pub(super) fn wrap(text: &str, room: f64, width: impl Fn(&str) -> f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}")) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Draws headline and subtitle, and returns the vertical position where the space below them begins.
pub(super) fn header(page: &mut Page, title: &str, subtitle: Option<&str>) -> f64 {
    let mut y = 24.0;
    let room = WIDTH - 2.0 * EDGE;
    if !title.is_empty() {
        // Widths are measured in regular letters; bold ones are wider.
        let title = fit_text(title, &[30, 27, 24], room / 1.17, 2);
        for line in &title.lines {
            y += f64::from(title.size) * 1.15;
            page.text(EDGE, y, line, Style::new(title.size, Align::Start).bold());
        }
        y += 4.0;
    }
    if let Some(subtitle) = subtitle.filter(|text| !text.is_empty()) {
        let subtitle = fit_text(subtitle, &[19, 17], room, 2);
        for line in &subtitle.lines {
            y += f64::from(subtitle.size) * 1.35;
            page.text(EDGE, y, line, Style::new(subtitle.size, Align::Start).muted());
        }
        y += 4.0;
    }
    y + 26.0
}

/// Draws the title of an axis at the middle, start or end of the range `across`, according to `align`.
pub(super) fn axis_title(page: &mut Page, text: &str, across: (f64, f64), y: f64, align: Align) {
    axis_title_in(page, text, across, y, align, &[19, 17, 15]);
}

/// The same in the first of `sizes` that fits.
pub(super) fn axis_title_in(page: &mut Page, text: &str, (from, to): (f64, f64), y: f64, align: Align, sizes: &[u32]) {
    let x = match align {
        Align::Start => from,
        Align::Middle => (from + to) / 2.0,
        Align::End => to,
    };
    let text = fit_text(text, sizes, to - from, 1);
    page.text(x, y, &text.lines.concat(), Style::new(text.size, align));
}

/// Draws the footnote, and returns the vertical position where the space above it ends.
pub(super) fn footer(page: &mut Page, note: Option<&str>) -> f64 {
    let mut y = page.height() - 14.0;
    let Some(note) = note.filter(|text| !text.is_empty()) else {
        return y;
    };
    let note = fit_text(note, &[15, 14], WIDTH - 2.0 * EDGE, 2);
    for line in note.lines.iter().rev() {
        page.text(EDGE, y, line, Style::new(note.size, Align::Start).muted());
        y -= f64::from(note.size) * 1.3;
    }
    y - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_keeps_the_first_size() {
        let fitted = fit_text("short", &[30, 20], 500.0, 2);
        assert_eq!((fitted.size, fitted.lines), (30, vec!["short".to_owned()]));
    }

    #[test]
    fn a_longer_text_shrinks_then_wraps_then_is_truncated() {
        let text = "one two three four five six";
        let whole = text_width(text, 30);
        assert_eq!(fit_text(text, &[30, 20], whole * 0.8, 2).size, 20);
        assert_eq!(fit_text(text, &[30, 20], whole * 0.8, 2).lines.len(), 1);
        let room = text_width(text, 20) * 0.6;
        let wrapped = fit_text(text, &[30, 20], room, 2);
        assert_eq!(wrapped.lines.join(" "), text);
        assert_eq!(wrapped.lines.len(), 2);
        let cut = fit_text(text, &[30, 20], room * 0.5, 2);
        assert_eq!(cut.lines.len(), 2);
        assert!(cut.lines[1].ends_with('…'), "{cut:?}");
        assert!(cut.lines.iter().all(|line| text_width(line, 20) <= room * 0.5));
    }

    #[test]
    fn a_long_word_is_truncated_and_no_room_does_not_panic() {
        let fitted = fit_text(&"x".repeat(300), &[20], 200.0, 2);
        assert_eq!(fitted.lines.len(), 1);
        assert!(text_width(&fitted.lines[0], 20) <= 200.0);
        assert_eq!(fit_text("word", &[20], 0.0, 1).lines, ["…"]);
        assert_eq!(fit_text("", &[20], 10.0, 1).lines.concat(), "");
    }
}
