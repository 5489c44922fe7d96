//! Later actions of units, such as orders: taken, credited as `click-logs credit` credits them, and replayed from a log.

use std::collections::BTreeMap;

use bandits::Generator;
use click_logs::join::{ConversionLog, credit_with_conversions};
use click_logs::model::ConversionRules;
use interleave::{Doc, ListBuf};
use rand::{RngExt as _, SeedableRng as _};
use traffic::{
    Appearance, Config, Conversion, ConversionFate, Event, Experiment, FoldError, Keep, OutcomeKind, RecordedEvent,
    Request, RequestAnswer, State,
};
use verdicts::Bots;
use verdicts::conversions::{LineFate, Primary};

use crate::exported::{documents, inputs, settings};
use crate::replays::replayed;
use crate::{DAY, MINUTE, World, config, list};

/// The settings with orders and returns by value.
pub(crate) fn selling(config: Config) -> Config {
    let outcomes = ["order", "return"].map(|name| (name.to_owned(), OutcomeKind::Value));
    Config {
        outcomes: Some(outcomes.into()),
        outcome_days: Some(2),
        currency: Some("EUR".to_owned()),
        cap: Some(3_000),
        ..config
    }
}

fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    let attributions = ["last", "all", "window=36h", "most-drafted"];
    let policies = [(2, "fixed"), (3, "fixed"), (4, "rucb"), (5, "mdb"), (4, "bradley-terry")];
    for (at, (rankers, policy)) in policies.into_iter().enumerate() {
        for (keep, unit_days) in [(Keep::Unit, 1), (Keep::Unit, 2), (Keep::Impression, 1), (Keep::Impression, 3)] {
            let mut config = selling(config(rankers, policy));
            (config.keep, config.unit_days, config.depth) = (keep, unit_days, if at == 1 { 20 } else { 10 });
            config.attribution = Some(attributions[(at + unit_days as usize) % 4].to_owned());
            config.outcome_days = Some([0, 1, 2][(at + unit_days as usize) % 3]);
            config.timezone = if unit_days == 2 { "Europe/Berlin" } else { "+05:30" }.to_owned();
            if unit_days == 2 {
                "probabilistic:assignment".clone_into(&mut config.interleaving);
            }
            if keep == Keep::Impression {
                config.bots = Bots { max_impressions_per_day: Some(5), ..Bots::default() };
            }
            if at == 2 {
                (config.cap, config.currency) = (None, None);
                config.outcomes.as_mut().unwrap().values_mut().for_each(|kind| *kind = OutcomeKind::Number);
            }
            configs.push(config);
        }
    }
    configs
}

/// The conversions of an exported log as `click-logs credit` credits them, as CSV, and the fates of lines.
fn credited(world: &World) -> (String, BTreeMap<&'static str, u64>) {
    let (last, depth) = (world.experiment.final_day(), world.experiment.config().depth as usize);
    let mut experiment = Experiment::begin(&world.log[0]).unwrap();
    let mut texts = [String::new(), String::new(), String::new()];
    for recorded in &world.log[1..] {
        if let Some(line) =
            experiment.export_impression(recorded.event(), |_| Some(documents(depth))).filter(|one| one.day <= last)
        {
            texts[0] += &line.impression;
            texts[1] += &line.clicks;
        }
        let converted = experiment.export_conversion(recorded.event(), |_| Some(documents(depth)));
        texts[2] += converted.filter(|one| one.day <= last).map_or("", |one| one.line.leak());
        experiment.fold(recorded).unwrap();
    }
    let config = world.experiment.config();
    let settings = settings(config, &experiment.credit_flags());
    let (folder, inputs, limits) = inputs(&texts);
    let rules = ConversionRules {
        attribution: config.attribution.as_deref().unwrap().parse().unwrap(),
        days: config.outcome_days.unwrap(),
        actions: config.outcomes.as_ref().unwrap().keys().cloned().collect(),
        currency: config.currency.clone(),
        cap: config.cap,
        ..ConversionRules::default()
    };
    let log = ConversionLog::read(&[folder.path().join("conversions.jsonl")], &settings, rules).unwrap();
    let found = credit_with_conversions(&inputs, Some(&log), &settings, &limits, &(), None).unwrap();
    let found = found.conversions.unwrap();
    let mut fates = BTreeMap::new();
    found.fates.iter().for_each(|(.., fate)| *fates.entry(fate.name()).or_default() += 1);
    (found.conversions.to_csv(), fates)
}

