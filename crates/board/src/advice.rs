//! How many more judgements it takes to know the best, and which pairs that many cannot separate.
//!
//! Strengths are drawn from the posterior of the fit, whose prior is the learnt spread; further judgements compare pairs of
//! contenders uniformly. What the board will then say follows from the normal approximation: after m judgements the
//! posterior has the precision of now and m times the information of one. The number is the median: half of the boards
//! drawn in this way name their best at the level by then.

use crate::group::GroupFit;
use crate::words::{count, percent};
use crate::{FurtherPairs, Settings};
use ranktypes::text::with_separators;
use serde::Serialize;
use statistics::Normals;
use statistics::matrix::{self, Cholesky};

/// How many more judgements it takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// The median number of further judgements until the best is known at the level, if all pairs of the contenders are
    /// judged equally often: 0 if it is known, `None` if it is more than [`Advice::MOST`].
    pub more: Option<u64>,
    /// How the pairs of further judgements will be chosen.
    pub further: FurtherPairs,
    /// What the number assumes, and what that means for pairs chosen in another way.
    pub assumption: String,
    /// Who may be the best, likeliest first: further judgements should compare these, all pairs equally often.
    pub contenders: Vec<String>,
    /// Pairs of contenders whose order that many judgements are not expected to show, closest first, at most
    /// [`Advice::SHOWN`] of them.
    pub inseparable: Vec<(String, String)>,
    /// How many such pairs there are.
    pub inseparable_count: usize,
    /// The same in words.
    pub sentence: String,
}

impl Advice {
    /// More judgements than this are not promised.
    pub const MOST: u64 = 100_000_000;
    /// How many pairs are listed.
    pub const SHOWN: usize = 20;
}

/// Boards that are drawn, and draws for the probabilities of each.
const BOARDS: usize = 400;
const DRAWS: usize = 1_000;

/// Contenders beyond this many hardly ever are the best.
const MOST_CONTENDERS: usize = 60;

/// The future of a group's contenders.
pub(crate) struct Future {
    /// Members who may be the best, likeliest first.
    pub(crate) contenders: Vec<usize>,
    mean: Vec<f64>,
    covariance: Vec<f64>,
    precision: Vec<f64>,
    /// The information of one judgement of a uniformly drawn pair.
    information: Vec<f64>,
}

impl Future {
    pub(crate) fn of(group: &GroupFit, level: f64) -> Self {
        let posterior = &group.posterior;
        let arms = posterior.mean.len();
        let mut order: Vec<usize> = (0..arms).collect();
        order.sort_by(|a, b| {
            let by = |values: &[f64]| values[*b].total_cmp(&values[*a]);
            by(&posterior.best).then(by(&posterior.mean))
        });
        // What is left out would be the best with a tenth of the probability of error.
        let mut sum = 0.0;
        let enough = order.iter().position(|member| {
            sum += posterior.best[*member];
            sum >= 1.0 - 0.1 * (1.0 - level)
        });
        order.truncate((enough.unwrap_or(arms) + 1).clamp(2, MOST_CONTENDERS));
        let size = order.len();
        let all = Cholesky::semi_definite(&posterior.precision, arms).inverse();
        let covariance: Vec<f64> = (0..size * size).map(|at| all[order[at / size] * arms + order[at % size]]).collect();
        let precision = Cholesky::semi_definite(&covariance, size).inverse();
        // Judgements that depend on each other are worth fewer.
        let (model, parameters) = (group.fit.model_covariance(), group.fit.size());
        let worth = order
            .iter()
            .map(|k| model[k * parameters + k] / group.covariance[k * arms + k].max(f64::MIN_POSITIVE))
            .sum::<f64>()
            / size as f64;
        let pairs = (size * (size - 1) / 2) as f64;
        let mut information = vec![0.0; size * size];
        for a in 0..size {
            for b in 0..a {
                let value = worth.min(1.0) * group.fit.expected(order[a], order[b], 0.0).information()[0][0] / pairs;
                information[a * size + a] += value;
                information[b * size + b] += value;
                information[a * size + b] -= value;
                information[b * size + a] -= value;
            }
        }
        let mean = order.iter().map(|member| posterior.mean[*member]).collect();
        Self { contenders: order, mean, covariance, precision, information }
    }

