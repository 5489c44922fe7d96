//! The live arena: every comparison is an impression, in which a user examines a mixed list and clicks.

use bandits::{Arena, Arm, Generator, PairWins, Preference};
use interleave::keyed::{ImpressionKey, RunKey};
use interleave::{AnyInterleaving, AnyMultileaving, AnyOutcome, Interleaving, Outcome};

use crate::prepared_site::PreparedSite;
use crate::runs::{ArenaFactory, played_arena};
use crate::seed::{RunSeeds, Streams};
use crate::seed_text::{SeedSubject, seed_text};
use crate::site::{ImpressionRandomness, MixingMethods, Multileaver, Site};

/// How many runs a thread plays in step. Two suffice to prefetch the memory of the next impression; three were a
/// little faster when measured, and more were not.
pub const IN_STEP: usize = 3;

/// Compares rankers on users of a [`Site`]: two by interleaving, several by multileaving.
pub struct LiveArena<'site> {
    site: &'site Site,
    methods: &'site MixingMethods,
    gaps: &'site [f64],
    users: Generator,
    /// The run's key, of keyed streams.
    run: Option<RunKey>,
    /// The key of the current impression, of keyed streams.
    impression: Option<ImpressionKey>,
    /// The query of the next duel, if it was drawn for prefetching.
    query: Option<usize>,
    scratch: <AnyInterleaving as Interleaving>::Scratch,
    multileaver: Multileaver<'site, AnyMultileaving>,
}

impl<'site> LiveArena<'site> {
    /// An arena over `site`. Regret is measured against `gaps`, one per arm. Clicks are drawn from `users`; queries
    /// and lists are drawn from the generator that the run loop passes in.
    ///
    /// With the key of a `run`, the streams of every impression follow from it and from the number of the step; the run
    /// loop starts each step, and the generators passed in are replaced.
    ///
    /// # Panics
    /// If the number of gaps differs from the number of arms.
    #[must_use]
    pub fn new(
        site: &'site Site,
        methods: &'site MixingMethods,
        gaps: &'site [f64],
        users: Generator,
        run: Option<RunKey>,
    ) -> Self {
        assert_eq!(gaps.len(), site.arms(), "one gap per arm");
        let (scratch, multileaver) = (Default::default(), Multileaver::default());
        Self { site, methods, gaps, users, run, impression: None, query: None, scratch, multileaver }
    }

    /// Draws the query of an impression.
    #[inline]
    fn draw_query(&self, generator: &mut Generator) -> usize {
        match self.impression {
            Some(key) => key.query(self.site.queries()),
            None => self.site.draw_query(generator),
        }
    }

    /// Draws the query on which two rankers are compared, and prefetches their lists for it.
    #[inline]
    fn draw_query_of_pair(&self, first: Arm, second: Arm, generator: &mut Generator) -> usize {
        let query = self.draw_query(generator);
        self.site.prefetch(query, [first.index(), second.index()]);
        query
    }
}

impl Arena for LiveArena<'_> {
    fn arms(&self) -> usize {
        self.site.arms()
    }

    #[inline]
    fn start_step(&mut self, step: u64, generator: &mut Generator, coins: &mut Generator) -> bool {
        let Some(run) = self.run else { return false };
        let key = run.impression(step);
        (self.impression, self.query) = (Some(key), None);
        (*generator, self.users, *coins) = (key.lists(), key.users(), key.coins());
        true
    }

    #[inline]
    fn duel(&mut self, first: Arm, second: Arm, generator: &mut Generator) -> Preference {
        let query = match self.query.take() {
            Some(query) => query,
            None => self.draw_query_of_pair(first, second, generator),
        };
        let pair = [first.index(), second.index()];
        let method = &self.methods.interleaving;
        let randomness = ImpressionRandomness { lists: generator, users: &mut self.users };
        self.site.interleave(method, query, pair, randomness, &mut self.scratch)
    }

    #[inline]
    fn prefetch(&mut self, first: Arm, second: Arm, generator: &mut Generator) {
        self.query = Some(self.draw_query_of_pair(first, second, generator));
    }

    fn multi_duel(&mut self, arms: &[Arm], generator: &mut Generator, wins: &mut PairWins) {
        let query = self.draw_query(generator);
        let indices = arms.iter().map(|arm| arm.index());
        let method = &self.methods.multileaving;
        let randomness = ImpressionRandomness { lists: generator, users: &mut self.users };
        match self.site.multileave(method, query, indices, randomness, &mut self.multileaver) {
            AnyOutcome::Scores(scores) => wins.set_scores(scores),
            signs => set_pairs(signs, arms.len(), wins),
        }
    }

    fn gaps(&self) -> &[f64] {
        self.gaps
    }
}

