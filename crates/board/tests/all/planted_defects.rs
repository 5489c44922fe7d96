//! Planted defects are found, by name and in words.

use crate::world::{World, verdict};
use board::{Answer, Board, Conclusion, Judgement, ReportedFinding, Settings, Table};
use statistics::Normals;

fn board(table: &Table) -> Board {
    Board::new(table, &Settings { advice: false, ..Settings::default() }).unwrap()
}

fn kind(found: &ReportedFinding) -> String {
    serde_json::to_value(found).unwrap()["kind"].as_str().unwrap().to_owned()
}

/// The sentence of a finding of this kind, if there is one.
fn sentence(table: &Table, wanted: &str) -> Option<String> {
    board(table).findings.iter().find(|found| kind(found) == wanted).map(|found| found.sentence.clone())
}

/// Tables that a defect is planted in.
const TABLES: u64 = 12;

/// In how many of the tables the finding is raised.
fn power(wanted: &str, table: impl Fn(u64) -> Table) -> u64 {
    (0..TABLES).filter(|seed| sentence(&table(*seed), wanted).is_some()).count() as u64
}

fn world(seed: u64) -> World {
    World::normal(10, 0.8, 0.5, 100 + seed).shared(100, 8)
}

#[test]
fn groups_that_never_met() {
    let mut table = world(1).table(600, 1);
    table.judgements.retain(|row| (row.first < 6) == (row.second < 6));
    let found = board(&table);
    assert!(
        matches!(&found.conclusion, Conclusion::NotConnected(leader) if leader.others == 5),
        "{:?}",
        found.conclusion
    );
    assert!(found.sentence.contains("10") && found.sentence.contains("2 groups"), "{}", found.sentence);
    assert_eq!(found.groups.iter().map(|group| group.members.len()).collect::<Vec<_>>(), [6, 4]);
    // Ranks never cross groups.
    assert!(found.competitors.iter().all(|row| row.once.worst <= if row.group == 0 { 6 } else { 4 }));
    let words = sentence(&table, "not-connected").unwrap();
    assert!(words.contains("c0") && words.contains("c6"), "{words}");
}

#[test]
fn an_advantage_of_the_first() {
    let table = |seed| World { position: 0.35, ..world(seed) }.table(2_000, seed);
    assert_eq!(power("order", table), TABLES);
    let words = sentence(&table(0), "order").unwrap();
    assert!(words.contains("shown first gets"), "{words}");
    let mirrored = |seed| World { position: -0.35, ..world(seed) }.table(2_000, seed);
    assert!(sentence(&mirrored(0), "order").unwrap().contains("shown second gets"));
}

#[test]
fn one_side_always_first_is_no_verdict() {
    let mut table = world(2).table(600, 2);
    for row in &mut table.judgements {
        if row.first > row.second {
            std::mem::swap(&mut row.first, &mut row.second);
            row.verdict = match row.verdict {
                Answer::First => Answer::Second,
                Answer::Second => Answer::First,
                same => same,
            };
        }
    }
    let found = board(&table);
    // 0 before 1 before 2: cycles of pairs determine an advantage of the first, if it is the same for all.
    assert_ne!(found.conclusion, Conclusion::OrderAndNames);
    // Every pair has c0, first: nothing separates its strength from its side.
    table.judgements.retain(|row| row.first == 0);
    let found = board(&table);
    assert_eq!(found.conclusion, Conclusion::OrderAndNames);
    assert!(found.sentence.starts_with("No verdict"), "{}", found.sentence);
    assert!(sentence(&table, "order-and-names").is_some() && found.advice.is_none());
    // If the columns are not the order shown, there is a verdict.
    table.order = board::Order::Unknown;
    assert_ne!(board(&table).conclusion, Conclusion::OrderAndNames);
}

