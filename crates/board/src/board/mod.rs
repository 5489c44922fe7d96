//! The board: the best competitor, the known ranks, and warnings.

mod advice;
mod chances;
mod claims;
mod discrimination;
mod effects;
mod sentences;

pub use advice::Advice;
pub use chances::{Chance, chance_list};
pub(crate) use claims::best_by_strengths;
pub use claims::{Claim, ClaimBasis, Conclusion, Leader};
pub use discrimination::{Discrimination, JudgeSlope};
pub use effects::Effect;

use crate::estimate::Estimate;
use crate::findings::{self, Finding, ReportedFinding};
use crate::gold::{Audit, Gold, ModelReport};
use crate::group::GroupFit;
use crate::populations::Population;
use crate::settings::{Clusters, Looks, Settings, TieModel};
use crate::units::{BothOrders, RowCounts, Unit, Units};
use crate::winners::Winners;
use crate::{BoardError, Table};
use claims::GroupClaims;
use serde::Serialize;
use statistics::Counts;
use statistics::bradley_terry::{Look, cells, groups};

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
    /// Its strength: differences are the logarithm of P(win) / P(loss), by Rao and Kupper's model its value without ties.
    /// Strengths of a group add up to 0.
    pub strength: f64,
    /// The standard error of the strength.
    pub standard_error: f64,
    /// The strength of the fit without covariates and slopes of judges; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Estimate>,
    /// The claim about it, at the look of the headline.
    pub claim: Claim,
    /// The probability that it is the best of its group, under Bradley-Terry: a posterior; its prior has the spread of strengths, learnt
    /// from the table. Of small groups exact up to the error of 4,000 draws, of larger ones by a normal approximation.
    pub best: f64,
    /// Ranks that one look allows: simultaneous for the group, under Bradley-Terry.
    pub once: Ranks,
    /// Ranks that hold at every look, simultaneous as well, under Bradley-Terry; `None` if strengths are corrected by a model.
    pub always: Option<Ranks>,
    /// The number of competitors that are known to beat it, without a model, at every look.
    pub beaten_by: usize,
    /// The number of competitors that it is known to beat, without a model, at every look.
    pub beats: usize,
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
    /// The standard deviation of the strengths, as learnt from the fit; the basis of probabilities of being the best.
    pub spread: f64,
    /// The standard deviation of the weak prior that the strengths needed; `None` if their likelihood has a maximum.
    pub prior: Option<f64>,
    /// Members that no member outside of these ever beat or tied with, if there are any.
    pub unbeaten: Vec<String>,
    /// The units that were taken to be independent; never `auto`.
    pub clusters: Clusters,
    /// The items and judges that the table names, and whether statements extend beyond them.
    pub populations: Vec<Population>,
    /// The standard errors that a difference needs for one look, if there are many clusters.
    pub quantile: f64,
    /// The number of pairs of members with a known order under Bradley-Terry, at one look.
    pub known_once: usize,
    /// The same at every look; `None` if strengths are corrected by a model.
    pub known_always: Option<usize>,
}

/// The assumptions of a board, in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assumptions {
    /// The definition of a unit here.
    pub units: String,
    /// The population that statements are about, or the items and judges of the table alone.
    pub of_whom: String,
    /// Assumptions of ranks at one look.
    pub one_look: String,
    /// Assumptions of ranks at every look.
    pub every_look: String,
    /// Assumptions of statements without a model.
    pub without_model: String,
    /// The meaning of the words for each competitor.
    pub claims: String,
}

