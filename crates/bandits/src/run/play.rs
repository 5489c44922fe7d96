//! The run loop: one policy in one arena.

use rand::SeedableRng as _;

use crate::random::Coins;
use crate::{Arena, Arm, Choice, Feedback, Generator, PairWins, Policy, Preference};

/// A run's generators, one per role, so that the draws of one role never shift those of another.
#[derive(Debug, Clone)]
pub struct Generators {
    /// The policy's own.
    pub policy: Generator,
    /// The arena's.
    pub arena: Generator,
    /// The coins that break ties.
    pub coins: Generator,
}

impl Generators {
    /// Three streams of one seed, 2^128 draws apart.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let policy = Generator::seed_from_u64(seed);
        let mut arena = policy.clone();
        arena.jump();
        let mut coins = arena.clone();
        coins.jump();
        Self { policy, arena, coins }
    }
}

/// Sees every step of a run.
pub trait Observer {
    /// Called after steps `from..=to` (1-based; one step except for [`Choice::Alone`]) were played as `choice`.
    fn played(&mut self, from: u64, to: u64, choice: Choice<'_>, gaps: &[f64]);

    /// Called with the outcome of each duel of two different arms when the policy learns it, before its coin is tossed:
    /// ties are passed as ties. The call of [`played`](Self::played) for the same step follows; in runs with late outcomes,
    /// it came first, and [`caught_up`](Self::caught_up) follows.
    fn dueled(&mut self, _first: Arm, _second: Arm, _outcome: Preference) {}

    /// Called like [`dueled`](Self::dueled) for each set, with its pairs by position in the set.
    fn multi_dueled(&mut self, _arms: &[Arm], _wins: &PairWins) {}

    /// Called in runs with late outcomes (`open::OpenRun`), after step `step`, the end of a choice: all outcomes that have
    /// arrived by then were passed to [`dueled`](Self::dueled) and [`multi_dueled`](Self::multi_dueled).
    fn caught_up(&mut self, _step: u64) {}

    /// Whether to stop before the horizon (called now and then, and after each [`report`](Self::report)).
    fn stop(&mut self) -> bool {
        false
    }

    /// The next step after which it needs the policy's recommendation (`u64::MAX`: none).
    fn next_report(&self) -> u64 {
        u64::MAX
    }

    /// Called with the policy's recommendation after step `step`, the first end of a choice at or past
    /// [`next_report`](Self::next_report). (Inside a stretch alone nothing is learnt, so the recommendation
    /// at its end holds for all its steps.) It does not affect the run.
    fn report(&mut self, _step: u64, _best: Option<Arm>) {}
}

/// Ignores everything.
impl Observer for () {
    fn played(&mut self, _from: u64, _to: u64, _choice: Choice<'_>, _gaps: &[f64]) {}
}

/// The number of choices between two calls of [`Observer::stop`].
const STOP_EVERY: u32 = 1 << 12;

/// Plays a fresh `policy` in `arena` for `horizon` steps and returns how many were played: all, unless
/// the observer stopped the run.
///
/// The first step is step 1. For a policy that has already played, the time of its bounds would restart; use
/// a [`Run`] to continue.
///
/// Ties are broken here and nowhere else, by fair coins with a generator of their own. A duel of an arm
/// with itself does not reach the arena: it is a coin too.
///
/// Policies count duels in 32 bits: in a run of 2^32 steps (4.29e9) or more no arm may take part in
/// that many duels. Stretches alone are not counted.
///
/// ```
/// use bandits::{PolicyConfig, Generators, MatrixArena, play, policies::rucb, problems};
///
/// let mut arena = MatrixArena::new(problems::arithmetic(8)?)?;
/// let mut policy = rucb::RucbConfig::default().policy(8, Some(20_000))?;
/// assert_eq!(play(&mut policy, &mut arena, 20_000, &mut Generators::from_seed(1), &mut ()), 20_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play<P: Policy + ?Sized, A: Arena + ?Sized, O: Observer + ?Sized>(
    policy: &mut P,
    arena: &mut A,
    horizon: u64,
    generators: &mut Generators,
    observer: &mut O,
) -> u64 {
    Run::new().until(horizon, policy, arena, generators, observer)
}

/// A run that can be interrupted and resumed; the result does not depend on the interruptions.
///
/// It holds the state that belongs neither to the policy nor to the arena: the step, the coins tossed in advance, and
/// the rest of a stretch [alone](Choice::Alone) that an interruption cut in two. A run must always get
/// the same policy, arena and generators.
///
/// ```
/// use bandits::{PolicyConfig, Generators, MatrixArena, Policy, Run, policies::rucb, problems};
///
/// let mut arena = MatrixArena::new(problems::arithmetic(8)?)?;
/// let mut policy = rucb::RucbConfig::default().policy(8, Some(20_000))?;
/// let mut generators = Generators::from_seed(1);
/// let mut run = Run::new();
/// // To the best arm known after every thousand steps.
/// for thousands in 1..=20 {
///     run.until(1000 * thousands, &mut policy, &mut arena, &mut generators, &mut ());
///     let _best = policy.recommend(&mut generators.policy.clone());
/// }
/// assert_eq!(run.played(), 20_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Run {
    played: u64,
    coins: Coins,
    /// The arm that plays alone and until which step, if that is beyond the last one played.
    alone: Option<(Arm, u64)>,
    /// Choices until the next call of [`Observer::stop`].
    until_asked: u32,
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl Run {
    /// Before its first step.
    #[must_use]
    pub fn new() -> Self {
        Self { played: 0, coins: Coins::default(), alone: None, until_asked: STOP_EVERY }
    }

    /// The number of steps played, i.e. the number of the last one.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }

    /// Continues until step `last` of the whole run has been played, and returns how many steps of it
    /// have: `last`, unless the observer stopped it, or more had been played before. Otherwise like
    /// [`play`].
    pub fn until<P: Policy + ?Sized, A: Arena + ?Sized, O: Observer + ?Sized>(
        &mut self,
        last: u64,
        policy: &mut P,
        arena: &mut A,
        generators: &mut Generators,
        observer: &mut O,
    ) -> u64 {
        // A local copy, which the compiler can keep in registers.
        let mut run = self.clone();
        let mut wins = PairWins::default();
        let mut table = StepContext { policy, arena, generators, observer };
        while run.played < last {
            if let Some(pair) = table.begin(&mut run, last, &mut wins) {
                table.meet(&mut run, pair);
            }
            if table.end(&mut run) {
                break;
            }
        }
        *self = run;
        self.played
    }
}

/// The data of a step in addition to the run.
struct StepContext<'a, P: ?Sized, A: ?Sized, O: ?Sized> {
    policy: &'a mut P,
    arena: &'a mut A,
    generators: &'a mut Generators,
    observer: &'a mut O,
}

