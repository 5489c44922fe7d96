//! Selections of features.

use letor_io::{FeatureId, Names};
use proptest::prelude::*;
use rankers::{RankerRef, Selection};

fn numbers(text: &str, features: u32, seed: u64) -> Vec<u32> {
    let selection: Selection = text.parse().unwrap();
    assert_eq!(selection.to_string().parse::<Selection>().unwrap(), selection);
    selection.choose(features, seed).unwrap().iter().map(|id| id.0).collect()
}

#[test]
fn all_and_lists() {
    assert_eq!(numbers("all", 4, 0), [1, 2, 3, 4]);
    assert_eq!(numbers("110,5, 1", 136, 0), [110, 5, 1]);
    assert_eq!(numbers("7,", 136, 0), [7]);
}

/// The first ten features of MSLR in the alphabetical order of the papers.
#[test]
fn alphabetical_is_by_string() {
    assert_eq!(numbers("alphabetical:10", 136, 0), [1, 10, 100, 101, 102, 103, 104, 105, 106, 107]);
    assert_eq!(numbers("alphabetical:3", 9, 0), [1, 2, 3]);
}

#[test]
fn random_is_seeded_uniform_and_in_numeric_order() {
    assert_eq!(numbers("3", 10, 1), numbers("3", 10, 1));
    let mut seen = [0_u32; 10];
    let draws = 20_000;
    for seed in 0..draws {
        let chosen = numbers("3", 10, seed);
        assert!(chosen.is_sorted() && chosen.len() == 3);
        chosen.iter().for_each(|&id| seen[id as usize - 1] += 1);
    }
    let (n, p) = (draws as f64, 0.3);
    let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
    assert!(seen.iter().all(|&count| (f64::from(count) - n * p).abs() < bound), "{seen:?}");
    assert_eq!(numbers("5", 5, 3), [1, 2, 3, 4, 5]);
}

#[test]
fn value_stability() {
    assert_eq!(numbers("5", 136, 42), [45, 97, 109, 111, 134]);
}

#[test]
fn refusals() {
    let parse = |text: &str| text.parse::<Selection>().unwrap_err().to_string();
    assert!(parse("").contains("expected `all`"));
    assert!(parse("alphabetical:x").contains("\"x\" is not a number"));
    assert!(parse("1,,3").contains("\"\" is not a number"));

    let choose = |text: &str| text.parse::<Selection>().unwrap().choose(136, 0).unwrap_err().to_string();
    assert!(choose("some").contains("\"some\" is not a number; expected `all`"));
    assert!(choose("1,x").contains("rankers \"1,x\": \"x\" is not a number"));
    assert!(choose("137").contains("137 rankers are selected, but the data have 136"));
    assert!(choose("0").contains("no ranker"));
    assert!(choose("alphabetical:137").contains("136 features"));
    assert!(choose("1,0").contains("no feature 0"));
    assert!(choose("1,137").contains("no feature 137"));
    assert!(choose("5,4,5").contains("feature 5 is selected twice"));
    assert!(Selection::All.choose(0, 0).is_err());
    assert!(Selection::List(vec![FeatureId(1)]).choose(0, 0).is_err());
    assert!(Selection::List(vec![]).choose(9, 0).is_err());
}

#[test]
fn names_precede_numbers() {
    let names = Names::new(["bm25", "7", "ltr, tuned"]).unwrap();
    let resolve =
        |text: &str| text.parse::<Selection>().unwrap().resolve(Some(&names)).map_err(|error| error.to_string());
    let features = |numbers: &[u32]| Ok(Selection::List(numbers.iter().copied().map(FeatureId).collect()));
    assert_eq!(resolve("\"ltr, tuned\",bm25"), features(&[3, 1]));
    assert_eq!(resolve("bm25,3"), features(&[1, 3]));
    assert_eq!(resolve("7,1"), features(&[2, 1]), "feature 2 is called 7");
    assert_eq!(resolve("2"), Ok(Selection::Random(2)), "a single number is a count");
    assert_eq!(resolve("bm52,7").unwrap_err(), "rankers bm52,7: nothing is called `bm52`; did you mean `bm25`?");
    let list: Selection = "\"ltr, tuned\",7".parse().unwrap();
    assert_eq!(list.to_string().parse::<Selection>().unwrap(), list);
}

#[test]
fn ranges_are_of_numbers_unless_a_ranker_is_called_so() {
    let chosen = |text: &str, names: Option<&Names>| {
        let resolved = text.parse::<Selection>().unwrap().resolve(names).map_err(|error| error.to_string())?;
        let features = resolved.choose(136, 0).map_err(|error| error.to_string())?;
        Ok::<_, String>(features.into_iter().map(|feature| feature.0).collect::<Vec<_>>())
    };
    assert_eq!(chosen("1-5,9", None), Ok(vec![1, 2, 3, 4, 5, 9]));
    assert_eq!(chosen("7-8", None), Ok(vec![7, 8]));
    let names = Names::new(["bm25", "2-3", "3"]).unwrap();
    assert_eq!(chosen("2-3,bm25", Some(&names)), Ok(vec![2, 1]));
    assert_eq!(chosen("3-4", Some(&names)), Ok(vec![3, 4]), "numbers, although a ranker is called 3");
    assert_eq!(chosen("0-2", None).unwrap_err(), "there is no feature 0; the data have features 1 to 136");
    assert_eq!(chosen("1-3,2", None).unwrap_err(), "feature 2 is selected twice; select it once");
    let error = chosen("9,5-1", None).unwrap_err();
    assert_eq!(error, "rankers 9,5-1: the range `5-1` ends before it begins; write 1-5");
    let without = |text: &str| {
        let features = RankerRef::Name(text.to_owned()).resolve_all(Some(&names))?;
        Ok::<_, String>(features.into_iter().map(|feature| feature.0).collect::<Vec<_>>())
    };
    assert_eq!((without("2-3"), without("4-6")), (Ok(vec![2]), Ok(vec![4, 5, 6])));
}

proptest! {
    #[test]
    fn nothing_panics(text in "[a-z0-9:, -]{0,20}", features in 0_u32..300, seed: u64) {
        if let Ok(selection) = text.parse::<Selection>()
            && let Ok(chosen) = selection.choose(features, seed)
        {
            prop_assert!(!chosen.is_empty());
            prop_assert!(chosen.iter().all(|id| (1..=features).contains(&id.0)));
        }
    }
}
