//! Users who remember one of finitely many states: the general form of models of your own.
//!
//! In state `s`, a document of grade `g` is clicked with P(click | s, g). The user then leaves with P(leave | s, g, clicked or
//! not), or goes on in a state that depends on the same three. A state can be a rank, the distance to the last click, the number
//! of clicks so far, a kind of user, or any combination.
//!
//! ## References
//!
//! - A. Chuklin, I. Markov, M. de Rijke. *Click models for web search.* Morgan & Claypool 2015: click models as probabilities
//!   that depend on the documents and clicks above. <https://doi.org/10.2200/S00654ED1V01Y201507ICR043>
//!
//! ## Notes
//!
//! - Every model with probabilities that depend on the documents and clicks above can be written in this way, including the
//!   other four here.
//! - Users of several kinds start in different states, which one is drawn at the first document; unobserved properties of a user,
//!   such as the kind, are part of the state.
//! - A model of one state without an end is memoryless, and makes the same draws as the dependent click model.

use std::fmt;

use rand::Rng;

use crate::error::{ClickError, ClickErrorKind};
use crate::labels::{FractionalLabels, Grading, MAX_GRADES};
use crate::probability::{draw_threshold, high_bits_below, low_bits_below};
use crate::settings::{ModelSpec, Settings};
use crate::user::{ClickModel, CompiledClickModel, ProbabilityTable, User};
use crate::{Examination, Generator, Grade};

/// The reaction of a user in one state to a document of one grade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// P(click).
    pub click: f64,
    /// P(leave) without and with a click.
    pub leave: [f64; 2],
    /// The state, from 0, of a user who stays without and with a click; `None`: there is nothing to stay for, and the user
    /// leaves.
    pub next: [Option<u32>; 2],
}

/// A click model of finitely many states; see the [front page](crate#click-models).
///
/// ```
/// use clicks::{ClickModel, CompiledClickModel, FiniteStateModel, FractionalLabels, Generator, Reaction, User};
/// use rand::SeedableRng;
///
/// // Users click on relevant documents until they have two of them: state 1 after the first click.
/// let wanted = |click, next| Reaction { click, leave: [0.0, 0.0], next };
/// let two = [
///     [wanted(0.0, [Some(0), None]), wanted(1.0, [None, Some(1)])],
///     [wanted(0.0, [Some(1), None]), wanted(1.0, [None, None])],
/// ];
/// let model = FiniteStateModel::new("two", 2, vec![(0, 1.0)], two.concat())?;
/// let (compiled, grades) = model.prepare(&[0.0, 1.0], FractionalLabels::Round)?;
/// let (mut user, mut generator) = (compiled.user(), Generator::seed_from_u64(1));
/// let seen = [1, 0, 1].map(|label| user.examine(grades[label], &mut generator));
/// assert_eq!(seen.map(|document| document.clicked), [true, false, true]);
/// assert_eq!(seen.map(|document| document.abandons), [false, false, true]);
/// # Ok::<(), clicks::ClickError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FiniteStateModel {
    name: String,
    grades: usize,
    /// States that users start in, with their shares.
    starts: Vec<(u32, f64)>,
    /// By state, then by grade.
    reactions: Vec<Reaction>,
}

