//! Parts of the pages: texts, tables, figures and links.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use maud::{Escaper, Markup, PreEscaped, Render, html};
use output::text_table::annotated::AnnotatedTable;

/// Draws the figure of a folder of results for a narrow screen, as SVG; `None` if it cannot.
pub(crate) type NarrowFigure<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// A text on the page: characters that steer a terminal or a reader are shown as unknown ones.
pub(super) struct PageText<'a>(pub(super) &'a str);

impl Render for PageText<'_> {
    fn render_to(&self, buffer: &mut String) {
        let printable = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
        let text: String = self.0.chars().map(printable).collect();
        // A `String` takes everything.
        let _ = std::fmt::Write::write_str(&mut Escaper::new(buffer), &text);
    }
}

/// A table; the columns `numbers` are aligned as numbers.
pub(super) fn table(header: &[String], rows: &[Vec<String>], numbers: Range<usize>) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for name in header { th { (PageText(name)) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (column, text) in row.iter().enumerate() {
                                td class=[numbers.contains(&column).then_some("number")] { (PageText(text)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A table with raised letters and notes below it.
pub(super) fn annotated_table(AnnotatedTable { columns, rows, notes }: &AnnotatedTable) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for (name, _) in columns { th { (PageText(name)) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for ((_, is_number), cell) in columns.iter().zip(row) {
                                td class=[is_number.then_some("number")] {
                                    @if cell.is_best { b { (PageText(&cell.text)) } } @else { (PageText(&cell.text)) }
                                    @if !cell.mark.is_empty() { sup { (PageText(&cell.mark)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
        @for note in notes { p.muted { (PageText(note)) "." } }
    }
}

/// An SVG as part of the page, and another for narrow screens; `name` is what screen readers call it.
pub(super) fn inline_svg(path: &Path, narrow_svg: Option<&str>, name: &str) -> Result<Markup> {
    let svg = output::input::read_file_text(path, output::input::MAX_RESULT_BYTES)
        .with_context(|| format!("failed to read {}", path.display()))?;
    // An XML declaration is only allowed at the start of a file.
    let start = svg.find("<svg").unwrap_or(0);
    let wide_svg = PreEscaped(svg[start..].trim_end());
    // Curves have values to show, and can be dark; the colours of a heat map need their paper.
    let curves = wide_svg.0.contains("<metadata>");
    Ok(html! {
        figure.two[narrow_svg.is_some()].curves[curves] role="img" aria-label=(PageText(name)) {
            @if let Some(narrow_svg) = narrow_svg {
                div.wide { (wide_svg) }
                div.narrow { (PreEscaped(narrow_svg.trim_end())) }
            } @else { (wide_svg) }
        }
    })
}

/// Text between backticks as code.
pub(super) fn with_code(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 0 { (PageText(part)) } @else { code { (PageText(part)) } }
        }
    }
}

/// A reference, with its URL as a link.
pub(super) fn with_link(reference: &str) -> Markup {
    let (text_before, address) = reference.split_once("https://").unwrap_or((reference, ""));
    html! {
        (PageText(text_before))
        @if !address.is_empty() { a href=(PageText(&format!("https://{address}"))) { (PageText(address)) } }
    }
}

/// The path from the folder `from` to `file`; absolute where there is no other.
pub(super) fn relative_path(from: &Path, file: &Path) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (from, file) = (absolute(from), absolute(file));
    let components = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    let (from_parts, file_parts) = (components(&from), components(&file));
    let common = from_parts.iter().zip(&file_parts).take_while(|(one, other)| one == other).count();
    // Different drives.
    if common == 0 || file.components().next().is_some_and(|part| matches!(part, Component::Prefix(_)) && common < 2) {
        return file;
    }
    from_parts[common..].iter().map(|_| "..".into()).chain(file_parts[common..].iter().cloned()).collect()
}

/// A path as the address of a link.
pub(super) fn link_address(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    // A first part with a colon would be taken for a scheme; it is escaped above.
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_code_is_code() {
        assert_eq!(PageText("a < b & \"c\"\u{1b}").render().0, "a &lt; b &amp; &quot;c&quot;\u{fffd}");
        assert_eq!(with_code("see `x` there").0, "see <code>x</code> there");
        assert_eq!(with_link("A, https://b.c/d").0, "A, <a href=\"https://b.c/d\">b.c/d</a>");
    }

    #[test]
    fn links_lead_from_the_page_to_the_files() {
        let link = |from: &str, file: &str| link_address(&relative_path(Path::new(from), Path::new(file)));
        assert_eq!(link("results", "results/a b/curves.csv"), "a%20b/curves.csv");
        assert_eq!(link("pages", "results/x/curves.csv"), "../results/x/curves.csv");
        assert_eq!(link("results/x", "results/x/c#?.csv"), "c%23%3F.csv");
    }
}
