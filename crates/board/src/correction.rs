//! The contribution of a model's verdicts to the units of a group, and its errors by clusters.

use crate::BoardError;
use crate::units::Unit;
use statistics::bradley_terry::{Comparison, Fit, Labels, Predicted, PredictionPowered, two_way_covariances};

/// The model's verdict on a pair on an item: the mean of its units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Question {
    pub(crate) item: u32,
    pub(crate) predicted: Predicted,
}

/// The pair of a question, the smaller number first, and its item.
pub(crate) type Key = (usize, usize, u32);

impl Question {
    /// The questions of a model's units, in the order of their keys.
    pub(crate) fn questions_of(units: &[Unit]) -> Vec<Self> {
        let mut keyed: Vec<(Key, &Unit)> = units.iter().filter_map(|unit| Some((key(unit)?, unit))).collect();
        // Several judges of one question, in an order that the rows do not decide.
        keyed.sort_by_key(|(key, unit)| (*key, unit.judge));
        let question_of = |rows_of_question: &[(Key, &Unit)]| {
            let (first, second, item) = rows_of_question[0].0;
            let mut shares = [0.0; 3];
            for (_, unit) in rows_of_question {
                let point_shares = unit.comparison.point.shares();
                shares
                    .iter_mut()
                    .zip(point_shares)
                    .for_each(|(sum, share)| *sum += share / rows_of_question.len() as f64);
            }
            Self { item, predicted: Predicted { first, second, shares } }
        };
        keyed.chunk_by(|a, b| a.0 == b.0).map(question_of).collect()
    }

    pub(crate) fn key(&self) -> Key {
        (self.predicted.first, self.predicted.second, self.item)
    }

    /// The place of the question of a unit.
    pub(crate) fn find(questions: &[Self], unit: &Unit) -> Option<usize> {
        questions.binary_search_by_key(&key(unit)?, Self::key).ok()
    }

    /// The share of the points that the first competitor gets.
    pub(crate) fn points(&self) -> f64 {
        self.predicted.shares[0] + 0.5 * self.predicted.shares[2]
    }
}

/// The first of a unit's pair is the one with the smaller number.
fn key(unit: &Unit) -> Option<Key> {
    Some((unit.comparison.first, unit.comparison.second, unit.item?))
}

/// The place of each unit's question, and the model's answers to all.
pub(crate) struct LabelledQuestions {
    question_indices: Vec<u32>,
    predicted: Vec<Predicted>,
}

/// Corrected strengths of a group.
pub(crate) struct Correction<'a> {
    powered: PredictionPowered<'a>,
    questions: &'a [Question],
    question_indices: &'a [u32],
}

impl<'a> Correction<'a> {
    /// Each unit has a question.
    pub(crate) fn labels(units: &[Unit], questions: &[Question]) -> LabelledQuestions {
        let question_index =
            |unit| Question::find(questions, unit).expect("units without a question were set aside") as u32;
        LabelledQuestions {
            question_indices: units.iter().map(question_index).collect(),
            predicted: questions.iter().map(|question| question.predicted).collect(),
        }
    }

    /// From the fit of the units alone; `prior` is for groups without finite strengths.
    pub(crate) fn of(
        people_fit: &Fit,
        comparisons: &'a [Comparison],
        labels: &'a LabelledQuestions,
        questions: &'a [Question],
        prior: f64,
    ) -> Result<Self, BoardError> {
        let question_indices = &labels.question_indices;
        let labels = Labels { labelled: comparisons, questions: question_indices, predicted: &labels.predicted };
        Ok(Self { powered: PredictionPowered::new(people_fit, labels, None, prior)?, questions, question_indices })
    }

    pub(crate) fn fit(&self) -> &Fit {
        self.powered.fit()
    }

    pub(crate) fn lambda(&self) -> f64 {
        self.powered.lambda()
    }

    pub(crate) fn model_covariance(&self) -> Vec<f64> {
        self.powered.model_covariance()
    }

    /// Covariances if questions are independent.
    pub(crate) fn by_question(&self) -> Vec<f64> {
        let clusters: Vec<u32> = (0..self.questions.len() as u32).collect();
        self.powered.sandwich(self.question_indices, &clusters)
    }

    /// Covariances if items are.
    pub(crate) fn by_item(&self) -> Vec<f64> {
        let clusters: Vec<u32> = self.questions.iter().map(|question| question.item).collect();
        let labelled: Vec<u32> = self.question_indices.iter().map(|place| clusters[*place as usize]).collect();
        self.powered.sandwich(&labelled, &clusters)
    }

    /// Covariances if units of a judge depend on each other, and verdicts on a question do.
    pub(crate) fn by_judge(&self, judges: &[u32]) -> Vec<f64> {
        let units: Vec<u32> = (0..self.question_indices.len() as u32).collect();
        self.covariance_by_both(&self.by_question(), judges, &units)
    }

    /// Two-way covariances: by items (or questions), given as `items`, and by judges. For each unit, `judges` has the number of its judge,
    /// and `both` that of its judge and item together. The model is not a sample of judges: each of its questions stands alone.
    pub(crate) fn covariance_by_both(&self, items: &[f64], judges: &[u32], both: &[u32]) -> Vec<f64> {
        two_way_covariances(items, &self.with_own_clusters(judges), &self.with_own_clusters(both))
    }

    /// Covariances by clusters of units, each question of the model apart.
    fn with_own_clusters(&self, clusters: &[u32]) -> Vec<f64> {
        let next_cluster = clusters.iter().max().map_or(0, |most| most + 1);
        let own_clusters: Vec<u32> = (next_cluster..next_cluster + self.questions.len() as u32).collect();
        self.powered.sandwich(clusters, &own_clusters)
    }
}
