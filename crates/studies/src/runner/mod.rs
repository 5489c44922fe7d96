//! The one place that handles folders, keys, shares, kept records and merging. Studies do not depend on any of these.
//!
//! | in | is |
//! |---|---|
//! | this file | [`run`]: what happens in which order |
//! | `place` | where results go: into memory, a results folder, or a file; claimed before anything is computed |
//! | `keeper` | finds finished work and keeps the rest: runs of algorithms, numbered values |
//! | `extend` | joins a folder's contents with the request |
//! | `study` | the contract: [`Study`] |
//! | `share` | shards: the folder in which one works, and the part that it leaves |
//!
//! # Results folders
//!
//! A results folder belongs to one command and configuration, and can only be extended. It is claimed with the
//! [key](Study::key) before anything is computed, so that a wrong folder fails in the first second, and compared with
//! the complete configuration once that is known. Finished runs are kept one by one, so that the same request continues after
//! any interruption. Files are written when all is computed, `config.json` last.
//!
//! # Shards
//!
//! A shard works in a results folder of its own, `OUT.shards/3-of-64`, as the whole does in `OUT`, on its share of the
//! units. In the end it writes them as a part, `OUT.shards/3-of-64.part`, and removes that folder. Merging is the same
//! request with the share [`Merge`](Share::Merge): every record is found in the parts, and one that is missing is an error. So
//! the files are written by the code that always writes them.
//!
//! ## Inside
//!
//! `output::shards` has the terms: a `Share` is all of the work, the preparation that all shards need (`prepare`), one `Shard`, or the
//! `Parts` of all. A finished shard writes a `Part`: a header (the configuration of all, revisions, number, range), how it was made
//! (arguments, version, seconds), records or counts, compressed, and a checksum. Header and content are the same whenever the shard
//! runs again. `Parts::read` refuses a folder with parts that are incomplete, damaged or not of one piece of work, before anything
//! is written.
//!
//! `studies::runner` shares out any study. A shard works in a results folder of its own in `OUT.shards`, with the key of the study:
//! kept runs, locks, signals and resumption are those of any results folder. `play_cells` gets the share from its `KeptRuns`, and plays
//! only that: jobs are numbered run by run, so that each shard has runs of all algorithms. Merging is the same request with the share
//! `Merge`: `KeptRuns`, the run store of experiments, and `NumberedWork` find every record in the parts, and refuse to play one that is
//! missing. So the files are written by the code that always writes them. Experiments and `proxy`, which keep their own store and
//! state, call `claim_shard`, `ShardedWork` and `leave` of the runner themselves. A part remembers the arguments of its command, from which
//! `rankduel merge` starts; parts made by a program have none, and are merged by a program or together with others.
//!
//! `proxy` divides the pieces of all rounds of a request. Counts are sums of whole numbers, so a shard adds its pieces up (`proxy::share`), and
//! `State::absorb` adds the sums of all shards to the totals; with strata, sums for queries with and without a further impression stay
//! apart, as the variance needs them. A process that gets a signal to stop saves first (`interrupt::saves_before_it_stops`).
//!
//! `simulation::lists::ListSource` is the source of the ranked lists of a site. `prepare` keeps them in a file beside the binary caches
//! of data, under the hash of all that they depend on; shards map it, so that a start costs a second of CPU at the size of
//! MSLR-WEB30K, and processes on one machine share the memory. Every block has a hash, which is checked before the lists are used. Data
//! caches are read instead of mapped, because truncating a mapped file kills the process; here the file is written by renaming
//! alone, and a shard that ends runs again. Merging needs few lists and ranks those itself.
//!
//! `submit::dry_run` measures what `--mem` and `--time` are made of: it runs the command in its own process, watched (`progress::watched`),
//! and unwinds from it after some seconds.
//!
//! Work that stops adaptively (`--until-se`) is refused. `cluster/test-slurm.sh` runs all of this on a real Slurm, which
//! `cluster/slurm.sh` starts from Debian's packages without installing it.

mod extend;
mod keeper;
mod numbered_work;
mod place;
pub mod share;
mod study;

