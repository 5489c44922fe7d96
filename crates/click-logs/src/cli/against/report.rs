//! The report on past experiments, as text and as JSON.

use anyhow::Result;
use output::numbers::complement;
use ranktypes::text::with_unit;
use serde_json::{Value, json};
use statistics::Counts;
use statistics::fixed_sample::{Line, exact_interval};
use verdicts::decide::{percent_of_confidence, range};

use super::PredictedResult;
use super::past_experiments::PastExperiments;
use crate::verdict::SYNTHETIC;

/// A number with three digits that count.
pub(super) fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounding may add a digit in front: 9.999 is 10.0.
    let rounded = format!("{value:.2e}");
    match rounded.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()) {
        Some(exponent @ -4..=5) => format!("{value:.*}", usize::try_from(2 - exponent).unwrap_or(0)),
        _ => rounded,
    }
}

/// An interval of such numbers.
fn interval_text((low, high): (f64, f64)) -> String {
    format!("{} to {}", digits(low), digits(high))
}

/// A probability, never rounded to certainty.
fn chance(probability: f64) -> String {
    match 100.0 * probability {
        percent if percent < 0.1 => "under 0.1%".to_owned(),
        percent if percent > 99.9 => "over 99.9%".to_owned(),
        percent => format!("{percent:.1}%"),
    }
}

/// `8 of 10 past experiments agree in sign (95% interval 44.3% to 97.5%).`
fn agreement_sentence(counts: Counts, what: &str, alpha: f64) -> Result<String> {
    let decided = counts.decided();
    let verb = if counts.wins == 1 { "agrees" } else { "agree" };
    if decided == 0 {
        return Ok(format!("No {what} has two signs that could agree."));
    }
    let interval = range(exact_interval(counts, alpha)?);
    let level = percent_of_confidence(1.0 - alpha);
    Ok(format!("{} of {} {verb} in sign ({level} interval {interval}).", counts.wins, with_unit(decided, what)))
}

/// The report in words: the meaning, the numbers, and advice.
pub(super) fn report_text(past: &PastExperiments, prediction: Option<&PredictedResult>, alpha: f64) -> Result<String> {
    let level = percent_of_confidence(1.0 - alpha);
    let mut text = String::new();
    let mut say = |sentence: &str| {
        text.push_str(sentence);
        text.push('\n');
    };
    for warning in prediction.iter().flat_map(|prediction| &prediction.warnings) {
        say(&format!("{warning}\n"));
    }
    let counts = past.agreement;
    say(&agreement_sentence(counts, "past experiment", alpha)?);
    say(&explain_agreement(counts, alpha)?);
    if counts.ties > 0 {
        let have = if counts.ties == 1 { "has" } else { "have" };
        say(&format!("{} more {have} a result of 0 and {have} no sign to agree with.", counts.ties));
    }
    match past.significant {
        Some(Counts { wins: 0, losses: 0, ties: 0 }) => say("No A/B result is significant at 5%."),
        Some(counts) => say(&format!(
            "Where the A/B result is significant at 5%: {}",
            agreement_sentence(counts, "experiment", alpha)?
        )),
        None => {}
    }
    say("");
    match past.correlation {
        None => say("All A/B results are equal: they have no correlation with those of interleaving."),
        Some(correlation) => match correlation.interval(alpha)? {
            Some(interval) => {
                say(&format!(
                    "Correlation {} ({level} interval {}).",
                    digits(correlation.pearson),
                    interval_text(interval)
                ));
            }
            None => {
                say(&format!("Correlation {}; three experiments have no interval for it.", digits(correlation.pearson)))
            }
        },
    }
    let line = past.line;
    let sign = if line.slope < 0.0 { '-' } else { '+' };
    let weighted = if past.is_weighted { "weighted by the accuracy of the A/B tests" } else { "all weighted alike" };
    say(&format!(
        "Line: ab = {} {sign} {} * interleaving, {weighted}.",
        digits(line.intercept),
        digits(line.slope.abs())
    ));
    say(&format!(
        "Standard errors {} and {}; A/B results are around the line with a standard deviation of {}.",
        digits(line.intercept_error),
        digits(line.slope_error),
        digits(line.residual_deviation)
    ));
    let [_, slope] = line.intervals(alpha)?;
    let tendency = match Tendency::from_slope(&line, alpha)? {
        Tendency::Agrees => "Where interleaving shows more, so do A/B tests, beyond chance",
        Tendency::Contradicts => "Where interleaving shows more, A/B tests show less, beyond chance",
        Tendency::Open => "By the line alone, results may have nothing to do with each other",
    };
    say(&format!("{tendency} ({level} interval of the slope {}).", interval_text(slope)));
    if let Some(prediction) = prediction {
        say("");
        say(&format!("{}.", prediction.description));
        say(&format!(
            "By the line, an A/B test as accurate as past ones would show {} ({level} interval {}).",
            digits(prediction.prediction.mean),
            interval_text(prediction.prediction.interval(alpha)?)
        ));
        if let Some(probability) = prediction.sign_differs {
            say(&format!("The probability that it would have the other sign is {}.", chance(probability)));
        }
        let (least, most) = past.reach;
        if prediction.result.value < least || prediction.result.value > most {
            say(&format!(
                "No past result was that far out ({}): the line is a guess there.",
                interval_text(past.reach)
            ));
        }
    }
    say("");
    say(&format!("What now: {}", advice(Tendency::from_past(past, alpha)?, prediction, alpha)));
    if prediction.is_some_and(|prediction| prediction.is_synthetic) {
        say(SYNTHETIC);
    }
    Ok(text)
}

