//! The dependent click model: presets, notation, labels, and the one draw per document.

use clicks::{
    ClickErrorKind, ClickModel, CompiledClickModel, CompiledDependentModel, DependentClickModel, FractionalLabels,
    Generator, Grade, User,
};
use rand::SeedableRng;

const RULES: [FractionalLabels; 3] = [FractionalLabels::Round, FractionalLabels::Floor, FractionalLabels::Interpolate];

/// Clicks and leaves over `examinations` of documents of `grade`.
fn count(model: &CompiledDependentModel, grade: Grade, examinations: u32, seed: u64) -> (f64, f64) {
    let mut generator = Generator::seed_from_u64(seed);
    let mut user = model.user();
    let (mut clicks, mut leaves) = (0, 0);
    for _ in 0..examinations {
        let examination = user.examine(grade, &mut generator);
        assert!(examination.clicked || !examination.abandons, "no user leaves without a click");
        clicks += u32::from(examination.clicked);
        leaves += u32::from(examination.abandons);
    }
    (f64::from(clicks), f64::from(leaves))
}

/// `seen` successes of `n` lie within 5 standard deviations of `p n`; exactly, where p is 0 or 1.
fn assert_share(seen: f64, n: f64, p: f64, what: &str) {
    let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
    assert!((seen - n * p).abs() <= bound, "{what}: {seen} of {n}, expected a share of {p}");
}

#[test]
fn every_preset_shows_its_probabilities() {
    for name in DependentClickModel::PRESETS {
        for grades in [2_u16, 3, 5] {
            let max = f32::from(grades - 1);
            let model = DependentClickModel::preset(name, max).unwrap();
            assert_eq!((model.name(), model.click().len(), model.stop().len()), (name, grades.into(), grades.into()));
            assert!(model.click().is_sorted(), "better documents are not clicked less");
            let labels: Vec<f32> = (0..grades).map(f32::from).collect();
            let (compiled, grades) = model.prepare(&labels, FractionalLabels::Round).unwrap();
            for (index, &grade) in grades.iter().enumerate() {
                let (n, p, q) = (200_000, model.click()[index], model.stop()[index]);
                let (clicks, leaves) = count(&compiled, grade, n, index as u64);
                assert_share(clicks, n.into(), p, name);
                assert_share(leaves, clicks, q, name);
            }
        }
    }
}

#[test]
fn published_rows() {
    let row = |name, max| {
        let model = DependentClickModel::preset(name, max).unwrap();
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
        assert_eq!(DependentClickModel::preset("perfect", max).unwrap().click().len(), grades, "{max}");
    }
}

#[test]
fn refusals() {
    let preset = |name, max| DependentClickModel::preset(name, max).unwrap_err();
    let unknown = preset("navigtional", 4.0);
    assert_eq!(unknown.kind(), ClickErrorKind::UnknownModel);
    assert!(unknown.to_string().contains("navigational, informational"));
    assert!(unknown.to_string().ends_with("; did you mean `navigational`?"));
    assert!(preset("perfect", 5.0).to_string().contains("up to 5"));
    assert!(preset("perfect", -1.0).to_string().contains("unlabelled"));
    assert!(preset("perfect", f32::NAN).to_string().contains("not a finite number"));

    let custom = |click, stop| DependentClickModel::custom(click, stop).unwrap_err().to_string();
    assert!(custom("", "0:0").contains("is not a pair"));
    assert!(custom("0:0,1", "0:0,1:0").contains("\"1\" is not a pair"));
    assert!(custom("0:0,x:1", "0:0,1:0").contains("\"x\" is not a grade"));
    assert!(custom("0:0,1:1.5", "0:0,1:0").contains("\"1.5\" is not a probability"));
    assert!(custom("0:0,1:nan", "0:0,1:0").contains("\"nan\" is not a probability"));
    assert!(custom("0:0,2:1", "0:0,1:0").contains("grade 1 is missing"));
    assert!(custom("0:0,0:1", "0:0,1:0").contains("grade 0 is given twice"));
    assert!(custom("0:0,1:1", "0:0").contains("2 grades for clicks but 1 grade for stops"));

    let model = DependentClickModel::preset("perfect", 1.0).unwrap();
    for rule in RULES {
        let prepare = |labels: &[f32]| model.prepare(labels, rule).unwrap_err();
        assert_eq!(prepare(&[2.0]).kind(), ClickErrorKind::Label);
        assert!(prepare(&[0.0, -1.0]).to_string().contains("unlabelled"));
        assert!(prepare(&[f32::INFINITY]).to_string().contains("not a finite number"));
        assert!(prepare(&[2.0]).to_string().contains("above 1"));
        assert!(prepare(&[1.25]).to_string().contains("above 1"));
    }
}

