//! The board: who is best, which ranks are known, with what to mind.

mod words;

use crate::advice::{self, Advice};
use crate::findings::{self, Found};
use crate::group::GroupFit;
use crate::proven_wins::ProvenWins;
use crate::settings::{Clusters, Settings, TieModel};
use crate::units::{BothOrders, Tally, Units};
use crate::{BoardError, Table};
use serde::Serialize;
use statistics::Counts;
use statistics::bradley_terry::{cells, groups};

/// The best and the worst rank that something allows, from 1, among the members of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Ranks {
    /// The best.
    pub best: usize,
    /// The worst.
    pub worst: usize,
}

/// A competitor on the board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Competitor {
    /// Its name.
    pub name: String,
    /// Its number in the table.
    pub number: usize,
    /// Its group, by the place in [`Board::groups`].
    pub group: usize,
    /// Its rank by strength within the group, from 1.
    pub rank: usize,
    /// Units won.
    pub wins: u64,
    /// Units lost.
    pub losses: u64,
    /// Tied units.
    pub ties: u64,
    /// Its strength: differences are the logarithm of P(win) / P(loss), by Rao and Kupper's model what that would be if nobody
    /// tied. Strengths of a group add up to 0.
    pub strength: f64,
    /// The standard error of the strength.
    pub standard_error: f64,
    /// The probability that it is the best of its group, under Bradley-Terry, for one look: a share of draws from a
    /// normal posterior.
    pub best: f64,
    /// Ranks that one look allows: simultaneous for the group, under Bradley-Terry.
    pub once: Ranks,
    /// Ranks that hold at every look under Bradley-Terry; `None` if they were not computed.
    pub always: Option<Ranks>,
    /// How many competitors are known to beat it, without a model, at every look.
    pub beaten_by: usize,
    /// How many competitors it is known to beat, without a model, at every look.
    pub beats: usize,
    /// The ranks that follow from both if one order explains all pairs.
    pub known: Ranks,
}

/// An estimate with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

/// Competitors that judgements connect, directly or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Names of the members, best first.
    pub members: Vec<String>,
    /// The units among them.
    pub units: u64,
    /// The advantage of the answer shown first, on the scale of strengths; `None` if it was not fitted, because the order is
    /// unknown or cannot be distinguished from the names.
    pub position: Option<Estimate>,
    /// Whether the order is known, but cannot be distinguished from the names: there is no verdict.
    pub order_and_names: bool,
    /// The model of ties.
    pub ties: TieModel,
    /// ν of that model; 0 without ties. By Davidson, P(tie) / sqrt(P(win) P(loss)); by Rao and Kupper, θ² - 1.
    pub tie: f64,
    /// The standard deviation of the strengths, as learnt from the fit; what probabilities of being the best start from.
    pub spread: f64,
    /// The standard deviation of the weak prior that the strengths needed; `None` if their likelihood has a maximum.
    pub prior: Option<f64>,
    /// Members that no member outside of these ever beat or tied with, if there are any.
    pub unbeaten: Vec<String>,
    /// What was taken to be independent.
    pub clusters: Clusters,
    /// The number of clusters; of two kinds, the smaller.
    pub cluster_count: Option<u64>,
    /// The standard errors that a difference needs for one look.
    pub quantile: f64,
    /// What looking at any time costs, in nats: how far predictions fall behind the best fit.
    pub price: Option<f64>,
    /// Pairs left open at every look because there are too many to test.
    pub untested: usize,
}

/// Who is best, as far as is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Leader {
    /// Its name.
    pub name: String,
    /// The probability that it is the best, under Bradley-Terry, for one look.
    pub probability: f64,
    /// How many competitors it is known to beat without a model.
    pub beats: usize,
    /// How many competitors it is compared with.
    pub others: usize,
}

/// What the board concludes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Conclusion {
    /// The best is known at the level asked for.
    Best(Leader),
    /// It is not yet.
    Leading(Leader),
    /// Several groups were never compared, even indirectly: the leader of the largest.
    NotConnected(Leader),
    /// Each name was always shown on one side: order and name cannot be distinguished.
    OrderAndNames,
    /// Nothing but ties.
    OnlyTies,
}

