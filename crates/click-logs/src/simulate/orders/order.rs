//! Pages that a user saw, and what was ordered from them.

/// An impression, as far as orders go.
#[derive(Debug)]
pub(in super::super) struct ViewedPage {
    /// A number that no other impression of the log has.
    pub(in super::super) number: u64,
    pub(in super::super) time: i64,
    pub(in super::super) query: usize,
    /// The documents that the user saw, each with the ranker that owns it.
    pub(in super::super) documents: Vec<(u16, Option<usize>)>,
    /// Clicks that count: document and time.
    pub(in super::super) clicked: Vec<(u16, i64)>,
    /// Where it is counted, if it counts.
    pub(in super::super) counted: Option<CountedFor>,
}

/// Where an impression is counted: version, day and pair.
pub(in super::super) type CountedFor = (Option<String>, i32, (usize, usize));

impl ViewedPage {
    /// The owner of a document, if it was shown.
    pub(super) fn owner(&self, document: (usize, u16)) -> Option<Option<usize>> {
        let (query, number) = document;
        let found = self.documents.iter().find(|(shown, _)| self.query == query && *shown == number);
        found.map(|(_, owner)| *owner)
    }
}

/// A document that was ordered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    /// The basket.
    pub(super) id: u64,
    pub(super) document: (usize, u16),
    pub(super) time: i64,
    pub(super) value: i64,
    /// Whether it is in the currency that counts.
    pub(super) is_domestic: bool,
    /// The time of its return, and the amount paid back.
    pub(super) returned: Option<(i64, i64)>,
}
