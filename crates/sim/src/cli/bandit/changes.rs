//! `--change`: preferences that jump or drift, arms that leave and enter.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use bandits::{Arm, PreferenceMatrix};
use clap::Args;
use output::numbers::{parse_positive, with_separators, with_unit};
use output::usage::usage;
use ranktypes::spec::nearest;
use ranktypes::text::escaped;

use studies::matrix_file;
use studies::results::Phase;

/// The number of steps of a drift that change something.
const SHIFT_STEPS: u64 = 100;

/// The possible changes beside the matrix.
const CHANGE_KINDS: [&str; 4] = ["reversed", "shift", "leave", "enter"];

/// Users who change.
#[derive(Debug, Args)]
#[command(next_help_heading = "Users who change")]
pub(super) struct ChangeOptions {
    /// Change the preferences at a step: `STEP:reversed` (the order of the arms), `STEP:shift=N` (arm i gets those of arm i +
    /// N), `STEP:FILE` (another matrix), `STEP:leave=ARM` (the arm loses every duel from there on) or `STEP:enter=ARM` (it
    /// is back). `FROM..TO:FILE` drifts there in a hundred equal parts; so do reversed and shift. May be given several times,
    /// in the order of time; arms are those that play, from 0
    ///
    /// Regret is then dynamic: each step is counted against the best arm of that step, and so is what is recommended. Changes
    /// build on each other, and every part needs a best arm by --regret.
    #[arg(long = "change", value_name = "STEP[..STEP]:WHAT")]
    changes: Vec<Change>,
}

/// A change.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    /// The first step that differs, and the first at which the change is complete.
    first_step: u64,
    last_step: u64,
    kind: ChangeKind,
    text: String,
}

#[derive(Debug, Clone, PartialEq)]
enum ChangeKind {
    Reversed,
    Shift(usize),
    Matrix(PathBuf),
    Leave(usize),
    Enter(usize),
}

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || format!("expected STEP:WHAT, e.g. 50000:reversed or 5e4..6e4:Q.txt, found `{}`", escaped(text));
        let (steps_text, change_text) =
            text.split_once(':').filter(|(_, change_text)| !change_text.is_empty()).ok_or_else(expected)?;
        let (from, to) = match steps_text.split_once("..") {
            Some((from, to)) => (parse_positive(from)?, parse_positive(to)?),
            None => {
                let step = parse_positive(steps_text)?;
                (step, step)
            }
        };
        if from > to {
            return Err(format!("a drift ends after it begins, found `{}`", escaped(steps_text)));
        }
        let number =
            |of: &str| of.parse::<usize>().map_err(|_| format!("expected a whole number, found `{}`", escaped(of)));
        let change_text = match change_text.split_once('=') {
            _ if change_text == "reversed" => ChangeKind::Reversed,
            Some(("shift", by)) => ChangeKind::Shift(number(by)?),
            Some(("leave", arm)) => ChangeKind::Leave(number(arm)?),
            Some(("enter", arm)) => ChangeKind::Enter(number(arm)?),
            // A file that is not there and is called nearly as a change is a slip.
            given
                if !Path::new(change_text).exists()
                    && let word = given.map_or(change_text, |(word, _)| word)
                    && let Some(near) = nearest(word, CHANGE_KINDS) =>
            {
                let example = match near {
                    "shift" => "shift=N",
                    "leave" | "enter" => &format!("{near}=ARM"),
                    other => other,
                };
                return Err(format!("unknown change `{}`; did you mean `{example}`?", escaped(change_text)));
            }
            _ => ChangeKind::Matrix(PathBuf::from(change_text)),
        };
        if from < to && matches!(change_text, ChangeKind::Leave(_) | ChangeKind::Enter(_)) {
            return Err(format!("an arm leaves or enters at one step, found `{}`", escaped(steps_text)));
        }
        Ok(Self { first_step: from, last_step: to, kind: change_text, text: text.to_owned() })
    }
}

