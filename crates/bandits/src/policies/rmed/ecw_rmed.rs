//! ECW-RMED (efficient Copeland winners RMED): pairs meet only as often as it takes, at the least regret, to prove one of the
//! leaders a Copeland winner.
//!
//! With mu(i, j) = w(i, j) / n(i, j), n(i, j) duels of a pair, kl the divergence of its mu from 1/2, L(i) the number of arms
//! that i loses to (mu < 1/2), and C the arms with the smallest L. Arm i of C is *proven* at step t if
//!
//! * n kl >= ln t for each pair of i and an arm that it beats, and
//! * for each other arm j, the sum of n kl is at least ln t over any m = L(j) - L(i) + 1 pairs of j and an arm, other than
//!   i, that j loses to (there is no condition where these are fewer: j then loses too often whatever they are).
//!
//! At each step:
//!
//! 1. if a pair met less than alpha sqrt(ln t) times, or |mu - 1/2| < beta / ln ln t, it meets;
//! 2. otherwise the next pair of the present pass meets (all pairs are in the first). Then, if an arm i of C is proven, the
//!    pair (i, i) joins the next pass. If none is, a proof of each i of C is planned: how often pairs should meet, in units
//!    of ln t, at the least regret. Pairs that met less often than the cheapest plan says join the next pass, and so does
//!    (i, i) of its arm i. Pairs still to come in this pass do not.
//!
//! The plan for i: 1 / kl meetings for each pair of i and an arm that it beats; and for each other arm j the pairs of j and
//! the arms that it loses to, other than i, in the order of regret / kl: the first h of them meet 1 / ((h - s + m) kl) times,
//! where s is their number, with the h for which that costs least. The regret of a pair is how much more both lose than
//! C does, (L + L' - 2 min L) / (2 (K - 1)).
//!
//! ## References
//!
//! J. Komiyama, J. Honda, H. Nakagawa, "Copeland Dueling Bandit Problem: Regret Lower Bound, Optimal Algorithm, and
//! Computationally Efficient Algorithm", ICML 2016, <https://doi.org/10.48550/arXiv.1605.01677>.
//!
//! ## Notes
//!
//! * The order of steps, ln t and ln ln t at least 1, and the defaults (alpha = 3, beta = 0.01) are those of H. Wu's
//!   DuelingBandits, <https://github.com/HuasenWu/DuelingBandits>, the only public program that we know of. Its test of a
//!   proof differs in two places. It also requires that no pair has n kl > ln t, which hardly ever holds, so that it plans after
//!   each step. And each of its sums contains a win of the leader, so that it never checks whether changed verdicts among the
//!   other arms alone would put one of them ahead. That stops exploration a little earlier where it is right, but where the
//!   true winner merely looks beaten by arms it nearly ties with, a wrong leader counts as proven and regret grows in
//!   proportion to time. The lower bound requires both, and so does the rule above: the plan is its cheapest solution. One test
//!   compares it with a linear program, another compares the proof with an enumeration of verdicts. CW-RMED, which weighs both
//!   conditions against each other in its plan, is not here: no efficient form of it is known.
//! * Arms are proven one against another at all times, so that (unlike RMED1) nothing is assumed of a Condorcet winner.
//! * Pairs that differ from 1/2 by less than beta / ln ln t for good meet for ever in step 1, at whatever cost: where
//!   near-ties are many, as among real rankers, regret does not stop growing.
//! * Pairs meet in the order of their numbers, C is searched from the lowest arm on. The arm recommended beats the most
//!   others in more than half of their duels.
//! * The only pair of a pass that is (i, i) is one choice for as long as i stays proven and no pair meets too seldom.
//! * A step of a pass costs O(K^2 log K), a tenth of a millisecond among 136 arms; one of step 1 O(1) on average.

use std::cmp::Ordering;

use super::divergences::{DIVERGENCE_UNIT, divergence, pass_allowance};
use crate::algorithm::papers;
use crate::confidence::LogTime;
use crate::counts::{PairCounts, PairTable};
use crate::{Arm, Choice, Feedback, Generator, Policy, config, state, stored};

