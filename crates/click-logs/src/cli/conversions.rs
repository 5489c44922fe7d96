//! Flags of `credit` for conversions.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use letor_io::NameList;
use output::numbers::parse_up_to;
use output::usage::usage;
use serde_json::Value;
use verdicts::integrity::CoinScope;

use super::inputs;
use crate::join::ConversionLog;
use crate::model::{Attribution, ConversionRules, Primary, Settings, UnitKind};

#[derive(Debug, Args)]
pub(super) struct ConversionFlags {
    /// Files of orders, carts or other conversions: user, document, time, and where known action, value (whole minor units, such as
    /// cents; negative for what comes back), currency and order. Each is credited to the rankers that showed its document to its user
    #[arg(long = "outcomes", value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
    /// To which of the lists that showed the document: `last`, the last one before; `all`, each of them; `window=7d`, each of the last
    /// seven days; `most-drafted`, all of the ranker that owns the document in most of them
    #[arg(long, value_name = "HOW", default_value = "last", value_parser = Attribution::from_str, requires = "files")]
    attribution: Attribution,
    /// A unit closes N days after the last day on which its lists count, and stands on that day [default: 7, or the window of
    /// --attribution]
    #[arg(long, value_name = "N", value_parser = parse_up_to::<u32, 3650>, requires = "files")]
    outcome_days: Option<u32>,
    /// The actions that count; lines without one always do
    #[arg(long, value_name = "NAMES", default_value = "order,purchase,return,refund", requires = "files")]
    outcome_actions: Vec<NameList>,
    /// The currency that counts [default: the only one]
    #[arg(long, value_name = "CODE", requires = "files")]
    currency: Option<String>,
    /// By how much the values of both sides of a unit may differ, in minor units, fixed before anything is seen: an amount, or a share
    /// of the buyers of an earlier time, such as 99%:before.csv. Without it, values have no verdict
    #[arg(long, value_name = "AMOUNT", value_parser = Cap::from_str, requires = "files")]
    cap: Option<Cap>,
    /// What decides, named before anything is seen
    #[arg(long, value_enum, default_value = "clicks", requires = "files")]
    primary: PrimaryFlag,
    /// Subtract from differences in value what the coins of a team draft explain: by how much the first PLACES places of lists, as they
    /// were mixed, are better for one ranker. Each ranker must have as many documents for every search, and the first page as many
    /// places; lists that show that a ranker had none left are refused
    #[arg(long, value_name = "PLACES", value_parser = parse_up_to::<u16, 1000>, requires = "cap")]
    draft_covariate: Option<u16>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PrimaryFlag {
    /// Who gets more clicks, by unit
    Clicks,
    /// Who gets more conversions, by unit
    Conversions,
    /// The difference in value per unit; takes --cap
    Value,
}

/// Where the cap comes from.
#[derive(Debug, Clone, PartialEq)]
enum Cap {
    Amount(u64),
    /// A cap from a file of an earlier time: the value that a share of its buyers did not exceed.
    Before(f64, PathBuf),
}

impl FromStr for Cap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED_CAP: &str = "expected an amount in minor units, from 1 to 1000000000, or a share of earlier buyers and their file, e.g. 99%:before.csv";
        if let Some((share, path)) = text.split_once("%:") {
            let percent: f64 = share.parse().map_err(|_| EXPECTED_CAP)?;
            if !(percent > 0.0 && percent <= 100.0) || path.is_empty() {
                return Err(EXPECTED_CAP.to_owned());
            }
            return Ok(Self::Before(percent / 100.0, path.into()));
        }
        match text.parse() {
            Ok(amount @ 1..=1_000_000_000) => Ok(Self::Amount(amount)),
            _ => Err(EXPECTED_CAP.to_owned()),
        }
    }
}

/// Conversions to be credited, and where they come from.
pub(super) struct ConversionFiles {
    pub(super) log: ConversionLog,
    pub(super) files: Vec<PathBuf>,
    /// The file of an earlier time from which the cap comes, and its latest time.
    cap_file: Option<(PathBuf, Option<i64>)>,
}

