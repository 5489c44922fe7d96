//! The description beside a matrix made by `rankduel proxy`: `P.json` beside `P.npy`, `P.txt` and `P.counts.npz`.
//!
//! It has a seal ([`output::sealed_json`]) and the checksum of the matrix. Its content is used only if both fit; anything else
//! leaves a [`Doubt`], which every command names and every figure shows, so that the word "synthetic" is never lost
//! without a remark. A description written by hand may only name the arms.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bandits::PreferenceMatrix;
use letor_io::{FeatureId, Names};
use output::input;
use output::sealed_json::{Seal, described_path, unsealed};
use serde::{Deserialize, Serialize, Serializer};

use super::account::MatrixAccount;
use crate::matrix::matrix_checksum;

/// A larger file is not a description of a matrix.
const MOST_BYTES: u64 = 1 << 28;

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

/// A description that was written by hand.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesAlone {
    names: Vec<Option<String>>,
}

/// Why the description beside a matrix is not enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// There is none, although `rankduel proxy` wrote the matrix: its state or its counts are there.
    Missing,
    /// It cannot be read: why.
    Unreadable(String),
    /// `rankduel proxy` did not write it.
    Foreign,
    /// It was changed since it was written.
    Changed,
    /// It is that of another matrix.
    OtherMatrix,
    /// It has no seal.
    Unsealed,
    /// It was written by hand, with names alone.
    NamesAlone,
    /// The same, beside a matrix that `rankduel proxy` wrote.
    NamesInstead,
}

/// The origin of a matrix, as far as known. As JSON, it is the account.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixOrigin {
    account: Option<MatrixAccount>,
    names: Option<Names>,
    doubt: Option<(String, Doubt)>,
    text: Option<Vec<u8>>,
}

impl Serialize for MatrixOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.account.serialize(serializer)
    }
}

impl From<MatrixAccount> for MatrixOrigin {
    fn from(account: MatrixAccount) -> Self {
        Self { names: account.names.clone(), account: Some(account), ..Self::default() }
    }
}

impl MatrixOrigin {
    /// What it was estimated from, if the description has it.
    #[must_use]
    pub fn account(&self) -> Option<&MatrixAccount> {
        self.account.as_ref()
    }

    /// Whether there is no account.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.account.is_none()
    }

    /// The names of the arms, if the description has any.
    #[must_use]
    pub fn names(&self) -> Option<&Names> {
        self.names.as_ref()
    }

    /// The features behind the arms, in their order.
    #[must_use]
    pub fn rankers(&self) -> Option<&[FeatureId]> {
        self.account.as_ref().map(|account| &account.rankers[..])
    }

    /// Why the description is not enough.
    #[must_use]
    pub fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref().map(|(_, doubt)| doubt)
    }

    /// The description as it was read, of whatever kind it is.
    #[must_use]
    pub fn text(&self) -> Option<&[u8]> {
        self.text.as_deref()
    }

    /// Whether the data behind the matrix were generated; `None` if unknown. A description without a seal does not prove
    /// that they were not.
    #[must_use]
    pub fn synthetic(&self) -> Option<bool> {
        self.account.as_ref().map(|account| account.synthetic).filter(|synthetic| *synthetic || self.doubt.is_none())
    }

    /// Whether the data of a comparison with this matrix were generated, where those compared with it `are`; `None` if the files
    /// beside the matrix leave it unknown.
    #[must_use]
    pub fn synthetic_beside(&self, are: bool) -> Option<bool> {
        match self.synthetic() {
            Some(synthetic) => Some(are || synthetic),
            None if are => Some(true),
            None => self.note("").is_none().then_some(false),
        }
    }

    /// Whether the matrix was certainly estimated from the data set called `name`.
    #[must_use]
    pub fn is_of(&self, name: &str) -> bool {
        self.synthetic().is_some() && self.account.as_ref().is_some_and(|account| account.dataset == name)
    }

    /// A note for figures and tables of the matrix: that it was estimated from synthetic data, or that its origin is not
    /// certain, and why; `None` for real data, and for a matrix without a description.
    #[must_use]
    pub fn note(&self, matrix: &str) -> Option<String> {
        if self.synthetic() == Some(true) {
            return self.account.as_ref()?.note(matrix);
        }
        let (file, doubt) = self.doubt.as_ref()?;
        let why = match doubt {
            Doubt::Missing => "is missing",
            Doubt::Unreadable(_) => "cannot be read",
            Doubt::Foreign => "is not what `rankduel proxy` writes",
            Doubt::Changed => "was changed",
            Doubt::OtherMatrix => "describes another matrix",
            Doubt::Unsealed => "has no seal",
            Doubt::NamesInstead => "only names its arms",
            Doubt::NamesAlone => return None,
        };
        Some(format!("the origin of {matrix} is not certain: {file} {why}"))
    }

    /// The remark about a doubt, in a line: the doubt about `path`, the file of the matrix, and what remains unknown.
    #[must_use]
    pub fn remark(&self, path: &Path) -> Option<String> {
        let (file, doubt) = self.doubt.as_ref()?;
        let (account, matrix) = (path.with_file_name(file), path);
        let (account, matrix) = (account.display(), matrix.display());
        let unknown_origin = format!("whether {matrix} was estimated on synthetic data is not known");
        let remedy = format!("repeat the `{} proxy` that made it, which writes it again", output::program::name());
        Some(match doubt {
            Doubt::Missing => {
                format!("{account} is missing, though `rankduel proxy` wrote {matrix}: {unknown_origin}; {remedy}")
            }
            Doubt::Unreadable(why) => {
                format!("{account} cannot be read ({why}) and is ignored: {unknown_origin}; {remedy}")
            }
            Doubt::Foreign => format!(
                "{account} is not what `rankduel proxy` writes and is ignored: {unknown_origin}; to name arms, write only \
                 {{\"names\": [...]}}, or use --names"
            ),
            Doubt::Changed => format!(
                "{account} was changed since it was written (its seal does not fit) and is ignored: {unknown_origin}; {remedy}"
            ),
            Doubt::OtherMatrix => format!(
                "{account} describes another matrix than {matrix} (its checksum differs) and is ignored: nothing is known of \
                 the rankers and the data behind this one, and {unknown_origin}"
            ),
            Doubt::Unsealed => format!("{account} has no seal and is ignored: {unknown_origin}; {remedy}"),
            Doubt::NamesAlone => format!("{account} only names the arms of {matrix}: {unknown_origin}"),
            Doubt::NamesInstead => format!(
                "{account} only names the arms of {matrix}, which `rankduel proxy` wrote: {unknown_origin}; {remedy}, and give names by --names"
            ),
        })
    }
}

