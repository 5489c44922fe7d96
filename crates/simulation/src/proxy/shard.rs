//! A shard of a matrix: a share of the pieces of a request, saved at intervals, and the counts of all shards united.
//!
//! Pieces have streams of their own, and counts are whole numbers, so that any division of the pieces gives the same
//! sums. A shard counts its pieces of all rounds together: two numbers per pair, or six where impressions are
//! stratified: their variance needs separate counts of the queries with one more impression. They are stored in as few bytes as the
//! largest of them takes, and compressed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use output::interrupt;
use output::progress::Progress;
use output::shards::{Header, Invocation, Part, Parts, Shard};
use output::usage::usage;
use serde_json::{Value, json};

use super::comparison::PairComparison;
use super::play::{ComparisonTask, with_comparison};
use super::round::{ROUND, Round, Sampling, draw_strata, empty_sums, extent};
use super::selection::all_pairs;
use super::state::{FinishedRound, OpenRound, State};
use super::strata::Sums;
use crate::prepared_site::PreparedSite;

/// Raised whenever the pieces of the same request give other counts.
const REVISION: u32 = 1;

/// A round of a request, before it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlannedRound {
    number: u64,
    impressions: u64,
    pieces: u64,
    /// Draws (with strata: queries) of all pieces, and of one.
    extent: (u64, u64),
}

impl PlannedRound {
    /// About how many impressions `pieces` have; exactly without strata.
    fn impressions_in(&self, pieces: &Range<u64>) -> u64 {
        let (draws, per_piece) = self.extent;
        let until = |piece: u64| draws.min(piece.saturating_mul(per_piece));
        let share = u128::from(until(pieces.end) - until(pieces.start)) * u128::from(self.impressions);
        // No more than the impressions.
        u64::try_from(share / u128::from(draws.max(1))).unwrap_or(u64::MAX)
    }
}

/// The same of `pieces` of all rounds together.
fn impressions_in(rounds: &[PlannedRound], pieces: &Range<u64>) -> u64 {
    let mut pieces_before = 0;
    let of_round = |round: &PlannedRound| {
        let pieces_here = intersection(pieces, &(pieces_before..pieces_before + round.pieces));
        let impressions = if pieces_here.is_empty() {
            0
        } else {
            round.impressions_in(&(pieces_here.start - pieces_before..pieces_here.end - pieces_before))
        };
        pieces_before += round.pieces;
        impressions
    };
    rounds.iter().map(of_round).sum()
}

impl State {
    /// The last request, with everything that the counts depend on: shards of other work are refused.
    ///
    /// # Errors
    /// If the request has been begun, or its end depends on its counts.
    pub fn work(&self) -> Result<Value> {
        let request = self.requests.last().context("nothing is asked for")?;
        ensure!(
            request.until_standard_error.is_none(),
            usage(
                "--until-se does not go with --shard: which pairs go on depends on the counts of all shards; give the impressions \
                 instead"
            )
        );
        ensure!(
            self.current.is_none() && self.impressions_left == request.impressions,
            usage(
                "the matrix is unfinished; finish it first by the same command, or replace it with --replace, without --shard"
            )
        );
        Ok(json!({
            "command": "proxy", "seed": self.identity.seed, "identity": self.identity, "requests": self.requests,
            "rounds": self.rounds,
        }))
    }

    /// The revisions of what counts.
    #[must_use]
    pub fn revisions() -> BTreeMap<String, u32> {
        BTreeMap::from([("proxy".to_owned(), REVISION)])
    }

    /// The rounds of the last request, and the places of its pairs.
    fn planned_rounds(&self) -> Result<(Vec<PlannedRound>, Vec<u32>)> {
        let request = self.requests.last().context("nothing is asked for")?;
        let pairs = super::build::selection(request)?.pair_indices(self.identity.arms)?;
        let is_stratified = self.identity.sampling == Sampling::Stratified;
        let max_round = if is_stratified { request.impressions } else { ROUND };
        let mut impressions_left = request.impressions;
        let mut rounds = Vec::new();
        while impressions_left > 0 {
            let impressions = impressions_left.min(max_round);
            let (draws, per_piece) = extent(self.identity.queries, impressions, pairs.len(), self.identity.sampling);
            let number = (self.rounds.len() + rounds.len()) as u64;
            let extent = (draws as u64, per_piece as u64);
            rounds.push(PlannedRound { number, impressions, pieces: draws.div_ceil(per_piece) as u64, extent });
            impressions_left -= impressions;
        }
        Ok((rounds, pairs))
    }

