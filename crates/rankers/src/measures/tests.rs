use super::*;

#[test]
fn measures_are_written_as_they_are_read() {
    for (text, written) in [
        ("ndcg@10", "nDCG@10"),
        ("nDCG", "nDCG"),
        ("nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@5"),
        ("NDCG(dcg=log2)", "nDCG"),
        ("map", "AP"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("MRR@10", "RR@10"),
        (" p( rel = 2 , cutoff = 5 ) ", "P(rel=2)@5"),
        ("recall@100", "R@100"),
        ("RBP", "RBP(p=0.8)"),
        ("rbp(p=0.95,rel=1)@20", "RBP(rel=1,p=0.95)@20"),
    ] {
        let measure: Measure = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(measure.to_string(), written, "{text}");
        assert_eq!(written.parse(), Ok(measure));
    }
}

#[test]
fn refusals_say_what_is_expected() {
    for (text, expected) in [
        ("", "measure ``: it is not known; expected nDCG, AP, RR, P, R or RBP"),
        ("ndgc@10", "measure `ndgc@10`: it is not known; did you mean `ndcg`?"),
        ("P", "measure `P`: it needs a cutoff, e.g. P@10"),
        (
            "ERR@20",
            "measure `ERR@20`: it is another measure, which is not computed here; expected nDCG, AP, RR, P, R or RBP",
        ),
        ("Bpref", "it is another measure"),
        ("DCG@10", "it is another measure"),
        ("ndgc@10", "it is not known; did you mean `ndcg`?"),
        ("mmr", "it is not known; did you mean"),
        ("R(rel=2)", "measure `R(rel=2)`: it needs a cutoff, e.g. R@10"),
        ("nDCG@0", "measure `nDCG@0`: expected a cutoff of 1 or more after @"),
        ("nDCG@x", "measure `nDCG@x`: expected a cutoff of 1 or more after @"),
        ("nDCG(rel=1)@5", "`rel` is not a parameter of nDCG, expected dcg or cutoff"),
        ("AP(p=0.5)", "`p` is not a parameter of AP, expected rel or cutoff"),
        ("RBP(p=1)", "p: expected a probability between 0 and 1, found `1`"),
        ("AP(rel=0)", "rel: expected the lowest relevant label, 1 or more, found `0`"),
        ("nDCG(dcg='log3')", "dcg: expected 'log2'"),
        ("AP(rel=1", "expected `)` after `(`"),
        ("P(cutoff=5)@5", "cutoff is given twice"),
    ] {
        let error = text.parse::<Measure>().unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
    }
    for (text, kind) in [
        ("ndgc@10", MeasureErrorKind::UnknownMeasure),
        ("P", MeasureErrorKind::Cutoff),
        ("nDCG@0", MeasureErrorKind::Cutoff),
        ("AP(rel=0)", MeasureErrorKind::Parameter),
        ("AP(rel=1", MeasureErrorKind::Parameter),
    ] {
        assert_eq!(text.parse::<Measure>().unwrap_err().kind(), kind, "{text}");
    }
    let error = Measure::parse_list("AP,RBP(p=0.5,rel=1),map").unwrap_err();
    assert_eq!(error.kind(), MeasureErrorKind::Duplicate);
    assert_eq!(error.to_string(), "measure `AP`: is given twice; give it once");
    assert!(Measure::parse_list("AP,").is_err());
}
