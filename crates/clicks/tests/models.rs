//! Presets, notation, labels, and the odds that users really show.

use clicks::{ClickModel, FractionalLabels, Generator, Level, Users};
use proptest::prelude::*;
use rand::SeedableRng;

const RULES: [FractionalLabels; 3] = [FractionalLabels::Round, FractionalLabels::Floor, FractionalLabels::Interpolate];

/// Clicks and leaves over `looks` looks at `level`.
fn count(users: &Users, level: Level, looks: u32, seed: u64) -> (f64, f64) {
    let mut generator = Generator::seed_from_u64(seed);
    let (mut clicks, mut leaves) = (0, 0);
    for _ in 0..looks {
        let look = users.look(level, &mut generator);
        assert!(look.clicked || !look.leaves, "nobody leaves without a click");
        clicks += u32::from(look.clicked);
        leaves += u32::from(look.leaves);
    }
    (f64::from(clicks), f64::from(leaves))
}

/// `seen` successes of `n` lie within 5 standard deviations of `p n`; exactly, where p is 0 or 1.
fn assert_odds(seen: f64, n: f64, p: f64, what: &str) {
    let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
    assert!((seen - n * p).abs() <= bound, "{what}: {seen} of {n}, expected {p}");
}

#[test]
fn every_preset_shows_its_odds() {
    for name in ClickModel::PRESETS {
        for grades in [2_u16, 3, 5] {
            let max = f32::from(grades - 1);
            let model = ClickModel::preset(name, max).unwrap();
            assert_eq!((model.name(), model.click().len(), model.stop().len()), (name, grades.into(), grades.into()));
            assert!(model.click().is_sorted(), "better documents are not clicked less");
            let labels: Vec<f32> = (0..grades).map(f32::from).collect();
            let (users, levels) = model.prepare(&labels, FractionalLabels::Round).unwrap();
            for (grade, &level) in levels.iter().enumerate() {
                let (n, p, q) = (200_000, model.click()[grade], model.stop()[grade]);
                let (clicks, leaves) = count(&users, level, n, grade as u64);
                assert_odds(clicks, n.into(), p, name);
                assert_odds(leaves, clicks, q, name);
            }
        }
    }
}

#[test]
fn published_rows() {
    let row = |name, max| {
        let model = ClickModel::preset(name, max).unwrap();
        (model.click().to_vec(), model.stop().to_vec())
    };
    assert_eq!(row("navigational", 2.0), (vec![0.05, 0.5, 0.95], vec![0.2, 0.5, 0.9]));
    assert_eq!(row("navigational", 4.0), (vec![0.05, 0.3, 0.5, 0.7, 0.95], vec![0.2, 0.3, 0.5, 0.7, 0.9]));
    assert_eq!(row("informational", 4.0), (vec![0.4, 0.6, 0.7, 0.8, 0.9], vec![0.1, 0.2, 0.3, 0.4, 0.5]));
    assert_eq!(row("perfect", 4.0), (vec![0.0, 0.2, 0.4, 0.8, 1.0], vec![0.0; 5]));
}

#[test]
fn the_smallest_table_that_holds_the_labels() {
    for (max, grades) in [(0.0, 2), (0.5, 2), (1.0, 2), (1.2, 3), (2.0, 3), (2.3, 5), (3.0, 5), (4.0, 5)] {
        assert_eq!(ClickModel::preset("perfect", max).unwrap().click().len(), grades, "{max}");
    }
}

#[test]
fn refusals_say_what_to_do() {
    let preset = |name, max| ClickModel::preset(name, max).unwrap_err().to_string();
    assert!(preset("navigtional", 4.0).contains("navigational, informational"));
    assert!(preset("perfect", 5.0).contains("up to 5"));
    assert!(preset("perfect", -1.0).contains("unlabelled"));
    assert!(preset("perfect", f32::NAN).contains("not a finite number"));

    let custom = |click, stop| ClickModel::custom(click, stop).unwrap_err().to_string();
    assert!(custom("", "0:0").contains("is no pair"));
    assert!(custom("0:0,1", "0:0,1:0").contains("\"1\" is no pair"));
    assert!(custom("0:0,x:1", "0:0,1:0").contains("\"x\" is no grade"));
    assert!(custom("0:0,1:1.5", "0:0,1:0").contains("\"1.5\" is no probability"));
    assert!(custom("0:0,1:nan", "0:0,1:0").contains("\"nan\" is no probability"));
    assert!(custom("0:0,2:1", "0:0,1:0").contains("grade 1 is missing"));
    assert!(custom("0:0,0:1", "0:0,1:0").contains("grade 0 is given twice"));
    assert!(custom("0:0,1:1", "0:0").contains("2 grades but stop odds for 1"));

    let model = ClickModel::preset("perfect", 1.0).unwrap();
    for rule in RULES {
        let prepare = |labels: &[f32]| model.prepare(labels, rule).unwrap_err().to_string();
        assert!(prepare(&[0.0, -1.0]).contains("unlabelled"));
        assert!(prepare(&[f32::INFINITY]).contains("not a finite number"));
        assert!(prepare(&[2.0]).contains("above 1"));
        assert!(prepare(&[1.25]).contains("above 1"));
    }
}

