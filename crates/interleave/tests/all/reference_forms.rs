//! The fast forms against the reference forms on queries of usual size: how often each ranker wins.

use interleave::{
    CreditTies, Doc, Examination, Generator, Interleaving, ListBuf, Multileaving, Outcome, PairwisePreference,
    Preference, ProbabilisticInterleave, ProbabilisticMultileave, RankedList, Sosm, TeamDraftMultileave, reference,
};
use rand::{RngExt, SeedableRng};

const DOCUMENTS: usize = 40;
const SHOWN: usize = 10;
const IMPRESSIONS: u32 = 6_000;

/// Rankers without ties, with some and with many; the last two nearly alike.
fn lists() -> Vec<ListBuf> {
    let mut generator = Generator::seed_from_u64(31);
    let mut list = |levels: u32| {
        let scores: Vec<f64> = (0..DOCUMENTS).map(|_| f64::from(generator.random_range(0..levels))).collect();
        ListBuf::from_scores(&scores).unwrap()
    };
    let mut lists = vec![list(1_000_000), list(12), list(3), list(1_000_000)];
    let alike = (0..DOCUMENTS).map(|rank| lists[3].as_list().at(if rank < 2 { 1 - rank } else { rank }));
    lists.push(ListBuf::strict(alike).unwrap());
    lists
}

/// Users who click on a third of the documents and may then leave.
fn examine(doc: Doc, luck: &mut Generator) -> Examination {
    let clicked = luck.random_bool([0.05, 0.2, 0.8][doc.index() % 3]);
    Examination { clicked, abandons: clicked && luck.random_bool(0.3) }
}

/// Wins of the former, ties and wins of the latter of a pair.
type Counts = [u32; 3];

fn count(counts: &mut Counts, winner: Preference) {
    counts[match winner {
        Preference::First => 0,
        Preference::Tie => 1,
        Preference::Second => 2,
    }] += 1;
}

/// Shares of two samples of [`IMPRESSIONS`] each differ by at most 5 standard deviations.
fn assert_alike(fast: Counts, plain: Counts, what: &str) {
    for (kind, (x, y)) in fast.into_iter().zip(plain).enumerate() {
        let n = f64::from(IMPRESSIONS);
        let p = f64::from(x + y) / (2.0 * n);
        // One success more or less, for very rare outcomes.
        let bound = 5.0 * (2.0 * p * (1.0 - p) / n).sqrt() + 1.0 / n;
        let difference = (f64::from(x) - f64::from(y)).abs() / n;
        assert!(difference <= bound, "{what}, kind {kind}: {x} against {y}");
    }
}

#[test]
fn probabilistic_interleaving() {
    let lists = lists();
    let [mut chance, mut luck] = [32, 33].map(Generator::seed_from_u64);
    let mut scratch = Default::default();
    for (ties, tau) in [(CreditTies::Redrawn, 3.0), (CreditTies::Same, 3.0), (CreditTies::Same, 1.0)] {
        let method = ProbabilisticInterleave::with_tau(tau, ties).unwrap();
        for (i, j) in [(0, 1), (0, 2), (1, 2), (3, 4)] {
            let pair = [lists[i].as_list(), lists[j].as_list()];
            let (mut fast, mut slow) = (Counts::default(), Counts::default());
            for _ in 0..IMPRESSIONS {
                let user = |doc| examine(doc, &mut luck);
                count(&mut fast, method.compare(pair, SHOWN, &mut chance, &mut scratch, user));
                let user = |doc| examine(doc, &mut luck);
                count(&mut slow, reference::probabilistic(pair, SHOWN, tau, ties, &mut chance, user));
            }
            assert_alike(fast, slow, &format!("{ties:?}, tau {tau}, pair ({i}, {j})"));
        }
    }
}

/// Every pair's shares, by the fast form and by the plain one.
fn hold<M: Multileaving>(
    method: &M,
    plain: impl Fn(&[RankedList<'_>], &mut Generator, &mut dyn FnMut(Doc) -> Examination) -> Vec<f64>,
) {
    let lists = lists();
    let lists: Vec<RankedList<'_>> = lists.iter().map(ListBuf::as_list).collect();
    let pairs: Vec<(usize, usize)> = (0..lists.len()).flat_map(|i| (i + 1..lists.len()).map(move |j| (i, j))).collect();
    let [mut chance, mut luck] = [34, 35].map(Generator::seed_from_u64);
    let (mut scratch, mut outcome) = (M::Scratch::default(), M::Outcome::default());
    let mut counts = vec![(Counts::default(), Counts::default()); pairs.len()];
    for _ in 0..IMPRESSIONS {
        method.compare(&lists, SHOWN, &mut chance, &mut scratch, |doc| examine(doc, &mut luck), &mut outcome);
        let scores = plain(&lists, &mut chance, &mut |doc| examine(doc, &mut luck));
        for (&(i, j), (fast, slow)) in pairs.iter().zip(&mut counts) {
            count(fast, outcome.preference(i, j));
            let difference = scores[i] - scores[j];
            let winner = if difference.abs() < 1e-7 {
                Preference::Tie
            } else if difference > 0.0 {
                Preference::First
            } else {
                Preference::Second
            };
            count(slow, winner);
        }
    }
    for (pair, (fast, slow)) in pairs.iter().zip(counts) {
        assert_alike(fast, slow, &format!("{}, pair {pair:?}", method.name()));
    }
}

#[test]
fn team_draft_multileaving() {
    hold(&TeamDraftMultileave::default(), |lists, chance, user| reference::team_draft(lists, SHOWN, chance, user));
}

#[test]
fn sosm() {
    hold(&Sosm::default(), |lists, chance, user| reference::sosm(lists, SHOWN, 3.0, chance, user));
}

#[test]
fn probabilistic_multileaving() {
    hold(&ProbabilisticMultileave::default(), |lists, chance, user| {
        reference::probabilistic_multileave(lists, SHOWN, 3.0, chance, user)
    });
}

#[test]
fn pairwise_preference() {
    hold(&PairwisePreference::default(), |lists, chance, user| {
        reference::pairwise_preference(lists, SHOWN, chance, user)
    });
}
