//! 1 / n and its root, for counts n, without a division and a root that a step would have to wait for.

use std::sync::LazyLock;

/// Counts in the table: 256 kB. A run reads a few cache lines of it at a time, as counts grow by one.
const TABLE_COUNTS: usize = 1 << 14;

static RECIPROCALS_TABLE: LazyLock<Box<[[f64; 2]]>> =
    LazyLock::new(|| (0..TABLE_COUNTS as u32).map(compute_reciprocals).collect());

/// 1 / n and its root, from the table where n is in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reciprocals(&'static [[f64; 2]]);

impl Reciprocals {
    pub(crate) fn new() -> Self {
        Self(&RECIPROCALS_TABLE)
    }

    /// 1 / n and the root of that.
    #[inline]
    pub(crate) fn of(self, n: u32) -> [f64; 2] {
        match self.0.get(n as usize) {
            Some(&known) => known,
            None => compute_reciprocals(n),
        }
    }
}

fn compute_reciprocals(n: u32) -> [f64; 2] {
    let share = 1.0 / f64::from(n);
    [share, share.sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_is_computed() {
        let shares = Reciprocals::new();
        for n in (1..100).chain([TABLE_COUNTS as u32 - 1, TABLE_COUNTS as u32, TABLE_COUNTS as u32 + 1, u32::MAX]) {
            let share = 1.0 / f64::from(n);
            assert_eq!(shares.of(n), [share, share.sqrt()], "{n}");
        }
    }
}
