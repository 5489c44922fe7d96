//! An experiment as its page shows it.

use output::numbers::with_unit;
use page::glossary::FATES;
use page::{
    Change, CountKind, Course, Figure, Guardrail, ImpressionCount, Latency, Measure, Overview, Traffic, TrafficDay,
};
use times::date;
use traffic::{
    Config, ConversionVerdicts, DecisionReport, Fates, Headline, HoldReason, NextStep, SCHEDULE, SIMULATED_REMARK,
    State,
};
use verdicts::conversions::{LineFate, Primary};

use super::tone;
use crate::jobs::Glance;
use crate::metrics::Metrics;
use crate::notify::Delivery;

/// The most guardrails that a page lists.
const MAX_GUARDRAILS: usize = 30;

/// A headline as pages show it.
pub(super) fn headline(headline: Headline) -> page::Headline {
    let Headline { standing, sentence, details, action: _, advice, winner: _ } = headline;
    let (tone, label) = tone(standing);
    page::Headline { tone, label: label.to_owned(), sentence, more: details, action: advice }
}

/// Whether a headline contains this warning.
pub(super) fn says(headline: &Headline, warning: &str) -> bool {
    std::iter::once(&headline.sentence).chain(&headline.details).any(|sentence| sentence.ends_with(warning))
}

/// The page of an experiment. `is_pending`: it was killed, but its log does not have the event yet.
pub(super) fn overview_page(
    glance: &Glance,
    found: Headline,
    verdict: &DecisionReport,
    metrics: &Metrics,
    is_pending: bool,
) -> Overview {
    let config = &glance.config;
    // Warnings in the notice on top of the page or in the headline are not repeated.
    let is_new = |warning: &&String| *warning != SIMULATED_REMARK && !says(&found, warning);
    let mut warnings: Vec<String> = glance.warnings.iter().filter(is_new).cloned().collect();
    if is_pending && glance.state != State::Killed {
        let pending = "Kill pending: everybody gets the champion's list, but the store cannot be written at present. The kill is \
                       written as soon as that is possible; a restart before would forget it.";
        warnings.insert(0, pending.to_owned());
    }
    Overview {
        name: config.name.clone(),
        state: glance.state.name().to_owned(),
        headline: headline(found),
        warnings,
        figures: figures(glance, verdict),
        traffic: traffic(glance),
        fates: fates(&glance.fates),
        guardrails: guardrails(glance),
        not_watched: glance.not_watched.clone(),
        segments: segments(glance, verdict),
        latency: latency(metrics),
        changes: glance.changes.iter().map(|changed| change(config, changed)).collect(),
        settings: settings(glance),
        measures: measures(verdict),
        courses: courses(verdict),
        ..page::decision::overview(verdict.sign_decision(), Some("unit"))
    }
}

/// The other measures of the experiment, and which of them decides.
fn measures(verdict: &DecisionReport) -> Vec<Measure> {
    let decides = verdict.primary();
    let of = |(measure, says): (Primary, String)| Measure {
        name: measure.name().to_owned(),
        says,
        decides: measure == decides,
    };
    verdict.measures().into_iter().map(of).collect()
}

/// The course of the difference in value, where values count.
fn courses(verdict: &DecisionReport) -> Vec<Course> {
    let of =
        |later: &ConversionVerdicts| Some(page::decision::courses(later.value.as_ref()?, "unit", later.currency()));
    verdict.conversion_verdicts.as_ref().and_then(of).unwrap_or_default()
}

fn ranker(config: &Config, place: u32) -> String {
    config.rankers.get(place as usize).map_or_else(String::new, |ranker| ranker.name.clone())
}