use anyhow::Result;
use output::messages::info;
use output::numbers::with_unit;
use output::shards::{Invocation, Share};
use tracing::info;

pub use extend::{Length, Size};
pub use keeper::{Keeper, StudyArenas};
pub use numbered_work::{NumberedWork, ValuesSpec};
pub use place::{Destination, Workplace, announce_missing, claim_folder};
pub use study::{Study, Units};

use crate::report::Report;
use share::ShardedWork;

/// How a study must be carried out: nothing here changes a result.
#[derive(Debug, Clone, Default)]
pub struct Execution {
    /// Where the results go.
    pub destination: Destination,
    /// How much of the work is done.
    pub share: Share,
    /// How the work was started, for the parts of shards.
    pub invocation: Invocation,
    /// Neither progress nor remarks are printed.
    pub quiet: bool,
}

/// What became of a study.
pub enum StudyOutcome<S: Study> {
    /// The preparation for all shards is there.
    Prepared,
    /// The part of a shard is written, or was there already.
    Part,
    /// All is computed.
    Finished(FinishedStudy<S>),
}

/// A finished study.
pub struct FinishedStudy<S: Study> {
    /// The study, extended by what its place held.
    pub study: S,
    /// The values resolved before the work.
    pub resolved: S::Resolved,
    /// All that was computed.
    pub found: S::Findings,
    /// The report, already formatted if it was written; that of a study in memory is formatted on demand.
    report: Option<Report>,
    /// Where it was written, for people; or why it could not be.
    pub written: Result<Option<String>>,
}

impl<S: Study> FinishedStudy<S> {
    /// The complete configuration.
    pub fn config(&self) -> S::Config {
        self.study.config(&self.resolved)
    }

    /// What was found, to be read, and where it was written, for people, or why it could not be.
    ///
    /// # Errors
    /// Those of [`Study::report`].
    pub fn into_parts(self) -> Result<(Report, Result<Option<String>>)> {
        let Self { study, resolved, found, report, written } = self;
        Ok((report.map_or_else(|| study.report(&resolved, &found), Ok)?, written))
    }
}

/// Carries out a study.
///
/// # Errors
/// If the place holds other results or cannot be written to, the study cannot be computed, or parts are missing. That files
/// could not be written in the end is part of the outcome: the results can be read.
pub fn run<S: Study>(mut study: S, execution: &Execution) -> Result<StudyOutcome<S>> {
    let Execution { share, quiet, .. } = execution;
    if matches!(share, Share::Prepare) {
        info(
            *quiet,
            &match study.prepare(execution)? {
                Some(what) => format!("prepared for all shards: {what}"),
                None => "nothing to prepare: every shard reads what it needs".to_owned(),
            },
        );
        return Ok(StudyOutcome::Prepared);
    }
    let Some(place) = Workplace::claim_for(execution, &study.key())? else { return Ok(StudyOutcome::Part) };
    info!("{} goes to {}", S::COMMAND, place.name());
    study.extend(&place)?;
    info!("finding out what must be known before the work is divided");
    let resolved = study.resolve(&place)?;
    let config = study.config(&resolved);
    place.check(&config)?;
    let units = study.units(&resolved);
    info!(
        "{}, of which {} are for this process",
        with_unit(units.total, units.unit),
        share.shard().map_or(units.total, |shard| shard.length(units.total))
    );
    let work = ShardedWork::new(&config, units, &execution.invocation)?;
    place.begin(&work)?;
    let keeper = Keeper::new(&place);
    let findings = study.play(&resolved, &keeper)?;
    if let Some(shard) = share.shard() {
        let cells = keeper.into_cells(shard)?;
        place.leave_part(&work, shard, &cells)?;
        return Ok(StudyOutcome::Part);
    }
    let (report, write_result) = match &place {
        Workplace { claimed: place::ClaimedPlace::Memory, .. } => (None, Ok(None)),
        place => {
            info!("all is computed; writing the files");
            let report = study.report(&resolved, &findings)?;
            let write_result = place.write(&config, &report, || keeper.complete());
            (Some(report), write_result.map(Some))
        }
    };
    Ok(StudyOutcome::Finished(FinishedStudy { study, resolved, found: findings, report, written: write_result }))
}
