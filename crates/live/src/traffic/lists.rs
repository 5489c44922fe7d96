//! Lists of documents' ids as lists of numbers.

use std::collections::BTreeMap;

use interleave::{Doc, ListBuf};

/// More documents in all lists of an impression together than these are refused.
const MOST: usize = 65_535;

/// The lists of an impression, and the documents in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct Lists<'a> {
    documents: Vec<&'a str>,
    numbers: BTreeMap<&'a str, u16>,
    /// By ranker.
    lists: BTreeMap<u32, ListBuf>,
}

/// Why a list is none. Positions are 0-based.
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
    /// A score that orders nothing.
    #[error("the score is not a number")]
    Score {
        /// Where.
        position: usize,
    },
    /// Too many documents.
    #[error("more than {MOST} different documents in all lists together; cut the lists")]
    TooMany,
}

impl ListError {
    /// Where in the list, if it is there.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        match self {
            Self::Twice { position, .. } | Self::Score { position } => Some(*position),
            Self::TooMany => None,
        }
    }
}

impl<'a> Lists<'a> {
    /// No list yet. Documents of `first` have the first numbers, in their order: ties are drawn by number.
    ///
    /// # Errors
    /// For a document twice, and for too many.
    pub fn new(first: &[&'a str]) -> Result<Self, ListError> {
        let mut lists = Self::default();
        for (position, &document) in first.iter().enumerate() {
            let number = lists.number(document)?;
            if usize::from(number) != position {
                let document = document.to_owned();
                return Err(ListError::Twice { position, first: number.into(), document });
            }
        }
        Ok(lists)
    }

    fn number(&mut self, document: &'a str) -> Result<u16, ListError> {
        if let Some(&number) = self.numbers.get(document) {
            return Ok(number);
        }
        if self.documents.len() == MOST {
            return Err(ListError::TooMany);
        }
        let number = self.documents.len() as u16;
        self.documents.push(document);
        self.numbers.insert(document, number);
        Ok(number)
    }

    /// The list of a ranker, best first. Add lists in the order of the rankers: documents are numbered as they come.
    ///
    /// # Errors
    /// For a document twice, and for too many.
    pub fn add_ranked(&mut self, ranker: u32, documents: &[&'a str]) -> Result<(), ListError> {
        let order = self.numbered(documents)?;
        let list = ListBuf::strict(order.into_iter().map(Doc));
        self.lists.insert(ranker, list.map_err(|_| ListError::TooMany)?);
        Ok(())
    }

    /// The same by scores, the highest first; equal scores are ties.
    ///
    /// # Errors
    /// For a document twice, a score that is not a number, and for too many.
    pub fn add_scored(&mut self, ranker: u32, scored: &[(&'a str, f64)]) -> Result<(), ListError> {
        if let Some(position) = scored.iter().position(|(_, score)| score.is_nan()) {
            return Err(ListError::Score { position });
        }
        let documents: Vec<&str> = scored.iter().map(|(document, _)| *document).collect();
        let order = self.numbered(&documents)?;
        let mut scores = vec![None; self.documents.len()];
        order.iter().zip(scored).for_each(|(number, (_, score))| scores[usize::from(*number)] = Some(*score));
        let list = ListBuf::from_some_scores(scores);
        self.lists.insert(ranker, list.map_err(|_| ListError::TooMany)?);
        Ok(())
    }

    /// The numbers of the documents of a list.
    fn numbered(&mut self, documents: &[&'a str]) -> Result<Vec<u16>, ListError> {
        let mut at = BTreeMap::new();
        let mut numbers = Vec::with_capacity(documents.len());
        for (position, &document) in documents.iter().enumerate() {
            let number = self.number(document)?;
            if let Some(first) = at.insert(number, position) {
                return Err(ListError::Twice { position, first, document: document.to_owned() });
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// The list of a ranker, if it is there.
    #[must_use]
    pub fn get(&self, ranker: u32) -> Option<&ListBuf> {
        self.lists.get(&ranker)
    }

    /// The ids of documents.
    #[must_use]
    pub fn ids(&self, documents: &[Doc]) -> Vec<&'a str> {
        documents.iter().filter_map(|document| self.documents.get(document.index())).copied().collect()
    }
}
