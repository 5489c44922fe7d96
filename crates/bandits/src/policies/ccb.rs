//! Copeland confidence bound (CCB): optimism about how many arms an arm beats picks the champion,
//! and the arms that are known to have beaten it are asked again first.
//!
//! With u(i, j) = mu(i, j) + sqrt(alpha ln t / n(i, j)), l(i, j) = mu(i, j) - the same root, both
//! 1/2 for i = j, at each step:
//!
//! 1. an arm's optimistic score is how many others it may beat (u >= 1/2), its pessimistic score
//!    how many it surely beats (l >= 1/2); C are the arms with the highest optimistic score;
//! 2. beside it stand B, the potential winners (all arms at first), B(i), the arms that are held to
//!    beat i (none at first), and L, the most that a winner is held to lose to (K at first):
//!    - if some i surely beats an arm of B(i), all three begin anew;
//!    - each i of B whose optimistic score is below another's pessimistic one leaves B, and if
//!      B(i) has not L + 1 arms it becomes { j : u(i, j) < 1/2 }; if B is empty all begin anew;
//!    - each i of C whose two scores are equal joins B; B(i) becomes empty and L what i loses to;
//!      every other B(j) is emptied if it has fewer than L + 1 arms, and cut at random to L + 1 if
//!      it has more;
//! 3. with probability 1/4 a pair (i, j), j in B(i), that is open (l <= 1/2 <= u) is drawn and
//!    meets; otherwise
//! 4. with probability 2/3 only the arms of both B and C stay in C, if there are any; the champion
//!    c is drawn from C; with probability 1/2 its challenger is sought in B(c), otherwise among all
//!    arms: the one with the highest u(d, c) of those with l(d, c) <= 1/2, not c if others tie.
//!
//! ## References
//!
//! M. Zoghi, Z. Karnin, S. Whiteson, M. de Rijke, "Copeland Dueling Bandits", NIPS 2015,
//! <https://proceedings.neurips.cc/paper/2015/hash/9872ed9fc22fc182d371c3e9ed316094-Abstract.html>,
//! algorithm 1. It minimises regret against a Copeland winner, which a Condorcet winner is.
//!
//! ## Notes
//!
//! * Pairs never seen have u = 2 and l = 0.
//! * Where B(c) has no arm with l(d, c) <= 1/2, the challenger is sought among all, as in H. Wu's
//!   DuelingBandits, <https://github.com/HuasenWu/DuelingBandits>.
//! * Coins are tossed only where they matter: in step 3 if there is an open pair, in step 4 if B
//!   takes some but not all arms out of C, and if B(c) is not empty.
//! * alpha = 0.51 is that of the experiments; theory needs more than 1/2.
//! * Once all pairs of the only arm of C are settled and no pair of step 3 is open, it plays alone
//!   until time opens a pair again.
//! * Pairs are kept as settled or open (`settled.rs`); a step costs O(K).

use crate::algorithm::{countable, positive};
use crate::bounds::{best_among, last_step_below};
use crate::draw::{below, coin};
use crate::settled::{Change, Settled};
use crate::{Algorithm, Arm, Choice, Feedback, Generator, Parameter, ParameterError, Policy};

/// CCB's parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Width of the confidence bounds, positive.
    pub alpha: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { alpha: 0.51 }
    }
}

impl Algorithm for Config {
    const NAME: &'static str = "ccb";
    const SUMMARY: &'static str = "Copeland confidence bound (Zoghi et al., NIPS 2015)";
    type Policy = Ccb;

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![Parameter::new(
            "alpha",
            "width of the bounds, above 1/2 in theory",
            &mut self.alpha,
        )]
    }

    fn check(&self) -> Result<(), ParameterError> {
        positive("alpha", self.alpha)
    }

    fn caution(&self) -> Option<String> {
        (self.alpha <= 0.5).then(|| {
            format!(
                "ccb: alpha = {} is not above 1/2, as its theory needs",
                self.alpha
            )
        })
    }

    fn policy(&self, arms: usize, _horizon: u64) -> Result<Ccb, ParameterError> {
        self.check()?;
        countable(arms)?;
        Ok(Ccb::new(self.alpha, arms))
    }
}

/// CCB.
#[derive(Debug, Clone)]
pub struct Ccb {
    alpha: f64,
    settled: Settled,
    hypotheses: Hypotheses,
    /// For each arm c its opponents j in a row: w(j, c) / n and 1 / sqrt(n).
    means: Vec<f64>,
    widths: Vec<f64>,
    met: Option<[usize; 2]>,
    /// C, and room to choose in.
    candidates: Vec<usize>,
    room: Vec<usize>,
}

/// B, B(i) and L.
#[derive(Debug, Clone)]
struct Hypotheses {
    words: usize,
    potential: Vec<bool>,
    potential_count: usize,
    /// Bit j of row i: j is in B(i).
    beaten_by: Vec<u64>,
    size: Vec<usize>,
    /// How many pairs (i, j), j in B(i), are open, for each i.
    open: Vec<usize>,
    losses: usize,
    disproven: bool,
}

