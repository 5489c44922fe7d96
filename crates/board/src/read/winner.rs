//! Interprets a cell of the column `winner`.
//!
//! It may be the name of a competitor, a side of the screen, a tie, or a share of the point. Ties and sides are known by their
//! words in English, German, French, Spanish, Italian and Dutch. A cell with two different readings is refused: a wrong one
//! would go unnoticed.

use std::collections::BTreeSet;

use super::error::{decimal_comma, quoted};
use crate::Answer;

/// The meaning of the column of winners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WinnerIs {
    /// As its values say; refused where they can be read in two ways.
    #[default]
    Auto,
    /// The name of the competitor that won.
    Name,
    /// The side that won: `first` or `second`, `left` or `right`, `a` or `b`, `model_a` or `model_b`, `x` or `y`.
    Side,
    /// The share of the point that goes to the first, from 0 to 1.
    Score,
    /// The number of the side that won: 0 or 1.
    Index,
}

impl WinnerIs {
    /// The ways by name.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("name", Self::Name),
        ("side", Self::Side),
        ("score", Self::Score),
        ("index", Self::Index),
    ];
}

/// A value in the column of winners, and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct WinnerValue {
    /// The value as it stands in the column; without regard to case, where no other is written exactly so.
    pub cell: String,
    /// The answer; `None` where nothing was judged.
    pub answer: Option<Answer>,
}

/// The one of `values` that a cell has.
pub(super) fn declared<'a>(values: &'a [WinnerValue], cell: &str) -> Option<&'a WinnerValue> {
    let exactly = values.iter().find(|value| value.cell == cell);
    exactly.or_else(|| values.iter().find(|value| super::headers::plain(&value.cell) == super::headers::plain(cell)))
}

/// Other words for sides, if the column is declared to hold them.
const FIRST_WORDS: [&str; 12] = [
    "a",
    "model_a",
    "x",
    "model_1",
    "option_a",
    "answer_a",
    "response_a", // English
    "links",
    "antwort_a",
    "gauche",
    "izquierda",
    "sinistra",
];
const SECOND_WORDS: [&str; 12] = [
    "b",
    "model_b",
    "y",
    "model_2",
    "option_b",
    "answer_b",
    "response_b", // English
    "rechts",
    "antwort_b",
    "droite",
    "derecha",
    "destra",
];
const TIE_WORDS: [&str; 27] = [
    "tie",
    "draw",
    "equal",
    "same",
    "tied",
    "both",
    "both_good", // English
    "unentschieden",
    "gleich",
    "gleich_gut",
    "gleichstand",
    "remis",
    "beide",
    "beide_gut", // German
    "égalité",
    "egalite",
    "match_nul",
    "les_deux", // French
    "empate",
    "igual",
    "ambos", // Spanish, Portuguese
    "pareggio",
    "pari",
    "entrambi", // Italian
    "gelijk",
    "gelijkspel",
    "allebei", // Dutch
];
const BOTH_BAD_WORDS: [&str; 14] = [
    "both_bad",
    "bothbad",
    "tie_(bothbad)",
    "tie_(both_bad)",
    "tie_bothbad",
    "both_are_bad",
    "neither", // English
    "beide_schlecht",
    "keine",
    "keiner",
    "aucun",
    "ninguno",
    "nessuno",
    "geen",
];

/// Words of a judge who gave no judgement.
const SKIP_WORDS: [&str; 10] = [
    "skip",
    "skipped",
    "abstain",
    "abstained",
    "pass",
    "passed",
    "not_judged",
    "no_answer", // English
    "übersprungen",
    "enthaltung",
];
/// Texts that programs write for a missing value.
const MISSING_WORDS: [&str; 4] = ["nan", "na", "n/a", "null"];

/// Whether a cell has no value; a competitor's name is a value.
pub(super) fn is_missing(cell: &str, [first, second]: [&str; 2]) -> bool {
    cell.is_empty() || MISSING_WORDS.contains(&super::headers::plain(cell).as_str()) && cell != first && cell != second
}

/// Whether a cell means that the pair was shown and not judged; a competitor's name does not.
pub(super) fn is_skipped(cell: &str, [first, second]: [&str; 2]) -> bool {
    SKIP_WORDS.contains(&super::headers::plain(cell).as_str()) && cell != first && cell != second
}

