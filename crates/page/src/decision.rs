//! A decision as a page shows it: headline, win rates, pairs and their matrix, each seen from the ranker that is ahead.

use statistics::anytime::TestState;
use times::date;
use verdicts::decide::{
    Contradiction, Decision, FindingKind, Look, Outlook, PairDecision, ValueDecision, ValueLook, ValuePair,
    confidence_so_far, finding, percent_of_confidence, report,
};
use verdicts::segments::SegmentsDecision;

use crate::effect::effect;
use crate::model::{
    Course, CoursePoint, Headline, Matrix, MatrixCell, Overview, Pair, Rate, RatePoint, SegmentRow, Segments, Tone,
};

/// The most charts of win rates.
const MAX_RATES: usize = 6;
/// The most rows of pairs.
const MAX_PAIR_ROWS: usize = 40;
/// With more rankers there is no matrix: it would be unreadable.
const MAX_MATRIX_RANKERS: usize = 12;

/// The tone of a finding, and a word for it.
#[must_use]
pub fn label(kind: FindingKind) -> (Tone, &'static str) {
    match kind {
        FindingKind::Nothing => (Tone::Neutral, "nothing yet"),
        FindingKind::Undecided => (Tone::Neutral, "undecided"),
        FindingKind::Decided => (Tone::Good, "decided"),
        FindingKind::Contradicted => (Tone::Alarm, "contradicted"),
    }
}

/// The part of an overview that follows from a decision; all else is empty. `unit` is the name of a unit, e.g. `user`.
#[must_use]
pub fn overview(decision: &Decision, unit: Option<&str>) -> Overview {
    let finding = finding(decision, unit);
    let (tone, word) = label(finding.kind);
    let (leader, order) = (leader(decision), pairs_in_order(decision));
    Overview {
        headline: Headline {
            tone,
            label: word.to_owned(),
            sentence: finding.sentence,
            more: finding.details,
            action: decision.outlook(unit, None).advice.sentence,
        },
        rates: order
            .iter()
            .filter(|pair| leader.is_none_or(|leader| is_of(pair, leader)))
            .take(MAX_RATES)
            .filter_map(|pair| rate(decision, pair, leader))
            .collect(),
        effect: order.first().and_then(|pair| effect(decision, pair, ahead_first(pair).0)),
        pairs: order.iter().take(MAX_PAIR_ROWS).map(|pair| row(decision, pair)).collect(),
        more_pairs: order.len().saturating_sub(MAX_PAIR_ROWS) as u64,
        matrix: (3..=MAX_MATRIX_RANKERS).contains(&decision.rankers.len()).then(|| matrix(decision)).flatten(),
        // Without an outcome, the headline is complete.
        report: match decision.days {
            Some(_) => report(decision, unit).lines().map(str::to_owned).collect(),
            None => Vec::new(),
        },
        ..Overview::default()
    }
}

/// The difference in value over time, by pair. `unit` is the name of a unit, e.g. `user`.
#[must_use]
pub fn courses(decision: &ValueDecision, unit: &str, currency: Option<&str>) -> Vec<Course> {
    let unit_text = currency.map_or_else(|| "minor units".to_owned(), |currency| format!("minor units of {currency}"));
    let course = |pair: &ValuePair| {
        let [first, second] = [pair.pair.0, pair.pair.1].map(|ranker| decision.rankers[ranker].as_str());
        let is_first = pair.is_first_ahead();
        let (ahead, behind) = if is_first { (first, second) } else { (second, first) };
        let point = |look: &ValueLook| {
            let [first, second] = look.rates();
            // The interval is for the difference after removing the effect of the draft.
            let difference = look.draft.map_or(first - second, |draft| draft.difference);
            let (difference, interval) = match look.interval {
                interval if is_first => (difference, interval),
                interval => (-difference, interval.map(|(low, high)| (-high, -low))),
            };
            CoursePoint { day: look.day, date: date(look.day), difference, interval }
        };
        Course {
            title: format!("Value per {unit}, {ahead} minus {behind}, in {unit_text}"),
            points: pair.looks.iter().map(point).collect(),
            since: pair.winner.map(|(_, day)| day),
        }
    };
    decision.pairs.iter().map(course).collect()
}

/// The win rates of all pairs in the order of the page, those without any look left out.
pub(crate) fn rates(decision: &Decision) -> Vec<Rate> {
    let leader = leader(decision);
    pairs_in_order(decision).into_iter().filter_map(|pair| rate(decision, pair, leader)).collect()
}

