//! The click models as rows, from which tables in documentation are written and checked.

/// One row: how a click model is written, what it is, its settings with their defaults, and its papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelRow {
    /// The text forms, in Markdown.
    pub name: &'static str,
    /// The model's name in the literature.
    pub model: &'static str,
    /// The settings with their defaults, in Markdown.
    pub settings: &'static str,
    /// Citation and DOI.
    pub papers: &'static [(&'static str, &'static str)],
}

impl ModelRow {
    /// The heading of a table of these rows.
    pub const HEADING: &'static str = "| name | model | settings | paper |\n|---|---|---|---|";

    /// The row in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let papers = self.papers.iter().map(|(paper, doi)| format!("[{paper}](https://doi.org/{doi})"));
        let papers = papers.collect::<Vec<_>>().join(", ");
        format!("| {} | {} | {} | {papers} |", self.name, self.model, self.settings)
    }
}

/// Every click model.
pub const CLICK_MODELS: [ModelRow; 4] = [
    ModelRow {
        name: "`navigational`, another preset, or `0:0.05,1:0.95`",
        model: "dependent click model",
        settings: "P(click) by grade; P(stop after a click) as ` stop 0:0.2,1:0.9` (never by default)",
        papers: &[("Guo 2009", "10.1145/1498759.1498818"), ("Hofmann 2013", "10.1145/2433396.2433419")],
    },
    ModelRow {
        name: "`pbm:navigational`, `pbm:0:0.05,1:0.95`",
        model: "position-based model",
        settings: "P(click) of an examined document by grade, of a preset or given; `eta=1`: P(examined) is \
                   1 / rank^eta; `length`, all by default: positions examined",
        papers: &[("Richardson 2007", "10.1145/1242572.1242643")],
    },
    ModelRow {
        name: "`dbn:navigational`, `dbn:0:0.05,1:0.95 stop 0:0.2,1:0.9`",
        model: "dynamic Bayesian network model",
        settings: "P(click) and, after a click, P(satisfied) by grade, of a preset or given; `gamma=0.9`: the \
                   probability that a user who is not satisfied examines the next document",
        papers: &[("Chapelle 2009", "10.1145/1526709.1526711")],
    },
    ModelRow {
        name: "`ubm:navigational`, `ubm:0:0.05,1:0.95`",
        model: "user browsing model",
        settings: "P(click) of an examined document by grade, of a preset or given; `eta=1`: P(examined) is \
                   1 / d^eta at distance d from the last click, or from the top; `length`, all by default: positions \
                   examined",
        papers: &[("Dupret 2008", "10.1145/1390334.1390392")],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The front page and the README show these rows.
    #[test]
    fn tables_have_every_row() {
        for row in CLICK_MODELS {
            let row = row.markdown();
            assert!(include_str!("lib.rs").contains(&format!("//! {row}\n")), "{row}");
            assert!(include_str!("../README.md").contains(&format!("\n{row}\n")), "{row}");
        }
    }
}
