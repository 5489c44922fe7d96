//! Several runs with late answers side by side on one thread.

use super::play::{Meeting, OpenStep};
use super::{OpenPolicy, OpenRun};
use crate::{Arena, Generator, Observer, PairWins};

/// The state of one of several runs with late answers that are [played in step](play_open_in_step).
#[derive(Debug, Clone)]
pub struct OpenRunState<A, O> {
    /// The policy.
    pub policy: OpenPolicy,
    /// The arena.
    pub arena: A,
    /// The arena's generator.
    pub outcomes: Generator,
    /// The observer.
    pub observer: O,
    /// The outcomes that are under way.
    pub run: OpenRun,
    /// The two arms that meet next.
    meeting: Option<Meeting>,
}

impl<A: Arena, O: Observer> OpenRunState<A, O> {
    /// Before its first impression, or where `run` stopped.
    pub fn new(policy: OpenPolicy, arena: A, outcomes: Generator, observer: O, run: OpenRun) -> Self {
        Self { policy, arena, outcomes, observer, run, meeting: None }
    }

    /// Makes the next choice. If two arms are to meet, prefetches their data; otherwise shows it.
    fn begin(&mut self, horizon: u64, wins: &mut PairWins) {
        let (run, mut step) = self.step();
        let meeting = run.begin(&mut step, horizon, wins);
        if let Some(Meeting { first, second, .. }) = meeting {
            step.arena.prefetch(first, second, step.outcomes);
        }
        self.meeting = meeting;
    }

    fn step(&mut self) -> (&mut OpenRun, OpenStep<'_, A, O>) {
        let Self { policy, arena, outcomes, observer, run, .. } = self;
        (run, OpenStep { policy, arena, outcomes, observer })
    }
}

/// Plays several runs side by side on one thread, one impression each in turn, until each has shown `horizon` impressions
/// or was stopped by its observer. Each is the same run as [`play_open`](super::play_open) would play.
///
/// The data of a run are [prefetched](Arena::prefetch) while the arms of the others meet, as in
/// [`play_in_step`](crate::play_in_step).
pub fn play_open_in_step<A: Arena, O: Observer>(players: &mut [OpenRunState<A, O>], horizon: u64) {
    if let [OpenRunState { policy, arena, outcomes, observer, run, .. }] = players {
        run.until(horizon, policy, arena, outcomes, observer);
        return;
    }
    let mut wins = PairWins::default();
    let mut playing: Vec<&mut OpenRunState<A, O>> =
        players.iter_mut().filter(|player| player.policy.tally().asked < horizon).collect();
    playing.iter_mut().for_each(|player| player.begin(horizon, &mut wins));
    while !playing.is_empty() {
        playing.retain_mut(|player| {
            let meeting = player.meeting.take();
            let (run, mut step) = player.step();
            if let Some(meeting) = meeting {
                run.meet(&mut step, meeting);
            }
            let goes_on = !run.end(&mut step, &mut wins) && player.policy.tally().asked < horizon;
            if goes_on {
                player.begin(horizon, &mut wins);
            }
            goes_on
        });
    }
}