/// The origin of `matrix`, which was read from the file `path`, by the description beside it. If `path` is a symbolic link with
/// nothing of `rankduel proxy` beside it, the description beside its target counts.
#[must_use]
pub fn matrix_origin(path: &Path, matrix: &PreferenceMatrix) -> MatrixOrigin {
    let described_path =
        described_path(path, |path| fs::symlink_metadata(path_with_ending(path, ".json")).is_ok() || is_proxied(path));
    let file = path_with_ending(&described_path, ".json");
    // Beside the file that was named, the name is enough.
    let shown_path = if described_path == path { file.file_name().map(Path::new).unwrap_or(&file) } else { &file };
    origin_beside(&described_path, shown_path.display().to_string(), matrix)
}

/// The file with this `ending` of those that `rankduel proxy` writes together with the matrix in the file `path`.
fn path_with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut stem = path.with_extension("");
    if path.extension().is_some_and(|of| of == "npz") && stem.extension().is_some_and(|of| of == "counts") {
        stem.set_extension("");
    }
    let mut name = stem.into_os_string();
    name.push(ending);
    name.into()
}

/// Whether `rankduel proxy` wrote the matrix in the file `path`: nothing else writes these files.
fn is_proxied(path: &Path) -> bool {
    [".state", ".counts.npz"].iter().any(|ending| path_with_ending(path, ending).exists())
}

/// The origin of `matrix` by the description beside `path`, which messages call `file`.
fn origin_beside(path: &Path, file: String, matrix: &PreferenceMatrix) -> MatrixOrigin {
    let doubting = |doubt, text| MatrixOrigin { doubt: Some((file.clone(), doubt)), text, ..MatrixOrigin::default() };
    let description = path_with_ending(path, ".json");
    match input::read_file(&description, MOST_BYTES) {
        Ok(text) => match from_text(&file, &text, matrix) {
            Ok(MatrixOrigin { names, doubt: Some((file, Doubt::NamesAlone)), .. }) if is_proxied(path) => {
                let doubt = Some((file, Doubt::NamesInstead));
                MatrixOrigin { names, doubt, text: Some(text), ..MatrixOrigin::default() }
            }
            Ok(origin) => MatrixOrigin { text: Some(text), ..origin },
            Err(doubt) => doubting(doubt, Some(text)),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if fs::symlink_metadata(&description).is_ok() {
                doubting(Doubt::Unreadable("it is a link to a file that is not there".to_owned()), None)
            } else if is_proxied(path) {
                doubting(Doubt::Missing, None)
            } else {
                MatrixOrigin::default()
            }
        }
        Err(error) => doubting(Doubt::Unreadable(error.to_string()), None),
    }
}

/// The origin of `matrix` by the `text` of a description called `file`.
fn from_text(file: &str, text: &[u8], matrix: &PreferenceMatrix) -> Result<MatrixOrigin, Doubt> {
    let Some((value, seal)) = unsealed(text) else {
        return Err(Doubt::Unreadable("it is cut off, or not a JSON object".to_owned()));
    };
    if seal == Seal::Broken {
        return Err(Doubt::Changed);
    }
    if seal == Seal::Missing
        && let Ok(NamesAlone { names: names_given }) = serde_json::from_value(value.clone())
    {
        let names = names(&names_given, matrix.arms()).ok_or(Doubt::Foreign)?;
        let doubt = Some((file.to_owned(), Doubt::NamesAlone));
        return Ok(MatrixOrigin { names: Some(names), doubt, ..MatrixOrigin::default() });
    }
    let content: Content = serde_json::from_value(value).map_err(|_| Doubt::Foreign)?;
    if content.command != "proxy" {
        return Err(Doubt::Foreign);
    }
    if seal == Seal::Missing {
        return Err(Doubt::Unsealed);
    }
    if content.checksum != matrix_checksum(matrix, true) || content.site.rankers.len() != matrix.arms() {
        return Err(Doubt::OtherMatrix);
    }
    let Content { site, min_comparisons, max_comparisons, largest_standard_error, winner_z, .. } = content;
    let account = MatrixAccount {
        file: file.to_owned(),
        dataset: site.dataset.name,
        synthetic: site.dataset.synthetic,
        clicks: site.click.model,
        rankers: site.rankers,
        names: names(&site.names, matrix.arms()),
        min_comparisons,
        max_comparisons,
        largest_standard_error,
        winner_z,
    };
    Ok(account.into())
}

/// The names in the file; `None` if there are none, or they cannot be those of the arms.
fn names(names: &[Option<String>], arms: usize) -> Option<Names> {
    let named_arms = names.iter().enumerate().filter_map(|(arm, name)| Some((arm, name.as_deref()?)));
    Names::from_numbered(arms, named_arms).ok().filter(|_| names.len() == arms)
}

#[cfg(test)]
mod tests;
