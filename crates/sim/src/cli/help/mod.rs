//! Descriptions of commands: short help and examples, BibTeX entries, completions and manual pages.
//!
//! | in | is |
//! |---|---|
//! | this file | the short form of help, `-h` |
//! | `groups` | the commands by purpose |
//! | `examples` | examples of every command, for its long help |
//! | `cite` | `rankduel cite` |
//! | `generate` | `rankduel completions` and `rankduel man` |
//! | `values` | the values that completions offer |

pub(super) mod cite;
mod examples;
pub(super) mod generate;
mod groups;
mod values;

use clap::Command;
pub(super) use groups::with_groups;

/// Flags that `-h` leaves out: `--help` has them all.
const RARE: [&str; 34] = [
    "axes",
    "batch",
    "tolerance",
    "cache",
    "checkpoints",
    "compare_algorithms",
    "credit_ties",
    "delay",
    "evidence",
    "fractional_labels",
    "give_up",
    "interleave",
    "keep_curves",
    "lexicographic",
    "lost",
    "max_label",
    "multileave",
    "names",
    "no_cache",
    "null",
    "same_qid",
    "save_every",
    "scores_only",
    "shard",
    "split",
    "spread",
    "stop",
    "streams",
    "ties",
    "timings",
    "trec_ties",
    "truth_effort",
    "unjudged",
    "without",
];

/// The text of `-h` for flags with a long first paragraph.
const BRIEF: [(&str, &str); 19] = [
    ("algorithms", "The algorithms, e.g. rucb:alpha=0.51,mergerucb"),
    ("against", "Another matrix of the same arms, to compare with"),
    ("arms", "Arms to use: all, N at random, alphabetical:N, or 0-based numbers such as 0-5,109"),
    ("click", "How users click, e.g. perfect"),
    ("dataset", "A registered data set, a folder, files, or a look-alike"),
    ("interleave", "Method for two lists, e.g. team-draft [default: probabilistic]"),
    ("matrix", "The preference matrix: a file, or the name of a registered matrix"),
    ("measures", "Measures of each ranker, e.g. nDCG@10,AP,RBP(p=0.8)"),
    ("multileave", "Method for several lists, e.g. probabilistic [default: sosm]"),
    ("out", "Where results go [default: a folder in results/]"),
    ("problem", "A problem by name, e.g. 1good5poor or btl:k=10"),
    ("qrels", "The judgments of --rankings"),
    ("rankings", "TREC runs as the rankers, instead of --dataset"),
    ("rankers", "Features to use as rankers: all, N at random, or a list"),
    ("replace", "Start in an empty results folder; the old one is moved aside"),
    ("scores", "Scores of models as further rankers"),
    ("seed", "The master seed: same seed, same bytes"),
    ("stop_when", "End a run once its outcomes prove which arm is the best, e.g. 0.95"),
    ("threads", "Threads [default: all cores]"),
];

/// Short names of values, so that text has room beside them.
const SHORT_VALUE_NAMES: [(&str, &str); 5] = [
    ("algorithms", "NAME,..."),
    ("arms", "N|I,J,..."),
    ("interleave", "NAME"),
    ("multileave", "NAME"),
    ("rankers", "N|I,J,..."),
];

/// The flags of a live run that `-h` shows without a command: `rankduel live -h` has more.
const WITHOUT_A_COMMAND: [&str; 9] =
    ["algorithms", "click", "dataset", "out", "qrels", "rankers", "rankings", "runs", "steps"];

/// The longest text of a flag that `-h` shows in full.
const MAX_LINE_CHARS: usize = 90;

/// `command` and its subcommands with examples, and with two lengths of help: `-h` fits on a screen, `--help` says
/// everything.
pub(super) fn with_help(command: Command) -> Command {
    // Whatever the program is called.
    with_examples(command, output::program::NAME).mut_args(|argument| {
        let is_shown = WITHOUT_A_COMMAND.contains(&argument.get_id().as_str());
        if is_shown { argument } else { argument.hide_short_help(true) }
    })
}

