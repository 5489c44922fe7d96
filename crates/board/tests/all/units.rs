//! The definition of a unit, and that a table's board does not depend on how it is written.

use crate::world::{World, always};
use board::{Answer, Board, BoardError, Claim, Clusters, Conclusion, Judgement, Looks, Order, Settings, Table, Units};
use statistics::bradley_terry::Point;

fn row(first: u32, second: u32, verdict: Answer, item: Option<u32>, judge: Option<u32>) -> Judgement {
    Judgement { first, second, verdict, item, judge, weight: 1.0, row: 1 }
}

fn table(competitors: usize, judgements: Vec<Judgement>) -> Table {
    let named = |letter: &str, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect();
    Table {
        names: named("c", competitors),
        items: named("i", 3),
        judges: named("j", 3),
        judgements,
        order: Order::Shown,
        covariates: Vec::new(),
    }
}

fn board(table: &Table) -> Board {
    Board::new(table, &Settings::default()).unwrap()
}

#[test]
fn repeats_and_both_orders_are_one_unit() {
    use Answer::{First, Second, Tie};
    let of = |rows: Vec<(u32, u32, Answer)>| {
        let rows =
            rows.into_iter().map(|(first, second, verdict)| row(first, second, verdict, Some(0), Some(0))).collect();
        let units = Units::of(&table(2, rows)).unwrap();
        assert_eq!(units.units.len(), 1);
        (units.units[0].comparison.point, units.units[0].comparison.position)
    };
    let (win, loss) = (Point::Share(1.0), Point::Share(0.0));
    assert_eq!(of(vec![(0, 1, First), (0, 1, First), (0, 1, Second)]), (win, 1.0));
    assert_eq!(of(vec![(1, 0, First)]), (loss, -1.0));
    assert_eq!(of(vec![(0, 1, First), (1, 0, First)]), (Point::Tie, 0.0));
    // Both orders weigh the same, regardless of how often each was asked.
    assert_eq!(of(vec![(0, 1, First), (0, 1, First), (1, 0, First)]), (Point::Tie, 0.0));
    assert_eq!(of(vec![(0, 1, First), (1, 0, Tie)]), (win, 0.0));
    assert_eq!(of(vec![(0, 1, First), (1, 0, Answer::Score(0.75))]), (Point::Share(0.625), 0.0));
    // Another item, another judge: other units.
    let rows = [(0, 0), (0, 1), (1, 0)].map(|(item, judge)| row(0, 1, First, Some(item), Some(judge)));
    assert_eq!(Units::of(&table(2, rows.to_vec())).unwrap().units.len(), 3);
    // Without an item every row is one.
    let rows = vec![row(0, 1, First, None, Some(0)); 4];
    assert_eq!(Units::of(&table(2, rows)).unwrap().tally.units, 4);
}

#[test]
fn the_order_of_rows_inside_a_unit_does_not_matter() {
    let mut table = World::normal(5, 1.0, 0.3, 4).shared(3, 2).table(400, 4);
    let before = board(&table);
    // Reverse the rows of each unit, in the places that the unit has.
    let key = |row: &Judgement| (row.first.min(row.second), row.first.max(row.second), row.item, row.judge);
    let old = table.judgements.clone();
    for (at, row) in old.iter().enumerate() {
        let places: Vec<usize> = (0..old.len()).filter(|other| key(&old[*other]) == key(row)).collect();
        let own = places.iter().position(|place| *place == at).unwrap();
        table.judgements[at] = old[places[places.len() - 1 - own]];
    }
    assert_ne!(table.judgements, old);
    let after = board(&table);
    assert_eq!((before.competitors, before.sentence, before.groups), (after.competitors, after.sentence, after.groups));
}

#[test]
fn rows_that_count_several_times_are_that_many() {
    let world = World::normal(4, 0.8, 0.0, 2);
    let mut long = world.table(300, 2);
    long.order = Order::Unknown;
    let mut short = long.clone();
    short.judgements.sort_by_key(|row| (row.first, row.second, row.verdict == Answer::First));
    short.judgements.dedup_by(|next, kept| {
        let same = (next.first, next.second, next.verdict) == (kept.first, kept.second, kept.verdict);
        if same {
            kept.weight += 1.0;
        }
        same
    });
    assert!(short.judgements.len() < 30);
    let (long, short) = (board(&long), board(&short));
    assert_eq!(long.tally.units, short.tally.units);
    for (a, b) in long.competitors.iter().zip(&short.competitors) {
        assert!((a.strength - b.strength).abs() < 1e-9 && (a.standard_error - b.standard_error).abs() < 1e-9);
        assert_eq!((a.wins, a.losses, &a.name), (b.wins, b.losses, &b.name));
    }
}

