//! Look-alikes.

mod families;
mod labels;
mod letor;
mod mslr;
mod noise;
mod sets;
mod text;

use rayon::prelude::*;

use crate::dataset::{Dataset, DatasetBuilder, EncodedQuery, Provenance};
use crate::error::{Error, ErrorKind};
use noise::Noise;
use sets::{Kind, SETS, Set};

/// The seed of a look-alike that is asked for by name and scale alone.
pub const DEFAULT_SEED: u64 = 1;
/// Largest scale: ten times as many queries as the real set has.
pub const MAX_SCALE: f64 = 10.0;

/// The names of all look-alikes.
pub fn names() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|set| set.name)
}

/// Generates the look-alike `name` with `scale` times the queries of the real set (at least one, at
/// most [`MAX_SCALE`] times as many).
///
/// Each query depends on the name, the seed and its own number alone: query 17 is the same at every
/// scale and for any number of threads.
///
/// # Errors
///
/// [`ErrorKind::Unknown`] for an unknown name or a scale outside 0 (excluded) to [`MAX_SCALE`].
pub fn generate(name: &str, scale: f64, seed: u64) -> Result<Dataset, Error> {
    let unknown = |message: String| Error::new(ErrorKind::Unknown, message);
    let set = SETS.iter().find(|set| set.name == name).ok_or_else(|| {
        let names: Vec<&str> = names().collect();
        unknown(format!("there is no look-alike `{name}`: there are {}", names.join(", ")))
    })?;
    if !(scale > 0.0 && scale <= MAX_SCALE) {
        return Err(unknown(format!(
            "{name} cannot have scale {scale}: expected a number above 0 and up to {MAX_SCALE}, such as `{name}:0.1`"
        )));
    }
    let queries = ((set.queries as f64 * scale).round() as usize).max(1);
    let maker = Maker::new(set, seed);
    let encoded: Vec<EncodedQuery> =
        (0..queries).into_par_iter().map(|query| maker.query(query)).collect::<Result<_, _>>()
            .map_err(|error| Error::new(ErrorKind::Unknown, error.to_string()))?;
    let full_name = full_name(name, scale, seed);
    let mut builder = DatasetBuilder::new(full_name.clone(), Provenance::LookAlike { name: full_name });
    builder.features(maker.features() as u32);
    for query in encoded {
        builder.push(query);
    }
    Ok(builder.build())
}

fn full_name(name: &str, scale: f64, seed: u64) -> String {
    match (scale == 1.0, seed == DEFAULT_SEED) {
        (true, true) => name.to_string(),
        (false, true) => format!("{name}:{scale}"),
        (_, false) => format!("{name}:{scale}:{seed}"),
    }
}

/// Generates what a person typed, `NAME[:SCALE[:SEED]]`; `None` where that names no look-alike.
pub(crate) fn open(spec: &str) -> Option<Result<Dataset, Error>> {
    let mut parts = spec.split(':');
    let name = parts.next()?;
    if !names().any(|known| known == name) {
        return None;
    }
    let malformed = || {
        Error::new(
            ErrorKind::Unknown,
            format!("cannot make `{spec}`: expected {name}, {name}:SCALE or {name}:SCALE:SEED, such as `{name}:0.1`"),
        )
    };
    let parsed = (|| {
        let scale = parts.next().map_or(Ok(1.0), |scale| scale.parse::<f64>().map_err(|_| malformed()))?;
        let seed = parts.next().map_or(Ok(DEFAULT_SEED), |seed| seed.parse::<u64>().map_err(|_| malformed()))?;
        if parts.next().is_some() { Err(malformed()) } else { Ok((scale, seed)) }
    })();
    Some(parsed.and_then(|(scale, seed)| generate(name, scale, seed)))
}

/// Makes the queries of one set under one seed.
#[derive(Debug)]
struct Maker {
    set: &'static Set,
    seed: u64,
    cast: Option<families::Cast>,
}

impl Maker {
    fn new(set: &'static Set, seed: u64) -> Self {
        let cast = match set.kind {
            Kind::Anonymous(features) => Some(features.cast()),
            _ => None,
        };
        Self { set, seed, cast }
    }

    fn features(&self) -> usize {
        match self.set.kind {
            Kind::Mslr => mslr::FEATURES,
            Kind::Np2004 => letor::NP2004_FEATURES,
            Kind::Mq2008 => letor::MQ2008_FEATURES,
            Kind::Anonymous(features) => features.count,
        }
    }

    /// Query `number`, counted from 0; its id counts from 1.
    fn query(&self, number: usize) -> Result<EncodedQuery, crate::BuildError> {
        let noise = &mut Noise::keyed(self.set.name, self.seed, number as u64);
        let documents = self.set.documents.draw(noise);
        let judgements = self.set.labels.draw(documents, noise);
        let labels: Vec<f32> = judgements.iter().map(|judgement| judgement.label).collect();
        let features = self.features();
        let mut columns = vec![0.0; features * documents];
        let mut row = vec![0.0; features];
        let mut fill = |noise: &mut Noise, make: &mut dyn FnMut(usize, &mut Noise, &mut [f64])| {
            for (document, judgement) in judgements.iter().enumerate() {
                make(judgement.grade, noise, &mut row);
                for (feature, value) in row.iter().enumerate() {
                    columns[feature * documents + document] = *value;
                }
            }
        };
        let mut earlier = Vec::with_capacity(documents);
        match (self.set.kind, &self.cast) {
            (Kind::Mslr, _) => {
                let query = mslr::Query::draw(noise);
                fill(noise, &mut |grade, noise, row| query.document(grade, &mut earlier, noise, row));
            }
            (Kind::Np2004, _) => {
                let query = text::TextQuery::draw(&letor::NP2004, noise);
                fill(noise, &mut |grade, noise, row| letor::np2004(&query, grade, &mut earlier, noise, row));
            }
            (Kind::Mq2008, _) => {
                let query = text::TextQuery::draw(&letor::MQ2008, noise);
                fill(noise, &mut |grade, noise, row| letor::mq2008(&query, grade, &mut earlier, noise, row));
                letor::to_unit(&mut columns, documents);
            }
            (Kind::Anonymous(_), Some(cast)) => {
                let mut query = cast.query(noise);
                fill(noise, &mut |grade, noise, row| query.document(grade, noise, row));
            }
            (Kind::Anonymous(_), None) => unreachable!("a set of anonymous features has its cast"),
        }
        let columns: Vec<&[f64]> = columns.chunks_exact(documents).collect();
        EncodedQuery::from_columns(&(number + 1).to_string(), &labels, &columns)
    }
}
