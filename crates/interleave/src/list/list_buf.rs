//! Lists that own their memory.

use super::{Doc, RankedList, RankedListError, RankedListErrorKind, TieGroup};

/// An owned [`RankedList`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListBuf {
    order: Vec<Doc>,
    groups: Vec<TieGroup>,
}

impl ListBuf {
    /// A list without ties: the documents best first.
    ///
    /// # Errors
    /// When a document is listed twice, or one is above 65,534.
    pub fn strict(order: impl IntoIterator<Item = Doc>) -> Result<Self, RankedListError> {
        let order: Vec<Doc> = order.into_iter().collect();
        let documents = order.iter().map(|doc| doc.index() + 1).max().unwrap_or(0);
        let mut groups = vec![TieGroup::UNLISTED; documents];
        for (rank, doc) in order.iter().enumerate().take(RankedList::MAX_LEN) {
            groups[doc.index()] = TieGroup { start: rank as u16, end: rank as u16 + 1 };
        }
        RankedList::new(&order, &groups)?;
        Ok(Self { order, groups })
    }

    /// All documents by descending score (`scores[d]` is that of document `d`), equal scores tied.
    ///
    /// # Errors
    /// For a score that is not a number, or more than 65,535 of them.
    pub fn from_scores(scores: &[f64]) -> Result<Self, RankedListError> {
        Self::from_some_scores(scores.iter().copied().map(Some))
    }

    /// Like [`from_scores`](Self::from_scores), without the documents that have no score.
    ///
    /// # Errors
    /// For a score that is not a number, or more than 65,535 documents.
    pub fn from_some_scores(scores: impl IntoIterator<Item = Option<f64>>) -> Result<Self, RankedListError> {
        let scores: Vec<Option<f64>> = scores.into_iter().collect();
        if let Some(doc) = scores.iter().position(|score| score.is_some_and(f64::is_nan)) {
            return Err(RankedListError::new(
                RankedListErrorKind::Score,
                format!("the score of document {doc} is not a number"),
            ));
        }
        if scores.len() > RankedList::MAX_LEN {
            return Err(RankedListError::new(
                RankedListErrorKind::TooLong,
                format!("{} documents are more than {}; cut the list", scores.len(), RankedList::MAX_LEN),
            ));
        }
        let documents = scores.len();
        let listed = scores.into_iter().enumerate();
        let listed = listed.filter_map(|(doc, score)| Some((doc, score?))).collect();
        Ok(Self::from_distinct(listed, documents))
    }

    /// From (document, score) pairs of different documents below `documents`, which is at most
    /// 65,535; no score is NaN.
    pub(crate) fn from_distinct(mut scored_documents: Vec<(usize, f64)>, documents: usize) -> Self {
        scored_documents.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal));
        let mut groups = vec![TieGroup::UNLISTED; documents];
        let mut start = 0;
        for run in scored_documents.chunk_by(|a, b| a.1 == b.1) {
            let end = start + run.len() as u16;
            for &(doc, _) in run {
                groups[doc] = TieGroup { start, end };
            }
            start = end;
        }
        let order = scored_documents.into_iter().map(|(doc, _)| Doc(doc as u16)).collect();
        Self { order, groups }
    }

    /// The view that methods take.
    #[must_use]
    pub fn as_list(&self) -> RankedList<'_> {
        RankedList::from_trusted(&self.order, &self.groups)
    }
}
