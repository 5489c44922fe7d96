//! The selection of pairs to compare, and the numbering of all pairs.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, ensure};
use letor_io::Names;

/// The number of pairs of `arms` arms.
#[must_use]
pub fn pair_count(arms: usize) -> usize {
    arms * arms.saturating_sub(1) / 2
}

/// All pairs (i, j) with i < j, ordered by i and then j.
#[must_use]
pub fn all_pairs(arms: usize) -> Vec<(u32, u32)> {
    (0..arms as u32).flat_map(|low| (low + 1..arms as u32).map(move |high| (low, high))).collect()
}

/// The index of (low, high), with low < high, in [`all_pairs`].
pub(super) fn pair_index(arms: usize, low: usize, high: usize) -> usize {
    // The rows before `low` hold arms - 1, arms - 2, ... pairs.
    low * (2 * arms - low - 1) / 2 + high - low - 1
}

/// A selection of pairs. Arms are 0-based.
///
/// ```
/// use simulation::proxy::PairSelection;
///
/// let pairs: PairSelection = "pairs:0-1,2-*".parse().map_err(anyhow::Error::msg)?;
/// assert_eq!(pairs.pair_indices(4)?, [0, 1, 3, 5]); // (0,1) (0,2) (1,2) (2,3)
/// # anyhow::Ok(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairSelection {
    /// Every pair.
    #[default]
    All,
    /// The pairs among these arms.
    Arms(Vec<u32>),
    /// These pairs; a missing second arm means all pairs of the first.
    Pairs(Vec<(u32, Option<u32>)>),
}

impl PairSelection {
    /// Reads arms such as `0,3,17` or `0-5,17`, or `bm25,ltr` where arms have `names`. A name precedes a number.
    ///
    /// # Errors
    /// One line with what is expected and what was found.
    pub fn parse_arms(text: &str, names: Option<&Names>) -> Result<Self, String> {
        let expected = |word: &str| format!("expected 0-based arms such as 0,3,17, found `{word}`");
        let arm_of = |word: String| {
            arm(&word, names).ok_or_else(|| names.map_or_else(|| expected(&word), |names| unknown_name(names, &word)))
        };
        let mut arms = Vec::new();
        for word in ranktypes::text::split_list(text).map_err(|_| expected(text))? {
            match Names::range(&word, names)? {
                Some(numbers) => arms.extend(numbers),
                None => arms.push(arm_of(word)?),
            }
        }
        Ok(Self::Arms(arms))
    }

    /// Reads pairs such as `0-3,5-17,109-*`, where `109-*` means all pairs of arm 109, or `bm25-ltr` where arms have
    /// `names`. Names may contain dashes.
    ///
    /// # Errors
    /// One line with what is expected and what was found.
    pub fn parse_pairs(text: &str, names: Option<&Names>) -> Result<Self, String> {
        let expected = |word: &str| format!("expected pairs of 0-based arms such as 0-3,109-*, found `{word}`");
        let pair_of = |word: String| {
            let splits = || word.match_indices('-').map(|(dash, _)| (word[..dash].trim(), word[dash + 1..].trim()));
            let mut matches = splits().filter_map(|(first, second)| {
                let second = if second == "*" { None } else { Some(arm(second, names)?) };
                Some((arm(first, names)?, second))
            });
            match (matches.next(), matches.next(), names) {
                (Some(pair), None, _) => Ok(pair),
                (Some(_), Some(_), _) => Err(format!("`{word}` names several pairs; write it with numbers")),
                (None, _, Some(names)) => {
                    let wrong = splits().find_map(|(first, second)| match (arm(first, Some(names)), second) {
                        (Some(_), second) => Some(second),
                        (None, second) => (second == "*" || arm(second, Some(names)).is_some()).then_some(first),
                    });
                    Err(wrong.map_or_else(|| expected(&word), |wrong| unknown_name(names, wrong)))
                }
                (None, ..) => Err(expected(&word)),
            }
        };
        let items = ranktypes::text::split_list(text).map_err(|_| expected(text))?;
        Ok(Self::Pairs(items.into_iter().map(pair_of).collect::<Result<_, _>>()?))
    }

