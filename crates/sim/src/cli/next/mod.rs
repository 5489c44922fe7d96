//! `rankduel next`: the next pair for a judge, from a session in a file.
//!
//! | in | is |
//! |---|---|
//! | this file | flags, and what a call does |
//! | `session` | the file: read, checked against the flags, written |
//! | `interactive` | a judge at the terminal |

mod interactive;
mod session;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use judges::{Answer, Goal, Pair, Ticket, verdict_from_word};
use letor_io::NameList;
use output::numbers::{parse_confidence, parse_positive};
use output::usage::usage;
use serde::Serialize;
use studies::request::parse_tolerance;

use self::session::Session;
use desk::println;

/// The next pair for a judge: a dueling bandit asks people or models who compare two answers.
///
/// A session is one file, a log of pairs and answers. The first call creates it and needs the competitors; later calls read
/// the settings from it. Each call records the answers that it is given and prints the next pair as a line of JSON, with a ticket for the
/// answer. What is printed is on the disk. Any number of pairs may be open, several judges may call together, and answers may come late
/// or never.
///
/// With --status, --export or --open, and with --no-ask, no pair is asked.
#[derive(Debug, Args)]
pub(super) struct Next {
    /// The file of the session, created by the first call
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    state: PathBuf,

    /// An answer: first, second, tie or both-bad, for the pair of this ticket; may be repeated
    #[arg(long, value_name = "TICKET=VERDICT", value_parser = parse_answer)]
    answer: Vec<(Ticket, Answer)>,

    /// A pair that will not be answered; it is asked again later. May be repeated
    #[arg(long, value_name = "TICKET", value_parser = parse_ticket)]
    forget: Vec<Ticket>,

    /// Who judges: recorded with the pairs that are asked and the answers that are given
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,

    /// How many pairs to ask, one line each, all open together [default: 1]
    #[arg(long = "batch", id = "pairs", value_name = "N", value_parser = parse_positive)]
    pairs: Option<u64>,

    /// Record answers, and ask for nothing
    #[arg(long, conflicts_with_all = ["pairs", "interactive"])]
    no_ask: bool,

    /// Print the pairs that are open, as they were printed when they were asked
    #[arg(long, conflicts_with_all = ["pairs", "interactive"])]
    open: bool,

    /// Say how many pairs were asked and answered, who leads, and whether the best is known, so that one may stop
    #[arg(long, conflicts_with_all = ["pairs", "interactive"])]
    status: bool,

    /// With --status: the confidence of naming the best, at all looks together
    #[arg(long, value_name = "C", default_value = "0.95", value_parser = parse_confidence, requires = "status")]
    confidence: f64,

    /// Write all answers to a CSV file: first, second, winner, item, judge, ticket
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pairs", "interactive"], value_hint = clap::ValueHint::FilePath)]
    export: Option<PathBuf>,

    /// Ask a judge at the terminal until q: 1, 2, t (tie), b (both bad), s (skip)
    #[arg(long, conflicts_with = "pairs")]
    interactive: bool,

    #[command(flatten)]
    settings: Settings,
}

/// The settings of a session. They never change: later calls may repeat them, and are refused if they differ.
#[derive(Debug, Args)]
#[command(next_help_heading = "Settings of a new session")]
pub(super) struct Settings {
    /// The competitors (models, prompts, rankers; one with a comma in quotation marks)
    #[arg(long, value_name = "NAME,...")]
    competitors: Vec<NameList>,

    /// The competitors, from a file with one name per line
    #[arg(long, value_name = "FILE", conflicts_with = "competitors", value_hint = clap::ValueHint::FilePath)]
    competitors_from: Option<PathBuf>,

    /// What they are compared on (prompts, queries), from a file with one item per line; each pair goes through all of them in its own order
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    items: Option<PathBuf>,

    /// best: name the best; order: rank all; uniform: every pair equally often [default: best]
    #[arg(long, value_name = "best|order|uniform", value_parser = parse_goal)]
    goal: Option<Goal>,

    /// Who chooses pairs for goal best: top-two, or an algorithm of `rankduel algorithms` that plays two arms at a time [default: auto]
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,

    /// How many judgements there will be, for policies that must know
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    horizon: Option<u64>,

    /// From which all random choices follow [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Ask each pair in both orders on its item; a disagreement is a tie for the policy
    #[arg(long)]
    both: bool,

    /// The share of pairs that repeat an earlier question, 0 to 0.5, to see whether judges agree with themselves; the policy does not learn from
    /// them [default: 0]
    #[arg(long, value_name = "SHARE")]
    repeat: Option<f64>,

