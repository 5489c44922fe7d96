//! The posterior of a utility: a mean and a standard deviation.

use super::super::{Normals, positive_unit};
use super::LogConcave;
use crate::Generator;
use crate::plain;

/// N(mean, deviation^2).
#[derive(Debug, Clone, Copy)]
pub(crate) struct NormalPosterior {
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

plain!(NormalPosterior { mean, deviation });

impl LogConcave for NormalPosterior {
    type Threshold = f64;

    fn threshold(at: f64) -> Option<f64> {
        Some(at)
    }

    fn value(threshold: &f64) -> f64 {
        *threshold
    }

    fn moments(&self) -> [f64; 2] {
        [self.mean, self.deviation]
    }

    #[inline]
    fn draw(&self, normals: Normals, generator: &mut Generator) -> f64 {
        self.mean + self.deviation * normals.draw(generator)
    }

    #[inline]
    fn mass_above(&self, threshold: &f64) -> Option<f64> {
        let z = (threshold - self.mean) / self.deviation;
        let root = std::f64::consts::TAU.sqrt();
        (z > 0.0).then(|| libm::exp(-0.5 * z * z) / (root * z))
    }

    fn draw_above(&self, threshold: &f64, generator: &mut Generator) -> Option<f64> {
        let z = (threshold - self.mean) / self.deviation;
        // In standard deviations.
        let past = -libm::log(positive_unit(generator)) / z;
        (-2.0 * libm::log(positive_unit(generator)) >= past * past).then_some(threshold + past * self.deviation)
    }
}