/// The statements about a table of judgements.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Board {
    /// The level of confidence.
    pub level: f64,
    /// The look that the headline and the claims are made for.
    pub looks: Looks,
    /// The best competitor, as far as it is known.
    pub conclusion: Conclusion,
    /// The same in one sentence; where no order explains the judgements, that comes first.
    pub sentence: String,
    /// Winners by other notions, if no order explains the judgements.
    pub winners: Option<Winners>,
    /// All competitors: by group, the largest first, and best first.
    pub competitors: Vec<Competitor>,
    /// Competitors that the table names but never compares with another.
    pub never_compared: Vec<String>,
    /// The groups, the largest first.
    pub groups: Vec<Group>,
    /// Counts of the rows by their treatment.
    pub tally: RowCounts,
    /// Units that judges saw in both orders.
    pub both_orders: BothOrders,
    /// Warnings about the table.
    pub findings: Vec<ReportedFinding>,
    /// Which judgements name no judge or no item although others do, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<String>,
    /// Populations with too few members in the table to generalise, in sentences.
    pub too_few: Vec<String>,
    /// The assumptions of the statements.
    pub assumptions: Assumptions,
    /// The number of further judgements needed; `None` if not requested, if there is nothing to decide, or if strengths are corrected by a
    /// model.
    pub advice: Option<Advice>,
    /// The model that corrects strengths, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelReport>,
    /// The effects of covariates, for which strengths are adjusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// How well judges distinguish the competitors of the largest group; `None` if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discrimination: Option<Discrimination>,
}

impl Board {
    /// The most competitors of a table: memory grows with their square, time with their cube.
    pub const MOST_COMPETITORS: usize = 2_000;

    /// The board of a table.
    ///
    /// # Errors
    /// If a setting is out of range, a judgement does not fit the table, the table compares no two
    /// competitors, or the fit fails.
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, BoardError> {
        Self::weighted(table, settings, &|_| 1.0).map(|(board, _)| board)
    }

    /// The board of people's judgements, with strengths that a model's judgements make more precise: prediction-powered and power-tuned
    /// ([`statistics::bradley_terry::PredictionPowered`]). Claims hold for people, at one look, if the questions that people judged are a
    /// random sample of those of the model, or people's weights are the inverse of their probabilities. Statements without a model of
    /// strengths, and findings, come from people's judgements alone.
    ///
    /// # Errors
    /// As for [`new`](Self::new); if people and the model have no question in common, claims for every look are requested, a table has
    /// covariates, or discrimination is requested.
    pub fn with_gold(gold: &Gold, settings: &Settings) -> Result<Self, BoardError> {
        let audit = Audit::of(gold, settings)?;
        let (units, people_fits) = fitted_groups(&audit.people, settings, &|_| 1.0)?;
        let (fits, report) = audit.corrected(&units, &people_fits, settings)?;
        let fitted = FittedTable { table: &audit.people, units: &units, people_fits: &people_fits, fits: &fits };
        Self::from_fits(&fitted, audit.tests(&units), Some(report), settings).map(|(board, _)| board)
    }

    /// The board of a table in which a unit counts as often as given at the place of its last row, 0 for not at all; and which competitors
    /// of the largest group are known to beat which at the look of the headline, by their numbers in the table.
    pub(crate) fn weighted(
        table: &Table,
        settings: &Settings,
        factor: &dyn Fn(usize) -> f64,
    ) -> Result<(Self, Vec<(usize, usize)>), BoardError> {
        let (units, fits) = fitted_groups(table, settings, factor)?;
        Self::from_fits(
            &FittedTable { table, units: &units, people_fits: &fits, fits: &fits },
            Vec::new(),
            None,
            settings,
        )
    }