#[test]
fn numbers_make_a_model() {
    let model = DependentClickModel::new("mine", vec![0.25, 1.0], vec![0.5, -0.0]).unwrap();
    assert_eq!((model.name(), model.click(), model.stop()), ("mine", &[0.25, 1.0][..], &[0.5, 0.0][..]));
    // The same as in notation, but for the name.
    let custom = DependentClickModel::custom("0:0.25,1:1", "0:0.5,1:0").unwrap();
    assert_eq!((model.click(), model.stop()), (custom.click(), custom.stop()));
    let (compiled, grades) = model.prepare(&[0.0, 1.0], FractionalLabels::Round).unwrap();
    let (clicks, leaves) = count(&compiled, grades[0], 100_000, 3);
    assert_share(clicks, 100_000.0, 0.25, "P(click | 0)");
    assert_share(leaves, clicks, 0.5, "P(stop | 0)");
    // The largest number of grades.
    assert!(DependentClickModel::new("fine", vec![0.5; 65_536], vec![0.0; 65_536]).is_ok());
}

#[test]
fn numbers_that_make_no_model() {
    let new = |click: &[f64], stop: &[f64]| {
        let error = DependentClickModel::new("mine", click.to_vec(), stop.to_vec()).unwrap_err().to_string();
        assert!(error.contains("click model \"mine\"") && !error.contains('\n'), "{error}");
        error
    };
    assert!(new(&[], &[]).contains("no grades"));
    assert!(new(&[0.5], &[]).contains("1 grade for clicks but 0 grades for stops"));
    assert!(new(&[], &[0.5]).contains("0 grades for clicks but 1 grade for stops"));
    assert!(new(&[0.0, 1.5], &[0.0, 0.0]).contains("P(click) of grade 1 is 1.5"));
    assert!(new(&[0.0, 1.0], &[-0.1, 0.0]).contains("P(stop) of grade 0 is -0.1"));
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(new(&[number], &[0.0]).contains("P(click) of grade 0"));
        assert!(new(&[0.0], &[number]).contains("P(stop) of grade 0"));
    }
    assert!(new(&[0.5; 65_537], &[0.5; 65_537]).contains("65537 grades are more than 65,536"));
}

#[test]
fn notation_in_any_order_with_blanks() {
    let model = DependentClickModel::custom(" 1: 0.5, 0:0 ,2:1e0", "2:0,1:0.25,0:1").unwrap();
    assert_eq!(model.click(), [0.0, 0.5, 1.0]);
    assert_eq!(model.stop(), [1.0, 0.25, 0.0]);
}

#[test]
fn fractional_labels() {
    let model = DependentClickModel::custom("0:0,1:0.2,2:0.6", "0:0,1:0.5,2:1").unwrap();
    let labels = [0.0, 0.25, 0.5, 1.0, 1.5, 1.75, 2.0, 0.25, 0.499_999_97];
    let grades = |rule| model.prepare(&labels, rule).unwrap().1.iter().map(|grade| grade.0).collect::<Vec<_>>();
    assert_eq!(grades(FractionalLabels::Round), [0, 0, 1, 1, 2, 2, 2, 0, 0]);
    assert_eq!(grades(FractionalLabels::Floor), [0, 0, 0, 1, 1, 1, 2, 0, 0]);
    assert_eq!(grades(FractionalLabels::Interpolate), [0, 3, 5, 1, 6, 7, 2, 3, 4]);

    let (compiled, grades) = model.prepare(&labels, FractionalLabels::Interpolate).unwrap();
    let n = 200_000;
    let (clicks, leaves) = count(&compiled, grades[5], n, 7);
    assert_share(clicks, n.into(), 0.5, "P(click | 1.75)");
    assert_share(leaves, clicks, 0.875, "P(stop | 1.75)");
}

#[test]
fn one_number_per_document() {
    for max in [1.0, 2.0] {
        let model = DependentClickModel::preset("perfect", max).unwrap();
        let (compiled, grades) = model.prepare(&[0.0, 1.0], FractionalLabels::Round).unwrap();
        let (mut a, mut b) = (Generator::seed_from_u64(3), Generator::seed_from_u64(3));
        compiled.user().examine(grades[0], &mut a);
        compiled.user().examine(grades[1], &mut b);
        assert_eq!(a, b);
    }
}

#[test]
fn value_stability() {
    let labels = [0.0, 1.0, 2.0, 3.0, 4.0];
    let model = DependentClickModel::preset("informational", 4.0).unwrap();
    let (compiled, grades) = model.prepare(&labels, FractionalLabels::Round).unwrap();
    let mut generator = Generator::seed_from_u64(42);
    let mut user = compiled.user();
    let seen: String = (0..40)
        .map(|i| match user.examine(grades[i % 5], &mut generator) {
            examination if examination.abandons => 'L',
            examination if examination.clicked => 'c',
            _ => '.',
        })
        .collect();
    assert_eq!(seen, ".c.LL.LLc...cLc.ccccL.ccLLc.ccc..c...Lcc");
}
