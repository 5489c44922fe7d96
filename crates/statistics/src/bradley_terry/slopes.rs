//! What fits with slopes need beside others: their differences are products of parameters, and their scale is a definition.

use super::comparison::Cell;
use super::fit::Fit;
use crate::matrix::Cholesky;

impl Fit {
    /// The factor of the information plus the curvature of differences that are not linear in the parameters: as much as leaves the
    /// sum positive definite, which is all of it at the maximum.
    pub(super) fn factor(&self, cells: &[Cell], information: &[f64]) -> Cholesky {
        let size = self.layout.size;
        if self.layout.slopes > 0 {
            let bent = self.add_slope_curvature(cells, information);
            for share in [1.0, 0.95, 0.8, 0.6, 0.3] {
                let mixed: Vec<f64> = information.iter().zip(&bent).map(|(a, b)| a + share * (b - a)).collect();
                if let Some(factor) = Cholesky::new(&mixed, size) {
                    return factor;
                }
            }
        }
        Cholesky::forced(information, size)
    }

    /// The information plus the curvature of differences that are not linear in the parameters.
    pub(super) fn add_slope_curvature(&self, cells: &[Cell], information: &[f64]) -> Vec<f64> {
        let size = self.layout.size;
        let mut bent = information.to_vec();
        for cell in cells {
            let Some((slope, entries)) = self.layout.slope_curvature(&self.parameters, cell) else { continue };
            let score = self.terms(&self.parameters, cell).slope;
            for (index, bend) in entries {
                bent[slope * size + index] -= score * bend;
                if index != slope {
                    bent[index * size + slope] -= score * bend;
                }
            }
        }
        bent
    }

    /// Slopes are those of an average judge by definition: twice as large ones with half the strengths are the same fit, which only the prior
    /// distinguishes. A large curvature takes that direction out of the inverse.
    pub(super) fn fix_scale(&self, information: &mut [f64]) {
        let (size, first_slope) = (self.layout.size, self.layout.first_slope());
        let slope_indices = first_slope..first_slope + self.layout.slopes;
        let largest = slope_indices.clone().map(|place| information[place * size + place]).fold(0.0, f64::max);
        for row in slope_indices.clone() {
            slope_indices.clone().for_each(|column| information[row * size + column] += 1e6 * largest);
        }
    }
}