    fn from_fits(
        fitted: &FittedTable<'_>,
        tests: Vec<findings::Test>,
        model: Option<ModelReport>,
        settings: &Settings,
    ) -> Result<(Self, Vec<(usize, usize)>), BoardError> {
        let FittedTable { table, units, people_fits: alone, fits } = *fitted;
        // The test whether an order explains the judgements is run whenever its result matters.
        let may_name = best_by_strengths(&fits[0].fit, &fits[0].contrasts, settings.tolerance, settings).is_some()
            || claims::best_of(&fits[0], settings).is_some();
        let mut findings =
            if settings.checks || may_name { findings::all(table, units, alone, tests)? } else { Vec::new() };
        let misfit = findings.iter().find(|reported| matches!(reported.finding, Finding::Misfit { .. })).cloned();
        if !settings.checks {
            findings.clear();
        }
        let mut competitors = Vec::new();
        let mut conclusion = None;
        let mut beats_by_competitor = Vec::new();
        for (group_index, group) in fits.iter().enumerate() {
            // Tests are made only in the largest group.
            let claims = GroupClaims::from_group(group, settings, misfit.is_some() && group_index == 0);
            competitors.extend(competitor_rows(table, group, group_index, &claims, model.is_none()));
            if group_index == 0 {
                let reported = claims::conclusion(table, fits, &claims, units, settings);
                if !matches!(reported, Conclusion::OrderAndNames | Conclusion::OnlyTies) {
                    beats_by_competitor = claims.pairs();
                }
                conclusion = Some(reported);
            }
        }
        let conclusion = conclusion.expect("a table with a comparison has a group");
        let winners = misfit.as_ref().and_then(|_| Winners::of(&table.names, &fits[0]));
        let is_open = !matches!(conclusion, Conclusion::OrderAndNames | Conclusion::OnlyTies);
        let advice = (settings.advice && is_open && model.is_none())
            .then(|| advice::advise(&table.names, &fits[0], settings, &conclusion));
        let fitted_members: Vec<usize> = fits.iter().flat_map(|fit| fit.members.iter().copied()).collect();
        let unfitted = (0..table.names.len()).filter(|number| !fitted_members.contains(number));
        let covariates: Vec<String> = table.covariates.iter().map(|covariate| covariate.name.clone()).collect();
        let opening = sentences::Opening {
            conclusion: &conclusion,
            winners: winners.as_ref(),
            misfit: misfit.as_ref(),
            covariates: &covariates,
        };
        let assumptions = sentences::assumptions(table, fits, settings, &conclusion, model.is_some());
        let board = Self {
            level: settings.level,
            looks: settings.looks,
            sentence: opening.sentence(settings, fits.len(), &competitors),
            conclusion,
            winners,
            competitors,
            never_compared: unfitted.map(|number| table.names[number].clone()).collect(),
            groups: fits.iter().map(|fit| group(table, fit, model.is_none())).collect(),
            tally: units.tally,
            both_orders: units.both_orders,
            findings,
            unnamed: fits[0].populations.missing_names_note(table),
            too_few: fits[0].populations.too_few_note(settings.looks.label()),
            assumptions,
            advice,
            model,
            effects: effects::effects_of(&covariates, &fits[0]),
            discrimination: discrimination::discrimination_of(table, &fits[0]),
        };
        Ok((board, beats_by_competitor))
    }
}

/// A table, its units, and the fits of its groups: those of its judgements alone, and those for claims.
struct FittedTable<'a> {
    table: &'a Table,
    units: &'a Units,
    people_fits: &'a [GroupFit],
    fits: &'a [GroupFit],
}

/// The units of a table, each with its weight times a factor by the place of its last row, and the fits of all groups with at least two members, the
/// largest first.
pub(crate) fn fitted_groups(
    table: &Table,
    settings: &Settings,
    factor: &dyn Fn(usize) -> f64,
) -> Result<(Units, Vec<GroupFit>), BoardError> {
    settings.check(table)?;
    if table.names.len() > Board::MOST_COMPETITORS {
        return Err(BoardError::TooMany { found: table.names.len(), most: Board::MOST_COMPETITORS });
    }
    let mut units = Units::of(table)?;
    units.units.iter_mut().for_each(|unit| unit.comparison.weight *= factor(unit.last_row));
    units.units.retain(|unit| unit.comparison.weight > 0.0);
    if units.units.is_empty() {
        let (rows, itself) = (table.judgements.len(), units.tally.self_comparisons);
        return Err(BoardError::Empty { rows, itself });
    }
    let (groups, units_of_groups) = units_by_group(table, &units);
    let alpha = settings.alpha() / groups.len() as f64;
    if groups.len() > 1 && !table.covariates.is_empty() {
        return Err(BoardError::Groups { groups: groups.len() });
    }
    let fit = |(members, share)| GroupFit::of(table, members, share, settings, alpha);
    let fits = groups.into_iter().zip(units_of_groups).map(fit).collect::<Result<_, _>>()?;
    Ok((units, fits))
}

