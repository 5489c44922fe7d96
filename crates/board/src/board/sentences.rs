//! The conclusion and the assumptions of a board, in sentences.

use super::{Assumptions, Claim, ClaimBasis, Competitor, Conclusion, Leader};
use crate::findings::{Finding, ReportedFinding};
use crate::group::GroupFit;
use crate::posterior::MOST_SPREAD;
use crate::settings::{Looks, Settings, TieModel};
use crate::text::{enumeration, names, percent};
use crate::winners::Winners;
use crate::{Order, Table};

/// More names are not listed in a sentence.
const NAMES: usize = 4;

/// The subject of the sentence.
pub(super) struct Opening<'a> {
    pub(super) conclusion: &'a Conclusion,
    pub(super) winners: Option<&'a Winners>,
    pub(super) misfit: Option<&'a ReportedFinding>,
    /// The covariates for which strengths are adjusted.
    pub(super) covariates: &'a [String],
}

impl Opening<'_> {
    pub(super) fn sentence(&self, settings: &Settings, groups: usize, competitors: &[Competitor]) -> String {
        let is_of_pairs = matches!(
            self.conclusion,
            Conclusion::Best(leader) | Conclusion::NoOrder(leader) if leader.by == ClaimBasis::Pairs
        );
        let first_sentence = self.unadjusted(settings, groups, competitors);
        match (self.covariates, is_of_pairs) {
            ([], _) => first_sentence,
            (all, false) => format!("{first_sentence} Strengths are adjusted for {}.", all.join(", ")),
            (all, true) => {
                format!("{first_sentence} Pairs are compared as they are, not adjusted for {}.", all.join(", "))
            }
        }
    }

    fn unadjusted(&self, settings: &Settings, groups: usize, competitors: &[Competitor]) -> String {
        let competitor_count = competitors.len();
        match self.conclusion {
            Conclusion::Best(leader)
            | Conclusion::WithinTolerance(leader)
            | Conclusion::Leading(leader)
            | Conclusion::NoOrder(leader) => self.group_sentence(leader, settings, competitors),
            Conclusion::NotConnected(leader) => format!(
                "No verdict on all {competitor_count}: they form {groups} groups that were never compared, not even indirectly. In the largest: {}",
                self.group_sentence(leader, settings, competitors)
            ),
            Conclusion::OrderAndNames => {
                "No verdict: each competitor was always shown on the same side of its pairs, so a preference for a side cannot be \
                 distinguished from a preference for a name. Show both orders; if the columns are not the order shown, declare it \
                 unknown."
                    .to_owned()
            }
            Conclusion::OnlyTies => format!("No verdict: all judgements of the {competitor_count} competitors are ties."),
        }
    }

    fn group_sentence(&self, leader: &Leader, settings: &Settings, competitors: &[Competitor]) -> String {
        let members = leader.others + 1;
        let confidence = format!("{} confidence at {}", percent(settings.level), settings.looks.label());
        let every_other = if leader.others == 1 { "the other" } else { "every other" };
        let is_best = competitors.iter().any(|competitor| competitor.group == 0 && competitor.claim == Claim::Best);
        if leader.by == ClaimBasis::Pairs {
            let verdict = if is_best {
                format!(
                    "Pair by pair, {} is best among {members}: known to beat {every_other} with {confidence}.",
                    leader.name
                )
            } else {
                format!("Pair by pair, none of {members} is known to be best with {confidence}.")
            };
            return format!(
                "{} {verdict}{}",
                no_order_sentence(self.misfit),
                self.winners.map_or_else(String::new, winners_sentence)
            );
        }
        if is_best {
            return format!(
                "{} is best among {members}: known to be stronger than {every_other} with {confidence}.",
                leader.name
            );
        }
        if let Conclusion::WithinTolerance(_) = self.conclusion {
            return format!(
                "{} is no worse than any other of {members} by more than {}: known with {confidence}.",
                leader.name,
                points(settings.tolerance)
            );
        }
        let mut clauses = Vec::new();
        let names_with = |claim: Claim| {
            let with_claim = competitors.iter().filter(|competitor| competitor.group == 0 && competitor.claim == claim);
            names(&with_claim.map(|competitor| competitor.name.clone()).collect::<Vec<_>>(), NAMES)
        };
        if leader.among > 0 {
            clauses.push(format!("{} among the best ({})", leader.among, names_with(Claim::AmongTheBest)));
        }
        if leader.behind > 0 {
            clauses.push(format!("{} behind", leader.behind));
        }
        clauses.push(match leader.open {
            0 => String::new(),
            open if clauses.is_empty() => format!("all {open} open"),
            open => format!("{open} open"),
        });
        clauses.retain(|part| !part.is_empty());
        let level = level_leaders(competitors);
        let clauses = clauses.join(", ");
        if level.len() > 1 {
            let level = enumeration(&level, NAMES);
            return format!("{level} are level among {members}, none known to be best with {confidence}: {clauses}.");
        }
        format!("{} leads among {members}, not known to be best with {confidence}: {clauses}.", leader.name)
    }
}

