//! All results as HTML, on one page or one per paper: figures with values on hover, outcomes of claims, settings and
//! times. The pages load nothing from elsewhere.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use maud::{DOCTYPE, Escaper, Markup, PreEscaped, Render, html};
use output::numbers::{deviation, number, significant, with_separators, with_unit};

use super::own::{Other, others};
use crate::experiment::{
    Summary, Timings,
    claim::{ClaimResult, TestedClaim},
    config::{PAPERS, Paper, is_published},
    opened_setting::SettingInfo,
    report::index,
};

/// The generator named in pages, by which they are recognized.
const GENERATOR: &str = "rankduel report";
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("hover.js");

/// Draws the figure of a folder of results for a narrow screen, as SVG; `None` if it cannot.
pub(crate) type Narrow<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The key and the heading of results that belong to no experiment.
const OTHERS: &str = "other";
const OWN: &str = "Results of single commands";

/// A page, and the amount of its content.
#[derive(Debug)]
pub(crate) struct Page {
    /// The page itself.
    pub html: String,
    /// The number of experiments.
    pub experiments: usize,
    /// The number of figures of other commands.
    pub figures: usize,
}

/// Whether the file at `path` is a page that was made here, so that another may replace it.
pub(crate) fn is_ours(path: &Path) -> bool {
    let text = output::input::read_file_text(path, output::input::MOST_OF_RESULTS).unwrap_or_default();
    let begins = text.get(..text.len().min(1_000)).unwrap_or(&text);
    begins.contains(&format!("content=\"{GENERATOR}\""))
}

/// The experiments of one paper.
struct Chapter {
    key: &'static str,
    name: &'static str,
    body: Markup,
}

/// Everything in a folder of results.
struct Everything {
    summaries: Vec<Summary>,
    others: Vec<Other>,
    chapters: Vec<Chapter>,
}

/// A text on the page: characters that steer a terminal or a reader are shown as unknown ones.
pub(super) struct Shown<'a>(pub(super) &'a str);

impl Render for Shown<'_> {
    fn render_to(&self, buffer: &mut String) {
        let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
        let text: String = self.0.chars().map(shown).collect();
        // A `String` takes everything.
        let _ = std::fmt::Write::write_str(&mut Escaper::new(buffer), &text);
    }
}

/// The page of everything in the folder `results`, or of it alone if a single command wrote it. The page will be in the folder
/// `from`, which links start at.
///
/// # Errors
/// When the folder cannot be read, or contains neither an experiment nor a figure.
pub(crate) fn page(results: &Path, narrow: Narrow<'_>, from: &Path) -> Result<Page> {
    let found = Everything::read(results, narrow, from)?;
    let chapters = found.chapters.iter().map(|chapter| &chapter.body);
    let body = html! { (found.header()) (contents(&found, |_| String::new())) @for chapter in chapters { (chapter) } };
    Ok(found.page(document(&body, "results")))
}