impl ChangeOptions {
    pub(super) fn are_given(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Refuses changes that begin after the last step, and what assumes that nothing changes.
    pub(super) fn check(&self, steps: u64, explores: bool, evidence: bool) -> Result<()> {
        let Some(last) = self.changes.last() else { return Ok(()) };
        ensure!(
            !explores,
            usage(
                "--change does not apply to --setting explore-then-exploit, which asks for one best arm; leave one of them out"
            )
        );
        ensure!(
            !evidence,
            usage(
                "--change and --evidence, --stop-when or --compare-algorithms exclude each other: evidence is of preferences that stay as they are"
            )
        );
        ensure!(
            last.first_step <= steps,
            usage(format!(
                "--change {}: a run ends at step {}; change earlier, or choose more --steps",
                escaped(&last.text),
                with_separators(steps)
            ))
        );
        Ok(())
    }

    /// The phases of `matrix`, in the order of time. `selected` are the arms chosen from a larger matrix of `arm_count` arms.
    pub(super) fn phases(
        &self,
        matrix: &PreferenceMatrix,
        selected: Option<&[Arm]>,
        arm_count: usize,
        quiet: bool,
    ) -> Result<Vec<Phase>> {
        let arms = matrix.arms();
        let (mut base_matrix, mut absent_arms, mut phases) = (matrix.clone(), BTreeSet::new(), Vec::new());
        let mut previous_step = 0;
        for Change { first_step: from, last_step: to, kind: what, text } in &self.changes {
            let wrong = |why: String| usage(format!("--change {}: {why}", escaped(text)));
            ensure!(
                *from > previous_step,
                wrong(format!("changes come in the order of time, and the one before ends at step {previous_step}"))
            );
            previous_step = *to;
            let checked_arm = |arm: usize| {
                ensure!(arm < arms, wrong(format!("expected an arm from 0 to {}, found {arm}", arms - 1)));
                Ok(())
            };
            let next_matrix = match what {
                ChangeKind::Reversed => base_matrix.subset(&base_matrix.all_arms().rev().collect::<Vec<_>>())?,
                ChangeKind::Shift(by) => {
                    base_matrix.subset(&(0..arms).map(|arm| Arm::at((arm + by % arms) % arms)).collect::<Vec<_>>())?
                }
                ChangeKind::Matrix(path) => {
                    let target = matrix_file::read(path, quiet)?.matrix;
                    match selected {
                        Some(selected) if target.arms() == arm_count => target.subset(selected)?,
                        _ if target.arms() == arms => target,
                        _ => {
                            let arms_text = with_unit(target.arms() as u64, "arm");
                            return Err(wrong(format!("{arms} arms play, and that matrix has {arms_text}")));
                        }
                    }
                }
                ChangeKind::Leave(arm) => {
                    checked_arm(*arm)?;
                    ensure!(absent_arms.insert(*arm), wrong(format!("arm {arm} has left already")));
                    ensure!(absent_arms.len() < arms, wrong("no arm would be left".to_owned()));
                    base_matrix.clone()
                }
                ChangeKind::Enter(arm) => {
                    checked_arm(*arm)?;
                    ensure!(absent_arms.remove(arm), wrong(format!("arm {arm} has not left")));
                    base_matrix.clone()
                }
            };
            let piece_count = (to - from).clamp(1, SHIFT_STEPS);
            for step_index in 1..=piece_count {
                // A jump is a drift of one part, at its first step.
                // In 128 bits, because steps may be as many as 64 hold.
                let offset = u128::from(to - from) * u128::from(step_index - 1) / u128::from((piece_count - 1).max(1));
                let step = from + u64::try_from(offset).unwrap_or(u64::MAX);
                let share = step_index as f64 / piece_count as f64;
                let mixed = mixture(&base_matrix, &next_matrix, share)?;
                phases.push(Phase { from: step, change: text.clone(), matrix: without_arms(&mixed, &absent_arms)? });
            }
            base_matrix = next_matrix;
        }
        Ok(phases)
    }

    /// For titles, e.g. `changing at step 50,000`.
    pub(super) fn describe(&self) -> Option<String> {
        let first_change = self.changes.first()?;
        let remainder = match self.changes.len() {
            1 => String::new(),
            several => format!(" and {}", with_unit(several as u64 - 1, "more time")),
        };
        let until = if first_change.last_step > first_change.first_step {
            format!(" to {}", with_separators(first_change.last_step))
        } else {
            String::new()
        };
        Some(format!("changing at step {}{until}{remainder}", with_separators(first_change.first_step)))
    }
}

/// The matrix at `share` of the way from `from_matrix` to `to_matrix`.
fn mixture(from_matrix: &PreferenceMatrix, to_matrix: &PreferenceMatrix, share: f64) -> Result<PreferenceMatrix> {
    if share >= 1.0 {
        return Ok(to_matrix.clone());
    }
    let mixed = PreferenceMatrix::from_upper(from_matrix.arms(), |i, j| {
        (1.0 - share) * from_matrix.get(i, j) + share * to_matrix.get(i, j)
    });
    mixed.context("failed to mix two matrices")
}

/// The matrix in which the arms of `absent_arms` lose to all others.
fn without_arms(matrix: &PreferenceMatrix, absent_arms: &BTreeSet<usize>) -> Result<PreferenceMatrix> {
    if absent_arms.is_empty() {
        return Ok(matrix.clone());
    }
    let is_absent = |arm: Arm| absent_arms.contains(&arm.index());
    let p = |i: Arm, j: Arm| match (is_absent(i), is_absent(j)) {
        (false, false) => matrix.get(i, j),
        (true, false) => 0.0,
        (false, true) => 1.0,
        (true, true) => 0.5,
    };
    PreferenceMatrix::from_upper(matrix.arms(), p).context("failed to leave arms out")
}

#[cfg(test)]
mod tests {
    use bandits::problems;

