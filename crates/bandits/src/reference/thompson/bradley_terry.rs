//! Thompson sampling under a Bradley-Terry model as its rule is written: every utility drawn at every step, and all that
//! the guard says computed from the wins.

use crate::policies::bradley_terry::{BradleyTerryConfig, FURTHER_DRAWS, PRIORS, UNCONDITIONAL_DUEL_PROBABILITY};
use crate::random::{Normals, argmax, below, uniform};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// The posterior under one prior.
#[derive(Debug, Clone)]
struct PriorPosterior {
    prior: f64,
    weight: f64,
    means: Vec<f64>,
    variances: Vec<f64>,
}

/// `bradley-terry`, step by step.
#[derive(Debug, Clone)]
pub struct ReferenceBradleyTerry {
    eta: f64,
    share: f64,
    known: Vec<PriorPosterior>,
    wins: Vec<Vec<f64>>,
    duels: u64,
    step: u64,
}

impl ReferenceBradleyTerry {
    /// For valid parameters and at least one arm.
    #[must_use]
    pub fn new(config: &BradleyTerryConfig, arms: usize) -> Self {
        let priors = config.prior.map_or_else(|| PRIORS.to_vec(), |prior| vec![prior]);
        let known = |prior: f64| PriorPosterior {
            prior,
            weight: 0.0,
            means: vec![0.0; arms],
            variances: vec![prior * prior; arms],
        };
        Self {
            eta: config.eta,
            share: config.guard,
            known: priors.into_iter().map(known).collect(),
            wins: vec![vec![0.0; arms]; arms],
            duels: 0,
            step: 1,
        }
    }

    /// The step at which the present period began, or would have begun.
    fn period(&self) -> u64 {
        let mut start = self.arms().max(8) as u64;
        while 2 * start <= self.step {
            start *= 2;
        }
        start
    }

    /// n kl(w / n, 1/2) of a pair.
    fn evidence(&self, i: usize, j: usize) -> f64 {
        let (won, lost) = (self.wins[i][j], self.wins[j][i]);
        let half = |wins: f64| if wins > 0.0 { wins * libm::log(2.0 * wins / (won + lost)) } else { 0.0 };
        half(won) + half(lost)
    }

    fn is_proven(&self, i: usize, j: usize) -> bool {
        self.evidence(i, j) > libm::log(self.period() as f64)
    }

    fn losses(&self) -> Vec<usize> {
        let proven = libm::log(self.period() as f64);
        let lost = |i: usize, j: usize| self.wins[j][i] > self.wins[i][j] && self.evidence(i, j) > proven;
        (0..self.arms()).map(|i| (0..self.arms()).filter(|&j| lost(i, j)).count()).collect()
    }

    fn heaviest(&self) -> &PriorPosterior {
        let most = self.known.iter().max_by(|one, other| one.weight.total_cmp(&other.weight));
        most.expect("a prior is left")
    }

    fn leader(&self, losses: &[usize]) -> usize {
        let fewest = losses.iter().min();
        let candidates = (0..self.arms()).filter(|&arm| Some(&losses[arm]) == fewest);
        let means = &self.heaviest().means;
        candidates.max_by(|&i, &j| means[i].total_cmp(&means[j])).expect("a candidate")
    }

    /// The weight of an arm against the leader, and whether it is ahead.
    fn weight(&self, arm: usize, leader: usize) -> (f64, bool) {
        let ahead = self.wins[arm][leader] > self.wins[leader][arm];
        let evidence = self.evidence(arm, leader);
        match arm == leader || self.is_proven(arm, leader) {
            true => (0.0, false),
            false if ahead => (libm::exp(evidence), true),
            false => (0.5 * libm::erfc(evidence.max(0.0).sqrt()), false),
        }
    }

