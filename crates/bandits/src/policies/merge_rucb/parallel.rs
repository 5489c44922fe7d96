//! mergeRUCB played in parallel: as its batches are independent, each sends a pair into
//! the same sweep, before any outcome of the sweep is known.
//!
//! A sweep that begins at step t, with u as in [mergeRUCB](super):
//!
//! 1. each batch drops every arm k with u(k, l) < 1/2 for an arm l of the batch;
//! 2. where no more than K / 2^S arms are left in stage S, batches are merged, and stage S + 1
//!    begins; batches that were merged drop arms again;
//! 3. each batch draws its champion c, and the other arm d with the highest u(d, c) is the
//!    challenger;
//! 4. all these pairs meet, one per step, and then all outcomes are learnt.
//!
//! ## References
//!
//! M. Zoghi, S. Whiteson, M. de Rijke, "MergeRUCB: A Method for Large-Scale Online Ranker
//! Evaluation", WSDM 2015, <https://doi.org/10.1145/2684822.2685290>; a footnote says that
//! batches may be played in parallel.
//!
//! ## Notes
//!
//! * What differs from playing batches in turn: t is that of the sweep's beginning for all of
//!   them, and batches merge only between sweeps.
//! * Steps are still counted per duel, so that curves can be laid over those of other policies.
//! * With late outcomes the next sweep begins once all pairs of one have been sent.
//! * Batches of one arm send no pair. All else is as in [mergeRUCB](super), variants included.

use super::batches::Batches;
use super::{MergeRucbConfig, Variant};
use crate::algorithm::papers;
use crate::policies::merging::{DelayedLogTime, MergingParameters, Stages};
use crate::random::below;
use crate::{
    Arm, Choice, DelayedFeedback, Feedback, Generator, ParameterError, Policy, config, plain, state, stored, takes_late,
};

config! {
    /// The parameters of mergeRUCB.
    pub struct MergeRucbParallelConfig {
        /// Which of the published rules.
        variant: Variant = Variant::Lerot, "paper or lerot";
        /// Width of the confidence bounds, above 1/2 (any positive number where `c` is given).
        alpha: f64 = 1.01, "width of the bounds, above 1/2";
        /// The size of the first batches, p: at least 2, and 4 in theory.
        batch as "p": usize = 4, "size of the first batches";
        /// The probability with which the best arm may be lost, in (0, 1).
        delta: f64 = MergingParameters::DEFAULT_DELTA, "probability of losing the best arm";
        /// C(delta) itself; overrides `delta`.
        c: Option<f64> = None, "C(delta) itself, instead of delta";
    }

    policy MergeRucbParallel {
        name: "mergerucb-parallel",
        summary: "mergeRUCB, all batches at once (Zoghi et al., WSDM 2015): outcomes sweep by sweep",
        paper: papers::ZOGHI_WSDM_2015,
        variants: [("variant=paper", "as printed")],
        own_loop: true,
    }

    fn check_together(&self) -> Result<(), ParameterError> {
        self.one_by_one().check_together()
    }

    fn warn_together(&self) -> Option<String> {
        self.one_by_one().warn_together()
    }

    fn build(&self, arms: usize, _horizon: Option<u64>) -> MergeRucbParallel {
        MergeRucbParallel::new(&self.one_by_one(), arms)
    }

    takes_late!();
}

impl MergeRucbParallelConfig {
    /// mergeRUCB with these parameters, which plays one batch after the other.
    fn one_by_one(&self) -> MergeRucbConfig {
        let Self { variant, alpha, batch, delta, c } = self.clone();
        MergeRucbConfig { variant, alpha, batch, delta, c }
    }
}

/// A pair of a sweep: places within their batch, and the winner.
#[derive(Debug, Clone, Copy)]
struct SweepPair {
    places: [usize; 2],
    arms: [Arm; 2],
    first_won: bool,
    /// Its outcome came while others of the sweep had not met, and is yet to be learnt.
    known: bool,
}

plain!(SweepPair { places, arms, first_won, known });

/// mergeRUCB in sweeps.
#[derive(Debug, Clone)]
pub struct MergeRucbParallel {
    clock: DelayedLogTime,
    stages: Stages,
    batches: Batches,
    /// How many batches have two arms or more.
    meeting: usize,
    started: bool,
    /// The pairs of this sweep, a batch each, and how many have met.
    sweep: Vec<SweepPair>,
    played: usize,
    /// The step at which the sweep began.
    since: u64,
}

state!(MergeRucbParallel { clock, stages, batches, meeting, started, sweep, played, since });

