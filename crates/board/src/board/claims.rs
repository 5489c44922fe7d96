//! Claims about each competitor, and the best: one relation for words, numbers and the sentence.

use super::Ranks;
use crate::Table;
use crate::group::{GroupFit, difference_of, strongest};
use crate::settings::Settings;
use crate::units::Units;
use serde::Serialize;
use statistics::bradley_terry::{Contrasts, Fit, Look};

/// The claim about a competitor in its group, at the look of the headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Known to beat every other one.
    Best,
    /// Known to beat some other, and not known to be beaten by any.
    AmongTheBest,
    /// Known to be beaten by some other.
    Behind,
    /// Neither is known.
    Open,
}

impl Claim {
    /// In words: `best`, `among the best`, `behind` or `open`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::AmongTheBest => "among the best",
            Self::Behind => "behind",
            Self::Open => "open",
        }
    }
}

/// The basis of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimBasis {
    /// Strengths under Bradley-Terry.
    Strengths,
    /// The judgements of each pair by itself, because no order explains all pairs.
    Pairs,
}

/// The leader, and the claims about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Leader {
    /// Its name.
    pub name: String,
    /// The probability that it is the best, under Bradley-Terry: a posterior.
    pub probability: f64,
    /// The number of competitors that it is known to beat.
    pub beats: usize,
    /// The number of competitors that it is compared with.
    pub others: usize,
    /// The basis of that.
    pub by: ClaimBasis,
    /// The number claimed to be among the best.
    pub among: usize,
    /// The number claimed to be behind.
    pub behind: usize,
    /// The number still open.
    pub open: usize,
}

/// The conclusion of the board.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Conclusion {
    /// The best is known.
    Best(Leader),
    /// It is known to be worse than no other by more than the tolerance.
    WithinTolerance(Leader),
    /// The best is not known.
    Leading(Leader),
    /// No order explains all pairs, and no competitor is known to beat each of the others: the leader by strengths.
    NoOrder(Leader),
    /// Several groups were never compared, even indirectly: the leader of the largest.
    NotConnected(Leader),
    /// Each name was always shown on one side: order and name cannot be distinguished.
    OrderAndNames,
    /// Nothing but ties.
    OnlyTies,
}

/// The claims about a group.
pub(super) struct GroupClaims<'a> {
    group: &'a GroupFit,
    look: Look,
    basis: ClaimBasis,
    /// The member that is known to be the best.
    best: Option<usize>,
}

impl<'a> GroupClaims<'a> {
    /// Under a significant misfit, only pairwise statements count.
    pub(super) fn from_group(group: &'a GroupFit, settings: &Settings, misfits: bool) -> Self {
        let look = settings.looks.look();
        let method = if misfits { ClaimBasis::Pairs } else { ClaimBasis::Strengths };
        let best = if misfits { group.proven.best() } else { best_of(group, settings) };
        Self { group, look, basis: method, best }
    }

    fn beats(&self, first: usize, second: usize) -> bool {
        // The best beats all, even if a pair shows it in no other way.
        match (self.best, self.basis) {
            (Some(best), _) if best == first => first != second,
            (Some(best), _) if best == second => false,
            (_, ClaimBasis::Strengths) => self.group.is_stronger(first, second, self.look),
            (_, ClaimBasis::Pairs) => self.group.proven.beats(first, second),
        }
    }

    /// All pairs in which the first is known to beat the second, by their numbers in the table.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let members = &self.group.members;
        let pairs_of_members =
            (0..members.len()).flat_map(|first| (0..members.len()).map(move |second| (first, second)));
        pairs_of_members
            .filter(|(first, second)| self.beats(*first, *second))
            .map(|(first, second)| (members[first], members[second]))
            .collect()
    }

    /// The best and the worst rank that the strengths allow a member at a look: at that of the headline as it is claimed.
    pub(super) fn ranks(&self, member: usize, look: Look) -> Ranks {
        let stronger = |i: usize, j: usize| {
            if look == self.look && self.basis == ClaimBasis::Strengths {
                self.beats(i, j)
            } else {
                self.group.is_stronger(i, j, look)
            }
        };
        let rivals = || (0..self.group.members.len()).filter(|other| *other != member);
        Ranks {
            best: 1 + rivals().filter(|other| stronger(*other, member)).count(),
            worst: self.group.members.len() - rivals().filter(|other| stronger(member, *other)).count(),
        }
    }

    pub(super) fn claims(&self) -> Vec<Claim> {
        let size = self.group.members.len();
        let claim = |member: usize| {
            if self.best == Some(member) {
                Claim::Best
            } else if (0..size).any(|other| self.beats(other, member)) {
                Claim::Behind
            } else if (0..size).any(|other| self.beats(member, other)) {
                Claim::AmongTheBest
            } else {
                Claim::Open
            }
        };
        (0..size).map(claim).collect()
    }

    fn leader(&self, names: &[String], member: usize) -> Leader {
        let claims = self.claims();
        let count = |of: Claim| claims.iter().filter(|claim| **claim == of).count();
        let size = self.group.members.len();
        Leader {
            name: names[self.group.members[member]].clone(),
            probability: self.group.posterior.best[member],
            beats: (0..size).filter(|other| self.beats(member, *other)).count(),
            others: size - 1,
            by: self.basis,
            among: count(Claim::AmongTheBest),
            behind: count(Claim::Behind),
            open: count(Claim::Open),
        }
    }
}

/// The member that is known to be the best, if an order explains all pairs.
pub(super) fn best_of(group: &GroupFit, settings: &Settings) -> Option<usize> {
    best_by_strengths(&group.fit, &group.contrasts, 0.0, settings)
        .or_else(|| group.fit.prior().filter(|_| group.pairs_count()).and_then(|_| group.proven.best()))
}

/// The member named by its row of one-sided statements: the best, or one that is no worse than any by more than `tolerance`, a share of
/// points. Only the strongest can be the best.
pub(crate) fn best_by_strengths(
    fit: &Fit,
    contrasts: &Contrasts,
    tolerance: f64,
    settings: &Settings,
) -> Option<usize> {
    let difference = difference_of(fit, tolerance);
    let is_named = |member: &usize| contrasts.is_best(*member, difference, settings.looks.look());
    Some(strongest(fit.strengths())).filter(is_named)
}

pub(super) fn conclusion(
    table: &Table,
    fits: &[GroupFit],
    evidence: &GroupClaims<'_>,
    units: &Units,
    settings: &Settings,
) -> Conclusion {
    let fit = &fits[0];
    if units.tally.decided + units.tally.scores == 0 {
        return Conclusion::OnlyTies;
    }
    if fit.confounded {
        return Conclusion::OrderAndNames;
    }
    let leader = evidence.leader(&table.names, evidence.best.unwrap_or_else(|| fit.strongest_member()));
    if fits.len() > 1 {
        return Conclusion::NotConnected(leader);
    }
    match (evidence.best, evidence.basis) {
        (Some(_), _) => Conclusion::Best(leader),
        (None, ClaimBasis::Pairs) => Conclusion::NoOrder(leader),
        (None, ClaimBasis::Strengths) => {
            match best_by_strengths(&fit.fit, &fit.contrasts, settings.tolerance, settings) {
                Some(member) if settings.tolerance > 0.0 => {
                    Conclusion::WithinTolerance(evidence.leader(&table.names, member))
                }
                _ => Conclusion::Leading(leader),
            }
        }
    }
}
