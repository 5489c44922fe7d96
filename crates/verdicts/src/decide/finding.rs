//! The finding of a log in one sentence: the headline of a page.

use ranktypes::text::with_separators;
use statistics::anytime::TestState;
use times::date;

use super::report::{confidence_so_far, contradiction_sentence, drift_sentence, level, pair_sentences};
use super::{CountUnit, Decision};

/// More candidates than these are counted instead of named.
const MAX_NAMED_CANDIDATES: usize = 6;

/// What kind of finding it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// No outcome has closed.
    Nothing,
    /// No ranker has won yet.
    Undecided,
    /// A ranker has won, or it is known that none is the best.
    Decided,
    /// A ranker has won, and later outcomes contradict it.
    Contradicted,
}

/// The finding of a log, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The headline: one sentence.
    pub sentence: String,
    /// Further sentences, the most important first.
    pub details: Vec<String>,
}

/// The finding of a decision, in short. `unit` is what a unit is, e.g. `user`.
#[must_use]
pub fn finding(decision: &Decision, unit: Option<&str>) -> Finding {
    let unit_name = match decision.count_unit {
        CountUnit::Units | CountUnit::Conversions => unit.unwrap_or("unit"),
        CountUnit::Impressions => "impression",
    };
    if decision.days.is_none() {
        let sentence = "Nothing to decide yet: no outcome has closed.".to_owned();
        return Finding { kind: FindingKind::Nothing, sentence, details: Vec::new() };
    }
    let finding = match (&decision.best, decision.pairs.as_slice()) {
        (None, [_, ..]) => finding_of_two(decision, unit_name),
        _ => finding_of_many(decision, unit_name),
    };
    // The finding that no single share describes all days comes first; which ranker was ahead when is a detail of it.
    match decision.drift().filter(|_| finding.kind != FindingKind::Contradicted) {
        Some(drifted) => Finding {
            kind: finding.kind,
            sentence: drift_sentence(decision, drifted),
            details: std::iter::once(finding.sentence).chain(finding.details).collect(),
        },
        None => finding,
    }
}

/// Two rankers: the sentences of the report, with a headline about the one that is ahead.
fn finding_of_two(decision: &Decision, unit_name: &str) -> Finding {
    let pair = &decision.pairs[0];
    let lines = pair_sentences(decision, pair, unit_name).into_iter().map(|line| line.trim().to_owned());
    // The drift is reported for all rankers alike.
    let mut lines = lines.skip(usize::from(pair.drift.is_some() && pair.contradicted.is_none()));
    let sentence = lines.next().unwrap_or_default();
    if pair.contradicted.is_some() {
        return Finding { kind: FindingKind::Contradicted, sentence, details: lines.take(2).collect() };
    }
    if pair.last.verdict != TestState::Open {
        return Finding { kind: FindingKind::Decided, sentence, details: lines.take(1).collect() };
    }
    let [first, second] = [pair.last.pair.0, pair.last.pair.1].map(|ranker| decision.rankers[ranker].as_str());
    let sentence = match pair.last.counts.share() {
        None => format!("Undecided: no {unit_name} has preferred {first} or {second}."),
        Some(0.5) => format!("Undecided: {first} and {second} are level."),
        Some(share) => {
            let (ahead, behind) = if share > 0.5 { (first, second) } else { (second, first) };
            format!("Undecided: {ahead} is ahead of {behind} ({}).", confidence_so_far(&pair.last))
        }
    };
    Finding { kind: FindingKind::Undecided, sentence, details: lines.take(1).collect() }
}