/// The pairs of the leader, the closest rival first; then decided pairs; then all others.
fn pairs_in_order(decision: &Decision) -> Vec<&PairDecision> {
    let leader = leader(decision);
    let mut order: Vec<&PairDecision> = decision.pairs.iter().collect();
    order.sort_by(|a, b| {
        let key =
            |pair: &PairDecision| (!leader.is_some_and(|leader| is_of(pair, leader)), pair.last.winner().is_none());
        let share = |pair: &PairDecision| ahead_first(pair).1;
        key(a).cmp(&key(b)).then(share(a).total_cmp(&share(b)))
    });
    order
}

/// Whether a ranker is one of a pair.
fn is_of(pair: &PairDecision, ranker: usize) -> bool {
    pair.last.pair.0 == ranker || pair.last.pair.1 == ranker
}

/// The headline of a decision that is not trusted, because of a fault of its pages: the fault comes first, and the headline
/// without the fault last.
#[must_use]
pub fn distrust_headline(headline: Headline, outlook: &Outlook) -> Headline {
    let otherwise = format!("Without this it would say: {}", headline.sentence);
    Headline {
        tone: Tone::Notice,
        label: "not trusted".to_owned(),
        sentence: outlook.headline.clone(),
        more: vec![otherwise],
        action: outlook.advice.sentence.clone(),
    }
}

/// The best of several, or the leader.
fn leader(decision: &Decision) -> Option<usize> {
    let best = decision.best.as_ref()?;
    Some(best.declared.map_or(best.leader.0, |(ranker, _)| ranker))
}

/// Whether the first of a pair is the winner, or ahead while no ranker has won; and the share of that ranker.
fn ahead_first(pair: &PairDecision) -> (bool, f64) {
    let share = pair.last.counts.share().unwrap_or(0.5);
    let is_first = match pair.last.verdict {
        TestState::FirstWins => true,
        TestState::SecondWins => false,
        TestState::Open => share >= 0.5,
    };
    (is_first, if is_first { share } else { 1.0 - share })
}

fn oriented_interval(interval: Option<(f64, f64)>, is_first: bool) -> Option<(f64, f64)> {
    interval.map(|(low, high)| if is_first { (low, high) } else { (1.0 - high, 1.0 - low) })
}

/// The win rate of the leader, or in other pairs of the winner, or of the ranker that is ahead.
fn rate(decision: &Decision, pair: &PairDecision, leader: Option<usize>) -> Option<Rate> {
    let (first_ranker, second_ranker) = pair.last.pair;
    let is_first = match leader.filter(|leader| is_of(pair, *leader)) {
        Some(leader) => leader == first_ranker,
        None => ahead_first(pair).0,
    };
    let name = |ranker: usize| decision.rankers[ranker].clone();
    let point = |look: &Look| RatePoint {
        day: look.day,
        date: date(look.day),
        share: look.counts.share().map(|share| if is_first { share } else { 1.0 - share }),
        interval: oriented_interval(look.interval, is_first),
        decided: look.counts.decided(),
    };
    let points: Vec<RatePoint> = pair.looks.iter().map(point).collect();
    (!points.is_empty()).then(|| Rate {
        of: name(if is_first { first_ranker } else { second_ranker }),
        against: name(if is_first { second_ranker } else { first_ranker }),
        points,
        since: pair.since,
        contradicted: pair.contradicted.map(|found| contradiction_sentence(decision, found)),
    })
}

fn contradiction_sentence(decision: &Decision, contradiction: Contradiction) -> String {
    let [winner, loser] = [contradiction.winner, contradiction.other].map(|ranker| decision.rankers[ranker].as_str());
    if contradiction.other_is_ahead() {
        format!("{winner} was ahead until {}; {loser} is ahead now.", date(contradiction.until))
    } else {
        format!("{winner} and {loser} were ahead in turn; {winner} is ahead now.")
    }
}

fn row(decision: &Decision, pair: &PairDecision) -> Pair {
    row_seen_from(decision, pair, ahead_first(pair).0)
}

