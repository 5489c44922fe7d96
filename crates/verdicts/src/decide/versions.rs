//! Verdicts by version of the experiment: a changed experiment is another one, so each version is decided alone, at the full
//! level, and no outcome of one enters the verdict of another.

use ranktypes::text::with_unit;
use statistics::StatisticsError;
use times::date;

use super::look_table::look_table;
use super::running_decision::decide_one;
use super::{CountUnit, Decision, report};
use crate::outcomes::{Day, Outcomes};
use crate::version::{UNNAMED_VERSION, experiment_name};

/// The verdict of a log on a version of its experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionVerdict {
    /// Its name; `None` where impressions name none.
    pub name: Option<String>,
    /// The first and the last day with outcomes.
    pub days: Option<(i32, i32)>,
    /// Days between these without any row, up to a limit: a healthy log has none, and a table that lacks a part has some.
    pub missing_days: Vec<i32>,
    /// The verdicts.
    pub decision: Decision,
}

impl VersionVerdict {
    /// The verdict on the outcomes of one version.
    fn new(name: Option<String>, outcomes: &Outcomes, decision: Decision) -> Self {
        let counts = |day: &&Day| day.counts.impressions.total() + day.counts.units.total() > 0;
        let days = || outcomes.days.iter().filter(counts).map(|day| day.day);
        Self { name, days: days().min().zip(days().max()), missing_days: outcomes.missing_days(), decision }
    }

    /// The warning if days are missing.
    #[must_use]
    pub fn missing_days_warning(&self) -> Option<String> {
        const MAX_NAMED_VERSIONS: usize = 3;
        let (first, last) = (self.missing_days.first()?, self.missing_days.last()?);
        let count = self.missing_days.len();
        let days = if count <= MAX_NAMED_VERSIONS {
            let days: Vec<String> = self.missing_days.iter().map(|day| date(*day)).collect();
            days.join(", ")
        } else {
            format!("the first {}, the last {}", date(*first), date(*last))
        };
        let of = self.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
        let has = if count == 1 { "has" } else { "have" };
        Some(format!(
            "{of}{} between the first and the last {has} no row ({days}): if users came then, a part of the table is missing.",
            with_unit(count as u64, "day")
        ))
    }

    /// Its name in words.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(UNNAMED_VERSION)
    }
}

/// The verdicts of a log on each version of its experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts {
    /// In the order in which they began; at least one.
    pub versions: Vec<VersionVerdict>,
}

/// Decides by the outcomes of a log, each version of its experiment alone, at level `alpha`, in (0, 1).
///
/// ```
/// use statistics::Counts;
/// use statistics::anytime::TestState;
/// use verdicts::decide::{CountUnit, decide};
/// use verdicts::outcomes::{Day, DayCounts, Outcomes};
///
/// let of_day = |day, wins, losses| {
///     let counts = DayCounts::of(Counts::new(wins, losses, 25), Counts::new(90, 70, 200));
///     Day { version: 0, day, pair: (0, 1), counts }
/// };
/// let outcomes = Outcomes {
///     rankers: vec!["new".to_owned(), "old".to_owned()],
///     versions: vec![None],
///     days: vec![of_day(20_779, 60, 40), of_day(20_780, 75, 40)],
/// };
/// let verdicts = decide(&outcomes, 0.05, CountUnit::Units)?;
/// assert_eq!(verdicts.latest().pairs[0].last.verdict, TestState::FirstWins);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `alpha` is not in (0, 1).
pub fn decide(outcomes: &Outcomes, alpha: f64, by: CountUnit) -> Result<Verdicts, StatisticsError> {
    decide_with_progress(outcomes, alpha, by, &|_| ())
}