#[test]
fn numbers_make_a_model() {
    let model = ClickModel::new("mine", vec![0.25, 1.0], vec![0.5, -0.0]).unwrap();
    assert_eq!((model.name(), model.click(), model.stop()), ("mine", &[0.25, 1.0][..], &[0.5, 0.0][..]));
    // The same as in notation, but for the name.
    let custom = ClickModel::custom("0:0.25,1:1", "0:0.5,1:0").unwrap();
    assert_eq!((model.click(), model.stop()), (custom.click(), custom.stop()));
    let (users, levels) = model.prepare(&[0.0, 1.0], FractionalLabels::Round).unwrap();
    let (clicks, leaves) = count(&users, levels[0], 100_000, 3);
    assert_odds(clicks, 100_000.0, 0.25, "P(click | 0)");
    assert_odds(leaves, clicks, 0.5, "P(stop | 0)");
    // As many grades as there are levels.
    assert!(ClickModel::new("fine", vec![0.5; 65_536], vec![0.0; 65_536]).is_ok());
}

#[test]
fn numbers_that_make_none() {
    let new = |click: &[f64], stop: &[f64]| {
        let error = ClickModel::new("mine", click.to_vec(), stop.to_vec()).unwrap_err().to_string();
        assert!(error.contains("click model \"mine\"") && !error.contains('\n'), "{error}");
        error
    };
    assert!(new(&[], &[]).contains("no grades"));
    assert!(new(&[0.5], &[]).contains("1 grades but stop odds for 0"));
    assert!(new(&[], &[0.5]).contains("0 grades but stop odds for 1"));
    assert!(new(&[0.0, 1.5], &[0.0, 0.0]).contains("P(click) of grade 1 is 1.5"));
    assert!(new(&[0.0, 1.0], &[-0.1, 0.0]).contains("P(stop) of grade 0 is -0.1"));
    for odds in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(new(&[odds], &[0.0]).contains("P(click) of grade 0"));
        assert!(new(&[0.0], &[odds]).contains("P(stop) of grade 0"));
    }
    assert!(new(&[0.5; 65_537], &[0.5; 65_537]).contains("65537 grades are more than 65,536"));
}

#[test]
fn notation_in_any_order_with_blanks() {
    let model = ClickModel::custom(" 1: 0.5, 0:0 ,2:1e0", "2:0,1:0.25,0:1").unwrap();
    assert_eq!(model.click(), [0.0, 0.5, 1.0]);
    assert_eq!(model.stop(), [1.0, 0.25, 0.0]);
}

#[test]
fn fractional_labels() {
    let model = ClickModel::custom("0:0,1:0.2,2:0.6", "0:0,1:0.5,2:1").unwrap();
    let labels = [0.0, 0.25, 0.5, 1.0, 1.5, 1.75, 2.0, 0.25, 0.499_999_97];
    let levels = |rule| model.prepare(&labels, rule).unwrap().1.iter().map(|level| level.0).collect::<Vec<_>>();
    assert_eq!(levels(FractionalLabels::Round), [0, 0, 1, 1, 2, 2, 2, 0, 0]);
    assert_eq!(levels(FractionalLabels::Floor), [0, 0, 0, 1, 1, 1, 2, 0, 0]);
    assert_eq!(levels(FractionalLabels::Interpolate), [0, 3, 5, 1, 6, 7, 2, 3, 4]);

    let (users, levels) = model.prepare(&labels, FractionalLabels::Interpolate).unwrap();
    let n = 200_000;
    let (clicks, leaves) = count(&users, levels[5], n, 7);
    assert_odds(clicks, n.into(), 0.5, "P(click | 1.75)");
    assert_odds(leaves, clicks, 0.875, "P(stop | 1.75)");
}

#[test]
fn one_number_a_look() {
    for max in [1.0, 2.0] {
        let model = ClickModel::preset("perfect", max).unwrap();
        let (users, levels) = model.prepare(&[0.0, 1.0], FractionalLabels::Round).unwrap();
        let (mut a, mut b) = (Generator::seed_from_u64(3), Generator::seed_from_u64(3));
        users.look(levels[0], &mut a);
        users.look(levels[1], &mut b);
        assert_eq!(a, b);
    }
}

#[test]
fn value_stability() {
    let labels = [0.0, 1.0, 2.0, 3.0, 4.0];
    let model = ClickModel::preset("informational", 4.0).unwrap();
    let (users, levels) = model.prepare(&labels, FractionalLabels::Round).unwrap();
    let mut generator = Generator::seed_from_u64(42);
    let seen: String = (0..40)
        .map(|i| match users.look(levels[i % 5], &mut generator) {
            look if look.leaves => 'L',
            look if look.clicked => 'c',
            _ => '.',
        })
        .collect();
    assert_eq!(seen, ".c.LL.LLc...cLc.ccccL.ccLLc.ccc..c...Lcc");
}

proptest! {
    #[test]
    fn nothing_panics(labels in prop::collection::vec(any::<f32>(), 0..20), click in ".{0,30}", stop in "[0-9:., ]{0,30}") {
        let _ = ClickModel::custom(&click, &stop);
        let _ = ClickModel::custom(&stop, &stop);
        for rule in RULES {
            let _ = ClickModel::preset("navigational", 4.0).unwrap().prepare(&labels, rule);
        }
    }

    #[test]
    fn any_label_in_range_has_a_level(labels in prop::collection::vec(0.0_f32..=4.0, 0..20), seed: u64) {
        let mut generator = Generator::seed_from_u64(seed);
        for rule in RULES {
            let (users, levels) = ClickModel::preset("navigational", 4.0).unwrap().prepare(&labels, rule).unwrap();
            prop_assert_eq!(levels.len(), labels.len());
            for level in levels {
                users.look(level, &mut generator);
            }
        }
    }
}
