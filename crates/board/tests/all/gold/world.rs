//! Worlds in which people judge some questions and a model judges all.

use board::{Answer, Gold, Judgement, Order, Table};
use statistics::Normals;
use statistics::bradley_terry::{Cell, Covariates, Fit, Options, Ties};

/// People's strengths, and how the model differs from people.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// People's strengths, which add up to 0.
    pub(super) strengths: Vec<f64>,
    /// The probability that the model has the same noise as people on a question; otherwise its noise is independent.
    pub(super) quality: f64,
    /// Whether the model has information about strengths.
    pub(super) informed: bool,
    /// The model's bias for each competitor: its own family.
    pub(super) family: Vec<f64>,
    /// Its bias for answers longer by one standard deviation of lengths.
    pub(super) length: f64,
    /// Its bias for the answer shown first.
    pub(super) first: f64,
    /// The standard deviation of an item's effect on each strength, for people and the model alike.
    pub(super) item_spread: f64,
    pub(super) items: usize,
    pub(super) questions_of_item: usize,
    /// The number of questions that people judge.
    pub(super) labels: usize,
}

/// How often people tie, and their bias for the answer shown first.
const TIE: f64 = 0.4;
const FIRST: f64 = 0.2;

impl World {
    pub(super) fn new() -> Self {
        Self {
            strengths: vec![0.9, 0.5, 0.2, -0.1, -0.5, -1.0],
            quality: 0.8,
            informed: true,
            family: vec![0.0; 6],
            length: 0.0,
            first: 0.0,
            item_spread: 0.0,
            items: 200,
            questions_of_item: 10,
            labels: 200,
        }
    }

    /// The judgements of people and of the model on the same items.
    pub(super) fn draw(&self, seed: u64) -> Gold {
        let mut draws = Normals::from_seed(seed);
        let count = self.strengths.len();
        let table = || Table {
            names: (0..count).map(|k| format!("c{k}")).collect(),
            items: (0..self.items).map(|k| format!("i{k}")).collect(),
            judges: vec![],
            judgements: vec![],
            order: Order::Shown,
            covariates: vec![],
        };
        let (mut people, mut model) = (table(), table());
        let mut pairs: Vec<(usize, usize)> = (0..count).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        for item in 0..self.items {
            let effects: Vec<f64> = draws.normals(count).iter().map(|z| self.item_spread * z).collect();
            let lengths = draws.normals(count);
            shuffle(&mut pairs, &mut draws);
            for &(i, j) in &pairs[..self.questions_of_item] {
                let (first, second) = if draws.uniform() < 0.5 { (i, j) } else { (j, i) };
                let of = |values: &[f64]| values[first] - values[second];
                let (seen, own) = (draws.uniform(), draws.uniform());
                let d = of(&self.strengths) + of(&effects);
                // The model may see the answers in the other order.
                let turned = if draws.uniform() < 0.5 { 1.0 } else { -1.0 };
                let bias = of(&self.family) + self.length * of(&lengths);
                let of_model = if self.informed { d } else { 0.0 } + bias + turned * self.first;
                let at = if draws.uniform() < self.quality { seen } else { own };
                let row = |verdict, [first, second]: [usize; 2]| Judgement {
                    first: first as u32,
                    second: second as u32,
                    verdict,
                    item: Some(item as u32),
                    judge: None,
                    weight: 1.0,
                    row: 1,
                };
                people.judgements.push(row(verdict(d + FIRST, seen), [first, second]));
                let said = verdict(of_model, at);
                model.judgements.push(if turned > 0.0 {
                    row(said, [first, second])
                } else {
                    row(reversed(said), [second, first])
                });
            }
        }
        shuffle(&mut people.judgements, &mut draws);
        people.judgements.truncate(self.labels);
        Gold::of_tables(people, model).unwrap()
    }

    /// People's strengths for items in general.
    pub(super) fn truth(&self) -> Vec<f64> {
        if self.item_spread == 0.0 {
            return self.strengths.clone();
        }
        // Expectations over effects of items: 20,000 draws of each pair, with an error of the mean below 0.005.
        let mut draws = Normals::from_seed(99);
        let mut cells = Vec::new();
        for first in 0..self.strengths.len() {
            for second in 0..first {
                for position in [-1.0, 1.0] {
                    let mut sums = [0.0; 3];
                    for _ in 0..20_000 {
                        let moved = self.item_spread * std::f64::consts::SQRT_2 * draws.normal();
                        let d = self.strengths[first] - self.strengths[second] + moved + position * FIRST;
                        let p = Ties::Davidson.probabilities(d, TIE);
                        sums.iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
                    }
                    let [wins, losses, ties] = sums;
                    cells.push(Cell {
                        first,
                        second,
                        position,
                        wins,
                        losses,
                        ties,
                        covariates: Covariates::default(),
                        slope: None,
                    });
                }
            }
        }
        let options = Options { position: true, ..Options::default() };
        Fit::new(self.strengths.len(), &cells, options).unwrap().strengths().to_vec()
    }
}

/// Davidson's verdict at a point of [0, 1): from a win over a tie to a loss, so that judges at the same point nearly always
/// agree.
fn verdict(difference: f64, at: f64) -> Answer {
    let [win, _, tie] = Ties::Davidson.probabilities(difference, TIE);
    if at < win {
        Answer::First
    } else if at < win + tie {
        Answer::Tie
    } else {
        Answer::Second
    }
}

fn reversed(verdict: Answer) -> Answer {
    match verdict {
        Answer::First => Answer::Second,
        Answer::Second => Answer::First,
        other => other,
    }
}

pub(super) fn shuffle<T>(all: &mut [T], draws: &mut Normals) {
    for place in (1..all.len()).rev() {
        all.swap(place, draws.below(place + 1));
    }
}