impl FiniteStateModel {
    /// A model called `name` for grades from 0 to below `grades`, from the states that users `start` in with the share of such
    /// users, and from the `reactions` by state, then by grade.
    ///
    /// # Errors
    /// For tables of other lengths, states that do not exist, numbers that are not probabilities, and shares that do not add
    /// up to 1.
    pub fn new(
        name: &str,
        grades: usize,
        starts: Vec<(u32, f64)>,
        reactions: Vec<Reaction>,
    ) -> Result<Self, ClickError> {
        let fail = |kind, reason: String| Err(ClickError::new(kind, format!("click model {name:?}: {reason}")));
        if grades == 0 || grades > MAX_GRADES || reactions.is_empty() || !reactions.len().is_multiple_of(grades) {
            let reason = format!("{} reactions for {grades} grades; give one per state and grade", reactions.len());
            return fail(ClickErrorKind::Grades, reason);
        }
        let states = reactions.len() / grades;
        let unknown = |state: u32| state as usize >= states;
        for (at, reaction) in reactions.iter().enumerate() {
            let place = format!("in state {} for grade {}", at / grades, at % grades);
            let [stay, clicked] = reaction.leave;
            for (what, p) in [("click", reaction.click), ("leave | no click", stay), ("leave | click", clicked)] {
                if !(0.0..=1.0).contains(&p) {
                    let reason = format!("P({what}) {place} is {p}; give probabilities from 0 to 1");
                    return fail(ClickErrorKind::Probability, reason);
                }
            }
            if let Some(state) = reaction.next.into_iter().flatten().find(|&state| unknown(state)) {
                return fail(ClickErrorKind::Setting, format!("{place} state {state} is next, but there are {states}"));
            }
        }
        if let Some(&(state, _)) = starts.iter().find(|&&(state, _)| unknown(state)) {
            return fail(ClickErrorKind::Setting, format!("users start in state {state}, but there are {states}"));
        }
        let total = starts.iter().fold(0.0, |sum, (_, share)| sum + share);
        if starts.iter().any(|(_, share)| !(0.0..=1.0).contains(share)) || (total - 1.0).abs() > 1e-9 {
            let reason = format!("the shares of users add up to {total}; give shares from 0 to 1 that add up to 1");
            return fail(ClickErrorKind::Probability, reason);
        }
        Ok(Self { name: name.to_owned(), grades, starts, reactions })
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.reactions.len() / self.grades
    }

    /// Whether users forget everything: one state without an end.
    fn is_memoryless(&self) -> bool {
        self.states() == 1 && self.reactions.iter().all(|reaction| reaction.next == [Some(0); 2])
    }

    fn table(&self, name: &'static str, value: impl Fn(&Reaction) -> f64) -> ProbabilityTable {
        ProbabilityTable::by_state_and_grade(name, self.reactions.iter().map(value).collect())
    }
}

/// The model's name: there is no text form.
impl fmt::Display for FiniteStateModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The model is its own specification.
impl ModelSpec for FiniteStateModel {
    type Model = Self;

    const NAME: &'static str = "";

    fn from_settings(_settings: Settings) -> Result<Self, ClickError> {
        let reason = "finite-state models have no text form; make them of numbers";
        Err(ClickError::new(ClickErrorKind::Setting, reason.to_owned()))
    }

    fn resolve(&self, _max_label: f32) -> Result<Self, ClickError> {
        Ok(self.clone())
    }
}

impl ClickModel for FiniteStateModel {
    type Compiled = CompiledFiniteStateModel;

    fn name(&self) -> &str {
        &self.name
    }

    /// P(click) and P(leave | click) by state and grade, and where they matter P(leave | no click), the next states (-1:
    /// none), and the states that users start in with their shares.
    fn tables(&self) -> Vec<ProbabilityTable> {
        let mut tables = vec![self.table("click", |at| at.click), self.table("stop", |at| at.leave[1])];
        if self.reactions.iter().any(|at| at.leave[0] > 0.0) {
            tables.push(self.table("leave without a click", |at| at.leave[0]));
        }
        if !self.is_memoryless() {
            let state = |next: Option<u32>| next.map_or(-1.0, f64::from);
            tables.push(self.table("next state after a click", |at| state(at.next[1])));
            tables.push(self.table("next state without a click", |at| state(at.next[0])));
            let starts = self.starts.iter().flat_map(|&(state, share)| [f64::from(state), share]).collect();
            tables.push(ProbabilityTable::by_start("first state and share", starts));
        }
        tables
    }