/// The same for a command, which the table of examples calls `command_name`.
fn with_examples(command: Command, command_name: &str) -> Command {
    let command = match examples::examples_of(command_name) {
        Some(examples) => command.after_long_help(examples),
        None => command,
    };
    let command = match command.get_after_long_help() {
        Some(_) => command.after_help("`--help` has all flags, in full, and examples."),
        None => command,
    };
    let command = command.mut_args(|argument| {
        let argument = values::with_hint(argument);
        let text = argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string);
        let Some(text) = text else { return argument };
        let id = argument.get_id().as_str();
        let (rare, brief) = (RARE.contains(&id), BRIEF.iter().find(|(known, _)| *known == id));
        let brief_help = match brief {
            Some((_, brief)) if text.len() > brief.len() => (*brief).to_owned(),
            _ => first_clause(&text),
        };
        let value = SHORT_VALUE_NAMES.iter().find(|(known, _)| *known == id).map(|(_, value)| *value);
        let argument = argument.help(brief_help).long_help(text).hide_short_help(rare);
        let has_long_value = argument.get_value_names().is_some_and(|names| names.iter().any(|name| name.len() > 12));
        match value {
            Some(value) if has_long_value => argument.value_name(value),
            _ => argument,
        }
    });
    command.mut_subcommands(|command| {
        let command_name = command.get_name().to_owned();
        with_examples(command, &command_name)
    })
}

/// The beginning of a text that makes sense alone.
fn first_clause(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or(text).replace('\n', " ");
    if paragraph.len() <= MAX_LINE_CHARS {
        return paragraph;
    }
    // A default at the end is worth keeping, if it is short.
    let default = paragraph.rfind(" [default: ").map(|start| &paragraph[start..]).filter(|default| default.len() < 30);
    let clause_ends = [": ", "; ", ". ", ", e.g. ", " (", ", "];
    let end = clause_ends.iter().filter_map(|end| paragraph.find(end)).filter(|end| *end > 12).min();
    format!("{}{}", &paragraph[..end.unwrap_or(paragraph.len())], default.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(command: &Command, found: &mut Vec<Command>) {
        found.push(command.clone());
        // `rankduel help` repeats all commands without their examples.
        let real = command.get_subcommands().filter(|command| command.get_name() != "help");
        real.for_each(|command| all(command, found));
    }

    #[test]
    fn short_help_fits_on_a_screen_and_long_help_has_examples() {
        let mut command = crate::cli::command();
        command.build();
        let mut commands = Vec::new();
        all(&command, &mut commands);
        assert!(commands.len() > 10);
        for command in &commands {
            let name = command.get_name();
            let short = command.clone().term_width(100).render_help().to_string();
            assert!(short.lines().count() < 60, "`rankduel {name} -h` has {} lines", short.lines().count());
            let long = command.clone().term_width(100).render_long_help().to_string();
            let is_of_a_command = command.get_name() == "clear";
            assert!(is_of_a_command || long.contains("\nExamples:\n"), "rankduel {name}");
            assert!(long.len() >= short.len() - 60, "rankduel {name}");
        }
    }

    #[test]
    fn the_tables_name_flags_that_exist() {
        let mut commands = Vec::new();
        all(&crate::cli::command(), &mut commands);
        let exists =
            |id: &str| commands.iter().any(|command| command.get_arguments().any(|known| known.get_id() == id));
        let named = BRIEF.iter().chain(&SHORT_VALUE_NAMES).map(|(id, _)| id).chain(&WITHOUT_A_COMMAND);
        for id in RARE.iter().chain(named) {
            assert!(exists(id), "{id}");
        }
    }

    #[test]
    fn clauses_end_where_they_make_sense() {
        assert_eq!(first_clause("Runs per algorithm"), "Runs per algorithm");
        let long = "Folder that keeps estimated truths (and, for experiments, runs and matrices) for later runs, so that \
                    nothing is repeated [default: here]";
        assert_eq!(first_clause(long), "Folder that keeps estimated truths [default: here]");
    }
}
