//! The tasks of entries: six tracks, and what each measures. `session` plays a session, `score` sums up the numbers.
//!
//! | track | in | is |
//! |---|---|---|
//! | a | `regret` | regret after 100,000 steps |
//! | b | `budgets` | the best arm after a few answers |
//! | c | `budgets` | the order of all arms after a few answers |
//! | d | `winner` | how often a stated winner is wrong |
//! | e | `interleaving` | impressions until the right ranker leads |
//! | f | `regret` | regret with outcomes that come late |

mod budgets;
pub(crate) mod interleaving;
mod regret;
mod winner;

use crate::definition::Definition;
use crate::entry::{Entry, Foul};
use crate::problems::Problem;
use crate::track::{Measure, Summary, Track, Values};

/// What a track measures, in the order of values.
pub(crate) fn measures(track: Track, definition: &Definition) -> Vec<Measure> {
    match track {
        Track::Regret | Track::Late => regret::measures(),
        Track::Best => budgets::measures_of_best(definition),
        Track::Order => budgets::measures_of_order(definition),
        Track::Winner => winner::measures(),
        Track::Interleaving => interleaving::measures(),
    }
}

/// What is played in one run.
pub(crate) struct Game<'a> {
    pub(crate) definition: &'a Definition,
    pub(crate) key: &'a str,
    pub(crate) problem: &'a Problem,
    pub(crate) entry: &'a Entry,
    pub(crate) run: u64,
    pub(crate) track: Track,
}

/// Plays what belongs to one run.
///
/// # Errors
/// If the entry does not play such a problem, or breaks a rule.
pub(crate) fn play(game: &Game<'_>) -> Result<Values, Foul> {
    match game.track {
        Track::Regret | Track::Late => regret::play(game),
        Track::Best => budgets::play_best(game),
        Track::Order => budgets::play_order(game),
        Track::Winner => winner::play(game),
        Track::Interleaving => Err(Foul::DoesNotPlay("it chooses pairs of arms, and mixes no lists".to_owned())),
    }
}

/// A value as it is stored: to six decimals, so that files are small and the same on every machine.
fn stored(value: f64) -> f64 {
    libm::round(value * 1e6) / 1e6
}