    fn forced_opponent(&self, leader: usize, share: f64, generator: &mut Generator) -> Option<usize> {
        let weights: Vec<(f64, bool)> = (0..self.arms()).map(|arm| self.weight(arm, leader)).collect();
        let sum = |is_ahead: bool| {
            weights.iter().filter(|&&(_, ahead)| ahead == is_ahead).map(|(weight, _)| weight).sum::<f64>()
        };
        let (behind, ahead) = (sum(false), sum(true));
        if uniform(generator) >= share * (behind.min(1.0) + ahead) {
            return None;
        }
        let shrink = 1.0 / behind.max(1.0);
        let mut rest = uniform(generator) * (behind.min(1.0) + ahead);
        weights.iter().position(|&(weight, ahead)| {
            rest -= if ahead { weight } else { weight * shrink };
            rest < 0.0
        })
    }

    fn draw(&self, prior: usize, generator: &mut Generator) -> usize {
        let PriorPosterior { means, variances, .. } = &self.known[prior];
        let normals = Normals::new();
        let theta: Vec<f64> =
            means.iter().zip(variances).map(|(m, v)| m + v.sqrt() * normals.draw(generator)).collect();
        argmax(generator, theta.into_iter()).unwrap_or(0)
    }

    fn draw_prior(&self, generator: &mut Generator) -> usize {
        let most = self.heaviest().weight;
        let shares: Vec<f64> = self.known.iter().map(|known| libm::exp(known.weight - most)).collect();
        let mut rest = uniform(generator) * shares.iter().sum::<f64>();
        let drawn = shares.iter().position(|share| {
            rest -= share;
            rest < 0.0
        });
        drawn.unwrap_or(0)
    }
}

impl Policy for ReferenceBradleyTerry {
    fn arms(&self) -> usize {
        self.wins.len()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        self.step = step;
        let losses = self.losses();
        let leader = if self.duels == 0 { below(generator, self.arms()) } else { self.leader(&losses) };
        let refuted = losses[leader] > 0;
        let leader_alone = Choice::Alone { arm: Arm::at(leader), until: step };
        if let Some(opponent) = self.forced_opponent(leader, if refuted { 1.0 } else { self.share }, generator) {
            return Choice::Duel(Arm::at(leader), Arm::at(opponent));
        }
        if refuted {
            return leader_alone;
        }
        let prior = self.draw_prior(generator);
        let challenger = self.draw(prior, generator);
        if challenger == leader || self.is_proven(leader, challenger) {
            return leader_alone;
        }
        let opinions: Vec<usize> = (0..FURTHER_DRAWS).map(|_| self.draw(prior, generator)).collect();
        if opinions.iter().any(|&other| other != leader) || uniform(generator) < UNCONDITIONAL_DUEL_PROBABILITY {
            return Choice::Duel(Arm::at(leader), Arm::at(challenger));
        }
        leader_alone
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { winner, loser, .. } = feedback else {
            return;
        };
        self.duels += 1;
        let (i, j) = (winner.index(), loser.index());
        self.wins[i][j] += 1.0;
        for PriorPosterior { weight, means, variances, .. } in &mut self.known {
            let wider = 1.0 + std::f64::consts::PI / 8.0 * (variances[i] + variances[j]);
            *weight += libm::log(1.0 / (1.0 + libm::exp((means[j] - means[i]) / wider.sqrt())));
            let p = 1.0 / (1.0 + libm::exp(means[j] - means[i]));
            let h = self.eta * p * (1.0 - p);
            let s = 1.0 + h * (variances[i] + variances[j]);
            means[i] += variances[i] * self.eta * (1.0 - p) / s;
            means[j] -= variances[j] * self.eta * (1.0 - p) / s;
            for arm in [i, j] {
                variances[arm] -= variances[arm] * variances[arm] * h / s;
            }
        }
        let (most, heaviest) = (self.heaviest().weight, self.heaviest().prior);
        let alone = self.duels >= 64 * self.arms() as u64;
        self.known.retain(|known| known.prior == heaviest || (!alone && known.weight >= most + libm::log(0.001)));
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
