//! The definition of the benchmark, a file that is part of the program: the sessions, their numbers, and the checksum of every
//! problem.

use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};
use bandits::open::{AnswerTiming, Delay};
use output::cache::sha256_hex;
use output::usage::usage;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::problems::{Family, Problem};
use crate::track::Track;

const TEXT: &str = include_str!("../bench-1.toml");

/// The definition.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its name, e.g. `bench-1`.
    pub name: String,
    /// The key that all randomness is derived from.
    pub key: String,
    /// A checksum of its values, not of its comments.
    pub checksum: String,
    /// All problems of matrices, in their order.
    pub problems: Vec<Problem>,
    pub(crate) horizon: u64,
    pub(crate) budgets: Vec<u64>,
    pub(crate) winner_horizon: u64,
    pub(crate) looks: u64,
    pub(crate) timing: AnswerTiming,
    pub(crate) interleaving: InterleavingTrack,
    runs: Runs,
    left_out: Vec<LeftOut>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct DefinitionFile {
    name: String,
    key: String,
    horizon: u64,
    budgets: Vec<u64>,
    winner_horizon: u64,
    looks: u64,
    delay: String,
    runs: Runs,
    interleaving: InterleavingTrack,
    left_out: Vec<LeftOut>,
    problem: Vec<FrozenProblem>,
}

/// Entries that do not play some tracks, because of their time.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    tracks: Vec<Track>,
    entries: Vec<String>,
    why: String,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Runs {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
}

/// What track (e) plays.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InterleavingTrack {
    pub(crate) dataset: String,
    pub(crate) impressions: u64,
    pub(crate) clicks: Vec<String>,
    pub(crate) pairs: u64,
}

/// A problem with the checksum of its exact numbers.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct FrozenProblem {
    name: String,
    sha256: String,
}

