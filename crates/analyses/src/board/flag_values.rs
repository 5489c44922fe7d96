//! Parses the flags of winners, covariates and categories.

use anyhow::{Result, bail, ensure};
use board::read::{CovariateColumns, WinnerValue};
use board::{Answer, Split};
use output::usage::usage;

/// `--covariates length,lines=delta,headers=h1:h2`.
pub(super) fn parse_covariates(assignments: &[String]) -> Result<Vec<CovariateColumns>> {
    let mut covariates: Vec<CovariateColumns> = Vec::new();
    for text in assignments {
        let (name, columns) = text.split_once('=').map_or((text.as_str(), None), |(name, rest)| (name, Some(rest)));
        let columns: Vec<String> = match columns {
            None => Vec::new(),
            Some(columns) => columns.split(':').map(|column| column.trim().to_owned()).collect(),
        };
        let name = name.trim().to_owned();
        let is_wrong = name.is_empty() || columns.len() > 2 || columns.iter().any(String::is_empty);
        ensure!(
            !is_wrong,
            usage(format!(
                "--covariates {text}: expected a name, and its column of differences or both columns, e.g. length, length=longer or \
                 length=words_a:words_b"
            ))
        );
        ensure!(covariates.iter().all(|other| other.name != name), usage(format!("--covariates names {name} twice")));
        covariates.push(CovariateColumns { name, columns });
    }
    Ok(covariates)
}

/// `--winner-values 1=first,2=second,3=tie`.
pub(super) fn parse_winner_values(assignments: &[String]) -> Result<Vec<WinnerValue>> {
    let mut values: Vec<WinnerValue> = Vec::new();
    for text in assignments {
        let (cell, meaning) =
            text.rsplit_once('=').map_or((text.trim(), ""), |(cell, meaning)| (cell.trim(), meaning.trim()));
        let answer = match meaning {
            "first" => Some(Answer::First),
            "second" => Some(Answer::Second),
            "tie" => Some(Answer::Tie),
            "both-bad" => Some(Answer::BothBad),
            "skip" => None,
            share => match share.parse() {
                Ok(share) if (0.0..=1.0).contains(&share) => Some(Answer::from_share(share)),
                _ => bail!(usage(format!(
                    "--winner-values {text}: expected a value and first, second, tie, both-bad, skip or a share from 0 to 1, e.g. \
                     1=first,2=second,3=tie"
                ))),
            },
        };
        ensure!(!cell.is_empty(), usage(format!("--winner-values {text}: expected a value before the sign =")));
        ensure!(values.iter().all(|other| other.cell != cell), usage(format!("--winner-values names {cell} twice")));
        values.push(WinnerValue { cell: cell.to_owned(), answer });
    }
    Ok(values)
}

/// `--by category --mix coding=.3,chat=.7`.
pub(super) fn parse_split(column: Option<&String>, mix: &[String]) -> Result<Option<Split>> {
    let Some(column) = column else {
        ensure!(mix.is_empty(), usage("--mix weighs the categories of --by: add it".to_owned()));
        return Ok(None);
    };
    let mut mix_shares = Vec::new();
    for text in mix {
        let share = text.rsplit_once('=').and_then(|(name, share)| Some((name.to_owned(), share.trim().parse().ok()?)));
        match share {
            Some((name, share)) if !name.is_empty() => mix_shares.push((name, share)),
            _ => bail!(usage(format!("--mix {text}: expected a category and its share, e.g. coding=0.3,chat=0.7"))),
        }
    }
    Ok(Some(Split { column: column.clone(), mix: mix_shares }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn covariates_have_columns_of_their_names_or_as_told() {
        let found = parse_covariates(&texts(&["length", "lines=delta", "h=h 1:h 2"])).expect("three covariates");
        let columns: Vec<&[String]> = found.iter().map(|one| &one.columns[..]).collect();
        assert_eq!(columns, [&texts(&[])[..], &texts(&["delta"]), &texts(&["h 1", "h 2"])]);
        for wrong in ["", "=a", "length=", "length=a:b:c", "length=a:"] {
            let error = parse_covariates(&texts(&[wrong])).expect_err(wrong).to_string();
            assert!(error.starts_with("--covariates") && error.contains("expected a name"), "{error}");
        }
        assert!(parse_covariates(&texts(&["a", "a"])).expect_err("twice").to_string().ends_with("names a twice"));
    }

    #[test]
    fn values_of_winners_have_meanings() {
        let found =
            parse_winner_values(&texts(&["1=first", "a=b = tie", "9=skip", "3=0.75", "4=0.5"])).expect("values");
        let pairs: Vec<_> = found.iter().map(|value| (value.cell.as_str(), value.answer)).collect();
        let score = Some(Answer::Score(0.75));
        let expected = [
            ("1", Some(Answer::First)),
            ("a=b", Some(Answer::Tie)),
            ("9", None),
            ("3", score),
            ("4", Some(Answer::Tie)),
        ];
        assert_eq!(pairs, expected);
        for (wrong, message) in [
            (&["1"][..], "expected a value and first"),
            (&["1=left"], "expected a value and first"),
            (&["1=1.5"], "a share from 0 to 1"),
            (&["=tie"], "before the sign"),
            (&["1=tie", "1=first"], "names 1 twice"),
        ] {
            let error = parse_winner_values(&texts(wrong)).expect_err(message).to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_mix_has_categories_with_shares() {
        let by = "kind".to_owned();
        let found = parse_split(Some(&by), &texts(&["a=b=.25", "c= 0.75"])).expect("a mix").expect("categories");
        assert_eq!(found.mix, [("a=b".to_owned(), 0.25), ("c".to_owned(), 0.75)]);
        assert_eq!(parse_split(None, &[]).expect("nothing"), None);
        for wrong in ["a", "a=x", "=1"] {
            assert!(
                parse_split(Some(&by), &texts(&[wrong])).expect_err(wrong).to_string().contains("expected a category")
            );
        }
        assert!(parse_split(None, &texts(&["a=1"])).expect_err("no categories").to_string().contains("--by"));
    }
}