fn figures(glance: &Glance, verdict: &DecisionReport) -> Vec<Figure> {
    let grouped = output::numbers::with_separators;
    let figure = |name: &str, value: String, note: String| Figure { name: name.to_owned(), value, note };
    let today = glance.daily.last().map_or(0, |(_, daily)| daily.asked);
    let request_count = glance.fates.asked;
    let click_count: u64 = glance.daily.iter().map(|(_, daily)| daily.clicked).sum();
    let mut figures = vec![
        figure("Impressions", grouped(request_count), format!("{} on the last day", grouped(today))),
        figure("Units counted", grouped(glance.tally.counted), "users or sessions, on days that are closed".to_owned()),
    ];
    if glance.config.ask == traffic::Ask::Lists && request_count > 0 {
        let share = 100.0 * click_count as f64 / request_count as f64;
        figures.push(figure(
            "Clicked",
            format!("{share:.1}%"),
            output::numbers::with_unit(glance.fates.clicks, "click"),
        ));
    }
    let days = match verdict.decision.days {
        Some((first, last)) => (format!("{}", last - first + 1), format!("{} to {}", date(first), date(last))),
        None => ("0".to_owned(), String::new()),
    };
    figures.push(figure("Days closed", days.0, days.1));
    figures.extend(outcomes(glance).map(|(value, note)| figure("Outcomes", value, note)));
    let level = (1e5 * verdict.decision.alpha).round() / 1e3;
    figures.push(figure("Confidence needed", format!("{}%", 100.0 - level), "however often you look".to_owned()));
    let champion = ranker(&glance.config, glance.champion);
    let leader = glance.leader.map_or_else(
        || "the ranker to beat".to_owned(),
        |leader| format!("the ranker to beat; the policy prefers {}", ranker(&glance.config, leader)),
    );
    figures.push(figure("Champion", champion, leader));
    figures.extend(
        glance.share.map(|share| figure("In the experiment", percent(share), ramp(&glance.config, glance.next_step))),
    );
    figures
        .extend(glance.waits_for.as_ref().map(|other| figure("Begins after", other.clone(), "by itself".to_owned())));
    // A time has its date in front.
    let ends = glance.ends.as_ref().and_then(|time| time.split_once(' '));
    figures.extend(ends.map(|(date, time)| figure("Ends on", date.to_owned(), format!("{time}, by itself"))));
    figures
}

/// The number of outcomes, where such count, and their fates.
fn outcomes(glance: &Glance) -> Option<(String, String)> {
    let tally = glance.conversions?;
    let grouped = output::numbers::with_separators;
    let (credited, open) = (grouped(tally.of(LineFate::Credited)), grouped(tally.open()));
    Some((grouped(tally.taken), format!("{credited} credited; {open} wait until their units close")))
}

/// A share in percent.
fn percent(share: f64) -> String {
    format!("{}%", (1e4 * share).round() / 1e2)
}

/// The next step of the ramp, in a few words.
fn ramp(config: &Config, next: Option<NextStep>) -> String {
    let all = if config.lane.is_some() { "of the users of its lane" } else { "of all users" };
    let Some(NextStep { share, time_left, hold_reason: held }) = next else { return all.to_owned() };
    let next = percent(share);
    match held {
        Some(HoldReason::State) => format!("{all}; {next} once it runs again"),
        Some(HoldReason::Guardrail) => format!("{all}; a guardrail broke, so that the ramp does not reach {next}"),
        Some(HoldReason::Integrity) => format!("{all}; {next} once its pages can be trusted"),
        None => {
            // Hours, or minutes near the end.
            let (hour, minute) = (3_600_000, 60_000);
            let time_left = if time_left >= hour {
                (time_left + hour - 1) / hour * hour
            } else {
                (time_left / minute + 1) * minute
            };
            format!("{all}; {next} in {}", times::duration_text(time_left))
        }
    }
}

fn traffic(glance: &Glance) -> Option<Traffic> {
    let shown = |day: i32, date: String, daily: &traffic::RequestCounts| TrafficDay {
        day,
        date,
        asked: daily.asked,
        clicked: daily.clicked,
        lists: daily.lists.clone(),
    };
    let are_hours = !glance.hourly.is_empty();
    let days: Vec<TrafficDay> = if are_hours {
        glance.hourly.iter().map(|(hour, words, hourly)| shown(*hour, words.clone(), hourly)).collect()
    } else {
        glance.daily.iter().map(|(day, daily)| shown(*day, date(*day), daily)).collect()
    };
    (!days.is_empty()).then(|| Traffic {
        rankers: glance.config.rankers.iter().map(|ranker| ranker.name.clone()).collect(),
        days,
        are_hours,
        is_going_on: glance.state == State::Running,
    })
}

/// Segments of the winner, or of the ranker that comes next to it, against the champion.
fn segments(glance: &Glance, verdict: &DecisionReport) -> Option<page::Segments> {
    let decisions = verdict.segments.as_ref()?;
    let decision = &verdict.decision;
    let leader = decision.best.as_ref().map(|best| best.leader.0);
    let of_policy = glance.leader.map(|leader| leader as usize);
    let harmful = decisions.harms.first().map(|harm| harm.ranker);
    let candidates = [verdict.winner(), leader, of_policy, harmful].into_iter().flatten();
    let of = candidates.chain(0..decision.rankers.len()).find(|ranker| *ranker != decisions.champion)?;
    Some(page::decision::segments(decisions, &glance.units_by_segment, of))
}

