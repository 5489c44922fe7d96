//! Rows of tables, and borrowed fields of a line.

/// An impression as a row of borrowed texts; absent lists are empty, and flagged as absent.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "the columns of files, which the README lists")]
pub struct RowRef<'a> {
    pub impression: Option<&'a str>,
    /// Milliseconds since 1970.
    pub time: Option<i64>,
    pub user: Option<&'a str>,
    pub session: Option<&'a str>,
    pub agent: Option<&'a str>,
    pub pairs: Option<&'a str>,
    pub experiment: Option<&'a str>,
    pub version: Option<&'a str>,
    pub shown: Vec<&'a str>,
    pub has_shown: bool,
    pub mixed: Vec<&'a str>,
    pub has_mixed: bool,
    pub pinned: Vec<&'a str>,
    /// The number of places that the user saw.
    pub paged: Option<u64>,
    pub teams: Vec<Option<&'a str>>,
    pub has_teams: bool,
    pub rankers: Vec<&'a str>,
    pub has_rankers: bool,
    /// The bytes of a receipt.
    pub receipt: Option<&'a [u8]>,
    /// Its bytes in base64 or hexadecimal.
    pub receipt_text: Option<&'a str>,
}

impl RowRef<'_> {
    /// Makes it empty, and keeps its memory.
    pub(super) fn clear(&mut self) {
        let mut lists = [&mut self.shown, &mut self.rankers, &mut self.mixed, &mut self.pinned].map(std::mem::take);
        let mut teams = std::mem::take(&mut self.teams);
        lists.iter_mut().for_each(Vec::clear);
        teams.clear();
        let [shown, rankers, mixed, pinned] = lists;
        *self = Self { shown, teams, rankers, mixed, pinned, ..Self::default() };
    }
}
