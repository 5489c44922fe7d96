//! The report on a model beside people.

use super::agreement::{Agreement, Favour, agreements, favours};
use super::{Gold, sample};
use crate::correction::{Key, Question};
use crate::findings::Test;
use crate::group::GroupFit;
use crate::populations::ClusterKind;
use crate::settings::{Looks, Settings};
use crate::text::{count, names, percent};
use crate::units::Units;
use crate::{BoardError, Judgement, Table};
use serde::Serialize;

/// A model beside people: how much it counts, and how well it agrees with them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelReport {
    /// The judges that are people; empty if their judgements name none.
    pub people: Vec<String>,
    /// The judges that are the model.
    pub models: Vec<String>,
    /// The questions (pairs on items) of the largest group that the model judged.
    pub questions: u64,
    /// The number of these that people judged, too.
    pub common: u64,
    /// The number of people's judgements that are set aside, because the model did not judge their questions.
    pub set_aside: u64,
    /// The weight of the model in the largest group, 0 to 1: λ of prediction-powered inference.
    pub lambda: f64,
    /// The mean ratio of the errors of strengths to those of people alone, in the largest group.
    pub width: f64,
    /// Whether people's questions are weighted by the inverse of the probabilities with which they were chosen.
    pub weighted: bool,
    /// The agreement of each judge of the model with people.
    pub agreement: Vec<Agreement>,
    /// For each competitor, how much more the model gives it than people do.
    pub favours: Vec<Favour>,
    /// All that in sentences.
    pub sentences: Vec<String>,
}

/// People's judgements of a model's questions.
pub(crate) struct Audit<'a> {
    gold: &'a Gold,
    /// People's judgements, except of questions that the model did not judge.
    pub(crate) people: Table,
    set_aside: u64,
    model: Units,
    questions: Vec<Question>,
}

impl<'a> Audit<'a> {
    pub(crate) fn of(gold: &'a Gold, settings: &Settings) -> Result<Self, BoardError> {
        if settings.looks == Looks::Every {
            return Err(BoardError::Gold(
                "claims with a model hold for one look; nothing is known of every look, so leave that out".to_owned(),
            ));
        }
        if [&gold.people, &gold.model].iter().any(|table| !table.covariates.is_empty()) {
            return Err(BoardError::Gold(
                "strengths with a model are not adjusted for covariates: leave them out".to_owned(),
            ));
        }
        if settings.discrimination {
            return Err(BoardError::Gold(
                "with a model, no slopes of judges are fitted: leave discrimination out".to_owned(),
            ));
        }
        let model = Units::of(&gold.model)?;
        let questions = Question::questions_of(&model.units);
        let (people, set_aside) = on_questions(&gold.people, &questions);
        if !people.judgements.iter().any(|row| row.first != row.second) {
            return Err(BoardError::Gold(format!(
                "they have no question in common: {} of people, {} of the model; a question is a pair of competitors on an item",
                count(gold.people.judgements.len() as u64, "judgement", "judgements"),
                count(questions.len() as u64, "question", "questions")
            )));
        }
        Ok(Self { gold, people, set_aside, model, questions })
    }

    /// The fits of people's groups with the model's answers, from those of people alone.
    pub(crate) fn corrected(
        &self,
        units: &Units,
        people_fits: &[GroupFit],
        settings: &Settings,
    ) -> Result<(Vec<GroupFit>, ModelReport), BoardError> {
        let alpha = settings.alpha() / people_fits.len() as f64;
        let mut corrected_fits = Vec::new();
        let mut first_correction = None;
        for group in people_fits {
            let questions_of_group = questions_of_group(&self.questions, group);
            let (fit, lambda) = group.corrected(&questions_of_group, settings, alpha)?;
            first_correction.get_or_insert((questions_of_group, lambda));
            corrected_fits.push(fit);
        }
        let (questions_of_group, lambda) = first_correction.expect("a table with a comparison has a group");
        let by_item = corrected_fits[0].populations.kinds().any(|kind| kind == ClusterKind::Item);
        let mut common: Vec<usize> =
            people_fits[0].units.iter().filter_map(|unit| Question::find(&questions_of_group, unit)).collect();
        common.sort_unstable();
        common.dedup();
        let mut report = ModelReport {
            people: self.gold.people.judges.clone(),
            models: self.gold.model.judges.clone(),
            questions: questions_of_group.len() as u64,
            common: common.len() as u64,
            set_aside: self.set_aside,
            lambda,
            width: interval_width(&corrected_fits[0], &people_fits[0]),
            weighted: self.gold.is_weighted(),
            agreement: agreements(&units.units, &self.gold.model, &self.model.units, &people_fits[0])?,
            favours: favours(&self.people, &units.units, &self.questions, by_item)?,
            sentences: Vec::new(),
        };
        report.sentences = sentences(&report);
        Ok((corrected_fits, report))
    }

