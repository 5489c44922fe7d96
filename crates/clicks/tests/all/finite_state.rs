//! The finite-state model: it can be each of the others, its users may be of several kinds, and what it refuses.

use clicks::{
    AnyClickModel, ClickModel, CompiledClickModel, FiniteStateModel, FractionalLabels, Generator, Grade, Reaction,
    TableIndex, User,
};
use rand::SeedableRng;

use crate::models::{CASES, Case, Step, assert_follows_enumeration, assert_share, model, read};

/// More than any list here.
const PLACES: usize = 6;

/// A case with a state for each place and distance to the last click, and no end.
fn of_case(case: &Case) -> AnyClickModel {
    // State of place p and distance d, from 1 to p + 1: those of the places above come first.
    let state = |place: usize, distance: usize| (place * (place + 1) / 2 + distance - 1) as u32;
    let mut reactions = Vec::new();
    for (place, distance) in (0..PLACES).flat_map(|place| (1..=place + 1).map(move |distance| (place, distance))) {
        for grade in 0..3 {
            let Step { click, leave_clicked, leave_unclicked } = (case.step)(place, distance, grade);
            let below = |distance| (place + 1 < PLACES).then(|| state(place + 1, distance));
            let next = [below(distance + 1), below(1)];
            reactions.push(Reaction { click, leave: [leave_unclicked, leave_clicked], next });
        }
    }
    FiniteStateModel::new("own", 3, vec![(0, 1.0)], reactions).unwrap().into()
}

/// A case with memoryless users, with one state.
fn of_memoryless(case: &Case) -> AnyClickModel {
    let reactions = (0..3).map(|grade| {
        let Step { click, leave_clicked, leave_unclicked } = (case.step)(0, 1, grade);
        Reaction { click, leave: [leave_unclicked, leave_clicked], next: [Some(0); 2] }
    });
    FiniteStateModel::new("own", 3, vec![(0, 1.0)], reactions.collect()).unwrap().into()
}

const LABELS: [f32; 3] = [0.0, 1.0, 2.0];

#[test]
fn it_can_be_each_of_the_others() {
    for case in CASES {
        let (compiled, grades) = of_case(&case).prepare(&LABELS, FractionalLabels::Round).unwrap();
        assert!(!compiled.is_memoryless());
        assert_follows_enumeration(&case, &compiled, &grades, 5);
    }
}

/// One state without an end draws as the dependent and the dynamic Bayesian model do, interpolated labels included.
#[test]
fn memoryless_users_make_the_same_draws() {
    let labels = [0.0, 0.25, 1.0, 1.5, 2.0];
    let memoryless: Vec<&Case> = CASES.iter().filter(|case| case.is_memoryless).collect();
    assert!(memoryless.len() > 5);
    for case in memoryless {
        let (theirs, own) = (model(case.spec), of_memoryless(case));
        let clicks = |model: &AnyClickModel| {
            let (compiled, grades) = model.prepare(&labels, FractionalLabels::Interpolate).unwrap();
            assert!(compiled.is_memoryless(), "{}", case.spec);
            let mut generator = Generator::seed_from_u64(11);
            let list: Vec<Grade> = (0..20).map(|place| grades[place * 3 % 5]).collect();
            (0..500).map(|_| read(&compiled, &list, &mut generator)).collect::<Vec<_>>()
        };
        assert_eq!(clicks(&theirs), clicks(&own), "{}", case.spec);
    }
}

/// Half of the users click on everything, the others on nothing: never on a part.
#[test]
fn users_of_several_kinds() {
    let kind = |click, state| Reaction { click, leave: [0.0; 2], next: [Some(state); 2] };
    let starts = vec![(0, 0.3), (1, 0.7)];
    let model = FiniteStateModel::new("kinds", 1, starts, vec![kind(1.0, 0), kind(0.0, 1)]).unwrap();
    let (compiled, grades) = model.prepare(&[0.0], FractionalLabels::Round).unwrap();
    assert!(!compiled.is_memoryless());
    let (n, mut eager, mut generator) = (20_000, 0, Generator::seed_from_u64(3));
    for _ in 0..n {
        let mut user = compiled.user();
        let clicks = (0..5).filter(|_| user.examine(grades[0], &mut generator).clicked).count();
        assert!(clicks == 0 || clicks == 5, "{clicks}");
        eager += u32::from(clicks == 5);
    }
    assert_share(eager, n, 0.3, "users who click on everything");
}

