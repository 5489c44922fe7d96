//! A click model as a person describes it: odds by grade.

use crate::presets::PRESETS;
use crate::users::{Level, Users};

/// How labels that are not whole numbers become grades.
///
/// Yandex's IMAT2009 labels, for one, are averages over assessors (2.33, .5, ...), and how the
/// published experiments made grades of them is not documented; hence a choice with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FractionalLabels {
    /// To the nearest grade, halves up.
    #[default]
    Round,
    /// Down to the next grade.
    Floor,
    /// Interpolate P(click) and P(stop) linearly between the neighbouring grades.
    Interpolate,
}

/// As many as a [`Level`] tells apart.
const MOST_LEVELS: usize = 1 << 16;

/// P(click | grade) and P(stop | grade, clicked) for grades 0, 1, ...
#[derive(Debug, Clone, PartialEq)]
pub struct ClickModel {
    name: String,
    click: Vec<f64>,
    stop: Vec<f64>,
}

/// What is wrong with a click model's description, or with labels it is asked to serve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ClickError(String);

impl ClickError {
    pub(crate) fn new(message: String) -> Self {
        Self(message)
    }
}

impl ClickModel {
    /// The names [`preset`](Self::preset) knows.
    pub const PRESETS: [&'static str; 5] = {
        let mut names = [""; 5];
        let mut i = 0;
        while i < names.len() {
            names[i] = PRESETS[i].name;
            i += 1;
        }
        names
    };

    /// A model from numbers: P(click) and P(stop after a click), both for grades 0, 1, ...
    ///
    /// ```
    /// use clicks::ClickModel;
    ///
    /// let eager = ClickModel::new("eager", vec![0.0, 0.5, 1.0], vec![0.0, 0.0, 0.25])?;
    /// assert_eq!((eager.name(), eager.click()[1], eager.stop()[2]), ("eager", 0.5, 0.25));
    /// assert!(ClickModel::new("certain", vec![0.0, 1.5], vec![0.0, 0.0]).is_err());
    /// # Ok::<(), clicks::ClickError>(())
    /// ```
    ///
    /// # Errors
    /// When the two differ in length, with no grades or more than 65,536, and for a probability that is
    /// not a number from 0 to 1.
    pub fn new(name: &str, click: Vec<f64>, stop: Vec<f64>) -> Result<Self, ClickError> {
        let fail = |reason: String| Err(ClickError(format!("click model {name:?}: {reason}")));
        if click.len() != stop.len() {
            return fail(format!(
                "click odds are given for {} grades but stop odds for {}; give both for the same grades",
                click.len(),
                stop.len()
            ));
        }
        if click.is_empty() {
            return fail("it has no grades; give at least one".to_owned());
        }
        if click.len() > MOST_LEVELS {
            return fail(format!("{} grades are more than 65,536; merge some", click.len()));
        }
        for (what, table) in [("click", &click), ("stop", &stop)] {
            // Not a number lies in no range.
            if let Some(grade) = table.iter().position(|odds| !(0.0..=1.0).contains(odds)) {
                return fail(format!("P({what}) of grade {grade} is {}; give probabilities from 0 to 1", table[grade]));
            }
        }
        Ok(Self { name: name.to_owned(), click, stop })
    }

