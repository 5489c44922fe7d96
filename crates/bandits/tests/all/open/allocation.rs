//! Tables of what to show for many impressions.

use bandits::open::{OpenError, PairOutcomes};
use bandits::registry::Spec;
use bandits::{ActionKind, Arm, Generators, PairWins, Preference};

#[test]
fn shares_add_up_and_their_tickets_are_open() {
    let mut sets_of_two = 0;
    for spec in super::all() {
        let mut policy = spec.open(6, Some(5_000), &Generators::from_seed(3)).expect("six arms");
        for impressions in [1, 7, 400, 1_000] {
            let before = policy.tally();
            let table = policy.allocate(impressions);
            assert_eq!(table.impressions(), impressions, "{spec}");
            let tickets: u64 = table.shares.iter().map(|share| share.tickets().count() as u64).sum();
            assert_eq!(policy.tally().tickets, before.tickets + tickets);
            assert_eq!(policy.tally().asked, before.asked + impressions);
            for (place, share) in table.shares.iter().enumerate() {
                let is_set = spec.entry().action_kind == ActionKind::Sets;
                assert!(share.impressions > 0 && table.shares[..place].iter().all(|other| other.arms != share.arms));
                if share.arms.len() == 2 && share.tickets().count() as u64 == share.impressions {
                    // Duels, and sets of two; some are forgotten, and some are ties.
                    let n = share.impressions;
                    let (first, ties) = (n / 2, n / 9);
                    let outcomes = PairOutcomes { first, second: (n - first - ties) / 2, ties };
                    policy.settle(share, outcomes).expect("a pair");
                    sets_of_two += usize::from(is_set);
                    continue;
                }
                let scores: Vec<u64> = share.arms.iter().map(|arm| u64::from(9 - arm.0)).collect();
                for ticket in share.tickets() {
                    policy.tell(ticket, &PairWins::from_scores(&scores)).expect("a set");
                }
            }
            assert_eq!(policy.tally().open, 0, "{spec}");
        }
    }
    assert!(sets_of_two > 0 || !crate::common::all_are_tested());
}

#[test]
fn sums_are_counted_for_the_right_arms() {
    let spec: Spec = "rucb".parse().expect("rucb");
    let mut policy = spec.open(4, None, &Generators::from_seed(1)).expect("four arms");
    let mut expected = [[0_u64; 4]; 4];
    for round in 0..20 {
        let table = policy.allocate(300);
        for share in table.shares.iter().filter(|share| share.arms.len() == 2) {
            let (i, j) = (share.arms[0], share.arms[1]);
            assert!(i < j);
            let n = share.impressions;
            let (first, second) = (n / 2, n / 3);
            let lost = if round % 2 == 0 { 0 } else { n - first - second };
            policy.settle(share, PairOutcomes { first, second, ties: n - first - second - lost }).expect("open");
            expected[i.index()][j.index()] += first;
            expected[j.index()][i.index()] += second;
            let (won, lost) = policy.wins(i, j).expect("RUCB keeps them");
            assert!(
                u64::from(won) >= expected[i.index()][j.index()] && u64::from(lost) >= expected[j.index()][i.index()]
            );
        }
    }
    assert_eq!(policy.recommend(), Some(Arm(0)));
}

#[test]
fn too_many_outcomes_change_nothing() {
    let spec: Spec = "random".parse().expect("random");
    let mut policy = spec.open(2, None, &Generators::from_seed(1)).expect("two arms");
    let table = policy.allocate(100);
    let share = table.shares.iter().find(|share| share.arms.len() == 2).expect("they meet");
    let alone = table.shares.iter().find(|share| share.arms.len() == 1).expect("one is drawn twice");
    let before = policy.snapshot();
    let n = share.impressions;
    let many = PairOutcomes { first: n, second: 1, ties: 0 };
    assert_eq!(policy.settle(share, many), Err(OpenError::TooManyOutcomes { outcomes: n + 1, tickets: n }));
    assert!(policy.settle(alone, PairOutcomes { ties: 1, ..PairOutcomes::default() }).is_err());
    assert!(policy.snapshot() == before);
    policy.tell(share.tickets().next().expect("some"), Preference::Tie).expect("open");
    let before = policy.snapshot();
    assert!(matches!(policy.settle(share, PairOutcomes::default()), Err(OpenError::NotOpen { .. })));
    assert!(policy.snapshot() == before);
}
