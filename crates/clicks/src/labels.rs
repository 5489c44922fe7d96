//! From labels, which may be fractions, to grades.

use crate::Grade;
use crate::error::{ClickError, ClickErrorKind};

/// How labels that are not whole numbers become grades.
///
/// Yandex's IMAT2009 labels, for one, are averages over assessors (2.33, .5, ...), and the published
/// experiments do not document how they turned them into grades; hence a named choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FractionalLabels {
    /// To the nearest grade, halves up.
    #[default]
    Round,
    /// Down to the next grade.
    Floor,
    /// Interpolate all probabilities linearly between the neighbouring grades.
    Interpolate,
}

/// The largest number of grades that [`Grade`] can number.
pub(crate) const MAX_GRADES: usize = 1 << 16;

/// The grades of a data set's documents: those of the model first, then one for each interpolated label.
#[derive(Debug)]
pub(crate) struct Grading {
    /// By document.
    pub(crate) grades: Vec<Grade>,
    /// Labels between two grades that get a grade of their own, each once, ascending.
    labels_between_grades: Vec<f32>,
}

impl Grading {
    /// Grades `labels` for the click model `name`, which has `grades` grades.
    pub(crate) fn new(name: &str, grades: usize, labels: &[f32], rule: FractionalLabels) -> Result<Self, ClickError> {
        let highest = grades.saturating_sub(1);
        for &label in labels {
            check_label(label)?;
            if f64::from(label) > highest as f64 {
                return Err(ClickError::new(
                    ClickErrorKind::Label,
                    format!(
                        "label {label} is above {highest}, the highest grade of click model {name}; use a model with \
                         more grades"
                    ),
                ));
            }
        }
        let mut labels_between_grades: Vec<f32> = match rule {
            FractionalLabels::Interpolate => labels.iter().copied().filter(|label| label.fract() != 0.0).collect(),
            FractionalLabels::Round | FractionalLabels::Floor => Vec::new(),
        };
        labels_between_grades.sort_unstable_by(f32::total_cmp);
        labels_between_grades.dedup();
        if grades + labels_between_grades.len() > MAX_GRADES {
            return Err(ClickError::new(
                ClickErrorKind::Grades,
                format!(
                    "{} different grades of relevance are more than 65,536; round the labels instead",
                    grades + labels_between_grades.len()
                ),
            ));
        }
        let grade = |&label: &f32| {
            let grade = match rule {
                // In f64, where adding a half to an f32 is exact.
                FractionalLabels::Round => (f64::from(label) + 0.5).floor() as usize,
                FractionalLabels::Floor => label.floor() as usize,
                FractionalLabels::Interpolate => {
                    match labels_between_grades.binary_search_by(|other| other.total_cmp(&label)) {
                        Ok(index) => grades + index,
                        Err(_) => label as usize,
                    }
                }
            };
            Grade(grade as u16)
        };
        Ok(Self { grades: labels.iter().map(grade).collect(), labels_between_grades })
    }

    /// The labels that got a grade of their own, in the order of these, each with the next grade below.
    pub(crate) fn between(&self) -> impl Iterator<Item = (f32, usize)> {
        self.labels_between_grades.iter().map(|&label| (label, label.floor() as usize))
    }

    /// The probabilities of all grades, from those of the model's own.
    pub(crate) fn interpolate(&self, own: &[f64]) -> Vec<f64> {
        let between = self.labels_between_grades.iter().map(|&label| {
            let below = label.floor() as usize;
            let part = f64::from(label) - below as f64;
            own[below] + part * (own[below + 1] - own[below])
        });
        own.iter().copied().chain(between).collect()
    }
}

pub(crate) fn check_label(label: f32) -> Result<(), ClickError> {
    let reason = if !label.is_finite() {
        format!("label {label} is not a finite number; labels are grades from 0 up")
    } else if label < 0.0 {
        format!(
            "label {label}: the data are unlabelled (negative labels mean \"not judged\"), and no click can be \
             simulated on them; use a labelled split"
        )
    } else {
        return Ok(());
    };
    Err(ClickError::new(ClickErrorKind::Label, reason))
}
