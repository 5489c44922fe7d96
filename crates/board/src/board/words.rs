//! What a board concludes and assumes, in sentences.

use super::{Assumptions, Conclusion, Leader};
use crate::group::GroupFit;
use crate::settings::{Clusters, Settings, TieModel};
use crate::units::Units;
use crate::words::{percent, percent_below};
use crate::{Order, Table};

pub(super) fn sentence(conclusion: &Conclusion, level: f64, groups: usize, competitors: usize) -> String {
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

pub(super) fn assumptions(table: &Table, units: &Units, fits: &[GroupFit], settings: &Settings) -> Assumptions {
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
    let time = " Only totals are looked at, so that the order of rows does not matter; later pairs may depend on earlier verdicts.";
    let level = percent(settings.level);
    let clusters = match fits[0].clusters {
        Clusters::Auto | Clusters::Units => "units are independent",
        Clusters::Item => "different items are independent",
        Clusters::Judge => "different judges are independent",
        Clusters::Both => "judgements that share neither item nor judge are independent",
    };
    let tied = match settings.ties {
        TieModel::Davidson => "",
        TieModel::RaoKupper => "judges tie two whose difference is below a threshold (Rao and Kupper), ",
    };
    let shuffled = if units.unordered {
        " When each judgement was made is unknown, so they are taken in a random order: that is right only if pairs were not chosen by \
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
            "One look under Bradley-Terry, {level} for all ranks together: strengths add up, {tied}{clusters}, and the pairs and the \
             end were not chosen by verdicts."
        ),
        every_look: format!(
            "Every look under Bradley-Terry, {level} for all ranks and looks together: strengths add up, {tied}and each unit follows \
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
}