played_arena!(LiveArena<'_>, play_boxed);

/// Copies the outcome pair by pair, for outcomes without a score per ranker.
fn set_pairs(outcome: &AnyOutcome, arms: usize, wins: &mut PairWins) {
    wins.reset(arms);
    for low in 0..arms {
        for high in low + 1..arms {
            wins.set(low, high, outcome.preference(low, high));
        }
    }
}

/// Makes live arenas over one site.
pub struct LiveArenaFactory<'a> {
    /// The site.
    pub site: &'a Site,
    /// How lists are mixed.
    pub methods: &'a MixingMethods,
    /// The gap of each arm to the best.
    pub gaps: &'a [f64],
    /// Where impressions are drawn from.
    pub streams: Streams,
    /// The full description of the site and of `streams`: part of every seed.
    pub content: String,
}

impl<'a> LiveArenaFactory<'a> {
    /// The arenas of a site, with the gap of each arm to the best.
    #[must_use]
    pub fn new(prepared: &'a PreparedSite, gaps: &'a [f64], streams: Streams) -> Self {
        let content = seed_text(SeedSubject::Streams { arenas: &prepared.description.seed_text(), streams });
        Self { site: &prepared.site, methods: &prepared.methods, gaps, streams, content }
    }
}

impl ArenaFactory for LiveArenaFactory<'_> {
    type Arena<'b>
        = LiveArena<'b>
    where
        Self: 'b;

    fn arms(&self) -> usize {
        self.site.arms()
    }

    fn content(&self) -> &str {
        &self.content
    }

    fn runs_in_step(&self) -> usize {
        IN_STEP
    }

    fn arena(&self, seeds: &RunSeeds<'_>) -> LiveArena<'_> {
        let run = (self.streams == Streams::Keyed).then(|| seeds.key());
        LiveArena::new(self.site, self.methods, self.gaps, seeds.stream("users"), run)
    }
}

#[cfg(test)]
mod tests {
    use bandits::registry::Spec;
    use bandits::{Choice, Feedback, Generators, Policy, play};
    use clicks::DependentClickModel;
    use interleave::{Multileaving, RankedList};
    use output::progress::Progress;

    use super::*;
    use crate::example::{site as site_of_perfect_users, site_of};
    use crate::runs::{RunPlan, play_runs};

    /// Users who often leave before the end of a list, so that lazily drawn lists end early.
    fn site() -> Site {
        let clicks = DependentClickModel::custom("0:0.2,1:0.5,2:0.9", "0:0.4,1:0.5,2:0.6").unwrap();
        let rankers: [fn(f64, usize) -> f64; 4] =
            [|label, _| label, |_, doc| (doc / 2) as f64, |label, doc| doc as f64 - label, |_, _| 0.0];
        site_of(30, &rankers, &clicks.into()).1
    }

    fn methods(interleaving: &str, multileaving: &str) -> MixingMethods {
        MixingMethods { interleaving: interleaving.parse().unwrap(), multileaving: multileaving.parse().unwrap() }
    }

    /// Duels, duels of an arm with itself, sets and stretches alone in turn; remembers its choices and outcomes.
    #[derive(Default)]
    struct Script {
        arms: Vec<Arm>,
        learnt: Vec<(u64, Vec<Arm>, Vec<bool>)>,
    }

