//! Wording: what `idiom_list` refuses, in Markdown, TOML, and the comments and string literals of Rust.
//!
//! Code is left out: spans in backquotes, and of fenced blocks all but their comments.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use regex_lite::{Regex, RegexBuilder};

use super::idiom_list::{IDIOMS, Idiom};
use super::source::{Kind, files, read, tokens};
use super::{Findings, by_file};

/// Files that show idioms.
const SKIPPED: [&str; 2] = ["xtask/src/tidy/idiom_list.rs", "xtask/src/tidy/idioms.rs"];

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let rules: Vec<Rule> = IDIOMS.iter().map(Rule::new).collect::<Result<_>>()?;
    let mut counts = BTreeMap::new();
    for extension in ["md", "rs", "toml"] {
        for file in files(root, extension)? {
            let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            if SKIPPED.contains(&name.as_str()) || is_frozen(&name, &file) {
                continue;
            }
            let text = read(&file)?;
            let prose = match extension {
                "rs" => rust_paragraphs(&text),
                _ => text_paragraphs(&text),
            };
            let lines: Vec<&str> = text.lines().collect();
            let mut faults: Vec<(usize, String)> =
                prose.iter().flat_map(|prose| rules.iter().flat_map(|rule| rule.find(prose, &lines))).collect();
            faults.sort();
            faults.dedup();
            if !faults.is_empty() {
                counts.insert(name, faults.len());
            }
            for (line, message) in faults {
                findings.add(&file, Some(line), message);
            }
        }
    }
    for (file, count) in by_file(&counts) {
        findings.summary(format!("{count:4} {file}"));
    }
    Ok(())
}

/// Whether this is a file of `experiments/`, or a page that `rankduel experiment` writes from one.
fn is_frozen(name: &str, file: &Path) -> bool {
    name == "results/README.md"
        // The fingerprints of published results hash these texts: they change when the results are made again.
        || name.starts_with("experiments/") && name.ends_with(".toml")
        || name.starts_with("results/") && file.with_file_name("experiment.toml").is_file()
}

struct Rule {
    pattern: Regex,
    except: Option<Regex>,
    instead: &'static str,
}

impl Rule {
    fn new(idiom: &Idiom) -> Result<Self> {
        let regex = |text: &str| {
            RegexBuilder::new(text).case_insensitive(true).build().with_context(|| format!("the idiom {text}"))
        };
        let except = (!idiom.except.is_empty()).then(|| regex(idiom.except)).transpose()?;
        Ok(Self { pattern: regex(idiom.pattern)?, except, instead: idiom.instead })
    }

    /// Where the idiom is used: line and message.
    fn find(&self, prose: &Prose, lines: &[&str]) -> Vec<(usize, String)> {
        let fine: Vec<std::ops::Range<usize>> =
            self.except.iter().flat_map(|except| except.find_iter(&prose.text)).map(|found| found.range()).collect();
        let used = self.pattern.find_iter(&prose.text).filter(|found| {
            let line = prose.line(found.start());
            // A phrase of two lines may be allowed on either.
            let last = prose.line(found.end().saturating_sub(1));
            !fine.iter().any(|fine| fine.start < found.end() && found.start() < fine.end)
                && !(line.saturating_sub(1)..=last).any(|line| allows(lines, line, found.as_str()))
        });
        let message = |text: &str| format!("\"{}\": {}", text.trim(), self.instead);
        used.map(|found| (prose.line(found.start()), message(found.as_str()))).collect()
    }
}

/// Whether this line (counted from 1) allows the phrase and gives a reason.
fn allows(lines: &[&str], line: usize, phrase: &str) -> bool {
    let Some((_, allowed)) = line.checked_sub(1).and_then(|at| lines.get(at)?.split_once("tidy: allow ")) else {
        return false;
    };
    let Some((word, reason)) = allowed.split_once(": ") else {
        return false;
    };
    let reason = reason.trim_end_matches("-->").trim();
    !reason.is_empty() && phrase.to_lowercase().contains(&word.to_lowercase())
}

/// Lines that belong together, joined by blanks, so that a phrase may go on in the next line.
#[derive(Debug, Default)]
struct Prose {
    text: String,
    /// Where each line begins in the text, and its number.
    starts: Vec<(usize, usize)>,
}

impl Prose {
    fn push(&mut self, line: usize, text: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.starts.push((self.text.len(), line));
        // Code in backquotes becomes one character, so that the words around it do not meet.
        for (number, part) in text.split('`').enumerate() {
            self.text.push_str(if number % 2 == 0 { part } else { "`" });
        }
    }

