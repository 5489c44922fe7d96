//! Scores as further features of a data set.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{npy, text};
use crate::dataset::{Dataset, DatasetBuilder, EncodedQuery, Provenance};
use crate::decimal::Decimal;
use crate::error::{Error, ErrorKind};
use crate::file_names::{cut_at_comma, split_name, stem};
use crate::names::{NameError, NameFault, Names};
use crate::text::read_text;

/// How the features of a data set are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Features {
    /// They stay, and scores are numbered after them.
    #[default]
    Kept,
    /// They are left out, and scores are numbered from 1.
    LeftOut,
}

/// `dataset` with a further feature for each of `files`, the scores of a model for all its documents, in the order of
/// rows. Each is a file or `NAME=FILE`; without a name, it is called after its file.
///
/// # Errors
/// A file that cannot be read, something that is not a finite number, another number of scores than documents, a query of
/// RankLib's that is not the one of the row, two models of one name, or a data set of [runs](crate::trec), which has no
/// rows.
pub fn add<S: AsRef<str>>(dataset: &Dataset, files: &[S], features: Features) -> Result<Dataset, Error> {
    if dataset.runs().is_some() {
        let message =
            "scores are in the order of a data set's rows, but runs have none: write the model's scores as a run";
        return Err(Error::new(ErrorKind::Format, message));
    }
    if let Some(error) = cut_at_comma(files) {
        return Err(error);
    }
    let sources: Vec<(Option<&str>, &Path)> = files.iter().map(|file| split_name(file.as_ref())).collect();
    let columns: Vec<Result<Vec<Decimal>, Error>> =
        sources.par_iter().map(|(_, path)| read(dataset, path).map_err(|error| error.in_file(path))).collect();
    let columns = columns.into_iter().collect::<Result<Vec<_>, _>>()?;
    let first = if features == Features::Kept { dataset.features() } else { 0 };
    let queries: Vec<_> = (0..dataset.queries())
        .into_par_iter()
        .map(|index| {
            let rows = dataset.document_offset(index)..dataset.document_offset(index + 1);
            let columns = columns.iter().map(|column| &column[rows.clone()]);
            let kept = (features == Features::Kept).then_some(first);
            EncodedQuery::with_columns(&dataset.query(index), kept, columns)
                .map_err(|error| Error::new(ErrorKind::Limit, error.to_string()))
        })
        .collect();
    let mut provenance = dataset.provenance().clone();
    if let Provenance::Files { files, .. } = &mut provenance {
        files.extend(sources.iter().map(|(_, path)| path.to_path_buf()));
    }
    let mut builder = DatasetBuilder::new(dataset.name(), provenance);
    builder.features(first + columns.len() as u32).all_null(if first > 0 { dataset.all_null() } else { 0 });
    for query in queries {
        builder.push(query?);
    }
    let names = feature_names(dataset, &sources, first as usize)?;
    Ok(builder.build().with_feature_names(names).expect("as many names as features"))
}

/// The scores in the file at `path`, one per document.
fn read(dataset: &Dataset, path: &Path) -> Result<Vec<Decimal>, Error> {
    let bytes = read_text(path)?;
    let scores = if npy::is_npy(&bytes) { npy::parse(&bytes)? } else { text::parse(&bytes, dataset)? };
    if scores.len() == dataset.documents() {
        return Ok(scores);
    }
    let message = format!(
        "has {} scores, but {} has {} documents: predict the same files, in the same order",
        scores.len(),
        dataset.name(),
        dataset.documents()
    );
    Err(Error::new(ErrorKind::Limit, message))
}

/// The names of the features that are kept, and of the scores after them.
fn feature_names(dataset: &Dataset, sources: &[(Option<&str>, &Path)], first: usize) -> Result<Names, Error> {
    let known = dataset.feature_names();
    let kept = (0..first).filter_map(|number| Some((number, known?.get(number)?.to_owned())));
    let scores = sources
        .iter()
        .enumerate()
        .map(|(at, (name, path))| (first + at, name.map_or_else(|| stem(path), str::to_owned)));
    Names::from_numbered(first + sources.len(), kept.chain(scores)).map_err(|NameError { number, fault }| {
        let path = number
            .checked_sub(first)
            .and_then(|at| sources.get(at))
            .map_or(PathBuf::new(), |(_, path)| path.to_path_buf());
        let message = match fault {
            NameFault::Repeated { name, first: other } => match other.checked_sub(first).and_then(|at| sources.get(at))
            {
                Some((_, other)) => format!(
                    "{} and this file are both called `{name}`: give one of them another name, e.g. other={}",
                    other.display(),
                    path.display()
                ),
                None => format!(
                    "feature {} is called `{name}` too: give the scores another name, e.g. other={}",
                    other + 1,
                    path.display()
                ),
            },
            fault => format!("the name of the scores {fault}: name them, e.g. model={}", path.display()),
        };
        Error::new(ErrorKind::Name, message).in_file(&path)
    })
}
