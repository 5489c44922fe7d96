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
use simulation::seed_text::{SeedSubject, seed_text};

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
            revisions.extend(["\n", &seed_text(SeedSubject::Revised(revised))]);
        }
        let scale = context.scale;
        let settings = settings(&text)?;
        Ok(Self {
            measurements_hash: hash(&format!(
                "{version}, report {REPORT_VERSION}\n{scale}\n{settings}\n{sources:?}{revisions}"
            )),
            claims_hash: claims_hash(experiment),
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

fn hash(text: &str) -> String {
    sha256_hex(text)[..32].to_owned()
}

/// The hash of the tests of claims.
fn claims_hash(experiment: &Experiment) -> String {
    let claims: Vec<_> = experiment
        .claims
        .iter()
        .map(|claim| (&claim.settings, claim.points, &claim.metric, &claim.test, claim.needs_real_data))
        .collect();
    hash(&format!("claims {CLAIMS_VERSION}\n{claims:?}"))
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

    /// The results in the repository that were not rewritten since their tests changed.
    const OUTDATED: [&str; 3] = ["beyond-mslr-1e7", "beyond-mslr-1e8", "mdb-fig3-clicks"];

    /// Hashed text has words of the code: a renamed field would outdate all that was published.
    #[test]
    fn published_claims_keep_their_hashes() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let (mut up_to_date, mut outdated) = (0, Vec::new());
        for file in root.join("experiments").read_dir().unwrap().map(|file| file.unwrap().path()) {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let summary = root.join("results").join(&name).join("summary.json");
            let Ok(summary) = std::fs::read_to_string(summary) else { continue };
            let summary: Value = serde_json::from_str(&summary).unwrap();
            let experiment = crate::experiment::experiment_file::read(&file).unwrap();
            match summary["fingerprint"].as_str().unwrap().split('/').nth(1) {
                Some(stored) if stored == claims_hash(&experiment) => up_to_date += 1,
                _ => outdated.push(name),
            }
        }
        outdated.sort();
        assert_eq!((up_to_date > 30, outdated), (true, OUTDATED.map(str::to_owned).to_vec()));
    }

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
