//! The number of further judgements until the best is known, as chances, and the pairs that those leave unordered.
//!
//! Strengths are drawn from the posterior of the fit; its prior is the learnt spread. Further judgements compare pairs of contenders
//! uniformly. The board's future statement follows from the normal approximation: after m judgements the estimate has its present
//! precision plus m times the information of one judgement, and the best is named by the same rule as today. A single number would
//! be false precision: it depends on whether two competitors are nearly equal, which is unknown.

use super::Conclusion;
use super::chances::{Chance, chance_list_with_milestones, milestones};
use crate::group::{GroupFit, difference_of};
use crate::text::{count, percent};
use crate::{FurtherPairs, Settings};
use ranktypes::text::with_separators;
use serde::Serialize;
use statistics::Normals;
use statistics::matrix::{self, Cholesky};

/// The number of further judgements needed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Whether the best is already known.
    pub known: bool,
    /// The chances that it is known after a number of further judgements, in rising order: the first have hardly any, the last nearly all, or as
    /// much as [`Advice::MAX_FURTHER`] judgements give. Empty if it is known.
    pub chances: Vec<Chance>,
    /// The probability that it takes more than the last of these, or that it is never known.
    pub later: f64,
    /// How the pairs of further judgements will be chosen.
    pub further: FurtherPairs,
    /// The assumptions of the chances, and their consequence for pairs chosen in another way.
    pub assumption: String,
    /// The possible best, likeliest first: further judgements should compare these, all pairs equally often.
    pub contenders: Vec<String>,
    /// Pairs of contenders that as many judgements as last are not expected to put in order, closest first, at most
    /// [`Advice::MAX_SHOWN_PAIRS`] of them.
    pub inseparable: Vec<(String, String)>,
    /// The number of such pairs.
    pub inseparable_count: usize,
    /// The same in words.
    pub sentence: String,
}

impl Advice {
    /// More judgements than this are not promised.
    pub const MAX_FURTHER: u64 = 1_000_000;
    /// The most pairs that are listed.
    pub const MAX_SHOWN_PAIRS: usize = 20;
}

impl Advice {
    /// The numbers of further judgements for an even chance and for 80%, in a sentence; `None` if no number reaches
    /// them.
    #[must_use]
    pub fn milestones(&self) -> Option<String> {
        milestones(&self.chances)
    }

    /// The same with the chances of a session: its rest was played `plays` times.
    #[must_use]
    pub fn played(mut self, chances: Vec<Chance>, later: f64, plays: usize, settings: &Settings) -> Self {
        (self.chances, self.later) = (chances, later);
        self.assumption = format!(
            "The rest of this session was played {plays} times, each time with strengths drawn from what is known of them and judges who \
             answer by Bradley-Terry."
        );
        let (level, look) = (percent(settings.level), settings.looks.label());
        let number = match self.chances.last() {
            Some(last) if self.later > 0.9 => format!(
                "Even {} more judgements in this session will hardly name the best with {level} at {look}: the chance is {}.",
                with_separators(last.more),
                percent(1.0 - self.later)
            ),
            _ => format!(
                "Chances that more judgements in this session name the best with {level} at {look}: {}",
                chance_list_with_milestones(&self.chances, self.later)
            ),
        };
        let pairs = self.inseparable.first().map(|(first, second)| {
            format!(" Closest are {first} and {second}; a tolerance would settle what is nearly equal.")
        });
        self.sentence = number + &pairs.filter(|_| self.later > 0.1 && settings.tolerance == 0.0).unwrap_or_default();
        self
    }
}

/// Boards that are drawn.
const BOARDS: usize = 1_000;

/// Contenders beyond this many hardly ever are the best.
const MOST_CONTENDERS: usize = 60;

/// The future of a group's contenders.
pub(crate) struct Future<'a> {
    group: &'a GroupFit,
    settings: &'a Settings,
    /// Members who may be the best, likeliest first.
    pub(crate) contenders: Vec<usize>,
    mean: Vec<f64>,
    covariance: Vec<f64>,
    /// The estimate of now, and its precision.
    strengths: Vec<f64>,
    precision: Vec<f64>,
    /// The information of one judgement of a uniformly drawn pair.
    information: Vec<f64>,
    /// The difference of strengths that does not matter.
    tolerance: f64,
}