fn fates(fates: &Fates) -> Vec<ImpressionCount> {
    let Fates { open, credited, alone, missing, unanswered, answered_late, .. } = *fates;
    let counts = [credited, open, alone, missing, unanswered, answered_late];
    let fate = |((name, meaning, kind), count): ((&str, &str, CountKind), u64)| ImpressionCount {
        name: name.to_owned(),
        count,
        meaning: meaning.to_owned(),
        kind,
    };
    let all = FATES.into_iter().zip(counts);
    all.filter(|((name, ..), count)| *count > 0 || *name == "credited").map(fate).collect()
}

fn guardrails(glance: &Glance) -> Vec<Guardrail> {
    let mut lines: Vec<_> = glance.watches.iter().filter(|(watch, _)| watch.ranker_counts[0] > 0).collect();
    lines.sort_by_key(|(watch, _)| !watch.is_broken);
    let rail = |(watch, broken): &(traffic::WatchedRate, Option<String>)| Guardrail {
        ranker: ranker(&glance.config, watch.ranker),
        what: watch.guard.meaning().to_owned(),
        of_ranker: watch.ranker_counts,
        of_champion: watch.champion_counts,
        margin: watch.margin,
        broken: watch.is_broken.then(|| broken.clone().unwrap_or_default()),
    };
    lines.into_iter().take(MAX_GUARDRAILS).map(rail).collect()
}

/// The latencies measured by this server; no log has them.
fn latency(metrics: &Metrics) -> Option<Latency> {
    let name = |end: Option<u64>| match end {
        None => "more".to_owned(),
        Some(micros) if micros < 1_000_000 => format!("{} ms", micros as f64 / 1e3),
        Some(micros) => format!("{} s", micros as f64 / 1e6),
    };
    let buckets: Vec<(String, u64)> = metrics.seconds.counts().map(|(end, count)| (name(end), count)).collect();
    Some(Latency { about: "All answers of this server since it started:".to_owned(), buckets })
}

fn change(config: &Config, (time, change): &(String, traffic::Change)) -> Change {
    let what = match change.state {
        State::Running if change.who == SCHEDULE => "begun".to_owned(),
        State::Running => "resumed".to_owned(),
        State::Shipped(place) => format!("shipped {}", ranker(config, place)),
        state => state.name().to_owned(),
    };
    Change { time: time.clone(), what, who: change.who.clone(), why: change.why.clone() }
}

/// Messages that were sent, the newest first.
pub(super) fn deliveries(lines: &[Delivery]) -> Vec<page::Delivery> {
    let of = |delivery: &Delivery| page::Delivery {
        time: times::text(delivery.time).chars().take(16).collect::<String>().replace('T', " ") + " UTC",
        what: delivery.kind.clone(),
        state: match (delivery.delivered, delivery.failures) {
            (Some(_), 0) => "delivered".to_owned(),
            (Some(_), failures) => format!("delivered after {}", with_unit(failures.unsigned_abs(), "failure")),
            (None, 0) => "waits".to_owned(),
            (None, failures) => {
                format!("{}; the last: {}", with_unit(failures.unsigned_abs(), "failure"), delivery.why)
            }
        },
        is_failing: delivery.delivered.is_none() && delivery.failures > 0,
    };
    lines.iter().map(of).collect()
}

fn settings(glance: &Glance) -> Vec<(String, String)> {
    let config = &glance.config;
    let named = |ranker: &traffic::Ranker| match ranker.version.as_str() {
        "" => ranker.name.clone(),
        version => format!("{} ({version})", ranker.name),
    };
    let rankers: Vec<String> = config.rankers.iter().map(named).collect();
    let (events, sum) = glance.position;
    let lane =
        config.lane.as_ref().map(|lane| format!("{} to {} of {}", percent(lane.from), percent(lane.to), lane.of));
    let optional = [("Lane", lane), ("Begins after", config.begin_after.clone()), ("Ends at", config.end_at.clone())];
    let optional = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let lines = [
        ("Rankers", rankers.join(", ")),
        ("Version", glance.version.clone()),
        ("Created", glance.created.clone()),
        ("Policy", config.policy.clone()),
        ("Interleaving", config.interleaving.clone()),
        ("Documents of a page", format!("{} of {}", config.shown, config.depth)),
        ("Window for clicks", config.window.clone()),
        ("Days of a unit", config.unit_days.to_string()),
        ("Time zone", config.timezone.clone()),
        ("Log", format!("{} events, checksum {sum:016x}", output::numbers::with_separators(events))),
    ];
    lines.into_iter().chain(optional).map(|(name, value)| (name.to_owned(), value)).collect()
}
