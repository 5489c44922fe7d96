//! Builds a matrix: plays rounds on all threads, saves the state at intervals, and continues after interruptions.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use output::numbers::{with_separators, with_unit};
use output::progress::Progress;
use output::usage::usage;
use tracing::{debug, info};

use super::comparison::PairComparison;
use super::round::{ROUND, Round, Sampling, draw_strata};
use super::selection::{PairSelection, all_pairs};
use super::state::{FinishedRound, Identity, OpenRound, Request, State};
use super::strata::{Strata, Sums, variance};
use crate::pairwise::ensure_room_for_pairs;
use crate::site::Site;

/// The most impressions of a stratified round: its counts have 32 bits.
const MOST_STRATIFIED: u64 = 4_000_000_000;

/// The most comparisons of a request: their number, with those of the last round, has 64 bits.
const MOST_COMPARISONS: u64 = 1 << 62;

/// The surroundings of an estimation. Where the state is saved and whether progress is shown do not affect the counts.
pub struct EstimationContext<'a, C> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// How an impression compares pairs.
    pub comparison: &'a C,
    /// The file of the state, and the interval at which it is written. It is also written at the start and at the end.
    pub save: Option<(&'a Path, Duration)>,
    /// Whether to hide the progress bar.
    pub quiet: bool,
}

/// How to treat an existing matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartMode {
    /// Continue its last request if that is the same, or extend it.
    Continue,
    /// The same, and a request to extend it that is finished is not repeated.
    Resume,
    /// Replace it.
    Replace,
}

impl StartMode {
    /// The mode that `--resume` and `--replace` select.
    #[must_use]
    pub fn from_flags(resume: bool, replace: bool) -> Self {
        match (replace, resume) {
            (true, _) => Self::Replace,
            (false, true) => Self::Resume,
            (false, false) => Self::Continue,
        }
    }
}

/// The state with which to fulfil `request`: a new one, or the one in the file at `path`.
///
/// If the file is of the same matrix and its last request is this one, that continues, or nothing is left to do. A finished request with
/// `more` is ambiguous, as it may be meant again: [`Continue`](StartMode::Continue) adds once more, [`Resume`](StartMode::Resume) does
/// not. A further request with `more` extends a finished matrix, in any mode. [`Replace`](StartMode::Replace) ignores the file where a
/// request starts a matrix.
///
/// # Errors
/// If the request is invalid, or the file is damaged, belongs to another matrix, or its requests do not allow this
/// one. The file is not changed.
pub fn open_state(path: &Path, identity: Identity, request: Request, mode: StartMode) -> Result<State> {
    check_request(&identity, &request)?;
    let name = path.display();
    let new_state = |identity, request| {
        let mut state = State::new(identity);
        state.add_request(request);
        state
    };
    if mode == StartMode::Replace && !request.more {
        return Ok(new_state(identity, request));
    }
    let Some(mut state) = State::read(path)? else {
        ensure!(
            !request.more,
            usage(format!(
                "--more adds to an existing matrix, but there is no {name}; use --impressions-per-pair to start one"
            ))
        );
        return Ok(new_state(identity, request));
    };
    let last_request = state.requests.last().context("the saved state has no request; remove it")?;
    let difference = state.identity.difference(&identity);
    let is_again = request.more && state.is_done && mode != StartMode::Resume;
    if difference.is_none() && *last_request == request && !is_again {
        return Ok(state);
    }
    let progress_word = if state.is_done { "finished" } else { "unfinished" };
    let requests: Vec<String> = state.requests.iter().map(Request::to_string).collect();
    let requested = format!("requested with {}", requests.join(" and "));
    let is_other = difference.is_some();
    let reason = difference.unwrap_or(requested);
    ensure!(
        request.more,
        usage(format!(
            "{name} holds another {progress_word} matrix ({reason}); extend it with --more, add --replace to replace it, or choose another --out"
        ))
    );
    ensure!(
        !is_other && state.is_done,
        usage(format!(
            "{name} holds another {progress_word} matrix ({reason}); repeat the command that it was started with, or choose another --out"
        ))
    );
    state.add_request(request);
    Ok(state)
}

