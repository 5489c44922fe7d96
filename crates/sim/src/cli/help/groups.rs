//! The commands of `rankduel --help`, by purpose: first the jobs of the front page.

use clap::Command;

/// Groups of commands. Tasks of another program are mentioned where users look for them.
const GROUPS: [(&str, &[&str], &str); 7] = [
    (
        "Compare rankers by clicks of simulated users",
        &["live", "power", "sensitivity", "distortion", "inspect", "export"],
        "Two TREC runs: `rankduel --rankings a.run,b.run --qrels qrels.txt`.",
    ),
    (
        "Decide from click logs",
        &[],
        "Another program: `click-logs credit`, then `click-logs decide`; `click-logs --help`.",
    ),
    ("Choose among prompts or models with judges", &["next", "judge", "board"], ""),
    ("Run it live", &["serve", "demo"], "Of the program `rankduel-server`, which has further commands."),
    (
        "Study dueling bandits",
        &[
            "bandit",
            "bench",
            "compare",
            "proxy",
            "analyse",
            "significance",
            "algorithms",
            "cite",
            "experiment",
            "draw",
            "report",
        ],
        "",
    ),
    ("Share work among processes and machines", &["submit", "status", "merge"], ""),
    ("Data, and this program", &["datasets", "cache", "completions", "man", "help"], ""),
];

/// `command`, with help that lists its commands by group.
pub(in crate::cli) fn with_groups(command: Command) -> Command {
    let width = GROUPS.iter().flat_map(|(_, names, _)| *names).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names, note) in GROUPS {
        text += &format!("\u{1b}[1m\u{1b}[4m{title}:\u{1b}[0m\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this message, or the help of a command".to_owned());
            text += &format!("  \u{1b}[1m{name:width$}\u{1b}[0m  {about}\n");
        }
        if !note.is_empty() {
            text += &format!("  {note}\n");
        }
        text.push('\n');
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{{all-args}}{{after-help}}"
    );
    let name = output::program::name();
    let usage = format!("{name} [OPTIONS]\n       {name} <COMMAND>");
    // They stand in the template.
    command.help_template(template).override_usage(usage).mut_subcommands(|command| command.hide(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut command = crate::cli::command();
        command.build();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names, _)| *names).copied().collect();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
