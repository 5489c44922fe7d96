//! mergeRUCB played in parallel: as its batches know nothing of each other, each sends a pair into
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
//! Evaluation", WSDM 2015, <https://doi.org/10.1145/2684822.2685290>, of which a footnote says that
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
use crate::algorithm::{papers, takes_late};
use crate::late::Late;
use crate::policies::merging::{DelayedLogTime, Merging as _, Stages, copeland_best, shuffled};
use crate::random::below;
use crate::state::{plain, state, stored};
use crate::{Arm, Choice, Feedback, Generator, Paper, Parameter, ParameterError, ParameterValue, Policy, PolicyConfig};

/// The parameters of mergeRUCB.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MergeRucbParallelConfig(pub MergeRucbConfig);

impl PolicyConfig for MergeRucbParallelConfig {
    const NAME: &'static str = "mergerucb-parallel";
    const SUMMARY: &'static str = "mergeRUCB, all batches at once (Zoghi et al., WSDM 2015): outcomes sweep by sweep";
    const PAPER: Option<Paper> = Some(papers::ZOGHI_WSDM_2015);
    const VARIANTS: &'static [(&'static str, &'static str)] = &[("variant=paper", "as printed")];
    const OWN_LOOP: bool = true;
    type Policy = MergeRucbParallel;

    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters()
    }

    fn parameter_mut(&mut self, key: &str) -> Option<&mut dyn ParameterValue> {
        self.0.parameter_mut(key)
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }

    fn warning(&self) -> Option<String> {
        let warning = self.0.warning()?;
        Some(warning.replacen(MergeRucbConfig::NAME, Self::NAME, 1))
    }

    fn policy(&self, arms: usize, horizon: u64) -> Result<MergeRucbParallel, ParameterError> {
        self.check_for(arms, horizon)?;
        let lerot = self.0.variant == Variant::Lerot;
        let batches = Batches::new(arms, self.0.batch, lerot);
        Ok(MergeRucbParallel {
            lerot,
            p: self.0.batch,
            clock: self.0.clock(arms),
            arms,
            stages: Stages::new(arms, lerot),
            meeting: batches.len(),
            sweep: Vec::with_capacity(batches.len()),
            batches,
            started: false,
            played: 0,
            since: 0,
            beaten: vec![0; arms],
        })
    }

    takes_late!();
}

/// A pair of a sweep: places within their batch, and the winner.
#[derive(Debug, Clone, Copy)]
struct Pair {
    places: [usize; 2],
    arms: [Arm; 2],
    first_won: bool,
    /// Its outcome came while others of the sweep had not met, and is yet to be learnt.
    known: bool,
}

plain!(Pair { places, arms, first_won, known });

/// mergeRUCB in sweeps.
#[derive(Debug, Clone)]
pub struct MergeRucbParallel {
    lerot: bool,
    p: usize,
    clock: DelayedLogTime,
    arms: usize,
    stages: Stages,
    batches: Batches,
    /// How many batches have two arms or more.
    meeting: usize,
    started: bool,
    /// The pairs of this sweep, a batch each, and how many have met.
    sweep: Vec<Pair>,
    played: usize,
    /// The step at which the sweep began.
    since: u64,
    /// How many arms each arm had beaten when they were dropped.
    beaten: Vec<u32>,
}

state!(MergeRucbParallel { clock, stages, batches, meeting, started, sweep, played, since, beaten } but { lerot, p, arms });

impl MergeRucbParallel {
    /// The stage, from 1.
    #[must_use]
    pub fn stage(&self) -> u32 {
        self.stages.current
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
                self.batches.drop_losers(time, &mut self.beaten);
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
            if self.lerot {
                self.batches.rename(&shuffled(self.arms, generator));
            }
        }
        let time = self.clock.at(step);
        self.drop_losers(time);
        // If every batch is down to one arm they merge immediately.
        while self.batches.len() > 1 && (self.stages.ends(self.batches.arms_left()) || self.meeting == 0) {
            self.batches.merge(self.p, generator);
            self.stages.current += 1;
            self.meeting = self.batches.len();
            self.drop_losers(time);
        }
        self.sweep.clear();
        self.played = 0;
        for _ in 0..self.meeting {
            let champion = below(generator, self.batches.size());
            let challenger = self.batches.challenger(champion, time.sqrt(), generator);
            self.sweep.push(Pair {
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
        self.arms
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
        copeland_best(self.arms, &self.batches.beaten(&self.beaten), generator)
    }

    stored!();
}

/// With late outcomes, the next sweep begins once all pairs of one have been sent, with their open duels counted in the
/// bounds that choose.
impl Late for MergeRucbParallel {
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
