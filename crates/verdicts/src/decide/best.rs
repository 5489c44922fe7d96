//! The best of more than two rankers.
//!
//! One is the best of K once the evidence for it has reached K / alpha against each of the others, for each on a day of its own. The
//! probability that any other ranker is ever declared is at most alpha ([`BestArm`](statistics::anytime::BestArm), which a test
//! compares). Verdicts on all pairs together take K (K - 1) / alpha. So a claim that one is the best is a claim about its pairs
//! alone: from then on these are decided by K / alpha, and the others claim nothing. Until then all statements, about a
//! leader or the candidates for the best, follow from the verdicts on all pairs.

use statistics::anytime::TestState;

use super::pair::PairState;
use super::{BestDecision, PairDecision};

/// The best of `count` rankers and since when, if the evidence suffices.
pub(super) fn declare_best(count: usize, states: &[PairState]) -> Option<(usize, i32)> {
    if count < 3 {
        return None;
    }
    let mut beaten = vec![(0, i32::MIN); count];
    for state in states {
        let (first, second) = state.pair();
        for (ranker, reached) in [first, second].into_iter().zip(state.reached()) {
            if let Some(day) = reached {
                let (beaten_count, since_day) = &mut beaten[ranker];
                (*beaten_count, *since_day) = (*beaten_count + 1, day.max(*since_day));
            }
        }
    }
    let all = beaten.into_iter().enumerate().filter(|(_, (beaten_count, _))| *beaten_count == count - 1);
    all.map(|(ranker, (_, since_day))| (ranker, since_day)).min_by_key(|(_, since_day)| *since_day)
}

/// The ranker with the most evidence against the opponent against which it has the least: the best one, if it is known.
pub(super) fn leader(count: usize, states: &[PairState], declared: Option<(usize, i32)>) -> usize {
    if let Some((ranker, _)) = declared {
        return ranker;
    }
    let (mut least_evidence, mut pairs_met) = (vec![f64::INFINITY; count], vec![0; count]);
    for state in states {
        let (first, second) = state.pair();
        for (ranker, evidence) in [first, second].into_iter().zip(state.ln_evidence()) {
            least_evidence[ranker] = evidence.min(least_evidence[ranker]);
            pairs_met[ranker] += 1;
        }
    }
    for (least_evidence, pairs_met) in least_evidence.iter_mut().zip(pairs_met) {
        // No evidence about pairs that never met.
        if pairs_met < count - 1 {
            *least_evidence = least_evidence.min(0.0);
        }
    }
    let decided = |ranker: usize| {
        let wins = |state: &&PairState| {
            let (first, second) = state.pair();
            match state.verdict() {
                TestState::FirstWins => first == ranker,
                TestState::SecondWins => second == ranker,
                TestState::Open => false,
            }
        };
        states.iter().filter(wins).count()
    };
    let mut best = 0;
    for ranker in 1..count {
        if least_evidence[ranker] > least_evidence[best]
            || least_evidence[ranker] == least_evidence[best] && decided(ranker) > decided(best)
        {
            best = ranker;
        }
    }
    best
}

/// The state of the best of `count` rankers, by the verdicts on pairs.
pub(super) fn best(
    count: usize,
    pairs: &[PairDecision],
    leader: usize,
    declared: Option<(usize, i32)>,
) -> BestDecision {
    let (mut wins, mut is_beaten) = (vec![0; count], vec![false; count]);
    let mut contradictions = Vec::new();
    for pair in pairs {
        let Some(winner) = pair.last.winner() else { continue };
        let (first, second) = pair.last.pair;
        if let Some(found) = pair.contradicted {
            contradictions.extend(declared.map(|_| found));
            continue;
        }
        wins[winner] += 1;
        is_beaten[if winner == first { second } else { first }] = true;
    }
    BestDecision {
        declared,
        leader: (leader, wins[leader]),
        candidates: (0..count).filter(|ranker| !is_beaten[*ranker]).collect(),
        contradicted: contradictions,
    }
}
