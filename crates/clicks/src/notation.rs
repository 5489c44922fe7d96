//! Lerot's notation: `grade:probability` pairs, separated by commas.

use crate::error::{ClickError, ClickErrorKind};

/// The probabilities in `text` by grade; `what` they are of is named in refusals.
pub(crate) fn parse(what: &str, text: &str) -> Result<Vec<f64>, ClickError> {
    let fail = |kind, reason: String| {
        let text = text.trim();
        let message = format!("{what} probabilities {text:?}: {reason}; expected pairs like `0:0.0,1:0.5,2:1.0`");
        Err(ClickError::new(kind, message))
    };
    let mut pairs = Vec::new();
    for pair in text.split(',') {
        let Some((grade, probability)) = pair.split_once(':') else {
            return fail(ClickErrorKind::Notation, format!("{:?} is not a pair", pair.trim()));
        };
        let Ok(grade) = grade.trim().parse::<u16>() else {
            let reason = format!("{:?} is not a grade (a whole number from 0 to 65,535)", grade.trim());
            return fail(ClickErrorKind::Notation, reason);
        };
        match probability.trim().parse::<f64>() {
            Ok(probability) if (0.0..=1.0).contains(&probability) => pairs.push((grade, probability)),
            _ => {
                let reason = format!("{:?} is not a probability from 0 to 1", probability.trim());
                return fail(ClickErrorKind::Probability, reason);
            }
        }
    }
    pairs.sort_by_key(|&(grade, _)| grade);
    for (expected, &(grade, _)) in pairs.iter().enumerate() {
        if usize::from(grade) < expected {
            return fail(ClickErrorKind::Notation, format!("grade {grade} is given twice"));
        }
        if usize::from(grade) > expected {
            return fail(ClickErrorKind::Notation, format!("grade {expected} is missing"));
        }
    }
    Ok(pairs.into_iter().map(|(_, probability)| probability).collect())
}

/// A probability of 0 for each grade of `click`.
pub(crate) fn zero_probabilities(click: &str) -> String {
    let pairs = click.split(',').map(|pair| format!("{}:0", pair.split(':').next().unwrap_or_default()));
    pairs.collect::<Vec<_>>().join(",")
}
