//! The lead of the headline's ranker: clicks beside the win rate.

use verdicts::decide::{Decision, DifferenceText, PairDecision};

/// The additional clicks of the ranker that is ahead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effect {
    /// The ranker that is ahead.
    pub ahead: String,
    /// The other.
    pub behind: String,
    /// The counts, with the amounts of both.
    pub rows: Vec<EffectRow>,
}

/// Something that is counted per impression, as texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectRow {
    /// Its name, e.g. `clicks per impression`.
    pub what: String,
    /// The amount of the ranker that is ahead.
    pub ahead: String,
    /// The amount of the other.
    pub behind: String,
    /// The difference, e.g. `0.04 more`.
    pub more: String,
    /// Its confidence sequence, or why there is none yet.
    pub interval: String,
}

/// The effect for a pair; `is_first` if the first ranker is ahead. `None` if it is not known, or the pair claims
/// nothing.
pub(crate) fn effect(decision: &Decision, pair: &PairDecision, is_first: bool) -> Option<Effect> {
    let effect = pair.effect.filter(|_| pair.last.is_claimed)?;
    let [first, second] = [pair.last.pair.0, pair.last.pair.1].map(|ranker| decision.rankers[ranker].clone());
    let (ahead, behind) = if is_first { (first, second) } else { (second, first) };
    let row = |(what, text): (&str, DifferenceText)| {
        let DifferenceText { ahead, behind, difference, interval } = text;
        EffectRow { what: what.to_owned(), ahead, behind, more: difference, interval }
    };
    let names = ["Clicks per impression", "Impressions with a click"];
    Some(Effect { ahead, behind, rows: names.into_iter().zip(effect.texts(is_first)).map(row).collect() })
}