/// The decisive test: a log that was exported is credited as it was when it was live, day by day and pair by pair.
#[test]
fn credit_of_an_export_gives_the_same_conversions() {
    let (mut rows, mut totals, mut fates) = (0, [0_u64; 4], BTreeMap::<String, u64>::new());
    let mut answers = BTreeMap::<String, u64>::new();
    for (seed, config) in (1..).zip(configs()) {
        let name = format!("{} {:?} {} {:?}", config.policy, config.keep, config.unit_days, config.attribution);
        let mut world = World::new(config, 300, seed);
        (0..7_000).for_each(|_| world.step());
        for is_final in [false, true] {
            if is_final {
                let _ = world.experiment.change_state(world.now, State::Ended, "a test", "it is over");
                world.experiment.advance(world.now + 40 * MINUTE);
                world.keep();
                assert_eq!(world.experiment.final_day(), i32::MAX, "{name}");
                assert_eq!(world.experiment.conversion_tally().unwrap().open(), 0, "{name}");
            }
            let (expected, lines) = credited(&world);
            let found = world.experiment.conversions().unwrap();
            assert_eq!(found.to_csv(), expected, "{name}, final: {is_final}");
            let tally = world.experiment.conversion_tally().unwrap();
            let known = |fate: &LineFate| lines.get(fate.name()).copied().unwrap_or(0);
            for fate in LineFate::ALL {
                *fates.entry(fate.name().to_owned()).or_default() += known(&fate);
            }
            // The server may give another reason for a conversion that counts for no ranker: it forgets lists that no
            // longer count.
            let (without, with) = LineFate::ALL.into_iter().partition::<Vec<_>, _>(|fate| {
                use LineFate::{Bot, Early, Late, NoOrder, NotShown};
                matches!(fate, Late | Early | NotShown | NoOrder | Bot)
            });
            if is_final {
                for fate in with {
                    assert_eq!(tally.of(fate), known(&fate), "{name}: {}", fate.name());
                }
                let all = |of: &dyn Fn(&LineFate) -> u64| without.iter().map(of).sum::<u64>();
                // A log lacks units without a list that counts.
                let unknown = lines.get("unknown-unit").copied().unwrap_or(0);
                assert_eq!(all(&|fate| tally.of(*fate)), all(&known) + unknown, "{name}");
            }
            rows += found.days.len();
            for day in &found.days {
                totals[0] += day.counts.conversions[0];
                totals[1] += day.counts.conversions[1];
                totals[2] += day.counts.value[0];
                totals[3] += day.counts.cut;
            }
        }
        world.converted.iter().for_each(|(fate, count)| *answers.entry(fate.clone()).or_default() += count);
    }
    assert!(rows > 200 && totals.iter().all(|total| *total > 500), "{rows} {totals:?}");
    for fate in ["credited", "returned", "return", "nobodys", "no-order", "not-shown"] {
        assert!(fates[fate] > 10, "{fates:?}");
    }
    for fate in ["Taken", "Duplicate", "NotShown", "Late", "Bot"] {
        assert!(answers.get(fate).is_some_and(|count| *count > 10), "{answers:?}");
    }
}

