//! The commands in READMEs are ones that their programs accept.
//!
//! Lines of ```` ```sh ```` blocks: `rankduel` and `cargo xtask` by their own parsers, of other calls of cargo the packages
//! and targets that they name. Nothing is run.

use std::path::Path;

use anyhow::Result;
use clap::Parser as _;

use super::source::{files, read};
use super::{Findings, crates};

pub(super) fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    let mut count = 0;
    for file in files(root, "md")? {
        // A loop's variable stands for its first value.
        let mut variable = None::<[String; 2]>;
        for (line, mut command) in commands(&read(&file)?) {
            if let Some([name, value]) = &variable {
                command = command.replace(name.as_str(), value);
            }
            let words = words(&command);
            if let [first, name, _, value, ..] = words.as_slice()
                && first == "for"
            {
                variable = Some([format!("${name}"), value.clone()]);
            }
            if let Some(fault) = fault(root, &words)? {
                findings.add(&file, Some(line), format!("`{}`: {fault}", words.join(" ")));
            }
            count += 1;
        }
    }
    findings.note(format!("{count} commands"));
    Ok(())
}

/// The commands in all `sh` blocks, with continued lines joined, each with the line that it begins in.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut inside, mut continued) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            inside = !inside && matches!(line, "```sh" | "```bash" | "```console");
            continued = false;
            continue;
        }
        if !inside || line.is_empty() {
            continue;
        }
        let (part, more) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match found.last_mut().filter(|_| continued) {
            Some((_, command)) => *command += &format!(" {part}"),
            None => found.push((index + 1, part.trim_start_matches("$ ").to_owned())),
        }
        continued = more;
    }
    found
}

/// The words of a command up to a comment or another command; quotes group.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.chars() {
        match character {
            '\'' | '"' if quote.is_none() => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            character if quote == Some(character) => quote = None,
            character
                if quote.is_none() && (character.is_whitespace() || matches!(character, ';' | '|' | '>' | '&')) =>
            {
                words.extend(word.take());
                if !character.is_whitespace() {
                    return words;
                }
            }
            '#' if word.is_none() && quote.is_none() => return words,
            character => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// The fault of a command; `None` if it is right or not one of ours.
fn fault(root: &Path, words: &[String]) -> Result<Option<String>> {
    // Assignments of variables come first.
    let start = words.iter().position(|word| !word.contains('=')).unwrap_or(words.len());
    let words: Vec<&str> = words[start..].iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["rankduel", arguments @ ..] => sim(arguments),
        ["cargo", "xtask", arguments @ ..] => xtask(arguments),
        ["cargo", rest @ ..] => {
            let (own, arguments) = match rest.iter().position(|&word| word == "--") {
                Some(at) => (&rest[..at], &rest[at + 1..]),
                None => (rest, &[][..]),
            };
            match cargo(root, own)? {
                None if own.first() == Some(&"run") && package(own) == Some("sim") => sim(arguments),
                fault => fault,
            }
        }
        _ => None,
    })
}

/// The package that a call of cargo names.
fn package<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.iter().position(|&word| matches!(word, "-p" | "--package"))?;
    words.get(at + 1).copied()
}

fn cargo(root: &Path, words: &[&str]) -> Result<Option<String>> {
    let Some(package) = package(words) else {
        return Ok(None);
    };
    let all = crates(root)?;
    let Some(folder) = all.iter().find(|folder| folder.rsplit('/').next() == Some(package)) else {
        return Ok(Some(format!("there is no package {package}")));
    };
    for (flag, targets) in [("--example", "examples"), ("--test", "tests"), ("--bench", "benches")] {
        let name = words.iter().position(|&word| word == flag).and_then(|at| words.get(at + 1));
        let Some(name) = name else {
            continue;
        };
        let folder = root.join(folder).join(targets);
        if !folder.join(format!("{name}.rs")).is_file() && !folder.join(name).join("main.rs").is_file() {
            return Ok(Some(format!("{package} has no {name} in {targets}/")));
        }
    }
    Ok(None)
}

fn sim(arguments: &[&str]) -> Option<String> {
    // `...` stands for more of the same.
    let arguments: Vec<&str> = arguments.iter().map(|word| word.trim_end_matches(",...")).collect();
    if arguments.iter().any(|word| word.starts_with('[')) {
        return None;
    }
    sim::cli::check(arguments).err()
}

fn xtask(arguments: &[&str]) -> Option<String> {
    let line = ["cargo xtask"].into_iter().chain(arguments.iter().copied());
    let error = crate::Arguments::try_parse_from(line).err()?;
    error.use_stderr().then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::{checked, tree};

    #[test]
    fn commands_that_are_refused_are_found() {
        let text = "```sh\ncargo run --release -p sim -- bandit --matrix P.npy --steps 1e4   # fine; --steps x\n\
            cargo run -p sim -- \\\n  --stepps 1e4\nrankduel proxy --out\nrankduel --algorithms rucb,...\nfor x in 2e4 3e4; do\n\
            rankduel bandit --matrix P.npy --steps $x\ncargo xtask fetch-datasets ylr1 --from 'a b'\ncargo xtask bend\ncargo test -p similar\n\
            cargo bench -p a --bench impressions\nRUST_LOG=x cargo run -p a --example c -- --what\n```\n\n\
            ```rust\nsim --stepps\n```\n";
        let folder = tree(&[
            ("README.md", text),
            ("crates/a/Cargo.toml", ""),
            ("crates/a/examples/c.rs", ""),
            ("crates/sim/Cargo.toml", ""),
        ]);
        let found = checked(&folder, check);
        let starts = [
            "README.md:3: `cargo run -p sim -- --stepps 1e4`: unexpected argument '--stepps'",
            "README.md:5: `rankduel proxy --out`: a value is required for '--out",
            "README.md:10: `cargo xtask bend`: error: unrecognized subcommand 'bend'",
            "README.md:11: `cargo test -p similar`: there is no package similar",
            "README.md:12: `cargo bench -p a --bench impressions`: a has no impressions in benches/",
        ];
        assert_eq!(found.len(), starts.len(), "{found:#?}");
        for (found, start) in found.iter().zip(starts) {
            assert!(found.starts_with(start), "{found}\nis not\n{start}");
        }
    }
}
