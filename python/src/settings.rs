//! What a caller asks of a study: algorithms, settings as JSON with the names of the arguments in Python, and a place.

use std::path::PathBuf;
use std::sync::Arc;

use bandits::registry::{Outside, Spec};
use output::shards::shard::of_this_task;
use output::shards::{Parts, ShardSpec, Share, folder_of};
use pyo3::prelude::*;
use sim::cli::made;
use studies::request::Settings;
use studies::{Order, Place};

use crate::call::{exception, value_error};
use crate::own::{OwnAlgorithm, Raised};

/// What a study needs from its caller.
pub(crate) struct StudyInputs {
    pub(crate) settings: Settings,
    pub(crate) algorithms: Vec<Spec>,
    pub(crate) order: Order,
    /// What a policy of the caller's raised.
    pub(crate) own: Raised,
}

/// Where results go: a folder, whether it is replaced, and a share of the work.
pub(crate) type Placed = (Option<PathBuf>, bool, Option<String>);

impl StudyInputs {
    /// Reads the settings as the command line does. An algorithm is its text, or a class of policies.
    pub(crate) fn new(algorithms: &[Bound<'_, PyAny>], settings: &str, placed: Placed) -> PyResult<Self> {
        let settings = Settings::parse(settings).map_err(|error| exception(&error))?;
        let own = Raised::default();
        let algorithms = read_algorithms(algorithms, &own, placed.0.is_some())?;
        Ok(Self { settings, algorithms, order: order(placed)?, own })
    }
}

/// Where a study goes, and how much of it is done.
pub(crate) fn order((out, replace, shard): Placed) -> PyResult<Order> {
    let share = match (shard.as_deref(), &out) {
        (None, _) => Share::All,
        (Some(_), None) => {
            return Err(value_error("shard: a shard writes its part beside the results; add out=\"results/...\""));
        }
        (Some("merge"), Some(out)) => {
            let parts = Parts::read(&folder_of(out)).map_err(|error| exception(&error))?;
            Share::Merge(Arc::new(parts))
        }
        (Some(text), Some(_)) => match text.parse().map_err(|error| value_error(format!("shard {text:?}: {error}")))? {
            ShardSpec::Prepare => Share::Prepare,
            ShardSpec::Shard(shard) => Share::One(shard),
            ShardSpec::Auto { offset, of } => Share::One(of_this_task(offset, of).map_err(|error| exception(&error))?),
            ShardSpec::Merge(_) => {
                return Err(value_error("shard: expected \"merge\" alone; the parts are beside out"));
            }
        },
    };
    let place = match out {
        None => Place::Memory,
        Some(path) => Place::Folder { path, replace, named: true },
    };
    Ok(Order { place, share, made: made(), quiet: true })
}

fn read_algorithms(algorithms: &[Bound<'_, PyAny>], own: &Raised, kept: bool) -> PyResult<Vec<Spec>> {
    let mut specs: Vec<Spec> = Vec::new();
    for algorithm in algorithms {
        let spec: Spec = match algorithm.extract::<String>() {
            Ok(text) => text.parse().map_err(value_error)?,
            Err(_) => {
                let name: String = algorithm.call_method0("_name")?.extract()?;
                if kept && algorithm.getattr("version")?.is_none() {
                    return Err(value_error(format!(
                        "{name}: a results folder knows finished runs by the name and the version of a policy; give the class a \
                         version, e.g. version = \"1\", and another one whenever its choices change"
                    )));
                }
                let class: Arc<dyn Outside> =
                    Arc::new(OwnAlgorithm::new(algorithm.clone().unbind(), name, own.clone()));
                class.into()
            }
        };
        if specs.iter().any(|known| known.canonical() == spec.canonical()) {
            return Err(value_error(format!("{spec} is given twice; give each algorithm once")));
        }
        specs.push(spec);
    }
    if specs.is_empty() { Err(value_error("algorithms: expected at least one, e.g. \"rucb\"")) } else { Ok(specs) }
}

/// Refuses 0.
pub(crate) fn at_least_one(name: &str, value: u64) -> PyResult<()> {
    if value == 0 { Err(value_error(format!("{name}: expected at least 1, found 0"))) } else { Ok(()) }
}
