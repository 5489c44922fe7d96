//! From a set, a seed and a query's number to that query.

use super::noise::Noise;
use super::sets::{Kind, Set};
use super::{families, mq2008, mslr, np2004};
use crate::dataset::{BuildError, EncodedQuery};

/// How the documents of one query come by their features.
pub(crate) trait Model {
    /// Writes the features of the next document, of the given grade (0 is not relevant).
    fn document(&mut self, grade: usize, noise: &mut Noise, out: &mut [f64]);

    /// Sees all values, feature by feature and `documents` each, once the documents are drawn.
    fn finish(&self, _columns: &mut [f64], _documents: usize) {}
}

/// Makes the queries of one set under one seed.
#[derive(Debug)]
pub(crate) struct Maker {
    set: &'static Set,
    seed: u64,
    cast: families::Cast,
}

impl Maker {
    pub(crate) fn new(set: &'static Set, seed: u64) -> Self {
        let cast = match set.kind {
            Kind::Anonymous(features) => features.cast(),
            Kind::Mslr | Kind::Np2004 | Kind::Mq2008 => families::Cast::default(),
        };
        Self { set, seed, cast }
    }

    /// How many features documents have.
    pub(crate) fn features(&self) -> usize {
        match self.set.kind {
            Kind::Mslr => mslr::FEATURES,
            Kind::Np2004 => np2004::FEATURES,
            Kind::Mq2008 => mq2008::FEATURES,
            Kind::Anonymous(features) => features.count,
        }
    }

    /// Query `number`, counted from 0; its id counts from 1.
    pub(crate) fn query(&self, number: usize) -> Result<EncodedQuery, BuildError> {
        let noise = &mut Noise::keyed(self.set.name, self.seed, number as u64);
        let documents = self.set.documents.draw(noise);
        let judgements = self.set.labels.draw(documents, noise);
        let mut model = self.model(noise);

        let features = self.features();
        let mut row = vec![0.0; features];
        let mut columns = vec![0.0; features * documents];
        for (document, judgement) in judgements.iter().enumerate() {
            model.document(judgement.grade, noise, &mut row);
            for (column, value) in columns.chunks_exact_mut(documents).zip(&row) {
                column[document] = *value;
            }
        }
        model.finish(&mut columns, documents);

        let labels: Vec<f32> = judgements.iter().map(|judgement| judgement.label).collect();
        let columns: Vec<&[f64]> = columns.chunks_exact(documents).collect();
        EncodedQuery::from_columns(&(number + 1).to_string(), &labels, &columns)
    }

    fn model(&self, noise: &mut Noise) -> Box<dyn Model + '_> {
        match self.set.kind {
            Kind::Mslr => Box::new(mslr::Query::draw(noise)),
            Kind::Np2004 => Box::new(np2004::Query::draw(noise)),
            Kind::Mq2008 => Box::new(mq2008::Query::draw(noise)),
            Kind::Anonymous(_) => Box::new(self.cast.query(noise)),
        }
    }
}
