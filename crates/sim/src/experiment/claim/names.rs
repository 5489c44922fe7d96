//! Whether claims are about settings, metrics and curves that the experiment measures, so that a
//! wrong name is reported before hours are spent, not after.

use anyhow::{Result, anyhow, ensure};

use crate::experiment::claim::{Claim, Test};
use crate::experiment::config::{Experiment, nearest};
use crate::experiment::kinds::{self, SeriesNames};
use crate::experiment::series::Metric;

/// Checks that the settings have different names, and that each claim is about settings, metrics and
/// curves that the experiment measures.
///
/// # Errors
/// With the line of the claim where it is one, and the names there are.
pub(crate) fn check(experiment: &Experiment) -> Result<(), (Option<usize>, anyhow::Error)> {
    check_settings(experiment).map_err(|error| (None, error))?;
    let names = kinds::kind_named(experiment.kind).series_names(experiment).map_err(|error| (None, error))?;
    for claim in &experiment.claims {
        check_claim(&names, claim).map_err(|error| (Some(claim.line), error.context("[[claim]]")))?;
    }
    Ok(())
}

/// The curves of two settings of one name would be joined to one.
fn check_settings(experiment: &Experiment) -> Result<()> {
    let kind = kinds::kind_named(experiment.kind);
    let settings = &experiment.settings;
    let labels: Vec<_> = settings.iter().map(|setting| kind.setting_label(setting)).collect();
    for (number, label) in labels.iter().enumerate() {
        let is_repeated = labels[..number].contains(label);
        ensure!(!is_repeated, "two settings are called {:?}; give each its own name", label.setting);
    }
    Ok(())
}

fn check_claim(names: &SeriesNames, claim: &Claim) -> Result<()> {
    for pattern in &claim.settings {
        let is_known = names.settings.iter().any(|name| name.starts_with(pattern.as_str()));
        ensure!(is_known, "{}", unknown_name_message("setting", pattern, &names.settings));
    }
    let default = names.metrics[0].0.name();
    let metric = claim.metric.as_deref().unwrap_or(default);
    for curve in claim.test.curves() {
        check_curve(names, metric, curve)?;
    }
    if let Test::Crossing { pair, .. } = &claim.test {
        for metric in [Metric::Suboptimal, Metric::WithoutBest] {
            ensure!(
                names.metrics.iter().any(|(known, _)| *known == metric),
                "`crossing` needs suboptimal = true in [draw]"
            );
            pair.iter().try_for_each(|curve| check_curve(names, metric.name(), curve))?;
        }
    }
    Ok(())
}

fn check_curve(names: &SeriesNames, metric: &str, name: &str) -> Result<()> {
    let metrics: Vec<String> = names.metrics.iter().map(|(known, _)| known.name().to_owned()).collect();
    let curves = names.metrics.iter().find(|(known, _)| known.name() == metric);
    let (_, curves) = curves.ok_or_else(|| anyhow!("{}", unknown_name_message("metric", metric, &metrics)))?;
    ensure!(curves.iter().any(|curve| names_curve(name, curve)), "{}", unknown_name_message("curve", name, curves));
    Ok(())
}

/// Whether `name` means `curve`: it is the whole name, or the part before the parameters.
pub(crate) fn names_curve(name: &str, curve: &str) -> bool {
    curve.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
}

