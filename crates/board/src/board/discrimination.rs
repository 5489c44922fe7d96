//! How well judges distinguish competitors: a slope per judge (`statistics::bradley_terry::discriminating`).

use crate::Table;
use crate::group::GroupFit;
use serde::Serialize;
use statistics::student_quantile;

/// How well one judge distinguishes competitors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeSlope {
    /// The judge.
    pub judge: String,
    /// Units of that judge.
    pub units: u64,
    /// The factor of differences of strengths for that judge: 1 is the average judge, 0 is guessing.
    pub slope: f64,
    /// The standard error of its logarithm.
    pub ln_error: f64,
    /// The ends of a 95% interval of its posterior, by Student's distribution with as many degrees of freedom as there are judges, less one. It holds
    /// for 95% of judges, and for fewer of those far from the average, whose slopes are shrunk towards it.
    pub interval: [f64; 2],
}

/// How well the judges of a table distinguish competitors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Discrimination {
    /// The standard deviation of the logarithms of slopes, as learnt from the table; the prior of each slope.
    pub spread: f64,
    /// The judges, the most discriminating first.
    pub judges: Vec<JudgeSlope>,
}

impl JudgeSlope {
    /// Whether the interval excludes an average judge: 1 for more, -1 for less discriminating, 0 for neither.
    fn side(&self) -> i8 {
        i8::from(self.interval[0] > 1.0) - i8::from(self.interval[1] < 1.0)
    }
}

impl Discrimination {
    /// A sentence about the judges.
    #[must_use]
    pub fn sentence(&self) -> String {
        let judges_on = |side: i8| self.judges.iter().filter(|judge| judge.side() == side).count();
        let [lowest, .., highest] = &self.judges[..] else { return String::new() };
        format!(
            "Slopes of {} judges, by how well they distinguish competitors (1 is the average judge): from {:.2} ({}) to {:.2} ({}); {} clearly \
             above 1, {} clearly below.",
            self.judges.len(),
            lowest.slope,
            lowest.judge,
            highest.slope,
            highest.judge,
            judges_on(1),
            judges_on(-1)
        )
    }
}

/// The slopes of the judges of a group; `None` if none were fitted.
pub(super) fn discrimination_of(table: &Table, group: &GroupFit) -> Option<Discrimination> {
    let slope_indices = group.fit.slope_places();
    let spread = 1.0 / libm::sqrt(group.fit.prior_precision(slope_indices.clone().next()?));
    // The spread, which each slope is shrunk by, is known from that many judges.
    let quantile = student_quantile(0.05, group.judges.len() as f64 - 1.0);
    let slope = |((judge, place), ln_error): ((&u32, usize), &f64)| {
        let judge_units = group.units.iter().filter(|unit| unit.judge == Some(*judge));
        let (ln, ln_error) = (group.fit.parameters()[place], *ln_error);
        JudgeSlope {
            judge: table.judges[*judge as usize].clone(),
            units: judge_units.map(|unit| unit.comparison.copies).sum(),
            slope: libm::exp(ln),
            ln_error,
            interval: [-quantile, quantile].map(|z| libm::exp(ln + z * ln_error)),
        }
    };
    let mut judges: Vec<JudgeSlope> =
        group.judges.iter().zip(slope_indices).zip(group.fit.slope_errors()).map(slope).collect();
    judges.sort_by(|a, b| b.slope.total_cmp(&a.slope));
    Some(Discrimination { spread, judges })
}