impl Hypotheses {
    fn new(arms: usize) -> Self {
        let words = arms.div_ceil(64);
        Self {
            words,
            potential: vec![true; arms],
            potential_count: arms,
            beaten_by: vec![0; arms * words],
            size: vec![0; arms],
            open: vec![0; arms],
            losses: arms,
            disproven: false,
        }
    }

    #[cold]
    fn reset(&mut self) {
        let arms = self.potential.len();
        self.potential.fill(true);
        self.potential_count = arms;
        self.beaten_by.fill(0);
        self.size.fill(0);
        self.open.fill(0);
        self.losses = arms;
        self.disproven = false;
    }

    #[inline]
    fn row(&self, arm: usize) -> &[u64] {
        &self.beaten_by[arm * self.words..(arm + 1) * self.words]
    }

    #[inline]
    fn holds(&self, arm: usize, beaten_by: usize) -> bool {
        self.beaten_by[arm * self.words + beaten_by / 64] >> (beaten_by % 64) & 1 == 1
    }

    fn clear(&mut self, arm: usize) {
        self.beaten_by[arm * self.words..(arm + 1) * self.words].fill(0);
        self.size[arm] = 0;
        self.open[arm] = 0;
    }

    /// Notes that a pair is settled, or open again.
    fn note(&mut self, change: Change) {
        let Change {
            ahead,
            behind,
            settled,
        } = change;
        for (i, j) in [(ahead, behind), (behind, ahead)] {
            if self.holds(i, j) {
                if settled {
                    self.open[i] -= 1;
                } else {
                    self.open[i] += 1;
                }
            }
        }
        self.disproven |= settled && self.holds(ahead, behind);
    }

    /// B(`arm`) becomes those that it is settled to lose to.
    fn take_over(&mut self, arm: usize, settled: &Settled) {
        let row = &mut self.beaten_by[arm * self.words..(arm + 1) * self.words];
        row.copy_from_slice(settled.lost_to(arm));
        self.size[arm] = settled.lost_counts()[arm] as usize;
        self.open[arm] = 0;
    }

    /// Cuts B(`arm`) to `size` arms at random.
    fn cut(
        &mut self,
        arm: usize,
        size: usize,
        settled: &Settled,
        room: &mut Vec<usize>,
        generator: &mut Generator,
    ) {
        room.clear();
        room.extend(ones(self.row(arm)));
        for place in 0..size {
            let other = place + below(generator, room.len() - place);
            room.swap(place, other);
        }
        self.clear(arm);
        for &kept in &room[..size] {
            self.beaten_by[arm * self.words + kept / 64] |= 1 << (kept % 64);
            let open = !settled.loses(arm, kept) && !settled.loses(kept, arm);
            self.open[arm] += usize::from(open);
        }
        self.size[arm] = size;
    }
}

/// The bits that are set, rising.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(word, &bits)| {
        let mut bits = bits;
        std::iter::from_fn(move || {
            (bits != 0).then(|| {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                64 * word + bit
            })
        })
    })
}

impl Ccb {
    fn new(alpha: f64, arms: usize) -> Self {
        let mut means = vec![2.0; arms * arms];
        for arm in 0..arms {
            means[arm * arms + arm] = 0.5;
        }
        Self {
            alpha,
            settled: Settled::new(arms),
            hypotheses: Hypotheses::new(arms),
            means,
            widths: vec![0.0; arms * arms],
            met: None,
            candidates: Vec::with_capacity(arms),
            room: Vec::with_capacity(arms),
        }
    }

    /// Brings the pairs up to date with alpha ln t.
    fn catch_up(&mut self, time: f64) {
        let hypotheses = &mut self.hypotheses;
        let mut note = |_: &Settled, change| hypotheses.note(change);
        if let Some([i, j]) = self.met.take() {
            self.settled.look_at(i, j, time, &mut note);
        }
        self.settled.advance(time, &mut note);
    }