/// Days close and units mature, snapshots of them are half written when a process ends, and the next one goes on from there.
#[test]
fn a_process_goes_on_with_conversions() {
    let (mut restored, mut matured) = (0, 0);
    for (seed, config) in (1..).zip(configs().into_iter().step_by(3)) {
        let mut world = World::new(config, 120, seed);
        for step in 0..7_000 {
            world.step();
            if world.experiment.state().is_over() {
                break;
            }
            if step % 450 == 350 {
                world.crash();
            }
        }
        // With units that went and came back, the fold is that of a log that never lost one.
        let found = world.shelf.all(&world.experiment);
        let again = replayed(&world.log);
        assert!(again.states().eq(found.into_values()), "units are those of the log");
        restored += world.restored;
        matured += world.experiment.conversion_rows();
        assert_eq!(again.conversions(), world.experiment.conversions());
        assert_eq!(again.conversion_tally(), world.experiment.conversion_tally());
        // One that never crashed has the same log.
        let mut other = World::new(world.experiment.config().clone(), 120, seed);
        while other.log.len() < world.log.len() {
            other.step();
        }
        assert_eq!(other.experiment.position(), world.experiment.position());
    }
    assert!(restored > 20 && matured > 20, "{restored} {matured}");
}

/// An experiment of two rankers that shows ten documents to each of two users.
struct Shop {
    experiment: Experiment,
    now: i64,
    impressions: Vec<u64>,
}

impl Shop {
    fn open(config: Config) -> Self {
        let now = 20_784 * DAY + 9 * 60 * MINUTE;
        let mut shop = Self { experiment: Experiment::create(config, now).unwrap(), now, impressions: vec![] };
        for unit in [1, 2] {
            shop.show(unit);
        }
        shop
    }

    fn show(&mut self, unit: u64) {
        self.now += MINUTE;
        let lists = [list(10), list(10)];
        let of = |ranker: u32| lists.get(ranker as usize);
        let request = Request { unit, ..Request::default() };
        let RequestAnswer::New { impression, .. } = self.experiment.choose(self.now, &request, Some(&of)).unwrap()
        else {
            panic!()
        };
        self.impressions.push(impression);
    }

    /// A unit orders the document at a position of its first list.
    fn order(&mut self, unit: u64, position: u32, order: u32, value: i64) -> ConversionFate {
        self.now += MINUTE;
        let appearances = vec![Appearance { impression: self.impressions[unit as usize - 1], position }];
        let document = position + 1;
        self.experiment.take_conversion(self.now, Conversion { unit, document, order, action: 0, value, appearances })
    }
}

/// Doubles, returns, unknown units, late and early conversions each have their fate.
#[test]
fn each_conversion_has_its_fate() {
    use ConversionFate::{Duplicate, Late, NotShown, Taken, TooMany};
    let mut shop = Shop::open(selling(config(2, "fixed")));
    assert_eq!(shop.order(1, 0, 1, 700), Taken);
    assert_eq!(shop.order(1, 0, 1, 700), Duplicate, "an order says so once");
    assert_eq!(shop.order(1, 0, 0, 700), Taken, "without a number, another time is another order");
    assert_eq!(shop.order(1, 0, 1, -700), Taken, "it comes back");
    assert_eq!(shop.order(1, 1, 2, 40), Taken);
    assert_eq!(shop.order(2, 12, 1, 40), Taken, "the list may be longer than what was shown");
    let conversion = |unit, impression| {
        let appearances = vec![Appearance { impression, position: 0 }];
        Conversion { unit, document: 1, order: 9, action: 0, value: 5, appearances }
    };
    let [first, second] = [shop.impressions[0], shop.impressions[1]];
    let experiment = &mut shop.experiment;
    assert_eq!(experiment.take_conversion(shop.now, conversion(3, first)), NotShown, "an unknown unit");
    assert_eq!(experiment.take_conversion(shop.now, conversion(1, second)), NotShown, "somebody else's page");
    assert_eq!(experiment.take_conversion(shop.now, conversion(1, 77)), NotShown, "no page");
    // A list of the same moment is not one before it, whichever came first.
    shop.show(1);
    let [.., last] = shop.impressions[..] else { panic!() };
    assert_eq!(shop.experiment.take_conversion(shop.now, conversion(1, last)), NotShown);
    assert_eq!(shop.experiment.take_conversion(shop.now + 1, conversion(1, last)), Taken);
    for order in 100..1_200 {
        let fate = shop.order(2, 3, order, 1);
        assert_eq!(fate, if order < 1_099 { Taken } else { TooMany }, "{order}");
    }
    let mut late = Shop::open(selling(config(2, "fixed")));
    late.now += 2 * DAY;
    assert_eq!(late.order(1, 0, 1, 700), Taken, "on the last day");
    late.now += DAY;
    assert_eq!(late.order(1, 0, 2, 700), Late);
    late.experiment.advance(late.now + DAY);
    let tally = late.experiment.conversion_tally().unwrap();
    assert_eq!((tally.taken, tally.of(LineFate::Credited) + tally.of(LineFate::Nobodys), tally.open()), (1, 1, 0));
    let days: Vec<(i32, u64)> =
        late.experiment.conversions().unwrap().days.iter().map(|day| (day.day, day.counts.units.total())).collect();
    assert_eq!(days, [(20_786, 2)], "both units closed, one of which bought nothing");
}

