//! Regret, summed over a run and kept at checkpoints.

use crate::{Arm, Choice, Observer, RegretKind};

/// The regret of a step, or the sum over many steps. The fields are defined for a duel of arms with
/// [gaps](crate::Arena::gaps) a and b.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Regret {
    /// (a + b) / 2: the usual regret of the dueling bandit literature. Of a set, the mean over its arms: equation 1 of B. Brost et al.,
    /// "Multi-Dueling Bandits and Their Application to Online Ranker Evaluation", CIKM 2016,
    /// <https://doi.org/10.1145/2983323.2983659>. Of an arm alone, its gap.
    pub average: f64,
    /// min(a, b), of a set the smallest gap: no regret if the best arm takes part. B. Chen,
    /// P. Frazier, "Dueling Bandits with Weak Regret", ICML 2017,
    /// <https://proceedings.mlr.press/v70/chen17c.html>.
    pub weak: f64,
    /// max(a, b), of a set the largest gap: no regret only if the best arm plays alone.
    pub strong: f64,
}

impl Regret {
    /// The regret of one step of `choice`.
    #[inline]
    #[must_use]
    pub fn of(choice: Choice<'_>, gaps: &[f64]) -> Self {
        match choice {
            Choice::Duel(first, second) => {
                let (a, b) = (gaps[first.index()], gaps[second.index()]);
                Self { average: (a + b) / 2.0, weak: a.min(b), strong: a.max(b) }
            }
            Choice::Set(arms) => {
                let mut regret = Self { average: 0.0, weak: f64::INFINITY, strong: f64::NEG_INFINITY };
                for arm in arms {
                    let gap = gaps[arm.index()];
                    regret.average += gap;
                    regret.weak = regret.weak.min(gap);
                    regret.strong = regret.strong.max(gap);
                }
                regret.average /= arms.len() as f64;
                regret
            }
            Choice::Alone { arm, .. } => {
                let gap = gaps[arm.index()];
                Self { average: gap, weak: gap, strong: gap }
            }
        }
    }

    /// The number that this kind of regret counts.
    #[must_use]
    pub fn value(&self, kind: RegretKind) -> f64 {
        match kind {
            RegretKind::Weak => self.weak,
            RegretKind::Strong => self.strong,
            _ => self.average,
        }
    }

    /// The sum of this and `steps` times `other`.
    #[inline]
    #[must_use]
    fn add_steps(self, other: Self, steps: u64) -> Self {
        let steps = steps as f64;
        Self {
            average: self.average + other.average * steps,
            weak: self.weak + other.weak * steps,
            strong: self.strong + other.strong * steps,
        }
    }
}

/// Keeps the cumulative regret of a run at checkpoints and, on request, the recommendation there.
///
/// Inside a stretch alone regret grows linearly and is interpolated, without changing
/// the sum itself: the choice of checkpoints does not change the value at any of them.
#[derive(Debug, Clone)]
pub struct Recorder {
    checkpoints: Vec<u64>,
    total: Regret,
    curve: Vec<Regret>,
    /// The next checkpoint, to be compared at every step.
    next: u64,
    bests: Option<Vec<Option<Arm>>>,
}

impl Recorder {
    /// A recorder for these checkpoints (steps, from 1; they are sorted and deduplicated).
    #[must_use]
    pub fn new(mut checkpoints: Vec<u64>) -> Self {
        checkpoints.retain(|&step| step > 0);
        checkpoints.sort_unstable();
        checkpoints.dedup();
        let next = checkpoints.first().copied().unwrap_or(u64::MAX);
        let curve = Vec::with_capacity(checkpoints.len());
        Self { checkpoints, total: Regret::default(), curve, next, bests: None }
    }

    /// Also keeps the arm that the policy recommends at each checkpoint.
    #[must_use]
    pub fn with_bests(mut self) -> Self {
        self.bests = Some(Vec::with_capacity(self.checkpoints.len()));
        self
    }

    /// The checkpoints in increasing order.
    #[must_use]
    pub fn checkpoints(&self) -> &[u64] {
        &self.checkpoints
    }

    /// Cumulative regret at the end of each checkpoint that the run has reached.
    #[must_use]
    pub fn curve(&self) -> &[Regret] {
        &self.curve
    }

    /// The arm recommended at each checkpoint that the run has reached; empty unless enabled by
    /// [`with_bests`](Self::with_bests).
    #[must_use]
    pub fn bests(&self) -> &[Option<Arm>] {
        self.bests.as_deref().unwrap_or_default()
    }

    /// Cumulative regret so far.
    #[must_use]
    pub fn total(&self) -> Regret {
        self.total
    }

    #[cold]
    fn pass_checkpoints(&mut self, from: u64, to: u64, before: Regret, step: Regret) {
        while self.next <= to && self.curve.len() < self.checkpoints.len() {
            // At the end of the choice the value is the sum itself, to the last bit.
            let here = if self.next == to { self.total } else { before.add_steps(step, self.next + 1 - from) };
            self.curve.push(here);
            self.next = self.checkpoints.get(self.curve.len()).copied().unwrap_or(u64::MAX);
        }
    }
}