config! {
    /// ECW-RMED's parameters.
    pub struct EcwRmedConfig {
        /// Every pair meets at least alpha sqrt(ln t) times; positive.
        alpha: f64 = 3.0, "pairs meet alpha sqrt(ln t) times or more" [positive];
        /// Every pair meets until its mean differs from 1/2 by beta / ln ln t; positive.
        beta: f64 = 0.01, "pairs meet until mu differs from 1/2 by beta / ln ln t" [positive];
    }

    policy EcwRmed {
        name: "ecw-rmed",
        summary: "proofs of a Copeland winner at the least regret (Komiyama et al., ICML 2016)",
        paper: papers::KOMIYAMA_ICML_2016,
        all_pairs: true,
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> EcwRmed {
        EcwRmed::new(self, arms)
    }
}

/// ECW-RMED.
#[derive(Debug, Clone)]
pub struct EcwRmed {
    alpha: f64,
    beta: f64,
    clock: LogTime,
    wins: PairCounts,
    /// n kl of each pair, either way.
    terms: PairTable<i64>,
    /// L(i).
    losses: Vec<u32>,
    /// How often every pair must have met; no pair before `underexplored` fails step 1.
    meetings: u32,
    underexplored: (usize, usize),
    /// The pass, and how much of it is played.
    pass: Vec<(u32, u32)>,
    played: usize,
    next: Vec<(u32, u32)>,
    /// Whether a pair, lower arm first, is still to come in this pass or in the next.
    listed: PairTable<bool>,
    /// Whether the last step was one of the pass.
    in_pass: bool,
}

state!(EcwRmed { clock, wins, terms, losses, meetings, underexplored, pass, played, next, listed, in_pass } but { alpha, beta });

/// A plan: a pair, and by what its 1 / kl meetings are multiplied.
type PairShare = ((usize, usize), f64);

impl EcwRmed {
    fn new(config: &EcwRmedConfig, arms: usize) -> Self {
        let pairs = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i as u32, j as u32)));
        Self {
            alpha: config.alpha,
            beta: config.beta,
            clock: LogTime::new(),
            wins: PairCounts::new(arms, 0),
            terms: PairTable::new(arms, 0),
            losses: vec![0; arms],
            meetings: 0,
            underexplored: (0, 1),
            pass: pairs.collect(),
            played: 0,
            next: Vec::new(),
            listed: PairTable::with_diagonal(arms, true, false),
            in_pass: false,
        }
    }

    /// The first pair that met too seldom or is too close to 1/2, at ln t = `time`.
    fn underexplored(&mut self, time: f64) -> Option<(usize, usize)> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and sqrt(ln t) is small"
        )]
        let meetings = (self.alpha * time.sqrt()).ceil() as u32;
        if meetings > self.meetings {
            self.meetings = meetings;
            self.underexplored = (0, 1);
        }
        let band = self.beta / libm::log(time.max(1.0)).max(1.0);
        let (mut i, mut j) = self.underexplored;
        while i + 1 < self.arms() {
            let met = f64::from(self.wins.met(i, j));
            let lead = f64::from(self.wins[(i, j)]) - 0.5 * met;
            if met < f64::from(self.meetings) || met == 0.0 || lead.abs() < band * met {
                self.underexplored = (i, j);
                return Some((i, j));
            }
            (i, j) = if j + 1 < self.arms() { (i, j + 1) } else { (i + 1, i + 2) };
        }
        self.underexplored = (i, j);
        None
    }

    fn record(&mut self, winner: usize, loser: usize) {
        let behind = |wins: &PairCounts| (u32::from(wins.beats(loser, winner)), u32::from(wins.beats(winner, loser)));
        let before = behind(&self.wins);
        let (won, lost) = self.wins.record(winner, loser);
        let after = behind(&self.wins);
        self.losses[winner] = self.losses[winner] + after.0 - before.0;
        self.losses[loser] = self.losses[loser] + after.1 - before.1;
        let term = divergence(won, lost);
        self.terms[(winner, loser)] = term;
        self.terms[(loser, winner)] = term;
        self.underexplored = self.underexplored.min((winner.min(loser), winner.max(loser)));
    }

    /// C.
    fn leaders(&self) -> impl Iterator<Item = usize> + '_ {
        let least = self.losses.iter().copied().min();
        (0..self.arms()).filter(move |&arm| Some(self.losses[arm]) == least)
    }

    /// The arms other than `i` that `j` loses to.
    fn losses_of(&self, j: usize, i: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.arms()).filter(move |&other| other != i && self.wins.beats(other, j))
    }

    /// How many of an arm's losses must be wins for it to be ahead of `i`, of C.
    fn losses_to_turn(&self, j: usize, i: usize) -> usize {
        (self.losses[j] - self.losses[i]) as usize + 1
    }

    /// The largest ln t for which `i`, of C, is proven.
    fn proven_until(&self, i: usize) -> i64 {
        let others = || (0..self.arms()).filter(move |&j| j != i);
        let mut until =
            others().filter(|&j| self.wins.beats(i, j)).map(|j| self.terms[(i, j)]).min().unwrap_or(i64::MAX);
        let mut terms = Vec::new();
        for j in others() {
            terms.clear();
            terms.extend(self.losses_of(j, i).map(|other| self.terms[(j, other)]));
            let turned = self.losses_to_turn(j, i);
            if terms.len() >= turned {
                terms.sort_unstable();
                until = until.min(terms[..turned].iter().sum());
            }
        }
        until
    }

    /// The cheapest plan of a proof of `i`, of C, and its regret.
    fn plan(&self, i: usize) -> (f64, Vec<PairShare>) {
        let others = || (0..self.arms()).filter(move |&j| j != i);
        let cost = |a: usize, b: usize| {
            let regret = f64::from(self.losses[a] + self.losses[b] - 2 * self.losses[i]);
            regret * f64::from(self.wins.met(a, b)) / (self.terms[(a, b)] as f64 * DIVERGENCE_UNIT)
        };
        let mut shares: Vec<PairShare> = others().filter(|&j| self.wins.beats(i, j)).map(|j| ((i, j), 1.0)).collect();
        let mut total: f64 = shares.iter().map(|&((a, b), _)| cost(a, b)).sum();
        for j in others() {
            let mut costs: Vec<(f64, usize)> = self.losses_of(j, i).map(|other| (cost(j, other), other)).collect();
            costs.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
            if let Some((regret, first, share)) = cheapest_shares(&costs, self.losses_to_turn(j, i)) {
                total += regret;
                shares.extend(costs[..first].iter().map(|&(_, other)| ((j, other), share)));
            }
        }
        (total, shares)
    }

    /// Fills the next pass with what the pair that has just met leaves to prove, at ln t = `time`.
    fn fill_next_pass(&mut self, time: f64) {
        let reached = pass_allowance(time, 0.0);
        let proven = self.leaders().find(|&arm| self.proven_until(arm) >= reached);
        if let Some(proven) = proven {
            self.admit((proven, proven));
            return;
        }
        let plans = self.leaders().map(|arm| (self.plan(arm), arm));
        let cheapest = plans.reduce(|least, plan| if plan.0.0 < least.0.0 { plan } else { least });
        let Some(((_, shares), arm)) = cheapest else { return };
        for (pair, share) in shares {
            if (self.terms[pair] as f64) * DIVERGENCE_UNIT < share * time {
                self.admit(pair);
            }
        }
        self.admit((arm, arm));
    }

    fn admit(&mut self, (i, j): (usize, usize)) {
        let pair = (i.min(j), i.max(j));
        if !std::mem::replace(&mut self.listed[pair], true) {
            self.next.push((pair.0 as u32, pair.1 as u32));
        }
    }

    /// The last step at which `arm`, the only one of the pass, stays proven and all pairs have met often enough.
    fn alone_until(&self, arm: usize, step: u64) -> u64 {
        // Duels since it joined the pass may have put others ahead.
        if !self.leaders().any(|leader| leader == arm) {
            return step;
        }
        let arms = self.arms();
        let pairs = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j)));
        let met = pairs.map(|(i, j)| self.wins.met(i, j)).min().unwrap_or(0);
        let proven = self.proven_until(arm);
        let stays = |step: u64| {
            let time = libm::log(step as f64).max(1.0);
            pass_allowance(time, 0.0) <= proven && self.alpha * time.sqrt() <= f64::from(met)
        };
        if !stays(step) {
            return step;
        }
        let seldom = f64::from(met) / self.alpha;
        let guess = libm::exp((proven as f64 * DIVERGENCE_UNIT).min(seldom * seldom));
        if guess >= 9e15 {
            return u64::MAX;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 9e15")]
        let mut last = (guess as u64).max(step);
        while last > step && !stays(last) {
            last -= 1;
        }
        while stays(last + 1) {
            last += 1;
        }
        last
    }
}

