//! The description beside a matrix made by `sim proxy`: `P.json` beside `P.npy`, `P.txt` and `P.counts.npz`.

use std::fmt;
use std::path::{Path, PathBuf};

use bandits::PreferenceMatrix;
use letor_io::{FeatureId, Names};
use output::input;
use serde::{Deserialize, Serialize};

use crate::matrix::matrix_checksum;
use crate::truth::RESOLVED;

/// A larger file is not a description of a matrix.
const MOST_BYTES: u64 = 1 << 28;

/// What a matrix was estimated from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixAccount {
    /// The file that says so, e.g. `P.json`.
    pub file: String,
    /// The name of the data set.
    pub dataset: String,
    /// Whether that was generated.
    pub synthetic: bool,
    /// The click model.
    pub clicks: String,
    /// The features behind the arms, in the order of the arms.
    #[serde(skip)]
    pub rankers: Vec<FeatureId>,
    /// The names of the arms, if any has one.
    #[serde(skip)]
    pub names: Option<Names>,
    /// Comparisons of the least often compared pair; 0 if some pair was never compared.
    pub min_comparisons: u64,
    /// Comparisons of the most often compared pair.
    pub max_comparisons: u64,
    /// The largest standard error of an entry that was measured; `None` if unknown.
    pub largest_standard_error: Option<f64>,
    /// The smallest margin of the Condorcet winner of all arms in standard errors; `None` without one, or if unknown.
    pub winner_z: Option<f64>,
}

/// The content of the file, as far as it is read.
#[derive(Deserialize)]
struct Content {
    command: String,
    checksum: String,
    site: Site,
    #[serde(default)]
    min_comparisons: u64,
    #[serde(default)]
    max_comparisons: u64,
    largest_standard_error: Option<f64>,
    winner_z: Option<f64>,
}

#[derive(Deserialize)]
struct Site {
    dataset: Dataset,
    rankers: Vec<FeatureId>,
    #[serde(default)]
    names: Vec<Option<String>>,
    click: Click,
}

#[derive(Deserialize)]
struct Dataset {
    name: String,
    synthetic: bool,
}

#[derive(Deserialize)]
struct Click {
    model: String,
}

/// A description that lies beside a matrix but is that of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherMatrix {
    /// The description.
    pub account: PathBuf,
    /// The matrix.
    pub matrix: PathBuf,
}

impl fmt::Display for OtherMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} describes another matrix than {} (its checksum differs) and is ignored: nothing is known of the rankers \
             and the data behind this one",
            self.account.display(),
            self.matrix.display()
        )
    }
}

impl std::error::Error for OtherMatrix {}

/// What the description beside the file `path` says of `matrix`, which was read from it; `None` if there is no
/// description.
///
/// # Errors
/// If the description is that of another matrix.
pub fn matrix_account(path: &Path, matrix: &PreferenceMatrix) -> Result<Option<MatrixAccount>, OtherMatrix> {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { return Ok(None) };
    let account = path.with_file_name(format!("{}.json", stem.strip_suffix(".counts").unwrap_or(stem)));
    let content =
        input::read(&account, MOST_BYTES).ok().and_then(|bytes| serde_json::from_slice::<Content>(&bytes).ok());
    let Some(content) = content.filter(|content| content.command == "proxy") else { return Ok(None) };
    if content.checksum != matrix_checksum(matrix, true) || content.site.rankers.len() != matrix.arms() {
        return Err(OtherMatrix { account, matrix: path.to_owned() });
    }
    let Content { site, min_comparisons, max_comparisons, largest_standard_error, winner_z, .. } = content;
    Ok(Some(MatrixAccount {
        file: account.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        dataset: site.dataset.name,
        synthetic: site.dataset.synthetic,
        clicks: site.click.model,
        rankers: site.rankers,
        names: names(&site.names, matrix.arms()),
        min_comparisons,
        max_comparisons,
        largest_standard_error,
        winner_z,
    }))
}