    /// The probabilities of a label between two grades lie between theirs.
    ///
    /// # Errors
    /// Those of every model, and for a label between two grades after which users go on in different states.
    fn prepare(&self, labels: &[f32], rule: FractionalLabels) -> Result<(Self::Compiled, Vec<Grade>), ClickError> {
        let grading = Grading::new(&self.name, self.grades, labels, rule)?;
        let mut steps = Vec::new();
        for (state, own) in self.reactions.chunks_exact(self.grades).enumerate() {
            let interpolate = |value: fn(&Reaction) -> f64| {
                let values = grading.interpolate(&own.iter().map(value).collect::<Vec<_>>());
                values.into_iter().map(draw_threshold)
            };
            let leaves = interpolate(|at| at.leave[0]).zip(interpolate(|at| at.leave[1]));
            let mut nexts: Vec<_> = own.iter().map(|reaction| reaction.next).collect();
            for (label, below) in grading.between() {
                let [low, high] = [below, below + 1].map(|grade| own[grade].next);
                let [stay, clicked] = [0, 1].map(|at| state_between_grades(low[at], high[at]));
                let (Some(stay), Some(clicked)) = (stay, clicked) else {
                    let message = format!(
                        "click model {:?}: users in state {state} go on in different states after grades {below} and {}, and \
                         label {label} lies between; round the labels instead",
                        self.name,
                        below + 1
                    );
                    return Err(ClickError::new(ClickErrorKind::Label, message));
                };
                nexts.push([stay, clicked]);
            }
            let each = interpolate(|at| at.click).zip(leaves).zip(nexts);
            steps.extend(each.map(|((click, (stay, clicked)), next)| CompiledReaction {
                click,
                leave: [stay, clicked],
                next: next.map(|state| state.unwrap_or(END_STATE)),
            }));
        }
        let mut below = 0.0;
        let starts = self.starts.iter().map(|&(state, share)| {
            below += share;
            (state, draw_threshold(below))
        });
        let starts = starts.collect();
        let grades = steps.len() / self.states();
        let compiled = CompiledFiniteStateModel { grades, starts, steps, is_memoryless: self.is_memoryless() };
        Ok((compiled, grading.grades))
    }
}

/// The next state of a label between two grades; outside `None` where they disagree. An end is no other state.
fn state_between_grades(low: Option<u32>, high: Option<u32>) -> Option<Option<u32>> {
    match (low, high) {
        (Some(low), Some(high)) => (low == high).then_some(Some(low)),
        (low, high) => Some(low.or(high)),
    }
}

/// The state of users who have left.
const END_STATE: u32 = u32::MAX;
/// The state of users who have not seen a document.
const NEW_STATE: u32 = u32::MAX - 1;

/// A [`Reaction`], with probabilities in units of 2^-32.
#[derive(Debug, Clone, Copy)]
struct CompiledReaction {
    click: u64,
    leave: [u64; 2],
    next: [u32; 2],
}

/// A [`FiniteStateModel`] compiled for one data set.
#[derive(Debug, Clone)]
pub struct CompiledFiniteStateModel {
    grades: usize,
    /// First states, each with the share of users up to it, in units of 2^-32.
    starts: Vec<(u32, u64)>,
    /// By state, then by grade.
    steps: Vec<CompiledReaction>,
    is_memoryless: bool,
}

impl CompiledClickModel for CompiledFiniteStateModel {
    type User<'a> = FiniteStateUser<'a>;

    #[inline]
    fn user(&self) -> FiniteStateUser<'_> {
        let state = match self.starts[..] {
            [(only, _)] => only,
            _ => NEW_STATE,
        };
        FiniteStateUser { model: self, state }
    }

    fn is_memoryless(&self) -> bool {
        self.is_memoryless
    }
}

/// A user of the [`FiniteStateModel`], with the present state.
#[derive(Debug, Clone, Copy)]
pub struct FiniteStateUser<'a> {
    model: &'a CompiledFiniteStateModel,
    state: u32,
}

impl User for FiniteStateUser<'_> {
    /// Draws one number: its upper half decides the click, its lower half whether the user leaves. At the first document, it
    /// draws one more before, if users start in several states.
    #[inline]
    fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination {
        let CompiledFiniteStateModel { grades, starts, steps, .. } = self.model;
        if self.state == NEW_STATE {
            let draw = generator.next_u64();
            let drawn = starts.iter().find(|&&(_, share)| high_bits_below(draw, share)).or(starts.last());
            self.state = drawn.map_or(END_STATE, |&(state, _)| state);
        }
        let draw = generator.next_u64();
        let Some(step) = steps.get(self.state as usize * grades + usize::from(grade.0)) else {
            return Examination { clicked: false, abandons: true };
        };
        let clicked = high_bits_below(draw, step.click);
        self.state = step.next[usize::from(clicked)];
        Examination {
            clicked,
            abandons: low_bits_below(draw, step.leave[usize::from(clicked)]) | (self.state == END_STATE),
        }
    }
}
