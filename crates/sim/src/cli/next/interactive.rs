//! A judge at the terminal. The file is locked only while it is read and written, so that other judges can go on meanwhile.

use std::io::{self, BufRead as _};

use anyhow::{Context as _, Result};
use judges::{Answer, Ticket};
use output::usage::usage;

use super::Next;
use super::session::Session;
use desk::println;

/// What the judge said.
enum Said {
    Answer(Answer),
    Skip,
    Quit,
}

fn said(line: &str) -> Option<Said> {
    Some(match line.trim().to_lowercase().as_str() {
        "1" => Said::Answer(Answer::First),
        "2" => Said::Answer(Answer::Second),
        "t" => Said::Answer(Answer::Tie),
        "b" => Said::Answer(Answer::BothBad),
        "s" => Said::Skip,
        "q" => Said::Quit,
        _ => return None,
    })
}

/// Asks until the judge has had enough, or the input ends. The pair that is open then is given back.
pub(super) fn judge(next: &Next) -> Result<()> {
    let judge = next.judge.as_deref();
    let mut before: Option<(Ticket, Said)> = None;
    let mut is_first = true;
    loop {
        let mut session = Session::open(next)?;
        if is_first {
            next.record_answers(&mut session)?;
            is_first = false;
        }
        let quits = matches!(before, Some((_, Said::Quit)));
        match before.take() {
            Some((ticket, Said::Answer(verdict))) => session.live.tell(ticket, verdict, judge).map_err(usage)?,
            Some((ticket, Said::Skip | Said::Quit)) => session.live.forget(ticket).map_err(usage)?,
            None => {}
        }
        if quits {
            session.save()?;
            println!("{}", session.live.status());
            return Ok(());
        }
        let pair = session.live.ask(judge).map_err(usage)?;
        session.save()?;
        let config = session.live.config();
        if let Some(item) = pair.item {
            println!("{}", config.items[item as usize]);
        }
        println!("1: {}   2: {}", config.names[pair.first as usize], config.names[pair.second as usize]);
        drop(session);
        before = Some((pair.ticket, answer()?));
    }
}

/// The next line that is an answer.
fn answer() -> Result<Said> {
    loop {
        println!("1, 2, t (tie), b (both bad), s (skip), q (quit)?");
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line).context("failed to read the answer")?;
        if read == 0 {
            return Ok(Said::Quit);
        }
        if let Some(said) = said(&line) {
            return Ok(said);
        }
    }
}
