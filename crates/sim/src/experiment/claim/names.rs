//! What an experiment will measure, by name, so that a claim about something else is told before
//! hours are spent, not after.

use anyhow::{Result, anyhow, ensure};

use crate::experiment::claim::{Claim, Test};
use crate::experiment::config::expand;
use crate::experiment::config::{Experiment, Kind, nearest};
use crate::results::label;

/// The names that claims may use.
struct ClaimScope {
    settings: Vec<String>,
    /// Metrics with their curves; the first is meant where a claim names none.
    metrics: Vec<(&'static str, Vec<String>)>,
}

/// Checks that settings differ in their names, and that every claim is about settings, metrics and
/// curves that there will be.
///
/// # Errors
/// The line of the claim if it is one, and what is known.
pub(crate) fn check(experiment: &Experiment) -> Result<(), (Option<usize>, anyhow::Error)> {
    distinct(experiment).map_err(|error| (None, error))?;
    let known = ClaimScope::of(experiment).map_err(|error| (None, error))?;
    for claim in &experiment.claims {
        known.check(claim).map_err(|error| (Some(claim.line), error.context("[[claim]]")))?;
    }
    Ok(())
}

/// Curves of two settings of one name would be one curve that goes back.
fn distinct(experiment: &Experiment) -> Result<()> {
    let mut seen: Vec<(String, String)> = Vec::new();
    for setting in expand::settings(&experiment.settings) {
        // Curves of distortion go by the click model, in a panel by the entry's name.
        let click = if experiment.kind == Kind::Distortion { setting.spec.click.to_string() } else { String::new() };
        let name = if experiment.kind == Kind::Distortion { setting.family } else { setting.name };
        let full = (name, click);
        ensure!(!seen.contains(&full), "two settings are called {:?}; give each a name of its own", full.0);
        seen.push(full);
    }
    Ok(())
}

impl ClaimScope {
    fn of(experiment: &Experiment) -> Result<Self> {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let expanded = expand::settings(&experiment.settings);
        let mut settings: Vec<String> = expanded.iter().map(|setting| setting.name.clone()).collect();
        let metrics = match experiment.kind {
            Kind::Regret | Kind::RegretAgainstRankers | Kind::Accuracy => {
                if let Some(subsets) = &experiment.subsets
                    && subsets.sizes.len() > 1
                    && experiment.kind != Kind::RegretAgainstRankers
                {
                    let sized =
                        |name: &String| subsets.sizes.iter().map(|size| format!("{name}, {size} rankers")).collect();
                    settings = settings.iter().flat_map::<Vec<String>, _>(sized).collect();
                }
                let algorithms: Vec<String> = expand::algorithms(&experiment.algorithms)?.iter().map(label).collect();
                let mut with_bounds = algorithms.clone();
                with_bounds.extend(experiment.draw.bounds.iter().map(|bound| bound.curve().to_owned()));
                let mut metrics = vec![("regret", with_bounds), ("accuracy", algorithms.clone())];
                if experiment.draw.suboptimal {
                    metrics.extend([("suboptimal", algorithms.clone()), ("without the best", algorithms)]);
                }
                metrics
            }
            Kind::Structure => {
                let gaps = ["mean gap of the winner", "smallest gap of the winner", "mean margin of all pairs"];
                let mut metrics =
                    vec![("probability", names(&["Condorcet winner", "total order"])), ("gap", names(&gaps))];
                if !experiment.gamma.is_empty() {
                    metrics.push(("gamma", names(&["gamma"])));
                }
                metrics
            }
            Kind::Distortion => {
                settings = expanded.iter().map(|setting| setting.family.clone()).collect();
                let mut clicks: Vec<String> =
                    expanded.into_iter().map(|setting| setting.spec.click.to_string()).collect();
                clicks.dedup();
                vec![("distortion", clicks)]
            }
            Kind::Datasets => vec![("count", names(&["queries", "documents", "features", "always 0"]))],
        };
        settings.dedup();
        Ok(Self { settings, metrics })
    }

