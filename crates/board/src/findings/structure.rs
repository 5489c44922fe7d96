//! Facts about which competitors were compared.

use super::Finding;
use crate::Table;
use crate::group::GroupFit;
use crate::units::Units;

pub(super) fn facts(table: &Table, units: &Units, fits: &[GroupFit]) -> Vec<Finding> {
    let names = |fit: &GroupFit| fit.members.iter().map(|member| table.names[*member].clone()).collect::<Vec<_>>();
    let mut facts = Vec::new();
    if fits.len() > 1 {
        facts.push(Finding::NotConnected { groups: fits.iter().map(names).collect() });
    }
    facts.extend(fits.iter().filter(|fit| fit.confounded).map(|fit| Finding::OrderAndNames { members: names(fit) }));
    if units.tally.self_comparisons > 0 {
        const MAX_ROWS: usize = 5;
        let first_rows = units.self_rows.iter().take(MAX_ROWS).copied().collect();
        facts.push(Finding::SelfComparisons { rows: units.tally.self_comparisons, first: first_rows });
    }
    facts
}
