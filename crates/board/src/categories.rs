//! A board for each category of judgements, and one for all of them in a mix.
//!
//! With C categories each board gets the C-th part of the probability of error, so that statements by category hold for all together. The
//! board of all weights each judgement so that categories have their shares of the mix, and holds by itself at the whole level.

use crate::board::{Board, Ranks};
use crate::settings::Settings;
use crate::text::names;
use crate::{BoardError, Judgement, Table};
use serde::Serialize;

/// The column that boards are split by.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The column of categories.
    pub column: String,
    /// As in [`Categories::mix`].
    pub mix: Vec<(String, f64)>,
}

/// The categories of judgements.
#[derive(Debug, Clone, PartialEq)]
pub struct Categories {
    /// The name of all categories together: the column.
    pub column: String,
    /// The categories, in the order in which the table names them first.
    pub names: Vec<String>,
    /// By judgement of the table: the place in [`Categories::names`].
    pub of: Vec<u32>,
    /// The share of each category in the board of all; they add up to 1. Empty for the shares of the table.
    pub mix: Vec<(String, f64)>,
}

/// One category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// The number of its judgements.
    pub judgements: usize,
    /// Its share of the mix, 0 to 1.
    pub share: f64,
    /// The board of its judgements, at the divided level.
    pub board: Board,
}

/// A competitor whose rank depends on the category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Dependent {
    /// The competitor.
    pub competitor: String,
    /// The categories in which it is better and worse, with its ranks there among those that both compare. These exclude each other.
    pub ranks: [(String, Ranks); 2],
    /// The number of competitors that both categories compare.
    pub compared: usize,
}

/// A board for each category, and one for all.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryBoards {
    /// The name of all categories together.
    pub column: String,
    /// Whether shares of the mix were given; otherwise they are those of the table.
    pub is_mix_given: bool,
    /// The board of all judgements in the mix.
    pub all: Board,
    /// The categories, in the order of the table.
    pub categories: Vec<Category>,
    /// Competitors with a rank that is known to depend on the category, in the order of the board of all.
    pub dependent: Vec<Dependent>,
    /// A sentence about the boards of the categories together.
    pub sentence: String,
}

/// More competitors are not listed in the sentence.
const NAMES: usize = 5;

impl CategoryBoards {
    /// The boards of a table.
    ///
    /// # Errors
    /// If there is not one category per judgement, or the mix does not have one share of 0 or more for each, or the board of a category or of all
    /// cannot be made ([`Board::new`]).
    pub fn new(table: &Table, categories: &Categories, settings: &Settings) -> Result<Self, BoardError> {
        let mix = &categories.mix;
        let count = categories.names.len();
        let (category_count, expected) = (categories.of.len(), table.judgements.len());
        if category_count != expected {
            return Err(BoardError::Mix(format!(
                "{category_count} judgements have a category; expected all {expected}"
            )));
        }
        let mut judgements = vec![0_usize; count];
        for category in &categories.of {
            let Some(count) = judgements.get_mut(*category as usize) else {
                return Err(BoardError::Mix(format!("there is no category {category} of {count}")));
            };
            *count += 1;
        }
        let of_table: Vec<f64> = judgements.iter().map(|count| *count as f64 / expected as f64).collect();
        let category_shares = if mix.is_empty() { of_table.clone() } else { category_shares(categories)? };
        let factors: Vec<f64> =
            category_shares.iter().zip(&of_table).map(|(share, of_table)| share / of_table).collect();
        let factor = |place: usize| if mix.is_empty() { 1.0 } else { factors[categories.of[place] as usize] };
        let (board_of_all, _) = Board::weighted(&with_categories_in_items(table, categories), settings, &factor)?;
        let divided = Settings { level: 1.0 - settings.alpha() / count as f64, ..settings.clone() };
        let (mut boards, mut proven) = (Vec::new(), Vec::new());
        for (category, name) in categories.names.iter().enumerate() {
            let category_table = table_of_category(table, &categories.of, category as u32);
            let (board, proven_wins) = Board::weighted(&category_table, &divided, &|_| 1.0)
                .map_err(|error| BoardError::Category { category: name.clone(), error: Box::new(error) })?;
            boards.push(Category {
                name: name.clone(),
                judgements: judgements[category],
                share: category_shares[category],
                board,
            });
            proven.push(proven_wins);
        }
        let mut by_number = rank_changes(table, &boards, &proven);
        let dependent: Vec<Dependent> =
            board_of_all.competitors.iter().filter_map(|one| by_number[one.number].take()).collect();
        let sentence = sentence(&categories.column, &boards, &dependent);
        let (column, is_mix_given) = (categories.column.clone(), !mix.is_empty());
        Ok(Self { column, is_mix_given, all: board_of_all, categories: boards, dependent, sentence })
    }
}

/// The shares of the mix, by category.
fn category_shares(categories: &Categories) -> Result<Vec<f64>, BoardError> {
    let mix = &categories.mix;
    let category_list = || categories.names.join(", ");
    if let Some((name, _)) = mix.iter().find(|(name, _)| !categories.names.contains(name)) {
        return Err(BoardError::Mix(format!("there is no category {name}; the table has {}", category_list())));
    }
    let share = |name: &String| {
        let mut entries_of_name = mix.iter().filter(|(other, _)| other == name);
        match (entries_of_name.next(), entries_of_name.next()) {
            (Some((_, share)), None) if (0.0..=1.0).contains(share) => Ok(*share),
            (Some((_, share)), None) => {
                Err(BoardError::Mix(format!("the share of {name} is {share}; expected a number from 0 to 1")))
            }
            (Some(_), Some(_)) => Err(BoardError::Mix(format!("{name} has two shares; give one"))),
            (None, _) => Err(BoardError::Mix(format!("{name} has no share; give one, 0 to leave it out"))),
        }
    };
    let checked_shares = categories.names.iter().map(share).collect::<Result<Vec<f64>, _>>()?;
    let sum: f64 = checked_shares.iter().sum();
    if (sum - 1.0).abs() > 1e-3 {
        return Err(BoardError::Mix(format!("the shares add up to {sum}; expected 1")));
    }
    Ok(checked_shares.into_iter().map(|share| share / sum).collect())
}