/// The same; `progress` gets the number of rows that were looked at, from several threads: those of the pool in which this is called.
///
/// # Errors
/// As [`decide`].
pub fn decide_with_progress(
    outcomes: &Outcomes,
    alpha: f64,
    count_unit: CountUnit,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Verdicts, StatisticsError> {
    if outcomes.versions.len() < 2 {
        let name = outcomes.versions.first().cloned().flatten();
        let decision = decide_one(outcomes, alpha, count_unit, progress)?;
        return Ok(Verdicts { versions: vec![VersionVerdict::new(name, outcomes, decision)] });
    }
    let mut versions = Vec::new();
    for (number, name) in outcomes.versions.iter().enumerate() {
        let outcomes = outcomes_of_version(outcomes, number);
        let decision = decide_one(&outcomes, alpha, count_unit, progress)?;
        versions.push(VersionVerdict::new(name.clone(), &outcomes, decision));
    }
    // Those without outcomes have just begun.
    let began = |version: &VersionVerdict| version.days.unwrap_or((i32::MAX, i32::MAX));
    versions.sort_by(|a, b| began(a).cmp(&began(b)).then_with(|| a.name.cmp(&b.name)));
    Ok(Verdicts { versions })
}

/// The outcomes of a version, with the rankers that it compares.
fn outcomes_of_version(outcomes: &Outcomes, version: usize) -> Outcomes {
    let of_version = || outcomes.days.iter().filter(|day| day.version == version);
    let mut rankers_met: Vec<usize> = of_version().flat_map(|day| [day.pair.0, day.pair.1]).collect();
    rankers_met.sort_unstable();
    rankers_met.dedup();
    let place = |ranker: usize| rankers_met.iter().position(|known| *known == ranker).unwrap_or_default();
    let day = |day: &Day| Day { version: 0, pair: (place(day.pair.0), place(day.pair.1)), ..day.clone() };
    Outcomes {
        rankers: rankers_met.iter().map(|&ranker| outcomes.rankers[ranker].clone()).collect(),
        versions: vec![outcomes.versions[version].clone()],
        days: of_version().map(day).collect(),
    }
}

impl Verdicts {
    /// The verdicts of the version that began last.
    #[must_use]
    pub fn latest(&self) -> &Decision {
        &self.versions[self.versions.len() - 1].decision
    }

    /// The name of the version that began last, if it has one.
    #[must_use]
    pub fn latest_name(&self) -> Option<&str> {
        self.versions[self.versions.len() - 1].name.as_deref()
    }

    /// A line that says that the experiment changed; `None` if it did not.
    #[must_use]
    pub fn change(&self) -> Option<String> {
        let [first, .., last] = self.versions.as_slice() else { return None };
        let experiment = first.name.as_deref().and_then(experiment_name);
        let is_one = experiment.is_some()
            && self.versions.iter().all(|version| version.name.as_deref().and_then(experiment_name) == experiment);
        let short = |version: &VersionVerdict| match (experiment, is_one) {
            (Some(experiment), true) => version.title()[experiment.len() + 1..].to_owned(),
            _ => version.title().to_owned(),
        };
        let version_days = |version: &VersionVerdict| match version.days {
            None => format!("{} without outcomes yet", short(version)),
            Some((_, until)) if std::ptr::eq(version, first) => format!("{} until {}", short(version), date(until)),
            Some((since, _)) if std::ptr::eq(version, last) => format!("{} since {}", short(version), date(since)),
            Some((since, until)) => format!("{} from {} to {}", short(version), date(since), date(until)),
        };
        let count = self.versions.len();
        let of = if is_one { format!(" of {}", experiment.unwrap_or_default()) } else { String::new() };
        let version_texts: Vec<String> = self.versions.iter().map(version_days).collect();
        let words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        let number = words.get(count - 2).map_or_else(|| count.to_string(), |word| (*word).to_owned());
        Some(format!(
            "{count} versions{of}: {}; they are {number} experiments, and each is judged alone.",
            version_texts.join(", ")
        ))
    }

    /// The verdicts in words: that the experiment changed, if it did, then each version under its name. `unit` is what a unit
    /// is, e.g. `user`.
    #[must_use]
    pub fn report(&self, unit: Option<&str>) -> String {
        let Some(change) = self.change() else { return report(self.latest(), unit) };
        let mut text = change + "\n";
        for version in &self.versions {
            text += &format!("\n{}:\n{}", version.title(), report(&version.decision, unit));
        }
        text
    }

    /// Whether some version has a name.
    fn are_named(&self) -> bool {
        self.versions.iter().any(|version| version.name.is_some())
    }

    /// Every look as CSV: by pair and day, all counts until then; with the version first where versions have names.
    #[must_use]
    pub fn looks_csv(&self) -> String {
        if !self.are_named() {
            return self.latest().looks_csv();
        }
        let rows = self
            .versions
            .iter()
            .flat_map(|version| version.decision.look_rows(Some(version.name.as_deref().unwrap_or_default())));
        look_table(rows)
    }

    /// Everything as JSON: of one version, its verdicts; of several, these by version and no verdict beside them.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let version_json = |version: &VersionVerdict| {
            let mut json = version.decision.json();
            if self.are_named() {
                json["version"] = version.name.clone().into();
                json["first_impressions"] = version.days.map(|(first, _)| date(first)).into();
                json["last_impressions"] = version.days.map(|(_, last)| date(last)).into();
            }
            json
        };
        let Some(change) = self.change() else { return version_json(&self.versions[0]) };
        serde_json::json!({
            "change": change,
            "level": 1.0 - self.latest().alpha,
            "counted_by": self.latest().count_unit.name(),
            "versions": self.versions.iter().map(version_json).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use statistics::anytime::TestState;

    use super::*;
    use crate::outcomes::parse_table;

    const HEADER: &str =
        "version,day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";

    fn verdicts(rows: &str) -> Verdicts {
        decide(&parse_table(&format!("{HEADER}\n{rows}")), 0.05, CountUnit::Units).unwrap()
    }

    #[test]
    fn each_version_is_judged_alone() {
        // Together they would tie.
        let found = verdicts(
            "search@b,2026-11-03,new,old,80,20,9,80,20,9\nsearch@b,2026-11-04,new,old,80,20,9,80,20,9\n\
             search@a,2026-11-01,new,old,20,80,9,20,80,9\nsearch@a,2026-11-03,new,old,20,80,9,20,80,9\n",
        );
        let verdict = |version: &VersionVerdict| version.decision.pairs[0].last.verdict;
        assert_eq!(
            found.versions.iter().map(verdict).collect::<Vec<_>>(),
            [TestState::SecondWins, TestState::FirstWins]
        );
        let text = found.report(Some("user"));
        let first = "2 versions of search: a until 2026-11-03, b since 2026-11-03; they are two experiments, and each is judged alone.";
        assert_eq!(text.lines().next(), Some(first));
        let (a, b) =
            (text.find("\nsearch@a:\nold beats new").unwrap(), text.find("\nsearch@b:\nnew beats old").unwrap());
        assert!(a < b && !text.contains("ahead"), "{text}");
        assert!(found.looks_csv().lines().nth(1).unwrap().starts_with("search@a,2026-11-01,new,old,20,80,9,"));
        let json = found.json();
        assert_eq!((json["pairs"].is_null(), &json["change"]), (true, &first.into()));
        assert_eq!(json["versions"][1]["pairs"][0]["winner"], "new");
        assert_eq!(json["versions"][0]["last_impressions"], "2026-11-03");
    }

    #[test]
    fn versions_have_their_own_rankers() {
        let found =
            verdicts(",2026-11-01,A,B,9,1,0,9,1,0\n7,2026-11-02,A,C,9,1,0,9,1,0\nx@8,2026-11-03,B,C,9,1,0,9,1,0\n");
        // Three rankers in all, but never more than two at a time: there is no best of three.
        assert!(found.versions.iter().all(|version| version.decision.best.is_none()));
        let first = "3 versions: no version named until 2026-11-01, 7 from 2026-11-02 to 2026-11-02, x@8 since 2026-11-03; they are \
                     three experiments, and each is judged alone.";
        assert_eq!(found.change().as_deref(), Some(first));
        // A single version is reported as without versions, but for its name.
        let one = verdicts("7,2026-11-02,A,C,9,1,0,9,1,0\n");
        assert_eq!((one.change(), one.report(None)), (None, report(one.latest(), None)));
        assert_eq!(one.json()["version"], "7");
    }
}
