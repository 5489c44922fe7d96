//! Other names for the algorithms or rankers that a study compared.

use std::str::FromStr;

use ranktypes::text::escaped;

/// Other names for algorithms or curves: `rucb=RUCB,mdb=MDB`.
#[derive(Debug, Clone)]
pub(in crate::cli) struct LabelOverride(pub(in crate::cli) Vec<(String, String)>);

impl FromStr for LabelOverride {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ranktypes::text::split_list(text)?.iter().map(|item| parse_relabel(item)).collect::<Result<_, _>>().map(Self)
    }
}

fn parse_relabel(text: &str) -> Result<(String, String), String> {
    // The last sign counts: names of curves may have parameters, `mergerucb p=8=mergeRUCB`.
    let name_and_label = text.rsplit_once('=').map(|(name, label)| (name.trim(), label.trim()));
    let name_and_label = name_and_label.filter(|(name, label)| !name.is_empty() && !label.is_empty());
    let checked = name_and_label
        .ok_or_else(|| format!("expected a name and its replacement, such as rucb=RUCB, found `{}`", escaped(text)))?;
    Ok((checked.0.to_owned(), checked.1.to_owned()))
}
