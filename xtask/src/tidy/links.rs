//! Files and folders that Markdown links to exist.

use std::path::Path;

use anyhow::Result;

use super::Findings;
use super::source::{files, read};

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let mut count = 0;
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
    }
    findings.note(format!("{count} links to files"));
    Ok(())
}

/// Whether `docs/build.sh` makes the page: from a notebook in the folder beside that of the pages.
fn is_notebook(pages: &Path, path: &str) -> bool {
    path.starts_with("notebooks/") && pages.join("..").join(path).with_extension("py").is_file()
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
}
