//! The tests of the command line, in one binary: `sim` and its dependencies are linked once, not once per file.

mod analyse;
mod board;
mod cli;
mod commands;
mod common;
mod datasets;
mod documentation;
mod draw;
mod evidence;
mod experiment;
mod fetching;
mod first_run;
mod folders;
mod help;
#[cfg(unix)]
mod interruptions;
#[cfg(target_os = "linux")]
mod judged;
mod limits;
mod logging;
mod measures;
mod memory;
mod names;
mod next;
mod own_rankers;
mod placed;
mod provenance;
mod proxy;
mod published_figures;
mod published_numbers;
mod reading;
mod refusals;
mod regret;
#[cfg(unix)]
mod serve;
mod serving;
mod shards;
#[cfg(target_os = "linux")]
mod situations;
mod words;
