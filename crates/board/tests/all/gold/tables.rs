//! How judgements of people and of a model are distinguished, tables that are refused, and warnings about questions that
//! were not drawn by lot.

use super::coverage::measured;
use super::world::World;
use board::{Answer, Board, BoardError, Covariate, Finding, Gold, Judgement, Looks, Order, Settings, Table, TieModel};
use statistics::Normals;

fn quick() -> Settings {
    Settings { advice: false, ..Settings::default() }
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn row(first: u32, second: u32, item: Option<u32>, judge: Option<u32>) -> Judgement {
    Judgement { first, second, verdict: Answer::First, item, judge, weight: 1.0, row: 7 }
}

fn table(judgements: Vec<Judgement>) -> Table {
    Table {
        names: names(&["x", "y", "z"]),
        items: names(&["p", "q"]),
        judges: names(&["ann", "gpt", "ben"]),
        judgements,
        order: Order::Shown,
        covariates: vec![],
    }
}

#[test]
fn judges_are_distinguished_by_name() {
    let all = table(vec![row(0, 1, Some(0), Some(0)), row(1, 2, Some(1), Some(1)), row(0, 2, Some(1), Some(2))]);
    let gold = Gold::split(&all, &names(&["ben", "ann"])).unwrap();
    assert_eq!((gold.people.judges.clone(), gold.model.judges.clone()), (names(&["ann", "ben"]), names(&["gpt"])));
    let of = |table: &Table| table.judgements.iter().map(|row| (row.first, row.judge)).collect::<Vec<_>>();
    assert_eq!(of(&gold.people), [(0, Some(0)), (0, Some(1))]);
    assert_eq!(of(&gold.model), [(1, Some(0))]);
    assert!(!gold.is_weighted());
}

#[test]
fn two_tables_share_names_and_items() {
    let model = table(vec![row(0, 1, Some(0), None), row(2, 0, Some(1), None)]);
    let people = Table {
        names: names(&["z", "w", "x"]),
        items: names(&["q", "r"]),
        judges: vec![],
        judgements: vec![row(0, 2, Some(0), None), row(1, 2, Some(1), None)],
        order: Order::Shown,
        covariates: vec![],
    };
    let gold = Gold::of_tables(people, Table { judges: vec![], ..model }).unwrap();
    assert_eq!(gold.people.names, names(&["x", "y", "z", "w"]));
    assert_eq!((&gold.people.names, &gold.people.items), (&gold.model.names, &gold.model.items));
    let said = |row: &Judgement| {
        let text = |all: &[String], number: u32| all[number as usize].clone();
        let (names, items) = (&gold.people.names, &gold.people.items);
        [text(names, row.first), text(names, row.second), text(items, row.item.unwrap())]
    };
    assert_eq!(said(&gold.people.judgements[0]), ["z", "x", "q"]);
    assert_eq!(said(&gold.people.judgements[1]), ["w", "x", "r"]);
    assert_eq!(said(&gold.model.judgements[1]), ["z", "x", "q"]);
    // The model did not judge w against x: that judgement is reported, and set aside.
    let report = Board::with_gold(&gold, &quick()).unwrap().model.unwrap();
    assert_eq!((report.set_aside, report.common, report.questions), (1, 1, 1));
    assert!(report.sentences.iter().any(|text| text.starts_with("1 judgement of people is on questions")));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let good = vec![row(0, 1, Some(0), Some(0)), row(0, 1, Some(0), Some(1))];
    let refused = |table: Table, people: &[&str], expected: &str| {
        let found = Gold::split(&table, &names(people)).and_then(|gold| Board::with_gold(&gold, &quick()));
        let text = found.unwrap_err().to_string();
        assert!(text.contains(expected), "{text}");
    };
    refused(table(good.clone()), &["anna"], "no judge of the table is called \"anna\"; its judges are ann, gpt, ben");
    refused(table(good.clone()), &["ben"], "no judgements but the model's");
    refused(table(good.clone()), &["ann", "gpt"], "no judgements but people's");
    refused(Table { judges: vec![], ..table(good.clone()) }, &["ann"], "no column `judge`");
    refused(table([good.clone(), vec![row(0, 1, Some(0), None)]].concat()), &["ann"], "row 7 names no judge");
    refused(
        table([good.clone(), vec![row(0, 1, None, Some(1))]].concat()),
        &["ann"],
        "the model's judgements names no item",
    );
    refused(table(vec![row(0, 1, Some(0), Some(0)), row(0, 1, Some(1), Some(1))]), &["ann"], "no question in common");
    let weighted = Judgement { weight: 2.0, ..row(0, 1, Some(0), Some(1)) };
    refused(table(vec![good[0], weighted]), &["ann"], "the model has weight 2");
    let length = Covariate { name: "length".to_owned(), differences: vec![1.0, 2.0] };
    refused(Table { covariates: vec![length], ..table(good.clone()) }, &["ann"], "not adjusted for covariates");
    let every = Settings { looks: Looks::Every, ..quick() };
    let gold = Gold::split(&table(good), &names(&["ann"])).unwrap();
    let slopes = Settings { discrimination: true, ..quick() };
    assert!(matches!(Board::with_gold(&gold, &slopes), Err(BoardError::Gold(text)) if text.contains("no slopes")));
    assert!(matches!(Board::with_gold(&gold, &every), Err(BoardError::Gold(text)) if text.contains("one look")));
}

/// A world in which people judge the questions in which the model prefers the one with the smaller number five times as often.
fn chosen(seed: u64, weighted: bool) -> Gold {
    let world = World { labels: usize::MAX, family: vec![0.5, 0.0, 0.0, 0.0, 0.0, -0.5], ..World::new() };
    let Gold { mut people, mut model } = world.draw(seed);
    let mut draws = Normals::from_seed(seed ^ 0xfade);
    let key = |row: &Judgement| (row.first.min(row.second), row.first.max(row.second), row.item);
    model.judgements.sort_by_key(key);
    people.judgements.retain_mut(|row| {
        let place = model.judgements.binary_search_by_key(&key(row), key).unwrap();
        let said = model.judgements[place];
        let smaller = (said.first < said.second) == (said.verdict == Answer::First) && said.verdict.score() != 0.5;
        let probability = if smaller { 0.2 } else { 0.04 };
        if weighted {
            row.weight = 1.0 / probability;
        }
        draws.uniform() < probability
    });
    Gold::of_tables(people, model).unwrap()
}

#[test]
fn questions_chosen_with_known_probabilities_count_by_weights() {
    let truth = World::new().strengths;
    let of = |name: &str| truth[name[1..].parse::<usize>().unwrap()];
    let found = measured("chosen, with weights", 150, of, |seed| chosen(seed, true));
    let mean = found.coverage.iter().sum::<f64>() / found.coverage.len() as f64;
    // 0.95 less three standard errors of 150 tables, as if all intervals of a table were one.
    assert!(mean >= 0.95 - 0.054, "{mean}");
    let report = Board::with_gold(&chosen(1, true), &quick()).unwrap().model.unwrap();
    assert!(report.weighted && report.sentences[1].contains("1 over the probability"), "{report:?}");
}

#[test]
fn questions_that_no_lot_chose_are_a_finding() {
    let raised = |gold: &Gold| {
        let board = Board::with_gold(gold, &quick()).unwrap();
        board.findings.iter().any(|found| matches!(found.finding, Finding::NotRandom { .. }))
    };
    assert!((0..10).all(|seed| raised(&chosen(seed, false))));
    // With weights, and by lot: at most one in twenty, and three standard errors of 60 tables.
    let false_alarms = [
        (0..60).filter(|seed| raised(&chosen(*seed, true))).count(),
        (0..60).filter(|seed| raised(&World::new().draw(*seed))).count(),
    ];
    assert!(false_alarms.iter().all(|count| *count <= 8), "{false_alarms:?}");
}

#[test]
fn every_part_says_who_it_is_about() {
    let world = World { family: vec![2.0, 0.0, 0.0, 0.0, 0.0, 0.0], first: 1.0, ..World::new() };
    let gold = world.draw(5);
    let board = Board::with_gold(&gold, &Settings::default()).unwrap();
    let model = board.model.as_ref().unwrap();
    assert!(board.advice.is_none() && board.competitors.iter().all(|one| one.always.is_none()));
    assert!(board.groups[0].known_always.is_none() && board.assumptions.every_look.contains("not stated"));
    assert_eq!((model.questions, model.common), (2_000, 200));
    let favour = model.favours.iter().find(|favour| favour.name == "c0").unwrap();
    assert!(favour.p_value < 0.01 && favour.difference.value > 3.0 * favour.difference.error, "{favour:?}");
    let [agreement] = &model.agreement[..] else { panic!("one model") };
    let first = agreement.first_shown.unwrap();
    // The model adds 1 for the first; both its errors and 0.2 are far below that.
    assert!((first.value - 1.0).abs() < 0.25 && first.error < 0.1, "{first:?}");
    let kappa = agreement.kappa.unwrap();
    assert!(kappa.value > 0.2 && kappa.value < 0.9 && kappa.error < 0.1, "{kappa:?}");
    // The same judgements in another order, and by the other model of ties.
    let mut turned = gold.clone();
    turned.people.judgements.reverse();
    turned.model.judgements.reverse();
    let same = Board::with_gold(&turned, &Settings::default()).unwrap();
    assert_eq!((&same.sentence, &same.model.unwrap().sentences), (&board.sentence, &model.sentences));
    for (one, other) in same.competitors.iter().zip(&board.competitors) {
        assert_eq!((&one.name, one.claim, one.once), (&other.name, other.claim, other.once));
        assert!((one.strength - other.strength).abs() < 1e-9);
        assert!((one.standard_error - other.standard_error).abs() < 1e-9);
    }
    let other = Board::with_gold(&gold, &Settings { ties: TieModel::RaoKupper, ..quick() }).unwrap();
    assert!(other.model.unwrap().width < 1.0);
}

#[test]
fn few_labels_claim_nothing_however_much_the_model_says() {
    // Three labels, all for the first: their fit needs a prior, and no model may make it sure.
    let gold = World { labels: 3, ..World::new() }.draw(8);
    let mut people = gold.people.clone();
    people.judgements.iter_mut().for_each(|row| row.verdict = Answer::First);
    let gold = Gold::of_tables(people, gold.model).unwrap();
    let board = Board::with_gold(&gold, &quick()).unwrap();
    let alone = Board::new(&gold.people, &quick()).unwrap();
    assert!(board.groups[0].known_once == 0 && alone.groups[0].known_once == 0);
}
