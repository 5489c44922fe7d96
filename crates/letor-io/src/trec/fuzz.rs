//! Properties of a run of any bytes.

use std::io::Write as _;
use std::path::PathBuf;

use super::join::{JudgedDocuments, join};
use super::lists::Lists;
use super::options::{TrecTies, UnjudgedRule};
use super::qrels::Qrels;
use super::run::Run;
use crate::dataset::{Dataset, FeatureId};
use crate::names::Names;

/// Reads `bytes` as qrels and as a run.
///
/// # Panics
///
/// If reading panics, if the order of lines changes the data set of a run, or if a list has not the documents of the run.
pub(crate) fn check(bytes: &[u8]) {
    let paths = [PathBuf::from("qrels")];
    let _ = Qrels::parse(&[bytes.to_vec()], &paths, 4.0);
    let Ok(run) = Run::parse(bytes) else { return };
    // Every other document is judged.
    let mut judgments = Vec::new();
    for query in &run.queries {
        for (number, line) in query.documents.iter().enumerate().step_by(2) {
            write!(judgments, "{} 0 ", query.id).expect("memory can be written");
            judgments.extend_from_slice(line.document.bytes);
            writeln!(judgments, " {}", number % 5).expect("memory can be written");
        }
    }
    let judgments = [judgments];
    let qrels = Qrels::parse(&judgments, &paths, 4.0).expect("written judgments are readable");
    let judged = JudgedDocuments { qrels, gold: None };
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    lines.reverse();
    let reversed = lines.join(&b'\n');
    let turned = Run::parse(&reversed).expect("the order of lines does not matter");
    for (ties, unjudged) in [(TrecTies::Docno, UnjudgedRule::Zero), (TrecTies::Keep, UnjudgedRule::Remove)] {
        let of = |run: &Run<'_>| -> Dataset {
            let mut lists = Lists::new(ties);
            lists.add(run);
            let names = Names::new(["run"]).expect("a name");
            let files = (vec!["run".into(), "qrels".into()], Vec::new());
            join(&lists, names, &judged, files, "fuzz", unjudged).expect("queries in common")
        };
        let dataset = of(&run);
        assert!(dataset == of(&turned), "the order of lines changed the data set");
        for query in dataset.iter() {
            let list = run.queries.iter().find(|list| list.id == query.id()).expect("a query of the run");
            let expected = match unjudged {
                UnjudgedRule::Zero => list.documents.len(),
                UnjudgedRule::Remove => list.documents.len().div_ceil(2),
            };
            assert_eq!((query.documents(), query.retrieved(FeatureId(1))), (expected, expected));
        }
    }
}
