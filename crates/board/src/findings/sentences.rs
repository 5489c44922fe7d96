//! The findings in sentences.

use super::Finding;
use crate::text::{count, names, percent};

/// A finding in one sentence.
pub(super) fn finding(finding: &Finding) -> String {
    const NAMES: usize = 4;
    match finding {
        Finding::NotConnected { groups } => {
            let group_texts: Vec<String> = groups.iter().map(|group| format!("{{{}}}", names(group, NAMES))).collect();
            format!(
                "The table falls into {} groups that were never compared, not even indirectly: {}; ranks hold within a group \
                 only.",
                groups.len(),
                names(&group_texts, NAMES)
            )
        }
        Finding::OrderAndNames { members } => format!(
            "Among {}, each competitor was always shown on the same side of its pairs, so a preference for a side cannot be \
             distinguished from a preference for a name.",
            names(members, NAMES)
        ),
        Finding::SelfComparisons { rows, first } => {
            let numbers: Vec<String> = first.iter().map(u64::to_string).collect();
            let group_texts = if *rows > first.len() { ", ..." } else { "" };
            format!(
                "{} a competitor with itself and {} set aside (row {}{group_texts}).",
                count(*rows as u64, "judgement compares", "judgements compare"),
                if *rows == 1 { "is" } else { "are" },
                numbers.join(", ")
            )
        }
        Finding::Order { effect, share, .. } => format!(
            "The order matters: the answer shown {} gets {} of the points (an advantage of {:.2} on the scale of strengths); \
             the fit accounts for it.",
            if *effect > 0.0 { "first" } else { "second" },
            percent(if *effect > 0.0 { *share } else { 1.0 - share }),
            effect.abs()
        ),
        Finding::OrderInBoth { asked, differently, first_twice } => {
            let second = differently - first_twice;
            let (side, times) = if *first_twice > second { ("first", *first_twice) } else { ("second", second) };
            format!(
                "Judges prefer a side: {differently} of {asked} pairs decided in both orders were answered differently, and in \
                 {times} of those the answer shown {side} won both times; they count as ties."
            )
        }
        Finding::Contradictions { asked, differently } => format!(
            "{differently} of {asked} pairs decided in both orders were answered differently, more than independent answers \
             would be: order bias in the judges. They count as ties."
        ),
        Finding::JudgeContradicts { judge, asked, differently, others } => format!(
            "Judge {judge} is inconsistent: {differently} of {asked} pairs that it decided in both orders were answered \
             differently, against {} by the others.",
            percent(*others)
        ),
        Finding::Misfit { ratio, pair, found, expected, cycle } => {
            let cycle = cycle.as_ref().map_or(String::new(), |cycle| {
                format!(" There is a cycle: {} > {} > {} > {}.", cycle[0], cycle[1], cycle[2], cycle[0])
            });
            format!(
                "Strengths do not explain all pairs: deviations are {ratio:.2} times as large as chance makes them; {} has {} \
                 net points against {}, where its strength predicts {}.{cycle}",
                pair.0,
                signed(*found),
                pair.1,
                signed(*expected)
            )
        }
        Finding::ItemsDiffer { design_effect, .. } => format!(
            "Items differ: judgements of one item resemble each other (design effect {design_effect:.2}), so the table is worth \
             fewer judgements than it has."
        ),
        Finding::JudgesDisagree { design_effect, judge, share } => format!(
            "Judges disagree beyond chance (design effect {design_effect:.2}); {judge}, with {} of the judgements, deviates most.",
            percent(*share)
        ),
        Finding::JudgeReversed { judge, units, .. } => format!(
            "Judge {judge} decides against all others ({units} judgements): the winners of this judge may be swapped."
        ),
        Finding::LoudJudge { judge, share, with, without } => format!(
            "Judge {judge} gave {} of the judgements, and decides who is first: {with} with this judge, {without} without.",
            percent(*share)
        ),
        Finding::TiesUneven { competitor, found, expected } => format!(
            "Ties are uneven: {competitor} has {found:.0}, where the fit predicts {expected:.0}; ties may have been recorded \
             differently."
        ),
        Finding::TiesDecide { with, without } => {
            format!("Ties carry the result: {with} is first with them, {without} if they are left out.")
        }
        Finding::NotRandom { competitor, points, found, expected } => {
            let (found_percent, expected_percent) = (100.0 * found, 100.0 * expected);
            let unit = if *points {
                format!(
                    "the model gives {competitor} {found_percent:+.0} points beyond the half per 100 of these, and {expected_percent:+.0} per 100 of all"
                )
            } else {
                format!("{competitor} takes part in {found_percent:.0}% of these, and in {expected_percent:.0}% of all")
            };
            format!(
                "People's questions are not a simple random sample of those of the model: {unit}. Strengths are then those of the questions that \
                 people chose, or wrong; choose questions by lot, or give their probabilities as weights."
            )
        }
        Finding::Duplicates { rows, .. } => format!(
            "{} an earlier one exactly (same pair and order, item, judge and verdict), more than chance explains; each is \
             counted once.",
            count(*rows as u64, "row repeats", "rows repeat")
        ),
    }
}

fn signed(value: f64) -> String {
    format!("{value:+.1}")
}
