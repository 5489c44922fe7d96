//! Events of impressions: the fate of each click, and anything odd.

use std::collections::BTreeMap;

use traffic::ClickFate;
use verdicts::integrity::normal_form;

use crate::ids::ImpressionId;
use crate::store::StoredPage;
use crate::writer::Transaction;

/// An event of an impression.
#[derive(Debug, Clone)]
pub struct SentEvent {
    /// The impression.
    pub impression: ImpressionId,
    /// The action.
    pub action: ClickAction,
}

/// The action of an event.
#[derive(Debug, Clone)]
pub enum ClickAction {
    /// A click on this document.
    Click(String),
    /// Nothing that can be read.
    Malformed,
    /// Another action.
    Ignored,
}

/// Takes events, and returns the fate of each click.
pub fn events(transaction: &mut Transaction<'_>, sent: &[SentEvent]) -> Vec<ClickFate> {
    let mut experiment_known: BTreeMap<(u32, u64), Option<StoredPage>> = BTreeMap::new();
    let mut fates = Vec::with_capacity(sent.len());
    let now = transaction.now;
    for SentEvent { impression: id, action } in sent {
        let impression = id.impression;
        let document = match action {
            ClickAction::Click(document) => document,
            ClickAction::Malformed | ClickAction::Ignored => {
                match (transaction.experiment_of(id), action) {
                    (Some(experiment), ClickAction::Malformed) => experiment.note_malformed(now, impression),
                    (Some(experiment), _) => experiment.note_ignored(now, impression),
                    (None, _) => {}
                }
                continue;
            }
        };
        let shown = experiment_known
            .entry((id.experiment, impression))
            .or_insert_with(|| transaction.shown(id.experiment, impression));
        let fate = match transaction.experiment_of(id) {
            None => ClickFate::Unknown,
            Some(experiment) => match shown {
                // A closed or unknown impression is reported before the clicked document is checked.
                None => match experiment.click(now, impression, u32::MAX) {
                    ClickFate::NotShown => ClickFate::Late,
                    fate => fate,
                },
                Some(shown) => match shown.mixed_position(document) {
                    Some(position) => experiment.click(now, impression, position as u32),
                    // An advertisement belongs to no ranker, and is not a fault.
                    None if shown.is_pinned(document) => experiment.click(now, impression, u32::MAX),
                    None => experiment.click_outside_list(now, impression, || near_position(shown, document)),
                },
            },
        };
        fates.push(fate);
    }
    fates
}

/// The position in the mixed list of a document that is this one but for how its id is written.
fn near_position(shown: &StoredPage, document: &str) -> Option<u32> {
    let normal = normal_form(document);
    let is_near = |known: &String| *known != *document && normal_form(known) == normal;
    shown.mixed.iter().position(is_near).map(|position| position as u32)
}
