//! The evidence against each arm with open duels counted: which candidates would be ruled out if every open duel of a
//! pair went as its duels have so far.

use crate::confidence::Evidence;
use crate::state;

/// The evidence of every pair, and the strongest against each arm. It takes no room until a duel is open.
#[derive(Debug, Clone)]
pub(crate) struct ProjectedEvidence {
    arms: usize,
    against: Vec<f64>,
    strongest: Vec<f64>,
}

state!(ProjectedEvidence { against, strongest } but { arms });

impl ProjectedEvidence {
    pub(crate) fn new(arms: usize) -> Self {
        Self { arms, against: Vec::new(), strongest: Vec::new() }
    }

    /// Begins to count, where nothing was open.
    #[cold]
    fn begin(&mut self, evidence: &Evidence) {
        self.strongest = evidence.strongest().to_vec();
        self.against = (0..self.arms).flat_map(|arm| evidence.evidence_against(arm)).copied().collect();
    }

    /// Brings a pair with this many open duels up to date.
    #[inline]
    pub(crate) fn update(&mut self, i: usize, j: usize, open: u32, evidence: &Evidence) {
        if self.strongest.is_empty() {
            if open == 0 {
                return;
            }
            self.begin(evidence);
        }
        let (won, lost) = evidence.wins(i, j);
        let known = won + lost;
        // A pair without outcomes is even, so its open duels add no evidence.
        let more = if known == 0 { 1.0 } else { 1.0 + f64::from(open) / f64::from(known) };
        self.set(i, j, evidence.evidence_against(i)[j] * more);
        self.set(j, i, evidence.evidence_against(j)[i] * more);
    }

    fn set(&mut self, arm: usize, other: usize, evidence: f64) {
        let was = std::mem::replace(&mut self.against[arm * self.arms + other], evidence);
        let strongest = self.strongest[arm];
        if evidence >= strongest {
            self.strongest[arm] = evidence;
        } else if was == strongest {
            let row = &self.against[arm * self.arms..(arm + 1) * self.arms];
            self.strongest[arm] = row.iter().fold(0.0, |top, &evidence| if evidence > top { evidence } else { top });
        }
    }

    /// Whether the arm is ruled out at alpha ln t = `time`.
    #[inline]
    pub(crate) fn rules_out(&self, arm: usize, time: f64) -> bool {
        self.strongest.get(arm).is_some_and(|&strongest| time < strongest)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::Generator;
    use crate::random::below;

    #[test]
    fn the_strongest_is_that_of_each_row() {
        let arms = 5;
        let mut generator = Generator::seed_from_u64(1);
        let (mut evidence, mut projected) = (Evidence::new(arms, 0), ProjectedEvidence::new(arms));
        assert!(!projected.rules_out(0, 0.0));
        evidence.record(2, 1, true);
        let mut open = vec![0_u32; arms * arms];
        // Without open duels nothing is kept.
        projected.update(2, 1, 0, &evidence);
        assert!(projected.strongest.is_empty());
        open[1] = 1;
        projected.update(0, 1, 1, &evidence);
        for _ in 0..3_000 {
            let i = below(&mut generator, arms);
            let j = (i + 1 + below(&mut generator, arms - 1)) % arms;
            let pair = i.min(j) * arms + i.max(j);
            match below(&mut generator, 3) {
                0 => {
                    evidence.record(i, j, true);
                }
                1 => open[pair] += 1,
                _ => open[pair] = open[pair].saturating_sub(1),
            }
            projected.update(i, j, open[pair], &evidence);
            for k in 0..arms {
                let weighed = |l: usize| {
                    let (won, lost) = evidence.wins(k, l);
                    let known = f64::from(won + lost);
                    let open = f64::from(open[k.min(l) * arms + k.max(l)]);
                    if known > 0.0 { evidence.evidence_against(k)[l] * (1.0 + open / known) } else { 0.0 }
                };
                let top = (0..arms).filter(|&l| l != k).map(weighed).fold(0.0, f64::max);
                assert!(projected.strongest[k] == top && projected.rules_out(k, top * 0.999) == (top > 0.0));
            }
        }
    }
}
