//! The expected number of further judgements, and the leader: computed beside the judges, because both may take seconds.

use std::sync::{Arc, Mutex, PoisonError};

use board::{Chance, Settings};
use judges::{Chances, Goal, Plays, Session};
use ranktypes::text::with_separators;

/// The outlook of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outlook {
    /// The session's confidence in the best, without its name; empty before there is any.
    pub(super) sentence: String,
    /// Whether the best is known, so that one may stop.
    pub(super) is_known: bool,
    /// The leader, for curious judges.
    pub(super) leader: String,
}

/// The outlook of a session, computed again once there are some more answers.
#[derive(Debug, Clone, Default)]
pub(super) struct OutlookUpdater {
    state: Arc<Mutex<OutlookState>>,
}

#[derive(Debug, Default)]
struct OutlookState {
    outlook: Outlook,
    /// The number of answers it was computed from.
    answered: u64,
    is_computing: bool,
}

impl OutlookUpdater {
    pub(super) fn latest(&self) -> Outlook {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).outlook.clone()
    }

    /// Computes the outlook in a thread of its own once a tenth of the answers are new: after each of the first ten.
    pub(super) fn look(&self, session: &Session, shows_leader: bool) {
        let answer_count = session.counts().answered;
        let mut held = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_computing || answer_count.abs_diff(held.answered) <= answer_count / 10 {
            return;
        }
        held.is_computing = true;
        let (looks, session) = (self.clone(), session.clone());
        std::thread::spawn(move || {
            let outlook = outlook(&session, shows_leader);
            let mut held = looks.state.lock().unwrap_or_else(PoisonError::into_inner);
            *held = OutlookState { outlook, answered: answer_count, is_computing: false };
        });
    }
}

fn outlook(session: &Session, shows_leader: bool) -> Outlook {
    let settings = Settings { advice: false, ..Settings::default() };
    let leader = match (shows_leader, session.recommend()) {
        (true, Some(leader)) => format!("{} leads.", session.config().names[leader as usize]),
        _ => String::new(),
    };
    if session.counts().answered == 0 || session.config().goal != Goal::Best {
        return Outlook { leader, ..Outlook::default() };
    }
    let chances = Plays::of(session.config().names.len()).map(|plays| session.chances(&settings, plays));
    let (sentence, is_known) = match chances {
        // Too many competitors to play the rest, or nothing is known of them.
        None | Some(Err(_)) => (String::new(), false),
        Some(Ok(Chances { plays: 0, .. })) => ("Enough is known to name the best: you may stop.".to_owned(), true),
        // Before each has been judged a few times, hardly anything is known of how close they are.
        Some(Ok(_)) if session.counts().answered < 3 * session.config().names.len() as u64 => {
            ("It is too early to say how many more it takes.".to_owned(), false)
        }
        Some(Ok(chances)) => (more(&chances.chances), false),
    };
    Outlook { sentence, is_known, leader }
}

/// The number of further judgements: the middle half of the distribution.
fn more(chances: &[Chance]) -> String {
    let by = |share: f64| chances.iter().find(|chance| chance.share >= share).map(|chance| chance.more);
    match (by(0.25), by(0.75)) {
        (Some(few), Some(many)) if few < many => {
            format!("Some {} to {} more will probably do.", with_separators(few), with_separators(many))
        }
        (_, Some(many)) => format!("Fewer than {} more will probably do.", with_separators(many)),
        (Some(few), None) => format!("It takes at least some {} more.", with_separators(few)),
        (None, None) => chances.last().map_or_else(String::new, |last| {
            format!(
                "The best are nearly equal, as far as is known: it takes more than {} more.",
                with_separators(last.more)
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_in_words() {
        let chances =
            |shares: &[(u64, f64)]| shares.iter().map(|&(more, share)| Chance { more, share }).collect::<Vec<_>>();
        assert_eq!(more(&chances(&[(30, 0.1), (100, 0.4), (300, 0.96)])), "Some 100 to 300 more will probably do.");
        assert_eq!(more(&chances(&[(10, 0.05), (30, 0.96)])), "Fewer than 30 more will probably do.");
        assert_eq!(more(&chances(&[(300, 0.3), (3_000, 0.5)])), "It takes at least some 300 more.");
        let nearly_equal = "The best are nearly equal, as far as is known: it takes more than 3,000 more.";
        assert_eq!(more(&chances(&[(3_000, 0.2)])), nearly_equal);
    }
}
