//! Values that scripts and manifests may hold. A line feed in a comment of Slurm's would begin a line of shell, and no name needs other
//! control characters either.

use std::env;
use std::ffi::OsStr;

use anyhow::{Result, bail, ensure};
use letor_io::environment::{self, Variable};

use super::{Scheduler, Submit};
use output::usage::usage;

/// The folders of caches and data, which scripts set as they are here.
pub(super) const VARIABLES: [Variable; 2] = [environment::CACHE_DIR, environment::DATA_DIR];

/// Refuses values of `submit`, and of its surroundings, that cannot stand in the files of a scheduler.
pub(super) fn check(submit: &Submit) -> Result<()> {
    let cluster = &submit.cluster;
    for (flag, value) in [("--account", &cluster.account), ("--partition", &cluster.partition), ("--qos", &cluster.qos)]
    {
        if let Some(value) = value {
            check_one_line(flag, OsStr::new(value))?;
            if submit.place == Scheduler::Slurm {
                check_slurm_value(flag, value)?;
            }
        }
    }
    check_one_line("--image", OsStr::new(&cluster.image))?;
    check_one_line("--claim", OsStr::new(&cluster.claim))?;
    for (flag, value) in [("--program", &cluster.program), ("--prologue", &cluster.prologue)] {
        value.as_ref().map_or(Ok(()), |value| check_one_line(flag, value.as_os_str()))?;
    }
    for word in &submit.command {
        check_one_line("the command after `--`", OsStr::new(word))?;
    }
    if submit.place == Scheduler::Slurm {
        check_one_line("the working folder", env::current_dir()?.as_os_str())?;
        for variable in VARIABLES {
            variable.value().map_or(Ok(()), |value| check_one_line(variable.name(), &value))?;
        }
    }
    Ok(())
}

/// Refuses `value` of `flag` if it has control characters or separators of lines, or is not UTF-8.
fn check_one_line(flag: &str, value: &OsStr) -> Result<()> {
    let Some(text) = value.to_str() else { bail!(usage(format!("{flag} {value:?}: expected UTF-8"))) };
    let ends_a_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    ensure!(
        !text.contains(ends_a_line),
        usage(format!("{flag} {text:?}: expected no control characters, such as line feeds; remove them"))
    );
    Ok(())
}

