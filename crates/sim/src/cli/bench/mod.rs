//! `rankduel bench`: the benchmark, played by policies of this program and by other programs, and the tables of its results.

mod table;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use bandits::registry::Spec;
use bench::{BenchStudy, Definition, Entry, Program, Request, Track};
use clap::{Args, Subcommand};
use output::messages::info;
use output::numbers::{parse_above_zero, parse_positive};
use output::usage::usage;

use super::args::{PlaceArgs, default_folder};
use super::study::StudyLauncher;

/// Play the benchmark of dueling bandits, or make tables of its results.
///
/// 47 frozen problems (votes of people, and made-up ones that tempt algorithms into mistakes), six tracks: (a) regret, (b) the best arm and
/// (c) the order of all arms after few answers, (d) whether stated winners are right, (e) interleaving, (f) regret with late outcomes. Other
/// programs enter by lines of JSON on their standard input and output (--entry). Writes bench.json, tables and figures to the
/// results folder.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
// Numbers follow from the key.
#[command(mut_args = |flag| if flag.get_id() == "seed" { flag.hide(true) } else { flag })]
#[command(after_long_help = "Examples:\n  \
    rankduel bench --track a --problems 5                     all policies, five problems, regret: a minute\n  \
    rankduel bench --policies rucb,dts --track b,c            two policies\n  \
    rankduel bench --entry mine=\"python3 mine.py\" --track b   a program of your own\n  \
    rankduel bench table results/bench/bench.json mine.json   one page of several results")]
pub(super) struct Bench {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    play: Play,
}

#[derive(Debug, Subcommand)]
enum Action {
    Table(table::Table),
}

#[derive(Debug, Args)]
struct Play {
    /// The tracks to play, letters or names: a (regret), b (best), c (order), d (winner), e (interleaving), f (late)
    #[arg(long = "track", value_name = "T,...", value_delimiter = ',', default_value = "a,b,c,d,e,f")]
    tracks: Vec<Track>,

    /// The problems to play: names, or how many, taken evenly from all [default: all]
    #[arg(long, value_name = "N|NAME,...")]
    problems: Option<String>,

    /// Policies that enter, with parameters if wanted, or `all` or `none` [default: all, or none if programs enter]
    #[arg(long, value_name = "P,...", value_delimiter = ',')]
    policies: Vec<String>,

    /// A program that enters, and its command: words separated by spaces. May be given several times
    #[arg(long = "entry", value_name = "NAME=COMMAND")]
    programs: Vec<String>,

    /// Seconds that a program has for each line; for its first, ten times as many
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_above_zero)]
    limit: f64,

    /// Sessions per entry and problem [default: as many as the definition says]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    runs: Option<u64>,

    /// A text of your own from which everything random is derived, for entries of strangers: who knows the key can know the outcomes
    /// [default: the published key]
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,

    #[command(flatten)]
    place: PlaceArgs,
}

impl Bench {
    pub(super) fn run(self) -> Result<()> {
        match self.action {
            Some(Action::Table(table)) => table.run(),
            None => self.play.run(),
        }
    }
}

impl Play {
    fn run(self) -> Result<()> {
        ensure!(
            self.place.common.seed == 1,
            usage("--seed does not apply to bench, whose numbers follow from its key; give another --key instead")
        );
        let mut tracks = self.tracks.clone();
        tracks.sort_unstable();
        tracks.dedup();
        let definition = Definition::of_this_program()?;
        let problems = self.problems.as_deref().map(|text| definition.choose_problems(text)).transpose()?;
        let entries = self.entries()?;
        let request = Request { tracks, entries, problems, runs: self.runs, key: self.key.clone() };
        let folder = self.folder(&request);
        let study = BenchStudy::new(request)?;
        StudyLauncher::new(&self.place)?.run(study, folder)
    }

    fn entries(&self) -> Result<Vec<Entry>> {
        let programs = self.programs.iter().map(|text| Program::parse(text, self.limit).map(Entry::Program));
        let mut entries = Vec::new();
        let policies: Vec<&str> = self.policies.iter().map(String::as_str).collect();
        match policies[..] {
            ["none"] => {}
            [] if !self.programs.is_empty() => {}
            [] | ["all"] => {
                let (all_entries, sets) = Entry::all();
                entries = all_entries;
                let remark =
                    format!("not entered, because they compare sets and only pairs are answered: {}", sets.join(", "));
                info(self.place.common.quiet, &remark);
            }
            _ => {
                for word in policies {
                    let spec: Spec = word.parse().map_err(|error| usage(format!("--policies {word}: {error}")))?;
                    entries.push(Entry::Policy(spec));
                }
            }
        }
        entries.extend(programs.collect::<Result<Vec<_>>>()?);
        ensure!(!entries.is_empty(), usage("there is no entry; give --policies or --entry"));
        Ok(entries)
    }

    /// Where results usually go: a folder per choice of tracks, problems and entries.
    fn folder(&self, request: &Request) -> PathBuf {
        let letters: String = request.tracks.iter().map(|track| track.letter()).collect();
        let suffixes = [
            (request.tracks.len() < Track::ALL.len()).then(|| format!("-{letters}")),
            self.problems.as_ref().map(|problems| format!("-problems-{problems}")),
            (!self.policies.is_empty()).then(|| format!("-{}", self.policies.join("-"))),
            (!self.programs.is_empty()).then(|| format!("-{}", self.names().join("-"))),
            self.runs.map(|runs| format!("-runs-{runs}")),
            self.key.is_some().then(|| "-own-key".to_owned()),
        ];
        default_folder(&format!("bench{}", suffixes.iter().flatten().map(String::as_str).collect::<String>()))
    }

    fn names(&self) -> Vec<&str> {
        self.programs.iter().filter_map(|text| text.split('=').next()).collect()
    }
}
