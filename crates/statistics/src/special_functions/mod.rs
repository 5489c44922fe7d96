//! Special functions: the incomplete beta function in logarithms, the normal and Student's distribution. Nothing here depends on
//! tests.

mod beta;
mod draws;
mod normal;
mod quadrature;
mod student;

pub use beta::binomial_at_least;
pub(crate) use beta::{ln_beta, ln_beta_above, ln_beta_integral_above};
pub use draws::Normals;
pub use normal::{normal_above, normal_quantile};
pub use student::{student_outside, student_quantile};
