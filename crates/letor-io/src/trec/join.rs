//! Runs and qrels to a data set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::SYNTHETIC;
use super::documents::Docno;
use super::lists::{Lists, QueryLists};
use super::options::{TrecTies, UnjudgedRule};
use super::order::values_of_groups;
use super::qrels::{Judgment, Qrels};
use crate::dataset::{Dataset, DatasetBuilder, EncodedQuery, Gold, GoldQuery, Provenance, RunCounts, Runs};
use crate::error::{Error, ErrorKind};
use crate::names::Names;

/// The most ids in an error.
const MAX_SHOWN_IDS: usize = 3;

/// The files read, and those skipped with the reason.
pub(super) type Files = (Vec<PathBuf>, Vec<(PathBuf, String)>);

/// The judgments of documents.
pub(super) struct JudgedDocuments<'a> {
    pub(super) qrels: Qrels<'a>,
    /// If those are a model's: the judgments of people, and their first file.
    pub(super) gold: Option<(Qrels<'a>, &'a Path)>,
}

/// A query of the data set.
struct JoinedQuery {
    query: EncodedQuery,
    gold: GoldQuery,
    /// The labels of judged documents that no run retrieved, highest first.
    unretrieved: Vec<f32>,
    unjudged: usize,
    /// For each run: how many documents it retrieved, and how many of them are tied.
    lists: Vec<[usize; 2]>,
}

/// The data set of the runs of `lists`, called `names`, and `qrels`.
pub(super) fn join(
    lists: &Lists,
    names: Names,
    judged: &JudgedDocuments<'_>,
    (files, skipped): Files,
    name: &str,
    unjudged: UnjudgedRule,
) -> Result<Dataset, Error> {
    let JudgedDocuments { qrels, gold } = judged;
    let gold = gold.as_ref();
    let by_people = |id: &str| gold.map(|(gold, _)| gold.queries.get(id).map_or(&[][..], Vec::as_slice));
    let runs = lists.runs();
    let retrieved: BTreeMap<&str, &QueryLists> = lists.queries.iter().map(|query| (query.id.as_str(), query)).collect();
    let (ids, without_judgments) = shared_queries(&retrieved, qrels);
    let joined: Vec<Option<JoinedQuery>> = ids
        .par_iter()
        .map(|id| join_query(retrieved[id], (&qrels.queries[id], by_people(id)), (runs, lists.ties, unjudged)))
        .collect::<Result<_, Error>>()?;
    let kept_queries: BTreeSet<&str> =
        ids.iter().zip(&joined).filter(|(_, joined)| joined.is_some()).map(|(id, _)| *id).collect();
    if kept_queries.is_empty() {
        return Err(no_shared_query_error(&retrieved, qrels, &files[runs]));
    }
    let is_synthetic = qrels.synthetic
        || gold.is_some_and(|(gold, _)| gold.synthetic)
        || lists.tags.iter().any(|tag| tag.starts_with(SYNTHETIC.as_bytes()));
    let provenance = match is_synthetic {
        true => Provenance::LookAlike { name: name.to_owned() },
        false => Provenance::Files { files, skipped },
    };
    let all_qrels = || std::iter::once(qrels).chain(gold.map(|(gold, _)| gold));
    let mut counts = RunCounts {
        unjudged_queries: without_judgments,
        empty_lists: vec![0; runs],
        tied: vec![0; runs],
        retrieved: vec![0; runs],
        ranks: lists.ranks.clone(),
        removed: unjudged == UnjudgedRule::Remove,
        ties_kept: lists.ties == TrecTies::Keep,
        negative: all_qrels().map(|qrels| qrels.negative).sum(),
        repeated: all_qrels().map(|qrels| qrels.repeated).sum(),
        comments: all_qrels().map(|qrels| qrels.comments).sum::<usize>() + lists.comments,
        ..RunCounts::default()
    };
    let of_missing = |id: &String| Some(without_retrieved(&qrels.queries[id.as_str()], by_people(id)?));
    let mut of_people = Gold {
        without_documents: without_documents(qrels, &kept_queries).iter().filter_map(of_missing).collect(),
        ..Gold::default()
    };
    let mut merged = Runs { without_documents: without_documents(qrels, &kept_queries), ..Runs::default() };
    let mut builder = DatasetBuilder::new(name, provenance);
    builder.features(runs as u32);
    for JoinedQuery { query, gold, unretrieved, unjudged, lists } in joined.into_iter().flatten() {
        builder.push(query);
        of_people.queries.push(gold);
        merged.unretrieved.extend(unretrieved);
        merged.ends.push(merged.unretrieved.len());
        counts.unjudged += unjudged;
        for (run, [retrieved, tied]) in lists.into_iter().enumerate() {
            counts.empty_lists[run] += usize::from(retrieved == 0);
            counts.retrieved[run] += retrieved;
            counts.tied[run] += tied;
        }
    }
    merged.counts = counts;
    if let Some((gold, file)) = gold {
        (of_people.outside, of_people.first_outside) = judged_by_people_alone(qrels, gold);
        if of_people.all_queries().all(|query| query.labelled() == 0) {
            return Err(no_double_judgment_error(file));
        }
        merged.gold = Some(of_people);
    }
    builder.runs(merged);
    Ok(builder.build().with_feature_names(names).expect("a name per run"))
}

