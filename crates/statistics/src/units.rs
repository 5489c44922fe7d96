//! From impressions to units, which are independent: each enters a test once.
//!
//! Impressions of one user resemble each other. A test that counts them as independent finds differences where there
//! are none: two rankers that are equal on average, shown 20 times each to users with tastes of their own, differ
//! by such a test far more often than its level says (`tests/all/false_alarms.rs` measures it). So a unit, a
//! session or a user, collects the net credit of its impressions, and its sign enters the test when the unit closes.
//! Closing must not depend on the outcomes: at the end of the session, or of the day, not at the first click. Otherwise a
//! side would win because its clicks arrive sooner.

use std::collections::BTreeMap;

use crate::{Counts, Preference, StatisticsError};

/// Open and closed units of one pair.
///
/// Keys order the units that [`close_all`](Self::close_all) closes; the order is that of the keys, whatever the order
/// in which impressions came.
///
/// ```
/// use statistics::{Preference, units::Units};
///
/// let mut sessions = Units::new();
/// sessions.record("anna", 1.0)?;
/// sessions.record("ben", -1.0)?;
/// sessions.record("anna", -0.5)?;
/// assert_eq!(sessions.close(&"anna"), Some(Preference::First));
/// assert_eq!((sessions.counts().wins, sessions.open()), (1, 1));
/// // What comes after a unit has closed is refused, and the caller can count it.
/// assert!(sessions.record("anna", 1.0).is_err());
/// # Ok::<(), statistics::StatisticsError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Units<K> {
    /// The net credit of open units; nothing for closed ones.
    units: BTreeMap<K, Option<f64>>,
    open_units: usize,
    counts: Counts,
}

impl<K: Ord> Units<K> {
    /// No units yet.
    #[must_use]
    pub fn new() -> Self {
        Self { units: BTreeMap::new(), open_units: 0, counts: Counts::default() }
    }

    /// Adds the net credit of one impression (the first side's credit minus the second's) to `unit`, opening it if it
    /// is new.
    ///
    /// # Errors
    /// If the unit is closed, or the credit is not finite; then nothing changes.
    pub fn record(&mut self, unit: K, net: f64) -> Result<(), StatisticsError> {
        if !net.is_finite() {
            return Err(StatisticsError::OutOfRange {
                what: "the net credit of an impression",
                value: net,
                range: "finite numbers",
            });
        }
        let open_units = &mut self.open_units;
        let entry = self.units.entry(unit).or_insert_with(|| {
            *open_units += 1;
            Some(0.0)
        });
        match entry {
            Some(sum) => *sum += net,
            None => return Err(StatisticsError::UnitClosed),
        }
        Ok(())
    }

    /// Closes `unit` and returns its outcome; `None` if it is not open.
    pub fn close(&mut self, unit: &K) -> Option<Preference> {
        let net = self.units.get_mut(unit)?.take()?;
        self.open_units -= 1;
        let outcome = Preference::of_net(net);
        self.counts.record(outcome);
        Some(outcome)
    }

    /// Closes all open units and returns their outcomes in the order of the keys.
    pub fn close_all(&mut self) -> Vec<Preference> {
        let nets = self.units.values_mut().filter_map(Option::take);
        let outcomes: Vec<Preference> = nets.map(Preference::of_net).collect();
        self.open_units = 0;
        outcomes.iter().for_each(|&outcome| self.counts.record(outcome));
        outcomes
    }

    /// The number of open units.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open_units
    }

    /// The outcomes of closed units.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_impressions_does_not_matter() {
        let impressions = [(3, 1.0), (1, -1.0), (3, -2.0), (2, 1.0), (2, -1.0), (1, 4.0)];
        let outcomes = |order: &[usize]| {
            let mut units = Units::new();
            order.iter().for_each(|&at| units.record(impressions[at].0, impressions[at].1).unwrap());
            units.close_all()
        };
        let expected = [Preference::First, Preference::Tie, Preference::Second];
        assert_eq!(outcomes(&[0, 1, 2, 3, 4, 5]), expected);
        assert_eq!(outcomes(&[5, 4, 2, 3, 1, 0]), expected);
    }

    #[test]
    fn a_closed_unit_counts_once() {
        let mut units = Units::new();
        units.record('a', 1.0).unwrap();
        assert_eq!(units.close(&'a'), Some(Preference::First));
        assert_eq!(units.close(&'a'), None);
        assert_eq!(units.record('a', -9.0), Err(StatisticsError::UnitClosed));
        assert!(units.record('b', f64::NAN).is_err());
        assert_eq!((units.counts(), units.open()), (Counts::new(1, 0, 0), 0));
        assert!(units.close_all().is_empty());
    }
}
