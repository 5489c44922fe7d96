//! Verdicts on conversions: by their number and by their value, beside the verdict by clicks. Not here: which of the three decides.

use statistics::StatisticsError;
use verdicts::conversions::{Conversions, Primary};
use verdicts::decide::{CountUnit, Decision, RunningDecision, ValueDecision, decide_value};

use super::experiment::Experiment;

/// The name of a unit; users and sessions look the same to a server.
pub(super) const UNIT: &str = "unit";

/// The evidence for verdicts on conversions, copied from an experiment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ConversionEvidence {
    table: Conversions,
    currency: Option<String>,
    primary: Primary,
}

/// Verdicts on conversions.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversionVerdicts {
    /// The measure that decides.
    pub primary: Primary,
    /// By the number of conversions.
    pub by_number: Decision,
    /// By their value; `None` if only their number counts.
    pub value: Option<ValueDecision>,
    currency: Option<String>,
    deciding: RunningDecision,
}

impl Experiment {
    pub(super) fn conversion_evidence(&self) -> Option<ConversionEvidence> {
        let (table, currency) = (self.conversions()?, self.config().currency.clone());
        Some(ConversionEvidence { table, currency, primary: self.primary() })
    }
}

impl ConversionVerdicts {
    pub(super) fn from_previous(
        previous: Option<&Self>,
        evidence: &ConversionEvidence,
        level: f64,
    ) -> Result<Self, StatisticsError> {
        let ConversionEvidence { table, currency, primary } = evidence;
        let previous = previous.map(|previous| &previous.deciding);
        let deciding = RunningDecision::of(&table.outcomes(), level, CountUnit::Conversions, previous)?;
        let value = decide_value(table, 0, level)?;
        let (by_number, currency) = (deciding.decision(), currency.clone());
        Ok(Self { primary: *primary, by_number, value, currency, deciding })
    }

    /// The value, if that decides.
    pub(super) fn deciding_value(&self) -> Option<&ValueDecision> {
        self.value.as_ref().filter(|_| self.primary == Primary::Value)
    }

    /// The result for the value, in a line.
    pub(super) fn says_of_value(&self, value: &ValueDecision) -> String {
        value.headline(UNIT, self.currency.as_deref()) + "."
    }

    /// The currency of values.
    #[must_use]
    pub fn currency(&self) -> Option<&str> {
        self.currency.as_deref()
    }
}
