//! All results as HTML, on one page or one per paper: figures with values on hover, outcomes of claims, settings and
//! times. The pages load nothing from elsewhere.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use output::numbers::{deviation, number, significant};
use output::numbers::{with_separators, with_unit};

use super::own::{Other, others};
use crate::experiment::{
    Summary, Timings,
    claim::{ClaimResult, Outcome},
    config::{PAPERS, Paper, is_published},
    report::index,
};

/// What pages name as their program, by which they are known again.
const GENERATOR: &str = "rankduel report";
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("hover.js");

/// Draws the figure of a folder of results for a narrow screen, as SVG; `None` if it cannot.
pub(crate) type Narrow<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The key and the heading of results that belong to no experiment.
const OTHERS: &str = "other";
const OWN: &str = "Results of single commands";

/// A page, and how much is on it.
#[derive(Debug)]
pub(crate) struct Page {
    /// The page itself.
    pub html: String,
    /// How many experiments.
    pub experiments: usize,
    /// How many figures of other commands.
    pub figures: usize,
}

/// Whether the file at `path` is a page that was made here, so that another may replace it.
pub(crate) fn is_ours(path: &Path) -> bool {
    let text = output::input::read_file_text(path, output::input::MOST_OF_RESULTS).unwrap_or_default();
    let begins = text.get(..text.len().min(1_000)).unwrap_or(&text);
    begins.contains(&format!("content=\"{GENERATOR}\""))
}

/// What belongs to one paper.
struct Chapter {
    key: &'static str,
    name: &'static str,
    body: String,
}

/// Everything in a folder of results.
struct Everything {
    summaries: Vec<Summary>,
    others: Vec<Other>,
    chapters: Vec<Chapter>,
}

/// The page of everything in the folder `results`, or of it alone if a single command wrote it. The page will be in the folder
/// `from`, which links start at.
///
/// # Errors
/// When the folder cannot be read, or contains neither an experiment nor a figure.
pub(crate) fn page(results: &Path, narrow: Narrow<'_>, from: &Path) -> Result<Page> {
    let found = Everything::read(results, narrow, from)?;
    let mut body = found.header();
    contents(&mut body, &found, |_| String::new());
    body.extend(found.chapters.iter().map(|chapter| chapter.body.as_str()));
    Ok(found.page(&document(&body, "results")))
}

/// A page of contents, whose file is called `first`, and one page per paper with the name of its file, such as
/// `report-rucb.html`.
///
/// # Errors
/// As for [`page`].
pub(crate) fn pages(
    results: &Path,
    narrow: Narrow<'_>,
    from: &Path,
    first: &str,
) -> Result<(Page, Vec<(String, String)>)> {
    let found = Everything::read(results, narrow, from)?;
    let stem = first.rsplit_once('.').map_or(first, |(stem, _)| stem);
    let file = |key: &str| format!("{stem}-{key}.html");
    let mut body = found.header();
    contents(&mut body, &found, |key| escaped(&file(key)));
    let all: Vec<(String, String)> = found
        .chapters
        .iter()
        .map(|chapter| {
            let mut body = format!("<nav class=\"pages\"><a href=\"{}\">All results</a>", escaped(first));
            for other in &found.chapters {
                let _ = match other.key == chapter.key {
                    true => write!(body, " <b>{}</b>", other.name),
                    false => write!(body, " <a href=\"{}\">{}</a>", escaped(&file(other.key)), other.name),
                };
            }
            body += "</nav>\n";
            body += &chapter.body;
            (file(chapter.key), document(&body, chapter.name))
        })
        .collect();
    Ok((found.page(&document(&body, "results")), all))
}

