//! Verdicts as words.

use board::Verdict;

/// The word for a verdict: `first`, `second`, `tie` or `both bad`. `None` for scores, which judges do not give.
#[must_use]
pub fn verdict_word(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::First => Some("first"),
        Verdict::Second => Some("second"),
        Verdict::Tie => Some("tie"),
        Verdict::BothBad => Some("both bad"),
        Verdict::Score(_) => None,
    }
}

/// The verdict of a word: `first`, `second`, `tie`, `both bad` (also `both-bad`).
#[must_use]
pub fn verdict_from_word(word: &str) -> Option<Verdict> {
    match word {
        "first" => Some(Verdict::First),
        "second" => Some(Verdict::Second),
        "tie" => Some(Verdict::Tie),
        "both bad" | "both-bad" => Some(Verdict::BothBad),
        _ => None,
    }
}
