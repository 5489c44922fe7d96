//! Confidence bounds on preferences, kept so that nothing is recomputed that a duel did not
//! change.
//!
//! The upper bound u(i, j) = mu(i, j) + sqrt(alpha ln t / n(i, j)) falls below 1/2 exactly while
//! alpha ln t < q(i, j), where q(i, j) = n (1/2 - mu)^2 = (w(j, i) - w(i, j))^2 / 4n for an arm
//! that is behind, and 0 otherwise: the *evidence* that i loses to j. One duel changes two entries
//! of q, and time alone changes none, so that "no upper bound of arm i is below 1/2" is one
//! comparison with the largest entry of its row.

use crate::{Arm, Generator, PairWins, draw};

/// Who won how often, and the evidence against each arm.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    arms: usize,
    wins: Vec<u32>,
    /// q(i, j) at `i * arms + j`.
    against: Vec<f64>,
    /// The largest of each row of `against`, and who holds it.
    strongest: Vec<f64>,
    holder: Vec<u32>,
}

impl Evidence {
    /// `prior` wins either way for every pair.
    pub(crate) fn new(arms: usize, prior: u32) -> Self {
        let mut wins = vec![prior; arms * arms];
        for i in 0..arms {
            wins[i * arms + i] = 0;
        }
        Self { arms, wins, against: vec![0.0; arms * arms], strongest: vec![0.0; arms], holder: vec![0; arms] }
    }

    pub(crate) fn arms(&self) -> usize {
        self.arms
    }

    /// How often `i` beat `j`, and `j` beat `i`.
    #[inline]
    pub(crate) fn wins(&self, i: usize, j: usize) -> (u32, u32) {
        (self.wins[i * self.arms + j], self.wins[j * self.arms + i])
    }

    /// The strongest evidence against each arm.
    #[inline]
    pub(crate) fn strongest(&self) -> &[f64] {
        &self.strongest
    }

    /// Takes in a duel.
    #[inline]
    pub(crate) fn record(&mut self, winner: usize, loser: usize) {
        let (weaker, stronger) = self.write(winner, loser, true);
        // The loser's row can only have grown, the winner's only shrunk.
        if stronger > self.strongest[loser] {
            self.strongest[loser] = stronger;
            self.holder[loser] = winner as u32;
        }
        if self.holder[winner] as usize == loser && weaker < self.strongest[winner] {
            self.scan(winner);
        }
    }

    /// Takes in all pairs of a set, in O(n (n + K)).
    pub(crate) fn record_set(&mut self, set: &[Arm], wins: &PairWins) {
        for (i, first) in set.iter().enumerate() {
            let won = wins.row(i);
            for (j, second) in set.iter().enumerate().skip(i + 1) {
                let first_won = won[j / 64] >> (j % 64) & 1 == 1;
                self.write(first.index(), second.index(), first_won);
            }
        }
        for arm in set.iter().map(|arm| arm.index()) {
            let row = &self.against[arm * self.arms..(arm + 1) * self.arms];
            let (top, holder) = set.iter().fold((0.0, 0), |(top, holder), other| {
                let evidence = row[other.index()];
                if evidence > top { (evidence, other.0) } else { (top, holder) }
            });
            let (strongest, held) = (self.strongest[arm], row[self.holder[arm] as usize]);
            if top >= strongest {
                self.strongest[arm] = top;
                self.holder[arm] = holder;
            } else if held < strongest {
                self.scan(arm);
            }
        }
    }

    /// Counts a duel and rewrites the pair's evidence: against the first arm, and against the
    /// second. Without a branch on who won.
    #[inline]
    fn write(&mut self, first: usize, second: usize, first_won: bool) -> (f64, f64) {
        let (forth, back) = (first * self.arms + second, second * self.arms + first);
        let won = self.wins[forth] + u32::from(first_won);
        let lost = self.wins[back] + u32::from(!first_won);
        self.wins[forth] = won;
        self.wins[back] = lost;
        let (won, lost) = (f64::from(won), f64::from(lost));
        let lead = won - lost;
        let quarter = 0.25 / (won + lost);
        let behind = |lead: f64| {
            let lead = if lead > 0.0 { lead } else { 0.0 };
            lead * lead * quarter
        };
        let evidence = (behind(-lead), behind(lead));
        self.against[forth] = evidence.0;
        self.against[back] = evidence.1;
        evidence
    }

