//! A verdict in words: the first line for whoever decides, the numbers below it for whoever checks.

use ranktypes::text::with_separators;
use statistics::Counts;
use statistics::anytime::TestState;
use times::date;

use super::{By, Contradiction, Decision, PairDecision};

/// The verdict in words. `unit` is what a unit is, e.g. `user`.
#[must_use]
pub fn report(decision: &Decision, unit: Option<&str>) -> String {
    let Some((first, last)) = decision.days else {
        return "Nothing to decide: no outcome has closed yet. Credit a longer log, or one that is complete (--final).\n".to_owned();
    };
    let what = match decision.by {
        By::Units => format!("{}s", unit.unwrap_or("unit")),
        By::Impressions => "impressions".to_owned(),
    };
    let mut lines = Vec::new();
    if let Some(best) = &decision.best {
        let name = |ranker: usize| decision.rankers[ranker].as_str();
        for &found in &best.contradicted {
            lines.push(contradiction(decision, found, &what));
        }
        lines.push(match best.declared {
            Some((ranker, day)) if !best.contradicted.is_empty() => format!(
                "That {} is the best of {} was decided on {} (level {}). It holds for the time until then, not for now.",
                name(ranker),
                decision.rankers.len(),
                date(day),
                level(decision.alpha),
            ),
            Some((ranker, day)) => {
                format!("{} is the best of {} (level {}), since {}.", name(ranker), decision.rankers.len(), level(decision.alpha), date(day))
            }
            None if best.candidates.is_empty() => format!(
                "No ranker of {} is the best (level {}): each is known to lose to another.",
                decision.rankers.len(),
                level(decision.alpha),
            ),
            None => format!(
                "No best ranker of {} yet (level {}). {} leads: it is known to beat {} of the other {}. {} may still be the best.",
                decision.rankers.len(),
                level(decision.alpha),
                name(best.leader.0),
                best.leader.1,
                decision.rankers.len() - 1,
                listed(&best.candidates.iter().map(|&ranker| name(ranker)).collect::<Vec<_>>()),
            ),
        });
        lines.push(String::new());
    }
    for pair in &decision.pairs {
        lines.extend(of_pair(decision, pair, &what));
    }
    let days =
        if first == last { format!("the day {}", date(first)) } else { format!("{} to {}", date(first), date(last)) };
    lines.push(String::new());
    let shared = match decision.pairs.len() {
        1 => String::new(),
        pairs => format!(" for all {pairs} pairs together, to which confidence, p-values and intervals are adjusted"),
    };
    lines.push(format!(
        "Outcomes of {days}. Each {} counts once; level {}{shared}. Verdicts hold however often you look; intervals do too, for a share \
         that stays the same.",
        what.trim_end_matches('s'),
        level(decision.alpha),
    ));
    if decision.by == By::Impressions {
        lines.push(
            "Impressions were counted as independent: where users differ in taste and see many lists, that finds differences between \
             equal rankers. Prefer --by units."
                .to_owned(),
        );
    }
    lines.join("\n") + "\n"
}

