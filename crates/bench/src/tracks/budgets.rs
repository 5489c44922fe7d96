//! (b) and (c): what an entry has learnt after few answers, 2, 5 and 20 times as many as there are arms. Every budget is a
//! session of its own, with the budget as its horizon.

use statistics::fixed_sample::kendall;

use super::{Game, Measure, Summary, Values, stored};
use crate::definition::Definition;
use crate::entry::Foul;
use crate::problems::BestNotion;
use crate::session::{Session, Setup, play as play_session};

pub(super) fn measures_of_best(definition: &Definition) -> Vec<Measure> {
    measures(definition, &BestNotion::ALL, "winner", "of the runs named it")
}

pub(super) fn measures_of_order(definition: &Definition) -> Vec<Measure> {
    measures(definition, &ORDERS, "order", "Kendall's tau")
}

/// The orders of all arms.
const ORDERS: [BestNotion; 2] = [BestNotion::Copeland, BestNotion::Borda];

/// A measure for each budget and notion of the best.
fn measures(definition: &Definition, notions: &[BestNotion], what: &str, unit: &str) -> Vec<Measure> {
    let measure_at = |budget: &u64, best: &BestNotion| Measure {
        name: format!("{best} {what} after {budget}K"),
        unit: unit.to_owned(),
        more_is_better: true,
        summary: Summary::Mean,
    };
    definition.budgets.iter().flat_map(|budget| notions.iter().map(move |best| measure_at(budget, best))).collect()
}

/// Whether the arm that is named in the end is a best one. An entry that names none is wrong.
pub(super) fn play_best(game: &Game<'_>) -> Result<Values, Foul> {
    sessions(game, |session| {
        let share_right = |best: BestNotion| {
            let truth = game.problem.truth(best)?;
            let is_right = session.answer.best.is_some_and(|arm| truth.is_best(arm));
            Some(f64::from(u8::from(is_right)))
        };
        // As in track (a): Copeland scores where there is no Condorcet winner.
        let condorcet = share_right(BestNotion::Condorcet);
        let copeland = if condorcet.is_some() { None } else { share_right(BestNotion::Copeland) };
        vec![condorcet, copeland, share_right(BestNotion::Borda)]
    })
}

/// How well the order in the end agrees with the truth. The order of an entry that states none is made from its answers.
pub(super) fn play_order(game: &Game<'_>) -> Result<Values, Foul> {
    sessions(game, |session| {
        let order = session.answer.order.as_ref().unwrap_or(&session.order_of_answers);
        let tau = |best: BestNotion| game.problem.truth(best).map(|truth| stored(kendall(order, &truth.scores)));
        ORDERS.map(tau).to_vec()
    })
}

fn sessions(game: &Game<'_>, values_of: impl Fn(&Session) -> Values) -> Result<Values, Foul> {
    let Game { definition, key, problem, entry, run, track } = *game;
    let mut values = Vec::new();
    for budget in &definition.budgets {
        let horizon = budget * problem.arms() as u64;
        let setup = Setup { key, problem, task: track, horizon, run, look_every: 0, timing: None };
        values.extend(values_of(&play_session(entry, &setup)?));
    }
    Ok(values)
}