/// The competitors of the first group with the largest strength: several if the table is the same for them.
fn level_leaders(competitors: &[Competitor]) -> Vec<String> {
    // Strengths of fits, which end within their rounding.
    const ROUNDING: f64 = 1e-9;
    let group = || competitors.iter().filter(|competitor| competitor.group == 0);
    let largest = group().map(|competitor| competitor.strength).fold(f64::NEG_INFINITY, f64::max);
    let is_level = |competitor: &&Competitor| largest - competitor.strength <= ROUNDING;
    group().filter(is_level).map(|competitor| competitor.name.clone()).collect()
}

/// A tolerance as a share of points.
fn points(tolerance: f64) -> String {
    format!("{} points in 100", (1e4 * tolerance).round() / 100.0)
}

/// A sentence that no order explains the judgements.
fn no_order_sentence(misfit: Option<&ReportedFinding>) -> String {
    match misfit.map(|found| &found.finding) {
        Some(Finding::Misfit { cycle: Some(cycle), .. }) => {
            format!("No order explains these judgements: {} > {} > {} > {}.", cycle[0], cycle[1], cycle[2], cycle[0])
        }
        Some(Finding::Misfit { pair: (one, other), .. }) => {
            format!("No order explains these judgements: {one} does better against {other} than strengths predict.")
        }
        _ => "No order explains these judgements.".to_owned(),
    }
}

/// The winners by the shares seen.
fn winners_sentence(winners: &Winners) -> String {
    let condorcet = winners
        .condorcet
        .as_ref()
        .map_or_else(|| "there is no Condorcet winner".to_owned(), |name| format!("the Condorcet winner is {name}"));
    let copeland = match &winners.copeland[..] {
        [one] => format!("the Copeland winner {one}"),
        several => format!("the Copeland winners {}", names(several, NAMES)),
    };
    let lottery: Vec<String> =
        winners.von_neumann.iter().map(|(name, weight)| format!("{name} {}", percent(*weight))).collect();
    let von_neumann = match &winners.von_neumann[..] {
        [] => String::new(),
        [(one, _)] => format!(", the von Neumann winner {one}"),
        _ => format!(", the von Neumann winner a lottery ({})", names(&lottery, NAMES)),
    };
    format!(" By the shares seen, {condorcet}, {copeland}{von_neumann}.")
}

/// A sentence that a claim holds although the posterior is less sure.
fn small_print(conclusion: &Conclusion, settings: &Settings) -> String {
    match conclusion {
        Conclusion::Best(leader) if leader.probability < settings.level => {
            let (assumes, name) = match leader.by {
                ClaimBasis::Strengths => ("draws all strengths towards each other", &leader.name),
                ClaimBasis::Pairs => ("assumes an order, which does not fit here", &leader.name),
            };
            let probability = percent(leader.probability);
            format!(" That of {name}, {probability}, is below the confidence of the claim because it {assumes}.")
        }
        _ => String::new(),
    }
}

