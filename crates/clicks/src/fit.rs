//! A dependent click model from a log of sessions, by counting.

use crate::DependentClickModel;
use crate::error::{ClickError, ClickErrorKind};

impl DependentClickModel {
    /// Estimates P(click | grade) and P(stop | grade, clicked) from a log. Each session lists the documents
    /// shown, from the top: the grade, below `grades`, and whether it was clicked.
    ///
    /// A user is assumed to have examined everything down to the last click, and the whole list where there
    /// was none (no user leaves without a click). P(click) is clicks over examinations, and P(stop) the share
    /// of a grade's clicks that were the last of their session. That is the estimate of Guo, Liu and Wang
    /// (2009), with stops by grade instead of stops by position. Users who went on after their last click and
    /// found nothing count as having stopped: P(stop) comes out too high where much is not clicked, and
    /// P(click) a little too high with it. P(stop) of a grade without clicks is 0, as the log holds no evidence
    /// about it.
    ///
    /// F. Guo, C. Liu, Y. M. Wang. *Efficient multiple-click models in web search.* WSDM 2009.
    /// <https://doi.org/10.1145/1498759.1498818>
    ///
    /// ```
    /// use clicks::DependentClickModel;
    ///
    /// let log = [
    ///     vec![(1, true), (0, false)],
    ///     vec![(0, false), (1, true), (1, true)],
    ///     vec![(0, false), (0, false)],
    /// ];
    /// let model = DependentClickModel::fit("ours", 2, &log)?;
    /// assert_eq!(model.click(), [0.0, 1.0]);
    /// assert_eq!(model.stop(), [0.0, 2.0 / 3.0]);
    /// # Ok::<(), clicks::ClickError>(())
    /// ```
    ///
    /// # Errors
    /// For `grades` of 0, a grade that is not below `grades`, and one that no user examined.
    pub fn fit<S: AsRef<[(u16, bool)]>>(
        name: &str,
        grades: u16,
        sessions: impl IntoIterator<Item = S>,
    ) -> Result<Self, ClickError> {
        if grades == 0 {
            let message = format!("click model {name:?} is fitted to no grades; give at least one");
            return Err(ClickError::new(ClickErrorKind::Grades, message));
        }
        let mut examinations = vec![0_u64; usize::from(grades)];
        let mut clicks = examinations.clone();
        let mut stops = examinations.clone();
        for (number, session) in sessions.into_iter().enumerate() {
            let session = session.as_ref();
            let last = session.iter().rposition(|&(_, clicked)| clicked);
            for (position, &(grade, clicked)) in session.iter().enumerate() {
                if grade >= grades {
                    return Err(ClickError::new(
                        ClickErrorKind::Log,
                        format!(
                            "session {number} (from 0) shows grade {grade} at position {position}, but grades go up to \
                             {}; count them in",
                            grades - 1
                        ),
                    ));
                }
                let grade = usize::from(grade);
                if last.is_none_or(|last| position <= last) {
                    examinations[grade] += 1;
                    clicks[grade] += u64::from(clicked);
                    stops[grade] += u64::from(last == Some(position));
                }
            }
        }
        if let Some(grade) = examinations.iter().position(|&examinations| examinations == 0) {
            return Err(ClickError::new(
                ClickErrorKind::Log,
                format!("no user in the log examined a document of grade {grade}; merge it with another"),
            ));
        }
        let share = |part: &[u64], whole: &[u64]| -> Vec<f64> {
            let pairs = part.iter().zip(whole);
            pairs.map(|(&part, &whole)| part as f64 / whole.max(1) as f64).collect()
        };
        Self::new(name, share(&clicks, &examinations), share(&stops, &clicks))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use crate::{ClickModel, CompiledClickModel, DependentClickModel, FractionalLabels, Generator, User};

    /// Users who always leave at their click are counted without bias.
    #[test]
    fn recovers_a_model_that_stops() {
        let truth = DependentClickModel::custom("0:0.1,1:0.4,2:0.9", "0:1,1:1,2:1").unwrap();
        let (compiled, grades) = truth.prepare(&[0.0, 1.0, 2.0], FractionalLabels::Round).unwrap();
        let mut generator = Generator::seed_from_u64(1);
        let sessions: Vec<Vec<(u16, bool)>> = (0..20_000)
            .map(|_| {
                let mut gone = false;
                let shown = (0..5).map(|_| generator.random_range(0..3_u16)).collect::<Vec<_>>();
                let clicked = shown.into_iter().map(|grade| {
                    let examination = compiled.user().examine(grades[usize::from(grade)], &mut generator);
                    let clicked = examination.clicked && !gone;
                    gone |= examination.abandons;
                    (grade, clicked)
                });
                clicked.collect()
            })
            .collect();
        let fitted = DependentClickModel::fit("fitted", 3, &sessions).unwrap();
        assert_eq!(fitted.stop(), [1.0; 3]);
        for (found, p) in fitted.click().iter().zip([0.1, 0.4, 0.9]) {
            // More than 10,000 examinations of each grade.
            assert!((found - p).abs() < 5.0 * f64::sqrt(p * (1.0 - p) / 10_000.0), "{found} {p}");
        }
    }

    #[test]
    fn a_grade_never_clicked_never_stops() {
        let model = DependentClickModel::fit("x", 2, [[(0, false), (1, true)]]).unwrap();
        assert_eq!((model.click(), model.stop()), (&[0.0, 1.0][..], &[0.0, 1.0][..]));
    }

    #[test]
    fn refusals() {
        let error = DependentClickModel::fit("x", 2, [[(2, true)]]).unwrap_err().to_string();
        assert!(error.contains("grade 2") && error.contains("up to 1"), "{error}");
        let error = DependentClickModel::fit("x", 2, [[(1, true)]]).unwrap_err().to_string();
        assert!(error.contains("examined a document of grade 0"), "{error}");
        for sessions in [vec![], vec![[(0, true)]]] {
            let error = DependentClickModel::fit("x", 0, sessions).unwrap_err().to_string();
            assert!(error.contains("no grades"), "{error}");
        }
    }
}
