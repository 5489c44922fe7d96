//! Examination that decays with a power of the rank or of the distance: the settings that the position-based
//! and the user browsing model share.

use std::fmt;

use super::dependent::DependentSpec;
use crate::error::{ClickError, ClickErrorKind};
use crate::probability::not_a_probability;
use crate::settings::{Settings, write_setting};

/// P(examined) of 1 / n^eta, for n from 1 to `length`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decay {
    eta: f64,
    length: Option<usize>,
}

impl Decay {
    /// The default exponent.
    const ETA: f64 = 1.0;
    /// No list is longer.
    const EVERYWHERE: usize = 65_535;

    /// The settings of `model`, and P(click) of an examined document, without stops.
    pub(crate) fn from_settings(mut settings: Settings, model: &str) -> Result<(DependentSpec, Self), ClickError> {
        let eta = settings.take("eta", "a number from 0 up")?.unwrap_or(Self::ETA);
        check_eta(eta)?;
        let length = settings.take("length", "a whole number of positions")?;
        settings.refuse_rest(model, &["eta", "length"])?;
        let attraction: DependentSpec = settings.probabilities.parse()?;
        if matches!(attraction, DependentSpec::Custom { stop: Some(_), .. }) {
            let reason = format!("{model} users never stop after a click; leave the stop probabilities out");
            return Err(ClickError::new(ClickErrorKind::Setting, reason));
        }
        Ok((attraction, Self { eta, length }))
    }

    pub(crate) fn eta(self) -> f64 {
        self.eta
    }

    pub(crate) fn length(self) -> usize {
        self.length.unwrap_or(Self::EVERYWHERE)
    }
}

impl fmt::Display for Decay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_setting("eta", self.eta))?;
        self.length.map_or(Ok(()), |length| f.write_str(&write_setting("length", length)))
    }
}

/// 1 / n^`eta` for n from 1 to `length`; an error when `eta` is negative or not finite.
pub(crate) fn probabilities(eta: f64, length: usize) -> Result<Vec<f64>, ClickError> {
    check_eta(eta)?;
    Ok((1..=length).map(|n| libm::pow(n as f64, -eta)).collect())
}

/// Refuses the first of P(examined) that is not a probability; `place` names its place.
pub(crate) fn check(examination: &[f64], place: impl Fn(usize) -> String) -> Result<(), ClickError> {
    let Some(at) = not_a_probability(examination) else { return Ok(()) };
    let (place, value) = (place(at), examination[at]);
    Err(ClickError::new(
        ClickErrorKind::Probability,
        format!("P(examined) at {place} is {value}; give probabilities from 0 to 1"),
    ))
}

fn check_eta(eta: f64) -> Result<(), ClickError> {
    if eta.is_finite() && eta >= 0.0 {
        Ok(())
    } else {
        let message = format!("eta is {eta}; it must be a finite number from 0 up");
        Err(ClickError::new(ClickErrorKind::Setting, message))
    }
}
