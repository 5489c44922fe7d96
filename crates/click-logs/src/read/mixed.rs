//! How a list was mixed, as far as a line says so: from teams or from a receipt.

use std::borrow::Cow;

use super::fields::present;
use super::text::{ReceiptText, bytes_of};
use crate::error::{Malformed, excerpt};
use crate::model::{MOST_SHOWN, Mixed, Receipt};

/// Checks the length of a list.
pub(super) fn check_shown(shown: &[Cow<'_, str>]) -> Result<(), Malformed> {
    if shown.len() > MOST_SHOWN {
        let message =
            format!("{} documents in one list; expected at most {MOST_SHOWN}: those that the user saw", shown.len());
        return Err(Malformed::new(message));
    }
    Ok(())
}

/// What to say of a team that is none of the rankers which the line names.
pub(crate) fn strange_team(team: &str) -> String {
    format!("the team {team} is none of the rankers of the line; name it there")
}

/// How a list was mixed: from teams or from a receipt.
pub(super) fn mixed<'a>(
    shown: usize,
    teams: Option<Vec<Option<Cow<'a, str>>>>,
    receipt: Option<ReceiptText<'a>>,
    rankers: Option<Vec<Cow<'a, str>>>,
) -> Result<Option<Mixed<'a>>, Malformed> {
    if let Some(rankers) = &rankers {
        let alike = (1..rankers.len()).find(|&at| rankers[..at].contains(&rankers[at]));
        if let Some(at) = alike {
            let message = format!("two rankers are called {}; give each its own name", excerpt(&rankers[at]));
            return Err(Malformed::new(message));
        }
    }
    match (teams, receipt) {
        (Some(_), Some(_)) => Err(Malformed::new("both teams and a receipt; expected one of them: they may disagree")),
        (None, None) => Ok(None),
        (Some(teams), None) => {
            if teams.len() != shown {
                let message = format!("{} teams for {shown} documents shown; expected one per document", teams.len());
                return Err(Malformed::new(message));
            }
            let teams: Vec<_> = teams.into_iter().map(present).collect();
            let strange =
                rankers.as_ref().and_then(|rankers| teams.iter().flatten().find(|team| !rankers.contains(team)));
            if let Some(team) = strange {
                return Err(Malformed::new(strange_team(&excerpt(team))));
            }
            Ok(Some(Mixed::Teams { teams, rankers }))
        }
        (None, Some(text)) => {
            let receipt = match text {
                ReceiptText::Object(value) => Receipt::from_json(value, shown),
                ReceiptText::Bytes(bytes) => Receipt::from_bytes(&bytes, shown),
                ReceiptText::Text(text) => bytes_of(&text)
                    .ok_or_else(|| format!("the receipt {} is neither base64 nor hexadecimal", excerpt(&text)))
                    .and_then(|bytes| Receipt::from_bytes(&bytes, shown)),
            };
            let receipt = receipt.map_err(Malformed::new)?;
            let listed = match &receipt {
                Receipt::Interleaving(_) => Some(2),
                Receipt::Multileaving(_) => None,
            };
            if let (Some(rankers), Some(listed)) = (&rankers, listed)
                && rankers.len() != listed
            {
                let message =
                    format!("{} rankers with a receipt of {listed}; name those of the receipt", rankers.len());
                return Err(Malformed::new(message));
            }
            Ok(Some(Mixed::Receipt { receipt, rankers }))
        }
    }
}