#[test]
fn a_loud_judge() {
    let table = |seed| {
        let mut world = world(seed);
        world.strengths[3] = 0.6;
        let mut table = world.table(2_000, seed);
        let mut draws = Normals::from_seed(900 + seed);
        // The last judge gives two of five judgements, and prefers the reverse of all, but for one favourite.
        for row in table.judgements.iter_mut().filter(|row| row.row % 5 < 2) {
            row.judge = Some(7);
            let liked = |k: u32| if k == 3 { 5.0 } else { -0.3 * world.strengths[k as usize] };
            row.verdict = verdict(&mut draws, liked(row.first) - liked(row.second), 0.5);
        }
        table
    };
    assert_eq!(power("judges-disagree", table), TABLES);
    assert!(power("loud-judge", table) >= TABLES - 4, "{}", power("loud-judge", table));
    let words = (0..TABLES).find_map(|seed| sentence(&table(seed), "loud-judge")).unwrap();
    assert!(words.contains("j7") && words.contains("c3"), "{words}");
}

#[test]
fn judges_with_other_preferences() {
    assert_eq!(power("judges-disagree", |seed| World { judge_spread: 0.6, ..world(seed) }.table(2_000, seed)), TABLES);
}

#[test]
fn a_judge_whose_winners_are_swapped() {
    let table = |seed| {
        let mut table = world(seed).table(2_000, seed);
        for row in table.judgements.iter_mut().filter(|row| row.judge == Some(2)) {
            row.verdict = match row.verdict {
                Answer::First => Answer::Second,
                Answer::Second => Answer::First,
                same => same,
            };
        }
        table
    };
    assert_eq!(power("judge-reversed", table), TABLES);
    assert!(sentence(&table(0), "judge-reversed").unwrap().contains("j2"));
}

#[test]
fn cycles() {
    let table = |seed| {
        let world = world(seed);
        let mut table = world.table(2_000, seed);
        let mut draws = Normals::from_seed(500 + seed);
        for row in &mut table.judgements {
            let (i, j) = (row.first as usize, row.second as usize);
            // Each beats the next four in a round of ten, and loses to the four before.
            let suits = match (j + 10 - i) % 10 {
                1..=4 => 1.0,
                6..=9 => -1.0,
                _ => 0.0,
            };
            row.verdict = verdict(&mut draws, 0.3 * (world.strengths[i] - world.strengths[j]) + suits, 0.5);
        }
        table
    };
    assert_eq!(power("misfit", table), TABLES);
    assert!(sentence(&table(0), "misfit").unwrap().contains("There is a cycle"));
}

#[test]
fn items_that_differ() {
    assert_eq!(power("items-differ", |seed| World { item_spread: 0.9, ..world(seed) }.table(2_000, seed)), TABLES);
}

/// Ties turned into something else.
fn without_ties(mut table: Table, mut change: impl FnMut(&Judgement) -> Option<Answer>) -> Table {
    for row in &mut table.judgements {
        if row.verdict == Answer::Tie
            && let Some(verdict) = change(row)
        {
            row.verdict = verdict;
        }
    }
    table
}

#[test]
fn ties_recorded_as_wins() {
    // Of the first answer: an order effect.
    let first = |seed| without_ties(world(seed).table(2_000, seed), |_| Some(Answer::First));
    assert_eq!(power("order", first), TABLES);
    // Of one competitor: its ties are missing.
    let own = |seed| {
        without_ties(world(seed).table(2_000, seed), |row| match (row.first, row.second) {
            (4, _) => Some(Answer::First),
            (_, 4) => Some(Answer::Second),
            _ => None,
        })
    };
    assert_eq!(power("ties-uneven", own), TABLES);
    assert!(sentence(&own(0), "ties-uneven").unwrap().contains("c4"));
}

#[test]
fn ties_that_decide_who_is_first() {
    let table = |seed| {
        let mut table = world(seed).table(3_000, seed);
        let mut draws = Normals::from_seed(700 + seed);
        for row in &mut table.judgements {
            // c0 wins four of five decided units and ties most; c1 wins seven of ten and never ties; others are equal.
            let difference = |k: u32| if k == 0 { 1.4 } else { f64::from(u8::from(k == 1)) * 0.9 };
            let tie = if row.first.min(row.second) == 0 { 5.0 } else { 0.01 };
            row.verdict = verdict(&mut draws, difference(row.first) - difference(row.second), tie);
        }
        table
    };
    assert!(power("ties-decide", table) >= TABLES - 3, "{}", power("ties-decide", table));
    let words = (0..TABLES).find_map(|seed| sentence(&table(seed), "ties-decide")).unwrap();
    assert!(words.contains("c1 is first with them, c0"), "{words}");
}