#[test]
fn who_always_wins_is_the_best_although_no_finite_strengths_fit() {
    let rows = |n: u64| {
        let pairs = (0..n).flat_map(|at| [(0, 1), (1, 2), (0, 2)].map(|pair| (at, pair)));
        let won = |(at, (i, j)): (u64, (u32, u32))| {
            if at % 2 == 0 { row(i, j, Answer::First, None, None) } else { row(j, i, Answer::Second, None, None) }
        };
        pairs.map(won).collect()
    };
    for looks in [Looks::Once, Looks::Every] {
        let settings = Settings { looks, ..Settings::default() };
        let found = Board::new(&table(3, rows(30)), &settings).unwrap();
        assert!(matches!(&found.conclusion, Conclusion::Best(leader) if leader.name == "c0"), "{}", found.sentence);
        let ranks = |one: &board::Competitor| (one.once.best, always(one).best, always(one).worst);
        assert_eq!(found.competitors.iter().map(ranks).collect::<Vec<_>>(), [(1, 1, 1), (2, 2, 2), (3, 3, 3)]);
        // Three wins prove nothing.
        let few = Board::new(&table(3, rows(3)), &settings).unwrap();
        assert!(few.competitors.iter().all(|one| one.claim == Claim::Open), "{}", few.sentence);
    }
}

#[test]
fn small_and_strange_tables_have_a_board() {
    // One judgement: a winner that was never beaten needs the prior.
    let one =
        board(&table(2, vec![row(0, 1, Answer::First, Some(0), Some(0)), row(1, 0, Answer::Second, Some(1), None)]));
    assert!(one.groups[0].prior.is_some());
    assert_eq!(one.groups[0].unbeaten, ["c0"]);
    assert!(matches!(&one.conclusion, Conclusion::Leading(leader) if leader.name == "c0"), "{}", one.sentence);
    let ties = board(&table(3, vec![row(0, 1, Answer::Tie, None, None), row(1, 2, Answer::BothBad, None, None)]));
    assert_eq!(ties.sentence, "No verdict: all judgements of the 3 competitors are ties.");
    assert_eq!((ties.tally.ties, ties.tally.both_bad), (2, 1));
    // A name without a judgement is not ranked.
    let lone = board(&table(4, vec![row(0, 1, Answer::First, None, None), row(1, 0, Answer::First, None, None)]));
    assert_eq!(lone.never_compared, ["c2", "c3"]);
    assert_eq!(lone.competitors.len(), 2);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let settings = Settings::default();
    let error = |table: &Table, settings: &Settings| Board::new(table, settings).unwrap_err().to_string();
    assert!(matches!(Board::new(&table(2, vec![]), &settings), Err(BoardError::Empty { rows: 0, itself: 0 })));
    let itself = table(2, vec![row(1, 1, Answer::First, None, None)]);
    assert!(error(&itself, &settings).contains("two competitors: 1 with itself"), "{}", error(&itself, &settings));
    let good = row(0, 1, Answer::First, None, None);
    for (bad, words) in [
        (Judgement { second: 2, ..good }, "row 1: the second competitor is 2"),
        (Judgement { item: Some(3), ..good }, "the item is 3"),
        (Judgement { weight: 0.0, ..good }, "the weight is 0"),
        (Judgement { weight: f64::INFINITY, ..good }, "the weight is inf"),
        (Judgement { verdict: Answer::Score(1.5), ..good }, "the score is 1.5"),
    ] {
        let message = error(&table(2, vec![bad]), &settings);
        assert!(message.contains(words), "{message}");
    }
    let level = Settings { level: 1.0, ..Settings::default() };
    assert!(error(&table(2, vec![good]), &level).contains("the level is 1"));
    let mut without = table(2, vec![good]);
    without.items.clear();
    let clusters = Settings { clusters: Clusters::Item, ..Settings::default() };
    assert!(error(&without, &clusters).contains("column `item`"));
}

#[test]
fn the_same_board_for_any_number_of_threads() {
    let table = World::normal(6, 0.8, 0.5, 9).shared(50, 5).table(500, 9);
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&board(&table)).unwrap())
    };
    assert_eq!(bytes(1), bytes(3));
}