pub(super) fn of_pair(decision: &Decision, pair: &PairDecision, what: &str) -> Vec<String> {
    let last = &pair.last;
    let [first, second] = [last.pair.0, last.pair.1].map(|ranker| decision.rankers[ranker].as_str());
    let Counts { wins, losses, ties } = last.counts;
    let Some(share) = last.counts.share() else {
        return vec![format!("{first} and {second}: nothing is decided; all {} {what} tied.", with_separators(ties))];
    };
    // The numbers are those of the winner, or of the side that is ahead.
    let ahead_is_first = match (last.verdict, pair.contradicted) {
        (_, Some(found)) => (found.winner == last.pair.0) != found.other_is_ahead(),
        (TestState::FirstWins, None) => true,
        (TestState::SecondWins, None) => false,
        (TestState::Open, None) => share >= 0.5,
    };
    let (ahead, behind) = if ahead_is_first { (first, second) } else { (second, first) };
    let turned = |(low, high): (f64, f64)| if ahead_is_first { (low, high) } else { (1.0 - high, 1.0 - low) };
    let (low, high) = turned(last.interval);
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
        None if wins == losses => format!("{first} and {second}: not decided; level."),
        None => format!(
            "{first} and {second}: not decided; {ahead} is ahead ({} confidence so far).",
            percent_of_confidence(last.confidence())
        ),
    };
    let mut lines = vec![headline];
    if let Some(found) = pair.contradicted {
        lines.insert(0, contradiction(decision, found, what));
    }
    lines.push(format!(
        "  {ahead} won {} of {} {what} that preferred a side ({} to {}); {} {what} tied.",
        percent(if ahead_is_first { share } else { 1.0 - share }),
        with_separators(wins + losses),
        percent(low),
        percent(high),
        with_separators(ties),
    ));
    let excludes_half = last.interval.0 > 0.5 || last.interval.1 < 0.5;
    if pair.contradicted.is_none() && (last.verdict != TestState::Open) != excludes_half {
        lines.push(
            if excludes_half {
                "  The interval excludes 50%, but decides nothing: it is made for any share, the test for shares near 50%, and the \
                 test decides."
            } else {
                "  The interval contains 50%, but the verdict holds: it comes from a test of 50% alone, and the interval, which is \
                 made for any share, is wider there."
            }
            .to_owned(),
        );
    }
    if let Some(interval) = pair.fixed_interval {
        let (low, high) = turned(interval);
        lines.push(format!(
            "  For one look fixed in advance: sign test p {}, {} to {}.",
            p_text(pair.fixed_p_value),
            percent(low),
            percent(high)
        ));
    }
    if last.verdict == TestState::Open {
        lines.push(match pair.more {
            Some(more) => format!(
                "  At this share, about {} more {what} decide it (an even chance of sooner or later).",
                with_separators(round(more))
            ),
            None if wins == losses => "  At this share, there will be no decision.".to_owned(),
            None => format!("  At this share, no decision is in sight: it would take over 1,000 times as many {what}."),
        });
    }
    lines
}

/// That a verdict is about the past.
pub(super) fn contradiction(decision: &Decision, found: Contradiction, what: &str) -> String {
    let [winner, other] = [found.winner, found.other].map(|ranker| decision.rankers[ranker].as_str());
    let of = |counts: Counts| {
        let share = counts.losses as f64 / counts.decided().max(1) as f64;
        format!("{other} won {} of {} {what} that preferred a side", percent(share), with_separators(counts.decided()))
    };
    if found.other_is_ahead() {
        let until = date(found.until);
        format!("{winner} was ahead until {until}; {other} is ahead now: since then, {}.", of(found.since))
    } else {
        let (after, until, counts) = found.against;
        format!(
            "{winner} and {other} were ahead in turn: {winner} is ahead now, but after {} and until {}, {}.",
            date(after),
            date(until),
            of(counts)
        )
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
fn round(count: u64) -> u64 {
    let unit = 10_u64.pow(count.max(1).ilog10().saturating_sub(1));
    count.div_ceil(unit) * unit
}

pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [] => "None".to_owned(),
        [name] => (*name).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::decide_one;
    use super::*;
    use crate::outcomes::of_table;

    #[test]
    fn verdicts_are_plain() {
        let table = |wins: u64, losses: u64| {
            let header =
                "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";
            of_table(&format!("{header}\n2026-11-22,A,B,{wins},{losses},50,1,1,1\n"))
        };
        let text = |wins, losses| report(&decide_one(&table(wins, losses), 0.05, By::Units).unwrap(), Some("user"));
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
    }

    #[test]
    fn numbers_for_readers() {
        assert_eq!(
            [0.95, 0.97499, 0.9999999, 0.99456].map(percent_of_confidence),
            ["95%", "97.4%", "over 99.99%", "99.45%"]
        );
        assert_eq!([7, 123, 98_765].map(round), [7, 130, 99_000]);
    }
}
