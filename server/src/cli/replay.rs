//! `rankduel-server replay`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use desk::println;
use times::date;
use traffic::{Config, Event, Experiment};

use super::{StoreFlag, write_new};
use crate::export::choices_line;
use crate::store::{Access, Store};
use crate::writer::{FoldedLog, NextEvent, fold};

/// Fold logs again: choices are made again and compared, and a checksum of all events is printed
///
/// Of an experiment that forgets days (`retain`), this begins with the first event that is kept.
/// Choices of another revision of a policy are taken as recorded: `recorded` names their events.
#[derive(Debug, Args)]
pub(super) struct Replay {
    /// The experiment [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiment: Option<String>,
    #[command(flatten)]
    store: StoreFlag,
    /// Write the rankers that met, a line for each impression
    #[arg(long, value_name = "FILE", requires = "experiment")]
    choices: Option<PathBuf>,
}

/// Events in which one revision chose.
struct Range {
    from: u64,
    to: u64,
    chooser: String,
}

impl Replay {
    pub(super) fn run(self) -> Result<()> {
        // A server may forget days meanwhile.
        self.store.open(Access::Read)?.at_one_moment(|store| self.replay(store))
    }

    fn replay(&self, store: &Store) -> Result<()> {
        let mut is_there = self.experiment.is_none();
        for (id, name) in store.experiments()? {
            if self.experiment.as_ref().is_some_and(|only| *only != name) {
                continue;
            }
            is_there = true;
            let mut ranges: Vec<Range> = Vec::new();
            let mut choices = String::new();
            let FoldedLog { experiment, events, .. } =
                fold(store, id, &name, |NextEvent { n, event, experiment: before }| {
                    if let Event::Created { chooser, .. } | Event::Continued { chooser, .. } = event {
                        ranges.push(Range { from: n, to: n, chooser: chooser.clone() });
                    }
                    let of_kept =
                        || Range { from: n, to: n, chooser: before.and_then(Experiment::chooser).unwrap_or_default() };
                    match ranges.last_mut() {
                        Some(range) => range.to = n,
                        None => ranges.push(of_kept()),
                    }
                    if let (Some(experiment), Event::Asked { choice, .. }) = (before, event) {
                        let impression = experiment.fates().asked + 1;
                        if self.choices.is_some() {
                            let rankers = &experiment.config().rankers;
                            let name = |arm: &u32| rankers[*arm as usize].name.as_str();
                            choices += &choices_line(impression, choice.arms().iter().map(name));
                        }
                    }
                })?;
            if let Some(path) = &self.choices {
                write_new(path, &choices)?;
            }
            let (_, sum) = experiment.position();
            println!("{name}: {events} events, checksum {sum:016x}");
            if let Some(day) = experiment.forgotten().before {
                println!("  forgotten: events 1 to {}, days before {}", experiment.forgotten().events, date(day));
            }
            let ours = chooser(experiment.config());
            for Range { from, to, chooser } in ranges {
                let is_ours = ours.as_deref() == Some(chooser.as_str());
                let how = if is_ours { "reproduced" } else { "recorded" };
                let by = if chooser.is_empty() { "another revision" } else { &chooser };
                println!("  {how}: events {from} to {to}, by {by}");
            }
        }
        if !is_there {
            bail!("there is no experiment {:?}", self.experiment.as_deref().unwrap_or_default());
        }
        Ok(())
    }
}

/// The chooser of this build.
fn chooser(config: &Config) -> Option<String> {
    let events = Experiment::create(config.clone(), 0).ok()?.take_events();
    events.into_iter().find_map(|numbered| match numbered.recorded.into_event() {
        Event::Created { chooser, .. } => Some(chooser),
        _ => None,
    })
}