/// The queries that both a run and the qrels have, in order, and those of runs that the qrels do not have.
fn shared_queries<'a>(retrieved: &BTreeMap<&'a str, &QueryLists>, qrels: &Qrels<'_>) -> (Vec<&'a str>, Vec<String>) {
    let (judged, unjudged): (Vec<&str>, Vec<&str>) =
        retrieved.keys().copied().partition(|id| qrels.queries.contains_key(id));
    (sort_ids(judged), sort_ids(unjudged).into_iter().map(str::to_owned).collect())
}

/// By number if all are numbers, otherwise by their bytes.
fn sort_ids(mut ids: Vec<&str>) -> Vec<&str> {
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
    sort_ids(without).into_iter().map(str::to_owned).collect()
}

/// One query of all runs; `None` if no document is left.
fn join_query(
    query: &QueryLists,
    (judgments, by_people): (&[Judgment<'_>], Option<&[Judgment<'_>]>),
    (runs, ties, unjudged): (usize, TrecTies, UnjudgedRule),
) -> Result<Option<JoinedQuery>, Error> {
    let removes = unjudged == UnjudgedRule::Remove;
    let ranks = query.documents.ranks();
    // By rank: the label of a document.
    let mut judged_labels: Vec<Option<f32>> = vec![None; ranks.len()];
    let mut unretrieved = Vec::new();
    let (mut people_labels, mut gold) = (vec![None; ranks.len()], GoldQuery::default());
    for judgment in judgments {
        let people = by_people.and_then(|by_people| label_of(by_people, judgment.document));
        match query.documents.get(Docno::new(judgment.document)) {
            Some(place) => {
                let rank = ranks[place as usize] as usize;
                (judged_labels[rank], people_labels[rank]) = (Some(judgment.label), people);
            }
            None => {
                unretrieved.push(judgment.label);
                gold.unretrieved.extend(by_people.map(|_| (judgment.label, people)));
            }
        }
    }
    let unjudged = judged_labels.iter().filter(|label| label.is_none()).count();
    // By rank: the row of a document, if it stays.
    let mut next = 0;
    let rows: Vec<Option<u32>> = judged_labels
        .iter()
        .map(|label| {
            let stays = !removes || label.is_some();
            let row = next;
            next += u32::from(stays);
            stays.then_some(row)
        })
        .collect();
    let labels: Vec<f32> =
        judged_labels.iter().zip(&rows).filter_map(|(label, row)| row.map(|_| label.unwrap_or(0.0))).collect();
    if labels.is_empty() {
        return Ok(None);
    }
    for (rank, _) in rows.iter().enumerate().filter(|(_, row)| by_people.is_some() && row.is_some()) {
        gold.is_judged.push(judged_labels[rank].is_some());
        gold.labels.push(people_labels[rank]);
    }
    let (mut columns, mut sizes) = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for run in 0..runs {
        let list = query.of_run(run);
        // The rows of the documents that stay, and the sizes of the groups of one score among them.
        let (mut listed, mut groups) = (Vec::with_capacity(list.len()), Vec::with_capacity(list.len()));
        for tied in list.chunk_by(|_, later| later.is_tied()) {
            let before = listed.len();
            listed.extend(tied.iter().filter_map(|place| rows[ranks[place.document() as usize] as usize]));
            groups.push((listed.len() - before) as u32);
        }
        let (values, tied) = values_of_groups(&groups, ties);
        let mut column = vec![0; labels.len()];
        listed.iter().zip(values).for_each(|(&row, value)| column[row as usize] = value);
        sizes.push([listed.len(), tied]);
        columns.push(column);
    }
    unretrieved.sort_by(|one: &f32, other| other.total_cmp(one));
    let query = EncodedQuery::from_whole_columns(&query.id, &labels, &columns)
        .map_err(|error| Error::new(ErrorKind::Limit, error.to_string()))?;
    Ok(Some(JoinedQuery { query, gold, unretrieved, unjudged, lists: sizes }))
}