/// Once it is over, everybody sees one ranker's list: later orders count for no ranker, and all units close with the last page.
#[test]
fn an_experiment_that_is_over_takes_no_conversions() {
    for state in [State::Ended, State::Shipped(1)] {
        let mut shop = Shop::open(selling(config(2, "fixed")));
        assert_eq!(shop.order(1, 0, 1, 700), ConversionFate::Taken);
        shop.experiment.change_state(shop.now, state, "a test", "").unwrap();
        assert_eq!(shop.order(1, 1, 2, 700), ConversionFate::Late, "{state:?}");
        assert!(!shop.experiment.takes_conversions() && shop.experiment.conversion_rows() == 0);
        shop.experiment.advance(shop.now + 40 * MINUTE);
        assert_eq!(shop.experiment.conversion_rows(), 1, "{state:?}");
        let days = shop.experiment.conversions().unwrap().days;
        assert_eq!((days[0].counts.units.total(), days[0].counts.conversions.iter().sum::<u64>()), (2, 1));
        assert_eq!(shop.experiment.final_day(), i32::MAX);
    }
}

/// While its orders count, a unit keeps seeing the rankers that it met, whatever the policy has learnt; afterwards it sees the leader.
#[test]
fn a_unit_keeps_its_rankers_while_its_orders_count() {
    for (outcome_days, kept) in [(None, 1), (Some(2), 3)] {
        let config = config(2, "rucb");
        let config = match outcome_days {
            None => config,
            Some(days) => Config { outcome_days: Some(days), ..selling(config) },
        };
        let mut shop = Shop::open(config);
        let mut mixed = 0;
        for day in 0..6 {
            shop.now += DAY;
            let same = list(10);
            let of = |_: u32| Some(&same);
            let request = Request { unit: 1, ..Request::default() };
            let chosen = shop.experiment.choose(shop.now, &request, Some(&of)).unwrap();
            let RequestAnswer::New { is_mixed, .. } = chosen else { panic!() };
            assert_eq!(is_mixed, day + 1 < kept, "{outcome_days:?} {day}");
            mixed += usize::from(is_mixed);
        }
        assert_eq!(mixed, kept - 1);
    }
}

/// A conversion that is sent again counts once, even if it names no order.
#[test]
fn what_is_sent_again_counts_once() {
    let mut shop = Shop::open(selling(config(2, "fixed")));
    let fates = [(0, 700), (0, 700), (0, 800), (3, 700), (3, 700), (4, 700)];
    let fates = fates.map(|(order, value)| {
        shop.now += MINUTE;
        shop.order(1, 0, order, value)
    });
    use ConversionFate::{Duplicate, Taken};
    assert_eq!(fates, [Taken, Duplicate, Taken, Taken, Duplicate, Taken]);
}