impl Everything {
    fn read(results: &Path, narrow: Narrow<'_>, from: &Path) -> Result<Self> {
        // An experiment's folder has no config.json.
        let alone = results.join("config.json").is_file();
        let summaries = if alone { Vec::new() } else { index::summaries(results)? };
        let others = if alone { vec![Other::read(results)?] } else { others(results, &summaries)? };
        ensure!(
            !summaries.is_empty() || !others.is_empty(),
            "{} contains no experiment and no figure; `{program} experiment --all --scale 0.01` makes some in results/scale-0.01",
            results.display(),
            program = output::program::name()
        );
        let mut chapters = Vec::new();
        for Paper { key, name, reference } in PAPERS {
            let of_paper: Vec<&Summary> = summaries.iter().filter(|summary| summary.paper == key).collect();
            if of_paper.is_empty() {
                continue;
            }
            let mut body = format!("<h2>{name}</h2>\n<p class=\"reference\">{}.</p>\n", linked(reference));
            for summary in of_paper {
                section(&mut body, results, summary, narrow)?;
            }
            chapters.push(Chapter { key, name, body });
        }
        if !others.is_empty() {
            let mut body = format!("<h2>{OWN}</h2>\n");
            for other in &others {
                let own = &other.own;
                let badge = if own.is_synthetic() { " <span class=\"badge\">synthetic data</span>" } else { "" };
                let _ = writeln!(body, "<section id=\"{}\"><h3>{}{badge}</h3>", escaped(&other.name), titled(other));
                own.above(&mut body);
                // A folder has one figure that can be drawn again; the others stay as they are.
                let small = narrow(&other.folder).filter(|_| other.figures.len() == 1);
                for figure in &other.figures {
                    let shows = figure.file_stem().unwrap_or_default().to_string_lossy();
                    inline(&mut body, figure, small.as_deref(), &format!("{}: {shows}", other.name))?;
                }
                own.below(&mut body, from, &other.folder);
                body += "</section>\n";
            }
            chapters.push(Chapter { key: OTHERS, name: OWN, body });
        }
        Ok(Self { summaries, others, chapters })
    }

    fn header(&self) -> String {
        let experiments = match self.summaries.len() as u64 {
            0 => String::new(),
            count => format!(
                "{}. {}: {}. <span class=\"badge\">look-alike</span> marks results on synthetic data that \
                 imitate the real data sets. ",
                with_unit(count, "experiment"),
                if self.summaries.iter().any(|of| is_published(&of.paper)) { "Claims of the papers" } else { "Claims" },
                escaped(&index::tally(&self.summaries))
            ),
        };
        let own = match self.others.len() as u64 {
            0 => String::new(),
            count => format!("{} of single commands. ", with_unit(count, "folder")),
        };
        format!("<header><h1>Results</h1>\n<p>{experiments}{own}Point at a curve to read its values.</p></header>\n")
    }

    fn page(&self, html: &str) -> Page {
        let figures = self.others.iter().map(|other| other.figures.len()).sum();
        Page { html: html.to_owned(), experiments: self.summaries.len(), figures }
    }
}

fn document(body: &str, of: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"{GENERATOR}\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>rankduel: {of}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <div id=\"tip\" role=\"status\"></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// The list of everything; `file` names the page of a chapter.
fn contents(body: &mut String, found: &Everything, file: impl Fn(&str) -> String) {
    *body += "<nav aria-label=\"Contents\"><ol>\n";
    for summary in &found.summaries {
        let marks: String = summary.claims.iter().map(mark).collect();
        let _ = writeln!(
            body,
            "<li><a href=\"{}#{}\">{}</a> <span class=\"marks\">{marks}</span></li>",
            file(&summary.paper),
            escaped(&summary.experiment),
            escaped(&summary.title)
        );
    }
    for other in &found.others {
        let title = titled(other);
        let _ = writeln!(body, "<li><a href=\"{}#{}\">{title}</a></li>", file(OTHERS), escaped(&other.name));
    }
    *body += "</ol></nav>\n";
}

/// What a folder holds in words, and its name.
fn titled(other: &Other) -> String {
    let name = escaped(&other.name);
    match other.own.title() {
        Some(title) => format!("{} <span class=\"muted\">{name}</span>", escaped(&title)),
        None => name,
    }
}

fn class(verdict: ClaimResult) -> &'static str {
    match verdict {
        ClaimResult::Held => "held",
        ClaimResult::DidNotHold => "did-not-hold",
        ClaimResult::Open => "open",
        ClaimResult::NeedsRealData => "needs-real-data",
        ClaimResult::NotTested => "not-tested",
    }
}

fn mark(claim: &Outcome) -> String {
    let (sign, words) = (claim.verdict.sign(), claim.verdict.words(1));
    format!("<span class=\"{}\" title=\"{words}\">{sign}</span>", class(claim.verdict))
}