/// The tendency that the numbers show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tendency {
    /// Interleaving and A/B tests agree more than by chance.
    Agrees,
    /// They contradict each other more than by chance.
    Contradicts,
    /// Either may be chance.
    Open,
}

impl Tendency {
    /// The tendency of an interval, by whether it excludes the value by chance.
    fn from_interval((low, high): (f64, f64), by_chance: f64) -> Self {
        match () {
            () if low >= by_chance && high > by_chance => Self::Agrees,
            () if high <= by_chance && low < by_chance => Self::Contradicts,
            () => Self::Open,
        }
    }

    /// The tendency of signs.
    fn from_signs(counts: Counts, alpha: f64) -> Result<Self> {
        if counts.decided() == 0 {
            return Ok(Self::Open);
        }
        Ok(Self::from_interval(exact_interval(counts, alpha)?, 0.5))
    }

    /// The tendency of the slope of a line.
    fn from_slope(line: &Line, alpha: f64) -> Result<Self> {
        let [_, slope] = line.intervals(alpha)?;
        Ok(Self::from_interval(slope, 0.0))
    }

    /// The tendency of both.
    fn from_past(past: &PastExperiments, alpha: f64) -> Result<Self> {
        Ok(match [Self::from_signs(past.agreement, alpha)?, Self::from_slope(&past.line, alpha)?] {
            [Self::Contradicts, _] | [_, Self::Contradicts] => Self::Contradicts,
            [Self::Agrees, _] | [_, Self::Agrees] => Self::Agrees,
            [Self::Open, Self::Open] => Self::Open,
        })
    }
}

/// Explains the share of signs that agree.
fn explain_agreement(counts: Counts, alpha: f64) -> Result<String> {
    Ok(match Tendency::from_signs(counts, alpha)? {
        Tendency::Agrees => "Interleaving agrees with A/B tests more often than a coin would.".to_owned(),
        Tendency::Contradicts => "Interleaving contradicts A/B tests more often than a coin would.".to_owned(),
        Tendency::Open => {
            // With fewer, the interval contains one half even if all agree.
            let all_agree = |n: &u64| {
                Tendency::from_signs(Counts::new(*n, 0, 0), alpha).is_ok_and(|tendency| tendency == Tendency::Agrees)
            };
            match (counts.decided()..counts.decided() + 1000).find(all_agree) {
                Some(enough) if enough > counts.decided() => format!(
                    "That is too few to say much: with fewer than {enough}, signs that all agree may be the toss of a coin."
                ),
                _ => "By signs alone, that may still be the toss of a coin.".to_owned(),
            }
        }
    })
}

