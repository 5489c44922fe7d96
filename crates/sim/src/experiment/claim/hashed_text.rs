//! The text of a test that fingerprints hash. Its words are those of published results: renaming a variant or a field must not change it.

use std::fmt;

use super::{PaperCrossing, Test};

impl fmt::Debug for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extreme { curve, against, highest } => {
                let mut text = f.debug_struct("Extreme");
                text.field("of", curve).field("against", against).field("highest", highest).finish()
            }
            Self::Ratio(pair, between) => f.debug_tuple("Ratio").field(pair).field(between).finish(),
            Self::Value(curve, between) => f.debug_tuple("Value").field(curve).field(between).finish(),
            Self::Each { curve, values, tolerance } => {
                let mut text = f.debug_struct("Each");
                text.field("of", curve).field("values", values).field("within", tolerance).finish()
            }
            Self::Reaches { curve, level, rival, deadline } => {
                let mut text = f.debug_struct("Reaches");
                text.field("who", curve).field("level", level).field("sooner", rival).field("by", deadline).finish()
            }
            Self::NearBest(curve, factor) => f.debug_tuple("NearBest").field(curve).field(factor).finish(),
            Self::Flat(curve, factor) => f.debug_tuple("Flat").field(curve).field(factor).finish(),
            Self::Grows(pair) => f.debug_tuple("Grows").field(pair).finish(),
            Self::Trend { curve, rises, factor } => {
                f.debug_struct("Trend").field("of", curve).field("rises", rises).field("factor", factor).finish()
            }
            Self::Slower(pair) => f.debug_tuple("Slower").field(pair).finish(),
            Self::Linear(curve, runs) => f.debug_tuple("Linear").field(curve).field(runs).finish(),
            Self::BestWorseThanMean(pair) => f.debug_tuple("BestWorseThanMean").field(pair).finish(),
            Self::Crossing { pair, paper, tolerance } => {
                let mut text = f.debug_struct("Crossing");
                text.field("pair", pair).field("paper", paper).field("within", tolerance).finish()
            }
            Self::BelowBound(curve, bound) => f.debug_tuple("BelowBound").field(curve).field(bound).finish(),
        }
    }
}

impl fmt::Debug for PaperCrossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("PaperCrossing");
        text.field("before", &self.shares_before).field("shares", &self.shares_at_crossing);
        text.field("after", &self.shares_after).field("excess", &self.excess).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_published_results() {
        let curve = || "a".to_owned();
        let extreme = Test::Extreme { curve: curve(), against: vec![], highest: true };
        assert_eq!(format!("{extreme:?}"), r#"Extreme { of: "a", against: [], highest: true }"#);
        let each = Test::Each { curve: curve(), values: vec![1.0], tolerance: 0.5 };
        assert_eq!(format!("{each:?}"), r#"Each { of: "a", values: [1.0], within: 0.5 }"#);
        let reaches = Test::Reaches { curve: curve(), level: 0.9, rival: None, deadline: 80.0 };
        assert_eq!(format!("{reaches:?}"), r#"Reaches { who: "a", level: 0.9, sooner: None, by: 80.0 }"#);
        let crossing = Test::Crossing {
            pair: [curve(), "b".to_owned()],
            paper: PaperCrossing { shares_before: Some([0.5, 0.6]), excess: Some(0.1), ..PaperCrossing::default() },
            tolerance: 0.1,
        };
        let expected = "Crossing { pair: [\"a\", \"b\"], paper: PaperCrossing { before: Some([0.5, 0.6]), shares: None, after: None, \
                        excess: Some(0.1) }, within: 0.1 }";
        assert_eq!(format!("{crossing:?}"), expected);
        assert_eq!(format!("{:?}", Test::Linear(curve(), 2)), r#"Linear("a", 2)"#);
    }
}