    /// The preset `name` (`perfect`, `navigational`, `informational`, `almost-random`, `random`)
    /// for labels up to `max_label`: the smallest table of 2, 3 or 5 grades that holds it.
    ///
    /// # Errors
    /// For an unknown name (with the known ones), or a `max_label` that is negative, not finite, or above 4.
    pub fn preset(name: &str, max_label: f32) -> Result<Self, ClickError> {
        let preset = PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let known = Self::PRESETS.join(", ");
            ClickError(format!(
                "unknown click model {name:?}; known are {known}, or give your own as `0:0.0,1:0.5,...`"
            ))
        })?;
        check_label(max_label)?;
        let (click, stop) = if max_label <= 1.0 {
            (preset.two.0.to_vec(), preset.two.1.to_vec())
        } else if max_label <= 2.0 {
            (preset.three.0.to_vec(), preset.three.1.to_vec())
        } else if max_label <= 4.0 {
            (preset.five.0.to_vec(), preset.five.1.to_vec())
        } else {
            return Err(ClickError(format!(
                "click model {name} has odds for labels up to 4, but the data go up to {max_label}; \
                 give your own as `0:0.0,1:0.5,...`"
            )));
        };
        Ok(Self { name: name.to_owned(), click, stop })
    }

    /// A model in Lerot's notation, `label:probability,...`, for clicks and stops.
    ///
    /// Both must name the same grades 0, 1, ... without gaps, in any order; blanks are ignored.
    ///
    /// # Errors
    /// For a malformed pair, a probability outside [0, 1], a grade missing or given twice, and where clicks
    /// and stops name different grades.
    pub fn custom(click: &str, stop: &str) -> Result<Self, ClickError> {
        let name = format!("click {} stop {}", click.trim(), stop.trim());
        Self::new(&name, parse("click", click)?, parse("stop", stop)?)
    }

    /// Lays the model out for `labels` (one a document): each document's [`Level`].
    ///
    /// # Errors
    /// For a label that is negative, not finite, or above the model's highest grade (whatever the
    /// rule for fractions), and for more than 65,536 different levels under
    /// [`FractionalLabels::Interpolate`].
    pub fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Users, Vec<Level>), ClickError> {
        let highest = self.click.len() - 1;
        for &label in labels {
            check_label(label)?;
            if f64::from(label) > highest as f64 {
                return Err(ClickError(format!(
                    "label {label} is above {highest}, the highest grade of click model {}; \
                     use a model with more grades",
                    self.name
                )));
            }
        }
        let mut odds: Vec<(f64, f64)> = self.click.iter().copied().zip(self.stop.iter().copied()).collect();
        // Labels between two grades that get a level of their own, each once, in numeric order.
        let mut between: Vec<f32> = match rule {
            FractionalLabels::Interpolate => labels.iter().copied().filter(|label| label.fract() != 0.0).collect(),
            FractionalLabels::Round | FractionalLabels::Floor => Vec::new(),
        };
        between.sort_unstable_by(f32::total_cmp);
        between.dedup();
        for &label in &between {
            let below = label.floor() as usize;
            let part = f64::from(label) - below as f64;
            let mix = |table: &[f64]| table[below] + part * (table[below + 1] - table[below]);
            odds.push((mix(&self.click), mix(&self.stop)));
        }
        if odds.len() > MOST_LEVELS {
            return Err(ClickError(format!(
                "{} different levels of relevance are more than 65,536; round the labels instead",
                odds.len()
            )));
        }
        let level = |&label: &f32| {
            let grade = match rule {
                // In f64, where adding a half to an f32 is exact.
                FractionalLabels::Round => (f64::from(label) + 0.5).floor() as usize,
                FractionalLabels::Floor => label.floor() as usize,
                FractionalLabels::Interpolate => match between.binary_search_by(|other| other.total_cmp(&label)) {
                    Ok(index) => self.click.len() + index,
                    Err(_) => label as usize,
                },
            };
            Level(grade as u16)
        };
        Ok((Users::new(&odds), labels.iter().map(level).collect()))
    }

    /// The model's name, or the notation it was made from.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// P(click) for each grade.
    #[must_use]
    pub fn click(&self) -> &[f64] {
        &self.click
    }

    /// P(stop after a click) for each grade.
    #[must_use]
    pub fn stop(&self) -> &[f64] {
        &self.stop
    }
}

fn check_label(label: f32) -> Result<(), ClickError> {
    if label.is_finite() && label >= 0.0 {
        Ok(())
    } else if label < 0.0 && label.is_finite() {
        Err(ClickError(format!(
            "label {label}: the data are unlabelled (negative labels mean \"not judged\"), and no click can be \
             simulated on them; use a labelled split"
        )))
    } else {
        Err(ClickError(format!("label {label} is not a finite number; labels are grades from 0 up")))
    }
}

/// `label:probability` pairs as a table by label.
fn parse(what: &str, text: &str) -> Result<Vec<f64>, ClickError> {
    let fail = |reason: String| {
        Err(ClickError(format!("{what} odds {:?}: {reason}; expected pairs like `0:0.0,1:0.5,2:1.0`", text.trim())))
    };
    let mut pairs = Vec::new();
    for pair in text.split(',') {
        let Some((grade, odds)) = pair.split_once(':') else {
            return fail(format!("{:?} is no pair", pair.trim()));
        };
        let Ok(grade) = grade.trim().parse::<u16>() else {
            return fail(format!("{:?} is no grade (a whole number from 0 to 65,535)", grade.trim()));
        };
        match odds.trim().parse::<f64>() {
            Ok(odds) if (0.0..=1.0).contains(&odds) => pairs.push((grade, odds)),
            _ => return fail(format!("{:?} is no probability from 0 to 1", odds.trim())),
        }
    }
    pairs.sort_by_key(|&(grade, _)| grade);
    for (expected, &(grade, _)) in pairs.iter().enumerate() {
        if usize::from(grade) < expected {
            return fail(format!("grade {grade} is given twice"));
        }
        if usize::from(grade) > expected {
            return fail(format!("grade {expected} is missing"));
        }
    }
    Ok(pairs.into_iter().map(|(_, odds)| odds).collect())
}