    fn after(&self, more: f64) -> Vec<f64> {
        let sum: Vec<f64> = self.precision.iter().zip(&self.information).map(|(now, one)| now + more * one).collect();
        Cholesky::semi_definite(&sum, self.mean.len()).inverse()
    }

    /// The share of boards that name their best at the level after `more` judgements.
    fn decided(&self, more: f64, level: f64) -> f64 {
        let size = self.mean.len();
        let after = self.after(more);
        let now = Cholesky::semi_definite(&self.covariance, size);
        let then = Cholesky::semi_definite(&after, size);
        // A common shift carries no information; it makes the matrix positive definite, and is taken out of each draw.
        let shift = (0..size).map(|k| self.information[k * size + k]).sum::<f64>() / size as f64;
        let shifted: Vec<f64> = self.information.iter().map(|value| value + shift).collect();
        let noise = Cholesky::semi_definite(&shifted, size);
        let mut draws = Normals::from_seed(0x61_6476_6963);
        let clouds: Vec<Vec<f64>> = (0..DRAWS).map(|_| then.correlate(&draws.normals(size))).collect();
        let mut decided = 0_u32;
        for _ in 0..BOARDS {
            let truth = now.correlate(&draws.normals(size));
            let mut seen = noise.correlate(&draws.normals(size));
            let mean = seen.iter().sum::<f64>() / size as f64;
            seen.iter_mut().for_each(|value| *value = libm::sqrt(more) * (*value - mean));
            let signal = matrix::apply(&self.information, &truth);
            seen.iter_mut().zip(signal).for_each(|(value, signal)| *value += more * signal);
            let centre: Vec<f64> =
                matrix::apply(&after, &seen).iter().zip(&self.mean).map(|(moved, mean)| moved + mean).collect();
            decided += u32::from(most_often_best(&centre, &clouds) >= level);
        }
        f64::from(decided) / BOARDS as f64
    }

    /// The smallest number of judgements after which at least half of the boards are decided.
    pub(crate) fn median(&self, level: f64) -> Option<u64> {
        let half = |more: u64| self.decided(more as f64, level) >= 0.5;
        let mut high = 16;
        while !half(high) {
            high *= 2;
            if high > Advice::MOST {
                return None;
            }
        }
        let mut low = if high == 16 { 0 } else { high / 2 };
        // Two digits are more than the simulation knows.
        while high - low > (high / 64).max(1) {
            let middle = low + (high - low) / 2;
            if half(middle) { high = middle } else { low = middle }
        }
        Some(two_digits(high))
    }
}

/// The number with two digits, rounded up: promised judgements must not be too few.
fn two_digits(number: u64) -> u64 {
    let unit = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit) * unit
}

/// The largest share of draws around `centre` in which the same contender is the best.
fn most_often_best(centre: &[f64], clouds: &[Vec<f64>]) -> f64 {
    let mut wins = vec![0_u32; centre.len()];
    for cloud in clouds {
        let (mut top, mut most) = (0, f64::NEG_INFINITY);
        for (k, (mean, drawn)) in centre.iter().zip(cloud).enumerate() {
            if mean + drawn > most {
                (top, most) = (k, mean + drawn);
            }
        }
        wins[top] += 1;
    }
    f64::from(wins.into_iter().max().unwrap_or(0)) / clouds.len() as f64
}

