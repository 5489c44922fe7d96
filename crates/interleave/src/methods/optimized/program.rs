//! The probability of showing each list: the linear program of the optimized methods, and the nearest point where
//! it has no solution.

use microlp::{ComparisonOp, OptimizationDirection, Problem};

use super::LpFit;

/// Constraints `row . p = 0`, in the order they are added.
pub(super) struct Constraints {
    lists: usize,
    /// Rows linearly independent of those before, largest entry 1.
    independent: Vec<Vec<f64>>,
    /// The same, made orthonormal.
    basis: Vec<Vec<f64>>,
    points: Points,
}

/// The lists as points, one coordinate per constraint: the sum of squared violations is the squared norm
/// of their weighted mean.
struct Points {
    number: usize,
    /// The coordinates, while there are fewer than points; then summed in `gram`.
    rows: Vec<Vec<f64>>,
    /// `number` x `number`, or empty: the products of all pairs over the rows that were summed.
    gram: Vec<f64>,
}

impl Points {
    fn push(&mut self, row: &[f64]) {
        self.rows.push(row.to_vec());
        if self.rows.len() < self.number {
            return;
        }
        self.gram.resize(self.number * self.number, 0.0);
        for row in self.rows.drain(..) {
            for (sums, &x) in self.gram.chunks_mut(self.number).zip(&row).filter(|(_, x)| **x != 0.0) {
                sums.iter_mut().zip(&row).for_each(|(sum, &y)| *sum += x * y);
            }
        }
    }

    /// The product of two points.
    fn at(&self, i: usize, j: usize) -> f64 {
        let known = self.gram.get(i * self.number + j).copied().unwrap_or(0.0);
        known + self.rows.iter().map(|row| row[i] * row[j]).sum::<f64>()
    }

    /// The products of all points with a weighted sum of some.
    fn products_with(&self, corral: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut products = vec![0.0; self.number];
        for row in &self.rows {
            let weighted_sum: f64 = corral.iter().map(|&i| weights[i] * row[i]).sum();
            products.iter_mut().zip(row).for_each(|(product, x)| *product += weighted_sum * x);
        }
        for &i in corral {
            let sums = self.gram.chunks(self.number).nth(i).unwrap_or_default();
            products.iter_mut().zip(sums).for_each(|(product, x)| *product += weights[i] * x);
        }
        products
    }
}

impl Constraints {
    pub(super) fn new(lists: usize) -> Self {
        let points = Points { number: lists, rows: Vec::new(), gram: Vec::new() };
        Self { lists, independent: Vec::new(), basis: Vec::new(), points }
    }

