//! The position-based model from numbers: its probabilities, what it refuses, its pinned values.

use clicks::{
    ClickModel, CompiledClickModel, DependentClickModel, FractionalLabels, Generator, PositionBasedModel, User,
};
use rand::SeedableRng;

#[test]
fn examination_decays() {
    let attraction = DependentClickModel::custom("0:0.1,1:0.8", "0:1,1:1").unwrap();
    let model = PositionBasedModel::decaying(&attraction, 1.0, 3).unwrap();
    assert_eq!((model.examination(), model.attraction()), (&[1.0, 0.5, 1.0 / 3.0][..], &[0.1, 0.8][..]));
    let model = PositionBasedModel::decaying(&attraction, 0.0, 2).unwrap();
    assert_eq!(model.examination(), [1.0, 1.0]);
}

#[test]
fn refusals() {
    let attraction = DependentClickModel::preset("random", 1.0).unwrap();
    let new = |examination| PositionBasedModel::new(&attraction, examination).unwrap_err().to_string();
    assert!(new(vec![0.5, 1.5]).contains("P(examined) at position 1 (from 0) is 1.5"));
    assert!(new(vec![f64::NAN]).contains("at position 0 (from 0) is NaN"));
    let error = PositionBasedModel::decaying(&attraction, -1.0, 3).unwrap_err().to_string();
    assert!(error.contains("eta is -1; it must be a finite number from 0 up"));
}

#[test]
fn with_no_position_examined_the_user_leaves_immediately() {
    let attraction = DependentClickModel::preset("random", 1.0).unwrap();
    let model = PositionBasedModel::new(&attraction, vec![]).unwrap();
    let (compiled, grades) = model.prepare(&[1.0], FractionalLabels::Round).unwrap();
    let examination = compiled.user().examine(grades[0], &mut Generator::seed_from_u64(1));
    assert_eq!((examination.clicked, examination.abandons), (false, true));
}

#[test]
fn value_stability() {
    let attraction = DependentClickModel::preset("informational", 4.0).unwrap();
    let model = PositionBasedModel::decaying(&attraction, 0.5, 12).unwrap();
    let labels = [0.0, 1.0, 2.0, 3.0, 4.0];
    let (compiled, grades) = model.prepare(&labels, FractionalLabels::Round).unwrap();
    let mut generator = Generator::seed_from_u64(42);
    let mut user = compiled.user();
    let clicks: String = (0..12)
        .map(|position| user.examine(grades[position % 5], &mut generator))
        .map(|examination| if examination.clicked { 'x' } else { '.' })
        .collect();
    assert_eq!(clicks, "xx....x.....");
}
