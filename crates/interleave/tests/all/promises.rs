//! Properties of every method, whatever the lists: the same outcome lazily and later, receipts that serialise,
//! errors instead of panics, termination.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::enumeration::{random_list, scores, some_list, strict, view};
use interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, AnyOutcome, CreditError, Doc,
    Examination, Generator, Interleaving, ListBuf, Multileaving, Outcome, receipt,
};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::Value;

pub(crate) fn interleavings() -> Vec<AnyInterleaving> {
    AnyInterleaving::NAMES.iter().map(|name| name.parse().unwrap()).collect()
}

pub(crate) fn multileavings() -> Vec<AnyMultileaving> {
    AnyMultileaving::NAMES
        .iter()
        // Fewer assignments, to save time.
        .map(|name| name.replace("10000", "50").parse().unwrap())
        .collect()
}

/// A user who clicks and leaves at random, and what they saw.
struct User {
    luck: Generator,
    shown: Vec<Doc>,
    clicked: Vec<usize>,
}

impl User {
    fn new(seed: u64) -> Self {
        Self { luck: Generator::seed_from_u64(seed), shown: vec![], clicked: vec![] }
    }

    fn examine(&mut self, doc: Doc) -> Examination {
        let clicked = self.luck.random_bool(0.4);
        if clicked {
            self.clicked.push(self.shown.len());
        }
        self.shown.push(doc);
        let abandons = self.luck.random_bool(0.15);
        Examination { clicked, abandons }
    }
}