/// The label of `document` in `judgments`, which are in the order of documents.
fn label_of(judgments: &[Judgment<'_>], document: &[u8]) -> Option<f32> {
    let place = judgments.binary_search_by_key(&document, |judgment| judgment.document).ok()?;
    Some(judgments[place].label)
}

/// People's labels of a query for which no run retrieved anything.
fn without_retrieved(judgments: &[Judgment<'_>], by_people: &[Judgment<'_>]) -> GoldQuery {
    let both = |judgment: &Judgment<'_>| (judgment.label, label_of(by_people, judgment.document));
    GoldQuery { unretrieved: judgments.iter().map(both).collect(), ..GoldQuery::default() }
}

/// How many documents people judged and the model, by its `qrels`, did not; the query and the document of the first.
fn judged_by_people_alone(qrels: &Qrels<'_>, gold: &Qrels<'_>) -> (usize, Option<(String, String)>) {
    let (mut count, mut first) = (0, None);
    for (id, judgments) in &gold.queries {
        let by_model = qrels.queries.get(id).map_or(&[][..], Vec::as_slice);
        for judgment in judgments.iter().filter(|judgment| label_of(by_model, judgment.document).is_none()) {
            count += 1;
            first.get_or_insert_with(|| ((*id).to_owned(), String::from_utf8_lossy(judgment.document).into_owned()));
        }
    }
    (count, first)
}

/// The error if the model judged none of the documents that people did, in the first of their files.
fn no_double_judgment_error(file: &Path) -> Error {
    let message = "the model judged none of these documents, so nothing says how far it is off: let it judge all documents, \
                   those of people among them, and check that both have the same ids of queries and documents";
    Error::new(ErrorKind::SameQuery, message.to_owned()).in_file(file)
}

/// The error if no query of the runs is in the first file of the `qrels`, or none has a document left.
fn no_shared_query_error(retrieved: &BTreeMap<&str, &QueryLists>, qrels: &Qrels<'_>, file: &Path) -> Error {
    let listed = |ids: Vec<&str>| {
        let shown = ids.iter().take(MAX_SHOWN_IDS).copied().collect::<Vec<_>>().join(", ");
        if ids.len() > MAX_SHOWN_IDS { format!("{shown}, ...") } else { shown }
    };
    let of_qrels = listed(sort_ids(qrels.queries.keys().copied().collect()));
    if retrieved.keys().any(|id| qrels.queries.contains_key(id)) {
        let message =
            "no retrieved document is judged, so none is left without the unjudged ones: keep them (--unjudged zero)";
        return Error::new(ErrorKind::SameQuery, message).in_file(file);
    }
    let message = format!(
        "no query in common: the runs have {}, the qrels {of_qrels}: check that both are of the same queries, with the \
         same ids",
        listed(sort_ids(retrieved.keys().copied().collect()))
    );
    Error::new(ErrorKind::SameQuery, message).in_file(file)
}