impl<P: Policy + ?Sized, A: Arena + ?Sized, O: Observer + ?Sized> StepContext<'_, P, A, O> {
    /// Asks the policy for its next choice. A pair that meets is returned before the step is played; any other
    /// choice is played, at most up to step `last`.
    #[inline(always)]
    fn begin(&mut self, run: &mut Run, last: u64, wins: &mut PairWins) -> Option<(Arm, Arm)> {
        let Self { policy, arena, generators, observer } = self;
        let step = run.played + 1;
        let choice = match run.alone.take() {
            Some((arm, until)) => Choice::Alone { arm, until },
            None => policy.choose(step, &mut generators.policy),
        };
        let stays = arena.reach(step);
        if !matches!(choice, Choice::Alone { .. })
            && arena.start_step(step, &mut generators.arena, &mut generators.coins)
        {
            run.coins = Coins::default();
        }
        match choice {
            Choice::Duel(first, second) => return Some((first, second)),
            Choice::Set(arms) => {
                arena.multi_duel(arms, &mut generators.arena, wins);
                observer.multi_dueled(arms, wins);
                observer.played(step, step, Choice::Set(arms), arena.gaps());
                wins.resolve_ties(&mut generators.coins);
                policy.learn(step, Feedback::Set { wins });
                run.played = step;
            }
            Choice::Alone { arm, until } => {
                let until = until.max(step);
                let to = until.min(last).min(stays);
                // The policy may have drawn the length of the stretch, so it must not choose again.
                run.alone = (to < until).then_some((arm, until));
                observer.played(step, to, Choice::Alone { arm, until: to }, arena.gaps());
                run.played = to;
            }
        }
        None
    }

    /// Plays the step in which `first` and `second` meet.
    #[inline(always)]
    fn meet(&mut self, run: &mut Run, (first, second): (Arm, Arm)) {
        let Self { policy, arena, generators, observer } = self;
        let step = run.played + 1;
        let duel = if first == second { Preference::Tie } else { arena.duel(first, second, &mut generators.arena) };
        if first != second {
            observer.dueled(first, second, duel);
        }
        let first_won = match duel {
            Preference::Tie => run.coins.toss(&mut generators.coins),
            decided => decided == Preference::First,
        };
        policy.learn(step, Feedback::of_duel(first, second, first_won));
        observer.played(step, step, Choice::Duel(first, second), arena.gaps());
        run.played = step;
    }

    /// Reports to the observer after a choice; returns whether to stop the run.
    #[inline(always)]
    fn end(&mut self, run: &mut Run) -> bool {
        if run.played >= self.observer.next_report() {
            // A separate stream, so that reporting shifts no later draw.
            let mut generator = self.generators.policy.clone();
            generator.long_jump();
            self.observer.report(run.played, self.policy.recommend(&mut generator));
            if self.observer.stop() {
                return true;
            }
        }
        run.until_asked -= 1;
        if run.until_asked > 0 {
            return false;
        }
        run.until_asked = STOP_EVERY;
        self.observer.stop()
    }
}