/// The table where an item in two categories is two items, so that units have one category each.
fn with_categories_in_items(table: &Table, categories: &Categories) -> Table {
    let mut pairs: Vec<(u32, u32)> = table
        .judgements
        .iter()
        .zip(&categories.of)
        .filter_map(|(row, category)| Some((row.item?, *category)))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let number = |item: u32, category: u32| pairs.partition_point(|pair| *pair < (item, category)) as u32;
    let renumbered = |(row, category): (&Judgement, &u32)| {
        let known_item = row.item.filter(|item| (*item as usize) < table.items.len());
        Judgement { item: known_item.map(|item| number(item, *category)).or(row.item), ..*row }
    };
    let name = |(item, _): &(u32, u32)| table.items.get(*item as usize).cloned().unwrap_or_default();
    Table {
        items: pairs.iter().map(name).collect(),
        judgements: table.judgements.iter().zip(&categories.of).map(renumbered).collect(),
        ..table.clone()
    }
}

/// The judgements of one category.
fn table_of_category(table: &Table, categories: &[u32], category: u32) -> Table {
    let is_in = |place: &usize| categories[*place] == category;
    let mut category_table = Table { judgements: Vec::new(), ..table.clone() };
    category_table.judgements =
        (0..table.judgements.len()).filter(is_in).map(|place| table.judgements[place]).collect();
    for (category_covariate, covariate) in category_table.covariates.iter_mut().zip(&table.covariates) {
        category_covariate.differences =
            (0..covariate.differences.len()).filter(is_in).map(|place| covariate.differences[place]).collect();
    }
    category_table
}

/// The ranks that known pairs allow the `common` competitors among each other, by their numbers in the table.
fn ranks(proven: &[(usize, usize)], common: &[bool]) -> Vec<Ranks> {
    let count = common.iter().filter(|is_common| **is_common).count();
    let mut ranks = vec![Ranks { best: 1, worst: count }; common.len()];
    for (stronger, weaker) in proven.iter().filter(|(stronger, weaker)| common[*stronger] && common[*weaker]) {
        ranks[*weaker].best += 1;
        ranks[*stronger].worst -= 1;
    }
    ranks
}

/// For each competitor, the two categories with its ranks furthest apart, if they exclude each other; by numbers in the table.
fn rank_changes(table: &Table, boards: &[Category], proven: &[Vec<(usize, usize)>]) -> Vec<Option<Dependent>> {
    let members = |category: &Category| {
        let mut is_member = vec![false; table.names.len()];
        let of_largest = category.board.competitors.iter().filter(|one| one.group == 0);
        of_largest.for_each(|one| is_member[one.number] = true);
        is_member
    };
    let members_of_boards: Vec<Vec<bool>> = boards.iter().map(members).collect();
    let mut widest: Vec<Option<(usize, Dependent)>> = vec![None; table.names.len()];
    for c in 0..boards.len() {
        for d in 0..c {
            let common: Vec<bool> =
                members_of_boards[c].iter().zip(&members_of_boards[d]).map(|(one, other)| *one && *other).collect();
            let compared = common.iter().filter(|is_common| **is_common).count();
            let of_both = [c, d].map(|category| (&boards[category].name, ranks(&proven[category], &common)));
            for number in (0..table.names.len()).filter(|number| common[*number]) {
                let mut names_and_ranks = of_both.each_ref().map(|(name, ranks)| ((*name).clone(), ranks[number]));
                names_and_ranks.sort_by_key(|(_, ranks)| ranks.best);
                let gap = names_and_ranks[1].1.best.saturating_sub(names_and_ranks[0].1.worst);
                if gap > widest[number].as_ref().map_or(0, |(most, _)| *most) {
                    let competitor = table.names[number].clone();
                    widest[number] = Some((gap, Dependent { competitor, ranks: names_and_ranks, compared }));
                }
            }
        }
    }
    widest.into_iter().map(|widest| widest.map(|(_, dependent)| dependent)).collect()
}

fn sentence(column: &str, boards: &[Category], dependent: &[Dependent]) -> String {
    if boards.len() == 1 {
        return format!("The table has one {column} alone: {}.", boards[0].name);
    }
    let range = |ranks: &Ranks| {
        if ranks.best == ranks.worst { ranks.best.to_string() } else { format!("{} to {}", ranks.best, ranks.worst) }
    };
    let dependent_names: Vec<String> = dependent
        .iter()
        .map(|one| {
            let [(better, high), (worse, low)] = &one.ranks;
            format!("{} ({} in {better}, {} in {worse}, of {})", one.competitor, range(high), range(low), one.compared)
        })
        .collect();
    if dependent_names.is_empty() {
        return format!("No rank is known to depend on {column}.");
    }
    format!("Ranks that depend on {column}: {}.", names(&dependent_names, NAMES))
}