#[test]
fn copies_of_rows() {
    let table = |seed| {
        let mut table = world(seed).table(1_000, seed);
        table.judgements.extend_from_within(..60);
        table
    };
    assert_eq!(power("duplicates", table), TABLES);
    assert!(board(&table(0)).tally.duplicates >= 60);
    // The copies count once.
    assert_eq!(board(&table(0)).groups[0].units, board(&world(0).table(1_000, 0)).groups[0].units);
}

#[test]
fn a_competitor_compared_with_itself() {
    let mut table = world(3).table(300, 3);
    let clean = board(&table).competitors;
    let mut itself = table.judgements[7];
    (itself.second, itself.row) = (itself.first, 1_234);
    table.judgements.push(itself);
    let words = sentence(&table, "self-comparisons").unwrap();
    assert!(words.contains("1 judgement ") && words.contains("1234"), "{words}");
    let found = board(&table);
    assert_eq!((found.tally.self_comparisons, found.tally.rows), (1, 301));
    assert_eq!(found.competitors, clean);
}

/// Every unit in both orders; `biased` judges give the point to the first answer with this probability, whichever it
/// is.
fn both_orders(seed: u64, biased: impl Fn(u32) -> f64) -> Table {
    let world = world(seed);
    let mut draws = Normals::from_seed(seed);
    let mut judge = world.judge(&mut draws);
    let mut table = world.empty();
    for row in 0..400 {
        let first = draws.below(10);
        let second = (first + 1 + draws.below(9)) % 10;
        let mut judgement = judge(&mut draws, row, first, second);
        let stuck = draws.uniform() < biased(judgement.judge.unwrap());
        if stuck {
            judgement.verdict = Answer::First;
        }
        table.judgements.push(judgement);
        std::mem::swap(&mut judgement.first, &mut judgement.second);
        judgement.row += 1_000;
        // A consistent judge gives the same verdict on the same answers.
        judgement.verdict = match judgement.verdict {
            _ if stuck => Answer::First,
            Answer::First => Answer::Second,
            Answer::Second => Answer::First,
            same => same,
        };
        table.judgements.push(judgement);
    }
    table
}

#[test]
fn judges_who_prefer_a_side_in_both_orders() {
    assert_eq!(power("order-in-both", |seed| both_orders(seed, |_| 0.3)), TABLES);
    assert_eq!(power("contradictions", |seed| both_orders(seed, |_| 0.8)), TABLES);
    let words = sentence(&both_orders(0, |_| 0.3), "order-in-both").unwrap();
    assert!(words.contains("answered differently") && words.contains("shown first"), "{words}");
    let one = |seed| both_orders(seed, |judge| if judge == 5 { 0.7 } else { 0.02 });
    assert_eq!(power("judge-contradicts", one), TABLES);
    assert!(sentence(&one(0), "judge-contradicts").unwrap().contains("j5"));
    // Contradictions are ties.
    let table = both_orders(1, |_| 1.0);
    let found = board(&table);
    assert_eq!(found.both_orders.differently, found.both_orders.asked);
    assert!(found.competitors.iter().all(|row| row.wins == 0 && row.losses == 0));
}

/// Where every judgement is a tie, nothing is uneven: each competitor has as many as it has judgements.
#[test]
fn ties_alone_are_not_uneven() {
    for competitors in [2, 4] {
        let mut table = World::normal(competitors, 0.8, 0.5, 7).table(200, 7);
        table.judgements.iter_mut().for_each(|row| row.verdict = Answer::Tie);
        let found = board(&table);
        assert!(found.sentence.contains("are ties"), "{}", found.sentence);
        assert!(found.findings.iter().all(|found| kind(found) != "ties-uneven"), "{:?}", found.findings);
    }
}
