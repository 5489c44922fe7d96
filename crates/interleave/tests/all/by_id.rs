//! Lists of external ids: two and five, serialised and credited elsewhere.

use interleave::by_id::{self, IdError, Impression, Lists};
use interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, Generator, Outcome, Preference,
    receipt,
};
use rand::SeedableRng;

#[test]
fn two_lists_of_strings() {
    let ours = ["a", "b", "c", "d"];
    let theirs = ["x", "b", "y"];
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(1);
        let shown = by_id::interleave(&method, [&ours, &theirs], 10, &mut generator).unwrap();
        assert_eq!(shown.shown().len(), 6, "{name}");
        // Stored, and read later.
        let json = serde_json::to_string(&shown).unwrap();
        let later: Impression<String, AnyInterleavingReceipt> = serde_json::from_str(&json).unwrap();
        let winner = match name {
            // Nothing is above the first place, so a click there is a tie.
            "document-constraints:above" if shown.shown()[0] == "x" => Preference::Tie,
            _ => Preference::Second,
        };
        assert_eq!(later.winner(&method, &["x".to_owned()]).unwrap(), winner, "{name}");
        let bytes = receipt::to_bytes(&shown).unwrap();
        let later: Impression<String, AnyInterleavingReceipt> = receipt::from_bytes(&bytes).unwrap();
        assert_eq!(later.winner(&method, &[]).unwrap(), Preference::Tie);
        assert_eq!(later.winner(&method, &["z".to_owned()]), Err(IdError::NotShown(0)));
    }
}

#[test]
fn five_lists_of_numbers() {
    let lists: [&[u64]; 5] = [&[9, 8, 7], &[8, 9, 7], &[7], &[], &[1 << 60, 8]];
    for name in AnyMultileaving::NAMES {
        let method: AnyMultileaving = name.parse().unwrap();
        let mut generator = Generator::seed_from_u64(2);
        let shown = by_id::multileave(&method, &lists, 4, &mut generator).unwrap();
        assert_eq!(shown.shown().len(), 4, "{name}");
        let bytes = receipt::to_bytes(&shown).unwrap();
        let later: Impression<u64, AnyMultileavingReceipt> = receipt::from_bytes(&bytes).unwrap();
        let outcome = later.outcome(&method, &[1 << 60]).unwrap();
        assert_eq!(outcome.rankers(), 5);
        // Only the last ranker lists it, so that it never loses.
        for x in 0..4 {
            assert_ne!(outcome.preference(4, x), Preference::Second, "{name}");
        }
    }
}

/// Numbering is by first appearance, so the same lists give the same impression.
#[test]
fn same_seed_same_list() {
    let lists = [vec!["q", "r", "s", "t"], vec!["t", "u", "q"]];
    let method: AnyMultileaving = "probabilistic".parse().unwrap();
    let draw = || by_id::multileave(&method, &lists, 3, &mut Generator::seed_from_u64(3)).unwrap().shown().to_vec();
    assert_eq!(draw(), draw());
    assert_eq!(Lists::ranked(&lists).unwrap().ids(), ["q", "r", "s", "t", "u"]);
}

#[test]
fn ties_by_score() {
    let ours = [("a", 1.0), ("b", 1.0), ("c", 2.0)];
    let theirs = [("b", -1.0), ("d", 0.0)];
    let lists = Lists::scored(&[ours.as_slice(), &theirs]).unwrap();
    let method: AnyInterleaving = "team-draft".parse().unwrap();
    let mut second = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let mut generator = Generator::seed_from_u64(seed);
        let shown = lists.interleave(&method, 4, &mut generator).unwrap();
        let place = |id| shown.shown().iter().position(|&shown| shown == id).unwrap();
        assert!(place("c") < 2 && place("d") < 2);
        second.insert(place("a") < place("b"));
    }
    assert_eq!(second.len(), 2, "ties are broken both ways");
}

#[test]
fn refusals() {
    let mut generator = Generator::seed_from_u64(4);
    let method: AnyInterleaving = "balanced".parse().unwrap();
    let error = by_id::interleave(&method, [&[1, 2, 1], &[3]], 2, &mut generator).unwrap_err();
    assert_eq!(error, IdError::Duplicate { list: 0, first: 0, second: 2 });
    assert_eq!(Lists::ranked(&[[1]]).unwrap().interleave(&method, 1, &mut generator).unwrap_err(), IdError::NotTwo(1));
    let error = Lists::scored(&[vec![(1, 0.5)], vec![(1, f64::NAN)]]).unwrap_err();
    assert_eq!(error, IdError::Score { list: 1, position: 0 });
    let many: Vec<u32> = (0..70_000).collect();
    assert_eq!(Lists::ranked(&[many]).unwrap_err(), IdError::TooMany(70_000));
    for error in [IdError::NotTwo(3), IdError::TooMany(70_000), IdError::NotShown(1)] {
        assert!(!error.to_string().contains('\n'));
    }
}
