//! Finds finished units of the work, and keeps the rest.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use output::progress::Progress;
use output::shards::{Cell, Shard};
use serde::Serialize;
use serde::de::DeserializeOwned;
use simulation::runs::kept_runs::KeptRuns;
use simulation::runs::{ArenaFactory, RunPlan, RunResult, StudyPlan, play_cells};

use super::{NumberedWork, ValuesSpec, Workplace};

/// Keeps finished units of a study in its place, and finds those that are there already, also in the parts of shards. In
/// memory it computes all.
pub struct Keeper<'a> {
    workplace: &'a Workplace,
    numbered_work: NumberedWork,
    runs: Mutex<Vec<PlayedPlans>>,
}

/// Runs as they were played: in the end, their files get their final bytes.
struct PlayedPlans {
    kept_runs: KeptRuns,
    plans: Vec<StudyPlan>,
    results: Arc<Vec<Vec<RunResult>>>,
}

impl PlayedPlans {
    fn cells(&self) -> Vec<RunPlan<'_>> {
        self.plans.iter().flat_map(StudyPlan::cells).collect()
    }
}

/// What algorithms play on.
pub struct StudyArenas<'a, A> {
    /// The arenas of all runs.
    pub arenas: &'a A,
    /// The gap of every arm, from which regret is counted.
    pub gaps: &'a [f64],
    /// The file with the seconds of finished runs, as the folder names it.
    pub timings: &'static str,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(place: &'a Workplace) -> Self {
        let numbered_work = match place.folder() {
            Some(folder) => NumberedWork::in_folder(place.share(), folder),
            None => NumberedWork::of(place.share(), None),
        };
        Self { workplace: place, numbered_work, runs: Mutex::default() }
    }

    /// The progress of `units` units of work of the whole study, called e.g. `playing`: of those in this share.
    #[must_use]
    pub fn progress(&self, work: &str, units: u64) -> Progress {
        Progress::new(work, self.share_of(units), self.workplace.quiet())
    }

    /// The same for units that consist of two parts each, e.g. in two arenas.
    #[must_use]
    pub fn progress_twice(&self, work: &str, units: u64) -> Progress {
        Progress::new(work, self.share_of(units).saturating_mul(2), self.workplace.quiet())
    }

    /// The number of units in this share, of `units` in the whole study.
    #[must_use]
    pub fn share_of(&self, units: u64) -> u64 {
        self.workplace.share().shard().map_or(units, |shard| shard.length(units))
    }

    /// Whether neither progress nor remarks are printed.
    #[must_use]
    pub fn quiet(&self) -> bool {
        self.workplace.quiet()
    }

    /// Plays the runs of `plans`, which all have as many, but for those that are kept. Returns, per algorithm of each plan, its
    /// runs in order.
    ///
    /// # Errors
    /// Those of [`play_cells`].
    pub fn runs<A: ArenaFactory>(
        &self,
        played_on: &StudyArenas<'_, A>,
        plans: Vec<StudyPlan>,
        progress: &Progress,
    ) -> Result<Arc<Vec<Vec<RunResult>>>> {
        let StudyArenas { arenas, gaps, timings } = *played_on;
        let kept_runs = self
            .workplace
            .folder()
            .map(|folder| KeptRuns::new(folder, arenas.content(), gaps, timings).with_share(self.workplace.share()));
        let cells: Vec<RunPlan<'_>> = plans.iter().flat_map(StudyPlan::cells).collect();
        let runs = plans.first().map_or(0, |plan| plan.runs);
        let results = Arc::new(play_cells(arenas, &cells, runs, kept_runs.as_ref(), progress)?);
        drop(cells);
        if let Some(kept_runs) = kept_runs {
            let played = PlayedPlans { kept_runs, plans, results: Arc::clone(&results) };
            self.runs.lock().unwrap_or_else(PoisonError::into_inner).push(played);
        }
        Ok(results)
    }

    /// The values of numbered units; those of a shard alone, for its part, if this is one.
    ///
    /// # Errors
    /// If memory has no room for the values, one cannot be kept, or the parts of shards lack one.
    pub fn values<T: Serialize + DeserializeOwned + Send + Sync>(
        &self,
        values: &ValuesSpec<'_>,
        compute: impl Fn(u64) -> T + Sync + Send,
    ) -> Result<Vec<T>> {
        self.numbered_work.values(values, compute)
    }

    /// The work on numbered values, for functions that are called without a runner, too.
    #[must_use]
    pub fn numbered_work(&self) -> &NumberedWork {
        &self.numbered_work
    }

    /// The records of `shard`, for its part.
    pub(super) fn into_cells(self, shard: Shard) -> Result<Vec<Cell>> {
        let mut cells = Vec::new();
        for played in self.runs.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let runs = played.plans.first().map_or(0, |plan| plan.runs);
            cells.extend(played.kept_runs.cells_of(shard, &played.cells(), runs)?);
        }
        cells.extend(self.numbered_work.into_cells());
        Ok(cells)
    }

    /// Gives the files of kept runs their final bytes, and removes those of numbered values.
    pub(super) fn complete(&self) -> Result<()> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().try_for_each(|played| played.kept_runs.complete(&played.cells(), &played.results))?;
        self.numbered_work.complete()
    }
}
