//! Every click model through one table of cases: clicks with the probabilities that enumeration gives, only
//! where the user examines, the same for the same seed.

use clicks::{
    AnyClickModel, ClickModel, ClickSpec, CompiledAnyModel, CompiledClickModel, FractionalLabels, Generator, Grade,
    User,
};
use proptest::prelude::*;
use rand::SeedableRng;

pub(crate) const RULES: [FractionalLabels; 3] =
    [FractionalLabels::Round, FractionalLabels::Floor, FractionalLabels::Interpolate];

/// One model, and what it should do.
pub(crate) struct Case {
    /// The text form.
    pub(crate) spec: &'static str,
    /// Whether what a user does depends on the grade alone.
    pub(crate) is_memoryless: bool,
    /// P(clicked, leaves | place, distance to the last click, grade) of a user who has come that far. Places count from
    /// 0; before the first click, the distance is the place plus 1.
    pub(crate) step: fn(usize, usize, usize) -> Step,
    /// The actions by seed 42 for grades 0, 1, 2 over and over: `c` a click, `.` none, `|` a leave.
    pub(crate) pinned: &'static str,
}

/// The behaviour at a place: P(click), P(leave | click), P(leave | no click).
pub(crate) struct Step {
    pub(crate) click: f64,
    pub(crate) leave_clicked: f64,
    pub(crate) leave_unclicked: f64,
}

fn dependent(click: [f64; 3], stop: [f64; 3], grade: usize) -> Step {
    Step { click: click[grade], leave_clicked: stop[grade], leave_unclicked: 0.0 }
}

/// Leaves for certain after place `length`.
fn position_based(attraction: [f64; 3], examination: f64, is_last: bool, grade: usize) -> Step {
    let leaves = f64::from(u8::from(is_last));
    Step { click: examination * attraction[grade], leave_clicked: leaves, leave_unclicked: leaves }
}

/// Leaves after a click with P(stop), and gives up with probability 1 - `gamma` where P(stop) did not.
fn dynamic_bayesian(click: [f64; 3], stop: [f64; 3], gamma: f64, grade: usize) -> Step {
    Step { click: click[grade], leave_clicked: 1.0 - gamma * (1.0 - stop[grade]), leave_unclicked: 1.0 - gamma }
}