/// Checks that `request` can be fulfilled for a matrix of `identity`.
fn check_request(identity: &Identity, request: &Request) -> Result<()> {
    ensure_room_for_pairs(identity.arms, |arms| State::bytes(arms, identity.sampling))?;
    let pairs = selection(request)?.pair_indices(identity.arms).map_err(usage)?;
    // Sums of the comparisons of all pairs are kept, too.
    let max_impressions = MOST_COMPARISONS / pairs.len().max(1) as u64;
    ensure!(
        request.impressions <= max_impressions,
        usage(format!(
            "{} impressions of each of {}: expected at most {}",
            with_separators(request.impressions),
            with_unit(pairs.len() as u64, "pair"),
            with_separators(max_impressions)
        ))
    );
    if let Some(target_error) = request.until_standard_error {
        ensure!(
            target_error > 0.0,
            usage(format!("--until-se {target_error}: expected a standard error above 0, such as 0.001"))
        );
    }
    if identity.sampling == Sampling::Stratified {
        let queries = identity.queries as u64;
        ensure!(
            request.impressions >= 2 * queries,
            usage(format!(
                "--stratify needs two impressions per query to estimate standard errors: at least {} for {queries} queries, \
                 not {}",
                2 * queries,
                request.impressions
            ))
        );
        ensure!(
            request.impressions <= MOST_STRATIFIED,
            usage(format!("--stratify takes at most {} impressions at a time", with_separators(MOST_STRATIFIED)))
        );
    }
    Ok(())
}

pub(super) fn selection(request: &Request) -> Result<PairSelection> {
    request.pairs.parse().map_err(anyhow::Error::msg)
}

impl State {
    /// Adds a request, for [`State::run`] to fulfil.
    fn add_request(&mut self, request: Request) {
        (self.impressions_left, self.is_done) = (request.impressions, false);
        self.requests.push(request);
    }

    /// Plays impressions until the last request is fulfilled, and returns the number of comparisons made by this call.
    ///
    /// The counts depend neither on the number of threads nor on earlier interruptions.
    ///
    /// # Errors
    /// If the state cannot be written; the file keeps what was saved before.
    pub fn run<C: PairComparison>(&mut self, context: &EstimationContext<'_, C>) -> Result<u64> {
        let Some(request) = self.requests.last().cloned().filter(|_| !self.is_done) else { return Ok(0) };
        let pairs = selection(&request)?.pair_indices(self.identity.arms)?;
        let mut saver = PeriodicSave { save: context.save, last_saved: Instant::now() };
        // First of all: a folder that cannot be written to should fail before any work is done.
        saver.save(self)?;

        let total = request.impressions * pairs.len() as u64;
        info!("comparing {} pairs, {} impressions each", pairs.len(), request.impressions);
        let open_impressions = self.impressions_left + self.current.as_ref().map_or(0, |round| round.impressions);
        let progress = Progress::new("comparing pairs", total, context.quiet);
        progress.start_at(total.saturating_sub(open_impressions * pairs.len() as u64));
        let mut comparisons = 0;
        loop {
            if self.current.is_none() {
                let Some((impressions, pairs)) = self.next_round(&request, &pairs) else { break };
                if self.impressions_left >= impressions {
                    self.impressions_left -= impressions;
                } else {
                    progress.lengthen(impressions * pairs.len() as u64);
                }
                let sums = super::round::empty_sums(pairs.len(), self.identity.sampling == Sampling::Stratified);
                self.current = Some(OpenRound { impressions, pairs, pieces: 0, sums });
            }
            comparisons += self.play_current(context, &mut saver, &progress)?;
        }
        self.is_done = true;
        saver.save(self)?;
        progress.finish();
        Ok(comparisons)
    }

    /// Impressions and places of the pairs of the next round; `None` if the request is fulfilled.
    fn next_round(&self, request: &Request, pairs: &[u32]) -> Option<(u64, Vec<u32>)> {
        let max_round = if self.identity.sampling == Sampling::Stratified { MOST_STRATIFIED } else { ROUND };
        if self.impressions_left > 0 {
            return Some((self.impressions_left.min(max_round), pairs.to_vec()));
        }
        let target_error = request.until_standard_error?;
        let open_pairs: Vec<u32> =
            pairs.iter().copied().filter(|&place| self.cautious_error(place as usize) > target_error).collect();
        (!open_pairs.is_empty()).then(|| (request.impressions.min(max_round), open_pairs))
    }