    fn scan(&mut self, arm: usize) {
        let row = &self.against[arm * self.arms..(arm + 1) * self.arms];
        let top = largest(row);
        self.strongest[arm] = top;
        self.holder[arm] = row.iter().position(|&q| q == top).unwrap_or(0) as u32;
    }

    /// The arm that beat the greatest number of others in more than half of their duels, ties at
    /// random; `None` where no arm beat any (but a lone arm is the best there is).
    pub(crate) fn copeland_best(&self, generator: &mut Generator) -> Option<Arm> {
        best_among(&self.wins, &vec![0; self.arms], generator)
    }

    /// The arm against which there is the least evidence, ties by how many others it beat.
    pub(crate) fn least_doubted(&self, generator: &mut Generator) -> Option<Arm> {
        best_among(&self.wins, &self.strongest, generator)
    }
}

/// The arm with the lowest `doubt`, ties by how many others it beat in more than half of their
/// duels, and then at random; `None` where no arm beat any (but a lone arm is the best there is).
/// `wins` at `i * arms + j` is how often i beat j.
pub(crate) fn best_among<T: PartialOrd + Copy>(wins: &[u32], doubt: &[T], generator: &mut Generator) -> Option<Arm> {
    let arms = doubt.len();
    let beaten: Vec<usize> =
        (0..arms).map(|i| (0..arms).filter(|&j| wins[i * arms + j] > wins[j * arms + i]).count()).collect();
    if arms > 1 && beaten.iter().all(|&count| count == 0) {
        return None;
    }
    let least = doubt.iter().copied().reduce(|a, b| if b < a { b } else { a })?;
    let score = |arm: usize| {
        if doubt[arm] == least { beaten[arm] + 1 } else { 0 }
    };
    draw::best_arm(generator, (0..arms).map(score))
}

/// The largest of some values, 0 of none; in lanes, so that it runs at the speed of memory.
#[inline]
fn largest(values: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(0.0, |top, &value| if value > top { value } else { top })
}

/// The arms whose upper bounds are all at least 1/2, in order, as time and duels change them.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    members: Vec<Arm>,
    inside: Vec<bool>,
    /// No arm outside has less evidence against it: until then time admits nobody.
    next: f64,
}

impl Candidates {
    /// All arms.
    pub(crate) fn new(arms: usize) -> Self {
        Self { members: (0..arms).map(Arm::at).collect(), inside: vec![true; arms], next: f64::INFINITY }
    }

    pub(crate) fn members(&self) -> &[Arm] {
        &self.members
    }

    pub(crate) fn contains(&self, arm: Arm) -> bool {
        self.inside[arm.index()]
    }

    /// Looks again at `arm`, against which `evidence` is the strongest, now that alpha ln t is
    /// `time`.
    #[inline]
    pub(crate) fn look_at(&mut self, arm: Arm, evidence: f64, time: f64) {
        let inside = time >= evidence;
        if !inside {
            self.next = self.next.min(evidence);
        }
        if inside != self.inside[arm.index()] {
            self.put(arm, inside);
        }
    }

    /// Lets in whom time lets in.
    #[inline]
    pub(crate) fn advance(&mut self, strongest: &[f64], time: f64) {
        if time >= self.next {
            self.admit(strongest, time);
        }
    }

    fn admit(&mut self, strongest: &[f64], time: f64) {
        self.next = f64::INFINITY;
        for (index, &evidence) in strongest.iter().enumerate() {
            if !self.inside[index] {
                self.look_at(Arm::at(index), evidence, time);
            }
        }
    }

    fn put(&mut self, arm: Arm, inside: bool) {
        self.inside[arm.index()] = inside;
        let at = self.members.partition_point(|&member| member < arm);
        if inside {
            self.members.insert(at, arm);
        } else {
            self.members.remove(at);
        }
    }
}

