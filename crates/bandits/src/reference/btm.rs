//! BTM as printed: every sum added up, at every step.

use crate::policies::btm::{BtmConfig, Variant};
use crate::random::{argmax, below};
use crate::{Arm, Choice, Feedback, Generator, Policy};

/// BTM as printed.
#[derive(Debug, Clone)]
pub struct ReferenceBtm {
    arms: usize,
    tight: bool,
    radius: f64,
    enough: u64,
    left: Vec<usize>,
    /// Duels that i began with j, and how many of them i won.
    duels: Vec<Vec<u32>>,
    wins: Vec<Vec<u32>>,
    met: Option<(usize, usize)>,
    ended: Option<usize>,
}

impl ReferenceBtm {
    /// For valid parameters, at least one arm and, online, a horizon.
    #[must_use]
    pub fn new(config: &BtmConfig, arms: usize, horizon: u64) -> Self {
        let (radius, enough) = config.radius(arms, Some(horizon));
        Self {
            arms,
            tight: config.variant == Variant::Tight,
            radius,
            enough,
            left: (0..arms).collect(),
            duels: vec![vec![0; arms]; arms],
            wins: vec![vec![0; arms]; arms],
            met: None,
            ended: None,
        }
    }

    fn duels_of(&self, b: usize) -> u32 {
        self.left.iter().map(|&other| self.duels[b][other]).sum()
    }

    fn share(&self, b: usize) -> f64 {
        let won: u32 = self.left.iter().map(|&other| self.wins[b][other]).sum();
        match self.duels_of(b) {
            0 => 0.5,
            duels => f64::from(won) / f64::from(duels),
        }
    }

    fn drop_worst(&mut self, generator: &mut Generator) {
        let shares: Vec<f64> = self.left.iter().map(|&b| self.share(b)).collect();
        let least = self.left.iter().map(|&b| self.duels_of(b)).min().unwrap_or(0);
        let radius = match least {
            0 => 1.0,
            least => self.radius / f64::from(least).sqrt(),
        };
        let low = shares.iter().copied().fold(1.0, f64::min) + radius;
        let high = shares.iter().copied().fold(0.0, f64::max) - radius;
        if (low < high || (low == high && !self.tight)) && self.left.len() > 1 {
            let worst = argmax(generator, shares.iter().map(|share| -share)).unwrap_or(0);
            self.left.remove(worst);
        }
    }
}

impl Policy for ReferenceBtm {
    fn arms(&self) -> usize {
        self.arms
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.met.take().is_some() {
            self.drop_worst(generator);
        }
        let least = self.left.iter().map(|&b| self.duels_of(b)).min().unwrap_or(0);
        if self.ended.is_none() && (self.left.len() == 1 || u64::from(least) >= self.enough) {
            let shares = self.left.iter().map(|&b| self.share(b));
            self.ended = argmax(generator, shares).map(|place| self.left[place]);
        }
        if let Some(arm) = self.ended {
            return Choice::Alone { arm: Arm::at(arm), until: step };
        }
        let rare: Vec<usize> = self.left.iter().copied().filter(|&b| self.duels_of(b) == least).collect();
        let first = rare[below(generator, rare.len())];
        let open: Vec<usize> = self.left.iter().copied().filter(|&other| other != first || !self.tight).collect();
        let second = open[below(generator, open.len())];
        self.met = Some((first, second));
        Choice::Duel(Arm::at(first), Arm::at(second))
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        if let (Feedback::Duel { first_won, .. }, Some((first, second))) = (feedback, self.met) {
            self.duels[first][second] += 1;
            self.wins[first][second] += u32::from(first_won);
        }
    }

    fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
        None
    }
}
