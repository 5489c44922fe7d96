//! The verdict in the words and numbers of `click-logs decide`, from the rows of closed days.

use statistics::StatisticsError;
use verdicts::conversions::Primary;
use verdicts::decide::{CountUnit, Decision, RunningDecision, report};
use verdicts::outcomes::{Day, DayCounts, Outcomes};
use verdicts::segments::{RunningSegments, SegmentOutcomes, SegmentsDecision};

use super::config::{Ask, Config, Guard, Keep};
use super::conversion_verdicts::{ConversionEvidence, ConversionVerdicts};
use super::experiment::{Alarm, Experiment};
use super::refusals::{lost_event_warnings, no_clicks_warning, seems_lost};

/// The least number of impressions for a finding.
pub(super) const MIN_IMPRESSIONS: u64 = 100;
/// Among this number of impressions of real users, some user would have come twice.
const MIN_RETURNING_IMPRESSIONS: u64 = 1_000;

/// A remark on all output from an experiment with simulated users.
pub const SIMULATED_REMARK: &str = "All users are simulated.";

/// The verdict of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionReport {
    /// The numbers.
    pub decision: Decision,
    /// In words, the most important first.
    pub report: String,
    /// The verdict for each segment; `None` without segments.
    pub segments: Option<SegmentsDecision>,
    /// The verdict on conversions; `None` if they do not count.
    pub conversion_verdicts: Option<ConversionVerdicts>,
    deciding: RunningDecision,
    deciding_segments: Option<RunningSegments>,
}

/// The evidence for verdicts, copied from an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The outcomes of the days that are closed.
    pub outcomes: Outcomes,
    /// The outcomes of each segment.
    segments: Option<SegmentOutcomes>,
    /// The evidence on conversions.
    conversions: Option<ConversionEvidence>,
    level: f64,
}

impl Experiment {
    /// The outcomes of the days that are closed, as `click-logs credit` writes them: the same log gives the same rows.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        self.outcomes_of(self.rows())
    }

    /// Outcomes of these rows, by day.
    pub(super) fn outcomes_of(&self, rows: &[(i32, super::DayRow)]) -> Outcomes {
        let day = |&(day, row): &(i32, super::DayRow)| Day {
            version: 0,
            day,
            pair: (row.pair.0 as usize, row.pair.1 as usize),
            counts: DayCounts { units: row.units, impressions: row.impressions, amounts: row.amounts },
        };
        Outcomes {
            rankers: self.config().rankers.iter().map(|ranker| ranker.name.clone()).collect(),
            versions: vec![Some(self.version().to_string())],
            days: rows.iter().map(day).collect(),
        }
    }

    /// Warnings that a verdict is wrong or meaningless, the most important first.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = self.integrity().faults.into_iter().map(|fault| fault.sentence).collect();
        let (fates, traffic) = (self.fates(), self.traffic());
        if self.config().simulated {
            warnings.push(SIMULATED_REMARK.to_owned());
        }
        if self.config().same_lists {
            warnings.push("All rankers show the champion's list: whoever wins, wins by chance.".to_owned());
        }
        let closed_count = fates.credited;
        // Judges compare no lists.
        let is_clicked = self.config().ask == Ask::Lists;
        let (notices, window) = (self.notices(), &self.config().window);
        if is_clicked && closed_count >= MIN_IMPRESSIONS && traffic.clicked == 0 {
            warnings.push(no_clicks_warning(closed_count, &notices, window));
        } else if seems_lost(traffic.clicked, &notices) {
            warnings.push(no_clicks_warning(fates.asked, &notices, window));
        } else {
            warnings.extend(lost_event_warnings(traffic.clicked, &notices, window));
        }
        if closed_count >= MIN_IMPRESSIONS && 2 * traffic.busiest >= fates.asked {
            warnings.push(format!(
                "One unit has {} of {} impressions: do all users without a name have the same? Give each its own, or leave them out.",
                traffic.busiest, fates.asked
            ));
        }
        if fates.asked >= MIN_RETURNING_IMPRESSIONS && traffic.units == fates.asked && self.config().keep == Keep::Unit
        {
            warnings.push(format!(
                "Each of {} impressions has a unit of its own: if users search more than once, the unit is not the user, and \
                 verdicts come too early.",
                fates.asked
            ));
        }
        let lost = fates.missing + fates.unanswered;
        if lost >= MIN_IMPRESSIONS && 10 * lost >= fates.asked {
            let (what, why) = if is_clicked {
                ("Lists", "rankers that fail on hard queries look better than they are")
            } else {
                ("Answers", "if judges leave out hard questions, the others decide alone")
            };
            warnings.push(format!("{what} never came for {lost} of {} impressions; {why}.", fates.asked));
        }
        warnings.extend(self.maturity_warning());
        warnings.extend(self.alarms().iter().map(|alarm| breach_sentence(self.config(), alarm)));
        warnings
    }

    /// When the first unit will close for the measure that decides, if none has.
    fn maturity_warning(&self) -> Option<String> {
        let is_awaited = self.primary() != Primary::Clicks && self.conversion_rows() == 0 && self.fates().asked > 0;
        let first = self.first_maturity().filter(|_| is_awaited)?;
        Some(format!(
            "Nothing is decided before {}, when the first units close for {}: users order later than they click.",
            self.minute(first),
            self.primary().name()
        ))
    }

    /// The guardrails that are requested but not watched, and why, in a sentence; `None` if all are watched.
    #[must_use]
    pub fn not_watched(&self) -> Option<String> {
        let (config, watches) = (self.config(), self.watches());
        config.guardrails.no_click?;
        let is_watched =
            |ranker: u32| watches.iter().any(|watch| (watch.guard, watch.ranker) == (Guard::NoClick, ranker));
        let others = (0..).zip(&config.rankers).filter(|(ranker, _)| *ranker != self.champion());
        let names: Vec<&str> =
            others.filter(|(ranker, _)| !is_watched(*ranker)).map(|(_, ranker)| ranker.name.as_str()).collect();
        let (whose, shown) = match names.len() {
            0 => return None,
            count if count + 1 == config.rankers.len() => (String::new(), "all rankers"),
            _ => (format!(" of {}", names.join(", ")), "the champion and these rankers"),
        };
        Some(format!(
            "Not watched: {}{whose}, because every list shown so far mixed {shown}, so that their rates cannot differ.",
            Guard::NoClick.meaning()
        ))
    }

    /// The evidence for verdicts.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        Evidence {
            outcomes: self.outcomes(),
            segments: self.segment_outcomes(),
            conversions: self.conversion_evidence(),
            level: self.config().level,
        }
    }

    /// The verdict so far, at the level of the settings, which holds for all looks together.
    #[must_use]
    pub fn verdict(&self) -> DecisionReport {
        DecisionReport::of(&self.evidence())
    }
}

