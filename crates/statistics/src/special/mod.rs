//! Special functions: the incomplete beta function in logarithms, the normal distribution. Nothing here knows of
//! tests.

mod beta;
mod normal;

pub(crate) use beta::{binomial_at_least, ln_beta, ln_beta_above};
pub(crate) use normal::{normal_above, normal_quantile};