/// Whether all `winners` are words for sides, ties, or no judgement, and no competitor is called by one of these words for a side.
pub(super) fn are_sides<'a>(
    winners: impl Iterator<Item = &'a str>,
    mut competitors: impl Iterator<Item = &'a str>,
) -> bool {
    let other_words: [&[&str]; 5] = [&[""], &MISSING_WORDS, &TIE_WORDS, &BOTH_BAD_WORDS, &SKIP_WORDS];
    let winner_words: BTreeSet<String> = winners
        .map(super::headers::plain)
        .filter(|said| !other_words.iter().any(|list| list.contains(&said.as_str())))
        .collect();
    winner_words.iter().all(|said| FIRST_WORDS.contains(&said.as_str()) || SECOND_WORDS.contains(&said.as_str()))
        && !competitors.any(|name| winner_words.contains(&super::headers::plain(name)))
}

/// Properties of the values of a whole column.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    /// The words for the two sides in addition to those of all tables: the headers of the competitors, and the letter at
    /// their ends. Elsewhere `a` may be anything.
    pub(super) sides: [Vec<String>; 2],
    /// All winners are words for sides, such as `A` and `B`, or ties, and no competitor is called so.
    pub(super) are_sides: bool,
    /// Some number is strictly between 0 and 1.
    pub(super) has_fractions: bool,
    /// The column is called `score`.
    pub(super) called_score: bool,
}

/// The answer in a cell on a duel of `first` and `second`.
///
/// # Errors
/// The value found and the values expected.
pub(super) fn read(
    cell: &str,
    [first, second]: [&str; 2],
    winner_is: WinnerIs,
    values: &Values,
) -> Result<Answer, String> {
    let normalized = super::headers::plain(cell);
    let word = normalized.as_str();
    if TIE_WORDS.contains(&word) && ![first, second].contains(&cell) {
        return Ok(Answer::Tie);
    }
    if BOTH_BAD_WORDS.contains(&word) && ![first, second].contains(&cell) {
        return Ok(Answer::BothBad);
    }
    let name = match (cell == first, cell == second) {
        (true, _) => Some(Answer::First),
        (_, true) => Some(Answer::Second),
        _ => None,
    };
    let is_side_expected = winner_is == WinnerIs::Side || winner_is == WinnerIs::Auto && values.are_sides;
    let is_side = |place: usize, always: [&str; 2], words: &[&str]| {
        always.contains(&word)
            || values.sides[place].iter().any(|side| *side == word)
            || is_side_expected && words.contains(&word)
    };
    let side = match (is_side(0, ["first", "left"], &FIRST_WORDS), is_side(1, ["second", "right"], &SECOND_WORDS)) {
        (true, _) => Some(Answer::First),
        (_, true) => Some(Answer::Second),
        _ => None,
    };
    let number: Option<f64> = cell.parse().ok();
    let score = number.filter(|score| (0.0..=1.0).contains(score)).map(Answer::from_share);
    let expected = || {
        let advice = match decimal_comma(cell) {
            "" => "; say what other values mean with --winner-values",
            decimal_point => decimal_point,
        };
        format!(
            "found {}, expected {}, {}, `first`, `second`, `tie`, `both bad`, or a score from 0 to 1{advice}",
            quoted(cell),
            quoted(first),
            quoted(second)
        )
    };
    match winner_is {
        WinnerIs::Name => name.ok_or_else(|| {
            format!("found {}, expected {}, {}, `tie` or `both bad`", quoted(cell), quoted(first), quoted(second))
        }),
        WinnerIs::Side => side.ok_or_else(|| {
            format!(
                "found {}, expected a side (`first` or `second`, `left` or `right`, `a` or `b`), `tie` or `both bad`",
                quoted(cell)
            )
        }),
        WinnerIs::Score => {
            score.ok_or_else(|| format!("found {}, expected a score from 0 to 1{}", quoted(cell), decimal_comma(cell)))
        }
        WinnerIs::Index => match cell {
            "0" => Ok(Answer::First),
            "1" => Ok(Answer::Second),
            _ => Err(format!("found {}, expected 0 (the first won) or 1 (the second)", quoted(cell))),
        },
        WinnerIs::Auto => {
            let readings: Vec<Answer> = [name, side, score].into_iter().flatten().collect();
            match readings[..] {
                [] => Err(expected()),
                [one, ref others @ ..] if others.iter().all(|other| *other == one) => {
                    if name.is_none() && side.is_none() && !values.has_fractions && !values.called_score {
                        return Err(format!(
                            "found {}, which may be a score (1: the first won) or the number of a side (0: the first won); say which with \
                             --winner-is=score or --winner-is=index, or what each value means with --winner-values",
                            quoted(cell)
                        ));
                    }
                    Ok(one)
                }
                _ => Err(format!(
                    "found {}, which is the name of a competitor, and may also be a side or a score that says otherwise; say which with --winner-is name, side or score",
                    quoted(cell)
                )),
            }
        }
    }
}
