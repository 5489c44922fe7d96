//! Corrected points: a model's guesses, with people's answers on some questions drawn by lot.

use board::{Answer, Board, BoardError, Conclusion, Finding, Judgement, Looks, Order, Settings, Table, Units};
use statistics::Normals;
use statistics::bradley_terry::Point;

const COMPETITORS: u32 = 5;

fn table(judgements: Vec<Judgement>) -> Table {
    Table {
        names: (0..COMPETITORS).map(|k| format!("c{k}")).collect(),
        items: Vec::new(),
        judges: Vec::new(),
        judgements,
        order: Order::Unknown,
        covariates: Vec::new(),
    }
}

fn row(first: u32, second: u32, verdict: Answer, row: u64) -> Judgement {
    Judgement { first, second, verdict, item: None, judge: None, weight: 1.0, row }
}

/// Verdicts of people under Bradley-Terry, and their corrected points beside a model that agrees three times in four: guesses of .75 and
/// .25, corrected with this chance.
fn drawn(questions: u64, chance: f64, seed: u64) -> [Table; 2] {
    let mut draws = Normals::from_seed(seed);
    let (mut people, mut beside) = (Vec::new(), Vec::new());
    for number in 1..=questions {
        let first = draws.below(COMPETITORS as usize) as u32;
        let second = (first + 1 + draws.below(COMPETITORS as usize - 1) as u32) % COMPETITORS;
        let p = 1.0 / (1.0 + libm::exp(0.3 * (f64::from(first) - f64::from(second))));
        let person = f64::from(u8::from(draws.uniform() < p));
        let model = if draws.uniform() < 0.75 { person } else { 1.0 - person };
        let guess = 0.25 + 0.5 * model;
        let points = if draws.uniform() < chance { guess + (person - guess) / chance } else { guess };
        // The squared error of such a guess is .1875.
        let spread = 0.25 + 0.1875 * (1.0 / chance - 1.0);
        let further = 1.0 / chance - 1.0;
        let range = [-guess * further, 1.0 + (1.0 - guess) * further];
        people.push(row(first, second, if person > 0.5 { Answer::First } else { Answer::Second }, number));
        beside.push(row(first, second, Answer::Corrected { points, spread, range }, number));
    }
    [table(people), table(beside)]
}

fn board(table: &Table) -> Board {
    Board::new(table, &Settings { advice: false, looks: Looks::Every, ..Settings::default() }).unwrap()
}

#[test]
fn where_all_is_audited_people_alone_count() {
    let [people, beside] = drawn(400, 1.0, 1).map(|table| board(&table));
    for (one, other) in people.competitors.iter().zip(&beside.competitors) {
        assert_eq!((&one.name, one.wins, one.losses), (&other.name, other.wins, other.losses));
        assert!((one.strength - other.strength).abs() < 1e-6, "{one:?} {other:?}");
        assert!((other.standard_error / one.standard_error - 1.0).abs() < 0.03, "{one:?} {other:?}");
    }
}

