//! The caller's request for a study: algorithms, settings as flags, and a place. [`studies::request`] has the flags and their checks; here
//! they are keywords: `stop_when=0.95` for `--stop-when 0.95`, in calls and in messages.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use bandits::registry::{ExternalAlgorithm, Spec};
use clap::Args;
use desk::refusal::Refusal;
use output::numbers::parse_count;
use output::shards::shard::for_this_task;
use output::shards::{Parts, ShardSpec, Share, folder_of};
use output::usage::usage;
use pyo3::prelude::*;
use sim::cli::invocation;
use studies::request::{CompareRequest, LiveRequest, MatrixRequest};
use studies::results::label;
use studies::{Destination, Execution};

use crate::call::{exception, value_error};
use crate::python_policy::{FirstException, PythonAlgorithm};

/// The inputs of a study from its caller.
pub(crate) struct StudyInputs<R> {
    /// The settings.
    pub(crate) request: R,
    pub(crate) seed: u64,
    pub(crate) algorithms: Vec<Spec>,
    pub(crate) execution: Execution,
    /// The exceptions of the caller's policies.
    pub(crate) own: FirstException,
}

/// A request and the seed.
#[derive(Args)]
struct SeededRequest<R: Args> {
    #[command(flatten)]
    request: R,

    #[arg(long, default_value = "1", value_parser = parse_count)]
    seed: u64,
}

/// Flags that a function does not have as keywords: arguments of their own, or outputs that it does not have.
const BANDIT_FLAGS: [&str; 5] = ["algorithms", "timings", "keep-curves", "setting", "horizons"];
const EXPLORE: [&str; 11] = [
    "algorithms",
    "timings",
    "keep-curves",
    "setting",
    "steps",
    "checkpoints",
    "spread",
    "evidence",
    "stop-when",
    "tolerance",
    "give-up",
];
const SITE_FLAGS: [&str; 3] = ["algorithms", "timings", "keep-curves"];

/// The keywords of a function and whether each is a switch, from the flags of its request.
#[pyfunction]
pub(crate) fn keywords(function: &str) -> PyResult<Vec<(String, bool)>> {
    let of = |command: clap::Command, others: &[&str]| -> Vec<(String, bool)> {
        let flags = command.get_arguments().filter_map(|flag| Some((flag.get_long()?, flag.get_action())));
        let flags = flags.filter(|(name, _)| !others.contains(name));
        flags.map(|(name, action)| (name.replace('-', "_"), !action.takes_values())).collect()
    };
    match function {
        "bandit" => Ok(of(command::<SeededRequest<MatrixRequest>>(), &BANDIT_FLAGS)),
        "explore" => Ok(of(command::<SeededRequest<MatrixRequest>>(), &EXPLORE)),
        "live" => Ok(of(command::<SeededRequest<LiveRequest>>(), &SITE_FLAGS)),
        "compare" => Ok(of(command::<SeededRequest<CompareRequest>>(), &SITE_FLAGS)),
        other => Err(value_error(format!("no function is called {other}"))),
    }
}

fn command<R: Args>() -> clap::Command {
    R::augment_args(clap::Command::new("call").no_binary_name(true).disable_help_flag(true))
}

/// Parses settings.
///
/// # Errors
/// As wrong usage, about keywords.
pub(crate) fn parse<R: Args>(settings: Vec<OsString>) -> Result<R> {
    let mut command = command::<R>();
    let found = command.try_get_matches_from_mut(settings).and_then(|found| R::from_arg_matches(&found));
    found.map_err(|error| usage(Refusal::of(&error, &command).in_keywords()))
}

/// Where results go: a folder, whether it is replaced, and a share of the work.
pub(crate) type DestinationArguments = (Option<PathBuf>, bool, Option<String>);

impl<R: Args> StudyInputs<R> {
    /// Reads the settings as the command line does. An algorithm is its text, or a class of policies.
    pub(crate) fn new(
        algorithms: &[Bound<'_, PyAny>],
        settings: Vec<OsString>,
        placed: DestinationArguments,
    ) -> PyResult<Self> {
        let SeededRequest { request, seed } = parse(settings).map_err(|error| exception(&error))?;
        let own = FirstException::default();
        let algorithms = read_algorithms(algorithms, &own, placed.0.is_some())?;
        Ok(Self { request, seed, algorithms, execution: execution(placed)?, own })
    }
}

/// The place of a study's results, and the share of the work to do.
pub(crate) fn execution((out, replace, shard): DestinationArguments) -> PyResult<Execution> {
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
            ShardSpec::Auto { offset, of } => Share::One(for_this_task(offset, of).map_err(|error| exception(&error))?),
            ShardSpec::Merge(_) => {
                return Err(value_error("shard: expected \"merge\" alone; the parts are beside out"));
            }
        },
    };
    let place = match out {
        None => Destination::Memory,
        Some(path) => Destination::Folder { path, replace, is_named: true },
    };
    Ok(Execution { destination: place, share, invocation: invocation(), quiet: true })
}

fn read_algorithms(algorithms: &[Bound<'_, PyAny>], own: &FirstException, kept: bool) -> PyResult<Vec<Spec>> {
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
                let class: Arc<dyn ExternalAlgorithm> = Arc::new(PythonAlgorithm::new(algorithm, name, own.clone())?);
                class.into()
            }
        };
        if specs.iter().any(|known| known.canonical() == spec.canonical()) {
            let advice = if spec.is_outside() { "; two classes of one name need a `name` each" } else { "" };
            return Err(value_error(format!("{} is given twice; give each algorithm once{advice}", label(&spec))));
        }
        if let Some(known) = specs.iter().find(|known| label(known) == label(&spec)) {
            let (name, known) = (label(&spec), known.canonical());
            return Err(value_error(format!(
                "{spec} and {known} would both be called {name} in tables; give one another `name`"
            )));
        }
        specs.push(spec);
    }
    if specs.is_empty() { Err(value_error("algorithms: expected at least one, e.g. \"rucb\"")) } else { Ok(specs) }
}

/// Refuses 0.
pub(crate) fn at_least_one(name: &str, value: u64) -> PyResult<()> {
    if value == 0 { Err(value_error(format!("{name}: expected at least 1, found 0"))) } else { Ok(()) }
}