/// Everything that decides what users do is in the tables, and nothing else.
#[test]
fn tables_tell_models_apart() {
    let row = |click, leave, next| Reaction { click, leave: [leave, 0.5], next: [next, Some(0)] };
    let new = |starts: Vec<(u32, f64)>, rows: &[Reaction]| {
        FiniteStateModel::new("own", 1, starts, rows.to_vec()).unwrap().tables()
    };
    let one = vec![(0, 1.0)];
    let plain = new(one.clone(), &[row(0.5, 0.0, Some(0))]);
    let names: Vec<&str> = plain.iter().map(|table| table.name).collect();
    assert_eq!(names, ["click", "stop"]);
    assert_eq!((plain[0].by, &plain[0].values[..]), (TableIndex::StateAndGrade, &[0.5][..]));
    let all = [
        plain,
        new(one.clone(), &[row(0.6, 0.0, Some(0))]),
        new(one.clone(), &[row(0.5, 0.1, Some(0))]),
        new(one.clone(), &[row(0.5, 0.0, None)]),
        new(one.clone(), &[row(0.5, 0.0, Some(1)), row(0.5, 0.0, Some(1))]),
        new(one, &[row(0.5, 0.0, Some(1)), row(0.5, 0.0, Some(0))]),
        new(vec![(1, 1.0)], &[row(0.5, 0.0, Some(1)), row(0.5, 0.0, Some(0))]),
        new(vec![(1, 0.5), (0, 0.5)], &[row(0.5, 0.0, Some(1)), row(0.5, 0.0, Some(0))]),
    ];
    for (at, tables) in all.iter().enumerate() {
        assert!(!all[..at].contains(tables), "{at}");
    }
}

#[test]
fn refusals() {
    let good = Reaction { click: 0.5, leave: [0.0, 0.5], next: [Some(0), None] };
    let new = |grades, starts: &[(u32, f64)], rows: &[Reaction]| {
        FiniteStateModel::new("own", grades, starts.to_vec(), rows.to_vec()).unwrap_err().to_string()
    };
    let one = [(0, 1.0)];
    assert!(new(2, &one, &[good]).contains("1 reactions for 2 grades; give one per state and grade"));
    assert!(new(0, &one, &[good]).contains("1 reactions for 0 grades"));
    assert!(new(1, &one, &[]).contains("0 reactions"));
    let error = new(1, &one, &[Reaction { click: 1.5, ..good }]);
    assert_eq!(error, "click model \"own\": P(click) in state 0 for grade 0 is 1.5; give probabilities from 0 to 1");
    assert!(new(1, &one, &[good, Reaction { leave: [0.0, f64::NAN], ..good }]).contains("P(leave | click) in state 1"));
    assert!(
        new(1, &one, &[Reaction { next: [Some(0), Some(1)], ..good }]).contains("state 1 is next, but there are 1")
    );
    assert!(new(1, &[(3, 1.0)], &[good]).contains("users start in state 3"));
    assert!(new(1, &[(0, 0.4)], &[good]).contains("add up to 0.4"));
    assert!(new(1, &[], &[good]).contains("add up to 0"));

    let after = |state| Reaction { next: [Some(state); 2], ..good };
    let rows = vec![after(0), after(1), after(0), after(1)];
    let model = FiniteStateModel::new("own", 2, one.to_vec(), rows).unwrap();
    let error = model.prepare(&[0.5], FractionalLabels::Interpolate).unwrap_err().to_string();
    assert!(error.contains("different states after grades 0 and 1, and label 0.5 lies between"), "{error}");
    assert!(model.prepare(&[0.5], FractionalLabels::Round).is_ok());
    let error = model.prepare(&[2.0], FractionalLabels::Round).unwrap_err().to_string();
    assert!(error.contains("label 2 is above 1, the highest grade of click model own"), "{error}");
}
