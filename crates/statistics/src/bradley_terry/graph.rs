//! The graph of comparisons: groups, and whether finite strengths and a position effect exist.

use super::comparison::Cell;
use crate::StatisticsError;

/// The groups of arms that comparisons connect, directly or not: each in rising order, the groups by their first arm.
///
/// # Panics
/// If a cell has an arm that does not exist.
#[must_use]
pub fn groups(arms: usize, cells: &[Cell]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); arms];
    for cell in cells.iter().filter(|cell| cell.total() > 0.0) {
        near[cell.first].push(cell.second);
        near[cell.second].push(cell.first);
    }
    let mut is_grouped = vec![false; arms];
    let mut groups = Vec::new();
    for arm in 0..arms {
        if !is_grouped[arm] {
            let mut group = reachable_arms(&near, arm);
            group.iter().for_each(|member| is_grouped[*member] = true);
            group.sort_unstable();
            groups.push(group);
        }
    }
    groups
}

/// The arms that arrows lead to from `start`, which comes first.
fn reachable_arms(arrows: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut is_seen = vec![false; arrows.len()];
    let mut reached_arms = vec![start];
    is_seen[start] = true;
    let mut next_index = 0;
    while next_index < reached_arms.len() {
        for &to in &arrows[reached_arms[next_index]] {
            if !std::mem::replace(&mut is_seen[to], true) {
                reached_arms.push(to);
            }
        }
        next_index += 1;
    }
    reached_arms
}

/// Finite strengths exist only if no group of arms was never beaten by, or tied with, an arm outside of it.
pub(super) fn check_connected(arms: usize, cells: &[Cell]) -> Result<(), StatisticsError> {
    unbeaten_group(arms, cells).map_or(Ok(()), |group| Err(StatisticsError::Separated { group }))
}

/// A group of arms, not all of them, that no arm outside of it has ever beaten or tied with, if there is one.
#[must_use]
pub fn unbeaten_group(arms: usize, cells: &[Cell]) -> Option<Vec<usize>> {
    // An arrow from each arm to those that it beat or tied with.
    let mut beaten_by_arm = vec![Vec::new(); arms];
    for cell in cells {
        if cell.wins + cell.ties > 0.0 {
            beaten_by_arm[cell.first].push(cell.second);
        }
        if cell.losses + cell.ties > 0.0 {
            beaten_by_arm[cell.second].push(cell.first);
        }
    }
    // The arms that an arm reaches beat no others, so the others were never beaten from outside.
    (0..arms).find_map(|arm| {
        let mut outside = vec![true; arms];
        reachable_arms(&beaten_by_arm, arm).iter().for_each(|member| outside[*member] = false);
        let group: Vec<usize> = (0..arms).filter(|other| outside[*other]).collect();
        (!group.is_empty()).then_some(group)
    })
}

/// With ties, strengths and ν may grow together for ever: if there are numbers with a difference of at least 1 for every
/// win and at most 1 for every tie, then moving along them explains all outcomes ever better.
pub(super) fn check_ties(arms: usize, cells: &[Cell]) -> Result<(), StatisticsError> {
    if cells.iter().all(|cell| cell.ties == 0.0) {
        return Ok(());
    }
    // Constraints of the form x[to] <= x[from] + length; Bellman and Ford find a solution unless a cycle is negative.
    let mut constraints = Vec::new();
    for cell in cells {
        let (i, j) = (cell.first, cell.second);
        if cell.wins > 0.0 {
            constraints.push((i, j, -1));
        }
        if cell.losses > 0.0 {
            constraints.push((j, i, -1));
        }
        if cell.ties > 0.0 {
            constraints.extend([(i, j, 1), (j, i, 1)]);
        }
    }
    let mut value = vec![0_i64; arms];
    for _ in 0..=arms {
        let mut changed = false;
        for &(from, to, length) in &constraints {
            if value[from] + length < value[to] {
                value[to] = value[from] + length;
                changed = true;
            }
        }
        if !changed {
            return Err(StatisticsError::Unbounded);
        }
    }
    Ok(())
}

/// Whether comparisons can separate an advantage of the arm shown first from strengths. They cannot if some numbers have a
/// difference equal to the position in every cell, for example if the first of two names was always shown first.
///
/// # Panics
/// If a cell has an arm that does not exist.
#[must_use]
pub fn position_is_determined(arms: usize, cells: &[Cell]) -> bool {
    let mut near = vec![Vec::new(); arms];
    for cell in cells.iter().filter(|cell| cell.total() > 0.0) {
        near[cell.first].push((cell.second, cell.position));
        near[cell.second].push((cell.first, -cell.position));
    }
    let mut height: Vec<Option<f64>> = vec![None; arms];
    for start in 0..arms {
        if height[start].is_some() {
            continue;
        }
        height[start] = Some(0.0);
        let mut pending = vec![start];
        while let Some(arm) = pending.pop() {
            let arm_height = height[arm].expect("an open arm has a height");
            for &(other, position) in &near[arm] {
                match height[other] {
                    None => {
                        height[other] = Some(arm_height - position);
                        pending.push(other);
                    }
                    Some(there) if (arm_height - position - there).abs() > 1e-9 => return true,
                    Some(_) => {}
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bradley_terry::Covariates;

    fn cell(first: usize, second: usize, position: f64, [wins, losses, ties]: [f64; 3]) -> Cell {
        let (covariates, slope) = (Covariates::default(), None);
        Cell { first, second, position, wins, losses, ties, covariates, slope }
    }

    #[test]
    fn groups_are_connected_by_any_outcome() {
        let cells = [cell(0, 2, 0.0, [1.0, 0.0, 0.0]), cell(4, 2, 0.0, [0.0, 0.0, 1.0]), cell(1, 3, 0.0, [0.0; 3])];
        assert_eq!(groups(5, &cells), [vec![0, 2, 4], vec![1], vec![3]]);
    }

    #[test]
    fn position_needs_both_orders_or_a_cycle() {
        let won = [1.0, 1.0, 0.0];
        let mut cells = vec![cell(0, 1, 1.0, won), cell(1, 2, 1.0, won)];
        assert!(!position_is_determined(3, &cells));
        // 0 before 1 before 2 before 0: no heights fit.
        cells.push(cell(2, 0, 1.0, won));
        assert!(position_is_determined(3, &cells));
        assert!(position_is_determined(2, &[cell(0, 1, 1.0, won), cell(0, 1, -1.0, won)]));
        assert!(!position_is_determined(2, &[cell(0, 1, 0.0, won)]));
    }

    #[test]
    fn ties_do_not_replace_losses() {
        // Wins and ties of one pair: strengths and ties grow together.
        assert_eq!(check_ties(2, &[cell(0, 1, 0.0, [5.0, 0.0, 5.0])]), Err(StatisticsError::Unbounded));
        assert!(check_ties(2, &[cell(0, 1, 0.0, [5.0, 1.0, 5.0])]).is_ok());
        // A chain 0 > 1 > 2 of wins with a tie of its ends.
        let chain =
            [cell(0, 1, 0.0, [1.0, 0.0, 0.0]), cell(1, 2, 0.0, [1.0, 0.0, 0.0]), cell(0, 2, 0.0, [0.0, 0.0, 1.0])];
        assert!(check_ties(3, &chain).is_ok());
        assert!(check_ties(2, &[cell(0, 1, 0.0, [0.0, 0.0, 3.0])]).is_err());
    }
}