pub(crate) fn of(names: &[String], group: &GroupFit, settings: &Settings) -> Advice {
    let future = Future::of(group, settings.level);
    let known = group.posterior.best[group.leader()] >= settings.level;
    let more = if known { Some(0) } else { future.median(settings.level) };
    let name = |contender: usize| names[group.members[future.contenders[contender]]].clone();
    let size = future.contenders.len();
    let after = future.after(more.unwrap_or(Advice::MOST) as f64);
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for a in 0..size {
        for b in a + 1..size {
            let variance = after[a * size + a] + after[b * size + b] - 2.0 * after[a * size + b];
            let z = (future.mean[a] - future.mean[b]).abs() / libm::sqrt(variance.max(f64::MIN_POSITIVE));
            if z < group.max_t.quantile() {
                pairs.push((z, a, b));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut advice = Advice {
        more,
        further: settings.further,
        assumption: assumption(settings.further),
        contenders: (0..size).map(name).collect(),
        inseparable: pairs.iter().take(Advice::SHOWN).map(|pair| (name(pair.1), name(pair.2))).collect(),
        inseparable_count: pairs.len(),
        sentence: String::new(),
    };
    advice.sentence = sentence(&advice, settings.level);
    advice
}

/// How a session differs from what the number assumes.
fn in_session(further: FurtherPairs) -> Option<&'static str> {
    match further {
        FurtherPairs::Contenders => None,
        FurtherPairs::Best => Some(
            "This session chooses pairs to find the best (goal best), which most often takes fewer: how many fewer is not computed.",
        ),
        FurtherPairs::Order => Some(
            "This session chooses pairs to rank all (goal order), not only the contenders, so it takes more: how many more is not computed.",
        ),
        FurtherPairs::Everyone => Some(
            "This session (goal uniform) also compares the others, so it takes more: how many more is not computed.",
        ),
    }
}

/// What the number assumes, in words.
fn assumption(further: FurtherPairs) -> String {
    let uniform =
        "The number assumes that all pairs of the contenders are judged equally often, and that Bradley-Terry holds.";
    in_session(further).map_or_else(|| uniform.to_owned(), |differs| format!("{uniform} {differs}"))
}

/// The same in words.
fn sentence(advice: &Advice, level: f64) -> String {
    let level = percent(level);
    let contenders = count(advice.contenders.len() as u64, "contender", "contenders");
    let number = match advice.more {
        Some(0) => {
            format!("The best is known with {level} under Bradley-Terry; no more judgements are needed for that.")
        }
        Some(more) => format!(
            "About {} more judgements name the best with {level} in half of all cases, if all pairs of the {contenders} are \
             judged equally often.",
            with_separators(more)
        ),
        None => format!(
            "More than {} more judgements would be needed to name the best with {level}: the {contenders} are too close.",
            with_separators(Advice::MOST)
        ),
    };
    // Where no number is given, how it was found does not matter.
    let number = match (advice.more, in_session(advice.further)) {
        (Some(1..), Some(differs)) => format!("{number} {differs}"),
        _ => number,
    };
    let with = if advice.more == Some(0) { "The judgements so far" } else { "That many" };
    match advice.inseparable.first() {
        None => number,
        Some((first, second)) => format!(
            "{number} {with} do not separate {}, such as {first} and {second}.",
            count(advice.inseparable_count as u64, "pair of contenders", "pairs of contenders")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Units;
    use crate::{Answer, Judgement, Order, Table};

    fn judged(draws: &mut Normals, pair: (usize, usize), difference: f64, tie: f64) -> Judgement {
        let (win, loss) = (libm::exp(0.5 * difference), libm::exp(-0.5 * difference));
        let at = draws.uniform() * (win + loss + tie);
        let verdict = if at < win {
            Answer::First
        } else if at < win + loss {
            Answer::Second
        } else {
            Answer::Tie
        };
        let (first, second) = (pair.0 as u32, pair.1 as u32);
        Judgement { first, second, verdict, item: None, judge: None, weight: 1.0, row: 1 }
    }

    fn group(table: &Table, settings: &Settings) -> GroupFit {
        let units = Units::of(table).unwrap();
        let members = (0..table.names.len()).collect();
        GroupFit::of(members, units.units, Order::Unknown, settings, 0.05, false).unwrap()
    }

    /// The share of boards, with strengths drawn from the posterior, that are decided by the number of the advice.
    fn share_decided(boards: usize, seed: u64) -> (u64, f64) {
        let settings = Settings { every_look: false, ..Settings::default() };
        let (count, tie) = (8, 0.5);
        let mut draws = Normals::from_seed(seed);
        let truth: Vec<f64> = draws.normals(count).iter().map(|z| 0.8 * z).collect();
        let mut table = Table {
            names: (0..count).map(|k| format!("c{k}")).collect(),
            items: Vec::new(),
            judges: Vec::new(),
            judgements: Vec::new(),
            order: Order::Unknown,
            in_time: true,
        };
        for _ in 0..400 {
            let a = draws.below(count);
            let b = (a + 1 + draws.below(count - 1)) % count;
            table.judgements.push(judged(&mut draws, (a, b), truth[a] - truth[b], tie));
        }
        let now = group(&table, &settings);
        let future = Future::of(&now, settings.level);
        let more = future.median(settings.level).unwrap();
        let covariance = Cholesky::new(&now.posterior.precision, count).unwrap().inverse();
        let root = Cholesky::new(&covariance, count).unwrap();
        let mut decided = 0;
        for _ in 0..boards {
            let moved = root.correlate(&draws.normals(count));
            let strengths: Vec<f64> = moved.iter().zip(&now.posterior.mean).map(|(a, b)| a + b).collect();
            let mut later = table.clone();
            for _ in 0..more {
                let size = future.contenders.len();
                let a = draws.below(size);
                let b = future.contenders[(a + 1 + draws.below(size - 1)) % size];
                let a = future.contenders[a];
                later.judgements.push(judged(&mut draws, (a, b), strengths[a] - strengths[b], now.fit.tie()));
            }
            let then = group(&later, &settings);
            decided += usize::from(then.posterior.best[then.leader()] >= settings.level);
        }
        (more, decided as f64 / boards as f64)
    }

    #[test]
    fn half_of_the_boards_are_decided_by_then() {
        let (more, share) = share_decided(100, 5);
        // Three standard errors of a half of 100.
        assert!((share - 0.5).abs() < 0.15, "{share} after {more}");
    }

    #[test]
    fn promises_have_two_digits() {
        let found = [0, 7, 45, 106, 1_104, 115_712, 4_194_304].map(two_digits);
        assert_eq!(found, [0, 7, 45, 110, 1_200, 120_000, 4_200_000]);
    }

    #[test]
    fn sessions_are_told_how_they_differ_from_the_number() {
        let pairs = vec![("a".to_owned(), "b".to_owned())];
        let of = |further, more| {
            let advice = Advice {
                more,
                further,
                assumption: assumption(further),
                contenders: vec!["a".to_owned(), "b".to_owned()],
                inseparable: pairs.clone(),
                inseparable_count: 1,
                sentence: String::new(),
            };
            (sentence(&advice, 0.95), advice.assumption)
        };
        let uniform = "About 40 more judgements name the best with 95% in half of all cases, if all pairs of the 2 contenders are \
                       judged equally often.";
        let last = "That many do not separate 1 pair of contenders, such as a and b.";
        assert_eq!(of(FurtherPairs::Contenders, Some(40)).0, format!("{uniform} {last}"));
        for (further, goal, differs) in [
            (FurtherPairs::Best, "(goal best)", "takes fewer"),
            (FurtherPairs::Order, "(goal order)", "takes more"),
            (FurtherPairs::Everyone, "(goal uniform)", "takes more"),
        ] {
            let (words, assumption) = of(further, Some(40));
            assert!(words.starts_with(uniform) && words.ends_with(last), "{words}");
            for text in [&words, &assumption] {
                assert!(text.contains(goal) && text.contains(differs), "{text}");
            }
            assert!(
                assumption.starts_with("The number assumes that all pairs of the contenders are judged equally often")
            );
            // Without a number there is nothing to differ from.
            for more in [Some(0), None] {
                assert!(!of(further, more).0.contains("goal"), "{}", of(further, more).0);
            }
        }
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
    #[ignore = "half a minute in a release build: cargo test -p board --release -- --ignored half_of_500"]
    fn half_of_500_boards_are_decided_by_then() {
        for seed in [5, 6, 7, 8] {
            let (more, share) = share_decided(500, seed);
            eprintln!("seed {seed}: {more} more judgements, {share} decided");
        }
        let (more, share) = share_decided(500, 5);
        assert!((0.45..=0.55).contains(&share), "{share} after {more}");
    }
}