impl<'a> Future<'a> {
    pub(crate) fn from_group(group: &'a GroupFit, settings: &'a Settings) -> Self {
        let posterior = &group.posterior;
        let arms = posterior.mean.len();
        let mut order: Vec<usize> = (0..arms).collect();
        order.sort_by(|a, b| {
            let by_strength = |values: &[f64]| values[*b].total_cmp(&values[*a]);
            by_strength(&posterior.best).then(by_strength(&posterior.mean))
        });
        // Competitors that are left out would be the best with a tenth of the probability of error.
        let mut sum = 0.0;
        let contender_count = order.iter().position(|member| {
            sum += posterior.best[*member];
            sum >= 1.0 - 0.1 * settings.alpha()
        });
        order.truncate((contender_count.unwrap_or(arms) + 1).clamp(2, MOST_CONTENDERS));
        let size = order.len();
        let covariance = Cholesky::semi_definite(&posterior.precision, arms).inverse();
        let of_contenders = |matrix: &[f64]| -> Vec<f64> {
            (0..size * size).map(|at| matrix[order[at / size] * arms + order[at % size]]).collect()
        };
        let covariance = of_contenders(&covariance);
        // A common shift, which has no variance, gets that of an average strength.
        let current = of_contenders(&group.covariance);
        let shift = (0..size).map(|k| current[k * size + k]).sum::<f64>().max(1e-12) / size as f64;
        let shifted: Vec<f64> = current.iter().map(|value| value + shift).collect();
        let precision = Cholesky::semi_definite(&shifted, size).inverse();
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
        let in_order = |values: &[f64]| order.iter().map(|member| values[*member]).collect();
        Self {
            mean: in_order(&posterior.mean),
            strengths: in_order(group.fit.strengths()),
            tolerance: difference_of(&group.fit, settings.tolerance),
            group,
            settings,
            contenders: order,
            covariance,
            precision,
            information,
        }
    }

    fn errors_after(&self, further_judgements: f64) -> Vec<f64> {
        let sum: Vec<f64> =
            self.precision.iter().zip(&self.information).map(|(now, one)| now + further_judgements * one).collect();
        Cholesky::semi_definite(&sum, self.mean.len()).inverse()
    }

    /// The lead over each other competitor that each contender needs to be named after judgements that leave these
    /// covariances.
    fn needed_leads(&self, after: &[f64]) -> Vec<f64> {
        let size = self.mean.len();
        let needed_lead = |index: usize| {
            let (a, b) = (index / size, index % size);
            if a == b {
                return f64::NEG_INFINITY;
            }
            let variance = (after[a * size + a] + after[b * size + b] - 2.0 * after[index]).max(0.0);
            let (a_member, b_member) = (self.contenders[a], self.contenders[b]);
            let look = self.settings.looks.look();
            self.group.contrasts.multiplier_of_best(a_member, b_member, variance, look) * libm::sqrt(variance)
                - self.tolerance
        };
        (0..size * size).map(needed_lead).collect()
    }

    /// The share of boards that name their best after `further_judgements` judgements.
    fn decided_share(&self, further_judgements: f64) -> f64 {
        let size = self.mean.len();
        let errors_after = self.errors_after(further_judgements);
        let needed_leads = self.needed_leads(&errors_after);
        let current = Cholesky::semi_definite(&self.covariance, size);
        // A common shift carries no information; it makes the matrix positive definite, and is taken out of each draw.
        let shift = (0..size).map(|k| self.information[k * size + k]).sum::<f64>() / size as f64;
        let shifted: Vec<f64> = self.information.iter().map(|value| value + shift).collect();
        let noise = Cholesky::semi_definite(&shifted, size);
        let prior_signal = matrix::apply(&self.precision, &self.strengths);
        let mut draws = Normals::from_seed(0x61_6476_6963);
        let mut decided = 0_u32;
        for _ in 0..BOARDS {
            let truth: Vec<f64> = current
                .correlate(&draws.normals(size))
                .iter()
                .zip(&self.mean)
                .map(|(moved, mean)| moved + mean)
                .collect();
            let mut simulated = noise.correlate(&draws.normals(size));
            let mean = simulated.iter().sum::<f64>() / size as f64;
            simulated.iter_mut().for_each(|value| *value = libm::sqrt(further_judgements) * (*value - mean));
            let signal = matrix::apply(&self.information, &truth);
            let weighted = simulated.iter().zip(signal).zip(&prior_signal);
            let signals: Vec<f64> = weighted
                .map(|((noise, signal), prior_signal)| noise + further_judgements * signal + prior_signal)
                .collect();
            let estimate = matrix::apply(&errors_after, &signals);
            let is_named = |a: &usize| {
                let row = &needed_leads[a * size..(a + 1) * size];
                row.iter().zip(&estimate).all(|(needed_leads, other)| estimate[*a] - other > *needed_leads)
            };
            decided += u32::from((0..size).any(|a| is_named(&a)));
        }
        f64::from(decided) / BOARDS as f64
    }