/// The verdicts in segments on the ranker `challenger` against the champion. `units` has the number of units that came in each segment, and
/// last that of units without one.
#[must_use]
pub fn segments(decided: &SegmentsDecision, units: &[u64], challenger: usize) -> Segments {
    let SegmentsDecision { names, champion, decisions, harms } = decided;
    let rankers = decisions.first().map_or(&[][..], |decision| &decision.rankers);
    let name = |ranker: usize| rankers.get(ranker).cloned().unwrap_or_default();
    let row = |(place, decision): (usize, &Decision)| {
        let pair = decided.champion_decision(place, challenger).map(|pair| {
            let row = row_seen_from(decision, pair, pair.last.pair.0 == challenger);
            let winner = pair.last.winner().map(|winner| format!("{} {}", name(winner), row.verdict));
            Pair { verdict: winner.filter(|_| row.is_decided).unwrap_or_else(|| row.verdict.clone()), ..row }
        });
        SegmentRow {
            name: names.get(place).cloned().unwrap_or_default(),
            units: units.get(place).copied().unwrap_or_default(),
            pair,
            is_harmed: harms.iter().any(|harm| harm.ranker == challenger && harm.segments.contains(&place)),
        }
    };
    Segments {
        of: name(challenger),
        against: name(*champion),
        each: decisions.iter().enumerate().map(row).collect(),
        other: units.get(decisions.len()).copied().unwrap_or_default(),
        harms: harms.iter().map(|harm| decided.sentence(harm)).collect(),
    }
}

/// A pair as seen from its first ranker, or from its second.
fn row_seen_from(decision: &Decision, pair: &PairDecision, is_first: bool) -> Pair {
    let share = pair.last.counts.share().map(|share| if is_first { share } else { 1.0 - share });
    let [first, second] = [pair.last.pair.0, pair.last.pair.1].map(|ranker| decision.rankers[ranker].clone());
    let (ahead, behind) = if is_first { (first, second) } else { (second, first) };
    let counts = pair.last.counts;
    let verdict = match (pair.last.winner(), pair.contradicted) {
        (Some(_), Some(_)) => "contradicted".to_owned(),
        (Some(_), None) => pair.since.map_or_else(String::new, |day| format!("wins, since {}", date(day))),
        (None, _) if !pair.last.is_claimed => "not claimed".to_owned(),
        (None, _) => "open".to_owned(),
    };
    let confidence = match pair.last.winner() {
        Some(_) => format!("{} confidence", percent_of_confidence(pair.last.confidence())),
        None if !pair.last.is_claimed => String::new(),
        None => confidence_so_far(&pair.last),
    };
    Pair {
        ahead,
        behind,
        share,
        interval: oriented_interval(pair.last.interval, is_first),
        units: [counts.decided(), counts.ties],
        confidence,
        verdict,
        is_decided: pair.last.winner().is_some() && pair.contradicted.is_none(),
    }
}

/// Rankers in the order of how many others they beat, then of how many they are ahead of.
fn matrix(decision: &Decision) -> Option<Matrix> {
    let count = decision.rankers.len();
    let mut cells = vec![None; count * count];
    for pair in &decision.pairs {
        let (first, second) = pair.last.pair;
        let Some(share) = pair.last.counts.share() else { continue };
        let won = pair.last.winner().filter(|_| pair.contradicted.is_none()).map(|ranker| ranker == first);
        cells[first * count + second] = Some(MatrixCell { share, winner: won });
        cells[second * count + first] = Some(MatrixCell { share: 1.0 - share, winner: won.map(|first| !first) });
    }
    if cells.iter().all(Option::is_none) {
        return None;
    }
    let wins = |ranker: usize, is_win: fn(&MatrixCell) -> bool| {
        cells[ranker * count..][..count].iter().flatten().filter(|cell| is_win(cell)).count()
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&ranker| {
        std::cmp::Reverse((wins(ranker, |cell| cell.winner == Some(true)), wins(ranker, |cell| cell.share > 0.5)))
    });
    let of_row = |row: &usize| order.iter().map(|column| cells[row * count + column]).collect::<Vec<_>>();
    let cells = order.iter().flat_map(of_row).collect();
    Some(Matrix { rankers: order.iter().map(|&ranker| decision.rankers[ranker].clone()).collect(), cells })
}

#[cfg(test)]
mod tests {
    use statistics::Counts;
    use verdicts::decide::{CountUnit, decide};
    use verdicts::outcomes::{Day, DayCounts, Outcomes};

    use super::*;

