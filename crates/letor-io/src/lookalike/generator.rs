//! Generates the queries of a look-alike.

use super::keyed_rng::KeyedRng;
use super::model::Model;
use super::specs::{LookalikeSpec, ModelKind};
use super::{anonymous, mq2008, mslr, np2004};
use crate::dataset::{BuildError, EncodedQuery};

/// Generates the queries of one look-alike with one seed.
#[derive(Debug)]
pub(crate) struct QueryGenerator {
    spec: &'static LookalikeSpec,
    seed: u64,
    roles: anonymous::FeatureRoles,
}

impl QueryGenerator {
    pub(crate) fn new(spec: &'static LookalikeSpec, seed: u64) -> Self {
        let roles = match spec.model {
            ModelKind::Anonymous(features) => features.roles(),
            ModelKind::Mslr | ModelKind::Np2004 | ModelKind::Mq2008 => anonymous::FeatureRoles::default(),
        };
        Self { spec, seed, roles }
    }

    /// The number of features of a document.
    pub(crate) fn features(&self) -> usize {
        match self.spec.model {
            ModelKind::Mslr => mslr::FEATURES,
            ModelKind::Np2004 => np2004::FEATURES,
            ModelKind::Mq2008 => mq2008::FEATURES,
            ModelKind::Anonymous(features) => features.count,
        }
    }

    /// The query `number`, from 0; its id is `number + 1`.
    pub(crate) fn query(&self, number: usize) -> Result<EncodedQuery, BuildError> {
        let rng = &mut KeyedRng::keyed(self.spec.name, self.seed, number as u64);
        let documents = self.spec.documents.draw(rng);
        let judgements = self.spec.labels.draw(documents, rng);
        let mut model = self.model(rng);

        let features = self.features();
        let mut row = vec![0.0; features];
        let mut columns = vec![0.0; features * documents];
        for (document, judgement) in judgements.iter().enumerate() {
            model.document(judgement.grade, rng, &mut row);
            for (column, value) in columns.chunks_exact_mut(documents).zip(&row) {
                column[document] = *value;
            }
        }
        model.finish(&mut columns, documents);

        let labels: Vec<f32> = judgements.iter().map(|judgement| judgement.label).collect();
        let columns: Vec<&[f64]> = columns.chunks_exact(documents).collect();
        EncodedQuery::from_columns(&(number + 1).to_string(), &labels, &columns)
    }

    fn model(&self, rng: &mut KeyedRng) -> Box<dyn Model + '_> {
        match self.spec.model {
            ModelKind::Mslr => Box::new(mslr::Query::draw(rng)),
            ModelKind::Np2004 => Box::new(np2004::Query::draw(rng)),
            ModelKind::Mq2008 => Box::new(mq2008::Query::draw(rng)),
            ModelKind::Anonymous(_) => Box::new(self.roles.query(rng)),
        }
    }
}
