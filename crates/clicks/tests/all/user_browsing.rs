//! The user browsing model with a table of its own: against closed forms, and what it refuses.

use clicks::{
    ClickModel, CompiledClickModel, DependentClickModel, FractionalLabels, Generator, TableIndex, User,
    UserBrowsingModel,
};
use rand::SeedableRng;

fn attraction() -> DependentClickModel {
    DependentClickModel::new("half", vec![0.5, 0.8], vec![0.0; 2]).unwrap()
}

/// P(examined) by rank and distance.
fn table() -> Vec<Vec<f64>> {
    vec![vec![0.9], vec![0.8, 0.5], vec![0.7, 0.4, 0.2]]
}

/// The probability of every pattern of clicks on three places is a product of one factor per place.
#[test]
fn patterns_of_clicks_have_the_probability_of_the_paper() {
    let model = UserBrowsingModel::new(&attraction(), table()).unwrap();
    let (compiled, grades) = model.prepare(&[0.0, 1.0, 0.0], FractionalLabels::Round).unwrap();
    let (n, mut seen) = (200_000_u32, [0_u32; 8]);
    let mut generator = Generator::seed_from_u64(7);
    for _ in 0..n {
        let (mut user, mut pattern) = (compiled.user(), 0);
        for (place, &grade) in grades.iter().enumerate() {
            let examination = user.examine(grade, &mut generator);
            pattern |= usize::from(examination.clicked) << place;
            assert_eq!(examination.abandons, place == 2, "nothing below rank 3 is ever examined");
        }
        seen[pattern] += 1;
    }
    // P(click) at ranks 1 to 3, by the rank of the last click.
    let first = 0.9 * 0.5;
    let second = |last| if last == 1 { 0.8 * 0.8 } else { 0.5 * 0.8 };
    let third = |last| 0.5 * [0.2, 0.4, 0.7][last];
    let factor = |clicked: bool, p: f64| if clicked { p } else { 1.0 - p };
    for (pattern, seen) in seen.into_iter().enumerate() {
        let clicked = |place: usize| pattern >> place & 1 == 1;
        let after_first = usize::from(clicked(0));
        let after_second = if clicked(1) { 2 } else { after_first };
        let p = factor(clicked(0), first)
            * factor(clicked(1), second(after_first))
            * factor(clicked(2), third(after_second));
        let (n, seen) = (f64::from(n), f64::from(seen));
        // Five standard deviations of a binomial.
        assert!((seen - n * p).abs() <= 5.0 * (n * p * (1.0 - p)).sqrt(), "{pattern:03b}: {seen} of {n}, expected {p}");
    }
}

#[test]
fn examination_by_rank_and_distance() {
    let model = UserBrowsingModel::new(&attraction(), table()).unwrap();
    assert_eq!((model.examination(3, 1), model.examination(3, 3), model.examination(4, 1)), (0.7, 0.2, 0.0));
    assert_eq!((model.examination(0, 0), model.examination(2, 3)), (0.0, 0.0));
    let model = UserBrowsingModel::decaying(&attraction(), 1.0, 2).unwrap();
    assert_eq!((model.examination(2, 1), model.examination(2, 2), model.examination(3, 1)), (1.0, 0.5, 0.0));
    assert_eq!(model.attraction(), [0.5, 0.8]);
}

/// Descriptions leave out the cells that lists of two documents never reach.
#[test]
fn tables_are_cut_to_the_list() {
    let model = UserBrowsingModel::new(&attraction(), table()).unwrap();
    let mut tables = model.tables();
    tables.iter_mut().for_each(|table| table.truncate(2));
    assert_eq!((tables[0].by, &tables[0].values[..]), (TableIndex::Grade, &[0.5, 0.8][..]));
    assert_eq!((tables[1].by, &tables[1].values[..]), (TableIndex::RankAndDistance, &[0.9, 0.8, 0.5][..]));
    let mut table = UserBrowsingModel::decaying(&attraction(), 0.0, 9).unwrap().tables().remove(1);
    table.truncate(2);
    assert_eq!((table.by, &table.values[..]), (TableIndex::Distance, &[1.0, 1.0][..]));
}

#[test]
fn refusals() {
    let new = |rows| UserBrowsingModel::new(&attraction(), rows).unwrap_err().to_string();
    assert_eq!(
        new(vec![vec![1.0], vec![0.5]]),
        "P(examined) at rank 2 has 1 values; give one for each distance from 1 to 2"
    );
    assert_eq!(
        new(vec![vec![1.0], vec![0.5, -0.1]]),
        "P(examined) at rank 2, distance 2 is -0.1; give probabilities from 0 to 1"
    );
    let error = UserBrowsingModel::decaying(&attraction(), f64::NAN, 3).unwrap_err().to_string();
    assert!(error.contains("eta is NaN"), "{error}");
}
