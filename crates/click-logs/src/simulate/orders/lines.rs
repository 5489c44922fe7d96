//! Lines of conversions.

use std::io::Write;

use super::super::Dialect;

/// The columns of conversions.
pub const CONVERSIONS: &str = "user,document,time,action,value,currency,order";

/// The buyer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Buyer {
    /// A user of the log.
    User(u64),
    /// Someone else.
    Guest(u64),
}

/// The action.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    Order,
    Cart,
}

/// A conversion as it is written.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ConversionLine {
    pub(super) buyer: Buyer,
    /// Query and number.
    pub(super) document: (usize, u16),
    pub(in super::super) time: i64,
    pub(super) action: Action,
    pub(super) value: i64,
    pub(super) is_domestic: bool,
    pub(super) order: u64,
}

impl ConversionLine {
    /// Writes it without the end of the line: as CSV, or as JSON for every other dialect.
    pub(in super::super) fn write(&self, dialect: Dialect, out: &mut Vec<u8>) -> std::io::Result<()> {
        let Self { buyer, document: (query, document), time, action, value, is_domestic, order } = *self;
        let user = match buyer {
            Buyer::User(number) => format!("u{number}"),
            Buyer::Guest(number) => format!("guest-{number:016x}"),
        };
        let action = match action {
            Action::Order => "order",
            Action::Cart => "cart",
        };
        let currency = if is_domestic { "EUR" } else { "USD" };
        if dialect == Dialect::Csv {
            return write!(out, "{user},{query}.{document},{time},{action},{value},{currency},o{order:016x}");
        }
        write!(
            out,
            r#"{{"user":"{user}","document":"{query}.{document}","time":{time},"action":"{action}","value":{value},"currency":"{currency}","order":"o{order:016x}"}}"#
        )
    }
}