    /// Step 2.
    fn update(&mut self, generator: &mut Generator) {
        let arms = self.settled.arms();
        let hypotheses = &mut self.hypotheses;
        if hypotheses.disproven {
            hypotheses.reset();
        }
        // The optimistic score of an arm is K - 1 - lost, its pessimistic one is won.
        let lost = self.settled.lost_counts();
        let won = self.settled.won_counts();
        let surest = won.iter().copied().max().unwrap_or(0) as usize;
        for (arm, &lost) in lost.iter().enumerate() {
            if hypotheses.potential[arm] && arms - 1 - (lost as usize) < surest {
                hypotheses.potential[arm] = false;
                hypotheses.potential_count -= 1;
                if hypotheses.size[arm] != hypotheses.losses + 1 {
                    hypotheses.take_over(arm, &self.settled);
                }
            }
        }
        if hypotheses.potential_count == 0 {
            hypotheses.reset();
        }
        let fewest = lost.iter().copied().min().unwrap_or(0);
        self.candidates.clear();
        self.candidates
            .extend((0..arms).filter(|&arm| lost[arm] == fewest));
        let mut certain = false;
        for &arm in &self.candidates {
            if (lost[arm] + won[arm]) as usize == arms - 1 {
                certain = true;
                if !hypotheses.potential[arm] {
                    hypotheses.potential[arm] = true;
                    hypotheses.potential_count += 1;
                }
                hypotheses.clear(arm);
            }
        }
        if certain {
            hypotheses.losses = fewest as usize;
            let most = hypotheses.losses + 1;
            for arm in 0..arms {
                match hypotheses.size[arm] {
                    0 => {}
                    size if size < most => hypotheses.clear(arm),
                    size if size > most => {
                        hypotheses.cut(arm, most, &self.settled, &mut self.room, generator);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The `nth` open pair (i, j), j in B(i), in order.
    fn open_pair(&self, mut nth: usize) -> Option<(usize, usize)> {
        for (i, &open) in self.hypotheses.open.iter().enumerate() {
            if nth < open {
                let mut pairs = ones(self.hypotheses.row(i))
                    .filter(|&j| !self.settled.loses(i, j) && !self.settled.loses(j, i));
                return pairs.nth(nth).map(|j| (i, j));
            }
            nth -= open;
        }
        None
    }

    /// The champion of step 4.
    fn champion(&mut self, generator: &mut Generator) -> usize {
        let potential = &self.hypotheses.potential;
        let both = self
            .candidates
            .iter()
            .filter(|&&arm| potential[arm])
            .count();
        if both > 0 && both < self.candidates.len() && below(generator, 3) < 2 {
            self.candidates.retain(|&arm| potential[arm]);
        }
        self.candidates[below(generator, self.candidates.len())]
    }

    /// The challenger of step 4, perhaps `champion` itself.
    fn challenger(&self, champion: usize, scale: f64, generator: &mut Generator) -> usize {
        if self.hypotheses.size[champion] > 0 && coin(generator) {
            let among = |arm: usize| self.hypotheses.holds(champion, arm);
            if let Some(arm) = self.highest(champion, scale, among, generator) {
                return arm;
            }
        }
        self.highest(champion, scale, |_| true, generator)
            .unwrap_or(champion)
    }

    /// The arm of those that `among` allows that has the highest u(d, champion) of all with
    /// l(d, champion) <= 1/2.
    fn highest(
        &self,
        champion: usize,
        scale: f64,
        among: impl Fn(usize) -> bool,
        generator: &mut Generator,
    ) -> Option<usize> {
        let arms = self.settled.arms();
        let row = champion * arms..(champion + 1) * arms;
        let (means, widths) = (&self.means[row.clone()], &self.widths[row]);
        let (mut top, mut first, mut ties) = (f64::NEG_INFINITY, None, 0);
        let allowed = |arm: usize| among(arm) && !self.settled.loses(champion, arm);
        for (arm, (mean, width)) in means.iter().zip(widths).enumerate() {
            let bound = mean + scale * width;
            if bound < top || !allowed(arm) {
                continue;
            }
            if bound > top {
                (top, first, ties) = (bound, Some(arm), 0);
            }
            ties += usize::from(arm != champion);
        }
        if ties <= 1 && first != Some(champion) {
            return first;
        }
        // The champion itself only where nobody ties with it.
        if ties == 0 {
            return first;
        }
        let nth = below(generator, ties);
        means
            .iter()
            .zip(widths)
            .enumerate()
            .filter(|&(arm, (mean, width))| {
                arm != champion && mean + scale * width == top && allowed(arm)
            })
            .nth(nth)
            .map(|(arm, _)| arm)
    }
}

impl Policy for Ccb {
    fn arms(&self) -> usize {
        self.settled.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        let time = self.alpha * libm::log(step as f64);
        self.catch_up(time);
        self.update(generator);
        let open: usize = self.hypotheses.open.iter().sum();
        if open > 0
            && below(generator, 4) == 0
            && let Some((i, j)) = self.open_pair(below(generator, open))
        {
            return Choice::Duel(Arm::at(i), Arm::at(j));
        }
        let alone = self.candidates.len() == 1;
        let champion = self.champion(generator);
        let challenger = self.challenger(champion, time.sqrt(), generator);
        if challenger != champion {
            return Choice::Duel(Arm::at(champion), Arm::at(challenger));
        }
        let counts = self.settled.lost_counts()[champion] + self.settled.won_counts()[champion];
        let certain = counts as usize == self.arms() - 1;
        let until = if alone && open == 0 && certain {
            last_step_below(self.settled.next_expiry(), self.alpha).max(step)
        } else {
            step
        };
        Choice::Alone {
            arm: Arm::at(champion),
            until,
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        let (winner, loser) = (winner.index(), loser.index());
        let (won, lost) = self.settled.record(winner, loser);
        let (won, lost) = (f64::from(won), f64::from(lost));
        let arms = self.settled.arms();
        let width = 1.0 / (won + lost).sqrt();
        for (row, column, mean) in [
            (loser, winner, won / (won + lost)),
            (winner, loser, lost / (won + lost)),
        ] {
            self.means[row * arms + column] = mean;
            self.widths[row * arms + column] = width;
        }
        self.met = Some([winner, loser]);
    }

    fn best(&self, generator: &mut Generator) -> Option<Arm> {
        best_among(self.settled.wins(), self.settled.lost_counts(), generator)
    }
}
