//! The fit as a preference matrix, on which bandits can be played.

use crate::Board;

/// Probabilities under a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Preferences {
    /// The competitors, best first.
    pub names: Vec<String>,
    /// Row by row, the probability that the competitor of the row beats that of the column, plus half of the probability of a
    /// tie; without the effect of the order shown.
    pub values: Vec<f64>,
}

impl Board {
    /// The probabilities that follow from the strengths and from how often judges see a tie; `None` if judgements do not connect
    /// all competitors, or names cannot be distinguished from the order shown.
    ///
    /// A fit of sparse judgements is not the truth: strengths are spread more widely than those that they estimate.
    #[must_use]
    pub fn preferences(&self) -> Option<Preferences> {
        let [group] = &self.groups[..] else { return None };
        if group.order_and_names {
            return None;
        }
        let probability = |difference: f64| group.ties.model().preference(difference, group.tie);
        let strengths: Vec<f64> = self.competitors.iter().map(|competitor| competitor.strength).collect();
        let row = |strength: &f64| strengths.iter().map(|other| probability(strength - other)).collect::<Vec<_>>();
        Some(Preferences {
            names: self.competitors.iter().map(|competitor| competitor.name.clone()).collect(),
            values: strengths.iter().flat_map(row).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, read};

    #[test]
    fn a_pair_is_as_often_won_and_tied_as_it_was() {
        // 6 wins, 2 losses and 4 ties in both orders: the fit of a single pair is exact.
        let mut text = "first,second,winner\n".to_owned();
        for (winner, count) in [("a", 3), ("b", 1), ("tie", 2)] {
            (0..count).for_each(|_| text += &format!("a,b,{winner}\nb,a,{winner}\n"));
        }
        let board = |text: &str| {
            let table = read::from_bytes(text.as_bytes(), &read::Options::default()).expect("a table").table;
            Board::new(&table, &Settings { advice: false, ..Settings::default() }).expect("a board")
        };
        let found = board(&text).preferences().expect("one group");
        assert_eq!(found.names, ["a", "b"]);
        let expected = [0.5, 8.0 / 12.0, 4.0 / 12.0, 0.5];
        assert!(
            found.values.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6),
            "{found:?}"
        );
        assert_eq!(board(&format!("{text}c,d,c\nd,c,d\nc,d,d\nd,c,c\n")).preferences(), None);
    }
}
