//! A dependent click model from a log of sessions, by counting.

use crate::{ClickError, ClickModel};

impl ClickModel {
    /// Counts P(click | grade) and P(stop | grade, clicked) in a log. Each session lists the documents
    /// shown, top down: the grade, below `grades`, and whether it was clicked.
    ///
    /// A user is taken to have looked at everything down to the last click, and at the whole list
    /// where there was none (nobody leaves without a click). P(click) is clicks over looks, and
    /// P(stop) the part of a grade's clicks that were the last of their session. That is the estimate
    /// of Guo, Liu and Wang (2009), with stops by grade in place of stops by position. Users who went
    /// on after their last click and found nothing are counted as having stopped: P(stop) comes out
    /// too high where much is not clicked, and P(click) a little too high with it. P(stop) of a grade that
    /// nobody clicked is 0: the log says nothing of it.
    ///
    /// F. Guo, C. Liu, Y. M. Wang. *Efficient multiple-click models in web search.* WSDM 2009.
    /// <https://doi.org/10.1145/1498759.1498818>
    ///
    /// ```
    /// use clicks::ClickModel;
    ///
    /// let log = [
    ///     vec![(1, true), (0, false)],
    ///     vec![(0, false), (1, true), (1, true)],
    ///     vec![(0, false), (0, false)],
    /// ];
    /// let model = ClickModel::fit("ours", 2, &log)?;
    /// assert_eq!(model.click(), [0.0, 1.0]);
    /// assert_eq!(model.stop(), [0.0, 2.0 / 3.0]);
    /// # Ok::<(), clicks::ClickError>(())
    /// ```
    ///
    /// # Errors
    /// For `grades` of 0, a grade that is not below `grades`, and one that nobody looked at.
    pub fn fit<S: AsRef<[(u16, bool)]>>(
        name: &str,
        grades: u16,
        sessions: impl IntoIterator<Item = S>,
    ) -> Result<Self, ClickError> {
        if grades == 0 {
            return Err(ClickError::new(format!("click model {name:?} is to have no grades; give at least one")));
        }
        let mut looks = vec![0_u64; usize::from(grades)];
        let mut clicks = looks.clone();
        let mut stops = looks.clone();
        for (number, session) in sessions.into_iter().enumerate() {
            let session = session.as_ref();
            let last = session.iter().rposition(|&(_, clicked)| clicked);
            for (position, &(grade, clicked)) in session.iter().enumerate() {
                if grade >= grades {
                    return Err(ClickError::new(format!(
                        "session {number} (from 0) shows grade {grade} at position {position}, but \
                         grades go up to {}; count them in",
                        grades - 1
                    )));
                }
                let grade = usize::from(grade);
                if last.is_none_or(|last| position <= last) {
                    looks[grade] += 1;
                    clicks[grade] += u64::from(clicked);
                    stops[grade] += u64::from(last == Some(position));
                }
            }
        }
        if let Some(grade) = looks.iter().position(|&looks| looks == 0) {
            return Err(ClickError::new(format!(
                "nobody in the log looked at a document of grade {grade}; merge it with another"
            )));
        }
        let odds = |part: &[u64], whole: &[u64]| -> Vec<f64> {
            let pairs = part.iter().zip(whole);
            pairs.map(|(&part, &whole)| part as f64 / whole.max(1) as f64).collect()
        };
        Self::new(name, odds(&clicks, &looks), odds(&stops, &clicks))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use crate::{ClickModel, FractionalLabels, Generator};

    /// Users who always leave at their click are counted without bias.
    #[test]
    fn recovers_a_model_that_stops() {
        let truth = ClickModel::custom("0:0.1,1:0.4,2:0.9", "0:1,1:1,2:1").unwrap();
        let (users, levels) = truth.prepare(&[0.0, 1.0, 2.0], FractionalLabels::Round).unwrap();
        let mut generator = Generator::seed_from_u64(1);
        let sessions: Vec<Vec<(u16, bool)>> = (0..20_000)
            .map(|_| {
                let mut gone = false;
                let shown = (0..5).map(|_| generator.random_range(0..3_u16)).collect::<Vec<_>>();
                let clicked = shown.into_iter().map(|grade| {
                    let look = users.look(levels[usize::from(grade)], &mut generator);
                    let clicked = look.clicked && !gone;
                    gone |= look.leaves;
                    (grade, clicked)
                });
                clicked.collect()
            })
            .collect();
        let fitted = ClickModel::fit("fitted", 3, &sessions).unwrap();
        assert_eq!(fitted.stop(), [1.0; 3]);
        for (found, p) in fitted.click().iter().zip([0.1, 0.4, 0.9]) {
            // More than 10,000 looks at each grade.
            assert!((found - p).abs() < 5.0 * f64::sqrt(p * (1.0 - p) / 10_000.0), "{found} {p}");
        }
    }

    #[test]
    fn a_grade_never_clicked_never_stops() {
        let model = ClickModel::fit("x", 2, [[(0, false), (1, true)]]).unwrap();
        assert_eq!((model.click(), model.stop()), (&[0.0, 1.0][..], &[0.0, 1.0][..]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = ClickModel::fit("x", 2, [[(2, true)]]).unwrap_err().to_string();
        assert!(error.contains("grade 2") && error.contains("up to 1"), "{error}");
        let error = ClickModel::fit("x", 2, [[(1, true)]]).unwrap_err().to_string();
        assert!(error.contains("looked at a document of grade 0"), "{error}");
        for sessions in [vec![], vec![[(0, true)]]] {
            let error = ClickModel::fit("x", 0, sessions).unwrap_err().to_string();
            assert!(error.contains("no grades"), "{error}");
        }
    }
}
