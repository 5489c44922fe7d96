//! From the names of files to a data set.

use std::path::PathBuf;

use rayon::prelude::*;

use super::join::{JudgedDocuments, join};
use super::lists::Lists;
use super::options::TrecOptions;
use super::qrels::Qrels;
use super::run::Run;
use super::sources::{expand, resolve};
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind};
use crate::file_names::cut_at_comma;
use crate::text::read_text;

/// Opens `runs` with the judgments in `qrels` as one data set: feature `i` is run `i`.
///
/// Each run is a file, a folder, which stands for the runs in it, or `NAME=FILE`. Files may be gzip. Where no name is
/// given, a run is called after its file or, if several files have that name, by its tag. The rules of the
/// module say how runs and qrels are joined.
///
/// # Errors
/// A file that cannot be read, a malformed line, a document twice in a list, a judgment that contradicts another, two
/// runs of one name, or no query with both judgments and retrieved documents.
pub fn open<R: AsRef<str>, Q: AsRef<str>>(runs: &[R], qrels: &[Q], options: &TrecOptions) -> Result<Dataset, Error> {
    open_with_gold(runs, qrels, &[], options)
}

/// As [`open`], with `qrels` of a model, and files `gold` of people's judgements of some of the same documents. The labels of the data
/// set are the model's; [`Runs::gold`](crate::Runs::gold) has people's. Without files in `gold` there are none.
///
/// # Errors
/// Those of [`open`], and people's labels that share no document with the model's.
pub fn open_with_gold<R: AsRef<str>, Q: AsRef<str>>(
    runs: &[R],
    qrels: &[Q],
    gold: &[Q],
    options: &TrecOptions,
) -> Result<Dataset, Error> {
    let missing = |what: &str| Err(Error::new(ErrorKind::Unknown, what.to_owned()));
    if runs.is_empty() {
        return missing("no run is given: expected files of `query Q0 document rank score tag`");
    }
    if qrels.is_empty() {
        return missing("no qrels are given: expected a file of `query 0 document label` for the runs");
    }
    if let Some(error) = cut_at_comma(runs).or_else(|| cut_at_comma(qrels)).or_else(|| cut_at_comma(gold)) {
        return Err(error);
    }
    let (sources, skipped) = expand(runs)?;
    let judged: Vec<PathBuf> = qrels.iter().map(|path| PathBuf::from(path.as_ref())).collect();
    let by_people: Vec<PathBuf> = gold.iter().map(|path| PathBuf::from(path.as_ref())).collect();
    let all_qrels = judged.iter().chain(&by_people).cloned();
    let files: Vec<PathBuf> = sources.iter().map(|source| source.path.clone()).chain(all_qrels).collect();
    // A file that is not there is found before much is read. Pipes can be read once only: nothing opens them before.
    if let Some(missing) = files.iter().find(|path| std::fs::metadata(path).is_err()) {
        read_text(missing)?;
    }
    let mut lists = Lists::new(options.ties);
    // As many at a time as there are threads: a parsed run is smaller than its text.
    for wave in sources.chunks(rayon::current_num_threads().max(1)) {
        let read: Vec<Result<Vec<u8>, Error>> = wave.par_iter().map(|source| read_text(&source.path)).collect();
        // The first file at fault is named, whatever the number of threads.
        let (mut texts, mut failed) = (Vec::new(), None);
        for text in read {
            match text {
                Ok(text) => texts.push(text),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let parsed: Vec<Result<Run<'_>, Error>> = texts
            .par_iter()
            .zip(wave)
            .map(|(text, source)| Run::parse(text).map_err(|error| error.in_file(&source.path)))
            .collect();
        for run in parsed {
            lists.add(&run?);
        }
        if let Some(error) = failed {
            return Err(error);
        }
    }
    let read = |paths: &[PathBuf]| paths.iter().map(|path| read_text(path)).collect::<Result<Vec<_>, _>>();
    let judgments = read(&judged)?;
    let qrels = Qrels::parse(&judgments, &judged, options.max_label)?;
    let judgments = read(&by_people)?;
    let gold = match by_people.first() {
        Some(first) => Some((Qrels::parse(&judgments, &by_people, options.max_label)?, first.as_path())),
        None => None,
    };
    let names = resolve(&sources, &lists.tags)?;
    let qrels = JudgedDocuments { qrels, gold };
    join(&lists, names, &qrels, (files, skipped), &display_name(&judged), options.unjudged)
}

/// The name of a data set with these qrels.
fn display_name(qrels: &[PathBuf]) -> String {
    let first = qrels[0].file_name().unwrap_or(qrels[0].as_os_str()).display().to_string();
    match qrels.len() {
        1 => first,
        more => format!("{first} and {} more", more - 1),
    }
}
