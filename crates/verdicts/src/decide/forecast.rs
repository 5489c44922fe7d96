//! How long it takes: the chance of a decision within some days, at the rate of the last ones.
//!
//! The rest of the experiment is played many times. In each play every pair has one share, drawn from its posterior, and as
//! many units a day as lately; each future look is judged as the verdict itself is. Every pair has draws of its own, so that only
//! pairs that matter are played: a ranker that does not beat one of the others is not the best, whatever the rest does. Shares close to
//! one half are likelier before anything is known (as after [`PRIOR`] units that were level), because most changes of rankers do little.

use statistics::anytime::{PairTest, TestState};
use statistics::{Counts, Normals};

use super::{Decision, PairDecision};

/// How often the rest is played.
const PLAYS: u64 = 400;
/// The days with a look at a play: daily looks would decide a little sooner.
const LOOK_DAYS: [u32; 14] = [1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 60, 75, 90];
/// The horizons of the chances, in days.
const HORIZONS: [u32; 3] = [7, 30, 90];
/// The rate is that of this many days.
const RECENT_DAYS: i32 = 7;
/// How many units of each side the prior of a share adds.
const PRIOR: f64 = 10.0;
/// With more pairs than these, only the leader has a forecast.
const MAX_PAIRS: usize = 200;

/// How likely a decision comes within some days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DayChance {
    /// Days after the last one with outcomes.
    pub days: u32,
    /// The probability that it is decided by then, 0 to 1.
    pub share: f64,
}

/// How long it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// How many days the rate is of.
    pub of_days: u32,
    /// Units a day, of all pairs together.
    pub per_day: f64,
    /// In rising order; none if nothing comes that could decide.
    pub chances: Vec<DayChance>,
    /// Pairs of the leader that are open and had no unit lately, by the places of the rankers, the leader first.
    pub idle: Vec<(usize, usize)>,
}

/// A pair as plays need it.
struct UndecidedPair {
    pair: (usize, usize),
    counts: Counts,
    /// Units a day.
    rate: f64,
    /// The test until now.
    test: PairTest,
}

impl Forecast {
    /// How long `decision` takes; `None` if it is decided, or all its outcomes are of one day, which gives no rate.
    pub(super) fn of(decision: &Decision) -> Option<Self> {
        let (first, last) = decision.days?;
        let is_decided = match &decision.best {
            Some(best) => best.declared.is_some() || best.candidates.is_empty(),
            None => decision.pairs.iter().all(|pair| pair.last.winner().is_some()),
        };
        // The first day began with the experiment, so it is shorter than a day: counting starts at its end.
        let first_day = first.max(last - RECENT_DAYS);
        if is_decided || first_day == last {
            return None;
        }
        let day_count = (last - first_day) as u32;
        let rate = |pair: &PairDecision| {
            let before =
                pair.looks.iter().rev().find(|look| look.day <= first_day).map_or(0, |look| look.counts.total());
            (pair.last.counts.total() - before) as f64 / f64::from(day_count)
        };
        let per_day = decision.pairs.iter().map(rate).sum();
        let leader = decision.best.as_ref().map(|best| best.leader.0);
        let is_idle = |pair: &&PairDecision| {
            let (a, b) = pair.last.pair;
            pair.last.winner().is_none() && rate(pair) == 0.0 && leader.is_none_or(|leader| leader == a || leader == b)
        };
        let leader_first = |pair: &PairDecision| match pair.last.pair {
            (a, b) if leader == Some(b) => (b, a),
            pair => pair,
        };
        let idle = decision.pairs.iter().filter(is_idle).map(leader_first).collect();
        let chances = if per_day > 0.0 { chances(decision, leader, rate)? } else { Vec::new() };
        Some(Self { of_days: day_count, per_day, chances, idle })
    }
}

