//! Findings: facts and tests about a table that would mislead its reader. All tests together raise a finding on at most 5%
//! of clean tables.
//!
//! Facts (groups that never met, a competitor compared with itself, names that always stand on one side, a judge who
//! alone determines the leader) need no test. Everything else is a test with a p-value; Holm's correction over all tests
//! of a table keeps the probability of any finding on a clean table at 5%. Unknown distributions of statistics are
//! simulated from the fit.

mod judges;
mod orders;
mod repeats;
mod replicates;
mod sentences;
mod structure;
mod ties;

use crate::Table;
use crate::group::GroupFit;
use crate::units::Units;
use serde::Serialize;
use statistics::StatisticsError;

/// A finding that would mislead.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Finding {
    /// Groups that were never compared, not even indirectly.
    NotConnected {
        /// The members of each group, the largest group first.
        groups: Vec<Vec<String>>,
    },
    /// Each name always stands on one side, so that a preference for a side cannot be distinguished from one for a name.
    OrderAndNames {
        /// The group.
        members: Vec<String>,
    },
    /// Rows that compare a competitor with itself; they are set aside.
    SelfComparisons {
        /// Their number.
        rows: usize,
        /// Row numbers of the first few.
        first: Vec<u64>,
    },
    /// The answer shown first has an advantage or a disadvantage.
    Order {
        /// The advantage on the scale of strengths.
        effect: f64,
        /// Its standard error.
        error: f64,
        /// The share of points of the answer shown first, in units shown in one order.
        share: f64,
    },
    /// Judges who saw both orders prefer a side: they contradict themselves, always in the same direction.
    OrderInBoth {
        /// Units with a winner in each order.
        asked: usize,
        /// Those answered differently.
        differently: usize,
        /// Those in which the answer shown first won both times.
        first_twice: usize,
    },
    /// More than half of the units seen in both orders were answered differently.
    Contradictions {
        /// Units with a winner in each order.
        asked: usize,
        /// Those answered differently.
        differently: usize,
    },
    /// A judge is inconsistent more often than the others.
    JudgeContradicts {
        /// The judge.
        judge: String,
        /// Units that this judge decided in each order.
        asked: usize,
        /// Those that this judge answered differently.
        differently: usize,
        /// The share of the others' units that were answered differently.
        others: f64,
    },
    /// Pairs deviate from Bradley-Terry: cycles, or competitors that suit each other differently.
    Misfit {
        /// The ratio of the squared deviations to the expected ones.
        ratio: f64,
        /// The pair that deviates most: the one that does better than its strength, then the other.
        pair: (String, String),
        /// Net points of the first.
        found: f64,
        /// The prediction.
        expected: f64,
        /// The clearest cycle of three, if there is one; each clearly beats the next.
        cycle: Option<Vec<String>>,
    },
    /// Units of one item resemble each other.
    ItemsDiffer {
        /// The design effect: how much more the totals of items vary than those of independent units.
        design_effect: f64,
        /// The number of items with at least two units.
        items: usize,
    },
    /// Judges have different preferences.
    JudgesDisagree {
        /// The design effect: how much more the totals of judges vary than those of independent units.
        design_effect: f64,
        /// The judge who deviates most.
        judge: String,
        /// This judge's share of the units.
        share: f64,
    },
    /// A judge decides against all others: this judge's column of winners may be swapped.
    JudgeReversed {
        /// The judge.
        judge: String,
        /// This judge's units.
        units: u64,
        /// This judge's preferences on the scale of all: 1 agrees, 0 is guessing, -1 is the reverse.
        slope: f64,
    },
    /// A judge has much of the table, and without this judge another competitor is first.
    LoudJudge {
        /// The judge.
        judge: String,
        /// This judge's share of the units.
        share: f64,
        /// The first competitor with this judge.
        with: String,
        /// The first competitor without this judge.
        without: String,
    },
    /// Some competitors tie more often or less often than the model predicts.
    TiesUneven {
        /// The competitor that deviates most.
        competitor: String,
        /// Its ties.
        found: f64,
        /// The model's prediction.
        expected: f64,
    },
    /// The first competitor depends on ties.
    TiesDecide {
        /// The first competitor with ties.
        with: String,
        /// The first competitor if ties are left out.
        without: String,
    },
    /// The questions that people judged are not a simple random sample of those that a model judged.
    NotRandom {
        /// The competitor that differs most surely.
        competitor: String,
        /// The sum that differs: the model's points of it beyond a half per question (`true`), or how often it takes
        /// part.
        points: bool,
        /// In people's questions, per question.
        found: f64,
        /// In all questions.
        expected: f64,
    },
    /// Rows repeat earlier ones more often, and more exactly, than answers do.
    Duplicates {
        /// Rows that repeat an earlier one: same pair and order, item, judge and verdict.
        rows: usize,
        /// The expected number of pairs of rows with the same pair, order, item and judge by chance.
        expected: f64,
    },
}

/// A finding, in numbers and in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportedFinding {
    /// The numbers.
    #[serde(flatten)]
    pub finding: Finding,
    /// The p-value, corrected for all tests of the table; `None` for a fact.
    pub p_value: Option<f64>,
    /// The sentence.
    pub sentence: String,
}

/// A finding that a test would raise, and its p-value.
pub(crate) type Test = (f64, Finding);

/// Tables without any of the defects have a finding with at most this probability.
const LEVEL: f64 = 0.05;

/// The data for tests.
pub(crate) struct TestData<'a> {
    table: &'a Table,
    group: &'a GroupFit,
}

impl TestData<'_> {
    fn name(&self, member: usize) -> String {
        self.table.names[self.group.members[member]].clone()
    }
}

/// All findings, where `further_tests` are tests of the table that callers made.
pub(crate) fn all(
    table: &Table,
    units: &Units,
    fits: &[GroupFit],
    further_tests: Vec<Test>,
) -> Result<Vec<ReportedFinding>, StatisticsError> {
    let mut findings: Vec<ReportedFinding> =
        structure::facts(table, units, fits).into_iter().map(|fact| (None, fact)).map(worded).collect();
    // Tests are made in the largest group, where the verdict comes from.
    let data = TestData { table, group: &fits[0] };
    let mut tests = orders::tests(&data, units);
    tests.extend(replicates::tests(&data));
    tests.extend(judges::reversed_judges(&data));
    tests.extend(ties::tie_test(&data)?);
    tests.extend(repeats::duplicates(table, units));
    tests.extend(further_tests);
    let p_values: Vec<f64> = tests.iter().map(|test| test.0.clamp(0.0, 1.0)).collect();
    let corrected = statistics::fixed_sample::holm(&p_values)?;
    let raised = corrected.into_iter().zip(tests).filter(|(p, _)| *p <= LEVEL);
    findings.extend(raised.map(|(p, (_, finding))| worded((Some(p), finding))));
    findings.extend(judges::dominant_judge(&data)?.map(|fact| worded((None, fact))));
    Ok(findings)
}

fn worded((p_value, finding): (Option<f64>, Finding)) -> ReportedFinding {
    ReportedFinding { sentence: sentences::finding(&finding), p_value, finding }
}