/// The least regret of meetings of pairs with these regrets per unit of n kl, rising, such that any `turned` of them sum up
/// to 1: the regret, how many of the first meet, and the n kl of each of these. `None` if there are fewer.
fn cheapest_shares(costs: &[(f64, usize)], turned: usize) -> Option<(f64, usize, f64)> {
    let spare = costs.len().checked_sub(turned)?;
    let mut sum: f64 = costs[..spare].iter().map(|&(cost, _)| cost).sum();
    let with = |first: usize| {
        sum += costs[first - 1].0;
        let share = 1.0 / (first - spare) as f64;
        (sum * share, first, share)
    };
    (spare + 1..=costs.len()).map(with).reduce(|least, one| if one.0 < least.0 { one } else { least })
}

impl Policy for EcwRmed {
    fn arms(&self) -> usize {
        self.wins.arms()
    }

    fn choose(&mut self, step: u64, _generator: &mut Generator) -> Choice<'_> {
        if self.arms() == 1 {
            return Choice::Alone { arm: Arm(0), until: u64::MAX };
        }
        if std::mem::take(&mut self.in_pass) {
            let time = self.clock.ln((step - 1) as f64).max(1.0);
            self.fill_next_pass(time);
        }
        let time = self.clock.ln(step as f64);
        if let Some((i, j)) = self.underexplored(time) {
            return Choice::Duel(Arm::at(i), Arm::at(j));
        }
        if self.played == self.pass.len() {
            self.pass = std::mem::take(&mut self.next);
            self.played = 0;
        }
        let (i, j) = self.pass[self.played];
        self.played += 1;
        self.listed[(Arm(i), Arm(j))] = false;
        self.in_pass = true;
        if i != j {
            return Choice::Duel(Arm(i), Arm(j));
        }
        let only = self.played == self.pass.len() && self.next.is_empty();
        let until = if only { self.alone_until(i as usize, step) } else { step };
        Choice::Alone { arm: Arm(i), until }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let Feedback::Duel { winner, loser, .. } = feedback {
            self.record(winner.index(), loser.index());
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.wins.copeland_best(generator)
    }

