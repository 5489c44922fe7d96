//! Runs and qrels to a data set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;

use super::SYNTHETIC;
use super::documents::{Docno, Documents};
use super::open::{TrecOptions, TrecTies, Unjudged};
use super::order::{Listed, sort};
use super::qrels::{Judgment, Qrels};
use super::run::{Retrieved, Run};
use crate::dataset::{Dataset, DatasetBuilder, EncodedQuery, Provenance, RunCounts, Runs};
use crate::error::{Error, ErrorKind};
use crate::names::Names;

/// The most ids in an error.
const SHOWN: usize = 3;

/// The files read, and those skipped with the reason.
pub(super) type Files = (Vec<PathBuf>, Vec<(PathBuf, String)>);

/// A query of the data set.
struct Joined {
    query: EncodedQuery,
    /// The labels of judged documents that no run retrieved, highest first.
    unretrieved: Vec<f32>,
    unjudged: usize,
    /// For each run: how many documents it retrieved, and how many of them are tied.
    lists: Vec<[usize; 2]>,
}

/// The data set of `runs`, called `names`, and `qrels`.
pub(super) fn join(
    runs: &[Run<'_>],
    names: Names,
    qrels: &Qrels<'_>,
    (files, skipped): Files,
    name: &str,
    options: &TrecOptions,
) -> Result<Dataset, Error> {
    let lists: Vec<BTreeMap<&str, &[Retrieved<'_>]>> = runs
        .iter()
        .map(|run| run.queries.iter().map(|query| (query.id, query.documents.as_slice())).collect())
        .collect();
    let (ids, unjudged) = queries(&lists, qrels);
    let joined: Vec<Option<Joined>> = ids
        .par_iter()
        .map(|id| {
            let of_query: Vec<&[Retrieved<'_>]> =
                lists.iter().map(|list| list.get(id).copied().unwrap_or_default()).collect();
            join_query(id, &of_query, &qrels.queries[id], options)
        })
        .collect::<Result<_, Error>>()?;
    let kept: BTreeSet<&str> =
        ids.iter().zip(&joined).filter(|(_, joined)| joined.is_some()).map(|(id, _)| *id).collect();
    if kept.is_empty() {
        return Err(nothing_in_common(&lists, qrels, &files, runs.len()));
    }
    let is_synthetic = qrels.synthetic || runs.iter().any(|run| run.tag.starts_with(SYNTHETIC.as_bytes()));
    let provenance = match is_synthetic {
        true => Provenance::LookAlike { name: name.to_owned() },
        false => Provenance::Files { files, skipped },
    };
    let mut counts = RunCounts {
        unjudged_queries: unjudged,
        empty_lists: vec![0; runs.len()],
        tied: vec![0; runs.len()],
        retrieved: vec![0; runs.len()],
        removed: options.unjudged == Unjudged::Remove,
        ties_kept: options.ties == TrecTies::Keep,
        negative: qrels.negative,
        repeated: qrels.repeated,
        comments: qrels.comments + runs.iter().map(|run| run.comments).sum::<usize>(),
        ..RunCounts::default()
    };
    let mut known = Runs { without_documents: without_documents(qrels, &kept), ..Runs::default() };
    let mut builder = DatasetBuilder::new(name, provenance);
    builder.features(runs.len() as u32);
    for Joined { query, unretrieved, unjudged, lists } in joined.into_iter().flatten() {
        builder.push(query);
        known.unretrieved.extend(unretrieved);
        known.ends.push(known.unretrieved.len());
        counts.unjudged += unjudged;
        for (run, [retrieved, tied]) in lists.into_iter().enumerate() {
            counts.empty_lists[run] += usize::from(retrieved == 0);
            counts.retrieved[run] += retrieved;
            counts.tied[run] += tied;
        }
    }
    known.counts = counts;
    builder.runs(known);
    Ok(builder.build().with_feature_names(names).expect("a name per run"))
}

/// The queries that both a run and the qrels have, in order, and those of runs that the qrels do not have.
fn queries<'a>(lists: &[BTreeMap<&'a str, &[Retrieved<'a>]>], qrels: &Qrels<'a>) -> (Vec<&'a str>, Vec<String>) {
    let retrieved: BTreeSet<&str> = lists.iter().flat_map(|list| list.keys().copied()).collect();
    let (judged, unjudged): (Vec<&str>, Vec<&str>) =
        retrieved.into_iter().partition(|id| qrels.queries.contains_key(id));
    (in_order(judged), in_order(unjudged).into_iter().map(str::to_owned).collect())
}

/// By number if all are numbers, otherwise by their bytes.
fn in_order(mut ids: Vec<&str>) -> Vec<&str> {
    let number = |id: &&str| id.bytes().all(|byte| byte.is_ascii_digit()).then(|| id.parse::<u64>().ok()).flatten();
    if ids.iter().all(|id| number(id).is_some()) {
        ids.sort_by_key(|id| (number(id), *id));
    } else {
        ids.sort_unstable();
    }
    ids
}

fn without_documents(qrels: &Qrels<'_>, kept: &BTreeSet<&str>) -> Vec<String> {
    let without = qrels.queries.keys().copied().filter(|id| !kept.contains(id)).collect();
    in_order(without).into_iter().map(str::to_owned).collect()
}

/// One query of all `lists`; `None` if no document is left.
fn join_query(
    id: &str,
    lists: &[&[Retrieved<'_>]],
    judgments: &[Judgment<'_>],
    options: &TrecOptions,
) -> Result<Option<Joined>, Error> {
    let removes = options.unjudged == Unjudged::Remove;
    let mut documents = Documents::default();
    // By list and line, the place of the document.
    let places: Vec<Vec<u32>> =
        lists.iter().map(|list| list.iter().map(|line| documents.add(line.document)).collect()).collect();
    let ranks = documents.ranks();
    // By rank: the label of a document.
    let mut found: Vec<Option<f32>> = vec![None; documents.len()];
    let mut unretrieved = Vec::new();
    for judgment in judgments {
        match documents.get(Docno::new(judgment.document)) {
            Some(place) => found[ranks[place as usize] as usize] = Some(judgment.label),
            None => unretrieved.push(judgment.label),
        }
    }
    let unjudged = found.iter().filter(|label| label.is_none()).count();
    // By rank: the row of a document, if it stays.
    let mut next = 0;
    let rows: Vec<Option<u32>> = found
        .iter()
        .map(|label| {
            let stays = !removes || label.is_some();
            let row = next;
            next += u32::from(stays);
            stays.then_some(row)
        })
        .collect();
    let labels: Vec<f32> =
        found.iter().zip(&rows).filter_map(|(label, row)| row.map(|_| label.unwrap_or(0.0))).collect();
    if labels.is_empty() {
        return Ok(None);
    }
    let (mut columns, mut sizes, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (list, places) in lists.iter().zip(&places) {
        let listed = list.iter().zip(places).filter_map(|(line, &place)| {
            Some(Listed { row: rows[ranks[place as usize] as usize]?, score: line.score })
        });
        let mut sorted: Vec<Listed> = listed.collect();
        let tied = sort(&mut sorted, options.ties, &mut values);
        let mut column = vec![0.0; labels.len()];
        sorted.iter().zip(&values).for_each(|(document, value)| column[document.row as usize] = *value);
        sizes.push([sorted.len(), tied]);
        columns.push(column);
    }
    unretrieved.sort_by(|one: &f32, other| other.total_cmp(one));
    let query = EncodedQuery::from_columns(id, &labels, &columns)
        .map_err(|error| Error::new(ErrorKind::Limit, error.to_string()))?;
    Ok(Some(Joined { query, unretrieved, unjudged, lists: sizes }))
}

fn nothing_in_common(
    lists: &[BTreeMap<&str, &[Retrieved<'_>]>],
    qrels: &Qrels<'_>,
    files: &[PathBuf],
    runs: usize,
) -> Error {
    let listed = |ids: Vec<&str>| {
        let shown = ids.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        if ids.len() > SHOWN { format!("{shown}, ...") } else { shown }
    };
    let of_runs: BTreeSet<&str> = lists.iter().flat_map(|list| list.keys().copied()).collect();
    let of_qrels = listed(in_order(qrels.queries.keys().copied().collect()));
    if of_runs.iter().any(|id| qrels.queries.contains_key(id)) {
        let message =
            "no retrieved document is judged, so none is left without the unjudged ones: keep them (--unjudged zero)";
        return Error::new(ErrorKind::SameQuery, message).in_file(&files[runs]);
    }
    let message = format!(
        "no query in common: the runs have {}, the qrels {of_qrels}: check that both are of the same queries, with the \
         same ids",
        listed(in_order(of_runs.into_iter().collect()))
    );
    Error::new(ErrorKind::SameQuery, message).in_file(&files[runs])
}
