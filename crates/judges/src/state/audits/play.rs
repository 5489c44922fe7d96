//! Plays the rest of a session beside a model: the model's answers follow from those of people, with the frequencies so far.

use std::collections::BTreeMap;

use bandits::Preference;
use board::{Answer, Truth};
use statistics::Normals;

use super::calibration::{POINT, kind_of};
use crate::event::Purpose;
use crate::state::answers::outcome;
use crate::state::{Session, SessionError};

/// A model that answers in play: as often right and wrong as it was when people audited it.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedModel {
    /// By the answer of people, and that of the model.
    answer_shares: [[f64; 3]; 3],
    /// People's answers to the model's questions, by its ticket.
    people: BTreeMap<u64, Answer>,
}

impl Session {
    /// The model beside people as audits show it; `None` without one.
    pub(crate) fn simulated_model(&self) -> Option<SimulatedModel> {
        self.config.model.as_ref()?;
        let answer_counts = self.audits.calibration.answers().map(|times| times as f64 + 1.0);
        let total: f64 = answer_counts.iter().sum();
        let mut answer_shares = [answer_counts.map(|times| times / total); 3];
        for (ticket, points) in &self.audits.points {
            let Some((_, answer, weighed)) = self.said_by_model(*ticket) else { continue };
            let person = Preference::of_net(f64::from(*points) - f64::from(POINT / 2));
            answer_shares[kind_of(person)][kind_of(answer)] += f64::from(POINT) / f64::from(weighed.chance);
        }
        Some(SimulatedModel { answer_shares, people: BTreeMap::new() })
    }

    /// Asks the next judge, and answers by a truth. Returns whether that was a person.
    pub(crate) fn play_beside(
        &mut self,
        model: &mut SimulatedModel,
        truth: &Truth,
        draws: &mut Normals,
    ) -> Result<bool, SessionError> {
        let pair = self.ask(None)?;
        let person = match pair.purpose {
            Purpose::Audit(of) => model.people.remove(&of),
            _ => None,
        };
        let person = person.unwrap_or_else(|| truth.answer(pair.first as usize, pair.second as usize, draws));
        if !self.is_model(pair.judge.as_deref()) {
            return self.tell(pair.ticket, person, None).map(|()| true);
        }
        let answer_shares = model.answer_shares[kind_of(outcome(person))];
        let uniform = draws.uniform() * answer_shares.iter().sum::<f64>();
        let answer = match uniform {
            uniform if uniform < answer_shares[0] => Answer::First,
            uniform if uniform < answer_shares[0] + answer_shares[1] => Answer::Second,
            _ => Answer::Tie,
        };
        model.people.insert(pair.ticket.number, person);
        self.tell(pair.ticket, answer, None).map(|()| false)
    }
}
