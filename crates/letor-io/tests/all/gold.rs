//! Labels of people beside those of a model.

use std::fs;

use letor_io::trec::{TrecOptions, UnjudgedRule, open, open_with_gold};
use letor_io::{Dataset, Error, GoldQuery};

const RUN: &str = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n2 Q0 a 1 1 r\n";
const MODEL: &str = "1 0 a 2\n1 0 b 0\n1 0 far 1\n1 0 off 3\n2 0 a 1\n3 0 x 0\n3 0 y 1\n";

fn with_gold(gold: &str, unjudged: UnjudgedRule) -> Result<Dataset, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        [path.to_str().unwrap().to_owned()]
    };
    let (runs, model, gold) = (path("r.run", RUN), path("model", MODEL), path("people", gold));
    let options = TrecOptions { unjudged, ..TrecOptions::default() };
    let plain = open(&runs, &model, &options).unwrap();
    assert_eq!(plain.runs().unwrap().gold(), None);
    let dataset = open_with_gold(&runs, &model, &gold, &options)?;
    assert!(plain.checksum() != dataset.checksum() && plain != dataset, "people's labels are content");
    Ok(dataset)
}

#[test]
fn people_label_documents_that_the_model_judged() {
    // c and far away: one that the model did not judge, one that no run retrieved; a query without retrieved documents; one unknown.
    let people = "1 0 a 1\n1 0 c 3\n1 0 off 2\n3 0 y 4\n9 0 q 1\n";
    let dataset = with_gold(people, UnjudgedRule::Zero).unwrap();
    assert_eq!((dataset.query(0).labels(), dataset.max_label()), (&[2.0, 0.0, 0.0][..], 4.0));
    let gold = dataset.runs().unwrap().gold().unwrap();
    let first = GoldQuery {
        is_judged: vec![true, true, false],
        labels: vec![Some(1.0), None, None],
        unretrieved: vec![(1.0, None), (3.0, Some(2.0))],
    };
    assert_eq!(gold.query(0), &first);
    assert_eq!((first.population(), first.labelled(), first.is_whole()), (4, 2, false));
    assert_eq!((gold.query(1).population(), gold.query(1).labelled()), (1, 0));
    assert_eq!(gold.without_documents()[0].unretrieved, [(0.0, None), (1.0, Some(4.0))]);
    assert_eq!((gold.labels_outside(), gold.first_outside()), (2, Some(("1", "c"))));
    let removed = with_gold(people, UnjudgedRule::Remove).unwrap();
    assert_eq!(removed.runs().unwrap().gold().unwrap().query(0).is_judged, [true, true]);
    let whole = with_gold("2 0 a 1\n", UnjudgedRule::Zero).unwrap();
    assert!(whole.runs().unwrap().gold().unwrap().query(1).is_whole());
}

#[test]
fn labels_of_nothing_that_the_model_judged_are_refused() {
    let error = with_gold("1 0 c 3\n9 0 q 1\n", UnjudgedRule::Zero).unwrap_err().to_string();
    assert!(error.contains("people: the model judged none of these documents"), "{error}");
    let error = with_gold("1 0 a x\n", UnjudgedRule::Zero).unwrap_err().to_string();
    assert!(error.contains("people:1") && error.contains("label"), "{error}");
}