    /// Adds what the shards counted, which fulfils the last request, and writes the state to the file at `path`. Returns the
    /// number of comparisons.
    ///
    /// # Errors
    /// If the parts are of another request, cannot be read, or the file cannot be written.
    pub fn absorb_parts(&mut self, parts: &Parts, queries: usize, path: &Path) -> Result<u64> {
        parts.check(&self.work()?, &Self::revisions())?;
        let (rounds, pairs) = self.planned_rounds()?;
        let is_stratified = self.identity.sampling == Sampling::Stratified;
        let pair_count = pairs.len() as u64;
        let mut counts = ShardCounts::new(pairs.len(), is_stratified);
        parts.for_each_part(|part| {
            let pieces_done = counts.add_encoded(&part.body)?;
            ensure!(pieces_done == part.header.range.end - part.header.range.start, "it is unfinished");
            Ok(())
        })?;
        self.impressions_left = 0;
        if is_stratified {
            let [round] = rounds[..] else { bail!("stratified impressions form one round") };
            let strata = draw_strata(queries, round.impressions, self.identity.seed, round.number);
            let sums = counts.into_sums()?;
            self.close(OpenRound { impressions: round.impressions, pairs, pieces: round.pieces, sums }, Some(&strata));
        } else {
            let total_impressions: u64 = rounds.iter().map(|round| round.impressions).sum();
            let [wins, ties] = &counts.columns[..] else { bail!("counts have two columns") };
            for ((&pair, wins), ties) in pairs.iter().zip(wins).zip(ties) {
                self.totals.wins[pair as usize] += wins;
                self.totals.ties[pair as usize] += ties;
                self.totals.comparisons[pair as usize] += total_impressions;
            }
            let finished = |round: &PlannedRound| FinishedRound { impressions: round.impressions, pairs: pairs.len() };
            self.rounds.extend(rounds.iter().map(finished));
        }
        self.is_done = true;
        self.save(path)?;
        Ok(rounds.iter().map(|round| round.impressions).sum::<u64>() * pair_count)
    }
}

/// Where a shard saves what it has counted, and how often.
#[derive(Debug)]
pub struct ShardFiles<'a> {
    /// The file with the pieces so far, and the interval at which it is written.
    pub progress: (&'a Path, Duration),
    /// The provenance of the part.
    pub invocation: Invocation,
    /// Whether to hide the progress bar.
    pub quiet: bool,
}

/// Plays the share `shard` of the last request of `state`, and returns its part. Pieces that an earlier process saved are
/// not played again; a process that gets a signal to stop saves first.
///
/// # Errors
/// If the request cannot be divided, or the file cannot be written.
pub fn play_shard(state: &State, shard: Shard, prepared: &PreparedSite, files: &ShardFiles<'_>) -> Result<Part> {
    with_comparison(prepared, state.identity.multileaved, PlayShard { state, shard, prepared, files })
}

struct PlayShard<'a> {
    state: &'a State,
    shard: Shard,
    prepared: &'a PreparedSite,
    files: &'a ShardFiles<'a>,
}

impl ComparisonTask for PlayShard<'_> {
    type Output = Result<Part>;

    fn run_with<C: PairComparison>(self, comparison: &C) -> Result<Part> {
        let Self { state, shard, prepared, files } = self;
        let (rounds, pair_indices) = state.planned_rounds()?;
        let is_stratified = state.identity.sampling == Sampling::Stratified;
        let total = rounds.iter().map(|round| round.pieces).sum();
        let header = Header {
            config: state.work()?,
            revisions: State::revisions(),
            shard,
            unit: "piece".to_owned(),
            range: shard.range(total),
            total,
        };
        let mut work = ShardProgress::open(header, pair_indices.len(), is_stratified, files)?;
        // First of all: a folder that cannot be written to should fail before any work is done.
        work.save()?;
        let pairs_of_arms = all_pairs(state.identity.arms);
        let pairs: Vec<(u32, u32)> = pair_indices.iter().map(|&pair| pairs_of_arms[pair as usize]).collect();
        let pairs = comparison.prepare(&pairs);
        let comparisons = |pieces: &Range<u64>| impressions_in(&rounds, pieces) * pair_indices.len() as u64;
        let total = comparisons(&work.header.range);
        let progress = Progress::new("comparing pairs", total, files.quiet);
        progress.start_at(total.saturating_sub(comparisons(&work.pieces_left())));
        let saves = interrupt::saves_before_it_stops();
        let mut pieces_before = 0;
        for &PlannedRound { number, impressions, pieces, .. } in &rounds {
            let of_round = pieces_before..pieces_before + pieces;
            pieces_before = of_round.end;
            if intersection(&work.pieces_left(), &of_round).is_empty() {
                continue;
            }
            let (site, seed) = (&prepared.site, state.identity.seed);
            let strata_of_round = is_stratified.then(|| draw_strata(site.queries(), impressions, seed, number));
            let round = Round::new(site, seed, number, impressions, pair_indices.len(), strata_of_round.as_ref());
            loop {
                let pieces_of_round = intersection(&work.pieces_left(), &of_round);
                if pieces_of_round.is_empty() {
                    break;
                }
                let in_round = pieces_of_round.start - of_round.start..pieces_of_round.end - of_round.start;
                let deadline = work.deadline();
                let stop = || saves.is_asked_to_stop() || Instant::now() >= deadline;
                let (next_piece, sums) = round.play_all(comparison, &pairs, in_round, &stop, &progress);
                sums.iter().for_each(|sums| work.counts.add_sums(sums));
                work.counts.pieces_done += of_round.start + next_piece - pieces_of_round.start;
                if saves.is_asked_to_stop() {
                    work.save()?;
                    saves.stop();
                }
                if Instant::now() >= deadline {
                    work.save()?;
                }
            }
        }
        progress.finish();
        Ok(work.to_part())
    }
}

