//! Boards by category beside the one of all.

use board::{Board, Category, CategoryBoards, Dependent, percent};
use serde_json::{Value, json};

/// The part of a report on categories.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryReport {
    /// The name of the column of categories.
    pub column: String,
    /// Whether the mix was given, or is that of the table.
    pub is_mix_given: bool,
    /// The categories with their boards.
    pub categories: Vec<Category>,
    /// The competitors with a rank that is known to depend on the category.
    pub dependent: Vec<Dependent>,
    /// The same in words.
    pub sentence: String,
}

impl CategoryReport {
    /// The board of all, and the rest.
    pub(super) fn of(boards: CategoryBoards) -> (Board, Self) {
        let CategoryBoards { column, is_mix_given, all, categories, dependent, sentence } = boards;
        (all, Self { column, is_mix_given, categories, dependent, sentence })
    }

    /// The mix of categories in the board of all.
    pub(super) fn mix(&self) -> String {
        let shares: Vec<String> =
            self.categories.iter().map(|one| format!("{} {}", one.name, percent(one.share))).collect();
        let origin = if self.is_mix_given { "as asked for" } else { "as in the table" };
        format!("All, mixed {origin} ({})", shares.join(", "))
    }

    /// The sentences below that of all: what depends on the category, then one for each.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.sentence.clone()];
        for category in &self.categories {
            let own_sentences: Vec<String> = std::iter::once(category.board.sentence.clone())
                .chain(category.board.findings.iter().map(|found| found.sentence.clone()))
                .chain(category.board.too_few.iter().cloned())
                .collect();
            sentences.push(format!("{} {}: {}", self.column, category.name, own_sentences.join(" ")));
        }
        sentences
    }

    /// What the levels of the boards mean.
    pub(super) fn assumption(&self, level: f64) -> String {
        let count = self.categories.len();
        format!(
            "Boards of the {count} categories are made with {} each, so that all of them together hold with {}; the board of all judgements holds \
             with {} by itself",
            percent(self.categories.first().map_or(level, |one| one.board.level)),
            percent(level),
            percent(level)
        )
    }

    pub(super) fn json(&self) -> serde_json::Result<Value> {
        Ok(json!({
            "column": self.column,
            "mix_given": self.is_mix_given,
            "sentence": self.sentence,
            "dependent": serde_json::to_value(&self.dependent)?,
            "categories": serde_json::to_value(&self.categories)?,
        }))
    }
}