    /// Rows of a day and the units won, lost and tied of the first ranker of a pair.
    fn shown(rankers: &[&str], rows: &[(i32, (usize, usize), [u64; 3])]) -> Overview {
        let day = |&(day, pair, [wins, losses, ties]): &(i32, (usize, usize), [u64; 3])| Day {
            version: 0,
            day,
            pair,
            counts: DayCounts::of(Counts::new(wins, losses, ties), Counts::new(1, 1, 1)),
        };
        let outcomes = Outcomes {
            rankers: rankers.iter().map(ToString::to_string).collect(),
            versions: vec![None],
            days: rows.iter().map(day).collect(),
        };
        overview(decide(&outcomes, 0.05, CountUnit::Units).unwrap().latest(), Some("user"))
    }

    #[test]
    fn everything_is_turned_towards_the_winner() {
        let page = shown(&["A", "B"], &[(20_779, (0, 1), [300, 400, 50]), (20_780, (0, 1), [300, 400, 50])]);
        let [rate] = page.rates.as_slice() else { panic!("{page:?}") };
        assert_eq!((rate.of.as_str(), rate.against.as_str(), rate.points.len()), ("B", "A", 2));
        let last = &rate.points[1];
        let (share, low) = (last.share.unwrap(), last.interval.unwrap().0);
        assert!(share > 0.57 && low > 0.5 && low < share);
        let [pair] = page.pairs.as_slice() else { panic!("{page:?}") };
        assert_eq!((pair.ahead.as_str(), pair.units, pair.is_decided), ("B", [1400, 100], true));
        assert_eq!((pair.verdict.as_str(), page.headline.tone), ("wins, since 2026-11-22", Tone::Good));
        assert!(page.matrix.is_none());
    }

    #[test]
    fn clicks_are_those_of_the_pair_in_the_headline() {
        use verdicts::amounts::{Amounts, SideClicks, UnitAmounts};
        let mut counts = DayCounts::of(Counts::new(100, 400, 0), Counts::new(1, 1, 1));
        for unit in 0..500 {
            counts.amounts.record(UnitAmounts::of(Some(SideClicks(if unit < 100 { [1, 0] } else { [0, 2] }))));
        }
        let outcomes = |amounts| Outcomes {
            rankers: vec!["A".to_owned(), "B".to_owned()],
            versions: vec![None],
            days: vec![Day { version: 0, day: 20_779, pair: (0, 1), counts: DayCounts { amounts, ..counts } }],
        };
        let shown =
            |amounts| overview(decide(&outcomes(amounts), 0.05, CountUnit::Units).unwrap().latest(), Some("user"));
        let effect = shown(counts.amounts).effect.unwrap();
        assert_eq!((effect.ahead.as_str(), effect.behind.as_str()), ("B", "A"));
        let [clicks, clicked] = effect.rows.as_slice() else { panic!("{effect:?}") };
        assert_eq!(
            (clicks.ahead.as_str(), clicks.behind.as_str(), clicks.more.as_str()),
            ("1.60", "0.20", "1.40 more")
        );
        assert_eq!((clicked.ahead.as_str(), clicked.more.as_str()), ("80.0%", "60.0 points more"));
        assert!(shown(Amounts::default()).effect.is_none());
    }

    #[test]
    fn many_rankers_have_a_matrix_and_charts_of_the_leader() {
        let mut rows = Vec::new();
        for first in 0..8 {
            for second in first + 1..8 {
                let wins = if first == 0 { 300 } else { 105 };
                rows.push((20_779, (first, second), [wins, 100, 5]));
            }
        }
        let page = shown(&["A", "B", "C", "D", "E", "F", "G", "H"], &rows);
        assert_eq!((page.rates.len(), page.pairs.len(), page.more_pairs), (MAX_RATES, 28, 0));
        assert!(page.rates.iter().all(|rate| rate.of == "A") && page.pairs[..7].iter().all(|pair| pair.ahead == "A"));
        let matrix = page.matrix.unwrap();
        assert_eq!(matrix.rankers[0], "A");
        for (row, column) in [(0, 3), (2, 5), (7, 0)] {
            let [cell, mirrored] = [matrix.cells[row * 8 + column], matrix.cells[column * 8 + row]].map(Option::unwrap);
            assert!((cell.share + mirrored.share - 1.0).abs() < 1e-12);
            assert_eq!(cell.winner, mirrored.winner.map(|won| !won));
        }
        assert!(matrix.cells[0].is_none());
        let nothing = overview(decide(&Outcomes::default(), 0.05, CountUnit::Units).unwrap().latest(), None);
        assert!(nothing.rates.is_empty() && nothing.pairs.is_empty() && nothing.headline.tone == Tone::Neutral);
        assert!(nothing.report.is_empty());
    }
}
