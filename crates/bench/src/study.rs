//! The benchmark as a study: results folders, shards, resumption and progress are those of every other study.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use output::cache::sha256_hex;
use output::progress::Progress;
use output::usage::usage;
use serde::{Deserialize, Serialize};
use studies::results::VERSION;
use studies::runner::{Keeper, ValuesSpec, Workplace};
use studies::{Content, Report, Study, Units};

use crate::definition::Definition;
use crate::entry::{Entry, EntryInfo, Foul, PROTOCOL};
use crate::problems::Problem;
use crate::results::{EntryResults, FORMAT, ProblemInfo, Results, TrackResults};
use crate::score::Scores;
use crate::table;
use crate::track::{Track, Values};
use crate::tracks::interleaving::{self, Arena, Method};
use crate::tracks::{self, Game};

/// The request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The tracks, each once.
    pub tracks: Vec<Track>,
    /// The entries, in the order of tables.
    pub entries: Vec<Entry>,
    /// The names of the problems that are played; `None` for all. Those of interleaving are always all.
    pub problems: Option<Vec<String>>,
    /// Sessions per entry and problem; `None` for as many as the definition says.
    pub runs: Option<u64>,
    /// The key that all randomness is derived from; `None` for the published key.
    pub key: Option<String>,
}

/// The configuration as resolved.
#[derive(Serialize)]
pub struct Config {
    command: &'static str,
    version: &'static str,
    bench: String,
    definition: String,
    /// A hash: the key itself would reveal the outcomes.
    key_sha256: String,
    protocol: u32,
    tracks: BTreeMap<char, TrackConfig>,
    entries: Vec<EntryInfo>,
}

#[derive(Serialize)]
struct TrackConfig {
    runs_per_problem: u64,
    problems: Vec<String>,
}

/// The benchmark, for some entries.
pub struct BenchStudy {
    definition: &'static Definition,
    request: Request,
    key: String,
    infos: Vec<EntryInfo>,
    methods: Vec<Method>,
    units: Vec<Unit>,
}

/// A piece of the work: one run on one problem, by all entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unit {
    track: Track,
    /// The number of the problem in its track.
    problem: usize,
    run: u64,
}

/// The results of a session, as they are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SessionResult {
    /// The measured values.
    #[serde(rename = "v")]
    Values(Values),
    /// The entry does not play such a problem.
    DoesNotPlay(String),
    /// It broke a rule.
    Broke(String),
    /// It was not played, because it had broken a rule before.
    Skipped,
}

impl BenchStudy {
    /// The benchmark of a request.
    ///
    /// # Errors
    /// If an entry is there twice, or a file of its command cannot be read; or nothing of the request can be played.
    pub fn new(request: Request) -> Result<Self> {
        let definition = Definition::of_this_program()?;
        let infos: Vec<EntryInfo> = request.entries.iter().map(Entry::info).collect::<Result<_>>()?;
        for (index, info) in infos.iter().enumerate() {
            let is_repeated = infos[..index].iter().any(|earlier| earlier.name == info.name);
            ensure!(
                !is_repeated,
                usage(format!("two entries are called `{}`; give each a name of its own", info.name))
            );
        }
        let key = request.key.clone().unwrap_or_else(|| definition.key.clone());
        let mut study = Self { definition, request, key, infos, methods: interleaving::methods(), units: Vec::new() };
        study.units = study.all_units();
        ensure!(
            !study.units.is_empty(),
            usage("nothing to play: none of the problems chosen is in a track chosen; leave out --problems or --track")
        );
        Ok(study)
    }

