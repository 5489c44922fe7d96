//! A model beside people: the weights of its answers, and when a person gets the same question.
//!
//! The model answers each question. A *guess* g of the points that people would give the answer shown first follows from what the model said and
//! from earlier audits, and a coin with a *chance* π decides whether a person is asked. If not, the question counts g points, otherwise
//! g + (h - g) / π, with h the points that the person gave. Guess and chance are fixed before the coin falls. So the expected points of a question
//! are those of people, whatever the model says; a bad model only leads to higher chances.
//!
//! | quantity | is |
//! |---|---|
//! | guess | the mean points of audits in which the model said the same, moved by what people gave this pair beyond earlier guesses |
//! | doubt R | the mean squared error of the guesses of such audits |
//! | chance π | √(R c / (V - E R)), with c the cost of an answer of the model in judgements of a person, and V the variance of people's points: the least cost for a given variance V + E R (1/π - 1) |
//!
//! The first judgements of each competitor, and answers of a model that explains less than a tenth of the variance, are audited with
//! certainty: then people alone are counted. An audit that each person passed over counts as a tie.
//!
//! Claims rest on questions up to the first audit that waits for its answer: the questions after it without an audit would otherwise
//! count before those with one.
//!
//! | in | is |
//! |---|---|
//! | this file | audits as they are drawn, asked and answered, and what the claims of a session rest on |
//! | `calibration` | guesses and chances |
//! | `play` | the rest of a session, played |
//!
//! ## References
//!
//! * J. M. Robins, A. Rotnitzky, L. P. Zhao, "Estimation of Regression Coefficients When Some Regressors Are Not Always Observed", Journal of
//!   the American Statistical Association 89(427), 1994, <https://doi.org/10.1080/01621459.1994.10476818>: residuals by inverse probability.
//! * J. Neyman, "Contribution to the Theory of Sampling Human Populations", Journal of the American Statistical Association 33(201), 1938,
//!   <https://doi.org/10.1080/01621459.1938.10503378>: how much of a second, dearer sample to draw.

mod calibration;
mod play;

use std::collections::{BTreeMap, BTreeSet};

use bandits::{Generator, Preference};
use board::{Answer, Judgement, Order, Table};
use rand::{Rng as _, SeedableRng as _};

use self::calibration::{Calibration, POINT, points_of};
use super::answers::outcome;
use super::{JudgementRow, Session, TicketState, sorted_pair};
use crate::choosers::Destination;
use crate::config::AuditedModel;
use crate::event::{AnswerWeight, Event, Purpose};
use crate::model::Competitors;
use crate::screen::stream;

/// The audits of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Audits {
    /// Answers of the model that were not weighed yet, by ticket: the pair as it was chosen, and where its outcome goes.
    unweighed: BTreeMap<u64, (Competitors, Destination)>,
    /// The weights of answers of the model, by ticket.
    weighed: BTreeMap<u64, AnswerWeight>,
    /// Audits without an answer, by the ticket of the model.
    due_audits: BTreeMap<u64, DueAudit>,
    /// The points that people gave the answer shown first, in thousandths of a point, by the ticket of the model.
    points: BTreeMap<u64, u16>,
    /// How many questions each person was asked.
    asked_by_person: BTreeMap<String, u64>,
    calibration: Calibration,
}

/// An audit without an answer.
#[derive(Debug, Clone)]
struct DueAudit {
    origin: (Competitors, Destination),
    is_asked: bool,
    /// The people who passed it over.
    passed: BTreeSet<String>,
}

impl AnswerWeight {
    /// The points that the question counts, given those of a person if it was audited.
    fn counted_points(self, points: u16) -> f64 {
        let point = f64::from(POINT);
        let (guess, beyond) = (f64::from(self.guess), f64::from(points) - f64::from(self.guess));
        if self.audit { guess / point + beyond / f64::from(self.chance) } else { guess / point }
    }

    /// The least and the most that the question could have counted.
    fn range(self) -> [f64; 2] {
        let (guess, point) = (f64::from(self.guess), f64::from(POINT));
        let weight = 1.0 / f64::from(self.chance) - 1.0 / point;
        [-guess * weight, 1.0 + (point - guess) * weight]
    }

    /// The expected squared distance of the counted points from a half, given that of people's points.
    fn spread(self, of_people: f64) -> f64 {
        of_people + f64::from(self.doubt) / f64::from(POINT) * (f64::from(POINT) / f64::from(self.chance) - 1.0)
    }
}

/// How much of what a model said people audited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AuditCounts {
    /// Answers of the model.
    pub answers: u64,
    /// Those that a person was asked about, and answered or passed over with all others.
    pub audits: u64,
    /// Those in which people said the same.
    pub agreed: u64,
    /// Those that wait for an answer.
    pub due: u64,
    /// Questions that people answered without the model.
    pub alone: u64,
}

