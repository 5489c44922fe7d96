//! When to stop: the board of all answers, for every look, and how likely further answers name the best.
//!
//! A session may be looked at after each answer, and stopped at the first board that names the best: its claims hold at every look.
//! How many more answers that takes depends on unknown strengths, above all on how close the best two are. So the rest of the session is
//! played many times, each time with strengths drawn from their posterior: with this session's own chooser and judges, who all answer
//! by the same strengths under Bradley-Terry. All draws follow from the session, so that the same session has the same chances.

use board::{Board, BoardError, Chance, FurtherPairs, Looks, Plausible, Settings};
use rayon::prelude::*;
use statistics::Normals;

use crate::screen::stream;
use crate::{Goal, Session};

/// How likely further answers name the best.
#[derive(Debug, Clone, PartialEq)]
pub struct Chances {
    /// The chances that it is named by a number of further answers, in rising order; beside a model, of people. Empty if it is named already.
    pub chances: Vec<Chance>,
    /// The probability that it takes more answers than the last of these, or that it is never named.
    pub later: f64,
    /// How often the rest of the session was played.
    pub plays: usize,
}

/// How the rest of a session is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plays {
    /// How often.
    pub plays: usize,
    /// The most further answers of each.
    pub most: u64,
}

impl Plays {
    /// As often as a few seconds allow, for a session of that many competitors; `None` for hundreds.
    #[must_use]
    pub fn of(competitors: usize) -> Option<Self> {
        let play_count = (2_000 / competitors.max(1)).clamp(20, 100);
        (competitors <= 200).then_some(Self { plays: play_count, most: 3_000 })
    }
}

/// The numbers of further answers for which chances are given.
const STEPS: [u64; 9] = [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];

/// Between two of these, played sessions are looked at this often. Looks after every answer would stop a little sooner.
const LOOKS: u64 = 4;

impl Session {
    /// The board of all answers so far. Its claims hold at every look, whatever `settings` say of that. Its advice, if requested and not for
    /// too many competitors, is that of [`chances`](Self::chances).
    ///
    /// # Errors
    /// Before the first answer, or if a setting is wrong.
    pub fn board(&self, settings: &Settings) -> Result<Board, BoardError> {
        let mut board = Board::new(&self.evidence(), &self.look_settings(settings))?;
        if let Some(advice) = board.advice.take() {
            let plays = Plays::of(self.config().names.len()).filter(|_| !advice.known);
            let chances = plays.map(|plays| self.chances(settings, plays)).transpose()?;
            board.advice = Some(match chances {
                Some(Chances { chances, later, plays }) => {
                    advice.played(chances, later, plays, &self.look_settings(settings))
                }
                None => advice,
            });
        }
        Ok(board)
    }

    /// The settings of boards of this session. Without a tolerance of their own, they have that of the session.
    fn look_settings(&self, settings: &Settings) -> Settings {
        let further_pairs = match self.config().goal {
            Goal::Best => FurtherPairs::Best,
            Goal::Order => FurtherPairs::Order,
            Goal::Uniform => FurtherPairs::Everyone,
        };
        let tolerance = if settings.tolerance > 0.0 { settings.tolerance } else { self.config().tolerance };
        // Findings are about verdicts, which corrected points are made of.
        let checks = settings.checks && self.config().model.is_none();
        Settings { looks: Looks::Every, further: further_pairs, tolerance, checks, ..settings.clone() }
    }

    /// How likely that many further answers name the best, or one within the tolerance of `settings`. Takes about a second for 20
    /// competitors.
    ///
    /// # Errors
    /// Before the first answer, or if a setting is wrong.
    pub fn chances(&self, settings: &Settings, plays: Plays) -> Result<Chances, BoardError> {
        let settings = self.look_settings(settings);
        let table = self.evidence();
        let plausible = Plausible::of(&table, &settings)?;
        if board::named_by_strengths(&table, &settings)?.is_some() {
            return Ok(Chances { chances: Vec::new(), later: 0.0, plays: 0 });
        }
        let sessions: Vec<(usize, Self)> = (0..plays.plays).map(|play| (play, self.clone())).collect();
        let names = sessions
            .into_par_iter()
            .map(|(play, session)| session.play_until_named(&plausible, &settings, plays.most, play))
            .collect::<Result<Vec<_>, _>>()?;
        let n = names.len().max(1) as f64;
        let share = |more: u64| names.iter().flatten().filter(|at| **at <= more).count() as f64 / n;
        let chances = Chance::rising_chances(STEPS.into_iter().filter(|more| *more <= plays.most), share);
        let never_share = chances.last().map_or(1.0, |last| 1.0 - last.share);
        Ok(Chances { chances, later: never_share, plays: names.len() })
    }

    /// After how many further answers the best is named, if the rest of the session is played with strengths that are drawn for this play.
    fn play_until_named(
        mut self,
        plausible: &Plausible,
        settings: &Settings,
        max_judgements: u64,
        play: usize,
    ) -> Result<Option<u64>, BoardError> {
        let mut draws =
            Normals::from_seed(stream(self.config().seed, "chances", [self.counts().answered, play as u64, 0]));
        let truth = plausible.draw(&mut draws);
        self.take_events();
        let judges = self.judges().to_vec();
        let mut model = self.simulated_model();
        let mut answered = 0;
        for judgements in looks(max_judgements) {
            while answered < judgements {
                if let Some(model) = &mut model {
                    // Answers of the model are not counted.
                    match self.play_beside(model, &truth, &mut draws) {
                        Ok(by_person) => answered += u64::from(by_person),
                        Err(_) => return Ok(None),
                    }
                    continue;
                }
                let judge = (!judges.is_empty()).then(|| &*judges[draws.below(judges.len())]);
                // Neither can fail: the judge has a name that was taken before, and the ticket was just given out.
                let Ok(pair) = self.ask(judge) else { return Ok(None) };
                let answer = truth.answer(pair.first as usize, pair.second as usize, &mut draws);
                if self.tell(pair.ticket, answer, judge).is_err() {
                    return Ok(None);
                }
                answered += 1;
            }
            self.take_events();
            if board::named_by_strengths(&self.evidence(), settings)?.is_some() {
                return Ok(Some(judgements));
            }
        }
        Ok(None)
    }
}

/// When played sessions are looked at: a few times between two steps, and at each step.
fn looks(max_judgements: u64) -> Vec<u64> {
    let mut look_counts = Vec::new();
    let mut previous = 0;
    for step in STEPS.into_iter().filter(|step| *step <= max_judgements) {
        look_counts.extend((1..=LOOKS).map(|part| previous + (step - previous) * part / LOOKS));
        previous = step;
    }
    look_counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_rise_and_meet_every_step() {
        let all = looks(1_000);
        assert!(all.is_sorted() && [10, 30, 100, 300, 1_000].iter().all(|step| all.contains(step)));
        assert_eq!(all.last(), Some(&1_000));
    }
}
