//! How people's points differ from the model's answers: guesses, and the chances of audits.

use std::collections::BTreeMap;

use bandits::Preference;
use board::Answer;

use crate::model::Competitors;
use crate::state::answers::outcome;
use crate::state::sorted_pair;

/// A point, in thousandths.
pub(super) const POINT: u16 = 1_000;

/// Until people have judged a competitor this often, all answers about it are audited, without a coin.
const MIN_AUDITS: u32 = 4;

/// The least chance of an audit.
const LEAST_CHANCE: f64 = 0.1;

/// Where guesses explain a smaller share of the variance of people's points, all is audited.
const LEAST_SAVED: f64 = 0.1;

/// A model without audits is taken to be worthless: as after this many audits with points that vary as a fair coin.
const PRIOR_ERRORS: f64 = 4.0;
const PRIOR_POINTS: f64 = 2.0;
/// A pair is taken to be as others: as after this many audits with points as guessed.
const PRIOR_OF_PAIR: f64 = 8.0;

/// How people's points differ from the model's answers. Sums are of thousandths of a point and of their products.
#[derive(Debug, Clone, Default)]
pub(super) struct Calibration {
    /// By the model's answer.
    kinds: [Kind; 3],
    /// By pair, the lower place first: the number of its audits, and points of its lower one beyond the guesses.
    pairs: BTreeMap<Competitors, (i64, i64)>,
    /// Squared differences of people's points from a half.
    spread: i64,
    /// How often people judged each competitor.
    judged: BTreeMap<u32, u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    /// Answers of the model.
    answers: i64,
    /// Those that people audited.
    audits: i64,
    /// The points that people gave the answer shown first.
    points: i64,
    /// Squared errors of the guesses.
    errors: i64,
}

pub(super) fn kind_of(answer: Preference) -> usize {
    match answer {
        Preference::First => 0,
        Preference::Second => 1,
        Preference::Tie => 2,
    }
}

pub(super) fn points_of(verdict: Answer) -> u16 {
    match outcome(verdict) {
        Preference::First => POINT,
        Preference::Second => 0,
        Preference::Tie => POINT / 2,
    }
}

/// Products of thousandths as shares.
fn squared(sum: i64) -> f64 {
    sum as f64 / f64::from(POINT).powi(2)
}

impl Calibration {
    /// The model answered.
    pub(super) fn count_answer(&mut self, answer: Preference) {
        self.kinds[kind_of(answer)].answers += 1;
    }

    /// How often the model gave each answer: the first, the second, a tie.
    pub(super) fn answers(&self) -> [i64; 3] {
        self.kinds.map(|kind| kind.answers)
    }

    /// The weight of an answer of the model about this pair, in the order shown; all but the coin.
    pub(super) fn weigh(&self, pair: Competitors, answer: Preference, cost: f64) -> (u16, u16, u16) {
        let kind = &self.kinds[kind_of(answer)];
        let half = f64::from(POINT) / 2.0;
        let mean_points = (kind.points as f64 + PRIOR_POINTS * half) / (kind.audits as f64 + PRIOR_POINTS);
        let (audits, beyond) = self.pairs.get(&sorted_pair(pair)).copied().unwrap_or_default();
        let beyond = beyond as f64 / (audits as f64 + PRIOR_OF_PAIR);
        let guess = mean_points + if pair.0 < pair.1 { beyond } else { -beyond };
        let doubt = self.doubt(kind);
        (
            guess.clamp(0.0, f64::from(POINT)).round() as u16,
            (doubt * f64::from(POINT)).round() as u16,
            (self.chance(pair, doubt, cost) * f64::from(POINT)).round() as u16,
        )
    }

    /// The expected squared error of a guess.
    fn doubt(&self, kind: &Kind) -> f64 {
        (squared(kind.errors) + PRIOR_ERRORS * 0.25) / (kind.audits as f64 + PRIOR_ERRORS)
    }

    /// The expected squared distance of people's points from a half: their variance where competitors are nearly equal.
    pub(super) fn spread_of_people(&self) -> f64 {
        let audits: i64 = self.kinds.iter().map(|kind| kind.audits).sum();
        (squared(self.spread) + PRIOR_ERRORS * 0.25) / (audits as f64 + PRIOR_ERRORS)
    }

    fn chance(&self, (first, second): Competitors, doubt: f64, cost: f64) -> f64 {
        let is_new = |competitor| self.judged.get(&competitor).is_none_or(|times| *times < MIN_AUDITS);
        let answers: i64 = self.kinds.iter().map(|kind| kind.answers).sum();
        let usual_doubt: f64 =
            self.kinds.iter().map(|kind| kind.answers as f64 / answers.max(1) as f64 * self.doubt(kind)).sum();
        let variance = self.spread_of_people();
        let explained = variance - usual_doubt;
        if is_new(first) || is_new(second) || answers == 0 || explained < LEAST_SAVED * variance {
            return 1.0;
        }
        libm::sqrt(doubt * cost / explained).clamp(LEAST_CHANCE, 1.0)
    }

    /// Counts an audit, or with a factor of -1 takes it back.
    pub(super) fn count(&mut self, pair: Competitors, answer: Preference, guess: u16, points: u16, factor: i64) {
        let (points, guess) = (i64::from(points), i64::from(guess));
        let (excess, deviation) = (points - guess, points - i64::from(POINT / 2));
        let kind = &mut self.kinds[kind_of(answer)];
        kind.audits += factor;
        kind.points += factor * points;
        kind.errors += factor * excess * excess;
        self.spread += factor * deviation * deviation;
        let (audits, of_lower) = self.pairs.entry(sorted_pair(pair)).or_default();
        *audits += factor;
        *of_lower += factor * if pair.0 < pair.1 { excess } else { -excess };
        self.judge(pair, factor);
    }

    /// A person judged a pair, or took that back.
    pub(super) fn judge(&mut self, pair: Competitors, factor: i64) {
        for competitor in [pair.0, pair.1] {
            let times = self.judged.entry(competitor).or_default();
            *times = times.saturating_add_signed(factor as i32);
        }
    }
}