/// Refuses `value` of `flag` if Slurm would read it as something else even in quotes.
pub(super) fn check_slurm_value(flag: &str, value: &str) -> Result<()> {
    ensure!(
        !value.contains(['"', '\\']),
        usage(format!("{flag} {value:?}: expected no double quotes and no backslashes, which Slurm reads itself"))
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use bandits::Generator;
    use clap::Parser;
    use rand::{RngExt, SeedableRng};

    use super::super::{Job, kubernetes, shell, slurm};
    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        submit: Submit,
    }

    const PIECES: [&str; 30] = [
        "\n",
        "\r",
        "\r\n",
        "\0",
        "\t",
        "\u{b}",
        "\u{c}",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{2029}",
        "\"",
        "'",
        "\\",
        "\\n",
        "$(touch x)",
        "`touch x`",
        "${HOME}",
        "; touch x;",
        "#SBATCH --wrap=x",
        " ",
        "%j",
        "%",
        "*",
        "~",
        ": ",
        "- {",
        "é",
        "ours",
    ];

    /// The flags with values that enter files. The value stands for `{}`.
    const FLAGS: [&str; 9] = [
        "--account={}",
        "--partition={}",
        "--qos={}",
        "--image={}",
        "--claim={}",
        "--program={}",
        "--out={}",
        "--seed={}",
        "--out=a/{}/b",
    ];

    /// The files that `flag` leads to; `None` if it is refused.
    fn files(place: &str, flag: &str) -> Option<Vec<(&'static str, String)>> {
        let of_command = flag.starts_with("--out") || flag.starts_with("--seed");
        let mut words = vec!["submit", place, "--shards", "4", "--mem", "1G", "--time", "1h"];
        words.extend((!of_command).then_some(flag));
        words.extend(["--", "bandit", "--out", "r"]);
        words.extend(of_command.then_some(flag));
        let submit = Command::try_parse_from(words).expect("flags").submit;
        if let Err(error) = check(&submit) {
            assert!(!format!("{error:#}").contains(char::is_control), "{error:#}");
            return None;
        }
        let parts = submit.parts_folder().expect("a folder");
        let job = Job { submit: &submit, parts_folder: parts, shards: (0..4).collect(), measured_needs: None };
        let written = if place == "slurm" { slurm::files(&job) } else { kubernetes::files(&job) };
        written.ok()
    }

    #[test]
    fn no_value_adds_a_line_to_a_script() {
        let mut generator = Generator::seed_from_u64(1);
        let (mut written, mut refused) = (0, 0);
        for round in 0..900 {
            let length = generator.random_range(1..5);
            let pieces = (0..length).map(|_| PIECES[generator.random_range(0..PIECES.len())]);
            let value = pieces.collect::<String>();
            let flag = FLAGS[round % FLAGS.len()];
            for place in ["slurm", "kubernetes"] {
                let usual = files(place, &flag.replace("{}", "usual")).expect("a plain value");
                let hostile = files(place, &flag.replace("{}", &value));
                let has_controls = value.contains(|c: char| c.is_control() || "\u{2028}\u{2029}".contains(c));
                assert!(!(has_controls && hostile.is_some()), "{flag} {value:?}");
                let Some(hostile) = hostile else {
                    let for_slurm_alone = place == "slurm" && value.contains(['"', '\\']);
                    assert!(has_controls || for_slurm_alone, "{flag} {value:?}");
                    refused += 1;
                    continue;
                };
                for ((name, usual), (_, hostile)) in usual.iter().zip(&hostile) {
                    let ends = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
                    let [usual, hostile] = [usual, hostile].map(|text| text.split(ends).collect::<Vec<_>>());
                    assert_eq!(usual.len(), hostile.len(), "{flag} {value:?} in {name}");
                    for (usual, hostile) in usual.iter().zip(&hostile) {
                        // A line with the value begins as the same line with a plain one.
                        let same = usual == hostile || begin(usual) == begin(hostile);
                        assert!(same, "{flag} {value:?} in {name}: {hostile}");
                        assert!(!usual.starts_with("#SBATCH") || is_one_value(hostile), "{flag} {value:?}: {hostile}");
                    }
                }
                written += 1;
            }
        }
        assert!(written > 200 && refused > 200, "{written} written, {refused} refused");
    }

    /// The beginning of a line that identifies it, e.g. `#SBATCH --account`.
    fn begin(line: &str) -> &str {
        let indented = line.len() - line.trim_start().len();
        let end = if line.starts_with("#SBATCH ") {
            line.find('=')
        } else {
            line[indented..].find(' ').map(|at| at + indented)
        };
        &line[..end.unwrap_or(line.len())]
    }

    /// Whether Slurm reads one option with one value: quoted as a whole, or without its special characters.
    fn is_one_value(line: &str) -> bool {
        let Some((_, value)) = line.split_once('=') else { return line == "#SBATCH --requeue" };
        match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
            Some(inside) => !inside.contains(['"', '\\']),
            None => !value.contains(|c: char| c.is_whitespace() || "\"'\\#".contains(c)),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_each_word_as_it_was_given() {
        let mut generator = Generator::seed_from_u64(2);
        let words: Vec<String> = (0..500)
            .map(|_| {
                let length = generator.random_range(0..5);
                (0..length)
                    .map(|_| PIECES[generator.random_range(0..PIECES.len())])
                    .filter(|piece| *piece != "\0")
                    .collect()
            })
            .collect();
        let script = words.iter().map(|word| format!("printf '%s\\0' {}\n", shell(word))).collect::<String>();
        let run = std::process::Command::new("bash").args(["-c", &script]).output().expect("bash");
        let read = String::from_utf8(run.stdout).expect("UTF-8");
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), words);
    }
}