/// Where a weak prior is needed, single pairs may prove the reverse of the strengths, e.g. in a cycle.
#[test]
fn ranks_are_in_order_also_where_pairs_contradict_strengths() {
    let rows = [(0, 2, Answer::First), (4, 0, Answer::First), (4, 2, Answer::Second)];
    let heavy = |(first, second, verdict)| Judgement { weight: 1e9, ..row(first, second, verdict, None, None) };
    let board = Board::new(&table(5, rows.map(heavy).to_vec()), &Settings::default()).unwrap();
    for competitor in &board.competitors {
        for ranks in [competitor.once, always(competitor)] {
            assert!(1 <= ranks.best && ranks.best <= ranks.worst && ranks.worst <= 3, "{ranks:?}");
        }
    }
}

/// With blank cells, four judges stay four.
#[test]
fn judgements_without_a_name_are_those_of_one_unknown_judge() {
    let named = |judges: u32, blanks: usize| {
        let rows = (0..60_usize).map(|k| {
            let judge = (k >= blanks).then_some(k as u32 % judges);
            row(k as u32 % 2, 1 - k as u32 % 2, if k % 3 == 0 { Answer::Second } else { Answer::First }, None, judge)
        });
        let table = Table { judges: (0..judges).map(|k| k.to_string()).collect(), ..table(2, rows.collect()) };
        Board::new(&table, &Settings { checks: false, ..Settings::default() }).unwrap()
    };
    for blanks in [0, 1, 6, 30] {
        let board = named(4, blanks);
        let population = &board.groups[0].populations[0];
        assert_eq!((population.count, population.general), (4, false));
        assert!(board.assumptions.of_whom.contains("of the 4 judges of the table alone"), "{:?}", board.assumptions);
        assert_eq!(board.unnamed.len(), usize::from(blanks > 0));
    }
    // Five are enough to speak of judges in general, and the unknown one is worth no more than they are.
    let board = named(5, 30);
    let population = &board.groups[0].populations[0];
    assert!(population.general && population.effective <= 5.0, "{population:?}");
    assert_eq!(
        board.unnamed,
        ["30 judgements name no judge: they count as those of one unknown judge, who is not among the 5."]
    );
}

#[test]
fn too_many_competitors_are_refused() {
    let mut large = table(Board::MOST_COMPETITORS + 1, vec![row(0, 1, Answer::First, None, None)]);
    let error = Board::new(&large, &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("2001 competitors") && error.contains("at most 2000"), "{error}");
    large.names.truncate(2);
    assert!(Board::new(&large, &Settings::default()).is_ok());
}

/// Any table has a board or an error, and the statements of a board are consistent.
mod any_table {
    use super::*;
    use proptest::prelude::*;

    fn judgement() -> impl Strategy<Value = Judgement> {
        let verdict = prop_oneof![
            4 => Just(Answer::First),
            2 => Just(Answer::Second),
            1 => Just(Answer::Tie),
            1 => Just(Answer::BothBad),
            1 => (0.01_f64..0.99).prop_map(Answer::Score),
        ];
        let maybe = || prop_oneof![Just(None), (0_u32..3).prop_map(Some)];
        let weight = prop_oneof![6 => Just(1.0), 1 => Just(0.3), 1 => Just(7.0), 1 => Just(1e-6), 1 => Just(1e9)];
        (0_u32..5, 0_u32..5, verdict, maybe(), maybe(), weight).prop_map(
            |(first, second, verdict, item, judge, weight)| Judgement {
                first,
                second,
                verdict,
                item,
                judge,
                weight,
                row: 1,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn has_a_board(rows in prop::collection::vec(judgement(), 1..40), shown: bool) {
            let mut table = table(5, rows);
            if !shown {
                table.order = Order::Unknown;
            }
            match Board::new(&table, &Settings::default()) {
                Err(BoardError::Empty { rows, itself }) => prop_assert_eq!(rows, itself),
                Err(error) => prop_assert!(false, "{}", error),
                Ok(board) => {
                    let groups: usize = board.groups.iter().map(|group| group.members.len()).sum();
                    prop_assert_eq!(groups + board.never_compared.len(), 5);
                    for competitor in &board.competitors {
                        let size = board.groups[competitor.group].members.len();
                        prop_assert!(competitor.strength.is_finite() && competitor.standard_error.is_finite());
                        for ranks in [competitor.once, always(competitor)] {
                            prop_assert!(1 <= ranks.best && ranks.best <= ranks.worst && ranks.worst <= size);
                        }
                    }
                    for group in 0..board.groups.len() {
                        let sum: f64 = board.competitors.iter().filter(|row| row.group == group).map(|row| row.best).sum();
                        prop_assert!((sum - 1.0).abs() < 1e-9);
                    }
                    prop_assert!(serde_json::to_string(&board).is_ok());
                }
            }
        }
    }
}
