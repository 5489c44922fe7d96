//! Special functions: the incomplete beta function in logarithms, the normal distribution. Nothing here knows of
//! tests.

mod beta;
mod normal;
mod quadrature;

pub(crate) use beta::{binomial_at_least, ln_beta_integral_above};
pub(crate) use normal::{normal_above, normal_quantile};
