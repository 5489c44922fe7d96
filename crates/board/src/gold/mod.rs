//! A model beside people: people judged some questions, and the model's verdicts on all questions make the estimates of
//! their strengths more precise.
//!
//! | in | is |
//! |---|---|
//! | this file | the judgements of people (*gold*) and of the model, apart |
//! | `agreement` | how well the model agrees with people, and the competitors that it favours |
//! | `sample` | whether people's questions can be a random sample of all |
//! | `report` | all that in numbers and words |

mod agreement;
mod report;
mod sample;

pub use agreement::{Agreement, Favour};
pub(crate) use report::Audit;
pub use report::ModelReport;

use crate::{BoardError, Judgement, Table};
use std::collections::BTreeMap;

/// Judgements of people and of a model on the same items. Names and items are the same in both tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Gold {
    /// The judgements of people, taken as true.
    pub people: Table,
    /// The judgements of the model.
    pub model: Table,
}

impl Gold {
    /// The judgements of a table apart: those of the judges named are people's, all others are the model's.
    ///
    /// # Errors
    /// If the table names no judges or items, a judge is not there, no judge is left for the model, or a row names no judge.
    pub fn split(table: &Table, people: &[String]) -> Result<Self, BoardError> {
        if table.judges.is_empty() {
            return Err(BoardError::Gold(
                "the table has no column `judge`, so people and the model cannot be distinguished".to_owned(),
            ));
        }
        if let Some(unknown_judge) = people.iter().find(|name| !table.judges.contains(name)) {
            let judges = crate::text::names(&table.judges, 8);
            return Err(BoardError::Gold(format!(
                "no judge of the table is called {unknown_judge:?}; its judges are {judges}"
            )));
        }
        if let Some(row) = table.judgements.iter().find(|row| row.judge.is_none()) {
            return Err(BoardError::Gold(format!(
                "row {} names no judge, so it is neither people's nor the model's",
                row.row
            )));
        }
        let is_gold: Vec<bool> = table.judges.iter().map(|judge| people.contains(judge)).collect();
        let judgements_of = |gold: bool| {
            let is_own = |row: &&Judgement| row.judge.is_some_and(|judge| is_gold[judge as usize] == gold);
            let mut side =
                Table { judgements: table.judgements.iter().filter(is_own).copied().collect(), ..table.clone() };
            drop_absent_judges(&mut side);
            side
        };
        Self { people: judgements_of(true), model: judgements_of(false) }.checked()
    }

    /// From two tables: all judgements of the first are people's, those of the second the model's. A table of the model without judges has one,
    /// `the model`.
    ///
    /// # Errors
    /// If a table names no items, or one of them no judgement.
    pub fn of_tables(people: Table, model: Table) -> Result<Self, BoardError> {
        let mut people = people;
        let mut model = model;
        if model.judges.is_empty() {
            model.judges.push("the model".to_owned());
            model.judgements.iter_mut().for_each(|row| row.judge = Some(0));
        }
        let mut unite = |field: fn(&mut Table) -> &mut Vec<String>| {
            let mut judges = field(&mut model).clone();
            let mut numbers: BTreeMap<String, u32> = judges.iter().cloned().zip(0..).collect();
            let new_numbers: Vec<u32> = field(&mut people)
                .iter()
                .map(|name| {
                    *numbers.entry(name.clone()).or_insert_with(|| {
                        judges.push(name.clone());
                        judges.len() as u32 - 1
                    })
                })
                .collect();
            field(&mut people).clone_from(&judges);
            *field(&mut model) = judges;
            new_numbers
        };
        let (names, items) = (unite(|table| &mut table.names), unite(|table| &mut table.items));
        for row in &mut people.judgements {
            (row.first, row.second) = (names[row.first as usize], names[row.second as usize]);
            row.item = row.item.map(|item| items[item as usize]);
        }
        Self { people, model }.checked()
    }

    fn checked(mut self) -> Result<Self, BoardError> {
        for (table, whose) in [(&self.people, "people's"), (&self.model, "the model's")] {
            if table.judgements.is_empty() {
                return Err(BoardError::Gold(format!(
                    "there are no judgements but {}",
                    if whose == "people's" { "the model's" } else { "people's" }
                )));
            }
            if let Some(judgement) = table.judgements.iter().find(|judgement| judgement.item.is_none()) {
                return Err(BoardError::Gold(format!(
                    "row {} of {whose} judgements names no item; people and the model must have judged the same items",
                    judgement.row
                )));
            }
        }
        if let Some(judgement) = self.model.judgements.iter().find(|judgement| judgement.weight != 1.0) {
            return Err(BoardError::Gold(format!(
                "row {} of the model has weight {}; only people's rows may have weights: 1 over the probability with which their question \
                 was chosen",
                judgement.row, judgement.weight
            )));
        }
        // Scaled, weights sum to the number of judgements of equal weight with the same information.
        let sums =
            |power: i32| self.people.judgements.iter().map(|judgement| judgement.weight.powi(power)).sum::<f64>();
        let scale = sums(1) / sums(2);
        if self.is_weighted() {
            self.people.judgements.iter_mut().for_each(|judgement| judgement.weight *= scale);
        }
        Ok(self)
    }

    /// Whether people's questions were chosen with unequal probabilities.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        let first_weight = self.people.judgements.first().map_or(1.0, |row| row.weight);
        self.people.judgements.iter().any(|row| row.weight != first_weight)
    }
}

/// Leaves out judges without a judgement.
fn drop_absent_judges(table: &mut Table) {
    let mut is_present = vec![false; table.judges.len()];
    table.judgements.iter().filter_map(|row| row.judge).for_each(|judge| is_present[judge as usize] = true);
    let mut number = vec![0; is_present.len()];
    let mut judges = Vec::new();
    for (judge_index, judge) in table.judges.iter().enumerate().filter(|(judge_index, _)| is_present[*judge_index]) {
        number[judge_index] = judges.len() as u32;
        judges.push(judge.clone());
    }
    table.judges = judges;
    for row in &mut table.judgements {
        row.judge = row.judge.map(|judge| number[judge as usize]);
    }
}
