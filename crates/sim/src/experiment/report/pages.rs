//! All results as HTML, on one page or one per paper: figures with values on hover, outcomes of claims, settings and
//! times. The pages load nothing from elsewhere.

use std::path::Path;

use anyhow::{Result, ensure};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use output::numbers::with_unit;

use super::command_folder::CommandFolder;
use super::experiment_section::{claim_mark, experiment_section};
use super::markup::{NarrowFigure, PageText, with_link};
use crate::experiment::{
    Summary,
    config::{PAPERS, Paper, is_published},
    report::index,
};

/// The generator named in pages, by which they are recognized.
const GENERATOR: &str = "rankduel report";
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("hover.js");

/// The key and the heading of results that belong to no experiment.
const COMMANDS_KEY: &str = "other";
const COMMANDS_HEADING: &str = "Results of single commands";

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
pub(crate) fn is_report_page(path: &Path) -> bool {
    let text = output::input::read_file_text(path, output::input::MAX_RESULT_BYTES).unwrap_or_default();
    let beginning = text.get(..text.len().min(1_000)).unwrap_or(&text);
    beginning.contains(&format!("content=\"{GENERATOR}\""))
}

/// The experiments of one paper.
struct Chapter {
    key: &'static str,
    name: &'static str,
    body: Markup,
}

/// Everything in a folder of results.
struct ResultsContent {
    summaries: Vec<Summary>,
    command_folders: Vec<CommandFolder>,
    chapters: Vec<Chapter>,
}

/// The page of everything in the folder `results`, or of it alone if a single command wrote it. The page will be in the folder
/// `page_folder`, which links start at.
///
/// # Errors
/// When the folder cannot be read, or contains neither an experiment nor a figure.
pub(crate) fn page(results: &Path, narrow_figure: NarrowFigure<'_>, page_folder: &Path) -> Result<Page> {
    let content = ResultsContent::read(results, narrow_figure, page_folder)?;
    let chapters = content.chapters.iter().map(|chapter| &chapter.body);
    let body =
        html! { (content.header()) (contents(&content, |_| String::new())) @for chapter in chapters { (chapter) } };
    Ok(content.page(document(&body, "results")))
}

/// A page of contents, in a file called `contents_file`, and one page per paper with the name of its file, such as `report-rucb.html`.
///
/// # Errors
/// As for [`page`].
pub(crate) fn pages(
    results: &Path,
    narrow_figure: NarrowFigure<'_>,
    page_folder: &Path,
    contents_file: &str,
) -> Result<(Page, Vec<(String, String)>)> {
    let content = ResultsContent::read(results, narrow_figure, page_folder)?;
    let stem = contents_file.rsplit_once('.').map_or(contents_file, |(stem, _)| stem);
    let file = |key: &str| format!("{stem}-{key}.html");
    let chapter_pages: Vec<(String, String)> = content
        .chapters
        .iter()
        .map(|chapter| {
            let body = html! {
                nav.pages {
                    a href=(PageText(contents_file)) { "All results" }
                    @for link in &content.chapters {
                        @if link.key == chapter.key { " " b { (link.name) } }
                        @else { " " a href=(PageText(&file(link.key))) { (link.name) } }
                    }
                }
                (chapter.body)
            };
            (file(chapter.key), document(&body, chapter.name))
        })
        .collect();
    let body = html! { (content.header()) (contents(&content, file)) };
    Ok((content.page(document(&body, "results")), chapter_pages))
}

impl ResultsContent {
    fn read(results: &Path, narrow_figure: NarrowFigure<'_>, page_folder: &Path) -> Result<Self> {
        // An experiment's folder has no config.json.
        let is_command_folder = results.join("config.json").is_file();
        let summaries = if is_command_folder { Vec::new() } else { index::summaries(results)? };
        let command_folders = match is_command_folder {
            true => vec![CommandFolder::read(results)?],
            false => CommandFolder::read_all(results, &summaries)?,
        };
        ensure!(
            !summaries.is_empty() || !command_folders.is_empty(),
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
            let sections = of_paper
                .into_iter()
                .map(|summary| experiment_section(results, summary, narrow_figure))
                .collect::<Result<Vec<_>>>()?;
            let body = html! { h2 { (name) } p.reference { (with_link(reference)) "." } @for section in sections { (section) } };
            chapters.push(Chapter { key, name, body });
        }
        if !command_folders.is_empty() {
            let sections = command_folders
                .iter()
                .map(|folder| folder.section(narrow_figure, page_folder))
                .collect::<Result<Vec<_>>>()?;
            let body = html! { h2 { (COMMANDS_HEADING) } @for section in sections { (section) } };
            chapters.push(Chapter { key: COMMANDS_KEY, name: COMMANDS_HEADING, body });
        }
        Ok(Self { summaries, command_folders, chapters })
    }

    fn header(&self) -> Markup {
        let published = self.summaries.iter().any(|summary| is_published(&summary.paper));
        html! {
            header {
                h1 { "Results" }
                p {
                    @if !self.summaries.is_empty() {
                        (with_unit(self.summaries.len() as u64, "experiment")) ". "
                        (if published { "Claims of the papers" } else { "Claims" }) ": "
                        (PageText(&index::tally(&self.summaries))) ". " span.badge { "look-alike" }
                        " marks results on synthetic data that imitate the real data sets. "
                    }
                    @if !self.command_folders.is_empty() {
                        (with_unit(self.command_folders.len() as u64, "folder")) " of single commands. "
                    }
                    "Point at a curve to read its values."
                }
            }
        }
    }

    fn page(&self, html: String) -> Page {
        let figures = self.command_folders.iter().map(|folder| folder.figures.len()).sum();
        Page { html, experiments: self.summaries.len(), figures }
    }
}

/// A complete HTML document; `title` follows the name of the program.
fn document(body: &Markup, title: &str) -> String {
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
                title { "rankduel: " (title) }
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
fn contents(content: &ResultsContent, file: impl Fn(&str) -> String) -> Markup {
    let address = |key: &str, name: &str| format!("{}#{name}", file(key));
    html! {
        nav aria-label="Contents" {
            ol {
                @for summary in &content.summaries {
                    li {
                        a href=(PageText(&address(&summary.paper, &summary.experiment))) { (PageText(&summary.title)) }
                        " " span.marks { @for claim in &summary.claims { (claim_mark(claim)) } }
                    }
                }
                @for folder in &content.command_folders {
                    li { a href=(PageText(&address(COMMANDS_KEY, &folder.name))) { (folder.heading()) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