    /// The indices of the selected pairs in [`all_pairs`] of `arms` arms, ascending and without duplicates.
    ///
    /// # Errors
    /// If an arm does not exist or is paired with itself, or the selection contains no pair.
    pub fn pair_indices(&self, arms: usize) -> Result<Vec<u32>> {
        let checked_arm = |arm: u32| -> Result<usize> {
            ensure!((arm as usize) < arms, "arm {arm} is out of range: there are {arms} rankers, numbered from 0");
            Ok(arm as usize)
        };
        let mut pairs = Vec::new();
        let mut add = |a: usize, b: usize| pairs.push(pair_index(arms, a.min(b), a.max(b)) as u32);
        match self {
            Self::All => return Ok((0..pair_count(arms) as u32).collect()),
            Self::Arms(chosen) => {
                let chosen = chosen.iter().map(|&arm| checked_arm(arm)).collect::<Result<Vec<usize>>>()?;
                for (index, &a) in chosen.iter().enumerate() {
                    chosen[..index].iter().filter(|&&b| b != a).for_each(|&b| add(a, b));
                }
            }
            Self::Pairs(pairs) => {
                for &(first, second) in pairs {
                    let a = checked_arm(first)?;
                    match second {
                        Some(second) => {
                            ensure!(first != second, "pair {first}-{second}: an arm cannot be compared with itself");
                            add(a, checked_arm(second)?);
                        }
                        None => (0..arms).filter(|&b| b != a).for_each(|b| add(a, b)),
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        ensure!(!pairs.is_empty(), "{self} contains no pair; give at least two arms");
        Ok(pairs)
    }
}

/// The arm called `word`, or of that number.
fn arm(word: &str, names: Option<&Names>) -> Option<u32> {
    let named_arm = names.and_then(|names| names.find(word)).map(|arm| arm as u32);
    named_arm.or_else(|| word.trim().parse().ok())
}

fn unknown_name(names: &Names, word: &str) -> String {
    names.look_up(word).err().unwrap_or_default()
}

impl fmt::Display for PairSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => write!(f, "all"),
            Self::Arms(arms) => {
                write!(f, "arms:{}", arms.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
            }
            Self::Pairs(pairs) => {
                let pair = |(first, second): &(u32, Option<u32>)| {
                    format!("{first}-{}", second.map_or_else(|| "*".to_owned(), |second| second.to_string()))
                };
                write!(f, "pairs:{}", pairs.iter().map(pair).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl FromStr for PairSelection {
    type Err = String;

    /// Reads the form of `Display`: `all`, `arms:0,3,17` or `pairs:0-3,109-*`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "all" => Ok(Self::All),
            Some(("arms", arms)) => Self::parse_arms(arms, None),
            Some(("pairs", pairs)) => Self::parse_pairs(pairs, None),
            _ => Err(format!("expected all, arms:0,3,17 or pairs:0-3,109-*, found `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_number_all_pairs() {
        for arms in 0..7 {
            for (index, (low, high)) in all_pairs(arms).into_iter().enumerate() {
                assert_eq!(pair_index(arms, low as usize, high as usize), index);
            }
            assert_eq!(all_pairs(arms).len(), pair_count(arms));
        }
    }

    #[test]
    fn selections_are_sorted_and_hold_each_pair_once() {
        let places =
            |text: &str| text.parse::<PairSelection>().map_err(anyhow::Error::msg).and_then(|c| c.pair_indices(4));
        // (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
        assert_eq!(places("all").unwrap(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(places("arms:3,0,1,0").unwrap(), [0, 2, 4]);
        assert_eq!(places("pairs:3-1,1-3,0-1").unwrap(), [0, 4]);
        assert_eq!(places("pairs:2-*").unwrap(), [1, 3, 5]);
        for (text, part) in [
            ("arms:1", "contains no pair"),
            ("arms:1,4", "out of range"),
            ("pairs:1-1", "itself"),
            ("pairs:0-9", "out of range"),
            ("pairs:0", "found `0`"),
            ("pairs:0-x", "found `0-x`"),
            ("arms:", "found ``"),
            ("some", "found `some`"),
        ] {
            let error = places(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["all", "arms:0,3", "pairs:0-3,1-*"] {
            assert_eq!(text.parse::<PairSelection>().unwrap().to_string(), text);
        }
    }
    #[test]
    fn arms_are_selected_by_name() {
        let names = Names::new(["bm25", "ltr-a", "a", "ltr", "1"]).unwrap();
        let arms = |text| PairSelection::parse_arms(text, Some(&names)).map(|pairs| pairs.to_string());
        assert_eq!(arms("ltr-a,1,3"), Ok("arms:1,4,3".to_owned()), "arm 4 is called 1");
        assert_eq!(arms("bm52").unwrap_err(), "nothing is called `bm52`; did you mean `bm25`?");
        let pairs = |text| PairSelection::parse_pairs(text, Some(&names)).map(|pairs| pairs.to_string());
        assert_eq!(pairs("bm25-ltr-a,ltr-a-*,0-3").unwrap(), "pairs:0-1,1-*,0-3");
        assert_eq!(pairs("ltr-a-a").unwrap(), "pairs:1-2");
        assert_eq!(pairs("bm25-lrt").unwrap_err(), "nothing is called `lrt`; did you mean `ltr`?");
        assert_eq!(pairs("bm52-*").unwrap_err(), "nothing is called `bm52`; did you mean `bm25`?");
        assert!(pairs("bm25").unwrap_err().contains("expected pairs"));
        let twice = Names::new(["a-b", "c", "a", "b-c"]).unwrap();
        let error = PairSelection::parse_pairs("a-b-c", Some(&twice)).unwrap_err();
        assert_eq!(error, "`a-b-c` names several pairs; write it with numbers");
    }
}