/// The state of one of several runs that are [played in step](play_in_step): a fresh policy, its arena, and the other
/// arguments of [`play`].
#[derive(Debug, Clone)]
pub struct RunState<P, A, O> {
    /// The policy.
    pub policy: P,
    /// The arena.
    pub arena: A,
    /// Their generators.
    pub generators: Generators,
    /// The observer.
    pub observer: O,
    run: Run,
    /// The pair that meets next.
    pair: Option<(Arm, Arm)>,
}

impl<P: Policy, A: Arena, O: Observer> RunState<P, A, O> {
    /// Before its first step.
    pub fn new(policy: P, arena: A, generators: Generators, observer: O) -> Self {
        Self { policy, arena, generators, observer, run: Run::new(), pair: None }
    }

    /// The number of steps played.
    pub fn played(&self) -> u64 {
        self.run.played()
    }

    /// Makes the next choice. If two arms are to meet, prefetches their data; otherwise plays it.
    #[inline(always)]
    fn begin(&mut self, horizon: u64, wins: &mut PairWins) {
        let (run, mut table) = self.table();
        let pair = table.begin(run, horizon, wins);
        if let Some((first, second)) = pair
            && first != second
        {
            table.arena.prefetch(first, second, &mut table.generators.arena);
        }
        self.pair = pair;
    }

    fn table(&mut self) -> (&mut Run, StepContext<'_, P, A, O>) {
        let Self { policy, arena, generators, observer, run, .. } = self;
        (run, StepContext { policy, arena, generators, observer })
    }
}

/// Plays several runs side by side on one thread, one choice each in turn, until each has played `horizon`
/// steps or was stopped by its observer. Each is the same run as [`play`] would play.
///
/// Each run makes its next choice as soon as it has learnt from the last one, and the data are
/// [prefetched](Arena::prefetch) while the rankers of the other runs meet: this pays if fetching takes longer than the
/// comparison itself. (Where all runs chose first and all met then, the requests of all came together and waited for
/// each other.)
pub fn play_in_step<P: Policy, A: Arena, O: Observer>(players: &mut [RunState<P, A, O>], horizon: u64) {
    if let [RunState { policy, arena, generators, observer, run, .. }] = players {
        run.until(horizon, policy, arena, generators, observer);
        return;
    }
    let mut wins = PairWins::default();
    let mut playing: Vec<&mut RunState<P, A, O>> =
        players.iter_mut().filter(|player| player.played() < horizon).collect();
    playing.iter_mut().for_each(|player| player.begin(horizon, &mut wins));
    while !playing.is_empty() {
        playing.retain_mut(|player| {
            let pair = player.pair.take();
            let (run, mut table) = player.table();
            if let Some(pair) = pair {
                table.meet(run, pair);
            }
            let goes_on = !table.end(run) && run.played < horizon;
            if goes_on {
                player.begin(horizon, &mut wins);
            }
            goes_on
        });
    }
}