    /// The problems of a track that are played.
    fn problems(&self, track: Track) -> Vec<&'static Problem> {
        let mut problems = self.definition.problems_of(track);
        problems.retain(|problem| self.plays(problem));
        problems
    }

    /// Whether a problem was requested.
    fn plays(&self, problem: &Problem) -> bool {
        self.request.problems.as_ref().is_none_or(|requested| requested.contains(&problem.name))
    }

    fn problem_names(&self, track: Track) -> Vec<String> {
        match track {
            Track::Interleaving => interleaving::problem_names(&self.definition.interleaving),
            track => self.problems(track).iter().map(|problem| problem.name.clone()).collect(),
        }
    }

    fn runs(&self, track: Track) -> u64 {
        self.request.runs.unwrap_or_else(|| self.definition.runs(track))
    }

    /// Every unit, in an order in which the shares of shards are alike.
    fn all_units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for &track in &self.request.tracks {
            let problems = self.problem_names(track).len();
            units.extend(
                (0..problems).flat_map(|problem| (0..self.runs(track)).map(move |run| Unit { track, problem, run })),
            );
        }
        units.sort_by_cached_key(|unit| sha256_hex(&format!("{} {} {}", unit.track.name(), unit.problem, unit.run)));
        units
    }

    /// The players of a track, by the names of tables.
    fn players(&self, track: Track) -> Vec<String> {
        if track == Track::Interleaving {
            return self.methods.iter().map(Method::name).collect();
        }
        let entries = self.request.entries.iter().zip(&self.infos);
        entries.filter(|(entry, _)| entry.plays(track)).map(|(_, info)| info.name.clone()).collect()
    }

    fn play_unit(&self, number: usize, arena: Option<&Arena>, broke_at: &[AtomicUsize]) -> Vec<SessionResult> {
        let Unit { track, problem, run } = self.units[number];
        if let (Track::Interleaving, Some(arena)) = (track, arena) {
            let play = |method: &Method| match self.definition.why_left_out(track, &method.name()) {
                Some(why) => SessionResult::DoesNotPlay(why.to_owned()),
                None => SessionResult::Values(arena.play(&self.key, problem, run, method)),
            };
            return self.methods.iter().map(play).collect();
        }
        let problem = self.problems(track)[problem];
        let mut cells = Vec::new();
        let entries = self.request.entries.iter().zip(&self.infos).zip(broke_at);
        for ((entry, info), first_foul) in entries.filter(|((entry, _), _)| entry.plays(track)) {
            // A program may have any name.
            if let Some(why) =
                self.definition.why_left_out(track, &info.name).filter(|_| matches!(entry, Entry::Policy(_)))
            {
                cells.push(SessionResult::DoesNotPlay(why.to_owned()));
                continue;
            }
            // The first foul of all units counts, whichever thread is fastest: later units need not be played.
            if first_foul.load(Ordering::Relaxed) < number {
                cells.push(SessionResult::Skipped);
                continue;
            }
            cells.push(
                match tracks::play(&Game { definition: self.definition, key: &self.key, problem, entry, run, track }) {
                    Ok(values) => SessionResult::Values(values),
                    Err(Foul::DoesNotPlay(why)) => SessionResult::DoesNotPlay(why),
                    Err(Foul::Broke(what)) => {
                        first_foul.fetch_min(number, Ordering::Relaxed);
                        SessionResult::Broke(format!("{what}, track {}", track.letter()))
                    }
                },
            );
        }
        cells
    }

    /// The results of all units.
    fn results(&self, cells: &[Vec<SessionResult>]) -> Results {
        let problems = self.definition.problems.iter();
        let played = |problem: &&Problem| self.plays(problem);
        let fouls = self.fouls(cells);
        let of_track = |&track: &Track| (track, self.track_results(track, cells, &fouls));
        let tracks = self.request.tracks.iter().map(of_track).collect();
        Results {
            format: FORMAT.to_owned(),
            bench: self.definition.name.clone(),
            definition: self.definition.checksum.clone(),
            key_sha256: sha256_hex(&self.key),
            program: VERSION.to_owned(),
            protocol: PROTOCOL,
            problems: problems.filter(played).map(ProblemInfo::of).collect(),
            entries: self.infos.clone(),
            tracks,
        }
    }

    /// The first foul of each entry that has one, in any track: it is disqualified in all.
    fn fouls(&self, cells: &[Vec<SessionResult>]) -> BTreeMap<String, String> {
        let players: BTreeMap<Track, Vec<String>> =
            self.request.tracks.iter().map(|&track| (track, self.players(track))).collect();
        let mut fouls = BTreeMap::new();
        for (unit, cells) in self.units.iter().zip(cells) {
            for (name, cell) in players[&unit.track].iter().zip(cells) {
                if let SessionResult::Broke(what) = cell {
                    fouls.entry(name.clone()).or_insert_with(|| what.clone());
                }
            }
        }
        fouls
    }

    fn track_results(
        &self,
        track: Track,
        cells: &[Vec<SessionResult>],
        fouls: &BTreeMap<String, String>,
    ) -> TrackResults {
        let names = self.problem_names(track);
        let measures = tracks::measures(track, self.definition);
        let runs = self.runs(track);
        let of_player = |place: usize, name: &str| {
            if let Some(foul) = fouls.get(name).filter(|_| track != Track::Interleaving) {
                return EntryResults::Disqualified(foul.clone());
            }
            let mut values = vec![vec![vec![None; runs as usize]; measures.len()]; names.len()];
            for (unit, cells) in self.units.iter().zip(cells).filter(|(unit, _)| unit.track == track) {
                match &cells[place] {
                    SessionResult::Values(measured) => {
                        for (measure, value) in measured.iter().enumerate() {
                            values[unit.problem][measure][unit.run as usize] = *value;
                        }
                    }
                    SessionResult::DoesNotPlay(why) => return EntryResults::DoesNotPlay(why.clone()),
                    SessionResult::Broke(_) | SessionResult::Skipped => {}
                }
            }
            EntryResults::Values(values.into_iter().map(|of| of.into_iter().map(all_values).collect()).collect())
        };
        let entries = self.players(track).into_iter().enumerate().map(|(place, name)| {
            let results = of_player(place, &name);
            (name, results)
        });
        TrackResults { runs, entries: entries.collect(), problems: names, measures }
    }
}

