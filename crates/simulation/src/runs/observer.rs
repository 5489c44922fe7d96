//! The observer of all runs: regret and recommendations at checkpoints, evidence, progress.

use bandits::{Arm, Choice, Observer, PairWins, Preference, Recorder};
use output::progress::Progress;

use super::evidence::EvidenceRecorder;
use super::{RunPlan, RunResult};

/// Records a run and advances the progress bar at intervals.
///
/// All studies share this type: the run loop is compiled for every policy and every kind of arena, and would be
/// compiled again for every type of observer.
pub(super) struct RunObserver<'a> {
    recorder: Recorder,
    suboptimal: Option<SuboptimalSteps>,
    /// The last stretch in which an arm played alone: the arm, the first step and the last.
    single_arm: Option<(Arm, u64, u64)>,
    evidence: Option<Box<EvidenceRecorder>>,
    /// Outcomes come after the step is [played](Observer::played): the evidence is looked at later.
    is_late: bool,
    /// The next step after which the recommendation is wanted; 0 once the evidence ends the run.
    next_report: u64,
    /// The arm that the policy recommended last.
    recommended: Option<Arm>,
    progress: &'a Progress,
    progress_step: u64,
    progress_interval: u64,
}

/// Counts suboptimal steps as the regret over gaps that are 0 for optimal arms and 1 for all others.
struct SuboptimalSteps {
    recorder: Recorder,
    gaps: Vec<f64>,
}

/// The most steps between two updates of the progress bar: a few milliseconds of work.
const MAX_PROGRESS_INTERVAL: u64 = 1 << 15;

/// The most pairs of arms that policies look at between two updates, if they look at all of them in each step: seconds of work.
const PAIRS_BETWEEN: u64 = 1 << 33;

fn progress_interval(arms: usize) -> u64 {
    let pairs = (arms as u64).saturating_pow(2).max(1);
    (PAIRS_BETWEEN / pairs).clamp(1, MAX_PROGRESS_INTERVAL)
}

impl<'a> RunObserver<'a> {
    pub(super) fn new(
        plan: &RunPlan<'_>,
        gaps: &[f64],
        evidence: Option<Box<EvidenceRecorder>>,
        progress: &'a Progress,
    ) -> Self {
        let recorder = || Recorder::new(plan.checkpoints.to_vec());
        let suboptimal = plan.count_suboptimal.then(|| SuboptimalSteps {
            recorder: recorder(),
            gaps: gaps.iter().map(|gap| f64::from(u8::from(*gap > 0.0))).collect(),
        });
        let recorder = recorder().with_bests();
        let next_report = recorder.next_report();
        Self {
            recorder,
            suboptimal,
            single_arm: None,
            evidence,
            is_late: false,
            next_report,
            recommended: None,
            progress,
            progress_step: 0,
            progress_interval: progress_interval(gaps.len()),
        }
    }

    /// Ends the run after step `step` if the evidence of the outcomes known by then is enough.
    #[inline]
    fn look(&mut self, step: u64) {
        if let Some(evidence) = &mut self.evidence
            && evidence.stops_after(step)
        {
            self.next_report = 0;
        }
    }

    /// For a run with late outcomes.
    pub(super) fn with_late_outcomes(self) -> Self {
        Self { is_late: true, ..self }
    }

    /// After `played` of `steps` steps; if there are fewer, the evidence has ended the run.
    pub(super) fn finish(mut self, played: u64, steps: u64, gaps: &[f64], seconds: f64) -> RunResult {
        if played < steps
            && let Some(evidence) = &self.evidence
        {
            let arm = evidence.arm_after_stop(self.recommended);
            let choice = Choice::Alone { arm, until: steps };
            self.recorder.played(played + 1, steps, choice, gaps);
            self.recorder.report(steps, Some(arm));
            if let Some(SuboptimalSteps { recorder, gaps }) = &mut self.suboptimal {
                recorder.played(played + 1, steps, choice, gaps);
            }
        }
        self.progress.advance(steps - self.progress_step);
        RunResult {
            regret: self.recorder.curve().to_vec(),
            recommended: self.recorder.bests().to_vec(),
            suboptimal: self.suboptimal.map_or_else(Vec::new, |steps| steps.recorder.curve().to_vec()),
            alone_since: self.single_arm.filter(|(_, _, to)| *to == steps).map(|(_, from, _)| from),
            evidence: self.evidence.map(|evidence| evidence.finish()),
            answers: None,
            seconds,
        }
    }
}

impl Observer for RunObserver<'_> {
    #[inline]
    fn played(&mut self, first_step: u64, last_step: u64, choice: Choice<'_>, gaps: &[f64]) {
        self.recorder.played(first_step, last_step, choice, gaps);
        if let Some(SuboptimalSteps { recorder, gaps }) = &mut self.suboptimal {
            recorder.played(first_step, last_step, choice, gaps);
        }
        if let Choice::Alone { arm, .. } = choice {
            // A stretch may continue the one before.
            self.single_arm = match self.single_arm {
                Some((before, since, until)) if before == arm && until + 1 == first_step => {
                    Some((arm, since, last_step))
                }
                _ => Some((arm, first_step, last_step)),
            };
        }
        if !self.is_late {
            self.look(last_step);
        }
        if last_step - self.progress_step >= self.progress_interval {
            self.progress.advance(last_step - self.progress_step);
            self.progress_step = last_step;
        }
    }

    #[inline]
    fn dueled(&mut self, first: Arm, second: Arm, outcome: Preference) {
        if let Some(evidence) = &mut self.evidence {
            evidence.record_duel(first, second, outcome);
        }
    }

    #[inline]
    fn multi_dueled(&mut self, arms: &[Arm], wins: &PairWins) {
        if let Some(evidence) = &mut self.evidence {
            evidence.record_set(arms, wins);
        }
    }

    #[inline]
    fn caught_up(&mut self, step: u64) {
        self.look(step);
    }

    fn stop(&mut self) -> bool {
        self.next_report == 0
    }

    #[inline]
    fn next_report(&self) -> u64 {
        self.next_report
    }

    fn report(&mut self, step: u64, best: Option<Arm>) {
        self.recommended = best;
        self.recorder.report(step, best);
        if self.next_report > 0 {
            self.next_report = self.recorder.next_report();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::progress_interval;

    /// A step of DTS among ten thousand arms takes a tenth of a second: a report after 32,768 steps takes nearly an hour.
    #[test]
    fn slow_steps_are_reported_in_seconds() {
        assert_eq!([2, 512, 10_000, 200_000].map(progress_interval), [1 << 15, 1 << 15, 85, 1]);
    }
}