fn finding_of_many(decision: &Decision, unit_name: &str) -> Finding {
    let (name, count) = (|ranker: usize| decision.rankers[ranker].as_str(), decision.rankers.len());
    let Some(best) = &decision.best else {
        let sentence = "Nothing to decide yet: no two rankers have met.".to_owned();
        return Finding { kind: FindingKind::Nothing, sentence, details: Vec::new() };
    };
    let (leader, beaten) = best.leader;
    let at = level(decision.alpha);
    match (best.declared, best.contradicted.first()) {
        (Some((ranker, day)), Some(&found)) => Finding {
            kind: FindingKind::Contradicted,
            sentence: contradiction_sentence(decision, found, unit_name),
            details: vec![format!(
                "That {} is the best of {count} was decided on {} (level {at}). It holds for the time until then, not for now.",
                name(ranker),
                date(day)
            )],
        },
        (Some((ranker, day)), None) => Finding {
            kind: FindingKind::Decided,
            sentence: format!("{} is the best of {count}: {at} confidence, since {}.", name(ranker), date(day)),
            details: vec![format!("It beats each of the other {}, at one level for all of them together.", count - 1)],
        },
        (None, _) if best.candidates.is_empty() => Finding {
            kind: FindingKind::Decided,
            sentence: format!("None of {count} is the best: each is known to lose to another."),
            details: vec![format!("Level {at}. See who beats whom below.")],
        },
        (None, _) => {
            let mut candidate_names: Vec<&str> =
                best.candidates.iter().take(MAX_NAMED_CANDIDATES).map(|&ranker| name(ranker)).collect();
            let others = best.candidates.len() - candidate_names.len();
            let others = format!("{} others", with_separators(others as u64));
            if best.candidates.len() > MAX_NAMED_CANDIDATES {
                candidate_names.push(&others);
            }
            let known = match beaten {
                0 => format!("and is not known to beat any of the other {}", count - 1),
                _ => format!("and is known to beat {beaten} of the other {}", count - 1),
            };
            Finding {
                kind: FindingKind::Undecided,
                sentence: format!("Undecided: {} leads, {known}.", name(leader)),
                details: vec![format!(
                    "{} may still be the best (level {at}).",
                    super::report::list_names(&candidate_names)
                )],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::running_decision::decide_without_progress;
    use super::*;
    use crate::outcomes::{Outcomes, parse_table};

    fn found(rows: &str) -> Finding {
        let header =
            "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";
        let outcomes = parse_table(&format!("{header}\n{rows}"));
        finding(&decide_without_progress(&outcomes, 0.05, CountUnit::Units).unwrap(), Some("user"))
    }

    #[test]
    fn two_rankers_are_turned_towards_the_one_ahead() {
        let decided = found("2026-11-22,A,B,300,400,50,1,1,1\n");
        assert_eq!(decided.kind, FindingKind::Decided);
        assert!(decided.sentence.starts_with("B beats A: 99."), "{}", decided.sentence);
        assert!(decided.details[0].starts_with("B won 57.1% of 700 users"), "{:?}", decided.details);
        let open = found("2026-11-22,A,B,300,330,50,1,1,1\n");
        assert_eq!(open.kind, FindingKind::Undecided);
        assert!(open.sentence.starts_with("Undecided: B is ahead of A ("), "{}", open.sentence);
        assert_eq!(found("2026-11-22,A,B,30,30,5,1,1,1\n").sentence, "Undecided: A and B are level.");
        assert_eq!(found("2026-11-22,A,B,0,0,5,1,1,1\n").sentence, "Undecided: no user has preferred A or B.");
        let turned = found("2026-11-01,A,B,80,20,0,1,1,1\n2026-11-02,A,B,20,380,0,1,1,1\n");
        assert_eq!(turned.kind, FindingKind::Contradicted);
        assert!(turned.sentence.starts_with("A was ahead until 2026-11-01; B is ahead now"), "{}", turned.sentence);
        assert!(turned.details[0].starts_with("That A beats B was decided on 2026-11-01"), "{:?}", turned.details);
    }

    #[test]
    fn many_rankers_have_a_leader_or_a_best() {
        let day = |wins: u32| {
            format!(
                "2026-11-22,A,B,{wins},100,5,1,1,1\n2026-11-22,A,C,{wins},100,5,1,1,1\n2026-11-22,B,C,90,90,5,1,1,1\n"
            )
        };
        let best = found(&day(300));
        assert_eq!(best.sentence, "A is the best of 3: 95% confidence, since 2026-11-22.");
        let open = found(&day(110));
        assert_eq!(open.kind, FindingKind::Undecided);
        assert_eq!(open.sentence, "Undecided: A leads, and is not known to beat any of the other 2.");
        assert_eq!(open.details, ["A, B and C may still be the best (level 95%)."]);
        let cycle =
            found("2026-11-22,A,B,300,100,5,1,1,1\n2026-11-22,A,C,100,300,5,1,1,1\n2026-11-22,B,C,300,100,5,1,1,1\n");
        assert_eq!(cycle.sentence, "None of 3 is the best: each is known to lose to another.");
        let nothing = finding(&decide_without_progress(&Outcomes::default(), 0.05, CountUnit::Units).unwrap(), None);
        assert_eq!(nothing.kind, FindingKind::Nothing);
    }
}
