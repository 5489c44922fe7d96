//! The upper confidence bounds of all pairs, for optimistic rules: the arm with the highest bound against a champion, and
//! until which step the champion plays alone.

use super::{Challengers, LogTime, PairEstimate};
use crate::counts::OpenDuels;
use crate::{Arm, Feedback, Generator, State, state};

/// Counts of a rule beside the bounds, e.g. which arms are still candidates.
pub(crate) trait DuelCounts {
    /// How often `i` beat `j`, and `j` beat `i`, with the wins that every pair starts with.
    fn wins(&self, i: usize, j: usize) -> (u32, u32);

    /// Counts a duel, and returns the wins of the first arm and of the second, with those that every pair starts with.
    fn record(&mut self, first: usize, second: usize, first_won: bool) -> (u32, u32);

    /// Time has passed: alpha ln t is `time`.
    #[inline(always)]
    fn advance(&mut self, time: f64) {
        let _ = time;
    }

    /// The number of open duels of a pair has changed to `open`. By default only the bounds count them.
    #[inline(always)]
    fn note_open(&mut self, i: usize, j: usize, open: u32) {
        let _ = (i, j, open);
    }
}

/// The bounds u(i, j) = w(i, j) / n(i, j) + sqrt(alpha ln t / n(i, j)) and u(i, i) = 1/2, and the duels that they are made of.
/// Open duels count at their pair's present mean (1/2 if nothing is known of it).
#[derive(Debug, Clone)]
pub(crate) struct PairBounds<D> {
    duels: D,
    alpha: f64,
    clock: LogTime,
    /// alpha ln t at the last choice.
    time: f64,
    /// The bounds of a pair never seen.
    unseen: PairEstimate,
    challengers: Challengers,
    open: OpenDuels,
}

state!(bounded D: State => PairBounds<D> { duels, clock, time, challengers, open } but { alpha, unseen });

impl<D: DuelCounts> PairBounds<D> {
    /// No duels. The bounds of a pair never seen are u = `mean` + sqrt(alpha ln t) `width`.
    pub(crate) fn new(duels: D, arms: usize, alpha: f64, [mean, width]: [f64; 2]) -> Self {
        Self {
            duels,
            alpha,
            clock: LogTime::new(),
            time: 0.0,
            unseen: PairEstimate { mean, other_mean: mean, width },
            challengers: Challengers::new(arms, mean, width),
            open: OpenDuels::new(arms),
        }
    }

    /// The bounds are those of `step` from now on.
    #[inline(always)]
    pub(crate) fn advance(&mut self, step: u64) {
        self.time = self.alpha * self.clock.ln(step as f64);
        self.duels.advance(self.time);
    }

    /// alpha ln t at the last choice.
    #[inline]
    pub(crate) fn time(&self) -> f64 {
        self.time
    }

    /// The counts beside the bounds.
    #[inline]
    pub(crate) fn duels(&self) -> &D {
        &self.duels
    }

    /// As [`duels`](Self::duels).
    #[inline]
    pub(crate) fn duels_mut(&mut self) -> &mut D {
        &mut self.duels
    }

    /// The duels of a pair that are open.
    #[inline]
    pub(crate) fn open(&self, i: usize, j: usize) -> u32 {
        self.open.between(i, j)
    }

    /// The arm d with the highest u(d, `champion`), ties at random; with `not_itself` the champion yields to the arms that it
    /// ties with.
    #[inline(always)]
    pub(crate) fn challenger(&mut self, champion: Arm, not_itself: bool, generator: &mut Generator) -> Arm {
        Arm::at(self.challengers.challenger(champion.index(), not_itself, self.time.sqrt(), generator))
    }

    /// The same among some arms only, as in [`Challengers::challenger_among`]: `admitted` gets the counts, and the group.
    pub(crate) fn challenger_among(
        &mut self,
        champion: Arm,
        admitted: impl Fn(&D, usize) -> u32,
        generator: &mut Generator,
    ) -> Arm {
        let admitted = |group| admitted(&self.duels, group);
        Arm::at(self.challengers.challenger_among(champion.index(), admitted, self.time.sqrt(), generator))
    }

    /// The last step, from `step` on, at which every u(d, `champion`) is below 1/2 if nothing is learnt until then: the champion
    /// would meet itself. Only known outcomes count.
    pub(crate) fn alone_until(&self, champion: Arm, step: u64) -> u64 {
        let known = |opponent: usize| {
            let (won, lost) = self.duels.wins(opponent, champion.index());
            PairEstimate::of(won.into(), lost.into(), 0)
        };
        self.challengers.alone_until(champion.index(), self.alpha, &self.open, known).max(step)
    }

    /// Records the outcome of a duel of two arms that was chosen at the last step.
    #[inline(always)]
    pub(crate) fn learn(&mut self, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, first_won } = feedback else {
            return;
        };
        // As they were chosen: which of them has its bounds renewed is then easier to predict.
        let (first, second) = if first_won { (winner, loser) } else { (loser, winner) };
        let (i, j) = (first.index(), second.index());
        let (won, lost) = self.duels.record(i, j, first_won);
        self.rate(i, j, won, lost);
    }

    /// Rewrites the bound of an arm against itself.
    pub(crate) fn set_against_itself(&mut self, arm: Arm, width: f64) {
        self.challengers.mix();
        self.challengers.set(arm.index(), arm.index(), 0.5, width);
    }

    /// A duel of these two arms is open from now on.
    pub(crate) fn depart(&mut self, arms: &[Arm]) {
        let (i, j) = (arms[0].index(), arms[1].index());
        self.open.depart(i, j);
        self.challengers.mix();
        let (won, lost) = self.duels.wins(i, j);
        self.rate(i, j, won, lost);
    }

    /// A duel of these two arms is open no longer: with its outcome, or forgotten.
    pub(crate) fn arrive(&mut self, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        let (i, j) = (arms[0].index(), arms[1].index());
        self.open.arrive(i, j);
        if let Some(Feedback::Duel { first_won, .. }) = feedback {
            let (won, lost) = self.duels.record(i, j, first_won);
            self.rate_means(i, j, won, lost);
        } else {
            let (won, lost) = self.duels.wins(i, j);
            self.rate(i, j, won, lost);
        }
    }

    /// Rewrites the bounds of a pair: `i` has won `won` duels against `j` and lost `lost`.
    #[inline(always)]
    fn rate(&mut self, i: usize, j: usize, won: u32, lost: u32) {
        let estimate = PairEstimate::of(won.into(), lost.into(), self.open.between(i, j));
        self.set(i, j, estimate.unwrap_or(self.unseen));
    }

    /// The same after an outcome that came late: one duel more is known and one less is open, so the width stays.
    fn rate_means(&mut self, i: usize, j: usize, won: u32, lost: u32) {
        let (won, lost) = (f64::from(won), f64::from(lost));
        let share = 1.0 / (won + lost);
        let estimate =
            PairEstimate { mean: won * share, other_mean: lost * share, width: self.challengers.width(i, j) };
        debug_assert_eq!(PairEstimate::of(won, lost, self.open.between(i, j)), Some(estimate));
        self.set(i, j, estimate);
    }

    #[inline(always)]
    fn set(&mut self, i: usize, j: usize, estimate: PairEstimate) {
        self.challengers.set(j, i, estimate.mean, estimate.width);
        self.challengers.set(i, j, estimate.other_mean, estimate.width);
        self.duels.note_open(i, j, self.open.between(i, j));
    }
}
