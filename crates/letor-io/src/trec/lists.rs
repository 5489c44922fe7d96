//! What all runs retrieved, query by query, without the text of their files.
#![expect(clippy::disallowed_types, reason = "only looked up by id; its order has no effect")]

use std::collections::HashMap;

use rayon::prelude::*;

use super::documents::Documents;
use super::options::TrecTies;
use super::order::order_documents;
use super::ranks::rank_column;
use super::run::Run;
use crate::dataset::RankColumn;

/// The lists of all runs that were added. A line of a run takes four bytes, and a document some forty and its number: files are
/// read one after the other, and what stays of them is a fraction of their size.
#[derive(Debug)]
pub(super) struct Lists {
    /// How documents of one score are ordered.
    pub(super) ties: TrecTies,
    /// In the order in which they were found.
    pub(super) queries: Vec<QueryLists>,
    places: HashMap<String, usize>,
    /// The tag of each run.
    pub(super) tags: Vec<Vec<u8>>,
    /// The rank column of each run.
    pub(super) ranks: Vec<RankColumn>,
    /// The number of lines of all runs that are comments.
    pub(super) comments: usize,
}

/// What the runs retrieved for one query.
#[derive(Debug)]
pub(super) struct QueryLists {
    pub(super) id: String,
    pub(super) documents: Documents,
    /// By run, the documents that it retrieved, best first. Runs at the end that retrieved nothing are left out.
    lists: Vec<Vec<PackedDocument>>,
}

/// A document of a list: twice its place among the documents of the query, and one more if it has the score of the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackedDocument(u32);

impl PackedDocument {
    fn new(document: u32, is_tied: bool) -> Self {
        Self(document << 1 | u32::from(is_tied))
    }

    pub(super) fn document(self) -> u32 {
        self.0 >> 1
    }

    pub(super) fn is_tied(self) -> bool {
        self.0 & 1 == 1
    }
}

impl QueryLists {
    /// The documents that `run` retrieved, best first.
    pub(super) fn of_run(&self, run: usize) -> &[PackedDocument] {
        self.lists.get(run).map_or(&[], Vec::as_slice)
    }
}

impl Lists {
    pub(super) fn new(ties: TrecTies) -> Self {
        Self { ties, queries: Vec::new(), places: HashMap::new(), tags: Vec::new(), ranks: Vec::new(), comments: 0 }
    }

    /// How many runs were added.
    pub(super) fn runs(&self) -> usize {
        self.tags.len()
    }

    /// Adds the next run.
    pub(super) fn add(&mut self, run: &Run<'_>) {
        let Self { ties, queries, places, tags, ranks, comments } = self;
        let number = tags.len();
        tags.push(run.tag.to_vec());
        ranks.push(rank_column(run));
        *comments += run.comments;
        // By query, the list that the run has for it.
        let mut lists = vec![None; queries.len()];
        for list in &run.queries {
            let place = *places.entry(list.id.to_owned()).or_insert(queries.len());
            if place == queries.len() {
                let (id, documents) = (list.id.to_owned(), Documents::default());
                queries.push(QueryLists { id, documents, lists: Vec::new() });
                lists.push(None);
            }
            lists[place] = Some(list.documents.as_slice());
        }
        queries.par_iter_mut().zip(lists).for_each(|(query, list)| {
            let Some(list) = list else { return };
            query.lists.resize_with(number, Vec::new);
            let documents = &mut query.documents;
            let place = |line: usize| documents.add(list[line].document);
            // In the order of lines, so that the same documents of the next run are near each other.
            let found: Vec<u32> = (0..list.len()).map(place).collect();
            let listed = order_documents(list, *ties);
            query
                .lists
                .push(listed.iter().map(|one| PackedDocument::new(found[one.line as usize], one.is_tied)).collect());
        });
    }
}
