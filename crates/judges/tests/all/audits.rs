//! A model beside people: the judgements it saves, and that claims stay true however good it is.

use board::{Answer, Conclusion, Settings};
use judges::{AuditCounts, AuditedModel, Config, Purpose, Session, SessionError};
use rayon::prelude::*;
use statistics::Normals;

use crate::config;

const MODEL: &str = "gpt";

/// Judgements of people and of the model, on answers that differ in quality from question to question.
#[derive(Debug, Clone, Copy)]
struct World {
    competitors: u32,
    /// How many are the best.
    equal: u32,
    /// By how much they are ahead, in standard deviations of the quality of an answer.
    gap: f64,
    /// The standard deviation of what the model sees; of people it is 0.5.
    noise: f64,
    /// How much better the model takes its own family to be: the last competitor.
    family: f64,
    /// How much better it takes the answer shown first to be.
    place: f64,
    /// In each group of three, each is better than the next by the gap, and none is the best.
    cycle: bool,
}

impl World {
    /// Whether naming a competitor is wrong.
    fn is_wrong(&self, best: u32) -> bool {
        self.cycle || self.equal > 1 || best != 0
    }
}

impl World {
    /// The answers of a person and of the model to a question.
    fn say(&self, first: u32, second: u32, draws: &mut Normals) -> [Answer; 2] {
        let strength = |competitor: u32| if competitor < self.equal { self.gap } else { 0.0 };
        let ahead = match (self.cycle, (second + 3 - first) % 3) {
            (false, _) => strength(first) - strength(second),
            (true, 1) => self.gap,
            (true, _) => -self.gap,
        };
        let family = |competitor: u32| if competitor + 1 == self.competitors { self.family } else { 0.0 };
        let difference = ahead + draws.normal();
        let verdict = |seen: f64| match seen {
            seen if seen > 0.25 => Answer::First,
            seen if seen < -0.25 => Answer::Second,
            _ => Answer::Tie,
        };
        [
            verdict(difference + 0.5 * draws.normal()),
            verdict(difference + self.noise * draws.normal() + family(first) - family(second) + self.place),
        ]
    }
}

/// The judges who answer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Judges {
    People,
    Model,
    Both,
}

/// How a session ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    people: u64,
    model: u64,
    /// The competitor named as the best.
    best: Option<u32>,
}

pub(super) fn audited(competitors: u32, seed: u64, cost: f64) -> Config {
    let model = AuditedModel { name: MODEL.to_owned(), cost, people: vec!["ann".to_owned(), "ben".to_owned()] };
    Config { model: Some(model), ..config(competitors, seed) }
}

/// A session until the best is named, or people gave `most` answers (the model twenty times as many).
fn play(world: &World, judges: Judges, seed: u64, most: u64) -> Ended {
    let config =
        if judges == Judges::Both { audited(world.competitors, seed, 0.02) } else { config(world.competitors, seed) };
    let mut live = Session::new(config).unwrap();
    let mut draws = Normals::from_seed(seed ^ 0x61_7564);
    let mut said = Vec::new();
    let settings = Settings { checks: false, advice: false, looks: board::Looks::Every, ..Settings::default() };
    let mut ended = Ended { people: 0, model: 0, best: None };
    let mut next = 8;
    while ended.people < most && ended.model < 20 * most {
        let pair = live.ask(None).unwrap();
        let number = pair.ticket.number as usize;
        said.resize(number, [Answer::Tie; 2]);
        let is_model = judges == Judges::Model || pair.judge.as_deref() == Some(MODEL);
        let [person, model] = match pair.purpose {
            Purpose::Audit(of) => said[of as usize - 1],
            _ => world.say(pair.first, pair.second, &mut draws),
        };
        said[number - 1] = [person, model];
        live.tell(pair.ticket, if is_model { model } else { person }, None).unwrap();
        live.take_events();
        *(if is_model { &mut ended.model } else { &mut ended.people }) += 1;
        let answers = live.counts().answered;
        if answers < next {
            continue;
        }
        next = answers + (answers / 25).max(1);
        let table = live.evidence();
        if !table.judgements.is_empty() && board::named_by_strengths(&table, &settings).unwrap().is_some() {
            let board = live.board(&settings).unwrap();
            if let Conclusion::Best(leader) = board.conclusion {
                ended.best = live.competitor(&leader.name);
                break;
            }
        }
    }
    ended
}