pub(crate) const CASES: [Case; 12] = [
    Case {
        spec: "perfect",
        is_memoryless: true,
        step: |_, _, grade| dependent([0.0, 0.5, 1.0], [0.0; 3], grade),
        pinned: ".cc..c|..c..c|.cc.cc|.cc..c|.cc..c|..c..c|.cc..c|..c..c|",
    },
    Case {
        spec: "navigational",
        is_memoryless: true,
        step: |_, _, grade| dependent([0.05, 0.5, 0.95], [0.2, 0.5, 0.9], grade),
        pinned: ".c|..c|.c|.cc|..c|.cc|.cc|.c|",
    },
    Case {
        spec: "0:0.25,1:0.5,2:1",
        is_memoryless: true,
        step: |_, _, grade| dependent([0.25, 0.5, 1.0], [0.0; 3], grade),
        pinned: ".cc..c|c.c..c|.cc.cc|.cc..c|.cc..c|c.c..c|.cc..c|..c..c|",
    },
    Case {
        spec: "0:0.25,1:0.5,2:1 stop 0:0.5,1:0,2:1",
        is_memoryless: true,
        step: |_, _, grade| dependent([0.25, 0.5, 1.0], [0.5, 0.0, 1.0], grade),
        pinned: ".cc|..c|c|.cc|..c|c|..c|c.c|",
    },
    Case {
        spec: "pbm:navigational",
        is_memoryless: false,
        step: |place, _, grade| position_based([0.05, 0.5, 0.95], 1.0 / (place as f64 + 1.0), false, grade),
        pinned: ".c....|..c...|.c...c|..c...|.c....|......|.c....|..c...|",
    },
    Case {
        spec: "pbm:0:0.25,1:0.5,2:1,eta=0.5,length=3",
        is_memoryless: false,
        step: |place, _, grade| {
            let examination = if place < 3 { 1.0 / (place as f64 + 1.0).sqrt() } else { 0.0 };
            position_based([0.25, 0.5, 1.0], examination, place >= 2, grade)
        },
        pinned: ".c.|c..|ccc|cc.|.cc|.cc|..c|.cc|",
    },
    Case {
        spec: "pbm:perfect,eta=0",
        is_memoryless: false,
        step: |_, _, grade| position_based([0.0, 0.5, 1.0], 1.0, false, grade),
        pinned: ".cc.cc|.cc.cc|.cc.cc|..c.cc|.cc..c|.cc.cc|.cc.cc|..c..c|",
    },
    Case {
        spec: "dbn:navigational",
        is_memoryless: true,
        step: |_, _, grade| dynamic_bayesian([0.05, 0.5, 0.95], [0.2, 0.5, 0.9], 0.9, grade),
        pinned: ".c|.|.|..c|.|..c|..c|..c|",
    },
    Case {
        spec: "dbn:0:0.25,1:0.5,2:1 stop 0:0.5,1:0,2:1,gamma=0.5",
        is_memoryless: true,
        step: |_, _, grade| dynamic_bayesian([0.25, 0.5, 1.0], [0.5, 0.0, 1.0], 0.5, grade),
        pinned: ".|.|.|.|.|.|c|.|",
    },
    Case {
        spec: "dbn:navigational,gamma=1",
        is_memoryless: true,
        step: |_, _, grade| dependent([0.05, 0.5, 0.95], [0.2, 0.5, 0.9], grade),
        pinned: ".c|..c|.c|.cc|..c|.cc|.cc|.c|",
    },
    Case {
        spec: "ubm:navigational",
        is_memoryless: false,
        step: |_, distance, grade| position_based([0.05, 0.5, 0.95], 1.0 / distance as f64, false, grade),
        pinned: ".cc...|..c...|.cc.cc|..c...|.cc...|......|.cc..c|..c...|",
    },
    Case {
        spec: "ubm:0:0.25,1:0.5,2:1,eta=0.5,length=3",
        is_memoryless: false,
        step: |place, distance, grade| {
            let examination = if place < 3 { 1.0 / (distance as f64).sqrt() } else { 0.0 };
            position_based([0.25, 0.5, 1.0], examination, place >= 2, grade)
        },
        pinned: ".cc|ccc|ccc|ccc|.cc|.cc|..c|.cc|",
    },
];

pub(crate) fn model(spec: &str) -> AnyClickModel {
    spec.parse::<ClickSpec>().unwrap().resolve(2.0).unwrap()
}

/// The model of `spec` and its grades 0, 1, 2.
fn compiled(spec: &str) -> (CompiledAnyModel, Vec<Grade>) {
    model(spec).prepare(&[0.0, 1.0, 2.0], FractionalLabels::Round).unwrap()
}

/// One user of a list: the places clicked, and how many were examined.
pub(crate) fn read(compiled: &CompiledAnyModel, list: &[Grade], generator: &mut Generator) -> (Vec<usize>, usize) {
    let (mut user, mut clicked) = (compiled.user(), Vec::new());
    for (place, &grade) in list.iter().enumerate() {
        let examination = user.examine(grade, generator);
        if examination.clicked {
            clicked.push(place);
        }
        if examination.abandons {
            return (clicked, place + 1);
        }
    }
    (clicked, list.len())
}

/// Grades of the lists that users read: all orders of three grades, and one longer list.
pub(crate) const LISTS: [&[usize]; 7] =
    [&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0], &[1, 1, 0, 2, 0, 1]];