#[test]
fn a_log_with_other_conversions_is_refused() {
    let mut shop = Shop::open(selling(config(2, "fixed")));
    shop.order(1, 0, 1, 700);
    shop.experiment.advance(shop.now + 4 * DAY);
    let log: Vec<RecordedEvent> = shop.experiment.take_events().into_iter().map(|numbered| numbered.recorded).collect();
    let mut refused = 0;
    for (at, recorded) in log.iter().enumerate() {
        let mut changed = Vec::new();
        match recorded.event().clone() {
            Event::Converted { time, conversion } => {
                for appearances in [vec![], vec![Appearance { impression: 9, position: 0 }]] {
                    let conversion = Box::new(Conversion { appearances, ..*conversion.clone() });
                    changed.push(Event::Converted { time, conversion });
                }
            }
            Event::Matured { time, day, mut rows } => {
                rows[0].counts.value[0] += 1;
                changed.push(Event::Matured { time, day, rows });
            }
            _ => continue,
        }
        for event in changed {
            let error = replayed(&log[..at]).fold(&RecordedEvent::of(event)).unwrap_err();
            assert!(matches!(error, FoldError::Differs { .. } | FoldError::Impossible { .. }), "{error}");
            refused += 1;
        }
    }
    assert_eq!(refused, 3);
}

#[test]
fn settings_that_cannot_be_credited_are_refused() {
    let error = |change: &dyn Fn(&mut Config)| {
        let mut config = selling(config(2, "fixed"));
        change(&mut config);
        config.resolved().unwrap_err().to_string()
    };
    for (change, expected) in [
        (
            &(|config: &mut Config| "optimized".clone_into(&mut config.interleaving)) as &dyn Fn(&mut Config),
            "interleaving: outcomes are credited to those who own documents",
        ),
        (&|config| config.cap = None, "cap: outcomes have a value: say by how much"),
        (&|config| config.cap = Some(0), "cap: expected 1 to 1000000000 minor units, found 0"),
        (&|config| config.currency = None, "currency: outcomes have a value: name the currency that counts"),
        (&|config| config.outcomes = Some([].into()), "outcomes: expected 1 to 20 actions, found 0"),
        (&|config| config.outcomes = None, "outcome_days: it says how `outcomes` are credited, and there are none"),
        (
            &|config| config.outcomes.as_mut().unwrap().extend([("cart".to_owned(), OutcomeKind::Number)]),
            "outcomes: some say \"number\" and others \"value\"",
        ),
        (
            &|config| config.outcomes.as_mut().unwrap().extend([("click".to_owned(), OutcomeKind::Value)]),
            "outcomes: `click` is a click, which counts anyway",
        ),
        (
            &|config| config.outcomes.as_mut().unwrap().values_mut().for_each(|kind| *kind = OutcomeKind::Number),
            "cap: only the number of these outcomes counts",
        ),
        (
            &|config| config.attribution = Some("first".to_owned()),
            "attribution: expected last, all, window=7d or most-drafted",
        ),
        (&|config| config.outcome_days = Some(9_999), "outcome_days: expected 0 to 3650, found 9999"),
        // A window of half an hour, the day itself, two for outcomes.
        (
            &|config| config.retain = Some("3d".to_owned()),
            "retain: expected at least 4d, because outcomes are credited for as long",
        ),
        (&|config| config.ask = traffic::Ask::Duels, "outcomes: judges buy nothing; leave it out"),
        (
            &|config| {
                (config.primary, config.keep) = (Some(Primary::Value), Keep::Impression);
                "rucb".clone_into(&mut config.policy);
            },
            "primary: with `keep` \"impression\", what a unit sees while its orders count follows",
        ),
    ] {
        let found = error(change);
        assert!(found.starts_with(expected), "{found}");
    }
    let kept = Config { retain: Some("4d".to_owned()), ..selling(config(2, "fixed")) };
    let resolved = kept.resolved().unwrap();
    assert_eq!((resolved.attribution.as_deref(), resolved.primary), (Some("last"), Some(Primary::Clicks)));
    let json = serde_json::to_value(&resolved).unwrap();
    assert_eq!(serde_json::from_value::<Config>(json).unwrap(), resolved);
    let window = Config { attribution: Some("window=36h".to_owned()), outcome_days: None, ..resolved };
    assert_eq!(window.resolved().unwrap().outcome_days, Some(2));
    assert!(Config { outcomes: None, ..config(2, "fixed") }.resolved().unwrap().primary.is_none());
}

