//! Expanding grids and lists: `mergerucb:p={4,6}:alpha={0.71,0.81}` is four algorithms.

use anyhow::{Context, Result, anyhow, ensure};
use bandits::ParameterError;
use bandits::registry::{Spec, entries};
use output::numbers::with_separators;
use simulation::late_answers::LateAnswers;
use simulation::spec::SiteSpec;

use crate::experiment::config::{LateSetting, Play, SettingEntry};

/// The most algorithms of an experiment: far more than a figure can show.
const MOST_ALGORITHMS: u64 = 10_000;

/// All texts that a text with braces stands for; the last brace varies fastest.
///
/// # Errors
/// When a brace is not closed or is inside another.
pub(crate) fn braces(text: &str) -> Result<Vec<String>> {
    let Some(open_brace) = text.find('{') else {
        ensure!(!text.contains('}'), "{text:?}: `}}` without `{{`");
        return Ok(vec![text.to_owned()]);
    };
    let close = text[open_brace..].find('}').with_context(|| format!("{text:?}: `{{` is never closed"))? + open_brace;
    let (prefix, choices, suffix) = (&text[..open_brace], &text[open_brace + 1..close], &text[close + 1..]);
    ensure!(!choices.contains('{') && !prefix.contains('}'), "{text:?}: braces inside braces");
    let expanded_suffixes = braces(suffix)?;
    let choices = choices.split(',').map(str::trim);
    Ok(choices
        .flat_map(|choice| {
            expanded_suffixes.iter().map(move |expanded_suffix| format!("{prefix}{choice}{expanded_suffix}"))
        })
        .collect())
}

/// The number of texts that a text with braces stands for.
fn combinations(text: &str) -> u64 {
    let inside = text.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    inside.fold(1, |count: u64, choices| count.saturating_mul(choices.split(',').count() as u64))
}

/// The algorithms of a list with braces.
///
/// # Errors
/// As [`braces`], for unknown names and parameters, and for an algorithm that is listed twice.
pub(crate) fn algorithms(list: &[String]) -> Result<Vec<Spec>> {
    let count = list.iter().fold(0, |sum: u64, text| sum.saturating_add(combinations(text)));
    ensure!(
        count <= MOST_ALGORITHMS,
        "algorithms: the braces make {} combinations, expected at most {}; split the experiment",
        with_separators(count),
        with_separators(MOST_ALGORITHMS)
    );
    let mut specs: Vec<Spec> = Vec::new();
    for text in list {
        for text_of_one in braces(text)? {
            let spec = text_of_one
                .parse::<Spec>()
                .map_err(|error| anyhow!("algorithms: {text_of_one:?}: {}", explained(&error)))?;
            ensure!(!specs.contains(&spec), "algorithms: {text_of_one:?} is listed twice");
            specs.push(spec);
        }
    }
    Ok(specs)
}

/// The error, with all names where none is similar.
fn explained(error: &ParameterError) -> String {
    if let ParameterError::UnknownAlgorithm { suggestion: None, .. } = error {
        let names: Vec<&str> = entries().iter().map(|entry| entry.name).collect();
        return format!("{error}; known algorithms: {}", names.join(", "));
    }
    error.to_string()
}

/// One setting, with one click model or one problem.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The name in the file, which all settings of one entry share.
    pub family: String,
    /// Its own name.
    pub name: String,
    /// The site, with one click model; unused for problems.
    pub spec: SiteSpec,
    /// The problem, for [`Play::Problem`].
    pub problem: Option<String>,
    /// The delay of answers.
    pub late_answers: LateAnswers,
    /// All other keys.
    pub entry: SettingEntry,
}

/// Expands lists of click models, problems and delays.
#[must_use]
pub(crate) fn settings(entries: &[SettingEntry]) -> Vec<Setting> {
    let late_variants = |setting: Setting| {
        let variant = |LateSetting { answers, name }: LateSetting| {
            let name = if name.is_empty() { setting.name.clone() } else { format!("{}, {name}", setting.name) };
            Setting { name, late_answers: answers, ..setting.clone() }
        };
        setting.entry.late.iter().cloned().map(variant).collect::<Vec<_>>()
    };
    expand_in_time_settings(entries).into_iter().flat_map(late_variants).collect()
}

/// The settings with click models and problems expanded, and with answers in time.
fn expand_in_time_settings(entries: &[SettingEntry]) -> Vec<Setting> {
    let mut settings = Vec::new();
    for entry in entries {
        if entry.play == Play::Problem {
            // Preferences in the file are named after the setting.
            let itself = [entry.name.clone()];
            let problems = if entry.preferences.is_empty() { &entry.problem.0[..] } else { &itself };
            for problem in problems {
                let name = if problems.len() > 1 { problem } else { &entry.name };
                settings.push(Setting {
                    family: entry.name.clone(),
                    name: name.clone(),
                    spec: SiteSpec::default(),
                    problem: Some(problem.clone()),
                    late_answers: LateAnswers::default(),
                    entry: entry.clone(),
                });
            }
            continue;
        }
        let default_click = [SiteSpec::default().click];
        let clicks = if entry.click.0.is_empty() { &default_click[..] } else { &entry.click.0 };
        for click in clicks {
            let name = if clicks.len() > 1 { format!("{}, {click}", entry.name) } else { entry.name.clone() };
            settings.push(Setting {
                family: entry.name.clone(),
                name,
                spec: entry.spec(click),
                problem: None,
                late_answers: LateAnswers::default(),
                entry: entry.clone(),
            });
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_a_grid() {
        assert_eq!(braces("rucb").unwrap(), ["rucb"]);
        assert_eq!(
            braces("m:p={4,6}:alpha={1, 2}").unwrap(),
            ["m:p=4:alpha=1", "m:p=4:alpha=2", "m:p=6:alpha=1", "m:p=6:alpha=2"]
        );
        for wrong in ["a{1", "a1}", "a{1,{2}}"] {
            assert!(braces(wrong).is_err(), "{wrong}");
        }
        let list = ["mergerucb:p={4,6,8,10}:alpha={0.71,0.81,0.91,1.01,1.11,1.21}".to_owned()];
        assert_eq!(algorithms(&list).unwrap().len(), 24);
        // Counted before they are expanded.
        let many = ["rucb".to_owned(), format!("rucb:alpha={}", "{1,2,3,4,5,6,7,8}".repeat(12))];
        let error = algorithms(&many).unwrap_err().to_string();
        assert!(error.contains("the braces make 68,719,476,737 combinations, expected at most 10,000"), "{error}");
        let twice = ["rucb".to_owned(), "rucb:alpha={0.51,0.6}".to_owned()];
        assert!(algorithms(&twice).unwrap_err().to_string().contains("listed twice"));
        let error = algorithms(&["thompson".to_owned()]).unwrap_err().to_string();
        assert!(
            error.contains("no algorithm is called `thompson`; known algorithms: ") && error.contains("mergerucb"),
            "{error}"
        );
    }
}