/// P(clicked) and P(reached) of every place of a list, summed over all that a user may do.
pub(crate) fn enumerate(case: &Case, list: &[usize]) -> Vec<(f64, f64)> {
    fn visit(case: &Case, list: &[usize], place: usize, distance: usize, p: f64, sums: &mut [(f64, f64)]) {
        let Some(&grade) = list.get(place) else {
            return;
        };
        let Step { click, leave_clicked, leave_unclicked } = (case.step)(place, distance, grade);
        sums[place].0 += p * click;
        sums[place].1 += p;
        visit(case, list, place + 1, 1, p * click * (1.0 - leave_clicked), sums);
        visit(case, list, place + 1, distance + 1, p * (1.0 - click) * (1.0 - leave_unclicked), sums);
    }
    let mut sums = vec![(0.0, 0.0); list.len()];
    visit(case, list, 0, 1, 1.0, &mut sums);
    sums
}

/// `seen` successes of `n` lie within 5 standard deviations of `p n`; exactly, where p is 0 or 1.
pub(crate) fn assert_share(seen: u32, n: u32, p: f64, what: &str) {
    let (seen, n) = (f64::from(seen), f64::from(n));
    let bound = 5.0 * (n * p * (1.0 - p)).max(0.0).sqrt() + 1e-9 * n;
    assert!((seen - n * p).abs() <= bound, "{what}: {seen} of {n}, expected a share of {p}");
}

/// Users of a model click and examine as enumeration of the case has it; `grades` are those of its labels.
pub(crate) fn assert_follows_enumeration(case: &Case, compiled: &CompiledAnyModel, grades: &[Grade], seed: u64) {
    let mut generator = Generator::seed_from_u64(seed);
    for list in LISTS {
        let documents: Vec<Grade> = list.iter().map(|&grade| grades[grade]).collect();
        let (n, mut clicks, mut examined) = (20_000, vec![0; list.len()], vec![0; list.len()]);
        for _ in 0..n {
            let (clicked, end) = read(compiled, &documents, &mut generator);
            clicked.into_iter().for_each(|place| clicks[place] += 1);
            examined[..end].iter_mut().for_each(|users| *users += 1);
        }
        for (place, (click, reach)) in enumerate(case, list).into_iter().enumerate() {
            let what = format!("{}, {list:?}, place {place}", case.spec);
            assert_share(clicks[place], n, click, &what);
            assert_share(examined[place], n, reach, &what);
        }
    }
}

#[test]
fn clicks_follow_enumeration() {
    for case in CASES {
        let (compiled, grades) = compiled(case.spec);
        assert_follows_enumeration(&case, &compiled, &grades, 1);
    }
}

/// Memoryless users do the same with a document wherever it stands and whatever came before.
#[test]
fn memoryless_users() {
    for case in CASES {
        let (compiled, grades) = compiled(case.spec);
        assert_eq!(compiled.is_memoryless(), case.is_memoryless, "{}", case.spec);
        let [mut fresh, mut used] = [1, 1].map(Generator::seed_from_u64);
        let mut reader = compiled.user();
        let same = (0..200).all(|n| {
            let grade = grades[n % 3];
            reader.examine(grade, &mut used) == compiled.user().examine(grade, &mut fresh)
        });
        // Where every position is examined alike, forgetting it changes nothing either.
        assert!(same || !case.is_memoryless, "{}", case.spec);
    }
}

/// Pins what a seed gives. When this changes, values have changed: say so in the changelog.
#[test]
fn value_stability() {
    let seen = CASES.map(|case| {
        let (compiled, grades) = compiled(case.spec);
        let mut generator = Generator::seed_from_u64(42);
        let mut seen = String::new();
        for _ in 0..8 {
            let mut user = compiled.user();
            for place in 0..6 {
                let examination = user.examine(grades[place % 3], &mut generator);
                seen.push(if examination.clicked { 'c' } else { '.' });
                if examination.abandons {
                    break;
                }
            }
            seen.push('|');
        }
        seen
    });
    for (case, seen) in CASES.iter().zip(seen) {
        assert_eq!(seen, case.pinned, "{}", case.spec);
    }
}