impl Definition {
    /// The one of this program, every problem made and compared with its checksum.
    ///
    /// # Errors
    /// If a problem has changed: the program is damaged.
    pub fn of_this_program() -> Result<&'static Self> {
        static DEFINITION: OnceLock<Definition> = OnceLock::new();
        if let Some(definition) = DEFINITION.get() {
            return Ok(definition);
        }
        let definition = Self::parse(TEXT)?;
        Ok(DEFINITION.get_or_init(|| definition))
    }

    fn parse(text: &str) -> Result<Self> {
        let file: DefinitionFile = toml::from_str(text).context("the definition of the benchmark")?;
        let delay: Delay = file.delay.parse().context("the definition of the benchmark: delay")?;
        let make = |frozen: &FrozenProblem| {
            let problem = Problem::named(&frozen.name)?;
            let checksum = problem.checksum();
            ensure!(
                checksum == frozen.sha256,
                "the problem {} is not the one of {}: its checksum is {checksum}, not {}",
                frozen.name,
                file.name,
                frozen.sha256
            );
            Ok(problem)
        };
        let checksum = sha256_hex(&serde_json::to_string(&file)?);
        Ok(Self {
            problems: file.problem.par_iter().map(make).collect::<Result<_>>()?,
            checksum,
            name: file.name,
            key: file.key,
            horizon: file.horizon,
            budgets: file.budgets,
            winner_horizon: file.winner_horizon,
            looks: file.looks,
            timing: AnswerTiming { delay, ..AnswerTiming::default() },
            interleaving: file.interleaving,
            runs: file.runs,
            left_out: file.left_out,
        })
    }

    /// Sessions per entry and problem.
    #[must_use]
    pub fn runs(&self, track: Track) -> u64 {
        let Runs { a, b, c, d, e, f } = self.runs;
        match track {
            Track::Regret => a,
            Track::Best => b,
            Track::Order => c,
            Track::Winner => d,
            Track::Interleaving => e,
            Track::Late => f,
        }
    }

    /// Why an entry does not play a track, if it is left out.
    #[must_use]
    pub fn why_left_out(&self, track: Track, entry: &str) -> Option<&str> {
        let is_excluded = |exclusion: &&LeftOut| {
            exclusion.tracks.contains(&track) && exclusion.entries.iter().any(|name| name == entry)
        };
        self.left_out.iter().find(is_excluded).map(|exclusion| exclusion.why.as_str())
    }

    /// The problems of a track, in their order. Those of interleaving are made when it is played.
    #[must_use]
    pub fn problems_of(&self, track: Track) -> Vec<&Problem> {
        let constant = |every: usize| {
            let mut vote_problems = 0;
            self.problems.iter().filter(move |problem| {
                let of_people = problem.name.starts_with("ukp");
                vote_problems += usize::from(of_people);
                problem.is_constant() && problem.family != Family::Close && (!of_people || vote_problems % every == 0)
            })
        };
        let close = || self.problems.iter().filter(|problem| problem.family == Family::Close);
        match track {
            Track::Regret => self.problems.iter().filter(|problem| problem.family != Family::Close).collect(),
            Track::Best | Track::Order => constant(1).collect(),
            // Of the problems made from votes, every fourth.
            Track::Winner => constant(4).chain(close()).collect(),
            Track::Late => {
                let constant: Vec<&str> = constant(4).map(|problem| problem.name.as_str()).collect();
                let is_of_it = |problem: &&Problem| !problem.is_constant() || constant.contains(&problem.name.as_str());
                self.problems.iter().filter(is_of_it).collect()
            }
            Track::Interleaving => Vec::new(),
        }
    }

    /// The problems that `--problems` chooses: names, or how many, which are then taken evenly.
    ///
    /// # Errors
    /// If a name is unknown, or the number is not from 1 to that of all problems.
    pub fn choose_problems(&self, text: &str) -> Result<Vec<String>> {
        let names: Vec<&str> = self.problems.iter().map(|problem| problem.name.as_str()).collect();
        if let Ok(count) = text.parse::<usize>() {
            ensure!(
                (1..=names.len()).contains(&count),
                usage(format!("--problems {count}: expected 1 to {}, or names", names.len()))
            );
            return Ok((0..count).map(|at| names[(2 * at + 1) * names.len() / (2 * count)].to_owned()).collect());
        }
        let chosen = text.split(',').map(str::trim);
        chosen
            .map(|name| {
                ensure!(
                    names.contains(&name),
                    usage(format!("--problems: no problem is called `{name}`; there are {}", names.join(", ")))
                );
                Ok(name.to_owned())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_frozen() {
        let definition = Definition::of_this_program().expect("the definition holds");
        assert_eq!((definition.name.as_str(), definition.problems.len()), ("bench-1", 47));
        let sum = &definition.problems[0].checksum();
        // Comments are not part of it, values are.
        let parsed = |text: &str| Definition::parse(text).expect("a definition").checksum;
        assert_eq!(parsed(&format!("# Another comment.\n{TEXT}")), definition.checksum);
        assert_ne!(parsed(&TEXT.replace("looks = 1_000", "looks = 500")), definition.checksum);
        let error = Definition::parse(&TEXT.replace(sum, &"0".repeat(64))).expect_err("another checksum");
        assert!(error.to_string().contains("the problem ukp-01 is not the one of bench-1"), "{error}");
    }

    #[test]
    fn tracks_have_their_problems() {
        let definition = Definition::of_this_program().expect("the definition holds");
        let count = |track| definition.problems_of(track).len();
        assert_eq!(
            [Track::Regret, Track::Best, Track::Order, Track::Winner, Track::Late].map(count),
            [45, 43, 43, 21, 21]
        );
    }

    #[test]
    fn problems_are_chosen_by_name_or_evenly() {
        let definition = Definition::of_this_program().expect("the definition holds");
        assert_eq!(definition.choose_problems("rival-20, ukp-03").expect("names"), ["rival-20", "ukp-03"]);
        let five = definition.choose_problems("5").expect("a number");
        assert_eq!(five, ["ukp-05", "ukp-15", "ukp-24", "llmfao", "blocks-48"]);
        assert_eq!(definition.choose_problems("47").expect("all").len(), 47);
        for wrong in ["0", "48", "order-21", ""] {
            assert!(definition.choose_problems(wrong).is_err(), "{wrong}");
        }
    }
}