/// What a board assumes, in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumptions {
    /// What a unit is here.
    pub units: String,
    /// What statements without a model assume.
    pub without_model: String,
    /// What intervals for one look assume.
    pub one_look: String,
    /// What statements at every look under Bradley-Terry assume.
    pub every_look: String,
    /// When numbers of ranks follow from "beats" and "is beaten".
    pub ranks: String,
}

/// What a table of judgements says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Board {
    /// The level of confidence.
    pub level: f64,
    /// Who is best.
    pub conclusion: Conclusion,
    /// The same in one sentence.
    pub sentence: String,
    /// All competitors: by group, the largest first, and best first.
    pub competitors: Vec<Competitor>,
    /// Competitors that the table names but never compares with another.
    pub never_compared: Vec<String>,
    /// The groups, the largest first.
    pub groups: Vec<Group>,
    /// What became of the rows.
    pub tally: Tally,
    /// Units that judges saw in both orders.
    pub both_orders: BothOrders,
    /// What would mislead a reader.
    pub findings: Vec<Found>,
    /// What the statements assume.
    pub assumptions: Assumptions,
    /// How many more judgements it takes; `None` if it was not asked for, or there is nothing to decide.
    pub advice: Option<Advice>,
}

impl Board {
    /// The most competitors of a table: memory grows with their square, time with their cube.
    pub const MOST_COMPETITORS: usize = 2_000;

    /// The board of a table.
    ///
    /// # Errors
    /// If a setting is out of range, a judgement does not fit the table, the table compares nobody, or the fit fails.
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, BoardError> {
        settings.check(table)?;
        if table.names.len() > Self::MOST_COMPETITORS {
            return Err(BoardError::TooMany { found: table.names.len(), most: Self::MOST_COMPETITORS });
        }
        let units = Units::of(table)?;
        if units.units.is_empty() {
            let (rows, itself) = (table.judgements.len(), units.tally.self_comparisons);
            return Err(BoardError::Empty { rows, itself });
        }
        let known = ProvenWins::of(table.names.len(), &units, settings.alpha())?;
        let fits = fits(table, &units, settings)?;
        let mut competitors = Vec::new();
        for (place, group) in fits.iter().enumerate() {
            competitors.extend(rows(table, group, place, &known));
        }
        let conclusion = conclusion(table, &fits, &known, &units, settings);
        let findings = if settings.checks { findings::all(table, &units, &fits)? } else { Vec::new() };
        let open = !matches!(conclusion, Conclusion::OrderAndNames | Conclusion::OnlyTies);
        let advice = (settings.advice && open).then(|| advice::of(&table.names, &fits[0], settings));
        let met: Vec<usize> = fits.iter().flat_map(|fit| fit.members.iter().copied()).collect();
        let never = (0..table.names.len()).filter(|number| !met.contains(number));
        Ok(Self {
            level: settings.level,
            sentence: words::sentence(&conclusion, settings.level, fits.len(), met.len()),
            conclusion,
            competitors,
            never_compared: never.map(|number| table.names[number].clone()).collect(),
            groups: fits.iter().map(|fit| group(table, fit)).collect(),
            tally: units.tally,
            both_orders: units.both_orders,
            findings,
            assumptions: words::assumptions(table, &units, &fits, settings),
            advice,
        })
    }
}

/// The fits of all groups with at least two members, the largest first.
fn fits(table: &Table, units: &Units, settings: &Settings) -> Result<Vec<GroupFit>, BoardError> {
    let all = cells(units.units.iter().map(|unit| &unit.comparison));
    let mut groups = groups(table.names.len(), &all);
    groups.retain(|group| group.len() > 1);
    // The sort is stable: equally large groups stay in the order of the table.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut place = vec![(0, 0); table.names.len()];
    for (number, group) in groups.iter().enumerate() {
        group.iter().enumerate().for_each(|(local, member)| place[*member] = (number, local));
    }
    let mut shares = vec![Vec::new(); groups.len()];
    for unit in &units.units {
        let mut unit = *unit;
        let (number, first) = place[unit.comparison.first];
        unit.comparison.first = first;
        unit.comparison.second = place[unit.comparison.second].1;
        shares[number].push(unit);
    }
    let alpha = settings.alpha() / groups.len() as f64;
    let fit = |(members, share)| GroupFit::of(members, share, table.order, settings, alpha, units.unordered);
    groups.into_iter().zip(shares).map(fit).collect()
}