    fn line(&self, at: usize) -> usize {
        self.starts.iter().rev().find(|(start, _)| *start <= at).map_or(1, |&(_, line)| line)
    }
}

/// Lines of text, cut where a line is blank or a table's row or an item of a list begins.
fn paragraphs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Prose> {
    let mut all = vec![Prose::default()];
    let (mut fenced, mut before) = (false, 0);
    for (number, line) in lines {
        let line = line.trim();
        let fence = line.starts_with("```");
        let cut = fence || fenced || line.is_empty() || number != before + 1 || line.starts_with(['|', '*', '-', '#']);
        before = number;
        // An exception is not part of the text.
        if line.contains("tidy: allow ") {
            continue;
        }
        if cut {
            all.push(Prose::default());
        }
        fenced ^= fence;
        if fence || line.is_empty() {
            continue;
        }
        // In code, only comments are prose.
        let comment = ["# ", "// ", "/// ", "//! "].iter().find_map(|mark| line.split_once(mark));
        let text = match (fenced, comment) {
            (false, _) => line,
            (true, Some((_, comment))) => comment,
            (true, None) => continue,
        };
        if let Some(prose) = all.last_mut() {
            prose.push(number, text);
        }
    }
    all.retain(|prose| !prose.text.is_empty());
    all
}

fn text_paragraphs(text: &str) -> Vec<Prose> {
    paragraphs(text.lines().enumerate().map(|(index, line)| (index + 1, line)))
}

/// The comments and string literals of Rust.
fn rust_paragraphs(text: &str) -> Vec<Prose> {
    let tokens = tokens(text);
    let comments = |kind: Kind| tokens.iter().filter(move |token| token.kind == kind);
    let mut all = paragraphs(comments(Kind::Doc).map(|token| (token.line, token.text)));
    all.extend(paragraphs(comments(Kind::Comment).map(|token| (token.line, token.text))));
    for token in comments(Kind::Str) {
        let mut prose = Prose::default();
        for (index, line) in token.text.lines().enumerate() {
            prose.push(token.line + index, line.trim_end_matches('\\').trim());
        }
        all.push(prose);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn idioms_are_found_in_prose_and_not_in_code() {
        let text = "It tells so\nmany things.\nUse `tell` here.\n\n```sh\ntell # anew\n```\n\n\
            There is no number, so many that it takes the law of large numbers.\n";
        let rust = "//! One gap an arm.\n/// Drawn `anew`.\nfn told() {} // of odds\nconst A: &str = \"x \\\n   is no number\";\n";
        let folder = tree(&[("README.md", text), ("src/a.rs", rust), ("a.toml", "about = \"in place of\"\n")]);
        let starts = [
            "README.md:1: \"so many\": ",
            "README.md:1: \"tells\": ",
            "README.md:6: \"anew\": ",
            "src/a.rs:1: \"One gap an arm\": ",
            "src/a.rs:3: \"odds\": ",
            "src/a.rs:5: \"is no number\": ",
            "a.toml:1: \"in place of\": ",
        ];
        let found = checked(&folder, check);
        assert_eq!(found.len(), starts.len(), "{found:#?}");
        for start in starts {
            assert!(found.iter().any(|found| found.starts_with(start)), "{start} is not among {found:#?}");
        }
    }

    #[test]
    fn an_exception_needs_a_reason() {
        let text = |allow: &str| format!("{allow}\nfn f() -> &'static str {{ \"odds\" }}\n");
        let folder = tree(&[
            ("good.rs", &text("// tidy: allow odds: the paper's word")),
            ("bare.rs", &text("// tidy: allow odds")),
            ("other.rs", &text("// tidy: allow law: the paper's word")),
            ("good.md", "<!-- tidy: allow odds: a reason -->\nThe odds.\n"),
        ]);
        let found = checked(&folder, check);
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found[0].starts_with("bare.rs:2: ") && found[1].starts_with("other.rs:2: "), "{found:#?}");
    }

    #[test]
    fn good_english_passes() {
        let text = "There are no arms. This is no longer true. A run of 10 steps takes a second. It depends on the pair.\n\
            What one arm costs, a pair of arms, an arm. Each line has a column. As of 2026, a list is a file.\n";
        assert_eq!(checked(&tree(&[("README.md", text)]), check), [""; 0]);
    }
}