fn check_list(shown: &[Doc], lists: &[ListBuf], length: usize) -> Result<(), TestCaseError> {
    let all: BTreeSet<Doc> = lists.iter().flat_map(|list| list.as_list().docs()).collect();
    let mine: BTreeSet<Doc> = shown.iter().copied().collect();
    prop_assert_eq!(mine.len(), shown.len(), "a document twice");
    prop_assert_eq!(shown.len(), length.min(all.len()));
    prop_assert!(mine.is_subset(&all));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn interleaving_now_is_interleaving_later(
        n in 0_u16..25, levels in prop::sample::select(vec![1, 3, 8, 1_000_000]), length in 0_usize..14, seed: u64,
    ) {
        for method in interleavings() {
            let mut generator = Generator::seed_from_u64(seed);
            let lists = [0; 2].map(|_| some_list(n, levels, &mut generator));
            let both = [lists[0].as_list(), lists[1].as_list()];
            let mut used = Default::default();
            for _ in 0..3 {
                let mut user = User::new(generator.next_u64());
                let mut own = generator.clone();
                let winner = method.compare(both, length, &mut own, &mut used, |doc| user.examine(doc));
                let (shown, kept) = method.draw(both, length, &mut generator, &mut Default::default());
                prop_assert_eq!(&shown[..user.shown.len()], &user.shown[..], "{}", method);
                check_list(&shown, &lists, length)?;
                prop_assert_eq!(method.credit(&kept, &user.clicked).unwrap(), winner, "{}", method);
                let mut again = user.clicked.clone();
                again.reverse();
                again.extend(&user.clicked);
                prop_assert_eq!(method.credit(&kept, &again).unwrap(), winner);

                let json = serde_json::to_string(&kept).unwrap();
                let back: AnyInterleavingReceipt = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(&back, &kept);
                let bytes = receipt::to_bytes(&kept).unwrap();
                let back: AnyInterleavingReceipt = receipt::from_bytes(&bytes).unwrap();
                prop_assert_eq!(&back, &kept);
                prop_assert!(receipt::from_bytes::<AnyInterleavingReceipt>(&bytes[..bytes.len() - 1]).is_err());

                let far = [shown.len(), usize::MAX];
                for position in far {
                    let error = method.credit(&kept, &[position]).unwrap_err();
                    prop_assert_eq!(error, CreditError::Position { position, length: shown.len() });
                }
            }
        }
    }

    #[test]
    fn multileaving_now_is_multileaving_later(
        n in 0_u16..25, m in 0_usize..7, levels in prop::sample::select(vec![1, 3, 8, 1_000_000]),
        length in 0_usize..9, seed: u64,
    ) {
        for method in multileavings() {
            let mut generator = Generator::seed_from_u64(seed);
            let lists: Vec<_> = (0..m).map(|_| some_list(n, levels, &mut generator)).collect();
            let all = view(&lists);
            let (mut used, mut outcome) = (Default::default(), AnyOutcome::default());
            for _ in 0..2 {
                let mut user = User::new(generator.next_u64());
                let mut own = generator.clone();
                let examine = |doc| user.examine(doc);
                let any = method.compare(&all, length, &mut own, &mut used, examine, &mut outcome);
                prop_assert_eq!(any, !user.clicked.is_empty());
                prop_assert_eq!(outcome.rankers(), m);
                let (shown, kept) = method.draw(&all, length, &mut generator, &mut Default::default());
                prop_assert_eq!(&shown[..user.shown.len()], &user.shown[..], "{}", method);
                check_list(&shown, &lists, length)?;
                prop_assert_eq!(&method.credit(&kept, &user.clicked).unwrap(), &outcome, "{}", method);

                let json = serde_json::to_string(&kept).unwrap();
                let back: AnyMultileavingReceipt = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(&back, &kept);
                let bytes = receipt::to_bytes(&kept).unwrap();
                let back: AnyMultileavingReceipt = receipt::from_bytes(&bytes).unwrap();
                prop_assert_eq!(&back, &kept);

                let error = method.credit(&kept, &[0, shown.len()]).unwrap_err();
                let position = shown.len();
                prop_assert_eq!(error, CreditError::Position { position, length: position });
            }
        }
    }

    /// Receipts with numbers changed and rows shortened are read or refused, credited or refused, but nothing
    /// worse.
    #[test]
    fn damaged_receipts(seed: u64, damage: u64) {
        let mut generator = Generator::seed_from_u64(seed);
        let lists: Vec<_> = (0..3).map(|_| some_list(8, 4, &mut generator)).collect();
        for method in interleavings() {
            let both = [lists[0].as_list(), lists[1].as_list()];
            let (_, kept) = method.draw(both, 5, &mut generator, &mut Default::default());
            let mut json = serde_json::to_value(&kept).unwrap();
            spoil(&mut json, &mut Generator::seed_from_u64(damage));
            if let Ok(kept) = serde_json::from_value::<AnyInterleavingReceipt>(json) {
                for clicks in [vec![], vec![0], vec![0, 1, 2], vec![4, 3, 1]] {
                    let _ = method.credit(&kept, &clicks);
                }
            }
        }
        for method in multileavings() {
            let (_, kept) = method.draw(&view(&lists), 5, &mut generator, &mut Default::default());
            let mut json = serde_json::to_value(&kept).unwrap();
            spoil(&mut json, &mut Generator::seed_from_u64(damage));
            if let Ok(kept) = serde_json::from_value::<AnyMultileavingReceipt>(json) {
                for clicks in [vec![], vec![0], vec![0, 1, 2], vec![4, 3, 1]] {
                    let _ = method.credit(&kept, &clicks);
                }
            }
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = receipt::from_bytes::<AnyInterleavingReceipt>(&bytes);
        let _ = receipt::from_bytes::<AnyMultileavingReceipt>(&bytes);
    }

    #[test]
    fn any_name(text in "[a-z:=,-]{0,20}|(probabilistic|sosm|optimized):[a-z0-9=,.-]{0,16}") {
        for error in [
            text.parse::<AnyInterleaving>().err().map(|e| e.to_string()),
            text.parse::<AnyMultileaving>().err().map(|e| e.to_string()),
        ].into_iter().flatten() {
            prop_assert!(!error.contains('\n'));
        }
        if let Ok(method) = text.parse::<AnyInterleaving>() {
            prop_assert_eq!(method.to_string().parse::<AnyInterleaving>().unwrap().to_string(), method.to_string());
        }
        if let Ok(method) = text.parse::<AnyMultileaving>() {
            prop_assert_eq!(method.to_string().parse::<AnyMultileaving>().unwrap().to_string(), method.to_string());
        }
    }
}

/// Changes about one number in four, and drops the end of about one row in eight.
fn spoil(value: &mut Value, luck: &mut Generator) {
    match value {
        Value::Number(number) if luck.random_bool(0.25) => {
            let big = luck.next_u64();
            let candidates = [0, 1, 3, 65_534, 65_535, big];
            *number = candidates[luck.random_range(0..candidates.len())].into();
        }
        Value::Array(rows) => {
            if luck.random_bool(0.125) {
                rows.truncate(rows.len() / 2);
            }
            rows.iter_mut().for_each(|row| spoil(row, luck));
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| spoil(field, luck)),
        _ => {}
    }
}

#[test]
fn foreign_receipts_are_refused() {
    let mut generator = Generator::seed_from_u64(5);
    let lists = [strict(&[0, 1, 2]), strict(&[2, 0, 1])];
    let both = [lists[0].as_list(), lists[1].as_list()];
    for from in interleavings() {
        let (_, kept) = from.draw(both, 3, &mut generator, &mut Default::default());
        assert_eq!(kept.method().parse::<AnyInterleaving>().unwrap().to_string(), from.to_string());
        for to in interleavings() {
            let same = from.to_string() == to.to_string();
            let result = to.credit(&kept, &[1]);
            assert_eq!(result.is_ok(), same);
            if !same {
                let (receipt, method) = (from.to_string(), to.to_string());
                assert_eq!(result.unwrap_err(), CreditError::Foreign { receipt, method });
            }
        }
        // A name that does not match its receipt.
        let mut json = serde_json::to_value(&kept).unwrap();
        for other in ["balanced", "optimized", "no such method"] {
            json["method"] = other.into();
            let lying: AnyInterleavingReceipt = serde_json::from_value(json.clone()).unwrap();
            for to in interleavings() {
                let fits = to.name() == from.name() && to.to_string() == other;
                assert_eq!(to.credit(&lying, &[1]).is_ok(), fits, "{from} as {other} to {to}");
            }
        }
    }
    for from in multileavings() {
        let (_, kept) = from.draw(&both, 3, &mut generator, &mut Default::default());
        for to in multileavings() {
            let same = from.to_string() == to.to_string();
            assert_eq!(to.credit(&kept, &[1]).is_ok(), same);
        }
        // Nor does a multileaving receipt pass for one of interleaving.
        let json = serde_json::to_string(&kept).unwrap();
        assert!(serde_json::from_str::<AnyInterleavingReceipt>(&json).is_err());
    }
}

/// No two methods' receipts have the same fields, so that none passes for another.
#[test]
fn receipts_differ_by_their_fields() {
    let mut generator = Generator::seed_from_u64(6);
    let lists = [strict(&[0, 1, 2]), strict(&[2, 0, 1])];
    let both = [lists[0].as_list(), lists[1].as_list()];
    let mut shapes = BTreeSet::new();
    let mut fields = |receipt: &Value| {
        let Some((kind, body)) = receipt["receipt"].as_object().and_then(|all| all.iter().next()) else {
            panic!("no receipt in {receipt}");
        };
        let fields: Vec<String> = body.as_object().unwrap().keys().cloned().collect();
        shapes.insert((fields, kind.clone()));
    };
    for method in interleavings() {
        let (_, kept) = method.draw(both, 3, &mut generator, &mut Default::default());
        fields(&serde_json::to_value(kept).unwrap());
    }
    for method in multileavings() {
        let (_, kept) = method.draw(&both, 3, &mut generator, &mut Default::default());
        fields(&serde_json::to_value(kept).unwrap());
    }
    let distinct: BTreeSet<&Vec<String>> = shapes.iter().map(|(fields, _)| fields).collect();
    assert_eq!(distinct.len(), shapes.len(), "{shapes:?}");
    assert_eq!(shapes.len(), 13);
}

/// 10,000 documents shown whole to two rankers, or ten of them to many; 5,000 rankers.
#[test]
#[expect(clippy::print_stderr, reason = "prints how long each takes with --nocapture")]
fn large_sizes() {
    let mut generator = Generator::seed_from_u64(7);
    let shuffled = |n: usize, levels: u32, generator: &mut Generator| random_list(n, levels, generator);
    let pair = [10_000, 40].map(|levels| shuffled(10_000, levels, &mut generator));
    let both = [pair[0].as_list(), pair[1].as_list()];
    let timed = |what: String, work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        eprintln!("{what}: {:?}", start.elapsed());
    };
    for method in interleavings() {
        timed(format!("{method}, 10,000 shown"), &mut || {
            let (shown, kept) = method.draw(both, 10_000, &mut generator, &mut Default::default());
            assert_eq!(shown.len(), 10_000);
            method.credit(&kept, &[0, 5, 900, 9_999]).unwrap();
        });
    }
    let many: Vec<ListBuf> = (0..5_000).map(|_| shuffled(30, 8, &mut generator)).collect();
    let few: Vec<ListBuf> = (0..4).map(|_| shuffled(10_000, 2_000, &mut generator)).collect();
    for name in AnyMultileaving::NAMES {
        let method: AnyMultileaving = name.replace("10000", "100").parse().unwrap();
        timed(format!("{method}, 5,000 rankers"), &mut || {
            let (shown, kept) = method.draw(&view(&many), 10, &mut generator, &mut Default::default());
            assert_eq!(shown.len(), 10);
            let outcome = method.credit(&kept, &[2, 7]).unwrap();
            assert_eq!(outcome.rankers(), 5_000);
        });
        timed(format!("{method}, 10,000 shown"), &mut || {
            let (shown, kept) = method.draw(&view(&few), 10_000, &mut generator, &mut Default::default());
            assert_eq!(shown.len(), 10_000);
            method.credit(&kept, &[0, 5]).unwrap();
        });
    }
    // Longer than any list.
    for method in interleavings() {
        let lists = [strict(&[1, 0]), strict(&[0])];
        let both = [lists[0].as_list(), lists[1].as_list()];
        let (shown, _) = method.draw(both, usize::MAX, &mut generator, &mut Default::default());
        assert_eq!(shown.len(), 2);
    }
    for method in multileavings() {
        let lists = [strict(&[1, 0])];
        let (shown, _) = method.draw(&view(&lists), usize::MAX, &mut generator, &mut Default::default());
        assert_eq!(shown.len(), 2);
    }
}