/// The members of all groups of at least two, the largest first, and the units of each, by places among its members.
pub(crate) fn units_by_group(table: &Table, units: &Units) -> (Vec<Vec<usize>>, Vec<Vec<Unit>>) {
    let cells_of_units = cells(units.units.iter().map(|unit| &unit.comparison));
    let mut groups = groups(table.names.len(), &cells_of_units);
    groups.retain(|group| group.len() > 1);
    // The sort is stable: equally large groups stay in the order of the table.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut group_and_member = vec![(0, 0); table.names.len()];
    for (number, group) in groups.iter().enumerate() {
        group.iter().enumerate().for_each(|(local, member)| group_and_member[*member] = (number, local));
    }
    let mut units_of_groups = vec![Vec::new(); groups.len()];
    for unit in &units.units {
        let mut unit = *unit;
        let (number, first_member) = group_and_member[unit.comparison.first];
        unit.comparison.first = first_member;
        unit.comparison.second = group_and_member[unit.comparison.second].1;
        units_of_groups[number].push(unit);
    }
    (groups, units_of_groups)
}

/// The members of a group as rows of the board, with or without ranks of every look.
fn competitor_rows(
    table: &Table,
    group: &GroupFit,
    group_index: usize,
    group_claims: &GroupClaims<'_>,
    every_look: bool,
) -> Vec<Competitor> {
    let claims = group_claims.claims();
    let strengths = group.fit.strengths();
    let size = strengths.len();
    let mut counts = vec![Counts::default(); size];
    for unit in &group.units {
        let comparison = unit.comparison;
        let mut outcome = Counts::default();
        outcome.record(unit.outcome());
        for (member, outcome_of_member) in [(comparison.first, outcome), (comparison.second, outcome.swapped())] {
            counts[member].wins += outcome_of_member.wins * comparison.copies;
            counts[member].losses += outcome_of_member.losses * comparison.copies;
            counts[member].ties += outcome_of_member.ties * comparison.copies;
        }
    }
    order(strengths)
        .into_iter()
        .enumerate()
        .map(|(above, member)| {
            let number = group.members[member];
            let (beaten_by, beaten_members) = group.proven.bounds(member);
            Competitor {
                name: table.names[number].clone(),
                number,
                group: group_index,
                rank: above + 1,
                wins: counts[member].wins,
                losses: counts[member].losses,
                ties: counts[member].ties,
                strength: strengths[member],
                standard_error: group.errors[member],
                plain: group
                    .plain_estimates
                    .as_ref()
                    .map(|estimates| Estimate { value: estimates[member].0, error: estimates[member].1 }),
                claim: claims[member],
                best: group.posterior.best[member],
                once: group_claims.ranks(member, Look::Once),
                always: every_look.then(|| group_claims.ranks(member, Look::Every)),
                beaten_by,
                beats: beaten_members,
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

fn group(table: &Table, fit: &GroupFit, every_look: bool) -> Group {
    let name = |member: usize| table.names[fit.members[member]].clone();
    Group {
        members: order(fit.fit.strengths()).into_iter().map(name).collect(),
        units: fit.units.iter().map(|unit| unit.comparison.copies).sum(),
        position: fit.position().map(|(value, error)| Estimate { value, error }),
        order_and_names: fit.confounded,
        ties: fit.ties,
        tie: fit.fit.tie(),
        spread: fit.posterior.spread,
        prior: fit.fit.prior(),
        unbeaten: fit.unbeaten.iter().map(|member| name(*member)).collect(),
        clusters: fit.populations.clusters,
        populations: fit.populations.populations.clone(),
        quantile: fit.contrasts.quantile(),
        known_once: fit.contrasts.known_pairs(Look::Once),
        known_always: every_look.then(|| fit.contrasts.known_pairs(Look::Every)),
    }
}
