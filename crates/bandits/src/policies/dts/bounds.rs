//! Against how many others each arm's upper bound is below 1/2, as duels and time change it.

use crate::Arm;
use crate::counts::PairTable;
use crate::state;

/// u(i, j) < 1/2 while alpha ln t is below the evidence that i loses to j, which only their duels
/// change: n (1/2 - mu(i, j))^2 where i is behind, 0 otherwise.
#[derive(Debug, Clone)]
pub(in crate::policies) struct Bounds {
    arms: usize,
    /// The evidence that i loses to j.
    against: PairTable<f64>,
    /// How many of each row are above `time`.
    lost: Vec<u32>,
    /// No entry of each row that is above `time` is below this.
    next: Vec<f64>,
    /// The smallest of `next`.
    soonest: f64,
    /// alpha ln t.
    time: f64,
    /// The arms that have lost to fewest.
    leaders: Vec<Arm>,
    changed: bool,
}

state!(Bounds { against, lost, next, soonest, time, leaders, changed } but { arms });

impl Bounds {
    pub(in crate::policies) fn new(arms: usize) -> Self {
        Self {
            arms,
            against: PairTable::new(arms, 0.0),
            lost: vec![0; arms],
            next: vec![f64::INFINITY; arms],
            soonest: f64::INFINITY,
            time: 0.0,
            leaders: (0..arms).map(Arm::at).collect(),
            changed: false,
        }
    }

    /// Moves on to alpha ln t = `time`.
    #[inline]
    pub(in crate::policies) fn advance(&mut self, time: f64) {
        self.time = time;
        if time >= self.soonest {
            self.expire();
        }
        if self.changed {
            self.changed = false;
            let least = self.lost.iter().copied().min().unwrap_or(0);
            self.leaders.clear();
            let all = self.lost.iter().enumerate();
            self.leaders.extend(all.filter(|&(_, &lost)| lost == least).map(|(index, _)| Arm::at(index)));
        }
    }

    /// The arms with upper bounds below 1/2 against the fewest others, in order.
    #[inline]
    pub(in crate::policies) fn leaders(&self) -> &[Arm] {
        &self.leaders
    }

    /// All evidence, for each pair that the arm of the row loses to that of the column.
    #[inline]
    pub(in crate::policies) fn evidence_table(&self) -> &PairTable<f64> {
        &self.against
    }

    /// Nothing changes before alpha ln t reaches this.
    #[inline]
    pub(in crate::policies) fn soonest(&self) -> f64 {
        self.soonest
    }

    /// Updates the bounds: `winner` now has `won` wins against `lost` of `loser`, whole numbers.
    #[inline]
    pub(in crate::policies) fn record(&mut self, winner: Arm, loser: Arm, won: f64, lost: f64) {
        let lead = won - lost;
        // A pair with all duels forgotten has 0 duels and evidence 0.
        let evidence = lead * lead / (4.0 * (won + lost)).max(1.0);
        let (of_loser, of_winner) = if lead > 0.0 { (evidence, 0.0) } else { (0.0, evidence) };
        self.write(loser, winner, of_loser);
        self.write(winner, loser, of_winner);
    }

    #[inline]
    fn write(&mut self, arm: Arm, other: Arm, evidence: f64) {
        let entry = &mut self.against[(arm, other)];
        let (was, is) = (*entry > self.time, evidence > self.time);
        *entry = evidence;
        let arm = arm.index();
        if is {
            self.next[arm] = self.next[arm].min(evidence);
            self.soonest = self.soonest.min(evidence);
        }
        if was != is {
            self.lost[arm] = self.lost[arm] + u32::from(is) - u32::from(was);
            self.changed = true;
        }
    }

    /// Recounts the rows in which time has overtaken an entry.
    #[cold]
    fn expire(&mut self) {
        self.soonest = f64::INFINITY;
        for arm in 0..self.arms {
            if self.next[arm] <= self.time {
                let (mut lost, mut next) = (0, f64::INFINITY);
                for &evidence in self.against.row(arm) {
                    if evidence > self.time {
                        lost += 1;
                        next = next.min(evidence);
                    }
                }
                self.next[arm] = next;
                self.changed |= lost != self.lost[arm];
                self.lost[arm] = lost;
            }
            self.soonest = self.soonest.min(self.next[arm]);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;
    use crate::counts::PairCounts;
    use crate::random::below;

    #[test]
    fn leaders_are_as_counted() {
        let arms = 9;
        let mut generator = Generator::seed_from_u64(1);
        let mut bounds = Bounds::new(arms);
        let mut wins = PairCounts::new(arms, 0);
        let mut sizes = vec![0; arms + 1];
        let mut step = 1_u64;
        for _ in 0..6_000 {
            step += if below(&mut generator, 400) == 0 { step } else { 1 };
            let time = 0.1 * libm::log(step as f64);
            bounds.advance(time);
            let upper = |i: usize, j: usize| {
                let (won, lost) = (f64::from(wins[(i, j)]), f64::from(wins[(j, i)]));
                match won + lost {
                    0.0 => 2.0,
                    n => won / n + (time / n).sqrt(),
                }
            };
            let score = |i: usize| (0..arms).filter(|&j| j != i && upper(i, j) >= 0.5).count();
            let top = (0..arms).map(score).max().unwrap_or(0);
            let plain: Vec<Arm> = (0..arms).filter(|&i| score(i) == top).map(Arm::at).collect();
            assert_eq!(bounds.leaders(), plain);
            sizes[plain.len()] += 1;

            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            let (a, b) = if below(&mut generator, 10) < 7 { (i.min(j), i.max(j)) } else { (i.max(j), i.min(j)) };
            let (won, lost) = wins.record(a, b);
            bounds.record(Arm::at(a), Arm::at(b), won.into(), lost.into());
            if step > 1 << 40 {
                step = 1;
                bounds = Bounds::new(arms);
                wins = PairCounts::new(arms, 0);
            }
        }
        assert!(sizes.iter().filter(|&&times| times > 20).count() > 3, "{sizes:?}");
    }
}
