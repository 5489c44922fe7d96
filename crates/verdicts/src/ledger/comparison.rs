//! What an impression compared.

use statistics::Preference;

use crate::amounts::SideClicks;

/// The outcome of an impression, by the places of the rankers among those that met.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Outcome {
    /// Nothing was compared.
    Nothing,
    /// The preference between two.
    Pair(Preference),
    /// A score for each.
    Scores(Vec<u64>),
    /// Pair by pair: the first against the second, the third and so on, then the second against the third.
    Pairs(Vec<Preference>),
}

impl Outcome {
    /// The outcome between the rankers at places `i < j` of those that met.
    #[must_use]
    pub fn preference(&self, i: usize, j: usize, arms: usize) -> Preference {
        match self {
            Self::Nothing => Preference::Tie,
            Self::Pair(preference) => *preference,
            Self::Scores(scores) => Preference::of(scores.get(i).cmp(&scores.get(j))),
            Self::Pairs(preferences) => {
                // Rows of the first ranker, of the second and so on, each one shorter than the one before.
                let at = i * (2 * arms - i - 1) / 2 + (j - i - 1);
                preferences.get(at).copied().unwrap_or(Preference::Tie)
            }
        }
    }
}

/// Two rankers, the lower number first.
pub type Pair = (u32, u32);

/// The rankers that met in an impression, and the outcome.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub enum Comparison {
    /// Two rankers: 1 if the first won, -1 if the second did, and clicks on the documents of each, if their owners are known.
    Pair(Pair, i8, Option<SideClicks>),
    /// More, with the clicks on the documents of each likewise. A hundred rankers make thousands of pairs, so these are made when they
    /// are counted.
    Set(Box<[u32]>, Outcome, Option<Box<[u16]>>),
}

impl Comparison {
    /// From the rankers that met, by the places of the outcome; `None` if nothing was compared. `clicks` has the clicks on the
    /// documents of each, each document once, if the method has owners.
    #[must_use]
    pub fn of(arms: &[u32], outcome: &Outcome, clicks: Option<&[u16]>) -> Option<Self> {
        if *outcome == Outcome::Nothing {
            return None;
        }
        let comparison = Self::Set(arms.into(), outcome.clone(), clicks.map(Box::from));
        let mut only = None;
        if arms.len() == 2 {
            comparison.for_each_pair(|pair, net, clicks| only = Some(Self::Pair(pair, net, clicks)));
        }
        Some(only.unwrap_or(comparison))
    }

    /// The rankers that met.
    pub(super) fn arms(&self) -> Vec<u32> {
        match self {
            Self::Pair((first, second), ..) => vec![*first, *second],
            Self::Set(arms, ..) => arms.to_vec(),
        }
    }

    /// Each pair, 1 if its first won, -1 if its second did, and the clicks of both; in an order that depends on the rankers alone.
    pub(super) fn for_each_pair(&self, mut each: impl FnMut(Pair, i8, Option<SideClicks>)) {
        match self {
            Self::Pair(pair, net, clicks) => each(*pair, *net, *clicks),
            Self::Set(arms, outcome, clicks) => {
                let of = |place: usize| clicks.as_ref().and_then(|clicks| clicks.get(place).copied());
                for i in 0..arms.len() {
                    for j in i + 1..arms.len() {
                        let net = match outcome.preference(i, j, arms.len()) {
                            Preference::First => 1,
                            Preference::Second => -1,
                            Preference::Tie => 0,
                        };
                        let clicks = of(i).zip(of(j)).map(|(first, second)| SideClicks([first, second]));
                        if arms[i] < arms[j] {
                            each((arms[i], arms[j]), net, clicks);
                        } else {
                            each((arms[j], arms[i]), -net, clicks.map(SideClicks::swapped));
                        }
                    }
                }
            }
        }
    }
}