fn intersection(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// The counts of a shard so far, and where they are saved.
struct ShardProgress<'a> {
    header: Header,
    counts: ShardCounts,
    files: &'a ShardFiles<'a>,
    /// Seconds of earlier processes.
    seconds: f64,
    start: Instant,
    last_saved: Instant,
}

impl<'a> ShardProgress<'a> {
    /// The saved state of the same work, or an empty one.
    fn open(header: Header, pairs: usize, is_stratified: bool, files: &'a ShardFiles<'a>) -> Result<Self> {
        let saved = match files.progress.0.exists() {
            // A damaged file counts as missing: its pieces are played again.
            true => Part::read(files.progress.0).ok().filter(|part| part.header == header),
            false => None,
        };
        let counts = saved.as_ref().and_then(|part| ShardCounts::decode(&part.body, pairs, is_stratified).ok());
        let seconds = saved.filter(|_| counts.is_some()).map_or(0.0, |part| part.invocation.seconds);
        let now = Instant::now();
        let counts = counts.unwrap_or_else(|| ShardCounts::new(pairs, is_stratified));
        Ok(Self { header, counts, files, seconds, start: now, last_saved: now })
    }

    /// The pieces that are not played yet.
    fn pieces_left(&self) -> Range<u64> {
        self.header.range.start + self.counts.pieces_done..self.header.range.end
    }

    fn deadline(&self) -> Instant {
        self.last_saved + self.files.progress.1
    }

    fn to_part(&self) -> Part {
        let seconds = self.seconds + self.start.elapsed().as_secs_f64();
        let invocation = Invocation { seconds, ..self.files.invocation.clone() };
        Part::new(self.header.clone(), invocation, self.counts.encode())
    }

    fn save(&mut self) -> Result<()> {
        self.to_part().write(self.files.progress.0)?;
        self.last_saved = Instant::now();
        Ok(())
    }
}

/// The header of the shard with its progress in the file at `path`, and how many of its pieces are counted; `None` without
/// an intact file.
#[must_use]
pub fn pieces_played(path: &Path) -> Option<(Header, u64)> {
    let part = Part::read(path).ok()?;
    Some((part.header, u64::from_le_bytes(*part.body.first_chunk()?)))
}

/// Counts per pair: wins and ties, or, of stratified impressions, wins, ties and squares for queries with fewer and for
/// those with more impressions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShardCounts {
    /// The number of pieces that are counted: always the first ones of the shard.
    pieces_done: u64,
    columns: Vec<Vec<u64>>,
}

impl ShardCounts {
    fn new(pairs: usize, is_stratified: bool) -> Self {
        Self { pieces_done: 0, columns: vec![vec![0; pairs]; if is_stratified { 6 } else { 2 }] }
    }

    /// Adds the sums of a thread.
    fn add_sums(&mut self, sums: &[Sums]) {
        let mut columns = self.columns.iter_mut();
        for Sums { counts, squares } in sums {
            for numbers in [&counts.wins, &counts.ties] {
                let Some(column) = columns.next() else { return };
                column.iter_mut().zip(numbers).for_each(|(sum, &more)| *sum += u64::from(more));
            }
            if !squares.is_empty() {
                let Some(column) = columns.next() else { return };
                column.iter_mut().zip(squares).for_each(|(sum, more)| *sum += more);
            }
        }
    }

    /// The sums of a stratified round.
    fn into_sums(self) -> Result<Vec<Sums>> {
        let mut sums = empty_sums(self.columns.first().map_or(0, Vec::len), true);
        let mut columns = self.columns.into_iter();
        let to_u32 = |column: Option<Vec<u64>>| -> Result<Vec<u32>> {
            let numbers = column.into_iter().flatten().map(|number| Ok(u32::try_from(number)?));
            numbers.collect::<Result<_>>().context("the counts exceed those of a round")
        };
        for sum in &mut sums {
            (sum.counts.wins, sum.counts.ties) = (to_u32(columns.next())?, to_u32(columns.next())?);
            sum.squares = columns.next().unwrap_or_default();
        }
        Ok(sums)
    }