impl Session {
    /// The next audit for this person, or for the one with the fewest questions so far; with the ticket of the model.
    pub(super) fn next_audit(&self, model: &AuditedModel, judge: Option<&str>) -> Option<(u64, String)> {
        if judge == Some(model.name.as_str()) {
            return None;
        }
        self.audits.due_audits.iter().filter(|(_, due)| !due.is_asked).find_map(|(of, due)| {
            let may = |person: &&String| !due.passed.contains(*person) && judge.is_none_or(|judge| judge == *person);
            let TicketState::Answered { row } = self.tickets[*of as usize - 1].1 else { return None };
            let JudgementRow { first, second, item, .. } = self.rows[row];
            let has_seen = |person: &str| {
                let seen_items = self
                    .seen_items
                    .get(person)
                    .and_then(|items_by_pair| items_by_pair.get(&sorted_pair((first, second))));
                item.is_some_and(|item| seen_items.is_some_and(|seen_items| seen_items.contains(&item)))
            };
            let audits_asked =
                |person: &&String| (has_seen(person), self.audits.asked_by_person.get(*person).copied().unwrap_or(0));
            model.people.iter().filter(may).min_by_key(audits_asked).map(|person| (*of, person.clone()))
        })
    }

    /// Counts a question to a judge.
    pub(super) fn count_question(&mut self, judge: Option<&str>, purpose: Purpose) {
        let Some(judge) = judge.filter(|judge| self.config.model.as_ref().is_some_and(|model| model.name != **judge))
        else {
            return;
        };
        *self.audits.asked_by_person.entry(judge.to_owned()).or_default() += 1;
        if let Purpose::Audit(of) = purpose
            && let Some(due) = self.audits.due_audits.get_mut(&of)
        {
            due.is_asked = true;
        }
    }

    /// Whether an audit of a model's answer can be asked.
    pub(super) fn is_due_audit(&self, ticket: u64) -> bool {
        self.audits.due_audits.get(&ticket).is_some_and(|due| !due.is_asked)
    }

    /// Whether this judge is the model.
    pub(super) fn is_model(&self, judge: Option<&str>) -> bool {
        self.config.model.as_ref().is_some_and(|model| judge == Some(model.name.as_str()))
    }

    /// The model answered a new question.
    pub(super) fn model_answered(&mut self, number: u64, origin: (Competitors, Destination)) {
        self.audits.unweighed.insert(number, origin);
    }

    /// A person answered a question without the model.
    pub(super) fn count_without_model(&mut self, shown: Competitors) {
        self.audits.calibration.judge(shown, 1);
    }

    /// The same, taken back.
    pub(super) fn uncount_without_model(&mut self, shown: Competitors) {
        self.audits.calibration.judge(shown, -1);
    }

    /// The weight of the first of the model's answers that has none yet; `None` once all have one.
    pub(super) fn weigh_next(&self) -> Option<(u64, AnswerWeight)> {
        let (&number, _) = self.audits.unweighed.iter().next()?;
        self.weigh(number).map(|weighed| (number, weighed))
    }

    /// The weight of an answer of the model.
    pub(super) fn weigh(&self, number: u64) -> Option<AnswerWeight> {
        let model = self.config.model.as_ref().filter(|_| self.audits.unweighed.contains_key(&number))?;
        let TicketState::Answered { row } = self.tickets[number as usize - 1].1 else { return None };
        let JudgementRow { first, second, verdict, .. } = self.rows[row];
        let (guess, doubt, chance) = self.audits.calibration.weigh((first, second), outcome(verdict), model.cost);
        let mut coin = Generator::seed_from_u64(stream(self.config.seed, "audit", [number, 0, 0]));
        let audit = coin.next_u64() % u64::from(POINT) < u64::from(chance);
        Some(AnswerWeight { guess, doubt, chance, audit })
    }

    /// Records the weights of the model's answers, until each has one.
    pub(super) fn weigh_all(&mut self) {
        while let Some((ticket, weighed)) = self.weigh_next() {
            self.append(Event::Weighed { ticket, weighed });
            self.apply_weight(ticket, weighed);
        }
    }

    /// Applies the weight of an answer of the model, once it is in the log.
    pub(super) fn apply_weight(&mut self, number: u64, weighed: AnswerWeight) {
        let Some(origin) = self.audits.unweighed.remove(&number) else { return };
        let TicketState::Answered { row } = self.tickets[number as usize - 1].1 else { return };
        let JudgementRow { first, second, verdict, .. } = self.rows[row];
        self.audits.weighed.insert(number, weighed);
        self.audits.calibration.count_answer(outcome(verdict));
        if weighed.audit {
            self.audits.due_audits.insert(number, DueAudit { origin, is_asked: false, passed: BTreeSet::new() });
        } else {
            self.learn(number, origin, (first, second), weighed.counted_points(0));
        }
    }

    /// A person answered the audit of a model's answer.
    pub(super) fn record_audit(&mut self, ticket: u64, verdict: Answer) {
        self.complete_audit(ticket, points_of(verdict));
    }

