//! Settings of orders and of faults in their file.

use interleave::Generator;
use rand::RngExt;
use times::DAY;

use super::super::query_pool::normal;

/// The median and the logarithmic spread of amounts that are lognormal.
const LOGNORMAL: (f64, f64) = (3_000.0, 1.0);
/// The least and the shape of amounts by Pareto.
const PARETO: (f64, f64) = (1_000.0, 1.5);
/// The amount of every order where all are the same.
const EQUAL_AMOUNT: f64 = 1_000.0;
/// The most that one document costs: sums of many stay exact in 53 bits.
const MAX_AMOUNT: f64 = 1e11;
/// The longest mean delay.
const MAX_MEAN_DELAY: i64 = 365 * DAY;

/// Amounts of orders, in minor units such as cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amounts {
    /// Lognormal, with median 3,000 and sigma 1.
    Lognormal,
    /// By Pareto, with 1,000 at least and shape 1.5: the mean exists, the variance does not.
    Pareto,
    /// 1,000 each, by every user.
    Same,
}

impl Amounts {
    /// The amount of one document for a user who spends `factor` times as much as the average; above 0.
    pub(super) fn draw(self, factor: f64, generator: &mut Generator) -> i64 {
        let amount = match self {
            Self::Lognormal => factor * LOGNORMAL.0 * libm::exp(LOGNORMAL.1 * normal(generator)),
            Self::Pareto => factor * PARETO.0 * libm::pow(1.0 - generator.random::<f64>(), -1.0 / PARETO.1),
            Self::Same => EQUAL_AMOUNT,
        };
        libm::round(amount).clamp(1.0, MAX_AMOUNT) as i64
    }
}

/// The settings of orders. Shares are in [0, 1].
#[derive(Debug, Clone, PartialEq)]
pub struct OrderSettings {
    /// Clicks that count after which an average user orders the document.
    pub share: f64,
    /// Amounts of orders.
    pub amounts: Amounts,
    /// How much users differ in how readily they order and how much they spend: sigma of lognormal factors with mean 1.
    pub spread: f64,
    /// The mean time from a click to its order, in milliseconds; it is exponential, and a minute comes on top.
    pub delay: i64,
    /// The share of ordered documents that are returned, half of them for a part of the amount.
    pub returns: f64,
    /// Baskets with a document that was never shown.
    pub not_shown: f64,
    /// The share of orders with an additional line that the document was put into the cart.
    pub carts: f64,
    /// Baskets in another currency.
    pub other_currency: f64,
    /// Baskets dated before the first impression that showed one of their documents.
    pub early: f64,
    /// The share of baskets with an additional order by a user who is not in the log.
    pub unknown: f64,
}

impl Default for OrderSettings {
    fn default() -> Self {
        Self {
            share: 0.1,
            amounts: Amounts::Lognormal,
            spread: 1.0,
            delay: 2 * DAY,
            returns: 0.1,
            not_shown: 0.1,
            carts: 0.3,
            other_currency: 0.02,
            early: 0.01,
            unknown: 0.02,
        }
    }
}

impl OrderSettings {
    /// Checks all settings.
    ///
    /// # Errors
    /// If a number is out of range.
    pub(in super::super) fn check(&self) -> Result<(), String> {
        let shares = [
            ("orders", self.share),
            ("returns", self.returns),
            ("orders-not-shown", self.not_shown),
            ("orders-carts", self.carts),
            ("orders-other-currency", self.other_currency),
            ("orders-early", self.early),
            ("orders-unknown", self.unknown),
        ];
        if let Some((name, share)) = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return Err(format!("--{name} {share} is not a share; expected 0 to 1"));
        }
        if !(0.0..=3.0).contains(&self.spread) {
            return Err(format!("--orders-spread {} is out of range; expected 0 to 3", self.spread));
        }
        if !(0..=MAX_MEAN_DELAY).contains(&self.delay) {
            return Err("--orders-delay is out of range; expected at most 365d".to_owned());
        }
        Ok(())
    }
}
