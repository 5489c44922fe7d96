//! Warnings before a verdict, from logs: the reason if no click counts, and lists that may show one ranker alone; none for
//! healthy logs.

use click_logs::cli::summary;
use click_logs::join::{CreditedLog, ImpressionFate, UnitFate};
use click_logs::model::{LogEnd, Settings};
use click_logs::outcomes::warnings;
use click_logs::simulate::{Dialect, SimulationSettings, rules};
use statistics::Counts;
use verdicts::{Bots, PairChoice};

use crate::common::{Log, simulated_log};

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

/// Credits a log of lists with these fields after the time, in this order, and a click on the second document of each.
fn credited(lists: &[&str], click: &str, settings: &Settings) -> CreditedLog {
    let line = |(number, fields): (usize, &&str)| {
        format!(
            "{{\"impression\":\"i{number}\",\"time\":\"2026-11-22T15:{number:02}:05Z\",\"user\":\"u{number}\",{fields}}}\n"
        )
    };
    let impressions: String = lists.iter().enumerate().map(line).collect();
    let clicks: String = (0..lists.len()).map(|number| click.replace('#', &format!("{number:02}")) + "\n").collect();
    // Numbers of one digit are those of impressions.
    let clicks = clicks.replace("\"i0", "\"i");
    Log::of(&[impressions.as_bytes()], &[clicks.as_bytes()]).credit(settings).unwrap()
}

const MIXED: &str = r#""shown":["a","b"],"teams":["A","B"]"#;
const CLICK: &str = r#"{"impression":"i#","document":"b","time":"2026-11-22T15:#:35Z"}"#;

#[test]
fn each_reason_why_no_click_counts_is_named() {
    let with = |change: &dyn Fn(&mut Settings)| {
        let mut settings = settings();
        change(&mut settings);
        settings
    };
    let bots = Bots { units: (0..4).map(|number| format!("u{number}")).collect(), ..Bots::default() };
    let event = r#"{"query_id":"i#","action_name":"Click","timestamp":"2026-11-22T15:#:35Z","event_attributes":{"object":{"object_id":"b"}}}"#;
    for (click, settings, fate) in [
        (event.to_owned(), settings(), "have another action (`Click`)"),
        (CLICK.replace("T15:", "T16:"), settings(), "come after the window"),
        (CLICK.replace("T15:", "T14:"), settings(), "come before their impression"),
        (CLICK.replace("i#", "i#.0"), settings(), "name an impression that is not in the log"),
        (CLICK.replace("\"b\"", "\"shop:b\""), settings(), "name a document that was not in the list"),
        (
            CLICK.replace("}", ",\"dwell\":3}"),
            with(&|settings| settings.dwell = Some(30_000)),
            "have no dwell time as long as",
        ),
        (r#"{"impression":"i#"}"#.to_owned(), with(&|settings| settings.set_malformed_aside = true), "cannot be read"),
    ] {
        let found = warnings(&summary(&credited(&[MIXED; 4], &click, &settings), &settings));
        assert!(found[0].starts_with(&format!("No click counts: all 4 lines of clicks {fate}")), "{fate}: {found:?}");
    }
    // Where no impression counts, that is the reason.
    let bots = with(&|settings| settings.bots = bots.clone());
    let found = warnings(&summary(&credited(&[MIXED; 4], CLICK, &bots), &bots));
    assert!(found[0].starts_with("No impression counts: all 4 lines of impressions are of bots"), "{found:?}");
}

#[test]
fn healthy_logs_in_every_dialect_are_silent() {
    for dialect in Dialect::ALL {
        let simulation = SimulationSettings { impressions: 2_000, dialect, ..SimulationSettings::default() };
        let rules = rules(&simulation);
        let found = simulated_log(&simulation).0.credit(&rules).unwrap();
        assert_eq!(warnings(&summary(&found, &rules)), [""; 0], "{}", dialect.name());
    }
}

/// Lists that may be from one ranker alone: once outcomes may have chosen them, a click on them is not evidence about another
/// ranker.
#[test]
fn a_ranker_that_was_shown_alone_wins_nothing() {
    const ALONE: &str = r#""shown":["a","b"],"teams":["A","A"]"#;
    const NAMED: &str = r#""shown":["a","b"],"teams":["A","A"],"rankers":["A"]"#;
    let units = |found: &CreditedLog| {
        let mut sum = Counts::default();
        found.days.iter().for_each(|day| sum += day.counts.units);
        sum
    };
    for (lists, pairs, expected) in [
        // The log does not say how pairs were chosen: several documents of one ranker suggest that outcomes chose them.
        ([MIXED, ALONE, ALONE, ALONE], None, (PairChoice::Steered, 3, 3)),
        ([MIXED, NAMED, NAMED, NAMED], None, (PairChoice::Steered, 3, 3)),
        ([MIXED, ALONE, ALONE, ALONE], Some(PairChoice::Steered), (PairChoice::Steered, 3, 3)),
        // A ranker that is named alone never meets another.
        ([MIXED, NAMED, NAMED, NAMED], Some(PairChoice::Chance), (PairChoice::Chance, 3, 0)),
    ] {
        let settings = Settings { pairs, ..settings() };
        let found = credited(&lists, CLICK, &settings);
        let (one_team, spent) =
            (found.tally.of_impressions(ImpressionFate::OneTeam), found.tally.of_units(UnitFate::Spent));
        assert_eq!((found.choice, one_team, spent), expected, "{lists:?} {pairs:?}");
        assert_eq!(units(&found), Counts::new(0, 1, 0), "{lists:?} {pairs:?}");
    }
    // By chance, a list may have ended.
    let settings = Settings { pairs: Some(PairChoice::Chance), ..settings() };
    assert_eq!(units(&credited(&[MIXED, ALONE], CLICK, &settings)), Counts::new(1, 1, 0));
}
