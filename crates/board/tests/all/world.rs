//! Worlds that tables are drawn from.

use board::{Answer, Competitor, Judgement, Order, Ranks, Table, TieModel};
use statistics::Normals;

/// The ranks of every look, which boards without a model have.
pub(crate) fn always(competitor: &Competitor) -> Ranks {
    competitor.always.expect("a board without a model")
}

/// A world of Bradley-Terry with ties; its defects are 0 unless a test plants them.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) strengths: Vec<f64>,
    /// ν of the model of ties.
    pub(crate) tie: f64,
    pub(crate) ties: TieModel,
    /// The advantage of the answer shown first.
    pub(crate) position: f64,
    /// The number of items; 0 for a table without.
    pub(crate) items: usize,
    /// The number of judges; 0 for a table without.
    pub(crate) judges: usize,
    /// Whether the judge at place k judges 1 / k times as much as the first.
    pub(crate) zipf: bool,
    /// The standard deviation of strengths between items.
    pub(crate) item_spread: f64,
    /// The standard deviation of strengths between judges.
    pub(crate) judge_spread: f64,
}

impl World {
    /// `count` competitors with normal strengths of standard deviation `spread`.
    pub(crate) fn normal(count: usize, spread: f64, tie: f64, seed: u64) -> Self {
        let strengths = Normals::from_seed(seed).normals(count).into_iter().map(|z| spread * z).collect();
        Self {
            strengths,
            tie,
            ties: TieModel::Davidson,
            position: 0.0,
            items: 0,
            judges: 0,
            zipf: false,
            item_spread: 0.0,
            judge_spread: 0.0,
        }
    }

    pub(crate) fn shared(self, items: usize, judges: usize) -> Self {
        Self { items, judges, ..self }
    }

    /// An empty table of this world.
    pub(crate) fn empty(&self) -> Table {
        let named = |letter: &str, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect();
        Table {
            names: named("c", self.strengths.len()),
            items: named("i", self.items),
            judges: named("j", self.judges),
            judgements: Vec::new(),
            order: Order::Shown,
            covariates: Vec::new(),
        }
    }

    /// `rows` judgements of uniformly drawn pairs, items and judges, in random order of the two answers.
    pub(crate) fn table(&self, rows: usize, seed: u64) -> Table {
        let mut draws = Normals::from_seed(seed);
        let mut judge = self.judge(&mut draws);
        let mut table = self.empty();
        for row in 0..rows {
            let first = draws.below(self.strengths.len());
            let second = (first + 1 + draws.below(self.strengths.len() - 1)) % self.strengths.len();
            table.judgements.push(judge(&mut draws, row, first, second));
        }
        table
    }

    /// Judges one pair after the other.
    pub(crate) fn judge(
        &self,
        draws: &mut Normals,
    ) -> impl FnMut(&mut Normals, usize, usize, usize) -> Judgement + use<> {
        let count = self.strengths.len();
        let mut effects = |groups: usize, spread: f64| -> Vec<f64> {
            if spread == 0.0 { Vec::new() } else { draws.normals(groups * count).iter().map(|z| spread * z).collect() }
        };
        let by_item = effects(self.items, self.item_spread);
        let by_judge = effects(self.judges, self.judge_spread);
        let world = self.clone();
        let shares: Vec<f64> = (1..=self.judges).map(|place| 1.0 / place as f64).collect();
        let all: f64 = shares.iter().sum();
        let by_zipf = move |draws: &mut Normals| {
            let mut left = draws.uniform() * all;
            let found = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            found.unwrap_or(shares.len() - 1)
        };
        move |draws, row, first, second| {
            let item = (world.items > 0).then(|| draws.below(world.items));
            let judge = (world.judges > 0).then(|| if world.zipf { by_zipf(draws) } else { draws.below(world.judges) });
            let strength = |k: usize| {
                let effect = |all: &[f64], group: Option<usize>| {
                    group.and_then(|group| all.get(group * count + k)).copied().unwrap_or(0.0)
                };
                world.strengths[k] + effect(&by_item, item) + effect(&by_judge, judge)
            };
            let difference = strength(first) - strength(second) + world.position;
            let verdict = match world.ties {
                TieModel::Davidson => verdict(draws, difference, world.tie),
                TieModel::RaoKupper => below_threshold(draws, difference, world.tie),
            };
            let number = |value: usize| value as u32;
            Judgement {
                first: number(first),
                second: number(second),
                verdict,
                item: item.map(number),
                judge: judge.map(number),
                weight: 1.0,
                row: row as u64 + 1,
            }
        }
    }
}

/// A verdict by Davidson's model.
pub(crate) fn verdict(draws: &mut Normals, difference: f64, tie: f64) -> Answer {
    let (win, loss) = (libm::exp(difference / 2.0), libm::exp(-difference / 2.0));
    let at = draws.uniform() * (win + loss + tie);
    if at < win {
        Answer::First
    } else if at < win + loss {
        Answer::Second
    } else {
        Answer::Tie
    }
}

/// A verdict by the model of Rao and Kupper: with logistic noise, a difference below ln θ is not noticed; ν = θ² - 1.
fn below_threshold(draws: &mut Normals, difference: f64, tie: f64) -> Answer {
    let uniform = draws.uniform();
    let seen = difference + libm::log(uniform / (1.0 - uniform));
    let threshold = 0.5 * libm::log1p(tie);
    if seen > threshold {
        Answer::First
    } else if seen < -threshold {
        Answer::Second
    } else {
        Answer::Tie
    }
}