impl Observer for Recorder {
    #[inline]
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]) {
        let before = self.total;
        let step = Regret::of(choice, gaps);
        self.total = before.add_steps(step, to - from + 1);
        if to >= self.next {
            self.pass_checkpoints(from, to, before, step);
        }
    }

    #[inline]
    fn next_report(&self) -> u64 {
        match &self.bests {
            Some(bests) => self.checkpoints.get(bests.len()).copied().unwrap_or(u64::MAX),
            None => u64::MAX,
        }
    }

    fn report(&mut self, step: u64, best: Option<Arm>) {
        if let Some(bests) = &mut self.bests {
            let reached = self.checkpoints.partition_point(|&checkpoint| checkpoint <= step);
            bests.resize(reached.max(bests.len()), best);
        }
    }
}

/// Checkpoints evenly spaced on a log axis: 10^(i / `per_decade`), rounded, without repetitions,
/// up to and always including `horizon` (none for horizon 0).
///
/// ```
/// assert_eq!(bandits::log_spaced(50, 2), [1, 3, 10, 32, 50]);
/// ```
#[must_use]
pub fn log_spaced(horizon: u64, per_decade: u32) -> Vec<u64> {
    let per_decade = f64::from(per_decade.max(1));
    let point = |i: u32| libm::round(libm::pow(10.0, f64::from(i) / per_decade));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1, and the cast saturates")]
    points_up_to(horizon, (0..).map(|i| point(i) as u64))
}

/// Checkpoints 1, 2, 5, 10, 20, 50, ... up to and always including `horizon`.
#[must_use]
pub fn one_two_five(horizon: u64) -> Vec<u64> {
    let point = |i: u32| [1, 2, 5][(i % 3) as usize] * 10_u64.saturating_pow(i / 3).min(u64::MAX / 5);
    points_up_to(horizon, (0..).map(point))
}

fn points_up_to(horizon: u64, points: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut points: Vec<u64> = points.take_while(|&point| point < horizon).collect();
    if horizon > 0 {
        points.push(horizon);
    }
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAPS: [f64; 3] = [0.0, 0.1, 0.4];

    #[test]
    fn regret_of_each_choice() {
        let of = |choice| Regret::of(choice, &GAPS);
        let duel = of(Choice::Duel(Arm(1), Arm(2)));
        assert_eq!((duel.average, duel.weak, duel.strong), (0.25, 0.1, 0.4));
        let counted = [RegretKind::Borda, RegretKind::Weak, RegretKind::Strong].map(|kind| duel.value(kind));
        assert_eq!(counted, [0.25, 0.1, 0.4]);
        let set = of(Choice::Set(&[Arm(2), Arm(0), Arm(1)]));
        assert!((set.average - 0.5 / 3.0).abs() < 1e-12 && set.weak == 0.0 && set.strong == 0.4);
        let alone = of(Choice::Alone { arm: Arm(1), until: 9 });
        assert_eq!((alone.average, alone.weak, alone.strong), (0.1, 0.1, 0.1));
    }

    #[test]
    fn checkpoints_change_nothing() {
        let run = |checkpoints: Vec<u64>| {
            let mut recorder = Recorder::new(checkpoints);
            recorder.played(1, 1, Choice::Duel(Arm(1), Arm(2)), &GAPS);
            recorder.played(2, 1001, Choice::Alone { arm: Arm(1), until: 1001 }, &GAPS);
            recorder.played(1002, 1002, Choice::Set(&[Arm(0), Arm(2)]), &GAPS);
            recorder
        };
        let all = run((1..=1002).collect());
        assert_eq!(all.curve().len(), 1002);
        for checkpoints in [vec![1002], vec![7, 3, 7, 1001, 0, 5000], vec![]] {
            let some = run(checkpoints);
            assert_eq!(some.total(), all.total());
            for (checkpoint, regret) in some.checkpoints().iter().zip(some.curve()) {
                assert_eq!(regret, &all.curve()[*checkpoint as usize - 1], "{checkpoint}");
            }
        }
        assert!((all.curve()[500].average - (0.25 + 0.1 * 500.0)).abs() < 1e-9);
        assert!((all.total().average - (0.25 + 100.0 + 0.2)).abs() < 1e-9);
    }

    #[test]
    fn bests_are_asked_for_once_a_checkpoint() {
        let mut recorder = Recorder::new(vec![2, 5, 6, 9]).with_bests();
        assert_eq!(recorder.next_report(), 2);
        recorder.report(2, None);
        assert_eq!(recorder.next_report(), 5);
        recorder.report(7, Some(Arm(1)));
        assert_eq!(recorder.next_report(), 9);
        assert_eq!(recorder.bests(), [None, Some(Arm(1)), Some(Arm(1))]);
        assert_eq!(Recorder::new(vec![2]).next_report(), u64::MAX);
    }

    #[test]
    fn grids_end_at_the_horizon() {
        assert_eq!(one_two_five(100), [1, 2, 5, 10, 20, 50, 100]);
        assert_eq!(one_two_five(7), [1, 2, 5, 7]);
        assert_eq!(one_two_five(0), [0; 0]);
        assert_eq!(log_spaced(1, 10), [1]);
        let grid = log_spaced(1_000_000, 10);
        assert_eq!((grid[0], grid[grid.len() - 1]), (1, 1_000_000));
        assert!(grid.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(one_two_five(u64::MAX).last(), Some(&u64::MAX));
    }
}
