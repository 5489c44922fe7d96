//! Covariates of answers, for which strengths are adjusted.
//!
//! A covariate is a difference of two answers other than in quality, e.g. in length. Its coefficient is fitted together with the strengths,
//! which then hold for answers that do not differ in it.
//!
//! ## References
//!
//! * T. Li, A. Angelopoulos, W.-L. Chiang, "Does style matter? Disentangling style and substance in Chatbot Arena", 2024,
//!   <https://lmsys.org/blog/2024-08-28-style-control/>: covariates of style in Bradley-Terry.
//! * Y. Dubois, B. Galambosi, P. Liang, T. B. Hashimoto, "Length-Controlled AlpacaEval", 2024, arXiv:2404.04475.

use super::Estimate;
use crate::group::GroupFit;
use crate::text::percent;
use serde::Serialize;

/// The effect of a covariate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The covariate.
    pub name: String,
    /// The difference that the coefficient is for: 1, 10, 100 and so on, close to the typical difference of answers.
    pub per: f64,
    /// The effect of that difference on the difference of strengths, with its standard error.
    pub coefficient: Estimate,
    /// The share of points that the answer with that much more gets against one of equal strength, if ties are halves.
    pub share: f64,
    /// By how much answers differ: the root of the mean square.
    pub typical: f64,
}

impl Effect {
    /// The effect in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "{}: {:+.2} ± {:.2} (s.e.) per {}: the answer with that much more gets {} of the points against an equally strong one.",
            self.name,
            self.coefficient.value,
            self.coefficient.error,
            number(self.per),
            percent(self.share)
        )
    }
}

/// A power of ten without an exponent where that is short.
fn number(value: f64) -> String {
    if (1e-4..1e7).contains(&value) { value.to_string() } else { format!("{value:e}") }
}

/// The effects of the covariates of a group.
pub(super) fn effects_of(names: &[String], group: &GroupFit) -> Vec<Effect> {
    let tie = group.fit.tie();
    let covariate_indices = group.fit.covariate_places();
    let effect = |((name, place), typical): ((&String, usize), &f64)| {
        let per = libm::pow(10.0, libm::round(libm::log10(*typical)));
        let scale = per / typical;
        let (value, error) = (group.fit.parameters()[place] * scale, group.errors[place] * scale);
        let share = group.fit.ties().preference(value, tie);
        Effect { name: name.clone(), per, coefficient: Estimate { value, error }, share, typical: *typical }
    };
    names.iter().zip(covariate_indices).zip(&group.typical).map(effect).collect()
}
