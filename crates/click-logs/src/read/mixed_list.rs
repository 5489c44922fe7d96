//! How a list was mixed and what a page displayed of it, as far as a line has it: from teams or from a receipt.

use std::borrow::Cow;

use ranktypes::text::excerpt;

use super::text::{ReceiptText, decode_bytes};
use super::value::{missing_field_error, present};
use crate::error::LineError;
use crate::model::{MAX_SHOWN, Mixed, NamedDocuments, Oddities, Receipts, stated_version};

/// Checks the length of a list.
fn check_shown(shown: &[Cow<'_, str>]) -> Result<(), LineError> {
    if shown.len() > MAX_SHOWN {
        let message =
            format!("{} documents in one list; expected at most {MAX_SHOWN}: those that the user saw", shown.len());
        return Err(LineError::new(message));
    }
    Ok(())
}

/// An error for a team that is not among the rankers that the line names.
pub(crate) fn unknown_team_message(team: &str) -> String {
    format!("the team {team} is none of the rankers of the line; name it there")
}

/// The fields of a line about its list.
pub(super) struct ListFields<'a> {
    /// `None` if the receipt has it.
    pub(super) shown: Option<Vec<Cow<'a, str>>>,
    pub(super) mixed: Option<Vec<Cow<'a, str>>>,
    pub(super) pinned: Option<Vec<Cow<'a, str>>>,
    pub(super) paged: Option<u64>,
    pub(super) teams: Option<Vec<Option<Cow<'a, str>>>>,
    pub(super) receipt: Option<ReceiptText<'a>>,
    pub(super) rankers: Option<Vec<Cow<'a, str>>>,
    pub(super) experiment: Option<Cow<'a, str>>,
    pub(super) version: Option<Cow<'a, str>>,
}

/// The list found from these fields.
pub(super) struct MixedList<'a> {
    pub(super) shown: Vec<Cow<'a, str>>,
    pub(super) oddities: Oddities,
    pub(super) version: Option<Cow<'a, str>>,
    pub(super) mixed: Option<Mixed<'a>>,
}

pub(crate) fn as_strs<'b>(list: &'b [Cow<'_, str>]) -> Vec<&'b str> {
    list.iter().map(|id| &**id).collect()
}

impl<'a> ListFields<'a> {
    /// Finds how the list was mixed, from teams or from a receipt, and what was displayed of it.
    pub(super) fn mixed_list(mut self) -> Result<MixedList<'a>, LineError> {
        if let Some(rankers) = &self.rankers
            && let Some(at) = (1..rankers.len()).find(|&at| rankers[..at].contains(&rankers[at]))
        {
            let message = format!("two rankers are called {}; give each its own name", excerpt(&rankers[at]));
            return Err(LineError::new(message));
        }
        let receipt = match (&self.teams, self.receipt.take()) {
            (Some(_), Some(_)) => {
                return Err(LineError::new("both teams and a receipt; expected one of them: they may disagree"));
            }
            (_, None) => None,
            (None, Some(receipt)) => Some(receipt),
        };
        match receipt {
            Some(receipt) => self.list_of_receipt(receipt),
            None => self.list_of_teams(),
        }
    }

    fn list_of_teams(self) -> Result<MixedList<'a>, LineError> {
        let Self { shown, mixed, pinned, paged, teams, rankers, experiment, version, .. } = self;
        let shown = shown.ok_or_else(missing_shown)?;
        check_shown(&shown)?;
        let version = stated_version(experiment.as_deref(), version.as_deref(), None).map_err(LineError::new)?;
        let version = version.map(|version| Cow::Owned(version.into_owned()));
        let [all, others] = [mixed.as_deref().unwrap_or_default(), pinned.as_deref().unwrap_or_default()].map(as_strs);
        let documents = as_strs(&shown);
        let mixed = mixed.is_some().then_some(all.as_slice());
        let listed = NamedDocuments { shown: &documents, mixed, pinned: &others, paged };
        let Some(teams) = teams else {
            listed.check().map_err(LineError::new)?;
            return Ok(MixedList { shown, oddities: Oddities::default(), version, mixed: None });
        };
        let displayed = listed.page_of_teams(teams.len()).map_err(LineError::new)?;
        let teams: Vec<_> = teams.into_iter().map(present).collect();
        let strange = rankers.as_ref().and_then(|rankers| teams.iter().flatten().find(|team| !rankers.contains(team)));
        if let Some(team) = strange {
            return Err(LineError::new(unknown_team_message(&excerpt(team))));
        }
        let teams = match displayed.page {
            None => teams,
            Some(page) => page.places().map(|place| place.and_then(|at| teams[at].clone())).collect(),
        };
        Ok(MixedList { shown, oddities: displayed.oddities, version, mixed: Some(Mixed::Teams { teams, rankers }) })
    }

    fn list_of_receipt(self, text: ReceiptText<'a>) -> Result<MixedList<'a>, LineError> {
        let Self { shown, mixed, pinned, paged, rankers, experiment, version, .. } = self;
        if let Some(shown) = &shown {
            check_shown(shown)?;
        }
        let mut receipts = Receipts::default();
        let (bytes, receipt);
        let receipt = match text {
            ReceiptText::Object(value) => {
                receipt = serde_json::from_value(value).map_err(|error| {
                    LineError::new(format!("the receipt cannot be read: {error}; log it as it was written"))
                })?;
                receipts.of(receipt)
            }
            ReceiptText::Bytes(found) => {
                bytes = found;
                receipts.read(&bytes)
            }
            ReceiptText::Text(text) => {
                bytes = decode_bytes(&text).ok_or_else(|| {
                    LineError::new(format!("the receipt {} is neither base64 nor hexadecimal", excerpt(&text)))
                })?;
                receipts.read(&bytes)
            }
        };
        let receipt = receipt.map_err(LineError::new)?;
        if let Some(rankers) = &rankers
            && receipt.is_two
            && rankers.len() != 2
        {
            let message = format!("{} rankers with a receipt of 2; name those of the receipt", rankers.len());
            return Err(LineError::new(message));
        }
        let version =
            stated_version(experiment.as_deref(), version.as_deref(), receipt.version).map_err(LineError::new)?;
        let version = version.map(|version| Cow::Owned(version.into_owned()));
        let shown = match (shown, receipt.shown()) {
            (Some(shown), _) => shown,
            (None, Some(documents)) => documents.into_iter().map(|id| Cow::Owned(id.to_owned())).collect(),
            (None, None) if receipt.length == 0 => Vec::new(),
            (None, None) => return Err(missing_shown()),
        };
        let [all, others] = [mixed.as_deref().unwrap_or_default(), pinned.as_deref().unwrap_or_default()].map(as_strs);
        let documents = as_strs(&shown);
        let mixed = mixed.is_some().then_some(all.as_slice());
        let listed = NamedDocuments { shown: &documents, mixed, pinned: &others, paged };
        let displayed = listed.page_of_receipt(&receipt).map_err(LineError::new)?;
        let mixed = Mixed::Receipt {
            body: receipt.body.to_vec(),
            method: receipt.method.to_owned(),
            is_two: receipt.is_two,
            page: displayed.page,
            paged: displayed.paged,
            rankers,
        };
        Ok(MixedList { shown, oddities: displayed.oddities, version, mixed: Some(mixed) })
    }
}

fn missing_shown() -> LineError {
    missing_field_error("`shown` (or `query_response_hit_ids`, or a response)")
}
