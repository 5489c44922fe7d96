//! Impressions, clicks, outcomes and judgements, one object per line.

use std::io::Write;

use super::{ExportError, ExportKind, Rules};
use crate::store::{ShownDocuments, Store};
use crate::writer::{NextEvent, fold};

/// Writes all impressions, clicks or outcomes of days that are final.
pub(super) fn write(
    store: &Store,
    id: u32,
    name: &str,
    export_kind: ExportKind,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let final_day = Rules::of(store, id, name)?.final_day();
    let mut failed: Option<ExportError> = None;
    fold(store, id, name, |NextEvent { event, experiment, .. }| {
        if failed.is_some() {
            return;
        }
        let mut unreadable = None;
        let documents = |impression| match store.shown(id, impression) {
            Ok(ShownDocuments::Shown(shown)) => Some(shown.mixed),
            Ok(ShownDocuments::Deleted | ShownDocuments::Never) => None,
            Err(error) => {
                unreadable = Some(error);
                None
            }
        };
        let exported = experiment.and_then(|experiment| match export_kind {
            ExportKind::Outcomes => experiment.export_conversion(event, documents).map(|one| (one.day, one.line)),
            ExportKind::Clicks => experiment.export_impression(event, documents).map(|one| (one.day, one.clicks)),
            _ => experiment.export_impression(event, documents).map(|one| (one.day, one.impression)),
        });
        let lines = exported.filter(|(day, _)| *day <= final_day).map(|(_, lines)| lines);
        let written = lines.map_or(Ok(()), |lines| out.write_all(lines.as_bytes()));
        failed = unreadable.map(ExportError::from).or_else(|| written.err().map(ExportError::from));
    })?;
    failed.map_or(Ok(()), Err)
}

/// Writes the judgements, in their order.
pub(super) fn judgements(store: &Store, id: u32, name: &str, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut failed = None;
    fold(store, id, name, |NextEvent { event, experiment, .. }| {
        let line = experiment.and_then(|experiment| experiment.judgement(event));
        if let Some(line) = line.filter(|_| failed.is_none()) {
            failed = out.write_all(line.as_bytes()).err();
        }
    })?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}