/// The values of all runs; `None` where the measure does not apply.
fn all_values(runs: Vec<Option<f64>>) -> Option<Vec<f64>> {
    runs.into_iter().collect()
}

impl Study for BenchStudy {
    const COMMAND: &'static str = "bench";
    type Config = Config;
    /// The sites of track (e), if it is played.
    type Resolved = Option<Arena>;
    type Findings = Results;

    fn key(&self) -> Config {
        let key_of_track = |&track: &Track| {
            let config = TrackConfig { runs_per_problem: self.runs(track), problems: self.problem_names(track) };
            (track.letter(), config)
        };
        Config {
            command: Self::COMMAND,
            version: VERSION,
            bench: self.definition.name.clone(),
            definition: self.definition.checksum.clone(),
            key_sha256: sha256_hex(&self.key),
            protocol: PROTOCOL,
            tracks: self.request.tracks.iter().map(key_of_track).collect(),
            entries: self.infos.clone(),
        }
    }

    fn resolve(&self, _place: &Workplace) -> Result<Option<Arena>> {
        let has = self.request.tracks.contains(&Track::Interleaving);
        has.then(|| Arena::open(&self.definition.interleaving)).transpose()
    }

    fn config(&self, _arena: &Option<Arena>) -> Config {
        self.key()
    }

    fn units(&self, _arena: &Option<Arena>) -> Units {
        // What sessions, tracks and the protocol measure; raise it when the same key would give other numbers.
        let revisions = BTreeMap::from([(Self::COMMAND.to_owned(), 1)]);
        Units { unit: "unit", total: self.units.len() as u64, records: 1, revisions }
    }

    fn play(&self, arena: &Option<Arena>, keeper: &Keeper<'_>) -> Result<Results> {
        let total = self.units.len() as u64;
        let progress: Progress = keeper.progress("playing", total);
        let broke_at: Vec<AtomicUsize> = self.infos.iter().map(|_| AtomicUsize::new(usize::MAX)).collect();
        let values = ValuesSpec { subject: "bench", units: "units", total, bytes: 64 * self.infos.len().max(1) as u64 };
        let cells = keeper.values(&values, |number| {
            let cells = self.play_unit(number as usize, arena.as_ref(), &broke_at);
            progress.advance(1);
            cells
        })?;
        progress.finish();
        // A shard has its own units alone, and reports nothing.
        Ok(if cells.len() == self.units.len() { self.results(&cells) } else { self.results(&[]) })
    }

    fn report(&self, _arena: &Option<Arena>, results: &Results) -> Result<Report> {
        let scores = Scores::of(std::slice::from_ref(results))?;
        let text = table::text(&scores);
        let mut report = Report { text, json: serde_json::to_string(results)?, files: Vec::new() };
        report = report.with_file(RESULTS, Content::Bytes(results.to_json()?.into_bytes()));
        for (name, content) in table::files(&scores)? {
            report = report.with_file(&name, content);
        }
        Ok(report)
    }
}

/// The file with the results.
pub const RESULTS: &str = "bench.json";
