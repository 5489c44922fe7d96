//! News of an experiment since the last look.

use serde::{Deserialize, Serialize};
use traffic::{Alarm, Change, ExperimentStatus, Raise, SCHEDULE, State};

/// The state of an experiment that was already reported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReportedState {
    /// Reported changes of its state.
    pub changes: usize,
    /// Reported guardrails that broke.
    pub alarms: usize,
    /// Reported raises of its share.
    pub raises: usize,
    /// Its reported status.
    pub standing: String,
    /// The rankers reported to harm a segment.
    pub harmful: Vec<String>,
}

/// An experiment at one look.
#[derive(Debug, Clone)]
pub struct ExperimentLook {
    /// Its name.
    pub name: String,
    /// When it was made, in milliseconds since 1970; `None` if it is damaged, and that is not known.
    pub created: Option<i64>,
    /// The names of its rankers.
    pub rankers: Vec<String>,
    /// All changes of its state, the oldest first.
    pub changes: Vec<Change>,
    /// All guardrails that broke, the oldest first.
    pub alarms: Vec<Alarm>,
    /// All times that its share was raised, the oldest first.
    pub raises: Vec<Raise>,
    /// Its status; `None` if it is damaged.
    pub standing: Option<ExperimentStatus>,
    /// The sentence of its headline, or of the damage.
    pub sentence: String,
    /// The advice.
    pub advice: String,
    /// The ranker that won.
    pub winner: Option<String>,
    /// Rankers that harm a segment, each with a sentence.
    pub harms: Vec<(String, String)>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The time, in milliseconds since 1970; `None` if it was found by looking.
    pub time: Option<i64>,
    /// The kind, in a word.
    pub kind: String,
    /// The event, in a sentence.
    pub sentence: String,
    /// The advice; may be empty.
    pub advice: String,
    /// The ranker that it is about: the winner, the one that was shipped, or that broke a guardrail.
    pub ranker: Option<String>,
}

/// The name of a damaged experiment's standing.
const DAMAGED_STATUS: &str = "damaged";

/// Whether a status is reported: others follow from changes and alarms, which have messages of their own, or are those of every experiment
/// that goes on.
fn is_told(standing: ExperimentStatus) -> bool {
    match standing {
        ExperimentStatus::Decided
        | ExperimentStatus::Contradicted
        | ExperimentStatus::Equal
        | ExperimentStatus::Silent
        | ExperimentStatus::Untrusted
        | ExperimentStatus::NoClicks => true,
        ExperimentStatus::NotBegun
        | ExperimentStatus::Waiting
        | ExperimentStatus::Undecided
        | ExperimentStatus::Breached
        | ExperimentStatus::Paused
        | ExperimentStatus::Killed
        | ExperimentStatus::Ended
        | ExperimentStatus::Shipped => false,
    }
}

/// The messages about what came after `reported`, ordered by time, and the state then reported.
#[must_use]
pub fn new_messages(reported: &ReportedState, look: &ExperimentLook) -> (Vec<Message>, ReportedState) {
    let ranker = |place: u32| look.rankers.get(place as usize).cloned();
    let changes = look.changes.iter().skip(reported.changes).map(|change| {
        let (kind, what) = match change.state {
            State::Running if change.who == SCHEDULE => ("begun", "begins".to_owned()),
            State::Running => ("resumed", "is running again".to_owned()),
            State::Shipped(place) => ("shipped", format!("ships {}", ranker(place).unwrap_or_default())),
            state => (state.name(), format!("is {}", state.name())),
        };
        let why = if change.why.is_empty() { String::new() } else { format!(": {}", change.why) };
        Message {
            time: Some(change.time),
            kind: kind.to_owned(),
            sentence: format!("{} {what}, by {}{why}", look.name, change.who),
            advice: String::new(),
            ranker: change.state.shipped().and_then(ranker),
        }
    });
    let alarms = look.alarms.iter().skip(reported.alarms).map(|alarm| {
        let name = ranker(alarm.ranker).unwrap_or_default();
        let ([messages, bad], [of_champion, bad_of_champion]) = (alarm.ranker_counts, alarm.champion_counts);
        Message {
            time: Some(alarm.time),
            kind: "breached".to_owned(),
            sentence: format!(
                "{name} broke a guardrail of {} ({}): {bad} of {messages} were bad, and {bad_of_champion} of {of_champion} of the champion",
                look.name,
                alarm.guard.meaning()
            ),
            advice: "Look at what changed before you resume it.".to_owned(),
            ranker: Some(name),
        }
    });
    let raises = look.raises.iter().skip(reported.raises).map(|raise| {
        let why = if raise.why.is_empty() { String::new() } else { format!(": {}", raise.why) };
        Message {
            time: Some(raise.time),
            kind: "raised".to_owned(),
            sentence: format!("{} has {}% of its users, by {}{why}", look.name, 100.0 * raise.share, raise.who),
            advice: String::new(),
            ranker: None,
        }
    });
    let mut messages: Vec<Message> = changes.chain(alarms).chain(raises).collect();
    // A breach comes before its consequences.
    messages.sort_by_key(|message| (message.time, message.kind != "breached"));
    let standing = look.standing.map_or(DAMAGED_STATUS, ExperimentStatus::name);
    if standing != reported.standing && look.standing.is_none_or(is_told) {
        messages.push(Message {
            time: None,
            kind: standing.to_owned(),
            sentence: format!("{}: {}", look.name, look.sentence),
            advice: look.advice.clone(),
            ranker: look.winner.clone(),
        });
    }
    let is_new = |(ranker, _): &&(String, String)| !reported.harmful.contains(ranker);
    let harms = look.harms.iter().filter(is_new).map(|(ranker, sentence)| Message {
        time: None,
        kind: "segment".to_owned(),
        sentence: format!("{}: {sentence}", look.name),
        advice: "Look at what it shows there.".to_owned(),
        ranker: Some(ranker.clone()),
    });
    messages.extend(harms);
    let mut harmful = reported.harmful.clone();
    harmful.extend(
        look.harms.iter().map(|(ranker, _)| ranker.clone()).filter(|ranker| !reported.harmful.contains(ranker)),
    );
    // The history of a damaged experiment is unknown.
    let reported = ReportedState {
        changes: look.changes.len().max(reported.changes),
        alarms: look.alarms.len().max(reported.alarms),
        raises: look.raises.len().max(reported.raises),
        standing: standing.to_owned(),
        harmful,
    };
    (messages, reported)
}

