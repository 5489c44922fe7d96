//! No cycle between the first-level modules of a crate: imports are followed to the file that defines the imported name, tests apart.
//!
//! `lib.rs` itself does not count as a module: it re-exports from all others, and those re-exports are followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use super::source::{Crate, Import};
use super::{Findings, with_server};

/// From module to module, by imports.
type Edges = BTreeMap<(String, String), Vec<Import>>;

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    for name in with_server(root)? {
        let src = root.join(&name).join("src");
        if !src.join("lib.rs").is_file() {
            continue;
        }
        let edges = edges(&Crate::read(&src)?);
        for cycle in cycles(&edges) {
            let names: Vec<&str> = cycle.iter().map(String::as_str).collect();
            findings.add(&src, None, format!("modules {} form a cycle:", names.join(", ")));
            for ((from, to), imports) in &edges {
                if cycle.contains(from)
                    && cycle.contains(to)
                    && let Some(import) = imports.first()
                {
                    let more = imports.len() - 1;
                    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
                    let message = format!("  {from} -> {to}: {}{more}", import.path);
                    findings.add(&import.file, Some(import.line), message);
                }
            }
        }
        let modules: BTreeSet<&String> = edges.keys().flat_map(|(from, to)| [from, to]).collect();
        findings.note(format!("{name}: {} modules, {} edges", modules.len(), edges.len()));
        for from in modules {
            let to: Vec<&str> = edges.keys().filter(|(start, _)| start == from).map(|(_, end)| end.as_str()).collect();
            if !to.is_empty() {
                findings.detail(format!("  {from} -> {}", to.join(", ")));
            }
        }
    }
    Ok(())
}

/// The imports between different first-level modules.
fn edges(library: &Crate) -> Edges {
    let mut edges = Edges::new();
    for import in library.imports() {
        if let (Some(from), Some(to)) = (import.from.first(), import.to.first())
            && from != to
        {
            edges.entry((from.clone(), to.clone())).or_default().push(import);
        }
    }
    edges
}

/// The largest sets of modules that all reach each other.
fn cycles(edges: &Edges) -> Vec<BTreeSet<String>> {
    let modules: BTreeSet<&String> = edges.keys().flat_map(|(from, to)| [from, to]).collect();
    let reach = |start: &String| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(from) = open.pop() {
            for (_, to) in edges.keys().filter(|(start, _)| start == from) {
                if reached.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = modules.iter().map(|&module| (module, reach(module))).collect();
    let mut cycles: Vec<BTreeSet<String>> = Vec::new();
    for &module in &modules {
        if reached[module].contains(module) && !cycles.iter().any(|cycle| cycle.contains(module)) {
            cycles.push(reached[module].iter().filter(|&other| reached[other].contains(module)).cloned().collect());
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    const MANIFEST: (&str, &str) = ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n");

    #[test]
    fn a_cycle_is_reported_with_the_imports_that_make_it() {
        let folder = tree(&[
            MANIFEST,
            ("crates/a/src/lib.rs", "mod arena;\nmod policy;\nmod run;\n"),
            ("crates/a/src/arena.rs", "use crate::run::Run;\npub struct Arena;\n"),
            ("crates/a/src/policy/mod.rs", "mod wins;\npub use wins::Wins;\nuse super::arena;\n"),
            ("crates/a/src/policy/wins.rs", "pub struct Wins;\n"),
            ("crates/a/src/run.rs", "pub struct Run;\nfn f() { crate::policy::Wins; }\n"),
        ]);
        assert_eq!(
            checked(&folder, check),
            [
                "crates/a/src: modules arena, policy, run form a cycle:",
                "crates/a/src/arena.rs:1:   arena -> run: crate::run::Run",
                "crates/a/src/policy/mod.rs:3:   policy -> arena: super::arena",
                "crates/a/src/run.rs:2:   run -> policy: crate::policy::Wins",
            ]
        );
    }

    #[test]
    fn re_exports_lead_to_the_defining_module() {
        let lib = "pub mod low;\nmod high;\npub use high::*;\npub use low::{self as deep, inner::{Thing as Other}};\n";
        let folder = tree(&[
            MANIFEST,
            ("crates/a/src/lib.rs", lib),
            ("crates/a/src/low/mod.rs", "pub mod inner;\nuse crate::{High};\n"),
            ("crates/a/src/low/inner.rs", "pub struct Thing;\n"),
            ("crates/a/src/high.rs", "use crate::Other;\npub struct High;\n"),
        ]);
        let found = checked(&folder, check);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[1], "crates/a/src/high.rs:1:   high -> low: crate::Other");
        assert_eq!(found[2], "crates/a/src/low/mod.rs:2:   low -> high: crate::High");
    }

    #[test]
    fn tests_and_other_crates_make_no_edge() {
        let folder = tree(&[
            MANIFEST,
            ("crates/a/src/lib.rs", "mod low;\nmod high;\npub type Number = u8;\n"),
            ("crates/a/src/low.rs", "use crate::Number;\n#[cfg(test)]\nmod tests { use crate::high::High; }\n"),
            ("crates/a/src/high.rs", "use crate::low::{self, Low};\nuse high::else_where;\npub struct High;\n"),
        ]);
        assert_eq!(checked(&folder, check), [""; 0]);
    }
}