fn unknown_name_message(noun: &str, name: &str, known_names: &[String]) -> String {
    // The name without parameters, click model or size is enough.
    let short_names = known_names.iter().filter_map(|known_names| known_names.split([' ', ',']).next());
    let near = nearest(name, known_names.iter().map(String::as_str).chain(short_names));
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    let known_names: Vec<String> = known_names.iter().map(|known_names| format!("{known_names:?}")).collect();
    format!(
        "no {noun} is called {name:?}{near} (there {} {})",
        if known_names.len() == 1 { "is" } else { "are" },
        known_names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::parse;

    const SMALL: &str = "title = \"t\"\npaper = \"rcs\"\nfigure = \"f\"\nkind = \"regret\"\nsteps = 10\nruns = 2\n\
        algorithms = [\"rcs\", \"rucb:alpha=0.501\"]\n[[setting]]\nname = \"MSLR\"\nplay = \"live\"\n\
        lookalike = \"mslr-lookalike\"\nclick = [\"perfect\", \"navigational\"]\n[[claim]]\nsays = \"it\"\n";

    fn message(text: &str) -> (Option<usize>, String) {
        let experiment = parse(text).expect(text);
        check(&experiment).map_or_else(|(line, error)| (line, format!("{error:#}")), |()| (None, "fine".to_owned()))
    }

    #[test]
    fn claims_name_series_that_will_be_measured() {
        for (claim, says) in [
            ("lowest = \"rcs\"", "fine"),
            ("lowest = \"rucb\"\nin = [\"MSLR\"]", "fine"),
            (
                "ratio = [\"rucb alpha=0.501\", \"rcs\"]\nabove = 1\nin = [\"MSLR, perfect\"]\nmetric = \"accuracy\"",
                "fine",
            ),
            (
                "lowest = \"rcs\"\nin = [\"MSRL\"]",
                "[[claim]]: no setting is called \"MSRL\"; did you mean \"MSLR\"? (there are \"MSLR, perfect\", \"MSLR, navigational\")",
            ),
            (
                "lowest = \"rcs\"\nin = [\"MSLR, prefect\"]",
                "[[claim]]: no setting is called \"MSLR, prefect\"; did you mean \"MSLR, perfect\"? \
                 (there are \"MSLR, perfect\", \"MSLR, navigational\")",
            ),
            (
                "lowest = \"rcs\"\nagainst = [\"rubc\"]",
                "[[claim]]: no curve is called \"rubc\"; did you mean \"rucb\"? (there are \"rcs\", \"rucb alpha=0.501\")",
            ),
            (
                "lowest = \"rcs\"\nmetric = \"regrets\"",
                "[[claim]]: no metric is called \"regrets\"; did you mean \"regret\"? (there are \"regret\", \"accuracy\")",
            ),
            ("below-bound = \"rcs\"\nbound = \"lower bound\"", "no curve is called \"lower bound\""),
            ("crossing = [\"rcs\", \"rucb\"]", "`crossing` needs suboptimal = true in [draw]"),
        ] {
            let (line, found) = message(&format!("{SMALL}{claim}\n"));
            assert!(found.contains(says), "{claim}:\n{found}\n{says}");
            assert_eq!(line, (says != "fine").then_some(13), "{claim}");
        }
        let drawn = SMALL.replace("[[setting]]", "[draw]\nsuboptimal = true\nbounds = [\"lower\"]\n[[setting]]");
        for claim in ["crossing = [\"rcs\", \"rucb\"]", "below-bound = \"rcs\"\nbound = \"lower bound\""] {
            assert_eq!(message(&format!("{drawn}{claim}\n")).1, "fine");
        }
    }

    #[test]
    fn the_size_of_a_set_is_part_of_the_setting_name() {
        let text = SMALL.replace("[[setting]]", "[subsets]\nsizes = [20, 30]\ncount = 2\n[[setting]]");
        assert_eq!(message(&format!("{text}lowest = \"rcs\"\nin = [\"MSLR, perfect, 20 rankers\"]\n")).1, "fine");
        let (_, error) = message(&format!("{text}lowest = \"rcs\"\nin = [\"MSLR, perfect, 40 rankers\"]\n"));
        assert!(error.contains("did you mean \"MSLR, perfect, 20 rankers\"?"), "{error}");
    }

    #[test]
    fn settings_have_different_names() {
        let text = format!(
            "{SMALL}lowest = \"rcs\"\n[[setting]]\nname = \"MSLR, perfect\"\nplay = \"problem\"\nproblem = \"cyclic\"\n"
        );
        assert_eq!(
            message(&text),
            (None, "two settings are called \"MSLR, perfect\"; give each its own name".to_owned())
        );
    }
}