/// How good the model is, in the words of the published table: noise, and its bias for its family, and for the answer shown first.
const MODELS: [(&str, [f64; 3]); 4] = [
    ("as a person", [0.5, 0.0, 0.0]),
    ("coarser", [1.0, 0.0, 0.0]),
    ("biased", [0.5, 1.0, 0.5]),
    ("worthless", [1e3, 0.0, 0.0]),
];

/// The pages with the table.
const PUBLISHED: &str = include_str!("../../../../docs/pages/trust.md");

/// The competitor named, how often that is wrong, and the cost: people alone, the model alone, both.
#[expect(clippy::print_stdout, reason = "prints what is published, with --nocapture")]
fn whom_to_ask(sessions: u64, most: u64, worlds: &[(&str, World)], is_published: bool) {
    let n = sessions as f64;
    let bound = (0.05 * n + 2.6 * (n * 0.05 * 0.95).sqrt()) as usize;
    println!("| competitors | model | people alone | wrong | model alone | wrong | people beside it | model | wrong |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut faults = Vec::new();
    for (words, world) in worlds {
        let of = |world: &World, judges: Judges| -> Vec<Ended> {
            (0..sessions).into_par_iter().map(|seed| play(world, judges, seed, most)).collect()
        };
        let median = |all: &[Ended], count: fn(&Ended) -> u64| {
            // If more than half of the sessions do not end, the median is infinite.
            let mut counts: Vec<u64> = all.iter().map(|ended| ended.best.map_or(u64::MAX, |_| count(ended))).collect();
            counts.sort_unstable();
            match counts[counts.len() / 2] {
                u64::MAX => "-".to_owned(),
                count => count.to_string(),
            }
        };
        let wrong =
            |all: &[Ended]| all.iter().filter_map(|ended| ended.best).filter(|best| world.is_wrong(*best)).count();
        let percent = |count: usize| format!("{:.0}", 100.0 * count as f64 / n);
        let alone = of(world, Judges::People);
        for (name, [noise, family, place]) in MODELS {
            let world = World { noise, family, place, ..*world };
            let (model, both) = (of(&world, Judges::Model), of(&world, Judges::Both));
            let row = format!(
                "| {words} | {name} | {} | {} | {} | {} | {} | {} | {} |",
                median(&alone, |ended| ended.people),
                percent(wrong(&alone)),
                median(&model, |ended| ended.model),
                percent(wrong(&model)),
                median(&both, |ended| ended.people),
                median(&both, |ended| ended.model),
                percent(wrong(&both)),
            );
            println!("{row}");
            if wrong(&both) > bound || is_published && !PUBLISHED.contains(&row) {
                faults.push(row);
            }
        }
    }
    assert!(faults.is_empty(), "over the bound, or other rows in docs/pages/trust.md: {faults:#?}");
}

fn worlds() -> Vec<(&'static str, World)> {
    let one = World { competitors: 3, equal: 1, gap: 0.5, noise: 0.0, family: 0.0, place: 0.0, cycle: false };
    vec![
        ("3", one),
        ("5", World { competitors: 5, ..one }),
        ("5, two equal best", World { competitors: 5, equal: 2, ..one }),
        ("3, equal", World { equal: 3, gap: 0.0, ..one }),
        ("3, a cycle", World { cycle: true, ..one }),
    ]
}

#[test]
fn a_model_names_nobody_falsely() {
    whom_to_ask(12, 250, &worlds()[3..], false);
}

#[test]
#[ignore = "takes minutes: cargo test -p judges --release -- --ignored whom_to_ask --nocapture"]
fn whom_to_ask_at_full_size() {
    whom_to_ask(100, 1_500, &worlds(), true);
}

/// The model says what the person says, and the lower place wins; audits are answered immediately, but the last.
pub(super) fn agreeing(live: &mut Session, questions: u64) {
    let mut asked = 0;
    loop {
        let pair = live.ask(None).expect("a pair");
        let is_new = pair.purpose == Purpose::New;
        asked += u64::from(is_new);
        if asked > questions && !is_new {
            return;
        }
        live.tell(pair.ticket, if pair.first < pair.second { Answer::First } else { Answer::Second }, None)
            .expect("open");
    }
}

#[test]
fn the_pair_says_whom_to_ask() {
    let mut live = Session::new(audited(3, 1, 0.02)).unwrap();
    let first = live.ask(None).unwrap();
    assert_eq!((first.judge.as_deref(), first.purpose), (Some(MODEL), Purpose::New));
    live.tell(first.ticket, Answer::First, None).unwrap();
    // Nothing is known of the model: the same question goes to a person, in the same order.
    let audit = live.ask(None).unwrap();
    assert_eq!(audit.purpose, Purpose::Audit(first.ticket.number));
    assert_eq!((audit.first, audit.second, audit.judge.as_deref()), (first.first, first.second, Some("ann")));
    assert!(live.evidence().judgements.is_empty() && live.recommend().is_none(), "it waits");
    // The other person is asked something else, in the meantime as the model would be; it counts after the audit.
    let alone = live.ask(Some("ben")).unwrap();
    assert_eq!(alone.purpose, Purpose::New);
    live.tell(alone.ticket, Answer::Second, None).unwrap();
    assert!(live.evidence().judgements.is_empty());
    live.tell(audit.ticket, Answer::Second, None).unwrap();
    let points: Vec<f64> = live.evidence().judgements.iter().map(|row| row.verdict.score()).collect();
    assert_eq!(points, [0.0, 0.0], "with certainty of an audit, people alone count");
    assert_eq!(live.audit_counts().unwrap(), AuditCounts { answers: 1, audits: 1, agreed: 0, due: 0, alone: 1 });
    // Both people were asked once, so the first of them is next.
    let second = live.ask(None).unwrap();
    live.tell(second.ticket, Answer::Tie, None).unwrap();
    assert_eq!(live.ask(None).unwrap().judge.as_deref(), Some("ann"));
    let refused = live.ask(Some("eve")).unwrap_err().to_string();
    assert_eq!(refused, "judge `eve` is neither the model `gpt` nor one of its people (ann, ben)");
    assert!(live.tell(second.ticket, Answer::Tie, Some("eve")).is_err());
}

#[test]
fn an_audit_that_all_pass_over_is_a_tie_and_the_rest_is_settled() {
    let mut live = Session::new(audited(2, 1, 0.02)).unwrap();
    let first = live.ask(None).unwrap();
    live.tell(first.ticket, Answer::First, None).unwrap();
    assert!(matches!(live.take_back(first.ticket, None), Err(SessionError::Settled { .. })));
    assert_eq!(live.undo(Some(MODEL)), Ok(None));
    for person in ["ann", "ben"] {
        let audit = live.ask(None).unwrap();
        assert_eq!((audit.purpose, audit.judge.as_deref()), (Purpose::Audit(1), Some(person)));
        live.forget(audit.ticket).unwrap();
        assert!(matches!(live.take_back(audit.ticket, None), Err(SessionError::Settled { .. })));
    }
    let points: Vec<f64> = live.evidence().judgements.iter().map(|row| row.verdict.score()).collect();
    assert_eq!(points, [0.5]);
    assert_eq!(live.audit_counts().unwrap(), AuditCounts { answers: 1, audits: 1, agreed: 0, due: 0, alone: 0 });
    // An answer of a person is taken back as always.
    let second = live.ask(None).unwrap();
    live.tell(second.ticket, Answer::First, None).unwrap();
    let audit = live.ask(None).unwrap();
    live.tell(audit.ticket, Answer::First, None).unwrap();
    assert_eq!((live.evidence().judgements.len(), live.audit_counts().unwrap().agreed), (2, 1));
    assert_eq!(live.undo(audit.judge.as_deref()), Ok(Some(audit.ticket)));
    assert_eq!((live.evidence().judgements.len(), live.audit_counts().unwrap().due), (1, 1));
    live.tell(audit.ticket, Answer::Second, None).unwrap();
    assert_eq!(live.evidence().judgements[1].verdict.score(), 0.0);
}

/// The points of a question have the expectation of people's points: over the coins of 20,000 questions that a model answers at random.
#[test]
fn the_expected_points_are_those_of_people() {
    let mut live = Session::new(audited(2, 5, 1e-4)).unwrap();
    let mut draws = Normals::from_seed(2);
    let mut sums = [0.0, 0.0];
    for _ in 0..20_000 {
        let pair = live.ask(None).unwrap();
        // The model is right in three quarters of the questions.
        let is_right = draws.uniform() < 0.75;
        let says = [Answer::First, Answer::Second];
        let person = usize::from(draws.uniform() < 0.3);
        let ticket = pair.ticket;
        live.tell(ticket, says[if is_right { person } else { 1 - person }], None).unwrap();
        if live.audit_counts().unwrap().due > 0 {
            let audit = live.ask(None).unwrap();
            live.tell(audit.ticket, says[person], None).unwrap();
        }
        sums[0] += 1.0 - person as f64;
        live.take_events();
    }
    let audited = live.audit_counts().unwrap();
    assert!(audited.audits < 6_000, "{audited:?}");
    let rows = live.evidence().judgements;
    let mean = rows.iter().map(|row| row.verdict.score()).sum::<f64>() / rows.len() as f64;
    let variance = rows.iter().map(|row| (row.verdict.score() - mean).powi(2)).sum::<f64>() / rows.len() as f64;
    sums[1] = mean * rows.len() as f64;
    // People's points vary less than the corrected ones do.
    let bound = 4.0 * (variance * rows.len() as f64).sqrt();
    assert!((sums[0] - sums[1]).abs() < bound, "{sums:?}, {bound}");
    let spread: f64 = rows
        .iter()
        .map(|row| match row.verdict {
            Answer::Corrected { spread, .. } => spread,
            _ => panic!("corrected"),
        })
        .sum::<f64>()
        / rows.len() as f64;
    let found = variance + (mean - 0.5).powi(2);
    assert!((spread / found - 1.0).abs() < 0.1, "expected {spread}, found {found}");
}

#[test]
fn settings_beside_a_model_are_checked() {
    let refused = |change: &dyn Fn(&mut Config)| {
        let mut config = audited(3, 1, 0.02);
        change(&mut config);
        config.check().unwrap_err().to_string()
    };
    let model = |config: &mut Config, change: &dyn Fn(&mut AuditedModel)| change(config.model.as_mut().unwrap());
    assert_eq!(
        refused(&|config| model(config, &|model| model.people.clear())),
        "people: somebody must audit `gpt`: name at least one person"
    );
    assert!(refused(&|config| model(config, &|model| model.people.push("gpt".into()))).contains("which is the model"));
    assert!(refused(&|config| model(config, &|model| model.people.push("ann".into()))).contains("are both `ann`"));
    for cost in [0.0, 1.5, f64::NAN] {
        assert!(refused(&|config| model(config, &|model| model.cost = cost)).starts_with("model_cost: expected what"));
    }
    assert!(refused(&|config| config.both = true).starts_with("both: "));
    assert!(refused(&|config| config.repeat = 0.1).starts_with("repeat: "));
    assert!(refused(&|config| config.policy = "rucb".into()).starts_with("policy: `rucb` learns from verdicts"));
}

#[test]
fn chances_are_given_beside_a_model() {
    let mut live = Session::new(audited(3, 4, 0.02)).unwrap();
    agreeing(&mut live, 6);
    let audit = live.open().next().unwrap().clone();
    live.tell(audit.ticket, Answer::Tie, None).unwrap();
    let settings = Settings { advice: false, checks: false, ..Settings::default() };
    let chances = live.chances(&settings, judges::Plays { plays: 20, most: 300 }).unwrap();
    assert!(chances.plays == 20 && chances.chances.last().is_some_and(|last| last.share > 0.0), "{chances:?}");
    assert_eq!(live.chances(&settings, judges::Plays { plays: 20, most: 300 }), Ok(chances));
}