fn section(body: &mut String, results: &Path, summary: &Summary, narrow: Narrow<'_>) -> Result<()> {
    let folder = results.join(&summary.experiment);
    let lookalike = summary.settings.iter().any(|info| info.source.lookalike);
    let badge = if lookalike { " <span class=\"badge\">look-alike</span>" } else { "" };
    let _ =
        writeln!(body, "<section id=\"{}\"><h3>{}{badge}</h3>", escaped(&summary.experiment), escaped(&summary.title));
    let figure = folder.join("figure.svg");
    if figure.is_file() {
        inline(body, &figure, narrow(&folder).as_deref(), &summary.title)?;
    }
    if let Some(table) = &summary.table {
        rows(body, &table.header, &table.rows, 0..0);
    }
    if !summary.claims.is_empty() {
        *body += "<ul class=\"claims\">\n";
        for claim in &summary.claims {
            let place = if claim.place.is_empty() {
                String::new()
            } else {
                format!(" <span class=\"muted\">({})</span>", escaped(&claim.place))
            };
            let comment =
                claim.comment.as_ref().map_or(String::new(), |text| format!(" <i>{}</i>", code(&escaped(text))));
            let words = claim.verdict.words(1);
            let _ = writeln!(
                body,
                "<li><span class=\"mark\">{}</span><span>{}{place}</span><span class=\"numbers\"><b class=\"{}\">{words}</b>: {}{comment}</span></li>",
                mark(claim),
                escaped(&claim.says),
                class(claim.verdict),
                escaped(&claim.numbers)
            );
        }
        *body += "</ul>\n";
    }
    for paragraph in summary.about.split("\n\n").filter(|text| !text.trim().is_empty()) {
        let _ = writeln!(body, "<p class=\"muted\">{}</p>", code(&escaped(paragraph.trim())));
    }
    *body += "<details><summary>Settings and all numbers</summary>\n";
    let settings: Vec<Vec<String>> = summary
        .settings
        .iter()
        .map(|info| {
            vec![info.setting.clone(), with_separators(info.arms as u64), info.about.clone(), info.truth.clone()]
        })
        .collect();
    let header = ["setting", "rankers", "data", "regret is measured against"].map(str::to_owned);
    rows(body, &header, &settings, 0..0);
    let values: Vec<Vec<String>> = summary
        .values
        .iter()
        .map(|row| {
            let names = [row.setting.clone(), row.curve.clone(), row.metric.clone()];
            let error = deviation(row.spread.mean, row.spread.standard_error, row.runs);
            let numbers = [number(row.x), row.mean(), error, with_separators(row.runs as u64)];
            names.into_iter().chain(numbers).collect()
        })
        .collect();
    let header = ["setting", "curve", "metric", "at", "mean", "standard error", "runs"].map(str::to_owned);
    rows(body, &header, &values, 3..usize::MAX);
    *body += "</details>\n";
    if let Some(timings) = timings(&folder) {
        let _ = writeln!(body, "<p class=\"muted\">{}</p>", timing_sentence(&timings));
    }
    *body += "</section>\n";
    Ok(())
}

fn timings(folder: &Path) -> Option<Timings> {
    serde_json::from_slice(
        &output::input::read_file(&folder.join("timings.json"), output::input::MOST_OF_RESULTS).ok()?,
    )
    .ok()
}

fn timing_sentence(timings: &Timings) -> String {
    let steps: u64 = timings.cells.iter().map(|cell| cell.steps).sum();
    let memory =
        timings.peak_memory.map_or(String::new(), |bytes| format!(", peak memory {} MB", with_separators(bytes >> 20)));
    format!(
        "{} steps in {} s of one thread; the last call took {:.1} s on {} and played {}{memory}.",
        with_separators(steps),
        significant(timings.run_seconds),
        timings.seconds,
        with_unit(timings.threads as u64, "thread"),
        with_unit(timings.runs_played, "run")
    )
}

/// A table; the columns `numbers` are aligned as numbers.
pub(super) fn rows(body: &mut String, header: &[String], rows: &[Vec<String>], numbers: Range<usize>) {
    *body += "<div class=\"scroll\"><table><thead><tr>";
    for name in header {
        let _ = write!(body, "<th>{}</th>", escaped(name));
    }
    *body += "</tr></thead><tbody>\n";
    for row in rows {
        *body += "<tr>";
        for (column, text) in row.iter().enumerate() {
            let class = if numbers.contains(&column) { " class=\"number\"" } else { "" };
            let _ = write!(body, "<td{class}>{}</td>", escaped(text));
        }
        *body += "</tr>\n";
    }
    *body += "</tbody></table></div>\n";
}