/// Advice to the user.
fn advice(tendency: Tendency, prediction: Option<&PredictedResult>, alpha: f64) -> String {
    if let Some(repair) = prediction.and_then(|prediction| prediction.repair.clone()) {
        return repair;
    }
    if tendency == Tendency::Contradicts {
        return "Check the signs in the table: in both columns, positive means that the new ranker is better. If they are right, do \
                not decide by interleaving alone."
            .to_owned();
    }
    let Some(prediction) = prediction else {
        return match tendency {
            Tendency::Agrees => {
                "Name FOLDER, or a result with --result, to see how likely its A/B test is to have the other sign."
            }
            _ => "Run A/B tests beside interleaving for now, and add each of them to the table.",
        }
        .to_owned();
    };
    match prediction.sign_differs {
        None => "Run the A/B test: a result of 0 says nothing about its sign.",
        Some(probability) if probability >= 0.5 => {
            "Run the A/B test: by past experiments, the other sign is at least as likely as the same."
        }
        Some(probability) if probability > alpha => {
            "Run the A/B test before you decide: by past experiments, it may well have the other sign."
        }
        Some(_) => "Rely on interleaving for which ranker is better; an A/B test is needed only for how much.",
    }
    .to_owned()
}

/// The contents of against.json.
pub(super) fn report_json(past: &PastExperiments, prediction: Option<&PredictedResult>, alpha: f64) -> Result<Value> {
    let agreement = |counts: Counts| -> Result<Value> {
        let interval = if counts.decided() > 0 { Some(exact_interval(counts, alpha)?) } else { None };
        let Counts { wins, losses, ties } = counts;
        Ok(json!({"agree": wins, "disagree": losses, "zero": ties, "share": counts.share(), "interval": interval}))
    };
    let correlation = past
        .correlation
        .map(|found| -> Result<Value> { Ok(json!({"pearson": found.pearson, "interval": found.interval(alpha)?})) });
    let line = past.line;
    let [intercept, slope] = line.intervals(alpha)?;
    let prediction_record = prediction.map(|prediction| -> Result<Value> {
        let (smallest, largest) = past.reach;
        Ok(json!({
            "interleaving": prediction.result.value,
            "interleaving_error": prediction.result.error,
            "new_ranker": prediction.ranker,
            "expected_ab": prediction.prediction.mean,
            "expected_ab_error": prediction.prediction.standard_error,
            "interval": prediction.prediction.interval(alpha)?,
            "sign_differs": prediction.sign_differs,
            "beyond_past_results": !(smallest..=largest).contains(&prediction.result.value),
            "warnings": prediction.warnings,
            "trusted": prediction.repair.is_none(),
            "synthetic": prediction.is_synthetic,
        }))
    });
    Ok(json!({
        "experiments": past.agreement.total(),
        "confidence": complement(alpha),
        "agreement": agreement(past.agreement)?,
        "agreement_where_ab_is_significant": past.significant.map(agreement).transpose()?,
        "correlation": correlation.transpose()?,
        "line": {
            "intercept": line.intercept,
            "intercept_error": line.intercept_error,
            "intercept_interval": intercept,
            "slope": line.slope,
            "slope_error": line.slope_error,
            "slope_interval": slope,
            "residual_deviation": line.residual_deviation,
            "freedom": line.freedom,
            "weighted": past.is_weighted,
        },
        "new": prediction_record.transpose()?,
        "advice": advice(Tendency::from_past(past, alpha)?, prediction, alpha),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (value, text) in [
            (0.0, "0"),
            (9.999, "10.0"),
            (0.99999, "1.00"),
            (-0.01234, "-0.0123"),
            (1234.5, "1234"),
            (1e-7, "1.00e-7"),
            (2.5e9, "2.50e9"),
        ] {
            assert_eq!(digits(value), text);
        }
        assert_eq!([0.0, 0.5, 1.0].map(chance), ["under 0.1%", "50.0%", "over 99.9%"]);
    }
}