/// The names in the file; `None` if there are none, or they cannot be those of the arms.
fn names(names: &[Option<String>], arms: usize) -> Option<Names> {
    let given = names.iter().enumerate().filter_map(|(arm, name)| Some((arm, name.as_deref()?)));
    Names::of_some(arms, given).ok().filter(|_| names.len() == arms)
}

impl MatrixAccount {
    /// A note for figures and tables of a matrix that was estimated from synthetic data; `None` for real data.
    #[must_use]
    pub fn note(&self, matrix: &str) -> Option<String> {
        self.synthetic.then(|| {
            format!(
                "synthetic data: {matrix} was estimated on {}, which is generated, not the real data set",
                self.dataset
            )
        })
    }

    /// Says that the Condorcet winner is not resolved, or may not be; `None` if it is. `margin` is its smallest margin;
    /// `all`: among all arms of the matrix.
    #[must_use]
    pub fn unresolved(&self, margin: f64, all: bool) -> Option<String> {
        if let Some(z) = self.winner_z.filter(|_| all) {
            return (z < RESOLVED)
                .then(|| format!("WINNER NOT RESOLVED (z = {z:.1}, below {RESOLVED}): the runner-up may be as good"));
        }
        if self.min_comparisons == 0 {
            return Some("the winner may not be resolved: some pairs were never compared".to_owned());
        }
        // Of a part of the arms, and from earlier versions, only a bound of the standard error is known.
        let error = self.largest_standard_error.filter(|error| margin < RESOLVED * error)?;
        Some(format!("the winner may not be resolved (standard errors up to {error:.4}): the runner-up may be as good"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_description_of_this_matrix_counts() {
        let folder = tempfile::tempdir().unwrap();
        let matrix = PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").unwrap();
        let describe = |checksum: &str, rankers: &str| {
            format!(
                "{{\"command\": \"proxy\", \"checksum\": \"{checksum}\", \"min_comparisons\": 40, \"max_comparisons\": 50, \
                 \"site\": {{\"dataset\": {{\"name\": \"x\", \"synthetic\": true}}, \"rankers\": {rankers}, \"click\": \
                 {{\"model\": \"perfect\"}}}}, \"largest_standard_error\": 0.08}}"
            )
        };
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let of = |name: &str| matrix_account(&folder.path().join(name), &matrix);
        assert_eq!(of("P.npy"), Ok(None));
        let checksum = matrix_checksum(&matrix, true);
        write("P.json", &describe(&checksum, "[3, 9]"));
        for name in ["P.npy", "P.txt", "P.counts.npz"] {
            let account = of(name).unwrap().unwrap();
            assert_eq!((account.file.as_str(), account.rankers.len(), account.min_comparisons), ("P.json", 2, 40));
            assert!(account.note(name).is_some_and(|note| note.contains("estimated on x")));
            // An earlier version wrote no z: three standard errors are .24.
            assert!(account.unresolved(0.2, true).is_some() && account.unresolved(0.25, true).is_none());
            let exact = MatrixAccount { winner_z: Some(2.9), ..account };
            assert!(exact.unresolved(0.25, true).is_some_and(|text| text.contains("NOT RESOLVED (z = 2.9")));
            assert!(exact.unresolved(0.25, false).is_none(), "z is that of all arms");
        }
        write("N.json", &describe(&checksum, "[3, 9], \"names\": [null, \"a \\\"b\\\", c\"]"));
        let named = of("N.npy").unwrap().unwrap().names.unwrap();
        assert_eq!(named.iter().collect::<Vec<_>>(), [None, Some("a \"b\", c")]);
        for wrong in ["[\"a\"]", "[\"a\", \"a\"]"] {
            write("N.json", &describe(&checksum, &format!("[3, 9], \"names\": {wrong}")));
            assert_eq!(of("N.npy").unwrap().unwrap().names, None, "{wrong}");
        }
        write("Q.json", &describe("0", "[3, 9]"));
        let error = of("Q.npy").unwrap_err().to_string();
        assert!(error.contains("Q.json describes another matrix than") && error.contains("Q.npy"), "{error}");
        write("R.json", "{\"command\": \"bandit\"}");
        assert_eq!(of("R.npy"), Ok(None));
    }
}
