//! Flags of `simulate` for orders.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use times::{duration_text, parse_duration};

use crate::simulate::{Amounts, OrderSettings};

/// Orders of users, and faults in the file of conversions.
#[derive(Debug, Args)]
pub(super) struct OrderFlags {
    /// Users order documents: clicks that count after which an average user does. Adds a file of conversions to the log, and to
    /// its truth what each user orders of the documents of each ranker (conversion-units.csv)
    #[arg(long, value_name = "SHARE")]
    orders: Option<f64>,
    /// What orders cost
    #[arg(long, value_enum, default_value = "lognormal", requires = "orders")]
    amounts: AmountKind,
    /// How much users differ in how readily they order and in what they spend: sigma of lognormal factors with mean 1
    #[arg(long, value_name = "X", default_value = "1", requires = "orders")]
    orders_spread: f64,
    /// The mean time from a click to its order; some come after the 7 days in which a user's orders count
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = parse_duration, requires = "orders")]
    orders_delay: i64,
    /// Ordered documents that come back days later, half of them for a part of the amount
    #[arg(long, value_name = "SHARE", default_value = "0.1", requires = "orders")]
    returns: f64,
    /// Baskets with a document that was never shown
    #[arg(long, value_name = "SHARE", default_value = "0.1", requires = "orders")]
    orders_not_shown: f64,
    /// Orders with a further line, of the action `cart`
    #[arg(long, value_name = "SHARE", default_value = "0.3", requires = "orders")]
    orders_carts: f64,
    /// Baskets in another currency
    #[arg(long, value_name = "SHARE", default_value = "0.02", requires = "orders")]
    orders_other_currency: f64,
    /// Baskets before any impression that showed one of their documents
    #[arg(long, value_name = "SHARE", default_value = "0.01", requires = "orders")]
    orders_early: f64,
    /// Baskets beside which a user who is not in the log orders something
    #[arg(long, value_name = "SHARE", default_value = "0.02", requires = "orders")]
    orders_unknown: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AmountKind {
    /// Lognormal, median 3000 cents, sigma 1
    Lognormal,
    /// By Pareto, 1000 cents at least, shape 1.5
    Pareto,
    /// 1000 cents each
    Same,
}

impl OrderFlags {
    /// The settings of orders, if there are any.
    pub(super) fn orders(&self) -> Option<OrderSettings> {
        let amounts = match self.amounts {
            AmountKind::Lognormal => Amounts::Lognormal,
            AmountKind::Pareto => Amounts::Pareto,
            AmountKind::Same => Amounts::Same,
        };
        self.orders.map(|share| OrderSettings {
            share,
            amounts,
            spread: self.orders_spread,
            delay: self.orders_delay,
            returns: self.returns,
            not_shown: self.orders_not_shown,
            carts: self.orders_carts,
            other_currency: self.orders_other_currency,
            early: self.orders_early,
            unknown: self.orders_unknown,
        })
    }

    /// The settings of orders as JSON, for the settings beside the log.
    pub(super) fn config(&self) -> Option<Value> {
        let orders = self.orders()?;
        let amounts = self.amounts.to_possible_value().map(|value| value.get_name().to_owned());
        Some(json!({
            "share": orders.share,
            "amounts": amounts,
            "spread": orders.spread,
            "delay": duration_text(orders.delay),
            "returns": orders.returns,
            "not_shown": orders.not_shown,
            "carts": orders.carts,
            "other_currency": orders.other_currency,
            "early": orders.early,
            "unknown": orders.unknown,
        }))
    }
}