/// The last step t at which alpha ln t < `evidence`; `u64::MAX` where that lies beyond 2^53, 0
/// where there is none.
pub(crate) fn last_step_below(evidence: f64, alpha: f64) -> u64 {
    let below = |step: u64| alpha * libm::log(step as f64) < evidence;
    let guess = libm::exp(evidence / alpha);
    // NaN-free: evidence and alpha are positive, or evidence is infinite.
    if guess >= 9e15 {
        return u64::MAX;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 9e15")]
    let mut step = guess as u64;
    while below(step + 1) {
        step += 1;
    }
    while step > 0 && !below(step) {
        step -= 1;
    }
    step
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn evidence_says_which_upper_bounds_are_below_a_half() {
        let (arms, alpha) = (5, 0.51);
        let mut generator = Generator::seed_from_u64(1);
        let mut evidence = Evidence::new(arms, 0);
        let mut candidates = Candidates::new(arms);
        for step in 1..5_000_u64 {
            let time = alpha * libm::log(step as f64);
            let i = draw::below(&mut generator, arms);
            let j = (i + 1 + draw::below(&mut generator, arms - 1)) % arms;
            // Lower arms are better, so that some rows have evidence against them.
            let (a, b) = if draw::below(&mut generator, 10) < 8 { (i.min(j), i.max(j)) } else { (i.max(j), i.min(j)) };
            evidence.record(a, b);
            for arm in [i, j] {
                candidates.look_at(Arm::at(arm), evidence.strongest()[arm], time);
            }
            candidates.advance(evidence.strongest(), time);
            let plain: Vec<Arm> = (0..arms)
                .filter(|&i| {
                    (0..arms).all(|j| {
                        let (w, l) = evidence.wins(i, j);
                        let n = f64::from(w + l);
                        i == j || n == 0.0 || f64::from(w) / n + (time / n).sqrt() >= 0.5
                    })
                })
                .map(Arm::at)
                .collect();
            assert_eq!(candidates.members(), plain, "step {step}");
        }
        assert_eq!(evidence.copeland_best(&mut generator), Some(Arm(0)));
    }

    #[test]
    fn sets_count_as_their_pairs() {
        let mut generator = Generator::seed_from_u64(2);
        let set = [Arm(4), Arm(0), Arm(3)];
        let (mut one, mut other) = (Evidence::new(6, 1), Evidence::new(6, 1));
        for _ in 0..200 {
            let mut wins = PairWins::from_scores(&[0, 0, 0]);
            wins.resolve_ties(&mut generator);
            one.record_set(&set, &wins);
            for i in 0..3 {
                for j in 0..3 {
                    if wins.beats(i, j) {
                        other.record(set[i].index(), set[j].index());
                    }
                }
            }
            assert_eq!(one.wins, other.wins);
            assert_eq!(one.against, other.against);
            assert_eq!(one.strongest, other.strongest);
        }
    }

    #[test]
    fn nothing_learnt_singles_out_nobody() {
        let mut generator = Generator::seed_from_u64(3);
        assert_eq!(Evidence::new(3, 0).copeland_best(&mut generator), None);
        assert_eq!(Evidence::new(1, 0).copeland_best(&mut generator), Some(Arm(0)));
    }

    #[test]
    fn the_last_step_is_the_last() {
        for (evidence, alpha) in [(0.3, 0.51), (7.9, 0.51), (16.0, 1.01), (0.5, 0.1), (1e-9, 0.5)] {
            let last = last_step_below(evidence, alpha);
            let below = |step: u64| alpha * libm::log(step as f64) < evidence;
            assert!(below(last) && !below(last + 1), "{evidence} {alpha} {last}");
        }
        assert_eq!(last_step_below(0.0, 0.5), 0);
        assert_eq!(last_step_below(1e9, 0.5), u64::MAX);
        assert_eq!(last_step_below(f64::INFINITY, 0.5), u64::MAX);
    }
}
