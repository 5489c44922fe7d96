//! Lists of names in one text.

use std::str::FromStr;

use ranktypes::text::split_list;

/// Names in one text, separated by commas, by the rule of [`split_list`]: what flags that list names take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NameList(pub Vec<String>);

impl NameList {
    /// The names of all these lists, in order: those of a flag that is given several times.
    #[must_use]
    pub fn concat(lists: &[Self]) -> Vec<String> {
        lists.iter().flat_map(|list| &list.0).cloned().collect()
    }
}

impl FromStr for NameList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        split_list(text).map(Self)
    }
}
