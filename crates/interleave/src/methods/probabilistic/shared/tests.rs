//! Both forms beside each other, and the plain one beside its rule.

use proptest::prelude::*;
use rand::SeedableRng as _;

use super::super::credit::winner;
use super::*;
use crate::ListBuf;

/// Rankers of the same documents, and what a user does with each document.
#[derive(Debug, Clone)]
struct Query {
    lists: Vec<ListBuf>,
    examinations: Vec<Examination>,
    ties: CreditTies,
    generator: Generator,
}

fn query(documents: std::ops::Range<usize>) -> impl Strategy<Value = Query> {
    let chances = (0.0..1.0, 0.0..0.6);
    (documents, 1_u64..30, chances, any::<bool>(), any::<u64>()).prop_map(
        |(documents, levels, (clicked, left), same, seed)| {
            let mut generator = Generator::seed_from_u64(seed);
            let mut list = || {
                let scores: Vec<f64> = (0..documents).map(|_| generator.random_range(0..levels) as f64).collect();
                ListBuf::from_scores(&scores).expect("a list")
            };
            let lists = (0..20).map(|_| list()).collect();
            let mut examination =
                || Examination { clicked: generator.random_bool(clicked), abandons: generator.random_bool(left) };
            let examinations = (0..documents).map(|_| examination()).collect();
            let ties = if same { CreditTies::Same } else { CreditTies::Redrawn };
            Query { lists, examinations, ties, generator }
        },
    )
}

impl Query {
    /// Calls `meet` with what pairs of the query share.
    fn start<T>(
        &self,
        length: usize,
        one_by_one: bool,
        meet: impl FnOnce(SharedImpression<'_>, &mut Generator) -> T,
    ) -> (T, Generator) {
        let mut generator = self.generator.clone();
        let mut scratch = SharedScratch { one_by_one, ..SharedScratch::default() };
        let lists: Vec<RankedList<'_>> = self.lists.iter().map(ListBuf::as_list).collect();
        let user = |doc: Doc| self.examinations[doc.index()];
        let weights = Weights::usual();
        let started = SharedImpression::start(&weights, self.ties, &lists, length, &mut generator, &mut scratch, user);
        (meet(started, &mut generator), generator)
    }
}

proptest! {
    /// Side by side or one by one, every pair has the same winner, for lists of all lengths that go side by side. (Without
    /// AVX2 both are one by one.)
    #[test]
    fn abreast_is_one_by_one(query in query(1..40), length in 1_usize..=MAX_DEPTH) {
        // Rows of more rankers than lanes, with some pairs left out, some twice, and rankers against themselves.
        let pairs: Vec<(u32, u32)> =
            (0..430).filter(|pair| pair % 89 > 2).map(|pair| (pair / 20 % 20, pair % 20)).collect();
        let winners = |one_by_one: bool| {
            query.start(length, one_by_one, |mut impression, generator| {
                let mut winners = vec![None; pairs.len()];
                if impression.has_clicks() {
                    impression.meet_all(&pairs, generator, |number, winner| {
                        assert_eq!(winners[number].replace(winner), None);
                    });
                    assert!(winners.iter().all(Option::is_some));
                }
                winners
            })
        };
        prop_assert_eq!(winners(false), winners(true));
    }

    /// One by one, a list takes the first document of either sequence that is not there yet, as the coins say, for lists of
    /// all lengths; and its clicks are credited by what the rankers had left.
    #[test]
    fn one_by_one_is_as_its_rule_says(query in query(1..80), length in 1_usize..=LONGEST, coins: u64) {
        query.start(length, true, |mut impression, _| {
            if !impression.has_clicks() {
                return;
            }
            for pair in [[0, 1], [2, 2], [19, 3]] {
                let SharedScratch { sequences, ranks, .. } = &*impression.scratch;
                let (mut shown, mut clicks) = (Vec::new(), Vec::new());
                let mut masses = [impression.total; 2];
                for position in 0..impression.depth {
                    let sequence = &sequences[pair[(coins >> position & 1) as usize] * impression.stride..];
                    let doc = *sequence.iter().find(|doc| !shown.contains(*doc)).expect("one is left");
                    let rank = |ranker: usize| ranks[ranker * impression.documents + doc.index()];
                    let weights = pair.map(|ranker| impression.table[usize::from(rank(ranker))]);
                    let examination = query.examinations[doc.index()];
                    if examination.clicked {
                        clicks.push(DrawProbabilities { weights, masses });
                    }
                    if examination.abandons {
                        break;
                    }
                    shown.push(doc);
                    for x in [0, 1] {
                        masses[x] -= weights[x];
                    }
                }
                let intents = pair.map(|ranker| impression.scratch.intents[ranker]);
                assert_eq!(impression.meet(pair, intents, coins), winner(clicks.into_iter()));
            }
        });
    }
}