/// An SVG as part of the page, and another for narrow screens; `name` is what screen readers call it.
fn inline(body: &mut String, path: &Path, narrow: Option<&str>, name: &str) -> Result<()> {
    let svg = output::input::read_file_text(path, output::input::MOST_OF_RESULTS)
        .with_context(|| format!("failed to read {}", path.display()))?;
    // An XML declaration is only allowed at the start of a file.
    let start = svg.find("<svg").unwrap_or(0);
    let wide = svg[start..].trim_end();
    // Curves have values to show, and can be dark; the colours of a heat map need their paper.
    let curves = if wide.contains("<metadata>") { "curves" } else { "" };
    let named = format!("role=\"img\" aria-label=\"{}\"", escaped(name));
    let _ = match narrow {
        None => writeln!(body, "<figure class=\"{curves}\" {named}>{wide}</figure>"),
        Some(narrow) => writeln!(
            body,
            "<figure class=\"two {curves}\" {named}><div class=\"wide\">{wide}</div><div class=\"narrow\">{}</div></figure>",
            narrow.trim_end()
        ),
    };
    Ok(())
}

pub(super) fn escaped(text: &str) -> String {
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    let text: String = text.chars().map(shown).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text between backticks as code.
fn code(text: &str) -> String {
    let mut parts = text.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        out += if number % 2 == 0 { "<code>" } else { "</code>" };
        out += part;
    }
    out
}

/// A reference, with its URL as a link.
fn linked(reference: &str) -> String {
    match reference.split_once("https://") {
        Some((before, address)) => {
            let address = escaped(address);
            format!("{}<a href=\"https://{address}\">{address}</a>", escaped(before))
        }
        None => escaped(reference),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_code_is_code() {
        assert_eq!(escaped("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
        assert_eq!(code("see `x` there"), "see <code>x</code> there");
        assert_eq!(linked("A, https://b.c/d"), "A, <a href=\"https://b.c/d\">b.c/d</a>");
    }

    #[test]
    fn a_page_per_chapter_links_to_the_others() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        std::fs::write(folder.path().join("mine/regret.svg"), "<svg viewBox=\"0 0 1 1\"/>\n").unwrap();
        let narrow = |_: &Path| Some("<svg viewBox=\"0 0 2 2\"/>\n".to_owned());
        let (first, others) = pages(folder.path(), &narrow, folder.path(), "report.html").unwrap();
        assert!(first.html.contains("<a href=\"report-other.html#mine\">mine</a>"), "{}", first.html);
        let [(name, page)] = &others[..] else { panic!("one page") };
        assert_eq!(name, "report-other.html");
        assert!(page.contains("<a href=\"report.html\">All results</a>") && page.contains("<section id=\"mine\">"));
        let narrow = "<div class=\"narrow\"><svg viewBox=\"0 0 2 2\"/></div>";
        assert!(page.contains(narrow) && !first.html.contains(narrow), "{page}");
    }

    #[test]
    fn a_folder_of_other_figures_makes_a_page_that_loads_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let error = page(folder.path(), &|_| None, folder.path()).unwrap_err().to_string();
        assert!(error.contains("contains no experiment and no figure"), "{error}");
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        std::fs::write(folder.path().join("mine/regret.svg"), "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\"/>\n")
            .unwrap();
        let Page { html: page, experiments, figures } = page(folder.path(), &|_| None, folder.path()).unwrap();
        assert_eq!((experiments, figures), (0, 1));
        assert!(page.contains("<p>1 folder of single commands. Point at"), "{page}");
        assert!(
            page.contains(
                "<figure class=\"\" role=\"img\" aria-label=\"mine: regret\"><svg viewBox=\"0 0 1 1\"/></figure>"
            ) && !page.contains("<?xml")
        );
        for asked in ["src=", "@import", "url(", "<link rel=\"stylesheet\""] {
            assert!(!page.contains(asked), "{asked}");
        }
        assert!(super::page(&folder.path().join("nowhere"), &|_| None, folder.path()).is_err());
    }
}