    /// The chances at numbers of judgements that rise by factors of about three.
    fn chances(&self) -> Vec<Chance> {
        let numbers = (1..=6).flat_map(|power| [1, 3].map(|digit| digit * 10_u64.pow(power)));
        Chance::rising_chances(numbers.filter(|more| *more <= Advice::MAX_FURTHER), |more| {
            self.decided_share(more as f64)
        })
    }
}

pub(crate) fn advise(names: &[String], group: &GroupFit, settings: &Settings, conclusion: &Conclusion) -> Advice {
    let future = Future::from_group(group, settings);
    let is_known = matches!(conclusion, Conclusion::Best(_) | Conclusion::WithinTolerance(_));
    let chances = if is_known { Vec::new() } else { future.chances() };
    let name = |contender: usize| names[group.members[future.contenders[contender]]].clone();
    let size = future.contenders.len();
    let further_judgements = chances.last().map_or(0, |chance| chance.more);
    let needed_leads = future.needed_leads(&future.errors_after(further_judgements as f64));
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    // A pair with the best is in order already.
    let best = match conclusion {
        Conclusion::Best(leader) => names.iter().position(|name| *name == leader.name),
        _ => None,
    };
    for a in 0..size {
        for b in a + 1..size {
            if [a, b].iter().any(|one| Some(group.members[future.contenders[*one]]) == best) {
                continue;
            }
            let far = (future.mean[a] - future.mean[b]).abs()
                / (needed_leads[a * size + b] + future.tolerance).max(f64::MIN_POSITIVE);
            if far < 1.0 {
                pairs.push((far, a, b));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut advice = Advice {
        known: is_known,
        later: chances.last().map_or(0.0, |last_chance| 1.0 - last_chance.share),
        chances,
        further: settings.further,
        assumption: assumption(settings.further),
        contenders: (0..size).map(name).collect(),
        inseparable: pairs.iter().take(Advice::MAX_SHOWN_PAIRS).map(|pair| (name(pair.1), name(pair.2))).collect(),
        inseparable_count: pairs.len(),
        sentence: String::new(),
    };
    advice.sentence = sentence(&advice, settings);
    advice
}

/// How a session differs from the assumptions of the chances.
fn session_note(further: FurtherPairs) -> Option<&'static str> {
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

/// The assumptions of the chances, in words.
fn assumption(further: FurtherPairs) -> String {
    let uniform =
        "The chances assume that all pairs of the contenders are judged equally often, and that Bradley-Terry holds.";
    session_note(further).map_or_else(|| uniform.to_owned(), |differs| format!("{uniform} {differs}"))
}

/// The same in words.
fn sentence(advice: &Advice, settings: &Settings) -> String {
    let level = percent(settings.level);
    let look = settings.looks.label();
    let contenders = count(advice.contenders.len() as u64, "contender", "contenders");
    let number = if advice.known {
        format!("The best is known with {level} at {look}; no more judgements are needed for that.")
    } else if advice.chances.iter().all(|chance| chance.share < 0.1) {
        format!(
            "More than {} more judgements would be needed to name the best with {level} at {look}: the {contenders} are too close, or \
             the items and judges too few.",
            with_separators(Advice::MAX_FURTHER)
        )
    } else {
        format!(
            "Chances that more judgements name the best with {level} at {look}, if all pairs of the {contenders} are judged equally \
             often: {}",
            chance_list_with_milestones(&advice.chances, advice.later)
        )
    };
    // Where no number is given, how it was found does not matter.
    let number = match session_note(advice.further)
        .filter(|_| !advice.known && advice.chances.iter().any(|one| one.share >= 0.1))
    {
        Some(differs) => format!("{number} {differs}"),
        _ => number,
    };
    let subject = if advice.known { "The judgements so far" } else { "The last number" };
    match advice.inseparable.first() {
        None => number,
        Some((first, second)) => format!(
            "{number} {subject} {} not separate {}, such as {first} and {second}.",
            if advice.known { "do" } else { "will probably" },
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
        GroupFit::of(table, members, units.units, settings, 0.05).unwrap()
    }

    /// Chances of being named by some number of judgements, and the share of boards with strengths drawn from the posterior that are
    /// named by then.
    fn chance_and_share(boards: usize, seed: u64) -> (Chance, f64) {
        let settings = Settings::default();
        let (count, tie) = (8, 0.5);
        let mut draws = Normals::from_seed(seed);
        let truth: Vec<f64> = draws.normals(count).iter().map(|z| 0.8 * z).collect();
        let mut table = Table {
            names: (0..count).map(|k| format!("c{k}")).collect(),
            items: Vec::new(),
            judges: Vec::new(),
            judgements: Vec::new(),
            order: Order::Unknown,
            covariates: Vec::new(),
        };
        for _ in 0..400 {
            let a = draws.below(count);
            let b = (a + 1 + draws.below(count - 1)) % count;
            table.judgements.push(judged(&mut draws, (a, b), truth[a] - truth[b], tie));
        }
        let now = group(&table, &settings);
        let future = Future::from_group(&now, &settings);
        // Where the chance is nearest to a half.
        let far = |chance: &Chance| (chance.share - 0.5).abs();
        let chance = *future.chances().iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
        let covariance = Cholesky::new(&now.posterior.precision, count).unwrap().inverse();
        let root = Cholesky::new(&covariance, count).unwrap();
        let mut decided = 0;
        for _ in 0..boards {
            let moved = root.correlate(&draws.normals(count));
            let strengths: Vec<f64> = moved.iter().zip(&now.posterior.mean).map(|(a, b)| a + b).collect();
            let mut later = table.clone();
            for _ in 0..chance.more {
                let size = future.contenders.len();
                let a = draws.below(size);
                let b = future.contenders[(a + 1 + draws.below(size - 1)) % size];
                let a = future.contenders[a];
                later.judgements.push(judged(&mut draws, (a, b), strengths[a] - strengths[b], now.fit.tie()));
            }
            let then = group(&later, &settings);
            let named = (0..count).any(|member| then.contrasts.is_best(member, 0.0, settings.looks.look()));
            decided += usize::from(named);
        }
        (chance, decided as f64 / boards as f64)
    }

    #[test]
    fn chances_are_shares_of_boards() {
        let (chance, share) = chance_and_share(100, 5);
        // Three standard errors of a half of 100, and the normal approximation.
        assert!((share - chance.share).abs() < 0.18, "{share} of {chance:?}");
    }

    #[test]
    fn sessions_are_told_how_they_differ_from_the_chances() {
        let pairs = vec![("a".to_owned(), "b".to_owned())];
        let of = |further, known: bool, share| {
            let advice = Advice {
                known,
                chances: if known { Vec::new() } else { vec![Chance { more: 100, share }] },
                later: 0.0,
                further,
                assumption: assumption(further),
                contenders: vec!["a".to_owned(), "b".to_owned()],
                inseparable: pairs.clone(),
                inseparable_count: 1,
                sentence: String::new(),
            };
            (sentence(&advice, &Settings::default()), advice.assumption)
        };
        let uniform = "Chances that more judgements name the best with 95% at one look, if all pairs of the 2 contenders are judged \
                       equally often: 100 more: 40%.";
        let last = "The last number will probably not separate 1 pair of contenders, such as a and b.";
        assert_eq!(of(FurtherPairs::Contenders, false, 0.4).0, format!("{uniform} {last}"));
        for (further, goal, differs) in [
            (FurtherPairs::Best, "(goal best)", "takes fewer"),
            (FurtherPairs::Order, "(goal order)", "takes more"),
            (FurtherPairs::Everyone, "(goal uniform)", "takes more"),
        ] {
            let (words, assumption) = of(further, false, 0.4);
            assert!(words.starts_with(uniform) && words.ends_with(last), "{words}");
            for text in [&words, &assumption] {
                assert!(text.contains(goal) && text.contains(differs), "{text}");
            }
            assert!(
                assumption.starts_with("The chances assume that all pairs of the contenders are judged equally often")
            );
            // Without a number there is nothing to differ from.
            for (known, share) in [(true, 0.0), (false, 0.02)] {
                assert!(!of(further, known, share).0.contains("goal"), "{}", of(further, known, share).0);
            }
        }
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
    #[ignore = "half a minute in a release build: cargo test -p board --release -- --ignored chances_of_500"]
    fn chances_of_500_boards_are_shares_at_full_size() {
        for seed in [5, 6, 7, 8] {
            let (chance, share) = chance_and_share(500, seed);
            eprintln!("seed {seed}: {chance:?}, {share} named");
            assert!((share - chance.share).abs() < 0.1, "{share} of {chance:?}");
        }
    }
}
