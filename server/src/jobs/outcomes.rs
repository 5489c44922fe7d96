//! Later actions of units, such as orders: finds the unit and where its document was shown, in every experiment in which the action counts.

use traffic::{Appearance, Conversion, ConversionFate, OutcomeKind};

use crate::ids::{ImpressionId, UnitHashes};
use crate::writer::Transaction;

/// An event that may be an outcome of several experiments.
#[derive(Debug, Clone)]
pub struct UserOutcome {
    /// The action.
    pub action: String,
    /// With which document.
    pub document: String,
    /// In minor units, if given.
    pub value: Option<i64>,
    /// The currency of the value.
    pub currency: Option<String>,
    /// The order that it is a part of.
    pub order: Option<String>,
    /// The target of credit, by experiment.
    pub whose: Vec<(u32, CreditTarget)>,
}

/// The target of an event's credit.
#[derive(Debug, Clone)]
pub enum CreditTarget {
    /// The unit that asked for this impression.
    Impression(ImpressionId),
    /// The same, from a sender without a key: only what this page showed may be credited, so that nothing is learnt of others.
    Page(ImpressionId),
    /// This unit.
    Unit(UnitHashes),
}

/// The fate of an outcome in an experiment; of several, the first in this order is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutcomeFate {
    /// It is credited when its unit closes.
    Taken,
    /// The same came before.
    Duplicate,
    /// It lacks a value where values count, or has another one where only the number counts.
    NoValue,
    /// Its value is in another currency.
    OtherCurrency,
    /// The unit is a bot.
    Bot,
    /// The unit has more conversions or lists than a user has.
    TooMany,
    /// The unit has closed.
    Late,
    /// No list that counts for the unit showed the document before.
    NotShown,
    /// No such unit has asked for an impression.
    UnknownUnit,
}

impl From<ConversionFate> for OutcomeFate {
    fn from(fate: ConversionFate) -> Self {
        match fate {
            ConversionFate::Taken => Self::Taken,
            ConversionFate::Duplicate => Self::Duplicate,
            ConversionFate::NotShown => Self::NotShown,
            ConversionFate::Late => Self::Late,
            ConversionFate::Bot => Self::Bot,
            ConversionFate::TooMany => Self::TooMany,
        }
    }
}

/// Takes outcomes, and returns the fate of each.
pub fn outcomes(transaction: &mut Transaction<'_>, all: &[UserOutcome]) -> Vec<OutcomeFate> {
    let of = |outcome: &UserOutcome| {
        let fates =
            outcome.whose.iter().map(|(experiment, whose)| take_outcome(transaction, *experiment, whose, outcome));
        fates.min().unwrap_or(OutcomeFate::UnknownUnit)
    };
    all.iter().map(of).collect()
}

fn take_outcome(
    transaction: &mut Transaction<'_>,
    id: u32,
    whose: &CreditTarget,
    outcome: &UserOutcome,
) -> OutcomeFate {
    let unit = match whose {
        CreditTarget::Unit(hashes) => transaction.known_unit(id, hashes),
        // The number may come from another store.
        CreditTarget::Impression(of) | CreditTarget::Page(of) if transaction.experiment_of(of).is_none() => None,
        CreditTarget::Impression(of) | CreditTarget::Page(of) => transaction.unit_that_asked(id, of.impression),
    };
    let (Some(unit), Some(experiment)) = (unit, transaction.experiment(id)) else { return OutcomeFate::UnknownUnit };
    let Some(action) = experiment.outcome_number(&outcome.action) else { return OutcomeFate::UnknownUnit };
    let config = experiment.config();
    if let (Some(counts), Some(found)) = (&config.currency, &outcome.currency)
        && counts != found
    {
        return OutcomeFate::OtherCurrency;
    }
    let kind = config.outcomes.as_ref().and_then(|outcomes| outcomes.get(&outcome.action));
    let value = match (kind, outcome.value) {
        (Some(OutcomeKind::Number), None) => 1,
        (Some(OutcomeKind::Number), Some(value @ (1 | -1))) | (Some(OutcomeKind::Value), Some(value)) => value,
        _ => return OutcomeFate::NoValue,
    };
    if !experiment.takes_conversions() {
        return OutcomeFate::Late;
    }
    if !transaction.fetch(id, unit) {
        return OutcomeFate::UnknownUnit;
    }
    let only = match whose {
        CreditTarget::Page(of) => Some(of.impression),
        CreditTarget::Impression(_) | CreditTarget::Unit(_) => None,
    };
    let appearances = appearances(transaction, id, unit, &outcome.document, only);
    let (places, now) = (&transaction.shared.places, transaction.now);
    let document = places.document(id, unit, &outcome.document);
    let order = outcome.order.as_ref().map(|order| places.order(id, unit, order));
    let Some((document_number, is_new)) = transaction.name(id, unit, &document) else {
        return OutcomeFate::UnknownUnit;
    };
    let of_order = order.map(|order| (order, transaction.name(id, unit, &order)));
    let (order_number, new_order) = match of_order {
        None => (0, None),
        Some((_, None)) => return OutcomeFate::UnknownUnit,
        Some((_, Some((number, false)))) => (number, None),
        // The document may take the same number first.
        Some((order, Some((number, true)))) => (number + u32::from(is_new), Some(order)),
    };
    let conversion = Conversion { unit, document: document_number, order: order_number, action, value, appearances };
    let Some(experiment) = transaction.experiment(id) else { return OutcomeFate::UnknownUnit };
    let fate = experiment.take_conversion(now, conversion);
    if fate == ConversionFate::Taken {
        if is_new {
            transaction.keep_name(id, unit, &document, document_number);
        }
        if let Some(order) = new_order {
            transaction.keep_name(id, unit, &order, order_number);
        }
    }
    fate.into()
}

/// Where a document was mixed for a unit; in one impression alone, if that is named.
fn appearances(
    transaction: &mut Transaction<'_>,
    id: u32,
    unit: u64,
    document: &str,
    only: Option<u64>,
) -> Vec<Appearance> {
    let mut impressions = transaction.known(id).map(|known| known.impressions_of_unit(unit)).unwrap_or_default();
    impressions.retain(|impression| only.is_none_or(|only| only == *impression));
    let appearance = |impression: u64| {
        let shown = transaction.shown(id, impression)?;
        let position = shown.mixed.iter().position(|known| known == document)?;
        Some(Appearance { impression, position: position as u32 })
    };
    impressions.into_iter().filter_map(appearance).collect()
}