/// Of two equal rankers with users who order one time in five, neither may win by the number of orders more often than the level
/// allows. The bound is four standard errors above it.
#[test]
fn equal_rankers_have_equal_orders() {
    const RUNS: u64 = 120;
    const LEVEL: f64 = 0.05;
    let [mut wins, mut orders, mut days] = [0_u64; 3];
    for run in 0..RUNS {
        let config = Config { primary: Some(Primary::Conversions), seed: run, ..selling(config(2, "fixed")) };
        let mut generator = Generator::seed_from_u64(1_000 + run);
        let mut now = 20_784 * DAY;
        let mut experiment = Experiment::create(config, now).unwrap();
        let lists = [list(10), list(10)];
        let mut unit = 0;
        for _ in 0..8 {
            for _ in 0..60 {
                (now, unit) = (now + MINUTE, unit + 1);
                let request = Request { unit, ..Request::default() };
                let of = |ranker: u32| lists.get(ranker as usize);
                let RequestAnswer::New { impression, .. } = experiment.choose(now, &request, Some(&of)).unwrap() else {
                    panic!()
                };
                if generator.random_range(0..5_u32) == 0 {
                    let position = generator.random_range(0..10_u32);
                    let appearances = vec![Appearance { impression, position }];
                    let conversion = Conversion { unit, document: 1, order: 0, action: 0, value: 500, appearances };
                    assert_eq!(experiment.take_conversion(now + 1, conversion), ConversionFate::Taken);
                    orders += 1;
                }
            }
            now += DAY - 60 * MINUTE;
        }
        experiment.advance(now + 4 * DAY);
        let verdict = experiment.verdict();
        days += verdict.sign_decision().days.map_or(0, |(first, last)| (last - first + 1) as u64);
        wins += u64::from(verdict.winner().is_some());
        let later = verdict.conversion_verdicts.unwrap();
        assert_eq!(later.by_number.pairs[0].last.counts.total(), unit, "who bought nothing counts too");
    }
    let error = (LEVEL * (1.0 - LEVEL) / RUNS as f64).sqrt();
    assert!((wins as f64) < RUNS as f64 * (LEVEL + 4.0 * error), "{wins} of {RUNS}");
    assert!(days == 8 * RUNS && orders > 80 * RUNS, "{days} {orders}");
}

/// The same where a policy learns from clicks, and users return while their orders count and buy what they see then: once a day, one of the
/// documents shown. If the policy showed the leader's list, only its documents would be bought.
#[test]
fn equal_rankers_have_equal_orders_whatever_a_policy_shows_later() {
    const RUNS: u64 = 60;
    const LEVEL: f64 = 0.05;
    let (mut wins, mut orders) = (0, 0);
    for run in 0..RUNS {
        let config = Config { primary: Some(Primary::Conversions), seed: run, ..selling(config(2, "rucb")) };
        let mut generator = Generator::seed_from_u64(2_000 + run);
        let mut now = 20_784 * DAY;
        let mut experiment = Experiment::create(config, now).unwrap();
        let lists = [0..10, 10..20].map(|documents: std::ops::Range<u16>| ListBuf::strict(documents.map(Doc)).unwrap());
        // By unit: its first list.
        let mut first: Vec<(u64, Vec<Doc>)> = Vec::new();
        for day in 0..8_u64 {
            let back = day.saturating_sub(2) * 40;
            for unit in back..(day + 1) * 40 {
                now += MINUTE;
                let of = |ranker: u32| lists.get(ranker as usize);
                let request = Request { unit: unit + 1, ..Request::default() };
                let chosen = experiment.choose(now, &request, Some(&of)).unwrap();
                let RequestAnswer::New { impression, documents: Some(shown), .. } = chosen else { panic!() };
                if unit as usize >= first.len() {
                    experiment.click(now, impression, generator.random_range(0..10));
                    first.push((impression, shown));
                    continue;
                }
                let document = shown[generator.random_range(0..shown.len().min(10))];
                let (impression, mixed) = &first[unit as usize];
                let Some(position) = mixed.iter().position(|known| *known == document) else { continue };
                let appearances = vec![Appearance { impression: *impression, position: position as u32 }];
                let number = u32::from(document.0) + 1;
                let conversion =
                    Conversion { unit: unit + 1, document: number, order: 0, action: 0, value: 500, appearances };
                let fate = experiment.take_conversion(now + 1, conversion);
                orders += u64::from(fate == ConversionFate::Taken);
            }
            now = (20_785 + day as i64) * DAY;
        }
        experiment.advance(now + 4 * DAY);
        wins += u64::from(experiment.verdict().winner().is_some());
    }
    let error = (LEVEL * (1.0 - LEVEL) / RUNS as f64).sqrt();
    assert!((wins as f64) < RUNS as f64 * (LEVEL + 4.0 * error), "{wins} of {RUNS}");
    assert!(orders > 100 * RUNS, "{orders}");
}

