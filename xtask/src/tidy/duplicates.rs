//! Code that stands twice: runs of at least six lines that are equal but for names and literals, tests apart.
//!
//! A report, not a rule: it runs only when it is named, since some repetition is clearer than its removal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::source::{Kind, Token, files, read, tokens, without_tests};
use super::{Findings, crates};

/// Shorter runs do not count ...
const LEAST_LINES: usize = 6;
/// ... nor do runs with fewer tokens.
const LEAST_TOKENS: usize = 60;

/// A line of code, its names and literals replaced.
struct Line {
    number: usize,
    shape: String,
    tokens: usize,
}

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let mut sources: Vec<(PathBuf, Vec<Line>)> = Vec::new();
    for name in crates(root)? {
        for file in files(&root.join(name).join("src"), "rs")? {
            let lines = lines(&without_tests(&tokens(&read(&file)?)));
            sources.push((file, lines));
        }
    }
    let mut windows: BTreeMap<Vec<&str>, Vec<(usize, usize)>> = BTreeMap::new();
    for (source, (_, lines)) in sources.iter().enumerate() {
        for (at, window) in lines.windows(LEAST_LINES).enumerate() {
            let shape = window.iter().map(|line| line.shape.as_str()).collect();
            windows.entry(shape).or_default().push((source, at));
        }
    }
    let mut pairs: Vec<((usize, usize), (usize, usize))> = windows
        .values()
        .flat_map(|places| places.iter().enumerate().flat_map(|(n, &a)| places[n + 1..].iter().map(move |&b| (a, b))))
        .collect();
    pairs.sort_unstable();
    let mut covered = BTreeSet::new();
    let mut total = 0;
    for (first, second) in pairs {
        if covered.contains(&(first, second)) {
            continue;
        }
        let mut len = 0;
        while let (Some(a), Some(b)) = (sources[first.0].1.get(first.1 + len), sources[second.0].1.get(second.1 + len))
            && a.shape == b.shape
            && (first.0 != second.0 || first.1 + len < second.1)
        {
            covered.insert(((first.0, first.1 + len), (second.0, second.1 + len)));
            len += 1;
        }
        let run = &sources[first.0].1[first.1..first.1 + len];
        if len < LEAST_LINES || run.iter().map(|line| line.tokens).sum::<usize>() < LEAST_TOKENS {
            continue;
        }
        total += len;
        let (other, lines) = &sources[second.0];
        let place = findings.place(other, Some(lines[second.1].number));
        findings.add(&sources[first.0].0, Some(run[0].number), format!("{len} lines as in {place}"));
    }
    findings.summary(format!("{total} lines stand twice"));
    Ok(())
}

/// How attributes, fields and arms of lists begin.
const IGNORED: [&str; 4] = ["#", "pub name :", "name : name ,", "name ,"];

/// The lines that have code, imports, attributes, fields and lone brackets apart.
fn lines(code: &[Token<'_>]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.first() {
        let len = rest.iter().take_while(|token| token.line == first.line).count();
        let (line, behind) = rest.split_at(len);
        rest = behind;
        if line.iter().all(|token| token.kind == Kind::Punct) || line.iter().take(4).any(|token| token.is("use")) {
            continue;
        }
        let shape = line.iter().map(shape).collect::<Vec<&str>>().join(" ");
        if IGNORED.iter().any(|start| shape.starts_with(start)) {
            continue;
        }
        lines.push(Line { number: first.line, shape, tokens: line.len() });
    }
    lines
}

fn shape<'a>(token: &Token<'a>) -> &'a str {
    const KEYWORDS: [&str; 24] = [
        "as", "break", "const", "continue", "else", "enum", "fn", "for", "if", "impl", "in", "let", "loop", "match",
        "mod", "move", "mut", "pub", "return", "static", "struct", "trait", "where", "while",
    ];
    match token.kind {
        Kind::Ident if !KEYWORDS.contains(&token.text) => "name",
        Kind::Str | Kind::Other => "literal",
        _ => token.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn a_function_under_other_names_is_found_once() {
        let function = |name: &str, extra: &str| {
            format!(
                "use a::b;\nfn {name}(x: &[f64], y: &[f64]) -> f64 {{\n    let mut {name}s = 0.0;\n    \
                for (a, b) in x.iter().zip(y) {{\n        let d = a - b;\n{extra}        {name}s += d * d;\n        \
                assert!({name}s >= 0.0, \"{name}\");\n    }}\n    {name}s / x.len() as f64\n}}\n"
            )
        };
        let folder = tree(&[
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", &function("sum", "")),
            ("crates/a/src/b.rs", &(String::from("\n\n") + &function("total", ""))),
            ("crates/a/src/c.rs", &function("other", "        break;\n")),
        ]);
        assert_eq!(checked(&folder, check), ["crates/a/src/b.rs:4: 7 lines as in crates/a/src/lib.rs:2"]);
    }
}
