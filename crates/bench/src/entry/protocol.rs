//! The lines of JSON that the benchmark and another program exchange. `docs/pages/bandits/bench.md` has them for authors.

use ranktypes::Preference;
use serde::{Deserialize, Serialize};

use super::{Action, Answer, Arrived, Foul, Move, Start};
use crate::track::Track;

/// The version of these lines.
pub(crate) const PROTOCOL: u32 = 1;

/// The first line.
#[derive(Serialize)]
pub(super) struct StartLine {
    protocol: u32,
    task: Track,
    arms: usize,
    horizon: u64,
    seed: u64,
    /// Which of the two forms outcomes have.
    late: bool,
}

impl StartLine {
    pub(super) fn of(start: &Start) -> Self {
        let Start { task, arms, horizon, seed } = *start;
        Self { protocol: PROTOCOL, task, arms, horizon, seed, late: task == Track::Late }
    }
}

/// The word for an outcome.
fn word(outcome: Preference) -> &'static str {
    match outcome {
        Preference::First => "first",
        Preference::Second => "second",
        Preference::Tie => "tie",
    }
}

#[derive(Serialize)]
struct LateOutcome {
    of: u64,
    outcome: &'static str,
}

/// A line with outcomes.
#[derive(Serialize)]
pub(super) struct OutcomeLine {
    /// The outcome of the step before; `null` if there is none, because an arm was alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Option<&'static str>>,
    /// The outcomes that came late.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<Vec<LateOutcome>>,
    /// Whether this is the last line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    done: bool,
}

impl OutcomeLine {
    pub(super) fn of(late: bool, arrived: &[Arrived], done: bool) -> Self {
        if late {
            let outcomes =
                arrived.iter().map(|arrived| LateOutcome { of: arrived.step, outcome: word(arrived.outcome) });
            return Self { outcome: None, outcomes: Some(outcomes.collect()), done };
        }
        Self { outcome: Some(arrived.last().map(|arrived| word(arrived.outcome))), outcomes: None, done }
    }
}

/// A line of the program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    pair: Option<[u64; 2]>,
    winner: Option<u64>,
    best: Option<u64>,
    order: Option<Vec<u64>>,
}

/// Reads a line in answer to outcomes that are not the last.
pub(super) fn read_move(text: &str, arms: usize) -> Result<Move, Foul> {
    let line = parse(text)?;
    if let Some(pair) = line.pair {
        if line.best.is_some() || line.order.is_some() {
            return Err(Foul::Broke(
                "wrote a pair and an answer in one line; a pair asks on, `best` and `order` end".to_owned(),
            ));
        }
        let pair = [arm(pair[0], arms)?, arm(pair[1], arms)?];
        let winner = line.winner.map(|winner| arm(winner, arms)).transpose()?;
        return Ok(Move { action: Action::Pair(pair), winner });
    }
    let answer = answer_of(&line, arms)?;
    if answer == Answer::default() {
        return Err(Foul::Broke(format!("wrote {}, where {{\"pair\": [I, J]}} was due", line_start(text))));
    }
    Ok(Move { action: Action::Enough(answer), winner: line.winner.map(|winner| arm(winner, arms)).transpose()? })
}

/// Reads the line in answer to the last outcomes.
pub(super) fn read_answer(text: &str, arms: usize) -> Result<Answer, Foul> {
    let line = parse(text)?;
    if line.pair.is_some() {
        return Err(Foul::Broke("asked for a pair after the last step, where {\"best\": I} was due".to_owned()));
    }
    answer_of(&line, arms)
}

fn parse(text: &str) -> Result<Line, Foul> {
    serde_json::from_str(text).map_err(|error| {
        Foul::Broke(format!("wrote {}, which is not a line of the protocol ({error})", line_start(text)))
    })
}

fn answer_of(line: &Line, arms: usize) -> Result<Answer, Foul> {
    let best = line.best.map(|best| arm(best, arms)).transpose()?;
    let Some(order) = &line.order else { return Ok(Answer { best, order: None }) };
    let order: Vec<usize> = order.iter().map(|&of| arm(of, arms)).collect::<Result<_, _>>()?;
    let mut is_listed = vec![false; arms];
    if order.iter().any(|&arm| std::mem::replace(&mut is_listed[arm], true)) || order.len() != arms {
        return Err(Foul::Broke(format!(
            "wrote an order of {} arms; each of the {arms} must be in it once",
            order.len()
        )));
    }
    Ok(Answer { best: best.or(order.first().copied()), order: Some(order) })
}