impl ConversionFlags {
    /// The files, as they are named.
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Reads the files, if any are named.
    pub(super) fn read(&self, settings: &Settings) -> Result<Option<ConversionFiles>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        if settings.unit == UnitKind::Impression {
            bail!(usage(
                "--outcomes credits what a user did later, so that units are users or sessions; leave out --unit impression"
            ));
        }
        let primary = match self.primary {
            PrimaryFlag::Clicks => Primary::Clicks,
            PrimaryFlag::Conversions => Primary::Conversions,
            PrimaryFlag::Value => Primary::Value,
        };
        if primary == Primary::Value && self.cap.is_none() {
            bail!(usage(
                "--primary value takes --cap: by how much the values of both sides of a unit may differ, fixed beforehand"
            ));
        }
        if self.draft_covariate.is_some() && settings.coin_scope() == CoinScope::Unknown {
            bail!(usage(
                "--draft-covariate takes to know which lists have coins of their own: pass --coin session or --coin impression, if \
                 lists are drawn for each, or count by user"
            ));
        }
        let files = inputs::files(&self.files)?;
        let days = self.outcome_days.unwrap_or(self.attribution.days());
        let actions = NameList::concat(&self.outcome_actions);
        let rules = ConversionRules {
            attribution: self.attribution,
            days,
            actions,
            currency: self.currency.clone(),
            cap: None,
            primary,
            draft_places: self.draft_covariate,
        };
        let (cap, cap_file, currency_of_cap) = match &self.cap {
            None => (None, None, None),
            Some(Cap::Amount(amount)) => (Some(*amount), None, None),
            Some(Cap::Before(share, path)) => {
                let earlier_log = ConversionLog::read(std::slice::from_ref(path), settings, rules.clone())?;
                let Some(cap) = earlier_log.quantile(*share) else {
                    bail!(usage(format!(
                        "--cap: no user in {} has a conversion with a value that counts",
                        path.display()
                    )));
                };
                (Some(cap), Some((path.clone(), earlier_log.last())), earlier_log.rules().currency.clone())
            }
        };
        let log = ConversionLog::read(&files, settings, ConversionRules { cap, ..rules })?;
        if let (Some(currency_of_cap), Some(currency), Some((path, _))) =
            (&currency_of_cap, &log.rules().currency, &cap_file)
            && currency_of_cap != currency
        {
            bail!(usage(format!(
                "--cap: the values in {} are in {currency_of_cap}, and those of --outcomes in {currency}; give the cap as an amount in {currency}",
                path.display()
            )));
        }
        if primary == Primary::Value && log.has_values() == Some(false) {
            bail!(usage(
                "--primary value, but no line of --outcomes has a `value`; log it, or take --primary conversions"
            ));
        }
        Ok(Some(ConversionFiles { log, files, cap_file }))
    }
}

impl ConversionFiles {
    /// All that results depend on.
    pub(super) fn description(&self) -> Value {
        let mut described = self.log.rules().description();
        described["files"] = self.files.iter().map(|path| path.display().to_string()).collect();
        described
    }

    /// Checks that the cap comes from a time before the first impression.
    pub(super) fn check_cap_is_earlier(&self, first_impression: Option<i64>) -> Result<()> {
        if let (Some((path, Some(last))), Some(first)) = (&self.cap_file, first_impression)
            && *last >= first
        {
            bail!(usage(format!(
                "--cap: {} has conversions until {}, and the experiment began {}; a cap is fixed by an earlier time alone",
                path.display(),
                times::text(*last),
                times::text(first)
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_amounts_or_of_an_earlier_time() {
        assert_eq!("5000".parse(), Ok(Cap::Amount(5_000)));
        assert_eq!("99.5%:before.csv".parse(), Ok(Cap::Before(0.995, "before.csv".into())));
        for text in ["0", "-1", "1.5", "99%", "99%:", "101%:a", "x%:a", "1000000001"] {
            assert!(text.parse::<Cap>().is_err(), "{text}");
        }
    }
}