/// A page of contents, in a file called `first`, and one page per paper with the name of its file, such as `report-rucb.html`.
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
    let all: Vec<(String, String)> = found
        .chapters
        .iter()
        .map(|chapter| {
            let body = html! {
                nav.pages {
                    a href=(Shown(first)) { "All results" }
                    @for other in &found.chapters {
                        @if other.key == chapter.key { " " b { (other.name) } }
                        @else { " " a href=(Shown(&file(other.key))) { (other.name) } }
                    }
                }
                (chapter.body)
            };
            (file(chapter.key), document(&body, chapter.name))
        })
        .collect();
    let body = html! { (found.header()) (contents(&found, file)) };
    Ok((found.page(document(&body, "results")), all))
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
            let sections =
                of_paper.into_iter().map(|summary| section(results, summary, narrow)).collect::<Result<Vec<_>>>()?;
            let body = html! { h2 { (name) } p.reference { (linked(reference)) "." } @for one in sections { (one) } };
            chapters.push(Chapter { key, name, body });
        }
        if !others.is_empty() {
            let sections =
                others.iter().map(|other| section_of_command(other, narrow, from)).collect::<Result<Vec<_>>>()?;
            let body = html! { h2 { (OWN) } @for one in sections { (one) } };
            chapters.push(Chapter { key: OTHERS, name: OWN, body });
        }
        Ok(Self { summaries, others, chapters })
    }

    fn header(&self) -> Markup {
        let published = self.summaries.iter().any(|of| is_published(&of.paper));
        html! {
            header {
                h1 { "Results" }
                p {
                    @if !self.summaries.is_empty() {
                        (with_unit(self.summaries.len() as u64, "experiment")) ". "
                        (if published { "Claims of the papers" } else { "Claims" }) ": "
                        (Shown(&index::tally(&self.summaries))) ". " span.badge { "look-alike" }
                        " marks results on synthetic data that imitate the real data sets. "
                    }
                    @if !self.others.is_empty() {
                        (with_unit(self.others.len() as u64, "folder")) " of single commands. "
                    }
                    "Point at a curve to read its values."
                }
            }
        }
    }

    fn page(&self, html: String) -> Page {
        let figures = self.others.iter().map(|other| other.figures.len()).sum();
        Page { html, experiments: self.summaries.len(), figures }
    }
}

