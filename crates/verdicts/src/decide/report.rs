//! A verdict in words: the first line to decide by, the numbers below it to check it.

use ranktypes::text::{plural, with_separators, with_unit};
use statistics::Counts;
use statistics::anytime::TestState;
use times::date;

use super::{Contradiction, CountUnit, Decision, Drift, Look, PairDecision};
use crate::amounts::CAP;

/// The verdict in words. `unit` is what a unit is, e.g. `user`.
#[must_use]
pub fn report(decision: &Decision, unit: Option<&str>) -> String {
    let Some((first, last)) = decision.days else {
        return "Nothing to decide: no outcome has closed yet. Credit a longer log, or one that is complete (--final).\n".to_owned();
    };
    let unit_name = match decision.count_unit {
        CountUnit::Units | CountUnit::Conversions => unit.unwrap_or("unit"),
        CountUnit::Impressions => "impression",
    };
    let mut lines = Vec::new();
    if let Some(best) = &decision.best {
        let name = |ranker: usize| decision.rankers[ranker].as_str();
        for &found in &best.contradicted {
            lines.push(contradiction_sentence(decision, found, unit_name));
        }
        if let Some(found) = decision.drift().filter(|_| best.contradicted.is_empty()) {
            lines.push(drift_sentence(decision, found));
        }
        let count = decision.rankers.len();
        let at = level(decision.alpha);
        match best.declared {
            Some((ranker, day)) if !best.contradicted.is_empty() => lines.push(format!(
                "That {} is the best of {count} was decided on {} (level {at}). It holds for the time until then, not for now.",
                name(ranker),
                date(day),
            )),
            Some((ranker, day)) => {
                lines.push(format!("{} is the best of {count} (level {at}), since {}.", name(ranker), date(day)));
            }
            None if best.candidates.is_empty() => lines.push(format!(
                "No ranker of {count} is the best (level {at}): each is known to lose to another.",
            )),
            None => lines.push(format!(
                "No best ranker of {count} yet (level {at}). {} leads: it is known to beat {} of the other {}. {} may still be the best.",
                name(best.leader.0),
                best.leader.1,
                count - 1,
                list_names(&best.candidates.iter().map(|&ranker| name(ranker)).collect::<Vec<_>>()),
            )),
        }
        lines.push(String::new());
    }
    for pair in &decision.pairs {
        lines.extend(pair_sentences(decision, pair, unit_name));
    }
    let days =
        if first == last { format!("the day {}", date(first)) } else { format!("{} to {}", date(first), date(last)) };
    lines.push(String::new());
    let declared = decision.best.as_ref().and_then(|best| best.declared);
    let shared = match (decision.pairs.len(), declared) {
        (1, _) => String::new(),
        (_, Some((ranker, _))) => {
            let each = percent_of_confidence(1.0 - 2.0 * decision.alpha / decision.rankers.len() as f64);
            let name = &decision.rankers[ranker];
            format!(
                " for the claim that {name} is the best, by which its pairs are decided and no others; their intervals hold at {each} each"
            )
        }
        (pairs, None) => {
            format!(" for all {pairs} pairs together, to which confidence, p-values and intervals are adjusted")
        }
    };
    lines.push(format!(
        "Outcomes of {days}. Each {unit_name} counts once; level {}{shared}. Verdicts and intervals hold however often you look, and an interval \
         excludes 50% exactly if its pair is decided; intervals are for a share that stays the same.",
        level(decision.alpha),
    ));
    lines.push(match decision.count_unit {
        CountUnit::Conversions => format!("Each {unit_name} counts for the side that it has more conversions of."),
        CountUnit::Units | CountUnit::Impressions => about_effects(decision),
    });
    if decision.count_unit == CountUnit::Impressions {
        lines.push(
            "Impressions were counted as independent: where users differ in taste and see many lists, that finds differences between \
             equal rankers. Prefer --by units."
                .to_owned(),
        );
    }
    lines.join("\n") + "\n"
}

/// The definition of differences in clicks, or why there are none.
fn about_effects(decision: &Decision) -> String {
    let effects = || decision.pairs.iter().filter_map(|pair| pair.effect);
    if effects().next().is_none() {
        return "By how many clicks is not known: only lists that say who owns each document, as those of team draft do, credit clicks to \
                a side."
            .to_owned();
    }
    let cut = effects().map(|effect| effect.clicks.cut).fold(0.0, f64::max);
    let cut =
        if cut > 0.0 { format!("; up to {} of a pair's clicks are cut", percent_above(cut)) } else { String::new() };
    format!(
        "Clicks are those on the documents that mixed lists credit to each side, not what a test of one list against another would \
         show. A difference counts up to {CAP} per unit{cut}. Intervals of clicks and of impressions with a click hold at every look, \
         all together at level {}; they are asymptotic.",
        level(decision.alpha)
    )
}