    /// The number of pieces, and each column after the number of bytes that its numbers take.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = self.pieces_done.to_le_bytes().to_vec();
        for column in &self.columns {
            let largest = column.iter().copied().max().unwrap_or(0);
            let width = (1..8).find(|width| largest >> (8 * width) == 0).unwrap_or(8);
            bytes.push(width as u8);
            bytes.reserve(width * column.len());
            column.iter().for_each(|number| bytes.extend(&number.to_le_bytes()[..width]));
        }
        bytes
    }

    fn decode(bytes: &[u8], pairs: usize, is_stratified: bool) -> Result<Self> {
        let mut counts = Self::new(pairs, is_stratified);
        counts.add_encoded(bytes)?;
        Ok(counts)
    }

    /// Adds encoded counts of the same pairs without unpacking them first, and returns the number of their pieces. After an
    /// error, the sums are of no use.
    fn add_encoded(&mut self, bytes: &[u8]) -> Result<u64> {
        let wrong_length = "its counts are not those of the pairs";
        let (pieces_done, mut remaining) = bytes.split_first_chunk().context(wrong_length)?;
        let pieces_done = u64::from_le_bytes(*pieces_done);
        self.pieces_done += pieces_done;
        for column in &mut self.columns {
            let (&width, following) = remaining.split_first().context(wrong_length)?;
            let width = usize::from(width);
            ensure!((1..=8).contains(&width), wrong_length);
            let (numbers, following) = following.split_at_checked(width * column.len()).context(wrong_length)?;
            match width {
                1 => add_numbers::<1>(column, numbers),
                2 => add_numbers::<2>(column, numbers),
                3 => add_numbers::<3>(column, numbers),
                4 => add_numbers::<4>(column, numbers),
                5 => add_numbers::<5>(column, numbers),
                6 => add_numbers::<6>(column, numbers),
                7 => add_numbers::<7>(column, numbers),
                _ => add_numbers::<8>(column, numbers),
            }
            remaining = following;
        }
        ensure!(remaining.is_empty(), wrong_length);
        Ok(pieces_done)
    }
}

/// Adds to each number of `column` one of `WIDTH` bytes.
fn add_numbers<const WIDTH: usize>(column: &mut [u64], bytes: &[u8]) {
    for (sum, bytes) in column.iter_mut().zip(bytes.as_chunks::<WIDTH>().0) {
        let mut number = [0; 8];
        number[..WIDTH].copy_from_slice(bytes);
        // An undamaged part from elsewhere may hold any numbers.
        *sum = sum.wrapping_add(u64::from_le_bytes(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impressions_of_pieces_add_up() {
        let round = |impressions: u64, pieces, extent| PlannedRound { number: 0, impressions, pieces, extent };
        let rounds = [round(1_000, 4, (1_000, 300)), round(70, 2, (7, 4))];
        let of = |pieces| impressions_in(&rounds, &pieces);
        assert_eq!([of(0..1), of(1..4), of(3..4), of(3..5), of(0..6), of(5..6)], [300, 700, 100, 140, 1_070, 30]);
        assert_eq!((of(2..2), of(6..9)), (0, 0));
    }

    #[test]
    fn counts_take_as_few_bytes_as_the_largest() {
        for is_stratified in [false, true] {
            let mut counts = ShardCounts::new(3, is_stratified);
            counts.pieces_done = 9;
            for (at, column) in counts.columns.iter_mut().enumerate() {
                *column = vec![0, 255 << (8 * at), 7];
            }
            let bytes = counts.encode();
            let columns = counts.columns.len();
            assert_eq!(bytes.len(), 8 + (0..columns).map(|at| 1 + 3 * (at + 1)).sum::<usize>());
            assert_eq!(ShardCounts::decode(&bytes, 3, is_stratified).unwrap(), counts);
            for end in 0..bytes.len() {
                assert!(ShardCounts::decode(&bytes[..end], 3, is_stratified).is_err());
            }
            let mut twice = counts.clone();
            assert_eq!(twice.add_encoded(&bytes).unwrap(), 9);
            assert_eq!(twice.pieces_done, 18);
            for (twice, once) in twice.columns.iter().flatten().zip(counts.columns.iter().flatten()) {
                assert_eq!(*twice, 2 * once);
            }
            assert!(ShardCounts::decode(&bytes, 4, is_stratified).is_err());
            assert!(ShardCounts::decode(&bytes, 3, !is_stratified).is_err());
        }
    }
}
