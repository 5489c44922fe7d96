//! The builder: rounds played by all threads, saved every so often, taken up where they were left.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::choice::{Choice, all_pairs};
use super::comparison::Player;
use super::round::{ROUND, Round, Sampling, draw_strata};
use super::state::{Current, Identity, Played, Request, State};
use super::strata::{Strata, Sums, variance};
use crate::output::progress::Progress;
use crate::output::usage::usage;
use crate::simulation::site::Site;

/// Most impressions of a stratified round: counts of one are kept in 32 bits.
const MOST: u64 = 4_000_000_000;

/// Who plays, and what happens meanwhile. None of it changes a count.
pub struct Work<'a, P> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// What an impression is.
    pub player: &'a P,
    /// Where the state is kept, and how often it is written besides at the beginning and the end.
    pub save: Option<(&'a Path, Duration)>,
    /// Whether to show no progress.
    pub quiet: bool,
}

/// What to make of a matrix that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// Leave it as it is, unless more is asked for.
    Afresh,
    /// Go on with what it was last asked for.
    Resumed,
    /// Replace it.
    Again,
}

impl Begin {
    /// The mode that `--resume` and `--replace` select.
    #[must_use]
    pub fn from_flags(resume: bool, replace: bool) -> Self {
        match (replace, resume) {
            (true, _) => Self::Again,
            (false, true) => Self::Resumed,
            (false, false) => Self::Afresh,
        }
    }
}

/// The state to work on for `request`, from the file at `path` if it takes part in it.
///
/// A request that is not for more begins a matrix. Where one is there it must be that very one, of
/// which nothing is left to do; another is given up only [again](Begin::Again). [`Resumed`](Begin::Resumed),
/// the request that the file was last working on goes on where it was left (nothing is left to do if
/// it was finished), and a missing file is a beginning.
///
/// # Errors
/// When the file is damaged, of another matrix, or holds something that the request does not fit;
/// it is left as it is.
pub fn take_up(path: &Path, identity: Identity, request: Request, begin: Begin) -> Result<State> {
    check(&identity, &request)?;
    let name = path.display();
    let new = |identity, request| {
        let mut state = State::new(identity);
        state.ask(request);
        state
    };
    if begin == Begin::Again && !request.more {
        return Ok(new(identity, request));
    }
    if begin == Begin::Afresh && !request.more {
        let Some(state) = State::read(path)? else { return Ok(new(identity, request)) };
        ensure!(
            state.done,
            "{name} holds an unfinished matrix; add --resume to continue it or --replace to replace it, or choose \
             another --out"
        );
        let difference = state.identity.difference(&identity);
        if difference.is_none() && state.requests == [request] {
            return Ok(state);
        }
        let asked: Vec<String> = state.requests.iter().map(Request::to_string).collect();
        let asked = difference.unwrap_or_else(|| format!("requested with {}", asked.join(" and ")));
        bail!("{name} holds another finished matrix ({asked}); add --replace to replace it, or choose another --out");
    }
    let Some(mut state) = State::load(path, &identity)? else {
        ensure!(
            !request.more,
            "--more adds to an existing matrix, but there is no {name}; use --interleavings to start one"
        );
        return Ok(new(identity, request));
    };
    let last = state.requests.last().context("the saved state has no request; remove it")?;
    if begin == Begin::Resumed && *last == request {
        return Ok(state);
    }
    if !state.done {
        bail!(
            "{name} holds an unfinished matrix, requested with {last}; finish it first with those flags and --resume"
        );
    }
    ensure!(
        request.more,
        "{name} holds a finished matrix, requested with {last}; add to it with --more or replace it with --replace"
    );
    state.ask(request);
    Ok(state)
}

/// Refuses what cannot be fulfilled.
fn check(identity: &Identity, request: &Request) -> Result<()> {
    choice(request)?.places(identity.arms).map_err(usage)?;
    if let Some(error) = request.until_standard_error {
        ensure!(error > 0.0, usage(format!("--until-se {error}: expected a standard error above 0, such as 0.001")));
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
        ensure!(request.impressions <= MOST, usage(format!("--stratify takes at most {MOST} impressions at a time")));
    }
    Ok(())
}

fn choice(request: &Request) -> Result<Choice> {
    request.pairs.parse().map_err(anyhow::Error::msg)
}

impl State {
    /// Notes a request, to be fulfilled by [`State::work`].
    fn ask(&mut self, request: Request) {
        (self.left, self.done) = (request.impressions, false);
        self.requests.push(request);
    }