/// What is known of a pair, by line. `unit_name` is what counts once, in the singular.
pub(super) fn pair_sentences(decision: &Decision, pair: &PairDecision, unit_name: &str) -> Vec<String> {
    let last = &pair.last;
    let [first, second] = [last.pair.0, last.pair.1].map(|ranker| decision.rankers[ranker].as_str());
    let Counts { wins, losses, ties } = last.counts;
    let Some(share) = last.counts.share() else {
        let all =
            if ties == 1 { format!("the only {unit_name}") } else { format!("all {}", with_unit(ties, unit_name)) };
        return vec![format!("{first} and {second}: nothing is decided; {all} tied.")];
    };
    // The numbers are those of the winner, or of the side that is ahead.
    let ahead_is_first = match (last.verdict, pair.contradicted) {
        (_, Some(found)) => (found.winner == last.pair.0) != found.other_is_ahead(),
        (TestState::FirstWins, None) => true,
        (TestState::SecondWins, None) => false,
        (TestState::Open, None) => share >= 0.5,
    };
    let (ahead, behind) = if ahead_is_first { (first, second) } else { (second, first) };
    let oriented_interval =
        |(low, high): (f64, f64)| if ahead_is_first { (low, high) } else { (1.0 - high, 1.0 - low) };
    let headline = match last.winner() {
        Some(ranker) if pair.contradicted.is_some() => format!(
            "  That {} beats {} was decided{} ({} confidence). {}",
            decision.rankers[ranker],
            if ranker == last.pair.0 { second } else { first },
            pair.since.map_or_else(String::new, |day| format!(" on {}", date(day))),
            percent_of_confidence(last.confidence()),
            if pair.contradicted.is_some_and(|found| found.other_is_ahead()) {
                "It holds for the time until then, not for now."
            } else {
                "No single share describes all this time."
            },
        ),
        Some(_) => format!(
            "{ahead} beats {behind}: {} confidence, since {}.",
            percent_of_confidence(last.confidence()),
            pair.since.map_or_else(String::new, date)
        ),
        None if !last.is_claimed && wins == losses => format!("{first} and {second}: nothing is claimed; level."),
        None if !last.is_claimed => format!("{first} and {second}: nothing is claimed; {ahead} is ahead."),
        None if wins == losses => format!("{first} and {second}: not decided; level."),
        None => format!("{first} and {second}: not decided; {ahead} is ahead ({}).", confidence_so_far(last)),
    };
    let mut lines = vec![headline];
    if let Some(found) = pair.contradicted {
        lines.insert(0, contradiction_sentence(decision, found, unit_name));
    } else if let Some(found) = pair.drift {
        lines.insert(0, drift_sentence(decision, found));
    }
    let interval = match last.interval.map(oriented_interval) {
        Some(interval) => format!(" ({})", range(interval)),
        None if last.is_claimed => " (no share fits all days)".to_owned(),
        None => String::new(),
    };
    lines.push(format!(
        "  {ahead} won {} of {} that preferred a side{interval}; {} tied.",
        percent(if ahead_is_first { share } else { 1.0 - share }),
        with_unit(wins + losses, unit_name),
        with_unit(ties, unit_name),
    ));
    if let Some(single) = pair.single_look
        && let Some(interval) = single.interval
    {
        // Made in another way, so by another rule of rounding: to the nearest.
        let (low, high) = oriented_interval(interval);
        lines.push(format!(
            "  For one look fixed in advance: sign test p {}, {} to {}.",
            p_text(single.p_value),
            percent(low),
            percent(high)
        ));
    }
    if let Some(effect) = pair.effect.filter(|_| last.is_claimed) {
        let units = plural(if decision.count_unit == CountUnit::Units { unit_name } else { "unit" });
        lines.push(format!("  {}", effect.sentence(ahead, behind, ahead_is_first, &units)));
    }
    if last.verdict == TestState::Open && last.is_claimed {
        lines.extend(match pair.units_until_decided {
            Some(1) => Some(format!(
                "  At this share, about 1 more {unit_name} decides it (an even chance of sooner or later)."
            )),
            Some(more) => Some(format!(
                "  At this share, about {} more {} decide it (an even chance of sooner or later).",
                with_separators(round_up(more)),
                plural(unit_name)
            )),
            None if !pair.has_forecast => None,
            None if wins == losses => Some("  At this share, there will be no decision.".to_owned()),
            None => Some(format!(
                "  At this share, no decision is in sight: it would take over 1,000 times as many {}.",
                plural(unit_name)
            )),
        });
    }
    lines
}