#[test]
fn same_seed_same_clicks() {
    for case in CASES {
        let (compiled, grades) = compiled(case.spec);
        let list: Vec<Grade> = (0..20).map(|n| grades[n % 3]).collect();
        let run = || {
            let mut generator = Generator::seed_from_u64(9);
            (0..50).map(|_| read(&compiled, &list, &mut generator)).collect::<Vec<_>>()
        };
        assert_eq!(run(), run(), "{}", case.spec);
    }
}

/// Every text form reads back as itself, and names the model in results.
#[test]
fn text_forms() {
    for case in CASES {
        let spec: ClickSpec = case.spec.parse().unwrap();
        assert_eq!(spec.to_string().parse::<ClickSpec>().unwrap(), spec, "{}", case.spec);
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(json, format!("\"{spec}\""));
        assert_eq!(serde_json::from_str::<ClickSpec>(&json).unwrap(), spec);
        // The name of the model in results can be read, too.
        let model = spec.resolve(2.0).unwrap();
        assert_eq!(model.name().parse::<ClickSpec>().unwrap().resolve(2.0).unwrap(), model);
    }
    assert_eq!(model("0:0.5,1:1,2:1").name(), "click 0:0.5,1:1,2:1 stop 0:0,1:0,2:0");
    assert_eq!(model("pbm:navigational").name(), "pbm:navigational,eta=1");
}

