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
    pub fn rising(numbers: impl IntoIterator<Item = u64>, mut share_by: impl FnMut(u64) -> f64) -> Vec<Self> {
        let mut chances: Vec<Self> = Vec::new();
        for more in numbers {
            let share = chances.last().map_or(0.0, |last| last.share).max(share_by(more));
            if share < 0.1 {
                chances.clear();
            }
            chances.push(Self { more, share });
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
        let place = chances.iter().position(|chance| chance.share >= share)?;
        let after = chances[place];
        let Some(before) = place.checked_sub(1).map(|place| chances[place]) else { return Some(after.more) };
        let part = (share - before.share) / (after.share - before.share);
        let more = before.more as f64 * libm::pow(after.more as f64 / before.more as f64, part);
        // One digit, two where the first is 1: more are not known.
        let unit = libm::pow(10.0, libm::floor(libm::log10(more / 2.0)));
        Some(((more / unit).round() * unit) as u64)
    };
    let even = with_separators(reaching(0.5)?);
    Some(match reaching(0.8).map(with_separators) {
        Some(sure) if sure == even => format!("About {even} more give a chance of 80%."),
        Some(sure) => format!("About {even} more give an even chance, {sure} give 80%."),
        None => format!("About {even} more give an even chance."),
    })
}

/// `300 more: 30%; 1,000: 60%; perhaps never: 15%`.
#[must_use]
pub fn listed(chances: &[Chance], later: f64) -> String {
    let one = |(place, chance): (usize, &Chance)| {
        let more = if place == 0 { " more" } else { "" };
        format!("{}{more}: {}", with_separators(chance.more), percent(chance.share))
    };
    let mut parts: Vec<String> = chances.iter().enumerate().map(one).collect();
    if later >= 0.005 {
        parts.push(format!("later, or perhaps never: {}", percent(later)));
    }
    parts.join("; ")
}

/// The same with the milestones.
pub(super) fn listed_with_milestones(chances: &[Chance], later: f64) -> String {
    let listed = format!("{}.", listed(chances, later));
    milestones(chances).map_or_else(|| listed.clone(), |said| format!("{listed} {said}"))
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
        assert_eq!(listed(&all, 0.15), "300 more: 30%; 1,000: 60%; 10,000: 85%; later, or perhaps never: 15%");
        assert_eq!(listed(&all[..1], 0.0), "300 more: 30%");
    }
}
