//! Clicks: what became of each.

use std::collections::BTreeMap;

use traffic::ClickFate;

use crate::ids::ImpressionId;
use crate::store::Shown;
use crate::writer::Session;

/// A click.
#[derive(Debug, Clone)]
pub struct Click {
    /// On which impression.
    pub of: ImpressionId,
    /// On which document.
    pub document: String,
}

/// Takes clicks, and returns what became of each.
pub fn clicks(session: &mut Session<'_>, clicks: &[Click]) -> Vec<ClickFate> {
    let mut known: BTreeMap<(u32, u64), Option<Shown>> = BTreeMap::new();
    let mut fates = Vec::with_capacity(clicks.len());
    for Click { of, document } in clicks {
        let impression = of.impression;
        let shown =
            known.entry((of.experiment, impression)).or_insert_with(|| session.shown(of.experiment, impression));
        let position = shown.as_ref().and_then(|shown| shown.position_of(document));
        let now = session.now;
        let fate = match session.experiment_of(of) {
            None => ClickFate::Unknown,
            Some(experiment) => match position {
                Some(position) => experiment.click(now, impression, position as u32),
                // Closed or never there comes before what was clicked.
                None => match experiment.click(now, impression, u32::MAX) {
                    ClickFate::NotShown if shown.is_none() => ClickFate::Late,
                    fate => fate,
                },
            },
        };
        fates.push(fate);
    }
    fates
}