/// A guardrail that broke, in words.
pub(super) fn breach_sentence(config: &Config, alarm: &Alarm) -> String {
    let percent = |[of, bad]: [u64; 2]| 100.0 * bad as f64 / (of as f64).max(1.0);
    format!(
        "{} had more {} than the champion: {:.1}% against {:.1}%.",
        config.rankers[alarm.ranker as usize].name,
        alarm.guard.meaning(),
        percent(alarm.ranker_counts),
        percent(alarm.champion_counts),
    )
}

impl DecisionReport {
    /// The verdict for [evidence](Experiment::evidence), for callers that must not block an experiment while they decide: many rankers
    /// and days take long.
    #[must_use]
    pub fn of(evidence: &Evidence) -> Self {
        Self::from_previous(None, evidence)
    }

    /// The same. If `previous` has the verdicts of the first days, only later days are computed.
    #[must_use]
    pub fn from_previous(previous: Option<&Self>, evidence: &Evidence) -> Self {
        let Evidence { outcomes, segments, conversions, level } = evidence;
        let decide_all = || -> Result<_, StatisticsError> {
            let running_decision =
                RunningDecision::of(outcomes, *level, CountUnit::Units, previous.map(|previous| &previous.deciding))?;
            let segment_decisions = segments.as_ref().map(|segments| {
                let previous = previous.and_then(|previous| previous.deciding_segments.as_ref());
                RunningSegments::of(segments, *level, previous)
            });
            let conversion_verdicts = conversions.as_ref().map(|conversions| {
                ConversionVerdicts::from_previous(
                    previous.and_then(|previous| previous.conversion_verdicts.as_ref()),
                    conversions,
                    *level,
                )
            });
            Ok((running_decision, segment_decisions.transpose()?, conversion_verdicts.transpose()?))
        };
        let decide_all = decide_all();
        let (running_decision, deciding_segments, conversion_verdicts) = decide_all
            .unwrap_or_else(|error| unreachable!("the level was checked when the experiment was created: {error}"));
        let decision = running_decision.decision();
        let report = report(&decision, Some("unit"));
        let segments = deciding_segments.as_ref().map(RunningSegments::decision);
        Self { decision, report, segments, conversion_verdicts, deciding: running_decision, deciding_segments }
    }
}