/// The members of a group as they stand on the board.
fn rows(table: &Table, group: &GroupFit, place: usize, known: &ProvenWins) -> Vec<Competitor> {
    let strengths = group.fit.strengths();
    let size = strengths.len();
    let mut counts = vec![Counts::default(); size];
    for unit in &group.units {
        let comparison = unit.comparison;
        let mut outcome = Counts::default();
        outcome.record(unit.outcome());
        for (member, one) in [(comparison.first, outcome), (comparison.second, outcome.swapped())] {
            counts[member].wins += one.wins * comparison.copies;
            counts[member].losses += one.losses * comparison.copies;
            counts[member].ties += one.ties * comparison.copies;
        }
    }
    order(strengths)
        .into_iter()
        .enumerate()
        .map(|(above, member)| {
            let number = group.members[member];
            let ranks = |(best, worst)| Ranks { best, worst };
            let (beaten_by, beats) = known.bounds(number);
            Competitor {
                name: table.names[number].clone(),
                number,
                group: place,
                rank: above + 1,
                wins: counts[member].wins,
                losses: counts[member].losses,
                ties: counts[member].ties,
                strength: strengths[member],
                standard_error: libm::sqrt(group.covariance[member * size + member].max(0.0)),
                best: group.posterior.best[member],
                once: ranks(group.max_t.ranks(member)),
                always: group.statements.as_ref().map(|statements| ranks(statements.ranks(member))),
                beaten_by,
                beats,
                known: Ranks { best: 1 + beaten_by, worst: size - beats },
            }
        })
        .collect()
}

/// Members by strength, best first; equal ones in the order of the table.
fn order(strengths: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..strengths.len()).collect();
    order.sort_by(|a, b| strengths[*b].total_cmp(&strengths[*a]));
    order
}

fn group(table: &Table, fit: &GroupFit) -> Group {
    let name = |member: usize| table.names[fit.members[member]].clone();
    Group {
        members: order(fit.fit.strengths()).into_iter().map(name).collect(),
        units: fit.units.iter().map(|unit| unit.comparison.copies).sum(),
        position: fit.fit.position().zip(fit.position_error).map(|(value, error)| Estimate { value, error }),
        order_and_names: fit.confounded,
        ties: fit.ties,
        tie: fit.fit.tie(),
        spread: fit.posterior.spread,
        prior: fit.fit.prior(),
        unbeaten: fit.unbeaten.iter().map(|member| name(*member)).collect(),
        clusters: fit.clusters,
        cluster_count: fit.cluster_count,
        quantile: fit.max_t.quantile(),
        price: fit.statements.as_ref().map(|statements| statements.price),
        untested: fit.statements.as_ref().map_or(0, |statements| statements.untested),
    }
}

fn conclusion(table: &Table, fits: &[GroupFit], known: &ProvenWins, units: &Units, settings: &Settings) -> Conclusion {
    let fit = &fits[0];
    if units.tally.decided + units.tally.scores == 0 {
        return Conclusion::OnlyTies;
    }
    if fit.confounded {
        return Conclusion::OrderAndNames;
    }
    let member = fit.leader();
    let number = fit.members[member];
    let leader = Leader {
        name: table.names[number].clone(),
        probability: fit.posterior.best[member],
        beats: known.bounds(number).1,
        others: fit.members.len() - 1,
    };
    if fits.len() > 1 {
        Conclusion::NotConnected(leader)
    } else if leader.probability >= settings.level {
        Conclusion::Best(leader)
    } else {
        Conclusion::Leading(leader)
    }
}