    use super::*;

    fn options(changes: &[&str]) -> ChangeOptions {
        ChangeOptions { changes: changes.iter().map(|text| text.parse().expect(text)).collect() }
    }

    fn phases(changes: &[&str]) -> Result<Vec<Phase>> {
        options(changes).phases(&problems::arithmetic(4).expect("four arms"), None, 4, true)
    }

    #[test]
    fn changes_build_on_each_other() {
        let first = |phase: &Phase| (0..4).map(|j| phase.matrix.get(Arm(0), Arm(j))).collect::<Vec<_>>();
        let all = phases(&["10:leave=0", "20:reversed", "1e2:enter=0", "200:shift=1", "300:shift=5"]).expect("changes");
        assert_eq!(all.iter().map(|phase| phase.from).collect::<Vec<_>>(), [10, 20, 100, 200, 300]);
        assert_eq!(first(&all[0]), [0.5, 0.0, 0.0, 0.0]);
        // Arm 0 is still away; when it is back it is the worst of the reversed order.
        assert_eq!(first(&all[1]), [0.5, 0.0, 0.0, 0.0]);
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        close(first(&all[2]), [0.5, 0.45, 0.4, 0.35]);
        // The old arm 1 of the reversed order, third of four.
        close(first(&all[3]), [0.5, 0.45, 0.4, 0.55]);
        // Five places of four are one more.
        close(first(&all[4]), [0.5, 0.45, 0.6, 0.55]);
    }

    #[test]
    fn a_drift_arrives_in_equal_parts() {
        let all = phases(&["1001..2000:reversed"]).expect("a drift");
        assert_eq!((all.len(), all[0].from, all[99].from), (100, 1001, 2000));
        assert!(all.windows(2).all(|pair| pair[0].from < pair[1].from));
        let p = |at: usize| all[at].matrix.get(Arm(0), Arm(3));
        // From .65 to .35.
        assert!((p(0) - 0.647).abs() < 1e-9 && (p(49) - 0.5).abs() < 1e-9 && (p(99) - 0.35).abs() < 1e-9, "{}", p(49));
        let short = phases(&["5..7:reversed"]).expect("a drift");
        assert_eq!(short.iter().map(|phase| phase.from).collect::<Vec<_>>(), [5, 7]);
        assert_eq!(phases(&["5..6:reversed"]).expect("a drift").len(), 1);
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_one_line() {
        for (text, why) in [
            ("reversed", "expected STEP:WHAT, e.g. 50000:reversed or 5e4..6e4:Q.txt, found `reversed`"),
            ("0:reversed", "expected at least 1"),
            ("9..3:reversed", "a drift ends after it begins, found `9..3`"),
            ("5:leave=x", "expected a whole number, found `x`"),
            ("5..9:leave=1", "an arm leaves or enters at one step, found `5..9`"),
        ] {
            assert_eq!(text.parse::<Change>(), Err(why.to_owned()), "{text}");
        }
        for (changes, why) in [
            (&["5:leave=4"][..], "--change 5:leave=4: expected an arm from 0 to 3, found 4"),
            (&["5:enter=1"], "--change 5:enter=1: arm 1 has not left"),
            (&["5:leave=1", "6:leave=1"], "--change 6:leave=1: arm 1 has left already"),
            (
                &["5..9:reversed", "7:shift=1"],
                "--change 7:shift=1: changes come in the order of time, and the one before ends at step 9",
            ),
            (&["5:leave=0", "6:leave=1", "7:leave=2", "8:leave=3"], "--change 8:leave=3: no arm would be left"),
        ] {
            assert_eq!(phases(changes).map(|phases| phases.len()).unwrap_err().to_string(), why);
        }
        let check =
            |explores, evidence| options(&["2e3:reversed"]).check(1_000, explores, evidence).unwrap_err().to_string();
        assert!(check(true, false).contains("explore-then-exploit") && check(false, true).contains("--evidence"));
        assert_eq!(
            check(false, false),
            "--change 2e3:reversed: a run ends at step 1,000; change earlier, or choose more --steps"
        );
    }
}
