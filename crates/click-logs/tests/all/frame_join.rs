//! Lines grouped by another program, in any number of pieces, some of them twice, give the same result as files.

use std::collections::BTreeMap;

use click_logs::error::LineError;
use click_logs::join::{FrameJoin, LogTotals, Survey, Tally, UnitOutcome, Units};
use click_logs::model::{Click, Impression, LogEnd, Mixed, Settings};
use click_logs::read::{self, Event, RowRef};
use click_logs::simulate::{SimulationSettings, rules};
use verdicts::integrity::PageRecord;
use verdicts::{PairChoice, VersionDeclarations};

use crate::common::{assert_same, simulated, simulated_log};

/// An outcome with names instead of numbers, as an engine stores it.
struct Stored {
    names: [Option<String>; 3],
    /// Without its names.
    rest: UnitOutcome<'static>,
}

impl Stored {
    fn of(outcome: &UnitOutcome<'_>) -> Self {
        let names = [outcome.rankers[0], outcome.rankers[1], outcome.version].map(|name| name.map(str::to_owned));
        Self { names, rest: UnitOutcome { version: None, rankers: [None; 2], ..*outcome } }
    }

    fn outcome(&self) -> UnitOutcome<'_> {
        let [first, second, version] = self.names.each_ref().map(Option::as_deref);
        UnitOutcome { version, rankers: [first, second], ..self.rest }
    }
}

fn refused(at: usize, reason: LineError) -> String {
    format!("{at}: {}", reason.message)
}

/// A number of an id, the same for equal ones.
fn piece(id: &str, pieces: usize) -> usize {
    id.bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte))) % pieces
}

/// Fills a row from an impression of the usual form; every fifth is left to the other reader.
fn fill<'a>(at: usize, impression: &'a Impression<'_>, row: &mut RowRef<'a>) -> bool {
    row.impression = Some(&impression.id);
    row.time = Some(impression.time);
    row.user = impression.unit.as_deref();
    row.agent = impression.agent.as_deref();
    row.pairs = impression.pairs.map(PairChoice::name);
    row.shown.extend(impression.shown.iter().map(|document| &**document));
    row.has_shown = true;
    if let Some(Mixed::Teams { teams, rankers }) = &impression.mixed {
        row.teams.extend(teams.iter().map(Option::as_deref));
        row.rankers.extend(rankers.iter().flatten().map(|ranker| &**ranker));
        (row.has_teams, row.has_rankers) = (true, rankers.is_some());
    }
    at % 5 < 4
}

