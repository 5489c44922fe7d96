//! (d): an entry states at an error of 5% which arm beats every other one, at any of 1,000 looks. How often is that wrong?
//!
//! A session ends with the first statement. Where no arm beats every other one, every statement is wrong.

use super::{Game, Measure, Summary, Values};
use crate::entry::Foul;
use crate::problems::BestNotion;
use crate::session::{Setup, play as play_session};

pub(super) fn measures() -> Vec<Measure> {
    let measure_named = |name: &str, unit: &str| Measure {
        name: name.to_owned(),
        unit: unit.to_owned(),
        more_is_better: false,
        summary: Summary::Mean,
    };
    vec![
        measure_named("wrong winners", "of the runs state one"),
        measure_named("open", "of the runs with a winner to be found state none"),
    ]
}

pub(super) fn play(game: &Game<'_>) -> Result<Values, Foul> {
    let Game { definition, key, problem, entry, run, track } = *game;
    let horizon = definition.winner_horizon;
    let look_every = horizon / definition.looks;
    let setup = Setup { key, problem, task: track, horizon, run, look_every, timing: None };
    let session = play_session(entry, &setup)?;
    let truth = problem.truth(BestNotion::Condorcet);
    let share = |is: bool| Some(f64::from(u8::from(is)));
    let is_wrong = session.stated.is_some_and(|(arm, _)| truth.is_none_or(|truth| !truth.is_best(arm)));
    Ok(vec![share(is_wrong), truth.and_then(|_| share(session.stated.is_none()))])
}
