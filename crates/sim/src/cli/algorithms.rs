//! `rankduel algorithms`: the list of algorithms, and everything about some of them.

use anyhow::Result;
use bandits::registry::{Entry, Spec, entries};
use bandits::{ActionKind, Parameter};
use clap::Args;
use output::memory::size;
use output::numbers::with_separators;
use output::program;
use serde::Serialize;

use desk::println;

/// List the algorithms with their parameters and defaults, or describe some of them
#[derive(Debug, Args)]
pub(super) struct Algorithms {
    /// The algorithms to describe: parameters with their ranges, memory, paper
    #[arg(id = "names_of_algorithms", value_name = "NAME", value_delimiter = ',', value_parser = find)]
    names: Vec<Entry>,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// The algorithm of this name.
pub(super) fn find(name: &str) -> Result<Entry, String> {
    let spec = name.parse::<Spec>().map_err(|error| format!("{error} (`{} algorithms` lists all)", program::name()))?;
    Ok(spec.entry())
}

/// An algorithm, as JSON.
#[derive(Serialize)]
struct AlgorithmDescription {
    name: &'static str,
    summary: &'static str,
    /// When to prefer it to the others.
    prefer: &'static str,
    /// `duels` or `sets`.
    chooses: &'static str,
    anytime: bool,
    parameters: Vec<ParameterDescription>,
    /// Settings worth trying beside the defaults, with a description.
    variants: Vec<(String, &'static str)>,
    /// Bytes of memory per ordered pair of arms and per arm.
    bytes_per_pair: u64,
    bytes_per_arm: u64,
    paper: Option<PaperDescription>,
    documentation: String,
}

#[derive(Serialize)]
struct ParameterDescription {
    key: &'static str,
    default: String,
    meaning: &'static str,
    /// Rules for its values, e.g. `a positive number`.
    range: Vec<String>,
}

#[derive(Serialize)]
struct PaperDescription {
    key: &'static str,
    reference: String,
    authors: &'static [&'static str],
    title: &'static str,
    year: u16,
    url: &'static str,
    doi: Option<&'static str>,
}

impl AlgorithmDescription {
    fn from_entry(entry: &Entry) -> Self {
        let parameter = |parameter: &Parameter| ParameterDescription {
            key: parameter.key,
            default: parameter.value.clone(),
            meaning: parameter.meaning,
            range: parameter_rules(entry.name, parameter.key),
        };
        Self {
            name: entry.name,
            summary: entry.summary,
            prefer: entry.prefer,
            chooses: if entry.action_kind == ActionKind::Duels { "duels" } else { "sets" },
            anytime: !entry.needs_horizon,
            parameters: entry.parameters.iter().map(parameter).collect(),
            variants: entry.variant_names().zip(entry.variants.iter().map(|(_, phrase)| *phrase)).collect(),
            bytes_per_pair: entry.memory.per_pair,
            bytes_per_arm: entry.memory.per_arm,
            paper: entry.paper.map(|paper| PaperDescription {
                key: paper.key,
                reference: paper.reference(),
                authors: paper.authors,
                title: paper.title,
                year: paper.year,
                url: paper.url,
                doi: paper.doi(),
            }),
            documentation: format!("bandits::{}", entry.module),
        }
    }
}

/// The rules that values of a parameter break, as the algorithm itself words them.
fn parameter_rules(algorithm: &str, key: &str) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for wrong in ["no such value", "-1", "0", "1", "0.5", "2", "1e300"] {
        let Err(error) = format!("{algorithm}:{key}={wrong}").parse::<Spec>() else { continue };
        let text = error.to_string();
        // `alpha must be at least 0.5, found 0.2; why` and `...: expected a number, found x`.
        let description_text = [format!("{key} must be "), format!("{key} must lie "), format!("{key}: expected ")];
        let Some(rule) = description_text
            .iter()
            .find_map(|description_text| text.split_once(description_text.as_str()).map(|(_, rule)| rule))
        else {
            continue;
        };
        let rule = rule.split(", found ").next().unwrap_or(rule).to_owned();
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

impl Algorithms {
    pub(super) fn run(&self) -> Result<()> {
        let entries_of_all = entries();
        let chosen = if self.names.is_empty() { &entries_of_all } else { &self.names };
        if self.json {
            let descriptions: Vec<AlgorithmDescription> = chosen.iter().map(AlgorithmDescription::from_entry).collect();
            println!("{}", serde_json::to_string_pretty(&descriptions)?);
        } else if self.names.is_empty() {
            entries_of_all.iter().for_each(print_short);
            println!("\nParameters follow the name: --algorithms rucb:alpha=0.51,mergerucb:p=8:alpha=0.8");
            println!("`{} algorithms NAME` describes one.", program::name());
        } else {
            let texts: Vec<String> = chosen.iter().map(description_text).collect();
            println!("{}", texts.join("\n\n"));
        }
        Ok(())
    }
}

fn print_short(entry: &Entry) {
    let plays = match entry.action_kind {
        ActionKind::Duels => "",
        ActionKind::Sets => " [selects sets of arms]",
    };
    let horizon = if entry.needs_horizon { " [not anytime: uses the horizon]" } else { "" };
    println!("{}{plays}{horizon}\n    {}", entry.name, entry.summary);
    for Parameter { key, value: default, meaning } in &entry.parameters {
        println!("    :{key}={default}  {meaning}");
    }
}

/// Everything about an algorithm.
fn description_text(entry: &Entry) -> String {
    let about = AlgorithmDescription::from_entry(entry);
    let mut lines = vec![format!("{}: {}", about.name, about.summary)];
    if !about.prefer.is_empty() {
        lines.push(format!("  prefer   it {}", about.prefer.replace('`', "")));
    }
    let chooses = if about.chooses == "duels" { "two arms per step" } else { "any number of arms per step" };
    let horizon = if about.anytime { "not needed (anytime)" } else { "must be known" };
    lines.push(format!("  chooses  {chooses}\n  horizon  {horizon}"));
    let memory_for =
        |arms: usize| format!("{} for {} arms", size(entry.memory.bytes(arms)), with_separators(arms as u64));
    lines.push(format!("  memory   {}, {}", memory_for(136), memory_for(10_000)));
    if !about.parameters.is_empty() {
        lines.push("  parameters".to_owned());
    }
    for parameter in &about.parameters {
        let range =
            if parameter.range.is_empty() { String::new() } else { format!(" ({})", parameter.range.join("; ")) };
        lines.push(format!("    :{}={}  {}{range}", parameter.key, parameter.default, parameter.meaning));
    }
    if !about.variants.is_empty() {
        lines.push("  variants".to_owned());
    }
    lines.extend(about.variants.iter().map(|(name, phrase)| format!("    {name}  {phrase}")));
    match &about.paper {
        Some(paper) => lines.push(format!("  paper    {}", paper.reference)),
        None => lines.push("  paper    none: a baseline".to_owned()),
    }
    let example_parameter =
        about.parameters.first().map_or_else(String::new, |first| format!(":{}={}", first.key, first.default));
    let other_algorithm = if about.name == "random" { "rucb" } else { "random" };
    lines.push(format!(
        "  example  {} --algorithms {}{example_parameter},{other_algorithm} --steps 1e5",
        program::name(),
        about.name
    ));
    lines.push(format!("  details  {} in the documentation of the crate bandits", about.documentation));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_that_algorithms_check() {
        assert_eq!(parameter_rules("rucb", "alpha"), ["a number", "a positive number"]);
        assert_eq!(parameter_rules("rucb", "variant"), ["one of icml arxiv lerot"]);
        assert!(
            parameter_rules("mergerucb", "p").iter().any(|rule| rule.starts_with("at least 2")),
            "{:?}",
            parameter_rules("mergerucb", "p")
        );
    }

    #[test]
    fn every_algorithm_is_described() {
        for entry in entries() {
            let text = description_text(&entry);
            let example = text.lines().find_map(|line| line.strip_prefix("  example  rankduel ")).expect("an example");
            crate::cli::check(example.split(' ')).unwrap_or_else(|error| panic!("{example}: {error}"));
            assert!(entry.paper.is_none_or(|paper| text.contains(paper.title) && text.contains(paper.url)), "{text}");
            for parameter in &entry.parameters {
                assert!(text.contains(&format!(":{}={}", parameter.key, parameter.value)), "{text}");
            }
        }
    }
}
