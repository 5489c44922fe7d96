//! How a study is drawn and tabulated: axes, and the spread over runs.

use output::numbers::mean_of;

use super::SampleSummary;

/// How regret is drawn and tabulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Presentation {
    /// The axes of the figure.
    pub axes: Axes,
    /// The spread that figure and table show; by default [`SpreadKind::of`] the number of runs.
    pub spread: Option<SpreadKind>,
    /// Whether the table shows speeds.
    pub speed: bool,
    /// Whether the curves of all runs are kept in a file.
    pub keep_curves: bool,
}

/// The axes of a figure of cumulative regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axes {
    /// Those of the kind of study: logarithmic steps and linear regret unless [`Presentation::with_default_axes`] says otherwise.
    #[default]
    Usual,
    /// Both linear.
    Linear,
    /// Logarithmic steps and linear regret.
    LogX,
    /// Both logarithmic.
    Log,
}

impl Axes {
    /// Whether the x axis and the y axis are logarithmic.
    #[must_use]
    pub fn logs(self) -> [bool; 2] {
        [self != Self::Linear, self == Self::Log]
    }
}

/// A measure of the spread over runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpreadKind {
    /// The standard error of the mean.
    StandardError,
    /// The standard deviation of a run.
    StandardDeviation,
    /// The smallest and the largest run.
    Range,
}

/// With fewer runs than this, a standard error says little, and the range of the runs is shown.
const ENOUGH_RUNS: u64 = 5;

impl SpreadKind {
    /// The spread to show for `runs` runs.
    #[must_use]
    pub fn of(runs: u64) -> Self {
        if runs < ENOUGH_RUNS { Self::Range } else { Self::StandardError }
    }

    /// What curves over `runs` runs and their bands show.
    #[must_use]
    pub fn bands(self, runs: u64) -> String {
        let band = match self {
            Self::StandardError => "one standard error of the mean",
            Self::StandardDeviation => "one standard deviation of a run",
            Self::Range => "from the smallest to the largest run",
        };
        match runs {
            1 => mean_of(1, "run"),
            _ => format!("{}; bands: {band}", mean_of(runs, "run")),
        }
    }

    /// The ends of the band around the mean of `spread`.
    #[must_use]
    pub fn band(self, spread: &SampleSummary) -> (f64, f64) {
        // No run is below the smallest, which may exceed the mean by a rounding error.
        let around = |error: f64| ((spread.mean - error).max(spread.min.min(spread.mean)), spread.mean + error);
        match self {
            Self::StandardError => around(spread.standard_error),
            Self::StandardDeviation => around(spread.standard_deviation),
            Self::Range => (spread.min, spread.max),
        }
    }
}

impl Presentation {
    /// The same look, with these axes unless others were chosen.
    #[must_use]
    pub fn with_default_axes(self, axes: Axes) -> Self {
        if self.axes == Axes::Usual { Self { axes, ..self } } else { self }
    }

    /// The spread shown for `runs` runs.
    #[must_use]
    pub fn spread(&self, runs: u64) -> SpreadKind {
        self.spread.unwrap_or_else(|| SpreadKind::of(runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_runs_show_their_range() {
        assert_eq!([1, 4, 5, 50].map(SpreadKind::of).map(|kind| kind == SpreadKind::Range), [true, true, false, false]);
        let spread = SampleSummary::of(&[1.0, 2.0, 3.0, 6.0]);
        let band = |kind: SpreadKind| kind.band(&spread);
        assert_eq!(band(SpreadKind::Range), (1.0, 6.0));
        assert_eq!(band(SpreadKind::StandardError), (3.0 - spread.standard_error, 3.0 + spread.standard_error));
        let alike = SampleSummary { mean: 0.5, min: 0.500_000_1, max: 0.500_000_1, ..SampleSummary::of(&[0.5, 0.5]) };
        assert_eq!(SpreadKind::StandardError.band(&alike), (0.5, 0.5), "of equal runs, with rounding");
        assert_eq!(band(SpreadKind::StandardDeviation), (1.0, 3.0 + spread.standard_deviation), "not below any run");
        assert!(SpreadKind::of(5).bands(5).contains("standard error") && SpreadKind::of(3).bands(3).contains("run"));
        assert_eq!(SpreadKind::of(1).bands(1), "a single run");
    }
}
