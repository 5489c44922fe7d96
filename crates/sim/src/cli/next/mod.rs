//! `rankduel next`: the next pair for a judge, from a session in a file.
//!
//! | in | is |
//! |---|---|
//! | this file | flags, and what a call does |
//! | `interactive` | a judge at the terminal |

mod interactive;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use judges::{Answer, Pair, Ticket, verdict_from_word};
use judging::{SessionFile, Settings, Texts};
use output::messages::note;
use output::numbers::{parse_confidence, parse_positive};
use output::usage::usage;
use serde::Serialize;

use desk::println;

/// The next pair for a judge: a dueling bandit asks people or models.
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

    /// A pair whose answer was a mistake, or that was forgotten by mistake: it is open again. May be repeated
    #[arg(long, value_name = "TICKET", value_parser = parse_ticket)]
    take_back: Vec<Ticket>,

    /// Who judges: recorded with the pairs that are asked and the answers that are given. Beside a model, the pair says who judges if this
    /// does not
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

    /// Write all answers to a CSV file: first, second, winner, item, judge, ticket, and note if there are any
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pairs", "interactive"], value_hint = clap::ValueHint::FilePath)]
    export: Option<PathBuf>,

    /// Ask a judge at the terminal until q: 1, 2, t (tie), b (both bad), s (skip), u (undo the last one)
    #[arg(long, conflicts_with = "pairs")]
    interactive: bool,

    /// With --interactive and --sheet: show texts instead of names, from a table with the columns item, competitor and text (CSV or JSON Lines);
    /// a new session is about what it holds
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    texts: Option<PathBuf>,

    /// Write the pairs to a table that a judge fills in: CSV with an empty column `better`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_ask", "status", "export", "interactive"], value_hint = clap::ValueHint::FilePath)]
    sheet: Option<PathBuf>,

    /// Record the answers of such a table: 1, 2, 0 (tie) or 9 (both bad) in the column `better`; all or none
    #[arg(long, value_name = "FILE", conflicts_with = "interactive", value_hint = clap::ValueHint::FilePath)]
    filled: Option<PathBuf>,

    #[command(flatten)]
    settings: Settings,
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

/// A pair as it is printed.
#[derive(Serialize)]
struct PrintedPair<'a> {
    ticket: String,
    first: &'a str,
    second: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'a str>,
}

fn printed_pair<'a>(session: &'a judges::Session, pair: &'a Pair) -> PrintedPair<'a> {
    let name = |place: u32| session.config().names[place as usize].as_str();
    PrintedPair {
        ticket: pair.ticket.to_string(),
        first: name(pair.first),
        second: name(pair.second),
        item: pair.item.map(|item| session.config().items[item as usize].as_str()),
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
            return interactive::judge_interactively(&self);
        }
        if self.texts.is_some() && self.sheet.is_none() {
            return Err(usage("--texts is shown by --interactive and --sheet: add one of them"));
        }
        let texts = self.texts()?;
        let mut file = self.open(texts.as_ref())?;
        self.check_texts(texts.as_ref(), &file)?;
        self.record_answers(&mut file)?;
        let pairs = if self.asks_for_pairs() {
            file.session.ask_many(count as usize, self.judge.as_deref()).map_err(usage)?
        } else {
            Vec::new()
        };
        file.save()?;
        let live = &file.session;
        if let Some(path) = &self.export {
            let (header, rows) = judging::answers::table(live);
            output::write_csv(path, &header, rows)?;
        }
        let pairs: Vec<&Pair> = if self.open { live.open().collect() } else { pairs.iter().collect() };
        if let Some(path) = &self.sheet {
            output::write_atomic(path, &judging::sheet::sheet_of(live, pairs, texts.as_ref())?)?;
        } else {
            for pair in pairs {
                println!("{}", serde_json::to_string(&printed_pair(live, pair))?);
            }
        }
        if self.status {
            println!("{}", live.status());
            if !live.evidence().judgements.is_empty() {
                let settings = board::Settings { level: self.confidence, advice: false, ..Default::default() };
                println!("{}", live.board(&settings).map_err(usage)?.sentence);
            }
        }
        Ok(())
    }

    fn texts(&self) -> Result<Option<Texts>> {
        self.texts.as_deref().map(Texts::read).transpose()
    }

    /// Refuses texts that lack items or competitors of the session.
    fn check_texts(&self, texts: Option<&Texts>, file: &SessionFile) -> Result<()> {
        let agreed = texts.map_or(Ok(()), |texts| texts.agree_with(file.session.config()));
        agreed.map_err(|error| usage(format_args!("--texts: {error}")))
    }

    fn open(&self, texts: Option<&Texts>) -> Result<SessionFile> {
        let file = self.settings.open(&self.state, self.asks_for_pairs(), self.writes_files(), texts)?;
        if file.session.counts().asked == 0 {
            let names = file.session.config().names.iter().map(String::as_str);
            board::read::nearly_equal(names, "competitors").iter().for_each(|said| note(false, said));
        }
        Ok(file)
    }

    /// Whether a pair is asked.
    fn asks_for_pairs(&self) -> bool {
        let only_records = self.filled.is_some() && self.pairs.is_none() && self.sheet.is_none() && !self.interactive;
        !(self.no_ask || self.status || self.open || self.export.is_some() || only_records)
    }

    /// Whether the file may change.
    fn writes_files(&self) -> bool {
        self.asks_for_pairs()
            || self.filled.is_some()
            || [self.answer.len(), self.forget.len(), self.take_back.len()] != [0; 3]
    }

    fn record_answers(&self, file: &mut SessionFile) -> Result<()> {
        let judge = self.judge.as_deref();
        for ticket in &self.take_back {
            file.session.take_back(*ticket, judge).map_err(|error| usage(format_args!("--take-back: {error}")))?;
        }
        for (ticket, verdict) in &self.answer {
            file.session.tell(*ticket, *verdict, judge).map_err(|error| usage(format_args!("--answer: {error}")))?;
        }
        if let Some(path) = &self.filled {
            for row in judging::sheet::read(path)? {
                let recorded = file.session.tell_with_note(row.ticket, row.verdict, judge, row.note.as_deref());
                recorded.map_err(|error| usage(format_args!("{}, line {}: {error}", path.display(), row.line)))?;
            }
        }
        for ticket in &self.forget {
            file.session.forget(*ticket).map_err(|error| usage(format_args!("--forget: {error}")))?;
        }
        Ok(())
    }
}