/// The chances at each horizon.
fn chances(decision: &Decision, leader: Option<usize>, rate: impl Fn(&PairDecision) -> f64) -> Option<Vec<DayChance>> {
    let rankers = decision.rankers.len();
    let contenders: Vec<usize> = match (&decision.best, leader) {
        (Some(_), Some(leader)) if decision.pairs.len() > MAX_PAIRS => vec![leader],
        (Some(best), _) => best.candidates.clone(),
        (None, _) => Vec::new(),
    };
    let test = || match decision.best {
        // The threshold for the best of all.
        Some(_) => PairTest::at_threshold(rankers as f64 / decision.alpha),
        None => PairTest::new(decision.alpha / decision.pairs.len().max(1) as f64),
    };
    let is_needed = |pair: &&PairDecision| {
        decision.best.is_none() || [pair.last.pair.0, pair.last.pair.1].iter().any(|one| contenders.contains(one))
    };
    let undecided_pairs = decision.pairs.iter().filter(is_needed).map(|pair| {
        let mut test = test().ok()?;
        test.look_at(pair.last.counts);
        Some(UndecidedPair { pair: pair.last.pair, counts: pair.last.counts, rate: rate(pair), test })
    });
    let undecided_pairs: Vec<UndecidedPair> = undecided_pairs.collect::<Option<_>>()?;
    let opponents: Vec<Vec<RankerPair>> =
        contenders.iter().filter_map(|&ranker| against_all(ranker, rankers, &undecided_pairs)).collect();
    let mut decided_plays = [0_u64; LOOK_DAYS.len()];
    for play in 0..PLAYS {
        // At which look each pair is decided, for its first and for its second.
        let mut reached: Vec<Option<[usize; 2]>> = vec![None; undecided_pairs.len()];
        let mut looks_of_pair = |pair: usize| {
            let seed = 0x4c6f_6f6b + play + PLAYS * pair as u64;
            *reached[pair].get_or_insert_with(|| play_pair(&undecided_pairs[pair], &mut Normals::from_seed(seed)))
        };
        let at = if decision.best.is_none() {
            (0..undecided_pairs.len()).flat_map(&mut looks_of_pair).min()
        } else {
            opponents.iter().filter_map(|pairs| look_of_best(pairs, &mut looks_of_pair)).min()
        };
        decided_plays.iter_mut().skip(at.unwrap_or(LOOK_DAYS.len())).for_each(|count| *count += 1);
    }
    let share = |days: &u32| {
        let at = LOOK_DAYS.iter().position(|look| look == days)?;
        Some(DayChance { days: *days, share: decided_plays[at] as f64 / PLAYS as f64 })
    };
    HORIZONS.iter().map(share).collect()
}

/// A pair of a ranker: its place among the open ones, and the ranker's in it.
struct RankerPair {
    pair: usize,
    side: usize,
}

/// The pairs of a ranker with all others, first those in which it wins least clearly; `None` if it did not meet all.
fn against_all(ranker: usize, rankers: usize, undecided_pairs: &[UndecidedPair]) -> Option<Vec<RankerPair>> {
    let side = |pair: &UndecidedPair| [pair.pair.0, pair.pair.1].iter().position(|one| *one == ranker);
    let ranker_pair = |(pair, one): (usize, &UndecidedPair)| side(one).map(|side| RankerPair { pair, side });
    let mut pairs: Vec<RankerPair> = undecided_pairs.iter().enumerate().filter_map(ranker_pair).collect();
    let lead = |RankerPair { pair, side }: &RankerPair| {
        let Counts { wins, losses, .. } = undecided_pairs[*pair].counts;
        let lead = (wins as f64 - losses as f64) / libm::sqrt((wins + losses).max(1) as f64);
        if *side == 0 { lead } else { -lead }
    };
    pairs.sort_by(|one, other| lead(one).total_cmp(&lead(other)));
    (pairs.len() == rankers - 1).then_some(pairs)
}

/// The look at which a ranker has beaten all others, if `looks_of_pair` says at which each pair is decided; `None` if that is never known.
fn look_of_best(pairs: &[RankerPair], looks_of_pair: &mut impl FnMut(usize) -> [usize; 2]) -> Option<usize> {
    let mut last = 0;
    for RankerPair { pair, side } in pairs {
        let at = looks_of_pair(*pair)[*side];
        if at == LOOK_DAYS.len() {
            return None;
        }
        last = last.max(at);
    }
    Some(last)
}

/// Plays the rest of a pair: the look at which its first wins, and at which its second does; a number that no look has if neither.
fn play_pair(pair: &UndecidedPair, draws: &mut Normals) -> [usize; 2] {
    const NO_LOOK: usize = LOOK_DAYS.len();
    let UndecidedPair { counts, rate, .. } = pair;
    let mut test = pair.test.clone();
    let looks_of_state = |state: TestState, look: usize| match state {
        TestState::FirstWins => Some([look, NO_LOOK]),
        TestState::SecondWins => Some([NO_LOOK, look]),
        TestState::Open => None,
    };
    if let Some(decided_looks) = looks_of_state(test.verdict(), 0) {
        return decided_looks;
    }
    // The share, on the scale of angles, where its error does not depend on it.
    let (wins, all) = (counts.wins as f64 + PRIOR, counts.decided() as f64 + 2.0 * PRIOR);
    let angle = libm::asin(libm::sqrt(wins / all)) + draws.normal() / (2.0 * libm::sqrt(all));
    let share = libm::pow(libm::sin(angle), 2.0);
    let decided = (counts.decided() as f64 + 1.0) / (counts.total() as f64 + 1.0);
    let mut counts_now = *counts;
    let mut before = 0;
    for (look, days) in LOOK_DAYS.iter().enumerate() {
        let until = (rate * decided * f64::from(*days)) as u64;
        let more = until - before;
        before = until;
        let won = binomial(more, share, draws);
        counts_now += Counts::new(won, more - won, 0);
        if let Some(decided_looks) = looks_of_state(test.look_at(counts_now), look) {
            return decided_looks;
        }
    }
    [NO_LOOK; 2]
}