#[test]
fn tables() {
    let read = |json: &str| serde_json::from_str::<ClickSpec>(json).map_err(|error| error.to_string());
    let same = |json: &str, text: &str| assert_eq!(read(json).unwrap(), text.parse().unwrap(), "{json}");
    same(r#"{"preset": "navigational"}"#, "navigational");
    same(r#"{"click": "0:0.1,1:0.9"}"#, "0:0.1,1:0.9");
    same(r#"{"stop": "0:0,1:1", "click": "0:0.1,1:0.9"}"#, "0:0.1,1:0.9 stop 0:0,1:1");
    same(
        r#"{"model": "pbm", "attraction": "navigational", "eta": 2, "length": 10}"#,
        "pbm:navigational,eta=2,length=10",
    );
    same(r#"{"model": "pbm", "attraction": "0:0.1,1:0.9", "eta": 0.5}"#, "pbm:0:0.1,1:0.9,eta=0.5");

    let refusal = |json: &str| read(json).unwrap_err();
    assert!(
        refusal(r#"{"preset": "perfect", "stop": "0:0,1:0"}"#).contains("a `preset`, `click` with or without `stop`")
    );
    assert!(
        refusal(r#"{"preset": "perfect", "eta": 1}"#).contains("unknown setting \"eta\" of dependent click models")
    );
    same(r#"{"model": "dbn", "attraction": "navigational", "gamma": 0.5}"#, "dbn:navigational,gamma=0.5");
    same(r#"{"model": "ubm", "attraction": "navigational", "length": 3}"#, "ubm:navigational,length=3");
    assert!(refusal(r#"{"model": "cascade", "attraction": "perfect"}"#).contains("named models are pbm, dbn, ubm"));
    assert!(refusal(r#"{"model": "pbm", "attraction": "perfect", "lenght": 1}"#).contains("; did you mean `length`?"));
    assert!(refusal(r#"{"preset": "perfect", "preset": "random"}"#).contains("given twice"));
    assert!(refusal("3").contains("a click model: a name"));
}

#[test]
fn refusals_of_text() {
    let refusal = |text: &str| text.parse::<ClickSpec>().unwrap_err().to_string();
    assert!(refusal("pbm:navigational,eta=-1").contains("eta is -1; it must be a finite number from 0 up"));
    assert!(refusal("pbm:navigational,eta=x").contains("eta=\"x\" is not a number"));
    assert!(refusal("pbm:navigational,eta=1,eta=2").contains("one eta, not two"));
    assert!(refusal("pbm:navigational,lenght=3").ends_with("; did you mean `length`?"));
    assert!(refusal("pbm:0:0.1,1:0.5 stop 0:0,1:1").contains("never stop"));
    assert!(refusal("ubm:0:0.1,1:0.5 stop 0:0,1:1").contains("user browsing users never stop"));
    assert!(refusal("dbn:navigational,gamma=1.5").contains("gamma is 1.5; it must be a probability, from 0 to 1"));
    assert!(refusal("dbn:navigational,gamma=NaN").contains("gamma is NaN"));
    assert!(refusal("dbn:navigational,eta=1").contains("dynamic Bayesian network click models, which take gamma"));
    assert!(refusal("dnb:navigational").ends_with("named models are pbm, dbn, ubm; did you mean `dbn`?"));
    for (text, needs) in
        [("pbm:", "`pbm:navigational`"), ("dbn", "`dbn:navigational`"), (" ubm ", "`ubm:navigational`")]
    {
        let error = refusal(text);
        assert!(error.contains("needs P(click) by grade: write ") && error.contains(needs), "{error}");
    }
    for text in ["navigational:3", "perfect:", "random:eta=1", "almost-random:0:0.1,1:0.9"] {
        let error = refusal(text);
        assert!(error.contains("takes no settings, found") && error.contains("or another model"), "{error}");
    }
    assert!(refusal("informal").ends_with("; did you mean `informational`?"));
    let stop = |text: &str, stop: &str| text.parse::<ClickSpec>().unwrap().with_stop(stop).unwrap_err().to_string();
    assert!(stop("navigational", "0:0,1:0").contains("the preset navigational has its own"));
    assert!(stop("pbm:navigational", "0:0,1:0").contains("the users of pbm:navigational,eta=1 never stop"));
    assert!(stop("dbn:navigational", "0:0,1:0").contains("the preset navigational has its own"));
    let custom = "dbn:0:0.1,1:0.9,gamma=0.5".parse::<ClickSpec>().unwrap().with_stop("0:0,1:1").unwrap();
    assert_eq!(custom, "dbn:0:0.1,1:0.9 stop 0:0,1:1,gamma=0.5".parse().unwrap());
    assert!(stop("0:0.1,1:0.9", "0:0").contains("2 grades for clicks but 1 grade for stops"));
    assert!(stop("0:0.1,1:0.9 stop 0:0,1:0", "0:0,1:0").contains("given twice"));
}

proptest! {
    #[test]
    fn nothing_panics(labels in prop::collection::vec(any::<f32>(), 0..20), text in ".{0,30}", notation in "[0-9:., ]{0,30}") {
        let forms = ["pbm", "dbn", "ubm"].map(|model| [format!("{model}:{text}"), format!("{model}:{notation}")]);
        let own = [text, notation.clone(), format!("{notation} stop {notation}")];
        for text in own.iter().chain(forms.as_flattened()) {
            if let Ok(spec) = text.parse::<ClickSpec>() {
                let _ = spec.clone().with_stop(&notation);
                prop_assert_eq!(spec.to_string().parse::<ClickSpec>().unwrap(), spec);
            }
        }
        for rule in RULES {
            let _ = model("navigational").prepare(&labels, rule);
            for spec in ["pbm:navigational,length=5", "dbn:navigational", "ubm:navigational,length=5"] {
                let _ = model(spec).prepare(&labels, rule);
            }
        }
    }

    #[test]
    fn any_label_in_range_has_a_grade(labels in prop::collection::vec(0.0_f32..=2.0, 0..20), seed: u64) {
        let mut generator = Generator::seed_from_u64(seed);
        for case in CASES {
            for rule in RULES {
                let (compiled, grades) = model(case.spec).prepare(&labels, rule).unwrap();
                prop_assert_eq!(grades.len(), labels.len());
                let mut user = compiled.user();
                for grade in grades {
                    user.examine(grade, &mut generator);
                }
            }
        }
    }
}
