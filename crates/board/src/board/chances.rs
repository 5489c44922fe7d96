//! The chance that the best is known after more judgements, and its words.

use crate::text::percent;
use ranktypes::text::with_separators;
use serde::Serialize;

/// The chance that the best is known by then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Chance {
    /// After this many more judgements.
    pub more: u64,
    /// The probability that the best is named by then, 0 to 1.
    pub share: f64,
}

impl Chance {
    /// The chances at these numbers of judgements, which rise: from the last with under 10% to the first with 95% or more. `share_by` is
    /// called only for numbers that are needed; a chance once reached does not fall, because further judgements are optional.
    pub fn rising_chances(numbers: impl IntoIterator<Item = u64>, mut share_by: impl FnMut(u64) -> f64) -> Vec<Self> {
        let mut chances: Vec<Self> = Vec::new();
        for further in numbers {
            let share = chances.last().map_or(0.0, |last| last.share).max(share_by(further));
            if share < 0.1 {
                chances.clear();
            }
            chances.push(Self { more: further, share });
            if share >= 0.95 {
                break;
            }
        }
        chances
    }
}

/// `About 600 more give an even chance, 2,000 give 80%.` Between two computed numbers, chances rise with the logarithm. `None` if none of
/// these chances is reached.
pub(super) fn milestones(chances: &[Chance]) -> Option<String> {
    let reaching = |share: f64| {
        let index = chances.iter().position(|chance| chance.share >= share)?;
        let upper = chances[index];
        let Some(lower) = index.checked_sub(1).map(|index| chances[index]) else { return Some(upper.more) };
        let fraction = (share - lower.share) / (upper.share - lower.share);
        let judgements = lower.more as f64 * libm::pow(upper.more as f64 / lower.more as f64, fraction);
        // One digit, two where the first is 1: more are not known.
        let unit = libm::pow(10.0, libm::floor(libm::log10(judgements / 2.0)));
        Some(((judgements / unit).round() * unit) as u64)
    };
    let even_chance = with_separators(reaching(0.5)?);
    Some(match reaching(0.8).map(with_separators) {
        Some(likely) if likely == even_chance => format!("About {even_chance} more give a chance of 80%."),
        Some(likely) => format!("About {even_chance} more give an even chance, {likely} give 80%."),
        None => format!("About {even_chance} more give an even chance."),
    })
}

/// `300 more: 30%; 1,000: 60%; perhaps never: 15%`.
#[must_use]
pub fn chance_list(chances: &[Chance], later: f64) -> String {
    let chance_text = |(index, chance): (usize, &Chance)| {
        let unit = if index == 0 { " more" } else { "" };
        format!("{}{unit}: {}", with_separators(chance.more), percent(chance.share))
    };
    let mut texts: Vec<String> = chances.iter().enumerate().map(chance_text).collect();
    if later >= 0.005 {
        texts.push(format!("later, or perhaps never: {}", percent(later)));
    }
    texts.join("; ")
}

/// The same with the milestones.
pub(super) fn chance_list_with_milestones(chances: &[Chance], later: f64) -> String {
    let list = format!("{}.", chance_list(chances, later));
    milestones(chances).map_or_else(|| list.clone(), |said| format!("{list} {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milestones_lie_between_the_numbers_that_were_tried() {
        let chances =
            |all: &[(u64, f64)]| -> Vec<Chance> { all.iter().map(|&(more, share)| Chance { more, share }).collect() };
        let said = |all: &[(u64, f64)]| milestones(&chances(all)).unwrap_or_default();
        // Half of the way from 100 to 1,000 by the logarithm is 316.
        assert_eq!(
            said(&[(100, 0.4), (1_000, 0.6), (10_000, 0.8)]),
            "About 300 more give an even chance, 10,000 give 80%."
        );
        assert_eq!(said(&[(10, 0.9)]), "About 10 more give a chance of 80%.");
        assert_eq!(said(&[(100, 0.4), (1_000, 0.6)]), "About 300 more give an even chance.");
        assert_eq!(said(&[(100, 0.1), (1_000, 0.3)]), "");
    }

    #[test]
    fn chances_are_listed_with_what_is_left() {
        let all = [(300, 0.3), (1_000, 0.6), (10_000, 0.85)].map(|(more, share)| Chance { more, share });
        assert_eq!(chance_list(&all, 0.15), "300 more: 30%; 1,000: 60%; 10,000: 85%; later, or perhaps never: 15%");
        assert_eq!(chance_list(&all[..1], 0.0), "300 more: 30%");
    }
}