    fn check(&self, claim: &Claim) -> Result<()> {
        for wanted in &claim.settings {
            let found = self.settings.iter().any(|name| name.starts_with(wanted.as_str()));
            ensure!(found, "{}", unknown("setting", wanted, &self.settings));
        }
        let usual = self.metrics[0].0;
        let metric = claim.metric.as_deref().unwrap_or(usual);
        for name in claim.test.curves() {
            self.check_curve(metric, name)?;
        }
        if let Test::Crossing { pair, .. } = &claim.test {
            for (metric, name) in
                ["suboptimal", "without the best"].iter().flat_map(|metric| pair.iter().map(move |name| (metric, name)))
            {
                ensure!(
                    self.metrics.iter().any(|(known, _)| known == metric),
                    "`crossing` needs suboptimal = true in [draw]"
                );
                self.check_curve(metric, name)?;
            }
        }
        Ok(())
    }

    fn check_curve(&self, metric: &str, name: &str) -> Result<()> {
        let metrics: Vec<String> = self.metrics.iter().map(|(known, _)| (*known).to_owned()).collect();
        let curves = self.metrics.iter().find(|(known, _)| *known == metric);
        let (_, curves) = curves.ok_or_else(|| anyhow!("{}", unknown("metric", metric, &metrics)))?;
        ensure!(curves.iter().any(|curve| names_curve(name, curve)), "{}", unknown("curve", name, curves));
        Ok(())
    }
}

/// Whether `name` means `curve`: it is its name, or all that stands before its parameters.
pub(crate) fn names_curve(name: &str, curve: &str) -> bool {
    curve.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
}

fn unknown(what: &str, name: &str, known: &[String]) -> String {
    // The name without parameters, click model or size is enough.
    let short = known.iter().filter_map(|known| known.split([' ', ',']).next());
    let near = nearest(name, known.iter().map(String::as_str).chain(short));
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    let known: Vec<String> = known.iter().map(|known| format!("{known:?}")).collect();
    format!(
        "no {what} is called {name:?}{near} (there {} {})",
        if known.len() == 1 { "is" } else { "are" },
        known.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "title = \"t\"\npaper = \"rcs\"\nfigure = \"f\"\nkind = \"regret\"\nsteps = 10\nruns = 2\n\
        algorithms = [\"rcs\", \"rucb:alpha=0.501\"]\n[[setting]]\nname = \"MSLR\"\nplay = \"live\"\n\
        lookalike = \"mslr-lookalike\"\nclick = [\"perfect\", \"navigational\"]\n[[claim]]\nsays = \"it\"\n";

    fn message(text: &str) -> (Option<usize>, String) {
        let experiment = Experiment::parse(text).expect(text);
        check(&experiment).map_or_else(|(line, error)| (line, format!("{error:#}")), |()| (None, "fine".to_owned()))
    }

    #[test]
    fn claims_are_about_what_there_will_be() {
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
    fn sizes_are_part_of_a_settings_name() {
        let text = SMALL.replace("[[setting]]", "[subsets]\nsizes = [20, 30]\ncount = 2\n[[setting]]");
        assert_eq!(message(&format!("{text}lowest = \"rcs\"\nin = [\"MSLR, perfect, 20 rankers\"]\n")).1, "fine");
        let (_, error) = message(&format!("{text}lowest = \"rcs\"\nin = [\"MSLR, perfect, 40 rankers\"]\n"));
        assert!(error.contains("did you mean \"MSLR, perfect, 20 rankers\"?"), "{error}");
    }

    #[test]
    fn settings_have_names_of_their_own() {
        let text = format!(
            "{SMALL}lowest = \"rcs\"\n[[setting]]\nname = \"MSLR, perfect\"\nplay = \"problem\"\nproblem = \"cyclic\"\n"
        );
        assert_eq!(
            message(&text),
            (None, "two settings are called \"MSLR, perfect\"; give each a name of its own".to_owned())
        );
    }
}