/// Names with values that their own tests pin.
const PINNED: [&str; 3] = ["probabilistic", "probabilistic:same", "sosm"];

/// Pins what a seed gives. When this changes, values have changed: say so in the changelog.
#[test]
fn value_stability() {
    let lists = [
        scores(&[3.0, 1.0, 2.0, 1.0, 1.0, 0.0]),
        scores(&[0.0, 2.0, 2.0, 0.0, 1.0, 2.0]),
        scores(&[1.0, 2.0, 3.0, 4.0, 5.0, 5.0]),
    ];
    let both = [lists[0].as_list(), lists[1].as_list()];
    let mut seen = Vec::new();
    for name in AnyInterleaving::NAMES.into_iter().filter(|name| !PINNED.contains(name)) {
        let method: AnyInterleaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(42);
        let mut line = format!("{name}:");
        for clicks in [[0, 1], [1, 3], [2, 3]] {
            let (shown, kept) = method.draw(both, 4, &mut generator, &mut Default::default());
            let shown: String = shown.iter().map(|doc| doc.0.to_string()).collect();
            line += &format!(" {shown} {:?}", method.credit(&kept, &clicks).unwrap());
        }
        seen.push(line);
    }
    for name in AnyMultileaving::NAMES.into_iter().filter(|&name| name != "sosm") {
        let method: AnyMultileaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(42);
        let mut line = format!("{name}:");
        for clicks in [[0, 1], [1, 3]] {
            let (shown, kept) = method.draw(&view(&lists), 4, &mut generator, &mut Default::default());
            let shown: String = shown.iter().map(|doc| doc.0.to_string()).collect();
            let outcome = serde_json::to_string(&method.credit(&kept, &clicks).unwrap()).unwrap();
            line += &format!(" {shown} {outcome}");
        }
        seen.push(line);
    }
    assert_eq!(seen.join("\n"), include_str!("values.txt").trim_end());
}