#[cfg(test)]
mod tests {
    use traffic::Guard;

    use super::*;

    fn seen(standing: Option<ExperimentStatus>) -> ExperimentLook {
        let change = |time, state| Change { time, state, who: "ann".to_owned(), why: "a test".to_owned() };
        let alarm =
            Alarm { time: 20, ranker: 1, guard: Guard::NoClick, ranker_counts: [90, 80], champion_counts: [90, 10] };
        ExperimentLook {
            name: "search".to_owned(),
            created: Some(1),
            rankers: vec!["old".to_owned(), "new".to_owned()],
            changes: vec![change(20, State::Paused), change(40, State::Running), change(60, State::Shipped(1))],
            alarms: vec![alarm],
            raises: vec![Raise { time: 50, share: 0.25, who: "ben".to_owned(), why: String::new() }],
            standing,
            sentence: "new beats old.".to_owned(),
            advice: "Ship new.".to_owned(),
            winner: Some("new".to_owned()),
            harms: vec![("new".to_owned(), "new harms mobile: there, old wins.".to_owned())],
        }
    }

    #[test]
    fn each_thing_is_said_once_in_the_order_of_time() {
        let (all, known) = new_messages(&ReportedState::default(), &seen(Some(ExperimentStatus::Decided)));
        let kinds: Vec<&str> = all.iter().map(|message| message.kind.as_str()).collect();
        assert_eq!(kinds, ["breached", "paused", "resumed", "raised", "shipped", "decided", "segment"]);
        assert_eq!(all[3].sentence, "search has 25% of its users, by ben");
        assert!(all[0].sentence.contains("80 of 90 were bad, and 10 of 90 of the champion"), "{}", all[0].sentence);
        assert_eq!(all[4].sentence, "search ships new, by ann: a test");
        assert_eq!((&*all[5].sentence, &*all[5].advice), ("search: new beats old.", "Ship new."));
        assert_eq!(all[6].sentence, "search: new harms mobile: there, old wins.");
        let (again, same) = new_messages(&known, &seen(Some(ExperimentStatus::Decided)));
        assert_eq!((again, same), (vec![], known.clone()));
        // Back to what needs no word, and then the same once more.
        let (none, known) = new_messages(&known, &seen(Some(ExperimentStatus::Undecided)));
        assert_eq!(none, []);
        assert_eq!(new_messages(&known, &seen(Some(ExperimentStatus::Decided))).0.len(), 1);
        assert_eq!(new_messages(&known, &seen(None)).0[0].kind, "damaged");
    }

    #[test]
    fn what_happens_by_itself_has_its_words() {
        let change = |time, state, why: &str| Change { time, state, who: SCHEDULE.to_owned(), why: why.to_owned() };
        let changes = vec![
            change(10, State::Paused, "begins after v1"),
            change(20, State::Running, "v1 ended"),
            change(30, State::Ended, "end_at is 2026-12-24 00:00 UTC"),
        ];
        let scheduled = ExperimentLook {
            changes,
            alarms: vec![],
            raises: vec![],
            harms: vec![],
            ..seen(Some(ExperimentStatus::Ended))
        };
        let (all, _) = new_messages(&ReportedState::default(), &scheduled);
        let told: Vec<(&str, &str)> =
            all.iter().map(|message| (message.kind.as_str(), message.sentence.as_str())).collect();
        assert_eq!(
            told,
            [
                ("paused", "search is paused, by schedule: begins after v1"),
                ("begun", "search begins, by schedule: v1 ended"),
                ("ended", "search is ended, by schedule: end_at is 2026-12-24 00:00 UTC"),
            ]
        );
    }
}