/// Adds impressions, as they are or as rows.
fn gather(gathered: &mut FrameJoin, impressions: &[&Impression<'_>], are_rows: bool) {
    if are_rows {
        gathered
            .impression_rows(
                impressions.len(),
                |at, row| fill(at, impressions[at], row),
                |at| Ok(impressions[at].clone()),
                refused,
            )
            .unwrap();
    } else {
        gathered.impressions(impressions.iter().map(|&impression| Ok(impression.clone())), refused).unwrap();
    }
}

/// Credits lines in pieces; of more than one, every other is of rows.
fn credited(
    settings: &Settings,
    impressions: &[Impression<'_>],
    clicks: &[Event<'_>],
    pieces: usize,
) -> click_logs::join::CreditedLog {
    let mut survey = Survey::default();
    for part in impressions.chunks(impressions.len().div_ceil(pieces)) {
        let mut gathered = FrameJoin::new(settings.clone());
        gather(&mut gathered, &part.iter().collect::<Vec<_>>(), pieces > 1);
        survey.add(gathered.survey());
    }
    let (until, _) = survey.closing(settings);
    let (mut stored, mut tally) = (Vec::new(), Tally::default());
    let mut add = |part: &Tally| {
        for (what, name, count) in part.rows() {
            assert!(tally.add_row(what, name, count), "{what} {name}");
        }
    };
    for number in 0..pieces {
        let mut gathered = FrameJoin::new(settings.clone());
        let here: Vec<_> = impressions.iter().filter(|impression| piece(&impression.id, pieces) == number).collect();
        gather(&mut gathered, &here, number % 2 == 1);
        let of = |event: &&Event<'_>| match event {
            Event::Click(Click { impression, .. }) => piece(impression, pieces) == number,
            Event::Other(_) => number == 0,
        };
        gathered.clicks(clicks.iter().filter(of).cloned().map(Ok), refused).unwrap();
        gathered.credit(until, |outcome| stored.push(Stored::of(&outcome))).unwrap();
        add(&gathered.take_tally());
    }
    let mut sum = LogTotals::default();
    let mut by_unit: BTreeMap<usize, Vec<&Stored>> = BTreeMap::new();
    for outcome in &stored {
        by_unit.entry((outcome.rest.unit >> 70) as usize % pieces).or_default().push(outcome);
    }
    for outcomes in by_unit.values() {
        let mut units = Units::new(settings.clone(), &survey);
        // From the back: order changes nothing.
        outcomes.iter().rev().try_for_each(|outcome| units.push(&outcome.outcome())).unwrap();
        units.count(&mut sum);
    }
    sum.tally += tally;
    sum.credited(&survey, settings)
}

#[test]
fn pieces_of_a_log_add_up_to_its_truth() {
    let base = SimulationSettings { impressions: 3_000, bots: 0.01, conflicts: 0.01, ..SimulationSettings::default() };
    for simulation in [base.clone(), SimulationSettings { rankers: 3, ..base }] {
        let (texts, truth) = simulated(&simulation);
        let [impressions, clicks] = texts.each_ref().map(|text| std::str::from_utf8(text).unwrap().lines());
        let rules = rules(&simulation);
        let impressions: Vec<_> =
            impressions.map(|line| read::impression(line, None, &rules).unwrap().unwrap()).collect();
        let clicks: Vec<_> = clicks.map(|line| read::click(line, None, &rules).unwrap().unwrap()).collect();
        for pieces in [1, 3, 11] {
            let found = credited(&rules, &impressions, &clicks, pieces);
            assert_same(&found, &truth.credited(), &format!("{pieces} pieces"));
        }
        // An incomplete log, and rankers in another order: the same as with files.
        let mut rankers = truth.credited().rankers;
        rankers.reverse();
        let settings = Settings { complete: LogEnd::LastImpression, rankers, ..rules };
        let (log, _) = simulated_log(&simulation);
        let expected = log.credit(&settings).unwrap();
        assert_same(&credited(&settings, &impressions, &clicks, 5), &expected, "an open log");
    }
}

#[test]
fn lines_that_cannot_be_read_are_refused_or_set_aside() {
    let rows = || [Err(LineError::new("nonsense"))].into_iter();
    let mut gathered = FrameJoin::new(Settings::default());
    assert_eq!(gathered.impressions(rows(), refused), Err("0: nonsense".to_owned()));
    let clicks = || [Err(LineError::new("nonsense")), Ok(Event::Other("scroll".into()))].into_iter();
    assert_eq!(gathered.clicks(clicks(), refused), Err("0: nonsense".to_owned()));
    let mut gathered = FrameJoin::new(Settings { set_malformed_aside: true, ..Settings::default() });
    gathered.impressions(rows(), refused).unwrap();
    gathered.clicks(clicks(), refused).unwrap();
    let rows = gathered.take_tally().rows();
    assert_eq!(rows, [("impression", "malformed", 1), ("click", "other-action", 1), ("click", "malformed", 1)]);
}

#[test]
fn rows_that_cannot_be_read_are_refused_or_set_aside() {
    let wrong = |at: usize| Err(LineError::new(format!("nonsense in {at}")));
    // The first row is whole, the second has a document twice, the third no time.
    fn row<'a>(at: usize, row: &mut RowRef<'a>) -> bool {
        row.impression = Some(["a", "b", "c"][at]);
        row.time = (at < 2).then_some(5);
        row.user = Some("u");
        row.shown.extend(["d1", if at == 1 { "d1" } else { "d2" }]);
        row.teams.extend([Some("A"), Some("")]);
        (row.has_shown, row.has_teams) = (true, true);
        true
    }
    let mut gathered = FrameJoin::new(Settings::default());
    let refused_first = gathered.impression_rows(3, row, wrong, refused).unwrap_err();
    assert!(refused_first.starts_with("1: the document `d1` is shown twice"), "{refused_first}");
    let settings = Settings { set_malformed_aside: true, complete: LogEnd::Final, ..Settings::default() };
    let mut gathered = FrameJoin::new(settings);
    gathered.impression_rows(3, row, wrong, refused).unwrap();
    gathered.credit(i64::MAX, |outcome| assert_eq!(outcome.rankers, [Some("A"), None])).unwrap();
    assert!(gathered.take_tally().rows().contains(&("impression", "malformed", 2)));
}

#[test]
fn an_undeclared_ranker_is_refused() {
    let of = VersionDeclarations { rankers: ["A", "B"].map(str::to_owned).into(), ..VersionDeclarations::default() };
    let survey = Survey { versions: [(None, of)].into(), ..Survey::default() };
    let mut units = Units::new(Settings { complete: LogEnd::Final, ..Settings::default() }, &survey);
    let outcome = UnitOutcome {
        unit: 1,
        shown: (0, 0),
        day: 0,
        version: None,
        rankers: [Some("A"), Some("C")],
        net: 1,
        stands: true,
        is_set_aside: false,
        is_known_bot: false,
        clicks: 1,
        all_clicks: 1,
        page: PageRecord::default(),
        sides: None,
    };
    assert!(units.push(&outcome).unwrap_err().to_string().contains("the ranker C, which is none of A, B"));
    let outcome = UnitOutcome { version: Some("7"), rankers: [Some("A"), Some("B")], ..outcome };
    assert!(
        units.push(&outcome).unwrap_err().to_string().contains("the version \"7\" is none that the impressions name")
    );
    assert!(units.is_empty());
}
