//! The positions of units in an experiment and in a layer: keyed hashes of their names. They are not stored, so the key must never change:
//! a unit in an experiment stays in. Names of orders and documents are hashed with it too, because a return weeks later must find its
//! order.

use hmac::{Hmac, KeyInit as _};
use sha2::Sha256;
use traffic::UnitPosition;

use super::hashes::{first, hash};

/// The hash of an order's or a document's name in a store.
pub type NameHash = [u8; 16];

/// The key of all places of a store.
#[derive(Clone)]
pub struct PositionKey(Hmac<Sha256>);

impl std::fmt::Debug for PositionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Places(..)")
    }
}

impl PositionKey {
    /// From the store's salt.
    #[must_use]
    pub fn new(salt: &[u8; 32]) -> Self {
        let mac = Hmac::new_from_slice(salt);
        Self(mac.unwrap_or_else(|_| unreachable!("HMAC takes keys of any length")))
    }

    /// The place of a unit in an experiment, by its number, and in a layer, by its name.
    #[must_use]
    pub fn of(&self, experiment: u32, layer: &str, unit: &str) -> UnitPosition {
        let of = |what, experiment, parts: &[&[u8]]| {
            u64::from_be_bytes(first(hash(self.0.clone(), what, experiment, parts)))
        };
        UnitPosition {
            share: of(b's', experiment, &[unit.as_bytes()]),
            lane: of(b'l', 0, &[layer.as_bytes(), unit.as_bytes()]),
        }
    }

    /// The hash of an order of a unit, by the unit's number in an experiment.
    #[must_use]
    pub fn order(&self, experiment: u32, unit: u64, order: &str) -> NameHash {
        first(hash(self.0.clone(), b'o', experiment, &[&unit.to_be_bytes(), order.as_bytes()]))
    }

    /// The hash of a document that a unit of an experiment acted on.
    #[must_use]
    pub fn document(&self, experiment: u32, unit: u64, document: &str) -> NameHash {
        first(hash(self.0.clone(), b'd', experiment, &[&unit.to_be_bytes(), document.as_bytes()]))
    }
}

#[cfg(test)]
mod tests {
    use traffic::{Config, Experiment, Lane};

    use super::*;

    const UNITS: u64 = 1_000_000;

    fn experiment(share: f64, lane: Option<(f64, f64)>) -> Experiment {
        let lane = lane.map(|(from, to)| Lane { of: "search".to_owned(), from, to });
        let config = Config { share, lane, ..Config::of("e", ["a", "b"]) };
        Experiment::create(config, 0).expect("settings")
    }

    /// Whether a count is within three standard errors of a share of all.
    fn fits(count: u64, of: u64, share: f64) -> bool {
        let (mean, error) = (of as f64 * share, (of as f64 * share * (1.0 - share)).sqrt());
        (count as f64 - mean).abs() <= 3.0 * error
    }

    #[test]
    fn a_share_of_a_million_units_is_one_and_nobody_leaves_as_it_rises() {
        let places = PositionKey::new(&[7; 32]);
        let all: Vec<UnitPosition> = (0..UNITS).map(|unit| places.of(3, "", &format!("user-{unit}"))).collect();
        let mut experiment = experiment(0.01, None);
        let mut before = vec![false; all.len()];
        for share in [0.01, 0.05, 0.25, 0.5, 0.99, 1.0] {
            experiment.raise(0, share, "a test", "").expect("a higher share");
            let now: Vec<bool> = all.iter().map(|place| experiment.admits(Some(*place))).collect();
            let count = now.iter().filter(|is_in| **is_in).count() as u64;
            assert!(fits(count, UNITS, share), "{share}: {count}");
            assert!(before.iter().zip(&now).all(|(before, now)| !before || *now), "somebody left at {share}");
            before = now;
        }
        assert!(before.iter().all(|is_in| *is_in));
        // Another experiment admits other units first.
        let both = |unit: u64| [3, 4].iter().all(|id| places.of(*id, "", &format!("user-{unit}")).share < 1 << 63);
        let count = (0..100_000).filter(|unit| both(*unit)).count() as u64;
        assert!(fits(count, 100_000, 0.25), "{count}");
    }

    #[test]
    fn lanes_share_no_unit_and_a_share_of_a_lane_is_one() {
        let places = PositionKey::new(&[8; 32]);
        let lanes = [(0.0, 0.2), (0.2, 0.5), (0.5, 1.0)].map(|lane| experiment(1.0, Some(lane)));
        let shared = experiment(0.05, Some((0.2, 0.5)));
        let (mut counts, mut of_share) = ([0; 3], 0);
        for unit in 0..UNITS {
            let unit = format!("user-{unit}");
            let inside: Vec<usize> =
                (0..3).filter(|at| lanes[*at].admits(Some(places.of(*at as u32, "search", &unit)))).collect();
            let [lane] = inside[..] else { panic!("{unit} is in {inside:?}") };
            counts[lane] += 1;
            if shared.admits(Some(places.of(9, "search", &unit))) {
                assert_eq!(lane, 1);
                of_share += 1;
            }
        }
        for (count, width) in counts.into_iter().zip([0.2, 0.3, 0.5]) {
            assert!(fits(count, UNITS, width), "{width}: {count}");
        }
        assert!(fits(of_share, counts[1], 0.05), "{of_share} of {}", counts[1]);
        // Another layer divides units in another way.
        let both = |unit: u64| {
            ["search", "ads"].iter().all(|layer| places.of(1, layer, &format!("user-{unit}")).lane < 1 << 62)
        };
        let count = (0..100_000).filter(|unit| both(*unit)).count() as u64;
        assert!(fits(count, 100_000, 0.0625), "{count}");
    }

    #[test]
    fn an_impression_without_a_unit_is_in_where_every_unit_is() {
        assert!(experiment(1.0, None).admits(None));
        assert!(!experiment(0.99, None).admits(None));
        assert!(!experiment(1.0, Some((0.0, 1.0))).admits(None));
    }

    /// Computed elsewhere: a change would move users in and out of experiments that run.
    #[test]
    fn places_stay() {
        let found = PositionKey::new(&[7; 32]).of(1, "search", "anna");
        assert_eq!((found.share, found.lane), (14_697_471_919_583_258_324, 2_951_667_453_000_932_442));
    }
}
