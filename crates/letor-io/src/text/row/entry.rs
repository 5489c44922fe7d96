//! A value in its row.

/// The value `mantissa × 10^-scale` of one feature of one row.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct Entry {
    pub(in crate::text) mantissa: i64,
    pub(in crate::text) feature: u32,
    pub(in crate::text) scale: i16,
}
