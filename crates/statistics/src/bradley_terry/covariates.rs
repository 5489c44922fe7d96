//! Covariates: how the two answers of a comparison differ otherwise, e.g. by how much the first is longer.
//!
//! A covariate adds its coefficient times its value to the difference of strengths. Strengths are then those of answers that do not differ
//! in it.

/// The values of the covariates of a comparison, for its first arm: the second has their negatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Covariates {
    values: [f64; Covariates::MAX_COVARIATES],
    count: u8,
}

impl Covariates {
    /// The most covariates of a fit.
    pub const MAX_COVARIATES: usize = 8;

    /// With these values; `None` if there are more than [`Self::MAX_COVARIATES`] or one is not finite.
    #[must_use]
    pub fn new(values: &[f64]) -> Option<Self> {
        let mut covariates = Self { count: values.len().try_into().ok()?, ..Self::default() };
        covariates.values.get_mut(..values.len())?.copy_from_slice(values);
        values.iter().all(|value| value.is_finite()).then_some(covariates)
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values[..usize::from(self.count)]
    }

    /// Those of the comparison seen from its second arm.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { values: self.values.map(|value| 0.0 - value), count: self.count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_few_and_finite() {
        assert_eq!(Covariates::new(&[1.0, -2.0]).map(|all| all.reversed().values().to_vec()), Some(vec![-1.0, 2.0]));
        assert_eq!((Covariates::new(&[0.0; 9]), Covariates::new(&[f64::NAN])), (None, None));
    }
}