    stored!();
}

#[cfg(test)]
mod tests {
    use microlp::{ComparisonOp, OptimizationDirection, Problem};
    use rand::SeedableRng as _;

    use super::*;
    use crate::PolicyConfig as _;
    use crate::random::unit;

    /// The same by linear programming, with a constraint for each subset.
    fn by_linear_program(costs: &[(f64, usize)], turned: usize) -> f64 {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let amounts: Vec<_> = costs.iter().map(|&(cost, _)| problem.add_var(cost, (0.0, f64::INFINITY))).collect();
        for subset in (0_u32..1 << costs.len()).filter(|subset| subset.count_ones() as usize == turned) {
            let members = (0..costs.len()).filter(|member| subset >> member & 1 == 1);
            let row: Vec<_> = members.map(|member| (amounts[member], 1.0)).collect();
            problem.add_constraint(&row[..], ComparisonOp::Ge, 1.0);
        }
        problem.solve().expect("bounded").into_solution().expect("solved").objective()
    }

    #[test]
    fn plans_are_the_cheapest() {
        let mut generator = Generator::seed_from_u64(1);
        for arms in 1..=7 {
            for turned in 1..=arms {
                for _ in 0..20 {
                    let mut costs: Vec<(f64, usize)> = (0..arms).map(|arm| (unit(&mut generator), arm)).collect();
                    costs.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
                    let (regret, first, share) = cheapest_shares(&costs, turned).expect("enough");
                    let best = by_linear_program(&costs, turned);
                    assert!((regret - best).abs() < 1e-9, "{costs:?}, {turned}: {regret}, {best}");
                    // It is a solution: even the smallest of them sum up to 1.
                    let smallest = (turned + first).saturating_sub(arms) as f64 * share;
                    assert!(smallest > 1.0 - 1e-12, "{first} of {arms}, {turned}");
                }
            }
            assert_eq!(cheapest_shares(&vec![(1.0, 0); arms], arms + 1), None);
        }
    }

    /// A proof by its definition: no change of verdicts that would put another arm ahead is cheaper.
    #[test]
    fn a_proof_rules_out_every_cheap_change_of_verdicts() {
        let arms = 5;
        let mut generator = Generator::seed_from_u64(2);
        for _ in 0..200 {
            let mut policy = EcwRmedConfig::default().policy(arms, None).expect("valid");
            for i in 0..arms {
                for j in i + 1..arms {
                    let p = unit(&mut generator);
                    (0..41)
                        .for_each(|_| if unit(&mut generator) < p { policy.record(i, j) } else { policy.record(j, i) });
                }
            }
            let pairs: Vec<(usize, usize)> = (0..arms).flat_map(|i| (i + 1..arms).map(move |j| (i, j))).collect();
            for leader in policy.leaders().collect::<Vec<_>>() {
                // Either a single win of the leader is lost, or wins of others change while its own stay as they are.
                let mut least = pairs
                    .iter()
                    .copied()
                    .filter(|&(i, j)| i == leader || j == leader)
                    .filter(|&(i, j)| policy.wins.beats(leader, i + j - leader))
                    .map(|pair| policy.terms[pair])
                    .min()
                    .unwrap_or(i64::MAX);
                for changed in 0_u32..1 << pairs.len() {
                    let turned: Vec<(usize, usize)> =
                        (0..pairs.len()).filter(|at| changed >> at & 1 == 1).map(|at| pairs[at]).collect();
                    if turned.iter().any(|&(i, j)| i == leader || j == leader) {
                        continue;
                    }
                    let losses = |arm: usize| {
                        (0..arms)
                            .filter(|&j| j != arm)
                            .filter(|&j| policy.wins.beats(j, arm) != turned.contains(&(arm.min(j), arm.max(j))))
                            .count()
                    };
                    if (0..arms).any(|arm| losses(arm) < losses(leader)) {
                        least = least.min(turned.iter().map(|&pair| policy.terms[pair]).sum());
                    }
                }
                assert_eq!(policy.proven_until(leader), least);
            }
        }
    }
}
