//! The blocks of a README that run, in order.

use anyhow::{Result, bail, ensure};

/// When and how a block runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlockRun {
    /// Always.
    Here,
    /// In another script of the repository.
    In(String),
    /// If asked for: in the clone or in the folder, to its end or until it has printed something.
    Long { in_the_clone: bool, until: Option<String> },
    /// Its text is a file.
    File(String),
    /// No block: this file that was written is that one of the repository.
    Same(String, String),
}

/// The language of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Shell,
    Python,
    Other,
}

/// A block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeBlock {
    /// The line of the README where its text begins, from 1.
    pub(super) line: usize,
    pub(super) when: BlockRun,
    pub(super) language: Language,
    pub(super) text: String,
    /// The standard output that the README shows.
    pub(super) shown: Option<String>,
}

impl CodeBlock {
    /// The commands of a shell block without their comments.
    pub(super) fn commands(&self) -> Vec<String> {
        let joined = self.text.replace("\\\n", " ");
        let bare = joined.lines().map(|line| line.split(" #").next().unwrap_or_default());
        let words = bare.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        words.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    }
}

/// The blocks that run; Python blocks are long, because they want the package.
pub(super) fn steps(text: &str) -> Result<Vec<CodeBlock>> {
    let mut blocks: Vec<CodeBlock> = Vec::new();
    let mut instruction = None;
    // Whether nothing but blank lines stands between the last step and here.
    let mut follows = false;
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(words) = line.strip_prefix("<!-- readme: ") {
            ensure!(instruction.is_none(), "line {}: two comments before one block", at + 1);
            let words = words.trim_end_matches("-->").trim();
            if let Some((written, kept)) = words.strip_prefix("same ").and_then(|words| words.split_once(" as ")) {
                let when = BlockRun::Same(written.to_owned(), kept.to_owned());
                blocks.push(CodeBlock {
                    line: at + 1,
                    when,
                    language: Language::Other,
                    text: String::new(),
                    shown: None,
                });
                continue;
            }
            instruction = Some(parse_request(words, at + 1)?);
            continue;
        }
        let Some(language) = line.strip_prefix("```") else {
            ensure!(instruction.is_none() || line.is_empty(), "line {}: a comment for a block, and no block", at + 1);
            follows &= line.is_empty();
            continue;
        };
        let block: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| !line.starts_with("```")).collect();
        let text = block.iter().map(|line| format!("{line}\n")).collect::<String>();
        let kind = match language {
            "sh" => Language::Shell,
            "python" => Language::Python,
            _ => Language::Other,
        };
        let instruction = instruction.take();
        match blocks.last_mut().filter(|last| follows && last.language == Language::Shell && instruction.is_none()) {
            Some(last) if language == "text" => {
                ensure!(last.shown.is_none(), "line {}: a second output of one block", at + 1);
                last.shown = Some(text);
            }
            _ => {
                let usual = match kind {
                    Language::Shell => Some(BlockRun::Here),
                    Language::Python => Some(BlockRun::Long { in_the_clone: false, until: None }),
                    Language::Other => None,
                };
                if let Some(when) = instruction.or(usual) {
                    blocks.push(CodeBlock { line: at + 2, when, language: kind, text, shown: None });
                    follows = true;
                }
            }
        }
    }
    Ok(blocks)
}

/// The request of a comment.
fn parse_request(words: &str, line: usize) -> Result<BlockRun> {
    let long = |in_the_clone, until: Option<&str>| BlockRun::Long { in_the_clone, until: until.map(str::to_owned) };
    Ok(match words.split_once(' ') {
        None if words == "long" => long(false, None),
        Some(("in", file)) => BlockRun::In(file.to_owned()),
        Some(("file", name)) => BlockRun::File(name.to_owned()),
        Some(("long,", "in the clone")) => long(true, None),
        Some(("long,", rest)) if rest.starts_with("until ") => long(false, rest.strip_prefix("until ")),
        _ => bail!("line {line}: `{words}` cannot be asked of a block; `cargo doc -p xtask` lists what can"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_their_ways_and_outputs() {
        let text = "# T\n\n```sh\na one \\\n  two   # what\n# only words\nb\n```\n\n```text\nout\n...\n```\n\n\
            <!-- readme: in .ci/run -->\n```sh\nc\n```\nwords\n```text\nno output\n```\n\n<!-- readme: file mine.toml -->\n```toml\nx = 1\n```\n\n\
            <!-- readme: long, until http:// -->\n```sh\nd\n```\n```python\ne\n```\n";
        let found = steps(text).expect("right");
        let lines: Vec<usize> = found.iter().map(|step| step.line).collect();
        assert_eq!(lines, [4, 17, 26, 31, 34]);
        assert_eq!(found[0].commands(), ["a one two", "b"]);
        assert_eq!((found[0].shown.as_deref(), found[1].shown.as_deref()), (Some("out\n...\n"), None));
        assert_eq!(
            (&found[1].when, &found[2].when),
            (&BlockRun::In(".ci/run".into()), &BlockRun::File("mine.toml".into()))
        );
        assert_eq!(found[2].text, "x = 1\n");
        assert_eq!(found[3].when, BlockRun::Long { in_the_clone: false, until: Some("http://".into()) });
        assert_eq!(found[4].language, Language::Python);
        let alone = steps("<!-- readme: same a.svg as b/c.svg -->\nwords\n").expect("right");
        assert_eq!(alone[0].when, BlockRun::Same("a.svg".into(), "b/c.svg".into()));
    }

    #[test]
    fn unknown_comments_are_refused() {
        for (text, part) in [
            ("<!-- readme: sometimes -->\n```sh\n```\n", "line 1: `sometimes` cannot be asked"),
            ("<!-- readme: long -->\nwords\n", "line 2: a comment for a block, and no block"),
            ("<!-- readme: long -->\n<!-- readme: long -->\n", "line 2: two comments"),
        ] {
            let error = steps(text).expect_err(text).to_string();
            assert!(error.starts_with(part), "{error}");
        }
    }
}
