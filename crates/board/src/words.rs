//! What a board says, in sentences.

use crate::advice::Advice;
use crate::board::{Assumptions, Conclusion, Leader};
use crate::findings::Finding;
use crate::group::GroupFit;
use crate::settings::{Clusters, Settings};
use crate::units::Units;
use crate::{Order, Table};

/// A probability in percent that never rounds to certainty.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        p if p > 99.9 => ">99.9%".to_owned(),
        p if p < 0.1 && p > 0.0 => "<0.1%".to_owned(),
        p if (1.0..=99.0).contains(&p) => format!("{p:.0}%"),
        p => format!("{p:.1}%"),
    }
}

/// A probability below the level, in percent that does not round up to it.
fn percent_below(share: f64, level: f64) -> String {
    let rounded = percent(share);
    if rounded == percent(level) { format!("{:.1}%", (1_000.0 * share).floor() / 10.0) } else { rounded }
}

/// The names, at most `most` of them.
pub(crate) fn names(all: &[String], most: usize) -> String {
    let shown = all.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    if all.len() > most { format!("{shown} and {} more", all.len() - most) } else { shown }
}

/// A number with its noun.
pub(crate) fn count(number: impl Into<u64>, one: &str, many: &str) -> String {
    let number: u64 = number.into();
    format!("{number} {}", if number == 1 { one } else { many })
}

pub(crate) fn sentence(conclusion: &Conclusion, level: f64, groups: usize, competitors: usize) -> String {
    let beats = |leader: &Leader| match (leader.beats, leader.others) {
        (0, _) => "it is not known to beat any of them".to_owned(),
        (beats, others) if beats == others => format!("it is known to beat all {others} others"),
        (beats, _) => format!("it is known to beat {beats} of them"),
    };
    let best = |leader: &Leader| {
        let Leader { name, probability, others, .. } = leader;
        let share = if *probability < level {
            format!("{} (not enough: {} wanted)", percent_below(*probability, level), percent(level))
        } else {
            percent(*probability)
        };
        format!("{name} is best among {} with {share}; {}.", others + 1, beats(leader))
    };
    match conclusion {
        Conclusion::Best(leader) | Conclusion::Leading(leader) => best(leader),
        Conclusion::NotConnected(leader) => format!(
            "No verdict on all {competitors}: they form {groups} groups that were never compared, not even indirectly. In \
             the largest, {}",
            best(leader)
        ),
        Conclusion::OrderAndNames => {
            "No verdict: each competitor was always shown on the same side of its pairs, so a preference for a side cannot be \
             distinguished from a preference for a name. Show both orders; if the columns are not the order shown, declare it unknown."
                .to_owned()
        }
        Conclusion::OnlyTies => format!("No verdict: all judgements of the {competitors} competitors are ties."),
    }
}

