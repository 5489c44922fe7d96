//! Verdicts as words.

use board::Answer;

/// The word for a verdict: `first`, `second`, `tie` or `both bad`. `None` for scores and corrected points, which judges do not give.
#[must_use]
pub fn verdict_word(verdict: Answer) -> Option<&'static str> {
    match verdict {
        Answer::First => Some("first"),
        Answer::Second => Some("second"),
        Answer::Tie => Some("tie"),
        Answer::BothBad => Some("both bad"),
        Answer::Score(_) | Answer::Corrected { .. } => None,
    }
}

/// The verdict of a word: `first`, `second`, `tie`, `both bad` (also `both-bad`).
#[must_use]
pub fn verdict_from_word(word: &str) -> Option<Answer> {
    match word {
        "first" => Some(Answer::First),
        "second" => Some(Answer::Second),
        "tie" => Some(Answer::Tie),
        "both bad" | "both-bad" => Some(Answer::BothBad),
        _ => None,
    }
}
