//! A value in its row.

use crate::decimal::Decimal;

/// The value `mantissa × 10^-scale` of one feature of one row.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct FeatureValue {
    pub(in crate::text) mantissa: i64,
    pub(in crate::text) feature: u32,
    pub(in crate::text) scale: i16,
}

impl FeatureValue {
    pub(in crate::text) fn value(&self) -> Decimal {
        Decimal { mantissa: self.mantissa, scale: self.scale }
    }
}
