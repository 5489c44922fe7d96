//! The numbers that RMED2 derives from its parameters.

/// The numbers derived from the parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RmedRule {
    pub(crate) komiyama: bool,
    pub(super) alpha: f64,
    /// f(K).
    pub(crate) bonus: f64,
}

impl RmedRule {
    /// ln ln t.
    pub(crate) fn log_log(self, step: u64) -> f64 {
        let slack = if self.komiyama { 0.01 } else { 0.0 };
        libm::log(libm::log(step as f64) + slack)
    }

    /// How often every pair must have met at `step`.
    pub(crate) fn meetings(self, step: u64) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1, and ln ln t is small")]
        {
            libm::ceil((self.alpha * self.log_log(step)).max(1.0)) as u32
        }
    }

    /// The least cost of a step of b(l).
    pub(crate) fn least_cost(self) -> f64 {
        if self.komiyama { 0.01 } else { f64::NEG_INFINITY }
    }
}
