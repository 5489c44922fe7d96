//! A generated table.

/// A table as lines of Markdown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// The header and the line below it.
    pub(super) heading: String,
    pub(super) rows: Vec<String>,
}

impl Table {
    /// A table of cells.
    pub(super) fn of(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | ")).replace("|  |", "| |")
        };
        let names: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
        Self {
            heading: format!("{}\n|{}", line(&names), "---|".repeat(header.len())),
            rows: rows.into_iter().map(|row| line(&row)).collect(),
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.heading.lines().chain(self.rows.iter().map(String::as_str))
    }
}