    fn complete_audit(&mut self, ticket: u64, points: u16) {
        let Some(DueAudit { origin, .. }) = self.audits.due_audits.remove(&ticket) else { return };
        let Some((pair, answer, weighed)) = self.said_by_model(ticket) else { return };
        self.audits.points.insert(ticket, points);
        self.audits.calibration.count(pair, answer, weighed.guess, points, 1);
        self.learn(ticket, origin, pair, weighed.counted_points(points));
    }

    /// A person passed an audit over: it goes to another one, and is a tie once all did.
    pub(super) fn pass_over_audit(&mut self, ticket: u64, judge: Option<&str>) {
        let (Some(model), Some(due)) = (&self.config.model, self.audits.due_audits.get_mut(&ticket)) else { return };
        due.is_asked = false;
        due.passed.extend(judge.map(str::to_owned));
        if model.people.iter().all(|person| due.passed.contains(person)) {
            self.complete_audit(ticket, POINT / 2);
        }
    }

    /// Takes back the answer to an audit, which is due again.
    pub(super) fn reopen_audit(&mut self, ticket: u64, origin: (Competitors, Destination)) {
        let Some((pair, answer, weighed)) = self.said_by_model(ticket) else { return };
        if let Some(points) = self.audits.points.remove(&ticket) {
            self.audits.calibration.count(pair, answer, weighed.guess, points, -1);
        }
        self.audits.due_audits.insert(ticket, DueAudit { origin, is_asked: true, passed: BTreeSet::new() });
    }

    /// Whether this is an answer of the model to a new question.
    pub(super) fn is_of_model(&self, number: u64) -> bool {
        self.audits.weighed.contains_key(&number) || self.audits.unweighed.contains_key(&number)
    }

    /// The pairs of questions that are not complete, as they were chosen, and where their outcomes go.
    pub(super) fn incomplete_audits(&mut self) -> impl Iterator<Item = &mut (Competitors, Destination)> {
        let Audits { unweighed, due_audits: due, .. } = &mut self.audits;
        unweighed.values_mut().chain(due.values_mut().map(|due| &mut due.origin))
    }

    fn said_by_model(&self, number: u64) -> Option<(Competitors, Preference, AnswerWeight)> {
        let TicketState::Answered { row } = self.tickets.get(usize::try_from(number.checked_sub(1)?).ok()?)?.1 else {
            return None;
        };
        let JudgementRow { first, second, verdict, .. } = self.rows[row];
        Some(((first, second), outcome(verdict), *self.audits.weighed.get(&number)?))
    }

    /// How much people audited; `None` without a model beside them.
    #[must_use]
    pub fn audit_counts(&self) -> Option<AuditCounts> {
        self.config.model.as_ref()?;
        let Audits { weighed, points, due_audits: due, .. } = &self.audits;
        let agreed = points.iter().filter(|(of, points)| {
            let answer = self.said_by_model(**of);
            answer
                .is_some_and(|(_, answer, _)| Preference::of_net(f64::from(**points) - f64::from(POINT / 2)) == answer)
        });
        let unaudited =
            self.rows.iter().filter(|row| row.purpose == Purpose::New && !self.is_of_model(row.ticket.number));
        Some(AuditCounts {
            answers: weighed.len() as u64,
            audits: points.len() as u64,
            agreed: agreed.count() as u64,
            due: due.len() as u64,
            alone: unaudited.count() as u64,
        })
    }

    /// The evidence for the claims of a session: all judgements or, beside a model, the points of questions up to the first open audit,
    /// each [corrected](Answer::Corrected) by people.
    #[must_use]
    pub fn evidence(&self) -> Table {
        if self.config.model.is_none() {
            return self.judgements();
        }
        let of_people = self.audits.calibration.spread_of_people();
        let mut judgements = Vec::new();
        for (row, judged) in (1..).zip(&self.rows) {
            let JudgementRow { ticket, first, second, item, verdict, purpose, .. } = *judged;
            let (points, weighed) = match (purpose, self.audits.weighed.get(&ticket.number)) {
                (Purpose::Audit(_), _) => continue,
                _ if self.audits.unweighed.contains_key(&ticket.number) => break,
                (_, None) => (f64::from(points_of(verdict)) / f64::from(POINT), None),
                (_, Some(weighed)) if !weighed.audit => (weighed.counted_points(0), Some(weighed)),
                (_, Some(weighed)) => match self.audits.points.get(&ticket.number) {
                    Some(points) => (weighed.counted_points(*points), Some(weighed)),
                    None => break,
                },
            };
            let spread = weighed.map_or(of_people, |weighed| weighed.spread(of_people));
            let range = weighed.map_or([0.0, 1.0], |weighed| weighed.range());
            let verdict = Answer::Corrected { points, spread, range };
            judgements.push(Judgement { first, second, verdict, item, judge: None, weight: 1.0, row });
        }
        Table {
            judgements,
            names: self.config.names.clone(),
            items: self.config.items.clone(),
            judges: Vec::new(),
            order: Order::Shown,
            covariates: Vec::new(),
        }
    }
}
