//! Fingerprints of results: whether they are up to date, and which part of them is not.
//!
//! Three hashes are joined. The first covers the measurements: data, scale, algorithms, steps. Only if it changes are runs played. The
//! second covers the tests of claims, the third the whole file: if one of these changes, the results are rewritten from the numbers in
//! their own folder.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use output::cache::sha256_hex;
use serde_json::Value;
use simulation::seed_text::{Seeded, seed_text};

use crate::experiment::config::{self, Experiment};
use crate::experiment::context::{ExperimentContext, Source};

/// Bump it when the same runs give other numbers, verdicts or files. Results of another version are rewritten from
/// the finished runs; none is repeated. Do not bump it for wording: published results would be played again
/// wherever their runs were not kept.
const REPORT_VERSION: u32 = 2;

/// Bump it when the same numbers give other verdicts or remarks. Results are then rewritten from the numbers in their
/// own folder.
const CLAIMS_VERSION: u32 = 2;

/// Keys of a file that affect words, claims and figures, but not the measurements.
const TEXT_KEYS: [&str; 5] = ["title", "paper", "figure", "about", "claim"];
/// The keys of `[draw]` that affect the measurements.
const MEASURED_TO_DRAW: [&str; 2] = ["bounds", "suboptimal"];

/// The fingerprint of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    measurements_hash: String,
    claims_hash: String,
    text: String,
}

impl Fingerprint {
    /// The fingerprint of `experiment` in the file `path`, with the data of its settings.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn of(
        context: &ExperimentContext,
        experiment: &Experiment,
        sources: &[(String, Source)],
        path: &Path,
    ) -> Result<Self> {
        let text = output::input::read_text(path, config::MOST_BYTES)
            .with_context(|| format!("failed to read {}", path.display()))?;
        let version = env!("CARGO_PKG_VERSION");
        let mut revisions = String::new();
        let algorithms = config::expand::algorithms(&experiment.algorithms)?;
        for revised in algorithms.iter().filter(|spec| spec.entry().revision > 1) {
            revisions.extend(["\n", &seed_text(Seeded::Revised(revised))]);
        }
        let scale = context.scale;
        let settings = settings(&text)?;
        let claims: Vec<_> = experiment
            .claims
            .iter()
            .map(|claim| (&claim.settings, claim.points, &claim.metric, &claim.test, claim.needs_real_data))
            .collect();
        let hash = |text: &str| sha256_hex(text)[..32].to_owned();
        Ok(Self {
            measurements_hash: hash(&format!(
                "{version}, report {REPORT_VERSION}\n{scale}\n{settings}\n{sources:?}{revisions}"
            )),
            claims_hash: hash(&format!("claims {CLAIMS_VERSION}\n{claims:?}")),
            text: hash(&text),
        })
    }

    /// The hash of the measurements' settings.
    pub(crate) fn measurements_hash(&self) -> &str {
        &self.measurements_hash
    }

    /// Whether results with the fingerprint `stored` contain the same measurements.
    pub(crate) fn same_measurements(&self, stored: &str) -> bool {
        stored.split('/').next() == Some(self.measurements_hash.as_str())
    }

    /// Whether their claims test the same.
    pub(crate) fn same_claims(&self, stored: &str) -> bool {
        stored.split('/').nth(1) == Some(self.claims_hash.as_str())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.measurements_hash, self.claims_hash, self.text)
    }
}

/// The keys of a file that affect the measurements, in a form that does not depend on their order or on comments.
fn settings(text: &str) -> Result<String> {
    let mut file: serde_json::Map<String, Value> = toml::from_str(text)?;
    file.retain(|key, _| !TEXT_KEYS.contains(&key.as_str()));
    if let Some(Value::Object(draw)) = file.get_mut("draw") {
        draw.retain(|key, _| MEASURED_TO_DRAW.contains(&key.as_str()));
        if draw.is_empty() {
            file.remove("draw");
        }
    }
    Ok(serde_json::to_string(&file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_axes_are_not_measured() {
        let file = "title = \"a\"\nkind = \"regret\"\nsteps = 1e3\nabout = \"b\"\n[draw]\nx = \"log\"\n[[setting]]\n\
                    name = \"s\"\n[[claim]]\nsays = \"c\"\nlowest = \"rucb\"\n";
        let found = settings(file).unwrap();
        assert_eq!(found, r#"{"kind":"regret","setting":[{"name":"s"}],"steps":1000.0}"#);
        for (from, to) in [
            ("\"a\"", "\"another\""),
            ("x = \"log\"", "y = \"log\""),
            ("x = \"log\"", "width = \"85mm\"\nrelabel = { a = \"b\" }"),
            ("\"c\"", "\"d\"\ncomment = \"e\""),
        ] {
            assert_eq!(settings(&file.replace(from, to)).unwrap(), found, "{from}");
        }
        for (from, to) in [("1e3", "1e4"), ("\"s\"", "\"t\""), ("x = \"log\"", "suboptimal = true")] {
            assert_ne!(settings(&file.replace(from, to)).unwrap(), found, "{from}");
        }
    }
}
