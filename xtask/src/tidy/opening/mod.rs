//! Files are opened in one place of the commands and one of `letor-io`, which refuse pipes, devices and files without an end.

use std::path::Path;

use anyhow::Result;

use super::source::{Kind, Token, files, read, tokens, without_tests};
use super::{Findings, with_server};

/// Calls that open whatever is there.
const CALLS: [[&str; 2]; 3] = [["fs", "read"], ["fs", "read_to_string"], ["File", "open"]];

/// Where they may stand, and why.
const ALLOWED: [(&str, &str); 7] = [
    ("crates/output/src/input.rs", "the owner"),
    ("crates/letor-io/src/regular_file.rs", "the owner of a crate that does not depend on `output`"),
    ("crates/output/src/files.rs", "opens folders to flush them"),
    ("crates/output/src/lock.rs", "opens folders to lock them"),
    ("crates/output/src/machine/memory.rs", "what the system says of groups"),
    ("crates/sim/build.rs", "a build"),
    ("server/src/store/access.rs", "opens its own copy of a store to flush it"),
];

/// The crates with programs that read files placed by others.
const CHECKED: [&str; 9] =
    ["bandits", "click-logs", "figures", "letor-io", "output", "rankers", "server", "sim", "simulation"];

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let mut checked = 0;
    for name in with_server(root)? {
        if !CHECKED.iter().any(|known| name.ends_with(known)) {
            continue;
        }
        for file in files(&root.join(name).join("src"), "rs")? {
            let place = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let is_test = place.ends_with("tests.rs") || place.contains("/tests/");
            if is_test || ALLOWED.iter().any(|(allowed, _)| *allowed == place) {
                continue;
            }
            checked += 1;
            for (line, call) in opening_calls(&without_tests(&tokens(&read(&file)?))) {
                findings.add(
                    &file,
                    Some(line),
                    format!("{call} opens whatever is there; use output::input (letor-io: regular)"),
                );
            }
        }
    }
    findings.summary(format!("{checked} files of code open none by themselves"));
    Ok(())
}

/// The lines and names of such calls; files of the system under fixed names may be read.
fn opening_calls(code: &[Token<'_>]) -> Vec<(usize, String)> {
    let words: Vec<&Token<'_>> = code.iter().filter(|token| !token.is(":") && !token.is("::")).collect();
    let calls = words.windows(4).filter_map(|window| {
        let [owner, method] = CALLS.into_iter().find(|[owner, method]| window[0].is(owner) && window[1].is(method))?;
        let is_call = window[2].is("(") && window[3].kind != Kind::Str;
        is_call.then(|| (window[0].line, format!("{owner}::{method}")))
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn calls_outside_the_owners_are_found() {
        let code = "fn a(p: &Path) {\n    let x = std::fs::read(p);\n    let y = fs::read_to_string(\"/proc/self/status\");\n    \
                    let z = File::open(p);\n    let d = fs::read_dir(p);\n}\n#[cfg(test)]\nmod tests {\n    fn b() { fs::read(p); }\n}\n";
        let folder = tree(&[
            ("crates/sim/Cargo.toml", ""),
            ("crates/sim/src/lib.rs", code),
            ("crates/output/Cargo.toml", ""),
            ("crates/output/src/input.rs", code),
        ]);
        let found = checked(&folder, check);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/sim/src/lib.rs:2: fs::read opens") && found[1].contains(":4: File::open"));
    }
}
