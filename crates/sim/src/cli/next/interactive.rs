//! A judge at the terminal. The file is locked only while it is read and written, so that other judges can go on meanwhile.

use std::io::{self, BufRead as _};

use anyhow::{Context as _, Result};
use judges::{Answer, Pair, Session, Ticket};
use judging::Texts;
use output::usage::usage;
use ranktypes::text::harmless;

use super::Next;
use desk::println;

/// The judge's reply.
enum Reply {
    Answer(Answer),
    Skip,
    Undo,
    Quit,
}

fn parse_reply(line: &str) -> Option<Reply> {
    Some(match line.trim().to_lowercase().as_str() {
        "1" => Reply::Answer(Answer::First),
        "2" => Reply::Answer(Answer::Second),
        "t" => Reply::Answer(Answer::Tie),
        "b" => Reply::Answer(Answer::BothBad),
        "s" => Reply::Skip,
        "u" => Reply::Undo,
        "q" => Reply::Quit,
        _ => return None,
    })
}

/// Asks until the judge has had enough, or the input ends. The pair that is open then is given back.
pub(super) fn judge_interactively(next: &Next) -> Result<()> {
    let judge = next.judge.as_deref();
    let texts = next.texts()?;
    let mut previous: Option<(Ticket, Reply)> = None;
    // Shown next, if still open: the last comes first.
    let mut deferred: Vec<Ticket> = Vec::new();
    let mut is_first = true;
    loop {
        let mut file = next.open(texts.as_ref())?;
        if is_first {
            if let (Some(model), None) = (&file.session.config().model, judge) {
                return Err(usage(format_args!(
                    "--interactive: say who judges with --judge, one of {}",
                    ranktypes::text::join_list(&model.people)
                )));
            }
            next.record_answers(&mut file)?;
            next.check_texts(texts.as_ref(), &file)?;
            is_first = false;
        }
        match previous.take() {
            Some((ticket, Reply::Answer(verdict))) => file.session.tell(ticket, verdict, judge).map_err(usage)?,
            Some((ticket, Reply::Skip)) => file.session.forget(ticket).map_err(usage)?,
            Some((ticket, Reply::Undo)) => {
                let undone_ticket = file.session.undo(judge).map_err(usage)?;
                if undone_ticket.is_none() {
                    println!("there is nothing to undo");
                }
                deferred.extend([ticket].into_iter().chain(undone_ticket));
            }
            Some((ticket, Reply::Quit)) => {
                deferred.push(ticket);
                for ticket in deferred.into_iter().filter(|ticket| is_open(&file.session, *ticket)).collect::<Vec<_>>()
                {
                    file.session.forget(ticket).map_err(usage)?;
                }
                file.save()?;
                println!("{}", file.session.status());
                return Ok(());
            }
            None => {}
        }
        deferred.retain(|ticket| is_open(&file.session, *ticket));
        let pair_again =
            deferred.pop().and_then(|ticket| file.session.open().find(|pair| pair.ticket == ticket).cloned());
        let pair = match pair_again {
            Some(pair) => pair,
            None => file.session.ask(judge).map_err(usage)?,
        };
        file.save()?;
        print(&file.session, &pair, texts.as_ref());
        drop(file);
        previous = Some((pair.ticket, read_reply()?));
    }
}

fn is_open(session: &Session, ticket: Ticket) -> bool {
    session.open().any(|pair| pair.ticket == ticket)
}

fn print(session: &Session, pair: &Pair, texts: Option<&Texts>) {
    let config = session.config();
    let names = [pair.first, pair.second].map(|place| config.names[place as usize].as_str());
    let item = pair.item.map(|item| config.items[item as usize].as_str());
    let Some(texts) = texts else {
        if let Some(item) = item {
            println!("{item}");
        }
        println!("1: {}   2: {}", names[0], names[1]);
        return;
    };
    println!("\n{}", harmless(item.map_or("", |item| texts.question(item))));
    for (number, name) in (1..).zip(names) {
        println!("--- {number} ---\n{}", harmless(texts.text(item.unwrap_or_default(), name).unwrap_or_default()));
    }
    println!("---");
}

/// The next line that is an answer.
fn read_reply() -> Result<Reply> {
    loop {
        println!("1, 2, t (tie), b (both bad), s (skip), u (undo), q (quit)?");
        let mut line = String::new();
        let read_bytes = io::stdin().lock().read_line(&mut line).context("failed to read the answer")?;
        if read_bytes == 0 {
            return Ok(Reply::Quit);
        }
        if let Some(reply) = parse_reply(&line) {
            return Ok(reply);
        }
    }
}