    /// Adds the constraint that the mean of `row` is 0.
    pub(super) fn push(&mut self, row: &[f64]) {
        let largest = row.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        if largest == 0.0 {
            return;
        }
        self.points.push(row);
        if self.basis.len() == self.lists {
            return;
        }
        let scaled: Vec<f64> = row.iter().map(|x| x / largest).collect();
        let mut rest = scaled.clone();
        // Twice, for the rounding of the first time.
        for _ in 0..2 {
            for other in &self.basis {
                let along = dot(&rest, other);
                rest.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        if left > 1e-9 * dot(&scaled, &scaled).sqrt() {
            rest.iter_mut().for_each(|x| *x /= left);
            self.basis.push(rest);
            self.independent.push(scaled);
        }
    }

    /// The probabilities with the least mean `cost` among those that meet all constraints; where there are none,
    /// or the solver fails, those with the least sum of squared violations.
    pub(super) fn solve(&self, cost: &[f64]) -> (Vec<f64>, LpFit) {
        if self.lists == 1 {
            let is_met = self.independent.is_empty();
            return (vec![1.0], if is_met { LpFit::Exact } else { LpFit::Relaxed });
        }
        match self.program(cost) {
            Some(chances) => (chances, LpFit::Exact),
            None => (nearest(&self.points), LpFit::Relaxed),
        }
    }

    fn program(&self, cost: &[f64]) -> Option<Vec<f64>> {
        // With as many independent constraints as lists only p = 0 meets them.
        if self.independent.len() == self.lists {
            return None;
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let largest = cost.iter().fold(f64::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
        let chances: Vec<_> = cost.iter().map(|cost| problem.add_var(cost / largest, (0.0, f64::INFINITY))).collect();
        let ones = chances.iter().map(|&chance| (chance, 1.0));
        problem.add_constraint(ones.collect::<Vec<_>>(), ComparisonOp::Eq, 1.0);
        for row in &self.independent {
            let terms = chances.iter().copied().zip(row.iter().copied());
            let terms: Vec<_> = terms.filter(|(_, x)| *x != 0.0).collect();
            problem.add_constraint(terms, ComparisonOp::Eq, 0.0);
        }
        // The solver detects cycling, and stops; it checks what it returns, and so do we.
        let solution = problem.solve().ok()?.into_solution().ok()?;
        let mut weights: Vec<f64> = chances.iter().map(|&chance| solution.var_value(chance).max(0.0)).collect();
        let total: f64 = weights.iter().sum();
        if !(total.is_finite() && total > 0.5) {
            return None;
        }
        weights.iter_mut().for_each(|chance| *chance /= total);
        let is_met = |row: &Vec<f64>| dot(row, &weights).abs() < 1e-6;
        self.independent.iter().all(is_met).then_some(weights)
    }
}

/// The point of least norm in the convex hull of `points`, by Wolfe's method: its weights. Every step is a point of the hull, so stopping early does no harm.
///
/// P. Wolfe. *Finding the nearest point in a polytope.* Mathematical Programming 11, 1976.
/// <https://doi.org/10.1007/BF01580381>
fn nearest(points: &Points) -> Vec<f64> {
    let n = points.number;
    let mut weights = vec![0.0; n];
    let nearest_point = |i: usize, j: usize| points.at(i, j);
    let norms: Vec<f64> = (0..n).map(|i| nearest_point(i, i)).collect();
    let Some(start) = (0..n).min_by(|&i, &j| norms[i].total_cmp(&norms[j])) else {
        return weights;
    };
    weights[start] = 1.0;
    let mut corral = vec![start];
    let scale = norms.iter().copied().fold(0.0, f64::max);
    for _ in 0..1000 {
        let along = points.products_with(&corral, &weights);
        let norm: f64 = corral.iter().map(|&j| weights[j] * along[j]).sum();
        let best = (0..n).min_by(|&i, &j| along[i].total_cmp(&along[j]));
        let Some(entering) = best.filter(|&j| norm - along[j] > 1e-12 * scale) else {
            break;
        };
        if corral.contains(&entering) {
            break;
        }
        corral.push(entering);
        // Down to the point of least norm of ever smaller flats, until it lies inside.
        while let Some(target) = affine(&corral, &nearest_point) {
            if target.iter().all(|&weight| weight > 1e-12) {
                corral.iter().zip(&target).for_each(|(&i, &weight)| weights[i] = weight);
                break;
            }
            let steps = corral.iter().zip(&target).filter(|(_, weight)| **weight <= 1e-12);
            let step = steps
                .map(|(&i, &weight)| weights[i] / (weights[i] - weight).max(f64::MIN_POSITIVE))
                .fold(1.0, f64::min);
            for (&i, &weight) in corral.iter().zip(&target) {
                weights[i] += step * (weight - weights[i]);
            }
            let least = corral.iter().copied().min_by(|&i, &j| weights[i].total_cmp(&weights[j]));
            corral.retain(|&i| weights[i] > 1e-12 && Some(i) != least);
            (0..n).filter(|i| !corral.contains(i)).for_each(|i| weights[i] = 0.0);
        }
    }
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= total);
    } else {
        weights.fill(1.0 / n as f64);
    }
    weights
}

/// The weights, summing to 1, of the point of least norm in the flat through these points.
fn affine(corral: &[usize], at: &impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let k = corral.len();
    if k == 0 {
        return None;
    }
    // (Gram + 1) u = 1, then scaled to sum 1; by elimination with pivots.
    let mut rows: Vec<Vec<f64>> =
        corral.iter().map(|&i| corral.iter().map(|&j| at(i, j) + 1.0).chain([1.0]).collect()).collect();
    for column in 0..k {
        let pivot = (column..k).max_by(|&i, &j| rows[i][column].abs().total_cmp(&rows[j][column].abs()))?;
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        if pivot[column].abs() < 1e-14 {
            return None;
        }
        for row in below {
            let factor = row[column] / pivot[column];
            row[column..].iter_mut().zip(&pivot[column..]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut found = vec![0.0; k];
    for i in (0..k).rev() {
        let known: f64 = (i + 1..k).map(|j| rows[i][j] * found[j]).sum();
        found[i] = (rows[i][k] - known) / rows[i][i];
    }
    let total: f64 = found.iter().sum();
    if !(total.is_finite() && total.abs() > 1e-14) {
        return None;
    }
    found.iter_mut().for_each(|w| *w /= total);
    Some(found)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn constraints(rows: &[Vec<f64>], lists: usize) -> Constraints {
        let mut constraints = Constraints::new(lists);
        rows.iter().for_each(|row| constraints.push(row));
        constraints
    }

    #[test]
    fn by_hand() {
        // Means 0 of (1, -1, 0): p_0 = p_1; the cheapest such mixes the first two.
        let rows = vec![vec![1.0, -1.0, 0.0], vec![2.0, -2.0, 0.0]];
        let (chances, fit) = constraints(&rows, 3).solve(&[-1.0, -1.0, 0.0]);
        assert_eq!(fit, LpFit::Exact);
        assert!((chances[0] - 0.5).abs() < 1e-9 && (chances[1] - 0.5).abs() < 1e-9);
        let (chances, _) = constraints(&rows, 3).solve(&[1.0, 1.0, 0.0]);
        assert!((chances[2] - 1.0).abs() < 1e-9);
        // (1, 2) is never 0 in the mean: nearest is the first alone.
        let (chances, fit) = constraints(&[vec![1.0, 2.0]], 2).solve(&[0.0, 0.0]);
        assert_eq!((chances, fit), (vec![1.0, 0.0], LpFit::Relaxed));
        // The points (1, 0) and (0, 1): nearest to the origin is their middle.
        let rows = [vec![1.0, 0.0], vec![0.0, 1.0]];
        let (chances, fit) = constraints(&rows, 2).solve(&[0.0, 0.0]);
        assert_eq!(fit, LpFit::Relaxed);
        assert!((chances[0] - 0.5).abs() < 1e-9);
        assert_eq!(constraints(&[], 1).solve(&[3.0]), (vec![1.0], LpFit::Exact));
    }

    proptest! {
        /// Always probabilities; and no shift of weight between two lists comes nearer.
        #[test]
        fn nearest_is_nearest(
            raw in prop::collection::vec(prop::collection::vec(-5_i32..6, 12), 1..9), n in 1_usize..12,
        ) {
            let rows: Vec<Vec<f64>> =
                raw.iter().map(|row| row[..n].iter().map(|&x| f64::from(x)).collect()).collect();
            let all = constraints(&rows, n);
            let norm = |p: &[f64]| rows.iter().map(|row| dot(row, p).powi(2)).sum::<f64>();
            let p = nearest(&all.points);
            prop_assert!(p.iter().all(|&w| w >= 0.0));
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for i in 0..n {
                for j in 0..n {
                    let mut q = p.clone();
                    let moved = 1e-3_f64.min(q[i]);
                    q[i] -= moved;
                    q[j] += moved;
                    prop_assert!(norm(&q) > norm(&p) - 1e-7);
                }
            }
            let (q, fit) = all.solve(&vec![1.0; n]);
            prop_assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert_eq!(fit == LpFit::Exact, norm(&p) < 1e-9, "{:?} {:?}", p, q);
            if fit == LpFit::Exact {
                prop_assert!(norm(&q) < 1e-9);
            }
        }
    }
}
