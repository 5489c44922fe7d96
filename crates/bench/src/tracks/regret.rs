//! (a) and (f): what the search costs, as a share of what arms drawn at random cost, so that problems can be compared.
//!
//! A problem with a Condorcet winner counts by it, one without by Copeland scores; each counts by Borda scores, too.

use super::{Game, Measure, Summary, Track, Values, stored};
use crate::entry::Foul;
use crate::problems::BestNotion;
use crate::session::{Setup, play as play_session};

pub(super) fn measures() -> Vec<Measure> {
    let measure_of = |best: BestNotion| Measure {
        name: format!("{best} regret"),
        unit: "of the regret of arms drawn at random".to_owned(),
        more_is_better: false,
        summary: Summary::Mean,
    };
    BestNotion::ALL.map(measure_of).to_vec()
}

pub(super) fn play(game: &Game<'_>) -> Result<Values, Foul> {
    let Game { definition, key, problem, entry, run, track } = *game;
    let timing = (track == Track::Late).then_some(&definition.timing);
    let setup = Setup { key, problem, task: track, horizon: definition.horizon, run, look_every: 0, timing };
    let session = play_session(entry, &setup)?;
    let share = |best: BestNotion| {
        let (regret, at_random) = (session.regret[best as usize]?, session.regret_at_random[best as usize]?);
        Some(stored(regret / at_random))
    };
    let condorcet = share(BestNotion::Condorcet);
    let copeland = if condorcet.is_some() { None } else { share(BestNotion::Copeland) };
    Ok(vec![condorcet, copeland, share(BestNotion::Borda)])
}
