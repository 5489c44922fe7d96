//! Lists of documents' ids as lists of numbers.

use std::collections::BTreeMap;

use interleave::{Doc, ListBuf};

#[expect(clippy::disallowed_types, reason = "documents are looked up, and never walked in the map's order")]
type Map<K, V> = std::collections::HashMap<K, V>;

/// More documents in all lists of an impression together than these are refused.
const MAX_DOCUMENTS_OF_LISTS: usize = 65_535;

/// The lists of an impression, and the documents in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct Lists<'a> {
    documents: Vec<&'a str>,
    numbers: Map<&'a str, u16>,
    /// Whether documents without a number are refused.
    is_complete: bool,
    /// By ranker.
    lists: BTreeMap<u32, ListBuf>,
}

/// Errors in a list. Positions are 0-based.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A document twice.
    #[error("`{document}` is there twice, first at position {first}; list it once")]
    Twice {
        /// Where it is again.
        position: usize,
        /// Where it was first.
        first: usize,
        /// The document.
        document: String,
    },
    /// A document that is not among those that there are.
    #[error("`{document}` is not among the documents that were named; name all, or none")]
    Unknown {
        /// Where.
        position: usize,
        /// The document.
        document: String,
    },
    /// A score that orders nothing.
    #[error("the score is not a number")]
    Score {
        /// Where.
        position: usize,
    },
    /// Too many documents.
    #[error("more than {MAX_DOCUMENTS_OF_LISTS} different documents in all lists together; cut the lists")]
    TooMany,
}

impl ListError {
    /// Where in the list, if it is there.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        match self {
            Self::Twice { position, .. } | Self::Unknown { position, .. } | Self::Score { position } => Some(*position),
            Self::TooMany => None,
        }
    }
}

impl<'a> Lists<'a> {
    /// Lists of these documents alone, numbered in this order: ties are drawn by number. [`Lists::default`] takes all documents,
    /// and numbers them as they come.
    ///
    /// # Errors
    /// For a document twice, and for too many.
    pub fn of(documents: &[&'a str]) -> Result<Self, ListError> {
        let mut lists = Self { numbers: Map::with_capacity(documents.len()), ..Self::default() };
        lists.number_documents(documents)?;
        lists.is_complete = true;
        Ok(lists)
    }

    /// The list of a ranker, best first. Add lists in the order of the rankers: documents are numbered as they come.
    ///
    /// # Errors
    /// For a document twice, one that is not among those of [`Lists::of`], and for too many.
    pub fn add_ranked(&mut self, ranker: u32, documents: &[&'a str]) -> Result<(), ListError> {
        let order = self.number_documents(documents)?;
        let list = ListBuf::strict(order.into_iter().map(Doc));
        self.lists.insert(ranker, list.map_err(|_| ListError::TooMany)?);
        Ok(())
    }

    /// The same by scores, the highest first; equal scores are ties.
    ///
    /// # Errors
    /// Like those of [`Lists::add_ranked`], and for a score that is not a number.
    pub fn add_scored(&mut self, ranker: u32, scored: &[(&'a str, f64)]) -> Result<(), ListError> {
        if let Some(position) = scored.iter().position(|(_, score)| score.is_nan()) {
            return Err(ListError::Score { position });
        }
        let documents: Vec<&str> = scored.iter().map(|(document, _)| *document).collect();
        let order = self.number_documents(&documents)?;
        let mut scores = vec![None; self.documents.len()];
        order.iter().zip(scored).for_each(|(number, (_, score))| scores[usize::from(*number)] = Some(*score));
        let list = ListBuf::from_some_scores(scores);
        self.lists.insert(ranker, list.map_err(|_| ListError::TooMany)?);
        Ok(())
    }

    /// The numbers of the documents of a list.
    fn number_documents(&mut self, documents: &[&'a str]) -> Result<Vec<u16>, ListError> {
        let mut numbers = Vec::with_capacity(documents.len());
        // By number: where the document is in this list, from 1; 0 where it is not.
        let mut places = vec![0_u32; self.documents.len() + documents.len()];
        for (position, &document) in documents.iter().enumerate() {
            let number = self.number(position, document)?;
            let place = &mut places[usize::from(number)];
            if *place > 0 {
                return Err(ListError::Twice { position, first: *place as usize - 1, document: document.to_owned() });
            }
            *place = position as u32 + 1;
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn number(&mut self, position: usize, document: &'a str) -> Result<u16, ListError> {
        if let Some(&number) = self.numbers.get(document) {
            return Ok(number);
        }
        if self.is_complete {
            return Err(ListError::Unknown { position, document: document.to_owned() });
        }
        if self.documents.len() == MAX_DOCUMENTS_OF_LISTS {
            return Err(ListError::TooMany);
        }
        let number = self.documents.len() as u16;
        self.documents.push(document);
        self.numbers.insert(document, number);
        Ok(number)
    }

    /// The list of a ranker, if it is there.
    #[must_use]
    pub fn get(&self, ranker: u32) -> Option<&ListBuf> {
        self.lists.get(&ranker)
    }

    /// All lists, by the number of their ranker, which is below `rankers`.
    #[must_use]
    pub fn into_lists(mut self, rankers: usize) -> Vec<Option<ListBuf>> {
        (0..rankers as u32).map(|ranker| self.lists.remove(&ranker)).collect()
    }

    /// All documents, in the order of their numbers.
    #[must_use]
    pub fn documents(&self) -> &[&'a str] {
        &self.documents
    }

    /// The ids of documents.
    #[must_use]
    pub fn ids(&self, documents: &[Doc]) -> Vec<&'a str> {
        documents.iter().filter_map(|document| self.documents.get(document.index())).copied().collect()
    }
}