fn document(body: &Markup, of: &str) -> String {
    let dark = format!("@media (prefers-color-scheme: dark) {{\n{}}}\n", figures::dark_rules(".curves "));
    // Pages load nothing.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(GENERATOR);
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(policy);
                link rel="icon" href="data:,";
                title { "rankduel: " (of) }
                style { (PreEscaped(STYLE)) (PreEscaped(dark)) }
            }
            body {
                (body)
                div #tip role="status" {}
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// The list of everything; `file` names the page of a chapter.
fn contents(found: &Everything, file: impl Fn(&str) -> String) -> Markup {
    let address = |key: &str, name: &str| format!("{}#{name}", file(key));
    html! {
        nav aria-label="Contents" {
            ol {
                @for summary in &found.summaries {
                    li {
                        a href=(Shown(&address(&summary.paper, &summary.experiment))) { (Shown(&summary.title)) }
                        " " span.marks { @for claim in &summary.claims { (mark(claim)) } }
                    }
                }
                @for other in &found.others {
                    li { a href=(Shown(&address(OTHERS, &other.name))) { (titled(other)) } }
                }
            }
        }
    }
}

/// The name and the title of a folder.
fn titled(other: &Other) -> Markup {
    let name = Shown(&other.name);
    match other.own.title() {
        Some(title) => html! { (Shown(&title)) " " span.muted { (name) } },
        None => html! { (name) },
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

fn mark(claim: &TestedClaim) -> Markup {
    html! { span class=(class(claim.verdict)) title=(claim.verdict.words(1)) { (claim.verdict.sign()) } }
}

/// The section of results of a single command.
fn section_of_command(other: &Other, narrow: Narrow<'_>, from: &Path) -> Result<Markup> {
    // A folder has one figure that can be drawn again; the others stay as they are.
    let small = narrow(&other.folder).filter(|_| other.figures.len() == 1);
    let figures = other.figures.iter().map(|figure| {
        let shows = figure.file_stem().unwrap_or_default().to_string_lossy();
        inline(figure, small.as_deref(), &format!("{}: {shows}", other.name))
    });
    let figures = figures.collect::<Result<Vec<_>>>()?;
    Ok(html! {
        section id=(Shown(&other.name)) {
            h3 { (titled(other)) @if other.own.is_synthetic() { " " span.badge { "synthetic data" } } }
            (other.own.above())
            @for figure in figures { (figure) }
            (other.own.below(from, &other.folder))
        }
    })
}

/// The section of an experiment.
fn section(results: &Path, summary: &Summary, narrow: Narrow<'_>) -> Result<Markup> {
    let folder = results.join(&summary.experiment);
    let lookalike = summary.settings.iter().any(|info| info.source.lookalike);
    let figure = Some(folder.join("figure.svg")).filter(|figure| figure.is_file());
    let figure = figure.map(|figure| inline(&figure, narrow(&folder).as_deref(), &summary.title)).transpose()?;
    let paragraphs = summary.about.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    Ok(html! {
        section id=(Shown(&summary.experiment)) {
            h3 { (Shown(&summary.title)) @if lookalike { " " span.badge { "look-alike" } } }
            @if let Some(figure) = figure { (figure) }
            @if let Some(table) = &summary.table { (rows(&table.header, &table.rows, 0..0)) }
            @if !summary.claims.is_empty() { ul.claims { @for claim in &summary.claims { (item(claim)) } } }
            @for paragraph in paragraphs { p.muted { (code(paragraph)) } }
            details { summary { "Settings and all numbers" } (settings(summary)) (values(summary)) }
            @if let Some(timings) = timings(&folder) { p.muted { (timing_sentence(&timings)) } }
        }
    })
}

/// A claim and its result.
fn item(claim: &TestedClaim) -> Markup {
    html! {
        li {
            span.mark { (mark(claim)) }
            span {
                (Shown(&claim.says))
                @if !claim.place.is_empty() { " " span.muted { "(" (Shown(&claim.place)) ")" } }
            }
            span.numbers {
                b class=(class(claim.verdict)) { (claim.verdict.words(1)) } ": " (Shown(&claim.numbers))
                @if let Some(comment) = &claim.comment { " " i { (code(comment)) } }
            }
        }
    }
}

/// The settings of an experiment.
fn settings(summary: &Summary) -> Markup {
    let row = |info: &SettingInfo| {
        vec![info.setting.clone(), with_separators(info.arms as u64), info.about.clone(), info.truth.clone()]
    };
    let header = ["setting", "rankers", "data", "regret is measured against"].map(str::to_owned);
    rows(&header, &summary.settings.iter().map(row).collect::<Vec<_>>(), 0..0)
}

/// The numbers behind the figure of an experiment.
fn values(summary: &Summary) -> Markup {
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
    rows(&header, &values, 3..usize::MAX)
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
pub(super) fn rows(header: &[String], rows: &[Vec<String>], numbers: Range<usize>) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for name in header { th { (Shown(name)) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (column, text) in row.iter().enumerate() {
                                td class=[numbers.contains(&column).then_some("number")] { (Shown(text)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An SVG as part of the page, and another for narrow screens; `name` is what screen readers call it.
fn inline(path: &Path, narrow: Option<&str>, name: &str) -> Result<Markup> {
    let svg = output::input::read_file_text(path, output::input::MOST_OF_RESULTS)
        .with_context(|| format!("failed to read {}", path.display()))?;
    // An XML declaration is only allowed at the start of a file.
    let start = svg.find("<svg").unwrap_or(0);
    let wide = PreEscaped(svg[start..].trim_end());
    // Curves have values to show, and can be dark; the colours of a heat map need their paper.
    let curves = wide.0.contains("<metadata>");
    Ok(html! {
        figure.two[narrow.is_some()].curves[curves] role="img" aria-label=(Shown(name)) {
            @if let Some(narrow) = narrow {
                div.wide { (wide) }
                div.narrow { (PreEscaped(narrow.trim_end())) }
            } @else { (wide) }
        }
    })
}

/// Text between backticks as code.
fn code(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 0 { (Shown(part)) } @else { code { (Shown(part)) } }
        }
    }
}

/// A reference, with its URL as a link.
fn linked(reference: &str) -> Markup {
    let (before, address) = reference.split_once("https://").unwrap_or((reference, ""));
    html! {
        (Shown(before))
        @if !address.is_empty() { a href=(Shown(&format!("https://{address}"))) { (Shown(address)) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_code_is_code() {
        assert_eq!(Shown("a < b & \"c\"\u{1b}").render().0, "a &lt; b &amp; &quot;c&quot;\u{fffd}");
        assert_eq!(code("see `x` there").0, "see <code>x</code> there");
        assert_eq!(linked("A, https://b.c/d").0, "A, <a href=\"https://b.c/d\">b.c/d</a>");
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