/// The errors of strengths are those that vary from table to table, and an order that holds is not rejected.
#[test]
fn errors_are_those_of_lots_and_of_people() {
    let (tables, questions) = (80, 800);
    let mut errors = Vec::new();
    let (mut differences, mut misfits) = (Vec::new(), 0);
    for seed in 0..tables {
        let [_, beside] = drawn(questions, 0.25, 100 + seed);
        let board = board(&beside);
        let of = |name: &str| board.competitors.iter().find(|one| one.name == name).unwrap();
        differences.push(of("c0").strength - of("c4").strength);
        // Strengths sum to 0: those of two ends vary nearly as if they were apart.
        errors.push(of("c0").standard_error.hypot(of("c4").standard_error));
        misfits += u32::from(board.findings.iter().any(|found| matches!(found.finding, Finding::Misfit { .. })));
    }
    let n = tables as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let sd = (differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let error = errors.iter().sum::<f64>() / n;
    assert!((mean - 1.2).abs() < 4.0 * sd / n.sqrt(), "{mean}, {sd}");
    // The two strengths have a negative covariance, of a quarter of their variances: the error of the difference is sqrt(5/4) of that of two apart.
    let expected = error * 1.25_f64.sqrt();
    assert!((sd / expected - 1.0).abs() < 4.0 / (2.0 * n).sqrt(), "{sd}, {expected}");
    assert!(misfits <= 12, "{misfits} of {tables}");
}

#[test]
fn points_and_spreads_have_ranges() {
    let refused = |points: f64, spread: f64, range: [f64; 2]| {
        let rows = vec![row(0, 1, Answer::Corrected { points, spread, range }, 7)];
        Board::new(&table(rows), &Settings::default()).unwrap_err()
    };
    for (points, spread, range, what) in [
        (21.5, 1.0, [-4.0, 5.0], "the corrected points"),
        (f64::NAN, 1.0, [-4.0, 5.0], "the corrected points"),
        (-3.0, -1.0, [-4.0, 5.0], "the spread of corrected points"),
        (-3.0, 1e3, [-4.0, 5.0], "the spread of corrected points"),
        (0.5, 1.0, [0.1, 5.0], "the range of corrected points"),
        (0.5, 1.0, [-40.0, 5.0], "the range of corrected points"),
    ] {
        let error = refused(points, spread, range);
        assert!(matches!(error, BoardError::Row { row: 7, what: found, .. } if found == what), "{error}");
    }
}

/// A competitor that always wins has no finite strength: then pairs prove it, whatever is drawn by lot, and a model that is wrong proves
/// nothing.
#[test]
fn pairs_prove_what_people_say() {
    let chance = 0.1;
    let of = |people: f64, guess: f64| {
        let mut draws = Normals::from_seed(5);
        let further = 1.0 / chance - 1.0;
        let range = [-guess * further, 1.0 + (1.0 - guess) * further];
        let mut questions = Vec::new();
        for number in 1..=400 {
            let (first, second) = [(0, 1), (0, 2), (1, 2)][draws.below(3)];
            let points = if draws.uniform() < chance { guess + (people - guess) / chance } else { guess };
            questions.push(row(first, second, Answer::Corrected { points, spread: 0.5, range }, number));
        }
        let mut table = table(questions);
        table.names.truncate(3);
        board(&table)
    };
    let known = of(1.0, 0.95);
    assert!(matches!(&known.conclusion, Conclusion::Best(leader) if leader.name == "c0"), "{:?}", known.conclusion);
    // By the model the first wins; by people the second does.
    let wrong = of(0.0, 0.95);
    assert!(!matches!(&wrong.conclusion, Conclusion::Best(leader) if leader.name == "c0"), "{:?}", wrong.conclusion);
    assert!(wrong.competitors.iter().all(|one| one.name != "c0" || one.beats == 0), "{:?}", wrong.competitors);
}

/// Points and their range are the same means, however often each order was asked.
#[test]
fn a_unit_of_both_orders_has_the_range_of_its_points() {
    let of = |first, second, points, range| Judgement {
        item: Some(0),
        ..row(first, second, Answer::Corrected { points, spread: 1.0, range }, 1)
    };
    let rows = vec![of(0, 1, -4.0, [-4.0, 2.0]), of(0, 1, 1.0, [0.0, 1.0]), of(1, 0, 7.0, [-1.0, 7.0])];
    let table = Table { items: vec!["q".to_owned()], ..table(rows) };
    let units = Units::of(&table).unwrap();
    let unit = units.units[0];
    // There: -1.5, at least -2; back: -6, the least there is.
    assert_eq!(unit.comparison.point, Point::Share(0.5 * (-1.5 - 6.0)));
    let expected = unit.expected.unwrap();
    assert_eq!(expected.range, [0.5 * (-2.0 - 6.0), 0.5 * (1.5 + 2.0)]);
    assert_eq!(expected.spread, 0.25 * (0.5 + 1.0));
    assert_eq!(units.both_orders.asked, 0);
}