impl MergeRucbParallel {
    fn new(config: &MergeRucbConfig, arms: usize) -> Self {
        let lerot = config.variant == Variant::Lerot;
        let batches = Batches::new(arms, config.batch, lerot);
        Self {
            clock: config.clock(arms),
            stages: Stages::new(arms, config.batch, lerot),
            meeting: batches.len(),
            sweep: Vec::with_capacity(batches.len()),
            batches,
            started: false,
            played: 0,
            since: 0,
        }
    }

    /// The stage, from 1.
    #[must_use]
    pub fn stage(&self) -> u32 {
        self.stages.stage()
    }

    /// How many arms are left.
    #[must_use]
    pub fn survivors(&self) -> usize {
        self.batches.arms_left()
    }

    /// Step 1: every batch drops the arms it can, and leaves the ring if one arm is left.
    fn drop_losers(&mut self, time: f64) {
        for _ in 0..self.meeting {
            if self.batches.may_drop(time) {
                self.batches.drop_losers(time, &mut self.stages.beaten);
            }
            if self.batches.size() > 1 {
                self.batches.advance();
            } else {
                self.batches.retire();
                self.meeting -= 1;
            }
        }
    }

    /// Steps 1 to 3.
    fn begin_sweep(&mut self, step: u64, generator: &mut Generator) {
        self.learn_known();
        self.since = step;
        if !self.started {
            self.started = true;
            if let Some(order) = self.stages.order(generator) {
                self.batches.rename(&order);
            }
        }
        let time = self.clock.at(step);
        self.drop_losers(time);
        // If every batch is down to one arm they merge immediately.
        while self.batches.len() > 1 && (self.stages.is_stage_over(self.batches.arms_left()) || self.meeting == 0) {
            self.stages.merge(&mut self.batches, generator);
            self.meeting = self.batches.len();
            self.drop_losers(time);
        }
        self.sweep.clear();
        self.played = 0;
        for _ in 0..self.meeting {
            let champion = below(generator, self.batches.size());
            let challenger = self.batches.challenger(champion, time.sqrt(), generator);
            self.sweep.push(SweepPair {
                places: [champion, challenger],
                arms: [self.batches.arm(champion), self.batches.arm(challenger)],
                first_won: false,
                known: false,
            });
            self.batches.advance();
        }
    }

    /// Learns the outcomes that came while others of the sweep had not met.
    fn learn_known(&mut self) {
        for pair in &mut self.sweep {
            if std::mem::take(&mut pair.known) {
                self.batches.arrive(&pair.arms, Some(pair.first_won));
            }
        }
    }

    /// The end of step 4.
    fn learn_all(&mut self) {
        for pair in &self.sweep {
            let [champion, challenger] = pair.places;
            self.batches.record(champion, challenger, pair.first_won);
            self.batches.advance();
        }
    }
}

impl Policy for MergeRucbParallel {
    fn arms(&self) -> usize {
        self.stages.arms()
    }

    fn choose(&mut self, step: u64, generator: &mut Generator) -> Choice<'_> {
        if self.played == self.sweep.len() {
            self.begin_sweep(step, generator);
        }
        match self.sweep.get(self.played) {
            Some(pair) => Choice::Duel(pair.arms[0], pair.arms[1]),
            None => Choice::Alone { arm: self.batches.arm(0), until: u64::MAX },
        }
    }

    fn learn(&mut self, _step: u64, feedback: Feedback<'_>) {
        let Feedback::Duel { first_won, .. } = feedback else {
            return;
        };
        self.sweep[self.played].first_won = first_won;
        self.played += 1;
        if self.played == self.sweep.len() {
            self.learn_all();
        }
    }

    fn recommend(&self, generator: &mut Generator) -> Option<Arm> {
        self.stages.copeland_best(&self.batches, generator)
    }

    stored!();
}

/// With late outcomes, the next sweep begins once all pairs of one have been sent, with their open duels counted in the
/// bounds that choose.
impl DelayedFeedback for MergeRucbParallel {
    fn depart(&mut self, arms: &[Arm]) {
        self.batches.depart(arms);
        self.played += 1;
    }

    fn arrive(&mut self, step: u64, arms: &[Arm], feedback: Option<Feedback<'_>>) {
        let first_won = match feedback {
            Some(Feedback::Duel { first_won, .. }) => Some(first_won),
            _ => None,
        };
        let sent = self.played == self.sweep.len();
        if sent {
            self.learn_known();
        } else if let Some(first_won) = first_won
            && let Some(place) = step.checked_sub(self.since)
        {
            // One pair per step.
            let pair = &mut self.sweep[place as usize];
            pair.known = true;
            pair.first_won = first_won;
            return;
        }
        self.batches.arrive(arms, first_won);
    }
}