    /// Tests whether people's questions can be a random sample.
    pub(crate) fn tests(&self, units: &Units) -> Vec<Test> {
        sample::tests(&self.people.names, &units.units, &self.questions)
    }
}

/// The judgements of a table on the questions of the model, and how many are on others.
fn on_questions(table: &Table, questions: &[Question]) -> (Table, u64) {
    let keys: Vec<Key> = questions.iter().map(Question::key).collect();
    let has = |row: &&Judgement| {
        let (low, high) = (row.first.min(row.second) as usize, row.first.max(row.second) as usize);
        low == high || row.item.is_some_and(|item| keys.binary_search(&(low, high, item)).is_ok())
    };
    let judgements: Vec<Judgement> = table.judgements.iter().filter(has).copied().collect();
    let set_aside = (table.judgements.len() - judgements.len()) as u64;
    (Table { judgements, ..table.clone() }, set_aside)
}

/// The questions among the members of a group, by places among these.
fn questions_of_group(questions: &[Question], group: &GroupFit) -> Vec<Question> {
    let mut member_index = vec![None; group.members.iter().max().map_or(0, |most| most + 1)];
    group.members.iter().enumerate().for_each(|(local, member)| member_index[*member] = Some(local));
    let local = |number: usize| member_index.get(number).copied().flatten();
    questions
        .iter()
        .filter_map(|question| {
            let mut in_group = *question;
            in_group.predicted.first = local(question.predicted.first)?;
            in_group.predicted.second = local(question.predicted.second)?;
            Some(in_group)
        })
        .collect()
}

fn interval_width(fit: &GroupFit, people_fit: &GroupFit) -> f64 {
    let size = fit.members.len();
    let ratio = |member: usize| {
        let diagonal = member * size + member;
        libm::sqrt(fit.covariance[diagonal] / people_fit.covariance[diagonal])
    };
    (0..size).map(ratio).sum::<f64>() / size as f64
}

fn sentences(report: &ModelReport) -> Vec<String> {
    const NAMES: usize = 4;
    let people = if report.people.is_empty() { String::new() } else { format!(" ({})", names(&report.people, NAMES)) };
    let models = names(&report.models, NAMES);
    let mut sentences = vec![format!(
        "Claims and strengths are those of people{people}, who judged {} of the {} that {models} judged: the model counts {:.2} (from 0 to 1), and errors \
         are {:.2} times those of people alone.",
        report.common,
        count(report.questions, "question", "questions"),
        report.lambda,
        report.width
    )];
    sentences.push(if report.weighted {
        "Assumed: the weights of people's judgements are 1 over the probability with which their questions were chosen, up to a factor.".to_owned()
    } else {
        "Assumed: the questions that people judged are a simple random sample of those of the model, and how many people judged one does \
         not depend on what they said."
            .to_owned()
    });
    if report.set_aside > 0 {
        sentences.push(format!(
            "{} on questions that the model did not judge: set aside.",
            count(report.set_aside, "judgement of people is", "judgements of people are")
        ));
    }
    for agreement in &report.agreement {
        let kappa = agreement
            .kappa
            .map_or_else(String::new, |kappa| format!(" (kappa {:.2} ± {:.2})", kappa.value, kappa.error));
        let shown_first = agreement
            .first_shown
            .filter(|shown_first| shown_first.value.abs() > 1.96 * shown_first.error)
            .map_or_else(String::new, |shown_first| {
                let side = if shown_first.value > 0.0 { "first" } else { "second" };
                format!(
                    "; it favours the answer shown {side} ({:+.2} ± {:.2} on the scale of strengths)",
                    shown_first.value, shown_first.error
                )
            });
        sentences.push(format!(
            "Agreement with people: {} says the same in {} of {}{kappa}{shown_first}.",
            agreement.judge,
            percent(agreement.agreed),
            count(agreement.common, "judgement", "judgements")
        ));
    }
    let mut clear_favours: Vec<&Favour> = report.favours.iter().filter(|favour| favour.p_value <= 0.05).collect();
    clear_favours.sort_by(|a, b| b.difference.value.total_cmp(&a.difference.value));
    if !clear_favours.is_empty() {
        let favour_text = |favour: &&Favour| {
            let Favour { name, difference, .. } = favour;
            format!("{name} ({:+.0} ± {:.0})", 100.0 * difference.value, 100.0 * difference.error)
        };
        let favour_text: Vec<String> = clear_favours.iter().map(favour_text).collect();
        sentences.push(format!(
            "Points in 100 that the model gives beyond what people do: {}; the strengths are corrected for it.",
            names(&favour_text, 2 * NAMES)
        ));
    }
    sentences.push(
        "Not stated with a model: what holds at every look under Bradley-Terry, and how many more judgements it takes."
            .to_owned(),
    );
    sentences
}
