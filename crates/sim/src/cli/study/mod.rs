//! Running a study from the command line: from flags to an [`Execution`], and from its outcome to printed lines.

mod site_study;

use std::path::PathBuf;

use anyhow::Result;
use output::messages::info;
use output::shards::Share;
use studies::{Destination, Execution, Report, Study, StudyOutcome, UsualPlace, run};

pub(super) use site_study::SiteStudyArgs;

use super::args::{OutputArgs, PlaceArgs};
use super::evidence::significance;
use super::shards::invocation;
use desk::println;

/// Runs a study from the command line.
pub(super) struct StudyLauncher<'a> {
    output: &'a OutputArgs,
    quiet: bool,
    /// The share of the work to do.
    pub(super) share: Share,
    default_place: UsualPlace,
    compare: bool,
}

impl<'a> StudyLauncher<'a> {
    /// Starts from these flags.
    ///
    /// # Errors
    /// If the parts of shards cannot be read.
    pub(super) fn new(place: &'a PlaceArgs) -> Result<Self> {
        let PlaceArgs { common, output, shard } = place;
        let share = shard.share()?;
        Ok(Self { output, quiet: common.quiet, share, default_place: UsualPlace::Folder, compare: false })
    }

    /// The same for results that usually go elsewhere than to a folder.
    fn with_default_place(self, default_place: UsualPlace) -> Self {
        Self { default_place, ..self }
    }

    /// The same with tests of which algorithms differ.
    pub(super) fn compare(self, compare: bool) -> Self {
        Self { compare, ..self }
    }

    /// Carries the study out and prints its report; `folder` is where its results usually go.
    pub(super) fn run<S: Study>(self, study: S, folder: PathBuf) -> Result<()> {
        let Self { output: OutputArgs { out, replace, json }, quiet, share, default_place, compare } = self;
        let (is_named_folder, replace) = (out.is_some(), *replace);
        let destination = match out.clone() {
            Some(path)
                if default_place == UsualPlace::Memory && path.extension().is_some_and(|ending| ending == "json") =>
            {
                Destination::File { path, replace }
            }
            None if default_place == UsualPlace::Memory => Destination::Memory,
            out => Destination::Folder { path: out.unwrap_or(folder), replace, is_named: is_named_folder },
        };
        let execution = Execution { destination: destination.clone(), share, invocation: invocation(), quiet };
        let StudyOutcome::Finished(finished) = run(study, &execution)? else { return Ok(()) };
        let (report, write_result) = finished.into_parts()?;
        // Also if it could not be written.
        print(&report, *json);
        let write_result = write_result?;
        if let (true, Destination::Folder { path, .. }) = (compare, &destination) {
            println!("\n{}", significance::of_study(path)?);
        }
        write_result.into_iter().for_each(|write_result| info(quiet, &write_result));
        Ok(())
    }
}

/// Prints a report.
pub(super) fn print(report: &Report, json: bool) {
    println!("{}", if json { &report.json } else { &report.text });
}