/// Says that a verdict is about the past. `unit_name` is what counts once, in the singular.
pub(super) fn contradiction_sentence(decision: &Decision, contradiction: Contradiction, unit_name: &str) -> String {
    let [winner, other] = [contradiction.winner, contradiction.other].map(|ranker| decision.rankers[ranker].as_str());
    let counts_text = |counts: Counts| {
        let share = counts.losses as f64 / counts.decided().max(1) as f64;
        format!("{other} won {} of {} that preferred a side", percent(share), with_unit(counts.decided(), unit_name))
    };
    if contradiction.other_is_ahead() {
        let until_day = date(contradiction.until);
        format!(
            "{winner} was ahead until {until_day}; {other} is ahead now: since then, {}.",
            counts_text(contradiction.since)
        )
    } else {
        let (after, until_day, counts) = contradiction.against;
        format!(
            "{winner} and {other} were ahead in turn: {winner} is ahead now, but after {} and until {}, {}.",
            date(after),
            date(until_day),
            counts_text(counts)
        )
    }
}

/// Says that no single share describes all days.
pub(super) fn drift_sentence(decision: &Decision, found: Drift) -> String {
    let name = |ranker: usize| decision.rankers[ranker].as_str();
    match found {
        Drift::Fell { ranker, other, above, by, share } => format!(
            "The share of {} against {} has fallen: by {} it was known to be above {}, and of all days it is {}.",
            name(ranker),
            name(other),
            date(by),
            percent_below(above),
            percent(share),
        ),
        Drift::NoShare { ranker, other, above, below } => format!(
            "The share of {} against {} has changed, and none fits all days: by {} it was known to be above {}, by {} below {}.",
            name(ranker),
            name(other),
            date(above.1),
            percent_below(above.0),
            date(below.1),
            percent_above(below.0),
        ),
    }
}

/// How sure a pair is that is not decided, in words: `97.4% confidence so far`, and below one half only that it is not enough.
#[must_use]
pub fn confidence_so_far(look: &Look) -> String {
    match look.confidence() {
        confidence if confidence < 0.5 => "not enough yet".to_owned(),
        confidence => format!("{} confidence so far", percent_of_confidence(confidence)),
    }
}

/// An interval of shares as text: `53.2% to 60.9%`. It is rounded outwards, with more digits where it would seem to contain one half
/// and does not.
#[must_use]
pub fn range((low, high): (f64, f64)) -> String {
    format!("{} to {}", percent_below(low), percent_above(high))
}

fn percent_below(share: f64) -> String {
    round_share(share, libm::floor, |text| share >= 0.5 && text <= 0.5)
}

fn percent_above(share: f64) -> String {
    round_share(share, libm::ceil, |text| share <= 0.5 && text >= 0.5)
}

/// A share rounded in one way, to one digit or, while that is not enough, up to six.
fn round_share(share: f64, to_whole: impl Fn(f64) -> f64, is_too_coarse: impl Fn(f64) -> bool) -> String {
    let mut digits = 1;
    loop {
        let scale = libm::pow(10.0, digits as f64 + 2.0);
        let value = to_whole(share * scale) / scale;
        if digits == 6 || !is_too_coarse(value) {
            return format!("{:.digits$}%", 100.0 * value);
        }
        digits += 1;
    }
}

