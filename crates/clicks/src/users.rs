//! The hot path: one user, one document, one random number.

use rand::Rng;

use crate::Generator;

/// What a user did with one document.
///
/// `interleave` has a `Look` of its own with the same fields, since neither crate knows the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The document was clicked.
    pub clicked: bool,
    /// The user leaves after this document.
    pub leaves: bool,
}

/// Index of a document's odds in [`Users`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Level(pub u16);

/// A click model laid out for one data set: a level for each document, and each level's odds.
///
/// Made by [`ClickModel::prepare`](crate::ClickModel::prepare).
#[derive(Debug, Clone)]
pub struct Users {
    /// By level: P(click) and P(stop after a click), in units of 2^-32.
    levels: Vec<(u64, u64)>,
}

impl Users {
    pub(crate) fn new(odds: &[(f64, f64)]) -> Self {
        Self { levels: odds.iter().map(|&(click, stop)| (threshold(click), threshold(stop))).collect() }
    }

    /// P(click) of a level in units of 2^-32; 0 for a level that this model does not have.
    #[inline]
    pub(crate) fn click_threshold(&self, level: Level) -> u64 {
        self.levels.get(usize::from(level.0)).map_or(0, |&(click, _)| click)
    }

    /// One user looks at one document.
    ///
    /// Always takes exactly one number from `generator`, whatever the odds: its upper half decides
    /// the click and its lower half the leave. So the n-th document a user looks at meets the same
    /// luck in any list, and no branch depends on the model. Odds are kept to 2^-32; 0 is exactly
    /// never and 1 exactly always. A level that this model does not have is never clicked.
    #[inline]
    pub fn look(&self, level: Level, generator: &mut Generator) -> Look {
        let luck = generator.next_u64();
        let (click, stop) = self.levels.get(usize::from(level.0)).copied().unwrap_or((0, 0));
        let clicked = luck >> 32 < click;
        let leaves = clicked & (luck & 0xFFFF_FFFF < stop);
        Look { clicked, leaves }
    }
}

/// How many of the 2^32 values of a 32-bit draw say yes: all for 1, none for 0, and neither all
/// nor none for anything between.
pub(crate) fn threshold(odds: f64) -> u64 {
    const ALL: f64 = 4_294_967_296.0;
    if odds <= 0.0 {
        0
    } else if odds >= 1.0 {
        ALL as u64
    } else {
        (odds * ALL).round().clamp(1.0, ALL - 1.0) as u64
    }
}