pub(super) fn assumptions(
    table: &Table,
    fits: &[GroupFit],
    settings: &Settings,
    conclusion: &Conclusion,
    with_model: bool,
) -> Assumptions {
    let unit = match (table.items.is_empty(), table.judges.is_empty()) {
        (false, false) => "A unit is a pair on an item by one judge: its repeats and both orders count once.",
        (false, true) => "A unit is a pair on an item: without judges, all its judgements count once.",
        (true, _) => "Without items every judgement is a unit: the table cannot show repeats of the same question.",
    };
    let order = match table.order {
        Order::Shown => "the order shown does not depend on the names",
        Order::Unknown => "the order shown, which is unknown, is random",
    };
    let level = percent(settings.level);
    let group = &fits[0];
    let cluster_nouns: Vec<&str> = group.populations.kinds().map(|kind| kind.nouns().1).collect();
    let independent = match cluster_nouns[..] {
        [] => "units are independent".to_owned(),
        [one] => format!("different {one} are independent"),
        _ => format!("judgements that share none of {} are independent", cluster_nouns.join(" and ")),
    };
    let tied = match settings.ties {
        TieModel::Davidson => "",
        TieModel::RaoKupper => "judges tie two whose difference is below a threshold (Rao and Kupper), ",
    };
    let pairs = if cluster_nouns.is_empty() { "decided units" } else { cluster_nouns[0] };
    let counted_populations = if cluster_nouns.is_empty() {
        String::new()
    } else {
        format!(", where each of the {} counts once", cluster_nouns.join(", and each of the "))
    };
    let people_alone = if with_model { " (people alone)" } else { "" };
    let because = match settings.looks {
        Looks::Once => "the table is taken as it is, once",
        Looks::Every => "the table may grow and be looked at again",
    };
    let adjusted = match &table.covariates[..] {
        [] => String::new(),
        all => {
            let names: Vec<&str> = all.iter().map(|covariate| covariate.name.as_str()).collect();
            format!(" These are of the answers as they are, not adjusted for {}.", names.join(", "))
        }
    };
    let slopes = match settings.discrimination {
        true => "judges distinguish competitors more or less well (a slope each), ",
        false => "",
    };
    Assumptions {
        units: unit.to_owned(),
        of_whom: group.populations.generality_note(),
        one_look: format!(
            "One look under Bradley-Terry, {level} for all ranks together: strengths add up, {tied}{slopes}{independent}, estimates are \
             nearly normal, and pairs and the end were not chosen by verdicts."
        ),
        every_look: if with_model {
            "Every look under Bradley-Terry: not stated, because the weight of the model is estimated again at each look, and people's questions \
             must not be chosen by verdicts."
                .to_owned()
        } else {
            format!(
                "Every look under Bradley-Terry, {level} for all ranks and looks together, however pairs were chosen: strengths add up, \
                 {tied}{slopes}{independent}, and estimates are nearly normal (asymptotic)."
            )
        },
        without_model: format!(
            "Beats and beaten by{people_alone}, {level} for all pairs and looks together, without a model: more than half of the {pairs} prefer one to \
             the other{counted_populations}. Ties are left out, and {order}.{adjusted}"
        ),
        claims: format!(
            "Claims are made for {} ({because}). Best: known to beat every other. Among the best: known to beat one, and not known to be \
             beaten. Behind: known to be beaten. Open: neither. P(best) is a posterior under Bradley-Terry, not a claim: strengths are as far apart \
             as the table says, a priori by anything up to {MOST_SPREAD} (standard deviation).{}",
            settings.looks.label(),
            small_print(conclusion, settings)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leader(by: ClaimBasis, [among, behind, open]: [usize; 3]) -> Leader {
        let others = (among + behind + open).max(10) - 1;
        Leader { name: "X".to_owned(), probability: 0.8, beats: behind, others, by, among, behind, open }
    }

    fn sentence(conclusion: &Conclusion, claims: &[(&str, Claim)], settings: &Settings) -> String {
        let competitors =
            claims.iter().zip(1..).map(|((name, claim), rank)| competitor(name, *claim, -f64::from(rank)));
        let competitors: Vec<Competitor> = competitors.collect();
        Opening { conclusion, winners: None, misfit: None, covariates: &[] }.sentence(settings, 2, &competitors)
    }

    fn competitor(name: &str, claim: Claim, strength: f64) -> Competitor {
        let ranks = super::super::Ranks { best: 1, worst: 10 };
        Competitor {
            name: name.to_owned(),
            number: 0,
            group: 0,
            rank: 1,
            wins: 1,
            losses: 1,
            ties: 0,
            strength,
            standard_error: 1.0,
            plain: None,
            claim,
            best: 0.1,
            once: ranks,
            always: Some(ranks),
            beaten_by: 0,
            beats: 0,
        }
    }

    #[test]
    fn the_sentence_claims_what_the_words_do() {
        let settings = Settings::default();
        let best = Conclusion::Best(leader(ClaimBasis::Strengths, [0, 9, 0]));
        assert_eq!(
            sentence(&best, &[("X", Claim::Best)], &settings),
            "X is best among 10: known to be stronger than every other with 95% confidence at one look."
        );
        let leading = Conclusion::Leading(leader(ClaimBasis::Strengths, [2, 7, 1]));
        let claims = [("X", Claim::AmongTheBest), ("Y", Claim::AmongTheBest), ("Z", Claim::Open)];
        let every = Settings { looks: Looks::Every, tolerance: 0.025, ..Settings::default() };
        assert_eq!(
            sentence(&leading, &claims, &every),
            "X leads among 10, not known to be best with 95% confidence at every look: 2 among the best (X, Y), 7 behind, 1 open."
        );
        let open = Conclusion::Leading(leader(ClaimBasis::Strengths, [0, 0, 10]));
        assert!(sentence(&open, &[("X", Claim::Open)], &settings).ends_with(": all 10 open."));
        let tolerance = Conclusion::WithinTolerance(leader(ClaimBasis::Strengths, [2, 7, 1]));
        assert_eq!(
            sentence(&tolerance, &claims, &every),
            "X is no worse than any other of 10 by more than 2.5 points in 100: known with 95% confidence at every look."
        );
        let groups = sentence(&Conclusion::NotConnected(leader(ClaimBasis::Strengths, [0, 0, 10])), &claims, &settings);
        assert!(groups.starts_with("No verdict on all 3") && groups.contains("In the largest: X leads"), "{groups}");
        // Where no order fits, that comes first.
        let none = Conclusion::NoOrder(leader(ClaimBasis::Pairs, [0, 0, 10]));
        let said = sentence(&none, &[("X", Claim::Open)], &settings);
        assert!(said.starts_with("No order explains") && said.contains("none of 10 is known to be best"), "{said}");
    }

    #[test]
    fn level_competitors_do_not_lead() {
        let opening = Opening {
            conclusion: &Conclusion::Leading(leader(ClaimBasis::Strengths, [0, 0, 3])),
            winners: None,
            misfit: None,
            covariates: &[],
        };
        let competitors = [("X", 0.5), ("Y", 0.5 - 1e-12), ("Z", 0.4)];
        let competitors = competitors.map(|(name, strength)| competitor(name, Claim::Open, strength));
        assert_eq!(
            opening.sentence(&Settings::default(), 1, &competitors),
            "X and Y are level among 10, none known to be best with 95% confidence at one look: all 3 open."
        );
    }

    #[test]
    fn winners_are_called_by_their_names() {
        let winners = |condorcet: Option<&str>, lottery: &[(&str, f64)]| Winners {
            condorcet: condorcet.map(str::to_owned),
            copeland: lottery.iter().map(|one| one.0.to_owned()).collect(),
            von_neumann: lottery.iter().map(|one| (one.0.to_owned(), one.1)).collect(),
        };
        assert_eq!(
            winners_sentence(&winners(None, &[("a", 0.4), ("b", 0.4), ("c", 0.2)])),
            " By the shares seen, there is no Condorcet winner, the Copeland winners a, b, c, the von Neumann winner a lottery (a 40%, b \
             40%, c 20%)."
        );
        assert_eq!(
            winners_sentence(&winners(Some("a"), &[("a", 1.0)])),
            " By the shares seen, the Condorcet winner is a, the Copeland winner a, the von Neumann winner a."
        );
    }
}