    impl Policy for Script {
        fn arms(&self) -> usize {
            4
        }

        fn choose(&mut self, step: u64, _generator: &mut Generator) -> Choice<'_> {
            let arm = |number: u64| Arm((number % 4) as u32);
            let (first, second) = (arm(step / 5), arm(step / 5 + 1 + step / 7 % 3));
            match step % 5 {
                0 | 1 => {
                    self.arms = vec![first, second];
                    Choice::Duel(first, second)
                }
                2 => {
                    self.arms = vec![first, first];
                    Choice::Duel(first, first)
                }
                3 => {
                    self.arms = (0..4).map(|place| arm(step / 5 + place)).skip((step / 5 % 2) as usize).collect();
                    Choice::Set(&self.arms)
                }
                _ => Choice::Alone { arm: first, until: step + step / 5 % 3 },
            }
        }

        fn learn(&mut self, step: u64, feedback: Feedback<'_>) {
            let outcome = match feedback {
                Feedback::Duel { first_won, .. } => vec![first_won],
                Feedback::Set { wins } => {
                    let n = self.arms.len();
                    (0..n * n).filter(|pair| pair / n != pair % n).map(|pair| wins.beats(pair / n, pair % n)).collect()
                }
            };
            self.learnt.push((step, self.arms.clone(), outcome));
        }

        fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
            None
        }
    }

    /// The outcome of one impression from its key and the lists shown, as a server and its users would make it.
    fn served(site: &Site, methods: &MixingMethods, key: ImpressionKey, arms: &[Arm]) -> Vec<bool> {
        let query = key.query(site.queries());
        let lists: Vec<RankedList<'_>> = arms.iter().map(|arm| site.rankings().list(query, arm.index())).collect();
        let clicks = |shown: &[interleave::Doc]| {
            let mut luck = key.users();
            let mut user = site.user(query, &mut luck);
            let mut clicked = Vec::new();
            for (position, doc) in shown.iter().enumerate() {
                let seen = user(*doc);
                clicked.extend(seen.clicked.then_some(position));
                if seen.abandons {
                    break;
                }
            }
            clicked
        };
        match arms {
            [first, second] if first == second => vec![key.coin()],
            [_, _] => {
                let method = &methods.interleaving;
                let (shown, kept) = method.draw([lists[0], lists[1]], 5, &mut key.lists(), &mut Default::default());
                match method.credit(&kept, &clicks(&shown)).unwrap() {
                    Preference::First => vec![true],
                    Preference::Second => vec![false],
                    Preference::Tie => vec![key.coin()],
                }
            }
            _ => {
                let method = &methods.multileaving;
                let (shown, kept) = method.draw(&lists, 5, &mut key.lists(), &mut Default::default());
                let outcome = method.credit(&kept, &clicks(&shown)).unwrap();
                let mut wins = PairWins::default();
                match &outcome {
                    AnyOutcome::Scores(scores) => wins.set_scores(scores),
                    signs => set_pairs(signs, arms.len(), &mut wins),
                }
                wins.resolve_ties(&mut key.coins());
                let n = arms.len();
                (0..n * n).filter(|pair| pair / n != pair % n).map(|pair| wins.beats(pair / n, pair % n)).collect()
            }
        }
    }

    #[test]
    fn every_keyed_impression_can_be_repeated_alone() {
        let site = site();
        let names = (0..AnyInterleaving::NAMES.len().max(AnyMultileaving::NAMES.len())).map(|at| {
            let two = AnyInterleaving::NAMES[at % AnyInterleaving::NAMES.len()];
            (two, AnyMultileaving::NAMES[at % AnyMultileaving::NAMES.len()].replace("10000", "50"))
        });
        for (two, many) in names {
            let methods = methods(two, &many);
            let run = RunKey::new(7, 3);
            let mut arena = LiveArena::new(&site, &methods, &[0.0; 4], Generators::from_seed(1).policy, Some(run));
            let mut script = Script::default();
            play(&mut script, &mut arena, 600, &mut Generators::from_seed(2), &mut ());

            // The last first: no impression depends on another.
            for (step, arms, learnt) in script.learnt.iter().rev() {
                let again = served(&site, &methods, RunKey::new(7, 3).impression(*step), arms);
                assert_eq!(&again, learnt, "{two}, {many}, step {step}, {arms:?}");
            }
        }
    }

    /// Shares of wins and of ties differ by at most five standard errors of a difference of two shares; each share has a
    /// variance of at most 1/4 over n.
    #[test]
    fn keyed_outcomes_are_distributed_like_sequential_ones() {
        const IMPRESSIONS: u64 = 40_000;
        let site = site();
        for name in ["probabilistic", "team-draft", "balanced"] {
            let methods = methods(name, "sosm");
            let shares = |run: Option<RunKey>| {
                let streams = Generators::from_seed(5);
                let mut arena = LiveArena::new(&site, &methods, &[0.0; 4], streams.policy, run);
                let (mut generator, mut coins) = (streams.arena, streams.coins);
                let mut counts = [0.0; 3];
                for step in 1..=IMPRESSIONS {
                    assert_eq!(arena.start_step(step, &mut generator, &mut coins), run.is_some());
                    counts[match arena.duel(Arm(0), Arm(2), &mut generator) {
                        Preference::First => 0,
                        Preference::Second => 1,
                        Preference::Tie => 2,
                    }] += 1.0 / IMPRESSIONS as f64;
                }
                counts
            };
            let (sequential, keyed) = (shares(None), shares(Some(RunKey::new(1, 0))));
            let most = 5.0 * (2.0 * 0.25 / IMPRESSIONS as f64).sqrt();
            for (one, other) in sequential.into_iter().zip(keyed) {
                assert!((one - other).abs() < most, "{name}: {sequential:?}, {keyed:?}");
            }
            assert!(sequential.iter().all(|share| *share > 0.02), "{name}: {sequential:?}");
        }
    }

    /// Mean final regrets differ by at most five standard errors of their difference.
    #[test]
    fn curves_of_keyed_streams_agree_with_sequential_ones() {
        const RUNS: u64 = 64;
        let (_, site) =
            site_of_perfect_users(50, &[|label, doc| label + doc as f64, |_, doc| doc as f64, |_, doc| -(doc as f64)]);
        let methods =
            MixingMethods { interleaving: "probabilistic".parse().unwrap(), multileaving: "sosm".parse().unwrap() };
        for name in ["rucb", "self-sparring", "mdb"] {
            let spec: Spec = name.parse().unwrap();
            let [sequential, keyed] = [Streams::Sequential, Streams::Keyed].map(|streams| {
                let (site, methods, gaps) = (&site, &methods, &[0.0, 0.1, 0.2]);
                let arenas = LiveArenaFactory { site, methods, gaps, streams, content: streams.to_string() };
                let plan = RunPlan {
                    algorithm: &spec,
                    steps: 3_000,
                    seed: 1,
                    checkpoints: &[300, 3_000],
                    count_suboptimal: false,
                    evidence: None,
                };
                let played = play_runs(&arenas, &plan, &(0..RUNS).collect::<Vec<_>>(), &Progress::hidden()).unwrap();
                [0, 1].map(|at| {
                    let regrets: Vec<f64> = played.iter().map(|run| run.regret[at].average).collect();
                    let mean = regrets.iter().sum::<f64>() / RUNS as f64;
                    let squares: f64 = regrets.iter().map(|regret| (regret - mean).powi(2)).sum();
                    (mean, squares / ((RUNS - 1) * RUNS) as f64)
                })
            });
            for ((mean, square), (other, other_square)) in sequential.into_iter().zip(keyed) {
                let error = (square + other_square).sqrt();
                assert!((mean - other).abs() < 5.0 * error, "{name}: {mean}, {other}, ± {error}");
                // Otherwise the test could not distinguish them.
                assert!(error < 0.15 * mean, "{name}: {mean} ± {error}");
            }
        }
    }
}