fn arm(number: u64, arms: usize) -> Result<usize, Foul> {
    usize::try_from(number)
        .ok()
        .filter(|arm| *arm < arms)
        .ok_or_else(|| Foul::Broke(format!("named arm {number}; there are arms 0 to {}", arms - 1)))
}

/// The beginning of a line, for messages.
fn line_start(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let escaped: String = text.chars().take(MAX_CHARS).flat_map(char::escape_debug).collect();
    format!("\"{escaped}{}\"", if text.chars().nth(MAX_CHARS).is_some() { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_page() {
        let start = Start { task: Track::Regret, arms: 25, horizon: 100, seed: 7 };
        assert_eq!(
            json(&StartLine::of(&start)),
            r#"{"protocol":1,"task":"regret","arms":25,"horizon":100,"seed":7,"late":false}"#
        );
        let arrived = [Arrived { step: 3, pair: [0, 1], outcome: Preference::Tie }];
        assert_eq!(json(&OutcomeLine::of(false, &arrived, false)), r#"{"outcome":"tie"}"#);
        assert_eq!(json(&OutcomeLine::of(false, &[], true)), r#"{"outcome":null,"done":true}"#);
        assert_eq!(json(&OutcomeLine::of(true, &arrived, false)), r#"{"outcomes":[{"of":3,"outcome":"tie"}]}"#);
        assert_eq!(json(&OutcomeLine::of(true, &[], true)), r#"{"outcomes":[],"done":true}"#);
    }

    fn json(line: &impl Serialize) -> String {
        serde_json::to_string(line).expect("JSON")
    }

    #[test]
    fn moves_and_answers_are_read() {
        let pair = |pair, winner| Ok(Move { action: Action::Pair(pair), winner });
        assert_eq!(read_move(r#"{"pair": [3, 0]}"#, 4), pair([3, 0], None));
        assert_eq!(read_move(r#"{"pair": [1, 1], "winner": 2}"#, 4), pair([1, 1], Some(2)));
        let enough = Answer { best: Some(2), order: None };
        assert_eq!(read_move(r#"{"best": 2}"#, 4), Ok(Move { action: Action::Enough(enough.clone()), winner: None }));
        assert_eq!(read_answer(r#"{"best": 2}"#, 4), Ok(enough));
        assert_eq!(read_answer("{}", 4), Ok(Answer::default()));
        let order = Answer { best: Some(3), order: Some(vec![3, 1, 0, 2]) };
        assert_eq!(read_answer(r#"{"order": [3, 1, 0, 2]}"#, 4), Ok(order));
    }

    #[test]
    fn what_breaks_the_rules_is_named() {
        for (line, expected) in [
            ("oops", "wrote \"oops\", which is not a line of the protocol"),
            ("{}", "where {\"pair\": [I, J]} was due"),
            (r#"{"pair": [0, 4]}"#, "named arm 4; there are arms 0 to 3"),
            (r#"{"pair": [0, -1]}"#, "not a line of the protocol"),
            (r#"{"pair": [0]}"#, "not a line of the protocol"),
            (r#"{"pair": [0, 1], "best": 1}"#, "a pair and an answer in one line"),
            (r#"{"pairs": [0, 1]}"#, "unknown field `pairs`"),
            (r#"{"order": [0, 1, 2]}"#, "an order of 3 arms"),
            (r#"{"order": [0, 1, 2, 2]}"#, "an order of 4 arms; each of the 4 must be in it once"),
            (r#"{"pair": [0, 1], "winner": 9}"#, "named arm 9"),
        ] {
            let foul = read_move(line, 4).expect_err(line).to_string();
            assert!(foul.contains(expected), "{line}: {foul}");
        }
        assert!(read_answer(r#"{"pair": [0, 1]}"#, 4).expect_err("a pair").to_string().contains("after the last step"));
    }
}