    /// Plays until the last request is fulfilled. How many comparisons that took.
    ///
    /// The outcome does not depend on the number of threads, nor on where it was interrupted before.
    ///
    /// # Errors
    /// When the state cannot be written; what was saved before stays.
    pub fn work<P: Player>(&mut self, work: &Work<'_, P>) -> Result<u64> {
        let Some(request) = self.requests.last().cloned().filter(|_| !self.done) else { return Ok(0) };
        let places = choice(&request)?.places(self.identity.arms)?;
        let mut saver = Saver { save: work.save, last: Instant::now() };
        // Before anything else: a folder that cannot be written to should not cost any work.
        saver.save(self)?;

        let total = request.impressions * places.len() as u64;
        let begun = self.left + self.current.as_ref().map_or(0, |current| current.impressions);
        let progress = Progress::new("comparing pairs", total, work.quiet);
        progress.start_at(total.saturating_sub(begun * places.len() as u64));
        let mut comparisons = 0;
        loop {
            if self.current.is_none() {
                let Some((impressions, places)) = self.next_round(&request, &places) else { break };
                if self.left >= impressions {
                    self.left -= impressions;
                } else {
                    progress.lengthen(impressions * places.len() as u64);
                }
                let sums = super::round::empty_sums(places.len(), self.identity.sampling == Sampling::Stratified);
                self.current = Some(Current { impressions, places, pieces: 0, sums });
            }
            comparisons += self.play_current(work, &mut saver, &progress)?;
        }
        self.done = true;
        saver.save(self)?;
        progress.finish();
        Ok(comparisons)
    }

    /// Impressions and pairs of the next round; none when the request is fulfilled.
    fn next_round(&self, request: &Request, places: &[u32]) -> Option<(u64, Vec<u32>)> {
        let at_once = if self.identity.sampling == Sampling::Stratified { MOST } else { ROUND };
        if self.left > 0 {
            return Some((self.left.min(at_once), places.to_vec()));
        }
        let wanted = request.until_standard_error?;
        let open: Vec<u32> =
            places.iter().copied().filter(|&place| self.cautious_error(place as usize) > wanted).collect();
        (!open.is_empty()).then(|| (request.impressions.min(at_once), open))
    }

    /// Plays what is left of the current round and closes it.
    fn play_current<P: Player>(
        &mut self,
        work: &Work<'_, P>,
        saver: &mut Saver<'_>,
        progress: &Progress,
    ) -> Result<u64> {
        let current = self.current.as_mut().context("no round was begun")?;
        let Identity { seed, sampling, arms, .. } = self.identity;
        let (number, impressions) = (self.rounds.len() as u64, current.impressions);
        let strata =
            (sampling == Sampling::Stratified).then(|| draw_strata(work.site.queries(), impressions, seed, number));
        let round = Round::new(work.site, seed, number, impressions, current.places.len(), strata.as_ref());
        let all = all_pairs(arms);
        let pairs: Vec<(u32, u32)> = current.places.iter().map(|&place| all[place as usize]).collect();
        let pairs = work.player.prepare(&pairs);
        let before = round.impressions_of(current.pieces);
        progress.advance(before * current.places.len() as u64);

        while self.current.as_ref().is_some_and(|current| current.pieces < round.pieces()) {
            self.play_wave(work.player, &round, &pairs, saver.deadline(), progress);
            if saver.is_due() {
                saver.save(self)?;
            }
        }
        let current = self.current.take().context("no round was begun")?;
        let compared = (impressions - before) * current.places.len() as u64;
        self.close(current, strata.as_ref());
        Ok(compared)
    }

    /// Lets all threads take pieces in turn until none is left or `deadline` is past, and adds what
    /// they counted. Pieces that were taken are finished, so that those played are always the first.
    fn play_wave<P: Player>(
        &mut self,
        player: &P,
        round: &Round<'_>,
        pairs: &P::Pairs,
        deadline: Option<Instant>,
        progress: &Progress,
    ) {
        let Some(current) = &mut self.current else { return };
        let (next, pieces, width) = (AtomicU64::new(current.pieces), round.pieces(), current.places.len() as u64);
        let hands = rayon::broadcast(|_| {
            let mut hand = round.hand();
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    break hand;
                }
                progress.advance(width * round.play(player, pairs, piece, &mut hand));
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    break hand;
                }
            }
        });
        current.pieces = next.into_inner().min(pieces);
        for hand in hands {
            current.sums.iter_mut().zip(&hand.open()).for_each(|(sums, more)| sums.add(more));
        }
    }

    /// Adds a round that is over to the totals.
    fn close(&mut self, current: Current, strata: Option<&Strata>) {
        let Current { impressions, places, sums, .. } = current;
        for (index, place) in places.iter().map(|&place| place as usize).enumerate() {
            let sum = |count: fn(&Sums) -> &[u32]| sums.iter().map(|sums| u64::from(count(sums)[index])).sum::<u64>();
            self.totals.wins[place] += sum(|sums| &sums.counts.wins);
            self.totals.ties[place] += sum(|sums| &sums.counts.ties);
            self.totals.comparisons[place] += impressions;
            if let Some(strata) = strata {
                self.totals.variances[place] += variance(strata, &sums, index);
            }
        }
        self.rounds.push(Played { impressions, pairs: places.len() });
    }
}

/// Writes the state when its time has come.
struct Saver<'a> {
    save: Option<(&'a Path, Duration)>,
    last: Instant,
}

impl Saver<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.save.map(|(_, every)| self.last + every)
    }

    fn is_due(&self) -> bool {
        self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn save(&mut self, state: &State) -> Result<()> {
        if let Some((path, _)) = self.save {
            state.save(path).map_err(|error| match path.exists() {
                true => error.context("stopped; run again with --resume to go on from what was saved before"),
                false => error,
            })?;
        }
        self.last = Instant::now();
        Ok(())
    }
}