pub(super) fn level(alpha: f64) -> String {
    percent_of_confidence(1.0 - alpha)
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// Confidence is never rounded up to certainty.
#[must_use]
pub fn percent_of_confidence(confidence: f64) -> String {
    let percent = 100.0 * confidence;
    if percent > 99.99 {
        "over 99.99%".to_owned()
    } else if percent >= 99.0 {
        format!("{:.2}%", libm::floor(percent * 100.0 + 1e-6) / 100.0)
    } else {
        let text = format!("{:.1}%", libm::floor(percent * 10.0 + 1e-6) / 10.0);
        text.replace(".0%", "%")
    }
}

fn p_text(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// Two digits.
fn round_up(count: u64) -> u64 {
    let unit = 10_u64.pow(count.max(1).ilog10().saturating_sub(1));
    count.div_ceil(unit) * unit
}

pub(super) fn list_names(names: &[&str]) -> String {
    if names.is_empty() { "None".to_owned() } else { join_with_and(names) }
}

/// Parts of a sentence: `a, b and c`.
pub(super) fn join_with_and<S: AsRef<str>>(parts: &[S]) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match parts.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::running_decision::decide_without_progress;
    use super::*;
    use crate::outcomes::{DayCounts, Outcomes, parse_table};

    #[test]
    fn verdicts_are_plain() {
        let table = |wins: u64, losses: u64| {
            let header =
                "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";
            parse_table(&format!("{header}\n2026-11-22,A,B,{wins},{losses},50,1,1,1\n"))
        };
        let text = |wins, losses| {
            report(&decide_without_progress(&table(wins, losses), 0.05, CountUnit::Units).unwrap(), Some("user"))
        };
        let won = text(300, 400);
        assert!(won.starts_with("B beats A: 99."), "{won}");
        assert!(won.contains("\n  B won 57.1% of 700 users that preferred a side (5"), "{won}");
        assert!(won.contains("since 2026-11-22.\n"), "{won}");
        let open = text(300, 330);
        assert!(open.starts_with("A and B: not decided; B is ahead ("), "{open}");
        assert!(open.contains("more users decide it"), "{open}");
        assert!(text(300, 300).contains("there will be no decision"));
        assert!(text(3_001, 3_000).contains("no decision is in sight: it would take over 1,000 times as many users."));
        assert!(text(0, 0).contains("all 50 users tied"));
        // As likely by chance: the confidence would be 0%, so none is stated.
        let early = text(44, 36);
        assert!(early.starts_with("A and B: not decided; A is ahead (not enough yet).\n"), "{early}");
        assert!(text(1, 0).contains("  A won 100.0% of 1 user that preferred a side ("), "{}", text(1, 0));
        assert!(
            won.contains("\nBy how many clicks is not known: only lists that say who owns each document, "),
            "{won}"
        );
    }

    #[test]
    fn a_report_says_by_how_many_clicks() {
        use crate::amounts::{Amounts, SideClicks, UnitAmounts};
        let mut outcomes = parse_table(
            "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties\n\
             2026-11-22,A,B,300,400,50,1,1,1\n",
        );
        let amounts = &mut outcomes.days[0].counts.amounts;
        // One unit has nine clicks more than the cap.
        for clicks in [[1, 0]; 300].into_iter().chain([[0, 2]; 399]).chain([[0, 14]]).chain([[0, 0]; 40]) {
            amounts.record(UnitAmounts::of(Some(SideClicks(clicks))));
        }
        let text = report(&decide_without_progress(&outcomes, 0.05, CountUnit::Units).unwrap(), Some("user"));
        let sentence = text.lines().nth(3).unwrap();
        let expected = "  B's documents got 1.09 clicks per impression and A's 0.41: 0.68 more (0.5";
        assert!(
            sentence.starts_with(expected) && sentence.ends_with(" That is known of 740 of 750 users."),
            "{sentence}"
        );
        assert!(
            sentence.contains(" 54.1% had a click on a document of B and 40.5% on one of A: 13.5 points more ("),
            "{sentence}"
        );
        assert!(text.contains("counts up to 5 per unit; up to 0.9% of a pair's clicks are cut. "), "{text}");
        // What it is made of adds up over days, and nothing else is looked at.
        let [mut first, mut second] = [(); 2].map(|()| outcomes.days[0].clone());
        (first.day, second.counts) = (first.day - 1, DayCounts::default());
        second.counts.amounts = Amounts::default();
        let two = Outcomes { days: vec![first, second], ..outcomes };
        let of = |outcomes: &Outcomes| {
            decide_without_progress(outcomes, 0.05, CountUnit::Units).unwrap().pairs[0].effect.unwrap()
        };
        assert_eq!(of(&two).clicks.rates, [300.0 / 740.0, 803.0 / 740.0]);
    }

    #[test]
    fn numbers_for_readers() {
        assert_eq!(
            [0.95, 0.97499, 0.9999999, 0.99456].map(percent_of_confidence),
            ["95%", "97.4%", "over 99.99%", "99.45%"]
        );
        assert_eq!([7, 123, 98_765].map(round_up), [7, 130, 99_000]);
    }
}
