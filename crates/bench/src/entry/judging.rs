//! Sessions of `judges` as players: the questions of `rankduel next`.

use judges::{Answer as Verdict, Config, Goal, Session, Ticket};
use ranktypes::Preference;

use super::{Action, Answer, Arrived, Foul, Move, Player, Start};

/// A session of `judges` as a player of one benchmark session.
pub(super) struct JudgesPlayer {
    session: Session,
    open: Option<Ticket>,
}

impl JudgesPlayer {
    pub(super) fn new(goal: Goal, start: &Start) -> Result<Self, Foul> {
        let names = (0..start.arms).map(|arm| format!("arm-{arm}"));
        let session = Session::new(Config { goal, seed: start.seed, ..Config::of(names) });
        Ok(Self { session: session.map_err(|error| Foul::DoesNotPlay(error.to_string()))?, open: None })
    }

    fn take(&mut self, arrived: &[Arrived]) -> Result<(), Foul> {
        let (Some(Arrived { outcome, .. }), Some(ticket)) = (arrived.last(), self.open.take()) else { return Ok(()) };
        let verdict = match outcome {
            Preference::First => Verdict::First,
            Preference::Second => Verdict::Second,
            Preference::Tie => Verdict::Tie,
        };
        self.session.tell(ticket, verdict, None).map_err(|error| Foul::Broke(error.to_string()))?;
        self.session.take_events();
        Ok(())
    }
}

impl Player for JudgesPlayer {
    fn choose(&mut self, _step: u64, arrived: &[Arrived]) -> Result<Move, Foul> {
        self.take(arrived)?;
        let pair = self.session.ask(None).map_err(|error| Foul::Broke(error.to_string()))?;
        self.open = Some(pair.ticket);
        Ok(Move { action: Action::Pair([pair.first as usize, pair.second as usize]), winner: None })
    }

    fn answer(&mut self, arrived: &[Arrived]) -> Result<Answer, Foul> {
        self.take(arrived)?;
        let order = self.session.ranking().iter().map(|standing| standing.competitor as usize).collect();
        let best = self.session.recommend().map(|best| best as usize);
        Ok(Answer { best, order: Some(order) })
    }
}
