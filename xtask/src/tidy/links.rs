//! Markdown is shown as it is meant: files and folders that it links to exist, and no row of a table stands without a heading. Source
//! files that Markdown and comments name with their folder exist.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use super::source::{files, read};

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let (mut count, mut names) = (0, 0);
    let source = files(root, "rs")?;
    for file in &source {
        let text = read(file)?;
        let comments = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"));
        names += check_names(file, &source, comments.map(|(index, line)| (index + 1, line)), findings);
    }
    for file in files(root, "md")? {
        let text = read(&file)?;
        let folder = file.parent().unwrap_or(root);
        for (number, line) in outside_code(&text) {
            for target in targets(line) {
                let path = target.split(['#', '?']).next().unwrap_or(target);
                if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                    continue;
                }
                count += 1;
                if !folder.join(path).exists() && !is_notebook(folder, path) {
                    findings.add(&file, Some(number), format!("links to {path}, which does not exist"));
                }
            }
        }
        names += check_names(&file, &source, outside_code(&text), findings);
        for number in rows_without_a_heading(&text) {
            findings.add(
                &file,
                Some(number),
                "begins a table without a heading; a blank line may have cut the table".to_owned(),
            );
        }
    }
    findings.note(format!("{count} links to files, {names} names of files"));
    Ok(())
}

/// Counts the source files that these lines of a file name with their folder, and finds those that are not there.
fn check_names<'t>(
    file: &Path,
    source: &[PathBuf],
    lines: impl Iterator<Item = (usize, &'t str)>,
    findings: &mut Findings,
) -> usize {
    let mut count = 0;
    for (number, line) in lines {
        let is_path = |span: &&str| span.contains('/') && span.ends_with(".rs") && !span.contains([' ', '{', '*', '<']);
        for name in line.split('`').skip(1).step_by(2).filter(is_path) {
            count += 1;
            // Of an example that readers write themselves.
            let is_example = name.starts_with("foo/") || name.contains("NAME") || name.ends_with("examples/own.rs");
            if !is_example && !source.iter().any(|path| path.ends_with(name)) {
                findings.add(file, Some(number), format!("names {name}, which does not exist"));
            }
        }
    }
    count
}

/// Whether `docs/build.sh` makes the page: from a notebook in the folder beside the pages.
fn is_notebook(pages: &Path, path: &str) -> bool {
    path.starts_with("notebooks/") && pages.join("..").join(path).with_extension("py").is_file()
}

/// The rows that begin a table though the next line does not underline a heading.
fn rows_without_a_heading(text: &str) -> Vec<usize> {
    let mut targets = Vec::new();
    let mut lines = outside_code(text).peekable();
    let mut is_in_table = false;
    while let Some((number, line)) = lines.next() {
        let is_row = line.starts_with('|');
        let underlines = |next: &str| next.starts_with('|') && next.chars().all(|sign| "|-: ".contains(sign));
        if is_row && !is_in_table && !lines.peek().is_some_and(|(_, next)| underlines(next)) {
            targets.push(number);
        }
        is_in_table = is_row;
    }
    targets
}

/// The lines that are not in a fenced block, numbered from 1.
pub(super) fn outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// The targets of `[text](target)` in a line, code spans apart.
fn targets(line: &str) -> Vec<&str> {
    let prose: Vec<&str> = line.split("](").skip(1).collect();
    prose.into_iter().filter_map(|part| part.split([')', ' ']).next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn a_link_to_nothing_is_found() {
        let text = "[a](a.md) and [b](sub/b.md#part), ![c](c.png \"c\"), [d](https://example.org/d)\n\
            ```md\n[not a link](e.md)\n```\n[f](#part), [g](notebooks/g.md)\n";
        let folder = tree(&[
            ("sub/README.md", text),
            ("sub/a.md", ""),
            ("sub/sub/b.md", "[up](../a.md)"),
            ("notebooks/g.py", ""),
        ]);
        assert_eq!(checked(&folder, check), ["sub/README.md:1: links to c.png, which does not exist"]);
    }

    #[test]
    fn a_file_that_was_renamed_is_found() {
        let folder = tree(&[
            ("README.md", "`src/old.rs` and `src/new.rs`, `old.rs`\n"),
            ("src/new.rs", "//! As in `a/src/new.rs`.\nconst PATH: &str = \"`a/b.rs`\";\n"),
        ]);
        let found = ["README.md:1: names src/old.rs", "src/new.rs:1: names a/src/new.rs"];
        let mut sorted = checked(&folder, check);
        sorted.sort();
        assert_eq!(sorted, found.map(|line| format!("{line}, which does not exist")));
    }

    #[test]
    fn a_table_that_a_blank_line_cuts_is_found() {
        let text = "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n| 3 | 4 |\n| 5 | 6 |\n```\n| 7 |\n```\n|x|\n|-|\n";
        let folder = tree(&[("README.md", text)]);
        let found = "README.md:5: begins a table without a heading; a blank line may have cut the table";
        assert_eq!(checked(&folder, check), [found]);
    }
}
