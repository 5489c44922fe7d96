//! Every algorithm's documentation has a section "References" with a DOI or an arXiv id.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Findings;
use super::source::{Kind, Token, files, read, tokens, without_tests};

/// The identifiers of papers: a DOI, an arXiv id, or the page of proceedings that give no DOI.
const ADDRESSES: [&str; 5] = ["doi.org/10.", "arxiv", "proceedings.mlr.press/", "proceedings.neurips.cc/", "jmlr.org/"];

/// Where algorithms are, and the traits that make a file one of them.
const ALGORITHMS: [(&str, &[&str]); 3] = [
    ("crates/bandits/src", &["PolicyConfig"]),
    ("crates/interleave/src", &["Interleaving", "Multileaving"]),
    ("crates/clicks/src", &["ClickModel", "Examine"]),
];

/// The macro that implements [`bandits::PolicyConfig`].
const CONFIG: &str = "config";

/// Folders and files with implementations that stand for others: for any method, as the reference form of one, or written by a macro.
const NOT_ALGORITHMS: [&str; 5] = ["any", "any.rs", "config.rs", "plain", "reference"];

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let mut count = 0;
    for (folder, traits) in ALGORITHMS {
        let src = root.join(folder);
        if !src.is_dir() {
            continue;
        }
        for file in files(&src, "rs")? {
            let inside = file.strip_prefix(&src).unwrap_or(&file);
            if inside.components().any(|part| NOT_ALGORITHMS.iter().any(|&name| part.as_os_str() == name)) {
                continue;
            }
            let text = read(&file)?;
            let tokens = tokens(&text);
            let code = without_tests(&tokens);
            if !implements(&code, traits) && !calls(&code, CONFIG) {
                continue;
            }
            count += 1;
            // The parts of a method in a folder share the documentation of the folder.
            let shared = heads(&file)
                .iter()
                .any(|head| read(head).is_ok_and(|text| fault(&super::source::tokens(&text)).is_none()));
            if let Some(fault) = fault(&tokens)
                && !shared
            {
                findings.add(&file, None, fault.to_owned());
            }
        }
    }
    findings.note(format!("{count} files of algorithms"));
    Ok(())
}

/// The files that document the folder of `file`.
fn heads(file: &Path) -> Vec<PathBuf> {
    file.parent().map_or_else(Vec::new, |folder| vec![folder.join("mod.rs"), folder.with_extension("rs")])
}

/// Whether there is an `impl Trait for` of one of the traits, generics apart.
fn implements(code: &[Token<'_>], traits: &[&str]) -> bool {
    code.iter().enumerate().filter(|(_, token)| token.is("impl")).any(|(at, _)| {
        let head: Vec<&Token<'_>> = code[at..].iter().take_while(|token| !token.is("{") && !token.is(";")).collect();
        let Some(end) = head.iter().position(|token| token.is("for")) else {
            return false;
        };
        // `impl<M: Trait> Trait for`, not `impl Other<M> for`: the last name outside of angle brackets.
        let mut depth = 0_i32;
        let names = head[1..end].iter().filter(|token| {
            depth += i32::from(token.is("<")) - i32::from(token.is(">"));
            depth == 0 && token.kind == Kind::Ident
        });
        // For a reference to any of them, and for any of them, nothing is implemented.
        let stands_for_others = head.get(end + 1).is_some_and(|token| token.is("&"));
        !stands_for_others && names.last().is_some_and(|name| traits.contains(&name.text))
    })
}

/// Whether the macro of this name is called with a body.
fn calls(code: &[Token<'_>], name: &str) -> bool {
    code.windows(3).any(|three| three[0].is(name) && three[1].is("!") && three[2].is("{"))
}

/// The gap in the documentation.
fn fault(tokens: &[Token<'_>]) -> Option<&'static str> {
    let docs: Vec<&str> =
        tokens.iter().filter(|token| token.kind == Kind::Doc).map(|token| token.text.trim()).collect();
    let Some(start) = docs
        .iter()
        .position(|line| matches!(line.trim_start_matches('#').trim(), "References") && line.starts_with('#'))
    else {
        return Some("its documentation has no section `# References`");
    };
    let end = docs[start + 1..].iter().position(|line| line.starts_with('#')).unwrap_or(docs.len() - start - 1);
    let section = &docs[start + 1..start + 1 + end];
    let known = section.iter().any(|line| {
        let line = line.to_lowercase();
        ADDRESSES.iter().any(|address| line.contains(address))
    });
    (!known).then_some("its References have no DOI, arXiv id or page of proceedings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn an_algorithm_without_references_is_found() {
        let with =
            "//! A.\n//!\n//! ## References\n//!\n//! * B, <https://doi.org/10.1/2>.\nimpl PolicyConfig for A {}\n";
        let folder = tree(&[
            ("crates/bandits/src/policies/good.rs", with),
            ("crates/bandits/src/policies/bare.rs", "impl PolicyConfig for A {}\n"),
            ("crates/bandits/src/policies/macro.rs", "config! {\n    /// A.\n    pub struct AConfig {}\n}\n"),
            ("crates/bandits/src/policies/blank.rs", &with.replace("https://doi.org/10.1/2", "somewhere")),
            ("crates/bandits/src/policies/other.rs", "impl From<PolicyConfig> for A {}\n"),
            ("crates/bandits/src/policies/helper.rs", "#[cfg(test)]\nmod tests { impl PolicyConfig for A {} }\n"),
            ("crates/interleave/src/any/mod.rs", "impl Interleaving for Any {}\n"),
            ("crates/interleave/src/sub/mod.rs", with),
            ("crates/interleave/src/sub/part.rs", "impl<T: Clone> Multileaving for Part<T> {}\n"),
        ]);
        assert_eq!(
            checked(&folder, check),
            [
                "crates/bandits/src/policies/bare.rs: its documentation has no section `# References`",
                "crates/bandits/src/policies/blank.rs: its References have no DOI, arXiv id or page of proceedings",
                "crates/bandits/src/policies/macro.rs: its documentation has no section `# References`",
            ]
        );
    }
}