    /// By how much the best may be better than the one that is named, as a share of points: with 0.05, one that gets at least 45% against
    /// each other is good enough; without, a session between equals never ends [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = parse_tolerance)]
    tolerance: Option<f64>,
}

/// More pairs are not asked together.
const MOST_PAIRS: u64 = 100_000;

fn parse_ticket(text: &str) -> Result<Ticket, String> {
    text.parse().map_err(|error: judges::SessionError| error.to_string())
}

fn parse_answer(text: &str) -> Result<(Ticket, Answer), String> {
    let expected = "expected TICKET=VERDICT, e.g. 17-0a1b2c3d=first";
    let (ticket, word) = text.split_once('=').ok_or(expected)?;
    let verdict = verdict_from_word(word)
        .ok_or_else(|| format!("expected the verdict first, second, tie or both-bad, found `{word}`"))?;
    Ok((parse_ticket(ticket)?, verdict))
}

fn parse_goal(text: &str) -> Result<Goal, String> {
    let goals = [Goal::Best, Goal::Order, Goal::Uniform];
    goals.into_iter().find(|goal| goal.name() == text).ok_or_else(|| "expected best, order or uniform".to_owned())
}

/// A pair as it is printed.
#[derive(Serialize)]
struct Printed<'a> {
    ticket: String,
    first: &'a str,
    second: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'a str>,
}

fn printed<'a>(live: &'a judges::Session, pair: &'a Pair) -> Printed<'a> {
    let name = |place: u32| live.config().names[place as usize].as_str();
    Printed {
        ticket: pair.ticket.to_string(),
        first: name(pair.first),
        second: name(pair.second),
        item: pair.item.map(|item| live.config().items[item as usize].as_str()),
        judge: pair.judge.as_deref(),
    }
}

impl Next {
    pub(super) fn run(self) -> Result<()> {
        let count = self.pairs.unwrap_or(1);
        if count > MOST_PAIRS {
            return Err(usage(format_args!("--batch {count}: at most {MOST_PAIRS} pairs are asked in one call")));
        }
        if self.interactive {
            return interactive::judge(&self);
        }
        let mut session = Session::open(&self)?;
        self.record_answers(&mut session)?;
        let asked = if self.asks() {
            session.live.ask_many(count as usize, self.judge.as_deref()).map_err(usage)?
        } else {
            Vec::new()
        };
        session.save()?;
        let live = &session.live;
        if let Some(path) = &self.export {
            export(live, path)?;
        }
        let open: Vec<&Pair> = if self.open { live.open().collect() } else { asked.iter().collect() };
        for pair in open {
            println!("{}", serde_json::to_string(&printed(live, pair))?);
        }
        if self.status {
            println!("{}", live.status());
            if live.counts().answered > 0 {
                let settings = board::Settings { level: self.confidence, advice: false, ..Default::default() };
                println!("{}", live.board(&settings).map_err(usage)?.sentence);
            }
        }
        Ok(())
    }

    /// Whether a pair is asked.
    fn asks(&self) -> bool {
        !(self.no_ask || self.status || self.open || self.export.is_some())
    }

    /// Whether the file may change.
    fn writes(&self) -> bool {
        self.asks() || !self.answer.is_empty() || !self.forget.is_empty()
    }

    fn record_answers(&self, session: &mut Session) -> Result<()> {
        let judge = self.judge.as_deref();
        for (ticket, verdict) in &self.answer {
            session.live.tell(*ticket, *verdict, judge).map_err(|error| usage(format_args!("--answer: {error}")))?;
        }
        for ticket in &self.forget {
            session.live.forget(*ticket).map_err(|error| usage(format_args!("--forget: {error}")))?;
        }
        Ok(())
    }
}

/// The table of all answers.
fn export(live: &judges::Session, path: &std::path::Path) -> Result<()> {
    let (config, judges) = (live.config(), live.judges());
    let rows = live.judged().iter().map(|judged| {
        let name = |place: u32| config.names[place as usize].as_str();
        (
            name(judged.first),
            name(judged.second),
            judges::verdict_word(judged.verdict).unwrap_or_default(),
            judged.item.map_or("", |item| config.items[item as usize].as_str()),
            judged.judge.map_or("", |judge| judges[judge as usize].as_str()),
            judged.ticket.to_string(),
        )
    });
    output::write_csv(path, &["first", "second", "winner", "item", "judge", "ticket"], rows)
}