/// A binomial draw; of many, from the normal distribution.
fn binomial(count: u64, share: f64, draws: &mut Normals) -> u64 {
    if count <= 40 {
        return (0..count).filter(|_| draws.uniform() < share).count() as u64;
    }
    let n = count as f64;
    let drawn = n * share + draws.normal() * libm::sqrt(n * share * (1.0 - share));
    libm::round(drawn).clamp(0.0, n) as u64
}

#[cfg(test)]
mod tests {
    use super::super::CountUnit;
    use super::super::running_decision::decide_without_progress;
    use super::*;
    use crate::outcomes::{Day, DayCounts, Outcomes};

    fn outcomes(days: &[[u64; 2]]) -> Outcomes {
        let day = |(day, &[wins, losses]): (usize, &[u64; 2])| {
            let units = Counts::new(wins, losses, 20);
            Day { version: 0, day: day as i32, pair: (0, 1), counts: DayCounts::of(units, units) }
        };
        let rankers = ["new", "old"].map(str::to_owned).into();
        Outcomes { rankers, versions: vec![None], days: days.iter().enumerate().map(day).collect() }
    }

    #[test]
    fn chances_rise_with_days_and_with_the_margin() {
        let of = |wins: u64| {
            let days = vec![[wins, 100 - wins]; 5];
            decide_without_progress(&outcomes(&days), 0.05, CountUnit::Units).unwrap().forecast.unwrap()
        };
        let (near, far) = (of(52), of(56));
        for forecast in [&near, &far] {
            assert!(forecast.chances.windows(2).all(|two| two[0].share <= two[1].share), "{forecast:?}");
            assert_eq!((forecast.per_day, forecast.of_days, forecast.idle.len()), (120.0, 4, 0));
        }
        assert!(near.chances.iter().zip(&far.chances).all(|(near, far)| near.share < far.share), "{near:?} {far:?}");
        // Decided, and of one day.
        assert!(
            decide_without_progress(&outcomes(&[[90, 10], [90, 10]]), 0.05, CountUnit::Units)
                .unwrap()
                .forecast
                .is_none()
        );
        assert!(decide_without_progress(&outcomes(&[[50, 50]]), 0.05, CountUnit::Units).unwrap().forecast.is_none());
    }

    #[test]
    fn a_pair_without_units_lately_is_idle() {
        let mut stopped = outcomes(&[[50, 45], [52, 50]]);
        stopped.days.push(Day { version: 0, day: 30, pair: (0, 2), ..stopped.days[0].clone() });
        stopped.days.push(Day { version: 0, day: 31, pair: (1, 2), ..stopped.days[0].clone() });
        stopped.rankers.push("other".to_owned());
        let forecast = decide_without_progress(&stopped, 0.05, CountUnit::Units).unwrap().forecast.unwrap();
        assert_eq!(forecast.idle.len(), 1, "{forecast:?}");
        assert!(forecast.chances.iter().all(|chance| chance.share < 0.2), "{forecast:?}");
    }

    /// Worlds with shares drawn from the prior: forecasts made after five days come true as often as they say.
    #[test]
    fn chances_come_true() {
        let (worlds, horizon) = (600, 30);
        let mut bins = [[0.0; 3]; 4];
        for world in 0..worlds {
            let mut draws = Normals::from_seed(900 + world);
            let angle = std::f64::consts::FRAC_PI_4 + draws.normal() / (2.0 * libm::sqrt(2.0 * PRIOR));
            let share = libm::pow(libm::sin(angle), 2.0);
            let mut days = Vec::new();
            let mut said = None;
            let mut come_true = false;
            for day in 0..5 + horizon {
                let wins = binomial(20, share, &mut draws);
                days.push([wins, 20 - wins]);
                if day == 4 {
                    let Some(forecast) =
                        decide_without_progress(&outcomes(&days), 0.05, CountUnit::Units).unwrap().forecast
                    else {
                        break;
                    };
                    said =
                        forecast.chances.iter().find(|chance| chance.days == horizon as u32).map(|chance| chance.share);
                }
            }
            let Some(said) = said else { continue };
            come_true |=
                decide_without_progress(&outcomes(&days), 0.05, CountUnit::Units).unwrap().pairs[0].since.is_some();
            let bin = &mut bins[((4.0 * said) as usize).min(3)];
            *bin = [bin[0] + 1.0, bin[1] + said, bin[2] + f64::from(u8::from(come_true))];
        }
        for [count, said, true_ones] in bins.into_iter().filter(|[count, ..]| *count >= 20.0) {
            let (said, share) = (said / count, true_ones / count);
            let error = libm::sqrt(said * (1.0 - said) / count);
            // The looks of plays are fewer than those of days: by some points.
            assert!((share - said).abs() < 0.06 + 3.0 * error, "of {count}: said {said:.3}, came true {share:.3}");
        }
    }
}