/// A finding in one sentence.
pub(crate) fn finding(finding: &Finding) -> String {
    const NAMES: usize = 4;
    match finding {
        Finding::NotConnected { groups } => {
            let all: Vec<String> = groups.iter().map(|group| format!("{{{}}}", names(group, NAMES))).collect();
            format!(
                "The table falls into {} groups that were never compared, not even indirectly: {}; ranks hold within a group \
                 only.",
                groups.len(),
                names(&all, NAMES)
            )
        }
        Finding::OrderAndNames { members } => format!(
            "Among {}, each competitor was always shown on the same side of its pairs, so a preference for a side cannot be \
             distinguished from a preference for a name.",
            names(members, NAMES)
        ),
        Finding::SelfComparisons { rows, first } => {
            let numbers: Vec<String> = first.iter().map(u64::to_string).collect();
            let all = if *rows > first.len() { ", ..." } else { "" };
            format!(
                "{} a competitor with itself and {} set aside (row {}{all}).",
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
        Finding::Duplicates { rows, .. } => format!(
            "{} an earlier one exactly (same pair and order, item, judge and verdict), more than chance explains; each is \
             counted once.",
            count(*rows as u64, "row repeats", "rows repeat")
        ),
    }
}

/// How many more judgements it takes.
pub(crate) fn advice(advice: &Advice, level: f64) -> String {
    let level = percent(level);
    let contenders = count(advice.contenders.len() as u64, "contender", "contenders");
    let number = match advice.more {
        Some(0) => {
            format!("The best is known with {level} under Bradley-Terry; no more judgements are needed for that.")
        }
        Some(more) => format!(
            "About {more} more judgements, all pairs of the {contenders} as often, name the best with {level} in half of all \
             cases."
        ),
        None => format!(
            "More than {} more judgements would be needed to name the best with {level}: the {contenders} are too close.",
            Advice::MOST
        ),
    };
    let with = if advice.more == Some(0) { "The judgements so far" } else { "That many" };
    match advice.inseparable.first() {
        None => number,
        Some((first, second)) => format!(
            "{number} {with} do not separate {}, such as {first} and {second}.",
            count(advice.inseparable_count as u64, "pair of contenders", "pairs of contenders")
        ),
    }
}

fn signed(value: f64) -> String {
    format!("{value:+.1}")
}

pub(crate) fn assumptions(table: &Table, units: &Units, fits: &[GroupFit], settings: &Settings) -> Assumptions {
    let unit = match (table.items.is_empty(), table.judges.is_empty()) {
        (false, false) => {
            "A unit is a pair on an item by one judge: its repeats and both orders count once. Units are independent."
        }
        (false, true) => {
            "A unit is a pair on an item: without judges, all its judgements count once. Units are independent."
        }
        (true, _) => {
            "Without items every judgement is a unit: the table cannot show repeats of the same question, and judgements are \
             assumed to be independent."
        }
    };
    let order = match table.order {
        Order::Shown => " The order shown does not depend on the names.",
        Order::Unknown => " The order shown is unknown, and assumed to be random.",
    };
    let time = if units.counted {
        " Rows that count several judgements have no order, so only their totals are looked at."
    } else {
        " Judgements are taken in the order of the table; later pairs may depend on earlier verdicts."
    };
    let level = percent(settings.level);
    let clusters = match fits[0].clusters {
        Clusters::Auto | Clusters::Units => "units are independent",
        Clusters::Item => "different items are independent",
        Clusters::Judge => "different judges are independent",
        Clusters::Both => "judgements that share neither item nor judge are independent",
    };
    let shuffled = if units.counted {
        " Rows that count several judgements are spread out in a random order, which is fair only if pairs were not chosen by \
         verdicts."
    } else {
        ""
    };
    Assumptions {
        units: unit.to_owned(),
        without_model: format!(
            "Known without a model, {level} for all pairs and looks together: if a competitor wins at most half of its \
             decided units with another, whatever came before, then it is not said to beat it. Ties are left out.{order}{time}"
        ),
        one_look: format!(
            "One look under Bradley-Terry, {level} for all ranks together: strengths add up, {clusters}, and the pairs and the \
             end were not chosen by verdicts."
        ),
        every_look: format!(
            "Every look under Bradley-Terry, {level} for all ranks and looks together: strengths add up, and each unit follows \
             them given all before, however pairs were chosen.{shuffled}"
        ),
        ranks: "Ranks follow from who beats whom only if one order explains all pairs.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leader(probability: f64, beats: usize) -> Leader {
        Leader { name: "X".to_owned(), probability, beats, others: 9 }
    }

    #[test]
    fn the_sentence_comes_first() {
        let of = |conclusion: Conclusion| sentence(&conclusion, 0.95, 2, 13);
        assert_eq!(
            of(Conclusion::Leading(leader(0.87, 3))),
            "X is best among 10 with 87% (not enough: 95% wanted); it is known to beat 3 of them."
        );
        assert_eq!(
            of(Conclusion::Best(leader(0.98, 9))),
            "X is best among 10 with 98%; it is known to beat all 9 others."
        );
        // What is not enough never looks like enough.
        assert!(of(Conclusion::Leading(leader(0.9499, 0))).contains("94.9% (not enough: 95% wanted)"));
        assert!(of(Conclusion::Best(leader(0.9999, 0))).contains(">99.9%"));
        let groups = of(Conclusion::NotConnected(leader(0.6, 0)));
        assert!(
            groups.starts_with("No verdict on all 13") && groups.contains("In the largest, X is best among 10"),
            "{groups}"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        let all: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        assert_eq!((names(&all, 3), names(&all, 5)), ("a, b, c and 2 more".to_owned(), "a, b, c, d, e".to_owned()));
        assert_eq!(
            (count(1_u64, "row", "rows"), count(2_u64, "row", "rows")),
            ("1 row".to_owned(), "2 rows".to_owned())
        );
    }
}
