//! The position-based model: who looks depends on the position alone, who clicks then on the document.

use rand::Rng;

use crate::users::threshold;
use crate::{ClickError, ClickModel, FractionalLabels, Generator, Level, Look, Users};

/// Anything that says what a user does with the document at a position: the cascade of [`Users`], who
/// mind only what they see, and [`PositionUsers`], who mind only where they are.
///
/// ```
/// use clicks::{ClickModel, Examine, FractionalLabels, Generator, PositionModel};
/// use rand::SeedableRng;
///
/// fn clicks(user: &impl Examine, levels: &[clicks::Level], generator: &mut Generator) -> usize {
///     let mut clicks = 0;
///     for (position, &level) in levels.iter().enumerate() {
///         let look = user.look_at(position, level, generator);
///         clicks += usize::from(look.clicked);
///         if look.leaves {
///             break;
///         }
///     }
///     clicks
/// }
///
/// let model = ClickModel::preset("perfect", 1.0)?;
/// let (cascade, levels) = model.prepare(&[1.0, 0.0, 1.0], FractionalLabels::Round)?;
/// assert_eq!(clicks(&cascade, &levels, &mut Generator::seed_from_u64(1)), 2);
/// // Nobody looks below the second position.
/// let model = PositionModel::new(model, vec![1.0, 0.5])?;
/// let (users, levels) = model.prepare(&[1.0, 0.0, 1.0], FractionalLabels::Round)?;
/// assert_eq!(clicks(&users, &levels, &mut Generator::seed_from_u64(1)), 1);
/// # Ok::<(), clicks::ClickError>(())
/// ```
pub trait Examine {
    /// What a user does with the document of this level at the 0-based `position`. Takes exactly one
    /// number from `generator`.
    fn look_at(&self, position: usize, level: Level, generator: &mut Generator) -> Look;
}

impl Examine for Users {
    #[inline]
    fn look_at(&self, _position: usize, level: Level, generator: &mut Generator) -> Look {
        self.look(level, generator)
    }
}

/// A click model in which P(click) = P(look | position) x P(click | grade), independently for every
/// position: nobody's look depends on what they clicked before.
///
/// M. Richardson, E. Dominowska, R. Ragno. *Predicting clicks: estimating the click-through rate for
/// new ads.* WWW 2007. <https://doi.org/10.1145/1242572.1242643>
#[derive(Debug, Clone, PartialEq)]
pub struct PositionModel {
    model: ClickModel,
    examination: Vec<f64>,
}

impl PositionModel {
    /// `model` says P(click | grade), and its stops play no part; `examination` says P(look) by
    /// position, from the top. Nobody looks further down than it goes.
    ///
    /// # Errors
    /// For a probability outside [0, 1].
    pub fn new(model: ClickModel, examination: Vec<f64>) -> Result<Self, ClickError> {
        let bad = examination.iter().position(|odds| !(0.0..=1.0).contains(odds));
        if let Some(position) = bad {
            return Err(ClickError::new(format!(
                "P(look) at position {position} (from 0) is {}; give probabilities from 0 to 1",
                examination[position]
            )));
        }
        Ok(Self { model, examination })
    }

    /// P(look) of 1 / rank^eta down to rank `length`: eta 0 for a user who looks at everything, 1 for
    /// a common guess.
    ///
    /// # Errors
    /// When `eta` is negative or not finite.
    pub fn decaying(model: ClickModel, eta: f64, length: usize) -> Result<Self, ClickError> {
        if !(eta.is_finite() && eta >= 0.0) {
            return Err(ClickError::new(format!("eta is {eta}; it must be a finite number from 0 up")));
        }
        Self::new(model, (1..=length).map(|rank| libm::pow(rank as f64, -eta)).collect())
    }

    /// P(look) by position.
    #[must_use]
    pub fn examination(&self) -> &[f64] {
        &self.examination
    }

    /// Lays the model out for `labels`, as [`ClickModel::prepare`] does.
    ///
    /// # Errors
    /// As [`ClickModel::prepare`].
    pub fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(PositionUsers, Vec<Level>), ClickError> {
        let (users, levels) = self.model.prepare(labels, rule)?;
        let examination = self.examination.iter().map(|&odds| threshold(odds)).collect();
        Ok((PositionUsers { users, examination }, levels))
    }
}

/// A [`PositionModel`] laid out for one data set.
#[derive(Debug, Clone)]
pub struct PositionUsers {
    users: Users,
    /// By position: P(look), in units of 2^-32.
    examination: Vec<u64>,
}

impl Examine for PositionUsers {
    /// The upper half of the number decides the look, and its lower half the click. The user leaves
    /// after the last position that anybody looks at.
    #[inline]
    fn look_at(&self, position: usize, level: Level, generator: &mut Generator) -> Look {
        let luck = generator.next_u64();
        let looks = luck >> 32 < self.examination.get(position).copied().unwrap_or(0);
        Look {
            clicked: looks & (luck & 0xFFFF_FFFF < self.users.click_threshold(level)),
            leaves: position + 1 >= self.examination.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn clicks_by_position_and_grade() {
        let model = ClickModel::custom("0:0.1,1:0.8", "0:1,1:1").unwrap();
        let model = PositionModel::decaying(model, 1.0, 3).unwrap();
        assert_eq!(model.examination(), [1.0, 0.5, 1.0 / 3.0]);
        let (users, levels) = model.prepare(&[0.0, 1.0], FractionalLabels::Round).unwrap();
        let mut generator = Generator::seed_from_u64(1);
        for (level, attraction) in levels.into_iter().zip([0.1, 0.8]) {
            for (position, examination) in [1.0, 0.5, 1.0 / 3.0, 0.0].into_iter().enumerate() {
                let n = 20_000;
                let mut clicks = 0;
                for _ in 0..n {
                    let look = users.look_at(position, level, &mut generator);
                    clicks += u32::from(look.clicked);
                    assert_eq!(look.leaves, position >= 2);
                }
                let (n, p) = (f64::from(n), attraction * examination);
                let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
                assert!((f64::from(clicks) - n * p).abs() <= bound, "{position} {attraction}");
            }
        }
    }

    #[test]
    fn odds_are_checked() {
        let model = ClickModel::preset("random", 1.0).unwrap();
        assert!(PositionModel::new(model.clone(), vec![0.5, 1.5]).is_err());
        assert!(PositionModel::new(model.clone(), vec![f64::NAN]).is_err());
        assert!(PositionModel::decaying(model.clone(), -1.0, 3).is_err());
        // Nobody looks at anything, and everybody leaves at once.
        let (users, levels) =
            PositionModel::new(model, vec![]).unwrap().prepare(&[1.0], FractionalLabels::Round).unwrap();
        let look = users.look_at(0, levels[0], &mut Generator::seed_from_u64(1));
        assert_eq!((look.clicked, look.leaves), (false, true));
    }

    #[test]
    fn value_stability() {
        let model = ClickModel::preset("informational", 4.0).unwrap();
        let model = PositionModel::decaying(model, 0.5, 12).unwrap();
        let labels = [0.0, 1.0, 2.0, 3.0, 4.0];
        let (users, levels) = model.prepare(&labels, FractionalLabels::Round).unwrap();
        let mut generator = Generator::seed_from_u64(42);
        let clicks: String = (0..12)
            .map(|position| users.look_at(position, levels[position % 5], &mut generator))
            .map(|look| if look.clicked { 'x' } else { '.' })
            .collect();
        assert_eq!(clicks, "xx....x.....");
    }
}