/// The measure chosen in advance decides: the headline, the advice, and the winner.
#[test]
fn what_was_named_decides() {
    for (primary, winner) in [(Primary::Clicks, "r1"), (Primary::Conversions, "r0"), (Primary::Value, "r1")] {
        let config = Config { primary: Some(primary), ..selling(config(2, "fixed")) };
        let mut now = 20_784 * DAY;
        let mut experiment = Experiment::create(config, now).unwrap();
        // Rankers that share no document, so that the owner of a position follows from its document.
        let lists = [0..10, 10..20].map(|documents: std::ops::Range<u16>| ListBuf::strict(documents.map(Doc)).unwrap());
        for unit in 1..=400 {
            now += MINUTE;
            let of = |ranker: u32| lists.get(ranker as usize);
            let request = Request { unit, ..Request::default() };
            let RequestAnswer::New { impression, documents, .. } = experiment.choose(now, &request, Some(&of)).unwrap()
            else {
                panic!()
            };
            let documents = documents.unwrap();
            let first_of =
                |ranker: u16| documents.iter().position(|document| document.0 / 10 == ranker).unwrap() as u32;
            // Many small orders from one ranker, few large ones from the other, which is clicked.
            experiment.click(now, impression, first_of(1));
            let (ranker, value) = if unit % 4 == 0 { (1, 3_000) } else { (0, 10) };
            let appearances = vec![Appearance { impression, position: first_of(ranker) }];
            let conversion = Conversion { unit, document: 1, order: 0, action: 0, value, appearances };
            assert_eq!(experiment.take_conversion(now + 1, conversion), ConversionFate::Taken);
        }
        let before = experiment.facts().headline(&experiment.verdict());
        assert_eq!(before.standing, traffic::ExperimentStatus::Waiting);
        let is_named = before.advice.contains(&format!("the first units close for {}", primary.name()));
        assert_eq!(is_named, primary != Primary::Clicks, "{before:?}");
        experiment.advance(now + 4 * DAY);
        let verdict = experiment.verdict();
        let headline = experiment.facts().headline(&verdict);
        assert_eq!((headline.winner.as_deref(), headline.action), (Some(winner), "ship"), "{headline:?}");
        assert!(headline.advice.starts_with(&format!("Ship {winner}")), "{headline:?}");
        let measures = verdict.measures();
        assert_eq!(measures.iter().map(|(measure, _)| *measure).collect::<Vec<_>>(), Primary::ALL);
        assert!(measures.iter().all(|(_, says)| says.contains("r0") && says.contains("r1")), "{measures:?}");
        let report = experiment.facts().report(&verdict).join("\n");
        let said = format!("Decided by {}, as was said beforehand.", primary.name());
        assert!(report.contains(&said) && report.contains("Beside it, and not to decide by:"), "{report}");
    }
}