    /// Plays the rest of the current round, closes it, and returns the number of comparisons.
    fn play_current<C: PairComparison>(
        &mut self,
        context: &EstimationContext<'_, C>,
        saver: &mut PeriodicSave<'_>,
        progress: &Progress,
    ) -> Result<u64> {
        let current = self.current.as_mut().context("no round is open")?;
        let Identity { seed, sampling, arms, .. } = self.identity;
        let (number, impressions) = (self.rounds.len() as u64, current.impressions);
        let strata =
            (sampling == Sampling::Stratified).then(|| draw_strata(context.site.queries(), impressions, seed, number));
        let round = Round::new(context.site, seed, number, impressions, current.pairs.len(), strata.as_ref());
        let pairs_of_arms = all_pairs(arms);
        let pairs: Vec<(u32, u32)> = current.pairs.iter().map(|&place| pairs_of_arms[place as usize]).collect();
        let pairs = context.comparison.prepare(&pairs);
        let impressions_before = round.impressions_of(current.pieces);
        debug!("round {number}: {} pairs, impressions {impressions_before} to {impressions}", current.pairs.len());
        progress.advance(impressions_before * current.pairs.len() as u64);

        while self.current.as_ref().is_some_and(|current| current.pieces < round.pieces()) {
            self.play_until(saver.deadline(), context.comparison, &round, &pairs, progress);
            if saver.is_due() {
                debug!("round {number}: saving what was compared so far");
                saver.save(self)?;
            }
        }
        let current = self.current.take().context("no round is open")?;
        let compared = (impressions - impressions_before) * current.pairs.len() as u64;
        self.close(current, strata.as_ref());
        Ok(compared)
    }

    /// Lets all threads take pieces in turn until none is left or `deadline` has passed, and adds their counts.
    fn play_until<C: PairComparison>(
        &mut self,
        deadline: Option<Instant>,
        comparison: &C,
        round: &Round<'_>,
        pairs: &C::Pairs,
        progress: &Progress,
    ) {
        let Some(current) = &mut self.current else { return };
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let (next_piece, played) =
            round.play_all(comparison, pairs, current.pieces..round.pieces(), &is_over, progress);
        current.pieces = next_piece;
        for counts in played {
            current.sums.iter_mut().zip(&counts).for_each(|(sums, more)| sums.add(more));
        }
    }

    /// Adds a finished round to the totals.
    pub(super) fn close(&mut self, round: OpenRound, strata: Option<&Strata>) {
        let OpenRound { impressions, pairs, sums, .. } = round;
        for (index, pair) in pairs.iter().map(|&pair| pair as usize).enumerate() {
            let sum = |count: fn(&Sums) -> &[u32]| sums.iter().map(|sums| u64::from(count(sums)[index])).sum::<u64>();
            self.totals.wins[pair] += sum(|sums| &sums.counts.wins);
            self.totals.ties[pair] += sum(|sums| &sums.counts.ties);
            self.totals.comparisons[pair] += impressions;
            if let Some(strata) = strata {
                self.totals.variances[pair] += variance(strata, &sums, index);
            }
        }
        self.rounds.push(FinishedRound { impressions, pairs: pairs.len() });
    }
}

/// Writes the state when the interval since the last time has passed.
struct PeriodicSave<'a> {
    save: Option<(&'a Path, Duration)>,
    last_saved: Instant,
}

impl PeriodicSave<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.save.map(|(_, every)| self.last_saved + every)
    }

    fn is_due(&self) -> bool {
        self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn save(&mut self, state: &State) -> Result<()> {
        if let Some((path, _)) = self.save {
            state.save(path).map_err(|error| match path.exists() {
                true => error.context("stopped; the same command goes on from the last saved state"),
                false => error,
            })?;
        }
        self.last_saved = Instant::now();
        Ok(())
    }
}
