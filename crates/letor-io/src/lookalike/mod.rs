//! Look-alikes.

mod families;
mod labels;
mod letor;
mod maker;
mod mq2008;
mod mslr;
mod noise;
mod np2004;
mod sets;
mod signals;
mod text;

use rayon::prelude::*;

use crate::dataset::{Dataset, DatasetBuilder, EncodedQuery, Provenance};
use crate::error::{Error, ErrorKind};
use maker::Maker;
use sets::SETS;

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
        unknown(format!(
            "there is no look-alike `{name}`: there are {}",
            names.join(", ")
        ))
    })?;
    if !(scale > 0.0 && scale <= MAX_SCALE) {
        return Err(unknown(format!(
            "{name} cannot have scale {scale}: expected a number above 0 and up to {MAX_SCALE}, such as `{name}:0.1`"
        )));
    }
    let queries = ((set.queries as f64 * scale).round() as usize).max(1);
    let maker = Maker::new(set, seed);
    let encoded: Vec<EncodedQuery> = (0..queries)
        .into_par_iter()
        .map(|query| maker.query(query))
        .collect::<Result<_, _>>()
        .map_err(|error| unknown(error.to_string()))?;
    let full_name = full_name(name, scale, seed);
    let mut builder =
        DatasetBuilder::new(full_name.clone(), Provenance::LookAlike { name: full_name });
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

/// Whether `spec` asks for a look-alike: its part before a `:` is the name of one.
pub(crate) fn is_named_by(spec: &str) -> bool {
    names().any(|name| Some(name) == spec.split(':').next())
}

/// Generates what a person typed: `NAME`, `NAME:SCALE` or `NAME:SCALE:SEED`.
pub(crate) fn open(spec: &str) -> Result<Dataset, Error> {
    let mut parts = spec.split(':');
    let name = parts.next().unwrap_or_default();
    let scale = parts.next().map_or(Some(1.0), |scale| scale.parse().ok());
    let seed = parts
        .next()
        .map_or(Some(DEFAULT_SEED), |seed| seed.parse().ok());
    match (scale, seed, parts.next()) {
        (Some(scale), Some(seed), None) => generate(name, scale, seed),
        _ => Err(Error::new(
            ErrorKind::Unknown,
            format!(
                "cannot make `{spec}`: expected NAME, NAME:SCALE or NAME:SCALE:SEED, such as `{name}:0.1`"
            ),
        )),
    }
}
